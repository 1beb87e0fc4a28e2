//! Reads any text with tables or lines of measurements: splits it into blocks, parses cells with the text
//! around each number, collects facts stated around a table, checks interpretations by arithmetic, and asks
//! the user if two are left.

mod beyond;
mod block;
mod cell;
mod columns;
mod dress;
mod evidence;
mod experts;
mod facts;
mod known;
mod lines;
mod log;
mod open_units;
pub(crate) mod plain;
mod readings;
mod rows;
pub(crate) mod sizes;
mod spread;
mod surroundings;
pub(crate) mod title;
mod types;
mod unit_words;
mod units;
mod words;

use crate::columns::defaults;
use crate::reader::Whole;
use crate::split::dialect::{Foreign, is_json};
use crate::{Claim, ErrorKind, Format, Head, ImportError, ImportOptions, Imported, Opened, ReadBy};
pub(crate) use beyond::{BANDWIDTHS, beyond_columns};
use block::{Block, Table};
use gemmscope_table::build::TableBuilder;
use known::{KnownTable, OfTools};
use surroundings::Surroundings;
use title::Holds;

pub(crate) const FORMAT: Format = Format {
    id: "document",
    name: "Text with tables or lines of measurements",
    produced_by: "anything pasted: issues, reports, terminals",
    example: "H100, bf16, M = N = 4096:\n\n\
              | K | cuBLAS (TFLOPS) | ours (TFLOPS) |\n|---|---|---|\n| 4096 | 690 | **710** |\n",
    read: ReadBy::Code { claim, open },
};

/// Size limit of a document, MiB.
const MOST_MIB: usize = 64;

fn claim(head: &Head) -> Option<Claim> {
    if is_json(head.first()) {
        return None;
    }
    let blocks = document(&head.source.join("\n"));
    if let Some(signature) = signature(&blocks, &head.name) {
        return Some(signature);
    }
    if let Some(why) = head.beyond_columns() {
        return Some(Claim::Columns(why.to_owned()));
    }
    let known = |b: &Block| b.table().is_some_and(|t| t.titles.len() > 1);
    let lines = |b: &Block| b.table().is_some_and(|t| t.is_log);
    let of_gemms = |b: &Block| known(b) && !lines(b) && is_about_gemms(b);
    let unnamed = |t: &Table| {
        let (columns, _) = columns::columns(t, &ImportOptions::default());
        let sized = columns.iter().any(|c| matches!(c.title.holds, Holds::M | Holds::Shape));
        sized && beyond::has_unnamed_figures(&columns)
    };
    // Unknown columns are mapped by hand in the form of the delimited reader.
    let plain = |b: &Block| b.table().is_some_and(|t| matches!(t.dress, "delimited" | "bars"));
    let unknown = matches!(&blocks[..], [only] if plain(only) && !names_a_size(only));
    if unknown || !blocks.iter().any(known) {
        return None;
    }
    let figures = || blocks.iter().filter_map(Block::table).any(unnamed);
    let delimited = head.foreign.is_some_and(Foreign::has_delimiter);
    let only_lines = || !delimited && blocks.iter().any(lines) && !blocks.iter().any(of_gemms);
    Some(match figures() || only_lines() {
        true => Claim::Columns(String::new()),
        // The delimited reader may have a stronger claim.
        false => Claim::Guess(String::new()),
    })
}

/// Sum of the signatures of known tools in its tables. A text of one tool goes to that tool's format if it recognises
/// the table itself; with tables of several tools, or with other tables, it is a document.
fn signature(blocks: &[Block], name: &str) -> Option<Claim> {
    let mut tools: Vec<(&str, usize)> = Vec::new();
    let mut others = 0;
    for block in blocks {
        let Some(table) = block.table().filter(|t| t.titles.len() > 1) else { continue };
        match KnownTable::of(table, name, false) {
            Some(known) => {
                let (_, marks) = known.claim.strength();
                if !tools.iter().any(|(id, _)| *id == known.format.id) {
                    tools.push((known.format.id, marks));
                }
            }
            None => others += usize::from(is_drawn(table) && is_about_gemms(block)),
        }
    }
    let marks: usize = tools.iter().map(|(_, marks)| marks).sum();
    (marks > 0).then(|| Claim::signature(marks + others))
}

/// True for a table with drawn lines or markup, which cannot be part of a log.
fn is_drawn(table: &Table) -> bool {
    matches!(table.dress, "HTML" | "Markdown" | "grid")
}

fn open(head: &Head, options: &ImportOptions) -> Opened {
    let (name, options) = (head.name.clone(), options.clone());
    Ok(Whole::open(MOST_MIB, "a text with tables", move |text| read(&name, text, &options)))
}

/// Splits a text into blocks; lines of measurements become tables.
fn document(text: &str) -> Vec<Block> {
    // Replace the two letters that case folding maps to s and k (long s, Kelvin sign).
    let text = text.replace('\u{17f}', "s").replace('\u{212a}', "K");
    let mut blocks = block::blocks(&text);
    let lines = log::tables(&blocks);
    blocks.extend(lines);
    blocks
}

fn read(name: &str, text: &str, options: &ImportOptions) -> Result<Imported, ImportError> {
    let blocks = document(text);
    let mut table = TableBuilder::new();
    let head = Head { name: name.to_owned(), ..Head::default() };
    let device = defaults::device_above(&mut table, &head, options, None);
    let surroundings = Surroundings::of(&blocks);
    let mut refused: Vec<String> = Vec::new();
    let mut tools = OfTools::default();
    for (at, block) in blocks.iter().enumerate() {
        let Some(cells) = block.table().filter(|t| t.titles.len() > 1) else { continue };
        if let Some(known) = KnownTable::of(cells, name, blocks.len() == 1) {
            let format = known.format.name;
            match known.read(options) {
                Ok(Some(imported)) => {
                    tools.add(imported, &surroundings.facts(at));
                    continue;
                }
                Ok(None) => {}
                Err(e) => {
                    refused.push(format!("the table at line {} ({format}): {e}", block.line));
                    continue;
                }
            }
        }
        if let Err(why) = rows::read(&surroundings, at, options, device, &mut table)
            && is_about_gemms(block)
        {
            refused.push(why);
        }
    }
    if table.is_empty() && tools.is_empty() {
        return Err(refusal(&blocks, refused));
    }
    for why in refused {
        table.note(format!("Left out {why}."));
    }
    Ok(tools.with(table, name))
}

/// True if a title of the table is a size.
fn names_a_size(block: &Block) -> bool {
    use title::Holds::{K, M, N, Shape, Square};
    names_any(block, &[M, N, K, Shape, Square])
}

/// True if a title of the table is a size or a figure.
fn is_about_gemms(block: &Block) -> bool {
    use title::Holds::{Batch, Rate, Time};
    names_a_size(block) || names_any(block, &[Time, Rate, Batch])
}

fn names_any(block: &Block, what: &[title::Holds]) -> bool {
    let titles = block.table().map_or(&[][..], |t| &t.titles);
    titles.iter().any(|t| what.contains(&title::title(t).holds))
}

/// Error that says what was found, what is missing, and what to do.
fn refusal(blocks: &[Block], refused: Vec<String>) -> ImportError {
    let tables = blocks.iter().filter(|b| b.table().is_some()).count();
    let message = refused.into_iter().next().unwrap_or_else(|| {
        format!(
            "{tables} tables and no line with sizes and a measurement: M, N and K of a GEMM, and a time or a rate, \
             are missing"
        )
    });
    ImportError::new(message).kind(ErrorKind::NeedsMapping)
}

#[cfg(test)]
mod tests;
