//! Pictures against goldens. `UPDATE_GOLDEN=1 cargo test --test chart` writes them anew;
//! `GEMMSCOPE_DATA` names a folder of real files, which are drawn too where it is set.

#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

use gemmscope::chart::coloring::Coloring;
use gemmscope::chart::palette::Theme;
use gemmscope::chart::roofline::{
    Arrow, Input, Overlay, Planned, Points, SizeBy, hit_grid, open_grid, overlay, roofline, table,
};
use gemmscope::chart::scene::Scene;
use gemmscope::chart::svg::svg;
use gemmscope::chart::view::{self, Look, View};
use gemmscope::dataset::{Column, ColumnData, Dataset, Role, Source};
use gemmscope::dtype::DataType;
use gemmscope::field::{Field, Frame};
use gemmscope::gemm::Operation;
use gemmscope::hardware::{self, RoofKind};
use gemmscope::metrics::Metrics;
use gemmscope::view_state::ViewState;
use std::path::PathBuf;
use std::sync::Arc;

/// A small, fixed pseudo-random sequence (xorshift), the same on every machine.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[(self.next() % from.len() as u64) as usize]
    }
}

/// Rows that look like a benchmark of `models` on one device: some memory-bound, some not, a few
/// above the roof, a few without a time.
fn dataset(rows: usize, device: &str) -> Dataset {
    let mut dice = Dice(0x9E37_79B9_7F4A_7C15);
    let mut d = Dataset::new();
    d.sources.push(Source {
        name: "bench.csv".into(),
        ..Source::default()
    });
    d.devices = vec![String::new(), device.to_owned()];
    d.ops = vec![
        Operation::uniform(DataType::Fp16),
        Operation::uniform(DataType::Bf16),
        Operation::uniform(DataType::Fp8E4m3Fnuz),
    ];
    let roofs = [1307.4e12, 1307.4e12, 2614.9e12];
    let models = [
        "",
        "llama3-8b",
        "llama3-70b",
        "mixtral",
        "deepseek-v3",
        "square",
    ];
    let mut codes = Vec::new();
    let mut counts = Vec::new();
    for i in 0..rows {
        let model = 1 + (dice.next() % 5) as u32;
        let op = dice.pick(&[0u16, 0, 0, 1, 1, 2]);
        let m = dice.pick(&[1u32, 8, 16, 64, 256, 1024, 4096, 8192]);
        let n = 1024 * dice.pick(&[1u32, 2, 4, 5, 7, 8, 14, 28]);
        let k = 1024 * dice.pick(&[1u32, 2, 4, 5, 8, 14]);
        d.m.push(m);
        d.n.push(n);
        d.k.push(k);
        d.batch.push(1);
        d.op.push(op);
        d.device.push(1);
        d.source.push(0);
        d.line.push(i as u32 + 2);
        let p = d.problem(i);
        let (work, bytes) = (p.work().0, p.bytes().0);
        let roof = (work / roofs[op as usize]).max(bytes / 5.3e12);
        let share = match i % 41 {
            40 => 1.3 + dice.unit(),
            _ => 0.08 + 0.75 * dice.unit().sqrt() * dice.unit().sqrt(),
        };
        let time = if i % 29 == 28 { f64::NAN } else { roof / share };
        d.time_s.push(time);
        codes.push(model);
        counts.push(f64::from(dice.pick(&[1u32, 8, 32, 80])));
    }
    d.columns.push(Column {
        key: "model".into(),
        label: "Model".into(),
        role: Role::Model,
        unit: String::new(),
        data: ColumnData::Text {
            codes,
            values: models.map(str::to_owned).to_vec(),
        },
    });
    d.columns.push(Column {
        key: "count".into(),
        label: "Calls".into(),
        role: Role::Count,
        unit: String::new(),
        data: ColumnData::Number(counts),
    });
    d
}

