//! Where the side that is slower over all configurations is the faster one.

use super::Comparison;
use super::duel::{Duel, times};
use gemmscope_model::units::plural;
use gemmscope_table::field::Frame;
use std::collections::BTreeMap;

/// Fewer configurations than this are no pattern.
const FEWEST: u64 = 3;
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
        let (slow, sign) = match self.a_leads() {
            true => (b, 1.0),
            false => (a, -1.0),
        };
        let data = &*frame.data;
        let (mut of_op, mut of_size) =
            (vec![Leads::default(); data.ops.len()], SIZES.map(|_| Leads::default()));
        for r in &self.ratios {
            let sample = comparison.sample(r.configuration as usize, self.a)?;
            let row = *comparison.rows_of(sample).first()? as usize;
            let one = Leads { n: 1, log: sign * r.ratio.ln() };
            of_op[usize::from(data.op[row])].add(one);
            let least = data.m[row].min(data.n[row]);
            of_size[SIZES.iter().filter(|s| least > s.0).count()].add(one);
        }
        // Several operations share a layout, or types.
        let mut all: BTreeMap<String, Leads> = BTreeMap::new();
        for (op, leads) in data.ops.iter().zip(&of_op) {
            for what in
                [format!("the layout is {}", op.layout()), format!("the types are {}", op.types())]
            {
                all.entry(what).or_default().add(*leads);
            }
        }
        all.extend(SIZES.iter().zip(of_size).map(|((_, what), leads)| ((*what).to_owned(), leads)));
        let most = COMMON * self.ratios.len() as f64;
        let (what, leads) = all
            .into_iter()
            .filter(|(_, l)| l.n >= FEWEST && (l.n as f64) < most)
            .filter(|(_, l)| l.log / l.n as f64 > LEAD.ln())
            .max_by(|(_, x), (_, y)| x.log.total_cmp(&y.log))?;
        let but = if self.is_clear() { "But " } else { "" };
        Some(format!(
            "{but}{slow} is {} faster where {what} ({}).",
            times((leads.log / leads.n as f64).exp()),
            plural(leads.n, "configuration")
        ))
    }
}

/// Configurations with something in common: how many, and the sum of the logarithms of their ratios.
#[derive(Clone, Copy, Default)]
struct Leads {
    n: u64,
    log: f64,
}

impl Leads {
    fn add(&mut self, other: Leads) {
        self.n += other.n;
        self.log += other.log;
    }
}

/// The classes of the smaller of M and N: the largest of each, and what is said of it.
const SIZES: [(u32, &str); 4] = [
    (1, "M or N is 1"),
    (16, "M or N is 2 to 16"),
    (128, "M or N is 17 to 128"),
    (u32::MAX, "M and N are over 128"),
];
