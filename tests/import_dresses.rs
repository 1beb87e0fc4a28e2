//! Each fixture that is a table, in every dress: the rows are those of the tool's own file.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on says where")]

use gemmscope_import::{ImportOptions, Imported, read_all};
use gemmscope_table::dataset::{ColumnData, Dataset};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// (format, file) of every fixture of separated values, sorted.
fn fixtures() -> Vec<(String, PathBuf)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let mut out = Vec::new();
    for folder in std::fs::read_dir(root).unwrap() {
        let folder = folder.unwrap().path();
        let format = folder.file_name().unwrap().to_string_lossy().into_owned();
        if !folder.is_dir() || format == "errors" {
            continue;
        }
        let files = std::fs::read_dir(&folder).unwrap().map(|file| file.unwrap().path());
        let tables =
            files.filter(|file| file.extension().is_some_and(|e| e == "csv" || e == "tsv"));
        out.extend(tables.map(|file| (format.clone(), file)));
    }
    out.sort();
    out
}

/// The cells of a line, with quotes as spreadsheets write them; `None` where a quote is left open.
fn cells(line: &str, delimiter: char) -> Option<Vec<String>> {
    let (mut out, mut cell, mut quoted) = (Vec::new(), String::new(), false);
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' if quoted && chars.next_if_eq(&'"').is_some() => cell.push('"'),
            '"' => quoted = !quoted,
            c if c == delimiter && !quoted => out.push(std::mem::take(&mut cell)),
            c => cell.push(c),
        }
    }
    out.push(cell);
    (!quoted).then_some(out)
}

/// The table that a text is, if it is one from its first line to its last.
fn table(text: &str) -> Option<Vec<Vec<String>>> {
    [',', ';', '\t'].into_iter().find_map(|delimiter| {
        let lines = text.lines().filter(|l| !l.trim().is_empty());
        let rows: Vec<_> = lines.map(|l| cells(l, delimiter)).collect::<Option<_>>()?;
        let width = rows.first()?.len();
        let whole = width > 2 && rows.len() > 1 && rows.iter().all(|r| r.len() == width);
        whole.then_some(rows)
    })
}

fn markdown(rows: &[Vec<String>]) -> String {
    let line = |row: &Vec<String>| {
        let cells: Vec<String> = row.iter().map(|c| c.replace('|', "\\|")).collect();
        format!("| {} |\n", cells.join(" | "))
    };
    let rule = format!("|{}\n", " --- |".repeat(rows[0].len()));
    let body: String = rows[1..].iter().map(line).collect();
    format!("{}{rule}{body}", line(&rows[0]))
}

fn html(rows: &[Vec<String>]) -> String {
    let mut out = "<table>\n".to_owned();
    for (i, row) in rows.iter().enumerate() {
        let tag = if i == 0 { "th" } else { "td" };
        out += "<tr>";
        for cell in row {
            let text = cell.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
            write!(out, "<{tag}>{text}</{tag}>").unwrap();
        }
        out += "</tr>\n";
    }
    out + "</table>\n"
}

fn grid(rows: &[Vec<String>]) -> String {
    let escaped = |cell: &String| cell.replace('|', "\\|");
    let width = |column: usize| rows.iter().map(|r| escaped(&r[column]).chars().count()).max();
    let widths: Vec<usize> = (0..rows[0].len()).map(|c| width(c).unwrap_or(0)).collect();
    let rule: String = widths.iter().map(|w| format!("+{}", "-".repeat(w + 2))).collect();
    let rule = rule + "+\n";
    let mut out = rule.clone();
    for (i, row) in rows.iter().enumerate() {
        for (cell, width) in row.iter().zip(&widths) {
            write!(out, "| {:width$} ", escaped(cell)).unwrap();
        }
        out += "|\n";
        if i == 0 {
            out += &rule;
        }
    }
    out + &rule
}

/// Every row in words, without its line.
fn rows(data: &Dataset, with_columns: bool) -> String {
    let mut out = String::new();
    for row in 0..data.len() {
        let (p, device) = (data.problem(row), &data.devices[data.device[row] as usize]);
        let (sizes, time) = ([p.m, p.n, p.k, p.batch], data.time_s[row]);
        write!(out, "{sizes:?} {} {time:.9e} s {device:?}", p.op).unwrap();
        for column in data.columns.iter().filter(|_| with_columns) {
            match &column.data {
                ColumnData::Number(v) if !v[row].is_nan() => {
                    write!(out, " {}={}", column.key, v[row]).unwrap();
                }
                ColumnData::Text { codes, values } if codes[row] != 0 => {
                    write!(out, " {}={:?}", column.key, values[codes[row] as usize]).unwrap();
                }
                _ => {}
            }
        }
        out.push('\n');
    }
    out
}

fn read(name: &str, text: &str, with_columns: bool) -> (String, String) {
    match read_all(name, text.as_bytes(), &ImportOptions::default()) {
        Ok(Imported::Table(data)) => (data.sources[0].format.clone(), rows(&data, with_columns)),
        Ok(Imported::Devices(devices)) => (String::new(), format!("{devices:?}")),
        Ok(Imported::Context(context)) => (String::new(), format!("{context:?}")),
        Err(e) => (String::new(), e.to_string()),
    }
}

#[test]
fn a_table_gives_the_same_rows_in_every_dress() {
    let (mut tables, mut wrong) = (0, Vec::new());
    for (format, file) in fixtures() {
        let Ok(text) = std::fs::read_to_string(&file) else { continue };
        let Some(cells) = table(&text) else { continue };
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        // Without the signature of a tool, further columns go by other names in a document.
        let is_known = !["generic", "document", "triton"].contains(&format.as_str());
        if read_all(&name, text.as_bytes(), &ImportOptions::default()).is_err() {
            continue;
        }
        let plain = read(&name, &text, is_known);
        tables += 1;
        for (dress, text) in
            [("Markdown", markdown(&cells)), ("HTML", html(&cells)), ("grid", grid(&cells))]
        {
            let dressed = read(&name, &text, is_known);
            if dressed.1 != plain.1 {
                wrong.push(format!(
                    "{format}/{name} as {dress}, read as {} not {}:\n{}not\n{}",
                    dressed.0, plain.0, dressed.1, plain.1
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {tables} tables:\n{}", wrong.len(), wrong.join("\n"));
    assert!(tables > 60, "{tables}");
}
