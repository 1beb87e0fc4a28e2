//! Lists the GEMMs of a step.

use super::{
    Attention, Experts, LayerPart, Model, ModelGemm, Pass, Phase, Workload, WorkloadError,
    linear_op, wrong,
};
use crate::gemm::{Groups, Operation, Problem};
use crate::units::above_zero;

/// Collects the forward GEMMs of one device.
struct List<'a> {
    model: &'a Model,
    workload: &'a Workload,
    shards: u64,
    gemms: Vec<ModelGemm>,
}

pub(super) fn list(model: &Model, workload: &Workload) -> Result<Vec<ModelGemm>, WorkloadError> {
    for (field, value) in [
        ("batch", workload.batch),
        ("length", workload.length),
        ("tensor_parallel", workload.tensor_parallel),
    ] {
        if value == 0 {
            return Err(wrong(field, above_zero(0)));
        }
    }
    let mut list =
        List { model, workload, shards: u64::from(workload.tensor_parallel), gemms: Vec::new() };
    list.attention()?;
    let dense = u64::from(model.dense_layers());
    if dense > 0 {
        let width = u64::from(model.intermediate);
        let parts = [LayerPart::GateUp, LayerPart::Gate, LayerPart::Up, LayerPart::Down];
        list.feed_forward(parts, workload.tokens(), width, None, dense)?;
    }
    if let Some(experts) = model.experts {
        list.experts(experts)?;
    }
    list.lm_head()?;
    let mut gemms = list.gemms;
    if workload.backward {
        let forward = gemms.clone();
        for gemm in forward.into_iter().rev() {
            let backward = gemm.problem.backward();
            for (pass, problem) in
                [(Pass::InputGradient, backward.dx), (Pass::WeightGradient, backward.dw)]
            {
                gemms.push(ModelGemm { pass, problem, ..gemm });
            }
        }
    }
    Ok(gemms)
}

