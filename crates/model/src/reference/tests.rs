use super::*;
use crate::dtype::DataType;
use crate::gemm::Operation;
use proptest::prelude::*;
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../public/reference")
}

fn source(device: &str, precision: Precision) -> &'static ReferenceSource {
    listed().iter().find(|s| s.device == device && s.precision == precision).unwrap()
}

fn read(source: &'static ReferenceSource) -> ReferenceTable {
    ReferenceTable::read(source, &std::fs::read(folder().join(source.file())).unwrap()).unwrap()
}

fn problem(m: u32, n: u32, k: u32) -> Problem {
    Problem { m, n, k, batch: 1, op: Precision::Bf16.operation() }
}

#[test]
fn every_file_is_listed_and_says_where_it_comes_from() {
    let text = std::fs::read_to_string(folder().join("tables.json")).unwrap();
    assert_eq!(listed().len(), text.matches("\"device\"").count());
    let mut files: Vec<String> = std::fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.ends_with(".bin"))
        .collect();
    files.sort();
    let mut known: Vec<String> = listed().iter().map(ReferenceSource::file).collect();
    known.sort();
    assert_eq!(files, known);
    for source in listed() {
        let bytes = std::fs::metadata(folder().join(source.file())).unwrap().len();
        assert_eq!(bytes, u64::from(source.bytes), "{}", source.file());
        assert!(by_id(&source.device).is_some(), "{}", source.device);
        assert!(!source.source.is_empty() && !source.by.is_empty() && source.date.len() == 10);
    }
}

/// The leave-one-out errors are those of tables.json, which `UPDATE_GOLDEN=1` writes after `scripts/gen_reference.mjs`.
#[test]
fn errors_are_those_of_shapes_left_out() {
    let mut text = std::fs::read_to_string(folder().join("tables.json")).unwrap();
    let update = std::env::var_os("UPDATE_GOLDEN").is_some();
    for source in listed() {
        let (error, p90) = read(source).leave_one_out(2000);
        if update {
            let of = format!(
                "\"device\":\"{}\",\"precision\":\"{}\"",
                source.device,
                source.precision.key()
            );
            let at = text.find(&of).unwrap();
            let from = at + text[at..].find("\"error\"").unwrap();
            let to = from + text[from..].find('}').unwrap();
            text.replace_range(from..to, &format!("\"error\":{error:.3},\"p90\":{p90:.3}"));
            continue;
        }
        let close = |stated: f64, found: f64| (stated - found).abs() < 0.001;
        assert!(close(source.error, error), "{}: {error} is not {}", source.file(), source.error);
        assert!(close(source.p90, p90), "{}: {p90} is not {}", source.file(), source.p90);
    }
    if update {
        std::fs::write(folder().join("tables.json"), text).unwrap();
    }
}

/// Errors found by another program on other shapes, by which the method was chosen.
#[test]
fn errors_are_those_of_the_method() {
    use Precision::{Bf16, Fp8, Fp8Block, Fp16, Int8, MxFp4};
    for (device, precision, error, p90) in [
        ("h100-sxm", Bf16, 1.048, 1.11),
        ("h200-sxm", Bf16, 1.044, 1.11),
        ("b200-sxm", Bf16, 1.061, 1.16),
        ("b300-sxm", Bf16, 1.057, 1.14),
        ("gb200", Bf16, 1.065, 1.17),
        ("gb300", Bf16, 1.056, 1.14),
        ("a100-80-sxm", Bf16, 1.082, 1.20),
        ("l40s", Bf16, 1.075, 1.22),
        ("rtx-pro-6000-server", Bf16, 1.049, 1.14),
        ("mi300x", Fp8Block, 1.018, 1.04),
        ("mi300x", Bf16, 1.140, 1.33),
        ("mi300x", Fp16, 1.140, 1.33),
        ("mi308x", Bf16, 1.125, 1.38),
        ("mi308x", Fp8, 1.066, 1.16),
        ("mi355x", Bf16, 1.110, 1.25),
        ("mi355x", Fp8, 1.100, 1.24),
        ("mi355x", Fp8Block, 1.033, 1.09),
        ("mi355x", Int8, 1.118, 1.29),
        ("mi355x", MxFp4, 1.106, 1.25),
    ] {
        let source = source(device, precision);
        assert!((source.error - error).abs() < 0.02, "{device} {precision:?}: {}", source.error);
        assert!((source.p90 - p90).abs() < 0.03, "{device} {precision:?}: {}", source.p90);
    }
}

#[test]
fn shapes_of_the_table_have_their_own_time() {
    let table = read(source("h100-sxm", Precision::Bf16));
    for (m, n, k, us) in [
        (4096, 4096, 4096, 166.0),
        (8192, 8192, 8192, 1405.0),
        (1, 4096, 4096, 15.05),
        (2048, 6144, 4096, 128.6),
    ] {
        let time = table.time(&problem(m, n, k)).unwrap();
        assert!((time.time_s * 1e6 / us - 1.0).abs() < 0.02, "{m}x{n}x{k}: {}", time.time_s);
        assert!(time.by().starts_with("vLLM") || time.by().starts_with("TensorRT-LLM"));
    }
    for (problem, time_s) in table.each().step_by(97) {
        let time = table.time(&problem).unwrap();
        assert!((time.time_s / time_s - 1.0).abs() < 1e-6);
    }
}

