//! Plain-text tables: delimited cells, and columns aligned with blanks.

use super::drawn::{apart, titles_at};
use super::markup::opens_table;
use super::{Found, is_rule, table};
use crate::document::block::{are_words, is_numeric, names_value};

/// Rows examined before a table is accepted.
pub(super) const PROBED: usize = 80;

/// Rows with their lines (0-based).
type Rows = Vec<(usize, Vec<String>)>;

/// Splits a line into cells.
type Cut<'a> = &'a dyn Fn(&str) -> Vec<String>;

fn uncommented(line: &str) -> &str {
    let bare = line.trim_start().trim_start_matches(['#', '%']);
    if bare.len() < line.trim_start().len() { bare.trim_start() } else { line }
}

/// Splits a line at a delimiter, with quotes as spreadsheets write them.
fn cells(line: &str, delimiter: char) -> Vec<String> {
    let mut out = Vec::new();
    let mut chars = line.chars().peekable();
    loop {
        let mut cell = String::new();
        while chars.next_if(|c| *c == ' ').is_some() {}
        if chars.next_if_eq(&'"').is_some() {
            while let Some(c) = chars.next() {
                match c {
                    '"' if chars.next_if_eq(&'"').is_some() => cell.push('"'),
                    '"' => break,
                    c => cell.push(c),
                }
            }
        }
        while let Some(c) = chars.next_if(|c| *c != delimiter) {
            cell.push(c);
        }
        out.push(cell.trim().to_owned());
        if chars.next().is_none() {
            return out;
        }
    }
}

/// A line of titles followed by lines with as many cells. A different number of cells or a
/// repeated header ends the table.
pub(super) fn delimited(lines: &[&str], at: usize) -> Option<Found> {
    let line = lines.get(at)?;
    let header = uncommented(line);
    ['\t', ';', ','].into_iter().filter(|d| header.contains(*d)).find_map(|delimiter| {
        let titles = cells(header, delimiter);
        let is_title = |title: &String| {
            let figure = title.split_whitespace().any(|w| {
                w.contains('.')
                    && w.starts_with(|c: char| c.is_ascii_digit())
                    && w.parse::<f64>().is_ok()
            });
            !figure && title.len() <= 60 && (title.starts_with("vs") || !names_value(title))
        };
        let filled = titles.iter().filter(|t| !t.is_empty()).count();
        if titles.len() < 2 || filled * 2 < titles.len() || !are_words(&titles) {
            return None;
        }
        if !titles.iter().all(is_title) {
            return None;
        }
        let (rows, end) = rows_of(lines, at, delimiter, &titles)?;
        Some(Found { table: table(titles, rows, "delimited"), end })
    })
}

fn rows_of(lines: &[&str], at: usize, delimiter: char, titles: &[String]) -> Option<(Rows, usize)> {
    let mut rows = Vec::new();
    let mut measured = 0;
    let mut end = at + 1;
    while let Some(line) = lines.get(end) {
        // A sentence with a comma is no header of a table in another syntax below it.
        let tabs = delimiter != '\t' && line.contains('\t') && !lines[at].contains('\t');
        if tabs || opens_table(line) || titles_at(lines, end).is_some() {
            break;
        }
        if line.trim().is_empty() {
            let next = lines.get(end + 1).map(|l| cells(l, delimiter).len());
            if next != Some(titles.len()) {
                break;
            }
            end += 1;
            continue;
        }
        let mut row = cells(line, delimiter);
        if row.len() == titles.len() + 1 && row.last().is_some_and(String::is_empty) {
            row.pop();
        }
        if row.len() != titles.len() || is_header(&row, titles) {
            break;
        }
        if rows.len() < PROBED {
            measured += usize::from(row.iter().any(|c| is_numeric(c) && !c.is_empty()));
        } else if measured * 2 < PROBED {
            return None;
        }
        rows.push((end, row));
        end += 1;
    }
    let probed = rows.len().min(PROBED);
    (probed > 0 && measured * 2 >= probed).then_some((rows, end))
}

