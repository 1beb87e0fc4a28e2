//! Shapes, and that totals match the parameter count.

use super::super::{LayerPart, ModelGemm, Pass, Types, Workload, preset, presets};
use super::*;
use crate::dtype::DataType;
use proptest::prelude::*;

fn work(gemms: &[ModelGemm], keep: impl Fn(&ModelGemm) -> bool) -> f64 {
    gemms
        .iter()
        .filter(|gemm| keep(gemm))
        .map(|gemm| gemm.problem.work().0 * gemm.count as f64)
        .sum()
}

fn shape(gemms: &[ModelGemm], part: LayerPart) -> (u32, u32, u32, u32, u64) {
    let gemm = gemms.iter().find(|gemm| gemm.part == part).unwrap();
    let problem = gemm.problem;
    (problem.m, problem.n, problem.k, problem.batch, gemm.count)
}

#[test]
fn the_four_shapes_of_llama_2_7b() {
    // [N, K]: [12288, 4096], [4096, 4096], [11008, 4096], [4096, 11008].
    let gemms = preset("llama-2-7b").unwrap().gemms(&Workload::decode(8, 2048)).unwrap();
    assert_eq!(shape(&gemms, LayerPart::Qkv), (8, 12288, 4096, 1, 32));
    assert_eq!(shape(&gemms, LayerPart::AttentionOut), (8, 4096, 4096, 1, 32));
    assert_eq!(shape(&gemms, LayerPart::Gate), (8, 11008, 4096, 1, 32));
    assert_eq!(shape(&gemms, LayerPart::Up), (8, 11008, 4096, 1, 32));
    assert_eq!(shape(&gemms, LayerPart::Down), (8, 4096, 11008, 1, 32));
    assert_eq!(shape(&gemms, LayerPart::Scores), (1, 2048, 128, 8 * 32, 32));
    assert_eq!(shape(&gemms, LayerPart::Context), (1, 128, 2048, 8 * 32, 32));
    assert_eq!(shape(&gemms, LayerPart::LmHead), (8, 32000, 4096, 1, 1));
    assert!(gemms.iter().all(|gemm| gemm.pass == Pass::Forward));
    assert_eq!(gemms[0].problem.op.layout(), "NT");
}

#[test]
fn prefill_has_all_positions_and_decode_none_of_the_length() {
    let model = preset("llama-3-8b").unwrap();
    let prefill = model.gemms(&Workload::prefill(2, 512)).unwrap();
    assert_eq!(shape(&prefill, LayerPart::Qkv), (1024, 6144, 4096, 1, 32));
    // Four query heads share a key head.
    assert_eq!(shape(&prefill, LayerPart::Scores), (2048, 512, 128, 16, 32));
    assert_eq!(shape(&prefill, LayerPart::LmHead).0, 2);
    let decode = |length| {
        let gemms = model.gemms(&Workload::decode(2, length)).unwrap();
        work(&gemms, |gemm| !gemm.part.is_attention())
    };
    assert_eq!(decode(16), decode(4096));
}

#[test]
fn fusion_changes_the_list_and_not_the_work() {
    let model = preset("llama-2-13b").unwrap();
    let fused = Workload { fuse_gate_up: true, ..Workload::prefill(1, 128) };
    let apart = Workload { fuse_qkv: false, fuse_gate_up: false, ..fused };
    let (fused, apart) = (model.gemms(&fused).unwrap(), model.gemms(&apart).unwrap());
    assert_eq!(fused.len() + 3, apart.len());
    assert_eq!(work(&fused, |_| true), work(&apart, |_| true));
    assert_eq!(shape(&fused, LayerPart::GateUp).1, 2 * 13824);
}

#[test]
fn experts_share_the_tokens() {
    let model = preset("mixtral-8x7b").unwrap();
    let gemms = model.gemms(&Workload::decode(1, 16)).unwrap();
    // One token goes to two of eight experts, in one grouped GEMM a layer.
    assert_eq!(shape(&gemms, LayerPart::ExpertUp), (2, 14336, 4096, 1, 32));
    assert_eq!(shape(&gemms, LayerPart::Router), (1, 8, 4096, 1, 32));
    // 20 tokens over 8 experts: four get three, four get two.
    let gemms = model.gemms(&Workload::decode(10, 16)).unwrap();
    let down = gemms.iter().find(|gemm| gemm.part == LayerPart::ExpertDown).unwrap();
    assert_eq!((down.problem.m, down.count), (20, 32));
    // 8 (1 - (6/8)^10) of them have a token.
    assert!((down.problem.active().unwrap() - 7.549_49).abs() < 1e-5);
    assert!(gemms.iter().all(|gemm| gemm.part != LayerPart::Up));
}

#[test]
fn latent_attention_stays_compressed_in_decode() {
    let model = preset("deepseek-v3").unwrap();
    let decode = model.gemms(&Workload::decode(4, 1024)).unwrap();
    assert_eq!(shape(&decode, LayerPart::Scores), (128, 1024, 576, 4, 61));
    assert_eq!(shape(&decode, LayerPart::QueryAbsorb), (4, 512, 128, 128, 61));
    let prefill = model.gemms(&Workload::prefill(4, 1024)).unwrap();
    assert_eq!(shape(&prefill, LayerPart::Scores), (1024, 1024, 192, 512, 61));
    assert_eq!(shape(&prefill, LayerPart::KeyValueUp), (4096, 32768, 512, 1, 61));
    assert_eq!(shape(&prefill, LayerPart::Down).4, 3);
    assert_eq!(shape(&prefill, LayerPart::SharedDown).4, 58);
}

