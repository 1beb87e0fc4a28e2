//! Texts of findings: title, description, formula, advice.
//!
//! `gemmscope-analysis` finds and ranks; here each of its [facts](gemmscope_analysis::findings::Fact) becomes text.
//!
//! ```no_run
//! # use gemmscope_table::field::Frame;
//! # use gemmscope_words::findings;
//! # fn show(frame: &Frame) {
//! let report = findings::check_all(frame);
//! for finding in &report.findings {
//!     println!("{}: {}", finding.severity.label(), finding.title);
//! }
//! # }
//! ```

use gemmscope_analysis::findings::{self as facts, Fact, FindingFacts, FrameFacts, Scan};
use gemmscope_analysis::ledger::Partners;
use gemmscope_model::pass;
use gemmscope_table::field::Frame;
use std::sync::Arc;
use story::Story;

mod advice;
mod causes;
mod checked;
mod finding;
mod ideas;
mod questions;
mod rules;
mod story;
mod timeline;

pub(crate) use causes::own_paths;
pub use checked::{Checked, Findings, need};
pub use finding::Finding;
pub(crate) use questions::{
    NOISE, above_roof_cause, built_for, built_for_another, far_below_question,
};
pub use rules::{RULE_TEXTS, RuleText, rule_text};

/// Checks all rules at once.
pub fn check_all(frame: &Frame) -> Findings {
    pass::at_once(check(frame, None, &async |_| ())).0
}

/// Checks all rules over the rows of a frame and words the findings; also returns the grouped rows. As
/// [`gemmscope_analysis::findings::check`].
pub async fn check<'a>(
    frame: &'a Frame,
    partners: Option<Arc<Partners>>,
    pause: &impl AsyncFn(&'static str),
) -> (Findings, Scan<'a>) {
    let (found, scan) = facts::check(frame, partners, pause).await;
    (told(&scan, found), scan)
}

/// Words the findings of a check.
fn told(scan: &Scan<'_>, found: FrameFacts) -> Findings {
    Findings {
        findings: found.findings.into_iter().map(|facts| tell(scan, facts)).collect(),
        ledger: found.ledger,
        checked: found.checked.iter().map(Checked::of).collect(),
        parts: found.parts,
        roof: scan.roof_name().to_owned(),
        kind: found.kind.key().to_owned(),
    }
}

fn tell(scan: &Scan<'_>, facts: FindingFacts) -> Finding {
    let story = story_of(scan, &facts);
    let text = rule_text(&facts.rule);
    let or = |own: Option<String>, of: fn(&RuleText) -> &'static str| {
        own.unwrap_or_else(|| text.map_or("", of).to_owned())
    };
    Finding {
        title: story.title,
        text: story.text,
        formula: story.formula,
        path_a: or(story.path_a, |text| text.path_a),
        path_b: or(story.path_b, |text| text.path_b),
        profile: or(None, |text| text.profile),
        facts,
    }
}

fn story_of(scan: &Scan<'_>, found: &FindingFacts) -> Story {
    let (time_s, groups) = (found.time_s, found.groups);
    match &found.fact {
        Fact::KernelsOfAnother { device, target } => {
            questions::kernels_of_another(scan, *device, target)
        }
        Fact::ManyAboveRoof { above, all, devices, causes, most } => {
            questions::many_above_roof(scan, (*above, *all), devices, causes, most.as_ref())
        }
        Fact::FarBelow { gemms, dtype, best } => questions::far_below(scan, *gemms, dtype, best),
        Fact::WithoutShape { source, all_s } => questions::without_shape(scan, *source, *all_s),
        Fact::WithoutRoof { whole_s } => questions::without_roof(scan, [time_s, *whole_s]),
        Fact::Wrappers { source, once_s } => questions::wrappers(scan, *source, *once_s),
        Fact::InTwoFiles { sources } => questions::in_two_files(scan, *sources, found),
        Fact::Idle { whole_s, at_most } => timeline::idle([time_s, *whole_s], *at_most),
        Fact::Communication { whole_s } => timeline::communication([time_s, *whole_s]),
        Fact::OtherKernel { name, next, compute_s, gemm_s } => {
            timeline::other_kernel(name, next, [time_s, *compute_s, *gemm_s])
        }
        Fact::Outlier { one, gemms, all_s, usual } => {
            questions::outlier(scan, one, *gemms, (*all_s, *usual))
        }
        Fact::AboveRoof { most, causes } => questions::above_roof(scan, most, causes, found),
        Fact::LowClock { most, clock_hz, ratio, at_full_clock } => {
            questions::low_clock(scan, most, (*clock_hz, *ratio, *at_full_clock), groups)
        }
        Fact::Reported(difference) => {
            questions::reported(scan, difference, found.evidence.rows.len())
        }
        Fact::Cause(cause) => causes::one(scan, cause),
        Fact::Repeats { most } => ideas::repeats(scan, most, groups),
        Fact::FasterType { most, to, roof_s } => {
            ideas::faster_type(scan, (most, groups), *to, *roof_s)
        }
        Fact::SlowerType { pair: [slow, fast] } => ideas::slower_type(scan, [slow, fast], groups),
        Fact::SlowerDevice { pair: [slow, fast] } => {
            ideas::slower_device(scan, [slow, fast], groups)
        }
    }
}

#[cfg(test)]
mod tests;
