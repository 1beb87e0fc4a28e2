//! How bars are drawn.

use super::{Bars, Panel};
use crate::charts::explore;
use crate::charts::grouped::Rows;
use crate::charts::{Heights, Picture, RenderOptions, nothing};
use crate::color_scale::ColorScale;
use crate::labels::Rect;
use crate::layout::{FONT, NARROW};
use crate::legend::Swatch;
use crate::palette::{Theme, alpha, mix};
use crate::plot::value_panel;
use crate::scale::{Kind, Scale};
use crate::scene::{Color, END, START, Scene, Symbol};
use crate::text;
use crate::ticks::Format;
use crate::tooltip::Tooltip;
use gemmscope_model::units::{capitalized, plural};
use gemmscope_table::control::Keyed;
use gemmscope_table::result_table::Table;

const ROW: f64 = 18.0;
/// Room above the bars for titles, and below them for ticks.
const AROUND: (f64, f64) = (26.0, 34.0);

impl Picture for Bars {
    fn title(&self) -> String {
        let n = plural(self.bars.order.len() as u64, self.mark());
        format!("{} by {}, {n}", self.what, self.bars.what)
    }

    fn obstacle(&self) -> Option<String> {
        let none = || nothing(&self.frame).unwrap_or(explore::NO_NAME).to_owned();
        self.bars.order.is_empty().then(none)
    }

    fn notes(&self) -> Vec<String> {
        let (mark, order) = (self.mark(), &self.bars.order);
        let total = self.bars.groups.len();
        let has_roof = order.iter().any(|g| self.rate_and_roof(*g)[1].is_finite());
        let mut out = Vec::new();
        if order.len() < total {
            let all = plural(total as u64, mark);
            out.push(format!("{} of {all} match {:?}.", order.len(), self.find));
        }
        out.push(if has_roof { "Tick: roof." } else { "No roof: choose a device." }.to_owned());
        let above = order.iter().filter(|g| self.above(**g)).count();
        if above > 0 {
            out.push(format!("{} above the roof: tick in orange.", plural(above as u64, mark)));
        }
        out.extend(self.statistic.map(|of| {
            format!("{}s of several GEMMs show the {}.", capitalized(mark), of.caption())
        }));
        if self.panels.iter().any(|p| p.log) {
            let why = "Dots: on a logarithmic axis the length of a bar would mean nothing.";
            out.push(why.to_owned());
        }
        out.extend(explore::left_out(&self.frame, &self.bars.groups, None, ""));
        out
    }

    fn legend(&self, theme: &Theme) -> Vec<(Swatch, String)> {
        let color_scale = self.colors.of(theme);
        let codes = || self.bars.order.iter().map(|group| self.code(*group, color_scale));
        let mut out = color_scale.swatches(&self.frame, codes().flatten());
        if !out.is_empty() && codes().any(|c| c.is_none()) {
            out.push((Swatch::Box(theme.other), "several".to_owned()));
        }
        out
    }

    fn draw(&self, scene: &mut Scene, room: Rect, options: &RenderOptions<'_>) {
        let (theme, colors) = (options.theme, self.colors.of(options.theme));
        let what = &format!("{}s", capitalized(self.mark()));
        let rows = Rows { what, row: ROW, around: AROUND };
        let placed = self.bars.place(scene, room, options, rows);
        // Scales hold all bars, so that scrolling moves bars and nothing else.
        let narrow = room[2] < NARROW;
        let gap = if narrow { 14.0 } else { 28.0 };
        let n = self.panels.len() as f64;
        let each = ((room[2] - placed.left - gap * (n - 1.0) - 12.0) / n).max(10.0);
        for (i, panel) in self.panels.iter().enumerate() {
            let x = placed.left + (each + gap) * i as f64;
            let rect = [x, placed.top, each, placed.bottom() - placed.top];
            let (scale, format) = (panel.scale(rect), &panel.format);
            let title = &panel.titles[usize::from(narrow)];
            let title = format!("{title}{}", if panel.log { " (log)" } else { "" });
            value_panel(scene, theme, rect, &scale, &title, format);
            for (at, y) in placed.each() {
                let group = self.bars.order[at];
                let roof = scale.px(panel.roof(group));
                let code = self.code(group, colors);
                let color = code.map_or(theme.other, |c| colors.palette[usize::from(c)]);
                let what = (y, panel.figure[group], color);
                draw_bar(scene, theme, rect, &scale, format, what, roof);
                // An upright tick; in the colour of warnings where the bar passes it.
                if roof.is_finite() {
                    let color = if self.above(group) { theme.warn } else { theme.roof };
                    scene.line(vec![(roof, y + 1.5), (roof, y + ROW - 1.5)], color, 2.0);
                }
            }
        }
    }

    fn tooltip(&self, mark: usize) -> Tooltip {
        self.bars.tooltip(mark, true)
    }

    fn table(&self) -> Table {
        self.bars.table()
    }

    fn heights(&self, width: f64) -> Heights {
        let full = 104.0 + ROW * self.bars.order.len() as f64;
        Heights::scrolling(width, full.max(160.0))
    }
}

impl Bars {
    /// The colour of a bar: that of all its GEMMs; `None` where they have several.
    fn code(&self, group: usize, colors: &ColorScale) -> Option<u16> {
        let mut codes = self.bars.groups.get(group).iter().map(|r| colors.code(*r as usize));
        let first = codes.next()?;
        let known = usize::from(first) < colors.names.len();
        (known && codes.all(|c| c == first)).then_some(first)
    }
}

impl Panel {
    fn scale(&self, rect: Rect) -> Scale {
        let ((lo, hi), range) = (self.ends, (rect[0], rect[0] + rect[2]));
        match self.log {
            true => Scale::new(Kind::Log, (lo / 1.6, hi * 1.15), range),
            false => Scale::new(Kind::Linear, (0.0, hi * 1.08), range),
        }
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
