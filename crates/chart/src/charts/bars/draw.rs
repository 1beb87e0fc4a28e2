//! How bars are drawn.

use super::{Bar, Bars, FOOT, HEAD, ROW, above_roof};
use crate::charts::RenderOptions;
use crate::labels::Rect;
use crate::layout::{FONT, NARROW};
use crate::palette::{Theme, alpha, mix};
use crate::plot::{Bands, value_panel};
use crate::scale::{Kind, Scale, extent};
use crate::scene::{Color, END, START, Scene, Symbol};
use crate::text;
use crate::ticks::Format;
use gemmscope_model::units::capitalized;
use gemmscope_table::field::Field;

impl Bars {
    pub(super) fn picture(
        &self,
        scene: &mut Scene,
        [left, top, width, height]: Rect,
        options: &RenderOptions<'_>,
    ) {
        let (theme, all, columns) = (options.theme, &self.bars, self.columns());
        let bands = Bands {
            n: all.len(),
            what: &format!("{}s", capitalized(self.mark())),
            row: ROW,
            most: None,
            name: &|i| self.name(all[i].band),
            mark: &|i, name| {
                let rows = self.rows(&all[i]);
                let several = match rows.len() {
                    1 => String::new(),
                    n => format!(" ({n} GEMMs)"),
                };
                Some((rows.to_vec(), columns.tooltip(format!("{name}{several}"), &all[i])))
            },
        };
        let room = [left, top + HEAD, width, height - HEAD - FOOT];
        let placed = bands.place(scene, room, options);
        // Scales hold all bars, so that scrolling moves bars and nothing else.
        let narrow = width < NARROW;
        let gap = if narrow { 14.0 } else { 28.0 };
        let panels = self.panels(narrow);
        let n = panels.len() as f64;
        let each = ((width - placed.left - gap * (n - 1.0) - 12.0) / n).max(10.0);
        for (i, (of, axis)) in panels.iter().zip(&self.axes).enumerate() {
            let x = placed.left + (each + gap) * i as f64;
            let rect = [x, placed.top, each, placed.bottom() - placed.top];
            let scale = scale_of(*axis, rect);
            let log = scale.kind == Kind::Log;
            let title = format!("{}{}", of.title, if log { " (log)" } else { "" });
            value_panel(scene, theme, rect, &scale, &title, &of.format);
            for (at, y) in placed.each() {
                let bar = &all[at];
                let roof = scale.px((of.roof)(bar));
                let what = (y, (of.value)(bar), self.color(bar, theme));
                draw_bar(scene, theme, rect, &scale, &of.format, what, roof);
                roof_tick(scene, theme, roof, y, above_roof(bar));
            }
        }
    }
}

/// One column of bars: a figure, and where its roof is.
pub(super) struct Panel<'a> {
    title: String,
    format: Format<'a>,
    value: fn(&Bar) -> f64,
    roof: fn(&Bar) -> f64,
}

impl Bars {
    /// The ends of the positive values of a panel, and whether its axis is logarithmic: bars start at zero
    /// unless the small ones would vanish.
    pub(super) fn axis(&self, of: &Panel<'_>, log: Option<bool>) -> ((f64, f64), bool) {
        let values = self.bars.iter().flat_map(|b| [(of.value)(b), (of.roof)(b)]);
        let (lo, hi) = extent(Kind::Log, values).unwrap_or((1.0, 10.0));
        ((lo, hi), log.unwrap_or(hi / lo > 60.0))
    }

    /// True where some panel has a logarithmic axis, and dots.
    pub(super) fn has_dots(&self) -> bool {
        self.axes.iter().any(|(_, log)| *log)
    }

    /// What a mark of the last panel is, which is the one with the roof: `bar`, or `dot` on a logarithmic
    /// axis.
    pub(super) fn mark(&self) -> &'static str {
        if self.axes.last().is_some_and(|(_, log)| *log) { "dot" } else { "bar" }
    }

    pub(super) fn panels(&self, narrow: bool) -> Vec<Panel<'_>> {
        let none: fn(&Bar) -> f64 = |_| f64::NAN;
        let Some(info) = &self.figure else {
            return vec![
                Panel {
                    title: "AI, FLOP/B".to_owned(),
                    format: Format::plain(""),
                    value: |b| b.ai,
                    roof: none,
                },
                Panel {
                    title: if narrow { "FLOP/s" } else { "Attained, FLOP/s" }.to_owned(),
                    format: Format::rate().bare(),
                    value: |b| b.rate,
                    roof: |b| b.roof,
                },
            ];
        };
        let title = match info.unit.as_str() {
            "" | "%" => info.label.clone(),
            unit => format!("{}, {unit}", info.label),
        };
        vec![Panel {
            title,
            format: Format::of(&info.unit).bare(),
            value: |b| b.figure,
            roof: match info.field {
                Field::Attained => |b| b.roof,
                Field::Efficiency => |b| if b.roof.is_nan() { f64::NAN } else { 1.0 },
                _ => none,
            },
        }]
    }
}

fn scale_of(((lo, hi), log): ((f64, f64), bool), rect: Rect) -> Scale {
    let range = (rect[0], rect[0] + rect[2]);
    if log {
        Scale::new(Kind::Log, (lo / 1.6, hi * 1.15), range)
    } else {
        Scale::new(Kind::Linear, (0.0, hi * 1.08), range)
    }
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
        scene.text((rect[0] + 5.0, y + ROW / 2.0), "–", theme.muted, START);
        return;
    }
    let end = end.clamp(rect[0] + 1.0, rect[0] + rect[2]);
    let label = format.write(v, 4);
    let w = text::width(&label, FONT, false);
    let middle = y + ROW / 2.0;
    if scale.kind == Kind::Log {
        // A length from a logarithmic axis' end would mean nothing: a dot on a line.
        let guide = vec![(rect[0], middle), (rect[0] + rect[2], middle)];
        scene.line(guide, theme.grid, 1.0);
        scene.mark((end, middle), 4.5, Symbol::Dot, color);
        let taken = |x: f64| keep_off > x - 4.0 && keep_off < x + w + 4.0;
        let beside = [end + 8.0, end - 8.0 - w, keep_off + 5.0];
        let fits = |x: &f64| *x > rect[0] && x + w <= rect[0] + rect[2] && !taken(*x);
        if let Some(x) = beside.into_iter().find(fits) {
            scene.fill([x - 2.0, y + 2.0, w + 4.0, ROW - 4.0], alpha(theme.panel, 0.86));
            scene.text((x, middle), label, theme.muted, START);
        }
        return;
    }
    let body = [rect[0], y + 3.0, end - rect[0], ROW - 6.0];
    scene.fill(body, alpha(color, 0.85));
    if end - rect[0] > w + 12.0 {
        let ink = crate::palette::on(mix(theme.panel, color, 0.85));
        scene.text((end - 5.0, middle), label, ink, END);
        return;
    }
    // Beside a short bar; past its roof's tick where that is in the way.
    let x = match keep_off {
        k if k > end - 2.0 && k < end + w + 10.0 => k + 5.0,
        _ => end + 6.0,
    };
    if x + w <= rect[0] + rect[2] {
        scene.text((x, middle), label, theme.muted, START);
    }
}

/// The roof of a bar as an upright tick; in the colour of warnings where the bar passes it.
fn roof_tick(scene: &mut Scene, theme: &Theme, x: f64, y: f64, above: bool) {
    if x.is_finite() {
        let color = if above { theme.warn } else { theme.roof };
        scene.line(vec![(x, y + 1.5), (x, y + ROW - 1.5)], color, 2.0);
    }
}
