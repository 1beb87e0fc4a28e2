//! Reads and checks the command line, before any file is opened.

use crate::app;
use crate::help::{Command, OPTIONS, SHORT, names};
use crate::{check, dispatch, report};
use gemmscope_chart::places;
use gemmscope_import::{FORMATS, ImportOptions};
use gemmscope_model::hardware;
use gemmscope_model::hardware::NameMatch;
use gemmscope_model::units::expected_one_of;
use gemmscope_table::data_kind::DataKind;
use gemmscope_table::dataset::ColumnSpec;
use std::ffi::OsString;

/// The command and options of a command line.
#[derive(Debug, Default)]
pub(super) struct Args {
    pub command: Command,
    pub files: Vec<OsString>,
    pub device: Option<String>,
    pub json: bool,
    pub output: Option<OsString>,
    pub options: ImportOptions,
    pub view: Option<String>,
    pub state: Option<String>,
    pub dark: bool,
    /// Width and height in CSS pixels; without a height the view chooses.
    pub size: (f64, Option<f64>),
    pub form: Option<String>,
    /// The text of `--format`: what files are read as, or of `dispatch` what is written.
    format: Option<String>,
    pub rows: Option<DataKind>,
    pub app: Option<OsString>,
    pub serve: bool,
    /// Port of `--serve`; 0 for any.
    pub port: u16,
    pub min_efficiency: Option<f64>,
    pub each: bool,
    pub flagged: bool,
    pub baseline: Option<OsString>,
    pub max_regression: Option<f64>,
    pub allow_missing: bool,
}

/// A valid command line.
#[derive(Debug)]
pub(super) enum Parsed {
    /// Run this.
    Run(Box<Args>),
    /// Print this text (help or version).
    Say(String),
}

/// An invalid command line; `command` is the command in it, if there is one.
#[derive(Debug)]
pub(super) struct Usage {
    pub command: Option<Command>,
    pub message: String,
}

/// `60%` or `0.6`.
fn share(option: &str, text: &str) -> Result<f64, String> {
    let (digits, scale) = match text.trim().strip_suffix('%') {
        Some(digits) => (digits.trim(), 0.01),
        None => (text.trim(), 1.0),
    };
    match digits.parse::<f64>() {
        Ok(v) if v.is_finite() && v >= 0.0 && (scale < 1.0 || v <= 1.0) => Ok(v * scale),
        _ => Err(format!("{option}: expected a share such as 60% or 0.6: {text}")),
    }
}

/// `960x600` or `960`.
fn size(text: &str) -> Result<(f64, Option<f64>), String> {
    let side = |t: &str| {
        t.parse::<f64>()
            .ok()
            .filter(|v| (100.0..=8192.0).contains(v))
            .ok_or_else(|| format!("--size: expected WIDTHxHEIGHT, each 100 to 8192: {text}"))
    };
    match text.split_once('x') {
        Some((w, h)) => Ok((side(w)?, Some(side(h)?))),
        None => Ok((side(text)?, None)),
    }
}

/// `8GiB`, `500MB`, or a number of bytes.
fn bytes(option: &str, text: &str) -> Result<u64, String> {
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
    let text = text.trim();
    UNITS
        .iter()
        .find_map(|(unit, scale)| Some((text.strip_suffix(unit)?.trim(), scale)))
        .and_then(|(digits, scale)| Some(digits.parse::<f64>().ok()? * scale))
        .filter(|v| (1.0..1e18).contains(v))
        .map(|v| v as u64)
        .ok_or_else(|| format!("{option}: expected a size such as 8GiB: {text}"))
}

fn one_of(option: &str, known: &[&str], value: String) -> Result<String, String> {
    if known.contains(&value.as_str()) {
        return Ok(value);
    }
    Err(format!("{option}: {}", expected_one_of(known, &value)))
}

fn missing<T>(output: &str) -> Result<T, String> {
    Err(format!("-o {output} is missing"))
}

fn needs<T>(option: &str, other: &str) -> Result<T, String> {
    Err(format!("{option} needs {other}"))
}

/// `NAME=VALUE`; the name may contain `=` too.
fn pair(option: &str, value: &str) -> Result<(String, String), String> {
    value
        .rsplit_once('=')
        .map(|(k, v)| (k.to_owned(), v.to_owned()))
        .ok_or_else(|| format!("{option}: expected NAME=VALUE: {value}"))
}

impl Args {
    /// Sets the option with this name; `value` returns the argument after it.
    fn take(
        &mut self,
        long: &str,
        value: &mut dyn FnMut() -> Result<OsString, lexopt::Error>,
    ) -> Result<(), String> {
        let mut raw = || value().map_err(|e| e.to_string());
        match long {
            "json" => self.json = true,
            "each" => self.each = true,
            "allow-missing" => self.allow_missing = true,
            "flagged" => self.flagged = true,
            "serve" => self.serve = true,
            "app" => self.app = Some(raw()?),
            "baseline" => self.baseline = Some(raw()?),
            "output" => self.output = Some(raw()?),
            _ => {
                let option = format!("--{long}");
                let text = raw()?
                    .into_string()
                    .map_err(|v| format!("{option}: not valid text: {}", v.to_string_lossy()))?;
                self.take_text(long, &option, text)?;
            }
        }
        Ok(())
    }

