//! Commands write a file completely or not at all, and never over an input.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on says where")]

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

const TABLE: &str = "M,N,K,dtype,time_us\n4096,4096,4096,bf16,2000\n4096,4096,2048,bf16,110\n";

/// A folder with a file of measurements and a page.
struct Desk(PathBuf);

impl Desk {
    fn new(name: &str) -> Desk {
        let folder = std::env::temp_dir().join(format!("gemmscope-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let desk = Desk(folder);
        desk.put("in.csv", TABLE);
        let page = "<html><script type=\"text/plain\" id=\"gemmscope-data\"></script>";
        desk.put("app.html", &format!("{page}{}</html>", " ".repeat(4000)));
        desk
    }

    fn at(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    fn put(&self, name: &str, text: &str) {
        fs::create_dir_all(self.at(name).parent().unwrap()).unwrap();
        fs::write(self.at(name), text).unwrap();
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.at(name)).unwrap()
    }

    /// The command in this folder, after a line of shell; `words` go through the shell too.
    fn command(&self, before: &str, words: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", &format!("{before} exec \"$GEMMSCOPE\" {words}")]);
        command.current_dir(&self.0).env("GEMMSCOPE", env!("CARGO_BIN_EXE_gemmscope"));
        command.env("BROWSER", "true").env("TMPDIR", self.at("tmp"));
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    fn run(&self, before: &str, words: &str) -> (i32, String) {
        let Output { status, stderr, .. } = self.command(before, words).output().unwrap();
        let err = String::from_utf8(stderr).unwrap();
        (status.code().unwrap_or_else(|| panic!("{words}: {status}: {err}")), err)
    }

    /// Every file with its content, including hidden ones.
    fn all(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        fn walk(folder: &PathBuf, all: &mut BTreeMap<PathBuf, Vec<u8>>) {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    walk(&path, all);
                } else {
                    all.insert(path.clone(), fs::read(&path).unwrap_or_default());
                }
            }
        }
        let mut all = BTreeMap::new();
        walk(&self.0, &mut all);
        all
    }
}

impl Drop for Desk {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Every command that writes, with its output.
const WRITING: [(&str, &str); 9] = [
    ("convert in.csv", "out.csv"),
    ("convert in.csv --json", "out.json"),
    ("render in.csv --device mi300x", "out.svg"),
    ("report in.csv --device mi300x", "out.md"),
    ("report in.csv --device mi300x", "new/gemm_findings.md"),
    ("report in.csv --device mi300x", "out.html"),
    ("page in.csv --app app.html", "page.html"),
    ("open in.csv --app app.html", "opened.html"),
    ("replay in.csv --device mi300x", "replays"),
];

#[test]
fn a_full_disk_leaves_what_was_there_and_nothing_else() {
    let desk = Desk::new("full");
    fs::create_dir(desk.at("tmp")).unwrap();
    let rows = (1..9).map(|i| format!("4096,4096,{},bf16,{}\n", 512 * i, 100 * i));
    desk.put("in.csv", &(TABLE.to_owned() + &rows.collect::<String>()));
    for (words, output) in WRITING {
        let words = format!("{words} -o {output}");
        if output != "replays" {
            desk.put(output, "before");
        }
        let before = desk.all();
        // Files are limited to a kilobyte: a larger one fails in the middle.
        let (code, err) = desk.run("ulimit -f 1;", &words);
        assert_eq!(code, 1, "{words}: {err}");
        assert!(err.contains("cannot be written"), "{words}: {err}");
        assert_eq!(desk.all(), before, "{words}");
        let (code, err) = desk.run("", &words);
        assert_eq!(code, 0, "{words}: {err}");
        assert_ne!(desk.all(), before, "{words}");
    }
    // An existing folder keeps its content.
    desk.put("replays/results.csv", "mine");
    let before = desk.all();
    let replay = "replay in.csv --device mi300x --flagged -o replays";
    assert_eq!(desk.run("ulimit -f 1;", replay).0, 1);
    assert_eq!(desk.all(), before);
    assert_eq!(desk.run("", replay).0, 0);
    assert_eq!(desk.read("replays/results.csv"), "mine");
    // The temporary folder of `open` is removed too.
    let (code, err) = desk.run("ulimit -f 1;", "open in.csv --app app.html");
    assert_eq!((code, fs::read_dir(desk.at("tmp")).unwrap().count()), (1, 0), "{err}");
    // A full device is reported.
    let (code, err) = desk.run("", "convert in.csv -o /dev/full");
    assert!(code == 1 && err.contains("/dev/full: cannot be written"), "{code} {err}");
}

#[test]
fn ended_in_the_middle_it_leaves_what_was_there() {
    let desk = Desk::new("ended");
    desk.put("out.csv", "before");
    let part = || {
        let names = fs::read_dir(&desk.0).unwrap().map(|e| e.unwrap().file_name());
        names.map(|n| n.to_string_lossy().into_owned()).find(|n| n.ends_with(".part"))
    };
    let signal = |name: &str, to: u32| {
        let kill = format!("kill -{name} {to}");
        Command::new("sh").args(["-c", &kill]).stderr(Stdio::null()).status().unwrap().success()
    };
    for doubled in 0..10 {
        let rows = 20_000 << doubled;
        let lines = (0..rows).map(|i| format!("4096,4096,{},bf16,{}.5\n", 1 + i % 8192, 90 + i));
        desk.put("large.csv", &("M,N,K,dtype,time_us\n".to_owned() + &lines.collect::<String>()));
        let mut child = desk.command("", "convert large.csv -o out.csv").spawn().unwrap();
        while part().is_none() && child.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_millis(1));
        }
        // On a fast machine it has finished by now; then try with more rows.
        signal("STOP", child.id());
        if part().is_none() {
            signal("CONT", child.id());
            child.wait().unwrap();
            desk.put("out.csv", "before");
            continue;
        }
        assert_eq!(desk.read("out.csv"), "before");
        signal("TERM", child.id());
        signal("CONT", child.id());
        assert_eq!(child.wait().unwrap().signal(), Some(15));
        assert_eq!((part(), desk.read("out.csv").as_str()), (None, "before"));
        return;
    }
    panic!("never seen in the middle");
}

