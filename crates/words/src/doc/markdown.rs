//! Renders a document as markdown.

use super::escape::{markdown_line as line, markdown_text as md};
use super::{Article, Block, DocTable};

/// Writes blocks as markdown, with an empty line before each.
pub fn markdown(blocks: &[Block<'_>]) -> String {
    let mut out = String::new();
    blocks.iter().for_each(|block| write(block, &mut out));
    out
}

fn write(block: &Block<'_>, out: &mut String) {
    match block {
        Block::Heading(level, text) => {
            out.push_str(&format!("\n{} {}\n", "#".repeat(usize::from(*level)), md(text)));
        }
        Block::Lead(text) | Block::Text(text) => out.push_str(&format!("\n{}\n", line(text))),
        Block::List(of, items) => {
            if !of.is_empty() {
                out.push_str(&format!("\n{of}:\n"));
            }
            out.push('\n');
            items.iter().for_each(|item| out.push_str(&format!("- {}\n", line(item))));
        }
        Block::Table(t) => table(t, out),
        Block::Article(a) => article(a, out),
        Block::Pictures => {}
    }
}

fn table(t: &DocTable<'_>, out: &mut String) {
    let heads = t.columns.iter().map(|c| md(&c.0));
    let heads: Vec<_> = heads.collect();
    out.push_str(&format!("\n| {} |\n|{}\n", heads.join(" | "), "---|".repeat(heads.len())));
    for row in &t.rows {
        out.push('|');
        row.iter().for_each(|cell| out.push_str(&format!(" {} |", md(cell))));
        out.push('\n');
    }
}

fn article(a: &Article<'_>, out: &mut String) {
    out.push_str(&format!(
        "\n### {} ({}, {})\n\n{}\n\n",
        md(&a.heading),
        a.tag,
        a.kind,
        line(&a.text)
    ));
    let weight = ("Weight", a.facts.clone());
    let entries = a.entries.iter().map(|(title, text, _)| (*title, text.clone()));
    for (title, text) in std::iter::once(weight).chain(entries).filter(|e| !e.1.is_empty()) {
        out.push_str(&format!("- **{title}:** {}\n", md(&text)));
    }
}
