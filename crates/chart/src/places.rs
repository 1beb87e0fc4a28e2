//! The places of the page, each with the pictures that it can show.
//!
//! A view key in a link is the id of a place or of a picture. The id of a place shows its first picture; without a key,
//! the place is chosen by the data ([`landing`]).

use gemmscope_analysis::tile_sweep;
use gemmscope_table::data_kind::DataKind;
use gemmscope_table::dataset::{ColumnMeaning, Dataset};
use std::collections::HashMap;

/// A place of the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Key in links: `explore`.
    pub id: &'static str,
    /// Name on its tab.
    pub name: &'static str,
    /// One sentence: which question it answers.
    pub hint: &'static str,
    /// Outline of its icon on a grid of 16 by 16 px, as the path of an SVG.
    pub icon: &'static str,
    /// Its pictures: the id of a chart and the label of its switch. Empty for rows and the planner, which are not
    /// pictures.
    pub pictures: &'static [(&'static str, &'static str)],
}

/// Overview: the roofline with the ranked findings.
pub const SUMMARY: &Place = &PLACES[0];
/// Sides on the same GEMMs.
pub const COMPARE: &Place = &PLACES[1];
/// Variants of the same GEMM.
pub const SWEEP: &Place = &PLACES[2];
/// Any figure against any other.
const EXPLORE: &Place = &PLACES[3];
/// Rows and columns.
pub const TABLE: &Place = &PLACES[4];
/// The planner.
pub const PLAN: &Place = &PLACES[5];

/// The places, in the order of their tabs.
pub static PLACES: [Place; 6] = [
    Place {
        id: "summary",
        name: "Summary",
        hint: "What matters, why, and what to try",
        icon: "M1.5 14 7 5h7.5M10 9.5h.01M12.5 8h.01M8 11.5h.01M5.5 12.5h.01",
        pictures: &[("roofline", "Roofline"), ("lost", "Lost time")],
    },
    Place {
        id: "compare",
        name: "Compare",
        hint: "Which file, library or device is faster on the same GEMMs, and by how much",
        icon: "M2 5h8M2 11h12M10 3v4M14 9v4",
        pictures: &[("compare", "Ratios"), ("fastest", "Fastest")],
    },
    Place {
        id: "sweep",
        name: "Sweep",
        hint: "Which variant of a GEMM wins, by how much, and what the model says",
        icon: "M2 2h5v5H2zM9 2h5v5H9zM2 9h5v5H2zM9 9h5v5H9z",
        pictures: &[("tiles", "Tiles"), ("tuning", "Tuning")],
    },
    Place {
        id: "explore",
        name: "Explore",
        hint: "Any figure against any other, as cells, bars, boxes or lines",
        icon: "M2 14V8h3v6M6.5 14V3h3v11M11 14v-4h3v4",
        pictures: &[("cells", "Cells"), ("bars", "Bars"), ("boxes", "Boxes"), ("lines", "Lines")],
    },
    Place {
        id: "table",
        name: "Table",
        hint: "Every row and column, to sort, search and export",
        icon: "M2 3h12v10H2zM2 6.5h12M2 10h12M6.5 3v10",
        pictures: &[],
    },
    Place {
        id: "plan",
        name: "Plan",
        hint: "What a model's GEMMs could attain, before anything runs; needs no file",
        icon: "M8 2v2M8 12v2M2 8h2M12 8h2M8 4a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM8 8h.01",
        pictures: &[],
    },
];

/// Up to this many rows get a bar each, which says more than a cell per GEMM.
pub(crate) const FEW: usize = 40;
/// More rows than this make comparisons and tile maps slow to open.
const MANY: usize = 200_000;

