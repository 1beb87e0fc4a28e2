//! Every printed formula of every fixture is evaluated as text, under both roofs, and must agree with its printed
//! result within the precision of the printed digits.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on says where")]

use gemmscope_analysis::ledger::Ledger;
use gemmscope_import::{ImportOptions, Imported, read_all};
use gemmscope_model::hardware::RoofKind;
use gemmscope_table::dataset::Dataset;
use gemmscope_table::field::Frame;
use gemmscope_table::metrics::{DeviceChoice, Metrics};
use gemmscope_words::explain::explain;
use gemmscope_words::findings::check_all;
use gemmscope_words::headline;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// All values that a printed number may stand for, with the powers of its unit: FLOP, byte, second.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Interval {
    low: f64,
    high: f64,
    unit: [i32; 3],
}

impl Interval {
    fn of_corners(corners: [f64; 4], unit: [i32; 3]) -> Interval {
        let low = corners.into_iter().fold(f64::INFINITY, f64::min);
        Interval { low, high: corners.into_iter().fold(f64::NEG_INFINITY, f64::max), unit }
    }

    fn apply(self, sign: char, other: Interval) -> Result<Interval, String> {
        let (a, b) = (self, other);
        let unit = |by: i32| [0, 1, 2].map(|i| a.unit[i] + by * b.unit[i]);
        if "+−<>".contains(sign) && a.unit != b.unit {
            return Err(format!("{sign} of different units"));
        }
        Ok(match sign {
            '+' => Interval { low: a.low + b.low, high: a.high + b.high, unit: a.unit },
            '−' => Interval { low: a.low - b.high, high: a.high - b.low, unit: a.unit },
            '<' => Interval { low: a.low.min(b.low), high: a.high.min(b.high), unit: a.unit },
            '>' => Interval { low: a.low.max(b.low), high: a.high.max(b.high), unit: a.unit },
            '×' => Interval::of_corners(
                [a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high],
                unit(1),
            ),
            _ if b.low <= 0.0 && b.high >= 0.0 => return Err("division by zero".to_owned()),
            _ => Interval::of_corners(
                [a.low / b.low, a.low / b.high, a.high / b.low, a.high / b.high],
                unit(-1),
            ),
        })
    }

    /// True if both may be the same value. The numbers of a file are binary sums.
    fn meets(self, other: Interval) -> bool {
        let slack = 1e-9 * (self.high.abs() + other.high.abs());
        self.unit == other.unit && self.low <= other.high + slack && other.low <= self.high + slack
    }
}

/// Parser of printed formulas.
struct Reader<'a> {
    rest: &'a str,
}

