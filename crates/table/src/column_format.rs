//! Formats values for tables, chips, inputs and files. For people a value carries the unit that suits it (`20.92 s`); the
//! values of an input or a file share the unit of their title.

use crate::field::{Field, FieldInfo, FieldKind, Frame};
use gemmscope_model::units::{
    Bytes, BytesPerSec, Flops, FlopsPerSec, Seconds, format_significant, trim_zeros,
};
use std::cmp::Ordering;

/// The unit of a table column.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Unit {
    /// Symbol: `µs`; "" for a pure number.
    pub label: &'static str,
    /// SI base units per unit: 1e-6 for µs.
    pub factor: f64,
}

/// The unit in which inputs and files hold an SI base unit.
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

/// A value of an SI base unit with the prefix that suits it, four digits; `None` for a unit without prefixes.
fn with_unit(base: &str, value: f64) -> Option<String> {
    Some(match base {
        "s" => Seconds(value).to_string(),
        "FLOP/s" => FlopsPerSec(value).to_string(),
        "B/s" => BytesPerSec(value).to_string(),
        "FLOP" => Flops(value).to_string(),
        "B" => Bytes(value).to_string(),
        _ => return None,
    })
}

/// A value for people: `20.92 s`, `63.8` under a title of percent; "" if it is missing.
pub fn value(info: &FieldInfo, value: f64) -> String {
    let missing = value.is_nan();
    with_unit(&info.unit, value).filter(|_| !missing).unwrap_or_else(|| number(info, value))
}

/// Title of a column of [`value`]s: has a unit only if they have none.
pub fn heading(info: &FieldInfo) -> String {
    match with_unit(&info.unit, 0.0) {
        Some(_) => info.label.clone(),
        None => title(info),
    }
}

/// A title with the unit of an input: `Time (µs)`.
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

/// A value in the unit of the [`title`], without the symbol; "" if it is missing.
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
            Box::new(move |row| value(info, get(row)))
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
    fn a_value_has_the_unit_that_suits_it() {
        let said = |unit, v| (heading(&info(unit)), value(&info(unit), v));
        assert_eq!(said("s", 20.916_474), ("Time".to_owned(), "20.92 s".to_owned()));
        assert_eq!(said("s", 110.589e-6).1, "110.6 µs");
        assert_eq!(said("FLOP/s", 466.4e12).1, "466.4 TFLOP/s");
        assert_eq!(said("%", 0.638_4), ("Time (%)".to_owned(), "63.8".to_owned()));
        assert_eq!(said("s", f64::NAN).1, "");
    }

    #[test]
    fn inputs_share_the_unit_of_their_title() {
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
