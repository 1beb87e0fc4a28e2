//! Logs of which line templates say all: what stands above the results, the results, and defaults. The
//! names of the slots say what they hold.

use super::*;
use crate::cell::values;
use crate::columns::defaults;
use crate::{Detection, Opened};
use gemmscope_model::dtype::from_blas_letter;

/// A log as data. Slots beside those of [`slots`]: `{square}` is M, N and K, `{blocks}` how many products
/// of `{k}` are added up; `{a}` and `{b}` are the transposes; types stand in `{dtype}`, `{dtype_a}`,
/// `{dtype_b}`, `{dtype_c}`, the name of a `{routine}` of BLAS or the letters of a `{precision}`; the rate
/// in `{mflops}`, `{gflops}`, `{tflops}` or, with its unit, `{rate}`.
pub(crate) struct ByTemplate {
    /// As in [`Detection`].
    pub score: u8,
    pub reason: &'static str,
    /// Lines that hold for the results below them. The first begins anew: what was said before it is
    /// forgotten.
    pub above: &'static [&'static str],
    /// Lines with a result.
    pub results: &'static [&'static str],
    /// Lines that say a result again: read where no line of `results` came before them.
    pub again: &'static [&'static str],
    /// What ran, where no slot says it.
    pub library: &'static str,
    /// Type of A and B where neither a line, the file's name nor the user names one.
    pub dtype: DataType,
    pub notes: &'static [&'static str],
}

impl ByTemplate {
    /// Defaults for the fields that a log may omit.
    pub(super) const DEFAULT: ByTemplate = ByTemplate {
        score: 0,
        reason: "",
        above: &[],
        results: &[],
        again: &[],
        library: "",
        dtype: DataType::Fp32,
        notes: &[],
    };

    /// As [`Format::detect`].
    pub(crate) fn detect(&self, head: &Head) -> Option<Detection> {
        self.knows(head).then(|| Detection::new(self.score, self.reason))
    }

    /// The head has a result, and sizes above it where the result has none.
    fn knows(&self, head: &Head) -> bool {
        let fits = |template: &&'static str, line: &String| {
            let routine = slots(template, line).map(|s| s.get("routine"));
            routine.is_some_and(|name| name.is_empty() || operation(name).is_some())
        };
        let any = |templates: &[&'static str]| {
            head.lines.iter().any(|l| templates.iter().any(|t| fits(t, l)))
        };
        let alone = self.results.iter().all(|t| t.contains("{m}") || t.contains("{square}"));
        any(self.results) && (alone || any(self.above)) || any(self.again)
    }

    /// As [`Format::open`].
    pub(crate) fn open(&'static self, head: &Head, options: &ImportOptions) -> Opened {
        let fallback = defaults::dtype_of_routine(head).unwrap_or(self.dtype);
        let types = AssumedType::new(head, options, fallback);
        let names_types =
            |t: &&str| ["{dtype", "{routine", "{precision"].iter().any(|s| t.contains(s));
        let parser = |rows: &mut LogRows<'_>| -> Box<dyn Parser> {
            if !self.above.iter().chain(self.results).any(names_types) {
                rows.dtype(None);
            }
            Box::new(Lines { log: self, held: Vec::new(), any: false })
        };
        log::read_by(parser, types, (Others::Lines, self.notes), head, options)
    }
}

struct Lines {
    log: &'static ByTemplate,
    /// Slots of the lines above, the newest last.
    held: Vec<(&'static str, String)>,
    /// Some line had a result.
    any: bool,
}

/// The slots of a result with those that hold from above.
struct Said<'a> {
    own: Slots<'a>,
    held: &'a [(&'static str, String)],
}

