//! From a head to a plan: where the header is, what each column holds, what is missing.

use super::alias::{self, Guess};
use super::cell;
use super::records::{Delimiter, Dialect, Records, sniff_dialect};
use super::target::Target;
use super::values::{self, Probe};
use super::{Head, ImportOptions};
use crate::dataset::Role;
use crate::units::{RateUnit, TimeUnit};

/// One column as the mapping form shows it.
#[derive(Clone, Debug, PartialEq)]
pub struct MappedColumn {
    /// Header as the file spells it (made distinct where it repeats).
    pub header: String,
    /// What it is taken for.
    pub guess: Target,
    /// Why, in a few words.
    pub why: String,
    /// The first different values.
    pub samples: Vec<String>,
}

/// What [`inspect`] finds: the columns and what is still needed to read the file.
#[derive(Clone, Debug, PartialEq)]
pub struct Mapping {
    /// One per column of the file, in file order.
    pub columns: Vec<MappedColumn>,
    /// What no column holds: `M`, `a time or a rate`. Empty when the file can be read.
    pub missing: Vec<String>,
    /// 1-based line of the header, 0 where there is none.
    pub header_line: u32,
    /// Delimiter and number style.
    pub dialect: Dialect,
}

impl Mapping {
    /// Position of the column that holds `target`, whatever its unit.
    pub fn position(&self, target: Target) -> Option<usize> {
        self.columns
            .iter()
            .position(|c| c.guess.kind() == target.kind())
    }

    fn sizes(&self) -> bool {
        let have = |t| self.position(t).is_some();
        have(Target::Mnk)
            || have(Target::Square)
            || (have(Target::M) && have(Target::N) && have(Target::K))
    }

    fn measured(&self) -> bool {
        self.position(Target::Time(None)).is_some() || self.position(Target::Rate(None)).is_some()
    }

    /// How good a reading of the head this is.
    fn score(&self) -> usize {
        let known = self
            .columns
            .iter()
            .filter(|c| !matches!(c.guess, Target::Extra | Target::Ignore))
            .count();
        let sizes = [Target::M, Target::N, Target::K]
            .iter()
            .filter(|t| self.position(**t).is_some())
            .count();
        known
            + 10 * sizes
            + 100 * usize::from(self.sizes())
            + 100 * usize::from(self.sizes() && self.measured())
    }

    /// All that a row needs is there: sizes and a time or a rate.
    pub fn is_complete(&self) -> bool {
        self.missing.is_empty()
    }

    /// Sizes are there, a time or rate is not: a list of shapes.
    pub fn is_shapes_only(&self) -> bool {
        self.sizes() && !self.measured()
    }
}

/// A head, cut into records.
pub(super) struct Sampled {
    pub mapping: Mapping,
    pub rows: Vec<Vec<String>>,
    /// Records in front of the header.
    pub preamble: Vec<String>,
    /// Printed tables have an index column without a header.
    pub shifted: bool,
}

impl Sampled {
    /// At least one cell below the header is a number.
    pub fn has_numbers(&self) -> bool {
        let dialect = self.mapping.dialect;
        self.rows.iter().flatten().any(|c| is_number(c, dialect))
    }
}

/// Guesses what the columns of a table hold, with the user's choices applied. `None` where the
/// head is no table at all.
pub fn inspect(head: &Head, options: &ImportOptions) -> Option<Mapping> {
    sample(head, options).map(|s| s.mapping)
}

