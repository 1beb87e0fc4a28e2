//! Decodes raw bytes to UTF-8 text: gzip, byte order marks, UTF-16, NUL bytes, line ends.

use super::gzip::{self, Gzip};
use crate::ImportError;

#[derive(Debug, Default)]
enum Container {
    #[default]
    Undecided,
    Plain,
    Packed(Box<Gzip>),
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Encoding {
    #[default]
    Undecided,
    Utf8,
    Utf16 {
        big: bool,
    },
}

/// True if a carriage return may stand without a line feed, as in files from old Macintosh systems or
/// concatenations with them.
fn may_have_lone_cr(text: &[u8]) -> bool {
    if memchr::memchr(b'\r', text).is_none() {
        return false;
    }
    let lone = |a: u8, b: u8| (a == b'\r') & (b != b'\n') & (b != b'\r');
    let next = text.get(1..).unwrap_or_default();
    // Check all pairs of a step without branches, so that the loop vectorises.
    let any =
        |(a, b): (&[u8], &[u8])| a.iter().zip(b).fold(false, |any, (a, b)| any | lone(*a, *b));
    text.last() == Some(&b'\r') || text.chunks(64).zip(next.chunks(64)).any(any)
}

/// Push decoder. [`Decoder::feed`] takes raw slices and returns text; plain UTF-8, the usual case, is returned as the
/// slice itself without a copy.
#[derive(Debug, Default)]
pub(crate) struct Decoder {
    container: Container,
    encoding: Encoding,
    raw_start: Vec<u8>,
    text_start: Vec<u8>,
    unpacked: Vec<u8>,
    out: Vec<u8>,
    half: Option<u8>,
    high: Option<u16>,
    nul_bytes: u64,
    /// There was text before; NUL bytes at the very start do not damage a line.
    begun: bool,
    /// The text so far ends in the NUL that replaces a run of them.
    hole: bool,
    /// A carriage return held back until the next byte is known.
    held_cr: bool,
    /// Decompressed bytes, before any were dropped.
    unpacked_bytes: u64,
}

impl Decoder {
    /// True if the bytes are compressed.
    pub(crate) fn is_packed(&self) -> bool {
        matches!(self.container, Container::Packed(_))
    }

    /// Name of the encoding if it is not UTF-8.
    pub(crate) fn encoding(&self) -> Option<&'static str> {
        match self.encoding {
            Encoding::Utf16 { big: true } => Some("UTF-16 big endian"),
            Encoding::Utf16 { big: false } => Some("UTF-16 little endian"),
            _ => None,
        }
    }

    /// Number of NUL bytes in the file. In UTF-8 they are gaps that were never written: the text keeps one NUL per run,
    /// so that the line is known to be damaged.
    pub(crate) fn nul_bytes(&self) -> u64 {
        self.nul_bytes
    }

    /// Decompressed bytes so far; 0 for an uncompressed file.
    pub(crate) fn unpacked_bytes(&self) -> u64 {
        self.unpacked_bytes
    }

    /// Bytes after the last member of a gzip file.
    pub(crate) fn trailing_bytes(&self) -> u64 {
        match &self.container {
            Container::Packed(packed) => packed.trailing(),
            _ => 0,
        }
    }

    /// Decodes the next slice.
    pub(crate) fn feed<'a>(&'a mut self, bytes: &'a [u8]) -> Result<&'a [u8], ImportError> {
        self.out.clear();
        if matches!(self.container, Container::Plain)
            && self.encoding == Encoding::Utf8
            && memchr::memchr(0, bytes).is_none()
            && !self.held_cr
            && !may_have_lone_cr(bytes)
        {
            self.begun |= !bytes.is_empty();
            self.hole &= bytes.is_empty();
            return Ok(bytes);
        }
        self.container(bytes)?;
        self.end_lines(false);
        Ok(&self.out)
    }

    /// The rest of the text at the end of the file.
    pub(crate) fn finish(&mut self) -> Result<&[u8], ImportError> {
        self.out.clear();
        if matches!(self.container, Container::Undecided) {
            self.container = Container::Plain;
            let start = std::mem::take(&mut self.raw_start);
            self.text(&start);
        }
        if let Container::Packed(packed) = &mut self.container {
            let mut unpacked = std::mem::take(&mut self.unpacked);
            packed.finish(&mut unpacked)?;
            self.text(&unpacked);
        }
        if self.encoding == Encoding::Undecided {
            self.decide_encoding();
        }
        if self.half.take().is_some() || self.high.take().is_some() {
            self.out.extend_from_slice("\u{fffd}".as_bytes());
        }
        self.end_lines(true);
        Ok(&self.out)
    }

