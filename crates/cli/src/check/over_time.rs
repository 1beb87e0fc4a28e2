//! Compares rows with those of all runs before.

use super::{Missing, OverTime, SlowerSince};
use crate::load::{Loaded, as_one, shown};
use crate::messages::Messages;
use gemmscope_analysis::history::{RunHistory, RunSeries};
use gemmscope_table::dataset::RunInfo;
use gemmscope_table::view_state::ViewState;
use gemmscope_words::history as words;

/// Name of the run that is judged, where it has none.
const NOW: &str = "this run";

/// Most runs that a comment shows.
const SHOWN: usize = 20;

/// Adds the new rows to the runs before as the newest one. Returns the GEMMs that it shows to be slower, those that the
/// run before had and it lacks, and how the last runs went, as lines.
pub(super) fn against(
    new: Loaded,
    run: RunInfo,
    (name, old): (&str, Loaded),
    state: &ViewState,
    most: f64,
) -> std::io::Result<(OverTime, Missing, Vec<String>)> {
    let mut now = as_one(new.data, NOW);
    if let Some(source) = now.sources.first_mut() {
        source.run = run.or(std::mem::take(&mut source.run));
    }
    let mut data = old.data;
    data.append(now);
    let custom: Vec<_> = old.custom.into_iter().chain(new.custom).collect();
    // The same filters again: those over the limit were reported already.
    let mut nobody = std::io::sink();
    let frame = shown(data, state, &custom, &mut Messages::new(&mut nobody, false, None))?;
    let history = RunHistory::new(&frame, RunSeries::up_to(&frame, NOW), most);
    let newest = history.runs.names.len() - 1;
    let compared =
        history.lines.iter().filter(|l| l.points.last().is_some_and(|p| p.run == newest)).count();
    let gone = history.gone();
    let before = |c: &usize| history.comparison.sample(*c, newest.wrapping_sub(1)).is_some();
    let missing = Missing {
        baseline: history.runs.names[newest.saturating_sub(1)].clone(),
        held: (compared > 0).then_some(gone.is_empty()),
        gone: gone.len(),
        of: (0..history.comparison.len()).filter(before).count(),
        gemms: gone.into_iter().map(|c| history.comparison.label(&frame, c)).collect(),
        allowed: false,
    };
    let rows = history.slower_now().into_iter().map(|(line, change)| SlowerSince {
        gemm: history.label(&frame, line),
        longer: change.longer,
        before_s: change.before_s,
        now_s: change.after_s,
        lost_s: (change.after_s - change.before_s) * line.calls,
        since: history.runs.names[change.run].clone(),
    });
    let rows: Vec<SlowerSince> = rows.collect();
    let nothing = format!("{name} and the files share no GEMM.");
    let found = OverTime {
        history: name.to_owned(),
        held: (compared > 0).then_some(rows.is_empty()),
        why: (compared == 0).then_some(nothing),
        most,
        runs: newest,
        compared,
        within: words::within(&history),
        spread: words::spread(&history),
        rows,
    };
    let totals = history.totals();
    let last = &totals[totals.len().saturating_sub(SHOWN)..];
    let times: Vec<(&str, f64)> =
        last.iter().map(|(run, s)| (history.runs.names[*run].as_str(), *s)).collect();
    let mut trend: Vec<String> = words::trend("", &times).into_iter().collect();
    trend.push(words::together(&history));
    Ok((found, missing, trend))
}
