//! Finds the header and the columns in a head, and describes them for the mapping form.

use super::header::of_one_header;
use crate::cell;
use crate::document::plain::{PROBED, Plain};
use crate::split::canonical::Canonical;
use crate::split::dialect::Foreign;
use crate::split::records::Records;
use crate::{Head, ImportOptions};
use gemmscope_model::units::{BandwidthUnit, RateUnit, TimeUnit};
use gemmscope_table::dataset::ColumnMeaning::{self, *};
use gemmscope_table::dataset::ColumnSpec;
use std::borrow::Cow;

/// One column in the mapping form.
#[derive(Clone, Debug, PartialEq)]
pub struct MappedColumn {
    /// Header as spelled in the file, made distinct if it repeats.
    pub header: String,
    /// Its probable meaning.
    pub guess: ColumnSpec,
    /// Reason for the guess, in a few words.
    pub why: String,
    /// The first distinct values.
    pub samples: Vec<String>,
    /// A possible meaning suggested by the values alone, if a required one is still missing. The reader
    /// ignores it; the user decides.
    pub suggestion: Option<ColumnSpec>,
}

/// Result of [`inspect`]: the columns, and what is still needed to read the file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mapping {
    /// One per column of the file, in file order.
    pub columns: Vec<MappedColumn>,
    /// Missing values: `M`, `a time or a rate`. Empty if the file can be read.
    pub missing: Vec<String>,
    /// 1-based line of the header; 0 if there is none.
    pub header_line: u32,
    /// The first rows, cell by cell.
    pub rows: Vec<Vec<String>>,
    can_be_read: bool,
}

impl Mapping {
    /// True if the file can be read with these columns: as timed GEMMs or as a list of shapes.
    pub fn can_be_read(&self) -> bool {
        self.can_be_read
    }

    /// The columns of the values that every row needs: M, N, K (one column may hold all three), and the time or rate.
    /// `None` for a missing one.
    pub fn required(&self) -> [(&'static str, Option<&MappedColumn>); 4] {
        let first = |meanings: &[ColumnMeaning]| {
            meanings.iter().find_map(|m| self.columns.iter().find(|c| c.guess.meaning == *m))
        };
        [
            ("M", first(&[M, Mnk, Square, ShapeA])),
            ("N", first(&[N, Mnk, Square, ShapeB])),
            ("K", first(&[K, Mnk, Square, ShapeA])),
            ("a time or a rate", first(&[Time, ReportedRate])),
        ]
    }
}

/// A head, split into records.
pub(crate) struct Sampled<'a> {
    pub plain: Plain<'a>,
    /// Cells are separated by blanks.
    pub words: bool,
    /// Lines before the header.
    pub preamble: Vec<String>,
    /// The first column is an index without a header, as in printed data frames.
    pub shifted: bool,
    /// 1-based line of the units below the header; 0 if there is none.
    pub units_line: u32,
}

impl<'a> Sampled<'a> {
    fn new(plain: Plain<'a>) -> Self {
        Sampled { plain, words: false, preamble: Vec::new(), shifted: false, units_line: 0 }
    }
}

/// Rows shown in the mapping form.
const SHOWN: usize = 5;
/// Characters shown per cell.
const CELL: usize = 60;

/// The columns of a table with the user's choices applied. `None` if the head is not a table.
pub fn inspect(head: &Head, options: &ImportOptions) -> Option<Mapping> {
    let Sampled { plain, .. } = sample(head, options)?;
    let cut = |cell: &String| cell.chars().take(CELL).collect();
    let rows = plain.rows.iter().take(SHOWN);
    Some(Mapping {
        columns: plain.mapped(),
        header_line: plain.header_line,
        rows: rows.map(|cells| cells.iter().map(cut).collect()).collect(),
        can_be_read: plain.is_complete() || plain.is_shapes_only(),
        missing: plain.missing,
    })
}

/// Stable key of a file's header, under which choices are remembered. Independent of file name, rows, case and blanks.
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

pub(crate) fn sample<'a>(head: &Head, options: &'a ImportOptions) -> Option<Sampled<'a>> {
    let mut lines: &[String] = &head.lines;
    if !head.complete && lines.len() < 80 && lines.len() > 2 {
        // The last line is cut off by the size limit of the head.
        lines = &lines[..lines.len() - 1];
    }
    let commas = lines.iter().any(|l| l.contains(','));
    let wide = lines.iter().any(|l| l.split_whitespace().count() >= 4);
    let by_words = wide && !commas;
    let mut best: Option<Sampled<'a>> = None;
    for words in [by_words, !by_words] {
        let as_words = || Canonical::lines(Some(Foreign::WORDS), lines.to_vec());
        let lines = if words { Cow::Owned(as_words()) } else { Cow::Borrowed(lines) };
        let Some(sampled) = cut(&lines, options) else {
            continue;
        };
        let sampled = Sampled { words, ..sampled };
        if sampled.plain.is_complete() {
            return Some(sampled);
        }
        if best.as_ref().is_none_or(|b| sampled.plain.score() > b.plain.score()) {
            best = Some(sampled);
        }
    }
    best
}

