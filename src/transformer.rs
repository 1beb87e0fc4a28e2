//! From a transformer's configuration to the GEMMs that one step of it runs.
//!
//! A linear layer is Y = X W^T: M = tokens of the step (batch x length in prefill, batch in
//! decode), N = outputs, K = inputs. The up projection has K = hidden and N = intermediate; the
//! down projection has them the other way round.
//!
//! ```
//! use gemmscope::transformer::{Workload, preset};
//! let llama = preset("llama-2-7b").ok_or("no preset")?;
//! let gemms = llama.gemms(&Workload::decode(8, 1024))?;
//! let qkv = &gemms[0];
//! assert_eq!((qkv.problem.m, qkv.problem.n, qkv.problem.k), (8, 12288, 4096));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use crate::dtype::DataType;
use crate::gemm::{Operation, Problem};
use serde::{Deserialize, Serialize};
use std::fmt;

mod config;
mod gemms;
mod presets;
mod totals;

pub use config::ConfigError;
pub use presets::{preset, presets};
pub use totals::{GemmBest, StepTotals, TotalsError};

/// How keys and values are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Attention {
    /// Multi-head, grouped-query or multi-query: `kv_heads` pairs of heads are cached.
    Grouped {
        /// Key and value heads; equal to the query heads without grouping.
        kv_heads: u32,
        /// Size of a head.
        head_dim: u32,
    },
    /// Multi-head latent attention (DeepSeek-V2): one compressed vector a token is cached.
    Latent {
        /// Rank that queries are compressed to, if they are.
        q_rank: Option<u32>,
        /// Rank that keys and values are compressed to.
        kv_rank: u32,
        /// Part of a query or key head without position.
        nope_dim: u32,
        /// Part with rotary position, shared by all heads in the cache.
        rope_dim: u32,
        /// Size of a value head.
        value_dim: u32,
    },
}

/// Routed experts in place of the feed-forward of most layers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Experts {
    /// Routed experts of a layer.
    pub count: u32,
    /// Experts that each token goes to.
    pub per_token: u32,
    /// Width of one expert.
    pub intermediate: u32,
    /// Experts that every token goes to, of the same width.
    pub shared: u32,
    /// Layers at the start that keep the dense feed-forward.
    pub dense_layers: u32,
}

/// The sizes of a transformer that decide its GEMMs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Model {
    /// Key for links: `llama-2-7b`.
    pub id: String,
    /// Name to show.
    pub name: String,
    /// Blocks.
    pub layers: u32,
    /// Width of the residual stream.
    pub hidden: u32,
    /// Query heads.
    pub heads: u32,
    /// Keys, values and their sizes.
    pub attention: Attention,
    /// Width of the dense feed-forward.
    pub intermediate: u32,
    /// The feed-forward has a gate: three matrices instead of two.
    pub gated: bool,
    /// Routed experts, if any.
    pub experts: Option<Experts>,
    /// Tokens of the vocabulary.
    pub vocab: u32,
    /// The output projection shares the embedding's weights.
    pub tied_embeddings: bool,
    /// There is an output projection to the vocabulary (not in a bare encoder).
    pub lm_head: bool,
    /// Learned vectors beside the token embedding: positions and segments.
    pub extra_embeddings: u32,
    /// The query, key and value projections add a bias.
    pub qkv_bias: bool,
    /// Every other linear layer adds a bias, and norms have one.
    pub bias: bool,
    /// Where the sizes come from.
    pub source: String,
}

/// Which positions pass through the model at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// The whole prompt of every sequence.
    Prefill,
    /// One new token of every sequence.
    Decode,
}

/// Number formats of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Types {
    /// Activations that enter a GEMM.
    pub activation: DataType,
    /// Weights as stored.
    pub weight: DataType,
    /// What a GEMM writes.
    pub output: DataType,
    /// Cached keys and values.
    pub kv_cache: DataType,
}

impl Types {
    /// Everything in one type, with the output that libraries write by default.
    pub fn uniform(dtype: DataType) -> Self {
        Self {
            activation: dtype,
            weight: dtype,
            output: dtype.default_output(),
            kv_cache: dtype,
        }
    }

    /// Narrow weights under wider activations, such as 4-bit weights under bf16.
    pub fn weight_only(weight: DataType, activation: DataType) -> Self {
        Self {
            weight,
            ..Self::uniform(activation)
        }
    }
}

