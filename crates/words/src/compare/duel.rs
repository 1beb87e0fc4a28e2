//! Two sides against each other.

use super::{is_small_part, joined, lead, times};
use gemmscope_analysis::compare::duel::{Duel, DuelVerdict, LEAST_LEAD, Measure, lead_of};
use gemmscope_analysis::compare::{Common, Comparison, SizeClass};
use gemmscope_model::units::{format_short, grouped, plural};
use gemmscope_table::field::{Field, Frame};

/// Headline: the lead by time, with the geometric mean. It names a winner only if both means do, and mentions if the
/// count disagrees.
pub fn headline(duel: &Duel, comparison: &Comparison) -> String {
    let (a, b) = duel.names(comparison);
    if duel.ratios.is_empty() {
        return format!("{a} and {b} share no GEMM.");
    }
    let (g, w) = (duel.geometric_mean, duel.weighted_mean);
    // The sentence is about the side that is ahead.
    let (who, other) = if duel.a_leads() { (a, b) } else { (b, a) };
    let single = duel.ratios.len() == 1;
    let by_time = if single { "" } else { " by time" };
    // With several GEMMs both means may name a winner even if the count does not.
    let is_lead = |mean: f64| lead_of(mean) > 1.0 + duel.threshold;
    let in_sum = !single && is_lead(w) && is_lead(g) && (g > 1.0) == (w > 1.0);
    let named = duel.is_clear() || in_sum;
    let result = match duel.measure {
        _ if !named => format!("No clear winner between {a} and {b}"),
        Measure::Rate => format!("{who} is {} faster than {other}{by_time}", lead(w)),
        Measure::Roof => {
            format!("{who} reaches {} the share of its roof that {other} does", lead(w))
        }
    };
    let in_time = in_time(duel, who, other);
    if single {
        of_one(duel, (a, b), result, in_time)
    } else {
        of_several(duel, comparison, (result, named), in_time)
    }
}

/// Headline for a single GEMM: who is faster comes first.
fn of_one(duel: &Duel, names: (&str, &str), result: String, in_time: Option<String>) -> String {
    let on = "on the one GEMM that both have";
    let ahead = match duel.is_clear() {
        true => String::new(),
        false => format!(" ({})", ahead(duel.weighted_mean, names)),
    };
    match in_time {
        None => format!("{result} {on}{ahead}."),
        Some(time) => format!("{time} {on}. {result}{ahead}."),
    }
}

/// Headline for several GEMMs; `result`, and whether it names a winner.
fn of_several(
    duel: &Duel,
    comparison: &Comparison,
    (result, named): (String, bool),
    in_time: Option<String>,
) -> String {
    let (g, w) = (duel.geometric_mean, duel.weighted_mean);
    let (a, b) = duel.names(comparison);
    let (who, other, won, lost) = match duel.a_leads() {
        true => (a, b, DuelVerdict::A, DuelVerdict::B),
        false => (b, a, DuelVerdict::B, DuelVerdict::A),
    };
    let (shared, all) = (duel.ratios.len() as u64, comparison.len() as u64);
    let on = match is_small_part(shared, all) {
        true => format!("over {} of {}", grouped(shared), plural(all, "GEMM")),
        false => format!("over {}", plural(shared, "GEMM")),
    };
    let [more, less] = match duel.measure {
        Measure::Rate => ["faster", "slower"],
        Measure::Roof => ["ahead", "behind"],
    };
    let within = |what: String, verdict| match duel.count(verdict) {
        0 => String::new(),
        n => format!(", within {what} in {}", grouped(n)),
    };
    let rest = within(format!("{} %", format_short(duel.threshold * 100.0, 3)), DuelVerdict::Even)
        + &within("noise".to_owned(), DuelVerdict::Noise);
    let [wins, losses] = [won, lost].map(|v| grouped(duel.count(v)));
    let mut out = match named {
        true => {
            let mean = match lead(g) == lead(w) {
                true => String::new(),
                false => format!(" (geometric mean {})", lead(g)),
            };
            let but = if duel.is_clear() { "" } else { ", but not more often" };
            format!("{result} {on}{mean}{but}: {more} in {wins}, {less} in {losses}{rest}.")
        }
        false => format!(
            "{result} {on}: {} by time, {} by geometric mean; {who} is {more} in {wins}, {other} in \
             {losses}{rest}.",
            ahead(w, (a, b)),
            ahead(g, (a, b))
        ),
    };
    out.extend(in_time.map(|time| format!(" {time}.")));
    out
}

/// Who is faster, if shares of roofs are compared, which need not agree.
fn in_time(duel: &Duel, who: &str, other: &str) -> Option<String> {
    if duel.measure == Measure::Rate || !duel.time_ratio.is_finite() {
        return None;
    }
    // Relative to the side that the sentence is about.
    let ratio = if duel.a_leads() { 1.0 / duel.time_ratio } else { duel.time_ratio };
    if lead_of(ratio) < LEAST_LEAD {
        return Some("Both take the same time".to_owned());
    }
    let (first, lead) = if ratio > 1.0 { (who, ratio) } else { (other, 1.0 / ratio) };
    Some(format!("In time {first} is {} faster", times(lead)))
}

