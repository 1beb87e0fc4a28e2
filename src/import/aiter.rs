//! ROCm aiter's tuned GEMM tables: the best kernel of each shape, for several devices in a file.
//!
//! Six families of headers are in use; columns are found by name. A is row-major, the weight is
//! stored N x K. What was never measured stands there with zeros and is set aside. Files without
//! a time list the shapes still to be tuned.

use super::extras::Extras;
use super::memo::Memo;
use super::{
    Bad, Col, Delimited, Detection, Dialect, Flaw, Format, Head, Header, ImportError,
    ImportOptions, Imported, Reader, Record, Row, RowReader, TableBuilder, unsaid,
};
use crate::dataset::Role;
use crate::dtype::DataType;
use crate::gemm::Operation;

/// Entry of the table of formats.
pub const FORMAT: Format = Format {
    id: "aiter",
    name: "aiter tuned GEMMs",
    produced_by: "python3 csrc/ck_gemm_a8w8/gemm_a8w8_tune.py -i aiter/configs/a8w8_untuned_gemm.csv -o aiter/configs/a8w8_tuned_gemm.csv",
    example: "gfx,cu_num,M,N,K,q_dtype_w,kernelId,splitK,us,kernelName,tflops,bw,errRatio\n\
              gfx942,80,1,1280,8192,torch.int8,34,0,20.5611,a8w8_rowwise_256x16x64x512_16x16_1x1,1.02,510.5,0.0\n",
    detect,
    open,
};

fn detect(head: &Head) -> Option<Detection> {
    let fields: Vec<String> = Head::fields(head.first(), ',')
        .iter()
        .map(|f| f.to_ascii_lowercase())
        .collect();
    let has = |names: &[&str]| names.iter().all(|n| fields.iter().any(|f| f == n));
    if !has(&["m", "n", "k"]) {
        return None;
    }
    let tuned = has(&["us", "kernelname"])
        && (has(&["gfx"]) || has(&["cu_num"]) || has(&["kernelid", "splitk"]));
    if tuned {
        return Some(Detection::new(
            96,
            "the header has M, N, K, us, kernelName and the device's gfx or cu_num",
        ));
    }
    if has(&["q_dtype_w"]) || has(&["outdtype", "bias"]) {
        return Some(Detection::new(
            90,
            "the header has M, N, K and aiter's names for the types",
        ));
    }
    None
}

fn open(head: &Head, options: &ImportOptions) -> Result<Box<dyn Reader>, ImportError> {
    let mut table = TableBuilder::new();
    let has = |name: &str| {
        Head::fields(head.first(), ',')
            .iter()
            .any(|f| f.eq_ignore_ascii_case(name))
    };
    let device = if has("gfx") || has("cu_num") {
        0
    } else {
        unsaid::device(&mut table, head, options)
    };
    Ok(Box::new(Delimited::new(
        Dialect::COMMA,
        Aiter {
            table,
            cols: None,
            device,
            dtype: options.dtype("dtype"),
            name: head.name.to_ascii_lowercase(),
            types: Memo::default(),
            untold: 0,
        },
    )))
}

#[derive(Debug)]
struct Cols {
    sizes: [Col; 3],
    batch: Option<Col>,
    time: Option<Col>,
    arch: Option<Col>,
    units: Option<Col>,
    types: Option<Col>,
    out: Option<Col>,
    bias: Option<Col>,
    kernel: Option<Col>,
    extras: Extras,
}

#[derive(Debug)]
struct Aiter {
    table: TableBuilder,
    cols: Option<Cols>,
    device: u16,
    dtype: Option<DataType>,
    name: String,
    types: Memo<Option<DataType>>,
    untold: u64,
}

