//! The step of a plan as a bar for each GEMM: its time at best, what is expected on top, and what others reach.

use super::device_colors::DeviceColors;
use crate::chart::{Chart, Heights, Picture, RenderOptions};
use crate::charts::Inputs;
use crate::labels::Rect;
use crate::layout::FONT;
use crate::legend::Swatch;
use crate::palette::{Theme, alpha};
use crate::plot::value_panel;
use crate::scale::{Scale, ScaleKind, extent};
use crate::scene::{START, Scene};
use crate::spec::{BarRows, Figure, Name, Spec};
use crate::text;
use crate::ticks::Format;
use gemmscope_analysis::planner::{Plan, PlanRow};
use gemmscope_model::hardware::short_name;
use gemmscope_words::charts::plan as words;
use gemmscope_words::plan::step;
use std::sync::Arc;

/// Height of a bar, px.
const ROW: f64 = 24.0;
/// Room above the bars for a title, and below them for ticks.
const AROUND: (f64, f64) = (26.0, 30.0);
/// Opacity of the time at best, and of what is expected on top.
const OPACITY: (f64, f64) = (0.9, 0.4);

/// Index of each figure.
const BEST: usize = 0;
const EXPECTED: usize = 1;
const OTHERS: usize = 2;

/// Bars of the steps of a plan.
struct StepBars {
    plan: Arc<Plan>,
    colors: DeviceColors,
    /// A mark is a GEMM on a device.
    spec: Spec,
    /// Device of each mark, as an index into the plan's steps.
    device: Vec<usize>,
}

/// Opens the bars of a plan, in colours that no measured row of `inputs` has.
pub fn open(inputs: &Inputs<'_>, plan: Arc<Plan>) -> Chart {
    let steps = || plan.steps.iter().enumerate();
    let most = steps().filter_map(|(_, s)| Some(s.result.as_ref().ok()?.rows.len())).max();
    // GEMM by GEMM, so that the devices of one are neighbours.
    let each =
        (0..most.unwrap_or(0)).flat_map(|gemm| steps().map(move |(on, step)| (gemm, on, step)));
    let all: Vec<(usize, &PlanRow)> = each
        .filter_map(|(gemm, on, step)| Some((on, step.result.as_ref().ok()?.rows.get(gemm)?)))
        .collect();
    let in_a_step = |of: &dyn Fn(&PlanRow) -> f64| -> Vec<f64> {
        all.iter().map(|(_, row)| of(row) * row.best.gemm.count as f64).collect()
    };
    let figures = vec![
        Figure::new("At best", "s", in_a_step(&|row| row.best.time.0)),
        Figure::new("Expected", "s", in_a_step(&|row| row.best.expected.0)),
        Figure::new(
            "Others reach",
            "s",
            in_a_step(&|row| row.best.reference.map_or(f64::NAN, |others| others.time_s)),
        ),
        Figure::new(
            "Share of the step, at best",
            "%",
            all.iter().map(|(_, row)| row.share).collect(),
        ),
    ];
    let gemms: Vec<String> = all.iter().map(|(_, row)| row.name.clone()).collect();
    let mut names: Vec<(String, Name)> =
        vec![("GEMM".to_owned(), Box::new(move |i| gemms[i].clone()))];
    if plan.steps.len() > 1 {
        let of = |on: &usize| short_name(&plan.steps[*on].device.name);
        let devices: Vec<String> = all.iter().map(|(on, _)| of(on)).collect();
        names.push(("Device".to_owned(), Box::new(move |i| devices[i].clone())));
    }
    let device = all.iter().map(|(on, _)| *on).collect();
    let spec = Spec::without_rows("bars", names, figures);
    let colors = DeviceColors::new(inputs);
    Chart::of(StepBars { plan, colors, spec, device }, Vec::new())
}

impl StepBars {
    /// Figures of a mark: at best, expected, others reach; NaN where unknown.
    fn times(&self, mark: usize) -> [f64; 3] {
        [BEST, EXPECTED, OTHERS].map(|at| self.spec.figures[at].of[mark])
    }
}

impl Picture for StepBars {
    fn spec(&self) -> Option<&Spec> {
        Some(&self.spec)
    }

    fn title(&self) -> String {
        words::step_bars(self.spec.order.len(), &step(&self.plan))
    }

    fn obstacle(&self) -> Option<String> {
        self.spec.order.is_empty().then(|| words::NO_STEP.to_owned())
    }

    fn legend(&self, theme: &Theme) -> Vec<(Swatch, String)> {
        let first = self.colors.of(&self.plan, theme).first().copied().unwrap_or(theme.other);
        let mut out = vec![
            (Swatch::Box(alpha(first, OPACITY.0)), "at best".to_owned()),
            (Swatch::Box(alpha(first, OPACITY.1)), "expected on top".to_owned()),
        ];
        if self.spec.figures[OTHERS].of.iter().any(|v| v.is_finite()) {
            out.push((Swatch::Solid(theme.text), "others reach".to_owned()));
        }
        out
    }

    fn draw(&self, scene: &mut Scene, room: Rect, options: &RenderOptions<'_>) {
        let theme = options.theme;
        let placed = BarRows { row: ROW, around: AROUND }.place(&self.spec, scene, room, options);
        let (left, width) = (placed.left, (room[2] - placed.left - 12.0).max(10.0));
        let all = self.spec.figures[..=OTHERS].iter().flat_map(|f| f.of.iter().copied());
        let (_, most) = extent(ScaleKind::Linear, all).unwrap_or((0.0, 1.0));
        // Room for the figure beside the longest bar.
        let scale = Scale::new(ScaleKind::Linear, (0.0, 1.02 * most), (left, left + width - 62.0));
        let format = Format::of("s");
        let panel = [left, placed.top, width, placed.bottom() - placed.top];
        value_panel(scene, panel, &scale, words::IN_A_STEP, &format);
        let colors = self.colors.of(&self.plan, theme);
        for (at, top) in placed.each() {
            let mark = self.spec.order[at];
            let color = colors.get(self.device[mark]).copied().unwrap_or(theme.other);
            let [best, expected, others] = self.times(mark);
            let [x_best, x_expected, x_others] = [best, expected, others].map(|v| scale.px(v));
            let bar = |from: f64, to: f64| [from, top + 4.0, (to - from).max(0.0), ROW - 8.0];
            scene.fill(bar(left, x_best), alpha(color, OPACITY.0));
            scene.fill(bar(x_best, x_expected), alpha(color, OPACITY.1));
            if x_others.is_finite() {
                scene.line(
                    vec![(x_others, top + 2.0), (x_others, top + ROW - 2.0)],
                    theme.text,
                    2.0,
                );
            }
            let end = [x_best, x_expected, x_others].into_iter().fold(left, f64::max) + 6.0;
            let label = text::ellipsis(&format.write(expected, 3), FONT, left + width - end);
            scene.text((end, top + ROW / 2.0), label, theme.muted, START);
        }
    }

    fn heights(&self, width: f64) -> Heights {
        let full = AROUND.0 + AROUND.1 + 34.0 + ROW * self.spec.order.len() as f64;
        Heights::scrolling(width, full.max(160.0))
    }
}
