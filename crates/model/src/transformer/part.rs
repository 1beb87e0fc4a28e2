//! Names of a layer's GEMMs.

use serde::{Deserialize, Serialize};

crate::named! {
/// Which part of a layer a GEMM is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LayerPart {
    /// Queries, keys and values in one GEMM.
    Qkv = "qkv_proj", "query, key and value projection";
    /// Queries alone.
    Query = "q_proj", "query projection";
    /// Keys alone.
    Key = "k_proj", "key projection";
    /// Values alone.
    Value = "v_proj", "value projection";
    /// Down projection of the queries to their compressed form.
    QueryDown = "q_a_proj", "query compression";
    /// Up projection of the compressed queries to heads.
    QueryUp = "q_b_proj", "query expansion";
    /// Down projection of keys and values to their compressed form.
    KeyValueDown = "kv_a_proj", "key and value compression";
    /// Up projection of compressed keys and values to heads.
    KeyValueUp = "kv_b_proj", "key and value expansion";
    /// Queries times the key up projection, so that the cache stays compressed.
    QueryAbsorb = "q absorbed", "query through the key expansion";
    /// Compressed attention output times the value up projection.
    ValueAbsorb = "v absorbed", "result through the value expansion";
    /// Q K^T, one per sequence and key head.
    Scores = "Q K^T", "attention scores Q K^T";
    /// P V, one per sequence and value head.
    Context = "P V", "attention context P V";
    /// Output projection: heads back to the residual stream.
    AttentionOut = "o_proj", "attention output projection";
    /// Gate and up projection in one.
    GateUp = "gate_up_proj", "gate and up projection";
    /// Gate projection.
    Gate = "gate_proj", "gate projection";
    /// Up projection.
    Up = "up_proj", "up projection";
    /// Down projection.
    Down = "down_proj", "down projection";
    /// Expert scores of the router.
    Router = "router", "expert router";
    /// Gate and up of a routed expert.
    ExpertGateUp = "gate_up_proj", "gate and up projection";
    /// Gate of a routed expert.
    ExpertGate = "gate_proj", "gate projection";
    /// Up of a routed expert.
    ExpertUp = "up_proj", "up projection";
    /// Down of a routed expert.
    ExpertDown = "down_proj", "down projection";
    /// Gate and up of the shared experts.
    SharedGateUp = "gate_up_proj", "gate and up projection";
    /// Gate of the shared experts.
    SharedGate = "gate_proj", "gate projection";
    /// Up of the shared experts.
    SharedUp = "up_proj", "up projection";
    /// Down of the shared experts.
    SharedDown = "down_proj", "down projection";
    /// Logits over the vocabulary.
    LmHead = "lm_head", "output projection to the vocabulary";
}
/// Name as configurations write it: `down_proj`.
fn name -> &'static str;
/// Name for a sentence: `up projection`.
fn plain -> &'static str;
}

impl LayerPart {
    /// Name as configurations write it: `down_proj`, `expert down_proj`.
    pub fn label(self) -> String {
        let name = self.name();
        match self {
            _ if self.is_routed() => format!("expert {name}"),
            _ if self.is_shared() => format!("shared {name}"),
            _ => name.to_owned(),
        }
    }

    /// Name for a sentence: `up projection`.
    pub fn words(self) -> String {
        let words = self.plain();
        match self {
            _ if self.is_routed() => format!("{words} of an expert"),
            _ if self.is_shared() => format!("{words} of the shared experts"),
            _ => words.to_owned(),
        }
    }

    /// True for GEMMs that run once per routed expert with tokens.
    pub fn is_routed(self) -> bool {
        matches!(self, Self::ExpertGateUp | Self::ExpertGate | Self::ExpertUp | Self::ExpertDown)
    }

    /// True for GEMMs of the shared experts.
    fn is_shared(self) -> bool {
        matches!(self, Self::SharedGateUp | Self::SharedGate | Self::SharedUp | Self::SharedDown)
    }

    /// True for Q K^T and P V, which have no weights.
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
