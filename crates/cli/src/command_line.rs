//! The command line as clap reads it: the commands, their shared options, and one-line error messages. Options of a
//! single command are in its file.

use crate::check::Check;
use crate::completions::Completions;
use crate::convert::Convert;
use crate::dispatch::Dispatch;
use crate::exit::{Exit, Stop};
use crate::history::History;
use crate::list::Devices;
use crate::load::Request;
use crate::open::Open;
use crate::page::Page;
use crate::reference::Reference;
use crate::render::Render;
use crate::replay::Replay;
use crate::report::Report;
use crate::summary::Summary;
use crate::{Io, app, list};
use clap::builder::{OsStringValueParser, PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, CommandFactory, FromArgMatches, Parser, Subcommand};
use gemmscope_import::{FORMATS, ImportOptions};
use gemmscope_model::hardware::{self, NameMatch};
use gemmscope_model::units::expected_one_of;
use gemmscope_table::data_kind::DataKind;
use gemmscope_table::dataset::ColumnSpec;
use std::error::Error as _;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// See every GEMM of a benchmark file against its roofline
#[derive(Debug, Parser)]
#[command(
    name = "gemmscope",
    version,
    disable_colored_help = true,
    args_override_self = true,
    arg_required_else_help = false,
    after_help = notes(
        "`gemmscope COMMAND --help` has the options and examples of each.\n",
        &[
            "gemmscope open bench.csv --device mi300x",
            "gemmscope report bench.csv --device mi300x -o report.html",
            "gemmscope check new.csv --device mi300x --min-efficiency 60%",
        ],
    ),
)]
pub(super) struct CommandLine {
    #[command(subcommand)]
    command: Command,
}

/// The commands, in the order of the help.
#[derive(Debug, Subcommand)]
pub(super) enum Command {
    Open(Open),
    Summary(Summary),
    Render(Render),
    Report(Report),
    Replay(Replay),
    Page(Page),
    Check(Check),
    History(History),
    Dispatch(Dispatch),
    Convert(Convert),
    /// The file formats, for --format
    #[command(after_help = notes("", &["gemmscope formats"]))]
    Formats,
    Devices(Devices),
    Reference(Reference),
    /// The places and their charts, for --view
    #[command(after_help = notes("", &["gemmscope views"]))]
    Views,
    /// The rules behind the findings: what each needs, its threshold, how to confirm it
    #[command(after_help = notes("", &["gemmscope rules | grep -A 3 layout"]))]
    Rules,
    Completions(Completions),
}

impl Command {
    /// Runs the command.
    pub(super) fn run(&self, io: &mut Io<'_>) -> Result<Exit, Stop> {
        match self {
            Command::Open(open) => return open.run(io),
            Command::Summary(summary) => return summary.run(io),
            Command::Render(render) => return render.run(io),
            Command::Report(report) => return report.run(io),
            Command::Replay(replay) => return replay.run(io),
            Command::Page(page) => return page.run(io),
            Command::Check(check) => return check.run(io),
            Command::History(history) => return history.run(io),
            Command::Dispatch(dispatch) => return dispatch.run(io),
            Command::Convert(convert) => return convert.run(io),
            Command::Reference(reference) => return reference.run(io),
            Command::Formats => list::formats(io.out)?,
            Command::Devices(devices) => devices.list(io.out)?,
            Command::Views => list::views(io.out)?,
            Command::Rules => list::rules(io.out)?,
            Command::Completions(completions) => completions.write(io.out)?,
        }
        Ok(Exit::Done)
    }

    /// Checks between options that clap cannot express.
    fn check(&self) -> Result<(), String> {
        match self {
            Command::Page(page) => app::expect(page.content.app.as_deref()),
            Command::Open(open) => app::expect(open.content.app.as_deref()),
            Command::Convert(convert) => convert.input.source.check_ending(&convert.output),
            Command::Dispatch(Dispatch { source, output: Some(output), .. }) => {
                source.check_ending(output)
            }
            _ => Ok(()),
        }
    }
}

