//! Detects the dialect of a table from the first lines of a file: delimiter, decimal sign, frame.

use super::dress;
use crate::cell;
use std::borrow::Cow;

/// Dialect of a table that is not canonical.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Foreign {
    /// Lines have prefixes, colours or drawn borders ([`dress`]).
    pub(super) dressed: bool,
    /// 0 if the text is not a table.
    pub(super) delimiter: u8,
    pub(super) decimal_comma: bool,
    /// Lines start and end with a delimiter, as in Markdown.
    pub(super) framed: bool,
    /// Rows start with an index that has no title in the header, as printed by pandas.
    pub(super) indexed: bool,
}

/// Delimiter of a printed table: two or more blanks.
pub(super) const BLANKS: u8 = b' ';
/// Delimiter of a table without blanks in its cells: any blanks.
pub(super) const WORDS: u8 = 1;

impl Foreign {
    pub(super) const TABLE: Foreign = Foreign {
        dressed: false,
        delimiter: b',',
        decimal_comma: false,
        framed: false,
        indexed: false,
    };
    /// True if cells are separated by a character other than a blank.
    pub(crate) fn has_delimiter(self) -> bool {
        !matches!(self.delimiter, 0 | BLANKS | WORDS)
    }

    /// True if numbers have decimal commas.
    pub(crate) fn has_decimal_comma(self) -> bool {
        self.decimal_comma
    }

    /// Cells separated by blanks.
    pub(crate) const WORDS: Foreign = Foreign { delimiter: WORDS, ..Foreign::TABLE };
}

/// True if the first line starts JSON; false for log prefixes such as `[0]:`, `[INFO]`, `[2026-01-31 10:00]`.
pub(crate) fn is_json(first: &str) -> bool {
    let first = first.trim_start();
    let Some(inner) = first.strip_prefix('[') else {
        return first.starts_with('{');
    };
    let inner = inner.trim_start();
    let behind = inner.trim_start_matches(|c: char| c.is_ascii_digit());
    match inner.chars().next() {
        None | Some('{' | '[' | '"' | ']') => true,
        // `[64, 64, 32] 1.5 us`, `[---- matmul ----]`
        Some('-') => inner[1..].starts_with(|c: char| c.is_ascii_digit()),
        Some(c) if c.is_ascii_digit() => {
            let ends = inner.split_once(']').is_none_or(|(_, rest)| {
                let rest = rest.trim_start();
                rest.is_empty() || rest.starts_with([',', ']', '}'])
            });
            ends && (behind.is_empty() || behind.starts_with([',', '.', ' ', 'e', 'E', ']']))
        }
        Some(_) => ["null", "true", "false"].iter().any(|w| inner.starts_with(w)),
    }
}

/// The dialect of a text with these first lines; `None` if it is canonical.
pub(crate) fn found(lines: &[String]) -> Option<Foreign> {
    let first = lines.iter().find(|l| !l.trim().is_empty())?;
    // gemmscope's own table is canonical, whatever names its header contains.
    if is_json(first) || first.starts_with("gemmscope,") {
        return None;
    }
    let bare: Vec<Cow<'_, str>> = lines.iter().map(|l| dress::bare(l)).collect();
    let dressed = bare.iter().any(|l| matches!(l, Cow::Owned(_)));
    let lines: Vec<&str> = bare.iter().map(|l| l.trim_end()).filter(|l| !l.is_empty()).collect();
    let table = table(&lines).map(|table| Foreign { dressed, ..table });
    let text = Foreign { dressed, delimiter: 0, ..Foreign::TABLE };
    table.or_else(|| dressed.then_some(text))
}

/// The dialect of a table; `None` if it is canonical or not a table.
fn table(lines: &[&str]) -> Option<Foreign> {
    let first = lines.first()?;
    // The frame of a PyTorch benchmark, which has a line reader.
    if first.starts_with("[--") {
        return None;
    }
    if let Some(&delimiter) = first.strip_prefix("sep=").and_then(|d| d.as_bytes().first()) {
        let decimal_comma = delimiter != b',' && decimal_comma(&lines[1..], delimiter);
        return Some(Foreign { delimiter, decimal_comma, ..Foreign::TABLE });
    }
    let comma = Regular::of(lines, b',');
    let best = [b';', b'\t', b'|', b'&']
        .into_iter()
        .filter_map(|d| Regular::of(lines, d).filter(|r| r.is_table(lines, d, comma.as_ref())))
        .max_by_key(|r| r.lines * (r.count + 1));
    match (best, comma) {
        (Some(best), _) => {
            let rows = &lines[best.first..];
            let decimal_comma = decimal_comma(rows, best.delimiter);
            let framed = rows[0].trim_start().starts_with('|')
                && rows[0].ends_with('|')
                && lines.iter().any(|l| is_rule(l));
            Some(Foreign { delimiter: best.delimiter, decimal_comma, framed, ..Foreign::TABLE })
        }
        // With commas as delimiters, decimal commas need quotes.
        (None, Some(comma)) if lines[comma.first..].iter().any(|l| l.contains('"')) => {
            let decimal_comma = decimal_comma(&lines[comma.first..], b',');
            let from = Foreign { decimal_comma, ..Foreign::TABLE };
            decimal_comma.then_some(from)
        }
        (None, _) => printed(lines),
    }
}

