//! The labels of every picture of every fixture and sample stay inside it and do not overlap.

use crate::data::frame_of;
use gemmscope_analysis::planner::{Plan, PlanState};
use gemmscope_analysis::tile_sweep::has_tiles;
use gemmscope_chart::chart::{Chart, RenderOptions};
use gemmscope_chart::charts::{CHARTS, ChartKind, Inputs, by_id};
use gemmscope_chart::palette::Theme;
use gemmscope_chart::planner::{TOOLS, over_batch, plan, step_bars, take_shape};
use gemmscope_import::{ImportOptions, Imported, read_all};
use gemmscope_table::dataset::Dataset;
use gemmscope_table::field::Frame;
use gemmscope_table::fixture::Rows;
use gemmscope_table::view_state::ViewState;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Widths of a picture on a page of 1440 px and a phone of 390 px.
const WIDTHS: [f64; 2] = [1040.0, 358.0];

/// All files of a folder and its subfolders.
fn files(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        match entry.unwrap().path() {
            path if path.is_dir() => files(&path, out),
            path => out.push(path),
        }
    }
}

/// The values of a setting that give a picture of their own.
fn shows(id: &str) -> (&'static str, &'static [&'static str]) {
    match id {
        "compare" => ("compare.show", &["", "scatter", "distribution", "ranked", "best"]),
        "roofline" => ("y", &["", "share"]),
        "cells" => ("explore.y", &["", "none"]),
        "flat" => ("flat.by", &["", "ratio"]),
        _ => ("", &[""]),
    }
}

/// Some charts or tools of a frame, with each of their pictures; a tool opens with the shape of the first row.
fn pictures<'a>(
    frame: &'a Frame,
    kinds: impl Iterator<Item = &'static ChartKind> + 'a,
) -> impl Iterator<Item = (String, Chart)> + 'a {
    kinds.flat_map(move |kind| {
        let (key, values) = shows(kind.id);
        values.iter().map(move |value| {
            let mut state = ViewState::default();
            state.set_param(key, *value);
            if !frame.data.is_empty() {
                take_shape(&mut state, &frame.data.problem(0), None, None, (None, None));
            }
            (format!("{} {value}", kind.id), (kind.open)(&Inputs::new(frame, &state)))
        })
    })
}

/// Faulty labels of a picture at each width.
fn faults(name: &str, chart: &Chart, out: &mut String) {
    for width in WIDTHS {
        let size = (width, chart.height(width));
        let scene = chart.scene(&RenderOptions::new(&Theme::LIGHT, size));
        for fault in scene.text_faults() {
            writeln!(out, "{name} {width}: {fault}").unwrap();
        }
    }
}

/// The faults in all pictures of a file, and the number of pictures. Without a device only the roofline, as other
/// charts have the same kinds of labels then; tools only if the file has tiles, which they show.
fn faults_of(file: &Path) -> (String, usize) {
    let name = file.file_name().unwrap().to_string_lossy().into_owned();
    let read = read_all(&name, &std::fs::read(file).unwrap(), &ImportOptions::default());
    let Ok(Imported::Table(data)) = read else { return (String::new(), 0) };
    let tools = if has_tiles(&data) { TOOLS } else { &[] };
    let (mut out, mut drawn) = (String::new(), 0);
    let mut look = |device, kinds: &[&'static ChartKind]| {
        let frame = frame_of((*data).clone(), device);
        for (what, chart) in pictures(&frame, kinds.iter().copied()) {
            faults(&format!("{name} {device:?} {what}"), &chart, &mut out);
            drawn += 1;
        }
    };
    look(Some("mi300x"), &CHARTS.iter().chain(tools).collect::<Vec<_>>());
    look(None, &[by_id("roofline").unwrap()]);
    (out, drawn)
}

#[test]
fn no_label_leaves_its_picture_or_lies_over_another() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut all = Vec::new();
    for folder in ["tests/fixtures", "samples", "docs/examples"] {
        files(&root.join(folder), &mut all);
    }
    all.sort();
    let next = AtomicUsize::new(0);
    let work = || {
        let each = std::iter::from_fn(|| all.get(next.fetch_add(1, Ordering::Relaxed)));
        each.map(|file| faults_of(file)).collect::<Vec<_>>()
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let found = std::thread::scope(|scope| {
        let started: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        started.into_iter().flat_map(|t| t.join().unwrap()).collect::<Vec<_>>()
    });
    let out: String = found.iter().map(|f| f.0.as_str()).collect();
    let drawn: usize = found.iter().map(|f| f.1).sum();
    assert!(drawn > 1000, "{drawn} pictures");
    assert!(out.is_empty(), "{} faults:\n{out}", out.lines().count());
}

#[test]
fn no_label_of_a_tool_leaves_its_picture_or_lies_over_another() {
    let mut out = String::new();
    for shape in [(1, 1, 1), (8, 16384, 4096), (4096, 4096, 4096), (300_000, 7, 128)] {
        let mut rows = Rows::new();
        rows.row(shape, "x", 1e-3, "");
        for (what, chart) in pictures(&rows.frame(None), TOOLS.iter()) {
            faults(&format!("{shape:?} {what}"), &chart, &mut out);
        }
    }
    assert!(out.is_empty(), "{} faults:\n{out}", out.lines().count());
}

#[test]
fn no_label_of_a_plan_leaves_its_picture_or_lies_over_another() {
    let frame = frame_of(Dataset::new(), None);
    let state = ViewState::default();
    let mut out = String::new();
    for hash in [
        "plan.model=llama-2-7b&plan.devices=a100-80-sxm",
        "plan.model=llama-2-7b&plan.batch=64&plan.devices=a100-80-sxm,mi300x",
        "plan.devices=mi300x,h100-sxm,a100-80-sxm",
    ] {
        let plan = Plan::new(PlanState::read(&ViewState::decode(hash).0).0, &[]);
        let plan = Arc::new(plan);
        for open in [plan::open, step_bars::open, over_batch::open] {
            let chart = open(&Inputs::new(&frame, &state), plan.clone());
            faults(hash, &chart, &mut out);
        }
    }
    assert!(out.is_empty(), "{} faults:\n{out}", out.lines().count());
}
