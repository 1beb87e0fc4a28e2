//! CUTLASS profiler: `report.gemm.csv`, or the same after `CSV Results:` in its output.
//!
//! Runtime is in ms. `Flops` counts 2 M N K + 2 M N, `GB/s` is GiB/s, `Flops/Byte` is an integer
//! division. A layout of `column` is N, `row` is T of the column-major call. Rows that were run
//! but found `incorrect` have numbers that look fine: they are set aside.

use super::extras::Extras;
use super::{
    Bad, Col, Delimited, Detection, Dialect, Flaw, Format, Head, Header, ImportError,
    ImportOptions, Imported, Reader, Record, Row, RowReader, TableBuilder,
};
use crate::dataset::Role;
use crate::dtype::DataType;
use crate::gemm::Operation;

/// Entry of the table of formats.
pub const FORMAT: Format = Format {
    id: "cutlass",
    name: "CUTLASS profiler",
    produced_by: "cutlass_profiler --operation=Gemm --m=4096 --n=4096 --k=4096 --output=report.csv",
    example: "Problem,Provider,OperationKind,Operation,Disposition,Status,m,n,k,A,B,C,alpha,beta,split_k_slices,batch_count,op_class,accum,cta_m,cta_n,cta_k,stages,Bytes,Flops,Runtime,GB/s,GFLOPs\n\
              1,CUTLASS,gemm,cutlass_tensorop_h16816gemm_256x128_32x3_nn_align8,passed,success,4096,4096,4096,f16:column,f16:column,f16:column,1,0,1,1,tensorop,f16,256,128,32,3,100663296,137472507904,0.59,158.9,233004\n",
    detect,
    open,
};

fn detect(head: &Head) -> Option<Detection> {
    head.line_with(&["OperationKind", "Disposition", "Runtime"])?;
    Some(Detection::new(
        98,
        "the header has OperationKind, Disposition and Runtime",
    ))
}

fn open(_: &Head, options: &ImportOptions) -> Result<Box<dyn Reader>, ImportError> {
    let mut table = TableBuilder::new();
    let device = options.answer("device").unwrap_or_default().to_owned();
    let code = table.device(&device);
    Ok(Box::new(Delimited::new(
        Dialect::COMMA,
        Cutlass {
            cols: None,
            device,
            code,
            preamble: 0,
            sparse: 0,
            others: 0,
            table,
        },
    )))
}

/// Header name, role, factor to SI.
const NUMBERS: [(&str, Role, f64); 9] = [
    ("cta_m", Role::TileM, 1.0),
    ("cta_n", Role::TileN, 1.0),
    ("cta_k", Role::TileK, 1.0),
    ("split_k_slices", Role::SplitK, 1.0),
    ("stages", Role::Stages, 1.0),
    ("Bytes", Role::ReportedBytes, 1.0),
    ("Flops", Role::ReportedWork, 1.0),
    ("GB/s", Role::ReportedBandwidth, 1_073_741_824.0),
    ("GFLOPs", Role::ReportedRate, 1e9),
];

#[derive(Debug)]
struct Cols {
    header: Vec<String>,
    kind: Col,
    disposition: Col,
    status: Option<Col>,
    sizes: [Col; 3],
    operands: [Option<Col>; 4],
    beta: Option<Col>,
    batch: Option<Col>,
    class: Option<Col>,
    time: Col,
    extras: Extras,
}

#[derive(Debug)]
struct Cutlass {
    cols: Option<Cols>,
    device: String,
    code: u16,
    preamble: u64,
    sparse: u64,
    others: u64,
    table: TableBuilder,
}

impl Cutlass {
    fn header(&mut self, record: &Record<'_>) -> Option<Cols> {
        let h = Header::new(record);
        let t = &mut self.table;
        let kind = h.find(&["OperationKind"])?;
        let disposition = h.find(&["Disposition"])?;
        let [m, n, k] = ["m", "n", "k"].map(|s| h.find(&[s]));
        let sizes = [m?, n?, k?];
        let time = h.find(&["Runtime"])?;
        let operands = ["A", "B", "C", "D"].map(|s| h.find(&[s]));
        let (beta, batch) = (h.find(&["beta"]), h.find(&["batch_count"]));
        let (class, status) = (h.find(&["op_class"]), h.find(&["Status"]));
        let mut used: Vec<usize> = sizes
            .iter()
            .chain([&time, &disposition])
            .map(|c| c.index)
            .collect();
        used.extend(operands.iter().flatten().chain(&batch).map(|c| c.index));
        let extras = Extras::new(
            &h,
            t,
            used,
            &[("Operation", Role::Kernel), ("Provider", Role::Library)],
            &NUMBERS,
        );
        Some(Cols {
            header: h.names,
            kind,
            disposition,
            status,
            sizes,
            operands,
            beta,
            batch,
            class,
            time,
            extras,
        })
    }
}

