//! The roofline: points, sizes, plans, measured bytes, density, hover, labels.

use crate::data::{colored, dataset, expensive, frame, frame_of};
use crate::golden::{golden, picture, picture_and_table};
use gemmscope_analysis::ledger::Columns;
use gemmscope_chart::chart::{Emphasis, RenderOptions};
use gemmscope_chart::charts::{Inputs, by_id};
use gemmscope_chart::color_scale::ColorScale;
use gemmscope_chart::hit::Direction;
use gemmscope_chart::palette::Theme;
use gemmscope_chart::roofline::{
    AiAxis, By, Extras, Planned, Points, RooflineInput, hit_grid, open_grid, overlay, roofline,
    table,
};
use gemmscope_chart::tooltip::Tooltip;
use gemmscope_model::dtype::DataType;
use gemmscope_model::gemm::Operation;
use gemmscope_model::hardware::MemoryLevel;
use gemmscope_table::data_kind::DataKind;
use gemmscope_table::dataset::{Column, ColumnData, ColumnMeaning, Dataset, RatePoint, Source};
use gemmscope_table::field::Frame;
use gemmscope_table::fixture::Rows;
use gemmscope_table::view_state::ViewState;
use std::sync::Arc;

#[test]
fn roofline_of_some_hundred_points() {
    let frame = frame(240);
    let points = Points::new(&frame.data, &frame.metrics);
    let top = expensive(&frame, 10);
    for (name, theme, size) in [
        ("roofline-light", Theme::LIGHT, (1040.0, 640.0)),
        ("roofline-dark", Theme::DARK, (1040.0, 640.0)),
        ("roofline-phone", Theme::LIGHT, (358.0, 420.0)),
    ] {
        let coloring = colored(&frame, "c.model", &theme);
        let mut input = RooflineInput::new(&frame, &points, &coloring, &theme, size);
        input.numbered = &top;
        let chart = roofline(&input);
        let grid = hit_grid(&input, &chart.plot);
        assert_eq!(grid.len() as u64, chart.counts.in_view);
        let (rows, total) = table(&input, &chart.plot, 5);
        picture_and_table(name, &chart.scene, &[], &rows);
        assert_eq!((rows.rows.len(), total), (5, chart.counts.in_view));
        assert!(rows.csv().starts_with("File,Line,"));
    }
}

#[test]
fn roofline_with_own_ceilings_and_plans() {
    let frame = frame(60);
    let points = Points::new(&frame.data, &frame.metrics);
    let theme = Theme::DARK;
    let coloring = colored(&frame, "m", &theme);
    let own = |r: usize| frame.metrics.rate(&frame.data, r) * 1.6;
    let planned = Planned {
        ai: 600.0,
        rate: 4e14,
        trail: vec![(90.0, 1.2e14), (250.0, 2.4e14)],
        label: "planned 4096³".into(),
        tooltip: Tooltip { head: "planned 4096³ on a device".into(), ..Tooltip::default() },
        color: theme.accent,
        measured: false,
    };
    let extras = Extras {
        planned: vec![planned],
        arrow: Some([(30.0, 2e13), (60.0, 1.5e14)]),
        ..Extras::default()
    };
    let mut input = RooflineInput::new(&frame, &points, &coloring, &theme, (900.0, 560.0));
    input.own_ceiling = Some(&own);
    input.extras = &extras;
    picture("roofline-extras-dark", &roofline(&input).scene);
}

/// A file that states only intensity and rate, and two rows: each point is under the roof of its device, in the table,
/// and reachable by pointer and keyboard.
#[test]
fn points_without_sizes_stand_under_the_roof() {
    let mut data = dataset(2, "MI300X");
    let point = |line, name: &str, intensity, rate| RatePoint {
        line,
        name: name.into(),
        intensity,
        rate,
        dtype: DataType::Fp16,
        device: "MI300X".into(),
    };
    data.sources[0].points = vec![point(2, "out", 120.0, 318e12), point(3, "", 1200.0, 653.7e12)];
    let frame = frame_of(data, Some("mi300x"));
    let state = ViewState::default();
    let chart = (by_id("roofline").unwrap().open)(&Inputs::new(&frame, &state));
    let table = chart.table();
    assert_eq!(table.rows.len(), 4);
    assert_eq!(table.rows[2][1..4], ["2", "not stated", "fp16"]);
    // 318 TFLOP/s of 5.3 TB/s x 120 FLOP/B, 653.7 of the peak's 1307.4.
    let share = table.header.iter().position(|h| h.starts_with("% of roof")).unwrap();
    let near = |row: usize| table.rows[row][share].parse::<f64>().unwrap();
    assert!((near(2) - 50.0).abs() < 0.1 && (near(3) - 50.0).abs() < 0.1, "{:?}", table.rows);

    let drawn = chart.drawn(&RenderOptions::new(&Theme::LIGHT, (900.0, 560.0))).unwrap();
    let first = drawn.neighbour(None, Direction::Right).unwrap();
    let second = drawn.neighbour(Some(&first), Direction::Right).unwrap();
    let third = drawn.neighbour(Some(&second), Direction::Right).unwrap();
    assert_eq!((first.tooltip.head.as_str(), second.tooltip.head.as_str()), ("out", "line 3"));
    assert_eq!((first.rows.len(), third.rows.len()), (0, 1));
    assert_eq!(drawn.at(first.at, 4.0).unwrap().tooltip, first.tooltip);
}

