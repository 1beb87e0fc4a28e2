//! Writes rows as the CSV format that gemmscope itself reads, or as JSON with the same columns.
//!
//! Each column title has its unit; each row has all operand types, its device, and the file and line it comes from.

use crate::dataset::{Assumption, Column, ColumnData, ColumnMeaning, Dataset, Source};
use crate::field::{FieldKind, Frame};
use crate::metrics::Metrics;
#[cfg(doc)]
use gemmscope_model::gemm::Groups;
use gemmscope_model::hardware::{Device, NameMatch, match_name};
use gemmscope_model::roofline::Bound;
use std::borrow::Cow;
use std::fmt::Write;

/// Version of the format, in the first cell of every row.
pub const VERSION: u32 = 1;

/// The columns of every table, in order.
pub const FIXED: [&str; 18] = [
    "gemmscope",
    "m",
    "n",
    "k",
    "batch",
    "dtype_a",
    "dtype_b",
    "dtype_c",
    "dtype_compute",
    "trans_a",
    "trans_b",
    "bias",
    "beta",
    "time_s",
    "device",
    "file",
    "format",
    "line",
];

/// Columns computed from the others, for people; import ignores them.
pub const DERIVED: [&str; 2] = ["rate_flop_per_s", "intensity_flop_per_byte"];

/// Columns that depend on the chosen device, for people; import ignores them.
pub const FROM_ROOF: [&str; 4] = ["roof_time_s", "efficiency", "bound", "roof"];

/// Prefix of [derived](crate::field::Derived) columns, in seconds, for people; import ignores them.
pub const HANDED_IN: &str = "ledger.";
/// Column with the groups of grouped GEMMs, as [`Groups`] writes them; absent where there are none.
pub const GROUPS: &str = "groups";
/// Column with the metadata of a file, as JSON in the first row of each file; absent if no file has any.
pub const ABOUT: &str = "about";

/// The value of one cell.
enum Cell<'a> {
    Text(&'a str),
    /// NaN if missing.
    Number(f64),
    Whole(u64),
    Yes(bool),
}

/// Values of a derived column by row; NaN if missing.
type DerivedColumn<'a> = Box<dyn Fn(usize) -> f64 + 'a>;

/// Writes a table in parts, so that a large one is not in memory twice.
pub struct CsvWriter<'a> {
    data: &'a Dataset,
    metrics: Option<&'a Metrics>,
    derived: Vec<(String, DerivedColumn<'a>)>,
    /// By device code: name of the device whose figures its rows have.
    devices: Vec<&'a str>,
    /// By source: metadata still to be written, in the source's first row.
    about: Option<Vec<String>>,
}

impl<'a> CsvWriter<'a> {
    /// A writer for this table. With metrics, it writes roof time and efficiency too.
    pub fn new(data: &'a Dataset, metrics: Option<&'a Metrics>) -> Self {
        let resolved = |code: usize| metrics.and_then(|m| m.devices.get(code)?.as_ref());
        let devices: Vec<&str> = data
            .devices
            .iter()
            .enumerate()
            .map(|(code, stated)| match resolved(code) {
                Some(device) if !is_name_of(stated, device) => device.name.as_str(),
                _ => stated,
            })
            .collect();
        let about = about(data, &devices);
        let about = about.iter().any(|a| !a.is_empty()).then_some(about);
        CsvWriter { data, metrics, derived: Vec::new(), devices, about }
    }

    /// The writer of a frame, with metrics if a device is known, and with the derived number columns.
    pub fn of(frame: &'a Frame) -> Self {
        let known = frame.metrics.devices.iter().any(Option::is_some);
        let own = frame.derived().filter(|i| i.kind == FieldKind::Number);
        let derived = own.map(|i| {
            let name = i.field.to_string();
            (name.trim_start_matches("c.").to_owned() + "_s", frame.numbers(&i.field))
        });
        CsvWriter {
            derived: derived.collect(),
            ..CsvWriter::new(&frame.data, known.then_some(&*frame.metrics))
        }
    }