fn frame_of(d: Dataset, device: Option<&str>) -> Frame {
    let device = device.and_then(hardware::by_id).cloned();
    let devices = vec![device; d.devices.len()];
    let metrics = Metrics::compute(&d, devices, RoofKind::Datasheet);
    Frame::all(Arc::new(d), Arc::new(metrics))
}

fn frame(rows: usize) -> Frame {
    frame_of(dataset(rows, "MI300X"), Some("mi300x"))
}

fn colored(frame: &Frame, field: &str, theme: &Theme) -> Coloring {
    match Field::parse(field).and_then(|f| frame.info(&f)) {
        Some(info) => Coloring::by(frame, &info, theme),
        None => Coloring::plain(theme),
    }
}

/// Compares text with a golden file, or writes it.
fn golden(name: &str, text: &str) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("tests/golden/chart")
        .join(name);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        return;
    }
    let kept = std::fs::read_to_string(&path)
        .unwrap_or_else(|e| panic!("{name}: {e}; UPDATE_GOLDEN=1 writes it"));
    if kept != text {
        let at = kept.lines().zip(text.lines()).position(|(a, b)| a != b);
        let line = at.unwrap_or(kept.lines().count().min(text.lines().count()));
        panic!(
            "{name} differs from line {}:\n- {}\n+ {}",
            line + 1,
            kept.lines().nth(line).unwrap_or("(end)"),
            text.lines().nth(line).unwrap_or("(end)")
        );
    }
}

/// The scene as text and as SVG.
fn both(name: &str, scene: &Scene) {
    golden(&format!("{name}.txt"), &scene.dump());
    golden(&format!("{name}.svg"), &svg(scene));
}

/// The eight rows with the longest total time.
fn expensive(frame: &Frame, n: usize) -> Vec<u32> {
    let get = frame.numbers(&Field::TotalTime);
    let mut rows: Vec<u32> = frame
        .rows
        .iter()
        .copied()
        .filter(|r| !get(*r as usize).is_nan())
        .collect();
    rows.sort_by(|a, b| get(*b as usize).total_cmp(&get(*a as usize)).then(a.cmp(b)));
    rows.truncate(n);
    rows
}

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
        let mut input = Input::new(&frame, &points, &coloring, &theme, size);
        input.numbered = &top;
        let chart = roofline(&input);
        both(name, &chart.scene);
        let grid = hit_grid(&input, &chart.plot);
        assert_eq!(grid.len() as u64, chart.counts.in_view);
        let (rows, total) = table(&input, &chart.plot, 5);
        assert_eq!((rows.rows.len(), total), (5, chart.counts.in_view));
        assert!(rows.csv().starts_with("File,Line,"));
    }
}

#[test]
fn roofline_by_size_and_number_with_own_ceilings_and_plans() {
    let frame = frame(60);
    let points = Points::new(&frame.data, &frame.metrics);
    let theme = Theme::DARK;
    let coloring = colored(&frame, "m", &theme);
    let own = |r: usize| frame.metrics.rate[r] * 1.6;
    let planned = [Planned {
        ai: 600.0,
        rate: 4e14,
        trail: vec![(90.0, 1.2e14), (250.0, 2.4e14)],
        label: "planned 4096³".into(),
        name: "planned 4096³ on a device".into(),
        color: theme.accent,
    }];
    let arrows = [Arrow {
        from: (30.0, 2e13),
        to: (60.0, 1.5e14),
        color: theme.accent,
    }];
    let mut input = Input::new(&frame, &points, &coloring, &theme, (900.0, 560.0));
    input.size = SizeBy::Time;
    input.own_ceiling = Some(&own);
    input.planned = &planned;
    input.arrows = &arrows;
    both("roofline-sized-dark", &roofline(&input).scene);
}

