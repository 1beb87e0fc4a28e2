//! Samples that come with the page, so that it can be tried without a file.

/// A sample file inside the program.
pub struct Sample {
    /// Key in links and tests.
    pub id: &'static str,
    /// Name for people.
    pub title: &'static str,
    /// One sentence: where it comes from and what it shows.
    pub description: &'static str,
    /// File name.
    pub file: &'static str,
    /// The tab that shows it best; "" or an unknown one is the first.
    pub view: &'static str,
}

/// The content of a sample. It is apart from the list because the first view shows the list only.
#[derive(Clone, Copy, Debug)]
pub struct Content {
    /// The bytes of the file, packed or not.
    pub bytes: &'static [u8],
    /// The device as JSON, where the catalogue does not have it.
    pub device_json: Option<&'static str>,
}

impl Sample {
    /// The file, and its device where the catalogue does not have it.
    pub fn content(&self) -> Content {
        const CPU: &str = include_str!("../samples/cpu-device.json");
        const CORE: &str = include_str!("../samples/cpu-core.json");
        let (bytes, device_json): (&[u8], _) = match self.id {
            "mi300x-libraries" => (include_bytes!("../samples/mi300x-libraries.csv"), None),
            "cpu-llm" => (include_bytes!("../samples/cpu-llm.csv"), Some(CORE)),
            "cpu-flat-gemm" => (include_bytes!("../samples/cpu-flat-gemm.csv"), Some(CPU)),
            "cpu-tiles" => (include_bytes!("../samples/cpu-tiles.csv"), Some(CPU)),
            "tuning-history" => (include_bytes!("../samples/tuning-history.csv"), None),
            _ => (&[], None),
        };
        Content { bytes, device_json }
    }
}

/// All samples.
pub const SAMPLES: &[Sample] = &[
    Sample {
        id: "mi300x-libraries",
        title: "hipBLASLt and rocBLAS on an MI300X",
        description: "Published figures (nod-ai/iree-kernel-benchmark): 558 GEMMs of language and image models in fp16 and bf16. hipBLASLt wins most of them, but not layout TT.",
        file: "mi300x-libraries.csv",
        view: "summary",
    },
    Sample {
        id: "cpu-llm",
        title: "A model's layers on one CPU core",
        description: "Measured: the linear layers of Qwen2.5 0.5B and 1.5B for 1 to 512 tokens in fp64, fp32, bf16 and int8, through two libraries.",
        file: "cpu-llm.csv",
        view: "",
    },
    Sample {
        id: "cpu-flat-gemm",
        title: "Flat GEMM: N against the block width",
        description: "Measured: M = 8, fp32, the weight matrix cut into blocks of BN columns that two CPU cores share, for K = 4096 and 12288.",
        file: "cpu-flat-gemm.csv",
        view: "tiles",
    },
    Sample {
        id: "tuning-history",
        title: "A tuning history on an A100",
        description: "Published numbers: five generations of a fused Triton kernel at 4096³ in fp16, one variant wrong, beside PyTorch.",
        file: "tuning-history.csv",
        view: "tuning",
    },
    Sample {
        id: "cpu-tiles",
        title: "Every tile size of a blocked kernel",
        description: "Measured: a small blocked fp32 kernel with tiles of 16 to 256 × 32 to 512 × 64 to 256 on three shapes, two CPU cores.",
        file: "cpu-tiles.csv",
        view: "tiles",
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use gemmscope_import::{ImportOptions, Imported, read_all};
    use gemmscope_model::hardware::Device;
    use gemmscope_table::metrics::DeviceChoice;

    #[test]
    fn every_row_of_a_sample_names_a_device_that_is_known() {
        for s in SAMPLES {
            let read = read_all(s.file, s.content().bytes, &ImportOptions::default());
            let Ok(Imported::Table(table)) = read else {
                panic!("{}: not a table", s.id);
            };
            assert!(!table.is_empty(), "{}", s.id);
            let own = s.content().device_json;
            let own: Vec<Device> =
                own.into_iter().map(|d| Device::from_json(d).expect(s.id)).collect();
            let devices = DeviceChoice::default().resolve(&table, &own);
            for &code in &table.device {
                assert!(devices[usize::from(code)].is_some(), "{}", s.id);
            }
        }
    }
}
