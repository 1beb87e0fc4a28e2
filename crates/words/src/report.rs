//! The findings as documents: `gemm_findings.md` in the form that trace analysts exchange, a detailed markdown, an HTML
//! file with pictures, and JSON for programs. All four come from one [`Report`], so that they agree.

use crate::compare::BestOfAll;
use crate::doc;
use crate::findings::{Checked, Finding, Findings};
use crate::trust::Trust;
use gemmscope_analysis::compare::{Dispatch, Tally};
use gemmscope_analysis::findings::{FindingEvidence, Scan, SideTime};
use gemmscope_analysis::ledger::{Book, Ledger};
use gemmscope_analysis::names::distinct;
use gemmscope_analysis::shapes_without_time::ShapesWithoutTime;
use gemmscope_analysis::trace_time::TraceTime;
use gemmscope_model::hardware::RoofKind;
use gemmscope_model::units::plural;
use gemmscope_table::field::Frame;
use gemmscope_table::metrics::Metrics;
use serde::Serialize;
use std::sync::Arc;

mod body;
mod bottlenecks;
mod breakdown;
mod devices;
mod json;
mod merges;
mod operations;
mod sentences;
mod summary;
mod tuning;

pub use crate::doc::Picture;
pub use bottlenecks::Bottleneck;
pub use breakdown::Breakdown;
pub use json::json;
pub use operations::{ReportOperation, impact_percent};
pub use sentences::sentences;
pub(crate) use summary::of_achievable;
pub use summary::{gemm_findings, gemm_findings_of};
pub use tuning::TuningPart;

/// From this share of the time on, GEMMs are a significant category.
pub(crate) const SIGNIFICANT_SHARE: f64 = 0.10;
/// Operations that take longer than this are flagged, seconds.
pub(crate) const FLAG_TIME_S: f64 = 50e-3;
/// Operations with a larger share of the category are flagged.
pub(crate) const FLAG_SHARE: f64 = 0.05;
/// Operations with a lower efficiency are flagged.
pub(crate) const FLAG_EFFICIENCY: f64 = 0.40;
/// Maximum number of operations in a report.
pub(crate) const MAX_OPERATIONS: usize = 100;
/// Number of them that a document lists.
const LISTED_OPERATIONS: usize = 30;
/// Maximum number of bottlenecks in the summary.
pub(crate) const MAX_BOTTLENECKS: usize = 5;
/// Above this intensity, FLOP/byte, the rule of thumb says compute-bound.
pub(crate) const THUMB_COMPUTE: f64 = 200.0;
/// Below this intensity, FLOP/byte, it says memory-bound.
pub(crate) const THUMB_MEMORY: f64 = 100.0;

/// Location of a row in a file.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RowPlace {
    /// File.
    pub file: String,
    /// 1-based line.
    pub line: u32,
}

/// A finding with its rows as locations in files.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FindingLine {
    /// The finding, without row numbers, which have no meaning outside the page.
    #[serde(flatten)]
    pub finding: Finding,
    /// Number of its rows.
    pub rows_total: usize,
    /// Locations of the first rows.
    pub places: Vec<RowPlace>,
}

