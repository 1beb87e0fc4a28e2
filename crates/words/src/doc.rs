//! A document as blocks, and three renderers: HTML, markdown, plain text. What a report, the verdict of a
//! check or a plan says is said once; how a heading or a table looks is said here.

pub(crate) mod escape;
mod html;
mod markdown;
mod plain;

pub use html::{Picture, html};
pub use markdown::markdown;
pub use plain::plain;

use gemmscope_table::result_table;
use std::borrow::Cow;

/// A text of a document, not escaped.
pub type Text<'a> = Cow<'a, str>;

/// A part of a document.
#[derive(Debug)]
pub enum Block<'a> {
    /// A heading of this level: 1 is the document's own.
    Heading(u8, Text<'a>),
    /// The sentence that matters most.
    Lead(Text<'a>),
    /// A paragraph.
    Text(Text<'a>),
    /// A list, with what it is of where that is not said before.
    List(&'static str, Vec<Text<'a>>),
    /// A table.
    Table(DocTable<'a>),
    /// A part with a heading of its own.
    Article(Article<'a>),
    /// Where pictures stand, in documents that have some.
    Pictures,
}

/// A heading of the second level.
pub fn heading<'a>(text: impl Into<Text<'a>>) -> Block<'a> {
    Block::Heading(2, text.into())
}

/// A paragraph.
pub fn text<'a>(text: impl Into<Text<'a>>) -> Block<'a> {
    Block::Text(text.into())
}

/// How a column is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Set {
    /// As wide as it needs.
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

    /// The same columns and cells.
    pub fn of(table: &'a result_table::ResultTable) -> Self {
        let texts = |cells: &'a [String]| cells.iter().map(Text::from).collect::<Vec<_>>();
        let columns = texts(&table.header).into_iter().map(|title| (title, Set::Text));
        let rows = table.rows.iter().map(|row| texts(row));
        DocTable { columns: columns.collect(), rows: rows.collect() }
    }

    /// One more column.
    pub fn column(&mut self, title: impl Into<Text<'a>>, set: Set) {
        self.columns.push((title.into(), set));
    }

    /// One more row.
    pub fn row(&mut self, cells: Vec<Text<'a>>) {
        self.rows.push(cells);
    }
}

/// A part with a heading, a line of facts, a text, and entries with titles. Empty entries are left out.
#[derive(Debug)]
pub struct Article<'a> {
    /// Its class in HTML: `critical`.
    pub class: String,
    /// Its heading.
    pub heading: Text<'a>,
    /// How much it matters, which stands out.
    pub tag: &'static str,
    /// What it is about.
    pub kind: &'static str,
    /// Facts after it.
    pub facts: Text<'a>,
    /// The text.
    pub text: Text<'a>,
    /// Title, text, and how it is set.
    pub entries: Vec<(&'static str, Text<'a>, DocEntry)>,
}

/// How an entry is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DocEntry {
    /// A text.
    Plain,
    /// A formula.
    Code,
    /// What to try: such entries stand beside each other.
    Path,
}

/// A cell or text that is made for its place.
pub fn owned<'a>(text: impl ToString) -> Text<'a> {
    Cow::Owned(text.to_string())
}
