//! What changes while the pointer moves: hover, selection, the drawn box; and numbered labels.

use super::{Input, RooflinePicture, marks, plate, plate_size};
use crate::charts::roof_rate;
use crate::labels::{Placer, Rect};
use crate::layout::{FONT, Plot};
use crate::palette::alpha;
use crate::scene::{CENTER, Item, Scene, Symbol};
use crate::text;
use crate::ticks::Format;
use gemmscope_model::hardware::MemoryLevel;
use gemmscope_model::units::format_short;

/// What the overlay shows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Overlay {
    /// Row under the pointer or with keyboard focus.
    pub hovered: Option<u32>,
    /// Selected rows.
    pub selected: Vec<u32>,
    /// The box being drawn.
    pub brush: Option<Rect>,
}

/// A transparent picture of the same size, to lie over the roofline: emphasis without redrawing
/// the points.
pub fn overlay(input: &Input<'_>, picture: &RooflinePicture, what: &Overlay) -> Scene {
    let (theme, plot) = (input.theme, &picture.plot);
    let placer = &mut picture.placer.clone();
    let mut scene = Scene::new(input.width, input.height, "");
    let (base, _) = marks::look(input.frame.rows.len() as u64);
    if !what.selected.is_empty() {
        dim(&mut scene, input, picture, &what.selected);
    }
    scene.items.push(Item::Clip { rect: plot.rect });
    if let Some(own) = input.own_ceiling {
        // A crowd of second ceilings would hide the first.
        let few = what.selected.iter().take(CEILINGS);
        for row in few.chain(what.hovered.iter()) {
            if let Some(at) = input.points.px(plot, *row) {
                let rate = own(*row as usize);
                own_roof(&mut scene, placer, input, plot, (at, *row), rate);
            }
        }
    }
    for level in MemoryLevel::ALL.into_iter().filter(|l| input.shows(*l)) {
        let few = what.selected.iter().take(CEILINGS);
        for row in few.chain(what.hovered.iter()) {
            let at = input.points.px(plot, *row);
            if let (Some(at), Some(to)) = (at, input.points.measured_px(plot, *row, level)) {
                marks::tie(&mut scene, at, to, theme.text, base);
                scene.mark(to, base + 1.0, marks::symbol(level), theme.text);
            }
        }
    }
    if let Some(rect) = what.brush {
        scene.items.push(Item::Rect {
            rect,
            fill: Some(alpha(theme.accent, 0.12)),
            stroke: Some((alpha(theme.accent, 0.8), 1.0)),
        });
    }
    let hovered = what.hovered.and_then(|row| Some((row, input.points.px(plot, row)?)));
    if let Some((row, at)) = hovered {
        hover(&mut scene, input, plot, row, at, base);
    }
    scene.items.push(Item::Unclip);
    scene
}

/// How much of the picture a selection leaves of what is not selected.
const DIMMED: f64 = 0.72;

/// A veil over everything but the roofs with their labels and the selected points.
fn dim(scene: &mut Scene, input: &Input<'_>, picture: &RooflinePicture, selected: &[u32]) {
    let plot = &picture.plot;
    scene.fill(plot.rect, alpha(input.theme.panel, DIMMED));
    let mut items = picture.scene.items.iter().skip_while(|i| !matches!(i, Item::Clip { .. }));
    for item in items.by_ref() {
        match item {
            Item::Clip { .. } | Item::Line { .. } | Item::Symbol { .. } => {
                scene.items.push(item.clone());
            }
            Item::Unclip => break,
            _ => {}
        }
    }
    let mut rows = selected.to_vec();
    rows.sort_unstable();
    marks::marks_of(&rows, scene, input, plot, &picture.counts);
    scene.items.push(Item::Unclip);
    // Labels.
    scene.items.extend(items.cloned());
}

/// Selected points that show the roof of their tile.
const CEILINGS: usize = 60;

/// A point's way to the roof of its tile.
fn own_roof(
    scene: &mut Scene,
    placer: &mut Placer,
    input: &Input<'_>,
    plot: &Plot,
    (at, row): ((f64, f64), u32),
    rate: f64,
) {
    if !(rate > 0.0 && rate.is_finite()) {
        return;
    }
    let top = (at.0, plot.y.px(input.y_of(row, rate)));
    scene.line(vec![at, top], alpha(input.theme.accent, 0.6), 1.5);
    scene.mark(top, 7.0, Symbol::Dash, input.theme.accent);
    let label = format!("tile {}", Format::rate().write(rate, 4));
    let (w, h) = plate_size(&label);
    let beside = [-0.5, -1.0, 0.0, -1.5, 0.5, -2.0, 1.0]
        .into_iter()
        .flat_map(|step| [at.0 - 10.0 - w, at.0 + 10.0].map(|x| [x, top.1 + step * h, w, h]));
    if let Some(rect) = placer.first_or_least(beside) {
        plate(scene, input.theme, rect, &label, input.theme.accent);
    }
}

