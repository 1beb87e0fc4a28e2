//! When, of what and where a benchmark ran.

use serde::{Deserialize, Serialize};

/// A run of a benchmark: what tells it from the other runs of the same GEMMs. A text is "" where it is not known.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RunInfo {
    /// Date, or date and time, as written; runs are ordered by it if it is one of ISO 8601
    /// ([`gemmscope_model::units::instant`]).
    pub when: String,
    /// Commit of what was measured.
    pub commit: String,
    /// Name or number of the run.
    pub run: String,
    /// Where it ran, as a fingerprint: host, device, clocks. Runs of two hosts do not compare without a word.
    pub host: String,
    /// Versions of driver and libraries.
    pub versions: String,
}

impl RunInfo {
    /// True if nothing is known.
    pub fn is_empty(&self) -> bool {
        *self == RunInfo::default()
    }

    /// Takes what is not known here from `other`.
    #[must_use]
    pub fn or(self, other: RunInfo) -> RunInfo {
        let first = |a: String, b: String| if a.is_empty() { b } else { a };
        RunInfo {
            when: first(self.when, other.when),
            commit: first(self.commit, other.commit),
            run: first(self.run, other.run),
            host: first(self.host, other.host),
            versions: first(self.versions, other.versions),
        }
    }

    /// What a file name says: a date (`2026-11-28`, `20261128`, also with a time behind it), a commit (7 to 40
    /// hexadecimal digits, 6 behind a date), a run (`run12`).
    ///
    /// ```
    /// use gemmscope_table::dataset::RunInfo;
    /// let run = RunInfo::of_file_name("runs/2026-11-28-c0ffee.csv.gz");
    /// assert_eq!((run.when.as_str(), run.commit.as_str()), ("2026-11-28", "c0ffee"));
    /// ```
    pub fn of_file_name(path: &str) -> RunInfo {
        let name = path.rsplit('/').next().unwrap_or(path);
        let stem = name.split_once('.').map_or(name, |(stem, _)| stem);
        let mut out = RunInfo::default();
        let words: Vec<&str> = stem.split(['-', '_', ' ', '+']).collect();
        let mut at = 0;
        while let Some(word) = words.get(at) {
            let lower = word.to_ascii_lowercase();
            if let Some((when, taken)) = date(&words[at..]).filter(|_| out.when.is_empty()) {
                (out.when, at) = (when, at + taken);
                continue;
            }
            let number = lower.strip_prefix("run").filter(|n| is_number(n));
            let behind = words.get(at + 1).filter(|n| lower == "run" && is_number(n));
            if let Some(number) = number.or(behind.copied()).filter(|_| out.run.is_empty()) {
                out.run = number.to_owned();
                at += usize::from(behind.is_some());
            } else if out.commit.is_empty() && is_commit(&lower, !out.when.is_empty()) {
                out.commit = lower;
            }
            at += 1;
        }
        out
    }
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

/// A short hash has digits and letters, unless it stands behind a date.
fn is_commit(word: &str, dated: bool) -> bool {
    let hex = word.bytes().all(|b| b.is_ascii_hexdigit());
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    let least = if dated { 6 } else { 7 };
    hex && (least..=40).contains(&word.len())
        && (digits > 0 || dated)
        && (digits < word.len() || word.len() >= 20)
}

/// A date at the start of these words as ISO 8601, and how many words it takes: `2026 11 28`, `20261128`,
/// `20261128T0930`, each with a time behind it.
fn date(words: &[&str]) -> Option<(String, usize)> {
    let first = *words.first()?;
    let (day, clock) =
        first.split_once(['T', 't']).map_or((first, ""), |(day, clock)| (day, clock));
    if day.len() == 8 && is_number(day) {
        let date = valid(&day[..4], &day[4..6], &day[6..])?;
        return Some((format!("{date}{}", time(clock)), 1));
    }
    let [year, month, rest] = words.get(..3)? else { return None };
    let (day, clock) = rest.split_once(['T', 't']).unwrap_or((rest, ""));
    let date = valid(year, month, day)?;
    // `T09-30-00`: file names have no colons.
    let more = words[3..].iter().take(2).take_while(|w| !clock.is_empty() && w.len() >= 2);
    let clocks: String = more.clone().copied().collect();
    let whole = time(&format!("{clock}{clocks}"));
    match whole.is_empty() || clocks.is_empty() {
        true => Some((format!("{date}{}", time(clock)), 3)),
        false => Some((format!("{date}{whole}"), 3 + more.count())),
    }
}

fn valid(year: &str, month: &str, day: &str) -> Option<String> {
    let number = |text: &str, length, from, to| {
        let value = Some(text).filter(|t| t.len() == length && is_number(t))?.parse().ok()?;
        (from..=to).contains(&value).then_some(value)
    };
    let (y, m, d): (u32, u32, u32) =
        (number(year, 4, 1990, 2199)?, number(month, 2, 1, 12)?, number(day, 2, 1, 31)?);
    Some(format!("{y}-{m:02}-{d:02}"))
}

/// `T09:30:00` of `0930`, `093000` or `093000Z`; "" of anything else.
fn time(digits: &str) -> String {
    let (digits, zone) = match digits.strip_suffix(['Z', 'z']) {
        Some(digits) => (digits, "Z"),
        None => (digits, ""),
    };
    if !is_number(digits) {
        return String::new();
    }
    let seconds = match digits.len() {
        4 => "00",
        6 => &digits[4..],
        _ => return String::new(),
    };
    format!("T{}:{}:{seconds}{zone}", &digits[..2], &digits[2..4])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_name_says_when_and_of_what() {
        let said = |name: &str| {
            let run = RunInfo::of_file_name(name);
            [run.when, run.commit, run.run].join("|")
        };
        for (name, want) in [
            ("2026-11-28-c0ffee.csv.gz", "2026-11-28|c0ffee|"),
            ("runs/bench_20261128T093000Z_1a2b3c4.csv", "2026-11-28T09:30:00Z|1a2b3c4|"),
            ("2026-11-28T09-30-00Z_abcdef1.csv", "2026-11-28T09:30:00Z|abcdef1|"),
            ("2026-11-28T0930-run7.csv", "2026-11-28T09:30:00||7"),
            ("gemm-run-12.csv", "||12"),
            ("h100_1234567.csv", "||"),
            ("h100-4096-4096-4096.csv", "||"),
            ("results_deadbeef.json", "||"),
            ("results_dead10f.json", "|dead10f|"),
            ("2026-13-41.csv", "||"),
            ("mi300x-libraries.csv", "||"),
            ("ünï-2026-11-28.csv", "2026-11-28||"),
            ("", "||"),
        ] {
            assert_eq!(said(name), want, "{name}");
        }
    }
}
