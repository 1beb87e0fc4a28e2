//! From a head to a mapping: where the header is, what each column holds, what is missing.

pub(crate) mod guess;

use super::alias::{self, Guess};
use super::header::of_one_header;
use super::plan::{Size, Sizes};
use crate::cell::values::Probe;
use crate::cell::{self, Quantity};
use crate::document::mapped::{BatchRole, MappedTable};
use crate::document::titled::Titled;
use crate::split::canonical::Canonical;
use crate::split::dialect::Foreign;
use crate::split::records::Records;
use crate::{Col, Head, ImportOptions};
use gemmscope_model::units::{BandwidthUnit, RateUnit, TimeUnit};
use gemmscope_table::build::cell_text::is_missing;
use gemmscope_table::dataset::ColumnMeaning::{self, *};
use gemmscope_table::dataset::ColumnSpec;
use guess::{
    BY_HAND, batch_as_m, by_values_alone, headless_sizes, judged, settle, suggest, tensile_sizes,
};
use std::borrow::Cow;

/// One column as the mapping form shows it.
#[derive(Clone, Debug, PartialEq)]
pub struct MappedColumn {
    /// Header as the file spells it (made distinct where it repeats).
    pub header: String,
    /// What it probably holds.
    pub guess: ColumnSpec,
    /// Why, in a few words.
    pub why: String,
    /// The first different values.
    pub samples: Vec<String>,
    /// What it may hold, where its values alone suggest something that is still missing. Reading
    /// does not use it: only the user can say.
    pub suggestion: Option<ColumnSpec>,
}

/// What [`inspect`] finds: the columns and what is still needed to read the file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mapping {
    /// One per column of the file, in file order.
    pub columns: Vec<MappedColumn>,
    /// What is missing: `M`, `a time or a rate`. Empty if the file can be read.
    pub missing: Vec<String>,
    /// 1-based line of the header, 0 where there is none.
    pub header_line: u32,
    /// The first rows, cell by cell.
    pub rows: Vec<Vec<String>>,
    /// How the batch enters the GEMMs, where there is one.
    pub(crate) batch: Option<BatchRole>,
    /// Columns that mean the same as one before them, by titles that say no difference.
    pub(crate) doubles: Vec<Double>,
    /// M, N and K as the user states them for all rows.
    pub(crate) stated: [Option<u32>; 3],
}

/// A column that means the same as the one that counts.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Double {
    pub column: usize,
    pub spec: ColumnSpec,
    /// Position of the column that counts.
    pub first: usize,
}

impl Mapping {
    /// The file can be read with these columns: as GEMMs with their time, or as a list of shapes.
    pub fn can_be_read(&self) -> bool {
        self.is_complete() || self.is_shapes_only()
    }

    /// The columns that hold M, N, K or all three, and the time or the rate: what every row needs.
    /// `None` where no column does.
    pub fn required(&self) -> [(&'static str, Option<&MappedColumn>); 4] {
        let first = |meanings: &[ColumnMeaning]| {
            let mut of = meanings.iter().filter_map(|m| self.position(*m));
            of.next().map(|i| &self.columns[i])
        };
        [
            ("M", first(&[M, Mnk, Square, ShapeA])),
            ("N", first(&[N, Mnk, Square, ShapeB])),
            ("K", first(&[K, Mnk, Square, ShapeA])),
            ("a time or a rate", first(&[Time, ReportedRate])),
        ]
    }

    /// Position of the column with this meaning.
    pub(crate) fn position(&self, meaning: ColumnMeaning) -> Option<usize> {
        self.columns.iter().position(|c| c.guess.meaning == meaning)
    }

    /// The column at a position.
    pub(crate) fn col(&self, index: usize) -> Col {
        Col { index, name: self.columns[index].header.clone() }
    }

    /// Where M, N and K are.
    pub(crate) fn sizes(&self) -> Sizes {
        let col = |meaning| self.position(meaning).map(|i| self.col(i));
        let [m, n, k] = self.stated.map(|stated| stated.map(Size::Fixed));
        let size = |meaning, stated| col(meaning).map(Size::Column).or(stated);
        if let (Some(m), Some(n), Some(k)) = (size(M, m), size(N, n), size(K, k)) {
            Sizes::Three([m, n, k])
        } else if let Some(c) = col(Mnk) {
            Sizes::One(c)
        } else if let (Some(a), Some(b)) = (col(ShapeA), col(ShapeB)) {
            Sizes::Operands(a, b)
        } else {
            col(Square).map_or(Sizes::Hook, Sizes::Square)
        }
    }

    fn has_sizes(&self) -> bool {
        !matches!(self.sizes(), Sizes::Hook)
    }

    fn has_measurement(&self) -> bool {
        self.position(Time).is_some() || self.position(ReportedRate).is_some()
    }

    /// How good a reading of the head this is.
    fn score(&self) -> usize {
        let known =
            self.columns.iter().filter(|c| !matches!(c.guess.meaning, Other | Ignore)).count();
        let sizes = [M, N, K].iter().filter(|t| self.position(**t).is_some()).count();
        known
            + 10 * sizes
            + 100 * usize::from(self.has_sizes())
            + 100 * usize::from(self.has_sizes() && self.has_measurement())
    }

    /// The columns have all that a row needs: sizes and a time or a rate.
    pub(crate) fn is_complete(&self) -> bool {
        self.missing.is_empty()
    }

    /// The columns have sizes but neither time nor rate: a list of shapes.
    pub(crate) fn is_shapes_only(&self) -> bool {
        self.has_sizes() && !self.has_measurement()
    }
}

/// A head, split into records.
#[derive(Default)]
pub(crate) struct Sampled {
    pub mapping: Mapping,
    pub rows: Vec<Vec<String>>,
    /// Blanks are what separates the cells.
    pub words: bool,
    /// Records in front of the header.
    pub preamble: Vec<String>,
    /// Printed tables have an index column without a header.
    pub shifted: bool,
    /// Line below the header that holds the columns' units; 0 where there is none.
    pub units_line: u32,
}

impl Sampled {
    /// Some cells of a column are numbers, and all others are empty.
    pub(crate) fn is_numeric(&self, column: usize) -> bool {
        let mut numbers = 0;
        self.rows.iter().filter_map(|r| r.get(column)).all(|cell| {
            let cell = cell.trim();
            let unit = || cell::quantity(cell.as_bytes()).is_some();
            let number = is_number(cell) || unit();
            numbers += usize::from(number);
            number || is_missing(cell.as_bytes())
        }) && numbers > 0
    }