/// `Triton 1.04x`: the side that is ahead by this ratio; `equal` if the lead rounds to nothing.
fn ahead(ratio: f64, (a, b): (&str, &str)) -> String {
    match lead_of(ratio) {
        lead if lead < LEAST_LEAD => "equal".to_owned(),
        lead => format!("{} {}", if ratio < 1.0 { a } else { b }, times(lead)),
    }
}

/// Result of joining the two sides; with several sides each pair shares other GEMMs.
pub fn join_of(duel: &Duel, comparison: &Comparison) -> String {
    let (a, b) = (duel.a, duel.b);
    let unmatched = [(a, comparison.alone(a, b)), (b, comparison.alone(b, a))];
    joined(comparison, comparison.shared(a, b), unmatched.into_iter())
}

/// The rule for "within noise".
pub fn noise(duel: &Duel) -> String {
    if duel.with_spread == 0 {
        return format!(
            "Each GEMM was measured once per side and without a spread, so a difference of up to {} % \
             counts as a tie.",
            format_short(duel.threshold * 100.0, 3)
        );
    }
    "Within noise: medians closer than both spreads together (1.4826 × median absolute \
     deviation, or the file's standard deviation)."
        .to_owned()
}

/// A remark about different devices, if there are any.
pub fn devices(duel: &Duel, frame: &Frame, comparison: &Comparison) -> Option<String> {
    if !duel.devices_differ {
        return None;
    }
    let (a, b) = duel.names(comparison);
    let names = match comparison.setup.side {
        Field::Device => String::new(),
        _ => {
            let cats = frame.categories(&Field::Device);
            let mut seen = vec![false; cats.values.len()];
            frame.rows.iter().for_each(|r| seen[cats.codes.get(*r as usize) as usize] = true);
            let seen = cats.values.iter().zip(seen).filter(|(_, seen)| *seen);
            let names: Vec<&str> = seen.map(|(name, _)| name.as_str()).collect();
            format!(" ({})", names.join(", "))
        }
    };
    Some(match duel.measure {
        Measure::Rate => format!(
            "{a} and {b} ran on different devices{names}: compare by % of own roof to leave the \
             hardware out."
        ),
        Measure::Roof => {
            format!("{a} and {b} ran on different devices{names}; each against its own roof.")
        }
    })
}

/// `But rocBLAS is 2.70x faster by time where the layout is TT (12 GEMMs).` Without a winner, who leads elsewhere too:
/// `cuBLAS is 1.80x faster by time on A100 (4 GEMMs), QMM 1.67x on the other 4.`
pub fn exception(duel: &Duel, frame: &Frame, comparison: &Comparison) -> Option<String> {
    let found = duel.exception(frame, comparison)?;
    let (a, b) = duel.names(comparison);
    let (fast, slow) = if duel.a_leads() { (a, b) } else { (b, a) };
    let but = if duel.is_clear() { "But " } else { "" };
    let leads = match duel.measure {
        Measure::Rate => format!("is {} faster by time", times(found.lead)),
        Measure::Roof => format!("reaches {} the share of its roof", times(found.lead)),
    };
    let others = match found.others {
        Some((n, lead)) if !duel.is_clear() => {
            format!(", {fast} {} on the other {}", times(lead), grouped(n))
        }
        _ => String::new(),
    };
    let whereabouts = whereabouts(frame, &found.common);
    let gemms = plural(found.gemms, "GEMM");
    Some(format!("{but}{slow} {leads} {whereabouts} ({gemms}){others}."))
}

/// `where the layout is TT`, `on A100`.
fn whereabouts(frame: &Frame, common: &Common) -> String {
    let is = |what: &str| format!("where {what}");
    match common {
        Common::Value(Field::Transposes, layout) => is(&format!("the layout is {layout}")),
        Common::Value(Field::Dtype, types) => is(&format!("the types are {types}")),
        Common::Value(Field::Device, device) if device == "not stated" => is("no device is stated"),
        Common::Value(Field::Device, device) => format!("on {device}"),
        Common::Value(Field::Source, file) => format!("in {file}"),
        Common::Value(field, value) => {
            let label = frame.info(field).map_or_else(String::new, |info| info.label);
            match value.as_str() {
                "" => is(&format!("no {label} is stated")),
                value => is(&format!("{label} is {value}")),
            }
        }
        Common::SmallerOfMN(class) => is(match class {
            SizeClass::One => "M or N is 1",
            SizeClass::To16 => "M or N is 2 to 16",
            SizeClass::To128 => "M or N is 17 to 128",
            SizeClass::Larger => "M and N are over 128",
        }),
    }
}
