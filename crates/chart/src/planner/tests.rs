use super::*;
use crate::chart::Chart;
use crate::chart::RenderOptions;
use crate::palette::Theme;
use crate::scene::Item;
use gemmscope_analysis::planner::Plan;
use gemmscope_table::dataset::{ColumnMeaning, Dataset};
use gemmscope_table::field::Frame;
use gemmscope_table::fixture;
use std::sync::Arc;

/// A tool as it opens for a plan on an A100.
fn open(id: &str, hash: &str) -> Chart {
    let hash = format!("plan.devices=a100-80-sxm,h100-sxm&{hash}");
    open_with(id, &hash, &Frame::all(Arc::new(Dataset::new()), Arc::default()))
}

fn open_with(id: &str, hash: &str, frame: &Frame) -> Chart {
    let state = ViewState::decode(hash).0;
    let kind = TOOLS.iter().find(|t| t.id == id).unwrap();
    (kind.open)(&Inputs::new(frame, &state))
}

fn value(tool: &Chart, label: &str) -> String {
    let found = tool.said.figures.clone().into_iter().find(|f| f.0 == label);
    found.unwrap_or_else(|| panic!("no figure {label}")).1
}

fn look(theme: &Theme, width: f64, tool: &Chart) -> crate::scene::Scene {
    let scene = tool.spoken(&RenderOptions::new(theme, (width, tool.height(width))));
    for mark in &scene.hit_areas {
        assert!(mark.rect.iter().all(|v| v.is_finite()) && !mark.tooltip.sentence().is_empty());
    }
    assert!(!scene.title.is_empty());
    scene
}

#[test]
fn pictures_of_every_tool() {
    for (id, hash) in [
        ("tile", "tool.m=4096"),
        ("flat", ""),
        ("order", "tool.m=2304&tool.n=2304"),
        ("fusion", "fusion.steps=bias,activation"),
    ] {
        let tool = open(id, hash);
        crate::testing::golden(&format!("planner-{id}-desk"), &look(&Theme::LIGHT, 960.0, &tool));
        crate::testing::golden(&format!("planner-{id}-phone"), &look(&Theme::DARK, 360.0, &tool));
        let table = tool.table();
        assert!(!table.rows.is_empty() && table.rows.iter().all(|r| r.len() == table.header.len()));
        assert!(!tool.said.notes.is_empty());
    }
}

#[test]
fn the_step_of_a_plan_as_bars_and_over_the_batch() {
    let frame = Frame::all(Arc::new(Dataset::new()), Arc::default());
    let plan = |hash: &str| Arc::new(Plan::new(PlanState::read(&ViewState::decode(hash).0).0, &[]));
    let state = ViewState::default();
    let inputs = Inputs::new(&frame, &state);
    let two = plan("plan.model=llama-2-7b&plan.batch=64&plan.devices=a100-80-sxm,mi300x");
    let bars = step_bars::open(&inputs, two.clone());
    let batches = over_batch::open(&inputs, two.clone());
    for (name, chart) in [("plan-step", &bars), ("plan-batch", &batches)] {
        crate::testing::golden(&format!("{name}-desk"), &look(&Theme::LIGHT, 560.0, chart));
        crate::testing::golden(&format!("{name}-phone"), &look(&Theme::DARK, 340.0, chart));
    }
    // The bars of a device add up to its step.
    let table = bars.table();
    let of = |device: &str, column: usize| -> f64 {
        let rows = table.rows.iter().filter(|r| r[1] == device);
        rows.map(|r| r[column].parse::<f64>().unwrap()).sum()
    };
    let (step, device) = (two.first().unwrap(), short_name(&two.steps[0].device.name));
    assert!((of(&device, 2) * 1e-6 / step.totals.time.0 - 1.0).abs() < 1e-6, "{table:?}");
    assert!((of(&device, 3) * 1e-6 / step.totals.expected.0 - 1.0).abs() < 1e-6);
    // The chosen batch has the time of the step.
    let chosen = batches.table().rows.into_iter().find(|r| r[0] == device && r[1] == "64").unwrap();
    assert!((chosen[2].parse::<f64>().unwrap() * 1e-6 / step.totals.time.0 - 1.0).abs() < 1e-6);
    // Without a device it is an example that says so; a device without the types has no step.
    let example = step_bars::open(&inputs, plan("")).said.title.clone();
    assert!(example.ends_with("on H100 80GB HBM3 (an example: choose your device)"), "{example}");
    let none = step_bars::open(&inputs, plan("plan.devices=v100-sxm2")).said.obstacle.clone();
    assert!(none.is_some_and(|why| why.starts_with("No step")));
}

