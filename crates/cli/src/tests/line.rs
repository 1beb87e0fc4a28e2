//! The command line: what is refused, and that help and documentation show what works.

use super::{FILE, command};
use crate::help::{OPTIONS, TOPICS};
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
    // A build without the page needs it here.
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

#[test]
fn help_of_every_command_has_its_options_and_an_example_that_parses() {
    let (code, all, _) = command(&["--help"], "");
    assert_eq!(code, 0);
    assert_eq!(command(&["help"], "").1, all);
    for t in &TOPICS {
        assert_eq!(t.command.topic().name, t.name);
        let (code, text, err) = command(&[t.name, "--help"], "");
        assert_eq!((code, err.as_str()), (0, ""), "{}", t.name);
        if t.name != "help" {
            assert_eq!(command(&["help", t.name], "").1, text);
        }
        assert!(all.contains(&format!("gemmscope {}", t.name)));
        let options = text.split("Options:").nth(1).unwrap_or("");
        let options = options.split("Examples:").next().unwrap_or("");
        for o in &OPTIONS {
            let line = format!("--{} ", o.long);
            let says =
                options.lines().any(|l| l.trim_start().starts_with("-") && l.contains(&line));
            assert_eq!(says, o.of.contains(&t.command), "{} {}", t.name, o.long);
        }
        let examples: Vec<&str> = text
            .split("Examples:\n")
            .nth(1)
            .unwrap()
            .lines()
            .map_while(|l| l.strip_prefix("  "))
            .collect();
        assert!(!examples.is_empty(), "{}", t.name);
        for e in examples {
            assert!(crate::args::parse(words(e)).is_ok(), "{e}");
        }
        assert!(text.lines().all(|l| l.chars().count() <= 110), "{text}");
    }
    assert_eq!(command(&["help", "quux"], "").0, 2);
}

#[test]
fn an_option_of_another_command_and_a_second_standard_input_are_refused() {
    for (args, wanted) in [
        (
            &["summary", "-", "--view", "roofline"][..],
            "summary has no option --view; it belongs to render, page, open",
        ),
        (&["render", "-", "--view", "table"], "render: --view: expected one of summary"),
        (&["render", "-", "--flagged"], "render has no option --flagged"),
        (&["report", "-", "--min-efficiency", "5%"], "it belongs to check"),
        (&["views", "a.csv"], "takes no file: a.csv"),
        (&["summary", "-", "-"], "once"),
        (&["check", "-", "--baseline", "-"], "once"),
        (&["check", "-", "--baseline", "a.csv", "--each"], "--min-efficiency"),
        (&["page", "-", "-o", "a.html"], "--app"),
        (&["page", "-", "--app", "a.html"], "-o OUT.html"),
        (&["open", "-"], "--app"),
        (&["open", "-", "--app", "a.html", "--port", "80"], "--port needs --serve"),
        (&["open", "-", "--app", "a.html", "-o", "-"], "gemmscope page -o -"),
        (&["check", "-", "--form", "html"], "--form: expected one of text"),
        (&["render", "-", "--size", "12"], "WIDTHxHEIGHT"),
        (&["render", "-", "--column", "speed"], "NAME=VALUE"),
        (&["render", "-", "-x"], "-x"),
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
    for folder in ["docs/src", "docs/examples", "scripts"] {
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
                let parsed = crate::args::parse(words(line));
                assert!(parsed.is_ok(), "{}: {line}: {parsed:?}", file.display());
                seen += 1;
            }
        }
    }
    assert!(seen > 20, "{seen} commands");
}
