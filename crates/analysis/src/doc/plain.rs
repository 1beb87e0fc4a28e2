//! A document as plain text, for a terminal or a log.

use super::{Block, Table};

/// Writes blocks as text, each after an empty line but the first; columns of tables are aligned.
pub fn plain(blocks: &[Block<'_>]) -> String {
    let each: Vec<String> = blocks.iter().map(write).filter(|text| !text.is_empty()).collect();
    each.join("\n")
}

fn write(block: &Block<'_>) -> String {
    match block {
        Block::Heading(_, text) | Block::Lead(text) | Block::Text(text) => format!("{text}\n"),
        Block::List(of, items) => {
            let head = if of.is_empty() { String::new() } else { format!("{of}:\n") };
            items.iter().fold(head, |out, item| out + &format!("- {item}\n"))
        }
        Block::Table(t) => table(t),
        Block::Article(a) => {
            let head = format!("{} ({}, {})\n{}\n{}\n", a.heading, a.tag, a.kind, a.facts, a.text);
            let known = a.entries.iter().filter(|e| !e.1.is_empty());
            known.fold(head, |out, (title, text, _)| out + &format!("- {title}: {text}\n"))
        }
        Block::Pictures => String::new(),
    }
}

fn table(t: &Table<'_>) -> String {
    let titles: Vec<&str> = t.columns.iter().map(|c| c.0.as_ref()).collect();
    let rows = t.rows.iter().map(|row| row.iter().map(AsRef::as_ref).collect::<Vec<&str>>());
    let lines: Vec<Vec<&str>> = std::iter::once(titles).chain(rows).collect();
    let letters = |line: &[&str], i: usize| line.get(i).map_or(0, |cell| cell.chars().count());
    let widths: Vec<usize> = (0..t.columns.len())
        .map(|i| lines.iter().map(|line| letters(line, i)).max().unwrap_or(0))
        .collect();
    let line = |cells: &Vec<&str>| {
        let cells = cells.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}"));
        format!("{}\n", cells.collect::<Vec<_>>().join("  ").trim_end())
    };
    lines.iter().map(line).collect()
}