#[test]
fn names_of_axes_are_whole_and_what_is_called_hatched_is() {
    let texts = |id: &str, hash: &str| {
        let tool = open(id, hash);
        look(&Theme::LIGHT, 960.0, &tool).dump()
    };
    let order = texts("order", "tool.m=2304&tool.n=2304");
    assert_eq!(order.matches("tile along M").count(), 2, "{order}");
    // The swatch is drawn before the words.
    let tile = texts("tile", "tool.m=4096");
    let before = tile.split("hatched: cannot run").next().unwrap();
    let last: Vec<&str> = before.lines().rev().skip(1).take(4).collect();
    assert!(last.iter().all(|l| l.starts_with("line")), "{last:?}");
}

#[test]
fn a_tool_takes_the_first_device_of_the_plan() {
    let device = |hash: &str| {
        let tool = open_with("tile", hash, &Frame::all(Arc::new(Dataset::new()), Arc::default()));
        let controls = &tool.said.controls;
        controls.iter().find(|c| c.key == "tool.device").unwrap().current.clone()
    };
    assert_eq!(device(""), "a100-80-sxm");
    assert_eq!(device("plan.devices=mi300x,h100-sxm"), "mi300x");
    assert_eq!(device("plan.devices=mi300x&tool.device=l4"), "l4");
}

#[test]
fn without_the_bandwidth_of_l2_there_is_no_map() {
    let tool = open("tile", "tool.device=h100-sxm");
    assert!(tool.table().rows.is_empty());
    assert!(tool.said.notes[0].starts_with("No map of tiles: no source states the L2 bandwidth"));
    assert!(tool.said.controls.iter().all(|c| c.key != "tool.x"));
    // Where it is known, small tiles are far below large ones.
    let tool = open("tile", "");
    let table = tool.table();
    let at = |name: &str| table.header.iter().position(|h| h.starts_with(name)).unwrap();
    let roof = |m: &str, n: &str| {
        let row = table.rows.iter().find(|r| r[at("BM")] == m && r[at("BN")] == n).unwrap();
        row[at("Shape roof")].parse::<f64>().unwrap()
    };
    assert!(roof("16", "16") < 0.25 * roof("128", "128"));
}

#[test]
fn the_overflow_is_named() {
    let tool = open("tile", "");
    assert_eq!(value(&tool, "One stage"), "48.0 KiB");
    assert_eq!(value(&tool, "Accumulator"), "128 KiB");
    assert_eq!(value(&tool, "Registers per thread"), "64");
    assert_eq!(value(&tool, "Shared memory"), "144 KiB");
    // The default is a tile that runs with every compiler.
    let said = tool.said.verdict.clone();
    assert!(said.len() == 1 && said[0].contains(" per SM at most, limited by"), "{said:?}");
    let four = open("tile", "tool.stages=4");
    assert!(
        four.said.verdict[1].contains("fits with one less (144 KiB)"),
        "{:?}",
        four.said.verdict.clone()
    );
    let five = open("tile", "tool.stages=5");
    assert!(
        five.said.verdict[0].contains("192 KiB of shared memory even with one buffer less"),
        "{:?}",
        five.said.verdict.clone()
    );
    let three = open("tile", "tool.stages=3");
    assert!(
        three.said.verdict[0].starts_with("1 workgroup per SM at most, limited by"),
        "{:?}",
        three.said.verdict.clone()
    );
    let spill = open("tile", "tool.bm=256&tool.bn=256&tool.warps=4&tool.stages=1");
    assert!(spill.said.verdict[0].contains("spills"), "{:?}", spill.said.verdict.clone());
}

#[test]
fn ninety_against_fifty_four() {
    let tool = open(
        "order",
        "tool.m=1152&tool.n=1152&tool.k=576&tool.bm=128&tool.bn=128&order.group=3&order.programs=9",
    );
    assert_eq!(value(&tool, "Tiles"), "9 × 9");
    assert_eq!(value(&tool, "Loads, row by row"), "90");
    assert_eq!(value(&tool, "Loads, grouped"), "54");
    assert_eq!(value(&tool, "Best group size"), "3");
}

#[test]
fn fused_traffic() {
    let tool = open("fusion", "");
    assert_eq!(value(&tool, "Traffic, separate"), "168 MB");
    assert_eq!(value(&tool, "Traffic, fused"), "101 MB");
    assert!(tool.said.notes[1].contains("rounded to fp16 once instead of 2 times"));
    for width in [358.0, 960.0] {
        crate::testing::clear_of_lines(&look(&Theme::LIGHT, width, &tool));
    }
}

