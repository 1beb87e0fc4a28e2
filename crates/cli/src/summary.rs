//! `gemmscope summary`: the figures of each file.

use crate::Io;
use crate::command_line::{Input, kinds, notes};
use crate::exit::{Exit, Stop};
use crate::load::{Outcome, load};
use crate::messages::Code;
use gemmscope_analysis::compare::{Dispatch, Tally};
use gemmscope_analysis::ledger::Ledger;
use gemmscope_analysis::shapes_without_time::{ShapeWithoutTime, roof_time_s};
use gemmscope_model::encode::one_line;
use gemmscope_model::hardware::RoofKind;
use gemmscope_model::units::{FlopsPerSec, Intensity, Seconds, and_more, percent, plural};
use gemmscope_table::data_kind::DataKind;
use gemmscope_table::dataset::Rejected;
use gemmscope_table::field::Frame;
use gemmscope_table::metrics::Totals;
use gemmscope_words::compare::{best_of_all, tally_sentences};
use gemmscope_words::headline;
use gemmscope_words::summary::{PointSummary, SideSummary, Summary as Figures};
use gemmscope_words::trust::Trust;
use std::io::Write;
use std::sync::Arc;

/// Version of the JSON; `docs/src/schema/summary-1.json` describes it.
const SCHEMA: &str = "gemmscope/summary/1";

/// Maximum number of skipped rows, shapes and devices in the text form; JSON has all.
const LISTED: usize = 10;

/// Rows read, used and skipped; best rate, efficiency, time; one block per file
#[derive(Debug, clap::Args)]
#[command(after_help = notes("", &[
    "gemmscope summary gemm.csv --device mi300x",
    "zcat log.gz | gemmscope summary - --device h100-sxm",
    "gemmscope summary odd.csv --column speed=rate:tflops --answer dtype=bf16",
]))]
pub(super) struct Summary {
    /// What totals count
    #[arg(long, value_name = "KIND", value_parser = kinds())]
    rows: Option<DataKind>,
    #[command(flatten)]
    input: Input,
}

impl Summary {
    /// Prints one block per file, or one JSON object.
    pub(super) fn run(&self, io: &mut Io<'_>) -> Result<Exit, Stop> {
        let json = self.input.source.json;
        let request = self.input.request();
        let mut loaded = load(&request, io.stdin);
        if let Some(misuse) = &loaded.misuse {
            io.err.usage(misuse)?;
            return Ok(Exit::Misuse);
        }
        if let Some(why) = loaded.overruled_device() {
            io.err.say(Code::Ignored, &why)?;
        }
        let roof = if loaded.measured_peaks { RoofKind::Achievable } else { RoofKind::default() };
        let metrics = loaded.metrics(roof);
        let data = Arc::new(std::mem::take(&mut loaded.data));
        let whole = Frame::all(data.clone(), Arc::new(metrics));
        let frame = match self.rows {
            None => whole,
            kind => whole.as_kind(kind),
        };
        for (name, outcome) in &loaded.files {
            match outcome {
                Outcome::Table(sources) => {
                    for source in sources.clone().take(Figures::MOST) {
                        let points = frame.data.sources[source].points.len();
                        let rows = print_source(io.out, &frame, source, (self.rows, json))?;
                        if rows == Some(0) && points == 0 {
                            io.err.of_file(Code::RowsSkipped, name, "no usable rows")?;
                        }
                    }
                    let more = sources.len().saturating_sub(Figures::MOST);
                    if more > 0 {
                        let why = format!(
                            "{} of this table, which count below",
                            plural(more as u64, "more file")
                        );
                        print_line(io.out, json, name, ("left_out", &why), &why)?;
                    }
                }
                Outcome::Devices(names) => {
                    let words = format!("defines {}", names.join(", "));
                    print_line(io.out, json, name, ("devices_defined", names), &words)?;
                }
                Outcome::Context(table) => {
                    let what = match table {
                        Some(table) => format!("joined with {table}"),
                        None => "context of a table: give that table too".into(),
                    };
                    print_line(io.out, json, name, ("context", &what), &what)?;
                }
                Outcome::LeftOut(why) => {
                    print_line(io.out, json, name, ("left_out", why), &format!("left out: {why}"))?;
                }
                Outcome::Failed(why) if json => {
                    let object = serde_json::json!({
                        "schema": SCHEMA,
                        "file": name,
                        "error": why.message,
                        "code": Code::of(why).key(),
                        "line": (why.line > 0).then_some(why.line),
                    });
                    writeln!(io.out, "{object}")?;
                }
                Outcome::Failed(why) => io.err.failed(name, why)?,
            }
        }
        if frame.data.sources.len() > 1 {
            print_together(io.out, &frame, json)?;
        }
        Ok(Exit::worked(!loaded.failed))
    }
}

/// Prints the outcome of a file without rows: an object with this key, or a sentence.
fn print_line(
    out: &mut dyn Write,
    json: bool,
    name: &str,
    (key, value): (&str, &impl serde::Serialize),
    words: &str,
) -> std::io::Result<()> {
    match json {
        true => {
            let object = serde_json::json!({ "schema": SCHEMA, "file": name, key: value });
            writeln!(out, "{object}")
        }
        false => writeln!(out, "{}\n", one_line(&format!("{name}: {words}"))),
    }
}

