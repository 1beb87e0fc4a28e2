//! A plan on the roofline: hollow marks of every GEMM at its roof, in a colour per device that no measured row has.
//! Those of the first device have names and trails. The measured rows that pass the filters are shown too.

use super::device_colors::{DeviceColors, color_of_rows};
use crate::camera::Camera;
use crate::chart::{Chart, Drawn, Emphasis, Heights, Picture, RenderOptions, Target};
use crate::charts::Inputs;
use crate::hit::Direction;
use crate::labels::Rect;
use crate::legend::Legend;
use crate::roofline::{
    Ceilings, Contents, Extras, InteractiveRoofline, Numbers, Planned, RoofLine, Settings, Waymark,
    merge_roof,
};
use crate::scene::{Color, Point, Scene};
use crate::tooltip::Tooltip;
use gemmscope_analysis::planner::matching::Index;
use gemmscope_analysis::planner::{Plan, PlanRow, Trail, Way};
use gemmscope_model::hardware::short_name;
use gemmscope_model::transformer::Phase;
use gemmscope_model::units::{FlopsPerSec, Seconds, format_significant};
use gemmscope_table::field::shape_label;
use gemmscope_table::result_table::ResultTable;
use gemmscope_words::charts::plan::NO_STEP;
use gemmscope_words::plan::crossing;
use gemmscope_words::plan_export;
use std::sync::{Arc, OnceLock};

/// A plan, opened together with the measured rows.
struct PlanPicture {
    plan: Arc<Plan>,
    opened: Arc<Contents>,
    colors: DeviceColors,
}

/// Opens a plan with the measured rows of a frame, in the colours of their types.
pub fn open(inputs: &Inputs<'_>, plan: Arc<Plan>) -> Chart {
    Chart::of(PlanPicture::new(inputs, plan), Vec::new())
}

impl PlanPicture {
    fn new(inputs: &Inputs<'_>, plan: Arc<Plan>) -> Self {
        let read = Settings::read(inputs).0;
        let settings = Settings {
            color: color_of_rows(inputs),
            numbers: Numbers::None,
            ceilings: Ceilings::None,
            baseline: None,
            ..read
        };
        let colors = DeviceColors::new(inputs);
        PlanPicture { plan, opened: Contents::new(inputs, settings), colors }
    }

    fn interactive(&self, options: &RenderOptions<'_>) -> InteractivePlan {
        let colors = self.colors.of(&self.plan, options.theme);
        let some = self.plan.steps.iter().any(|s| s.result.is_ok());
        let extras = Extras {
            planned: marks(&self.plan, &colors),
            waymarks: colors.first().map_or_else(Vec::new, |c| waymarks(&self.plan, *c)),
            roofs: roofs(&self.plan, &colors),
            empty: (!some).then_some(NO_STEP),
            ..Extras::default()
        };
        InteractivePlan {
            plan: self.plan.clone(),
            roofline: InteractiveRoofline::new(self.opened.clone(), extras, options),
            index: OnceLock::new(),
        }
    }
}

impl Picture for PlanPicture {
    fn scene(&self, options: &RenderOptions<'_>) -> Option<Scene> {
        let marks = Emphasis { selected: options.selected.to_vec(), ..Emphasis::default() };
        Some(self.interactive(options).saved(&marks))
    }

    fn table(&self) -> ResultTable {
        table(&self.plan)
    }

    fn heights(&self, width: f64) -> Heights {
        Heights { least: 0.0, ..Heights::filling(width) }
    }

    fn drawn(&self, options: &RenderOptions<'_>) -> Option<Box<dyn Drawn>> {
        Some(Box::new(self.interactive(options)))
    }
}

/// A drawn plan: a roofline that knows the model's GEMM of a measured row.
struct InteractivePlan {
    plan: Arc<Plan>,
    roofline: InteractiveRoofline,
    /// The model's GEMMs by shape; built when a measured row is first hovered.
    index: OnceLock<Index>,
}

impl Drawn for InteractivePlan {
    fn scene(&self) -> &Scene {
        self.roofline.scene()
    }

    fn emphasis(&self, what: &Emphasis) -> Scene {
        self.roofline.emphasis(what)
    }

    fn at(&self, at: Point, radius: f64) -> Option<Target> {
        self.roofline.at(at, radius)
    }

    fn neighbour(&self, from: Option<&Target>, direction: Direction) -> Option<Target> {
        self.roofline.neighbour(from, direction)
    }

    fn within(&self, rect: Rect) -> Vec<u32> {
        self.roofline.within(rect)
    }

    fn tooltip(&self, target: &Target) -> Tooltip {
        let out = self.roofline.tooltip(target);
        let Some(&row) = target.rows.first() else {
            return out;
        };
        let index = self.index.get_or_init(|| Index::new(&self.plan.state.model));
        match index.find(&self.roofline.frame().data.problem(row as usize)) {
            Some(gemm) => out.row("In the model", gemm.name()),
            None => out,
        }
    }

