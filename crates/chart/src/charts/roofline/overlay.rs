//! Overlay that changes with the pointer: hover, selection, the drawn box, numbered labels.

use super::{Layers, RooflineInput, RooflinePicture, marks};
use crate::chart::Emphasis;
use crate::charts::roof_rate;
use crate::density::look;
use crate::labels::{On, Rect};
use crate::layout::FONT;
use crate::palette::alpha;
use crate::scene::{CENTER, Item, Point, Scene, Symbol};
use crate::text;
use crate::ticks::rate_words;
use gemmscope_model::hardware::MemoryLevel;
use gemmscope_model::units::format_short;

/// Transparent scene of the same size, to lie over the roofline: highlights without redrawing the points.
pub fn overlay(input: &RooflineInput<'_>, picture: &RooflinePicture, what: &Emphasis) -> Scene {
    Layers::over(input, picture).emphasis(picture, what)
}

/// Opacity of the veil over what is not selected.
const DIMMED: f64 = 0.72;
/// Up to this many selected points show the roof of their tile.
const CEILINGS: usize = 60;

impl<'a> Layers<'a> {
    /// Layers to draw over a picture, avoiding its labels.
    pub(super) fn over(input: &'a RooflineInput<'a>, picture: &RooflinePicture) -> Self {
        let scene = Scene::new(input.theme, (input.width, input.height), "");
        Layers { scene, placer: picture.placer.clone(), input, plot: picture.plot }
    }

    fn emphasis(mut self, picture: &RooflinePicture, what: &Emphasis) -> Scene {
        let (input, theme) = (self.input, self.input.theme);
        let mut selected = what.selected.clone();
        let hovered = match (what.row(), &what.elsewhere[..]) {
            (None, [one]) => Some(*one),
            (None, many) => {
                selected.extend(many);
                None
            }
            (own, _) => own,
        };
        let (base, _) = look(input.frame.rows.len() as u64);
        if !selected.is_empty() {
            self.dim(picture, &selected);
        }
        let dimmed = !selected.is_empty();
        self.scene.items.push(Item::Clip { rect: self.plot.rect });
        // Many lower ceilings would hide the first.
        let few = selected.iter().take(CEILINGS).chain(hovered.iter()).copied();
        let few: Vec<(u32, Point)> =
            few.filter_map(|row| Some((row, input.points.px(&self.plot, row)?))).collect();
        if !input.links.is_empty() {
            let mut chosen: Vec<u32> = few.iter().map(|f| f.0).collect();
            chosen.sort_unstable();
            self.links(|row| chosen.binary_search(&row).is_ok());
        }
        if let Some(own) = input.own_ceiling {
            let mut said = Vec::new();
            for (row, at) in &few {
                self.own_roof(*at, *row, own(*row as usize), &mut said);
            }
        }
        for level in MemoryLevel::ALL.into_iter().filter(|l| input.shows(*l)) {
            for (row, at) in &few {
                if let Some(to) = input.points.measured_px(&self.plot, *row, level) {
                    marks::tie(&mut self.scene, *at, to, theme.text, base);
                    self.scene.mark(to, base + 1.0, marks::symbol(level), theme.text);
                }
            }
        }
        if dimmed {
            // Labels, above the marks.
            let below = |i: &&Item| !matches!(i, Item::Unclip);
            let above = picture.scene.items.iter().skip_while(below).skip(1);
            self.scene.items.extend(above.cloned());
        }
        if let Some(rect) = what.brush {
            self.scene.brush(rect);
        }
        // A single selected point would be hard to find among hundreds.
        let one = Some(&what.selected[..]).filter(|s| s.len() == 1).unwrap_or_default();
        for row in one.iter().copied().chain(hovered) {
            if let Some(at) = input.points.px(&self.plot, row) {
                self.hover(row, at, base);
            }
        }
        self.scene.items.push(Item::Unclip);
        self.scene
    }

    /// A veil over everything but the roofs and the selected points.
    fn dim(&mut self, picture: &RooflinePicture, selected: &[u32]) {
        self.scene.fill(self.plot.rect, alpha(self.input.theme.panel, DIMMED));
        let mut items = picture.scene.items.iter().skip_while(|i| !matches!(i, Item::Clip { .. }));
        for item in items.by_ref() {
            match item {
                Item::Clip { .. } | Item::Line { .. } | Item::Symbol { .. } => {
                    self.scene.items.push(item.clone());
                }
                Item::Unclip => break,
                _ => {}
            }
        }
        let mut rows = selected.to_vec();
        rows.sort_unstable();
        self.marks(&rows, &picture.counts);
        self.scene.items.push(Item::Unclip);
    }

