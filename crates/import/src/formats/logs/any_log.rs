//! What any script prints: one result a line, with M, N and K, and a time or a rate with its unit:
//! `M=4096, N=4096, K=4096: 0.250 ms, 549.7 TFLOPS`, `cuBLAS 4096x4096x4096 bf16 - 0.25ms`.

mod measured;

use super::*;
use crate::cell::shape_text::{Shape, named};
use crate::columns::defaults;
use crate::columns::plan::{ITS_RATES, from_rates};
use crate::columns::words::{Says, says};
use gemmscope_model::tiling::kernel_name::KernelName;
use measured::{Measured, measured};

pub(crate) const FORMAT: Format = Format {
    id: "log",
    name: "Lines with M, N, K and a time or a rate",
    produced_by: "any script that prints one result per line",
    example: "cuBLAS M=4096 N=4096 K=4096 fp16: 0.690 ms, 199.2 TFLOPS\n\
              mine   M=4096 N=4096 K=4096 fp16: 0.750 ms, 183.3 TFLOPS\n",
    read: ReadBy::Log(&LogFormat {
        knows: |_, head| {
            let mut section = Section::default();
            head.lines.iter().any(|l| section.read(l).is_some())
        },
        score: 25,
        parser: |_, _, _| Box::<AnyLog>::default(),
        ..LogFormat::DEFAULT
    }),
};

#[derive(Default)]
struct AnyLog {
    section: Section,
}

/// Sizes in a line of their own, and what the lines below them say of one library.
#[derive(Default)]
struct Section {
    shape: Option<Shape>,
    /// The line with the sizes.
    heading: String,
    name: String,
    time_s: f64,
    rate: f64,
}

impl Section {
    /// The result of a line, its own or one that it completes.
    fn read(&mut self, line: &str) -> Option<Printed> {
        // Longer ones are no printed results.
        if line.len() > 400 {
            return None;
        }
        let shape = named(line);
        result(line, shape).or_else(|| self.take(line, shape))
    }

    /// The result that a line completes. Lines may speak of anything, so it takes a time and a rate that
    /// agree on the sizes above them.
    fn take(&mut self, line: &str, shape: Option<Shape>) -> Option<Printed> {
        // Figures count below the line of a shape.
        if shape.is_none() && self.shape.is_some() {
            let (found, _) = measured(line);
            for one in &found {
                self.time_s = if one.time_s.is_nan() { self.time_s } else { one.time_s };
                self.rate = if one.rate.is_nan() { self.rate } else { one.rate };
            }
            if !found.is_empty() {
                return self.result();
            }
        }
        if shape.is_some() {
            self.shape = shape;
            line.clone_into(&mut self.heading);
            self.name.clear();
            (self.time_s, self.rate) = (f64::NAN, f64::NAN);
        } else if let Some(name) = line.trim().strip_suffix(':') {
            (self.time_s, self.rate) = (f64::NAN, f64::NAN);
            name.trim().clone_into(&mut self.name);
        }
        None
    }

    fn result(&mut self) -> Option<Printed> {
        let shape = self.shape?;
        let one = Measured {
            name: String::new(),
            dtype: None,
            time_s: self.time_s,
            rate: self.rate,
            bandwidth: f64::NAN,
        };
        agrees(&shape, &one).then(|| {
            (self.time_s, self.rate) = (f64::NAN, f64::NAN);
            let dtype = defaults::dtype_in(&self.heading);
            Printed { shape, measured: vec![one], dtype, name: self.name.clone() }
        })
    }
}

/// What a line says.
struct Printed {
    shape: Shape,
    measured: Vec<Measured>,
    dtype: Option<DataType>,
    /// What stands before the sizes.
    name: String,
}

/// What a line with this shape, or the side of a square one, says of a time or a rate; `None` for any other.
fn result(line: &str, shape: Option<Shape>) -> Option<Printed> {
    if shape.is_none() && square_side(line).is_none() {
        return None;
    }
    let (measured, at) = measured(line);
    let shape = shape.or_else(|| square(line, measured.first()?))?;
    (!measured.is_empty()).then(|| Printed {
        shape,
        measured,
        dtype: defaults::dtype_in(line),
        name: name_before(line, at),
    })
}

