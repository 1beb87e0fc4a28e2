//! Parameter count of a model, and the bytes of weights and KV cache.

use super::{Attention, Experts, Model};
use crate::dtype::DataType;

impl Model {
    /// Weights of one attention block, matrices only.
    fn attention_weights(&self) -> f64 {
        let (hidden, heads) = (f64::from(self.hidden), f64::from(self.heads));
        match self.attention {
            Attention::Grouped { kv_heads, head_dim } => {
                let head_dim = f64::from(head_dim);
                hidden * head_dim * (2.0 * heads + 2.0 * f64::from(kv_heads))
            }
            Attention::Latent { q_rank, kv_rank, nope_dim, rope_dim, value_dim } => {
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

    /// Matrices per feed-forward: three if gated, else two.
    fn matrices(&self) -> f64 {
        if self.gated { 3.0 } else { 2.0 }
    }

    pub(super) fn expert_layers(&self) -> u32 {
        self.experts.map_or(0, |experts| self.layers.saturating_sub(experts.dense_layers))
    }

    pub(super) fn dense_layers(&self) -> u32 {
        self.layers - self.expert_layers()
    }

    /// Parameters in the matrices of all layers, counting `routed(experts)` experts in each expert layer.
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

    /// All parameters: embeddings, matrices, norms and biases. Excludes small vectors of some models (norms of queries
    /// and keys, router corrections).
    pub fn parameters(&self) -> f64 {
        let hidden = f64::from(self.hidden);
        let table = f64::from(self.vocab) * hidden;
        let head = if self.lm_head && !self.tied_embeddings { table } else { 0.0 };
        let norm = if self.bias { 2.0 * hidden } else { hidden };
        let norms = norm * (2.0 * f64::from(self.layers) + 1.0);
        let mut biases = 0.0;
        if let Attention::Grouped { kv_heads, head_dim } = self.attention
            && self.qkv_bias
        {
            biases += f64::from(head_dim) * (f64::from(self.heads) + 2.0 * f64::from(kv_heads));
        }
        if self.bias {
            // Biases of down and attention output, of up, and of the gate.
            biases += 2.0 * hidden + (self.matrices() - 1.0) * f64::from(self.intermediate);
        }
        table
            + head
            + f64::from(self.extra_embeddings) * hidden
            + norms
            + f64::from(self.layers) * biases
            + self.layer_matrix_parameters(|experts| f64::from(experts.count))
    }

    /// Parameters of the matrices that one token is multiplied with, output projection included: a forward pass does
    /// twice this much work per token, plus attention.
    pub fn active_matrix_parameters(&self) -> f64 {
        let head = if self.lm_head { f64::from(self.vocab) * f64::from(self.hidden) } else { 0.0 };
        head + self.layer_matrix_parameters(|experts| f64::from(experts.per_token))
    }

    /// Bytes of all weights in this type, block scales included, summed over all devices.
    pub(crate) fn weight_bytes(&self, dtype: DataType) -> f64 {
        self.parameters() * (dtype.bytes() + dtype.scale_bytes_per_element())
    }

    /// Bytes of KV cache per token and sequence, over all layers.
    ///
    /// Grouped: `2 layers kv_heads head_dim s`; latent: `layers (kv_rank + rope_dim) s`.
    pub(crate) fn kv_bytes_per_token(&self, dtype: DataType) -> f64 {
        let elements = match self.attention {
            Attention::Grouped { kv_heads, head_dim } => {
                2.0 * f64::from(kv_heads) * f64::from(head_dim)
            }
            Attention::Latent { kv_rank, rope_dim, .. } => f64::from(kv_rank) + f64::from(rope_dim),
        };
        f64::from(self.layers) * elements * dtype.bytes()
    }
}
