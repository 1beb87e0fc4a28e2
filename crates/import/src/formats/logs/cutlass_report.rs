//! What the CUTLASS profiler and the examples of CUTLASS and CuTe DSL print for people: a paragraph a
//! problem, with the sizes in its arguments, behind `Problem Size:` or `mnkl:` or in a line each, and the
//! time below them.

use super::*;
use crate::cell::shape_text::{self, Shape};
use crate::cell::values;

pub(crate) const FORMAT: Format = Format {
    id: "cutlass-report",
    name: "CUTLASS profiler or example (printed report)",
    produced_by: "cutlass_profiler --operation=Gemm --m=4096 --n=4096 --k=4096, or an example such as 48_hopper_warp_specialized_gemm (CUTLASS)",
    example: "  Operation: cutlass_tensorop_s16816gemm_f16_256x128_32x3_nt_align8\n\
              \x20 Disposition: Passed\n\
              \x20 Arguments: --gemm_kind=universal --m=4096 --n=2048 --k=1024 --A=f16:column --B=f16:row --C=f32:column --batch_count=1\n\
              \x20 Runtime: 0.0763  ms\n\
              \x20 Math: 225141 GFLOP/s\n",
    read: ReadBy::Log(&LogFormat {
        knows: |head| {
            let sizes = head.any(|l| problem(l).is_some());
            sizes && head.any(|l| time(l).is_some())
                || head.any(|l| slots(BOTH, l).is_some()) && head.any(|l| l.starts_with("M = "))
        },
        score: 93,
        reason: "its lines say Runtime: … ms below a problem",
        others: Others::Unsaid,
        parser: |_, _, _| Box::<Report>::default(),
        ..LogFormat::DEFAULT
    }),
};

/// The problem of a paragraph.
#[derive(Clone, Debug)]
struct Problem {
    shape: Shape,
    /// Type and transpose of A and B, type of the output.
    types: [Option<(DataType, bool)>; 2],
    output: Option<DataType>,
}

impl Problem {
    /// One of which only the sizes are known.
    fn of(shape: Shape) -> Self {
        Problem { shape, types: [None, None], output: None }
    }
}

/// The line of the examples for SYCL and of CuTe's tutorial: `CUTE_GEMM:     [19000.5]GFlop/s  (11.3)ms`.
const BOTH: &str = "[{number}]{unit} ({ms})ms";

#[derive(Default)]
struct Report {
    kernel: String,
    /// M, N and K, where each has its line.
    sizes: [Option<u32>; 3],
    /// What the run was found to be, where that is no success.
    flaw: Option<String>,
    problem: Option<Problem>,
    /// The result whose rate may follow.
    pending: Option<Entry>,
}

/// `--m=4096 --n=2048 --k=1024 --A=f16:column`, `Problem Size: 4096x2048x1024x1`,
/// `10 timing iterations of 4096 x 2048 x 1024 matrix-matrix multiply`.
fn problem(line: &str) -> Option<Problem> {
    if let Some(arguments) = log::after(line, "--m=").and(log::after(line, "Arguments:")) {
        let argument = |name: &str| {
            let mut words = arguments.split_whitespace();
            words.find_map(|w| w.strip_prefix("--")?.strip_prefix(name)?.strip_prefix('='))
        };
        let size = |name: &str| crate::cell::size(argument(name)?.as_bytes()).ok();
        let shape =
            Shape { sizes: [size("m")?, size("n")?, size("k")?], batch: size("batch_count") };
        let of = |name: &str| values::types(argument(name)?);
        let operand = |name: &str| of(name).map(|t| (t.a, t.transposed.unwrap_or(false)));
        let output = of("D").or_else(|| of("C")).map(|t| t.a);
        return Some(Problem { shape, types: [operand("A"), operand("B")], output });
    }
    if let Some(s) = slots("^mnkl: ({m}, {n}, {k}, {batch})", line) {
        let shape = Shape { sizes: s.sizes().ok()?, batch: s.size("batch").ok() };
        return Some(Problem::of(shape));
    }
    let text = log::after(line, "Problem Size:")
        .or_else(|| log::after(line, "timing iterations of").filter(|t| t.contains("multiply")))?;
    let shape = shape_text::shape(text.split(" matrix").next()?, "MNKB")
        .filter(|s| s.sizes.iter().all(|v| *v > 0))?;
    Some(Problem::of(shape))
}

