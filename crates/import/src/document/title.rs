//! What a column may hold by its title: candidates, about which the cells and the arithmetic decide.

mod figure;
mod names;
mod whole;

use super::block::bare;
use super::words::{Measure, lower_words, unit};
use crate::columns::words as known;
pub(crate) use figure::{bandwidth_factor, rate_factor};
use figure::{figure, names_quotient, spec_of, strength};
pub(super) use figure::{is_aside, label_of, measures};
use gemmscope_table::dataset::ColumnMeaning as C;
use gemmscope_table::dataset::ColumnSpec;
pub(crate) use whole::clock_scale;
use whole::{clock, is_square, lone_size, named, order_of, tile, type_of};

/// What a column holds, as far as it decides about a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Holds {
    M,
    N,
    K,
    Batch,
    /// The length of a sequence, of which a batch is in M.
    Length,
    Groups,
    /// The only size of square matrices.
    Square,
    /// Several sizes in one cell.
    Shape,
    /// Two sizes in one cell.
    Pair,
    /// The type of both operands.
    Type,
    TypeA,
    TypeB,
    TypeOut,
    Device,
    Library,
    Time,
    Rate,
    Bandwidth,
    /// A quotient of others: a speed-up, an error, a share of a peak.
    Derived,
    /// A share of a whole.
    Share,
    Count,
    Spread,
    /// Texts.
    Words,
    /// Numbers that are no measurement: tiles, clocks, strides.
    Other,
    /// Numbers that may be anything.
    Open,
}

/// A title, with what it says besides.
#[derive(Clone, Debug)]
pub(crate) struct Title {
    pub holds: Holds,
    /// What it is as a column of a dataset.
    pub spec: ColumnSpec,
    /// How sure that is, 0 to 100: of several columns with one meaning the strongest takes it.
    pub strength: u8,
    /// Factor to SI, where the title states a unit.
    pub factor: Option<f64>,
    /// Whose figure it is.
    pub label: String,
    /// How many calls a value is of; 0 where nothing is said.
    pub calls: u32,
    /// The better of several statistics of one side: the smaller, the better.
    pub rank: u8,
    /// The order of sizes in a cell.
    pub order: Vec<char>,
    /// The value is a sum.
    pub total: bool,
}

impl Title {
    pub(super) fn of(holds: Holds) -> Title {
        Title {
            holds,
            spec: C::Other.into(),
            strength: 0,
            factor: None,
            label: String::new(),
            calls: 0,
            rank: RANK,
            order: Vec::new(),
            total: false,
        }
    }

    /// Of a column that means this in a dataset.
    pub(super) fn meaning<S: Into<ColumnSpec>>(spec: S, strength: u8) -> Title {
        let spec = spec.into();
        Title { spec, strength, ..Title::of(holds(spec.meaning)) }
    }

    /// The cells of a column below this title measure something, in SI.
    pub(super) fn measured(&mut self, measure: Measure, name: &str) {
        let words = known::words(name);
        self.spec = spec_of(measure, Some(1.0), &words);
        if self.holds == Holds::Spread && measure == Measure::Time {
            self.spec.meaning = C::TimeStd;
            return;
        }
        self.holds = match measure {
            Measure::Time => Holds::Time,
            Measure::Rate => Holds::Rate,
            Measure::Bandwidth => Holds::Bandwidth,
        };
        self.strength = strength(self.rank, &self.label, &words);
        self.factor = Some(1.0);
    }

    pub(super) fn is_figure(&self) -> bool {
        matches!(self.holds, Holds::Time | Holds::Rate)
    }
}

/// What the title says that the column means in a dataset.
pub(crate) fn meaning(text: &str) -> C {
    title(text).spec.meaning
}

/// Rank of a figure of which no statistic is stated.
pub(super) const RANK: u8 = 3;

