//! Goldens, and the figures of real reports.

use super::*;
use crate::findings::check_all;
use crate::hardware::Device;
use crate::import::{ImportOptions, Imported, read_all};
use crate::metrics::DeviceChoice;
use crate::trace;
use std::path::PathBuf;

fn frame(files: &[(&str, &[u8])], kind: RoofKind) -> Frame {
    let mut data = crate::dataset::Dataset::new();
    let mut custom: Vec<Device> = Vec::new();
    for (name, bytes) in files {
        match read_all(name, bytes, &ImportOptions::default()) {
            Ok(Imported::Table(t)) => data.append(*t),
            Ok(Imported::Context(c)) => custom.extend(trace::attach(&mut data, &c).device),
            other => panic!("{name}: {other:?}"),
        }
    }
    let choice = DeviceChoice {
        default: Some("mi300x".to_owned()),
        ..DeviceChoice::default()
    };
    let devices = choice.resolve(&data.devices, &custom);
    let metrics = Metrics::compute(&data, devices, kind);
    Frame::all(Arc::new(data), Arc::new(metrics))
}

/// A small report of our own making, with markup in its names.
const TABLE: &str = "name,op category,Input Dims,Input type,Input Strides,ex_UID,operation_count,\
Kernel Time (µs)_sum,Kernel Time (µs)_std,Kernel Time (µs)_min,Kernel Time (µs)_max,\
trunc_kernel_details,perf_params,has_perf_model,Pct Roofline_mean,call_stack_full\n\
aten::mm,GEMM,\"((512, 65536), (65536, 256))\",\"('c10::BFloat16', 'c10::BFloat16')\",,1,10,11000.0,\
3.0,1080.0,1120.0,\"[{'name': 'Cijk_Ailk_Bljk_BBS_BH_MT256x128x64_MI16x16x1_GSU1_ISA942', \
'mean_duration_us': 1100}]\",\"{'M': 512, 'N': 256, 'K': 65536, 'B': 1, 'bias': False, \
'dtype_A_B': ('c10::BFloat16', 'c10::BFloat16'), 'transpose': (False, False)}\",True,2.3,\n\
aten::addmm,GEMM,\"((4096,), (8192, 4096), (4096, 4096))\",\"('c10::BFloat16', 'c10::BFloat16', \
'c10::BFloat16')\",\"((1,), (4096, 1), (1, 4096))\",2,24,14400.0,30.0,560.0,700.0,\
\"[{'name': 'my<kernel>|*x*', 'mean_duration_us': 600}]\",,True,64.7,a => b<script>\n\
my::moe,GEMM,\"((64, 64),)\",\"('c10::BFloat16',)\",,3,4,1600.0,,,,[],,False,,\n\
aten::bmm,GEMM,\"((2048, 8, 64), (2048, 64, 16))\",\"('float', 'float')\",,4,32,320.0,1.0,9.0,12.0,\
[],,True,11.4,\n\
aten::gelu,elementwise,\"((8192, 4096),)\",\"('c10::BFloat16',)\",,5,24,4680.0,,,,[],,False,,\n";

const METADATA: &str = "{\"platform\": \"MI300X\", \"peak_hbm_bw_tbs\": 5.3, \
\"max_achievable_tflops\": {\"matrix_bf16\": 708, \"matrix_fp32\": 163}, \"memory_gb\": 192, \
\"gpu_utilization\": {\"total_time_ms\": 40.0, \"computation_time_percent\": 80.0, \
\"idle_time_percent\": 20.0}}";

fn own() -> Report {
    let f = frame(
        &[
            ("run/gemm_ops.csv", TABLE.as_bytes()),
            ("run/metadata/gemm_metadata.json", METADATA.as_bytes()),
        ],
        RoofKind::Achievable,
    );
    Report::new(&f, &check_all(&f))
}

fn golden(name: &str, text: &str) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("tests/golden/report")
        .join(name);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        return;
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        expected == text,
        "{name} differs from its golden; UPDATE_GOLDEN=1 writes it:\n{text}"
    );
}

