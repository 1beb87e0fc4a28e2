//! A user's own device: JSON with our fields, or a TraceLens platform file of achievable rates.

use super::{Device, Engine, Peak, match_name};
use crate::dtype::DataType;
use crate::json_error::{JsonError, wrong};
use crate::units::above_zero;
use serde::Deserialize;
use std::collections::BTreeMap;

/// A TraceLens platform file: rates in TFLOP/s under keys such as `matrix_bf16`.
#[derive(Deserialize)]
struct Platform {
    name: String,
    mem_bw_gbps: f64,
    memory_gb: Option<f64>,
    max_achievable_tflops: BTreeMap<String, f64>,
    freq_mhz: Option<f64>,
    num_cus: Option<u32>,
}

impl Device {
    /// Reads a device from JSON: our own fields ([`Device::to_json`] shows them), or a TraceLens platform file,
    /// recognised by its `max_achievable_tflops`.
    ///
    /// Required are `name`, `peaks` (each `dtype` and `flops_per_s`) and `bandwidth_bytes_per_s`, in base units:
    /// FLOP/s, byte/s, byte, Hz. Nothing is clamped: an impossible value is an error that names its field.
    ///
    /// # Errors
    /// [`JsonError`] with line and column, or with the path of a wrong value.
    ///
    /// ```
    /// use gemmscope_model::hardware::Device;
    /// let text = r#"{"name": "My card", "bandwidth_bytes_per_s": 1939e9,
    ///                "peaks": [{"dtype": "fp16", "flops_per_s": 312e12}]}"#;
    /// assert_eq!(Device::from_json(text)?.id, "my-card");
    /// # Ok::<(), gemmscope_model::JsonError>(())
    /// ```
    pub fn from_json(text: &str) -> Result<Self, JsonError> {
        let value: serde_json::Value = serde_json::from_str(text)?;
        if value.get("max_achievable_tflops").is_some() {
            return Self::from_tracelens(text);
        }
        let mut device: Self = serde_json::from_str(text)?;
        if device.id.is_empty() {
            device.id = slug(&device.name);
        }
        for peak in &mut device.peaks {
            if peak.source.is_empty() {
                peak.source.clone_from(&device.source);
            }
        }
        device.validate()?;
        Ok(device)
    }

    /// This device as JSON that [`Device::from_json`] reads back to the same.
    pub fn to_json(&self) -> String {
        // Serialisation fails only for maps with non-text keys or failing writers; there are neither.
        serde_json::to_string_pretty(self).unwrap_or_default()
    }

    /// Reads a TraceLens platform file, which has achievable rates. If the catalogue knows the device by name, its
    /// datasheet figures are kept, and the file's memory bandwidth, clock and CU count replace the catalogue's. For an
    /// unknown device the file's rates are the only ceiling, and the source says so.
    ///
    /// # Errors
    /// [`JsonError`] with line and column, or with the path of a wrong value.
    pub(crate) fn from_tracelens(text: &str) -> Result<Self, JsonError> {
        let platform: Platform = serde_json::from_str(text)?;
        let base = match_name(&platform.name).device();
        let source = format!("TraceLens platform file {}", platform.name);
        let mut device = base.cloned().unwrap_or_else(|| Self {
            unit_kind: "CU".to_owned(),
            source: source.clone(),
            ..Self::unknown(&platform.name)
        });
        if base.is_some() {
            device.id.push_str("-imported");
            device.name.push_str(" (imported ceilings)");
            device.aliases.clear();
            // All ceilings come from the file; mixed with the catalogue's they would match neither source.
            for peak in &mut device.peaks {
                peak.achievable_flops_per_s = None;
                peak.achievable_source = None;
            }
        }
        device.bandwidth_bytes_per_s = platform.mem_bw_gbps * 1e9;
        device.memory_bytes = platform.memory_gb.map(|gb| gb * 1e9).or(device.memory_bytes);
        device.clock_hz = platform.freq_mhz.map(|mhz| mhz * 1e6).or(device.clock_hz);
        device.units = platform.num_cus.or(device.units);
        for (key, tflops) in &platform.max_achievable_tflops {
            let field = || format!("max_achievable_tflops.{key}");
            if !(tflops.is_finite() && *tflops > 0.0) {
                return Err(wrong(
                    field(),
                    format!("expected a rate above zero in TFLOP/s, found {tflops}"),
                ));
            }
            let (engine, dtype) = key
                .split_once('_')
                .and_then(|(engine, dtype)| {
                    let engine = match engine {
                        "matrix" => Engine::Matrix,
                        "vector" => Engine::Vector,
                        _ => return None,
                    };
                    Some((engine, DataType::parse(dtype)?))
                })
                .ok_or_else(|| wrong(field(), "expected a key like matrix_bf16 or vector_fp32"))?;
            device.set_achievable(engine, dtype, tflops * 1e12, &source);
        }
        device.validate()?;
        Ok(device)
    }