#[test]
fn flat_ratios_and_a_measured_sweep_beside() {
    let tool = open("flat", "");
    assert_eq!(value(&tool, "Ratio, K 4096"), "12.780 (BN 32) to 15.724 (BN 512)");
    assert_eq!(value(&tool, "Ratio, K 12288"), "12.793 (BN 32) to 15.744 (BN 512)");
    let alone = look(&Theme::LIGHT, 960.0, &tool).hit_areas.len();
    assert_eq!(alone, 90);
    let mut rows = fixture::Rows::new();
    let width = rows.table().number_column(ColumnMeaning::TileN, "tile_n");
    for bn in [32, 64, 128] {
        rows.table().set_number(width, f64::from(bn));
        rows.row((8, 16384, 4096), "", 1e-4 / f64::from(bn), "");
    }
    let frame = rows.frame(Some("a100-80-sxm"));
    let both = open_with("flat", "", &frame);
    let scene = look(&Theme::LIGHT, 960.0, &both);
    assert!(scene.hit_areas.len() > alone);
    // The widest tile is the fastest and the model's choice: both are marked.
    let agrees = |m: &crate::scene::HitArea| {
        let words = m.tooltip.sentence();
        words.contains("Measured best") && words.contains("Model's best")
    };
    assert!(scene.hit_areas.iter().any(agrees));
    crate::testing::golden("planner-flat-measured", &scene);
    // Measured cells lie in the regions of the model, by their number of workgroups.
    let outlines = |scene: &crate::scene::Scene| {
        let dashed = |i: &&Item| matches!(i, Item::Line { dash, .. } if !dash.is_empty());
        scene.items.iter().filter(dashed).count()
    };
    assert_eq!(outlines(&scene), outlines(&look(&Theme::LIGHT, 960.0, &tool)) + 1);
    let asked = open_with("flat", "flat.units=256", &frame);
    let scene = look(&Theme::LIGHT, 960.0, &asked);
    let measured = &scene.hit_areas[alone..];
    for (bn, blocks, bounded) in [(32, 512, "memory"), (128, 128, "parallelism")] {
        let tip = measured.iter().map(|m| m.tooltip.sentence());
        let tip =
            tip.filter(|t| t.contains(&format!("× 16384 × 4096, BN {bn}:"))).collect::<String>();
        let figures = [format!("Workgroups {blocks};"), format!("Limit {bounded}")];
        assert!(figures.iter().all(|f| tip.contains(f)), "{tip}");
    }
    assert_eq!(
        outlines(&scene),
        outlines(&look(&Theme::LIGHT, 960.0, &open("flat", "flat.units=256"))) + 2
    );
}

#[test]
fn flat_lists_are_ones_own() {
    let tool = open("flat", "flat.k=8192&flat.n=4096,2048&flat.bn=64 16");
    let table = tool.table();
    assert_eq!(table.rows.len(), 4);
    assert_eq!(table.rows[0][..3], ["8192", "2048", "16"]);
    assert_eq!(tool.said.verdict.len(), 1);
    let wrong = open("flat", "flat.k=1,2,3&flat.bn=wide");
    assert_eq!(wrong.table().rows.len(), 90);
    let said = wrong.said.verdict.clone();
    assert!(
        said[0].contains("at most 2 values")
            && said[1].contains("expected a whole number from 1 to")
            && said[1].contains(": wide"),
        "{said:?}"
    );
}

#[test]
fn any_setting_is_survived() {
    for v in ["0", "1", "-3", "16777216", "nan", "1e9", "x", "2.5"] {
        for tool in TOOLS {
            let hash = format!(
                "tool.m={v}&tool.n={v}&tool.k={v}&tool.bm={v}&tool.bn={v}&tool.bk={v}&tool.warps={v}&tool.stages={v}&tool.split={v}&flat.m={v}&flat.k={v}&flat.n={v}&flat.bn={v}&flat.units={v}&order.group={v}&order.programs={v}&num.atol={v}&num.rtol={v}&tool.device={v}&tool.type={v}"
            );
            for hash in [
                hash.as_str(),
                "tool.device=v100-sxm2&tool.type=bf16",
                "tool.type=int8&num.acc=int8",
            ] {
                let tool = open(tool.id, hash);
                let _ = (
                    look(&Theme::DARK, 300.0, &tool),
                    tool.table(),
                    tool.said.notes.clone(),
                    tool.said.verdict.clone(),
                    tool.said.figures.clone(),
                );
            }
        }
    }
}

