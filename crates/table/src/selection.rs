//! References to rows by file and line, so that a selection survives a reload.

use crate::dataset::Dataset;
use std::collections::HashMap;
use std::sync::Arc;

/// A stable reference to a row: file, line, and its position among the rows of that line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RowRef {
    /// Index of the file.
    pub source: u16,
    /// 1-based line.
    pub line: u32,
    /// Position among the rows of the line, from 0.
    pub part: u32,
}

impl RowRef {
    /// References to rows, in the same order; row numbers out of range are dropped.
    pub fn of_all(rows: &[u32], data: &Dataset) -> Vec<RowRef> {
        let mut rows: Vec<u32> = rows.to_vec();
        rows.retain(|r| (*r as usize) < data.len());
        let mut ascending: Vec<u32> = rows.clone();
        ascending.sort_unstable();
        ascending.dedup();
        // A file may have all its rows on one line, so count in one pass.
        let mut parts: Vec<u32> = Vec::with_capacity(ascending.len());
        let mut before = 0;
        for &row in &ascending {
            let place = |r: u32| (data.source[r as usize], data.line[r as usize]);
            let from = if parts.is_empty() { 0 } else { before + 1 };
            let own = (from..row).rev().take_while(|r| place(*r) == place(row));
            let own = own.count() as u32;
            let reached = own == row - from && place(before) == place(row);
            parts.push(match parts.last() {
                Some(last) if reached => last + 1 + own,
                _ => own,
            });
            before = row;
        }
        rows.iter()
            .map(|row| {
                let at = ascending.partition_point(|r| r < row);
                RowRef {
                    source: data.source[*row as usize],
                    line: data.line[*row as usize],
                    part: parts[at],
                }
            })
            .collect()
    }

    /// Rows of these references, in the same order; references without a row are dropped.
    pub fn find(refs: &[RowRef], data: &Dataset) -> Vec<u32> {
        if refs.is_empty() || data.is_empty() {
            return Vec::new();
        }
        let low = refs.iter().map(|r| r.line).min().unwrap_or(0);
        let high = refs.iter().map(|r| r.line).max().unwrap_or(0);
        let mut first: HashMap<(u16, u32), u32> = HashMap::new();
        for r in refs {
            first.insert((r.source, r.line), u32::MAX);
        }
        for (row, &line) in (0u32..).zip(&data.line) {
            // Skip most rows of a large file without a lookup.
            if line < low || line > high {
                continue;
            }
            if let Some(slot) = first.get_mut(&(data.source[row as usize], line)) {
                *slot = (*slot).min(row);
            }
        }
        refs.iter()
            .filter_map(|r| {
                let row = first
                    .get(&(r.source, r.line))
                    .filter(|&&row| row != u32::MAX)?
                    .checked_add(r.part)?;
                let at = row as usize;
                let same =
                    at < data.len() && data.source[at] == r.source && data.line[at] == r.line;
                same.then_some(row)
            })
            .collect()
    }
}

/// A set of rows as a filter, independent of the dataset.
///
/// Stored as runs of lines, so that a set of a million rows is small and a link naming four billion lines does no harm.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RowSet {
    /// Id of the rule that found the rows, or "" for a selection.
    pub what: String,
    /// Sorted by file, part and first line, without overlaps.
    runs: Arc<Vec<Run>>,
}

/// Consecutive lines of one file, with the same `part` of each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Run {
    source: u16,
    part: u32,
    first: u32,
    last: u32,
}

/// Maximum length of a set of rows in a link, in bytes.
pub(crate) const LONGEST: usize = 4000;

impl RowSet {
    /// The set of these rows.
    pub fn new(what: &str, rows: &[u32], data: &Dataset) -> RowSet {
        let runs = RowRef::of_all(rows, data)
            .into_iter()
            .map(|RowRef { source, line, part }| Run { source, part, first: line, last: line });
        RowSet { what: what.to_owned(), runs: Arc::new(join(runs.collect())) }
    }