/// The content of all documents.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// Version of the JSON structure.
    pub schema: &'static str,
    /// Files with their formats.
    pub files: Vec<(String, String)>,
    /// Devices whose roofs apply.
    pub devices: Vec<String>,
    /// The roof to which percentages refer.
    pub roof: String,
    /// Summary in at most four short paragraphs, most important first.
    pub sentences: Vec<String>,
    /// Assumptions: used, but stated by no file.
    pub assumptions: Vec<String>,
    /// Choices of the user that no file states.
    pub chosen: Vec<String>,
    /// Key of the kind of rows: `workload`, `benchmark`, `sweep`, `sides`.
    pub rows_are: String,
    /// The sides, each with its totals; one without a name if none are compared.
    pub parts: Vec<ReportPart>,
    /// How often each side is fastest on the GEMMs shared by all, and by how much.
    pub standing: Option<Tally>,
    /// Which side to use for each GEMM, and the saving.
    pub best_of_all: Option<BestOfAll>,
    /// Breakdown of the time of each trace; JSON has it if there is only one.
    #[serde(rename = "time", serialize_with = "only_one")]
    pub times: Vec<TraceTime>,
    /// The operations that take most time.
    pub operations: Vec<ReportOperation>,
    /// Number of all operations.
    pub operations_total: usize,
    /// The flagged operations, most important first.
    pub bottlenecks: Vec<Bottleneck>,
    /// Breakdown of the time of each side and device.
    pub ledger: Ledger,
    /// How far the figures can be trusted.
    pub trust: Trust,
    /// All findings, ranked.
    pub findings: Vec<FindingLine>,
    /// The result of every rule.
    pub checked: Vec<Checked>,
    /// Remarks about the data.
    pub notes: Vec<String>,
    /// Operations whose shape is not known.
    pub missing_models: Vec<String>,
    /// Titles of the batching findings.
    pub batching: Vec<String>,
    /// Shapes without a time, and the rates that the roof allows.
    pub shapes: ShapesWithoutTime,
    /// Tuning histories in which something failed or was slow.
    pub tuning: Vec<TuningPart>,
    /// What times cannot show, the reason, and what to say instead.
    #[serde(skip)]
    pub cannot_infer: Vec<[String; 3]>,
}

fn only_one<S: serde::Serializer>(times: &[TraceTime], to: S) -> Result<S::Ok, S::Error> {
    times.first().filter(|_| times.len() == 1).serialize(to)
}

/// Totals of one side, or of all rows if none are compared.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ReportPart {
    /// Name of the side; "" if none are compared.
    pub side: String,
    /// Time of the GEMMs that can be judged, seconds.
    pub gemm_s: f64,
    /// Time of GEMMs with an unknown shape, seconds.
    pub without_model_s: f64,
    /// Whole time, seconds.
    pub whole_s: f64,
    /// Name of the whole.
    pub whole: String,
    /// Time of all GEMMs, with and without a known shape, over the whole.
    pub share: f64,
    /// That share according to the metadata of the trace's report, if stated.
    pub reported_share: Option<f64>,
    /// True if GEMMs take enough time to matter.
    pub significant: bool,
    /// Share of the roof: roof time / time, over rows with a roof. `None` over several devices; the ledger has their
    /// shares.
    pub efficiency: Option<f64>,
    /// Plain mean of the operations' percentages, which some reports print.
    pub plain_mean_efficiency: Option<f64>,
    /// Number of operations.
    pub operations: usize,
    /// Number of operations with types of 8 bits or less, by operands or kernel name, with and without a known shape.
    pub quantized: usize,
    /// Lost time, seconds; the findings add up to it.
    pub lost_s: f64,
}

impl ReportPart {
    fn new(scan: &Scan<'_>, number: usize, part: &SideTime, findings: &Findings) -> Self {
        let (mut mean, mut counted) = (0.0, 0usize);
        let (mut operations, mut quantized) = (0, 0);
        for (_, g) in scan.checked().filter(|g| usize::from(g.1.side) == number) {
            operations += 1;
            quantized += usize::from(operations::quantized(scan, g));
            let e = g.efficiency();
            if e.is_finite() {
                mean += e;
                counted += 1;
            }
        }
        // GEMMs without a shape are recognised by name. They belong to no side, so they count only if there is one.
        if scan.parts.len() == 1 {
            let sources = scan.data().sources.iter();
            let names = sources.flat_map(|s| &s.without_model_names);
            quantized += names.filter(|(name, _)| operations::names_quantized(name)).count();
        }
        ReportPart {
            side: part.label.clone(),
            reported_share: reported_share(scan),
            gemm_s: part.time_s,
            without_model_s: part.without_s,
            whole_s: part.whole_s,
            whole: part.whole.label().to_owned(),
            share: part.gemm_share(),
            significant: part.gemm_share() > SIGNIFICANT_SHARE,
            efficiency: match findings.ledger.of_side(number).collect::<Vec<_>>().as_slice() {
                [one] => one.share_of_roof(),
                _ => None,
            },
            plain_mean_efficiency: (counted > 0).then(|| mean / counted as f64),
            operations,
            quantized,
            lost_s: findings.ledger.of_side(number).map(Book::lost_s).sum(),
        }
    }
}

