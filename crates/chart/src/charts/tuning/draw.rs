//! Drawing of the tuning history: the plot, and the card of the chosen point.

use super::Tuning;
use crate::charts::RenderOptions;
use crate::labels::{On, Placer, Rect, about};
use crate::layout::{EDGE, FONT, Plot};
use crate::legend::{self, Swatch};
use crate::palette::{Theme, alpha};
use crate::plot::{Around, Marks, Ruler, round, xy};
use crate::scale::{ScaleKind, extent};
use crate::scene::{Color, END, Point, START, Scene, Symbol};
use crate::text;
use crate::ticks::{self, Format, Tick, rate_words};
use crate::tooltip::Tooltip;
use gemmscope_analysis::tuning::{self, Generation, Outcome, SearchHistory};
use gemmscope_model::units::short_percent;

/// Height of the lane of failed variants below the plot.
const LANE: f64 = 24.0;
/// Colours of the references, as indices into the theme's categories; their number is the most that are drawn.
const REFERENCES: [usize; 3] = [2, 3, 7];
/// Maximum number of parameters on the card.
const MOST_PARAMETERS: usize = 12;

/// Symbol and colour of a variant.
fn mark(outcome: Outcome, theme: &Theme) -> (Symbol, Color) {
    match outcome {
        Outcome::Ok => (Symbol::Dot, theme.categories[0]),
        Outcome::Slow => (Symbol::Ring, theme.muted),
        Outcome::Failed => (Symbol::Cross, theme.warn),
    }
}

/// A history being drawn.
struct Picture<'a> {
    h: &'a SearchHistory,
    plot: Plot,
    /// Lower edge of the lane of failed variants; that of the plot if none failed.
    lane: f64,
    placer: Placer,
}

impl Tuning {
    pub(super) fn plot(&self, scene: &mut Scene, options: &RenderOptions<'_>, rect: Rect) {
        let (h, theme) = (&self.history, options.theme);
        let rates = h.variants.iter().chain(&h.references).map(|v| v.rate);
        let ends = extent(ScaleKind::Linear, rates).unwrap_or((0.0, 1.0));
        // A roof far above would flatten everything else, so it is only named.
        let roof_shown =
            h.roof.is_finite() && (self.scale == ScaleKind::Log || h.roof <= ends.1 * 4.0);
        let top_value = if roof_shown { ends.1.max(h.roof) } else { ends.1 };
        let domain = match self.scale {
            ScaleKind::Log => (ends.0 * 0.8, top_value * 1.9),
            ScaleKind::Linear => (0.0, top_value * 1.1),
        };
        let entries = legend(h, theme);
        let legend = legend::legend(None, (0.0, 0.0), rect[2] - 20.0, &entries);
        let lane = if h.count(Outcome::Failed) > 0 { LANE } else { 0.0 };
        let y = round(Format::rate(), 60.0, (1, usize::MAX));
        let y = Ruler::new("Attained", (self.scale, domain), y);
        let around = Around { top: 30.0 + legend, right: 14.0, bottom: 42.0, lane };
        let each = |g: &Generation| Tick { value: g.order, label: Some(g.order.to_string()) };
        let marks: Marks<'_> = Box::new(|scale, width| {
            let room = (width / 44.0).max(2.0) as usize;
            match h.generations.len() <= room {
                true => h.generations.iter().map(each).collect(),
                false => ticks::linear(scale.domain, room, &Format::plain("")),
            }
        });
        let x = Ruler::new(h.order_label.as_str(), (ScaleKind::Linear, orders(h)), marks);
        let plot = xy(scene, (rect, around), &Ruler { grid: false, ..x }, &y);
        legend::legend(Some(scene), (EDGE, 4.0), rect[2] - 2.0 * EDGE, &entries);
        let (placer, lane) = (Placer::new(plot.rect), plot.rect[1] + plot.rect[3] + lane);
        let mut picture = Picture { h, plot, lane, placer };
        picture.levels(scene, roof_shown);
        picture.best_so_far(scene);
        picture.variants(scene);
        picture.references(scene);
    }
}

/// Range of generations, with half a step on both sides for variants drawn beside theirs.
fn orders(h: &SearchHistory) -> (f64, f64) {
    let (first, last) = match (h.generations.first(), h.generations.last()) {
        (Some(a), Some(b)) => (a.order, b.order),
        _ => (0.0, 1.0),
    };
    let steps = h.generations.windows(2).map(|w| w[1].order - w[0].order);
    let step = steps.fold(f64::INFINITY, f64::min);
    let step = if step.is_finite() { step } else { 1.0 };
    (first - 0.6 * step, last + 0.6 * step)
}