    /// Number of rows in the set. A set from a link may include rows that the data lacks.
    pub fn len(&self) -> u64 {
        self.runs.iter().map(|r| u64::from(r.last - r.first) + 1).sum()
    }

    /// The set after removing a file: its rows are dropped, later files move up by one.
    pub(crate) fn without_source(&self, source: u16) -> RowSet {
        let kept = self.runs.iter().filter(|r| r.source != source);
        let runs = kept.map(|r| Run { source: r.source - u16::from(r.source > source), ..*r });
        RowSet { what: self.what.clone(), runs: Arc::new(runs.collect()) }
    }

    /// True if the set is empty; as a filter it then rejects every row.
    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// By row of the data, in order: whether it is in the set.
    pub(crate) fn marks<'a>(&'a self, data: &'a Dataset) -> impl Iterator<Item = bool> + 'a {
        let mut before = None;
        let mut part = 0u32;
        data.source.iter().zip(&data.line).map(move |(&s, &line)| {
            part = if before == Some((s, line)) { part + 1 } else { 0 };
            before = Some((s, line));
            let at = self.runs.partition_point(|r| (r.source, r.part, r.first) <= (s, part, line));
            at.checked_sub(1).is_some_and(|i| {
                let r = self.runs[i];
                (r.source, r.part) == (s, part) && line <= r.last
            })
        })
    }

    /// Text form, `split_k*0.2-9_0.12_1.3.1`: file, line or lines, and the part if it is not 0. `None` if it is longer
    /// than `LONGEST`.
    pub fn encode(&self) -> Option<String> {
        let mut out = format!("{}*", self.what);
        for (i, r) in self.runs.iter().enumerate() {
            if i > 0 {
                out.push('_');
            }
            out.push_str(&format!("{}.{}", r.source, r.first));
            if r.last > r.first {
                out.push_str(&format!("-{}", r.last));
            }
            if r.part > 0 {
                out.push_str(&format!(".{}", r.part));
            }
            if out.len() > LONGEST {
                return None;
            }
        }
        Some(out)
    }

    /// Parses the text form of [`encode`](RowSet::encode).
    ///
    /// # Errors
    /// The expected form and the part that does not match it.
    pub(crate) fn decode(text: &str) -> Result<RowSet, String> {
        let (what, list) = text.split_once('*').ok_or_else(|| not_a_row(text))?;
        let mut runs = Vec::new();
        for run in list.split('_').filter(|t| !t.is_empty()) {
            let malformed = || not_a_row(run);
            let mut parts = run.split('.');
            let mut next = || parts.next().ok_or_else(malformed);
            let source = next()?.parse().map_err(|_| malformed())?;
            let lines = next()?;
            let (first, last) = lines.split_once('-').unwrap_or((lines, lines));
            let (first, last) = match (first.parse(), last.parse()) {
                (Ok(a), Ok(b)) if a <= b => (a, b),
                _ => return Err(malformed()),
            };
            let part = match parts.next() {
                Some(t) => t.parse().map_err(|_| malformed())?,
                None => 0,
            };
            runs.push(Run { source, part, first, last });
        }
        Ok(RowSet { what: what.to_owned(), runs: Arc::new(join(runs)) })
    }
}

/// Error message for a text that is not a set of rows.
pub(crate) fn not_a_row(text: &str) -> String {
    format!("expected rows as file.line or file.first-last: {text}")
}

