//! Reports of small files of our own: goldens and sentences; a plan that is read back.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on says where")]

use gemmscope_analysis::findings::Kind;
use gemmscope_analysis::ledger::{Account, Evidence};
use gemmscope_analysis::planner::{Plan, PlanState};
use gemmscope_analysis::tuning::{self, SearchHistory};
use gemmscope_import::{ImportOptions, Imported, read_all};
use gemmscope_model::hardware::{Device, RoofKind};
use gemmscope_table::dataset::{ColumnMeaning, Dataset, TraceContext};
use gemmscope_table::field::Frame;
use gemmscope_table::fixture;
use gemmscope_table::metrics::{DeviceChoice, Metrics};
use gemmscope_table::trace;
use gemmscope_table::view_state::ViewState;
use gemmscope_words::findings::check_all;
use gemmscope_words::plan_export;
use gemmscope_words::replay::bulk;
use gemmscope_words::report::{
    Picture, Report, gemm_findings, gemm_findings_of, html, json, markdown,
};
use std::collections::BTreeSet;
use std::sync::Arc;

fn frame(files: &[(&str, &[u8])], kind: RoofKind) -> Frame {
    let mut data = Dataset::new();
    let mut custom: Vec<Device> = Vec::new();
    for (name, bytes) in files {
        match read_all(name, bytes, &ImportOptions::default()) {
            Ok(Imported::Table(t)) => data.append(*t),
            Ok(Imported::Context(c)) => custom.extend(trace::attach(&mut data, &c).device),
            other => panic!("{name}: {other:?}"),
        }
    }
    let choice = DeviceChoice { default: Some("mi300x".to_owned()), ..DeviceChoice::default() };
    let devices = choice.resolve(&data, &custom);
    let metrics = Metrics::compute(&data, devices, kind);
    Frame::all(Arc::new(data), Arc::new(metrics))
}

/// A small report of our own, with markup in its names.
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
    fixture::golden(&format!("tests/golden/report/{name}"), text).unwrap_or_else(|e| panic!("{e}"));
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
    // The call stack is escaped as markdown.
    let findings = gemm_findings(&report);
    assert!(findings.contains("\\<script") && !findings.replace("\\<", "").contains("<script"));
    let parsed: serde_json::Value = serde_json::from_str(&json(&report)).unwrap();
    assert_eq!(parsed["schema"], "gemmscope/report/4");
    assert_eq!(parsed["operations"][1]["callers"], serde_json::Value::Array(Vec::new()));
}

#[test]
fn the_template_is_kept() {
    let text = gemm_findings(&own());
    let heads: Vec<&str> = text.lines().filter(|l| l.starts_with('#')).collect();
    assert_eq!(heads[..3], ["# GEMM Analysis Summary", "## Overview", "## Key Bottlenecks"]);
    assert_eq!(heads.last(), Some(&"## Additional Notes"));
    for key in ["Time", "Efficiency", "Issue", "Path A", "Path B", "Priority"] {
        assert!(text.contains(&format!("- **{key}:** ")), "{key}");
    }
    assert!(text.contains("% of peak MAF"));
}

/// The sentences of a table, under a device for rows that name none, and the choices of the user.
fn said(text: &str, device: Option<&str>) -> (Vec<String>, Vec<String>) {
    let Ok(Imported::Table(data)) = read_all("t.csv", text.as_bytes(), &ImportOptions::default())
    else {
        panic!("no table: {text}");
    };
    let choice = DeviceChoice { default: device.map(str::to_owned), ..DeviceChoice::default() };
    let devices = choice.resolve(&data, &[]);
    let metrics = Metrics::compute(&data, devices, RoofKind::Datasheet);
    let f = Frame::all(Arc::new(*data), Arc::new(metrics));
    let report = Report::new(&f, &check_all(&f));
    assert_eq!(report.assumptions, [""; 0], "nothing is assumed");
    (report.sentences, report.chosen)
}

