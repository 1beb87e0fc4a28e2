use super::duel::{Duel, DuelVerdict, LEAST_LEAD, Measure, lead_of};
use super::winner::{self, Size};
use super::*;
use gemmscope_model::dtype::DataType;
use gemmscope_model::gemm::Operation;
use gemmscope_model::reference::Precision;
use gemmscope_table::dataset::ColumnMeaning;
use gemmscope_table::fixture::{Rows, frame, on, published_h100};
use proptest::prelude::*;

fn library() -> Field {
    Field::Column("library".into())
}

/// Two files of rows: `(M, A transposed)` and time in µs.
fn two_files(a: &[((u32, bool), f64)], b: &[((u32, bool), f64)]) -> Frame {
    let mut all = Dataset::new();
    for (name, rows) in [("a.csv", a), ("b.csv", b)] {
        let mut t = Rows::new();
        for ((m, trans_a), us) in rows {
            let op = Operation::uniform(DataType::Fp16).with_layout(*trans_a, false);
            t.typed((*m, 64, 64), op, "", us * 1e-6, "");
        }
        let mut data = (*t.frame(None).data).clone();
        data.sources[0].name = name.into();
        all.append(data);
    }
    frame(all, Some("mi300x"))
}

#[test]
fn what_a_comparison_lacks_is_known_before_it_is_opened() {
    let of = |a: &[((u32, bool), f64)], b: &[((u32, bool), f64)]| Setup::lacks(&two_files(a, b));
    let one = ((1, false), 1.0);
    assert_eq!(of(&[one], &[((1, false), 2.0)]), None);
    assert_eq!(of(&[one], &[((2, false), 1.0)]), Some(Lack::SharedGemms));
    // With one file, one type and one layout there are no sides.
    let mut alike = Rows::new();
    for m in [1, 2, 3] {
        let op = Operation::uniform(DataType::Fp16);
        alike.typed((m, 64, 64), op, "", 1e-6, "");
    }
    assert_eq!(Setup::lacks(&alike.frame(None)), Some(Lack::Sides));
}

#[test]
fn two_files_are_joined_by_shape_type_and_layout() {
    let frame = two_files(
        &[
            ((1, false), 1.0),
            ((2, false), 1.0),
            ((4, false), 1.0),
            ((8, true), 1.0),
            ((16, false), 1.0),
        ],
        &[((1, false), 2.0), ((2, false), 8.0), ((4, false), 1.01), ((8, false), 1.0)],
    );
    let setup = Setup::choose(&frame, &Setup::candidates(&frame)).unwrap().setup;
    assert_eq!(setup.side, Field::Source);
    assert_eq!(setup.sides, ["a.csv", "b.csv"]);
    let c = Comparison::new(&frame, &setup);
    assert_eq!((c.matched, c.ambiguous), (3, 0));
    assert_eq!((c.configurations.as_slice(), c.unmatched.as_slice()), (&[5, 4][..], &[2, 1][..]));
    let duel = Duel::new(&frame, &c, (0, 1), Measure::Rate, 0.02);
    assert_eq!(duel.counts, [2, 0, 1, 0]);
    // The rates of b are 1/2, 1/8 and 1/1.01 of a's.
    let mean = (1.0 / (2.0 * 8.0 * 1.01f64)).cbrt();
    assert!((duel.geometric_mean / mean - 1.0).abs() < 1e-9);
    let order = duel.ranked();
    let ends = (duel.ratios[order[0]].ratio, duel.ratios[order[2]].ratio);
    assert!((ends.0 - 1.0 / 8.0).abs() < 1e-12 && (ends.1 - 1.0 / 1.01).abs() < 1e-12);
    // On one device, efficiencies give the same ratios.
    let roofs = Duel::new(&frame, &c, (0, 1), Measure::Roof, 0.02);
    assert!((roofs.geometric_mean / duel.geometric_mean - 1.0).abs() < 1e-9);
    let tally = Tally::new(&c, 0.02, true);
    assert_eq!((&tally.fastest[..], tally.compared), (&[3, 0][..], 3));
    // 1.01 is a tie, so b is slower on two of three, which is not everywhere.
    assert_eq!((&tally.clear[..], tally.level()), (&[2, 0][..], 1));
    assert_eq!((&tally.slower[..], tally.losing()), (&[0, 2][..], Vec::new()));
    let mean = (2.0 * 8.0 * 1.01f64).cbrt();
    assert!((tally.behind[0] - 1.0).abs() < 1e-12 && (tally.behind[1] / mean - 1.0).abs() < 1e-9);
    let strict = Tally::new(&c, 0.001, true);
    assert_eq!((strict.losing(), strict.clear[0]), (vec![1], 3));
    let d = duel.distribution();
    assert_eq!(d.members.iter().map(Vec::len).sum::<usize>(), 3);
}

