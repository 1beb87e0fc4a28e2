//! Content of a report, in order, shared by all forms.

use super::operations::EXTRA_COLUMNS;
use super::{FindingLine, Report, ReportOperation, TuningPart};
use crate::compare::BestOfAll;
use crate::doc::escape::short;
use crate::doc::{Article, Block, DocEntry, DocTable, Set, Text, heading, owned, text};
use crate::findings::Finding;
use crate::headline;
use crate::trace_time;
use gemmscope_analysis::shapes_without_time::ShapesWithoutTime;
use gemmscope_model::units::{Seconds, and_more, capitalized, fixed, plural, seconds_brief};

/// The blocks of a report.
pub(super) fn body(report: &Report) -> Vec<Block<'_>> {
    let mut out = overview(report);
    if !report.only_shapes() {
        out.extend(judged(report));
        out.extend(report.best_of_all.iter().flat_map(best_of_all));
    }
    out.extend(shapes(&report.shapes));
    out.extend(report.tuning.iter().flat_map(tuning));
    if !report.only_shapes() {
        out.extend(checks(report));
    }
    if !report.notes.is_empty() {
        out.push(heading("Notes on the data"));
        out.push(Block::List("", report.notes.iter().map(Text::from).collect()));
    }
    out
}

/// Files, devices, the most important sentences, and their basis.
fn overview(report: &Report) -> Vec<Block<'_>> {
    let files = report.files.iter().map(|(name, format)| owned(format!("{name} ({format})")));
    let devices = report.devices.iter().map(|d| owned(format!("Device: {d}, {}", report.roof)));
    let mut out = vec![Block::List("", files.chain(devices).collect()), heading("Overview")];
    let (lead, rest) = report.sentences.split_at(1.min(report.sentences.len()));
    out.push(Block::Lead(owned(lead.concat())));
    out.extend((!rest.is_empty()).then(|| text(rest.join(" "))));
    out.extend(report.times.iter().map(|time| text(trace_time::sentence(time))));
    out.push(text(report.trust.line()));
    for (what, texts) in report.given() {
        if !texts.is_empty() {
            out.push(Block::List(what, texts.iter().map(Text::from).collect()));
        }
    }
    out.push(Block::Pictures);
    out
}

/// Sections that need times: findings, operations, flagged ones.
fn judged(report: &Report) -> Vec<Block<'_>> {
    let mut out = vec![heading("Findings")];
    out.extend(
        headline::lines(&report.ledger, &report.trust).into_iter().map(|line| text(line + ".")),
    );
    if report.findings.is_empty() {
        out.push(text("None."));
    }
    for (i, f) in report.findings.iter().enumerate() {
        let section = f.finding.section();
        let begins =
            i.checked_sub(1).is_none_or(|i| report.findings[i].finding.section() != section);
        out.extend(begins.then(|| text(format!("{}:", section.label()))));
        out.push(finding(i + 1, f));
    }
    out.extend(operations(report));
    out.extend(bottlenecks(report));
    out
}

fn finding(number: usize, f: &FindingLine) -> Block<'_> {
    let x = &f.finding;
    let rows = if f.rows_total > 0 { places(f) } else { String::new() };
    Block::Article(Article {
        class: x.severity.label().to_lowercase(),
        heading: owned(format!("{number}. {}", x.heading())),
        tag: x.severity.label(),
        kind: x.category.label(),
        facts: owned(facts(f)),
        text: (&x.text).into(),
        entries: vec![
            ("How", (&x.formula).into(), DocEntry::Code),
            ("Rows", owned(rows), DocEntry::Plain),
            ("Signs", owned(signs(x)), DocEntry::Plain),
            ("Try in the model", (&x.path_a).into(), DocEntry::Path),
            ("Try in the kernel or library", (&x.path_b).into(), DocEntry::Path),
            ("To confirm", (&x.profile).into(), DocEntry::Plain),
        ],
    })
}

