//! Decodes the files of `public/reference`; `scripts/gen_reference.mjs` describes the format and writes them.

use flate2::write::MultiGzDecoder;
use std::io::Write;

/// Maximum size of a file in bytes: twice the largest.
const MOST: usize = 1 << 16;
/// Maximum size of its content in bytes.
const MOST_INSIDE: usize = 1 << 20;
/// Shortest and longest time of a GEMM, in seconds.
const TIMES: std::ops::Range<f64> = 1e-8..1e3;

/// What is unpacked, up to [`MOST_INSIDE`].
struct Inside(Vec<u8>);

impl Write for Inside {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if self.0.len() + bytes.len() > MOST_INSIDE {
            return Err(std::io::ErrorKind::FileTooLarge.into());
        }
        self.0.write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// One shape of a table; tables are sorted by N, K, M.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Shape {
    pub n: u32,
    pub k: u32,
    pub m: u32,
    pub time_s: f64,
    /// Index of the software that was fastest, in [`super::ReferenceSource::by`].
    pub by: u8,
}

/// Reads the LEB128 numbers of one part from the front.
struct Numbers<'a>(&'a [u8]);

impl<'a> Numbers<'a> {
    fn next(&mut self) -> Result<u32, String> {
        let mut value = 0u64;
        for shift in (0..35).step_by(7) {
            let (byte, rest) = self.0.split_first().ok_or("it ends early")?;
            self.0 = rest;
            value |= u64::from(byte & 127) << shift;
            if byte & 128 == 0 {
                return u32::try_from(value).map_err(|_| "a number is too large".to_owned());
            }
        }
        Err("a number is too long".to_owned())
    }

    fn part(&mut self) -> Result<Numbers<'a>, String> {
        let length = self.next()? as usize;
        let (part, rest) = self.0.split_at_checked(length).ok_or("it ends early")?;
        self.0 = rest;
        Ok(Numbers(part))
    }

    /// Next size of one level, stored as the difference to `last`; sizes must ascend.
    fn size(&mut self, last: &mut u32) -> Result<u32, String> {
        let rise = self.next()?;
        let size = last.checked_add(rise).filter(|_| rise > 0).ok_or("sizes do not rise")?;
        *last = size;
        Ok(size)
    }
}

/// Decodes the shapes of a file.
///
/// # Errors
/// A sentence on what is wrong with the file.
pub(super) fn shapes(packed: &[u8]) -> Result<Vec<Shape>, String> {
    if packed.len() > MOST {
        return Err("it is too long".to_owned());
    }
    // The decoder that data files use too.
    let mut decoder = MultiGzDecoder::new(Inside(Vec::new()));
    let Inside(bytes) = decoder
        .write_all(packed)
        .and_then(|()| decoder.finish())
        .map_err(|_| "it is no gzip, damaged, or unpacks to too much")?;
    let mut all = Numbers(&bytes);
    let (mut sizes, mut times, by) = (all.part()?, all.part()?, all.part()?);
    let mut out = Vec::with_capacity(by.0.len());
    let mut step = 0i64;
    let mut last_n = 0;
    for _ in 0..sizes.next()? {
        let n = sizes.size(&mut last_n)?;
        let mut last_k = 0;
        for _ in 0..sizes.next()? {
            let k = sizes.size(&mut last_k)?;
            let mut last_m = 0;
            for _ in 0..sizes.next()? {
                let m = sizes.size(&mut last_m)?;
                let zigzag = i64::from(times.next()?);
                step += if zigzag & 1 == 1 { -(zigzag >> 1) - 1 } else { zigzag >> 1 };
                let by = *by.0.get(out.len()).ok_or("it names too few frameworks")?;
                let time_s = 1e-9 * (step as f64 * 1.02f64.ln()).exp();
                if !TIMES.contains(&time_s) {
                    return Err("a time is none of a GEMM".to_owned());
                }
                out.push(Shape { n, k, m, time_s, by });
            }
        }
    }
    if out.len() != by.0.len() || !times.0.is_empty() || !sizes.0.is_empty() {
        return Err("its parts are not of one length".to_owned());
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::GzEncoder;

    fn packed(parts: [&[u8]; 3]) -> Vec<u8> {
        let mut bytes = Vec::new();
        for part in parts {
            let mut length = part.len();
            while length >= 128 {
                bytes.push(length as u8 | 128);
                length >>= 7;
            }
            bytes.push(length as u8);
            bytes.extend(part);
        }
        let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
        gzip.write_all(&bytes).unwrap();
        gzip.finish().unwrap()
    }

    #[test]
    fn a_hostile_copy_is_refused_and_costs_little() {
        // One shape, 512 x 512 x 512, of 1.02^465 ns.
        let sizes = [1, 128, 4, 1, 128, 4, 1, 128, 4];
        let [time, longest] = [[0xa2, 7].as_slice(), &[0xfe, 0xff, 0xff, 0xff, 15]];
        assert_eq!(shapes(&packed([&sizes, time, &[0]])).unwrap().len(), 1);
        let refused = |parts| shapes(&packed(parts)).unwrap_err();
        for time in [longest, &[0xff, 0xff, 0xff, 0xff, 15], &[0]] {
            assert_eq!(refused([&sizes, time, &[0]]), "a time is none of a GEMM");
        }
        // 50 kB that unpack to 48 MB.
        let bomb = packed([&sizes, time, &vec![0; 48 << 20]]);
        assert!(bomb.len() < MOST, "{}", bomb.len());
        assert_eq!(shapes(&bomb).unwrap_err(), "it is no gzip, damaged, or unpacks to too much");
        let all = u32::MAX.to_le_bytes().map(|byte| byte | 128);
        let many = [&all[..], &[15, 1, 1, 1, 1]].concat();
        assert_eq!(refused([&many, time, &[0]]), "it ends early");
    }
}
