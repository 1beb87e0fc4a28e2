//! Where the side that is slower over all configurations is the faster one.

use super::Comparison;
use super::duel::{Duel, times};
use gemmscope_model::units::plural;
use gemmscope_table::field::Frame;
use std::collections::BTreeMap;

/// Fewer configurations than this are no pattern.
const FEWEST: usize = 3;
/// What more than this share of the configurations have in common is the rule, not an exception.
const COMMON: f64 = 0.6;
/// The slower side must lead by this factor at least.
const LEAD: f64 = 1.05;

impl Duel {
    /// The layout, types or size class in which the slower side leads most clearly: `But rocBLAS is
    /// 2.70x faster where the layout is TT (12 configurations).`
    pub fn exception_sentence(&self, frame: &Frame, comparison: &Comparison) -> Option<String> {
        let (a, b) = self.names(comparison);
        // Oriented so that a positive logarithm is a lead of the slower side.
        let (slow, sign) = match self.geometric_mean < 1.0 {
            true => (b, 1.0),
            false => (a, -1.0),
        };
        let mut logs: BTreeMap<String, Vec<f64>> = BTreeMap::new();
        for r in &self.ratios {
            let sample = comparison.sample(r.configuration as usize, self.a)?;
            let row = *comparison.rows_of(sample).first()?;
            for what in classes(frame, row as usize) {
                logs.entry(what).or_default().push(sign * r.ratio.ln());
            }
        }
        let most = COMMON * self.ratios.len() as f64;
        let lead = |logs: &[f64]| logs.iter().sum::<f64>();
        let (what, logs) = logs
            .into_iter()
            .filter(|(_, l)| l.len() >= FEWEST && (l.len() as f64) < most)
            .filter(|(_, l)| lead(l) / l.len() as f64 > LEAD.ln())
            .max_by(|(_, x), (_, y)| lead(x).total_cmp(&lead(y)))?;
        let but = if self.is_clear() { "But " } else { "" };
        Some(format!(
            "{but}{slow} is {} faster where {what} ({}).",
            times((lead(&logs) / logs.len() as f64).exp()),
            plural(logs.len() as u64, "configuration")
        ))
    }
}

/// What a configuration may have in common with others.
fn classes(frame: &Frame, row: usize) -> [String; 3] {
    let p = frame.data.problem(row);
    let least = match p.m.min(p.n) {
        1 => "M or N is 1",
        2..=16 => "M or N is 2 to 16",
        17..=128 => "M or N is 17 to 128",
        _ => "M and N are over 128",
    };
    [
        format!("the layout is {}", p.op.layout()),
        format!("the types are {}", p.op.types()),
        least.to_owned(),
    ]
}
