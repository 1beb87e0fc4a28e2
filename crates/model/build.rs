//! Writes the device catalogue as Rust tables, so that the page carries no JSON reader for it.

use serde_json::{Map, Value};
use std::fmt::Write;
use std::path::Path;

const CATALOG: &str = "src/hardware/catalog.json";

/// Fields of a device: its texts, whole numbers and numbers. All but `id` may be missing; a field
/// that is not here fails the build.
const TEXTS: [&str; 12] = [
    "id",
    "name",
    "vendor",
    "arch",
    "arch_token",
    "form",
    "unit_kind",
    "memory_kind",
    "confidence",
    "notes",
    "source",
    "launch_source",
];
const WHOLE: [&str; 2] = ["units", "lanes"];
const NUMBERS: [&str; 11] = [
    "clock_ghz",
    "fp16_flops_per_clock_per_unit",
    "memory_gb",
    "bandwidth_gb_per_s",
    "l2_mib",
    "llc_mib",
    "shared_kib_per_unit",
    "shared_kib_per_block",
    "registers_kib_per_unit",
    "launch_us",
    "tflops",
];
/// Fields of a peak.
const PEAK: [&str; 6] =
    ["dtype", "engine", "accumulate", "tflops", "achievable_tflops", "achievable_source"];

fn main() {
    println!("cargo::rerun-if-changed={CATALOG}");
    println!("cargo::rerun-if-changed=build.rs");
    let text = std::fs::read_to_string(CATALOG).expect(CATALOG);
    let devices: Vec<Map<String, Value>> = serde_json::from_str(&text).expect(CATALOG);
    let rows: Vec<String> = devices.iter().map(row).collect();
    let out = format!("static ROWS: [Row; {}] = [\n{}];\n", rows.len(), rows.concat());
    let folder = std::env::var("OUT_DIR").expect("cargo sets OUT_DIR");
    std::fs::write(Path::new(&folder).join("catalog.rs"), out).expect("OUT_DIR can be written");
}

fn row(device: &Map<String, Value>) -> String {
    let id = device["id"].as_str().expect("a device has an id");
    let mut out = String::from("Row {");
    for key in device.keys() {
        let known =
            TEXTS.contains(&&**key) || WHOLE.contains(&&**key) || NUMBERS[..10].contains(&&**key);
        assert!(known || key == "aliases" || key == "peaks", "{id}: {key}");
    }
    for key in TEXTS {
        let text = device.get(key).map_or("", |v| v.as_str().expect(key));
        let _ = write!(out, "{key}: {text:?}, ");
    }
    for key in WHOLE {
        let value = device.get(key).filter(|v| !v.is_null()).map(|v| v.as_u64().expect(key));
        let _ = write!(out, "{key}: {value:?}, ");
    }
    for key in &NUMBERS[..10] {
        let _ = write!(out, "{key}: {:?}, ", number(device, key));
    }
    let aliases: Vec<&str> = device["aliases"]
        .as_array()
        .expect("aliases are a list")
        .iter()
        .map(|a| a.as_str().expect("an alias is a text"))
        .collect();
    let _ = write!(out, "aliases: &{aliases:?}, peaks: &[");
    for peak in device["peaks"].as_array().expect("peaks are a list") {
        let peak = peak.as_object().expect("a peak is an object");
        for key in peak.keys() {
            assert!(PEAK.contains(&&**key), "{id}: peaks.{key}");
        }
        let text = |key: &str| peak.get(key).and_then(Value::as_str);
        let _ = write!(
            out,
            "PeakRow {{ dtype: {:?}, engine: {:?}, accumulate: {:?}, tflops: {:?}, achievable_tflops: {:?}, \
             achievable_source: {:?} }}, ",
            text("dtype").expect("a peak has a dtype"),
            text("engine").expect("a peak has an engine"),
            text("accumulate").expect("a peak has an accumulator"),
            number(peak, "tflops").expect("a peak has a rate"),
            number(peak, "achievable_tflops"),
            text("achievable_source"),
        );
    }
    out.push_str("] },\n");
    out
}

fn number(of: &Map<String, Value>, key: &str) -> Option<f64> {
    let value = of.get(key).filter(|v| !v.is_null())?;
    Some(value.as_f64().expect(key))
}
