//! Excel workbooks (.xlsx): converts the sheet with the GEMMs to the CSV that Excel would export.
//!
//! A workbook is a zip of XML files, of which only the parts that tables need are read. A general library would take an
//! eighth of the page's size: calamine 0.38 with its cell reader is 309 kB of wasm after gzip (`opt-level = "z"`, LTO).

mod dates;

use super::zip::{self, Budget, Zip};
use crate::columns::defaults::{self, assumption};
use crate::split::canonical::push_record;
use crate::unsupported::ARCHIVE;
use crate::{ErrorKind, Head, ImportError, ImportOptions, Imported, formats, read_all};
use dates::{DateStyles, date_text};
use gemmscope_table::dataset::Assumption;
use gemmscope_table::trace;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

/// Maximum size of a workbook in bytes.
pub(crate) const MAX_BYTES: usize = 128 << 20;
/// Limit in bytes for decompressed parts and the text made from them.
const MAX_UNPACKED: usize = 512 << 20;
/// Columns of a sheet; Excel's own limit.
const MAX_COLUMNS: usize = 16_384;
/// Rows of a sheet; Excel's own limit.
const MAX_ROWS: u32 = 1 << 20;
/// Maximum number of sheets, since each is examined.
const MAX_SHEETS: usize = 1_000;

/// Reads the best recognised sheet of a workbook, or the one that the user chose (`sheet`).
///
/// # Errors
/// If the archive is not from Excel or is damaged, or if no sheet can be read.
pub(crate) fn read(
    name: &str,
    bytes: &[u8],
    options: &ImportOptions,
) -> Result<Imported, ImportError> {
    read_within(name, bytes, options, Budget::new(MAX_UNPACKED))
}

fn read_within(
    name: &str,
    bytes: &[u8],
    options: &ImportOptions,
    mut budget: Budget,
) -> Result<Imported, ImportError> {
    let foreign = |text: &str| ImportError::new(text.to_owned()).kind(ErrorKind::Foreign);
    let zip = Zip::open(bytes).ok_or_else(|| {
        foreign("this zip archive or Excel workbook is damaged or cut off: copy it again")
    })?;
    if !zip.has("xl/workbook.xml") {
        return Err(foreign(ARCHIVE));
    }
    let sheets = sheets(&zip, &mut budget)?.ok_or_else(|| {
        foreign("this Excel workbook could not be read: open it and save the sheet with the GEMMs as CSV")
    })?;
    if sheets.len() > MAX_SHEETS {
        return Err(ImportError::new(format!(
            "the workbook has {} sheets, more than {MAX_SHEETS}: save the sheet with the GEMMs \
             as CSV",
            sheets.len()
        )));
    }
    let (graded, timeline) = graded(&zip, &sheets, &mut budget)?;
    let names: Vec<String> = graded.iter().map(|g| g.1.clone()).collect();
    let chosen = options.answer("sheet").and_then(|a| names.iter().position(|n| n == a));
    let at = chosen.or_else(|| {
        // The first one among equals.
        (0..graded.len()).rev().max_by_key(|&i| graded[i].0).filter(|&i| graded[i].0.is_some())
    });
    let Some(at) = at else {
        return Err(foreign(
            "this Excel workbook has no sheet with M, N, K and a time or a rate: save the \
             right sheet as CSV and drop that",
        ));
    };
    let (_, sheet, csv) = &graded[at];
    let mut imported = read_all(name, csv.as_bytes(), options)?;
    let Imported::Table(data) = &mut imported else { return Ok(imported) };
    if let Some(text) = timeline
        && let Ok(Imported::Context(context)) =
            read_all(name, text.as_bytes(), &ImportOptions::default())
    {
        trace::attach(data, &context);
    }
    let mut others = graded.iter().filter(|g| g.1 != *sheet);
    if let Some((device, of)) = others.find_map(|(_, of, csv)| Some((device_of_sheet(csv)?, of))) {
        defaults::name_device(data, &device, format!("Device from the sheet “{of}”: {device}."));
    }
    if let Some(s) = data.sources.first_mut() {
        s.bytes = bytes.len() as u64;
        s.notes.insert(0, format!("Sheet “{sheet}” of an Excel workbook."));
        if names.len() > 1 {
            let text = format!("The workbook has {} sheets; reading “{sheet}”.", names.len());
            let chosen = assumption("sheet", text, sheet, &[]);
            s.assumptions.push(Assumption { choices: names, ..chosen });
        }
    }
    Ok(imported)
}

/// Grade of a sheet if a format claims it, its name, and its CSV.
type Graded = (Option<Grade>, String, String);
/// Strength of a claim. In a full report, the GEMM sheet ranks before the summary with the same operations.
type Grade = (u8, bool, usize);

