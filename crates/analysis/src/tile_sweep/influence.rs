//! The influence of the other settings of a sweep: for each value of each setting, how close its variants come to the
//! fastest one, among variants equal in all else.

use super::name_parts::{NameParts, axis_of};
use super::{by_shape, settings};
use crate::tuning::{parameter, parameter_columns};
use gemmscope_model::tiling::Axis;
use gemmscope_model::tiling::kernel_name::KernelName;
use gemmscope_table::dataset::{Column, ColumnData, ColumnMeaning};
use gemmscope_table::field::Frame;
use gemmscope_table::group::{self, mix};
use rustc_hash::FxHashMap;

/// More rows than this are not looked through: the answer would keep every filter waiting.
pub const MOST_ROWS: usize = 50_000;
/// A setting with more values than this is a name or a result.
const MOST_VALUES: usize = 32;
/// A setting whose worst value comes within this share of the best changes nothing.
pub const LITTLE: f64 = 0.05;

/// A value of a setting.
#[derive(Clone, Debug, PartialEq)]
pub struct Value {
    /// As the file or the kernel's name has it.
    pub value: String,
    /// Its rate over that of the best value, all else equal: geometric mean over what was tried with all values
    /// of a shape, and over the shapes, 0 to 1.
    pub best: f64,
}

/// A setting that varies, and its values, the best first.
#[derive(Clone, Debug, PartialEq)]
pub struct Influence {
    /// Title of the column, or the letters before the value in kernel names.
    pub name: String,
    /// At least two.
    pub values: Vec<Value>,
    /// Shapes on which all of them were tried, all else equal.
    pub shapes: usize,
    /// On these the settings of all else with which they were tried.
    pub sets: u32,
}

impl Influence {
    /// By how much the choice of the value changes the best rate, 0 to 1.
    pub fn spread(&self) -> f64 {
        let worst = self.values.last().map_or(1.0, |v| v.best);
        1.0 - worst
    }
}

/// The settings other than the sides of the tile and `shown`, the axis of the map, that vary among the
/// variants of a shape, the one that changes most first. Only variants that differ in nothing else are held
/// against each other.
pub fn influences(frame: &Frame, shown: Axis) -> Vec<Influence> {
    if frame.rows.len() > MOST_ROWS {
        return Vec::new();
    }
    let stated = Stated::of(frame, shown);
    let all = 0..stated.names.len();
    let mut out: Vec<Influence> = all.filter_map(|at| stated.influence(at)).collect();
    out.sort_by(|a, b| b.spread().total_cmp(&a.spread()));
    out
}

/// No number.
const NONE: u8 = u8::MAX;

/// The settings that variants state, as numbers.
struct Stated {
    /// Of each variant the number of its shape, its rate, and a hash of all that it states, the tile included.
    variants: Vec<(u32, f64, u64)>,
    shapes: u32,
    /// The titles of the settings.
    names: Vec<String>,
    /// Of each setting its values.
    values: Vec<Vec<String>>,
    /// Of each setting the number of each variant's value, [`NONE`] without one.
    of: Vec<Vec<u8>>,
}

impl Stated {
    fn of(frame: &Frame, shown: Axis) -> Stated {
        let rate = |r: usize| frame.metrics.rate(&frame.data, r);
        let rated = frame.rows.iter().copied().filter(|r| rate(*r as usize).is_finite());
        let grouped = by_shape(frame, &rated.collect::<Vec<u32>>());
        let columns = parameter_columns(frame);
        let columns: Vec<_> = columns.into_iter().map(|c| (c, axis_of(&c.label))).collect();
        let parts = NameParts::of(frame);
        let tile = settings(frame).map(|(_, setting)| setting);
        let mut out = Stated {
            variants: Vec::new(),
            shapes: 0,
            names: Vec::new(),
            values: Vec::new(),
            of: Vec::new(),
        };
        // By column, or part of a name, and its value: words are made once for each.
        let mut known: FxHashMap<(usize, u64), (usize, u8)> = FxHashMap::default();
        let mut told: Vec<Axis> = Vec::new();
        for rows in grouped.chunk_by(|a, b| a.0 == b.0).filter(|rows| rows.len() > 1) {
            for r in rows.iter().map(|r| r.1 as usize) {
                let tile = tile.as_ref().map(|setting| setting(r)).unwrap_or_default();
                let (x, y) = tile.at(shown).unwrap_or_default();
                let hash = [tile.m, tile.n, x, y].into_iter().fold(0, |h, v| mix(h, v.into()));
                let variant = out.variants.len();
                out.variants.push((out.shapes, rate(r), hash));
                told.clear();
                for (at, (column, axis)) in columns.iter().enumerate() {
                    let Some(value) = value_of_row(column, r) else { continue };
                    told.extend(axis);
                    if axis.is_none_or(|axis| ![Axis::Bm, Axis::Bn, shown].contains(&axis)) {
                        let name = axis.map_or(column.label.as_str(), |axis| axis.label());
                        let words = || out.number(name, parameter(column, r).unwrap_or_default());
                        let number = *known.entry((at, value)).or_insert_with(words);
                        out.put(variant, number);
                    }
                }
                let (code, named) = parts.at(r);
                // What else varies in a name (BK in `MT64x64x8`) is held equal too; a name without a tile is a label.
                let kernel = frame.data.text(ColumnMeaning::Kernel, r);
                if KernelName::parse(kernel).tile.is_some() {
                    out.variants[variant].2 = mix(hash, parts.other(code));
                }
                for (at, (name, axis, value)) in named.iter().enumerate() {
                    // A column may say it too.
                    if axis.is_none_or(|axis| !told.contains(&axis)) {
                        let key = (columns.len() + at, u64::from(code));
                        let words = || out.number(name, value.clone());
                        let number = *known.entry(key).or_insert_with(words);
                        out.put(variant, number);
                    }
                }
            }
            out.shapes += 1;
        }
        out.hash();
        out
    }

