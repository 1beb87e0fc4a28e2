//! Splits a text into headings, sentences and tables of any syntax.

use super::dress::{self, markup};
use super::spread::spread;
use crate::split::dress::unprefixed;

/// A table: titles without markup, and rows with one cell per title as written.
#[derive(Clone, Debug, Default)]
pub(super) struct Table {
    pub titles: Vec<String>,
    pub rows: Vec<Vec<String>>,
    /// 1-based line of each row.
    pub lines: Vec<u32>,
    /// Name of the table's syntax, for people.
    pub dress: &'static str,
    /// The rows are log lines that name their quantities; stated sizes do not apply to them.
    pub is_log: bool,
    /// Title of a dropped first column that only counted the rows.
    pub index: Option<String>,
}

#[derive(Clone, Debug)]
pub(super) enum Kind {
    /// Heading with its level, 1 the highest.
    Heading(u8),
    Sentence,
    Table(Table),
}

/// A heading, a sentence or a table.
#[derive(Clone, Debug)]
pub(super) struct Block {
    pub kind: Kind,
    /// 1-based.
    pub line: u32,
    /// Without markup; empty for a table.
    pub text: String,
}

impl Block {
    pub(super) fn table(&self) -> Option<&Table> {
        match &self.kind {
            Kind::Table(table) => Some(table),
            _ => None,
        }
    }

    pub(super) fn level(&self) -> Option<u8> {
        match self.kind {
            Kind::Heading(level) => Some(level),
            _ => None,
        }
    }

    /// True for a table with more than two columns; smaller ones are lists of settings.
    pub(super) fn measures(&self) -> bool {
        self.table().is_some_and(|t| t.titles.len() > 2)
    }

    /// The text of the block; for a table, its rows concatenated.
    pub(super) fn said(&self) -> String {
        let Some(table) = self.table() else { return self.text.clone() };
        let of_operands = |row: &&Vec<String>| {
            let first = row.first().map(|c| bare(c).to_lowercase()).unwrap_or_default();
            !["out", "result", "scale", "a/b scale", "accum"].iter().any(|w| first.starts_with(w))
        };
        let row = |row: &Vec<String>| row.iter().map(|c| bare(c)).collect::<Vec<_>>().join(" ");
        let all = std::iter::once(&table.titles).chain(table.rows.iter().take(40));
        all.filter(of_operands).map(row).collect::<Vec<_>>().join(" ; ")
    }
}

/// Strips emphasis, code marks, HTML tags and entities.
pub(super) fn bare(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        if let Some(tail) = ["**", "~~"].iter().find_map(|m| rest.strip_prefix(m)) {
            rest = tail;
            continue;
        }
        if let Some(tail) =
            ["\\textbf{", "\\mathbf{", "\\underline{"].iter().find_map(|m| rest.strip_prefix(m))
        {
            let (inner, behind) = tail.split_once('}').unwrap_or((tail, ""));
            out.push_str(inner);
            rest = behind;
            continue;
        }
        // Near: a text of nothing but beginnings would be searched from each of them.
        let tag = (c == '<').then(|| rest.bytes().take(42).position(|b| b == b'>')).flatten();
        let in_name = out.ends_with(|c: char| c.is_alphanumeric() || c == '_');
        if let Some(end) = tag
            && rest[1..].starts_with(|c: char| c.is_ascii_alphabetic() || c == '/')
            && (!in_name || is_tag(&rest[1..end]))
        {
            rest = &rest[end + 1..];
            continue;
        }
        if c == '&'
            && let Some(end) = rest.bytes().take(10).position(|b| b == b';')
            && let Some(plain) = entity_of(&rest[1..end])
        {
            out.push(plain);
            rest = &rest[end + 1..];
            continue;
        }
        match c {
            '`' => {}
            '\u{a0}' | '\u{202f}' | '\u{2009}' => out.push(' '),
            c => out.push(c),
        }
        rest = &rest[c.len_utf8()..];
    }
    let trimmed = out.trim();
    // Strip `__bold__`, but keep underscores within a name.
    let inner = trimmed.strip_prefix("__").and_then(|t| t.strip_suffix("__"));
    inner.filter(|t| !t.is_empty()).unwrap_or(trimmed).trim().to_owned()
}

/// True for an HTML tag; false for the `<float>` of a kernel name.
fn is_tag(inner: &str) -> bool {
    const TAGS: [&str; 26] = [
        "a", "b", "big", "br", "code", "del", "details", "div", "em", "font", "h1", "h2", "h3",
        "h4", "i", "img", "kbd", "p", "pre", "s", "small", "span", "strong", "sub", "summary",
        "sup",
    ];
    let name = inner.trim_start_matches('/').to_ascii_lowercase();
    let end = name.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(name.len());
    TAGS.contains(&&name[..end])
}

fn entity_of(name: &str) -> Option<char> {
    if let Some(number) = name.strip_prefix('#') {
        let code = match number.strip_prefix(['x', 'X']) {
            Some(hex) => u32::from_str_radix(hex, 16).ok()?,
            None => number.parse().ok()?,
        };
        return char::from_u32(code).filter(|c| !c.is_control());
    }
    Some(match name {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "nbsp" => ' ',
        "micro" => 'µ',
        "mu" => 'μ',
        "times" => '×',
        "plusmn" => '±',
        "middot" => '·',
        _ => return None,
    })
}

