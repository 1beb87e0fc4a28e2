//! What others have published of a device: every shape of a table under its roof, the band, and what it says of a GEMM.

use super::{Figure, figure, sizes, whole};
use crate::chart::{Chart, Drawn, Emphasis, Heights, Picture, RenderOptions};
use crate::charts::Inputs;
use crate::palette::Theme;
use crate::roofline::{
    Ceilings, Contents, Extras, InteractiveRoofline, Numbers, Planned, Roofs, Settings,
};
use crate::scene::Scene;
use crate::tooltip::Tooltip;
use gemmscope_analysis::planner::PlanState;
use gemmscope_model::gemm::Problem;
use gemmscope_model::hardware::{Device, RoofKind, by_id, short_name};
use gemmscope_model::reference::{
    Precision, ReferenceSource, ReferenceTable, ReferenceTime, References, listed,
};
use gemmscope_model::units::{FlopsPerSec, capitalized, percent, seconds_brief};
use gemmscope_table::build::{Row, TableBuilder};
use gemmscope_table::control::{Choice, Control};
use gemmscope_table::dataset::Dataset;
use gemmscope_table::field::{Field, Frame, shape_label};
use gemmscope_table::metrics::Metrics;
use gemmscope_table::result_table::ResultTable;
use gemmscope_table::view_state::ViewState;
use gemmscope_words::reference::{NOT_AT_HAND, best_published, others_reach, said_of, table_line};
use std::sync::Arc;

/// Its key among the tools.
pub const ID: &str = "published";

/// An opened table.
pub(super) struct PublishedTool {
    device: Device,
    opened: Arc<Contents>,
    table: Arc<ReferenceTable>,
    asked: Problem,
    time: Option<ReferenceTime>,
}

/// Device and type, each with its control.
fn choose(inputs: &Inputs<'_>) -> ([Control; 2], Option<&'static ReferenceSource>) {
    let state = inputs.state;
    let mut ids: Vec<&str> = listed().iter().map(|s| s.device.as_str()).collect();
    ids.dedup();
    let name = |id: &str| by_id(id).map_or_else(|| id.to_owned(), |d| short_name(&d.name));
    let devices = ids.iter().map(|id| Choice::new(*id, name(id))).collect();
    let ran = inputs.frame.metrics.devices.iter().flatten().map(|d| d.id.clone());
    let planned = PlanState::read(state).0.devices;
    let mut likely = planned.into_iter().chain(ran).filter(|id| ids.contains(&id.as_str()));
    let likely = likely.next().unwrap_or_else(|| "h100-sxm".to_owned());
    let device = Control::choice(state, "tool.device", "Device", "", devices, &likely);
    let of_device = || listed().iter().filter(|s| s.device == device.current);
    let types = of_device().map(|s| Choice::new(s.precision.key(), s.precision.label())).collect();
    let first = of_device().next().map_or("", |s| s.precision.key());
    let precision = Control::choice(state, "published.type", "Type", "", types, first);
    let chosen = Precision::parse(&precision.current);
    let found = of_device().find(|s| Some(s.precision) == chosen);
    ([device, precision], found)
}

/// The table that the tool shows with this state, of which `frame` are the rows.
pub fn source(frame: &Frame, state: &ViewState) -> Option<&'static ReferenceSource> {
    choose(&Inputs::new(frame, state)).1
}

/// The state in which the tool shows a table.
pub fn address(state: &mut ViewState, source: &ReferenceSource) {
    state.view = "plan".to_owned();
    for (key, value) in [
        ("plan.page", ID),
        ("tool.device", &source.device),
        ("published.type", source.precision.key()),
    ] {
        state.set_param(key, value);
    }
}

/// The shapes of a table as rows.
fn rows(table: &ReferenceTable, device: &Device) -> Frame {
    let mut all = TableBuilder::new();
    let code = all.device(&device.id);
    for ((p, time_s), line) in table.each().zip(1..) {
        let row = Row { device: code, ..Row::new(p.m, p.n, p.k, p.op, time_s) };
        all.commit(line, b"", Ok(row));
    }
    let data: Dataset = all.finish();
    // They are what others reach.
    let device = Device { references: References::default(), ..device.clone() };
    let devices = data.devices.iter().map(|name| (!name.is_empty()).then(|| device.clone()));
    let devices: Vec<_> = devices.collect();
    let mut metrics = Metrics::compute(&data, devices.clone(), RoofKind::Datasheet);
    // Nothing was measured here, so the device keeps its own achievable rates and launch floor.
    metrics.devices = devices;
    Frame::all(Arc::new(data), Arc::new(metrics))
}

