//! The progress line on a terminal. It appears after half a second and is cleared before anything else is printed.
//!
//! [`step`] and [`bytes()`] report progress. Only `main` turns the line on, so tests and scripts never see it.

use std::io::{IsTerminal, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Delay before the line appears.
const AFTER: Duration = Duration::from_millis(500);
/// Time between two updates.
const EVERY: Duration = Duration::from_millis(200);
/// Maximum columns: a longer line would wrap, and could not be cleared.
const WIDTH: usize = 78;
/// Escape sequence that clears the line.
const CLEAR: &str = "\r\x1b[2K";

/// The current step.
#[derive(Debug)]
struct Line {
    what: String,
    since: Instant,
    done: u64,
    total: Option<u64>,
    shown: bool,
}

impl Line {
    fn new(now: Instant) -> Self {
        Line { what: String::new(), since: now, done: 0, total: None, shown: false }
    }

    /// The text to show now; `None` before [`AFTER`].
    fn text(&self, now: Instant) -> Option<String> {
        let time = now.duration_since(self.since);
        if self.what.is_empty() || time < AFTER {
            return None;
        }
        let mb = |bytes: u64| bytes as f64 / 1e6;
        let size = match self.total {
            _ if self.done == 0 => String::new(),
            Some(total) if total >= self.done => {
                format!(", {:.0} of {:.0} MB", mb(self.done), mb(total))
            }
            _ => format!(", {:.1} MB", mb(self.done)),
        };
        let tail = match time.as_secs() {
            0 => size,
            seconds => format!("{size}, {seconds} s"),
        };
        let room = WIDTH.saturating_sub(tail.chars().count());
        let mut what = format!("gemmscope: {}", self.what);
        if what.chars().count() > room {
            what = what.chars().take(room.saturating_sub(1)).collect();
            what.push('…');
        }
        Some(what + &tail)
    }

    fn draw(&mut self, now: Instant, to: &mut dyn Write) {
        if let Some(text) = self.text(now) {
            self.shown = true;
            // Progress is optional: errors are ignored.
            let _ = write!(to, "{CLEAR}{text}").and_then(|()| to.flush());
        }
    }

    fn clear(&mut self, to: &mut dyn Write) {
        if std::mem::take(&mut self.shown) {
            let _ = write!(to, "{CLEAR}").and_then(|()| to.flush());
        }
    }
}

static LINE: Mutex<Option<Line>> = Mutex::new(None);

fn line() -> MutexGuard<'static, Option<Line>> {
    LINE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Turns the line on if standard error is a terminal.
pub(super) fn start() {
    if !std::io::stderr().is_terminal() || std::env::var_os("TERM").is_some_and(|t| t == "dumb") {
        return;
    }
    *line() = Some(Line::new(Instant::now()));
    std::thread::spawn(|| {
        loop {
            std::thread::sleep(EVERY);
            match &mut *line() {
                Some(line) => line.draw(Instant::now(), &mut std::io::stderr()),
                None => return,
            }
        }
    });
}

/// Clears the line and turns it off.
pub(super) fn stop() {
    if let Some(mut line) = line().take() {
        line.clear(&mut std::io::stderr());
    }
}

/// Begins a step.
pub(super) fn step(what: &str) {
    of_size(what, None);
}

/// Begins a step over this many bytes.
pub(super) fn of_size(what: &str, total: Option<u64>) {
    if let Some(line) = &mut *line() {
        what.clone_into(&mut line.what);
        line.since = Instant::now();
        (line.done, line.total) = (0, total);
    }
}

/// Adds bytes to the current step.
pub(super) fn bytes(more: usize) {
    if let Some(line) = &mut *line() {
        line.done += more as u64;
    }
}

/// A stream that clears the line before it prints.
#[derive(Debug)]
pub(super) struct Over<W: Write>(pub W);

impl<W: Write> Write for Over<W> {
    fn write(&mut self, buffer: &[u8]) -> std::io::Result<usize> {
        // Locked while printing, so that the line does not reappear within a message.
        let mut line = line();
        if let Some(line) = &mut *line {
            line.clear(&mut std::io::stderr());
        }
        self.0.write(buffer)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.0.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_comes_late_and_says_how_far_it_is() {
        let start = Instant::now();
        let mut line = Line::new(start);
        line.what = "reading bench.csv".into();
        let after = |ms| start + Duration::from_millis(ms);
        assert_eq!(line.text(after(499)), None);
        assert_eq!(line.text(after(500)).unwrap(), "gemmscope: reading bench.csv");
        (line.done, line.total) = (12_000_000, Some(480_000_000));
        assert_eq!(
            line.text(after(3_900)).unwrap(),
            "gemmscope: reading bench.csv, 12 of 480 MB, 3 s"
        );
        line.total = None;
        let mut shown = Vec::new();
        line.draw(after(3_900), &mut shown);
        line.clear(&mut shown);
        line.clear(&mut shown);
        assert_eq!(
            String::from_utf8(shown).unwrap(),
            "\r\x1b[2Kgemmscope: reading bench.csv, 12.0 MB, 3 s\r\x1b[2K"
        );
        line.what = format!("reading {}", "x".repeat(200));
        let text = line.text(after(900)).unwrap();
        assert_eq!(text.chars().count(), WIDTH);
        assert!(text.ends_with("…, 12.0 MB"), "{text}");
    }
}
