//! Breaks down the time of a trace: gaps, communication, GEMMs, other kernels.

use crate::findings::{Scan, SideTime, Whole};
use gemmscope_model::tiling::kernel_name::{communicates, function};
use gemmscope_table::data_kind::Side;
use gemmscope_table::dataset::{RowsAndTime, Source, TraceContext, longest_first};
use gemmscope_table::field::{Field, Frame};
use gemmscope_table::trace::is_unfused_attention;
use serde::Serialize;

gemmscope_model::named! {
/// Kind of a part of a trace's time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TimeKind {
    /// The device is idle.
    Idle = "idle";
    /// The device only communicates (exposed communication).
    Communication = "communication alone";
    /// The device only copies (exposed copies).
    Copies = "copies alone";
    /// GEMMs of known shape.
    Gemm = "GEMMs";
    /// GEMMs whose sizes are not in the file.
    UnknownGemm = "GEMMs left out";
    /// All other kernels.
    Other = "other kernels";
    /// All other kernels, and GEMMs that filters exclude.
    OtherAndFiltered = "other kernels and filtered GEMMs";
}
/// Label.
pub fn label -> &'static str;
}

/// A part of a trace's time.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TimePart {
    /// Kind.
    pub kind: TimeKind,
    /// Seconds.
    pub time_s: f64,
    /// Its largest kernels by function name, with their seconds, if known.
    pub largest: Vec<(String, f64)>,
}

/// Time of a trace and its parts, which add up to it, except for parts under a thousandth.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TraceTime {
    /// The side that the trace is; "" if it is the only file.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub side: String,
    /// Total seconds.
    pub whole_s: f64,
    /// What the total is: `from end to end`, `of kernels`.
    pub whole: &'static str,
    /// Parts in a fixed order, time without kernels first.
    pub parts: Vec<TimePart>,
    /// Unfused attention; its time is included in the parts.
    pub attention: Option<Unfused>,
    /// Recording options that slow the program, so that idle time is an upper bound.
    pub slowed_by: Vec<String>,
}

/// Attention that runs as batched product, softmax and batched product.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Unfused {
    /// Number of product pairs.
    pub calls: u64,
    /// Seconds of its products and of the kernels between them.
    pub time_s: f64,
    /// Seconds of its products alone.
    pub products_s: f64,
    /// Rows of its products, ascending. Row numbers are not exported.
    #[serde(skip)]
    pub rows: Vec<u32>,
}

impl Unfused {
    /// Unfused attention of one source; only if all rows pass.
    fn of(frame: &Frame, number: u16, context: &TraceContext) -> Option<Unfused> {
        let (data, all) = (&*frame.data, frame.rows.len() == frame.data.len());
        let unfused = context.unfused.filter(|_| all)?;
        let its = |r: &usize| data.source[*r] == number && is_unfused_attention(data, *r);
        let rows: Vec<u32> = (0..data.len()).filter(its).map(|r| r as u32).collect();
        let time = |r: &u32| data.time_s[*r as usize] * frame.calls(*r as usize);
        let products_s: f64 = rows.iter().map(time).sum();
        let time_s = products_s + unfused.between_s;
        (products_s > 0.0).then_some(Unfused { calls: unfused.calls, time_s, products_s, rows })
    }
}

/// Maximum number of kernels named per part.
const NAMED: usize = 3;
/// Maximum rows that the page scans before it first draws.
const FEW: usize = 20_000;
/// Parts below this fraction are omitted.
const LEAST: f64 = 1e-3;

impl TraceTime {
    /// Time of each trace of a frame: of the only file, or of the files that are sides. Omits files that list only
    /// GEMMs, and traces whose kernels overlap, so that parts do not add up.
    pub fn of(scan: &Scan<'_>) -> Vec<TraceTime> {
        let data = scan.data();
        let sides = scan.frame.counted().sides.iter();
        let by_file = scan.frame.decision().side == Some(Field::Source);
        let source = |side: &Side| side.rows.first().map_or(0, |r| data.source[*r as usize]);
        match (scan.parts.as_slice(), data.sources.len()) {
            ([part], 1) => TraceTime::of_source(scan, part, 0).into_iter().collect(),
            (parts, _) if by_file => sides
                .zip(parts)
                .filter_map(|(side, part)| TraceTime::of_source(scan, part, source(side)))
                .collect(),
            _ => Vec::new(),
        }
    }

