//! Legends, and other small parts that several charts share: panel titles, check marks.

use crate::layout::{EDGE, FONT};
use crate::palette::alpha;
use crate::scene::{Color, Point, START, Scene, Symbol};
use crate::text;
use gemmscope_model::units::{and_more, grouped};
use gemmscope_table::view_state::ViewState;

/// Height of a legend line.
pub(crate) const LEGEND_LINE: f64 = 18.0;

/// Sample beside a legend's text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Swatch {
    /// A mark.
    Mark(Symbol, Color),
    /// A filled box.
    Box(Color),
    /// A filled, hatched box.
    Hatched(Color, Color),
    /// A dashed line.
    Dashed(Color),
    /// A solid line.
    Solid(Color),
    /// A check mark.
    Check(Color),
    /// A small hollow triangle: the model's check mark.
    Hollow(Color),
}

/// The legend of a chart as data: a page draws it as buttons, a saved picture above the plot.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Legend {
    /// What the colours show; "" if everything has one colour.
    pub title: String,
    /// View state parameter with the names that are switched off, one per line.
    pub key: &'static str,
    /// Names of all categories, including those without an entry.
    pub names: Vec<String>,
    /// The clickable entries: the categories, unless there is a gradient, and other marks.
    pub entries: Vec<LegendEntry>,
    /// For numbers: the colours with their values, lowest first.
    pub gradient: Option<Vec<(Color, String)>>,
}

/// One entry of a legend.
#[derive(Clone, Debug, PartialEq)]
pub struct LegendEntry {
    /// Its text.
    pub name: String,
    /// The mark before it.
    pub symbol: Symbol,
    /// The colour of the mark.
    pub color: Color,
    /// Number of rows it stands for.
    pub count: u64,
    /// Its meaning, and the effect of a click.
    pub hint: String,
    /// Whether its marks are shown; `None` if they cannot be switched off.
    pub shown: Option<bool>,
    /// Effect of a click.
    pub click: Click,
}

/// Effect of a click on a legend entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Click {
    /// Shows only this category, or with Ctrl toggles it: [`Legend::click`].
    Category,
    /// Sets a parameter of the view state.
    Set {
        /// The parameter.
        key: &'static str,
        /// Its value after the click.
        value: &'static str,
    },
    /// Selects the rows of the entry.
    Select(Outside),
}

/// Property of a row of a roofline that is shown besides its category.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outside {
    /// Above its roof.
    Above,
    /// Without a known roof.
    NoRoof,
}

/// Maximum number of entries above a picture; a longer legend would take the room of the plot.
pub(crate) const ENTRIES: usize = 12;

impl Legend {
    /// Handles a click on an entry, a roof or a point that stands for some categories: shows only these, or all again
    /// if they are the only ones shown. With `add` (Ctrl) it toggles them.
    pub fn click(&self, state: &mut ViewState, of: &[String], add: bool) {
        let mut off = switched_off(state, self.key);
        off.retain(|n| self.names.contains(n));
        if add {
            let out = of.iter().all(|n| !off.contains(n));
            off.retain(|n| !of.contains(n));
            if out {
                off.extend_from_slice(of);
            }
        } else {
            let mut others = self.names.clone();
            others.retain(|n| !of.contains(n));
            let alone = off.len() == others.len() && others.iter().all(|n| off.contains(n));
            off = if alone { Vec::new() } else { others };
        }
        if off.len() == self.names.len() {
            off.clear();
        }
        state.set_param(self.key, off.join("\n"));
    }

    /// Number of categories that are switched off.
    pub fn hidden(&self, state: &ViewState) -> usize {
        let off = switched_off(state, self.key);
        self.names.iter().filter(|n| off.contains(n)).count()
    }

    /// The picture with this legend above it.
    pub(crate) fn above(&self, mut scene: Scene) -> Scene {
        let entries = self.swatches();
        let inset = (EDGE, 8.0);
        let width = (scene.width - 2.0 * inset.0).max(1.0);
        let title = !self.title.is_empty() && !entries.is_empty();
        let used = legend(None, inset, width, &entries);
        if used == 0.0 {
            return scene;
        }
        let top = inset.1 + used + if title { LEGEND_LINE } else { 0.0 };
        scene.add_above(top, scene.theme.background);
        let mut at = inset;
        if title {
            let words = text::ellipsis(&self.title, FONT, width);
            scene.bold((at.0, at.1 + LEGEND_LINE / 2.0), words, FONT, scene.theme.text, START);
            at.1 += LEGEND_LINE;
        }
        legend(Some(&mut scene), at, width, &entries);
        scene
    }

    /// What a picture shows of it: ends and middle of a gradient, the most frequent categories, and the other marks
    /// that are switched on.
    fn swatches(&self) -> Vec<(Swatch, String)> {
        let mut out = Vec::new();
        if let Some(steps) = &self.gradient {
            let n = steps.len();
            let ends = [0, n / 2, n.saturating_sub(1)];
            let ends = ends.iter().filter_map(|&i| steps.get(i));
            out.extend(ends.map(|(color, name)| (Swatch::Box(*color), name.clone())));
        }
        let on = |e: &&LegendEntry| e.shown == Some(true);
        let mut categories: Vec<&LegendEntry> = self.entries.iter().filter(on).collect();
        categories.retain(|e| e.click == Click::Category);
        let more = categories.len().saturating_sub(ENTRIES);
        if more > 0 {
            categories.sort_by_key(|e| std::cmp::Reverse(e.count));
            categories.truncate(ENTRIES);
        }
        let entry = |e: &LegendEntry| {
            let name = format!("{} ({})", e.name, grouped(e.count));
            (Swatch::Mark(e.symbol, e.color), name)
        };
        out.extend(categories.iter().map(|e| entry(e)));
        if let (true, Some(last)) = (more > 0, categories.last()) {
            out.push((Swatch::Box(alpha(last.color, 0.0)), and_more(more)));
        }
        let others = self.entries.iter().filter(|e| e.shown != Some(false));
        out.extend(others.filter(|e| e.click != Click::Category).map(entry));
        out
    }
}

