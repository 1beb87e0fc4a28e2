use super::*;
use gemmscope_model::units::signed_percent;
use gemmscope_table::fixture::Rows;
use proptest::prelude::*;

pub(super) fn history(rows: &[(f64, f64, &str)]) -> Option<SearchHistory> {
    let mut t = Rows::new();
    let order = t.table().number_column(ColumnMeaning::Order, "generation");
    let status = t.table().text_column(ColumnMeaning::Status, "status");
    let work = 2.0 * 4096f64.powi(3);
    for (generation, tflops, said) in rows {
        t.table().set_number(order, *generation);
        t.table().set_text(status, said.as_bytes());
        t.row((4096, 4096, 4096), "Triton", work / (tflops * 1e12), "");
    }
    let frame = t.frame(Some("a100-80-pcie"));
    let (problem, _) = problems(&frame).into_iter().next()?;
    SearchHistory::new(&frame, &problem, 0.1)
}

const NONE: f64 = f64::NAN;

#[test]
fn a_search_ends_where_nothing_is_gained() {
    let of = |bests: &[f64]| {
        let rows: Vec<(f64, f64, &str)> =
            bests.iter().enumerate().map(|(g, t)| (g as f64, *t, "ok")).collect();
        history(&rows).unwrap()
    };
    let seed = of(&[161.87, 186.12, 201.80, 177.98, 197.56]);
    let gain = |i| seed.gain(i).map(|g| (g * 1000.0).round());
    assert_eq!([gain(0), gain(1), gain(3)], [None, Some(150.0), Some(0.0)]);
    let changes: Vec<String> = seed.changes().iter().map(|c| signed_percent(c.1)).collect();
    assert_eq!(changes, ["+15 %", "+8.4 %", "−11.8 %", "+11 %"]);
    let ended = seed.convergence();
    assert!(
        matches!(ended, Some(Convergence::Converged { order: 2.0, quiet: 2, .. })),
        "{ended:?}"
    );
    let going = of(&[100.0, 120.0]).convergence();
    assert!(matches!(going, Some(Convergence::Gaining { .. })), "{going:?}");
    let perhaps = of(&[100.0, 120.0, 119.0]).convergence();
    assert!(matches!(perhaps, Some(Convergence::Perhaps { order: 1.0, .. })), "{perhaps:?}");
    assert_eq!(of(&[100.0]).convergence(), None);
    assert_eq!(of(&[100.0, 90.0]).convergence(), Some(Convergence::NoGain));
}

#[test]
fn what_bad_variants_share_is_named() {
    let mut t = Rows::new();
    let order = t.table().number_column(ColumnMeaning::Order, "generation");
    let stages = t.table().number_column(ColumnMeaning::Stages, "stages");
    let warps = t.table().number_column(ColumnMeaning::Warps, "warps");
    // With five stages every variant is ten times as slow.
    for i in 0..12u32 {
        t.table().set_number(order, f64::from(i / 4));
        t.table().set_number(stages, f64::from(3 + 2 * u32::from(i % 4 == 0)));
        t.table().set_number(warps, f64::from(4 << (i % 2)));
        let time = if i % 4 == 0 { 1e-2 } else { 5e-4 };
        t.row((4096, 4096, 4096), "Triton", time, "");
    }
    let frame = t.frame(Some("a100-80-pcie"));
    let (problem, _) = problems(&frame).into_iter().next().unwrap();
    let h = SearchHistory::new(&frame, &problem, 0.5).unwrap();
    let found = h.suspects(&frame);
    let first = Suspect { name: "stages".to_owned(), value: "5".to_owned(), bad: 3, all: 3 };
    assert_eq!(found[0], first);
    assert!(found.iter().all(|s| s.value != "3"), "{found:?}");
}

