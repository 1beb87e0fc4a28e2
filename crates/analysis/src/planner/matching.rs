//! Finds the planned GEMM of a measured row: the two sizes of its weight identify a linear layer, whatever the number
//! of tokens.
//!
//! M and N may be swapped, and several devices may share the layer. If several parts have the same shape (gate and up,
//! or queries and output), a bias decides if only some of them have one; else all of them match.

use super::row_name;
use gemmscope_model::gemm::Problem;
use gemmscope_model::transformer::{Attention, LayerPart, Model, Pass, Types, Workload};
use rustc_hash::FxHashMap;

/// The part of a model that a measured GEMM is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Match {
    /// Parts of this shape, in layer order.
    pub parts: Vec<LayerPart>,
    /// Forward, or which gradient.
    pub pass: Pass,
    /// Number of tokens: batch x length in prefill, batch in decode.
    pub tokens: u64,
    /// True if M and N are swapped relative to Y = X W^T.
    pub transposed: bool,
    /// Number of devices that share the layer.
    pub tensor_parallel: u32,
}

impl Match {
    /// Names for a list: `gate_proj or up_proj`.
    pub fn name(&self) -> String {
        let names: Vec<String> = self.parts.iter().map(|part| row_name(*part, self.pass)).collect();
        names.join(" or ")
    }
}

#[derive(Clone, Copy, Debug)]
struct Candidate {
    part: LayerPart,
    bias: bool,
    tensor_parallel: u32,
}

/// Weight shapes of a model, for lookup.
#[derive(Clone, Debug)]
pub struct Index {
    /// (N, K) of Y = X W^T to the parts with this weight, fewest devices first.
    weights: FxHashMap<(u32, u32), Vec<Candidate>>,
    /// Rows of the routed experts a token.
    per_token: u32,
    heads: u32,
    kv_heads: u32,
    /// Head sizes of keys and values.
    head: Option<(u32, u32)>,
}

/// Tensor-parallel degrees to try.
const SHARDS: [u32; 5] = [1, 2, 4, 8, 16];

impl Index {
    /// Indexes a model on one device and shared by up to 16, fused and separate.
    pub fn new(model: &Model) -> Self {
        let mut weights: FxHashMap<(u32, u32), Vec<Candidate>> = FxHashMap::default();
        for tensor_parallel in SHARDS {
            for fused in [false, true] {
                for workload in [Workload::decode(1, 1), Workload::prefill(1, 1)] {
                    let workload = Workload {
                        tensor_parallel,
                        fuse_qkv: fused,
                        fuse_gate_up: fused,
                        types: Types::uniform(gemmscope_model::dtype::DataType::Bf16),
                        ..workload
                    };
                    let Ok(gemms) = model.gemms(&workload) else {
                        continue;
                    };
                    for gemm in gemms.iter().filter(|g| !g.part.is_attention()) {
                        // A batched GEMM is not a linear layer.
                        if gemm.problem.batch != 1 {
                            continue;
                        }
                        let list = weights.entry((gemm.problem.n, gemm.problem.k)).or_default();
                        if !list.iter().any(|c| c.part == gemm.part) {
                            list.push(Candidate {
                                part: gemm.part,
                                bias: gemm.problem.op.bias,
                                tensor_parallel,
                            });
                        }
                    }
                }
            }
        }
        let (kv_heads, head) = match model.attention {
            Attention::Grouped { kv_heads, head_dim } => (kv_heads, Some((head_dim, head_dim))),
            Attention::Latent { .. } => (model.heads, None),
        };
        let per_token = model.experts.map_or(1, |e| e.per_token.max(1));
        Index { weights, per_token, heads: model.heads, kv_heads, head }
    }

    fn weight(&self, n: u32, k: u32, bias: Option<bool>) -> Option<(Vec<LayerPart>, u32)> {
        let list = self.weights.get(&(n, k))?;
        // The smallest number of devices that explains the shape.
        let shards = list.iter().map(|c| c.tensor_parallel).min()?;
        let all: Vec<&Candidate> = list.iter().filter(|c| c.tensor_parallel == shards).collect();
        let same = |c: &&&Candidate| bias == Some(c.bias);
        let narrowed: Vec<&&Candidate> = all.iter().filter(same).collect();
        let parts = if narrowed.is_empty() {
            all.iter().map(|c| c.part).collect()
        } else {
            narrowed.iter().map(|c| c.part).collect()
        };
        Some((parts, shards))
    }

    fn attention(&self, p: &Problem) -> Option<Match> {
        let (key, value) = self.head?;
        let heads = [self.heads, self.kv_heads];
        let whole = |h: u32| h > 0 && p.batch.is_multiple_of(h);
        if p.batch < 2 || !heads.into_iter().any(whole) {
            return None;
        }
        let part = if p.k == key {
            LayerPart::Scores
        } else if p.n == value {
            LayerPart::Context
        } else {
            return None;
        };
        Some(Match {
            parts: vec![part],
            pass: Pass::Forward,
            tokens: u64::from(p.m),
            transposed: false,
            tensor_parallel: 1,
        })
    }

