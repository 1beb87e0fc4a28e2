//! Filters: facets, ranges and a search, each with one bit per row.
//!
//! Bit *i* of a row's word is set if filter *i* rejects the row. Changing one filter rewrites one bit, and the counts
//! of a facet ignore the facet's own bit.

mod parts;
mod sizes;

use crate::dataset::{ColumnData, ColumnMeaning, Dataset};
use crate::field::{Categories, Codes, Field, Frame};
use crate::selection::RowSet;
pub use parts::{FilterPart, value_name};
use serde::{Deserialize, Serialize};
use sizes::Sizes;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// Values that pass.
pub type Values = BTreeSet<String>;

/// The filters as the user set them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Filters {
    /// Field -> values that pass. Fields not listed are unrestricted.
    pub facets: BTreeMap<Field, Values>,
    /// Field -> range that passes, inclusive, in SI base units.
    pub ranges: BTreeMap<Field, Range>,
    /// Text that the kernel or operation name must contain, ignoring case; or sizes (`13824`, `4096x13824x5120`).
    pub search: String,
    /// A set of rows, such as those of a finding or a selection.
    pub only: Option<RowSet>,
}

/// An inclusive range; `None` is an open end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Range {
    /// Lower end.
    pub min: Option<f64>,
    /// Upper end.
    pub max: Option<f64>,
}

impl Range {
    /// True if the value is inside. NaN is inside only if both ends are open.
    pub(crate) fn contains(&self, v: f64) -> bool {
        self.min.is_none_or(|lo| v >= lo) && self.max.is_none_or(|hi| v <= hi)
    }
}

impl Filters {
    /// True if every row passes.
    pub fn is_empty(&self) -> bool {
        self.facets.is_empty()
            && self.ranges.is_empty()
            && self.search.is_empty()
            && self.only.is_none()
    }

    /// Number of filters: facet values, ranges, the search, the set of rows.
    pub fn count(&self) -> usize {
        let values: usize = self.facets.values().map(BTreeSet::len).sum();
        let others = [!self.search.is_empty(), self.only.is_some()];
        values + self.ranges.len() + others.into_iter().filter(|on| *on).count()
    }

