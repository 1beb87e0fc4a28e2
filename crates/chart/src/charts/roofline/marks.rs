//! Points of the roofline: their marks, and the density image.

use super::points::{Extent, Place};
use super::{Counts, Layers, RooflineInput};
use crate::density::{Density, look};
use crate::layout::Plot;
use crate::palette::alpha;
use crate::scale::ScaleKind;
use crate::scene::{Color, Marks, Scene, Symbol};
use gemmscope_model::hardware::MemoryLevel;

/// Result of one pass over the passing rows: extents, counts, use of roofs.
pub(super) struct Survey {
    pub x: Option<(f64, f64)>,
    pub y: Option<(f64, f64)>,
    pub counts: Counts,
    /// Number of passing rows for each code of the colour scale.
    pub by_code: Vec<u64>,
    /// Number of passing rows for each device code × number of operations + operation code.
    pub usage: Vec<u64>,
}

impl Survey {
    pub(super) fn of(input: &RooflineInput<'_>) -> Self {
        let data = &input.frame.data;
        let ops = data.ops.len();
        let mut by_code = vec![0u64; input.color_scale.palette.len()];
        let mut usage = vec![0u64; ops * data.devices.len()];
        let mut counts = Counts { passing: input.frame.rows.len() as u64, ..Counts::default() };
        for &row in input.frame.rows.iter() {
            let r = row as usize;
            let code = input.color_scale.code(r);
            if let Some(n) = by_code.get_mut(usize::from(code)) {
                *n += 1;
            }
            if let (Some(&d), Some(&o)) = (data.device.get(r), data.op.get(r))
                && let Some(n) = usage.get_mut(usize::from(d) * ops + usize::from(o))
            {
                *n += 1;
            }
        }
        let mut extent = match input.points.known(input) {
            Some(all) => all,
            None => extent(input, &mut counts),
        };
        let [under, above, no_roof, attainable, nowhere] = Place::ALL.map(|p| extent.of(p));
        // If no row has a roof, lacking one is not remarkable.
        counts.no_roof = if under + above + attainable > 0 { no_roof } else { 0 };
        (counts.above_roof, counts.attainable, counts.nowhere) = (above, attainable, nowhere);
        for (x, y, _) in input.background.iter().filter_map(|r| input.points.get(*r)) {
            extent.add(x, y);
        }
        let range = |(a, b): (f32, f32), kind: ScaleKind| {
            (a <= b).then(|| (kind.back(f64::from(a)), kind.back(f64::from(b))))
        };
        let y = range(extent.y, input.y_kind());
        Survey { x: range(extent.x, ScaleKind::Log), y, counts, by_code, usage }
    }
}

/// Scans the passing rows for their extent; counts those with measured bytes.
fn extent(input: &RooflineInput<'_>, counts: &mut Counts) -> Extent {
    let mut extent = Extent::default();
    let (any_hidden, measured) = (input.hidden.contains(&true), input.points.any_measured());
    for &row in input.frame.rows.iter() {
        let Some((x, y, place)) = input.points.get(row) else {
            extent.count(Place::Nowhere);
            continue;
        };
        extent.add(x, y);
        let shown = !any_hidden || !input.is_hidden(input.color_scale.code(row as usize));
        for level in MemoryLevel::ALL.into_iter().filter(|_| measured) {
            if let Some(x) = input.points.measured_of(row, level) {
                if input.shows(level) {
                    extent.add_x(x);
                }
                counts.measured[level as usize] += u64::from(shown);
            }
        }
        if shown {
            extent.count(place);
        }
    }
    extent
}

/// Calls back with row, pixel and place of every point that is visible and inside the plot.
pub(super) fn each_visible(
    input: &RooflineInput<'_>,
    plot: &Plot,
    f: impl FnMut(u32, f32, f32, Place),
) {
    each_of(&input.frame.rows, input, plot, f);
}

