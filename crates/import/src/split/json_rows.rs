//! Rows as JSON: an array of objects, an object with such an array (`results`, `rows`, …), one object per line, or a
//! pandas data frame by columns. They are passed to the generic reader as a table.

mod cells;

use super::canonical::push_record;
use super::json::{self, CUT, JsonItem};
use crate::columns::mapping;
use crate::formats::tables::generic;
use crate::{
    Claim, ErrorKind, Format, Head, ImportError, ImportOptions, Imported, ItemReader, Opened,
    Pieces, ReadBy, Reader,
};
use cells::{Cells, Columns, MOST_COLUMNS, flatten, is_column, of_pytest};
use gemmscope_model::units::plural;
use gemmscope_table::build::TableBuilder;
use gemmscope_table::dataset::ColumnMeaning;
use serde_json::{Map, Value};
use std::collections::HashSet;

pub(crate) const FORMAT: Format = Format {
    id: "json-rows",
    name: "JSON rows with M, N, K and a time or a rate",
    produced_by: "any script that dumps a list of objects (json.dump, DataFrame.to_json(orient=\"records\", lines=True)), pytest --benchmark-json=gemm.json with M, N and K as parameters, nvMatmulHeuristics problem lists",
    example: "[{\"M\": 4096, \"N\": 4096, \"K\": 4096, \"dtype\": \"fp16\", \"time_us\": 690},\n \
              {\"M\": 128, \"N\": 4096, \"K\": 4096, \"dtype\": \"fp16\", \"time_us\": 41}]\n",
    read: ReadBy::Code { claim, open },
};

/// Number of objects that determine the columns of the table.
const FIRST: usize = 64;

fn is_lines(head: &Head) -> bool {
    let object = |l: &str| {
        let l = l.trim();
        l.starts_with('{') && l.ends_with('}')
    };
    let mut lines = head.lines.iter().filter(|l| !l.trim().is_empty());
    lines.next().is_some_and(|l| object(l) && !has_list(l))
        && lines.next().is_none_or(|l| object(l))
}

/// True if the line is an object with a list of rows rather than a row.
fn has_list(line: &str) -> bool {
    let Ok(Value::Object(object)) = json::value(line.as_bytes()) else {
        return false;
    };
    let of_columns = |v: &Value| v.as_object().is_some_and(is_column);
    object.values().all(of_columns)
        || Rows::ARRAYS.iter().any(|key| {
            let list = object.get(*key).and_then(Value::as_array);
            let titled = object.contains_key("columns");
            list.is_some_and(|l| l.iter().any(|v| v.is_object() || titled && v.is_array()))
        })
}

/// The objects in the head.
fn first_rows(head: &Head) -> Rows {
    let mut rows = Rows::default();
    let text = head.lines.join("\n");
    if is_lines(head) {
        for line in &head.lines {
            rows.push(1, line.as_bytes());
        }
    }
    if rows.objects.is_empty() {
        let mut scanner = super::json::Scanner::new(Rows::ARRAYS);
        // The end of the head may be truncated.
        let _ = scanner.feed(text.as_bytes(), &mut |i| {
            match i.text {
                Some(t) if i.element => rows.push(i.line, t),
                Some(t) => rows.around(i.line, i.key, t),
                None => {}
            }
            Ok(())
        });
    }
    rows
}

fn claim(head: &Head) -> Option<Claim> {
    if !crate::split::dialect::is_json(head.first()) {
        return None;
    }
    let rows = first_rows(head);
    let text = rows.into_csv();
    let m = mapping::inspect(&Head::of(&text), &ImportOptions::default())?;
    // Objects name their columns; a list of numbers does not.
    m.can_be_read().then(|| Claim::Columns(String::new()))
}

fn open(head: &Head, options: &ImportOptions) -> Opened {
    let rows = Rows { name: head.name.clone(), options: options.clone(), ..Rows::default() };
    // Unused: the rows go to the table of the inner reader.
    let table = TableBuilder::default();
    Ok(if is_lines(head) { Pieces::lines(rows, table) } else { Pieces::json(rows, table) })
}

