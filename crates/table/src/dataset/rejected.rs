//! Rejected rows, counted by reason, and their download as CSV.

use crate::native_csv::{guard, push_quoted};
use serde::{Deserialize, Serialize};

/// A reason for rejecting rows, and how many it applies to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RejectReason {
    /// Short, stable sentence: `time is zero (mean_microseconds)`.
    pub text: String,
    /// Number of rows with this reason.
    pub count: u64,
    /// The first few line numbers.
    pub first_lines: Vec<u32>,
    /// Column (1-based) and offending text of the first such row.
    pub example: Option<(u32, String)>,
}

/// Rejected rows of a file with line and reason. Their text is kept up to a limit, so that a million of them take no
/// more memory than the file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Rejected {
    /// Distinct reasons in file order; the index is the code.
    pub reasons: Vec<RejectReason>,
    /// Line of each row.
    #[serde(skip)]
    pub lines: Vec<u32>,
    /// Reason of each row.
    #[serde(skip)]
    pub codes: Vec<u16>,
    /// Raw text of the rows, concatenated, up to 32 MiB.
    #[serde(skip)]
    pub text: Vec<u8>,
    /// End of each kept row in `text`; shorter than `lines` once the limit is reached.
    #[serde(skip)]
    pub text_ends: Vec<u32>,
}

impl Rejected {
    /// Maximum bytes of raw rows kept for download.
    pub(crate) const TEXT_LIMIT: usize = 32 << 20;

    /// Maximum number of distinct reasons; the last one stands for all further reasons.
    const MOST_REASONS: usize = 256;
    const FURTHER: &str = "another reason: there are more than 255 different ones";

    /// Puts the rows of another list first. Of the rows that were here only the counts are kept, not the lines.
    pub fn precede(&mut self, first: &Rejected) {
        let known = std::mem::take(&mut self.reasons);
        *self = first.clone();
        self.reasons.extend(known);
    }

    /// Number of rejected rows.
    pub fn total(&self) -> u64 {
        self.reasons.iter().map(|r| r.count).sum()
    }

    /// Records one row. `column` is 1-based.
    pub(crate) fn push(
        &mut self,
        line: u32,
        reason: &str,
        offending: Option<(u32, &str)>,
        raw: &[u8],
    ) {
        let known = self.reasons.iter().position(|r| r.text == reason);
        let code = known.unwrap_or_else(|| {
            let at = self.reasons.len().min(Self::MOST_REASONS - 1);
            if at == self.reasons.len() {
                let last = at + 1 == Self::MOST_REASONS;
                self.reasons.push(RejectReason {
                    text: if last { Self::FURTHER } else { reason }.to_owned(),
                    count: 0,
                    first_lines: Vec::new(),
                    example: offending.map(|(c, t)| (c, t.chars().take(80).collect())),
                });
            }
            at
        });
        let entry = &mut self.reasons[code];
        entry.count += 1;
        if entry.first_lines.len() < 8 {
            entry.first_lines.push(line);
        }
        self.lines.push(line);
        self.codes.push(u16::try_from(code).unwrap_or(u16::MAX));
        if self.text_ends.len() + 1 == self.lines.len()
            && self.text.len() + raw.len() <= Self::TEXT_LIMIT
        {
            self.text.extend_from_slice(raw);
            self.text_ends.push(u32::try_from(self.text.len()).unwrap_or(u32::MAX));
        }
    }

    /// Approximate size in bytes.
    pub(crate) fn memory(&self) -> usize {
        self.lines.len() * 10 + self.text.len()
    }

    /// Raw text of the `i`-th row, if it was kept.
    pub fn raw(&self, i: usize) -> Option<&[u8]> {
        let end = *self.text_ends.get(i)? as usize;
        let start = if i == 0 { 0 } else { self.text_ends[i - 1] as usize };
        self.text.get(start..end)
    }

    /// CSV with a header: line, reason, text. The text is empty if it was not kept.
    pub fn to_csv(&self) -> String {
        let mut out = String::from("line,reason,text\n");
        for (i, (line, code)) in self.lines.iter().zip(&self.codes).enumerate() {
            let reason = self.reasons.get(usize::from(*code)).map_or("", |r| r.text.as_str());
            let raw = self.raw(i).unwrap_or_default();
            let raw = String::from_utf8_lossy(raw);
            out.push_str(&format!("{line},"));
            push_quoted(&mut out, &guard(reason));
            out.push(',');
            push_quoted(&mut out, &guard(raw.trim_end_matches(['\r', '\n'])));
            out.push('\n');
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_quoted_and_harmless() {
        let mut rejected = Rejected::default();
        rejected.push(7, "time is zero", None, b"a,\"b\",0\r\n");
        rejected.push(9, "time is zero", None, b"=cmd()");
        assert_eq!(
            rejected.to_csv(),
            "line,reason,text\n7,\"time is zero\",\"a,\"\"b\"\",0\"\n9,\"time is zero\",\"'=cmd()\"\n"
        );
    }

    #[test]
    fn a_file_without_usable_rows_says_why_and_what_to_do() {
        let mut s = crate::dataset::Source::default();
        assert_eq!(s.why_unusable().as_deref(), Some("no rows"));
        s.reject(3, "M is zero", b"");
        s.reject(4, "time is zero", b"");
        s.reject(5, "time is zero", b"");
        assert_eq!(s.why_unusable().as_deref(), Some("2 rows skipped: time is zero"));
        s.without_model.rows = 5;
        s.remedy = "record with record_shapes=True".to_owned();
        assert_eq!(
            s.why_unusable().as_deref(),
            Some("5 kernel calls without shapes: record with record_shapes=True")
        );
        s.rows_used = 1;
        assert_eq!(s.why_unusable(), None);
    }

    #[test]
    fn each_row_keeps_its_reason_up_to_a_number_of_them() {
        let mut s = Rejected::default();
        for i in 0..100_000u32 {
            s.push(i, &format!("reason {}", i % 70_000), None, b"");
        }
        assert_eq!((s.total(), s.reasons.len()), (100_000, Rejected::MOST_REASONS));
        for (line, code) in s.lines.iter().zip(&s.codes) {
            let reason = &s.reasons[usize::from(*code)].text;
            let own = *reason == format!("reason {}", line % 70_000);
            assert!(own || reason == Rejected::FURTHER, "{line}: {reason}");
        }
        assert_eq!(s.reasons[0].count, 2);
    }

    #[test]
    fn rejected_rows_count_without_keeping_a_string_per_row() {
        let mut s = Rejected::default();
        for line in 0..1000 {
            s.push(line, "time is zero (us)", Some((4, "0")), b"1,2,3,0");
        }
        assert_eq!((s.total(), s.reasons.len()), (1000, 1));
        assert_eq!(s.reasons[0].first_lines.len(), 8);
        assert_eq!(s.raw(999), Some(&b"1,2,3,0"[..]));
    }
}
