//! Facts of real files, where they lie beside the project; skipped with a message where not.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on says where")]

use gemmscope::dataset::{Dataset, Role};
use gemmscope::hardware::RoofKind;
use gemmscope::import::{ErrorKind, ImportOptions, Imported, read_all};
use gemmscope::metrics::{DeviceChoice, Metrics};
use gemmscope::summary::Summary;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

fn read(file: &str) -> Option<Dataset> {
    let path = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/data")).join(file);
    let Ok(bytes) = std::fs::read(&path) else {
        eprintln!("skipped: {} is not here", path.display());
        return None;
    };
    let name = path.file_name().unwrap().to_string_lossy().into_owned();
    match read_all(&name, &bytes, &ImportOptions::default()) {
        Ok(Imported::Table(d)) => Some(*d),
        other => panic!("{file}: {other:?}"),
    }
}

fn summary(d: &Dataset, device: Option<&str>) -> Summary {
    let choice = DeviceChoice {
        default: device.map(str::to_owned),
        ..DeviceChoice::default()
    };
    let metrics = Metrics::compute(d, choice.resolve(&d.devices, &[]), RoofKind::default());
    Summary::of(d, &metrics, 0).unwrap()
}

fn near(have: Option<f64>, want: f64) -> bool {
    have.is_some_and(|h| (h - want).abs() < 1e-4 * want)
}

#[test]
fn iree_golden() {
    let Some(d) = read("iree-kernel-benchmark/iree_gemm.csv") else {
        return;
    };
    let s = summary(&d, None);
    assert_eq!(
        (s.format.as_str(), s.rows_used, s.rows_set_aside),
        ("iree", 563, 0)
    );
    assert!(near(s.max_tflops, 428.8267), "{s:?}");
    assert_eq!(s.rows_above_roof, Some(0));
    assert!((s.max_efficiency.unwrap() - 0.626).abs() < 5e-4);
    assert_eq!(s.dtypes, ["fp16", "bf16"]);
    let mut rates: Vec<f64> = (0..d.len())
        .map(|r| d.problem(r).work().0 / d.time_s[r] / 1e12)
        .collect();
    rates.sort_by(f64::total_cmp);
    assert!((rates[rates.len() / 2] - 0.3274).abs() < 1e-4);
}

#[test]
fn hipblaslt_golden() {
    let Some(d) = read("iree-kernel-benchmark/hipblaslt-gemm.csv") else {
        return;
    };
    let s = summary(&d, None);
    assert_eq!((s.format.as_str(), s.rows_used), ("iree", 558));
    assert!(near(s.max_tflops, 859.7469), "{s:?}");
    assert_eq!(s.rows_above_roof, Some(1));
    assert!((s.max_efficiency.unwrap() - 1.003).abs() < 5e-4);
    assert_eq!(s.reported_rate.within_1_percent, 558);
}

#[test]
fn the_long_tensile_table_is_generic() {
    let Some(d) = read("Tensile/derived_best_per_macrotile_long.csv") else {
        return;
    };
    let s = summary(&d, None);
    assert_eq!((s.rows_used, s.rows_set_aside), (1001, 0));
    assert_eq!(s.reported_rate.within_1_percent, 1001);
    let mut tiles: Vec<u64> = (0..d.len())
        .map(|r| d.number(gemmscope::dataset::Role::TileN, r) as u64)
        .collect();
    tiles.sort_unstable();
    tiles.dedup();
    assert_eq!(tiles, [16, 24, 32, 48, 64, 96, 128]);
}

#[test]
fn aiter_zero_rows_are_no_points() {
    let Some(d) = read("aiter/dsv3_bf16_tuned_gemm.csv") else {
        return;
    };
    let s = summary(&d, None);
    assert_eq!((s.rows_read, s.rows_set_aside), (176, 114));
}

fn on(d: &Dataset, device: &str) -> usize {
    (0..d.len())
        .filter(|&r| d.devices[usize::from(d.device[r])] == device)
        .count()
}

