//! Rules on small cases, and properties that always hold.

use super::*;
use crate::trust::Trust;
use gemmscope_analysis::findings::{Kind, Severity};
use gemmscope_analysis::findings::{RULES, Section, Sign, Whole, band, priority};
use gemmscope_analysis::ledger::{Account, Change, Evidence as Basis, Ledger};
use gemmscope_model::dtype::DataType;
use gemmscope_model::gemm::Operation;
use gemmscope_model::hardware;
use gemmscope_model::hardware::RoofKind;
use gemmscope_table::data_kind::DataKind;
use gemmscope_table::dataset::{
    Column, ColumnData, ColumnMeaning, Dataset, RowsAndTime, TraceContext,
};
use gemmscope_table::fixture::Rows;
use gemmscope_table::metrics::Metrics;
use proptest::prelude::*;

mod grouped;
mod kernels;
mod small;
mod stories;

fn of<'a>(report: &'a Findings, rule: &str) -> Vec<&'a Finding> {
    report.findings.iter().filter(|f| f.rule == rule).collect()
}

#[test]
fn efficiency_is_roof_time_over_mean_time() {
    // 4096^3 in bf16 is 137.44 GFLOP: 194.12 µs at the 708 TFLOP/s that an MI300X achieves.
    let rows = [
        Row { calls: 48.0, ..row([4096; 3], DataType::Bf16, 300.0) },
        row([4096; 3], DataType::Bf16, 194.124),
    ];
    let f = frame(&rows, Some("mi300x"), RoofKind::Achievable);
    let mut data = (*f.data).clone();
    data.sources[0].trace = Some(Box::new(TraceContext {
        compute_s: Some(20e-3),
        total_s: Some(25e-3),
        ..TraceContext::default()
    }));
    let f = Frame::all(Arc::new(data), f.metrics.clone());
    let scan = Scan::new(&f);
    // One GEMM in two rows: 49 calls, 48 of 300 µs.
    let [group] = scan.groups.as_slice() else {
        panic!("{:?}", scan.groups);
    };
    assert!((group.time_s * 1e6 - 14_594.124).abs() < 1e-3);
    assert!((group.efficiency() - 49.0 * 194.124 / 14_594.124).abs() < 1e-5);
    assert_eq!(scan.parts[0].whole, Whole::ComputeTime);
    assert!((scan.time_s / scan.parts[0].whole_s - 14.594_124 / 20.0).abs() < 1e-6);
}

/// One call of a bf16 GEMM by a kernel, on an MI300X.
fn by_kernel(sizes: (u32, u32, u32), kernel: &str, time_us: f64) -> Frame {
    let mut rows = Rows::new();
    let column = rows.table().text_column(ColumnMeaning::Kernel, "kernel");
    rows.table().set_text(column, kernel.as_bytes());
    let op = Operation::uniform(DataType::Bf16);
    rows.typed(sizes, op, "", time_us * 1e-6, "");
    rows.frame(Some("mi300x"))
}

#[test]
fn a_shape_gets_the_account_that_explains_it() {
    let large = "Cijk_Ailk_Bljk_BBS_BH_MT256x128x64_MI16x16x1_GSU1";
    for (sizes, kernel, time_us, rule, words) in [
        ((512, 256, 65_536), large, 1100.0, "tile", "4 workgroups for 304 CUs: at most"),
        ((4096, 4096, 4096), large, 458.0, "rest", "23.0 % of the roof, 300.1 TFLOP/s"),
        // 34 x 9 workgroups: two more than one wave.
        (
            (4352, 2304, 4096),
            large,
            140.0,
            "tile",
            "306 workgroups on 304 CUs, which makes 2 waves with a partial last one",
        ),
        // 134.5 MB in 100 µs.
        ((16, 8192, 8192), "", 100.0, "rest", "1.35 TB/s of compulsory traffic"),
    ] {
        let found = check_all(&by_kernel(sizes, kernel, time_us));
        let found = of(&found, rule);
        assert_eq!(found.len(), 1, "{rule}");
        assert!(found[0].text.contains(words), "{}", found[0].text);
    }
    let signs = |frame: &Frame| -> Vec<Sign> {
        check_all(frame).findings.iter().flat_map(|f| &f.signs).map(|s| s.sign).collect()
    };
    // A row of B is 4097 x 2 bytes.
    assert!(signs(&by_kernel((4096, 4097, 4096), large, 458.0)).contains(&Sign::Unaligned));
    // A tile of 128x64 for N = 32.
    let tall = "Cijk_Ailk_Bljk_BBS_BH_MT64x128x64_MI16x16x1";
    assert!(signs(&by_kernel((65_536, 32, 512), tall, 100.0)).contains(&Sign::SkinnyTile));
    assert!(signs(&by_kernel((512, 256, 65_536), large, 1100.0)).contains(&Sign::SplitK));
}