/// The files of a command, and how they are read.
#[derive(Debug, clap::Args)]
pub(super) struct Source {
    /// Benchmark files (CSV, logs, JSON, also gzip), devices as JSON, folders; - is standard input
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<OsString>,
    /// Device for files that name none (mi300x, h100-sxm, ...)
    #[arg(long, value_name = "ID", value_parser = device(), hide_possible_values = true)]
    pub device: Option<String>,
    /// What a column is: --column speed=rate:tflops (m, n, k, time:us, ...)
    #[arg(long, value_name = "NAME=WHAT", value_parser = column, allow_hyphen_values = true)]
    pub column: Vec<(String, String)>,
    /// Correct an assumption: --answer dtype=bf16
    #[arg(long, value_name = "KEY=VALUE", value_parser = pair, allow_hyphen_values = true)]
    answer: Vec<(String, String)>,
    /// Most that a packed file may take, unpacked and as rows [default: 1GiB]
    #[arg(long, value_name = "SIZE", value_parser = bytes, allow_hyphen_values = true)]
    memory: Option<u64>,
    /// Leave published times out, and the account of what others reach
    #[arg(long)]
    pub no_published: bool,
    /// Messages, and the result where it has that form, as JSON
    #[arg(long)]
    pub json: bool,
}

/// The files of a command that can be told their format.
#[derive(Debug, clap::Args)]
pub(super) struct Input {
    /// Read as this format (`gemmscope formats`)
    #[arg(long, value_name = "ID", value_parser = one_of(FORMATS.iter().map(|f| f.id)), hide_possible_values = true)]
    format: Option<String>,
    #[command(flatten)]
    pub source: Source,
}

impl Input {
    /// Reads these files only; the result goes to standard output.
    pub(super) fn request(&self) -> Request<'_> {
        Request { format: self.format.as_deref(), ..self.source.request() }
    }
}

impl Source {
    /// Reads these files only; the result goes to standard output.
    pub(super) fn request(&self) -> Request<'_> {
        Request { source: self, format: None, output: None, beside: None }
    }

    /// Import options, for this format if one is given.
    pub(super) fn options(&self, format: Option<&str>) -> ImportOptions {
        ImportOptions {
            format: format.map(str::to_owned),
            columns: self.column.iter().cloned().collect(),
            answers: self.answer.iter().cloned().collect(),
            memory: self.memory,
            ..ImportOptions::default()
        }
    }

    /// Refuses an output that is not `.json` with `--json`, or not `.csv` or `.txt` without it.
    fn check_ending(&self, output: &Path) -> Result<(), String> {
        let (known, what): (&[&str], _) = match self.json {
            true => (&["json"], "JSON with --json"),
            false => (&["csv", "txt"], "a CSV"),
        };
        ending(output, known, what).map_err(|why| format!("--output: {why}"))
    }
}

/// Which rows are shown.
#[derive(Debug, Default, clap::Args)]
pub(super) struct Selection {
    /// What totals count
    #[arg(long, value_name = "KIND", value_parser = kinds())]
    pub rows: Option<DataKind>,
    /// Filters and view of this link (or the text after its #)
    #[arg(long, value_name = "LINK", allow_hyphen_values = true)]
    pub state: Option<String>,
}

/// The end of a command's help: remarks, each a line with its line end, and examples.
pub(super) fn notes(remarks: &str, examples: &[&str]) -> String {
    let gap = if remarks.is_empty() { "" } else { "\n" };
    format!(
        "{remarks}{gap}Examples:\n  {}\n\nExit codes: 0 success, 1 a file could not be read, written or judged, \
         2 wrong usage,\n3 a limit of `check` is broken.",
        examples.join("\n  ")
    )
}

/// Returns the value of a text, or an error.
type ParseText = fn(&str) -> Result<String, String>;

/// A parser whose allowed words are too many for the help; completion and error messages have them.
#[derive(Clone)]
pub(super) struct Listed {
    words: PossibleValuesParser,
    /// Parser of other texts; `None` if only the words are allowed.
    parse: Option<ParseText>,
}

