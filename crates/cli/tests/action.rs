//! Runs the steps of `action.yml` in a shell with the variables that a runner sets.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on says where")]

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

const SLOT: &str = "<script type=\"text/plain\" id=\"gemmscope-data\"></script>";

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// A step with a `run` line.
#[derive(Debug, Default)]
struct Step {
    id: String,
    run: String,
    env: Vec<(String, String)>,
}

/// The steps, and the inputs with their defaults. Parses the YAML of this one file, not YAML in general.
fn action() -> (Vec<Step>, BTreeMap<String, String>) {
    let text = std::fs::read_to_string(root().join("action.yml")).unwrap();
    let mut inputs = BTreeMap::new();
    let between = |from: &str, to: &str| text.split(from).nth(1).unwrap().split(to).next().unwrap();
    let mut name = String::new();
    for line in between("\ninputs:\n", "\noutputs:\n").lines() {
        match line.strip_prefix("  ").map(|l| (l.starts_with(' '), l.trim())) {
            Some((false, key)) => {
                name = key.trim_end_matches(':').to_owned();
                inputs.insert(name.clone(), String::new());
            }
            Some((true, entry)) => {
                if let Some(value) = entry.strip_prefix("default: ") {
                    inputs.insert(name.clone(), value.to_owned());
                }
            }
            None => {}
        }
    }
    let steps = between("\n  steps:\n", "\u{0}").split("    - ").skip(1);
    let steps = steps.map(|block| {
        let mut step = Step::default();
        for line in block.lines() {
            let indented = line.starts_with("        ");
            match line.trim().split_once(": ") {
                Some(("id", id)) => step.id = id.to_owned(),
                Some(("run", run)) => step.run = run.to_owned(),
                Some((key, value)) if indented => step.env.push((key.into(), value.into())),
                _ => {}
            }
        }
        step
    });
    (steps.filter(|s| !s.run.is_empty()).collect(), inputs)
}

/// A runner with a work folder.
struct Runner {
    folder: PathBuf,
    /// Bytes of the job summary, if not the script's own limit.
    summary_limit: Option<&'static str>,
    values: BTreeMap<String, String>,
}

impl Runner {
    fn new(name: &str) -> Runner {
        let folder = std::env::temp_dir().join(format!("gemmscope-{name}-{}", std::process::id()));
        std::fs::create_dir_all(folder.join("temp")).unwrap();
        let runner = Runner { folder, summary_limit: None, values: BTreeMap::new() };
        runner.put("app.html", &format!("<html>{SLOT}</html>"));
        // A released command includes the page.
        let own = env!("CARGO_BIN_EXE_gemmscope");
        let app = runner.at("app.html");
        let wrapper = format!(
            "#!/bin/sh\nc=$1\nshift\n[ $c != page ] || set -- --app '{}' \"$@\"\nexec '{own}' $c \"$@\"\n",
            app.display()
        );
        runner.put("gemmscope", &wrapper);
        let may_run = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(runner.at("gemmscope"), may_run).unwrap();
        runner
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    fn put(&self, name: &str, text: &str) {
        std::fs::write(self.at(name), text).unwrap();
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.at(name)).unwrap_or_default()
    }

    /// A value with `${{ ... }}` substituted.
    fn fill(&self, text: &str) -> String {
        match text.strip_prefix("${{ ").and_then(|t| t.strip_suffix(" }}")) {
            Some(key) => self.values.get(key).cloned().unwrap_or_default(),
            None => text.to_owned(),
        }
    }