#[derive(Default)]
struct Rows {
    name: String,
    options: ImportOptions,
    columns: Columns,
    /// Members next to the list that apply to all rows: `config`, `device`.
    common: Cells,
    /// Titles for rows that are lists, as in pandas' `orient="split"`.
    titles: Vec<String>,
    /// Columns with their cells, as in pandas' default `orient="columns"`.
    across: Vec<(u32, String, Map<String, Value>)>,
    /// Objects read before the inner table is opened: line and cells.
    objects: Vec<(u32, Cells)>,
    inner: Option<Box<dyn Reader>>,
    /// Line in the file of each record passed to the inner table.
    lines: Vec<u32>,
    /// Rows that are not objects: line, reason and text, kept up to [`BAD_BYTES`].
    bad: Vec<(u32, &'static str, Vec<u8>)>,
    bad_bytes: usize,
    /// Number of members without a column.
    late: u64,
    /// A key that occurs twice in one of the first objects.
    twice: Option<String>,
    /// Index of the outermost value of the last item.
    value: u32,
}

/// Limit in bytes for kept text of rows that are not objects.
const BAD_BYTES: usize = 1 << 20;

impl Rows {
    fn push(&mut self, line: u32, text: &[u8]) {
        match json::value(text) {
            Ok(Value::Object(o)) => {
                if self.inner.is_none() && self.twice.is_none() {
                    self.twice = json::repeated_key(text);
                }
                self.object(line, &o);
            }
            Ok(Value::Array(cells)) if !self.titles.is_empty() => {
                self.object(line, &self.titles.iter().cloned().zip(cells).collect());
            }
            _ => self.bad(line, "not a JSON object", text),
        }
    }

    fn object(&mut self, line: u32, object: &Map<String, Value>) {
        let mut taken = HashSet::new();
        let mut cells = Vec::new();
        let of_pytest = of_pytest(object);
        flatten("", of_pytest.as_ref().unwrap_or(object), &mut cells, &mut taken, 0);
        let common = self.common.iter().filter(|(key, _)| !taken.contains(key));
        cells.extend(common.cloned());
        self.objects.push((line, cells));
    }

    /// Converts columns to rows.
    fn turn(&mut self) {
        let across = std::mem::take(&mut self.across);
        let Some((line, _, first)) = across.first().filter(|_| self.objects.is_empty()) else {
            return;
        };
        let mut labels: Vec<&String> = first.keys().collect();
        labels.sort_by_key(|l| (l.len(), *l));
        for label in labels {
            let cell = |(_, title, cells): &(u32, String, Map<String, Value>)| {
                Some((title.clone(), cells.get(label)?.clone()))
            };
            self.object(*line, &across.iter().filter_map(cell).collect());
        }
    }

    fn bad(&mut self, line: u32, reason: &'static str, text: &[u8]) {
        let kept = if self.bad_bytes + text.len() <= BAD_BYTES {
            self.bad_bytes += text.len();
            text.to_vec()
        } else {
            Vec::new()
        };
        self.bad.push((line, reason, kept));
    }

    /// Keeps a member before the list that applies to all rows: a size, a type, a device.
    fn around(&mut self, line: u32, key: &str, text: &[u8]) {
        let Ok(value) = json::value(text) else {
            return;
        };
        let mut cells = Vec::new();
        match value {
            Value::Object(o) if is_column(&o) => self.across.push((line, key.to_owned(), o)),
            Value::Array(titles) if key == "columns" => {
                let title = |t: &Value| t.as_str().map_or_else(|| t.to_string(), str::to_owned);
                self.titles = titles.iter().map(title).collect();
            }
            Value::Object(o) => flatten("", &o, &mut cells, &mut HashSet::new(), 0),
            Value::Array(_) | Value::Null => {}
            Value::String(t) => cells.push((key.to_owned(), t)),
            other => cells.push((key.to_owned(), other.to_string())),
        }
        // Skip datasheet peaks and other figures that do not belong to the rows.
        use ColumnMeaning::*;
        let known = |name: &str| {
            let of_run = matches!(
                crate::document::title::meaning(name),
                Time | TimeMin
                    | TimeMax
                    | TimeStd
                    | ReportedRate
                    | ReportedWork
                    | ReportedBandwidth
                    | ReportedBytes
                    | ReportedIntensity
                    | ReportedEfficiency
                    | MeasuredClock
                    | Status
                    | Other
                    | Ignore
            );
            !of_run
        };
        let of_device = ["device", "gpu", "hardware", "accelerator", "datasheet", "environment"];
        if of_device.contains(&key.to_ascii_lowercase().as_str()) {
            for (name, _) in &mut cells {
                if matches!(name.as_str(), "name" | "model" | "device_name" | "product") {
                    *name = "device".to_owned();
                }
            }
        }
        cells.retain(|(name, _)| known(name));
        self.common.extend(cells);
    }

