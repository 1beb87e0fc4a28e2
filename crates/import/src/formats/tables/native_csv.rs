//! The long CSV written by gemmscope: units in titles, and types per operand, device, file and line in each row.

use crate::cell;
use crate::cell::CellError;
use crate::columns::header::{Col, Header, below_other_header, without_bom};
use crate::reader::{CUT, ROW_CUT};
use crate::{
    Claim, Delimited, FORMATS, Format, Head, ImportError, ImportOptions, Imported, Opened, ReadBy,
    Record, RowReader, ValueCache,
};
use gemmscope_model::dtype::DataType;
use gemmscope_model::gemm::Operation;
use gemmscope_table::build;
use gemmscope_table::build::cell_text::{RowError, cell_text};
use gemmscope_table::build::{ColumnId, Row, TableBuilder};
use gemmscope_table::dataset::{ColumnData, Source};
use gemmscope_table::native_csv::{
    ABOUT, DERIVED, FIXED, FROM_ROOF, GROUPS, HANDED_IN, VERSION, parse_title, unguard,
};
use std::collections::BTreeMap;
use std::collections::HashMap;

pub(crate) const FORMAT: Format = Format {
    id: "gemmscope",
    name: "gemmscope table",
    produced_by: "gemmscope (export, gemmscope convert)",
    example: "gemmscope,m,n,k,batch,dtype_a,dtype_b,dtype_c,dtype_compute,trans_a,trans_b,bias,\
              beta,time_s,device,file,format,line\n\
              1,4096,4096,4096,1,fp16,fp16,fp16,fp16,N,N,false,false,0.00069,,mine.csv,generic,2\n",
    read: ReadBy::Code { claim, open },
};

pub(crate) fn claim(head: &Head) -> Option<Claim> {
    let fields = Head::fields(head.first());
    (fields.first() == Some(&"gemmscope") && fields.contains(&"time_s"))
        // All its titles are specific to it.
        .then(|| Claim::signature(fields.len()))
}

fn open(head: &Head, options: &ImportOptions) -> Opened {
    let (name, answers) = (head.name.clone(), options.answers.clone());
    let rows = NativeTable { name, answers, ..NativeTable::default() };
    Ok(Delimited::open(rows, TableBuilder::new()))
}

#[derive(Debug)]
struct Cols {
    /// The mandatory columns of [`FIXED`]: from version to time.
    fixed: [Col; 14],
    /// Device, file, format, line, and facts about the source.
    stated: [Option<Col>; 5],
    groups: Option<Col>,
    extras: Vec<(usize, ColumnId, bool)>,
    /// Position of the last column of [`FIXED`].
    last: usize,
}

#[derive(Default)]
struct NativeTable {
    name: String,
    /// The user's corrections that this format cannot apply.
    answers: BTreeMap<String, String>,
    cols: Option<Cols>,
    /// The header as written.
    header: Vec<u8>,
    /// Line of a different header, whose rows are rejected.
    other_header: Option<u32>,
    /// File and format names; `source` holds an index into it per row.
    sources: Vec<(String, String)>,
    source_codes: HashMap<(String, String), u16>,
    /// Facts about each source.
    abouts: Vec<Source>,
    source: Vec<u16>,
    line: Vec<u32>,
    types: ValueCache<Option<DataType>>,
}

