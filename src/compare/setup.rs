//! Which sides to compare on which keys, chosen from the data.

use super::{Comparison, measured};
use crate::dataset::Role;
use crate::field::{Field, FieldKind, Frame};

/// What is compared with what, and on which keys.
#[derive(Clone, Debug, PartialEq)]
pub struct Setup {
    /// Whose values are the sides.
    pub side: Field,
    /// The sides: values of `side`, in order. At most [`Setup::MOST_SIDES`].
    pub sides: Vec<String>,
    /// What must agree for two rows to be the same configuration.
    pub keys: Vec<Field>,
}

impl Setup {
    /// Sides past this many are left out: nobody reads a comparison of more.
    pub const MOST_SIDES: usize = 8;

    /// The default keys: shape with batch, types, layout, and the device where several are
    /// known; without `side` itself.
    pub fn default_keys(frame: &Frame, side: &Field) -> Vec<Field> {
        let mut keys = vec![Field::Shape, Field::Dtype, Field::Transposes];
        let used = |f: &Field| value_counts(frame, f).len();
        if used(&Field::Device) > 1 && *side != Field::Source {
            keys.push(Field::Device);
        }
        keys.retain(|k| k != side);
        keys
    }

    /// The fields whose values can be sides: categories with at least two values among the rows.
    pub fn candidates(frame: &Frame) -> Vec<Field> {
        let role = |f: &Field| match f {
            Field::Column(key) => frame.data.columns.iter().find(|c| c.key == *key),
            _ => None,
        };
        // What people compare most comes first; anything else follows in the file's order.
        let rank = |f: &Field| match f {
            Field::Source => 0,
            Field::Device => 2,
            Field::Column(_) => match role(f).map(|c| c.role) {
                Some(Role::Library) => 1,
                Some(Role::Other) => 4,
                Some(Role::Kernel | Role::Model | Role::OpName) => 5,
                _ => 6,
            },
            Field::Dtype => 7,
            Field::Transposes => 8,
            _ => 9,
        };
        let mut out: Vec<Field> = frame
            .fields()
            .into_iter()
            .filter(|i| {
                i.kind == FieldKind::Category && !matches!(i.field, Field::Shape | Field::Bound)
            })
            .map(|i| i.field)
            .filter(|f| {
                // Names that hardly repeat (a name per row) cannot be sides.
                let values = value_counts(frame, f);
                let rows: u64 = values.iter().map(|v| v.1).sum();
                values.len() > 1 && (values.len() as u64 * 2 <= rows || values.len() <= 4)
            })
            .collect();
        out.sort_by_key(rank);
        out
    }

    /// A comparison chosen from the data: by the first of the candidates on which something
    /// matches.
    pub fn choose(frame: &Frame, candidates: &[Field]) -> Option<Comparison> {
        let mut first = None;
        // A file of many columns has many candidates; past the first few nothing is gained.
        for side in candidates.iter().take(6) {
            let found = Comparison::new(frame, &Setup::of(frame, side.clone()));
            if found.pairs_possible() > 0 {
                return Some(found);
            }
            first = first.or(Some(found));
        }
        first
    }

    /// The default setup for a side field: its most frequent values, files in their own order.
    pub fn of(frame: &Frame, side: Field) -> Setup {
        let mut counts = value_counts(frame, &side);
        if side != Field::Source {
            counts.sort_by_key(|c| std::cmp::Reverse(c.1));
        }
        Setup {
            keys: Setup::default_keys(frame, &side),
            sides: counts
                .into_iter()
                .map(|(v, _)| v)
                .take(Setup::MOST_SIDES)
                .collect(),
            side,
        }
    }
}

/// Non-empty values of a category among the measured rows of a frame, with their row counts, in
/// the category's own order.
pub fn value_counts(frame: &Frame, field: &Field) -> Vec<(String, u64)> {
    let cats = frame.categories(field);
    let mut counts = vec![0u64; cats.values.len()];
    for &r in frame.rows.iter() {
        let r = r as usize;
        if measured(&frame.data, r) {
            counts[cats.codes.get(r) as usize] += 1;
        }
    }
    cats.values
        .into_iter()
        .zip(counts)
        .filter(|(v, n)| *n > 0 && !v.is_empty())
        .collect()
}
