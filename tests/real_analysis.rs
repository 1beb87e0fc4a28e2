//! Known facts of other people's files, in the folder that `GEMMSCOPE_DATA` names: `make test-real DATA=FOLDER`.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on says where")]

use gemmscope_analysis::compare::duel::{Duel, Measure};
use gemmscope_analysis::compare::{Comparison, Dispatch, Setup, Tally};
use gemmscope_analysis::findings::{Kind, Scan, Severity, Sign, Whole};
use gemmscope_analysis::ledger::{Account, Ledger, Partners};
use gemmscope_analysis::planner::matching::Index;
use gemmscope_analysis::planner::measured::{
    MeasuredStep, best_preset, distinct, measured_shapes, model_for,
};
use gemmscope_analysis::tile_sweep::{NoSweep, Panel, Sweep, SweepLine, TileSource, influences};
use gemmscope_analysis::trace_time::other_time_s;
use gemmscope_import::{ImportOptions, Imported, read_all};
use gemmscope_model::dtype::DataType;
use gemmscope_model::hardware::{Device, RoofKind};
use gemmscope_model::tiling::Axis;
use gemmscope_model::tiling::flat::Region;
use gemmscope_model::tiling::kernel_name::KernelName;
use gemmscope_model::transformer::{LayerPart, preset};
use gemmscope_table::data_kind::DataKind;
use gemmscope_table::dataset::{ColumnMeaning, Dataset};
use gemmscope_table::field::{Field, Frame};
use gemmscope_table::fixture;
use gemmscope_table::metrics::{DeviceChoice, Metrics};
use gemmscope_table::trace;
use gemmscope_table::view_state::ViewState;
use gemmscope_words::compare as words;
use gemmscope_words::findings::{Finding, Findings, check_all};
use gemmscope_words::headline;
use gemmscope_words::plan::{measured_step, measured_table};
use gemmscope_words::report::{Report, gemm_findings_of, impact_percent};
use std::path::PathBuf;
use std::sync::Arc;

fn path(file: &str) -> PathBuf {
    let folder = std::env::var_os("GEMMSCOPE_DATA").expect("GEMMSCOPE_DATA names a folder");
    PathBuf::from(folder).join(file)
}

fn bytes(file: &str) -> Vec<u8> {
    std::fs::read(path(file)).unwrap_or_else(|e| panic!("{file}: {e}"))
}

fn read(name: &str, bytes: &[u8]) -> Imported {
    read_all(name, bytes, &ImportOptions::default()).unwrap_or_else(|e| panic!("{name}: {e}"))
}

/// The files as one table.
fn table(files: &[&str]) -> Dataset {
    let mut all = Dataset::new();
    for file in files {
        let name = file.rsplit('/').next().unwrap_or(file);
        match read(name, &bytes(file)) {
            Imported::Table(data) => all.append(*data),
            other => panic!("{file}: {other:?}"),
        }
    }
    all
}

fn frame(data: Dataset, custom: &[Device], device: Option<&str>, kind: RoofKind) -> Frame {
    let choice = DeviceChoice { default: device.map(str::to_owned), ..DeviceChoice::default() };
    let devices = choice.resolve(&data, custom);
    let metrics = Metrics::compute(&data, devices, kind);
    Frame::all(Arc::new(data), Arc::new(metrics))
}

fn judged(data: Dataset, device: Option<&str>) -> Frame {
    frame(data, &[], device, RoofKind::Datasheet)
}

/// A trace report with its context, under the report's own achievable peaks.
fn report(folder: &str, file: &str, kind: RoofKind) -> Frame {
    let folder = format!("tracelens/{folder}");
    let Imported::Table(mut data) = read(&format!("r/{file}"), &bytes(&format!("{folder}/{file}")))
    else {
        panic!("{folder}/{file} is no table");
    };
    let mut custom: Vec<Device> = Vec::new();
    for extra in
        ["metadata/gemm_metadata.json", "category_data/gemm_metrics.json", "gpu_timeline.csv"]
    {
        if let Ok(bytes) = std::fs::read(path(&format!("{folder}/{extra}"))) {
            let Imported::Context(context) = read(&format!("r/{extra}"), &bytes) else {
                panic!("{folder}/{extra} is no context");
            };
            custom.extend(trace::attach(&mut data, &context).device);
        }
    }
    frame(*data, &custom, Some("mi300x"), kind)
}

