//! A short text about GEMMs and rooflines in steps. Each step sets the plan, so that the roofline
//! beside it shows what the text explains.

use super::form;
use gemmscope_table::view_state::ViewState;

/// One step of the text.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// Heading.
    pub title: &'static str,
    /// Paragraphs.
    pub text: &'static [&'static str],
    /// What to try.
    pub task: &'static str,
    /// Settings of the plan. All others get their defaults.
    pub set: &'static [(&'static str, &'static str)],
}

/// The settings that a step changes.
const DECIDED: [&str; 10] = [
    "plan.model",
    "plan.json",
    "plan.phase",
    "plan.pass",
    "plan.batch",
    "plan.length",
    "plan.types",
    "plan.devices",
    "plan.trail",
    "zoom.plan",
];

/// The steps.
pub const STEPS: &[Step] = &[
    Step {
        title: "What is a GEMM?",
        text: &[
            "A general matrix multiply computes C = α A B + β C. A has M rows and K columns, B has K rows and N columns, C has M rows and N columns.",
            "Nearly all arithmetic of a language model is in GEMMs: every linear layer is one.",
            "The hollow marks are the GEMMs of one step of Llama 2 7B, each at the A100's roof.",
        ],
        task: "Point at a mark, or focus the chart and press the arrow keys, to read a GEMM's shape.",
        set: &[
            ("plan.model", "llama-2-7b"),
            ("plan.devices", "a100-80-sxm"),
            ("plan.batch", "8"),
            ("plan.trail", "off"),
        ],
    },
    Step {
        title: "M, N and K of a layer",
        text: &[
            "A linear layer with weight W of shape (outputs, inputs) computes Y = X Wᵀ. X has \
             one row per token: M is the number of tokens, K the inputs, N the outputs.",
            "The up projection goes from d_model to d_ff: K = 4096 and N = 11008 in Llama 2 7B. The down projection goes back: K = 11008 and N = 4096.",
        ],
        task: "Find up_proj and down_proj in the list of GEMMs: N and K are swapped, the work is the same.",
        set: &[
            ("plan.model", "llama-2-7b"),
            ("plan.devices", "a100-80-sxm"),
            ("plan.batch", "8"),
            ("plan.trail", "off"),
        ],
    },
    Step {
        title: "Prefill and decode",
        text: &[
            "While a prompt is read, all its tokens go through a layer at once: M = batch × length. This is prefill.",
            "Then tokens are generated one at a time. The keys and values of earlier tokens \
             are cached, so only the new token passes through the layers: M = batch at any \
             length. This is decode. Only attention depends on the length.",
        ],
        task: "Move the batch slider: in decode the marks climb the slope with every sequence added.",
        set: &[("plan.model", "llama-2-7b"), ("plan.devices", "a100-80-sxm"), ("plan.batch", "16")],
    },
    Step {
        title: "Work and bytes",
        text: &[
            "Each of the M N elements of C is a sum of K products: 2 M N K operations (exactly M N (2K − 1)).",
            "At least, A and B are read once and C is written once: (M K + K N + M N) × bytes \
             per element. Real kernels move more, so this is a lower bound.",
            "Work over bytes is the arithmetic intensity, the horizontal axis. The bytes are a \
             lower bound, so the intensity is an upper bound.",
        ],
        task: "Set the batch to 1: nearly every weight is read for a single multiply-add, 1 \
               FLOP per byte in bf16.",
        set: &[("plan.model", "llama-2-7b"), ("plan.devices", "a100-80-sxm"), ("plan.batch", "1")],
    },
    Step {
        title: "The roofline and its ridge",
        text: &[
            "A device reaches at most its peak rate, and at most intensity × bandwidth. The \
             lower of the two is the roof: a slope, then a ceiling.",
            "They meet at the ridge, peak / bandwidth. For the MI300X in bf16: 1307.4 TFLOP/s / \
             5.3 TB/s = 246.7 FLOP per byte. GEMMs left of it are memory-bound, right of it \
             compute-bound.",
        ],
        task: "Raise the batch until up_proj passes the ridge: the chips above the chart show \
               the batch for each GEMM.",
        set: &[("plan.model", "llama-2-7b"), ("plan.devices", "mi300x"), ("plan.batch", "128")],
    },
    Step {
        title: "Why low bandwidth can be right",
        text: &[
            "In prefill of a long prompt M is in the thousands and the intensity far right of \
             the ridge. Such a kernel is compute-bound: 4096³ in fp16 on an A100 at 200 \
             TFLOP/s moves its compulsory bytes at 146 GB/s, 7 % of the memory bandwidth.",
            "That is fine: data is reused from caches and registers. Judge by bandwidth only \
             left of the ridge; right of it, by the share of peak.",
        ],
        task: "All projections sit on the ceiling now. Attention's Q Kᵀ and P V are further left: they have a small K or N, the head size.",
        set: &[
            ("plan.model", "llama-2-7b"),
            ("plan.devices", "a100-80-sxm"),
            ("plan.phase", "prefill"),
            ("plan.batch", "1"),
            ("plan.length", "4096"),
            ("plan.trail", "length"),
        ],
    },
    Step {
        title: "Backward: two more GEMMs",
        text: &[
            "Training needs two gradients of Y = X Wᵀ: dX = dY W for the input, shape (M, K, \
             N), and dW = dYᵀ X for the weight, shape (N, K, M).",
            "Each is as much work as the forward product, so a training step is three times the work of its forward pass.",
            "The gradient of a bias is the sum of dY over its rows. It is no GEMM: it reads dY once, M N elements.",
        ],
        task: "Compare up_proj, up_proj dX and up_proj dW in the list: three orders of the same three numbers.",
        set: &[
            ("plan.model", "llama-2-7b"),
            ("plan.devices", "a100-80-sxm"),
            ("plan.pass", "both"),
            ("plan.batch", "2"),
            ("plan.length", "2048"),
        ],
    },
    Step {
        title: "Narrower numbers",
        text: &[
            "In decode the weights are nearly all of the traffic. Stored in four bits they take a quarter of bf16's bytes: the marks move right along the same slope, and a step takes about a quarter of the time.",
            "The ceiling stays, as the GEMMs still run in bf16. With fp8 weights and \
             activations the ceiling doubles too, on devices that support fp8.",
        ],
        task: "Open the Model page and try other formats, models and devices. Then drop a measured file to see how close it came.",
        set: &[
            ("plan.model", "llama-2-7b"),
            ("plan.devices", "h100-sxm"),
            ("plan.types", "w4a16"),
            ("plan.batch", "16"),
        ],
    },
];

