//! Joins datasets and selects rows of one.

use super::{Column, ColumnData, Dataset};
use std::collections::BTreeMap;

impl Dataset {
    /// Adds the rows of another dataset and unites the dictionaries. Columns with the same key and
    /// kind become one; a column that one side lacks is filled with "missing".
    pub fn append(&mut self, other: Dataset) {
        if self.is_empty() && self.sources.is_empty() {
            *self = other;
            if self.devices.is_empty() {
                self.devices.push(String::new());
            }
            return;
        }
        let old_len = self.len();
        let new_len = old_len + other.len();
        let op_map = unite(&mut self.ops, &other.ops);
        let device_map = unite(&mut self.devices, &other.devices);
        let source_base = self.sources.len();
        self.sources.extend(other.sources);
        self.m.extend(other.m);
        self.n.extend(other.n);
        self.k.extend(other.k);
        self.batch.extend(other.batch);
        self.op.extend(other.op.iter().map(|&c| op_map[c as usize]));
        self.device
            .extend(other.device.iter().map(|&c| device_map[c as usize]));
        self.time_s.extend(other.time_s);
        self.source.extend(
            other
                .source
                .iter()
                .map(|&c| u16::try_from(c as usize + source_base).unwrap_or(u16::MAX)),
        );
        self.line.extend(other.line);
        for theirs in other.columns {
            let same = self.columns.iter_mut().find(|c| {
                c.key == theirs.key
                    && matches!(
                        (&c.data, &theirs.data),
                        (ColumnData::Text { .. }, ColumnData::Text { .. })
                            | (ColumnData::Number(_), ColumnData::Number(_))
                    )
            });
            match same {
                Some(ours) => ours.append(theirs.data),
                None => {
                    let mut fresh = Column {
                        data: match theirs.data {
                            ColumnData::Text { .. } => ColumnData::text(),
                            ColumnData::Number(_) => ColumnData::Number(Vec::new()),
                        },
                        key: theirs.key,
                        label: theirs.label,
                        meaning: theirs.meaning,
                        unit: theirs.unit,
                    };
                    // Two columns with the same name but different kinds are both kept.
                    if self.columns.iter().any(|c| c.key == fresh.key) {
                        fresh.key.push_str(match fresh.data {
                            ColumnData::Text { .. } => " (text)",
                            ColumnData::Number(_) => " (number)",
                        });
                    }
                    fresh.data.pad(old_len);
                    fresh.append(theirs.data);
                    self.columns.push(fresh);
                }
            }
        }
        for c in &mut self.columns {
            c.data.pad(new_len);
        }
    }
}

impl Column {
    fn append(&mut self, other: ColumnData) {
        match (&mut self.data, other) {
            (
                ColumnData::Text { codes, values },
                ColumnData::Text {
                    codes: theirs,
                    values: their_values,
                },
            ) => {
                let mut known: BTreeMap<String, u32> = values.iter().cloned().zip(0u32..).collect();
                let map: Vec<u32> = their_values
                    .into_iter()
                    .map(|v| {
                        *known.entry(v).or_insert_with_key(|v| {
                            values.push(v.clone());
                            (values.len() - 1) as u32
                        })
                    })
                    .collect();
                codes.extend(theirs.iter().map(|&c| map[c as usize]));
            }
            (ColumnData::Number(v), ColumnData::Number(theirs)) => v.extend(theirs),
            _ => {}
        }
    }
}

/// Adds the values of `theirs` that `ours` lacks; returns the new code of each of `theirs`.
fn unite<T: PartialEq + Clone>(ours: &mut Vec<T>, theirs: &[T]) -> Vec<u16> {
    theirs
        .iter()
        .map(|t| {
            let i = ours.iter().position(|o| o == t).unwrap_or_else(|| {
                ours.push(t.clone());
                ours.len() - 1
            });
            u16::try_from(i).unwrap_or(u16::MAX)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::{ColumnMeaning, Source};
    use gemmscope_model::dtype::DataType;
    use gemmscope_model::gemm::Operation;

    fn op(t: DataType) -> Operation {
        Operation {
            a: t,
            b: t,
            c: t,
            compute: t,
            trans_a: false,
            trans_b: false,
            bias: false,
            beta: false,
        }
    }

    fn one(name: &str, dtype: DataType, device: &str, kernel: &str) -> Dataset {
        let mut d = Dataset::new();
        d.sources.push(Source {
            name: name.into(),
            ..Source::default()
        });
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
            data: ColumnData::Text {
                codes: vec![1],
                values: vec!["".into(), kernel.into()],
            },
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
        let ColumnData::Number(clock) = &d.columns[1].data else {
            panic!("number column")
        };
        assert!(clock[0].is_nan() && clock[1] == 1e9);
    }
}