/// What CuTe DSL's examples print below the sizes: `AB dtype: Float16, C dtype: BFloat16, …` and
/// `Matrix majors - A: k, B: n, …`, which are the contiguous dimensions: T and T of a BLAS.
fn take_types(line: &str, p: &mut Problem) {
    if let Some(s) = slots("^Matrix majors - A: {a}, B: {b},", line) {
        for (operand, transposed) in p.types.iter_mut().zip([s.get("a") == "k", s.get("b") == "n"])
        {
            operand.get_or_insert((DataType::Fp16, false)).1 = transposed;
        }
    }
    for (operands, dtype) in line.split(", ").filter_map(|part| part.split_once(" dtype: ")) {
        match (operands, DataType::parse(dtype)) {
            ("AB", Some(dtype)) => p.types = [Some((dtype, false)); 2],
            ("A", Some(dtype)) => p.types[0] = Some((dtype, false)),
            ("B", Some(dtype)) => p.types[1] = Some((dtype, false)),
            ("C" | "D", Some(dtype)) => p.output = Some(dtype),
            _ => {}
        }
    }
}

/// `Runtime: 0.0763  ms`, `Avg runtime: 0.0763 ms`, `Execution time: 405.25 microseconds per iteration`
fn time(line: &str) -> Option<Result<f64, RowError>> {
    if let Some(s) = slots(BOTH, line) {
        return Some(s.time());
    }
    if let Some(s) = slots("^Execution time: {us} {unit}", line) {
        let of_calls = s.get("unit").starts_with("microseconds") || s.get("unit") == "us";
        return of_calls.then(|| s.time());
    }
    let text = line.trim().strip_prefix("Avg ").unwrap_or(line.trim());
    let text = text.strip_prefix("runtime").or(text.strip_prefix("Runtime"))?;
    slots("^: {ms} ms", text.trim_start()).map(|s| s.time())
}

impl Report {
    fn row(&self, time_s: f64, rows: &mut LogRows<'_>) -> Result<Row, RowError> {
        let p = self.problem.clone().ok_or_else(|| RowError::new("no M, N, K above the time"))?;
        if let Some(flaw) = &self.flaw {
            return Err(RowError::new(format!("Disposition is {flaw}")));
        }
        let [a, b] = p.types;
        let of_a = rows.dtype(a.map(|t| t.0));
        let of_b = b.map_or(of_a, |t| t.0);
        let output = p.output.unwrap_or_else(|| of_a.default_output());
        let transposed = |t: Option<(DataType, bool)>| t.is_some_and(|t| t.1);
        let op = Operation::mixed(of_a, of_b, output).with_layout(transposed(a), transposed(b));
        Ok(p.shape.row(op, time_s))
    }
}

impl Parser for Report {
    fn line(&mut self, line: &str, rows: &mut LogRows<'_>) -> Vec<Entry> {
        if let Some(kernel) = line.trim().strip_prefix("Operation:") {
            kernel.trim().clone_into(&mut self.kernel);
            (self.flaw, self.problem) = (None, None);
            return self.pending.take().into_iter().collect();
        }
        if let Some(how) = line.trim().strip_prefix("Disposition:") {
            let how = how.trim();
            let passed = ["passed", "not verified", "not_verified"];
            let failed = !passed.contains(&how.to_ascii_lowercase().as_str());
            self.flaw = failed.then(|| how.to_owned());
            return Vec::new();
        }
        if let Some(problem) = problem(line) {
            self.problem = Some(problem);
            return self.pending.take().into_iter().collect();
        }
        let size = line.split_once(" = ").map(|(name, size)| (name.trim(), size.trim()));
        let at = size.and_then(|(name, _)| ["M", "N", "K"].iter().position(|l| *l == name));
        if let (Some(at), Some((_, size))) = (at, size) {
            self.sizes[at] = crate::cell::size(size.as_bytes()).ok();
            if let [Some(m), Some(n), Some(k)] = self.sizes {
                self.problem = Some(Problem::of(Shape { sizes: [m, n, k], batch: None }));
            }
        }
        if let Some(problem) = &mut self.problem {
            take_types(line, problem);
        }
        if let Some(time) = time(line) {
            let mut e = Entry::new(time.and_then(|t| self.row(t, rows)));
            e.kernel.clone_from(&self.kernel);
            e.library = "CUTLASS".to_owned();
            if let Some(s) = slots(BOTH, line) {
                e.rate = log::rate_in(&format!("{} {}", s.get("number"), s.get("unit")));
            }
            return self.pending.replace(e).into_iter().collect();
        }
        let rate =
            slots("Math: {number} GFLOP/s", line).or_else(|| slots("GFLOPS: {number}", line));
        if let (Some(s), Some(e)) =
            (rate.or_else(|| slots("GFLOPs: {number}", line)), &mut self.pending)
        {
            e.rate = s.number("number") * 1e9;
        }
        Vec::new()
    }

    fn last(&mut self, _: &mut LogRows<'_>) -> Vec<Entry> {
        self.pending.take().into_iter().collect()
    }
}