fn of<'a>(all: &'a Findings, rule: &str) -> Vec<&'a Finding> {
    all.findings.iter().filter(|f| f.rule == rule).collect()
}

/// Number of GEMMs with a sign, over all findings.
fn with_sign(all: &Findings, sign: Sign) -> u64 {
    let seen = all.findings.iter().flat_map(|f| &f.signs);
    seen.filter(|s| s.sign == sign).map(|s| s.groups).max().unwrap_or(0)
}

#[test]
fn percentages_of_the_roof_are_the_reports_own() {
    let frame = report("qwen_mi300", "category_data/gemm_ops.csv", RoofKind::Achievable);
    let scan = Scan::new(&frame);
    // Roof time over mean time; the report prints the mean of the calls' percentages, which is 65.94 for the first: 48
    // calls between 105 and 119 µs.
    let expected = [65.88, 64.59, 73.63, 64.84, 0.05];
    for (group, expected) in scan.groups.iter().zip(expected) {
        let ours = group.efficiency() * 100.0;
        assert!((ours - expected).abs() < 0.005, "{ours} is not {expected}");
    }
    // Its best call relative to its roof: the report's own Pct Roofline_max.
    let best = frame.metrics.roof_s[0] / frame.data.number(ColumnMeaning::TimeMin, 0);
    assert!((best * 100.0 - 69.385_997_568).abs() < 1e-6);
    assert_eq!(scan.parts[0].whole, Whole::ComputeTime);
    // GEMM share of the compute time; the report's 35.15 % is of the whole time including gaps.
    let gemm = scan.time_s / scan.parts[0].whole_s;
    assert!((gemm * 100.0 - 39.15).abs() < 0.005, "{gemm}");
    assert!((scan.time_s / 33.131_333_5e-3 * 100.0 - 35.15).abs() < 0.005);
}

#[test]
fn the_four_cases_get_their_explanation() {
    let cases = [
        ("gemm_01_compute_few_tiles", "tile", "8 workgroups for 304 CUs: at most 34.41 TFLOP/s"),
        ("gemm_02_compute_non_pow2", "tile", "153 workgroups for 304 CUs: at most 551.6 TFLOP/s"),
        ("gemm_03_compute_misaligned", "tile", "629 workgroups on 304 CUs, which makes 3 waves"),
        ("gemm_04_memory_tall_skinny", "rest", "1.24 TB/s of compulsory traffic"),
    ];
    for (path, rule, words) in cases {
        let frame = report(path, "category_data/gemm_ops.csv", RoofKind::Achievable);
        let all = check_all(&frame);
        let found = of(&all, rule);
        assert_eq!(found.len(), 1, "{path}: {all:#?}");
        assert!(found[0].text.contains(words), "{path}: {}", found[0].text);
        // 52.9 % exceeds the threshold for Critical, as in the report's own thresholds.
        let severity = match path {
            "gemm_03_compute_misaligned" => Severity::High,
            _ => Severity::Critical,
        };
        assert_eq!(all.findings[0].severity, severity, "{path}");
    }
    let frame = report("gemm_03_compute_misaligned", "GEMM.csv", RoofKind::Achievable);
    let all = check_all(&frame);
    assert!(with_sign(&all, Sign::Unaligned) > 0);
    // The tile of 64x128 for N = 32.
    let frame = report("gemm_04_memory_tall_skinny", "GEMM.csv", RoofKind::Achievable);
    assert!(with_sign(&check_all(&frame), Sign::SkinnyTile) > 0);
}