    fn take_text(&mut self, long: &str, option: &str, text: String) -> Result<(), String> {
        match long {
            "device" => self.device = Some(device(text)?),
            // What it means depends on the command, which may follow.
            "format" => self.format = Some(text),
            "column" => {
                let (name, what) = pair(option, &text)?;
                what.parse::<ColumnSpec>().map_err(|e| format!("{option}: {e}"))?;
                self.options.columns.insert(name, what);
            }
            "answer" => {
                let (key, value) = pair(option, &text)?;
                self.options.answers.insert(key, value);
            }
            "memory" => self.options.memory = Some(bytes(option, &text)?),
            "view" => self.view = Some(text),
            "state" => self.state = Some(text),
            "theme" => self.dark = one_of(option, &["light", "dark"], text)? == "dark",
            "size" => self.size = size(&text)?,
            "rows" => {
                let keys = DataKind::ALL.map(DataKind::key);
                self.rows = DataKind::parse(&one_of(option, &keys, text)?);
            }
            "form" => self.form = Some(text),
            "port" => {
                self.port =
                    text.parse().map_err(|_| format!("{option}: expected 0 to 65535: {text}"))?;
            }
            "min-efficiency" => self.min_efficiency = Some(share(option, &text)?),
            "max-regression" => self.max_regression = Some(share(option, &text)?),
            _ => return Err(format!("{option}: unknown option")),
        }
        Ok(())
    }

    /// Checks the extension of `-o`: a picture's name for a text would be a file that no program
    /// opens.
    fn check_extension(&self) -> Result<(), String> {
        let (known, what): (&[&str], &str) = match self.command {
            Command::Render => (&["svg"], "an SVG (rsvg-convert makes a PNG or PDF of it)"),
            Command::Report => (
                &["md", "markdown", "txt", "html", "htm", "json"],
                "a document: .md, .html or .json",
            ),
            Command::Page | Command::Open => (&["html", "htm"], "an HTML page"),
            Command::Convert | Command::Dispatch if self.json => (&["json"], "JSON with --json"),
            Command::Convert | Command::Dispatch => (&["csv", "txt"], "a CSV"),
            _ => return Ok(()),
        };
        let path = self.output.as_deref().map(std::path::Path::new);
        let ends = path.and_then(|p| p.extension()).map(|e| e.to_string_lossy());
        match ends {
            Some(e) if !known.iter().any(|k| e.eq_ignore_ascii_case(k)) => {
                Err(format!("-o: {} writes {what}, not .{e}", self.command.topic().name))
            }
            _ => Ok(()),
        }
    }

    /// Checks that the options fit together.
    fn complete(&mut self) -> Result<(), String> {
        if !self.command.reads() {
            return match self.files.first() {
                Some(f) => Err(format!("takes no file: {}", f.to_string_lossy())),
                None => Ok(()),
            };
        }
        if self.files.is_empty() {
            return Err("no file given (- reads standard input)".into());
        }
        let stdin = self.files.iter().filter(|f| *f == "-").count()
            + usize::from(self.baseline.as_ref().is_some_and(|f| f == "-"));
        if stdin > 1 {
            return Err("standard input can be read only once".into());
        }
        let unlimited = self.min_efficiency.is_none() && self.baseline.is_none();
        self.check_extension()?;
        if let Some(format) = self.format.take() {
            if self.command == Command::Dispatch {
                self.form = Some(one_of("--format", &dispatch::FORMS, format)?);
            } else {
                let ids: Vec<&str> = FORMATS.iter().map(|f| f.id).collect();
                self.options.format = Some(one_of("--format", &ids, format)?);
            }
        }
        if let Some(form) = self.form.take() {
            let known: &[&str] = match self.command {
                Command::Check => &check::FORMS,
                Command::Dispatch => &dispatch::FORMS,
                _ => &report::FORMS,
            };
            self.form = Some(one_of("--form", known, form)?);
        }
        let has_forms = matches!(self.command, Command::Check | Command::Report);
        if self.json && has_forms && self.form.is_none() {
            self.form = Some("json".into());
        }
        match self.command {
            Command::Replay if self.output.as_ref().is_none_or(|o| o == "-") => {
                return missing("FOLDER");
            }
            Command::Convert if self.output.is_none() => {
                return missing("OUT.csv");
            }
            Command::Page | Command::Open if self.app.is_none() && !app::is_carried() => {
                return Err(
                    "--app FILE is missing: this build carries no page, so name the one-file \
                     page (gemmscope.html of a release)"
                        .into(),
                );
            }
            Command::Page if self.output.is_none() => {
                return missing("OUT.html");
            }
            Command::Open if self.port != 0 && !self.serve => {
                return needs("--port", "--serve");
            }
            Command::Open if self.output.as_ref().is_some_and(|o| o == "-") => {
                return Err(
                    "-o: name a file; `gemmscope page -o -` writes to standard output".into()
                );
            }
            Command::Check if unlimited => {
                return Err("no limit given: use --min-efficiency or --baseline".into());
            }
            _ => {}
        }
        if self.max_regression.is_some() && self.baseline.is_none() {
            return needs("--max-regression", "--baseline FILE");
        }
        if self.allow_missing && self.baseline.is_none() {
            return needs("--allow-missing", "--baseline FILE");
        }
        if self.each && self.min_efficiency.is_none() {
            return needs("--each", "--min-efficiency P");
        }
        if let Some(view) = self.view.take() {
            let drawn = |id: &&str| places::of(id).is_some_and(|(_, picture)| !picture.is_empty());
            let mut ids = places::names();
            ids.retain(|id| matches!(self.command, Command::Page | Command::Open) || drawn(id));
            self.view = Some(one_of("--view", &ids, view)?);
        }
        Ok(())
    }
}

