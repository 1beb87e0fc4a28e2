//! The settings of a plan as data for the page.

use super::fields::{FIELDS, ModelField};
use super::state::{DEFAULT_MODEL, LARGEST, MOST_DEVICES, PlanState, SCHEMES};
use gemmscope_model::dtype::DataType;
use gemmscope_model::transformer::{Model, Phase, presets};
use gemmscope_table::control::{Choice, Control, ControlKind};
use gemmscope_table::view_state::ViewState;

/// A group of settings.
#[derive(Clone, Debug, PartialEq)]
pub struct FormGroup {
    /// Caption.
    pub title: &'static str,
    /// True if the group is initially open.
    pub open: bool,
    /// The settings.
    pub controls: Vec<Control>,
}

/// Value of the model setting that means the user's own configuration.
pub(crate) const OWN: &str = "own";

/// Formats that an operand may have.
const TYPES: [DataType; 15] = {
    use DataType::*;
    [
        Bf16, Fp16, Fp8E4m3, Fp8E5m2, Int8, Int4, MxFp8, MxFp6, MxFp4, NvFp4, Fp4, Fp6, Tf32, Fp32,
        Fp64,
    ]
};

fn model(state: &ViewState) -> (Control, Model) {
    let base = PlanState::base(state);
    let own = state.param("plan.json").is_some();
    let mut options: Vec<Choice> =
        presets().iter().map(|m| Choice::new(m.id.clone(), m.name.clone())).collect();
    if own {
        options.insert(0, Choice::new(OWN, base.name.clone()));
    }
    let mut control = Control::choice(
        state,
        "plan.model",
        "Published model",
        "A published model, or drop its config.json anywhere on this page.",
        options,
        DEFAULT_MODEL,
    );
    if own {
        control.current = OWN.to_owned();
    }
    (control, base)
}

/// All settings except the devices and the two sliders.
pub fn groups(state: &ViewState) -> Vec<FormGroup> {
    let (chooser, base) = model(state);
    let plan = PlanState::read(state).0;
    vec![
        FormGroup { title: "Model", open: true, controls: vec![chooser] },
        FormGroup {
            title: "Sizes",
            open: plan.edited,
            controls: model_sizes(state, &base, &plan.model),
        },
        FormGroup { title: "Step", open: true, controls: step(state, plan.workload.backward) },
        FormGroup { title: "Number formats", open: true, controls: number_formats(state) },
    ]
}

/// Sizes of the model; their defaults come from `base`.
fn model_sizes(state: &ViewState, base: &Model, model: &Model) -> Vec<Control> {
    FIELDS
        .iter()
        .filter_map(|f| {
            // A changed size can add parts that `base` lacks, such as experts.
            let value = (f.get)(base).or((f.get)(model))?;
            let range = (0, ModelField::LARGEST);
            Some(Control::count(state, f.key, f.label, f.hint, range, value))
        })
        .chain([Control::toggle(
            state,
            "plan.gated",
            "Gated feed-forward",
            "Three matrices (gate, up, down) instead of two.",
            base.gated,
        )])
        .collect()
}

/// Settings of the planned step.
fn step(state: &ViewState, backward: bool) -> Vec<Control> {
    let choice = |key, label, hint, options: &[(&str, &str)]| {
        let list = options.iter().map(|(v, l)| Choice::new(*v, *l)).collect();
        Control::choice(state, key, label, hint, list, options[0].0)
    };
    let mut step = vec![
        choice(
            "plan.phase",
            "Phase",
            "Prefill: all tokens of the prompts at once, M = batch × length. Decode: one new \
             token per sequence, M = batch.",
            &[("decode", "decode"), ("prefill", "prefill")],
        ),
        choice(
            "plan.pass",
            "Pass",
            "Backward runs two more GEMMs for each: dX is (M, K, N), dW is (N, K, M).",
            &[("forward", "forward"), ("both", "with backward")],
        ),
        Control::count(
            state,
            "plan.tp",
            "Tensor parallel",
            "Devices that split each layer; all sizes are per device.",
            (1, MOST_DEVICES),
            1,
        ),
        Control::toggle(
            state,
            "plan.qkv",
            "Q, K, V as one GEMM",
            "Inference engines usually fuse these.",
            true,
        ),
        Control::toggle(
            state,
            "plan.gate_up",
            "Gate and up as one GEMM",
            "Inference engines usually fuse these.",
            false,
        ),
    ];
    // Training runs whole sequences, whatever phase was chosen before.
    if backward {
        let phase = &mut step[0];
        phase.kind = ControlKind::Choice { options: vec![Choice::plain("prefill")] };
        phase.current = "prefill".to_owned();
    }
    step
}

