//! Reads models from the `config.json` of Hugging Face repositories.

use super::{Attention, Experts, Model, WorkloadError};
use crate::json_error::{JsonError, wrong};
use serde_json::{Map, Value};

impl From<WorkloadError> for JsonError {
    fn from(error: WorkloadError) -> Self {
        wrong(error.field, error.message)
    }
}

/// Looks keys up under all their spellings.
struct Config<'a>(&'a Map<String, Value>);

impl Config<'_> {
    /// A count; `None` if it is missing or null.
    fn optional(&self, keys: &[&str]) -> Result<Option<u32>, JsonError> {
        for key in keys {
            match self.0.get(*key) {
                None | Some(Value::Null) => {}
                Some(value) => {
                    let number = value.as_u64().and_then(|number| u32::try_from(number).ok());
                    return number.map(Some).ok_or_else(|| {
                        wrong(*key, format!("expected a whole number, found {value}"))
                    });
                }
            }
        }
        Ok(None)
    }

    fn required(&self, keys: &[&str]) -> Result<u32, JsonError> {
        self.optional(keys)?.ok_or_else(|| wrong(keys.join(" or "), "missing"))
    }

    fn flag(&self, key: &str, default: bool) -> Result<bool, JsonError> {
        match self.0.get(key) {
            None | Some(Value::Null) => Ok(default),
            Some(Value::Bool(flag)) => Ok(*flag),
            Some(other) => Err(wrong(key, format!("expected true or false, found {other}"))),
        }
    }

    fn text(&self, key: &str) -> Option<&str> {
        self.0.get(key).and_then(Value::as_str)
    }
}

/// Defaults of a `model_type` for keys that its configuration omits.
struct Family {
    gated: bool,
    tied: bool,
    lm_head: bool,
    qkv_bias: bool,
    bias: bool,
    learned_positions: bool,
}

fn family(model_type: &str) -> Family {
    let llama = Family {
        gated: true,
        tied: false,
        lm_head: true,
        qkv_bias: false,
        bias: false,
        learned_positions: false,
    };
    let gpt2 = Family {
        gated: false,
        tied: true,
        lm_head: true,
        qkv_bias: true,
        bias: true,
        learned_positions: true,
    };
    match model_type {
        "qwen2" | "qwen2_moe" => Family { qkv_bias: true, ..llama },
        "gemma" | "gemma2" | "gemma3" | "gemma3_text" => Family { tied: true, ..llama },
        "gpt2" | "opt" | "gpt_bigcode" => gpt2,
        "bloom" => Family { learned_positions: false, ..gpt2 },
        "gpt_neox" | "phi" => Family { tied: false, learned_positions: false, ..gpt2 },
        "bert" | "roberta" | "distilbert" | "electra" | "xlm-roberta" => {
            Family { lm_head: false, ..gpt2 }
        }
        "falcon" | "RefinedWeb" | "RefinedWebModel" => {
            Family { qkv_bias: false, bias: false, learned_positions: false, ..gpt2 }
        }
        _ => llama,
    }
}

impl Model {
    /// True if a JSON text looks like a model's configuration, valid or not.
    pub fn is_config(text: &str) -> bool {
        text.trim_start().starts_with('{')
            && ["\"model_type\"", "\"num_hidden_layers\"", "\"n_layer\"", "\"architectures\""]
                .iter()
                .any(|key| text.contains(key))
    }

    /// Reads a Hugging Face `config.json`: Llama, Mistral, Mixtral, Qwen, DeepSeek, GPT-2, BERT, Falcon and others with
    /// the same keys. Unneeded keys are ignored; of a multimodal model the text part is read.
    ///
    /// # Errors
    /// [`JsonError`] with the position in the text, or with the missing or wrong key.
    ///
    /// ```
    /// use gemmscope_model::transformer::Model;
    /// let model = Model::from_config(r#"{"model_type": "llama", "hidden_size": 4096,
    ///     "intermediate_size": 11008, "num_hidden_layers": 32, "num_attention_heads": 32,
    ///     "vocab_size": 32000}"#)?;
    /// assert_eq!(model.parameters(), 6_738_415_616.0);
    /// # Ok::<(), gemmscope_model::JsonError>(())
    /// ```
    pub fn from_config(text: &str) -> Result<Self, JsonError> {
        let value: Value = serde_json::from_str(text)?;
        let Value::Object(object) = &value else {
            let message = "expected an object".to_owned();
            return Err(JsonError { line: 1, column: 1, message });
        };
        let config = match object.get("text_config") {
            Some(Value::Object(inner)) => Config(inner),
            _ => Config(object),
        };
        let model = config.model(Config(object).text("_name_or_path"))?;
        model.validate()?;
        Ok(model)
    }
}

