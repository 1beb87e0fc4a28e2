//! Replays of many GEMMs at once: one for each finding, or one for each GEMM.

use super::{Case, Replay, Tool, replay};
use crate::findings::Findings;
use crate::report;
use gemmscope_analysis::tile_roof::TileRoofs;
use gemmscope_model::gemm::Problem;
use gemmscope_table::dataset::ColumnMeaning;
use gemmscope_table::field::Frame;

/// A GEMM to replay, and why.
#[derive(Clone, Debug, PartialEq)]
pub struct Wanted {
    /// Its row.
    pub row: u32,
    /// The finding about it; "" if there is none.
    pub why: String,
    /// Part of its file names: the rule.
    pub word: String,
}

/// For each finding the GEMM named in its sentence, else the one with most time, followed by the faster run that it is
/// compared with. A GEMM of several findings is listed once.
pub fn of_findings(frame: &Frame, findings: &Findings) -> Vec<Wanted> {
    let data = &*frame.data;
    let mut seen: Vec<(Problem, &str)> = Vec::new();
    let mut out = Vec::new();
    for finding in &findings.findings {
        let total = |r: u32| data.time_s[r as usize] * frame.calls(r as usize);
        let timed = finding.evidence.rows.iter().copied().filter(|r| total(*r).is_finite());
        let longest = || timed.max_by(|a, b| total(*a).total_cmp(&total(*b)).then(b.cmp(a)));
        let Some(row) = finding.evidence.most.or_else(longest) else { continue };
        let mut add = |row: u32, why: String, word: String| {
            let what = data.text(ColumnMeaning::Library, row as usize);
            let gemm = (data.problem(row as usize), what);
            if !seen.contains(&gemm) {
                seen.push(gemm);
                out.push(Wanted { row, why, word });
            }
        };
        add(row, finding.heading(), finding.rule.replace('_', "-"));
        if let Some(faster) = finding.evidence.faster {
            let why = format!("the faster run behind “{}”", finding.heading());
            add(faster, why, "faster".to_owned());
        }
    }
    out
}

/// The bottlenecks of `gemm_findings.md` in order, for each the run with most time; and the names of those without a
/// shape to replay.
pub fn of_bottlenecks(frame: &Frame) -> (Vec<Wanted>, Vec<String>) {
    let report = report::of_achievable(frame);
    let (mut wanted, mut left_out) = (Vec::new(), Vec::new());
    for b in report.key_bottlenecks() {
        let o = &report.operations[b.operation];
        let total = |r: u32| frame.data.time_s[r as usize] * frame.calls(r as usize);
        let longest = o.rows.iter().copied().max_by(|x, y| total(*x).total_cmp(&total(*y)));
        match longest {
            Some(row) => {
                let why = format!("{} ({}): {}", o.name, o.problem, b.issue);
                wanted.push(Wanted { row, why, word: "bottleneck".to_owned() });
            }
            None => left_out.push(format!("{}: {}", o.name, o.problem)),
        }
    }
    (wanted, left_out)
}

/// Every GEMM that counts, once, in row order.
pub fn of_all(frame: &Frame) -> Vec<Wanted> {
    let mut seen = std::collections::HashSet::new();
    let rows = frame.counted().all();
    let data = &*frame.data;
    let first = |r: &&u32| {
        let r = **r as usize;
        let sizes = (data.m[r], data.n[r], data.k[r], data.batch[r]);
        seen.insert((sizes, data.op[r]))
    };
    rows.iter()
        .filter(first)
        .map(|&row| Wanted { row, why: String::new(), word: "gemm".to_owned() })
        .collect()
}

/// Tools that fit a row: the benchmark of the library that ran it, Triton for a Triton kernel, and always PyTorch.
pub fn tools(frame: &Frame, row: usize) -> Vec<Tool> {
    let data = &*frame.data;
    let text = |meaning| data.text(meaning, row).to_ascii_lowercase();
    let (library, kernel) = (text(ColumnMeaning::Library), text(ColumnMeaning::Kernel));
    let names = |words: &[&str]| words.iter().any(|w| library.contains(w) || kernel.contains(w));
    let device = frame.metrics.devices.get(usize::from(data.device[row]));
    let vendor = device.and_then(Option::as_ref).map_or("", |d| d.vendor.as_str());
    let mut out = vec![Tool::Pytorch];
    if names(&["triton"]) {
        out.push(Tool::Triton);
    }
    if names(&["rocblas"]) {
        out.push(Tool::RocblasBench);
    } else if names(&["hipblaslt", "cijk_"]) || (vendor == "AMD" && !names(&["triton"])) {
        out.push(Tool::HipblasltBench);
    }
    if names(&["cutlass"]) {
        out.push(Tool::CutlassProfiler);
    }
    out
}

