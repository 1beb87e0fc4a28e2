//! Formats values for tables, chips and inputs. All values of a column share a unit, so that numbers can be compared by
//! eye.

use crate::field::{Field, FieldInfo, FieldKind, Frame};
use gemmscope_model::units::{format_significant, trim_zeros};
use std::cmp::Ordering;

/// The unit of a table column.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Unit {
    /// Symbol: `µs`; "" for a pure number.
    pub label: &'static str,
    /// SI base units per unit: 1e-6 for µs.
    pub factor: f64,
}

/// The unit in which tables show an SI base unit.
pub fn unit_for(base: &str) -> Unit {
    let (label, factor) = match base {
        "s" => ("µs", 1e-6),
        "FLOP/s" => ("TFLOP/s", 1e12),
        "B/s" => ("GB/s", 1e9),
        "FLOP" => ("GFLOP", 1e9),
        "B" => ("MB", 1e6),
        "FLOP/B" => ("FLOP/B", 1.0),
        "%" => ("%", 1e-2),
        "Hz" => ("MHz", 1e6),
        _ => ("", 1.0),
    };
    Unit { label, factor }
}

/// A column's title with its unit: `Time (µs)`.
pub fn title(info: &FieldInfo) -> String {
    titled(&info.label, &info.unit)
}

/// A title with the unit in which tables show an SI base unit.
pub fn titled(label: &str, base: &str) -> String {
    match (unit_for(base).label, base) {
        ("", "") => label.to_owned(),
        ("", other) => format!("{label} ({other})"),
        // "% of roof" contains its unit already.
        (unit, _) if label.contains(unit) => label.to_owned(),
        (unit, _) => format!("{label} ({unit})"),
    }
}

/// A value in the column's unit, without the symbol; "" if it is missing.
pub fn number(info: &FieldInfo, value: f64) -> String {
    if value.is_nan() {
        return String::new();
    }
    let value = value / unit_for(&info.unit).factor;
    if info.unit.is_empty() && value.fract() == 0.0 && value.abs() < 1e15 {
        return format!("{value:.0}");
    }
    if info.unit == "%" {
        return format!("{value:.1}");
    }
    format_significant(value, 4)
}

/// A value in SI base units, in the table's unit for it, for a file; "" if it is not finite.
pub fn cell(value: f64, base: &str) -> String {
    let value = value / unit_for(base).factor;
    match value.is_finite() {
        true => trim_zeros(format_significant(value, 9)),
        false => String::new(),
    }
}

/// Returns a function from row to the text in the table.
pub fn texts<'a>(frame: &'a Frame, info: &'a FieldInfo) -> Box<dyn Fn(usize) -> String + 'a> {
    match info.kind {
        FieldKind::Number => {
            let get = frame.numbers(&info.field);
            Box::new(move |row| number(info, get(row)))
        }
        FieldKind::Category => {
            if info.field == Field::Shape {
                // The dictionary of shapes may be as long as the data, so format only the rows shown.
                return Box::new(|row| {
                    let d = &frame.data;
                    crate::field::shape_label(&d.problem(row))
                });
            }
            let categories = frame.categories(&info.field);
            Box::new(move |row| categories.values[categories.codes.get(row) as usize].clone())
        }
    }
}

/// The frame's rows sorted by a field. Missing values come last in both directions; the sort is stable.
pub fn sorted(frame: &Frame, info: &FieldInfo, descending: bool) -> Vec<u32> {
    let turn = |o: Ordering| if descending { o.reverse() } else { o };
    match info.kind {
        FieldKind::Number => {
            let get = frame.numbers(&info.field);
            sort_by_key(&frame.rows, descending, |r| get(r as usize))
        }
        FieldKind::Category if info.field == Field::Shape => {
            let mut rows = frame.rows.to_vec();
            let d = &frame.data;
            let key = |r: u32| {
                let r = r as usize;
                (d.m[r], d.n[r], d.k[r], d.batch[r])
            };
            rows.sort_by(|&a, &b| turn(key(a).cmp(&key(b))));
            rows
        }
        FieldKind::Category => {
            let categories = frame.categories(&info.field);
            let mut order: Vec<u32> = (0..categories.values.len() as u32).collect();
            let text = |c: u32| categories.values[c as usize].as_str();
            order.sort_by(|&a, &b| text(a).cmp(text(b)));
            let mut rank = vec![f64::NAN; order.len()];
            for (i, &code) in order.iter().enumerate() {
                if !text(code).is_empty() {
                    rank[code as usize] = i as f64;
                }
            }
            sort_by_key(&frame.rows, descending, |r| {
                rank[categories.codes.get(r as usize) as usize]
            })
        }
    }
}

/// Sorts by numbers that are read once per row: a million rows take less than 0.1 s.
fn sort_by_key(rows: &[u32], descending: bool, key: impl Fn(u32) -> f64) -> Vec<u32> {
    // Maps a float to bits that order as the float does.
    let ordered = |v: f64| -> u64 {
        if v.is_nan() {
            return u64::MAX;
        }
        let bits = v.to_bits();
        let up = if bits >> 63 == 1 { !bits } else { bits | 1 << 63 };
        if descending { u64::MAX - 1 - up } else { up }
    };
    let mut keyed: Vec<(u64, u32)> = rows.iter().map(|&r| (ordered(key(r)), r)).collect();
    // Rows ascend, so the row as second key makes the sort stable.
    keyed.sort_unstable();
    keyed.into_iter().map(|(_, r)| r).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn info(unit: &str) -> FieldInfo {
        FieldInfo {
            field: Field::Time,
            label: "Time".into(),
            unit: unit.into(),
            kind: FieldKind::Number,
            log: false,
            higher_is_better: None,
            hint: "",
        }
    }

    #[test]
    fn one_unit_a_column() {
        assert_eq!(title(&info("s")), "Time (µs)");
        assert_eq!(number(&info("s"), 110.589e-6), "110.6");
        assert_eq!(number(&info("%"), 0.638_4), "63.8");
        assert_eq!(number(&info(""), 4096.0), "4096");
        assert_eq!(number(&info("FLOP/s"), 466.4e12), "466.4");
        assert_eq!(number(&info("s"), f64::NAN), "");
    }

    #[test]
    fn sorting_is_stable_and_missing_comes_last() {
        let values = [3.0, f64::NAN, -1.0, 3.0, f64::INFINITY, 0.0];
        let rows: Vec<u32> = (0..6).collect();
        let key = |r: u32| values[r as usize];
        assert_eq!(sort_by_key(&rows, false, key), [2, 5, 0, 3, 4, 1]);
        assert_eq!(sort_by_key(&rows, true, key), [4, 0, 3, 5, 2, 1]);
    }
}
