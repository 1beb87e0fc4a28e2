use super::*;
use gemmscope_model::dtype::DataType;
use gemmscope_model::gemm::Operation;
use gemmscope_model::hardware::{Device, RoofKind, by_id};
use gemmscope_model::roofline::Bound;
use gemmscope_table::build::{Row, TableBuilder};
use gemmscope_table::data_kind::DataKind;
use gemmscope_table::field::Field;
use gemmscope_table::fixture;
use gemmscope_table::metrics::Metrics;
use gemmscope_table::native_csv::CsvWriter;
use proptest::prelude::*;
use std::sync::Arc;

/// What can limit a GEMM.
const BOUNDS: [Bound; 4] = [Bound::Memory, Bound::NearRidge, Bound::Compute, Bound::Launch];

/// A run on an MI300X: sizes, layout, type, library, kernel, calls, µs.
#[derive(Clone, Debug)]
struct Run {
    sizes: (u32, u32, u32),
    op: Operation,
    library: &'static str,
    kernel: &'static str,
    calls: Option<f64>,
    us: f64,
}

/// An fp16 run in NT.
fn run(sizes: (u32, u32, u32), library: &'static str, us: f64) -> Run {
    let op = Operation::uniform(DataType::Fp16).with_layout(false, true);
    Run { sizes, op, library, kernel: "", calls: None, us }
}

fn table(runs: &[Run]) -> Frame {
    let mut t = TableBuilder::new();
    let library = t.text_column(ColumnMeaning::Library, "library");
    let kernel = t.text_column(ColumnMeaning::Kernel, "kernel");
    let count = t.number_column(ColumnMeaning::Count, "count");
    for (line, run) in (2u32..).zip(runs) {
        t.set_text(library, run.library.as_bytes());
        t.set_text(kernel, run.kernel.as_bytes());
        if let Some(calls) = run.calls {
            t.set_number(count, calls);
        }
        let (m, n, k) = run.sizes;
        t.commit(line, b"", Ok(Row::new(m, n, k, run.op, run.us * 1e-6)));
    }
    fixture::frame(t.finish(), Some("mi300x"))
}

/// The books as `account seconds(µs) groups`.
fn words(ledger: &Ledger) -> Vec<String> {
    let line = |b: &Book| {
        let parts: Vec<String> = Account::ALL
            .into_iter()
            .filter(|a| b.of(*a).groups > 0)
            .map(|a| format!("{} {:.3} ({})", a.key(), b.of(a).seconds * 1e6, b.of(a).groups))
            .collect();
        format!("{}: {:.3} = {}", b.side, b.time_s * 1e6, parts.join(" + "))
    };
    ledger.books.iter().map(line).collect()
}

#[test]
fn each_kind_of_alternative_takes_its_account() {
    let big = (4096, 4096, 4096); // 105.124 µs at the roof
    let turned = Run { op: run(big, "", 0.0).op.with_layout(false, false), ..run(big, "a", 250.0) };
    let other = Run { op: Operation::uniform(DataType::Bf16), ..turned.clone() };
    let other = Run { us: 240.0, ..other };
    // 4096 x 4096 x 4160 is one size larger.
    let larger = Run { us: 220.0, ..run((4096, 4096, 4160), "a", 0.0) };
    let f = table(&[run(big, "a", 500.0), turned, other, larger]);
    let of = |row: u32| {
        let partners = Partners::of(&f);
        let entry = Splitter::new(&f, partners.clone()).of(row).unwrap();
        entry.alternative.map(|a| (a.account, a.row, (a.call_s * 1e6).round()))
    };
    let splitter = Splitter::new(&f, Partners::of(&f));
    let largest = [0, 1, 2, 3].map(|row| splitter.of(row)?.call.largest_loss());
    let (size, rest) = (Some(Account::Size), Some(Account::Rest));
    // Of row 1 the 10 µs of the type are less than what is below the roof.
    assert_eq!(largest, [size, rest, rest, rest]);
    // Of NN with 250 and the larger size with 220 the faster one.
    assert_eq!(of(0), Some((Account::Size, 3, 220.0)));
    assert_eq!(of(1), Some((Account::Type, 2, 240.0)));
    assert_eq!(of(2), None);
    assert_eq!(of(3), None);
}

