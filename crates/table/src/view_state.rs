//! What the user looks at, and its text in the address bar.
//!
//! `#v=1&view=roofline&device=mi300x&f.dtype=bf16&r.m=1..64&color=c.kernel`. Every key is read on its own: one that
//! cannot be parsed is reported and keeps its default, the others apply. Keys of a later version are kept as
//! [`ViewState::params`] and written back.

use crate::data_kind::DataKind;
use crate::dataset::{ColumnMeaning, library_name};
use crate::field::Field;
use crate::filter::{Filters, Range};
use crate::metrics::DeviceChoice;
use crate::selection::{RowSet, not_a_row};
use gemmscope_model::hardware::RoofKind;
use gemmscope_model::units::{expected_one_of, plural};
use std::collections::BTreeMap;

/// Version of the text form.
pub(crate) const VERSION: u32 = 1;

pub use crate::selection::RowRef;

/// Everything that decides what the page shows, except the data.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ViewState {
    /// Key of the active view; "" for the default view.
    pub view: String,
    /// The devices whose roofs apply.
    pub devices: DeviceChoice,
    /// The roof that efficiency is measured against.
    pub roof: RoofKind,
    /// True if published times, and with them their account, are excluded.
    pub no_published: bool,
    /// Kind of rows that the user chose; `None` leaves it to the data.
    pub kind: Option<DataKind>,
    /// The filters.
    pub filters: Filters,
    /// Selected rows, in order of selection.
    pub selection: Vec<RowRef>,
    /// Settings of the views by key: `color`, `size`, `heat.x`, `zoom.roofline`.
    pub params: BTreeMap<String, String>,
}

/// Number of keys that could not be parsed which are named; the others are counted.
const NAMED: usize = 3;
/// Longest key or sentence of a [`KeyProblem`], characters.
const QUOTED: usize = 200;

/// A key of a link that could not be parsed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyProblem {
    /// The key.
    pub key: String,
    /// Expected and actual value, as a sentence.
    pub message: String,
}

impl KeyProblem {
    /// A problem as it is said: a long text is cut.
    pub fn new(key: &str, message: &str) -> KeyProblem {
        let cut = |text: &str| match text.char_indices().nth(QUOTED) {
            Some((at, _)) => format!("{}…", &text[..at]),
            None => text.to_owned(),
        };
        KeyProblem { key: cut(key), message: cut(message) }
    }
}

impl ViewState {
    /// A view's setting.
    pub fn param(&self, key: &str) -> Option<&str> {
        self.params.get(key).map(String::as_str)
    }

    /// Sets a view's setting, or clears it (with "").
    pub fn set_param(&mut self, key: &str, value: impl Into<String>) {
        let value = value.into();
        if value.is_empty() {
            self.params.remove(key);
        } else {
            self.params.insert(key.to_owned(), value);
        }
    }

    /// Resets the state for other data, keeping what does not depend on the data: device, roof, and the planner's
    /// settings.
    pub fn start_over(&mut self) {
        let mut params = std::mem::take(&mut self.params);
        params.retain(|key, _| key.starts_with("plan."));
        *self = ViewState {
            devices: std::mem::take(&mut self.devices),
            roof: self.roof,
            no_published: self.no_published,
            params,
            ..ViewState::default()
        };
    }

    /// Drops the rows of a removed file; later files move up by one.
    pub fn drop_source(&mut self, source: u16) {
        self.selection.retain(|s| s.source != source);
        for s in &mut self.selection {
            s.source -= u16::from(s.source > source);
        }
        let only = self.filters.only.take();
        self.filters.only =
            only.map(|only| only.without_source(source)).filter(|only| !only.is_empty());
    }

    /// The text after `#`, without defaults; the default state gives "". A set of rows that is too long for a link is
    /// left out; see [`unwritten`](ViewState::unwritten).
    pub fn encode(&self) -> String {
        let mut out = form_urlencoded::Serializer::new(String::new());
        let mut any = false;
        let mut put = |key: &str, value: &str| {
            if !any {
                out.append_pair("v", &VERSION.to_string());
                any = true;
            }
            out.append_pair(key, value);
        };
        if !self.view.is_empty() {
            put("view", &self.view);
        }
        if let Some(d) = &self.devices.default {
            put("device", d);
        }
        for (name, id) in &self.devices.overrides {
            put(&format!("d.{name}"), id);
        }
        if self.roof != RoofKind::default() {
            put("roof", "achievable");
        }
        if self.no_published {
            put("published", "off");
        }
        if let Some(kind) = self.kind {
            put("rows", kind.key());
        }
        for (field, values) in &self.filters.facets {
            for v in values {
                put(&format!("f.{field}"), v);
            }
        }
        for (field, range) in &self.filters.ranges {
            let end = |v: Option<f64>| v.map_or_else(String::new, |v| format!("{v:e}"));
            put(&format!("r.{field}"), &format!("{}..{}", end(range.min), end(range.max)));
        }
        if !self.filters.search.is_empty() {
            put("q", &self.filters.search);
        }
        if let Some(text) = self.filters.only.as_ref().and_then(RowSet::encode) {
            put("only", &text);
        }
        if !self.selection.is_empty() {
            let refs: Vec<String> = self
                .selection
                .iter()
                .map(|r| match r.part {
                    0 => format!("{}.{}", r.source, r.line),
                    p => format!("{}.{}.{}", r.source, r.line, p),
                })
                .collect();
            put("sel", &refs.join(","));
        }
        for (key, value) in &self.params {
            put(key, value);
        }
        out.finish()
    }

