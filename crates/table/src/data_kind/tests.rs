//! Which kind a table is, and which of its rows count.

use super::*;
use crate::fixture::Rows as Table;
use crate::metrics::Totals;
use gemmscope_model::pass;
use std::cell::Cell;

const SIZES: [(u32, u32, u32); 3] = [(512, 512, 512), (1024, 512, 512), (2048, 512, 512)];

/// Three GEMMs, each with several kernels: the second kernel is the fastest.
fn variants() -> Frame {
    let mut t = Table::new();
    let kernel = t.table().text_column(ColumnMeaning::Kernel, "kernel");
    for shape in SIZES {
        for (name, time) in [("a", 3e-5), ("b", 1e-5), ("b", 1.2e-5), ("b", 9e-6), ("c", 2e-5)] {
            t.table().set_text(kernel, name.as_bytes());
            t.row(shape, "", time, "");
        }
    }
    t.frame(Some("mi300x"))
}

#[test]
fn of_a_sweep_the_fastest_variant_counts_and_of_its_repeats_the_middle_one() {
    let frame = variants();
    assert_eq!(frame.kind(), DataKind::Sweep);
    assert_eq!(*frame.counted().all(), [1, 6, 11]);
    assert_eq!(frame.counted().words(frame.kind()), "15 variants of 3 GEMMs");
    let totals = Totals::of(&frame);
    assert!((totals[0].1.time_s - 3e-5).abs() < 1e-12);
    // If the user says it is a workload, every row counts.
    let all = frame.as_kind(Some(DataKind::Workload));
    assert!(all.decision().overridden());
    assert_eq!(all.counted().all().len(), 15);
    // With fewer rows there are fewer to choose from.
    let filtered = frame.with_rows(Arc::new(vec![0, 4, 5]));
    assert_eq!(*filtered.counted().all(), [4, 5]);
}

#[test]
fn libraries_on_the_same_gemms_are_sides() {
    let mut t = Table::new();
    for shape in SIZES {
        t.row(shape, "hipblaslt", 1e-5, "");
        t.row(shape, "rocblas", 2e-5, "");
    }
    t.row((64, 64, 64), "rocblas", 1e-6, "");
    let frame = t.frame(Some("mi300x"));
    assert_eq!(frame.kind(), DataKind::Sides);
    let sides = &frame.counted().sides;
    let labels: Vec<&str> = sides.iter().map(|s| s.label.as_str()).collect();
    assert_eq!(labels, ["hipBLASLt", "rocBLAS"]);
    assert_eq!((sides[0].rows.len(), sides[1].rows.len()), (3, 4));
    let totals = Totals::of(&frame);
    assert!((totals[0].1.time_s - 3e-5).abs() < 1e-12);
    assert!((totals[1].1.time_s - 6.1e-5).abs() < 1e-12);
}

#[test]
fn more_sides_than_can_be_told_apart_are_variants_of_which_the_fastest_counts() {
    let table = |sides: usize| {
        let mut t = Table::new();
        for shape in SIZES {
            for i in 0..sides {
                t.row(shape, &format!("library {i}"), 1e-5 + 1e-7 * ((i * 7) % sides) as f64, "");
            }
        }
        t.frame(Some("mi300x"))
    };
    let few = table(MOST_SIDES);
    assert_eq!((few.kind(), few.counted().sides.len()), (DataKind::Sides, MOST_SIDES));
    let many = table(MOST_SIDES + 1);
    assert_eq!((many.kind(), many.counted().sides.len()), (DataKind::Sweep, 1));
    assert!(many.decision().reason.starts_with("More than 64 files, libraries or devices"));
    // The first library is the fastest for each GEMM.
    assert_eq!(*many.counted().all(), [0, 65, 130]);
    // Choosing sides changes nothing; other kinds can be chosen.
    let asked = many.as_kind(Some(DataKind::Sides));
    assert_eq!((asked.kind(), asked.counted().sides.len()), (DataKind::Sweep, 1));
    assert_eq!(many.as_kind(Some(DataKind::Workload)).counted().all().len(), 195);
}

#[test]
fn rows_of_many_devices_are_not_added_up() {
    let mut t = Table::new();
    for i in 0..=MOST_SIDES {
        t.row(SIZES[0], "", 1e-5 + 1e-7 * i as f64, &format!("device {i}"));
    }
    let frame = t.frame(None);
    assert_eq!((frame.kind(), frame.counted().all().len()), (DataKind::Sweep, 1));
}