/// Reads a command line without the program's name.
pub(super) fn parse(args: impl IntoIterator<Item = OsString>) -> Result<Parsed, Usage> {
    use lexopt::prelude::{Long, Short, Value};
    let mut parser = lexopt::Parser::from_args(args);
    let mut command = None;
    let mut asks_help = false;
    let mut taken: Vec<usize> = Vec::new();
    let mut args = Args { size: (960.0, None), ..Args::default() };
    let fail = |command, message: String| Err(Usage { command, message });
    loop {
        let arg = match parser.next() {
            Ok(Some(arg)) => arg,
            Ok(None) => break,
            Err(e) => return fail(command, e.to_string()),
        };
        let option = match arg {
            Short('h') | Long("help") => {
                asks_help = true;
                continue;
            }
            Short('V') | Long("version") => {
                return Ok(Parsed::Say(format!("gemmscope {}\n", env!("CARGO_PKG_VERSION"))));
            }
            Value(word) if command.is_none() => {
                command = word.to_str().and_then(Command::named);
                if command.is_none() {
                    let word = word.to_string_lossy();
                    return fail(None, expected_one_of(&[names()], &word));
                }
                continue;
            }
            Value(file) => {
                args.files.push(file);
                continue;
            }
            Long(name) => OPTIONS.iter().position(|o| o.long == name),
            Short(name) => OPTIONS.iter().position(|o| (name, o.long) == SHORT),
        };
        let Some(at) = option else {
            return fail(command, arg.unexpected().to_string());
        };
        taken.push(at);
        if let Err(message) = args.take(OPTIONS[at].long, &mut || parser.value()) {
            // `--help` after an option is a request for help, not its value.
            if asks_help {
                break;
            }
            return fail(command, message);
        }
    }
    let Some(command) = command else {
        if asks_help {
            return Ok(Parsed::Say(crate::help::general()));
        }
        return fail(None, format!("no command given: use one of {}", names()));
    };
    if command == Command::Help {
        return match args.files.first().map(|f| f.to_string_lossy()) {
            None => Ok(Parsed::Say(crate::help::general())),
            Some(word) => match Command::named(&word) {
                Some(c) => Ok(Parsed::Say(crate::help::of(c))),
                None => fail(Some(command), expected_one_of(&[names()], &word)),
            },
        };
    }
    if asks_help {
        return Ok(Parsed::Say(crate::help::of(command)));
    }
    if let Some(message) = foreign_option(command, &taken) {
        return fail(Some(command), message);
    }
    args.command = command;
    match args.complete() {
        Ok(()) => Ok(Parsed::Run(Box::new(args))),
        Err(message) => {
            let name = command.topic().name;
            fail(Some(command), format!("{name}: {message}"))
        }
    }
}

/// That one of the options belongs to other commands.
fn foreign_option(command: Command, taken: &[usize]) -> Option<String> {
    let foreign = taken.iter().map(|at| &OPTIONS[*at]).find(|o| !o.of.contains(&command))?;
    let of: Vec<&str> = foreign.of.iter().map(|c| c.topic().name).collect();
    let name = command.topic().name;
    Some(format!("{name} has no option --{}; it belongs to {}", foreign.long, of.join(", ")))
}

/// Checks the text of `--device`. A name that the catalogue does not know may be one that a file
/// defines: that shows when the files are read.
fn device(text: String) -> Result<String, String> {
    match hardware::match_name(&text) {
        NameMatch::Exact(d) | NameMatch::Alias(d) => Ok(d.id.clone()),
        NameMatch::Ambiguous(several) => {
            let ids: Vec<&str> = several.iter().map(|d| d.id.as_str()).collect();
            Err(format!("--device: several devices match {text}; use one of {}", ids.join(", ")))
        }
        NameMatch::Unknown => Ok(text),
    }
}
