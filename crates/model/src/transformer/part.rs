//! Names of a layer's GEMMs.

use serde::{Deserialize, Serialize};

/// Which part of a layer a GEMM is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// Queries, keys and values in one GEMM.
    Qkv,
    /// Queries alone.
    Query,
    /// Keys alone.
    Key,
    /// Values alone.
    Value,
    /// Queries to their compressed form.
    QueryDown,
    /// Compressed queries to heads.
    QueryUp,
    /// Keys and values to their compressed form.
    KeyValueDown,
    /// Compressed keys and values to heads.
    KeyValueUp,
    /// Queries through the key's up-projection, so that the cache can stay compressed.
    QueryAbsorb,
    /// Compressed results through the value's up-projection.
    ValueAbsorb,
    /// Q K^T, one a sequence and key head.
    Scores,
    /// P V, one a sequence and value head.
    Context,
    /// Heads back to the residual stream.
    AttentionOut,
    /// Gate and up projection in one.
    GateUp,
    /// Gate projection.
    Gate,
    /// Up projection.
    Up,
    /// Down projection.
    Down,
    /// Scores of the experts.
    Router,
    /// Gate and up of a routed expert.
    ExpertGateUp,
    /// Gate of a routed expert.
    ExpertGate,
    /// Up of a routed expert.
    ExpertUp,
    /// Down of a routed expert.
    ExpertDown,
    /// Gate and up of the shared experts.
    SharedGateUp,
    /// Gate of the shared experts.
    SharedGate,
    /// Up of the shared experts.
    SharedUp,
    /// Down of the shared experts.
    SharedDown,
    /// Logits over the vocabulary.
    LmHead,
}

impl Part {
    /// Name as configurations write it: `down_proj`.
    pub fn label(self) -> String {
        let name = match self {
            Self::Qkv => "qkv_proj",
            Self::Query => "q_proj",
            Self::Key => "k_proj",
            Self::Value => "v_proj",
            Self::QueryDown => "q_a_proj",
            Self::QueryUp => "q_b_proj",
            Self::KeyValueDown => "kv_a_proj",
            Self::KeyValueUp => "kv_b_proj",
            Self::QueryAbsorb => "q absorbed",
            Self::ValueAbsorb => "v absorbed",
            Self::Scores => "Q K^T",
            Self::Context => "P V",
            Self::AttentionOut => "o_proj",
            Self::GateUp | Self::ExpertGateUp | Self::SharedGateUp => "gate_up_proj",
            Self::Gate | Self::ExpertGate | Self::SharedGate => "gate_proj",
            Self::Up | Self::ExpertUp | Self::SharedUp => "up_proj",
            Self::Down | Self::ExpertDown | Self::SharedDown => "down_proj",
            Self::Router => "router",
            Self::LmHead => "lm_head",
        };
        match self {
            _ if self.is_routed() => format!("expert {name}"),
            _ if self.is_shared() => format!("shared {name}"),
            _ => name.to_owned(),
        }
    }

    /// Name for a sentence: `up projection`.
    pub fn words(self) -> String {
        let words = match self {
            Self::Qkv => "query, key and value projection",
            Self::Query => "query projection",
            Self::Key => "key projection",
            Self::Value => "value projection",
            Self::QueryDown => "query compression",
            Self::QueryUp => "query expansion",
            Self::KeyValueDown => "key and value compression",
            Self::KeyValueUp => "key and value expansion",
            Self::QueryAbsorb => "query through the key expansion",
            Self::ValueAbsorb => "result through the value expansion",
            Self::Scores => "attention scores Q K^T",
            Self::Context => "attention context P V",
            Self::AttentionOut => "attention output projection",
            Self::GateUp | Self::ExpertGateUp | Self::SharedGateUp => "gate and up projection",
            Self::Gate | Self::ExpertGate | Self::SharedGate => "gate projection",
            Self::Up | Self::ExpertUp | Self::SharedUp => "up projection",
            Self::Down | Self::ExpertDown | Self::SharedDown => "down projection",
            Self::Router => "expert router",
            Self::LmHead => "output projection to the vocabulary",
        };
        match self {
            _ if self.is_routed() => format!("{words} of an expert"),
            _ if self.is_shared() => format!("{words} of the shared experts"),
            _ => words.to_owned(),
        }
    }

    /// True for GEMMs that run once for every routed expert that has tokens.
    pub fn is_routed(self) -> bool {
        matches!(self, Self::ExpertGateUp | Self::ExpertGate | Self::ExpertUp | Self::ExpertDown)
    }

    /// True for GEMMs of the experts that every token goes through.
    fn is_shared(self) -> bool {
        matches!(self, Self::SharedGateUp | Self::SharedGate | Self::SharedUp | Self::SharedDown)
    }

    /// True for the products of attention, which have no weights.
    pub fn is_attention(self) -> bool {
        matches!(self, Self::Scores | Self::Context)
    }
}

/// The forward GEMM or one of its two gradients.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Pass {
    /// The forward GEMM.
    Forward,
    /// Gradient of the first operand, the input.
    InputGradient,
    /// Gradient of the second operand, the weight.
    WeightGradient,
}
