//! Counts what a table has besides its rows, for the file's card.

use gemmscope_model::units::plural;
use gemmscope_table::build::TableBuilder;

/// Counts of lines that are not rows, and of rows with a remark.
#[derive(Debug, Default)]
pub(super) struct Seen {
    pub before: u64,
    pub aside: u64,
    pub repeated: u64,
    /// Number of different headers, and the line of the first.
    pub others: (u64, u32),
    pub comments: u64,
    pub summaries: u64,
    /// Number of rows with more cells than the header, and the line of the first.
    pub longer: (u64, u32),
    /// An earlier row had fewer cells than the header.
    pub shorter: bool,
    /// Failed variants of a tuning history, and the number of those with a time.
    pub failed: (u64, u64),
}

impl Seen {
    /// Adds the notes to the file's card.
    pub(super) fn remark(&self, has_plan: bool, t: &mut TableBuilder) {
        if self.before > 0 && has_plan {
            t.note(format!("Skipped {} before the header.", plural(self.before, "line")));
        }
        let (failed, timed) = self.failed;
        if failed > 0 {
            let but = match timed {
                0 => String::new(),
                n => format!(
                    " {n} of them state a time; it is kept as the time of the failed run and \
                     counts in no total."
                ),
            };
            t.note(format!("Tuning history: {failed} failed variant(s) kept without a time.{but}"));
        }
        if self.repeated > 0 {
            t.note(format!("Skipped {}.", plural(self.repeated, "repeated header")));
        }
        let (others, first) = self.others;
        if others > 0 {
            t.note(format!(
                "{} unlike the first (in line {first}): the rows below are set aside. Give each \
                 table a file of its own.",
                plural(others, "header")
            ));
        }
        if self.aside > 0 {
            t.note(format!("{} without a result.", plural(self.aside, "line")));
        }
        if self.comments > 0 {
            t.note(format!("Skipped {} of comments and rules.", plural(self.comments, "line")));
        }
        if self.longer.0 > 0 {
            t.note(format!(
                "Rows with more cells than the header: {} (first in line {}); extra cells \
                 dropped.",
                self.longer.0, self.longer.1
            ));
        }
        if self.summaries > 0 {
            t.note("The “average” line at the end is left out.");
        }
    }
}
