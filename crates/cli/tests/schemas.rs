//! The output of `--json` conforms to the schemas published with the documentation (`docs/src/schema/`).

#![allow(clippy::unwrap_used, reason = "a test that cannot go on says where")]

use serde_json::Value;
use std::collections::BTreeSet;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

fn root(path: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}

/// A schema that also refuses undescribed keys: users may get new ones, a test may not.
fn schema(name: &str) -> jsonschema::Validator {
    fn close(part: &mut Value) {
        match part {
            Value::Object(object) => {
                if object.contains_key("properties") {
                    let open = object.entry("additionalProperties");
                    open.or_insert(Value::Bool(false));
                }
                object.values_mut().for_each(close);
            }
            Value::Array(items) => items.iter_mut().for_each(close),
            _ => {}
        }
    }
    let text = std::fs::read_to_string(root("docs/src/schema").join(name)).unwrap();
    let mut schema: Value = serde_json::from_str(&text).unwrap();
    assert!(jsonschema::meta::is_valid(&schema), "{name}");
    close(&mut schema);
    jsonschema::validator_for(&schema).unwrap()
}

/// Exit code, standard output, standard error.
fn run(args: &[&str], stdin: &str) -> (i32, String, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_gemmscope"))
        .args(args)
        .current_dir(root(""))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A command that reads nothing has closed the pipe.
    let _ = child.stdin.take().unwrap().write_all(stdin.as_bytes());
    let ran = child.wait_with_output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (ran.status.code().unwrap(), text(ran.stdout), text(ran.stderr))
}

fn follows(schema: &jsonschema::Validator, text: &str, what: &str) -> Value {
    let value: Value = serde_json::from_str(text).unwrap_or_else(|e| panic!("{what}: {e}: {text}"));
    let errors: Vec<String> =
        schema.iter_errors(&value).map(|e| format!("{}: {e}", e.instance_path())).collect();
    assert!(errors.is_empty(), "{what}: {errors:#?}");
    value
}

/// Every kind of fixture, with a device if it names none.
const FILES: [&[&str]; 8] = [
    &["samples/tuning-history.csv", "--device", "a100-80-pcie"],
    &["samples/mi300x-libraries.csv"],
    &["samples/h100-flat-gemm.csv"],
    &["samples/h100-llm.csv", "tests/fixtures/device/two.json"],
    &["tests/fixtures/tracelens", "--device", "mi300x"],
    &["tests/fixtures/kineto", "--device", "h100-sxm"],
    &["tests/fixtures/generic", "--device", "mi300x"],
    &["tests/fixtures/blis/names_of_types.txt", "tests/fixtures/blis/output.m"],
];

#[test]
fn summaries_and_messages() {
    let (summary, message) = (schema("summary-1.json"), schema("message-1.json"));
    let mut kinds = BTreeSet::<&str>::new();
    let mut codes = BTreeSet::new();
    let more: [&[&str]; 4] =
        [&["no-such-file.csv"], &["-"], &["-", "--device", "quux"], &["tests/fixtures/errors"]];
    for files in FILES.iter().chain(&more) {
        let (_, out, err) = run(&[&["summary", "--json"], *files].concat(), "");
        for line in out.lines() {
            let value = follows(&summary, line, files[0]);
            let keys = ["format", "devices_defined", "context", "left_out", "error", "standing"];
            kinds.extend(keys.iter().filter(|k| value.get(*k).is_some()));
        }
        let (_, _, other) = run(&[&["report", "--json"], *files].concat(), "");
        for line in err.lines().chain(other.lines()) {
            let value = follows(&message, line, files[0]);
            codes.insert(value["code"].as_str().unwrap().to_owned());
        }
    }
    for kind in ["format", "devices_defined", "left_out", "error", "standing"] {
        assert!(kinds.contains(&kind), "{kinds:?}");
    }
    for code in ["usage", "cannot-read", "empty", "rows-skipped", "left-out", "no-rows"] {
        assert!(codes.contains(code), "{codes:?}");
    }
}

