//! Time of a step over the batch: a line for each device at best, and a dashed one for what is expected.

use super::device_colors::DeviceColors;
use crate::chart::{Chart, Heights, Picture, RenderOptions};
use crate::charts::Inputs;
use crate::labels::{Rect, about};
use crate::legend::Swatch;
use crate::palette::Theme;
use crate::plot::{Around, Ruler, round, xy};
use crate::scale::{ScaleKind, extent, padded};
use crate::scene::{Item, Scene, Symbol};
use crate::spec::{Figure, Name, Spec};
use crate::ticks::Format;
use crate::tooltip::Tooltip;
use gemmscope_analysis::planner::{BatchTime, Plan};
use gemmscope_model::hardware::short_name;
use gemmscope_words::charts::plan as words;
use std::sync::Arc;

/// Index of each figure.
const BATCH: usize = 0;
const BEST: usize = 1;
const EXPECTED: usize = 2;

/// Step time over batch.
struct OverBatch {
    plan: Arc<Plan>,
    colors: DeviceColors,
    /// A mark is a device at a batch, device by device.
    spec: Spec,
    /// Device of each mark, as an index into the plan's steps.
    device: Vec<usize>,
}

/// Opens the step times of a plan over the batch, in colours that no measured row of `inputs` has.
pub fn open(inputs: &Inputs<'_>, plan: Arc<Plan>) -> Chart {
    let lines = plan.over_batch();
    let each = lines.iter().enumerate().flat_map(|(on, line)| line.iter().map(move |t| (on, *t)));
    let all: Vec<(usize, BatchTime)> = each.collect();
    let of = |figure: &dyn Fn(&BatchTime) -> f64| all.iter().map(|(_, t)| figure(t)).collect();
    let figures = vec![
        Figure::new("Batch", "", of(&|t| f64::from(t.batch))),
        Figure::new("At best", "s", of(&|t| t.best_s)),
        Figure::new("Expected", "s", of(&|t| t.expected_s)),
    ];
    let name = |(on, _): &(usize, BatchTime)| short_name(&plan.steps[*on].device.name);
    let names: Vec<String> = all.iter().map(name).collect();
    let name: Name = Box::new(move |i| names[i].clone());
    let device = all.iter().map(|(on, _)| *on).collect();
    let spec = Spec::without_rows("points", vec![("Device".to_owned(), name)], figures);
    let colors = DeviceColors::new(inputs);
    Chart::of(OverBatch { plan, colors, spec, device }, Vec::new())
}

impl Picture for OverBatch {
    fn spec(&self) -> Option<&Spec> {
        Some(&self.spec)
    }

    fn title(&self) -> String {
        words::OVER_BATCH.to_owned()
    }

    fn obstacle(&self) -> Option<String> {
        self.spec.order.is_empty().then(|| words::NO_STEP.to_owned())
    }

    fn legend(&self, theme: &Theme) -> Vec<(Swatch, String)> {
        let first = self.colors.of(&self.plan, theme).first().copied().unwrap_or(theme.other);
        vec![
            (Swatch::Solid(first), "at best".to_owned()),
            (Swatch::Dashed(first), "expected".to_owned()),
        ]
    }

    fn draw(&self, scene: &mut Scene, room: Rect, options: &RenderOptions<'_>) {
        let (spec, theme) = (&self.spec, options.theme);
        let value = |figure: usize, mark: usize| spec.figures[figure].of[mark];
        let ends = |figures: &[usize]| {
            let all = figures.iter().flat_map(|f| spec.figures[*f].of.iter().copied());
            padded(ScaleKind::Log, extent(ScaleKind::Log, all).unwrap_or((1.0, 10.0)), 0.05)
        };
        let batches = round(Format::plain(""), 60.0, (2, 12));
        let x = Ruler::new("Batch (log)", (ScaleKind::Log, ends(&[BATCH])), batches);
        let times = round(Format::of("s"), 46.0, (2, 9));
        let y = Ruler::new(words::STEP_TIME, (ScaleKind::Log, ends(&[BEST, EXPECTED])), times);
        let plot = xy(scene, (room, Around::USUAL), &x, &y);
        let px = |figure: usize, mark: usize| {
            (plot.x.px(value(BATCH, mark)), plot.y.px(value(figure, mark)))
        };
        scene.items.push(Item::Clip { rect: plot.rect });
        let chosen = f64::from(self.plan.state.workload.batch);
        let [_, top, _, height] = plot.rect;
        let at = plot.x.px(chosen);
        scene.line(vec![(at, top), (at, top + height)], theme.accent, 1.0);
        for (on, color) in self.colors.of(&self.plan, theme).into_iter().enumerate() {
            let marks = spec.order.iter().copied().filter(|mark| self.device[*mark] == on);
            let [best, expected] =
                [BEST, EXPECTED].map(|f| marks.clone().map(|m| px(f, m)).collect());
            scene.line(best, color, 2.0);
            scene.dashed(expected, color, 1.5, &[5.0, 4.0]);
            for mark in marks {
                let radius = if value(BATCH, mark) == chosen { 5.0 } else { 2.5 };
                scene.mark(px(BEST, mark), radius, Symbol::Dot, color);
                scene.hit(Vec::new(), about(px(BEST, mark), 7.0), Tooltip::of(mark));
            }
        }
        scene.items.push(Item::Unclip);
    }

    fn heights(&self, width: f64) -> Heights {
        Heights::of(width, (300.0, 320.0))
    }
}