#[test]
fn what_is_read_is_never_written() {
    let desk = Desk::new("onto");
    fs::hard_link(desk.at("in.csv"), desk.at("other.csv")).unwrap();
    symlink("in.csv", desk.at("link.csv")).unwrap();
    desk.put("in.txt", TABLE);
    desk.put("saved.html", &desk.read("app.html"));
    desk.put("runs/a.csv", TABLE);
    desk.put("old.csv", TABLE);
    let before = desk.all();
    for words in [
        "convert in.csv -o in.csv",
        "convert in.csv -o ./in.csv",
        "convert in.csv -o \"$PWD/in.csv\"",
        "convert in.csv -o other.csv",
        "convert in.csv -o link.csv",
        "convert link.csv -o in.csv",
        "convert link.csv -o link.csv",
        "convert old.csv in.csv -o in.csv",
        "convert - -o in.csv < in.csv",
        "convert in.csv -o - >> in.csv",
        "convert in.csv -o /dev/stdout >> in.csv",
        "summary in.csv 1<> in.csv",
        "report in.txt -o in.txt",
        "page in.csv --app saved.html -o saved.html",
        "open in.csv --app saved.html -o saved.html",
        "convert runs -o runs/a.csv",
        "check in.csv --baseline old.csv >> old.csv",
    ] {
        let (code, err) = desk.run("", words);
        assert_eq!(code, 2, "{words}: {err}");
        assert!(err.contains("is read"), "{words}: {err}");
        assert_eq!(desk.all(), before, "{words}");
    }
    // A file left out of a folder is not an input: a report there may be written again.
    for _ in 0..2 {
        let words = "report runs --device mi300x -o runs/gemm_findings.md";
        assert_eq!(desk.run("", words).0, 0);
    }
    assert!(desk.read("runs/gemm_findings.md").starts_with("# GEMM Analysis Summary"));
}

