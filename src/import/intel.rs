//! Reports of Intel's Triton benchmarks: the parameters of a run as JSON in one cell, one rate.

use super::{
    Bad, Col, ColumnId, Delimited, Detection, Dialect, Format, Head, Header, ImportError,
    ImportOptions, Imported, Reader, Record, Row, RowReader, TableBuilder, cell, unsaid,
};
use crate::dataset::Role;
use crate::gemm::Operation;
use serde_json::Value;

/// Entry of the table of formats.
pub const FORMAT: Format = Format {
    id: "intel-triton",
    name: "Intel Triton benchmark report",
    produced_by: "python build_report.py matmul-performance.csv report.csv --benchmark gemm --compiler triton --param_cols B,M,K,N --tflops_col Triton-TFlops --hbm_col Triton-GB/s (intel-xpu-backend-for-triton)",
    example: "params,tflops,hbm_gbs,run_uuid,datetime,benchmark,compiler,gpu_device\n\
              \"{\"\"B\"\": 1, \"\"M\"\": 4096, \"\"K\"\": 4096, \"\"N\"\": 4096}\",281.3,206.1,0c3d,2025-05-05 07:00:00,gemm,triton,Intel(R) Data Center GPU Max 1550\n",
    detect: |head: &Head| {
        let has = |l: &str| l.starts_with("params,") && l.contains("tflops");
        (has(head.first()) && head.lines.iter().any(|l| l.contains("{\"\""))).then(|| {
            Detection::new(
                95,
                "the header has params and tflops, the rows JSON in a cell",
            )
        })
    },
    open,
};

fn open(head: &Head, options: &ImportOptions) -> Result<Box<dyn Reader>, ImportError> {
    let mut table = TableBuilder::new();
    let dtype = unsaid::dtype(&mut table, head, options, crate::dtype::DataType::Bf16);
    table.rates_are_not_independent();
    table.note("Times are computed from the rates, with 2MNK operations a call.");
    Ok(Box::new(Delimited::new(
        Dialect::COMMA,
        Report {
            library: table.text_column(Role::Library, "compiler"),
            op_name: table.text_column(Role::OpName, "benchmark"),
            rate: table.number_column(Role::ReportedRate, "tflops"),
            bandwidth: table.number_column(Role::ReportedBandwidth, "hbm_gbs"),
            op: Operation::uniform(dtype),
            answer: options.answer("device").map(|d| table.device(d)),
            table,
            plan: None,
        },
    )))
}

struct Plan {
    params: Col,
    rate: Col,
    bandwidth: Option<Col>,
    compiler: Option<Col>,
    benchmark: Option<Col>,
    device: Option<Col>,
    rest: Vec<(usize, ColumnId)>,
}

struct Report {
    table: TableBuilder,
    library: ColumnId,
    op_name: ColumnId,
    rate: ColumnId,
    bandwidth: ColumnId,
    op: Operation,
    answer: Option<u16>,
    plan: Option<Plan>,
}

impl Report {
    fn plan(&mut self, h: &Header) -> Option<Plan> {
        let (params, rate) = (h.find(&["params"])?, h.find(&["tflops"])?);
        let optional = |n: &str| h.find(&[n]);
        let plan = Plan {
            bandwidth: optional("hbm_gbs"),
            compiler: optional("compiler"),
            benchmark: optional("benchmark"),
            device: optional("gpu_device"),
            rest: Vec::new(),
            params,
            rate,
        };
        let taken: Vec<usize> = [
            &plan.bandwidth,
            &plan.compiler,
            &plan.benchmark,
            &plan.device,
        ]
        .into_iter()
        .flatten()
        .chain([&plan.params, &plan.rate])
        .map(|c| c.index)
        .collect();
        Some(Plan {
            rest: super::wide::rest(h, &mut self.table, &taken),
            ..plan
        })
    }
}