/// A stable key of a file's header, under which choices can be remembered. It ignores file name,
/// rows, case and blanks.
pub fn header_fingerprint(head: &Head) -> Option<String> {
    let mapping = inspect(head, &ImportOptions::default())?;
    // FNV-1a, 64 bit.
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    for column in &mapping.columns {
        for byte in column.header.trim().to_lowercase().bytes().chain([0]) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    Some(format!("{hash:016x}"))
}

pub(super) fn sample(head: &Head, options: &ImportOptions) -> Option<Sampled> {
    let mut lines: &[String] = &head.lines;
    if !head.complete && lines.len() < 80 && lines.len() > 2 {
        // Cut in the middle by the size limit of the head.
        lines = &lines[..lines.len() - 1];
    }
    let first = sniff_dialect(lines);
    let mut dialects = vec![first];
    for b in [b',', b';', b'\t', b'|'] {
        let delimiter = Delimiter::Byte(b);
        if delimiter != first.delimiter && lines.iter().any(|l| l.as_bytes().contains(&b)) {
            dialects.push(Dialect {
                delimiter,
                decimal_comma: false,
            });
        }
    }
    if first.delimiter != Delimiter::Spaces {
        dialects.push(Dialect {
            delimiter: Delimiter::Spaces,
            decimal_comma: false,
        });
    }
    let mut best: Option<Sampled> = None;
    for dialect in dialects {
        let Some(sampled) = with_dialect(lines, dialect, options) else {
            continue;
        };
        if sampled.mapping.is_complete() {
            return Some(sampled);
        }
        if best
            .as_ref()
            .is_none_or(|b| sampled.mapping.score() > b.mapping.score())
        {
            best = Some(sampled);
        }
    }
    best
}

fn with_dialect(lines: &[String], dialect: Dialect, options: &ImportOptions) -> Option<Sampled> {
    let mut records: Vec<(u32, Vec<String>)> = Vec::new();
    let mut cutter = Records::new(dialect);
    let mut keep = |r: &super::Record<'_>| {
        if r.problem().is_none() {
            let cells = (0..r.len()).map(|i| r.text(i).into_owned()).collect();
            records.push((r.line(), cells));
        }
        Ok(())
    };
    for line in lines {
        cutter.feed(line.as_bytes(), &mut keep).ok()?;
        cutter.feed(b"\n", &mut keep).ok()?;
    }
    cutter.finish(&mut keep).ok()?;
    let mut best: Option<(usize, Sampled)> = None;
    for (i, (line, cells)) in records.iter().enumerate().take(60) {
        if !could_be_header(cells) {
            continue;
        }
        let sampled = with_header(&records, i, *line, dialect, options);
        let score = sampled.mapping.score();
        let complete = sampled.mapping.is_complete();
        if best.as_ref().is_none_or(|(s, _)| score > *s) {
            best = Some((score, sampled));
        }
        if complete {
            break;
        }
    }
    if let Some((score, sampled)) = best
        && (score > 0 || sampled.mapping.columns.len() >= 3)
    {
        return Some(sampled);
    }
    // Numbers without a header: the form can still name the columns.
    let width = records.first()?.1.len();
    let numbers = records
        .iter()
        .filter(|(_, c)| c.len() == width && c.iter().any(|c| is_number(c, dialect)))
        .count();
    if width < 3 || numbers * 2 < records.len() {
        return None;
    }
    let header: Vec<String> = (1..=width).map(|i| format!("column {i}")).collect();
    let rows: Vec<Vec<String>> = records.into_iter().map(|r| r.1).collect();
    let mapping = map(header, &rows, 0, dialect, options);
    Some(Sampled {
        mapping,
        rows,
        preamble: Vec::new(),
        shifted: false,
    })
}

fn is_number(cell: &str, dialect: Dialect) -> bool {
    cell::number(cell.as_bytes(), dialect.decimal_comma).is_some()
}

fn could_be_header(cells: &[String]) -> bool {
    let filled = cells.iter().filter(|c| !c.is_empty()).count();
    let words = cells
        .iter()
        .filter(|c| !c.is_empty() && c.len() <= 80 && cell::number(c.as_bytes(), false).is_none())
        .count();
    filled >= 2
        && words * 10 >= filled * 8
        && !cells[0].starts_with('#')
        && !cells[0].starts_with("//")
}

fn with_header(
    records: &[(u32, Vec<String>)],
    at: usize,
    line: u32,
    dialect: Dialect,
    options: &ImportOptions,
) -> Sampled {
    let mut names = records[at].1.clone();
    let rows: Vec<Vec<String>> = records[at + 1..].iter().map(|r| r.1.clone()).collect();
    let longer = rows.iter().filter(|r| r.len() == names.len() + 1).count();
    let shifted = dialect.delimiter == Delimiter::Spaces && longer * 2 > rows.len();
    if shifted {
        names.insert(0, String::new());
    }
    Sampled {
        mapping: map(distinct(names), &rows, line, dialect, options),
        rows,
        preamble: records[..at].iter().map(|r| r.1.join(", ")).collect(),
        shifted,
    }
}