    /// A device with only a name; [`Device::validate`] rejects it until the rest is filled in.
    pub fn unknown(name: &str) -> Self {
        Self {
            id: slug(name),
            name: name.to_owned(),
            bandwidth_bytes_per_s: f64::NAN,
            unit_kind: "unit".to_owned(),
            confidence: 'C',
            ..Self::default()
        }
    }

    fn set_achievable(&mut self, engine: Engine, dtype: DataType, rate: f64, source: &str) {
        let known = self
            .peaks
            .iter_mut()
            .find(|peak| peak.engine == engine && peak.dtype.family() == dtype.family());
        match known {
            Some(peak) => {
                peak.achievable_flops_per_s = Some(rate);
                peak.achievable_source = Some(source.to_owned());
            }
            None => self.peaks.push(Peak {
                dtype,
                engine,
                accumulate: Some(dtype.default_accumulate()),
                flops_per_s: rate,
                dense: true,
                achievable_flops_per_s: Some(rate),
                achievable_source: Some(source.to_owned()),
                source: format!("{source}: no datasheet figure, achievable rate used instead"),
            }),
        }
    }

    /// Checks that every figure is possible.
    ///
    /// # Errors
    /// [`JsonError`] with the path of the first impossible figure.
    pub fn validate(&self) -> Result<(), JsonError> {
        if self.name.trim().is_empty() {
            return Err(wrong("name", "enter a name"));
        }
        let id_is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        if self.id.is_empty() || !self.id.chars().all(id_is_plain) {
            return Err(wrong(
                "id",
                format!("expected lower-case letters, digits and hyphens, found {:?}", self.id),
            ));
        }
        positive("bandwidth_bytes_per_s", self.bandwidth_bytes_per_s)?;
        for (field, value) in [
            ("clock_hz", self.clock_hz),
            ("fp16_flops_per_clock_per_unit", self.fp16_flops_per_clock_per_unit),
            ("memory_bytes", self.memory_bytes),
            ("l2_bytes", self.l2_bytes),
            ("l2_bytes_per_s", self.l2_bytes_per_s),
            ("l2_bytes_per_clock", self.l2_bytes_per_clock),
            ("l1_bytes_per_s", self.l1_bytes_per_s),
            ("llc_bytes", self.llc_bytes),
            ("shared_bytes_per_unit", self.shared_bytes_per_unit),
            ("shared_bytes_per_block", self.shared_bytes_per_block),
            ("registers_bytes_per_unit", self.registers_bytes_per_unit),
            ("launch_floor_s", self.launch_floor_s),
            ("reached_peak", self.reached_peak),
            ("reached_bandwidth", self.reached_bandwidth),
        ] {
            if let Some(value) = value {
                positive(field, value)?;
            }
        }
        for (field, value) in [("units", self.units), ("lanes", self.lanes)] {
            if let Some(value) = value {
                positive(field, f64::from(value))?;
            }
        }
        if self.peaks.is_empty() {
            return Err(wrong("peaks", "expected at least one peak rate, found none"));
        }
        for (index, peak) in self.peaks.iter().enumerate() {
            positive(&format!("peaks[{index}].flops_per_s"), peak.flops_per_s)?;
            if let Some(rate) = peak.achievable_flops_per_s {
                positive(&format!("peaks[{index}].achievable_flops_per_s"), rate)?;
            }
            if !peak.dense {
                return Err(wrong(
                    format!("peaks[{index}].dense"),
                    "expected the dense rate: halve a structured-sparsity figure",
                ));
            }
            if peak.dtype.family().is_none() {
                return Err(wrong(
                    format!("peaks[{index}].dtype"),
                    format!("expected a GEMM data type, found {}", peak.dtype),
                ));
            }
        }
        Ok(())
    }

    /// Sentences about figures that are possible but look wrong by a unit or a factor. Empty for every device of the
    /// catalogue.
    #[cfg(test)]
    pub(crate) fn doubts(&self) -> Vec<String> {
        let mut doubts = Vec::new();
        if self.bandwidth_bytes_per_s < 1e9 {
            doubts.push(format!(
                "bandwidth_bytes_per_s is {}: was it meant in GB/s?",
                self.bandwidth_bytes_per_s
            ));
        }
        if self.bandwidth_bytes_per_s > 1e15 {
            doubts.push("bandwidth_bytes_per_s is over a petabyte per second".to_owned());
        }
        for (index, peak) in self.peaks.iter().enumerate() {
            if peak.flops_per_s < 1e9 {
                doubts.push(format!(
                    "peaks[{index}].flops_per_s is {}: was it meant in TFLOP/s?",
                    peak.flops_per_s
                ));
            }
            if peak.achievable_flops_per_s.is_some_and(|rate| rate > peak.flops_per_s) {
                doubts.push(format!(
                    "peaks[{index}]: the achievable {} rate is above the datasheet's",
                    peak.dtype
                ));
            }
        }
        if self.memory_bytes.is_some_and(|bytes| bytes < 1e6) {
            doubts.push("memory_bytes is below a megabyte: was it meant in GB?".to_owned());
        }
        if self.clock_hz.is_some_and(|hz| hz < 1e6) {
            doubts.push("clock_hz is below a megahertz: was it meant in GHz or MHz?".to_owned());
        }
        doubts
    }
}

