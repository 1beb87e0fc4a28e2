//! Unique names of single rows: the shape, and as much more as tells it from the others.

use gemmscope_analysis::names;
use gemmscope_model::tiling::kernel_name::KernelName;
use gemmscope_table::dataset::ColumnMeaning;
use gemmscope_table::field::{Frame, shape_label};
use gemmscope_table::group::{by_key, mix};
use std::collections::BTreeMap;

/// How the passing rows of a frame are named.
#[derive(Debug)]
pub(crate) struct RowNames {
    frame: Frame,
    /// Each row has a readable, unique kernel name.
    kernels: bool,
    /// Properties that differ between rows.
    differs: Vec<NamePart>,
    /// For each row of the frame.
    needs: Vec<Needs>,
    /// No two consecutive rows come from one line, as those of a table with a column per kernel do.
    lines_are_unique: bool,
}

/// Up to this many rows, shapes are compared; with more, each name has all parts.
const LARGEST: usize = 200_000;

/// Needed in the name of a row besides its shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Needs {
    Nothing,
    Parts,
    /// The parts, the tile of its kernel if known, and its line in the file or its number.
    Line,
}

/// Properties that tell rows of one shape apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NamePart {
    Types,
    Layout,
    Text(ColumnMeaning),
    Device,
    Source,
}

impl NamePart {
    const ALL: [NamePart; 6] = [
        NamePart::Types,
        NamePart::Layout,
        NamePart::Text(ColumnMeaning::OpName),
        NamePart::Text(ColumnMeaning::Library),
        NamePart::Device,
        NamePart::Source,
    ];

    fn code(self, frame: &Frame, row: usize) -> u32 {
        let d = &*frame.data;
        match self {
            NamePart::Types | NamePart::Layout => u32::from(d.op[row]),
            NamePart::Text(meaning) => d.codes(meaning).map_or(0, |codes| codes[row]),
            NamePart::Device => u32::from(frame.device(row)),
            NamePart::Source => u32::from(d.source[row]),
        }
    }

    fn text(self, frame: &Frame, row: usize) -> String {
        let d = &*frame.data;
        let op = || &d.ops[usize::from(d.op[row])];
        match self {
            NamePart::Types => op().types(),
            NamePart::Layout => op().layout().to_owned(),
            NamePart::Text(meaning) => d.text(meaning, row).to_owned(),
            NamePart::Device => frame.device_name(d.device[row]).to_owned(),
            NamePart::Source => d.sources[usize::from(d.source[row])].name.clone(),
        }
    }
}

impl RowNames {
    /// Determines what tells the rows apart.
    pub(crate) fn new(frame: &Frame) -> Self {
        let d = &*frame.data;
        let rows = || frame.rows.iter().map(|r| *r as usize);
        let kernels = own_kernels(frame);
        let first = rows().next();
        let mut differs = NamePart::ALL.to_vec();
        differs.retain(|part| {
            let text = first.map(|r| (part.code(frame, r), part.text(frame, r)));
            let same = |r: usize| {
                let (code, words) = text.as_ref()?;
                Some(*code == part.code(frame, r) || *words == part.text(frame, r))
            };
            rows().any(|r| same(r) == Some(false))
        });
        let differs = telling(frame, differs);
        let row = |place: u32| frame.rows[place as usize] as usize;
        let shape = |place: u32| {
            let r = row(place);
            let sizes = [d.m[r], d.n[r], d.k[r], d.batch[r]];
            sizes.into_iter().fold(0, |key, size| mix(key, u64::from(size)))
        };
        let whole = |place: u32| {
            let codes = differs.iter().map(|part| part.code(frame, row(place)));
            codes.fold(shape(place), |key, code| mix(key, u64::from(code)))
        };
        let named = !kernels && frame.rows.len() <= LARGEST;
        let places: Vec<u32> = (0..frame.rows.len() as u32).filter(|_| named).collect();
        let several = by_key(&places, &shape).windows(2).any(|w| w[0].0 == w[1].0);
        let needs = match (named, several) {
            (false, _) => Needs::Line,
            (true, false) => Needs::Nothing,
            // All names have their parts, so that they can be compared.
            (true, true) => Needs::Parts,
        };
        let mut needs = vec![needs; frame.rows.len()];
        let keyed = by_key(if several { &places } else { &[] }, &whole);
        for alike in keyed.chunk_by(|a, b| a.0 == b.0).filter(|alike| alike.len() > 1) {
            alike.iter().for_each(|(_, place)| needs[*place as usize] = Needs::Line);
        }
        RowNames {
            frame: frame.clone(),
            kernels,
            differs,
            needs,
            lines_are_unique: d.line.windows(2).all(|l| l[0] != l[1]),
        }
    }