/// The types of the operands.
fn number_formats(state: &ViewState) -> Vec<Control> {
    let scheme =
        SCHEMES.iter().find(|s| state.param("plan.types") == Some(s.id)).unwrap_or(&SCHEMES[0]);
    let t = scheme.types;
    let operand = |key, label, hint, default: DataType| {
        let mut options: Vec<Choice> =
            TYPES.iter().map(|d| Choice::new(d.id(), d.name())).collect();
        if !TYPES.contains(&default) {
            options.push(Choice::new(default.id(), default.name()));
        }
        Control::choice(state, key, label, hint, options, default.id())
    };
    vec![
        Control::choice(
            state,
            "plan.types",
            "Preset",
            "Common sets: weights and activations (W8A8: both 8 bits), 16-bit output. Change \
             each operand below.",
            SCHEMES.iter().map(|s| Choice::new(s.id, s.name)).collect(),
            SCHEMES[0].id,
        ),
        operand("plan.w", "Weights", "", t.weight),
        operand(
            "plan.act",
            "Activations",
            "Input format of each GEMM; also the compute format if weights are narrower.",
            t.activation,
        ),
        operand("plan.out", "Output", "", t.output),
        operand("plan.cache", "KV cache", "", t.kv_cache),
    ]
}

/// Edits the ids of the devices. Lists, trails and ridges belong to the first one.
pub fn edit_devices(state: &mut ViewState, change: impl FnOnce(&mut Vec<String>)) {
    let mut all = PlanState::read(state).0.devices;
    change(&mut all);
    state.set_param("plan.devices", all.join(","));
}

/// Moves a device to the front.
pub fn put_first(state: &mut ViewState, id: &str) {
    edit_devices(state, |all| {
        all.retain(|d| d != id);
        all.insert(0, id.to_owned());
    });
}

/// Plans for the measured devices (`ids`, in order) unless the user has chosen devices.
pub fn measured_devices(state: &mut ViewState, ids: &[String]) {
    if state.param("plan.devices").is_none() && !ids.is_empty() {
        state.set_param("plan.devices", ids.join(","));
    }
}

/// Chooses a preset.
pub fn choose_model(state: &mut ViewState, id: &str) {
    let (control, _) = model(state);
    choose(state, &control, id);
}

/// Stores a choice. Choosing a model drops the changed sizes of the previous one.
pub fn choose(state: &mut ViewState, control: &Control, value: &str) {
    if control.key == "plan.model" {
        if value == OWN {
            return;
        }
        for key in FIELDS.iter().map(|f| f.key).chain(["plan.json", "plan.gated"]) {
            state.set_param(key, "");
        }
    }
    if control.key == "plan.types" {
        for key in ["plan.w", "plan.act", "plan.out", "plan.cache"] {
            state.set_param(key, "");
        }
    }
    state.set_param(&control.key, control.stored(value));
}

/// Settings of the two sliders: batch and length.
pub fn sizes(state: &ViewState) -> [Control; 2] {
    let w = PlanState::read(state).0.workload;
    let length = match w.phase {
        Phase::Decode => "Context",
        Phase::Prefill => "Sequence",
    };
    let count = |key, label, hint, now: u32| {
        let mut control = Control::count(state, key, label, hint, (1, LARGEST), now);
        control.current = now.to_string();
        control
    };
    [
        count("plan.batch", "Batch", "", w.batch),
        count(
            "plan.length",
            length,
            "Prefill: tokens per prompt. Decode: cached tokens that each new token attends to.",
            w.length,
        ),
    ]
}

