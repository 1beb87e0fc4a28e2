//! What is handed on of the open files: their rows as our own CSV, a table for each file, and the user's own
//! devices. Never a file itself: a trace holds host names, paths and the environment of who recorded it.
//!
//! [`Extract`] works in slices, since the page has one thread.

use crate::data::{Carried, MOST_FILES, PAGE_UNPACKED, Packing};
use gemmscope_import::ImportOptions;
use gemmscope_model::hardware::Device;
use gemmscope_model::units::Bytes;
use gemmscope_table::dataset::Dataset;
use gemmscope_table::native_csv::CsvWriter;

/// The table of a file without a name: standard input, a paste.
const NAMELESS: &str = "data.csv";
/// Rows that one step writes.
const ROWS: usize = 2_000;

/// One table that goes along.
struct Part {
    name: String,
    rows: Vec<u32>,
}

/// Rows on their way into a link or a page. Each step of the iterator is the share that is done, 0 to 1.
pub struct Extract<'a> {
    writer: CsvWriter<'a>,
    parts: Vec<Part>,
    /// The table that is written, and its next row.
    at: (usize, usize),
    text: String,
    files: Vec<Carried>,
    packing: Option<Packing>,
    rows: usize,
    /// Rows that were written.
    done: usize,
    /// Bytes of the tables as text.
    written: u64,
}

/// Share of the work that writing the rows is; the rest is packing them.
const WRITING: f64 = 0.4;

impl<'a> Extract<'a> {
    /// These rows of a table, with the devices whose roofs are theirs and that the receiver does not have.
    pub fn new(data: &'a Dataset, rows: &[u32], own: &[Device]) -> Extract<'a> {
        // First, so that they are known when rows name them.
        let files = own.iter().map(|d| carried(format!("{}.json", d.id), d.to_json().into_bytes()));
        Extract {
            writer: CsvWriter::new(data, None),
            parts: parts(data, rows, MOST_FILES.saturating_sub(own.len())),
            at: (0, 0),
            text: String::new(),
            files: files.collect(),
            packing: None,
            rows: rows.len(),
            done: 0,
            written: 0,
        }
    }

    /// The packed block; what is left to do is done now.
    ///
    /// # Errors
    /// A sentence, where the rows are more than a page can be opened with.
    pub fn finish(mut self) -> Result<Vec<u8>, String> {
        for _ in &mut self {}
        if self.written > PAGE_UNPACKED {
            return Err(format!(
                "the rows take {} as text, and a page holds {}: open fewer files",
                Bytes(self.written as f64).to_iec(),
                Bytes(PAGE_UNPACKED as f64).to_iec()
            ));
        }
        Ok(self.packing.map(Packing::finish).unwrap_or_default())
    }

    /// Writes the next rows of the table `part`.
    fn write(&mut self, part: usize) {
        let Part { name, rows } = &self.parts[part];
        if self.at.1 == 0 {
            self.text = self.writer.header();
        }
        let end = (self.at.1 + ROWS).min(rows.len());
        let slice = rows[self.at.1..end].iter().map(|&row| row as usize);
        self.text.push_str(&self.writer.rows(slice));
        self.done += end - self.at.1;
        self.at.1 = end;
        if end == rows.len() {
            let text = std::mem::take(&mut self.text);
            self.written += text.len() as u64;
            self.files.push(carried(name.clone(), text.into_bytes()));
            self.at = (part + 1, 0);
        }
    }
}

impl Iterator for Extract<'_> {
    type Item = f64;

    fn next(&mut self) -> Option<f64> {
        if self.written > PAGE_UNPACKED {
            return None;
        }
        if self.at.0 < self.parts.len() {
            self.write(self.at.0);
            return Some(WRITING * self.done as f64 / self.rows.max(1) as f64);
        }
        let files = &mut self.files;
        let packing = self.packing.get_or_insert_with(|| Packing::new(std::mem::take(files)));
        packing.step().map(|done| WRITING + (1.0 - WRITING) * done)
    }
}

fn carried(name: String, bytes: Vec<u8>) -> Carried {
    Carried { name, options: ImportOptions::default(), bytes }
}

/// A table for each file with some of these rows; where these are more than `most`, one for all, which names the file of
/// each row.
fn parts(data: &Dataset, rows: &[u32], most: usize) -> Vec<Part> {
    let mut of_source = vec![Vec::new(); data.sources.len()];
    for &row in rows {
        if let Some(rows) = of_source.get_mut(usize::from(data.source[row as usize])) {
            rows.push(row);
        }
    }
    let named = data.sources.iter().zip(of_source).filter(|(_, rows)| !rows.is_empty());
    let name = |name: &str| if name.is_empty() { NAMELESS } else { name }.to_owned();
    let parts: Vec<Part> =
        named.map(|(source, rows)| Part { name: name(&source.name), rows }).collect();
    if parts.len() <= most {
        return parts;
    }
    vec![Part { name: "all.csv".to_owned(), rows: rows.to_vec() }]
}
