//! DeepBench results: a sheet exported as CSV. A title row gives the precision, `Dense Matrix
//! Multiplication` starts the section, the next title ends it; some columns have no name. A section
//! of sparse multiplications measures the dense ones beside them: those are its rows.

use crate::cell::values;
use crate::columns::defaults;
use crate::{
    CellError, Col, Delimited, Detection, Format, Head, Header, ImportError, ImportOptions,
    Imported, Opened, ReadBy, Record, RowReader, sniff_dialect,
};
use gemmscope_model::dtype::{DataType, from_deepbench_precision};
use gemmscope_model::gemm::Operation;
use gemmscope_table::build::cell_text::RowError;
use gemmscope_table::build::{ColumnId, Row, TableBuilder};
use gemmscope_table::dataset::ColumnMeaning;

pub(crate) const FORMAT: Format = Format {
    id: "deepbench",
    name: "DeepBench sheet (CSV)",
    produced_by: "a sheet of DeepBench's results/**/*.xlsx saved as CSV",
    example: "Precision,\"16 bit inputs, 16 bit multiplication, 32 bit addition\"\n\
              Dense Matrix Multiplication,,M,N,K,A Transpose,B Transpose,,Time (msec),TERAFLOPS\n\
              ,DeepSpeech,1760,16,1760,N,N,,0.02,4.956\n",
    read: ReadBy::Code { detect, open },
};

const TITLES: [&str; 2] = [
    "Dense Matrix Multiplication",
    "Sparse Matrix Multiplication",
];

/// Rates by the name of their column.
const RATES: [(&str, f64); 2] = [("TERAFLOPS", 1e12), ("GIGAFLOPS", 1e9)];

fn detect(head: &Head) -> Option<Detection> {
    let titled = head
        .lines
        .iter()
        .any(|l| l.trim_start_matches(['"', ',', ' ']).starts_with(TITLES[0]));
    let precision = head.first().starts_with("Precision");
    let columns = head
        .lines
        .iter()
        .any(|l| l.contains("A Transpose") && RATES.iter().any(|r| l.contains(r.0)));
    (columns && (titled || precision)).then(|| {
        Detection::new(
            96,
            "a Precision row and a section of dense matrix multiplications",
        )
    })
}

fn open(head: &Head, options: &ImportOptions) -> Opened {
    let mut table = TableBuilder::new();
    let device = defaults::device(&mut table, head, options);
    let ids = Ids {
        model: table.text_column(ColumnMeaning::Model, "application"),
        rate: table.number_column(ColumnMeaning::ReportedRate, "TERAFLOPS"),
    };
    let rows = DeepBench {
        ids,
        device,
        chosen: options.dtype("dtype"),
        dtype: None,
        cols: None,
        sparse: false,
        other: 0,
    };
    Ok(Delimited::open(sniff_dialect(&head.lines), rows, table))
}

#[derive(Debug)]
struct Ids {
    model: ColumnId,
    rate: ColumnId,
}

#[derive(Debug)]
struct Cols {
    sizes: [Col; 3],
    trans: [Option<Col>; 2],
    time: Col,
    rate: Option<(Col, f64)>,
    sparse: Vec<(usize, ColumnId)>,
    padded: Option<(usize, ColumnId)>,
}

struct DeepBench {
    ids: Ids,
    device: u16,
    chosen: Option<DataType>,
    dtype: Option<DataType>,
    cols: Option<Cols>,
    /// A section of sparse multiplications was read.
    sparse: bool,
    /// Rows of the other sections.
    other: u64,
}