/// Prints a name and its figure.
fn line(out: &mut dyn Write, name: &str, value: impl std::fmt::Display) -> std::io::Result<()> {
    writeln!(out, "  {}", one_line(&format!("{name:<20} {value}")))
}

/// `and N more`, if a list is longer than [`LISTED`].
fn rest(all: usize) -> Option<String> {
    let rest = all.checked_sub(LISTED).filter(|rest| *rest > 0)?;
    Some(format!("{} (--json lists all)", and_more(rest)))
}

/// Prints the figures of one source; returns the number of rows used.
fn print_source(
    out: &mut dyn Write,
    frame: &Frame,
    source: usize,
    (kind, json): (Option<DataKind>, bool),
) -> std::io::Result<Option<u64>> {
    let rejected = &frame.data.sources[source].rejected;
    let Ok(source) = u16::try_from(source) else { return Ok(None) };
    let Some(s) = Figures::of(frame, source, kind) else { return Ok(None) };
    let shapes = shapes(frame, source);
    if json {
        let mut value = serde_json::to_value(&s)?;
        value["schema"] = SCHEMA.into();
        value["skipped"] = skipped(rejected).collect();
        value["shapes"] = serde_json::to_value(&shapes)?;
        writeln!(out, "{value}")?;
    } else {
        print_summary(out, &s, rejected)?;
        if let Some(ledger) = &s.ledger {
            print_ledger(out, ledger, &s.trust)?;
        }
        if let Some(others) = &s.reference {
            line(out, "others", others.words())?;
        }
        if s.rows_used > 0 || s.points.is_empty() {
            line(out, "trust", s.trust.words())?;
        }
        print_shapes(out, &shapes)?;
        writeln!(out)?;
    }
    Ok(Some(s.rows_used))
}

/// Prints what concerns all files together: the comparison of their sides, if any, and the ledger.
fn print_together(out: &mut dyn Write, frame: &Frame, json: bool) -> std::io::Result<()> {
    let standing = Tally::of(frame);
    let ledger = Ledger::new(frame);
    if json {
        let mut object = serde_json::json!({ "schema": SCHEMA, "ledger": ledger });
        if let Some(standing) = standing {
            object["standing"] = serde_json::to_value(standing)?;
            object["sides"] = serde_json::to_value(SideSummary::of(&Totals::of(frame)))?;
        }
        return writeln!(out, "{object}");
    }
    writeln!(out, "{}", frame.counted().words(frame.kind()))?;
    if let Some(standing) = standing {
        for sentence in tally_sentences(&standing) {
            writeln!(out, "  {}", one_line(&sentence))?;
        }
        if let Some(sentence) = Dispatch::of(frame).and_then(|(_, best)| best_of_all(&best)) {
            writeln!(out, "  {sentence}")?;
        }
        print_sides(out, &SideSummary::of(&Totals::of(frame)))?;
    }
    print_ledger(out, &ledger, &Trust::beside(frame, &ledger))?;
    writeln!(out)
}

/// Prints the ledger: a line for each side and device, after the doubt about them, if any.
fn print_ledger(out: &mut dyn Write, ledger: &Ledger, trust: &Trust) -> std::io::Result<()> {
    if let Some(doubt) = trust.doubt().filter(|_| !ledger.books.is_empty()) {
        writeln!(out, "  {}", one_line(&doubt))?;
    }
    headline::lines(ledger, trust).iter().try_for_each(|words| line(out, "time goes to", words))
}

fn print_sides(out: &mut dyn Write, sides: &[SideSummary]) -> std::io::Result<()> {
    for s in sides {
        let share = match s.weighted_efficiency {
            Some(share) => format!("{} of the roof by time", percent(share)),
            None => "unknown share of the roof".to_owned(),
        };
        let (gemms, time) = (plural(s.gemms, "GEMM"), Seconds(s.total_time_s));
        line(out, &s.side, format!("{gemms}, {time}, {share}"))?;
    }
    Ok(())
}

/// The shapes of a source without a time but with a roof.
fn shapes(frame: &Frame, source: u16) -> Vec<ShapeWithoutTime> {
    let of = &frame.data.source;
    let rows: Vec<u32> =
        (0u32..).zip(of).filter(|(_, code)| **code == source).map(|(row, _)| row).collect();
    ShapeWithoutTime::of(&frame.with_rows(Arc::new(rows)))
}

fn print_shapes(out: &mut dyn Write, shapes: &[ShapeWithoutTime]) -> std::io::Result<()> {
    if shapes.is_empty() {
        return Ok(());
    }
    let time = Seconds(roof_time_s(shapes));
    line(out, "shapes without time", format!("{}, {time} at their roof", shapes.len()))?;
    for s in shapes.iter().take(LISTED) {
        writeln!(
            out,
            "    {:>9}          {}, {}, {}",
            Seconds(s.roof_time_s).to_string(),
            one_line(&s.shape),
            s.types,
            s.bound.label()
        )?;
    }
    rest(shapes.len()).map_or(Ok(()), |rest| writeln!(out, "      {rest}"))
}

