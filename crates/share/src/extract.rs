//! What a link or a saved page contains of the open files: their rows as our own CSV, one table per file, and the
//! user's devices. Never the file itself, since a trace has host names, paths and environment variables.

use crate::data::{Carried, MOST_FILES, PAGE_UNPACKED, pack_with};
use gemmscope_import::ImportOptions;
use gemmscope_model::hardware::Device;
use gemmscope_model::units::Bytes;
use gemmscope_table::dataset::{Dataset, RatePoint};
use gemmscope_table::native_csv::CsvWriter;
use gemmscope_table::result_table::ResultTable;

/// Name for the table of a nameless file (standard input, a paste).
const NAMELESS: &str = "data.csv";
/// Rows written between two pauses.
const ROWS: usize = 2_000;

/// One table.
struct ExtractedTable {
    name: String,
    rows: Vec<u32>,
}

/// Fraction of the progress for writing rows; the rest is for packing.
const WRITING: f64 = 0.4;

/// Packs rows of a table, the user's devices that they need, and reference files of published times (for a page; a link
/// is too short for them). Awaits `pause` every few thousand rows, passing the fraction done, 0 to 1.
///
/// # Errors
/// A sentence if there are more rows than a page can open.
pub async fn extract(
    data: &Dataset,
    rows: &[u32],
    own: &[Device],
    tables: &[(String, Vec<u8>)],
    pause: &impl AsyncFn(f64),
) -> Result<Vec<u8>, String> {
    // Devices first, so that they are known when rows refer to them.
    let devices = own.iter().map(|d| carried(format!("{}.json", d.id), d.to_json().into_bytes()));
    let mut files: Vec<Carried> = devices.collect();
    files.extend(tables.iter().map(|(name, bytes)| carried(name.clone(), bytes.clone())));
    let mut writer = CsvWriter::new(data, None);
    let (mut done, mut written) = (0, 0);
    for part in parts(data, rows, MOST_FILES.saturating_sub(files.len())) {
        let mut text = writer.header();
        for rows_of_part in part.rows.chunks(ROWS) {
            text.push_str(&writer.rows(rows_of_part.iter().map(|&row| row as usize)));
            done += rows_of_part.len();
            pause(WRITING * done as f64 / rows.len() as f64).await;
        }
        written += text.len() as u64;
        files.push(carried(part.name, text.into_bytes()));
        if written > PAGE_UNPACKED {
            return Err(format!(
                "the rows take {} as text, and a page holds {}: open fewer files",
                Bytes(written as f64).to_iec(),
                Bytes(PAGE_UNPACKED as f64).to_iec()
            ));
        }
    }
    let stated = data.sources.iter().filter(|source| !source.points.is_empty());
    files.extend(stated.map(|s| carried(named(&s.name), points(&s.points).into_bytes())));
    Ok(pack_with(&files, &async |share| pause(WRITING + (1.0 - WRITING) * share).await).await)
}

/// Measurements without sizes, as a table that import reads back.
fn points(points: &[RatePoint]) -> String {
    let header = ["kernel", "dtype", "arithmetic_intensity", "rate (FLOP/s)", "device"];
    let cells = |p: &RatePoint| {
        let (ai, rate) = (p.intensity.to_string(), p.rate.to_string());
        vec![p.name.clone(), p.dtype.id().to_owned(), ai, rate, p.device.clone()]
    };
    ResultTable::of(&header, points.iter().map(cells).collect()).csv()
}

/// Table name for a file.
fn named(name: &str) -> String {
    if name.is_empty() { NAMELESS } else { name }.to_owned()
}

fn carried(name: String, bytes: Vec<u8>) -> Carried {
    Carried { name, options: ImportOptions::default(), bytes }
}

/// One table per file with some of these rows; if that would be more than `most`, a single table with a column for the
/// file.
fn parts(data: &Dataset, rows: &[u32], most: usize) -> Vec<ExtractedTable> {
    let mut of_source = vec![Vec::new(); data.sources.len()];
    for &row in rows {
        if let Some(rows) = of_source.get_mut(usize::from(data.source[row as usize])) {
            rows.push(row);
        }
    }
    let some = data.sources.iter().zip(of_source).filter(|(_, rows)| !rows.is_empty());
    let parts: Vec<ExtractedTable> =
        some.map(|(source, rows)| ExtractedTable { name: named(&source.name), rows }).collect();
    if parts.len() <= most {
        return parts;
    }
    vec![ExtractedTable { name: "all.csv".to_owned(), rows: rows.to_vec() }]
}

#[cfg(test)]
mod tests {
    use super::*;
    use gemmscope_import::{Imported, read_all};

    #[test]
    fn points_without_sizes_are_read_back() {
        let text = "kernel,dtype,intensity,tflops,device\n=out,bf16,120.5,314.9,H100 SXM\n";
        let read = |bytes: &[u8]| match read_all("", bytes, &ImportOptions::default()) {
            Ok(Imported::Table(data)) => data.sources[0].points.clone(),
            other => panic!("{other:?}"),
        };
        let first = read(text.as_bytes());
        assert_eq!((first.len(), first[0].name.as_str()), (1, "=out"));
        assert_eq!(read(points(&first).as_bytes()), first);
    }
}
