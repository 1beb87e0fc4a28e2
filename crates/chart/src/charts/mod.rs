//! The charts: one folder each, listed in [`CHARTS`].
//!
//! Opening a chart computes what it shows from the data and the view state ([`Inputs`]). It is then drawn for a size
//! and theme ([`RenderOptions`]) as often as needed. The page keeps an opened chart while its inputs stay the same, and
//! redraws it when size, theme, scroll position or zoom change. [`Chart::table`] is computed only when the table is
//! viewed or saved.

mod axes;
mod bars;
mod boxes;
mod cells;
mod compare;
mod explore;
mod fastest;
mod lines;
mod lost;
pub mod roofline;
mod tilemap;
mod tuning;

pub(crate) use crate::chart::{Chart, Heights, Picture, RenderOptions};
use crate::color_scale::Colors;
use gemmscope_analysis::ledger::Partners;
use gemmscope_model::hardware::Device;
use gemmscope_table::dataset::Dataset;
use gemmscope_table::field::{Field, Frame};
use gemmscope_table::metrics::Metrics;
use gemmscope_table::view_state::ViewState;
use roofline::{By, Points};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// Inputs of a chart.
#[derive(Clone, Debug)]
pub struct Inputs<'a> {
    /// Data, figures, and the rows that pass the filters.
    pub frame: &'a Frame,
    /// The settings.
    pub state: &'a ViewState,
    /// Selected rows, in order of selection: those picked by the user, or those of the chosen finding.
    pub selected: &'a [u32],
    /// Row that stands for each finding ([`crate::picture::ranked`]), in order of findings; `None` if findings were not
    /// computed.
    pub ranked: Option<&'a [u32]>,
    /// Allows the default colour to be the largest loss. False in an embed, which is small and should not wait for a
    /// ledger.
    pub by_loss: bool,
    /// Cache across openings.
    pub cache: RowCache,
    /// The user's own devices, which tools of the planner offer.
    pub own: &'a [Device],
}

impl<'a> Inputs<'a> {
    /// Inputs with nothing selected and nothing cached.
    pub fn new(frame: &'a Frame, state: &'a ViewState) -> Self {
        let cache = RowCache::default();
        Inputs { frame, state, selected: &[], ranked: None, by_loss: false, cache, own: &[] }
    }
}

/// Cache of the positions and colours of all rows, which do not depend on filters, settings or zoom: for the table
/// shown, and the one about to be. Clones share the cache.
#[derive(Clone, Debug, Default)]
pub struct RowCache(Arc<Mutex<Vec<Kept>>>);

#[derive(Debug, Default)]
struct Kept {
    data: Weak<Dataset>,
    metrics: Weak<Metrics>,
    /// Points by compulsory bytes, and the last ones by anything else.
    points: [Option<(By, Arc<Points>)>; 2],
    colors: Vec<(Option<Field>, Arc<Colors>)>,
    partners: Option<Arc<Partners>>,
}

/// Number of tables cached.
const TABLES: usize = 2;
/// Number of colourings cached: the current ones of roofline and planner, and the previous one of each.
const COLORINGS: usize = 4;

