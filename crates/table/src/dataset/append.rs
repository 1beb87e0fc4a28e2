//! Joins datasets.

use super::{Column, ColumnData, Dataset};
use crate::build::intern::Index;
use gemmscope_model::units::plural;
use std::collections::HashMap;

/// Reasons for rejecting rows of a joined dataset.
const TOO_MANY_OPS: &str = "more than 65535 combinations of types and layout in all files";
const TOO_MANY_SOURCES: &str = "more than 65535 files";

impl Dataset {
    /// Appends the rows of another dataset and merges the dictionaries. Columns with the same key and kind become one;
    /// a column that one side lacks is padded with "missing".
    ///
    /// Operation, device and file of a row are 16-bit codes. Rows whose operation or file exceeds the codes are
    /// rejected; rows whose device does get `Dataset::FURTHER_DEVICE`, with a note.
    pub fn append(&mut self, other: Dataset) {
        let mut joiner = Joiner { data: std::mem::take(self), ..Joiner::default() };
        joiner.add(other);
        *self = joiner.finish();
    }

    /// Drops the rows whose entry in `keep` is false.
    fn retain(&mut self, keep: &[bool]) {
        fn retain<T>(values: &mut Vec<T>, keep: &[bool]) {
            let mut kept = keep.iter();
            values.retain(|_| kept.next().copied().unwrap_or(true));
        }
        each_column!(v of self => retain(v, keep));
        for c in &mut self.columns {
            match &mut c.data {
                ColumnData::Text { codes, .. } => retain(codes, keep),
                ColumnData::Number(v) => retain(v, keep),
            }
        }
    }
}

/// Joins datasets one after another. Keeps the indices of names, so that each further dataset costs its own size and
/// not the size of all before it.
#[derive(Debug, Default)]
pub(crate) struct Joiner {
    data: Dataset,
    ops: HashMap<u128, u16>,
    devices: Option<Index>,
    /// Columns by key and whether they hold text.
    columns: HashMap<(String, bool), usize>,
    /// Index of the texts of each text column joined so far.
    words: Vec<Option<Index>>,
}

impl Joiner {
    /// The joined dataset.
    pub(crate) fn finish(mut self) -> Dataset {
        if self.data.devices.is_empty() {
            self.data.devices.push(String::new());
        }
        self.data
    }

    /// Appends a dataset; see [`Dataset::append`].
    pub(crate) fn add(&mut self, mut other: Dataset) {
        if self.data.is_empty() && self.data.sources.is_empty() {
            self.data = other;
            return;
        }
        if self.data.devices.is_empty() {
            self.data.devices.push(String::new());
        }
        let op_map = self.ops(&other);
        let source_base = self.data.sources.len();
        let source_of = |code: u16| u16::try_from(usize::from(code) + source_base).ok();
        reject(&mut other, &op_map, source_of);
        let device_map = self.devices(&mut other);
        let data = &mut self.data;
        let old_len = data.len();
        data.sources.append(&mut other.sources);
        for op in &mut other.op {
            *op = op_map[usize::from(*op)].unwrap_or_default();
        }
        for device in &mut other.device {
            *device = device_map[usize::from(*device)];
        }
        for source in &mut other.source {
            *source = source_of(*source).unwrap_or_default();
        }
        each_column!(ours of data, theirs of other => ours.append(theirs));
        for theirs in other.columns {
            self.column(theirs, old_len);
        }
        let len = self.data.len();
        for c in &mut self.data.columns {
            c.data.pad(len);
        }
    }

    /// New code of each of the other's operations; `None` if no code is left.
    fn ops(&mut self, other: &Dataset) -> Vec<Option<u16>> {
        let ours = &mut self.data.ops;
        if self.ops.is_empty() {
            self.ops = ours.iter().map(|o| o.key()).zip(0..=u16::MAX).collect();
        }
        let code = |o: &gemmscope_model::gemm::Operation| {
            if let Some(code) = self.ops.get(&o.key()) {
                return Some(*code);
            }
            let code = u16::try_from(ours.len()).ok()?;
            ours.push(*o);
            self.ops.insert(o.key(), code);
            Some(code)
        };
        other.ops.iter().map(code).collect()
    }

