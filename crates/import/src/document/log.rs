//! Converts log lines to tables: each line is a row whose cells are named quantities.

use super::block::{Block, Kind, Table};
use super::cell::{Commas, cell};
use super::lines::said;
use super::title::{Holds, measures, title};
use std::collections::HashMap;

/// A row of a log.
#[derive(Clone, Debug)]
struct Row {
    line: u32,
    cells: Vec<(String, String)>,
    /// Its sizes come from an earlier line.
    held: bool,
}

impl Row {
    /// The first figure with this meaning, in SI units.
    fn figure(&self, holds: Holds) -> Option<f64> {
        self.cells.iter().find_map(|(name, text)| {
            let title = title(name);
            let value = cell(text, Commas::Thousands).value?;
            (title.holds == holds).then_some(value * title.factor?)
        })
    }

    /// Whether rate times time equals the work of its sizes; `None` if rate or time is missing.
    fn agrees(&self) -> Option<bool> {
        let sizes: Vec<(String, String)> = self
            .cells
            .iter()
            .filter(|(t, _)| ["m", "n", "k", "batch"].contains(&t.as_str()))
            .cloned()
            .collect();
        let work = self.figure(Holds::Rate)? * self.figure(Holds::Time)?;
        Some((work / work_of(&sizes) - 1.0).abs() < 0.02)
    }
}

/// Lines below a line of sizes may be about anything: if rate and time of some confirm the
/// sizes, the others are dropped.
fn proved(rows: Vec<Row>) -> Vec<Row> {
    if !rows.iter().any(|r| r.held && r.agrees() == Some(true)) {
        return rows;
    }
    rows.into_iter().filter(|r| !r.held || r.agrees() == Some(true)).collect()
}

/// Tables of the lines with named quantities, one per set of names. A line of sizes without a measurement
/// applies to the lines below it.
pub(super) fn tables(blocks: &[Block]) -> Vec<Block> {
    let mut log = Log::default();
    for block in blocks {
        match &block.kind {
            Kind::Table(_) => log.held.clear(),
            _ if block.text.starts_with(['├', '└', '│']) => {}
            kind => log.line(block, matches!(kind, Kind::Heading(_))),
        }
    }
    let measured = !log.rows.is_empty();
    let any_table = blocks.iter().any(|b| b.table().is_some());
    let rows = match measured {
        true => proved(log.rows),
        false if any_table => Vec::new(),
        false => log.shapes,
    };
    let mut groups: Vec<Vec<Row>> = Vec::new();
    let mut places: HashMap<Vec<String>, usize> = HashMap::new();
    for row in rows {
        let names: Vec<String> =
            row.cells.iter().map(|(t, _)| t.clone()).filter(|t| measures(t)).collect();
        let place = *places.entry(names).or_insert(groups.len());
        match groups.get_mut(place) {
            Some(rows) => rows.push(row),
            None => groups.push(vec![row]),
        }
    }
    let alone = |rows: &[Row]| rows.len() > 1 || !any_table;
    groups.into_iter().filter(|rows| alone(rows)).map(table_of).collect()
}

fn table_of(rows: Vec<Row>) -> Block {
    let mut titles: Vec<String> = Vec::new();
    for (name, _) in rows.iter().flat_map(|r| &r.cells) {
        if !titles.contains(name) {
            titles.push(name.clone());
        }
    }
    let cells = |row: &Row| {
        let cell = |t: &String| row.cells.iter().find(|(n, _)| n == t).map(|(_, v)| v.clone());
        titles.iter().map(|t| cell(t).unwrap_or_default()).collect()
    };
    let table = Table {
        rows: rows.iter().map(cells).collect(),
        lines: rows.iter().map(|r| r.line).collect(),
        titles,
        dress: "lines",
        is_log: true,
        index: None,
    };
    let line = table.lines.first().copied().unwrap_or(0);
    Block { kind: Kind::Table(table), line, text: String::new() }
}

#[derive(Default)]
struct Log {
    rows: Vec<Row>,
    /// Lines with sizes only.
    shapes: Vec<Row>,
    /// Sizes that apply to the lines below.
    held: Vec<(String, String)>,
    /// Number of calls that the totals below cover.
    count: Option<String>,
    /// Line number of the last addition to the last row.
    last: u32,
    /// Text of the heading above.
    under: String,
}