    /// The part of this model that a GEMM is; `None` if the model lacks it.
    pub fn find(&self, p: &Problem) -> Option<Match> {
        if p.batch != 1 {
            return self.attention(p);
        }
        let found = self.linear(p)?;
        if p.op.groups.is_none() {
            return Some(found);
        }
        let tokens = found.tokens.div_ceil(u64::from(self.per_token));
        found.parts.iter().all(|part| part.is_routed()).then_some(Match { tokens, ..found })
    }

    fn linear(&self, p: &Problem) -> Option<Match> {
        let bias = Some(p.op.bias);
        // Forward first, then gradients: (N, K, tokens, pass, bias, swapped).
        let readings = [
            (p.n, p.k, p.m, Pass::Forward, bias, false),
            (p.m, p.k, p.n, Pass::Forward, bias, true),
            (p.m, p.n, p.k, Pass::WeightGradient, None, false),
            (p.n, p.m, p.k, Pass::WeightGradient, None, true),
            (p.k, p.n, p.m, Pass::InputGradient, None, false),
            (p.k, p.m, p.n, Pass::InputGradient, None, true),
        ];
        let mut found: Option<Match> = None;
        for (n, k, tokens, pass, bias, transposed) in readings {
            let Some((parts, tensor_parallel)) = self.weight(n, k, bias) else {
                continue;
            };
            // The earlier match wins unless a later one needs fewer devices.
            if found.as_ref().is_some_and(|m| m.tensor_parallel <= tensor_parallel) {
                continue;
            }
            found =
                Some(Match { parts, pass, tokens: u64::from(tokens), transposed, tensor_parallel });
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gemmscope_model::dtype::DataType;
    use gemmscope_model::transformer::preset;

    fn find(model: &str, m: u32, n: u32, k: u32, bias: bool) -> Option<Match> {
        let mut p = Problem::new(m, n, k, DataType::Bf16);
        p.op.bias = bias;
        Index::new(preset(model).unwrap()).find(&p)
    }

    #[test]
    fn a_trace_of_qwen_reads_as_its_layers() {
        let up = find("qwen1.5-0.5b", 8944, 2816, 1024, false).unwrap();
        assert_eq!(up.parts, [LayerPart::Gate, LayerPart::Up]);
        let down = find("qwen1.5-0.5b", 8944, 1024, 2816, false).unwrap();
        assert_eq!(down.parts, [LayerPart::Down]);
        // The bias distinguishes queries, keys and values from the output projection.
        let qkv = find("qwen1.5-0.5b", 8944, 1024, 1024, true).unwrap();
        assert_eq!(qkv.parts, [LayerPart::Query, LayerPart::Key, LayerPart::Value]);
        let out = find("qwen1.5-0.5b", 8944, 1024, 1024, false).unwrap();
        assert_eq!(out.parts, [LayerPart::AttentionOut]);
        assert_eq!(find("qwen1.5-0.5b", 32, 559, 1, false), None);
    }

    #[test]
    fn up_to_transposition_and_shards() {
        let swapped = find("qwen1.5-0.5b", 2816, 8944, 1024, false).unwrap();
        assert!(swapped.transposed && swapped.tokens == 8944);
        let shared = find("llama-3-70b", 16, 28672 / 8, 8192, false).unwrap();
        assert_eq!(
            (shared.parts.as_slice(), shared.tensor_parallel),
            (&[LayerPart::Gate, LayerPart::Up][..], 8)
        );
        let row = find("llama-3-70b", 16, 8192, 28672 / 4, false).unwrap();
        assert_eq!((row.parts.as_slice(), row.tensor_parallel), (&[LayerPart::Down][..], 4));
        let dw = find("llama-3-8b", 14336, 4096, 2048, false).unwrap();
        assert_eq!((dw.pass, dw.tokens), (Pass::WeightGradient, 2048));
        let expert = find("mixtral-8x7b", 5, 14336, 4096, false).unwrap();
        assert_eq!(expert.parts, [LayerPart::ExpertGate, LayerPart::ExpertUp]);
        let mut grouped = Problem::new(10, 14336, 4096, DataType::Bf16);
        grouped.op.groups = Some(gemmscope_model::gemm::Groups::known(8, 5));
        let index = Index::new(preset("mixtral-8x7b").unwrap());
        let experts = index.find(&grouped).unwrap();
        assert_eq!((&experts.parts, experts.tokens), (&expert.parts, 5));
        // The same sizes as one product of a model without experts.
        assert_eq!(Index::new(preset("llama-3-8b").unwrap()).find(&grouped), None);
        assert_eq!(find("llama-2-7b", 8, 12288, 4096, false).unwrap().name(), "qkv_proj");
        let mut scores = Problem::new(1, 1024, 128, DataType::Bf16);
        scores.batch = 32 * 4;
        let index = Index::new(preset("llama-2-7b").unwrap());
        assert_eq!(index.find(&scores).unwrap().parts, [LayerPart::Scores]);
    }
}