#[test]
fn the_bound_of_a_tile_is_a_time() {
    // 34.36 GFLOP at 34.41 TFLOP/s: under any roof, a device that is not full runs at its datasheet rate.
    let frame =
        report("gemm_01_compute_few_tiles", "category_data/gemm_ops.csv", RoofKind::Achievable);
    let all = check_all(&frame);
    let found = of(&all, "tile")[0];
    assert_eq!(
        found.formula,
        "work / roof of the tile − roof time = 34.36 GFLOP / 34.41 TFLOP/s − 48.5 µs = 950 µs a call"
    );
    let words = headline::lost(&all.ledger.books[0]).unwrap();
    assert!(words.ends_with("lost = 9.50 ms tile + 903 µs unexplained"), "{words}");
    assert!(
        found.text.ends_with("Use more split-K; the kernel can improve too."),
        "{}",
        found.text
    );
}

#[test]
fn vllm_is_counted_once_and_its_findings_are_the_memorys() {
    let frame = report("vllm_decode_full", "GEMM.csv", RoofKind::Achievable);
    let all = check_all(&frame);
    assert!((all.parts[0].time_s * 1e6 - 1230.6).abs() < 0.05);
    let twice = of(&all, "double_count");
    assert!(twice[0].text.contains("1.23 ms") && twice[0].text.contains("2.46 ms"));
    let lost = all.findings.iter().filter(|f| f.kind == Kind::Lost && f.rule == "rest");
    let titles: Vec<&str> = lost.map(|f| f.title.as_str()).collect();
    let small =
        |t: &&str| t.starts_with("Memory-bound") || t.starts_with("Too short to fill the device");
    assert!(!titles.is_empty() && titles.iter().all(small), "{titles:?}");
    assert!(!of(&all, "batching").is_empty());
}

#[test]
fn impact_and_shares_are_the_reports_own() {
    for case in ["qwen_mi300", "gemm_01_compute_few_tiles", "gemm_04_memory_tall_skinny"] {
        let f = report(case, "category_data/gemm_ops.csv", RoofKind::Achievable);
        let ours_all = Report::new(&f, &check_all(&f));
        let trace = f.data.sources[0].trace.as_ref().unwrap();
        let theirs = &trace.reported.as_ref().unwrap().operations;
        assert_eq!(theirs.len(), ours_all.operations.len());
        let printed = |a: f64, b: f64| assert!((a - b).abs() <= 0.005 + 1e-9, "{case}: {a} {b}");
        for (o, t) in ours_all.operations.iter().zip(theirs) {
            assert_eq!(o.name, t.name);
            let (low, mid, high) = t.impact_percent.unwrap();
            let ours = o.impact_percent.unwrap();
            let total = trace.total_s.unwrap();
            // The report computes these from a rounded time and percentage, so exact values may differ in the last
            // digit; those do not.
            let rounded =
                impact_percent(t.efficiency_percent.unwrap() / 100.0, t.time_s.unwrap() / total);
            for (ours, rounded, theirs) in
                [(ours.0, rounded.0, low), (ours.1, rounded.1, mid), (ours.2, rounded.2, high)]
            {
                printed(rounded, theirs);
                assert!((ours - theirs).abs() <= 0.01, "{case}: {ours} {theirs}");
            }
            printed(o.share_of_category * 100.0, t.percent_of_category.unwrap());
            printed(o.time_s / total * 100.0, t.percent_of_total.unwrap());
            printed(o.reported_efficiency.unwrap() * 100.0, t.efficiency_percent.unwrap());
            assert!((o.time_s * 1e3 - t.time_s.unwrap() * 1e3).abs() <= 5e-4 + 1e-9);
        }
        if case == "qwen_mi300" {
            // The plain mean of the file's percentages is 53.85: they are means of the calls' own ratios, ours are roof
            // time over mean time.
            let plain = ours_all.parts[0].plain_mean_efficiency.unwrap() * 100.0;
            assert!((plain - 53.85).abs() < 0.06, "{plain}");
        }
    }
}