    /// Column titles, in order.
    fn names(&self) -> Vec<String> {
        let from_roof = self.metrics.map_or(&[][..], |_| &FROM_ROOF);
        let known = FIXED.iter().chain(&DERIVED).chain(from_roof);
        let known = known.chain(self.data.has_groups().then_some(&GROUPS));
        let known = known.chain(self.about.as_ref().map(|_| &ABOUT));
        let further = self.data.columns.iter().map(title);
        let derived = self.derived.iter().map(|(name, _)| name.clone());
        known.map(|name| (*name).to_owned()).chain(further).chain(derived).collect()
    }

    /// The header line.
    pub fn header(&self) -> String {
        let mut out = String::new();
        for (i, name) in self.names().iter().enumerate() {
            if i > 0 {
                out.push(',');
            }
            push_text(&mut out, name);
        }
        out.push('\n');
        out
    }

    /// Rows as JSON objects keyed by column title; missing numbers are `null`.
    pub fn objects(
        &mut self,
        rows: impl IntoIterator<Item = usize>,
    ) -> impl Iterator<Item = serde_json::Value> {
        let names = self.names();
        let known = rows.into_iter().filter(|row| *row < self.data.len());
        known.map(move |row| {
            let mut object = serde_json::Map::new();
            let mut names = names.iter();
            self.cells(row, &mut |cell| {
                let value = match cell {
                    Cell::Text(text) => text.into(),
                    // serde_json turns non-finite numbers into null.
                    Cell::Number(number) => number.into(),
                    Cell::Whole(number) => number.into(),
                    Cell::Yes(yes) => yes.into(),
                };
                if let Some(name) = names.next() {
                    object.insert(name.clone(), value);
                }
            });
            object.into()
        })
    }

    /// CSV lines of these rows.
    pub fn rows(&mut self, rows: impl IntoIterator<Item = usize>) -> String {
        let mut out = String::new();
        for row in rows {
            if row < self.data.len() {
                self.row(&mut out, row);
            }
        }
        out
    }

    fn row(&mut self, out: &mut String, row: usize) {
        let mut first = true;
        self.cells(row, &mut |cell| {
            if !std::mem::take(&mut first) {
                out.push(',');
            }
            // Writing to a String cannot fail.
            let _ = match cell {
                Cell::Text(text) => {
                    push_text(out, text);
                    Ok(())
                }
                Cell::Number(number) => {
                    push_number(out, number);
                    Ok(())
                }
                Cell::Whole(number) => write!(out, "{number}"),
                Cell::Yes(yes) => write!(out, "{yes}"),
            };
        });
        out.push('\n');
    }

