//! Panels of a sweep: rows of one K, type and device, one line per shape.

use super::cells::Tried;
use super::settings::Setting;
use super::{LineName, Panel, Sweep, SweepLine, TileSource};
use gemmscope_model::tiling::Axis;
use gemmscope_model::units::plural;
use gemmscope_table::field::Frame;
use gemmscope_table::group::{self, mix};

/// Rows grouped by shape: those of one shape are adjacent, ascending, with the same number.
pub(super) fn by_shape(frame: &Frame, rows: &[u32]) -> Vec<(u64, u32)> {
    let data = &*frame.data;
    let kind = |r: usize| u64::from(data.op[r]) << 16 | u64::from(frame.device(r));
    group::by_key(rows, &|r| mix(mix(data.sizes_hash(r as usize), kind(r as usize)), 0))
}

/// A row of a sweep in the order of [`by_shape`], copied so that it is read sequentially.
#[derive(Clone, Copy)]
pub(super) struct Run {
    /// Number of its shape.
    pub(super) shape: u64,
    pub(super) row: u32,
    pub(super) setting: Setting,
    pub(super) time_s: f64,
}

/// A shape: its first row with a value of the axis, and all of its rows.
#[derive(Clone, Copy)]
struct Shape<'a> {
    first: usize,
    runs: &'a [Run],
}

/// Type, device and K of a panel; K is 0 if panels of one line each are joined.
type PanelKey = (u16, u16, u32);

/// Number of shapes among which most sweeps have two in one panel.
const SOME: usize = 1000;

/// Input of a sweep.
#[derive(Clone, Copy)]
pub(super) struct Reading<'a> {
    pub(super) frame: &'a Frame,
    pub(super) source: TileSource,
    /// Axis of the columns.
    pub(super) axis: Axis,
}

/// Sorts items by the first key, those with equal keys by the next one.
fn arrange(items: &mut [(u64, u32)], keys: &[&dyn Fn(u32) -> u64]) {
    let Some((key, others)) = keys.split_first() else { return };
    items.iter_mut().for_each(|item| item.0 = key(item.1));
    items.sort_unstable();
    for alike in items.chunk_by_mut(|a, b| a.0 == b.0).filter(|alike| alike.len() > 1) {
        arrange(alike, others);
    }
}

