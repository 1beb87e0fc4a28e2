//! The table of commands and options, which the parser reads and the help prints.

use std::fmt::Write;

/// A command.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Command {
    Summary,
    Render,
    Report,
    Replay,
    Page,
    Open,
    Check,
    Dispatch,
    Convert,
    Formats,
    Devices,
    Views,
    Rules,
    #[default]
    Help,
}

/// One command as a user sees it.
#[derive(Debug)]
pub(super) struct Topic {
    pub command: Command,
    pub name: &'static str,
    /// Arguments after its name.
    usage: &'static str,
    /// One line.
    what: &'static str,
    /// More help: lines of up to 96 characters, each with a line end; may be empty.
    more: &'static str,
    examples: &'static [&'static str],
}

use Command::{
    Check, Convert, Devices, Dispatch, Formats, Help, Open, Page, Render, Replay, Report, Rules,
    Summary, Views,
};

/// Every command, in the order of the help.
pub(super) const TOPICS: [Topic; 14] = [
    Topic {
        command: Open,
        name: "open",
        usage: "FILE|FOLDER|-... [--serve]",
        what: "the page with the data inside, in the browser",
        more: "Over ssh, or where no browser can be, it prints the file to copy. --serve offers the page at an\n\
               address of this machine alone, with a path that nobody can guess, until Ctrl-C. Without -o the\n\
               file lies in the folder for temporary files, readable by you alone.\n",
        examples: &[
            "gemmscope open bench.csv --device mi300x",
            "hipblaslt-bench --log 1 | gemmscope open - --device mi300x",
        ],
    },
    Topic {
        command: Summary,
        name: "summary",
        usage: "FILE|FOLDER...",
        what: "rows read, used and skipped; best rate, efficiency, time; one block per file",
        more: "",
        examples: &[
            "gemmscope summary gemm.csv --device mi300x",
            "zcat log.gz | gemmscope summary - --device h100-sxm",
            "gemmscope summary odd.csv --column speed=rate:tflops --answer dtype=bf16",
        ],
    },
    Topic {
        command: Render,
        name: "render",
        usage: "FILE... [-o OUT.svg]",
        what: "a chart as SVG, the same as on the page",
        more: "Text uses the viewer's fonts; a program such as rsvg-convert makes a PNG of it.\n",
        examples: &[
            "gemmscope render bench.csv --view roofline --device mi300x -o roofline.svg",
            "gemmscope render bench.csv --device mi300x --size 1600x900 | rsvg-convert -z 2 -o roofline.png",
        ],
    },
    Topic {
        command: Report,
        name: "report",
        usage: "FILE... [-o gemm_findings.md|OUT.md|.html|.json]",
        what: "the findings as a document",
        more: "-o gemm_findings.md writes the short form used in trace analysis; a TraceLens output folder\n\
               adds call stacks, modules and peaks to it.\n",
        examples: &[
            "gemmscope report bench.csv --device mi300x -o report.html",
            "gemmscope report bench.csv --device mi300x --form json | jq '.findings[].title'",
            "gemmscope report trace_report/ -o gemm_findings.md",
        ],
    },
    Topic {
        command: Replay,
        name: "replay",
        usage: "FILE... [--flagged] -o FOLDER",
        what: "a script per finding or per GEMM that checks the result and times it",
        more: "A PyTorch script for each GEMM, plus the benchmark of the library that ran it, or Triton for a\n\
               Triton kernel. Scripts compare with double precision, exit with 1 on a mismatch and print a\n\
               line of CSV; run_all.sh collects the lines in results.csv, which gemmscope reads.\n",
        examples: &["gemmscope replay trace_report/ --flagged -o replays"],
    },
    Topic {
        command: Page,
        name: "page",
        usage: "FILE... [--app gemmscope.html] -o OUT.html",
        what: "the whole app with data and view in one HTML file that opens from disk",
        more: "The command of a release carries the app; another one takes it from --app: the one-file page of\n\
               a release (or of `make single-file`), or a saved page, whose data is replaced. Files are stored\n\
               unchanged, skipped rows included.\n",
        examples: &[
            "gemmscope page bench.csv --device mi300x -o bench.gemmscope.html",
            "gemmscope page old.csv new.csv --app gemmscope.html --view compare -o compared.html",
        ],
    },
    Topic {
        command: Check,
        name: "check",
        usage: "FILE... [--min-efficiency P] [--baseline OLD.csv [--max-regression P]]",
        what: "limits for continuous integration; exit code 3 if one is broken",
        more: "At least one limit is needed: --min-efficiency or --baseline. A GEMM of the baseline that is not\n\
               measured any more breaks the limit too; --allow-missing lets it pass.\n",
        examples: &[
            "gemmscope check new.csv --device mi300x --min-efficiency 60%",
            "gemmscope check new.csv --baseline old.csv --max-regression 5%",
            "gemmscope check new.csv --baseline old.csv --form markdown >> $GITHUB_STEP_SUMMARY",
        ],
    },
    Topic {
        command: Dispatch,
        name: "dispatch",
        usage: "FILE... [--format csv|tunableop] [-o OUT.csv]",
        what: "best of all sides: what to use for each GEMM, and what that saves",
        more: "Ties of up to 2 % keep the side that is fastest by itself. --format tunableop writes what PyTorch's\n\
               TunableOp loads, from files that it wrote: their Validator lines can't be made up.\n",
        examples: &[
            "gemmscope dispatch hipblaslt.csv rocblas.csv --device mi300x -o dispatch.csv",
            "gemmscope dispatch a/tunableop_results0.csv b/tunableop_results0.csv --format tunableop",
        ],
    },
    Topic {
        command: Convert,
        name: "convert",
        usage: "FILE... -o OUT.csv",
        what: "one long CSV with units in its header, which gemmscope reads back",
        more: "--json writes the same columns as one JSON object.\n",
        examples: &["gemmscope convert log.txt -o long.csv"],
    },
    Topic {
        command: Formats,
        name: "formats",
        usage: "",
        what: "the file formats, for --format",
        more: "",
        examples: &["gemmscope formats"],
    },
    Topic {
        command: Devices,
        name: "devices",
        usage: "",
        what: "the devices, for --device",
        more: "",
        examples: &[
            "gemmscope devices | grep -i h100",
            "gemmscope devices --json | jq '.devices[] | select(.id == \"mi300x\") | .peaks'",
        ],
    },
    Topic {
        command: Views,
        name: "views",
        usage: "",
        what: "the places and their charts, for --view",
        more: "",
        examples: &["gemmscope views"],
    },
    Topic {
        command: Rules,
        name: "rules",
        usage: "",
        what: "the rules behind the findings: what each needs, its threshold, how to confirm it",
        more: "",
        examples: &["gemmscope rules | grep -A 3 layout"],
    },
    Topic {
        command: Help,
        name: "help",
        usage: "[COMMAND]",
        what: "this text, or help for one command",
        more: "",
        examples: &["gemmscope help render"],
    },
];

