//! Detects information that the columns of one table do not hold, so that the text must be read as a document.

use super::block::{Block, Table};
use super::cell::Cell;
use super::columns::{Column, columns, expand};
use super::evidence::{calls, is_operation, open_calls, sides};
use super::facts::Facts;
use super::readings::readings;
use super::spread::{MATRIX, SPREAD};
use super::surroundings::Surroundings;
use super::title::{Holds, Title, title};
use super::unit_words::unit;
use super::words::types_in;
use crate::split::dialect::Foreign;
use crate::{Head, ImportOptions, cell};
use gemmscope_table::build::cell_text::is_missing;

/// Reason for a table whose sides have bandwidths; formats that know such titles read them themselves.
pub(crate) const BANDWIDTHS: &str = "bandwidths of several sides";

/// Reason to read a text with this head as a document; `None` if the columns of one table suffice.
pub(crate) fn beyond_columns(head: &Head) -> Option<&'static str> {
    if head.lines.len() < 2 || crate::split::dialect::is_json(head.first()) {
        return None;
    }
    let blocks = super::block::blocks(&head.source.join("\n"));
    let text = Surroundings::of(&blocks);
    let is_of_gemms = |i: &usize| {
        let Some(table) = blocks[*i].table() else { return false };
        let (mut columns, _) = columns(table, &ImportOptions::default());
        expand(&mut columns);
        let figures = columns.iter().any(|c| c.title.is_figure() || c.title.holds == Holds::Open);
        figures && readings(&columns, &text.facts(*i), table.rows.len()).is_ok()
    };
    let tables: Vec<usize> = (0..blocks.len()).filter(is_of_gemms).collect();
    let (first, others) = tables.split_first()?;
    if !others.is_empty() && others.iter().any(|i| !goes_on(&blocks, *first, *i)) {
        return Some("several tables");
    }
    let decimal_comma = head.foreign.is_some_and(Foreign::has_decimal_comma);
    of_table(&text, *first, decimal_comma)
}

/// True if `other` continues table `first` after a gap, without text in between.
fn goes_on(blocks: &[Block], first: usize, other: usize) -> bool {
    let titles = |i: usize| -> Vec<String> {
        let titles = blocks[i].table().map_or(&[][..], |t| &t.titles);
        titles.iter().map(|t| t.trim().to_lowercase()).filter(|t| !t.is_empty()).collect()
    };
    titles(first) == titles(other) && blocks[first..other].iter().all(|b| b.table().is_some())
}

