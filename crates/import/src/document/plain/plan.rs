//! Builds the [`Plan`] of a plain table, with its notes and questions.

use super::Plain;
use super::meaning::NOT_TYPES;
use super::sides::{Lines, PlainSide};
use super::units::Units;
use crate::cell::{self, values};
use crate::columns::defaults::{self, assuming, assumption, no_unit};
use crate::columns::header::Col;
use crate::columns::mapping::Sampled;
use crate::columns::plan::{Extra, Figures, Plan, Side, SideColumns, Size, Sizes};
use crate::columns::words;
use crate::document::evidence::total_of_calls;
use crate::document::readings::{SQUARE, only_size};
use crate::document::rows::answers::{
    SIZES_AS, by_hand, calls_as_chosen, not_understood, sizes_as_chosen,
};
use crate::document::sizes::{Stated, stated};
use crate::document::title::{Holds, clock_scale, meaning};
use crate::{Head, ImportOptions};
use gemmscope_model::dtype::DataType;
use gemmscope_model::units::{BandwidthUnit, RateUnit, TimeUnit};
use gemmscope_table::build::TableBuilder;
use gemmscope_table::dataset::ColumnMeaning::{self, *};
use gemmscope_table::dataset::ColumnSpec;

/// The plan of a plain table; adds its columns and assumptions to the dataset.
pub(crate) fn plan(table: &mut TableBuilder, sampled: Sampled<'_>, head: &Head) -> Plan {
    let Sampled { plain, preamble, shifted, units_line, .. } = sampled;
    let lines = plain.lines();
    let units = Units::of(&plain, plain.ways(), plain.figures(&lines));
    let made = Making { plain: &plain, units: &units, shifted };
    let mut plan = Plan {
        header_line: plain.header_line,
        header_end: plain.header_line.max(units_line),
        width: plain.columns.len(),
        sizes: made.sizes(table),
        verdicts: plain.found(Status).into_iter().collect(),
        history: plain.position(Order).is_some() && plain.position(Status).is_some(),
        ..Plan::default()
    };
    made.figures(table, &lines, &mut plan);
    made.as_stated(table, &mut plan);
    made.types(table, head, &mut plan);
    made.device(table, head, &preamble, &mut plan);
    for (i, c) in plain.columns.iter().enumerate() {
        // Sizes and figures are part of the plan already.
        let meaning = c.title.spec.meaning;
        if !matches!(meaning, M | N | K | Mnk | Square | Time | ReportedRate) {
            plan.set(meaning, plain.col(i), 1.0);
        }
    }
    plan.note_times(table);
    made.note_sizes(table, &plan.sizes);
    made.note_doubles(table, &plan);
    if let Some(batch) = plain.batch.as_ref().and_then(|b| b.assumption.clone()) {
        table.assume(batch);
    }
    if let Some(experts) = plain.experts.as_ref() {
        plan.experts = experts.row;
        experts.assumption.clone().into_iter().for_each(|open| table.assume(open));
    }
    made.assume_layout(table, &plan, defaults::is_column_major(head, "generic", plain.options));
    let of_sides =
        |i: usize| plan.sides.iter().any(|s| s.figures.all().any(|(_, c, _)| c.index == i));
    let others = (0..plain.columns.len()).filter(|i| !of_sides(*i));
    plan.extras = others.filter_map(|i| made.further(table, &plan, i)).collect();
    add_columns(table, &mut plan);
    let (notes, assumptions) = units.said();
    notes.into_iter().for_each(|note| table.note(note));
    assumptions.into_iter().for_each(|assumption| table.assume(assumption));
    if plain.header_line == 0 {
        table.note("The file has no header.");
    }
    if units_line > 0 {
        table.note(format!("Units from line {units_line}."));
    }
    plan
}

/// Adds the dataset columns for sides and repeated measurements.
fn add_columns(table: &mut TableBuilder, plan: &mut Plan) {
    if !plan.sides.is_empty() {
        let rated = plan.sides.iter().any(|s| s.figures.rate.is_some());
        plan.side_columns = SideColumns {
            name: Some(table.text_column(Library, "library")),
            rate: rated.then(|| table.number_column(ReportedRate, "rate")),
            ..SideColumns::default()
        };
    }
    if !plan.repeats.is_empty() && plan.figures.time.is_some() {
        let spread = [TimeMin, TimeMax];
        plan.spread = Some(spread.map(|m| table.number_column(m, m.id())));
    }
}

