//! Device descriptions: gemmscope's device JSON, TraceLens platform files, and the ceilings measured by
//! rocprof-compute (`roofline.csv`).

use super::peak;
use crate::columns::defaults::named_device;
use crate::reader::Whole;
use crate::{
    Claim, Delimited, ErrorKind, Format, Head, Header, ImportError, ImportOptions, Imported,
    Opened, ReadBy, Record, RowReader,
};
use gemmscope_model::dtype::DataType;
use gemmscope_model::hardware::{Device, Engine, Peak, match_name};
use gemmscope_table::build::TableBuilder;

pub(crate) const FORMAT: Format = Format {
    id: "device",
    name: "Device description (JSON)",
    produced_by: "“Save as JSON” under Devices here; TraceLens platform files \
                  (python -m TraceLens.PerfModel.benchmarking.microbench)",
    example: "{\"name\": \"My card\", \"bandwidth_bytes_per_s\": 1.9e12, \
              \"peaks\": [{\"dtype\": \"fp16\", \"flops_per_s\": 3.1e14}]}\n",
    read: ReadBy::Code { claim, open },
};

pub(crate) const CEILINGS: Format = Format {
    id: "rocprof-compute-roofline",
    name: "rocprof-compute ceilings (roofline.csv)",
    produced_by: "rocprof-compute profile -n run --roof-only -- ./app (workloads/run/*/roofline.csv)",
    example: "device,HBMBw,HBMBwLow,hbmBwHigh,L2Bw,FP32Flops,MFMABF16Flops,MFMAF16Flops\n\
              0,4012.5,3998.1,4020.3,9871.0,81000.0,520000.0,500000.0\n",
    read: ReadBy::Code { claim: claim_ceilings, open: open_ceilings },
};

fn claim(head: &Head) -> Option<Claim> {
    if !crate::split::dialect::is_json(head.first()) {
        return None;
    }
    let known = [["max_achievable_tflops", "mem_bw_gbps"], ["bandwidth_bytes_per_s", "peaks"]];
    known.iter().find_map(|keys| head.keyed(keys))
}

fn open(_: &Head, _: &ImportOptions) -> Opened {
    Ok(Whole::open(4, "a device description", devices))
}

fn devices(text: &str) -> Result<Imported, ImportError> {
    if !text.trim_start().starts_with('[') {
        return Ok(Imported::Devices(vec![Device::from_json(text)?]));
    }
    let list: Vec<serde_json::Value> = serde_json::from_str(text).map_err(ImportError::of_json)?;
    let devices: Result<_, _> = list.iter().map(|v| Device::from_json(&v.to_string())).collect();
    Ok(Imported::Devices(devices?))
}

fn claim_ceilings(head: &Head) -> Option<Claim> {
    let header = Header::of_line(head.first());
    let mfma = |name: &String| name.to_ascii_lowercase().starts_with("mfma");
    (header.has(&["HBMBw"]) && header.names.iter().any(mfma)).then(|| Claim::signature(2))
}

fn open_ceilings(head: &Head, options: &ImportOptions) -> Opened {
    // The file only numbers its GPU; the user's answer or the folder's name gives the model.
    let answer = options.answer("device").map(str::to_owned);
    let name = answer.or_else(|| named_device(&head.name));
    let rows = Ceilings { name, header: None, devices: Vec::new() };
    Ok(Delimited::open(rows, TableBuilder::default()))
}

struct Ceilings {
    name: Option<String>,
    header: Option<Header>,
    devices: Vec<Device>,
}

/// Parses `MFMABF16Flops` as matrix engine, bf16. Skips `…Low` and `…High`, the spread of a run.
fn ceiling(name: &str) -> Option<(Engine, DataType)> {
    let upper = name.trim().to_ascii_uppercase().replace('_', "");
    let rest = upper.strip_suffix("FLOPS").or_else(|| upper.strip_suffix("OPS"))?;
    let (engine, code) = match rest.strip_prefix("MFMA") {
        Some(code) => (Engine::Matrix, code),
        None => (Engine::Vector, rest),
    };
    Some((engine, DataType::parse(code).filter(|t| t.family().is_some())?))
}

