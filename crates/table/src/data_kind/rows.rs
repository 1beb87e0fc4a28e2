//! Looks at rows to decide what a table is: whether files, libraries or devices share configurations, and how many
//! variants a configuration has.

use super::TableSample;
use crate::dataset::{Column, ColumnData, ColumnMeaning, Dataset};
use crate::field::Field;
use crate::group::mix;
use rustc_hash::FxHashMap;

/// Files, libraries or devices are sides if at least this fraction of the second largest side's configurations is
/// shared.
const SHARED: f64 = 0.2;

/// Maximum number of distinct values for an unnamed number column to be a setting and not a result.
const SETTING_VALUES: usize = 32;

/// Names of columns that number rows or repeats: neither settings nor results.
const NUMBERING: [&str; 12] = [
    "index",
    "id",
    "idx",
    "row",
    "run",
    "rep",
    "repeat",
    "repetition",
    "sample",
    "seed",
    "trial_id",
    "line",
];

/// The columns that decide, and the measured rows (for a large table, those of a sample of configurations).
pub(super) struct DecisiveRows<'a> {
    data: &'a Dataset,
    rows: &'a [usize],
    /// Number of sources with a measured row.
    pub sources: usize,
    /// True if the rows are a sample.
    pub sampled: bool,
    library: Option<&'a [u32]>,
    operation: OperationName<'a>,
    variant: Vec<&'a ColumnData>,
}

/// Distinguishes operations of the same shape, if the file names them.
#[derive(Clone, Copy)]
pub(super) struct OperationName<'a>(Option<&'a [u32]>);

impl<'a> OperationName<'a> {
    pub(super) fn new(data: &'a Dataset) -> Self {
        OperationName(data.codes(ColumnMeaning::OpName))
    }

    pub(super) fn hash(&self, hash: u64, row: usize) -> u64 {
        self.0.map_or(hash, |codes| mix(hash, u64::from(codes[row])))
    }
}

impl<'a> DecisiveRows<'a> {
    pub(super) fn new(data: &'a Dataset, sample: &'a TableSample) -> Self {
        DecisiveRows {
            data,
            rows: sample.rows(),
            sources: sample.sources(),
            sampled: sample.is_part(),
            library: data.codes(ColumnMeaning::Library),
            operation: OperationName::new(data),
            variant: variant_columns(data),
        }
    }

    fn library(&self, row: usize) -> u32 {
        self.library.map_or(0, |codes| codes[row])
    }

    /// The field whose values are sides; `None` if the data shows no sides.
    pub(super) fn sides(&self) -> Option<Field> {
        let source = |r: usize| u32::from(self.data.source[r]);
        let device = |r: usize| u32::from(self.data.device[r]);
        let plain = |r: usize| configuration(self.data, r);
        if self.sources > 1 && self.shared(source, |r| mix(plain(r), u64::from(self.library(r)))) {
            return Some(Field::Source);
        }
        // Rows without a library would belong to no side.
        let stated = self.library.is_some() && self.rows.iter().all(|&r| self.library(r) != 0);
        if stated
            && let Some(column) = self.data.column(ColumnMeaning::Library)
            && self.shared(|r| self.library(r), |r| mix(plain(r), u64::from(self.data.device[r])))
        {
            return Some(Field::Column(column.key.clone()));
        }
        if self.sources > 1 && self.shared(source, plain) {
            return Some(Field::Source);
        }
        if self.data.devices.len() > 1
            && self.shared(device, |r| mix(plain(r), u64::from(self.library(r))))
        {
            return Some(Field::Device);
        }
        None
    }

    /// A field with several values, for a user who asks for sides.
    pub(super) fn any_side(&self) -> Option<Field> {
        let several = |value: &dyn Fn(usize) -> u32| {
            let mut values = self.rows.iter().map(|&r| value(r));
            let first = values.next();
            values.any(|v| Some(v) != first)
        };
        if let Some(found) = self.sides() {
            return Some(found);
        }
        if self.sources > 1 {
            return Some(Field::Source);
        }
        if several(&|r| self.library(r)) {
            let column = self.data.column(ColumnMeaning::Library)?;
            return Some(Field::Column(column.key.clone()));
        }
        several(&|r| u32::from(self.data.device[r])).then_some(Field::Device)
    }

    /// An empty map with capacity for all rows.
    fn room(&self) -> Counts {
        Counts::with_capacity_and_hasher(self.rows.len(), Default::default())
    }