#[test]
fn wrappers_are_counted_once_and_small_calls_can_be_batched() {
    let rows = [Row { calls: 64.0, ..row([16, 4096, 4096], DataType::Bf16, 20.0) }];
    let f = frame(&rows, Some("mi300x"), RoofKind::Datasheet);
    let mut data = (*f.data).clone();
    data.sources[0].counted_twice = RowsAndTime { rows: 1, time_s: 1280e-6 };
    let report = check_all(&Frame::all(Arc::new(data), f.metrics.clone()));
    assert!((report.parts[0].time_s * 1e6 - 1280.0).abs() < 1e-6);
    let twice = of(&report, "double_count");
    assert!(twice[0].text.contains("1.28 ms") && twice[0].text.contains("2.56 ms"));
    let idea = of(&report, "batching")[0];
    assert_eq!((idea.kind, idea.groups), (Kind::Idea, 1));
    // Ideas come after lost time.
    assert_eq!(report.findings.last().map(|f| f.kind), Some(Kind::Idea));
    let rest = of(&report, "rest")[0];
    assert_eq!(rest.signs.iter().map(|s| s.sign).collect::<Vec<_>>(), [Sign::Repeats]);
    // Layers that feed each other run in sequence.
    let mut data = (*f.data).clone();
    data.columns.push(Column {
        key: "op_name".to_owned(),
        label: "layer".to_owned(),
        meaning: ColumnMeaning::OpName,
        unit: String::new(),
        data: ColumnData::Text { codes: vec![0], values: vec!["layers.0.o_proj".to_owned()] },
    });
    assert!(of(&check_all(&Frame::all(Arc::new(data), f.metrics.clone())), "batching").is_empty());
}

/// Rows of one type on one device, with calls.
#[derive(Debug)]
struct Row {
    sizes: [u32; 4],
    op: Operation,
    time_s: f64,
    calls: f64,
    library: &'static str,
}

fn frame(rows: &[Row], device: Option<&str>, kind: RoofKind) -> Frame {
    let mut d = Dataset::new();
    d.sources.push(gemmscope_table::dataset::Source {
        name: "mine.csv".to_owned(),
        ..Default::default()
    });
    let (mut calls, mut codes) = (Vec::new(), Vec::new());
    let mut values = vec![String::new()];
    for (i, r) in rows.iter().enumerate() {
        let op = d.ops.iter().position(|o| *o == r.op).unwrap_or_else(|| {
            d.ops.push(r.op);
            d.ops.len() - 1
        });
        let [m, n, k, b] = r.sizes;
        d.m.push(m);
        d.n.push(n);
        d.k.push(k);
        d.batch.push(b);
        d.op.push(op as u16);
        d.device.push(0);
        d.time_s.push(r.time_s);
        d.source.push(0);
        d.line.push(i as u32 + 2);
        calls.push(r.calls);
        let code = values.iter().position(|v| v == r.library).unwrap_or_else(|| {
            values.push(r.library.to_owned());
            values.len() - 1
        });
        codes.push(code as u32);
    }
    let column = |meaning: ColumnMeaning, data| Column {
        key: meaning.id().to_owned(),
        label: meaning.id().to_owned(),
        meaning,
        unit: String::new(),
        data,
    };
    if calls.iter().any(|c| !c.is_nan()) {
        d.columns.push(column(ColumnMeaning::Count, ColumnData::Number(calls)));
    }
    if values.len() > 1 {
        d.columns.push(column(ColumnMeaning::Library, ColumnData::Text { codes, values }));
    }
    let device = device.and_then(hardware::by_id).cloned();
    let metrics = Metrics::compute(&d, vec![device], kind);
    Frame::all(Arc::new(d), Arc::new(metrics))
}

