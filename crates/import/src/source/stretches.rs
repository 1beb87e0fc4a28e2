//! Stretches of lines of one large table, each read apart from the rest, so that several readers can
//! read one file at once.
//!
//! A stretch counts only where the order of lines does not matter: each of its lines went into the
//! table by columns, so no line of it was rejected, noted, a comment or the header again. Else the
//! file is read again, from its start, by one reader. So the table is always the same.

use crate::reader::Standing;
use crate::{Ended, Session};
use gemmscope_table::dataset::{Part, Rest};

/// Reads stretches of one file, in the order of the file.
pub struct Stretches {
    session: Session,
    /// Where the reader stood behind the head of the file.
    head: Standing,
    head_bytes: u64,
    /// The same without a byte order mark.
    head_text: u64,
    /// This reader keeps the rows of the head.
    is_first: bool,
    /// Line ends that the file lacks.
    added: u64,
    at: Place,
}

/// Where in the file the reader is.
#[derive(Debug, Default)]
struct Place {
    /// Bytes of the file before the next ones.
    next: u64,
    /// Lines that begin from here on belong to the next stretch.
    end: u64,
    /// The line in which the stretch begins belongs to the stretch before.
    skips: bool,
    done: bool,
    /// The line that is not complete yet.
    line: Vec<u8>,
    /// Lines before the stretch, as the reader counts them.
    lines: u32,
}

/// Bytes of the head that are taken at a time.
const STEP: usize = 64 << 10;

impl Stretches {
    /// The most bytes of a head.
    pub const HEAD: u64 = 2 << 20;

    /// Reads the head of a file, as much of it as tells what the columns are. `start` has the first
    /// bytes of the file, at most [`HEAD`](Self::HEAD). One reader is the first: it has the rows of the
    /// head, and reads the first stretch. `None` where the lines of this file have to be read in
    /// their order.
    pub fn open(mut session: Session, start: &[u8], is_first: bool) -> Option<Self> {
        let mut at = 0;
        loop {
            let least = start.get(at..)?.get(STEP..)?;
            let end = start.len() - least.len() + memchr::memchr(b'\n', least)? + 1;
            session.feed(&start[at..end]).ok()?;
            at = end;
            if let Some(head) = session.standing() {
                return Some(Stretches {
                    head_text: session.text_bytes(),
                    session,
                    head,
                    head_bytes: at as u64,
                    is_first,
                    added: 0,
                    at: Place::default(),
                });
            }
        }
    }

    /// What the head says of operations, devices and texts, for a reader that is not the first. Take
    /// it before the first stretch.
    pub fn words(&mut self) -> Option<Part> {
        self.session.whole_part().map(Part::without_rows)
    }

    /// Begins the stretch of the lines that begin in these bytes of the file. Gives the place from
    /// which on [`feed`](Self::feed) wants the file.
    pub fn begin(&mut self, from: u64, end: u64) -> u64 {
        let of_head = self.is_first && from == 0;
        let next = if of_head { self.head_bytes } else { from - from.min(1) };
        let lines = self.session.standing().map_or(0, |s| s.lines);
        self.at = Place {
            next,
            end,
            skips: !of_head,
            done: false,
            line: std::mem::take(&mut self.at.line),
            lines: if of_head { 0 } else { lines },
        };
        self.at.line.clear();
        next
    }

    /// Takes the next bytes of the file. True at the end of the stretch; `None` where it does not
    /// count.
    pub fn feed(&mut self, mut bytes: &[u8]) -> Option<bool> {
        let at = &mut self.at;
        if at.done {
            return Some(true);
        }
        if at.skips {
            let Some(end) = memchr::memchr(b'\n', bytes) else {
                at.next += bytes.len() as u64;
                return Some(false);
            };
            at.skips = false;
            bytes = &bytes[end + 1..];
            at.next += end as u64 + 1;
            if at.next >= at.end {
                at.done = true;
                return Some(true);
            }
        }
        let last = usize::try_from(at.end.saturating_sub(at.next + 1)).unwrap_or(usize::MAX);
        if let Some(end) = bytes.get(last..).and_then(|b| memchr::memchr(b'\n', b)) {
            bytes = &bytes[..last + end + 1];
            at.done = true;
        }
        at.next += bytes.len() as u64;
        let Some(end) = memchr::memrchr(b'\n', bytes) else {
            at.line.extend_from_slice(bytes);
            return Some(at.done);
        };
        let (mut lines, begun) = bytes.split_at(end + 1);
        if !at.line.is_empty() {
            let first = memchr::memchr(b'\n', lines)? + 1;
            at.line.extend_from_slice(&lines[..first]);
            self.session.feed(&at.line).ok()?;
            at.line.clear();
            lines = &lines[first..];
        }
        at.line.extend_from_slice(begun);
        let done = at.done;
        self.session.feed(lines).ok()?;
        self.counts().then_some(done)
    }

    /// All lines since the head were read by columns.
    fn counts(&self) -> bool {
        let now = self.session.standing();
        now.is_some_and(|s| (s.single, s.marks) == (self.head.single, self.head.marks))
    }

    /// The rows of the stretch since the last call; lines count from its first one.
    pub fn part(&mut self) -> Option<Part> {
        let mut part = self.session.part()?;
        part.lines_after(self.at.lines);
        Some(part)
    }