    fn camera(&self) -> Option<Camera> {
        self.roofline.camera()
    }

    fn legend(&self) -> Option<Legend> {
        self.roofline.legend()
    }

    fn saved(&self, what: &Emphasis) -> Scene {
        self.roofline.marked(what)
    }
}

/// Tooltip of a planned point: GEMM, shape, device and figures.
fn tooltip(plan: &Plan, row: &PlanRow, device: &str) -> Tooltip {
    let p = row.problem();
    let shape = shape_label(p);
    let figures = [
        ("Shape", p.to_string()),
        ("In a step", format!("{} times", row.best.gemm.count)),
        ("Intensity", p.intensity().to_string()),
        ("Roof", FlopsPerSec(row.rate()).to_string()),
        ("Bound", row.best.bound.label().to_owned()),
        ("At best", row.best.time.to_string()),
        ("Expected", row.best.expected.to_string()),
        ("Share", format!("{} % of the step", format_significant(row.share * 100.0, 3))),
        ("Ridge", crossing(row, &plan.state.workload)),
    ];
    let head = format!("{} ({shape}) on {}", row.name, short_name(device));
    let out = figures
        .into_iter()
        .fold(Tooltip::new(head), |out, (caption, value)| out.row(caption, value));
    match row.best.reference {
        Some(others) => out.row("Others reach", Seconds(others.time_s).to_string()),
        None => out,
    }
}

/// The points of a trail under a roof. A trail that passes the ridge has a corner there.
fn along_the_roof(way: &[Way], row: &PlanRow) -> Vec<(f64, f64)> {
    let ridge = (row.best.roof.ridge(), row.best.roof.peak_flops_per_s);
    let mut out: Vec<(f64, f64)> = way.iter().map(|w| (w.ai, w.rate)).collect();
    let past = |ai: f64| ai > ridge.0;
    let first =
        out.iter().position(|p| past(p.0)).or_else(|| past(row.intensity()).then_some(out.len()));
    match first {
        Some(i) if i > 0 => out.insert(i, ridge),
        _ => {}
    }
    out
}

/// The marks of a plan, in its devices' colours.
fn marks(plan: &Plan, colors: &[Color]) -> Vec<Planned> {
    let mut trails = plan.trails().into_iter();
    let mut out = Vec::new();
    for (i, (step, color)) in plan.steps.iter().zip(colors).enumerate() {
        let Ok(result) = &step.result else { continue };
        for row in &result.rows {
            // Only those of the first device have a trail and a name.
            let (way, label) = match i {
                0 => (trails.next().unwrap_or_default(), row.name.clone()),
                _ => Default::default(),
            };
            out.push(Planned {
                ai: row.intensity(),
                rate: row.rate(),
                trail: along_the_roof(&way, row),
                label,
                tooltip: tooltip(plan, row, &step.device.name),
                color: *color,
                measured: false,
            });
        }
    }
    out
}

/// Maximum number of GEMMs named at the ridge.
const NAMED: usize = 3;

/// Points where the first device's GEMMs cross the ridge, with the batch, and the slider's steps on the trail of the
/// GEMM that takes most time. The trail of an expert follows its share of the tokens.
fn waymarks(plan: &Plan, color: Color) -> Vec<Waymark> {
    let mut out: Vec<Waymark> = plan
        .crossings()
        .into_iter()
        .map(|c| {
            let at = c.rows.get(c.leading).and_then(|r| r.ridge_batch);
            let names: Vec<&str> = c
                .rows
                .iter()
                .filter(|r| r.ridge_batch == at && at.is_some())
                .map(|r| r.name.as_str())
                .collect();
            let first = |most: usize| {
                let more = match names.len().saturating_sub(most) {
                    0 => String::new(),
                    n => format!(" + {n}"),
                };
                format!("{}{more}", names[..names.len().min(most)].join(", "))
            };
            let ridge = format!("Ridge at {} FLOP/B", format_significant(c.ridge, 4));
            Waymark {
                ai: c.ridge,
                rate: c.peak,
                labels: at.map_or_else(Vec::new, |at| {
                    let at = format!("batch {at}");
                    vec![format!("{at}: {}", first(NAMED)), format!("{at}: {}", first(1)), at]
                }),
                tooltip: c.rows.iter().fold(Tooltip::new(ridge), |out, row| {
                    let from = row
                        .ridge_batch
                        .map_or_else(|| "never".to_owned(), |b| format!("from batch {b}"));
                    out.row(&row.name, from)
                }),
                color,
            }
        })
        .collect();
    let rows = plan.first().map_or(&[][..], |s| &s.rows);
    let longest = rows
        .iter()
        .zip(plan.trails())
        .filter(|(r, _)| !r.best.gemm.part.is_attention() && !r.best.gemm.part.is_routed())
        .reduce(|best, new| if best.0.share >= new.0.share { best } else { new });
    let what = match (plan.state.trail, plan.state.workload.phase) {
        (Trail::Length, Phase::Decode) => "context",
        (Trail::Length, _) => "length",
        _ => "batch",
    };
    for w in longest.iter().flat_map(|l| &l.1) {
        out.push(Waymark {
            ai: w.ai,
            rate: w.rate,
            labels: vec![format!("{what} {}", w.value), w.value.to_string()],
            tooltip: Tooltip::default(),
            color,
        });
    }
    out
}

