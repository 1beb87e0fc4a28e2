//! Facts of real files, where they lie beside the project; skipped with a message where not.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on says where")]

use gemmscope::dataset::Dataset;
use gemmscope::hardware::RoofKind;
use gemmscope::import::{ImportOptions, Imported, read_all};
use gemmscope::metrics::{DeviceChoice, Metrics};
use gemmscope::summary::Summary;
use std::path::Path;

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
