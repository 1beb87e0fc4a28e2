//! Reads a table of a document into rows: decides units, sides and sizes, asks questions, keeps the other columns.

pub(super) mod answers;

use super::block::Table;
use super::columns::{Column, columns, expand};
use super::evidence::{Side, calls, choose, measured, open_calls, sides};
use super::experts::EXPERTS;
use super::facts::{Fact, Facts, Types};
use super::lines::CALLS_OF_LINE;
use super::open_units::Evidence;
use super::readings::{BATCH, Reading, readings};
use super::sizes::triple_anywhere;
use super::spread::MATRIX;
use super::surroundings::Surroundings;
use super::title::Holds;
use super::types::{Typed, is_partly_typed, row_types};
use super::units::{Limits, work_scale};
use super::words::without_types;
use crate::ImportOptions;
use answers::{by_hand, calls_as_chosen, sizes_as_chosen};
use gemmscope_model::dtype::DataType;
use gemmscope_model::gemm::Operation;
use gemmscope_model::tiling::kernel_name::KernelName;
use gemmscope_table::build::cell_text::RowError;
use gemmscope_table::build::{Row, TableBuilder};
use gemmscope_table::dataset::ColumnMeaning;
use std::collections::HashMap;

/// Sizes and types of a product.
type Product = ([u32; 4], DataType, DataType);

/// State for reading one table.
struct Reader<'a> {
    table: &'a Table,
    line: u32,
    on: Evidence<'a>,
    /// Device for rows without one.
    device: u16,
    /// The unknown type that a product was read with first.
    odd: HashMap<Product, String>,
    /// Label of each column, and how many before it have the same.
    labels: Vec<(String, usize)>,
}

/// Reads the table at a block index; the error says what is missing.
pub(super) fn read(
    text: &Surroundings<'_>,
    at: usize,
    options: &ImportOptions,
    device: u16,
    out: &mut TableBuilder,
) -> Result<(), String> {
    let Some(table) = text.blocks[at].table() else { return Ok(()) };
    let facts = text.facts(at).answered(options);
    let (mut columns, notes) = columns(table, options);
    expand(&mut columns);
    let named = options.answer("device").unwrap_or_else(|| facts.device_name());
    let limits = Limits::of(named);
    let line = text.blocks[at].line;
    let rows = table.rows.len();
    let on = Evidence { columns, facts, limits, options, rows, notes, questions: Vec::new() };
    let mut reader = Reader { table, line, on, device, odd: HashMap::new(), labels: Vec::new() };
    reader.read(out)
}

/// Labels of the columns as kept: a derived one that repeats is told apart by the figure to its left.
fn labels(columns: &[Column]) -> Vec<(String, usize)> {
    let mut out: Vec<(String, usize)> = Vec::with_capacity(columns.len());
    for (i, column) in columns.iter().enumerate() {
        let name = column.name.as_str();
        let repeats = columns.iter().filter(|c| c.at.is_some() && c.name == name).count() > 1;
        let figure = columns[..i].iter().rev().find(|c| c.title.is_figure());
        let label = match figure.filter(|_| repeats && column.title.holds == Holds::Derived) {
            Some(figure) => format!("{name} ({})", figure.name),
            None if name.is_empty() => "column".to_owned(),
            None => name.to_owned(),
        };
        let nth = out.iter().filter(|(other, _)| *other == label).count();
        out.push((label, nth));
    }
    out
}