fn positive(field: &str, value: f64) -> Result<(), JsonError> {
    if value.is_finite() && value > 0.0 { Ok(()) } else { Err(wrong(field, above_zero(value))) }
}

/// Lower-case letters and digits of a name, other runs as one hyphen: `My card!` is `my-card`.
fn slug(name: &str) -> String {
    let mut slug = String::new();
    for c in name.to_lowercase().chars() {
        if c.is_ascii_alphanumeric() {
            slug.push(c);
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    let slug = slug.trim_end_matches('-');
    if slug.is_empty() { "device".to_owned() } else { slug.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::super::{by_id, catalog};
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn export_and_import_give_the_same_device() {
        for device in catalog() {
            let read = Device::from_json(&device.to_json());
            assert!(read.as_ref() == Ok(device), "{}", device.id);
        }
    }

    #[test]
    fn errors_name_the_field() {
        let message = |text: &str| Device::from_json(text).unwrap_err().to_string();
        let with = |peaks: &str, bandwidth: &str| {
            format!(r#"{{"name": "X", "peaks": {peaks}, "bandwidth_bytes_per_s": {bandwidth}}}"#)
        };
        let fine = r#"[{"dtype": "bf16", "flops_per_s": 1e12}]"#;
        assert_eq!(
            message(&with(fine, "-1")),
            "bandwidth_bytes_per_s: expected a number above zero, found -1"
        );
        assert_eq!(
            message(&with("[]", "1e12")),
            "peaks: expected at least one peak rate, found none"
        );
        assert_eq!(
            message(&with(r#"[{"dtype": "bf16", "flops_per_s": 0}]"#, "1e12")),
            "peaks[0].flops_per_s: expected a number above zero, found 0"
        );
        assert_eq!(
            message(&with(r#"[{"dtype": "bf16", "flops_per_s": 2e12, "dense": false}]"#, "1e12")),
            "peaks[0].dense: expected the dense rate: halve a structured-sparsity figure"
        );
        assert_eq!(
            message("{\"name\": \"X\",\n \"peaks\": []}"),
            "line 2, column 13: missing field `bandwidth_bytes_per_s`"
        );
        assert!(message("not json").starts_with("line 1, column 2"));
    }

    #[test]
    fn strange_values_are_kept_and_doubted() {
        let text = r#"{"name": "X", "bandwidth_bytes_per_s": 5300,
                       "peaks": [{"dtype": "bf16", "flops_per_s": 1307}]}"#;
        let device = Device::from_json(text).unwrap();
        assert_eq!(device.bandwidth_bytes_per_s, 5300.0);
        assert_eq!(
            device.doubts(),
            [
                "bandwidth_bytes_per_s is 5300: was it meant in GB/s?",
                "peaks[0].flops_per_s is 1307: was it meant in TFLOP/s?"
            ]
        );
    }

    #[test]
    fn tracelens_ceilings_join_the_datasheet() {
        let text = r#"{"name": "MI300X", "mem_bw_gbps": 5300, "memory_gb": 192,
            "max_achievable_tflops": {"matrix_bf16": 708, "matrix_fp8": 1273, "vector_fp32": 81}}"#;
        let device = Device::from_json(text).unwrap();
        let mi300x = by_id("mi300x").unwrap();
        let bf16 = device.peak_for(DataType::Bf16).unwrap();
        assert_eq!(bf16.flops_per_s, 1307.4e12);
        assert_eq!(bf16.achievable_flops_per_s, Some(708e12));
        let fp8 = device.peak_for(DataType::Fp8E4m3Fnuz).unwrap();
        assert_eq!(fp8.achievable_flops_per_s, Some(1273e12));
        assert_eq!(device.units, mi300x.units);
        assert_eq!(device.id, "mi300x-imported");
        // The catalogue's fp16 ceiling is not taken: the file has none.
        assert_eq!(device.peak_for(DataType::Fp16).unwrap().achievable_flops_per_s, None);
    }

    #[test]
    fn tracelens_ceilings_of_an_unknown_device() {
        let text = r#"{"name": "MyChip", "mem_bw_gbps": 1000, "num_cus": 16, "freq_mhz": 1500,
            "max_achievable_tflops": {"matrix_bf16": 100}}"#;
        let device = Device::from_json(text).unwrap();
        let peak = device.peak_for(DataType::Bf16).unwrap();
        assert_eq!(peak.flops_per_s, 100e12);
        assert!(peak.source.contains("no datasheet figure"));
        assert_eq!((device.units, device.clock_hz), (Some(16), Some(1.5e9)));
        let unknown_key = text.replace("matrix_bf16", "tensor_bf16");
        assert_eq!(
            Device::from_json(&unknown_key).unwrap_err().to_string(),
            "max_achievable_tflops.tensor_bf16: expected a key like matrix_bf16 or vector_fp32"
        );
    }

    proptest! {
        #[test]
        fn any_text_is_survived(text in ".*") {
            let _ = Device::from_json(&text);
        }
    }
}