fn row(sizes: [u32; 3], dtype: DataType, time_us: f64) -> Row {
    Row {
        sizes: [sizes[0], sizes[1], sizes[2], 1],
        op: Operation::uniform(dtype),
        time_s: time_us * 1e-6,
        calls: 1.0,
        library: "",
    }
}

#[test]
fn a_rule_says_what_it_lacks() {
    let f = frame(&[row([512; 3], DataType::Bf16, 100.0)], None, RoofKind::Datasheet);
    let report = check_all(&f);
    let state = |rule: &str| {
        let c = report.checked.iter().find(|c| c.rule == rule);
        c.and_then(|c| c.not_checked.clone()).unwrap_or_default()
    };
    assert_eq!(state("rest"), "not checked: needs a device with a peak for the data type");
    assert!(state("tile").contains("a tile, in columns or in kernel names"));
    assert_eq!(state("layout"), "");
    assert_eq!(report.checked.len(), RULES.len());
}

#[test]
fn pairs_of_the_same_shape() {
    let s = [4096, 4096, 4096];
    let layout = |t: bool| Operation::uniform(DataType::Bf16).with_layout(false, t);
    let rows = [
        Row { op: layout(false), ..row(s, DataType::Bf16, 300.0) },
        Row { op: layout(true), ..row(s, DataType::Bf16, 200.0) },
        Row { op: layout(true), ..row(s, DataType::Bf16, 200.0) },
        row([8192, 8192, 1024], DataType::Fp32, 3000.0),
    ];
    let f = frame(&rows, Some("h100-sxm"), RoofKind::Datasheet);
    let report = check_all(&f);
    // A filter that leaves only the slow layout does not change its finding.
    let alone = check_all(&f.with_rows(Arc::new(vec![0])));
    let slow = |report: &Findings| {
        let line = |f: &&Finding| f.title.starts_with("Layout NN is slower than NT");
        let found = report.findings.iter().find(line).cloned();
        found.map(|f| (f.title.clone(), f.text.clone(), f.alone_s.map(|s| (s * 1e9).round())))
    };
    assert_eq!(slow(&alone), slow(&report));
    assert_eq!(slow(&alone).and_then(|f| f.2), Some(100e3));
    assert!(of(&report, "precision")[0].title.starts_with("tf32 would raise the roof of fp32"));
    let by = |library, time| Row { library, ..row(s, DataType::Bf16, time) };
    let rows = [by("cuBLAS", 200.0), by("mine", 260.0)];
    let report = check_all(&frame(&rows, None, RoofKind::Datasheet));
    let library = of(&report, "library")[0];
    assert_eq!(library.heading(), "cuBLAS is faster: 1 GEMM");
    assert_eq!(library.basis, Basis::Measured);
}

#[test]
fn above_the_roof_is_listed_with_candidates_and_never_clamped() {
    let mut rows: Vec<Row> =
        (1..6).map(|i| row([4096, 4096, 1024 * i], DataType::Bf16, 300.0)).collect();
    rows.push(row([4096, 4096, 8192], DataType::Bf16, 1.0));
    let report = check_all(&frame(&rows, Some("h100-sxm"), RoofKind::Datasheet));
    let found = of(&report, "above_roof");
    assert!(found[0].efficiency.is_some_and(|e| e > 200.0));
    assert!(found[0].text.contains("a unit: with 1000 times the time"), "{}", found[0].text);
    assert_eq!((found[0].alone_s, found[0].kind), (None, Kind::Question));
}

