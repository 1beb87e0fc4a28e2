//! The labels of every picture of every fixture: none leaves the picture, none lies over another.

use crate::data::frame_of;
use gemmscope_chart::chart::RenderOptions;
use gemmscope_chart::charts::{CHARTS, Inputs};
use gemmscope_chart::palette::Theme;
use gemmscope_import::{ImportOptions, Imported, read_all};
use gemmscope_table::view_state::ViewState;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// What a page of 1440 px and a phone of 390 px give a picture.
const WIDTHS: [f64; 2] = [1040.0, 358.0];

fn fixtures() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let entries = |folder: &Path| -> Vec<PathBuf> {
        std::fs::read_dir(folder).unwrap().map(|f| f.unwrap().path()).collect()
    };
    let folders = entries(&root).into_iter().filter(|f| f.is_dir());
    let mut out: Vec<PathBuf> = folders.flat_map(|f| entries(&f)).filter(|f| f.is_file()).collect();
    out.sort();
    out
}

/// The panels of a chart that has several.
fn shows(id: &str) -> &'static [&'static str] {
    if id == "compare" { &["", "scatter", "distribution", "ranked"] } else { &[""] }
}

#[test]
fn no_label_leaves_its_picture_or_lies_over_another() {
    let mut faults = String::new();
    let mut drawn = 0;
    for file in fixtures() {
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        let bytes = std::fs::read(&file).unwrap();
        let read = read_all(&name, &bytes, &ImportOptions::default());
        let Ok(Imported::Table(data)) = read else { continue };
        if data.is_empty() {
            continue;
        }
        let frame = frame_of(*data, Some("mi300x"));
        for kind in CHARTS {
            for show in shows(kind.id) {
                let mut state = ViewState::default();
                state.set_param("compare.show", *show);
                let chart = (kind.open)(&Inputs::new(&frame, &state));
                for width in WIDTHS {
                    let size = (width, chart.height(width));
                    let scene = chart.scene(&RenderOptions::new(&Theme::LIGHT, size));
                    drawn += 1;
                    for fault in scene.text_faults() {
                        writeln!(faults, "{name} {} {show} {width}: {fault}", kind.id).unwrap();
                    }
                }
            }
        }
    }
    assert!(drawn > 500, "{drawn} pictures");
    assert!(faults.is_empty(), "{} faults:\n{faults}", faults.lines().count());
}