impl RowReader for Ceilings {
    fn record(&mut self, record: &Record<'_>, _: &mut TableBuilder) -> Result<(), ImportError> {
        let Some(header) = &self.header else {
            self.header = Some(Header::new(record));
            return Ok(());
        };
        let bandwidth = header.number(record, &["HBMBw", "HBM_Bw"]);
        let Some(bandwidth) = bandwidth.filter(|v| *v > 0.0) else {
            return Err(ImportError::new("HBMBw is not a bandwidth in GB/s").at(record.line(), 0));
        };
        let cache = |names: &[&str]| {
            let rate = header.number(record, names).filter(|v| *v > 0.0);
            rate.map(|v| v * 1e9)
        };
        let (l2, l1) = (cache(&["L2Bw", "L2_Bw"]), cache(&["L1Bw", "vL1DBw", "L1_Bw"]));
        let id = header
            .find(&["device", "devID", "device_id"])
            .map_or_else(|| self.devices.len().to_string(), |c| record.text(c.index).into_owned());
        let source = format!("{} on GPU {id}", gemmscope_table::dataset::MEASURED);
        let peaks: Vec<Peak> = header
            .names
            .iter()
            .enumerate()
            .filter_map(|(i, name)| {
                let (engine, dtype) = ceiling(name)?;
                let rate = record.number(i).filter(|v| *v > 0.0)? * 1e9;
                Some(peak(engine, dtype, rate, true, &source))
            })
            .collect();
        if peaks.is_empty() {
            return Err(ImportError::new("no rate (MFMA…Flops) above zero in this row")
                .at(record.line(), 0));
        }
        let base = self.name.as_deref().and_then(|n| match_name(n).device().cloned());
        let mut device = match base {
            Some(mut d) => {
                d.id = format!("{}-measured-{id}", d.id);
                d.name = format!("{} (measured, GPU {id})", d.name);
                d.aliases.clear();
                d.bandwidth_bytes_per_s = bandwidth * 1e9;
                d.peaks = peaks;
                d.source = source;
                d
            }
            None => {
                let plain = serde_json::json!({
                    "id": format!("measured-{id}"),
                    "name": format!("Measured ceilings, GPU {id}"),
                    "bandwidth_bytes_per_s": bandwidth * 1e9,
                    "peaks": peaks,
                    "unit_kind": "CU",
                    "vendor": "AMD",
                    "source": source,
                });
                Device::from_json(&plain.to_string())
                    .map_err(|e| ImportError::new(e.to_string()))?
            }
        };
        (device.l2_bytes_per_s, device.l1_bytes_per_s) = (l2, l1);
        device.validate().map_err(|e| ImportError::new(e.to_string()).at(record.line(), 0))?;
        self.devices.push(device);
        Ok(())
    }

    fn end(self: Box<Self>, _: TableBuilder) -> Result<Imported, ImportError> {
        if self.devices.is_empty() {
            return Err(ImportError::new("no rows: the file lists ceilings without measurements")
                .kind(ErrorKind::Empty));
        }
        Ok(Imported::Devices(self.devices))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read_all;
    use gemmscope_model::hardware::RoofKind;

    fn devices(name: &str, text: &str) -> Vec<Device> {
        match read_all(name, text.as_bytes(), &ImportOptions::default()) {
            Ok(Imported::Devices(d)) => d,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn measured_ceilings_are_devices() {
        let d = devices("roofline.csv", CEILINGS.example);
        assert_eq!(d.len(), 1);
        assert_eq!(d[0].bandwidth_bytes_per_s, 4012.5e9);
        assert!(d[0].l2_bytes_per_s.is_some() && d[0].l1_bytes_per_s.is_none());
        let roof = d[0].roof(DataType::Bf16, RoofKind::Achievable).unwrap();
        assert_eq!(roof.peak_flops_per_s, 520e12);
        // The device's name in the path also determines its number of compute units.
        let d = devices("MI300X/roofline.csv", CEILINGS.example);
        assert_eq!((d[0].units, d[0].peaks.len()), (Some(304), 3));
    }

    #[test]
    fn two_devices_in_one_file() {
        let one = FORMAT.example.trim();
        assert_eq!(devices("d.json", &format!("[{one}, {one}]")).len(), 2);
    }

    #[test]
    fn a_platform_file_of_tracelens() {
        let text = "{\"name\": \"MI300X\", \"mem_bw_gbps\": 5300, \"max_achievable_tflops\": {\"matrix_bf16\": 708}}";
        assert_eq!(devices("MI300X.json", text)[0].name, "AMD Instinct MI300X (imported ceilings)");
    }
}
