//! Reads one file from its first byte to its table.

use super::start::{HEAD_BYTES, HEAD_LINES, head_of, is_json};
use super::text::Decoder;
use super::{gzip, xlsx, zip};
use crate::columns;
use crate::formats::{Best, sniff};
use crate::reader::UNPACK_FIRST;
use crate::unsupported;
use crate::{Ended, ErrorKind, Format, ImportError, ImportOptions, Imported, Reader};
use gemmscope_model::encode::visible;
use gemmscope_model::units::{Bytes, plural};
use gemmscope_table::dataset::TablePart;

/// The head is examined every this many bytes and at the end, so that the choice of a format does not depend
/// on how the file is sliced.
const HEAD_STEP: u64 = 4 << 10;
/// A file with this many NUL bytes before its head is complete counts as binary.
const NUL_BYTES: u64 = 1 << 20;
/// Raw bytes searched for signatures of binary files.
const MAGIC_BYTES: usize = 512;
/// Compressed bytes decoded at a time, to bound the memory per slice.
const PACKED_STEP: usize = 16 << 10;

/// Maximum number of rows to reserve memory for in advance.
const MOST_EXPECTED: u64 = 2 << 20;

/// Advice for text converted from a compressed file that is too large.
const FEWER_ROWS: &str = "write fewer rows, or allow more with --memory of the gemmscope command";

enum State {
    /// Collecting the head.
    Head,
    Reading(Box<dyn Reader>),
    Failed(ImportError),
}

/// Reads one file: [`feed`](Session::feed) its slices, then [`finish`](Session::finish).
pub struct Session {
    name: String,
    options: ImportOptions,
    decoder: Decoder,
    magic: Vec<u8>,
    /// The bytes of a zip archive so far; its directory is at the end.
    archive: Option<Vec<u8>>,
    head: Vec<u8>,
    head_lines: usize,
    /// Number of line ends so far.
    line_ends: u64,
    state: State,
    bytes_in: u64,
    /// Size of the file in bytes; 0 if unknown.
    expected: u64,
    text_bytes: u64,
    /// The chosen format and the reason for it.
    format: Option<(&'static Format, String)>,
    /// Note on the original file, if the text was converted from another kind of file.
    made_of: Option<String>,
    /// See [`Source::is_column_major`](gemmscope_table::dataset::Source::is_column_major).
    column_major: bool,
}

impl Session {
    /// A session for a file with this name ("" for pasted text).
    pub fn new(name: &str, options: ImportOptions) -> Self {
        Session {
            name: visible(name).into_owned(),
            options,
            decoder: Decoder::default(),
            magic: Vec::new(),
            archive: None,
            head: Vec::new(),
            head_lines: 0,
            line_ends: 0,
            state: State::Head,
            bytes_in: 0,
            expected: 0,
            text_bytes: 0,
            format: None,
            made_of: None,
            column_major: false,
        }
    }

    /// Sets the expected size of the file in bytes, to reserve memory for its rows in advance.
    /// A wrong size is harmless.
    pub fn expect(&mut self, bytes: u64) {
        self.expected = bytes;
    }

    /// Declares that the text was converted from a compressed file of another kind. `note` describes that file; the
    /// limit for compressed files applies ([`ImportOptions::packed_memory`]).
    pub fn made_of(&mut self, note: String) {
        self.made_of = Some(note);
    }

