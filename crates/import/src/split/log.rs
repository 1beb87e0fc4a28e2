//! Logs with one result per line. A [`Parser`] finds the results, which become rows.

use crate::cell::values::{self, Types};
use crate::cell::{self, CellError};
use crate::columns::defaults::{self, AssumedType};
use crate::columns::plan::{ITS_RATES, SHAPES_ONLY, from_rates};
use crate::split::dialect::is_json;
use crate::split::json::{JsonItem, note_cut};
use crate::split::slot_values::{self, SlotValues};
use crate::{
    Claim, Head, ImportError, ImportOptions, Imported, ItemReader, Opened, Pieces, ValueCache,
};
use gemmscope_model::dtype::DataType;
use gemmscope_model::units::plural;
use gemmscope_table::build::cell_text::{RowError, cell_text};
use gemmscope_table::build::{Row, TableBuilder};
use gemmscope_table::dataset::ColumnMeaning::{
    self, Kernel, Library, Model, OpName, ReportedBandwidth, ReportedRate, ReportedWork, TimeMin,
};

/// One result of a log: its row, and further values.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    /// The row, or the reason for rejecting it.
    pub row: Result<Row, RowError>,
    /// Name of the kernel.
    pub kernel: String,
    /// Library or backend.
    pub library: String,
    /// Name of the operation or test.
    pub op_name: String,
    /// Model or workload.
    pub model: String,
    /// FLOP/s as logged; NaN if missing. A row without a time gets it from this rate.
    pub rate: f64,
    /// Byte/s as logged; NaN if missing.
    pub bandwidth: f64,
    /// Work in FLOP as logged; NaN if missing.
    pub work: f64,
    /// Shortest time in seconds.
    pub time_min: f64,
    /// Name of the device; "" if the line has none.
    pub device: String,
    /// Further figures: calls, tile, stages.
    pub figures: Vec<(ColumnMeaning, f64)>,
    /// Its line if a later line completed it; otherwise 0.
    pub line: u32,
}

impl Entry {
    /// Changes the row, or rejects it.
    pub(crate) fn amend(&mut self, how: impl FnOnce(Row) -> Result<Row, RowError>) {
        self.row = self.row.clone().and_then(how);
    }

    /// An entry with only a row.
    pub(crate) fn new(row: Result<Row, RowError>) -> Self {
        Entry {
            row,
            kernel: String::new(),
            library: String::new(),
            op_name: String::new(),
            model: String::new(),
            rate: f64::NAN,
            bandwidth: f64::NAN,
            work: f64::NAN,
            time_min: f64::NAN,
            device: String::new(),
            figures: Vec::new(),
            line: 0,
        }
    }
}

/// Kind of note on lines without a result.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Others {
    /// Their number.
    Lines,
    /// No note, because a result takes several lines.
    Unsaid,
    /// The number of operations other than GEMMs, which the parser counts.
    Operations(&'static str),
}

/// State kept between the lines of a log.
struct Known {
    types: AssumedType,
    /// Parsed type names.
    named: ValueCache<Option<Types>>,
    /// Number of operations other than GEMMs.
    other: u64,
    /// 1-based number of the current line.
    line: u32,
}

/// What a [`Parser`] may use while reading a line.
pub(crate) struct LogRows<'t> {
    pub table: &'t mut TableBuilder,
    known: &'t mut Known,
}

impl LogRows<'_> {
    /// The type of a row that states `named`.
    pub(crate) fn dtype(&mut self, named: Option<DataType>) -> DataType {
        self.known.types.of(named, self.table)
    }

    /// The types that a text names, cached.
    pub(crate) fn types_in(&mut self, text: &str) -> Option<Types> {
        *self.known.named.get(text.as_bytes(), values::types)
    }

    /// 1-based number of the current line.
    pub(crate) fn line(&self) -> u32 {
        self.known.line
    }

    /// Counts an operation other than a GEMM, see [`Others::Operations`]. Always returns `None`.
    pub(crate) fn other<T>(&mut self) -> Option<T> {
        self.known.other += 1;
        None
    }
}

/// Reads the lines of one tool.
pub(crate) trait Parser {
    /// The result of a line; `None` if it has none.
    fn result(&mut self, line: &str, rows: &mut LogRows<'_>) -> Option<Entry> {
        let _ = (line, rows);
        None
    }