    /// The numbers of a setting and of its value; the value's is [`NONE`] past the most values.
    fn number(&mut self, name: &str, value: String) -> (usize, u8) {
        let setting = self.names.iter().position(|n| n == name).unwrap_or_else(|| {
            self.names.push(name.to_owned());
            self.values.push(Vec::new());
            self.of.push(Vec::new());
            self.names.len() - 1
        });
        let values = &mut self.values[setting];
        let at = values.iter().position(|v| *v == value).unwrap_or_else(|| {
            if values.len() <= MOST_VALUES {
                values.push(value);
            }
            values.len() - 1
        });
        (setting, if at < MOST_VALUES { at as u8 } else { NONE })
    }

    fn put(&mut self, variant: usize, (setting, value): (usize, u8)) {
        self.of[setting].resize(variant, NONE);
        self.of[setting].push(value);
    }

    /// True for a setting; what has one value, or too many, is a constant, a name or a result.
    fn varies(&self, setting: usize) -> bool {
        (2..=MOST_VALUES).contains(&self.values[setting].len())
    }

    /// What a value adds to the hash of a variant, in any order of the settings.
    fn part(&self, setting: usize, variant: usize) -> u64 {
        let value = self.of[setting].get(variant).copied().unwrap_or(NONE);
        mix(mix(1, setting as u64), value.into())
    }

    /// Adds the values of all settings to the hashes.
    fn hash(&mut self) {
        for setting in (0..self.names.len()).filter(|s| self.varies(*s)).collect::<Vec<_>>() {
            for variant in 0..self.variants.len() {
                let part = self.part(setting, variant);
                self.variants[variant].2 = self.variants[variant].2.wrapping_add(part);
            }
        }
    }

    /// A setting, over the variants of a shape that are equal in all others and tried each of its values;
    /// `None` where there are none.
    fn influence(&self, setting: usize) -> Option<Influence> {
        if !self.varies(setting) {
            return None;
        }
        let values = &self.values[setting];
        let all: Vec<u32> = (0..self.variants.len() as u32).collect();
        let keyed = group::by_key(&all, &|i| {
            let (shape, _, hash) = self.variants[i as usize];
            mix(mix(0, hash.wrapping_sub(self.part(setting, i as usize))), shape.into())
        });
        let value = |i: u32| self.of[setting].get(i as usize).copied().filter(|v| *v != NONE);
        // By shape the sets of variants that are equal in all else; by value the sums of the logarithms of its
        // rate over the best of its set.
        let mut sets = vec![0u32; self.shapes as usize];
        let mut logs = vec![vec![0.0; self.shapes as usize]; values.len()];
        let mut rates = vec![0.0f64; values.len()];
        for alike in keyed.chunk_by(|a, b| a.0 == b.0) {
            rates.fill(0.0);
            let shape = self.variants[alike[0].1 as usize].0 as usize;
            for (i, value) in alike.iter().filter_map(|(_, i)| Some((*i, value(*i)?))) {
                let rate = &mut rates[usize::from(value)];
                *rate = rate.max(self.variants[i as usize].1);
            }
            if rates.iter().all(|rate| *rate > 0.0) {
                let top = rates.iter().copied().fold(0.0, f64::max);
                sets[shape] += 1;
                let each = logs.iter_mut().zip(&rates);
                each.for_each(|(of, rate)| of[shape] += (rate / top).ln());
            }
        }
        let shapes = sets.iter().filter(|n| **n > 0).count();
        // Both by shape first, or one with many variants would outweigh the others.
        let mean = |of: &Vec<f64>| {
            let each = of.iter().zip(&sets).filter(|(_, n)| **n > 0);
            (each.map(|(sum, n)| sum / f64::from(*n)).sum::<f64>() / shapes as f64).exp()
        };
        let named = values.iter().zip(&logs);
        let mut values: Vec<Value> =
            named.map(|(value, logs)| Value { value: value.clone(), best: mean(logs) }).collect();
        values.sort_by(|a, b| b.best.total_cmp(&a.best).then(a.value.cmp(&b.value)));
        let sets = sets.iter().sum();
        (shapes > 0).then(|| Influence { name: self.names[setting].clone(), values, shapes, sets })
    }
}

