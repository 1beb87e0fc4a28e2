//! The panels of a sweep: rows of one K, type and device, a line a shape.

use super::cells::{best_of, cells, model};
use super::settings::Setting;
use super::{Line, LineName, Panel, Sweep, TileSource};
use gemmscope_model::order::InOrder;
use gemmscope_model::roofline::Roof;
use gemmscope_model::sorted::Sorted;
use gemmscope_model::tiling::Axis;
use gemmscope_model::units::plural;
use gemmscope_table::field::Frame;
use gemmscope_table::group::{self, mix};

/// Key of rows with the same shape on the same device.
type ShapeKey = (u16, u16, u32, u32, u32, u32);

fn shape_key(frame: &Frame, r: usize) -> ShapeKey {
    let d = &*frame.data;
    (d.op[r], frame.device(r), d.k[r], d.n[r], d.m[r], d.batch[r])
}

/// Rows by shape: those of one shape beside each other, ascending, under one number.
pub(super) fn by_shape(frame: &Frame, rows: &[u32]) -> Vec<(u64, u32)> {
    let data = &*frame.data;
    let kind = |r: usize| u64::from(data.op[r]) << 16 | u64::from(frame.device(r));
    group::by_key(rows, &|r| mix(mix(data.sizes_hash(r as usize), kind(r as usize)), 0))
}

/// A shape and its rows.
type Shape = (ShapeKey, Vec<usize>);

/// Type, device and K of a panel; K is 0 where panels of one line each are one.
type PanelKey = (u16, u16, u32);

/// Shapes of which most sweeps have two in one panel.
const SOME: usize = 1000;

/// What a sweep is read from.
#[derive(Clone, Copy)]
pub(super) struct Reading<'a> {
    pub(super) frame: &'a Frame,
    pub(super) source: TileSource,
    /// By row.
    pub(super) settings: &'a [Setting],
    /// The columns.
    pub(super) axis: Axis,
}

impl Reading<'_> {
    /// The sweep of rows [by shape](by_shape), which could also run along each of `axes`.
    pub(super) fn sweep(&self, grouped: &[(u64, u32)], axes: Vec<Axis>) -> Sweep {
        let data = &*self.frame.data;
        let at = |r: usize| self.settings[r].at(self.axis);
        // Of every shape a row, and those shapes that have several values.
        let (mut firsts, mut shapes): (Vec<u32>, Vec<Shape>) = Default::default();
        let mut of_shape: Vec<usize> = Vec::new();
        for rows in grouped.chunk_by(|a, b| a.0 == b.0) {
            of_shape.clear();
            of_shape.extend(rows.iter().map(|r| r.1 as usize).filter(|&r| at(r).is_some()));
            let [first, others @ ..] = &of_shape[..] else { continue };
            firsts.push(*first as u32);
            let several = others.iter().any(|&r| at(r) != at(*first));
            if several || self.source == TileSource::BestColumn {
                shapes.push((shape_key(self.frame, *first), of_shape.clone()));
            }
        }
        let single = (firsts.len() - shapes.len()) as u64;
        let panel =
            |r: u32| (data.op[r as usize], self.frame.device(r as usize), data.k[r as usize]);
        // Panels of one line each read better as the lines of one panel.
        let apart = |rows: &[u32]| {
            let panels = group::by_key(rows, &|r| {
                let (op, device, k) = panel(r);
                mix(mix(u64::from(op) << 16 | u64::from(device), u64::from(k)), 0)
            });
            panels.windows(2).all(|two| two[0].0 != two[1].0)
        };
        let few = &firsts[..firsts.len().min(SOME)];
        let together = firsts.len() > 1 && apart(few) && apart(&firsts);
        let several =
            |of: fn(PanelKey) -> u16| firsts.iter().any(|r| of(panel(*r)) != of(panel(firsts[0])));
        let many = (several(|key| key.0), several(|key| key.1));
        shapes.order_by(|a, b| a.0.cmp(&b.0));
        let key = |shape: &Shape| {
            let (op, device, k, ..) = shape.0;
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
                reached.push(line.cells[b].share.ln());
            }
        }
        reached.retain(|v: &f64| v.is_finite());
        let mean = reached.iter().sum::<f64>() / reached.len() as f64;
        let Reading { source, axis, .. } = *self;
        Sweep { source, axis, axes, panels, single, agreement, model_reaches: mean.exp() }
    }

    /// `many` says whether panels have several types, and several devices, which their titles tell apart then.
    fn panel(
        &self,
        (op, device, k): PanelKey,
        shapes: &[Shape],
        together: bool,
        many: (bool, bool),
    ) -> Panel {
        let (frame, data) = (self.frame, &*self.frame.data);
        let dev = frame.metrics.devices.get(device as usize).and_then(Option::as_ref);
        let ms: Sorted<u32, ()> = shapes.iter().map(|s| (s.0.4, ())).collect();
        let mut title: Vec<String> = Vec::new();
        if !together {
            title.push(format!("K = {k}"));
            let one = ms.keys().next().filter(|_| ms.len() == 1);
            title.extend(one.map(|m| format!("M = {m}")));
        }
        title.extend(many.0.then(|| data.ops[op as usize].to_string()));
        title.extend(many.1.then(|| match frame.device_name(device) {
            "" => "unknown device".to_owned(),
            name => name.to_owned(),
        }));
        if title.is_empty() {
            title.push(plural(shapes.len() as u64, "shape"));
        }
        let columns = self.columns(shapes.iter().flat_map(|s| &s.1));
        let on = (dev.and_then(|d| d.units), frame.metrics.roof_of(device, op));
        Panel {
            title: title.join(", "),
            lines: shapes.iter().map(|s| self.line(&s.1, &columns, on)).collect(),
            columns,
            units: on.0,
            unit_kind: dev.map_or_else(|| "unit".to_owned(), |d| d.unit_kind.clone()),
            device: dev.map_or_else(String::new, |d| d.name.clone()),
            line_name: match (together, ms.len()) {
                (true, _) => LineName::MNK,
                (false, 1) => LineName::N,
                (false, _) => LineName::MN,
            },
        }
    }

    /// The line of a shape's rows, on a device of so many units and with a roof.
    fn line(
        &self,
        rows: &[usize],
        columns: &[(u32, u32)],
        (units, roof): (Option<u32>, Option<Roof>),
    ) -> Line {
        let problem = self.frame.data.problem(rows[0]);
        let cells = cells(*self, columns, rows, &problem, (units, roof));
        let mut line = Line { cells, best: None, model: None, problem };
        let stated = || self.settings[rows[0]].at(self.axis);
        line.best = match self.source {
            TileSource::BestColumn => stated().and_then(|v| columns.iter().position(|c| *c == v)),
            _ => best_of(&mut line.cells),
        };
        line.model = model(&line, columns, self.axis, units, roof);
        line
    }

    /// The values of the axis that some rows have.
    fn columns<'a>(&self, rows: impl Iterator<Item = &'a usize>) -> Vec<(u32, u32)> {
        let values = rows.filter_map(|&r| self.settings[r].at(self.axis));
        let mut all: Vec<(u32, u32)> = values.collect();
        all.order_by(Ord::cmp);
        all.dedup();
        // A column of best tiles does not tell which others were tried. Such sweeps usually try powers
        // of two, here from the smallest best to four times the largest.
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
            all.order_by(Ord::cmp);
        }
        all
    }
}
