//! The figures of one file as an object, which the command prints and the page gives to scripts.

use crate::trust::Trust;
use gemmscope_analysis::ledger::Ledger;
use gemmscope_analysis::names::distinct;
use gemmscope_model::units::{percent, plural};
use gemmscope_table::data_kind::{DataKind, Decision};
use gemmscope_table::dataset::{Assumption, RatePoint, ReportedCheck};
use gemmscope_table::field::Frame;
use gemmscope_table::metrics::{Totals, Typical};
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Summary of one file. `rows_read` is always `rows_used + rows_set_aside`. Unknown figures (no device, no times) are
/// null.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Summary {
    /// File name.
    pub file: String,
    /// Key of the format.
    pub format: String,
    /// Why this format was chosen.
    pub format_reason: String,
    /// Rows in the file.
    pub rows_read: u64,
    /// Rows in the dataset.
    pub rows_used: u64,
    /// Rejected rows.
    pub rows_set_aside: u64,
    /// Number of rejected rows by reason.
    #[serde(rename = "set_aside")]
    pub rejected: BTreeMap<String, u64>,
    /// Measurements without sizes, which are not rows.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub points: Vec<PointSummary>,
    /// Assumptions.
    pub assumptions: Vec<Assumption>,
    /// Remarks of the importer.
    pub notes: Vec<String>,
    /// Devices of the rows: the catalogue's name if it is known, else the name in the file.
    pub devices: Vec<String>,
    /// Operand types of the rows.
    pub dtypes: Vec<String>,
    /// Highest rate, TFLOP/s.
    pub max_tflops: Option<f64>,
    /// Highest share of a row's roof.
    pub max_efficiency: Option<f64>,
    /// Rows above their roof.
    pub rows_above_roof: Option<u64>,
    /// Kind of rows: `workload`, `benchmark`, `sweep`, `sides`.
    pub rows_are: String,
    /// The rows that count, in words: `75 variants of 3 GEMMs`.
    pub counted: String,
    /// Share of the roof of its GEMMs, each counted once.
    pub of_roof: Option<Typical>,
    /// Time of what counts, seconds; null if sides are compared or there are several devices.
    pub total_time_s: Option<f64>,
    /// Sum of roof times over sum of times; null where the total time is.
    pub weighted_efficiency: Option<f64>,
    /// Share of the time of memory-bound rows; null where the total time is.
    pub share_memory_bound: Option<f64>,
    /// Sides and devices with their figures; empty if there is only one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sides: Vec<SideSummary>,
    /// Comparison of the file's rates with work over time.
    pub reported_rate: ReportedCheck,
    /// Its ledger; absent if several files are open, whose runs explain each other: they share one ledger.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ledger: Option<Ledger>,
    /// Its GEMMs compared with published times; absent if nothing is published.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reference: Option<ReferenceSummary>,
    /// How far its figures can be trusted.
    pub trust: Trust,
}

/// GEMMs that count, compared with published times of such GEMMs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ReferenceSummary {
    /// GEMMs with a published time.
    pub gemms: u64,
    /// Their time over all calls, seconds.
    pub time_s: f64,
    /// Published time for them, seconds.
    pub reference_s: f64,
    /// Geometric mean of published over measured time.
    pub of_reference: f64,
    /// Repositories with the published times.
    pub sources: Vec<String>,
}

impl ReferenceSummary {
    /// Compares the GEMMs of a frame that count; `None` if nothing is published for any.
    pub fn of(frame: &Frame) -> Option<ReferenceSummary> {
        let (data, metrics) = (&*frame.data, &*frame.metrics);
        let mut out = ReferenceSummary {
            gemms: 0,
            time_s: 0.0,
            reference_s: 0.0,
            of_reference: 0.0,
            sources: Vec::new(),
        };
        let rows = frame.sets().into_iter().flat_map(|set| set.rows);
        for row in rows.map(|row| row as usize) {
            let (time_s, calls) = (data.time_s[row], frame.calls(row));
            let Some(others) = metrics.reference(data, row).filter(|_| time_s * calls > 0.0) else {
                continue;
            };
            out.gemms += 1;
            out.time_s += time_s * calls;
            out.reference_s += others.time_s * calls;
            out.of_reference += (others.time_s / time_s).ln();
            if !out.sources.contains(&others.source.source) {
                out.sources.push(others.source.source.clone());
            }
        }
        out.of_reference = (out.of_reference / out.gemms as f64).exp();
        (out.gemms > 0).then_some(out)
    }

    /// `105 % of what others reach (geometric mean of 96 GEMMs; ai-dynamo/aiconfigurator)`.
    pub fn words(&self) -> String {
        let gemms = plural(self.gemms, "GEMM");
        let (share, from) = (percent(self.of_reference), self.sources.join(", "));
        format!("{share} of what others reach (geometric mean of {gemms}; {from})")
    }
}

/// Figures of one side, and of one device if there are several.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SideSummary {
    /// Its name.
    pub side: String,
    /// Number of GEMMs that count.
    pub gemms: u64,
    /// Their time, seconds.
    pub total_time_s: f64,
    /// Sum of roof times over sum of times.
    pub weighted_efficiency: Option<f64>,
}

