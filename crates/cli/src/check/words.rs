//! The verdict as blocks of a document, for a log or a pull request.

use super::{Efficiency, Limit, Missing, OverTime, Published, Regression};
use gemmscope_analysis::ledger::Ledger;
use gemmscope_model::units::{Seconds, and_more, percent, plural};
use gemmscope_words::doc::{Block, DocTable, Set, markdown, owned, text};
use gemmscope_words::headline;
use gemmscope_words::trust::Trust;

/// Most rows that a terminal lists for a limit; JSON has all.
pub(super) const LISTED: usize = 20;
/// Most that a comment lists.
const IN_COMMENT: usize = 5;
/// Most characters of a comment: GitHub takes 65,536, and a link comes after it.
const MOST: usize = 59_000;

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

/// What is said of the limits.
#[derive(Clone, Copy)]
pub(super) struct Verdict<'a> {
    pub(super) held: Option<bool>,
    pub(super) limits: &'a [Limit],
    pub(super) missing: Option<&'a Missing>,
}

impl<'a> Verdict<'a> {
    /// The verdict, each limit with its result and the worst rows that break it, the ledger of each side, and the
    /// trust.
    pub(super) fn blocks(&self, most: usize, ledger: &Ledger, trust: &Trust) -> Vec<Block<'a>> {
        let mut all = DocTable::new(&[("", Set::Text), ("limit", Set::Text), ("found", Set::Text)]);
        let mut out = vec![Block::Heading(3, owned(format!("GEMM check: {}", word(self.held))))];
        let mut broken = Vec::new();
        for limit in self.limits {
            let (held, wanted, found) = match limit {
                Limit::Efficiency(e) => (e.held, e.wanted(), e.found()),
                Limit::Regression(r) => (r.held, r.wanted(), r.found()),
                Limit::OverTime(o) => (o.held, o.wanted(), o.found()),
                Limit::Published(p) => (p.held, p.wanted(), p.found()),
            };
            all.row(vec![word(held).into(), owned(wanted), owned(found)]);
            let (table, rows) = match limit {
                _ if held != Some(false) => continue,
                Limit::Efficiency(e) => (low(e, most), e.rows.len()),
                Limit::Regression(r) => (slow(r, most), r.rows.len()),
                Limit::OverTime(o) => (slower_since(o, most), o.rows.len()),
                Limit::Published(p) => (slower_than_others(p, most), p.rows.len()),
            };
            broken.push(Block::Table(table));
            broken.extend((rows > most).then(|| text(and_more(rows - most))));
        }
        if let Some(m) = self.missing {
            all.row(vec![word(m.held).into(), owned(m.wanted()), owned(m.found())]);
            if m.gone > 0 {
                broken.push(Block::Table(gone(m, most)));
                broken.extend((m.gone > most).then(|| text(and_more(m.gone - most))));
            }
        }
        out.push(Block::Table(all));
        out.extend(broken);
        if !ledger.books.is_empty() {
            let bars = ledger.books.iter().map(headline::bar);
            let lines = bars.zip(headline::lines(ledger, trust));
            let lines = lines.map(|(bar, line)| owned(format!("{bar} {line}").trim_start()));
            out.push(Block::List(headline::BAR_KEY, lines.collect()));
        }
        out.push(text(trust.line()));
        out
    }
}

/// The comment on a pull request: the verdict with the worst rows, how the last runs went, and these as a comment of
/// HTML, which the next one goes on from, unless a history has them. What would be too long for a comment is left out
/// from the end.
pub(super) fn comment(
    verdict: &Verdict<'_>,
    ledger: &Ledger,
    trust: &Trust,
    trend: Vec<String>,
    hidden: &str,
) -> String {
    let mut blocks = verdict.blocks(IN_COMMENT, ledger, trust);
    if !trend.is_empty() {
        blocks.push(Block::List("The last runs", trend.into_iter().map(owned).collect()));
    }
    let room = MOST.saturating_sub(hidden.chars().count());
    let mut written = markdown(&blocks);
    while written.chars().count() > room && blocks.len() > 2 {
        blocks.truncate(blocks.len() - 2);
        blocks.push(text("The rest would be too long for a comment: --json has all of it."));
        written = markdown(&blocks);
    }
    if written.chars().count() > room {
        written = markdown(&blocks[..1]);
    }
    let gap = if hidden.is_empty() { "" } else { "\n" };
    format!("{}{gap}{hidden}{gap}", written.trim_start())
}