#[test]
fn an_error_names_file_and_line() {
    let message = schema("message-1.json");
    let path = std::env::temp_dir().join(format!("broken-{}.json", std::process::id()));
    std::fs::write(
        &path,
        "{\"name\": \"X\", \"bandwidth_bytes_per_s\": 1e12,\n\"peaks\": [{\"dtype\": \"fp17\"}]}\n",
    )
    .unwrap();
    let (code, out, err) = run(&["report", "--json", path.to_str().unwrap()], "");
    std::fs::remove_file(&path).unwrap();
    assert_eq!((code, out.as_str()), (1, ""));
    let first = follows(&message, err.lines().next().unwrap(), "broken");
    assert_eq!(first["level"], "error");
    assert!(first["file"].as_str().unwrap().starts_with("broken-"), "{first}");
    assert_eq!(first["line"], 2, "{first}");
    let (code, _, err) = run(&["check", "--json", "--nope"], "");
    assert_eq!(code, 2);
    assert_eq!(follows(&message, err.trim_end(), "usage")["code"], "usage");
}

#[test]
fn reports_and_rows() {
    let (report, rows) = (schema("report-4.json"), schema("rows-1.json"));
    let (mut findings, mut read) = (0, 0);
    for files in &FILES {
        let (code, out, err) = run(&[&["report", "--json"], *files].concat(), "");
        assert_eq!(code, 0, "{err}");
        let value = follows(&report, &out, files[0]);
        findings += value["findings"].as_array().unwrap().len();
        let (_, out, _) = run(&[&["convert", "--json", "-o", "-"], *files].concat(), "");
        let value = follows(&rows, &out, files[0]);
        read += value["rows"].as_array().unwrap().len();
    }
    assert!(findings > 10 && read > 500, "{findings} findings, {read} rows");
}

#[test]
fn published_times() {
    let reference = schema("reference-1.json");
    let (_, out, _) = run(&["reference", "--json"], "");
    assert_eq!(follows(&reference, &out, "tables")["tables"].as_array().unwrap().len(), 46);
    let shapes = ["4096x4096x4096", "1x1x9999999"];
    let (_, out, _) =
        run(&[&["reference", "h100-sxm", "bf16", "--json"], &shapes[..]].concat(), "");
    let times = follows(&reference, &out, "times")["times"].clone();
    assert!((times[0]["time_s"].as_f64().unwrap() * 1e6 - 166.0).abs() < 3.0, "{times}");
    assert!(times[1]["time_s"].is_null());
    let (code, _, err) = run(&["reference", "tpu-v4"], "");
    assert_eq!((code, err.contains("nothing is published")), (2, true), "{err}");

    // A GEMM at 231 µs is 39 % slower than others, one at 172 µs within their error.
    let rows = |us: u32| format!("M,N,K,dtype,time_us\n4096,4096,4096,bf16,{us}\n");
    let check = schema("check-1.json");
    let args = ["check", "-", "--json", "--device", "h100-sxm", "--against", "published"];
    for (us, most, code, slower) in [(231, "10%", 3, 1), (231, "40%", 0, 0), (172, "1%", 0, 0)] {
        let (exit, out, err) = run(&[&args[..], &["--max-slower", most]].concat(), &rows(us));
        let value = follows(&check, &out, "check");
        assert_eq!((exit, value["limits"][0]["compared"].as_u64()), (code, Some(1)), "{err}");
        assert_eq!(value["limits"][0]["rows"].as_array().unwrap().len(), slower);
    }
    let summary = ["summary", "-", "--json", "--device", "h100-sxm"];
    let (_, out, _) = run(&summary, &rows(231));
    let value = follows(&schema("summary-1.json"), &out, "summary");
    assert_eq!(value["reference"]["gemms"], 1);
    assert!((value["reference"]["of_reference"].as_f64().unwrap() - 0.719).abs() < 0.002);
    let account = |value: &Value| {
        let accounts = value["ledger"][0]["accounts"].as_array().unwrap().clone();
        accounts.iter().find(|a| a["account"] == "published").map(|a| a["seconds"].as_f64())
    };
    assert!(account(&value).flatten().is_some_and(|s| (s * 1e6 - 57.0).abs() < 1.0), "{out}");
    let (_, out, _) = run(&[&summary[..], &["--no-published"]].concat(), &rows(231));
    let value: Value = serde_json::from_str(&out).unwrap();
    assert!(account(&value).is_none() && value["reference"].is_null(), "{out}");
}