impl Reader<'_> {
    /// Evaluates the expression at the start of a text; what follows is prose.
    fn evaluate(text: &str) -> Result<Interval, String> {
        let text = text.replace(['\u{202f}', '\u{a0}'], " ");
        Reader { rest: &text }.sum()
    }

    fn take(&mut self, token: &str) -> bool {
        let rest = self.rest.strip_prefix(token);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn sum(&mut self) -> Result<Interval, String> {
        let mut value = self.product()?;
        loop {
            let sign = match () {
                () if self.take(" + ") => '+',
                () if self.take(" − ") => '−',
                () => return Ok(value),
            };
            value = value.apply(sign, self.product()?)?;
        }
    }

    fn product(&mut self) -> Result<Interval, String> {
        let mut value = self.one()?;
        loop {
            let sign = match () {
                () if self.take(" × ") => '×',
                () if self.take(" / ") => '/',
                () => return Ok(value),
            };
            value = value.apply(sign, self.one()?)?;
        }
    }

    fn one(&mut self) -> Result<Interval, String> {
        for (open, sign) in [("max(", '>'), ("min(", '<')] {
            if self.take(open) {
                let a = self.sum()?;
                let two = self.take(", ");
                let b = self.sum()?;
                return match two && self.take(")") {
                    true => a.apply(sign, b),
                    false => Err(format!("no function at {}", self.rest)),
                };
            }
        }
        if self.take("(") {
            let inner = self.sum()?;
            return self.take(")").then_some(inner).ok_or("no )".to_owned());
        }
        self.number()
    }

    fn number(&mut self) -> Result<Interval, String> {
        let under = self.take("under ");
        let digits = |c: char| c.is_ascii_digit() || c == '.';
        let negative = self.take("-");
        let end = self.rest.find(|c| !digits(c)).unwrap_or(self.rest.len());
        let (mantissa, rest) = self.rest.split_at(end);
        let mut value: f64 = mantissa.parse().map_err(|_| format!("no number at {}", self.rest))?;
        let decimals = mantissa.split_once('.').map_or(0, |(_, d)| d.len());
        let mut step = 0.1f64.powi(i32::try_from(decimals).unwrap());
        self.rest = rest;
        if let Some(power) = rest.strip_prefix('e') {
            let end = power.find(|c: char| !c.is_ascii_digit() && c != '-').unwrap_or(power.len());
            let factor = 10f64.powi(power[..end].parse().unwrap());
            (value, step) = (value * factor, step * factor);
            self.rest = &power[end..];
        }
        let (factor, unit) = self.unit();
        // A count is exact, and so is 0.
        let counted = unit.is_none() && decimals == 0;
        let half = if counted || value == 0.0 { 0.0 } else { step / 2.0 };
        let sign = if negative { -1.0 } else { 1.0 };
        let [low, high] = [value - half, value + half].map(|v| sign * v * factor);
        let low = if under { 0.0 } else { low };
        Ok(Interval { low: low.min(high), high: high.max(low), unit: unit.unwrap_or_default() })
    }

    /// Factor of a unit and its powers, if a unit follows.
    fn unit(&mut self) -> (f64, Option<[i32; 3]>) {
        const UNITS: [(&str, [i32; 3]); 6] = [
            ("FLOP/s", [1, 0, -1]),
            ("FLOP/B", [1, -1, 0]),
            ("FLOP", [1, 0, 0]),
            ("B/s", [0, 1, -1]),
            ("B", [0, 1, 0]),
            ("s", [0, 0, 1]),
        ];
        const PREFIXES: [(&str, f64); 11] = [
            ("p", 1e-12),
            ("n", 1e-9),
            ("µ", 1e-6),
            ("m", 1e-3),
            ("", 1.0),
            ("k", 1e3),
            ("M", 1e6),
            ("G", 1e9),
            ("T", 1e12),
            ("P", 1e15),
            ("E", 1e18),
        ];
        let Some(word) = self.rest.strip_prefix(' ') else { return (1.0, None) };
        let end = word.find([' ', ')', ',', ';']).unwrap_or(word.len());
        let word = &word[..end];
        let found = match word {
            "%" => Some((0.01, [0, 0, 0])),
            "min" => Some((60.0, [0, 0, 1])),
            "h" => Some((3600.0, [0, 0, 1])),
            _ => UNITS.iter().find_map(|(name, unit)| {
                let prefix = word.strip_suffix(name)?;
                let (_, factor) = PREFIXES.iter().find(|(p, _)| *p == prefix)?;
                Some((*factor, *unit))
            }),
        };
        let Some((factor, unit)) = found else { return (1.0, None) };
        self.rest = &self.rest[1 + word.len()..];
        (factor, Some(unit))
    }
}

/// The expressions of `names = numbers = numbers = result`.
fn expressions(formula: &str) -> Vec<Interval> {
    let parts = formula.split(" = ").skip(1);
    let each = parts.map(|text| {
        Reader::evaluate(text).unwrap_or_else(|why| panic!("{why} in {text:?} of {formula:?}"))
    });
    each.collect()
}

fn all_meet(formula: &str, expressions: &[Interval]) {
    for two in expressions.windows(2) {
        assert!(two[0].meets(two[1]), "{formula}\n{two:?}");
    }
}

