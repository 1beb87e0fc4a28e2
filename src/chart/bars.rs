//! Two bars a GEMM, side by side: arithmetic intensity, and the attained rate with its roof.

use super::coloring::Coloring;
use super::combine::{Combine, Groups};
use super::labels::Rect;
use super::layout::{self, FONT, NARROW};
use super::palette::{Theme, alpha, mix};
use super::scale::{Kind, Scale, extent};
use super::scene::{Anchor, Baseline, Color, Mark, Scene, Table};
use super::slots::{Order, Slots, natural};
use super::text;
use super::ticks::{self, Format};
use crate::field::{Field, FieldInfo, Frame};

/// What the bars are sorted by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SortBy {
    /// As in the file.
    File,
    /// By name.
    Name,
    /// Arithmetic intensity.
    Ai,
    /// Attained rate.
    #[default]
    Rate,
    /// Share of the roof.
    Efficiency,
}

/// Everything the bars are drawn from.
#[derive(Clone, Copy)]
pub struct Input<'a> {
    /// Data, figures, passing rows.
    pub frame: &'a Frame,
    /// One bar per value of this field; `None` is one per GEMM.
    pub group: Option<&'a FieldInfo>,
    /// How several GEMMs become one bar.
    pub combine: Combine,
    /// Order.
    pub sort: SortBy,
    /// Highest first (or last name first).
    pub descending: bool,
    /// Colours of rows.
    pub coloring: &'a Coloring,
    /// Name of a row where bars are single GEMMs.
    pub name: &'a dyn Fn(usize) -> String,
    /// First bar that shows.
    pub first: usize,
    /// Logarithmic intensity and rate; `None` takes what suits the values.
    pub log: (Option<bool>, Option<bool>),
    /// Width in CSS pixels.
    pub width: f64,
    /// Height in CSS pixels.
    pub height: f64,
    /// Colours of the page.
    pub theme: &'a Theme,
}

/// Drawn bars.
#[derive(Clone, Debug, PartialEq)]
pub struct Chart {
    /// The picture; its marks are the bars that show.
    pub scene: Scene,
    /// All bars.
    pub total: usize,
    /// First bar that shows, after clamping.
    pub first: usize,
    /// Bars that show.
    pub visible: usize,
    /// All bars as a table, in order.
    pub table: Table,
}

struct Bar {
    name: String,
    rows: Vec<u32>,
    color: Color,
    ai: f64,
    rate: f64,
    efficiency: f64,
    roof: f64,
}

const ROW: f64 = 18.0;

