//! The verdict for people: lines for a log, or Markdown for a pull request.

use super::{Efficiency, Limit, Regression};
use gemmscope_analysis::ledger::Ledger;
use gemmscope_analysis::trust::Trust;
use gemmscope_model::units::{Seconds, percent, plural};
use std::fmt::Write;

/// Largest number of rows listed for a limit; JSON has all.
const LISTED: usize = 20;

fn word(held: Option<bool>) -> &'static str {
    match held {
        Some(true) => "pass",
        Some(false) => "FAIL",
        None => "not judged",
    }
}

fn of(side: &str) -> String {
    if side.is_empty() { String::new() } else { format!(" of {side}") }
}

fn change(longer: f64) -> String {
    format!("{:+.1} %", longer * 100.0)
}

fn times(before_s: f64, now_s: f64) -> (String, String) {
    (Seconds(before_s).to_string(), Seconds(now_s).to_string())
}

/// A line for each limit, and the rows that break it; then where the time of each side goes. A limit
/// that could not be judged has a message instead.
pub(super) fn text(limits: &[Limit], ledger: &Ledger, trust: &Trust) -> String {
    let mut out = String::new();
    // Writing to a String cannot fail.
    for limit in limits {
        let _ = match limit {
            Limit::Efficiency(e) => efficiency_lines(&mut out, e),
            Limit::Regression(r) => regression_lines(&mut out, r),
        };
    }
    for line in ledger.lines() {
        let _ = writeln!(out, "time  {line}");
    }
    let _ = writeln!(out, "trust {}", trust.words());
    out
}

fn efficiency_lines(out: &mut String, e: &Efficiency) -> std::fmt::Result {
    let Some(held) = e.held else { return Ok(()) };
    let (word, side) = (word(e.held), of(&e.side));
    let least = percent(e.least);
    if e.each {
        let (low, count) = (e.rows.len(), e.judged);
        writeln!(out, "{word}  efficiency{side}: {low} of {count} GEMMs below {least}")?;
    } else {
        let found = e.weighted_efficiency.map_or_else(String::new, percent);
        writeln!(
            out,
            "{word}  efficiency{side}: {found} of the roof, weighted by time; at least {least}"
        )?;
    }
    if let Some(basis) = e.basis() {
        writeln!(out, "      {basis}")?;
    }
    if !held {
        for row in e.rows.iter().take(LISTED) {
            let found = percent(row.efficiency);
            let (gemm, types, file, line) = (&row.gemm, &row.types, &row.file, row.line);
            writeln!(out, "      {found:>7}  {gemm}, {types}  ({file}:{line})")?;
        }
        more(out, e.rows.len())?;
    }
    Ok(())
}

fn regression_lines(out: &mut String, r: &Regression) -> std::fmt::Result {
    if r.held.is_none() {
        return Ok(());
    }
    writeln!(
        out,
        "{}  regression: {} of {} GEMMs take more than {} longer than in {}",
        word(r.held),
        r.rows.len(),
        r.compared,
        percent(r.most),
        r.baseline
    )?;
    if r.within_spread > 0 {
        writeln!(
            out,
            "      {} more exceed this limit, but within the spread of their repeats",
            r.within_spread
        )?;
    }
    writeln!(out, "      {}", r.matched)?;
    for row in r.rows.iter().take(LISTED) {
        let longer = change(row.longer);
        let (before, now) = times(row.before_s, row.now_s);
        writeln!(out, "      {longer:>9}  {}  ({before} -> {now})", row.gemm)?;
    }
    more(out, r.rows.len())
}

fn more(out: &mut String, found: usize) -> std::fmt::Result {
    if found > LISTED {
        writeln!(out, "      and {} more", found - LISTED)?;
    }
    Ok(())
}

/// The same as Markdown, for a job's summary or a comment.
pub(super) fn markdown(
    held: Option<bool>,
    limits: &[Limit],
    ledger: &Ledger,
    trust: &Trust,
) -> String {
    let mut out = String::new();
    let _ = write_markdown(&mut out, held, limits);
    if !ledger.books.is_empty() {
        out.push_str("\nWhere the time goes:\n\n");
    }
    for line in ledger.lines() {
        let _ = writeln!(out, "- {}", cell(&line));
    }
    let _ = writeln!(out, "\nTrust: {}", cell(&trust.words()));
    out
}

