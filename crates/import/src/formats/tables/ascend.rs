//! Ascend operator profiles: one line per operator, with the shapes of its inputs in one cell, `"4096,7168;7168,2112"`.
//! B is K x N, or N x K if only that fits.

use super::*;
use crate::cell::UNFIT;
use crate::cell::operands::{product, swapped};
use crate::cell::shape_text::{self, dimensions};

pub(crate) const FORMAT: Format = Format {
    id: "ascend",
    name: "Ascend operator profile (CSV)",
    produced_by: "torch_npu.profiler (kernel_details.csv), or msprof --export=on (op_summary_*.csv)",
    example: "Device_id,Name,Type,Accelerator Core,Duration(us),Input Shapes,Input Data Types,Output Shapes\n\
              0,aclnnMatmul_MatMulV3,MatMulV3,AI_CORE,310.5,\"\"\"4096,4096;4096,2048\"\"\",DT_BF16;DT_BF16,\"\"\"4096,2048\"\"\"\n",
    read: ReadBy::Table(&TableFormat {
        signatures: &[
            &["Type", "Accelerator Core", "Duration(us)", "Input Shapes", "Input Data Types"],
            &["OP Type", "Task Duration(us)", "Input Shapes", "Input Data Types"],
        ],
        sizes: &[],
        columns: &[
            number(&["Duration(us)", "Task Duration(us)"], Time, MICRO),
            column(&["Name", "Op Name"], Kernel),
            column(&["Type", "OP Type"], OpName),
        ],
        hook: Some(operands),
        ..TableFormat::DEFAULT
    }),
};

/// The product of the first two inputs.
fn operands(cells: &mut Cells<'_, '_>) -> Result<Given, RowError> {
    let of_operator = if cells.position("Type").is_some() { "Type" } else { "OP Type" };
    let operator = cells.text(of_operator).to_lowercase();
    if !operator.contains("matmul") {
        return Err(cells.error(of_operator, format!("{NOT_A_GEMM} ({of_operator})")));
    }
    if operator.contains("group") {
        return Err(cells.error(of_operator, "several GEMMs of sizes that the file does not state"));
    }
    let list = |name: &str| -> Vec<String> {
        cells.text(name).trim_matches('"').split(';').map(|t| t.trim().to_owned()).collect()
    };
    let shapes: Vec<Vec<u32>> = list("Input Shapes").iter().map(|s| dimensions(s)).collect();
    let [a, b, ..] = &shapes[..] else {
        return Err(cells.error("Input Shapes", NO_SIZES));
    };
    let plain = product(a, b);
    let is_weight = plain.is_none();
    let shape = plain.or_else(|| product(a, &swapped(b)));
    let output = list("Output Shapes").first().map(|s| dimensions(s)).unwrap_or_default();
    let fits = |s: &shape_text::Shape| output.is_empty() || output.last() == Some(&s.sizes[1]);
    let Some(shape) = shape.filter(fits) else {
        return Err(cells.error("Input Shapes", UNFIT));
    };
    let types = list("Input Data Types");
    let [dtype, of_b] = [0, 1]
        .map(|i| types.get(i).and_then(|name| DataType::parse(name.trim_start_matches("DT_"))));
    if dtype.is_none() || dtype != of_b {
        let why = "data types of A and B are not one known type (Input Data Types)";
        return Err(cells.error("Input Data Types", why));
    }
    let transposed = is_weight.then_some([false, true]);
    Ok(Given {
        sizes: Some(shape.sizes),
        batch: shape.batch,
        dtype,
        transposed,
        ..Given::default()
    })
}
