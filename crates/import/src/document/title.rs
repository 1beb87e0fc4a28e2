//! Parses the title of a column into a candidate meaning, which cells and arithmetic then check.

mod figure;
mod names;
mod whole;

use super::block::bare;
use super::unit_words::{Measure, unit};
use super::words::lower_words;
use crate::columns::words as known;
pub(crate) use figure::{bandwidth_factor, rate_factor};
use figure::{figure, names_quotient, spec_of, strength};
pub(super) use figure::{is_aside, is_share_of_peak, label_of, measures};
use gemmscope_table::dataset::ColumnMeaning as C;
use gemmscope_table::dataset::ColumnSpec;
pub(crate) use whole::clock_scale;
use whole::{clock, is_square, lone_size, named, order_of, tile, type_of};

/// What a column holds, as far as rows depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Holds {
    M,
    N,
    K,
    Batch,
    /// Sequence length; M is the batch times it.
    Length,
    Groups,
    /// Experts that each token goes to.
    PerToken,
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
    /// A quotient of other figures: speed-up, error, fraction of a peak.
    Derived,
    /// A fraction of a total.
    Share,
    Count,
    Spread,
    /// Text.
    Words,
    /// Numbers that are not measurements: tiles, clocks, strides.
    Other,
    /// Numbers of unknown meaning.
    Open,
}

/// A parsed title.
#[derive(Clone, Debug)]
pub(crate) struct Title {
    pub holds: Holds,
    /// Its meaning as a column of a dataset.
    pub spec: ColumnSpec,
    /// Strength of that meaning, 0 to 100: of several columns with one meaning, the strongest is used.
    pub strength: u8,
    /// Factor to SI, if the title states a unit.
    pub factor: Option<f64>,
    /// Library or kernel that the figure belongs to.
    pub label: String,
    /// Number of calls that a value covers; 0 if not stated.
    pub calls: u32,
    /// Rank of the statistic; of several for one side, the smallest is used.
    pub rank: u8,
    /// Order of the sizes within a cell.
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

    /// A title with this meaning in a dataset.
    pub(super) fn meaning<S: Into<ColumnSpec>>(spec: S, strength: u8) -> Title {
        let spec = spec.into();
        Title { spec, strength, ..Title::of(holds(spec.meaning)) }
    }

    /// Sets the meaning to `measure`, for a column whose cells state units and are parsed to SI.
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

/// The meaning of a title in a dataset.
pub(crate) fn meaning(text: &str) -> C {
    title(text).spec.meaning
}

/// Rank of a figure without a stated statistic.
pub(super) const RANK: u8 = 3;

/// What a column with this dataset meaning holds.
fn holds(meaning: C) -> Holds {
    match meaning {
        C::M => Holds::M,
        C::N => Holds::N,
        C::K => Holds::K,
        C::Batch => Holds::Batch,
        C::Groups => Holds::Groups,
        C::PerToken => Holds::PerToken,
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

/// Reduces `(us, speedup)` to `(us)`: remarks after a unit in brackets describe the rest of the cell.
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

/// Splits camel case: `MedianUs` to `Median Us`.
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

/// Length limit of a title, bytes: a longer one is a paragraph, whose beginning says what it is of.
const LONGEST: usize = 512;

/// Parses the title of a column.
pub(crate) fn title(text: &str) -> Title {
    let end = text.char_indices().map(|(at, _)| at).find(|at| *at >= LONGEST);
    let text = &text[..end.unwrap_or(text.len())];
    let bare = bare(text);
    if let Some((unit, strength)) = known::work(&known::words(&bare).join("_")) {
        let spec = ColumnSpec::rate(C::ReportedWork, Some(unit));
        return Title::meaning(spec, strength);
    }
    let whole = without_remarks(&without_camel(&bare));
    // Suffix that pandas adds for the first of several rows.
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
    // A value derived from the first row does not apply to the others.
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
