//! Chooses sides and keys of a comparison from the data.

use super::{Comparison, measured};
use gemmscope_table::data_kind::DataKind;
use gemmscope_table::dataset::ColumnMeaning;
use gemmscope_table::field::{Field, FieldKind, Frame};

/// Why a comparison shows nothing with the default setup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lack {
    /// All rows have the same file, library, device, type and layout.
    Sides,
    /// No two sides have a GEMM in common.
    SharedGemms,
    /// The rows are variants of one GEMM, which a sweep shows.
    OnlyVariants,
}

/// The sides of a comparison and its keys.
#[derive(Clone, Debug, PartialEq)]
pub struct Setup {
    /// The field whose values are the sides.
    pub side: Field,
    /// The sides: values of `side`, in order.
    pub sides: Vec<String>,
    /// Fields that define a configuration.
    pub keys: Vec<Field>,
    /// True where the last side is what others reach, which no row is of.
    pub published: bool,
}

/// Name of the side that others have published.
pub const PUBLISHED: &str = "published";

/// Rows up to which two comparisons are worked out to choose one.
const AT_ONCE: usize = 20_000;

impl Setup {
    /// Maximum number of sides. A column with more values is no list of sides.
    pub(crate) const MOST_SIDES: usize = 4096;

    /// The sides of a frame's decision; `None` if it has none.
    pub(crate) fn of_sides(frame: &Frame) -> Option<Setup> {
        let counted = frame.counted();
        let side = frame.decision().side.clone().filter(|_| counted.compares())?;
        let named = counted.sides.iter().filter(|s| !s.value.is_empty());
        Some(Setup {
            keys: Setup::default_keys(frame, &side),
            sides: named.map(|s| s.value.clone()).collect(),
            side,
            published: false,
        })
    }

    /// True where what others reach can be a side beside the values of a field: not beside devices, types and layouts,
    /// whose published times are not of one GEMM.
    pub fn takes_published(frame: &Frame, side: &Field) -> bool {
        let of_one = !matches!(side, Field::Device | Field::Dtype | Field::Transposes);
        of_one && frame.metrics.has_references()
    }

    /// The same sides with what others reach as the last one, or without it.
    #[must_use]
    pub fn with_published(mut self, on: bool) -> Setup {
        if self.published {
            self.sides.pop();
        }
        if on {
            self.sides.truncate(Setup::MOST_SIDES - 1);
            self.sides.push(PUBLISHED.to_owned());
        }
        self.published = on;
        self
    }

    /// The default keys: shape with batch, types, layout, and the device if there are several;
    /// without `side`.
    pub fn default_keys(frame: &Frame, side: &Field) -> Vec<Field> {
        let mut keys = vec![Field::Shape, Field::Dtype, Field::Transposes];
        let used = |f: &Field| value_counts(frame, f).len();
        if used(&Field::Device) > 1 && *side != Field::Source {
            keys.push(Field::Device);
        }
        keys.retain(|k| k != side);
        keys
    }

    /// The fields whose values can be sides: categories with at least two values among the rows, and at last the file,
    /// where others have published times to set it beside.
    pub fn candidates(frame: &Frame) -> Vec<Field> {
        // The decided side first, then the most usual ones, then file order.
        let own = frame.decision().side.as_ref();
        let mut out: Vec<Field> = frame
            .fields()
            .into_iter()
            .filter(|i| {
                i.kind == FieldKind::Category
                    && !matches!(i.field, Field::Shape | Field::Bound | Field::Standing)
            })
            .map(|i| i.field)
            .filter(|f| {
                // A column with a different name in nearly every row cannot be a side.
                let values = value_counts(frame, f);
                let rows: u64 = values.iter().map(|v| v.1).sum();
                let few = values.len() as u64 * 2 <= rows || values.len() <= 4;
                values.len() > 1 && (few || own == Some(f))
            })
            .collect();
        out.sort_by_key(|f| (own != Some(f), rank(frame, f)));
        if !out.contains(&Field::Source) && frame.metrics.has_references() {
            out.push(Field::Source);
        }
        out
    }

