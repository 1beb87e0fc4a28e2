//! Measured rows and models: the GEMM of a model that each shape is, the preset that fits best,
//! and the step that was measured.

use super::form;
use super::matching::{Index, Match};
use super::state::{PlanState, SCHEMES};
use gemmscope_model::gemm::Problem;
use gemmscope_model::order::InOrder;
use gemmscope_model::transformer::{Attention, Model, Part, Pass, Phase, Workload, preset};
use gemmscope_model::units::{FlopsPerSec, Seconds, percent, plural};
use gemmscope_table::dataset::Dataset;
use gemmscope_table::field::Frame;
use gemmscope_table::result_table::Table;
use gemmscope_table::view_state::ViewState;
use rustc_hash::FxHashMap;

/// A table of the measured shapes that a model has, by total time, with the share of the roof that
/// the fastest row of each reaches.
pub fn measured_table(index: &Index, frame: &Frame, shapes: &[(u32, Problem)]) -> Table {
    /// Time of all calls, share of the roof of the best row, that row, rows.
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
    let mut rows: Vec<(f64, Vec<String>)> = shapes
        .iter()
        .filter_map(|(_, p)| {
            let found = index.find(p)?;
            let (time, efficiency, best, count) =
                *groups.get(&(p.m, p.n, p.k, p.batch, p.op.bias))?;
            let rate = metrics.rate(data, best as usize);
            let or_dash = |known: bool, text: String| if known { text } else { "–".to_owned() };
            let shards = match found.tensor_parallel {
                1 => String::new(),
                n => format!(", 1 of {n} devices"),
            };
            let swapped = if found.transposed { ", M and N swapped" } else { "" };
            let cells = vec![
                format!("{}{shards}{swapped}", found.name()),
                p.m.to_string(),
                p.n.to_string(),
                p.k.to_string(),
                p.batch.to_string(),
                found.tokens.to_string(),
                count.to_string(),
                or_dash(time > 0.0, Seconds(time).to_string()),
                or_dash(rate.is_finite(), FlopsPerSec(rate).to_string()),
                or_dash(efficiency.is_finite(), percent(efficiency)),
            ];
            Some((time, cells))
        })
        .collect();
    rows.order_by(|a, b| b.0.total_cmp(&a.0));
    Table::of(
        &[
            "GEMM",
            "M",
            "N",
            "K",
            "batch",
            "tokens",
            "rows",
            "total time",
            "best rate",
            "of the roof",
        ],
        rows.into_iter().map(|r| r.1).collect(),
    )
}

/// How well a model fits a table.
#[derive(Clone, Debug, PartialEq)]
pub struct Fit {
    /// Id of the preset.
    pub model: String,
    /// Its name.
    pub name: String,
    /// Number of distinct shapes that it has.
    pub matched: usize,
    /// Number of distinct shapes in the table.
    pub of: usize,
}

/// Largest number of shapes that are compared.
const SHAPES: usize = 2000;
/// Largest number of rows that are searched for them.
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

/// The rows of a frame whose sizes a planned step can have: its model's, in its phase and its passes, on as
/// many devices.
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

/// The preset that has most of these shapes on one device, if it has at least two and half of
/// them.
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
        // The first of equally good ones: a family is sorted from small to large.
        .fold(None, |best: Option<Fit>, fit| match best {
            Some(b) if b.matched >= fit.matched => Some(b),
            _ => Some(fit),
        })
}

/// The model for measured rows: the planned one if one was chosen that has any of their shapes, else
/// the preset that has most of them.
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

/// The step that was measured, as far as the shapes tell.
#[derive(Clone, Debug, PartialEq)]
pub struct MeasuredStep {
    /// Prompt or single tokens.
    pub phase: Phase,
    /// Sequences at once.
    pub batch: u32,
    /// Length of a prompt; in decode the context, if an attention product tells it.
    pub length: Option<u32>,
    /// True if gradients were measured too.
    pub backward: bool,
    /// Number of devices that shared the layers.
    pub tensor_parallel: u32,
    /// True if queries, keys and values were one GEMM; `None` if none of them was found.
    pub fuse_qkv: Option<bool>,
    /// True if gate and up projection were one GEMM; `None` if none of them was found.
    pub fuse_gate_up: Option<bool>,
    /// A row of the layer with most time, whose formats and device apply to the step.
    pub row: u32,
    /// Number of tokens that pass through the layers.
    pub tokens: u32,
    /// True if batch and length follow from the shapes; else they are assumed.
    pub told: bool,
}