#[test]
fn within_two_percent_of_the_fastest_the_smallest_change_counts() {
    let big = (4096, 4096, 4096);
    let layout = Run { op: run(big, "", 0.0).op.with_layout(true, true), ..run(big, "a", 203.0) };
    let alternative = |time_us: f64| {
        let f = table(&[run(big, "a", time_us), layout.clone(), run(big, "b", 200.0)]);
        let partners = Partners::of(&f);
        let a = Splitter::new(&f, partners).of(0).unwrap().alternative.unwrap();
        (a.account, a.row, (a.call_s * 1e6).round())
    };
    // With its own seconds, so that the difference can be seen in the two rows.
    assert_eq!(alternative(300.0), (Account::Layout, 1, 203.0));
    // 1.5 % are no difference: another layout is then no reason.
    assert_eq!(alternative(206.0), (Account::Library, 2, 200.0));
}

#[test]
fn a_run_above_its_roof_is_nobodys_alternative() {
    let big = (4096, 4096, 4096);
    let above = |us: f64| {
        let f =
            table(&[run(big, "a", 300.0), run(big, "b", us)]).as_kind(Some(DataKind::Benchmark));
        let partners = Partners::of(&f);
        Splitter::new(&f, partners.clone()).of(0).unwrap().alternative
    };
    assert_eq!(above(100.0), None);
    // Up to 2 % above the roof it is one, and gives the roof time.
    let roof = above(104.0).unwrap();
    assert!((roof.call_s * 1e6 - 105.124).abs() < 1e-3, "{roof:?}");
}

#[test]
fn a_spread_hides_a_difference() {
    let mut t = TableBuilder::new();
    let library = t.text_column(ColumnMeaning::Library, "library");
    let std = t.number_column(ColumnMeaning::TimeStd, "std");
    for (line, name, us, spread) in [(2, "a", 300.0, 20.0), (3, "b", 290.0, 5.0)] {
        t.set_text(library, str::as_bytes(name));
        t.set_number(std, spread * 1e-6);
        let op = Operation::uniform(DataType::Fp16);
        t.commit(line, b"", Ok(Row::new(4096, 4096, 4096, op, us * 1e-6)));
    }
    let f = fixture::frame(t.finish(), Some("mi300x"));
    let partners = Partners::of(&f);
    assert_eq!(Splitter::new(&f, partners.clone()).of(0).unwrap().alternative, None);
}

#[test]
fn a_workload_counts_its_calls_and_a_slow_kernel() {
    let big = (4096, 4096, 4096);
    let call = |kernel, us, calls| Run { kernel, calls: Some(calls), ..run(big, "a", us) };
    let f = table(&[call("slow", 300.0, 10.0), call("fast", 200.0, 1.0)]);
    assert_eq!(f.kind(), DataKind::Workload);
    // 10 calls of 100 µs more; the rest is below the roof: 11 x (200 - 105.124 - 4.5).
    assert_eq!(
        words(&Ledger::new(&f)),
        [
            ": 3200.000 = roof 1156.363 (1) + kernel 1000.000 (1) + launch 49.500 (1) + rest 994.137 (1)"
        ]
    );
}

#[test]
fn a_sweep_counts_the_fastest_and_the_tile_what_it_costs() {
    let sizes = (1025, 1025, 8192);
    let f = table(&[
        Run { kernel: "Cijk_Ailk_Bljk_HHS_BH_MT64x128x64_MI16x16x16x1", ..run(sizes, "a", 60.0) },
        Run { kernel: "Cijk_Ailk_Bljk_HHS_BH_MT128x128x64_MI16x16x16x1", ..run(sizes, "a", 90.0) },
    ]);
    assert_eq!(f.kind(), DataKind::Sweep);
    // 13.166 µs at the roof; 153 workgroups of 304 units: 31.2 µs at the roof of the tile.
    assert_eq!(
        words(&Ledger::new(&f)),
        [": 60.000 = roof 13.166 (1) + tile 18.042 (1) + launch 4.500 (1) + rest 24.291 (1)"]
    );
    // Filtered to the slower kernel, the faster one explains it.
    let slow = f.with_rows(Arc::new(vec![1]));
    let kernel = Ledger::new(&slow).books[0].of(Account::Kernel);
    assert!((kernel.seconds - 30e-6).abs() < 1e-12 && kernel.groups == 1);
}