/// True if a cell is empty or starts with a number.
pub(super) fn is_numeric(cell: &str) -> bool {
    let bare = cell.trim().trim_start_matches(['~', '≈', '<', '>', '*', '`', '_']);
    bare.is_empty() || super::words::number_length(bare) > 0
}

/// True if most cells are words, so that they may be titles.
pub(super) fn are_words(cells: &[String]) -> bool {
    let words = cells.iter().filter(|c| !is_numeric(c) || c.trim().is_empty()).count();
    words * 10 >= cells.len() * 6 && words > 0 && cells.iter().any(|c| !c.trim().is_empty())
}

/// True for cells such as `M=4096` and `size: 12`.
pub(super) fn names_value(cell: &str) -> bool {
    cell.match_indices([':', '=']).any(|(at, _)| {
        let named = cell[..at].trim_end().ends_with(|c: char| c.is_alphanumeric());
        named && cell[at + 1..].trim_start().starts_with(|c: char| c.is_ascii_digit())
    })
}

/// Splits a text into blocks. Code fences and rules are ignored.
pub(super) fn blocks(text: &str) -> Vec<Block> {
    let of_page = markup::is_page(text).then(|| markup::paragraphs(text));
    let text = of_page.as_deref().unwrap_or(text);
    let bare: Vec<_> = text.lines().map(unprefixed).collect();
    let lines: Vec<&str> = bare.iter().map(|l| &**l).collect();
    let mut out = Vec::new();
    let mut i = 0;
    while i < lines.len() {
        let line = lines[i].trim();
        if is_blank(line) {
            i += 1;
            continue;
        }
        if !is_heading(line)
            && let Some(found) = dress::found(&lines, i)
        {
            let end = found.end.max(i + 1);
            let beside = match found.table.dress {
                markup::HTML => markup::beside(&lines[i..end]),
                _ => [const { Vec::new() }; 2],
            };
            let sentence = |line: usize| {
                move |text: String| Block { kind: Kind::Sentence, line: line as u32, text }
            };
            let [above, below] = beside;
            out.extend(above.into_iter().map(sentence(i + 1)));
            let kind = Kind::Table(spread(tidy(found.table)));
            out.push(Block { kind, line: i as u32 + 1, text: String::new() });
            out.extend(below.into_iter().map(sentence(end)));
            i = end;
            continue;
        }
        let (kind, text) = words_of(&lines, i);
        out.push(Block { kind, line: i as u32 + 1, text });
        i += 1;
    }
    out
}

fn is_blank(line: &str) -> bool {
    let rule = line.len() >= 3 && line.bytes().all(|b| b"-=*_".contains(&b));
    let tags = line.starts_with('<')
        && line.ends_with('>')
        && bare(line).is_empty()
        && !line.to_lowercase().contains("<t");
    line.is_empty() || line.starts_with("```") || rule || tags
}

/// True for `## H100`; false for a table header after a comment sign.
fn is_heading(line: &str) -> bool {
    let text = line.trim_start_matches('#');
    let marks = line.len() - text.len();
    if !(1..=6).contains(&marks) || !text.starts_with(' ') || text.trim().is_empty() {
        return false;
    }
    let plain = |c: char| c.is_alphanumeric() || ",;\t _".contains(c);
    marks > 1
        || !(text.chars().all(plain)
            && text.split([',', ';', '\t', ' ']).filter(|w| !w.is_empty()).count() >= 3)
}

fn words_of(lines: &[&str], i: usize) -> (Kind, String) {
    let line = lines[i].trim();
    let plain = bare(line);
    if is_heading(line) {
        let text = line.trim_start_matches('#');
        return (Kind::Heading((line.len() - text.len()) as u8), bare(text));
    }
    let below = lines.get(i + 1).map_or("", |l| l.trim());
    let underlined = |mark: char| below.len() >= 3 && below.chars().all(|c| c == mark);
    let bold = line.strip_prefix("**").and_then(|t| t.trim_end_matches(':').strip_suffix("**"));
    let lower = line.to_lowercase();
    let of_html = ["<summary", "<b>", "<strong", "<h1", "<h2", "<h3", "<h4"];
    let kind = if bold.is_some_and(|b| !b.contains("**"))
        || of_html.iter().any(|t| lower.starts_with(t))
    {
        Kind::Heading(7)
    } else if plain.len() < 80 && underlined('=') {
        Kind::Heading(1)
    } else if plain.len() < 80 && underlined('-') {
        Kind::Heading(2)
    } else if plain.ends_with(':') && plain.len() < 80 {
        Kind::Heading(8)
    } else {
        Kind::Sentence
    };
    (kind, plain)
}

/// Pads or cuts rows to the number of titles, and drops an untitled first column that counts the rows.
fn tidy(mut table: Table) -> Table {
    let width = table.titles.len();
    for row in &mut table.rows {
        row.resize(width, String::new());
    }
    table.titles = table.titles.iter().map(|t| bare(t)).collect();
    let untitled = |t: &String| t.is_empty() || t == "index" || t == "Unnamed: 0";
    let counts = || {
        let mut rows = table.rows.iter().enumerate();
        rows.all(|(i, r)| r.first().is_some_and(|c| c.trim() == i.to_string()))
    };
    if width > 2 && table.titles.first().is_some_and(untitled) && table.rows.len() > 1 && counts() {
        table.index = Some(table.titles.remove(0));
        for row in &mut table.rows {
            row.remove(0);
        }
    }
    table
}
