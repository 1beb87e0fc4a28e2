//! The sizes of a model that can be changed.

use gemmscope_model::transformer::{Attention, Experts, Model};

/// One size of a model that can be changed.
#[derive(Clone, Copy)]
pub struct ModelField {
    /// Key in links.
    pub key: &'static str,
    /// Caption.
    pub label: &'static str,
    /// One sentence for a newcomer.
    pub hint: &'static str,
    /// The value of a model; `None` if it has no such size.
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

/// The sizes that can be changed, in the order of the form.
pub(crate) const FIELDS: [ModelField; 10] = [
    ModelField {
        key: "plan.layers",
        label: "Layers",
        hint: "Transformer blocks.",
        get: |m| Some(m.layers),
        set: |m, v| m.layers = v,
    },
    ModelField {
        key: "plan.hidden",
        label: "d_model",
        hint: "Width of the residual stream: K of the up projection, N of the down projection.",
        get: |m| Some(m.hidden),
        set: |m, v| m.hidden = v,
    },
    ModelField {
        key: "plan.ff",
        label: "d_ff",
        hint: "Feed-forward width: N of the up projection, K of the down projection.",
        get: |m| Some(m.intermediate),
        set: |m, v| m.intermediate = v,
    },
    ModelField {
        key: "plan.heads",
        label: "Heads",
        hint: "Query heads.",
        get: |m| Some(m.heads),
        set: |m, v| m.heads = v,
    },
    ModelField {
        key: "plan.kv",
        label: "KV heads",
        hint: "Key and value heads; fewer than query heads is grouped-query attention.",
        get: |m| grouped(m).map(|g| g.0),
        set: |m, v| group(m, |kv_heads, _| *kv_heads = v),
    },
    ModelField {
        key: "plan.head",
        label: "Head size",
        hint: "Elements per head.",
        get: |m| grouped(m).map(|g| g.1),
        set: |m, v| group(m, |_, head_dim| *head_dim = v),
    },
    ModelField {
        key: "plan.vocab",
        label: "Vocabulary",
        hint: "Vocabulary size: N of the output projection.",
        get: |m| Some(m.vocab),
        set: |m, v| m.vocab = v,
    },
    ModelField {
        key: "plan.experts",
        label: "Experts",
        hint: "Routed experts per layer; 0 for none.",
        get: |m| Some(m.experts.map_or(0, |e| e.count)),
        set: |m, v| expert(m, |e| e.count = v),
    },
    ModelField {
        key: "plan.topk",
        label: "Top-k",
        hint: "Experts per token.",
        get: |m| m.experts.map(|e| e.per_token),
        set: |m, v| expert(m, |e| e.per_token = v),
    },
    ModelField {
        key: "plan.expert_ff",
        label: "Expert d_ff",
        hint: "Width of one expert.",
        get: |m| m.experts.map(|e| e.intermediate),
        set: |m, v| expert(m, |e| e.intermediate = v),
    },
];

impl ModelField {
    /// Largest value of a size.
    pub(crate) const LARGEST: u32 = 1 << 24;
}

impl std::fmt::Debug for ModelField {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ModelField").field("key", &self.key).finish()
    }
}