    /// True if [`encode`](ViewState::encode) leaves out the filter's set of rows because it is too long for a link.
    pub fn unwritten(&self) -> bool {
        let only = self.filters.only.as_ref();
        only.is_some_and(|o| o.encode().is_none())
    }

    /// Parses the text after `#`, with or without it. Of the keys that cannot be parsed the first three are named, and
    /// one more entry counts the others.
    pub fn decode(text: &str) -> (ViewState, Vec<KeyProblem>) {
        let mut state = ViewState::default();
        let mut problems = Vec::new();
        let mut further = 0u64;
        let text = text.trim_start_matches('#');
        for (key, value) in form_urlencoded::parse(text.as_bytes()) {
            match state.read_key(&key, &value) {
                Ok(()) => {}
                Err(message) if problems.len() < NAMED => {
                    problems.push(KeyProblem::new(&key, &message));
                }
                Err(_) => further += 1,
            }
        }
        if further > 0 {
            let key = plural(further, "further key");
            problems.push(KeyProblem::new(&key, "not read either"));
        }
        (state, problems)
    }

    fn read_key(&mut self, key: &str, value: &str) -> Result<(), String> {
        let field_of = |name: &str| {
            Field::parse(name).ok_or_else(|| format!("no such column or metric: {name}"))
        };
        if let Some(name) = key.strip_prefix("f.") {
            let field = field_of(name)?;
            let value = as_rows_spell(key, value);
            self.filters.facets.entry(field).or_default().insert(value.to_owned());
        } else if let Some(name) = key.strip_prefix("r.") {
            let field = field_of(name)?;
            let (lo, hi) = value
                .split_once("..")
                .ok_or_else(|| format!("expected lowest..highest: {value}"))?;
            let end = |t: &str| match t {
                "" => Ok(None),
                t => t
                    .parse::<f64>()
                    .ok()
                    .filter(|v| !v.is_nan())
                    .map(Some)
                    .ok_or_else(|| not_a_number(t)),
            };
            let range = Range { min: end(lo)?, max: end(hi)? };
            if range != Range::default() {
                self.filters.ranges.insert(field, range);
            }
        } else if let Some(name) = key.strip_prefix("d.") {
            self.devices.overrides.insert(name.to_owned(), value.to_owned());
        } else {
            match key {
                "v" => {
                    let v: u32 = value.parse().map_err(|_| not_a_number(value))?;
                    if v > VERSION {
                        return Err(format!(
                            "this link is from a newer gemmscope; parts of it may be missing: \
                             {v}"
                        ));
                    }
                }
                "view" => self.view = value.to_owned(),
                "device" => self.devices.default = Some(value.to_owned()),
                "roof" => {
                    self.roof = match value {
                        "datasheet" => RoofKind::Datasheet,
                        "achievable" => RoofKind::Achievable,
                        _ => return Err(expected_one_of(&["datasheet", "achievable"], value)),
                    }
                }
                "published" => {
                    self.no_published = match value {
                        "on" => false,
                        "off" => true,
                        _ => return Err(expected_one_of(&["on", "off"], value)),
                    }
                }
                "rows" => {
                    let kind = DataKind::parse(value);
                    self.kind = Some(kind.ok_or_else(|| {
                        expected_one_of(&["workload", "benchmark", "sweep", "sides"], value)
                    })?);
                }
                "q" => self.filters.search = value.to_owned(),
                "only" => self.filters.only = Some(RowSet::decode(value)?),
                "sel" => {
                    let mut refs = Vec::new();
                    for part in value.split(',').filter(|p| !p.is_empty()) {
                        let malformed = || not_a_row(part);
                        let mut it = part.split('.');
                        let source =
                            it.next().and_then(|t| t.parse().ok()).ok_or_else(malformed)?;
                        let line = it.next().and_then(|t| t.parse().ok()).ok_or_else(malformed)?;
                        let part = match it.next() {
                            Some(t) => t.parse().map_err(|_| malformed())?,
                            None => 0,
                        };
                        refs.push(RowRef { source, line, part });
                    }
                    self.selection = refs;
                }
                _ => {
                    self.params.insert(key.to_owned(), as_rows_spell(key, value).to_owned());
                }
            }
        }
        Ok(())
    }
}

