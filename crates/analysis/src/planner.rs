//! The planner: roofline times of a model's GEMMs, before anything runs.
//!
//! [`PlanState`] holds the settings, [`Plan`] the result on each device: every GEMM with its roof, its best time and
//! the batch at which it crosses the ridge point, and the totals of a layer and a step. [`matching`] finds the planned
//! GEMM of a measured row.
//!
//! ```
//! use gemmscope_analysis::planner::{Plan, PlanState};
//! use gemmscope_table::view_state::ViewState;
//! let (state, _) = ViewState::decode("plan.model=llama-2-7b&plan.devices=a100-80-sxm");
//! let plan = Plan::new(PlanState::read(&state).0, &[]);
//! let rows = &plan.steps[0].result.as_ref().map_err(|e| e.to_string())?.rows;
//! assert_eq!((rows[0].problem().n, rows[0].problem().k), (12288, 4096));
//! # Ok::<(), String>(())
//! ```

use gemmscope_model::gemm::Problem;
use gemmscope_model::hardware;
use gemmscope_model::hardware::Device;
use gemmscope_model::transformer::{
    GemmBest, LayerPart, Model, ModelGemm, Pass, Phase, StepTotals, TotalsError, Workload,
};
use gemmscope_model::units::{Bytes, Seconds};
use gemmscope_table::build::{Row, TableBuilder};
use gemmscope_table::dataset::{ColumnMeaning, Dataset};

mod fields;
pub mod form;
pub mod fusion;
pub mod matching;
pub mod measured;
pub mod spread;
mod state;

pub use fields::ModelField;
pub use state::{LARGEST, PlanState, Scheme, Trail};

/// One GEMM of a step at its roof.
#[derive(Clone, Debug, PartialEq)]
pub struct PlanRow {
    /// Name: `up_proj`, `down_proj dW`.
    pub name: String,
    /// The GEMM, its roof, best times and bound.
    pub best: GemmBest,
    /// Fraction of the step's best time.
    pub share: f64,
    /// Smallest number of tokens in the step at which it reaches the ridge point, if any.
    pub ridge_tokens: Option<u64>,
    /// The same as a batch of sequences of the chosen length.
    pub ridge_batch: Option<u64>,
}

impl PlanRow {
    /// The shape on one device.
    pub fn problem(&self) -> &Problem {
        &self.best.gemm.problem
    }

    /// Arithmetic intensity, FLOP/byte.
    pub fn intensity(&self) -> f64 {
        self.problem().intensity().0
    }

    /// Attainable rate, FLOP/s.
    pub fn rate(&self) -> f64 {
        self.best.roof.at(self.intensity())
    }
}

/// An earlier position of a row on the roofline, part of its trail.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Way {
    /// Value of the slider: batch or length.
    pub value: u32,
    /// Arithmetic intensity, FLOP/byte.
    pub ai: f64,
    /// Attainable rate, FLOP/s.
    pub rate: f64,
}

/// GEMMs that cross the ridge point of one roof.
#[derive(Clone, Debug, PartialEq)]
pub struct Crossing {
    /// Ridge point, FLOP/byte.
    pub ridge: f64,
    /// Peak, FLOP/s.
    pub peak: f64,
    /// The GEMMs.
    pub rows: Vec<CrossingRow>,
    /// Index of the GEMM with most of the step's time.
    pub leading: usize,
}

/// A GEMM that crosses a ridge point.
#[derive(Clone, Debug, PartialEq)]
pub struct CrossingRow {
    /// Name.
    pub name: String,
    /// Smallest batch at which it is past the ridge point, if any.
    pub ridge_batch: Option<u64>,
    /// Index in [`Step::rows`].
    pub row: usize,
}

/// A step on one device.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// Every GEMM, in layer order.
    pub rows: Vec<PlanRow>,
    /// Totals of the step.
    pub totals: StepTotals,
    /// Best time per layer, averaged over all layers.
    pub layer_time: Seconds,
    /// Best time of the step per output token (decode: per token of one sequence).
    pub token_time: Seconds,
}

impl Step {
    /// Bytes that the bias gradients read: dY of each layer with a bias, M N elements once. They are sums over the rows
    /// of dY and not GEMMs, so they are in no time of the step.
    pub fn bias_gradients(&self) -> Bytes {
        let forward = self.rows.iter().map(|r| &r.best.gemm).filter(|g| g.pass == Pass::Forward);
        let biased = forward.filter(|g| g.problem.op.bias);
        let bytes = |g: &ModelGemm| {
            let p = &g.problem;
            f64::from(p.m) * f64::from(p.n) * f64::from(p.batch) * p.op.c.bytes() * g.count as f64
        };
        Bytes(biased.map(bytes).sum())
    }
}