/// Saving and GEMMs of a finding, in one line.
fn facts(f: &FindingLine) -> String {
    let x = &f.finding;
    let mut parts = Vec::new();
    match x.worth() {
        Some(worth) => parts.push(worth),
        None if f.rows_total == 0 && x.time_s > 0.0 => parts.push(seconds_brief(x.time_s)),
        None => {}
    }
    if f.rows_total > 0 {
        parts.push(format!("{} taking {}", plural(x.groups, "GEMM"), seconds_brief(x.time_s)));
    }
    parts.join("; ")
}

/// The signs of a finding's GEMMs: `unaligned sizes (12), launch-bound (3)`.
fn signs(x: &Finding) -> String {
    let each: Vec<String> = x.signs.iter().map(|s| format!("{} ({})", s.title, s.groups)).collect();
    each.join(", ")
}

/// The first locations of a finding, `file:line`.
fn places(f: &FindingLine) -> String {
    let shown: Vec<String> =
        f.places.iter().take(5).map(|p| format!("{}:{}", p.file, p.line)).collect();
    let more = f.rows_total.saturating_sub(shown.len());
    if more > 0 { format!("{} {}", shown.join(", "), and_more(more)) } else { shown.join(", ") }
}

fn operations(report: &Report) -> Vec<Block<'_>> {
    let mut extra = EXTRA_COLUMNS.to_vec();
    extra.retain(|(_, cell)| report.operations.iter().any(|o| !cell(o).is_empty()));
    let mut table = DocTable::new(&[
        ("Operation", Set::Text),
        ("Shape", Set::Wide),
        ("Count", Set::Number),
        ("Time (ms)", Set::Number),
        ("% of GEMM time", Set::Number),
        ("% of roof", Set::Number),
        ("Attained", Set::Number),
        ("Bandwidth", Set::Number),
        ("FLOP/B", Set::Number),
        ("Limited by", Set::Text),
        ("Type", Set::Text),
    ]);
    extra.iter().for_each(|(title, _)| table.column(*title, Set::Wide));
    for o in report.listed() {
        let [efficiency, rate, bandwidth, intensity] = o.figures();
        let mut cells: Vec<Text<'_>> = vec![
            short(&o.name, 60),
            (&o.problem).into(),
            owned(fixed(o.calls, 0)),
            owned(fixed(o.time_s * 1e3, 3)),
            owned(format!("{:.1}", o.share_of_category * 100.0)),
            efficiency.into(),
            rate.into(),
            bandwidth.into(),
            intensity.into(),
            o.bound.as_deref().unwrap_or("unknown").into(),
            if o.quantized { "quantized" } else { "regular" }.into(),
        ];
        cells.extend(extra.iter().map(|(_, cell)| owned(cell(o))));
        table.row(cells);
    }
    let mut out = vec![heading("Operations"), Block::Table(table)];
    let more = report.operations_total - report.listed().len();
    if more > 0 {
        out.push(text(format!("{more} more operations take less time each.")));
    }
    out.extend(by_thumb(report).map(text));
    out
}

/// Operations for which the rule of thumb and the ridge point of the device disagree.
fn by_thumb(report: &Report) -> Option<String> {
    let differs = |o: &&ReportOperation| {
        let ours = o.bound.as_deref().unwrap_or("");
        !ours.is_empty() && !ours.starts_with(&o.rule_of_thumb)
    };
    let differ: Vec<String> = report
        .operations
        .iter()
        .filter(differs)
        .map(|o| format!("{} ({}: {})", o.problem, o.name, o.rule_of_thumb))
        .collect();
    let shown = differ.len().min(5);
    let more = match differ.len() - shown {
        0 => String::new(),
        n => format!(" {}", and_more(n)),
    };
    (shown > 0).then(|| {
        format!(
            "Bound is by the ridge point of the device. The rule of thumb (AI over 200 is compute-bound, \
             under 100 memory-bound) differs for {}{more}.",
            differ[..shown].join("; ")
        )
    })
}

