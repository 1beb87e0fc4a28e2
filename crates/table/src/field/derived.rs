//! Columns derived from the whole table, such as the accounts of the ledger: a crate above this one computes them and
//! adds them to a [`Frame`] as fields.

use super::{Categories, FieldInfo, Frame};
use std::fmt::Debug;

/// Derived columns. Their fields are [`Field::Column`](super::Field::Column) with keys that no file has; if a file does
/// have such a column, the file's wins.
pub trait Derived: Debug + Send + Sync {
    /// The columns in menu order.
    fn fields(&self) -> &[FieldInfo];

    /// Numbers of a column; `None` if it is not a derived number column.
    fn numbers<'a>(&'a self, frame: &'a Frame, key: &str)
    -> Option<Box<dyn Fn(usize) -> f64 + 'a>>;

    /// Categories of a column; `None` if it is not a derived category column.
    fn categories<'a>(&'a self, frame: &'a Frame, key: &str) -> Option<Categories<'a>>;
}