#[test]
fn each_gemm_once_is_a_benchmark_and_counts_make_a_workload() {
    let mut t = Table::new();
    for shape in SIZES {
        t.row(shape, "a", 1e-5, "");
    }
    let frame = t.frame(None);
    assert_eq!(frame.kind(), DataKind::Benchmark);
    assert_eq!(frame.counted().all().len(), 3);
    // Sides need at least two values.
    let asked = frame.as_kind(Some(DataKind::Sides));
    assert_eq!(asked.kind(), DataKind::Benchmark);

    let mut t = Table::new();
    let count = t.table().number_column(ColumnMeaning::Count, "calls");
    for (shape, calls) in SIZES.into_iter().zip([2.0, 3.0, 1.0]) {
        t.table().set_number(count, calls);
        t.row(shape, "a", 1e-5, "");
    }
    let frame = t.frame(None);
    assert_eq!(frame.kind(), DataKind::Workload);
    assert!((Totals::of(&frame)[0].1.time_s - 6e-5).abs() < 1e-12);
    let single = frame.as_kind(Some(DataKind::Benchmark));
    assert!((Totals::of(&single)[0].1.time_s - 3e-5).abs() < 1e-12);
}

#[test]
fn files_with_the_same_gemms_are_sides_and_others_one_benchmark() {
    let file = |shapes: &[(u32, u32, u32)], name: &str| {
        let mut t = Table::new();
        for &shape in shapes {
            t.row(shape, "", 1e-5, "");
        }
        let mut data = (*t.frame(None).data).clone();
        data.sources[0].name = name.to_owned();
        data
    };
    let both = |a: Dataset, b: Dataset| {
        let mut all = a;
        all.append(b);
        Decision::new(&all, None)
    };
    let same = both(file(&SIZES, "old.csv"), file(&SIZES[..2], "new.csv"));
    assert_eq!((same.kind, same.side), (DataKind::Sides, Some(Field::Source)));
    let many: Vec<(u32, u32, u32)> = (1..8).map(|i| (512 * i, 512, 512)).collect();
    let other: Vec<(u32, u32, u32)> = (7..14).map(|i| (512 * i, 512, 512)).collect();
    let few = both(file(&many, "a.csv"), file(&other, "b.csv"));
    assert_eq!(few.kind, DataKind::Benchmark);
}

/// Two libraries on ten GEMMs each, `shared` of them the same.
fn libraries(shared: u32) -> Frame {
    let mut t = Table::new();
    for i in 1..=10 {
        t.row((64 * i, 512, 512), "onednn", 1e-5, "");
        t.row((64 * (i + 10 - shared), 512, 512), "openblas", 2e-5, "");
    }
    // A repeat.
    t.row((64, 512, 512), "onednn", 1.1e-5, "");
    t.frame(None)
}

#[test]
fn libraries_that_share_a_part_of_their_gemms_are_sides() {
    let some = libraries(4);
    assert_eq!(some.kind(), DataKind::Sides);
    assert_eq!(some.counted().sides.iter().map(|s| s.rows.len()).collect::<Vec<_>>(), [10, 10]);
}

#[test]
fn a_gemm_counts_once_whichever_libraries_ran_it_and_whatever_else_is_open() {
    let few = libraries(1);
    assert_eq!(few.kind(), DataKind::Benchmark);
    // The faster row of the GEMM that both ran, and one of the repeats.
    assert_eq!(few.counted().all().len(), 19);
    assert!((Totals::of(&few)[0].1.time_s - 28e-5).abs() < 1e-12);
    // Beside a file that shares some of them it is one side, with as many rows.
    let mut both = (*few.data).clone();
    let mut other = (*libraries(1).data).clone();
    other.sources[0].name = "b.csv".to_owned();
    both.append(other);
    let both = crate::fixture::frame(both, None);
    assert_eq!(both.counted().sides.iter().map(|s| s.rows.len()).collect::<Vec<_>>(), [19, 19]);
}

#[test]
fn a_gemm_counts_once_in_whatever_files_its_rows_are() {
    let mut t = Table::new();
    for (library, time) in [("a", 3e-5), ("b", 1e-5), ("c", 2e-5)] {
        SIZES.into_iter().for_each(|shape| t.row(shape, library, time, ""));
    }
    let one = (*t.frame(None).data).clone();
    let mut several = one.clone();
    several.sources.extend([one.sources[0].clone(), one.sources[0].clone()]);
    several.source = (0..9).map(|row| row / 3).collect();
    for data in [one, several] {
        let frame = crate::fixture::frame(data, None);
        assert_eq!(frame.kind(), DataKind::Sides);
        for kind in [DataKind::Sweep, DataKind::Benchmark] {
            assert_eq!(*frame.as_kind(Some(kind)).counted().all(), [3, 4, 5], "{kind}");
        }
    }
}

#[test]
fn rows_of_two_models_are_repeats_of_one_gemm() {
    let mut t = Table::new();
    let model = t.table().text_column(ColumnMeaning::Model, "model");
    for (name, time) in [("a", 3e-5), ("b", 1e-5), ("c", 2e-5)] {
        for shape in SIZES {
            t.table().set_text(model, name.as_bytes());
            t.row(shape, "", time, "");
        }
    }
    let frame = t.frame(None);
    assert_eq!(frame.kind(), DataKind::Benchmark);
    assert_eq!(*frame.counted().all(), [6, 7, 8]);
}