#[test]
fn roofline_at_measured_bytes() {
    let mut data = dataset(48, "MI300X");
    // Two of three were profiled: from a bit under the compulsory bytes to many times as much.
    let counted = (0..data.len())
        .map(|r| match r % 3 {
            0 => f64::NAN,
            _ => data.problem(r).bytes().0 * (0.8 + 0.4 * (r % 7) as f64),
        })
        .collect();
    data.columns.push(Column {
        key: "measured_bytes".into(),
        label: "measured bytes".into(),
        role: Role::MeasuredBytes,
        unit: "B".into(),
        data: ColumnData::Number(counted),
    });
    let frame = frame_of(data, Some("mi300x"));
    let points = Points::new(&frame.data, &frame.metrics);
    let theme = Theme::LIGHT;
    let coloring = colored(&frame, "dtype", &theme);
    let mut input = Input::new(&frame, &points, &coloring, &theme, (1040.0, 640.0));
    let chart = roofline(&input);
    both("roofline-measured-light", &chart.scene);
    // The 29th row was not timed: it has no place at measured bytes either.
    let timed = (0..48).filter(|r| r % 3 != 0 && r % 29 != 28).count() as u64;
    assert_eq!(chart.counts.measured, timed);
    assert_eq!(open_grid(&input, &chart.plot).len() as u64, timed);
    let (shown, _) = table(&input, &chart.plot, 2);
    let at = shown.header.len() - 1;
    assert_eq!(shown.header[at], "AI by measured bytes (FLOP/B)");
    assert_eq!(shown.rows[0][at], "");
    let ratio: f64 =
        shown.rows[1][4].parse::<f64>().unwrap() / shown.rows[1][at].parse::<f64>().unwrap();
    assert!((ratio - 1.2).abs() < 1e-9, "{ratio}");
    let over = overlay(
        &input,
        &chart.plot,
        &Overlay {
            hovered: Some(1),
            ..Overlay::default()
        },
    );
    assert!(over.dump().contains("Open"));

    input.measured = false;
    let without = roofline(&input);
    assert!(!without.scene.dump().contains("Open"));
    assert_eq!(without.counts.measured, timed);
    assert_eq!(open_grid(&input, &without.plot).len(), 0);
    assert_eq!(table(&input, &without.plot, 1).0.header.len(), at);
}

#[test]
fn roofline_density() {
    let frame = frame(60_000);
    let points = Points::new(&frame.data, &frame.metrics);
    let theme = Theme::LIGHT;
    let coloring = colored(&frame, "c.model", &theme);
    let input = Input::new(&frame, &points, &coloring, &theme, (1040.0, 640.0));
    let chart = roofline(&input);
    assert!(chart.dense);
    golden("roofline-density-light.txt", &chart.scene.dump());
    if let Some(out) = std::env::var_os("GEMMSCOPE_OUT") {
        std::fs::write(PathBuf::from(out).join("density.svg"), svg(&chart.scene)).unwrap();
    }
}

#[test]
fn roofline_hover_and_selection_lie_on_top() {
    let frame = frame(240);
    let points = Points::new(&frame.data, &frame.metrics);
    let theme = Theme::LIGHT;
    let coloring = colored(&frame, "c.model", &theme);
    let input = Input::new(&frame, &points, &coloring, &theme, (1040.0, 640.0));
    let chart = roofline(&input);
    let over = overlay(
        &input,
        &chart.plot,
        &Overlay {
            hovered: Some(17),
            selected: vec![3, 40, 99],
            brush: Some([300.0, 200.0, 160.0, 90.0]),
        },
    );
    golden("roofline-overlay.txt", &over.dump());
    let mut together = chart.scene.clone();
    together.items.extend(over.items);
    golden("roofline-overlay.svg", &svg(&together));
}