#[test]
fn sentences_say_what_is_not_known() {
    let head = "M,N,K,dtype,time_us,device\n";
    let row = |device: &str, us: f64| format!("4096,4096,4096,bf16,{us},{device}\n");
    // Without a device.
    let (said_of, chosen) = said(&format!("{head}{}", row("", 500.0)), None);
    assert_eq!(
        said_of,
        [
            "1 GEMM: 500 µs, roof unknown. Choose a device to see efficiency.",
            "Most checks compare with a roof, so they wait for a device."
        ]
    );
    assert!(chosen.is_empty());
    // A chosen device is named as such.
    let (said_of, chosen) = said(&format!("{head}{}", row("", 500.0)), Some("mi300x"));
    assert!(said_of[0].starts_with("Most to gain: "), "{said_of:?}");
    assert!(said_of[1].ends_with("(datasheet roof of the AMD Instinct MI300X)."), "{said_of:?}");
    assert_eq!(chosen, ["The file names no device. The roof is that of the AMD Instinct MI300X."]);
    // A name that fits several devices.
    let (said_of, _) = said(&format!("{head}{}", row("gfx90a", 500.0)), None);
    assert!(
        said_of[0].contains("The file says gfx90a, which can be the AMD Instinct MI2"),
        "{said_of:?}"
    );
    // Most of the time has no roof, so the rest does not allow a verdict on the whole.
    let text = format!("{head}{}{}", row("gfx90a", 900.0), "4096,4096,2048,bf16,100,MI300X\n");
    let all = said(&text, None).0.join(" ");
    assert!(
        all.contains(
            "gfx90a: 900 µs on 1 GEMM, roof unknown; AMD Instinct MI300X: 52.6 % of roof, 100 µs on 1 GEMM."
        ),
        "{all}"
    );
    assert!(all.contains("90.0 % of the time has no roof yet: the file says"), "{all}");
    // Nothing measured.
    let (said_of, _) = said("M,N,K,dtype\n4096,4096,4096,bf16\n", Some("mi300x"));
    assert!(said_of[0].starts_with("1 shape only: it has no time"), "{said_of:?}");
    // The rows of a benchmark are not calls that could be batched.
    let small = "M,N,K,dtype,time_us\n16,16,16,bf16,5\n16,16,16,bf16,5\n";
    let all = said(small, Some("mi300x")).0.join(" ");
    assert!(!all.contains("could save"), "{all}");
}

#[test]
fn a_list_of_shapes_has_roof_times_and_no_empty_tables() {
    let list = "M,N,K,dtype,count\n8,8192,4096,bf16,32\n4096,4096,4096,bf16,1\n";
    let f = frame(&[("shapes.csv", list.as_bytes())], RoofKind::Datasheet);
    let report = Report::new(&f, &check_all(&f));
    let text = markdown(&report);
    let heads: Vec<&str> = text.lines().filter(|l| l.starts_with("## ")).collect();
    assert_eq!(heads[..2], ["## Overview", "## Shapes without a time"]);
    assert!(!text.contains("## Findings") && !text.contains("## Operations"));
    assert!(text.contains("2 shapes only: they have no time"), "{text}");
    // 2 * 4096^3 at 1307.4 TFLOP/s, and the weights at 5.3 TB/s.
    assert!(
        text.contains("| 4096 × 4096 × 4096 | bf16 | 105.1 µs | compute-bound | 1 |"),
        "{text}"
    );
    assert!(text.contains("| memory-bound | 32 |"), "{text}");
    let short = gemm_findings(&report);
    assert!(short.contains("no operation has a time") && !short.contains("account for"));
    let page = html(&report, &[]);
    assert!(page.contains("<h2>Shapes without a time</h2>") && !page.contains("<h2>Findings</h2>"));
    let parsed: serde_json::Value = serde_json::from_str(&json(&report)).unwrap();
    assert_eq!(parsed["shapes"]["longest"][1]["calls"], 32.0);
    // A file with times has no such section.
    assert!(!markdown(&own()).contains("Shapes without a time"));
}