fn each_of(
    rows: &[u32],
    input: &RooflineInput<'_>,
    plot: &Plot,
    mut f: impl FnMut(u32, f32, f32, Place),
) {
    let (sx, ox) = plot.x.affine();
    let (sy, oy) = plot.y.affine();
    let [l, t, w, h] = plot.rect;
    let any_hidden = input.hidden.contains(&true);
    for &row in rows {
        let Some((x, y, place)) = input.points.get(row) else {
            continue;
        };
        let px = f64::from(x) * sx + ox;
        let py = f64::from(y) * sy + oy;
        // False for NaN.
        let inside = px >= l && px <= l + w && py >= t && py <= t + h;
        if !inside || (any_hidden && input.is_hidden(input.color_scale.code(row as usize))) {
            continue;
        }
        f(row, px as f32, py as f32, place);
    }
}

/// Counts points inside and outside the plot.
pub(super) fn count_view(input: &RooflineInput<'_>, plot: &Plot, counts: &mut Counts, whole: bool) {
    let any_hidden = input.hidden.iter().any(|h| *h);
    let mut n = 0;
    if whole && !any_hidden {
        // Everything is visible.
        n = counts.passing - counts.nowhere;
    } else {
        each_visible(input, plot, |_, _, _, _| n += 1);
    }
    counts.in_view = n;
    let hidden: u64 = if any_hidden {
        let shown = |row: &&u32| {
            input.points.get(**row).is_some()
                && input.is_hidden(input.color_scale.code(**row as usize))
        };
        input.frame.rows.iter().filter(shown).count() as u64
    } else {
        0
    };
    counts.outside = (counts.passing - counts.nowhere - hidden).saturating_sub(n);
}

/// Up to this many points are all tied to their place at measured bytes; beyond, only selected and hovered ones are.
const TIED: u64 = 60;

/// Mark of a memory level.
pub(super) fn symbol(level: MemoryLevel) -> Symbol {
    match level {
        MemoryLevel::Main => Symbol::Open,
        MemoryLevel::L2 => Symbol::Ring,
        MemoryLevel::L1 => Symbol::Cross,
    }
}

/// For every point that is not hidden and has a place at the bytes counted at `level`, calls back with row, place and
/// that second place, in view or not. No calls if the level is not shown.
pub(super) fn each_open(
    input: &RooflineInput<'_>,
    plot: &Plot,
    level: MemoryLevel,
    mut f: impl FnMut(u32, (f64, f64), (f64, f64)),
) {
    if !input.points.has_measured(level) || !input.shows(level) {
        return;
    }
    for &row in input.frame.rows.iter() {
        let at = input.points.px(plot, row);
        if let (Some(at), Some(to)) = (at, input.points.measured_px(plot, row, level))
            && !input.is_hidden(input.color_scale.code(row as usize))
        {
            f(row, at, to);
        }
    }
}

/// The line from a point to its place at measured bytes, from edge to edge.
pub(super) fn tie(scene: &mut Scene, at: (f64, f64), to: (f64, f64), color: Color, base: f64) {
    let side = (to.0 - at.0).signum();
    let (from, until) = (at.0 + side * base, to.0 - side * base * 1.25);
    if (until - from) * side > 0.0 {
        scene.line(vec![(from, at.1), (until, to.1)], color, 1.0);
    }
}

/// Up to this many points above their roof keep a mark of their own over a density image.
const TRIANGLES: usize = 2000;

/// The category of some points, if they share it.
#[derive(Clone, Copy)]
enum Only {
    Nothing,
    One(u16),
    Several,
}

impl Only {
    fn and(self, code: u16) -> Self {
        match self {
            Only::Nothing => Only::One(code),
            Only::One(same) if same == code => self,
            _ => Only::Several,
        }
    }
}

