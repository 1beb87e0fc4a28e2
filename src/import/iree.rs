//! IREE golden CSV: `index,tag,name,…,mean_microseconds,arithmetic_intensity,tflops,ok`.
//!
//! The library runs beside it (hipBLASLt, rocBLAS) have the backend in `name` and the transposes
//! in `A` and `B`; dashboards add `runtime_dim`, the true size of a dimension that the program
//! was compiled without.

use super::cell::{Bad, Col, Flaw, Header};
use super::{
    ColumnId, Delimited, Detection, Format, Head, ImportError, ImportOptions, Imported, Memo,
    Reader, Record, Row, RowReader, TableBuilder, sniff_dialect,
};
use crate::dataset::Role;
use crate::dtype::DataType;
use crate::gemm::Operation;
use crate::hardware;

/// Entry of the table of formats.
pub const FORMAT: Format = Format {
    id: "iree",
    name: "IREE kernel-benchmark CSV",
    produced_by: "iree-kernel-benchmark, and its hipBLASLt and rocBLAS runs",
    example: "index,tag,name,M,N,K,dtype,A,B,mean_microseconds,arithmetic_intensity,tflops,ok\n\
              0,unet,hipblaslt,128,1280,2048,fp16,N,T,13.58,110.1,49.4,True\n",
    detect,
    open,
};

fn detect(head: &Head) -> Option<Detection> {
    let gemm = |names: &[&str]| {
        head.lines.iter().any(|l| {
            let fields = Head::fields(l, ',');
            ["M", "N", "K"].iter().all(|n| fields.contains(n))
                && names.iter().all(|n| fields.contains(n))
        })
    };
    if gemm(&["mean_microseconds", "arithmetic_intensity"]) {
        Some(Detection::new(
            95,
            "the header has mean_microseconds and arithmetic_intensity beside M, N, K",
        ))
    } else if gemm(&["mean_microseconds", "vmfb_hash"]) {
        Some(Detection::new(
            95,
            "the header has vmfb_hash beside M, N, K",
        ))
    } else {
        None
    }
}

fn open(head: &Head, options: &ImportOptions) -> Result<Box<dyn Reader>, ImportError> {
    Ok(Box::new(Delimited::new(
        sniff_dialect(&head.lines),
        Iree {
            table: TableBuilder::new(),
            cols: None,
            header: Vec::new(),
            types: Memo::default(),
            default_dtype: options.dtype("dtype"),
            device: options.answer("device").map(str::to_owned),
            device_code: 0,
            repeated: 0,
        },
    )))
}

#[derive(Debug)]
struct Cols {
    sizes: [Col; 3],
    time: Col,
    dtype: Option<Col>,
    trans: Option<[Col; 2]>,
    ok: Option<Col>,
    runtime_dim: Option<Col>,
    text: Vec<(usize, ColumnId)>,
    numbers: Vec<(Col, ColumnId, f64)>,
    rest: Vec<(usize, ColumnId)>,
}

#[derive(Debug)]
struct Iree {
    table: TableBuilder,
    cols: Option<Cols>,
    header: Vec<u8>,
    types: Memo<Option<DataType>>,
    default_dtype: Option<DataType>,
    device: Option<String>,
    device_code: u16,
    repeated: u64,
}

impl Iree {
    fn columns(&mut self, record: &Record<'_>) -> Option<Cols> {
        let h = Header::new(record);
        let t = &mut self.table;
        let mut used = Vec::new();
        let mut find = |names: &[&str]| {
            let c = h.find(names);
            used.extend(c.as_ref().map(|c| c.index));
            c
        };
        let sizes = [find(&["M"])?, find(&["N"])?, find(&["K"])?];
        let time = find(&["mean_microseconds"])?;
        let dtype = find(&["dtype"]);
        let trans = match (find(&["tA", "A"]), find(&["tB", "B"])) {
            (Some(a), Some(b)) => Some([a, b]),
            _ => None,
        };
        let ok = find(&["ok"]);
        let runtime_dim = h.find(&["runtime_dim"]);
        // With a compiled program's hash the name is the kernel's, else it is the backend's.
        let compiled = h.find(&["vmfb_hash"]).is_some();
        let name_role = if compiled {
            Role::Kernel
        } else {
            Role::Library
        };
        let mut text = Vec::new();
        for (name, role) in [("tag", Role::Model), ("name", name_role)] {
            if let Some(c) = find(&[name]) {
                text.push((c.index, t.text_column(role, &c.name)));
            }
        }
        let mut numbers = Vec::new();
        for (name, role, scale) in [
            ("tflops", Role::ReportedRate, 1e12),
            ("arithmetic_intensity", Role::ReportedIntensity, 1.0),
            // Called percent, but a fraction.
            ("roofline_percent", Role::ReportedEfficiency, 1.0),
        ] {
            if let Some(c) = find(&[name]) {
                let id = t.number_column(role, &c.name);
                numbers.push((c, id, scale));
            }
        }
        let rest = h
            .names
            .iter()
            .enumerate()
            .filter(|(i, _)| !used.contains(i))
            .map(|(i, name)| (i, t.auto_column(name)))
            .collect();
        let device = match (&self.device, hardware::by_id("mi300x")) {
            (Some(chosen), _) => {
                t.assume_device(chosen, "The file does not name its device: chosen by hand.");
                chosen.clone()
            }
            (None, known) => {
                let name = known.map_or("MI300X", |d| d.name.as_str());
                t.assume_device(
                    name,
                    "The file does not name its device: these benchmarks are run on MI300X.",
                );
                name.to_owned()
            }
        };
        self.device_code = t.device(&device);
        if dtype.is_none() {
            t.assume_dtype(
                self.default_dtype.unwrap_or(DataType::Fp16),
                "The file does not say its data type",
            );
        }
        Some(Cols {
            sizes,
            time,
            dtype,
            trans,
            ok,
            runtime_dim,
            text,
            numbers,
            rest,
        })
    }
}