/// One step of a model: how many tokens, in what types, over how many devices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Workload {
    /// Prompt or single tokens.
    pub phase: Phase,
    /// Sequences at once.
    pub batch: u32,
    /// Prompt length (prefill) or tokens that each new one attends to (decode).
    pub length: u32,
    /// Number formats.
    pub types: Types,
    /// Devices that share every layer. The list is of one of them.
    pub tensor_parallel: u32,
    /// Two more GEMMs for each, for the gradients; logits at every position.
    pub backward: bool,
    /// Q, K and V as one GEMM.
    pub fuse_qkv: bool,
    /// Gate and up projection as one GEMM.
    pub fuse_gate_up: bool,
}

impl Workload {
    /// One new bf16 token for each of `batch` sequences, over `length` tokens of context.
    pub fn decode(batch: u32, length: u32) -> Self {
        Self {
            phase: Phase::Decode,
            batch,
            length,
            types: Types::uniform(DataType::Bf16),
            tensor_parallel: 1,
            backward: false,
            fuse_qkv: true,
            fuse_gate_up: false,
        }
    }

    /// `batch` bf16 prompts of `length` tokens.
    pub fn prefill(batch: u32, length: u32) -> Self {
        Self {
            phase: Phase::Prefill,
            ..Self::decode(batch, length)
        }
    }

    /// Forward and backward over `batch` bf16 sequences of `length` tokens.
    pub fn training(batch: u32, length: u32) -> Self {
        Self {
            backward: true,
            ..Self::prefill(batch, length)
        }
    }

    /// Tokens that pass through the layers in this step.
    pub fn tokens(&self) -> u64 {
        match self.phase {
            Phase::Prefill => u64::from(self.batch) * u64::from(self.length),
            Phase::Decode => u64::from(self.batch),
        }
    }
}

/// Which part of a layer a GEMM is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Part {
    /// Queries, keys and values in one.
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
    pub fn label(self) -> &'static str {
        match self {
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
            Self::GateUp => "gate_up_proj",
            Self::Gate => "gate_proj",
            Self::Up => "up_proj",
            Self::Down => "down_proj",
            Self::Router => "router",
            Self::ExpertGateUp => "expert gate_up_proj",
            Self::ExpertGate => "expert gate_proj",
            Self::ExpertUp => "expert up_proj",
            Self::ExpertDown => "expert down_proj",
            Self::SharedGateUp => "shared gate_up_proj",
            Self::SharedGate => "shared gate_proj",
            Self::SharedUp => "shared up_proj",
            Self::SharedDown => "shared down_proj",
            Self::LmHead => "lm_head",
        }
    }

    /// In words, for a sentence: `up projection`.
    pub fn words(self) -> &'static str {
        match self {
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
            Self::GateUp => "gate and up projection",
            Self::Gate => "gate projection",
            Self::Up => "up projection",
            Self::Down => "down projection",
            Self::Router => "expert router",
            Self::ExpertGateUp => "gate and up projection of an expert",
            Self::ExpertGate => "gate projection of an expert",
            Self::ExpertUp => "up projection of an expert",
            Self::ExpertDown => "down projection of an expert",
            Self::SharedGateUp => "gate and up projection of the shared experts",
            Self::SharedGate => "gate projection of the shared experts",
            Self::SharedUp => "up projection of the shared experts",
            Self::SharedDown => "down projection of the shared experts",
            Self::LmHead => "output projection to the vocabulary",
        }
    }

    /// Runs once for every routed expert that has tokens.
    pub fn is_routed(self) -> bool {
        matches!(
            self,
            Self::ExpertGateUp | Self::ExpertGate | Self::ExpertUp | Self::ExpertDown
        )
    }

    /// A product of two activations, without weights.
    pub fn is_attention(self) -> bool {
        matches!(self, Self::Scores | Self::Context)
    }
}

/// Forward, or which gradient.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Pass {
    /// The product itself.
    Forward,
    /// Gradient of the first operand, the input.
    InputGradient,
    /// Gradient of the second operand, the weight.
    WeightGradient,
}