/// Grades the non-empty sheets; also returns the timeline of a trace report.
fn graded(
    zip: &Zip<'_>,
    sheets: &[(String, String)],
    budget: &mut Budget,
) -> Result<(Vec<Graded>, Option<String>), ImportError> {
    let strings = match zip.text("xl/sharedStrings.xml", budget)? {
        Some(xml) => shared_strings(&xml, budget)?,
        None => Vec::new(),
    };
    let styles = zip.text("xl/styles.xml", budget)?;
    let dates = styles.map(|xml| DateStyles::new(&xml)).unwrap_or_default();
    let mut graded = Vec::new();
    let mut timeline = None;
    for (sheet, part) in sheets {
        let xml = zip.text(part, budget)?.ok_or_else(|| zip::damaged(sheet))?;
        let csv = sheet_csv(&xml, &strings, &dates, budget)
            .map_err(|e| ImportError::new(format!("sheet “{sheet}”: {}", e.message)))?;
        if csv.trim().is_empty() {
            continue;
        }
        let head = Head::from_bytes(sheet, csv.as_bytes());
        let grade = match formats::surest(&head, &ImportOptions::default()) {
            Ok((format, _)) if format.id == "tracelens_context" => {
                timeline = Some(csv);
                continue;
            }
            Ok((_, claim)) => {
                let (sureness, marks) = claim.strength();
                Some((sureness, sheet.eq_ignore_ascii_case("gemm"), marks))
            }
            Err(_) => None,
        };
        graded.push((grade, sheet.clone(), csv));
    }
    Ok((graded, timeline))
}

/// The device in a sheet of specifications with two columns, label and value.
fn device_of_sheet(csv: &str) -> Option<String> {
    const WORDS: [&str; 6] = ["gpu model", "gpu", "device", "accelerator", "cpu model", "cpu"];
    let pairs: Vec<(String, &str)> = csv
        .lines()
        .filter_map(|l| l.split_once(','))
        .map(|(key, value)| (key.trim().to_ascii_lowercase(), value.trim_matches(['"', ',', ' '])))
        .filter(|(_, value)| !value.is_empty())
        .collect();
    let value = |word: &&str| pairs.iter().find(|(key, _)| key == word);
    WORDS.iter().find_map(value).map(|(_, v)| (*v).to_owned())
}

/// Event of the XML parser.
enum Xml<'a> {
    /// Opening tag: name without prefix, attributes as written, whether it is self-closing.
    Open(&'a str, &'a str, bool),
    Close(&'a str),
    Text(&'a str),
}

fn steps(text: &str) -> impl Iterator<Item = Xml<'_>> {
    let bare = |n: &'_ str| n.rsplit_once(':').map_or(n.len(), |(_, b)| b.len());
    let mut rest = text;
    std::iter::from_fn(move || {
        loop {
            let at = rest.find('<')?;
            if at > 0 {
                let piece = &rest[..at];
                rest = &rest[at..];
                return Some(Xml::Text(piece));
            }
            let end = rest.find('>')?;
            let tag = &rest[1..end];
            rest = &rest[end + 1..];
            if tag.starts_with(['?', '!']) {
                continue;
            }
            if let Some(name) = tag.strip_prefix('/') {
                let name = name.trim();
                return Some(Xml::Close(&name[name.len() - bare(name)..]));
            }
            let (tag, empty) = match tag.strip_suffix('/') {
                Some(t) => (t, true),
                None => (tag, false),
            };
            let (name, attributes) = tag.split_once(char::is_whitespace).unwrap_or((tag, ""));
            return Some(Xml::Open(&name[name.len() - bare(name)..], attributes, empty));
        }
    })
}

fn attribute(attributes: &str, wanted: &str) -> Option<String> {
    let mut rest = attributes;
    loop {
        let (name, after) = rest.split_once('=')?;
        let after = after.trim_start();
        let quote = after.chars().next().filter(|c| matches!(c, '"' | '\''))?;
        let (value, more) = after[1..].split_once(quote)?;
        if name.trim() == wanted {
            return Some(unescape(value));
        }
        rest = more;
    }
}

fn unescape(text: &str) -> String {
    if !text.contains('&') {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let Some(end) = rest.find(';').filter(|e| *e < 12) else {
            break;
        };
        let word = &rest[1..end];
        let known = match word {
            "amp" => Some('&'),
            "lt" => Some('<'),
            "gt" => Some('>'),
            "quot" => Some('"'),
            "apos" => Some('\''),
            _ => word
                .strip_prefix("#x")
                .and_then(|h| u32::from_str_radix(h, 16).ok())
                .or_else(|| word.strip_prefix('#')?.parse().ok())
                .and_then(char::from_u32),
        };
        match known {
            Some(c) => out.push(c),
            None => out.push_str(&rest[..=end]),
        }
        rest = &rest[end + 1..];
    }
    out.push_str(rest);
    out
}

