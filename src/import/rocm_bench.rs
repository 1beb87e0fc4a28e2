//! `hipblaslt-bench` and `rocblas-bench`: logs and CSV, with their preamble, repeated headers and
//! the `--Solution name:` lines that follow a result.
//!
//! Sizes and layout are those of the column-major BLAS call; a row-major GEMM shows M and N
//! swapped. The column `hipblaslt-GB/s` is binary: bytes / 2^30 / s.

use super::{
    Bad, Col, ColumnId, Delimited, Detection, Dialect, Flaw, Format, Head, Header, ImportError,
    ImportOptions, Imported, Reader, Record, Row, RowReader, TableBuilder,
};
use crate::dataset::Role;
use crate::dtype::DataType;
use crate::gemm::Operation;

/// Entry of the table of formats: hipBLASLt.
pub const HIPBLASLT: Format = Format {
    id: "hipblaslt-bench",
    name: "hipblaslt-bench log or CSV",
    produced_by: "hipblaslt-bench -m 4096 -n 4096 -k 4096 --transA T --precision bf16_r --print_kernel_info",
    example: "[0]:transA,transB,grouped_gemm,batch_count,m,n,k,alpha,a_type,b_type,c_type,d_type,compute_type,hipblaslt-Gflops,hipblaslt-GB/s,us\n\
              \x20   T,N,0,1,4096,4096,4096,1,bf16_r,bf16_r,bf16_r,bf16_r,f32_r,652310,461.1,210.7\n",
    detect: |head| detect(head, "hipblaslt-Gflops", &["transA", "transB"]),
    open: |_, options| Ok(open("hipBLASLt", options)),
};

/// Entry of the table of formats: rocBLAS.
pub const ROCBLAS: Format = Format {
    id: "rocblas-bench",
    name: "rocblas-bench log or CSV",
    produced_by: "rocblas-bench -f gemm -r f32_r -m 512 -n 512 -k 512 --transposeB T",
    example: "function,a_type,b_type,c_type,d_type,compute_type,transA,transB,M,N,K,alpha,lda,beta,ldb,ldc,rocblas-Gflops,us\n\
              gemm,f32_r,f32_r,f32_r,f32_r,f32_r,N,T,512,512,512,1,512,1,512,512, 11983.7, 22.4\n",
    detect: |head| detect(head, "rocblas-Gflops", &["us"]),
    open: |_, options| Ok(open("rocBLAS", options)),
};

fn detect(head: &Head, rate: &str, beside: &[&str]) -> Option<Detection> {
    let mut names = vec![rate];
    names.extend(beside);
    head.lines.iter().find(|l| {
        let fields = Head::fields(strip_index(l.trim()), ',');
        // Without a K it is another routine.
        names.iter().all(|n| fields.contains(n))
            && fields.iter().any(|f| f.eq_ignore_ascii_case("k"))
    })?;
    Some(Detection::new(98, format!("a header line has {rate}")))
}

/// The header without hipblaslt-bench's `[0]:` in front.
fn strip_index(text: &str) -> &str {
    match text.strip_prefix('[').and_then(|t| t.split_once("]:")) {
        Some((number, rest)) if number.bytes().all(|b| b.is_ascii_digit()) => rest,
        _ => text,
    }
}

fn open(library: &'static str, options: &ImportOptions) -> Box<dyn Reader> {
    let mut table = TableBuilder::new();
    let ids = Ids {
        library: table.text_column(Role::Library, "library"),
        kernel: table.text_column(Role::Kernel, "kernel"),
        rate: table.number_column(Role::ReportedRate, "reported rate"),
        bandwidth: table.number_column(Role::ReportedBandwidth, "reported bandwidth"),
    };
    Box::new(Delimited::new(
        Dialect::COMMA,
        Bench {
            library,
            dtype: options.dtype("dtype"),
            stated_device: options.answer("device").map(str::to_owned),
            device: 0,
            ids,
            extra: Vec::new(),
            header: None,
            pending: None,
            headers: 0,
            other_lines: 0,
            tuning_log: false,
            table,
        },
    ))
}

#[derive(Debug)]
struct Ids {
    library: ColumnId,
    kernel: ColumnId,
    rate: ColumnId,
    bandwidth: ColumnId,
}

/// The columns of one header line.
#[derive(Debug)]
struct Cols {
    line: Vec<String>,
    m: Col,
    n: Col,
    k: Col,
    time: Col,
    batch: Option<Col>,
    trans_a: Option<Col>,
    trans_b: Option<Col>,
    types: [Option<Col>; 5],
    beta: Option<Col>,
    bias: Option<Col>,
    rate: Option<Col>,
    bandwidth: Option<(Col, f64)>,
    arch: Option<Col>,
    units: Option<Col>,
    extra: Vec<(usize, ColumnId)>,
}

