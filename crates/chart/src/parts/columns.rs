//! The figures of a mark as one list, from which table, tooltip and saved CSV follow.

use crate::ticks::Format;
use crate::tooltip::Tooltip;
use gemmscope_table::column_format::{cell, titled};
use gemmscope_table::field::FieldInfo;
use gemmscope_table::result_table::ResultTable;
use std::borrow::Cow;

/// Columns over rows of `T`.
pub(crate) struct Columns<'a, T>(Vec<Column<'a, T>>);

struct Column<'a, T> {
    title: Cow<'a, str>,
    value: Value<'a, T>,
    /// Also shown in tooltips.
    tip: bool,
}

enum Value<'a, T> {
    Text(Box<dyn Fn(&T) -> String + 'a>),
    /// A number in an SI base unit.
    Number(Cow<'a, str>, Box<dyn Fn(&T) -> f64 + 'a>),
}

impl<'a, T> Columns<'a, T> {
    pub(crate) fn new() -> Self {
        Columns(Vec::new())
    }

    fn push(mut self, title: Cow<'a, str>, value: Value<'a, T>) -> Self {
        self.0.push(Column { title, value, tip: true });
        self
    }

    /// Adds a column of texts.
    pub(crate) fn text(
        self,
        title: impl Into<Cow<'a, str>>,
        of: impl Fn(&T) -> String + 'a,
    ) -> Self {
        self.push(title.into(), Value::Text(Box::new(of)))
    }

    /// Adds a column of numbers in an SI base unit; tooltips omit NaN.
    pub(crate) fn number(
        self,
        title: impl Into<Cow<'a, str>>,
        unit: impl Into<Cow<'a, str>>,
        of: impl Fn(&T) -> f64 + 'a,
    ) -> Self {
        self.push(title.into(), Value::Number(unit.into(), Box::new(of)))
    }

    /// Adds a column of a field's values.
    pub(crate) fn field(self, info: &'a FieldInfo, of: impl Fn(&T) -> f64 + 'a) -> Self {
        self.number(&info.label, &info.unit, of)
    }

    /// Leaves the last column out of tooltips: it is a name, or the page adds it.
    pub(crate) fn no_tip(mut self) -> Self {
        if let Some(last) = self.0.last_mut() {
            last.tip = false;
        }
        self
    }

    /// A table of these rows, with units in the column titles.
    pub(crate) fn table(&self, rows: impl IntoIterator<Item = T>) -> ResultTable {
        let line = |row: T| {
            let each = self.0.iter().map(|c| match &c.value {
                Value::Text(of) => of(&row),
                Value::Number(unit, of) => cell(of(&row), unit),
            });
            each.collect()
        };
        let title = |c: &Column<'_, T>| match &c.value {
            Value::Text(_) => c.title.to_string(),
            Value::Number(unit, _) => titled(&c.title, unit),
        };
        ResultTable {
            header: self.0.iter().map(title).collect(),
            rows: rows.into_iter().map(line).collect(),
        }
    }

    /// The same figures of one row, below a heading.
    pub(crate) fn tooltip(&self, head: impl Into<String>, row: &T) -> Tooltip {
        let mut out = Tooltip::new(head);
        for c in self.0.iter().filter(|c| c.tip) {
            let text = match &c.value {
                Value::Text(of) => of(row),
                Value::Number(unit, of) => match of(row) {
                    v if v.is_nan() => continue,
                    v => Format::of(unit).figure(v),
                },
            };
            if !text.is_empty() {
                out = out.row(c.title.as_ref(), text);
            }
        }
        out
    }
}