#[test]
fn without_a_device_only_measured_alternatives_are_known() {
    let big = (4096, 4096, 4096);
    let runs = [run(big, "a", 300.0), run(big, "b", 200.0)];
    let f = table(&runs);
    let f = f.with_metrics(Arc::new(Metrics::compute(&f.data, vec![None], RoofKind::Datasheet)));
    let ledger = Ledger::new(&f);
    assert_eq!(
        words(&ledger),
        [
            "a: 300.000 = no_roof 200.000 (1) + library 100.000 (1)",
            "b: 200.000 = no_roof 200.000 (1)"
        ]
    );
    assert_eq!(ledger.books[0].share_of_roof(), None);
    assert!((ledger.books[0].lost_s() - 100e-6).abs() < 1e-12);
}

/// A vector: three libraries, two layouts, two types, one of them padded.
#[test]
fn three_sides() {
    let op = |t: DataType, a: bool| Operation::uniform(t).with_layout(a, true);
    let row = |sizes, t, a, library, us| Run { op: op(t, a), ..run(sizes, library, us) };
    let (x, y) = ((2048, 2048, 4096), (2048, 2048, 4128));
    let (h, b) = (DataType::Fp16, DataType::Bf16);
    let f = table(&[
        row(x, h, false, "hipBLASLt", 60.0),
        row(x, h, true, "hipBLASLt", 90.0),
        row(x, b, false, "hipBLASLt", 61.0),
        row(y, h, false, "hipBLASLt", 55.0),
        row(x, h, false, "rocBLAS", 50.0),
        row(x, h, true, "rocBLAS", 70.0),
        row(y, h, false, "rocBLAS", 58.0),
        row(x, h, false, "IREE", 500.0),
        row(y, h, false, "IREE", 3.0),
    ]);
    assert_eq!(
        words(&Ledger::new(&f)),
        [
            "hipBLASLt: 266.000 = roof 105.329 (4) + layout 30.000 (1) + library 10.000 (1) + launch 12.000 (4) + rest 108.671 (4)",
            "rocBLAS: 178.000 = roof 79.048 (3) + layout 20.000 (1) + library 3.000 (1) + launch 9.000 (3) + rest 66.952 (3)",
            "IREE: 503.000 = roof 29.281 (2) + library 450.000 (1) + launch 3.000 (1) + rest 20.719 (1)",
        ]
    );
}

/// A vector: a change of one library is worth more alone than what the ledger counts under it.
#[test]
fn what_a_change_saves_alone_and_with_another_one() {
    let big = (4096, 4096, 4096); // 105.124 µs at the roof
    let turned = Run { op: run(big, "", 0.0).op.with_layout(false, false), ..run(big, "a", 200.0) };
    // Of the first the layout saves 100 and the library 60; of the second the library 30 alone.
    let small = (2048, 4096, 4096); // 52.562 µs
    let f = table(&[
        run(big, "a", 300.0),
        turned,
        run(big, "b", 240.0),
        run(small, "a", 150.0),
        run(small, "b", 120.0),
    ]);
    let f = f.as_kind(Some(DataKind::Sides));
    let partners = Partners::of(&f);
    let ledger = Ledger::of(&f, &partners);
    let a = &ledger.books[0];
    let us = |s: Sum| ((s.seconds * 1e9).round() / 1e3, s.groups);
    assert_eq!([us(a.of(Account::Library)), us(a.of(Account::Layout))], [(30.0, 1), (100.0, 1)]);
    assert_eq!(
        [us(a.alone(Account::Library)), us(a.alone(Account::Layout))],
        [(90.0, 2), (100.0, 1)]
    );
    assert_eq!(a.alone_words().as_deref(), Some("alone layout saves 100 µs, library 90.0 µs"));
    let left = |accounts: &[Account]| {
        let of = |account: &Account| Change { book: 0, account: *account, bound: None };
        let changes: Vec<Change> = accounts.iter().map(of).collect();
        let left = Ledger::left(&f, &partners, &changes);
        ((left.books[0].time_s * 1e9).round() / 1e3, us(left.books[0].of(Account::Layout)))
    };
    assert_eq!(left(&[]), (650.0, (100.0, 1)));
    // With the library's 240 µs there are 40 left to the layout's 200.
    assert_eq!(left(&[Account::Library]), (560.0, (40.0, 1)));
    assert_eq!(left(&[Account::Layout]), (550.0, (0.0, 0)));
    assert_eq!(left(&[Account::Layout, Account::Library]), (520.0, (0.0, 0)));
    // Three launches of 4.5 µs besides.
    assert_eq!(left(&[Account::Layout, Account::Launch]), (536.5, (0.0, 0)));
}

