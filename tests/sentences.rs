//! Sentences on our fixtures: files read together, with view and settings of a link, as page and command open them.
//! Figures are computed here from the text of the files.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on says where")]

use gemmscope_analysis::figures::figures;
use gemmscope_analysis::ledger::{Book, Columns, Ledger};
use gemmscope_chart::chart::{Chart, RenderOptions};
use gemmscope_chart::charts::{self, Inputs};
use gemmscope_chart::hit::Direction;
use gemmscope_chart::palette::Theme;
use gemmscope_chart::{interactive, places};
use gemmscope_import::{ImportOptions, Imported, read_all};
use gemmscope_table::dataset::Dataset;
use gemmscope_table::field::Frame;
use gemmscope_table::metrics::Totals;
use gemmscope_table::study::Study;
use gemmscope_table::view_state::ViewState;
use gemmscope_words::explain::explain;
use gemmscope_words::summary::Summary;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const LIBRARY: &str = "iree/sweep_library.csv";
const COMPILER: &str = "iree/sweep_compiler.csv";
const SWEEP: &str = "generic/tile_sweep.csv";
const TUNING: &str = "../../samples/tuning-history.csv";

fn path(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(file)
}

fn frame(files: &[&str], link: &str) -> Frame {
    let mut data = Dataset::new();
    for file in files {
        let bytes = std::fs::read(path(file)).unwrap();
        let name = Path::new(file).file_name().unwrap().to_string_lossy();
        match read_all(&name, &bytes, &ImportOptions::default()) {
            Ok(Imported::Table(table)) => data.append(*table),
            other => panic!("{file}: {other:?}"),
        }
    }
    let view = ViewState::decode(link).0;
    Study::default().frame(&Arc::new(data), &view, &[], || Some(Columns::new())).0
}

/// A view of a link over some files.
fn open(files: &[&str], link: &str) -> Chart {
    let state = ViewState::decode(link).0;
    let (_, id) = places::of(&state.view).unwrap();
    (charts::by_id(id).unwrap().open)(&Inputs::new(&frame(files, link), &state))
}

/// Title or obstacle, then all sentences.
fn said(files: &[&str], link: &str) -> String {
    let chart = open(files, link);
    let scene = chart.scene(&RenderOptions::new(&Theme::LIGHT, (1040.0, 640.0)));
    let words = [&[scene.title][..], &chart.said.sentences()].concat().join("\n");
    words.replace(['\u{202f}', '\u{a0}'], " ")
}

/// A row of a sweep, parsed from the text of its file, on an MI300X: 1307.4 TFLOP/s in 16 bits, 5.3 TB/s.
struct Row {
    dtype: String,
    time_us: f64,
    /// TFLOP/s.
    rate: f64,
    roof: f64,
}

fn rows(file: &str) -> Vec<Row> {
    let text = std::fs::read_to_string(path(file)).unwrap();
    let mut lines = text.lines().map(|l| l.split(',').collect::<Vec<_>>());
    let head = lines.next().unwrap();
    let at = |name: &str| head.iter().position(|h| *h == name).unwrap();
    let sizes = ["M", "N", "K", "mean_microseconds"].map(at);
    let dtype = at("dtype");
    let row = |cells: Vec<&str>| {
        let [m, n, k, time_us] = sizes.map(|i| cells[i].parse::<f64>().unwrap());
        let work = 2.0 * m * n * k;
        let intensity = work / (2.0 * (m * k + k * n + m * n));
        Row {
            dtype: cells[dtype].replace("bf16", "b").replace("fp16", "f").replace("f16", "f"),
            time_us,
            rate: work / time_us / 1e6,
            roof: 1307.4_f64.min(intensity * 5.3),
        }
    };
    lines.map(row).collect()
}

fn near(have: f64, want: f64) {
    assert!((have - want).abs() <= 1e-9 * want.abs(), "{have} is not {want}");
}

#[test]
fn every_row_of_a_sweep_the_fastest_and_what_lies_above_its_roof() {
    for (file, count, fastest, above) in
        [(COMPILER, 267, 721.843, &[][..]), (LIBRARY, 264, 1102.538, &[1.02])]
    {
        let rows = rows(file);
        let over = rows.iter().filter(|r| r.rate > r.roof).map(|r| r.rate / r.roof);
        assert_eq!(over.map(|o| (o * 1e3).round() / 1e3).collect::<Vec<_>>(), above);
        let most = |of: &dyn Fn(&Row) -> f64| rows.iter().map(of).fold(0.0, f64::max);
        let s = Summary::of(&frame(&[file], ""), 0, None).unwrap();
        assert_eq!((s.rows_read, s.rows_used, rows.len()), (count, count, count as usize));
        near(s.max_tflops.unwrap(), most(&|r| r.rate));
        assert!((s.max_tflops.unwrap() - fastest).abs() < 1e-3);
        near(s.max_efficiency.unwrap(), most(&|r| r.rate / r.roof));
        assert_eq!(s.rows_above_roof, Some(above.len() as u64));
        assert_eq!(s.devices, ["AMD Instinct MI300X"]);
    }
}