impl List<'_> {
    fn size(value: u64, what: &'static str) -> Result<u32, WorkloadError> {
        u32::try_from(value).map_err(|_| wrong(what, format!("size {value} exceeds 32 bits")))
    }

    /// One device's part of a width.
    fn shard(&self, width: u64, what: &'static str) -> Result<u64, WorkloadError> {
        if width.is_multiple_of(self.shards) {
            Ok(width / self.shards)
        } else {
            Err(wrong(
                "tensor_parallel",
                format!("{} does not divide {width} ({what})", self.shards),
            ))
        }
    }

    fn push(
        &mut self,
        part: LayerPart,
        (m, n, k, batch): (u64, u64, u64, u64),
        op: Operation,
        count: u64,
    ) -> Result<(), WorkloadError> {
        let problem = Problem {
            m: Self::size(m, "length")?,
            n: Self::size(n, "hidden")?,
            k: Self::size(k, "hidden")?,
            batch: Self::size(batch, "batch")?,
            op,
        };
        self.gemms.push(ModelGemm { part, pass: Pass::Forward, problem, count });
        Ok(())
    }

    /// Y = X W^T in every one of `count` layers.
    fn linear(
        &mut self,
        part: LayerPart,
        tokens: u64,
        n: u64,
        k: u64,
        bias: bool,
        count: u64,
    ) -> Result<(), WorkloadError> {
        let op = linear_op(&self.workload.types, bias);
        self.push(part, (tokens, n, k, 1), op, count)
    }

    fn attention(&mut self) -> Result<(), WorkloadError> {
        match self.model.attention {
            Attention::Grouped { kv_heads, head_dim } => {
                self.grouped_attention(u64::from(kv_heads), u64::from(head_dim))
            }
            Attention::Latent { .. } => self.latent_attention(),
        }
    }

    /// New positions per sequence, and positions they attend to.
    fn positions(&self) -> (u64, u64) {
        let length = u64::from(self.workload.length);
        match self.workload.phase {
            Phase::Prefill => (length, length),
            Phase::Decode => (1, length),
        }
    }

    /// Operation of activations times cached keys (stored N x K) or values (stored K x N).
    fn cache_op(&self, keys: bool) -> Operation {
        let types = self.workload.types;
        Operation::mixed(types.activation, types.kv_cache, types.output).with_layout(false, keys)
    }

    fn grouped_attention(&mut self, kv_heads: u64, head_dim: u64) -> Result<(), WorkloadError> {
        let model = self.model;
        let tokens = self.workload.tokens();
        let layers = u64::from(model.layers);
        let hidden = u64::from(model.hidden);
        let all_heads = u64::from(model.heads);
        let group = all_heads / kv_heads;
        let heads = self.shard(all_heads, "query heads")?;
        let kv = self.shard(kv_heads, "key heads")?;
        let bias = model.qkv_bias;
        if self.workload.fuse_qkv {
            let n = (heads + 2 * kv).saturating_mul(head_dim);
            self.linear(LayerPart::Qkv, tokens, n, hidden, bias, layers)?;
        } else {
            for (part, count) in
                [(LayerPart::Query, heads), (LayerPart::Key, kv), (LayerPart::Value, kv)]
            {
                self.linear(part, tokens, count * head_dim, hidden, bias, layers)?;
            }
        }
        let (new, context) = self.positions();
        let products = u64::from(self.workload.batch) * kv;
        let rows = new * group;
        let (keys, values) = (self.cache_op(true), self.cache_op(false));
        self.push(LayerPart::Scores, (rows, context, head_dim, products), keys, layers)?;
        self.push(LayerPart::Context, (rows, head_dim, context, products), values, layers)?;
        let n = heads * head_dim;
        self.linear(LayerPart::AttentionOut, tokens, hidden, n, model.bias, layers)
    }

    fn latent_attention(&mut self) -> Result<(), WorkloadError> {
        let model = self.model;
        let Attention::Latent { q_rank, kv_rank, nope_dim, rope_dim, value_dim } = model.attention
        else {
            return Ok(());
        };
        let (kv_rank, nope) = (u64::from(kv_rank), u64::from(nope_dim));
        let (rope, value) = (u64::from(rope_dim), u64::from(value_dim));
        let tokens = self.workload.tokens();
        let layers = u64::from(model.layers);
        let hidden = u64::from(model.hidden);
        let batch = u64::from(self.workload.batch);
        let heads = self.shard(u64::from(model.heads), "query heads")?;
        let query = heads.saturating_mul(nope + rope);
        match q_rank {
            Some(rank) => {
                // Replicated on every device: it is small, and each needs the result.
                let rank = u64::from(rank);
                self.linear(LayerPart::QueryDown, tokens, rank, hidden, false, layers)?;
                self.linear(LayerPart::QueryUp, tokens, query, rank, false, layers)?;
            }
            None => self.linear(LayerPart::Query, tokens, query, hidden, false, layers)?,
        }
        let compressed = kv_rank + rope;
        self.linear(LayerPart::KeyValueDown, tokens, compressed, hidden, false, layers)?;
        let (new, context) = self.positions();
        let (keys, values) = (self.cache_op(true), self.cache_op(false));
        match self.workload.phase {
            Phase::Prefill => {
                let n = heads.saturating_mul(nope + value);
                self.linear(LayerPart::KeyValueUp, tokens, n, kv_rank, false, layers)?;
                let products = batch * heads;
                self.push(LayerPart::Scores, (new, context, nope + rope, products), keys, layers)?;
                self.push(LayerPart::Context, (new, value, context, products), values, layers)?;
            }
            Phase::Decode => {
                let op = linear_op(&self.workload.types, false);
                self.push(LayerPart::QueryAbsorb, (tokens, kv_rank, nope, heads), op, layers)?;
                let rows = new * heads;
                self.push(LayerPart::Scores, (rows, context, compressed, batch), keys, layers)?;
                self.push(LayerPart::Context, (rows, kv_rank, context, batch), values, layers)?;
                self.push(LayerPart::ValueAbsorb, (tokens, value, kv_rank, heads), op, layers)?;
            }
        }
        let k = heads * value;
        self.linear(LayerPart::AttentionOut, tokens, hidden, k, model.bias, layers)
    }

    /// `[gate and up, gate, up, down]` over `width`, `count` times; `rows` are divided among the groups, if any.
    fn feed_forward(
        &mut self,
        [gate_up, gate, up, down]: [LayerPart; 4],
        rows: u64,
        width: u64,
        groups: Option<Groups>,
        count: u64,
    ) -> Result<(), WorkloadError> {
        let hidden = u64::from(self.model.hidden);
        let width = self.shard(width, "feed-forward width")?;
        let op = Operation { groups, ..linear_op(&self.workload.types, self.model.bias) };
        let gated = (self.model.gated, self.workload.fuse_gate_up);
        let mut linear = |part, n, k| self.push(part, (rows, n, k, 1), op, count);
        match gated {
            (true, true) => linear(gate_up, width.saturating_mul(2), hidden)?,
            (true, false) => {
                linear(gate, width, hidden)?;
                linear(up, width, hidden)?;
            }
            (false, _) => linear(up, width, hidden)?,
        }
        linear(down, hidden, width)
    }

    fn experts(&mut self, experts: Experts) -> Result<(), WorkloadError> {
        let tokens = self.workload.tokens();
        let layers = u64::from(self.model.expert_layers());
        if layers == 0 {
            return Ok(());
        }
        let hidden = u64::from(self.model.hidden);
        let count = u64::from(experts.count);
        self.linear(LayerPart::Router, tokens, count, hidden, false, layers)?;
        let width = u64::from(experts.intermediate);
        if experts.shared > 0 {
            let parts = [
                LayerPart::SharedGateUp,
                LayerPart::SharedGate,
                LayerPart::SharedUp,
                LayerPart::SharedDown,
            ];
            let width = width.saturating_mul(u64::from(experts.shared));
            self.feed_forward(parts, tokens, width, None, layers)?;
        }
        let rows = tokens.saturating_mul(u64::from(experts.per_token));
        let parts = [
            LayerPart::ExpertGateUp,
            LayerPart::ExpertGate,
            LayerPart::ExpertUp,
            LayerPart::ExpertDown,
        ];
        let groups = Groups::uniform(experts.count, experts.per_token);
        self.feed_forward(parts, rows, width, Some(groups), layers)
    }

    fn lm_head(&mut self) -> Result<(), WorkloadError> {
        if !self.model.lm_head {
            return Ok(());
        }
        // Inference needs logits only for the last position of each sequence.
        let rows = if self.workload.backward {
            self.workload.tokens()
        } else {
            u64::from(self.workload.batch)
        };
        let vocab = self.shard(u64::from(self.model.vocab), "vocabulary")?;
        self.linear(LayerPart::LmHead, rows, vocab, u64::from(self.model.hidden), false, 1)
    }
}

#[cfg(test)]
mod tests;
