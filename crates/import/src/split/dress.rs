//! Removes what surrounds the content of a line: terminal colours, prefixes of loggers and launchers, lines drawn
//! around cells, commands of LaTeX tables.

use std::borrow::Cow;

/// How the lines of a head represent the escape character.
const SHOWN_ESCAPE: &str = "⟨U+001B⟩";

/// The content of a line; borrowed if there is nothing to remove.
pub(crate) fn bare(line: &str) -> Cow<'_, str> {
    let mut text = Cow::Borrowed(line);
    if line.contains('\u{1b}') || line.contains(SHOWN_ESCAPE) {
        text = Cow::Owned(without_colours(&line.replace(SHOWN_ESCAPE, "\u{1b}")));
    }
    if text.chars().any(is_drawn) {
        text = Cow::Owned(text.chars().map(ascii).collect());
    }
    // A spreadsheet quotes the first cell.
    let quote = if text.starts_with('"') { "\"" } else { "" };
    let rest = without_prefix(&text[quote.len()..]);
    if rest.len() + quote.len() < text.len() {
        text = Cow::Owned(format!("{quote}{rest}"));
    }
    match latex(&text) {
        Some(cells) => Cow::Owned(cells),
        None => text,
    }
}

/// The line without colours and without prefixes of loggers and launchers.
pub(crate) fn unprefixed(line: &str) -> Cow<'_, str> {
    if line.contains('\u{1b}') || line.contains(SHOWN_ESCAPE) {
        let plain = without_colours(&line.replace(SHOWN_ESCAPE, "\u{1b}"));
        return Cow::Owned(without_prefix(&plain).to_owned());
    }
    Cow::Borrowed(without_prefix(line))
}

/// Removes `ESC [ 1 ; 32 m` and other sequences that end in a letter.
fn without_colours(line: &str) -> String {
    let mut pieces = line.split('\u{1b}');
    let mut out = pieces.next().unwrap_or("").to_owned();
    for piece in pieces {
        let inner = piece.strip_prefix('[').unwrap_or(piece);
        let end = inner.find(|c: char| !(c.is_ascii_digit() || ";?".contains(c)));
        out.push_str(end.map_or("", |at| &inner[at..]).get(1..).unwrap_or(""));
    }
    out
}

/// True for the Unicode block “Box Drawing”.
fn is_drawn(c: char) -> bool {
    ('\u{2500}'..='\u{257f}').contains(&c)
}

fn ascii(c: char) -> char {
    match c {
        '│' | '┃' | '║' | '┆' | '┇' | '┊' | '┋' | '╎' | '╏' => '|',
        '─' | '━' | '═' | '┄' | '┅' | '┈' | '┉' | '╌' | '╍' => '-',
        c if is_drawn(c) => '+',
        c => c,
    }
}

const LEVELS: [&str; 8] =
    ["DEBUG", "INFO", "WARNING", "WARN", "ERROR", "CRITICAL", "FATAL", "TRACE"];

/// The text after the prefixes of loggers and launchers.
fn without_prefix(line: &str) -> &str {
    let mut rest = line;
    // Prefixes nest: launcher, logger, compiler.
    for _ in 0..4 {
        let text = rest.trim_start();
        let found = rank(text)
            .or_else(|| glog(text))
            .or_else(|| dated(text))
            .or_else(|| level(text))
            .or_else(|| clocked(text));
        match found {
            Some(behind) => rest = behind,
            None => break,
        }
    }
    rest
}

fn digits(text: &str) -> Option<&str> {
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    (rest.len() < text.len()).then_some(rest)
}

