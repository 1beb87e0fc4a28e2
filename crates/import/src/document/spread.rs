//! Unpivots tables whose titles state a size or a device, such as `M=16`, `out (N=4096)`, `H100 SXM`: each value
//! becomes a row, with the value as a cell.

use super::block::Table;
use super::sizes::{Stated, stated};
use super::title::{Holds, title};
use super::words::devices_in;
use gemmscope_model::hardware;

/// Syntax name of a table after its sizes or devices moved from titles to cells.
pub(super) const SPREAD: &str = "sizes or devices in titles";

/// The values in a title, and the rest as the title of a figure.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Said {
    sizes: Stated,
    device: String,
    rest: String,
}

/// Title of a figure if nothing else is left.
const FIGURE: &str = "measured";

fn said(text: &str) -> Option<Said> {
    let lower = text.to_lowercase();
    // `split-k=4` is not a size.
    if lower.contains("split") {
        return None;
    }
    let sizes = stated(text);
    let mut rest = text.to_owned();
    if sizes.any() {
        let word = |w: &str| stated(w.trim_matches(|c: char| "()[],;".contains(c))).any();
        let kept: Vec<String> = text
            .split_whitespace()
            .filter(|w| !word(w) && !w.contains('='))
            .map(str::to_owned)
            .collect();
        rest = kept.join(" ");
    }
    let devices = devices_in(&rest);
    let device = match &devices[..] {
        [one] if !hardware::match_name(one).candidates().is_empty() => one.clone(),
        _ => String::new(),
    };
    if !device.is_empty() {
        rest = rest.replacen(&device, "", 1);
    }
    if device.is_empty() && !sizes.any() {
        return None;
    }
    let rest = rest.replace("()", "").split_whitespace().collect::<Vec<_>>().join(" ");
    let rest = rest.trim_matches([' ', ',', ':', '-', '@']).to_owned();
    let rest = if rest.is_empty() { FIGURE.to_owned() } else { rest };
    let figure = matches!(title(&rest).holds, Holds::Time | Holds::Rate | Holds::Open);
    figure.then_some(Said { sizes, device, rest })
}

/// Syntax name of a table with sizes both as titles and in the first column.
pub(super) const MATRIX: &str = "a matrix of sizes";

/// A matrix of figures with `N\K` or `M/N` in the corner: one row per cell.
fn matrix(table: &Table) -> Option<Table> {
    let corner: Vec<&str> = table
        .titles
        .first()?
        .split(['\\', '/', '|', '↓', '→'])
        .map(str::trim)
        .filter(|t| !t.is_empty())
        .collect();
    let [row, column] = corner[..] else { return None };
    let of = |name: &str| match title(name).holds {
        Holds::M => Some('m'),
        Holds::N => Some('n'),
        Holds::K => Some('k'),
        _ => None,
    };
    let size = |cell: &String| crate::cell::size(cell.trim().as_bytes()).ok();
    let sides = of(row).zip(of(column)).filter(|(a, b)| a != b);
    let sized = table.titles.len() > 2 && table.titles[1..].iter().all(|t| size(t).is_some());
    if sides.is_none()
        || !sized
        || !table.rows.iter().all(|r| r.first().is_some_and(|c| size(c).is_some()))
    {
        return None;
    }
    let titles = [row, column, FIGURE].map(str::to_owned).to_vec();
    let mut out =
        Table { titles, dress: MATRIX, rows: Vec::new(), lines: Vec::new(), ..table.clone() };
    for (at, cells) in table.rows.iter().enumerate() {
        for (title, cell) in table.titles.iter().zip(cells).skip(1) {
            out.rows.push(vec![cells[0].clone(), title.clone(), cell.clone()]);
            out.lines.push(table.lines.get(at).copied().unwrap_or(0));
        }
    }
    Some(out)
}

/// One row per size and device stated by the titles, unless a column holds them.
pub(super) fn spread(table: Table) -> Table {
    if let Some(matrix) = matrix(&table) {
        return matrix;
    }
    let mut all: Vec<Option<Said>> = table.titles.iter().map(|t| said(t)).collect();
    let holds: Vec<Holds> = table.titles.iter().map(|t| title(t).holds).collect();
    for one in &mut all {
        let taken = one.as_ref().is_some_and(|s| {
            s.sizes.m.is_some() && holds.contains(&Holds::M)
                || s.sizes.n.is_some() && holds.contains(&Holds::N)
                || s.sizes.k.is_some() && holds.contains(&Holds::K)
                || !s.device.is_empty() && holds.contains(&Holds::Device)
        });
        if taken {
            *one = None;
        }
    }
    let mut groups: Vec<&Said> = Vec::new();
    let mut rests: Vec<&str> = Vec::new();
    let same = |a: &Said, b: &Said| a.sizes == b.sizes && a.device == b.device;
    for one in all.iter().flatten() {
        if !groups.iter().any(|g| same(g, one)) {
            groups.push(one);
        }
        if !rests.contains(&one.rest.as_str()) {
            rests.push(&one.rest);
        }
    }
    if groups.is_empty() {
        return table;
    }
    let letters: Vec<char> =
        "mnk".chars().filter(|l| groups.iter().any(|g| g.sizes.of(*l).is_some())).collect();
    let named = groups.iter().any(|g| !g.device.is_empty());
    let shared: Vec<usize> = (0..all.len()).filter(|i| all[*i].is_none()).collect();
    let mut out = Table { dress: SPREAD, rows: Vec::new(), lines: Vec::new(), ..table.clone() };
    out.titles = shared.iter().map(|i| table.titles[*i].clone()).collect();
    out.titles.extend(letters.iter().map(|l| l.to_ascii_uppercase().to_string()));
    out.titles.extend(named.then(|| "device".to_owned()));
    out.titles.extend(rests.iter().map(|r| (*r).to_owned()));
    for (at, row) in table.rows.iter().enumerate() {
        let cell = |i: usize| row.get(i).cloned().unwrap_or_default();
        for group in &groups {
            let mut cells: Vec<String> = shared.iter().map(|i| cell(*i)).collect();
            let size = |l: &char| group.sizes.of(*l).map(|v| v.to_string()).unwrap_or_default();
            cells.extend(letters.iter().map(size));
            cells.extend(named.then(|| group.device.clone()));
            cells.extend(rests.iter().map(|rest| {
                let own = |s: &Said| same(s, group) && s.rest == *rest;
                all.iter().position(|s| s.as_ref().is_some_and(own)).map_or(String::new(), cell)
            }));
            out.rows.push(cells);
            out.lines.push(table.lines.get(at).copied().unwrap_or(0));
        }
    }
    out
}