fn cut<'a>(lines: &[String], options: &'a ImportOptions) -> Option<Sampled<'a>> {
    let mut records: Vec<(u32, Vec<String>)> = Vec::new();
    let mut cutter = Records::default();
    let mut keep = |r: &crate::Record<'_>| {
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
    let widths: Vec<usize> = records.iter().skip(1).map(|(_, cells)| cells.len()).collect();
    for ((_, cells), below) in records.iter_mut().zip(widths).take(60) {
        uncomment(cells, below);
    }
    let mut best: Option<(usize, Sampled<'a>)> = None;
    for (i, (line, cells)) in records.iter().enumerate().take(60) {
        if !could_be_header(cells) {
            continue;
        }
        let sampled = with_header(&records, i, *line, options);
        let score = sampled.plain.score();
        let complete = sampled.plain.is_complete();
        if best.as_ref().is_none_or(|(s, _)| score > *s) {
            best = Some((score, sampled));
        }
        if complete {
            break;
        }
    }
    if let Some((score, sampled)) = best
        && (score > 0 || sampled.plain.width() >= 3)
    {
        return Some(sampled);
    }
    // Numbers without a header: the user can still map the columns.
    let width = records.first()?.1.len();
    let of_numbers = |cells: &[String]| match width {
        // With two columns, both must be numbers.
        2 => cells.iter().all(|c| is_number(c)),
        _ => cells.iter().any(|c| is_number(c)),
    };
    let numbers = records.iter().filter(|(_, c)| c.len() == width && of_numbers(c)).count();
    let few = if width == 2 { numbers < records.len() } else { numbers * 2 < records.len() };
    if width < 2 || few {
        return None;
    }
    let header: Vec<String> = (1..=width).map(|i| format!("column {i}")).collect();
    let rows: Vec<Vec<String>> = records.into_iter().map(|r| r.1).collect();
    Some(Sampled::new(Plain::new(header, rows, 0, options)))
}

/// Drops the comment sign in `# M N K time` if the rows below have one cell less.
fn uncomment(cells: &mut Vec<String>, below: usize) {
    let width = cells.len();
    let Some(first) = cells.first_mut() else { return };
    let bare = first.trim_start_matches(['#', '%']).trim_start();
    if bare.is_empty() && !first.is_empty() && width == below + 1 {
        cells.remove(0);
    } else if !bare.is_empty() && width == below {
        *first = bare.to_owned();
    }
}

fn is_number(cell: &str) -> bool {
    cell::number(cell.as_bytes()).is_some()
}

fn could_be_header(cells: &[String]) -> bool {
    let filled = cells.iter().filter(|c| !c.is_empty()).count();
    // `M: 4096` and `shape (4096` come from log lines.
    let holds_value = |c: &str| {
        let bare = c.trim_matches(|c: char| ",;:()[]{}| ".contains(c));
        if cell::number(bare.as_bytes()).is_some() || cell::quantity(bare.as_bytes()).is_some() {
            return true;
        }
        // `4096x4096x1024`
        if bare.contains('x') && bare.split('x').all(is_number) {
            return true;
        }
        c.match_indices(['=', ':', '(']).any(|(at, sign)| {
            let behind = c[at + sign.len()..].trim_start();
            let end = behind.find(|c: char| !(c.is_ascii_digit() || c == '.'));
            !behind.starts_with('.') && end.unwrap_or(behind.len()) > 0
        })
    };
    let words = cells
        .iter()
        .filter(|c| !c.is_empty() && c.len() <= 80 && cell::number(c.as_bytes()).is_none())
        .filter(|c| !holds_value(c))
        .count();
    filled >= 2
        && words * 10 >= filled * 8
        && !cells[0].starts_with('#')
        && !cells[0].starts_with("//")
}

/// True for a line of units below the header: short words without numbers, at least one of them a unit
/// of time, rate or bandwidth.
fn is_units(cells: &[String]) -> bool {
    let bare = |c: &str| c.trim().trim_matches(['(', ')', '[', ']']).to_owned();
    let unit = |c: &String| {
        let c = bare(c);
        TimeUnit::parse(&c).is_some()
            || RateUnit::parse(&c).is_some()
            || BandwidthUnit::parse(&c).is_some()
    };
    cells.iter().any(unit)
        && cells.iter().all(|c| c.len() <= 16 && cell::number(bare(c).as_bytes()).is_none())
}

fn with_header<'a>(
    records: &[(u32, Vec<String>)],
    at: usize,
    line: u32,
    options: &'a ImportOptions,
) -> Sampled<'a> {
    let mut names = records[at].1.clone();
    let units = records.get(at + 1).filter(|(_, cells)| is_units(cells));
    if let Some((_, cells)) = units {
        for (name, unit) in names.iter_mut().zip(cells) {
            let unit = unit.trim().trim_matches(['(', ')', '[', ']']);
            if !unit.is_empty() && !name.contains(['(', '[']) {
                *name = format!("{name} ({unit})");
            }
        }
    }
    let first = at + 1 + usize::from(units.is_some());
    let mut rows: Vec<Vec<String>> = records[first..].iter().map(|r| r.1.clone()).collect();
    of_one_header(&records[at].1, &mut rows);
    let counted = |(i, r): (usize, &Vec<String>)| r.first().is_some_and(|c| *c == i.to_string());
    let shifted = names[0].is_empty() && rows.iter().take(PROBED).enumerate().all(counted);
    Sampled {
        preamble: records[..at].iter().map(|r| r.1.join(", ")).collect(),
        shifted,
        units_line: units.map_or(0, |u| u.0),
        ..Sampled::new(Plain::new(distinct(names), rows, line, options))
    }
}

/// Header names, made distinct: the second `Noise` becomes `Noise (2)`.
pub(crate) fn distinct(names: Vec<String>) -> Vec<String> {
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