fn write_markdown(out: &mut String, held: Option<bool>, limits: &[Limit]) -> std::fmt::Result {
    writeln!(out, "### GEMM check: {}\n", word(held))?;
    writeln!(out, "| | limit | found |\n|---|---|---|")?;
    for limit in limits {
        let (held, wanted, found) = match limit {
            Limit::Efficiency(e) => (e.held, e.wanted(), e.found()),
            Limit::Regression(r) => (r.held, r.wanted(), r.found()),
        };
        let (wanted, found) = (cell(&wanted), cell(&found));
        writeln!(out, "| {} | {wanted} | {found} |", word(held))?;
    }
    for limit in limits {
        match limit {
            Limit::Efficiency(e) if e.held == Some(false) => low_table(out, e)?,
            Limit::Regression(r) if r.held == Some(false) => slow_table(out, r)?,
            _ => {}
        }
    }
    Ok(())
}

fn low_table(out: &mut String, e: &Efficiency) -> std::fmt::Result {
    writeln!(out, "\n| GEMM | types | of the roof | where |\n|---|---|---|---|")?;
    for row in e.rows.iter().take(LISTED) {
        let found = percent(row.efficiency);
        let (gemm, types, file) = (cell(&row.gemm), &row.types, cell(&row.file));
        writeln!(out, "| {gemm} | {types} | {found} | {file}:{} |", row.line)?;
    }
    rest(out, e.rows.len())
}

fn slow_table(out: &mut String, r: &Regression) -> std::fmt::Result {
    writeln!(out, "\n| GEMM | before | now | change |\n|---|---|---|---|")?;
    for row in r.rows.iter().take(LISTED) {
        let (before, now) = times(row.before_s, row.now_s);
        let (gemm, longer) = (cell(&row.gemm), change(row.longer));
        writeln!(out, "| {gemm} | {before} | {now} | {longer} |")?;
    }
    rest(out, r.rows.len())
}

fn rest(out: &mut String, found: usize) -> std::fmt::Result {
    if found > LISTED {
        writeln!(out, "\nand {} more", found - LISTED)?;
    }
    Ok(())
}

/// Text from a file in a cell of a table: it neither ends the cell nor becomes markup.
fn cell(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        if matches!(c, '|' | '<' | '>' | '*' | '_' | '`' | '[' | ']' | '\\' | '@' | '#') {
            out.push('\\');
        }
        out.push(if c.is_control() { ' ' } else { c });
    }
    out
}

impl Efficiency {
    fn wanted(&self) -> String {
        let what = if self.each { "every GEMM" } else { "all rows" };
        let (side, least) = (of(&self.side), percent(self.least));
        format!("{what}{side} at {least} of the roof or more")
    }

    fn found(&self) -> String {
        if let Some(why) = &self.why {
            return why.clone();
        }
        let mut found = if self.each {
            format!("{} of {} GEMMs below", self.rows.len(), self.judged)
        } else {
            let share = self.weighted_efficiency.map_or_else(String::new, percent);
            format!("{share}, weighted by time")
        };
        if let Some(basis) = self.basis() {
            found += &format!("; {basis}");
        }
        found
    }

    /// What was judged, where that is not everything or not as it is.
    fn basis(&self) -> Option<String> {
        let mut parts = Vec::new();
        if self.without_roof > 0 {
            parts.push(format!(
                "judged: {}, {} of the GEMM time; not judged: {} without a roof",
                plural(self.judged as u64, "row"),
                percent(self.judged_share_of_time.unwrap_or_default()),
                plural(self.without_roof, "row")
            ));
        }
        if self.above_roof > 0 {
            parts.push(format!(
                "{} above the roof (up to {}) count as at the roof",
                plural(self.above_roof, "row"),
                percent(self.highest_above_roof.unwrap_or_default())
            ));
        }
        (!parts.is_empty()).then(|| parts.join("; "))
    }
}

impl Regression {
    fn wanted(&self) -> String {
        let (most, old) = (percent(self.most), &self.baseline);
        format!("no GEMM more than {most} longer than in {old}")
    }

    fn found(&self) -> String {
        if let Some(why) = &self.why {
            return why.clone();
        }
        let mut found = format!("{} of {} GEMMs", self.rows.len(), self.compared);
        if self.within_spread > 0 {
            found += &format!(", {} more within the spread of repeats", self.within_spread);
        }
        found
    }
}