impl NativeTable {
    fn header(record: &Record<'_>, table: &mut TableBuilder) -> Result<Cols, ImportError> {
        let h = Header::new(record);
        let mut missing = None;
        let fixed = std::array::from_fn(|i| {
            let found = h.find(&[FIXED[i]]);
            missing = missing.or(Some(FIXED[i]).filter(|_| found.is_none()));
            found.unwrap_or_default()
        });
        if let Some(name) = missing {
            let message = format!("a gemmscope table has a column of this name: {name}");
            return Err(ImportError::new(message).at(record.line(), 0));
        }
        let mut extras = Vec::new();
        for (i, title) in h.names.iter().enumerate() {
            let known = |list: &[&str]| list.contains(&title.as_str());
            let follows = known(&DERIVED) || known(&FROM_ROOF) || title.starts_with(HANDED_IN);
            if known(&FIXED) || follows || [ABOUT, GROUPS].contains(&title.as_str()) {
                continue;
            }
            let column = parse_title(title);
            let is_text = match &column {
                Some(c) => matches!(c.data, ColumnData::Text { .. }),
                None => true,
            };
            let id = match column {
                Some(column) => table.add_column(column),
                // A column added by hand is kept under its name.
                None => table.auto_column(title),
            };
            extras.push((i, id, is_text));
        }
        let stated = ["device", "file", "format", "line", ABOUT].map(|name| h.find(&[name]));
        let last = h.names.iter().rposition(|name| FIXED.contains(&name.as_str())).unwrap_or(0);
        Ok(Cols { fixed, stated, groups: h.find(&[GROUPS]), extras, last })
    }
}

impl RowReader for NativeTable {
    fn record(&mut self, record: &Record<'_>, table: &mut TableBuilder) -> Result<(), ImportError> {
        let Some(cols) = &self.cols else {
            self.cols = Some(Self::header(record, table)?);
            self.header = record.raw().to_vec();
            return Ok(());
        };
        if without_bom(record.get(0)) == b"gemmscope" {
            // Concatenated tables repeat the header.
            let same = without_bom(record.raw()) == without_bom(&self.header);
            self.other_header = (!same).then_some(record.line());
            return Ok(());
        }
        if let Some(line) = self.other_header {
            table.reject(record.line(), record.raw(), &below_other_header(line));
            return Ok(());
        }
        // Every row has all cells and a line end; otherwise it was truncated, maybe within a number.
        let whole = record.len() > cols.last && !record.is_unended();
        if record.problem().is_none() && !whole {
            table.note(CUT);
            table.reject(record.line(), record.raw(), &RowError::new(ROW_CUT));
            return Ok(());
        }
        let row = row(cols, &mut self.types, record);
        let mut row = match row {
            Ok(row) => row,
            Err(bad) => {
                table.commit(record.line(), record.raw(), Err(bad));
                return Ok(());
            }
        };
        let text_of = |c: &Option<Col>| {
            let cell = c.as_ref().map(|c| cell_text(unguard(record.untrimmed(c.index))));
            cell.unwrap_or_default()
        };
        let [device, file, format, line, about] = &cols.stated;
        if device.is_some() {
            row.device = table.device(&text_of(device));
        }
        for &(i, id, is_text) in &cols.extras {
            if is_text {
                table.set_text(id, unguard(record.untrimmed(i)));
            } else {
                table.set_number(id, number(record, i).unwrap_or(f64::NAN));
            }
        }
        let key = (text_of(file).into_owned(), text_of(format).into_owned());
        let known = match self.source.last() {
            Some(&last) if self.sources[usize::from(last)] == key => Some(last),
            _ => self.source_codes.get(&key).copied(),
        };
        let Some(code) = known.or_else(|| u16::try_from(self.sources.len()).ok()) else {
            let error = RowError::new("more than 65536 files in one table");
            table.reject(record.line(), record.raw(), &error);
            return Ok(());
        };
        let before = table.len();
        table.commit(record.line(), record.raw(), Ok(row));
        if table.len() > before {
            if known.is_none() {
                self.abouts.push(Source::default());
                self.sources.push(key.clone());
                self.source_codes.insert(key, code);
            }
            self.source.push(code);
            let text = text_of(about);
            if !text.is_empty() {
                match Source::from_about(&text) {
                    Ok(about) => self.abouts[usize::from(code)] = about,
                    Err(why) => table.note(format!(
                        "Line {}, column {}: what is known of the file cannot be read: {why}.",
                        record.line(),
                        about.as_ref().map_or(0, |c| c.index + 1)
                    )),
                }
            }
            let line = line.as_ref().and_then(|c| record.number(c.index));
            self.line.push(line.map_or(record.line(), |l| l as u32));
        }
        Ok(())
    }

