//! Tables in markup: HTML and LaTeX.

use super::{Found, joined, table};
use crate::document::block::{are_words, bare};
use std::borrow::Cow;
use std::collections::HashMap;

/// Line limit for an HTML table without an end tag.
const MOST_LINES: usize = 4_096;
/// Name of the syntax.
pub(in crate::document) const HTML: &str = "HTML";
/// Limit of `colspan` and `rowspan`.
const MOST_SPAN: usize = 256;
/// Cells that a table may have with what spans several, beside one for each byte that is written.
const LEAST_CELLS: usize = 4_096;

/// An HTML table: `<th>` and `<td>` cells, with spans filled in.
pub(super) fn html(lines: &[&str], at: usize) -> Option<Found> {
    if !opens_table(lines.get(at)?) {
        return None;
    }
    let near = &lines[at..lines.len().min(at + MOST_LINES)];
    let end = table_end(near).map_or(at + near.len(), |len| at + len);
    let mut rows: Vec<(usize, Vec<String>)> = Vec::new();
    let mut heads = 0;
    let written: usize = lines[at..end].iter().map(|line| line.len()).sum();
    let mut left = LEAST_CELLS + written;
    // Per column: number of rows that a cell still spans, and its text.
    let mut held: HashMap<usize, (usize, String)> = HashMap::new();
    for (line, source) in table_rows(lines, at, end) {
        let cells = cells_of(&source);
        if cells.is_empty() {
            continue;
        }
        if cells.iter().all(|c| c.head) && heads == rows.len() {
            heads += 1;
        }
        let mut row: Vec<String> = Vec::new();
        for cell in cells {
            take_held(&mut held, &mut row, left);
            for _ in 0..cell.columns.min(left.saturating_sub(row.len())) {
                held.insert(row.len(), (cell.rows - 1, cell.text.clone()));
                row.push(cell.text.clone());
            }
        }
        take_held(&mut held, &mut row, left);
        // Its cells would take far more room than what is written.
        left = left.checked_sub(row.len() + 1).filter(|left| *left > 0)?;
        rows.push((line, row));
    }
    let heads = heads.max(1);
    if rows.len() <= heads {
        return None;
    }
    let titles: Vec<Vec<String>> = rows.drain(..heads).map(|(_, cells)| cells).collect();
    Some(Found { table: table(joined(&titles), rows, HTML), end })
}

/// True if an HTML table begins in the line.
pub(super) fn opens_table(line: &str) -> bool {
    line.contains('<') && line.to_ascii_lowercase().contains("<table")
}

/// Text in the lines of a table outside its cells: before it, with the caption, and after it.
pub(in crate::document) fn beside(lines: &[&str]) -> [Vec<String>; 2] {
    let text = lines.join(" ");
    let lower = text.to_ascii_lowercase();
    let from = lower.find("<table").unwrap_or(0);
    let to = lower.find("</table").and_then(|at| Some(at + lower[at..].find('>')? + 1));
    let to = to.unwrap_or(text.len()).max(from);
    let caption = lower[from..to].find("<caption").and_then(|at| {
        let at = from + at + lower[from + at..].find('>')? + 1;
        Some(&text[at..at + lower[at..].find("</caption")?])
    });
    let said = |text: &str| Some(bare(&without_tags(text))).filter(|t| !t.is_empty());
    let above = [said(&text[..from]), caption.and_then(said)];
    [above.into_iter().flatten().collect(), said(&text[to..]).into_iter().collect()]
}

/// The first line behind a table: behind its end, or where another one begins.
fn table_end(lines: &[&str]) -> Option<usize> {
    lines.iter().enumerate().find_map(|(i, line)| {
        let lower = line.to_ascii_lowercase();
        let end = lower.contains("</table").then_some(i + 1);
        end.or_else(|| (i > 0 && lower.contains("<table")).then_some(i))
    })
}

/// Adds the cells that rows above span, up to `most` in all.
fn take_held(held: &mut HashMap<usize, (usize, String)>, row: &mut Vec<String>, most: usize) {
    while row.len() < most
        && let Some((rows, text)) = held.get_mut(&row.len())
        && *rows > 0
    {
        *rows -= 1;
        row.push(text.clone());
    }
}

/// Sources of the rows, each with the line where it starts.
fn table_rows(lines: &[&str], at: usize, end: usize) -> Vec<(usize, String)> {
    let mut out: Vec<(usize, String)> = Vec::new();
    for (i, line) in lines.iter().enumerate().take(end).skip(at) {
        let lower = line.to_ascii_lowercase();
        let mut from = 0;
        for (to, _) in lower.match_indices("<tr") {
            if let Some((_, last)) = out.last_mut() {
                last.push_str(&line[from..to]);
                last.push(' ');
            }
            out.push((i, String::new()));
            from = to;
        }
        if let Some((_, last)) = out.last_mut() {
            last.push_str(&line[from..]);
            last.push(' ');
        }
    }
    out
}

struct HtmlCell {
    head: bool,
    columns: usize,
    rows: usize,
    text: String,
}

