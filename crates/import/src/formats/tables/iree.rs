//! IREE golden CSV: `index,tag,name,…,mean_microseconds,arithmetic_intensity,tflops,ok`.
//!
//! The accompanying library runs (hipBLASLt, rocBLAS) have the backend in `name` and the transposes in `A` and `B`.
//! Dashboards add `runtime_dim`, the actual size of a dimension that was dynamic at compile time.

use super::*;
use crate::CellError;

pub(crate) const FORMAT: Format = Format {
    id: "iree",
    name: "IREE kernel-benchmark CSV",
    produced_by: "iree-kernel-benchmark, and its hipBLASLt and rocBLAS runs",
    example: "index,tag,name,M,N,K,dtype,A,B,mean_microseconds,arithmetic_intensity,tflops,ok\n\
              0,unet,hipblaslt,128,1280,2048,fp16,N,T,13.58,110.1,49.4,True\n",
    read: ReadBy::Table(&TableFormat {
        signatures: &[
            &["M", "N", "K", "mean_microseconds", "arithmetic_intensity"],
            &["M", "N", "K", "mean_microseconds", "vmfb_hash"],
        ],
        columns: &[
            number(&["mean_microseconds"], Time, MICRO),
            column(&["dtype"], Dtype),
            column(&["tA", "A"], TransA),
            column(&["tB", "B"], TransB),
            verdict(&["ok"], Ignore),
            column(&["tag"], Model),
            // With the hash of a compiled program the name is a kernel, otherwise a backend.
            column(&["name"], Kernel).beside("vmfb_hash"),
            column(&["name"], Library),
            number(&["tflops"], ReportedRate, TERA),
            column(&["arithmetic_intensity"], ReportedIntensity),
            // Titled percent, but a fraction.
            column(&["roofline_percent"], ReportedEfficiency),
        ],
        device: Some(("mi300x", "The file names no device: these benchmarks run on MI300X.")),
        hook: Some(dynamic_sizes),
        ..TableFormat::DEFAULT
    }),
};

/// Replaces dynamic sizes by those in `runtime_dim`: `D=512`, or `D0=512,D1=64` in the order of the placeholders.
fn dynamic_sizes(cells: &mut Cells<'_, '_>) -> Result<Given, RowError> {
    let sizes = ["M", "N", "K"].map(|n| cell::size(cells.get(n)));
    if !sizes.contains(&Err(CellError::Sentinel)) {
        return Ok(Given::default());
    }
    let text = cells.text("runtime_dim");
    let mut known = text
        .split([',', ';', ' '])
        .filter_map(|part| part.split_once('=')?.1.trim().parse().ok())
        .filter(|&v: &u32| v > 0);
    let mut last = None;
    let sizes = sizes.map(|size| match size {
        Err(CellError::Sentinel) => {
            last = known.next().or(last);
            last
        }
        size => size.ok(),
    });
    Ok(match sizes {
        [Some(m), Some(n), Some(k)] => Given { sizes: Some([m, n, k]), ..Given::default() },
        _ => Given::default(),
    })
}