#[test]
fn the_golden_files_join_on_521_shapes() {
    let data =
        table(&["iree-kernel-benchmark/hipblaslt-gemm.csv", "iree-kernel-benchmark/iree_gemm.csv"]);
    let frame = judged(data, Some("mi300x"));
    let setup = Setup::choose(&frame, &Setup::candidates(&frame)).unwrap().setup;
    assert_eq!(setup.side, Field::Source);
    assert_eq!(setup.sides, ["hipblaslt-gemm.csv", "iree_gemm.csv"]);
    let c = Comparison::new(&frame, &setup);
    // Counted in the files with another program.
    assert_eq!((c.matched, c.ambiguous), (521, 0));
    assert_eq!(
        (c.configurations.as_slice(), c.unmatched.as_slice()),
        (&[558, 563][..], &[37, 42][..])
    );
    let duel = Duel::new(&frame, &c, (0, 1), Measure::Rate, 0.02);
    assert!(duel.ratios.iter().all(|r| r.ratio <= 1.0));
    assert_eq!(duel.counts, [520, 0, 1, 0]);
    assert!((duel.geometric_mean / 0.038_495_919_770_446 - 1.0).abs() < 1e-9);
    assert!((duel.weighted_mean / 0.042_929_900_484_412_93 - 1.0).abs() < 1e-9);
    let order = duel.ranked();
    let ends = (duel.ratios[order[0]].ratio, duel.ratios[order[520]].ratio);
    assert!((ends.0 / 0.003_385_541_254_125_4 - 1.0).abs() < 1e-9);
    assert!((ends.1 / 0.990_300_704_225_352_1 - 1.0).abs() < 1e-9);
    // One device: shares of the roof give the same ratios.
    let roofs = Duel::new(&frame, &c, (0, 1), Measure::Roof, 0.02);
    assert!((roofs.geometric_mean / duel.geometric_mean - 1.0).abs() < 1e-9);
    let tally = Tally::new(&c, 0.02, true);
    assert_eq!((tally.fastest, tally.compared), (vec![521, 0], 521));
    let d = duel.distribution();
    assert_eq!(d.members.iter().map(Vec::len).sum::<usize>(), 521);
    assert!(
        words::headline(&duel, &c).starts_with("hipBLASLt is 23.3x faster than IREE by time"),
        "{}",
        words::headline(&duel, &c)
    );
}

#[test]
fn three_libraries_are_sides_and_a_tie_is_a_tie() {
    let data = table(&[
        "iree-kernel-benchmark/hipblaslt-gemm.csv",
        "iree-kernel-benchmark/iree_gemm.csv",
        "iree-kernel-benchmark/rocblas-gemm.csv",
    ]);
    let frame = judged(data, Some("mi300x"));
    assert_eq!(frame.kind(), DataKind::Sides);
    // Counted in the files with another program.
    let standing = Tally::of(&frame).unwrap();
    assert_eq!(
        words::fastest_counts(&standing),
        "hipBLASLt 316, rocBLAS 166, IREE 0, 39 ties of 521 GEMMs"
    );
    // A library that always loses is mentioned first.
    assert!(
        words::losers(&standing).starts_with("IREE is slower than the fastest on all 521 GEMMs, "),
        "{}",
        words::losers(&standing)
    );
    let report = Report::new(&frame, &check_all(&frame));
    assert!(report.sentences[0].starts_with(&words::losers(&standing)), "{:?}", report.sentences);
    let times: Vec<f64> = report.parts.iter().map(|p| (p.gemm_s * 1e5).round()).collect();
    assert_eq!(times, [5253.0, 101_638.0, 5688.0]);
    // No sentence is about all three together.
    for sentence in &report.sentences {
        for pooled in ["1679", "1.125 s", "1.12 s"] {
            assert!(!sentence.contains(pooled), "{sentence}");
        }
    }
}

#[test]
fn the_slow_layout_is_one_finding() {
    let data = table(&["iree-kernel-benchmark/hipblaslt-gemm.csv"]);
    let all = check_all(&judged(data, Some("mi300x")));
    let layout: Vec<_> = of(&all, "layout").iter().map(|f| (f.title.clone(), f.groups)).collect();
    assert_eq!(layout[0], ("Another layout is faster: 36 GEMMs".to_owned(), 36));
    let lost: f64 =
        all.findings.iter().filter(|f| f.kind == Kind::Lost).filter_map(|f| f.split_s).sum();
    // 23,759 µs are lost; 21 of them by causes of under half a percent, which are no findings.
    assert!((lost * 1e6 - 23_738.0).abs() < 1.0, "{lost}");
}

