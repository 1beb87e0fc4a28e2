//! Converts named slots of a log line (`split::template`) to an [`Entry`], and reads logs that templates describe
//! completely: lines above the results, results, lines after them, and defaults.
//!
//! Slots in addition to those of `template`: `{square}` is M, N and K, `{shape}` these and the batch, `{blocks}` the
//! number of products with inner size `{k}` that are summed. `{a}` and `{b}` are the transposes, `{layout}` both. Types
//! are in `{dtype}`, `{dtype_a}`, `{dtype_b}`, `{dtype_c}` or `{dtype_d}`, in the name of a BLAS `{routine}`, in the
//! `{letter}` before it or in the letters of a `{precision}`. The rate is in `{mflops}`, `{gflops}`, `{tflops}` or,
//! with its unit, in `{rate}`.

use super::log::{self, Entry, LogFormat, LogRows, Parser};
use super::template::{Slots, slots};
use crate::Head;
use crate::cell::{self, shape_text, values};
use crate::cell::{CellError, NO_SIZES};
use crate::columns::header::flaw;
use gemmscope_model::dtype::{DataType, from_blas_letter};
use gemmscope_model::gemm::Operation;
use gemmscope_table::build::Row;
use gemmscope_table::build::cell_text::RowError;
use gemmscope_table::dataset::ColumnMeaning;

/// Types of A, B and the output, and transposes of A and B.
type Named = ([Option<DataType>; 3], [Option<bool>; 2]);

/// The slots of a result, and those that apply from lines above.
#[derive(Default)]
pub(crate) struct SlotValues<'a> {
    own: Slots<'a>,
    held: &'a [(String, String)],
}

impl<'a> SlotValues<'a> {
    /// Values of these slots only.
    pub(crate) fn new(own: Slots<'a>) -> Self {
        SlotValues { own, held: &[] }
    }

