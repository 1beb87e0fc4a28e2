use super::*;
use crate::chart::palette::Theme;
use crate::chart::scene::Item;
use crate::dataset::Role;
use crate::fixture::{Rows, SIZES, draw_everywhere, frame, golden, real};

fn flat_sweep() -> Frame {
    let mut t = Rows::new();
    let bn = t.table().number_column(Role::TileN, "BLOCK_N");
    for k in [4096, 12288] {
        for e in 10..19 {
            let n = 1u32 << e;
            for b in [32u32, 64, 128, 256, 512] {
                if n == 4096 && b == 512 {
                    continue;
                }
                // Blocks in waves of 108 units, each block's time growing with its width.
                let blocks = f64::from(n) / f64::from(b);
                let waves = (blocks / 108.0).ceil();
                let time = waves * (f64::from(b) + 24.0) * f64::from(k) * 1e-12;
                t.table().set_number(bn, f64::from(b));
                t.row((8, n, k), "", time, "");
            }
        }
    }
    t.frame(Some("a100-40-sxm"))
}

fn at(view: &TileMap, size: usize, dark: bool) -> Scene {
    view.scene(&Look {
        theme: &Theme::of(dark),
        width: SIZES[size].0,
        height: view.height(SIZES[size].0),
        selected: &[7],
        first: (0, 0),
    })
}

/// Check marks are the only lines of three points.
fn checks(scene: &Scene) -> usize {
    let is = |i: &&Item| matches!(i, Item::Line { points, width, .. } if points.len() == 3 && *width == 2.0);
    scene.items.iter().filter(is).count()
}

#[test]
fn goldens() {
    let view = TileMap::open(&flat_sweep(), &ViewState::default());
    draw_everywhere("small-tiles", &view);
    golden("tiles-phone", &at(&view, 0, false));
    golden("tiles-desk", &at(&view, 1, false));
    golden("tiles-dark", &at(&view, 1, true));
    // One check a line, and one in the legend.
    assert_eq!(checks(&at(&view, 1, false)), 18 + 1);
    assert_eq!(view.table().rows.len(), 2 * 9 * 5);
}

#[test]
fn a_huge_sweep_is_drawn_in_part_and_says_so() {
    let mut t = Rows::new();
    let bn = t.table().number_column(Role::TileN, "BLOCK_N");
    for i in 0..900u32 {
        for b in [64u32, 128] {
            t.table().set_number(bn, f64::from(b));
            let time = f64::from(b + i % 7) * 1e-8;
            t.row((8, 256 * (1 + i % 90), 512 * (1 + i / 90)), "", time, "");
        }
    }
    let view = TileMap::open(&t.frame(Some("a100-40-sxm")), &ViewState::default());
    let notes = view.notes();
    assert!(notes[0].contains("900 shapes"), "{notes:?}");
    assert!(
        notes[1].starts_with("476 of 900 shapes are drawn, in 6 of 10 panels"),
        "{notes:?}"
    );
    assert_eq!(view.table().rows.len(), 1800);
    for (width, _) in SIZES {
        assert!(view.height(width) < 16_384.0);
    }
    assert_eq!(at(&view, 0, false).marks.len(), 2 * 476);
    // One panel alone has all its lines.
    let mut state = ViewState::default();
    state.set_param("tiles.panel", "K = 5120, M = 8");
    let one = TileMap::open(&view.frame, &state);
    assert_eq!(at(&one, 1, false).marks.len(), 2 * 90);
}

#[test]
fn the_figure_of_the_paper() {
    let Some(data) = real(&["flashdecoding_fig/bn_best_reconstructed.csv"]) else {
        return;
    };
    let view = TileMap::open(&frame(data, Some("a100-40-sxm")), &ViewState::default());
    draw_everywhere("tiles-figure", &view);
    let scene = at(&view, 1, false);
    assert_eq!(checks(&scene), 18 + 1);
    let find = |start: &str| scene.marks.iter().find(|m| m.label.starts_with(start));
    let mark = find("8 × 8192 × 4096, B_N 64").unwrap();
    assert!(
        mark.label.contains("best, as the file states it"),
        "{}",
        mark.label
    );
    assert!(
        mark.label
            .contains("parallelism 128 blocks for 108 SMs (memory-bounded)"),
        "{}",
        mark.label
    );
    assert!(
        mark.label
            .contains("ratio 14.2 FLOP per element, 7.099 FLOP/B"),
        "{}",
        mark.label
    );
    assert!(
        view.notes()[0].contains("agrees on 15 of 18"),
        "{:?}",
        view.notes()
    );
}

#[test]
fn a_real_sweep() {
    let Some(data) = real(&["Tensile/derived_best_per_macrotile_long.csv"]) else {
        return;
    };
    let frame = frame(data, Some("mi210"));
    let mut state = ViewState::default();
    for (x, name) in [("", "tiles-tensile"), ("bmxbn", "tiles-tensile-pairs")] {
        state.set_param("tiles.x", x);
        let view = TileMap::open(&frame, &state);
        draw_everywhere(name, &view);
        assert_eq!(checks(&at(&view, 1, false)), 44 + 1);
    }
    state.set_param("tiles.panel", "K = 4096, fp16 NN");
    let view = TileMap::open(&frame, &state);
    assert_eq!(view.sweep.as_ref().unwrap().panels.len(), 1);
    draw_everywhere("tiles-tensile-one", &view);
}

#[test]
fn what_is_missing_is_said() {
    let mut t = Rows::new();
    t.row((8, 8, 8), "x", 1e-6, "");
    let scene = at(
        &TileMap::open(&t.frame(None), &ViewState::default()),
        0,
        false,
    );
    assert!(
        scene
            .message
            .is_some_and(|m| m.contains("several tiles per shape"))
    );
}