fn runs() -> impl Strategy<Value = Vec<Run>> {
    let sizes = (1u32..4, 1u32..4, 1u32..4).prop_map(|(m, n, k)| (256 * m, 320 * n, 512 * k));
    let op = (0u8..3, 0u8..4).prop_map(|(t, l)| {
        let t = [DataType::Fp16, DataType::Bf16, DataType::Fp8E4m3][usize::from(t)];
        Operation::uniform(t).with_layout(l & 1 == 1, l & 2 == 2)
    });
    let kernel = 0usize..3;
    let one = (sizes, op, 0usize..3, kernel, 2.0..200.0f64).prop_map(|(sizes, op, l, k, us)| Run {
        sizes,
        op,
        library: ["a", "b", "c"][l],
        kernel: ["k_MT128x128x32_1", "k_MT64x96x32_1", ""][k],
        calls: None,
        us: (us * 8.0).round() / 8.0,
    });
    prop::collection::vec(one, 1..40)
}

fn kinds() -> impl Strategy<Value = DataKind> {
    prop::sample::select(DataKind::ALL.to_vec())
}

/// Name, GEMMs, and seconds and GEMMs by account of a book.
type Sums = (String, u64, Vec<(i64, u64)>);

/// The books for comparison; the order of the rows changes the last digit of their seconds.
fn sums(ledger: &Ledger) -> Vec<Sums> {
    let of = |b: &Book| {
        let each = b.accounts.iter().chain(&b.alone);
        let each = each.map(|s| ((s.seconds * 1e13).round() as i64, s.groups));
        (format!("{} {}", b.side, b.device), b.groups, each.collect())
    };
    let mut out: Vec<_> = ledger.books.iter().map(of).collect();
    out.sort();
    out
}

/// [`sums`] that differ by rounding at most.
fn alike(a: &Ledger, b: &Ledger) -> bool {
    let (a, b) = (sums(a), sums(b));
    a.len() == b.len()
        && a.iter().zip(&b).all(|(a, b)| {
            (&a.0, a.1) == (&b.0, b.1)
                && a.2.iter().zip(&b.2).all(|(a, b)| (a.0 - b.0).abs() <= 2 && a.1 == b.1)
        })
}

/// The same device, its rates divided by `factor`.
fn slower(factor: f64) -> Device {
    let mut device = by_id("mi300x").unwrap().clone();
    device.bandwidth_bytes_per_s /= factor;
    for p in &mut device.peaks {
        p.flops_per_s /= factor;
        p.achievable_flops_per_s = p.achievable_flops_per_s.map(|v| v / factor);
    }
    device
}

