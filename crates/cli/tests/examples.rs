//! Runs the examples of the documentation as written.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on says where")]

use serde_json::Value;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A folder for one test, with a folder of programs that precede those of the machine.
struct Bench(PathBuf);

impl Bench {
    fn new(name: &str) -> Bench {
        let folder = std::env::temp_dir().join(format!("gemmscope-{name}-{}", std::process::id()));
        std::fs::create_dir_all(folder.join("bin")).unwrap();
        let bench = Bench(folder);
        let link = bench.at("bin/gemmscope");
        std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_gemmscope"), link).unwrap();
        bench
    }

    fn at(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    fn program(&self, name: &str, text: &str) {
        let path = self.at("bin").join(name);
        std::fs::write(&path, format!("#!/bin/sh\n{text}")).unwrap();
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn sh(&self, script: &Path, args: &[&str]) -> Output {
        let path = format!("{}:/usr/bin:/bin", self.at("bin").display());
        let mut command = Command::new("sh");
        command.arg(script).args(args).current_dir(&self.0);
        command.env("PATH", path).output().unwrap()
    }

    fn json(&self, name: &str) -> Value {
        serde_json::from_slice(&std::fs::read(self.at(name)).unwrap()).unwrap()
    }
}

impl Drop for Bench {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Stands in for Python and the device: prints what a replay prints, with the time in the file `time`.
const PYTHON: &str = r#"
[ "$2" = --row ] || echo M,N,K,batch,dtype,layout,library,device,time_us,tflops,status
sizes=$(sed -n 's/^M, N, K, BATCH = //p' "$1" | tr -d ' ')
echo "$sizes,bf16,NN,PyTorch,AMD Instinct MI300X,$(cat ../time),,ok"
"#;

#[test]
fn the_loop_from_a_trace_to_a_verdict() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let script = root.join("docs/examples/loop.sh");
    let bench = Bench::new("loop");
    bench.program("python3", PYTHON);
    let table = "M,N,K,dtype,time_us\n4096,4096,4096,bf16,2000\n4096,4096,2048,bf16,110\n";
    std::fs::write(bench.at("bench.csv"), table).unwrap();
    for (change, code, held) in [("echo 240", 0, true), ("echo 260", 3, false)] {
        std::fs::write(bench.at("time"), "250").unwrap();
        let change = format!("{change} > time");
        let ran = bench.sh(&script, &["bench.csv", "mi300x", "sh", "-c", &change]);
        let err = String::from_utf8_lossy(&ran.stderr).into_owned();
        assert_eq!(ran.status.code(), Some(code), "{err}");
        let check = bench.json("check.json");
        assert_eq!(check["held"], held, "{check}");
        assert!(check["limits"][0]["compared"].as_u64().unwrap() > 0);
        let report = bench.json("report.json");
        assert!(!report["findings"].as_array().unwrap().is_empty());
        assert!(bench.at("report.md").exists());
    }
    // A missing file ends it with a message for programs.
    let ran = bench.sh(&script, &["none.csv", "mi300x", "true"]);
    assert_eq!(ran.status.code(), Some(1));
    let first = std::fs::read_to_string(bench.at("summary.jsonl")).unwrap();
    let said: Value = serde_json::from_str(first.lines().next().unwrap()).unwrap();
    assert_eq!((&said["code"], &said["file"]), (&"cannot-read".into(), &"none.csv".into()));
}

#[test]
fn the_readme_says_what_the_command_shows() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let readme = std::fs::read_to_string(root.join("README.md")).unwrap();
    let bench = Bench::new("readme");
    std::os::unix::fs::symlink(root.join("samples").canonicalize().unwrap(), bench.at("samples"))
        .unwrap();
    let table = "M,N,K,dtype,time_us\n4096,4096,4096,bf16,250\n4096,4096,2048,bf16,130\n";
    std::fs::write(bench.at("bench.csv"), table).unwrap();
    std::fs::write(bench.at("new.csv"), table.replace(",250", ",251")).unwrap();
    let mut report = String::new();
    let own = readme.lines().filter(|line| line.starts_with("gemmscope "));
    // The page is no part of a command that is built for tests.
    for line in own.filter(|line| !line.starts_with("gemmscope open ")) {
        std::fs::write(bench.at("line.sh"), line).unwrap();
        let ran = bench.sh(&bench.at("line.sh"), &[]);
        assert!(ran.status.success(), "{line}: {}", String::from_utf8_lossy(&ran.stderr));
        if line.contains("mi300x-libraries.csv") {
            report = String::from_utf8_lossy(&ran.stdout).into_owned();
        }
    }
    let third = report.split("\n### 3. ").nth(1).unwrap().split("\n### ").next().unwrap();
    assert!(third.starts_with("hipBLASLt: Another layout is faster: 36 GEMMs"), "{third}");
    let worst = "Most in 4096 × 4096 × 8192 bf16 TT: 2.76 ms here, 325 µs in NN.";
    assert!(third.contains(worst), "{third}");
    assert!(readme.contains(&format!("takes {:.1} times as long", 2.7571e-3 / 325.21e-6)));
    std::fs::write(bench.at("line.sh"), "gemmscope formats").unwrap();
    let formats = bench.sh(&bench.at("line.sh"), &[]).stdout;
    let count = String::from_utf8_lossy(&formats).lines().filter(|l| !l.starts_with(' ')).count();
    assert!((60..70).contains(&count), "README.md: over sixty formats, not {count}");
}

/// Copies a folder with what is in it.
fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let to = to.join(entry.file_name());
        match entry.path().is_dir() {
            true => copy(&entry.path(), &to),
            false => drop(std::fs::copy(entry.path(), to).unwrap()),
        }
    }
}

