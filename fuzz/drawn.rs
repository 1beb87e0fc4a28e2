//! What holds for everything that is made of a table or a plan: pictures, reports, scripts,
//! exports. Shared by the fuzz targets and `tests/fuzz_checks.rs`; panics where it does not hold.

#![allow(dead_code, reason = "each fuzz target uses a part")]
#![allow(clippy::unwrap_used, reason = "a check that cannot go on says where")]

use crate::exercise::said;
use gemmscope_analysis::findings::Kind;
use gemmscope_analysis::ledger::Columns;
use gemmscope_analysis::planner::{Plan, PlanState};
use gemmscope_chart::charts::{CHARTS, Inputs};
use gemmscope_chart::palette::Theme;
use gemmscope_chart::scene::{Item, Scene};
use gemmscope_chart::{picture, svg::svg};
use gemmscope_import::{ImportOptions, Imported, read_all};
use gemmscope_model::hardware::catalog;
use gemmscope_model::pass;
use gemmscope_model::transformer::Model;
use gemmscope_share::data;
use gemmscope_share::extract::extract;
use gemmscope_table::dataset::{ColumnData, Dataset};
use gemmscope_table::native_csv::csv;
use gemmscope_table::result_table::ResultTable;
use gemmscope_table::study::Study;
use gemmscope_table::view_state::ViewState;
use gemmscope_words::explain::{brief, explain};
use gemmscope_words::findings::check_all;
use gemmscope_words::plan as words;
use gemmscope_words::plan_export;
use gemmscope_words::replay::{Case, Tool, replay};
use gemmscope_words::report::{self, Report};
use gemmscope_words::summary::Summary;
use std::sync::Arc;

/// No figure of a text is one that cannot be read.
fn legible(what: &str, text: &str) {
    let bad = |word: &str| matches!(word, "NaN" | "inf" | "∞");
    let between = |c: char| !c.is_alphanumeric() && c != '∞';
    let line = text.lines().find(|line| line.split(between).any(bad));
    assert!(line.is_none(), "in {what}: {}", line.unwrap_or_default());
}

/// As many cells as titles in each row.
fn even(what: &str, table: &ResultTable, legibly: bool) {
    for row in &table.rows {
        assert_eq!(row.len(), table.header.len(), "{what}: {row:?}");
        if legibly {
            row.iter().for_each(|cell| legible(what, cell));
        }
    }
}

/// Every shape lies somewhere.
fn finite(what: &str, scene: &Scene) {
    let sound = |v: &[f64]| assert!(v.iter().all(|v| v.is_finite()), "{what}: {v:?}");
    for item in &scene.items {
        match item {
            Item::Rect { rect, .. } | Item::Image { rect, .. } | Item::Clip { rect } => sound(rect),
            Item::Line { points, .. } | Item::Polygon { points, .. } => {
                points.iter().for_each(|p| sound(&[p.0, p.1]));
            }
            Item::Symbol { at, radius, .. } => sound(&[at.0, at.1, *radius]),
            Item::Text { at, size, .. } => sound(&[at.0, at.1, *size]),
            Item::Marks(m) => {
                let all = m.xs.iter().chain(&m.ys);
                assert!(all.copied().all(f32::is_finite), "{what}: {m:?}");
            }
            Item::Unclip => {}
        }
    }
}

/// A view, a device, a link's text up to a zero where there is one, a file.
pub(crate) fn outputs(bytes: &[u8]) {
    let [view, device, rest @ ..] = bytes else {
        return;
    };
    let mut parts = rest.splitn(2, |b| *b == 0);
    let (first, second) = (parts.next().unwrap_or_default(), parts.next());
    let link = second.map_or("".into(), |_| String::from_utf8_lossy(first));
    let text = second.unwrap_or(first);
    if let Ok(Imported::Table(data)) = read_all("x", text, &ImportOptions::default()) {
        // The file itself may say what a figure must not be.
        let named = bytes.windows(3).any(|w| {
            let w = w.to_ascii_lowercase();
            w == b"nan" || w == b"inf" || w == "∞".as_bytes()
        });
        let plain = !named
            && data.columns.iter().all(|c| match &c.data {
                ColumnData::Number(v) => !v.iter().any(|v| v.is_infinite()),
                ColumnData::Text { .. } => true,
            });
        made(*data, *view, *device, &link, plain);
    }
}

