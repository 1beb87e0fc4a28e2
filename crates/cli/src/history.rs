//! `gemmscope history`: runs over time, and what changed.

mod keep;

use crate::Io;
use crate::command_line::{Input, Selection, notes, share};
use crate::exit::{Exit, Stop};
use crate::load::{Shown, frame};
use crate::messages::Code;
use gemmscope_analysis::history::{self, HistoryLine, LEAST_CHANGE, RunKind, steps};
use gemmscope_table::field::Frame;
use gemmscope_words::doc::{Block, DocTable, owned, plain, text};
use gemmscope_words::history as words;
use serde_json::{Value, json};
use std::path::PathBuf;

/// Runs over time: what changed, since which run, beyond what runs differ by
#[derive(Debug, clap::Args)]
#[command(after_help = notes(
    "A run is a file; its date, commit and run are in its name (2026-11-28-c0ffee.csv), in columns (date,\n\
     commit, run, host), or in a list of runs (history.json). --keep FOLDER adds the files as one run to such\n\
     a list: a packed CSV in FOLDER/runs, and FOLDER/history.json, which the page shows with #src=history.json.\n",
    &[
        "gemmscope history runs/*.csv",
        "gemmscope history history.json --json",
        "gemmscope history new.csv --keep site --commit c0ffee1",
    ],
))]
pub(super) struct History {
    /// Smallest change that is one: 2% or 0.02
    #[arg(long, value_name = "P", value_parser = share, conflicts_with = "keep")]
    least: Option<f64>,
    /// Add the files as one run to the list of runs in this folder
    #[arg(long, value_name = "FOLDER")]
    keep: Option<PathBuf>,
    /// Date of the run [default: now]
    #[arg(long, value_name = "ISO", requires = "keep", value_parser = keep::when)]
    when: Option<String>,
    /// Commit of the run
    #[arg(long, value_name = "SHA", requires = "keep", default_value = "")]
    commit: String,
    /// Name or number of the run
    #[arg(long, value_name = "NAME", requires = "keep", default_value = "")]
    run: String,
    /// Where it ran, if the files do not say
    #[arg(long, value_name = "NAME", requires = "keep", default_value = "")]
    host: String,
    /// Most runs that the list keeps; the oldest go first
    #[arg(long, value_name = "N", requires = "keep", default_value_t = 200, value_parser = clap::value_parser!(u16).range(1..))]
    most: u16,
    #[command(flatten)]
    selection: Selection,
    #[command(flatten)]
    input: Input,
}

/// Version of the JSON; `docs/src/schema/history-1.json` describes it.
const SCHEMA: &str = "gemmscope/history/1";

/// Most GEMMs that a terminal lists.
const LISTED: usize = 20;

impl History {
    /// Prints the history of the files, or keeps them as a run.
    pub(super) fn run(&self, io: &mut Io<'_>) -> Result<Exit, Stop> {
        if let Some(folder) = &self.keep {
            if self.selection.state.is_some() || self.selection.rows.is_some() {
                io.err.usage(
                    "--keep keeps all rows of the files, so --state and --rows do nothing",
                )?;
                return Ok(Exit::Misuse);
            }
            return keep::run(self, folder, io);
        }
        let Shown { frame, failed, .. } = frame(&self.input.request(), &self.selection, None, io)?;
        let least = self.least.unwrap_or(LEAST_CHANGE);
        let found = history::RunHistory::of(&frame, least).filter(|h| !h.lines.is_empty());
        let Some(h) = found else {
            let why = "no history: at least two runs of a GEMM are needed, each a file, or named by a column (date, \
                       commit, run)";
            return io.err.stop(Code::Nothing, why);
        };
        let text = match self.input.source.json {
            true => format!("{}\n", self::json(&h, &frame)),
            false => plain(&blocks(&h, &frame)),
        };
        io.out.write_all(text.as_bytes())?;
        Ok(Exit::worked(!failed))
    }
}

/// The sentences, and the GEMMs that changed.
fn blocks(h: &history::RunHistory, frame: &Frame) -> Vec<Block<'static>> {
    let mut out: Vec<Block<'_>> = words::sentences(h).into_iter().map(text).collect();
    let movers = words::movers(h, frame, LISTED);
    if !movers.rows.is_empty() {
        let mut table = DocTable::new(&[]);
        for title in &movers.header {
            table.column(title.clone(), gemmscope_words::doc::Set::Text);
        }
        movers.rows.into_iter().for_each(|row| table.row(row.into_iter().map(owned).collect()));
        out.push(Block::Table(table));
    }
    out
}

/// The runs, the spreads, and the points and changes of each GEMM and of all together.
fn json(h: &history::RunHistory, frame: &Frame) -> Value {
    let known = |v: f64| v.is_finite().then_some(v);
    let line = |line: &HistoryLine, gemm: Option<String>| {
        let points = line
            .points
            .iter()
            .map(|p| json!({ "run": p.run, "time_s": p.time_s, "spread_s": known(p.spread_s) }));
        let rates: Vec<f64> = line.points.iter().map(|p| 1.0 / p.time_s).collect();
        let mut out = json!({
            "points": points.collect::<Value>(),
            "rate_changes": steps(&rates),
            "changes": line.changes,
        });
        if let Some(gemm) = gemm {
            (out["gemm"], out["lost_s"]) = (gemm.into(), line.lost_s().into());
        }
        out
    };
    let runs = h.runs.names.iter().zip(&h.runs.infos).map(|(name, info)| {
        json!({
            "name": name, "when": info.when, "commit": info.commit, "run": info.run,
            "host": info.host, "versions": info.versions,
        })
    });
    let spreads = json!({
        "same_commit": known(h.spreads.same_commit),
        "neighbours": known(h.spreads.neighbours),
        "hosts": known(h.spreads.hosts),
    });
    json!({
        "schema": SCHEMA,
        "runs_are": match &h.runs.kind {
            RunKind::Files => "files",
            RunKind::Column => "values of a column",
            RunKind::Generations(_) => "generations",
        },
        "ordered": h.runs.ordered,
        "runs": runs.collect::<Value>(),
        "least": h.least,
        "spreads": spreads,
        "sentences": words::sentences(h),
        "all": line(&h.all, None),
        "gemms": h.lines.iter().map(|l| line(l, Some(h.label(frame, l)))).collect::<Value>(),
    })
}