/// The only size of a line: `N=4096`, `size 4096`, `4096x4096`.
fn square_side(line: &str) -> Option<u32> {
    let words = || {
        let words = line.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '.'));
        words.filter(|w| !w.is_empty())
    };
    let of_letter = |(word, next): (&str, &str)| {
        let size = ["n", "m", "size", "dim"].iter().any(|w| word.eq_ignore_ascii_case(w));
        size.then(|| crate::cell::size(next.as_bytes()).ok())?
    };
    let of_pair = |word: &str| {
        let (a, b) = word.split_once(['x', 'X'])?;
        (a == b).then(|| crate::cell::size(a.as_bytes()).ok())?
    };
    words().zip(words().skip(1)).find_map(of_letter).or_else(|| words().find_map(of_pair))
}

/// A square GEMM of the only size, where time and rate of the line agree on it.
fn square(line: &str, m: &Measured) -> Option<Shape> {
    let n = square_side(line)?;
    Some(Shape { sizes: [n, n, n], batch: None }).filter(|shape| agrees(shape, m))
}

/// Time and rate are those of this shape.
fn agrees(shape: &Shape, m: &Measured) -> bool {
    let calls = f64::from(shape.batch.unwrap_or(1));
    let work = 2.0 * calls * shape.sizes.map(f64::from).iter().product::<f64>();
    (work / m.time_s / m.rate - 1.0).abs() < 0.02
}

/// The words before the sizes and the figures, without those that only announce them.
fn name_before(line: &str, figures: usize) -> String {
    let starts = |i: usize| !line[..i].ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
    let end = line
        .char_indices()
        .find(|(i, c)| {
            let rest = &line[*i..];
            let sizes = rest.trim_start_matches(['(', '[']);
            sizes.starts_with(|c: char| c.is_ascii_digit()) && starts(*i) && named(rest).is_some()
                || matches!(c, 'M' | 'm' | 'N' | 'n')
                    && starts(*i)
                    && rest[1..].trim_start().starts_with(['=', ':'])
        })
        .map_or(figures, |(i, _)| i);
    let words: Vec<&str> = line[..end.min(figures)]
        .split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '-' || c == '.'))
        .filter(|w| w.starts_with(|c: char| c.is_alphabetic()))
        .filter(|w| {
            let lower = w.to_lowercase();
            !says(&lower, &[Says::Announces, Says::Prose, Says::Duration, Says::Rate])
        })
        .collect();
    words.join(" ")
}

impl Parser for AnyLog {
    fn line(&mut self, line: &str, rows: &mut LogRows<'_>) -> Vec<Entry> {
        let Some(r) = self.section.read(line) else { return Vec::new() };
        let several = r.measured.len() > 1;
        let mut entries = Vec::with_capacity(r.measured.len());
        for one in r.measured {
            let op = Operation::uniform(rows.dtype(one.dtype.or(r.dtype)));
            let time_s = if one.time_s.is_nan() {
                rows.table.note(from_rates(ITS_RATES));
                r.shape.row(op, f64::NAN).problem().work().0 / one.rate
            } else {
                one.time_s
            };
            let timed = time_s > 0.0;
            let row = timed.then(|| r.shape.row(op, time_s));
            let mut entry = Entry::new(row.ok_or_else(|| CellError::Zero.of("time")));
            if !one.time_s.is_nan() {
                entry.rate = one.rate;
            }
            entry.bandwidth = one.bandwidth;
            // A name with a tile in it is a kernel's.
            let is_kernel = KernelName::parse(&r.name).tile.is_some();
            *(if is_kernel { &mut entry.kernel } else { &mut entry.library }) = r.name.clone();
            if several && one.name != "this" {
                entry.library = one.name;
            }
            entries.push(entry);
        }
        entries
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ImportOptions, Imported, read_all};
    use gemmscope_table::dataset::ColumnMeaning;

    #[test]
    fn lines_of_any_script() {
        let text = "Warming up...\n\
            M=4096, N=4096, K=4096: 0.250 ms, 549.7 TFLOPS\n\
            [cuBLAS] 2048x2048x2048 bf16 - 50us (343.6 TFLOP/s)\n\
            my_kernel: M: 1024 N: 512 K: 256  rate 12.5 TFLOPS\n\
            cuBLAS time for 4096x4096x4096: 1.2 ms\n\
            done in 3 s\n";
        let Ok(Imported::Table(d)) = read_all("", text.as_bytes(), &ImportOptions::default())
        else {
            panic!("a table")
        };
        assert_eq!((d.sources[0].format.as_str(), d.len()), ("log", 4));
        assert_eq!(d.time_s[0], 0.25e-3);
        assert_eq!((d.m[1], d.time_s[1]), (2048, 50e-6));
        assert_eq!(d.problem(1).op.a, DataType::Bf16);
        let name = |r| d.text(ColumnMeaning::Library, r).to_owned();
        let names = [name(0), name(1), name(2), name(3)];
        assert_eq!(names, ["", "cuBLAS", "my_kernel", "cuBLAS"]);
        assert!((d.time_s[2] - 2.0 * 1024.0 * 512.0 * 256.0 / 12.5e12).abs() < 1e-15);
        assert_eq!(d.sources[0].reported_rate.within_1_percent, 2);
    }