/// Sizes of a table with a single size column: square, unless the user's answer states others.
/// Adds assumption and notes.
fn square(c: &Col, table: &mut TableBuilder, options: &ImportOptions) -> Sizes {
    let mut question = only_size(&c.name);
    let answer = options.answer(SQUARE).filter(|a| *a != question.value);
    let sizes = answer.map(stated).filter(Stated::any);
    let Some(Stated { m, n, k, .. }) = sizes else {
        table.assume(question.assumption(options));
        answer.into_iter().for_each(|a| table.note(not_understood(SQUARE, a, SIZES_AS)));
        return Sizes::Square(c.clone());
    };
    let size = |fixed: Option<u32>| fixed.map_or(Size::Column(c.clone()), Size::Fixed);
    question.text = sizes_as_chosen(answer.unwrap_or(""));
    table.assume(question.assumption(options));
    Sizes::Three([m, n, k].map(size))
}

impl Plain<'_> {
    /// The column with this meaning.
    fn found(&self, meaning: ColumnMeaning) -> Option<Col> {
        self.position(meaning).map(|index| self.col(index))
    }

    /// Positions of the figures in use.
    fn figures(&self, lines: &Lines) -> Vec<usize> {
        let time = self.position(Time).filter(|t| !self.is_left_out(*t));
        let both = || time.into_iter().chain(self.position(ReportedRate));
        match lines {
            Lines::Sides(sides) => sides.iter().flat_map(|s| [s.time, s.rate]).flatten().collect(),
            Lines::One | Lines::Repeats(_) => both().collect(),
        }
    }

    /// True if the time is zero wherever a rate is given: not measured, or rounded to zero.
    fn is_left_out(&self, time: usize) -> bool {
        let Some(rate) = self.position(ReportedRate) else { return false };
        let value = |r: usize, i: usize| self.columns[i].value(r);
        let mut rows = (0..self.rows.len()).filter(|r| value(*r, time) == Some(0.0)).peekable();
        rows.peek().is_some() && rows.all(|r| value(r, rate) > Some(0.0))
    }

    /// The column whose names all contain the type: `gemm_m1024_n4096_k512_fp8`, `sm90_bf16_gemm_tn`, or
    /// `FBGEMM_i8_acc32` below “Type”.
    fn dtype_in_names(&self) -> Option<Col> {
        let titled = self.columns.iter().position(|c| c.why == NOT_TYPES);
        let named = [Mnk, Kernel, OpName].into_iter().filter_map(|m| self.position(m));
        let index = titled.into_iter().chain(named).find(|&i| {
            let samples = &self.probes[i].samples;
            !samples.is_empty() && samples.iter().all(|s| defaults::dtype_in_kernel(s).is_some())
        })?;
        Some(self.col(index))
    }
}

/// Context for building a plan.
struct Making<'m, 'a> {
    plain: &'m Plain<'a>,
    units: &'m Units<'a>,
    /// The first column is an index without a header, as in printed data frames.
    shifted: bool,
}

impl Making<'_, '_> {
    fn sizes(&self, table: &mut TableBuilder) -> Sizes {
        match self.plain.sizes() {
            Sizes::Square(c) => square(&c, table, self.plain.options),
            sizes => sizes,
        }
    }

    /// Factor of a column to SI. Cells with units are converted already; the others use the title's unit.
    fn factor(&self, i: usize) -> f64 {
        if !self.plain.has_units(i) {
            return self.units.factor(i);
        }
        let spec = self.plain.columns[i].title.spec;
        let rate = spec.rate_unit().map(RateUnit::to_si);
        let is_time = matches!(spec.meaning, Time | TimeMin | TimeMax);
        let usual = if is_time { TimeUnit::Microseconds.to_si() } else { 1.0 };
        spec.time_unit().map(TimeUnit::to_si).or(rate).unwrap_or(usual)
    }

    /// The column of the line's figure with this meaning, with its factor to SI.
    fn figure(&self, meaning: ColumnMeaning) -> Option<(Col, f64)> {
        let is_time = |i: &&usize| self.plain.columns[**i].title.holds == Holds::Time;
        let i = *self.units.figures.iter().find(|i| is_time(i) == (meaning == Time))?;
        Some((self.plain.col(i), self.factor(i)))
    }