/// Header names, made distinct: the second `Noise` becomes `Noise (2)`.
pub fn distinct(names: Vec<String>) -> Vec<String> {
    let mut out: Vec<String> = Vec::with_capacity(names.len());
    let mut seen: std::collections::HashMap<String, u32> = std::collections::HashMap::new();
    for name in names {
        let n = seen.entry(name.clone()).or_insert(0);
        *n += 1;
        let mut unique = match (*n, name.is_empty()) {
            (1, false) => name.clone(),
            (_, true) => format!("column {}", out.len() + 1),
            (n, _) => format!("{name} ({n})"),
        };
        while out.contains(&unique) {
            unique.push('\'');
        }
        out.push(unique);
    }
    out
}

fn map(
    header: Vec<String>,
    rows: &[Vec<String>],
    header_line: u32,
    dialect: Dialect,
    options: &ImportOptions,
) -> Mapping {
    let probes: Vec<Probe> = (0..header.len())
        .map(|i| Probe::new(rows.iter().filter_map(|r| r.get(i)), dialect.decimal_comma))
        .collect();
    let mut guesses: Vec<(Guess, String)> = header
        .iter()
        .zip(&probes)
        .map(|(name, probe)| judged(name, alias::guess(name), probe))
        .collect();
    tensile_sizes(&header, &mut guesses);
    if header_line == 0 {
        headless_sizes(&mut guesses, rows);
    }
    by_values_alone(&mut guesses, &probes);
    for (name, guess) in header.iter().zip(&mut guesses) {
        let chosen = options.columns.get(name).and_then(|t| t.parse().ok());
        if let Some(target) = chosen {
            *guess = (
                Guess {
                    target,
                    strength: 255,
                },
                "chosen by hand".into(),
            );
        }
    }
    settle(&mut guesses, &header);
    let mut mapping = Mapping {
        columns: header
            .into_iter()
            .zip(guesses)
            .zip(&probes)
            .map(|((header, (guess, why)), probe)| MappedColumn {
                header,
                guess: guess.target,
                why,
                samples: probe.samples.clone(),
            })
            .collect(),
        missing: Vec::new(),
        header_line,
        dialect,
    };
    values::work_or_rate(&mut mapping, rows);
    mapping.missing = missing(&mapping);
    mapping
}