impl<'a> Said<'a> {
    /// The text of a slot; "" where no line has it.
    fn get(&self, name: &str) -> &'a str {
        let above = || self.held.iter().rev().find(|(n, _)| *n == name);
        match self.own.get(name) {
            "" => above().map_or("", |(_, text)| text),
            own => own,
        }
    }

    fn size(&self, name: &str) -> Result<u32, RowError> {
        log::size_of(Some(self.get(name)), &name.to_uppercase())
    }

    fn sizes(&self) -> Result<[u32; 3], RowError> {
        if !self.get("square").is_empty() {
            return Ok([log::size_of(Some(self.get("square")), "size")?; 3]);
        }
        let [m, n, k] = [self.size("m")?, self.size("n")?, self.size("k")?];
        let blocks = match self.get("blocks") {
            "" => 1,
            text => log::size_of(Some(text), "number of blocks")?,
        };
        let k = k.checked_mul(blocks).ok_or_else(|| RowError::new("K is too large"))?;
        Ok([m, n, k])
    }

    /// The transpose of an operand: `T`, `1`, `^T`.
    fn transposed(&self, name: &str) -> Result<bool, RowError> {
        match self.get(name).trim_start_matches('^') {
            "" => Ok(false),
            letter => {
                values::transpose(letter).ok_or_else(|| RowError::new("transpose is not N or T"))
            }
        }
    }

    /// FLOP/s; NaN where the line has none.
    fn rate(&self) -> f64 {
        let units = [("mflops", 1e6), ("gflops", 1e9), ("tflops", 1e12)];
        let stated = units.iter().find(|(name, _)| !self.own.get(name).is_empty());
        stated.map_or_else(
            || log::rate_in(self.own.get("rate")),
            |(name, scale)| self.own.number(name) * scale,
        )
    }

    /// The types of A, B and the output that the lines name.
    fn types(&self) -> [Option<DataType>; 3] {
        let [a, b, c] =
            ["dtype_a", "dtype_b", "dtype_c"].map(|name| DataType::parse(self.get(name)));
        let precision = precision(self.get("precision"));
        let a = a.or_else(|| DataType::parse(self.get("dtype"))).or(precision[0]);
        [a, b.or(precision[1]).or(a), c.or(precision[2])]
    }
}

/// The types of A, B and the output by the letters of cuBLAS's benchmark: `hsh`, `bisb_imma`, `qqssq`,
/// `sss_fast_tf32`. Three or four letters have one for both operands; the last is the output's.
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

/// The types of a routine of BLAS: `SGEMM`, `dgemm_`, `gemm_bf16bf16f32`.
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

impl Lines {
    /// The slots of a line with a result.
    fn found<'a>(&mut self, line: &'a str) -> Option<Slots<'a>> {
        let found = self.log.results.iter().find_map(|t| slots(t, line));
        self.any |= found.is_some();
        found.or_else(|| self.log.again.iter().filter(|_| !self.any).find_map(|t| slots(t, line)))
    }

    /// The operation, or why the line has none.
    fn operation(&self, s: &Said<'_>, rows: &mut LogRows<'_>) -> Option<Operation> {
        let mut op = match s.get("routine") {
            "" => {
                let [a, b, c] = s.types();
                let of_a = rows.dtype(a);
                match a {
                    Some(a) if a == of_a => {
                        Operation::mixed(a, b.unwrap_or(a), c.unwrap_or_else(|| a.default_output()))
                    }
                    _ => Operation::uniform(of_a),
                }
            }
            routine => operation(routine)?,
        };
        op.beta = crate::cell::number(s.get("beta").as_bytes()).is_some_and(|beta| beta != 0.0);
        Some(op)
    }

    /// The row of a result.
    fn row(s: &Said<'_>, op: Operation) -> Result<Row, RowError> {
        let [m, n, k] = s.sizes()?;
        let op = op.with_layout(s.transposed("a")?, s.transposed("b")?);
        let time_s = if s.own.has_time() { s.own.time()? } else { f64::NAN };
        Ok(Row::new(m, n, k, op, time_s))
    }

    /// Keeps what a line says of the results below it.
    fn hold(&mut self, line: &str) {
        for (i, template) in self.log.above.iter().enumerate() {
            let Some(found) = slots(template, line) else { continue };
            if i == 0 {
                self.held.clear();
            }
            for (name, text) in found.all() {
                self.held.retain(|(held, _)| *held != name);
                self.held.push((name, text.to_owned()));
            }
        }
    }
}

impl Parser for Lines {
    fn result(&mut self, line: &str, rows: &mut LogRows<'_>) -> Option<Entry> {
        self.hold(line);
        let own = self.found(line)?;
        let held = std::mem::take(&mut self.held);
        let said = Said { own, held: &held };
        let entry = self.operation(&said, rows).map(|op| {
            let mut e = Entry::new(Self::row(&said, op));
            e.rate = said.rate();
            e.library = match said.get("library") {
                "" => self.log.library,
                library => library,
            }
            .to_owned();
            said.get("kernel").clone_into(&mut e.kernel);
            said.get("routine").clone_into(&mut e.op_name);
            said.get("device").clone_into(&mut e.device);
            e
        });
        self.held = held;
        entry
    }
}