#[test]
fn roofline_at_measured_bytes() {
    let mut data = dataset(48, "MI300X");
    // Two of three were profiled: from slightly below the compulsory bytes to many times as much.
    let counted = (0..data.len())
        .map(|r| match r % 3 {
            0 => f64::NAN,
            _ => data.problem(r).bytes().0 * (0.8 + 0.4 * (r % 7) as f64),
        })
        .collect();
    data.columns.push(Column {
        key: "measured_bytes".into(),
        label: "measured bytes".into(),
        meaning: ColumnMeaning::MeasuredBytes,
        unit: "B".into(),
        data: ColumnData::Number(counted),
    });
    let frame = frame_of(data, Some("mi300x"));
    let points = Points::new(&frame.data, &frame.metrics);
    let theme = Theme::LIGHT;
    let coloring = colored(&frame, "dtype", &theme);
    let mut input = RooflineInput::new(&frame, &points, &coloring, &theme, (1040.0, 640.0));
    let chart = roofline(&input);
    let (shown, _) = table(&input, &chart.plot, 2);
    picture_and_table("roofline-measured-light", &chart.scene, &[], &shown);
    // The 29th row was not timed, so it has no place at measured bytes either.
    let timed = (0..48).filter(|r| r % 3 != 0 && r % 29 != 28).count() as u64;
    assert_eq!(chart.counts.measured[0], timed);
    assert_eq!(open_grid(&input, &chart.plot).len() as u64, timed);
    let at = shown.header.len() - 1;
    assert_eq!(shown.header[at], "AI by DRAM bytes (FLOP/B)");
    assert_eq!(shown.rows[0][at], "");
    let ratio: f64 =
        shown.rows[1][4].parse::<f64>().unwrap() / shown.rows[1][at].parse::<f64>().unwrap();
    assert!((ratio - 1.2).abs() < 1e-9, "{ratio}");
    let over = overlay(&input, &chart, &Emphasis { elsewhere: vec![1], ..Emphasis::default() });
    assert!(over.dump().contains("Open"));

    // With another level: a mark for each, and points at either.
    let mut data = (*frame.data).clone();
    let mut column = data.columns.last().unwrap().clone();
    column.key = "measured_l2_bytes".into();
    column.meaning = ColumnMeaning::MeasuredL2Bytes;
    if let ColumnData::Number(bytes) = &mut column.data {
        bytes.iter_mut().for_each(|b| *b *= 4.0);
    }
    data.columns.push(column);
    let deep = frame_of(data, Some("mi300x"));
    let (points, at_l2) = (
        Points::new(&deep.data, &deep.metrics),
        Points::by(&deep.data, &deep.metrics, By::Bytes(MemoryLevel::L2)),
    );
    let mut levels = RooflineInput::new(&deep, &points, &coloring, &theme, (1040.0, 640.0));
    levels.ai = AiAxis::All;
    let all = roofline(&levels);
    assert_eq!(all.counts.measured, [timed, timed, 0]);
    assert_eq!(open_grid(&levels, &all.plot).len() as u64, 2 * timed);
    levels.points = &at_l2;
    levels.ai = AiAxis::At(MemoryLevel::L2);
    let l2 = roofline(&levels);
    assert_eq!(l2.counts.in_view, timed);
    assert_eq!(l2.counts.nowhere, 48 - timed);
    let (shown, _) = table(&levels, &l2.plot, 1);
    assert_eq!(shown.header.last().unwrap(), "AI by L2 bytes (FLOP/B)");

    input.measured = false;
    let without = roofline(&input);
    assert!(!without.scene.dump().contains("Open"));
    assert_eq!(without.counts.measured[0], timed);
    assert_eq!(open_grid(&input, &without.plot).len(), 0);
    assert_eq!(table(&input, &without.plot, 1).0.header.len(), at);
}

#[test]
fn roofline_density() {
    let frame = frame(60_000);
    let points = Points::new(&frame.data, &frame.metrics);
    let theme = Theme::LIGHT;
    let coloring = colored(&frame, "c.model", &theme);
    let input = RooflineInput::new(&frame, &points, &coloring, &theme, (1040.0, 640.0));
    let chart = roofline(&input);
    assert!(chart.dense);
    picture("roofline-density-light", &chart.scene);
}

