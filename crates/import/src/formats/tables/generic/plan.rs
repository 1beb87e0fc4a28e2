//! The plan of a table of an unknown tool, and the assumptions that it needs.

use super::assumed::{default_device, default_dtype, device_in_headings};
use crate::cell::{self, Quantity, values};
use crate::columns::defaults::{assuming, assumption, no_unit};
use crate::columns::header::Col;
use crate::columns::mapping::guess::NOT_TYPES;
use crate::columns::mapping::{MappedColumn, Mapping, Sampled};
use crate::columns::plan::{Extra, Figures, Plan, Side, SideColumns, Size, Sizes};
use crate::columns::{alias, defaults, words};
use crate::document::mapped::{MappedTable, square};
use crate::document::titled::{Lines, Titled, TitledSide, lines};
use crate::{Head, ImportOptions};
use gemmscope_model::units::{BandwidthUnit, RateUnit, TimeUnit};
use gemmscope_table::build::TableBuilder;
use gemmscope_table::dataset::Assumption;
use gemmscope_table::dataset::ColumnMeaning::{self, *};
use gemmscope_table::dataset::ColumnSpec;

pub(super) fn plan(
    table: &mut TableBuilder,
    sampled: &Sampled,
    head: &Head,
    options: &ImportOptions,
) -> Plan {
    let m = &sampled.mapping;
    let col = |meaning| column(m, meaning);
    let lines = lines(&figures(m, sampled, options));
    let units = Units::of(sampled, &lines, options);
    let sides = match &lines {
        Lines::Sides(sides) => plan_sides(table, m, &units, sides),
        Lines::One | Lines::Repeats(_) => Vec::new(),
    };
    let Measured { time, rate, repeats } = measured(table, m, &units, &lines);
    let mut sizes = m.sizes();
    if let Sizes::Square(c) = &sizes {
        let (answered, assumption, why) = square(c, options);
        table.assume(assumption);
        why.into_iter().for_each(|why| table.note(why));
        sizes = answered;
    }
    let typed_sides = !sides.is_empty() && sides.iter().all(|s| s.dtype.is_some());
    let typed = col(Dtype).or_else(|| col(DtypeA));
    let unsaid = typed.is_none() && !typed_sides;
    let named_dtype =
        if unsaid && options.dtype("dtype").is_none() { dtype_in_names(m) } else { None };
    let figure = time.as_ref().map(|t| &t.0).or(rate.as_ref().map(|r| &r.0));
    let default_dtype =
        default_dtype(table, head, options, figure, unsaid && named_dtype.is_none());
    let named = m.position(Device).is_some();
    let default_device = if named { 0 } else { default_device(table, sampled, head, options) };
    let mut plan = Plan {
        header_line: m.header_line,
        header_end: m.header_line.max(sampled.units_line),
        width: m.columns.len(),
        sizes,
        figures: Figures { time, rate, bandwidth: None },
        repeats,
        sides,
        verdicts: col(Status).into_iter().collect(),
        history: m.position(Order).is_some() && m.position(Status).is_some(),
        named_dtype,
        default_dtype: Some(default_dtype),
        device_by_heading: !named && device_in_headings(sampled).is_some(),
        default_device,
        ..Plan::default()
    };
    for (i, c) in m.columns.iter().enumerate() {
        // Sizes and figures are in it already.
        if !matches!(c.guess.meaning, M | N | K | Mnk | Square | Time | ReportedRate) {
            plan.set(c.guess.meaning, m.col(i), 1.0);
        }
    }
    plan.note_times(table);
    note_sizes(table, &plan.sizes);
    as_stated(table, &mut plan, options);
    note_doubles(table, sampled, &plan);
    if let Some(batch) = m.batch.as_ref().and_then(|b| b.assumption.clone()) {
        table.assume(batch);
    }
    assume_layout(table, m, &plan, defaults::is_column_major(head, "generic", options));
    let of_sides =
        |i: usize| plan.sides.iter().any(|s| s.figures.all().any(|(_, c, _)| c.index == i));
    let others = m.columns.iter().enumerate().filter(|(i, _)| !of_sides(*i));
    let further = Further { sampled, plan: &plan, units: &units };
    plan.extras = others.filter_map(|(i, c)| further.column(table, i, c.guess)).collect();
    add_columns(table, &mut plan);
    units.say(table);
    if m.header_line == 0 {
        table.note("The file has no header.");
    }
    if sampled.units_line > 0 {
        table.note(format!("Units from line {}.", sampled.units_line));
    }
    plan
}

