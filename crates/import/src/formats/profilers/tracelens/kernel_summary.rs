//! `kernel_summary.csv`: the kernels of a trace by time, without shapes. Until the user names the
//! shapes it is a ranking.

use super::super::profile::{LaunchColumns, Profile, TIMES_ONLY};
use super::columns::plain;
use crate::{
    Delimited, Detection, Format, Head, Header, ImportError, ImportOptions, Imported, Opened,
    ReadBy, Record, RowReader,
};
use gemmscope_table::build::TableBuilder;

pub(crate) const FORMAT: Format = Format {
    id: "tracelens_kernels",
    name: "TraceLens kernel summary",
    produced_by: "TraceLens_generate_perf_report_pytorch --output_csvs_dir \
                  (kernel_summary.csv); GEMM.csv beside it has the shapes",
    example: "Parent op category,Parent cpu_op,Kernel name,Kernel stream,Kernel duration (µs)_sum,Kernel duration (µs)_count,Kernel duration (µs)_mean,Kernel duration (µs)_min,Kernel duration (µs)_max,Percent of kernels time (%)\n\
              GEMM,aten::mm,Cijk_Alik_Bljk_BBS_BH_MT128x224x64_MI16x16x1_SN,0,5308.27,48,110.589,109.1,112.5,45.6\n",
    read: ReadBy::Code {
        detect: |head: &Head| {
            let header = titles(Header::of_line(head.first()));
            header.has(&["Kernel name", "Kernel duration (us)_sum"]).then(|| {
                Detection::new(95, "the header has Kernel name and Kernel duration (µs)_sum")
            })
        },
        open: |head: &Head, options: &ImportOptions| -> Opened {
            let mut table = TableBuilder::new();
            let rows = Summary { profile: Profile::new(&mut table, head, options), header: None };
            Ok(Delimited::open(rows, table))
        },
    },
};

const COLUMNS: LaunchColumns = LaunchColumns {
    kernel: "Kernel name",
    time: &["Kernel duration (us)_mean"],
    calls: "Kernel duration (us)_count",
    spread: [&["Kernel duration (us)_min"], &["Kernel duration (us)_max"], &[]],
    ..LaunchColumns::NONE
};

/// The header with one spelling of `µs`.
fn titles(mut header: Header) -> Header {
    for name in &mut header.names {
        *name = plain(name).into_owned();
    }
    header
}

struct Summary {
    profile: Profile,
    header: Option<Header>,
}

impl RowReader for Summary {
    fn record(&mut self, record: &Record<'_>, table: &mut TableBuilder) -> Result<(), ImportError> {
        let Some(h) = &self.header else {
            self.header = Some(titles(Header::new(record)));
            return Ok(());
        };
        let Some(mut launch) = COLUMNS.launch(h, record, |_| 1e-6) else {
            table.note(format!("Line {} is not a kernel.", record.line()));
            return Ok(());
        };
        if launch.time_s.is_nan() {
            let sum = h.number(record, &["Kernel duration (us)_sum"]);
            launch.time_s = sum.unwrap_or(f64::NAN) / 1e6 / launch.calls;
        }
        if launch.calls.is_nan() || launch.calls <= 0.0 {
            launch.calls = 1.0;
        }
        self.profile.push(launch);
        Ok(())
    }

    fn end(self: Box<Self>, mut table: TableBuilder) -> Result<Imported, ImportError> {
        table.note(TIMES_ONLY);
        table.note("Shapes are in GEMM.csv of the same report: drop it here too.");
        Ok(self.profile.finish(table))
    }
}