/// M, N, K and batch of the parameters; what of them is no whole number is no size.
fn shape(text: &str) -> Result<[u32; 4], Bad> {
    let params: Value =
        serde_json::from_str(text).map_err(|_| Bad::new("params is no JSON object"))?;
    let size = |name: &str| match params.get(name) {
        None => Err(Bad::new("not a GEMM (params without M, N, K)")),
        Some(v) => cell::size(v.to_string().trim_matches('"').as_bytes(), false)
            .map_err(|flaw| Bad::new(format!("{name} {flaw}"))),
    };
    let batch = match params.get("B").or(params.get("Z")) {
        Some(_) => size("B").or_else(|_| size("Z"))?,
        None => 1,
    };
    Ok([size("M")?, size("N")?, size("K")?, batch])
}

impl RowReader for Report {
    fn record(&mut self, record: &Record<'_>) -> Result<(), ImportError> {
        let Some(plan) = self.plan.take() else {
            self.plan = self.plan(&Header::new(record));
            return Ok(());
        };
        let text = |c: &Option<Col>| {
            c.as_ref()
                .map_or_else(String::new, |c| record.text(c.index).into_owned())
        };
        let rate = record
            .number(plan.rate.index)
            .filter(|v| *v > 0.0 && v.is_finite());
        let row = shape(&record.text(plan.params.index)).and_then(|[m, n, k, batch]| {
            if let Some(problem) = record.problem() {
                return Err(Bad::new(problem.to_string()));
            }
            let rate = rate.ok_or_else(|| Bad::new("rate is missing or zero"))?;
            let mut row = Row::new(m, n, k, self.op, 0.0);
            row.batch = batch;
            let work = 2.0 * [m, n, k, batch].map(f64::from).iter().product::<f64>();
            row.time_s = work / (rate * 1e12);
            row.device = match self.answer {
                Some(device) => device,
                None => self.table.device(&text(&plan.device)),
            };
            Ok(row)
        });
        let t = &mut self.table;
        t.set_text(self.library, text(&plan.compiler).as_bytes());
        t.set_text(self.op_name, text(&plan.benchmark).as_bytes());
        t.set_number(self.rate, rate.map_or(f64::NAN, |v| v * 1e12));
        let bandwidth = plan.bandwidth.as_ref().and_then(|c| record.number(c.index));
        t.set_number(self.bandwidth, bandwidth.map_or(f64::NAN, |v| v * 1e9));
        for (index, id) in &plan.rest {
            t.set_auto(*id, record.text(*index).as_bytes(), record.number(*index));
        }
        t.commit(record, row);
        self.plan = Some(plan);
        Ok(())
    }

    fn finish(self) -> Result<Imported, ImportError> {
        Ok(Imported::table(self.table.finish()))
    }

    fn rows(&self) -> u64 {
        self.table.rows_read()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::read_all;

    #[test]
    fn sizes_from_the_parameters() {
        let text = format!(
            "{}\"{{\"\"Z\"\": 4, \"\"H\"\": 32, \"\"N_CTX\"\": 1024}}\",90,1,0c3d,2025,attn,triton,x\n\
             not json,90,1,0c3d,2025,gemm,triton,x\n",
            FORMAT.example
        );
        let Ok(Imported::Table(d)) = read_all("", text.as_bytes(), &ImportOptions::default())
        else {
            panic!("a table")
        };
        let s = &d.sources[0];
        assert_eq!((s.format.as_str(), d.len()), ("intel-triton", 1));
        assert_eq!((d.m[0], d.n[0], d.k[0], d.batch[0]), (4096, 4096, 4096, 1));
        assert_eq!(
            s.set_aside
                .reasons
                .iter()
                .map(|r| r.text.as_str())
                .collect::<Vec<_>>(),
            [
                "not a GEMM (params without M, N, K)",
                "params is no JSON object"
            ]
        );
        assert_eq!(d.devices[1], "Intel(R) Data Center GPU Max 1550");
        assert_eq!(d.number(Role::ReportedBandwidth, 0), 206.1e9);
        let rate = d.problem(0).work().0 / d.time_s[0];
        assert!((rate / 281.3e12 - 1.0).abs() < 1e-12);
    }
}
