//! Settings of a plan, and their text form in the view state. Every key is read on its own.

use super::fields::{FIELDS, ModelField};
use gemmscope_model::dtype::DataType;
use gemmscope_model::hardware::RoofKind;
use gemmscope_model::transformer::{Model, Phase, Types, Workload, preset, presets};
use gemmscope_model::units::{expected_in, expected_one_of};
use gemmscope_table::view_state::{KeyProblem, ViewState};

/// Default model.
pub(crate) const DEFAULT_MODEL: &str = "llama-3-8b";
/// Maximum batch and length.
pub const LARGEST: u32 = 1 << 20;
/// Maximum number of devices that share a layer.
pub(crate) const MOST_DEVICES: u32 = 1024;

/// Number formats commonly used together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scheme {
    /// Key in links.
    pub id: &'static str,
    /// Name on the page.
    pub name: &'static str,
    /// Types of the operands.
    pub types: Types,
}

const fn scheme(
    id: &'static str,
    name: &'static str,
    activation: DataType,
    weight: DataType,
    output: DataType,
) -> Scheme {
    // Keys and values have the output's type, which attention kernels read by default.
    let types = Types { activation, weight, output, kv_cache: output };
    Scheme { id, name, types }
}

/// All schemes, the default first.
pub(crate) const SCHEMES: [Scheme; 11] = {
    use DataType::{Bf16, Fp8E4m3, Fp16, Fp32, Int4, Int8, MxFp4, MxFp8, NvFp4, Tf32};
    [
        scheme("bf16", "bf16", Bf16, Bf16, Bf16),
        scheme("fp16", "fp16", Fp16, Fp16, Fp16),
        scheme("fp8", "fp8 (W8A8)", Fp8E4m3, Fp8E4m3, Bf16),
        scheme("int8", "int8 (W8A8)", Int8, Int8, Bf16),
        scheme("w8a16", "W8A16 (int8, bf16)", Bf16, Int8, Bf16),
        scheme("w4a16", "W4A16 (int4, bf16)", Bf16, Int4, Bf16),
        scheme("mxfp8", "MXFP8", MxFp8, MxFp8, Bf16),
        scheme("mxfp4", "MXFP4", MxFp4, MxFp4, Bf16),
        scheme("nvfp4", "NVFP4", NvFp4, NvFp4, Bf16),
        scheme("tf32", "tf32", Tf32, Tf32, Fp32),
        scheme("fp32", "fp32", Fp32, Fp32, Fp32),
    ]
};

/// Which slider leaves a trail on the roofline.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Trail {
    /// Batch from 1 to the chosen value.
    #[default]
    Batch,
    /// Length from 1 to the chosen value.
    Length,
    /// No trail.
    Off,
}

/// A planned step: model, workload, devices.
#[derive(Clone, Debug, PartialEq)]
pub struct PlanState {
    /// The model, with changed sizes applied.
    pub model: Model,
    /// True if sizes of the preset or configuration were changed.
    pub edited: bool,
    /// The step.
    pub workload: Workload,
    /// Ids of the devices, in order.
    pub devices: Vec<String>,
    /// The roof of all times.
    pub roof: RoofKind,
    /// Which slider leaves a trail.
    pub trail: Trail,
}

/// Reads settings one by one and collects those that cannot be parsed.
struct Keys<'a> {
    state: &'a ViewState,
    problems: Vec<KeyProblem>,
}

impl Keys<'_> {
    fn problem(&mut self, key: &str, message: String) {
        self.problems.push(KeyProblem::new(key, &message));
    }

    fn count(&mut self, key: &str, least: u32, most: u32) -> Option<u32> {
        let text = self.state.param(key)?.trim().to_owned();
        match text.parse::<u32>() {
            Ok(v) if (least..=most).contains(&v) => Some(v),
            _ => {
                self.problem(key, expected_in(true, least, most, &text));
                None
            }
        }
    }

    fn one_of<T: Copy>(&mut self, key: &str, options: &[(&str, T)]) -> Option<T> {
        let text = self.state.param(key)?.to_owned();
        let found = options.iter().find(|o| o.0 == text).map(|o| o.1);
        if found.is_none() {
            let names: Vec<&str> = options.iter().map(|o| o.0).collect();
            self.problem(key, expected_one_of(&names, &text));
        }
        found
    }

    fn dtype(&mut self, key: &str) -> Option<DataType> {
        let text = self.state.param(key)?.to_owned();
        let found = DataType::by_id(&text);
        if found.is_none() {
            self.problem(key, format!("expected a number format: {text}"));
        }
        found
    }
}

const YES: [(&str, bool); 2] = [("1", true), ("0", false)];

impl PlanState {
    /// Reads the `plan.*` settings. Also returns those that cannot be parsed, which count as not set.
    pub fn read(state: &ViewState) -> (Self, Vec<KeyProblem>) {
        let mut keys = Keys { state, problems: Vec::new() };
        let base = keys.model();
        let mut model = base.clone();
        keys.fields(&mut model);
        let edited = model != base;
        let workload = keys.workload();
        let devices = keys
            .state
            .param("plan.devices")
            .unwrap_or_default()
            .split(',')
            .filter(|id| !id.is_empty())
            .map(str::to_owned)
            .collect();
        let trail = keys.one_of(
            "plan.trail",
            &[("batch", Trail::Batch), ("length", Trail::Length), ("off", Trail::Off)],
        );
        let plan = PlanState {
            model,
            edited,
            workload,
            devices,
            roof: state.roof,
            trail: trail.unwrap_or_default(),
        };
        (plan, keys.problems)
    }