    /// The results of a line, if it may complete several.
    fn line(&mut self, line: &str, rows: &mut LogRows<'_>) -> Vec<Entry> {
        self.result(line, rows).into_iter().collect()
    }

    /// Results still incomplete at the end of the file.
    fn last(&mut self, _rows: &mut LogRows<'_>) -> Vec<Entry> {
        Vec::new()
    }

    /// Adds remarks and assumptions at the end of the file.
    fn end(&mut self, _table: &mut TableBuilder) {}
}

impl Parser for () {}

/// A log format: its lines by templates (see [`super::slot_values`]) or by a parser of its own.
pub(crate) struct LogFormat {
    /// Words of one line that only this tool writes.
    pub signature: &'static [&'static str],
    /// JSON keys that only this tool writes.
    pub keys: &'static [&'static str],
    /// Recognises a head if there is neither a signature nor keys.
    pub knows: fn(&LogFormat, &Head) -> bool,
    /// Templates of lines that apply to the results below them. A `!` prefix starts a new problem
    /// and discards earlier values.
    pub above: &'static [&'static str],
    /// Templates of lines with a result.
    pub results: &'static [&'static str],
    /// Templates of lines that repeat a result; used only if no line of `results` preceded.
    pub again: &'static [&'static str],
    /// Templates of lines with the rate of the result above them.
    pub below: &'static [&'static str],
    /// Adds to a result what no slot holds.
    pub also: fn(&SlotValues<'_>, &mut Entry, &mut LogRows<'_>),
    /// The library, if no slot names it.
    pub library: &'static str,
    /// Type of A and B if neither a line, the file's name nor the user states one.
    pub dtype: DataType,
    /// Type of the output if no line states it; `None`: derived from the operands.
    pub output: Option<DataType>,
    /// Transposes of A and B if no line states them.
    pub transposed: [bool; 2],
    pub others: Others,
    /// Remarks for the file's card.
    pub notes: &'static [&'static str],
    /// Creates the parser of a log without templates; may add assumptions.
    pub parser: fn(&Head, &ImportOptions, &mut LogRows<'_>) -> Box<dyn Parser>,
}

impl LogFormat {
    /// Defaults: an fp16 log without results.
    pub(crate) const DEFAULT: LogFormat = LogFormat {
        signature: &[],
        keys: &[],
        knows: slot_values::Lines::knows,
        above: &[],
        results: &[],
        again: &[],
        below: &[],
        also: |_, _, _| {},
        library: "",
        dtype: DataType::Fp16,
        output: None,
        transposed: [false, false],
        others: Others::Lines,
        notes: &[],
        parser: |_, _, _| Box::new(()),
    };

    /// See [`Format::claim`](crate::Format::claim).
    pub(crate) fn claim(&self, head: &Head) -> Option<Claim> {
        match (self.signature, self.keys) {
            ([], []) => (self.knows)(self, head).then(|| Claim::signature(1)),
            ([], keys) => head.keyed(keys).filter(|_| is_json(head.first())),
            (words, _) => {
                head.lines.iter().any(|l| has(l, words)).then(|| Claim::signature(words.len()))
            }
        }
    }

    /// See [`Format::open`](crate::Format::open).
    pub(crate) fn open(&'static self, head: &Head, options: &ImportOptions) -> Opened {
        let of_routine = defaults::dtype_of_routine(head).filter(|_| !self.results.is_empty());
        let types = AssumedType::new(head, options, of_routine.unwrap_or(self.dtype));
        let (mut table, named) = (TableBuilder::new(), ValueCache::default());
        let mut known = Known { types, named, other: 0, line: 0 };
        let mut rows = LogRows { table: &mut table, known: &mut known };
        let parser: Box<dyn Parser> = if self.results.is_empty() {
            (self.parser)(head, options, &mut rows)
        } else {
            if !slot_values::Lines::names_types(self) {
                rows.dtype(None);
            }
            Box::new(slot_values::Lines::new(self))
        };
        let device = defaults::device(&mut table, head, options);
        let log = Log { format: self, parser, known, device, seen: Seen::default() };
        let json = is_json(head.first());
        // JSON with one object per line is a log too.
        let lines = head.first().starts_with('{')
            && (head.lines.iter().filter(|l| l.starts_with('{')).count() > 1
                || head.complete && head.lines.len() == 1);
        Ok(if json && !lines { Pieces::json(log, table) } else { Pieces::lines(log, table) })
    }
}