impl RowCache {
    /// Locks the cache with the entry of these data and figures at the front. Entries of dropped tables are removed.
    fn of(&self, data: &Arc<Dataset>, metrics: &Arc<Metrics>) -> MutexGuard<'_, Vec<Kept>> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|k| k.data.strong_count() > 0 && k.metrics.strong_count() > 0);
        let same = |k: &Kept| {
            std::ptr::eq(k.data.as_ptr(), Arc::as_ptr(data))
                && std::ptr::eq(k.metrics.as_ptr(), Arc::as_ptr(metrics))
        };
        match kept.iter().position(same) {
            Some(0) => return kept,
            Some(at) => kept.swap(0, at),
            None => {
                let (data, metrics) = (Arc::downgrade(data), Arc::downgrade(metrics));
                kept.insert(0, Kept { data, metrics, ..Kept::default() });
                kept.truncate(TABLES);
            }
        }
        // Colourings keep their table alive, so only the most recent entry has some.
        kept.iter_mut().skip(1).for_each(|k| k.colors.clear());
        kept
    }

    /// Positions of all rows on the roofline.
    pub fn points(&self, data: &Arc<Dataset>, metrics: &Arc<Metrics>) -> Arc<Points> {
        self.points_by(data, metrics, By::Compulsory)
    }

    /// As [`points`](Self::points), with other coordinates.
    pub(crate) fn points_by(
        &self,
        data: &Arc<Dataset>,
        metrics: &Arc<Metrics>,
        by: By,
    ) -> Arc<Points> {
        let mut kept = self.of(data, metrics);
        let place = &mut kept[0].points[usize::from(by != By::Compulsory)];
        match place {
            Some((of, points)) if *of == by => points.clone(),
            _ => {
                let points = Arc::new(Points::by(data, metrics, by));
                *place = Some((by, points.clone()));
                points
            }
        }
    }

    /// Stores positions that were computed while the rows arrived.
    pub fn set_points(&self, data: &Arc<Dataset>, metrics: &Arc<Metrics>, points: Points) {
        self.of(data, metrics)[0].points[0] = Some((By::Compulsory, Arc::new(points)));
    }

    /// The faster runs of the table, by which the ledger splits the time of its rows.
    pub fn partners(&self, frame: &Frame) -> Arc<Partners> {
        self.known_partners(frame).unwrap_or_else(|| {
            let partners = Partners::of(frame);
            self.set_partners(frame, partners.clone());
            partners
        })
    }

    /// As [`partners`](Self::partners); `None` if not computed yet.
    pub fn known_partners(&self, frame: &Frame) -> Option<Arc<Partners>> {
        self.of(&frame.data, &frame.metrics)[0].partners.clone()
    }

    /// Stores partners computed elsewhere.
    pub fn set_partners(&self, frame: &Frame, partners: Arc<Partners>) {
        self.of(&frame.data, &frame.metrics)[0].partners = Some(partners);
    }

    /// The colours of all rows by a field, or one colour for everything.
    pub(crate) fn colors(&self, frame: &Frame, field: Option<&Field>) -> Arc<Colors> {
        let kept = &mut self.of(&frame.data, &frame.metrics)[0];
        if let Some((_, colors)) = kept.colors.iter().find(|(f, _)| f.as_ref() == field) {
            return colors.clone();
        }
        // Rows keep their colour whatever the filters.
        let whole = frame.with_rows(Arc::default());
        let colors = Arc::new(Colors::new(&whole, field.and_then(|f| whole.info(f))));
        kept.colors.truncate(COLORINGS - 1);
        kept.colors.insert(0, (field.cloned(), colors.clone()));
        colors
    }
}

/// Roof of a row at its arithmetic intensity, FLOP/s; NaN if unknown.
pub(crate) fn roof_rate(frame: &Frame, row: usize) -> f64 {
    let roof = frame.metrics.roof(&frame.data, row);
    roof.map_or(f64::NAN, |roof| roof.at(frame.metrics.ai[row]))
}

/// A kind of chart.
#[derive(Clone, Copy, Debug)]
pub struct ChartKind {
    /// Key in links: `compare`.
    pub id: &'static str,
    /// Name on its tab.
    pub name: &'static str,
    /// One sentence: which question it answers.
    pub hint: &'static str,
    /// View state parameters that it reads, besides those that begin with its key.
    pub params: &'static [&'static str],
    /// True if the picture itself, not only its highlights, depends on the selection.
    pub of_selection: bool,
    /// In a page, a clickable legend stands beside the picture.
    pub legend: bool,
    /// Computes what the chart shows.
    pub open: fn(&Inputs<'_>) -> Chart,
}

impl ChartKind {
    /// Defaults: a chart that reads only its own parameters and is hit-tested by its hit areas.
    pub(crate) const PLAIN: ChartKind = ChartKind {
        id: "",
        name: "",
        hint: "",
        params: &[],
        of_selection: false,
        legend: false,
        open: |_| Chart::without("", "", Vec::new()),
    };

    /// True if the chart reads this parameter when opened.
    pub fn reads(&self, param: &str) -> bool {
        let own = param.strip_prefix(self.id);
        own.is_some_and(|rest| rest.starts_with('.')) || self.params.contains(&param)
    }
}

