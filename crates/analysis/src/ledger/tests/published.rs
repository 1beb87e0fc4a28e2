//! The account of published times.

use super::*;
use gemmscope_model::reference::Precision;
use gemmscope_table::fixture::{on, published_h100 as h100};
use proptest::prelude::*;

fn bf16(sizes: (u32, u32, u32), library: &'static str, us: f64) -> Run {
    Run { op: Precision::Bf16.operation(), ..run(sizes, library, us) }
}

#[test]
fn what_others_take_less_comes_off_what_is_unexplained() {
    let frame = on(&table(&[bf16((4096, 4096, 4096), "a", 231.0)]), h100());
    let floor_us = h100().launch_floor().0 * 1e6;
    let ledger = Ledger::new(&frame);
    let us = |account| ledger.books[0].of(account).seconds * 1e6;
    // 166.1 µs ± 4.7 % of vLLM 0.24.0.
    assert!((us(Account::Published) - (231.0 - 166.1 * 1.047)).abs() < 0.2);
    assert!((us(Account::Roof) - 138.9).abs() < 0.1 && us(Account::Launch) == floor_us);
    let all: f64 = Account::ALL.map(us).iter().sum();
    assert!((all - 231.0).abs() < 1e-9);
    // 172 µs is within the error.
    let near = on(&table(&[bf16((4096, 4096, 4096), "a", 172.0)]), h100());
    assert_eq!(Ledger::new(&near).books[0].of(Account::Published).groups, 0);
}

#[test]
fn a_faster_run_comes_first() {
    let runs = [bf16((4096, 4096, 4096), "a", 300.0), bf16((4096, 4096, 4096), "b", 200.0)];
    let ledger = Ledger::new(&on(&table(&runs), h100()));
    let book = ledger.books.iter().find(|b| b.of(Account::Library).groups > 0).unwrap();
    assert!((book.of(Account::Library).seconds - 100e-6).abs() < 1e-12);
    assert!((book.of(Account::Published).seconds * 1e6 - (200.0 - 166.1 * 1.047)).abs() < 0.2);
}

proptest! {
    #[test]
    fn it_takes_from_what_is_unexplained_alone(
        runs in prop::collection::vec((1u32..6000, 1u32..9000, 1u32..9000, 0.2..20.0f64), 1..20),
    ) {
        // Up to five times the peak: rows over ten times are set aside.
        let us = |m: u32, n: u32, k: u32, roofs: f64| {
            3.0 + roofs * 2.0 * f64::from(m) * f64::from(n) * f64::from(k) / 989e6
        };
        let runs: Vec<Run> =
            runs.iter().map(|&(m, n, k, roofs)| bf16((m, n, k), "a", us(m, n, k, roofs))).collect();
        let rows = table(&runs);
        let without = h100();
        let without = Device { references: Default::default(), ..without };
        let (with, without) = (on(&rows, h100()), on(&rows, without));
        let [a, b] = [&with, &without].map(|f| Splitter::new(f, Partners::of(f)));
        for row in 0..runs.len() as u32 {
            let [a, b] = [a.of(row), b.of(row)].map(|entry| entry.unwrap().call);
            prop_assert!((a.total_s() - b.total_s()).abs() < 1e-12);
            for account in Account::ALL {
                let kept = !matches!(account, Account::Published | Account::Rest);
                prop_assert!(!kept || a.of(account) == b.of(account), "{account:?}");
                prop_assert!(a.of(account) >= 0.0);
            }
            prop_assert!(a.of(Account::Rest) <= b.of(Account::Rest));
        }
    }
}
