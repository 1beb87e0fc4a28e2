//! Determines the columns of a table: by title, then by cells, then as quotients of other columns.

use super::block::{Table, bare};
use super::cell::{Cell, Commas, cell, commas_of, is_missing};
use super::sizes::{Stated, stated, whole_numbers};
use super::title::{Holds, Title, is_aside, label_of, title};
use super::words::{devices_in, lower_words, types_in};
use crate::ImportOptions;
use gemmscope_model::units::{RateUnit, TimeUnit};
use gemmscope_table::dataset::ColumnSpec;

#[derive(Clone, Debug)]
pub(super) struct Column {
    pub name: String,
    pub title: Title,
    pub cells: Vec<Cell>,
    /// Position in the table; `None` if the values come from cells of other columns.
    pub at: Option<usize>,
    /// The user chose its meaning.
    pub by_hand: bool,
    /// Reason for its meaning, in a few words.
    pub why: String,
}

impl Column {
    pub(super) fn new(name: &str, title: Title, cells: Vec<Cell>, at: Option<usize>) -> Column {
        Column { name: name.to_owned(), title, cells, at, by_hand: false, why: String::new() }
    }

    fn made(holds: Holds, name: &str, cells: Vec<Cell>) -> Column {
        Column::new(name, Title::of(holds), cells, None)
    }

    pub(super) fn value(&self, row: usize) -> Option<f64> {
        self.cells.get(row)?.value
    }

    pub(super) fn text(&self, row: usize) -> &str {
        self.cells.get(row).map_or("", |c| &c.text)
    }

    /// The value in SI units, if the unit is known.
    pub(super) fn si(&self, row: usize) -> Option<f64> {
        Some(crate::cell::scaled(self.value(row)?, self.title.factor?))
    }

    pub(super) fn numbers(&self) -> usize {
        self.cells.iter().filter(|c| c.value.is_some()).count()
    }
}

/// Fraction of true values; `hits` has one entry per row.
pub(super) fn share(hits: impl Iterator<Item = bool>) -> f64 {
    let (mut all, mut held) = (0u32, 0u32);
    for hit in hits {
        all += 1;
        held += u32::from(hit);
    }
    if all == 0 { 0.0 } else { f64::from(held) / f64::from(all) }
}

/// True if `a` is within the fraction `slack` of `b`.
pub(super) fn close(a: f64, b: f64, slack: f64) -> bool {
    b != 0.0 && (a / b - 1.0).abs() <= slack
}

/// The columns of a table, and notes on the decisions made.
pub(super) fn columns(table: &Table, options: &ImportOptions) -> (Vec<Column>, Vec<String>) {
    let mut notes = Vec::new();
    let texts: Vec<Vec<&str>> = (0..table.titles.len())
        .map(|i| table.rows.iter().map(|r| r.get(i).map_or("", String::as_str)).collect())
        .collect();
    // One decimal comma in a table makes its points thousands separators.
    let decimal = texts
        .iter()
        .zip(&table.titles)
        .any(|(t, name)| title(name).is_figure() && commas_of(t) == Some(Commas::Decimal));
    let mut out: Vec<Column> = Vec::with_capacity(texts.len());
    for (i, (name, texts)) in table.titles.iter().zip(&texts).enumerate() {
        let own = commas_of(texts);
        let commas = if decimal { Commas::Decimal } else { own.unwrap_or_default() };
        let cells: Vec<Cell> = texts.iter().map(|t| cell(t, commas)).collect();
        let mut column = Column::new(name, title(name), cells, Some(i));
        by_cells(&mut column);
        by_hand(&mut column, options);
        if own == Some(Commas::Thousands)
            && !decimal
            && column.numbers() > 0
            && column.title.is_figure()
        {
            notes.push(format!(
                "Commas of “{name}” hold thousands apart: each stands before three digits."
            ));
        }
        out.push(column);
    }
    // If there is an M, a length is just another number.
    if out.iter().any(|c| c.title.holds == Holds::M) {
        for c in out.iter_mut().filter(|c| c.title.holds == Holds::Length) {
            c.title.holds = Holds::Open;
        }
    }
    quotients(&mut out, &mut notes);
    (out, notes)
}

/// Uses the units in the cells as the meaning, whatever the title says, except for statistics and ignored columns.
pub(super) fn by_units(column: &mut Column) {
    let numbers = column.numbers();
    let unit = column.cells.iter().find_map(|c| c.unit);
    let of_unit = column.cells.iter().filter(|c| c.unit.is_some()).count();
    let open = !matches!(
        column.title.holds,
        Holds::Derived | Holds::Spread | Holds::Share | Holds::Count | Holds::Type
    ) && !is_aside(&column.name);
    let Some((measure, _)) = unit.filter(|_| open && of_unit * 2 > numbers) else { return };
    if !column.title.is_figure() && column.title.label.is_empty() {
        column.title.label = label_of(&bare(&column.name));
    }
    let stated = column.title.factor.unwrap_or(1.0);
    for c in &mut column.cells {
        let factor = c.unit.map_or(stated, |(_, f)| f);
        c.value = c.value.map(|v| crate::cell::scaled(v, factor));
    }
    column.title.measured(measure, &column.name);
}