/// A result whose kernel name may still follow on the next lines.
#[derive(Debug)]
struct Pending {
    line: u32,
    raw: Vec<u8>,
    row: Result<Row, Bad>,
    kernel: Vec<u8>,
    rate: f64,
    bandwidth: f64,
    extra: Vec<(ColumnId, Vec<u8>, Option<f64>)>,
}

#[derive(Debug)]
struct Bench {
    library: &'static str,
    dtype: Option<DataType>,
    stated_device: Option<String>,
    /// Code of the device that the preamble names.
    device: u16,
    ids: Ids,
    extra: Vec<(String, ColumnId)>,
    header: Option<Cols>,
    pending: Option<Pending>,
    headers: u64,
    other_lines: u64,
    tuning_log: bool,
    table: TableBuilder,
}

impl Bench {
    fn take_header(&mut self, record: &Record<'_>) -> bool {
        let mut names = Header::new(record);
        if let Some(first) = names.names.first_mut() {
            *first = strip_index(first.trim()).to_owned();
        }
        let rate = names.find(&["hipblaslt-Gflops", "rocblas-Gflops"]);
        let (Some(m), Some(n), Some(k), Some(time)) = (
            names.find(&["m"]),
            names.find(&["n"]),
            names.find(&["k"]),
            names.find(&["us"]),
        ) else {
            return false;
        };
        if rate.is_none() {
            return false;
        }
        self.headers += 1;
        if self.header.as_ref().is_some_and(|h| h.line == names.names) {
            return true;
        }
        let batch = names.find(&["batch_count"]);
        let (trans_a, trans_b) = (
            names.find(&["transA", "transposeA"]),
            names.find(&["transB", "transposeB"]),
        );
        let types =
            ["a_type", "b_type", "c_type", "d_type", "compute_type"].map(|t| names.find(&[t]));
        let beta = names.find(&["beta"]);
        let bias = names.find(&["bias_vector"]);
        // hipBLASLt prints GiB/s under this title; rocBLAS divides by 1e9.
        let bandwidth = names
            .find(&["hipblaslt-GB/s"])
            .map(|c| (c, 1_073_741_824.0))
            .or_else(|| names.find(&["rocblas-GB/s"]).map(|c| (c, 1e9)));
        let (arch, units) = (names.find(&["gcnArchName"]), names.find(&["CUs"]));
        let used: Vec<usize> = [&batch, &trans_a, &trans_b, &rate]
            .into_iter()
            .chain(&types)
            .filter_map(|c| c.as_ref().map(|c| c.index))
            .chain(bandwidth.as_ref().map(|(c, _)| c.index))
            .chain([m.index, n.index, k.index, time.index])
            .collect();
        let mut extra = Vec::new();
        for (i, name) in names
            .names
            .iter()
            .enumerate()
            .filter(|(i, _)| !used.contains(i))
        {
            let id = match self.extra.iter().find(|(have, _)| have == name) {
                Some((_, id)) => *id,
                None => {
                    let id = self.table.auto_column(name);
                    self.extra.push((name.clone(), id));
                    id
                }
            };
            extra.push((i, id));
        }
        self.header = Some(Cols {
            line: names.names,
            m,
            n,
            k,
            time,
            batch,
            trans_a,
            trans_b,
            types,
            beta,
            bias,
            rate,
            bandwidth,
            arch,
            units,
            extra,
        });
        true
    }

    /// Lines that are neither header nor result: the preamble names the device, `--Solution
    /// name:` the kernel of the result above.
    fn take_remark(&mut self, text: &str) {
        let text = text.trim();
        if let Some(name) = after(text, "Solution name:").or_else(|| after(text, "kernel name:")) {
            if let Some(p) = &mut self.pending
                && p.kernel.is_empty()
            {
                p.kernel = name.as_bytes().to_vec();
            }
        } else if let Some(rest) = after(text, "Device ID 0") {
            let arch = rest
                .trim_start_matches([' ', ':'])
                .split(':')
                .next()
                .unwrap_or("")
                .trim();
            if !arch.is_empty() && self.device == 0 {
                self.device = self.table.device(arch);
                self.table
                    .note(format!("The log's preamble names the device: {arch}."));
            }
        } else if text.starts_with("Git Version:") {
            self.tuning_log = true;
        } else {
            self.other_lines += 1;
        }
    }

