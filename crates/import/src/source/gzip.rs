//! gzip in slices -> bytes, member by member.

use crate::ImportError;
use flate2::write::GzDecoder;
use std::io::Write;

/// True where a file starts with these bytes and is gzip.
pub(crate) fn is_gzip(start: &[u8]) -> bool {
    start.starts_with(&[0x1f, 0x8b])
}

/// A gzip file of any number of members.
#[derive(Debug)]
pub(crate) struct Gzip {
    member: Option<Box<GzDecoder<Vec<u8>>>>,
    /// First byte of a following member, when a slice ended right behind one.
    pending: Vec<u8>,
}

impl Default for Gzip {
    fn default() -> Self {
        Gzip { member: Some(member()), pending: Vec::new() }
    }
}

fn member() -> Box<GzDecoder<Vec<u8>>> {
    Box::new(GzDecoder::new(Vec::new()))
}

impl Gzip {
    /// Appends what the next bytes hold.
    pub(crate) fn feed(&mut self, bytes: &[u8], unpacked: &mut Vec<u8>) -> Result<(), ImportError> {
        let joined;
        let mut rest = bytes;
        if !self.pending.is_empty() {
            self.pending.extend_from_slice(bytes);
            joined = std::mem::take(&mut self.pending);
            rest = &joined;
        }
        while !rest.is_empty() {
            let Some(m) = &mut self.member else {
                if rest.len() == 1 {
                    self.pending.extend_from_slice(rest);
                    break;
                }
                if !is_gzip(rest) {
                    // Padding behind the last member: other tools ignore it too.
                    break;
                }
                self.member = Some(member());
                continue;
            };
            let taken = m.write(rest).map_err(|e| corrupt(&e))?;
            rest = rest.get(taken..).unwrap_or_default();
            unpacked.append(m.get_mut());
            if taken == 0 {
                m.try_finish().map_err(|e| corrupt(&e))?;
                unpacked.append(m.get_mut());
                self.member = None;
            }
        }
        Ok(())
    }

    /// Appends the rest at the end of the file.
    pub(crate) fn finish(&mut self, unpacked: &mut Vec<u8>) -> Result<(), ImportError> {
        let Some(mut m) = self.member.take() else {
            return Ok(());
        };
        if m.try_finish().is_err() {
            return Err(ImportError::new(
                "the gzip file ends early: it was cut off or is still being written; \
                 copy it again",
            ));
        }
        unpacked.append(m.get_mut());
        Ok(())
    }
}

fn corrupt(error: &std::io::Error) -> ImportError {
    ImportError::new(format!("the gzip file is damaged: copy it again ({error})"))
}