impl Aiter {
    fn header(&mut self, record: &Record<'_>) -> Option<Cols> {
        let h = Header::new(record);
        let [m, n, k] = ["M", "N", "K"].map(|s| h.find(&[s]));
        let sizes = [m?, n?, k?];
        let batch = h.find(&["B", "batch"]);
        let time = h.find(&["us"]);
        let (arch, units) = (h.find(&["gfx"]), h.find(&["cu_num"]));
        let types = h.find(&["q_dtype_w", "dtype"]);
        let out = h.find(&["outdtype"]);
        let bias = h.find(&["bias"]);
        let kernel = h.find(&["kernelName"]);
        let optional = [&batch, &time, &arch, &units, &types, &out, &bias];
        let used = sizes
            .iter()
            .chain(optional.into_iter().flatten())
            .map(|c| c.index);
        let extras = Extras::new(
            &h,
            &mut self.table,
            used,
            &[("kernelName", Role::Kernel), ("libtype", Role::Library)],
            &[
                ("tflops", Role::ReportedRate, 1e12),
                ("bw", Role::ReportedBandwidth, 1e9),
                ("splitK", Role::SplitK, 1.0),
            ],
        );
        if time.is_none() {
            self.table.note(
                "Shapes only: the file lists what is to be tuned, so it shows what the roof \
                 allows and no measured points.",
            );
        }
        Some(Cols {
            sizes,
            batch,
            time,
            arch,
            units,
            types,
            out,
            bias,
            kernel,
            extras,
        })
    }
}

impl RowReader for Aiter {
    fn record(&mut self, record: &Record<'_>) -> Result<(), ImportError> {
        let Some(cols) = &self.cols else {
            self.cols = self.header(record);
            return Ok(());
        };
        // A second file appended to the first.
        if record.get(cols.sizes[0].index).eq_ignore_ascii_case(b"m") {
            return Ok(());
        }
        let operand = match &cols.types {
            Some(c) => DataType::parse(&record.text(c.index))
                .ok_or_else(|| c.bad(record, "data type", Flaw::UnknownType)),
            None => {
                let arch = cols.arch.as_ref().map_or(&b""[..], |c| c.cell(record));
                let kernel = cols.kernel.as_ref().map_or(&b""[..], |c| c.cell(record));
                let key = [arch, b" ", kernel].concat();
                let told = *self.types.get(&key, |_| {
                    type_of(&String::from_utf8_lossy(&key)).or_else(|| type_of(&self.name))
                });
                self.untold += u64::from(told.is_none());
                Ok(told.or(self.dtype).unwrap_or(DataType::Bf16))
            }
        };
        let t = &mut self.table;
        let row = operand
            .and_then(|operand| row(cols, record, operand))
            .map(|mut r| {
                r.device = match (&cols.arch, &cols.units) {
                    (Some(a), units) => {
                        let units = units.as_ref().map(|c| record.text(c.index));
                        t.device_target(&record.text(a.index), units.as_deref().unwrap_or(""))
                    }
                    (None, Some(c)) => device_of(t, &record.text(c.index)),
                    (None, None) => self.device,
                };
                r
            });
        cols.extras.stage(t, record);
        t.commit(record, row);
        Ok(())
    }

    fn finish(mut self) -> Result<Imported, ImportError> {
        let t = &mut self.table;
        if self.untold > 0 {
            t.assume_dtype(
                self.dtype.unwrap_or(DataType::Bf16),
                "Neither column nor kernel name tells the type of some rows",
            );
        }
        t.note("One best kernel a shape and device: this is no sweep over tiles.");
        t.note("The weight is stored N x K, so B counts as transposed.");
        t.note("tflops and bw are rounded to two digits, which shows where a rate is small; bw leaves a wider output out.");
        Ok(Imported::table(self.table.finish()))
    }

    fn rows(&self) -> u64 {
        self.table.rows_read()
    }
}

/// `cu_num` alone, as older files have it: 80 is MI308X, 304 is MI300X, 256 is MI350X.
fn device_of(table: &mut TableBuilder, units: &str) -> u16 {
    match units.trim() {
        units @ ("80" | "304") => table.device_target("gfx942", units),
        "256" => table.device_target("gfx950", "256"),
        "" => 0,
        other => table.device(&format!("{other} CUs")),
    }
}

