//! View of one column in the rows of a batch, and the loops over it.

use crate::cell;
use crate::cell::{digits, figure, scaled};
use crate::columns::row::{own_unit, percent};
use crate::split::index;
use crate::split::record::Record;
use gemmscope_table::build::cell_text::is_missing;
use gemmscope_table::build::cells::Cells;
use gemmscope_table::native_csv::unguard;

/// Rows of a batch of lines with the same width.
#[derive(Clone, Copy, Debug)]
pub(super) struct View<'a> {
    /// The lines, followed by the text read ahead.
    pub text: &'a [u8],
    /// See [`index::cell`].
    pub ends: &'a [u32],
    /// Index of the first cell of each row.
    pub first: &'a [u32],
    pub width: usize,
    /// Cells may be quoted.
    pub quoted: bool,
}

impl<'a> View<'a> {
    /// A view of some of the rows.
    pub(super) fn rows(self, rows: std::ops::Range<usize>) -> Self {
        View { first: &self.first[rows], ..self }
    }

    #[inline(always)]
    pub(super) fn column(self, index: usize) -> Column<'a> {
        Column { rows: self, index, last: index + 1 == self.width }
    }

    /// A row as a record; `bounds` is scratch space for its cells.
    pub(super) fn record<'b>(
        &self,
        row: usize,
        line: u32,
        bounds: &'b mut Vec<(u32, u32)>,
    ) -> Record<'b>
    where
        'a: 'b,
    {
        bounds.clear();
        bounds.extend((0..self.width).map(|c| self.column(c).place(row)));
        let first = self.first[row] as usize;
        let (from, _) = index::cell(self.ends, first);
        let (_, to) = index::cell(self.ends, first + self.width - 1);
        let raw = &self.text[from as usize..to as usize];
        let raw = raw.strip_suffix(b"\r").unwrap_or(raw);
        Record::of_cells(line, raw, self.text, bounds)
    }
}

/// One column of a [`View`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Column<'a> {
    rows: View<'a>,
    index: usize,
    /// The last column of the line: a carriage return may follow.
    last: bool,
}

impl Cells for Column<'_> {
    #[inline(always)]
    fn len(&self) -> usize {
        self.rows.first.len()
    }

    #[inline(always)]
    fn text(&self) -> &[u8] {
        self.rows.text
    }

    #[inline(always)]
    fn place(&self, row: usize) -> (u32, u32) {
        let at = self.rows.first[row] as usize + self.index;
        let cell = index::cell(self.rows.ends, at);
        index::inner(self.rows.text, cell, self.last, self.rows.quoted)
    }

    #[inline]
    fn cell(&self, row: usize) -> &[u8] {
        let (from, to) = self.place(row);
        unguard(cell::trim(&self.rows.text[from as usize..to as usize]))
    }

    fn number(&self, row: usize) -> Option<f64> {
        cell::number(self.cell(row))
    }

    #[inline(always)]
    fn plain_number(&self, row: usize) -> Option<f64> {
        let (from, to) = self.place(row);
        digits::decimal(self.rows.text, from, to)
    }
}

impl Column<'_> {
    /// Reads sizes; rows without one are flawed. With `or_one`, a missing size is 1.
    #[inline(never)]
    pub(super) fn sizes(&self, or_one: bool, sizes: &mut Vec<u32>, flawed: &mut [bool]) {
        sizes.clear();
        sizes.extend(flawed.iter_mut().enumerate().map(|(row, flawed)| {
            let (from, to) = self.place(row);
            let size = digits::whole(self.rows.text, from, to);
            let size = size.unwrap_or_else(|| self.any_size(row, or_one));
            *flawed |= size == 0;
            size
        }));
    }

    /// The size by the general parser; 0 if there is none.
    #[cold]
    fn any_size(&self, row: usize, or_one: bool) -> u32 {
        match self.cell(row) {
            cell if or_one && is_missing(cell) => 1,
            cell => cell::size(cell).unwrap_or(0),
        }
    }

    /// Reads times or rates, multiplied by `scale`; rows without one are flawed.
    #[inline(never)]
    pub(super) fn figures(&self, scale: f64, figures: &mut Vec<f64>, flawed: &mut [bool]) {
        figures.clear();
        figures.extend(flawed.iter_mut().enumerate().map(|(row, flawed)| {
            let plain = self.plain_number(row);
            let value = plain.unwrap_or_else(|| self.any_figure(row));
            *flawed |= !(value > 0.0 && value < f64::INFINITY);
            scaled(value, scale)
        }));
    }

    #[cold]
    fn any_figure(&self, row: usize) -> f64 {
        cell::positive(self.cell(row)).unwrap_or(f64::NAN)
    }

    /// The numbers of a kept column, multiplied by `scale`; NaN for cells without one.
    pub(super) fn numbers(&self, scale: f64) -> impl Iterator<Item = f64> {
        (0..self.len()).map(move |row| match self.plain_number(row) {
            Some(value) => figure(value, scale),
            None => self.any_number(row, scale),
        })
    }

    #[inline(never)]
    fn any_number(&self, row: usize, scale: f64) -> f64 {
        let cell = self.cell(row);
        match cell::number(cell).or_else(|| percent(cell)) {
            Some(value) => figure(value, scale),
            None => own_unit(cell),
        }
    }
}
