//! Shows where time is lost, and what reaching a goal would change end to end.

use gemmscope_model::hardware::{Device, RoofKind};
use gemmscope_model::order::InOrder;
use gemmscope_model::roofline::Roof;
use gemmscope_table::field::{Categories, Codes, Field, Frame};
use std::collections::HashMap;
use std::sync::Arc;

/// The rows with one value of a field.
#[derive(Clone, Debug, PartialEq)]
pub struct Bar {
    /// The value; "" for rows without one.
    pub value: String,
    /// Its rows, ascending.
    pub rows: Vec<u32>,
    /// Time of all calls, seconds.
    pub time_s: f64,
    /// Time minus roof time of all calls, seconds. Rows above their roof count as 0.
    pub lost_s: f64,
    /// Share of all lost time.
    pub share: f64,
    /// Share of all lost time in the bars up to this one.
    pub cumulative: f64,
}

/// Lost time by the values of a field, most first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pareto {
    /// The bars.
    pub bars: Vec<Bar>,
    /// Number of values that the last bar joins; 0 if all have their own bar.
    pub others: usize,
    /// All lost time, seconds.
    pub lost_s: f64,
    /// All measured time, seconds.
    pub time_s: f64,
    /// Measured time without a known roof, which is in no bar.
    pub without_roof_s: f64,
}

impl Pareto {
    /// Number of bars that together have at least this share of the lost time.
    pub fn bars_for(&self, share: f64) -> usize {
        self.bars
            .iter()
            .position(|b| b.cumulative >= share - 1e-12)
            .map_or(self.bars.len(), |i| i + 1)
    }
}

fn code(categories: &Categories<'_>, row: usize) -> u32 {
    match &categories.codes {
        Codes::Direct(codes) => codes[row],
        Codes::Mapped(codes, map) => map[usize::from(codes[row])],
        Codes::Owned(codes) => codes[row],
    }
}

/// Lost time of the rows of one side by the values of a field; of all rows that count where no
/// sides are compared. The values beyond `limit` bars are joined into one.
pub fn pareto(frame: &Frame, side: usize, field: &Field, limit: usize) -> Pareto {
    let (data, metrics) = (&*frame.data, &*frame.metrics);
    let categories = frame.categories(field);
    let mut found: HashMap<u32, usize> = HashMap::new();
    let mut out = Pareto::default();
    for &row in rows_of(frame, side).iter() {
        let r = row as usize;
        let time = data.time_s[r] * frame.calls(r);
        if time.is_nan() {
            continue;
        }
        out.time_s += time;
        let roof = metrics.roof_s[r] * frame.calls(r);
        if roof.is_nan() {
            out.without_roof_s += time;
            continue;
        }
        let c = code(&categories, r);
        let at = *found.entry(c).or_insert_with(|| {
            out.bars.push(Bar {
                value: categories.values.get(c as usize).cloned().unwrap_or_default(),
                rows: Vec::new(),
                time_s: 0.0,
                lost_s: 0.0,
                share: 0.0,
                cumulative: 0.0,
            });
            out.bars.len() - 1
        });
        let bar = &mut out.bars[at];
        bar.rows.push(row);
        bar.time_s += time;
        bar.lost_s += (time - roof).max(0.0);
    }
    out.bars.order_by(|a, b| b.lost_s.total_cmp(&a.lost_s).then(a.value.cmp(&b.value)));
    if limit > 0 && out.bars.len() > limit {
        let rest = out.bars.split_off(limit - 1);
        out.others = rest.len();
        let mut rows: Vec<u32> = rest.iter().flat_map(|b| b.rows.iter().copied()).collect();
        rows.sort_unstable();
        out.bars.push(Bar {
            value: format!("{} others", rest.len()),
            rows,
            time_s: rest.iter().map(|b| b.time_s).sum(),
            lost_s: rest.iter().map(|b| b.lost_s).sum(),
            share: 0.0,
            cumulative: 0.0,
        });
    }
    out.lost_s = out.bars.iter().map(|b| b.lost_s).sum();
    let mut sum = 0.0;
    for bar in &mut out.bars {
        sum += bar.lost_s;
        if out.lost_s > 0.0 {
            bar.share = bar.lost_s / out.lost_s;
            bar.cumulative = sum / out.lost_s;
        }
    }
    out
}