/// One GEMM of a step and how often it runs on one device.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModelGemm {
    /// Part of the layer.
    pub part: Part,
    /// Forward or gradient.
    pub pass: Pass,
    /// The shape on one device.
    pub problem: Problem,
    /// Times it runs in the step: layers, times experts of this load.
    pub count: u64,
}

/// Why a step of a model cannot be listed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkloadError {
    /// The field at fault: `tensor_parallel`.
    pub field: &'static str,
    /// What is wrong with it.
    pub message: String,
}

impl fmt::Display for WorkloadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.field, self.message)
    }
}

impl std::error::Error for WorkloadError {}

fn wrong(field: &'static str, message: impl Into<String>) -> WorkloadError {
    WorkloadError {
        field,
        message: message.into(),
    }
}

impl Model {
    /// Checks that every size is above zero and that heads divide.
    ///
    /// # Errors
    /// The first field that is wrong, by name.
    pub fn validate(&self) -> Result<(), WorkloadError> {
        let mut sizes = vec![
            ("layers", self.layers),
            ("hidden", self.hidden),
            ("heads", self.heads),
            ("vocab", self.vocab),
        ];
        match self.attention {
            Attention::Grouped { kv_heads, head_dim } => {
                sizes.push(("kv_heads", kv_heads));
                sizes.push(("head_dim", head_dim));
            }
            Attention::Latent {
                q_rank,
                kv_rank,
                nope_dim,
                rope_dim,
                value_dim,
            } => {
                sizes.push(("q_rank", q_rank.unwrap_or(1)));
                sizes.push(("kv_rank", kv_rank));
                sizes.push(("nope_dim", nope_dim));
                sizes.push(("rope_dim", rope_dim));
                sizes.push(("value_dim", value_dim));
            }
        }
        match self.experts {
            None => sizes.push(("intermediate", self.intermediate)),
            Some(experts) => {
                sizes.push(("experts.count", experts.count));
                sizes.push(("experts.per_token", experts.per_token));
                sizes.push(("experts.intermediate", experts.intermediate));
                if experts.dense_layers > 0 {
                    sizes.push(("intermediate", self.intermediate));
                }
                if experts.per_token > experts.count {
                    return Err(wrong(
                        "experts.per_token",
                        format!(
                            "{} of {} experts cannot be chosen",
                            experts.per_token, experts.count
                        ),
                    ));
                }
                if experts.dense_layers > self.layers {
                    return Err(wrong(
                        "experts.dense_layers",
                        format!("{} of {} layers", experts.dense_layers, self.layers),
                    ));
                }
            }
        }
        if let Some((field, _)) = sizes.into_iter().find(|(_, size)| *size == 0) {
            return Err(wrong(field, "a number above zero expected, found 0"));
        }
        if let Attention::Grouped { kv_heads, .. } = self.attention
            && !self.heads.is_multiple_of(kv_heads)
        {
            return Err(wrong(
                "kv_heads",
                format!("{kv_heads} does not divide the {} query heads", self.heads),
            ));
        }
        Ok(())
    }

    /// Weights of one attention block: matrices only.
    fn attention_weights(&self) -> f64 {
        let (hidden, heads) = (f64::from(self.hidden), f64::from(self.heads));
        match self.attention {
            Attention::Grouped { kv_heads, head_dim } => {
                let head_dim = f64::from(head_dim);
                hidden * head_dim * (2.0 * heads + 2.0 * f64::from(kv_heads))
            }
            Attention::Latent {
                q_rank,
                kv_rank,
                nope_dim,
                rope_dim,
                value_dim,
            } => {
                let (kv_rank, nope, rope, value) = (
                    f64::from(kv_rank),
                    f64::from(nope_dim),
                    f64::from(rope_dim),
                    f64::from(value_dim),
                );
                let query = match q_rank {
                    Some(rank) => f64::from(rank) * (hidden + heads * (nope + rope)),
                    None => hidden * heads * (nope + rope),
                };
                query
                    + hidden * (kv_rank + rope)
                    + kv_rank * heads * (nope + value)
                    + heads * value * hidden
            }
        }
    }

    /// Matrices of a feed-forward: three with a gate.
    fn matrices(&self) -> f64 {
        if self.gated { 3.0 } else { 2.0 }
    }

    fn expert_layers(&self) -> u32 {
        self.experts.map_or(0, |experts| {
            self.layers.saturating_sub(experts.dense_layers)
        })
    }