#[test]
fn a_roofline_without_anything_to_draw_says_why() {
    let theme = Theme::LIGHT;
    let plain = Coloring::plain(&theme);
    let say = |frame: &Frame, zoom| {
        let points = Points::new(&frame.data, &frame.metrics);
        let mut input = Input::new(frame, &points, &plain, &theme, (600.0, 400.0));
        input.zoom = zoom;
        roofline(&input).scene.message.unwrap_or_default()
    };
    assert_eq!(
        say(&frame_of(Dataset::new(), None), None),
        "No GEMMs yet: open a file."
    );
    let mut none = frame(50);
    none.rows = Arc::new(Vec::new());
    assert_eq!(say(&none, None), "No GEMM passes the filters.");
    let mut shapes = dataset(50, "");
    shapes.time_s.fill(f64::NAN);
    let unknown = frame_of(shapes.clone(), None);
    assert!(say(&unknown, None).starts_with("No GEMM here has a measured time."));
    assert_eq!(say(&frame_of(shapes, Some("mi300x")), None), "");
    let far = Some(((1e-9, 1e-8), (1.0, 2.0)));
    assert!(say(&frame(50), far).starts_with("All GEMMs are outside"));
}

#[test]
fn a_roofline_of_odd_values_or_sizes_never_fails() {
    let odd = [0.0, -1.0, f64::NAN, f64::INFINITY, 1e-300, 1e300, 1e-6];
    let mut d = dataset(odd.len() * odd.len(), "");
    for (i, t) in d.time_s.iter_mut().enumerate() {
        *t = odd[i % odd.len()];
    }
    for (i, m) in d.m.iter_mut().enumerate() {
        *m = [0, 1, u32::MAX][i % 3];
    }
    let frame = frame_of(d, Some("h100-sxm"));
    let points = Points::new(&frame.data, &frame.metrics);
    let theme = Theme::DARK;
    let coloring = colored(&frame, "m", &theme);
    let numbered: Vec<u32> = (0..60).collect();
    for a in odd {
        for b in odd {
            let mut input = Input::new(&frame, &points, &coloring, &theme, (a * 100.0, b));
            input.numbered = &numbered;
            input.hidden = &[true, false];
            input.dpr = a;
            input.density_above = 3;
            input.size = SizeBy::Count;
            input.zoom = Some(((a, b), (b, a)));
            let chart = roofline(&input);
            assert!(svg(&chart.scene).ends_with("</svg>\n"));
            let _ = hit_grid(&input, &chart.plot);
            let _ = chart.zoom_about((a, b), a);
        }
    }
}