/// The first figure of a text in this unit; for an expression without a unit (M N K) the first one in any unit.
fn figure_in(text: &str, unit: [i32; 3]) -> Option<Interval> {
    let text = text.replace(['\u{202f}', '\u{a0}'], " ");
    let starts = (0..text.len()).filter(|i| text.is_char_boundary(*i));
    let all: Vec<Interval> =
        starts.filter_map(|i| Reader { rest: &text[i..] }.number().ok()).collect();
    let same = all.iter().find(|found| found.unit == unit);
    let any = all.first().filter(|_| unit == [0; 3]).map(|found| Interval { unit, ..*found });
    same.copied().or(any)
}

fn tables(folder: &Path, out: &mut Vec<(PathBuf, Dataset)>) {
    let mut entries: Vec<_> =
        std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            tables(&path, out);
            continue;
        }
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let read = read_all(&name, &std::fs::read(&path).unwrap(), &ImportOptions::default());
        if let Ok(Imported::Table(data)) = read {
            out.push((path, *data));
        }
    }
}

#[test]
fn every_formula_comes_to_its_figure() {
    let mut all = Vec::new();
    tables(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures"), &mut all);
    let (mut figures, mut findings, mut sums) = (0, 0, 0);
    for (path, data) in all {
        let data = Arc::new(data);
        for kind in [RoofKind::Datasheet, RoofKind::Achievable] {
            let choice =
                DeviceChoice { default: Some("mi300x".to_owned()), ..DeviceChoice::default() };
            let metrics = Metrics::compute(&data, choice.resolve(&data, &[]), kind);
            let frame = Frame::all(data.clone(), Arc::new(metrics));
            for row in 0..data.len() {
                let said = explain(&frame, row);
                for f in said.figures.iter().chain(&said.tile).filter(|f| f.formula.contains(" = "))
                {
                    let of = format!(
                        "{}, row {row}: {} {} {}",
                        path.display(),
                        f.label,
                        f.value,
                        f.formula
                    );
                    let worked = expressions(&f.formula);
                    all_meet(&of, &worked);
                    let last = *worked.last().unwrap();
                    let shown = figure_in(&f.value, last.unit).unwrap_or_else(|| panic!("{of}"));
                    assert!(shown.meets(last), "{of}\n{shown:?} {last:?}");
                    figures += 1;
                }
            }
            for finding in check_all(&frame).findings {
                let formula = &finding.formula;
                let worked = expressions(formula);
                all_meet(&format!("{}: {formula}", path.display()), &worked);
                assert!(formula.is_empty() || worked.len() > 1, "{formula}: no result");
                findings += usize::from(!formula.is_empty());
            }
            for words in Ledger::new(&frame).books.iter().filter_map(headline::lost) {
                let (lost, parts) = words.split_once(" lost = ").unwrap();
                let parts = parts.split(" + ").map(|part| Reader::evaluate(part).unwrap());
                let sum = parts.reduce(|a, b| a.apply('+', b).unwrap()).unwrap();
                assert!(Reader::evaluate(lost).unwrap().meets(sum), "{}: {words}", path.display());
                sums += 1;
            }
        }
    }
    assert!(figures > 5_000 && findings > 200 && sums > 50, "{figures} {findings} {sums}");
}

#[test]
fn a_wrong_figure_is_seen() {
    let meets = |formula: &str| {
        let worked = expressions(formula);
        worked.windows(2).all(|two| two[0].meets(two[1]))
    };
    assert!(meets("work / time = 51.58 GFLOP / 110.6 µs = 466.4 TFLOP/s"));
    assert!(!meets("work / time = 51.58 GFLOP / 110.6 µs = 467.4 TFLOP/s"));
    assert!(!meets("work / time = 51.58 GFLOP / 110.6 µs = 466.4 TB/s"));
    assert!(meets("a − b = 34.36 GFLOP / 34.41 TFLOP/s − 48.5 µs = 950 µs a call; so it is"));
    assert!(meets("roof = max(1.5 ms, 3.1 ms) / 2.00 h = 3.1 ms / 2.00 h = under 0.01 %"));
    assert!(meets("M N / covered = 2 × (3 × 4 + 1) = 26"));
    assert!(Reader::evaluate("2.0 ms − 1.0 MB").is_err());
    assert!(Reader::evaluate("nothing").is_err());
}
