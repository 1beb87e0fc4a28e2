//! The panels of a comparison, each drawn into a rectangle.

use super::Compare;
use crate::charts::RenderOptions;
use crate::density::{Density, look};
use crate::labels::{On, Placer, Rect, about};
use crate::layout::{EDGE, FONT, NARROW, Plot};
use crate::legend::{self, Swatch};
use crate::palette::alpha;
use crate::plot::{Around, Marks as Ticks, Ruler, round, xy};
use crate::scale::{self, ScaleKind};
use crate::scene::{Color, HitArea, Item, Marks, Point, Scene, Symbol};
use crate::text;
use crate::ticks::{self, Format, Tick};
use crate::tooltip::Tooltip;
use gemmscope_analysis::compare::duel::{Distribution, DuelVerdict, Measure, Ratio};
use gemmscope_model::units::{grouped, plural};
use gemmscope_words::compare::lead;

/// Height of the label on a line of a histogram, above its bars.
const WORD: f64 = 18.0;

/// Inputs of every panel.
pub(super) struct Panels<'a> {
    pub(super) model: &'a Compare,
    pub(super) options: &'a RenderOptions<'a>,
    /// Of side A and of side B.
    pub(super) colors: [Color; 2],
}

impl Panels<'_> {
    /// Colour of a verdict: that of the faster side, grey if there is none.
    pub(super) fn color(&self, verdict: DuelVerdict) -> Color {
        match verdict {
            DuelVerdict::B => self.colors[1],
            DuelVerdict::A => self.colors[0],
            DuelVerdict::Even | DuelVerdict::Noise => self.options.theme.other,
        }
    }

    fn legend_entries(&self) -> Vec<(Swatch, String)> {
        let (a, b) = self.model.names();
        let ahead = self.ahead();
        let all = [
            (DuelVerdict::B, Symbol::Dot, format!("{b} {ahead}")),
            (DuelVerdict::A, Symbol::Dot, format!("{a} {ahead}")),
            (DuelVerdict::Even, Symbol::Dot, "tie".to_owned()),
            (DuelVerdict::Noise, Symbol::Ring, "within noise".to_owned()),
        ];
        let entry = |(verdict, symbol, words): (DuelVerdict, Symbol, String)| {
            let n = self.model.duel.count(verdict);
            let shown = n > 0 || matches!(verdict, DuelVerdict::A | DuelVerdict::B);
            let mark = Swatch::Mark(symbol, self.color(verdict));
            shown.then(|| (mark, format!("{words}: {}", grouped(n))))
        };
        all.into_iter().filter_map(entry).collect()
    }

    /// Name of a configuration, and the number of rows that both sides have of it.
    pub(super) fn label(&self, index: usize) -> String {
        self.model.label(&self.model.duel.ratios[index])
    }

    pub(super) fn rows(&self, index: usize) -> impl Iterator<Item = u32> {
        let (model, of) = (self.model, &self.model.duel.ratios[index]);
        let both = [self.model.duel.a, self.model.duel.b].into_iter();
        let samples = both.filter_map(|side| model.sample(of, side));
        samples.flat_map(|s| model.comparison.rows_of(s).iter().copied())
    }

    /// A against B, both logarithmic over the same range, so that the diagonal means "equal".
    pub(super) fn scatter(&self, scene: &mut Scene, rect: Rect) {
        let (a, b) = self.model.names();
        let narrow = rect[2] < NARROW;
        let (format, what) = match self.model.duel.measure {
            Measure::Rate if narrow => (Format::rate().bare(), "attained"),
            Measure::Rate => (Format::rate(), "attained"),
            Measure::Roof => (Format::percent(), "% of roof"),
        };
        let value = |r: &Ratio| {
            let of = |side: usize| {
                self.model.sample(r, side).map_or(f64::NAN, |s| match self.model.duel.measure {
                    Measure::Rate => s.rate,
                    Measure::Roof => s.efficiency,
                })
            };
            (of(self.model.duel.a), of(self.model.duel.b))
        };
        let values: Vec<(f64, f64)> = self.model.duel.ratios.iter().map(value).collect();
        let all = values.iter().flat_map(|(x, y)| [*x, *y]);
        let domain = scale::padded(
            ScaleKind::Log,
            scale::extent(ScaleKind::Log, all).unwrap_or((1.0, 10.0)),
            0.08,
        );
        let [left, top, width, height] = rect;
        let entries = self.legend_entries();
        let at = (left + EDGE, top + 4.0);
        let used = legend::legend(Some(scene), at, width - 24.0, &entries) + 8.0;
        let ruler = |side: &str, each| {
            let marks = round(format, each, (2, 9));
            Ruler::new(format!("{side}, {what}"), (ScaleKind::Log, domain), marks)
        };
        // Labels stay within the plot, as another panel may be beside it.
        let around = Around { right: 2.0, ..Around::USUAL };
        let room = ([left, top + used, width - 14.0, height - used], around);
        let plot = xy(scene, room, &ruler(a, if narrow { 50.0 } else { 80.0 }), &ruler(b, 46.0));
        scene.items.push(Item::Clip { rect: plot.rect });
        let line_at = |ratio: f64| {
            vec![
                (plot.x.px(domain.0), plot.y.px(domain.0 * ratio)),
                (plot.x.px(domain.1), plot.y.px(domain.1 * ratio)),
            ]
        };
        let edge = 1.0 + self.model.duel.threshold;
        if self.model.duel.threshold > 0.0 {
            let mut band = line_at(edge);
            band.extend(line_at(1.0 / edge).into_iter().rev());
            scene.items.push(Item::Polygon { points: band, fill: alpha(scene.theme.other, 0.28) });
        }
        scene.line(line_at(1.0), scene.theme.roof, 1.5);
        let g = self.model.duel.geometric_mean;
        scene.dashed(line_at(g), scene.theme.accent, 1.5, &[6.0, 4.0]);
        let points: Vec<Point> =
            values.into_iter().map(|(x, y)| (plot.x.px(x), plot.y.px(y))).collect();
        self.points(scene, &plot, &points);
        scene.items.push(Item::Unclip);
        let mut placer = Placer::new(plot.rect);
        let mut tags = vec![(1.0, "equal".to_owned(), scene.theme.roof)];
        if !(1.0 / 1.05..=1.05).contains(&g) && g.is_finite() {
            let words = if narrow { self.leader(g) } else { self.mean_words() };
            tags.push((g, words, scene.theme.accent));
        }
        for &(ratio, ..) in &tags {
            let line = line_at(ratio);
            placer.block_line(line[0], line[1]);
        }
        placer.block_points(scene.hit_areas.iter().map(HitArea::center).collect(), 8.0);
        // Label the lines where there are the fewest points.
        let [l, _, w, _] = plot.rect;
        for (ratio, words, color) in tags {
            placer.label(scene, (&words, color), On::Marks, |width, height| {
                (1..=24).flat_map(move |i| {
                    let x = l + w * f64::from(i) / 25.0;
                    let y = plot.y.px(plot.x.value(x) * ratio);
                    let above = [x - width - 6.0, y - height - 3.0, width, height];
                    [above, [x + 6.0, y + 3.0, width, height]]
                })
            });
        }
    }

    /// The points of the duel's ratios, in order.
    fn points(&self, scene: &mut Scene, plot: &Plot, points: &[Point]) {
        let n = self.model.duel.ratios.len();
        let (radius, opacity) = look(n as u64);
        // Widest gaps first, so that the limit drops the narrow ones.
        let ends = n.min(Density::ABOVE);
        let (head, tail) = (ends - ends / 2, ends / 2);
        let ranked = self.model.ranked.iter();
        let reachable = ranked.clone().take(head).chain(ranked.rev().take(tail));
        for &i in reachable {
            let area = about(points[i], radius.max(4.0));
            scene.hit(self.rows(i).collect(), area, Tooltip::of(i));
        }
        if n > Density::ABOVE {
            let mut layers: [Density; 3] =
                std::array::from_fn(|_| Density::new(plot.rect, self.options.dpr));
            for (r, at) in self.model.duel.ratios.iter().zip(points) {
                let layer = match r.verdict {
                    DuelVerdict::A => 0,
                    DuelVerdict::B => 1,
                    DuelVerdict::Even | DuelVerdict::Noise => 2,
                };
                layers[layer].add(at.0 as f32, at.1 as f32);
            }
            let colors = [DuelVerdict::A, DuelVerdict::B, DuelVerdict::Even];
            let colors = colors.map(|verdict| self.color(verdict));
            let layers: Vec<_> = layers.iter().zip(colors).collect();
            return scene.items.push(Density::layers(&layers, self.options.theme));
        }
        let mut dots = Marks::new(
            Symbol::Dot,
            radius,
            [DuelVerdict::A, DuelVerdict::B, DuelVerdict::Even]
                .map(|v| alpha(self.color(v), opacity))
                .to_vec(),
        );
        let mut rings = Marks::new(Symbol::Ring, radius, vec![scene.theme.muted]);
        for (r, at) in self.model.duel.ratios.iter().zip(points) {
            if !(at.0.is_finite() && at.1.is_finite()) {
                continue;
            }
            let at = (at.0 as f32, at.1 as f32);
            match r.verdict {
                DuelVerdict::Noise => rings.add(at, 0),
                verdict => dots.add(at, verdict as u16),
            }
        }
        scene.marks(dots);
        scene.marks(rings);
    }

    /// A histogram of log2 ratios.
    pub(super) fn distribution(&self, scene: &mut Scene, rect: Rect) {
        let d = self.model.duel.distribution();
        let most = d.members.iter().map(Vec::len).max().unwrap_or(0).max(1) as f64;
        let mut lo = d.start;
        let mut hi = d.start + d.width * d.members.len() as f64;
        // "Equal" is always visible, as a distribution is read against it.
        lo = lo.min(-d.width);
        hi = hi.max(d.width);
        let room = [rect[0], rect[1], rect[2] - 2.0, rect[3]];
        let around = Around { top: 34.0, right: 12.0, bottom: 42.0, lane: 0.0 };
        let whole: Ticks<'_> = Box::new(|scale, px| {
            let mut all = ticks::linear(scale.domain, (px / 55.0) as usize, &Format::plain(""));
            all.retain(|t| t.value.fract() == 0.0);
            all
        });
        // Room above the bars for the label of the mean.
        let high = (rect[3] - around.top - around.bottom).max(1.0);
        let above = (high / (high - WORD).max(1.0)).clamp(1.12, 1.6);
        let y = Ruler::new("", (ScaleKind::Linear, (0.0, most * above)), whole);
        let ratios: Ticks<'_> =
            Box::new(|scale, px| ratio_ticks(scale.domain, (px / 56.0) as usize));
        let x = Ruler::new(self.directions(), (ScaleKind::Linear, (lo, hi)), ratios);
        let x = Ruler { grid: false, ..x };
        let plot = xy(scene, (room, around), &x, &y);
        legend::heading(
            scene,
            (rect[0] + EDGE, rect[1] + 14.0),
            rect[2] - 2.0 * EDGE,
            "GEMMs by ratio",
        );
        self.bars(scene, &plot, &d);
        let [_, t, _, h] = plot.rect;
        let x = plot.x.px(0.0);
        scene.line(vec![(x, t), (x, t + h)], scene.theme.roof, 1.5);
        let g = self.model.duel.geometric_mean.log2();
        let gx = plot.x.px(g);
        scene.dashed(vec![(gx, t), (gx, t + h)], scene.theme.accent, 1.5, &[6.0, 4.0]);
        // The short words if the long ones do not fit; over the line of equality if neither does.
        let words = [self.mean_words(), self.leader(self.model.duel.geometric_mean)];
        let mut placer = Placer::new(plot.rect);
        placer.block_line((x, t), (x, t + h));
        let mut write = |words: &String, on| {
            placer.label(scene, (words, scene.theme.accent), on, |width, height| {
                [gx + 3.0, gx - 3.0 - width].map(|left| [left, t + 2.0, width, height])
            })
        };
        for on in [On::Nothing, On::Lines] {
            if words.iter().any(|words| write(words, on).is_some()) {
                return;
            }
        }
    }

    /// The bars of a histogram, stacked by the side that is ahead.
    fn bars(&self, scene: &mut Scene, plot: &Plot, d: &Distribution) {
        // One pass in configuration order: a pass for each bar would not fit the processor's cache.
        let ratios = &self.model.duel.ratios;
        let mut bins = vec![0u16; ratios.len()];
        for (bin, members) in d.members.iter().enumerate() {
            members.iter().for_each(|m| bins[*m as usize] = bin as u16);
        }
        let mut of_bin = vec![([0u32; 4], Vec::new()); d.members.len()];
        for (i, (r, bin)) in ratios.iter().zip(bins).enumerate() {
            let (counts, rows) = &mut of_bin[usize::from(bin)];
            counts[r.verdict as usize] += 1;
            rows.extend(self.rows(i));
        }
        for (i, (members, (counts, rows))) in d.members.iter().zip(of_bin).enumerate() {
            if members.is_empty() {
                continue;
            }
            let (e0, e1) = (d.start + d.width * i as f64, d.start + d.width * (i + 1) as f64);
            let (x0, x1) = (plot.x.px(e0), plot.x.px(e1));
            let bottom = plot.rect[1] + plot.rect[3];
            let y = plot.y.px(members.len() as f64);
            let bar = [x0 + 0.5, y, (x1 - x0 - 1.0).max(1.0), bottom - y];
            // Ties are at the bottom, as no side won them.
            let mut foot = 0.0;
            for verdict in [DuelVerdict::Even, DuelVerdict::Noise, DuelVerdict::A, DuelVerdict::B] {
                let top = foot + f64::from(counts[verdict as usize]);
                let [y0, y1] = [top, foot].map(|n| plot.y.px(n));
                if top > foot {
                    scene.fill([bar[0], y0, bar[2], y1 - y0], self.color(verdict));
                }
                foot = top;
            }
            let ends = match e0 >= 0.0 {
                true => [e0, e1],
                false => [e1, e0],
            };
            let [least, most] = ends.map(|e| lead(e.exp2()));
            let leader = self.side_ahead((e0 + e1) / 2.0);
            let title = format!("{leader} {} by {least} to {most}", self.ahead());
            scene.hit(rows, bar, Tooltip::new(title).line(plural(members.len() as u64, "GEMM")));
        }
    }

    /// `faster` for rates, `ahead` for shares of roofs.
    fn ahead(&self) -> &'static str {
        match self.model.duel.measure {
            Measure::Rate => "faster",
            Measure::Roof => "ahead",
        }
    }

    /// The side that a log2 ratio favours, its name shortened if long.
    fn side_ahead(&self, log: f64) -> String {
        let (a, b) = self.model.names();
        text::ellipsis(if log < 0.0 { a } else { b }, FONT, 130.0)
    }

    /// `rocBLAS 1.10x`: the faster side and its lead.
    pub(super) fn leader(&self, ratio: f64) -> String {
        format!("{} {}", self.side_ahead(ratio.log2()), lead(ratio))
    }

    fn mean_words(&self) -> String {
        format!("geometric mean: {}", self.leader(self.model.duel.geometric_mean))
    }

    /// Directions of an axis of ratios: which side is ahead left and right.
    fn directions(&self) -> String {
        let [a, b] = [-1.0, 1.0].map(|log| self.side_ahead(log));
        let how = self.ahead();
        format!("\u{2190} {a} {how}, {b} {how} \u{2192}")
    }
}