    /// The chosen model, without changed sizes.
    pub(crate) fn base(state: &ViewState) -> Model {
        let mut keys = Keys { state, problems: Vec::new() };
        keys.model()
    }

    /// Stores the user's own configuration, such as a dropped `config.json`, as a setting. Clears changed sizes.
    pub fn put_model(state: &mut ViewState, model: &Model) {
        for field in FIELDS {
            state.set_param(field.key, "");
        }
        state.set_param("plan.model", "");
        state.set_param("plan.json", serde_json::to_string(model).unwrap_or_default());
    }
}

impl Keys<'_> {
    fn model(&mut self) -> Model {
        if let Some(text) = self.state.param("plan.json") {
            match serde_json::from_str::<Model>(text) {
                Ok(model) => return model,
                Err(e) => self.problem("plan.json", format!("expected a model: {e}")),
            }
        }
        let id = self.state.param("plan.model").unwrap_or(DEFAULT_MODEL);
        match preset(id) {
            Some(model) => model.clone(),
            None => {
                let message = format!("unknown model: {id}");
                self.problem("plan.model", message);
                preset(DEFAULT_MODEL).unwrap_or(&presets()[0]).clone()
            }
        }
    }

    fn fields(&mut self, model: &mut Model) {
        for field in FIELDS {
            if let Some(v) = self.count(field.key, 0, ModelField::LARGEST) {
                (field.set)(model, v);
            }
        }
        if let Some(gated) = self.one_of("plan.gated", &YES) {
            model.gated = gated;
        }
    }

    fn workload(&mut self) -> Workload {
        let both = self.one_of("plan.pass", &[("forward", false), ("both", true)]);
        let phase =
            self.one_of("plan.phase", &[("decode", Phase::Decode), ("prefill", Phase::Prefill)]);
        let backward = both.unwrap_or(false);
        // Training runs whole sequences.
        let phase = if backward { Phase::Prefill } else { phase.unwrap_or(Phase::Decode) };
        let options: Vec<(&str, Scheme)> = SCHEMES.iter().map(|s| (s.id, *s)).collect();
        let scheme = self.one_of("plan.types", &options).unwrap_or(SCHEMES[0]);
        let mut types = scheme.types;
        for (key, operand) in [
            ("plan.act", &mut types.activation),
            ("plan.w", &mut types.weight),
            ("plan.out", &mut types.output),
            ("plan.cache", &mut types.kv_cache),
        ] {
            *operand = self.dtype(key).unwrap_or(*operand);
        }
        let start = Workload::decode(8, 1024);
        Workload {
            phase,
            batch: self.count("plan.batch", 1, LARGEST).unwrap_or(start.batch),
            length: self.count("plan.length", 1, LARGEST).unwrap_or(start.length),
            types,
            tensor_parallel: self.count("plan.tp", 1, MOST_DEVICES).unwrap_or(1),
            backward,
            fuse_qkv: self.one_of("plan.qkv", &YES).unwrap_or(start.fuse_qkv),
            fuse_gate_up: self.one_of("plan.gate_up", &YES).unwrap_or(start.fuse_gate_up),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(hash: &str) -> (PlanState, Vec<KeyProblem>) {
        PlanState::read(&ViewState::decode(hash).0)
    }

    #[test]
    fn every_key_fails_alone() {
        let (plan, problems) = read(
            "plan.model=qwen1.5-0.5b&plan.batch=x&plan.length=512&plan.phase=prefill&plan.types=fp9\
             &plan.tp=0&plan.w=int4&plan.ff=3000&plan.json=%7B&plan.devices=l4,,a100-80-sxm",
        );
        assert_eq!(plan.model.id, "qwen1.5-0.5b");
        assert_eq!((plan.model.intermediate, plan.edited), (3000, true));
        assert_eq!((plan.workload.batch, plan.workload.length), (8, 512));
        assert_eq!(plan.workload.phase, Phase::Prefill);
        assert_eq!(plan.workload.types.weight, DataType::Int4);
        assert_eq!(plan.workload.types.activation, DataType::Bf16);
        assert_eq!(plan.devices, ["l4", "a100-80-sxm"]);
        let keys: Vec<&str> = problems.iter().map(|p| p.key.as_str()).collect();
        assert_eq!(keys, ["plan.json", "plan.types", "plan.batch", "plan.tp"]);
    }

    #[test]
    fn a_model_of_ones_own_survives_the_link() {
        let mut state = ViewState::default();
        state.set_param("plan.layers", "3");
        let model = preset("deepseek-v3").unwrap();
        PlanState::put_model(&mut state, model);
        let (back, _) = ViewState::decode(&state.encode());
        let (plan, problems) = PlanState::read(&back);
        assert!(problems.is_empty());
        assert_eq!((&plan.model, plan.edited), (model, false));
    }

    #[test]
    fn experts_can_be_added_and_removed() {
        let (plan, _) = read("plan.experts=16&plan.topk=4&plan.expert_ff=1024");
        let experts = plan.model.experts.unwrap();
        assert_eq!((experts.count, experts.per_token, experts.intermediate), (16, 4, 1024));
        assert_eq!(plan.model.validate(), Ok(()));
        let (plan, _) = read("plan.model=mixtral-8x7b&plan.experts=0");
        assert_eq!(plan.model.experts, None);
        let (plan, _) = read("plan.pass=both");
        assert_eq!(plan.workload.phase, Phase::Prefill);
        let (plan, problems) = read("plan.model=nothing");
        assert_eq!((plan.model.id.as_str(), problems.len()), (DEFAULT_MODEL, 1));
    }
}
