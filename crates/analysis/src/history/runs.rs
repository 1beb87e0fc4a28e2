//! The runs in a table: files, the values of a column that names runs, or generations of a search.

use super::name_of;
use crate::compare::value_counts;
use crate::tuning::order_column;
use gemmscope_model::units::instant;
use gemmscope_table::dataset::{Column, ColumnData, Dataset, RunInfo};
use gemmscope_table::field::{Field, Frame};
use std::collections::HashMap;

/// What the points of a history are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunKind {
    /// Files.
    Files,
    /// Values of a column of the file.
    Column,
    /// Generations of a search, under the title of their column.
    Generations(String),
}

/// The runs of a history, oldest first.
#[derive(Clone, Debug)]
pub struct RunSeries {
    /// What they are.
    pub kind: RunKind,
    /// Field whose values they are.
    pub side: Field,
    /// Value of each.
    pub values: Vec<String>,
    /// What is known of each.
    pub infos: Vec<RunInfo>,
    /// Name of each; no two are the same.
    pub names: Vec<String>,
    /// True if the runs state an order: each a date, or names that differ in a number. Else they are in the order of
    /// the files.
    pub ordered: bool,
}

/// Titles of columns whose values are runs, dates, commits, hosts and versions.
const RUN: &[&str] = &["run", "run_id", "run_number", "build", "build_number", "job", "job_id"];
const DATE: &[&str] =
    &["date", "datetime", "timestamp", "run_date", "commit_date", "start_time", "measured_at"];
const COMMIT: &[&str] =
    &["commit", "commit_hash", "commit_id", "git_commit", "sha", "git_sha", "git_hash", "revision"];
const HOST: &[&str] =
    &["host", "hostname", "node", "nodename", "machine", "machine_name", "runner"];
const VERSIONS: &[&str] = &[
    "driver",
    "driver_version",
    "cuda",
    "cuda_version",
    "rocm",
    "rocm_version",
    "library_version",
    "cublas_version",
    "hipblaslt_version",
    "torch_version",
    "triton_version",
    "version",
];

/// Most characters of a date without a time.
const DAY: usize = 10;

fn titled<'a>(
    data: &'a Dataset,
    titles: &'static [&'static str],
) -> impl Iterator<Item = &'a Column> {
    data.columns.iter().filter(move |c| {
        let title = c.label.trim().to_ascii_lowercase().replace([' ', '-'], "_");
        titles.contains(&title.as_str())
    })
}

impl RunSeries {
    /// The runs of the rows of a frame; `None` if they are of one.
    pub fn of(frame: &Frame) -> Option<RunSeries> {
        let data = &*frame.data;
        let used = |field: &Field| {
            let values = value_counts(frame, field).into_iter().map(|(value, _)| value);
            values.collect::<Vec<String>>()
        };
        let files = used(&Field::Source);
        if files.len() > 1 {
            return Some(RunSeries::new(frame, (RunKind::Files, Field::Source), files, None));
        }
        // The finest of them tells runs apart, as one commit may have run on several dates; a time of each row does not.
        let named = [DATE, RUN, COMMIT].into_iter().flat_map(|titles| titled(data, titles));
        let fields = named.map(|c| Field::Column(c.key.clone()));
        let mut found: Vec<(Field, Vec<String>)> = fields.map(|f| (f.clone(), used(&f))).collect();
        found.retain(|(_, values)| values.len() > 1);
        let days = |values: &[String]| values.iter().all(|v| v.len() <= DAY);
        let of_rows = |values: &[String]| values.len() < frame.rows.len() || days(values);
        let rank = |values: &[String]| (of_rows(values), values.len());
        let best = found.iter().map(|(_, values)| rank(values)).max();
        if let Some((field, values)) = found.into_iter().find(|(_, v)| Some(rank(v)) == best) {
            return Some(RunSeries::new(frame, (RunKind::Column, field), values, None));
        }
        let column = order_column(frame)?;
        let field = Field::Column(column.key.clone());
        let values = used(&field);
        let label = column.label.to_lowercase();
        let what = (RunKind::Generations(label), field);
        (values.len() > 1).then(|| RunSeries::new(frame, what, values, None))
    }

    /// The files of a frame as runs, of which the file `newest` is the newest, whatever it states.
    pub fn up_to(frame: &Frame, newest: &str) -> RunSeries {
        let files = value_counts(frame, &Field::Source).into_iter().map(|(value, _)| value);
        let older: Vec<String> = files.filter(|value| value != newest).collect();
        let RunSeries { kind, side, mut values, ordered, .. } =
            RunSeries::new(frame, (RunKind::Files, Field::Source), older, None);
        values.push(newest.to_owned());
        RunSeries::new(frame, (kind, side), values, Some(ordered))
    }

    /// These values of a field as runs; in this order if it is known whether that is one of time.
    fn new(
        frame: &Frame,
        (kind, side): (RunKind, Field),
        values: Vec<String>,
        known: Option<bool>,
    ) -> RunSeries {
        let mut infos = infos(frame, &kind, &side, &values);
        let mut order: Vec<usize> = (0..values.len()).collect();
        let times: Option<Vec<f64>> = infos.iter().map(|run| instant(&run.when)).collect();
        let generations = matches!(kind, RunKind::Generations(_));
        let ordered = known.unwrap_or_else(|| times.is_some() || generations || numbered(&values));
        if known.is_some() {
            // Nothing to sort.
        } else if let Some(times) = times {
            order.sort_by(|a, b| times[*a].total_cmp(&times[*b]));
        } else if ordered {
            order.sort_by(|a, b| number(&values[*a]).total_cmp(&number(&values[*b])));
        }
        let values: Vec<String> = order.iter().map(|i| values[*i].clone()).collect();
        infos = order.iter().map(|i| std::mem::take(&mut infos[*i])).collect();
        let names = names(&kind, &values, &infos);
        RunSeries { kind, side, values, infos, names, ordered }
    }

