//! Splits text slices into numbered lines, in bounded memory.

use crate::ImportError;
use memchr::memchr_iter;

/// Longest line or quoted record in bytes. A longer one is reported as a problem.
pub(crate) const MAX_LINE: usize = 1 << 20;

/// One line without its line end.
#[derive(Clone, Copy, Debug)]
pub struct Line<'a> {
    /// 1-based number.
    pub number: u32,
    /// The line; only its first bytes if it is too long.
    pub bytes: &'a [u8],
    /// Why it cannot be read: it exceeds [`MAX_LINE`], or it contains NUL bytes.
    pub problem: Option<&'static str>,
}

impl<'a> Line<'a> {
    /// A line of at most [`MAX_LINE`] bytes.
    pub(super) fn new(number: u32, bytes: &'a [u8]) -> Self {
        let is_nothing = |b: &u8| *b == 0 || b.is_ascii_whitespace();
        match memchr::memchr(0, bytes) {
            None => Line { number, bytes, problem: None },
            Some(_) if bytes.iter().all(is_nothing) => Line { number, bytes: b"", problem: None },
            Some(_) => Line {
                number,
                bytes,
                problem: Some("NUL bytes in the line: a part of it is missing"),
            },
        }
    }
}

/// Push splitter into lines that end in `\n` or `\r\n` (the decoder converts a lone `\r`).
#[derive(Debug, Default)]
pub struct Lines {
    pub(super) carry: Vec<u8>,
    pub(super) number: u32,
    pub(super) too_long: bool,
}

impl Lines {
    /// The lines of a text in memory, without line ends.
    pub(crate) fn of(text: &[u8]) -> impl Iterator<Item = &[u8]> {
        text.strip_suffix(b"\n").unwrap_or(text).split(|&b| b == b'\n').map(without_cr)
    }

    /// Reads the next slice and calls `f` for every line that it completes.
    pub(crate) fn feed<F>(&mut self, text: &[u8], mut f: F) -> Result<(), ImportError>
    where
        F: FnMut(Line<'_>) -> Result<(), ImportError>,
    {
        let mut from = 0;
        for end in memchr_iter(b'\n', text) {
            let piece = &text[from..end];
            from = end + 1;
            self.number = self.number.saturating_add(1);
            if self.carry.is_empty() && !self.too_long && piece.len() <= MAX_LINE {
                f(Line::new(self.number, without_cr(piece)))?;
            } else {
                self.extend(piece);
                self.emit(&mut f)?;
            }
        }
        self.extend(&text[from..]);
        Ok(())
    }

    /// Passes the last line to `f` if the file does not end in a line end.
    pub(crate) fn finish<F>(&mut self, mut f: F) -> Result<(), ImportError>
    where
        F: FnMut(Line<'_>) -> Result<(), ImportError>,
    {
        if self.carry.is_empty() && !self.too_long {
            return Ok(());
        }
        self.number = self.number.saturating_add(1);
        self.emit(&mut f)
    }

    fn extend(&mut self, piece: &[u8]) {
        if self.too_long {
            return;
        }
        if self.carry.len() + piece.len() > MAX_LINE {
            self.too_long = true;
            let room = 200_usize.saturating_sub(self.carry.len());
            self.carry.extend_from_slice(&piece[..room.min(piece.len())]);
            self.carry.truncate(200);
            self.carry.shrink_to_fit();
        } else {
            self.carry.extend_from_slice(piece);
        }
    }

    fn emit<F>(&mut self, f: &mut F) -> Result<(), ImportError>
    where
        F: FnMut(Line<'_>) -> Result<(), ImportError>,
    {
        let carry = std::mem::take(&mut self.carry);
        let mut line = Line::new(self.number, without_cr(&carry));
        if std::mem::take(&mut self.too_long) {
            line.problem = Some("line is longer than 1 MiB");
        }
        let result = f(line);
        self.carry = carry;
        self.carry.clear();
        result
    }
}

/// Length of the first line of a text, including its line end if there is one.
pub(crate) fn first_line(text: &[u8]) -> usize {
    memchr::memchr(b'\n', text).map_or(text.len(), |end| end + 1)
}

pub(super) fn without_cr(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\r").unwrap_or(line)
}