    /// Passes the values of a row to `take`, in column order.
    fn cells(&mut self, row: usize, take: &mut impl FnMut(Cell<'_>)) {
        let d = self.data;
        let p = d.problem(row);
        let op = p.op;
        let letter = |t: bool| Cell::Text(if t { "T" } else { "N" });
        take(Cell::Whole(VERSION.into()));
        for size in [p.m, p.n, p.k, p.batch] {
            take(Cell::Whole(size.into()));
        }
        for dtype in [op.a, op.b, op.c, op.compute] {
            take(Cell::Text(dtype.id()));
        }
        take(letter(op.trans_a));
        take(letter(op.trans_b));
        take(Cell::Yes(op.bias));
        take(Cell::Yes(op.beta));
        take(Cell::Number(d.time_s[row]));
        take(Cell::Text(self.devices[usize::from(d.device[row])]));
        let of_row = usize::from(d.source[row]);
        let source = d.sources.get(of_row);
        take(Cell::Text(source.map_or("", |s| &s.name)));
        take(Cell::Text(source.map_or("", |s| &s.format)));
        take(Cell::Whole(d.line[row].into()));
        take(Cell::Number(p.work().0 / d.time_s[row]));
        take(Cell::Number(p.intensity().0));
        if let Some(m) = self.metrics {
            let roof = m.roof_s.get(row).copied().unwrap_or(f64::NAN);
            take(Cell::Number(roof));
            take(Cell::Number(roof / d.time_s[row]));
            take(Cell::Text(m.bound(d, row).map_or("", Bound::label)));
            take(Cell::Text(if roof.is_nan() { "" } else { m.kind_of(d, row).key() }));
        }
        if d.has_groups() {
            take(Cell::Text(&op.groups.map_or_else(String::new, |groups| groups.to_string())));
        }
        if let Some(about) = &mut self.about {
            take(Cell::Text(&about.get_mut(of_row).map_or_else(String::new, std::mem::take)));
        }
        for c in &d.columns {
            take(match &c.data {
                ColumnData::Number(v) => Cell::Number(v[row]),
                ColumnData::Text { codes, values } => Cell::Text(&values[codes[row] as usize]),
            });
        }
        for (_, of) in &self.derived {
            take(Cell::Number(of(row)));
        }
    }
}

/// True if a name stated in a file means this device.
fn is_name_of(stated: &str, device: &Device) -> bool {
    stated == device.name
        || stated == device.id
        || matches!(match_name(stated), NameMatch::Exact(d) | NameMatch::Alias(d) if d.id == device.id)
}

/// By source: the content of [`ABOUT`]. A device that was chosen on the page is written as chosen by the user.
fn about(data: &Dataset, devices: &[&str]) -> Vec<String> {
    let mut chosen = vec![None; data.sources.len()];
    if devices.iter().zip(&data.devices).any(|(figures, stated)| figures != stated) {
        for (&code, &source) in data.device.iter().zip(&data.source) {
            let device = devices[usize::from(code)];
            if device != data.devices[usize::from(code)]
                && let Some(chosen) = chosen.get_mut(usize::from(source))
            {
                *chosen = Some(device);
            }
        }
    }
    let has_rates = data.numbers(ColumnMeaning::ReportedRate).is_some();
    let sources = data.sources.iter().zip(chosen);
    let text = |(source, chosen): (&Source, Option<&str>)| match chosen {
        None => source.about(has_rates),
        Some(device) => {
            let mut source = source.clone();
            source.assumptions.retain(|a| a.key != "device");
            source.assumptions.push(Assumption::device_by_hand(device));
            source.about(has_rates)
        }
    };
    sources.map(text).collect()
}

/// The rows as one CSV text, in this order.
pub fn csv(
    data: &Dataset,
    rows: impl IntoIterator<Item = usize>,
    metrics: Option<&Metrics>,
) -> String {
    let mut writer = CsvWriter::new(data, metrics);
    let mut out = writer.header();
    out.push_str(&writer.rows(rows));
    out
}

/// Appends the shortest text that reads back as exactly this number; nothing for NaN.
fn push_number(out: &mut String, value: f64) {
    if value.is_nan() {
        return;
    }
    let size = value.abs();
    let _ = if size != 0.0 && !(1e-4..1e15).contains(&size) && size.is_finite() {
        write!(out, "{value:e}")
    } else {
        write!(out, "{value}")
    };
}

fn push_text(out: &mut String, text: &str) {
    let text = guard(text);
    let quote = text.contains([',', '"', '\n', '\r', ';', '\t', '|'])
        || text.starts_with(char::is_whitespace)
        || text.ends_with(char::is_whitespace);
    if quote {
        push_quoted(out, &text);
    } else {
        out.push_str(&text);
    }
}

/// Appends a quoted cell; quotes inside are doubled.
pub(crate) fn push_quoted(out: &mut String, text: &str) {
    out.push('"');
    out.push_str(&text.replace('"', "\"\""));
    out.push('"');
}

/// Title of an extra column: meaning, unit, key and label.
pub(crate) fn title(column: &Column) -> String {
    let text = matches!(column.data, ColumnData::Text { .. });
    let what = match (column.meaning, text) {
        (ColumnMeaning::Other, true) => "text".to_owned(),
        (ColumnMeaning::Other, false) => "number".to_owned(),
        (meaning, text) if text == meaning.is_text() => meaning.id().to_owned(),
        (meaning, true) => format!("{} as text", meaning.id()),
        (meaning, false) => format!("{} as number", meaning.id()),
    };
    let unit = match column.unit.as_str() {
        "" => String::new(),
        unit => format!(" ({unit})"),
    };
    let separator = " | ";
    let name = if column.key == column.label
        || column.label.is_empty()
        || column.key.contains(separator)
        || column.label.contains(separator)
    {
        column.key.clone()
    } else {
        format!("{}{separator}{}", column.key, column.label)
    };
    format!("{what}{unit}: {name}")
}

/// Parses a title written by `title`; the column has no data.
pub fn parse_title(title: &str) -> Option<Column> {
    let (what, name) = title.split_once(": ")?;
    let (what, unit) = match what.split_once(" (") {
        Some((what, unit)) => (what, unit.strip_suffix(')')?),
        None => (what, ""),
    };
    let of_dataset = || ColumnMeaning::OF_DATASET.iter().copied();
    let meaning_of = |id: &str| of_dataset().find(|r| r.id() == id);
    let (meaning, text) = match what {
        "text" => (ColumnMeaning::Other, true),
        "number" => (ColumnMeaning::Other, false),
        _ => {
            if let Some(id) = what.strip_suffix(" as text") {
                (meaning_of(id)?, true)
            } else if let Some(id) = what.strip_suffix(" as number") {
                (meaning_of(id)?, false)
            } else {
                let meaning = meaning_of(what)?;
                (meaning, meaning.is_text())
            }
        }
    };
    let (key, label) = name.split_once(" | ").unwrap_or((name, name));
    Some(Column {
        key: key.to_owned(),
        label: label.to_owned(),
        meaning,
        unit: unit.to_owned(),
        data: if text { ColumnData::text() } else { ColumnData::Number(Vec::new()) },
    })
}

/// `＝`, `＋`, `－` and `＠`, which spreadsheets in some locales treat as formula signs too.
const WIDE_SIGNS: [&[u8]; 4] = ["＝".as_bytes(), "＋".as_bytes(), "－".as_bytes(), "＠".as_bytes()];

/// True if a spreadsheet would run the text as a formula, ignoring leading apostrophes and blanks.
fn is_risky(text: &[u8]) -> bool {
    let begin = text.iter().position(|b| !matches!(b, b'\'' | b' '));
    let bare = begin.and_then(|at| text.get(at..)).unwrap_or_default();
    match bare.first() {
        Some(b'=' | b'+' | b'-' | b'@' | b'\t' | b'\r' | b'\n') => true,
        Some(0xef) => WIDE_SIGNS.iter().any(|sign| bare.starts_with(sign)),
        _ => false,
    }
}

/// True for a number, with or without a unit: `-1.5e-3`, `+12.0 %`.
fn is_figure(text: &str) -> bool {
    let unsigned = text.trim_start_matches(['+', '-']);
    let plain = |c: char| c.is_alphanumeric() || matches!(c, ' ' | '.' | '%' | '/' | '\u{202f}');
    text.parse::<f64>().is_ok()
        || text.len() <= unsigned.len() + 1
            && unsigned.starts_with(|c: char| c.is_ascii_digit())
            && unsigned.chars().all(plain)
}

/// Prevents spreadsheets from running a text as a formula: prefixes an apostrophe to `=`, `+`, `-`, `@`, their
/// full-width forms, tab and line end, unless the text is a figure. [`unguard`] removes it.
pub(crate) fn guard(text: &str) -> Cow<'_, str> {
    if is_risky(text.as_bytes()) && !is_figure(text) {
        Cow::Owned(format!("'{text}"))
    } else {
        Cow::Borrowed(text)
    }
}

/// Removes the apostrophe that keeps spreadsheets from running a text as a formula.
#[inline]
pub fn unguard(text: &[u8]) -> &[u8] {
    match text.split_first() {
        Some((b'\'', rest)) if is_risky(rest) => rest,
        _ => text,
    }
}