/// A printed table that must be split at two or more blanks, because titles or cells contain single blanks or
/// rows start with an index.
fn printed(lines: &[&str]) -> Option<Foreign> {
    let is_number = |cell: &&str| cell::number(cell.as_bytes()).is_some();
    let figure = |cell: &&&str| cell.starts_with(|c: char| c.is_ascii_digit() || c == '(');
    lines.iter().zip(lines.iter().skip(1)).enumerate().find_map(|(i, (header, next))| {
        let row = if is_rule(next) { lines.get(i + 2)? } else { next };
        let (titles, cells) = (apart(header), apart(row));
        if titles.len() < 3 || cells.len() < 3 {
            return None;
        }
        let indexed = cells.len() == titles.len() + 1
            && header.starts_with(' ')
            && cells[0].bytes().all(|b| b.is_ascii_digit());
        let words = |line: &str| line.split_whitespace().count();
        let names = |n: &str| titles.iter().any(|t| t.eq_ignore_ascii_case(n));
        let of_gemm = names("m") && names("n") && names("k") || cells[0].starts_with('(');
        let unclear = indexed || words(header) != titles.len() || words(row) != cells.len();
        let fits = of_gemm
            && (indexed || cells.len() == titles.len())
            && !titles.iter().any(|t| is_number(t) || t.contains(['|', '=', ':', '%']))
            && !header.replace(", ", "").contains(',')
            && cells.iter().filter(|c| figure(c)).count() * 2 > cells.len();
        (fits && unclear).then_some(Foreign { delimiter: BLANKS, indexed, ..Foreign::TABLE })
    })
}

/// Splits a printed line at two or more blanks.
pub(crate) fn apart(line: &str) -> Vec<&str> {
    line.split("  ").map(str::trim).filter(|c| !c.is_empty()).collect()
}

/// The most frequent number of delimiters per line.
struct Regular {
    delimiter: u8,
    count: usize,
    /// Number of lines with that count, and the index of the first.
    lines: usize,
    first: usize,
}

impl Regular {
    fn of(lines: &[&str], delimiter: u8) -> Option<Self> {
        let counts: Vec<usize> = lines.iter().map(|l| cells(l, delimiter).count() - 1).collect();
        let lines_of = |c: usize| counts.iter().filter(|&&x| x == c).count();
        let count = (1..=*counts.iter().max()?).max_by_key(|&c| lines_of(c) * (c + 1))?;
        let first = counts.iter().position(|&c| c == count)?;
        Some(Regular { delimiter, count, lines: lines_of(count), first })
    }

    /// True if the lines are a table with this delimiter rather than with commas, or the text of a log: the header has
    /// fewer commas, and numeric cells follow below it.
    fn is_table(&self, lines: &[&str], delimiter: u8, comma: Option<&Regular>) -> bool {
        let header = lines[self.first];
        let rows = || {
            let of_table = |l: &&&str| cells(l, delimiter).count() == self.count + 1;
            lines[self.first..].iter().filter(of_table).filter(|l| !is_rule(l))
        };
        let number = |cell: &str| number(cell, false).or(number(cell, true)).is_some();
        let quantity = |cell: &str| {
            let point = with_point(cell.as_bytes());
            cell::quantity(point.as_deref().unwrap_or(cell.as_bytes())).is_some()
        };
        // `12.3 us` is a figure below a title; without a title it is a line of a log.
        let titled = !cells(header, delimiter).any(quantity);
        let figure = |cell: &str| number(cell) || titled && quantity(cell);
        let numbers = |l: &&str| cells(l, delimiter).any(figure);
        let all = lines.iter().all(|l| cells(l, delimiter).nth(1).is_some());
        let by_comma = comma.is_some_and(|c| {
            c.count > 1 && (c.lines > self.lines || c.lines == self.lines && c.count > self.count)
        });
        (self.count > 1 || self.lines == lines.len() || delimiter != b'|')
            && cells(header, b',').count() - 1 < self.count
            && !by_comma
            && ((self.lines > 1 || all) && rows().filter(|l| numbers(l)).count() * 4 >= self.lines
                || lines.len() == 1 && self.count > 2)
    }
}

/// The cells of a line, trimmed, including their quotes.
pub(crate) fn cells(line: &str, delimiter: u8) -> impl Iterator<Item = &str> {
    let mut rest = Some(line);
    std::iter::from_fn(move || {
        let text = rest?;
        let mut quoted = false;
        let end = (0..text.len()).find(|&at| {
            quoted ^= text.as_bytes()[at] == b'"';
            !quoted && ends_cell(text.as_bytes(), at, delimiter)
        });
        rest = end.map(|end| &text[end + 1..]);
        Some(text[..end.unwrap_or(text.len())].trim())
    })
}