/// Corrects or completes the meaning of the title by the cells.
fn by_cells(column: &mut Column) {
    by_units(column);
    let numbers = column.numbers();
    let filled = column.cells.iter().filter(|c| !c.text.is_empty() && !is_missing(&c.text)).count();
    let figure = matches!(column.title.holds, Holds::Open | Holds::Time | Holds::Rate);
    if figure && numbers * 2 < filled {
        column.title = Title::of(Holds::Words);
    }
    if column.title.holds == Holds::Type && filled > 0 {
        let typed = column.cells.iter().any(|c| !types_in(&c.text.replace('_', " ")).is_empty());
        if !typed && column.name.trim().eq_ignore_ascii_case("type") {
            column.title = Title::of(Holds::Words);
        }
    }
    let named = matches!(column.title.holds, Holds::Words | Holds::Library);
    if named && filled > 0 && column.cells.iter().all(|c| is_device(&c.text)) {
        column.title = Title::of(Holds::Device);
    }
    if column.title.holds == Holds::Open && counts_rows(&column.cells) {
        column.title = Title::of(Holds::Other);
    }
    let marked = |c: &&Cell| c.remark.starts_with(['x', '×', '%']);
    if column.title.holds == Holds::Open
        && numbers > 0
        && column.cells.iter().filter(marked).count() * 2 > numbers
    {
        column.title = Title::of(Holds::Derived);
    }
    let is_word = column.title.holds == Holds::Device || column.title.holds == Holds::Library;
    if is_word && filled > 0 && numbers == filled {
        column.title = Title::of(Holds::Other);
    }
}

/// True if the whole text is the name of a device.
fn is_device(text: &str) -> bool {
    let same = |name: &String| {
        name.eq_ignore_ascii_case(text)
            && !gemmscope_model::hardware::match_name(name).candidates().is_empty()
    };
    text.is_empty() || matches!(&devices_in(text)[..], [one] if same(one))
}

/// True for 0, 1, 2, … or 1, 2, 3, …
fn counts_rows(cells: &[Cell]) -> bool {
    let first = cells.first().and_then(|c| c.value).filter(|v| *v == 0.0 || *v == 1.0);
    let next = |(i, c): (usize, &Cell)| {
        c.unit.is_none() && c.value.zip(first).is_some_and(|(v, f)| v == f + i as f64)
    };
    cells.len() > 2 && cells.iter().enumerate().all(next)
}

/// Reason of a meaning chosen by the user.
const BY_HAND: &str = "chosen by hand";

/// Applies the user's choice for the column.
pub(super) fn by_hand(column: &mut Column, options: &ImportOptions) {
    let Some(spec) = options.columns.get(&column.name).and_then(|t| t.parse::<ColumnSpec>().ok())
    else {
        return;
    };
    let time = spec.time_unit().map(TimeUnit::to_si);
    let factor = time.or_else(|| spec.rate_unit().map(RateUnit::to_si)).or(column.title.factor);
    let Title { holds, .. } = Title::meaning(spec, 255);
    column.title = Title { holds, spec, strength: 255, factor, ..column.title.clone() };
    column.why = BY_HAND.to_owned();
    column.by_hand = true;
}

/// Marks columns that are the quotient of two others although their title does not say so.
fn quotients(columns: &mut [Column], notes: &mut Vec<String>) {
    const MOST: usize = 24;
    let plain: Vec<usize> = (0..columns.len())
        .filter(|i| columns[*i].title.holds == Holds::Open || columns[*i].title.is_figure())
        .take(MOST)
        .collect();
    for &c in plain.iter().filter(|c| columns[**c].title.holds == Holds::Open).collect::<Vec<_>>() {
        let found =
            plain.iter().flat_map(|a| plain.iter().map(move |b| (*a, *b))).find(|(a, b)| {
                a != b && *a != c && *b != c && is_quotient(&columns[c], &columns[*a], &columns[*b])
            });
        if let Some((a, b)) = found {
            notes.push(format!(
                "“{}” is “{}” / “{}”: derived.",
                columns[c].name, columns[a].name, columns[b].name
            ));
            columns[c].title = Title::of(Holds::Derived);
        }
    }
}

