//! Filters one by one: their names, and removing them.

use super::{Filters, Range};
use crate::column_format;
use crate::field::{Field, FieldInfo, Frame};
use gemmscope_model::units::plural;

/// A single filter; for a facet, a single value.
#[derive(Clone, Debug, PartialEq)]
pub enum FilterPart {
    /// The set of rows.
    Only,
    /// The search.
    Search,
    /// A value of a facet.
    Facet(Field, String),
    /// The range of a field.
    Range(Field),
}

/// Name of a category value for people.
pub fn value_name(value: &str) -> &str {
    if value.is_empty() { "not stated" } else { value }
}

impl Range {
    /// `M ≥ 64`, `Time ≤ 20.92 s`; just the field's title if both ends are open.
    pub fn words(&self, of: &FieldInfo) -> String {
        let title = column_format::heading(of);
        let end = |v: Option<f64>| v.map(|v| column_format::value(of, v));
        match (end(self.min), end(self.max)) {
            (Some(a), Some(b)) => format!("{title} {a} – {b}"),
            (Some(a), None) => format!("{title} ≥ {a}"),
            (None, Some(b)) => format!("{title} ≤ {b}"),
            (None, None) => title,
        }
    }
}

impl Filters {
    /// Each filter in words: `2 rows`, `“gemm”`, `Type: fp16`, `M ≥ 64`.
    pub fn parts(&self, frame: &Frame) -> Vec<(String, FilterPart)> {
        let mut out = Vec::new();
        if let Some(only) = &self.only {
            out.push((plural(only.len(), "row"), FilterPart::Only));
        }
        if !self.search.trim().is_empty() {
            out.push((format!("\u{201c}{}\u{201d}", self.search.trim()), FilterPart::Search));
        }
        for (field, values) in &self.facets {
            let label = frame.info(field).map_or_else(|| field.to_string(), |i| i.label);
            for value in values {
                let part = FilterPart::Facet(field.clone(), value.clone());
                out.push((format!("{label}: {}", value_name(value)), part));
            }
        }
        for (field, range) in &self.ranges {
            let text = frame.info(field).map_or_else(|| field.to_string(), |i| range.words(&i));
            out.push((text, FilterPart::Range(field.clone())));
        }
        out
    }

    /// Removes one filter.
    pub fn remove(&mut self, part: &FilterPart) {
        match part {
            FilterPart::Only => self.only = None,
            FilterPart::Search => self.search.clear(),
            FilterPart::Facet(field, value) => self.toggle(field, value),
            FilterPart::Range(field) => drop(self.ranges.remove(field)),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::fixture::Rows;
    use crate::view_state::ViewState;

    #[test]
    fn each_filter_is_named_and_taken_away_by_itself() {
        let mut rows = Rows::new();
        rows.row((64, 64, 4096), "x", 1e-5, "");
        let frame = rows.frame(Some("h100-sxm"));
        let (state, _) = ViewState::decode("f.dtype=fp16&f.dtype=bf16&r.m=64..&r.k=1..9&q=gemm");
        let mut filters = state.filters;
        let parts = filters.parts(&frame);
        let words: Vec<&str> = parts.iter().map(|p| p.0.as_str()).collect();
        let known = ["“gemm”", "Type: fp16", "K 1 – 9", "M ≥ 64"];
        assert!(known.iter().all(|k| words.contains(k)), "{words:?}");
        assert_eq!(parts.len(), filters.count());
        for (i, (_, part)) in parts.iter().enumerate() {
            assert_eq!(filters.count(), parts.len() - i);
            filters.remove(part);
        }
        assert!(filters.is_empty());
    }
}