    /// A point's line to the roof of its tile, which is labelled once.
    fn own_roof(&mut self, at: Point, row: u32, rate: f64, said: &mut Vec<String>) {
        if !(rate > 0.0 && rate.is_finite()) {
            return;
        }
        let accent = self.input.theme.accent;
        let top = (at.0, self.plot.y.px(self.input.y_of(row, rate)));
        self.scene.line(vec![at, top], alpha(accent, 0.6), 1.5);
        self.scene.mark(top, 7.0, Symbol::Dash, accent);
        let label = format!("tile {}", rate_words(rate));
        if said.contains(&label) {
            return;
        }
        let named = self.placer.label(&mut self.scene, (&label, accent), On::Marks, |w, h| {
            let steps = [-0.5, -1.0, 0.0, -1.5, 0.5, -2.0, 1.0].into_iter();
            steps.flat_map(move |step| {
                [at.0 - 10.0 - w, at.0 + 10.0].map(|x| [x, top.1 + step * h, w, h])
            })
        });
        if named.is_some() {
            said.push(label);
        }
    }

    /// Roof of a row at its arithmetic intensity, FLOP/s.
    fn roof_above(&self, row: u32) -> Option<f64> {
        let (frame, r) = (self.input.frame, row as usize);
        // At the bytes of a cache the slope differs; efficiency is by compulsory bytes.
        let shown = r < frame.data.len() && self.input.ai.level().is_none();
        shown.then(|| roof_rate(frame, r)).filter(|rate| !rate.is_nan())
    }

    /// Share of its roof that the hovered row reaches, beside its line to the roof, if there is room.
    pub(super) fn share_label(&mut self, row: u32) {
        let (input, at) = (self.input, self.input.points.px(&self.plot, row));
        let (Some(at), Some(rate)) = (at, self.roof_above(row)) else {
            return;
        };
        let way = self.plot.y.px(input.y_of(row, rate)) - at.1;
        let share = input.frame.metrics.efficiency(&input.frame.data, row as usize);
        if !share.is_finite() || way.abs() <= 1.0 {
            return;
        }
        let label = format!("{} % of {}", format_short(share * 100.0, 3), rate_words(rate));
        self.placer.label(&mut self.scene, (&label, input.theme.text), On::Marks, |w, h| {
            [0.5, 0.35, 0.65, 0.2, 0.8].into_iter().flat_map(move |part| {
                let y = at.1 + part * way - h / 2.0;
                [at.0 + 6.0, at.0 - w - 6.0].map(|x| [x, y, w, h])
            })
        });
    }

    /// A hovered point, or the only selected one, and its line up to the roof.
    fn hover(&mut self, row: u32, at: Point, base: f64) {
        let text = self.input.theme.text;
        if let Some(rate) = self.roof_above(row) {
            let top = (at.0, self.plot.y.px(self.input.y_of(row, rate)));
            self.scene.dashed(vec![at, top], alpha(text, 0.8), 1.0, &[3.0, 3.0]);
            self.scene.mark(top, 6.0, Symbol::Dash, text);
        }
        let color = self.input.color_scale.color(row as usize);
        self.scene.mark(at, base + 1.0, Symbol::Dot, color);
        self.scene.mark(at, base + 3.5, Symbol::Ring, text);
    }

    /// Numbers beside the rows that have one, with leader lines where points crowd. Returns the box of each with its
    /// row.
    pub(super) fn numbers(&mut self) -> Vec<(Rect, u32)> {
        let (input, theme, plot) = (self.input, self.input.theme, self.plot);
        let (base, _) = look(input.frame.rows.len() as u64);
        let mut boxes = Vec::new();
        for (i, row) in input.numbered.iter().enumerate() {
            let Some(at) = input.points.px(&plot, *row).filter(|p| plot.holds(*p)) else {
                continue;
            };
            // The table uses the same numbers, so those of rows in the background stay unused.
            let hidden = input.is_hidden(input.color_scale.code(*row as usize));
            if hidden || input.background.binary_search(row).is_ok() {
                continue;
            }
            let label = (i + 1).to_string();
            let size = (text::width(&label, FONT, true) + 8.0, FONT * text::LINE + 2.0);
            if let Some(placed) = self.placer.around(at, size, base) {
                boxes.push((label, *row, placed));
            }
        }
        // All leader lines below all boxes.
        for (from, to) in boxes.iter().filter_map(|(_, _, placed)| placed.leader) {
            self.scene.line(vec![from, to], theme.muted, 1.0);
        }
        for (label, row, placed) in &boxes {
            let [l, t, w, h] = placed.rect;
            let color = input.color_scale.color(*row as usize);
            self.scene.boxed(placed.rect, theme.panel, (color, 1.0));
            self.scene.bold((l + w / 2.0, t + h / 2.0), label, FONT, theme.text, CENTER);
        }
        boxes.into_iter().map(|(_, row, placed)| (placed.rect, row)).collect()
    }
}
