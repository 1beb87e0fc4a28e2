//! DeepBench results: a spreadsheet exported as CSV. A title row states the precision, `Dense Matrix Multiplication`
//! starts the section, the next title ends it; some columns are untitled.

use super::*;
use crate::columns::defaults;
use crate::columns::defaults::NO_TYPE;
use crate::columns::plan::Plan;
use crate::columns::plan_rows::{PlanRows, TableReader, What};
use crate::{Header, ImportOptions, Opened, Record};
use gemmscope_model::dtype::from_deepbench_precision;
use gemmscope_model::units::plural;
use gemmscope_table::build::TableBuilder;

pub(crate) const FORMAT: Format = Format {
    id: "deepbench",
    name: "DeepBench sheet (CSV)",
    produced_by: "a sheet of DeepBench's results/**/*.xlsx saved as CSV",
    example: "Precision,\"16 bit inputs, 16 bit multiplication, 32 bit addition\"\n\
              Dense Matrix Multiplication,,M,N,K,A Transpose,B Transpose,,Time (msec),TERAFLOPS\n\
              ,DeepSpeech,1760,16,1760,N,N,,0.02,4.956\n",
    read: ReadBy::Code { claim, open },
};

const TITLES: [&str; 2] = ["Dense Matrix Multiplication", "Sparse Matrix Multiplication"];

fn claim(head: &Head) -> Option<Claim> {
    let titled =
        head.lines.iter().any(|l| l.trim_start_matches(['"', ',', ' ']).starts_with(TITLES[0]));
    let precision = head.first().starts_with("Precision");
    let columns = head.lines.iter().any(|l| {
        l.contains("A Transpose") && ["TERAFLOPS", "GIGAFLOPS"].iter().any(|r| l.contains(r))
    });
    (columns && (titled || precision)).then(|| Claim::signature(2))
}

fn open(head: &Head, options: &ImportOptions) -> Opened {
    let mut table = TableBuilder::new();
    let sheet = DeepBench {
        device: defaults::device(&mut table, head, options),
        chosen: options.dtype("dtype"),
        ..DeepBench::default()
    };
    Ok(PlanRows::open(sheet, &head.name, None, table))
}

const COLUMNS: TableFormat = TableFormat {
    columns: &[
        column(&["application"], Model),
        column(&["A Transpose"], TransA),
        column(&["B Transpose"], TransB),
        number(&["Time (msec)", "Time (ms)", "Time", "Dense Time (msec)"], Time, MILLI),
        number(&["TERAFLOPS"], ReportedRate, TERA),
        number(&["GIGAFLOPS"], ReportedRate, GIGA),
    ],
    ..TableFormat::DEFAULT
};

#[derive(Default)]
struct DeepBench {
    device: u16,
    chosen: Option<DataType>,
    /// Type stated by the sheet or the section.
    dtype: Option<DataType>,
    /// The type comes from the sheet's title, which describes its dense section.
    of_dense: bool,
    /// Within a section of GEMMs.
    inside: bool,
    /// A section of sparse GEMMs was read.
    sparse: bool,
    /// The sparse section states no type of its own.
    sparse_untyped: bool,
    /// Number of rows in other sections.
    other: u64,
}

/// Type stated in words by a line between sections.
fn section_type(text: &str) -> Option<DataType> {
    let lower = text.to_lowercase();
    let at = lower.find("precision").or_else(|| lower.find(" bit"))?;
    let before = lower[..at].trim_end();
    let word = before.rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or("");
    Some(match word {
        "single" | "fp32" | "32" => DataType::Fp32,
        "half" | "fp16" | "16" => DataType::Fp16,
        "double" | "fp64" | "64" => DataType::Fp64,
        "int8" | "8" => DataType::Int8,
        _ => return None,
    })
}

impl TableReader for DeepBench {
    fn plan(&mut self, header: &Header, table: &mut TableBuilder) -> Option<Plan> {
        // The application column has no title.
        let mut header = header.clone();
        if let Some(second) = header.names.get_mut(1).filter(|n| n.is_empty()) {
            "application".clone_into(second);
        }
        // Sparse kernels and the dense ones listed with them are another benchmark, whose sheets state
        // single precision if anything.
        let untyped = header.has(&["Sparsity"]) && self.of_dense;
        self.sparse_untyped |= untyped;
        let stated = self.dtype.filter(|_| !untyped);
        let dtype = self.chosen.or(stated).unwrap_or(DataType::Fp32);
        let plan = COLUMNS.plan(&header, table);
        Some(Plan { default_dtype: Some(dtype), default_device: self.device, ..plan })
    }

    fn has_sections(&self) -> bool {
        true
    }

    fn what(&mut self, record: &Record<'_>, _: Option<&Plan>, table: &mut TableBuilder) -> What {
        let first = record.text(0);
        let said: Vec<_> = (0..record.len()).map(|i| record.text(i)).collect();
        if first.eq_ignore_ascii_case("Precision") {
            let text = said[1..].join(", ");
            self.dtype = from_deepbench_precision(&text).map(|t| t.0);
            self.of_dense = true;
            table.note(format!("Precision: {}.", text.trim_matches([',', ' '])));
            return What::Nothing;
        }
        let said = said.join(" ");
        // A section may state its own type: `Sparse Ops, RNN: single precision`.
        if let Some(dtype) = section_type(&said).filter(|_| record.number(2).is_none()) {
            self.dtype = Some(dtype);
            self.of_dense = false;
            table.note(format!("Precision from “{}”: {}.", said.trim(), dtype.name()));
            self.inside = false;
            return What::Nothing;
        }
        let header = Header::new(record);
        let titled = first.is_empty() || TITLES.iter().any(|t| first.eq_ignore_ascii_case(t));
        if titled && header.has(&["M", "N", "K"]) {
            self.sparse |= header.has(&["Sparsity"]);
            self.inside = true;
            return What::Header;
        }
        if !first.is_empty() {
            // Title of another section.
            self.inside = false;
        } else if !said.trim().is_empty() {
            if self.inside {
                return What::Row;
            }
            // A header is not a row.
            self.other += u64::from((1..record.len()).any(|i| record.number(i).is_some()));
        }
        What::Nothing
    }

    fn remark(&self, table: &mut TableBuilder) {
        if self.dtype.is_none() || self.chosen.is_some() {
            let dtype = self.chosen.unwrap_or(DataType::Fp32);
            table.assume_dtype(dtype, NO_TYPE);
        } else if self.sparse_untyped {
            table.assume_dtype(DataType::Fp32, "The sparse section states no type");
        }
        if self.sparse {
            table.note("Sparse rows use the dense time; sparsity and sparse time are columns.");
        }
        if self.other > 0 {
            table.note(format!(
                "{} of other sections (convolutions, recurrent layers, all-reduce) left out.",
                plural(self.other, "row")
            ));
        }
    }
}
