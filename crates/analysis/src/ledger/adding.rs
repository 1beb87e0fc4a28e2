//! Adds up the accounts of rows, one book per side and device.

use super::{Account, Book, Change, Entry, Ledger, Runs, Splitter, change, scatter};
use gemmscope_model::pass;
use gemmscope_table::data_kind::CountedSet;
use gemmscope_table::dataset::Source;
use gemmscope_table::field::Frame;
use gemmscope_table::metrics::Typical;

/// A row while it is added up.
pub struct Posting<'p> {
    /// The row.
    pub row: u32,
    /// Index of its book.
    pub book: usize,
    /// Number of calls.
    pub calls: f64,
    /// Its accounts.
    pub entry: &'p Entry,
}

/// Time of GEMMs without a known shape, by source. Each source counts once, for the first set with a row of it, and
/// only if all rows pass, because filters do not apply to GEMMs without rows.
struct WithoutShape<'a> {
    sources: &'a [u16],
    time_s: Vec<f64>,
}

impl<'a> WithoutShape<'a> {
    fn new(frame: &'a Frame) -> WithoutShape<'a> {
        let all = frame.rows.len() == frame.data.len();
        let time = |s: &Source| if all { s.without_model.time_s } else { 0.0 };
        let time_s = frame.data.sources.iter().map(time).collect();
        WithoutShape { sources: &frame.data.source, time_s }
    }

    fn of(&mut self, set: &CountedSet) -> f64 {
        if self.time_s.iter().all(|s| *s == 0.0) {
            return 0.0;
        }
        let sources = set.rows.iter().map(|r| usize::from(self.sources[*r as usize]));
        sources.filter_map(|s| self.time_s.get_mut(s).map(std::mem::take)).sum()
    }
}

/// Rows whose groups are read together, so that their cache misses overlap.
const BLOCK: usize = 64;

impl Ledger {
    /// Adds up the rows that count and pass the filters, after `changes`; calls `each` for every row. Awaits `pause`
    /// every few thousand rows.
    pub async fn add_up(
        splitter: &Splitter<'_>,
        changes: &[Change],
        mut each: impl FnMut(&Posting<'_>),
        pause: &impl AsyncFn(),
    ) -> Ledger {
        let sets = splitter.frame.sets();
        let mut adding = Adding::new(splitter, changes, &sets);
        for (book, set) in sets.iter().enumerate() {
            // A group in two sets counts in both.
            adding.seen.fill(0);
            for rows in set.rows.chunks(pass::ROWS) {
                rows.chunks(BLOCK).for_each(|block| adding.add_block(book, block, &mut each));
                pause().await;
            }
        }
        adding.finish()
    }
}

/// A [`Ledger`] under construction.
struct Adding<'s, 'a> {
    splitter: &'s Splitter<'a>,
    /// Changes applied to each row before it is added.
    changes: &'s [Change],
    /// By group, bits for the current set: accounts with time in it; accounts with an alternative that counts; and the
    /// group itself.
    seen: Vec<u32>,
    properties: scatter::Properties<'a>,
    /// Gains by book.
    gains: Vec<scatter::Gains>,
    books: Vec<Book>,
}

impl<'s, 'a> Adding<'s, 'a> {
    /// An empty ledger.
    fn new(splitter: &'s Splitter<'a>, changes: &'s [Change], sets: &[CountedSet]) -> Self {
        let frame = splitter.frame;
        let mut without = WithoutShape::new(frame);
        let mut book = |set: &CountedSet| {
            let side = &frame.counted().sides[set.side];
            let rows = side.rows.len() as u64;
            let fewer = !side.program && rows < side.all_rows && !frame.counted().compares();
            let gemms = set.rows.len() as u64;
            Book {
                number: set.side,
                side: side.label.clone(),
                device: set.device.clone(),
                name: set.name.clone(),
                without_s: without.of(set),
                typical: Typical::over(frame, &set.rows),
                runs: match side.variants {
                    _ if !fewer => Runs::All,
                    true => Runs::Fastest(gemms),
                    false => Runs::Middle(gemms),
                },
                ..Book::default()
            }
        };
        Adding {
            seen: vec![0; splitter.partners.groups.len()],
            changes,
            properties: scatter::Properties::of(frame, &splitter.partners),
            gains: vec![scatter::Gains::default(); sets.len()],
            books: sets.iter().map(&mut book).collect(),
            splitter,
        }
    }

    /// Adds some rows to a book.
    fn add_block(&mut self, book: usize, block: &[u32], each: &mut impl FnMut(&Posting<'_>)) {
        let Splitter { frame, partners, .. } = self.splitter;
        let held: Vec<_> = block.iter().map(|row| self.splitter.held(*row)).collect();
        for (&row, held) in block.iter().zip(&held) {
            let calls = frame.calls(row as usize);
            let mut time_s = frame.data.time_s[row as usize] * calls;
            // A row with an unknown number of calls adds no time.
            if time_s.is_finite()
                && let Some(mut entry) = self.splitter.split(row, held.as_ref())
            {
                if !self.changes.is_empty() {
                    entry = entry.left(change::Changes::of(frame, self.changes, book, row));
                    time_s = entry.call.total_s() * calls;
                }
                let posting = Posting { row, book, calls, entry: &entry };
                each(&posting);
                self.add(&posting, time_s);
                self.gains[book].add(&self.properties, partners, &posting);
            }
        }
    }

    fn add(&mut self, posting: &Posting<'_>, time_s: f64) {
        let (book, r) = (&mut self.books[posting.book], posting.row as usize);
        let split = posting.entry.call.times(posting.calls);
        book.time_s += time_s;
        let roof_s = self.splitter.frame.metrics.roof_s[r];
        if !roof_s.is_nan() {
            book.known_s += time_s;
            book.roof_s += roof_s * posting.calls;
            book.below_s += split.lost_s();
        }
        let group = self.splitter.partners.group_of[r];
        let mut none = 0;
        let seen = self.seen.get_mut(group as usize).unwrap_or(&mut none);
        let mut first = |bit: usize| {
            let new = *seen & 1 << bit == 0;
            *seen |= 1 << bit;
            u64::from(new)
        };
        book.groups += first(2 * Account::COUNT);
        for account in Account::ALL {
            let at = account as usize;
            let held = [split.of(account), posting.entry.alone_s(account) * posting.calls];
            let sums = [&mut book.accounts[at], &mut book.alone[at]];
            for (i, (sum, s)) in sums.into_iter().zip(held).enumerate() {
                if s > 0.0 {
                    sum.seconds += s;
                    sum.groups += first(i * Account::COUNT + at);
                }
            }
        }
    }

    /// The finished ledger.
    fn finish(mut self) -> Ledger {
        for (book, gains) in self.books.iter_mut().zip(&self.gains) {
            book.scatter = gains.scatter(&self.splitter.partners);
        }
        Ledger { books: self.books }
    }
}
