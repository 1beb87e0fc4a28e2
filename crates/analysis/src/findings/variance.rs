//! Rule: calls of one GEMM differ much in time.

use super::story::{self, Hit, Story};
use super::{Category, Confidence, Need, Rule, Scan};
use gemmscope_model::units::percent;
use gemmscope_table::dataset::ColumnMeaning;

/// A standard deviation over mean above this is flagged.
pub(super) const SPREAD: f64 = 0.20;
/// Smallest number of calls from which the spread is meaningful.
pub(super) const MIN_CALLS: f64 = 5.0;

pub(super) const RULE: Rule = Rule {
    id: "variance",
    title: "High variance",
    category: Category::Stability,
    needs: &[Need::Time, Need::Column(ColumnMeaning::TimeStd, "a standard deviation of the time")],
    threshold: "standard deviation over 20 % of the mean, from 5 calls on",
    confidence: Confidence::Certain,
    why: "Calls of the same GEMM take very different times, so that their mean describes none of \
          them.",
    path_a: "Look at what runs beside it (communication, other streams, first calls of a graph).",
    path_b: "Measure again with locked clocks and warm-up before tuning anything.",
    profile: "Check clocks, neighbours and first calls in a timeline before naming a cause.",
    check,
};

fn check(rule: &Rule, scan: &Scan<'_>) -> Vec<super::Finding> {
    let data = scan.data();
    let Some(std) = data.numbers(ColumnMeaning::TimeStd) else {
        return Vec::new();
    };
    let spread = |g: &super::Group| std[g.row as usize] / data.time_s[g.row as usize];
    let hits = scan
        .checked()
        .filter(|(_, g)| {
            // Rows without a count have several runs if they have a deviation.
            let enough = g.calls >= MIN_CALLS || g.calls == f64::from(g.len);
            enough && spread(g) > SPREAD
        })
        .map(|(i, _)| Hit {
            group: i,
            // Calls that vary are a doubt about the measurement, not time to save.
            back: None,
        })
        .collect();
    story::findings(
        rule,
        scan,
        hits,
        |_, g| {
            let (s, mean) = (std[g.row as usize], data.time_s[g.row as usize]);
            Story {
                title: format!("Times spread by {}: {}", percent(s / mean), scan.title(g)),
                text: format!(
                    "{}. The standard deviation is {}.",
                    story::opening(scan, g),
                    story::time(s)
                ),
                formula: format!(
                    "standard deviation / mean = {} / {} = {}",
                    story::time(s),
                    story::time(mean),
                    percent(s / mean)
                ),
                ..Story::default()
            }
        },
        |n| format!("{n} GEMMs with widely spread times"),
    )
}