    /// The cells of a column carry their units.
    pub(crate) fn has_units(&self, column: usize) -> bool {
        self.measures(column).is_some()
    }

    /// What the cells of a column measure, where they carry their units.
    pub(crate) fn measures(&self, column: usize) -> Option<Quantity> {
        let mut cells = self.rows.iter().filter_map(|r| r.get(column));
        let filled = cells.find(|c| !is_missing(c.trim().as_bytes()))?;
        cell::quantity(filled.trim().as_bytes()).map(|(_, quantity)| quantity)
    }

    /// At least one cell below the header is a number.
    pub(crate) fn has_numbers(&self) -> bool {
        self.rows.iter().flatten().any(|c| is_number(c))
    }
}

/// Rows that the mapping form shows.
const SHOWN: usize = 5;
/// Characters of a cell that it shows.
const CELL: usize = 60;

/// Guesses what the columns of a table hold, with the user's choices applied. `None` where the
/// head is no table at all.
pub fn inspect(head: &Head, options: &ImportOptions) -> Option<Mapping> {
    let sampled = sample(head, options)?;
    let cut = |cell: &String| cell.chars().take(CELL).collect();
    let rows = sampled.rows.iter().take(SHOWN);
    Some(Mapping {
        rows: rows.map(|cells| cells.iter().map(cut).collect()).collect(),
        ..sampled.mapping
    })
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

pub(crate) fn sample(head: &Head, options: &ImportOptions) -> Option<Sampled> {
    let mut lines: &[String] = &head.lines;
    if !head.complete && lines.len() < 80 && lines.len() > 2 {
        // The size limit of the head cut the last line.
        lines = &lines[..lines.len() - 1];
    }
    let commas = lines.iter().any(|l| l.contains(','));
    let wide = lines.iter().any(|l| l.split_whitespace().count() >= 4);
    let by_words = wide && !commas;
    let mut best: Option<Sampled> = None;
    for words in [by_words, !by_words] {
        let as_words = || Canonical::lines(Some(Foreign::WORDS), lines.to_vec());
        let lines = if words { Cow::Owned(as_words()) } else { Cow::Borrowed(lines) };
        let Some(sampled) = cut(&lines, options) else {
            continue;
        };
        let sampled = Sampled { words, ..sampled };
        if sampled.mapping.is_complete() {
            return Some(sampled);
        }
        if best.as_ref().is_none_or(|b| sampled.mapping.score() > b.mapping.score()) {
            best = Some(sampled);
        }
    }
    best
}

fn cut(lines: &[String], options: &ImportOptions) -> Option<Sampled> {
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
    let mut best: Option<(usize, Sampled)> = None;
    for (i, (line, cells)) in records.iter().enumerate().take(60) {
        if !could_be_header(cells) {
            continue;
        }
        let sampled = with_header(&records, i, *line, options);
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
    // Numbers without a header: the user can still map the columns.
    let width = records.first()?.1.len();
    let numbers =
        records.iter().filter(|(_, c)| c.len() == width && c.iter().any(|c| is_number(c))).count();
    if width < 3 || numbers * 2 < records.len() {
        return None;
    }
    let header: Vec<String> = (1..=width).map(|i| format!("column {i}")).collect();
    let rows: Vec<Vec<String>> = records.into_iter().map(|r| r.1).collect();
    let mapping = map(header, &rows, 0, options);
    Some(Sampled { mapping, rows, ..Sampled::default() })
}

/// `# M N K time` above rows of as many cells: the sign of a comment is no part of the header.
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
    // `M: 4096` and `shape (4096` are of a line of a log.
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

/// A line of units below the header: a unit of time, rate or bandwidth among short words, and no
/// number.
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

fn with_header(
    records: &[(u32, Vec<String>)],
    at: usize,
    line: u32,
    options: &ImportOptions,
) -> Sampled {
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
        mapping: map(distinct(names), &rows, line, options),
        rows,
        preamble: records[..at].iter().map(|r| r.1.join(", ")).collect(),
        shifted,
        units_line: units.map_or(0, |u| u.0),
        ..Sampled::default()
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

/// The title that [`distinct`] made another one of.
fn undoubled<'a>(name: &'a str, header: &[String]) -> &'a str {
    let base = name.rsplit_once(" (").filter(|(_, n)| n.strip_suffix(')').is_some_and(is_number));
    base.map(|b| b.0).filter(|base| header.iter().any(|h| h == base)).unwrap_or(name)
}

/// Rows whose values are looked at. Each line of the head may be the header, so this bounds the
/// cost of a long preamble.
const PROBED: usize = 32;

fn map(
    header: Vec<String>,
    rows: &[Vec<String>],
    header_line: u32,
    options: &ImportOptions,
) -> Mapping {
    let probes: Vec<Probe> = (0..header.len())
        .map(|i| {
            let cells = rows.iter().take(PROBED).filter_map(|r| r.get(i));
            Probe::new(cells)
        })
        .collect();
    let mut guesses: Vec<(Guess, String)> = header
        .iter()
        .zip(&probes)
        .map(|(name, probe)| judged(name, guess(undoubled(name, &header), probe), probe))
        .collect();
    tensile_sizes(&header, &mut guesses);
    if header_line == 0 {
        headless_sizes(&mut guesses, rows);
    }
    by_values_alone(&mut guesses, &header, &probes);
    for (name, guess) in header.iter().zip(&mut guesses) {
        let chosen = options.columns.get(name).and_then(|t| t.parse().ok());
        if let Some(spec) = chosen {
            let spec: ColumnSpec = spec;
            *guess = (Guess::new(spec, 255), BY_HAND.into());
        }
    }
    batch_as_m(&mut guesses);
    let doubles = settle(&mut guesses, &header);
    let mut mapping = Mapping {
        columns: header
            .into_iter()
            .zip(guesses)
            .zip(&probes)
            .map(|((header, (guess, why)), probe)| MappedColumn {
                header,
                guess: guess.spec,
                why,
                samples: probe.samples.clone(),
                suggestion: None,
            })
            .collect(),
        missing: Vec::new(),
        header_line,
        rows: Vec::new(),
        batch: None,
        doubles,
        stated: options.sizes(),
    };
    by_figures(&mut mapping, rows, options);
    mapping.missing = missing(&mapping);
    if !mapping.is_complete() {
        suggest(&mut mapping, &probes);
    }
    mapping
}

/// What times and rates say of each other, and of a batch. A batch that is part of M stays a column of the file, and
/// so a filter.
fn by_figures(mapping: &mut Mapping, rows: &[Vec<String>], options: &ImportOptions) {
    let titled = |m: &Mapping| -> Vec<Titled> {
        let of = [Time, ReportedRate].into_iter().filter_map(|meaning| m.position(meaning));
        of.map(|i| Titled::of(i, m.columns[i].guess)).collect()
    };
    let rate = mapping.position(ReportedRate).filter(|i| mapping.columns[*i].why != BY_HAND);
    if rate.is_none() && mapping.position(Batch).is_none() || !mapping.has_sizes() {
        return;
    }
    let figures = titled(mapping);
    let table = MappedTable::new(mapping, rows, &figures, options);
    if let Some((i, scale)) = rate.and_then(|i| Some((i, table.work_scale(i)?))) {
        let unit = RateUnit::ALL.into_iter().find(|unit| unit.to_si() == scale);
        mapping.columns[i].guess = ColumnSpec::rate(ReportedWork, unit);
        mapping.columns[i].why = "its values are 2MNK: work, not a rate".into();
    }
    let work = mapping.position(ReportedWork);
    let table = MappedTable::new(mapping, rows, &titled(mapping), options);
    mapping.batch = table.batch(work);
    if let Some(BatchRole { column, in_m: true, .. }) = mapping.batch {
        mapping.columns[column].guess = Other.into();
        mapping.columns[column].why = "part of M already".to_owned();
    }
}

/// The guess from a title; from that and the unit of the cells where the title alone says nothing.
fn guess(name: &str, probe: &Probe) -> Guess {
    let by_name = alias::guess(name);
    match probe.measured() {
        Some(quantity) if by_name.spec.meaning == Other => {
            alias::guess(&format!("{name} ({})", quantity.unit()))
        }
        _ => by_name,
    }
}

fn missing(mapping: &Mapping) -> Vec<String> {
    let mut out = Vec::new();
    if !mapping.has_sizes() {
        for ((meaning, name), stated) in
            [(M, "M"), (N, "N"), (K, "K")].into_iter().zip(mapping.stated)
        {
            if mapping.position(meaning).is_none() && stated.is_none() {
                out.push(name.to_owned());
            }
        }
    }
    if !mapping.has_measurement() {
        out.push("a time or a rate".to_owned());
    }
    out
}