#[test]
fn a_benchmark_is_told_by_what_is_typical_of_it() {
    // Computed from the file by hand: 558 GEMMs.
    let frame = judged(table(&["iree-kernel-benchmark/hipblaslt-gemm.csv"]), None);
    let book = &Ledger::new(&frame).books[0];
    let typical = book.typical.unwrap();
    let shares = [typical.geometric_mean, typical.p10, typical.p90].map(|v| (v * 1e4).round());
    assert_eq!((typical.gemms, shares), (558, [5290.0, 2604.0, 8769.0]));
    assert_eq!(
        headline::total(book),
        "52.9 % of roof (geometric mean; p10 26.0 %, p90 87.7 %), 52.5 ms in all"
    );
}

#[test]
fn fewer_keys_make_what_cannot_be_told_apart_ambiguous() {
    let data =
        table(&["iree-kernel-benchmark/hipblaslt-gemm.csv", "iree-kernel-benchmark/iree_gemm.csv"]);
    let frame = judged(data, None);
    let mut setup = Setup::of(&frame, Field::Source);
    setup.keys = vec![Field::Shape, Field::Dtype];
    let c = Comparison::new(&frame, &setup);
    // 507 (M, N, K, type) on both sides, 14 of them with two layouts on one.
    assert_eq!((c.matched, c.ambiguous > 13), (493, true));
    assert!(words::join(&c).contains("not told apart"), "{}", words::join(&c));
}

#[test]
fn the_figure_of_the_paper() {
    let data = table(&["flashdecoding_fig/bn_best_reconstructed.csv"]);
    let sweep = Sweep::new(&judged(data, Some("a100-40-sxm")), None).unwrap();
    assert_eq!(sweep.source, TileSource::BestColumn);
    assert_eq!(sweep.panels.len(), 2);
    let widths = |p: &Panel, pick: fn(&SweepLine) -> Option<usize>| -> Vec<u32> {
        p.lines.iter().map(|l| pick(l).map_or(0, |i| p.columns[i].0)).collect()
    };
    for p in &sweep.panels {
        assert_eq!(p.units, Some(108));
        let columns: Vec<u32> = p.columns.iter().map(|c| c.0).collect();
        assert_eq!(columns, [32, 64, 128, 256, 512]);
        let n: Vec<u32> = p.lines.iter().map(|l| l.problem.n).collect();
        assert_eq!(n, [1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072, 262144]);
        // Small N, at the top, is bounded by parallelism, large N by memory.
        assert!(p.cells(&p.lines[0]).all(|c| c.region == Some(Region::Parallelism)));
        assert!(p.cells(&p.lines[8]).all(|c| c.region == Some(Region::Memory)));
    }
    let (left, right) = (&sweep.panels[0], &sweep.panels[1]);
    assert_eq!(left.title, "K = 4096, M = 8");
    let best = widths(left, |l| l.best);
    assert_eq!(best, [32, 32, 32, 64, 128, 128, 128, 128, 128]);
    // The model matches 9 of 9 ticks for K = 4096 and 6 of 9 for K = 12288.
    assert_eq!(widths(left, |l| l.model), best);
    let agree = right.lines.iter().filter(|l| l.best == l.model).count();
    assert_eq!(agree, 6);
    assert_eq!(sweep.agreement, (15, 18));
}