impl RowReader for Iree {
    fn record(&mut self, record: &Record<'_>) -> Result<(), ImportError> {
        if self.cols.is_none() {
            self.cols = self.columns(record);
            self.header = record.raw().to_vec();
            return Ok(());
        }
        let Some(cols) = &self.cols else {
            return Ok(());
        };
        if record.raw() == self.header {
            self.repeated += 1;
            return Ok(());
        }
        let default = self.default_dtype.unwrap_or(DataType::Fp16);
        let row = row(cols, &mut self.types, default, record).map(|mut row| {
            row.device = self.device_code;
            row
        });
        let t = &mut self.table;
        if row.is_ok() {
            for &(i, id) in &cols.text {
                t.set_text(id, record.get(i));
            }
            for (c, id, scale) in &cols.numbers {
                t.set_number(*id, c.number(record, *scale));
            }
            for &(i, id) in &cols.rest {
                t.set_auto(id, record.get(i), record.number(i));
            }
        }
        t.commit(record, row);
        Ok(())
    }

    fn finish(mut self) -> Result<Imported, ImportError> {
        if self.repeated > 0 {
            self.table.note(format!(
                "The header is repeated {}.",
                super::generic::times(self.repeated)
            ));
        }
        Ok(Imported::table(self.table.finish()))
    }

    fn rows(&self) -> u64 {
        self.table.rows_read()
    }
}

fn row(
    cols: &Cols,
    types: &mut Memo<Option<DataType>>,
    default: DataType,
    record: &Record<'_>,
) -> Result<Row, Bad> {
    if let Some(problem) = record.problem() {
        return Err(Bad::new(problem));
    }
    if let Some(ok) = &cols.ok {
        ok.verdict(record)?;
    }
    let mut dynamic = cols.runtime_dim.as_ref().map(|c| runtime_sizes(c, record));
    let mut size = |c: &Col, name: &str| match (
        super::cell::size(c.cell(record), record.decimal_comma()),
        dynamic.as_mut().and_then(|d| d.first().copied()),
    ) {
        (Err(Flaw::Sentinel), Some(value)) => {
            if let Some(d) = dynamic.as_mut()
                && d.len() > 1
            {
                d.remove(0);
            }
            Ok(value)
        }
        (Ok(v), _) => Ok(v),
        (Err(flaw), _) => Err(c.bad(record, name, flaw)),
    };
    let [m, n, k] = &cols.sizes;
    let (m, n, k) = (size(m, "M")?, size(n, "N")?, size(k, "K")?);
    let time_s = cols.time.positive(record, "time", 1e-6)?;
    let dtype = match &cols.dtype {
        None => default,
        Some(c) => match types.get(c.cell(record), DataType::parse) {
            Some(t) => *t,
            None => return Err(c.bad(record, "data type", Flaw::UnknownType)),
        },
    };
    let mut op = Operation::uniform(dtype);
    if let Some([a, b]) = &cols.trans {
        let flag = |c: &Col, what| match c.cell(record) {
            b"N" | b"n" | b"" => Ok(false),
            b"T" | b"t" => Ok(true),
            _ => Err(c.bad(record, what, Flaw::NotATranspose)),
        };
        op = op.with_layout(flag(a, "transpose of A")?, flag(b, "transpose of B")?);
    }
    Ok(Row::new(m, n, k, op, time_s))
}

/// `D=512`, or several (`D0=512,D1=64`): the true sizes, in the order of the placeholders.
fn runtime_sizes(c: &Col, record: &Record<'_>) -> Vec<u32> {
    record
        .text(c.index)
        .split([',', ';', ' '])
        .filter_map(|part| part.split_once('=')?.1.trim().parse().ok())
        .filter(|&v| v > 0)
        .collect()
}
