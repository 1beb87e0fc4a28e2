//! Assembles a table from the parts that a [`TableBuilder`] hands over while it is filled. The result equals the table
//! built in one piece, without holding a large table twice.

use super::library::spelled;
use super::{Column, ColumnData, ColumnMeaning, Dataset, ReportedCheck, Source};
use crate::build::column::with_exceptions;
use crate::build::{COMPUTED_BYTES, ROW_BYTES, TableBuilder, compare_rates, free_key};
use gemmscope_model::units::{Bytes, grouped, plural};
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, TryReserveError};

/// Rows of a table that is still being read, and metadata of the file. Holds only operations, devices and texts that no
/// earlier part had; codes count from the first part. A column may have fewer values than rows, or values of earlier
/// rows too: its values continue those of the parts before.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TablePart {
    pub(crate) rows: Dataset,
}

/// The last part of a table, and what is known only at its end.
#[derive(Clone, Debug, PartialEq)]
pub struct Rest {
    pub(crate) part: TablePart,
    pub(crate) tail: Tail,
}

/// What is known only at the end of a table.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Tail {
    /// By column: row and text of cells in a number column that are not numbers.
    pub odd: Vec<Vec<(usize, String)>>,
    /// Number of cells padded as missing.
    pub empty_cells: usize,
    /// True if comparing the file's own rates proves nothing.
    pub not_compared: bool,
}

impl TablePart {
    /// Number of rows.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// True if there are no rows.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }
}

impl Rest {
    /// Metadata of the file.
    pub fn source(&mut self) -> Option<&mut Source> {
        self.part.rows.sources.first_mut()
    }
}

/// Maximum size of a table in bytes: half the address space, which is 2 GiB in a browser, because a table is copied
/// when it grows.
pub const MOST_MEMORY: usize = usize::MAX / 2;

/// Name of codes in error messages of packed tables.
pub(super) const CODES: &str = "codes";

/// Error message for a packed table that lacks `what`.
pub(super) fn no_values(what: &str) -> String {
    format!("no values that fit: {what}")
}

/// Advice for a file that is too large.
const SPLIT: &str = "split the file, or use the gemmscope command";

/// Error message: the rows so far take more than `most` bytes; `advice` says what to do.
pub fn too_large(rows: u64, most: usize, advice: &str) -> String {
    format!(
        "too large: the first {} rows and what is computed of them take more than {} of memory; \
         {advice}",
        grouped(rows),
        Bytes(most as f64).to_iec()
    )
}

/// Approximate size of a table in bytes, including what the page computes from its rows.
fn memory(data: &Dataset) -> usize {
    let of_column = |c: &Column| match &c.data {
        ColumnData::Text { codes, values } => codes.len() * 4 + values.len() * size_of::<String>(),
        ColumnData::Number(v) => v.len() * 8,
    };
    let of_columns: usize = data.columns.iter().map(of_column).sum();
    data.len() * (ROW_BYTES + COMPUTED_BYTES) + of_columns
}

/// Maximum total size in bytes of several tables, since joining makes one more table of them.
pub const MOST_TOGETHER: usize = MOST_MEMORY / 4 * 3;

/// Error message if several tables together exceed `most` bytes.
pub fn too_large_together<'a>(
    tables: impl Iterator<Item = &'a Dataset> + Clone,
    most: usize,
) -> Option<String> {
    (tables.clone().map(memory).sum::<usize>() > most).then(|| {
        format!(
            "too large together: its rows and those of the other files are {}, which take more than \
             {} of memory; remove a file, or use the gemmscope command",
            grouped(tables.map(|t| t.len() as u64).sum()),
            Bytes(most as f64).to_iec()
        )
    })
}

/// A table that grows by parts.
#[derive(Debug, Default)]
pub struct Assembly {
    data: Dataset,
    /// By column: which texts some row uses. A text of a rejected row alone is unused.
    used: Vec<Vec<bool>>,
    /// Expected number of rows.
    expected: usize,
}

impl Assembly {
    /// Sets the approximate number of rows to come, which is reserved for.
    pub fn expect(&mut self, rows: usize) {
        self.expected = rows;
    }