    /// Sets the columns of times and rates.
    fn figures(&self, table: &mut TableBuilder, lines: &Lines, plan: &mut Plan) {
        if let Lines::Sides(sides) = lines {
            plan.sides = self.sides(table, sides);
            return;
        }
        let (time, rate) = (self.figure(Time), self.figure(ReportedRate));
        if let Lines::Repeats(columns) = lines
            && let Some((what, scale)) = match (&time, &rate) {
                (Some((_, scale)), _) => Some(("Time", *scale)),
                (None, Some((_, scale))) => Some(("Rate", *scale)),
                (None, None) => None,
            }
        {
            let names: Vec<&str> =
                columns.iter().map(|i| self.plain.columns[*i].name.as_str()).collect();
            table.note(format!("{what}: median of {}.", names.join(", ")));
            plan.repeats = columns.iter().map(|i| (self.plain.col(*i), scale)).collect();
        }
        let total = time.as_ref().filter(|(c, _)| self.plain.columns[c.index].title.total);
        if let Some(((total, _), count)) = total.zip(self.plain.position(Count)) {
            let count = self.plain.col(count);
            table.note(total_of_calls(&total.name, &count.name, "a total"));
            plan.calls = Some(count);
        }
        plan.figures = Figures { time, rate, bandwidth: None };
    }

    fn sides(&self, table: &mut TableBuilder, sides: &[PlainSide]) -> Vec<Side> {
        let mut planned = Vec::with_capacity(sides.len());
        let mut words = Vec::new();
        for side in sides {
            let mut columns = Vec::new();
            let mut figure = |column: Option<usize>| {
                let c = self.plain.col(column?);
                columns.push(format!("“{}”", c.name));
                let factor = self.factor(c.index);
                Some((c, factor))
            };
            let (time, rate) = (figure(side.time), figure(side.rate));
            let name = match (side.name.as_str(), side.dtype) {
                ("", Some(dtype)) => dtype.name().to_owned(),
                (name, _) => name.to_owned(),
            };
            words.push(format!("{name} ({})", columns.join(", ")));
            let figures = Figures { time, rate, bandwidth: None };
            planned.push(Side { dtype: side.dtype, figures, ..Side::new(&side.name) });
        }
        table.note(format!("Each line gives {} rows: {}.", planned.len(), words.join(", ")));
        planned
    }

    /// Sets the data type if no column holds it: the user's answer, names that contain it, the title of the time or
    /// rate, the file name, fp16.
    fn types(&self, table: &mut TableBuilder, head: &Head, plan: &mut Plan) {
        let options = self.plain.options;
        let typed_sides = !plan.sides.is_empty() && plan.sides.iter().all(|s| s.dtype.is_some());
        let typed = self.plain.found(Dtype).or_else(|| self.plain.found(DtypeA));
        let unsaid = typed.is_none() && !typed_sides;
        let chosen = options.dtype("dtype").is_some();
        if unsaid && !chosen {
            plan.named_dtype = self.plain.dtype_in_names();
        }
        let needed = unsaid && plan.named_dtype.is_none();
        let figure = plan.figures.time.as_ref().or(plan.figures.rate.as_ref());
        // `int8 TOPS`
        let titled = figure.filter(|_| needed && !chosen).and_then(|(c, _)| {
            Some((defaults::dtype_in(&c.name)?, format!("Data type from “{}”", c.name)))
        });
        let guess = || {
            let (dtype, why) = defaults::guess_dtype(head, options, DataType::Fp16);
            (dtype, why.to_owned())
        };
        let (dtype, why) = titled.unwrap_or_else(guess);
        if needed {
            table.assume_dtype(dtype, &why);
        }
        plan.default_dtype = Some(dtype);
    }

    /// Sets the device if no column holds it: the user's answer, the lines before the header, the file name.
    fn device(&self, table: &mut TableBuilder, head: &Head, preamble: &[String], plan: &mut Plan) {
        if self.plain.position(Device).is_some() {
            return;
        }
        let heading = preamble.iter().rev().find_map(|line| defaults::device_in_heading(line));
        let of = |find: fn(&str) -> Option<&str>| preamble.iter().find_map(|line| find(line));
        let stated = || of(defaults::stated_device).or_else(|| of(defaults::target_in));
        let named = heading.map(|name| (name, "a heading above the table"));
        let named = named.or_else(|| Some((stated()?, "a line before the header")));
        plan.device_by_heading = heading.is_some();
        plan.default_device = defaults::device_above(table, head, self.plain.options, named);
    }

