//! Zip archives in memory, as written by Excel: parts by name, decompressed within a common limit.

use crate::ImportError;
use flate2::Crc;
use flate2::read::DeflateDecoder;
use std::collections::HashMap;
use std::io::Read as _;

/// True if the bytes start like a zip archive.
pub(super) fn is_zip(bytes: &[u8]) -> bool {
    bytes.starts_with(b"PK\x03\x04")
}

/// Bytes that may still be decompressed from an archive or derived from it: a small archive may expand to any size, and
/// a short text in it may be referenced any number of times.
#[derive(Debug)]
pub(super) struct Budget {
    all: usize,
    left: usize,
}

/// Error for a workbook with a missing or damaged part or sheet.
pub(super) fn damaged(name: &str) -> ImportError {
    ImportError::new(format!("the workbook is damaged in its part {name}: copy it again"))
}

/// Error for a workbook over `most` bytes, compressed or decompressed.
pub(super) fn too_large(most: usize) -> ImportError {
    let most = most >> 20;
    ImportError::new(format!(
        "the workbook takes more than {most} MiB: save the sheet with the GEMMs as CSV"
    ))
}

impl Budget {
    /// A budget of this many bytes.
    pub(super) fn new(bytes: usize) -> Self {
        Budget { all: bytes, left: bytes }
    }

    /// Deducts `bytes`.
    ///
    /// # Errors
    /// If less is left.
    pub(super) fn spend(&mut self, bytes: usize) -> Result<(), ImportError> {
        self.left = self.left.checked_sub(bytes).ok_or_else(|| too_large(self.all))?;
        Ok(())
    }
}

/// A part of an archive: compression method, checksum of its contents, compressed bytes.
struct Part<'a> {
    method: u16,
    crc: u32,
    packed: &'a [u8],
}

/// A zip archive in memory: parts by name.
pub(super) struct Zip<'a> {
    parts: HashMap<String, Part<'a>>,
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(bytes.get(at..at + 2)?.try_into().ok()?))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

impl<'a> Zip<'a> {
    /// Reads the directory of an archive; `None` if it is damaged or truncated.
    pub(super) fn open(bytes: &'a [u8]) -> Option<Self> {
        let end = memchr::memmem::rfind(bytes, b"PK\x05\x06")?;
        let count = usize::from(u16_at(bytes, end + 10)?);
        let mut at = u32_at(bytes, end + 16)? as usize;
        let mut parts = HashMap::new();
        for _ in 0..count {
            if bytes.get(at..at + 4)? != b"PK\x01\x02" {
                return None;
            }
            let method = u16_at(bytes, at + 10)?;
            let crc = u32_at(bytes, at + 16)?;
            let packed = u32_at(bytes, at + 20)? as usize;
            let lengths = [28, 30, 32].map(|o| u16_at(bytes, at + o).map(usize::from));
            let [Some(name), Some(extra), Some(comment)] = lengths else {
                return None;
            };
            let local = u32_at(bytes, at + 42)? as usize;
            let text = String::from_utf8_lossy(bytes.get(at + 46..at + 46 + name)?).into_owned();
            let start = local
                + 30
                + usize::from(u16_at(bytes, local + 26)?)
                + usize::from(u16_at(bytes, local + 28)?);
            let packed = bytes.get(start..start.checked_add(packed)?)?;
            let part = Part { method, crc, packed };
            parts.insert(text, part);
            at += 46 + name + extra + comment;
        }
        Some(Zip { parts })
    }

    /// True if there is a part of this name.
    pub(super) fn has(&self, name: &str) -> bool {
        self.parts.contains_key(name)
    }

    /// The text of a part; `None` if there is no such part.
    ///
    /// # Errors
    /// If it is damaged, or if it exceeds the budget.
    pub(super) fn text(
        &self,
        name: &str,
        budget: &mut Budget,
    ) -> Result<Option<String>, ImportError> {
        let Some(part) = self.parts.get(name) else {
            return Ok(None);
        };
        let damaged = || damaged(name);
        let mut out = Vec::new();
        match part.method {
            0 => out.extend_from_slice(part.packed),
            8 => {
                // Read one byte beyond the budget to detect that it is exceeded.
                DeflateDecoder::new(part.packed)
                    .take(budget.left as u64 + 1)
                    .read_to_end(&mut out)
                    .map_err(|_| damaged())?;
            }
            _ => return Err(damaged()),
        }
        budget.spend(out.len())?;
        let mut crc = Crc::new();
        crc.update(&out);
        if crc.sum() != part.crc {
            return Err(damaged());
        }
        let text = String::from_utf8(out);
        Ok(Some(text.unwrap_or_else(|e| String::from_utf8_lossy(e.as_bytes()).into_owned())))
    }
}
