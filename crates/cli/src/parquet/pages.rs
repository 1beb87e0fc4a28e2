//! The pages of a column, decompressed within a limit.

use super::{damaged, too_large, too_many, wrong};
use bytes::Bytes;
use flate2::read::MultiGzDecoder;
use gemmscope_import::ImportError;
use parquet::basic::{Compression, Encoding, Type};
use parquet::column::page::{Page, PageMetadata, PageReader};
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::serialized_reader::SerializedPageReader;
use ruzstd::decoding::StreamingDecoder;
use std::io::Read;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Maximum number of values in a page. Tools write pages of about a mebibyte.
const MOST_VALUES: u32 = 1 << 24;

/// Bytes of unpacked pages in memory, over all columns of a row group.
pub(super) struct Budget {
    held: AtomicU64,
    limit: u64,
}

impl Budget {
    pub(super) fn new(limit: u64) -> Arc<Budget> {
        Arc::new(Budget { held: AtomicU64::new(0), limit })
    }

    fn left(&self) -> u64 {
        self.limit.saturating_sub(self.held.load(Relaxed))
    }
}

#[derive(Clone, Copy)]
enum Codec {
    None,
    Snappy,
    Gzip,
    Zstd,
}

/// The pages of a column in a row group.
///
/// # Errors
/// An unsupported codec, or an offset outside the file.
pub(super) fn open(
    file: &Bytes,
    chunk: &ColumnChunkMetaData,
    rows: i64,
    budget: &Arc<Budget>,
) -> std::result::Result<Box<dyn PageReader>, ImportError> {
    let codec = match chunk.compression() {
        Compression::UNCOMPRESSED => Codec::None,
        Compression::SNAPPY => Codec::Snappy,
        Compression::GZIP(_) => Codec::Gzip,
        Compression::ZSTD(_) => Codec::Zstd,
        other => {
            // `BROTLI(BrotliLevel(1))`: the level is not stored in the file.
            let name = other.to_string();
            let name = name.split('(').next().unwrap_or(&name);
            return Err(ImportError::new(format!(
                "the Parquet file is packed with {name}: write it with zstd, snappy, gzip or uncompressed"
            )));
        }
    };
    let start = chunk.dictionary_page_offset().unwrap_or(chunk.data_page_offset());
    let end = start.checked_add(chunk.compressed_size());
    let fits = start >= 0 && end.is_some_and(|end| end >= start && end as u64 <= file.len() as u64);
    if !fits || chunk.num_values() != rows {
        return Err(wrong("a column does not fit its rows"));
    }
    // Declared as uncompressed, so that the crate returns packed pages and we unpack them.
    let packed = chunk.clone().into_builder().set_compression(Compression::UNCOMPRESSED);
    let packed = packed.build().map_err(damaged)?;
    let rows = usize::try_from(rows).unwrap_or(usize::MAX);
    let inner = SerializedPageReader::new(Arc::new(file.clone()), &packed, rows, None);
    let width = match chunk.column_type() {
        Type::BOOLEAN => 0,
        Type::INT32 | Type::FLOAT | Type::BYTE_ARRAY => 4,
        Type::INT64 | Type::DOUBLE => 8,
        Type::INT96 => 12,
        Type::FIXED_LEN_BYTE_ARRAY => {
            u64::try_from(chunk.column_descr().type_length()).unwrap_or(0)
        }
    };
    Ok(Box::new(Pages {
        inner: inner.map_err(damaged)?,
        codec,
        width,
        budget: budget.clone(),
        dictionary: None,
        data: 0,
    }))
}

struct Pages {
    inner: SerializedPageReader<Bytes>,
    codec: Codec,
    /// Minimum bytes of an unpacked value.
    width: u64,
    budget: Arc<Budget>,
    /// Bytes of the dictionary, once read.
    dictionary: Option<u64>,
    /// Bytes of the current data page.
    data: u64,
}