#[test]
fn rows_and_devices_of_tuned_files() {
    if let Some(d) = read("aiter/bf16_tuned_gemm.csv") {
        assert_eq!(d.len(), 232);
        assert_eq!((on(&d, "gfx950:256"), on(&d, "gfx1250:96")), (112, 120));
        // A target that is in no catalogue has no roof.
        let s = summary(&d, None);
        assert_eq!(s.rows_above_roof, None);
    }
    if let Some(d) = read("aiter/dsv3_bf16_tuned_gemm.csv") {
        assert_eq!(on(&d, "gfx950:256"), 58);
        assert_eq!(d.len() - 58, 4);
    }
    if let Some(d) = read("aiter/a8w8_untuned_gemm.csv") {
        assert!(d.time_s.iter().all(|t| t.is_nan()) && d.len() == 66);
    }
}

#[test]
fn logs_with_preambles_and_repeated_headers() {
    if let Some(d) = read("rocBLAS/gemm.csv") {
        assert_eq!(d.len(), 64);
        assert_eq!(d.sources[0].reported_rate.within_1_percent, 64);
    }
    if let Some(d) = read("hipblaslt-bench/readme_demo_output.txt") {
        assert_eq!(d.len(), 3);
    }
    if let Some(d) = read("DeepBench/DeepBench_NV_V100_FP16_mixed.csv") {
        let s = &d.sources[0];
        assert_eq!(
            (s.format.as_str(), s.rows_used, s.set_aside.total()),
            ("deepbench", 160, 0)
        );
        assert_eq!(s.reported_rate.within_1_percent, 160);
    }
}

#[test]
fn other_producers() {
    if let Some(d) = read("cutlass_profiler/superbench_stdout_fp16_tc.txt") {
        let s = &d.sources[0];
        assert_eq!((s.rows_used, s.set_aside.total()), (0, 4));
        assert_eq!(s.set_aside.reasons[0].text, "Disposition is incorrect");
    }
    if let Some(d) = read("pytorch-tunableop/tunableop_results0.csv") {
        assert_eq!(d.len(), 855);
    }
    if let Some(d) = read("flashinfer/sample_testlist_output.csv") {
        assert_eq!((d.len(), d.sources[0].set_aside.total()), (11, 100));
    }
    if let Some(d) = read("google-benchmark/test1_run1.json") {
        let s = &d.sources[0];
        assert_eq!((s.format.as_str(), s.rows_used), ("google-benchmark", 0));
    }
    // Figures about shapes, not providers: there is no time in it.
    if let Some(d) = read("flashdecoding_fig/bn_best_reconstructed.csv") {
        assert!(d.time_s.iter().all(|t| t.is_nan()));
    }
}

fn walk(folder: &Path, out: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            walk(&path, out);
        } else {
            out.push(path);
        }
    }
}

/// Every file is read or refused with a sentence; the share of rates that agree is printed by
/// format, and what disagrees is the file's rounding.
#[test]
fn every_file_and_its_rates() {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/data"));
    let mut files = Vec::new();
    walk(root, &mut files);
    files.sort();
    if files.is_empty() {
        eprintln!("skipped: {} is not here", root.display());
    }
    let mut shares: BTreeMap<String, (u64, u64)> = BTreeMap::new();
    for path in files {
        let name = path.strip_prefix(root).unwrap().display().to_string();
        let bytes = std::fs::read(&path).unwrap();
        let d = match read_all(&name, &bytes, &ImportOptions::default()) {
            Ok(Imported::Table(d)) => d,
            Ok(_) => continue,
            Err(e) => {
                // Prose and a list of kernel names.
                assert!(
                    name.ends_with("LICENCES.md")
                        || name.contains("kernel_name_tile") && e.kind == ErrorKind::NeedsMapping,
                    "{name}: {e}"
                );
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
            let reported = d.number(Role::ReportedRate, row);
            let ours = d.problem(row).work().0 / d.time_s[row];
            if check.compared > 0 && (reported - ours).abs() > 0.01 * ours {
                // aiter prints TFLOP/s with two digits.
                assert_eq!(s.format, "aiter", "{name} line {}", d.line[row]);
                assert!(
                    (reported - ours).abs() <= 0.0051e12,
                    "{name} line {}: {reported} {ours}",
                    d.line[row]
                );
            }
        }
    }
    for (format, (within, compared)) in shares {
        if compared > 0 {
            println!("{format:<18} {within:>6} of {compared:>6} reported rates within 1 %");
        }
    }
}
