use super::*;
use crate::dataset::Role;
use crate::dtype::DataType;
use crate::fixture::{Rows, frame, real};
use proptest::prelude::*;

/// `(M, N, K)`, tile, time.
type TileRow = ((u32, u32, u32), (u32, u32), f64);

fn tiles(rows: &[TileRow], device: Option<&str>) -> Frame {
    let mut t = Rows::new();
    let bm = t.table().number_column(Role::TileM, "tile_m");
    let bn = t.table().number_column(Role::TileN, "tile_n");
    for (shape, tile, time) in rows {
        t.table().set_number(bm, f64::from(tile.0));
        t.table().set_number(bn, f64::from(tile.1));
        t.row(*shape, "", *time, "");
    }
    t.frame(device)
}

#[test]
fn the_figure_of_the_paper() {
    let Some(data) = real(&["flashdecoding_fig/bn_best_reconstructed.csv"]) else {
        return;
    };
    let sweep = Sweep::new(&frame(data, Some("a100-40-sxm")), None).unwrap();
    assert_eq!(sweep.source, TileSource::BestColumn);
    assert_eq!(sweep.panels.len(), 2);
    let widths = |p: &Panel, pick: fn(&Line) -> Option<usize>| -> Vec<u32> {
        p.lines
            .iter()
            .map(|l| pick(l).map_or(0, |i| p.columns[i].0))
            .collect()
    };
    for p in &sweep.panels {
        assert_eq!(p.units, Some(108));
        let columns: Vec<u32> = p.columns.iter().map(|c| c.0).collect();
        assert_eq!(columns, [32, 64, 128, 256, 512]);
        let n: Vec<u32> = p.lines.iter().map(|l| l.problem.n).collect();
        assert_eq!(
            n,
            [1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072, 262144]
        );
        // Small N on top is bounded by parallelism, large N by memory.
        assert!(
            p.lines[0]
                .cells
                .iter()
                .all(|c| c.region == Some(Region::Parallelism))
        );
        assert!(
            p.lines[8]
                .cells
                .iter()
                .all(|c| c.region == Some(Region::Memory))
        );
    }
    let (left, right) = (&sweep.panels[0], &sweep.panels[1]);
    assert_eq!(left.title, "K = 4096, M = 8");
    let best = widths(left, |l| l.best);
    assert_eq!(best, [32, 32, 32, 64, 128, 128, 128, 128, 128]);
    // The model has 9 of 9 ticks for K = 4096 and 6 of 9 for K = 12288.
    assert_eq!(widths(left, |l| l.model), best);
    let agree = right.lines.iter().filter(|l| l.best == l.model).count();
    assert_eq!(agree, 6);
    assert_eq!(sweep.agreement, (15, 18));
}

#[test]
fn a_real_sweep() {
    let Some(data) = real(&["Tensile/derived_best_per_macrotile_long.csv"]) else {
        return;
    };
    let frame = frame(data, Some("mi210"));
    let sweep = Sweep::new(&frame, Some(Axis::BmBn)).unwrap();
    assert_eq!(sweep.source, TileSource::Columns);
    let lines: usize = sweep.panels.iter().map(|p| p.lines.len()).sum();
    assert_eq!((lines, sweep.single), (44, 0));
    for p in &sweep.panels {
        for l in &p.lines {
            // Exactly one tick a line, at its highest rate.
            let best = &l.cells[l.best.unwrap()];
            assert_eq!(best.share, 1.0);
            assert!(l.cells.iter().all(|c| c.share.is_nan() || c.share <= 1.0));
        }
    }
    // 1920 x 25216 x 16384 fp16: 64x128 was best, 16883 GFLOP/s (read from the file by hand).
    let (p, l) = sweep
        .panels
        .iter()
        .flat_map(|p| p.lines.iter().map(move |l| (p, l)))
        .find(|(_, l)| l.problem.n == 25216 && l.problem.k == 16384)
        .unwrap();
    assert_eq!(p.columns[l.best.unwrap()], (64, 128));
    assert!((l.cells[l.best.unwrap()].rate / 16883e9 - 1.0).abs() < 1e-3);
    assert_eq!(p.columns.len(), 25);
    // The model is no oracle: it names the very tile now and then, but one nearly as good.
    assert_eq!(sweep.agreement.1, 44);
    assert!(sweep.model_reaches > 0.93, "{}", sweep.model_reaches);
    let by_width = Sweep::new(&frame, None).unwrap();
    assert_eq!(by_width.axis, Axis::Bn);
    assert!(by_width.axes.contains(&Axis::Bm) && !by_width.axes.contains(&Axis::Warps));
}

