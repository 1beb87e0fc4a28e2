//! Small datasets for tests, and the comparison with golden files.

use crate::build::{Row, TableBuilder};
use crate::dataset::{ColumnMeaning, Dataset};
use crate::field::Frame;
use crate::metrics::{DeviceChoice, Metrics};
use gemmscope_model::dtype::DataType;
use gemmscope_model::gemm::Operation;
use gemmscope_model::hardware::{Device, RoofKind};
use gemmscope_model::reference::{ReferenceTable, listed, with_tables};
use std::path::Path;
use std::sync::Arc;

/// Builds a table of rows with shape, library, time in seconds and device name.
pub struct Rows {
    table: TableBuilder,
    library: crate::build::ColumnId,
    line: u32,
}

impl Default for Rows {
    fn default() -> Self {
        Rows::new()
    }
}

impl Rows {
    /// An empty table with a library column.
    pub fn new() -> Self {
        let mut table = TableBuilder::new();
        let library = table.text_column(ColumnMeaning::Library, "library");
        Rows { table, library, line: 2 }
    }

    /// The underlying builder, to add columns.
    pub fn table(&mut self) -> &mut TableBuilder {
        &mut self.table
    }

    /// Adds an fp16 row in layout NT.
    pub fn row(&mut self, (m, n, k): (u32, u32, u32), library: &str, time_s: f64, device: &str) {
        let op = Operation::uniform(DataType::Fp16).with_layout(false, true);
        self.typed((m, n, k), op, library, time_s, device);
    }

    /// Adds a row of any operation; time in seconds.
    pub fn typed(
        &mut self,
        (m, n, k): (u32, u32, u32),
        op: Operation,
        library: &str,
        time_s: f64,
        device: &str,
    ) {
        let device = self.table.device(device);
        self.table.set_text(self.library, library.as_bytes());
        let row = Row { device, ..Row::new(m, n, k, op, time_s) };
        self.table.commit(self.line, b"", Ok(row));
        self.line += 1;
    }

    /// A frame over all rows. Rows without a device get the roof of `default`.
    pub fn frame(self, default: Option<&str>) -> Frame {
        let mut data = self.table.finish();
        if let Some(s) = data.sources.first_mut() {
            s.name = "rows.csv".into();
        }
        frame(data, default)
    }
}

/// A frame over a dataset. Rows without a device get the roof of `default`.
pub fn frame(data: Dataset, default: Option<&str>) -> Frame {
    let choice = DeviceChoice { default: default.map(str::to_owned), ..DeviceChoice::default() };
    let devices = choice.resolve(&data, &[]);
    let metrics = Metrics::compute(&data, devices, RoofKind::Datasheet);
    Frame::all(Arc::new(data), Arc::new(metrics))
}

/// An H100 with its published bf16 times.
///
/// # Panics
/// If the repository lacks the table.
pub fn published_h100() -> Device {
    let file = "h100-sxm-bf16.bin";
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../public/reference"));
    let source = listed().iter().find(|s| s.file() == file);
    let read = |s| ReferenceTable::read(s, &std::fs::read(folder.join(file)).ok()?).ok();
    let table = source.and_then(read).map(Arc::new);
    with_tables(&[], &[table.unwrap_or_else(|| panic!("{file}"))]).remove(0)
}

/// The same rows on this device.
pub fn on(frame: &Frame, device: Device) -> Frame {
    let devices = vec![Some(device); frame.data.devices.len()];
    let metrics = Metrics::compute(&frame.data, devices, RoofKind::Datasheet);
    frame.with_metrics(Arc::new(metrics))
}

/// Compares a text with a file, named from the root of the repository; with `UPDATE_GOLDEN` in the
/// environment it writes the file instead. The error says where they differ.
pub fn golden(name: &str, text: &str) -> Result<(), String> {
    let path = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join(name);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        let folder = path.parent().unwrap_or(&path);
        return std::fs::create_dir_all(folder)
            .and_then(|()| std::fs::write(&path, text))
            .map_err(|e| format!("{name}: {e}"));
    }
    let kept = std::fs::read_to_string(&path)
        .map_err(|e| format!("{name}: {e} (UPDATE_GOLDEN=1 writes it)"))?;
    if kept == text {
        return Ok(());
    }
    let at = kept.lines().zip(text.lines()).position(|(a, b)| a != b);
    let line = at.unwrap_or(kept.lines().count().min(text.lines().count()));
    Err(format!(
        "{name} differs from line {}:\n  want: {}\n  have: {}\n(UPDATE_GOLDEN=1 writes it)",
        line + 1,
        kept.lines().nth(line).unwrap_or("(end)"),
        text.lines().nth(line).unwrap_or("(end)"),
    ))
}