    /// New code of each of the other's devices; [`Dataset::FURTHER_DEVICE`], with a note, if no code is left.
    fn devices(&mut self, other: &mut Dataset) -> Vec<u16> {
        let ours = &mut self.data.devices;
        let index = self.devices.get_or_insert_with(|| Index::of(ours));
        let mut without_code = vec![false; other.devices.len()];
        let map: Vec<u16> = other
            .devices
            .iter()
            .zip(&mut without_code)
            .map(|(name, without_code)| {
                let mut name = name.as_str();
                let mut code = index.find(ours, name);
                if code.is_none() && ours.len() >= Dataset::MOST_DEVICES {
                    *without_code = name != Dataset::FURTHER_DEVICE;
                    name = Dataset::FURTHER_DEVICE;
                    code = index.find(ours, name);
                }
                code.unwrap_or_else(|| index.add(ours, name.to_owned())) as u16
            })
            .collect();
        if without_code.contains(&true) {
            let mut lost = vec![0u64; other.sources.len()];
            for (device, source) in other.device.iter().zip(&other.source) {
                lost[usize::from(*source)] += u64::from(without_code[usize::from(*device)]);
            }
            for (source, rows) in other.sources.iter_mut().zip(lost).filter(|(_, rows)| *rows > 0) {
                let rows = plural(rows, "row");
                source.notes.push(Dataset::further_devices(" in all files", &rows));
            }
        }
        map
    }

    /// Appends a column whose rows start at `old_len`.
    fn column(&mut self, theirs: Column, old_len: usize) {
        let columns = &mut self.data.columns;
        if self.columns.is_empty() {
            let place = |(i, c): (usize, &Column)| ((c.key.clone(), c.is_text()), i);
            self.columns = columns.iter().enumerate().map(place).collect();
        }
        let text = theirs.is_text();
        let mut key = (theirs.key.clone(), text);
        // Columns with the same key but different kinds are both kept.
        if !self.columns.contains_key(&key) && self.columns.contains_key(&(key.0.clone(), !text)) {
            key.0.push_str(if text { " (text)" } else { " (number)" });
        }
        let at = *self.columns.entry(key).or_insert_with_key(|key| {
            let mut data = match theirs.data {
                ColumnData::Text { .. } => ColumnData::text(),
                ColumnData::Number(_) => ColumnData::Number(Vec::new()),
            };
            data.pad(old_len);
            columns.push(Column { key: key.0.clone(), ..theirs.with(data) });
            columns.len() - 1
        });
        if self.words.len() <= at {
            self.words.resize_with(at + 1, || None);
        }
        match (&mut columns[at].data, theirs.data) {
            (
                ColumnData::Text { codes, values },
                ColumnData::Text { codes: theirs, values: their_values },
            ) => {
                let index = self.words[at].get_or_insert_with(|| Index::of(values));
                let map: Vec<u32> = their_values
                    .into_iter()
                    .map(|word| match index.find(values, &word) {
                        Some(code) => code,
                        None => index.add(values, word),
                    })
                    .collect();
                codes.extend(theirs.iter().map(|&c| map[c as usize]));
            }
            (ColumnData::Number(v), ColumnData::Number(theirs)) => v.extend(theirs),
            _ => {}
        }
    }
}

impl Column {
    pub(crate) fn is_text(&self) -> bool {
        matches!(self.data, ColumnData::Text { .. })
    }
}