    fn of_source(scan: &Scan<'_>, part: &SideTime, number: u16) -> Option<TraceTime> {
        let source = &scan.data().sources[usize::from(number)];
        if part.whole == Whole::MeasuredRows {
            return None;
        }
        let trace = source.trace.as_deref();
        let end_to_end = trace.and_then(|t| Some((t.total_s?, t.idle_time_s()?)));
        let (whole_s, whole, idle_s) = match end_to_end {
            Some((total, idle)) => (total, "from end to end", idle),
            None => (part.whole_s, "of kernels", 0.0),
        };
        let alone = |of: Option<f64>| of.filter(|_| end_to_end.is_some()).unwrap_or(0.0);
        let communication = alone(trace.and_then(|t| t.exposed_comm_s));
        let copies = alone(trace.and_then(|t| t.exposed_memcpy_s));
        let named = idle_s + communication + copies + part.time_s + part.without_s;
        let other = whole_s - named;
        let others = match scan.frame.rows.len() == scan.data().len() {
            true => TimeKind::Other,
            false => TimeKind::OtherAndFiltered,
        };
        let largest = |of: &[(String, RowsAndTime)]| {
            // If communication is a separate part, its kernels belong to that part.
            let here = |t: &&(String, _)| communication == 0.0 || !communicates(&t.0);
            // One function may be compiled for many types.
            let kernels = of.iter().filter(here).map(|(name, t)| (function(name), *t));
            let mut kernels = longest_first(kernels.collect());
            kernels.truncate(NAMED);
            kernels.into_iter().map(|(name, t)| (name, t.time_s)).collect()
        };
        let parts: Vec<TimePart> = [
            (TimeKind::Idle, idle_s, Vec::new()),
            (TimeKind::Communication, communication, Vec::new()),
            (TimeKind::Copies, copies, Vec::new()),
            (TimeKind::Gemm, part.time_s, Vec::new()),
            (TimeKind::UnknownGemm, part.without_s, largest(&source.without_model_names)),
            (others, other, largest(&source.not_gemm_names)),
        ]
        .into_iter()
        .filter(|(_, time_s, _)| time_s.abs() > LEAST * whole_s)
        .map(|(kind, time_s, largest)| TimePart { kind, time_s, largest })
        .collect();
        let adds_up = parts.iter().all(|p| p.time_s > 0.0);
        let attention = trace.and_then(|t| Unfused::of(scan.frame, number, t));
        let slowed_by = match trace {
            Some(t) if idle_s > 0.0 => t.slowed_by.clone(),
            _ => Vec::new(),
        };
        let side = part.label.clone();
        let time = TraceTime { side, whole_s, whole, parts, attention, slowed_by };
        (adds_up && time.parts.len() > 1).then_some(time)
    }

    /// Like [`of`](Self::of), for tables small enough to scan before the page first draws; empty for larger ones.
    pub fn at_once(frame: &Frame) -> Vec<TraceTime> {
        let others = |s: &Source| s.not_gemm.rows + s.without_model.rows > 0;
        let traced = frame.data.sources.iter().any(|s| s.trace.is_some() || others(s));
        let few = frame.rows.len() <= FEW;
        if traced && few { TraceTime::of(&Scan::new(frame)) } else { Vec::new() }
    }

    /// A part's fraction of the total.
    pub fn share(&self, part: &TimePart) -> f64 {
        part.time_s / self.whole_s
    }
}

/// Time outside the rows of a frame, seconds, from the traces of its sources. Includes filtered-out GEMMs. 0 if no
/// source has a trace.
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

#[cfg(test)]
mod tests {
    use super::*;
    use gemmscope_table::fixture::{Rows, frame};

    #[test]
    fn what_filters_leave_out_is_part_of_what_else_runs() {
        let mut t = Rows::new();
        for (m, us) in [(4096, 1000.0), (2048, 300.0), (1024, 200.0)] {
            t.row((m, 4096, 4096), "", us * 1e-6, "");
        }
        let mut data = (*t.frame(None).data).clone();
        data.sources[0].trace =
            Some(Box::new(TraceContext { compute_s: Some(4e-3), ..TraceContext::default() }));
        let all = frame(data, Some("h100-sxm"));
        assert!((other_time_s(&all) - 2.5e-3).abs() < 1e-12);
        let one = all.with_rows(std::sync::Arc::new(vec![0]));
        assert!((other_time_s(&one) - 3e-3).abs() < 1e-12);
    }
}