#[test]
fn a_measured_shape_is_opened() {
    let mut state = ViewState::default();
    let mut p = Problem::new(8944, 2816, 1024, DataType::Bf16);
    let tile = Tile { m: 224, n: 128, k: Some(64) };
    take_shape(&mut state, &p, Some("mi300x"), Some(tile), (Some(4), None));
    assert_eq!(state.param("tool.warps"), Some("4"));
    let tool = open("tile", &state.encode());
    assert_eq!(value(&tool, "Tiles"), "40 × 22");
    // 224 x 64 x 2 bytes.
    assert_eq!(value(&tool, "A tile"), "28.0 KiB");
    // Settings that the tools cannot express stay as they were.
    p.op.compute = DataType::Fp6;
    take_shape(&mut state, &p, None, None, (None, None));
    assert_eq!(state.param("tool.type"), Some("bf16"));
    assert_eq!(state.param("tool.bm"), Some("224"));
}

#[test]
fn a_measured_row_beats_the_model_in_the_tile_map() {
    let mut rows = fixture::Rows::new();
    let t = rows.table();
    let columns = [
        (ColumnMeaning::TileM, 256.0),
        (ColumnMeaning::TileN, 128.0),
        (ColumnMeaning::TileK, 64.0),
        (ColumnMeaning::Warps, 16.0),
        (ColumnMeaning::Stages, 5.0),
    ]
    .map(|(meaning, value)| (t.number_column(meaning, &format!("{meaning:?}")), value));
    for (column, value) in columns {
        t.set_number(column, value);
    }
    rows.row((4096, 4096, 4096), "", 1e-3, "");
    let frame = rows.frame(Some("a100-80-sxm"));
    let hash = "tool.device=a100-80-sxm&tool.m=4096&tool.n=4096&tool.k=4096&tool.stages=5";
    let cell = |frame: &Frame| {
        let scene = look(&Theme::LIGHT, 960.0, &open_with("tile", hash, frame));
        let of = |a: &&crate::scene::HitArea| a.tooltip.head.starts_with("BM 256, BN 128");
        scene.hit_areas.iter().find(of).cloned().unwrap()
    };
    let none = cell(&Frame::all(Arc::new(Dataset::new()), Arc::default()));
    assert!(none.rows.is_empty() && !none.tooltip.sentence().contains("Measured"));
    let ran = cell(&frame);
    assert_eq!(ran.rows, [0]);
    assert!(
        ran.tooltip.sentence().contains("Measured 137")
            && ran.tooltip.sentence().contains("by the model"),
        "{}",
        ran.tooltip.sentence()
    );
}

#[test]
fn a_device_alone_shows_what_others_have_published() {
    let own = [fixture::published_h100()];
    let frame = Frame::all(Arc::new(Dataset::new()), Arc::default());
    let open = |hash: &str, own: &[Device]| {
        let state = ViewState::decode(hash).0;
        let kind = TOOLS.iter().find(|t| t.id == published::ID).unwrap();
        (kind.open)(&Inputs { own, ..Inputs::new(&frame, &state) })
    };
    let tool = open("tool.m=4096&tool.n=4096&tool.k=4096", &own);
    assert_eq!(value(&tool, "Others reach"), "166 µs");
    let said = "4096 × 4096 × 4096 on NVIDIA H100 80GB HBM3: others reach 166 µs (";
    assert!(tool.said.verdict[0].starts_with(said), "{}", tool.said.verdict[0]);
    assert!(tool.said.notes[0].contains("35\u{202f}742 shapes"), "{:?}", tool.said.notes);
    // What others published was not measured here: the device keeps its achievable rate.
    assert_eq!(
        tool.said.notes[1],
        "Best published rate 960.9 TFLOP/s, above the achievable 857.0 TFLOP/s."
    );
    let drawn = tool.drawn(&RenderOptions::new(&Theme::LIGHT, (700.0, 420.0))).unwrap();
    let words = format!("{:?}", drawn.scene());
    assert!(words.contains("achievable 857") && !words.contains("measured here"));
    let bands = drawn.scene().items.iter().filter(|i| matches!(i, Item::Polygon { .. }));
    assert_eq!((bands.count(), drawn.scene().message.clone()), (1, None));
    // Those of the first view.
    assert!(tool.table().rows.len() > 30_000, "{}", tool.table().rows.len());
    let outside = open("tool.k=16777216", &own);
    assert!(
        outside.said.verdict[0].contains("no public measurement near")
            && outside.said.figures.is_empty()
    );
    // Its table is not here.
    assert!(open("", &[]).said.obstacle.is_some());
    let state = ViewState::decode("tool.device=mi355x&published.type=mxfp4").0;
    let source = published::source(&frame, &state).unwrap();
    assert_eq!(source.file(), "mi355x-mxfp4.bin");
    let mut link = ViewState::default();
    published::address(&mut link, source);
    assert_eq!(published::source(&frame, &link), Some(source));
}
