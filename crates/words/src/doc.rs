//! A document as blocks, with three renderers: HTML, markdown, plain text. Reports, verdicts of checks and plans build
//! blocks; only the renderers know what a heading or a table looks like.

pub(crate) mod escape;
mod html;
mod markdown;
mod plain;

pub use html::{Picture, html};
pub use markdown::markdown;
pub use plain::plain;

use gemmscope_table::result_table;
use std::borrow::Cow;

/// Text of a document, not escaped.
pub type Text<'a> = Cow<'a, str>;

/// A part of a document.
#[derive(Debug)]
pub enum Block<'a> {
    /// A heading of this level: 1 is the document's own.
    Heading(u8, Text<'a>),
    /// The most important sentence.
    Lead(Text<'a>),
    /// A paragraph.
    Text(Text<'a>),
    /// A list, with a title if it needs one.
    List(&'static str, Vec<Text<'a>>),
    /// A table.
    Table(DocTable<'a>),
    /// A section with its own heading.
    Article(Article<'a>),
    /// Place of the pictures, if there are some.
    Pictures,
}

/// A heading of level 2.
pub fn heading<'a>(text: impl Into<Text<'a>>) -> Block<'a> {
    Block::Heading(2, text.into())
}

/// A paragraph.
pub fn text<'a>(text: impl Into<Text<'a>>) -> Block<'a> {
    Block::Text(text.into())
}

/// Layout of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Set {
    /// As wide as its content.
    Text,
    /// Long texts.
    Wide,
    /// Numbers.
    Number,
}

/// A table.
#[derive(Debug)]
pub struct DocTable<'a> {
    columns: Vec<(Text<'a>, Set)>,
    rows: Vec<Vec<Text<'a>>>,
}

impl<'a> DocTable<'a> {
    /// A table of these columns, without rows.
    pub fn new(columns: &[(&'a str, Set)]) -> Self {
        let columns = columns.iter().map(|(title, set)| (Cow::Borrowed(*title), *set));
        DocTable { columns: columns.collect(), rows: Vec::new() }
    }

    /// A table with the columns and cells of a [`ResultTable`](result_table::ResultTable).
    pub fn of(table: &'a result_table::ResultTable) -> Self {
        let texts = |cells: &'a [String]| cells.iter().map(Text::from).collect::<Vec<_>>();
        let columns = texts(&table.header).into_iter().map(|title| (title, Set::Text));
        let rows = table.rows.iter().map(|row| texts(row));
        DocTable { columns: columns.collect(), rows: rows.collect() }
    }

    /// Adds a column.
    pub fn column(&mut self, title: impl Into<Text<'a>>, set: Set) {
        self.columns.push((title.into(), set));
    }

    /// Adds a row.
    pub fn row(&mut self, cells: Vec<Text<'a>>) {
        self.rows.push(cells);
    }
}

/// A section with a heading, a line of facts, a text, and titled entries. Empty entries are left out.
#[derive(Debug)]
pub struct Article<'a> {
    /// Its class in HTML: `critical`.
    pub class: String,
    /// Its heading.
    pub heading: Text<'a>,
    /// Its importance, highlighted.
    pub tag: &'static str,
    /// Its category.
    pub kind: &'static str,
    /// Facts after it.
    pub facts: Text<'a>,
    /// The text.
    pub text: Text<'a>,
    /// Title, text, and layout.
    pub entries: Vec<(&'static str, Text<'a>, DocEntry)>,
}

/// Layout of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DocEntry {
    /// A text.
    Plain,
    /// A formula.
    Code,
    /// Advice: such entries are laid out side by side.
    Path,
}

/// Text from an owned value.
pub fn owned<'a>(text: impl ToString) -> Text<'a> {
    Cow::Owned(text.to_string())
}