/// Draws the bars.
pub fn bars(input: &Input<'_>) -> Chart {
    let theme = input.theme;
    let mut scene = Scene::new(input.width, input.height, "");
    scene.fill([0.0, 0.0, scene.width, scene.height], theme.background);
    let mut all = collect(input);
    sort(&mut all, input.sort, input.descending);
    let what = input.group.map_or("GEMM".to_owned(), |g| g.label.clone());
    scene.title = format!(
        "Arithmetic intensity and attained rate by {what}, {} bars",
        all.len()
    );
    let (top, foot) = (26.0, 34.0);
    let room = (scene.height - top - foot).max(ROW);
    let visible = ((room / ROW) as usize)
        .clamp(1, all.len().max(1))
        .min(all.len());
    let first = input.first.min(all.len() - visible);
    let shown = &all[first..first + visible];
    if all.is_empty() {
        let why = if input.frame.data.is_empty() {
            "No GEMMs yet: open a file."
        } else {
            "No GEMM passes the filters."
        };
        let rect = [0.0, 0.0, scene.width, scene.height];
        layout::message(&mut scene, rect, theme, why);
    }

    // Scales hold all bars, so that scrolling moves bars and nothing else.
    let narrow = scene.width < NARROW;
    let names = all.iter().map(|b| text::width(&b.name, FONT, false));
    let name_width = names
        .fold(0.0, f64::max)
        .min(scene.width * if narrow { 0.28 } else { 0.34 });
    let left = name_width + 14.0;
    let gap = if narrow { 14.0 } else { 28.0 };
    let each = ((scene.width - left - gap - 12.0) / 2.0).max(10.0);
    let height = ROW * visible as f64;
    let panels: [(Rect, &str, Format<'_>, Option<bool>); 2] = [
        (
            [left, top, each, height],
            "AI, FLOP/B",
            Format::plain(""),
            input.log.0,
        ),
        (
            [left + each + gap, top, each, height],
            "Attained, FLOP/s",
            Format::rate().bare(),
            input.log.1,
        ),
    ];
    for (i, (rect, title, format, log)) in panels.into_iter().enumerate() {
        let value = |b: &Bar| if i == 0 { b.ai } else { b.rate };
        let values = all.iter().flat_map(|b| {
            let roof = if i == 0 { f64::NAN } else { b.roof };
            [value(b), roof]
        });
        let scale = scale_of(values, log, rect);
        let log = scale.kind == Kind::Log;
        let title = format!("{title}{}", if log { " (log)" } else { "" });
        panel(&mut scene, theme, rect, &scale, &title, &format);
        for (j, bar) in shown.iter().enumerate() {
            let y = rect[1] + ROW * j as f64;
            {
                let tick = if i == 1 { scale.px(bar.roof) } else { f64::NAN };
                let what = (y, value(bar), bar.color);
                draw_bar(&mut scene, theme, rect, &scale, &format, what, tick);
            }
            if i == 1 {
                roof_tick(&mut scene, theme, &scale, y, bar);
            }
        }
    }
    for (j, bar) in shown.iter().enumerate() {
        let y = top + ROW * (j as f64 + 0.5);
        let name = text::ellipsis_middle(&bar.name, FONT, name_width);
        let hang = (Anchor::End, Baseline::Middle);
        scene.text((left - 7.0, y), name, FONT, theme.text, hang);
        scene.marks.push(Mark {
            rows: bar.rows.clone(),
            rect: [0.0, y - ROW / 2.0, scene.width, ROW],
            label: sentence(bar),
        });
    }
    if visible < all.len() {
        scene.description = format!(
            "Bars {} to {} of {} show.",
            first + 1,
            first + visible,
            all.len()
        );
    }
    Chart {
        total: all.len(),
        first,
        visible,
        table: table(&what, &all),
        scene,
    }
}

fn collect(input: &Input<'_>) -> Vec<Bar> {
    let frame = input.frame;
    let infos = [Field::Ai, Field::Attained, Field::Efficiency].map(|f| frame.info(&f));
    let slots = match input.group {
        Some(info) => Slots::of(frame, info, Order::File),
        None => Slots {
            names: frame
                .rows
                .iter()
                .map(|r| (input.name)(*r as usize))
                .collect(),
            of: (0..frame.rows.len() as u32).collect(),
            ..Slots::default()
        },
    };
    let groups = Groups::of(frame, slots.len(), |i| slots.of[i]);
    let figures = infos.map(|info| match info {
        Some(info) => groups.figures(frame, &info, input.combine),
        None => Vec::new(),
    });
    let at = |k: usize, i: usize| figures[k].get(i).copied().unwrap_or(f64::NAN);
    slots
        .names
        .into_iter()
        .enumerate()
        .map(|(i, name)| {
            let rows = groups.get(i).to_vec();
            let first = rows.first().map_or(0, |r| *r as usize);
            // A bar of one colour only where its GEMMs agree on it.
            let code = input.coloring.code(first);
            let same = rows
                .iter()
                .all(|r| input.coloring.code(*r as usize) == code);
            let color = if same {
                input.coloring.color(first)
            } else {
                input.theme.other
            };
            let roof = match rows.as_slice() {
                [one] if (*one as usize) < frame.data.len() => frame
                    .metrics
                    .roof(&frame.data, *one as usize)
                    .map_or(f64::NAN, |r| r.at(frame.metrics.ai[*one as usize])),
                // Of several GEMMs: the roof that goes with the figures shown.
                _ => at(1, i) / at(2, i),
            };
            Bar {
                name,
                color,
                ai: at(0, i),
                rate: at(1, i),
                efficiency: at(2, i),
                roof,
                rows,
            }
        })
        .collect()
}

fn sort(all: &mut [Bar], by: SortBy, descending: bool) {
    let key = |b: &Bar| match by {
        SortBy::Ai => b.ai,
        SortBy::Rate => b.rate,
        _ => b.efficiency,
    };
    match by {
        SortBy::File if descending => all.reverse(),
        SortBy::File => {}
        SortBy::Name if descending => all.sort_by(|a, b| natural(&b.name, &a.name)),
        SortBy::Name => all.sort_by(|a, b| natural(&a.name, &b.name)),
        _ => all.sort_by(|a, b| {
            let (x, y) = (key(a), key(b));
            // Bars without a value come last either way.
            x.is_nan().cmp(&y.is_nan()).then(if descending {
                y.total_cmp(&x)
            } else {
                x.total_cmp(&y)
            })
        }),
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
        let ink = super::palette::on(mix(theme.panel, color, 0.85));
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
        let above = bar.rate > bar.roof * (1.0 + 1e-6);
        let color = if above { theme.warn } else { theme.roof };
        scene.line(vec![(x, y + 1.5), (x, y + ROW - 1.5)], color, 2.0);
    }
}

fn sentence(bar: &Bar) -> String {
    let several = match bar.rows.len() {
        1 => String::new(),
        n => format!(" ({n} GEMMs)"),
    };
    format!(
        "{}{several}: AI {}, {}, {} of its roof",
        bar.name,
        Format::plain("FLOP/B").write(bar.ai, 4),
        Format::rate().write(bar.rate, 4),
        Format::percent().write(bar.efficiency, 3)
    )
}

fn table(what: &str, all: &[Bar]) -> Table {
    let number = |v: f64| {
        if v.is_finite() {
            format!("{v}")
        } else {
            String::new()
        }
    };
    Table {
        header: [
            what,
            "GEMMs",
            "AI (FLOP/B)",
            "Attained (FLOP/s)",
            "Roof (FLOP/s)",
            "Share of roof",
        ]
        .map(str::to_owned)
        .to_vec(),
        rows: all
            .iter()
            .map(|b| {
                vec![
                    b.name.clone(),
                    b.rows.len().to_string(),
                    number(b.ai),
                    number(b.rate),
                    number(b.roof),
                    number(b.efficiency),
                ]
            })
            .collect(),
    }
}