/// Sorts runs and merges adjacent ones.
fn join(mut runs: Vec<Run>) -> Vec<Run> {
    runs.sort();
    let mut out: Vec<Run> = Vec::new();
    for run in runs {
        match out.last_mut() {
            Some(r)
                if (r.source, r.part) == (run.source, run.part)
                    && run.first <= r.last.saturating_add(1) =>
            {
                r.last = r.last.max(run.last);
            }
            _ => out.push(run),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use gemmscope_model::dtype::DataType;
    use gemmscope_model::gemm::Operation;

    fn data(places: &[(u16, u32)]) -> Dataset {
        let mut d = Dataset::new();
        d.ops.push(Operation::uniform(DataType::Fp16));
        for &(source, line) in places {
            d.m.push(1);
            d.n.push(1);
            d.k.push(1);
            d.batch.push(1);
            d.op.push(0);
            d.device.push(0);
            d.time_s.push(1.0);
            d.source.push(source);
            d.line.push(line);
        }
        d
    }

    #[test]
    fn every_row_is_found_by_its_name() {
        let d = data(&[(0, 2), (0, 3), (0, 3), (0, 3), (0, 9), (1, 2), (1, 3)]);
        for row in 0..7 {
            let name = RowRef::of_all(&[row], &d)[0];
            assert_eq!(RowRef::find(&[name], &d), [row], "{name:?}");
        }
        let names: Vec<RowRef> = RowRef::of_all(&[6, 0, 2], &d);
        assert_eq!(RowRef::find(&names, &d), [6, 0, 2]);
    }

    #[test]
    fn rows_of_one_line_are_counted_once() {
        // As in a JSON file on one line, where counting from the start for each row would take minutes.
        let d = data(&vec![(0, 1); 300_000]);
        let all: Vec<u32> = (0..300_000).collect();
        let refs = RowRef::of_all(&all, &d);
        assert!(refs.iter().zip(0..).all(|(r, part)| r.part == part));
        let d = data(&[(0, 1), (0, 1), (0, 1), (1, 1), (1, 1), (0, 1), (0, 2), (0, 2)]);
        let parts = |rows: &[u32]| -> Vec<u32> {
            let refs = RowRef::of_all(rows, &d);
            refs.iter().map(|r| r.part).collect()
        };
        assert_eq!(parts(&[0, 1, 2, 3, 4, 5, 6, 7]), [0, 1, 2, 0, 1, 0, 0, 1]);
        assert_eq!(parts(&[7, 4, 2, 2, 5, 99]), [1, 1, 2, 2, 0]);
    }

    #[test]
    fn a_set_of_rows_is_found_again_from_its_text() {
        let d = data(&[(0, 2), (0, 3), (0, 3), (0, 3), (0, 4), (0, 9), (1, 2), (1, 3)]);
        for (rows, text) in [
            (vec![0, 1, 4], "rule*0.2-4"),
            (vec![1, 3, 5, 7], "rule*0.3_0.9_0.3.2_1.3"),
            (vec![], "rule*"),
        ] {
            let set = RowSet::new("rule", &rows, &d);
            assert_eq!(set.encode().as_deref(), Some(text));
            assert_eq!(set.len(), rows.len() as u64);
            let back = RowSet::decode(text).expect("its own text");
            assert_eq!(back, set);
            let marked: Vec<u32> = (0..).zip(back.marks(&d)).filter(|m| m.1).map(|m| m.0).collect();
            assert_eq!(marked, rows);
        }
        // A range may name any number of lines at no cost.
        let all = RowSet::decode("*0.0-4294967295_0.7").expect("a range");
        assert_eq!(all.marks(&d).filter(|m| *m).count(), 4);
        for text in ["", "0.2", "*x", "*0.3-2", "*0", "*0.1.x", "*-1.2"] {
            assert!(RowSet::decode(text).is_err(), "{text}");
        }
        let far = data(&(0..3000).map(|i| (0, 2 * i)).collect::<Vec<_>>());
        let rows: Vec<u32> = (0..3000).collect();
        assert_eq!(RowSet::new("", &rows, &far).encode(), None);
    }

    #[test]
    fn a_name_of_another_file_finds_nothing() {
        let d = data(&[(0, 2), (0, 3)]);
        let name = |source, line, part| RowRef { source, line, part };
        assert!(RowRef::find(&[name(0, 4, 0), name(2, 2, 0), name(0, 3, 1)], &d).is_empty());
        assert!(RowRef::find(&[name(0, 3, u32::MAX)], &d).is_empty());
        assert!(RowRef::find(&[name(0, 2, 0)], &Dataset::new()).is_empty());
    }
}
