//! Runs over time: `history`, lists of runs, `check --history`.

use super::{Folder, command};
use serde_json::Value;

/// Three GEMMs; the first takes `us`.
fn rows(us: f64) -> String {
    format!(
        "M,N,K,dtype,time_us\n4096,4096,4096,fp16,{us}\n8192,8192,8192,fp16,{}\n512,4096,4096,fp16,{}\n",
        5100.0 + us / 100.0,
        110.0 + us / 1000.0
    )
}

/// Six runs, of which those from `slow_from` on take 10 % more.
fn six(folder: &Folder, slow_from: usize) -> Vec<String> {
    let run = |day: usize| {
        let slow = if day >= slow_from { 1.1 } else { 1.0 };
        let wobble = [660.0, 661.5, 659.8, 660.9, 660.2, 661.1][day - 1];
        folder.put(&format!("2026-11-0{day}-c0ffee{day}.csv"), &rows(wobble * slow))
    };
    (1..=6).map(run).collect()
}

#[test]
fn a_history_says_what_changed_and_since_when() {
    let folder = Folder::new("history");
    let runs = six(&folder, 5);
    // The order of the arguments does not matter: dates are in the names.
    let mut args = vec!["history", "--device", "mi300x"];
    args.extend(runs.iter().rev().map(String::as_str));
    let (code, out, err) = command(&args, "");
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    let first = "6 runs, 2026-11-01 to 2026-11-06: 1 of 3 GEMMs became slower, none faster.\n";
    assert!(out.starts_with(first), "{out}");
    assert!(out.contains("660 µs → 727 µs (+10") && out.contains("from c0ffee5 on"), "{out}");
    args.push("--json");
    let (_, out, _) = command(&args, "");
    let all: Value = serde_json::from_str(&out).unwrap();
    let changes = all["gemms"][0]["changes"].as_array().unwrap();
    assert_eq!((changes.len(), &changes[0]["run"]), (1, &4.into()), "{out}");
    assert_eq!(changes[0]["verdict"], "change");
    // One run is no history.
    let (code, _, err) = command(&["history", &runs[0]], "");
    assert!(code == 1 && err.contains("at least two runs"), "{err}");
    // Generations are a history too; their percent changes are those of the report.
    let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/../../samples/tuning-history.csv");
    let (code, out, _) = command(&["history", sample], "");
    assert!(code == 0 && out.contains("+15 %, +8.4 %, −11.8 %, +11 %"), "{out}");
}

#[test]
fn runs_are_kept_in_a_list_that_is_bounded_and_checked() {
    let folder = Folder::new("kept");
    let runs = six(&folder, 9);
    let site = folder.0.join("site").to_string_lossy().into_owned();
    for (day, run) in (1..).zip(&runs) {
        // A benchmark writes the same file each time.
        let text = std::fs::read_to_string(run).unwrap();
        let run = &folder.put("new.csv", &text);
        let (when, commit) = (format!("2026-11-0{day}"), format!("c0ffee{day}"));
        let args = ["history", run, "--keep", &site, "--when", &when, "--commit", &commit];
        let (code, _, err) = command(&[&args[..], &["--host", "gpu1", "--most", "4"]].concat(), "");
        assert_eq!((code, err.as_str()), (0, ""));
    }
    let list = folder.0.join("site/history.json");
    let text = std::fs::read_to_string(&list).unwrap();
    assert_eq!(text.matches("\"host\":\"gpu1\"").count(), 4);
    assert_eq!(std::fs::read_dir(folder.0.join("site/runs")).unwrap().count(), 4);
    let list = list.to_string_lossy().into_owned();
    // The folder holds the files of the list: each run counts once.
    for of in [&list, &site] {
        let (code, out, err) = command(&["history", of], "");
        assert!(
            code == 0 && out.starts_with("4 runs, 2026-11-03 to 2026-11-06: no change"),
            "{out}{err}"
        );
    }
    // Another file in the place of a run is not read as that run.
    let rows = folder.0.join("site/runs/2026-11-04-c0ffee4.csv.gz");
    std::fs::write(&rows, "M,N,K,dtype,time_us\n64,64,64,fp16,1\n").unwrap();
    let (code, out, err) = command(&["history", &list], "");
    assert!(err.contains("is not the file that the list of runs names"), "{err}");
    assert!(code == 1 && out.starts_with("3 runs"), "{out}");
    // What is no list any more is not written over.
    std::fs::write(&list, "{\"gemmscope_history\": 9, \"runs\": []}").unwrap();
    let (code, _, err) = command(&["history", &runs[0], "--keep", &site], "");
    assert!(code == 1 && err.contains("version 9"), "{err}");
    assert!(std::fs::read_to_string(&list).unwrap().contains(": 9"));
}

#[test]
fn a_check_breaks_on_a_change_once_and_not_on_noise() {
    let folder = Folder::new("course");
    let runs = six(&folder, 9);
    let history = folder.0.join("runs");
    std::fs::create_dir(&history).unwrap();
    let keep = |path: &str, name: &str| std::fs::copy(path, history.join(name)).unwrap();
    for run in &runs {
        keep(run, run.rsplit('/').next().unwrap());
    }
    let before = history.to_string_lossy().into_owned();
    let check = |us: f64, more: &[&str]| {
        let args = ["check", "-", "--device", "mi300x", "--history", &before];
        command(&[&args[..], more].concat(), &rows(us))
    };
    let (code, out, _) = check(664.0, &[]);
    assert!(code == 0 && out.contains("0 of 3 GEMMs"), "{out}");
    let (code, out, _) = check(730.0, &["--form", "markdown", "--run", "c0ffee7"]);
    assert_eq!(code, 3);
    assert!(out.contains("| c0ffee&#8203;7 |") && out.contains("+10."), "{out}");
    assert!(out.contains("The last runs:\n\n- ▁▁▁▁▁▁▃ "), "{out}");
    // The history has the runs: the comment carries none.
    assert!(!out.contains("<!-- gemmscope-runs"), "{out}");
    // A larger limit than the change.
    assert_eq!(check(730.0, &["--max-regression", "20%"]).0, 0);
    // Once the slow run is part of the history, the next one is nothing new.
    let slow = folder.put("slow.csv", &rows(730.0));
    keep(&slow, "2026-11-07-c0ffee7.csv");
    let (code, out, _) = check(731.0, &[]);
    assert_eq!(code, 0, "{out}");
    // A GEMM that is not measured any more breaks the limit too.
    let few = "M,N,K,dtype,time_us\n4096,4096,4096,fp16,731\n";
    let args = ["check", "-", "--device", "mi300x", "--history", &before];
    let (code, out, _) = command(&args, few);
    assert!(code == 3 && out.contains("2 of 3 are missing"), "{out}");
    assert_eq!(command(&[&args[..], &["--allow-missing"]].concat(), few).0, 0);
    let both = [&args[..], &["--baseline", &slow]].concat();
    assert_eq!(command(&both, few).0, 2);
}
