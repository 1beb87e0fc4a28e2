//! One line for each real file in the folder that `GEMMSCOPE_DATA` names, and the GEMMs of each trace beside those of
//! its report: `make test-real DATA=FOLDER`.
//!
//! Columns: format, rows used of those read, devices, types, how many of the file's own rates are within 1 % of work
//! over time, and the open questions of the file.

use gemmscope_import::{ImportOptions, Imported, read_all};
use gemmscope_table::dataset::{ColumnMeaning, Dataset};
use gemmscope_table::trace;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Minimum share of a report's GEMMs that its trace must yield.
const KEYS: f64 = 0.95;

fn main() -> ExitCode {
    let Some(root) = std::env::var_os("GEMMSCOPE_DATA").map(PathBuf::from) else {
        eprintln!("GEMMSCOPE_DATA names no folder: make test-real DATA=FOLDER");
        return ExitCode::FAILURE;
    };
    let mut paths = Vec::new();
    walk(&root, &mut paths);
    paths.sort();
    let mut tables: Vec<(PathBuf, Dataset)> = Vec::new();
    println!("{:<62} format, rows used/read, devices, types, rates, open", "file");
    for path in &paths {
        let name = path.strip_prefix(&root).unwrap_or(path).to_string_lossy().into_owned();
        let Ok(bytes) = std::fs::read(path) else {
            println!("{name:<62} cannot be read");
            continue;
        };
        let words = match read_all(&name, &bytes, &ImportOptions::default()) {
            Ok(Imported::Table(data)) => {
                let words = line(&data);
                tables.push((path.clone(), *data));
                words
            }
            Ok(Imported::Devices(devices)) => format!("{} device(s)", devices.len()),
            Ok(Imported::Context(_)) => "surroundings of a table".to_owned(),
            Err(e) => format!("refused: {e}"),
        };
        println!("{name:<62} {words}");
    }
    give_captures(&mut tables, &root);
    let (found, all) = compare(&tables, &root);
    println!("\nGEMMs of reports that their trace gives too: {found} of {all}");
    if (found as f64) < KEYS * all as f64 {
        eprintln!("fewer than {} %", KEYS * 100.0);
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

fn walk(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            walk(&path, out);
        } else if path.extension().is_none_or(|e| e != "md") {
            out.push(path);
        }
    }
}

fn line(data: &Dataset) -> String {
    let (mut used, mut read) = (0, 0);
    let mut open: Vec<String> = Vec::new();
    let (mut compared, mut within) = (0, 0);
    for s in &data.sources {
        used += s.rows_used;
        read += s.rows_read;
        compared += s.reported_rate.compared;
        within += s.reported_rate.within_1_percent;
        open.extend(s.assumptions.iter().map(|a| match a.value.as_str() {
            "" => a.key.clone(),
            value => format!("{}={value}", a.key),
        }));
    }
    let types: std::collections::BTreeSet<&str> = data.ops.iter().map(|op| op.a.id()).collect();
    let types: Vec<&str> = types.into_iter().collect();
    let devices: Vec<&str> =
        data.devices.iter().map(String::as_str).filter(|d| !d.is_empty()).collect();
    let rates = if compared > 0 { format!("{within}/{compared}") } else { "-".to_owned() };
    let or = |words: &[&str]| {
        if words.is_empty() { "-".to_owned() } else { words.join(" + ") }
    };
    format!(
        "{}, {used}/{read}, {}, {}, {rates}, {}",
        data.sources.first().map_or("", |s| s.format.as_str()),
        or(&devices),
        or(&types),
        open.join("; ")
    )
}

/// Reads traces with graph launches again, with the captures beside them.
fn give_captures(tables: &mut [(PathBuf, Dataset)], root: &Path) {
    for i in 0..tables.len() {
        let Some(folder) = tables[i].0.parent() else { continue };
        let beside: Vec<&Dataset> =
            tables.iter().filter(|(p, _)| p.starts_with(folder)).map(|(_, d)| d).collect();
        let at = beside.iter().position(|d| std::ptr::eq(*d, &tables[i].1));
        let captures = trace::missing_captures(&beside, at.unwrap_or(usize::MAX));
        if captures.is_empty() {
            continue;
        }
        let options = ImportOptions { captures, ..ImportOptions::default() };
        let path = tables[i].0.clone();
        let name = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().into_owned();
        if let Ok(bytes) = std::fs::read(&path)
            && let Ok(Imported::Table(data)) = read_all(&name, &bytes, &options)
        {
            tables[i].1 = *data;
        }
    }
}

/// Compares each trace with the GEMM sheet in its folder: operation, sizes, calls, time.
fn compare(tables: &[(PathBuf, Dataset)], root: &Path) -> (usize, usize) {
    let (mut found, mut all) = (0, 0);
    println!();
    for (path, report) in tables {
        if path.file_name().is_none_or(|n| n != "GEMM.csv") {
            continue;
        }
        let traces = tables.iter().filter(|(p, d)| {
            p.parent() == path.parent() && d.sources.iter().any(|s| s.format == "kineto")
        });
        let traces: Vec<&Dataset> = traces.map(|(_, d)| d).collect();
        if traces.is_empty() {
            continue;
        }
        let (mut here, mut missing) = (0, Vec::new());
        for row in 0..report.len() {
            let same = |t: &&Dataset| (0..t.len()).any(|r| key_is(t, r, report, row));
            if traces.iter().any(same) {
                here += 1;
            } else {
                missing.push(format!(
                    "{} {}x{}x{}",
                    report.text(ColumnMeaning::OpName, row),
                    report.m[row],
                    report.n[row],
                    report.k[row]
                ));
            }
        }
        let name = path.strip_prefix(root).unwrap_or(path).display().to_string();
        println!("{name:<62} {here} of {} {}", report.len(), missing.join(", "));
        found += here;
        all += report.len();
    }
    (found, all)
}

fn key_is(a: &Dataset, i: usize, b: &Dataset, j: usize) -> bool {
    let sum = |d: &Dataset, r: usize| d.time_s[r] * d.count(r);
    a.text(ColumnMeaning::OpName, i) == b.text(ColumnMeaning::OpName, j)
        && [a.m[i], a.n[i], a.k[i], a.batch[i]] == [b.m[j], b.n[j], b.k[j], b.batch[j]]
        && a.ops[usize::from(a.op[i])].a == b.ops[usize::from(b.op[j])].a
        && a.count(i) == b.count(j)
        && (sum(a, i) / sum(b, j) - 1.0).abs() < 1e-3
}