/// A device and the step on it.
#[derive(Clone, Debug, PartialEq)]
pub struct DeviceStep {
    /// The device.
    pub device: Device,
    /// The step, or why it has no best time there.
    pub result: Result<Step, TotalsError>,
}

/// A plan on each of its devices.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// The settings.
    pub state: PlanState,
    /// Steps in the order of the chosen devices.
    pub steps: Vec<DeviceStep>,
    /// Chosen ids that match no device.
    pub unknown: Vec<String>,
    /// No device is chosen: the only step is an example, on [`EXAMPLE`].
    pub example: bool,
}

/// The device of a plan for which none is chosen.
const EXAMPLE: &str = "h100-sxm";

/// Times of a step at one batch, seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BatchTime {
    /// Sequences in the step.
    pub batch: u32,
    /// Every GEMM at its roof.
    pub best_s: f64,
    /// Expected.
    pub expected_s: f64,
}

/// Largest batch of [`Plan::over_batch`] for a small one.
const BATCHES: u32 = 1024;

/// Name of a GEMM in a list: the part, and for a gradient which one.
pub(crate) fn row_name(part: LayerPart, pass: Pass) -> String {
    let label = part.label();
    match pass {
        Pass::Forward => label,
        Pass::InputGradient => format!("{label} dX"),
        Pass::WeightGradient => format!("{label} dW"),
    }
}

/// The problem with its token dimension (M, or K for a weight gradient) set to `tokens`.
fn with_tokens(problem: &Problem, pass: Pass, tokens: u32) -> Problem {
    match pass {
        Pass::WeightGradient => Problem { k: tokens, ..*problem },
        _ => Problem { m: tokens, ..*problem },
    }
}

impl Plan {
    /// Computes a plan. `own` are the user's devices, which replace catalogue devices of the same id.
    pub fn new(state: PlanState, own: &[Device]) -> Self {
        let mut steps = Vec::new();
        let mut unknown = Vec::new();
        let example = state.devices.is_empty();
        let chosen = state.devices.iter().map(String::as_str);
        for id in chosen.chain(example.then_some(EXAMPLE)) {
            let Some(device) = own.iter().find(|d| d.id == *id).or_else(|| hardware::by_id(id))
            else {
                unknown.push(id.to_owned());
                continue;
            };
            let result = step(&state, device);
            steps.push(DeviceStep { device: device.clone(), result });
        }
        Plan { state, steps, unknown, example }
    }

    /// Time of the step on each device, in the order of [`steps`](Self::steps), at every power of two up to four times
    /// the chosen batch (at least 1024), and at the chosen one; ascending. Empty for a device without a step.
    pub fn over_batch(&self) -> Vec<Vec<BatchTime>> {
        let chosen = self.state.workload.batch;
        let last = chosen.saturating_mul(4).clamp(BATCHES, LARGEST);
        let mut batches: Vec<u32> =
            (0..u32::BITS).map(|i| 1 << i).take_while(|b| *b <= last).collect();
        batches.push(chosen);
        batches.sort_unstable();
        batches.dedup();
        let at = |device: &Device, batch: u32| {
            let workload = Workload { batch, ..self.state.workload };
            let totals = self.state.model.totals(&workload, device, self.state.roof).ok()?;
            Some(BatchTime { batch, best_s: totals.time.0, expected_s: totals.expected.0 })
        };
        let on = |step: &DeviceStep| batches.iter().filter_map(|b| at(&step.device, *b)).collect();
        self.steps.iter().map(on).collect()
    }

    /// The first device's step.
    pub fn first(&self) -> Option<&Step> {
        self.steps.first().and_then(|s| s.result.as_ref().ok())
    }

    /// Batches at which the first device's linear layers cross the ridge point, one entry per roof.
    pub fn crossings(&self) -> Vec<Crossing> {
        let mut out: Vec<(Crossing, f64)> = Vec::new();
        let rows = self.first().map_or(&[][..], |s| &s.rows);
        for (i, row) in rows.iter().enumerate() {
            if row.best.gemm.part.is_attention() {
                continue;
            }
            let (ridge, peak) = (row.best.roof.ridge(), row.best.roof.peak_flops_per_s);
            let at = match out.iter().position(|c| c.0.ridge == ridge && c.0.peak == peak) {
                Some(i) => i,
                None => {
                    let rows = Vec::new();
                    let new = Crossing { ridge, peak, rows, leading: 0 };
                    out.push((new, f64::NEG_INFINITY));
                    out.len() - 1
                }
            };
            let (crossing, share) = &mut out[at];
            // Experts need far more tokens than the layers around them.
            let weight = match row.ridge_batch {
                Some(_) if !row.best.gemm.part.is_routed() => row.share,
                _ => -1.0,
            };
            if weight > *share {
                (*share, crossing.leading) = (weight, crossing.rows.len());
            }
            let (name, ridge_batch) = (row.name.clone(), row.ridge_batch);
            crossing.rows.push(CrossingRow { name, ridge_batch, row: i });
        }
        out.into_iter().map(|c| c.0).collect()
    }