    /// Replaces each lone carriage return by a line feed. One at the end of the text is held back
    /// until the next byte is known.
    fn end_lines(&mut self, complete: bool) {
        if std::mem::take(&mut self.held_cr) {
            self.out.insert(0, b'\r');
        }
        if !complete && self.out.last() == Some(&b'\r') {
            self.out.pop();
            self.held_cr = true;
        }
        if memchr::memchr(b'\r', &self.out).is_none() {
            return;
        }
        // The byte held back is a carriage return too.
        let waits = self.held_cr.then_some(b'\r');
        for i in 0..self.out.len() {
            let next = self.out.get(i + 1).copied().or(waits);
            if self.out[i] == b'\r' && !matches!(next, Some(b'\n' | b'\r')) {
                self.out[i] = b'\n';
            }
        }
    }

    fn container(&mut self, bytes: &[u8]) -> Result<(), ImportError> {
        match self.container {
            Container::Undecided => {
                self.raw_start.extend_from_slice(bytes);
                if self.raw_start.len() < 4 {
                    return Ok(());
                }
                self.container = match gzip::is_gzip(&self.raw_start) {
                    true => Container::Packed(Box::default()),
                    false => Container::Plain,
                };
                let start = std::mem::take(&mut self.raw_start);
                self.container(&start)
            }
            Container::Plain => {
                self.text(bytes);
                Ok(())
            }
            Container::Packed(ref mut packed) => {
                let mut unpacked = std::mem::take(&mut self.unpacked);
                packed.feed(bytes, &mut unpacked)?;
                self.unpacked_bytes += unpacked.len() as u64;
                self.text(&unpacked);
                unpacked.clear();
                self.unpacked = unpacked;
                Ok(())
            }
        }
    }

    fn decide_encoding(&mut self) {
        let start = std::mem::take(&mut self.text_start);
        let (encoding, skip) = match start.as_slice() {
            [0xef, 0xbb, 0xbf, ..] => (Encoding::Utf8, 3),
            [0xff, 0xfe, ..] => (Encoding::Utf16 { big: false }, 2),
            [0xfe, 0xff, ..] => (Encoding::Utf16 { big: true }, 2),
            [a, 0, b, 0, ..] if *a != 0 && *b != 0 => (Encoding::Utf16 { big: false }, 0),
            [0, a, 0, b, ..] if *a != 0 && *b != 0 => (Encoding::Utf16 { big: true }, 0),
            _ => (Encoding::Utf8, 0),
        };
        self.encoding = encoding;
        self.text(start.get(skip..).unwrap_or_default());
    }

    fn text(&mut self, bytes: &[u8]) {
        match self.encoding {
            Encoding::Undecided => {
                self.text_start.extend_from_slice(bytes);
                if self.text_start.len() >= 4 {
                    self.decide_encoding();
                }
            }
            Encoding::Utf8 => {
                let mut rest = bytes;
                while let Some(nul) = memchr::memchr(0, rest) {
                    let text = &rest[..nul];
                    self.begun |= !text.is_empty();
                    self.hole &= text.is_empty();
                    self.out.extend_from_slice(text);
                    // NUL bytes come in runs, in parts of a file that were never written.
                    let run = rest[nul..].iter().position(|&b| b != 0);
                    let run = run.unwrap_or(rest.len() - nul);
                    self.nul_bytes += run as u64;
                    if self.begun && !self.hole {
                        self.out.push(0);
                        self.hole = true;
                    }
                    rest = &rest[nul + run..];
                }
                self.begun |= !rest.is_empty();
                self.hole &= rest.is_empty();
                self.out.extend_from_slice(rest);
            }
            Encoding::Utf16 { big } => {
                let mut bytes = bytes;
                if let Some(first) = self.half.take() {
                    match bytes.split_first() {
                        Some((&second, rest)) => {
                            self.unit(big, [first, second]);
                            bytes = rest;
                        }
                        None => {
                            self.half = Some(first);
                            return;
                        }
                    }
                }
                let mut pairs = bytes.chunks_exact(2);
                for pair in &mut pairs {
                    self.unit(big, [pair[0], pair[1]]);
                }
                self.half = pairs.remainder().first().copied();
            }
        }
    }