#[test]
fn gradients_are_two_more_of_each() {
    let model = preset("llama-2-7b").unwrap();
    let training = Workload { backward: true, ..Workload::prefill(2, 64) };
    let gemms = model.gemms(&training).unwrap();
    let forward = work(&gemms, |gemm| gemm.pass == Pass::Forward);
    let backward = work(&gemms, |gemm| gemm.pass != Pass::Forward);
    assert!((backward / forward - 2.0).abs() < 1e-12);
    assert_eq!(shape(&gemms, LayerPart::LmHead).0, 128);
    let weight = gemms
        .iter()
        .find(|gemm| gemm.part == LayerPart::Down && gemm.pass == Pass::WeightGradient)
        .unwrap();
    // dW is (N, K, M) of the forward (128, 4096, 11008).
    let problem = weight.problem;
    assert_eq!((problem.m, problem.n, problem.k), (4096, 11008, 128));
}

#[test]
fn narrow_types_reach_every_operand() {
    let model = preset("llama-3-8b").unwrap();
    let workload = Workload {
        types: Types {
            kv_cache: DataType::Fp8E4m3,
            weight: DataType::Int4,
            ..Types::uniform(DataType::Bf16)
        },
        ..Workload::decode(1, 64)
    };
    for gemm in model.gemms(&workload).unwrap() {
        let op = gemm.problem.op;
        let second = if gemm.part.is_attention() { DataType::Fp8E4m3 } else { DataType::Int4 };
        assert_eq!((op.a, op.b, op.c), (DataType::Bf16, second, DataType::Bf16));
        assert_eq!(op.compute, DataType::Bf16);
    }
}

#[test]
fn errors_name_the_field() {
    let model = preset("llama-3-8b").unwrap();
    let message = |workload: Workload| model.gemms(&workload).unwrap_err().to_string();
    assert_eq!(message(Workload::decode(0, 1)), "batch: expected a number above zero, found 0");
    assert_eq!(
        message(Workload { tensor_parallel: 16, ..Workload::decode(1, 1) }),
        "tensor_parallel: 16 does not divide 8 (key heads)"
    );
    assert_eq!(
        message(Workload::prefill(1 << 20, 1 << 20)),
        "length: size 1099511627776 exceeds 32 bits"
    );
}

proptest! {
    #[test]
    fn work_is_twice_the_parameters_a_token_and_attention(
        index in 0..presets().len(), batch in 1u32..40, length in 1u32..300, prefill: bool,
    ) {
        let model = &presets()[index];
        let workload = if prefill {
            Workload::prefill(batch, length)
        } else {
            Workload::decode(batch, length)
        };
        // Biases add their own work.
        let model = Model { bias: false, qkv_bias: false, ..model.clone() };
        let gemms = model.gemms(&workload).unwrap();
        let found = work(&gemms, |gemm| !gemm.part.is_attention());
        let tokens = workload.tokens() as f64;
        let head = if model.lm_head {
            2.0 * f64::from(model.vocab) * f64::from(model.hidden)
        } else {
            0.0
        };
        let layers = 2.0 * tokens * model.active_matrix_parameters() - tokens * head;
        let expected = layers + f64::from(batch) * head;
        prop_assert!((found / expected - 1.0).abs() < 1e-9, "{}: {found} {expected}", model.id);
        // Attention: 2 x tokens x context x heads x (key size + value size) per layer.
        let (key, value) = match (model.attention, workload.phase) {
            (Attention::Grouped { head_dim, .. }, _) => (head_dim, head_dim),
            (Attention::Latent { nope_dim, rope_dim, value_dim, .. }, Phase::Prefill) => {
                (nope_dim + rope_dim, value_dim)
            }
            (Attention::Latent { kv_rank, rope_dim, .. }, Phase::Decode) => {
                (kv_rank + rope_dim, kv_rank)
            }
        };
        let expected = 2.0 * tokens * f64::from(length) * f64::from(model.heads)
            * f64::from(key + value) * f64::from(model.layers);
        let found = work(&gemms, |gemm| gemm.part.is_attention());
        prop_assert!((found / expected - 1.0).abs() < 1e-9);
    }

    #[test]
    fn sharing_keeps_the_work(index in 0..presets().len(), shards in 1u32..9, batch in 1u32..9) {
        let whole = Workload { backward: true, ..Workload::prefill(batch, 32) };
        let shared = Workload { tensor_parallel: shards, ..whole };
        let model = Model { bias: false, qkv_bias: false, ..presets()[index].clone() };
        // Replicated GEMMs are not divided by the devices.
        let is_shared = |gemm: &ModelGemm| {
            !matches!(gemm.part, LayerPart::Router | LayerPart::QueryDown | LayerPart::KeyValueDown)
        };
        if let Ok(gemms) = model.gemms(&shared) {
            let one = work(&gemms, is_shared);
            let all = work(&model.gemms(&whole).unwrap(), is_shared);
            prop_assert!((one * f64::from(shards) / all - 1.0).abs() < 1e-9);
        }
    }
}
