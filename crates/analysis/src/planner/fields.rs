//! Model sizes that can be changed.

use gemmscope_model::transformer::{Attention, Experts, Model};

/// A model size that can be changed.
#[derive(Clone, Copy)]
pub struct ModelField {
    /// Key in links.
    pub key: &'static str,
    /// Caption.
    pub label: &'static str,
    /// One sentence for newcomers.
    pub hint: &'static str,
    /// Value in a model; `None` if it has no such size.
    pub get: fn(&Model) -> Option<u32>,
    pub(super) set: fn(&mut Model, u32),
}

fn expert(model: &mut Model, change: impl FnOnce(&mut Experts)) {
    let mut experts = model.experts.unwrap_or(Experts {
        count: 0,
        per_token: 2,
        intermediate: model.intermediate,
        shared: 0,
        dense_layers: 0,
    });
    change(&mut experts);
    experts.per_token = experts.per_token.min(experts.count.max(1));
    // Without experts the layers are dense.
    model.experts = (experts.count > 0).then_some(experts);
}

/// Number of key and value heads and the size of one; `None` for latent attention.
fn grouped(model: &Model) -> Option<(u32, u32)> {
    match model.attention {
        Attention::Grouped { kv_heads, head_dim } => Some((kv_heads, head_dim)),
        Attention::Latent { .. } => None,
    }
}

fn group(model: &mut Model, change: impl FnOnce(&mut u32, &mut u32)) {
    if let Attention::Grouped { kv_heads, head_dim } = &mut model.attention {
        change(kv_heads, head_dim);
    }
}

const fn field(
    key: &'static str,
    label: &'static str,
    hint: &'static str,
    get: fn(&Model) -> Option<u32>,
    set: fn(&mut Model, u32),
) -> ModelField {
    ModelField { key, label, hint, get, set }
}

/// Sizes that can be changed, in the order of the form.
#[rustfmt::skip]
pub(crate) const FIELDS: [ModelField; 10] = [
    field("plan.layers", "Layers", "",
        |m| Some(m.layers), |m, v| m.layers = v),
    field("plan.hidden", "d_model", "Width of the residual stream: K of the up projection, N of the down projection.",
        |m| Some(m.hidden), |m, v| m.hidden = v),
    field("plan.ff", "d_ff", "Feed-forward width: N of the up projection, K of the down projection.",
        |m| Some(m.intermediate), |m, v| m.intermediate = v),
    field("plan.heads", "Heads", "Query heads.",
        |m| Some(m.heads), |m, v| m.heads = v),
    field("plan.kv", "KV heads", "Key and value heads; fewer than query heads is grouped-query attention.",
        |m| grouped(m).map(|g| g.0), |m, v| group(m, |kv_heads, _| *kv_heads = v)),
    field("plan.head", "Head size", "",
        |m| grouped(m).map(|g| g.1), |m, v| group(m, |_, head_dim| *head_dim = v)),
    field("plan.vocab", "Vocabulary", "Vocabulary size: N of the output projection.",
        |m| Some(m.vocab), |m, v| m.vocab = v),
    field("plan.experts", "Experts", "Routed experts per layer; 0 for none.",
        |m| Some(m.experts.map_or(0, |e| e.count)), |m, v| expert(m, |e| e.count = v)),
    field("plan.topk", "Top-k", "Experts per token.",
        |m| m.experts.map(|e| e.per_token), |m, v| expert(m, |e| e.per_token = v)),
    field("plan.expert_ff", "Expert d_ff", "",
        |m| m.experts.map(|e| e.intermediate), |m, v| expert(m, |e| e.intermediate = v)),
];

impl ModelField {
    /// Maximum of a size.
    pub(crate) const LARGEST: u32 = 1 << 24;
}

impl std::fmt::Debug for ModelField {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ModelField").field("key", &self.key).finish()
    }
}