    #[test]
    fn a_macro_tile_is_no_size() {
        let none = "mt64x128x32_sk1 0.25 ms\nmt256x128_sk4: 12 us, 30 TFLOPS\n";
        assert!(read_all("", none.as_bytes(), &ImportOptions::default()).is_err());
        let text = "mt64x128x32_sk2 4096x2048x1024 bf16: 0.25 ms\n";
        let Ok(Imported::Table(d)) = read_all("", text.as_bytes(), &ImportOptions::default())
        else {
            panic!("a table")
        };
        assert_eq!((d.m[0], d.n[0], d.k[0]), (4096, 2048, 1024));
    }

    #[test]
    fn figures_below_their_sizes() {
        let text = "=== Benchmarking shape: m=64, n=24576, k=1536 ===\n\
            Running benchmarks...\n\
            DeepGEMM:\n  Average time: 0.0213 ms\n  TFLOPS: 226.9\n\
            vLLM Triton:\n  Average time: 0.0445 ms\n  TFLOPS: 108.6\n\
            M=4096 N=4096 K=4096\n\
            Block size: 256x128\n\
            Avg Kernel execution time: 193.2 us\n\
            Achieved performance: 711.4 TFLOPs\n\
            Peak memory bandwidth test: 12 ms\n\
            Other kernel: 3 TFLOPS\n";
        let Ok(Imported::Table(d)) = read_all("", text.as_bytes(), &ImportOptions::default())
        else {
            panic!("a table")
        };
        assert_eq!((d.sources[0].format.as_str(), d.len()), ("log", 3));
        assert_eq!((d.m.clone(), d.k.clone()), (vec![64, 64, 4096], vec![1536, 1536, 4096]));
        assert_eq!(d.time_s, [0.0213e-3, 0.0445e-3, 193.2 * 1e-6]);
        let name = |r| d.text(ColumnMeaning::Library, r);
        assert_eq!([name(0), name(1), name(2)], ["DeepGEMM", "vLLM Triton", ""]);
        assert_eq!(d.sources[0].reported_rate.within_1_percent, 3);
    }

    #[test]
    fn sizes_of_two_operands() {
        let text = "Matrix size 1024 x 512 times 512 x 2048\n\
            Time 1.25 ms, 1717.99 GFLOPS\n\
            MatrixA(320,320), MatrixB(640,320)\n\
            Computing result using CUDA Kernel...\n\
            Performance= 4219.96 GFlop/s, Time= 0.031 msec, Size= 131072000 Ops, WorkgroupSize= 1024 \
            threads/block\n\
            MatrixA(320,640), MatrixB(640,320)\n\
            Performance= 4219.96 GFlop/s, Time= 0.062 msec, Size= 262144000 Ops\n";
        let Ok(Imported::Table(d)) = read_all("", text.as_bytes(), &ImportOptions::default())
        else {
            panic!("a table")
        };
        // The last one names width before height: time and rate are not those of the sizes as they stand.
        assert_eq!(d.m, [1024, 320]);
        assert_eq!((d.n.clone(), d.k.clone()), (vec![2048, 640], vec![512, 320]));
        assert_eq!(d.time_s, [1.25e-3, 0.031e-3]);
    }

    #[test]
    fn prose_is_no_result() {
        for line in [
            "The tile is 128x128x32 and that took a while.",
            "Finished after 3.2 s",
            "M=4096, N=4096, K=4096",
            "M=4096 N=4096 K=4096: peak 989 TFLOPS, compiled in 12 s, 0.9x",
            "100 iterations of 4096x4096x4096 in 25 ms",
            "N=4096: 0.25 ms",
            "M=4K N=4K K=4K: 0.25 ms",
            "config 128x128x64: 0.1 ms",
            "softmax torch.Size([8, 128, 128]) 0.1 ms",
            "kernel<<<(32, 32, 1), (256, 1, 1)>>> 0.1 ms",
            "run of (2026, 1, 31): 3.2 s",
        ] {
            assert!(result(line, named(line)).is_none(), "{line}");
        }
    }
}