/// Says which sizes are the user's, and takes times as of so many calls as the user says.
fn as_stated(table: &mut TableBuilder, plan: &mut Plan, options: &ImportOptions) {
    let answer = |key| options.answer(key).unwrap_or_default();
    let is_fixed = |size: &Size| matches!(size, Size::Fixed(_));
    if matches!(&plan.sizes, Sizes::Three(sizes) if sizes.iter().any(is_fixed))
        && options.sizes().iter().any(Option::is_some)
    {
        let value = answer(ImportOptions::SIZES);
        let text = format!("Sizes as chosen: {value}.");
        table.assume(Assumption {
            by_hand: true,
            ..assumption(ImportOptions::SIZES, text, value, &[])
        });
    }
    let Some(calls) = options.calls() else { return };
    // Repeats are of the time where the line has one.
    let repeats = if plan.figures.time.is_some() { &mut plan.repeats[..] } else { &mut [] };
    let of_sides = plan.sides.iter_mut().filter_map(|s| s.figures.time.as_mut());
    let times = plan.figures.time.as_mut().into_iter().chain(of_sides).chain(repeats);
    times.for_each(|(_, factor)| *factor /= f64::from(calls));
    let text = format!("Each time is of {calls} calls or products, as chosen.");
    let value = calls.to_string();
    table
        .assume(Assumption { by_hand: true, ..assumption(ImportOptions::CALLS, text, value, &[]) });
}

/// Adds the columns for what a line has several of.
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

/// The column with this meaning.
fn column(m: &Mapping, meaning: ColumnMeaning) -> Option<Col> {
    m.position(meaning).map(|index| m.col(index))
}

/// The units of the columns of figures.
struct Units<'a> {
    sampled: &'a Sampled,
    table: MappedTable<'a>,
    figures: Vec<Titled>,
}

impl<'a> Units<'a> {
    fn of(sampled: &'a Sampled, lines: &Lines, options: &'a ImportOptions) -> Self {
        let m = &sampled.mapping;
        let of_meaning = |meaning| m.position(meaning).map(|i| Titled::of(i, m.columns[i].guess));
        let time = of_meaning(Time).filter(|t| !is_left_out(sampled, t.column));
        let both = || time.into_iter().chain(of_meaning(ReportedRate));
        let figures: Vec<Titled> = match lines {
            Lines::Sides(sides) => sides.iter().flat_map(|s| [s.time, s.rate]).flatten().collect(),
            // `GFLOPS1`: the titles alone mean nothing.
            Lines::Repeats(columns) if both().next().is_none() => {
                columns.first().copied().into_iter().collect()
            }
            Lines::One | Lines::Repeats(_) => both().collect(),
        };
        let mut table = MappedTable::new(m, &sampled.rows, &figures, options);
        table.units();
        Units { sampled, table, figures }
    }

    /// The column of the line's figure of this kind, with its factor to SI.
    fn figure(&self, meaning: ColumnMeaning) -> Option<(Col, f64)> {
        let i = self.figures.iter().find(|f| f.meaning == meaning)?.column;
        Some((self.sampled.mapping.col(i), self.factor(i)))
    }

    /// The factor of a column to SI. Cells with units are in SI, and those without have the title's unit.
    fn factor(&self, i: usize) -> f64 {
        match self.figures.iter().find(|f| f.column == i) {
            Some(figure) if self.sampled.has_units(i) => figure.factor.unwrap_or_else(|| {
                if figure.meaning == Time { TimeUnit::Microseconds.to_si() } else { 1.0 }
            }),
            _ => self.table.factor(i),
        }
    }

    fn say(self, table: &mut TableBuilder) {
        let (notes, assumptions) = self.table.said();
        notes.into_iter().for_each(|note| table.note(note));
        assumptions.into_iter().for_each(|assumption| table.assume(assumption));
    }
}

/// Where the time and the rate of a line are that has one measurement, with their factors to SI.
#[derive(Default)]
struct Measured {
    time: Option<(Col, f64)>,
    rate: Option<(Col, f64)>,
    /// Columns that repeat one of them, with their factors.
    repeats: Vec<(Col, f64)>,
}

fn measured(table: &mut TableBuilder, m: &Mapping, units: &Units<'_>, lines: &Lines) -> Measured {
    let mut out = Measured::default();
    if matches!(lines, Lines::Sides(_)) {
        return out;
    }
    out.time = units.figure(Time);
    out.rate = units.figure(ReportedRate);
    let Lines::Repeats(columns) = lines else { return out };
    let (what, scale) = match (&out.time, &out.rate) {
        (Some((_, scale)), _) => ("Time", *scale),
        (None, Some((_, scale))) => ("Rate", *scale),
        (None, None) => return out,
    };
    let names: Vec<&str> = columns.iter().map(|f| m.columns[f.column].header.as_str()).collect();
    table.note(format!("{what}: median of {}.", names.join(", ")));
    out.repeats = columns.iter().map(|f| (m.col(f.column), scale)).collect();
    out
}