/// Up to this many tokens, a step without other evidence counts as decode: larger batches and
/// shorter prompts are rare.
const DECODE_TOKENS: u32 = 512;

impl MeasuredStep {
    /// Infers the step from the shapes of a table. `None` if no linear layer of the model is among
    /// them.
    pub fn of(
        model: &Model,
        index: &Index,
        frame: &Frame,
        shapes: &[(u32, Problem)],
    ) -> Option<Self> {
        let found: Vec<(u32, &Problem, Match)> =
            shapes.iter().filter_map(|(row, p)| Some((*row, p, index.find(p)?))).collect();
        let time = |row: u32| {
            let r = row as usize;
            let t = frame.data.time_s[r] * frame.data.count(r);
            if t.is_finite() { t } else { 0.0 }
        };
        let layer = |m: &Match| {
            m.pass == Pass::Forward
                && m.parts.iter().all(|p| !p.is_attention() && !p.is_routed() && *p != Part::LmHead)
        };
        // The layer with most time decides; the first of equal ones.
        let (row, _, main) = found.iter().filter(|f| layer(&f.2)).fold(
            None::<&(u32, &Problem, Match)>,
            |best, f| match best {
                Some(b) if time(b.0) >= time(f.0) => Some(b),
                _ => Some(f),
            },
        )?;
        let tokens = u32::try_from(main.tokens).ok().filter(|t| *t > 0)?;
        // With another number of devices, the shape can belong to another part.
        let has = |part: Part| {
            found
                .iter()
                .any(|f| f.2.tensor_parallel == main.tensor_parallel && f.2.parts.contains(&part))
        };
        let fused = |whole: Part, alone: Part| match (has(whole), has(alone)) {
            // Other parts often have the shape of one projection, but rarely that of a fused one.
            (true, _) => Some(true),
            (false, true) => Some(false),
            _ => None,
        };
        // Only the gradient of a weight sums over the tokens; that of an input often has the shape
        // of another layer.
        let backward =
            found.iter().any(|f| f.2.pass == Pass::WeightGradient && f.2.tokens == main.tokens);
        let heads = match model.attention {
            Attention::Grouped { kv_heads, .. } => [model.heads, kv_heads],
            Attention::Latent { .. } => [model.heads, model.heads],
        };
        // Q K^T of `sequences x heads` products: rows are new positions, columns the context.
        let scores = found.iter().find_map(|(_, p, m)| {
            if m.parts != [Part::Scores] {
                return None;
            }
            heads.iter().find_map(|all| {
                let h = all / main.tensor_parallel;
                let sequences = p.batch.checked_div(h).filter(|_| p.batch.is_multiple_of(h))?;
                let whole = sequences.checked_mul(p.n) == Some(tokens);
                match (whole, sequences == tokens) {
                    (true, _) if p.n > 1 => Some((Phase::Prefill, sequences, p.n)),
                    (_, true) => Some((Phase::Decode, sequences, p.n)),
                    _ => None,
                }
            })
        });
        // The output projection runs for the last position of each sequence.
        let last = found.iter().find_map(|(_, _, m)| {
            let rows = u32::try_from(m.tokens).ok()?;
            let is = m.parts == [Part::LmHead] && m.pass == Pass::Forward;
            (is && rows > 0 && rows < tokens && tokens.is_multiple_of(rows))
                .then(|| (Phase::Prefill, rows, tokens / rows))
        });
        let (phase, batch, length, told) = match (scores.or(last), backward) {
            (Some((phase, batch, length)), _) => (phase, batch, Some(length), true),
            (None, false) if tokens <= DECODE_TOKENS => (Phase::Decode, tokens, None, false),
            (None, _) => (Phase::Prefill, 1, Some(tokens), false),
        };
        Some(MeasuredStep {
            phase,
            batch,
            length,
            backward,
            tensor_parallel: main.tensor_parallel,
            fuse_qkv: fused(Part::Qkv, Part::Query),
            fuse_gate_up: fused(Part::GateUp, Part::Gate),
            row: *row,
            tokens,
            told,
        })
    }