    /// The rows so far.
    pub fn data(&self) -> &Dataset {
        &self.data
    }

    /// Appends the next part.
    ///
    /// # Errors
    /// A sentence, if the part does not continue the others or does not fit into memory.
    pub fn add(&mut self, part: TablePart) -> Result<(), String> {
        self.check(&part.rows)
            .map_err(|why| format!("the parts of the table do not fit: {why}"))?;
        self.make_room(part.rows.len())?;
        self.join(part);
        // Columns that this part introduced.
        self.reserve_columns(self.data.m.capacity())
            .map_err(|_| too_large(self.data.len() as u64, self.memory(), SPLIT))
    }

    /// The finished table.
    ///
    /// # Errors
    /// As [`add`](Self::add).
    pub fn finish(mut self, rest: Rest) -> Result<Dataset, String> {
        let Rest { part, tail } = rest;
        self.add(part)?;
        Ok(self.close(tail))
    }

    /// Checks that every code has an entry and every column keeps its kind.
    fn check(&self, part: &Dataset) -> Result<(), String> {
        let known = |codes: &[u16], len: usize| codes.iter().all(|&c| usize::from(c) < len);
        let (ops, devices) =
            (self.data.ops.len() + part.ops.len(), self.data.devices.len() + part.devices.len());
        if !known(&part.op, ops) || !known(&part.device, devices) {
            return Err(no_values(CODES));
        }
        if part.columns.len() < self.data.columns.len() {
            return Err("a column is missing".to_owned());
        }
        let rows = self.data.len() + part.len();
        for (i, theirs) in part.columns.iter().enumerate() {
            let ours = self.data.columns.get(i).map(|c| &c.data);
            let fits = match (ours, &theirs.data) {
                (None, ColumnData::Text { codes, values }) => in_range(codes, values.len()),
                (
                    Some(ColumnData::Text { values, .. }),
                    ColumnData::Text { codes, values: more },
                ) => in_range(codes, values.len() + more.len()),
                (Some(ours @ ColumnData::Text { .. }), ColumnData::Number(_)) => ours.is_empty(),
                (None | Some(ColumnData::Number(_)), ColumnData::Number(_)) => true,
                (Some(ColumnData::Number(_)), ColumnData::Text { .. }) => false,
            };
            let len = ours.map_or(0, ColumnData::len) + theirs.data.len();
            if !fits || len > rows {
                return Err(no_values(&theirs.key));
            }
        }
        Ok(())
    }

    /// Reserves memory for the expected rows, or at least for `rows` more.
    fn make_room(&mut self, rows: usize) -> Result<(), String> {
        let len = self.data.len();
        let need = len + rows;
        if self.memory() > MOST_MEMORY {
            return Err(too_large(len as u64, MOST_MEMORY, SPLIT));
        }
        if need <= self.data.m.capacity() {
            return Ok(());
        }
        // If the estimate was too low, grow by an eighth.
        let room = self.expected.max(need + need / 8);
        self.reserve(room)
            .or_else(|_| self.reserve(need))
            .map_err(|_| too_large(len as u64, self.memory(), SPLIT))
    }

    fn reserve(&mut self, room: usize) -> Result<(), TryReserveError> {
        each_column!(v of self.data => to(v, room)?);
        self.reserve_columns(room)
    }

    /// Reserves memory for the columns that have values.
    fn reserve_columns(&mut self, room: usize) -> Result<(), TryReserveError> {
        for c in &mut self.data.columns {
            match &mut c.data {
                ColumnData::Text { codes, .. } if !codes.is_empty() => to(codes, room)?,
                ColumnData::Number(v) => to(v, room)?,
                ColumnData::Text { .. } => {}
            }
        }
        Ok(())
    }

    /// Approximate size in bytes, including what the page computes from the rows.
    fn memory(&self) -> usize {
        memory(&self.data)
    }

