//! The dresses of tables: each takes the lines from one on and gives the cells of the table that begins there.

mod drawn;
pub(super) mod markup;
mod plain;

use super::block::Table;

/// A table and the first line behind it (0-based).
pub(super) struct Found {
    pub table: Table,
    pub end: usize,
}

/// A table of these rows with their lines (0-based).
fn table(titles: Vec<String>, rows: Vec<(usize, Vec<String>)>, dress: &'static str) -> Table {
    let lines = rows.iter().map(|(line, _)| *line as u32 + 1).collect();
    let rows = rows.into_iter().map(|(_, cells)| cells).collect();
    Table { titles, rows, lines, dress, ..Table::default() }
}

/// Takes the table that begins in a line.
type Dress = fn(&[&str], usize) -> Option<Found>;

/// The table that begins in this line.
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

/// A line of dashes, bars and colons alone.
fn is_rule(line: &str) -> bool {
    let line = line.trim();
    let drawn = |c: char| "|+:-=─━═ \t".contains(c);
    let long = ["--", "==", "──", "━━", "══"].iter().any(|d| line.contains(d));
    line.chars().all(drawn) && (long || line.contains('|') && line.contains('-'))
}

/// Headers of several lines, joined by column; a word that repeats counts once.
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

/// Cells between bars; bars in backticks or behind a backslash hold nothing apart.
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