/// The guess from the name, checked against the values.
fn judged(name: &str, guess: Guess, probe: &Probe) -> (Guess, String) {
    let by_name = |g: Guess| {
        let why = if g.target == Target::Extra {
            "the name says nothing known"
        } else {
            "by its name"
        };
        (g, why.to_owned())
    };
    let by_value = |target, strength, why: &str| (Guess { target, strength }, why.to_owned());
    let lower = name.trim().to_lowercase();
    // One letter for an operand: what it holds decides.
    if matches!(lower.as_str(), "a" | "b" | "c" | "d") && probe.filled > 0 {
        if probe.all_transposes() && matches!(lower.as_str(), "a" | "b") {
            let target = if lower == "a" {
                Target::TransA
            } else {
                Target::TransB
            };
            return by_value(target, 90, "its values are N and T");
        }
        if probe.any_dtype {
            let target = match lower.as_str() {
                "a" => Target::DtypeA,
                "b" => Target::DtypeB,
                "c" => Target::DtypeC,
                _ => Target::DtypeC,
            };
            let strength = if lower == "d" { 91 } else { 90 };
            return by_value(target, strength, "its values are data types");
        }
        if lower == "b" && probe.all_numbers() {
            return by_name(guess);
        }
        return by_value(Target::Extra, 0, "its values are of no known kind");
    }
    if probe.filled == 0 {
        return by_name(guess);
    }
    match guess.target {
        Target::Dtype | Target::DtypeA | Target::DtypeB | Target::DtypeC | Target::Compute
            if !probe.any_dtype =>
        {
            by_value(Target::Extra, 0, "its values are no data types")
        }
        Target::TransA | Target::TransB if !probe.any_transpose => {
            by_value(Target::Extra, 0, "its values are no transposes")
        }
        Target::Layout if !probe.any_layout => {
            by_value(Target::Extra, 0, "its values are no layouts such as NT")
        }
        Target::Mnk if probe.triples == 0 => {
            if probe.all_numbers() && probe.whole() {
                by_value(Target::Square, guess.strength, "one size a row")
            } else {
                by_value(Target::Extra, 0, "its values are no sizes")
            }
        }
        Target::Tile if probe.triples == 0 && probe.pairs == 0 => {
            by_value(Target::Extra, 0, "its values are no tiles such as 128x256")
        }
        Target::Device if probe.all_numbers() => {
            by_value(Target::Extra, 0, "its values are numbers, not device names")
        }
        Target::M | Target::N | Target::K | Target::Batch | Target::Square
            if probe.numbers == 0 =>
        {
            by_value(Target::Extra, 0, "its values are no numbers")
        }
        Target::Time(_) | Target::Rate(_) if probe.numbers == 0 && probe.filled > 3 => {
            by_value(Target::Extra, 0, "its values are no numbers")
        }
        Target::Role(Role::Kernel | Role::Library | Role::Model) if probe.all_numbers() => {
            by_value(Target::Extra, 0, "its values are numbers, not names")
        }
        _ => by_name(guess),
    }
}

/// A list of whole numbers without a header: three are M, N, K; four with small ones in the third
/// place are M, N, batch, K, as such lists are written.
fn headless_sizes(guesses: &mut [(Guess, String)], rows: &[Vec<String>]) {
    let sizes: Option<Vec<Vec<u32>>> = rows
        .iter()
        .filter(|r| r.iter().any(|c| !c.is_empty()))
        .map(|r| {
            r.iter()
                .map(|c| cell::size(c.as_bytes(), false).ok())
                .collect()
        })
        .collect();
    let Some(sizes) = sizes.filter(|s| !s.is_empty() && s.iter().all(|r| r.len() == guesses.len()))
    else {
        return;
    };
    let targets: &[Target] = match guesses.len() {
        3 => &[Target::M, Target::N, Target::K],
        4 if sizes.iter().all(|r| r[2] <= 512 && r[3] >= 8) => {
            &[Target::M, Target::N, Target::Batch, Target::K]
        }
        _ => return,
    };
    for (guess, target) in guesses.iter_mut().zip(targets) {
        *guess = (
            Guess {
                target: *target,
                strength: 60,
            },
            "by its place: the list has no header".into(),
        );
    }
}

/// `SizeI, SizeJ, SizeK, SizeL`: there K is the batch and L is summed.
fn tensile_sizes(header: &[String], guesses: &mut [(Guess, String)]) {
    let position = |n: &str| header.iter().position(|h| h.trim().eq_ignore_ascii_case(n));
    if let (Some(_), Some(k), Some(l)) = (position("SizeI"), position("SizeK"), position("SizeL")) {
        let why = "SizeL is the summed dimension, SizeK the batch";
        for (i, target) in [(k, Target::Batch), (l, Target::K)] {
            guesses[i] = (
                Guess {
                    target,
                    strength: 90,
                },
                why.into(),
            );
        }
    }
}

