//! Colours of rows by a category or a number, computed once per dataset, field and theme.

use crate::aggregate::{distinct_up_to, used};
use crate::fixed;
use crate::labels::Rect;
use crate::layout::{self, EDGE, FONT, NARROW};
use crate::legend::Swatch;
use crate::palette::{Theme, sequential};
use crate::scale::{Scale, ScaleKind};
use crate::scene::{Color, DragArea, Scene, Symbol, TOP};
use crate::text;
use crate::ticks::{self, Format};
use gemmscope_analysis::ledger::{Account, LARGEST_LOSS, NOTHING_LOST};
use gemmscope_table::column_format;
use gemmscope_table::field::{Categories, Field, FieldInfo, FieldKind, Frame};
use std::sync::OnceLock;

/// A colour, shape and name per code, and the code of every row of the dataset.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ColorScale {
    /// The field's label; empty if everything has one colour.
    pub label: String,
    /// Code of each row; empty if all are 0.
    pub codes: Vec<u16>,
    /// Colour of each code.
    pub palette: Vec<Color>,
    /// Shape of each code.
    pub symbols: Vec<Symbol>,
    /// Name of each code.
    pub names: Vec<String>,
    /// For a sequential map: the spacing and the range of values.
    pub gradient: Option<(ScaleKind, f64, f64)>,
}

/// The colour scale of a field in either theme, each computed on first use.
#[derive(Debug)]
pub(crate) struct Colors {
    frame: Frame,
    info: Option<FieldInfo>,
    made: [OnceLock<ColorScale>; 2],
}

impl Colors {
    /// Colours by a field, or one colour for everything.
    pub(crate) fn new(frame: &Frame, info: Option<FieldInfo>) -> Self {
        Colors { frame: frame.clone(), info, made: Default::default() }
    }

    /// The colour scale in a theme.
    pub(crate) fn of(&self, theme: &Theme) -> &ColorScale {
        self.made[usize::from(theme.dark)].get_or_init(|| match &self.info {
            Some(info) => ColorScale::by(&self.frame, info, theme),
            None => ColorScale::plain(theme),
        })
    }
}

/// Display names of the values of the field with this label: a side has one name everywhere.
pub(crate) fn shown_name(frame: &Frame, label: &str) -> impl Fn(&str) -> String {
    let side = frame.decision().side.as_ref();
    let by_side = side.and_then(|f| frame.info(f)).is_some_and(|info| info.label == label);
    // Only if there are sides: counting very many rows takes longer than drawing.
    let sides = match by_side {
        true => frame.counted().sides.as_slice(),
        false => &[],
    };
    let named = |value: &str| sides.iter().find(|s| s.value == value);
    move |value| named(value).map_or_else(|| value.to_owned(), |s| s.label.clone())
}

/// Number of steps of a sequential map.
const STEPS: usize = 32;

impl ColorScale {
    /// One colour for everything.
    pub fn plain(theme: &Theme) -> Self {
        ColorScale {
            palette: vec![theme.categories[0]],
            symbols: vec![Symbol::Dot],
            names: vec![String::new()],
            ..ColorScale::default()
        }
    }

    /// Colours by a field: distinct colours for a category, or a number with at most eight distinct values; a
    /// sequential map for other numbers.
    pub fn by(frame: &Frame, info: &FieldInfo, theme: &Theme) -> Self {
        if info.kind == FieldKind::Category {
            return ColorScale::by_category(frame, &info.field, &info.label, theme);
        }
        let get = frame.numbers(&info.field);
        let n = frame.data.len();
        if distinct_up_to((0..n).map(&get), 8).len() <= 8 {
            let categories = frame.categories(&info.field);
            let mut out = ColorScale::category(&info.label, &categories, &[], n, theme);
            let format = Format::of(&info.unit);
            for name in &mut out.names {
                if let Ok(v) = name.parse::<f64>() {
                    *name = format.write(v, 5);
                }
            }
            return out;
        }
        ColorScale::number(info, &*get, n, theme)
    }

    /// Colours by a category; accounts have the colours of their bars.
    fn by_category(frame: &Frame, field: &Field, label: &str, theme: &Theme) -> Self {
        let categories = frame.categories(field);
        let words = fixed::words(frame, field);
        let mut out = ColorScale::category(label, &categories, words, frame.data.len(), theme);
        if *field == Field::Column(LARGEST_LOSS.to_owned()) {
            for (i, name) in out.names.iter().enumerate() {
                let own = Account::ALL.into_iter().find(|a| a.label() == name);
                (out.palette[i], out.symbols[i]) = match own {
                    Some(Account::NoRoof) => (theme.other, Symbol::Diamond),
                    Some(account) => (theme.account(account), Symbol::Dot),
                    None if name == NOTHING_LOST => (theme.nothing_lost(), Symbol::Square),
                    None => continue,
                };
            }
        }
        out
    }