/// Rejects the rows whose operation or file gets no code.
fn reject(data: &mut Dataset, op_map: &[Option<u16>], source_of: impl Fn(u16) -> Option<u16>) {
    let reason = |row: usize| {
        if source_of(data.source[row]).is_none() {
            Some(TOO_MANY_SOURCES)
        } else if op_map[usize::from(data.op[row])].is_none() {
            Some(TOO_MANY_OPS)
        } else {
            None
        }
    };
    let last = data.sources.len().saturating_sub(1);
    let sources_fit = u16::try_from(last).is_ok_and(|last| source_of(last).is_some());
    if sources_fit && !op_map.contains(&None) {
        return;
    }
    let reasons: Vec<Option<&str>> = (0..data.len()).map(reason).collect();
    for (row, reason) in reasons.iter().enumerate() {
        let Some(reason) = reason else { continue };
        let source = &mut data.sources[usize::from(data.source[row])];
        source.rows_used -= 1;
        source.rejected.push(data.line[row], reason, None, b"");
    }
    let keep: Vec<bool> = reasons.iter().map(Option::is_none).collect();
    data.retain(&keep);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build::TableBuilder;
    use crate::dataset::{ColumnMeaning, Source};
    use gemmscope_model::dtype::DataType;
    use gemmscope_model::gemm::Operation;
    use std::collections::HashSet;

    fn op(t: DataType) -> Operation {
        Operation { c: t, ..Operation::uniform(t) }
    }

    fn one(name: &str, dtype: DataType, device: &str, kernel: &str) -> Dataset {
        let mut d = Dataset::new();
        d.sources.push(Source { name: name.into(), ..Source::default() });
        d.ops.push(op(dtype));
        d.devices.push(device.into());
        d.m.push(1);
        d.n.push(2);
        d.k.push(3);
        d.batch.push(1);
        d.op.push(0);
        d.device.push(1);
        d.time_s.push(1e-6);
        d.source.push(0);
        d.line.push(2);
        d.columns.push(Column {
            key: "kernel".into(),
            label: "kernel".into(),
            meaning: ColumnMeaning::Kernel,
            unit: String::new(),
            data: ColumnData::Text { codes: vec![1], values: vec!["".into(), kernel.into()] },
        });
        d
    }

    #[test]
    fn append_unites_dictionaries_and_pads_missing_columns() {
        let mut d = one("a.csv", DataType::Fp16, "H100", "k1");
        let mut b = one("b.csv", DataType::Bf16, "H100", "k2");
        b.columns.push(Column {
            key: "clock".into(),
            label: "clock".into(),
            meaning: ColumnMeaning::Other,
            unit: "Hz".into(),
            data: ColumnData::Number(vec![1e9]),
        });
        d.append(b);
        assert_eq!(d.len(), 2);
        assert_eq!(d.devices, ["", "H100"]);
        assert_eq!(d.problem(1).op.a, DataType::Bf16);
        assert_eq!(d.text(ColumnMeaning::Kernel, 0), "k1");
        assert_eq!(d.text(ColumnMeaning::Kernel, 1), "k2");
        let ColumnData::Number(clock) = &d.columns[1].data else { panic!("number column") };
        assert!(clock[0].is_nan() && clock[1] == 1e9);
    }

    /// A table in which each row has its own operation, with `devices` different devices.
    fn distinct(name: &str, from: u32, rows: u32, devices: u32) -> Dataset {
        let types: Vec<DataType> = DataType::ALL.to_vec();
        let t = |i: u32, at: u32| types[(i / (types.len() as u32).pow(at)) as usize % types.len()];
        let mut d = Dataset::new();
        d.sources.push(Source {
            name: name.into(),
            rows_read: rows.into(),
            rows_used: rows.into(),
            ..Source::default()
        });
        d.devices.extend((0..devices).map(|i| format!("device {}", from + i)));
        for i in 0..rows {
            let number = from + i;
            d.ops.push(Operation {
                a: t(number, 0),
                b: t(number, 1),
                c: t(number, 2),
                compute: t(number, 3),
                ..op(DataType::Fp16)
            });
            d.m.push(number + 1);
            d.n.push(1);
            d.k.push(1);
            d.batch.push(1);
            d.op.push(i as u16);
            d.device.push((i % devices + 1) as u16);
            d.time_s.push(1e-6);
            d.source.push(0);
            d.line.push(i + 2);
        }
        let values = (0..rows).map(|i| format!("kernel {}", from + i));
        let values = std::iter::once(String::new()).chain(values).collect();
        let codes = (1..=rows).collect();
        d.columns.push(Column {
            key: "kernel".into(),
            label: "kernel".into(),
            meaning: ColumnMeaning::Kernel,
            unit: String::new(),
            data: ColumnData::Text { codes, values },
        });
        d
    }

    #[test]
    fn no_row_gets_the_device_or_the_types_of_another() {
        let want = distinct("all", 0, 60_000, 1);
        let mut all = distinct("a", 0, 40_000, 3_000);
        all.append(distinct("b", 40_000, 40_000, 3_000));
        assert_eq!(all.devices.len(), 4_097);
        assert_eq!(all.len(), 65_536, "rows with an operation of their own");
        for row in 0..all.len() {
            let number = all.m[row] - 1;
            let device = &all.devices[usize::from(all.device[row])];
            let first = if number < 40_000 { 0 } else { 40_000 };
            let at = first + (number - first) % 3_000;
            match at {
                ..41_095 => assert_eq!(*device, format!("device {at}")),
                _ => assert_eq!(device, Dataset::FURTHER_DEVICE),
            }
            if number < 60_000 {
                assert_eq!(all.problem(row).op, want.ops[number as usize]);
            }
        }
        let b = &all.sources[1];
        assert_eq!((b.rows_read, b.rows_used, b.rejected.total()), (40_000, 25_536, 14_464));
        assert_eq!(b.rejected.reasons[0].text, TOO_MANY_OPS);
        let said = "15\u{202f}681 rows of the further ones have \"another device\".";
        assert!(b.notes[0].ends_with(said), "{:?}", b.notes);
        let kernels = all.codes(ColumnMeaning::Kernel).unwrap();
        assert_eq!(HashSet::<&u32>::from_iter(kernels).len(), 65_536, "kernels have wider codes");
    }

    #[test]
    fn one_table_keeps_as_many_devices_as_several() {
        let mut table = TableBuilder::new();
        let codes: Vec<u16> = (0..5_000).map(|i| table.device(&format!("device {i}"))).collect();
        assert_eq!(codes[4_094..4_097], [4_095, 4_096, 4_096]);
        let data = table.finish();
        assert_eq!(data.devices.last().map(String::as_str), Some(Dataset::FURTHER_DEVICE));
        assert!(data.sources[0].notes[0].starts_with("More than 4095 device names"));
        // A device that another row states already needs no further code.
        let mut all = distinct("all", 0, 4_095, 4_095);
        all.device[0] = 0;
        all.state_device(0, "H100");
        assert_eq!(all.devices[usize::from(all.device[0])], Dataset::FURTHER_DEVICE);
    }

    #[test]
    fn rows_beyond_the_last_file_are_rejected() {
        let mut all = one("first", DataType::Fp16, "H100", "k");
        all.sources.resize(65_535, Source::default());
        let of_two = |name: &str| {
            let mut two = one(name, DataType::Fp16, "H100", "k");
            two.sources[0].rows_read = 1;
            two.sources[0].rows_used = 1;
            two
        };
        all.append(of_two("the last"));
        all.append(of_two("one more"));
        assert_eq!((all.len(), all.source[1]), (2, 65_535));
        let last = &all.sources[65_536];
        assert_eq!((last.rows_used, last.rejected.total()), (0, 1));
        assert_eq!(last.rejected.reasons[0].text, TOO_MANY_SOURCES);
    }

    #[test]
    fn a_column_that_is_text_in_one_file_and_numbers_in_another_stays_two() {
        let with = |data: ColumnData| {
            let mut d = one("x", DataType::Fp16, "H100", "k");
            d.columns.push(Column {
                key: "x".into(),
                label: "x".into(),
                meaning: ColumnMeaning::Other,
                unit: String::new(),
                data,
            });
            d
        };
        let text = || ColumnData::Text { codes: vec![1], values: vec!["".into(), "word".into()] };
        let mut d = with(ColumnData::Number(vec![1.0]));
        for _ in 0..2 {
            d.append(with(text()));
        }
        let keys: Vec<&str> = d.columns.iter().map(|c| c.key.as_str()).collect();
        assert_eq!(keys, ["kernel", "x", "x (text)"]);
        assert_eq!(
            d.columns[2].data,
            ColumnData::Text { codes: vec![0, 1, 1], values: vec!["".into(), "word".into()] }
        );
    }
}
