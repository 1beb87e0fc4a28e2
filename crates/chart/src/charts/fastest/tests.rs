use super::*;
use crate::palette::Theme;
use crate::testing::{SIZES, draw_everywhere, golden, two_libraries};
use gemmscope_model::dtype::DataType;
use gemmscope_model::gemm::Operation;
use gemmscope_table::fixture::Rows;

fn decode() -> Frame {
    let mut rows = Rows::new();
    for (n, k, gemv, flat, library) in
        [(12288, 4096, 1.0, 3.0, 5.0), (4096, 4096, 0.9, 2.2, 6.0), (4096, 11008, 1.2, 3.4, 9.0)]
    {
        for i in 0..7 {
            let m = 1u32 << i;
            let t = f64::from(m);
            rows.row((m, n, k), "FastGEMV", gemv * t * 1e-6, "");
            rows.row((m, n, k), "flat GEMM", (flat + t * 0.2) * 1e-6, "");
            if n != 4096 || k != 4096 || m < 16 {
                rows.row((m, n, k), "library", library * 1e-6, "");
            }
        }
    }
    // Two configurations: one with changing winners, one that a single side measured.
    for (i, t) in [1.0, 3.0, 1.0, 3.0].into_iter().enumerate() {
        rows.row((1 << i, 512, 512), "flat GEMM", t * 1e-6, "");
        rows.row((1 << i, 512, 512), "library", 2e-6, "");
    }
    rows.row((1, 2048, 4096), "library", 2e-6, "");
    rows.frame(None)
}

fn look(theme: &Theme, size: usize, height: f64) -> RenderOptions<'_> {
    RenderOptions { selected: &[3], ..RenderOptions::new(theme, (SIZES[size].0, height)) }
}

#[test]
fn goldens() {
    let frame = decode();
    let view = WinnerMap::open(&frame, &ViewState::default());
    draw_everywhere("small-fastest-map", &view);
    for (size, name) in [(0, "phone"), (1, "desk")] {
        let look = look(&Theme::LIGHT, size, view.height(SIZES[size].0));
        golden(&format!("fastest-map-{name}"), &view.spoken(&look));
    }
}

#[test]
fn defaults_come_from_the_data() {
    let frame = decode();
    let mut state = ViewState::default();
    let view = WinnerMap::open(&frame, &state);
    let held = |view: &Chart| {
        let held = view.said.controls.iter().find(|c| c.key == "fastest.k");
        held.unwrap().current.clone()
    };
    // K = 4096 has most cells that two sides measured.
    assert_eq!(held(&view), "4096");
    assert!(!view.table().rows.is_empty());
    state.set_param("fastest.k", "all");
    let view = WinnerMap::open(&frame, &state);
    assert_eq!(held(&view), "all");
    let mut rows = Rows::new();
    rows.row((1, 1, 1), "x", 1.0, "");
    let scene = WinnerMap::open(&rows.frame(None), &state).spoken(&look(&Theme::DARK, 0, 420.0));
    assert!(scene.message.is_some_and(|m| m.contains("Nothing to compare")));
}

#[test]
fn many_shapes_fit() {
    let frame = two_libraries();
    let mut state = ViewState::default();
    for k in ["", "all"] {
        state.set_param("fastest.k", k);
        let view = WinnerMap::open(&frame, &state);
        draw_everywhere(&format!("fastest-map{k}"), &view);
        assert!(!view.table().rows.is_empty());
    }
}

#[test]
fn the_layout_is_said_and_chosen() {
    let mut rows = Rows::new();
    for (library, tt) in [("x", 4e-6), ("y", 1e-6)] {
        for (trans, time) in [(false, 2e-6), (true, tt)] {
            let op = Operation::uniform(DataType::Fp16).with_layout(trans, trans);
            for n in [64, 128] {
                rows.typed((64, n, 64), op, library, time, "");
            }
        }
    }
    let frame = rows.frame(None);
    let mut state = ViewState::default();
    let both = WinnerMap::open(&frame, &state);
    assert!(both.said.verdict[0].starts_with("Fastest at K = 64, fp16, all 2 layouts: "));
    state.set_param("fastest.layout", "TT");
    let one = WinnerMap::open(&frame, &state);
    assert!(one.said.verdict[0].starts_with("Fastest at K = 64, fp16, TT: x in 0, y in 2"));
    // With a single layout there is nothing to choose and nothing to say.
    let few = frame.with_rows(std::sync::Arc::new(vec![0, 1, 4, 5]));
    let alone = WinnerMap::open(&few, &ViewState::default());
    assert!(alone.said.verdict[0].starts_with("Fastest at K = 64, fp16: "));
    let keys: Vec<_> = alone.said.controls.clone().into_iter().map(|c| c.key).collect();
    assert!(!keys.contains(&"fastest.layout".to_owned()), "{keys:?}");
}

#[test]
fn counts_are_of_the_map_and_the_headline_stands_once() {
    let frame = decode();
    let map = WinnerMap::open(&frame, &ViewState::default());
    let table = map.table();
    let column = table.header.iter().position(|h| h == "GEMMs").unwrap();
    let shown: usize = table.rows.iter().map(|r| r[column].parse::<usize>().unwrap()).sum();
    let note = map.said.notes[0].split(' ').collect::<Vec<_>>();
    let all: usize = note[2].parse().unwrap();
    assert!(note[0] == shown.to_string() && shown < all, "{note:?}");
    assert!(map.said.notes[0].ends_with("that two or more sides have are in this map."));
    let headline = &map.said.verdict[0]["Fastest ".len()..];
    let place = headline.split(':').next().unwrap();
    let dump = map.spoken(&look(&Theme::LIGHT, 1, 640.0)).dump();
    let drawn: Vec<&str> = dump.lines().filter(|l| l.starts_with("text")).collect();
    assert!(drawn.iter().all(|l| !l.contains(place)), "{drawn:?}");
    let mut state = ViewState::default();
    state.set_param("fastest.k", "all");
    let whole = WinnerMap::open(&frame, &state);
    assert_eq!(whole.said.notes.len(), 1);
    assert!(map.said.notes[1].ends_with(&whole.said.notes[0]));
}

#[test]
fn a_lead_takes_the_digits_that_fit() {
    let leads = [60.0, 30.0, 22.0, 10.0].map(|width| draw::lead_label(1.304, width));
    let leads = leads.map(Option::unwrap_or_default);
    assert_eq!(leads, ["1.30x", "1.30", "1.3", ""]);
}