    /// Colours of these values of a category, the same in every view.
    pub(crate) fn of_values(
        frame: &Frame,
        field: &Field,
        values: &[String],
        theme: &Theme,
    ) -> Vec<Color> {
        let scale = ColorScale::by_category(frame, field, "", theme);
        // A side that no row is of has a colour of its own too.
        let mut free = theme.categories.iter().filter(|c| !scale.palette.contains(c));
        let of = |value: &String| {
            let at = scale.names.iter().position(|n| n == value);
            at.map_or_else(|| *free.next().unwrap_or(&theme.other), |i| scale.palette[i])
        };
        values.iter().map(of).collect()
    }

    /// Colours by category. Up to 24 values look different: the [words](fixed) of the field have their own colours, the
    /// others follow in code order. With more, the 23 most frequent ones of the whole dataset do, and the others share
    /// grey.
    pub(crate) fn category(
        label: &str,
        categories: &Categories<'_>,
        words: &[&str],
        rows: usize,
        theme: &Theme,
    ) -> Self {
        let values = &categories.values;
        let mut counts = vec![0u64; values.len()];
        categories.codes.each(|code| {
            if let Some(c) = counts.get_mut(code as usize) {
                *c += 1;
            }
        });
        // Empty text means "not stated", and is grey.
        let mut used: Vec<usize> =
            (0..values.len()).filter(|&i| counts[i] > 0 && !values[i].is_empty()).collect();
        if used.len() > Theme::DISTINCT {
            used.sort_by_key(|&i| (std::cmp::Reverse(counts[i]), i));
        }
        let shown = if used.len() > Theme::DISTINCT { Theme::DISTINCT - 1 } else { used.len() };
        let mut map = vec![u16::MAX; values.len()];
        let mut out = ColorScale { label: label.to_owned(), ..ColorScale::default() };
        let named: Vec<&str> = used[..shown].iter().map(|i| values[*i].as_str()).collect();
        let places = fixed::places(words, &named);
        for (i, (&value, place)) in used.iter().zip(places).enumerate() {
            let (color, symbol) = theme.category(place);
            map[value] = i as u16;
            out.push(values[value].clone(), color, symbol);
        }
        if used.len() > shown {
            let rest = used.len() - shown;
            let code = out.names.len() as u16;
            for &value in &used[shown..] {
                map[value] = code;
            }
            out.push(format!("{rest} others"), theme.other, Symbol::Dot);
        }
        if (0..values.len()).any(|i| counts[i] > 0 && values[i].is_empty()) {
            let code = out.names.len() as u16;
            for (i, value) in values.iter().enumerate() {
                if value.is_empty() {
                    map[i] = code;
                }
            }
            out.push("not stated".to_owned(), theme.other, Symbol::Diamond);
        }
        if out.names.is_empty() {
            out.push(String::new(), theme.categories[0], Symbol::Dot);
        }
        let last = (out.names.len() - 1) as u16;
        out.codes = Vec::with_capacity(rows);
        categories.codes.each(|code| {
            let code = map.get(code as usize).copied().unwrap_or(last);
            out.codes.push(code.min(last));
        });
        out
    }

    fn number(info: &FieldInfo, get: &dyn Fn(usize) -> f64, rows: usize, theme: &Theme) -> Self {
        let kind = if info.log { ScaleKind::Log } else { ScaleKind::Linear };
        let (lo, hi) = crate::scale::extent(kind, (0..rows).map(get)).unwrap_or((1.0, 10.0));
        let (a, b) = (kind.forward(lo), kind.forward(hi));
        let format = Format::of(&info.unit);
        let mut out = ColorScale {
            label: info.label.clone(),
            gradient: Some((kind, lo, hi)),
            ..ColorScale::default()
        };
        for i in 0..STEPS {
            let t = (i as f64 + 0.5) / STEPS as f64;
            let name = format.write(kind.back(a + (b - a) * t), 3);
            out.push(name, shown(t, theme), Symbol::Dot);
        }
        out.push("not known".to_owned(), theme.other, Symbol::Diamond);
        out.codes = (0..rows)
            .map(|row| {
                let t = (kind.forward(get(row)) - a) / (b - a);
                if t.is_nan() {
                    STEPS as u16
                } else {
                    ((t * STEPS as f64) as usize).min(STEPS - 1) as u16
                }
            })
            .collect();
        out
    }

    /// Legend entries of these codes; none if there are too many, or only one.
    pub(crate) fn swatches(
        &self,
        frame: &Frame,
        codes: impl Iterator<Item = u16>,
    ) -> Vec<(Swatch, String)> {
        const MOST: usize = 12;
        let used = used(codes, self.names.len());
        if !(2..=MOST).contains(&used.len()) || self.gradient.is_some() {
            return Vec::new();
        }
        let shown = shown_name(frame, &self.label);
        used.into_iter().map(|i| (Swatch::Box(self.palette[i]), shown(&self.names[i]))).collect()
    }