    fn flush(&mut self) {
        let Some(p) = self.pending.take() else { return };
        let t = &mut self.table;
        t.set_text(self.ids.library, self.library.as_bytes());
        t.set_text(self.ids.kernel, &p.kernel);
        t.set_number(self.ids.rate, p.rate);
        t.set_number(self.ids.bandwidth, p.bandwidth);
        for (id, cell, number) in &p.extra {
            t.set_auto(*id, cell, *number);
        }
        t.commit_line(p.line, &p.raw, p.row);
    }

    fn row(&mut self, record: &Record<'_>) -> Result<Row, Bad> {
        let Some(cols) = &self.header else {
            return Err(Bad::new("result before any header"));
        };
        if let Some(p) = record.problem() {
            return Err(Bad::new(p));
        }
        if record.len() < cols.line.len() {
            return Err(Bad::new("fewer fields than the header names"));
        }
        let m = cols.m.size(record, "M")?;
        let n = cols.n.size(record, "N")?;
        let k = cols.k.size(record, "K")?;
        let time_s = cols.time.positive(record, "time", 1e-6)?;
        let batch = match &cols.batch {
            Some(c) => c.size(record, "batch")?,
            None => 1,
        };
        let parsed = |c: &Option<Col>| -> Result<Option<DataType>, Bad> {
            let Some(c) = c else { return Ok(None) };
            DataType::parse(&record.text(c.index))
                .map(Some)
                .ok_or_else(|| c.bad(record, "data type", Flaw::NotANumber))
        };
        let [a, b, c, d, compute] = &cols.types;
        let (a, b, c, d) = (parsed(a)?, parsed(b)?, parsed(c)?, parsed(d)?);
        let a = match (a, self.dtype) {
            (Some(t), _) | (None, Some(t)) => t,
            (None, None) => {
                self.table
                    .assume_dtype(DataType::Fp32, "The log names no data type");
                DataType::Fp32
            }
        };
        let b = b.unwrap_or(a);
        let out = d.or(c).unwrap_or_else(|| a.default_output());
        let flag = |c: &Option<Col>| {
            c.as_ref()
                .is_some_and(|c| matches!(c.cell(record), b"T" | b"t" | b"C" | b"c"))
        };
        let mut op =
            Operation::mixed(a, b, out).with_layout(flag(&cols.trans_a), flag(&cols.trans_b));
        // The accumulate type decides the peak only where fp32 operands go through tf32 units.
        if let Some(c) = compute {
            let word = record.text(c.index).to_ascii_lowercase();
            if a == DataType::Fp32 && (word.contains("xf32") || word.contains("tf32")) {
                op.compute = DataType::Tf32;
            }
        }
        op.beta = cols.beta.as_ref().is_some_and(|c| {
            record
                .number(c.index)
                .map_or_else(|| !c.cell(record).starts_with(b"(0"), |v| v != 0.0)
        });
        op.bias = cols
            .bias
            .as_ref()
            .is_some_and(|c| record.number(c.index).is_some_and(|v| v != 0.0));
        let mut row = Row::new(m, n, k, op, time_s);
        row.batch = batch;
        row.device = match (&cols.arch, &self.stated_device) {
            (Some(arch), _) => {
                let arch = record.text(arch.index);
                let arch = arch.split(':').next().unwrap_or("").trim().to_owned();
                match cols.units.as_ref().and_then(|c| record.number(c.index)) {
                    Some(units) => self.table.device(&format!("{arch}:{units}")),
                    None => self.table.device(&arch),
                }
            }
            (None, Some(name)) => {
                let name = name.clone();
                self.table.device(&name)
            }
            (None, None) => self.device,
        };
        Ok(row)
    }
}

/// What follows `label` in a line that holds it near its start.
fn after<'a>(text: &'a str, label: &str) -> Option<&'a str> {
    let at = text.find(label)?;
    (at <= 4).then(|| text[at + label.len()..].trim())
}

impl RowReader for Bench {
    fn record(&mut self, record: &Record<'_>) -> Result<(), ImportError> {
        let joined = String::from_utf8_lossy(record.raw()).into_owned();
        if joined.contains("-Gflops") && self.take_header(record) {
            self.flush();
            return Ok(());
        }
        let is_result = self.header.as_ref().is_some_and(|h| {
            let text = joined.trim();
            !text.starts_with("--") && record.len() > 3 && record.len() + 3 > h.line.len()
        });
        if !is_result {
            self.take_remark(&joined);
            return Ok(());
        }
        self.flush();
        let row = self.row(record);
        let Some(cols) = &self.header else {
            return Ok(());
        };
        self.pending = Some(Pending {
            line: record.line(),
            raw: record.raw().to_vec(),
            row,
            kernel: Vec::new(),
            rate: cols
                .rate
                .as_ref()
                .map_or(f64::NAN, |c| c.number(record, 1e9)),
            bandwidth: cols
                .bandwidth
                .as_ref()
                .map_or(f64::NAN, |(c, s)| c.number(record, *s)),
            extra: cols
                .extra
                .iter()
                .map(|&(i, id)| (id, record.get(i).to_vec(), record.number(i)))
                .collect(),
        });
        Ok(())
    }

