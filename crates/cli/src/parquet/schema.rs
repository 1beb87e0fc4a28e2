//! The schema of a footer, walked before the `parquet` crate builds it: by recursion, and with room for as many
//! children as an element claims.

use super::wrong;
use gemmscope_import::ImportError;

/// Maximum levels of a schema. Tools write a handful.
const MOST_LEVELS: usize = 100;

// Types of fields in Thrift's compact protocol.
const TRUE: u8 = 1;
const FALSE: u8 = 2;
const BYTE: u8 = 3;
const I16: u8 = 4;
const I32: u8 = 5;
const I64: u8 = 6;
const DOUBLE: u8 = 7;
const BINARY: u8 = 8;
const LIST: u8 = 9;
const STRUCT: u8 = 12;

/// Refuses a schema that is deeper than any tool writes it, or has fewer elements than its groups claim.
///
/// # Errors
/// Such a schema, or one that cannot be walked.
pub(super) fn check(file: &[u8]) -> Result<(), ImportError> {
    // Where it should be longer than the file, the crate says so.
    let Some(footer) = footer(file) else { return Ok(()) };
    let mut levels = 0;
    let mut walked = None;
    // What comes before the schema is its version; what comes behind is the crate's matter.
    Thrift(footer).fields(|thrift, id, kind| match (id, kind) {
        (1, I32) => thrift.int().map(drop),
        (2, LIST) => {
            walked = thrift.schema(&mut levels);
            None
        }
        _ => None,
    });
    if levels > MOST_LEVELS {
        return Err(ImportError::new(format!(
            "the Parquet file has columns in more than {MOST_LEVELS} levels of groups: write M, N, K and the time as \
             columns of their own"
        )));
    }
    walked.ok_or_else(|| wrong("its schema makes no sense"))
}

/// The footer, whose length is before the last four bytes.
fn footer(file: &[u8]) -> Option<&[u8]> {
    let (rest, _) = file.split_last_chunk::<4>()?;
    let (rest, length) = rest.split_last_chunk()?;
    let length = usize::try_from(u32::from_le_bytes(*length)).ok()?;
    rest.get(rest.len().checked_sub(length)?..)
}

/// Bytes in Thrift's compact protocol. `None` is the end of them, or what the crate would read otherwise than they say.
struct Thrift<'a>(&'a [u8]);

impl Thrift<'_> {
    fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    fn pass(&mut self, bytes: u64) -> Option<()> {
        self.0 = self.0.get(usize::try_from(bytes).ok()?..)?;
        Some(())
    }

    fn varint(&mut self) -> Option<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(value);
            }
        }
        None
    }

    /// A number as the crate reads it, which drops what is above 32 bits.
    fn int(&mut self) -> Option<i32> {
        let value = self.varint()?;
        Some(((value >> 1).cast_signed() ^ -(value & 1).cast_signed()) as i32)
    }

    /// Calls `take` with number and type of each field of a structure.
    fn fields(&mut self, mut take: impl FnMut(&mut Self, i16, u8) -> Option<()>) -> Option<()> {
        let mut id = 0i16;
        loop {
            let head = self.byte()?;
            let kind = head & 0x0f;
            if kind == 0 {
                return Some(());
            }
            id = match head >> 4 {
                0 => self.int()? as i16,
                more => id.checked_add(more.into())?,
            };
            take(self, id, kind)?;
        }
    }

    /// Skips a value; structures in it may be this deep.
    fn skip(&mut self, kind: u8, depth: usize) -> Option<()> {
        match kind {
            TRUE | FALSE => Some(()),
            BYTE => self.pass(1),
            I16..=I64 => self.varint().map(drop),
            DOUBLE => self.pass(8),
            BINARY => {
                let length = self.varint()?;
                self.pass(length)
            }
            STRUCT => {
                let depth = depth.checked_sub(1)?;
                self.fields(|thrift, _, kind| thrift.skip(kind, depth))
            }
            _ => None,
        }
    }

    /// The list of elements, each group before its children.
    fn schema(&mut self, levels: &mut usize) -> Option<()> {
        let head = self.byte()?;
        let elements = match head >> 4 {
            15 => self.varint()?,
            few => few.into(),
        };
        if head & 0x0f != STRUCT {
            return None;
        }
        // Children to come: of each group on the way here, and of all of these.
        let mut open: Vec<u64> = Vec::new();
        let mut all = 0u64;
        for left in (0..elements).rev() {
            let children = self.element()?;
            if let Some(siblings) = open.last_mut() {
                *siblings -= 1;
                all -= 1;
            }
            all += children;
            open.push(children);
            *levels = open.len().max(*levels);
            if all > left || *levels > MOST_LEVELS {
                return None;
            }
            while open.pop_if(|children| *children == 0).is_some() {}
        }
        Some(())
    }

    /// An element; returns its number of children. The crate takes known fields for what they should be.
    fn element(&mut self) -> Option<u64> {
        let mut children = 0;
        self.fields(|thrift, id, kind| match (id, kind) {
            (5, I32) => thrift.int().map(|number| children = number),
            (1..=3 | 6..=9, I32) | (4, BINARY) => thrift.skip(kind, 0),
            (10, STRUCT) => thrift.logical(),
            (1..=10, _) => None,
            _ => thrift.skip(kind, 8),
        })?;
        u64::try_from(children).ok()
    }

    /// What the values of an element are: a structure with one field, whose own are listed here.
    fn logical(&mut self) -> Option<()> {
        self.fields(|thrift, of, kind| match (of, kind) {
            (1..=19, STRUCT) => thrift.fields(|thrift, id, kind| match (of, id, kind) {
                (5, 1 | 2, I32)
                | (7 | 8, 1, TRUE | FALSE)
                | (10, 1, BYTE)
                | (10, 2, TRUE | FALSE)
                | (16, 1, BYTE)
                | (17 | 18, 1, BINARY)
                | (18, 2, I32) => thrift.skip(kind, 0),
                // A unit of time: a structure with one empty one.
                (7 | 8, 2, STRUCT) => thrift.skip(kind, 2),
                _ => None,
            }),
            (1..=19, _) => None,
            _ => thrift.skip(kind, 8),
        })
    }
}