/// Compared with a search over every shape.
#[test]
fn neighbours_are_the_nearest() {
    let table = read(source("mi355x", Precision::Bf16));
    let all: Vec<(Problem, f64)> = table.each().collect();
    let distance = |a: &Problem, b: &Problem| {
        let of = |a: u32, b: u32| (f64::from(a).log2() - f64::from(b).log2()).powi(2);
        of(a.m, b.m) + of(a.n, b.n) + of(a.k, b.k)
    };
    for (m, n, k) in [(3, 1000, 5000), (700, 7000, 900), (5000, 3000, 3000), (64, 1300, 8200)] {
        let asked = problem(m, n, k);
        let mut near: Vec<(f64, f64)> = all
            .iter()
            .map(|(p, s)| {
                (distance(&asked, p), (s / roof(table.source()).unwrap().problem_time_s(p)).ln())
            })
            .collect();
        near.sort_by(|a, b| a.0.total_cmp(&b.0));
        let weights: f64 = near[..4].iter().map(|(d, _)| 1.0 / d).sum();
        let over = near[..4].iter().map(|(d, over)| over / d).sum::<f64>() / weights;
        let expected = roof(table.source()).unwrap().problem_time_s(&asked) * over.exp();
        if let Some(time) = table.time(&asked) {
            assert!((time.time_s / expected - 1.0).abs() < 1e-3, "{m}x{n}x{k}");
        }
    }
}

#[test]
fn nothing_is_said_outside_the_data_or_of_another_gemm() {
    let tables = [Arc::new(read(source("h100-sxm", Precision::Bf16)))];
    let references = References::of("h100-sxm", &tables);
    let has = |p: &Problem| references.time(p).is_some();
    let inside = problem(4000, 4000, 4000);
    assert!(has(&inside));
    assert!(!has(&problem(4000, 4000, 1 << 20)));
    assert!(!has(&Problem { batch: 2, ..inside }));
    assert!(!has(&Problem { op: inside.op.with_layout(true, false), ..inside }));
    assert!(!has(&Problem { op: Operation::uniform(DataType::Fp16), ..inside }));
    assert!(!has(&Problem { op: Operation::uniform(DataType::Fp8E4m3), ..inside }));
    assert!(References::of("h200-sxm", &tables).tables().is_empty());
    let devices = with_tables(&[], &tables);
    assert_eq!(devices.len(), 1);
    assert_eq!((devices[0].id.as_str(), devices[0].references.tables().len()), ("h100-sxm", 1));
}

#[test]
fn the_band_lies_under_the_roof() {
    let table = read(source("h100-sxm", Precision::Bf16));
    let band = table.band();
    assert!(band.len() > 12 && band.is_sorted_by(|a, b| a.intensity < b.intensity));
    let roof = roof(table.source()).unwrap();
    for at in band {
        assert!(at.p50 <= at.p90 && at.p90 <= 1.3 * roof.at(at.intensity), "{at:?}");
    }
}

#[test]
fn precisions_and_their_operations_agree() {
    for precision in Precision::ALL {
        let comparable = Precision::of(&precision.operation());
        let blocks = precision == Precision::Fp8Block;
        assert_eq!(comparable.contains(&precision), !blocks, "{precision:?}");
        assert_eq!(Precision::parse(precision.key()), Some(precision));
    }
    let fnuz = Operation::uniform(DataType::Fp8E4m3Fnuz);
    assert_eq!(Precision::of(&fnuz), [Precision::Fp8]);
}

#[test]
fn a_damaged_file_is_an_error() {
    let source = source("mi308x", Precision::Bf16);
    let whole = std::fs::read(folder().join(source.file())).unwrap();
    assert!(ReferenceTable::read(source, &whole).is_ok());
    assert!(ReferenceTable::read(source, &whole[..whole.len() / 2]).is_err());
    assert!(ReferenceTable::read(source, b"<!doctype html>").is_err());
    let other = self::source("mi308x", Precision::Fp8);
    let message = ReferenceTable::read(other, &whole).unwrap_err();
    assert_eq!(message, "expected 1522 shapes, found 222");
}

proptest! {
    #[test]
    fn any_bytes_are_survived(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        use std::io::Write;
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packed.write_all(&bytes).unwrap();
        let _ = packed::shapes(&packed.finish().unwrap());
        let _ = packed::shapes(&bytes);
    }
}

/// Error of expected times on the validation shapes, and the catalogue's achievable rates against published ones.
#[test]
fn expected_times_are_near_the_published_ones() {
    for (device, most) in [
        ("h100-sxm", 1.14),
        ("h200-sxm", 1.14),
        ("b200-sxm", 1.18),
        ("b300-sxm", 1.18),
        ("gb200", 1.18),
        ("gb300", 1.18),
        ("a100-80-sxm", 1.18),
        ("l40s", 1.27),
        ("rtx-pro-6000-server", 1.27),
    ] {
        let found = calibration::calibration(&read(source(device, Precision::Bf16))).unwrap();
        assert!(found.shapes > 16_000, "{device}: {} shapes", found.shapes);
        assert!(found.error <= most, "{device}: {}", found.error);
        // Never less than others reach on large GEMMs.
        let peak = found.device.peak_for(DataType::Bf16).unwrap();
        let share = peak.achievable_flops_per_s.unwrap() / found.p90_flops_per_s;
        assert!(share > 0.995, "{device}: {share} of {}", found.p90_flops_per_s);
    }
}

/// The book lists every table and the error of expected times.
#[test]
fn the_book_has_every_table_and_error() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/src/reference.md");
    let book = std::fs::read_to_string(path).unwrap();
    for source in listed() {
        let error = format!("± {:.0} %", 100.0 * (source.error - 1.0));
        let row = format!("| `{}` | `{}` | ", source.device, source.precision.key());
        let line = book.lines().find(|line| line.starts_with(&row));
        assert!(line.is_some_and(|line| line.contains(&error)), "{row}{error}");
        let Some(found) = calibration::calibration(&read(source)) else { continue };
        let line = format!("| `{}` | {:.3} | {} |", source.device, found.error, found.shapes);
        assert!(book.contains(&line), "{line}");
    }
}