/// The rows that count on one side.
pub fn rows_of(frame: &Frame, side: usize) -> Arc<Vec<u32>> {
    let sides = &frame.counted().sides;
    sides.get(side).map_or_else(Arc::default, |s| s.rows.clone())
}

/// Efficiency that tuned kernels usually reach with large GEMMs.
const USUAL_GOAL: f64 = 0.8;

/// A goal for a group of rows.
#[derive(Clone, Debug, PartialEq)]
pub enum Goal {
    /// This efficiency; rows with a higher one do not change. A call takes its launch besides its roof
    /// time at least, so rows of a few microseconds stay below.
    Efficiency(f64),
    /// Another device, with the current efficiency of each row.
    Device(Box<Device>),
}

/// The effect of reaching a goal.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct WhatIf {
    /// The group's time now, seconds.
    pub group_before_s: f64,
    /// The group's time then.
    pub group_after_s: f64,
    /// All GEMMs of the frame now, seconds.
    pub gemm_before_s: f64,
    /// All GEMMs then.
    pub gemm_after_s: f64,
    /// Time outside the GEMMs, which does not change.
    pub other_s: f64,
    /// Rows without a known roof, which do not change.
    pub unknown_rows: u64,
}

impl WhatIf {
    /// End to end now, seconds.
    pub fn before_s(&self) -> f64 {
        self.gemm_before_s + self.other_s
    }

    /// End to end then.
    pub fn after_s(&self) -> f64 {
        self.gemm_after_s + self.other_s
    }

    /// End-to-end speed-up: by Amdahl's law never more than `before / (before - group)`.
    pub fn speedup(&self) -> f64 {
        self.before_s() / self.after_s()
    }

    /// The speed-up if this group took no time.
    pub fn limit(&self) -> f64 {
        self.before_s() / (self.before_s() - self.group_before_s)
    }
}

/// Time outside the rows of a frame, seconds, from the traces of its sources. Includes GEMMs that
/// are filtered out. 0 if no source has a trace.
pub fn other_time_s(frame: &Frame) -> f64 {
    let data = &*frame.data;
    let count = data.sources.len();
    let by_source = |rows: &mut dyn Iterator<Item = usize>| {
        let mut sums = vec![0.0; count];
        for r in rows {
            let time = data.time_s[r] * frame.calls(r);
            if time.is_finite()
                && let Some(sum) = sums.get_mut(usize::from(data.source[r]))
            {
                *sum += time;
            }
        }
        sums
    };
    let own = by_source(&mut frame.rows.iter().map(|r| *r as usize));
    let all = by_source(&mut (0..data.len()));
    data.sources
        .iter()
        .zip(own.into_iter().zip(all))
        .filter(|(_, (own, _))| *own > 0.0)
        .map(|(source, (own, all))| {
            let listed = source.not_gemm.time_s + source.without_model.time_s;
            let traced = source.trace.as_ref().and_then(|t| t.other_s(own));
            match traced {
                Some(other) => other,
                None if listed > 0.0 => listed + all - own,
                None => 0.0,
            }
        })
        .sum()
}

/// The user's figure for the time outside the GEMMs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Besides {
    /// None: the figures of the files apply.
    Files,
    /// This long outside the GEMMs, seconds.
    Other(f64),
    /// This long with the GEMMs, seconds.
    Whole(f64),
}

