//! Text from a file stays text for every reader of a command's output: a terminal, a log, a markdown host, a
//! spreadsheet.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on says where")]

use comrak::{Options, markdown_to_html};
use std::path::{Path, PathBuf};
use std::process::Command;

struct Desk(PathBuf);

impl Desk {
    fn new(name: &str) -> Desk {
        let folder = std::env::temp_dir().join(format!("gemmscope-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        Desk(folder)
    }

    fn put(&self, name: impl AsRef<Path>, text: &str) -> PathBuf {
        let path = self.0.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    }

    /// Standard output and standard error.
    fn run(&self, args: &[&str]) -> [String; 2] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gemmscope"));
        let ran = command.args(args).current_dir(&self.0).output().unwrap();
        assert!(ran.status.code().is_some(), "{args:?}");
        [ran.stdout, ran.stderr].map(|bytes| String::from_utf8(bytes).unwrap())
    }
}

impl Drop for Desk {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A table with this text in every text cell, including the device.
fn table(evil: &str) -> String {
    with_device(evil, evil)
}

fn with_device(evil: &str, device: &str) -> String {
    let cell = format!("\"{}\"", evil.replace('"', "\"\""));
    let device = format!("\"{}\"", device.replace('"', "\"\""));
    let mut out = "M,N,K,dtype,time_us,library,kernel,op name,device\n".to_owned();
    for (i, us) in [2000, 110, 900].into_iter().enumerate() {
        let k = 4096 >> i;
        out += &format!("4096,4096,{k},bf16,{us},{cell},{cell},{cell},{device}\n");
    }
    out + &format!("{cell},4096,1,bf16,2,,,,\n4096,4096,2,{cell},2,,,,\n")
}

#[test]
fn no_line_of_a_terminal_or_a_log_is_a_files() {
    let evil = "l\n::error file=a.yml::x\r\n::add-mask::y\r\u{1b}[2K\u{9b}2K\t\u{202e}##[add-mask]z##vso[a]";
    let desk = Desk::new("lines");
    let name = "::add-mask::n\n::error::m\u{1b}[2K.csv";
    desk.put("good.csv", "M,N,K,dtype,time_us\n4096,4096,4096,bf16,2000\n");
    desk.put(name, &table(evil));
    desk.put("begins.csv", &table("::error::x ##[add-mask]y"));
    desk.put("header.csv", &table(evil).replacen("kernel", &format!("\"{evil}\""), 1));
    desk.put("folder/a\n::add-mask::n/b\n::error::m.csv", &table(evil));
    desk.put("folder/c\n::error::m.csv", "no,gemm\n1,2\n");
    desk.put("device.json", "{\"name\": \"d\\n::error::x\\u001b\", \"mem_bw_gbps\": 1000, \"max_achievable_tflops\": {\"matrix_fp16\": 4}}");
    let least = ["--device", "mi300x", "--min-efficiency", "90%", "--each"];
    for files in [
        &[name][..],
        &["begins.csv"],
        &["header.csv"],
        &["folder"],
        &["good.csv", "device.json"],
        &["none\n::error::x.csv"],
    ] {
        for (command, more) in [
            ("summary", &[][..]),
            ("check", &least),
            ("check", &[&least[..], &["--form", "markdown"]].concat()),
            ("check", &["--baseline", "good.csv"]),
            ("report", &[]),
            ("report", &["--form", "summary"]),
            ("render", &["--view", "roofline"]),
            ("render", &["-o", "out\n::error::x.svg"]),
            ("render", &["--device", "x\n::error::x"]),
            ("replay", &["--device", "mi300x", "-o", "out\n::error::x"]),
            ("summary", &["--column", "x\n::error::x=m"]),
            ("summary", &["--answer", "x\n::error::x=m"]),
            ("report", &["--state", "#x\n::error::x=1&r.c.%0a::error::y=z"]),
            ("\n::error::x", &[]),
        ] {
            let args = [&[command], files, more].concat();
            for text in desk.run(&args) {
                let own =
                    |c: char| c.is_control() && c != '\n' || matches!(c, '\u{202a}'..='\u{202e}');
                assert_eq!(text.find(own), None, "{args:?}: {text:?}");
                let line =
                    text.lines().find(|l| l.trim_start().starts_with("::") || l.contains("##["));
                assert_eq!(line, None, "{args:?}: {text}");
                assert!(!text.contains("##vso["), "{args:?}: {text}");
            }
        }
    }
}

#[test]
fn no_document_mentions_links_or_closes_for_a_file() {
    let evil = "https://evil.example/p www.evil.example @octocat octo/repo#12 GH-3 #7 a@b.example \
                fixes #3 <!-- <img src=x> </details> :tada: [x](https://a.b) \
                a5c3785ed8d6a35868bc169f07e40e889087fd2e";
    let desk = Desk::new("documents");
    desk.put("@octocat #7.csv", &with_device(evil, ""));
    desk.put(
        "@octocat old.csv",
        &with_device(evil, "").replace(",2000,", ",200,").replace("4096,4096,1024", "4096,4096,99"),
    );
    let mut options = Options::default();
    let on = &mut options.extension;
    (on.table, on.autolink, on.strikethrough, on.tasklist, on.footnotes) =
        (true, true, true, true, true);
    options.render.r#unsafe = true;
    let files = ["@octocat #7.csv", "--device", "mi300x"];
    for args in [
        &["check", "--min-efficiency", "90%", "--each", "--form", "markdown"][..],
        &["check", "--baseline", "@octocat old.csv", "--form", "markdown"],
        &["report"],
        &["report", "--form", "summary"],
        &["report", "@octocat old.csv"],
        &["report", "@octocat old.csv", "--form", "summary"],
    ] {
        let [markdown, err] = desk.run(&[args, &files].concat());
        assert!(markdown.len() > 300, "{args:?}: {err}");
        let html = markdown_to_html(&markdown, &options);
        assert!(html.contains("octocat"), "{args:?}: {html}");
        // The only comment is the one that keeps the last runs, and nothing follows it.
        let (html, runs) = html.split_once("<!-- gemmscope-runs ").unwrap_or((&html, "-->"));
        assert!(runs.find("-->") == Some(runs.trim_end().len() - 3), "{args:?}: {runs}");
        for live in [
            "<a ",
            "<img",
            "<!--",
            "</details>",
            "://",
            "www.evil",
            "@octocat",
            "@b.example",
            "repo#12",
            "#7",
            "#3",
            "GH-3",
            ":tada:",
            "a5c3785ed8",
        ] {
            assert!(!html.contains(live), "{args:?}: {live}: {html}");
        }
    }
}

#[test]
fn no_cell_of_a_table_is_run_by_a_spreadsheet() {
    let desk = Desk::new("cells");
    for sign in ["=", "+", "-", "@", "＝", "＋", "－", "＠", "\t=", "\r=", " =", "'=", "'＝"] {
        desk.put("in.csv", &table(&format!("{sign}1+1|cmd")));
        let [csv, _] = desk.run(&["convert", "in.csv", "-o", "-"]);
        let bare: Vec<&str> = csv
            .split([',', '\n'])
            .map(|cell| cell.trim_start_matches('"').trim_start())
            // Not the column with the file's metadata as JSON.
            .filter(|cell| cell.contains("1+1") && !cell.contains("\"\""))
            .collect();
        assert!(bare.len() >= 6, "{sign}: {csv}");
        assert!(bare.iter().all(|cell| cell.starts_with('\'')), "{sign}: {bare:?}");
        // Reading it again adds nothing.
        desk.put("again.csv", &csv);
        let [again, _] = desk.run(&["convert", "again.csv", "-o", "-"]);
        assert_eq!(again, csv, "{sign}");
    }
}
