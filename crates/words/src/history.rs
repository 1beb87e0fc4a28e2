//! Runs over time, in sentences.

use gemmscope_analysis::history::{
    ChangePoint, ChangeVerdict, HistoryLine, RunHistory, RunKind, steps,
};
use gemmscope_model::units::{grouped, percent, plural, seconds_brief, signed_percent};
use gemmscope_table::field::Frame;
use gemmscope_table::result_table::ResultTable;

/// Numbers as a line of blocks, the least the lowest.
pub fn sparks(numbers: &[f64]) -> String {
    const BLOCKS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let least = numbers.iter().copied().fold(f64::INFINITY, f64::min);
    let most = numbers.iter().copied().fold(0.0, f64::max);
    // What differs by less than a twentieth is no mountain.
    let range = (most - least).max(0.05 * most);
    let block = |n: &f64| BLOCKS[((n - least) / range * 7.0).round() as usize];
    numbers.iter().map(block).collect()
}

/// The newest times of a line as blocks.
pub fn line_sparks(line: &HistoryLine) -> String {
    const SHOWN: usize = 20;
    let newest = &line.points[line.points.len().saturating_sub(SHOWN)..];
    sparks(&newest.iter().map(|p| p.time_s).collect::<Vec<f64>>())
}

/// `12 runs, 2026-11-01 to 2026-11-28: 2 of 40 GEMMs became slower, 1 faster.`
pub fn headline(h: &RunHistory) -> String {
    let runs = plural(h.runs.names.len() as u64, "run");
    let ends = [h.runs.infos.first(), h.runs.infos.last()].map(|i| i.map_or("", |i| &i.when));
    let over = match ends {
        ["", _] | [_, ""] => String::new(),
        [a, b] if a == b => format!(" of {a}"),
        [a, b] => format!(", {a} to {b}"),
    };
    if let RunKind::Generations(label) = &h.runs.kind {
        let steps = steps_of(&h.all);
        return format!("{} {label}s: {steps}.", h.runs.names.len());
    }
    let gemms = plural(h.lines.len() as u64, "GEMM");
    let slower = h.lines.iter().filter(|l| l.lost_s() > 0.0).count();
    let faster = h.movers().len() - slower;
    let found = match (slower, faster) {
        (0, 0) => format!("no change beyond what runs differ by, in {gemms}"),
        (0, n) => format!("{} of {gemms} became faster, none slower", grouped(n as u64)),
        (n, 0) => format!("{} of {gemms} became slower, none faster", grouped(n as u64)),
        (s, f) => {
            let (s, f) = (grouped(s as u64), grouped(f as u64));
            format!("{s} of {gemms} became slower, {f} faster")
        }
    };
    format!("{runs}{over}: {found}.")
}

/// Percent changes from run to run, rates as in a search: `+3.2 %, −1 %`.
fn steps_of(line: &HistoryLine) -> String {
    let rates: Vec<f64> = line.points.iter().map(|p| 1.0 / p.time_s).collect();
    let each: Vec<String> = steps(&rates).into_iter().map(signed_percent).collect();
    match each.len() {
        0 => "nothing to compare".to_owned(),
        1..=12 => format!("the best of each against the one before: {}", each.join(", ")),
        n => format!("the best went {} in {n} steps", signed_percent(rates[n] / rates[0] - 1.0)),
    }
}

/// `660 µs → 720 µs (+9.1 %) from c0ffee1 on`; of all GEMMs `+3.1 % from c0ffee1 on`.
pub fn change(h: &RunHistory, line: &HistoryLine, c: &ChangePoint) -> String {
    let since = format!("from {} on", h.runs.names[c.run]);
    let by = signed_percent(c.longer);
    let words = match line.configuration {
        Some(_) => {
            let [before, after] = [c.before_s, c.after_s].map(seconds_brief);
            format!("{before} → {after} ({by}) {since}")
        }
        None => format!("{by} {since}"),
    };
    match why_none(h, c.verdict) {
        None => words,
        Some(why) => format!("{words}, which is {why}"),
    }
}

/// Why a step is no change; `None` if it is one.
fn why_none(h: &RunHistory, verdict: ChangeVerdict) -> Option<String> {
    Some(match verdict {
        ChangeVerdict::Change => return None,
        ChangeVerdict::WithinRepeats => "within the spread of the repeats".to_owned(),
        ChangeVerdict::WithinRuns => "within what runs differ by".to_owned(),
        ChangeVerdict::WithinHosts => {
            format!("within what hosts differ by with one commit ({})", percent(h.spreads.hosts))
        }
        ChangeVerdict::OtherHost => {
            "on another host: a commit that ran on both would tell".to_owned()
        }
        ChangeVerdict::TooFew => "not to be told from noise with two runs".to_owned(),
    })
}