#[test]
fn what_is_no_sweep_says_so() {
    let no = |r: Result<Sweep, NoSweep>| r.unwrap_err();
    let single = tiles(
        &[
            ((8, 1024, 64), (8, 32), 1e-6),
            ((8, 2048, 64), (8, 64), 1e-6),
        ],
        None,
    );
    assert_eq!(
        no(Sweep::new(&single, None)),
        NoSweep::SingleTile(TileSource::Columns, 2)
    );
    // The tile is the shape, row by row.
    let shape = tiles(
        &[((8, 32, 64), (8, 32), 1e-6), ((8, 64, 64), (8, 64), 1e-6)],
        None,
    );
    assert_eq!(no(Sweep::new(&shape, None)), NoSweep::TileIsShape(2));
    let mut rows = Rows::new();
    rows.row((8, 8, 8), "x", 1e-6, "");
    assert_eq!(no(Sweep::new(&rows.frame(None), None)), NoSweep::NoTiles);
    assert_eq!(
        no(Sweep::new(
            &frame(crate::dataset::Dataset::new(), None),
            None
        )),
        NoSweep::NoTiles
    );
    if let Some(data) = real(&["aiter/a8w8_tuned_gemm.csv"]) {
        // One best kernel per shape and device; some shapes were tuned twice.
        match Sweep::new(&frame(data, None), None) {
            Err(NoSweep::SingleTile(TileSource::KernelNames, n)) => assert!(n > 100),
            Ok(s) => assert!(s.single > 100 && s.source == TileSource::KernelNames),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn ticks_and_regions_of_a_flat_sweep() {
    let mut rows = Vec::new();
    for n in [1024, 65536] {
        for bn in [32, 64, 128, 256] {
            let t = if n == 1024 {
                f64::from(bn)
            } else {
                1e4 / f64::from(bn)
            };
            rows.push(((8, n, 4096), (16, bn), t * 1e-6));
        }
    }
    let sweep = Sweep::new(&tiles(&rows, Some("a100-40-sxm")), None).unwrap();
    let [panel] = sweep.panels.as_slice() else {
        panic!()
    };
    let l = &panel.lines[0];
    assert_eq!((l.best, l.model), (Some(0), Some(0)));
    assert_eq!(panel.columns[panel.lines[1].best.unwrap()].0, 256);
    assert_eq!(panel.columns[panel.lines[1].model.unwrap()].0, 128);
    let c = &l.cells[1];
    assert_eq!(
        (c.workgroups, c.region),
        (Some(16), Some(Region::Parallelism))
    );
    let (waves, tile, wave) = c.waves.unwrap();
    assert!(waves == 1 && tile == 0.5 && (wave - 16.0 / 108.0).abs() < 1e-12);
    assert_eq!(c.share, 0.5);
    // Without a device: ticks, but neither regions nor model.
    let sweep = Sweep::new(&tiles(&rows, None), None).unwrap();
    let l = &sweep.panels[0].lines[0];
    assert!(l.best.is_some() && l.model.is_none() && l.cells[0].region.is_none());
    assert_eq!(l.cells[0].workgroups, Some(32));
}

#[test]
fn kernel_names_give_tiles_in_the_problems_orientation() {
    let mut t = Rows::new();
    let kernel = t.table().text_column(Role::Kernel, "kernel");
    for name in [
        "Cijk_Alik_Bljk_HHS_BH_MT128x64x32_SE",
        "Cijk_Alik_Bljk_HHS_BH_MT256x64x32_SE",
    ] {
        t.table().set_text(kernel, name.as_bytes());
        t.typed(
            (4096, 1024, 512),
            crate::gemm::Operation::uniform(DataType::Fp16),
            "",
            1e-4,
            "",
        );
    }
    let sweep = Sweep::new(&t.frame(None), None).unwrap();
    assert_eq!(
        (sweep.source, sweep.axis),
        (TileSource::KernelNames, Axis::Bn)
    );
    assert_eq!(sweep.panels[0].columns, [(128, 0), (256, 0)]);
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
                    prop_assert_eq!(l.cells.len(), p.columns.len());
                    prop_assert!(l.best.is_some_and(|b| b < p.columns.len()));
                    prop_assert!(l.model.is_none_or(|b| b < p.columns.len()));
                    prop_assert_eq!(l.cells.iter().filter(|c| c.share == 1.0).count() >= 1, true);
                }
            }
        }
    }
}
