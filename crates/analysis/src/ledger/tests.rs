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
use std::sync::Arc;

mod properties;
mod published;

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

/// Books as `account seconds(µs) groups`.
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
    // 4096 x 4096 x 4160 is larger in one size.
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
    // For row 1 the 10 µs of the type are less than what is below the roof.
    assert_eq!(largest, [size, rest, rest, rest]);
    // The larger size at 220 is faster than NN at 250.
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
    // Distinct seconds, so that the two rows can be told apart.
    assert_eq!(alternative(300.0), (Account::Layout, 1, 203.0));
    // 1.5 % is a tie, so another layout is no reason.
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
    // Up to 2 % above the roof it is an alternative, and gives the roof time.
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
    // If only the slower kernel passes the filter, the faster one explains it.
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

/// Test vector: three libraries, two layouts, two types, one of them padded.
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

/// Test vector: changing the library alone is worth more than the ledger's split for it.
#[test]
fn what_a_change_saves_alone_and_with_another_one() {
    let big = (4096, 4096, 4096); // 105.124 µs at the roof
    let turned = Run { op: run(big, "", 0.0).op.with_layout(false, false), ..run(big, "a", 200.0) };
    // For the first, the layout saves 100 and the library 60; for the second, only the library saves 30.
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
    let left = |accounts: &[Account]| {
        let of = |account: &Account| Change { book: 0, account: *account, bound: None };
        let changes: Vec<Change> = accounts.iter().map(of).collect();
        let left = Ledger::left(&f, &partners, &changes);
        ((left.books[0].time_s * 1e9).round() / 1e3, us(left.books[0].of(Account::Layout)))
    };
    assert_eq!(left(&[]), (650.0, (100.0, 1)));
    // After the library's 240 µs, the layout's 200 still saves 40.
    assert_eq!(left(&[Account::Library]), (560.0, (40.0, 1)));
    assert_eq!(left(&[Account::Layout]), (550.0, (0.0, 0)));
    assert_eq!(left(&[Account::Layout, Account::Library]), (520.0, (0.0, 0)));
    // Plus three launches of 4.5 µs.
    assert_eq!(left(&[Account::Layout, Account::Launch]), (536.5, (0.0, 0)));
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
    // Exported as columns.
    let mut writer = CsvWriter::of(&f);
    let (head, line) = (writer.header(), writer.rows([0]));
    // Counted from the end, because text cells before may contain commas.
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