const SIZES: &str = "1 2 3 16 64 127 4096 65535 65536 2147483647 2147483648 4294967295 0 7168";
const TIMES: &str = "690 5e-324 1e-300 1e-12 0.001 1 2 1e6 1e300 1.7976931348623157e308 0 -1 x";
const RATES: &str = "687 x 0 1e-300 1 1e300 1e15";
const TYPES: &str = "fp16 bf16 fp8 int8 fp32 fp64 mxfp4 int4 x tf32";
const DEVICES: &str = "H100 MI300X gfx942 x A100";
const KERNELS: &str = "k j Cijk_Ailk_Bljk_BBS_BH_MT256x128x64_MI16x16x1 cutlass_80_simt_sgemm_128x32_8x5_nn_align1 =1+1 <b>";
const LAYOUTS: &str = "NN NT TN TT";
const LIBRARIES: &str = "rocblas hipblaslt cublas";
/// Links that change what a chart shows.
const LINKS: [&str; 8] = [
    "",
    "roof=achievable&color=c.kernel&size=work",
    "color=m&heat.x=m&heat.y=n&heat.value=tflops",
    "r.m=2..4294967295&f.dtype=fp16",
    "rows=sweep",
    "rows=sides",
    "rows=workload&q=k",
    "only=x*0.2-9&sel=0.2,0.3&zoom.roofline=1_2_3_4",
];

/// A table of which each byte chooses a value, most of them extreme.
pub(crate) fn extremes(bytes: &[u8]) {
    let [view, device, link, kind, cells @ ..] = bytes else {
        return;
    };
    let columns = [
        ("M", SIZES),
        ("N", SIZES),
        ("K", SIZES),
        ("time_us", TIMES),
        ("dtype", TYPES),
        ("kernel", KERNELS),
        ("device", DEVICES),
        ("batch", SIZES),
        ("layout", LAYOUTS),
        ("library", LIBRARIES),
        ("TFLOPS", RATES),
        ("GB/s", RATES),
    ];
    let few = &columns[..columns.len() - usize::from(kind % 9)];
    let mut text: Vec<&str> = Vec::new();
    for (name, _) in few {
        text.extend([*name, ","]);
    }
    for row in cells.chunks_exact(few.len()) {
        text.push("\n");
        for (cell, (_, values)) in row.iter().zip(few) {
            let values: Vec<&str> = values.split(' ').collect();
            text.extend([values[usize::from(*cell) % values.len()], ","]);
        }
    }
    let text = text.concat();
    if let Ok(Imported::Table(data)) = read_all("x", text.as_bytes(), &ImportOptions::default()) {
        let link = LINKS[usize::from(*link) % LINKS.len()];
        made(*data, *view, *device, link, true);
    }
}

