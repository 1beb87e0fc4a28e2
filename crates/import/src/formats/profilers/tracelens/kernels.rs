//! The kernels launched by one operation, and which of them is the GEMM.

use crate::cell::py::Py;
use crate::columns::words::holds;
use std::borrow::Cow;

/// The kernels of an operation.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Kernels<'a> {
    /// Name of the kernel with the most time; ends in `...` if the report truncated it.
    pub main: Cow<'a, str>,
    /// Kernels per call of the operation; may include a memset, a split-K reduction or a copy.
    pub distinct: u32,
}

impl<'a> Kernels<'a> {
    /// Parses a cell such as `[{'name': 'Cijk_...', 'mean_duration_us': np.float64(110.59)}]`.
    pub(super) fn parse(cell: &'a str) -> Self {
        let list = Py::parse(cell);
        let mut main = (None, f64::NEG_INFINITY);
        for entry in list.items() {
            let Some(name) = entry.get("name").filter(|name| name.text().is_some()) else {
                continue;
            };
            let time = ["total_duration_us", "mean_duration_us"]
                .iter()
                .find_map(|key| entry.get(key).and_then(Py::number))
                .unwrap_or(0.0);
            if time > main.1 {
                main = (Some(name), time);
            }
        }
        Kernels {
            main: match main.0 {
                Some(Py::Text(name)) => name.clone(),
                Some(Py::Word(name)) => Cow::Borrowed(name),
                _ => Cow::Borrowed(""),
            },
            distinct: u32::try_from(list.items().len()).unwrap_or(u32::MAX),
        }
    }
}

/// The library that a kernel belongs to, by its name.
pub(crate) fn library(kernel: &str) -> &'static str {
    const SIGNS: [(&str, &str); 7] = [
        ("Cijk_", "Tensile"),
        ("wvSplitK", "rocBLAS"),
        ("ck_tile|ck::|_ZN2ck", "CK"),
        ("nvjet|cublas|_xmma_gemm|gemvx", "cuBLAS"),
        ("cutlass", "CUTLASS"),
        ("aiter", "AITER"),
        ("triton|BLOCK_SIZE_M", "Triton"),
    ];
    SIGNS.iter().find(|(signs, _)| holds(kernel, signs)).map_or("", |(_, library)| library)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_main_kernel_takes_most_of_the_time() {
        let cell = "[{'name': 'Cijk_B_PostGSU2', 'stream': None, 'count': 10, \
                    'total_duration_us': np.int64(47)}, {'name': 'Cijk_Ailk_Bljk_MT256x128x64', \
                    'total_duration_us': np.int64(10843)}]";
        let kernels = Kernels::parse(cell);
        assert_eq!(kernels.main, "Cijk_Ailk_Bljk_MT256x128x64");
        assert_eq!(kernels.distinct, 2);
        assert_eq!(Kernels::parse("[]"), Kernels::default());
        assert_eq!(Kernels::parse("").main, "");
        assert_eq!(library(&kernels.main), "Tensile");
        assert_eq!(library("sm90_xmma_gemm_bf16bf16_cublas"), "cuBLAS");
        assert_eq!(library("mine"), "");
    }
}