    /// Reads the next slice of the file. After an error, every further call returns the same error.
    pub fn feed(&mut self, bytes: &[u8]) -> Result<(), ImportError> {
        self.bytes_in += bytes.len() as u64;
        if let Some(archive) = &mut self.archive {
            if archive.len() + bytes.len() > xlsx::MAX_BYTES {
                return self.fail(zip::too_large(xlsx::MAX_BYTES));
            }
            archive.extend_from_slice(bytes);
            return Ok(());
        }
        if self.magic.len() < 4 {
            let start = [&self.magic, bytes].concat();
            if zip::is_zip(&start) {
                self.magic.extend_from_slice(bytes.get(..4.min(bytes.len())).unwrap_or_default());
                self.archive = Some(start);
                return Ok(());
            }
        }
        if self.magic.len() < MAGIC_BYTES {
            let room = MAGIC_BYTES - self.magic.len();
            let more = bytes.get(..room.min(bytes.len())).unwrap_or_default();
            self.magic.extend_from_slice(more);
            if self.magic.len() == MAGIC_BYTES
                && matches!(self.state, State::Head)
                && let Some(sentence) = unsupported::by_magic(&self.magic)
            {
                return self.fail(ImportError::new(sentence).kind(ErrorKind::Foreign));
            }
        }
        let packed = gzip::is_gzip(&self.magic);
        let mut at = self.bytes_in - bytes.len() as u64;
        let mut rest = bytes;
        while !rest.is_empty() {
            let step = match (&self.state, packed) {
                (State::Head, _) => (HEAD_STEP - at % HEAD_STEP) as usize,
                (_, true) => PACKED_STEP,
                _ => rest.len(),
            };
            let (piece, after) = rest.split_at(step.min(rest.len()));
            rest = after;
            at += piece.len() as u64;
            if let State::Failed(e) = &self.state {
                return Err(e.clone());
            }
            let Session { decoder, state, head, head_lines, text_bytes, line_ends, .. } = self;
            let result = decoder.feed(piece).and_then(|text| {
                *text_bytes += text.len() as u64;
                *line_ends += count_lines(text);
                take(text, state, head, head_lines)
            });
            if let Err(e) = result {
                return self.fail(e);
            }
            if let Err(e) = self.check_size() {
                return self.fail(e);
            }
            if !matches!(self.state, State::Head) || !at.is_multiple_of(HEAD_STEP) {
                continue;
            }
            if (self.head.len() >= HEAD_BYTES
                || self.decoder.nul_bytes() > NUL_BYTES
                || self.head_lines >= HEAD_LINES && !is_json(&self.head))
                && let Err(e) = self.open(false)
            {
                return self.fail(e);
            }
        }
        Ok(())
    }

    /// The rows since the last call, for an [`Assembly`](gemmscope_table::dataset::Assembly); [`end`](Session::end)
    /// returns the others. `None` if the format needs all rows at the end of the file.
    pub fn part(&mut self) -> Option<TablePart> {
        match &mut self.state {
            State::Reading(reader) => reader.part(),
            _ => None,
        }
    }

    /// Ends the file. Returns all rows, provided that [`part`](Session::part) returned none.
    pub fn finish(self) -> Result<Imported, ImportError> {
        self.end()?.whole()
    }

    /// Ends the file. Returns what no [`part`](Session::part) has returned.
    pub fn end(mut self) -> Result<Ended, ImportError> {
        if let State::Failed(e) = self.state {
            return Err(e);
        }
        if let Some(archive) = &self.archive {
            return xlsx::read(&self.name, archive, &self.options).map(Ended::Whole);
        }
        let Session { decoder, state, head, head_lines, text_bytes, line_ends, .. } = &mut self;
        let text = decoder.finish()?;
        *text_bytes += text.len() as u64;
        *line_ends += count_lines(text);
        take(text, state, head, head_lines)?;
        if matches!(self.state, State::Head) {
            self.open(true)?;
        }
        let (State::Reading(reader), Some((format, reason))) = (self.state, self.format) else {
            return Err(ImportError::new("the file was not opened"));
        };
        let mut ended = reader.finish()?;
        let source = match &mut ended {
            Ended::Rest(rest) => rest.source(),
            Ended::Whole(Imported::Table(data)) => {
                if data.sources.is_empty() {
                    data.sources.push(Default::default());
                }
                data.sources.first_mut()
            }
            Ended::Whole(Imported::Devices(devices)) => {
                for d in devices {
                    d.name = visible(&d.name).into_owned();
                }
                None
            }
            Ended::Whole(Imported::Context(context)) => {
                context.files = vec![std::mem::take(&mut self.name)];
                None
            }
        };
        if let Some(source) = source {
            source.bytes = self.text_bytes;
            source.run = self.options.run.clone().or(std::mem::take(&mut source.run));
            // Answered assumptions are decisions of the user.
            for assumption in &mut source.assumptions {
                assumption.by_hand |= self.options.answer(&assumption.key).is_some();
            }
            // A gemmscope table states the file of each row.
            if source.format.is_empty() {
                source.name = self.name;
                source.format = format.id.to_owned();
                source.format_name = format.name.to_owned();
                source.format_reason = reason;
                source.column_major |= self.column_major;
            }
            if source.rows_read == 0 && source.points.is_empty() {
                return Err(no_rows(format.name, self.line_ends));
            }
            source.notes.extend(self.made_of);
            if let Some(encoding) = self.decoder.encoding() {
                source.notes.push(format!("The text is {encoding}."));
            }
            let trailing = self.decoder.trailing_bytes();
            if trailing > 0 {
                let bytes = plural(trailing, "byte");
                source
                    .notes
                    .push(format!("Left out {bytes} behind the gzip data: they are not gzip."));
            }
            if self.decoder.nul_bytes() > 0 {
                let bytes = plural(self.decoder.nul_bytes(), "NUL byte");
                source.notes.push(match self.decoder.encoding() {
                    Some(_) => format!("Left out {bytes}."),
                    None => format!(
                        "{bytes} in the file: lines that hold some are damaged and set aside."
                    ),
                });
            }
        }
        Ok(ended)
    }