/// A parser that accepts one of these words.
pub(super) fn one_of(words: impl Iterator<Item = &'static str>) -> Listed {
    Listed { words: PossibleValuesParser::new(words), parse: None }
}

impl TypedValueParser for Listed {
    type Value = String;

    fn parse_ref(
        &self,
        command: &clap::Command,
        arg: Option<&Arg>,
        value: &OsStr,
    ) -> Result<String, clap::Error> {
        if let Some(parse) = self.parse {
            return parse.parse_ref(command, arg, value);
        }
        // clap hides the words of this argument in errors too, so the error is made without the argument.
        self.words.parse_ref(command, None, value).map_err(|mut error| {
            let name = arg.map_or(String::new(), Arg::to_string);
            error.insert(ContextKind::InvalidArg, ContextValue::String(name));
            error
        })
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        self.words.possible_values()
    }
}

/// A parser of device names. A name that is not in the catalogue may be defined by a file, which shows when the files
/// are read.
pub(super) fn device() -> Listed {
    let parse = |text: &str| match hardware::match_name(text) {
        NameMatch::Exact(d) | NameMatch::Alias(d) => Ok(d.id.clone()),
        NameMatch::Ambiguous(several) => {
            let ids: Vec<&str> = several.iter().map(|d| d.id.as_str()).collect();
            Err(format!("several devices match {text}; use one of {}", ids.join(", ")))
        }
        NameMatch::Unknown => Ok(text.to_owned()),
    };
    let ids = hardware::catalog().iter().map(|d| d.id.as_str());
    Listed { words: PossibleValuesParser::new(ids), parse: Some(parse) }
}

pub(super) fn kinds() -> impl TypedValueParser<Value = DataKind> {
    PossibleValuesParser::new(DataKind::ALL.map(DataKind::key))
        .try_map(|key| DataKind::parse(&key).ok_or("no such kind"))
}

/// A parser of an output path: kind of content, and allowed extensions. A text under the name of a picture would be a
/// file that no program opens.
pub(super) fn file(
    known: &'static [&str],
    what: &'static str,
) -> impl TypedValueParser<Value = PathBuf> {
    OsStringValueParser::new().try_map(move |path| {
        let path = PathBuf::from(path);
        ending(&path, known, what).map(|()| path)
    })
}

fn ending(path: &Path, known: &[&str], what: &str) -> Result<(), String> {
    match path.extension().map(OsStr::to_string_lossy) {
        Some(e) if !known.iter().any(|k| e.eq_ignore_ascii_case(k)) => {
            Err(format!("writes {what}, not .{e}"))
        }
        _ => Ok(()),
    }
}

/// `60%` or `0.6`.
pub(super) fn share(text: &str) -> Result<f64, String> {
    let (digits, scale) = match text.trim().strip_suffix('%') {
        Some(digits) => (digits.trim(), 0.01),
        None => (text.trim(), 1.0),
    };
    match digits.parse::<f64>() {
        Ok(v) if v.is_finite() && v >= 0.0 && (scale < 1.0 || v <= 1.0) => Ok(v * scale),
        _ => Err(format!("expected a share such as 60% or 0.6: {text}")),
    }
}

/// `8GiB`, `500MB`, or a number of bytes.
fn bytes(text: &str) -> Result<u64, String> {
    const UNITS: [(&str, f64); 9] = [
        ("KiB", 1024.0),
        ("MiB", 1_048_576.0),
        ("GiB", 1_073_741_824.0),
        ("TiB", 1_099_511_627_776.0),
        ("kB", 1e3),
        ("MB", 1e6),
        ("GB", 1e9),
        ("TB", 1e12),
        ("", 1.0),
    ];
    let trimmed = text.trim();
    UNITS
        .iter()
        .find_map(|(unit, scale)| Some((trimmed.strip_suffix(unit)?.trim(), scale)))
        .and_then(|(digits, scale)| Some(digits.parse::<f64>().ok()? * scale))
        .filter(|v| (1.0..1e18).contains(v))
        .map(|v| v as u64)
        .ok_or_else(|| format!("expected a size such as 8GiB: {text}"))
}