#[test]
fn a_real_sweep() {
    let data = table(&["Tensile/derived_best_per_macrotile_long.csv"]);
    let frame = judged(data, Some("mi210"));
    let sweep = Sweep::new(&frame, Some(Axis::BmBn)).unwrap();
    assert_eq!(sweep.source, TileSource::Columns);
    let lines: usize = sweep.panels.iter().map(|p| p.lines.len()).sum();
    assert_eq!((lines, sweep.single), (44, 0));
    for p in &sweep.panels {
        for l in &p.lines {
            // Exactly one tick per line, at its highest rate.
            let best = p.cell(l, l.best.unwrap());
            assert_eq!(best.share, 1.0);
            assert!(p.cells(l).all(|c| c.share.is_nan() || c.share <= 1.0));
        }
    }
    // 1920 x 25216 x 16384 fp16: 64x128 was best, 16883 GFLOP/s (read from the file by hand).
    let (p, l) = sweep
        .panels
        .iter()
        .flat_map(|p| p.lines.iter().map(move |l| (p, l)))
        .find(|(_, l)| l.problem.n == 25216 && l.problem.k == 16384)
        .unwrap();
    assert_eq!(p.columns[l.best.unwrap()], (64, 128));
    assert!((p.cell(l, l.best.unwrap()).rate / 16883e9 - 1.0).abs() < 1e-3);
    assert_eq!(p.columns.len(), 25);
    // The model is no oracle: it names the very tile now and then, else one that is nearly as good.
    assert_eq!(sweep.agreement.1, 44);
    assert!(sweep.model_reaches > 0.93, "{}", sweep.model_reaches);
    let by_width = Sweep::new(&frame, None).unwrap();
    assert_eq!(by_width.axis, Axis::Bn);
    assert!(by_width.axes.contains(&Axis::Bm) && !by_width.axes.contains(&Axis::Warps));
}

#[test]
fn settings_are_held_against_each_other_with_all_others_equal() {
    let frame = judged(table(&["Tensile/Cijk_Ailk_Bjlk_HBH_01.csv"]), Some("mi210"));
    let found = influences(&frame, Axis::BmBn);
    let of = |name: &str| {
        let i = found.iter().find(|i| i.name == name).unwrap();
        let worst = i.values.last().unwrap();
        (i.sets, worst.value.as_str(), format!("{:.1}", worst.best * 100.0))
    };
    assert_eq!(of("IU"), (1912, "1", "93.3".to_owned()));
    assert_eq!(of("LDL"), (1912, "1", "63.2".to_owned()));
    assert_eq!(of("FL"), (2268, "0", "99.3".to_owned()));
}