    /// The text of a slot; "" if no line has it.
    pub(crate) fn get(&self, name: &str) -> &'a str {
        let above = || self.held.iter().rev().find(|(n, _)| *n == name);
        match self.own.get(name) {
            "" => above().map_or("", |(_, text)| text),
            own => own,
        }
    }

    /// The number in a slot; NaN if there is none.
    pub(crate) fn number(&self, name: &str) -> f64 {
        cell::number(self.get(name).as_bytes()).unwrap_or(f64::NAN)
    }

    /// The size in a slot.
    pub(crate) fn size(&self, name: &str) -> Result<u32, RowError> {
        let what = match name {
            "m" | "n" | "k" => &name.to_uppercase(),
            "blocks" => "number of blocks",
            name => name,
        };
        log::size_of(Some(self.get(name)), what)
    }

    /// M, N, K and batch.
    fn sizes(&self) -> Result<[u32; 4], RowError> {
        if !self.get("square").is_empty() {
            let side = log::size_of(Some(self.get("square")), "size")?;
            return Ok([side, side, side, 1]);
        }
        if !self.get("shape").is_empty() {
            let shape = shape_text::shape(self.get("shape"), "MNKB");
            let shape = shape.ok_or_else(|| CellError::NotSizes.of("sizes"))?;
            let [m, n, k] = shape.sizes;
            return Ok([m, n, k, shape.batch.unwrap_or(1)]);
        }
        if ["m", "n", "k"].iter().all(|name| self.get(name).is_empty()) {
            return Err(RowError::new(NO_SIZES));
        }
        let [m, n, k] = [self.size("m")?, self.size("n")?, self.size("k")?];
        let or_one = |name: &str| if self.get(name).is_empty() { Ok(1) } else { self.size(name) };
        let (blocks, batch) = (or_one("blocks")?, or_one("batch")?);
        let k = k.checked_mul(blocks).ok_or_else(|| CellError::TooLarge.of("K"))?;
        Ok([m, n, k, batch])
    }

    /// FLOP/s; NaN if the line has none.
    fn rate(&self) -> f64 {
        let units = [("mflops", 1e6), ("gflops", 1e9), ("tflops", 1e12)];
        let stated = units.iter().find(|(name, _)| !self.own.get(name).is_empty());
        stated.map_or_else(
            || log::rate_in(self.own.get("rate")),
            |(name, scale)| self.own.number(name) * scale,
        )
    }

    /// Types of A, B and the output, and transposes of A and B stated along with them, as in `f16:column`.
    /// `Err` for an unknown type.
    fn types(&self, rows: &mut LogRows<'_>) -> Result<Named, RowError> {
        let mut of = |name: &str| match self.get(name) {
            "" => Ok(None),
            text => match rows.types_in(text) {
                None if name.len() > 5 => {
                    Err(flaw(CellError::UnknownType.of("data type").reason, text))
                }
                known => Ok(known),
            },
        };
        let (both, a, b) = (of("dtype")?, of("dtype_a")?, of("dtype_b")?);
        let c = of("dtype_d")?.or(of("dtype_c")?).map(|t| t.a);
        let letter = self.get("letter").chars().next_back().and_then(from_blas_letter);
        let letters = match letter {
            None => precision(self.get("precision")),
            letter => [letter, letter, None],
        };
        let of_a = a.or(both).map(|t| t.a).or(letters[0]);
        let of_b = b.map(|t| t.a).or(both.map(|t| t.b)).or(letters[1]).or(of_a);
        let of_c = c.or(both.and_then(|t| t.c)).or(letters[2]);
        Ok(([of_a, of_b, of_c], [a, b].map(|t| t.and_then(|t| t.transposed))))
    }

    /// The operation, with the logged types or the default ones; `None` if the routine is not a GEMM.
    fn operation(
        &self,
        log: &LogFormat,
        rows: &mut LogRows<'_>,
    ) -> Option<Result<Operation, RowError>> {
        let ([a, b, c], of_types) = match self.types(rows) {
            Ok(types) => types,
            Err(unknown) => return Some(Err(unknown)),
        };
        let mut op = match self.get("routine") {
            "" => {
                let of_a = rows.dtype(a);
                let op = match a {
                    Some(a) if a == of_a => Operation::mixed(a, b.unwrap_or(a), a.default_output()),
                    _ => Operation::uniform(of_a),
                };
                let c = c.filter(|_| a == Some(of_a)).or(log.output);
                Operation { c: c.unwrap_or(op.c), ..op }
            }
            routine => operation(routine)?,
        };
        let beta = self.number("beta");
        op.beta = !beta.is_nan() && beta != 0.0;
        // `T`, `1`, `^T`
        let letter = |name: &str| match self.get(name).trim_start_matches('^') {
            "" => Ok(None),
            text => match values::transpose(text) {
                None => Err(CellError::NotATranspose.of("transpose")),
                known => Ok(known),
            },
        };
        Some((|| {
            let by_layout = values::layout(self.get("layout"));
            let by_letters = [letter("a")?, letter("b")?];
            let of = |i: usize, layout: Option<bool>| {
                by_letters[i].or(layout).or(of_types[i]).unwrap_or(log.transposed[i])
            };
            Ok(op.with_layout(of(0, by_layout.map(|l| l.0)), of(1, by_layout.map(|l| l.1))))
        })())
    }

    fn row(&self, op: Result<Operation, RowError>) -> Result<Row, RowError> {
        let [m, n, k, batch] = self.sizes()?;
        let time_s = if self.own.has_time() { self.own.time()? } else { f64::NAN };
        Ok(Row { batch, ..Row::new(m, n, k, op?, time_s) })
    }

    /// The result; `None` if the routine of the line is not a GEMM.
    pub(crate) fn entry(&self, log: &LogFormat, rows: &mut LogRows<'_>) -> Option<Entry> {
        let op = self.operation(log, rows)?;
        let mut e = Entry::new(self.row(op));
        e.rate = self.rate();
        e.bandwidth = self.own.number("gbps") * 1e9;
        let library = self.get("library");
        e.library = if library.is_empty() { log.library } else { library }.to_owned();
        self.get("kernel").clone_into(&mut e.kernel);
        let name = if self.get("routine").is_empty() { "op_name" } else { "routine" };
        self.get(name).clone_into(&mut e.op_name);
        self.get("device").clone_into(&mut e.device);
        let count = self.number("count");
        e.figures.extend((!count.is_nan()).then_some((ColumnMeaning::Count, count)));
        (log.also)(self, &mut e, rows);
        Some(e)
    }
}

/// Types of A, B and the output from the letters of cuBLAS's benchmark: `hsh`, `bisb_imma`, `qqssq`, `sss_fast_tf32`.
/// Three or four letters have one for both operands; the last is that of the output.
fn precision(letters: &str) -> [Option<DataType>; 3] {
    let (types, kind) = letters.split_once('_').unwrap_or((letters, ""));
    let types: Vec<char> = types.trim_start_matches("nv").chars().collect();
    let of = |letter: &char| {
        Some(match letter {
            't' => DataType::Bf16,
            'b' => DataType::Int8,
            'i' => DataType::Int32,
            'q' => DataType::Fp8E4m3,
            'r' => DataType::Fp8E5m2,
            'o' => DataType::NvFp4,
            letter => return from_blas_letter(*letter),
        })
    };
    match &types[..] {
        [a, .., out] if kind.contains("tf32") && *a == 's' => {
            [Some(DataType::Tf32), Some(DataType::Tf32), of(out)]
        }
        [a, b, _, _, out] => [of(a), of(b), of(out)],
        [a, .., out] => [of(a), of(a), of(out)],
        _ => [None; 3],
    }
}

