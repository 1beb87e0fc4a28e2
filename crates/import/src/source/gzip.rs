//! Streaming gzip decoder for files with any number of members.

use crate::ImportError;
use flate2::write::MultiGzDecoder;
use std::io::Write;

/// True if a file with these first bytes is gzip.
pub(crate) fn is_gzip(start: &[u8]) -> bool {
    start.starts_with(&[0x1f, 0x8b])
}

/// State of decoding, including bytes after the last member.
#[derive(Debug)]
pub(crate) struct Gzip {
    decoder: MultiGzDecoder<Vec<u8>>,
    /// The header of the current member is complete.
    begun: bool,
    /// Bytes read of an incomplete header.
    header_bytes: u64,
    /// Bytes after the last member that do not start another one.
    trailing: u64,
}

impl Default for Gzip {
    fn default() -> Self {
        let decoder = MultiGzDecoder::new(Vec::new());
        Gzip { decoder, begun: false, header_bytes: 0, trailing: 0 }
    }
}

impl Gzip {
    /// Decodes the next bytes and appends the result.
    pub(crate) fn feed(&mut self, bytes: &[u8], unpacked: &mut Vec<u8>) -> Result<(), ImportError> {
        if self.trailing > 0 {
            self.trailing += bytes.len() as u64;
            return Ok(());
        }
        let mut rest = bytes;
        while !rest.is_empty() {
            let result = self.decoder.write(rest);
            unpacked.append(self.decoder.get_mut());
            let in_header = self.decoder.header().is_none();
            match result {
                Ok(0) => return Err(damaged("its data makes no sense")),
                Ok(taken) => {
                    self.header_bytes =
                        if in_header { self.header_bytes + taken as u64 } else { 0 };
                    self.begun |= !in_header;
                    rest = &rest[taken..];
                }
                Err(_) if in_header && self.begun => {
                    self.trailing = self.header_bytes + rest.len() as u64;
                    return Ok(());
                }
                Err(e) if is_checksum(&e) => return Err(wrong_checksum()),
                Err(e) => return Err(damaged(&e.to_string())),
            }
        }
        Ok(())
    }

    /// Appends the rest at the end of the file.
    pub(crate) fn finish(&mut self, unpacked: &mut Vec<u8>) -> Result<(), ImportError> {
        if self.trailing > 0 {
            return Ok(());
        }
        // An extra byte distinguishes a complete member, whose checksum is then verified, from a truncated one.
        let result = self.decoder.write(&[0]);
        unpacked.append(self.decoder.get_mut());
        match result {
            _ if self.begun && self.decoder.header().is_none() => {
                self.trailing = self.header_bytes;
                Ok(())
            }
            Err(e) if is_checksum(&e) => Err(wrong_checksum()),
            _ => Err(ImportError::new(
                "the gzip file ends early: it was cut off or is still being written; copy it again",
            )),
        }
    }

    /// Bytes after the last member that do not start another one.
    pub(crate) fn trailing(&self) -> u64 {
        self.trailing
    }
}

/// flate2 has a single error kind for all damage.
fn is_checksum(error: &std::io::Error) -> bool {
    error.to_string().contains("checksum")
}

fn wrong_checksum() -> ImportError {
    damaged("what it holds has another checksum or length than it states")
}

fn damaged(why: &str) -> ImportError {
    ImportError::new(format!("the gzip file is damaged: {why}; copy it again"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::{Compression, write::GzEncoder};

    fn packed(text: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    }

    /// Decoded bytes and number of trailing bytes, fed in slices of `step`.
    fn read(bytes: &[u8], step: usize) -> Result<(Vec<u8>, u64), String> {
        let (mut gzip, mut out) = (Gzip::default(), Vec::new());
        for slice in bytes.chunks(step) {
            gzip.feed(slice, &mut out).map_err(|e| e.message)?;
        }
        gzip.finish(&mut out).map_err(|e| e.message)?;
        Ok((out, gzip.trailing()))
    }

    const STEPS: [usize; 5] = [1, 2, 7, 9, 10_000];

    #[test]
    fn what_follows_the_last_member_is_counted() {
        let (one, two) = (packed(b"M,N,K\n"), packed(b"1,2,3\n"));
        let endings: [&[u8]; 7] = [
            b"",
            b"\x1f",
            b"\x1f\x8b",
            b"text\n",
            &[0; 512],
            b"\x1f\x8b\x08\x00abc",
            b"\0\x1f\x8b\x08",
        ];
        for ending in endings {
            let all = [&one[..], &two, ending].concat();
            for step in STEPS {
                let wanted = (b"M,N,K\n1,2,3\n".to_vec(), ending.len() as u64);
                assert_eq!(read(&all, step), Ok(wanted), "{ending:?} by {step}");
            }
        }
    }

    #[test]
    fn a_wrong_checksum_and_a_cut_are_told_apart() {
        let whole = packed("M,N,K,us\n1,2,3,4\n".repeat(50).as_bytes());
        for step in STEPS {
            // The last eight bytes are checksum and length.
            for at in whole.len() - 8..whole.len() {
                let mut wrong = whole.clone();
                wrong[at] ^= 1;
                for more in [&[][..], &whole[..], &[0; 9][..]] {
                    let e = read(&[&wrong[..], more].concat(), step).unwrap_err();
                    assert!(e.contains("checksum") && !e.contains("early"), "{e}");
                }
            }
            for cut in 2..whole.len() {
                let e = read(&whole[..cut], step).unwrap_err();
                assert!(e.contains("ends early") && !e.contains("checksum"), "{cut}: {e}");
            }
        }
    }
}
