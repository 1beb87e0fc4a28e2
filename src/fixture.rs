//! Small datasets for tests.

use crate::dataset::{Dataset, Role};
use crate::dtype::DataType;
use crate::field::Frame;
use crate::gemm::Operation;
use crate::hardware::RoofKind;
use crate::import::{ImportOptions, Imported, Row, TableBuilder, read_all};
use crate::metrics::{DeviceChoice, Metrics};
use std::path::PathBuf;
use std::sync::Arc;

/// A table of rows: shape, library, time in seconds, device name.
pub(crate) struct Rows {
    table: TableBuilder,
    library: crate::import::ColumnId,
    line: u32,
}

impl Rows {
    pub(crate) fn new() -> Self {
        let mut table = TableBuilder::new();
        let library = table.text_column(Role::Library, "library");
        Rows {
            table,
            library,
            line: 2,
        }
    }

    pub(crate) fn table(&mut self) -> &mut TableBuilder {
        &mut self.table
    }

    pub(crate) fn row(
        &mut self,
        (m, n, k): (u32, u32, u32),
        library: &str,
        time_s: f64,
        device: &str,
    ) {
        let op = Operation::uniform(DataType::Fp16).with_layout(false, true);
        self.typed((m, n, k), op, library, time_s, device);
    }

    pub(crate) fn typed(
        &mut self,
        (m, n, k): (u32, u32, u32),
        op: Operation,
        library: &str,
        time_s: f64,
        device: &str,
    ) {
        let device = self.table.device(device);
        self.table.set_text(self.library, library.as_bytes());
        let row = Row {
            device,
            ..Row::new(m, n, k, op, time_s)
        };
        self.table.commit_line(self.line, b"", Ok(row));
        self.line += 1;
    }

    pub(crate) fn frame(self, default: Option<&str>) -> Frame {
        let mut data = self.table.finish();
        if let Some(s) = data.sources.first_mut() {
            s.name = "rows.csv".into();
        }
        frame(data, default)
    }
}

/// A frame over a dataset whose rows without a device are judged on `default`.
pub(crate) fn frame(data: Dataset, default: Option<&str>) -> Frame {
    let choice = DeviceChoice {
        default: default.map(str::to_owned),
        ..DeviceChoice::default()
    };
    let devices = choice.resolve(&data.devices, &[]);
    let metrics = Metrics::compute(&data, devices, RoofKind::Datasheet);
    Frame::all(Arc::new(data), Arc::new(metrics))
}

/// Reads files of the collection of real files beside the project; `None`, with a message, where
/// it is absent.
pub(crate) fn real(paths: &[&str]) -> Option<Dataset> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared/data");
    let mut all = Dataset::new();
    for path in paths {
        let Ok(bytes) = std::fs::read(root.join(path)) else {
            eprintln!("skipped: no {path}");
            return None;
        };
        let name = path.rsplit('/').next().unwrap_or(path);
        match read_all(name, &bytes, &ImportOptions::default()) {
            Ok(Imported::Table(data)) => all.append(*data),
            other => panic!("{path}: {other:?}"),
        }
    }
    Some(all)
}