    fn unit(&mut self, big: bool, pair: [u8; 2]) {
        let unit = if big { u16::from_be_bytes(pair) } else { u16::from_le_bytes(pair) };
        let mut buffer = [0; 4];
        if let Some(high) = self.high.take() {
            if let Some(Ok(c)) = char::decode_utf16([high, unit]).next() {
                self.out.extend_from_slice(c.encode_utf8(&mut buffer).as_bytes());
                return;
            }
            self.out.extend_from_slice("\u{fffd}".as_bytes());
        }
        match unit {
            0 => self.nul_bytes += 1,
            0xd800..=0xdbff => self.high = Some(unit),
            _ => {
                let c = char::from_u32(u32::from(unit)).unwrap_or('\u{fffd}');
                self.out.extend_from_slice(c.encode_utf8(&mut buffer).as_bytes());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::{Compression, write::GzEncoder};
    use gemmscope_table::build::cell_text::cell_text;
    use std::io::Write;

    fn decode(bytes: &[u8], step: usize) -> Result<String, ImportError> {
        let mut d = Decoder::default();
        let mut out = Vec::new();
        for slice in bytes.chunks(step) {
            out.extend_from_slice(d.feed(slice)?);
        }
        out.extend_from_slice(d.finish()?);
        Ok(cell_text(&out).into_owned())
    }

    fn gzip(text: &[u8]) -> Vec<u8> {
        let mut e = GzEncoder::new(Vec::new(), Compression::default());
        e.write_all(text).unwrap();
        e.finish().unwrap()
    }

    #[test]
    fn every_encoding_gives_the_same_text_in_any_slices() {
        let text = "M,N,K,Zeit (µs)\n1,2,3,𝄞\n";
        let le: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let be: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
        let bom = [&[0xef, 0xbb, 0xbf], text.as_bytes()].concat();
        let two_members = [gzip(&text.as_bytes()[..9]), gzip(&text.as_bytes()[9..])].concat();
        let padded = [two_members.clone(), vec![0; 7]].concat();
        let cases: Vec<(&str, Vec<u8>)> = vec![
            ("plain", text.as_bytes().to_vec()),
            ("bom", bom.clone()),
            ("utf-16le with mark", [&[0xff, 0xfe], le.as_slice()].concat()),
            ("utf-16be with mark", [&[0xfe, 0xff], be.as_slice()].concat()),
            ("utf-16le", le),
            ("utf-16be", be),
            ("gzip", gzip(text.as_bytes())),
            ("gzip of bom", gzip(&bom)),
            ("two members", two_members),
            ("padded gzip", padded),
        ];
        for (name, bytes) in cases {
            for step in [1, 2, 3, 7, 100_000] {
                assert_eq!(decode(&bytes, step).as_deref(), Ok(text), "{name} by {step}");
            }
        }
    }

    #[test]
    fn a_carriage_return_alone_ends_a_line_wherever_it_is() {
        let rows = "1,2,3,4\n".repeat(40);
        for (text, wanted) in [
            ("a\rb\rc", "a\nb\nc"),
            ("a\nb\rc\r\nd\r", "a\nb\nc\r\nd\n"),
            ("a\r\r\nb\r\rc", "a\r\r\nb\r\nc"),
            (&format!("{rows}{}", rows.replace('\n', "\r")), &format!("{rows}{rows}")),
        ] {
            for step in [1, 2, 3, 64, 100_000] {
                let packed = decode(&gzip(text.as_bytes()), step);
                assert_eq!(
                    decode(text.as_bytes(), step).as_deref(),
                    Ok(wanted),
                    "{text:?} by {step}"
                );
                assert_eq!(packed.as_deref(), Ok(wanted));
            }
        }
    }

    #[test]
    fn one_nul_stands_for_a_hole() {
        for (text, wanted, count) in
            [("1,2\0\0\x003\n4\0\n", "1,2⟨U+0000⟩3\n4⟨U+0000⟩\n", 4), ("\0\0M,N,K\n", "M,N,K\n", 2)]
        {
            for step in [1, 2, 3, 100] {
                let mut d = Decoder::default();
                let mut out = Vec::new();
                for slice in text.as_bytes().chunks(step) {
                    out.extend_from_slice(d.feed(slice).unwrap());
                }
                out.extend_from_slice(d.finish().unwrap());
                assert_eq!(cell_text(&out), wanted);
                assert_eq!(d.nul_bytes(), count);
            }
        }
    }

    #[test]
    fn a_cut_gzip_file_says_so() {
        let whole = gzip("M,N,K,us\n1,2,3,4\n".repeat(50).as_bytes());
        for cut in [5, 12, whole.len() / 2, whole.len() - 1] {
            let e = decode(&whole[..cut], 4).unwrap_err();
            assert!(e.message.contains("gzip file"), "{cut}: {e}");
        }
    }

    #[test]
    fn short_files_and_odd_bytes_pass() {
        assert_eq!(decode(b"", 1).as_deref(), Ok(""));
        assert_eq!(decode(b"a", 1).as_deref(), Ok("a"));
        assert_eq!(decode(&[0xff, 0xfe, b'a', 0, b'b'], 1).as_deref(), Ok("a\u{fffd}"));
        assert_eq!(cell_text(b"Time (\xb5s)"), "Time (µs)");
    }
}