    /// Ends the stretch, where [`feed`](Self::feed) said so or the file ended. Gives its last rows and
    /// its number of lines; `None` where it does not count.
    pub fn end(&mut self) -> Option<(Part, u32)> {
        if !self.at.done && !self.at.line.is_empty() {
            // The last line of the file.
            self.at.line.push(b'\n');
            self.added += 1;
            self.session.feed(&self.at.line).ok()?;
            self.at.line.clear();
        }
        let lines = self.session.standing()?.lines - self.at.lines;
        let mut part = self.session.whole_part().filter(|_| self.counts())?;
        part.lines_after(self.at.lines);
        Some((part, lines))
    }

    /// Ends the reader, and says what it knows of the file.
    pub fn finish(self) -> Option<Rest> {
        let Ended::Rest(mut rest) = self.session.end().ok()? else {
            return None;
        };
        let source = rest.source()?;
        source.bytes -= self.added;
        if !self.is_first {
            source.bytes -= self.head_text.min(source.bytes);
        }
        Some(*rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ImportOptions, Imported, read_all};
    use gemmscope_table::dataset::Dataset;
    use gemmscope_table::dataset::streams::Streams;
    use proptest::prelude::*;

    /// Reads a file by stretches of these lengths, handed to so many readers in turn, in slices.
    fn by_stretches(
        file: &[u8],
        lengths: &[usize],
        readers: usize,
        slice: usize,
    ) -> Option<Dataset> {
        let head = &file[..file.len().min(Stretches::HEAD as usize)];
        let mut all = Vec::new();
        let mut table = Streams::default();
        for i in 0..readers {
            let session = Session::new("t.csv", ImportOptions::default());
            let mut reader = Stretches::open(session, head, i == 0)?;
            if i > 0 {
                table.add(i, reader.words()?, 0).ok()?;
            }
            all.push(reader);
        }
        let (mut from, mut lines_before) = (0, 0);
        let mut lengths = lengths.iter().cycle();
        let mut turn = 0;
        while from < file.len() {
            let end = (from + lengths.next()?).min(file.len());
            let i = if from == 0 { 0 } else { turn % readers };
            turn += 7;
            let reader = &mut all[i];
            let start = reader.begin(from as u64, end as u64) as usize;
            for bytes in file[start..].chunks(slice) {
                let done = reader.feed(bytes)?;
                if let Some(part) = reader.part() {
                    table.add(i, part, lines_before).ok()?;
                }
                if done {
                    break;
                }
            }
            let (part, lines) = reader.end()?;
            table.add(i, part, lines_before).ok()?;
            lines_before += lines;
            from = end;
        }
        let ends: Option<Vec<Rest>> = all.into_iter().map(Stretches::finish).collect();
        table.finish(ends?).ok()
    }

    fn whole(file: &[u8]) -> Dataset {
        match read_all("t.csv", file, &ImportOptions::default()) {
            Ok(Imported::Table(data)) => *data,
            other => panic!("{other:?}"),
        }
    }

    /// A table of some 4,000 rows, with oddities by their number.
    fn table(seed: u64, oddity: u8) -> Vec<u8> {
        let mut text = String::from("kernel,dtype,M,N,K,time_us,note,points\n");
        let mut state = seed;
        let mut next = |below: u64| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        for i in 0..4_500_u64 {
            // New names come up all along the file.
            let kernel = next(3 + i / 40);
            let dtype = ["fp16", "bf16", "fp32", "fp8"][next(2 + i / 2000) as usize % 4];
            let (m, n, k) = (next(4096) + 1, next(4096) + 1, next(512) + 1);
            let points = match next(5) {
                0 => String::new(),
                n => format!("{}.{n}", next(90)),
            };
            let late = i > 3_000 && next(300) == 0;
            match oddity {
                1 if late => text.push_str("x,fp16,1,none,3,4,,\n"),
                2 if late => text.push_str("\"a\nb\",fp16,64,64,64,4,,\n"),
                3 if late => text.push_str("# a comment\n"),
                4 if late => text.push_str("kernel,dtype,M,N,K,time_us,note,points\n"),
                5 if late => text.push_str("x,fp16,64,64,64,4,,many\n"),
                6 if late => text.push('\n'),
                7 if late => text.push_str("\"quoted, twice\",fp16,64,64,64,4,,\"1\"\n"),
                8 if late => text.push_str("x,fp16,64,64,64,4,a note,1\n"),
                _ => {}
            }
            text.push_str(&format!(
                "kernel_{kernel},{dtype},{m},{n},{k},{}.5,,{points}\n",
                next(900) + 1
            ));
        }
        text.into_bytes()
    }

    fn near_difference<'t>(a: &'t str, b: &'t str) -> [&'t str; 2] {
        let at = a.bytes().zip(b.bytes()).take_while(|(x, y)| x == y).count();
        [a, b].map(|t| t.get(at.saturating_sub(60)..(at + 60).min(t.len())).unwrap_or_default())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        #[test]
        fn stretches_make_the_table_that_one_reader_makes(
            seed: u64,
            oddity in 0..9_u8,
            lengths in proptest::collection::vec(100_000..150_000_usize, 1..3),
            readers in 1..4_usize,
            slice in 20_000..90_000_usize,
            open_end: bool,
        ) {
            let mut file = table(seed, oddity);
            if open_end {
                file.pop();
            }
            match by_stretches(&file, &lengths, readers, slice) {
                // Texts, because a cell without a number equals no other.
                Some(data) => {
                    let (ours, one) = (format!("{data:?}"), format!("{:?}", whole(&file)));
                    prop_assert!(ours == one, "differs near {:?}", near_difference(&ours, &one));
                }
                None => prop_assert!(![0, 6, 7].contains(&oddity), "not read in stretches"),
            }
        }
    }
}
