//! rocprof-compute's `sysinfo.csv`, which describes the device of the profile next to it.

use crate::{
    Delimited, ErrorKind, Format, Head, Header, ImportError, ImportOptions, Imported, Opened,
    ReadBy, Record, RowReader,
};
use gemmscope_model::hardware::{match_name, match_target};
use gemmscope_table::build::TableBuilder;
use gemmscope_table::dataset::TraceContext;

pub(crate) const FORMAT: Format = Format {
    id: "rocprof-compute-sysinfo",
    name: "rocprof-compute device facts (sysinfo.csv)",
    produced_by: "rocprof-compute profile -n run -- ./app (workloads/run/*/sysinfo.csv); it names the device of the pmc_perf.csv and the roofline.csv beside it",
    example: "workload_name,gpu_model,gpu_arch,cu_per_gpu,max_sclk,max_mclk,hbm_bw,num_xcd\n\
              run,MI300X_A1,gfx942,304,2100,1300,5324.8,8\n",
    read: ReadBy::Code {
        claim: |head: &Head| head.headed(&["gpu_arch", "cu_per_gpu", "max_sclk"]),
        open: |_: &Head, _: &ImportOptions| -> Opened {
            Ok(Delimited::open(SysInfo::default(), TableBuilder::default()))
        },
    },
};

#[derive(Default)]
struct SysInfo {
    header: Option<Header>,
    context: Option<TraceContext>,
}

impl RowReader for SysInfo {
    fn record(&mut self, record: &Record<'_>, _: &mut TableBuilder) -> Result<(), ImportError> {
        let Some(h) = &self.header else {
            self.header = Some(Header::new(record));
            return Ok(());
        };
        if self.context.is_some() {
            return Ok(());
        }
        let text = |name: &str| h.text(record, &[name]).trim().to_owned();
        let number = |name: &str| h.number(record, &[name]).filter(|v| *v > 0.0);
        let (model, arch) = (text("gpu_model"), text("gpu_arch"));
        let units = number("cu_per_gpu");
        // `MI300X_A1` is an MI300X in its first partition mode. For an unknown model, target and number of compute
        // units identify the device.
        let by_model = [model.as_str(), model.split('_').next().unwrap_or_default()]
            .into_iter()
            .find_map(|name| match_name(name).device());
        let by_target = || match_target(&arch, units.map(|u| u as u32)).device();
        let platform = match by_model.or_else(by_target) {
            Some(device) => device.name.clone(),
            None if model.is_empty() => arch,
            None => model,
        };
        if platform.is_empty() {
            return Err(ImportError::new("expected a device under gpu_model or gpu_arch")
                .at(record.line(), 0));
        }
        let facts = [
            units.map(|v| format!("{v} CUs")),
            number("max_sclk").map(|v| format!("{v} MHz")),
            number("hbm_bw").map(|v| format!("{v} GB/s")),
        ];
        self.context = Some(TraceContext {
            platform,
            tables_of: "rocprof".to_owned(),
            facts: facts.into_iter().flatten().collect(),
            ..TraceContext::default()
        });
        Ok(())
    }

    fn end(self: Box<Self>, _: TableBuilder) -> Result<Imported, ImportError> {
        match self.context {
            Some(context) => Ok(Imported::Context(Box::new(context))),
            None => {
                Err(ImportError::new("no rows: the file names no device").kind(ErrorKind::Empty))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::read_with;

    use crate::read_all;
    use gemmscope_model::hardware::RoofKind;
    use gemmscope_table::trace;

    fn context(text: &str) -> TraceContext {
        match read_all("w/sysinfo.csv", text.as_bytes(), &ImportOptions::default()) {
            Ok(Imported::Context(c)) => *c,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_device_of_the_profile_beside_it() {
        let c = context(FORMAT.example);
        assert_eq!(c.platform, "AMD Instinct MI300X");
        assert_eq!(c.facts, ["304 CUs", "2100 MHz", "5324.8 GB/s"]);
        // An unknown model is identified by its target and its number of units.
        let by_target = FORMAT.example.replace("MI300X_A1", "new_one");
        assert_eq!(context(&by_target).platform, "AMD Instinct MI300X");

        let profile = super::super::rocprof::FORMAT.example;
        let options = ImportOptions {
            answers: [("shape".to_owned(), "4096x4096x1024".to_owned())].into_iter().collect(),
            ..ImportOptions::default()
        };
        let mut data = read_with("w/pmc_perf.csv", profile, &options);
        assert_eq!(trace::attach(&mut data, &c).source, Some(0));
        assert_eq!(data.devices[usize::from(data.device[0])], c.platform);
        // Tables of other tools are not matched.
        data.sources[0].format = "tracelens".to_owned();
        assert_eq!(trace::attach(&mut data, &c).source, None);
    }

    #[test]
    fn measured_ceilings_get_the_name_and_the_units() {
        let ceilings = crate::formats::devices::device_file::CEILINGS.example;
        let Ok(Imported::Devices(measured)) =
            read_all("w/roofline.csv", ceilings.as_bytes(), &ImportOptions::default())
        else {
            panic!("devices")
        };
        let c = context(FORMAT.example);
        let named = c.name_measured(&measured).unwrap();
        assert_eq!((named.name.as_str(), named.units), ("AMD Instinct MI300X", Some(304)));
        let roof =
            named.roof(gemmscope_model::dtype::DataType::Bf16, RoofKind::Achievable).unwrap();
        assert_eq!(roof.peak_flops_per_s, 520e12);
        assert_eq!(named.bandwidth_bytes_per_s, 4012.5e9);
        // A device that already has a name, or is in the catalogue, is not named again.
        assert!(c.name_measured(&[named]).is_none());
        assert!(c.name_measured(gemmscope_model::hardware::catalog()).is_none());
    }
}