#[test]
fn what_a_file_says_of_its_rows_agrees_with_work_over_time() {
    for (file, format, used, aside) in [
        ("reports/prefill_mi300x/GEMM.csv", "tracelens", 5, 0),
        ("tracelens/h100_prefill.csv", "tracelens", 5, 0),
        ("tracelens/h100_summary.csv", "tracelens", 5, 2),
        ("tracelens/few_tiles_ops.csv", "tracelens", 1, 0),
        ("tracelens/wrappers.csv", "tracelens", 3, 3),
        ("hipblaslt-bench/three_runs.txt", "hipblaslt-bench", 3, 0),
        ("rocblas-bench/repeated_header.csv", "rocblas-bench", 12, 0),
        (SWEEP, "generic", 71, 0),
    ] {
        let s = Summary::of(&frame(&[file], ""), 0, None).unwrap();
        assert_eq!((&*s.format, s.rows_used, s.rows_set_aside), (format, used, aside), "{file}");
        let own = &s.reported_rate;
        assert_eq!((own.compared, own.within_1_percent), (used, used), "{file}");
    }
}

#[test]
fn time_share_of_the_roof_and_lost_time_are_sums_over_what_passes() {
    for (link, keep) in [("", &["f", "b"][..]), ("f.dtype=bf16", &["b"])] {
        let rows: Vec<Row> = rows(COMPILER);
        let rows = rows.iter().filter(|r| keep.contains(&&*r.dtype));
        let (mut time, mut lost) = (0.0, 0.0);
        for r in rows {
            time += r.time_us;
            lost += (r.time_us * (1.0 - r.rate / r.roof)).max(0.0);
        }
        let frame = frame(&[COMPILER], link);
        let totals = Totals::over(&frame, &frame.rows);
        near(totals.time_s * 1e6, time);
        near(totals.share_kept.unwrap(), 1.0 - lost / time);
        let books = Ledger::new(&frame).books;
        let sum = |of: &dyn Fn(&Book) -> f64| books.iter().map(of).sum::<f64>() * 1e6;
        near(sum(&|b| b.time_s), time);
        near(sum(&|b| b.below_s), lost);
        near(sum(&|b| b.each().map(|(_, account)| account.seconds).sum()), time);
    }
}

#[test]
fn views_of_one_file() {
    let of = |view: &str| format!("view={view}&device=mi300x");
    let files = &[LIBRARY][..];
    let cells = open(files, &of("cells&explore.y=m"));
    assert!(cells.said.title.starts_with("% of roof"), "{}", cells.said.title);
    let table = cells.table();
    assert_eq!(table.header, ["K", "M", "Rows", "% of roof"]);
    let counted: u32 = table.rows.iter().map(|r| r[2].parse::<u32>().unwrap()).sum();
    assert_eq!(counted, 264);

    let bars = open(files, &of("bars"));
    let title = "Arithmetic intensity and attained rate by GEMM, 264 bars";
    assert!(bars.said.title.contains(title), "{}", bars.said.title);
    assert_eq!(bars.table().rows.len(), 264);
    let by_layout = open(files, &of("bars&explore.x=transposes"));
    assert!(by_layout.said.title.contains("by Layout, 4 bars"), "{}", by_layout.said.title);

    let boxes = open(files, &of("boxes&explore.x=transposes"));
    let sentences = boxes.said.sentences();
    assert!(sentences.iter().any(|s| s.starts_with("Median % of roof: ")), "{sentences:?}");
    assert!(boxes.table().header.iter().any(|h| h.to_lowercase().contains("median")));

    let tiles = said(files, &of("tiles"));
    assert!(tiles.starts_with("No tile map. "), "{tiles}");
    // One file with two types, which can be compared.
    let types = said(files, "view=compare");
    let fastest = "fp16 is 1.25x faster than bf16 by time over 88 GEMMs";
    assert!(types.starts_with(fastest), "{types}");
}

#[test]
fn two_files_have_261_gemms_in_common() {
    let files = &[COMPILER, LIBRARY][..];
    let link = "view=compare&device=mi300x";
    let all = said(files, link);
    assert!(all.lines().next().unwrap().contains("261"), "{all}");
    assert!(all.to_lowercase().contains("geometric mean"), "{all}");
    assert_eq!(open(files, link).table().rows.len(), 261);
    let fastest = said(files, "view=fastest&device=mi300x");
    assert!(fastest.starts_with("Fastest over all K, fp16"), "{fastest}");
}

