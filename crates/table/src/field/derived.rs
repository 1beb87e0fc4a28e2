//! Columns that follow from the whole table, such as the accounts of the ledger: a crate above this one
//! works them out and hands them to a [`Frame`], whose fields they then are.

use super::{Categories, FieldInfo, Frame};
use std::fmt::Debug;

/// Columns that are handed in. Their fields are [`Field::Column`](super::Field::Column) with keys that no
/// file has; a file's own column of that key comes first.
pub trait Derived: Debug + Send + Sync {
    /// The columns in the order that menus list them.
    fn fields(&self) -> &[FieldInfo];

    /// A column of numbers; `None` if it is none of these.
    fn numbers<'a>(&'a self, frame: &'a Frame, key: &str)
    -> Option<Box<dyn Fn(usize) -> f64 + 'a>>;

    /// A column of categories; `None` if it is none of these.
    fn categories<'a>(&'a self, frame: &'a Frame, key: &str) -> Option<Categories<'a>>;
}