impl Layers<'_> {
    /// Marks of visible rows: discs and other shapes by category, triangles above the roof; hollow ones on the roof if
    /// not measured, and if no roof is known but others have one.
    pub(super) fn marks(&mut self, rows: &[u32], counts: &Counts) {
        let (input, plot) = (self.input, &self.plot);
        let (base, opacity) = look(counts.in_view);
        let colors = &input.color_scale.palette;
        let palette: Vec<Color> = colors.iter().map(|c| alpha(*c, opacity)).collect();
        const SYMBOLS: [Symbol; 5] =
            [Symbol::Ring, Symbol::Dot, Symbol::Square, Symbol::Diamond, Symbol::Triangle];
        let mut batches = SYMBOLS.map(|g| Marks::new(g, base, palette.clone()));
        let mut ticks: Vec<(f64, f64, f64, Color)> = Vec::new();
        let mut order: Vec<(u32, f32, f32, Place)> = Vec::new();
        each_of(rows, input, plot, |row, x, y, place| order.push((row, x, y, place)));
        // Shuffled, so that no side covers another: Fibonacci hashing mixes rows.
        order.sort_by_key(|o| o.0.wrapping_mul(0x9e37_79b9));
        for (row, x, y, place) in order {
            let code = input.color_scale.code(row as usize);
            let symbol = match place {
                Place::Above => Symbol::Triangle,
                Place::Attainable => Symbol::Ring,
                Place::NoRoof if counts.no_roof > 0 => Symbol::Ring,
                Place::Measured | Place::NoRoof | Place::Nowhere => {
                    input.color_scale.symbols.get(usize::from(code)).copied().unwrap_or(Symbol::Dot)
                }
            };
            if let Some(b) = batches.iter_mut().find(|b| b.symbol == symbol) {
                b.add((x, y), code);
            }
            if let Some(own) = input.own_ceiling {
                let rate = own(row as usize);
                if rate > 0.0 && rate.is_finite() && place != Place::Attainable {
                    let color = input.color_scale.color(row as usize);
                    let top = plot.y.px(input.y_of(row, rate));
                    ticks.push((f64::from(x), f64::from(y), top, color));
                }
            }
        }
        // From a point up (or down) to the roof of its tile.
        for (x, y, top, color) in ticks {
            self.scene.line(vec![(x, y), (x, top)], alpha(color, 0.35), 1.0);
            self.scene.mark((x, top), 5.0, Symbol::Dash, color);
        }
        batches.into_iter().for_each(|marks| self.scene.marks(marks));
    }

    /// Grey dots of the rows in the background, if few.
    pub(super) fn background(&mut self) {
        let input = self.input;
        if input.background.len() > input.density_above {
            return;
        }
        let color = alpha(input.theme.other, 0.35);
        let mut dots = Marks::new(Symbol::Dot, 2.0, vec![color]);
        each_of(input.background, input, &self.plot, |_, x, y, _| {
            dots.add((x, y), 0);
        });
        self.scene.marks(dots);
    }

    /// Open marks at the intensity of the measured bytes, tied to the filled ones if few.
    pub(super) fn measured(&mut self, counts: &Counts) {
        let (input, plot, scene) = (self.input, &self.plot, &mut self.scene);
        let (base, opacity) = look(counts.in_view);
        for level in MemoryLevel::ALL {
            let palette = input.color_scale.palette.iter();
            let palette = palette.map(|c| alpha(*c, opacity)).collect();
            let mut open = Marks::new(symbol(level), base, palette);
            each_open(input, plot, level, |row, at, to| {
                let code = input.color_scale.code(row as usize);
                if counts.measured[level as usize] <= TIED {
                    let color = input.color_scale.color(row as usize);
                    tie(scene, at, to, alpha(color, 0.5), base);
                }
                if plot.holds(to) {
                    open.add((to.0 as f32, to.1 as f32), code);
                }
            });
            scene.marks(open);
        }
    }

    /// All visible points as one density image, in the colour of their category if it is the only one visible; those
    /// above their roof keep a mark if few.
    pub(super) fn density(&mut self) {
        let (input, plot) = (self.input, &self.plot);
        let mut picture = Density::new(plot.rect, input.dpr);
        let mut above = Marks::new(Symbol::Triangle, 3.0, Vec::new());
        above.palette = input.color_scale.palette.clone();
        let mut too_many = false;
        let mut only = Only::Nothing;
        each_visible(input, plot, |row, x, y, place| {
            picture.add(x, y);
            let code = input.color_scale.code(row as usize);
            only = only.and(code);
            if place == Place::Above && !too_many {
                too_many = above.len() >= TRIANGLES;
                above.add((x, y), code);
            }
        });
        let color = match only {
            Only::One(code) if input.color_scale.gradient.is_none() => {
                input.color_scale.palette.get(usize::from(code)).copied()
            }
            _ => None,
        };
        self.scene.items.push(picture.image(color.unwrap_or(input.theme.other), input.theme));
        if !too_many {
            self.scene.marks(above);
        }
    }

    /// Tells the placer where points are (a sample if there are many), so that labels keep off them.
    pub(super) fn block(&mut self, counts: &Counts) {
        let (input, plot) = (self.input, &self.plot);
        // A sample, with a stride that shares no factor with the usual periods of files.
        let every = (counts.passing / 1500).max(1) as usize | 1;
        let sample: Vec<u32> = input.frame.rows.iter().copied().step_by(every).collect();
        let mut points = Vec::with_capacity(sample.len());
        each_of(&sample, input, plot, |row, x, y, _| {
            points.push((f64::from(x), f64::from(y)));
            let shown = MemoryLevel::ALL.into_iter().filter(|l| input.shows(*l));
            points.extend(shown.filter_map(|l| input.points.measured_px(plot, row, l)));
        });
        self.placer.block_points(points, look(counts.in_view).0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::color_scale::ColorScale;
    use crate::palette::Theme;
    use crate::roofline::{Points, roofline};
    use crate::scene::Item;
    use gemmscope_table::fixture::Rows;

    #[test]
    fn the_extent_of_all_rows_is_known_beforehand() {
        let mut rows = Rows::new();
        // Measured, above the roof, and not measured.
        for (time_s, device) in [(1e-3, "H100 SXM"), (3e-6, "H100 SXM")] {
            rows.row((4096, 1024, 512), "", time_s, device);
            rows.row((64, 32, 16), "", f64::NAN, device);
        }
        // Without a roof: not measured, and measured.
        rows.row((64, 64, 64), "", f64::NAN, "");
        rows.row((64, 64, 64), "", 1e-3, "");
        let frame = rows.frame(None);
        let points = Points::new(&frame.data, &frame.metrics);
        let colors = ColorScale::plain(&Theme::LIGHT);
        let input = RooflineInput::new(&frame, &points, &colors, &Theme::LIGHT, (900.0, 600.0));
        let looked_through = extent(&input, &mut Counts::default());
        assert_eq!(points.known(&input), Some(looked_through));
        assert_eq!(Place::ALL.map(|p| looked_through.of(p)), [1, 1, 1, 2, 1]);
        let drawn = roofline(&input);
        let rings = |item: &Item| match item {
            Item::Marks(marks) if marks.symbol == Symbol::Ring => marks.len(),
            _ => 0,
        };
        assert_eq!(drawn.scene.items.iter().map(rings).sum::<usize>(), 3);
        let hollow = drawn.legend.entries.iter().find(|e| e.symbol == Symbol::Ring);
        let hollow = hollow.map(|e| (e.name.as_str(), e.count));
        assert_eq!(hollow, Some(("roof unknown", 1)));
        assert!(!frame.is_counted(), "a picture waits for no totals");
        let hidden = RooflineInput { hidden: &[true], ..input };
        assert_eq!(points.known(&hidden), None);
    }

    #[test]
    fn points_are_hollow_only_beside_others_that_have_a_roof() {
        let mut rows = Rows::new();
        rows.row((64, 64, 64), "", 1e-3, "");
        let frame = rows.frame(None);
        let points = Points::new(&frame.data, &frame.metrics);
        let colors = ColorScale::plain(&Theme::LIGHT);
        let input = RooflineInput::new(&frame, &points, &colors, &Theme::LIGHT, (900.0, 600.0));
        let drawn = roofline(&input);
        let ring = |item: &Item| matches!(item, Item::Marks(marks) if marks.symbol == Symbol::Ring);
        assert!(!drawn.scene.items.iter().any(ring));
        assert!(drawn.legend.entries.iter().all(|e| e.name != "roof unknown"));
    }
}