impl PublishedTool {
    pub(super) fn open(inputs: &Inputs<'_>) -> Chart {
        let sizes = sizes(inputs.state);
        let [m, n, k] = [0, 1, 2].map(|i| whole(&sizes[i]));
        let ([device, precision], source) = choose(inputs);
        let known = inputs.own.iter().find(|d| d.id == device.current);
        let controls = [device, precision].into_iter().chain(sizes).collect();
        let table = known.zip(source).and_then(|(d, s)| d.references.table(s.precision));
        let (Some(known), Some(table)) = (known, table) else {
            return Chart::without("", NOT_AT_HAND, controls);
        };
        let op = table.source().precision.operation();
        let asked = Problem { m, n, k, batch: 1, op };
        let frame = rows(table, known);
        let state = ViewState::default();
        let rows = Inputs { cache: inputs.cache.clone(), ..Inputs::new(&frame, &state) };
        let settings = Settings {
            color: None,
            numbers: Numbers::None,
            ceilings: Ceilings::None,
            roofs: Roofs::OfRows,
            ..Settings::read(&rows).0
        };
        let out = PublishedTool {
            device: known.clone(),
            opened: Contents::new(&rows, settings),
            table: table.clone(),
            time: table.time(&asked),
            asked,
        };
        Chart::of(out, controls)
    }

    /// `4096 × 4096 × 4096`.
    fn shape(&self) -> String {
        shape_label(&self.asked)
    }

    /// The best published rate and the device's achievable one, FLOP/s, if the former is higher. What is above the
    /// datasheet's roof is no rate of the device.
    fn best_rate(&self) -> Option<(f64, f64)> {
        let peak = self.device.peak_for(self.asked.op.compute)?;
        let achievable = peak.achievable_flops_per_s?;
        let rates = self.table.each().map(|(p, time_s)| p.work().0 / time_s);
        let best = rates.filter(|rate| *rate <= peak.flops_per_s).fold(0.0, f64::max);
        (best > achievable).then_some((best, achievable))
    }

    /// Share of the datasheet's roof at which others run the asked GEMM.
    fn share(&self) -> Option<f64> {
        let roof = self.device.roof(self.asked.op.compute, RoofKind::Datasheet)?;
        Some(roof.problem_time_s(&self.asked) / self.time?.time_s)
    }

    fn interactive(&self, options: &RenderOptions<'_>) -> InteractiveRoofline {
        let mark = |time: ReferenceTime| Planned {
            ai: self.asked.intensity().0,
            rate: self.asked.work().0 / time.time_s,
            trail: Vec::new(),
            label: self.shape(),
            tooltip: Tooltip::new(self.shape())
                .line(capitalized(&others_reach(&time, self.asked.work().0))),
            color: options.theme.categories[1],
            measured: false,
        };
        let extras = Extras {
            planned: self.time.map(mark).into_iter().collect(),
            published: References::of(&self.device.id, std::slice::from_ref(&self.table)),
            ..Extras::default()
        };
        InteractiveRoofline::new(self.opened.clone(), extras, options)
    }
}

impl Picture for PublishedTool {
    fn verdict(&self) -> Vec<String> {
        let of = (self.shape(), self.device.name.as_str());
        vec![said_of(of, self.time.as_ref(), self.asked.work().0, self.share())]
    }

    fn notes(&self) -> Vec<String> {
        let table = format!("{}.", capitalized(&table_line(self.table.source())));
        std::iter::once(table).chain(self.best_rate().map(best_published)).collect()
    }

    fn figures(&self) -> Vec<Figure> {
        let Some(time) = self.time else { return Vec::new() };
        let rate = FlopsPerSec(self.asked.work().0 / time.time_s).to_string();
        let mut out = vec![
            figure("Others reach", seconds_brief(time.time_s), Field::Reference.hint()),
            figure("Rate", rate, Field::Attained.hint()),
        ];
        out.extend(self.share().map(|s| figure("% of roof", percent(s), Field::Efficiency.hint())));
        out.push(figure("Nearest shape run by", time.by(), ""));
        out
    }

    fn scene(&self, options: &RenderOptions<'_>) -> Option<Scene> {
        Some(self.interactive(options).saved(&Emphasis::default()))
    }

    fn table(&self) -> ResultTable {
        let size = (960.0, self.heights(960.0).own);
        let drawn = self.interactive(&RenderOptions::new(&Theme::LIGHT, size));
        drawn.table(usize::MAX, &Emphasis::default()).unwrap_or_default().0
    }

    fn heights(&self, width: f64) -> Heights {
        Heights::filling(width)
    }

    fn drawn(&self, options: &RenderOptions<'_>) -> Option<Box<dyn Drawn>> {
        Some(Box::new(self.interactive(options)))
    }
}
