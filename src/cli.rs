//! The native `gemmscope` command: the same readers and figures as the page, for scripts.

mod check;
mod load;
mod render;

use crate::dataset::Dataset;
use crate::export;
use crate::hardware::{self, Device, NameMatch, RoofKind};
use crate::import::{FORMATS, ImportError, ImportOptions, Imported, Session};
use crate::metrics::{DeviceChoice, Metrics};
use crate::picture;
use crate::summary::Summary;
use crate::units::{FlopsPerSec, Seconds};
use check::Outcome;
use std::ffi::OsString;
use std::io::{Read, Write};
use std::process::ExitCode;

const HELP: &str = "\
gemmscope: see every GEMM of a benchmark file against its roofline

Usage:
  gemmscope summary FILE... [--device ID] [--json]
  gemmscope render FILE... [--view V] [--device ID] [--theme dark] [-o OUT.svg]
  gemmscope report FILE... [--device ID] [--form F] [-o OUT.md|.html|.json]
  gemmscope check FILE... [--min-efficiency 60%] [--baseline OLD.csv --max-regression 5%]
  gemmscope convert FILE... -o OUT.csv [--device ID]
  gemmscope formats | devices | views

FILE is a CSV, log or JSON file of a GEMM benchmark, plain or gzip; - reads standard input. A JSON
file that describes a device may stand among the files.

Commands:
  summary    rows read, used and set aside; best rate, efficiency, time; one block a file
  render     a view as SVG, the same picture as on the page
  report     the findings as a document
  check      limits for continuous integration; exit code 3 where one is broken
  convert    one long CSV with units in its header, which gemmscope reads back
  formats    what is read
  devices    the devices that --device takes
  views      the views that --view takes