    fn end(mut self: Box<Self>, table: TableBuilder) -> Result<Imported, ImportError> {
        let mut data = table.finish();
        let template = data.sources.pop().unwrap_or_default();
        data.line = self.line;
        data.source = self.source;
        let mut used = vec![0u64; self.sources.len().max(1)];
        for &s in &data.source {
            used[s as usize] += 1;
        }
        let names = if self.sources.is_empty() {
            self.abouts.push(Source::default());
            vec![(self.name.clone(), String::new())]
        } else {
            self.sources
        };
        let checks = build::compare_rates_by_source(&data);
        for (i, ((name, format), about)) in names.into_iter().zip(self.abouts).enumerate() {
            let known = FORMATS.iter().find(|f| f.id == format);
            let mut source = Source {
                name,
                rows_read: used[i] + about.rejected.total(),
                rows_used: used[i],
                format_name: known.map_or(FORMAT.name, |f| f.name).to_owned(),
                format: if format.is_empty() { FORMAT.id.to_owned() } else { format },
                // Statistics from the original figures are better: they include their rounding and
                // which figures are independent.
                reported_rate: match about.rows_used {
                    rows if rows == used[i] => about.reported_rate,
                    1.. if about.reported_rate.compared == 0 => about.reported_rate,
                    _ => checks.get(i).copied().unwrap_or_default(),
                },
                ..about
            };
            for a in &source.assumptions {
                if self.answers.get(&a.key).is_some_and(|answer| *answer != a.value) {
                    source.notes.push(format!(
                        "The answer for {} changes nothing: the rows state what was assumed. Give it \
                         where the original file is read.",
                        a.key
                    ));
                }
            }
            if i == 0 {
                source.rows_read += template.rejected.total();
                source.rejected.precede(&template.rejected);
                source.notes.extend(template.notes.iter().cloned());
            }
            data.sources.push(source);
        }
        Ok(Imported::table(data))
    }
}

fn number(record: &Record<'_>, i: usize) -> Option<f64> {
    record.number(i).or(match record.get(i) {
        b"inf" => Some(f64::INFINITY),
        b"-inf" => Some(f64::NEG_INFINITY),
        _ => None,
    })
}

fn row(
    cols: &Cols,
    types: &mut ValueCache<Option<DataType>>,
    record: &Record<'_>,
) -> Result<Row, RowError> {
    if let Some(problem) = record.problem() {
        return Err(RowError::new(problem));
    }
    let [version, m, n, k, batch, a, b, c, compute, trans_a, trans_b, bias, beta, time] =
        &cols.fixed;
    if version.size(record, "version")? > VERSION {
        return Err(RowError::new("row of a newer gemmscope"));
    }
    let mut dtype = |c: &Col| {
        types
            .get(c.cell(record), DataType::parse)
            .ok_or_else(|| c.bad(record, "data type", CellError::UnknownType))
    };
    let flag = |c: &Col| {
        let cell = c.cell(record);
        cell.eq_ignore_ascii_case(b"true") || cell == b"1" || cell.eq_ignore_ascii_case(b"T")
    };
    let op = Operation {
        a: dtype(a)?,
        b: dtype(b)?,
        c: dtype(c)?,
        compute: dtype(compute)?,
        trans_a: flag(trans_a),
        trans_b: flag(trans_b),
        bias: flag(bias),
        beta: flag(beta),
        groups: match &cols.groups {
            Some(c) if !c.cell(record).is_empty() => {
                let groups = record.text(c.index).parse();
                Some(groups.map_err(|()| c.bad(record, "groups", CellError::NotSizes))?)
            }
            _ => None,
        },
    };
    let time_s = if cell::trim(time.cell(record)).is_empty() {
        f64::NAN
    } else {
        time.positive(record, "time", 1.0)?
    };
    Ok(Row {
        m: m.size(record, "m")?,
        n: n.size(record, "n")?,
        k: k.size(record, "k")?,
        batch: batch.size(record, "batch")?,
        op,
        device: 0,
        time_s,
    })
}

#[cfg(test)]
mod tests;