/// The value at a path of keys and indices with dots between them.
fn at<'a>(of: &'a Value, path: &str) -> &'a Value {
    path.split('.').fold(of, |v, key| match key.parse::<usize>() {
        Ok(index) => &v[index],
        Err(_) => &v[key],
    })
}

#[test]
fn the_skill_says_what_the_command_does() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let skill = std::fs::read_to_string(root.join("skills/gemm-analysis/SKILL.md")).unwrap();
    let bench = Bench::new("skill");
    bench.program("python3", PYTHON);
    std::fs::write(bench.at("time"), "76").unwrap();
    let report = bench.at("trace_report");
    copy(&root.join("tests/fixtures/reports/prefill_mi300x"), &report);
    // Every call of the first operation, as the report's own call stacks have it.
    let tree = r#"{"210": {"op_name": "aten::mm", "ex_uid": 210, "time_ms": 3.648,
        "parent_chain": ["nn.Module: Mlp_0", "aten::linear", "aten::mm"]}}"#;
    std::fs::write(report.join("category_data/gemm_tree_data.json"), tree).unwrap();
    let blocks: Vec<&str> = skill.split("```sh\n").skip(1).collect();
    assert_eq!(blocks.len(), 6);
    for (step, block) in blocks.into_iter().enumerate() {
        // A change that saves a little.
        if step == 4 {
            std::fs::write(bench.at("time"), "75.8").unwrap();
        }
        let block = block.split("```").next().unwrap();
        std::fs::write(bench.at("step.sh"), format!("set -e\n{block}")).unwrap();
        let ran = bench.sh(&bench.at("step.sh"), &[]);
        assert!(ran.status.success(), "{block}: {}", String::from_utf8_lossy(&ran.stderr));
    }
    // What it says of the JSON is there.
    let report = bench.json("report.json");
    let number = |path| at(&report, path).as_f64().unwrap();
    assert_eq!(report["trust"]["verdict"], "sound");
    assert!(report["assumptions"].is_array() && report["trust"]["reasons"].is_array());
    assert!(number("parts.0.share") > 0.1 && report["parts"][0]["significant"] == true);
    assert!(report["sentences"].as_array().is_some_and(|all| all.len() >= 3));
    let accounts = report["ledger"][0]["accounts"].as_array().unwrap();
    let sum: f64 = accounts.iter().map(|a| a["seconds"].as_f64().unwrap()).sum();
    assert!((sum - number("ledger.0.time_s")).abs() < 1e-9);
    assert_eq!(at(&report, "operations.0.callers.0"), "nn.Module: Mlp_0");
    let bottlenecks = report["bottlenecks"].as_array().unwrap();
    for b in bottlenecks {
        let operation = b["operation"].as_u64().unwrap() as usize;
        assert!(report["operations"][operation]["callers"].is_array());
        assert!(report["operations"][operation]["modules"].is_array());
        assert!(b["path_a"].as_str().is_some_and(|s| !s.is_empty()));
        assert!(b["path_b"].as_str().is_some_and(|s| !s.is_empty()));
        assert_eq!(b["validated"] == false, b["dismissed"] != "", "{b}");
    }
    assert!(bottlenecks.iter().any(|b| b["validated"] == false));
    assert!(
        report["findings"][0]["basis"].is_string() && report["findings"][0]["profile"].is_string()
    );
    let document = std::fs::read_to_string(bench.at("gemm_findings.md")).unwrap();
    for heading in ["## Overview", "## Key Bottlenecks", "- **Path A:**", "- **Priority:**"] {
        assert!(document.contains(heading), "{document}");
    }
    let history = bench.json("history.json");
    assert!(history["gemms"][0]["changes"].is_array() && history["gemms"][0]["lost_s"].is_number());
    let check = bench.json("check.json");
    assert_eq!(
        (&check["held"], &check["limits"][0]["rows"]),
        (&true.into(), &Value::Array(vec![]))
    );
}