#[test]
fn goldens() {
    let report = own();
    golden("gemm_findings.md", &gemm_findings(&report));
    golden("report.md", &markdown(&report));
    let picture = Picture {
        title: "A picture & its <title>".to_owned(),
        svg: "<svg xmlns=\"http://www.w3.org/2000/svg\"/>".to_owned(),
        narrow: "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"400\"/>".to_owned(),
    };
    golden("report.html", &html(&report, &[picture]));
    golden("report.json", &json(&report));
}

#[test]
fn text_of_the_file_is_never_markup() {
    let report = own();
    let page = html(&report, &[]);
    assert!(!page.contains("<script") && !page.contains("my<kernel>"));
    assert!(!page.contains("://"), "nothing is fetched");
    assert!(!gemm_findings(&report).contains("<script"));
    let parsed: serde_json::Value = serde_json::from_str(&json(&report)).unwrap();
    assert_eq!(parsed["schema"], "gemmscope/report/1");
    assert_eq!(
        parsed["operations"][1]["callers"],
        serde_json::Value::Array(Vec::new())
    );
}

#[test]
fn the_template_is_kept() {
    let text = gemm_findings(&own());
    let heads: Vec<&str> = text.lines().filter(|l| l.starts_with('#')).collect();
    assert_eq!(
        heads[..3],
        [
            "# GEMM Analysis Summary",
            "## Overview",
            "## Key Bottlenecks"
        ]
    );
    assert_eq!(heads.last(), Some(&"## Additional Notes"));
    for key in [
        "Time",
        "Efficiency",
        "Issue",
        "Path A",
        "Path B",
        "Priority",
    ] {
        assert!(text.contains(&format!("- **{key}:** ")), "{key}");
    }
    assert!(text.contains("% of peak MAF"));
}

#[test]
fn impact_and_shares_are_the_reports_own() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared/data/tracelens");
    for case in [
        "qwen_mi300",
        "gemm_01_compute_few_tiles",
        "gemm_04_memory_tall_skinny",
    ] {
        let read = |f: &str| std::fs::read(folder.join(case).join(f));
        let (Ok(ops), Ok(meta), Ok(metrics)) = (
            read("category_data/gemm_ops.csv"),
            read("metadata/gemm_metadata.json"),
            read("category_data/gemm_metrics.json"),
        ) else {
            eprintln!("skipped: {case} is not at hand");
            return;
        };
        let f = frame(
            &[
                ("r/category_data/gemm_ops.csv", &ops),
                ("r/metadata/gemm_metadata.json", &meta),
                ("r/category_data/gemm_metrics.json", &metrics),
            ],
            RoofKind::Achievable,
        );
        let report = Report::new(&f, &check_all(&f));
        let trace = f.data.sources[0].trace.as_ref().unwrap();
        let theirs = &trace.reported.as_ref().unwrap().operations;
        assert_eq!(theirs.len(), report.operations.len());
        let printed = |a: f64, b: f64| assert!((a - b).abs() <= 0.005 + 1e-9, "{case}: {a} {b}");
        for (o, t) in report.operations.iter().zip(theirs) {
            assert_eq!(o.name, t.name);
            let (low, mid, high) = t.impact_percent.unwrap();
            let ours = o.impact_percent.unwrap();
            let total = trace.total_s.unwrap();
            // The report computes these from a time and a percentage that it has rounded before;
            // exact ones may differ in the last digit, those do not.
            let rounded = impact_percent(
                t.efficiency_percent.unwrap() / 100.0,
                t.time_s.unwrap() / total,
            );
            for (ours, rounded, theirs) in [
                (ours.0, rounded.0, low),
                (ours.1, rounded.1, mid),
                (ours.2, rounded.2, high),
            ] {
                printed(rounded, theirs);
                assert!((ours - theirs).abs() <= 0.01, "{case}: {ours} {theirs}");
            }
            printed(o.share_of_category * 100.0, t.percent_of_category.unwrap());
            printed(o.time_s / total * 100.0, t.percent_of_total.unwrap());
            printed(
                o.reported_efficiency.unwrap() * 100.0,
                t.efficiency_percent.unwrap(),
            );
            assert!((o.time_s * 1e3 - t.time_s.unwrap() * 1e3).abs() <= 5e-4 + 1e-9);
        }
        if case == "qwen_mi300" {
            // The plain mean of the file's percentages is 53.85: those are means of the calls' own
            // ratios, ours are roof time over mean time.
            let plain = report.plain_mean_efficiency.unwrap() * 100.0;
            assert!((plain - 53.85).abs() < 0.06, "{plain}");
        }
    }
}

