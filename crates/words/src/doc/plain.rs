//! Renders a document as plain text, for a terminal or a log: one line per text.

use super::{Block, DocTable};
use gemmscope_model::encode::one_line;
use std::borrow::Cow;

/// Writes blocks as text, with empty lines in between; the columns of tables are aligned.
pub fn plain(blocks: &[Block<'_>]) -> String {
    let each: Vec<String> = blocks.iter().map(write).filter(|text| !text.is_empty()).collect();
    each.join("\n")
}

fn write(block: &Block<'_>) -> String {
    match block {
        Block::Heading(_, text) | Block::Lead(text) | Block::Text(text) => {
            format!("{}\n", one_line(text))
        }
        Block::List(of, items) => {
            let head = if of.is_empty() { String::new() } else { format!("{of}:\n") };
            items.iter().fold(head, |out, item| out + &format!("- {}\n", one_line(item)))
        }
        Block::Table(t) => table(t),
        Block::Article(a) => {
            let [heading, facts, text] = [&a.heading, &a.facts, &a.text].map(|t| one_line(t));
            let head = format!("{heading} ({}, {})\n{facts}\n{text}\n", a.tag, a.kind);
            let known = a.entries.iter().filter(|e| !e.1.is_empty());
            known.fold(head, |out, (title, text, _)| {
                out + &format!("- {title}: {}\n", one_line(text))
            })
        }
        Block::Pictures => String::new(),
    }
}

fn table(t: &DocTable<'_>) -> String {
    let titles = t.columns.iter().map(|c| one_line(&c.0)).collect();
    let rows = t.rows.iter().map(|row| row.iter().map(|cell| one_line(cell)).collect());
    let lines: Vec<Vec<Cow<'_, str>>> = std::iter::once(titles).chain(rows).collect();
    let letters =
        |line: &[Cow<'_, str>], i: usize| line.get(i).map_or(0, |cell| cell.chars().count());
    let widths: Vec<usize> = (0..t.columns.len())
        .map(|i| lines.iter().map(|line| letters(line, i)).max().unwrap_or(0))
        .collect();
    let line = |cells: &Vec<Cow<'_, str>>| {
        let cells = cells.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}"));
        format!("{}\n", cells.collect::<Vec<_>>().join("  ").trim_end())
    };
    lines.iter().map(line).collect()
}
