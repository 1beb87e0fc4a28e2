//! Options that fit no file, which would otherwise be ignored silently.

use super::{Loaded, Outcome};
use crate::command_line::Source;
use gemmscope_import::ImportOptions;
use gemmscope_model::dtype::DataType;
use gemmscope_model::hardware::{self, Device, NameMatch};
use gemmscope_model::units::expected_one_of;
use gemmscope_table::dataset::Assumption;

/// Id of the device named by `--device`, in the files or in the catalogue.
pub(super) fn device_id(text: Option<&str>, custom: &[Device]) -> Result<Option<String>, String> {
    let Some(text) = text else { return Ok(None) };
    let own = custom
        .iter()
        .find(|d| d.id.eq_ignore_ascii_case(text) || d.name.eq_ignore_ascii_case(text));
    if let Some(own) = own {
        return Ok(Some(own.id.clone()));
    }
    if let NameMatch::Exact(d) | NameMatch::Alias(d) = hardware::match_name(text) {
        return Ok(Some(d.id.clone()));
    }
    let mut known: Vec<&str> = custom.iter().map(|d| d.name.as_str()).collect();
    known.push("an id that `gemmscope devices` lists");
    Err(format!("--device: expected {}: {text}", known.join(", ")))
}

/// An error for an `--answer` that no file asks for, or with an impossible value.
pub(super) fn wrong_answer(options: &ImportOptions, asked: &[&Assumption]) -> Option<String> {
    // These apply to any file, whether it asks or not.
    const GENERAL: [&str; 4] = ["device", "dtype", "shape", "sheet"];
    for (key, value) in &options.answers {
        let of_key = asked.iter().find(|a| a.key == *key);
        if of_key.is_none() && !GENERAL.contains(&key.as_str()) {
            let mut keys: Vec<&str> = asked.iter().map(|a| a.key.as_str()).collect();
            keys.sort_unstable();
            keys.dedup();
            let keys = match keys.as_slice() {
                [] => "the files need no answers".to_owned(),
                keys => format!("the files need {}", keys.join(", ")),
            };
            return Some(format!("--answer: unknown key {key}; {keys}"));
        }
        let choices = of_key.map_or(&[][..], |a| &a.choices);
        let is_type = key == "dtype" || choices.iter().any(|c| c == DataType::Fp16.id());
        let fits = if is_type {
            DataType::parse(value).is_some()
        } else {
            choices.is_empty() || choices.iter().any(|c| c.eq_ignore_ascii_case(value.trim()))
        };
        if !fits {
            let choices = if choices.is_empty() {
                DataType::ALL.iter().map(|t| t.id()).collect::<Vec<_>>()
            } else {
                choices.iter().map(String::as_str).collect()
            };
            return Some(format!("--answer: {key}: {}", expected_one_of(&choices, value)));
        }
    }
    None
}

/// An error for a `--column` that no file has.
pub(super) fn wrong_column(source: &Source, all: &[&Loaded]) -> Option<String> {
    let outcomes = all.iter().flat_map(|l| &l.files).map(|(_, outcome)| outcome);
    // Such a failure was reported, and the columns of that file are unknown.
    if outcomes.into_iter().any(|o| matches!(o, Outcome::Failed(_))) {
        return None;
    }
    let mut headers: Vec<&str> = Vec::new();
    for header in all.iter().flat_map(|l| &l.data.sources).flat_map(|s| &s.headers) {
        if !headers.contains(&header.as_str()) {
            headers.push(header);
        }
    }
    let (name, _) = source.column.iter().find(|(n, _)| !headers.contains(&n.as_str()))?;
    Some(match headers.as_slice() {
        [] => format!(
            "--column: {name}: what the columns hold is known by the format of the files; --format generic \
             reads them by their headers"
        ),
        headers => {
            format!("--column: no column is called {name}; the files have {}", headers.join(", "))
        }
    })
}