/// Operand type from a kernel's or a file's name, behind the architecture where that is known.
fn type_of(text: &str) -> Option<DataType> {
    let lower = text.to_ascii_lowercase();
    let has = |part: &str| lower.contains(part);
    let fp8 = if has("gfx942") {
        DataType::Fp8E4m3Fnuz
    } else {
        DataType::Fp8E4m3
    };
    if has("fp4") || has("f4gemm") || has("a4w4") {
        Some(DataType::MxFp4)
    } else if has("mxscale") || has("mxfp8") {
        Some(DataType::MxFp8)
    } else if has("a8w8_blockscale") || has("fp8") || has("f8") || has("a8w8_bpreshuffle") {
        Some(fp8)
    } else if has("i8gemm") || has("int8") || has("a8w8") {
        Some(DataType::Int8)
    } else if has("bf16") || has("a16w16") {
        Some(DataType::Bf16)
    } else if has("fp16") {
        Some(DataType::Fp16)
    } else {
        None
    }
}

fn row(cols: &Cols, record: &Record<'_>, operand: DataType) -> Result<Row, Bad> {
    if let Some(p) = record.problem() {
        return Err(Bad::new(p));
    }
    let [m, n, k] = &cols.sizes;
    let (m, n, k) = (
        m.size(record, "M")?,
        n.size(record, "N")?,
        k.size(record, "K")?,
    );
    let time_s = match &cols.time {
        Some(c) => c.positive(record, "time", 1e-6)?,
        None => f64::NAN,
    };
    let out = match &cols.out {
        Some(c) if !c.cell(record).is_empty() => DataType::parse(&record.text(c.index))
            .ok_or_else(|| c.bad(record, "data type", Flaw::UnknownType))?,
        _ => DataType::Bf16,
    };
    let mut op = Operation {
        c: out,
        ..Operation::uniform(operand)
    }
    .with_layout(false, true);
    op.bias = cols
        .bias
        .as_ref()
        .is_some_and(|c| c.cell(record).eq_ignore_ascii_case(b"true"));
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

    fn read(name: &str, bytes: &[u8]) -> Dataset {
        match read_all(name, bytes, &ImportOptions::default()) {
            Ok(Imported::Table(d)) => {
                assert_eq!(d.sources[0].format, "aiter");
                *d
            }
            other => panic!("{other:?}"),
        }
    }

    fn shared(name: &str) -> Option<Dataset> {
        let path = format!("{}/../shared/data/aiter/{name}", env!("CARGO_MANIFEST_DIR"));
        match std::fs::read(path) {
            Ok(bytes) => Some(read(name, &bytes)),
            Err(_) => {
                eprintln!("skipped: {name} is not here");
                None
            }
        }
    }

    fn on(d: &Dataset, device: &str) -> usize {
        let code = d.devices.iter().position(|n| n == device);
        d.device
            .iter()
            .filter(|&&c| Some(usize::from(c)) == code)
            .count()
    }

    #[test]
    fn zero_rows_of_the_real_file_are_set_aside() {
        let Some(d) = shared("dsv3_bf16_tuned_gemm.csv") else {
            return;
        };
        let s = &d.sources[0];
        assert_eq!(
            (s.rows_read, s.rows_used, s.set_aside.total()),
            (176, 62, 114)
        );
        assert_eq!(s.set_aside.reasons[0].text, "time is zero (us)");
        assert_eq!((on(&d, "gfx950:256"), on(&d, "gfx942:80")), (58, 4));
        assert_eq!(
            (s.reported_rate.compared, s.reported_rate.within_1_percent),
            (62, 62)
        );
    }

    #[test]
    fn two_devices_and_a_wide_output() {
        let Some(d) = shared("bf16_tuned_gemm.csv") else {
            return;
        };
        let s = &d.sources[0];
        assert_eq!(
            (d.len(), on(&d, "gfx950:256"), on(&d, "gfx1250:96")),
            (232, 112, 120)
        );
        assert_eq!(d.problem(0).op.to_string(), "bf16 -> fp32 NT");
        // Six rates below half a TFLOP/s are rounded to two digits.
        assert_eq!(
            (s.reported_rate.compared, s.reported_rate.within_1_percent),
            (232, 226)
        );
    }

    #[test]
    fn int8_and_fp8_by_the_column() {
        let Some(d) = shared("a8w8_tuned_gemm.csv") else {
            return;
        };
        let s = &d.sources[0];
        assert_eq!((d.len(), s.set_aside.total()), (579, 0));
        assert_eq!(
            (s.reported_rate.compared, s.reported_rate.within_1_percent),
            (579, 577)
        );
        assert_eq!(d.problem(0).op.to_string(), "int8 -> bf16 NT");
        let fp8 = (0..d.len())
            .filter(|&i| d.problem(i).op.a == DataType::Fp8E4m3)
            .count();
        assert_eq!(fp8, 101);
    }

    #[test]
    fn the_untuned_list_has_no_times() {
        let Some(d) = shared("a8w8_untuned_gemm.csv") else {
            return;
        };
        assert_eq!(d.len(), 66);
        assert!(d.time_s.iter().all(|t| t.is_nan()));
        assert_eq!(d.problem(0).op.a, DataType::Int8);
    }

    #[test]
    fn the_other_families() {
        let d = read(
            "x.csv",
            b"gfx,cu_num,B,M,N,K,kernelId,splitK,us,kernelName,tflops,bw,errRatio\n\
              gfx942,304,16,32,1280,8192,28,0,68.9821,a8w8_batched_rowwise_256x32x128x256_32x32_1x1,155.6551,5004.8,0.0\n",
        );
        let p = d.problem(0);
        assert_eq!((p.batch, p.op.a), (16, DataType::Int8));
        assert_eq!(d.sources[0].reported_rate.within_1_percent, 1);
        let d = read(
            "x.csv",
            b"gfx,b,m,n,k,libtype,kernelId,splitK,us,kernelName,tflops,bw,errRatio\n\
              gfx950,1,32,1280,8192,opus,28,2,10,opus_bmm_a8w8_mxscale_flatmm_splitk_256x16x32x512_1x2,67.1,1,0.0\n\
              gfx950,1,32,1280,8192,asm,28,2,10,_ZN5aiter41f4gemm_bf16_per1x32Fp4_BpreShuffle_32x128E,67.1,1,0.0\n\
              gfx950,1,32,1280,8192,ck,28,2,inf,a8w8_blockscale_1x128x128_256x16x64x256,67.1,1,0.0\n",
        );
        assert_eq!(
            (d.problem(0).op.a, d.problem(1).op.a),
            (DataType::MxFp8, DataType::MxFp4)
        );
        assert_eq!(d.devices[1], "gfx950");
        assert_eq!(
            d.sources[0].set_aside.reasons[0].text,
            "time is infinite (us)"
        );
        assert_eq!(d.text(Role::Library, 0), "opus");
        assert_eq!(d.number(Role::SplitK, 0), 2.0);
        let d = read(
            "x.csv",
            b"M,N,K,bias,outdtype,splitK,us\n1,1280,8192,True,torch.bfloat16,0,20.5\n",
        );
        assert!(d.problem(0).op.bias);
        let d = read(
            "x.csv",
            b"cu_num,M,N,K,kernelId,splitK,us,kernelName\n304,1,1280,8192,3,0,20.5,a8w8_blockscale_1x128x128_256x16x64x256_16x16\n",
        );
        assert_eq!(d.devices[1], "gfx942:304");
        assert_eq!(d.problem(0).op.a, DataType::Fp8E4m3);
    }
}
