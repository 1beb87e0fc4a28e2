//! The command line: rejected input; help and documentation show what works.

use super::{FILE, command};
use crate::command_line::{CommandLine, parse};
use clap::CommandFactory;
use std::ffi::OsString;
use std::path::Path;

/// The words of the first gemmscope command in a line, as a shell would split it.
fn words(line: &str) -> Vec<OsString> {
    let own = &line[line.find("gemmscope ").unwrap()..];
    let (mut words, mut word, mut quoted) = (Vec::new(), String::new(), false);
    for c in own.chars() {
        match c {
            '\'' => quoted = !quoted,
            ' ' if !quoted => words.push(std::mem::take(&mut word)),
            c => word.push(c),
        }
    }
    words.push(word);
    let ends = |w: &String| matches!(w.as_str(), "|" | ">" | ">>" | "#" | "2>" | "&&");
    let own = words.iter().skip(1).take_while(|w| !ends(w));
    let mut words: Vec<OsString> = own.filter(|w| !w.is_empty()).map(OsString::from).collect();
    // Needed in a build without a page.
    let takes_page = words.first().is_some_and(|w| w == "page" || w == "open");
    if takes_page && !words.iter().any(|w| w == "--app") {
        words.extend(["--app", "gemmscope.html"].map(OsString::from));
    }
    words
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
    assert_eq!(command(&["formats"], "").0, 0);
    assert_eq!(command(&["devices"], "").0, 0);
}

/// Golden file with the help of all commands, so that changes can be reviewed.
const HELP: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/help.txt");

#[test]
fn help_is_as_kept_and_its_examples_parse() {
    let (code, all, _) = command(&["--help"], "");
    assert_eq!(code, 0);
    assert_eq!(command(&["help"], "").1, all);
    let mut texts = all;
    for of in CommandLine::command().get_subcommands() {
        let name = of.get_name();
        let (code, text, err) = command(&[name, "--help"], "");
        assert_eq!((code, err.as_str()), (0, ""), "{name}");
        assert_eq!(command(&[name, "-h"], "").1, text);
        assert_eq!(command(&["help", name], "").1, text);
        let examples = text.split("Examples:\n").nth(1).unwrap();
        let examples: Vec<&str> = examples.lines().map_while(|l| l.strip_prefix("  ")).collect();
        assert!(!examples.is_empty(), "{name}");
        for e in examples {
            assert!(parse(&words(e)).is_ok(), "{e}");
        }
        texts += &format!("\n{}\n{text}", "-".repeat(80));
    }
    assert!(texts.lines().all(|l| l.chars().count() <= 110), "{texts}");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(HELP, &texts).unwrap();
    }
    assert_eq!(
        texts,
        std::fs::read_to_string(HELP).unwrap(),
        "read it aloud, then UPDATE_GOLDEN=1"
    );
    assert_eq!(command(&["help", "quux"], "").0, 2);
}

#[test]
fn the_command_line_is_sound_and_completes() {
    CommandLine::command().debug_assert();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let (code, script, _) = command(&["completions", shell], "");
        assert_eq!(code, 0);
        for word in ["min-efficiency", "allow-missing"] {
            assert!(script.contains(word), "{shell}: {word}");
        }
    }
    // Values that the help omits.
    let (_, script, _) = command(&["completions", "bash"], "");
    for word in ["tunableop", "h100-sxm", "roofline"] {
        assert!(script.contains(word), "{word}");
    }
}

#[test]
fn an_option_of_another_command_and_a_second_standard_input_are_refused() {
    for (args, wanted) in [
        (
            &["summary", "-", "--view", "roofline"][..],
            "unexpected argument --view; it belongs to open, render, page",
        ),
        (&["render", "-", "--view", "table"], "--view: expected one of summary"),
        (&["render", "-", "--flagged"], "--flagged; it belongs to replay"),
        (&["report", "-", "--min-efficiency", "5%"], "it belongs to check"),
        (&["views", "a.csv"], "unexpected argument a.csv"),
        (&["summary", "-", "-"], "once"),
        (&["check", "-", "--baseline", "-"], "once"),
        (&["check", "-", "--baseline", "a.csv", "--each"], "--min-efficiency"),
        (&["page", "-", "-o", "a.html"], "--app"),
        (&["page", "-", "--app", "a.html"], "missing: --output <OUT.html>"),
        (&["open", "-"], "--app"),
        (&["open", "-", "--app", "a.html", "--port", "80"], "missing: --serve"),
        (&["open", "-", "--app", "a.html", "-o", "-"], "gemmscope page -o -"),
        (&["check", "-", "--form", "html"], "--form: expected one of text"),
        (&["render", "-", "--size", "12"], "WIDTHxHEIGHT"),
        (&["render", "-", "--column", "speed"], "NAME=VALUE"),
        (&["render", "-", "-x"], "-x"),
        (&["render", "-", "--view", "rofline"], "rofline; did you mean roofline?"),
        (&["render", "-", "--theem", "dark"], "--theem; did you mean --theme?"),
        (&["render", "-", "--device", "a100"], "--device: several devices match a100; use one of"),
    ] {
        let (code, out, err) = command(args, FILE);
        assert_eq!((code, out.as_str()), (2, ""), "{args:?}");
        assert!(err.contains(wanted), "{args:?}: {err}");
        let of = if args[0] == "views" { "views" } else { args[0] };
        assert!(err.contains(&format!("gemmscope {of} --help")), "{err}");
    }
}

#[test]
fn every_command_in_the_documentation_parses() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut files = vec![root.join("README.md"), root.join("python/README.md")];
    for folder in ["docs/src", "docs/examples", "scripts", "skills/gemm-analysis"] {
        let entries = std::fs::read_dir(root.join(folder)).unwrap();
        files.extend(entries.map(|e| e.unwrap().path()));
    }
    let mut seen = 0;
    for file in files {
        let kind = file.extension().and_then(|e| e.to_str());
        let Some(kind @ ("md" | "sh")) = kind else {
            continue;
        };
        let mut in_code = kind == "sh";
        for line in std::fs::read_to_string(&file).unwrap().lines() {
            if line.starts_with("```") {
                in_code = !in_code;
            }
            let line = line.trim_start().trim_start_matches("$ ");
            let own = line.starts_with("gemmscope ") || line.contains("| gemmscope ");
            if in_code && own {
                let parsed = parse(&words(line));
                assert!(parsed.is_ok(), "{}: {line}: {parsed:?}", file.display());
                seen += 1;
            }
        }
    }
    assert!(seen > 20, "{seen} commands");
}
