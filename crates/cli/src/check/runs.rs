//! The last runs, which a comment on a pull request carries along where nobody sees them.

use gemmscope_analysis::ledger::Ledger;
use gemmscope_words::history;
use serde::{Deserialize, Serialize};
use std::ffi::OsStr;

/// Most runs that are kept.
const KEPT: usize = 20;
/// Most sides of a run, and characters of a name: what stands in a comment anyone may have written.
const SIDES: usize = 16;
const NAME: usize = 60;

const OPEN: &str = "<!-- gemmscope-runs ";
const CLOSE: &str = " -->";

/// A run of the benchmark.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Run {
    /// Its name, a commit; "" where it has none.
    run: String,
    /// Its verdict.
    held: Option<bool>,
    sides: Vec<RunSide>,
}

/// One side of a run on one device.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct RunSide {
    /// Its name; "" of the only one.
    name: String,
    /// Number of GEMMs: times of other numbers of GEMMs do not compare.
    gemms: u64,
    time_s: f64,
}

fn short(name: &str) -> String {
    name.chars().take(NAME).collect()
}

impl Run {
    /// This run.
    pub(super) fn new(name: &str, held: Option<bool>, ledger: &Ledger) -> Run {
        let side = |b: &gemmscope_analysis::ledger::Book| RunSide {
            name: short(&b.name),
            gemms: b.groups,
            time_s: b.time_s,
        };
        let sides = ledger.books.iter().take(SIDES).map(side).collect();
        Run { run: short(name), held, sides }
    }
}

/// The runs that the comment in a file keeps; none of an empty one.
///
/// # Errors
///
/// Why they cannot be read, as a sentence.
pub(super) fn of_file(file: &OsStr) -> Result<Vec<Run>, String> {
    let name = file.to_string_lossy();
    let text = std::fs::read(file).map_err(|e| format!("--comment: {name} cannot be read: {e}"))?;
    of_comment(&String::from_utf8_lossy(&text)).map_err(|why| format!("--comment: {name}: {why}"))
}

fn of_comment(text: &str) -> Result<Vec<Run>, String> {
    let Some((_, rest)) = text.split_once(OPEN) else { return Ok(Vec::new()) };
    let json = rest.split_once(CLOSE).map_or(rest, |(json, _)| json);
    let mut runs: Vec<Run> = serde_json::from_str(json)
        .map_err(|e| format!("its runs cannot be read, so they begin anew: {e}"))?;
    runs.drain(..runs.len().saturating_sub(KEPT - 1));
    for run in &mut runs {
        run.run = short(&run.run);
        run.sides.truncate(SIDES);
        run.sides.retain(|s| s.time_s.is_finite() && s.time_s > 0.0);
        run.sides.iter_mut().for_each(|s| s.name = short(&s.name));
    }
    Ok(runs)
}

/// The runs as a comment of HTML, which no text of theirs can end, and where none mentions anybody.
pub(super) fn hidden(runs: &[Run]) -> String {
    let json = serde_json::to_string(runs).unwrap_or_default();
    // Outside of texts, JSON has none of these.
    let coded = [(">", "\\u003e"), ("@", "\\u0040"), ("#", "\\u0023"), ("--", "-\\u002d")];
    let json = coded.iter().fold(json, |json, (sign, code)| json.replace(sign, code));
    format!("{OPEN}{json}{CLOSE}")
}

/// A line a side of the newest run that earlier ones have too: its times, oldest first.
pub(super) fn trend(runs: &[Run]) -> Vec<String> {
    let Some((now, before)) = runs.split_last() else { return Vec::new() };
    let line = |side: &RunSide| {
        let same = |s: &&RunSide| s.name == side.name && s.gemms == side.gemms;
        let of = |run: &Run| Some(run.sides.iter().find(same)?.time_s);
        let mut times: Vec<(&str, f64)> =
            before.iter().filter_map(|run| Some((run.run.as_str(), of(run)?))).collect();
        times.push((&now.run, side.time_s));
        history::trend(&side.name, &times)
    };
    now.sides.iter().filter_map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(name: &str, time_s: f64) -> Run {
        let sides = vec![RunSide { name: "a".into(), gemms: 3, time_s }];
        Run { run: name.into(), held: Some(true), sides }
    }

    #[test]
    fn runs_go_from_comment_to_comment_and_no_name_ends_it() {
        let runs = vec![run("--> <script>", 0.052), run("----", 0.053)];
        let comment = hidden(&runs);
        assert_eq!(comment.matches("-->").count(), 1);
        assert_eq!(comment.matches("--").count(), 2);
        assert_eq!(of_comment(&format!("### GEMM check\n\n{comment}\n\n[link](x)")), Ok(runs));
        assert_eq!(of_comment("### of somebody else"), Ok(vec![]));
        assert!(of_comment("<!-- gemmscope-runs [1] -->").is_err());
        assert!(of_comment("<!-- gemmscope-runs [").is_err());
        let many: Vec<Run> = (0..200).map(|i| run(&"x".repeat(i), 1.0)).collect();
        let kept = of_comment(&hidden(&many)).unwrap();
        assert_eq!((kept.len(), kept[0].run.len()), (KEPT - 1, NAME));
    }

    #[test]
    fn a_trend_is_of_the_same_gemms() {
        assert_eq!(trend(&[run("c1", 0.05)]), Vec::<String>::new());
        let mut all = vec![run("c1", 0.050), run("c2", 0.060), run("c3", 0.0525)];
        let said = "a: ▁█▃ 52.5 ms in c3, -12.5 % against c2";
        assert_eq!(trend(&all), [said]);
        all[1].sides[0].gemms = 4;
        assert_eq!(trend(&all), ["a: ▁█ 52.5 ms in c3, +5.0 % against c1"]);
        all[0].sides[0].name = "b".into();
        assert_eq!(trend(&all), Vec::<String>::new());
    }
}