    /// Runs the steps in order; returns the last exit code and the output.
    fn run(&mut self, given: &[(&str, &str)]) -> (i32, String) {
        let (steps, inputs) = action();
        assert_eq!(steps.len(), 3, "{steps:?}");
        let own = || root().display().to_string();
        self.values.entry("github.action_path".into()).or_insert_with(own);
        for (name, default) in inputs {
            self.values.insert(format!("inputs.{name}"), default);
        }
        for (name, value) in given {
            let known = self.values.insert(format!("inputs.{name}"), (*value).into());
            assert!(known.is_some(), "action.yml has no input {name}");
        }
        let mut said = String::new();
        for step in &steps {
            let _ = std::fs::remove_file(self.at("output"));
            let mut command = Command::new("bash");
            command.args(["--noprofile", "--norc", "-e", "-o", "pipefail", "-c", &step.run]);
            command.current_dir(&self.folder).env_clear();
            command.env("PATH", "/usr/bin:/bin");
            command.env("RUNNER_TEMP", self.at("temp"));
            command.env("GITHUB_OUTPUT", self.at("output"));
            command.env("GITHUB_STEP_SUMMARY", self.at("summary.md"));
            command.env("GITHUB_REPOSITORY", "someone/kernels");
            command.env("GITHUB_RUN_ID", "42");
            command.env("HISTORY_PAUSE", "0").env("GIT_CONFIG_GLOBAL", "/dev/null");
            let server = self.values.get("server").cloned();
            command.env("GITHUB_SERVER_URL", server.unwrap_or("https://github.com".into()));
            command.envs(self.summary_limit.map(|limit| ("SUMMARY_LIMIT", limit)));
            for (key, value) in &step.env {
                command.env(key, self.fill(value));
            }
            let ran = command.output().unwrap();
            said += &String::from_utf8_lossy(&ran.stdout);
            said += &String::from_utf8_lossy(&ran.stderr);
            for line in self.read("output").lines() {
                let (key, value) = line.split_once('=').unwrap();
                let key = format!("steps.{}.outputs.{key}", step.id);
                self.values.insert(key, value.to_owned());
            }
            if !ran.status.success() {
                return (ran.status.code().unwrap(), said);
            }
        }
        (0, said)
    }

    fn output(&self, name: &str) -> &str {
        &self.values[&format!("steps.check.outputs.{name}")]
    }
}

