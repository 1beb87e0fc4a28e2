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