/// The flagged operations, with circumstances that explain a low efficiency.
fn bottlenecks(report: &Report) -> Vec<Block<'_>> {
    let mut out = vec![heading("Flagged operations")];
    if report.bottlenecks.is_empty() {
        out.push(text("None."));
        return out;
    }
    let mut table = DocTable::new(&[
        ("Operation", Set::Text),
        ("Shape", Set::Wide),
        ("Priority", Set::Text),
        ("Flags", Set::Text),
        ("To consider", Set::Wide),
    ]);
    for b in report.worth_acting_on() {
        let o = &report.operations[b.operation];
        table.row(vec![
            owned(short(&o.heading(), 90)),
            (&o.problem).into(),
            b.priority.label().into(),
            owned(b.flags.join(", ")),
            owned(b.context.join(" ")),
        ]);
    }
    out.push(Block::Table(table));
    out.extend(report.not_worth().map(text));
    out
}

/// Number of lines of the dispatch table in a report; the command writes all.
const PICKS: usize = 20;

/// Which side to use for the GEMMs with the largest savings.
fn best_of_all(best: &BestOfAll) -> Vec<Block<'_>> {
    let Some(sentence) = &best.sentence else { return Vec::new() };
    let picks = best.table(PICKS);
    let set = |column: usize| if picks.is_numeric(column) { Set::Number } else { Set::Text };
    let mut table = DocTable::new(&[]);
    for (i, title) in picks.header.iter().enumerate() {
        table.column(title.clone(), set(i));
    }
    let shown = picks.rows.len();
    picks.rows.into_iter().for_each(|row| table.row(row.into_iter().map(owned).collect()));
    let mut out = vec![heading("Best of all sides"), text(sentence), Block::Table(table)];
    let more = best.picks.len() - shown;
    out.extend(
        (more > 0).then(|| text(format!("{}: `gemmscope dispatch` writes all.", and_more(more)))),
    );
    out
}

fn shapes(list: &ShapesWithoutTime) -> Vec<Block<'_>> {
    if list.total == 0 {
        return Vec::new();
    }
    let mut table = DocTable::new(&[
        ("Shape", Set::Wide),
        ("Types", Set::Text),
        ("Roof time of a call", Set::Number),
        ("Bound", Set::Text),
        ("Calls", Set::Number),
    ]);
    for s in &list.longest {
        table.row(vec![
            owned(s.shape.clone()),
            (&s.types).into(),
            owned(Seconds(s.roof_time_s)),
            s.bound.label().into(),
            owned(fixed(s.calls, 0)),
        ]);
    }
    let mut out = vec![
        heading("Shapes without a time"),
        text(super::sentences::all_shapes(list)),
        Block::Table(table),
    ];
    out.extend((list.more() > 0).then(|| text(and_more(list.more()) + ".")));
    out
}

fn tuning(part: &TuningPart) -> Vec<Block<'_>> {
    let mut out = vec![heading(format!("Tuning: {}", part.problem)), text(part.words())];
    if !part.settings.is_empty() {
        let mut table = DocTable::new(&[
            ("Setting", Set::Text),
            ("Failed or slow", Set::Number),
            ("Of all with it", Set::Number),
        ]);
        for s in &part.settings {
            let name = format!("{} = {}", s.name, s.value);
            table.row(vec![owned(name), owned(s.bad), owned(s.all)]);
        }
        out.push(Block::Table(table));
    }
    let mut table = DocTable::new(&[("Variant", Set::Text)]);
    table.column(capitalized(&part.order), Set::Number);
    for (title, set) in [("Outcome", Set::Text), ("Time", Set::Number), ("Settings", Set::Wide)] {
        table.column(title, set);
    }
    for v in &part.bad {
        let time = match v.time_s.is_finite() {
            true => owned(Seconds(v.time_s)),
            false => "not stated".into(),
        };
        let settings = (&v.settings).into();
        table.row(vec![short(&v.name, 60), owned(v.order), (&v.outcome).into(), time, settings]);
    }
    if !part.bad.is_empty() {
        out.push(Block::Table(table));
    }
    out.extend((part.more() > 0).then(|| text(and_more(part.more()) + ".")));
    out
}

/// Outcome of every rule.
fn checks(report: &Report) -> Vec<Block<'_>> {
    let mut rules =
        DocTable::new(&[("Rule", Set::Text), ("Speaks when", Set::Wide), ("Outcome", Set::Text)]);
    for c in &report.checked {
        rules.row(vec![(&c.title).into(), (&c.threshold).into(), owned(c.outcome())]);
    }
    vec![heading("Checks"), Block::Table(rules)]
}