#[test]
fn what_others_reach_is_a_side_that_no_row_is_of() {
    let op = Precision::Bf16.operation();
    let mut t = Rows::new();
    // 166.1 µs ± 4.7 %, and a shape that nothing is published of.
    t.typed((4096, 4096, 4096), op, "a", 231e-6, "");
    t.typed((4096, 4096, 4096), op, "b", 150e-6, "");
    t.typed((4096, 4096, 1 << 20), op, "a", 0.05, "");
    let frame = on(&t.frame(None), published_h100());
    let setup = Setup::of(&frame, library()).with_published(true);
    assert_eq!(setup.sides, ["a", "b", PUBLISHED]);
    let c = Comparison::new(&frame, &setup);
    assert_eq!((c.matched, c.unmatched.as_slice()), (1, &[1, 0, 0][..]));
    let others = c.sample(0, 2).unwrap();
    assert!((others.time_s * 1e6 - 166.1).abs() < 0.5 && (others.spread_s * 1e6 - 7.8).abs() < 0.3);
    assert_eq!(c.rows_of(others), [0]);
    let fastest = |lead| Tally::new(&c, lead, true).clear;
    assert_eq!((fastest(0.02), fastest(0.2)), (vec![0, 1, 0], vec![0, 0, 0]));
    // Nobody can call it.
    assert!(Dispatch::new(&frame, &c, 0.02).is_none());
    assert_eq!(setup.with_published(false).sides, ["a", "b"]);
}

#[test]
fn a_single_side_stands_beside_what_others_reach() {
    let mut t = Rows::new();
    t.typed((4096, 4096, 4096), Precision::Bf16.operation(), "", 231e-6, "");
    let frame = t.frame(None);
    assert_eq!(Setup::lacks(&frame), Some(Lack::Sides));
    let frame = on(&frame, published_h100());
    assert_eq!(Setup::lacks(&frame), None);
    let found = Setup::choose(&frame, &Setup::candidates(&frame)).unwrap();
    assert_eq!(found.names, ["rows.csv", PUBLISHED]);
    let duel = Duel::new(&frame, &found, (0, 1), Measure::Rate, 0.02);
    assert_eq!((duel.count(DuelVerdict::B), duel.ratios.len()), (1, 1));
    // Times of two types are not of one GEMM.
    assert!(!Setup::takes_published(&frame, &Field::Dtype));
}

#[test]
fn fewer_keys_make_what_cannot_be_told_apart_ambiguous() {
    let rows = [((1, false), 1.0), ((1, true), 2.0), ((2, false), 1.0)];
    let frame = two_files(&rows, &rows);
    let mut setup = Setup::of(&frame, Field::Source);
    setup.keys = vec![Field::Shape, Field::Dtype];
    let c = Comparison::new(&frame, &setup);
    // M = 1 has two layouts on each side.
    assert_eq!((c.matched, c.ambiguous > 0), (1, true));
}

