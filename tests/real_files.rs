//! Facts of other people's files, in the folder that `GEMMSCOPE_DATA` names. Not part of `cargo test`: run by `make
//! test-real DATA=FOLDER`.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on says where")]

use gemmscope_import::{ErrorKind, ImportOptions, Imported, read_all};
use gemmscope_model::hardware::RoofKind;
use gemmscope_table::dataset::{ColumnMeaning, Dataset};
use gemmscope_table::field::Frame;
use gemmscope_table::metrics::{DeviceChoice, Metrics};
use gemmscope_words::summary::Summary;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

fn root() -> PathBuf {
    let folder = std::env::var_os("GEMMSCOPE_DATA");
    PathBuf::from(folder.expect("GEMMSCOPE_DATA names no folder: make test-real DATA=FOLDER"))
}

fn read(file: &str) -> Dataset {
    let path = root().join(file);
    let bytes = std::fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let name = path.file_name().unwrap().to_string_lossy().into_owned();
    match read_all(&name, &bytes, &ImportOptions::default()) {
        Ok(Imported::Table(d)) => *d,
        other => panic!("{file}: {other:?}"),
    }
}

fn summary(d: &Dataset, device: Option<&str>) -> Summary {
    let choice = DeviceChoice { default: device.map(str::to_owned), ..DeviceChoice::default() };
    let metrics = Metrics::compute(d, choice.resolve(&d, &[]), RoofKind::default());
    let frame = Frame::all(Arc::new(d.clone()), Arc::new(metrics));
    Summary::of(&frame, 0, None).unwrap()
}

fn near(have: Option<f64>, want: f64) -> bool {
    have.is_some_and(|h| (h - want).abs() < 1e-4 * want)
}

#[test]
fn iree_golden() {
    let d = read("iree-kernel-benchmark/iree_gemm.csv");
    let s = summary(&d, None);
    assert_eq!((s.format.as_str(), s.rows_used, s.rows_set_aside), ("iree", 563, 0));
    assert!(near(s.max_tflops, 428.8267), "{s:?}");
    assert_eq!(s.rows_above_roof, Some(0));
    assert!((s.max_efficiency.unwrap() - 0.626).abs() < 5e-4);
    assert_eq!(s.dtypes, ["fp16", "bf16"]);
    let mut rates: Vec<f64> =
        (0..d.len()).map(|r| d.problem(r).work().0 / d.time_s[r] / 1e12).collect();
    rates.sort_by(f64::total_cmp);
    assert!((rates[rates.len() / 2] - 0.3274).abs() < 1e-4);
}

#[test]
fn hipblaslt_golden() {
    let d = read("iree-kernel-benchmark/hipblaslt-gemm.csv");
    let s = summary(&d, None);
    assert_eq!((s.format.as_str(), s.rows_used), ("iree", 558));
    assert!(near(s.max_tflops, 859.7469), "{s:?}");
    assert_eq!(s.rows_above_roof, Some(0));
    assert!((s.max_efficiency.unwrap() - 1.003).abs() < 5e-4);
    assert_eq!(s.reported_rate.within_1_percent, 558);
}

#[test]
fn the_long_tensile_table_is_generic() {
    let d = read("Tensile/derived_best_per_macrotile_long.csv");
    let s = summary(&d, None);
    assert_eq!((s.rows_used, s.rows_set_aside), (1001, 0));
    assert_eq!(s.reported_rate.within_1_percent, 1001);
    let mut tiles: Vec<u64> = (0..d.len())
        .map(|r| d.number(gemmscope_table::dataset::ColumnMeaning::TileN, r) as u64)
        .collect();
    tiles.sort_unstable();
    tiles.dedup();
    assert_eq!(tiles, [16, 24, 32, 48, 64, 96, 128]);
}

#[test]
fn aiter_zero_rows_are_no_points() {
    let d = read("aiter/dsv3_bf16_tuned_gemm.csv");
    let s = summary(&d, None);
    assert_eq!((s.rows_read, s.rows_set_aside), (176, 114));
}

fn on(d: &Dataset, device: &str) -> usize {
    (0..d.len()).filter(|&r| d.devices[usize::from(d.device[r])] == device).count()
}

#[test]
fn rows_and_devices_of_tuned_files() {
    let d = read("aiter/bf16_tuned_gemm.csv");
    assert_eq!(d.len(), 232);
    assert_eq!((on(&d, "gfx950:256"), on(&d, "gfx1250:96")), (112, 120));
    // A target that is not in a catalogue has no roof.
    let s = summary(&d, None);
    assert_eq!(s.rows_above_roof, None);
    let d = read("aiter/dsv3_bf16_tuned_gemm.csv");
    assert_eq!(on(&d, "gfx950:256"), 58);
    assert_eq!(d.len() - 58, 4);
    let d = read("aiter/a8w8_untuned_gemm.csv");
    assert!(d.time_s.iter().all(|t| t.is_nan()) && d.len() == 66);
}

