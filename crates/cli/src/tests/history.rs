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

/// A list whose runs have these files, days and digests.
fn list(runs: &[(&str, &str, String)]) -> String {
    let run = |(rows, when, sha256): &(&str, &str, String)| {
        format!("{{\"when\": \"{when}\", \"rows\": \"{rows}\", \"sha256\": \"{sha256}\"}}")
    };
    let runs: Vec<String> = runs.iter().map(run).collect();
    format!("{{\"gemmscope_history\": 1, \"runs\": [{}]}}", runs.join(", "))
}

#[test]
fn a_list_of_somebody_else_removes_and_replaces_nothing() {
    let folder = Folder::new("hostile");
    let new = folder.put("new.csv", &rows(660.0));
    let site = folder.0.join("site");
    std::fs::create_dir_all(site.join("runs")).unwrap();
    let known = gemmscope_share::run_list::digest(b"kept");
    for name in ["index.html", "runs/other.csv.gz", "runs/own.csv.gz"] {
        std::fs::write(site.join(name), "kept").unwrap();
    }
    let other = "0".repeat(64);
    let old = list(&[
        ("index.html", "1970-01-01", known.clone()),
        ("history.json", "1970-01-02", other.clone()),
        ("runs/other.csv.gz", "1970-01-03", other.clone()),
        ("runs/own.csv.gz", "1970-01-04", known.clone()),
    ]);
    std::fs::write(site.join("history.json"), old).unwrap();
    let site_text = site.to_string_lossy().into_owned();
    let keep = |when: &str, most: &str| {
        command(&["history", &new, "--keep", &site_text, "--when", when, "--most", most], "")
    };
    assert_eq!(keep("2026-01-03", "1").0, 0);
    let there = |name: &str| site.join(name).exists();
    assert!(there("index.html") && there("history.json") && there("runs/other.csv.gz"));
    assert!(!there("runs/own.csv.gz"));
    // A run that is older than all that are kept is not kept, and that is said.
    let before = std::fs::read_to_string(site.join("history.json")).unwrap();
    let (code, out, err) = keep("2020-01-01", "1");
    assert!(code == 1 && out.is_empty() && err.contains("are all newer"), "{out}{err}");
    assert_eq!(std::fs::read_to_string(site.join("history.json")).unwrap(), before);
    // Two runs with one file, and a date that is none.
    for (bad, why) in [
        (list(&[("a.csv", "2026-01-01", other.clone()), ("a.csv", "", other.clone())]), "one file"),
        (list(&[("a.csv", "banana", other)]), "no date"),
    ] {
        std::fs::write(site.join("history.json"), bad).unwrap();
        let (code, _, err) = keep("2026-01-03", "1");
        assert!(code == 1 && err.contains(why), "{err}");
    }
}

#[cfg(unix)]
#[test]
fn links_in_the_folder_of_a_list_are_not_followed() {
    use std::os::unix::fs::symlink;
    let folder = Folder::new("linked");
    let new = folder.put("new.csv", &rows(660.0));
    for link in ["runs", "history.json"] {
        let site = folder.0.join(format!("site-{link}"));
        let elsewhere = folder.0.join(format!("elsewhere-{link}"));
        std::fs::create_dir_all(&site).unwrap();
        std::fs::create_dir_all(&elsewhere).unwrap();
        symlink(&elsewhere, site.join(link)).unwrap();
        let site = site.to_string_lossy().into_owned();
        let (code, _, err) = command(&["history", &new, "--keep", &site], "");
        assert!(code == 1 && err.contains("is a link"), "{err}");
        assert_eq!(std::fs::read_dir(elsewhere).unwrap().count(), 0);
    }
    // A device has no end.
    let site = folder.0.join("devices");
    std::fs::create_dir(&site).unwrap();
    symlink("/dev/zero", site.join("z.csv.gz")).unwrap();
    std::fs::write(site.join("history.json"), list(&[("z.csv.gz", "", "0".repeat(64))])).unwrap();
    let at = site.join("history.json").to_string_lossy().into_owned();
    let (code, _, err) = command(&["history", &at], "");
    assert!(code == 1 && err.contains("it is no file"), "{err}");
}

#[test]
fn runs_are_in_the_order_of_their_time_whatever_its_offset() {
    let folder = Folder::new("offsets");
    // The first is the earlier one by seven hours.
    let text = "date,M,N,K,dtype,time_us\n2026-01-02T01:00:00+09:00,4096,4096,4096,bf16,200\n\
                2026-01-01T23:00:00-08:00,4096,4096,4096,bf16,300\n";
    let file = folder.put("dates.csv", text);
    let (code, out, err) = command(&["history", &file], "");
    assert!(code == 0 && out.contains("+50"), "{out}{err}");
}