    /// Appends a part that [`check`](Self::check) accepted.
    pub(crate) fn join(&mut self, part: TablePart) {
        /// Appends, moving the whole vector if ours is empty.
        fn join<T>(ours: &mut Vec<T>, theirs: &mut Vec<T>) {
            if ours.capacity() == 0 {
                *ours = std::mem::take(theirs);
            } else {
                ours.append(theirs);
            }
        }
        let mut rows = part.rows;
        let d = &mut self.data;
        d.sources = rows.sources;
        d.ops.extend(rows.ops);
        d.devices.extend(rows.devices);
        each_column!(ours of d, theirs of rows => join(ours, theirs));
        d.source.resize(d.m.len(), 0);
        for (i, theirs) in rows.columns.into_iter().enumerate() {
            if i == d.columns.len() {
                self.used.push(Vec::new());
                d.columns
                    .push(theirs.with(ColumnData::Text { codes: Vec::new(), values: Vec::new() }));
            }
            let (ours, used) = (&mut d.columns[i].data, &mut self.used[i]);
            if ours.is_empty() && matches!(theirs.data, ColumnData::Number(_)) {
                *ours = ColumnData::Number(Vec::new());
            }
            match (ours, theirs.data) {
                (
                    ColumnData::Text { codes, values },
                    ColumnData::Text { codes: mut more, values: mut new },
                ) => {
                    join(values, &mut new);
                    used.resize(values.len(), false);
                    for &c in &more {
                        used[c as usize] = true;
                    }
                    join(codes, &mut more);
                }
                (ColumnData::Number(v), ColumnData::Number(mut more)) => join(v, &mut more),
                _ => {}
            }
        }
    }

    /// Finishes the table: drops unused texts and columns, and pads gaps.
    pub(crate) fn close(self, tail: Tail) -> Dataset {
        let Assembly { mut data, used, .. } = self;
        let rows = data.len();
        let Tail { odd, mut empty_cells, not_compared } = tail;
        let mut columns: Vec<Column> = Vec::with_capacity(data.columns.len());
        let mut keys = HashMap::new();
        let mut dropped = 0;
        let mut odd = odd.into_iter();
        for (c, used) in std::mem::take(&mut data.columns).into_iter().zip(used) {
            let odd = odd.next().unwrap_or_default();
            let (c, data) = c.replace(());
            let (mut main, rest) = match data {
                ColumnData::Text { codes, values } => {
                    let kept = without_unused(codes, values, used);
                    (if c.meaning == ColumnMeaning::Library { spelled(kept) } else { kept }, None)
                }
                ColumnData::Number(numbers) => with_exceptions(numbers, &odd),
            };
            let empty = match &main {
                ColumnData::Text { values, .. } => values.len() <= 1,
                ColumnData::Number(v) => v.iter().all(|x| x.is_nan()),
            };
            if empty && rest.is_none() {
                continue;
            }
            let missing = |data: &ColumnData| rows - data.len().min(rows);
            let empty_here = missing(&main) + rest.as_ref().map_or(0, missing);
            if empty_cells + empty_here > TableBuilder::MOST_EMPTY {
                dropped += 1;
                continue;
            }
            empty_cells += empty_here;
            main.pad(rows);
            if let Some(mut rest) = rest {
                rest.pad(rows);
                columns.push(Column {
                    key: free_key(&mut keys, &format!("{} (text)", c.key)),
                    label: format!("{} (text)", c.label),
                    meaning: ColumnMeaning::Other,
                    unit: String::new(),
                    data: rest,
                });
            }
            if !empty {
                let key = free_key(&mut keys, &c.key);
                columns.push(Column { key, ..c.replace(main).0 });
            }
        }
        data.columns = columns;
        let reported_rate = match not_compared {
            true => ReportedCheck::default(),
            false => compare_rates(&data),
        };
        if let Some(source) = data.sources.first_mut() {
            source.reported_rate = reported_rate;
            if dropped > 0 {
                source.notes.push(format!(
                    "{} not kept: nearly empty, and the table has more than {} million empty \
                     cells.",
                    plural(dropped, "column"),
                    TableBuilder::MOST_EMPTY >> 20
                ));
            }
        }
        data
    }
}