fn cells_of(row: &str) -> Vec<HtmlCell> {
    let lower = row.to_ascii_lowercase();
    let opened: Vec<usize> = lower
        .match_indices("<t")
        .filter(|(i, _)| {
            let tag = &lower[*i..];
            (tag.starts_with("<td") || tag.starts_with("<th"))
                && tag[3..].starts_with(|c: char| c == '>' || c.is_whitespace())
        })
        .map(|(i, _)| i)
        .collect();
    let cell = |(nth, from): (usize, &usize)| {
        let to = opened.get(nth + 1).copied().unwrap_or(row.len());
        let source = &row[*from..to];
        let (tag, inner) = source.split_once('>').unwrap_or((source, ""));
        let ends = ["</td", "</th", "</tr", "</thead", "</tbody", "</table"];
        let low = inner.to_ascii_lowercase();
        let end = ends.iter().filter_map(|e| low.find(e)).min().unwrap_or(inner.len());
        HtmlCell {
            head: lower[*from..].starts_with("<th"),
            columns: span(tag, "colspan"),
            rows: span(tag, "rowspan"),
            text: bare(&without_tags(&inner[..end])),
        }
    };
    opened.iter().enumerate().map(cell).collect()
}

fn span(tag: &str, name: &str) -> usize {
    let lower = tag.to_ascii_lowercase();
    let value = lower.find(name).map_or("", |at| &lower[at + name.len()..]);
    let value = value.trim_start_matches(|c: char| !c.is_ascii_digit());
    let digits = value.find(|c: char| !c.is_ascii_digit()).map_or(value, |end| &value[..end]);
    digits.parse().unwrap_or(1).clamp(1, MOST_SPAN)
}

fn without_tags(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once('<') {
        out.push_str(before);
        match behind.split_once('>') {
            Some((_, after)) => {
                out.push(' ');
                rest = after;
            }
            None => {
                // Nothing behind it is a tag either.
                out.push('<');
                rest = behind;
                break;
            }
        }
    }
    out.push_str(rest);
    out
}

/// True for an HTML page or fragment with a table.
pub(in crate::document) fn is_page(text: &str) -> bool {
    text.trim_start().starts_with('<') && text.to_ascii_lowercase().contains("<table")
}

/// Copied HTML with its tables unchanged and each paragraph between them as a line of plain text.
pub(in crate::document) fn paragraphs(html: &str) -> String {
    const UNSEEN: [(&str, &str); 4] =
        [("<!--", "-->"), ("<style", "</style>"), ("<script", "</script>"), ("<head", "</head>")];
    const BREAKS: [&str; 13] =
        ["p", "br", "div", "li", "ul", "ol", "h1", "h2", "h3", "h4", "h5", "h6", "pre"];
    let lower = html.to_ascii_lowercase();
    let mut out = String::with_capacity(html.len());
    let mut at = 0;
    while let Some(tag) = lower[at..].find('<').map(|i| at + i) {
        out.push_str(&entities(&html[at..tag]));
        let begins = |name: &str| lower[tag..].starts_with(name);
        let behind = |end: &str| lower[tag..].find(end).map_or(html.len(), |i| tag + i + end.len());
        if let Some((_, end)) = UNSEEN.iter().find(|(begin, _)| begins(begin) && !begins("<header"))
        {
            at = behind(end);
        } else if begins("<table") {
            at = behind("</table>");
            out.push('\n');
            out.push_str(&entities(&html[tag..at]));
            out.push('\n');
        } else {
            at = behind(">");
            let name = lower[tag..].trim_start_matches(['<', '/']);
            let name =
                &name[..name.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(name.len())];
            if BREAKS.contains(&name) {
                out.push('\n');
            }
        }
    }
    out.push_str(&entities(&html[at..]));
    out
}

/// Replaces the named character references that occur next to figures.
fn entities(text: &str) -> Cow<'_, str> {
    if !text.contains('&') {
        return text.into();
    }
    const NAMED: [(&str, &str); 7] = [
        ("&nbsp;", " "),
        ("&#160;", " "),
        ("&micro;", "µ"),
        ("&times;", "×"),
        ("&plusmn;", "±"),
        ("&lt;", "<"),
        ("&amp;", "&"),
    ];
    NAMED.iter().fold(text.to_owned(), |text, (name, is)| text.replace(name, is)).into()
}

/// A LaTeX table: cells separated by `&`, rows ended by `\\`.
pub(super) fn latex(lines: &[&str], at: usize) -> Option<Found> {
    let row = |line: &str| {
        let inner = line.trim_end().strip_suffix("\\\\")?;
        let plain = |cell: &str| {
            let cell = cell.split("\\pm").next().unwrap_or("").replace('$', "");
            bare(&cell.replace("\\_", "_").replace("\\%", "%"))
        };
        (inner.matches('&').count() >= 2).then(|| inner.split('&').map(plain).collect::<Vec<_>>())
    };
    let titles = row(lines.get(at)?).filter(|titles| are_words(titles))?;
    let mut rows = Vec::new();
    let mut end = at + 1;
    while let Some(line) = lines.get(end) {
        let trimmed = line.trim();
        let rule =
            trimmed.starts_with('\\') && (trimmed.contains("rule") || trimmed.contains("line"));
        match row(line) {
            Some(cells) => rows.push((end, cells)),
            None if rule => {}
            None => break,
        }
        end += 1;
    }
    (!rows.is_empty()).then(|| Found { table: table(titles, rows, "LaTeX"), end })
}