#[test]
fn with_many_rows_above_the_roof_the_device_is_the_first_question() {
    // Five of six GEMMs are faster than an A100 allows.
    let mut rows: Vec<Row> =
        (1..6).map(|i| row([4096, 4096, 1024 * i], DataType::Bf16, 60.0 * f64::from(i))).collect();
    rows.push(row([8192; 3], DataType::Bf16, 90_000.0));
    let report = check_all(&frame(&rows, Some("a100-80-sxm"), RoofKind::Datasheet));
    let first = &report.findings[0];
    assert_eq!(first.rule, "wrong_device");
    assert!(
        first.title.starts_with("Is this really the NVIDIA A100-SXM4-80GB? 5 of 6 GEMMs"),
        "{}",
        first.title
    );
}

#[test]
fn the_question_about_the_device_holds_the_rows_of_every_side_that_it_counts() {
    let mut rows = Rows::new();
    for (library, times) in [("cublas", [60e-6, 90e-3]), ("cutlass", [70e-6, 80e-3])] {
        for (n, time) in [4096, 8192].into_iter().zip(times) {
            rows.row((n, n, n), library, time, "");
        }
    }
    let report = check_all(&rows.frame(Some("a100-80-sxm")));
    let first = &report.findings[0];
    assert!(first.title.contains("2 of 4 GEMMs"), "{}", first.title);
    assert_eq!(first.evidence.rows, [0, 2]);
}

#[test]
fn findings_count_gemms_not_the_rows_that_measured_them() {
    // An A100 has no peak for fp8: two GEMMs in five rows. Of bf16 one GEMM in three rows, by two kernels.
    let mut rows = Rows::new();
    let column = rows.table().text_column(ColumnMeaning::Kernel, "kernel");
    let mut add = |n: u32, dtype, kernel: &str, time_us: f64| {
        rows.table().set_text(column, kernel.as_bytes());
        rows.typed((4096, n, 4096), Operation::uniform(dtype), "", time_us * 1e-6, "");
    };
    for (n, time_us) in [(2048, 500.0), (2048, 510.0), (2048, 505.0), (4096, 900.0), (4096, 950.0)]
    {
        add(n, DataType::Fp8E4m3, "", time_us);
    }
    for (kernel, time_us) in [("a", 100.0), ("a", 101.0), ("b", 110.0)] {
        add(4096, DataType::Bf16, kernel, time_us);
    }
    let f = rows.frame(Some("a100-80-sxm")).as_kind(Some(DataKind::Workload));
    let report = check_all(&f);
    let no_roof = of(&report, "no_model")[0];
    assert_eq!((no_roof.groups, no_roof.evidence.rows.len()), (2, 5), "{}", no_roof.title);
    let above = of(&report, "above_roof")[0];
    assert_eq!((above.groups, above.evidence.rows.len()), (1, 3), "{}", above.title);
    let device = of(&report, "wrong_device")[0];
    assert!(device.title.contains("1 of 1 GEMM is above its roof"), "{}", device.title);
    assert!(device.text.starts_with("100.0 % of the GEMMs"), "{}", device.text);
}

#[test]
fn a_bandwidth_with_the_scales_of_quantised_operands_is_not_blamed() {
    // `excess` is by elements of the operands; results are fp16.
    let told = |dtype, excess: &dyn Fn(f64) -> f64| {
        let mut rows = Rows::new();
        let out = Operation { c: DataType::Fp16, ..Operation::uniform(dtype) };
        let column = rows.table().number_column(ColumnMeaning::ReportedBandwidth, "GB/s");
        for n in [512.0, 1024.0, 2048.0] {
            let (a, b) = (4096.0 * 4096.0, 4096.0 * n);
            let bytes = (a + b) * dtype.bytes() + 2.0 * 4096.0 * n;
            rows.table().set_number(column, 1e3 * (bytes + excess(a + b)));
            rows.typed((4096, n as u32, 4096), out, "", 1e-3, "");
        }
        let report = check_all(&rows.frame(None));
        let found = of(&report, "reported")[0];
        (found.title.clone(), found.text.clone(), found.path_a.clone())
    };
    // A scale of 4 bytes a group of 128.
    let (title, text, path_a) = told(DataType::Fp8E4m3, &|elements| elements / 32.0);
    assert!(title.contains("probably counts scales too, in 3 of 3 rows"), "{title}");
    assert!(text.contains("whose bytes gemmscope leaves out"), "{text}");
    assert!(path_a.starts_with("Nothing to correct"), "{path_a}");
    // Types that hold no scales, more than scales take, and less than the operands.
    for (dtype, share) in
        [(DataType::Bf16, 1.0 / 32.0), (DataType::Fp8E4m3, 0.2), (DataType::Int8, -0.1)]
    {
        let (title, ..) = told(dtype, &|elements| elements * share);
        assert!(title.contains("disagrees in 3 of 3 rows"), "{title}");
    }
}