#[test]
fn dispatch_tables() {
    let dispatch = schema("dispatch-1.json");
    let mut picks = 0;
    for files in &FILES {
        let (code, out, err) = run(&[&["dispatch", "--json"], *files].concat(), "");
        match code {
            0 => {
                let value = follows(&dispatch, &out, files[0]);
                picks += value["picks"].as_array().unwrap().len();
                let (_, report, _) = run(&[&["report", "--json"], *files].concat(), "");
                let report: Value = serde_json::from_str(&report).unwrap();
                assert_eq!(report["best_of_all"]["picks"], value["picks"], "{}", files[0]);
            }
            _ => assert!(err.contains("nothing to choose between"), "{err}"),
        }
    }
    assert!(picks > 10, "{picks}");
}

/// All forms of output give the same totals and accounts: summary, check and report as JSON have the same ledger, and
/// each of its lines is in each text. `gemm_findings.md` is under the achievable roof, and has the lines of the chosen
/// roof beside its own.
#[test]
fn every_form_has_the_same_ledger() {
    let mut books = 0;
    for files in &FILES {
        let of = |command: &[&str]| run(&[command, *files].concat(), "").1;
        let json = |text: &str| -> Vec<Value> {
            text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
        };
        // Devices have no ledger; several files have one together.
        let ledger = |text: &str| -> Value {
            json(text).into_iter().rev().find_map(|v| v.get("ledger").cloned()).unwrap()
        };
        let check = ["check", "--min-efficiency", "1%"];
        let expected = ledger(&of(&["summary", "--json"]));
        books += expected.as_array().unwrap().len();
        assert_eq!(ledger(&of(&[&check[..], &["--json"]].concat())), expected, "{files:?}");
        assert_eq!(
            serde_json::from_str::<Value>(&of(&["report", "--json"])).unwrap()["ledger"],
            expected,
            "{files:?}"
        );
        let said = of(&["summary"]);
        let lines: Vec<&str> =
            said.lines().filter_map(|l| l.trim().strip_prefix("time goes to         ")).collect();
        assert_eq!(lines.len(), expected.as_array().unwrap().len(), "{said}");
        let plain = |text: String| text.replace('\\', "");
        let texts = [
            of(&check),
            plain(of(&[&check[..], &["--form", "markdown"]].concat())),
            plain(of(&["report"])),
            of(&["report", "--form", "html"]),
            plain(of(&["report", "--form", "summary"])),
        ];
        for (i, text) in texts.iter().enumerate() {
            for line in &lines {
                let line = if i == 3 { line.replace('&', "&amp;") } else { (*line).to_owned() };
                assert!(text.contains(&line), "{i}, {files:?}: {line}\n{text}");
            }
        }
    }
    assert!(books > 8, "{books}");
}

#[test]
fn rows_are_the_same_as_in_the_csv() {
    let files = ["samples/mi300x-libraries.csv", "-o", "-"];
    let (_, csv, _) = run(&[&["convert"], &files[..]].concat(), "");
    let (_, json, _) = run(&[&["convert", "--json"], &files[..]].concat(), "");
    let value: Value = serde_json::from_str(&json).unwrap();
    let rows = value["rows"].as_array().unwrap();
    assert_eq!(rows.len(), csv.lines().count() - 1);
    let names: Vec<&str> = csv.lines().next().unwrap().split(',').take(14).collect();
    for (row, line) in rows.iter().zip(csv.lines().skip(1)) {
        for (name, cell) in names.iter().zip(line.split(',')) {
            let same = match &row[name] {
                Value::String(text) => text == cell,
                Value::Number(number) => number.as_f64() == cell.parse().ok(),
                Value::Bool(yes) => cell.parse() == Ok(*yes),
                _ => cell.is_empty(),
            };
            assert!(same, "{name}: {} and {cell}", row[name]);
        }
    }
}

