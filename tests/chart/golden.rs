//! The content of a picture as text that a reviewer can read: title and description, every word in it, and the rows of
//! its marks. Positions are pinned by a hash of the whole picture, and readable as SVG for the charts in [`AS_SVG`].

use gemmscope_chart::scene::Scene;
use gemmscope_chart::svg::svg;
use gemmscope_table::fixture;
use gemmscope_table::result_table::ResultTable;
use std::fmt::Write as _;
use std::path::PathBuf;

/// Charts whose SVG is also a golden: one for each way to draw.
const AS_SVG: [&str; 3] = ["roofline-light", "cells-light", "bars-phone-dark"];

/// Compares text with a golden file, or writes it.
pub(crate) fn golden(name: &str, text: &str) {
    fixture::golden(&format!("tests/golden/chart/{name}"), text).unwrap_or_else(|e| panic!("{e}"));
}

/// A picture alone.
pub(crate) fn picture(name: &str, scene: &Scene) {
    write(name, scene.digest(), scene);
}

/// A picture with its table and its notes.
pub(crate) fn picture_and_table(name: &str, scene: &Scene, notes: &[String], table: &ResultTable) {
    let mut out = scene.digest();
    for note in notes {
        writeln!(out, "note: {note}").unwrap();
    }
    writeln!(out, "table: {}", table.header.join(" | ")).unwrap();
    for row in table.rows.iter().take(5) {
        writeln!(out, "  {}", row.join(" | ")).unwrap();
    }
    writeln!(out, "  rows: {}", table.rows.len()).unwrap();
    write(name, out, scene);
}

fn write(name: &str, text: String, scene: &Scene) {
    if let Some(out) = std::env::var_os("GEMMSCOPE_OUT") {
        std::fs::write(PathBuf::from(out).join(format!("{name}.svg")), svg(scene)).unwrap();
    }
    golden(&format!("{name}.txt"), &text);
    if AS_SVG.contains(&name) {
        golden(&format!("{name}.svg"), &svg(scene));
    }
}