/// `NAME=VALUE`; the name may contain `=` too.
fn pair(text: &str) -> Result<(String, String), String> {
    let parts = text.rsplit_once('=').ok_or_else(|| format!("expected NAME=VALUE: {text}"))?;
    Ok((parts.0.to_owned(), parts.1.to_owned()))
}

fn column(text: &str) -> Result<(String, String), String> {
    let (name, what) = pair(text)?;
    what.parse::<ColumnSpec>().map_err(|e| e.to_string())?;
    Ok((name, what))
}

/// The command whose help a message mentions: the first word, if it is a command.
pub(super) fn named(args: &[OsString]) -> Option<&str> {
    let word = args.iter().find_map(|a| a.to_str().filter(|a| !a.starts_with('-')))?;
    CommandLine::command().find_subcommand(word).map(|_| word)
}

/// Parses a command line without the program's name. A request for help is an error too, which goes to standard output.
pub(super) fn parse(args: &[OsString]) -> Result<Command, clap::Error> {
    let wrong = |why: String| CommandLine::command().error(ErrorKind::ArgumentConflict, why);
    let all = std::iter::once(OsStr::new("gemmscope")).chain(args.iter().map(OsString::as_os_str));
    let matches = CommandLine::command().try_get_matches_from(all)?;
    let inputs = |id| matches.subcommand()?.1.try_get_many::<OsString>(id).ok()?;
    let inputs = ["files", "baseline"].into_iter().filter_map(inputs).flatten();
    if inputs.filter(|f| *f == "-").count() > 1 {
        return Err(wrong("standard input can be read only once".into()));
    }
    let command = CommandLine::from_arg_matches(&matches)?.command;
    command.check().map_err(wrong)?;
    Ok(command)
}

/// The error of clap, as one line.
pub(super) fn sentence(error: &clap::Error) -> String {
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) if !text.is_empty() => Some(text.as_str()),
        _ => None,
    };
    let option =
        text(ContextKind::InvalidArg).and_then(|a| a.split(' ').next()).unwrap_or_default();
    let value = text(ContextKind::InvalidValue);
    let mean = |kind| text(kind).map_or(String::new(), |t| format!("; did you mean {t}?"));
    match (error.kind(), error.get(ContextKind::ValidValue), error.source()) {
        (ErrorKind::InvalidValue, Some(ContextValue::Strings(known)), _) if value.is_some() => {
            let expected = expected_one_of(known, value.unwrap_or_default());
            format!("{option}: {expected}{}", mean(ContextKind::SuggestedValue))
        }
        (ErrorKind::ValueValidation, _, Some(why)) => format!("{option}: {why}"),
        (ErrorKind::UnknownArgument, ..) => {
            let long = option.strip_prefix("--").unwrap_or_default();
            let owners = names(|c| c.get_arguments().any(|a| a.get_long() == Some(long)));
            let belongs = match owners.is_empty() {
                true => mean(ContextKind::SuggestedArg),
                false => format!("; it belongs to {owners}"),
            };
            format!("unexpected argument {option}{belongs}")
        }
        (ErrorKind::MissingSubcommand, ..) => {
            format!("no command given: use one of {}", names(|_| true))
        }
        _ => {
            let printed = error.render().to_string();
            let said = printed.split("\n\nUsage:").next().unwrap_or_default();
            let said = said.split("\n\nFor more").next().unwrap_or_default();
            let said = said.trim_start_matches("error: ").replace("\n\n", "; ");
            let said =
                said.replace("the following required arguments were not provided", "missing");
            // One of several: `<--baseline <FILE>|--history <RUNS>>`.
            let said = said.replace("<--", "--").replace(">|--", "> or --").replace(">>", ">");
            said.split_whitespace().collect::<Vec<_>>().join(" ")
        }
    }
}

/// Names of the commands that match.
fn names(wanted: impl Fn(&clap::Command) -> bool) -> String {
    let command = CommandLine::command();
    let names: Vec<&str> =
        command.get_subcommands().filter(|c| wanted(c)).map(clap::Command::get_name).collect();
    names.join(", ")
}
