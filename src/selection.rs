//! Rows by file and line, so that a selection survives a reload, and back.

use crate::dataset::Dataset;
use crate::view_state::RowRef;
use std::collections::HashMap;

impl RowRef {
    /// The name of a row.
    pub fn of(row: u32, data: &Dataset) -> RowRef {
        let row = row as usize;
        let (source, line) = (data.source[row], data.line[row]);
        let part = (0..row)
            .rev()
            .take_while(|&r| data.source[r] == source && data.line[r] == line)
            .count();
        RowRef {
            source,
            line,
            part: u32::try_from(part).unwrap_or(u32::MAX),
        }
    }

    /// The rows with these names, in the names' order; names that no row has are left out.
    pub fn find(refs: &[RowRef], data: &Dataset) -> Vec<u32> {
        if refs.is_empty() || data.is_empty() {
            return Vec::new();
        }
        let low = refs.iter().map(|r| r.line).min().unwrap_or(0);
        let high = refs.iter().map(|r| r.line).max().unwrap_or(0);
        let mut first: HashMap<(u16, u32), u32> = HashMap::new();
        for r in refs {
            first.insert((r.source, r.line), u32::MAX);
        }
        for (row, &line) in (0u32..).zip(&data.line) {
            // Most rows of a large file are told apart without a look-up.
            if line < low || line > high {
                continue;
            }
            if let Some(slot) = first.get_mut(&(data.source[row as usize], line)) {
                *slot = (*slot).min(row);
            }
        }
        refs.iter()
            .filter_map(|r| {
                let row = first
                    .get(&(r.source, r.line))
                    .filter(|&&row| row != u32::MAX)?
                    .checked_add(r.part)?;
                let at = row as usize;
                let same =
                    at < data.len() && data.source[at] == r.source && data.line[at] == r.line;
                same.then_some(row)
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::DataType;
    use crate::gemm::Operation;

    fn data(places: &[(u16, u32)]) -> Dataset {
        let mut d = Dataset::new();
        d.ops.push(Operation::uniform(DataType::Fp16));
        for &(source, line) in places {
            d.m.push(1);
            d.n.push(1);
            d.k.push(1);
            d.batch.push(1);
            d.op.push(0);
            d.device.push(0);
            d.time_s.push(1.0);
            d.source.push(source);
            d.line.push(line);
        }
        d
    }

    #[test]
    fn every_row_is_found_by_its_name() {
        let d = data(&[(0, 2), (0, 3), (0, 3), (0, 3), (0, 9), (1, 2), (1, 3)]);
        for row in 0..7 {
            let name = RowRef::of(row, &d);
            assert_eq!(RowRef::find(&[name], &d), [row], "{name:?}");
        }
        let names: Vec<RowRef> = [6, 0, 2].map(|r| RowRef::of(r, &d)).into();
        assert_eq!(RowRef::find(&names, &d), [6, 0, 2]);
    }

    #[test]
    fn a_name_of_another_file_finds_nothing() {
        let d = data(&[(0, 2), (0, 3)]);
        let name = |source, line, part| RowRef { source, line, part };
        assert!(RowRef::find(&[name(0, 4, 0), name(2, 2, 0), name(0, 3, 1)], &d).is_empty());
        assert!(RowRef::find(&[name(0, 3, u32::MAX)], &d).is_empty());
        assert!(RowRef::find(&[name(0, 2, 0)], &Dataset::new()).is_empty());
    }
}