impl Picture<'_> {
    /// The lane of failed variants, the roof, and the references.
    fn levels(&mut self, scene: &mut Scene, roof_shown: bool) {
        let (h, theme, [l, t, w, height]) = (self.h, scene.theme, self.plot.rect);
        let bottom = t + height;
        if self.lane > bottom {
            scene.text((l - 7.0, (bottom + self.lane) / 2.0), "failed", theme.warn, END);
            scene.line(vec![(l, self.lane), (l + w, self.lane)], theme.axis, 1.0);
        }
        if roof_shown && self.level(scene, h.roof, theme.roof, &[]) {
            let words = format!("roof {} ({})", rate_words(h.roof), h.device);
            let words = text::ellipsis(&words, FONT, w - 8.0);
            let y = self.plot.y.px(h.roof);
            // At the right end, where the marks of a history crowd last.
            self.placer.label(scene, (&words, theme.roof), On::Lines, |width, line| {
                let sides =
                    move |top| [l + w - width - 4.0, l + 4.0].map(|x| [x, top, width, line]);
                [y - line - 1.0, y + 2.0].into_iter().flat_map(sides)
            });
        }
        // References are named in the legend: names beside their lines would cover the variants.
        for (i, v) in h.references.iter().take(REFERENCES.len()).enumerate() {
            self.level(scene, v.rate, reference_color(i, &theme), &[3.0, 3.0]);
        }
        if h.roof.is_finite() && !roof_shown {
            let words = format!("roof above the picture: {} ({})", rate_words(h.roof), h.device);
            legend::note(scene, (l + 6.0, t + 10.0), w - 12.0, &words);
            let width = text::width(&words, FONT, false).min(w - 12.0);
            self.placer.block([l + 6.0, t + 3.0, width, FONT * text::LINE]);
        }
    }

    /// Draws a line across the plot at a rate; false if it lies outside.
    fn level(&self, scene: &mut Scene, value: f64, color: Color, dash: &[f64]) -> bool {
        let ([l, t, w, height], y) = (self.plot.rect, self.plot.y.px(value));
        let inside = (t..=t + height).contains(&y);
        if inside {
            scene.dashed(vec![(l, y), (l + w, y)], color, 1.5, dash);
        }
        inside
    }

    /// The best rate so far, as a step line.
    fn best_so_far(&self, scene: &mut Scene) {
        let mut stairs: Vec<Point> = Vec::new();
        for g in &self.h.generations {
            let Some(v) = g.running.and_then(|i| self.h.variants.get(i)) else {
                continue;
            };
            let (x, y) = (self.plot.x.px(g.order), self.plot.y.px(v.rate));
            stairs.extend(stairs.last().map(|&(_, before)| (x, before)));
            stairs.push((x, y));
        }
        stairs.extend(stairs.last().map(|&(_, y)| (self.plot.rect[0] + self.plot.rect[2], y)));
        scene.line(stairs, alpha(scene.theme.accent, 0.9), 2.0);
    }

    /// Hit areas of the references.
    fn references(&self, scene: &mut Scene) {
        let [l, t, _, height] = self.plot.rect;
        for (i, v) in self.h.references.iter().enumerate() {
            let y = self.plot.y.px(v.rate);
            if (t..=t + height).contains(&y) {
                let mark = Tooltip::of(self.h.variants.len() + i);
                scene.hit(vec![v.row], [l, y - 3.0, 12.0, 6.0], mark);
            }
        }
    }

    fn variants(&mut self, scene: &mut Scene) {
        let (h, theme, plot, placer) = (self.h, scene.theme, &self.plot, &mut self.placer);
        let lane_y = (plot.rect[1] + plot.rect[3] + self.lane) / 2.0;
        let step_px = plot.rect[2] / h.generations.len().max(1) as f64;
        let crowd = h.variants.len() > 400;
        let mut tags = Vec::new();
        for g in &h.generations {
            let n = g.variants.len();
            let spread = (step_px * 0.5).min(14.0 * (n.saturating_sub(1)) as f64);
            for (k, &i) in g.variants.iter().enumerate() {
                let v = &h.variants[i];
                let shift = if n > 1 { (k as f64 / (n - 1) as f64 - 0.5) * spread } else { 0.0 };
                let x = plot.x.px(g.order) + shift;
                let y = if v.outcome == Outcome::Failed { lane_y } else { plot.y.px(v.rate) };
                let best = g.best == Some(i);
                let radius = match (crowd, best) {
                    (true, false) => 2.0,
                    (true, true) => 3.0,
                    (false, false) => 4.0,
                    (false, true) => 5.5,
                };
                let (symbol, color) = mark(v.outcome, &theme);
                let stands_out = best || v.outcome != Outcome::Ok;
                let color = if stands_out { color } else { alpha(color, 0.55) };
                scene.mark((x, y), radius, symbol, color);
                placer.block(about((x, y), radius));
                if best {
                    tags.push(((x, y), v.rate, radius));
                }
                scene.hit(vec![v.row], about((x, y), radius.max(5.0)), Tooltip::of(i));
            }
        }
        if tags.len() > 40 {
            return;
        }
        for (at, value, radius) in tags {
            let words = gemmscope_model::units::format_short(value / 1e12, 4);
            placer.label(scene, (&words, theme.text), On::Lines, |w, h| {
                [at.1 - radius - h - 2.0, at.1 + radius + 2.0]
                    .map(|top| [at.0 - w / 2.0, top, w, h])
            });
        }
    }
}