/// Passes the lines of a log to a [`Parser`].
struct Log {
    format: &'static LogFormat,
    parser: Box<dyn Parser>,
    known: Known,
    device: u16,
    seen: Seen,
}

/// Statistics over the lines so far.
#[derive(Default)]
struct Seen {
    /// Number of lines without a result.
    others: u64,
    /// Some rows have a line without a device.
    unnamed: bool,
    /// Some rows have a time.
    timed: bool,
    /// Some times were computed from rates.
    from_rates: bool,
}

/// Lines, and the items of a JSON array, each passed as a line.
impl ItemReader for Log {
    const ARRAYS: &'static [&'static str] = &["results", "data", "benchmarks", "traces"];

    fn item(&mut self, item: JsonItem<'_>, t: &mut TableBuilder) -> Result<(), ImportError> {
        match item.text {
            _ if !item.element => {}
            Some(bytes) => self.take(item.line, bytes, &cell_text(bytes), t),
            None => t.reject(item.line, item.problem.1, &RowError::new(item.problem.0)),
        }
        Ok(())
    }

    fn end(mut self, mut table: TableBuilder, complete: bool) -> Result<Imported, ImportError> {
        note_cut(&mut table, complete);
        let last = self.parser.last(&mut LogRows { table: &mut table, known: &mut self.known });
        self.put(self.known.line, b"", last, &mut table);
        if self.seen.from_rates {
            table.rates_are_not_independent();
            table.note(from_rates(ITS_RATES));
        }
        for note in self.format.notes {
            table.note(*note);
        }
        self.parser.end(&mut table);
        if !self.seen.unnamed && !table.is_empty() {
            table.assumptions.retain(|a| a.key != "device");
        }
        match self.format.others {
            Others::Lines if self.seen.others > 0 => {
                table.note(format!("{} without a result.", plural(self.seen.others, "line")));
            }
            Others::Operations(what) if self.known.other > 0 => {
                table.note(format!("{} of other operations.", plural(self.known.other, what)));
            }
            Others::Lines | Others::Unsaid | Others::Operations(_) => {}
        }
        if !self.seen.timed && !table.is_empty() {
            table.note(SHAPES_ONLY);
        }
        Ok(Imported::table(table.finish()))
    }
}

impl Log {
    fn take(&mut self, line: u32, raw: &[u8], text: &str, t: &mut TableBuilder) {
        self.known.line = line;
        let found = self.parser.line(text, &mut LogRows { table: t, known: &mut self.known });
        self.seen.others += u64::from(found.is_empty() && !text.trim().is_empty());
        if found.is_empty() && self.device == 0 && t.is_empty() {
            self.stated(text, t);
        }
        self.put(line, raw, found, t);
    }

    /// Uses the device that a line above the results states.
    fn stated(&mut self, text: &str, t: &mut TableBuilder) {
        if let Some(name) = defaults::stated_device(text).filter(|n| defaults::may_be_device(n)) {
            self.device = t.device(name);
            t.assumptions.retain(|a| a.key != "device");
            t.note(format!("Device from a line of the log: {name}."));
        }
    }

    fn put(&mut self, line: u32, raw: &[u8], found: Vec<Entry>, t: &mut TableBuilder) {
        for e in found {
            let row = e.row.and_then(|mut r| {
                if r.time_s.is_nan() && !e.rate.is_nan() {
                    r.time_s = r.problem().work().0 / positive(Some(e.rate), "rate")?;
                    self.seen.from_rates = true;
                }
                self.seen.timed |= !r.time_s.is_nan();
                if r.device == 0 {
                    self.seen.unnamed |= e.device.is_empty();
                    r.device = if e.device.is_empty() { self.device } else { t.device(&e.device) };
                }
                Ok(r)
            });
            t.stage_text(Kernel, "kernel", e.kernel.as_bytes());
            t.stage_text(Library, "library", e.library.as_bytes());
            t.stage_text(OpName, "operation", e.op_name.as_bytes());
            t.stage_text(Model, "model", e.model.as_bytes());
            t.stage_number(ReportedRate, "rate", e.rate);
            t.stage_number(ReportedBandwidth, "bandwidth", e.bandwidth);
            t.stage_number(ReportedWork, "work", e.work);
            t.stage_number(TimeMin, "shortest time", e.time_min);
            for (meaning, v) in e.figures {
                t.stage_number(meaning, &meaning.id().replace('_', " "), v);
            }
            match e.line {
                0 => t.commit(line, raw, row),
                before => t.commit(before, b"", row),
            }
        }
    }
}