#[test]
fn roofline_hover_and_selection_lie_on_top() {
    let frame = frame(240);
    let points = Points::new(&frame.data, &frame.metrics);
    let theme = Theme::LIGHT;
    let coloring = colored(&frame, "c.model", &theme);
    let input = RooflineInput::new(&frame, &points, &coloring, &theme, (1040.0, 640.0));
    let chart = roofline(&input);
    let over = overlay(
        &input,
        &chart,
        &Emphasis {
            elsewhere: vec![17],
            selected: vec![3, 40, 99],
            brush: Some([300.0, 200.0, 160.0, 90.0]),
            ..Emphasis::default()
        },
    );
    // Short enough to be read directly, with its coordinates.
    golden("roofline-overlay.txt", &over.dump());
}

#[test]
fn a_roofline_without_anything_to_draw_says_why() {
    let theme = Theme::LIGHT;
    let plain = ColorScale::plain(&theme);
    let say = |frame: &Frame, zoom| {
        let points = Points::new(&frame.data, &frame.metrics);
        let mut input = RooflineInput::new(frame, &points, &plain, &theme, (600.0, 400.0));
        input.zoom = zoom;
        roofline(&input).scene.message.unwrap_or_default()
    };
    assert_eq!(say(&frame_of(Dataset::new(), None), None), "No GEMMs yet: open a file.");
    let mut unusable = Dataset::new();
    unusable.sources.push(Source::default());
    assert_eq!(say(&frame_of(unusable, None), None), "No usable rows in what is open.");
    let mut none = frame(50);
    none.rows = Arc::new(Vec::new());
    assert_eq!(say(&none, None), "No row passes the filters.");
    let mut shapes = dataset(50, "");
    shapes.time_s.fill(f64::NAN);
    let unknown = frame_of(shapes.clone(), None);
    assert!(say(&unknown, None).starts_with("No row has a time."));
    assert_eq!(say(&frame_of(shapes, Some("mi300x")), None), "");
    let far = Some(((1e-9, 1e-8), (1e4, 2e4)));
    assert!(say(&frame(50), far).starts_with("All rows are outside"));
}

/// Labels of numbered points and roofs: they have plates or boxes, so their rectangles are in the scene.
#[test]
fn labels_never_overlap_and_never_leave_the_plot() {
    use gemmscope_chart::labels::{contains, overlaps};
    use gemmscope_chart::scene::Item;
    let frame = frame(400);
    let points = Points::new(&frame.data, &frame.metrics);
    let theme = Theme::LIGHT;
    let coloring = colored(&frame, "c.model", &theme);
    let top = expensive(&frame, 40);
    for size in [(1040.0, 640.0), (700.0, 300.0), (358.0, 420.0), (200.0, 160.0)] {
        let mut input = RooflineInput::new(&frame, &points, &coloring, &theme, size);
        input.numbered = &top;
        let chart = roofline(&input);
        let after = chart.scene.items.iter().rposition(|i| matches!(i, Item::Unclip)).unwrap();
        let boxes: Vec<[f64; 4]> = chart.scene.items[after..]
            .iter()
            .filter_map(|i| match i {
                Item::Rect { rect, .. } => Some(*rect),
                _ => None,
            })
            .collect();
        assert!(!boxes.is_empty());
        for (i, a) in boxes.iter().enumerate() {
            assert!(contains(chart.plot.rect, *a), "{size:?} {a:?}");
            for b in &boxes[..i] {
                assert!(!overlaps(*a, *b), "{size:?} {a:?} {b:?}");
            }
        }
    }
}

#[test]
fn points_that_nothing_else_tells_apart_have_the_colour_of_their_largest_loss() {
    let nn = Operation::uniform(DataType::Fp16);
    let frame = |library: &str| {
        let mut rows = Rows::new();
        for (op, time) in [(nn, 4e-4), (Operation { trans_b: true, ..nn }, 2e-4), (nn, 4.1e-4)] {
            rows.typed((4096, 4096, 4096), op, "x", time, "");
        }
        rows.typed((4096, 4096, 2048), nn, library, 2e-4, "");
        rows.frame(Some("h100-sxm")).with_derived(Columns::new())
    };
    let default = |frame: &Frame, by_loss| {
        let state = ViewState::default();
        let inputs = Inputs { by_loss, ..Inputs::new(frame, &state) };
        let controls = (by_id("roofline").unwrap().open)(&inputs).said.controls.clone();
        controls.iter().find(|c| c.key == "color").unwrap().default.clone()
    };
    let plain = frame("x").as_kind(Some(DataKind::Benchmark));
    assert_eq!(default(&plain, true), "c.ledger.largest_loss");
    // An embed, and rows of two libraries.
    assert_eq!(default(&plain, false), "transposes");
    let two = frame("y").as_kind(Some(DataKind::Benchmark));
    assert_eq!(default(&two, true), "c.library");
}
