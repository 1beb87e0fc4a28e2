//! CUTLASS profiler: `report.gemm.csv`, or the same after `CSV Results:` in its output.
//!
//! Runtime is in ms. `Flops` counts 2 M N K + 2 M N, `GB/s` is GiB/s, `Flops/Byte` is truncated to an integer.
//! The layouts `column` and `row` are N and T of the column-major call. Rows with an `incorrect` result have
//! plausible times but are rejected.

use super::*;
use crate::cell::ONE_OF_GROUPS;

pub(crate) const FORMAT: Format = Format {
    id: "cutlass",
    name: "CUTLASS profiler",
    produced_by: "cutlass_profiler --operation=Gemm --m=4096 --n=4096 --k=4096 --output=report.csv",
    example: "Problem,Provider,OperationKind,Operation,Disposition,Status,m,n,k,A,B,C,alpha,beta,split_k_slices,batch_count,op_class,accum,cta_m,cta_n,cta_k,stages,Bytes,Flops,Runtime,GB/s,GFLOPs\n\
              1,CUTLASS,gemm,cutlass_tensorop_h16816gemm_256x128_32x3_nn_align8,passed,success,4096,4096,4096,f16:column,f16:column,f16:column,1,0,1,1,tensorop,f16,256,128,32,3,100663296,137472507904,0.59,158.9,233004\n",
    read: ReadBy::Table(&TableFormat {
        signatures: &[&["OperationKind", "Disposition", "Runtime", "m", "n", "k"]],
        columns: &[
            column(&["batch_count"], Batch),
            number(&["Runtime"], Time, MILLI),
            column(&["A"], DtypeA),
            column(&["B"], DtypeB),
            column(&["D", "C"], DtypeC),
            column(&["C"], Ignore),
            column(&["Disposition"], Ignore),
            column(&["Operation"], Kernel),
            column(&["Provider"], Library),
            column(&["cta_m"], TileM),
            column(&["cta_n"], TileN),
            column(&["cta_k"], TileK),
            column(&["split_k_slices"], SplitK),
            column(&["stages"], Stages),
            column(&["Bytes"], ReportedBytes),
            column(&["Flops"], ReportedWork),
            number(&["GB/s"], ReportedBandwidth, GIBI),
            number(&["GFLOPs"], ReportedRate, GIGA),
            column(&["Problem"], Other),
            column(&["OperationKind"], Other),
            verdict(&["Status"], Other),
            column(&["alpha"], Other),
            column(&["beta"], Beta).kept(),
        ],
        notes: &["GB/s of this tool is GiB/s, and its FLOP count is 2 M N K + 2 M N."],
        hook: Some(checked),
        ..TableFormat::DEFAULT
    }),
};

/// Rejects other operations and incorrect results.
fn checked(cells: &mut Cells<'_, '_>) -> Result<Given, RowError> {
    let kind = cells.get("OperationKind");
    if memchr::memmem::find(kind, b"gemm").is_none() {
        return Err(cells.error("OperationKind", NOT_A_GEMM));
    }
    let batch = match memchr::memmem::find(kind, b"grouped") {
        Some(_) => Some(groups(cells)?),
        None => None,
    };
    if memchr::memmem::find(kind, b"spgemm").is_some() {
        cells.table.note(
            "Structured-sparse kernels (spgemm) skip half of A, so they may lie above the dense roof.",
        );
    }
    if !matches!(cells.get("Disposition"), b"passed" | b"not_verified" | b"") {
        let status = cells.text("Disposition");
        return Err(cells.error("Disposition", format!("Disposition is {status}")));
    }
    // The profiler's columns are wrong for some kernels (NVIDIA/cutlass issue 2362).
    let columns = ["cluster_m", "cluster_n"].map(|n| cells.text(n).parse::<u32>().ok());
    if let [Some(m), Some(n)] = columns
        && let Some(named) = cluster(&cells.text("Operation"))
        && named != [m, n]
    {
        cells.table.note(format!(
            "cluster_m and cluster_n contradict the kernel's name ({m} x {n} for {} x {} in line {}): \
             the name is right.",
            named[0], named[1], cells.record.line()
        ));
    }
    Ok(Given {
        // fp32 operands on tensor cores are multiplied as tf32.
        tf32: cells.get("op_class") == b"tensorop",
        batch,
        ..Given::default()
    })
}

/// Number of problems of the printed sizes that the counted work of a grouped GEMM amounts to; they are a batch.
fn groups(cells: &Cells<'_, '_>) -> Result<u32, RowError> {
    let number = |name: &str| crate::cell::number(cells.get(name)).unwrap_or(f64::NAN);
    let [m, n, k] = ["m", "n", "k"].map(number);
    let of_all = number("Flops") / (2.0 * m * n * k + 2.0 * m * n);
    match of_all.round() {
        groups if groups >= 1.0 && (of_all - groups).abs() < 1e-6 => Ok(groups as u32),
        _ => Err(cells.error("OperationKind", ONE_OF_GROUPS)),
    }
}

/// Cluster shape in the name of a CUTLASS 3 kernel: `…_128x128x64_2x1x1_0_ttn_…`.
fn cluster(operation: &str) -> Option<[u32; 2]> {
    let mut parts = operation
        .split('_')
        .map(|p| -> Vec<u32> { p.split('x').filter_map(|n| n.parse().ok()).collect() });
    parts.find(|p| p.len() == 3 && p[0] >= 16)?;
    match parts.next()?[..] {
        [m, n, _] if m <= 16 && n <= 16 => Some([m, n]),
        _ => None,
    }
}