/// What runs differ by, and where that is known from.
pub fn spread(h: &RunHistory) -> String {
    let s = &h.spreads;
    let mut known = Vec::new();
    if s.same_commit.is_finite() {
        known.push(format!("runs of one commit differ by up to {}", percent(s.same_commit)));
    }
    if s.neighbours.is_finite() {
        known.push(format!("neighbouring runs by {} (3 sigma)", percent(s.neighbours)));
    }
    if s.hosts.is_finite() {
        known.push(format!("hosts with one commit by up to {}", percent(s.hosts)));
    }
    match known.as_slice() {
        [] => "Nothing tells yet how far runs differ by themselves: no commit ran twice, and there are fewer than four \
               runs."
            .to_owned(),
        all => format!("Usual GEMM: {}.", all.join(", ")),
    }
}

/// How many GEMMs moved by at least the least without a change, by reason; "" if none did.
pub fn within(h: &RunHistory) -> String {
    let newest = |line: &HistoryLine| line.changes.last().map(|c| c.verdict);
    let reasons = [
        ChangeVerdict::WithinRepeats,
        ChangeVerdict::WithinRuns,
        ChangeVerdict::WithinHosts,
        ChangeVerdict::OtherHost,
        ChangeVerdict::TooFew,
    ];
    let parts = reasons.into_iter().filter_map(|verdict| {
        let n = h.lines.iter().filter(|l| newest(l) == Some(verdict)).count() as u64;
        let why = why_none(h, verdict).filter(|_| n > 0)?;
        Some(format!("{} {why}", grouped(n)))
    });
    let parts: Vec<String> = parts.collect();
    match parts.as_slice() {
        [] => String::new(),
        all => format!("Moved by {} or more, but no change: {}.", percent(h.least), all.join("; ")),
    }
}

/// The line of all GEMMs in a sentence: `All GEMMs together: +3.1 % from c0ffee1 on.`
pub fn together(h: &RunHistory) -> String {
    match h.all.changes.iter().map(|c| change(h, &h.all, c)).collect::<Vec<_>>().as_slice() {
        [] => "All GEMMs together: no change.".to_owned(),
        all => format!("All GEMMs together: {}.", all.join("; ")),
    }
}

/// All sentences: what changed, all GEMMs together, the noise.
pub fn sentences(h: &RunHistory) -> Vec<String> {
    if matches!(h.runs.kind, RunKind::Generations(_)) {
        return vec![headline(h)];
    }
    let mut out = vec![headline(h), together(h), within(h), spread(h)];
    if !h.runs.ordered {
        out.push("The runs state no date, so they are in the order of the files.".to_owned());
    }
    out.retain(|s| !s.is_empty());
    out
}

/// The GEMMs that changed, the most lost or saved seconds first: course, change, and seconds in all calls.
pub fn movers(h: &RunHistory, frame: &Frame, most: usize) -> ResultTable {
    let header = ["GEMM", "course", "change", "in all its calls"];
    let row = |line: &&HistoryLine| {
        let changes: Vec<String> = line.real().map(|c| change(h, line, c)).collect();
        let lost = line.lost_s();
        let sign = if lost < 0.0 { "−" } else { "+" };
        let lost = format!("{sign}{}", seconds_brief(lost.abs()));
        vec![h.label(frame, line), line_sparks(line), changes.join("; "), lost]
    };
    ResultTable::of(&header, h.movers().iter().take(most).map(row).collect())
}

/// A line of the last runs: times of all GEMMs of the newest run, oldest first, and the change against the run before.
/// `times` has the name and time of each; `None` for fewer than two.
pub fn trend(name: &str, times: &[(&str, f64)]) -> Option<String> {
    let [.., (before, before_s), (now, now_s)] = times else { return None };
    let change = 100.0 * (now_s / before_s - 1.0);
    let name = if name.is_empty() { String::new() } else { format!("{name}: ") };
    Some(format!(
        "{name}{} {} in {}, {change:+.1} % against {}",
        sparks(&times.iter().map(|t| t.1).collect::<Vec<_>>()),
        seconds_brief(*now_s),
        if now.is_empty() { "this run" } else { now },
        if before.is_empty() { "the run before" } else { before },
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_show_a_twentieth_as_flat() {
        assert_eq!(sparks(&[1.0, 1.01]), "▁▂");
        assert_eq!(sparks(&[1.0, 2.0, 1.5]), "▁█▅");
    }

    #[test]
    fn a_trend_names_the_newest_run_and_the_one_before() {
        assert_eq!(trend("a", &[("c1", 0.05)]), None);
        let times = [("c1", 0.050), ("c2", 0.060), ("c3", 0.0525)];
        let said = "a: ▁█▃ 52.5 ms in c3, -12.5 % against c2";
        assert_eq!(trend("a", &times).as_deref(), Some(said));
        let unnamed = trend("", &[("", 0.05), ("", 0.05)]).unwrap();
        assert!(unnamed.ends_with("in this run, +0.0 % against the run before"), "{unnamed}");
    }
}