/// Types and devices that only the values give away (`Datentyp`, `Karte`).
fn by_values_alone(guesses: &mut [(Guess, String)], probes: &[Probe]) {
    let has = |guesses: &[(Guess, String)], kinds: &[Target]| {
        guesses.iter().any(|(g, _)| kinds.contains(&g.target))
    };
    let take = |guesses: &mut [(Guess, String)],
                target: Target,
                why: &str,
                fits: &dyn Fn(&Probe) -> bool| {
        let found = guesses
            .iter()
            .zip(probes)
            .position(|((g, _), p)| g.target == Target::Extra && p.filled > 0 && fits(p));
        if let Some(i) = found {
            guesses[i] = (
                Guess {
                    target,
                    strength: 30,
                },
                why.into(),
            );
        }
    };
    if !has(guesses, &[Target::Dtype, Target::DtypeA]) {
        take(guesses, Target::Dtype, "its values are data types", &|p| {
            p.all_dtypes()
        });
    }
    if !has(guesses, &[Target::Device]) {
        take(guesses, Target::Device, "its values are devices", &|p| {
            p.samples.iter().all(|s| {
                s.len() >= 3
                    && cell::number(s.as_bytes(), false).is_none()
                    && !crate::hardware::match_name(s).candidates().is_empty()
            })
        });
    }
}

/// One column a target: the strongest keeps it, the others stay as they are in the file.
fn settle(guesses: &mut [(Guess, String)], header: &[String]) {
    let strongest = |guesses: &[(Guess, String)], kind: Target| {
        let mut best: Option<usize> = None;
        for (i, (g, _)) in guesses.iter().enumerate() {
            if g.target.kind() == kind && best.is_none_or(|b| g.strength > guesses[b].0.strength) {
                best = Some(i);
            }
        }
        best
    };
    let has = |guesses: &[(Guess, String)], kind| strongest(guesses, kind).is_some();
    let sizes = [Target::M, Target::N, Target::K];
    let three = sizes.iter().all(|&t| has(guesses, t));
    for (g, why) in guesses.iter_mut() {
        let weak = matches!(g.target, Target::Mnk | Target::Square) && three && g.strength < 255;
        if weak {
            g.target = Target::Extra;
            *why = "M, N and K have columns of their own".into();
        }
    }
    // A lone `n` (with a time) is the side of square matrices.
    if !has(guesses, Target::Mnk) && !has(guesses, Target::Square) {
        let lone: Vec<usize> = guesses
            .iter()
            .enumerate()
            .filter(|(_, (g, _))| sizes.contains(&g.target) && g.strength >= 95)
            .map(|(i, _)| i)
            .collect();
        if let [i] = lone[..]
            && guesses[i].0.strength < 255
            && !guesses
                .iter()
                .enumerate()
                .any(|(j, (g, _))| j != i && sizes.contains(&g.target))
        {
            guesses[i].0.target = Target::Square;
            guesses[i].1 = "the only size: square matrices".into();
        }
    }
    if !has(guesses, Target::Time(None))
        && let Some(i) = strongest(guesses, Target::TimeMin(None))
        && let Target::TimeMin(unit) = guesses[i].0.target
        && guesses[i].0.strength < 255
    {
        guesses[i].0.target = Target::Time(unit);
        guesses[i].1 = "the only time: the shortest run".into();
    }
    for i in 0..guesses.len() {
        let kind = guesses[i].0.target.kind();
        if matches!(kind, Target::Extra | Target::Ignore) {
            continue;
        }
        if let Some(winner) = strongest(guesses, kind)
            && winner != i
        {
            guesses[i].1 = format!("“{}” fits better for this", header[winner]);
            guesses[i].0.target = Target::Extra;
        }
    }
}

fn missing(mapping: &Mapping) -> Vec<String> {
    let mut out = Vec::new();
    if !mapping.sizes() {
        for (target, name) in [(Target::M, "M"), (Target::N, "N"), (Target::K, "K")] {
            if mapping.position(target).is_none() {
                out.push(name.to_owned());
            }
        }
    }
    if !mapping.measured() {
        out.push("a time or a rate".to_owned());
    }
    out
}

/// The unit of the time column, where its header says one.
pub(super) fn time_unit(target: Target) -> Option<TimeUnit> {
    match target {
        Target::Time(u) | Target::TimeStd(u) | Target::TimeMin(u) | Target::TimeMax(u) => u,
        _ => None,
    }
}

/// The unit of a rate or work column, where its header says one.
pub(super) fn rate_unit(target: Target) -> Option<RateUnit> {
    match target {
        Target::Rate(u) | Target::Work(u) => u,
        _ => None,
    }
}