#[test]
fn the_device_file_is_read() {
    let bench = Bench::new("device");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    std::fs::copy(root.join("docs/examples/device.json"), bench.at("device.json")).unwrap();
    std::fs::write(bench.at("bench.csv"), "M,N,K,dtype,time_us\n8192,8192,8192,bf16,7000\n")
        .unwrap();
    let script = bench.at("run.sh");
    let text =
        "gemmscope summary bench.csv device.json --device 'My card' --json > summary.jsonl\n";
    std::fs::write(&script, text).unwrap();
    assert_eq!(bench.sh(&script, &[]).status.code(), Some(0));
    let said = std::fs::read_to_string(bench.at("summary.jsonl")).unwrap();
    let first: Value = serde_json::from_str(said.lines().next().unwrap()).unwrap();
    // 2 x 8192^3 operations in 7 ms, of 312 TFLOP/s.
    let found = first["max_efficiency"].as_f64().unwrap();
    assert!((found - 0.5034).abs() < 1e-3, "{found}");
}

#[test]
fn the_tables_of_the_book_are_read_whole() {
    let bench = Bench::new("tables");
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/examples");
    for (name, format, rows) in
        [("own.csv", "generic", 4), ("own.jsonl", "json-rows", 2), ("own.txt", "document", 2)]
    {
        std::fs::copy(examples.join(name), bench.at(name)).unwrap();
        let script = bench.at("run.sh");
        let text = format!("gemmscope summary {name} --device h100-sxm --json > summary.jsonl\n");
        std::fs::write(&script, text).unwrap();
        assert_eq!(bench.sh(&script, &[]).status.code(), Some(0), "{name}");
        let said = std::fs::read_to_string(bench.at("summary.jsonl")).unwrap();
        let first: Value = serde_json::from_str(said.lines().next().unwrap()).unwrap();
        assert_eq!(first["format"], format, "{name}");
        assert_eq!(first["rows_used"], rows, "{name}");
        assert_eq!(first["rows_read"], rows, "{name}");
    }
}

/// Every shell block of the book is valid shell syntax.
#[test]
fn every_shell_block_of_the_book_parses() {
    let chapters = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/src");
    let mut seen = 0;
    for entry in std::fs::read_dir(chapters).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|e| e != "md") {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        for block in text.split("```sh\n").skip(1) {
            let block = block.split("```").next().unwrap();
            let ran = Command::new("sh").args(["-n", "-c", block]).output().unwrap();
            let said = String::from_utf8_lossy(&ran.stderr);
            assert!(ran.status.success(), "{}: {said}", path.display());
            seen += 1;
        }
    }
    assert!(seen > 20, "{seen} blocks");
}
