//! Finds groups of GEMMs on which the side that is slower overall is faster.

use super::duel::{Duel, DuelVerdict, Ratio, Sums};
use super::{Comparison, SideSample};
use gemmscope_table::field::{Field, FieldKind, Frame};

/// Minimum number of configurations for a pattern.
const FEWEST: u64 = 3;
/// A property of more than this fraction of the configurations is the rule, not an exception, if one side wins.
const COMMON: f64 = 0.6;
/// Minimum lead of the slower side.
const LEAD: f64 = 1.05;
/// Minimum of its wins / losses: a few large GEMMs that deviate do not make a pattern.
const OFTEN: u64 = 3;

/// A category with more values than this does not split the GEMMs into a few groups.
const FEW: usize = 12;

/// A property that GEMMs share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Common {
    /// Size class of min(M, N).
    SmallerOfMN(SizeClass),
    /// Value of a category that both sides have in common: types, layout, device, model.
    Value(Field, String),
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
    /// The other GEMMs and the lead of the faster side on them, if it leads there as a rule.
    pub others: Option<(u64, f64)>,
}

impl Duel {
    /// The size class or value of a category in which the slower side leads most clearly, weighted by time.
    pub fn exception(&self, frame: &Frame, comparison: &Comparison) -> Option<Exception> {
        let data = &*frame.data;
        let row = |s: &SideSample| comparison.rows_of(s).first().map(|r| *r as usize);
        let pair = |r: &Ratio| {
            let of = |side| comparison.sample(r.configuration as usize, side);
            let (x, y) = of(self.a).zip(of(self.b))?;
            Some(Pair { of: *r, x, y, rows: [row(x)?, row(y)?] })
        };
        let pairs: Vec<Pair<'_>> = self.ratios.iter().filter_map(pair).collect();
        let mut whole = Leads::default();
        pairs.iter().for_each(|pair| whole.add(self, pair));
        // Where nobody wins overall, nothing is the rule.
        let most = match self.is_clear() {
            true => COMMON * whole.n as f64,
            false => whole.n as f64,
        };
        let mut all: Vec<(Common, Leads)> = Vec::new();
        let mut of_size =
            SizeClass::ALL.map(|class| (Common::SmallerOfMN(class), Leads::default()));
        for pair in &pairs {
            let least = data.m[pair.rows[0]].min(data.n[pair.rows[0]]);
            of_size[SizeClass::of(least) as usize].1.add(self, pair);
        }
        all.extend(of_size);
        for field in splits(frame, comparison) {
            all.extend(self.by_value(frame, &field, &pairs));
        }
        let (common, leads, lead) = all
            .into_iter()
            .filter(|(_, l)| l.n >= FEWEST && (l.n as f64) < most && l.ahead >= OFTEN * l.behind)
            .map(|(what, l)| (what, l, self.slower_leads(&l)))
            .filter(|(.., lead)| *lead > LEAD)
            // Of two that explain as much, the first.
            .rev()
            .max_by(|x, y| {
                let explained =
                    |of: &(Common, Leads, f64)| (of.1.ahead - of.1.behind) as f64 * of.2.ln();
                explained(x).total_cmp(&explained(y))
            })?;
        let rest = whole.without(&leads);
        let rest_lead = 1.0 / self.slower_leads(&rest);
        let leads_there = rest.behind > 0 && rest.behind >= OFTEN * rest.ahead && rest_lead > LEAD;
        let others = leads_there.then_some((rest.n, rest_lead));
        Some(Exception { common, gemms: leads.n, lead, others })
    }

    /// Lead of the side that is slower overall.
    fn slower_leads(&self, of: &Leads) -> f64 {
        match self.a_leads() {
            true => of.sums.ratio(),
            false => 1.0 / of.sums.ratio(),
        }
    }

    /// By value of a category; empty if it has many, or the sides of a pair differ in it.
    fn by_value(&self, frame: &Frame, field: &Field, pairs: &[Pair<'_>]) -> Vec<(Common, Leads)> {
        let cats = frame.categories(field);
        let mut out: Vec<(u32, Leads)> = Vec::new();
        for pair in pairs {
            let [code, other] = pair.rows.map(|row| cats.codes.get(row));
            if code != other {
                return Vec::new();
            }
            let at = out.iter().position(|of| of.0 == code).unwrap_or(out.len());
            if at == FEW {
                return Vec::new();
            }
            if at == out.len() {
                out.push((code, Leads::default()));
            }
            out[at].1.add(self, pair);
        }
        let named = |(code, leads): (u32, Leads)| {
            (Common::Value(field.clone(), cats.values[code as usize].clone()), leads)
        };
        out.into_iter().map(named).collect()
    }
}

/// Categories that may tell where which side is faster.
fn splits(frame: &Frame, comparison: &Comparison) -> Vec<Field> {
    let tells = |field: &Field| {
        *field != comparison.setup.side
            && !matches!(field, Field::Shape | Field::Bound | Field::Standing)
    };
    let all = frame.fields().into_iter().filter(|info| info.kind == FieldKind::Category);
    all.map(|info| info.field).filter(tells).collect()
}

/// A configuration of both sides, and a row of each.
struct Pair<'a> {
    of: Ratio,
    x: &'a SideSample,
    y: &'a SideSample,
    rows: [usize; 2],
}

/// Configurations with a common property: their number, and what both sides achieve on them.
#[derive(Clone, Copy, Debug, Default)]
struct Leads {
    n: u64,
    /// Number of configurations in which the overall slower side is ahead, and behind.
    ahead: u64,
    behind: u64,
    sums: Sums,
}

impl Leads {
    fn add(&mut self, duel: &Duel, pair: &Pair<'_>) {
        self.n += 1;
        match (pair.of.verdict, duel.a_leads()) {
            (DuelVerdict::A, true) | (DuelVerdict::B, false) => self.behind += 1,
            (DuelVerdict::A | DuelVerdict::B, _) => self.ahead += 1,
            _ => {}
        }
        self.sums.add(duel.measure, pair.x, pair.y);
    }

    fn without(&self, part: &Leads) -> Leads {
        Leads {
            n: self.n - part.n,
            ahead: self.ahead - part.ahead,
            behind: self.behind - part.behind,
            sums: self.sums.without(part.sums),
        }
    }
}