/// The files of many replays, and those that could not be written.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bulk {
    /// Scripts, then `run_all.sh`, which runs those that print a line of CSV.
    pub files: Vec<Replay>,
    /// Reasons why a tool could not replay a GEMM, a sentence each.
    pub left_out: Vec<String>,
}

/// Writes the replays of all these GEMMs.
pub fn bulk(frame: &Frame, wanted: &[Wanted]) -> Bulk {
    let tiles = TileRoofs::new(&frame.data, &frame.metrics);
    let digits = wanted.len().to_string().len().max(2);
    let mut out = Bulk::default();
    let mut scripts: Vec<(String, &str)> = Vec::new();
    for (i, want) in wanted.iter().enumerate() {
        let row = want.row as usize;
        let case = Case::of(&frame.data, row, tiles.tile(row).map(|t| t.0));
        for tool in tools(frame, row) {
            match replay(&case, tool) {
                Ok(made) => {
                    let name = format!(
                        "{:0digits$}-{}-{}",
                        i + 1,
                        want.word,
                        made.file.trim_start_matches("replay-")
                    );
                    if name.ends_with(".py") {
                        let columns = match (case.column_major, case.problem.op.groups) {
                            (true, _) => "-blas",
                            (false, Some(_)) => "-grouped",
                            (false, None) => "",
                        };
                        scripts.push((name.clone(), columns));
                    }
                    out.files.push(Replay { text: with_reason(&made.text, &want.why), file: name });
                }
                Err(why) => out.left_out.push(format!("{}: {why}", case.problem)),
            }
        }
    }
    if !scripts.is_empty() {
        out.files.push(run_all(&scripts));
    }
    out
}

/// The files as one uncompressed tar archive (POSIX ustar), for a download.
pub fn archive(files: &[Replay]) -> Vec<u8> {
    const BLOCK: usize = 512;
    let mut out = Vec::new();
    for file in files {
        let mut head = [0u8; BLOCK];
        let mut put = |at: usize, text: &str, room: usize| {
            let bytes = &text.as_bytes()[..text.len().min(room)];
            head[at..at + bytes.len()].copy_from_slice(bytes);
        };
        // Name, mode, owner, group, size, time, a blank checksum, type, format.
        put(0, &format!("gemmscope-replays/{}", file.file), 100);
        let mode = if file.file.ends_with(".sh") { "0000755" } else { "0000644" };
        put(100, mode, 8);
        put(108, "0000000", 8);
        put(116, "0000000", 8);
        put(124, &format!("{:011o}", file.text.len()), 12);
        put(136, "00000000000", 12);
        put(148, "        ", 8);
        put(156, "0", 1);
        put(257, "ustar\u{0}00", 8);
        let sum: u32 = head.iter().map(|b| u32::from(*b)).sum();
        let sum = format!("{sum:06o}\u{0} ");
        head[148..156].copy_from_slice(sum.as_bytes());
        out.extend_from_slice(&head);
        out.extend_from_slice(file.text.as_bytes());
        out.resize(out.len().next_multiple_of(BLOCK), 0);
    }
    out.resize(out.len() + 2 * BLOCK, 0);
    out
}

/// The script with the finding in a comment at the top.
fn with_reason(text: &str, why: &str) -> String {
    if why.is_empty() {
        return text.to_owned();
    }
    let why = why.replace(['\n', '\r'], " ");
    let reason = format!("# Finding: {why}\n");
    match text.split_once('\n') {
        // After the shebang line.
        Some((first, rest)) if first.starts_with("#!") => format!("{first}\n{reason}{rest}"),
        _ => reason + text,
    }
}