proptest! {
    #[test]
    fn accounts_add_up(runs in runs(), kind in kinds(), achievable: bool) {
        let f = table(&runs).as_kind(Some(kind));
        let roof = if achievable { RoofKind::Achievable } else { RoofKind::Datasheet };
        let metrics = Metrics::compute(&f.data, vec![by_id("mi300x").cloned()], roof);
        let f = f.with_metrics(Arc::new(metrics));
        let partners = Partners::of(&f);
        let splitter = Splitter::new(&f, partners.clone());
        for row in 0..f.data.len() as u32 {
            let entry = splitter.of(row).unwrap();
            let time = f.data.time_s[row as usize];
            prop_assert!((entry.call.total_s() - time).abs() <= 1e-9 * time);
            prop_assert!(entry.call.0.iter().all(|s| *s >= 0.0));
            let roof = f.metrics.roof_s[row as usize];
            let lost = (time - roof).max(0.0);
            prop_assert!((entry.call.lost_s() - lost).abs() <= 1e-9 * time);
            if let Some(a) = entry.alternative {
                prop_assert!(f.data.time_s[a.row as usize] < time);
            }
        }
        for (book, side) in Ledger::of(&f, &partners).books.iter().zip(&f.counted().sides) {
            let time: f64 = side.rows.iter().map(|r| f.data.time_s[*r as usize]).sum();
            prop_assert!((book.time_s - time).abs() <= 1e-9 * time);
            let all: f64 = book.accounts.iter().map(|s| s.seconds).sum();
            prop_assert!((all - time).abs() <= 1e-9 * time);
            prop_assert!((book.lost_s() - (1.0 - book.share_of_roof().unwrap()) * time).abs() <= 1e-9 * time);
        }
    }

    #[test]
    fn order_changes_nothing(runs in runs(), kind in kinds(), seed: u64) {
        // Equal times make the choice between two equal runs, which changes no second.
        let mut shuffled = runs.clone();
        let n = shuffled.len();
        let mut state = seed | 1;
        for i in (1..n).rev() {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            shuffled.swap(i, (state >> 33) as usize % (i + 1));
        }
        let of = |runs: &[Run]| Ledger::new(&table(runs).as_kind(Some(kind)));
        let (a, b) = (of(&runs), of(&shuffled));
        let distinct = { let mut t: Vec<u64> = runs.iter().map(|r| r.us.to_bits()).collect(); t.sort_unstable(); t.windows(2).all(|w| w[0] != w[1]) };
        if distinct {
            prop_assert!(alike(&a, &b), "{:?} is not {:?}", words(&a), words(&b));
        } else {
            let total = |l: &Ledger| l.books.iter().map(|b| b.time_s).sum::<f64>();
            prop_assert!((total(&a) - total(&b)).abs() < 1e-12);
        }
    }

    #[test]
    fn times_and_roofs_scaled_together_scale_the_ledger(runs in runs(), kind in kinds()) {
        // All but the launch, which is a constant: it is no more than the shortest call, which scales.
        let runs: Vec<Run> = runs.into_iter().chain([run((8, 8, 8), "a", 0.5)]).collect();
        let longer: Vec<Run> = runs.iter().map(|r| Run { us: 4.0 * r.us, ..r.clone() }).collect();
        let of = |runs: &[Run], factor: f64| {
            let f = table(runs).as_kind(Some(kind));
            let metrics = Metrics::compute(&f.data, vec![Some(slower(factor))], RoofKind::Datasheet);
            Ledger::new(&f.with_metrics(Arc::new(metrics)))
        };
        let (a, b) = (of(&runs, 1.0), of(&longer, 4.0));
        for (a, b) in a.books.iter().zip(&b.books) {
            for (a, b) in a.accounts.iter().chain(&a.alone).zip(b.accounts.iter().chain(&b.alone)) {
                prop_assert!((4.0 * a.seconds - b.seconds).abs() < 1e-12 && a.groups == b.groups);
            }
        }
    }

    #[test]
    fn partners_are_the_same_by_hand(runs in runs(), kind in kinds()) {
        let f = table(&runs).as_kind(Some(kind));
        let partners = Partners::of(&f);
        let splitter = Splitter::new(&f, partners.clone());
        let ps = |s: f64| (s * 1e12).round();
        for row in f.counted().all().iter() {
            let r = *row as usize;
            let entry = splitter.of(*row).unwrap();
            let by_hand = by_hand(&f, &partners, r);
            let found: Vec<_> =
                entry.alternatives.iter().flatten().map(|a| (a.account, ps(a.call_s))).collect();
            let time_s = f.data.time_s[r];
            let least_s = time_s.min(f.metrics.roof_s[r]);
            let call_s = |run_s: f64| run_s.max(least_s);
            let counted: Vec<_> = by_hand.iter().map(|(a, s)| (*a, ps(call_s(*s)))).collect();
            prop_assert_eq!(found, counted);
            let fastest_s = by_hand.iter().map(|a| a.1).fold(f64::INFINITY, f64::min);
            let chosen = by_hand.iter().find(|a| a.1 <= TIE * fastest_s);
            prop_assert_eq!(
                entry.alternative.map(|a| (a.account, ps(a.call_s))),
                chosen.map(|(a, s)| (*a, ps(call_s(*s))))
            );
            for (account, run_s) in by_hand {
                prop_assert_eq!(ps(entry.alone_s(account)), ps(time_s - call_s(run_s)));
            }
        }
    }

    #[test]
    fn alone_is_at_least_the_split(runs in runs(), kind in kinds()) {
        let f = table(&runs).as_kind(Some(kind));
        for book in Ledger::new(&f).books {
            for account in Account::ALL {
                let [split, alone] = [book.of(account), book.alone(account)];
                match account.evidence() {
                    Evidence::Measured => prop_assert!(
                        alone.seconds >= split.seconds && alone.groups >= split.groups
                    ),
                    _ => prop_assert_eq!(alone, split),
                }
            }
        }
    }

    #[test]
    fn a_change_by_itself_saves_what_it_saves_alone(runs in runs(), kind in kinds()) {
        let f = table(&runs).as_kind(Some(kind));
        let partners = Partners::of(&f);
        let ledger = Ledger::of(&f, &partners);
        for (at, book) in ledger.books.iter().enumerate() {
            for account in Account::ALL.into_iter().filter(|a| a.is_lost()) {
                let bounds: &[Option<Bound>] = match account {
                    Account::Rest => &BOUNDS.map(Some),
                    _ => &[None],
                };
                let changes: Vec<Change> =
                    bounds.iter().map(|bound| Change { book: at, account, bound: *bound }).collect();
                let left = &Ledger::left(&f, &partners, &changes).books;
                let saved_s = book.time_s - left[at].time_s;
                prop_assert!((saved_s - book.alone(account).seconds).abs() <= 1e-9 * book.time_s);
                // The other sides keep theirs.
                let others = ledger.books.iter().zip(left).enumerate().filter(|(i, _)| *i != at);
                for (_, (a, b)) in others {
                    prop_assert!((a.time_s - b.time_s).abs() <= 1e-9 * a.time_s);
                }
            }
        }
    }

    #[test]
    fn changes_together_take_the_fastest_run_that_they_allow(
        runs in runs(),
        kind in kinds(),
        accounts in prop::sample::subsequence(Account::ALL.to_vec(), 0..=Account::COUNT),
    ) {
        let f = table(&runs).as_kind(Some(kind));
        let partners = Partners::of(&f);
        let ledger = Ledger::of(&f, &partners);
        let splitter = Splitter::new(&f, partners.clone());
        let lost: Vec<Account> = accounts.into_iter().filter(|a| a.is_lost()).collect();
        let bounds = |a: Account| match a {
            Account::Rest => BOUNDS.map(Some).to_vec(),
            _ => vec![None],
        };
        let of_book = |book: usize| {
            lost.iter().flat_map(move |a| bounds(*a).into_iter().map(move |bound| Change {
                book,
                account: *a,
                bound,
            }))
        };
        let changes: Vec<Change> = (0..ledger.books.len()).flat_map(of_book).collect();
        let left = Ledger::left(&f, &partners, &changes);
        for ((book, left), set) in ledger.books.iter().zip(&left.books).zip(f.sets()) {
            let mut time_s = 0.0;
            for row in &set.rows {
                let entry = splitter.of(*row).unwrap();
                let run_s = f.data.time_s[*row as usize];
                let roof_s = run_s.min(f.metrics.roof_s[*row as usize]);
                let fastest_s = by_hand(&f, &partners, *row as usize)
                    .into_iter()
                    .filter(|(a, _)| lost.contains(a))
                    .map(|(_, s)| s.max(roof_s))
                    .fold(run_s, f64::min);
                // What nothing measured comes off too, up to the roof.
                let modelled = lost.iter().filter(|a| a.evidence() != Evidence::Measured);
                let split_s: f64 = modelled.map(|a| entry.call.of(*a)).sum();
                time_s += (fastest_s - split_s).max(roof_s);
            }
            prop_assert!((left.time_s - time_s).abs() <= TIE_SHARE * book.time_s, "{} {}", left.time_s, time_s);
            if lost.iter().all(|a| a.evidence() == Evidence::Measured) {
                prop_assert!((left.time_s - time_s).abs() <= 1e-9 * book.time_s);
            }
            let parts: f64 = left.accounts.iter().map(|s| s.seconds).sum();
            prop_assert!((parts - left.time_s).abs() <= 1e-9 * book.time_s);
            prop_assert!(lost.iter().all(|a| left.of(*a).seconds <= 1e-9 * book.time_s));
        }
    }

    #[test]
    fn a_faster_twin_moves_time_and_adds_none(runs in runs(), at: prop::sample::Index, share in 0.3..0.97f64) {
        // Its library is new, so it is a side of its own and leaves the others' rows as they are.
        let f = table(&runs).as_kind(Some(DataKind::Sides));
        let of = &runs[at.index(runs.len())];
        let twin = Run { library: "twin", us: of.us * share, ..of.clone() };
        let more: Vec<Run> = runs.iter().cloned().chain([twin]).collect();
        let g = table(&more).as_kind(Some(DataKind::Sides));
        let (a, b) = (Ledger::new(&f), Ledger::new(&g));
        for a in a.books.iter().filter(|b| !b.side.is_empty()) {
            let Some(b) = b.books.iter().find(|b| b.side == a.side) else { continue };
            prop_assert!((a.time_s - b.time_s).abs() < 1e-12);
            if f.kind() == DataKind::Sides {
                let (la, lb) = (a.lost_s(), b.lost_s());
                prop_assert!((la - lb).abs() < 1e-12);
                prop_assert!(b.of(Account::Library).seconds + 1e-12 >= a.of(Account::Library).seconds);
            }
        }
    }

    #[test]
    fn a_filter_changes_no_row(runs in runs(), kind in kinds()) {
        let f = table(&runs).as_kind(Some(kind));
        let even: Vec<u32> = (0..f.data.len() as u32).filter(|r| r % 2 == 0).collect();
        let half = f.with_rows(Arc::new(even.clone()));
        let (a, b) = (Partners::of(&f), Partners::of(&half));
        prop_assert_eq!(&a, &b);
        let (a, b) = (Splitter::new(&f, a), Splitter::new(&half, b));
        for row in even {
            prop_assert_eq!(a.of(row), b.of(row));
        }
    }
}