/// The code of a row's text in a settings column; `None` without one.
fn value_of_row(column: &Column, row: usize) -> Option<u64> {
    match &column.data {
        ColumnData::Number(v) => v.get(row).filter(|v| v.is_finite()).map(|v| v.to_bits()),
        ColumnData::Text { codes, .. } => codes.get(row).filter(|c| **c > 0).map(|c| u64::from(*c)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gemmscope_table::fixture::Rows;

    #[test]
    fn the_setting_that_changes_most_comes_first() {
        let mut rows = Rows::new();
        let column = rows.table().text_column(ColumnMeaning::Kernel, "kernel");
        for (wgm, by_wgm) in [(1, 1.0), (8, 1.1)] {
            for (vw, by_vw) in [(2, 2.0), (4, 1.0)] {
                for (tt, by_tt) in [("4_4", 1.0), ("8_8", 1.5)] {
                    let kernel = format!("Cijk_MT64x64x8_TT{tt}_VW{vw}_WGM{wgm}");
                    let time = 1e-5 * by_wgm * by_vw * by_tt;
                    rows.table().set_text(column, kernel.as_bytes());
                    rows.row((512, 512, 512), "", time, "");
                }
            }
        }
        let frame = rows.frame(None);
        let found = influences(&frame, Axis::Bn);
        let names: Vec<&str> = found.iter().map(|i| i.name.as_str()).collect();
        assert_eq!(names, ["VW", "TT", "WGM"]);
        let vw: Vec<(&str, u32, f64)> = found[0]
            .values
            .iter()
            .map(|v| (v.value.as_str(), found[0].sets, (v.best * 1e3).round() / 1e3))
            .collect();
        assert_eq!(vw, [("4", 4, 1.0), ("2", 4, 0.5)]);
    }

    #[test]
    fn the_depth_of_the_tile_is_held_equal() {
        // The value 2 was tried with the deep, fast tile alone.
        let of = |variants: &[(&str, f64)]| {
            let mut rows = Rows::new();
            let column = rows.table().text_column(ColumnMeaning::Kernel, "kernel");
            for (kernel, time) in variants {
                rows.table().set_text(column, kernel.as_bytes());
                rows.row((512, 512, 512), "", *time, "");
            }
            influences(&rows.frame(None), Axis::Bn)
        };
        let unlike = [("Cijk_MT64x64x8_LDL1", 2e-5), ("Cijk_MT64x64x16_LDL2", 1e-5)];
        assert_eq!(of(&unlike), []);
        let all = of(&[&unlike[..], &[("Cijk_MT64x64x8_LDL2", 1.9e-5)]].concat());
        let best: Vec<(&str, u32)> =
            all.iter().map(|i| (i.values[0].value.as_str(), i.sets)).collect();
        assert_eq!(best, [("2", 1)]);
        assert!((all[0].values[1].best - 0.95).abs() < 1e-12);
        // Names that are built differently say nothing of what else differs.
        assert_eq!(of(&[("Cijk_MT64x64x8_LDL1", 2e-5), ("Cijk_MT64x64x8_SK_LDL2", 1e-5)]), []);
    }

    #[test]
    fn values_are_compared_on_the_shapes_that_tried_them_all() {
        let found = |variants: &[(u32, f64, f64)]| {
            let mut rows = Rows::new();
            let warps = rows.table().number_column(ColumnMeaning::Warps, "warps");
            for &(m, count, time) in variants {
                rows.table().set_number(warps, count);
                rows.row((m, 512, 512), "", time, "");
            }
            influences(&rows.frame(None), Axis::Bn)
        };
        // Eight warps ran on one shape alone, and two on the other.
        let sparse = [(512, 4.0, 1.1e-5), (512, 8.0, 1e-5), (64, 4.0, 1e-5), (64, 2.0, 2e-5)];
        assert_eq!(found(&sparse), []);
        let full = found(&[&sparse[..], &[(64, 8.0, 4e-5), (512, 2.0, 1.1e-5)]].concat());
        let best: Vec<&str> = full[0].values.iter().map(|v| v.value.as_str()).collect();
        assert_eq!(best, ["4", "2", "8"]);
    }

    #[test]
    fn a_setting_that_another_one_goes_with_is_told_only_where_that_is_equal() {
        // BK 32 ran with BN 512 alone, which is slow whatever BK is.
        let found = |variants: &[(f64, f64, f64)]| {
            let mut rows = Rows::new();
            let t = rows.table();
            let columns = [ColumnMeaning::TileM, ColumnMeaning::TileN, ColumnMeaning::TileK]
                .map(|c| t.number_column(c, c.id()));
            for &(n, k, time) in variants {
                for (column, value) in columns.iter().zip([64.0, n, k]) {
                    rows.table().set_number(*column, value);
                }
                rows.row((512, 512, 512), "", time, "");
            }
            influences(&rows.frame(None), Axis::Bn)
        };
        let apart = [(64.0, 64.0, 1e-5), (128.0, 64.0, 1.2e-5), (512.0, 32.0, 4e-5)];
        assert_eq!(found(&apart), []);
        let both = found(&[&apart[..], &[(512.0, 64.0, 3.8e-5)]].concat());
        let values: Vec<&str> = both[0].values.iter().map(|v| v.value.as_str()).collect();
        assert_eq!((values, both[0].sets), (vec!["64", "32"], 1));
        assert!((both[0].values[1].best - 0.95).abs() < 1e-12, "{both:?}");
        // The best of a value may be of other settings: each pair counts, whichever is fastest.
        let pairs =
            [(64.0, 64.0, 1e-5), (64.0, 32.0, 2e-5), (128.0, 64.0, 4e-5), (128.0, 32.0, 2e-5)];
        let even = found(&pairs);
        assert_eq!(even[0].sets, 2);
        for value in &even[0].values {
            assert!((value.best - 0.5f64.sqrt()).abs() < 1e-12, "{even:?}");
        }
    }

    #[test]
    fn a_value_that_suits_shapes_differently_is_told_with_averages() {
        let mut rows = Rows::new();
        let column = rows.table().text_column(ColumnMeaning::Kernel, "kernel");
        for (k, times) in [(512, [1.0, 1.25]), (1024, [1.25, 1.0])] {
            for (vw, time) in [2, 4].into_iter().zip(times) {
                let kernel = format!("Cijk_MT64x64x8_VW{vw}");
                rows.table().set_text(column, kernel.as_bytes());
                rows.row((512, 512, k), "", 1e-5 * time, "");
            }
        }
        let found = influences(&rows.frame(None), Axis::Bn);
        for value in &found[0].values {
            assert!((value.best - 0.8f64.sqrt()).abs() < 1e-12, "{value:?}");
        }
    }

    #[test]
    fn a_setting_is_told_once_by_its_field_name_and_not_where_it_is_the_axis() {
        let mut rows = Rows::new();
        let kernel = rows.table().text_column(ColumnMeaning::Kernel, "kernel");
        let split = rows.table().number_column(ColumnMeaning::SplitK, "SPLIT_K");
        for (factor, time) in [(1.0, 1e-5), (4.0, 2e-5)] {
            rows.table().set_text(kernel, format!("triton_64x64x32_sk{factor}").as_bytes());
            rows.table().set_number(split, factor);
            rows.row((512, 512, 512), "", time, "");
        }
        let frame = rows.frame(None);
        let names = |shown| -> Vec<String> {
            influences(&frame, shown).into_iter().map(|i| i.name).collect()
        };
        assert_eq!(names(Axis::Bn), ["split-K"]);
        assert_eq!(names(Axis::SplitK), Vec::<String>::new());
    }

    #[test]
    fn names_of_one_kind_have_no_settings() {
        let mut rows = Rows::new();
        for time in [1e-5, 2e-5] {
            rows.row((512, 512, 512), "", time, "");
        }
        assert_eq!(influences(&rows.frame(None), Axis::Bn), []);
    }
}