    fn dense_layers(&self) -> u32 {
        self.layers - self.expert_layers()
    }

    /// Parameters in all layers' matrices, with `experts` routed experts of each counted.
    fn layer_matrix_parameters(&self, routed: impl Fn(Experts) -> f64) -> f64 {
        let hidden = f64::from(self.hidden);
        let dense = hidden * f64::from(self.intermediate) * self.matrices();
        let sparse = self.experts.map_or(0.0, |experts| {
            let one = hidden * f64::from(experts.intermediate) * self.matrices();
            one * (routed(experts) + f64::from(experts.shared)) + hidden * f64::from(experts.count)
        });
        f64::from(self.layers) * self.attention_weights()
            + f64::from(self.dense_layers()) * dense
            + f64::from(self.expert_layers()) * sparse
    }

    /// All parameters: embeddings, matrices, norms and biases. Small vectors that only some models
    /// have (norms of queries and keys, router corrections) are left out.
    pub fn parameters(&self) -> f64 {
        let hidden = f64::from(self.hidden);
        let table = f64::from(self.vocab) * hidden;
        let head = if self.lm_head && !self.tied_embeddings {
            table
        } else {
            0.0
        };
        let norm = if self.bias { 2.0 * hidden } else { hidden };
        let norms = norm * (2.0 * f64::from(self.layers) + 1.0);
        let mut biases = 0.0;
        if let Attention::Grouped { kv_heads, head_dim } = self.attention
            && self.qkv_bias
        {
            biases += f64::from(head_dim) * (f64::from(self.heads) + 2.0 * f64::from(kv_heads));
        }
        if self.bias {
            // Down and attention output, up, and the gate.
            biases += 2.0 * hidden + (self.matrices() - 1.0) * f64::from(self.intermediate);
        }
        table
            + head
            + f64::from(self.extra_embeddings) * hidden
            + norms
            + f64::from(self.layers) * biases
            + self.layer_matrix_parameters(|experts| f64::from(experts.count))
    }

    /// Parameters in the matrices that one token is multiplied with, the output projection
    /// included: a forward pass does twice this much work a token, and attention on top.
    pub fn active_matrix_parameters(&self) -> f64 {
        let head = if self.lm_head {
            f64::from(self.vocab) * f64::from(self.hidden)
        } else {
            0.0
        };
        head + self.layer_matrix_parameters(|experts| f64::from(experts.per_token))
    }

    /// Bytes of all weights in this type, block scales included, over all devices.
    pub fn weight_bytes(&self, dtype: DataType) -> f64 {
        self.parameters() * (dtype.bytes() + dtype.scale_bytes_per_element())
    }

    /// Bytes of cache that one token of one sequence needs in all layers.
    ///
    /// Grouped: `2 layers kv_heads head_dim s`; latent: `layers (kv_rank + rope_dim) s`.
    pub fn kv_bytes_per_token(&self, dtype: DataType) -> f64 {
        let elements = match self.attention {
            Attention::Grouped { kv_heads, head_dim } => {
                2.0 * f64::from(kv_heads) * f64::from(head_dim)
            }
            Attention::Latent {
                kv_rank, rope_dim, ..
            } => f64::from(kv_rank) + f64::from(rope_dim),
        };
        f64::from(self.layers) * elements * dtype.bytes()
    }

    /// Every GEMM of one step on one of the devices, in the order of a layer; gradients after all
    /// forward ones.
    ///
    /// Attention is counted in full, as a kernel without masks would do it: a causal kernel does
    /// about half in prefill. Query heads that share a key head are rows of one product. Routed
    /// tokens are spread evenly over the experts. Latent attention keeps its cache compressed in
    /// decode and expands it in prefill.
    ///
    /// # Errors
    /// A [`WorkloadError`] that names the field: a size of zero, heads or widths that the devices
    /// cannot share, a size past 32 bits.
    pub fn gemms(&self, workload: &Workload) -> Result<Vec<ModelGemm>, WorkloadError> {
        self.validate()?;
        gemms::list(self, workload)
    }
}

/// A linear layer's operation: weights stored N x K.
fn linear_op(types: &Types, bias: bool) -> Operation {
    Operation {
        bias,
        ..Operation::mixed(types.activation, types.weight, types.output).with_layout(false, true)
    }
}