/// The key of the reader's own plan while a step shows its example.
const OWN: &str = "learn.own";

/// Shows the step where the reader left off, and keeps the reader's own plan for [`leave`].
pub fn open(state: &mut ViewState) {
    let mut own = ViewState::default();
    for key in DECIDED {
        own.set_param(key, state.param(key).unwrap_or(""));
    }
    state.set_param(OWN, own.encode());
    enter(state, shown(state));
}

/// True once [`open`] was called, until the reader leaves.
pub fn is_open(state: &ViewState) -> bool {
    state.param("learn.step").is_some()
}

/// Brings the reader's own plan back.
pub fn leave(state: &mut ViewState) {
    let (own, _) = ViewState::decode(state.param(OWN).unwrap_or(""));
    for key in DECIDED {
        state.set_param(key, own.param(key).unwrap_or(""));
    }
    state.set_param(OWN, "");
    state.set_param("learn.step", "");
}

/// Applies the settings of a step, which the reader can change afterwards.
pub fn enter(state: &mut ViewState, index: usize) {
    let Some(step) = STEPS.get(index) else { return };
    for key in DECIDED {
        state.set_param(key, "");
    }
    let groups = form::groups(state, &[]);
    for (key, value) in step.set {
        let known = groups.iter().flat_map(|g| &g.controls).find(|c| c.key == *key);
        match known {
            Some(control) => form::choose(state, control, value),
            None => state.set_param(key, *value),
        }
    }
    state.set_param("learn.step", index.to_string());
}

/// Index of the step that a view shows.
pub fn shown(state: &ViewState) -> usize {
    state.param("learn.step").and_then(|t| t.parse().ok()).filter(|i| *i < STEPS.len()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::planner::{Plan, PlanState};
    use gemmscope_model::transformer::Phase;

    #[test]
    fn every_step_is_a_plan_that_shows_what_it_says() {
        let mut state = ViewState::default();
        for (i, step) in STEPS.iter().enumerate() {
            enter(&mut state, i);
            let (back, problems) = ViewState::decode(&state.encode());
            assert!(problems.is_empty());
            let (plan, problems) = PlanState::read(&back);
            assert_eq!(problems, [], "{}", step.title);
            assert_eq!(shown(&back), i);
            assert_eq!(plan.model.id, "llama-2-7b");
            assert!(Plan::new(plan, &[]).first().is_some(), "{}", step.title);
        }
    }

    fn plan(i: usize) -> Plan {
        let mut state = ViewState::default();
        enter(&mut state, i);
        Plan::new(PlanState::read(&state).0, &[])
    }

    #[test]
    fn the_readers_own_plan_comes_back() {
        let mut state = ViewState::default();
        state.set_param("plan.batch", "64");
        state.set_param("plan.tile", "128x128x64");
        let own = state.clone();
        open(&mut state);
        enter(&mut state, 7);
        // A link that is opened elsewhere, or after a reload.
        let (mut back, problems) = ViewState::decode(&state.encode());
        assert!(problems.is_empty() && is_open(&back));
        assert_eq!(back.param("plan.types"), Some("w4a16"));
        leave(&mut back);
        assert_eq!(back, own);
    }

    #[test]
    fn the_numbers_of_the_text() {
        let row = |p: &Plan, name: &str| {
            p.first().unwrap().rows.iter().find(|r| r.name == name).unwrap().clone()
        };
        let up = row(&plan(1), "up_proj");
        assert_eq!((up.problem().k, up.problem().n), (4096, 11008));
        assert!((row(&plan(3), "up_proj").intensity() - 1.0).abs() < 0.01);
        assert!((row(&plan(4), "up_proj").best.roof.ridge() - 246.7).abs() < 0.2);
        let long = plan(5);
        assert_eq!(long.state.workload.phase, Phase::Prefill);
        assert!(row(&long, "up_proj").intensity() > row(&long, "up_proj").best.roof.ridge());
        let ai = |n: &str| row(&long, n).intensity();
        assert!(ai("Q K^T") < ai("up_proj") && ai("P V") < ai("up_proj"));
        let training = plan(6);
        let names: Vec<_> = training.first().unwrap().rows.iter().map(|r| r.name.clone()).collect();
        assert!(names.iter().any(|n| n == "up_proj dX") && names.iter().any(|n| n == "up_proj dW"));
        // A quarter of the bytes, about a quarter of the time.
        let narrow = plan(7);
        let mut wide = narrow.state.clone();
        wide.workload.types =
            gemmscope_model::transformer::Types::uniform(gemmscope_model::dtype::DataType::Bf16);
        let wide = Plan::new(wide, &[]);
        let ratio = row(&wide, "up_proj").best.time.0 / row(&narrow, "up_proj").best.time.0;
        assert!((3.3..4.0).contains(&ratio), "{ratio}");
    }
}