#[test]
fn one_best_kernel_a_shape_is_no_sweep() {
    let data = table(&["aiter/a8w8_tuned_gemm.csv"]);
    // One best kernel per shape and device; some shapes were tuned twice.
    match Sweep::new(&judged(data, None), None) {
        Err(NoSweep::SingleTile(TileSource::KernelNames, n)) => assert!(n > 100),
        Ok(s) => assert!(s.single > 100 && s.source == TileSource::KernelNames),
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_real_trace_is_matched_and_its_model_found() {
    let data = table(&["tracelens/qwen_mi300/GEMM.csv"]);
    let rows: Vec<u32> = (0..data.len() as u32).collect();
    let shapes = distinct(&data, &rows);
    let fit = best_preset(&shapes).unwrap();
    assert_eq!((fit.model.as_str(), fit.matched), ("qwen1.5-0.5b", 4));
    let index = Index::new(preset(&fit.model).unwrap());
    let frame = judged(data, Some("mi300x"));
    let table = measured_table(&measured_shapes(&index, true, &frame, &shapes));
    assert_eq!(table.rows.len(), 4);
    let row = table.rows.iter().find(|r| r[2] == "2816").unwrap();
    assert_eq!(row[0], "gate_proj or up_proj");
    assert_eq!((row[1].as_str(), row[3].as_str()), ("8944", "1024"));
    assert!(row[9].ends_with('%'), "{row:?}");
    let up = shapes.iter().find(|(_, p)| (p.m, p.n, p.k) == (8944, 2816, 1024)).unwrap();
    assert!(index.find(&up.1).unwrap().parts.contains(&LayerPart::Up));
}

#[test]
fn the_real_traces_step_is_planned() {
    let data = table(&["tracelens/qwen_mi300/GEMM.csv"]);
    let frame = judged(data, Some("mi300x"));
    let shapes = distinct(&frame.data, &frame.rows);
    let state = ViewState::default();
    let model = model_for(&state, &shapes).unwrap();
    assert_eq!(model.id, "qwen1.5-0.5b");
    let step = MeasuredStep::of(&model, &Index::new(&model), &frame, &shapes).unwrap();
    assert_eq!(
        measured_step(&step),
        "8944 tokens per layer: 1 sequence of 8944 tokens (as one sequence: linear layers don't \
             show the count)."
    );
}

#[test]
fn the_time_of_everything_else_is_kept() {
    let f = report("qwen_mi300", "category_data/gemm_ops.csv", RoofKind::Achievable);
    let other = other_time_s(&f);
    assert!((other * 1e3 - 21.485).abs() < 1e-3, "{other}");
    // Filtered to one GEMM, the others are a part of what remains.
    let one = f.with_rows(Arc::new(vec![0]));
    let own = |f: &Frame, r: usize| f.data.time_s[r] * f.calls(r);
    let all: f64 = (0..f.data.len()).map(|r| own(&f, r)).sum();
    assert!((all + other - own(&one, 0) - other_time_s(&one)).abs() < 1e-9);
}

/// Cells of one CSV line, with quotes.
fn cells(line: &str) -> Vec<String> {
    let mut cells = vec![String::new()];
    let mut quoted = false;
    for c in line.chars() {
        match c {
            '"' => quoted = !quoted,
            ',' if !quoted => cells.push(String::new()),
            _ => cells.last_mut().unwrap().push(c),
        }
    }
    cells
}

#[test]
fn real_names_and_their_tiles() {
    let text =
        std::fs::read_to_string(path("tracelens/kernel_name_tile_expectations.csv")).unwrap();
    let mut checked = 0;
    for line in text.lines().skip(1) {
        let row = cells(line);
        let [_, name, m, n, k, transposes] = &row[..] else {
            panic!("{line}");
        };
        let parsed = KernelName::parse(name);
        assert_eq!(
            parsed.tile.map(|tile| tile.to_string()),
            Some(format!("{m}x{n}x{k}")),
            "{name}"
        );
        let flags = |text: &str| match text {
            "(True, False)" => Some((true, false)),
            "(False, True)" => Some((false, true)),
            "(False, False)" => Some((false, false)),
            "(True, True)" => Some((true, true)),
            _ => None,
        };
        if let Some(expected) = flags(transposes) {
            assert_eq!(parsed.transposes, Some(expected), "{name}");
        }
        checked += 1;
    }
    assert_eq!(checked, 35);
}

#[test]
fn real_platform_files() {
    for (file, id, bandwidth, bf16) in [
        ("MI300X.json", "mi300x-imported", 5300e9, 708e12),
        ("MI325X.json", "mi325x-imported", 6000e9, 843e12),
    ] {
        let text = std::fs::read_to_string(path(&format!("tracelens/arch/{file}"))).unwrap();
        let device = Device::from_json(&text).unwrap();
        assert_eq!(device.id, id);
        assert_eq!(device.bandwidth_bytes_per_s, bandwidth);
        let peak = device.peak_for(DataType::Bf16).unwrap();
        assert_eq!(peak.achievable_flops_per_s, Some(bf16));
        assert_eq!(peak.flops_per_s, 1307.4e12);
    }
}

#[test]
fn the_summaries_of_the_worked_cases_are_kept() {
    for case in [
        "gemm_01_compute_few_tiles",
        "gemm_02_compute_non_pow2",
        "gemm_03_compute_misaligned",
        "gemm_04_memory_tall_skinny",
        "qwen_mi300",
    ] {
        let frame = report(case, "category_data/gemm_ops.csv", RoofKind::Achievable);
        let text = gemm_findings_of(&frame);
        fixture::golden(&format!("tests/golden/real/{case}.md"), &text)
            .unwrap_or_else(|e| panic!("{e}"));
    }
}

/// For each side: its time, and the µs and GEMMs of each account.
fn ledger_of(files: &[&str]) -> Vec<(String, i64, Vec<(Account, i64, u64)>)> {
    let folder = "iree-kernel-benchmark";
    let files: Vec<String> = files.iter().map(|f| format!("{folder}/{f}")).collect();
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    let us = |s: f64| (s * 1e6).round() as i64;
    let ledger = Ledger::new(&judged(table(&files), Some("mi300x")));
    let book = |b: &gemmscope_analysis::ledger::Book| {
        let each = b.ranked().into_iter().map(|(a, s)| (a, us(s.seconds), s.groups));
        (b.side.clone(), us(b.time_s), each.collect())
    };
    ledger.books.iter().map(book).collect()
}

#[test]
fn what_the_other_library_saves_alone_and_the_best_of_both() {
    let files =
        ["iree-kernel-benchmark/hipblaslt-gemm.csv", "iree-kernel-benchmark/rocblas-gemm.csv"];
    let frame = judged(table(&files), Some("mi300x"));
    let all = check_all(&frame);
    let at =
        all.findings.iter().position(|f| f.rule == "library" && f.side == "hipBLASLt").unwrap();
    let found = &all.findings[at];
    // By reference/ledger.py, and by hand.
    let ms = |s: f64| (s * 1e5).round() / 1e2;
    assert_eq!((ms(found.split_s.unwrap()), ms(found.alone_s.unwrap())), (1.66, 7.74));
    assert_eq!((found.title.as_str(), found.groups), ("rocBLAS is faster: 176 GEMMs", 176));
    let book = all.ledger.books.iter().find(|b| b.side == "hipBLASLt").unwrap();
    assert_eq!((book.of(Account::Library).groups, book.alone(Account::Library).groups), (138, 176));
    let left = Ledger::left(&frame, &Partners::of(&frame), &all.changes(&[at]));
    assert_eq!(ms(left.books[book.number].time_s), 44.79);
    assert_eq!(
        all.fixed(&[at], &left, 0.0).unwrap(),
        "1 finding of hipBLASLt fixed: 44.8 ms instead of 52.5 ms, 1.17x faster"
    );
    // The finding leaves leads under 2 % alone; the best of all sides is the sum of the shortest times.
    let (_, best) = Dispatch::of(&frame).unwrap();
    assert_eq!((ms(best.time_s), best.names[best.baseline].as_str()), (44.78, "hipBLASLt"));
    assert_eq!((best.shared, &best.used[..], best.ties), (558, &[340, 176][..], 42));
    assert_eq!((best.ratio() * 100.0).round(), 117.0);
}

#[test]
fn every_microsecond_has_one_account() {
    use Account::*;
    // The files name neither kernels nor spread, so no time moves to `kernel` or `tile`.
    let alone = ledger_of(&["hipblaslt-gemm.csv"]);
    let expected = vec![
        (Roof, 28_770, 558),
        (Rest, 13_503, 364),
        (Layout, 7_038, 36),
        (Launch, 2_228, 557),
        (Size, 725, 117),
        (Type, 265, 63),
    ];
    assert_eq!(alone, [(String::new(), 52_529, expected)]);
    let three = ledger_of(&["hipblaslt-gemm.csv", "rocblas-gemm.csv", "iree_gemm.csv"]);
    let side = |name: &str| three.iter().find(|s| s.0 == name).unwrap().clone();
    assert_eq!(
        side("hipBLASLt").2,
        [
            (Roof, 28_770, 558),
            (Rest, 12_299, 364),
            (Layout, 7_038, 36),
            (Launch, 2_228, 557),
            (Library, 1_656, 138),
            (Size, 368, 80),
            (Type, 170, 51),
        ]
    );
    assert_eq!(
        side("rocBLAS").2,
        [
            (Roof, 28_770, 558),
            (Rest, 13_237, 424),
            (Library, 11_900, 309),
            (Launch, 2_318, 557),
            (Layout, 553, 20),
            (Type, 60, 40),
            (Size, 46, 24),
        ]
    );
    assert_eq!(
        side("IREE").2,
        [
            (Library, 961_345, 521),
            (Roof, 28_043, 563),
            (Rest, 15_812, 432),
            (Type, 8_740, 20),
            (Launch, 2_351, 563),
            (Layout, 70, 9),
            (Size, 16, 3),
        ]
    );
    assert_eq!((side("rocBLAS").1, side("IREE").1), (56_885, 1_016_377));
}