#[test]
fn the_csv_comes_back_as_shapes_without_a_time() {
    let state = ViewState::decode("plan.devices=mi300x,h100-sxm").0;
    let p = Plan::new(PlanState::read(&state).0, &[]);
    let text = plan_export::csv(&p);
    let Ok(Imported::Table(back)) =
        read_all("gemmscope-plan.csv", text.as_bytes(), &ImportOptions::default())
    else {
        panic!("{text}");
    };
    let data = p.dataset();
    assert_eq!(back.len(), data.len());
    for row in 0..back.len() {
        assert_eq!(back.problem(row), data.problem(row));
        assert!(back.time_s[row].is_nan());
        assert_eq!(back.text(ColumnMeaning::OpName, row), data.text(ColumnMeaning::OpName, row));
    }
    let triton = plan_export::tritonbench(&p);
    let Ok(Imported::Table(shapes)) =
        read_all("tritonbench-shapes.csv", triton.as_bytes(), &ImportOptions::default())
    else {
        panic!("{triton}");
    };
    assert_eq!((shapes.m[0], shapes.k[0], shapes.n[0]), (8, 4096, 6144));
}

#[test]
fn a_report_lists_what_failed_and_what_it_shares() {
    let mut csv = "generation,status,M,N,K,dtype,time_ms,num_stages\n".to_owned();
    for i in 0..8 {
        let (status, time, stages) = match i {
            1 | 5 => ("wrong result", "0.05", 5),
            3 => ("timeout", "", 5),
            _ => ("ok", "1", 3),
        };
        csv += &format!("{},{status},4096,4096,4096,bf16,{time},{stages}\n", i / 4);
    }
    let f = frame(&[("t.csv", csv.as_bytes())], RoofKind::Datasheet);
    let report = Report::new(&f, &check_all(&f));
    let text = markdown(&report);
    assert!(
        text.contains("Of 8 variants 3 failed and 0 ran under 10 % of the best rate."),
        "{text}"
    );
    assert!(text.contains("| num_stages = 5 | 3 | 3 |"), "{text}");
    assert!(
        text.contains("| line 3 | 0 | failed: wrong result | 50.00 µs | num_stages=5 |"),
        "{text}"
    );
    assert!(text.contains("failed: timeout | not stated |"), "{text}");
    assert!(html(&report, &[]).contains("<td>failed: wrong result</td>"));
    // A failed variant counts in no total, however fast it was, and nothing is reported above its roof.
    assert_eq!(report.parts[0].gemm_s, 1e-3, "{:?}", report.parts);
    assert!(f.metrics.rate(&f.data, 1).is_nan());
    // One generation after the other, even if all went well.
    assert!(text.contains("Best of each generation against the one before: 1: 0 %."), "{text}");
    let mut csv = "generation,M,N,K,dtype,time_ms\n".to_owned();
    csv += "0,4096,4096,4096,bf16,0.4\n1,4096,4096,4096,bf16,0.2\n2,4096,4096,4096,bf16,0.25\n";
    let f = frame(&[("t.csv", csv.as_bytes())], RoofKind::Datasheet);
    let report = Report::new(&f, &check_all(&f));
    let said = "Best of each generation against the one before: 1: +100 %, 2: −20 %.";
    assert!(markdown(&report).contains(said), "{}", markdown(&report));
    let json: serde_json::Value = serde_json::from_str(&json(&report)).unwrap();
    assert_eq!(json["tuning"][0]["changes"][1]["order"], 2.0);
    let change = json["tuning"][0]["changes"][1]["change"].as_f64().unwrap();
    assert!((change + 0.2).abs() < 1e-9, "{change}");
    assert!(!markdown(&own()).contains("## Tuning"));
}