#[test]
fn files_of_different_devices_are_named_after_them() {
    let file = |device: &str, library: &str, name: &str| {
        let mut t = Table::new();
        for shape in SIZES {
            t.row(shape, library, 1e-5, device);
        }
        let mut data = (*t.frame(None).data).clone();
        data.sources[0].name = name.to_owned();
        data
    };
    let labels = |a: Dataset, b: Dataset| -> Vec<String> {
        let mut all = a;
        all.append(b);
        let frame = crate::fixture::frame(all, None);
        frame.counted().sides.iter().map(|s| s.label.clone()).collect()
    };
    let amd = |library| file("AMD Instinct MI300X", library, "t1.csv");
    let nvidia = || file("NVIDIA B200", "cublas", "t2.csv");
    assert_eq!(labels(amd("rocblas"), nvidia()), ["rocBLAS on MI300X", "cuBLAS on B200"]);
    // All names take the same form.
    assert_eq!(labels(amd(""), nvidia()), ["MI300X", "B200"]);
    // A single device does not distinguish sides.
    assert_eq!(
        labels(file("NVIDIA B200", "", "t1.csv"), file("NVIDIA B200", "", "t2.csv")),
        ["t1", "t2"]
    );
    // Files of one name: by any device, else by folder.
    let named = |device: &str, name: &str| file(device, "", name);
    assert_eq!(
        labels(named("sm_90", "x/h100/GEMM.csv"), named("gfx942", "x/mi300/GEMM.csv")),
        ["sm_90", "gfx942"]
    );
    assert_eq!(
        labels(named("", "x/h100/GEMM.csv"), named("", "x/mi300/GEMM.csv")),
        ["h100", "mi300"]
    );
    assert_eq!(labels(named("", "GEMM.csv"), named("", "b/GEMM.csv")), ["GEMM.csv", "b/GEMM.csv"]);
}

#[test]
fn beside_a_file_of_several_libraries_none_is_named_after_its_own() {
    let file = |libraries: [&str; 2], name: &str| {
        let mut t = Table::new();
        for (i, shape) in SIZES.into_iter().enumerate() {
            t.row(shape, libraries[i % 2], 1e-5, "");
        }
        let mut data = (*t.frame(None).data).clone();
        data.sources[0].name = name.to_owned();
        data
    };
    let labels = |mut all: Dataset, other: Dataset| -> Vec<String> {
        all.append(other);
        let frame = crate::fixture::frame(all, None);
        frame.counted().sides.iter().map(|s| s.label.clone()).collect()
    };
    let prefill = || file(["cublas", "cublas"], "prefill.json.gz");
    assert_eq!(
        labels(prefill(), file(["cublas", "cutlass"], "decode.json.gz")),
        ["prefill", "decode"]
    );
    assert_eq!(labels(prefill(), file(["triton", "triton"], "b.csv")), ["cuBLAS", "Triton"]);
}

#[test]
fn every_kind_has_a_key_of_its_own() {
    for kind in DataKind::ALL {
        assert_eq!(DataKind::parse(kind.key()), Some(kind));
        assert!(!kind.hint().is_empty() && !kind.label().is_empty());
    }
    assert_eq!(DataKind::parse(""), None);
}

#[test]
fn colours_show_what_tells_the_rows_apart_at_first_sight() {
    let table = |rows: &[(&str, u32)]| {
        let mut t = Table::new();
        for (library, k) in rows {
            t.row((512, 512, *k), library, 1e-5, "");
        }
        t.frame(None).main_field()
    };
    let library = Field::Column("library".to_owned());
    assert_eq!(table(&[("", 64), ("", 128)]), Field::Dtype);
    assert_eq!(table(&[("a", 64), ("", 128)]), Field::Dtype);
    assert_eq!(table(&[("a", 64), ("b", 128)]), library);
    // Sides by library.
    assert_eq!(table(&[("a", 64), ("b", 64)]), library);
}

#[test]
fn counting_with_pauses_gives_what_counting_at_once_gives() {
    let mut t = Table::new();
    let kernel = t.table().text_column(ColumnMeaning::Kernel, "kernel");
    for i in 0..12_000u32 {
        let name = format!("k{}", i % 7);
        t.table().set_text(kernel, name.as_bytes());
        t.row((1 + i % 300, 64, 64), "", 1e-6 * f64::from(1 + i * 31 % 97), "");
    }
    let all = t.frame(None);
    for kind in DataKind::ALL {
        let frame = all.as_kind(Some(kind));
        let at_once = frame.with_rows(frame.rows.clone());
        let pauses = Cell::new(0);
        pass::at_once(frame.count(&async || pauses.set(pauses.get() + 1)));
        assert!(frame.is_counted());
        assert_eq!(frame.counted(), at_once.counted(), "{kind}");
        let several = matches!(frame.kind(), DataKind::Benchmark | DataKind::Sweep);
        assert_eq!(pauses.get() > 5, several, "{kind}: {} pauses", pauses.get());
    }
}