#[test]
fn a_link_is_replaced_and_what_it_leads_to_stays() {
    let desk = Desk::new("links");
    desk.put("victim", "precious");
    desk.put("runs/a.csv", TABLE);
    fs::create_dir(desk.at("home")).unwrap();
    for (link, to) in
        [("out.csv", "victim"), ("none.csv", "not there"), ("runs/own.csv", "../victim")]
    {
        symlink(to, desk.at(link)).unwrap();
        let (code, err) = desk.run("", &format!("convert in.csv -o {link}"));
        assert_eq!(code, 0, "{link}: {err}");
        assert!(desk.read(link).starts_with("gemmscope,m,n,k,"), "{link}");
        assert!(!desk.at(link).is_symlink(), "{link}");
        assert_eq!(desk.read("victim"), "precious");
    }
    assert!(!desk.at("not there").exists());
    // A folder in someone else's report that is a link to elsewhere.
    symlink("../home", desk.at("runs/category_findings")).unwrap();
    for words in [
        "report runs -o runs/category_findings/gemm_findings.md",
        "replay runs --device mi300x -o runs/category_findings",
        "replay runs --device mi300x -o runs/category_findings/replays",
    ] {
        let (code, err) = desk.run("", words);
        assert!(code == 2 && err.contains("is a link in a folder that is read"), "{code} {err}");
        assert_eq!(fs::read_dir(desk.at("home")).unwrap().count(), 0);
    }
    // The user's own link is followed.
    symlink("home", desk.at("mine")).unwrap();
    assert_eq!(desk.run("", "convert in.csv -o mine/out.csv").0, 0);
    assert!(desk.at("home/out.csv").exists());
    for name in desk.all().keys() {
        assert!(!name.to_string_lossy().ends_with(".part"), "{name:?}");
    }
}

#[test]
fn permissions_stay_and_what_is_no_file_is_written_directly() {
    let desk = Desk::new("kinds");
    let mode = |name: &str| fs::metadata(desk.at(name)).unwrap().permissions().mode() & 0o777;
    desk.put("out.csv", "before");
    for own in [0o640, 0o600, 0o666, 0o755] {
        fs::set_permissions(desk.at("out.csv"), fs::Permissions::from_mode(own)).unwrap();
        assert_eq!(desk.run("", "convert in.csv -o out.csv").0, 0);
        assert_eq!(mode("out.csv"), own);
    }
    // A new file has the permissions that the shell would give it.
    assert_eq!(desk.run("umask 027;", "convert in.csv -o new.csv").0, 0);
    assert_eq!(mode("new.csv"), 0o640);
    assert_eq!(desk.run("umask 027;", "replay in.csv --device mi300x -o replays").0, 0);
    assert_eq!((mode("replays"), mode("replays/run_all.sh")), (0o750, 0o640));

    assert_eq!(desk.run("", "convert in.csv -o /dev/null"), (0, String::new()));
    let whole = desk.read("new.csv");
    assert!(Command::new("mkfifo").arg(desk.at("fifo")).status().unwrap().success());
    let (code, err) = desk.run("cat fifo > through.csv & reader=$!;", "convert in.csv -o fifo");
    assert_eq!(code, 0, "{err}");
    while desk.read("through.csv").len() < whole.len() {
        std::thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(desk.read("through.csv"), whole);
    for own in ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "-"] {
        if fs::symlink_metadata(own).is_err() && own != "-" {
            continue;
        }
        let ran = desk.command("", &format!("convert in.csv -o {own}")).output().unwrap();
        assert_eq!(
            (ran.status.code(), String::from_utf8(ran.stdout).unwrap()),
            (Some(0), whole.clone()),
            "{own}"
        );
        // Into a file opened by the shell.
        assert_eq!(desk.run("", &format!("convert in.csv -o {own} > piped.csv")).0, 0);
        assert_eq!(desk.read("piped.csv"), whole, "{own}");
    }
    // A folder as output, and a file inside a file.
    for (output, what) in [("tmp", "tmp: cannot be written"), ("in.csv/x.csv", "cannot be written")]
    {
        fs::create_dir_all(desk.at("tmp")).unwrap();
        let (code, err) = desk.run("", &format!("convert in.csv -o {output}"));
        assert!(code == 1 && err.contains(what), "{code} {err}");
    }
    assert_eq!(desk.read("in.csv"), TABLE);
}
