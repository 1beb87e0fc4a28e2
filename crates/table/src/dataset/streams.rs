//! A table that several readers fill at once, each with stretches of its lines.
//!
//! Each reader counts codes of operations, devices and texts by itself; here they get those that one
//! reader would have given, so that the table is the same.

use super::{Assembly, ColumnData, Dataset, Part, Rest, Source};
use crate::build::TableBuilder;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::Hash;

/// Most texts of a column. With more of them the readers do not gain what bringing them together
/// takes.
const MOST_TEXTS: usize = 1 << 16;

/// The table, and the codes of each reader.
#[derive(Debug, Default)]
pub struct Streams {
    table: Assembly,
    known: Known,
    codes: Vec<Codes>,
}

/// What has a code in the table.
#[derive(Debug, Default)]
struct Known {
    ops: HashMap<u64, u16>,
    devices: HashMap<String, u16>,
    texts: Vec<HashMap<String, u32>>,
}

/// The code in the table for each code of a reader.
#[derive(Debug, Default)]
struct Codes {
    ops: Vec<u16>,
    devices: Vec<u16>,
    texts: Vec<Vec<u32>>,
}

impl Part {
    /// The same operations, devices and texts without a row.
    pub fn without_rows(mut self) -> Part {
        let d = &mut self.rows;
        for v in [&mut d.m, &mut d.n, &mut d.k, &mut d.batch, &mut d.line] {
            v.clear();
        }
        for v in [&mut d.op, &mut d.device, &mut d.source] {
            v.clear();
        }
        d.time_s.clear();
        for c in &mut d.columns {
            match &mut c.data {
                ColumnData::Text { codes, .. } => codes.clear(),
                ColumnData::Number(v) => v.clear(),
            }
        }
        self
    }

    /// Counts its lines from the one after `lines`.
    pub fn lines_after(&mut self, lines: u32) {
        for line in &mut self.rows.line {
            *line -= lines.min(*line);
        }
    }
}

impl Streams {
    /// Tells how many rows there will be, about.
    pub fn expect(&mut self, rows: usize) {
        self.table.expect(rows);
    }

    /// The rows so far.
    pub fn data(&self) -> &Dataset {
        self.table.data()
    }

    /// Adds the next part: rows of `reader`, in lines that count from the one after `lines_before`.
    /// Parts come in the order of the file.
    ///
    /// # Errors
    /// As [`Assembly::add`], and where a table has too many texts.
    pub fn add(&mut self, reader: usize, mut part: Part, lines_before: u32) -> Result<(), String> {
        if self.codes.len() <= reader {
            self.codes.resize_with(reader + 1, Codes::default);
        }
        let (known, codes) = (&mut self.known, &mut self.codes[reader]);
        let d = &mut part.rows;
        let ops = std::mem::take(&mut d.ops);
        d.ops = learn(&mut known.ops, &mut codes.ops, ops, |o| o.key())?;
        let devices = std::mem::take(&mut d.devices);
        d.devices = learn(&mut known.devices, &mut codes.devices, devices, String::clone)?;
        translate(&codes.ops, &mut d.op)?;
        translate(&codes.devices, &mut d.device)?;
        for (i, column) in d.columns.iter_mut().enumerate() {
            if known.texts.len() <= i {
                known.texts.push(HashMap::new());
            }
            if codes.texts.len() <= i {
                codes.texts.push(Vec::new());
            }
            if let ColumnData::Text { codes: own, values } = &mut column.data {
                let (known, texts) = (&mut known.texts[i], &mut codes.texts[i]);
                *values = learn(known, texts, std::mem::take(values), String::clone)?;
                if known.len() > MOST_TEXTS {
                    return Err(format!("too many texts in {}", column.key));
                }
                translate(texts, own)?;
            }
        }
        for line in &mut d.line {
            *line = line.saturating_add(lines_before);
        }
        self.table.add(part)
    }

    /// The finished table; `ends` is what each reader has left, the first of them the one that read
    /// the head of the file.
    ///
    /// # Errors
    /// As [`add`](Self::add), and where the readers do not say the same of the file.
    pub fn finish(self, ends: Vec<Rest>) -> Result<Dataset, String> {
        let mut ends = ends.into_iter();
        let mut first = ends.next().ok_or("no reader ended")?;
        let rows = self.table.data().len();
        let of_source = |rest: &Rest| rest.part.rows.sources.first().cloned().unwrap_or_default();
        let mut source = of_source(&first);
        let all_given = |rest: &Rest| {
            let d = &rest.part.rows;
            d.m.is_empty() && d.columns.iter().all(|c| c.data.is_empty())
        };
        if !all_given(&first) {
            return Err("rows without a place".to_owned());
        }
        for rest in ends {
            let own = of_source(&rest);
            let same = |s: &Source| (s.assumptions.clone(), s.rejected.total());
            if !all_given(&rest)
                || same(&own) != same(&source)
                || rest.tail.odd != first.tail.odd
                || rest.tail.not_compared != first.tail.not_compared
            {
                return Err("the readers differ".to_owned());
            }
            source.bytes += own.bytes;
            source.notes = together(&source.notes, &own.notes);
            first.tail.empty_cells += rest.tail.empty_cells;
        }
        // Readers may differ in what they leave out of a table with so many empty cells.
        if first.tail.empty_cells > TableBuilder::MOST_EMPTY / 2 {
            return Err("too many empty cells".to_owned());
        }
        source.rows_used = rows as u64;
        source.rows_read = source.rows_used + source.rejected.total();
        first.part.rows.sources = vec![source];
        // Its last entries have no row, and were not in any part.
        let rest = &mut first.part.rows;
        (rest.ops, rest.devices) = (Vec::new(), Vec::new());
        self.table.finish(first)
    }
}

/// The notes of two readers: both begin alike, and what they then say is in the order of the alphabet.
fn together(a: &[String], b: &[String]) -> Vec<String> {
    let alike = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let mut rest = [&a[alike..], &b[alike..]].concat();
    rest.sort_unstable();
    rest.dedup();
    [&a[..alike], &rest].concat()
}

/// Gives each new item of a reader its code in the table; what the table did not know yet comes back.
fn learn<T, K: Hash + Eq, C: Copy + TryFrom<usize>>(
    known: &mut HashMap<K, C>,
    codes: &mut Vec<C>,
    items: Vec<T>,
    key: impl Fn(&T) -> K,
) -> Result<Vec<T>, String> {
    let mut fresh = Vec::new();
    for item in items {
        let next = known.len();
        let code = match known.entry(key(&item)) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(place) => {
                let code = C::try_from(next).map_err(|_| "too many codes")?;
                fresh.push(item);
                *place.insert(code)
            }
        };
        codes.push(code);
    }
    Ok(fresh)
}

/// Writes the table's codes for those of a reader.
fn translate<C: Copy + TryInto<usize> + TryFrom<usize> + PartialEq>(
    codes: &[C],
    rows: &mut [C],
) -> Result<(), String> {
    let same = |(i, &code): (usize, &C)| code.try_into().ok() == Some(i);
    if codes.iter().enumerate().all(same) {
        return Ok(());
    }
    for row in rows {
        let code = (*row).try_into().ok().and_then(|at: usize| codes.get(at));
        *row = *code.ok_or("a code without an entry")?;
    }
    Ok(())
}