#[test]
fn the_sample_of_a_tuning_history() {
    let csv = include_bytes!("../samples/tuning-history.csv");
    let f = frame(&[("tuning-history.csv", csv)], RoofKind::Datasheet);
    let (problem, _) = tuning::problems(&f)[0];
    let h = SearchHistory::new(&f, &problem, 0.3).unwrap();
    let best: Vec<f64> = h
        .generations
        .iter()
        .map(|g| (h.variants[g.best.unwrap()].rate / 1e10).round() / 100.0)
        .collect();
    assert_eq!(best, [161.87, 186.12, 201.80, 177.98, 197.56]);
    assert_eq!((h.variants.len(), h.references.len()), (11, 2));
    assert_eq!(h.failures(), [("correctness failed".to_owned(), 1)]);
    let settings = tuning::parameters(&f, h.references[0].row as usize);
    let tile = settings.iter().find(|s| s.0 == "BLOCK_SIZE_M").unwrap();
    assert_eq!(tile.1, "256");
}

#[test]
fn what_is_not_listed_by_itself_is_counted() {
    // Seven slow GEMMs in each of two files, which are the sides.
    let file = |slower: f64| {
        let mut csv = String::from("M,N,K,dtype,time_us,kernel\n");
        for i in 1..=7 {
            csv += &format!("{},4096,4096,bf16,{},k{i}\n", 4096 + i * 256, 3000.0 * slower);
        }
        csv
    };
    let (old, new) = (file(1.0), file(1.5));
    let f = frame(&[("old.csv", old.as_bytes()), ("new.csv", new.as_bytes())], RoofKind::Datasheet);
    let report = Report::new(&f, &check_all(&f));
    assert_eq!(report.rows_are, "sides");
    // Measured losses first, then the largest ones, over all sides. They add up to the lost time, but for causes under 0.5 %.
    let lost: Vec<_> =
        report.findings.iter().map(|l| &l.finding).filter(|f| f.kind == Kind::Lost).collect();
    assert!(lost.iter().map(|f| (f.basis != Evidence::Measured, -f.alone_s.unwrap())).is_sorted());
    for part in &report.parts {
        let sum: f64 = lost.iter().filter(|f| f.side == part.side).filter_map(|f| f.split_s).sum();
        assert!((0.99..1.0 + 1e-9).contains(&(sum / part.lost_s)), "{sum}");
    }
    // The other file took two thirds of the time for the seven GEMMs; both are far below the roof.
    let slower = lost[0];
    assert_eq!(slower.heading(), "new: old is faster: 7 GEMMs");
    assert!((slower.alone_s.unwrap() - 7.0 * 1.5e-3).abs() < 1e-9);
    assert_eq!(lost[1].heading(), "new: Compute-bound, unexplained: 7 GEMMs");
    // Both long reports list the side and the kernel of every operation.
    let (text, page) = (markdown(&report), html(&report, &[]));
    assert!(text.contains("| Type | Side | Kernel |"), "{text}");
    assert!(text.contains("| regular | new | k7 |"), "{text}");
    assert!(text.contains("| old: GEMM | 5888 ×"), "{text}");
    assert!(page.contains("<td class=\"w\">old</td><td class=\"w\">k7</td>"));
}

#[test]
fn many_devices_and_types_take_memory_for_what_there_is() {
    // Each row has its own types and file, thousands per device. A figure for each pair would take gigabytes.
    let mut csv = String::from(
        "gemmscope,m,n,k,batch,dtype_a,dtype_b,dtype_c,dtype_compute,trans_a,trans_b,bias,beta,\
         time_s,device,file,format,line\n",
    );
    let types = ["fp16", "bf16", "fp32", "fp64", "int8", "tf32", "fp8_e4m3", "fp8_e5m2"];
    let rows = 16_000;
    for i in 0..rows {
        let t = |at: u32| types[i / 8usize.pow(at) % 8];
        let (bias, beta) = (i / 4096 % 2 == 0, i / 8192 == 0);
        csv += &format!(
            "1,{},64,64,1,{},{},{},{},N,T,{bias},{beta},0.001,card {i},f{i},generic,2\n",
            i % 7 + 1,
            t(0),
            t(1),
            t(2),
            t(3),
        );
    }
    let f = frame(&[("t.csv", csv.as_bytes())], RoofKind::Datasheet);
    // Further devices are joined into one.
    assert_eq!((f.data.len(), f.data.devices.len()), (rows, 4_097));
    let report = Report::new(&f, &check_all(&f));
    assert_eq!(report.operations_total, f.counted().all().len());
}