    /// True if several sides share keys: at least [`SHARED`] times the number of keys of the second largest side.
    fn shared(&self, side: impl Fn(usize) -> u32, key: impl Fn(usize) -> u64) -> bool {
        // By key: 1 + the first side that holds it, with [`SEVERAL`] set if another one does too.
        let (mut keys, mut of_side) = (self.room(), self.room());
        let mut sizes: Vec<u64> = Vec::new();
        for &r in self.rows {
            let (side, key) = (side(r), key(r));
            if of_side.insert(mix(key, u64::from(side)), 1).is_none() {
                let side = side as usize;
                if sizes.len() <= side {
                    sizes.resize(side + 1, 0);
                }
                sizes[side] += 1;
            }
            let first = keys.entry(key).or_insert(u64::from(side) + 1);
            if *first & SEVERAL == 0 && *first != u64::from(side) + 1 {
                *first |= SEVERAL;
            }
        }
        // Size of the second largest side.
        let (mut largest, mut second) = (0, 0);
        for size in sizes {
            second = second.max(size.min(largest));
            largest = largest.max(size);
        }
        if second == 0 {
            return false;
        }
        let shared = keys.values().filter(|k| **k & SEVERAL != 0).count();
        shared > 0 && shared as f64 >= SHARED * second as f64
    }

    /// Number of configurations (per device), number of their variants (over all libraries), and whether a
    /// variant has several rows.
    pub(super) fn variants(&self) -> (usize, usize, bool) {
        let (mut configurations, mut variants) = (self.room(), self.room());
        for &r in self.rows {
            let key = self.operation.hash(on_device(self.data, r), r);
            configurations.insert(key, 1);
            let key = mix(key, u64::from(self.library(r)));
            *variants.entry(variant(&self.variant, key, r)).or_default() += 1;
        }
        let repeats = variants.values().any(|n| *n > 1);
        (configurations.len(), variants.len(), repeats)
    }
}

/// Hash of a row's shape, types and layout.
pub(super) fn configuration(data: &Dataset, r: usize) -> u64 {
    let hash = mix(data.sizes_hash(r), u64::from(data.op[r]));
    hash ^ (hash >> 29)
}

/// [`configuration`] combined with the device. A GEMM is one, whatever file its rows are in.
pub(super) fn on_device(data: &Dataset, r: usize) -> u64 {
    mix(configuration(data, r), u64::from(data.device[r]))
}

/// File and device of a row as one number.
pub(super) fn place(data: &Dataset, r: usize) -> u64 {
    u64::from(data.device[r]) | u64::from(data.source[r]) << 16
}

/// Mixes a row's values of some columns into a hash: the variant of a configuration.
pub fn variant(columns: &[&ColumnData], mut hash: u64, row: usize) -> u64 {
    for column in columns {
        hash = mix(
            hash,
            match column {
                ColumnData::Text { codes, .. } => u64::from(codes[row]),
                ColumnData::Number(v) => v[row].to_bits(),
            },
        );
    }
    hash
}

/// Columns that distinguish variants: kernel, tile, and settings without a meaning. The latter are recognised by their
/// values, so this scans every row.
pub fn variant_columns(data: &Dataset) -> Vec<&ColumnData> {
    let varies = |c: &&Column| {
        c.meaning == ColumnMeaning::Kernel
            || ColumnMeaning::SETTINGS.contains(&c.meaning)
            || is_setting(c)
    };
    data.columns.iter().filter(varies).map(|c| &c.data).collect()
}

/// True for a column without a meaning that holds names or few distinct integers.
fn is_setting(column: &Column) -> bool {
    let name = column.label.trim().to_ascii_lowercase();
    if column.meaning != ColumnMeaning::Other || NUMBERING.contains(&name.as_str()) {
        return false;
    }
    match &column.data {
        // A text that differs in every row is a remark.
        ColumnData::Text { codes, values } => values.len() <= codes.len() / 2 + 2,
        ColumnData::Number(v) => {
            let mut seen: Vec<u64> = Vec::new();
            for x in v.iter().filter(|x| x.is_finite()) {
                let bits = x.to_bits();
                if x.fract() != 0.0 {
                    return false;
                }
                if !seen.contains(&bits) {
                    if seen.len() == SETTING_VALUES {
                        return false;
                    }
                    seen.push(bits);
                }
            }
            true
        }
    }
}

/// Counts, or sets of flags, by hash.
type Counts = FxHashMap<u64, u64>;

/// Flag of a key that several sides hold.
const SEVERAL: u64 = 1 << 63;