/// Reserves capacity for `room` values in total.
fn to<T>(v: &mut Vec<T>, room: usize) -> Result<(), TryReserveError> {
    v.try_reserve_exact(room.saturating_sub(v.len()))
}

fn in_range(codes: &[u32], len: usize) -> bool {
    codes.iter().all(|&c| (c as usize) < len)
}

/// A text column without the texts that only rejected rows had.
fn without_unused(codes: Vec<u32>, values: Vec<String>, mut used: Vec<bool>) -> ColumnData {
    if let Some(empty) = used.first_mut() {
        *empty = true;
    }
    if used.iter().all(|&u| u) {
        return ColumnData::Text { codes, values };
    }
    let mut new_code = vec![0u32; used.len()];
    let mut kept = Vec::new();
    for (i, text) in values.into_iter().enumerate() {
        if used[i] {
            new_code[i] = kept.len() as u32;
            kept.push(text);
        }
    }
    ColumnData::Text { codes: codes.iter().map(|&c| new_code[c as usize]).collect(), values: kept }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build::Row;
    use gemmscope_model::dtype::DataType;
    use gemmscope_model::gemm::Operation;

    /// Two parts and the rest of a table with a text column.
    fn parts() -> (TablePart, TablePart, Rest) {
        let mut table = TableBuilder::new();
        let kernel = table.text_column(ColumnMeaning::Kernel, "kernel");
        let op = Operation::uniform(DataType::Fp16);
        let mut next = |names: [&str; 2]| {
            for name in names {
                table.set_text(kernel, name.as_bytes());
                let line = table.len() as u32 + 2;
                table.commit(line, b"", Ok(Row::new(1, 2, 3, op, 1e-6)));
            }
            table.part().unwrap()
        };
        let (first, second) = (next(["a", "b"]), next(["c", "a"]));
        (first, second, table.rest())
    }

    #[test]
    fn parts_make_the_table_that_they_were_taken_from() {
        let (first, second, rest) = parts();
        let mut all = Assembly::default();
        // However wrong the estimate is.
        all.expect(1);
        all.add(first).unwrap();
        all.add(second).unwrap();
        let data = all.finish(rest).unwrap();
        let kernels: Vec<&str> = (0..4).map(|r| data.text(ColumnMeaning::Kernel, r)).collect();
        assert_eq!(kernels, ["a", "b", "c", "a"]);
        assert_eq!((data.line, data.sources[0].rows_used), (vec![2, 3, 4, 5], 4));
    }

    #[test]
    fn room_is_made_once_for_columns_too() {
        let (first, second, _) = parts();
        let mut all = Assembly::default();
        all.expect(100);
        all.add(first).unwrap();
        let at = |all: &Assembly| {
            let data = all.data();
            let codes = data.codes(ColumnMeaning::Kernel).unwrap();
            (data.m.as_ptr(), codes.as_ptr())
        };
        let before = at(&all);
        all.add(second).unwrap();
        assert_eq!(at(&all), before);
        assert_eq!(all.data().m.capacity(), 100);
    }

    #[test]
    fn parts_that_do_not_follow_each_other_are_refused_in_words() {
        let (first, second, _) = parts();
        let refused = |part: TablePart| Assembly::default().add(part).unwrap_err();
        assert!(refused(second.clone()).starts_with("the parts of the table do not fit: "));
        let mut fewer = second;
        fewer.rows.columns.clear();
        let mut all = Assembly::default();
        all.add(first).unwrap();
        assert!(all.add(fewer).unwrap_err().ends_with("a column is missing"));
    }

    #[test]
    fn tables_that_fit_alone_may_not_fit_together() {
        let (_, _, rest) = parts();
        let mut all = Assembly::default();
        let (first, second, _) = parts();
        all.add(first).unwrap();
        all.add(second).unwrap();
        let table = all.finish(rest).unwrap();
        let one = memory(&table);
        assert_eq!(too_large_together([&table].into_iter(), one), None);
        let why = too_large_together([&table, &table].into_iter(), one).unwrap();
        assert!(
            why.starts_with("too large together: its rows and those of the other files are 8,"),
            "{why}"
        );
    }
}