#[test]
fn no_gain_is_claimed_of_doubtful_figures() {
    let told = |faster_us: f64| {
        let mut rows = Rows::new();
        let column = rows.table().text_column(ColumnMeaning::Kernel, "kernel");
        for (m, kernel, us) in
            [(8192, "a", 900.0), (8192, "b", 600.0), (4096, "a", 300.0), (2048, "a", faster_us)]
        {
            rows.table().set_text(column, kernel.as_bytes());
            rows.row((m, 4096, 4096), "", us * 1e-6, "");
        }
        let f = rows.frame(Some("h100-sxm")).as_kind(Some(DataKind::Workload));
        let (report, trust) = (check_all(&f), Trust::of(&f));
        let lines = crate::headline::lines(&report.ledger, &trust).join(" ");
        (crate::report::sentences(&Scan::new(&f), &report, &trust), lines)
    };
    let (sound, lines) = told(200.0);
    assert!(sound[0].starts_with("Most to gain: "), "{sound:?}");
    assert!(lines.contains("; alone kernel saves 300 µs"), "{lines}");
    let (doubtful, lines) = told(20.0);
    assert_eq!(doubtful[0], "Doubtful: 1 of 4 rows is above the datasheet roof.");
    assert!(doubtful.iter().all(|words| !words.contains("Most to gain")), "{doubtful:?}");
    assert!(!lines.contains("saves"), "{lines}");
}

#[test]
fn candidates_of_a_sweep_spend_no_time() {
    let mut rows = Rows::new();
    let column = rows.table().text_column(ColumnMeaning::Kernel, "kernel");
    let op = Operation::uniform(DataType::Bf16);
    for i in 0..40u32 {
        rows.table().set_text(column, format!("kernel_{i}").as_bytes());
        let time = (250.0 + f64::from(i) * 50.0) * 1e-6;
        rows.typed((4096, 4096, 4096), op, "", time, "");
    }
    let f = rows.frame(Some("h100-sxm"));
    let scan = Scan::new(&f);
    assert_eq!(scan.kind, DataKind::Sweep);
    assert_eq!(scan.checked().count(), 1);
    for finding in check_all(&f).findings {
        let best = finding.evidence.rows.contains(&0);
        assert!(best || finding.alone_s.is_none(), "{}", finding.title);
    }
}

#[test]
fn thresholds_of_the_priorities() {
    let cases = [
        (0.16, Some(0.29), Severity::Critical),
        (0.16, Some(0.31), Severity::High),
        (0.11, Some(0.9), Severity::High),
        (0.02, Some(0.39), Severity::High),
        (0.06, Some(0.5), Severity::Medium),
        (0.02, Some(0.5), Severity::Low),
        (0.02, None, Severity::Low),
    ];
    for (share, efficiency, expected) in cases {
        assert_eq!(priority(share, share, efficiency, false), expected, "{share} {efficiency:?}");
    }
    // 27 µs in 30 ms at 0.05 % of its roof is not High.
    assert_eq!(priority(0.0009, 0.0009, Some(0.0005), true), Severity::Low);
    assert_eq!(
        [0.9, 0.7, 0.5, 0.1, 1.2].map(band),
        ["excellent", "good", "acceptable", "investigate", "above its roof"]
    );
}