impl Reading<'_> {
    fn panel_key(&self, row: usize) -> PanelKey {
        let data = &*self.frame.data;
        (data.op[row], self.frame.device(row), data.k[row])
    }

    /// The sweep of runs grouped by shape; `axes` are the axes it could run along.
    pub(super) fn sweep(&self, runs: &[Run], axes: Vec<Axis>) -> Sweep {
        let data = &*self.frame.data;
        let at = |run: &Run| run.setting.at(self.axis);
        // One row of every shape, and the shapes that have several values.
        let (mut firsts, mut found): (Vec<u32>, Vec<Shape<'_>>) = Default::default();
        for runs in runs.chunk_by(|a, b| a.shape == b.shape) {
            let Some(first) = runs.iter().find(|run| at(run).is_some()) else { continue };
            firsts.push(first.row);
            let several = runs.iter().any(|run| at(run).is_some_and(|v| Some(v) != at(first)));
            if several || self.source == TileSource::BestColumn {
                found.push(Shape { first: first.row as usize, runs });
            }
        }
        let single = (firsts.len() - found.len()) as u64;
        // Panels of one line each read better as lines of one panel.
        let apart = |rows: &[u32]| {
            let panels = group::by_key(rows, &|r| {
                let (op, device, k) = self.panel_key(r as usize);
                mix(mix(u64::from(op) << 16 | u64::from(device), u64::from(k)), 0)
            });
            panels.windows(2).all(|two| two[0].0 != two[1].0)
        };
        let few = &firsts[..firsts.len().min(SOME)];
        let together = firsts.len() > 1 && apart(few) && apart(&firsts);
        let several = |of: &dyn Fn(usize) -> u16| {
            let mut values = firsts.iter().map(|row| of(*row as usize));
            let first = values.next();
            values.any(|value| Some(value) != first)
        };
        let many = (several(&|row| data.op[row]), several(&|row| self.frame.device(row)));
        let row = |shape: u32| found[shape as usize].first;
        let two = |a: u32, b: u32| u64::from(a) << 32 | u64::from(b);
        let mut order: Vec<(u64, u32)> = (0..found.len() as u32).map(|at| (0, at)).collect();
        arrange(
            &mut order,
            &[
                &|shape| {
                    let (op, device, k) = self.panel_key(row(shape));
                    two(u32::from(op) << 16 | u32::from(device), k)
                },
                &|shape| two(data.n[row(shape)], data.m[row(shape)]),
                &|shape| u64::from(data.batch[row(shape)]),
            ],
        );
        let shapes: Vec<Shape<'_>> = order.iter().map(|(_, at)| found[*at as usize]).collect();
        let key = |shape: &Shape<'_>| {
            let (op, device, k) = self.panel_key(shape.first);
            (op, device, if together { 0 } else { k })
        };
        let panels = shapes.chunk_by(|a, b| key(a) == key(b));
        let panels: Vec<Panel> =
            panels.map(|shapes| self.panel(key(&shapes[0]), shapes, together, many)).collect();
        let (mut agreement, mut reached) = ((0, 0), Vec::new());
        for line in panels.iter().flat_map(|p| &p.lines) {
            if let (Some(a), Some(b)) = (line.best, line.model) {
                agreement.0 += u64::from(a == b);
                agreement.1 += 1;
                let share = line.tried(b).map(|tried| tried.share.ln());
                reached.extend(share.filter(|share| share.is_finite()));
            }
        }
        let mean = reached.iter().sum::<f64>() / reached.len() as f64;
        let Reading { source, axis, .. } = *self;
        Sweep { source, axis, axes, panels, single, agreement, model_reaches: mean.exp() }
    }

    /// `many` says whether there are several types, and several devices, which titles then state.
    fn panel(
        &self,
        (op, device, k): PanelKey,
        shapes: &[Shape<'_>],
        together: bool,
        many: (bool, bool),
    ) -> Panel {
        let (frame, data) = (self.frame, &*self.frame.data);
        let dev = frame.metrics.devices.get(device as usize).and_then(Option::as_ref);
        let m = |shape: &Shape<'_>| data.m[shape.first];
        let one_m = Some(m(&shapes[0])).filter(|one| shapes.iter().all(|s| m(s) == *one));
        let mut title: Vec<String> = Vec::new();
        if !together {
            title.push(format!("K = {k}"));
            title.extend(one_m.map(|m| format!("M = {m}")));
        }
        title.extend(many.0.then(|| data.ops[op as usize].to_string()));
        title.extend(many.1.then(|| match frame.device_name(device) {
            "" => "unknown device".to_owned(),
            name => name.to_owned(),
        }));
        if title.is_empty() {
            title.push(plural(shapes.len() as u64, "shape"));
        }
        let mut panel = Panel {
            title: title.join(", "),
            lines: Vec::new(),
            columns: self.columns(shapes.iter().flat_map(|s| s.runs)),
            axis: self.axis,
            units: dev.and_then(|d| d.units),
            roof: frame.metrics.roof_of(device, op),
            unit_kind: dev.map_or_else(|| "unit".to_owned(), |d| d.unit_kind.clone()),
            device: dev.map_or_else(String::new, |d| d.name.clone()),
            line_name: match (together, one_m) {
                (true, _) => LineName::MNK,
                (false, Some(_)) => LineName::N,
                (false, None) => LineName::MN,
            },
        };
        panel.lines = shapes.iter().map(|s| self.line(s, &panel)).collect();
        panel
    }

    /// The line of a shape.
    fn line(&self, shape: &Shape<'_>, panel: &Panel) -> SweepLine {
        let (data, first) = (&*self.frame.data, shape.first);
        let problem = data.problem(first);
        let mut line =
            SweepLine { problem, tried: Vec::new(), stated: Vec::new(), best: None, model: None };
        let column = |run: &Run| {
            let value = run.setting.at(self.axis)?;
            panel.columns.binary_search(&value).ok()
        };
        if self.source == TileSource::BestColumn {
            // Such a row describes its shape; it is not a measurement of a cell.
            line.best = shape.runs.iter().find_map(column);
            let best = shape.runs.iter().filter(|run| column(run) == line.best);
            line.stated = best.map(|run| run.row).collect();
        } else {
            line.tried.reserve_exact(shape.runs.len().min(panel.columns.len()));
            let work = self.frame.metrics.work(data, first);
            for run in shape.runs {
                let (rate, setting) = (work / run.time_s, run.setting);
                if let Some(column) = column(run).filter(|_| rate.is_finite()) {
                    let (column, row) = (column as u32, run.row);
                    line.add(Tried { column, row, rate, share: 1.0, setting });
                }
            }
            line.find_best();
        }
        line.model = panel.model(&line);
        line
    }

    /// Distinct axis values of some runs, ascending.
    fn columns<'a>(&self, runs: impl Iterator<Item = &'a Run>) -> Vec<(u32, u32)> {
        let mut all: Vec<(u32, u32)> = Vec::new();
        for value in runs.filter_map(|run| run.setting.at(self.axis)) {
            if let Err(at) = all.binary_search(&value) {
                all.insert(at, value);
            }
        }
        // A column of best tiles does not tell which others were tried. Such sweeps usually try powers of two, here
        // from the smallest best to four times the largest.
        if self.source == TileSource::BestColumn
            && let (Some(&(lo, _)), Some(&(hi, _))) = (all.first(), all.last())
        {
            let mut next = lo.checked_next_power_of_two();
            while let Some(v) = next.filter(|v| *v <= hi.saturating_mul(4) && all.len() < 24) {
                if !all.contains(&(v, 0)) {
                    all.push((v, 0));
                }
                next = v.checked_mul(2);
            }
            all.sort();
        }
        all
    }
}