#[test]
fn a_product_with_a_bias_is_matched_with_the_same_one() {
    let mut all = Dataset::new();
    for (name, slower) in [("a.csv", 1.0), ("b.csv", 2.0)] {
        let mut t = Rows::new();
        for (bias, us) in [(false, 10.0), (true, 12.0)] {
            let op = Operation { bias, ..Operation::uniform(DataType::Fp16) };
            t.typed((64, 64, 64), op, "", us * slower * 1e-6, "");
        }
        let mut data = (*t.frame(None).data).clone();
        data.sources[0].name = name.into();
        all.append(data);
    }
    let frame = frame(all, None);
    let c = Comparison::new(&frame, &Setup::of(&frame, Field::Source));
    assert_eq!((c.matched, c.ambiguous), (2, 0));
    let labels = [0, 1].map(|i| c.label(&frame, i));
    assert_eq!(labels, ["64 × 64 × 64, fp16, NN", "64 × 64 × 64, fp16, NN + bias"]);
    let times = [0, 1].map(|i| [0, 1].map(|side| c.sample(i, side).unwrap().time_s * 1e6));
    assert_eq!(times.map(|t| t.map(f64::round)), [[10.0, 20.0], [12.0, 24.0]]);
    // If one side lacks it, only the shape is shared.
    let one = two_files(&[((1, false), 1.0)], &[((1, false), 1.0)]);
    assert_eq!(
        Comparison::new(&one, &Setup::of(&one, Field::Source)).label(&one, 0),
        "1 × 64 × 64, fp16, NN"
    );
}

#[test]
fn of_types_and_layouts_what_costs_more_time_is_compared() {
    // Factors by which bf16, and a transposed A, take longer.
    let side = |of_type: f64, of_layout: f64| {
        let mut rows = Rows::new();
        for (dtype, longer) in [(DataType::Fp16, 1.0), (DataType::Bf16, of_type)] {
            let op = Operation::uniform(dtype);
            rows.typed((4096, 4096, 4096), op, "", longer, "");
            let op = op.with_layout(true, false);
            rows.typed((4096, 4096, 4096), op, "", longer * of_layout, "");
        }
        let frame = rows.frame(Some("mi300x"));
        Setup::choose(&frame, &Setup::candidates(&frame)).unwrap().setup.side
    };
    assert_eq!(side(1.1, 5.0), Field::Transposes);
    assert_eq!(side(1.5, 1.1), Field::Dtype);
}

#[test]
fn repeats_give_a_median_and_a_spread_and_noise_is_said() {
    let mut rows = Rows::new();
    for (a, b) in [(1.0, 1.05), (1.1, 1.15), (0.9, 0.95), (1.02, 1.07), (0.98, 1.03)] {
        rows.row((64, 64, 64), "x", a * 1e-6, "");
        rows.row((64, 64, 64), "y", b * 1e-6, "");
    }
    for t in [1.0, 1.001, 0.999] {
        rows.row((128, 64, 64), "x", t * 1e-6, "");
        rows.row((128, 64, 64), "y", t * 0.5e-6, "");
    }
    rows.row((256, 64, 64), "x", 1e-6, "");
    let frame = rows.frame(None);
    let c = Setup::choose(&frame, &Setup::candidates(&frame)).unwrap();
    assert_eq!(c.setup.side, library());
    assert_eq!((c.matched, c.unmatched[0], c.unmatched[1]), (2, 1, 0));
    let s = *c.sample(0, 0).unwrap();
    assert_eq!((s.n, s.time_s), (5, 1e-6));
    assert!((s.spread_s / (0.02e-6 * 1.4826) - 1.0).abs() < 1e-6, "{s:?}");
    assert!((s.iqr_s / 0.04e-6 - 1.0).abs() < 1e-6);
    let duel = Duel::new(&frame, &c, (0, 1), Measure::Rate, 0.02);
    assert_eq!(duel.ratios[0].verdict, DuelVerdict::Noise);
    assert_eq!(duel.ratios[1].verdict, DuelVerdict::B);
    assert!((duel.ratios[1].ratio - 2.0).abs() < 1e-12);
}

#[test]
fn of_several_kernels_the_fastest_stands_for_its_side() {
    let mut rows = Rows::new();
    let kernel = rows.table().text_column(ColumnMeaning::Kernel, "kernel");
    for (lib, name, t) in
        [("x", "slow", 9.0), ("x", "fast", 1.0), ("x", "fast", 1.2), ("y", "k", 2.0)]
    {
        rows.table().set_text(kernel, name.as_bytes());
        rows.row((64, 64, 64), lib, t * 1e-6, "");
    }
    let frame = rows.frame(None);
    let c = Comparison::new(&frame, &Setup::of(&frame, library()));
    let s = c.sample(0, 0).unwrap();
    assert_eq!((s.n, s.slower_variants()), (2, 1));
    assert!((s.time_s - 1e-6).abs() < 1e-15);
    assert_eq!(c.rows_of(s), [1, 2]);
}