    /// Adds the assumption whether N and T are row-major or column-major, unless all libraries are frameworks.
    fn assume_layout(&self, table: &mut TableBuilder, plan: &Plan, column_major: bool) {
        // Operands of frameworks are row-major.
        let frameworks = self.plain.position(Library).is_some_and(|i| {
            let of_framework = |s: &String| {
                let s = s.to_lowercase();
                ["torch", "triton", "aten"].iter().any(|f| s.contains(f))
            };
            let samples = &self.plain.probes[i].samples;
            !samples.is_empty() && samples.iter().all(of_framework)
        });
        let letters = [Layout, TransA, TransB].iter().any(|part| plan.col(*part).is_some());
        if letters && !frameworks {
            let (text, value) = match column_major {
                true => ("N and T are those of a BLAS call.", "column-major"),
                false => (
                    "N and T are those of row-major operands, as PyTorch has them, not of a BLAS call.",
                    "row-major",
                ),
            };
            table.assume(assumption("layout", text, value, &["row-major", "column-major"]));
        }
    }

    /// Adds the assumptions for stated sizes and calls; divides times by the stated number of calls.
    fn as_stated(&self, table: &mut TableBuilder, plan: &mut Plan) {
        let options = self.plain.options;
        let is_fixed = |size: &Size| matches!(size, Size::Fixed(_));
        if matches!(&plan.sizes, Sizes::Three(sizes) if sizes.iter().any(is_fixed)) {
            let value = options.answer(ImportOptions::SIZES).unwrap_or_default();
            table.assume(by_hand(ImportOptions::SIZES, sizes_as_chosen(value), value));
        }
        let Some(calls) = options.calls() else { return };
        // Repeats are of the time if there is one, else of the rate.
        let repeats = if plan.figures.time.is_some() { &mut plan.repeats[..] } else { &mut [] };
        let of_sides = plan.sides.iter_mut().filter_map(|s| s.figures.time.as_mut());
        let times = plan.figures.time.as_mut().into_iter().chain(of_sides).chain(repeats);
        times.for_each(|(_, factor)| *factor /= f64::from(calls));
        let value = calls.to_string();
        table.assume(by_hand(ImportOptions::CALLS, calls_as_chosen(calls), &value));
    }

    /// Notes which columns are M, N and K if their names do not say so.
    fn note_sizes(&self, table: &mut TableBuilder, sizes: &Sizes) {
        let Sizes::Three([Size::Column(m), Size::Column(n), Size::Column(k)]) = sizes else {
            return;
        };
        let obvious = |c: &Col, letter: &str| words::words(&c.name).iter().any(|w| w == letter);
        let all = [(m, "m"), (n, "n"), (k, "k")];
        if !all.iter().all(|(c, letter)| obvious(c, letter)) {
            table.note(format!("Sizes: M = “{}”, N = “{}”, K = “{}”.", m.name, n.name, k.name));
        }
    }

    /// Notes which columns have the same meaning as an earlier one but other values.
    fn note_doubles(&self, table: &mut TableBuilder, plan: &Plan) {
        let Plain { columns, rows, doubles, .. } = self.plain;
        // All columns of several sides or repeats are in use.
        let counts = |i: usize| {
            let mut sides = plan.sides.iter();
            sides.any(|s| s.figures.all().any(|(_, c, _)| c.index == i))
                || plan.repeats.iter().any(|(c, _)| c.index == i)
        };
        for double in doubles.iter().filter(|d| !counts(d.column)) {
            let (first, spec) = (&columns[double.first], columns[double.first].title.spec);
            if ![M, N, K, Mnk, Batch, Dtype, DtypeA, DtypeB, Time, ReportedRate]
                .contains(&spec.meaning)
            {
                continue;
            }
            let scale = |spec: ColumnSpec| match (spec.time_unit(), spec.rate_unit()) {
                (Some(unit), _) => unit.to_si(),
                (_, Some(unit)) => unit.to_si(),
                _ => 1.0,
            };
            let number =
                |cell: &String, spec| Some(cell::number(cell.trim().as_bytes())? * scale(spec));
            let differ = |row: &&Vec<String>| {
                let cells = row.get(double.first).zip(row.get(double.column));
                cells.is_some_and(|(a, b)| match number(a, spec).zip(number(b, double.spec)) {
                    Some((a, b)) => (a / b - 1.0).abs() > 0.01,
                    None => a != b,
                })
            };
            if rows.iter().any(|row| differ(&row)) {
                table.note(format!(
                    "“{}” and “{}” may both be {}, and their values differ: the first counts.",
                    first.name,
                    columns[double.column].name,
                    ColumnSpec::from(spec.meaning).label()
                ));
            }
        }
    }

