//! How bars are drawn.

use super::{Bar, Bars, MEASURED, ROW, above_roof, tooltip};
use crate::charts::{RenderOptions, nothing};
use crate::labels::Rect;
use crate::layout;
use crate::layout::{FONT, NARROW};
use crate::legend;
use crate::palette::{Theme, alpha, mix};
use crate::scale::{Kind, Scale, extent};
use crate::scene::{Anchor, Baseline, Color, DragArea, HitArea, Scene, Window};
use crate::text;
use crate::ticks;
use crate::ticks::Format;

impl Bars {
    pub(super) fn picture(&self, options: &RenderOptions<'_>) -> Scene {
        let theme = options.theme;
        let all = &self.bars;
        let mut scene = Scene::new(options.width, options.height, "");
        scene.fill([0.0, 0.0, scene.width, scene.height], theme.background);
        scene.title = format!(
            "Arithmetic intensity and attained rate by {}, {}",
            self.what(),
            gemmscope_model::units::plural(all.len() as u64, "bar")
        );
        if all.is_empty() {
            let why = nothing(&self.frame).unwrap_or("No bar has a name like that.");
            let rect = [0.0, 0.0, scene.width, scene.height];
            layout::message(&mut scene, rect, theme, why);
            return scene;
        }
        let (mut top, foot) = (26.0, 34.0);
        let entries = self.legend(theme);
        let legend = legend::legend(None, (0.0, 0.0), scene.width - 20.0, theme, &entries);
        legend::legend(
            Some(&mut scene),
            (10.0, 4.0),
            options.width - 20.0,
            theme,
            &entries,
        );
        top += legend + if legend > 0.0 { 4.0 } else { 0.0 };
        let room = (scene.height - top - foot).max(ROW);
        let visible = ((room / ROW) as usize).clamp(1, all.len());
        let first = options.first.1.min(all.len() - visible);
        let shown = &all[first..first + visible];

        // Scales hold all bars, so that scrolling moves bars and nothing else.
        let narrow = scene.width < NARROW;
        let names = all
            .iter()
            .step_by(all.len().div_ceil(MEASURED))
            .chain(shown)
            .map(|b| text::width(&self.name(b.band), FONT, false));
        let name_width = names
            .fold(0.0, f64::max)
            .min(scene.width * if narrow { 0.36 } else { 0.34 });
        let left = name_width + 14.0;
        let gap = if narrow { 14.0 } else { 28.0 };
        let each = ((scene.width - left - gap - 12.0) / 2.0).max(10.0);
        let height = ROW * visible as f64;
        let panels: [(Rect, &str, Format<'_>); 2] = [
            ([left, top, each, height], "AI, FLOP/B", Format::plain("")),
            (
                [left + each + gap, top, each, height],
                if narrow { "FLOP/s" } else { "Attained, FLOP/s" },
                Format::rate().bare(),
            ),
        ];
        let colors: Vec<Color> = shown.iter().map(|b| self.color(b, theme)).collect();
        for (i, (rect, title, format)) in panels.into_iter().enumerate() {
            let value = |b: &Bar| if i == 0 { b.ai } else { b.rate };
            let values = all.iter().flat_map(|b| {
                let roof = if i == 0 { f64::NAN } else { b.roof };
                [value(b), roof]
            });
            let scale = scale_of(values, self.settings.log, rect);
            let log = scale.kind == Kind::Log;
            let title = format!("{title}{}", if log { " (log)" } else { "" });
            panel(&mut scene, theme, rect, &scale, &title, &format);
            for (j, bar) in shown.iter().enumerate() {
                let y = rect[1] + ROW * j as f64;
                let tick = if i == 1 { scale.px(bar.roof) } else { f64::NAN };
                let what = (y, value(bar), colors[j]);
                draw_bar(&mut scene, theme, rect, &scale, &format, what, tick);
                if i == 1 {
                    roof_tick(&mut scene, theme, &scale, y, bar);
                }
            }
        }
        for (j, bar) in shown.iter().enumerate() {
            let y = top + ROW * (j as f64 + 0.5);
            let full = self.name(bar.band);
            let name = text::ellipsis_middle(&full, FONT, name_width);
            let hang = (Anchor::End, Baseline::Middle);
            scene.text((left - 7.0, y), name, FONT, theme.text, hang);
            let rows = self.rows(bar);
            scene.hit_areas.push(HitArea {
                rows: rows.to_vec(),
                rect: [0.0, y - ROW / 2.0, scene.width, ROW],
                tooltip: tooltip(&full, rows.len(), bar),
            });
        }
        if visible < all.len() {
            scene.description = format!(
                "Bars {} to {} of {} show.",
                first + 1,
                first + visible,
                all.len()
            );
            scene.drag_areas.push(DragArea::Scroll {
                rect: [0.0, top, scene.width, height],
                columns: Window::default(),
                rows: Window {
                    first,
                    shown: visible,
                    total: all.len(),
                    step: ROW,
                },
            });
        }
        legend::outline_selected(&mut scene, theme, options.selected);
        scene
    }
}

fn scale_of(values: impl Iterator<Item = f64> + Clone, log: Option<bool>, rect: Rect) -> Scale {
    let positive = extent(Kind::Log, values);
    let (lo, hi) = positive.unwrap_or((1.0, 10.0));
    // Bars start at zero unless the small ones would vanish.
    let log = log.unwrap_or(hi / lo > 60.0);
    let range = (rect[0], rect[0] + rect[2]);
    if log {
        Scale::new(Kind::Log, (lo / 1.6, hi * 1.15), range)
    } else {
        Scale::new(Kind::Linear, (0.0, hi * 1.08), range)
    }
}

fn panel(
    scene: &mut Scene,
    theme: &Theme,
    rect: Rect,
    scale: &Scale,
    title: &str,
    format: &Format<'_>,
) {
    scene.fill(rect, theme.panel);
    let bottom = rect[1] + rect[3];
    let mut last = f64::NEG_INFINITY;
    for tick in ticks::ticks(scale, ((rect[2] / 52.0) as usize).clamp(2, 8), format) {
        let Some(label) = tick.label else { continue };
        let x = scale.px(tick.value);
        scene.line(vec![(x, rect[1]), (x, bottom)], theme.grid, 1.0);
        let w = text::width(&label, FONT, false);
        if x - w / 2.0 < last + 6.0 || x + w / 2.0 > scene.width {
            continue;
        }
        last = x + w / 2.0;
        let hang = (Anchor::Middle, Baseline::Top);
        scene.text((x, bottom + 5.0), label, FONT, theme.muted, hang);
    }
    scene.line(vec![(rect[0], rect[1]), (rect[0], bottom)], theme.axis, 1.0);
    let title = text::ellipsis(title, FONT, rect[2]);
    let hang = (Anchor::Start, Baseline::Bottom);
    scene.text((rect[0], rect[1] - 6.0), title, FONT, theme.muted, hang);
}

fn draw_bar(
    scene: &mut Scene,
    theme: &Theme,
    rect: Rect,
    scale: &Scale,
    format: &Format<'_>,
    (y, v, color): (f64, f64, Color),
    keep_off: f64,
) {
    let end = scale.px(v);
    if !end.is_finite() {
        let hang = (Anchor::Start, Baseline::Middle);
        scene.text((rect[0] + 5.0, y + ROW / 2.0), "–", FONT, theme.muted, hang);
        return;
    }
    let end = end.clamp(rect[0] + 1.0, rect[0] + rect[2]);
    scene.fill(
        [rect[0], y + 3.0, end - rect[0], ROW - 6.0],
        alpha(color, 0.85),
    );
    let label = format.write(v, 4);
    let w = text::width(&label, FONT, false);
    let middle = y + ROW / 2.0;
    if end - rect[0] > w + 12.0 {
        let hang = (Anchor::End, Baseline::Middle);
        let ink = crate::palette::on(mix(theme.panel, color, 0.85));
        scene.text((end - 5.0, middle), label, FONT, ink, hang);
        return;
    }
    // Beside a short bar; past its roof's tick where that is in the way.
    let x = match keep_off {
        k if k > end - 2.0 && k < end + w + 10.0 => k + 5.0,
        _ => end + 6.0,
    };
    if x + w <= rect[0] + rect[2] {
        let hang = (Anchor::Start, Baseline::Middle);
        scene.text((x, middle), label, FONT, theme.muted, hang);
    }
}

/// The roof of a bar as an upright tick; in the colour of warnings where the bar passes it.
fn roof_tick(scene: &mut Scene, theme: &Theme, scale: &Scale, y: f64, bar: &Bar) {
    let x = scale.px(bar.roof);
    if x.is_finite() {
        let color = if above_roof(bar) {
            theme.warn
        } else {
            theme.roof
        };
        scene.line(vec![(x, y + 1.5), (x, y + ROW - 1.5)], color, 2.0);
    }
}