    /// Adds a value to a facet or removes it. Removing the last one clears the facet.
    pub fn toggle(&mut self, field: &Field, value: &str) {
        let set = self.facets.entry(field.clone()).or_default();
        if !set.remove(value) {
            set.insert(value.to_owned());
        }
        if set.is_empty() {
            self.facets.remove(field);
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
enum Slot {
    Facet(Field, Values),
    Range(Field, Range),
    Search(String),
    Only(RowSet),
}

impl Slot {
    /// Key of this filter in a link.
    fn key(&self) -> String {
        match self {
            Slot::Facet(field, _) => format!("f.{field}"),
            Slot::Range(field, _) => format!("r.{field}"),
            Slot::Search(_) => "q".to_owned(),
            Slot::Only(_) => "only".to_owned(),
        }
    }

    fn same_place(&self, other: &Slot) -> bool {
        match (self, other) {
            (Slot::Facet(a, _), Slot::Facet(b, _)) | (Slot::Range(a, _), Slot::Range(b, _)) => {
                a == b
            }
            (Slot::Search(_), Slot::Search(_)) | (Slot::Only(_), Slot::Only(_)) => true,
            _ => false,
        }
    }
}

/// Evaluated filters over one dataset.
#[derive(Clone, Debug, Default)]
pub struct Mask {
    slots: Vec<Option<Slot>>,
    /// Number of rows of the dataset.
    rows: usize,
    /// By row: one bit for each filter that rejects it; empty without filters.
    fail: Vec<u32>,
    known: Vec<Known>,
}

/// Cached categories of all rows, which filters do not change.
#[derive(Clone, Debug)]
struct Known {
    field: Field,
    codes: Vec<u16>,
    values: Vec<String>,
}

/// Maximum number of values for which categories are cached.
const KNOWN_VALUES: usize = 4096;

/// Categories of a field, from `known` if cached.
fn categories<'a>(known: &'a mut Vec<Known>, field: &Field, frame: &'a Frame) -> Categories<'a> {
    if let Some(i) = known.iter().position(|k| k.field == *field) {
        return known[i].categories();
    }
    match frame.categories(field) {
        Categories { codes: Codes::Owned(codes), values } if values.len() <= KNOWN_VALUES => {
            known.push(Known {
                field: field.clone(),
                codes: codes.iter().map(|&c| c as u16).collect(),
                values: values.into_owned(),
            });
            known[known.len() - 1].categories()
        }
        other => other,
    }
}

impl Known {
    fn categories(&self) -> Categories<'_> {
        Categories {
            codes: Codes::Mapped(&self.codes, (0..self.values.len() as u32).collect()),
            values: Cow::Borrowed(&self.values),
        }
    }
}

impl Mask {
    /// Maximum number of active filters.
    pub const CAPACITY: usize = 32;

    /// Updates the bits, evaluating only filters that changed since the last call; call [`Mask::reset`] when data or
    /// metrics change. Returns the link keys of filters beyond [`Mask::CAPACITY`], which are not applied.
    pub fn update(&mut self, filters: &Filters, frame: &Frame) -> Vec<String> {
        if self.rows != frame.data.len() {
            self.reset();
            self.rows = frame.data.len();
        }
        let mut wanted: Vec<Slot> = Vec::new();
        for (f, set) in &filters.facets {
            wanted.push(Slot::Facet(f.clone(), set.clone()));
        }
        for (f, range) in &filters.ranges {
            wanted.push(Slot::Range(f.clone(), *range));
        }
        if !filters.search.is_empty() {
            wanted.push(Slot::Search(filters.search.clone()));
        }
        wanted.extend(filters.only.clone().map(Slot::Only));
        for i in 0..self.slots.len() {
            let gone = match &self.slots[i] {
                Some(slot) => !wanted.iter().any(|w| w.same_place(slot)),
                None => false,
            };
            if gone {
                self.slots[i] = None;
                let keep = !(1u32 << i);
                self.fail.iter_mut().for_each(|w| *w &= keep);
            }
        }
        let mut refused = Vec::new();
        for slot in wanted {
            let place =
                self.slots.iter().position(|s| s.as_ref().is_some_and(|s| s.same_place(&slot)));
            if place.is_some_and(|i| self.slots[i].as_ref() == Some(&slot)) {
                continue;
            }
            let index = place
                .or_else(|| self.slots.iter().position(Option::is_none))
                .unwrap_or(self.slots.len());
            if index >= Self::CAPACITY {
                refused.push(slot.key());
                continue;
            }
            if index == self.slots.len() {
                self.slots.push(None);
            }
            self.fail.resize(self.rows, 0);
            evaluate(&slot, frame, &mut self.fail, 1 << index, &mut self.known);
            self.slots[index] = Some(slot);
        }
        if self.slots.iter().all(Option::is_none) {
            self.fail = Vec::new();
        }
        refused
    }

    /// Clears everything, for other data or metrics.
    pub fn reset(&mut self) {
        *self = Mask::default();
    }

    /// Rows that pass all filters, ascending.
    pub fn passing(&self) -> Vec<u32> {
        if self.fail.is_empty() {
            return (0..self.rows as u32).collect();
        }
        // Branch-free, because the branch would be unpredictable.
        let mut out = vec![0; self.rows];
        let mut passing = 0;
        for (word, row) in self.fail.iter().zip(0u32..) {
            out[passing] = row;
            passing += usize::from(*word == 0);
        }
        out.truncate(passing);
        out
    }

    /// Number of distinct values of a field among all rows. Pass the frame of the last [`Mask::update`].
    pub fn distinct(&mut self, field: &Field, frame: &Frame) -> usize {
        let Categories { codes, values } = categories(&mut self.known, field, frame);
        let mut has = vec![false; values.len()];
        codes.each(|code| has[code as usize] = true);
        has.into_iter().filter(|h| *h).count()
    }

    /// Number of rows that each value of a facet would show: rows that pass every *other* filter. Pass the frame of the
    /// last [`Mask::update`].
    pub fn counts(&mut self, field: &Field, frame: &Frame) -> Vec<(String, u64)> {
        let own = self
            .slots
            .iter()
            .position(|s| matches!(s, Some(Slot::Facet(f, _)) if f == field))
            .map_or(0, |i| 1u32 << i);
        let Categories { codes, values } = categories(&mut self.known, field, frame);
        let mut counts = vec![0u64; values.len()];
        let mut words = self.fail.iter();
        codes.each(|code| {
            // Without filters there are no words.
            let passes = words.next().is_none_or(|word| word & !own == 0);
            counts[code as usize] += u64::from(passes);
        });
        values.iter().cloned().zip(counts).collect()
    }
}

fn evaluate(slot: &Slot, frame: &Frame, fail: &mut [u32], bit: u32, known: &mut Vec<Known>) {
    let mut set = |row: usize, pass: bool| {
        let word = &mut fail[row];
        *word = if pass { *word & !bit } else { *word | bit };
    };
    match slot {
        Slot::Facet(field, allowed) => {
            let Categories { codes, values } = categories(known, field, frame);
            let pass: Vec<bool> = values.iter().map(|v| allowed.contains(v)).collect();
            let mut row = 0;
            codes.each(|code| {
                set(row, pass[code as usize]);
                row += 1;
            });
        }
        Slot::Range(field, range) => {
            let get = frame.numbers(field);
            for row in 0..frame.data.len() {
                set(row, range.contains(get(row)));
            }
        }
        Slot::Only(only) => {
            for (row, inside) in only.marks(&frame.data).enumerate() {
                set(row, inside);
            }
        }
        Slot::Search(text) => {
            let needle = text.to_lowercase();
            let hits = search_columns(&frame.data, &needle);
            let sizes = Sizes::of(text);
            for row in 0..frame.data.len() {
                let named = hits.iter().any(|(codes, hit)| hit[codes[row] as usize]);
                let sized = || sizes.as_ref().is_some_and(|s| s.are_of(&frame.data, row));
                set(row, named || sized());
            }
        }
    }
}

/// For each text column with a kernel or operation name: its codes, and by value whether it contains the searched text.
fn search_columns<'a>(data: &'a Dataset, needle: &str) -> Vec<(&'a [u32], Vec<bool>)> {
    data.columns
        .iter()
        .filter(|c| {
            matches!(
                c.meaning,
                ColumnMeaning::Kernel
                    | ColumnMeaning::OpName
                    | ColumnMeaning::Library
                    | ColumnMeaning::Model
            )
        })
        .filter_map(|c| match &c.data {
            ColumnData::Text { codes, values } => Some((
                codes.as_slice(),
                values.iter().map(|v| v.to_lowercase().contains(needle)).collect(),
            )),
            ColumnData::Number(_) => None,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::{Column, Source};
    use crate::metrics::Metrics;
    use gemmscope_model::dtype::DataType;
    use gemmscope_model::gemm::Operation;
    use gemmscope_model::hardware::RoofKind;
    use std::sync::Arc;

    fn frame(rows: usize) -> Frame {
        let mut d = Dataset::new();
        d.sources.push(Source { name: "t.csv".into(), ..Source::default() });
        d.ops.push(Operation::uniform(DataType::Fp16));
        d.ops.push(Operation::uniform(DataType::Bf16));
        let mut codes = Vec::new();
        for i in 0..rows {
            d.m.push(i as u32 + 1);
            d.n.push(64);
            d.k.push(64);
            d.batch.push(1);
            d.op.push((i % 2) as u16);
            d.device.push(0);
            d.time_s.push(1e-6);
            d.source.push(0);
            d.line.push(i as u32 + 2);
            codes.push((i % 3) as u32);
        }
        d.columns.push(Column {
            key: "kernel".into(),
            label: "kernel".into(),
            meaning: ColumnMeaning::Kernel,
            unit: String::new(),
            data: ColumnData::Text {
                codes,
                values: vec!["".into(), "Splitk_A".into(), "stream".into()],
            },
        });
        let metrics = Metrics::compute(&d, vec![None], RoofKind::Datasheet);
        Frame::all(Arc::new(d), Arc::new(metrics))
    }

    fn brute(f: &Filters, frame: &Frame) -> Vec<u32> {
        (0..frame.data.len())
            .filter(|&r| {
                f.facets.iter().all(|(field, set)| {
                    let c = frame.categories(field);
                    set.contains(&c.values[c.codes.get(r) as usize])
                }) && f.ranges.iter().all(|(field, range)| range.contains(frame.numbers(field)(r)))
                    && f.only.as_ref().is_none_or(|o| o.marks(&frame.data).nth(r) == Some(true))
                    && (f.search.is_empty()
                        || frame
                            .data
                            .text(ColumnMeaning::Kernel, r)
                            .to_lowercase()
                            .contains(&f.search.to_lowercase()))
            })
            .map(|r| r as u32)
            .collect()
    }

    #[test]
    fn changing_filters_one_by_one_gives_what_a_fresh_scan_gives() {
        let frame = frame(60);
        let mut mask = Mask::default();
        let mut f = Filters::default();
        let kernel = Field::Column("kernel".into());
        type Step = Box<dyn Fn(&mut Filters)>;
        let steps: Vec<Step> = vec![
            Box::new(|f| f.toggle(&Field::Dtype, "fp16")),
            Box::new(|f| {
                f.ranges.insert(Field::M, Range { min: Some(10.0), max: Some(40.0) });
            }),
            Box::new(|f| f.search = "SPLITK".into()),
            Box::new(|f| f.only = RowSet::decode("*0.5-30_0.40").ok()),
            Box::new(|f| f.toggle(&Field::Dtype, "bf16")),
            Box::new(|f| f.only = RowSet::decode("*0.7-9").ok()),
            Box::new(|f| f.toggle(&Field::Dtype, "fp16")),
            Box::new(|f| {
                f.ranges.clear();
            }),
            Box::new(|f| f.only = None),
            Box::new(|f| f.search.clear()),
            Box::new(|f| *f = Filters::default()),
        ];
        for step in steps {
            step(&mut f);
            assert!(mask.update(&f, &frame).is_empty());
            assert_eq!(mask.passing(), brute(&f, &frame), "{f:?}");
            let sum = |counts: Vec<(String, u64)>| counts.iter().map(|c| c.1).sum::<u64>() as usize;
            for field in [&kernel, &Field::Batch, &Field::Bound] {
                // Twice: the second time from the cache.
                let first = mask.counts(field, &frame);
                assert_eq!(mask.counts(field, &frame), first);
                let distinct = Mask::default().distinct(field, &frame);
                assert_eq!(mask.distinct(field, &frame), distinct);
                if !f.facets.contains_key(field) {
                    assert_eq!(sum(first), mask.passing().len());
                }
            }
        }
    }

    #[test]
    fn every_value_range_and_search_is_a_filter() {
        let mut filters = Filters::default();
        assert_eq!(filters.count(), 0);
        filters.toggle(&Field::Dtype, "fp16");
        filters.toggle(&Field::Dtype, "bf16");
        filters.ranges.insert(Field::M, Range::default());
        filters.search = "x".to_owned();
        assert_eq!(filters.count(), 4);
    }

    #[test]
    fn a_facet_counts_without_itself() {
        let frame = frame(60);
        let mut mask = Mask::default();
        let mut f = Filters::default();
        f.toggle(&Field::Dtype, "fp16");
        mask.update(&f, &frame);
        let counts = mask.counts(&Field::Dtype, &frame);
        assert_eq!(counts.iter().map(|c| c.1).collect::<Vec<_>>(), [30, 30]);
        let distinct = [Field::Dtype, Field::Batch, Field::M].map(|f| mask.distinct(&f, &frame));
        assert_eq!(distinct, [2, 1, 60]);
    }
}