/// Types of a BLAS routine: `SGEMM`, `dgemm_`, `gemm_bf16bf16f32`.
fn operation(routine: &str) -> Option<Operation> {
    let name = routine.split_whitespace().last()?.to_ascii_uppercase();
    let (letter, rest) = name.split_once("GEMM")?;
    Some(match (letter, rest.trim_end_matches("_BLIS_IMPL")) {
        ("", "_BF16BF16F32") => Operation::mixed(DataType::Bf16, DataType::Bf16, DataType::Fp32),
        ("", "_F16F16F32") => Operation::mixed(DataType::Fp16, DataType::Fp16, DataType::Fp32),
        ("", r) if r.starts_with("_S8") => {
            Operation::mixed(DataType::Int8, DataType::Int8, DataType::Int32)
        }
        (letter, "" | "_" | "_64" | "3M" | "3M_") => {
            Operation::uniform(from_blas_letter(letter.chars().next()?)?)
        }
        _ => return None,
    })
}

/// Slots that hold sizes.
const SIZES: [&str; 3] = ["m", "square", "shape"];

/// Parser of log lines by templates.
pub(crate) struct Lines {
    log: &'static LogFormat,
    /// Slots of the lines above, newest last.
    held: Vec<(String, String)>,
    /// Some line had a result.
    any: bool,
    /// A result that lines below may complete.
    open: Option<Entry>,
}

impl Lines {
    pub(crate) fn new(log: &'static LogFormat) -> Self {
        Lines { log, held: Vec::new(), any: false, open: None }
    }

    /// True if the head has a result, with sizes in it or above it.
    pub(crate) fn knows(log: &LogFormat, head: &Head) -> bool {
        let sized = |s: &Slots<'_>| SIZES.iter().any(|name| !s.get(name).is_empty());
        let found = |templates: &[&'static str], fits: &dyn Fn(&Slots<'_>) -> bool| {
            let fits = |t: &&'static str, line: &String| {
                slots(t.trim_start_matches('!'), line).is_some_and(|s| fits(&s))
            };
            head.lines.iter().any(|l| templates.iter().any(|t| fits(t, l)))
        };
        let of_gemm = |s: &Slots<'_>| {
            let routine = s.get("routine");
            routine.is_empty() || operation(routine).is_some()
        };
        let alone = |s: &Slots<'_>| of_gemm(s) && sized(s);
        found(log.results, &alone)
            || found(log.results, &of_gemm) && found(log.above, &sized)
            || found(log.again, &of_gemm)
    }

    /// True if some template has a slot for types.
    pub(crate) fn names_types(log: &LogFormat) -> bool {
        let names = ["{dtype", "{routine", "{precision", "{letter", "{="];
        log.above.iter().chain(log.results).any(|t| names.iter().any(|s| t.contains(s)))
    }

    /// The slots of a line with a result.
    fn found<'a>(&mut self, line: &'a str) -> Option<Slots<'a>> {
        let found = self.log.results.iter().find_map(|t| slots(t, line));
        self.any |= found.is_some();
        found.or_else(|| self.log.again.iter().filter(|_| !self.any).find_map(|t| slots(t, line)))
    }

    /// Keeps what a line states for the results below; true if it starts a new problem.
    fn hold(&mut self, line: &str) -> bool {
        let mut begins = false;
        for template in self.log.above {
            let anew = template.strip_prefix('!');
            let Some(found) = slots(anew.unwrap_or(template), line) else { continue };
            begins |= anew.is_some() || found.all().any(|(name, _)| SIZES.contains(&name));
            if anew.is_some() {
                self.held.clear();
            }
            for (name, text) in found.all() {
                self.held.retain(|(held, _)| *held != name);
                self.held.push((name.to_owned(), text.to_owned()));
            }
        }
        begins
    }
}

impl Parser for Lines {
    fn line(&mut self, line: &str, rows: &mut LogRows<'_>) -> Vec<Entry> {
        let begins = self.hold(line);
        let own = self.found(line);
        let held = std::mem::take(&mut self.held);
        let entry = own.and_then(|own| SlotValues { own, held: &held }.entry(self.log, rows));
        self.held = held;
        if self.log.below.is_empty() {
            return entry.into_iter().collect();
        }
        let below = self.log.below.iter().find_map(|t| slots(t, line));
        if let (Some(e), Some(s)) = (&mut self.open, below) {
            e.rate = SlotValues::new(s).rate();
        }
        let before = if begins || entry.is_some() { self.open.take() } else { None };
        self.open = entry.or(self.open.take());
        before.into_iter().collect()
    }

    fn last(&mut self, _: &mut LogRows<'_>) -> Vec<Entry> {
        self.open.take().into_iter().collect()
    }
}
