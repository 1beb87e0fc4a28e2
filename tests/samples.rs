//! What the page says about its own samples, which a new user reads first.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on says where")]

use gemmscope::samples::{SAMPLES, Sample};
use gemmscope_import::{ImportOptions, Imported, read_all};
use gemmscope_model::dtype::DataType;
use gemmscope_model::hardware::RoofKind;
use gemmscope_table::data_kind::DataKind;
use gemmscope_table::dataset::ColumnMeaning;
use gemmscope_table::field::Frame;
use gemmscope_table::metrics::{DeviceChoice, Metrics, Totals};
use gemmscope_words::findings::{Findings, check_all};
use std::sync::Arc;

/// A sample as the page opens it.
fn frame(sample: &Sample) -> Frame {
    let read = read_all(sample.file, sample.bytes(), &ImportOptions::default());
    let Ok(Imported::Table(table)) = read else {
        panic!("{}: not a table", sample.id);
    };
    let devices = DeviceChoice::default().resolve(&table, &[]);
    let metrics = Metrics::compute(&table, devices, RoofKind::Datasheet);
    Frame::all(Arc::new(*table), Arc::new(metrics))
}

fn of(id: &str) -> (Frame, Findings) {
    let frame = frame(SAMPLES.iter().find(|s| s.id == id).unwrap());
    let findings = check_all(&frame);
    (frame, findings)
}

#[test]
fn no_sample_is_told_to_use_a_type_that_its_device_lacks() {
    for sample in SAMPLES {
        let frame = frame(sample);
        let lacks: Vec<DataType> = DataType::ALL
            .into_iter()
            .filter(|t| {
                let devices = frame.metrics.devices.iter().flatten();
                devices.clone().all(|d| d.peak_for(*t).is_none())
            })
            .collect();
        for finding in &check_all(&frame).findings {
            let words = serde_json::to_string(finding).unwrap();
            for dtype in &lacks {
                let names = words.split(|c: char| !c.is_alphanumeric() && c != '_');
                for name in names {
                    assert!(name != dtype.id(), "{}: {name} in {words}", sample.id);
                }
            }
        }
    }
}

#[test]
fn the_libraries_on_an_mi300x_are_sides_with_a_story() {
    let (frame, findings) = of("mi300x-libraries");
    assert_eq!(frame.kind(), DataKind::Sides);
    let totals = Totals::of(&frame);
    let names: Vec<&str> = totals.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["hipBLASLt", "rocBLAS"]);
    // The layout in which the faster library is far behind, and the one in which the slower library loses.
    let titles: Vec<String> = findings.findings.iter().map(|f| f.heading()).collect();
    let faster = "rocBLAS: hipBLASLt is faster: 340 GEMMs";
    assert!(titles.contains(&faster.to_owned()), "{titles:#?}");
    assert!(
        titles.iter().any(|t| t.starts_with("hipBLASLt: Another layout is faster: 36 GEMMs")),
        "{titles:#?}"
    );
}

#[test]
fn the_expected_time_is_near_what_pytorch_takes_on_an_h100() {
    let frame = frame(SAMPLES.iter().find(|s| s.id == "h100-llm").unwrap());
    let data = &*frame.data;
    let (mut expected, mut roof) = (Vec::new(), Vec::new());
    for row in 0..data.len() {
        if data.text(ColumnMeaning::Library, row) != "PyTorch" {
            continue;
        }
        let device = frame.metrics.devices[usize::from(data.device[row])].as_ref().unwrap();
        let problem = data.problem(row);
        let roof_of = |kind| device.roof(problem.op.compute, kind).unwrap();
        // Factor by which a time is off, in either direction.
        let off = |seconds: f64| (seconds / data.time_s[row]).ln().abs().exp();
        expected.push(off(device.expected_s(&problem).unwrap()));
        roof.push(off(roof_of(RoofKind::Datasheet).problem_time_s(&problem)));
    }
    let mean = |off: &[f64]| (off.iter().map(|f| f.ln()).sum::<f64>() / off.len() as f64).exp();
    // Stated in docs/src/metrics.md.
    let figures = [mean(&expected), mean(&roof)].map(|f| format!("{f:.2}"));
    assert_eq!(figures, ["1.07", "1.48"]);
    assert_eq!((expected.len(), expected.iter().filter(|f| **f < 1.5).count()), (96, 95));
}