impl Pages {
    /// Unpacks a page, whose first `plain` bytes are not packed.
    fn unpack(&self, packed: &Bytes, plain: usize) -> Result<Bytes> {
        let (head, body) = packed
            .split_at_checked(plain)
            .ok_or_else(|| ParquetError::General("a page is shorter than its levels".into()))?;
        if matches!(self.codec, Codec::None) || body.is_empty() {
            return Ok(packed.clone());
        }
        let limit = self.budget.left();
        let mut out = head.to_vec();
        let bad = |why: &dyn std::fmt::Display| {
            ParquetError::General(format!("a page cannot be unpacked ({why})"))
        };
        let unpacked = match self.codec {
            Codec::Snappy => {
                let size = snap::raw::decompress_len(body).map_err(|e| bad(&e))?;
                if size as u64 > limit {
                    return Err(external(too_large(self.budget.limit)));
                }
                // Snappy expands a byte to at most 64 / 3: larger claims are refused before memory is allocated.
                if size / 64 > body.len() {
                    return Err(bad(&"it claims more than it holds"));
                }
                let mut unpacked = vec![0; size];
                snap::raw::Decoder::new().decompress(body, &mut unpacked).map_err(|e| bad(&e))?;
                out.extend_from_slice(&unpacked);
                return Ok(out.into());
            }
            Codec::Gzip => MultiGzDecoder::new(body).take(limit + 1).read_to_end(&mut out),
            _ => {
                let frame = StreamingDecoder::new(body).map_err(|e| bad(&e))?;
                frame.take(limit + 1).read_to_end(&mut out)
            }
        };
        let unpacked = unpacked.map_err(|e| bad(&e))?;
        if unpacked as u64 > limit {
            return Err(external(too_large(self.budget.limit)));
        }
        Ok(out.into())
    }

    fn hold(&mut self, bytes: u64, dictionary: bool) -> Result<()> {
        let before = match dictionary {
            true => self.dictionary.replace(bytes).unwrap_or(0),
            false => std::mem::replace(&mut self.data, bytes),
        };
        self.budget.held.fetch_add(bytes, Relaxed);
        self.budget.held.fetch_sub(before, Relaxed);
        match self.budget.held.load(Relaxed) > self.budget.limit {
            true => Err(external(too_large(self.budget.limit))),
            false => Ok(()),
        }
    }

    /// Unpacks a page; refuses pages for which the decoder would allocate without a check.
    fn checked(&mut self, mut page: Page) -> Result<Page> {
        if page.num_values() > MOST_VALUES {
            return Err(external(too_many(page.num_values().into())));
        }
        let (plain, packed) = match &page {
            Page::DataPageV2 {
                rep_levels_byte_len, def_levels_byte_len, is_compressed, ..
            } => (*rep_levels_byte_len as usize + *def_levels_byte_len as usize, *is_compressed),
            _ => (0, true),
        };
        if packed {
            let unpacked = self.unpack(page.buffer(), plain)?;
            match &mut page {
                Page::DataPage { buf, .. }
                | Page::DataPageV2 { buf, .. }
                | Page::DictionaryPage { buf, .. } => *buf = unpacked,
            }
        }
        let bytes = page.buffer().len() as u64;
        if plain as u64 > bytes {
            return Err(ParquetError::General("a page is shorter than its levels".into()));
        }
        let values = u64::from(page.num_values());
        match &page {
            // A dictionary is decoded at once.
            Page::DictionaryPage { .. } if values.saturating_mul(self.width) > bytes => {
                return Err(ParquetError::General("a dictionary is cut off".into()));
            }
            Page::DictionaryPage { .. } => {}
            _ if self.dictionary.is_none()
                && matches!(
                    page.encoding(),
                    Encoding::PLAIN_DICTIONARY | Encoding::RLE_DICTIONARY
                ) =>
            {
                return Err(ParquetError::General("a dictionary is missing".into()));
            }
            _ => supported(page.encoding())?,
        }
        self.hold(bytes, page.is_dictionary_page())?;
        Ok(page)
    }
}

/// Refuses encodings whose decoders allocate as much as a page claims, and unknown ones.
fn supported(encoding: Encoding) -> Result<()> {
    use Encoding as E;
    match encoding {
        E::PLAIN
        | E::PLAIN_DICTIONARY
        | E::RLE_DICTIONARY
        | E::RLE
        | E::DELTA_BINARY_PACKED
        | E::BYTE_STREAM_SPLIT => Ok(()),
        other => Err(external(ImportError::new(format!(
            "the Parquet file has values in the encoding {other}, which is not read: write it with the usual \
             encodings (pyarrow: the default of column_encoding)"
        )))),
    }
}

fn external(error: ImportError) -> ParquetError {
    ParquetError::External(Box::new(error))
}

impl Iterator for Pages {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Result<Page>> {
        self.get_next_page().transpose()
    }
}

impl PageReader for Pages {
    fn get_next_page(&mut self) -> Result<Option<Page>> {
        let page = self.inner.get_next_page()?;
        page.map(|page| self.checked(page)).transpose()
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
        self.inner.peek_next_page()
    }

    fn skip_next_page(&mut self) -> Result<()> {
        self.inner.skip_next_page()
    }
}
