//! `gemmscope check`: limits for continuous integration. Exit code 3 if one is broken.

mod efficiency;
mod regression;
mod words;

use crate::Io;
use crate::args::Args;
use crate::load::{Exit, Stop, load_with_baseline, shown, view_state};
use crate::messages::Code;
use crate::progress;
use gemmscope_analysis::ledger::Ledger;
use gemmscope_analysis::trust::Trust;
use gemmscope_words::doc;
use serde::Serialize;

/// Formats of `check`.
pub(super) const FORMS: [&str; 3] = ["text", "markdown", "json"];

/// Version of the JSON; `docs/src/schema/check-1.json` describes it.
const SCHEMA: &str = "gemmscope/check/1";

/// A limit and what was found.
#[derive(Debug, Serialize)]
#[serde(tag = "limit", rename_all = "snake_case")]
enum Limit {
    Efficiency(Efficiency),
    Regression(Regression),
}

impl Limit {
    fn held(&self) -> Option<bool> {
        match self {
            Limit::Efficiency(e) => e.held,
            Limit::Regression(r) => r.held,
        }
    }

    /// What it is about, where that is not plain, and why it cannot be judged.
    fn doubt(&self) -> Option<String> {
        let (of, why) = match self {
            Limit::Efficiency(e) if e.side.is_empty() => ("efficiency: ".to_owned(), &e.why),
            Limit::Efficiency(e) => (format!("efficiency of {}: ", e.side), &e.why),
            Limit::Regression(r) => (String::new(), &r.why),
        };
        why.as_ref().map(|why| of + why)
    }
}

/// A least efficiency, held against one side and device.
#[derive(Debug, Default, Serialize)]
struct Efficiency {
    /// Name of the side, and of the device where there are several; "" of the only one.
    side: String,
    /// Whether it holds; `None` if it cannot be judged.
    held: Option<bool>,
    /// Why it cannot be judged.
    why: Option<String>,
    /// It holds for each row, rather than for their sum.
    each: bool,
    least: f64,
    /// Share of the roof by the ledger: 1 - lost / time.
    weighted_efficiency: Option<f64>,
    /// Rows judged.
    judged: usize,
    /// Their share of the GEMM time.
    judged_share_of_time: Option<f64>,
    /// Rows above their roof by more than clocks and timers vary, which count as at it.
    above_roof: u64,
    /// The highest efficiency of these.
    highest_above_roof: Option<f64>,
    /// Rows without a roof, which are not judged.
    without_roof: u64,
    /// The rows below the limit, lowest first.
    rows: Vec<Low>,
}

/// A row below the limit.
#[derive(Debug, Serialize)]
struct Low {
    file: String,
    line: u32,
    gemm: String,
    types: String,
    efficiency: f64,
}

/// A largest slowdown since a baseline.
#[derive(Debug, Default, Serialize)]
struct Regression {
    /// Name of the baseline's file.
    baseline: String,
    /// Whether it holds; `None` if it cannot be judged.
    held: Option<bool>,
    /// Why it cannot be judged.
    why: Option<String>,
    most: f64,
    /// GEMMs that both have.
    compared: usize,
    /// GEMMs beyond the limit, but within the spread of their repeats.
    within_spread: usize,
    /// How the GEMMs were matched.
    matched: String,
    /// The GEMMs beyond the limit, worst first.
    rows: Vec<Slower>,
}

/// A GEMM that takes too much longer.
#[derive(Debug, Serialize)]
struct Slower {
    gemm: String,
    /// Time now over time before, less 1.
    longer: f64,
    before_s: f64,
    now_s: f64,
}

/// GEMMs of a baseline that the files lack: a benchmark that breaks on its slowest GEMM has no slow one.
#[derive(Debug, Default, Serialize)]
struct Missing {
    /// Name of the baseline's file.
    baseline: String,
    /// Whether it holds; `None` where the files share no GEMM with the baseline.
    held: Option<bool>,
    /// They may be missing: it holds whatever is.
    allowed: bool,
    /// How many are gone, of so many.
    gone: usize,
    of: usize,
    /// Which.
    gemms: Vec<String>,
}

/// Checks the files against the limits; prints one line per limit and the rows that break it.
pub(super) fn check(args: &Args, io: &mut Io<'_>) -> Result<Exit, Stop> {
    let (loaded, baseline) = load_with_baseline(args, io.stdin);
    let loaded = loaded.with_rows(&mut io.err)?;
    let state = view_state(args, &loaded, &mut io.err)?;
    let failed = loaded.failed;
    let baseline = match baseline {
        None => None,
        Some((name, baseline)) => Some((name, baseline.with_rows(&mut io.err)?)),
    };
    progress::step("holding the rows against the limits");
    let frame = shown(loaded.data.clone(), &state, &loaded.custom, &mut io.err)?;
    let ledger = Ledger::new(&frame);
    let trust = Trust::of(&frame).beside(&ledger);
    let mut limits = Vec::new();
    if let Some(least) = args.min_efficiency {
        let sides = efficiency::of_sides(&frame, least, args.each);
        limits.extend(sides.into_iter().map(Limit::Efficiency));
    }
    let mut missing = None;
    if let Some((name, baseline)) = baseline {
        let most = args.max_regression.unwrap_or(0.05);
        let (regression, gone) = regression::against(loaded, &name, baseline, &state, most)?;
        limits.push(Limit::Regression(regression));
        let allowed = args.allow_missing;
        missing = Some(Missing { held: gone.held.map(|held| held || allowed), allowed, ..gone });
    }
    for doubt in limits.iter().filter_map(Limit::doubt) {
        io.err.say(Code::NotJudged, &doubt)?;
    }
    let held = verdict(&limits, missing.as_ref());
    let text = match args.form.as_deref() {
        Some("json") => {
            let object = serde_json::json!({
                "schema": SCHEMA, "held": held, "limits": limits, "missing": missing,
                "ledger": ledger, "trust": trust,
            });
            format!("{object}\n")
        }
        form => {
            let blocks = words::blocks(held, (&limits, missing.as_ref()), &ledger, &trust);
            match form {
                Some("markdown") => doc::markdown(&blocks).trim_start().to_owned(),
                _ => doc::plain(&blocks),
            }
        }
    };
    io.out.write_all(text.as_bytes())?;
    Ok(match held {
        Some(false) => Exit::Broken,
        Some(true) => Exit::worked(!failed),
        None => Exit::Failed,
    })
}

/// A broken limit says more than one that could not be judged.
fn verdict(limits: &[Limit], missing: Option<&Missing>) -> Option<bool> {
    let all = limits.iter().map(Limit::held).chain(missing.map(|m| m.held));
    if all.clone().any(|held| held == Some(false)) {
        return Some(false);
    }
    all.clone().all(|held| held == Some(true)).then_some(true)
}
