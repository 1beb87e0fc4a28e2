//! Any delimited file with M, N, K and a time or a rate: columns by name, units from the header or the
//! values, all other columns kept.

use crate::columns::mapping;
use crate::columns::plan_rows::PlanRows;
use crate::document::plain::plan::plan;
use crate::head::header_has;
use crate::split::canonical::Rewritten;
use crate::split::dialect::{Foreign, is_json};
use crate::{Claim, ErrorKind, Format, Head, ImportError, ImportOptions, Opened, ReadBy};
use gemmscope_table::build::TableBuilder;
use gemmscope_table::dataset::ColumnMeaning::*;

pub(crate) const FORMAT: Format = Format {
    id: "generic",
    name: "Table with M, N, K and a time or a rate",
    produced_by: "any script or spreadsheet",
    example: "M,N,K,dtype,time_us\n4096,4096,4096,fp16,690\n",
    read: ReadBy::Code { claim, open },
};

pub(crate) fn claim(head: &Head) -> Option<Claim> {
    if is_json(head.first()) {
        return None;
    }
    let options = ImportOptions::default();
    let plain = mapping::sample(head, &options)?.plain;
    if plain.is_complete() {
        let known = [M, N, K, Mnk, Square, ShapeA, ShapeB, Time, ReportedRate];
        let names = known.into_iter().filter_map(|t| plain.position(t));
        let names: Vec<_> = names.map(|i| plain.name(i)).collect();
        Some(Claim::Columns(header_has(&names)))
    } else if plain.is_shapes_only() {
        Some(Claim::Columns(String::new()))
    } else if (plain.width() >= 3 || plain.header_line == 0) && plain.has_numbers() {
        Some(Claim::Guess(String::new()))
    } else {
        None
    }
}

fn open(head: &Head, options: &ImportOptions) -> Opened {
    let Some(sampled) = mapping::sample(head, options) else {
        return Err(ImportError::new(format!(
            "expected a table with a header: {}",
            head.first().chars().take(120).collect::<String>()
        )));
    };
    let plain = &sampled.plain;
    let names = || (0..plain.width()).map(|i| plain.name(i));
    if !plain.is_complete() && !plain.is_shapes_only() {
        let found: Vec<&str> = names().collect();
        let missing = plain.missing.join(", ");
        let found = found.join(", ");
        let message = match plain.header_line {
            0 => format!(
                "the rows have no header that says which numbers are {missing}: add one such as m,n,k,time_us, or say \
                 what the columns hold ({found})"
            ),
            _ => format!("no column for {missing} among {found}"),
        };
        return Err(ImportError::new(message)
            .at(plain.header_line, 0)
            .kind(ErrorKind::NeedsMapping));
    }
    let mut table = TableBuilder::with_room(head.rows);
    if !options.columns.is_empty() {
        table.headers = names().map(str::to_owned).collect();
    }
    let (before, words) = (sampled.preamble.len(), sampled.words);
    let reader = PlanRows::by(plan(&mut table, sampled, head), before, table);
    Ok(if words { Rewritten::open(Foreign::WORDS, reader) } else { reader })
}

#[cfg(test)]
mod tests;
