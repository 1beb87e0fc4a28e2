//! Rows of a line: one, or one per side (library) with figures in it. All columns but the figures are read once for all
//! sides; the rows are appended line by line, side by side.

use super::parts::Parts;
use super::view::{Column, View};
use super::{Rows, Target, settle_records, stage};
use crate::cell::{self, figure};
use crate::columns::header::Col;
use crate::columns::plan::{self, Plan, SideColumns};
use gemmscope_table::build::ColumnId;
use gemmscope_table::build::cells::Cells;
use gemmscope_table::native_csv::unguard;
use std::ops::Range;

/// The sides of a line in row order; a single unnamed one if a line is one row.
#[derive(Debug, Default)]
pub(super) struct Sides {
    /// If empty, rows are read as records, and only the kept columns are read by columns.
    all: Vec<Side>,
    columns: SideColumns,
    /// Columns that all sides share, each with the file's column per side.
    kept: Vec<(ColumnId, Vec<Option<usize>>)>,
    /// The names of the sides, concatenated, and their ranges.
    names: Vec<u8>,
    places: Vec<(u32, u32)>,
    /// Rows of a run and the first cell of each, for several sides.
    run: Rows,
    first: Vec<u32>,
}

#[derive(Debug)]
struct Side {
    parts: Parts,
    rows: Rows,
    /// Columns of stated rate, bandwidth and variation, with factors to SI.
    rate: Option<(usize, f64)>,
    bandwidth: Option<(usize, f64)>,
    variation: Option<(usize, f64)>,
}

impl Side {
    fn new(parts: Parts, of: &plan::Side) -> Self {
        let stated = |c: &Option<(Col, f64)>| c.as_ref().map(|(c, scale)| (c.index, *scale));
        Side {
            parts,
            rows: Rows::default(),
            rate: stated(&of.figures.rate),
            bandwidth: stated(&of.figures.bandwidth),
            variation: of.variation.as_ref().map(|c| (c.index, 1.0)),
        }
    }
}

impl Sides {
    /// The sides of a plan; `None` if one of several sides cannot be read by columns. `is_plain`: the plan has no hook,
    /// so that a line with one row can be read by columns.
    pub(super) fn of(plan: &Plan, is_plain: bool) -> Option<Self> {
        let mut out = Sides::default();
        if plan.sides.is_empty() {
            let parts = is_plain.then(|| Parts::of(plan, &plan.figures)).flatten();
            out.all.extend(parts.map(|parts| Side::new(parts, &plan::Side::default())));
            return Some(out);
        }
        out.columns = plan.side_columns;
        for (at, side) in plan.sides.iter().enumerate() {
            let from = out.names.len() as u32;
            out.names.extend_from_slice(side.name.as_bytes());
            out.places.push((from, out.names.len() as u32));
            out.all.push(Side::new(Parts::of(plan, &side.figures)?, side));
            for &(column, id) in &side.kept {
                let known = out.kept.iter().position(|(k, _)| *k == id);
                let known = known.unwrap_or_else(|| {
                    out.kept.push((id, vec![None; plan.sides.len()]));
                    out.kept.len() - 1
                });
                out.kept[known].1[at] = Some(column);
            }
        }
        Some(out)
    }

    /// Reads sizes and figures without changing the table. Marks lines with an unreadable cell as flawed.
    pub(super) fn read(&mut self, view: View<'_>, flawed: &mut [bool]) {
        let Some((first, others)) = self.all.split_first_mut() else {
            return self.run.resize(flawed.len());
        };
        first.rows.resize(flawed.len());
        first.parts.read(view, &mut first.rows, flawed);
        for side in others {
            side.rows.resize(flawed.len());
            for (ours, known) in side.rows.sizes.iter_mut().zip(&first.rows.sizes) {
                ours.clone_from(known);
            }
            side.parts.read_figures(view, &mut side.rows, flawed);
            side.parts.read_words(view);
        }
    }