/// True if there is a delimiter at `at`, other than a bar escaped by a backslash as in Markdown.
pub(super) fn ends_cell(line: &[u8], at: usize, delimiter: u8) -> bool {
    line[at] == delimiter && !(delimiter == b'|' && at > 0 && line[at - 1] == b'\\')
}

/// Parses a number in this style.
fn number(cell: &str, decimal_comma: bool) -> Option<f64> {
    let cell = cell.strip_prefix('"').and_then(|c| c.strip_suffix('"')).unwrap_or(cell).trim();
    cell::number(cell.as_bytes()).filter(|_| !decimal_comma).or_else(|| {
        let text = with_point(cell.as_bytes()).filter(|_| decimal_comma)?;
        cell::number(&text)
    })
}

/// Decides the decimal sign by unambiguous numbers; without any, a comma is the decimal sign unless
/// commas are the delimiters.
fn decimal_comma(lines: &[&str], delimiter: u8) -> bool {
    let (mut comma, mut point, mut unsure) = (0, 0, 0);
    // Count each distinct cell once: a version `8.0` in every line must not decide.
    let mut cells: Vec<&str> = lines.iter().flat_map(|l| cells(l, delimiter)).collect();
    cells.sort();
    cells.dedup();
    for cell in cells {
        let cell = cell.trim_matches(['"', ' ']).trim_start_matches(['-', '+']);
        let end = cell.find(|c: char| !(c.is_ascii_digit() || c == ',' || c == '.'));
        let (mantissa, unit) = cell.split_at(end.unwrap_or(cell.len()));
        if mantissa.starts_with(['.', ',']) || unit.contains(',') {
            continue;
        }
        let of = |c: char| (mantissa.matches(c).count(), mantissa.rfind(c).unwrap_or(0));
        let ((commas, last_comma), (points, last_point)) = (of(','), of('.'));
        // A thousands group has three digits, and such a number does not start with 0.
        let group = |at: usize| mantissa.len() - at == 4 && !mantissa.starts_with('0') && at < 4;
        match (commas, points) {
            (0, 0) => {}
            (1, 0) if group(last_comma) => unsure += 1,
            (0, 1) if group(last_point) => {}
            (1, 0) => comma += 1,
            // Text with a unit is written by the tool, independent of the locale.
            (0, 1) => point += usize::from(unit.is_empty() || unit.starts_with(['e', 'E'])),
            (0, _) if mantissa.split('.').skip(1).all(|g| g.len() == 3) => comma += 1,
            (_, 0) if mantissa.split(',').skip(1).all(|g| g.len() == 3) => point += 1,
            (1, _) if last_comma > last_point => comma += 1,
            (_, 1) if last_point > last_comma => point += 1,
            _ => {}
        }
    }
    comma > point || comma + point == 0 && unsure > 0 && delimiter != b','
}

/// Rewrites a number with a decimal comma, possibly followed by a unit, with a point.
pub(super) fn with_point(cell: &[u8]) -> Option<Cow<'_, [u8]>> {
    let trimmed = cell::trim(cell);
    let digits = trimmed.strip_prefix(b"-").or(trimmed.strip_prefix(b"+")).unwrap_or(trimmed);
    let end = digits.iter().position(|b| !b.is_ascii_digit() && !b",.".contains(b));
    let (mantissa, rest) = digits.split_at(end.unwrap_or(digits.len()));
    let mut by_comma = mantissa.split(|&b| b == b',');
    let (whole, fraction) = (by_comma.next()?, by_comma.next());
    if by_comma.next().is_some() || whole.is_empty() || rest.contains(&b',') {
        return None;
    }
    let mut groups = whole.split(|&b| b == b'.');
    let first = groups.next()?;
    let grouped = groups.clone().all(|g| g.len() == 3);
    let thousands = groups.next().is_some();
    if thousands && !(grouped && (1..4).contains(&first.len()) && first != b"0")
        || fraction.is_none() && !thousands
        || fraction.is_some_and(|f| f.contains(&b'.'))
    {
        return None;
    }
    let mut out = Vec::with_capacity(cell.len());
    out.extend_from_slice(&trimmed[..trimmed.len() - digits.len()]);
    out.extend(whole.iter().filter(|&&b| b != b'.'));
    if let Some(fraction) = fraction {
        out.push(b'.');
        out.extend_from_slice(fraction);
    }
    out.extend_from_slice(rest);
    Some(Cow::Owned(out))
}

/// True for a line of dashes, bars and blanks only.
pub(crate) fn is_drawn(line: &[u8]) -> bool {
    line.iter().all(|b| b"-=+|: \t".contains(b))
}

/// True for the rule of a printed table: `|---|:---:|`, `+----+----+`.
pub(super) fn is_rule(line: &str) -> bool {
    (line.contains("--") || line.contains("=="))
        && line.contains(['|', '+', ' '])
        && is_drawn(line.as_bytes())
}
