//! Example chart of the book's chapter on extending: the time of each data type, as bars.

use crate::aggregate::Groups;
use crate::band_scale::Order;
use crate::chart::{Chart, Heights, Picture, RenderOptions};
use crate::charts::ChartKind;
use crate::labels::Rect;
use crate::plot::{value_bar, value_panel};
use crate::scale::{Scale, ScaleKind, extent};
use crate::scene::Scene;
use crate::spec::{BarRows, Figure, Spec};
use crate::ticks::Format;
use gemmscope_table::field::Frame;

/// Its entry in `CHARTS`.
const KIND: ChartKind = ChartKind {
    id: "types",
    name: "Types",
    hint: "Which data type takes the time",
    open: |inputs| TimeByType::open(inputs.frame),
    ..ChartKind::PLAIN
};

/// Height of a bar, px.
const ROW: f64 = 24.0;

struct TimeByType {
    spec: Spec,
}

impl TimeByType {
    fn open(frame: &Frame) -> Chart {
        let data = &frame.data;
        // A mark per operation: its rows, name and figures.
        let operations: Vec<u32> =
            frame.rows.iter().map(|row| u32::from(data.op[*row as usize])).collect();
        let groups = Groups::of(frame, data.ops.len(), &operations);
        let names: Vec<String> = data.ops.iter().map(|op| op.types()).collect();
        let time_s = |group| groups.get(group).iter().map(|r| data.time_s[*r as usize]).sum();
        let times: Vec<f64> = (0..groups.len()).map(time_s).collect();
        let mut spec = Spec::new(
            frame,
            "bars",
            vec![("Type".to_owned(), Box::new(move |group| names[group].clone()))],
            groups,
            vec![Figure::new("Time", "s", times.clone())],
        );
        spec.sort((Order::Value, false), &times);
        Chart::of(TimeByType { spec }, Vec::new())
    }
}

impl Picture for TimeByType {
    // Legend, sentences, tooltips, table and the text for screen readers follow from it.
    fn spec(&self) -> Option<&Spec> {
        Some(&self.spec)
    }

    fn title(&self) -> String {
        format!("Time by type, {} bars", self.spec.order.len())
    }

    fn draw(&self, scene: &mut Scene, room: Rect, options: &RenderOptions<'_>) {
        let placed =
            BarRows { row: ROW, around: (24.0, 28.0) }.place(&self.spec, scene, room, options);
        let (left, width) = (placed.left, room[2] - placed.left - 12.0);
        let times = &self.spec.figures[0].of;
        let (_, most) = extent(ScaleKind::Linear, times.iter().copied()).unwrap_or((0.0, 1.0));
        let scale = Scale::new(ScaleKind::Linear, (0.0, 1.08 * most), (left, left + width));
        let format = Format::of("s");
        let panel = [left, placed.top, width, placed.bottom() - placed.top];
        value_panel(scene, panel, &scale, "Time", &format);
        for (bar, top) in placed.each() {
            let time_s = times[self.spec.order[bar]];
            let (color, _) = options.theme.category(0);
            let label = format.write(time_s, 4);
            value_bar(scene, [left, top, width, ROW], &scale, (time_s, label), color, f64::NAN);
        }
    }

    fn heights(&self, width: f64) -> Heights {
        Heights::scrolling(width, 104.0 + ROW * self.spec.order.len() as f64)
    }
}

#[test]
fn bars_are_the_time_of_each_type() {
    use crate::charts::Inputs;
    use crate::palette::Theme;
    use gemmscope_model::{dtype::DataType, gemm::Operation};
    use gemmscope_table::{fixture, view_state::ViewState};

    let mut rows = fixture::Rows::new();
    for (dtype, time_s) in
        [(DataType::Bf16, 1e-3), (DataType::Fp8E4m3, 2e-3), (DataType::Bf16, 4e-3)]
    {
        rows.typed((512, 512, 512), Operation::uniform(dtype), "", time_s, "");
    }
    let chart = (KIND.open)(&Inputs::new(&rows.frame(None), &ViewState::default()));
    let scene = chart.scene(&RenderOptions::new(&Theme::LIGHT, (900.0, 400.0)));
    assert_eq!((scene.title.as_str(), scene.hit_areas.len()), ("Time by type, 2 bars", 2));
    let first = &chart.table().rows[0];
    assert!(first[0].starts_with("bf16"), "{first:?}");
}