#[test]
fn a_side_takes_the_same_time_here_as_in_the_totals() {
    let mut rows = Rows::new();
    let kernel = rows.table().text_column(ColumnMeaning::Kernel, "kernel");
    for (lib, name, times) in [
        // Of the middle two the faster one: 2, not 2.5.
        ("x", "k", &[9.0, 2.0, 3.0, 1.0][..]),
        // By medians of the middle two, `b` would be faster: 5.5 against 6.
        ("y", "a", &[4.0, 8.0]),
        ("y", "b", &[5.0, 6.0]),
        ("y", "c", &[7.0]),
    ] {
        for t in times {
            rows.table().set_text(kernel, name.as_bytes());
            rows.row((64, 64, 64), lib, t * 1e-6, "");
        }
    }
    let frame = rows.frame(None);
    let c = Comparison::new(&frame, &Setup::of_sides(&frame).unwrap());
    let of = |side: usize| *c.sample(0, side).unwrap();
    assert_eq!([0, 1].map(|side| of(side).time_s), [2e-6, 4e-6]);
    // The row that counts comes first, and the spread is around the median between the two.
    assert_eq!([0, 1].map(|side| c.rows_of(&of(side)).to_vec()), [vec![1, 3, 2, 0], vec![4, 5]]);
    assert!((of(0).spread_s / (1e-6 * 1.4826) - 1.0).abs() < 1e-9);
    for (side, counted) in frame.counted().sides.iter().enumerate() {
        assert_eq!(*counted.rows, [c.rows_of(&of(side))[0]]);
    }
}

#[test]
fn the_two_means_differ_where_long_runs_do() {
    let mut rows = Rows::new();
    // Short: y is twice as fast. Long: y is half as fast.
    rows.row((64, 64, 64), "x", 1e-6, "");
    rows.row((64, 64, 64), "y", 0.5e-6, "");
    rows.row((4096, 4096, 4096), "x", 1e-3, "");
    rows.row((4096, 4096, 4096), "y", 2e-3, "");
    let frame = rows.frame(None);
    let c = Comparison::new(&frame, &Setup::of(&frame, library()));
    let duel = Duel::new(&frame, &c, (0, 1), Measure::Rate, 0.02);
    assert!((duel.geometric_mean - 1.0).abs() < 1e-12);
    assert!((duel.weighted_mean - 1.001 / 2.0005).abs() < 1e-9);
    // Each is faster in one; count and time disagree on a winner.
    assert!(!duel.is_clear());
}

#[test]
fn the_pair_that_opens_is_the_open_question() {
    let mut rows = Rows::new();
    for m in 1..=10 {
        let [x, y] = if m % 3 == 0 { [2e-6, 1e-6] } else { [1e-6, 2e-6] };
        for (side, time_s) in [("slow", 30e-6), ("x", x), ("y", y)] {
            rows.row((64 * m, 64, 64), side, time_s, "");
        }
    }
    let frame = rows.frame(None);
    let c = Comparison::new(&frame, &Setup::of(&frame, library()));
    let names = |pair: [usize; 2]| pair.map(|side| c.names[side].clone());
    let tally = Tally::new(&c, TIE, true);
    assert_eq!(tally.pair(&c).map(names), Some(["x".to_owned(), "y".to_owned()]));
}