/// The time is zero in rows that have a rate: what was not measured, or too short for its decimals.
fn is_left_out(sampled: &Sampled, time: usize) -> bool {
    let value = |r: &[String], i: usize| cell::number(r.get(i)?.trim().as_bytes());
    let rate = sampled.mapping.position(ReportedRate);
    rate.is_some_and(|rate| {
        let zero = |r: &&Vec<String>| value(r, time) == Some(0.0);
        let mut rows = sampled.rows.iter().filter(zero).peekable();
        rows.peek().is_some() && rows.all(|r| value(r, rate) > Some(0.0))
    })
}

/// The column whose names all tell the type: `gemm_m1024_n4096_k512_fp8`, `sm90_bf16_gemm_tn`, or
/// `FBGEMM_i8_acc32` below “Type”.
fn dtype_in_names(m: &Mapping) -> Option<Col> {
    let titled = m.columns.iter().position(|c| c.why == NOT_TYPES);
    let named = [Mnk, Kernel, OpName];
    let index = titled
        .into_iter()
        .chain(named.into_iter().filter_map(|meaning| m.position(meaning)))
        .find(|&i| {
            let samples = &m.columns[i].samples;
            !samples.is_empty() && samples.iter().all(|s| defaults::dtype_in_kernel(s).is_some())
        })?;
    Some(m.col(index))
}