/// The roofs of a plan's GEMMs; with several devices in the colours of their marks.
fn roofs(plan: &Plan, colors: &[Color]) -> Vec<RoofLine> {
    let mut out = Vec::new();
    let several = plan.steps.len() > 1;
    for (step, color) in plan.steps.iter().zip(colors) {
        let Ok(result) = &step.result else { continue };
        for row in &result.rows {
            if let Some(roof) = RoofLine::of(&step.device, row.problem().op.compute) {
                let color = several.then_some(*color);
                merge_roof(&mut out, RoofLine { color, ..roof });
            }
        }
    }
    out
}

/// All marks as a table.
pub fn table(plan: &Plan) -> ResultTable {
    let mut out = ResultTable::default();
    for step in &plan.steps {
        let Ok(result) = &step.result else { continue };
        let table = plan_export::table(result);
        out.header = table.header;
        for row in table.rows {
            let device = std::iter::once(step.device.name.clone());
            out.rows.push(device.chain(row).collect());
        }
    }
    out.header.insert(0, "device".to_owned());
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::palette::Theme;
    use gemmscope_analysis::planner::PlanState;
    use gemmscope_table::dataset::Dataset;
    use gemmscope_table::field::Frame;
    use gemmscope_table::view_state::ViewState;

    fn plan(hash: &str) -> Plan {
        Plan::new(PlanState::read(&ViewState::decode(hash).0).0, &[])
    }

    fn draw(plan: &Plan, theme: &Theme, size: (f64, f64)) -> InteractivePlan {
        let frame = Frame::all(Arc::new(Dataset::new()), Arc::default());
        let state = ViewState::default();
        let chart = PlanPicture::new(&Inputs::new(&frame, &state), Arc::new(plan.clone()));
        chart.interactive(&RenderOptions::new(theme, size))
    }

    #[test]
    fn a_plan_without_a_file() {
        let p = plan("plan.model=llama-2-7b&plan.batch=64&plan.devices=a100-80-sxm,mi300x");
        let drawn = draw(&p, &Theme::LIGHT, (1000.0, 560.0));
        let chart = drawn.roofline.picture();
        assert_eq!(chart.roofs.len(), 2);
        assert_eq!(chart.scene.message, None);
        // Every planned point of both devices is reachable and described.
        assert_eq!(chart.scene.hit_areas.len(), 17);
        for mark in &chart.scene.hit_areas {
            let lines = mark.tooltip.rows.len();
            // The ridge lists the six GEMMs with weights.
            let ridge = mark.tooltip.head.starts_with("Ridge at 153");
            assert_eq!(lines, if ridge { 6 } else { 9 }, "{}", mark.tooltip.head);
        }
        let (up, ridge) = (
            p.first().unwrap().rows.iter().find(|r| r.name == "up_proj").unwrap(),
            waymarks(&p, Theme::LIGHT.accent)[0].labels[0].clone(),
        );
        let at = up.ridge_batch.unwrap();
        assert_eq!(ridge, format!("batch {at}: qkv_proj, gate_proj, up_proj + 1"));
        // The steps of the slider on the trail.
        let steps: Vec<String> = waymarks(&p, Theme::LIGHT.accent)[1..]
            .iter()
            .filter_map(|w| w.labels.last().cloned())
            .collect();
        assert_eq!(steps, ["1", "2", "4", "8", "16", "32"]);
        assert_eq!(table(&p).rows.len(), 16);
        crate::testing::golden("plan-desk", &chart.scene);
        let phone = draw(&p, &Theme::DARK, (374.0, 420.0));
        crate::testing::golden("plan-phone-dark", phone.scene());
    }

    #[test]
    fn no_plan_draws_no_roof() {
        let p = plan("plan.devices=v100-sxm2");
        let drawn = draw(&p, &Theme::LIGHT, (700.0, 400.0));
        let chart = drawn.roofline.picture();
        assert!(chart.roofs.is_empty() && chart.scene.hit_areas.is_empty());
        assert!(chart.scene.message.is_some());
    }
}