/// Names in a view state parameter, one per line.
pub(crate) fn switched_off(state: &ViewState, key: &str) -> Vec<String> {
    state.param(key).map_or_else(Vec::new, |t| t.split('\n').map(str::to_owned).collect())
}

/// Draws entries from left to right, wrapped into lines; returns the height used. With `scene` as `None` it only
/// computes the height.
pub fn legend(
    mut scene: Option<&mut Scene>,
    at: Point,
    width: f64,
    entries: &[(Swatch, String)],
) -> f64 {
    let (mut x, mut line) = (0.0, 0.0);
    for (swatch, label) in entries {
        let label = text::ellipsis(label, FONT, (width - 20.0).max(20.0));
        let w = 18.0 + text::width(&label, FONT, false);
        if x > 0.0 && x + w > width {
            x = 0.0;
            line += 1.0;
        }
        if let Some(scene) = scene.as_deref_mut() {
            let (cx, cy) = (at.0 + x + 5.0, at.1 + line * LEGEND_LINE + LEGEND_LINE / 2.0);
            draw(scene, *swatch, (cx, cy));
            scene.text((cx + 11.0, cy), label, scene.theme.muted, START);
        }
        x += w + 14.0;
    }
    if entries.is_empty() { 0.0 } else { (line + 1.0) * LEGEND_LINE }
}

fn draw(scene: &mut Scene, swatch: Swatch, (x, y): Point) {
    match swatch {
        Swatch::Mark(symbol, color) => scene.mark((x, y), 4.0, symbol, color),
        Swatch::Box(color) => scene.fill([x - 5.0, y - 5.0, 10.0, 10.0], color),
        Swatch::Hatched(fill, lines) => {
            let rect = [x - 5.0, y - 5.0, 10.0, 10.0];
            scene.fill(rect, fill);
            hatch(scene, rect, lines, 4.0);
        }
        Swatch::Dashed(color) => {
            scene.dashed(vec![(x - 7.0, y), (x + 7.0, y)], color, 2.0, &[4.0, 2.0]);
        }
        Swatch::Solid(color) => scene.line(vec![(x - 6.0, y), (x + 6.0, y)], color, 2.0),
        Swatch::Check(color) => check(scene, (x, y), 5.0, color, 2.0),
        Swatch::Hollow(color) => hollow(scene, (x, y), 4.0, color),
    }
}

/// Draws a check mark, as not every font has one.
pub(crate) fn check(scene: &mut Scene, (x, y): Point, r: f64, color: Color, width: f64) {
    scene.line(
        vec![
            (x - r * 0.85, y + r * 0.05),
            (x - r * 0.25, y + r * 0.7),
            (x + r * 0.95, y - r * 0.75),
        ],
        color,
        width,
    );
}

/// Diagonal lines with a spacing along the sides, clipped to a rectangle.
pub(crate) fn hatch(scene: &mut Scene, [l, t, w, h]: [f64; 4], color: Color, every: f64) {
    let mut d = every;
    while d < w + h {
        // x + y = d inside the rectangle.
        let from = (d.min(w), (d - w).max(0.0));
        let to = ((d - h).max(0.0), d.min(h));
        scene.line(vec![(l + from.0, t + from.1), (l + to.0, t + to.1)], color, 1.0);
        d += every;
    }
}

/// A hollow triangle pointing up.
pub(crate) fn hollow(scene: &mut Scene, (x, y): Point, r: f64, color: Color) {
    scene.line(
        vec![(x, y - r), (x + r * 0.95, y + r * 0.75), (x - r * 0.95, y + r * 0.75), (x, y - r)],
        color,
        1.5,
    );
}

/// Heading of one of several panels, cut to its width.
pub(crate) fn heading(scene: &mut Scene, at: Point, width: f64, words: &str) {
    scene.bold(at, text::ellipsis(words, FONT * 1.1, width), FONT, scene.theme.text, START);
}

/// Secondary text, left-aligned at a point and cut to a width.
pub(crate) fn note(scene: &mut Scene, at: Point, width: f64, words: &str) {
    scene.text(at, text::ellipsis(words, FONT, width), scene.theme.muted, START);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_click_isolates_and_ctrl_adds_or_takes_out() {
        let legend = Legend {
            key: "off",
            names: ["a", "b", "c"].map(str::to_owned).to_vec(),
            ..Legend::default()
        };
        let mut state = ViewState::default();
        let mut click = |of: &[&str], add: bool| {
            let of: Vec<String> = of.iter().map(|n| (*n).to_owned()).collect();
            legend.click(&mut state, &of, add);
            state.param("off").unwrap_or_default().replace('\n', " ")
        };
        assert_eq!(click(&["a"], false), "b c");
        assert_eq!(click(&["b"], true), "c");
        assert_eq!(click(&["a"], true), "c a");
        assert_eq!(click(&["b"], false), "", "the only one again: all");
        assert_eq!(click(&["a", "b"], false), "c");
        assert_eq!(click(&["b"], true), "c b");
        assert_eq!(click(&["a"], true), "", "never nothing at all");
        click(&["b"], false);
        state.set_param("off", "a\nc\ngone");
        assert_eq!(legend.hidden(&state), 2, "only what the legend knows");
    }
}
