//! Well-known models, each from its published configuration.

use super::{Attention, Experts, Model};
use std::sync::LazyLock;

static PRESETS: LazyLock<Vec<Model>> = LazyLock::new(build);

/// Every preset, by family.
pub fn presets() -> &'static [Model] {
    &PRESETS
}

/// The preset with this id: `llama-2-7b`.
pub fn preset(id: &str) -> Option<&'static Model> {
    presets().iter().find(|model| model.id == id)
}

/// A Llama-style decoder: grouped-query attention, gated feed-forward, no biases.
fn llama(
    (id, name, repository): (&str, &str, &str),
    [layers, hidden, heads, kv_heads, intermediate, vocab]: [u32; 6],
) -> Model {
    Model {
        id: id.to_owned(),
        name: name.to_owned(),
        layers,
        hidden,
        heads,
        attention: Attention::Grouped { kv_heads, head_dim: hidden / heads },
        intermediate,
        gated: true,
        experts: None,
        vocab,
        tied_embeddings: false,
        lm_head: true,
        extra_embeddings: 0,
        qkv_bias: false,
        bias: false,
        source: format!("config.json of {repository} on Hugging Face"),
    }
}

/// Long because it is a table with one entry per model.
fn build() -> Vec<Model> {
    vec![
        llama(
            ("llama-2-7b", "Llama 2 7B", "meta-llama/Llama-2-7b-hf"),
            [32, 4096, 32, 32, 11008, 32000],
        ),
        llama(
            ("llama-2-13b", "Llama 2 13B", "meta-llama/Llama-2-13b-hf"),
            [40, 5120, 40, 40, 13824, 32000],
        ),
        llama(
            ("llama-2-70b", "Llama 2 70B", "meta-llama/Llama-2-70b-hf"),
            [80, 8192, 64, 8, 28672, 32000],
        ),
        llama(
            ("llama-3-8b", "Llama 3 8B", "meta-llama/Meta-Llama-3-8B"),
            [32, 4096, 32, 8, 14336, 128256],
        ),
        llama(
            ("llama-3-70b", "Llama 3 70B", "meta-llama/Meta-Llama-3-70B"),
            [80, 8192, 64, 8, 28672, 128256],
        ),
        llama(
            ("llama-3.1-405b", "Llama 3.1 405B", "meta-llama/Llama-3.1-405B"),
            [126, 16384, 128, 8, 53248, 128256],
        ),
        llama(
            ("mistral-7b", "Mistral 7B", "mistralai/Mistral-7B-v0.1"),
            [32, 4096, 32, 8, 14336, 32000],
        ),
        Model {
            experts: Some(Experts {
                count: 8,
                per_token: 2,
                intermediate: 14336,
                shared: 0,
                dense_layers: 0,
            }),
            ..llama(
                ("mixtral-8x7b", "Mixtral 8x7B", "mistralai/Mixtral-8x7B-v0.1"),
                [32, 4096, 32, 8, 14336, 32000],
            )
        },
        Model {
            tied_embeddings: true,
            qkv_bias: true,
            ..llama(
                ("qwen1.5-0.5b", "Qwen1.5 0.5B", "Qwen/Qwen1.5-0.5B"),
                [24, 1024, 16, 16, 2816, 151936],
            )
        },
        Model {
            qkv_bias: true,
            ..llama(
                ("qwen2.5-7b", "Qwen2.5 7B", "Qwen/Qwen2.5-7B"),
                [28, 3584, 28, 4, 18944, 152064],
            )
        },
        llama(("qwen3-8b", "Qwen3 8B", "Qwen/Qwen3-8B"), [36, 4096, 32, 8, 12288, 151936]),
        Model {
            attention: Attention::Latent {
                q_rank: Some(1536),
                kv_rank: 512,
                nope_dim: 128,
                rope_dim: 64,
                value_dim: 128,
            },
            experts: Some(Experts {
                count: 256,
                per_token: 8,
                intermediate: 2048,
                shared: 1,
                dense_layers: 3,
            }),
            ..llama(
                ("deepseek-v3", "DeepSeek-V3", "deepseek-ai/DeepSeek-V3"),
                [61, 7168, 128, 128, 18432, 129280],
            )
        },
        Model {
            gated: false,
            tied_embeddings: true,
            extra_embeddings: 2048,
            qkv_bias: true,
            bias: true,
            source: "Brown et al. 2020, Language Models are Few-Shot Learners, table 2.1"
                .to_owned(),
            ..llama(("gpt-3-175b", "GPT-3 175B", ""), [96, 12288, 96, 96, 49152, 50257])
        },
        Model {
            gated: false,
            tied_embeddings: true,
            lm_head: false,
            // 512 positions and 2 segments.
            extra_embeddings: 514,
            qkv_bias: true,
            bias: true,
            ..llama(
                ("bert-large", "BERT large", "google-bert/bert-large-uncased"),
                [24, 1024, 16, 16, 4096, 30522],
            )
        },
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_the_published_ones() {
        // Parameters of the published checkpoints, in billions.
        for (id, billions) in [
            ("llama-2-7b", 6.738),
            ("llama-2-13b", 13.016),
            ("llama-2-70b", 68.977),
            ("llama-3-8b", 8.030),
            ("llama-3-70b", 70.554),
            ("llama-3.1-405b", 405.853),
            ("mistral-7b", 7.242),
            ("mixtral-8x7b", 46.703),
            ("qwen1.5-0.5b", 0.464),
            ("qwen2.5-7b", 7.616),
            ("qwen3-8b", 8.191),
            ("deepseek-v3", 671.0),
            ("gpt-3-175b", 175.0),
            ("bert-large", 0.335),
        ] {
            let model = preset(id).unwrap();
            let found = model.parameters() / 1e9;
            assert!((found / billions - 1.0).abs() < 0.01, "{id}: {found}");
            assert_eq!(model.validate(), Ok(()), "{id}");
            assert!(!model.source.is_empty());
        }
        // Exact, norms included.
        assert_eq!(preset("llama-2-7b").unwrap().parameters(), 6_738_415_616.0);
    }

    #[test]
    fn active_parameters_of_expert_models() {
        let active = |id| preset(id).unwrap().active_matrix_parameters() / 1e9;
        // The papers say 12.9 and 37 billion; the input embedding is a lookup, not a product.
        assert!((active("mixtral-8x7b") - 12.9).abs() < 0.2);
        assert!((active("deepseek-v3") - 37.0).abs() < 0.8);
    }

    #[test]
    fn ids_are_distinct() {
        for (index, model) in presets().iter().enumerate() {
            assert!(presets()[..index].iter().all(|other| other.id != model.id));
        }
    }
}