/// A script that runs the others one after another, each with a word for the columns of its line; the lines make one
/// file that is read back, or one for each of these.
fn run_all(scripts: &[(String, &str)]) -> Replay {
    let several = scripts.iter().any(|s| s.1 != scripts[0].1);
    let results = |columns| format!("results{}.csv", if several { columns } else { "" });
    let mut text = String::from(
        "#!/bin/sh\n# Checks and times every replay; results.csv is read back by gemmscope.\n\
         cd \"$(dirname \"$0\")\" || exit 1\nfailed=0\n",
    );
    for (i, (name, columns)) in scripts.iter().enumerate() {
        let first = scripts[..i].iter().all(|s| s.1 != *columns);
        let (row, redirect) = if first { ("", ">") } else { (" --row", ">>") };
        let to = results(columns);
        text.push_str(&format!(
            "python3 {name}{row} {redirect} {to} || {{ echo \"{name} failed\" >&2; failed=1; }}\n"
        ));
    }
    text.push_str("exit $failed\n");
    Replay { file: "run_all.sh".to_owned(), text }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::check_all;
    use gemmscope_model::dtype::DataType;
    use gemmscope_model::gemm::Operation;
    use gemmscope_table::fixture::Rows;

    fn frame() -> Frame {
        let mut rows = Rows::new();
        for k in 1..5u32 {
            let time = if k == 2 { 3e-3 } else { 1e-4 * f64::from(k) };
            rows.row((4096, 4096, 1024 * k), "hipBLASLt", time, "");
        }
        rows.frame(Some("mi300x"))
    }

    #[test]
    fn each_finding_has_its_scripts_and_one_script_runs_them() {
        let frame = frame();
        let found = check_all(&frame);
        let wanted = of_findings(&frame, &found);
        assert!(!wanted.is_empty() && wanted[0].row == 1);
        let made = bulk(&frame, &wanted);
        assert!(made.left_out.is_empty());
        let names: Vec<&str> = made.files.iter().map(|f| f.file.as_str()).collect();
        assert!(names[0].starts_with("01-") && names[0].ends_with("-pytorch-4096x4096x2048.py"));
        assert!(names[1].contains("hipblaslt-bench"));
        let first = &made.files[0].text;
        assert!(first.starts_with(&format!("# Finding: {}", found.findings[0].title)));
        assert!(first.contains("torch.allclose(found, wanted, atol="));
        let all = &made.files.last().unwrap().text;
        assert!(all.contains(&format!("python3 {} > results.csv", names[0])), "{all}");
        assert_eq!(of_all(&frame).len(), 4);
        assert_eq!(bulk(&frame, &of_all(&frame)).files.len(), 9);
    }

    /// "Run both reproducers": the faster layout has its own, once for all findings that compare with it.
    #[test]
    fn a_finding_of_a_faster_run_has_both() {
        let mut rows = Rows::new();
        for (transposed, time) in [(false, 3e-4), (true, 9e-4)] {
            let op = Operation::uniform(DataType::Bf16).with_layout(transposed, transposed);
            rows.typed((4096, 4096, 4096), op, "hipBLASLt", time, "");
        }
        let frame = rows.frame(Some("mi300x"));
        let wanted = of_findings(&frame, &check_all(&frame));
        let pair: Vec<_> = wanted.iter().map(|w| (w.row, w.word.as_str())).take(2).collect();
        assert_eq!(pair, [(1, "layout"), (0, "faster")], "{wanted:?}");
        assert_eq!(wanted[1].why, format!("the faster run behind “{}”", wanted[0].why));
    }

    #[test]
    fn the_archive_is_read_by_tar() {
        let frame = frame();
        let made = bulk(&frame, &of_all(&frame));
        let tar = archive(&made.files);
        assert_eq!(tar.len() % 512, 0);
        let path = std::env::temp_dir().join(format!("gemmscope-{}.tar", std::process::id()));
        std::fs::write(&path, &tar).unwrap();
        let list = std::process::Command::new("tar").arg("-tf").arg(&path).output();
        std::fs::remove_file(&path).unwrap();
        let Ok(list) = list else {
            eprintln!("skipped: no tar here");
            return;
        };
        assert!(list.status.success(), "{list:?}");
        let names = String::from_utf8_lossy(&list.stdout).into_owned();
        let wanted: Vec<String> =
            made.files.iter().map(|f| format!("gemmscope-replays/{}", f.file)).collect();
        assert_eq!(names.lines().collect::<Vec<_>>(), wanted);
    }

    #[test]
    fn a_reason_never_ends_the_comment() {
        let text = with_reason("#!/bin/sh\n# x\n", "a\nrm -rf b");
        assert_eq!(text, "#!/bin/sh\n# Finding: a rm -rf b\n# x\n");
        assert_eq!(with_reason("# x\n", ""), "# x\n");
    }
}