fn is_quotient(c: &Column, a: &Column, b: &Column) -> bool {
    let rows = c.cells.len().min(200);
    let known: Vec<(f64, f64, f64, f64)> = (0..rows)
        .filter_map(|r| {
            let (z, x, y) = (c.value(r)?, a.value(r)?, b.value(r)?);
            (y != 0.0).then_some((z, x, y, c.cells[r].loose))
        })
        .collect();
    let varies = known.iter().any(|k| k.0 != known[0].0);
    known.len() > 1
        && varies
        && share(known.iter().map(|(z, x, y, loose)| close(*z, x / y, 0.02 + loose))) >= 0.8
}

/// Adds columns for values within cells: sizes by name (`M=1,N=2,K=3`), two sizes under one title, types.
pub(super) fn expand(columns: &mut Vec<Column>) {
    let pairs: Vec<usize> =
        (0..columns.len()).filter(|i| columns[*i].title.holds == Holds::Pair).collect();
    for i in pairs {
        let got: Vec<Vec<u32>> = columns[i].cells.iter().map(|c| whole_numbers(&c.text)).collect();
        for (j, letter) in columns[i].title.order.clone().into_iter().enumerate() {
            let value = |g: &Vec<u32>| Cell::of_size((g.len() == 2).then(|| g[j]));
            columns.push(Column::made(
                of_letter(letter),
                &letter.to_string(),
                got.iter().map(value).collect(),
            ));
        }
    }
    let held = |letter: &char| columns.iter().any(|c| c.title.holds == of_letter(*letter));
    let missing: Vec<char> = "mnk".chars().filter(|letter| !held(letter)).collect();
    if missing.is_empty() {
        return;
    }
    let stating = columns.iter().position(|c| {
        let open = matches!(
            c.title.holds,
            Holds::Words | Holds::Library | Holds::Shape | Holds::Open | Holds::Other
        );
        // Beside sizes in columns, those in a named column may be of a tile.
        let open = open && (missing.len() == 3 || c.name.trim().is_empty());
        let states = |text: &str| missing.iter().all(|letter| stated(text).of(*letter).is_some());
        open && share(c.cells.iter().map(|c| states(&c.text))) >= 0.5
    });
    let Some(i) = stating else { return };
    let got: Vec<Stated> = columns[i].cells.iter().map(|c| stated(&c.text)).collect();
    for letter in missing.into_iter().chain(['b', 'g']) {
        if got.iter().any(|g| g.of(letter).is_some()) {
            let cells = got.iter().map(|g| Cell::of_size(g.of(letter))).collect();
            columns.push(Column::made(of_letter(letter), &letter.to_string(), cells));
        }
    }
    types_of_cells(columns, i);
    columns[i].title = Title { holds: Holds::Words, ..columns[i].title.clone() };
}

fn of_letter(letter: char) -> Holds {
    match letter {
        'm' => Holds::M,
        'n' => Holds::N,
        'k' => Holds::K,
        'b' => Holds::Batch,
        _ => Holds::Groups,
    }
}

fn types_of_cells(columns: &mut Vec<Column>, i: usize) {
    let texts: Vec<String> = columns[i].cells.iter().map(|c| c.text.clone()).collect();
    let mut found = false;
    for (holds, names) in
        [(Holds::TypeA, ["type_a", "a_type"]), (Holds::TypeB, ["type_b", "b_type"])]
    {
        let of = |text: &String| -> Option<String> {
            let at = names.iter().find_map(|n| text.find(n).map(|at| at + n.len()))?;
            let value = text[at..].trim_start().strip_prefix(['=', ':'])?.trim_start();
            let end = value.find(|c: char| !(c.is_alphanumeric() || "_.".contains(c)));
            Some(value[..end.unwrap_or(value.len())].to_owned())
        };
        let cells: Vec<Option<String>> = texts.iter().map(of).collect();
        if cells.iter().any(Option::is_some) {
            found = true;
            let cells = cells.into_iter().map(|c| Cell::of_text(&c.unwrap_or_default())).collect();
            columns.push(Column::made(holds, names[0], cells));
        }
    }
    let typed =
        columns.iter().any(|c| matches!(c.title.holds, Holds::Type | Holds::TypeA | Holds::TypeB));
    let one = |text: &String| types_in(&text.replace('_', " ")).len() == 1;
    if !found && !typed && share(texts.iter().map(one)) > 0.5 {
        let cells = texts.iter().map(|t| Cell::of_text(&t.replace('_', " "))).collect();
        columns.push(Column::made(Holds::Type, "type", cells));
    }
}

/// True if the title names operand shapes: `Input Shapes`.
pub(super) fn names_shapes(column: &Column) -> bool {
    let words = lower_words(&bare(&column.name));
    words.iter().any(|w| w == "shape" || w == "shapes")
        && !words.iter().any(|w| w.starts_with("out") || w == "tile")
}