impl Log {
    fn line(&mut self, block: &Block, heading: bool) {
        let mut one = said(&block.text);
        if heading {
            self.under = block.text.trim_matches([':', '#', ' ']).to_owned();
        }
        let work = work_of(&one.sizes);
        one.quantities.retain(|(title, value)| !is_work(title, value, work));
        let full = one.has_sizes();
        let dtype = one.dtype.iter().map(|d| ("dtype".to_owned(), d.clone()));
        let device = one.device.iter().map(|d| ("device".to_owned(), d.clone()));
        let dtype = dtype.chain(device);
        if one.is_measured() && (full || !self.held.is_empty()) {
            let label = match (one.label.is_empty(), full) {
                (false, _) => one.label.clone(),
                (true, true) => String::new(),
                (true, false) => self.under.clone(),
            };
            let mut cells = vec![("label".to_owned(), label)];
            if !full {
                cells.extend(self.held.iter().cloned());
            }
            cells.extend(one.sizes.iter().cloned());
            for (title, value) in one.quantities.iter().cloned().chain(dtype) {
                match cells.iter_mut().find(|(t, _)| *t == title) {
                    Some(_) => {}
                    None => cells.push((title, value)),
                }
            }
            let has = |of: &dyn Fn(&str) -> bool| cells.iter().any(|(t, _)| of(t));
            if has(&|t| measures(t) && title(t).total) && !has(&|t| t == "count") && !full {
                cells.extend(self.count.iter().map(|c| ("count".to_owned(), c.clone())));
            }
            self.add(Row { line: block.line, cells, held: !full }, one.sizes.is_empty());
        } else if full {
            self.held = one.sizes.clone();
            self.count = one.quantities.iter().find(|(t, _)| t == "count").map(|(_, v)| v.clone());
            self.under.clear();
            // A sentence that mentions sizes is not part of a list of shapes.
            if one.is_prose {
                return;
            }
            let mut cells = vec![("label".to_owned(), one.label.clone())];
            cells.extend(one.sizes.iter().cloned());
            cells.extend(dtype);
            self.shapes.push(Row { line: block.line, cells, held: false });
        }
    }

    /// Adds a row, or merges the further quantities of a line into the row above it.
    fn add(&mut self, row: Row, goes_on: bool) {
        let of = |row: &Row, title: &str| {
            row.cells.iter().find(|(t, _)| t == title).map(|(_, v)| v.clone())
        };
        if goes_on
            && let Some(last) = self.rows.last_mut()
            && of(last, "label") == of(&row, "label")
            && !row.cells.iter().any(|(t, _)| measures(t) && of(last, t).is_some())
            && (last.line + 3 > row.line || self.last + 3 > row.line && names_nobody(&row))
        {
            self.last = row.line;
            for (title, value) in row.cells {
                if of(last, &title).is_none() {
                    last.cells.push((title, value));
                }
            }
            return;
        }
        self.last = row.line;
        self.rows.push(row);
    }
}

/// True if none of its figures has a label.
fn names_nobody(row: &Row) -> bool {
    row.cells.iter().filter(|(t, _)| measures(t)).all(|(t, _)| title(t).label.is_empty())
}

fn work_of(sizes: &[(String, String)]) -> f64 {
    let values =
        || sizes.iter().filter(|(t, _)| t != "shape").filter_map(|(_, v)| v.parse::<f64>().ok());
    if values().count() > 2 { 2.0 * values().product::<f64>() } else { 0.0 }
}

/// True for a "rate" that equals the work of its line in FLOP, MFLOP, GFLOP or TFLOP.
fn is_work(name: &str, value: &str, work: f64) -> bool {
    let value = cell(value, Commas::Thousands).value.unwrap_or(0.0);
    if work == 0.0 || value <= 0.0 || title(name).holds != Holds::Rate {
        return false;
    }
    [1.0, 1e6, 1e9, 1e12].iter().any(|p| (value * p / work - 1.0).abs() < 0.01)
}
