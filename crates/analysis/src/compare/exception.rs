//! Finds groups of GEMMs on which the side that is slower overall is faster.

use super::Comparison;
use super::duel::{Duel, DuelVerdict, Sums};
use gemmscope_table::field::Frame;
use std::collections::BTreeMap;

/// Minimum number of configurations for a pattern.
const FEWEST: u64 = 3;
/// A property of more than this fraction of the configurations is the rule, not an exception.
const COMMON: f64 = 0.6;
/// Minimum lead of the slower side.
const LEAD: f64 = 1.05;
/// Minimum of its wins / losses: a few large GEMMs that deviate do not make a pattern.
const OFTEN: u64 = 3;

/// A property that GEMMs share.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Common {
    /// Size class of min(M, N).
    SmallerOfMN(SizeClass),
    /// Layout.
    Layout(&'static str),
    /// Types.
    Types(String),
}

/// A class of sizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SizeClass {
    /// 1.
    One,
    /// 2 to 16.
    To16,
    /// 17 to 128.
    To128,
    /// Over 128.
    Larger,
}

impl SizeClass {
    const ALL: [SizeClass; 4] =
        [SizeClass::One, SizeClass::To16, SizeClass::To128, SizeClass::Larger];

    fn of(size: u32) -> SizeClass {
        match size {
            0..=1 => SizeClass::One,
            2..=16 => SizeClass::To16,
            17..=128 => SizeClass::To128,
            _ => SizeClass::Larger,
        }
    }
}

/// GEMMs on which the side that is slower overall is faster.
#[derive(Clone, Debug, PartialEq)]
pub struct Exception {
    /// Their common property.
    pub common: Common,
    /// Number of GEMMs.
    pub gemms: u64,
    /// Lead of the slower side on them, weighted by time.
    pub lead: f64,
}

impl Duel {
    /// The layout, types or size class in which the slower side leads most clearly, weighted by time.
    pub fn exception(&self, frame: &Frame, comparison: &Comparison) -> Option<Exception> {
        let lead = |of: &Leads| match self.a_leads() {
            true => of.sums.ratio(),
            false => 1.0 / of.sums.ratio(),
        };
        let data = &*frame.data;
        let (mut of_op, mut of_size) =
            (vec![Leads::default(); data.ops.len()], SizeClass::ALL.map(|_| Leads::default()));
        for r in &self.ratios {
            let x = comparison.sample(r.configuration as usize, self.a)?;
            let y = comparison.sample(r.configuration as usize, self.b)?;
            let row = *comparison.rows_of(x).first()? as usize;
            let least = data.m[row].min(data.n[row]);
            let size = SizeClass::of(least) as usize;
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
        let mut all: BTreeMap<Common, Leads> = BTreeMap::new();
        for (op, leads) in data.ops.iter().zip(&of_op) {
            for what in [Common::Layout(op.layout()), Common::Types(op.types())] {
                all.entry(what).or_default().add(*leads);
            }
        }
        all.extend(SizeClass::ALL.map(Common::SmallerOfMN).into_iter().zip(of_size));
        let most = COMMON * self.ratios.len() as f64;
        let (what, n, lead) = all
            .into_iter()
            .filter(|(_, l)| l.n >= FEWEST && (l.n as f64) < most && l.ahead >= OFTEN * l.behind)
            .map(|(what, l)| (what, l.n, lead(&l)))
            .filter(|(_, _, lead)| *lead > LEAD)
            .max_by(|x, y| (x.1 as f64 * x.2.ln()).total_cmp(&(y.1 as f64 * y.2.ln())))?;
        Some(Exception { common: what, gemms: n, lead })
    }
}

/// Configurations with a common property: their number, and what both sides achieve on them.
#[derive(Clone, Copy, Default)]
struct Leads {
    n: u64,
    /// Number of configurations in which the overall slower side is ahead, and behind.
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