impl Command {
    /// Its entry. Every command has one; a test checks that.
    pub(super) fn topic(self) -> &'static Topic {
        TOPICS.iter().find(|t| t.command == self).unwrap_or(&TOPICS[TOPICS.len() - 1])
    }

    /// The command with this name.
    pub(super) fn named(name: &str) -> Option<Command> {
        TOPICS.iter().find(|t| t.name == name).map(|t| t.command)
    }

    /// True if it reads files.
    pub(super) fn reads(self) -> bool {
        READING.contains(&self)
    }
}

/// Names of all commands, for messages.
pub(super) fn names() -> String {
    TOPICS.map(|t| t.name).join(", ")
}

/// One option.
#[derive(Debug)]
pub(super) struct Opt {
    pub long: &'static str,
    /// Name of its value; empty for a switch.
    value: &'static str,
    what: &'static str,
    /// Commands that accept it.
    pub of: &'static [Command],
}

/// The option that has a short name, and that name.
pub(super) const SHORT: (char, &str) = ('o', "output");

const READING: &[Command] =
    &[Summary, Render, Report, Replay, Page, Open, Check, Dispatch, Convert];

/// Every option but --help and --version.
pub(super) const OPTIONS: [Opt; 22] = [
    Opt {
        long: "device",
        value: "ID",
        what: "device for files that name none (mi300x, h100-sxm, ...)",
        of: READING,
    },
    Opt {
        long: "format",
        value: "ID",
        what: "read as this format; of dispatch what it writes: csv, tunableop",
        of: READING,
    },
    Opt {
        long: "column",
        value: "NAME=WHAT",
        what: "what a column is: --column speed=rate:tflops (m, n, k, time:us, ...)",
        of: READING,
    },
    Opt {
        long: "answer",
        value: "KEY=VALUE",
        what: "correct an assumption: --answer dtype=bf16",
        of: READING,
    },
    Opt {
        long: "memory",
        value: "SIZE",
        what: "most that a packed file may take, unpacked and as rows (1GiB)",
        of: READING,
    },
    Opt {
        long: "rows",
        value: "KIND",
        what: "what the rows are, instead of guessing: workload, benchmark, sweep, sides",
        of: &[Summary, Render, Report, Replay, Page, Open, Check, Dispatch],
    },
    Opt {
        long: "state",
        value: "LINK",
        what: "filters and view of this link (or the text after its #)",
        of: &[Render, Report, Replay, Page, Open, Check, Dispatch],
    },
    Opt {
        long: "view",
        value: "V",
        what: "place or chart (default: by the data; see `gemmscope views`)",
        of: &[Render, Page, Open],
    },
    Opt { long: "theme", value: "T", what: "light or dark (light)", of: &[Render] },
    Opt {
        long: "size",
        value: "WxH",
        what: "size in CSS pixels; the height is optional (960)",
        of: &[Render],
    },
    Opt {
        long: "form",
        value: "F",
        what: "report: markdown, html, json, summary (short); check: text, markdown, json",
        of: &[Report, Check],
    },
    Opt {
        long: "flagged",
        value: "",
        what: "only the bottlenecks of gemm_findings.md",
        of: &[Replay],
    },
    Opt {
        long: "app",
        value: "FILE",
        what: "the one-file page to put the data into (default: the one in a release's command)",
        of: &[Page, Open],
    },
    Opt {
        long: "serve",
        value: "",
        what: "offer the page at a loopback address until Ctrl-C, instead of a file",
        of: &[Open],
    },
    Opt { long: "port", value: "N", what: "port of --serve (any free one)", of: &[Open] },
    Opt {
        long: "json",
        value: "",
        what: "the result as JSON, where it has that form, and messages as one JSON object a line",
        of: &[Summary, Render, Report, Replay, Page, Open, Check, Dispatch, Convert, Devices],
    },
    Opt {
        long: "min-efficiency",
        value: "P",
        what: "minimum time-weighted efficiency of all rows: 60% or 0.6",
        of: &[Check],
    },
    Opt { long: "each", value: "", what: "apply it to each row instead", of: &[Check] },
    Opt {
        long: "baseline",
        value: "FILE",
        what: "compare with this file, GEMM by GEMM",
        of: &[Check],
    },
    Opt {
        long: "max-regression",
        value: "P",
        what: "maximum slowdown of a GEMM: 5% (the default) or 0.05",
        of: &[Check],
    },
    Opt {
        long: "allow-missing",
        value: "",
        what: "GEMMs of the baseline may be missing",
        of: &[Check],
    },
    Opt {
        long: "output",
        value: "FILE",
        what: "output file (- is standard output); a folder for replay",
        of: &[Render, Report, Replay, Page, Open, Dispatch, Convert],
    },
];

