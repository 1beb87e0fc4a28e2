//! A drawn roofline that answers to the pointer: it finds points in a grid, since they may be a
//! million, and its axes can be zoomed.

use super::chart::Opened;
use super::settings::{Ceilings, ceiling};
use super::{
    Input, Overlay, Planned, RoofLine, RooflinePicture, Waymark, hit_grid, open_grid, overlay,
    roofline, table,
};
use crate::camera::Camera;
use crate::charts::RenderOptions;
use crate::hit::{Direction, Hit, HitGrid};
use crate::interactive::{Canvas, Emphasis, InteractiveChart, Target};
use crate::labels::Rect;
use crate::legend::Legend;
use crate::scene::{Point, Scene};
use crate::tooltip::Tooltip;
use gemmscope_analysis::explain;
use gemmscope_analysis::tile_roof::TileRoofs;
use gemmscope_model::units::grouped;
use gemmscope_table::control::Control;
use gemmscope_table::field::{Field, Frame};
use gemmscope_table::filter::Range;
use gemmscope_table::result_table::Table;
use std::sync::{Arc, OnceLock};

/// What is drawn besides the rows.
#[derive(Clone, Debug, Default)]
pub(crate) struct Extras {
    pub(crate) planned: Vec<Planned>,
    pub(crate) waymarks: Vec<Waymark>,
    pub(crate) roofs: Vec<RoofLine>,
}

/// A drawn roofline.
pub(crate) struct InteractiveRoofline {
    opened: Arc<Opened>,
    extras: Extras,
    canvas: Canvas,
    hidden: Vec<bool>,
    picture: RooflinePicture,
    /// Made when the pointer first asks: many pictures are only looked at.
    grid: OnceLock<HitGrid>,
    /// The open marks, for the pointer alone: the keyboard visits each row once.
    open: OnceLock<HitGrid>,
}

/// The roof of a row's tile, FLOP/s.
type OwnCeiling<'a> = &'a dyn Fn(usize) -> f64;

fn input<'a>(
    opened: &'a Opened,
    extras: &'a Extras,
    canvas: &'a Canvas,
    hidden: &'a [bool],
    own_ceiling: Option<OwnCeiling<'a>>,
) -> Input<'a> {
    let colors = opened.colors.of(&canvas.theme);
    Input {
        hidden,
        own_ceiling,
        dpr: canvas.dpr,
        size: opened.settings.size,
        numbered: &opened.numbered,
        measured: opened.settings.measured,
        planned: &extras.planned,
        waymarks: &extras.waymarks,
        roofs: &extras.roofs,
        roof_types: opened.settings.roofs,
        background: &opened.background,
        faint: &opened.baseline.rows,
        links: &opened.baseline.links,
        ..Input::new(
            &opened.frame,
            &opened.points,
            colors,
            &canvas.theme,
            canvas.size,
        )
    }
}