/// Name and part of every sheet in workbook order; sheets that share a part are listed once.
fn sheets(
    zip: &Zip<'_>,
    budget: &mut Budget,
) -> Result<Option<Vec<(String, String)>>, ImportError> {
    let mut targets = HashMap::new();
    let Some(links) = zip.text("xl/_rels/workbook.xml.rels", budget)? else {
        return Ok(None);
    };
    for step in steps(&links) {
        if let Xml::Open("Relationship", a, _) = step
            && let (Some(id), Some(target)) = (attribute(a, "Id"), attribute(a, "Target"))
        {
            let part = match target.strip_prefix('/') {
                Some(absolute) => absolute.to_owned(),
                None => format!("xl/{target}"),
            };
            targets.insert(id, part);
        }
    }
    let Some(workbook) = zip.text("xl/workbook.xml", budget)? else {
        return Ok(None);
    };
    let mut seen = HashSet::new();
    let mut out = Vec::new();
    for step in steps(&workbook) {
        if let Xml::Open("sheet", a, _) = step
            && let (Some(name), Some(id)) = (attribute(a, "name"), attribute(a, "r:id"))
            && let Some(part) = targets.get(&id)
            && seen.insert(part)
        {
            out.push((name, part.clone()));
        }
    }
    Ok(Some(out))
}

fn shared_strings(xml: &str, budget: &mut Budget) -> Result<Vec<String>, ImportError> {
    let mut out = Vec::new();
    let mut add = |text: String| {
        budget.spend(text.len() + size_of::<String>())?;
        out.push(text);
        Ok::<(), ImportError>(())
    };
    let (mut text, mut inside, mut spoken) = (String::new(), false, false);
    for step in steps(xml) {
        match step {
            Xml::Open("si", _, true) => add(String::new())?,
            Xml::Open("t", _, empty) => inside = !empty && !spoken,
            // Skip the phonetic reading of a word.
            Xml::Open("rPh", _, empty) => spoken = !empty,
            Xml::Close("rPh") => spoken = false,
            Xml::Close("t") => inside = false,
            Xml::Close("si") => add(std::mem::take(&mut text))?,
            Xml::Text(t) if inside => text += &unescape(t),
            _ => {}
        }
    }
    Ok(out)
}

/// Column index of a cell reference: `C12` is 2. Capped at Excel's number of columns.
fn column_of(reference: &str) -> Option<usize> {
    let letters = reference.bytes().take_while(u8::is_ascii_alphabetic);
    let column = letters.fold(0usize, |column, b| {
        (column * 26 + usize::from(b.to_ascii_uppercase() - b'A') + 1).min(MAX_COLUMNS + 1)
    });
    column.checked_sub(1)
}

/// Converts a sheet to CSV; blank lines preserve the row numbers.
fn sheet_csv(
    xml: &str,
    strings: &[String],
    dates: &DateStyles,
    budget: &mut Budget,
) -> Result<String, ImportError> {
    let mut out = String::new();
    let mut line = 1u32;
    let mut row: Vec<Cow<'_, str>> = Vec::new();
    let (mut at, mut next) = (0, 0);
    let (mut kind, mut value, mut inside) = (String::new(), String::new(), false);
    let mut is_date = false;
    for step in steps(xml) {
        match step {
            Xml::Open("row", a, _) => {
                row.clear();
                next = 0;
                let number = attribute(a, "r").and_then(|r| r.parse::<u32>().ok());
                // Ignore row numbers beyond Excel's limit.
                if let Some(n) = number.filter(|n| *n > line && *n <= MAX_ROWS) {
                    let blank = (n - line) as usize;
                    budget.spend(blank)?;
                    out.extend(std::iter::repeat_n('\n', blank));
                    line = n;
                }
            }
            Xml::Open("c", a, empty) => {
                at = attribute(a, "r").and_then(|r| column_of(&r)).unwrap_or(next);
                next = at + 1;
                kind = attribute(a, "t").unwrap_or_default();
                is_date = attribute(a, "s").is_some_and(|style| dates.is_date(&style));
                value.clear();
                if empty {
                    kind.clear();
                }
            }
            Xml::Open("v" | "t", _, empty) => inside = !empty,
            Xml::Close("v" | "t") => inside = false,
            Xml::Text(t) if inside => value += &unescape(t),
            Xml::Close("c") => {
                if at >= MAX_COLUMNS {
                    return Err(ImportError::new(format!(
                        "row {line} has a cell beyond the {MAX_COLUMNS} columns of Excel: the \
                         workbook is damaged"
                    )));
                }
                let text = match kind.as_str() {
                    "s" => match value.trim().parse().ok().and_then(|i: usize| strings.get(i)) {
                        Some(text) => Cow::Borrowed(text.as_str()),
                        // A missing shared string must not read as a number.
                        None => Cow::Owned(format!("missing text {}", value.trim())),
                    },
                    "" | "n" if is_date && !value.is_empty() => Cow::Owned(date_text(&value)),
                    "b" => Cow::Borrowed(if value.trim() == "1" { "True" } else { "False" }),
                    _ => Cow::Owned(std::mem::take(&mut value)),
                };
                if row.len() <= at {
                    row.resize(at + 1, Cow::Borrowed(""));
                }
                row[at] = text;
            }
            Xml::Close("row") => {
                budget.spend(row.iter().map(|cell| cell.len() + 1).sum::<usize>() + 1)?;
                push_record(&mut out, row.iter().map(|cell| &**cell), false);
                line += 1;
            }
            _ => {}
        }
    }
    Ok(out)
}

#[cfg(test)]
mod tests;