    /// Appends the rows of consecutive lines to the table, up to the first line that must be read as a record.
    /// Returns the number of lines.
    pub(super) fn settle(
        &mut self,
        view: View<'_>,
        lines: Range<usize>,
        line: u32,
        target: &mut Target<'_>,
    ) -> usize {
        let end = match &mut self.all[..] {
            [] => settle_records(view, lines.clone(), line, &mut self.run, target),
            [one] => one.parts.settle(view, lines.clone(), line, Some(0), &mut one.rows, target),
            _ => lines
                .clone()
                .find(|&at| !self.settle_line(view, at, line, lines.start, target))
                .unwrap_or(lines.end),
        };
        let lines = lines.start..end;
        if lines.is_empty() {
            return 0;
        }
        if self.all.len() > 1 {
            self.interleave(view, lines.clone());
        }
        let (run, rows, view) = match &self.all[..] {
            [] => (&self.run, lines.clone(), view.rows(lines.clone())),
            [one] => (&one.rows, lines.clone(), view.rows(lines.clone())),
            _ => (&self.run, 0..self.first.len(), View { first: &self.first, ..view }),
        };
        let table = &mut *target.table;
        if let Some(id) = self.columns.name {
            let names = Names { text: &self.names, places: &self.places, rows: rows.len() };
            table.set_texts(id, names);
        }
        let number = |row: usize, place: Option<(usize, f64)>| {
            let (column, scale) = place?;
            let cells = view.column(column);
            let number = cells.plain_number(row).or_else(|| cells.number(row));
            let number = number.or_else(|| cell::spread(cells.cell(row)).map(|s| s.0))?;
            Some(figure(number, scale))
        };
        let sides = || (0..rows.len()).map(|row| (row, &self.all[row % self.all.len()]));
        if let Some(id) = self.columns.rate {
            table.set_numbers(id, sides().map(|(row, s)| number(row, s.rate).unwrap_or(f64::NAN)));
        }
        if let Some(id) = self.columns.bandwidth {
            let of = |(row, s): (usize, &Side)| number(row, s.bandwidth).unwrap_or(f64::NAN);
            table.set_numbers(id, sides().map(of));
        }
        if let Some(id) = self.columns.deviation {
            let share = |row, s: &Side| number(row, s.variation).filter(|share| *share >= 0.0);
            let of =
                |(row, s): (usize, &Side)| share(row, s).map(|v| v * run.time_s[rows.start + row]);
            table.set_numbers(id, sides().map(|r| of(r).unwrap_or(f64::NAN)));
        }
        for (id, columns) in &self.kept {
            table.set_autos(*id, Kept { view, columns });
        }
        if let Some((plan, _)) = target.planned.plan() {
            stage(&plan.extras, view, target.table);
        }
        let sides = self.all.len().max(1) as u32;
        target.table.commit_run(&run.run(rows, line, sides));
        lines.len()
    }

    /// Looks up operation and device of the rows of a line; false if one of them must be read as a record.
    fn settle_line(
        &mut self,
        view: View<'_>,
        at: usize,
        line: u32,
        first: usize,
        target: &mut Target<'_>,
    ) -> bool {
        let line = line.saturating_add((at - first) as u32);
        self.all.iter_mut().enumerate().all(|(i, side)| {
            let settled =
                side.parts.settle(view, at..at + 1, line, Some(i), &mut side.rows, target);
            settled > at
        })
    }

    /// Orders the rows of these lines as they go into the table.
    fn interleave(&mut self, view: View<'_>, lines: Range<usize>) {
        let Sides { all, run, first, .. } = self;
        let sides = all.len();
        first.clear();
        first.extend(lines.clone().flat_map(|at| std::iter::repeat_n(view.first[at], sides)));
        run.resize(first.len());
        for (i, side) in all.iter().enumerate() {
            for (row, at) in (i..).step_by(sides).zip(lines.clone()) {
                for (to, from) in run.sizes.iter_mut().zip(&side.rows.sizes) {
                    to[row] = from[at];
                }
                run.op[row] = side.rows.op[at];
                run.device[row] = side.rows.device[at];
                run.time_s[row] = side.rows.time_s[at];
            }
        }
    }
}

/// Texts that rows take in rotation: the side names, or one text for all.
#[derive(Clone, Copy, Debug)]
pub(super) struct Names<'a> {
    pub text: &'a [u8],
    pub places: &'a [(u32, u32)],
    pub rows: usize,
}

impl Cells for Names<'_> {
    fn len(&self) -> usize {
        self.rows
    }

    fn text(&self) -> &[u8] {
        self.text
    }

    fn place(&self, row: usize) -> (u32, u32) {
        self.places[row % self.places.len()]
    }
}

/// Cells of a shared column: each row reads the column of its side.
#[derive(Clone, Copy, Debug)]
struct Kept<'a> {
    view: View<'a>,
    columns: &'a [Option<usize>],
}

impl<'a> Kept<'a> {
    fn column(&self, row: usize) -> Option<Column<'a>> {
        self.columns[row % self.columns.len()].map(|column| self.view.column(column))
    }
}

impl Cells for Kept<'_> {
    fn len(&self) -> usize {
        self.view.first.len()
    }

    fn text(&self) -> &[u8] {
        self.view.text
    }

    fn place(&self, row: usize) -> (u32, u32) {
        self.column(row).map_or((0, 0), |c| c.place(row))
    }

    fn cell(&self, row: usize) -> &[u8] {
        let (from, to) = self.place(row);
        unguard(cell::trim(&self.view.text[from as usize..to as usize]))
    }

    fn number(&self, row: usize) -> Option<f64> {
        self.column(row)?.number(row)
    }

    fn plain_number(&self, row: usize) -> Option<f64> {
        self.column(row)?.plain_number(row)
    }
}