impl RowReader for Cutlass {
    fn record(&mut self, record: &Record<'_>) -> Result<(), ImportError> {
        let Some(cols) = &self.cols else {
            self.cols = self.header(record);
            self.preamble += u64::from(self.cols.is_none());
            return Ok(());
        };
        if record.len() == cols.header.len() && record.text(cols.kind.index) == "OperationKind" {
            return Ok(()); // a second run appended to the file
        }
        let kind = record.text(cols.kind.index);
        let row = if record.len() + 4 < cols.header.len() {
            // The profiler's closing words, not a result.
            Err(Bad::new("fewer fields than the header names"))
        } else if kind.contains("gemm") {
            self.sparse += u64::from(kind.contains("spgemm"));
            row(cols, record).map(|mut r| {
                r.device = self.code;
                r
            })
        } else {
            self.others += 1;
            Err(cols.kind.bad(record, "operation", Flaw::Failed)).map_err(|b| Bad {
                reason: "not a GEMM (OperationKind)".into(),
                ..b
            })
        };
        let t = &mut self.table;
        cols.extras.stage(t, record);
        t.commit(record, row);
        Ok(())
    }

    fn finish(mut self) -> Result<Imported, ImportError> {
        let t = &mut self.table;
        if self.preamble > 0 {
            t.note(format!(
                "{} lines before the header are no results.",
                self.preamble
            ));
        }
        if self.sparse > 0 {
            t.note(format!(
                "{} rows are structured-sparse kernels (spgemm): half of A is skipped, so they may lie above the dense roof.",
                self.sparse
            ));
        }
        t.note("GB/s of this tool is GiB/s, and its FLOP count is 2 M N K + 2 M N.");
        t.assume_device(&self.device, "The file does not name the device.");
        Ok(Imported::table(self.table.finish()))
    }

    fn rows(&self) -> u64 {
        self.table.rows_read()
    }
}

fn row(cols: &Cols, record: &Record<'_>) -> Result<Row, Bad> {
    if let Some(p) = record.problem() {
        return Err(Bad::new(p));
    }
    let disposition = record.text(cols.disposition.index);
    if !matches!(&*disposition, "passed" | "not_verified" | "") {
        return Err(Bad {
            reason: format!("Disposition is {disposition}"),
            column: cols.disposition.index as u32 + 1,
            text: disposition.into_owned(),
        });
    }
    if let Some(c) = &cols.status {
        c.verdict(record)?;
    }
    let [m, n, k] = &cols.sizes;
    let (m, n, k) = (
        m.size(record, "M")?,
        n.size(record, "N")?,
        k.size(record, "K")?,
    );
    let time_s = cols.time.positive(record, "time", 1e-3)?;
    let operand = |c: &Option<Col>| -> Result<Option<(DataType, bool)>, Bad> {
        let Some(c) = c else { return Ok(None) };
        let text = record.text(c.index);
        if text.is_empty() {
            return Ok(None);
        }
        let (name, layout) = text.split_once(':').unwrap_or((&text, "column"));
        match DataType::parse(name) {
            Some(t) => Ok(Some((t, layout.starts_with("row") || layout == "t"))),
            None => Err(c.bad(record, "data type", Flaw::NotANumber)),
        }
    };
    let [a, b, c, d] = &cols.operands;
    let (Some((ta, trans_a)), Some((tb, trans_b))) = (operand(a)?, operand(b)?) else {
        return Err(Bad::new("types of A and B are missing"));
    };
    let out = operand(d)?
        .or(operand(c)?)
        .map_or_else(|| ta.default_output(), |(t, _)| t);
    let mut op = Operation::mixed(ta, tb, out).with_layout(trans_a, trans_b);
    // fp32 operands on tensor cores are multiplied as tf32.
    let tensor = cols
        .class
        .as_ref()
        .is_some_and(|c| c.cell(record) == b"tensorop");
    if tensor && op.compute == DataType::Fp32 {
        op.compute = DataType::Tf32;
    }
    op.beta = cols
        .beta
        .as_ref()
        .and_then(|c| record.number(c.index))
        .is_some_and(|v| v != 0.0);
    let mut row = Row::new(m, n, k, op, time_s);
    if let Some(c) = &cols.batch {
        row.batch = c.size(record, "batch")?;
    }
    Ok(row)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::Dataset;
    use crate::import::read_all;

    fn shared(path: &str) -> Option<Dataset> {
        let full = format!("{}/../shared/data/{path}", env!("CARGO_MANIFEST_DIR"));
        let Ok(bytes) = std::fs::read(full) else {
            eprintln!("skipped: {path} is not here");
            return None;
        };
        match read_all("x", &bytes, &ImportOptions::default()) {
            Ok(Imported::Table(d)) => Some(*d),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn simt_fp32_of_a_real_run() {
        let Some(d) = shared("cutlass_profiler/superbench_fp32.gemm.csv") else {
            return;
        };
        assert_eq!((d.len(), d.sources[0].format.as_str()), (4, "cutlass"));
        assert_eq!(d.sources[0].reported_rate.within_1_percent, 4);
        assert_eq!(d.problem(0).op.compute, DataType::Fp32);
        assert_eq!(
            d.number(Role::ReportedWork, 0),
            d.problem(0).work_cutlass().0
        );
        let gib = d.number(Role::ReportedBandwidth, 0) * d.time_s[0];
        assert!((gib / d.number(Role::ReportedBytes, 0) - 1.0).abs() < 0.01);
    }

    #[test]
    fn incorrect_results_are_no_points() {
        let Some(d) = shared("cutlass_profiler/superbench_stdout_fp16_tc.txt") else {
            return;
        };
        let s = &d.sources[0];
        assert_eq!((s.rows_read, s.rows_used), (4, 0));
        assert_eq!(s.set_aside.reasons[0].text, "Disposition is incorrect");
    }
}