/// Ticks at round ratios, for an axis of log2 ratios.
pub(super) fn ratio_ticks((lo, hi): (f64, f64), room: usize) -> Vec<Tick> {
    let room = room.max(2);
    let span = hi - lo;
    if !(span.is_finite() && span > 0.0) {
        return Vec::new();
    }
    let label = |factor: f64| match factor {
        1.0 => "equal".to_owned(),
        _ => format!("{}x", (factor * 1e4).round() / 1e4),
    };
    if span <= 1.6 {
        // A narrow range reads better in equal steps of the lead, symmetric around zero.
        let lead = |v: f64| v.signum() * (v.abs().exp2() - 1.0);
        let steps = ticks::linear((lead(lo), lead(hi)), room, &Format::plain(""));
        let each = steps.into_iter().map(|t| (t.value.signum(), 1.0 + t.value.abs(), t.label));
        return each
            .map(|(way, factor, named)| Tick {
                value: way * factor.log2(),
                label: named.map(|_| label(factor)),
            })
            .collect();
    }
    let every = (span / room as f64).ceil().max(1.0);
    let (first, last) = ((lo / every).ceil() as i64, (hi / every).floor() as i64);
    let values = (first..=last.min(first + 200)).map(|i| i as f64 * every);
    values.map(|value| Tick { value, label: Some(label(value.abs().exp2())) }).collect()
}