/// Accounts that nothing measured can hold so much less once a change within the tie of a faster one is made.
const TIE_SHARE: f64 = TIE - 1.0;

/// The fastest run that differs from a row in one thing alone, by account in the order of [`Account::MEASURED`], of
/// those that count; by comparing it with every other row.
fn by_hand(f: &Frame, partners: &Partners, r: usize) -> Vec<(Account, f64)> {
    let d = &*f.data;
    let library = |r: usize| d.text(ColumnMeaning::Library, r).to_owned();
    let kernel = |r: usize| d.text(ColumnMeaning::Kernel, r).to_owned();
    let sizes = |r: usize| [d.m[r], d.n[r], d.k[r]];
    let mut fastest = Account::MEASURED.map(|account| (account, f64::INFINITY));
    for o in partners.groups.iter().map(|g| g.own).filter(|o| *o != partners::NONE) {
        let o = o as usize;
        let (a, b) = (d.problem(r).op, d.problem(o).op);
        let roof = f.metrics.roof_s[o];
        if d.time_s[o] < roof / TIE {
            continue;
        }
        let types = a.with_layout(false, false) != b.with_layout(false, false);
        let wider = sizes(r).iter().zip(sizes(o)).filter(|(a, b)| **a != *b).count();
        let larger = sizes(r).iter().zip(sizes(o)).all(|(a, b)| *a <= b);
        let differs = [
            (library(r) != library(o), Account::Library),
            (a.layout() != b.layout(), Account::Layout),
            (types, Account::Type),
            (wider > 0, Account::Size),
        ];
        let one: Vec<Account> = differs.iter().filter(|d| d.0).map(|d| d.1).collect();
        let account = match one.as_slice() {
            [] if kernel(r) != kernel(o) => Account::Kernel,
            [Account::Type] if f.metrics.roof_s[r] != roof => continue,
            [Account::Size] if wider != 1 || !larger => continue,
            [one] => *one,
            _ => continue,
        };
        let of = fastest.iter_mut().find(|(a, _)| *a == account).unwrap();
        of.1 = of.1.min(d.time_s[o]);
    }
    let t = d.time_s[r];
    let least_s = t.min(f.metrics.roof_s[r]);
    fastest.into_iter().filter(|(_, s)| t > TIE * s && s.max(least_s) < t).collect()
}

