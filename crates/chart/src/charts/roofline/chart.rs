//! The roofline as one of the charts.

use super::baseline::Baseline;
use super::heaviest::Heaviest;
use super::interactive::InteractiveRoofline;
use super::rivals::Rivals;
use super::settings::{PARAMS, Settings, most_expensive};
use super::{By, Points, stated};
use crate::chart::{Chart, Drawn, Emphasis, Heights, Picture, RenderOptions};
use crate::charts::{ChartKind, Inputs};
use crate::color_scale::Colors;
use crate::palette::Theme;
use crate::scene::Scene;
use gemmscope_table::data_kind::DataKind;
use gemmscope_table::field::Frame;
use gemmscope_table::result_table::ResultTable;
use std::sync::{Arc, OnceLock};

/// This chart's entry in [`CHARTS`](crate::charts::CHARTS), public for a page that shows no other.
pub const KIND: ChartKind = ChartKind {
    id: "roofline",
    name: "Roofline",
    hint: "Every GEMM by arithmetic intensity and attained rate, under what its device allows",
    params: PARAMS,
    legend: true,
    open: |inputs| {
        let (settings, controls) = Settings::read(inputs);
        Chart::of(Roofline(Contents::new(inputs, settings)), controls)
    },
    ..ChartKind::PLAIN
};

/// An opened roofline.
struct Roofline(Arc<Contents>);

/// Contents of a roofline, independent of size and theme.
pub(crate) struct Contents {
    pub(crate) frame: Frame,
    pub(super) points: Arc<Points>,
    pub(crate) colors: Arc<Colors>,
    pub(super) settings: Settings,
    /// All rows that pass the filters, from which the expensive ones are numbered.
    whole: Frame,
    costly: OnceLock<Vec<u32>>,
    /// Row that carries the number of each finding, if findings were computed.
    ranked: Option<Vec<u32>>,
    /// Rows that pass the filters but are not among the heaviest.
    pub(super) background: Vec<u32>,
    pub(super) baseline: Baseline,
    rivals: OnceLock<Rivals>,
    /// Notes on hidden points and the baseline.
    notes: Vec<String>,
}

impl Contents {
    /// Computes positions and colours of the rows, and the notes.
    pub(crate) fn new(inputs: &Inputs<'_>, settings: Settings) -> Arc<Self> {
        let frame = inputs.frame;
        let mut notes = Vec::new();
        let mut shown = frame.clone();
        let mut background = Vec::new();
        if let Some(heaviest) = Heaviest::of(frame, settings.heaviest) {
            let light = |row: &&u32| heaviest.rows.binary_search(row).is_err();
            background = frame.rows.iter().filter(light).copied().collect();
            shown = frame.with_rows(Arc::new(heaviest.rows));
            notes.push(heaviest.note);
        }
        let by = match (settings.share, settings.ai.level()) {
            (true, _) if settings.of_reference => By::Reference,
            (true, _) => By::Share,
            (false, Some(level)) => By::Bytes(level),
            (false, None) => By::Compulsory,
        };
        let points = inputs.cache.points_by(&frame.data, &frame.metrics, by);
        let baseline = match &settings.baseline {
            Some(side) if frame.decision().kind == DataKind::Sides => {
                Baseline::of(frame, &points, side, &shown.rows)
            }
            _ => None,
        };
        notes.extend(baseline.iter().map(|b| b.note.clone()));
        Arc::new(Contents {
            points,
            colors: inputs.cache.colors(frame, settings.color.as_ref()),
            whole: frame.clone(),
            costly: OnceLock::new(),
            ranked: inputs.ranked.map(<[u32]>::to_vec),
            frame: shown,
            background,
            baseline: baseline.unwrap_or_default(),
            rivals: OnceLock::new(),
            settings,
            notes,
        })
    }

    /// Rivals of the rows; computed when a row is first hovered.
    pub(super) fn rivals(&self) -> &Rivals {
        self.rivals.get_or_init(|| Rivals::of(&self.whole))
    }

    /// The rows numbered because of their cost. Computed on demand, since they are unused if findings are known.
    pub(super) fn costly(&self) -> Vec<u32> {
        self.costly.get_or_init(|| most_expensive(&self.whole, self.settings.numbers)).clone()
    }
}

impl Roofline {
    fn interactive(&self, options: &RenderOptions<'_>) -> InteractiveRoofline {
        InteractiveRoofline::new(self.0.clone(), stated::extras(&self.0, options.theme), options)
    }
}

impl Picture for Roofline {
    fn notes(&self) -> Vec<String> {
        self.0.notes.clone()
    }

    fn scene(&self, options: &RenderOptions<'_>) -> Option<Scene> {
        let first = self.interactive(options);
        let marks = Emphasis {
            selected: options.selected.to_vec(),
            ranked: self.0.ranked.clone(),
            ..Emphasis::default()
        };
        let saved = first.saved(&marks);
        if saved.height == first.scene().height {
            return Some(saved);
        }
        let legend = saved.height - first.scene().height;
        // Draw again with the height that the legend leaves.
        let height = (options.height - legend).max(1.0);
        let options = RenderOptions { height, ..*options };
        Some(self.interactive(&options).saved(&marks))
    }

    fn table(&self) -> ResultTable {
        let size = (960.0, self.heights(960.0).own);
        let options = RenderOptions::new(&Theme::LIGHT, size);
        let marks = Emphasis { ranked: self.0.ranked.clone(), ..Emphasis::default() };
        self.interactive(&options).table(usize::MAX, &marks).unwrap_or_default().0
    }

    fn heights(&self, width: f64) -> Heights {
        Heights { own: (width * 0.6).max(360.0), least: 0.0, most: f64::INFINITY }
    }

    fn drawn(&self, options: &RenderOptions<'_>) -> Option<Box<dyn Drawn>> {
        Some(Box::new(self.interactive(options)))
    }
}