impl DeepBench {
    fn header(record: &Record<'_>, table: &mut TableBuilder) -> Option<Cols> {
        let h = Header::new(record);
        let (m, n, k) = (h.find(&["M"])?, h.find(&["N"])?, h.find(&["K"])?);
        let starting = |word: &str| {
            let starts = |n: &String| n.trim().to_ascii_lowercase().starts_with(word);
            h.names.iter().position(starts)
        };
        let time = starting("time").or_else(|| starting("dense time"))?;
        let sparse = ["Sparsity", "Sparse Time (msec)"]
            .iter()
            .filter_map(|n| h.find(&[n]))
            .map(|c| (c.index, table.auto_column(&c.name)))
            .collect();
        let padded = h
            .find(&["Padded Kernels"])
            .map(|c| (c.index, table.auto_column(&c.name)));
        Some(Cols {
            sizes: [m, n, k],
            trans: [h.find(&["A Transpose"]), h.find(&["B Transpose"])],
            time: Col {
                index: time,
                name: h.names[time].trim().to_owned(),
            },
            rate: RATES
                .iter()
                .find_map(|(name, scale)| Some((h.find(&[name])?, *scale))),
            sparse,
            padded,
        })
    }

    fn row(&self, cols: &Cols, record: &Record<'_>) -> Result<Row, RowError> {
        if let Some(p) = record.problem() {
            return Err(RowError::new(p));
        }
        let [m, n, k] = &cols.sizes;
        let (m, n, k) = (
            m.size(record, "M")?,
            n.size(record, "N")?,
            k.size(record, "K")?,
        );
        let time_s = cols.time.positive(record, "time", 1e-3)?;
        let flag = |c: &Option<Col>| -> Result<bool, RowError> {
            let Some(c) = c else { return Ok(false) };
            values::transpose(&record.text(c.index))
                .ok_or_else(|| c.bad(record, "transpose", CellError::NotATranspose))
        };
        let dtype = self.chosen.or(self.dtype).unwrap_or(DataType::Fp32);
        let op =
            Operation::uniform(dtype).with_layout(flag(&cols.trans[0])?, flag(&cols.trans[1])?);
        let mut row = Row::new(m, n, k, op, time_s);
        row.device = self.device;
        Ok(row)
    }
}

impl RowReader for DeepBench {
    fn record(&mut self, record: &Record<'_>, table: &mut TableBuilder) -> Result<(), ImportError> {
        let first = record.text(0);
        if first.eq_ignore_ascii_case("Precision") {
            let text: Vec<String> = (1..record.len())
                .map(|i| record.text(i).into_owned())
                .collect();
            let text = text.join(", ");
            self.dtype = from_deepbench_precision(&text).map(|t| t.0);
            table.note(format!("Precision: {}.", text.trim_matches([',', ' '])));
            return Ok(());
        }
        if record.iter().all(<[u8]>::is_empty) {
            return Ok(());
        }
        if !first.is_empty() || self.cols.is_none() {
            // The title of a section is the header of its columns.
            let dense = TITLES.iter().any(|t| first.eq_ignore_ascii_case(t));
            self.cols = if dense || first.is_empty() {
                Self::header(record, table)
            } else {
                None
            };
            return Ok(());
        }
        let Some(cols) = &self.cols else {
            self.other += 1;
            return Ok(());
        };
        let row = self.row(cols, record);
        let t = table;
        t.set_text(self.ids.model, record.get(1));
        if let Some((c, scale)) = &cols.rate {
            t.set_number(self.ids.rate, c.number(record, *scale));
        }
        for &(i, id) in &cols.sparse {
            t.set_auto(id, record.get(i), record.number(i));
        }
        self.sparse |= !cols.sparse.is_empty();
        if let Some((i, id)) = cols.padded {
            t.set_auto(id, record.get(i), record.number(i));
        }
        t.commit(record.line(), record.raw(), row);
        Ok(())
    }

    fn end(self, mut table: TableBuilder) -> Result<Imported, ImportError> {
        if self.dtype.is_none() || self.chosen.is_some() {
            let dtype = self.chosen.unwrap_or(DataType::Fp32);
            table.assume_dtype(dtype, "The sheet does not say its precision");
        }
        if self.sparse {
            table.note("Of the sparse multiplications the dense time is taken; sparsity and sparse time are columns.");
        }
        if self.other > 0 {
            table.note(format!(
                "{} rows of other sections (convolutions, recurrent layers, all-reduce) are no GEMMs.",
                self.other
            ));
        }
        Ok(Imported::table(table.finish()))
    }
}
