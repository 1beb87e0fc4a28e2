//! ROCm aiter's tuned GEMM tables: the best kernel of each shape, possibly for several devices.
//!
//! Six families of headers are in use; columns are found by name. A is row-major, the weight is stored N x K. Shapes
//! that were never measured contain zeros and are rejected. Files without a time list shapes still to be tuned.

use super::*;
use crate::columns::words::holds;

pub(crate) const FORMAT: Format = Format {
    id: "aiter",
    name: "aiter tuned GEMMs",
    produced_by: "python3 csrc/ck_gemm_a8w8/gemm_a8w8_tune.py -i aiter/configs/a8w8_untuned_gemm.csv -o aiter/configs/a8w8_tuned_gemm.csv",
    example: "gfx,cu_num,M,N,K,q_dtype_w,kernelId,splitK,us,kernelName,tflops,bw,errRatio\n\
              gfx942,80,1,1280,8192,torch.int8,34,0,20.5611,a8w8_rowwise_256x16x64x512_16x16_1x1,1.02,510.5,0.0\n",
    read: ReadBy::Table(&TableFormat {
        signatures: &[
            &["m", "n", "k", "us", "kernelName", "gfx"],
            &["m", "n", "k", "us", "kernelName", "cu_num"],
            &["m", "n", "k", "us", "kernelName", "kernelId", "splitK"],
            &["m", "n", "k", "q_dtype_w"],
            &["m", "n", "k", "outdtype", "bias"],
        ],
        columns: &[
            column(&["B", "batch"], Batch),
            number(&["us"], Time, MICRO),
            column(&["gfx"], Device),
            column(&["cu_num"], DeviceUnits),
            column(&["q_dtype_w", "dtype"], Dtype),
            column(&["outdtype"], DtypeC),
            column(&["bias"], Bias),
            column(&["kernelName"], Kernel),
            column(&["libtype"], Library),
            number(&["tflops"], ReportedRate, TERA),
            number(&["bw"], ReportedBandwidth, GIGA),
            column(&["splitK"], SplitK),
        ],
        dtype: DataType::Bf16,
        output: Some(DataType::Bf16),
        transposed: [false, true],
        notes: &[
            "One best kernel per shape and device: not a tile sweep.",
            "The weight is stored N x K, so B counts as transposed.",
            "tflops and bw are rounded to two digits, coarse for small rates; bw leaves out a \
             wider output.",
        ],
        hook: Some(by_names),
        ..TableFormat::DEFAULT
    }),
};

/// Older files identify the device by its number of compute units only; files without a type column state it in the
/// kernel or in the file's name.
fn by_names(cells: &mut Cells<'_, '_>) -> Result<Given, RowError> {
    let mut given = Given::default();
    if cells.position("gfx").is_none() && !cells.get("cu_num").is_empty() {
        let units = cells.text("cu_num");
        given.device = Some(match units.as_str() {
            "80" | "304" => cells.table.device_target("gfx942", &units),
            "256" => cells.table.device_target("gfx950", "256"),
            other => cells.table.device(&format!("{other} CUs")),
        });
    }
    if cells.position("q_dtype_w").is_none() && cells.position("dtype").is_none() {
        let names = format!("{} {}", cells.text("gfx"), cells.text("kernelName"));
        given.dtype = type_of(&names).or_else(|| type_of(cells.file));
    }
    Ok(given)
}

/// Type words in kernel names, most specific first.
const TYPES: [(&str, DataType); 6] = [
    ("fp4|f4gemm|a4w4", DataType::MxFp4),
    ("mxscale|mxfp8", DataType::MxFp8),
    ("a8w8_blockscale|fp8|f8|a8w8_bpreshuffle", DataType::Fp8E4m3),
    ("i8gemm|int8|a8w8", DataType::Int8),
    ("bf16|a16w16", DataType::Bf16),
    ("fp16", DataType::Fp16),
];

/// Operand type from the name of a kernel or file, after the architecture if there is one.
fn type_of(text: &str) -> Option<DataType> {
    let lower = text.to_ascii_lowercase();
    let (_, dtype) = TYPES.iter().find(|(words, _)| holds(&lower, words))?;
    Some(match dtype {
        DataType::Fp8E4m3 if lower.contains("gfx942") => DataType::Fp8E4m3Fnuz,
        dtype => *dtype,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ImportOptions, Imported, read_all};
    use gemmscope_table::dataset::ColumnMeaning;
    use gemmscope_table::dataset::Dataset;

    fn read(name: &str, bytes: &[u8]) -> Dataset {
        match read_all(name, bytes, &ImportOptions::default()) {
            Ok(Imported::Table(d)) => {
                assert_eq!(d.sources[0].format, "aiter");
                *d
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_other_families() {
        let d = read(
            "x.csv",
            b"gfx,cu_num,B,M,N,K,kernelId,splitK,us,kernelName,tflops,bw,errRatio\n\
              gfx942,304,16,32,1280,8192,28,0,68.9821,a8w8_batched_rowwise_256x32x128x256_32x32_1x1,155.6551,5004.8,0.0\n",
        );
        let p = d.problem(0);
        assert_eq!((p.batch, p.op.a), (16, DataType::Int8));
        assert_eq!(d.sources[0].reported_rate.within_1_percent, 1);
        let d = read(
            "x.csv",
            b"gfx,b,m,n,k,libtype,kernelId,splitK,us,kernelName,tflops,bw,errRatio\n\
              gfx950,1,32,1280,8192,opus,28,2,10,opus_bmm_a8w8_mxscale_flatmm_splitk_256x16x32x512_1x2,67.1,1,0.0\n\
              gfx950,1,32,1280,8192,asm,28,2,10,_ZN5aiter41f4gemm_bf16_per1x32Fp4_BpreShuffle_32x128E,67.1,1,0.0\n\
              gfx950,1,32,1280,8192,ck,28,2,inf,a8w8_blockscale_1x128x128_256x16x64x256,67.1,1,0.0\n",
        );
        assert_eq!((d.problem(0).op.a, d.problem(1).op.a), (DataType::MxFp8, DataType::MxFp4));
        assert_eq!(d.devices[1], "gfx950");
        assert_eq!(d.sources[0].rejected.reasons[0].text, "time is infinite (us)");
        assert_eq!(d.text(ColumnMeaning::Library, 0), "opus");
        assert_eq!(d.number(ColumnMeaning::SplitK, 0), 2.0);
        let d = read(
            "x.csv",
            b"M,N,K,bias,outdtype,splitK,us\n1,1280,8192,True,torch.bfloat16,0,20.5\n",
        );
        assert!(d.problem(0).op.bias);
        let d = read(
            "x.csv",
            b"cu_num,M,N,K,kernelId,splitK,us,kernelName\n304,1,1280,8192,3,0,20.5,a8w8_blockscale_1x128x128_256x16x64x256_16x16\n",
        );
        assert_eq!(d.devices[1], "gfx942:304");
        assert_eq!(d.problem(0).op.a, DataType::Fp8E4m3);
    }
}