/// What is made of a table. `plain` means that a figure of it may not be NaN or infinite.
fn made(data: Dataset, view: u8, device: u8, link: &str, plain: bool) {
    let long = csv(&data, 0..data.len(), None);
    if !data.is_empty() {
        let Ok(Imported::Table(back)) = read_all("x", long.as_bytes(), &ImportOptions::default())
        else {
            panic!("what we write is not read: {long}");
        };
        assert_eq!(csv(&back, 0..back.len(), None), long);
    }
    let block = pass::at_once(extract(
        &data,
        &(0..data.len() as u32).collect::<Vec<_>>(),
        &[],
        &[],
        &async |_: f64| {},
    ))
    .unwrap();
    if let Ok(link) = data::to_link(&block) {
        let files = data::from_link(&link).unwrap();
        let rows = |f: &data::Carried| match read_all(&f.name, &f.bytes, &ImportOptions::default())
        {
            Ok(Imported::Table(back)) => back.len(),
            other => panic!("what a link holds is not read: {other:?}"),
        };
        assert_eq!(files.iter().map(rows).sum::<usize>(), data.len());
    }
    let devices = catalog();
    let mut state = ViewState::decode(link).0;
    let device = &devices[usize::from(device) % devices.len()].id;
    state.devices.default.get_or_insert(device.clone());
    let (frame, refused) =
        Study::default().frame(&Arc::new(data), &state, &[], || Some(Columns::new()));
    refused.iter().for_each(|r| said(r));

    let found = check_all(&frame);
    for part in &found.parts {
        let own = found.findings.iter().filter(|f| f.kind == Kind::Lost && f.side == part.label);
        let lost_s: f64 = own.filter_map(|f| f.split_s).sum();
        assert!(0.0 <= lost_s && lost_s <= part.time_s * (1.0 + 1e-9));
    }
    for book in &found.ledger.books {
        assert!(book.accounts.iter().all(|a| a.seconds >= 0.0), "{book:?}");
        let all: f64 = book.accounts.iter().map(|a| a.seconds).sum();
        let apart = (all - book.time_s).abs();
        assert!(apart <= 1e-9 * book.time_s || !book.time_s.is_finite(), "{book:?}");
    }
    let report = Report::new(&frame, &found);
    let page = report::html(&report, &picture::for_report(&frame, &state));
    assert!(!page.contains("<script"));
    let json = report::json(&report);
    serde_json::from_str::<serde_json::Value>(&json).unwrap();
    let texts = [report::markdown(&report), report::gemm_findings(&report)];
    assert!(texts.iter().all(|t| !t.is_empty()));
    if plain {
        texts.iter().for_each(|t| legible("the report", t));
        legible("the exported table", &csv(&frame.data, 0..frame.data.len(), Some(&frame.metrics)));
    }
    assert_eq!(Summary::all(&frame).len(), frame.data.sources.len().min(Summary::MOST));

    let chart = &CHARTS[usize::from(view) % CHARTS.len()];
    state.view = chart.id.to_owned();
    for width in [700.0, 320.0] {
        if let Some(scene) = picture::saved(&frame, &state, (width, None), &Theme::LIGHT) {
            finite(chart.id, &scene);
            let drawn = svg(&scene);
            if plain {
                legible(chart.id, &drawn);
            }
        }
    }
    let opened = (chart.open)(&Inputs::new(&frame, &state));
    even(chart.id, &opened.table(), plain);
    for (heading, table) in &opened.said.details {
        even(heading, table, plain);
    }
    if plain {
        opened.said.notes.iter().for_each(|n| legible(chart.id, n));
    }
    for row in 0..frame.data.len().min(8) {
        let (name, lines) = brief(&frame, row);
        assert!(!name.is_empty());
        let whole = format!("{lines:?} {:?}", explain(&frame, row));
        let _ = whole;
        if plain {
            lines.iter().for_each(|l| legible("a card", &l.1));
        }
        for tool in Tool::ALL {
            match replay(&Case::of(&frame.data, row, None), tool) {
                Ok(script) => assert!(!script.text.is_empty()),
                Err(why) => said(&why),
            }
        }
    }
}

/// A link's settings of a plan, then after a zero the configuration of a model, where there is one.
pub(crate) fn plan(bytes: &[u8]) {
    let mut parts = bytes.splitn(2, |b| *b == 0);
    let link = String::from_utf8_lossy(parts.next().unwrap_or_default()).into_owned();
    let mut state = ViewState::decode(&link).0;
    if let Some(text) = parts.next()
        && let Ok(model) = Model::from_config(&String::from_utf8_lossy(text))
    {
        PlanState::put_model(&mut state, &model);
    }
    let (settings, problems) = PlanState::read(&state);
    problems.iter().for_each(|p| said(&p.message));
    let plan = Plan::new(settings, &[]);
    for step in &plan.steps {
        match &step.result {
            Err(why) => said(&why.to_string()),
            Ok(step) => {
                for row in &step.rows {
                    assert!(row.intensity() > 0.0 && row.intensity().is_finite());
                    assert!(row.share.is_finite() && (0.0..=1.0 + 1e-9).contains(&row.share));
                }
                even("the plan", &plan_export::table(step), true);
            }
        }
    }
    legible("the sentence", &words::headline(&plan));
    legible("the table", &plan_export::csv(&plan));
    legible("the report", &plan_export::markdown(&plan));
    let _ = (plan.crossings(), plan.trails(), plan.over_batch(), plan_export::tritonbench(&plan));
    even("the devices", &plan_export::device_table(&plan), true);
    plan_export::figures(&plan).iter().for_each(|f| legible("a figure", &f.1));
    let rows: usize =
        plan.steps.iter().filter_map(|s| Some(s.result.as_ref().ok()?.rows.len())).sum();
    assert_eq!(plan.dataset().len(), rows);
}