#[test]
fn the_exception_names_what_the_slower_side_is_good_at() {
    let row = |m: u32, trans: bool, us: f64| ((m, trans), us);
    let sizes = [256, 320, 384, 448, 512, 640];
    let a: Vec<_> = sizes
        .iter()
        .flat_map(|&m| [row(m, false, 1.0), row(m + 1, false, 1.0), row(m, true, 3.0)])
        .collect();
    let b: Vec<_> = sizes
        .iter()
        .flat_map(|&m| [row(m, false, 4.0), row(m + 1, false, 4.0), row(m, true, 1.0)])
        .collect();
    let say = |a, b| {
        let frame = two_files(a, b);
        let setup = Setup::choose(&frame, &Setup::candidates(&frame)).unwrap();
        let c = Comparison::new(&frame, &setup.setup);
        let duel = Duel::new(&frame, &c, (0, 1), Measure::Rate, 0.02);
        duel.exception(&frame, &c)
    };
    let found = say(&a, &b).unwrap();
    let layout = |of: &str| Common::Value(Field::Transposes, of.into());
    assert_eq!((&found.common, found.gemms), (&layout("TN"), 6));
    assert!((found.lead - 3.0).abs() < 1e-12);
    assert_eq!(say(&b, &a).map(|e| e.common), Some(found.common));
    assert_eq!(say(&a, &a), None);
}

#[test]
fn the_device_or_any_category_may_decide_who_is_faster() {
    // On each of two devices, or of two models, another side wins all; the layout says nothing.
    let duel = |by_device: bool| {
        let mut rows = Rows::new();
        let model = rows.table().text_column(ColumnMeaning::Model, "model");
        for (at, times) in
            [[10.0, 2.0], [20.0, 4.0], [5.0, 10.0], [10.0, 20.0]].into_iter().enumerate()
        {
            for (side, us) in ["x", "y"].into_iter().zip(times) {
                for m in [64, 128] {
                    let m = m << (2 * (at % 2)) << if by_device || at < 2 { 0 } else { 4 };
                    rows.table().set_text(model, if at > 1 { b"large" } else { b"small" });
                    let device = if by_device && at > 1 { "MI300X" } else { "A100 SXM4 80GB" };
                    let op = Operation::uniform(DataType::Fp16).with_layout(m % 128 == 0, false);
                    rows.typed((m, 256, 256), op, side, us * 1e-6, device);
                }
            }
        }
        let frame = rows.frame(None);
        let c = Comparison::new(&frame, &Setup::of(&frame, library()));
        let duel = Duel::new(&frame, &c, (0, 1), Measure::Rate, 0.02);
        assert!(!duel.is_clear());
        duel.exception(&frame, &c).unwrap()
    };
    for (by_device, field, value) in [
        (true, Field::Device, "AMD Instinct MI300X"),
        (false, Field::Column("model".into()), "large"),
    ] {
        let found = duel(by_device);
        assert_eq!(found.common, Common::Value(field, value.into()));
        let (others, lead) = found.others.unwrap();
        assert_eq!((found.gemms, others), (4, 4));
        assert!((found.lead - 2.0).abs() < 1e-9 && (lead - 5.0).abs() < 1e-9);
    }
}

#[test]
fn an_exception_counts_as_the_headline_does() {
    let row = |m: u32, trans: bool, us: f64| ((m, trans), us);
    let plain = |us| [256, 320, 384, 448].map(|m| row(m, false, us));
    let with = |plain: [_; 4], us: [f64; 3]| {
        let others = [256, 320, 384].into_iter().zip(us).map(|(m, us)| row(m, true, us));
        plain.into_iter().chain(others).collect::<Vec<_>>()
    };
    // 1 µs against 1 µs twice and 12 µs against 3 µs: 14 / 5 by time, the cube root of 4 by geometric mean.
    let frame =
        two_files(&with(plain(10.0), [1.0, 1.0, 12.0]), &with(plain(40.0), [1.0, 1.0, 3.0]));
    let c = Setup::choose(&frame, &Setup::candidates(&frame)).unwrap();
    let duel = Duel::new(&frame, &c, (0, 1), Measure::Rate, 0.02);
    let lead = duel.exception(&frame, &c).unwrap().lead;
    assert!((lead - 2.8).abs() < 1e-9, "{lead}");
}