    /// True for fields that people usually compare by: files, libraries, devices, or the decided side. False for
    /// kernels and settings of a sweep.
    pub fn is_usual(frame: &Frame, field: &Field) -> bool {
        frame.decision().side.as_ref() == Some(field) || rank(frame, field) <= 2
    }

    /// Comparison by the first candidate for which any configuration matches; between types and layouts, the one at
    /// which more time is at stake.
    pub fn choose(frame: &Frame, candidates: &[Field]) -> Option<Comparison> {
        let found = Setup::first(frame, candidates)?;
        let layouts = Field::Transposes;
        if found.setup.side != Field::Dtype
            || !candidates.contains(&layouts)
            || frame.rows.len() > AT_ONCE
        {
            return Some(found);
        }
        let other = Comparison::new(frame, &Setup::of(frame, layouts));
        Some(match other.at_stake_s() > found.at_stake_s() {
            true => other,
            false => found,
        })
    }

    fn first(frame: &Frame, candidates: &[Field]) -> Option<Comparison> {
        let mut first = None;
        let own = frame.decision().side.as_ref();
        let rivals = candidates.iter().filter(|f| own == Some(f) || !is_label(frame, f));
        // A file with many columns has many candidates; try the first few.
        for side in rivals.take(6) {
            let found = Comparison::new(frame, &Setup::of(frame, side.clone()));
            if found.pairs_possible() > 0 {
                return Some(found);
            }
            first = first.or(Some(found));
        }
        first
    }

    /// Why the default comparison of these rows shows nothing; `None` if it shows something.
    pub fn lacks(frame: &Frame) -> Option<Lack> {
        let Some(found) = Setup::choose(frame, &Setup::candidates(frame)) else {
            return Some(Lack::Sides);
        };
        if found.pairs_possible() == 0 {
            return Some(Lack::SharedGemms);
        }
        let variants =
            frame.kind() == DataKind::Sweep && !Setup::is_usual(frame, &found.setup.side);
        variants.then_some(Lack::OnlyVariants)
    }

    /// The default setup for a side field: its most frequent values, files in their own order. Beside a single one
    /// stands what others reach.
    pub fn of(frame: &Frame, side: Field) -> Setup {
        let mut counts = value_counts(frame, &side);
        if side != Field::Source {
            counts.sort_by_key(|c| std::cmp::Reverse(c.1));
        }
        let alone = counts.len() < 2 && Setup::takes_published(frame, &side);
        let sides = Setup {
            keys: Setup::default_keys(frame, &side),
            sides: counts.into_iter().map(|(v, _)| v).take(Setup::MOST_SIDES).collect(),
            side,
            published: false,
        };
        sides.with_published(alone)
    }
}

/// True for names of models: they tell what ran, not what ran it.
fn is_label(frame: &Frame, field: &Field) -> bool {
    let Field::Column(key) = field else { return false };
    frame.data.columns.iter().any(|c| c.key == *key && c.meaning == ColumnMeaning::Model)
}

/// Rank of a field among the candidates, the most usual first.
fn rank(frame: &Frame, field: &Field) -> u8 {
    let column = |key: &str| frame.data.columns.iter().find(|c| c.key == key);
    match field {
        Field::Source => 0,
        Field::Device => 2,
        Field::Column(key) => match column(key).map(|c| c.meaning) {
            Some(ColumnMeaning::Library) => 1,
            Some(ColumnMeaning::Other) => 4,
            Some(ColumnMeaning::Kernel | ColumnMeaning::Model | ColumnMeaning::OpName) => 5,
            _ => 6,
        },
        Field::Dtype => 7,
        Field::Transposes => 8,
        _ => 9,
    }
}

/// Non-empty values of a category among the measured rows of a frame, with row counts, in the category's order.
pub(crate) fn value_counts(frame: &Frame, field: &Field) -> Vec<(String, u64)> {
    let cats = frame.categories(field);
    let mut counts = vec![0u64; cats.values.len()];
    for &r in frame.rows.iter() {
        let r = r as usize;
        if measured(&frame.data, r) {
            counts[cats.codes.get(r) as usize] += 1;
        }
    }
    let used = cats.values.iter().zip(counts).filter(|(v, n)| *n > 0 && !v.is_empty());
    used.map(|(v, n)| (v.clone(), n)).collect()
}
