//! Packs a dataset, or a part of one, as a JSON head and a list of typed buffers, which a worker transfers to the page.
//!
//! Columns are moved, never copied; the head holds the small parts (files, types, dictionaries). [`pack`] and
//! [`unpack`] use the same order of buffers.

use super::assembly::{CODES, no_values};
use super::{Column, ColumnData, Dataset, Rejected, Rest, Source, TablePart, Tail};
use gemmscope_model::gemm::Operation;
use serde::{Deserialize, Serialize};

/// A column in transfer.
#[derive(Clone, Debug, PartialEq)]
pub enum Buffer {
    /// Bytes.
    U8(Vec<u8>),
    /// Small codes.
    U16(Vec<u16>),
    /// Sizes, lines, codes.
    U32(Vec<u32>),
    /// Numbers.
    F64(Vec<f64>),
}

/// Element type of a buffer.
trait Value: Sized {
    fn buffer(values: Vec<Self>) -> Buffer;
    /// `None` if the buffer has another type.
    fn values(buffer: Buffer) -> Option<Vec<Self>>;
}

macro_rules! values {
    ($($kind:ident $type:ty),*) => {
        $(impl Value for $type {
            fn buffer(values: Vec<Self>) -> Buffer {
                Buffer::$kind(values)
            }

            fn values(buffer: Buffer) -> Option<Vec<Self>> {
                match buffer {
                    Buffer::$kind(values) => Some(values),
                    _ => None,
                }
            }
        })*
    };
}
values!(U8 u8, U16 u16, U32 u32, F64 f64);

/// A dataset ready for transfer.
#[derive(Clone, Debug, PartialEq)]
pub struct Packed {
    /// The small parts, as JSON.
    pub head: String,
    /// The columns, in the order that [`unpack`] expects.
    pub buffers: Vec<Buffer>,
}

#[derive(Serialize, Deserialize)]
struct Head {
    rows: usize,
    sources: Vec<Source>,
    ops: Vec<Operation>,
    devices: Vec<String>,
    /// Extra columns, each with whether it holds text.
    columns: Vec<Column<bool>>,
    /// Present at the end of a table that came in parts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    tail: Option<Tail>,
}

/// Packs a dataset.
pub fn pack(data: Dataset) -> Packed {
    pack_all(data, None)
}

/// Packs a part of a table.
pub fn pack_part(part: TablePart) -> Packed {
    pack_all(part.rows, None)
}

/// Packs the end of a table.
pub fn pack_rest(rest: Rest) -> Packed {
    pack_all(rest.part.rows, Some(rest.tail))
}

fn pack_all(mut data: Dataset, tail: Option<Tail>) -> Packed {
    let rows = data.len();
    let mut buffers = Vec::new();
    each_column!(v of data => buffers.push(Value::buffer(std::mem::take(v))));
    let mut sources = data.sources;
    for source in sources.iter_mut().filter(|s| !s.rejected.reasons.is_empty()) {
        let rejected = &mut source.rejected;
        buffers.push(Buffer::U32(std::mem::take(&mut rejected.lines)));
        buffers.push(Buffer::U16(std::mem::take(&mut rejected.codes)));
        buffers.push(Buffer::U8(std::mem::take(&mut rejected.text)));
        buffers.push(Buffer::U32(std::mem::take(&mut rejected.text_ends)));
    }
    let mut columns = Vec::with_capacity(data.columns.len());
    for column in data.columns {
        let (head, values) = column.replace(());
        let text = match values {
            ColumnData::Number(values) => {
                buffers.push(Buffer::F64(values));
                false
            }
            ColumnData::Text { codes, values } => {
                let mut bytes = Vec::with_capacity(values.iter().map(String::len).sum());
                let mut ends = Vec::with_capacity(values.len());
                for value in &values {
                    bytes.extend_from_slice(value.as_bytes());
                    ends.push(bytes.len() as u32);
                }
                buffers.push(Buffer::U32(codes));
                buffers.push(Buffer::U8(bytes));
                // A dictionary can be as long as its column, so its offsets are a buffer too.
                buffers.push(Buffer::U32(ends));
                true
            }
        };
        columns.push(head.replace(text).0);
    }
    let head = Head { rows, sources, ops: data.ops, devices: data.devices, columns, tail };
    Packed {
        // Serialising plain structs of text and numbers does not fail.
        head: serde_json::to_string(&head).unwrap_or_default(),
        buffers,
    }
}

/// Unpacks a dataset.
///
/// # Errors
/// A sentence, if the head is not from [`pack`] or a buffer is missing or has another type or length.
pub fn unpack(packed: Packed) -> Result<Dataset, String> {
    let (data, _) = open(packed)?;
    let rows = data.len();
    for column in &data.columns {
        let fits = match &column.data {
            ColumnData::Text { codes, values } => {
                codes.iter().all(|&c| (c as usize) < values.len())
            }
            ColumnData::Number(_) => true,
        };
        if !fits {
            return Err(no_values(&column.key));
        }
        if column.data.len() != rows {
            return Err(no_values(&column.key));
        }
    }
    let known = |codes: &[u16], len: usize| codes.iter().all(|&c| usize::from(c) < len);
    if !known(&data.op, data.ops.len())
        || !known(&data.device, data.devices.len())
        || !known(&data.source, data.sources.len())
    {
        return Err(no_values(CODES));
    }
    Ok(data)
}

