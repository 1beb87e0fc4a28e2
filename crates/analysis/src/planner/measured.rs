//! Matches measured rows with models: the model GEMM of each shape, the best fitting preset, and the step that was
//! measured.

mod step;

pub use step::MeasuredStep;

use super::matching::{Index, Match};
use super::state::PlanState;
use gemmscope_model::gemm::Problem;
use gemmscope_model::transformer::{Model, Pass, Phase, Workload, preset};
use gemmscope_table::dataset::Dataset;
use gemmscope_table::field::Frame;
use gemmscope_table::view_state::ViewState;
use rustc_hash::FxHashMap;

/// A measured shape that a model has.
#[derive(Clone, Debug, PartialEq)]
pub struct MeasuredShape {
    /// The matching part of the model.
    pub found: Match,
    /// The shape.
    pub problem: Problem,
    /// Time of all calls of its rows, seconds; 0 if none has a time.
    pub time_s: f64,
    /// Rate of its best row, FLOP/s; NaN if none has a time.
    pub rate: f64,
    /// Efficiency of its best row; NaN if none has a roof.
    pub efficiency: f64,
    /// Number of rows.
    pub rows: u64,
}

/// Measured shapes that a model has, including its backward pass if planned, by total time.
pub fn measured_shapes(
    index: &Index,
    backward: bool,
    frame: &Frame,
    shapes: &[(u32, Problem)],
) -> Vec<MeasuredShape> {
    /// Time of all calls, efficiency of the best row, that row, number of rows.
    type Group = (f64, f64, u32, u64);
    let mut groups: FxHashMap<(u32, u32, u32, u32, bool), Group> = FxHashMap::default();
    let (data, metrics) = (&*frame.data, &*frame.metrics);
    for &row in frame.rows.iter() {
        let r = row as usize;
        let p = data.problem(r);
        let entry =
            groups.entry((p.m, p.n, p.k, p.batch, p.op.bias)).or_insert((0.0, f64::NAN, row, 0));
        let time = data.time_s[r] * data.count(r);
        entry.0 += if time.is_finite() { time } else { 0.0 };
        let efficiency = metrics.efficiency(data, r);
        if efficiency > entry.1 || entry.1.is_nan() {
            (entry.1, entry.2) = (efficiency, row);
        }
        entry.3 += 1;
    }
    let known = shapes.iter().filter_map(|(_, p)| {
        let found = index.find(p).filter(|m| backward || m.pass == Pass::Forward)?;
        let (time_s, efficiency, best, rows) = *groups.get(&(p.m, p.n, p.k, p.batch, p.op.bias))?;
        let rate = metrics.rate(data, best as usize);
        Some(MeasuredShape { found, problem: *p, time_s, rate, efficiency, rows })
    });
    let mut out: Vec<MeasuredShape> = known.collect();
    out.sort_by(|a, b| b.time_s.total_cmp(&a.time_s));
    out
}

/// How well a model fits a table.
#[derive(Clone, Debug, PartialEq)]
pub struct Fit {
    /// Id of the preset.
    pub model: String,
    /// Name of the preset.
    pub name: String,
    /// Number of distinct shapes that the model has.
    pub matched: usize,
    /// Number of distinct shapes in the table.
    pub of: usize,
}

/// Maximum number of shapes compared.
const SHAPES: usize = 2000;
/// Maximum number of rows searched for them.
const ROWS: usize = 200_000;

/// Distinct shapes of some rows, with one row each.
pub fn distinct(data: &Dataset, rows: &[u32]) -> Vec<(u32, Problem)> {
    let mut seen = rustc_hash::FxHashSet::default();
    let mut out = Vec::new();
    for &row in rows.iter().take(ROWS) {
        if row as usize >= data.len() {
            continue;
        }
        let p = data.problem(row as usize);
        if seen.insert((p.m, p.n, p.k, p.batch, p.op.bias)) {
            out.push((row, p));
        }
        if out.len() >= SHAPES {
            break;
        }
    }
    out
}

/// The frame restricted to rows whose sizes the planned step can have: its model, phase, passes and number of devices.
pub fn of_step(model: &Model, workload: &Workload, frame: &Frame) -> Frame {
    let index = Index::new(model);
    let mut known = rustc_hash::FxHashMap::default();
    let most = DECODE_TOKENS.max(workload.batch).into();
    let fits = |found: Match| {
        (found.tokens <= most) == (workload.phase == Phase::Decode)
            && (workload.backward || found.pass == Pass::Forward)
            && (found.parts.iter().all(|part| part.is_attention())
                || found.tensor_parallel == workload.tensor_parallel)
    };
    let rows = frame.rows.iter().copied().filter(|&row| {
        let p = frame.data.problem(row as usize);
        let sizes = (p.m, p.n, p.k, p.batch, p.op.bias);
        *known.entry(sizes).or_insert_with(|| index.find(&p).is_some_and(fits))
    });
    frame.with_rows(std::sync::Arc::new(rows.collect()))
}