    /// Refuses a compressed file that expands beyond the limit.
    fn check_size(&self) -> Result<(), ImportError> {
        let (kind, unpacked, advice) = match &self.made_of {
            Some(_) => ("file", self.text_bytes, FEWER_ROWS),
            None => ("gzip file", self.decoder.unpacked_bytes(), UNPACK_FIRST),
        };
        let most = self.options.packed_memory();
        if unpacked <= most {
            return Ok(());
        }
        let most = Bytes(most as f64).to_iec();
        Err(ImportError::new(format!("the {kind} unpacks to more than {most}: {advice}")))
    }

    fn is_packed(&self) -> bool {
        self.decoder.is_packed() || self.made_of.is_some()
    }

    fn fail(&mut self, e: ImportError) -> Result<(), ImportError> {
        self.state = State::Failed(e.clone());
        Err(e)
    }

    fn open(&mut self, complete: bool) -> Result<(), ImportError> {
        if let Some(sentence) = unsupported::by_magic(&self.magic) {
            return Err(ImportError::new(sentence).kind(ErrorKind::Foreign));
        }
        if self.head.is_empty() && self.decoder.nul_bytes() > 0 {
            return Err(only_nul());
        }
        if self.bytes_in == 0 || self.head.iter().all(u8::is_ascii_whitespace) {
            return Err(ImportError::new("the file is empty").kind(ErrorKind::Empty));
        }
        let start = &self.head[..self.head.len().min(HEAD_BYTES)];
        let mut head = head_of(&self.name, start, complete);
        if !complete && !self.is_packed() {
            let lines = memchr::memchr_iter(b'\n', start).count().max(1);
            let rows = self.expected / (start.len() / lines).max(1) as u64;
            // Add a margin, because the header is longer than a row.
            head.rows = (rows + rows / 16).min(MOST_EXPECTED) as usize;
        }
        if self.decoder.nul_bytes() * 50 > self.text_bytes && self.decoder.encoding().is_none()
            || unsupported::looks_binary(start)
        {
            return Err(ImportError::new(unsupported::binary(&self.name)).kind(ErrorKind::Foreign));
        }
        let Best { format, reason } = sniff(&head, &self.options)?;
        let mut reader = format.open(&head, &self.options)?;
        self.format = Some((format, reason));
        if self.is_packed() {
            reader.allow(usize::try_from(self.options.packed_memory()).unwrap_or(usize::MAX));
        }
        self.column_major = columns::defaults::is_column_major(&head, format.id, &self.options);
        reader.feed(&std::mem::take(&mut self.head))?;
        self.state = State::Reading(reader);
        Ok(())
    }
}

fn count_lines(text: &[u8]) -> u64 {
    memchr::memchr_iter(b'\n', text).count() as u64
}

fn no_rows(format: &str, lines: u64) -> ImportError {
    let message = if lines > 2 {
        format!("no rows: none of the {lines} lines is a result in this format ({format})")
    } else {
        "no rows below the header: the run may have failed".to_owned()
    };
    ImportError::new(message).kind(ErrorKind::Empty)
}

fn only_nul() -> ImportError {
    ImportError::new("only NUL bytes: the file was never written, or is not text")
        .kind(ErrorKind::Empty)
}

fn take(
    text: &[u8],
    state: &mut State,
    head: &mut Vec<u8>,
    head_lines: &mut usize,
) -> Result<(), ImportError> {
    match state {
        State::Head => {
            *head_lines += memchr::memchr_iter(b'\n', text).count();
            head.extend_from_slice(text);
            Ok(())
        }
        State::Reading(reader) => reader.feed(text),
        State::Failed(e) => Err(e.clone()),
    }
}

/// Reads a whole file in memory.
pub fn read_all(
    name: &str,
    bytes: &[u8],
    options: &ImportOptions,
) -> Result<Imported, ImportError> {
    let mut session = Session::new(name, options.clone());
    session.expect(bytes.len() as u64);
    // Between slices of this size, a browser can switch to optimised code.
    for slice in bytes.chunks(256 << 10) {
        session.feed(slice)?;
    }
    session.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn room_is_made_for_about_as_many_rows_as_there_are() {
        let mut csv = String::from("M,N,K,dtype,time_us\n");
        for i in 1..=20_000 {
            csv.push_str(&format!("{i},4096,512,bf16,{}.5\n", i % 97 + 1));
        }
        let Ok(Imported::Table(data)) = read_all("", csv.as_bytes(), &ImportOptions::default())
        else {
            panic!("not read")
        };
        assert_eq!(data.len(), 20_000);
        assert!(data.m.capacity() < 24_000, "{}", data.m.capacity());
    }

    fn packed(parts: &[(&str, usize)]) -> Vec<u8> {
        use std::io::Write as _;
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        for (part, times) in parts {
            for _ in 0..*times {
                gzip.write_all(part.as_bytes()).unwrap();
            }
        }
        gzip.finish().unwrap()
    }

    #[test]
    fn a_few_bytes_of_gzip_take_no_more_than_they_may() {
        const HEADER: &str = "M,N,K,dtype,time_us\n";
        let row = "512,512,512,bf16,8\n";
        let wide = format!("512,512,512,bf16,8,{}\n", " ".repeat(1_000));
        let said = |bytes: &[u8], memory: Option<u64>| {
            let options = ImportOptions { memory, ..ImportOptions::default() };
            read_all("bench.csv.gz", bytes, &options).map_err(|e| e.message)
        };
        let rows = packed(&[(HEADER, 1), (row, 30_000)]);
        let e = said(&rows, Some(1 << 20)).unwrap_err();
        assert!(e.contains("rows and what is computed of them take more than 1.00 MiB"), "{e}");
        assert!(e.ends_with(UNPACK_FIRST), "{e}");
        assert!(said(&rows, None).is_ok());
        let bytes = packed(&[(HEADER, 1), (&wide, 2_000)]);
        let e = said(&bytes, Some(1 << 20)).unwrap_err();
        assert!(e.starts_with("the gzip file unpacks to more than 1.00 MiB: unpack it"), "{e}");
        // The limit does not apply to uncompressed files.
        let plain = format!("{HEADER}{}", row.repeat(30_000));
        assert!(said(plain.as_bytes(), Some(1 << 20)).is_ok());
    }

    #[test]
    fn text_that_is_no_text_is_refused_at_its_start() {
        let zeros = "\0".repeat(1 << 20);
        for (start, why) in
            [("", "only NUL bytes"), ("M,N,K,time_us\n512,512,512,8\n", "binary file")]
        {
            let bytes = packed(&[(start, 1), (&zeros, 8)]);
            let mut session = Session::new("sparse.csv.gz", ImportOptions::default());
            let fed = bytes.chunks(4 << 10).try_for_each(|s| session.feed(s));
            let e = fed.unwrap_err();
            assert!(e.message.contains(why), "{e}");
            assert!(session.decoder.unpacked_bytes() < 6 << 20);
            let plain = [start, &zeros, &zeros].concat();
            let mut session = Session::new("sparse.csv", ImportOptions::default());
            let mut read = 0;
            let fed = plain.as_bytes().chunks(4 << 10).try_for_each(|s| {
                read += s.len();
                session.feed(s)
            });
            assert!(fed.is_err() && read < (1 << 20) + (16 << 10), "{read}");
        }
    }

    #[test]
    fn what_a_file_is_taken_for_does_not_depend_on_its_slices() {
        // More lines than a head has, then NUL bytes.
        let mut junk = "1,2,3,x\n".repeat(120).into_bytes();
        junk.extend([0; 2500]);
        junk.extend("1,2,3,x\n".repeat(900).bytes());
        let mut forms = vec![ImportOptions::default()];
        forms.extend(
            crate::formats::FORMATS.iter().map(|f| ImportOptions {
                format: Some(f.id.to_owned()),
                ..ImportOptions::default()
            }),
        );
        for options in forms {
            for bytes in [&junk[..], &junk[..9_000], &junk[..600]] {
                let said = |slice: usize| {
                    let mut session = Session::new("junk.csv", options.clone());
                    let fed = bytes.chunks(slice).try_for_each(|s| session.feed(s));
                    match fed.and_then(|()| session.finish()) {
                        Ok(_) => "read".to_owned(),
                        Err(e) => e.to_string(),
                    }
                };
                let whole = said(usize::MAX);
                for slice in [1, 7, 511, 4096, 5000] {
                    assert_eq!(said(slice), whole, "{slice} of {}", bytes.len());
                }
            }
        }
    }
}