    /// True if the sides of a comparison by these values are runs over time: each has a date, a commit or a run.
    pub fn over_time(&self) -> bool {
        self.ordered && self.infos.iter().all(|run| !name_of(run).is_empty())
    }
}

/// What the rows state of their run, as one: columns that all of them share.
pub fn stated(frame: &Frame) -> RunInfo {
    of_rows(&frame.data, &frame.rows)
}

fn of_rows(data: &Dataset, rows: &[u32]) -> RunInfo {
    let cells = |titles: &'static [&'static str]| {
        let mut cells: Vec<String> = titled(data, titles).filter_map(|c| only(c, rows)).collect();
        cells.dedup();
        cells
    };
    let first =
        |titles: &'static [&'static str]| cells(titles).into_iter().next().unwrap_or_default();
    RunInfo {
        when: first(DATE),
        commit: first(COMMIT),
        run: first(RUN),
        host: cells(HOST).join(" "),
        versions: cells(VERSIONS).join(" "),
    }
}

/// What is known of each run: from a list of runs, from its file's name, from columns with one value in its rows.
fn infos(frame: &Frame, kind: &RunKind, side: &Field, values: &[String]) -> Vec<RunInfo> {
    let data = &*frame.data;
    if matches!(kind, RunKind::Generations(_)) {
        return vec![RunInfo::default(); values.len()];
    }
    let categories = frame.categories(side);
    let at: HashMap<&str, usize> = values.iter().map(String::as_str).zip(0..).collect();
    let side_of: Vec<Option<usize>> =
        categories.values.iter().map(|v| at.get(v.as_str()).copied()).collect();
    let mut rows: Vec<Vec<u32>> = vec![Vec::new(); values.len()];
    for &row in frame.rows.iter() {
        if let Some(side) = side_of[categories.codes.get(row as usize) as usize] {
            rows[side].push(row);
        }
    }
    let info = |(value, rows): (&String, &Vec<u32>)| {
        let stated = of_rows(data, rows);
        let source = rows.first().map(|r| &data.sources[usize::from(data.source[*r as usize])]);
        let listed = source.map(|s| s.run.clone()).unwrap_or_default();
        let named = match kind {
            RunKind::Files => RunInfo::of_file_name(value),
            _ => RunInfo::default(),
        };
        match kind {
            RunKind::Files => listed.or(stated).or(named),
            _ => stated,
        }
    };
    values.iter().zip(&rows).map(info).collect()
}

/// The text of a column that all these rows share.
fn only(column: &Column, rows: &[u32]) -> Option<String> {
    let text = |row: &u32| match &column.data {
        ColumnData::Text { codes, values } => values[codes[*row as usize] as usize].clone(),
        ColumnData::Number(v) => match v[*row as usize] {
            v if v.is_nan() => String::new(),
            v => v.to_string(),
        },
    };
    let first = rows.first().map(text)?;
    (!first.is_empty() && rows.iter().all(|r| text(r) == first)).then_some(first)
}

/// The digits of a text, and what is around them.
fn digits(text: &str) -> (String, &str) {
    let end = text.rfind(|c: char| c.is_ascii_digit()).map_or(0, |at| at + 1);
    let start = text[..end]
        .rfind(|c: char| !c.is_ascii_digit())
        .map_or(0, |at| at + text[at..].chars().next().map_or(1, char::len_utf8));
    (format!("{}#{}", &text[..start], &text[end..]), &text[start..end])
}

fn number(text: &str) -> f64 {
    digits(text).1.parse().unwrap_or(f64::INFINITY)
}

/// True if names differ in one number alone: `run2.csv`, `run10.csv`.
fn numbered(names: &[String]) -> bool {
    let Some(first) = names.first().map(|n| digits(n).0) else { return false };
    names.iter().all(|n| digits(n).0 == first && !digits(n).1.is_empty())
}

/// Names that tell runs apart: the commit as far as seven digits, else the run, the date, the value; with the date
/// behind it where two are the same, and with a number where these are too.
fn names(kind: &RunKind, values: &[String], infos: &[RunInfo]) -> Vec<String> {
    let base = |(value, run): (&String, &RunInfo)| match kind {
        RunKind::Generations(label) => format!("{label} {value}"),
        _ if !run.commit.is_empty() => run.commit.chars().take(7).collect(),
        _ => match (name_of(run), run.run.parse::<u64>()) {
            ("", _) => value.clone(),
            (name, Ok(_)) if name == run.run => format!("run {name}"),
            (name, _) => name.to_owned(),
        },
    };
    let mut out: Vec<String> = values.iter().zip(infos).map(base).collect();
    let repeated = |out: &[String]| {
        let mut counts: HashMap<String, usize> = HashMap::new();
        out.iter().for_each(|name| *counts.entry(name.clone()).or_default() += 1);
        counts
    };
    let counts = repeated(&out);
    for (name, run) in out.iter_mut().zip(infos) {
        if counts[name.as_str()] > 1 && !run.when.is_empty() && *name != run.when {
            *name = format!("{name} of {}", run.when);
        }
    }
    let counts = repeated(&out);
    let mut seen: HashMap<String, usize> = HashMap::new();
    for name in &mut out {
        if counts[name.as_str()] > 1 {
            let nth = seen.entry(name.clone()).or_default();
            *nth += 1;
            *name = format!("{name} ({nth})");
        }
    }
    out
}