/// The preset that has most of these shapes on one device, if it has at least two and at least half of them.
pub fn best_preset(shapes: &[(u32, Problem)]) -> Option<Fit> {
    gemmscope_model::transformer::presets()
        .iter()
        .map(|model| {
            let index = Index::new(model);
            let matched = shapes
                .iter()
                .filter(|(_, p)| index.find(p).is_some_and(|m| m.tensor_parallel == 1))
                .count();
            Fit { model: model.id.clone(), name: model.name.clone(), matched, of: shapes.len() }
        })
        .filter(|fit| fit.matched >= 2 && 2 * fit.matched >= fit.of)
        // On a tie the first wins: a family is sorted from small to large.
        .fold(None, |best: Option<Fit>, fit| match best {
            Some(b) if b.matched >= fit.matched => Some(b),
            _ => Some(fit),
        })
}

/// The model for measured rows: the chosen one if it has any of their shapes, else the preset that has most of them.
pub fn model_for(state: &ViewState, shapes: &[(u32, Problem)]) -> Option<Model> {
    let chosen = ["plan.model", "plan.json"];
    if chosen.iter().any(|key| state.param(key).is_some()) {
        let planned = PlanState::read(state).0.model;
        let index = Index::new(&planned);
        if shapes.iter().any(|(_, p)| index.find(p).is_some()) {
            return Some(planned);
        }
    }
    preset(&best_preset(shapes)?.model).cloned()
}