#[test]
fn verdicts() {
    let check = schema("check-1.json");
    let base = std::env::temp_dir().join(format!("base-{}.csv", std::process::id()));
    let line = |us: u32| format!("M,N,K,dtype,time_us\n4096,4096,4096,fp16,{us}\n");
    std::fs::write(&base, line(660)).unwrap();
    let baseline = base.to_str().unwrap();
    let limits = ["--device", "mi300x", "--min-efficiency", "15%", "--baseline", baseline];
    for (us, most, code, held) in
        [(690, "5%", 0, Some(true)), (690, "4%", 3, Some(false)), (900, "5%", 3, Some(false))]
    {
        let args = [&["check", "-", "--json", "--max-regression", most], &limits[..]].concat();
        let (exit, out, err) = run(&args, &line(us));
        let value = follows(&check, &out, "check");
        assert_eq!((exit, value["held"].as_bool()), (code, held), "{out} {err}");
        assert_eq!(value["limits"].as_array().unwrap().len(), 2);
        assert_eq!(value["limits"][1]["compared"], 1);
    }
    // Above the roof: not judged.
    let args = ["check", "-", "--json", "--device", "mi300x", "--min-efficiency", "10%"];
    let (exit, out, err) = run(&args, &line(52));
    let value = follows(&check, &out, "check");
    assert_eq!((exit, value["held"].is_null()), (1, true), "{out}");
    let said = follows(&schema("message-1.json"), err.trim_end(), "check");
    assert_eq!(said["code"], "not-judged");
    let markdown = ["check", "-", "--form", "markdown", "--max-regression", "4%"];
    let (exit, out, _) = run(&[&markdown, &limits[..]].concat(), &line(690));
    std::fs::remove_file(&base).unwrap();
    assert_eq!(exit, 3);
    assert!(out.starts_with("### GEMM check: FAIL\n"), "{out}");
    assert!(out.contains("| 660.0 µs | 690.0 µs | +4.5 % |"), "{out}");
}

#[test]
fn devices() {
    let (code, out, _) = run(&["devices", "--json"], "");
    assert_eq!(code, 0);
    let value = follows(&schema("devices-1.json"), &out, "devices");
    let (_, lines, _) = run(&["devices"], "");
    let devices = value["devices"].as_array().unwrap();
    assert_eq!(devices.len(), lines.lines().count());
    // Each is a file that gemmscope reads.
    let path = std::env::temp_dir().join(format!("device-{}.json", std::process::id()));
    for device in devices {
        std::fs::write(&path, device.to_string()).unwrap();
        let (code, out, err) = run(&["summary", "--json", path.to_str().unwrap()], "");
        assert_eq!((code, err.as_str()), (0, ""));
        let read: Value = serde_json::from_str(&out).unwrap();
        assert_eq!(read["devices_defined"][0], device["name"]);
    }
    std::fs::remove_file(&path).unwrap();
}

#[test]
fn histories() {
    let check = schema("check-1.json");
    let folder = std::env::temp_dir().join(format!("runs-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    for (day, us) in [(1, 660.0), (2, 661.0), (3, 660.5), (4, 661.0)] {
        let text = format!("M,N,K,dtype,time_us\n4096,4096,4096,fp16,{us}\n");
        std::fs::write(folder.join(format!("2026-11-0{day}.csv")), text).unwrap();
    }
    let runs = folder.to_str().unwrap();
    let (code, out, _) = run(&["history", runs, "--json"], "");
    let value = follows(&schema("history-1.json"), &out, "history");
    assert_eq!((code, value["runs"].as_array().unwrap().len()), (0, 4));
    let (code, out, _) = run(&["history", "samples/tuning-history.csv", "--json"], "");
    let value = follows(&schema("history-1.json"), &out, "generations");
    assert_eq!((code, &value["runs_are"]), (0, &"generations".into()));
    let slow = "M,N,K,dtype,time_us\n4096,4096,4096,fp16,800\n";
    let (code, out, _) = run(&["check", "-", "--json", "--history", runs], slow);
    std::fs::remove_dir_all(&folder).unwrap();
    let value = follows(&check, &out, "check");
    assert_eq!((code, &value["limits"][0]["limit"]), (3, &"over_time".into()), "{out}");
    assert_eq!(value["limits"][0]["rows"][0]["since"], "this run");
}