/// Unpacks a part of a table; [`Assembly::add`](super::Assembly::add) checks that it continues the others.
///
/// # Errors
/// As [`unpack`].
pub fn unpack_part(packed: Packed) -> Result<TablePart, String> {
    let (rows, _) = open(packed)?;
    Ok(TablePart { rows })
}

/// Unpacks the end of a table.
///
/// # Errors
/// As [`unpack`].
pub fn unpack_rest(packed: Packed) -> Result<Rest, String> {
    let (rows, tail) = open(packed)?;
    Ok(Rest { part: TablePart { rows }, tail: tail.ok_or("the end of the table is missing")? })
}

fn open(packed: Packed) -> Result<(Dataset, Option<Tail>), String> {
    let head: Head = serde_json::from_str(&packed.head).map_err(|e| format!("head: {e}"))?;
    let mut buffers = Take { rows: head.rows, buffers: packed.buffers.into_iter() };
    let mut data = Dataset {
        sources: head.sources,
        ops: head.ops,
        devices: head.devices,
        columns: Vec::with_capacity(head.columns.len()),
        ..Dataset::default()
    };
    each_column!(name, v of data => *v = buffers.of_rows(name)?);
    for source in data.sources.iter_mut().filter(|s| !s.rejected.reasons.is_empty()) {
        let lines = buffers.next(REJECTED)?;
        let codes = buffers.next(REJECTED)?;
        let text = buffers.next(REJECTED)?;
        let text_ends = buffers.next(REJECTED)?;
        source.rejected = Rejected {
            reasons: std::mem::take(&mut source.rejected.reasons),
            lines,
            codes,
            text,
            text_ends,
        };
    }
    for column in head.columns {
        let values = if column.data {
            let codes = buffers.next(&column.key)?;
            let bytes: Vec<u8> = buffers.next(&column.key)?;
            let ends: Vec<u32> = buffers.next(&column.key)?;
            let values = texts(&bytes, &ends).ok_or_else(|| no_values(&column.key))?;
            ColumnData::Text { codes, values }
        } else {
            ColumnData::Number(buffers.next(&column.key)?)
        };
        data.columns.push(column.replace(values).0);
    }
    Ok((data, head.tail))
}

/// Name of the buffers of rejected rows in error messages.
const REJECTED: &str = "rejected rows";

fn texts(bytes: &[u8], ends: &[u32]) -> Option<Vec<String>> {
    let mut start = 0usize;
    ends.iter()
        .map(|&end| {
            let text = std::str::from_utf8(bytes.get(start..end as usize)?).ok()?;
            start = end as usize;
            Some(text.to_owned())
        })
        .collect()
}

struct Take {
    rows: usize,
    buffers: std::vec::IntoIter<Buffer>,
}

impl Take {
    fn next<T: Value>(&mut self, what: &str) -> Result<Vec<T>, String> {
        let found = self.buffers.next().and_then(T::values);
        found.ok_or_else(|| no_values(what))
    }

    /// The next buffer, which must have one value per row.
    fn of_rows<T: Value>(&mut self, what: &str) -> Result<Vec<T>, String> {
        let values = self.next(what)?;
        if values.len() == self.rows { Ok(values) } else { Err(no_values(what)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::ColumnMeaning;
    use gemmscope_model::dtype::DataType;

    fn sample() -> Dataset {
        let mut data = Dataset::new();
        let mut source =
            Source { name: "a.csv".into(), rows_read: 3, rows_used: 2, ..Source::default() };
        source.rejected.push(4, "time is zero", Some((3, "0")), b"1,2,0\n");
        data.sources.push(source);
        data.ops.push(Operation::uniform(DataType::Bf16));
        for i in 0..2u32 {
            data.m.push(i + 1);
            data.n.push(64);
            data.k.push(8);
            data.batch.push(1);
            data.op.push(0);
            data.device.push(0);
            data.time_s.push(f64::from(i) * 1e-6);
            data.source.push(0);
            data.line.push(i + 2);
        }
        data.columns.push(Column {
            key: "kernel".into(),
            label: "Kernel".into(),
            meaning: ColumnMeaning::Kernel,
            unit: String::new(),
            data: ColumnData::Text {
                codes: vec![1, 2],
                values: vec![String::new(), "größe".into(), "b,\"c\"".into()],
            },
        });
        data.columns.push(Column {
            key: "count".into(),
            label: "n".into(),
            meaning: ColumnMeaning::Count,
            unit: String::new(),
            data: ColumnData::Number(vec![1.0, 7.5]),
        });
        data
    }

    #[test]
    fn what_is_packed_is_unpacked() {
        let data = sample();
        assert_eq!(unpack(pack(data.clone())), Ok(data));
        let empty = Dataset::new();
        assert_eq!(unpack(pack(empty.clone())), Ok(empty));
    }

    #[test]
    fn a_damaged_message_is_refused_in_words() {
        let whole = pack(sample());
        for i in 0..whole.buffers.len() {
            let mut short = whole.clone();
            short.buffers.remove(i);
            assert!(unpack(short).is_err(), "without buffer {i}");
        }
        let mut broken = whole.clone();
        broken.buffers[4] = Buffer::U16(vec![0, 9]);
        assert_eq!(unpack(broken), Err("no values that fit: codes".to_owned()));
        let mut broken = whole;
        broken.head = "{}".into();
        assert!(unpack(broken).is_err_and(|e| e.starts_with("head: ")));
    }
}