/// Maximum number of tokens for which a step without other evidence counts as decode: larger batches and shorter
/// prompts are rare.
pub const DECODE_TOKENS: u32 = 512;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::planner::form;
    use gemmscope_model::dtype::DataType;
    use gemmscope_model::transformer::LayerPart;

    /// Linear layers of qwen1.5-0.5b over `tokens` tokens, and a GEMM that is not part of it.
    fn linear_layers(tokens: u32) -> Frame {
        let mut rows = gemmscope_table::fixture::Rows::new();
        // Only Q, K and V have a bias.
        for (n, k, bias) in [
            (2816, 1024, false),
            (1024, 1024, true),
            (1024, 2816, false),
            (1024, 1024, false),
            (77, 99, false),
        ] {
            let mut op = gemmscope_model::gemm::Operation::uniform(DataType::Bf16);
            op.bias = bias;
            rows.typed((tokens, n, k), op, "", 1e-4, "");
        }
        rows.frame(Some("mi300x"))
    }

    #[test]
    fn shapes_are_matched_and_their_model_found() {
        let frame = linear_layers(8944);
        let shapes = distinct(&frame.data, &frame.rows);
        let fit = best_preset(&shapes).unwrap();
        assert_eq!((fit.model.as_str(), fit.matched), ("qwen1.5-0.5b", 4));
        let index = Index::new(preset(&fit.model).unwrap());
        let found = measured_shapes(&index, true, &frame, &shapes);
        assert_eq!(found.len(), 4);
        let row = found.iter().find(|s| s.problem.n == 2816).unwrap();
        assert_eq!(row.found.name(), "gate_proj or up_proj");
        assert_eq!((row.problem.m, row.problem.k), (8944, 1024));
        assert!(row.efficiency > 0.0, "{row:?}");
        let up = shapes.iter().find(|(_, p)| (p.m, p.n, p.k) == (8944, 2816, 1024)).unwrap();
        assert!(index.find(&up.1).unwrap().parts.contains(&LayerPart::Up));
    }

    /// The step inferred from a plan's own rows.
    fn read_back(hash: &str) -> (crate::planner::Plan, Option<MeasuredStep>) {
        let plan = crate::planner::Plan::new(PlanState::read(&ViewState::decode(hash).0).0, &[]);
        let frame = gemmscope_table::fixture::frame(plan.dataset(), None);
        let shapes = distinct(&frame.data, &frame.rows);
        let model = &plan.state.model;
        let step = MeasuredStep::of(model, &Index::new(model), &frame, &shapes);
        (plan, step)
    }

    #[test]
    fn a_planned_step_is_read_back_from_its_shapes() {
        for hash in [
            "plan.model=llama-3-8b&plan.batch=16&plan.length=2048",
            "plan.model=llama-3-8b&plan.batch=2&plan.length=512&plan.phase=prefill",
            "plan.model=llama-2-7b&plan.batch=4&plan.length=300&plan.pass=both&plan.qkv=0",
            "plan.model=llama-3-70b&plan.batch=64&plan.length=4096&plan.tp=8&plan.gate_up=1",
            "plan.model=qwen1.5-0.5b&plan.batch=16&plan.length=559&plan.phase=prefill",
            "plan.model=mixtral-8x7b&plan.batch=16&plan.length=2048",
        ] {
            let (plan, step) = read_back(&format!("{hash}&plan.devices=mi300x"));
            let (w, step) = (plan.state.workload, step.unwrap());
            assert_eq!(
                (step.phase, step.batch, step.length, step.backward, step.told),
                (w.phase, w.batch, Some(w.length), w.backward, true),
                "{hash}"
            );
            assert_eq!(step.tensor_parallel, w.tensor_parallel, "{hash}");
            assert_eq!(step.fuse_qkv, Some(w.fuse_qkv), "{hash}");
            let told = step.fuse_gate_up;
            assert!(told.is_none_or(|f| f == w.fuse_gate_up), "{hash}: {told:?}");
        }
    }

    #[test]
    fn rows_of_another_phase_or_pass_are_not_of_the_step() {
        let mut rows = gemmscope_table::fixture::Rows::new();
        // A layer with 8 tokens, one with 8192, and a weight gradient over 8192.
        for shape in [(8, 4096, 14336), (8192, 4096, 14336), (4096, 14336, 8192)] {
            rows.row(shape, "x", 1e-3, "");
        }
        let frame = rows.frame(None);
        let model = preset("llama-3-8b").unwrap();
        let of = |workload: Workload| of_step(model, &workload, &frame).rows.to_vec();
        assert_eq!(of(Workload::decode(8, 1024)), [0]);
        assert_eq!(of(Workload::prefill(8, 1024)), [1]);
        assert_eq!(of(Workload { backward: true, ..Workload::prefill(8, 1024) }), [1, 2]);
        assert!(of(Workload { tensor_parallel: 2, ..Workload::decode(8, 1024) }).is_empty());
    }

    #[test]
    fn a_measured_step_is_planned() {
        let frame = linear_layers(8944);
        let shapes = distinct(&frame.data, &frame.rows);
        let mut state = ViewState::default();
        let model = model_for(&state, &shapes).unwrap();
        assert_eq!(model.id, "qwen1.5-0.5b");
        let step = MeasuredStep::of(&model, &Index::new(&model), &frame, &shapes).unwrap();
        form::choose_model(&mut state, &model.id);
        step.plan(&mut state, &frame);
        let plan = crate::planner::Plan::new(PlanState::read(&state).0, &[]);
        assert_eq!(plan.state.devices, ["mi300x"]);
        assert!(step.is(&plan.state.workload));
        assert!(!step.is(&Workload::decode(8, 1024)));
        let planned = |name: &str| {
            let rows = &plan.first().unwrap().rows;
            let p = *rows.iter().find(|r| r.name == name).unwrap().problem();
            (p.m, p.n, p.k, p.op.a)
        };
        let bf16 = DataType::Bf16;
        assert_eq!(planned("up_proj"), (8944, 2816, 1024, bf16));
        assert_eq!(planned("q_proj"), (8944, 1024, 1024, bf16));
        // Every matched shape now belongs to the plan.
        for (_, p) in &shapes {
            if Index::new(&model).find(p).is_some() {
                let rows = &plan.first().unwrap().rows;
                let same = |r: &&crate::planner::PlanRow| {
                    let q = r.problem();
                    (q.m, q.n, q.k) == (p.m, p.n, p.k)
                };
                assert!(rows.iter().any(|r| same(&r)), "{p}");
            }
        }
    }

    #[test]
    fn rows_that_tell_no_length_are_named_so() {
        let mut rows = gemmscope_table::fixture::Rows::new();
        rows.row((7, 28672 / 2, 4096), "x", 1e-3, "mi300x");
        rows.row((7, 4096, 14336), "x", 1e-3, "mi300x");
        let frame = rows.frame(Some("mi300x"));
        let shapes = distinct(&frame.data, &frame.rows);
        let model = preset("llama-3-8b").unwrap();
        let step = MeasuredStep::of(model, &Index::new(model), &frame, &shapes).unwrap();
        assert_eq!((step.phase, step.batch, step.length), (Phase::Decode, 7, None));
        assert!(!step.told);
        let mut state = ViewState::default();
        step.plan(&mut state, &frame);
        let plan = PlanState::read(&state).0;
        assert_eq!((plan.workload.batch, plan.workload.types.weight), (7, DataType::Fp16));
    }
}
