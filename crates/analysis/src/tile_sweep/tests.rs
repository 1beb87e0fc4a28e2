use super::*;
use gemmscope_model::dtype::DataType;
use gemmscope_table::dataset::ColumnMeaning;
use gemmscope_table::fixture::{Rows, frame};
use proptest::prelude::*;

/// `(M, N, K)`, tile, time.
type TileRow = ((u32, u32, u32), (u32, u32), f64);

fn tiles(rows: &[TileRow], device: Option<&str>) -> Frame {
    let mut t = Rows::new();
    let bm = t.table().number_column(ColumnMeaning::TileM, "tile_m");
    let bn = t.table().number_column(ColumnMeaning::TileN, "tile_n");
    for (shape, tile, time) in rows {
        t.table().set_number(bm, f64::from(tile.0));
        t.table().set_number(bn, f64::from(tile.1));
        t.row(*shape, "", *time, "");
    }
    t.frame(device)
}

#[test]
fn a_column_of_bests_is_held_against_the_model() {
    let mut t = Rows::new();
    let best = t.table().number_column(ColumnMeaning::Other, "best_bn");
    // The model's own choice for K = 4096 on 108 units, except in one line.
    for (n, bn) in [(1024, 32), (8192, 64), (16_384, 128), (262_144, 256)] {
        t.table().set_number(best, f64::from(bn));
        t.row((8, n, 4096), "", 1e-6, "");
    }
    let sweep = Sweep::new(&t.frame(Some("a100-40-sxm")), None).unwrap();
    assert_eq!(sweep.source, TileSource::BestColumn);
    let [panel] = sweep.panels.as_slice() else { panic!("{:?}", sweep.panels) };
    assert_eq!((panel.title.as_str(), panel.units), ("K = 4096, M = 8", Some(108)));
    let widths = |pick: fn(&SweepLine) -> Option<usize>| -> Vec<u32> {
        let width = |l| pick(l).map_or(0, |i| panel.columns[i].0);
        panel.lines.iter().map(width).collect()
    };
    assert_eq!(widths(|l| l.best), [32, 64, 128, 256]);
    assert_eq!(widths(|l| l.model), [32, 64, 128, 128]);
    assert_eq!(sweep.agreement, (3, 4));
    // Small N is limited by parallelism, large N by memory.
    let all =
        |line: usize, region| panel.cells(&panel.lines[line]).all(|c| c.region == Some(region));
    assert!(all(0, Region::Parallelism) && all(3, Region::Memory));
}

#[test]
fn a_shape_is_one_line_where_one_row_names_the_device_and_one_does_not() {
    let mut t = Rows::new();
    let bm = t.table().number_column(ColumnMeaning::TileM, "tile_m");
    for (tile, device) in [(64.0, "MI300X"), (128.0, "")] {
        t.table().set_number(bm, tile);
        t.row((4096, 4096, 4096), "", 1e-3 / tile, device);
    }
    let sweep = Sweep::new(&t.frame(Some("mi300x")), None).unwrap();
    let [panel] = sweep.panels.as_slice() else { panic!("{:?}", sweep.panels) };
    assert_eq!((panel.lines.len(), panel.columns.len()), (1, 2));
}

#[test]
fn a_sweep_over_tiles_has_one_best_a_line() {
    let mut rows = Vec::new();
    for (shape, fastest) in [((1920, 25_216, 512), 1), ((1920, 1920, 512), 2)] {
        for (i, tile) in [(128, 128), (64, 128), (256, 128)].into_iter().enumerate() {
            rows.push((shape, tile, if i == fastest { 1e-3 } else { 2e-3 }));
        }
    }
    let frame = tiles(&rows, Some("mi210"));
    let sweep = Sweep::new(&frame, Some(Axis::BmBn)).unwrap();
    assert_eq!((sweep.source, sweep.single), (TileSource::Columns, 0));
    assert_eq!(sweep.agreement.1, 2);
    let lines = sweep.panels.iter().flat_map(|p| p.lines.iter().map(move |l| (p, l)));
    let mut best = Vec::new();
    for (p, l) in lines {
        let cell = p.cell(l, l.best.unwrap());
        assert_eq!(cell.share, 1.0);
        assert!(p.cells(l).all(|c| c.share.is_nan() || c.share <= 1.0));
        let work = 2.0 * 1920.0 * f64::from(l.problem.n) * 512.0;
        assert!((cell.rate / (work / 1e-3) - 1.0).abs() < 1e-9);
        best.push((l.problem.n, p.columns[l.best.unwrap()]));
    }
    best.sort_unstable();
    assert_eq!(best, [(1920, (256, 128)), (25_216, (64, 128))]);
    // Only BM differs.
    assert_eq!(sweep.axes, [Axis::Bm, Axis::BmBn]);
}

#[test]
fn what_is_no_sweep_says_so() {
    let no = |r: Result<Sweep, NoSweep>| r.unwrap_err();
    let single = tiles(&[((8, 1024, 64), (8, 32), 1e-6), ((8, 2048, 64), (8, 64), 1e-6)], None);
    assert_eq!(no(Sweep::new(&single, None)), NoSweep::SingleTile(TileSource::Columns, 2));
    // In every row the tile equals the shape.
    let shape = tiles(&[((8, 32, 64), (8, 32), 1e-6), ((8, 64, 64), (8, 64), 1e-6)], None);
    assert_eq!(no(Sweep::new(&shape, None)), NoSweep::TileIsShape(2));
    let mut rows = Rows::new();
    rows.row((8, 8, 8), "x", 1e-6, "");
    assert_eq!(no(Sweep::new(&rows.frame(None), None)), NoSweep::NoTiles);
    assert_eq!(
        no(Sweep::new(&frame(gemmscope_table::dataset::Dataset::new(), None), None)),
        NoSweep::NoTiles
    );
}

