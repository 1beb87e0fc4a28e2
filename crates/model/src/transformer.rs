//! From a transformer's configuration to the GEMMs that one step of it runs.
//!
//! A linear layer is Y = X W^T: M = tokens of the step (batch x length in prefill, batch in
//! decode), N = outputs, K = inputs. The up projection has K = hidden and N = intermediate; the
//! down projection has them the other way round.
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
    /// Multi-head latent attention (DeepSeek-V2): one compressed vector a token is cached.
    Latent {
        /// Rank of the compressed queries, if they are compressed.
        q_rank: Option<u32>,
        /// Rank of the compressed keys and values.
        kv_rank: u32,
        /// Part of a query or key head without position.
        nope_dim: u32,
        /// Part with rotary position, shared by all heads in the cache.
        rope_dim: u32,
        /// Size of a value head.
        value_dim: u32,
    },
}

/// Routed experts, which replace the feed-forward of most layers.
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

/// The sizes of a transformer from which its GEMMs follow.
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

/// The positions that pass through the model in one step.
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
    /// All operands in one type, with the output that libraries write by default.
    pub fn uniform(dtype: DataType) -> Self {
        Self { activation: dtype, weight: dtype, output: dtype.default_output(), kv_cache: dtype }
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
    /// Number of devices that share every layer. The GEMMs are those of one device.
    pub tensor_parallel: u32,
    /// The backward pass too: two more GEMMs for each, and logits at every position.
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
    /// Times it runs in the step: once a layer.
    pub count: u64,
}

/// Why the GEMMs of a step cannot be listed.
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
    WorkloadError { field, message: message.into() }
}

impl Model {
    /// Checks that every size is above zero and that the heads can be divided.
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

    /// Every GEMM of one step on one of the devices, in the order of a layer; gradients after all
    /// forward ones.
    ///
    /// Attention is counted in full, as a kernel without masks would do it: a causal kernel does
    /// about half in prefill. Query heads that share a key head are rows of one product. The
    /// routed experts of a layer are one grouped GEMM, whose tokens choose among them evenly. Latent attention keeps its cache compressed in
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