#[test]
fn sweeps_and_histories() {
    let sweep = "view=tiles&device=mi210";
    let tiles = said(&[SWEEP], sweep);
    let best = "is the best single choice: ";
    // Both sides of the tile vary, and no GEMM is flat.
    assert!(tiles.starts_with("Tile BM × BN = ") && tiles.contains(best), "{tiles}");
    assert!(tiles.contains(" of 8 shapes"), "{tiles}");
    let shapes: BTreeSet<_> =
        open(&[SWEEP], sweep).table().rows.iter().map(|r| r[1..4].to_vec()).collect();
    assert_eq!(shapes.len(), 8);

    let stated = said(&["generic/best_block.csv"], "view=tiles&device=a100-80-sxm");
    assert!(
        stated.contains("as stated. The model's pick of BN is the best measured in "),
        "{stated}"
    );
    let alone = said(&["generic/best_block.csv"], "view=compare");
    assert!(alone.starts_with("Nothing to compare: add a second file"), "{alone}");

    let link = "view=tuning&device=a100-80-pcie";
    let history = said(&[TUNING], link);
    assert!(history.starts_with("Best of 11 variants in 5 generations"), "{history}");
    assert!(history.contains("1 failed: correctness failed."), "{history}");
    assert_eq!(open(&[TUNING], link).table().rows.len(), 13);
    // Two kernels, as published: TFLOP/s, shares of bandwidth and roof in percent.
    let frame = frame(&[TUNING], link);
    for (line, published) in [(13, [199.13, 7.5, 63.8]), (14, [204.71, 7.7, 65.6])] {
        let row = frame.data.line.iter().position(|l| *l == line).unwrap();
        let f = figures(&frame, row);
        let have = [f.rate / 1e12, f.bandwidth_use * 100.0, f.share * 100.0];
        let same = have.iter().zip(published).all(|(have, want)| (have - want).abs() < 0.051);
        assert!(same, "{have:?} is not {published:?}");
    }
}

#[test]
fn reported_figures_stand_beside_what_is_computed_and_above_the_roof_is_marked_not_clamped() {
    let frame = |file: &str| frame(&[file], "");
    let e = explain(&frame("iree/iree.csv"), 1);
    for reported in ["227.5 TFLOP/s", "682.7 FLOP/B"] {
        let found = e
            .figures
            .iter()
            .filter_map(|f| f.reported.as_ref())
            .find(|r| r.value.replace(['\u{202f}', '\u{a0}'], " ").contains(reported));
        assert!(found.is_some_and(|r| r.gap.abs() < 0.01), "{reported}: {:?}", e.figures);
    }
    let library = frame(LIBRARY);
    let above = (0..library.data.len()).map(|row| explain(&library, row));
    let above: Vec<_> = above.filter(|e| !e.above_roof.is_empty()).collect();
    assert_eq!(above.len(), 1);
    assert!((above[0].efficiency.unwrap() - 1.02).abs() < 5e-4);
    assert!(above[0].above_roof.join(" ").contains("cache"), "{:?}", above[0].above_roof);
    // The sheet of a report counts its wrappers twice: 12 x 9.5 + 12 x 8.25 + 96 µs.
    let wrappers = frame("tracelens/wrappers.csv");
    near(Totals::over(&wrappers, &wrappers.rows).time_s, 309e-6);
}

#[test]
fn every_view_is_walked_by_keyboard_and_each_mark_is_read_out() {
    let sides = &[COMPILER, LIBRARY][..];
    let mut walked = BTreeSet::new();
    for (files, device, ids) in [
        (
            sides,
            "mi300x",
            &["roofline", "lost", "cells", "bars", "boxes", "compare", "fastest"][..],
        ),
        (&[SWEEP], "mi210", &["tiles"]),
        (&[TUNING], "a100-80-pcie", &["tuning"]),
    ] {
        for id in ids {
            let link = format!("view={id}&device={device}");
            let (frame, chart) = (frame(files, &link), Arc::new(open(files, &link)));
            let options = RenderOptions::new(&Theme::LIGHT, (1040.0, 640.0));
            let drawn = interactive::draw(&chart, Some(&frame), &options);
            let (mut at, mut said) = (None, BTreeSet::new());
            for to in [Direction::Right, Direction::Down, Direction::Right, Direction::Up] {
                at = drawn.neighbour(at.as_ref(), to).or(at);
                let target = at.as_ref().unwrap_or_else(|| panic!("{id} has no mark"));
                assert!(!target.rows.is_empty(), "{id}: nothing to select");
                let tooltip = drawn.tooltip(target);
                assert!(!tooltip.rows.is_empty(), "{id}: {tooltip:?}");
                said.insert(format!("{tooltip:?}"));
            }
            assert!(said.len() > 1, "{id}: the keys move: {said:?}");
            walked.insert(*id);
        }
    }
    let missing: Vec<_> =
        charts::CHARTS.iter().map(|c| c.id).filter(|id| !walked.contains(id)).collect();
    assert_eq!(missing, ["lines"], "every chart but lines, whose file is of its own");
}