/// Labels of numbered points and roofs: on plates or boxes, so their rectangles are in the scene.
#[test]
fn labels_never_overlap_and_never_leave_the_plot() {
    use gemmscope::chart::labels::{contains, overlaps};
    use gemmscope::chart::scene::Item;
    let frame = frame(400);
    let points = Points::new(&frame.data, &frame.metrics);
    let theme = Theme::LIGHT;
    let coloring = colored(&frame, "c.model", &theme);
    let top = expensive(&frame, 40);
    for size in [
        (1040.0, 640.0),
        (700.0, 300.0),
        (358.0, 420.0),
        (200.0, 160.0),
    ] {
        let mut input = Input::new(&frame, &points, &coloring, &theme, size);
        input.numbered = &top;
        let chart = roofline(&input);
        let after = chart
            .scene
            .items
            .iter()
            .rposition(|i| matches!(i, Item::Unclip))
            .unwrap();
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
fn real_files_draw() {
    let Some(folder) = std::env::var_os("GEMMSCOPE_DATA") else {
        return;
    };
    let path = PathBuf::from(folder).join("iree-kernel-benchmark/hipblaslt-gemm.csv");
    let Ok(bytes) = std::fs::read(path) else {
        return;
    };
    let read = gemmscope::import::read_all("hipblaslt-gemm.csv", &bytes, &Default::default());
    let Ok(gemmscope::import::Imported::Table(data)) = read else {
        return;
    };
    let frame = frame_of(*data, Some("mi300x"));
    let points = Points::new(&frame.data, &frame.metrics);
    let theme = Theme::LIGHT;
    let coloring = colored(&frame, "dtype", &theme);
    let top = expensive(&frame, 8);
    let mut input = Input::new(&frame, &points, &coloring, &theme, (1040.0, 640.0));
    input.numbered = &top;
    let chart = roofline(&input);
    assert_eq!(chart.counts.passing, frame.rows.len() as u64);
    if let Some(out) = std::env::var_os("GEMMSCOPE_OUT") {
        std::fs::write(PathBuf::from(out).join("real.svg"), svg(&chart.scene)).unwrap();
    }
}

fn look(theme: &Theme, width: f64, height: f64, first: (usize, usize)) -> Look<'_> {
    Look {
        theme,
        width,
        height,
        selected: &[],
        first,
    }
}

fn state(params: &[(&str, &str)]) -> ViewState {
    let mut state = ViewState::default();
    for (key, value) in params {
        state.set_param(key, *value);
    }
    state
}

/// A view as the page opens it: by key, with settings of a link.
fn open(id: &str, frame: &Frame, params: &[(&str, &str)]) -> Box<dyn View> {
    (view::by_id(id).unwrap().open)(frame, &state(params))
}

const DESK: (f64, f64) = (1040.0, 520.0);
const PHONE: (f64, f64) = (358.0, 420.0);

#[test]
fn heatmaps() {
    let frame = frame(900);
    let map = open(
        "heat",
        &frame,
        &[("heat.x", "n"), ("heat.y", "k"), ("heat.value", "attained")],
    );
    assert_eq!(map.table().rows.len(), 48);
    let scene = map.scene(&look(&Theme::LIGHT, DESK.0, DESK.1, (0, 0)));
    assert!(scene.scroll().is_none());
    both("heatmap-light", &scene);
    let phone = open(
        "heat",
        &frame,
        &[
            ("heat.x", "time"),
            ("heat.y", "c.model"),
            ("heat.cell", "weighted"),
            ("heat.sort_y", "value"),
        ],
    );
    both(
        "heatmap-phone-dark",
        &phone.scene(&look(&Theme::DARK, PHONE.0, PHONE.1, (0, 0))),
    );
    let row = open(
        "heat",
        &frame,
        &[("heat.form", "row"), ("heat.along", "shape")],
    );
    let scene = row.scene(&look(&Theme::LIGHT, DESK.0, 320.0, (0, 0)));
    let (_, columns, rows) = scene.scroll().unwrap();
    assert!(columns.scrolls() && rows.total == 1);
    assert_eq!(row.table().rows.len(), columns.total);
    both("heatmap-row-light", &scene);
    let found = open(
        "heat",
        &frame,
        &[
            ("heat.form", "row"),
            ("heat.along", "shape"),
            ("heat.find", "4096 × 4096"),
        ],
    );
    let names: Vec<String> = found
        .table()
        .rows
        .into_iter()
        .map(|r| r[0].clone())
        .collect();
    assert!(!names.is_empty() && names.iter().all(|n| n.contains("4096 × 4096")));
}

#[test]
fn split_bars() {
    let frame = frame(300);
    let bars = open("bars", &frame, &[]);
    let scene = bars.scene(&look(&Theme::LIGHT, 1040.0, 640.0, (0, 20)));
    let (_, _, rows) = scene.scroll().unwrap();
    assert_eq!((rows.first, rows.total), (20, 300));
    assert_eq!(scene.marks.len(), rows.shown);
    both("bars-light", &scene);
    let phone = open(
        "bars",
        &frame,
        &[
            ("bars.group", "c.model"),
            ("bars.cell", "weighted"),
            ("color", "c.model"),
            ("bars.scale", "linear"),
        ],
    );
    both(
        "bars-phone-dark",
        &phone.scene(&look(&Theme::DARK, PHONE.0, PHONE.1, (0, 0))),
    );
    // Past the end is the end; the order can be turned round.
    let up = open("bars", &frame, &[("bars.up", "1")]);
    let rate = |v: &dyn View| {
        v.table()
            .rows
            .iter()
            .map(|r| r[3].clone())
            .filter(|r| !r.is_empty())
            .collect::<Vec<_>>()
    };
    let (mut down, up) = (rate(&*bars), rate(&*up));
    down.reverse();
    assert!(down == up && down.len() > 200);
    let last = bars.scene(&look(&Theme::LIGHT, 1040.0, 640.0, (0, 9999)));
    assert_eq!(last.scroll().unwrap().2.first, 300 - rows.shown);
}

#[test]
fn strips() {
    let frame = frame(600);
    let strip = open("strip", &frame, &[]);
    both(
        "strip-light",
        &strip.scene(&look(&Theme::LIGHT, DESK.0, DESK.1, (0, 0))),
    );
    let phone = open(
        "strip",
        &frame,
        &[
            ("strip.x", "c.model"),
            ("strip.value", "attained"),
            ("strip.sort", "value"),
            ("color", "none"),
        ],
    );
    both(
        "strip-phone-dark",
        &phone.scene(&look(&Theme::DARK, PHONE.0, PHONE.1, (0, 0))),
    );
}

#[test]
fn analysis_cards() {
    use gemmscope::view_state::RowRef;
    let frame = frame(60);
    let kind = view::by_id("card").unwrap();
    let mut state = ViewState::default();
    let dearest = (kind.open)(&frame, &state);
    assert!(dearest.notes()[0].contains("Nothing is selected"));
    state.selection = [3, 7, 11]
        .iter()
        .map(|r| RowRef::of(*r, &frame.data))
        .collect();
    let three = (kind.open)(&frame, &state);
    assert_eq!(three.table().header.len(), 4);
    let scene = three.scene(&look(&Theme::LIGHT, DESK.0, three.height(DESK.0), (0, 0)));
    assert_eq!(
        scene.marks.iter().map(|m| m.rows[0]).collect::<Vec<_>>(),
        [3, 7, 11]
    );
    both("card-light", &scene);
    let height = three.height(PHONE.0);
    both(
        "card-phone-dark",
        &three.scene(&look(&Theme::DARK, PHONE.0, height, (0, 0))),
    );
}

#[test]
fn every_view_takes_any_field_any_size_and_any_data() {
    let odd = [0.0, -1.0, f64::NAN, f64::INFINITY, 1e-300, 1e300];
    let mut d = dataset(60, "");
    for (i, t) in d.time_s.iter_mut().enumerate() {
        *t = odd[i % odd.len()];
    }
    let mut none = frame(5);
    none.rows = Arc::new(Vec::new());
    for frame in [
        frame_of(d, Some("mi300x")),
        none,
        frame_of(Dataset::new(), None),
        frame(1),
    ] {
        for kind in view::VIEWS {
            // Every value of every setting, the others as they come.
            let mut settings = vec![ViewState::default()];
            for control in (kind.open)(&frame, &ViewState::default()).controls() {
                use gemmscope::chart::control::Kind;
                let values: Vec<String> = match control.kind {
                    Kind::Choice { options }
                    | Kind::Field { options }
                    | Kind::Several { options, .. } => {
                        options.into_iter().map(|o| o.value).collect()
                    }
                    Kind::Toggle => vec!["0".into(), "1".into()],
                    Kind::Number { min, max, .. } => vec![min.to_string(), max.to_string()],
                    _ => vec!["4".into(), "no such name".into()],
                };
                for value in values {
                    let mut state = ViewState::default();
                    state.set_param(&control.key, value);
                    settings.push(state);
                }
            }
            for state in settings {
                let opened = (kind.open)(&frame, &state);
                let table = opened.table();
                assert!(
                    table.rows.iter().all(|r| r.len() == table.header.len()),
                    "{}",
                    kind.id
                );
                for (theme, size) in [
                    (&Theme::LIGHT, (800.0, 400.0)),
                    (&Theme::DARK, (90.0, 60.0)),
                ] {
                    let scene = opened.scene(&look(theme, size.0, size.1, (7, 9999)));
                    assert!(svg(&scene).ends_with("</svg>\n"));
                    // Never an empty page without a word.
                    assert!(
                        !scene.marks.is_empty()
                            || scene.message.is_some()
                            || scene.scroll().is_some(),
                        "{} {state:?}",
                        kind.id
                    );
                    assert!(opened.height(size.0).is_finite());
                }
            }
        }
    }
}