impl Opt {
    fn line(&self, out: &mut String) {
        let short = if self.long == SHORT.1 { format!("-{}, ", SHORT.0) } else { "    ".into() };
        let name = format!("{short}--{} {}", self.long, self.value);
        let _ = writeln!(out, "  {name:<25} {}", self.what);
    }
}

const FILES: &str = "\
FILE is a CSV, log or JSON file of a GEMM benchmark, plain or gzip, or a folder, whose readable
files are all read; - reads standard input. A JSON file that describes a device may be among the
files; --device can then name it.
";

const CODES: &str = "\
Exit codes: 0 success, 1 a file could not be read, written or judged, 2 wrong usage, 3 a limit
of `check` is broken.
";

/// `gemmscope --help`.
pub(super) fn general() -> String {
    let mut out = String::from(
        "gemmscope: see every GEMM of a benchmark file against its roofline\n\nUsage:\n",
    );
    for t in &TOPICS {
        let _ = writeln!(out, "  {}", format!("gemmscope {} {}", t.name, t.usage).trim_end());
    }
    out.push_str("\nCommands:\n");
    for t in &TOPICS {
        let _ = writeln!(out, "  {:<10} {}", t.name, t.what);
    }
    let _ = write!(
        out,
        "\n`gemmscope COMMAND --help` has the options and examples of each.\n\n{FILES}\nExamples:\n"
    );
    for t in TOPICS.iter().filter(|t| t.command.reads()) {
        let _ = writeln!(out, "  {}", t.examples[0]);
    }
    let _ = write!(
        out,
        "\n  -h, --help                this text\n  -V, --version             the version\n\n{CODES}"
    );
    out
}

/// `gemmscope COMMAND --help`.
pub(super) fn of(command: Command) -> String {
    let t = command.topic();
    let usage = format!("gemmscope {} {}", t.name, t.usage);
    let mut out = format!("gemmscope {}: {}\n\nUsage: {}", t.name, t.what, usage.trim_end());
    let options: Vec<&Opt> = OPTIONS.iter().filter(|o| o.of.contains(&command)).collect();
    out.push_str(if options.is_empty() { "\n" } else { " [options]\n" });
    for part in [if command.reads() { FILES } else { "" }, t.more] {
        if !part.is_empty() {
            let _ = write!(out, "\n{part}");
        }
    }
    if !options.is_empty() {
        out.push_str("\nOptions:\n");
        options.iter().for_each(|o| o.line(&mut out));
    }
    out.push_str("\nExamples:\n");
    for e in t.examples {
        let _ = writeln!(out, "  {e}");
    }
    if command.reads() {
        let _ = write!(out, "\n{CODES}");
    }
    out
}
