//! From a transformer's configuration to the GEMMs of one step.
//!
//! A linear layer is Y = X W^T: M = tokens of the step (batch x length in prefill, batch in decode), N = outputs, K =
//! inputs. The up projection has K = hidden and N = intermediate; the down projection has them swapped.
//!
//! ```
//! use gemmscope_model::transformer::{Workload, preset};
//! let llama = preset("llama-2-7b").ok_or("no preset")?;
//! let gemms = llama.gemms(&Workload::decode(8, 1024))?;
//! let qkv = &gemms[0];
//! assert_eq!((qkv.problem.m, qkv.problem.n, qkv.problem.k), (8, 12288, 4096));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use crate::dtype::DataType;
use crate::gemm::{Operation, Problem};
use crate::units::above_zero;
use serde::{Deserialize, Serialize};
use std::fmt;

mod config;
mod gemms;
mod parameters;
mod part;
mod presets;
mod totals;

pub use part::{LayerPart, Pass};
pub use presets::{preset, presets};
pub use totals::{GemmBest, StepTotals, TotalsError};

/// How keys and values are stored.
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
    /// Multi-head latent attention (DeepSeek-V2): one compressed vector per token is cached.
    Latent {
        /// Rank of the compressed queries, if they are compressed.
        q_rank: Option<u32>,
        /// Rank of the compressed keys and values.
        kv_rank: u32,
        /// Part of a query or key head without positional encoding.
        nope_dim: u32,
        /// Part with rotary position, shared by all heads in the cache.
        rope_dim: u32,
        /// Size of a value head.
        value_dim: u32,
    },
}

/// Routed experts, which replace the dense feed-forward in most layers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Experts {
    /// Routed experts per layer.
    pub count: u32,
    /// Experts per token (top-k).
    pub per_token: u32,
    /// Intermediate width of one expert.
    pub intermediate: u32,
    /// Shared experts, which every token goes through, of the same width.
    pub shared: u32,
    /// Leading layers that keep the dense feed-forward.
    pub dense_layers: u32,
}

/// The sizes of a transformer that determine its GEMMs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Model {
    /// Key for links: `llama-2-7b`.
    pub id: String,
    /// Name to show.
    pub name: String,
    /// Transformer blocks.
    pub layers: u32,
    /// Hidden size: width of the residual stream.
    pub hidden: u32,
    /// Query heads.
    pub heads: u32,
    /// Key and value heads and their sizes.
    pub attention: Attention,
    /// Intermediate width of the dense feed-forward.
    pub intermediate: u32,
    /// The feed-forward is gated: three matrices instead of two.
    pub gated: bool,
    /// Routed experts, if any.
    pub experts: Option<Experts>,
    /// Vocabulary size.
    pub vocab: u32,
    /// The output projection shares the embedding's weights.
    pub tied_embeddings: bool,
    /// True if there is an output projection to the vocabulary (false for a bare encoder).
    pub lm_head: bool,
    /// Learned vectors beside the token embedding: positions and segments.
    pub extra_embeddings: u32,
    /// The query, key and value projections add a bias.
    pub qkv_bias: bool,
    /// Every other linear layer adds a bias, and so do norms.
    pub bias: bool,
    /// Source of the sizes.
    pub source: String,
}

/// The positions that pass through the model in one step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// All prompt tokens of every sequence.
    Prefill,
    /// One new token per sequence.
    Decode,
}

/// Number formats of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Types {
    /// Activations: inputs of a GEMM.
    pub activation: DataType,
    /// Weights as stored.
    pub weight: DataType,
    /// Output of a GEMM.
    pub output: DataType,
    /// Cached keys and values.
    pub kv_cache: DataType,
}

impl Types {
    /// All operands in one type, with the default output type.
    pub fn uniform(dtype: DataType) -> Self {
        Self { activation: dtype, weight: dtype, output: dtype.default_output(), kv_cache: dtype }
    }
}

/// One step of a model: tokens, types and number of devices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Workload {
    /// Prefill or decode.
    pub phase: Phase,
    /// Sequences per step.
    pub batch: u32,
    /// Prompt length (prefill) or context length that each new token attends to (decode).
    pub length: u32,
    /// Number formats.
    pub types: Types,
    /// Tensor-parallel degree: devices that share every layer. The GEMMs are those of one device.
    pub tensor_parallel: u32,
    /// Include the backward pass: two more GEMMs for each, and logits at every position.
    pub backward: bool,
    /// Q, K and V as one GEMM.
    pub fuse_qkv: bool,
    /// Gate and up projection as one GEMM.
    pub fuse_gate_up: bool,
}

impl Workload {
    /// One new bf16 token for each of `batch` sequences with a context of `length` tokens.
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
        Self { phase: Phase::Prefill, ..Self::decode(batch, length) }
    }

    /// Tokens that pass through the layers in this step.
    pub fn tokens(&self) -> u64 {
        match self.phase {
            Phase::Prefill => u64::from(self.batch) * u64::from(self.length),
            Phase::Decode => u64::from(self.batch),
        }
    }
}

/// One GEMM of a step and how often it runs on one device.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModelGemm {
    /// Part of the layer.
    pub part: LayerPart,
    /// Forward or gradient.
    pub pass: Pass,
    /// The shape on one device.
    pub problem: Problem,
    /// Runs per step: layers x experts of this load.
    pub count: u64,
}

/// Why the GEMMs of a step cannot be listed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkloadError {
    /// The field at fault: `tensor_parallel`.
    pub field: &'static str,
    /// What is wrong with the value.
    pub message: String,
}

impl fmt::Display for WorkloadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.field, self.message)
    }
}

impl std::error::Error for WorkloadError {}

fn wrong(field: &'static str, message: impl Into<String>) -> WorkloadError {
    WorkloadError { field, message: message.into() }
}

impl Model {
    /// Checks that every size is above zero and that the heads divide evenly.
    ///
    /// # Errors
    /// Names the first wrong field.
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
            Attention::Latent { q_rank, kv_rank, nope_dim, rope_dim, value_dim } => {
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
                        format!("cannot choose {} of {} experts", experts.per_token, experts.count),
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
            return Err(wrong(field, above_zero(0)));
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

    /// Every GEMM of one step on one of the devices, in layer order; gradients after all forward GEMMs.
    ///
    /// Attention is counted in full, as a kernel without masks computes it: a causal kernel does about half in prefill.
    /// Query heads that share a key head are rows of one product. Routed tokens are spread evenly over the experts.
    /// Latent attention keeps its cache compressed in decode and expands it in prefill.
    ///
    /// # Errors
    /// [`WorkloadError`] with the field: a size of zero, heads or widths that do not divide by the devices, a size over
    /// 32 bits.
    pub fn gemms(&self, workload: &Workload) -> Result<Vec<ModelGemm>, WorkloadError> {
        self.validate()?;
        gemms::list(self, workload)
    }
}

/// Operation of a linear layer, weights stored N x K.
fn linear_op(types: &Types, bias: bool) -> Operation {
    Operation {
        bias,
        ..Operation::mixed(types.activation, types.weight, types.output).with_layout(false, true)
    }
}
