//! Properties of the ledger on generated runs.

use super::*;
use proptest::prelude::*;

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

/// Name and number of GEMMs of a book, and seconds and GEMMs by account.
type Sums = (String, u64, Vec<(i64, u64)>);

/// Books in a comparable form; the order of rows changes the last digit of their seconds.
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

/// True if the [`sums`] differ at most by rounding.
fn alike(a: &Ledger, b: &Ledger) -> bool {
    let (a, b) = (sums(a), sums(b));
    a.len() == b.len()
        && a.iter().zip(&b).all(|(a, b)| {
            (&a.0, a.1) == (&b.0, b.1)
                && a.2.iter().zip(&b.2).all(|(a, b)| (a.0 - b.0).abs() <= 2 && a.1 == b.1)
        })
}

/// The same device with its rates divided by `factor`.
fn slower(factor: f64) -> Device {
    let mut device = by_id("mi300x").unwrap().clone();
    device.bandwidth_bytes_per_s /= factor;
    for p in &mut device.peaks {
        p.flops_per_s /= factor;
        p.achievable_flops_per_s = p.achievable_flops_per_s.map(|v| v / factor);
    }
    device
}

/// M, N and K on a grid, or one M after the other, all else equal.
fn sized(grid: bool, factor: &mut dyn FnMut(u32) -> f64) -> Vec<Run> {
    let sizes: Vec<(u32, u32, u32)> = match grid {
        false => (0..200).map(|i| (1024 + 4 * i, 4096, 4096)).collect(),
        true => (0..512)
            .map(|i| (512 + 100 * (i % 8), 500 * (2 + i / 8 % 8), 512 << (i / 64 % 3)))
            .chain((0..512).map(|i| (256 << (i % 8), 1024 + 4 * (i / 8 % 8), 512 << (i / 64 % 8))))
            .collect(),
    };
    let of = |(m, n, k): (u32, u32, u32), factor: f64| {
        let roof = 1e6 * 2.0 * f64::from(m) * f64::from(n) * f64::from(k) / 600e12;
        run((m, n, k), "", (8.0 + roof) * factor)
    };
    sizes.into_iter().map(|(m, n, k)| of((m, n, k), factor(if grid { n } else { m }))).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn times_that_no_size_explains_are_no_gain_by_padding(seed: u64, grid: bool, most in 1.5..4.0f64) {
        let mut state = seed;
        let mut random = move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 40) as f64 / f64::from(1u32 << 24)
        };
        let book = |runs: &[Run]| Ledger::new(&table(runs)).books[0].clone();
        let by_chance = book(&sized(grid, &mut |_| 1.2 + (most - 1.2) * random()));
        prop_assert!(by_chance.of(Account::Size).seconds > 0.0);
        let why = by_chance.scatter(Account::Size);
        prop_assert!(why.is_some(), "{:?}", by_chance.of(Account::Size));
        // A size that is no multiple of 8 is slow, and each time is off by a few percent.
        let cliff = book(&sized(grid, &mut |size| {
            (1.3 + 0.05 * random()) * if size % 8 == 0 { 1.0 } else { 1.5 }
        }));
        prop_assert_eq!(cliff.scatter(Account::Size), None);
    }
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
            // What is above its roof loses nothing, so the share is at least what is not lost.
            let kept = 1.0 - book.below_s / time;
            prop_assert!(book.share_of_roof().unwrap() >= kept - 1e-9);
            prop_assert!((book.lost_s() - book.below_s).abs() <= 1e-9 * time);
        }
    }

    #[test]
    fn order_changes_nothing(runs in runs(), kind in kinds(), seed: u64) {
        // With equal times the order decides between two equal runs, which changes no second.
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
        // Except the launch floor, a constant that is limited by the shortest call, which scales.
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
                // Other sides are unchanged.
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
                // Accounts without a measurement are saved too, down to the roof.
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
        // Its library is new, so it is a separate side and leaves the rows of the others as they are.
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

/// Fraction by which accounts without a measurement can shrink when a change within the tie of a faster one is made.
const TIE_SHARE: f64 = TIE - 1.0;

/// By account in the order of [`Account::MEASURED`]: the fastest run that counts and differs from a row only in that,
/// found by comparing it with every other row.
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
