//! Results of a chart or the planner as rows of text and CSV.

use crate::native_csv::{guard, push_quoted};
use gemmscope_model::encode::one_line;

/// A table of texts with a header.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ResultTable {
    /// Column titles with units.
    pub header: Vec<String>,
    /// Rows of cells.
    pub rows: Vec<Vec<String>>,
}

impl ResultTable {
    /// A table with these column titles.
    pub fn of(header: &[&str], rows: Vec<Vec<String>>) -> Self {
        ResultTable { header: header.iter().map(|h| (*h).to_owned()).collect(), rows }
    }

    /// True if the column has figures only: every cell begins with a digit, except cells that say there is no figure
    /// (empty, a dash, `never`), and at least one does.
    pub fn is_numeric(&self, column: usize) -> bool {
        let mut cells = self
            .rows
            .iter()
            .filter_map(|r| r.get(column))
            .filter(|c| !matches!(c.as_str(), "" | "–" | "never"))
            .peekable();
        cells.peek().is_some()
            && cells.all(|c| {
                let text = c.trim_start_matches(['-', '−', '+']);
                text.starts_with(|c: char| c.is_ascii_digit())
            })
    }

    /// The table separated by tabs, for the clipboard of spreadsheets and chats. No cell is run as a formula or breaks
    /// its line.
    pub fn tabbed(&self) -> String {
        let cell = |cell: &String| one_line(&guard(cell)).into_owned();
        let line = |row: &Vec<String>| row.iter().map(cell).collect::<Vec<_>>().join("\t") + "\n";
        std::iter::once(&self.header).chain(&self.rows).map(line).collect()
    }

    /// The table as CSV (RFC 4180: CRLF, quotes only where needed). A text that a spreadsheet would run as a formula
    /// gets an apostrophe, which import removes.
    pub fn csv(&self) -> String {
        let mut out = String::new();
        for row in std::iter::once(&self.header).chain(&self.rows) {
            for (i, cell) in row.iter().enumerate() {
                if i > 0 {
                    out.push(',');
                }
                let cell = guard(cell);
                if cell.contains([',', '"', '\n', '\r']) {
                    push_quoted(&mut out, &cell);
                } else {
                    out.push_str(&cell);
                }
            }
            out.push_str("\r\n");
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::native_csv::unguard;

    #[test]
    fn a_spreadsheet_runs_no_cell_and_every_cell_comes_back() {
        for (cell, written) in [
            ("=cmd()", "'=cmd()"),
            ("+A1", "'+A1"),
            ("-2+3|x!A0", "'-2+3|x!A0"),
            ("@sum", "'@sum"),
            ("\t=1", "'\t=1"),
            ("'=1", "''=1"),
            ("''-x", "'''-x"),
            ("-1.5", "-1.5"),
            ("-1.5 ms", "-1.5 ms"),
            ("+12.0 %", "+12.0 %"),
            ("--", "'--"),
            ("'quoted'", "'quoted'"),
            ("gemm=1", "gemm=1"),
        ] {
            let table = ResultTable::of(&["a"], vec![vec![cell.to_owned()]]);
            assert_eq!(table.csv(), format!("a\r\n{written}\r\n"));
            assert_eq!(table.tabbed(), format!("a\n{}\n", one_line(written)));
            assert_eq!(unguard(written.as_bytes()), cell.as_bytes());
        }
    }
}
