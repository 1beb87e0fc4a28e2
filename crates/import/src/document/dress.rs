//! Table syntaxes. Each parser looks for a table that starts at a given line and returns its cells.

mod drawn;
pub(super) mod markup;
mod plain;

use super::block::Table;

/// A table, and the index of the first line after it (0-based).
pub(super) struct Found {
    pub table: Table,
    pub end: usize,
}

/// A table of rows with their lines (0-based).
fn table(titles: Vec<String>, rows: Vec<(usize, Vec<String>)>, dress: &'static str) -> Table {
    let lines = rows.iter().map(|(line, _)| *line as u32 + 1).collect();
    let rows = rows.into_iter().map(|(_, cells)| cells).collect();
    Table { titles, rows, lines, dress, ..Table::default() }
}

/// Parser of one syntax; `None` if no such table starts at the line.
type Dress = fn(&[&str], usize) -> Option<Found>;

/// The table that starts at this line, in the first syntax that matches.
pub(super) fn found(lines: &[&str], at: usize) -> Option<Found> {
    let dresses: [Dress; 7] = [
        markup::html,
        drawn::grid,
        drawn::markdown,
        markup::latex,
        drawn::walls,
        plain::delimited,
        plain::printed,
    ];
    dresses.into_iter().find_map(|dress| dress(lines, at))
}

/// True for a line of dashes, bars and colons only.
fn is_rule(line: &str) -> bool {
    let line = line.trim();
    let drawn = |c: char| "|+:-=─━═ \t".contains(c);
    let long = ["--", "==", "──", "━━", "══"].iter().any(|d| line.contains(d));
    line.chars().all(drawn) && (long || line.contains('|') && line.contains('-'))
}

/// Joins header lines by column; a repeated word is used once.
fn joined(lines: &[Vec<String>]) -> Vec<String> {
    let width = lines.iter().map(Vec::len).max().unwrap_or(0);
    let title = |column: usize| {
        let mut words: Vec<&str> = Vec::new();
        for line in lines {
            let cell = line.get(column).map_or("", |c| c.trim());
            if !cell.is_empty() && !words.contains(&cell) {
                words.push(cell);
            }
        }
        words.join(" ")
    };
    (0..width).map(title).collect()
}

/// Splits a line at bars, except those in backticks or after a backslash.
fn between_bars(line: &str) -> Vec<String> {
    let line = line.trim();
    let line = line.strip_prefix('|').unwrap_or(line);
    let line = match line.ends_with("\\|") {
        true => line,
        false => line.strip_suffix('|').unwrap_or(line),
    };
    let code = line.matches('`').count() % 2 == 0;
    let (mut cells, mut cell, mut quoted, mut escaped) = (Vec::new(), String::new(), false, false);
    for c in line.chars() {
        match c {
            '|' if escaped => {
                cell.pop();
                cell.push('|');
            }
            '|' if !quoted => cells.push(std::mem::take(&mut cell)),
            c => {
                quoted ^= code && c == '`';
                cell.push(c);
            }
        }
        escaped = c == '\\';
    }
    cells.push(cell);
    cells.iter().map(|c| c.trim().to_owned()).collect()
}
