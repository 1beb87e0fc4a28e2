//! Results of a chart or the planner as rows of text, and as CSV.

use crate::native_csv::push_quoted;

/// A table of texts under a header.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// Column titles with units.
    pub header: Vec<String>,
    /// Rows of cells.
    pub rows: Vec<Vec<String>>,
}

impl Table {
    /// A table under these titles.
    pub fn of(header: &[&str], rows: Vec<Vec<String>>) -> Self {
        Table {
            header: header.iter().map(|h| (*h).to_owned()).collect(),
            rows,
        }
    }

    /// True if every cell of the column that is not empty begins with a digit, and there is one.
    pub fn is_numeric(&self, column: usize) -> bool {
        let mut cells = self
            .rows
            .iter()
            .filter_map(|r| r.get(column))
            .filter(|c| !c.is_empty() && *c != "–")
            .peekable();
        cells.peek().is_some()
            && cells.all(|c| {
                let text = c.trim_start_matches(['-', '−', '+']);
                text.starts_with(|c: char| c.is_ascii_digit())
            })
    }

    /// The table as CSV (RFC 4180: CRLF, quotes only where needed).
    pub fn csv(&self) -> String {
        let mut out = String::new();
        for row in std::iter::once(&self.header).chain(&self.rows) {
            for (i, cell) in row.iter().enumerate() {
                if i > 0 {
                    out.push(',');
                }
                if cell.contains([',', '"', '\n', '\r']) {
                    push_quoted(&mut out, cell);
                } else {
                    out.push_str(cell);
                }
            }
            out.push_str("\r\n");
        }
        out
    }
}