Reading:
      --device ID          device of rows whose file does not name one (mi300x, h100-sxm, ...)
      --format ID          read as this format instead of guessing
      --column NAME=WHAT   what a column holds: --column speed=rate:tflops (m, n, k, time:us, ...)
      --answer KEY=VALUE   answer to an assumption: --answer dtype=bf16
      --state LINK         look at what this link (or the text after its #) looks at: filters, view

Writing:
  -o, --output FILE        where to write (- is standard output)
      --json               summary: one JSON object a file, one a line
      --view V             render, report: which view (roofline)
      --theme T            render: light or dark (light)
      --size WxH           render: CSS pixels; the height may be left out (960)
      --form F             report: markdown, html, json or summary (the findings in short); else
                           by the output's name

Checking:
      --min-efficiency P   least share of the roof, of all rows weighted by time: 60% or 0.6
      --each               hold every single row to it instead
      --baseline FILE      compare with this file, GEMM by GEMM
      --max-regression P   most that a GEMM may take longer than there: 5% (the default) or 0.05

  -h, --help               this text
  -V, --version            the version

Examples:
  gemmscope summary gemm.csv --device mi300x
  gemmscope summary results/*.csv --json | jq .max_tflops
  zcat log.gz | gemmscope summary - --device h100-sxm
  gemmscope render bench.csv --view roofline --device mi300x -o roofline.svg
  gemmscope render bench.csv --state 'https://host/gemmscope/#v=1&f.dtype=bf16' --theme dark -o dark.svg
  gemmscope report bench.csv --device mi300x -o report.html
  gemmscope check new.csv --device mi300x --min-efficiency 60% --baseline old.csv --max-regression 5%
  gemmscope convert log.txt -o long.csv

Exit codes: 0 done and all limits held, 1 a file could not be read, written or judged, 2 wrong
usage, 3 a limit of `check` is broken.
";

/// Runs the command with the process's arguments.
pub fn main() -> ExitCode {
    let mut out = std::io::stdout().lock();
    let mut err = std::io::stderr().lock();
    let code = run(
        std::env::args_os().skip(1),
        &mut std::io::stdin().lock(),
        &mut out,
        &mut err,
    );
    ExitCode::from(code)
}

/// Runs the command; gives the exit code. Arguments without the program's name.
pub fn run(
    args: impl IntoIterator<Item = OsString>,
    stdin: &mut dyn Read,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> u8 {
    let args = match parse(args) {
        Ok(args) => args,
        Err(message) => {
            let _ = writeln!(err, "gemmscope: {message}\nTry `gemmscope --help`.");
            return 2;
        }
    };
    let result = match args.command {
        Command::Help => out.write_all(HELP.as_bytes()).map(|()| true),
        Command::Version => writeln!(out, "gemmscope {}", env!("CARGO_PKG_VERSION")).map(|()| true),
        Command::Formats => formats(out).map(|()| true),
        Command::Devices => devices(out).map(|()| true),
        Command::Views => views(out).map(|()| true),
        Command::Summary => summary(&args, stdin, out, err),
        Command::Convert => convert(&args, stdin, out, err),
        Command::Render => render::render(&args, stdin, out, err),
        Command::Report => render::report(&args, stdin, out, err),
        Command::Check => match check::check(&args, stdin, out, err) {
            Ok(Outcome::Broken) => return 3,
            other => other.map(|o| o == Outcome::Held),
        },
    };
    match result.and_then(|ok| out.flush().map(|()| ok)) {
        Ok(true) => 0,
        Ok(false) => 1,
        // The reader of a pipe went away (`| head`): no fault of the files.
        Err(e) if e.kind() == std::io::ErrorKind::BrokenPipe => 0,
        Err(e) => {
            let _ = writeln!(err, "gemmscope: cannot write: {e}");
            1
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Command {
    Help,
    Version,
    Summary,
    Convert,
    Formats,
    Devices,
    Views,
    Render,
    Report,
    Check,
}

impl Command {
    /// Those that a user names.
    const NAMED: [(&str, Command); 9] = [
        ("summary", Command::Summary),
        ("render", Command::Render),
        ("report", Command::Report),
        ("check", Command::Check),
        ("convert", Command::Convert),
        ("formats", Command::Formats),
        ("devices", Command::Devices),
        ("views", Command::Views),
        ("help", Command::Help),
    ];

    fn names() -> String {
        let names: Vec<&str> = Command::NAMED.iter().map(|c| c.0).collect();
        names.join(", ")
    }

    fn reads(self) -> bool {
        use Command::{Check, Convert, Render, Report, Summary};
        matches!(self, Summary | Convert | Render | Report | Check)
    }
}

#[derive(Debug)]
struct Args {
    command: Command,
    files: Vec<OsString>,
    device: Option<String>,
    json: bool,
    output: Option<OsString>,
    options: ImportOptions,
    view: Option<String>,
    state: Option<String>,
    dark: bool,
    /// Width and height in CSS pixels; no height is the view's own.
    size: (f64, Option<f64>),
    form: Option<String>,
    min_efficiency: Option<f64>,
    each: bool,
    baseline: Option<OsString>,
    max_regression: Option<f64>,
}

/// `60%` or `0.6`.
fn share(option: &str, text: &str) -> Result<f64, String> {
    let (digits, scale) = match text.trim().strip_suffix('%') {
        Some(digits) => (digits.trim(), 0.01),
        None => (text.trim(), 1.0),
    };
    match digits.parse::<f64>() {
        Ok(v) if v.is_finite() && v >= 0.0 && (scale < 1.0 || v <= 1.0) => Ok(v * scale),
        _ => Err(format!(
            "{option}: expected a share such as 60% or 0.6: {text}"
        )),
    }
}

/// `960x600` or `960`.
fn size(text: &str) -> Result<(f64, Option<f64>), String> {
    let side = |t: &str| {
        t.parse::<f64>()
            .ok()
            .filter(|v| (100.0..=8192.0).contains(v))
            .ok_or_else(|| format!("--size: expected WIDTHxHEIGHT, 100 to 8192 each: {text}"))
    };
    match text.split_once('x') {
        Some((w, h)) => Ok((side(w)?, Some(side(h)?))),
        None => Ok((side(text)?, None)),
    }
}

fn parse(args: impl IntoIterator<Item = OsString>) -> Result<Args, String> {
    use lexopt::prelude::{Long, Short, Value};
    let mut parser = lexopt::Parser::from_args(args);
    let mut command = None;
    let mut parsed = Args {
        command: Command::Help,
        files: Vec::new(),
        device: None,
        json: false,
        output: None,
        options: ImportOptions::default(),
        view: None,
        state: None,
        dark: false,
        size: (960.0, None),
        form: None,
        min_efficiency: None,
        each: false,
        baseline: None,
        max_regression: None,
    };
    let text = |value: Result<OsString, lexopt::Error>| -> Result<String, String> {
        value
            .map_err(|e| e.to_string())?
            .into_string()
            .map_err(|v| format!("expected text: {}", v.to_string_lossy()))
    };
    let pair = |value: String| -> Result<(String, String), String> {
        value
            .rsplit_once('=')
            .map(|(k, v)| (k.to_owned(), v.to_owned()))
            .ok_or_else(|| format!("expected NAME=VALUE: {value}"))
    };
    while let Some(arg) = parser.next().map_err(|e| e.to_string())? {
        match arg {
            Short('h') | Long("help") => {
                parsed.command = Command::Help;
                return Ok(parsed);
            }
            Short('V') | Long("version") => {
                parsed.command = Command::Version;
                return Ok(parsed);
            }
            Long("device") => parsed.device = Some(text(parser.value())?),
            Long("json") => parsed.json = true,
            Long("format") => parsed.options.format = Some(text(parser.value())?),
            Long("column") => {
                let (name, what) = pair(text(parser.value())?)?;
                what.parse::<crate::import::Target>()
                    .map_err(|e| e.to_string())?;
                parsed.options.columns.insert(name, what);
            }
            Long("answer") => {
                let (key, value) = pair(text(parser.value())?)?;
                parsed.options.answers.insert(key, value);
            }
            Long("view") => parsed.view = Some(text(parser.value())?),
            Long("state") => parsed.state = Some(text(parser.value())?),
            Long("theme") => {
                let theme = text(parser.value())?;
                parsed.dark = match theme.as_str() {
                    "dark" => true,
                    "light" => false,
                    _ => return Err(format!("--theme: expected light or dark: {theme}")),
                };
            }
            Long("size") => parsed.size = size(&text(parser.value())?)?,
            Long("form") => {
                let form = text(parser.value())?;
                if !render::FORMS.contains(&form.as_str()) {
                    let forms = render::FORMS.join(", ");
                    return Err(format!("--form: expected one of {forms}: {form}"));
                }
                parsed.form = Some(form);
            }
            Long("min-efficiency") => {
                let value = text(parser.value())?;
                parsed.min_efficiency = Some(share("--min-efficiency", &value)?);
            }
            Long("max-regression") => {
                let value = text(parser.value())?;
                parsed.max_regression = Some(share("--max-regression", &value)?);
            }
            Long("each") => parsed.each = true,
            Long("baseline") => {
                parsed.baseline = Some(parser.value().map_err(|e| e.to_string())?);
            }
            Short('o') | Long("output") => {
                parsed.output = Some(parser.value().map_err(|e| e.to_string())?);
            }
            Value(word) if command.is_none() => {
                let named = Command::NAMED.iter().find(|c| word == c.0);
                command = Some(
                    named
                        .ok_or_else(|| {
                            let names = Command::names();
                            format!("expected one of {names}: {}", word.to_string_lossy())
                        })?
                        .1,
                );
            }
            Value(file) => parsed.files.push(file),
            other => return Err(other.unexpected().to_string()),
        }
    }
    let Some(command) = command else {
        return Err(format!("expected a command: {}", Command::names()));
    };
    parsed.command = command;
    if command.reads() && parsed.files.is_empty() {
        return Err("expected a file (or - for standard input)".into());
    }
    if command == Command::Convert && parsed.output.is_none() {
        return Err("convert: expected -o OUT.csv".into());
    }
    let checks = parsed.min_efficiency.is_some() || parsed.baseline.is_some();
    if command == Command::Check && !checks {
        return Err("check: expected a limit, --min-efficiency or --baseline".into());
    }
    if parsed.max_regression.is_some() && parsed.baseline.is_none() {
        return Err("--max-regression: expected --baseline FILE to compare with".into());
    }
    if let Some(view) = &parsed.view
        && !picture::views().iter().any(|v| v.0 == view)
    {
        let ids: Vec<&str> = picture::views().iter().map(|v| v.0).collect();
        return Err(format!(
            "--view: expected one of {}: {view}",
            ids.join(", ")
        ));
    }
    if let Some(id) = &parsed.options.format
        && !FORMATS.iter().any(|f| f.id == id)
    {
        let ids: Vec<&str> = FORMATS.iter().map(|f| f.id).collect();
        return Err(format!(
            "--format: expected one of {}: {id}",
            ids.join(", ")
        ));
    }
    if let Some(id) = &parsed.device {
        parsed.device = Some(device_id(id)?);
    }
    if let Some(id) = &parsed.device {
        let answers = &mut parsed.options.answers;
        answers.entry("device".into()).or_insert_with(|| id.clone());
    }
    Ok(parsed)
}

/// A catalogue id from what was typed: an id or a name.
fn device_id(text: &str) -> Result<String, String> {
    match hardware::match_name(text) {
        NameMatch::Exact(d) | NameMatch::Alias(d) => Ok(d.id.clone()),
        NameMatch::Ambiguous(several) => {
            let ids: Vec<&str> = several.iter().map(|d| d.id.as_str()).collect();
            Err(format!(
                "--device: several devices have this name, expected one of {}: {text}",
                ids.join(", ")
            ))
        }
        _ => Err(format!(
            "--device: expected an id that `gemmscope devices` lists: {text}"
        )),
    }
}

/// Name for messages.
fn name_of(file: &OsString) -> String {
    if file == "-" {
        return "standard input".into();
    }
    std::path::Path::new(file)
        .file_name()
        .unwrap_or(file)
        .to_string_lossy()
        .into_owned()
}

fn read(
    file: &OsString,
    options: &ImportOptions,
    stdin: &mut dyn Read,
) -> Result<Imported, ImportError> {
    let failed = |e: std::io::Error| ImportError::new(format!("cannot be read: {e}"));
    let mut opened;
    let source: &mut dyn Read = if file == "-" {
        stdin
    } else {
        opened = std::fs::File::open(file).map_err(failed)?;
        &mut opened
    };
    let name = if file == "-" {
        String::new()
    } else {
        name_of(file)
    };
    let mut session = Session::new(&name, options.clone());
    let mut buffer = vec![0; 1 << 18];
    loop {
        match source.read(&mut buffer) {
            Ok(0) => return session.finish(),
            Ok(n) => session.feed(&buffer[..n])?,
            Err(e) if e.kind() == std::io::ErrorKind::Interrupted => {}
            Err(e) => return Err(failed(e)),
        }
    }
}

fn metrics_of(data: &Dataset, device: &Option<String>, custom: &[Device]) -> Metrics {
    let choice = DeviceChoice {
        default: device.clone(),
        ..DeviceChoice::default()
    };
    let devices = choice.resolve(&data.devices, custom);
    Metrics::compute(data, devices, RoofKind::default())
}

fn summary(
    args: &Args,
    stdin: &mut dyn Read,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> std::io::Result<bool> {
    let mut ok = true;
    let mut custom: Vec<Device> = Vec::new();
    for file in &args.files {
        match read(file, &args.options, stdin) {
            Ok(Imported::Table(data)) => {
                let metrics = metrics_of(&data, &args.device, &custom);
                for s in Summary::all(&data, &metrics) {
                    if args.json {
                        writeln!(out, "{}", serde_json::to_string(&s)?)?;
                    } else {
                        print_summary(out, &s)?;
                    }
                }
            }
            Ok(Imported::Devices(devices)) => {
                let names: Vec<&str> = devices.iter().map(|d| d.name.as_str()).collect();
                if args.json {
                    let object =
                        serde_json::json!({ "file": name_of(file), "devices_defined": names });
                    writeln!(out, "{object}")?;
                } else {
                    writeln!(out, "{}: defines {}", name_of(file), names.join(", "))?;
                }
                custom.extend(devices);
            }
            Ok(Imported::Context(_)) => {
                let what = "says what surrounds a table: it belongs to the one beside it";
                if args.json {
                    let object = serde_json::json!({ "file": name_of(file), "context": what });
                    writeln!(out, "{object}")?;
                } else {
                    writeln!(out, "{}: {what}", name_of(file))?;
                }
            }
            Err(e) => {
                ok = false;
                if args.json {
                    let object =
                        serde_json::json!({ "file": name_of(file), "error": e.to_string() });
                    writeln!(out, "{object}")?;
                } else {
                    writeln!(err, "gemmscope: {}: {e}", name_of(file))?;
                }
            }
        }
    }
    Ok(ok)
}

fn print_summary(out: &mut dyn Write, s: &Summary) -> std::io::Result<()> {
    let or = |v: Option<String>| v.unwrap_or_else(|| "not known".into());
    let percent = |v: Option<f64>| or(v.map(|v| format!("{:.1} %", v * 100.0)));
    let file = if s.file.is_empty() {
        "standard input"
    } else {
        &s.file
    };
    writeln!(out, "{file}")?;
    writeln!(
        out,
        "  format               {} ({})",
        s.format, s.format_reason
    )?;
    writeln!(
        out,
        "  rows                 {} read, {} used, {} set aside",
        s.rows_read, s.rows_used, s.rows_set_aside
    )?;
    for (reason, count) in &s.set_aside {
        writeln!(out, "    set aside          {count} x {reason}")?;
    }
    for a in &s.assumptions {
        writeln!(out, "  assumed              {}", a.text)?;
    }
    for n in &s.notes {
        writeln!(out, "  note                 {n}")?;
    }
    let devices = if s.devices.is_empty() {
        "not stated (choose one with --device)".to_owned()
    } else {
        s.devices.join(", ")
    };
    writeln!(out, "  devices              {devices}")?;
    writeln!(out, "  data types           {}", s.dtypes.join(", "))?;
    let rate = s.max_tflops.map(|v| FlopsPerSec(v * 1e12).to_string());
    writeln!(out, "  highest rate         {}", or(rate))?;
    writeln!(out, "  highest efficiency   {}", percent(s.max_efficiency))?;
    let above = s.rows_above_roof.map(|v| v.to_string());
    writeln!(out, "  rows above the roof  {}", or(above))?;
    let time = s.total_time_s.map(|v| Seconds(v).to_string());
    writeln!(out, "  total time           {}", or(time))?;
    writeln!(
        out,
        "  weighted efficiency  {}",
        percent(s.weighted_efficiency)
    )?;
    writeln!(
        out,
        "  memory bound         {} of the time",
        percent(s.share_memory_bound)
    )?;
    if s.reported_rate.compared > 0 {
        writeln!(
            out,
            "  file's own rates     {} of {} within 1 %",
            s.reported_rate.within_1_percent, s.reported_rate.compared
        )?;
    }
    writeln!(out)
}

fn convert(
    args: &Args,
    stdin: &mut dyn Read,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> std::io::Result<bool> {
    let mut all = Dataset::new();
    let mut ok = true;
    for file in &args.files {
        match read(file, &args.options, stdin) {
            Ok(Imported::Table(data)) => {
                let set_aside: u64 = data.sources.iter().map(|s| s.set_aside.total()).sum();
                if set_aside > 0 {
                    writeln!(
                        err,
                        "gemmscope: {}: {set_aside} rows set aside (see `gemmscope summary`)",
                        name_of(file)
                    )?;
                }
                all.append(*data);
            }
            Ok(_) => {
                ok = false;
                writeln!(err, "gemmscope: {}: has no rows to convert", name_of(file))?;
            }
            Err(e) => {
                ok = false;
                writeln!(err, "gemmscope: {}: {e}", name_of(file))?;
            }
        }
    }
    if all.is_empty() {
        return Ok(false);
    }
    let mut file;
    let target: &mut dyn Write = match args.output.as_deref() {
        Some(path) if path != "-" => match std::fs::File::create(path) {
            Ok(created) => {
                file = created;
                &mut file
            }
            Err(e) => {
                writeln!(
                    err,
                    "gemmscope: {}: cannot be written: {e}",
                    path.to_string_lossy()
                )?;
                return Ok(false);
            }
        },
        _ => out,
    };
    let writer = export::CsvWriter::new(&all, None);
    target.write_all(writer.header().as_bytes())?;
    for start in (0..all.len()).step_by(10_000) {
        let end = (start + 10_000).min(all.len());
        target.write_all(writer.rows(start..end).as_bytes())?;
    }
    target.flush()?;
    Ok(ok)
}

fn formats(out: &mut dyn Write) -> std::io::Result<()> {
    for f in FORMATS {
        writeln!(out, "{:<18} {}; {}", f.id, f.name, f.produced_by)?;
    }
    Ok(())
}

fn devices(out: &mut dyn Write) -> std::io::Result<()> {
    for d in hardware::catalog() {
        writeln!(out, "{:<18} {}", d.id, d.name)?;
    }
    Ok(())
}

fn views(out: &mut dyn Write) -> std::io::Result<()> {
    for (id, hint) in picture::views() {
        writeln!(out, "{id:<18} {hint}")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(args: &[&str], stdin: &str) -> (u8, String, String) {
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let code = run(
            args.iter().map(OsString::from),
            &mut stdin.as_bytes(),
            &mut out,
            &mut err,
        );
        (
            code,
            String::from_utf8(out).unwrap(),
            String::from_utf8(err).unwrap(),
        )
    }

    const FILE: &str =
        "M,N,K,dtype,time_us,tflops\n4096,4096,4096,fp16,690,199.2\n1,2,3,fp16,0,0\n";

    #[test]
    fn summary_as_json() {
        let (code, out, err) = command(&["summary", "-", "--json", "--device", "mi300x"], FILE);
        assert_eq!((code, err.as_str()), (0, ""));
        let v: serde_json::Value = serde_json::from_str(&out).unwrap();
        assert_eq!(v["rows_read"], 2);
        assert_eq!(v["rows_used"], 1);
        assert_eq!(v["set_aside"]["time is zero (time_us)"], 1);
        assert_eq!(v["reported_rate"]["within_1_percent"], 1);
        assert!((v["max_tflops"].as_f64().unwrap() - 199.186).abs() < 1e-2);
        assert!(v["max_efficiency"].as_f64().unwrap() > 0.1);
        let (_, out, _) = command(&["summary", "-", "--json"], FILE);
        let v: serde_json::Value = serde_json::from_str(&out).unwrap();
        assert!(v["max_efficiency"].is_null() && v["rows_above_roof"].is_null());
        assert_eq!(v["dtypes"][0], "fp16");
    }

    #[test]
    fn a_file_that_cannot_be_read_is_code_1_and_an_object() {
        let (code, out, _) = command(&["summary", "-", "--json"], "");
        assert_eq!(code, 1);
        let v: serde_json::Value = serde_json::from_str(&out).unwrap();
        assert_eq!(v["error"], "the file is empty");
        let (code, out, err) = command(&["summary", "/no/such/file"], "");
        assert_eq!((code, out.as_str()), (1, ""));
        assert!(err.contains("cannot be read"), "{err}");
    }

    #[test]
    fn wrong_usage_is_code_2() {
        for args in [
            &["summary"][..],
            &["frobnicate"],
            &[],
            &["summary", "-", "--device", "quux"],
            &["summary", "-", "--format", "quux"],
            &["summary", "-", "--column", "a=quux"],
            &["convert", "-"],
            &["summary", "-", "--nope"],
        ] {
            let (code, _, err) = command(args, FILE);
            assert_eq!(code, 2, "{args:?}");
            assert!(err.contains("--help"), "{err}");
        }
        assert_eq!(command(&["--help"], "").0, 0);
        assert_eq!(command(&["formats"], "").0, 0);
        assert_eq!(command(&["devices"], "").0, 0);
    }

    #[test]
    fn render_draws_a_view_by_device_theme_and_link() {
        let (code, light, err) = command(&["render", "-", "--device", "mi300x"], FILE);
        assert_eq!(code, 0, "{err}");
        assert!(err.contains("1 rows set aside"), "{err}");
        assert!(light.starts_with("<svg ") && light.contains("MI300X"));
        assert!(light.contains("fp16 (1)"), "a legend with counts");
        let dark = ["render", "-", "--device", "mi300x", "--theme", "dark"];
        assert_ne!(command(&dark, FILE).1, light);
        let (code, none, _) = command(
            &[
                "render",
                "-",
                "--state",
                "https://x.example/#v=1&f.dtype=bf16",
            ],
            FILE,
        );
        assert_eq!(code, 0);
        assert!(!none.contains("fp16 (1)"));
        for (view, _) in picture::views() {
            let (code, svg, err) = command(
                &[
                    "render", "-", "--view", view, "--device", "mi300x", "--size", "640",
                ],
                FILE,
            );
            assert_eq!(code, 0, "{view}: {err}");
            assert!(svg.ends_with("</svg>\n"), "{view}");
        }
        assert_eq!(command(&["render", "-", "--view", "quux"], FILE).0, 2);
        assert_eq!(command(&["render", "-"], "").0, 1);
    }

    #[test]
    fn report_in_every_form() {
        let form = |f: &str| {
            let (code, text, err) =
                command(&["report", "-", "--device", "mi300x", "--form", f], FILE);
            assert_eq!(code, 0, "{f}: {err}");
            text
        };
        assert!(form("markdown").starts_with('#'));
        assert!(form("summary").starts_with("# GEMM Analysis Summary"));
        assert!(form("html").contains("data:image/svg+xml,"));
        let v: serde_json::Value = serde_json::from_str(&form("json")).unwrap();
        assert_eq!(v["schema"], "gemmscope/report/1");
        assert_eq!(command(&["report", "-", "--form", "pdf"], FILE).0, 2);
    }

    #[test]
    fn check_says_by_its_code_whether_the_limits_hold() {
        let least = |p: &str| {
            let args = ["check", "-", "--device", "mi300x", "--min-efficiency", p];
            command(&args, FILE)
        };
        // 199.2 of 1307.4 TFLOP/s.
        assert_eq!(least("15%").0, 0);
        assert_eq!(least("0.15").0, 0);
        let (code, out, _) = least("16%");
        assert_eq!(code, 3);
        assert!(out.starts_with("FAIL") && out.contains("4096"), "{out}");
        let (code, _, err) = command(&["check", "-", "--min-efficiency", "16%"], FILE);
        assert_eq!(code, 1);
        assert!(err.contains("--device"), "{err}");
        assert_eq!(least("16").0, 2);

        let path = std::env::temp_dir().join(format!("gemmscope-base-{}.csv", std::process::id()));
        std::fs::write(&path, FILE.replace("690", "660")).unwrap();
        let base = path.to_str().unwrap();
        let against = |p: &str| {
            command(
                &["check", "-", "--baseline", base, "--max-regression", p],
                FILE,
            )
        };
        // 690 after 660 is 4.5 % longer.
        assert_eq!(against("5%").0, 0);
        let (code, out, _) = against("4%");
        assert_eq!(code, 3);
        assert!(out.contains("+4.5 %") && out.contains("660"), "{out}");
        let other = FILE.replace("4096,4096,4096", "64,64,64");
        let (code, _, err) = command(&["check", "-", "--baseline", base], &other);
        std::fs::remove_file(&path).unwrap();
        assert_eq!(code, 1);
        assert!(err.contains("share no GEMM"), "{err}");
        assert_eq!(command(&["check", "-"], FILE).0, 2);
        assert_eq!(
            command(&["check", "-", "--max-regression", "4%"], FILE).0,
            2
        );
    }

    #[test]
    fn convert_writes_what_summary_reads() {
        let (code, out, _) = command(&["convert", "-", "-o", "-"], FILE);
        assert_eq!(code, 0);
        let (code, again, _) = command(&["summary", "-", "--json"], &out);
        assert_eq!(code, 0, "{again}");
        let v: serde_json::Value = serde_json::from_str(&again).unwrap();
        assert_eq!(
            (&v["rows_used"], &v["format"]),
            (&1.into(), &"generic".into())
        );
    }
}