/// Says whose letters N and T are, where there are any and no framework's name tells.
fn assume_layout(table: &mut TableBuilder, m: &Mapping, plan: &Plan, column_major: bool) {
    // Their own operands are row-major.
    let frameworks = m.position(Library).is_some_and(|i| {
        let of_framework = |s: &String| {
            let s = s.to_lowercase();
            ["torch", "triton", "aten"].iter().any(|f| s.contains(f))
        };
        !m.columns[i].samples.is_empty() && m.columns[i].samples.iter().all(of_framework)
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

/// The columns of times and rates, whoever's they are; none where the user has said which one
/// counts.
fn figures(m: &Mapping, sampled: &Sampled, options: &ImportOptions) -> Vec<(usize, String)> {
    let by_hand = |c: &MappedColumn| {
        options.columns.contains_key(&c.header) && matches!(c.guess.meaning, Time | ReportedRate)
    };
    if m.columns.iter().any(by_hand) || m.position(Library).is_some() {
        return Vec::new();
    }
    let free = |c: &MappedColumn| {
        let kinds = [Time, ReportedRate, TimeMin, TimeMax, ReportedWork, Other];
        kinds.contains(&c.guess.meaning) && !options.columns.contains_key(&c.header)
    };
    m.columns
        .iter()
        .enumerate()
        .filter(|(i, c)| free(c) && sampled.is_numeric(*i))
        .map(|(i, c)| {
            // `cuBLAS` above `702 TFLOPS`
            let unit = sampled
                .measures(i)
                .filter(|q| *q != Quantity::Bandwidth && c.guess.meaning == Other);
            (i, unit.map_or_else(|| c.header.clone(), |q| format!("{} ({})", c.header, q.unit())))
        })
        .collect()
}

fn plan_sides(
    table: &mut TableBuilder,
    m: &Mapping,
    units: &Units<'_>,
    sides: &[TitledSide],
) -> Vec<Side> {
    let mut planned = Vec::with_capacity(sides.len());
    let mut words = Vec::new();
    for side in sides {
        let mut columns = Vec::new();
        let mut figure = |titled: Option<Titled>| {
            let c = m.col(titled?.column);
            columns.push(format!("“{}”", c.name));
            let factor = units.factor(c.index);
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

/// Says which columns are M, N and K where their names alone do not.
fn note_sizes(table: &mut TableBuilder, sizes: &Sizes) {
    let Sizes::Three([Size::Column(m), Size::Column(n), Size::Column(k)]) = sizes else { return };
    let obvious = |c: &Col, letter: &str| words::words(&c.name).iter().any(|w| w == letter);
    let all = [(m, "m"), (n, "n"), (k, "k")];
    if !all.iter().all(|(c, letter)| obvious(c, letter)) {
        table.note(format!("Sizes: M = “{}”, N = “{}”, K = “{}”.", m.name, n.name, k.name));
    }
}

/// Says which columns mean the same as one before them and have other values.
fn note_doubles(table: &mut TableBuilder, sampled: &Sampled, plan: &Plan) {
    let m = &sampled.mapping;
    // Columns of several sides, and repeats of one time, all count.
    let counts = |i: usize| {
        let mut sides = plan.sides.iter();
        sides.any(|s| s.figures.all().any(|(_, c, _)| c.index == i))
            || plan.repeats.iter().any(|(c, _)| c.index == i)
    };
    for double in m.doubles.iter().filter(|d| !counts(d.column)) {
        let (first, spec) = (&m.columns[double.first], m.columns[double.first].guess);
        if ![M, N, K, Mnk, Batch, Dtype, DtypeA, DtypeB, Time, ReportedRate].contains(&spec.meaning)
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
        if sampled.rows.iter().any(|row| differ(&row)) {
            table.note(format!(
                "“{}” and “{}” may both be {}, and their values differ: the first counts.",
                first.header,
                m.columns[double.column].header,
                ColumnSpec::from(spec.meaning).label()
            ));
        }
    }
}

/// What decides where the columns go that are not part of the row.
struct Further<'a> {
    sampled: &'a Sampled,
    plan: &'a Plan,
    units: &'a Units<'a>,
}

impl Further<'_> {
    /// The place of a column; `None` for one that is left out.
    fn column(&self, table: &mut TableBuilder, i: usize, spec: ColumnSpec) -> Option<Extra> {
        let Further { sampled, plan, .. } = self;
        let m = &sampled.mapping;
        let name = m.columns[i].header.as_str();
        Some(match spec.meaning {
            // A name that tells the type begins with the library's: `MKL_fp32`.
            Other
                if m.columns[i].why == NOT_TYPES
                    && plan.named_dtype.as_ref().is_some_and(|c| c.index == i)
                    && m.position(Library).is_none() =>
            {
                Extra::Text(i, table.text_column(Library, name))
            }
            // Skip the index of a printed table.
            Other if sampled.shifted && i == 0 => return None,
            // Rows are told apart by it, whatever numbers it has.
            Other if m.batch.as_ref().is_some_and(|b| b.in_m && b.column == i) => {
                Extra::Text(i, table.auto_column(name))
            }
            Other | DeviceUnits => Extra::Auto(i, table.auto_column(name)),
            Time if plan.figures.time.is_none() => Extra::Auto(i, table.auto_column(name)),
            // Keep a name that has the sizes in it.
            Mnk | ShapeA | ShapeB if m.columns[i].samples.iter().any(|s| values::is_name(s)) => {
                match alias::guess(name).spec.meaning {
                    meaning if meaning.is_text() => {
                        Extra::Text(i, table.text_column(meaning, name))
                    }
                    _ => Extra::Text(i, table.auto_column(name)),
                }
            }
            // The type is in the operation already; what else stands there is kept.
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
                let scale = self.scale(table, i, spec)?;
                Extra::Number(i, table.number_column(meaning, name), scale)
            }
        })
    }

    /// The factor to SI of a column of numbers; `None` for one that is no column of the dataset.
    fn scale(&self, table: &mut TableBuilder, i: usize, spec: ColumnSpec) -> Option<f64> {
        let Further { sampled, plan, units } = *self;
        let column = &sampled.mapping.columns[i];
        let name = column.header.as_str();
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
                let own = units.figure(Time).map(|(_, factor)| factor);
                Some(stated.or(own).unwrap_or(TimeUnit::Microseconds.to_si()))
            }
            ReportedEfficiency => {
                let number = |s: &String| s.trim_end_matches('%').trim().parse::<f64>().ok();
                let most = column.samples.iter().filter_map(number).fold(0.0, f64::max);
                Some(if name.contains('%') || most > 1.5 { 0.01 } else { 1.0 })
            }
            MeasuredClock => Some(alias::clock_scale(name)),
            meaning => ColumnMeaning::OF_DATASET.contains(&meaning).then_some(1.0),
        }
    }

    fn bandwidth_unit(&self, table: &mut TableBuilder, i: usize) -> BandwidthUnit {
        if self.sampled.has_units(i) {
            return BandwidthUnit::Bytes;
        }
        let name = &self.sampled.mapping.columns[i].header;
        let time = self.units.figure(Time).map(|(c, _)| c.index);
        let unit = self.units.table.bandwidth_unit(i, time);
        let text = no_unit(name, &assuming(unit.label()));
        let choices = BandwidthUnit::ALL.map(BandwidthUnit::label);
        table.assume(assumption(format!("unit:{name}"), text, unit.label(), &choices));
        unit
    }
}
