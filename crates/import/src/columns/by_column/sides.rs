//! Lines with the figures of several libraries, each of which is a row: all parts of a line but its figures
//! are read once for all sides, and the rows go into the table side by side, line by line.

use super::parts::Parts;
use super::view::View;
use super::{PlannedRows, Rows, Target, stage};
use crate::cell::figure;
use gemmscope_table::build::cells::Cells;
use std::ops::Range;

/// The sides of a line, in the order of its rows.
#[derive(Debug, Default)]
pub(super) struct Sides {
    all: Vec<Side>,
    /// The names of the sides one behind the other, and where each is.
    names: Vec<u8>,
    places: Vec<(u32, u32)>,
    /// The rows of a run, and the first cell of each.
    run: Rows,
    first: Vec<u32>,
}

#[derive(Debug)]
struct Side {
    parts: Parts,
    rows: Rows,
    /// Where the file states its rate: the column and the factor to SI.
    rate: Option<(usize, f64)>,
}

impl Sides {
    /// Those of a plan, none where a line is one row; `None` if they are more than columns to be read.
    pub(super) fn of(planned: &mut dyn PlannedRows) -> Option<Self> {
        let mut out = Sides::default();
        for at in 0..planned.sides().len() {
            let from = out.names.len() as u32;
            out.names.extend_from_slice(planned.sides()[at].name.as_bytes());
            out.places.push((from, out.names.len() as u32));
            planned.take_side(at);
            let (plan, _) = planned.plan();
            let rate = plan.rate.as_ref().map(|(c, scale)| (c.index, *scale));
            let parts = Parts::of(plan);
            planned.take_side(at);
            out.all.push(Side { parts: parts?, rows: Rows::default(), rate });
        }
        Some(out)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Reads what leaves no trace. A line with a cell that cannot be read is flawed.
    pub(super) fn read(&mut self, view: View<'_>, flawed: &mut [bool]) {
        let Some((first, others)) = self.all.split_first_mut() else { return };
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

    /// Puts the rows of consecutive lines into the table, up to the first line that cannot go in like
    /// this. Gives the number of lines.
    pub(super) fn settle(
        &mut self,
        view: View<'_>,
        lines: Range<usize>,
        line: u32,
        target: &mut Target<'_>,
    ) -> usize {
        let mut end = lines.start;
        while end < lines.end && self.settle_line(view, end, line, lines.start, target) {
            end += 1;
        }
        let lines = lines.start..end;
        if lines.is_empty() {
            return 0;
        }
        self.interleave(view, lines.clone());
        let view = View { first: &self.first, ..view };
        let [library, rate] = target.planned.side_columns();
        if let Some(id) = library {
            let names = Names { text: &self.names, places: &self.places, rows: self.first.len() };
            target.table.set_texts(id, names);
        }
        if let Some(id) = rate {
            let rates = (0..self.first.len()).map(|row| {
                let (column, scale) = self.all[row % self.all.len()].rate?;
                let cells = view.column(column);
                let number = cells.plain_number(row).or_else(|| cells.number(row))?;
                Some(figure(number, scale))
            });
            target.table.set_numbers(id, rates.map(|rate| rate.unwrap_or(f64::NAN)));
        }
        let (plan, _) = target.planned.plan();
        stage(&plan.extras, view, target.table);
        let rows = 0..self.first.len();
        target.table.commit_run(&self.run.run(rows, line, self.all.len() as u32));
        lines.len()
    }

    /// Finds what else makes the rows of a line; false if one of them cannot go into the table like this.
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
            target.planned.take_side(i);
            let settled = side.parts.settle(view, at..at + 1, line, &mut side.rows, target);
            target.planned.take_side(i);
            settled > at
        })
    }

    /// The rows of these lines in the order in which they go into the table.
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

/// The name of its side for each row.
#[derive(Clone, Copy, Debug)]
struct Names<'a> {
    text: &'a [u8],
    places: &'a [(u32, u32)],
    rows: usize,
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

    fn cell(&self, row: usize) -> &[u8] {
        let (from, to) = self.place(row);
        &self.text[from as usize..to as usize]
    }

    fn number(&self, _row: usize) -> Option<f64> {
        None
    }

    fn plain_number(&self, _row: usize) -> Option<f64> {
        None
    }
}