/// Maps a library in a link (`cublas`) to its makers' spelling, which rows use. Values of other columns are unchanged.
fn as_rows_spell<'a>(key: &str, value: &'a str) -> &'a str {
    match key.strip_prefix("f.") {
        Some(field) if field.strip_prefix("c.") != Some(ColumnMeaning::Library.id()) => value,
        _ => library_name(value).unwrap_or(value),
    }
}

fn not_a_number(text: &str) -> String {
    format!("expected a number: {text}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn an_untouched_state_has_no_text() {
        assert_eq!(ViewState::default().encode(), "");
    }

    #[test]
    fn one_bad_key_spoils_no_other() {
        let (s, problems) = ViewState::decode(
            "#v=1&view=heatmap&roof=tin&rows=heap&r.m=x..3&f.nonsense=1&f.dtype=bf16&f.dtype=fp8&q=a%20b&new.key=7&sel=0.3,1.9.2&only=0.7",
        );
        assert_eq!(s.view, "heatmap");
        assert_eq!(s.filters.search, "a b");
        assert_eq!(s.filters.facets.get(&Field::Dtype).unwrap().len(), 2);
        assert_eq!(s.param("new.key"), Some("7"));
        assert_eq!(s.selection[1], RowRef { source: 1, line: 9, part: 2 });
        let keys: Vec<&str> = problems.iter().map(|p| p.key.as_str()).collect();
        assert_eq!(keys, ["roof", "rows", "r.m", "2 further keys"]);
    }

    #[test]
    fn of_a_hundred_thousand_bad_keys_three_are_named_and_none_at_length() {
        let long = "x".repeat(1 << 20);
        let many = |key: &str| (0..100_000).map(|i| format!("&f.{key}{i}=x")).collect::<String>();
        for link in [
            format!("r.m={long}{}", many("k")),
            format!("f.{long}=1&only={long}&sel={long}&v=9{long}"),
        ] {
            let (_, problems) = ViewState::decode(&link);
            assert_eq!(problems.len(), NAMED + 1, "{problems:?}");
            let said = problems.iter().map(|p| p.key.len() + p.message.len()).sum::<usize>();
            assert!(said < 2000, "{said}");
        }
        let (_, problems) = ViewState::decode(&many("k")[1..]);
        assert_eq!(
            (problems[0].key.as_str(), problems[3].key.as_str()),
            ("f.k0", "99\u{202f}997 further keys")
        );
    }

    #[test]
    fn libraries_may_be_named_as_a_file_names_them() {
        let link = "f.c.library=cublas&f.c.library=ours&compare.a=rocblas&f.c.kernel=cublas";
        let (state, problems) = ViewState::decode(link);
        assert!(problems.is_empty());
        assert_eq!(
            state.encode(),
            "v=1&f.c.kernel=cublas&f.c.library=cuBLAS&f.c.library=ours&compare.a=rocBLAS"
        );
    }

    #[test]
    fn other_data_starts_over() {
        let all = "#view=cells&device=mi300x&d.x=h100-sxm&roof=achievable&rows=sweep&f.dtype=bf16&q=a&sel=0.3&explore.x=m&plan.model=x";
        let (mut s, _) = ViewState::decode(all);
        s.start_over();
        let (kept, _) =
            ViewState::decode("#device=mi300x&d.x=h100-sxm&roof=achievable&plan.model=x");
        assert_eq!(s, kept);
    }

    #[test]
    fn a_file_that_is_taken_away_takes_its_rows_along() {
        let (mut s, problems) = ViewState::decode("#sel=0.3,1.9,2.4&only=rule*0.7_1.2_2.5-6");
        assert!(problems.is_empty());
        s.drop_source(1);
        let (kept, _) = ViewState::decode("#sel=0.3,1.4&only=rule*0.7_1.5-6");
        assert_eq!(s, kept);
        s.drop_source(0);
        s.drop_source(0);
        assert_eq!(s, ViewState::default());
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(
            view in "[a-z]{0,8}", search in "\\PC{0,20}", lo in -1e9f64..1e9, value in "\\PC{1,12}",
            key in "[a-zA-Z µ%/_.]{1,10}", source in 0u16..9, line in 1u32..99, part in 0u32..5,
        ) {
            let mut s = ViewState { view, ..ViewState::default() };
            s.filters.search = search;
            s.filters.ranges.insert(Field::Ai, Range { min: Some(lo), max: None });
            s.filters.toggle(&Field::Column(key.clone()), &value);
            s.devices.default = Some("mi300x".into());
            s.devices.overrides.insert(key, "h100-sxm".into());
            s.selection.push(RowRef { source, line, part });
            s.filters.only = RowSet::decode(&format!("rule*{source}.{line}.{part}")).ok();
            s.kind = DataKind::ALL.get(part as usize).copied();
            s.set_param("explore.x", "c.kernel");
            let (back, problems) = ViewState::decode(&s.encode());
            prop_assert!(problems.is_empty());
            prop_assert_eq!(back, s);
        }

        #[test]
        fn any_text_is_survived(text in "\\PC*") {
            let _ = ViewState::decode(&text);
        }
    }
}