    /// Name of `frame.rows[place]`.
    pub(crate) fn get(&self, place: usize) -> String {
        let d = &*self.frame.data;
        let Some(r) = self.frame.rows.get(place).map(|r| *r as usize) else {
            return String::new();
        };
        if self.kernels {
            return names::name_of(&self.frame, r);
        }
        let mut out = shape_label(&d.problem(r));
        let needs = self.needs.get(place).copied().unwrap_or(Needs::Nothing);
        if needs != Needs::Nothing {
            for part in &self.differs {
                let text = part.text(&self.frame, r);
                if !text.is_empty() {
                    out.push(' ');
                    out.push_str(&text);
                }
            }
        }
        if needs == Needs::Line {
            let kernel = KernelName::parse(d.text(ColumnMeaning::Kernel, r));
            if let Some(tile) = kernel.tile {
                out.push_str(&format!(" tile {}×{}", tile.m, tile.n));
            }
            match self.lines_are_unique {
                true => out.push_str(&format!(" #{}", d.line[r])),
                false => out.push_str(&format!(" row {}", r + 1)),
            }
        }
        out
    }
}

/// The parts without those that an earlier one implies: with one file per library, the file is left out.
fn telling(frame: &Frame, differs: Vec<NamePart>) -> Vec<NamePart> {
    // Compared by text: the codes of types and layouts are those of whole operations.
    let of = |part: &NamePart| -> Vec<u32> {
        let (mut known, mut texts) = (Vec::new(), BTreeMap::new());
        let rows = frame.rows.iter().map(|r| *r as usize);
        let numbers = rows.map(|r| {
            let (code, next) = (part.code(frame, r) as usize, texts.len() as u32);
            known.resize(known.len().max(code + 1), None);
            *known[code].get_or_insert_with(|| *texts.entry(part.text(frame, r)).or_insert(next))
        });
        numbers.collect()
    };
    let mut kept: Vec<(NamePart, Vec<u32>)> = Vec::new();
    for part in differs {
        let own = of(&part);
        let told = |(_, earlier): &(NamePart, Vec<u32>)| {
            let mut follows = vec![None; earlier.len()];
            earlier.iter().zip(&own).all(|(a, b)| follows[*a as usize].get_or_insert(*b) == b)
        };
        if !kept.iter().any(told) {
            kept.push((part, own));
        }
    }
    kept.into_iter().map(|k| k.0).collect()
}

/// Longest kernel name, in characters, that is readable beside a bar.
const READABLE: usize = 60;

/// True if each row has a unique kernel name and none is too long.
fn own_kernels(frame: &Frame) -> bool {
    let d = &*frame.data;
    let Some(codes) = d.codes(ColumnMeaning::Kernel) else {
        return false;
    };
    let mut seen = vec![false; codes.iter().max().map_or(0, |code| *code as usize + 1)];
    let named = |r: usize| (1..=READABLE).contains(&d.text(ColumnMeaning::Kernel, r).len());
    frame
        .rows
        .iter()
        .map(|r| *r as usize)
        .all(|r| named(r) && !std::mem::replace(&mut seen[codes[r] as usize], true))
}

#[cfg(test)]
mod tests {
    use super::*;
    use gemmscope_table::fixture::{self, Rows};

    #[test]
    fn what_a_part_tells_the_next_does_not_repeat() {
        let mut rows = Rows::new();
        for library in ["hipblaslt", "rocblas"] {
            rows.row((64, 64, 64), library, 1e-5, "");
        }
        let mut data = (*rows.frame(None).data).clone();
        data.sources.push(data.sources[0].clone());
        data.sources[1].name = "rocblas-gemm.csv".into();
        data.source[1] = 1;
        let names = RowNames::new(&fixture::frame(data, None));
        let all = [0, 1].map(|i| names.get(i));
        assert_eq!(all, ["64 × 64 × 64 hipBLASLt", "64 × 64 × 64 rocBLAS"]);
    }

    #[test]
    fn no_two_rows_have_one_name() {
        let mut rows = Rows::new();
        for (k, library) in [(64, "a"), (128, "a"), (128, "b"), (256, "b"), (256, "b")] {
            rows.row((64, 64, k), library, 1e-5, "");
        }
        let frame = rows.frame(None);
        let names = RowNames::new(&frame);
        let all: Vec<String> = (0..5).map(|i| names.get(i)).collect();
        let d = &frame.data;
        assert_eq!(
            all,
            [
                "64 × 64 × 64 a".to_owned(),
                "64 × 64 × 128 a".to_owned(),
                "64 × 64 × 128 b".to_owned(),
                format!("64 × 64 × 256 b #{}", d.line[3]),
                format!("64 × 64 × 256 b #{}", d.line[4]),
            ]
        );
    }
}
