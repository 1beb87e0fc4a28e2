//! What the time of a trace goes to: gaps, communication, GEMMs, other kernels.

use crate::findings::{Scan, Whole, short};
use gemmscope_model::tiling::kernel_name::{communicates, function};
use gemmscope_model::units::{Seconds, percent};
use gemmscope_table::dataset::RowsAndTime;
use gemmscope_table::field::Frame;
use serde::Serialize;

/// What a part of a trace's time is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TimeKind {
    /// The device does nothing.
    Idle,
    /// It only communicates.
    Communication,
    /// It only copies.
    Copies,
    /// GEMMs of known shape.
    Gemm,
    /// GEMMs whose sizes are not in the file.
    UnknownGemm,
    /// All other kernels.
    Other,
    /// All other kernels, and the GEMMs that filters leave out.
    OtherAndFiltered,
}

impl TimeKind {
    /// A word or two.
    pub fn label(self) -> &'static str {
        match self {
            TimeKind::Idle => "idle",
            TimeKind::Communication => "communication alone",
            TimeKind::Copies => "copies alone",
            TimeKind::Gemm => "GEMMs",
            TimeKind::UnknownGemm => "GEMMs of unknown shape",
            TimeKind::Other => "other kernels",
            TimeKind::OtherAndFiltered => "other kernels and filtered GEMMs",
        }
    }
}

/// A part of a trace's time.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TimePart {
    /// What it is.
    pub kind: TimeKind,
    /// Seconds.
    pub time_s: f64,
    /// The largest kernels of it by the function's name, with their seconds, where they are known.
    pub largest: Vec<(String, f64)>,
}

/// The time of a trace and its parts, which add up to it but for those under a thousandth.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TraceTime {
    /// Seconds.
    pub whole_s: f64,
    /// What the whole is: `from end to end`, `of kernels`.
    pub whole: &'static str,
    /// In the order of time: first what is no kernel.
    pub parts: Vec<TimePart>,
}

/// Kernels that a part names.
const NAMED: usize = 3;
/// Rows that a page looks through before it draws.
const FEW: usize = 20_000;
/// Parts under this share of the whole are not told: they are rounding, or nobody sees them.
const LEAST: f64 = 1e-3;

impl TraceTime {
    /// The time of the only trace of a frame. `None` where rows come from several files, where a
    /// file lists nothing but GEMMs, and where kernels overlap, so that parts do not add up.
    pub fn of(scan: &Scan<'_>) -> Option<TraceTime> {
        let [part] = scan.parts.as_slice() else {
            return None;
        };
        let [source] = scan.data().sources.as_slice() else {
            return None;
        };
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
            // Where communication is a part of its own, its kernels are in that.
            let here = |t: &&(String, _)| communication == 0.0 || !communicates(&t.0);
            let kernels = of.iter().filter(here).take(NAMED);
            kernels.map(|(name, t)| (name.clone(), t.time_s)).collect()
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
        (adds_up && parts.len() > 1).then_some(TraceTime { whole_s, whole, parts })
    }

    /// The time of a frame's only trace, where so few rows are soon looked through: the page shows it
    /// with its first picture. `None` also where the answer takes the time of the findings.
    pub fn at_once(frame: &Frame) -> Option<TraceTime> {
        let [source] = frame.data.sources.as_slice() else {
            return None;
        };
        let others = source.not_gemm.rows + source.without_model.rows > 0;
        let traced = source.trace.is_some() || others;
        let few = frame.rows.len() <= FEW;
        (traced && few).then(|| TraceTime::of(&Scan::new(frame))).flatten()
    }

    /// `Of 83.37 ms from end to end: idle 72.50 ms (87.0 %), GEMMs 784.8 µs (0.94 %).`
    pub fn words(&self) -> String {
        let part = |p: &TimePart| {
            let share = percent(self.share(p));
            format!("{} {} ({share})", p.kind.label(), Seconds(p.time_s))
        };
        let parts: Vec<String> = self.parts.iter().map(part).collect();
        let (whole, parts) = (Seconds(self.whole_s), parts.join(", "));
        format!("Of {whole} {}: {parts}.", self.whole)
    }

    /// A part's share of the whole.
    pub fn share(&self, part: &TimePart) -> f64 {
        part.time_s / self.whole_s
    }
}

impl TimePart {
    /// Its largest kernels with their times: `a (3.100 ms), b (1.200 ms)`; "" where none is known.
    pub fn kernels(&self) -> String {
        let each = self.largest.iter();
        let each = each.map(|(name, s)| format!("{} ({})", short(&function(name)), Seconds(*s)));
        each.collect::<Vec<_>>().join(", ")
    }
}