impl InteractiveRoofline {
    pub(crate) fn new(opened: Arc<Opened>, extras: Extras, options: &RenderOptions<'_>) -> Self {
        let canvas = options.canvas();
        let names = &opened.colors.of(&canvas.theme).names;
        let hidden: Vec<bool> = names
            .iter()
            .map(|n| opened.settings.off.contains(n))
            .collect();
        let frame = &opened.frame;
        let all = (opened.settings.ceilings == Ceilings::All)
            .then(|| TileRoofs::new(&frame.data, &frame.metrics));
        let own = all.as_ref().map(|s| move |row| ceiling(s.of(row)));
        let own = own.as_ref().map(|f| f as OwnCeiling<'_>);
        let picture = roofline(&Input {
            zoom: options.zoom,
            ..input(&opened, &extras, &canvas, &hidden, own)
        });
        InteractiveRoofline {
            opened,
            extras,
            canvas,
            hidden,
            picture,
            grid: OnceLock::new(),
            open: OnceLock::new(),
        }
    }

    /// What was drawn.
    #[cfg(test)]
    pub(crate) fn picture(&self) -> &RooflinePicture {
        &self.picture
    }

    /// The colours and the size of the picture.
    pub(crate) fn canvas(&self) -> &Canvas {
        &self.canvas
    }

    /// The rows that were drawn.
    pub(crate) fn frame(&self) -> &Frame {
        &self.opened.frame
    }

    /// Asks something of what was drawn, with the ceilings of single rows.
    fn ask<T>(&self, what: impl FnOnce(&Input<'_>) -> T) -> T {
        let frame = self.frame();
        let own = |row: usize| ceiling(TileRoofs::of_row(&frame.data, &frame.metrics, row));
        let own = (self.opened.settings.ceilings != Ceilings::None).then_some(&own as OwnCeiling);
        let (opened, extras) = (&self.opened, &self.extras);
        what(&input(opened, extras, &self.canvas, &self.hidden, own))
    }

    fn grid(&self) -> &HitGrid {
        let make = || self.ask(|input| hit_grid(input, &self.picture.plot));
        self.grid.get_or_init(make)
    }

    fn open_grid(&self) -> &HitGrid {
        let make = || self.ask(|input| open_grid(input, &self.picture.plot));
        self.open.get_or_init(make)
    }

    /// The picture with rings around the selected rows.
    pub(crate) fn marked(&self, selected: &[u32]) -> Scene {
        let mut scene = self.picture.scene.clone();
        if !selected.is_empty() {
            let marks = self.emphasis(&Emphasis {
                selected: selected.to_vec(),
                ..Emphasis::default()
            });
            scene.items.extend(marks.items);
        }
        scene
    }

    fn target(&self, hit: Hit) -> Target {
        Target {
            rows: vec![hit.id],
            at: hit.at,
            more: self.grid().count_near(hit.at, 3.0).saturating_sub(1),
            tooltip: Tooltip::default(),
        }
    }
}

impl InteractiveChart for InteractiveRoofline {
    fn scene(&self) -> &Scene {
        &self.picture.scene
    }

    fn emphasis(&self, what: &Emphasis) -> Scene {
        let own = what.target.as_ref().and_then(|t| t.rows.first().copied());
        let mut selected = what.selected.clone();
        let hovered = match (own, &what.elsewhere[..]) {
            (None, [one]) => Some(*one),
            (None, many) => {
                selected.extend(many);
                None
            }
            (own, _) => own,
        };
        let overlaid = Overlay {
            hovered,
            selected,
            brush: what.brush,
        };
        self.ask(|input| overlay(input, &self.picture.plot, &overlaid))
    }

    fn at(&self, at: Point, radius: f64) -> Option<Target> {
        let filled = self.grid().nearest(at, radius);
        let open = self.open_grid().nearest(at, radius);
        let nearest = match (filled, open) {
            (Some(filled), Some(open)) if open.distance < filled.distance => Some(open),
            (filled, open) => filled.or(open),
        };
        nearest.map(|hit| self.target(hit))
    }

    fn neighbour(&self, from: Option<&Target>, direction: Direction) -> Option<Target> {
        let from = from.and_then(|t| t.rows.first().copied());
        self.grid()
            .neighbour(from, direction)
            .map(|hit| self.target(hit))
    }

    fn within(&self, rect: Rect) -> Vec<u32> {
        self.grid().within(rect)
    }

    fn ranges(&self, [l, t, w, h]: Rect) -> Vec<(Field, Range)> {
        // A box this small is a slip of the hand, not a filter.
        if w < 3.0 || h < 3.0 {
            return Vec::new();
        }
        let (ai, rate) = self.picture.camera().ranges_in([l, t, w, h]);
        let range = |(min, max)| Range {
            min: Some(min),
            max: Some(max),
        };
        vec![(Field::Ai, range(ai)), (Field::Attained, range(rate))]
    }

    fn tooltip(&self, target: &Target) -> Tooltip {
        let Some(&row) = target.rows.first() else {
            return target.tooltip.clone();
        };
        let out = Tooltip::from(explain::brief(self.frame(), row as usize));
        match target.more {
            0 => out,
            n => out.row("Here too", format!("{} more", grouped(n as u64))),
        }
    }

    fn table(&self, most: usize) -> (Table, u64) {
        let (rows, total) = self.ask(|input| table(input, &self.picture.plot, most));
        let left_out = total - rows.rows.len() as u64;
        (rows, left_out)
    }

    fn controls(&self) -> Vec<Control> {
        self.opened.controls()
    }

    fn notes(&self) -> Vec<String> {
        self.opened.notes.clone()
    }

    fn heights(&self) -> (f64, f64) {
        (0.0, f64::INFINITY)
    }

    fn camera(&self) -> Option<Camera> {
        Some(self.picture.camera())
    }

    fn legend(&self) -> Option<Legend> {
        Some(self.picture.legend.clone())
    }

    /// The rows above their roof, the farthest first.
    fn legend_rows(&self) -> Vec<u32> {
        const MOST: usize = 24;
        let frame = self.frame();
        let mut rows: Vec<(f64, u32)> = frame
            .rows
            .iter()
            .map(|&r| (frame.metrics.efficiency(&frame.data, r as usize), r))
            .filter(|(efficiency, _)| *efficiency > 1.0)
            .collect();
        rows.sort_by(|a, b| b.0.total_cmp(&a.0));
        rows.truncate(MOST);
        rows.into_iter().map(|r| r.1).collect()
    }

    fn saved(&self, selected: &[u32]) -> Scene {
        let scene = self.marked(selected);
        self.picture.legend.above(scene, &self.canvas.theme)
    }
}
