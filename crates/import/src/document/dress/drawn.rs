//! Tables with drawn lines: Markdown, grids, and column groups separated by bars.

use super::plain::{PROBED, is_header};
use super::{Found, between_bars, is_rule, joined, table};
use crate::document::block::is_numeric;

/// A header, a rule of dashes and bars, and rows with bars. The outer bars are optional.
pub(super) fn markdown(lines: &[&str], at: usize) -> Option<Found> {
    let titles = titles_at(lines, at)?;
    let mut rows = Vec::new();
    let mut end = at + 2;
    while let Some(line) = lines.get(end)
        && line.contains('|')
        && titles_at(lines, end).is_none()
    {
        if !is_rule(line) {
            let row = between_bars(line);
            if !rows.is_empty() && is_header(&row, &titles) {
                break;
            }
            rows.push((end, row));
        }
        end += 1;
    }
    Some(Found { table: table(titles, rows, "Markdown"), end })
}

/// The titles of a Markdown table that begins at the line.
pub(super) fn titles_at(lines: &[&str], at: usize) -> Option<Vec<String>> {
    let (header, rule) = (lines.get(at)?, lines.get(at + 1)?);
    let fits = header.contains('|') && rule.contains('|') && is_rule(rule) && !is_rule(header);
    if !fits || rule.trim().starts_with('+') {
        return None;
    }
    let titles = between_bars(header);
    (titles.len().abs_diff(between_bars(rule).len()) <= 1).then_some(titles)
}

/// Rules of `+---+` or box characters; the lines between the first two rules are the header.
pub(super) fn grid(lines: &[&str], at: usize) -> Option<Found> {
    const CORNERS: &str = "+┌┏╔╭├┡╞┝╠└┗╚╰";
    let rule = |line: &str| {
        let line = line.trim();
        let drawn = |c: char| "+-=|".contains(c) || ('\u{2500}'..='\u{257f}').contains(&c);
        line.chars().count() > 2
            && line.starts_with(|c| CORNERS.contains(c))
            && line.chars().all(drawn)
    };
    let boxed = |line: &str| line.replace(['│', '┃', '┆', '║', '╎'], "|");
    if !rule(lines.get(at)?) {
        return None;
    }
    let mut groups: Vec<Vec<(usize, Vec<String>)>> = vec![Vec::new()];
    let mut end = at + 1;
    while let Some(line) = lines.get(end) {
        if rule(line) {
            if groups.len() > 1 && groups.iter().rev().take(2).all(Vec::is_empty) {
                break;
            }
            groups.push(Vec::new());
        } else if boxed(line).trim_start().starts_with('|') {
            groups.last_mut()?.push((end, between_bars(&boxed(line))));
        } else {
            break;
        }
        end += 1;
    }
    groups.retain(|g| !g.is_empty());
    if groups.len() < 2 {
        return None;
    }
    let titles = joined(&cells(groups.remove(0)));
    // Several lines between rules are several rows, or one row with wrapped cells.
    let measured =
        |row: &[String]| row.iter().filter(|c| is_numeric(c) && !c.is_empty()).count() > 1;
    let several =
        groups.len() == 1 || groups.iter().any(|g| g.iter().skip(1).any(|(_, r)| measured(r)));
    let rows = match several {
        true => groups.into_iter().flatten().collect(),
        false => groups.into_iter().map(|g| (g[0].0, joined(&cells(g)))).collect(),
    };
    Some(Found { table: table(titles, rows, "grid"), end })
}

fn cells(group: Vec<(usize, Vec<String>)>) -> Vec<Vec<String>> {
    group.into_iter().map(|(_, cells)| cells).collect()
}

/// Bars between groups of columns, blanks within a group, and a header of two lines.
pub(super) fn walls(lines: &[&str], at: usize) -> Option<Found> {
    let bars = lines.get(at)?.matches('|').count();
    if bars == 0 {
        return None;
    }
    let number = |groups: &[Vec<String>]| {
        let cells = || groups.iter().flatten();
        cells().filter(|c| is_numeric(c)).count() * 2 > cells().count()
    };
    let mut all: Vec<(usize, Vec<Vec<String>>)> = Vec::new();
    let mut end = at;
    while let Some(line) = lines.get(end) {
        if is_rule(line) {
            end += 1;
            continue;
        }
        if line.matches('|').count() != bars {
            break;
        }
        let inner = line.trim_end().trim_matches('|');
        all.push((end, inner.split('|').map(apart).collect()));
        end += 1;
        if all.len() == PROBED && !all.iter().any(|(_, groups)| number(groups)) {
            return None;
        }
    }
    let body = all.iter().position(|(_, groups)| number(groups)).filter(|at| *at > 0)?;
    let groups = all[body].1.len();
    let widths: Vec<usize> = (0..groups).map(|g| usual_width(&all[body..], g)).collect();
    let mut titles = Vec::new();
    for (g, width) in widths.iter().enumerate() {
        let heads: Vec<&Vec<String>> =
            all[..body].iter().filter_map(|(_, s)| s.get(g)).filter(|h| !h.is_empty()).collect();
        for column in 0..*width {
            let of = |h: &&Vec<String>| match h.len() {
                1 => h.first().cloned(),
                len if len == *width => h.get(column).cloned(),
                _ => None,
            };
            titles.push(heads.iter().filter_map(of).collect::<Vec<_>>().join(" "));
        }
    }
    let fits = |(line, groups): (usize, Vec<Vec<String>>)| {
        let cells: Vec<String> = groups.into_iter().flatten().collect();
        (cells.len() == titles.len()).then_some((line, cells))
    };
    let rows: Vec<_> = all.into_iter().skip(body).filter_map(fits).collect();
    let dress = if body > 1 { "printed, with bars" } else { "bars" };
    (!rows.is_empty() && titles.len() > 1).then(|| Found { table: table(titles, rows, dress), end })
}

/// The most frequent number of cells in a group.
fn usual_width(rows: &[(usize, Vec<Vec<String>>)], group: usize) -> usize {
    let mut counts = std::collections::BTreeMap::<usize, usize>::new();
    for (_, groups) in rows {
        *counts.entry(groups.get(group).map_or(0, Vec::len)).or_default() += 1;
    }
    counts.into_iter().max_by_key(|(_, n)| *n).map_or(0, |(width, _)| width)
}

/// Splits a text at runs of two or more blanks.
pub(super) fn apart(text: &str) -> Vec<String> {
    let text = text.trim().replace('\t', "  ");
    text.split("  ").map(str::trim).filter(|c| !c.is_empty()).map(str::to_owned).collect()
}
