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

/// Sizes a page gives a view: a phone's and a desk's.
pub(crate) const SIZES: [(f64, f64); 2] = [(358.0, 420.0), (1040.0, 640.0)];

/// Draws a view in both themes and at both sizes, checks that nothing sticks out or overlaps the
/// edge, and writes the pictures to the folder in `PICTURES` where it is set.
pub(crate) fn draw_everywhere(name: &str, view: &dyn crate::chart::view::View) {
    use crate::chart::palette::Theme;
    use crate::chart::view::Look;
    for (width, _) in SIZES {
        for dark in [false, true] {
            let look = Look {
                theme: &Theme::of(dark),
                width,
                height: view.height(width),
                selected: &[],
                first: (0, 0),
            };
            let scene = view.scene(&look);
            sound(&scene);
            if let Ok(dir) = std::env::var("PICTURES") {
                let theme = if dark { "dark" } else { "light" };
                let path = format!("{dir}/{name}-{width:.0}-{theme}.svg");
                std::fs::write(path, crate::chart::svg::svg(&scene)).unwrap();
            }
        }
    }
    if let Ok(dir) = std::env::var("PICTURES") {
        let table = view.table();
        let text = format!("{}\n\n{}", view.notes().join("\n"), table.csv());
        std::fs::write(format!("{dir}/{name}.txt"), text).unwrap();
    }
}

/// Every text lies inside the picture, every mark is finite, every row of the table is whole.
pub(crate) fn sound(scene: &crate::chart::scene::Scene) {
    use crate::chart::scene::{Anchor, Item};
    assert!(!scene.title.is_empty());
    for item in &scene.items {
        match item {
            Item::Text {
                at,
                text,
                size,
                bold,
                anchor,
                turns: 0,
                ..
            } => {
                let w = crate::chart::text::width(text, *size, *bold);
                let left = match anchor {
                    Anchor::Start => at.0,
                    Anchor::Middle => at.0 - w / 2.0,
                    Anchor::End => at.0 - w,
                };
                assert!(
                    left >= -1.0
                        && left + w <= scene.width + 1.0
                        && at.1 >= 0.0
                        && at.1 <= scene.height,
                    "text leaves the picture ({} x {}): {text:?} at {at:?}, {left:.0}..{:.0}",
                    scene.width,
                    scene.height,
                    left + w
                );
            }
            Item::Text { at, .. } => assert!(at.0.is_finite() && at.1.is_finite()),
            Item::Rect { rect, .. } => {
                assert!(rect.iter().all(|v| v.is_finite()), "{rect:?}");
            }
            _ => {}
        }
    }
    for m in &scene.marks {
        assert!(m.rect.iter().all(|v| v.is_finite()), "{m:?}");
        assert!(!m.label.is_empty());
    }
}

/// Compares a picture, as text and as SVG, with `tests/golden/views`; `UPDATE_GOLDEN=1` writes.
pub(crate) fn golden(name: &str, scene: &crate::chart::scene::Scene) {
    let dir = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden/views");
    for (ending, text) in [
        ("txt", scene.dump()),
        ("svg", crate::chart::svg::svg(scene)),
    ] {
        let path = dir.join(format!("{name}.{ending}"));
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            std::fs::create_dir_all(&dir).unwrap();
            std::fs::write(&path, &text).unwrap();
            continue;
        }
        let kept = std::fs::read_to_string(&path)
            .unwrap_or_else(|e| panic!("{}: {e}; UPDATE_GOLDEN=1 writes it", path.display()));
        assert!(
            kept == text,
            "{name}.{ending} changed; look at it, then UPDATE_GOLDEN=1 cargo test"
        );
    }
}