    /// How a further column is kept; `None` if it is dropped.
    fn further(&self, table: &mut TableBuilder, plan: &Plan, i: usize) -> Option<Extra> {
        let m = self.plain;
        let name = m.columns[i].name.as_str();
        let spec = m.columns[i].title.spec;
        Some(match spec.meaning {
            // A name that contains the type starts with the library: `MKL_fp32`.
            Other
                if m.columns[i].why == NOT_TYPES
                    && plan.named_dtype.as_ref().is_some_and(|c| c.index == i)
                    && m.position(Library).is_none() =>
            {
                Extra::Text(i, table.text_column(Library, name))
            }
            // Skip the index of a printed table.
            Other if self.shifted && i == 0 => return None,
            // Text, because it only tells rows apart.
            Other if m.batch.as_ref().is_some_and(|b| b.in_m && b.column == i) => {
                Extra::Text(i, table.auto_column(name))
            }
            Other | DeviceUnits => Extra::Auto(i, table.auto_column(name)),
            // The first of several repeated rates; the row's rate is their median.
            ReportedRate if plan.figures.time.is_none() && !plan.repeats.is_empty() => {
                Extra::Auto(i, table.auto_column(name))
            }
            Time if plan.figures.time.is_none() => Extra::Auto(i, table.auto_column(name)),
            // Keep a name that contains the sizes.
            Mnk | ShapeA | ShapeB if m.probes[i].samples.iter().any(|s| values::is_name(s)) => {
                match meaning(name) {
                    meaning if meaning.is_text() => {
                        Extra::Text(i, table.text_column(meaning, name))
                    }
                    _ => Extra::Text(i, table.auto_column(name)),
                }
            }
            // The operation has the type already; keep the rest of the text.
            Compute => Extra::Text(i, table.auto_column(name)),
            Tile => {
                let of = [(TileM, "M"), (TileN, "N"), (TileK, "K")];
                Extra::Tile(
                    i,
                    of.map(|(tile, l)| table.number_column(tile, &format!("{name} {l}"))),
                )
            }
            meaning if meaning.is_text() => Extra::Text(i, table.text_column(meaning, name)),
            meaning => {
                let scale = self.scale(table, plan, i, spec)?;
                Extra::Number(i, table.number_column(meaning, name), scale)
            }
        })
    }

    /// Factor of a numeric column to SI; `None` if it is not kept in the dataset.
    fn scale(
        &self,
        table: &mut TableBuilder,
        plan: &Plan,
        i: usize,
        spec: ColumnSpec,
    ) -> Option<f64> {
        let name = self.plain.columns[i].name.as_str();
        match spec.meaning {
            ReportedRate => {
                plan.figures.time.as_ref().and(plan.figures.rate.as_ref()).map(|(_, scale)| *scale)
            }
            ReportedBandwidth => {
                let stated = spec.bandwidth_unit();
                Some(stated.unwrap_or_else(|| self.bandwidth_unit(table, i)).to_si())
            }
            ReportedWork => Some(spec.rate_unit().unwrap_or(RateUnit::Flops).to_si()),
            TimeStd | TimeMin | TimeMax | FailedTime => {
                let stated = spec.time_unit().map(TimeUnit::to_si);
                let own = self.figure(Time).map(|(_, factor)| factor);
                Some(stated.or(own).unwrap_or(TimeUnit::Microseconds.to_si()))
            }
            ReportedEfficiency => {
                let number = |s: &String| s.trim_end_matches('%').trim().parse::<f64>().ok();
                let most =
                    self.plain.probes[i].samples.iter().filter_map(number).fold(0.0, f64::max);
                Some(if name.contains('%') || most > 1.5 { 0.01 } else { 1.0 })
            }
            MeasuredClock => Some(clock_scale(name)),
            meaning => ColumnMeaning::OF_DATASET.contains(&meaning).then_some(1.0),
        }
    }

    fn bandwidth_unit(&self, table: &mut TableBuilder, i: usize) -> BandwidthUnit {
        if self.plain.has_units(i) {
            return BandwidthUnit::Bytes;
        }
        let name = &self.plain.columns[i].name;
        let time = self.figure(Time).map(|(c, _)| c.index);
        let unit = self.units.bandwidth_unit(i, time);
        let text = no_unit(name, &assuming(unit.label()));
        let choices = BandwidthUnit::ALL.map(BandwidthUnit::label);
        table.assume(assumption(format!("unit:{name}"), text, unit.label(), &choices));
        unit
    }
}