fn of_table(text: &Surroundings<'_>, at: usize, decimal_comma: bool) -> Option<&'static str> {
    let table = text.blocks[at].table()?;
    if matches!(table.dress, "HTML" | "printed, with bars" | "printed, under groups") {
        return Some("a table that is not of one line a row");
    }
    if [SPREAD, MATRIX].contains(&table.dress) {
        return Some(table.dress);
    }
    let (mut columns, notes) = columns(table, &ImportOptions::default());
    if columns.iter().any(|c| c.title.is_figure() && is_operation(&c.title.label)) {
        return Some("figures of other operations");
    }
    let by_cells = |c: &Column| {
        let own = title(&c.name);
        let statistic = own.rank != Title::of(Holds::Open).rank;
        c.title.is_figure() && !own.is_figure() && !c.title.label.is_empty() && !statistic
    };
    if columns.iter().any(by_cells) {
        return Some("units in cells below titles that name none");
    }
    let known = text.facts(at);
    if columns.iter().any(|c| has_odd_cells(c, decimal_comma)) {
        return Some("cells with more than a number");
    }
    if has_failed_cells(&columns) {
        return Some("figures of several sides, of which some are missing");
    }
    if !notes.is_empty() {
        return Some("columns that follow from others");
    }
    expand(&mut columns);
    let odd_type = |c: &Column| {
        matches!(c.title.holds, Holds::Type | Holds::TypeA | Holds::TypeB)
            && c.cells.iter().any(|c| types_in(&c.text).iter().any(|t| t.odd.is_some()))
    };
    if columns.iter().any(odd_type) {
        return Some("data types by other names");
    }
    let of_cell =
        |c: &Column| c.at.is_none() && matches!(c.title.holds, Holds::TypeA | Holds::TypeB);
    if columns.iter().any(of_cell) {
        return Some("types of two operands in one cell");
    }
    let types = |holds: Holds| columns.iter().filter(|c| c.title.holds == holds).count();
    if types(Holds::Type) > 1 {
        return Some("two columns of types");
    }
    let has = |holds: Holds| columns.iter().any(|c| c.title.holds == holds);
    if has(Holds::Length) && !has(Holds::M) {
        return Some("sequences of a batch");
    }
    let differ = |c: &Column| {
        c.title.holds == Holds::TypeB
            && c.name.to_lowercase().contains("weight")
            && columns.iter().any(|a| {
                a.title.holds == Holds::TypeA && (0..a.cells.len()).any(|r| a.text(r) != c.text(r))
            })
    };
    if columns.iter().any(differ) {
        return Some("types of two operands");
    }
    if of_shapes(&columns) {
        return Some("shapes of the operands in cells");
    }
    if let Some(why) = around(table, &columns, &known) {
        return Some(why);
    }
    if table.index.is_some() {
        return Some("a column that counts the rows");
    }
    if !is_delimited(table) && has_unnamed_figures(&columns) {
        return Some("figures that no title names");
    }
    let open = |c: &&Column| c.title.is_figure() && c.title.factor.is_none();
    if !is_delimited(table) && columns.iter().filter(open).count() > 1 {
        return Some("several figures without a unit");
    }
    of_figures(&mut columns, &known)
}

/// True if rows are delimited lines, which can be streamed.
fn is_delimited(table: &Table) -> bool {
    matches!(table.dress, "delimited" | "bars")
}

/// True if a column of one of several sides holds words such as `OOM`; it still is a side.
fn has_failed_cells(columns: &[Column]) -> bool {
    let of =
        |holds: Holds| columns.iter().filter(move |c| c.title.holds == holds && c.numbers() > 0);
    let several = |holds: Holds| of(holds).count() > 1;
    // A line of units below the header does not count.
    let failed = |c: &Cell| {
        c.value.is_none() && !is_missing(c.raw.trim().as_bytes()) && unit(&c.text).is_none()
    };
    [Holds::Time, Holds::Rate]
        .into_iter()
        .any(|holds| several(holds) && of(holds).any(|c| c.cells.iter().any(failed)))
}

/// True if the only figures are fractions in columns with unknown titles.
pub(super) fn has_unnamed_figures(columns: &[Column]) -> bool {
    let fraction = |c: &Column| {
        c.title.holds == Holds::Open
            && c.cells.iter().any(|c| c.value.is_some_and(|v| v.fract() != 0.0))
    };
    !columns.iter().any(|c| c.title.is_figure()) && columns.iter().any(fraction)
}

/// True if a size or figure has words around its number that the delimited reader does not accept.
fn has_odd_cells(column: &Column, decimal_comma: bool) -> bool {
    let counts = column.title.is_figure()
        || matches!(
            column.title.holds,
            Holds::M | Holds::N | Holds::K | Holds::Open | Holds::Square
        );
    counts
        && column.cells.iter().any(|c| {
            let plain = || {
                let text = c.raw.trim().as_bytes();
                let digits = |b: &u8| b.is_ascii_digit() || b".,-".contains(b);
                decimal_comma && text.iter().all(digits)
                    || cell::number(text) == c.value
                    || cell::quantity(text).is_some()
                    || cell::spread(text).is_some()
            };
            c.value.is_some() && !plain()
        })
}

fn of_shapes(columns: &[Column]) -> bool {
    columns
        .iter()
        .any(|c| super::columns::names_shapes(c) && c.cells.iter().any(|c| c.text.contains(';')))
}

/// A fact stated around the table that no column holds.
fn around(table: &Table, columns: &[Column], known: &Facts) -> Option<&'static str> {
    let has = |holds: &[Holds]| columns.iter().any(|c| holds.contains(&c.title.holds));
    let sized = [(Holds::M, 'm'), (Holds::N, 'n'), (Holds::K, 'k')];
    let titled = sized.iter().filter(|(h, _)| has(&[*h])).count();
    let joint = has(&[Holds::Shape, Holds::Square]);
    if !joint && titled < 3 && sized.iter().any(|(h, l)| !has(&[*h]) && known.size(*l).is_some()) {
        return Some("sizes around the table");
    }
    if known.unit.is_some()
        && !columns.iter().any(|c| c.title.is_figure() && c.title.factor.is_some())
    {
        return Some("a unit around the table");
    }
    if known.calls.is_some() {
        return Some("a number of calls around the table");
    }
    let comment = is_delimited(table);
    if known.types.is_some() && !comment && !has(&[Holds::Type, Holds::TypeA, Holds::TypeB]) {
        return Some("a data type around the table");
    }
    (known.device.is_some() && !comment && !has(&[Holds::Device]))
        .then_some("a device around the table")
}

/// A reason in the figures: times of several calls, or bandwidths of several sides.
fn of_figures(columns: &mut [Column], known: &Facts) -> Option<&'static str> {
    let mut notes = Vec::new();
    let sides = sides(columns, &mut notes);
    for side in &sides {
        if open_calls(side, columns, known).is_some() {
            return Some("a count beside a time");
        }
        if let Some(time) = side.time
            && calls(&columns[time], columns, known, None, &mut notes).iter().any(|n| *n != 1.0)
        {
            return Some("times of several calls");
        }
    }
    let bandwidth = |c: &&Column| c.title.holds == Holds::Bandwidth && !c.title.label.is_empty();
    let several = columns.iter().filter(bandwidth).count() > 1;
    (several && sides.len() > 1).then_some(BANDWIDTHS)
}
