//! IREE golden CSV (`index,tag,name,…,mean_microseconds,arithmetic_intensity,tflops,ok`).

use super::{
    Bad, Col, ColumnId, Delimited, Detection, Format, Head, Header, ImportError, ImportOptions,
    Imported, Reader, Record, Row, RowReader, TableBuilder, sniff_dialect,
};
use crate::dataset::Role;
use crate::dtype::DataType;
use crate::gemm::Operation;

/// Entry of the table of formats.
pub const FORMAT: Format = Format {
    id: "iree",
    name: "IREE / kernel-benchmark golden CSV",
    produced_by: "iree-kernel-benchmark (and its hipBLASLt and rocBLAS runs)",
    example: "index,tag,name,M,N,K,dtype,A,B,mean_microseconds,arithmetic_intensity,tflops,ok\n\
              0,unet,hipblaslt,128,1280,2048,fp16,N,T,13.58,110.1,49.4,True\n",
    detect,
    open,
};

const SIGNATURE: [&str; 5] = ["M", "N", "K", "mean_microseconds", "arithmetic_intensity"];

fn detect(head: &Head) -> Option<Detection> {
    head.line_with(&SIGNATURE).map(|_| {
        Detection::new(
            95,
            "the header has mean_microseconds and arithmetic_intensity beside M, N, K",
        )
    })
}

fn open(head: &Head, options: &ImportOptions) -> Result<Box<dyn Reader>, ImportError> {
    Ok(Box::new(Delimited::new(
        sniff_dialect(&head.lines),
        Iree {
            table: TableBuilder::new(),
            cols: None,
            dtype: options.dtype("dtype"),
            device: options.answer("device").map(str::to_owned),
        },
    )))
}

#[derive(Debug)]
struct Cols {
    m: Col,
    n: Col,
    k: Col,
    time: Col,
    dtype: Option<Col>,
    trans: Option<(Col, Col)>,
    ok: Option<Col>,
    runtime_dim: Option<Col>,
    text: Vec<(usize, ColumnId)>,
    rate: Option<(Col, ColumnId)>,
    intensity: Option<(Col, ColumnId)>,
    rest: Vec<(usize, ColumnId)>,
}

#[derive(Debug)]
struct Iree {
    table: TableBuilder,
    cols: Option<Cols>,
    dtype: Option<DataType>,
    device: Option<String>,
}

impl Iree {
    fn header(&mut self, record: &Record<'_>) -> Option<Cols> {
        let h = Header::new(record);
        let t = &mut self.table;
        let mut used = Vec::new();
        let mut find = |names: &[&str]| {
            let c = h.find(names);
            used.extend(c.as_ref().map(|c| c.index));
            c
        };
        let (m, n, k) = (find(&["M"])?, find(&["N"])?, find(&["K"])?);
        let time = find(&["mean_microseconds"])?;
        let dtype = find(&["dtype"]);
        let trans = find(&["tA", "A"]).zip(find(&["tB", "B"]));
        let ok = find(&["ok"]);
        let runtime_dim = find(&["runtime_dim"]);
        let mut text = Vec::new();
        for (names, role) in [("tag", Role::Model), ("name", Role::Kernel)] {
            if let Some(c) = find(&[names]) {
                text.push((c.index, t.text_column(role, &c.name)));
            }
        }
        let rate = find(&["tflops"]).map(|c| {
            let id = t.number_column(Role::ReportedRate, &c.name);
            (c, id)
        });
        let intensity = find(&["arithmetic_intensity"]).map(|c| {
            let id = t.number_column(Role::ReportedIntensity, &c.name);
            (c, id)
        });
        let rest = h
            .names
            .iter()
            .enumerate()
            .filter(|(i, _)| !used.contains(i))
            .map(|(i, name)| (i, t.auto_column(name)))
            .collect();
        Some(Cols {
            m,
            n,
            k,
            time,
            dtype,
            trans,
            ok,
            runtime_dim,
            text,
            rate,
            intensity,
            rest,
        })
    }
}

impl RowReader for Iree {
    fn record(&mut self, record: &Record<'_>) -> Result<(), ImportError> {
        let _ = (&self.dtype, &self.device);
        if self.cols.is_none() {
            self.cols = self.header(record);
            return Ok(());
        }
        let Some(cols) = &self.cols else {
            return Ok(());
        };
        let row = row(cols, record);
        let t = &mut self.table;
        for &(i, id) in &cols.text {
            t.set_text(id, record.get(i));
        }
        if let Some((c, id)) = &cols.rate {
            t.set_number(*id, c.number(record, 1e12));
        }
        if let Some((c, id)) = &cols.intensity {
            t.set_number(*id, c.number(record, 1.0));
        }
        for &(i, id) in &cols.rest {
            t.set_auto(id, record.get(i), record.number(i));
        }
        t.commit(record, row);
        Ok(())
    }

    fn finish(self) -> Result<Imported, ImportError> {
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
    if let Some(ok) = &cols.ok {
        ok.verdict(record)?;
    }
    let _ = &cols.runtime_dim;
    let m = cols.m.size(record, "M")?;
    let n = cols.n.size(record, "N")?;
    let k = cols.k.size(record, "K")?;
    let time_s = cols.time.positive(record, "time", 1e-6)?;
    let dtype = match &cols.dtype {
        Some(c) => DataType::parse(&record.text(c.index))
            .ok_or_else(|| c.bad(record, "data type", super::Flaw::NotANumber))?,
        None => DataType::Fp16,
    };
    let mut op = Operation::uniform(dtype);
    if let Some((a, b)) = &cols.trans {
        let t = |c: &Col| c.cell(record).eq_ignore_ascii_case(b"T");
        op = op.with_layout(t(a), t(b));
    }
    Ok(Row::new(m, n, k, op, time_s))
}