/// True for a row of words that repeats half of the titles: another header.
pub(super) fn is_header(row: &[String], titles: &[String]) -> bool {
    let filled = || row.iter().filter(|c| !c.is_empty());
    let same = |c: &&String| titles.iter().any(|t| t.trim().eq_ignore_ascii_case(c.trim()));
    filled().all(|c| !is_numeric(c)) && filled().filter(same).count() * 2 >= filled().count().max(1)
}

/// Column ranges of the rule of a simple table: a line with only groups of `---` or `===`.
fn ruled(line: &str) -> Option<Vec<(usize, usize)>> {
    let drawn = |c: char| "-=─━═".contains(c);
    let line = line.trim_end();
    if line.is_empty() || !line.chars().all(|c| drawn(c) || c == ' ') {
        return None;
    }
    let mut spans: Vec<(usize, usize)> = Vec::new();
    let mut open = None;
    for (i, c) in line.chars().chain([' ']).enumerate() {
        match (drawn(c), open) {
            (true, None) => open = Some(i),
            (false, Some(from)) => {
                spans.push((from, i));
                open = None;
            }
            _ => {}
        }
    }
    (spans.len() > 1).then_some(spans)
}

/// Columns aligned with blanks, recognised by a rule of dashes below the header, or by as many cells in each line as
/// titles. One more cell than titles, counting from 0, is an index.
pub(super) fn printed(lines: &[&str], at: usize) -> Option<Found> {
    // Skip the rule above the titles of a simple table.
    let at = at + usize::from(ruled(lines.get(at)?).is_some());
    let header = uncommented(lines.get(at)?);
    if header.split_whitespace().count() < 2 || is_rule(header) {
        return None;
    }
    if let Some(spans) = lines.get(at + 1).and_then(|l| ruled(l)) {
        return by_rule(lines, at, &spans);
    }
    if names_value(header) {
        return None;
    }
    if let Some(found) = grouped(lines, at) {
        return Some(found);
    }
    let start = at + 1 + usize::from(lines.get(at + 1).is_some_and(|l| is_rule(l)));
    let words = |line: &str| line.split_whitespace().map(str::to_owned).collect();
    let splits: [Cut<'_>; 2] = [&apart, &words];
    splits.into_iter().find_map(|split| by_blanks(lines, start, header, split))
}

/// A header with repeated titles below a line of group names that tell them apart.
fn grouped(lines: &[&str], at: usize) -> Option<Found> {
    let named = |name: &String| name.contains(|c: char| c.is_alphabetic());
    let bare = |name: &str| name.trim_matches(|c: char| "-=─━|<> ".contains(c)).to_owned();
    let groups: Vec<(usize, String)> = cells_at(lines[at], apart(lines[at]))
        .into_iter()
        .map(|(from, name)| (from, bare(&name)))
        .collect();
    let header = lines.get(at + 1)?;
    if groups.len() < 2 || !groups.iter().all(|(_, name)| named(name)) || names_value(header) {
        return None;
    }
    let start = at + 2 + usize::from(lines.get(at + 2).is_some_and(|l| is_rule(l)));
    let words = |line: &str| line.split_whitespace().map(str::to_owned).collect();
    let splits: [Cut<'_>; 2] = [&apart, &words];
    splits.into_iter().find_map(|split| {
        let mut found = by_blanks(lines, start, header, split)?;
        found.table.dress = "printed, under groups";
        let titles = cells_at(header, split(header));
        let repeats = |t: &String| titles.iter().filter(|(_, other)| other == t).count() > 1;
        let first = titles.iter().position(|(_, t)| repeats(t))?;
        let each = (titles.len() - first) / groups.len();
        let even = each > 0 && each * groups.len() == titles.len() - first;
        let same = even
            && titles[first..]
                .chunks(each)
                .all(|c| c.iter().zip(&titles[first..]).all(|((_, a), (_, b))| a == b));
        for (i, (from, title)) in titles.iter().enumerate().skip(first) {
            let group = match same {
                true => groups.get((i - first) / each),
                false => groups.iter().rev().find(|(g, _)| *g < from + title.chars().count()),
            };
            if let Some((_, name)) = group.filter(|_| same || repeats(title)) {
                found.table.titles[i] = format!("{name} {title}");
            }
        }
        Some(found)
    })
}

/// Cells of a line with their start columns, in characters.
fn cells_at(line: &str, cells: Vec<String>) -> Vec<(usize, String)> {
    let mut at = 0;
    let place = |cell: String| {
        let from = line[at..].find(&cell).map_or(at, |i| at + i);
        at = (from + cell.len()).min(line.len());
        (line[..from].chars().count(), cell)
    };
    cells.into_iter().map(place).collect()
}

fn by_blanks(
    lines: &[&str],
    start: usize,
    header: &str,
    split: &dyn Fn(&str) -> Vec<String>,
) -> Option<Found> {
    let titles = split(header);
    if titles.len() < 2 || titles.iter().any(|t| is_numeric(t)) {
        return None;
    }
    let mut rows: Vec<(usize, Vec<String>)> = Vec::new();
    let mut end = start;
    while let Some(line) = lines.get(end).filter(|line| !opens_table(line)) {
        let row = split(line);
        let extra = row.len().checked_sub(titles.len()).filter(|extra| *extra <= 1);
        let same = rows.first().is_none_or(|(_, first)| first.len() == row.len());
        let numbers = row.iter().filter(|c| is_numeric(c)).count();
        if extra.is_none() || !same || numbers == 0 || numbers * 10 < row.len() * 3 {
            break;
        }
        rows.push((end, row));
        end += 1;
    }
    let index = rows.first()?.1.len() == titles.len() + 1;
    if index {
        let first: usize = rows.first()?.1.first()?.parse().ok()?;
        if !rows.iter().enumerate().all(|(i, (_, r))| r[0] == (first + i).to_string()) {
            return None;
        }
        for (_, row) in &mut rows {
            row.remove(0);
        }
    }
    if titles.len() == 2 && rows.len() < 2 && !index {
        return None;
    }
    let mut table = table(titles, rows, "printed");
    table.index = index.then(String::new);
    Some(Found { table, end })
}

fn by_rule(lines: &[&str], at: usize, spans: &[(usize, usize)]) -> Option<Found> {
    let cut = |line: &str| -> Vec<String> {
        let chars: Vec<char> = line.chars().collect();
        let text = |from: usize, to: usize| {
            let to = to.min(chars.len());
            chars.get(from..to.max(from)).unwrap_or_default().iter().collect::<String>()
        };
        // A cell may extend beyond its rule to the left or to the right.
        let clear = |at: usize| at == 0 || chars.get(at - 1).is_none_or(|c| *c == ' ');
        let left = spans.iter().all(|(from, _)| clear(*from));
        let cell = |(i, (from, to)): (usize, &(usize, usize))| {
            let next = spans.get(i + 1).map_or(usize::MAX, |s| s.0);
            let (from, to) = match left {
                true => (if i == 0 { 0 } else { *from }, next),
                false => (*from, *to),
            };
            text(from, to).trim().to_owned()
        };
        spans.iter().enumerate().map(cell).collect()
    };
    let mut rows = Vec::new();
    let mut end = at + 2;
    while let Some(line) = lines.get(end)
        && !line.trim().is_empty()
        && !line.trim_start().starts_with("--")
        && !line.trim_start().starts_with("==")
    {
        rows.push((end, cut(line)));
        end += 1;
    }
    let titles = cut(uncommented(lines[at]));
    (!rows.is_empty()).then(|| Found { table: table(titles, rows, "printed, with a rule"), end })
}