impl Drop for Runner {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// The lines that GitHub's runner interprets: `::command::` at the start of a line and `##[command]` anywhere in it,
/// unless commands were stopped until a token.
fn obeyed(log: &str) -> Vec<&str> {
    let (mut until, mut found) = (None, Vec::new());
    for line in log.split(['\n', '\r']) {
        let command = line.trim_start().strip_prefix("::").and_then(|c| c.split_once("::"));
        match (until, command) {
            (Some(word), Some((own, _))) if own == word => until = None,
            (Some(_), _) => {}
            (None, Some(("stop-commands", word))) => until = Some(word),
            (None, Some(_)) => found.push(line),
            (None, None) if line.contains("##[") => found.push(line),
            (None, None) => {}
        }
    }
    assert_eq!(until, None, "the runner is told to go on: {log}");
    found
}

#[test]
fn the_model_of_the_runner_obeys() {
    let log = "a\n::error::b\n::stop-commands::x\n::add-mask::c\n::x::\nd ##[add-mask]e\n";
    assert_eq!(obeyed(log), ["::error::b", "d ##[add-mask]e"]);
}

#[test]
fn no_line_of_the_log_obeys_a_file() {
    let mut runner = Runner::new("log");
    let command = runner.at("gemmscope").display().to_string();
    let forged = "::error file=ci.yml,line=1::forged\n::add-mask::GEMM\r::warning::x ##[add-mask]y";
    runner.put("header.csv", &format!("\"M\n{forged}\",N,K,dtype,time_us\n1,2,3,4,5\n"));
    let cells = "M,N,K,dtype,time_us,library,device\n";
    let row = format!("4096,4096,4096,fp16,660,\"l\n{forged}\",\"d\n{forged}\"\n");
    runner.put("cells.csv", &format!("{cells}{row}4096,4096,64,\"t\n{forged}\",1,,\n"));
    std::fs::create_dir(runner.at("bench")).unwrap();
    runner.put("bench/n\n::notice::approved.csv", "no,gemm\n1,2\n");
    runner.put("bench/::notice::approved.csv", &table(700));
    for files in ["header.csv", "cells.csv", "bench", "bench/*", "bench/[n]*", "none\u{1b}[2K.csv"]
    {
        for limit in [&[][..], &[("min-efficiency", "1%"), ("baseline", "cells.csv")]] {
            let given = [("command", command.as_str()), ("files", files), ("device", "mi300x")];
            let (_, said) = runner.run(&[&given[..], limit].concat());
            for (input, _) in limit {
                runner.values.insert(format!("inputs.{input}"), String::new());
            }
            let own = |line: &&str| {
                ![
                    "::warning::no page was made",
                    "::warning::GEMMs of the baseline that were not measured: 1",
                ]
                .contains(line)
            };
            let obeyed: Vec<&str> = obeyed(&said).into_iter().filter(own).collect();
            assert!(obeyed.is_empty(), "{files:?}: {obeyed:?}\n{said}");
            assert!(!said.contains('\u{1b}'), "{said}");
            // Even without the script around it, no line of the command would be interpreted.
            let lines = said.lines().filter(|l| !l.starts_with("::"));
            assert!(lines.clone().all(|l| !l.contains("##[")), "{said}");
        }
    }
}

#[test]
fn a_name_is_a_name_whatever_is_in_it() {
    let mut runner = Runner::new("names");
    let command = runner.at("gemmscope").display().to_string();
    for (i, name) in ["a\n1.csv", "-", "a 2.csv", "a[3].csv"].into_iter().enumerate() {
        runner.put(name, &format!("M,N,K,dtype,time_us\n4096,4096,{},fp16,660\n", 1024 << i));
    }
    let files = "a*1.csv\n[-]\na 2.csv\na[3].csv\n";
    let given = [("command", command.as_str()), ("files", files), ("device", "mi300x")];
    let (code, said) = runner.run(&[&given[..], &[("min-efficiency", "1%")]].concat());
    assert_eq!(code, 0, "{said}");
    let check = std::fs::read_to_string(Path::new(runner.output("folder")).join("check.json"));
    assert_eq!(check.unwrap().matches("\"judged\":4").count(), 1, "{said}");
}

#[test]
fn a_second_use_has_nothing_of_the_first_and_a_long_summary_is_cut_between_blocks() {
    let mut runner = Runner::new("twice");
    let command = runner.at("gemmscope").display().to_string();
    runner.put("good.csv", &table(660));
    let given = |files| [("command", command.as_str()), ("files", files), ("device", "mi300x")];
    runner.summary_limit = Some("1500");
    assert_eq!(runner.run(&given("good.csv")).0, 0);
    let first = runner.output("folder").to_owned();
    let summary = runner.read("summary.md");
    assert!(summary.contains("The rest is in report.md of the artifact.\n"), "{summary}");
    let report = std::fs::read_to_string(Path::new(&first).join("report.md")).unwrap();
    let shown = summary.split("<summary>Findings</summary>\n\n").nth(1).unwrap();
    let shown = shown.split("The rest is in").next().unwrap();
    assert!(report.starts_with(shown.trim_end()) && shown.len() < 1600, "{shown}");
    assert!(report[shown.trim_end().len()..].starts_with("\n\n"), "{shown}");
    std::fs::remove_file(runner.at("summary.md")).unwrap();
    assert_eq!(runner.run(&given("missing.csv")).0, 1);
    assert!(!runner.read("summary.md").contains("Findings"), "{}", runner.read("summary.md"));
    let second = Path::new(runner.output("folder"));
    assert_ne!(second, Path::new(&first));
    assert!(!second.join("gemmscope.html").exists() && !second.join("report.md").exists());
}

#[test]
fn a_gemm_that_is_gone_fails_the_job_unless_it_may_be() {
    let mut runner = Runner::new("gone");
    let command = runner.at("gemmscope").display().to_string();
    runner.put("main.csv", &table(660));
    runner
        .put("new.csv", "M,N,K,dtype,time_us\n4096,4096,4096,fp16,660\n4096,4096,8192,fp16,nan\n");
    let given = [
        ("command", command.as_str()),
        ("files", "new.csv"),
        ("device", "mi300x"),
        ("baseline", "main.csv"),
    ];
    let warning = "::warning::GEMMs of the baseline that were not measured: 1";
    let (code, said) = runner.run(&given);
    assert_eq!((code, runner.output("held"), obeyed(&said)), (3, "false", vec![warning]), "{said}");
    assert!(
        runner.read("summary.md").contains("1 of 2 are missing"),
        "{}",
        runner.read("summary.md")
    );
    let (code, said) = runner.run(&[&given[..], &[("allow-missing", "true")]].concat());
    assert_eq!((code, runner.output("held"), obeyed(&said)), (0, "true", vec![warning]), "{said}");
}

fn table(us: u32) -> String {
    format!("M,N,K,dtype,time_us\n4096,4096,4096,fp16,{us}\n4096,4096,8192,fp16,1300\n")
}

#[test]
fn a_regression_fails_the_job_and_is_in_summary_comment_and_artifact() {
    let mut runner = Runner::new("regression");
    runner.put("main.csv", &table(660));
    runner.put("new run.csv", &table(760));
    let command = runner.at("gemmscope").display().to_string();
    let given = [
        ("command", command.as_str()),
        ("files", "new *.csv\n"),
        ("device", "mi300x"),
        ("baseline", "main.csv"),
        ("max-regression", "5%"),
        ("min-efficiency", "10%"),
    ];
    let (code, said) = runner.run(&given);
    assert_eq!(code, 3, "{said}");
    assert_eq!(runner.output("held"), "false");
    let summary = runner.read("summary.md");
    assert!(summary.starts_with("### GEMM check: FAIL\n"), "{summary}");
    assert!(summary.contains("+15.2 %") && summary.contains("<details>"), "{summary}");
    let comment = std::fs::read_to_string(runner.output("comment")).unwrap();
    assert!(comment.contains("+15.2 %"), "{comment}");
    assert!(
        comment.ends_with("(https://github.com/someone/kernels/actions/runs/42)\n"),
        "{comment}"
    );
    let folder = Path::new(runner.output("folder"));
    for name in ["check.json", "report.md", "gemmscope.html", "comment.md"] {
        let size = std::fs::metadata(folder.join(name)).unwrap().len();
        assert!(size > 0, "{name}");
    }
    assert_eq!(Path::new(runner.output("page")), folder.join("gemmscope.html"));

    runner.put("new run.csv", &table(665));
    let (code, said) = runner.run(&given);
    assert_eq!((code, runner.output("held")), (0, "true"), "{said}");
}

#[test]
fn a_comment_goes_on_from_the_one_before() {
    let mut runner = Runner::new("comment");
    let command = runner.at("gemmscope").display().to_string();
    runner.put("main.csv", &table(660));
    let mut comment = String::new();
    for (commit, us) in [("c0ffee0a", 660), ("c0ffee1b", 680), ("c0ffee2c", 670)] {
        runner.put("new.csv", &table(us));
        runner.put("old.md", &comment);
        let sha = "github.event.pull_request.head.sha || github.sha";
        runner.values.insert(sha.into(), commit.into());
        let given = [
            ("command", command.as_str()),
            ("files", "new.csv"),
            ("device", "mi300x"),
            ("baseline", "main.csv"),
            ("comment", "old.md"),
        ];
        let (code, said) = runner.run(&given);
        assert_eq!(code, 0, "{said}");
        comment = std::fs::read_to_string(runner.output("comment")).unwrap();
    }
    let trend =
        "The last runs:\n\n- ▁▂▂ 1.97 ms in c0ffee&#8203;2, -0.5 % against c0ffee&#8203;1\n";
    assert!(comment.contains(trend), "{comment}");
    assert_eq!(comment.matches("<!-- gemmscope-runs ").count(), 1);
    assert!(comment.contains("\"run\":\"c0ffee0\""), "{comment}");
    assert!(comment.contains("- █") && comment.contains("░ "), "{comment}");
}

#[test]
fn without_a_limit_it_reports_and_what_cannot_be_read_fails() {
    let mut runner = Runner::new("report");
    runner.put("new.csv", &table(660));
    let command = runner.at("gemmscope").display().to_string();
    let only = |files| [("command", command.as_str()), ("files", files), ("device", "mi300x")];
    let (code, said) = runner.run(&only("new.csv"));
    assert_eq!((code, runner.output("held")), (0, ""), "{said}");
    assert!(runner.read("summary.md").contains("No limit is set."));
    let (code, said) = runner.run(&only("none.csv"));
    assert_eq!(code, 1, "{said}");
    assert!(said.contains("none.csv: cannot be read"), "{said}");
    let limit = [&only("none.csv")[..], &[("min-efficiency", "10%")]].concat();
    let (code, said) = runner.run(&limit);
    assert_eq!((code, runner.output("held")), (1, ""), "{said}");
    let comment = std::fs::read_to_string(runner.output("comment")).unwrap();
    assert!(comment.starts_with("### GEMM check: not judged"), "{comment}");
    let (code, said) = runner.run(&only("\n"));
    assert!(code == 1 && said.contains("::error::files: none given"), "{said}");
}

#[test]
fn the_command_of_the_release_is_fetched_and_checked() {
    let mut runner = Runner::new("fetch");
    runner.put("new.csv", &table(660));
    let release = runner.at("site/own/gemmscope/releases/download/v9");
    std::fs::create_dir_all(&release).unwrap();
    let packed = format!("gemmscope-{}-linux.tar.gz", std::env::consts::ARCH);
    let folder = runner.folder.clone();
    let sh = |text: &str| {
        let ran = Command::new("bash").args(["-c", text]).current_dir(&folder).output();
        assert!(ran.unwrap().status.success(), "{text}");
    };
    let to = release.display();
    sh(&format!("tar -czf {to}/{packed} gemmscope && cd {to} && sha256sum {packed} > SHA256SUMS"));
    let server = format!("file://{}", runner.at("site").display());
    let values = [
        ("server", server.as_str()),
        ("github.action_repository", "own/gemmscope"),
        ("github.action_ref", "v9"),
    ];
    runner.values.extend(values.map(|(k, v)| (k.to_owned(), v.to_owned())));
    let given = [("files", "new.csv"), ("device", "mi300x"), ("min-efficiency", "10%")];
    let (code, said) = runner.run(&given);
    assert_eq!((code, runner.output("held")), (0, "true"), "{said}");

    std::fs::write(release.join("SHA256SUMS"), format!("{}  {packed}\n", "0".repeat(64))).unwrap();
    let (code, said) = runner.run(&given);
    assert!(code == 1 && said.contains("SHA256SUMS says"), "{said}");
    runner.values.insert("github.action_ref".into(), "main".into());
    let (code, said) = runner.run(&given);
    assert!(code == 1 && said.contains("names no release"), "{said}");

    // A commit that names the release with its digests: neither a moved tag nor an exchanged release changes what runs.
    let own = root();
    sh(&format!("mkdir -p action/scripts && cp {}/scripts/action.* action/scripts", own.display()));
    sh(&format!("cd {to} && sha256sum {packed} > SHA256SUMS"));
    sh(&format!("bash action/scripts/action.sh pin v9 {to}/SHA256SUMS"));
    let path = runner.at("action").display().to_string();
    runner.values.insert("github.action_path".into(), path);
    for place in ["0123456789012345678901234567890123456789", "v9"] {
        runner.values.insert("github.action_ref".into(), place.into());
        let (code, said) = runner.run(&given);
        assert_eq!((code, runner.output("held")), (0, "true"), "{said}");
    }
    sh(&format!("echo exchanged >> {to}/{packed} && cd {to} && sha256sum {packed} > SHA256SUMS"));
    for place in ["0123456789012345678901234567890123456789", "v9"] {
        runner.values.insert("github.action_ref".into(), place.into());
        let (code, said) = runner.run(&given);
        assert!(code == 1 && said.contains("action.sums says"), "{said}");
    }
}

/// Whether the action adds to the history, as action.yml asks it.
const GROWS: &str = "(github.event_name == 'schedule' || (github.event_name == 'push' || github.event_name == 'workflow_dispatch') && github.ref_name == github.event.repository.default_branch) && !github.event.repository.fork";

#[test]
fn a_branch_keeps_the_runs_and_a_run_is_held_against_them() {
    let mut runner = Runner::new("history");
    let command = runner.at("gemmscope").display().to_string();
    let sh = |text: &str, folder: &Path| {
        let names = ["AUTHOR", "COMMITTER"]
            .map(|who| (format!("GIT_{who}_NAME"), format!("GIT_{who}_EMAIL")));
        let mut git = Command::new("bash");
        git.args(["-ec", text]).current_dir(folder).env("GIT_CONFIG_GLOBAL", "/dev/null");
        for (name, email) in names {
            git.env(name, "someone").env(email, "someone@localhost");
        }
        let ran = git.output().unwrap();
        assert!(ran.status.success(), "{text}: {}", String::from_utf8_lossy(&ran.stderr));
        String::from_utf8(ran.stdout).unwrap()
    };
    let bare = runner.at("origin.git");
    sh(
        "git init -q --bare origin.git && git init -q . && git remote add origin origin.git",
        &runner.folder,
    );
    let listed =
        |folder: &Path| sh("git show gh-pages:history.json", folder).matches("\"rows\"").count();
    let given = [
        ("command", command.as_str()),
        ("files", "new.csv"),
        ("device", "mi300x"),
        ("history", "gh-pages"),
    ];
    let sha = "github.event.pull_request.head.sha || github.sha";
    let mut turn = |us: u32, commit: &str, grows: &str| {
        runner.put("new.csv", &table(us));
        runner.values.insert(sha.into(), commit.into());
        runner.values.insert(GROWS.into(), grows.into());
        let (code, said) = runner.run(&given);
        let comment = std::fs::read_to_string(runner.output("comment")).unwrap();
        (code, runner.output("held").to_owned(), comment, said)
    };
    // The first run has nothing to be held against, and makes the branch.
    let (code, held, _, said) = turn(660, "c0ffee01", "true");
    assert_eq!((code, held.as_str()), (0, ""), "{said}");
    assert_eq!(listed(&bare), 1, "{said}");
    for (us, commit) in [(661, "c0ffee02"), (659, "c0ffee03"), (660, "c0ffee04")] {
        let (code, held, _, said) = turn(us, commit, "true");
        assert_eq!((code, held.as_str()), (0, "true"), "{said}");
    }
    assert_eq!(listed(&bare), 4);
    // A pull request is judged, and adds nothing.
    let (code, held, comment, said) = turn(760, "c0ffee05", "false");
    assert_eq!((code, held.as_str()), (3, "false"), "{said}");
    assert!(comment.contains("+15.2 %") && comment.contains("The last runs:"), "{comment}");
    assert_eq!(listed(&bare), 4);
    // Another job pushes in between: the run is added to what it left.
    let hook = "#!/bin/sh\nset -e\ncd $GIT_DIR\n[ ! -f raced ] || exit 0\ntouch raced\n\
                unset GIT_QUARANTINE_PATH GIT_OBJECT_DIRECTORY GIT_ALTERNATE_OBJECT_DIRECTORIES\n\
                c=$(git commit-tree gh-pages^{tree} -p gh-pages -m other)\n\
                git update-ref refs/heads/gh-pages $c\n";
    std::fs::write(bare.join("hooks/pre-receive"), hook).unwrap();
    sh(
        "chmod +x hooks/pre-receive && git config user.name o && git config user.email o@localhost",
        &bare,
    );
    let (code, _, _, said) = turn(661, "c0ffee06", "true");
    assert_eq!(code, 0, "{said}");
    assert_eq!(listed(&bare), 5, "{said}");
    assert!(sh("git log --format=%s gh-pages", &bare).contains("other"), "{said}");
    // Nobody may push: a warning, and the verdict stands.
    std::fs::write(bare.join("hooks/pre-receive"), "#!/bin/sh\nexit 1\n").unwrap();
    let (code, held, _, said) = turn(660, "c0ffee07", "true");
    assert_eq!((code, held.as_str()), (0, "true"), "{said}");
    assert!(said.contains("::warning::the run was not added"), "{said}");
}
