//! TraceLens reports: GEMM tables extracted from a PyTorch or JAX trace, and accompanying files.
//!
//! The column order varies, so columns are found by name; cells hold printed Python values; "MB" is MiB; the layout is
//! that of the column-major BLAS call; a wrapper and the operation it calls are both listed with the same time.

mod columns;
mod context;
mod kernel_summary;
mod kernels;
mod shape;
mod table;

pub(crate) use kernel_summary::FORMAT as KERNELS_FORMAT;
pub(crate) use kernels::library;
pub(crate) use shape::{FoundExperts, from_operands};

use crate::columns::defaults;
use crate::columns::header::Header;
use crate::reader::Whole;
use crate::{Claim, Delimited, Format, Head, ImportError, ImportOptions, Imported, Opened, ReadBy};
use columns::plain;
use gemmscope_table::build::TableBuilder;
use table::Table;

/// `GEMM.csv` and its siblings.
pub(crate) const FORMAT: Format = Format {
    id: "tracelens",
    name: "TraceLens GEMM table",
    produced_by: "TraceLens_generate_perf_report_pytorch --output_csvs_dir (GEMM.csv, \
                  unified_perf_summary.csv, ops_unique_args.csv), its agent's \
                  category_data/gemm_ops.csv, and comparisons of two reports",
    example: "name,param: B,param: M,param: N,param: K,param: bias,param: dtype_A_B,\
              Kernel Time (µs)_mean,Kernel Time (µs)_sum,name_count\n\
              aten::mm,1,8944,2816,1024,False,\"('c10::BFloat16', 'c10::BFloat16')\",\
              110.589,5308.27,48\n",
    read: ReadBy::Code { claim, open },
};

/// The JSON files and the timeline that accompany the table.
pub(crate) const CONTEXT_FORMAT: Format = Format {
    id: "tracelens_context",
    name: "TraceLens report context",
    produced_by: "TraceLens (gpu_timeline.csv) and its agent (metadata/gemm_metadata.json, \
                  category_data/gemm_metrics.json, gemm_tree_data.json, category_manifest.json)",
    example: "{\"platform\": \"MI300X\", \"peak_hbm_bw_tbs\": 5.3, \
              \"max_achievable_tflops\": {\"matrix_bf16\": 708}}\n",
    read: ReadBy::Code { claim: claim_context, open: open_context },
};

fn claim(head: &Head) -> Option<Claim> {
    let header = Header::of_line(head.first());
    let names: Vec<_> = header.names.iter().map(|n| plain(n)).collect();
    let has = |name: &str| names.iter().any(|n| n == name);
    if let Some(label) = columns::labels(&header).first() {
        columns::Columns::find(&header, label)?;
        return Some(Claim::signature(1));
    }
    columns::Columns::find(&header, "")?;
    let sized = has("param: M") || has("param: num_tokens") && has("param: num_experts");
    if sized && (has("Kernel Time (us)_mean") || has("Kernel Time (us)_sum"))
        || has("op category") && (has("ex_UID") || has("operation_count"))
    {
        Some(Claim::signature(2))
    } else if has("source_category") && has("param_signature") {
        Some(Claim::signature(1))
    } else {
        None
    }
}

fn open(_: &Head, options: &ImportOptions) -> Opened {
    let mut table = TableBuilder::new();
    defaults::chosen_device(&mut table, options);
    Ok(Delimited::open(Table::default(), table))
}

fn claim_context(head: &Head) -> Option<Claim> {
    context::part(head).map(|_| Claim::signature(1))
}

fn open_context(head: &Head, _: &ImportOptions) -> Opened {
    match context::part(head) {
        Some(part) => Ok(Whole::open(64, "a small JSON of a trace report", move |text| {
            Ok(Imported::Context(Box::new((part.read)(text)?)))
        })),
        None => Err(ImportError::new(
            "expected a JSON file of a TraceLens report (metadata, metrics, tree data, manifest) \
             or gpu_timeline.csv",
        )),
    }
}

#[cfg(test)]
mod tests;
