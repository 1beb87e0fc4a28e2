//! Rounding of a sum of K products: certain bound, expected error and the tolerance, over K.

use super::{Context, LARGEST, Tool, figure, types, whole};
use crate::charts::{Chart, RenderOptions};
use crate::labels::{Placer, Rect};
use crate::layout;
use crate::layout::{Axis, FONT, Margins, NARROW, Plot};
use crate::legend;
use crate::palette::Theme;
use crate::plot::{Page, plot};
use crate::scale::{Kind, Scale};
use crate::scene::{Anchor, Baseline, Color, Item, Scene, Symbol};
use crate::ticks;
use crate::ticks::Format;
use gemmscope_analysis::planner::rounding::{Errors, errors, tolerance, tolerance_text};
use gemmscope_model::dtype::DataType;
use gemmscope_model::gemm::Operation;
use gemmscope_model::units::format_significant;
use gemmscope_table::control::Control;
use gemmscope_table::result_table::Table;

/// An opened check.
pub(super) struct RoundingTool {
    k: u32,
    accumulate: DataType,
    output: DataType,
    tolerance: (f64, f64),
    /// The tolerance that a replay of a GEMM of this type and K tests with; `None` for integers.
    replay: Option<(f64, f64)>,
    errors: Option<Errors>,
    controls: Vec<Control>,
}

/// K along the axis: powers of two.
const FIRST: u32 = 4;
const LAST: u32 = 20;

