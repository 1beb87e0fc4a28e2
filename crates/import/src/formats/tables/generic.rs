//! Any delimited file with M, N, K and a time or a rate: columns by their names, units from the
//! header or the values, every other column kept.

mod assumed;
mod plan;

use crate::columns::mapping;
use crate::columns::plan_rows::PlanRows;
use crate::head::header_has;
use crate::split::canonical::Rewritten;
use crate::split::dialect::{Foreign, is_json};
use crate::{Claim, ErrorKind, Format, Head, ImportError, ImportOptions, Opened, ReadBy};
use gemmscope_table::build::TableBuilder;
use gemmscope_table::dataset::ColumnMeaning::*;
use plan::plan;

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
    let sampled = mapping::sample(head, &ImportOptions::default())?;
    let m = &sampled.mapping;
    if m.is_complete() {
        let known = [M, N, K, Mnk, Square, ShapeA, ShapeB, Time, ReportedRate];
        let names = known.into_iter().filter_map(|t| Some(&*m.columns[m.position(t)?].header));
        Some(Claim::Columns(header_has(&names.collect::<Vec<_>>())))
    } else if m.is_shapes_only() {
        Some(Claim::Columns(String::new()))
    } else if m.columns.len() >= 3 && sampled.has_numbers() {
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
    let m = &sampled.mapping;
    if !m.is_complete() && !m.is_shapes_only() {
        let found: Vec<&str> = m.columns.iter().map(|c| c.header.as_str()).collect();
        let missing = m.missing.join(", ");
        let found = found.join(", ");
        let message = match m.header_line {
            0 => format!(
                "the rows have no header that says which numbers are {missing}: add one such as m,n,k,time_us, or say \
                 what the columns hold ({found})"
            ),
            _ => format!("no column for {missing} among {found}"),
        };
        return Err(ImportError::new(message).at(m.header_line, 0).kind(ErrorKind::NeedsMapping));
    }
    let mut table = TableBuilder::with_room(head.rows);
    if !options.columns.is_empty() {
        table.headers = m.columns.iter().map(|c| c.header.clone()).collect();
    }
    let plan = plan(&mut table, &sampled, head, options);
    let reader = PlanRows::by(plan, sampled.preamble.len(), table);
    Ok(if sampled.words { Rewritten::open(Foreign::WORDS, reader) } else { reader })
}

#[cfg(test)]
mod tests;
