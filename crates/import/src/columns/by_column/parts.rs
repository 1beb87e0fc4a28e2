//! Canonical values of rows, each read in one loop over its column.

use super::combinations::Combinations;
use super::view::View;
use super::{Rows, Target};
use crate::cell::{Quantity, size, verdict};
use crate::columns::header::Col;
use crate::columns::plan::{Figures, Plan, Size, Sizes};
use crate::columns::row::{device, operation, time_of};
use gemmscope_model::gemm::{Operation, Problem};
use gemmscope_table::build::Row;
use gemmscope_table::build::cells::Cells as _;
use gemmscope_table::dataset::ColumnMeaning::*;
use std::ops::Range;

/// The columns that hold the canonical values of a row.
#[derive(Debug)]
pub(super) struct Parts {
    sizes: Sizes,
    batch: Option<usize>,
    /// Quantity, column and scale of the figure that gives the time.
    figure: Option<(Quantity, usize, f64)>,
    /// Verdict columns, and whether all of them pass.
    verdicts: (Vec<usize>, Combinations<bool>),
    /// Operations and their codes in the table.
    operations: Combinations<(Operation, u16)>,
    devices: Option<Combinations<u16>>,
    default_device: u16,
}

impl Parts {
    /// The parts of a plan with these figures; `None` if one of them needs more than reading a column.
    pub(super) fn of(plan: &Plan, figures: &Figures) -> Option<Self> {
        // A header repeated among the rows must not parse as a row.
        let is_title = |c: &Col| size(c.name.as_bytes()).is_err();
        let told = match &plan.sizes {
            Sizes::Three(all) => all.iter().any(|s| matches!(s, Size::Column(c) if is_title(c))),
            Sizes::Square(c) => is_title(c),
            Sizes::One(_) | Sizes::Operands(..) | Sizes::Hook => false,
        };
        let figure = figures.all().next().map(|(quantity, c, scale)| (quantity, c.index, scale));
        if !told {
            return None;
        }
        // The columns that `operation` reads.
        let words = [Dtype, DtypeA, DtypeB, DtypeC, Compute, TransA, TransB, Layout, Bias, Beta]
            .into_iter();
        let words = plan.named_dtype.iter().chain(words.filter_map(|part| plan.col(part)));
        let devices = plan.col(Device).into_iter().chain(plan.col(DeviceUnits));
        let verdicts: Vec<usize> = plan.verdicts.iter().map(|c| c.index).collect();
        Some(Parts {
            sizes: plan.sizes.clone(),
            batch: plan.col(Batch).map(|c| c.index),
            figure,
            verdicts: (verdicts.clone(), Combinations::of(verdicts)),
            operations: Combinations::of(words.map(|c| c.index)),
            devices: plan.col(Device).map(|_| Combinations::of(devices.map(|c| c.index))),
            default_device: plan.default_device,
        })
    }

    /// Reads sizes and figures without changing the table. Marks rows with an unreadable cell as flawed.
    pub(super) fn read(&mut self, view: View<'_>, rows: &mut Rows, flawed: &mut [bool]) {
        let [m, n, k, batch] = &mut rows.sizes;
        match &self.sizes {
            Sizes::Three(places) => {
                for (place, sizes) in places.iter().zip([m, n, k]) {
                    match place {
                        Size::Column(c) => view.column(c.index).sizes(false, sizes, flawed),
                        Size::Fixed(size) => sizes.fill(*size),
                    }
                }
            }
            Sizes::Square(c) => {
                view.column(c.index).sizes(false, m, flawed);
                n.clone_from(m);
                k.clone_from(m);
            }
            Sizes::One(_) | Sizes::Operands(..) | Sizes::Hook => {}
        }
        if let Some(column) = self.batch {
            view.column(column).sizes(true, batch, flawed);
        }
        self.read_figures(view, rows, flawed);
        if !self.verdicts.0.is_empty() {
            self.read_verdicts(view, flawed);
        }
        self.read_words(view);
    }

    #[inline(never)]
    fn read_verdicts(&mut self, view: View<'_>, flawed: &mut [bool]) {
        let (columns, known) = &mut self.verdicts;
        known.read(view);
        for (row, flawed) in flawed.iter_mut().enumerate() {
            *flawed |= !known.get(row).unwrap_or_else(|| {
                let passed = columns.iter().all(|c| verdict(view.column(*c).cell(row)));
                known.keep(row, passed);
                passed
            });
        }
    }

    /// Reads the figures that give the times.
    pub(super) fn read_figures(&self, view: View<'_>, rows: &mut Rows, flawed: &mut [bool]) {
        if let Some((_, column, scale)) = self.figure {
            view.column(column).figures(scale, &mut rows.time_s, flawed);
        }
    }

    /// Reads the words that determine operation and device.
    pub(super) fn read_words(&mut self, view: View<'_>) {
        self.operations.read(view);
        if let Some(devices) = &mut self.devices {
            devices.read(view);
        }
    }

    /// Looks up operation and device of the rows, up to the first that must be read as a record. Returns the index of
    /// that row. `side` is the side of the line, if it has several.
    pub(super) fn settle(
        &mut self,
        view: View<'_>,
        rows: Range<usize>,
        line: u32,
        side: Option<usize>,
        settled: &mut Rows,
        target: &mut Target<'_>,
    ) -> usize {
        let Target { planned, table, bounds, .. } = target;
        let given = planned.of_side(side, table);
        let Some((plan, caches)) = planned.plan() else { return rows.start };
        for at in rows.clone() {
            let line = line.saturating_add((at - rows.start) as u32);
            let known = self.operations.get(at);
            let op = match known {
                Some((op, _)) => op,
                None => {
                    let record = view.record(at, line, bounds);
                    match operation(plan, &given, caches, &record) {
                        Ok(op) => op,
                        Err(_) => return at,
                    }
                }
            };
            let device = match &mut self.devices {
                None => self.default_device,
                Some(devices) => match devices.get(at) {
                    Some(code) => code,
                    None => {
                        let record = view.record(at, line, bounds);
                        let code = match plan.col(Device) {
                            Some(c) => device(plan, caches, table, &record, c),
                            None => self.default_device,
                        };
                        devices.keep(at, code);
                        code
                    }
                },
            };
            let [m, n, k, batch] = settled.sizes.each_ref().map(|s| s[at]);
            let time_s = self.figure.map_or(f64::NAN, |(quantity, ..)| {
                time_of(quantity, settled.time_s[at], &Problem { m, n, k, batch, op })
            });
            let row = Row { m, n, k, batch, op, device, time_s };
            if !table.admits(&row) {
                return at;
            }
            let code = match known {
                Some((_, code)) => code,
                None => match table.op_code(op) {
                    Some(code) => {
                        self.operations.keep(at, (op, code));
                        code
                    }
                    None => return at,
                },
            };
            settled.op[at] = code;
            settled.device[at] = device;
            settled.time_s[at] = time_s;
        }
        rows.end
    }
}