/// Name, colour, K and error.
type Curve = (&'static str, Color, Vec<(f64, f64)>);

impl RoundingTool {
    pub(super) fn open(context: &Context<'_>) -> Self {
        let s = context.state;
        let k = Control::count(s, "tool.k", "K", "Products summed", (1, LARGEST), 4096);
        let output = types(s, "tool.type", "Output", "Type of C", DataType::Fp16);
        let accumulate =
            types(s, "num.acc", "Accumulator", "Type of the accumulator", DataType::Fp32);
        let part =
            |key, label, hint| Control::number(s, key, label, hint, (0.0, 1e6, 0.001), "", 0.01);
        let atol = part("num.atol", "atol", "Absolute part of |x − y| ≤ atol + rtol |y|.");
        let rtol = part("num.rtol", "rtol", "Relative part of |x − y| ≤ atol + rtol |y|.");
        let of = |c: &Control, d| DataType::by_id(&c.current).unwrap_or(d);
        let (acc, out) = (of(&accumulate, DataType::Fp32), of(&output, DataType::Fp16));
        RoundingTool {
            k: whole(&k),
            accumulate: acc,
            output: out,
            tolerance: (atol.as_number(), rtol.as_number()),
            errors: errors(whole(&k), acc, out),
            replay: tolerance(whole(&k), &Operation::uniform(out), true),
            controls: vec![k, output, accumulate, atol, rtol],
        }
    }

    fn curve(&self, of: fn(&Errors) -> f64) -> Vec<(f64, f64)> {
        (FIRST * 4..=LAST * 4)
            .filter_map(|i| {
                let k = (f64::from(i) / 4.0).exp2();
                let e = errors(k as u32, self.accumulate, self.output)?;
                Some((k, of(&e)))
            })
            .filter(|p| p.1 > 0.0 && p.1.is_finite())
            .collect()
    }

    fn curves(&self, theme: &Theme) -> [Curve; 4] {
        [
            ("certain bound of the sum", theme.categories[1], self.curve(|e| e.bound)),
            ("expected error of the sum", theme.accent, self.curve(|e| e.sum)),
            ("largest absolute error in C", theme.categories[3], self.curve(|e| e.worst_absolute)),
            ("rounding of the output", theme.categories[2], self.curve(|e| e.worst_output)),
        ]
    }

    /// Errors over K, both logarithmic.
    fn draw(
        &self,
        scene: &mut Scene,
        theme: &Theme,
        room: Rect,
        curves: &[Curve],
        (low, high): (f64, f64),
    ) {
        let y_domain = (low / 2.0, high.min(1e6) * 2.0);
        let [_, top, width, height] = room;
        let draft = Scale::new(Kind::Log, y_domain, (height, 0.0));
        let format = Format::plain("");
        let power = |mut ticks: Vec<ticks::Tick>| {
            for t in &mut ticks {
                if t.label.is_some() {
                    t.label = Some(format!("{:.0e}", t.value));
                }
            }
            ticks
        };
        let y_ticks = power(ticks::ticks(&draft, ((height / 46.0) as usize).clamp(2, 9), &format));
        let margins = Margins::for_ticks(&y_ticks);
        let margins = Margins { top: margins.top + top, ..margins };
        let rect = margins.rect(width, top + height);
        let plot = Plot::new(
            rect,
            Scale::new(Kind::Log, (f64::from(1u32 << FIRST), f64::from(1u32 << LAST)), (0.0, 1.0)),
            Scale::new(Kind::Log, y_domain, (1.0, 0.0)),
        );
        layout::backdrop(scene, &plot, theme);
        let x_ticks =
            ticks::ticks(&plot.x, ((rect[2] / 80.0) as usize).clamp(2, 8), &Format::plain(""));
        let axis = |title: &str, ticks| Axis { title: title.to_owned(), ticks, grid: true };
        layout::axes(scene, &plot, theme, &axis("K (log)", x_ticks), &axis("Error (log)", y_ticks));
        let px = |p: &(f64, f64)| (plot.x.px(p.0), plot.y.px(p.1));
        scene.items.push(Item::Clip { rect });
        for (_, color, line) in curves {
            scene.line(line.iter().map(px).collect(), *color, 2.0);
        }
        if self.tolerance.0 > 0.0 {
            let y = plot.y.px(self.tolerance.0);
            scene.dashed(vec![(rect[0], y), (rect[0] + rect[2], y)], theme.warn, 2.0, &[6.0, 4.0]);
        }
        let x = plot.x.px(f64::from(self.k));
        scene.dashed(vec![(x, rect[1]), (x, rect[1] + rect[3])], theme.muted, 1.0, &[2.0, 3.0]);
        if let Some(e) = &self.errors {
            for (of, (_, color, _)) in
                [e.bound, e.sum, e.worst_absolute, e.worst_output].into_iter().zip(curves)
            {
                if of > 0.0 && of.is_finite() {
                    scene.items.push(Item::Symbol {
                        at: (x, plot.y.px(of)),
                        radius: 4.0,
                        symbol: Symbol::Dot,
                        color: *color,
                    });
                }
            }
        }
        scene.items.push(Item::Unclip);
        let label = format!("K = {}", self.k);
        let size = (crate::text::width(&label, FONT, false) + 4.0, FONT + 4.0);
        let mut placer = Placer::new(rect);
        if let Some(r) = placer.first([
            [x + 4.0, rect[1] + 3.0, size.0, size.1],
            [x - size.0 - 4.0, rect[1] + 3.0, size.0, size.1],
        ]) {
            scene.text(
                (r[0] + 2.0, r[1] + r[3] / 2.0),
                label,
                FONT,
                theme.text,
                (Anchor::Start, Baseline::Middle),
            );
        }
    }
}

impl Chart for RoundingTool {
    fn scene(&self, options: &RenderOptions<'_>) -> Scene {
        let theme = options.theme;
        let title = format!(
            "Rounding of a sum of K products in {}, output in {}: error over K",
            self.accumulate, self.output
        );
        let curves = self.curves(theme);
        let legend = curves
            .iter()
            .map(|c| (legend::Swatch::Solid(c.1), c.0.to_owned()))
            .chain([(legend::Swatch::Dashed(theme.warn), "tolerance: atol".to_owned())])
            .collect();
        let all = curves.iter().flat_map(|c| c.2.iter().map(|p| p.1)).chain([self.tolerance.0]);
        let (low, high) = all
            .filter(|v| *v > 0.0)
            .fold((f64::INFINITY, 0.0f64), |(a, b), v| (a.min(v), b.max(v)));
        let none = "Integers are exact until they overflow: nothing is rounded.";
        let page = Page { legend, ..Page::new(title, (low > high).then_some(none)) };
        plot(options, page, |scene, room| self.draw(scene, theme, room, &curves, (low, high)))
    }

    fn table(&self) -> Table {
        let header =
            ["K", "certain bound", "expected, relative", "largest absolute", "output rounding"];
        let rows = (FIRST..=LAST)
            .filter_map(|i| {
                let e = errors(1 << i, self.accumulate, self.output)?;
                Some(
                    [f64::from(1u32 << i), e.bound, e.sum, e.worst_absolute, e.worst_output]
                        .iter()
                        .enumerate()
                        .map(|(i, v)| if i == 0 { v.to_string() } else { format!("{v:.3e}") })
                        .collect(),
                )
            })
            .collect();
        Table::of(&header, rows)
    }

    fn controls(&self) -> Vec<Control> {
        self.controls.clone()
    }

    fn notes(&self) -> Vec<String> {
        vec![
            "Unit normal A and B, summed one after the other, against an exact reference of the same inputs. Expected error of the sum u √(K / 6) of a typical entry √K; largest of a million entries 5.26 times that; certain bound K u / (1 − K u) of the sum of magnitudes; output u.".to_owned(),
            "Sources: Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., section 3.1; Higham and Mary, SIAM J. Sci. Comput. 41(5), 2019, for the growth with √K. Tiled and tree sums err less; inputs of one sign, whose partial sums grow with K, err more.".to_owned(),
        ]
    }

    fn height(&self, width: f64) -> f64 {
        if width < NARROW { 400.0 } else { 440.0 }
    }
}

impl Tool for RoundingTool {
    fn verdict(&self) -> Vec<String> {
        vec![match &self.errors {
            Some(e) => format!(
                "atol {} and rtol {}: {}",
                self.tolerance.0,
                self.tolerance.1,
                e.verdict(self.tolerance.0, self.tolerance.1).sentence()
            ),
            None => "A block format has no single unit roundoff: its error depends on the scales."
                .to_owned(),
        }]
    }

    fn figures(&self) -> Vec<(String, String, String)> {
        let Some(e) = &self.errors else {
            return Vec::new();
        };
        let n = |v: f64| {
            if v == 0.0 || !v.is_finite() { format_significant(v, 3) } else { format!("{v:.2e}") }
        };
        vec![
            figure("Expected, of the sum", n(e.sum), "Relative to a typical entry of C."),
            figure("Certain bound", n(e.bound), "Relative to the sum of magnitudes."),
            figure(
                "Largest absolute error",
                n(e.worst_absolute),
                "Of a million entries; what atol must allow.",
            ),
            figure("Rounding of the output", n(e.worst_output), "Relative; what rtol must allow."),
            figure(
                "Tolerance of a replay",
                self.replay.map_or_else(|| "exact".to_owned(), tolerance_text),
                "Four times the largest error, with room for parts that split-K keeps in the output's format: what `gemmscope replay` tests with.",
            ),
            figure(
                "In all, typical",
                n(e.sum.hypot(e.output)),
                "Sum and output rounding together, relative.",
            ),
        ]
    }
}
