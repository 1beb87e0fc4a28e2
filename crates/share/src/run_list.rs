//! The list of a project's runs over time: `history.json`, beside the runs as packed CSV. Nothing but files: whatever
//! serves the page serves them.
//!
//! ```
//! use gemmscope_share::run_list::RunList;
//! let text = format!(
//!     r#"{{"gemmscope_history": 1, "runs": [
//!         {{"when": "2026-11-28", "commit": "c0ffee", "rows": "runs/2026-11-28-c0ffee.csv.gz", "sha256": "{}"}}
//!     ]}}"#,
//!     "0".repeat(64)
//! );
//! let list = RunList::read(&text)?;
//! assert_eq!(list.runs[0].info.commit, "c0ffee");
//! # Ok::<(), String>(())
//! ```

use gemmscope_model::units::instant;
use gemmscope_table::dataset::RunInfo;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::cmp::Ordering;
use std::collections::HashSet;

/// A run of the list.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListedRun {
    /// When, of what and where.
    #[serde(flatten)]
    pub info: RunInfo,
    /// Its file, relative to the list.
    pub rows: String,
    /// SHA-256 of that file, 64 hexadecimal digits.
    pub sha256: String,
}

impl ListedRun {
    /// True if these are the bytes of its file.
    pub fn is(&self, bytes: &[u8]) -> bool {
        digest(bytes).eq_ignore_ascii_case(&self.sha256)
    }
}

/// Why a file is not read as a run.
pub const NOT_THE_LISTED: &str = "it is not the file that the list of runs names (sha256)";

/// SHA-256 as hexadecimal digits.
pub fn digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|b| format!("{b:02x}")).collect()
}

/// The runs, newest last.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunList {
    /// Version of the list.
    gemmscope_history: u32,
    /// The runs.
    pub runs: Vec<ListedRun>,
}

/// Version that this program writes and reads.
const VERSION: u32 = 1;
/// Most runs of a list that is read.
const MOST_RUNS: usize = 1000;
/// Most bytes of a list that is read.
pub const MOST_LIST: u64 = 1 << 20;
/// How many runs the page shows of a list: the newest.
pub const SHOWN_RUNS: usize = 40;

impl Default for RunList {
    fn default() -> Self {
        RunList { gemmscope_history: VERSION, runs: Vec::new() }
    }
}

impl RunList {
    /// True if a text may be a list of runs: no benchmark file has its key.
    pub fn is_list(text: &str) -> bool {
        text.trim_start().starts_with('{') && text.contains("\"gemmscope_history\"")
    }

    /// Reads a list.
    ///
    /// # Errors
    /// A sentence: no such list, of another version, with a path that leaves its folder or stands twice, or with a date
    /// that is none.
    pub fn read(text: &str) -> Result<RunList, String> {
        let list: RunList =
            serde_json::from_str(text).map_err(|e| format!("this list of runs is damaged: {e}"))?;
        if list.gemmscope_history != VERSION {
            let version = list.gemmscope_history;
            return Err(format!("this list of runs has version {version}; known is {VERSION}"));
        }
        if list.runs.len() > MOST_RUNS {
            return Err(format!("this list has more than {MOST_RUNS} runs"));
        }
        let mut files = HashSet::new();
        for run in &list.runs {
            if !files.insert(&run.rows) {
                return Err(format!("two runs of this list have one file: {}", run.rows));
            }
            let when = &run.info.when;
            if !when.is_empty() && instant(when).is_none() {
                return Err(format!("{}: “{when:.40}” is no date like 2026-11-28", run.rows));
            }
            if !is_below(&run.rows) {
                return Err(format!("a run's file has to lie below the list: {}", run.rows));
            }
            let hex = run.sha256.bytes().all(|b| b.is_ascii_hexdigit());
            if !hex || run.sha256.len() != 64 {
                return Err(format!("{}: its sha256 is no digest", run.rows));
            }
        }
        Ok(list)
    }

    /// The list as JSON, a run a line.
    pub fn write(&self) -> String {
        let runs: Vec<String> =
            self.runs.iter().map(|run| serde_json::to_string(run).unwrap_or_default()).collect();
        format!("{{\"gemmscope_history\": {VERSION}, \"runs\": [\n{}\n]}}\n", runs.join(",\n"))
    }