#[test]
fn what_a_measured_run_saves_ends_at_the_roof() {
    // The faster run exceeds the max-achievable rate of an MI300X, but not the datasheet's.
    let mut csv = "M,N,K,dtype,time_us,library\n4096,4096,4096,bf16,300,rocBLAS\n\
                   4096,4096,4096,bf16,153,hipBLASLt\n"
        .to_owned();
    for m in 1..=5 {
        for library in ["rocBLAS", "hipBLASLt"] {
            csv += &format!("{m},4096,4096,bf16,20,{library}\n");
        }
    }
    let saves = [RoofKind::Datasheet, RoofKind::Achievable].map(|kind| {
        let f = frame(&[("libraries.csv", csv.as_bytes())], kind);
        let found = check_all(&f).findings;
        let of = found.iter().find(|f| f.rule == "library").unwrap();
        of.alone_s.unwrap()
    });
    // 300 against 153 µs: the achievable roof is the better of the catalogue's (194 µs) and that run.
    assert!(saves.iter().all(|s| (s - 147e-6).abs() < 1e-9), "{saves:?}");
}

#[test]
fn a_finding_about_a_file_is_of_its_side() {
    let csv = "M,N,K,dtype,time_us\n4096,4096,4096,bf16,300\n512,4096,4096,bf16,90\n";
    let f = frame(&[("old.csv", csv.as_bytes()), ("new.csv", csv.as_bytes())], RoofKind::Datasheet);
    let mut data = (*f.data).clone();
    data.sources[1].trace = Some(Box::new(TraceContext {
        total_s: Some(1e-3),
        compute_s: Some(390e-6),
        ..TraceContext::default()
    }));
    let found = check_all(&Frame::all(Arc::new(data), f.metrics.clone())).findings;
    let idle = found.iter().find(|f| f.rule == "timeline").unwrap();
    assert_eq!(idle.heading(), "new: The device is idle for 61.0 % of the time");
}

#[test]
fn each_unknown_device_is_named_with_its_share() {
    let csv = "M,N,K,dtype,time_us,device\n4096,4096,4096,bf16,300,gfx950:256\n\
               4096,4096,4096,bf16,100,gfx1250:96\n";
    let f = frame(&[("devices.csv", csv.as_bytes())], RoofKind::Datasheet);
    let told = Report::new(&f, &check_all(&f)).sentences.join(" ");
    assert!(
        told.contains(
            "he files say gfx950:256, which can be the AMD Instinct MI350X or AMD Instinct MI355X (75.0 %) and \
             gfx1250:96, which is not in the catalogue (25.0 %)"
        ),
        "{told}"
    );
}

/// The bottlenecks of a file's `gemm_findings.md`: name with shape, and the text below.
fn bottlenecks_of(csv: &str) -> Vec<(String, String)> {
    let text = gemm_findings_of(&frame(&[("t.csv", csv.as_bytes())], RoofKind::Datasheet));
    let all = text.split("## Additional Notes").next().unwrap().split("\n### ").skip(1);
    all.map(|b| b.split_once('\n').unwrap()).map(|(h, b)| (h.to_owned(), b.to_owned())).collect()
}