/// Sentences and assumptions of a table, judged by a device where rows name none.
fn said(text: &str, device: Option<&str>) -> ([String; 3], Vec<String>) {
    let Ok(Imported::Table(data)) = read_all("t.csv", text.as_bytes(), &ImportOptions::default())
    else {
        panic!("no table: {text}");
    };
    let choice = DeviceChoice {
        default: device.map(str::to_owned),
        ..DeviceChoice::default()
    };
    let devices = choice.resolve(&data.devices, &[]);
    let metrics = Metrics::compute(&data, devices, RoofKind::Datasheet);
    let f = Frame::all(Arc::new(*data), Arc::new(metrics));
    let report = Report::new(&f, &check_all(&f));
    (report.sentences, report.assumptions)
}

#[test]
fn sentences_say_what_is_not_known() {
    let head = "M,N,K,dtype,time_us,device\n";
    let row = |device: &str, us: f64| format!("4096,4096,4096,bf16,{us},{device}\n");
    // No device at all.
    let ([first, second, third], assumed) = said(&format!("{head}{}", row("", 500.0)), None);
    assert!(
        first.ends_with("; choose a device to see how near its roof that is."),
        "{first}"
    );
    assert!(second.starts_with("Without a roof"), "{second}");
    assert_eq!(third, "No finding promises time back.");
    assert!(assumed.is_empty());
    // One that is chosen is an assumption, and named.
    let ([first, ..], assumed) = said(&format!("{head}{}", row("", 500.0)), Some("mi300x"));
    assert!(
        first.ends_with("datasheet roof of the AMD Instinct MI300X."),
        "{first}"
    );
    assert_eq!(
        assumed,
        ["No device is named in the file: judged as AMD Instinct MI300X."]
    );
    // A name that fits several devices.
    let ([first, ..], _) = said(&format!("{head}{}", row("gfx90a", 500.0)), None);
    assert!(
        first.contains("the file says gfx90a, which may be the AMD Instinct MI2"),
        "{first}"
    );
    // Most of the time has no roof: the rest is no verdict on the whole.
    let text = format!("{head}{}{}", row("gfx90a", 900.0), row("MI300X", 100.0));
    let ([first, second, _], _) = said(&text, None);
    assert!(
        first.contains("only 10.0 % of that time has a known roof"),
        "{first}"
    );
    assert!(second.starts_with("Of 90.0 % of the time nothing can be said yet: the file says"));
    // Nothing measured.
    let ([first, ..], _) = said("M,N,K,dtype\n4096,4096,4096,bf16\n", Some("mi300x"));
    assert!(first.starts_with("No GEMM here was measured"), "{first}");
    // A benchmark's rows are no calls that could be batched.
    let small = "M,N,K,dtype,time_us\n16,16,16,bf16,5\n16,16,16,bf16,5\n";
    let ([_, _, third], _) = said(small, Some("mi300x"));
    assert_eq!(third, "No finding promises time back.");
}

#[test]
fn rules_of_thumb() {
    assert_eq!(
        [250.0, 150.0, 50.0].map(rule_of_thumb),
        ["compute", "between", "memory"]
    );
    let (low, mid, high) = impact_percent(0.0446, 1.0);
    assert!((low - 71.66).abs() < 0.01 && (mid - 83.6).abs() < 0.01 && (high - 95.54).abs() < 1e-9);
    assert_eq!(impact_percent(1.05, 1.0), (0.0, 0.0, 0.0));
}