impl Besides {
    /// Seconds outside the GEMMs of a frame, which take `gemm_s`. An error sentence if the whole is
    /// shorter than the GEMMs.
    pub fn seconds(self, frame: &Frame, gemm_s: f64) -> Result<f64, String> {
        match self {
            Besides::Files => Ok(other_time_s(frame)),
            Besides::Other(s) => Ok(s),
            Besides::Whole(s) if s >= gemm_s => Ok(s - gemm_s),
            Besides::Whole(s) => Err(format!(
                "A step of {} is shorter than its GEMMs, which take {}: nothing is counted besides them.",
                gemmscope_model::units::Seconds(s),
                gemmscope_model::units::Seconds(gemm_s)
            )),
        }
    }
}

/// The effect end to end if `rows` of one side reach a goal. `other_s` is the time outside the
/// GEMMs: [`other_time_s`], or the user's figure.
pub fn what_if(frame: &Frame, side: usize, rows: &[u32], goal: &Goal, other_s: f64) -> WhatIf {
    let (data, metrics) = (&*frame.data, &*frame.metrics);
    let total = |r: usize| {
        let time = data.time_s[r] * frame.calls(r);
        if time.is_finite() { time } else { 0.0 }
    };
    let mut out = WhatIf { other_s: other_s.max(0.0), ..WhatIf::default() };
    for &row in rows_of(frame, side).iter() {
        out.gemm_before_s += total(row as usize);
    }
    let counted = rows_of(frame, side);
    for &row in rows {
        let r = row as usize;
        // A slower variant is in no total, so it changes none.
        if counted.binary_search(&row).is_err() {
            continue;
        }
        let before = total(r);
        let roof = metrics.roof_s[r] * frame.calls(r);
        let after = match goal {
            Goal::Efficiency(e) => {
                let launches = metrics.launch_floor_s(data.device[r]) * frame.calls(r);
                before.min((roof + launches).max(roof / e.clamp(1e-6, 1.0)))
            }
            Goal::Device(device) => {
                let problem = data.problem(r);
                let there = device.roof(problem.op.compute, metrics.kind);
                before * there.map_or(f64::NAN, |t| t.problem_time_s(&problem)) / metrics.roof_s[r]
            }
        };
        out.group_before_s += before;
        // `min` ignores NaN, so the roof is checked itself.
        if roof.is_nan() || after.is_nan() {
            out.unknown_rows += u64::from(before > 0.0);
            out.group_after_s += before;
        } else {
            out.group_after_s += after;
        }
    }
    out.gemm_after_s = out.gemm_before_s - out.group_before_s + out.group_after_s;
    out
}

/// The efficiency that a what-if starts from: 0.8, or, where that is less, what the rows of one side
/// would reach at the device's max-achievable rate. A whole percentage.
pub fn usual_goal(frame: &Frame, side: usize) -> f64 {
    let (data, metrics) = (&*frame.data, &*frame.metrics);
    let mut ratios: HashMap<_, Option<[Roof; 2]>> = HashMap::new();
    let (mut ours, mut measured) = (0.0, 0.0);
    for &row in rows_of(frame, side).iter() {
        let r = row as usize;
        let roof_s = metrics.roof_s[r] * frame.calls(r);
        if roof_s.is_nan() {
            continue;
        }
        let roofs = ratios.entry((data.device[r], data.op[r])).or_insert_with(|| {
            let device = metrics.devices.get(usize::from(data.device[r]))?.as_ref()?;
            let measured = device.roof(data.problem(r).op.compute, RoofKind::Achievable)?;
            Some([metrics.roof_of(data.device[r], data.op[r])?, measured])
        });
        let ratio = roofs.map_or(1.0, |roofs| {
            let [ours, measured] = roofs.map(|roof| roof.at(metrics.ai[r]));
            ours / measured
        });
        ours += roof_s;
        measured += roof_s * ratio;
    }
    match ours < USUAL_GOAL * measured {
        true => (100.0 * ours / measured).floor() / 100.0,
        false => USUAL_GOAL,
    }
}