/// What a column decides about a row that has this meaning in a dataset.
fn holds(meaning: C) -> Holds {
    match meaning {
        C::M => Holds::M,
        C::N => Holds::N,
        C::K => Holds::K,
        C::Batch => Holds::Batch,
        C::Mnk => Holds::Shape,
        C::Square => Holds::Square,
        C::Dtype => Holds::Type,
        C::DtypeA => Holds::TypeA,
        C::DtypeB => Holds::TypeB,
        C::DtypeC | C::Compute => Holds::TypeOut,
        C::Device => Holds::Device,
        C::Kernel | C::Library => Holds::Library,
        C::Count => Holds::Count,
        C::Time | C::TimeMin | C::TimeMax => Holds::Time,
        C::ReportedRate => Holds::Rate,
        C::ReportedBandwidth => Holds::Bandwidth,
        C::TimeStd => Holds::Spread,
        C::ReportedIntensity | C::ReportedEfficiency => Holds::Derived,
        C::Model | C::OpName | C::Status | C::ShapeA | C::ShapeB | C::Layout => Holds::Words,
        _ => Holds::Other,
    }
}

/// `(us, speedup)` as `(us)`: what is remarked behind the unit of a bracket is of the cells.
fn without_remarks(text: &str) -> String {
    let Some((before, rest)) = text.split_once('(') else { return text.to_owned() };
    let Some((inner, behind)) = rest.split_once(')') else { return text.to_owned() };
    if !inner.contains([',', ';']) || unit(inner).is_none() {
        return text.to_owned();
    }
    let remark = |part: &&str| {
        (names_quotient(&lower_words(part)) || part.contains('%')) && unit(part).is_none()
    };
    let kept: Vec<&str> = inner.split([',', ';']).filter(|p| !remark(p)).collect();
    format!("{before}({}){behind}", kept.join(","))
}

/// `MedianUs` as `Median Us`.
fn without_camel(text: &str) -> String {
    let mut text = text.to_owned();
    for ending in ["Us", "Ms", "Ns", "Time"] {
        let stem = text.split(' ').next().and_then(|word| word.strip_suffix(ending));
        if let Some(stem) = stem.filter(|s| s.ends_with(|c: char| c.is_lowercase())) {
            text.insert(stem.len(), ' ');
        }
    }
    text
}

/// Longest title, bytes: what is longer is a paragraph, and its beginning says what it is of.
const LONGEST: usize = 512;

/// What the title says of a column.
pub(crate) fn title(text: &str) -> Title {
    let text = &text[..text.floor_char_boundary(LONGEST)];
    let bare = bare(text);
    if let Some((unit, strength)) = known::work(&known::words(&bare).join("_")) {
        let spec = ColumnSpec::rate(C::ReportedWork, Some(unit));
        return Title::meaning(spec, strength);
    }
    let whole = without_remarks(&without_camel(&bare));
    // What pandas calls the column of the first of several rows.
    let whole = whole.trim().trim_end_matches("_first").trim();
    let spaced = whole.replace('_', " ");
    let low = spaced.to_lowercase();
    if is_square(&low) {
        return Title::meaning(C::Square, 90);
    }
    let order = order_of(&spaced);
    let measured = unit(&low).is_some();
    match order.len() {
        3 => return Title { order, ..Title::meaning(C::Mnk, 90) },
        2 if !measured => return Title { order, ..Title::of(Holds::Pair) },
        _ => {}
    }
    let words = known::words(whole);
    let joined = words.join("_");
    // What a tool computed of the first row is not of the others.
    let is_first = bare.trim_end().ends_with("_first");
    let named = named(&joined).filter(|t| !is_first || t.holds != Holds::Derived);
    let found = named.or_else(|| type_of(&low)).or_else(|| tile(&joined));
    if let Some(found) = found.or_else(|| clock(&words)) {
        return found;
    }
    let figure = figure(whole, &low, &words);
    match figure.holds {
        Holds::Open => lone_size(&words).unwrap_or(figure),
        _ => figure,
    }
}

#[cfg(test)]
mod tests;