/// The first rows below a limit on the efficiency.
fn low(e: &Efficiency, most: usize) -> DocTable<'_> {
    let columns = ["GEMM", "types", "of the roof", "where"].map(|title| (title, Set::Text));
    let mut table = DocTable::new(&columns);
    for row in e.rows.iter().take(most) {
        let (gemm, types) = (row.gemm.as_str(), row.types.as_str());
        let place = owned(format!("{}:{}", row.file, row.line));
        table.row(vec![gemm.into(), types.into(), owned(percent(row.efficiency)), place]);
    }
    table
}

/// The first GEMMs over the limit.
fn slow(r: &Regression, most: usize) -> DocTable<'_> {
    let columns = ["GEMM", "before", "now", "change"].map(|title| (title, Set::Text));
    let mut table = DocTable::new(&columns);
    for row in r.rows.iter().take(most) {
        let [before, now] = [row.before_s, row.now_s].map(|s| owned(Seconds(s)));
        let change = format!("{:+.1} %", row.longer * 100.0);
        table.row(vec![row.gemm.as_str().into(), before, now, owned(change)]);
    }
    table
}

/// The first GEMMs that this run shows to be slower.
fn slower_since(o: &OverTime, most: usize) -> DocTable<'_> {
    let columns =
        ["GEMM", "before", "now", "change", "since", "lost"].map(|title| (title, Set::Text));
    let mut table = DocTable::new(&columns);
    for row in o.rows.iter().take(most) {
        let [before, now, lost] = [row.before_s, row.now_s, row.lost_s].map(|s| owned(Seconds(s)));
        let change = format!("{:+.1} %", row.longer * 100.0);
        let (gemm, since) = (row.gemm.as_str(), row.since.as_str());
        table.row(vec![gemm.into(), before, now, owned(change), since.into(), lost]);
    }
    table
}

/// The first GEMMs that are slower than published.
fn slower_than_others(p: &Published, most: usize) -> DocTable<'_> {
    let columns =
        ["GEMM", "types", "others", "now", "change", "by", "where"].map(|title| (title, Set::Text));
    let mut table = DocTable::new(&columns);
    for row in p.rows.iter().take(most) {
        let [others, now] = [row.published_s, row.now_s].map(|s| owned(Seconds(s)));
        let change = format!("{:+.1} %", row.longer * 100.0);
        let place = owned(format!("{}:{}", row.file, row.line));
        let (gemm, types, by) = (row.gemm.as_str(), row.types.as_str(), row.by.as_str());
        table.row(vec![gemm.into(), types.into(), others, now, owned(change), by.into(), place]);
    }
    table
}

/// The first GEMMs that are missing.
fn gone(m: &Missing, most: usize) -> DocTable<'_> {
    let mut table = DocTable::new(&[("missing", Set::Text)]);
    m.gemms.iter().take(most).for_each(|gemm| table.row(vec![gemm.as_str().into()]));
    table
}

impl Published {
    fn wanted(&self) -> String {
        format!("every GEMM at most {} slower than others have published", percent(self.most))
    }

    fn found(&self) -> String {
        if let Some(why) = &self.why {
            return why.clone();
        }
        let mut found =
            format!("{} of {} slower", self.rows.len(), plural(self.compared as u64, "GEMM"));
        if self.within_error > 0 {
            found += &format!("; {} more within the error of what is published", self.within_error);
        }
        if self.without > 0 {
            found += &format!("; nothing is published of {}", plural(self.without as u64, "GEMM"));
        }
        found
    }
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

    /// The basis of the verdict, if rows were left out or counted as at the roof.
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
        format!("{found}; {}", self.matched)
    }
}

impl OverTime {
    fn wanted(&self) -> String {
        let (most, runs) = (percent(self.most), plural(self.runs as u64, "run"));
        format!(
            "no GEMM is {most} slower or more, by a change beyond what {runs} of {} differ by",
            self.history
        )
    }

    fn found(&self) -> String {
        if let Some(why) = &self.why {
            return why.clone();
        }
        let found = format!("{} of {}", self.rows.len(), plural(self.compared as u64, "GEMM"));
        let more = [&self.within, &self.spread].into_iter().filter(|s| !s.is_empty());
        more.fold(found, |found, sentence| format!("{found}. {}", sentence.trim_end_matches('.')))
    }
}

impl Missing {
    fn wanted(&self) -> String {
        match self.allowed {
            true => format!("GEMMs of {} may be missing", self.baseline),
            false => format!("no GEMM of {} is missing", self.baseline),
        }
    }

    fn found(&self) -> String {
        match self.gone {
            0 => format!("all {} are there", self.of),
            gone => format!("{gone} of {} are missing", self.of),
        }
    }
}
