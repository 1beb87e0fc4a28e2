use super::*;
use crate::palette::Theme;
use crate::scene::{Item, Scene};
use crate::testing::{SIZES, draw_everywhere, golden};
use gemmscope_table::dataset::ColumnMeaning;
use gemmscope_table::fixture::Rows;

fn flat_sweep() -> Frame {
    let mut t = Rows::new();
    let bn = t.table().number_column(ColumnMeaning::TileN, "BLOCK_N");
    for k in [4096, 12288] {
        for e in 10..19 {
            let n = 1u32 << e;
            for b in [32u32, 64, 128, 256, 512] {
                if n == 4096 && b == 512 {
                    continue;
                }
                // Workgroups in waves of 108 units; the time of each grows with its width.
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

fn at(view: &Chart, size: usize, dark: bool) -> Scene {
    view.spoken(&RenderOptions {
        selected: &[7],
        ..RenderOptions::new(&Theme::of(dark), (SIZES[size].0, view.height(SIZES[size].0)))
    })
}

/// Number of check marks, the only lines with three points.
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
    // One check mark per line, and one in the legend.
    assert_eq!(checks(&at(&view, 1, false)), 18 + 1);
    assert_eq!(view.table().rows.len(), 2 * 9 * 5);
}

#[test]
fn a_huge_sweep_is_drawn_in_part_and_says_so() {
    let mut t = Rows::new();
    let bn = t.table().number_column(ColumnMeaning::TileN, "BLOCK_N");
    for i in 0..900u32 {
        for b in [64u32, 128] {
            t.table().set_number(bn, f64::from(b));
            let time = f64::from(b + i % 7) * 1e-8;
            t.row((8, 256 * (1 + i % 90), 512 * (1 + i / 90)), "", time, "");
        }
    }
    let frame = t.frame(Some("a100-40-sxm"));
    let view = TileMap::open(&frame, &ViewState::default());
    let notes = view.said.sentences();
    assert!(notes[0].contains("900 shapes"), "{notes:?}");
    assert!(notes[1].starts_with("476 of 900 shapes shown in 6 of 10 panels"), "{notes:?}");
    assert_eq!(view.table().rows.len(), 1800);
    for (width, _) in SIZES {
        assert!(view.height(width) < 16_384.0);
    }
    assert_eq!(at(&view, 0, false).hit_areas.len(), 2 * 476);
    // One panel alone has all its lines.
    let mut state = ViewState::default();
    state.set_param("tiles.panel", "K = 5120, M = 8");
    let one = TileMap::open(&frame, &state);
    assert_eq!(at(&one, 1, false).hit_areas.len(), 2 * 90);
}

#[test]
fn a_column_of_bests() {
    let mut t = Rows::new();
    let best = t.table().number_column(ColumnMeaning::Other, "best_bn");
    for (k, largest) in [(4096, 128), (12_288, 256)] {
        for (i, bn) in [32, 32, 32, 64, 128, 128, 128, 128, 128].into_iter().enumerate() {
            let bn = if i > 5 { largest } else { bn };
            t.table().set_number(best, f64::from(bn));
            t.row((8, 1024 << i, k), "", 1e-6, "");
        }
    }
    let view = TileMap::open(&t.frame(Some("a100-40-sxm")), &ViewState::default());
    draw_everywhere("tiles-figure", &view);
    let scene = at(&view, 1, false);
    assert_eq!(checks(&scene), 18 + 1);
    let find = |start: &str| scene.hit_areas.iter().find(|m| m.tooltip.head.starts_with(start));
    let mark = find("8 × 8192 × 4096, BN 64").unwrap();
    assert!(mark.tooltip.sentence().contains("Best, as stated yes"), "{}", mark.tooltip.sentence());
    assert!(
        mark.tooltip.sentence().contains("Workgroups 128; Waves 2;"),
        "{}",
        mark.tooltip.sentence()
    );
    assert!(mark.tooltip.sentence().contains("(FLOP/element) 14.2"), "{}", mark.tooltip.sentence());
    assert!(
        view.said.sentences()[0]
            .contains("The model's pick of BN is the best measured in 15 of 18"),
        "{:?}",
        view.said.sentences()
    );
}

#[test]
fn many_tiles_fit() {
    let mut t = Rows::new();
    let columns = [ColumnMeaning::TileM, ColumnMeaning::TileN];
    let [bm, bn] = columns.map(|c| t.table().number_column(c, c.id()));
    for i in 0..44u32 {
        for j in 0..25u32 {
            t.table().set_number(bm, f64::from(16 << (j % 5)));
            t.table().set_number(bn, f64::from(16 << (j / 5)));
            let time = 1e-4 + 1e-7 * f64::from((i * 37 + j * 101) % 251);
            let shape = (1920, 128 * (1 + i / 4), 1024 << (i % 4));
            t.row(shape, "", time, "");
        }
    }
    let frame = t.frame(Some("mi210"));
    let mut state = ViewState::default();
    for (x, name) in [("", "tiles-tensile"), ("bmxbn", "tiles-tensile-pairs")] {
        state.set_param("tiles.x", x);
        let view = TileMap::open(&frame, &state);
        draw_everywhere(name, &view);
        assert_eq!(checks(&at(&view, 1, false)), 44 + 1);
    }
    state.set_param("tiles.panel", "K = 4096, M = 1920");
    let view = TileMap::open(&frame, &state);
    assert!(view.table().rows.iter().all(|row| row[0] == "K = 4096, M = 1920"));
    draw_everywhere("tiles-tensile-one", &view);
}

#[test]
fn nothing_lies_over_a_figure_however_wide_cells_are() {
    let view = TileMap::open(&flat_sweep(), &ViewState::default());
    for width in (240..1500).step_by(13) {
        for height in [200.0, 330.0, 460.0, 900.0] {
            let size = (f64::from(width), height);
            let scene = view.scene(&RenderOptions::new(&Theme::LIGHT, size));
            let faults = scene.text_faults();
            let over = faults.iter().filter(|f| f.contains("lies below")).collect::<Vec<_>>();
            assert!(over.is_empty(), "{size:?}: {over:#?}");
        }
    }
}

#[test]
fn what_is_missing_is_said() {
    let mut t = Rows::new();
    t.row((8, 8, 8), "x", 1e-6, "");
    let scene = at(&TileMap::open(&t.frame(None), &ViewState::default()), 0, false);
    assert!(scene.message.is_some_and(|m| m.contains("No tiles")));
}

#[test]
fn where_only_a_setting_varies_the_settings_are_the_picture() {
    let mut t = Rows::new();
    let columns = [ColumnMeaning::TileM, ColumnMeaning::TileN];
    let [bm, bn] = columns.map(|c| t.table().number_column(c, c.id()));
    let group = t.table().number_column(ColumnMeaning::Other, "GROUP_SIZE_M");
    for (value, time) in [(1.0, 1.25e-3), (4.0, 1.1e-3), (8.0, 1e-3), (16.0, 1.05e-3)] {
        t.table().set_number(bm, 256.0);
        t.table().set_number(bn, 128.0);
        t.table().set_number(group, value);
        t.row((4096, 4096, 4096), "", time, "");
    }
    let view = TileMap::open(&t.frame(Some("a100-80-pcie")), &ViewState::default());
    assert_eq!(view.said.obstacle, None);
    assert_eq!(view.said.title, "GROUP_SIZE_M 8 is best of 4 values, 1 is worst at 80.0 %.");
    let table = view.table();
    let row = |at: usize| table.rows[at].join(" ");
    assert_eq!((row(0), row(3)), ("GROUP_SIZE_M 8 1 100 %".into(), "GROUP_SIZE_M 1 1 80 %".into()));
    draw_everywhere("tiles-settings", &view);
    let scene = at(&view, 1, false);
    assert_eq!(scene.hit_areas.len(), 4);
    assert!(view.tooltip(&scene.hit_areas[3].tooltip).sentence().contains("80"));
}