/// Rank prefixes: `[rank0]:`, `[0]:`, `[1,0]<stdout>:`, `[0/0]`, `(Worker pid=12)`.
fn rank(text: &str) -> Option<&str> {
    if let Some((inner, rest)) = text.strip_prefix('(').and_then(|t| t.split_once(')')) {
        return inner.split([' ', ',']).any(|w| w.starts_with("pid=")).then_some(rest);
    }
    let (inner, rest) = text.strip_prefix('[')?.split_once(']')?;
    let rest_of = |t: &str| digits(t).is_some_and(str::is_empty);
    if let Some((a, b)) = inner.split_once('/') {
        // Frame and recompilation count of Dynamo.
        return (rest_of(a) && b.split('_').all(rest_of)).then_some(rest);
    }
    let number = inner.trim_start_matches("rank").trim_start();
    if !number.split(',').all(rest_of) {
        return None;
    }
    let rest = rest.strip_prefix("<stdout>").or(rest.strip_prefix("<stderr>")).unwrap_or(rest);
    rest.strip_prefix(':')
}

/// Prefix of glog: `I0101 12:00:00.000123 12345 bench.cc:42] `.
fn glog(text: &str) -> Option<&str> {
    let rest = text.strip_prefix(|c: char| "VDIWEF".contains(c))?;
    let behind = digits(rest).filter(|b| matches!(rest.len() - b.len(), 4 | 8))?;
    let (time, behind) = behind.strip_prefix(' ')?.split_once("] ")?;
    (time.starts_with(|c: char| c.is_ascii_digit()) && time.contains(':')).then_some(behind)
}

/// The text after a date and a time; a date alone is a cell.
fn after_date(text: &str) -> Option<&str> {
    let date = text.get(..10)?;
    let of_date = |(i, b): (usize, u8)| match i {
        4 | 7 => b == b'-' || b == b'/',
        _ => b.is_ascii_digit(),
    };
    let time = text[10..].strip_prefix([' ', 'T'])?;
    let clock = time.get(..8)?.bytes().enumerate();
    let of_time = |(i, b): (usize, u8)| if i % 3 == 2 { b == b':' } else { b.is_ascii_digit() };
    if !(date.bytes().enumerate().all(of_date) && clock.into_iter().all(of_time)) {
        return None;
    }
    let rest = &time[8..];
    let rest = rest.strip_prefix([',', '.']).and_then(digits).unwrap_or(rest);
    Some(rest.strip_prefix('Z').unwrap_or(rest))
}

/// Dated prefixes: `2026-01-31 12:00:00,123 - bench - INFO - `, `[2026-01-31 12:00:00,123] [INFO] `.
fn dated(text: &str) -> Option<&str> {
    if let Some((inner, rest)) = text.strip_prefix('[').and_then(|t| t.split_once(']')) {
        return after_date(inner).map(|_| rest.trim_start_matches([':', ' ']));
    }
    let rest = after_date(text)?;
    let near = rest.char_indices().nth(80).map_or(rest, |(i, _)| &rest[..i]);
    let at = LEVELS.iter().filter_map(|l| Some(near.find(l)? + l.len())).min()?;
    (rest.starts_with([' ', ']', '|', ':'])).then(|| behind_level(&rest[at..]))
}

/// Log levels: `[INFO] `, `INFO: `, `INFO:root:`, `INFO 01-31 12:00:00 [core.py:42] `.
fn level(text: &str) -> Option<&str> {
    let (bracket, inner) = match text.strip_prefix('[') {
        Some(inner) => (true, inner),
        None => (false, text),
    };
    let rest = LEVELS.iter().find_map(|l| inner.strip_prefix(l))?;
    if bracket {
        return rest.trim_start().strip_prefix(']').map(behind_level);
    }
    if let Some(rest) = rest.strip_prefix(':') {
        let named = rest.split_once(':').filter(|(name, _)| {
            !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || "._".contains(c))
        });
        return Some(named.map_or(rest, |(_, rest)| rest));
    }
    let (time, behind) = rest.strip_prefix(' ')?.split_once("] ")?;
    (time.starts_with(|c: char| c.is_ascii_digit()) && time.contains(':')).then_some(behind)
}