/// The text after `label`, without leading blanks.
pub(crate) fn after<'a>(text: &'a str, label: &str) -> Option<&'a str> {
    text.find(label).map(|at| text[at + label.len()..].trim_start())
}

/// The number at the start of a text, and the rest.
pub(crate) fn leading(text: &str) -> Option<(f64, &str)> {
    let text = text.trim_start();
    let end = text
        .bytes()
        .position(|b| !(b.is_ascii_digit() || matches!(b, b'.' | b'-' | b'+' | b'e' | b'E')))
        .unwrap_or(text.len());
    // In `2048e` and `1.5 e` the letter belongs to the following text.
    let digits = text[..end].trim_end_matches(['e', 'E', '+', '-']);
    let value = cell::number(digits.as_bytes())?;
    Some((value, &text[digits.len()..]))
}

/// The number after a label.
pub(crate) fn number_after(text: &str, label: &str) -> Option<f64> {
    leading(after(text, label)?).map(|n| n.0)
}

/// The size after a label: a whole number from 1.
pub(crate) fn size_after(text: &str, label: &str) -> Result<u32, RowError> {
    let what = label.trim_matches([' ', '=', ',', '(', ':']);
    let rest = after(text, label).unwrap_or("");
    let end = rest
        .bytes()
        .position(|b| !(b.is_ascii_digit() || b == b'-' || b == b'.'))
        .unwrap_or(rest.len());
    size_of(Some(rest[..end].trim_end_matches('.')), what)
}

/// Parses the text of the field `name` as a size.
pub(crate) fn size_of(text: Option<&str>, name: &str) -> Result<u32, RowError> {
    let size = cell::size(text.unwrap_or("").as_bytes());
    size.map_err(|flaw| flaw.of(name))
}

/// A time in seconds: `value` times its unit's factor.
pub(crate) fn time(value: Option<f64>, scale: f64) -> Result<f64, RowError> {
    positive(value, "time").map(|v| cell::scaled(v, scale))
}

/// The value if it is positive, otherwise the reason for rejecting the row.
fn positive(value: Option<f64>, what: &str) -> Result<f64, RowError> {
    let checked = value.map_or(Err(CellError::Missing), cell::checked);
    checked.map_err(|flaw| flaw.of(what))
}

/// Converts a number to a size.
pub(crate) fn size(value: f64, what: &str) -> Result<u32, RowError> {
    size_of(Some(&value.to_string()), what)
}

/// FLOP/s from a number with unit: `117.44 GFLOPS`; NaN if there is none.
pub(crate) fn rate_in(text: &str) -> f64 {
    let Some((v, rest)) = leading(text) else {
        return f64::NAN;
    };
    let unit = rest
        .trim_start_matches([' ', ')', '(', ']'])
        .split(|c: char| !(c.is_ascii_alphabetic() || c == '/'))
        .next()
        .unwrap_or("");
    gemmscope_model::units::RateUnit::parse(unit).map_or(f64::NAN, |u| v * u.to_si())
}

/// True if the line contains all of these words.
pub(crate) fn has(line: &str, words: &[&str]) -> bool {
    words.iter().all(|w| line.contains(w))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_lines() {
        assert_eq!(number_after("m=  4096, n=1", "m="), Some(4096.0));
        assert_eq!(leading("1.5e3us"), Some((1500.0, "us")));
        assert_eq!(leading("24.6 usec"), Some((24.6, " usec")));
        assert_eq!(leading("x"), None);
        assert_eq!(size_after("k= 12,", "k="), Ok(12));
        assert_eq!(size_after("k=0", "k=").unwrap_err().reason, "k is zero");
        assert_eq!(size_after("k=9x", "m=").unwrap_err().reason, "m is missing");
        assert_eq!(rate_in("2.60 TFLOPS"), 2.6e12);
        assert_eq!(rate_in("(24277.4) GFLOPS".trim_start_matches('(')), 24277.4e9);
        assert!(rate_in("about").is_nan());
    }
}