    fn finish(mut self) -> Result<Imported, ImportError> {
        self.flush();
        let t = &mut self.table;
        if self.headers > 1 {
            t.note(format!(
                "{} repeated header lines were passed over.",
                self.headers - 1
            ));
        }
        if self.other_lines > 0 {
            t.note(format!(
                "{} lines of the log are no results.",
                self.other_lines
            ));
        }
        if self.tuning_log {
            t.note("This is the tuning log of hipblaslt-bench.");
        }
        t.note("M, N and the layout are those of the column-major BLAS call: a row-major GEMM shows M and N swapped.");
        if self.device == 0 && self.header.as_ref().is_some_and(|h| h.arch.is_none()) {
            let stated = self.stated_device.clone().unwrap_or_default();
            t.assume_device(&stated, "The log does not name the device.");
        }
        Ok(Imported::table(self.table.finish()))
    }

    fn rows(&self) -> u64 {
        self.table.rows_read() + u64::from(self.pending.is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::Dataset;
    use crate::import::{ImportOptions, read_all};

    fn table(text: &str) -> Dataset {
        match read_all("log.txt", text.as_bytes(), &ImportOptions::default()) {
            Ok(Imported::Table(d)) => *d,
            other => panic!("{other:?}"),
        }
    }

    fn shared(path: &str) -> Option<String> {
        let full = format!("{}/../shared/data/{path}", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(&full).ok();
        if text.is_none() {
            eprintln!("skipped: {path} is not here");
        }
        text
    }

    #[test]
    fn a_log_with_solution_names() {
        let d = table(
            "hipBLASLt version: 100\n\
             [0]:transA,transB,batch_count,m,n,k,beta,a_type,b_type,c_type,d_type,compute_type,bias_vector,hipblaslt-Gflops,hipblaslt-GB/s,us\n\
             \x20   T,N,2,4096,512,1024,1,f8_r,f8_r,bf16_r,bf16_r,f32_r,1,85899.3,100,100\n\
             --Solution index: 7\n\
             --Solution name:  Cijk_Alik_Bljk_F8B_MT256x256x64_MI16x16x1\n\
             \x20   N,N,1,0,512,1024,0,f32_r,f32_r,f32_r,f32_r,xf32_r,0,1,1,10\n",
        );
        assert_eq!(d.len(), 1);
        let p = d.problem(0);
        assert_eq!((p.batch, p.m, p.n, p.k), (2, 4096, 512, 1024));
        assert_eq!((p.op.layout(), p.op.beta, p.op.bias), ("TN", true, true));
        assert!(
            d.text(Role::Kernel, 0)
                .starts_with("Cijk_Alik_Bljk_F8B_MT256x256x64")
        );
        assert_eq!(
            d.number(Role::ReportedBandwidth, 0),
            100.0 * 1_073_741_824.0
        );
        let s = &d.sources[0];
        assert_eq!((s.rows_read, s.set_aside.total()), (2, 1));
        assert_eq!(s.set_aside.reasons[0].first_lines, [6]);
        assert_eq!(s.reported_rate.within_1_percent, 1);
    }

    #[test]
    fn the_readme_demo_of_hipblaslt() {
        let Some(text) = shared("hipblaslt-bench/readme_demo_output.txt") else {
            return;
        };
        let d = table(&text);
        assert_eq!((d.len(), d.sources[0].set_aside.total()), (3, 0));
        assert_eq!(d.sources[0].reported_rate.within_1_percent, 3);
        // The file's GB/s are GiB/s of the compulsory bytes.
        for row in 0..3 {
            let ours = d.problem(row).bytes().0 / d.time_s[row];
            let theirs = d.number(Role::ReportedBandwidth, row);
            assert!((ours / theirs - 1.0).abs() < 0.01, "{ours} {theirs}");
        }
    }

    #[test]
    fn rocblas_with_a_header_before_every_row() {
        let Some(text) = shared("rocBLAS/gemm.csv") else {
            return;
        };
        let d = table(&text);
        let s = &d.sources[0];
        assert_eq!(
            (d.len(), s.set_aside.total()),
            (64, 0),
            "{:?}",
            s.set_aside.reasons
        );
        assert_eq!(s.reported_rate.compared, 64);
        assert_eq!(s.reported_rate.within_1_percent, 64);
        assert_eq!(d.devices[1], "gfx90a");
        assert_eq!(d.problem(2).op.compute, DataType::C32);
    }
}
