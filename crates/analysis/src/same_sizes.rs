//! The same sizes measured elsewhere: in another layout or type, with another library or kernel, in another file, on
//! another device.

use gemmscope_table::dataset::{ColumnMeaning, Dataset};
use gemmscope_table::field::Frame;
use rustc_hash::FxHashMap;

/// A row with the sizes of another one.
#[derive(Clone, Debug, PartialEq)]
pub struct SameSize {
    /// The row.
    pub row: u32,
    /// Its differences: `NN`, `fp16`, `rocBLAS`. Never empty.
    pub differs: Vec<String>,
    /// Time of one call, seconds.
    pub time_s: f64,
    /// Efficiency, if its roof is known.
    pub efficiency: Option<f64>,
    /// Its time / the other row's time: 0.5 is twice as fast. `None` if the other row has no time.
    pub ratio: Option<f64>,
}

/// Measurements with the same M, N, K and batch.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SameSizes {
    /// The fastest row of each combination of differences: fewest differences first, then the fastest.
    pub rows: Vec<SameSize>,
    /// Number of all combinations; `rows` holds the first of them.
    pub total: usize,
}

/// Properties in which two rows of the same sizes can differ.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct RunSetup {
    op: u16,
    library: u32,
    source: u16,
    device: u16,
}

impl RunSetup {
    fn of(data: &Dataset, library: Option<&[u32]>, row: usize) -> RunSetup {
        RunSetup {
            op: data.op[row],
            library: library.map_or(0, |codes| codes[row]),
            source: data.source[row],
            device: data.device[row],
        }
    }
}

/// Finds rows with the sizes of `row`, at most `limit` entries, including filtered-out rows. Rows that differ only in
/// the kernel are one entry, the fastest, if it is faster than `row`.
pub fn same_sizes(frame: &Frame, row: usize, limit: usize) -> SameSizes {
    let (data, metrics) = (&*frame.data, &*frame.metrics);
    if row >= data.len() {
        return SameSizes::default();
    }
    let library = data.codes(ColumnMeaning::Library);
    let own = RunSetup::of(data, library, row);
    let mut fastest: FxHashMap<RunSetup, usize> = FxHashMap::default();
    for r in 0..data.len() {
        let same = data.m[r] == data.m[row]
            && data.n[r] == data.n[row]
            && data.k[r] == data.k[row]
            && data.batch[r] == data.batch[row];
        if !same || r == row || data.time_s[r].is_nan() {
            continue;
        }
        let best = fastest.entry(RunSetup::of(data, library, r)).or_insert(r);
        if data.time_s[r] < data.time_s[*best] {
            *best = r;
        }
    }
    if let Some(twin) = fastest.get(&own).copied()
        && (data.time_s[twin] >= data.time_s[row] || differences(frame, row, twin).is_empty())
    {
        fastest.remove(&own);
    }
    let mut rows: Vec<SameSize> = fastest
        .into_values()
        .map(|r| SameSize {
            row: r as u32,
            differs: differences(frame, row, r),
            time_s: data.time_s[r],
            efficiency: Some(metrics.efficiency(data, r)).filter(|e| e.is_finite()),
            ratio: Some(data.time_s[r] / data.time_s[row]).filter(|x| !x.is_nan()),
        })
        .filter(|r| !r.differs.is_empty())
        .collect();
    rows.sort_by(|a, b| {
        (a.differs.len().cmp(&b.differs.len()))
            .then(a.time_s.total_cmp(&b.time_s))
            .then(a.row.cmp(&b.row))
    });
    let total = rows.len();
    rows.truncate(limit);
    SameSizes { rows, total }
}

/// Differences of row `b` from row `a`, in words.
fn differences(frame: &Frame, a: usize, b: usize) -> Vec<String> {
    let data = &*frame.data;
    let (one, two) = (data.problem(a).op, data.problem(b).op);
    let mut out = Vec::new();
    let mut add = |before: &str, after: &str| {
        if before != after && !after.is_empty() {
            out.push(after.to_owned());
        }
    };
    add(one.layout(), two.layout());
    add(&one.types(), &two.types());
    let text = |meaning, row| data.text(meaning, row).to_owned();
    // A file name that tells no library still tells who made the row.
    let [mine, its] = [a, b].map(|row| frame.maker(row));
    add(&mine, &its);
    let device = |row: usize| frame.device_name(data.device[row]).to_owned();
    add(&device(a), &device(b));
    let file = |row: usize| {
        let source = data.sources.get(usize::from(data.source[row]));
        source.map_or_else(String::new, |s| s.name.clone())
    };
    if mine == its {
        add(&file(a), &file(b));
    }
    if out.is_empty() {
        let (before, after) = (text(ColumnMeaning::Kernel, a), text(ColumnMeaning::Kernel, b));
        if before != after && !after.is_empty() {
            out.push(after);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use gemmscope_model::dtype::DataType;
    use gemmscope_model::gemm::Operation;
    use gemmscope_table::fixture::Rows;

    const SHAPE: (u32, u32, u32) = (4096, 4096, 4096);

    use DataType::{Bf16 as BF16, Fp16 as FP16};

    /// Rows of one shape: type, library, kernel, time in µs; then one of another shape.
    fn frame(rows: &[(DataType, &str, &str, f64)]) -> Frame {
        let mut t = Rows::new();
        let kernel = t.table().text_column(ColumnMeaning::Kernel, "kernel");
        for (dtype, library, name, us) in rows {
            t.table().set_text(kernel, name.as_bytes());
            t.typed(SHAPE, Operation::uniform(*dtype), library, us * 1e-6, "");
        }
        t.typed((4096, 4096, 8192), Operation::uniform(FP16), "a", 900e-6, "");
        t.frame(Some("h100-sxm"))
    }

    #[test]
    fn each_other_setup_gives_its_fastest_row() {
        let frame = frame(&[
            (BF16, "a", "x", 400.0),
            (FP16, "a", "x", 300.0),
            (FP16, "a", "y", 200.0),
            (FP16, "b", "x", 150.0),
            (BF16, "b", "x", 350.0),
            (BF16, "a", "y", 380.0),
        ]);
        let found = same_sizes(&frame, 0, 10);
        let rows: Vec<u32> = found.rows.iter().map(|r| r.row).collect();
        assert_eq!((rows, found.total), (vec![2, 4, 5, 3], 4));
        assert_eq!(found.rows[0].differs, ["fp16"]);
        assert_eq!(found.rows[0].ratio, Some(0.5));
        assert_eq!(found.rows[1].differs, ["b"]);
        // A faster kernel of the same setup.
        assert_eq!(found.rows[2].differs, ["y"]);
        assert_eq!(found.rows[3].differs, ["fp16", "b"]);
        assert!(found.rows[0].efficiency.is_some());
        let one = same_sizes(&frame, 0, 1);
        assert_eq!((one.rows.len(), one.total), (1, 4));
    }

    #[test]
    fn repeats_and_slower_kernels_are_not_listed() {
        let frame = frame(&[(BF16, "a", "x", 5.0), (BF16, "a", "x", 4.0), (BF16, "a", "y", 6.0)]);
        assert_eq!(same_sizes(&frame, 0, 10), SameSizes::default());
        assert_eq!(same_sizes(&frame, 99, 10), SameSizes::default());
    }
}