    /// The GEMMs as rows without a time, one per GEMM and device, to show with measured ones.
    pub fn dataset(&self) -> Dataset {
        let mut table = TableBuilder::new();
        for step in &self.steps {
            let Ok(result) = &step.result else { continue };
            let device = table.device(&step.device.name);
            for row in &result.rows {
                let Problem { m, n, k, batch, op } = *row.problem();
                let (model, name) = (&self.state.model.name, &row.name);
                for (meaning, text) in
                    [(ColumnMeaning::Model, model), (ColumnMeaning::OpName, name)]
                {
                    table.stage_text(meaning, meaning.id(), text.as_bytes());
                }
                let count = ColumnMeaning::Count;
                table.stage_number(count, count.id(), row.best.gemm.count as f64);
                let line = table.len() as u32 + 1;
                table.commit(line, b"", Ok(Row { m, n, k, batch, op, device, time_s: f64::NAN }));
            }
        }
        let mut data = table.finish();
        for source in &mut data.sources {
            source.name = "attainable".to_owned();
            source.format = "plan".to_owned();
            source.format_name = "Plan".to_owned();
        }
        data
    }

    /// Trail of each of the first device's rows: its positions while one slider doubles from 1 to the chosen value,
    /// exclusive.
    pub fn trails(&self) -> Vec<Vec<Way>> {
        let Some((device, first)) =
            self.steps.first().and_then(|s| Some((&s.device, s.result.as_ref().ok()?)))
        else {
            return Vec::new();
        };
        let mut out = vec![Vec::new(); first.rows.len()];
        let end = match self.state.trail {
            Trail::Off => return out,
            Trail::Batch => self.state.workload.batch,
            Trail::Length => self.state.workload.length,
        };
        let values = (0..31).map(|i| 1u32 << i).take_while(|v| *v < end);
        for value in values {
            let mut state = self.state.clone();
            match self.state.trail {
                Trail::Length => state.workload.length = value,
                _ => state.workload.batch = value,
            }
            let Ok(gemms) = state.model.gemms(&state.workload) else {
                continue;
            };
            for (row, way) in first.rows.iter().zip(&mut out) {
                let same =
                    |g: &&ModelGemm| g.part == row.best.gemm.part && g.pass == row.best.gemm.pass;
                let roof = device.roof(row.problem().op.compute, self.state.roof);
                if let (Some(gemm), Some(roof)) = (gemms.iter().find(same), roof) {
                    let ai = gemm.problem.intensity().0;
                    let rate = roof.at(ai);
                    way.push(Way { value, ai, rate });
                }
            }
        }
        out
    }
}

fn step(state: &PlanState, device: &Device) -> Result<Step, TotalsError> {
    let model = &state.model;
    let workload = &state.workload;
    let totals = model.totals(workload, device, state.roof)?;
    let whole = totals.time.0;
    let rows = totals
        .gemms
        .iter()
        .map(|best| {
            let tokens = ridge_tokens(model, best);
            let per_sequence = match workload.phase {
                Phase::Decode => 1,
                // The output projection runs only for the last position of a sequence.
                Phase::Prefill if best.gemm.part == LayerPart::LmHead && !workload.backward => 1,
                Phase::Prefill => u64::from(workload.length),
            };
            PlanRow {
                name: row_name(best.gemm.part, best.gemm.pass),
                best: *best,
                share: best.total_time.0 / whole,
                ridge_tokens: tokens,
                ridge_batch: tokens.map(|t| t.div_ceil(per_sequence.max(1))),
            }
        })
        .collect();
    let head: f64 = totals
        .gemms
        .iter()
        .filter(|best| best.gemm.part == LayerPart::LmHead)
        .map(|best| best.total_time.0)
        .sum();
    Ok(Step {
        rows,
        layer_time: Seconds((whole - head) / f64::from(model.layers.max(1))),
        token_time: Seconds(match workload.phase {
            Phase::Decode => whole,
            Phase::Prefill => whole / workload.tokens().max(1) as f64,
        }),
        totals,
    })
}

/// Tokens of the step at which a linear layer reaches the ridge point. A routed expert gets only its share of them.
fn ridge_tokens(model: &Model, best: &GemmBest) -> Option<u64> {
    let gemm = &best.gemm;
    if gemm.part.is_attention() {
        return None;
    }
    let rows =
        u64::from(best.roof.ridge_size(|tokens| with_tokens(&gemm.problem, gemm.pass, tokens))?);
    let rows_a_token = match model.experts {
        Some(experts) if gemm.part.is_routed() => u64::from(experts.per_token.max(1)),
        _ => 1,
    };
    Some(rows.div_ceil(rows_a_token))
}

#[cfg(test)]
mod tests;
