//! FlashInfer's benchmark output: some twenty routines in one table, of which the GEMMs are kept.
//!
//! `median_time` is in ms. The tool's own `tb_per_sec` of batched routines forgets the batch.

use super::extras::Extras;
use super::{
    Bad, Col, Delimited, Detection, Flaw, Format, Head, Header, ImportError, ImportOptions,
    Imported, Reader, Record, Row, RowReader, TableBuilder, sniff_dialect,
};
use crate::dataset::Role;
use crate::dtype::DataType;
use crate::gemm::Operation;

/// Entry of the table of formats.
pub const FORMAT: Format = Format {
    id: "flashinfer",
    name: "FlashInfer benchmark",
    produced_by: "python benchmarks/flashinfer_benchmark.py --testlist tests.txt --output_path out.csv",
    example: "routine,median_time,std_time,tflops,tb_per_sec,backend,n,batch_size,input_dtype,out_dtype,m,k\n\
              bmm_fp8,0.0845,0.0004,44.46,0.0873,cudnn,1024,64,torch.float8_e4m3fn,torch.bfloat16,4,7168\n",
    detect,
    open,
};

fn detect(head: &Head) -> Option<Detection> {
    head.line_with(&["routine", "median_time", "tb_per_sec"])?;
    Some(Detection::new(
        97,
        "the header has routine, median_time and tb_per_sec",
    ))
}

fn open(head: &Head, options: &ImportOptions) -> Result<Box<dyn Reader>, ImportError> {
    let mut table = TableBuilder::new();
    let device = options.answer("device").unwrap_or_default().to_owned();
    let code = table.device(&device);
    Ok(Box::new(Delimited::new(
        sniff_dialect(&head.lines),
        FlashInfer {
            cols: None,
            device,
            code,
            table,
        },
    )))
}

#[derive(Debug)]
struct Cols {
    routine: Col,
    time: Col,
    sizes: [Col; 3],
    batch: Option<Col>,
    groups: Option<Col>,
    input: Option<Col>,
    output: Option<Col>,
    nvfp4: Option<Col>,
    extras: Extras,
}

#[derive(Debug)]
struct FlashInfer {
    cols: Option<Cols>,
    device: String,
    code: u16,
    table: TableBuilder,
}

impl FlashInfer {
    fn header(&mut self, record: &Record<'_>) -> Option<Cols> {
        let h = Header::new(record);
        let routine = h.find(&["routine"])?;
        let time = h.find(&["median_time"])?;
        let sizes = [h.find(&["m"])?, h.find(&["n"])?, h.find(&["k"])?];
        let batch = h.find(&["batch_size"]);
        let groups = h.find(&["group_size"]);
        let (input, output) = (h.find(&["input_dtype"]), h.find(&["out_dtype"]));
        let nvfp4 = h.find(&["use_nvfp4"]);
        let used = sizes
            .iter()
            .chain([&time])
            .chain(batch.iter().chain(&input).chain(&output))
            .map(|c| c.index);
        let extras = Extras::new(
            &h,
            &mut self.table,
            used,
            &[
                ("routine", Role::OpName),
                ("backend", Role::Library),
                ("case_tag", Role::Model),
            ],
            &[
                ("std_time", Role::TimeStd, 1e-3),
                ("tflops", Role::ReportedRate, 1e12),
                ("tb_per_sec", Role::ReportedBandwidth, 1e12),
            ],
        );
        Some(Cols {
            routine,
            time,
            sizes,
            batch,
            groups,
            input,
            output,
            nvfp4,
            extras,
        })
    }
}

impl RowReader for FlashInfer {
    fn record(&mut self, record: &Record<'_>) -> Result<(), ImportError> {
        let Some(cols) = &self.cols else {
            self.cols = self.header(record);
            return Ok(());
        };
        let row = row(cols, record).map(|mut r| {
            r.device = self.code;
            r
        });
        cols.extras.stage(&mut self.table, record);
        self.table.commit(record, row);
        Ok(())
    }

    fn finish(mut self) -> Result<Imported, ImportError> {
        self.table
            .assume_device(&self.device, "The file does not name the device.");
        self.table.note("tb_per_sec of the batched routines leaves the batch out; bandwidth here is recomputed.");
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
    let routine = record.text(cols.routine.index).to_ascii_lowercase();
    if !["gemm", "mm_", "bmm"].iter().any(|w| routine.contains(w)) {
        return Err(Bad {
            reason: "not a GEMM (routine)".into(),
            column: cols.routine.index as u32 + 1,
            text: routine,
        });
    }
    let [m, n, k] = &cols.sizes;
    let (m, n, k) = (
        m.size(record, "M")?,
        n.size(record, "N")?,
        k.size(record, "K")?,
    );
    let time_s = cols.time.positive(record, "time", 1e-3)?;
    let dtype = |c: &Option<Col>| match c {
        Some(c) => DataType::parse(&record.text(c.index))
            .map(Some)
            .ok_or_else(|| c.bad(record, "data type", Flaw::NotANumber)),
        None => Ok(None),
    };
    // The fp4 routine names its unquantised input's type; what is multiplied is fp4.
    let operand = if routine.contains("fp4") {
        let nv = cols
            .nvfp4
            .as_ref()
            .is_none_or(|c| c.cell(record) != b"False");
        if nv { DataType::NvFp4 } else { DataType::MxFp4 }
    } else {
        dtype(&cols.input)?.ok_or_else(|| Bad::new("data type is missing (input_dtype)"))?
    };
    let out = dtype(&cols.output)?.unwrap_or_else(|| operand.default_output());
    let op = Operation {
        c: out,
        ..Operation::uniform(operand)
    }
    .with_layout(false, true);
    let mut row = Row::new(m, n, k, op, time_s);
    let count = |c: &Option<Col>| {
        c.as_ref()
            .and_then(|c| record.number(c.index))
            .filter(|v| *v >= 1.0 && *v < 4e9)
    };
    // A group is one GEMM of this shape.
    let groups = if routine.contains("group_gemm") {
        count(&cols.groups)
    } else {
        None
    };
    row.batch = (count(&cols.batch).unwrap_or(1.0) * groups.unwrap_or(1.0)) as u32;
    Ok(row)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::read_all;

    #[test]
    fn the_real_file_keeps_its_gemms() {
        let path = format!(
            "{}/../shared/data/flashinfer/sample_testlist_output.csv",
            env!("CARGO_MANIFEST_DIR")
        );
        let Ok(bytes) = std::fs::read(path) else {
            eprintln!("skipped: FlashInfer data is not here");
            return;
        };
        let Ok(Imported::Table(d)) = read_all("f.csv", &bytes, &ImportOptions::default()) else {
            panic!("a table")
        };
        let s = &d.sources[0];
        assert_eq!(
            (s.rows_read, s.rows_used),
            (111, 11),
            "{:?}",
            s.set_aside.reasons
        );
        assert_eq!(s.reported_rate.compared, 11);
        assert_eq!(s.reported_rate.within_1_percent, 11);
        // The batch counted: 5.59 TB/s where the file says 0.087.
        let bandwidth = d.problem(0).bytes().0 / d.time_s[0];
        assert!((bandwidth / 5.59e12 - 1.0).abs() < 0.01, "{bandwidth}");
    }
}