#[test]
fn two_settings_that_fail_together_are_named() {
    let mut t = Rows::new();
    let order = t.table().number_column(ColumnMeaning::Order, "generation");
    let status = t.table().text_column(ColumnMeaning::Status, "status");
    let m = t.table().number_column(ColumnMeaning::TileM, "BLOCK_M");
    let n = t.table().number_column(ColumnMeaning::TileN, "BLOCK_N");
    // 256 x 256 spills; each 256 alone runs.
    for (generation, tiles) in [[128, 256], [256, 128], [256, 256], [128, 128]].iter().enumerate() {
        for _ in 0..2 {
            let spills = *tiles == [256, 256];
            t.table().set_number(order, generation as f64);
            t.table().set_number(m, f64::from(tiles[0]));
            t.table().set_number(n, f64::from(tiles[1]));
            t.table().set_text(status, if spills { b"spilled registers" } else { b"ok" });
            let time = if spills { f64::NAN } else { 7e-4 };
            t.row((4096, 4096, 4096), "Triton", time, "");
        }
    }
    let frame = t.frame(Some("a100-80-pcie"));
    let (problem, _) = problems(&frame).into_iter().next().unwrap();
    let found = SearchHistory::new(&frame, &problem, 0.1).unwrap().suspects(&frame);
    let pair = Suspect {
        name: "BLOCK_M × BLOCK_N".to_owned(),
        value: "256 × 256".to_owned(),
        bad: 2,
        all: 2,
    };
    assert_eq!(found[0], pair);
    assert!(found[1..].iter().all(|s| s.bad < s.all), "{found:?}");
}

#[test]
fn the_generations_of_the_seed() {
    let h = history(&[
        (0.0, NONE, "correctness failed"),
        (0.0, 2.93, "ok"),
        (0.0, 161.87, "ok"),
        (1.0, 54.38, "ok"),
        (1.0, 186.01, "ok"),
        (1.0, 186.12, "ok"),
        (2.0, 2.88, "ok"),
        (2.0, 201.80, "ok"),
        (2.0, 131.46, "ok"),
        (3.0, 177.98, "ok"),
        (4.0, 197.56, "ok"),
        (NONE, 199.13, "ok"),
    ])
    .unwrap();
    let rate = |i: Option<usize>| (h.variants[i.unwrap()].rate / 1e10).round() / 100.0;
    let best: Vec<f64> = h.generations.iter().map(|g| rate(g.best)).collect();
    assert_eq!(best, [161.87, 186.12, 201.80, 177.98, 197.56]);
    let running: Vec<f64> = h.generations.iter().map(|g| rate(g.running)).collect();
    assert_eq!(running, [161.87, 186.12, 201.80, 201.80, 201.80]);
    assert_eq!((h.count(Outcome::Failed), h.count(Outcome::Slow), h.count(Outcome::Ok)), (1, 2, 8));
    assert_eq!(h.failures(), [("correctness failed".to_owned(), 1)]);
    assert_eq!((h.references.len(), h.roof), (1, 312e12));
    assert_eq!(h.best, Some(7));
}

#[test]
fn without_an_order_there_is_no_history() {
    let mut t = Rows::new();
    t.row((8, 8, 8), "x", 1e-6, "");
    let frame = t.frame(None);
    assert!(problems(&frame).is_empty());
    assert!(SearchHistory::new(&frame, &frame.data.problem(0), 0.1).is_none());
    // A generation in which everything failed has no best variant.
    let h = history(&[(0.0, NONE, "timeout"), (1.0, NONE, "timeout")]).unwrap();
    assert!(h.best.is_none() && h.generations.iter().all(|g| g.best.is_none()));
}

proptest! {
    #[test]
    fn the_running_best_never_falls(rows in proptest::collection::vec(
        (0u8..6, prop_oneof![Just(f64::NAN), 0.1..300.0f64]), 1..40)) {
        let rows: Vec<(f64, f64, &str)> = rows.iter().map(|(g, t)| (f64::from(*g), *t, "said")).collect();
        let Some(h) = history(&rows) else { return Ok(()) };
        let all: usize = h.generations.iter().map(|g| g.variants.len()).sum();
        prop_assert_eq!(all, rows.len());
        let rates: Vec<f64> = h.generations.iter().filter_map(|g| g.running).map(|i| h.variants[i].rate).collect();
        prop_assert!(rates.windows(2).all(|w| w[0] <= w[1]));
        prop_assert_eq!(rates.last().copied(), h.best.map(|i| h.variants[i].rate));
    }
}