/// What a row could reach at its arithmetic intensity, FLOP/s.
fn roof_above(input: &Input<'_>, row: u32) -> Option<f64> {
    let r = row as usize;
    // A cache has a slope of its own; efficiency is of the compulsory bytes.
    let shown = r < input.frame.data.len() && input.ai.level().is_none();
    shown.then(|| roof_rate(input.frame, r)).filter(|rate| !rate.is_nan())
}

/// What share of its roof the hovered row reaches, beside its way up, where there is room.
pub(super) fn share_label(
    scene: &mut Scene,
    placer: &mut Placer,
    input: &Input<'_>,
    plot: &Plot,
    row: u32,
) {
    let (Some(at), Some(rate)) = (input.points.px(plot, row), roof_above(input, row)) else {
        return;
    };
    let way = plot.y.px(input.y_of(row, rate)) - at.1;
    let share = input.frame.metrics.efficiency(&input.frame.data, row as usize);
    if !share.is_finite() || way.abs() <= 1.0 {
        return;
    }
    let label =
        format!("{} % of {}", format_short(share * 100.0, 3), Format::rate().write(rate, 4));
    let (w, h) = plate_size(&label);
    let beside = [0.5, 0.35, 0.65, 0.2, 0.8].into_iter().flat_map(|part| {
        let y = at.1 + part * way - h / 2.0;
        [at.0 + 6.0, at.0 - w - 6.0].map(|x| [x, y, w, h])
    });
    if let Some(rect) = placer.first_or_least(beside) {
        plate(scene, input.theme, rect, &label, input.theme.text);
    }
}

/// The hovered point and its way up to its roof.
fn hover(scene: &mut Scene, input: &Input<'_>, plot: &Plot, row: u32, at: (f64, f64), base: f64) {
    let theme = input.theme;
    let r = row as usize;
    if let Some(rate) = roof_above(input, row) {
        let top = (at.0, plot.y.px(input.y_of(row, rate)));
        scene.dashed(vec![at, top], alpha(theme.text, 0.8), 1.0, &[3.0, 3.0]);
        scene.mark(top, 6.0, Symbol::Dash, theme.text);
    }
    scene.mark(at, base + 1.0, Symbol::Dot, input.color_scale.color(r));
    scene.mark(at, base + 3.5, Symbol::Ring, theme.text);
}

/// Numbers beside the rows that asked for one, with leader lines where points crowd. Gives the box
/// of each with its row.
pub(super) fn numbers(
    scene: &mut Scene,
    placer: &mut Placer,
    input: &Input<'_>,
    plot: &Plot,
) -> Vec<(Rect, u32)> {
    let theme = input.theme;
    let (base, _) = marks::look(input.frame.rows.len() as u64);
    let mut boxes = Vec::new();
    for (i, row) in input.numbered.iter().enumerate() {
        let Some(at) = input.points.px(plot, *row).filter(|p| plot.holds(*p)) else {
            continue;
        };
        // The table has the same numbers: those of rows in the background stay free.
        let hidden = input.is_hidden(input.color_scale.code(*row as usize));
        if hidden || input.background.binary_search(row).is_ok() {
            continue;
        }
        let label = (i + 1).to_string();
        let size = (text::width(&label, FONT, true) + 8.0, FONT * text::LINE + 2.0);
        if let Some(placed) = placer.around(at, size, base) {
            boxes.push((label, *row, placed));
        }
    }
    // All leaders below all boxes.
    for (_, _, placed) in &boxes {
        if let Some((from, to)) = placed.leader {
            scene.line(vec![from, to], theme.muted, 1.0);
        }
    }
    for (label, row, placed) in &boxes {
        let [l, t, w, h] = placed.rect;
        scene.items.push(Item::Rect {
            rect: placed.rect,
            fill: Some(theme.panel),
            stroke: Some((input.color_scale.color(*row as usize), 1.0)),
        });
        scene.bold((l + w / 2.0, t + h / 2.0), label.clone(), FONT, theme.text, CENTER);
    }
    let placed = boxes.into_iter();
    placed.map(|(_, row, placed)| (placed.rect, row)).collect()
}