impl Reader<'_> {
    fn read(&mut self, out: &mut TableBuilder) -> Result<(), String> {
        let rows = self.table.rows.len();
        let ways =
            readings(&self.on.columns, &self.on.facts, rows).map_err(|why| self.refusal(&why))?;
        let ways = self.answered_sizes(ways);
        self.work_is_no_rate(&ways[0]);
        self.on.units(&ways).map_err(|why| self.refusal(why))?;
        let mut sides = sides(&mut self.on.columns, &mut self.on.notes);
        if sides.is_empty() {
            let figures = |c: &Column| {
                matches!(c.title.holds, Holds::Derived | Holds::Bandwidth | Holds::Share)
            };
            if self.on.columns.iter().any(figures) {
                return Err(self.refusal("no column is a time or a rate, and no unit is stated"));
            }
            sides.push(Side::default());
        }
        for side in &mut sides {
            if let Some(time) = side.time {
                let answer = self.on.options.answer("calls");
                let time = &self.on.columns[time];
                side.calls =
                    calls(time, &self.on.columns, &self.on.facts, answer, &mut self.on.notes);
                let open = open_calls(side, &self.on.columns, &self.on.facts);
                if !self.table.is_log && self.on.questions.iter().all(|q| q.key != "calls") {
                    self.on.questions.extend(open);
                }
            }
            self.time_is_right(side, &ways[0]);
        }
        let both = sides.iter().find_map(|s| measured(s, &self.on.columns));
        let answer = [BATCH, EXPERTS].iter().find_map(|key| self.on.options.answer(key));
        let way = choose(ways, both.as_ref(), self.on.limits, answer, &mut self.on.notes);
        let Some(mut way) = way else {
            return Err(self.refusal(
                "its names hold three numbers, which no rate proves to be sizes: say M, N and K",
            ));
        };
        // For log lines the order of sizes is that of the words.
        self.on
            .questions
            .extend(way.question.take().filter(|q| !self.table.is_log || q.key != "order"));
        self.answered_order(&mut way);
        self.answered_calls();
        if rows == 0 && out.is_empty() {
            return Err(self.refusal("no row holds both sizes and a measurement"));
        }
        self.labels = labels(&self.on.columns);
        for row in 0..rows {
            for side in &sides {
                self.row(row, side, &sides, &way, out);
            }
        }
        self.say(out, &sides);
        Ok(())
    }

    /// Error text: the table, its columns, and what is missing.
    fn refusal(&self, why: &str) -> String {
        let shown = |t: &&String| !t.is_empty() && t.chars().count() <= 40;
        let titles: Vec<String> =
            self.table.titles.iter().filter(shown).take(6).map(|t| format!("“{t}”")).collect();
        let more = if self.table.titles.len() > titles.len() { " …" } else { "" };
        format!("the table at line {} (columns {}{more}): {why}", self.line, titles.join(", "))
    }

    /// Reclassifies a "rate" that equals 2MNK as work.
    fn work_is_no_rate(&mut self, way: &Reading) {
        for column in &mut self.on.columns {
            let rate = column.title.holds == Holds::Rate && !column.by_hand;
            if rate && work_scale(column, way).is_some() {
                column.title.holds = Holds::Other;
                self.on
                    .notes
                    .push(format!("“{}” equals 2MNK: it is the work, no rate.", column.name));
            }
        }
    }

    /// If time and rate disagree by a power of a thousand, rescales the rate.
    fn time_is_right(&mut self, side: &Side, way: &Reading) {
        let Some(both) = measured(side, &self.on.columns) else { return };
        let mut off: Vec<f64> = both
            .rows
            .iter()
            .enumerate()
            .filter_map(|(r, f)| Some(f.as_ref()?.0 * f.as_ref()?.1 / way.work(r)?))
            .collect();
        off.sort_by(f64::total_cmp);
        let Some(middle) = off.get(off.len() / 2) else { return };
        let Some(rate) = side.rate else { return };
        for power in [3, 6, 9, 12, -3, -6, -9, -12] {
            let scale = 10f64.powi(power);
            if (middle / scale - 1.0).abs() < 0.2 {
                let column = &mut self.on.columns[rate];
                column.title.factor = column.title.factor.map(|f| f / scale);
                self.on.notes.push(format!(
                    "“{}” is 10^{power} off beside its time: the time is right.",
                    column.name
                ));
            }
        }
    }

    fn row(
        &mut self,
        row: usize,
        side: &Side,
        sides: &[Side],
        way: &Reading,
        out: &mut TableBuilder,
    ) {
        let line = self.table.lines.get(row).copied().unwrap_or(self.line);
        let raw = self.table.rows[row].join(" | ");
        let made = self.made(row, side, sides, way, out);
        let made = made.map_err(RowError::new);
        if made.is_ok() {
            self.stage(row, side, sides, out);
        }
        out.commit(line, raw.as_bytes(), made);
    }

    fn made(
        &mut self,
        row: usize,
        side: &Side,
        sides: &[Side],
        way: &Reading,
        out: &mut TableBuilder,
    ) -> Result<Row, String> {
        let Some([m, n, k, batch]) = way.sizes.get(row).copied().flatten() else {
            return Err("no sizes in the row".to_owned());
        };
        let typed = self.types(row, side, sides);
        let (a, b) = (typed.a.dtype, typed.b.dtype);
        // The output holds what the wider operand does: bf16 x fp32 is written as fp32.
        let wide = if b.bits() > a.bits() { b } else { a };
        let mut op = match a == b {
            true => Operation::uniform(a),
            false => Operation::mixed(a, b, wide.default_output()),
        };
        op.groups = way.groups.get(row).copied().flatten();
        let product = ([m, n, k, batch], a, b);
        for odd in [&typed.a.odd, &typed.b.odd].into_iter().flatten() {
            self.stays_apart(product, odd)?;
        }
        let mut made = Row { batch, ..Row::new(m, n, k, op, f64::NAN) };
        made.device = match self.device(row) {
            name if name.is_empty() => self.device,
            name => out.device(&name),
        };
        let figure = |i: Option<usize>| i.map(|i| &self.on.columns[i]);
        let (time, rate) = (figure(side.time), figure(side.rate));
        if time.is_none() && rate.is_none() {
            return Ok(made);
        }
        let positive = |c: Option<&Column>| c.and_then(|c| c.si(row)).filter(|v| *v > 0.0);
        made.time_s = match (positive(time), positive(rate)) {
            (Some(time), _) => time / side.calls[row],
            (None, Some(rate)) => made.problem().work().0 / rate,
            (None, None) => {
                let column = time.or(rate);
                let text = column.map_or("", |c| c.text(row));
                let name = column.map_or("", |c| &c.name);
                return Err(match text {
                    "" => format!("no figure in “{name}”"),
                    text => format!(
                        "no figure in “{name}”: {}",
                        text.chars().take(40).collect::<String>()
                    ),
                });
            }
        };
        Ok(made)
    }

    /// `Err` where the nearest types of two unknown ones would make different products the same.
    fn stays_apart(&mut self, product: Product, odd: &str) -> Result<(), String> {
        let first = self.odd.entry(product).or_insert_with(|| odd.to_owned());
        if first == odd {
            return Ok(());
        }
        let nearest = product.1.name();
        Err(format!(
            "the data type “{odd}” is not known, and as {nearest} this would be the GEMM of “{first}”: say which it is"
        ))
    }

    fn types(&mut self, row: usize, side: &Side, sides: &[Side]) -> Typed {
        let Evidence { columns, facts, options, questions, .. } = &mut self.on;
        row_types(columns, facts, side, sides, row, options, questions)
    }

    fn device(&self, row: usize) -> String {
        let column = self.on.columns.iter().find(|c| c.title.holds == Holds::Device);
        let own = column.map_or("", |c| c.text(row));
        if own.is_empty() { self.on.facts.device_name().to_owned() } else { own.to_owned() }
    }

    /// Stages the values of a row other than sizes and time.
    fn stage(&self, row: usize, side: &Side, sides: &[Side], out: &mut TableBuilder) {
        let name = self.library(row, side, sides);
        if !name.is_empty() {
            // A name that contains a tile is a kernel name.
            let is_kernel =
                KernelName::parse(&name).tile.is_some() || triple_anywhere(&name).is_some();
            let (meaning, label) = match is_kernel {
                true => (ColumnMeaning::Kernel, "kernel"),
                false => (ColumnMeaning::Library, "library"),
            };
            out.stage_text(meaning, label, name.as_bytes());
        }
        let si =
            |i: Option<usize>| i.and_then(|i| self.on.columns[i].si(row)).filter(|v| v.is_finite());
        // A rate from which the time was computed is not an independent figure.
        if let (Some(_), Some(rate)) = (side.time, si(side.rate)) {
            out.stage_number(ColumnMeaning::ReportedRate, "rate", rate);
        }
        if let Some(bandwidth) = si(side.bandwidth) {
            out.stage_number(ColumnMeaning::ReportedBandwidth, "bandwidth", bandwidth);
        }
        let used =
            |i: usize| sides.iter().any(|s| [s.time, s.rate, s.bandwidth].contains(&Some(i)));
        for (i, column) in self.on.columns.iter().enumerate() {
            let kept = matches!(
                column.title.holds,
                Holds::Words
                    | Holds::Other
                    | Holds::Derived
                    | Holds::Share
                    | Holds::Count
                    | Holds::Spread
                    | Holds::Batch
                    | Holds::Length
                    | Holds::Groups
                    | Holds::PerToken
            );
            let figure = column.title.is_figure() || column.title.holds == Holds::Bandwidth;
            if column.at.is_none() || !(kept || figure && !used(i)) || column.text(row).is_empty() {
                continue;
            }
            let (label, nth) = &self.labels[i];
            // In a log the count is the number of iterations, unless the line has the time of all of them.
            if column.title.holds == Holds::Count
                && (!self.table.is_log || column.name == CALLS_OF_LINE)
                && column.title.spec.meaning == ColumnMeaning::Count
                && let Some(count) = column.value(row)
            {
                out.stage_number(ColumnMeaning::Count, label, count);
                continue;
            }
            let id = out.known_column(ColumnMeaning::Other, label, *nth);
            let id = id.unwrap_or_else(|| out.auto_column(label));
            let text = column.text(row).as_bytes();
            // `1.99x`, `-5 %`: a figure.
            let derived = matches!(column.title.holds, Holds::Derived | Holds::Share);
            let figure = column.value(row).filter(|_| derived);
            out.set_auto(id, text, crate::cell::number(text).or(figure));
        }
    }

    /// Library of the row: from the side, the name column or the heading.
    fn library(&self, row: usize, side: &Side, sides: &[Side]) -> String {
        let column = self.on.columns.iter().find(|c| c.title.holds == Holds::Library);
        let own = column.map_or("", |c| c.text(row)).trim();
        let several = sides.len() > 1;
        let name = match (several, own) {
            (true, "") => side.name.clone(),
            (true, own) if side.name.is_empty() => own.to_owned(),
            (true, own) => format!("{own} {}", side.name),
            (false, own) if !own.is_empty() => return own.to_owned(),
            (false, _) => side.name.clone(),
        };
        let mixed = name.contains("W4") || name.contains("4-bit");
        let bare = without_types(&name);
        let bare = bare.split_whitespace().collect::<Vec<_>>().join(" ");
        let bare = bare.trim_matches([' ', '-', '_', '(', ')']).trim();
        let name = if bare.len() > 2 && !mixed { bare.to_owned() } else { name };
        match (name.is_empty(), &self.on.facts.library) {
            (true, Some(fact)) if !self.table.is_log => fact.value.clone(),
            _ => name,
        }
    }

    /// Adds assumptions for the sizes and calls that the user stated, so that they can be changed on the card.
    fn say_stated(&self, out: &mut TableBuilder) {
        let Facts { m, n, k, calls, .. } = &self.on.facts;
        let answer = |key| self.on.options.answer(key).unwrap_or_default();
        let is_stated = |fact: &Option<Fact<u32>>| fact.as_ref().is_some_and(|f| f.line == 0);
        if [m, n, k].into_iter().any(is_stated) {
            let sizes = answer(ImportOptions::SIZES);
            out.assume(by_hand(ImportOptions::SIZES, sizes_as_chosen(sizes), sizes));
        }
        if let Some(Fact { value, line: 0 }) = calls {
            let text = calls_as_chosen(*value);
            out.assume(by_hand(ImportOptions::CALLS, text, answer(ImportOptions::CALLS)));
        }
    }

    /// Adds notes and questions.
    fn say(&mut self, out: &mut TableBuilder, sides: &[Side]) {
        if sides.iter().all(|s| s.time.is_none() && s.rate.is_none()) {
            out.note(crate::columns::plan::SHAPES_ONLY);
        } else if sides.iter().all(|s| s.time.is_none()) {
            out.note(crate::columns::plan::from_rates(crate::columns::plan::ITS_RATES));
        }
        if self.table.dress == MATRIX {
            let [row, title] = [0, 1].map(|i| self.table.titles[i].as_str());
            out.note(format!(
                "The corner of the table says that its rows are {row} and its titles {title}."
            ));
        }
        for note in self.on.notes.drain(..) {
            out.note(note);
        }
        self.say_stated(out);
        if let Some(Fact { value, line }) = &self.on.facts.device {
            out.note(format!("Device from line {line}: {value}."));
        }
        if let Some(Fact { value: Types::Operands(a, b), line }) = &self.on.facts.types
            && !self.on.questions.iter().any(|q| q.key.starts_with("dtype"))
            && !self
                .on
                .columns
                .iter()
                .any(|c| matches!(c.title.holds, Holds::Type | Holds::TypeA | Holds::TypeB))
        {
            let of = if a == b {
                a.dtype.name().to_owned()
            } else {
                format!("{} × {}", a.dtype.name(), b.dtype.name())
            };
            out.note(format!("Data type from line {line}: {of}."));
        }
        if let Some(Fact { value, line }) = &self.on.facts.recipe
            && is_partly_typed(&self.on.columns)
            && !self.on.questions.iter().any(|q| q.key == "dtype")
        {
            let name = value.dtype.name();
            out.note(format!("Rows without a data type are {name}, the recipe of line {line}."));
        }
        if self.device == 0
            && self.on.facts.device.is_none()
            && !self.on.columns.iter().any(|c| c.title.holds == Holds::Device)
        {
            match &self.on.facts.devices {
                Some(Fact { value, line }) => {
                    let names = value.join(" and ");
                    let text = format!("Line {line} names {names}: which is not stated.");
                    out.assume_device("", &text);
                }
                None if self.table.is_log => out.assume_device("", "The file names no device."),
                None => {}
            }
        }
        for question in self.on.questions.drain(..) {
            out.assume(question.assumption(self.on.options));
        }
    }
}