/// The charts, in tab order. The first one is the default.
pub const CHARTS: &[ChartKind] = &[
    roofline::KIND,
    lost::KIND,
    cells::KIND,
    bars::KIND,
    boxes::KIND,
    lines::KIND,
    tilemap::KIND,
    compare::KIND,
    fastest::KIND,
    tuning::KIND,
];

/// The chart of this key; the first one for "". `None` if there is none.
pub fn by_id(id: &str) -> Option<&'static ChartKind> {
    CHARTS.iter().find(|c| c.id == id || id.is_empty())
}

/// Parameter that holds the scroll position of a chart.
fn first_key(id: &str) -> String {
    format!("at.{id}")
}

/// First visible column and row of a chart; (0, 0) if the view state has none.
pub fn first_of(state: &ViewState, id: &str) -> (usize, usize) {
    state
        .param(&first_key(id))
        .and_then(|t| {
            let (x, y) = t.split_once(',')?;
            Some((x.parse().ok()?, y.parse().ok()?))
        })
        .unwrap_or((0, 0))
}

/// Stores the scroll position of a chart in the view state.
pub fn set_first(state: &mut ViewState, id: &str, (x, y): (usize, usize)) {
    let text = match (x, y) {
        (0, 0) => String::new(),
        _ => format!("{x},{y}"),
    };
    state.set_param(&first_key(id), text);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::palette::Theme;
    use gemmscope_table::fixture::Rows;

    #[test]
    fn every_chart_says_which_parameters_it_reads() {
        let mut rows = Rows::new();
        rows.row((64, 64, 4096), "x", 1e-5, "");
        let frame = rows.frame(Some("h100-sxm"));
        let state = ViewState::default();
        for kind in CHARTS {
            for control in (kind.open)(&Inputs::new(&frame, &state)).said.controls.clone() {
                assert!(kind.reads(&control.key), "{} {}", kind.id, control.key);
            }
        }
        assert_eq!(by_id("").map(|c| c.id), Some("roofline"));
        assert!(by_id("overview").is_none());
    }

    #[test]
    fn rows_keep_their_places_and_colours_while_the_data_stays() {
        let frame = || {
            let mut rows = Rows::new();
            rows.row((64, 64, 4096), "x", 1e-5, "");
            rows.frame(None)
        };
        let (one, two) = (frame(), frame());
        let cache = RowCache::default();
        let first = cache.points(&one.data, &one.metrics);
        let colors = cache.colors(&one, Some(&Field::Dtype));
        let again = cache.clone();
        assert!(Arc::ptr_eq(&first, &again.points(&one.data, &one.metrics)));
        assert!(Arc::ptr_eq(&colors, &again.colors(&one, Some(&Field::Dtype))));
        assert!(!Arc::ptr_eq(&colors, &again.colors(&one, None)));
        assert!(!Arc::ptr_eq(&first, &again.points(&two.data, &two.metrics)));
        // What was computed for the next table survives queries about the current one.
        let next = again.points(&two.data, &two.metrics);
        assert!(again.known_partners(&one).is_none());
        assert!(Arc::ptr_eq(&first, &again.points(&one.data, &one.metrics)));
        assert!(Arc::ptr_eq(&next, &again.points(&two.data, &two.metrics)));
        let gone = Arc::downgrade(&first);
        drop((one, first, colors));
        assert!(Arc::ptr_eq(&next, &again.points(&two.data, &two.metrics)));
        assert!(gone.upgrade().is_none());
    }

    #[test]
    fn a_value_has_one_colour_whatever_passes_the_filters() {
        let mut rows = Rows::new();
        for library in ["x", "y", "y"] {
            rows.row((64, 64, 4096), library, 1e-5, "");
        }
        let frame = rows.frame(None);
        let field = frame.main_field();
        let light = &Theme::LIGHT;
        let whole = RowCache::default().colors(&frame, Some(&field));
        let few = frame.with_rows(Arc::new(vec![2]));
        let part = RowCache::default().colors(&few, Some(&field));
        assert_eq!(whole.of(light).color(2), part.of(light).color(2));
        let values = ["y", "x"].map(str::to_owned);
        let sides = crate::color_scale::ColorScale::of_values(&few, &field, &values, light);
        assert_eq!(sides, [2, 0].map(|row| whole.of(light).color(row)));
        assert_ne!(sides[0], sides[1]);
    }
}