#[test]
fn paths_are_those_of_the_gemm_and_not_of_its_neighbour() {
    // 2,752 tiles that lose most in the kernel, and 4 tiles with a long K.
    let csv = "M,N,K,dtype,time_us,device,kernel\n\
               4096,11008,4096,bf16,1900,MI300X,Cijk_Alik_Bljk_BBS_BH_MT128x128x64_x\n\
               256,512,131072,bf16,2200,MI300X,Cijk_Alik_Bljk_BBS_BH_MT256x128x64_x\n";
    let all = bottlenecks_of(csv);
    assert_eq!(all.len(), 2, "{all:?}");
    let of = |name: &str| &all.iter().find(|(h, _)| h.contains(name)).unwrap().1;
    let (many, few) = (of("11008"), of("131072"));
    assert!(!many.contains("so that there are more tiles"), "{many}");
    assert!(many.contains("**Path B:** Tune tile, split-K and stages"), "{many}");
    assert!(few.contains("**Path A:** Batch independent products"), "{few}");
    assert!(few.contains("**Path B:** Choose a smaller tile, or split K"), "{few}");
    // The command replays exactly these, in this order.
    let f = frame(&[("t.csv", csv.as_bytes())], RoofKind::Datasheet);
    let (wanted, left_out) = bulk::of_bottlenecks(&f);
    let replayed: Vec<String> =
        wanted.iter().map(|w| f.data.problem(w.row as usize).to_string()).collect();
    assert_eq!(replayed.len(), all.len());
    assert!(
        replayed.iter().zip(&all).all(|(p, (h, _))| h.contains(p.as_str())),
        "{replayed:?} {all:?}"
    );
    assert!(left_out.is_empty());
}

#[test]
fn a_fallback_kernel_is_flagged_whatever_limits_it() {
    let csv = "M,N,K,dtype,time_us,device,kernel\n\
               4096,4096,4096,bf16,600,MI300X,Cijk_Ailk_Bljk_SB_MT32x32x8_fallback\n\
               16,8192,8192,bf16,300,MI300X,Cijk_Ailk_Bljk_SB_MT32x32x8_FALLBACK_x\n\
               2048,4096,4096,bf16,300,MI300X,Cijk_Ailk_Bljk_BBS_MT128x128x64\n";
    let all = bottlenecks_of(csv);
    let flagged = |b: &String| {
        b.contains("**Path B:** Flag the choice of kernel: it is a fallback of Tensile")
    };
    assert_eq!(
        all.iter().map(|(_, b)| flagged(b)).collect::<Vec<_>>(),
        [true, true, false],
        "{all:?}"
    );
}

#[test]
fn a_narrow_type_that_is_slower_is_a_finding() {
    let csv = "M,N,K,dtype,library,time_us,device\n\
               4096,4096,4096,bf16,x,250,MI300X\n4096,4096,4096,fp8_e4m3fnuz,x,310,MI300X\n\
               2048,8192,4096,bf16,x,260,MI300X\n2048,8192,4096,fp8_e4m3fnuz,x,200,MI300X\n";
    let f = frame(&[("t.csv", csv.as_bytes())], RoofKind::Achievable);
    let found = check_all(&f).findings;
    let own: Vec<_> = found.iter().filter(|f| f.rule == "narrow").collect();
    assert_eq!(own.len(), 1);
    assert_eq!(own[0].title, "fp8 E4M3 fnuz is slower than bf16: 1 GEMM");
    assert!(
        own[0].text.contains("310 µs a call, 24.0 % longer than the 250 µs of bf16"),
        "{}",
        own[0].text
    );
    assert_eq!((&own[0].evidence.rows[..], own[0].evidence.faster), (&[1][..], Some(0)));
    assert!((own[0].alone_s.unwrap() - 60e-6).abs() < 1e-12);
    let all = bottlenecks_of(csv);
    let slow = &all.iter().find(|(h, _)| h.contains("4096 × 4096 × 4096 fp8")).unwrap().1;
    assert!(slow.contains("**Path A:** Keep the wider type"), "{slow}");
}

#[test]
fn five_times_as_slow_as_another_platform_is_a_finding() {
    let table = |us: u32| {
        format!(
            "M,N,K,dtype,time_us,device\n4096,4096,4096,bf16,300,MI300X\n4096,4096,4096,bf16,{us},H100 SXM\n\
             8192,8192,8192,bf16,2000,MI300X\n8192,8192,8192,bf16,2100,H100 SXM\n"
        )
    };
    for (us, count) in [(1400, 0), (1600, 1)] {
        let text = table(us);
        let found = check_all(&frame(&[("t.csv", text.as_bytes())], RoofKind::Achievable)).findings;
        let own: Vec<_> = found.iter().filter(|f| f.rule == "platform").collect();
        assert_eq!(own.len(), count, "{us}");
        assert!(
            own.iter().all(|f| f.text.contains("1.60 ms a call, 5.3 times as long")),
            "{own:?}"
        );
    }
}