    /// Fixes the columns by the objects so far, in order of appearance.
    fn settle(&mut self) {
        for (key, _) in self.objects.iter().flat_map(|(_, cells)| cells) {
            self.columns.add(key);
        }
    }

    /// The header of the table.
    fn header(&self) -> String {
        let mut out = String::new();
        push_record(&mut out, self.columns.names.iter().map(String::as_str), true);
        out
    }

    fn into_csv(mut self) -> String {
        self.turn();
        self.settle();
        let mut out = self.header();
        for (_, cells) in &self.objects {
            self.columns.record(&mut out, cells);
        }
        out
    }

    fn flush(&mut self) -> Result<(), ImportError> {
        let mut text = String::new();
        if self.inner.is_none() {
            self.settle();
            text = self.header();
            let mut sample = text.clone();
            for (_, cells) in self.objects.iter().take(FIRST) {
                self.columns.record(&mut sample, cells);
            }
            let head = Head { name: self.name.clone(), ..Head::of(&sample) };
            self.inner = Some(generic::FORMAT.open(&head, &self.options)?);
        }
        for (line, cells) in std::mem::take(&mut self.objects) {
            self.lines.push(line);
            self.late += self.columns.record(&mut text, &cells);
        }
        match &mut self.inner {
            Some(inner) => inner.feed(text.as_bytes()),
            None => Ok(()),
        }
    }

    fn take(&mut self, line: u32, text: &[u8]) -> Result<(), ImportError> {
        self.push(line, text);
        if self.objects.len() >= FIRST {
            self.flush()?;
        }
        Ok(())
    }

    fn imported(mut self) -> Result<Imported, ImportError> {
        self.turn();
        if self.inner.is_none() && self.objects.is_empty() {
            return Err(
                ImportError::new("no rows: the JSON has no list of objects").kind(ErrorKind::Empty)
            );
        }
        self.flush()?;
        let Some(inner) = self.inner else {
            return Err(ImportError::new("the file was not opened"));
        };
        let mut imported = inner.finish()?.whole()?;
        if let Imported::Table(data) = &mut imported
            && let Some(s) = data.sources.first_mut()
        {
            // Line 1 of the inner table is its header.
            let of_file = |l: &mut u32| {
                if let Some(line) = self.lines.get((*l as usize).wrapping_sub(2)) {
                    *l = *line;
                }
            };
            data.line.iter_mut().for_each(of_file);
            s.rejected.lines.iter_mut().for_each(of_file);
            for r in &mut s.rejected.reasons {
                r.first_lines.iter_mut().for_each(of_file);
            }
            for (line, reason, text) in self.bad {
                s.reject(line, reason, &text);
            }
            if let Some(key) = self.twice {
                s.notes.push(format!("An object has the key “{key}” twice: the last counts."));
            }
            if self.late > 0 {
                s.notes.push(format!(
                    "Dropped {}: not a key of the first {FIRST} objects, or beyond \
                     {MOST_COLUMNS} columns.",
                    plural(self.late, "value")
                ));
            }
        }
        Ok(imported)
    }
}

impl ItemReader for Rows {
    const READS_ON: bool = true;
    const ARRAYS: &'static [&'static str] = &[
        "results",
        "rows",
        "data",
        "records",
        "measurements",
        "benchmarks",
        "gemms",
        "shapes",
        "problems",
    ];

