//! Samples built into the page, so that it can be tried without a file.

/// A sample file built into the program.
pub struct Sample {
    /// Key in links and tests.
    pub id: &'static str,
    /// Display name.
    pub title: &'static str,
    /// One sentence: its source, and what it shows.
    pub description: &'static str,
    /// File name.
    pub file: &'static str,
    /// The tab that shows it best; "" or an unknown one is the first tab.
    pub view: &'static str,
}

impl Sample {
    /// Bytes of the file. Separate from the list, because the first view only shows the list.
    pub fn bytes(&self) -> &'static [u8] {
        match self.id {
            "mi300x-libraries" => include_bytes!("../samples/mi300x-libraries.csv"),
            "h100-llm" => include_bytes!("../samples/h100-llm.csv"),
            "h100-flat-gemm" => include_bytes!("../samples/h100-flat-gemm.csv"),
            "h100-tiles" => include_bytes!("../samples/h100-tiles.csv"),
            "tuning-history" => include_bytes!("../samples/tuning-history.csv"),
            _ => &[],
        }
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
        id: "h100-llm",
        title: "Llama 3.1 8B on an H100",
        description: "Measured: the GEMMs of a layer for 1 to 8192 tokens in bf16 and fp8, through PyTorch and a plain Triton kernel.",
        file: "h100-llm.csv",
        view: "",
    },
    Sample {
        id: "h100-flat-gemm",
        title: "Flat GEMM: N against the tile width",
        description: "Measured on an H100: M = 8, fp16, K = 4096 and 12288, tiles of 32 to 512 columns (Triton), beside what the model would take.",
        file: "h100-flat-gemm.csv",
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
        id: "h100-tiles",
        title: "201 tiles on an H100",
        description: "Measured: a Triton kernel in bf16 on four shapes, with tile, split-K, stages, warps and launch order varied.",
        file: "h100-tiles.csv",
        view: "tiles",
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use gemmscope_import::{ImportOptions, Imported, read_all};
    use gemmscope_table::metrics::DeviceChoice;

    #[test]
    fn every_row_of_a_sample_names_a_device_of_the_catalogue() {
        for s in SAMPLES {
            let read = read_all(s.file, s.bytes(), &ImportOptions::default());
            let Ok(Imported::Table(table)) = read else {
                panic!("{}: not a table", s.id);
            };
            assert!(!table.is_empty(), "{}", s.id);
            let devices = DeviceChoice::default().resolve(&table, &[]);
            for &code in &table.device {
                assert!(devices[usize::from(code)].is_some(), "{}", s.id);
            }
        }
    }
}