/// A measurement that states only intensity and rate.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PointSummary {
    /// Line in the file.
    pub line: u32,
    /// Its name in the file.
    pub name: String,
    /// Type of the operands.
    pub dtype: &'static str,
    /// Arithmetic intensity, FLOP/byte.
    pub intensity: f64,
    /// Attained rate, FLOP/s.
    pub rate_flop_per_s: f64,
    /// Rate over the roof at this intensity; null without a roof.
    pub efficiency: Option<f64>,
}

impl PointSummary {
    fn of(point: &RatePoint, frame: &Frame) -> PointSummary {
        PointSummary {
            line: point.line,
            name: point.name.clone(),
            dtype: point.dtype.id(),
            intensity: point.intensity,
            rate_flop_per_s: point.rate,
            efficiency: point.efficiency(&frame.data, &frame.metrics),
        }
    }
}

impl SideSummary {
    /// Figures of sides and devices; empty if there is only one.
    pub fn of(totals: &[(String, Totals)]) -> Vec<SideSummary> {
        let side = |(side, t): &(String, Totals)| SideSummary {
            side: side.clone(),
            gemms: t.measured,
            total_time_s: t.time_s,
            weighted_efficiency: t.weighted_efficiency,
        };
        let several = Some(totals).filter(|t| t.len() > 1);
        several.into_iter().flatten().map(side).collect()
    }
}

impl Summary {
    /// Summary of one source of a frame's data, regardless of filters. The kind of its rows is decided from this source
    /// alone, unless `chosen`.
    pub fn of(frame: &Frame, source: u16, chosen: Option<DataKind>) -> Option<Summary> {
        let (data, metrics) = (&*frame.data, &*frame.metrics);
        let s = data.sources.get(usize::from(source))?;
        let rows: Vec<u32> = (0u32..)
            .zip(&data.source)
            .filter(|(_, code)| **code == source)
            .map(|(row, _)| row)
            .collect();
        let decision = Decision::of_source(data, source, chosen);
        let frame = frame.decided(Arc::new(decision)).with_rows(Arc::new(rows));
        let every = Totals::over(&frame, &frame.rows);
        let totals = Totals::of(&frame);
        let one = match totals.as_slice() {
            [(_, totals)] => totals.clone(),
            _ => Totals::default(),
        };
        let used = |codes: &[u16], all: usize| {
            let mut used = vec![false; all];
            for row in frame.rows.iter() {
                used[usize::from(codes[*row as usize])] = true;
            }
            (0..all).filter(move |i| used[*i])
        };
        let device = |i: usize| {
            let known = metrics.devices.get(i).and_then(Option::as_ref);
            known.map_or(data.devices[i].as_str(), |d| d.name.as_str())
        };
        let stated = used(&data.device, data.devices.len()).map(device);
        let devices = distinct(stated.filter(|name| !name.is_empty()));
        let ops = used(&data.op, data.ops.len()).map(|i| data.ops[i]);
        let dtypes = distinct(ops.flat_map(|op| [op.a, op.b]).map(|t| t.id()));
        let rejected = s.rejected.reasons.iter().map(|r| (r.text.clone(), r.count)).collect();
        let measured = every.measured > 0;
        let ledger = (data.sources.len() == 1).then(|| Ledger::new(&frame));
        let roofed = every.max_efficiency.is_some();
        Some(Summary {
            file: s.name.clone(),
            format: s.format.clone(),
            format_reason: s.format_reason.clone(),
            rows_read: s.rows_read,
            rows_used: s.rows_used,
            rows_set_aside: s.rejected.total(),
            rejected,
            points: s.points.iter().map(|point| PointSummary::of(point, &frame)).collect(),
            assumptions: s.assumptions.clone(),
            notes: s.notes.clone(),
            devices,
            dtypes,
            max_tflops: measured.then_some(every.max_flops_per_s / 1e12),
            max_efficiency: every.max_efficiency,
            rows_above_roof: roofed.then_some(every.above_roof),
            rows_are: frame.kind().key().to_owned(),
            counted: frame.counted().words(frame.kind()),
            of_roof: one.typical,
            total_time_s: (one.measured > 0).then_some(one.time_s),
            weighted_efficiency: one.weighted_efficiency,
            share_memory_bound: one.share_memory_bound,
            sides: SideSummary::of(&totals),
            reported_rate: s.reported_rate,
            reference: ReferenceSummary::of(&frame),
            trust: match &ledger {
                Some(ledger) => Trust::beside(&frame, ledger),
                None => Trust::of(&frame),
            },
            ledger,
        })
    }

    /// Maximum number of files with a summary of their own: each costs a pass over all rows.
    pub const MOST: usize = 256;

    /// The summaries of the first [`MOST`](Self::MOST) sources, in their order.
    pub fn all(frame: &Frame) -> Vec<Summary> {
        let sources = frame.data.sources.len().min(Self::MOST) as u16;
        (0..sources).filter_map(|i| Summary::of(frame, i, None)).collect()
    }
}