fn behind_level(text: &str) -> &str {
    let rest = text.trim_start_matches(|c: char| c.is_ascii_uppercase());
    let rest = rest.trim_start_matches(['\t', ']']);
    let bare = rest.trim_start();
    bare.strip_prefix(['-', ':', '|']).filter(|r| !r.starts_with(['-', '-'])).unwrap_or(rest)
}

/// llama.cpp's clock: `0.00.123.456 I `.
fn clocked(text: &str) -> Option<&str> {
    let (clock, rest) = text.split_once(' ')?;
    let groups = clock.split('.').filter(|g| digits(g).is_some_and(str::is_empty)).count();
    let rest = rest.strip_prefix(['I', 'W', 'E', 'D'])?;
    (groups == 4 && clock.split('.').count() == 4 && rest.starts_with(' ')).then_some(rest)
}

/// A row of a LaTeX table without commands; "" for a line with only a command.
fn latex(line: &str) -> Option<String> {
    let text = line.trim();
    let row = text.strip_suffix("\\hline").unwrap_or(text).trim_end();
    let Some(cells) = row.strip_suffix("\\\\").filter(|r| r.contains('&')) else {
        let command = text.strip_prefix('\\')?;
        let rules = ["toprule", "midrule", "bottomrule", "hline", "cmidrule", "begin{", "end{"];
        return rules.iter().any(|r| command.starts_with(r)).then(String::new);
    };
    let mut out = String::new();
    let mut rest = cells;
    while let Some(at) = rest.find(['\\', '{', '}', '$']) {
        out.push_str(&rest[..at]);
        let command = rest[at..].strip_prefix('\\');
        rest = match command {
            // `\%`, `\textbf{12}`
            Some(c) => c.trim_start_matches(|c: char| c.is_ascii_alphabetic()),
            None => &rest[at + 1..],
        };
    }
    Some(out + rest)
}

#[cfg(test)]
mod tests {
    use super::bare;

    #[test]
    fn what_surrounds_a_line_goes() {
        for (line, wanted) in [
            ("\u{1b}[1;32mM=64\u{1b}[0m 3 ms", "M=64 3 ms"),
            ("[rank0]: M,N,K", " M,N,K"),
            ("[0]:transA,transB", "transA,transB"),
            ("[1,0]<stdout>: 3 ms", " 3 ms"),
            ("(EngineCore_0 pid=12) 3 ms", " 3 ms"),
            ("I0101 12:00:00.000123 12345 bench.cc:42] 3 ms", "3 ms"),
            ("V0930 10:11:12.1 12 torch/a.py:2153] [0/0_1]   mm 3 ms", "   mm 3 ms"),
            ("2026-01-31 12:00:00,123 - bench - INFO - 3 ms", " 3 ms"),
            ("2026-01-31 12:00:00 INFO 64,64,64", " 64,64,64"),
            ("[2026-01-31 12:00:00,123] [INFO] 3 ms", " 3 ms"),
            ("INFO:root:3 ms", "3 ms"),
            ("INFO 01-31 12:00:00 [core.py:42] 3 ms", "3 ms"),
            ("0.00.123.456 I   MUL_MAT(m=1)", "   MUL_MAT(m=1)"),
            ("│ 64 ┆ 3 ms │", "| 64 | 3 ms |"),
            ("├──────┼───┤", "+------+---+"),
            ("64 & \\textbf{3.5} & 9\\% \\\\ \\hline", "64 & 3.5 & 9% "),
            ("\\midrule", ""),
        ] {
            assert_eq!(bare(line), wanted, "{line}");
        }
    }

    #[test]
    fn cells_and_other_words_stay() {
        for line in [
            "2026-01-31 12:00:00,4096,4096,4096,0.25",
            "2026-01-31,4096,4096",
            "[4096, 4096, 512] 3 ms",
            "[cuBLAS] 64x64x64 3 ms",
            "[64] 3 ms",
            "INFORMATION: 3 ms",
            "E5M2,4096",
            "(4096, 512) @ (512, 64)",
            "a && b \\",
            "C:\\data\\x.csv",
        ] {
            assert_eq!(bare(line), line);
        }
    }
}