    fn push(&mut self, name: String, color: Color, symbol: Symbol) {
        self.names.push(name);
        self.palette.push(color);
        self.symbols.push(symbol);
    }

    /// Code of a row.
    #[inline]
    pub(crate) fn code(&self, row: usize) -> u16 {
        self.codes.get(row).copied().unwrap_or(0)
    }

    /// Colour of a row.
    #[inline]
    pub(crate) fn color(&self, row: usize) -> Color {
        let code = usize::from(self.code(row));
        self.palette.get(code).copied().unwrap_or(Color(128, 128, 128, 255))
    }
}

/// Colour bar from low to high.
pub(crate) fn ramp(scene: &mut Scene, [left, top, width, height]: Rect) {
    const STEPS: usize = 44;
    for i in 0..STEPS {
        let [from, to] = [i, i + 1].map(|end| left + width * end as f64 / STEPS as f64);
        let color = shown((i as f64 + 0.5) / STEPS as f64, &scene.theme);
        scene.fill([from, top, to - from, height], color);
    }
}

/// A titled colour bar; dragging along it filters its field.
pub(crate) struct ColorBar<'a> {
    pub(crate) title: &'a str,
    pub(crate) of: &'a FieldInfo,
    pub(crate) kind: ScaleKind,
    pub(crate) range: (f64, f64),
}

impl ColorBar<'_> {
    /// In the top right corner beside its title, or below the title in a narrow picture.
    pub(crate) fn draw(&self, scene: &mut Scene) {
        let narrow = scene.width < NARROW;
        let w = if narrow { scene.width - 3.0 * EDGE } else { 220.0 }.max(40.0);
        let bar = if narrow { [EDGE, 28.0, w, 8.0] } else { [scene.width - w - 16.0, 8.0, w, 8.0] };
        let room = if narrow { scene.width - 3.0 * EDGE } else { bar[0] - 36.0 };
        let title = text::ellipsis(self.title, FONT + 1.0, room.max(0.0));
        scene.sized((EDGE, 6.0), title, FONT + 1.0, scene.theme.text, TOP);
        ramp(scene, bar);
        let ends = (bar[0], bar[0] + w);
        let unit = column_format::unit_for(&self.of.unit).factor;
        let scale = Scale::new(self.kind, (self.range.0 / unit, self.range.1 / unit), ends);
        let ticks = ticks::ticks(&scale, 4, &Format::plain("")).into_iter();
        let labels = ticks.filter_map(|t| Some((scale.px(t.value), t.label?)));
        let below = (ends.1 + 10.0, bar[1] + bar[3] + 2.0);
        layout::labels_below(scene, below, FONT - 1.0, labels);
        scene.drag_areas.push(DragArea::Range {
            rect: bar,
            field: self.of.field.to_string(),
            scale: Scale::new(self.kind, self.range, ends),
        });
    }
}

/// The sequential map without the end that would blend into the theme's panel.
pub(crate) fn shown(t: f64, theme: &Theme) -> Color {
    if theme.dark { sequential(0.16 + 0.84 * t) } else { sequential(0.86 * t) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gemmscope_analysis::ledger::Columns;
    use gemmscope_table::fixture::Rows;

    #[test]
    fn a_legend_calls_a_side_by_its_name_and_other_values_by_their_own() {
        let mut rows = Rows::new();
        for library in ["hipblaslt", "rocblas"] {
            for k in [64, 128] {
                rows.row((64, 64, k), library, 1e-3, "");
            }
        }
        let frame = rows.frame(None);
        let names = |field: &Field| {
            let info = frame.info(field).unwrap();
            let scale = ColorScale::by(&frame, &info, &Theme::LIGHT);
            let codes = frame.rows.iter().map(|r| scale.code(*r as usize));
            let swatches = scale.swatches(&frame, codes);
            swatches.into_iter().map(|s| s.1).collect::<Vec<_>>()
        };
        let library = Field::Column("library".into());
        assert_eq!(names(&library), ["hipBLASLt", "rocBLAS"]);
        assert_eq!(names(&Field::K), ["64", "128"]);
    }

    #[test]
    fn the_largest_loss_has_the_colours_of_the_accounts() {
        let mut rows = Rows::new();
        for (library, time) in [("x", 1.0), ("y", 2.0)] {
            rows.row((64, 64, 64), library, time, "");
        }
        let frame = rows.frame(Some("h100-sxm")).with_derived(Columns::new());
        let info = frame.info(&Field::Column(LARGEST_LOSS.to_owned())).unwrap();
        for theme in [Theme::LIGHT, Theme::DARK] {
            let scale = ColorScale::by(&frame, &info, &theme);
            let colors = [0, 1].map(|row| scale.color(row));
            assert_eq!(colors, [Account::Rest, Account::Library].map(|a| theme.account(a)));
        }
    }
}