#[test]
fn logs_with_preambles_and_repeated_headers() {
    let d = read("rocBLAS/gemm.csv");
    assert_eq!(d.len(), 64);
    assert_eq!(d.sources[0].reported_rate.within_1_percent, 64);
    let d = read("hipblaslt-bench/readme_demo_output.txt");
    assert_eq!(d.len(), 3);
    let d = read("DeepBench/DeepBench_NV_V100_FP16_mixed.csv");
    let s = &d.sources[0];
    assert_eq!((s.format.as_str(), s.rows_used, s.rejected.total()), ("deepbench", 160, 0));
    assert_eq!(s.reported_rate.within_1_percent, 160);
}

#[test]
fn other_producers() {
    let d = read("cutlass_profiler/superbench_stdout_fp16_tc.txt");
    let s = &d.sources[0];
    assert_eq!((s.rows_used, s.rejected.total()), (0, 4));
    assert_eq!(s.rejected.reasons[0].text, "Disposition is incorrect");
    let d = read("pytorch-tunableop/tunableop_results0.csv");
    assert_eq!(d.len(), 855);
    let d = read("flashinfer/sample_testlist_output.csv");
    assert_eq!((d.len(), d.sources[0].rejected.total()), (11, 100));
    let d = read("google-benchmark/test1_run1.json");
    let s = &d.sources[0];
    assert_eq!((s.format.as_str(), s.rows_used), ("google-benchmark", 0));
    // Figures about shapes, not providers: it has no times.
    let d = read("flashdecoding_fig/bn_best_reconstructed.csv");
    assert!(d.time_s.iter().all(|t| t.is_nan()));
}

fn walk(folder: &Path, out: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            // Pasted tables have separate expectations, and rates of two digits.
            if path.file_name().is_some_and(|name| name == "field") {
                continue;
            }
            walk(&path, out);
        } else if path.file_name().is_some_and(|name| name != "README.md") {
            out.push(path);
        }
    }
}

/// What is no table of GEMMs, and how it is refused.
const REFUSED: [(&str, ErrorKind); 3] = [
    ("LICENCES.md", ErrorKind::NeedsMapping),
    // Only intensity and rate: no M, N, K.
    ("ai_only.csv", ErrorKind::NeedsMapping),
    ("kernel_name_tile_expectations.csv", ErrorKind::NeedsMapping),
];

/// Every file is read, or refused with a sentence. Prints the share of agreeing rates by format; disagreement is the
/// file's rounding.
#[test]
fn every_file_and_its_rates() {
    let root = root();
    let mut files = Vec::new();
    walk(&root, &mut files);
    files.sort();
    assert!(!files.is_empty(), "{} is empty", root.display());
    let mut refused = Vec::new();
    let mut shares: BTreeMap<String, (u64, u64)> = BTreeMap::new();
    for path in files {
        let name = path.strip_prefix(&root).unwrap().display().to_string();
        let bytes = std::fs::read(&path).unwrap();
        let read = read_all(&name, &bytes, &ImportOptions::default());
        let d = match read {
            Ok(Imported::Table(d)) => d,
            Ok(_) => continue,
            Err(e) => {
                let known =
                    REFUSED.iter().any(|(end, kind)| name.ends_with(end) && e.kind == *kind);
                if !known {
                    refused.push(format!("{name}: {:?}: {e}", e.kind));
                }
                assert!(e.message.len() > 40, "{name}: {e}");
                continue;
            }
        };
        let s = &d.sources[0];
        let check = s.reported_rate;
        let sum = shares.entry(s.format.clone()).or_default();
        sum.0 += check.within_1_percent;
        sum.1 += check.compared;
        for row in 0..d.len() {
            let reported = d.number(ColumnMeaning::ReportedRate, row);
            let ours = d.problem(row).work().0 / d.time_s[row];
            if check.compared > 0 && (reported - ours).abs() > 0.01 * ours {
                let explained = match s.format.as_str() {
                    // TFLOP/s with two digits.
                    "aiter" => (reported - ours).abs() <= 0.0051e12,
                    // The mean of the calls' rates; ours is work over mean time. They differ if a few calls took much
                    // longer: by a third in one trace of images.
                    "tracelens" => reported > ours && reported < 1.4 * ours,
                    _ => false,
                };
                assert!(explained, "{name} line {}: {reported} {ours}", d.line[row]);
            }
        }
    }
    assert!(refused.is_empty(), "{}", refused.join("\n"));
    for (format, (within, compared)) in shares {
        if compared > 0 {
            println!("{format:<18} {within:>6} of {compared:>6} reported rates within 1 %");
        }
    }
}