/// Number of the frame's operations for which the device has a roof.
pub fn known_types(frame: &Frame, device: &Device, kind: RoofKind) -> usize {
    frame.data.ops.iter().filter(|op| device.roof(op.compute, kind).is_some()).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use gemmscope_model::dtype::DataType;
    use gemmscope_model::gemm::Operation;
    use gemmscope_model::hardware;
    use gemmscope_table::data_kind::DataKind;
    use gemmscope_table::dataset::{ColumnMeaning, TraceContext};
    use gemmscope_table::fixture::Rows;
    use gemmscope_table::metrics::Metrics;
    use proptest::prelude::*;

    /// Rows of bf16 GEMMs on an H100: shape, time in µs, layer.
    fn frame(rows: &[((u32, u32, u32), f64, &str)]) -> Frame {
        let mut t = Rows::new();
        let layer = t.table().text_column(ColumnMeaning::Other, "layer");
        for (shape, us, name) in rows {
            t.table().set_text(layer, name.as_bytes());
            t.typed(*shape, Operation::uniform(DataType::Bf16), "", us * 1e-6, "");
        }
        t.frame(Some("h100-sxm")).as_kind(Some(DataKind::Workload))
    }

    fn three() -> Frame {
        frame(&[
            ((4096, 4096, 4096), 1000.0, "mlp"),
            ((4096, 4096, 4096), 300.0, "mlp"),
            ((1024, 4096, 4096), 200.0, "qkv"),
        ])
    }

    #[test]
    fn bars_are_cumulative_and_complete() {
        let f = three();
        let layer = Field::parse("c.layer").expect("a column");
        let p = pareto(&f, 0, &layer, 10);
        assert_eq!(p.bars.len(), 2);
        assert_eq!((p.bars[0].value.as_str(), &p.bars[0].rows), ("mlp", &vec![0, 1]));
        assert!((p.bars[1].cumulative - 1.0).abs() < 1e-12);
        assert!((p.time_s - 1500e-6).abs() < 1e-15);
        assert_eq!((p.bars_for(0.5), p.bars_for(1.0)), (1, 2));
        let one = pareto(&f, 0, &Field::Shape, 1);
        assert_eq!((one.bars.len(), one.others), (1, 2));
        assert!((one.lost_s - p.lost_s).abs() < 1e-15);
    }

    #[test]
    fn amdahl() {
        let f = three();
        let roof = f.metrics.roof_s[0];
        let w = what_if(&f, 0, &[0], &Goal::Efficiency(0.5), 500e-6);
        assert!((w.group_after_s - roof / 0.5).abs() < 1e-15);
        assert!((w.before_s() - 2000e-6).abs() < 1e-15);
        assert!((w.after_s() - (2000e-6 - 1000e-6 + roof / 0.5)).abs() < 1e-15);
        assert!((w.limit() - 2.0).abs() < 1e-12 && w.speedup() < w.limit());
        // A goal below what is reached changes nothing.
        let w = what_if(&f, 0, &[0, 1, 2], &Goal::Efficiency(0.01), 0.0);
        assert_eq!(w.speedup(), 1.0);
        // Twice the bandwidth and peak: half the time at the same efficiency.
        let mut twice = hardware::by_id("h100-sxm").cloned().expect("in the catalogue");
        twice.bandwidth_bytes_per_s *= 2.0;
        for p in &mut twice.peaks {
            p.flops_per_s *= 2.0;
        }
        let w = what_if(&f, 0, &[0, 1, 2], &Goal::Device(Box::new(twice)), 1500e-6);
        assert!((w.speedup() - 3000.0 / 2250.0).abs() < 1e-9);
        // A device without such a peak changes nothing, and says so.
        let mut none = hardware::by_id("h100-sxm").cloned().expect("in the catalogue");
        none.peaks.clear();
        let w = what_if(&f, 0, &[0, 1, 2], &Goal::Device(Box::new(none)), 0.0);
        assert_eq!((w.speedup(), w.unknown_rows), (1.0, 3));
    }

    #[test]
    fn a_goal_leaves_each_call_its_launch() {
        let f = frame(&[((512, 512, 512), 200.0, "small")]);
        let w = what_if(&f, 0, &[0], &Goal::Efficiency(1.0), 0.0);
        assert!((w.group_after_s - f.metrics.roof_s[0] - 4.5e-6).abs() < 1e-15);
    }

    #[test]
    fn a_goal_is_no_higher_than_what_was_measured_with_large_gemms() {
        let goal = |device: &str| {
            let f = three();
            let device = hardware::by_id(device).cloned();
            let metrics = Metrics::compute(&f.data, vec![device], RoofKind::Datasheet);
            usual_goal(&f.with_metrics(Arc::new(metrics)), 0)
        };
        assert_eq!(goal("h100-sxm"), USUAL_GOAL);
        let bf16 = |kind| {
            let roof = hardware::by_id("mi300x")?.roof(DataType::Bf16, kind)?;
            Some(roof.peak_flops_per_s)
        };
        let share = bf16(RoofKind::Achievable).unwrap() / bf16(RoofKind::Datasheet).unwrap();
        assert_eq!(goal("mi300x"), (100.0 * share).floor() / 100.0);
        assert!(goal("mi300x") < 0.6);
    }

    #[test]
    fn the_users_word_on_everything_else() {
        let f = three();
        assert_eq!(Besides::Files.seconds(&f, 1500e-6), Ok(0.0));
        assert_eq!(Besides::Other(2e-3).seconds(&f, 1500e-6), Ok(2e-3));
        let left = Besides::Whole(2e-3).seconds(&f, 1500e-6).expect("longer");
        assert!((left - 500e-6).abs() < 1e-15);
        let why = Besides::Whole(1e-3).seconds(&f, 1500e-6).unwrap_err();
        assert!(why.contains("shorter than its GEMMs"), "{why}");
    }

    #[test]
    fn the_time_of_everything_else_is_kept() {
        // 1.5 ms of GEMMs in 4 ms of computing.
        let f = three();
        let mut data = (*f.data).clone();
        data.sources[0].trace =
            Some(Box::new(TraceContext { compute_s: Some(4e-3), ..TraceContext::default() }));
        let f = Frame::all(Arc::new(data), f.metrics.clone());
        let other = other_time_s(&f);
        assert!((other - 2.5e-3).abs() < 1e-12, "{other}");
        let w = what_if(&f, 0, &f.rows, &Goal::Efficiency(0.8), other);
        assert!((w.before_s() - 4e-3).abs() < 1e-12);
        let roofs: f64 = f.metrics.roof_s.iter().sum();
        assert!((w.after_s() - (2.5e-3 + roofs / 0.8)).abs() < 1e-12);
        // Filtered to one of its GEMMs the others are part of what stays.
        let one = f.with_rows(Arc::new(vec![0]));
        let w = what_if(&one, 0, &[0], &Goal::Efficiency(0.8), other_time_s(&one));
        assert!((w.before_s() - 4e-3).abs() < 1e-12, "{w:?}");
    }

    proptest! {
        #[test]
        fn no_goal_beats_amdahl(
            times in proptest::collection::vec(1.0..1e5f64, 1..20),
            goal in 0.0..1.5f64,
            other in 0.0..1.0f64,
            take in 0usize..20,
        ) {
            let rows: Vec<_> = times.iter().map(|t| ((2048, 2048, 2048), *t, "")).collect();
            let f = frame(&rows);
            let rows: Vec<u32> = f.rows.iter().copied().take(take).collect();
            let w = what_if(&f, 0, &rows, &Goal::Efficiency(goal), other);
            prop_assert!(w.speedup() >= 1.0 - 1e-12);
            prop_assert!(w.speedup() <= w.limit() * (1.0 + 1e-9));
            let p = pareto(&f, 0, &Field::Shape, 3);
            prop_assert!(p.lost_s <= p.time_s * (1.0 + 1e-12));
            prop_assert!(p.bars.windows(2).all(|b| b[0].cumulative <= b[1].cumulative + 1e-12));
        }
    }
}