#[test]
fn a_mean_of_one_names_no_winner() {
    let row = |m: u32, us: f64| ((m, false), us);
    let a = [row(256, 1.0), row(320, 1.0), row(1024, 1.0), row(2048, 100.0)];
    let b = [row(256, 1.03), row(320, 1.03), row(1024, 0.91), row(2048, 104.0)];
    let frame = two_files(&a, &b);
    let c = Setup::choose(&frame, &Setup::candidates(&frame)).unwrap();
    let duel = Duel::new(&frame, &c, (0, 1), Measure::Rate, 0.02);
    assert!(lead_of(duel.geometric_mean) < LEAST_LEAD && !duel.is_clear());
}

#[test]
fn labels_of_workloads_are_no_rivals_by_default() {
    let mut rows = Rows::new();
    let model = rows.table().text_column(ColumnMeaning::Model, "model");
    for (name, time_s) in [("qwen2.5-32b", 1e-6), ("qwen2.5-14b", 2e-6)] {
        rows.table().set_text(model, name.as_bytes());
        rows.row((64, 64, 64), "", time_s, "");
    }
    let frame = rows.frame(None);
    let candidates = Setup::candidates(&frame);
    assert_eq!(candidates.len(), 1);
    assert!(Setup::choose(&frame, &candidates).is_none());
    assert_eq!(Setup::lacks(&frame), Some(Lack::Sides));
}

#[test]
fn different_devices_are_judged_by_their_own_roofs() {
    let mut rows = Rows::new();
    // 50 % of 312 TFLOP/s against 25 % of 1307.4.
    let work = 2.0 * 8192f64.powi(3);
    rows.row((8192, 8192, 8192), "x", work / 156e12, "A100 SXM4 80GB");
    rows.row((8192, 8192, 8192), "y", work / (1307.4e12 / 4.0), "MI300X");
    let frame = rows.frame(None);
    let devices: Vec<bool> = frame.metrics.devices.iter().map(Option::is_some).collect();
    assert_eq!(devices, [false, true, true]);
    let c = Comparison::new(
        &frame,
        &Setup { keys: vec![Field::Shape, Field::Dtype], ..Setup::of(&frame, library()) },
    );
    let rate = Duel::new(&frame, &c, (0, 1), Measure::Rate, 0.02);
    let roof = Duel::new(&frame, &c, (0, 1), Measure::Roof, 0.02);
    assert!(rate.devices_differ && (rate.geometric_mean - 2.095).abs() < 0.001);
    assert!((roof.geometric_mean - 0.5).abs() < 1e-9);
}

#[test]
fn a_device_that_one_row_names_is_the_chosen_one_of_another() {
    let mut rows = Rows::new();
    rows.row((4096, 4096, 4096), "x", 2e-4, "AMD Instinct MI300X");
    rows.row((4096, 4096, 4096), "y", 3e-4, "");
    rows.row((8192, 8192, 8192), "y", 2e-3, "MI300X");
    let frame = rows.frame(Some("mi300x"));
    assert_eq!(frame.categories(&Field::Device).values.to_vec(), ["AMD Instinct MI300X"]);
    let c = Comparison::new(&frame, &Setup::of(&frame, library()));
    let duel = Duel::new(&frame, &c, (0, 1), Measure::Rate, 0.02);
    assert!(!duel.devices_differ && (duel.time_ratio - 1.5).abs() < 1e-9, "{duel:?}");
}

#[test]
fn a_cell_counts_its_configurations() {
    let mut rows = Rows::new();
    for k in [64, 128, 256] {
        rows.row((8, 16, k), "x", 1e-6, "");
        rows.row((8, 16, k), "y", if k == 256 { 0.5e-6 } else { 2e-6 }, "");
    }
    rows.row((8, 32, 64), "x", 1e-6, "");
    let frame = rows.frame(None);
    let c = Comparison::new(&frame, &Setup::of(&frame, library()));
    let cells = winner::cells(&frame, &c, (Size::N, Size::M), 0.02, |_| true);
    assert_eq!(cells.len(), 2);
    assert_eq!((cells[0].wins.as_slice(), cells[0].winner), (&[2, 1][..], Some(0)));
    // Twice as fast on the two that it wins; the third is the other side's.
    assert!((cells[0].margin - 2.0).abs() < 1e-12);
    assert_eq!((cells[0].other(), cells[1].other()), (Some(1), None));
    assert_eq!((cells[1].winner, cells[1].alone.len()), (None, 1));
    // As many wins for each is no winner, whatever the leads.
    let even = winner::cells(&frame, &c, (Size::N, Size::M), 0.02, |row| frame.data.k[row] != 64);
    assert_eq!((even[0].wins.as_slice(), even[0].winner), (&[1, 1][..], None));
}

