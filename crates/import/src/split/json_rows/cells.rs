//! Converts the members of a JSON object to cells of a table.

use crate::split::canonical::push_record;
use serde_json::{Map, Value};
use std::collections::{HashMap, HashSet};

/// Cells of an object: name and value.
pub(super) type Cells = Vec<(String, String)>;

/// Maximum number of columns. Objects with more members do not describe a GEMM.
pub(super) const MOST_COLUMNS: usize = 500;

/// The columns in order of appearance.
#[derive(Default)]
pub(super) struct Columns {
    pub names: Vec<String>,
    at: HashMap<String, usize>,
}

impl Columns {
    pub(super) fn add(&mut self, name: &str) {
        if self.names.len() < MOST_COLUMNS && !self.at.contains_key(name) {
            self.at.insert(name.to_owned(), self.names.len());
            self.names.push(name.to_owned());
        }
    }

    /// Appends an object as a record. Returns the number of members without a column.
    pub(super) fn record(&self, out: &mut String, cells: &Cells) -> u64 {
        let mut row: Vec<Option<&str>> = vec![None; self.names.len()];
        let mut late = 0;
        for (name, value) in cells {
            match self.at.get(name) {
                Some(at) => {
                    row[*at].get_or_insert(value);
                }
                None => late += 1,
            }
        }
        push_record(out, row.into_iter().map(Option::unwrap_or_default), true);
        late
    }
}

/// True for the cells of a column by row label: `{"0": 4096, "1": 128}`.
pub(super) fn is_column(cells: &Map<String, Value>) -> bool {
    let of_row = |(label, cell): (&String, &Value)| {
        label.bytes().all(|b| b.is_ascii_digit()) && !cell.is_object()
    };
    !cells.is_empty() && cells.iter().all(of_row)
}

/// A test of pytest-benchmark: its parameters, extra info and times in seconds, without its settings and its name.
/// `None` for other objects.
pub(super) fn of_pytest(test: &Map<String, Value>) -> Option<Map<String, Value>> {
    let stats = test.get("stats")?.as_object().filter(|s| s.contains_key("rounds"))?;
    let member =
        |(name, title): &(&str, &str)| Some(((*title).to_owned(), stats.get(*name)?.clone()));
    let times = [
        ("median", "median_time_s"),
        ("min", "min_time_s"),
        ("max", "max_time_s"),
        ("stddev", "std_time_s"),
    ];
    let objects =
        ["params", "extra_info"].into_iter().filter_map(|name| test.get(name)?.as_object());
    let said = objects.flatten().map(|(name, value)| (name.clone(), value.clone()));
    let name = test.get("name").map(|name| ("test".to_owned(), name.clone()));
    Some(said.chain(name).chain(times.iter().filter_map(member)).collect())
}

/// Flattens nested objects: members by their last name, or by path if that name is taken.
pub(super) fn flatten(
    path: &str,
    object: &Map<String, Value>,
    out: &mut Cells,
    taken: &mut HashSet<String>,
    depth: u32,
) {
    for (key, value) in object {
        let text = match value {
            Value::Object(inner) if depth < 4 => {
                flatten(key, inner, out, taken, depth + 1);
                continue;
            }
            Value::String(t) => t.clone(),
            Value::Null => String::new(),
            // A short list of sizes is a single cell.
            other => other.to_string(),
        };
        let name = if taken.contains(key) && !path.is_empty() {
            format!("{path}.{key}")
        } else {
            key.clone()
        };
        taken.insert(name.clone());
        out.push((name, text));
    }
}