#[test]
fn ticks_and_regions_of_a_flat_sweep() {
    let mut rows = Vec::new();
    for n in [1024, 65536] {
        for bn in [32, 64, 128, 256] {
            let t = if n == 1024 { f64::from(bn) } else { 1e4 / f64::from(bn) };
            rows.push(((8, n, 4096), (16, bn), t * 1e-6));
        }
    }
    let sweep = Sweep::new(&tiles(&rows, Some("a100-40-sxm")), None).unwrap();
    let [panel] = sweep.panels.as_slice() else { panic!() };
    let l = &panel.lines[0];
    assert_eq!((l.best, l.model), (Some(0), Some(0)));
    assert_eq!(panel.columns[panel.lines[1].best.unwrap()].0, 256);
    assert_eq!(panel.columns[panel.lines[1].model.unwrap()].0, 128);
    let c = panel.cell(l, 1);
    assert_eq!((c.workgroups, c.region), (Some(16), Some(Region::Parallelism)));
    let (waves, tile, wave) = c.waves.unwrap();
    assert!(waves == 1 && tile == 0.5 && (wave - 16.0 / 108.0).abs() < 1e-12);
    assert_eq!(c.share, 0.5);
    // Without a device: ticks, but neither regions nor model.
    let sweep = Sweep::new(&tiles(&rows, None), None).unwrap();
    let (panel, l) = (&sweep.panels[0], &sweep.panels[0].lines[0]);
    let first = panel.cell(l, 0);
    assert!(l.best.is_some() && l.model.is_none() && first.region.is_none());
    assert_eq!(first.workgroups, Some(32));
}

#[test]
fn kernel_names_give_tiles_in_the_problems_orientation() {
    let sweep = |m: u32, tiles: &[&str]| {
        let mut t = Rows::new();
        let kernel = t.table().text_column(ColumnMeaning::Kernel, "kernel");
        for tile in tiles {
            let name = format!("Cijk_Alik_Bljk_HHS_BH_MT{tile}x32_SE");
            t.table().set_text(kernel, name.as_bytes());
            let op = gemmscope_model::gemm::Operation::uniform(DataType::Fp16);
            t.typed((m, 1024, 512), op, "", 1e-4, "");
        }
        Sweep::new(&t.frame(None), None).unwrap()
    };
    let one = sweep(4096, &["128x64", "256x64"]);
    assert_eq!((one.source, one.axis), (TileSource::KernelNames, Axis::Bn));
    assert_eq!(one.panels[0].columns, [(128, 0), (256, 0)]);
    // Both sides of the tile vary, so the whole tile is the axis, except for flat GEMMs.
    let tiles = ["128x64", "256x64", "128x128"];
    assert_eq!(sweep(4096, &tiles).axis, Axis::BmBn);
    assert_eq!(sweep(8, &tiles).axis, Axis::Bn);
}

proptest! {
    #[test]
    fn one_tick_a_line_on_any_sweep(cells in proptest::collection::vec(
        ((1u32..200, 1u32..4, 1u32..3), (0u32..300, 0u32..300), prop_oneof![Just(f64::NAN), 1e-9..1.0f64]), 0..50)) {
        let f = tiles(&cells, Some("h100-sxm"));
        for axis in Axis::ALL {
            let Ok(sweep) = Sweep::new(&f, Some(axis)) else { continue };
            for p in &sweep.panels {
                for l in &p.lines {
                    prop_assert_eq!(p.cells(l).count(), p.columns.len());
                    prop_assert!(l.best.is_some_and(|b| b < p.columns.len()));
                    prop_assert!(l.model.is_none_or(|b| b < p.columns.len()));
                    prop_assert!(p.cells(l).any(|c| c.share == 1.0));
                }
            }
        }
    }
}

#[test]
fn a_tile_wider_than_any_power_of_two_ends_the_columns() {
    let of = |best: f64| {
        let mut t = Rows::new();
        let column = t.table().number_column(ColumnMeaning::Other, "best_bn");
        for n in [1024, 8192, 16_384] {
            t.table().set_number(column, best);
            t.row((8, n, 4096), "", 1e-6, "");
        }
        Sweep::new(&t.frame(Some("a100-40-sxm")), None)
    };
    assert!(of(64.0).is_ok());
    // Such a tile must not panic.
    let _ = of(f64::from(u32::MAX - 5));
}

#[test]
fn one_setting_for_all_shapes_is_the_best_on_average() {
    // 64 wins on one shape by a little, 128 on the other by a lot.
    let f = tiles(
        &[
            ((8, 1024, 4096), (16, 64), 1.0e-5),
            ((8, 1024, 4096), (16, 128), 1.1e-5),
            ((8, 2048, 4096), (16, 64), 4.0e-5),
            ((8, 2048, 4096), (16, 128), 2.0e-5),
        ],
        None,
    );
    let found = Sweep::new(&f, None).unwrap().single_choice().unwrap();
    assert_eq!((found.label.as_str(), found.best, found.shapes), ("128", 1, 2));
    assert!((found.share - (10.0 / 11.0 + 1.0) / 2.0).abs() < 1e-12);
}