#[test]
fn no_rule_claims_what_times_cannot_tell() {
    const FORBIDDEN: [&str; 4] = ["bank conflict", "cache hit", "because of", "caused by"];
    for rule in RULE_TEXTS {
        for text in [rule.why, rule.path_a, rule.path_b, rule.threshold, rule.title] {
            let text = text.to_lowercase();
            for word in FORBIDDEN {
                assert!(!text.contains(word), "{}: {text}", rule.id);
            }
        }
        assert!([rule.profile, rule.path_a, rule.path_b].iter().all(|text| !text.is_empty()));
    }
}

#[test]
fn every_rule_has_its_texts_and_a_key_of_its_own() {
    let mut ids: Vec<&str> = RULES.iter().map(|rule| rule.id).collect();
    assert_eq!(RULE_TEXTS.iter().map(|text| text.id).collect::<Vec<_>>(), ids);
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), RULES.len());
}

fn any_row() -> impl Strategy<Value = Row> {
    let size = prop_oneof![1u32..64, 64u32..5000, Just(4096u32), Just(131_072u32)];
    let dtypes =
        [DataType::Bf16, DataType::Fp8E4m3, DataType::Fp32, DataType::Fp64, DataType::Int8];
    (
        [size.clone(), size.clone(), size],
        0..dtypes.len(),
        any::<[bool; 2]>(),
        -9.0..2.0f64,
        prop_oneof![Just(f64::NAN), Just(1.0), Just(0.0), 1.0..5000.0f64],
        0usize..3,
    )
        .prop_map(move |(s, t, [ta, tb], time, calls, library)| Row {
            sizes: [s[0], s[1], s[2], 1 + s[0] % 3],
            op: Operation::uniform(dtypes[t]).with_layout(ta, tb),
            time_s: 10f64.powf(time),
            calls,
            library: ["", "Tensile", "Triton"][library],
        })
}

proptest! {
    #[test]
    fn findings_add_up_to_the_lost_time(
        mut rows in proptest::collection::vec(any_row(), 1..60),
        twins in proptest::collection::vec((0usize..60, 0.2..5.0f64), 0..20),
        achievable in any::<bool>(),
        device in 0usize..3,
        pick in any::<proptest::sample::Index>(),
    ) {
        for (i, factor) in twins {
            let Some(r) = rows.get(i) else { continue };
            let twin = Row { time_s: r.time_s * factor, library: "Triton", ..*r };
            rows.push(twin);
        }
        let device = [Some("mi300x"), Some("h100-sxm"), None][device];
        let kind = if achievable { RoofKind::Achievable } else { RoofKind::Datasheet };
        let f = frame(&rows, device, kind);
        let report = check_all(&f);
        for part in &report.parts {
            let books = report.ledger.books.iter().filter(|b| b.side == part.label);
            let lost: f64 = books.map(|b| b.lost_s()).sum();
            let own = report.findings.iter().filter(|f| f.kind == Kind::Lost && f.side == part.label);
            let sum: f64 = own.filter_map(|f| f.split_s).sum();
            // What is missing is causes under 0.5 % of the time each.
            let causes = 0.005 * part.time_s * 40.0;
            prop_assert!((-1e-9 * part.time_s..=causes).contains(&(lost - sum)), "{sum} {lost}");
        }
        for finding in &report.findings {
            prop_assert!(finding.evidence.rows.windows(2).all(|w| w[0] < w[1]));
            prop_assert!(finding.kind == Kind::Idea || finding.alone_s.is_none_or(|s| s <= finding.time_s * (1.0 + 1e-9)));
        }
        // Filtering to a finding gives its seconds and its count.
        let lost: Vec<&Finding> =
            report.findings.iter().filter(|f| f.kind == Kind::Lost).collect();
        if !lost.is_empty() {
            let one = lost[pick.index(lost.len())];
            let only = check_all(&f.with_rows(Arc::new(one.evidence.rows.clone())));
            // The claim comes first, then what it is a part of.
            let claim = |f: &Finding| f.title.split(": ").next().map(str::to_owned);
            let same = |f: &&Finding| f.rule == one.rule && claim(f) == claim(one) && f.side == one.side;
            let found = only.findings.iter().find(same);
            prop_assert!(found.is_some_and(|f| {
                let (a, b) = (f.alone_s.unwrap_or(0.0), one.alone_s.unwrap_or(0.0));
                (a - b).abs() <= 1e-9 * one.time_s && f.groups == one.groups
            }), "{one:?} {only:?}");
        }
    }
}

