//! `gemmscope check`: limits for continuous integration. Exit code 3 if one is broken.

mod benchmark;
mod efficiency;
mod over_time;
mod published;
mod regression;
mod runs;
mod words;

use crate::Io;
use crate::command_line::{Input, Selection, notes, share};
use crate::exit::{Exit, Stop};
use crate::load::{Request, load, load_with_baseline, shown, view_state};
use crate::messages::Code;
use crate::progress;
use clap::{ArgGroup, ValueEnum};
use gemmscope_analysis::ledger::Ledger;
use gemmscope_table::dataset::RunInfo;
use gemmscope_words::doc;
use gemmscope_words::trust::Trust;
use serde::Serialize;
use std::ffi::OsString;
use std::path::Path;

/// Limits for continuous integration; exit code 3 if one is broken
#[derive(Debug, clap::Args)]
#[command(
    group = ArgGroup::new("limit").args(["min_efficiency", "baseline", "history", "against"]).multiple(true),
    group = ArgGroup::new("before").args(["baseline", "history"]),
    after_help = notes(
        "At least one limit is needed: --min-efficiency, --baseline, --history or --against. A GEMM of the\n\
         baseline, or of the last run of the history, that is not measured any more breaks the limit too;\n\
         --allow-missing lets it pass. --history takes a folder of earlier runs or their history.json, and breaks\n\
         only on a change beyond what runs differ by, once: in the run that shows it.\n\
         --form benchmark-json needs no limit: it writes what github-action-benchmark keeps as\n\
         customSmallerIsBetter, a time a GEMM.\n",
        &[
            "gemmscope check new.csv --device mi300x --min-efficiency 60%",
            "gemmscope check new.csv --baseline old.csv --max-regression 5%",
            "gemmscope check new.csv --history runs/ --run c0ffee1",
            "gemmscope check new.csv --device h100-sxm --against published --max-slower 10%",
            "gemmscope check new.csv --baseline old.csv --form markdown >> $GITHUB_STEP_SUMMARY",
            "gemmscope check new.csv --device mi300x --form benchmark-json > benchmark.json",
        ],
    ),
)]
pub(super) struct Check {
    /// Minimum time-weighted efficiency of all rows: 60% or 0.6
    #[arg(long, value_name = "P", value_parser = share)]
    min_efficiency: Option<f64>,
    /// Apply it to each row instead
    #[arg(long, requires = "min_efficiency")]
    each: bool,
    /// Compare with this file, GEMM by GEMM
    #[arg(long, value_name = "FILE")]
    baseline: Option<OsString>,
    /// Compare with all these runs before: a folder, or a list of runs (history.json)
    #[arg(long, value_name = "RUNS")]
    history: Option<OsString>,
    /// Where this run ran, if the files do not say
    #[arg(long, value_name = "NAME", requires = "history", default_value = "")]
    host: String,
    /// Maximum slowdown of a GEMM: 5% or 0.05
    #[arg(long, value_name = "P", value_parser = share, default_value = "5%", requires = "before")]
    max_regression: f64,
    /// GEMMs of the baseline may be missing
    #[arg(long, requires = "before")]
    allow_missing: bool,
    /// Compare with what others reach
    #[arg(long, value_name = "WHAT", conflicts_with = "no_published")]
    against: Option<Against>,
    /// How much slower than that a GEMM may be: 10% or 0.1
    #[arg(long, value_name = "P", value_parser = share, default_value = "10%", requires = "against")]
    max_slower: f64,
    /// Form of the verdict
    #[arg(long, value_name = "F")]
    form: Option<Form>,
    /// Markdown goes on from this comment: the runs it keeps, and this one
    #[arg(long, value_name = "FILE")]
    comment: Option<OsString>,
    /// Name of this run in the comment: a commit
    #[arg(long, value_name = "NAME", default_value = "")]
    run: String,
    #[command(flatten)]
    selection: Selection,
    #[command(flatten)]
    input: Input,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Form {
    Text,
    Markdown,
    Json,
    BenchmarkJson,
}

/// Reference that GEMMs are compared with.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Against {
    Published,
}

/// Version of the JSON; `docs/src/schema/check-1.json` describes it.
const SCHEMA: &str = "gemmscope/check/1";

/// A limit and its verdict.
#[derive(Debug, Serialize)]
#[serde(tag = "limit", rename_all = "snake_case")]
enum Limit {
    Efficiency(Efficiency),
    Regression(Regression),
    OverTime(OverTime),
    Published(Published),
}

impl Limit {
    fn held(&self) -> Option<bool> {
        match self {
            Limit::Efficiency(e) => e.held,
            Limit::Regression(r) => r.held,
            Limit::OverTime(o) => o.held,
            Limit::Published(p) => p.held,
        }
    }