#[test]
fn many_columns_as_keys_do_not_overflow() {
    let mut rows = Rows::new();
    let ids: Vec<_> = (0..12).map(|i| rows.table().auto_column(&format!("c{i}"))).collect();
    for i in 0..2000u32 {
        for (j, id) in ids.iter().enumerate() {
            let text = format!("{}", u64::from(i) * 7919 % (100 + j as u64 * 17));
            rows.table().set_auto(*id, text.as_bytes(), text.parse().ok());
        }
        rows.row((i % 50 + 1, 8, 8), if i % 2 == 0 { "x" } else { "y" }, 1e-6, "");
    }
    let frame = rows.frame(None);
    let mut setup = Setup::of(&frame, library());
    setup.keys.extend((0..12).map(|i| Field::Column(format!("c{i}"))));
    let c = Comparison::new(&frame, &setup);
    let total: u64 = c.configurations.iter().sum();
    assert!(total + c.ambiguous > 0 && c.matched <= total);
}

proptest! {
    #[test]
    fn counts_add_up(cells in proptest::collection::vec((1u32..4, 1u32..3, 0usize..3, 0.5..2.0f64, any::<bool>()), 1..60)) {
        let mut rows = Rows::new();
        let libs = ["x", "y", "z"];
        for (m, n, lib, t, ta) in &cells {
            let op = Operation::uniform(DataType::Fp16).with_layout(*ta, false);
            rows.typed((*m, *n, 8), op, libs[*lib], t * 1e-6, "");
        }
        let frame = rows.frame(Some("mi300x"));
        let Some(c) = Setup::choose(&frame, &Setup::candidates(&frame)) else { return Ok(()) };
        prop_assert_eq!((0..c.len()).filter(|i| c.samples(*i).len() > 1).count(), c.pairs_possible());
        for (side, n) in c.configurations.iter().enumerate() {
            prop_assert_eq!(*n, c.matched + c.unmatched[side]);
        }
        let tally = Tally::new(&c, 0.02, false);
        prop_assert_eq!(tally.fastest.iter().sum::<u64>(), tally.compared);
        for b in 1..c.setup.sides.len() {
            let there = Duel::new(&frame, &c, (0, b), Measure::Rate, 0.02);
            let back = Duel::new(&frame, &c, (b, 0), Measure::Rate, 0.02);
            prop_assert_eq!(there.counts.iter().sum::<u64>() as usize, there.ratios.len());
            prop_assert_eq!(there.count(DuelVerdict::A), back.count(DuelVerdict::B));
            if !there.ratios.is_empty() {
                prop_assert!((there.geometric_mean * back.geometric_mean - 1.0).abs() < 1e-9);
            }
        }
    }
}

#[test]
fn long_names_leave_out_what_they_share() {
    let start = "Cijk_Alik_Bljk_BBS_BH_Bias_HA_S_SAV_UserArgs_";
    let kernels = ["MT256x256x64_MI16x16x1_SN", "MT256x128x64_MI16x16x1_SN", "MT64x64x128_SN"];
    let names = kernels.map(|k| format!("{start}{k}")).into_iter().chain(["rocBLAS".to_owned()]);
    assert_eq!(
        super::told_apart(names.collect()),
        ["…MT256x256x64_MI16x16x1_SN", "…MT256x128x64_MI16x16x1_SN", "…MT64x64x128_SN", "rocBLAS"]
    );
    // A single name, or names without a common word, keep their ends.
    let one = super::told_apart(vec!["x".repeat(80), "y".repeat(60)]);
    assert!(one[0].starts_with("xxx") && one[0].contains('…') && one[0].chars().count() == 51);
}