/// The new total once some findings are fixed, in words.
fn fixed(frame: &Frame, report: &Findings, indices: &[usize]) -> Option<String> {
    report.fixed(indices, &left(frame, report, indices), 0.0)
}

/// The ledger that is left once some findings are ticked.
fn left(frame: &Frame, report: &Findings, indices: &[usize]) -> Ledger {
    Ledger::left(frame, &Partners::of(frame), &report.changes(indices))
}

proptest! {
    #[test]
    fn a_tick_saves_what_is_said_and_all_ticks_save_what_weighs(
        mut rows in proptest::collection::vec(any_row(), 1..40),
        twins in proptest::collection::vec((0usize..40, 0.2..5.0f64), 0..20),
        others in proptest::collection::vec(any::<bool>(), 8),
    ) {
        for (i, factor) in twins {
            let Some(r) = rows.get(i) else { continue };
            let twin = Row { time_s: r.time_s * factor, library: "Triton", ..*r };
            rows.push(twin);
        }
        let f = frame(&rows, Some("mi300x"), RoofKind::Datasheet);
        let report = check_all(&f);
        let time_s = |ledger: &Ledger| -> f64 { ledger.books.iter().map(|b| b.time_s).sum() };
        let before_s = time_s(&report.ledger);
        let near = |a: f64, b: f64| (a - b).abs() <= 1e-9 * before_s;
        let lost = |i: &usize| report.findings[*i].kind == Kind::Lost;
        let lost: Vec<usize> = (0..report.findings.len()).filter(lost).collect();
        for i in &lost {
            let finding = &report.findings[*i];
            let (alone_s, split_s) = (finding.alone_s.unwrap(), finding.split_s.unwrap());
            prop_assert!(alone_s >= split_s - 1e-9 * before_s, "{finding:?}");
            let saved_s = before_s - time_s(&left(&f, &report, &[*i]));
            prop_assert!(near(saved_s, alone_s), "{saved_s} {finding:?}");
            let measured = |c: &Change| c.account.evidence() == Basis::Measured;
            if !finding.changes.iter().any(measured) {
                prop_assert!(near(alone_s, split_s), "{finding:?}");
            }
        }
        // All of them together leave what the device needs, and causes under 0.5 % of the time each.
        let lost_s: f64 = report.ledger.books.iter().map(|b| b.lost_s()).sum();
        let kept_s = lost_s - (before_s - time_s(&left(&f, &report, &lost)));
        prop_assert!((-1e-9 * before_s..=0.005 * before_s * 40.0).contains(&kept_s), "{kept_s}");
        // Some of them save at least as much as the best one, and at most the sum of their savings alone.
        let some: Vec<usize> =
            lost.iter().zip(others.iter().cycle()).filter(|(_, on)| **on).map(|(i, _)| *i).collect();
        let saved_s = before_s - time_s(&left(&f, &report, &some));
        let alone = || some.iter().filter_map(|i| report.findings[*i].alone_s);
        prop_assert!(saved_s <= alone().sum::<f64>() + 1e-9 * before_s);
        prop_assert!(saved_s >= alone().fold(0.0, f64::max) - 1e-9 * before_s);
    }
}

#[test]
fn a_finding_is_found_by_its_name() {
    let rows = [
        row([4096; 3], DataType::Bf16, 2000.0),
        row([2048; 3], DataType::Bf16, 900.0),
        row([4096, 4096, 4097], DataType::Bf16, 900.0),
    ];
    let f = frame(&rows, Some("mi300x"), RoofKind::Datasheet);
    let found = check_all(&f);
    assert!(found.findings.len() > 1);
    for i in 0..found.findings.len() {
        assert_eq!(found.position(&found.id_of(i)), Some(i));
    }
    for id in ["", "rest", "rest.0", "rest.x", "nothing.1"] {
        assert_eq!(found.position(id), None, "{id}");
    }
    assert_eq!(found.id_of(usize::MAX), "");
}