/// Maximum number of named operations without a model.
const MAX_MISSING: usize = 10;

/// Maximum number of locations for one finding.
const MAX_PLACES: usize = 200;

/// Name of the document.
const TITLE: &str = "GEMM report";

/// Writes the report as one HTML file with its pictures.
pub fn html(report: &Report, pictures: &[Picture]) -> String {
    doc::html(TITLE, &body::body(report), pictures)
}

/// Writes the report as markdown.
pub fn markdown(report: &Report) -> String {
    format!("# {TITLE}\n{}", doc::markdown(&body::body(report)))
}

impl Report {
    /// What no file states: choices of the user, and assumptions.
    pub(super) fn given(&self) -> [(&'static str, &[String]); 2] {
        [("Chosen", &self.chosen), ("Assumed", &self.assumptions)]
    }

    /// The operations that a document lists; the others are only counted.
    pub(super) fn listed(&self) -> &[ReportOperation] {
        &self.operations[..self.operations.len().min(LISTED_OPERATIONS)]
    }

    /// The flagged operations that are worth acting on.
    pub(super) fn worth_acting_on(&self) -> impl Iterator<Item = &Bottleneck> {
        self.bottlenecks.iter().filter(|b| b.validated)
    }

    /// The bottlenecks that `gemm_findings.md` lists and that `replay --flagged` replays.
    pub fn key_bottlenecks(&self) -> impl Iterator<Item = &Bottleneck> {
        self.worth_acting_on().take(MAX_BOTTLENECKS)
    }

    /// Number of flagged operations that are not worth acting on, with reasons.
    pub(super) fn not_worth(&self) -> Option<String> {
        let mut reasons: Vec<(&str, usize)> = Vec::new();
        for b in self.bottlenecks.iter().filter(|b| !b.validated) {
            match reasons.iter_mut().find(|(why, _)| *why == b.dismissed) {
                Some((_, n)) => *n += 1,
                None => reasons.push((b.dismissed, 1)),
            }
        }
        let each: Vec<String> = reasons.iter().map(|(why, n)| format!("{n} {why}")).collect();
        (!each.is_empty())
            .then(|| format!("Flagged, but not worth acting on: {}.", each.join("; ")))
    }

    /// Collects the content of the documents. `findings` must be those of the same frame.
    pub fn new(frame: &Frame, findings: &Findings) -> Report {
        let scan = Scan::new(frame);
        let data = scan.data();
        let breakdown = Breakdown::new(&scan, findings);
        let trust = Trust::beside(frame, &findings.ledger);
        let places = |rows: &[u32]| {
            rows.iter()
                .take(MAX_PLACES)
                .filter_map(|&r| {
                    let r = r as usize;
                    Some(RowPlace {
                        file: data.sources.get(usize::from(data.source[r]))?.name.clone(),
                        line: data.line[r],
                    })
                })
                .collect()
        };
        Report {
            schema: "gemmscope/report/4",
            files: data.sources.iter().map(|s| (s.name.clone(), s.format_name.clone())).collect(),
            devices: devices(&scan),
            roof: scan.roof_name().to_owned(),
            sentences: sentences(&scan, findings, &trust),
            assumptions: distinct(trust.assumed.iter().map(|a| a.text.as_str())),
            chosen: trust.chosen.clone(),
            rows_are: frame.kind().key().to_owned(),
            parts: scan
                .parts
                .iter()
                .enumerate()
                .map(|(i, part)| ReportPart::new(&scan, i, part, findings))
                .collect(),
            standing: Tally::of(frame),
            best_of_all: Dispatch::of(frame)
                .map(|(comparison, best)| BestOfAll::of(frame, &comparison, &best)),
            times: breakdown.times,
            cannot_infer: breakdown.cannot_infer,
            bottlenecks: breakdown.bottlenecks,
            operations: breakdown.operations,
            operations_total: breakdown.total,
            ledger: findings.ledger.clone(),
            trust,
            findings: findings
                .findings
                .iter()
                .map(|f| {
                    let mut finding = f.clone();
                    finding.facts.evidence = FindingEvidence::default();
                    let rows = &f.evidence.rows;
                    FindingLine { finding, rows_total: rows.len(), places: places(rows) }
                })
                .collect(),
            checked: findings.checked.clone(),
            notes: data.sources.iter().flat_map(|s| s.notes.iter().cloned()).collect(),
            missing_models: missing_models(data),
            batching: batching(findings),
            shapes: ShapesWithoutTime::of(frame),
            tuning: TuningPart::of(frame),
        }
    }

    /// True if there are only shapes without a time, so no operation can be listed or judged.
    pub fn only_shapes(&self) -> bool {
        self.shapes.rows > 0
            && self.operations_total == 0
            && self.missing_models.is_empty()
            && self.findings.is_empty()
    }
}

/// GEMM share of the compute time according to the metadata of the trace's report, if there is only one.
fn reported_share(scan: &Scan<'_>) -> Option<f64> {
    match scan.data().sources.as_slice() {
        [one] => one.trace.as_deref()?.reported_share,
        _ => None,
    }
}

/// Titles of the batching ideas.
fn batching(findings: &Findings) -> Vec<String> {
    let own = findings.findings.iter().filter(|f| f.rule == "batching");
    own.map(|f| f.title.clone()).collect()
}

/// The same rows under achievable peaks, to which the percentages of `gemm_findings.md` refer; a type without one keeps
/// the datasheet peak.
pub(crate) fn with_achievable(frame: &Frame) -> Frame {
    if frame.metrics.kind == RoofKind::Achievable {
        return frame.clone();
    }
    let devices = frame.metrics.devices.clone();
    frame.with_metrics(Arc::new(Metrics::compute(&frame.data, devices, RoofKind::Achievable)))
}

/// Names of the devices whose roofs apply to at least one row.
fn devices(scan: &Scan<'_>) -> Vec<String> {
    let data = scan.data();
    let mut used = vec![false; data.devices.len()];
    for &row in scan.frame.rows.iter() {
        used[usize::from(data.device[row as usize])] = true;
    }
    let all = scan.metrics().devices.iter().zip(&data.devices).zip(used);
    let names: Vec<String> = all
        .filter_map(|((device, stated), used)| match device {
            _ if !used => None,
            Some(d) => Some(d.name.clone()),
            None if stated.is_empty() => None,
            None => Some(format!("{stated}, peaks unknown")),
        })
        .collect();
    distinct(names.iter().map(String::as_str))
}

/// Operations with an unknown shape, by name; a count for files that do not name them.
fn missing_models(data: &gemmscope_table::dataset::Dataset) -> Vec<String> {
    let mut out = Vec::new();
    for source in data.sources.iter().filter(|s| s.without_model.rows > 0) {
        let mut rest = source.without_model;
        for (name, own) in source.without_model_names.iter().take(MAX_MISSING) {
            rest.rows -= own.rows.min(rest.rows);
            rest.time_s = (rest.time_s - own.time_s).max(0.0);
            out.push(format!("{name} ({}, {:.3} ms)", plural(own.rows, "call"), own.time_s * 1e3));
        }
        if rest.rows > 0 {
            let more = if source.without_model_names.is_empty() { "" } else { " more" };
            out.push(format!(
                "{}{more} of {}, {:.3} ms",
                plural(rest.rows, "call"),
                source.name,
                rest.time_s * 1e3
            ));
        }
    }
    out
}

#[cfg(test)]
mod tests;