/// Stores a slider's value. The slider that moved last has the trail.
pub fn slide(state: &mut ViewState, control: &Control, value: &str) {
    state.set_param(&control.key, value);
    let trail = if control.key == "plan.length" { "length" } else { "" };
    state.set_param("plan.trail", trail);
}

/// Last position of a slider, with the value [`LARGEST`](super::LARGEST).
const LAST_POSITION: u32 = 75;

/// The value at a slider position: every number up to 8, then four values per doubling, so that every step changes the
/// value. Positions past the end give the last value.
pub fn at_slider(position: u32) -> u32 {
    match position.min(LAST_POSITION) {
        p @ 0..=7 => p + 1,
        p => (5 + (p - 8) % 4) << (1 + (p - 8) / 4),
    }
}

/// First position whose value is at least `value`.
pub fn slider_of(value: u32) -> u32 {
    (0..LAST_POSITION).find(|p| at_slider(*p) >= value).unwrap_or(LAST_POSITION)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::planner::LARGEST;

    fn control<'a>(groups: &'a [FormGroup], key: &str) -> &'a Control {
        groups.iter().flat_map(|g| &g.controls).find(|c| c.key == key).unwrap()
    }

    #[test]
    fn the_form_says_what_the_plan_does() {
        let (state, _) = ViewState::decode("plan.model=llama-2-7b&plan.types=w4a16&plan.ff=9");
        let groups = groups(&state);
        assert_eq!(control(&groups, "plan.model").current, "llama-2-7b");
        assert_eq!(control(&groups, "plan.w").current, "int4");
        assert_eq!(control(&groups, "plan.ff").current, "9");
        assert_eq!(control(&groups, "plan.ff").default, "11008");
    }

    #[test]
    fn a_new_model_forgets_the_sizes_typed_over_the_old() {
        let (mut state, _) = ViewState::decode("plan.ff=9&plan.w=int4");
        let c = control(&groups(&state), "plan.model").clone();
        choose(&mut state, &c, "qwen2.5-7b");
        let plan = PlanState::read(&state).0;
        assert_eq!((plan.model.id.as_str(), plan.edited), ("qwen2.5-7b", false));
        assert_eq!(state.param("plan.w"), Some("int4"));
        choose(&mut state, &c, DEFAULT_MODEL);
        assert_eq!(state.param("plan.model"), None);
    }

    #[test]
    fn another_device_comes_first() {
        let (mut state, _) = ViewState::decode("plan.devices=l4,mi300x,h100-sxm");
        put_first(&mut state, "h100-sxm");
        let devices = |s: &ViewState| PlanState::read(s).0.devices;
        assert_eq!(devices(&state), ["h100-sxm", "l4", "mi300x"]);
        edit_devices(&mut state, |all| drop(all.remove(1)));
        assert_eq!(devices(&state), ["h100-sxm", "mi300x"]);
        edit_devices(&mut state, Vec::clear);
        assert_eq!(devices(&state), <[&str; 0]>::default());
    }

    #[test]
    fn sliders_reach_every_end() {
        assert_eq!((slider_of(1), at_slider(0)), (0, 1));
        assert_eq!(at_slider(slider_of(LARGEST)), LARGEST);
        assert_eq!(at_slider(u32::MAX), LARGEST);
        for position in 0..=LAST_POSITION {
            assert_eq!(slider_of(at_slider(position)), position);
        }
        let values: Vec<u32> = (0..=LAST_POSITION).map(at_slider).collect();
        assert!(values.windows(2).all(|w| w[0] < w[1]), "{values:?}");
        assert!((0..20).all(|e| values.contains(&(1 << e))));
        assert_eq!(at_slider(slider_of(1000)), 1024);
    }
}