#[test]
fn what_is_said_of_the_datasheet_roof_is_never_empty() {
    let shapes = "M,N,K,dtype,device\n4096,4096,4096,bf16,MI300X\n";
    let text = gemm_findings_of(&frame(&[("t.csv", shapes.as_bytes())], RoofKind::Datasheet));
    assert!(!text.contains("Of the datasheet roof:"), "{text}");
    let timed = "M,N,K,dtype,device,time_us\n4096,4096,4096,bf16,MI300X,300\n";
    let text = gemm_findings_of(&frame(&[("t.csv", timed.as_bytes())], RoofKind::Datasheet));
    assert!(
        text.contains("Of the datasheet roof:\n- Time goes to: 35.0 % of roof, 300 µs"),
        "{text}"
    );
}

#[test]
fn layers_merge_where_the_trace_shows_them_and_never_batch() {
    // 120 layers of a gated MLP: gate and up, down, Q K V, and the output projection.
    let csv = "M,N,K,dtype,count,time_us,device\n8944,2816,1024,bf16,240,110,MI300X\n\
               8944,1024,2816,bf16,120,99,MI300X\n8944,1024,1024,bf16,360,41,MI300X\n\
               700,600,512,bf16,150,41,MI300X\n";
    let all = bottlenecks_of(csv);
    let of = |name: &str| &all.iter().find(|(h, _)| h.contains(name)).unwrap().1;
    let merged =
        "**Path A:** Gate and up become one 8944 × 5632 × 1024, with 120 calls in place of 240";
    assert!(of("8944 × 2816 × 1024").contains(merged), "{all:?}");
    let merged =
        "**Path A:** Q, K and V become one 8944 × 3072 × 1024, with 120 calls in place of 360";
    assert!(of("8944 × 1024 × 1024").contains(merged), "{all:?}");
    let down = of("8944 × 1024 × 2816");
    assert!(!down.contains("become one") && !down.contains("could be batched"), "{down}");
    assert!(!of("8944 × 2816 × 1024").contains("could be batched"));
    let alone = of("700 × 600 × 512");
    assert!(alone.contains("could be batched") && alone.contains("torch.compile"), "{alone}");
}

/// All lists of account keys in a schema, at any depth.
fn account_lists(schema: &serde_json::Value, found: &mut Vec<BTreeSet<String>>) {
    match schema {
        serde_json::Value::Object(fields) => {
            fields.values().for_each(|value| account_lists(value, found));
        }
        serde_json::Value::Array(items) => {
            let keys: BTreeSet<String> =
                items.iter().filter_map(|k| Some(k.as_str()?.to_owned())).collect();
            if keys.contains("tile") && keys.contains("launch") {
                found.push(keys);
            }
            items.iter().for_each(|value| account_lists(value, found));
        }
        _ => {}
    }
}

#[test]
fn schemas_know_every_account() {
    let all: BTreeSet<String> = Account::ALL.iter().map(|a| a.key().to_owned()).collect();
    let lost: BTreeSet<String> =
        Account::ALL.iter().filter(|a| a.is_lost()).map(|a| a.key().to_owned()).collect();
    for (name, text) in [
        ("report", include_str!("../docs/src/schema/report-4.json")),
        ("summary", include_str!("../docs/src/schema/summary-1.json")),
        ("check", include_str!("../docs/src/schema/check-1.json")),
    ] {
        let mut lists = Vec::new();
        account_lists(&serde_json::from_str(text).unwrap(), &mut lists);
        assert!(!lists.is_empty(), "{name}");
        for list in lists {
            assert!(list == all || list == lost, "{name}: {list:?}");
        }
    }
}
