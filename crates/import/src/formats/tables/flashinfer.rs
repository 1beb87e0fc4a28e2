//! FlashInfer's benchmark: one row per routine and backend, times in ms.

use super::*;
use gemmscope_table::build::cell_text::is_missing;

pub(crate) const FORMAT: Format = Format {
    id: "flashinfer",
    name: "FlashInfer benchmark",
    produced_by: "python benchmarks/flashinfer_benchmark.py --testlist tests.txt --output_path out.csv",
    example: "routine,median_time,std_time,tflops,tb_per_sec,backend,n,batch_size,input_dtype,out_dtype,m,k\n\
              bmm_fp8,0.0845,0.0004,44.46,0.0873,cudnn,1024,64,torch.float8_e4m3fn,torch.bfloat16,4,7168\n",
    read: ReadBy::Table(&TableFormat {
        signatures: &[&["routine", "median_time", "tb_per_sec"]],
        columns: &[
            column(&["batch_size"], Batch),
            number(&["median_time"], Time, MILLI),
            column(&["input_dtype"], DtypeA),
            column(&["out_dtype"], DtypeC),
            column(&["routine"], OpName),
            column(&["backend"], Library),
            column(&["case_tag"], Model),
            number(&["std_time"], TimeStd, MILLI),
            number(&["tflops"], ReportedRate, TERA),
            number(&["tb_per_sec"], ReportedBandwidth, TERA),
        ],
        transposed: [false, true],
        notes: &["tb_per_sec of batched routines leaves out the batch; bandwidth is recomputed."],
        hook: Some(routine),
        ..TableFormat::DEFAULT
    }),
};

fn routine(cells: &mut Cells<'_, '_>) -> Result<Given, RowError> {
    let name = cells.text("routine").to_ascii_lowercase();
    if !["gemm", "mm_", "bmm"].iter().any(|w| name.contains(w)) {
        return Err(cells.error("routine", NOT_A_GEMM));
    }
    let mut given = Given::default();
    // The fp4 routine states the type of its input before quantisation; the GEMM runs in fp4.
    if name.contains("fp4") {
        given.dtype = Some(match cells.get("use_nvfp4") {
            b"False" => DataType::MxFp4,
            _ => DataType::NvFp4,
        });
    }
    // Each group is one GEMM of this shape.
    if name.contains("group_gemm") && !is_missing(cells.get("group_size")) {
        let size = |name: &str| match cells.get(name) {
            cell if is_missing(cell) => Ok(1),
            cell => cell::size(cell).map_err(|flaw| cells.error(name, flaw.said("batch", name))),
        };
        given.batch = Some(size("batch_size")?.saturating_mul(size("group_size")?));
    }
    Ok(given)
}