    /// True if a workload equals this step in everything that is known.
    pub fn is(&self, w: &Workload) -> bool {
        (self.phase, self.batch, self.backward, self.tensor_parallel)
            == (w.phase, w.batch, w.backward, w.tensor_parallel)
            && self.length.is_none_or(|l| l == w.length)
            && self.fuse_qkv.is_none_or(|f| f == w.fuse_qkv)
            && self.fuse_gate_up.is_none_or(|f| f == w.fuse_gate_up)
    }

    /// A sentence about the step and what is assumed.
    pub fn sentence(&self) -> String {
        let n = plural(self.batch.into(), "sequence");
        let step = match (self.phase, self.length) {
            (Phase::Prefill, Some(l)) => format!("{n} of {l} tokens"),
            (_, Some(l)) => format!("decode of {n}, context {l}"),
            (_, None) => format!("decode of {n}"),
        };
        let pass = if self.backward { ", forward and backward" } else { "" };
        let why = match (self.told, self.phase) {
            (true, _) => String::new(),
            (false, Phase::Decode) => format!(" (M up to {DECODE_TOKENS} counts as decode)"),
            (false, Phase::Prefill) => {
                " (as one sequence: linear layers don't show the count)".to_owned()
            }
        };
        format!("{} per layer: {step}{pass}{why}.", plural(self.tokens.into(), "token"))
    }

    /// Sets the plan to this step, with the device and the formats of its rows.
    pub fn plan(&self, state: &mut ViewState, frame: &Frame) {
        let types = frame.data.problem(self.row as usize).op;
        let scheme = SCHEMES.iter().find(|s| {
            let t = s.types;
            (t.activation, t.weight, t.output) == (types.a, types.b, types.c)
        });
        let device = frame
            .metrics
            .devices
            .get(frame.data.device[self.row as usize] as usize)
            .and_then(Option::as_ref);
        let yes = |on: bool| if on { "1" } else { "0" };
        let mut set = vec![
            (
                "plan.phase",
                match self.phase {
                    Phase::Prefill => "prefill",
                    Phase::Decode => "decode",
                }
                .to_owned(),
            ),
            ("plan.pass", if self.backward { "both" } else { "forward" }.to_owned()),
            ("plan.tp", self.tensor_parallel.to_string()),
            ("plan.batch", self.batch.to_string()),
        ];
        set.extend(self.length.map(|l| ("plan.length", l.to_string())));
        set.extend(self.fuse_qkv.map(|f| ("plan.qkv", yes(f).to_owned())));
        set.extend(self.fuse_gate_up.map(|f| ("plan.gate_up", yes(f).to_owned())));
        set.extend(scheme.map(|s| ("plan.types", s.id.to_owned())));
        set.extend(device.map(|d| ("plan.devices", d.id.clone())));
        let groups = form::groups(state);
        for (key, value) in set {
            match groups.iter().flat_map(|g| &g.controls).find(|c| c.key == key) {
                Some(control) => form::choose(state, control, &value),
                None => state.set_param(key, value),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gemmscope_model::dtype::DataType;

    /// The linear layers of qwen1.5-0.5b over `tokens` tokens, and a GEMM that is none of them.
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
        let table = measured_table(&index, &frame, &shapes);
        assert_eq!(table.rows.len(), 4);
        let row = table.rows.iter().find(|r| r[2] == "2816").unwrap();
        assert_eq!(row[0], "gate_proj or up_proj");
        assert_eq!((row[1].as_str(), row[3].as_str()), ("8944", "1024"));
        assert!(row[9].ends_with('%'), "{row:?}");
        let up = shapes.iter().find(|(_, p)| (p.m, p.n, p.k) == (8944, 2816, 1024)).unwrap();
        assert!(index.find(&up.1).unwrap().parts.contains(&Part::Up));
    }

    /// The step that a plan's own rows are read as.
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
        // A layer of 8 tokens, one of 8192, the gradient of a weight over 8192.
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
        assert_eq!(
            step.sentence(),
            "8944 tokens per layer: 1 sequence of 8944 tokens (as one sequence: linear layers don't \
             show the count)."
        );
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
        // Every matched shape is now one of the plan's.
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
        assert!(!step.told && step.sentence().contains("counts as decode"));
        let mut state = ViewState::default();
        step.plan(&mut state, &frame);
        let plan = PlanState::read(&state).0;
        assert_eq!((plan.workload.batch, plan.workload.types.weight), (7, DataType::Fp16));
    }
}
