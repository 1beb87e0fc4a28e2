//! Texts of one finding, and wording shared by all findings.

use gemmscope_analysis::findings::{Group, Scan};
use gemmscope_analysis::formula::{Formula, given, given_as};
use gemmscope_model::units::{BytesPerSec, FlopsPerSec, Seconds, percent, plural, seconds_brief};

/// Texts of one finding.
#[derive(Clone, Debug, Default)]
pub(super) struct Story {
    /// Title, one line.
    pub title: String,
    /// Description, one or two sentences.
    pub text: String,
    /// The formula with its numbers.
    pub formula: String,
    /// Replaces path A of the rule.
    pub path_a: Option<String>,
    /// Replaces path B of the rule.
    pub path_b: Option<String>,
}

impl Story {
    /// Texts for several groups, of which `one` stands out; `many` is their title.
    pub(super) fn of_several(
        self,
        scan: &Scan<'_>,
        groups: u64,
        one: &Group,
        many: impl Fn(u64) -> String,
    ) -> Story {
        match groups {
            0 | 1 => self,
            n => Story {
                title: many(n),
                text: format!("The one that stands out most, {}: {}", scan.title(one), self.text),
                ..self
            },
        }
    }
}

/// `48 calls`, `1 call`.
pub(super) fn calls(n: f64) -> String {
    plural(n.round() as u64, "call")
}

/// A time with its unit.
pub(super) fn time(seconds: f64) -> String {
    seconds_brief(seconds)
}

/// A rate with its unit.
pub(super) fn rate(flops_per_s: f64) -> String {
    FlopsPerSec(flops_per_s).to_string()
}

/// A bandwidth with its unit.
pub(super) fn bandwidth(bytes_per_s: f64) -> String {
    BytesPerSec(bytes_per_s).to_string()
}

/// A time in a formula, with as many digits as in sentences.
pub(super) fn brief(name: &str, seconds: f64) -> Formula<Seconds> {
    given_as(name, Seconds(seconds), time(seconds))
}

/// Formula of a share of time: part over whole.
pub(super) fn share_formula(part: (&str, f64), whole: (&str, f64)) -> String {
    (brief(part.0, part.1) / brief(whole.0, whole.1)).result(percent)
}

/// Formula of roof time and efficiency of one call, with its numbers.
pub(super) fn roof_formula(scan: &Scan<'_>, group: &Group) -> String {
    let problem = scan.problem(group);
    let Some(roof) = scan.roof(group) else {
        return String::new();
    };
    let peak = FlopsPerSec(roof.peak_flops_per_s);
    let computing = given("work", problem.work()) / given_as("peak", peak, peak.peak());
    let moving = given("bytes", problem.bytes())
        / given("bandwidth", BytesPerSec(roof.bandwidth_bytes_per_s));
    let roof_time = computing.max(moving).named("roof time");
    let call = || brief("time", group.call_s());
    let in_full = roof_time.clone() / call();
    in_full.result_by(&(roof_time.worked_out(|s| time(s.0)) / call()), percent)
}

/// Calls, time and share of a group: the start of most descriptions.
pub(super) fn opening(scan: &Scan<'_>, group: &Group) -> String {
    let share = format!(
        "({} of the {})",
        percent(scan.share(group, group.time_s)),
        scan.part(group).whole.label()
    );
    match group.calls {
        1.0 => format!("Takes {} {share}", time(group.time_s)),
        n => format!(
            "{} of {}, {} in all {share}",
            calls(n),
            time(group.call_s()),
            time(group.time_s)
        ),
    }
}
