//! Where the side that is slower over all configurations is the faster one.

use super::Comparison;
use super::duel::{Duel, DuelVerdict, Measure, Sums, times};
use gemmscope_model::units::plural;
use gemmscope_table::field::Frame;
use std::collections::BTreeMap;

/// Fewer configurations than this are no pattern.
const FEWEST: u64 = 3;
/// What more than this share of the configurations have in common is the rule, not an exception.
const COMMON: f64 = 0.6;
/// The slower side must lead by this factor at least.
const LEAD: f64 = 1.05;
/// And be ahead so many times as often as behind: a few large GEMMs of another pattern are not this one.
const OFTEN: u64 = 3;

impl Duel {
    /// The layout, types or size class in which the slower side leads most clearly, by time as the
    /// headline: `But rocBLAS is 2.70x faster by time where the layout is TT (12 GEMMs).`
    pub fn exception_sentence(&self, frame: &Frame, comparison: &Comparison) -> Option<String> {
        let (a, b) = self.names(comparison);
        let slow = if self.a_leads() { b } else { a };
        let lead = |of: &Leads| match self.a_leads() {
            true => of.sums.ratio(),
            false => 1.0 / of.sums.ratio(),
        };
        let data = &*frame.data;
        let (mut of_op, mut of_size) =
            (vec![Leads::default(); data.ops.len()], SIZES.map(|_| Leads::default()));
        for r in &self.ratios {
            let x = comparison.sample(r.configuration as usize, self.a)?;
            let y = comparison.sample(r.configuration as usize, self.b)?;
            let row = *comparison.rows_of(x).first()? as usize;
            let least = data.m[row].min(data.n[row]);
            let size = SIZES.iter().filter(|s| least > s.0).count();
            for of in [&mut of_op[usize::from(data.op[row])], &mut of_size[size]] {
                of.n += 1;
                match (r.verdict, self.a_leads()) {
                    (DuelVerdict::A, true) | (DuelVerdict::B, false) => of.behind += 1,
                    (DuelVerdict::A | DuelVerdict::B, _) => of.ahead += 1,
                    _ => {}
                }
                of.sums.add(self.measure, x, y);
            }
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
        let (what, n, lead) = all
            .into_iter()
            .filter(|(_, l)| l.n >= FEWEST && (l.n as f64) < most && l.ahead >= OFTEN * l.behind)
            .map(|(what, l)| (what, l.n, lead(&l)))
            .filter(|(_, _, lead)| *lead > LEAD)
            .max_by(|x, y| (x.1 as f64 * x.2.ln()).total_cmp(&(y.1 as f64 * y.2.ln())))?;
        let but = if self.is_clear() { "But " } else { "" };
        let leads = match self.measure {
            Measure::Rate => format!("is {} faster by time", times(lead)),
            Measure::Roof => format!("reaches {} the share of its roof", times(lead)),
        };
        Some(format!("{but}{slow} {leads} where {what} ({}).", plural(n, "GEMM")))
    }
}

/// Configurations with something in common: how many, and what both sides achieve in them.
#[derive(Clone, Copy, Default)]
struct Leads {
    n: u64,
    /// In how many the slower side of all is ahead, and behind.
    ahead: u64,
    behind: u64,
    sums: Sums,
}

impl Leads {
    fn add(&mut self, other: Leads) {
        self.n += other.n;
        self.ahead += other.ahead;
        self.behind += other.behind;
        self.sums.join(other.sums);
    }
}

/// The classes of the smaller of M and N: the largest of each, and what is said of it.
const SIZES: [(u32, &str); 4] = [
    (1, "M or N is 1"),
    (16, "M or N is 2 to 16"),
    (128, "M or N is 17 to 128"),
    (u32::MAX, "M and N are over 128"),
];
