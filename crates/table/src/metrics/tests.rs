use super::*;
use crate::build::{Row, TableBuilder};
use crate::field::Field;
use gemmscope_model::dtype::DataType;

#[test]
fn a_choice_answers_a_name_that_fits_several_devices() {
    let data = Dataset {
        devices: ["gfx950:256", "NVIDIA H200", "mine"].map(str::to_owned).to_vec(),
        ..Dataset::default()
    };
    let ids = |default: Option<&str>| {
        let choice =
            DeviceChoice { default: default.map(str::to_owned), ..DeviceChoice::default() };
        let found = choice.resolve(&data, &[]);
        found.iter().map(|d| d.as_ref().map_or("", |d| &d.id).to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(ids(None), ["", "h200-sxm", ""]);
    assert_eq!(ids(Some("mi355x")), ["mi355x", "h200-sxm", ""]);
    // Another device does not say which of the two was meant.
    assert_eq!(ids(Some("a100-80-sxm")), ["", "h200-sxm", ""]);
}

/// Shape, type, time in µs and device of each row.
fn rows(rows: &[([u32; 3], DataType, f64, &str)]) -> Dataset {
    let mut t = TableBuilder::new();
    for (line, ([m, n, k], dtype, us, device)) in (2..).zip(rows) {
        let mut row = Row::new(*m, *n, *k, Operation::uniform(*dtype), us * 1e-6);
        row.device = t.device(device);
        t.commit(line, b"", Ok(row));
    }
    t.finish()
}

fn on(data: &Dataset, kind: RoofKind) -> Metrics {
    Metrics::compute(data, DeviceChoice::default().resolve(data, &[]), kind)
}

#[test]
fn a_row_without_an_achievable_rate_changes_no_other() {
    let bf16 = ([8192; 3], DataType::Bf16, 1600.0, "NVIDIA H100 80GB HBM3");
    let fp32 = ([64; 3], DataType::Fp32, 4.0, "NVIDIA H100 80GB HBM3");
    let alone = on(&rows(&[bf16]), RoofKind::Achievable);
    let data = rows(&[bf16, fp32]);
    let both = on(&data, RoofKind::Achievable);
    assert_eq!(both.roof_s[0], alone.roof_s[0]);
    // 857 TFLOP/s, from the catalogue; the other keeps the datasheet's and is listed.
    assert!((both.roof_s[0] - 2.0 * 8192f64.powi(3) / 857.0e12).abs() < 1e-12);
    assert_eq!(both.roof_s[1], on(&data, RoofKind::Datasheet).roof_s[1]);
    let kinds = [0, 1].map(|row| both.kind_of(&data, row));
    assert_eq!(kinds, [RoofKind::Achievable, RoofKind::Datasheet]);
    assert_eq!(both.keep_datasheet(&data), ["fp32 on NVIDIA H100 80GB HBM3"]);
    assert!(alone.keep_datasheet(&rows(&[bf16])).is_empty());
}

#[test]
fn nothing_beats_the_achievable_roof() {
    // 859.7 TFLOP/s is above the catalogue's 857 and below the datasheet's 989.4; 2000 is above both, so it is ignored.
    // Both names of a device share the extremes.
    let at = |tflops: f64| 2.0 * 8192f64.powi(3) / tflops * 1e-6;
    let data = rows(&[
        ([8192; 3], DataType::Bf16, at(700.0), "NVIDIA H100 80GB HBM3"),
        ([8192; 3], DataType::Bf16, at(859.7), "H100 SXM5"),
        ([8192; 3], DataType::Bf16, at(2000.0), "NVIDIA H100 80GB HBM3"),
        ([8192; 3], DataType::Bf16, at(600.0), "NVIDIA H200"),
    ]);
    let metrics = on(&data, RoofKind::Achievable);
    let shares = [0, 1, 2, 3].map(|row| metrics.efficiency(&data, row));
    let expected = [700.0 / 859.7, 1.0, 2000.0 / 859.7, 600.0 / 820.0];
    for (share, expected) in shares.iter().zip(expected) {
        assert!((share - expected).abs() < 1e-9, "{share} is not {expected}");
    }
    let source = |code: usize| {
        let device = metrics.devices[code].as_ref().unwrap();
        device.peak_for(DataType::Bf16).unwrap().achievable_source.clone().unwrap()
    };
    let code = |row: usize| usize::from(data.device[row]);
    assert_eq!(source(code(0)), "best measured here, instead of 857.0 TFLOP/s");
    assert!(source(code(3)).starts_with("90th percentile"));
    // The datasheet figures are unchanged, and the achievable rate is raised all the same.
    let datasheet = on(&data, RoofKind::Datasheet);
    assert_eq!(datasheet.devices, metrics.devices);
    assert!((datasheet.efficiency(&data, 1) - 859.7 / 989.4).abs() < 1e-9);
    let again = Metrics::compute(&data, metrics.devices.clone(), RoofKind::Achievable);
    assert_eq!(again.roof_s, metrics.roof_s);
}

#[test]
fn the_launch_floor_is_no_longer_than_the_shortest_call() {
    let floor = |us: f64| {
        let data = rows(&[
            ([64; 3], DataType::Bf16, us, "AMD Instinct MI300X"),
            ([64; 3], DataType::Bf16, 90.0, "mi300x"),
            ([64; 3], DataType::Bf16, 1.5, "NVIDIA H200"),
        ]);
        let metrics = on(&data, RoofKind::Datasheet);
        [0, 1].map(|row| metrics.launch_floor_s(data.device[row]))
    };
    assert_eq!(floor(60.0), [4.5e-6; 2]);
    assert_eq!(floor(3.0), [3e-6; 2]);
}

#[test]
fn a_growing_table_has_the_figures_of_the_finished_one() {
    let all: Vec<_> = (1..40u32)
        .map(|i| {
            let dtype = [DataType::Bf16, DataType::Fp32, DataType::Fp16][i as usize % 3];
            let name = ["AMD Instinct MI300X", "NVIDIA H200"][i as usize % 2];
            ([256 * i, 512, 1024], dtype, 200.0 / f64::from(i), name)
        })
        .collect();
    for kind in [RoofKind::Datasheet, RoofKind::Achievable] {
        let whole = rows(&all);
        let devices = DeviceChoice::default().resolve(&whole, &[]);
        let expected = Metrics::compute(&whole, devices.clone(), kind);
        let mut grown = Metrics::of_nothing(kind);
        for n in [1, 2, 9, all.len()] {
            let part = rows(&all[..n]);
            grown.extend(&part, DeviceChoice::default().resolve(&part, &[]));
        }
        assert_eq!((&grown.ai, &grown.roof_s), (&expected.ai, &expected.roof_s));
        assert_eq!(grown.devices, expected.devices);
        assert!(grown.are_of(&devices, kind));
    }
}

#[test]
fn a_guessed_device_gives_way_to_the_choice_and_a_stated_one_does_not() {
    let table = |guessed: bool| {
        let mut t = TableBuilder::new();
        let mut row = Row::new(64, 64, 64, Operation::uniform(DataType::Bf16), 1e-5);
        row.device = t.device("NVIDIA H200");
        if guessed {
            t.assume_device("NVIDIA H200", "Device from the file's name.");
        }
        t.commit(2, b"", Ok(row));
        t.finish()
    };
    let choice = DeviceChoice { default: Some("b200-sxm".to_owned()), ..DeviceChoice::default() };
    let id = |data: &Dataset, choice: &DeviceChoice| {
        choice.resolve(data, &[])[1].as_ref().map(|d| d.id.clone())
    };
    let mut guessed = table(true);
    assert_eq!(id(&guessed, &choice).as_deref(), Some("b200-sxm"));
    assert_eq!(id(&guessed, &DeviceChoice::default()).as_deref(), Some("h200-sxm"));
    // A second file states that it was an H200.
    guessed.append(table(false));
    assert_eq!(id(&guessed, &choice).as_deref(), Some("h200-sxm"));
}

#[test]
fn rows_are_told_apart_by_how_they_stand_beside_what_others_reach() {
    let mut t = crate::fixture::Rows::new();
    let op = gemmscope_model::reference::Precision::Bf16.operation();
    // 166.1 µs ± 4.7 %.
    for us in [150.0, 155.0, 173.0, 175.0] {
        t.typed((4096, 4096, 4096), op, "", us * 1e-6, "");
    }
    t.typed((4096, 4096, 1 << 20), op, "", 0.05, "");
    let unknown = t.frame(None);
    assert!(unknown.info(&Field::Standing).is_none());
    let frame = crate::fixture::on(&unknown, crate::fixture::published_h100());
    let standing = frame.categories(&Field::Standing);
    let of = |row| standing.values[standing.codes.get(row) as usize].as_str();
    assert_eq!(
        [0, 1, 2, 3, 4].map(of),
        [
            "faster than published",
            "as published",
            "as published",
            "slower than published",
            "no comparison"
        ]
    );
    assert_eq!(Field::parse("standing"), Some(Field::Standing));
}