impl Tuning {
    /// Card of the chosen point (the selected one, else the best variant), and below it the best reference.
    pub(super) fn card(&self, scene: &mut Scene, options: &RenderOptions<'_>, rect: Rect) {
        let (h, theme) = (&self.history, options.theme);
        let all = || h.variants.iter().chain(&h.references);
        let selected = all().find(|v| options.selected.contains(&v.row));
        let chosen = selected.or_else(|| h.best.and_then(|i| h.variants.get(i)));
        let mut y = 18.0;
        let (x, w) = (rect[0] + 6.0, rect[2] - 18.0);
        let reference = h.references.first().filter(|r| chosen.is_none_or(|c| c.row != r.row));
        let kinds = [
            (chosen, if selected.is_some() { "Selected" } else { "Best variant" }),
            (reference, "Best reference"),
        ];
        for (variant, heading) in kinds {
            let Some(v) = variant else {
                continue;
            };
            legend::heading(scene, (x, y), w, heading);
            y += 20.0;
            let mut line = |scene: &mut Scene, words: &str, strong: bool| {
                if y > rect[3] - 12.0 {
                    return;
                }
                scene.text(
                    (x, y),
                    text::ellipsis_middle(words, FONT, w),
                    if strong { theme.text } else { theme.muted },
                    START,
                );
                y += 18.0;
            };
            line(scene, &v.name, true);
            if v.rate.is_finite() {
                line(scene, &rate_words(v.rate), true);
                if h.roof.is_finite() {
                    let share = short_percent(v.rate / h.roof);
                    line(scene, &format!("{share} of the roof"), false);
                }
            } else {
                line(scene, &v.status, true);
            }
            let settings = tuning::parameters(&self.frame, v.row as usize);
            if settings.is_empty() {
                line(scene, "Settings: not stated", false);
            }
            for (k, value) in settings.iter().take(MOST_PARAMETERS) {
                line(scene, &format!("{k} = {value}"), false);
            }
            y += 16.0;
        }
    }
}

fn reference_color(i: usize, theme: &Theme) -> Color {
    theme.category(REFERENCES.get(i).copied().unwrap_or(0)).0
}

fn legend(h: &SearchHistory, theme: &Theme) -> Vec<(Swatch, String)> {
    let mut out = vec![(Swatch::Solid(theme.accent), "best so far".to_owned())];
    for (outcome, words) in
        [(Outcome::Ok, "variants"), (Outcome::Slow, "slow"), (Outcome::Failed, "failed")]
    {
        let ((symbol, color), n) = (mark(outcome, theme), h.count(outcome));
        if n > 0 || outcome == Outcome::Ok {
            out.push((Swatch::Mark(symbol, color), format!("{words}: {n}")));
        }
    }
    for (i, v) in h.references.iter().take(REFERENCES.len()).enumerate() {
        out.push((
            Swatch::Dashed(reference_color(i, theme)),
            format!("{}: {}", v.name, rate_words(v.rate)),
        ));
    }
    out
}