    fn item(&mut self, item: JsonItem<'_>, _: &mut TableBuilder) -> Result<(), ImportError> {
        if std::mem::replace(&mut self.value, item.value) != item.value {
            self.turn();
            self.common.clear();
            self.titles.clear();
        }
        match item.text {
            Some(text) if text.trim_ascii().is_empty() => Ok(()),
            Some(text) if item.element => self.take(item.line, text),
            Some(text) => {
                self.around(item.line, item.key, text);
                Ok(())
            }
            None if item.element => {
                self.bad(item.line, item.problem.0, item.problem.1);
                Ok(())
            }
            None => Ok(()),
        }
    }

    fn end(self, _: TableBuilder, complete: bool) -> Result<Imported, ImportError> {
        let mut imported = self.imported()?;
        if let (false, Imported::Table(data)) = (complete, &mut imported)
            && let Some(source) = data.sources.first_mut()
        {
            source.notes.push(CUT.to_owned());
        }
        Ok(imported)
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::read;

    #[test]
    fn figures_that_are_no_numbers_cost_no_row() {
        for word in ["NaN", "Infinity", "-inf"] {
            for text in [
                format!("[{{\"M\":64,\"N\":32,\"K\":16,\"time_us\":2.5,\"std\":{word}}}]"),
                format!("{{\"M\":64,\"N\":32,\"K\":16,\"time_us\":2.5,\"std\":{word}}}\n"),
                format!(
                    "{{\"best\":{word},\"results\":[{{\"M\":64,\"N\":32,\"K\":16,\"std\":{word},\"time_us\":2.5}}]}}"
                ),
            ] {
                let d = read(&text);
                assert_eq!((d.time_s[0], d.sources[0].rejected.total()), (2.5e-6, 0), "{text}");
            }
        }
        // A required figure is missing.
        let d = read(
            "[{\"M\":64,\"N\":32,\"K\":16,\"time_us\":NaN},{\"M\":64,\"N\":32,\"K\":16,\"time_us\":1}]",
        );
        assert_eq!((d.len(), d.sources[0].rejected.total()), (1, 1));
    }

    #[test]
    fn lists_that_were_joined_are_read_each_with_what_holds_for_it() {
        let list = |device: &str, time: u32| {
            format!(
                "{{\"device\":\"{device}\",\"results\":[{{\"M\":64,\"N\":32,\"K\":16,\"time_us\":{time}}}]}}\n"
            )
        };
        let d = read(
            list("H100", 5)
                + &list("A100", 6)
                + "{\"results\":[{\"M\":64,\"N\":32,\"K\":16,\"time_us\":7}]}",
        );
        assert_eq!(d.time_s, [5e-6, 6e-6, 7e-6]);
        let devices: Vec<&str> =
            d.device.iter().map(|c| d.devices[usize::from(*c)].as_str()).collect();
        assert_eq!(devices, ["H100", "A100", ""]);
        let d = read(
            "[{\"M\":64,\"N\":32,\"K\":16,\"time_us\":5}]\n[{\"M\":64,\"N\":32,\"K\":16,\"time_us\":6}]\nM,N,K\n",
        );
        assert_eq!(d.time_s, [5e-6, 6e-6]);
        assert!(
            d.sources[0].notes.iter().any(|n| n.contains("6 bytes behind")),
            "{:?}",
            d.sources[0].notes
        );
    }

    #[test]
    fn frames_of_pandas() {
        for text in [
            r#"{"columns":["M","N","K","time_us"],"index":[0,1],"data":[[64,32,16,2.5],[128,32,16,5]]}"#,
            r#"{"M":{"0":64,"1":128},"N":{"0":32,"1":32},"K":{"0":16,"1":16},"time_us":{"0":2.5,"1":5}}"#,
            "{\"M\":{\"0\":64,\"1\":128},\n\"N\":{\"0\":32,\"1\":32},\n\"K\":{\"0\":16,\"1\":16},\n\"time_us\":{\"0\":2.5,\"1\":5}}\n",
        ] {
            let d = read(text);
            assert_eq!(
                (&d.m[..], &d.n[..], &d.k[..]),
                (&[64, 128][..], &[32; 2][..], &[16; 2][..])
            );
            assert_eq!(d.time_s, [2.5e-6, 5e-6], "{text}");
        }
    }
}