impl Config<'_> {
    fn model(&self, path: Option<&str>) -> Result<Model, JsonError> {
        let model_type = self.text("model_type").unwrap_or("");
        let family = family(model_type);
        let hidden = self.required(&["hidden_size", "n_embd", "d_model", "dim"])?;
        let layers = self.required(&["num_hidden_layers", "n_layer", "num_layers", "n_layers"])?;
        let heads = self.required(&["num_attention_heads", "n_head", "n_heads"])?;
        let attention = self.attention(hidden, heads)?;
        let experts = self.experts(layers)?;
        let intermediate = match self.optional(&[
            "intermediate_size",
            "n_inner",
            "ffn_hidden_size",
            "ffn_dim",
            "hidden_dim",
        ])? {
            Some(width) => width,
            // GPT-2 and Falcon omit the width if it is 4 x hidden.
            None if !family.gated => hidden
                .checked_mul(4)
                .ok_or_else(|| wrong("hidden_size", "four times this exceeds 32 bits"))?,
            None if experts.is_some() => 0,
            None => return Err(wrong("intermediate_size", "missing")),
        };
        let positions = if family.learned_positions {
            self.optional(&["n_positions", "max_position_embeddings"])?.unwrap_or(0)
        } else {
            0
        };
        let segments =
            if family.lm_head { 0 } else { self.optional(&["type_vocab_size"])?.unwrap_or(0) };
        let name = path
            .filter(|path| !path.is_empty())
            .or(Some(model_type).filter(|name| !name.is_empty()))
            .unwrap_or("model");
        Ok(Model {
            id: "imported".to_owned(),
            name: name.to_owned(),
            layers,
            hidden,
            heads,
            attention,
            intermediate,
            gated: family.gated,
            experts,
            vocab: self.required(&["vocab_size"])?,
            tied_embeddings: self.flag("tie_word_embeddings", family.tied)?,
            lm_head: family.lm_head,
            extra_embeddings: positions.saturating_add(segments),
            qkv_bias: self.flag("attention_bias", self.flag("qkv_bias", family.qkv_bias)?)?,
            bias: self.flag("bias", family.bias)?,
            source: "an imported config.json".to_owned(),
        })
    }

    fn attention(&self, hidden: u32, heads: u32) -> Result<Attention, JsonError> {
        if let Some(kv_rank) = self.optional(&["kv_lora_rank"])? {
            return Ok(Attention::Latent {
                q_rank: self.optional(&["q_lora_rank"])?,
                kv_rank,
                nope_dim: self.required(&["qk_nope_head_dim"])?,
                rope_dim: self.required(&["qk_rope_head_dim"])?,
                value_dim: self.required(&["v_head_dim"])?,
            });
        }
        let head_dim = match self.optional(&["head_dim", "attention_head_size"])? {
            Some(size) => size,
            None if heads > 0 && hidden.is_multiple_of(heads) => hidden / heads,
            None => {
                return Err(wrong(
                    "num_attention_heads",
                    format!("{heads} heads do not divide the hidden size {hidden}"),
                ));
            }
        };
        // First-generation Falcon has one key head whatever count its file states.
        let multi_query =
            self.flag("multi_query", false)? && !self.flag("new_decoder_architecture", false)?;
        let kv_heads = if multi_query {
            1
        } else {
            self.optional(&["num_key_value_heads", "num_kv_heads", "n_head_kv"])?.unwrap_or(heads)
        };
        Ok(Attention::Grouped { kv_heads, head_dim })
    }

    fn experts(&self, layers: u32) -> Result<Option<Experts>, JsonError> {
        let Some(count) =
            self.optional(&["num_local_experts", "num_experts", "n_routed_experts"])?
        else {
            return Ok(None);
        };
        // Some dense models have this key, set to 0 or 1.
        if count < 2 {
            return Ok(None);
        }
        let intermediate = self.required(&["moe_intermediate_size", "intermediate_size"])?;
        let shared = match self.optional(&["shared_expert_intermediate_size"])? {
            // Given as the total width, in known models a multiple of the expert width.
            Some(width) if intermediate > 0 => width / intermediate,
            _ => self.optional(&["n_shared_experts"])?.unwrap_or(0),
        };
        Ok(Some(Experts {
            count,
            per_token: self.required(&[
                "num_experts_per_tok",
                "num_experts_per_token",
                "moe_topk",
            ])?,
            intermediate,
            shared,
            dense_layers: self.optional(&["first_k_dense_replace"])?.unwrap_or(0).min(layers),
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::super::preset;
    use super::*;
    use proptest::prelude::*;

    /// Asserts that the configuration gives the same sizes as the preset.
    fn same(text: &str, id: &str) {
        let model = Model::from_config(text).unwrap();
        let expected = preset(id).unwrap();
        assert_eq!(
            Model {
                id: expected.id.clone(),
                name: expected.name.clone(),
                source: expected.source.clone(),
                ..model
            },
            *expected
        );
    }

    #[test]
    fn llama_and_its_kin() {
        same(
            r#"{"model_type": "llama", "hidden_size": 8192, "intermediate_size": 28672,
                "num_hidden_layers": 80, "num_attention_heads": 64, "num_key_value_heads": 8,
                "vocab_size": 128256, "torch_dtype": "bfloat16", "rope_theta": 500000.0,
                "max_position_embeddings": 8192, "tie_word_embeddings": false}"#,
            "llama-3-70b",
        );
        same(
            r#"{"model_type": "qwen2", "hidden_size": 3584, "intermediate_size": 18944,
                "num_hidden_layers": 28, "num_attention_heads": 28, "num_key_value_heads": 4,
                "vocab_size": 152064}"#,
            "qwen2.5-7b",
        );
        same(
            r#"{"model_type": "qwen3", "hidden_size": 4096, "intermediate_size": 12288,
                "num_hidden_layers": 36, "num_attention_heads": 32, "num_key_value_heads": 8,
                "head_dim": 128, "attention_bias": false, "vocab_size": 151936}"#,
            "qwen3-8b",
        );
        same(
            r#"{"model_type": "mixtral", "hidden_size": 4096, "intermediate_size": 14336,
                "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8,
                "num_local_experts": 8, "num_experts_per_tok": 2, "vocab_size": 32000}"#,
            "mixtral-8x7b",
        );
    }

    #[test]
    fn deepseek_v3() {
        same(
            r#"{"model_type": "deepseek_v3", "hidden_size": 7168, "intermediate_size": 18432,
                "num_hidden_layers": 61, "num_attention_heads": 128, "num_key_value_heads": 128,
                "kv_lora_rank": 512, "q_lora_rank": 1536, "qk_nope_head_dim": 128,
                "qk_rope_head_dim": 64, "v_head_dim": 128, "moe_intermediate_size": 2048,
                "n_routed_experts": 256, "n_shared_experts": 1, "num_experts_per_tok": 8,
                "first_k_dense_replace": 3, "vocab_size": 129280, "attention_bias": false}"#,
            "deepseek-v3",
        );
    }

    #[test]
    fn older_kinds() {
        same(
            r#"{"model_type": "bert", "hidden_size": 1024, "intermediate_size": 4096,
                "num_hidden_layers": 24, "num_attention_heads": 16, "type_vocab_size": 2,
                "max_position_embeddings": 512, "vocab_size": 30522}"#,
            "bert-large",
        );
        // GPT-2: 124.4 million parameters.
        let gpt2 = Model::from_config(
            r#"{"model_type": "gpt2", "n_embd": 768, "n_layer": 12, "n_head": 12,
                "n_positions": 1024, "n_ctx": 1024, "vocab_size": 50257, "n_inner": null}"#,
        )
        .unwrap();
        assert_eq!(gpt2.parameters(), 124_439_808.0);
        // Falcon 7B: one key head, 6.92 billion parameters.
        let falcon = Model::from_config(
            r#"{"model_type": "falcon", "hidden_size": 4544, "num_hidden_layers": 32,
                "num_attention_heads": 71, "multi_query": true, "vocab_size": 65024,
                "new_decoder_architecture": false, "bias": false}"#,
        )
        .unwrap();
        assert!((falcon.parameters() / 6.92e9 - 1.0).abs() < 0.01);
        assert!(matches!(falcon.attention, Attention::Grouped { kv_heads: 1, .. }));
    }

    #[test]
    fn errors_name_the_key() {
        let message = |text: &str| Model::from_config(text).unwrap_err().to_string();
        assert_eq!(
            message(r#"{"num_hidden_layers": 2}"#),
            "hidden_size or n_embd or d_model or dim: missing"
        );
        assert_eq!(
            message(r#"{"hidden_size": "wide"}"#),
            "hidden_size: expected a whole number, found \"wide\""
        );
        assert_eq!(
            message(
                r#"{"hidden_size": 100, "num_hidden_layers": 2, "num_attention_heads": 3,
                    "intermediate_size": 4, "vocab_size": 5}"#
            ),
            "num_attention_heads: 3 heads do not divide the hidden size 100"
        );
        assert_eq!(
            message(
                r#"{"hidden_size": 128, "num_hidden_layers": 0, "num_attention_heads": 2,
                    "intermediate_size": 4, "vocab_size": 5}"#
            ),
            "layers: expected a number above zero, found 0"
        );
        assert!(message("[]").ends_with("expected an object"));
        assert!(message("{").starts_with("line 1"));
    }

    #[test]
    fn the_text_part_of_a_multimodal_model() {
        let model = Model::from_config(
            r#"{"model_type": "llava", "text_config": {"model_type": "llama", "hidden_size": 4096,
                "intermediate_size": 11008, "num_hidden_layers": 32, "num_attention_heads": 32,
                "vocab_size": 32000}}"#,
        )
        .unwrap();
        assert_eq!(model.layers, 32);
    }

    proptest! {
        #[test]
        fn any_text_is_survived(text in ".*") {
            let _ = Model::from_config(&text);
        }

        #[test]
        fn any_sizes_are_survived(
            sizes in proptest::array::uniform6(proptest::num::u32::ANY),
            experts in proptest::option::of((proptest::num::u32::ANY, proptest::num::u32::ANY)),
        ) {
            let [hidden, width, layers, heads, kv, vocab] = sizes;
            let experts = experts.map_or(String::new(), |(count, chosen)| {
                format!(r#""num_experts": {count}, "num_experts_per_tok": {chosen},"#)
            });
            let text = format!(
                r#"{{"hidden_size": {hidden}, "intermediate_size": {width}, {experts}
                    "num_hidden_layers": {layers}, "num_attention_heads": {heads},
                    "num_key_value_heads": {kv}, "head_dim": 128, "vocab_size": {vocab}}}"#
            );
            if let Ok(model) = Model::from_config(&text) {
                let _ = model.parameters();
                let _ = model.gemms(&super::super::Workload::decode(1, u32::MAX));
                let _ = model.gemms(&super::super::Workload::prefill(u32::MAX, u32::MAX));
                let biased = Model { qkv_bias: true, bias: true, ..model };
                let _ = biased.parameters();
                let latent = Attention::Latent {
                    q_rank: None,
                    kv_rank: kv,
                    nope_dim: hidden,
                    rope_dim: width,
                    value_dim: vocab,
                };
                let model = Model { attention: latent, ..biased };
                let _ = model.gemms(&super::super::Workload::decode(3, 5));
                let _ = model.gemms(&super::super::Workload::prefill(3, 5));
            }
        }
    }
}