    /// Why the limit cannot be judged, with its subject in front; `None` if it was judged.
    fn doubt(&self) -> Option<String> {
        let (of, why) = match self {
            Limit::Efficiency(e) if e.side.is_empty() => ("efficiency: ".to_owned(), &e.why),
            Limit::Efficiency(e) => (format!("efficiency of {}: ", e.side), &e.why),
            Limit::Regression(r) => (String::new(), &r.why),
            Limit::OverTime(o) => (String::new(), &o.why),
            Limit::Published(p) => (String::new(), &p.why),
        };
        why.as_ref().map(|why| of + why)
    }
}

/// Minimum efficiency, checked for one side on one device.
#[derive(Debug, Default, Serialize)]
struct Efficiency {
    /// Name of the side (and of the device, if there are several); "" if there is only one.
    side: String,
    /// Whether it holds; `None` if it cannot be judged.
    held: Option<bool>,
    /// Why it cannot be judged.
    why: Option<String>,
    /// The limit applies to each row, not to their sum.
    each: bool,
    least: f64,
    /// Share of the roof: 1 - lost / time, where rows above their roof count as at it.
    weighted_efficiency: Option<f64>,
    /// Number of rows judged.
    judged: usize,
    /// Share of the GEMM time that these rows take, 0 to 1.
    judged_share_of_time: Option<f64>,
    /// Rows above their roof by more than measurement error. They count as at the roof.
    above_roof: u64,
    /// Highest efficiency of those rows.
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

/// Maximum slowdown against a baseline.
#[derive(Debug, Default, Serialize)]
struct Regression {
    /// Name of the baseline's file.
    baseline: String,
    /// Whether it holds; `None` if it cannot be judged.
    held: Option<bool>,
    /// Why it cannot be judged.
    why: Option<String>,
    most: f64,
    /// Number of GEMMs in both files.
    compared: usize,
    /// GEMMs over the limit, but within the spread of their repeats.
    within_spread: usize,
    /// How the GEMMs were matched.
    matched: String,
    /// The GEMMs over the limit, worst first.
    rows: Vec<Slower>,
}

/// A GEMM over the limit.
#[derive(Debug, Serialize)]
struct Slower {
    gemm: String,
    /// Relative slowdown: time now / time before - 1.
    longer: f64,
    before_s: f64,
    now_s: f64,
}

/// No change to slower in the newest run, against all runs before.
#[derive(Debug, Default, Serialize)]
struct OverTime {
    /// Name of the folder or the list of runs.
    history: String,
    /// Whether it holds; `None` if it cannot be judged.
    held: Option<bool>,
    /// Why it cannot be judged.
    why: Option<String>,
    /// Smallest relative slowdown that counts.
    most: f64,
    /// Number of runs before.
    runs: usize,
    /// Number of GEMMs of this run that an earlier one has.
    compared: usize,
    /// GEMMs that moved without a change, and why; "" if none did.
    within: String,
    /// What runs differ by.
    spread: String,
    /// The slower GEMMs, most lost time first.
    rows: Vec<SlowerSince>,
}

/// A GEMM that a run shows to be slower.
#[derive(Debug, Serialize)]
struct SlowerSince {
    gemm: String,
    /// Relative slowdown: median time since / median time before - 1.
    longer: f64,
    before_s: f64,
    now_s: f64,
    /// Seconds more in all its calls.
    lost_s: f64,
    /// The first run of the new level.
    since: String,
}

/// Maximum slowdown against published times.
#[derive(Debug, Default, Serialize)]
struct Published {
    /// Whether it holds; `None` if it cannot be judged.
    held: Option<bool>,
    /// Why it cannot be judged.
    why: Option<String>,
    most: f64,
    /// GEMMs with a published time.
    compared: usize,
    /// GEMMs without one, which are not judged.
    without: usize,
    /// GEMMs over the limit, but within the error of the published time.
    within_error: usize,
    /// The GEMMs over the limit, worst first.
    rows: Vec<SlowerThanOthers>,
}

/// A GEMM that is slower than published.
#[derive(Debug, Serialize)]
struct SlowerThanOthers {
    file: String,
    line: u32,
    gemm: String,
    types: String,
    /// Relative slowdown: time now / published time - 1.
    longer: f64,
    published_s: f64,
    now_s: f64,
    /// Software that ran the nearest shape, with version.
    by: String,
}

/// GEMMs of the baseline that the files lack. They break the verdict, because a benchmark that crashes on its slowest
/// GEMM shows no slow one.
#[derive(Debug, Default, Serialize)]
struct Missing {
    /// Name of the baseline's file.
    baseline: String,
    /// Whether it holds; `None` if the files share no GEMM with the baseline.
    held: Option<bool>,
    /// `--allow-missing`: any number may be missing.
    allowed: bool,
    /// Number of missing GEMMs, and of all GEMMs in the baseline.
    gone: usize,
    of: usize,
    /// The missing GEMMs.
    gemms: Vec<String>,
}

impl Check {
    /// Checks the files against the limits; prints one line per limit and the rows that break it.
    pub(super) fn run(&self, io: &mut Io<'_>) -> Result<Exit, Stop> {
        let form =
            self.form.unwrap_or(if self.input.source.json { Form::Json } else { Form::Text });
        let before = self.baseline.as_ref().or(self.history.as_ref());
        let limited = self.min_efficiency.is_some() || before.is_some() || self.against.is_some();
        if !limited && !matches!(form, Form::BenchmarkJson) {
            io.err
                .usage("missing: a limit: --min-efficiency, --baseline, --history or --against")?;
            return Ok(Exit::Misuse);
        }
        let request = Request { beside: before.map(OsString::as_os_str), ..self.input.request() };
        let (loaded, baseline) = match before {
            None => (load(&request, io.stdin), None),
            Some(file) => {
                let (loaded, baseline) = load_with_baseline(&request, file, io.stdin);
                (loaded, Some((file, baseline)))
            }
        };
        let loaded = loaded.with_rows(&mut io.err)?;
        let state = view_state(&self.selection, None, &loaded, &mut io.err)?;
        let failed = loaded.failed;
        let baseline = match baseline {
            None => None,
            Some((file, baseline)) => Some((file, baseline.with_rows(&mut io.err)?)),
        };
        progress::step("holding the rows against the limits");
        let frame = shown(loaded.data.clone(), &state, &loaded.custom, &mut io.err)?;
        let ledger = Ledger::new(&frame);
        let trust = Trust::beside(&frame, &ledger);
        let mut limits = Vec::new();
        if let Some(least) = self.min_efficiency {
            let sides = efficiency::of_sides(&frame, least, self.each);
            limits.extend(sides.into_iter().map(Limit::Efficiency));
        }
        if let Some(Against::Published) = self.against {
            limits.push(Limit::Published(published::against(&frame, self.max_slower)));
        }
        let (mut missing, mut course) = (None, None);
        if let Some((file, before)) = baseline {
            let name = Path::new(file).file_name().unwrap_or(file).to_string_lossy();
            let gone = if self.history.is_some() {
                let (run, most) = (self.named_run(), self.max_regression);
                let (found, gone, lines) =
                    over_time::against(loaded, run, (&name, before), &state, most)?;
                limits.push(Limit::OverTime(found));
                course = Some(lines);
                gone
            } else {
                let (found, gone) =
                    regression::against(loaded, &name, before, &state, self.max_regression)?;
                limits.push(Limit::Regression(found));
                gone
            };
            let allowed = self.allow_missing;
            missing =
                Some(Missing { held: gone.held.map(|held| held || allowed), allowed, ..gone });
        }
        for doubt in limits.iter().filter_map(Limit::doubt) {
            io.err.say(Code::NotJudged, &doubt)?;
        }
        let held = verdict(&limits, missing.as_ref());
        let verdict = || words::Verdict { held, limits: &limits, missing: missing.as_ref() };
        let text = match form {
            Form::BenchmarkJson => benchmark::records(&frame, &ledger),
            Form::Json => {
                let object = serde_json::json!({
                    "schema": SCHEMA, "held": held, "limits": limits, "missing": missing,
                    "ledger": ledger, "trust": trust,
                });
                format!("{object}\n")
            }
            Form::Markdown => {
                let (trend, hidden) = match course {
                    // The history has the runs, so the comment need not carry them along.
                    Some(lines) => (lines, String::new()),
                    None => self.carried(held, &ledger, io)?,
                };
                words::comment(&verdict(), &ledger, &trust, trend, &hidden)
            }
            Form::Text => doc::plain(&verdict().blocks(words::LISTED, &ledger, &trust)),
        };
        io.out.write_all(text.as_bytes())?;
        if !limited {
            return Ok(Exit::worked(!failed));
        }
        Ok(match held {
            Some(false) => Exit::Broken,
            Some(true) => Exit::worked(!failed),
            None => Exit::Failed,
        })
    }
}

impl Check {
    /// What is known of this run from the command line.
    fn named_run(&self) -> RunInfo {
        let (run, host) = (self.run.clone(), self.host.clone());
        RunInfo { run, host, ..RunInfo::default() }
    }

    /// How the runs went that the comment before carries along, with this one: as lines, and for the next comment.
    fn carried(
        &self,
        held: Option<bool>,
        ledger: &Ledger,
        io: &mut Io<'_>,
    ) -> std::io::Result<(Vec<String>, String)> {
        let before = self.comment.as_deref().map_or(Ok(Vec::new()), runs::of_file);
        let mut runs =
            before.or_else(|why| io.err.say(Code::Ignored, &why).map(|()| Vec::new()))?;
        runs.push(runs::Run::new(&self.run, held, ledger));
        Ok((runs::trend(&runs), runs::hidden(&runs)))
    }
}

/// `Some(false)` if any limit is broken, `Some(true)` if all hold, `None` if one could not be judged.
fn verdict(limits: &[Limit], missing: Option<&Missing>) -> Option<bool> {
    let all = limits.iter().map(Limit::held).chain(missing.map(|m| m.held));
    if all.clone().any(|held| held == Some(false)) {
        return Some(false);
    }
    all.clone().all(|held| held == Some(true)).then_some(true)
}