/// The default place for rows of a kind. Rows in trial order are a search, even if another library ran the same GEMM.
/// Variants without a tile have no map. Shapes with a best tile and no time have only the sweep. Very many rows open on
/// the summary, which is always drawn quickly.
pub fn landing(kind: DataKind, data: &Dataset) -> &'static Place {
    match kind {
        _ if data.len() > MANY => SUMMARY,
        DataKind::Benchmark | DataKind::Sides if in_order(data) => SWEEP,
        DataKind::Benchmark if tile_sweep::only_best_tiles(data) => SWEEP,
        DataKind::Sweep if tile_sweep::has_tiles(data) => SWEEP,
        DataKind::Workload | DataKind::Benchmark | DataKind::Sweep => SUMMARY,
        DataKind::Sides if !shares_gemms(data) => SUMMARY,
        DataKind::Sides => COMPARE,
    }
}

/// False if there are several files and no two have a GEMM of the same sizes.
fn shares_gemms(data: &Dataset) -> bool {
    let mut of_file = HashMap::new();
    data.sources.len() < 2
        || (0..data.len()).any(|r| {
            let sizes = [data.m[r], data.n[r], data.k[r], data.batch[r]];
            *of_file.entry(sizes).or_insert(data.source[r]) != data.source[r]
        })
}

/// The place and picture of a view key; `None` for "" and for a key that this version does not know. The picture is ""
/// for places without one.
pub fn of(view: &str) -> Option<(&'static Place, &'static str)> {
    for place in &PLACES {
        if place.id == view {
            return Some((place, first_picture(place)));
        }
        if let Some((id, _)) = place.pictures.iter().find(|(id, _)| *id == view) {
            return Some((place, id));
        }
    }
    None
}

/// The first picture of a place; "" if it has none.
pub fn first_picture(place: &Place) -> &'static str {
    place.pictures.first().map_or("", |(id, _)| id)
}

/// The default picture of a place for this data: for a sweep in trial order its history, for one without tiles the
/// rates of its variants; few GEMMs get a bar each.
pub fn opens_with(place: &Place, kind: DataKind, data: &Dataset) -> &'static str {
    if place == SWEEP && in_order(data) {
        return "tuning";
    }
    match kind {
        _ if place != EXPLORE => first_picture(place),
        DataKind::Sweep if data.column(ColumnMeaning::TileM).is_none() => "boxes",
        DataKind::Workload | DataKind::Benchmark | DataKind::Sides if data.len() <= FEW => "bars",
        _ => first_picture(place),
    }
}

fn in_order(data: &Dataset) -> bool {
    data.column(ColumnMeaning::Order).is_some()
}

/// The names of views: places, then pictures.
pub fn names() -> Vec<&'static str> {
    let places = PLACES.iter().map(|p| p.id);
    let pictures = PLACES.iter().flat_map(|p| p.pictures).map(|(id, _)| *id);
    let mut out: Vec<&str> = places.collect();
    for id in pictures {
        if !out.contains(&id) {
            out.push(id);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::charts;
    use gemmscope_model::dtype::DataType;
    use gemmscope_model::gemm::Operation;

    #[test]
    fn every_chart_has_a_place_and_every_name_a_view() {
        for chart in charts::CHARTS {
            let (_, picture) = of(chart.id).unwrap_or_else(|| panic!("{} has no place", chart.id));
            // "compare" is a place and its first picture.
            assert_eq!(picture, chart.id);
        }
        for name in names() {
            let (place, picture) = of(name).unwrap();
            assert_eq!(place.pictures.is_empty(), picture.is_empty(), "{name}");
        }
        assert_eq!(of("nonsense"), None);
        assert_eq!(of(""), None);
    }

    #[test]
    fn files_without_a_gemm_in_common_open_on_the_summary() {
        let sized = |m: u32| Dataset {
            sources: vec![Default::default()],
            m: vec![m],
            n: vec![8],
            k: vec![8],
            batch: vec![1],
            op: vec![0],
            ops: vec![Operation::uniform(DataType::Fp16)],
            device: vec![0],
            devices: vec![String::new()],
            time_s: vec![1e-6],
            source: vec![0],
            line: vec![2],
            ..Dataset::default()
        };
        let landing = |second: u32| {
            let mut data = sized(8);
            data.append(sized(second));
            super::landing(DataKind::Sides, &data)
        };
        assert_eq!(landing(8), COMPARE);
        assert_eq!(landing(9), SUMMARY);
    }
}