    /// Adds a run at its date and returns the oldest ones over `most`, which the list has no more.
    pub fn add(&mut self, run: ListedRun, most: usize) -> Vec<ListedRun> {
        self.runs.push(run);
        self.runs.sort_by(|a, b| {
            instant(&a.info.when).partial_cmp(&instant(&b.info.when)).unwrap_or(Ordering::Equal)
        });
        let over = self.runs.len().saturating_sub(most);
        self.runs.drain(..over).collect()
    }

    /// A file for a run that no other run of the list has: `runs/2026-11-28T09-30-00Z-c0ffee1.csv.gz`.
    pub fn file_of(&self, info: &RunInfo) -> String {
        let word = |text: &str, most: usize| -> String {
            let kept = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
            text.chars().take(most).map(kept).collect()
        };
        let words = [word(&info.when, 20), word(&info.commit, 7), word(&info.run, 20)];
        let words: Vec<&str> = words.iter().map(String::as_str).filter(|w| !w.is_empty()).collect();
        let stem = if words.is_empty() { "run".to_owned() } else { words.join("-") };
        let taken = |name: &String| self.runs.iter().any(|r| r.rows == *name);
        let numbered = (2..).map(|n| format!("runs/{stem}-{n}.csv.gz"));
        let mut names = std::iter::once(format!("runs/{stem}.csv.gz")).chain(numbered);
        names.find(|name| !taken(name)).unwrap_or_default()
    }
}

/// True for a relative path that stays below its folder and is no address.
fn is_below(path: &str) -> bool {
    let plain = path.chars().all(|c| !c.is_control() && !matches!(c, '\\' | ':' | '?' | '#' | '%'));
    plain && path.len() <= 200 && path.split('/').all(|part| !matches!(part, "" | "." | ".."))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(when: &str) -> ListedRun {
        let info = RunInfo { when: when.into(), commit: "c0ffee1234".into(), ..RunInfo::default() };
        let rows = RunList::default().file_of(&info);
        ListedRun { info, rows, sha256: "a".repeat(64) }
    }

    #[test]
    fn a_list_is_read_as_written_newest_last_and_bounded() {
        let mut list = RunList::default();
        for day in [3, 1, 2, 4] {
            let gone = list.add(run(&format!("2026-11-0{day}T09:30:00Z")), 3);
            assert_eq!(gone.len(), usize::from(day == 4));
        }
        let days: Vec<&str> = list.runs.iter().map(|r| r.info.when.as_str()).collect();
        assert!(days.is_sorted() && days.len() == 3 && days[0].starts_with("2026-11-02"));
        assert_eq!(list.runs[0].rows, "runs/2026-11-02T09-30-00Z-c0ffee1.csv.gz");
        let text = list.write();
        assert!(RunList::is_list(&text));
        assert_eq!(RunList::read(&text), Ok(list.clone()));
        // A second run of the commit at that time has its own file.
        assert!(list.file_of(&list.runs[0].info).ends_with("-c0ffee1-2.csv.gz"));
        let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        let known = ListedRun { sha256: abc.to_ascii_uppercase(), ..ListedRun::default() };
        assert!(known.is(b"abc") && !known.is(b"abd"));
        let hostile =
            RunInfo { when: "../../etc".into(), run: "a b/<c>".into(), ..RunInfo::default() };
        assert_eq!(list.file_of(&hostile), "runs/------etc-a-b--c-.csv.gz");
    }

    #[test]
    fn a_path_stays_below_the_list() {
        let mut list = RunList::default();
        list.add(run("2026-11-01"), 9);
        for bad in [
            "../x.csv",
            "/etc/passwd",
            "https://evil.net/x.csv",
            "a//b.csv",
            "./a.csv",
            "a\\b.csv",
            "",
            "runs/%2e%2e/x.csv",
            "//evil.net/x.csv",
            "a.csv?x",
            "javascript:x",
        ] {
            list.runs[0].rows = bad.into();
            assert!(RunList::read(&list.write()).is_err(), "{bad}");
        }
        list.runs[0] = ListedRun { sha256: "abc".into(), ..run("2026-11-01") };
        assert!(RunList::read(&list.write()).is_err());
        let newer = list.write().replace("_history\": 1", "_history\": 2");
        assert!(RunList::read(&newer).is_err_and(|why| why.contains("version 2")));
        assert!(!RunList::is_list("M,N,K\n1,2,3\n") && RunList::read("{}").is_err());
    }
}