#[test]
fn every_bar_shows_what_is_needed_first_then_causes_and_last_what_has_none() {
    let big = (4096, 4096, 4096);
    let turned = Run { op: run(big, "", 0.0).op.with_layout(false, false), ..run(big, "a", 250.0) };
    let f = table(&[run(big, "a", 500.0), turned]);
    let f = f.as_kind(Some(DataKind::Workload));
    let order = [Account::Roof, Account::Layout, Account::Launch, Account::Rest];
    let [book] = &Ledger::new(&f).books[..] else { panic!("one book") };
    assert_eq!(book.each().map(|(a, _)| a).collect::<Vec<_>>(), order);
    let call = Splitter::new(&f, Partners::of(&f)).of(0).unwrap().call;
    assert_eq!(call.each().map(|(a, _)| a).collect::<Vec<_>>(), order);
}

#[test]
fn accounts_are_columns_of_the_table() {
    let big = (4096, 4096, 4096);
    let turned = Run { op: run(big, "", 0.0).op.with_layout(false, false), ..run(big, "a", 250.0) };
    let slow = Run { calls: Some(3.0), ..run(big, "a", 500.0) };
    let f = table(&[slow, turned]);
    assert!(f.fields().iter().all(|i| i.field != field_of(Account::Layout)));
    let f = f.as_kind(Some(DataKind::Workload)).with_derived(Columns::new());
    let value = |account: Account, row: usize| f.numbers(&field_of(account))(row) * 1e6;
    // 500 - 250 µs, three times.
    assert!((value(Account::Layout, 0) - 750.0).abs() < 1e-9);
    assert_eq!(value(Account::Layout, 1), 0.0);
    let all: f64 = Account::ALL.into_iter().map(|a| value(a, 0)).sum();
    assert!((all - 1500.0).abs() < 1e-9, "{all}");
    assert_eq!(f.numbers(&Field::Calls)(0), 3.0);
    let largest = f.categories(&Field::Column(LARGEST_LOSS.to_owned()));
    let text = |row: usize| largest.values[largest.codes.get(row) as usize].as_str();
    assert_eq!([text(0), text(1)], ["layout", "unexplained"]);
    let title = |f: &Frame| f.info(&field_of(Account::Rest)).map(|i| i.label);
    assert_eq!(title(&f).as_deref(), Some("Unexplained"));
    // Exported, they are columns of their own.
    let mut writer = CsvWriter::of(&f);
    let (head, line) = (writer.header(), writer.rows([0]));
    // From the end: a cell of text before them may hold commas.
    let at = head.trim().rsplit(',').position(|name| name == "ledger.layout_s").expect("a column");
    let cell = line.trim().rsplit(',').nth(at).and_then(|c| c.parse::<f64>().ok());
    assert!((cell.unwrap_or(0.0) - 750e-6).abs() < 1e-12, "{line}");
}

#[test]
fn several_runs_that_show_both_ways_are_scatter() {
    // Medians of 130 and 100 µs: the runs of N = 2048 lie between 90 and `slowest` µs.
    let of = |slowest: f64| {
        let mut t = fixture::Rows::new();
        for (n, times) in [(1024, [110.0, 130.0, 160.0]), (2048, [90.0, 100.0, slowest])] {
            for us in times {
                t.row((512, n, 512), "", us * 1e-6, "");
            }
        }
        let ledger = Ledger::new(&t.frame(Some("mi300x")));
        assert!(ledger.books[0].of(Account::Size).seconds > 0.0);
        ledger.books[0].scatter(Account::Size)
    };
    assert_eq!(of(140.0), Some(Scatter::Runs));
    assert_eq!(of(105.0), None);
}
