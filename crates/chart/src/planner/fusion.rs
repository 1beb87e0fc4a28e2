//! A chain of operations after a GEMM, separate and fused: two points on the roofline with an arrow in between.

use super::{Figure, Shape, USUAL, figure};
use crate::chart::{Chart, Heights, Picture, RenderOptions};
use crate::charts::Inputs;
use crate::color_scale::ColorScale;
use crate::columns::Columns;
use crate::roofline::{Extras, Planned, Points, RoofLine, RooflineInput, roofline};
use crate::scene::Scene;
use crate::tooltip::Tooltip;
use gemmscope_analysis::planner::fusion::{Fusion, FusionStep, Run, fuse};
use gemmscope_model::roofline::Roof;
use gemmscope_model::units::{Bytes, FlopsPerSec, Seconds, format_significant, percent};
use gemmscope_table::control::{Choice, Control};
use gemmscope_table::dataset::Dataset;
use gemmscope_table::field::Frame;
use gemmscope_table::result_table::ResultTable;
use gemmscope_words::charts::tools;
use std::sync::Arc;

/// An opened chain.
pub(super) struct FusionTool {
    shape: Shape,
    roof: Option<Roof>,
    steps: Vec<FusionStep>,
    fusion: Fusion,
}

impl FusionTool {
    pub(super) fn open(inputs: &Inputs<'_>) -> Chart {
        let s = inputs.state;
        let (shape, mut controls) = Shape::read(inputs, USUAL);
        let options = FusionStep::ALL.iter().map(|x| Choice::plain(x.id())).collect();
        let usual = ["activation".to_owned()];
        let chain = Control::several(s, "fusion.steps", "Epilogue", "", options, &usual);
        let steps: Vec<FusionStep> =
            FusionStep::ALL.into_iter().filter(|x| chain.values().contains(&x.id())).collect();
        let roof = shape.device.roof(shape.problem.op.compute, s.roof);
        controls.push(chain);
        let fusion = fuse(&shape.problem, &steps, roof);
        let out = FusionTool { fusion, steps, roof, shape };
        Chart::of(out, controls)
    }

    fn both(&self) -> [(&'static str, &Run); 2] {
        [("separate", &self.fusion.separate), ("fused", &self.fusion.fused)]
    }
}

impl Picture for FusionTool {
    fn title(&self) -> String {
        format!(
            "{} with {} steps after it, separate and fused, under the roof of {}",
            self.shape.problem,
            self.steps.len(),
            self.shape.device.name
        )
    }

    fn notes(&self) -> Vec<String> {
        let (op, of) = (&self.shape.problem.op, &self.fusion);
        vec![
            tools::STEP_TRAFFIC.to_owned(),
            tools::roundings(op.c, op.compute, &of.separate, &of.fused),
        ]
    }

    fn verdict(&self) -> Vec<String> {
        let (s, f) = (&self.fusion.separate, &self.fusion.fused);
        let mut out = vec![tools::fused_saves(s, f, self.roof.is_some())];
        if self.roof.is_none() {
            let compute = self.shape.problem.op.compute;
            out.push(self.shape.device.explain_peak(compute));
        }
        out
    }

    fn figures(&self) -> Vec<Figure> {
        let (s, f) = (&self.fusion.separate, &self.fusion.fused);
        let mut out = vec![
            figure("Traffic, separate", s.bytes.to_string(), format!("{} kernels.", s.kernels)),
            figure("Traffic, fused", f.bytes.to_string(), "One kernel."),
            figure(
                "Output traffic saved",
                percent(self.fusion.output_saved()),
                format!(
                    "{} of {} for C and the steps.",
                    Bytes(s.bytes.0 - f.bytes.0),
                    self.fusion.output
                ),
            ),
            figure("Intensity, separate", s.intensity().to_string(), ""),
            figure("Intensity, fused", f.intensity().to_string(), ""),
        ];
        if self.roof.is_some() {
            out.push(figure(
                "At the roof, separate",
                s.time.to_string(),
                "Sum of the kernels' roofline times.",
            ));
            out.push(figure(
                "At the roof, fused",
                f.time.to_string(),
                FlopsPerSec(f.work.0 / f.time.0).to_string(),
            ));
            out.push(figure(
                "Saved at the roof",
                Seconds(s.time.0 - f.time.0).to_string(),
                format!(
                    "{} % of the separate time.",
                    format_significant(100.0 * (1.0 - f.time.0 / s.time.0), 3)
                ),
            ));
        }
        out
    }

    fn scene(&self, options: &RenderOptions<'_>) -> Option<Scene> {
        let theme = options.theme;
        let frame = Frame::all(Arc::new(Dataset::new()), Arc::default());
        let points = Points::new(&frame.data, &frame.metrics);
        let color_scale = ColorScale::plain(theme);
        let at = |r: &Run| (r.intensity().0, r.work.0 / r.time.0);
        let (separate, fused) = (at(&self.fusion.separate), at(&self.fusion.fused));
        let roofs = RoofLine::of(&self.shape.device, self.shape.problem.op.compute);
        let mut extras = Extras { roofs: roofs.into_iter().collect(), ..Extras::default() };
        if self.roof.is_some() {
            extras.planned.extend(self.both().map(|(name, r)| Planned {
                ai: at(r).0,
                rate: at(r).1,
                trail: Vec::new(),
                label: name.to_owned(),
                tooltip: Tooltip::new(format!(
                    "{name}: {}, {} moved, {}",
                    r.intensity(),
                    r.bytes,
                    r.time
                )),
                measured: false,
                color: if name == "fused" { theme.accent } else { theme.warn },
            }));
            extras.arrow = Some([separate, fused]);
        }
        // Show both points, the ridge and a part of the slope.
        let zoom = self.roof.map(|r| {
            let all = [separate, fused, (r.ridge(), r.peak_flops_per_s)];
            let low = |of: fn(&(f64, f64)) -> f64| all.iter().map(of).fold(f64::INFINITY, f64::min);
            let high = |of: fn(&(f64, f64)) -> f64| all.iter().map(of).fold(0.0, f64::max);
            ((low(|p| p.0) / 5.0, high(|p| p.0) * 3.0), (low(|p| p.1) / 5.0, high(|p| p.1) * 1.6))
        });
        let drawn = roofline(&RooflineInput {
            zoom,
            extras: &extras,
            ..RooflineInput::new(
                &frame,
                &points,
                &color_scale,
                theme,
                (options.width, options.height),
            )
        });
        Some(drawn.scene)
    }

    fn table(&self) -> ResultTable {
        let columns = Columns::new()
            .text("", |(name, _): &(&str, &Run)| (*name).to_owned())
            .text("kernels", |(_, r)| r.kernels.to_string())
            .text("bytes", |(_, r)| r.bytes.0.to_string())
            .text("work (FLOP)", |(_, r)| r.work.0.to_string())
            .text("AI (FLOP/B)", |(_, r)| format_significant(r.intensity().0, 6))
            .text("time at the roof (s)", |(_, r)| r.time.0.to_string())
            .text("roundings of C", |(_, r)| r.roundings.to_string());
        columns.table(self.both())
    }

    fn heights(&self, width: f64) -> Heights {
        Heights::of(width, (380.0, 460.0))
    }
}