/// Prints the measurements without sizes, each with its share of the roof.
fn print_points(out: &mut dyn Write, points: &[PointSummary]) -> std::io::Result<()> {
    if points.is_empty() {
        return Ok(());
    }
    line(out, "points without sizes", points.len())?;
    for p in points.iter().take(LISTED) {
        let share = p.efficiency.map_or_else(String::new, |e| format!(", {} of roof", percent(e)));
        let (rate, ai) = (FlopsPerSec(p.rate_flop_per_s), Intensity(p.intensity));
        let name = one_line(&p.name);
        writeln!(out, "      line {:<12}  {rate} at {ai}{share}  {} {name}", p.line, p.dtype)?;
    }
    rest(points.len()).map_or(Ok(()), |rest| writeln!(out, "      {rest}"))
}

/// Line and reason of each skipped row.
fn skipped(rejected: &Rejected) -> impl Iterator<Item = serde_json::Value> {
    rejected.lines.iter().zip(&rejected.codes).map(|(line, code)| {
        let reason = rejected.reasons.get(usize::from(*code));
        serde_json::json!({ "line": line, "reason": reason.map_or("", |r| &r.text) })
    })
}

fn print_summary(out: &mut dyn Write, s: &Figures, rejected: &Rejected) -> std::io::Result<()> {
    let or = |v: Option<String>| v.unwrap_or_else(|| "not known".into());
    let share = |v: Option<f64>| or(v.map(percent));
    let file = if s.file.is_empty() { "standard input" } else { &s.file };
    writeln!(out, "{}", one_line(file))?;
    let reason = format!(" ({})", s.format_reason);
    let reason = if s.format_reason.is_empty() { "" } else { &reason };
    line(out, "format", format!("{}{reason}", s.format))?;
    let (read, used, skipped) = (s.rows_read, s.rows_used, s.rows_set_aside);
    line(out, "rows", format!("{read} read, {used} used, {skipped} skipped"))?;
    for (reason, count) in &s.rejected {
        writeln!(out, "    skipped            {count} x {}", one_line(reason))?;
    }
    let listed = rejected.lines.iter().zip(&rejected.codes).take(LISTED);
    for (line, code) in listed {
        if let Some(reason) = rejected.reasons.get(usize::from(*code)) {
            let cell = reason.example.as_ref().filter(|_| reason.count == 1);
            let cell = cell.map_or(String::new(), |(_, text)| format!(": {text}"));
            let text = format!("{}{cell}", reason.text);
            writeln!(out, "      line {line:<12}  {}", one_line(&text))?;
        }
    }
    if let Some(rest) = rest(rejected.lines.len()) {
        writeln!(out, "      {rest}")?;
    }
    print_points(out, &s.points)?;
    for a in &s.assumptions {
        line(out, "assumed", &a.text)?;
        if !a.key.is_empty() {
            // Example of an answer: of two choices the other one, else the current value.
            let other = a.choices.iter().find(|choice| **choice != a.value);
            let value = match (other, a.value.as_str()) {
                (Some(other), _) if a.choices.len() == 2 => other.as_str(),
                (_, "") => "VALUE",
                (_, value) => value,
            };
            let answer = format!("--answer '{}={value}'", a.key);
            writeln!(out, "    to change it       {}", one_line(&answer))?;
        }
    }
    for n in &s.notes {
        line(out, "note", n)?;
    }
    if s.rows_used == 0 && !s.points.is_empty() {
        return Ok(());
    }
    let devices = if s.devices.is_empty() {
        "not stated (choose one with --device)".to_owned()
    } else {
        let listed = s.devices.iter().take(LISTED).cloned();
        let mut words: Vec<String> = listed.collect();
        words.extend(rest(s.devices.len()));
        words.join(", ")
    };
    line(out, "devices", devices)?;
    line(out, "data types", s.dtypes.join(", "))?;
    let rate = s.max_tflops.map(|v| FlopsPerSec(v * 1e12).to_string());
    line(out, "highest rate", or(rate))?;
    line(out, "highest efficiency", share(s.max_efficiency))?;
    let above = s.rows_above_roof.map(|v| v.to_string());
    line(out, "rows above the roof", or(above))?;
    let count = DataKind::parse(&s.rows_are).map_or("rows", DataKind::label);
    line(out, "count", format!("{count}: {}", s.counted))?;
    if !s.sides.is_empty() {
        return print_sides(out, &s.sides);
    }
    let time = s.total_time_s.map(|v| Seconds(v).to_string());
    line(out, "total time", or(time))?;
    line(out, "weighted efficiency", share(s.weighted_efficiency))?;
    line(out, "memory bound", format!("{} of the time", share(s.share_memory_bound)))?;
    if s.reported_rate.compared > 0 {
        let (within, of) = (s.reported_rate.within_1_percent, s.reported_rate.compared);
        line(out, "file's own rates", format!("{within} of {of} within 1 %"))?;
    }
    Ok(())
}
