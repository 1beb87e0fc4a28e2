//! What arithmetic decides of a table whose columns are known: units that no title states, the work of a call below
//! the title of a rate, and whether a batch multiplies the work.

use super::cell::Cell;
use super::columns::Column;
use super::evidence::{Measured, Side, choose, measured};
use super::facts::Facts;
use super::open_units::Evidence;
use super::readings::{APART, BATCH, IN_M, Question, Reading, SQUARE, only_size, with_batch};
use super::rows::answers::{SIZES_AS, not_understood, sizes_as_chosen};
use super::sizes::{Stated, stated};
use super::title::{Holds, Title};
use super::titled::Titled;
use super::units::{ALL, Candidate, Limits, NEAR, agree, candidates, is_too_fast, work_scale};
use super::words::{Measure, unit_word};
use crate::columns::header::Col;
use crate::columns::mapping::Mapping;
use crate::columns::mapping::guess::BY_HAND;
use crate::columns::plan::{Plan, Size, Sizes};
use crate::columns::row::{self, Given, ValueCaches};
use crate::{ImportOptions, Record};
use gemmscope_model::units::BandwidthUnit;
use gemmscope_table::dataset::Assumption;
use gemmscope_table::dataset::ColumnMeaning as C;

/// How the batch of a table enters its GEMMs.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct BatchRole {
    /// Position of its column.
    pub column: usize,
    /// One GEMM takes the whole batch.
    pub in_m: bool,
    /// What is assumed, or could be otherwise; `None` where rate and time show that each of the batch is a GEMM.
    pub assumption: Option<Assumption>,
}

/// A table whose columns are known, with the sizes of its first rows.
pub(crate) struct MappedTable<'a> {
    on: Evidence<'a>,
    ways: Vec<Reading>,
    figures: Vec<usize>,
    /// The column of the batch.
    batch: Option<usize>,
}

impl<'a> MappedTable<'a> {
    /// `figures` are its times and rates.
    pub(crate) fn new(
        mapping: &Mapping,
        rows: &[Vec<String>],
        figures: &[Titled],
        options: &'a ImportOptions,
    ) -> Self {
        let column = |i: usize| {
            let mapped = &mapping.columns[i];
            let figure = figures.iter().find(|f| f.column == i);
            let holds = match (figure.map(|f| f.meaning), mapped.guess.meaning) {
                (Some(C::Time), _) => Holds::Time,
                (Some(_), _) => Holds::Rate,
                (None, C::ReportedBandwidth) => Holds::Bandwidth,
                (None, C::Batch) => Holds::Batch,
                (None, C::Other) => Holds::Other,
                _ => Holds::Words,
            };
            let text = |row: &Vec<String>| Cell::plain(row.get(i).map_or("", String::as_str));
            let cells: Vec<Cell> = rows.iter().map(text).collect();
            // Cells with their units are in SI.
            let measured = cells.iter().any(|c| c.unit.is_some());
            let factor = if measured { Some(1.0) } else { figure.and_then(|f| f.factor) };
            let by_hand = options.columns.contains_key(&mapped.header);
            let title = Title { factor, ..Title::of(holds) };
            Column { name: mapped.header.clone(), title, cells, at: Some(i), by_hand }
        };
        let columns: Vec<Column> = (0..mapping.columns.len()).map(column).collect();
        let batch = mapping.position(C::Batch).filter(|i| mapping.columns[*i].why != BY_HAND);
        let ways = ways(mapping, rows, &columns, batch);
        let on = Evidence {
            rows: rows.len(),
            columns,
            facts: Facts::default(),
            limits: Limits::of(""),
            options,
            notes: Vec::new(),
            questions: Vec::new(),
        };
        MappedTable { on, ways, figures: figures.iter().map(|f| f.column).collect(), batch }
    }

    /// The scale of a column of rates that is the work of a call.
    pub(crate) fn work_scale(&self, column: usize) -> Option<f64> {
        self.ways.iter().find_map(|way| work_scale(&self.on.columns[column], way))
    }

    /// Gives each figure a unit; asks where nothing tells it.
    pub(crate) fn units(&mut self) {
        for i in self.figures.clone() {
            self.contradicted(i);
        }
        let holds: Vec<Holds> =
            self.figures.iter().map(|i| self.on.columns[*i].title.holds).collect();
        // What has no unit afterwards is asked one by one.
        let _ = self.on.units(&self.ways);
        for (i, holds) in self.figures.clone().into_iter().zip(holds) {
            let column = &mut self.on.columns[i];
            if column.title.factor.is_none() {
                column.title.holds = holds;
                let measure = if holds == Holds::Time { Measure::Time } else { Measure::Rate };
                let (found, _) = candidates(&self.on.columns[i], self.on.limits, &self.ways[0]);
                let all = ALL.into_iter().filter(|c| c.0 == measure);
                let pool = if found.is_empty() { all.collect() } else { found };
                self.on.ask_unit(&[i], &pool);
            }
        }
    }

    /// The factor of a figure to SI, once it has a unit.
    pub(crate) fn factor(&self, column: usize) -> f64 {
        self.on.columns[column].title.factor.unwrap_or(1.0)
    }

    /// What is said and asked of the units.
    pub(crate) fn said(self) -> (Vec<String>, Vec<Assumption>) {
        let Evidence { notes, questions, options, .. } = self.on;
        (notes, questions.into_iter().map(|q| q.assumption(options)).collect())
    }

    /// A time in a unit that its title states and its figures contradict.
    fn contradicted(&mut self, i: usize) {
        let own = &self.on.columns[i];
        let (Some(stated), false) = (own.title.factor, own.by_hand) else { return };
        let in_cells = own.cells.iter().any(|c| c.unit.is_some());
        if own.title.holds != Holds::Time || in_cells {
            return;
        }
        let rates = self.figures.iter().map(|r| &self.on.columns[*r]);
        let rates = rates.filter(|c| c.title.holds == Holds::Rate && c.title.factor.is_some());
        let rate = rates.take(1).next();
        let proved = |f: f64| {
            rate.is_some_and(|rate| {
                let rate = (rate, rate.title.factor.unwrap_or(1.0));
                agree((own, f), rate, &self.ways[0], NEAR) > 0.5
            })
        };
        let some = rate.is_some_and(|rate| {
            let rate = (rate, rate.title.factor.unwrap_or(1.0));
            agree((own, stated), rate, &self.ways[0], NEAR) > 0.0
        });
        let times = || ALL.into_iter().filter(|c| c.0 == Measure::Time);
        let confirmed =
            times().map(|c| c.1).find(|f| *f != stated && !proved(stated) && proved(*f));
        let too_fast = !some && is_too_fast(own, stated, &self.ways[0]);
        let fitting = || {
            let bare = Title { factor: None, ..own.title.clone() };
            let bare = Column { title: bare, ..own.clone() };
            candidates(&bare, self.on.limits, &self.ways[0]).0.first().map(|c| c.1)
        };
        let (factor, why) = match (confirmed, too_fast) {
            (Some(f), true) => (f, format!("the rates in the file fit {}", word(f))),
            (Some(f), false) => (stated, format!("the rates in the file fit {}", word(f))),
            (None, true) => {
                let f = fitting().unwrap_or(1.0);
                (f, format!("no device is that fast: assuming {}", word(f)))
            }
            (None, false) => return,
        };
        let text = format!("“{}” says {}, but {why}.", own.name, word(stated));
        self.asked_again(i, factor, text, &times().collect::<Vec<_>>());
    }

    fn asked_again(&mut self, i: usize, factor: f64, text: String, pool: &[Candidate]) {
        let key = format!("unit:{}", self.on.columns[i].name);
        let by_word = |a: &str| pool.iter().find(|c| word(c.1) == a).map(|c| c.1);
        let answer = self.on.options.answer(&key).and_then(by_word);
        let choices: Vec<&str> = pool.iter().map(|c| word(c.1)).collect();
        self.on.questions.push(Question::new(&key, text, word(factor), &choices));
        self.on.columns[i].title.factor = Some(answer.unwrap_or(factor));
    }

    /// The unit of a column of bandwidths: with it bandwidth times time is nearest to the bytes.
    pub(crate) fn bandwidth_unit(&self, column: usize, time: Option<usize>) -> BandwidthUnit {
        let fallback = BandwidthUnit::Gigabytes;
        let Some(time) = time else { return fallback };
        let ratio = |r: usize| {
            let (value, time) = (self.on.columns[column].value(r)?, self.on.columns[time].si(r)?);
            let ratio = self.ways[0].bytes(r)? / time / value;
            (ratio > 0.0 && ratio.is_finite()).then(|| ratio.log10())
        };
        let mut ratios: Vec<f64> = (0..self.on.rows).filter_map(ratio).collect();
        ratios.sort_by(f64::total_cmp);
        match ratios.get(ratios.len() / 2) {
            None => fallback,
            Some(x) if *x > 10.5 => BandwidthUnit::Terabytes,
            Some(x) if *x > 7.5 => BandwidthUnit::Gigabytes,
            Some(x) if *x > 4.5 => BandwidthUnit::Megabytes,
            _ => BandwidthUnit::Bytes,
        }
    }

    /// Whether the batch multiplies the work; `None` where there is none to speak of. `work` is a column that holds
    /// the work of a call.
    pub(crate) fn batch(mut self, work: Option<usize>) -> Option<BatchRole> {
        let column = self.batch?;
        let answer = self.on.options.answer(BATCH);
        let is_one = self.on.columns[column].cells.iter().all(|c| c.whole().is_none_or(|b| b == 1));
        if is_one && answer.is_none() {
            return None;
        }
        self.units();
        let name = self.on.columns[column].name.clone();
        let by_work = work.and_then(|i| {
            let fits = |way: &Reading| work_scale(&self.on.columns[i], way).is_some();
            let fitting: Vec<usize> =
                (0..self.ways.len()).filter(|w| fits(&self.ways[*w])).collect();
            if let [one] = fitting[..] { Some(self.ways[one].clone()) } else { None }
        });
        let by_time = || {
            let figures = self.measured();
            choose(self.ways.clone(), figures.as_ref(), self.on.limits, answer, &mut Vec::new())
        };
        let proved = by_work.is_some();
        let way = by_work.filter(|_| answer.is_none()).or_else(by_time)?;
        let in_m = way.sizes.iter().flatten().all(|s| s[3] == 1);
        let whole = format!("“{name}” is part of M already: one GEMM takes the whole batch");
        let each = format!("“{name}” counts independent GEMMs of M × N × K each");
        let chosen = answer == Some(IN_M) || answer == Some(APART);
        let text = match (in_m, way.agree) {
            (true, _) if chosen => format!("{whole}, as chosen."),
            (false, _) if chosen => format!("{each}, as chosen."),
            (false, _) if proved || way.question.is_none() => {
                return Some(BatchRole { column, in_m, assumption: None });
            }
            (true, Some((agree, of))) => {
                format!("{whole}, as rate and time say in {agree} of {of} rows.")
            }
            (true, None) => format!("{whole}."),
            (false, _) => way.question.map_or(each, |q| q.text),
        };
        let value = if in_m { IN_M } else { APART };
        let question = Question::new(BATCH, text, value, &[IN_M, APART]);
        Some(BatchRole {
            column,
            in_m,
            assumption: Some(question.assumption(&ImportOptions::default())),
        })
    }

    /// Time and rate of the first side that has both.
    fn measured(&self) -> Option<Measured> {
        let of = |holds: Holds| {
            self.figures.iter().copied().find(|i| self.on.columns[*i].title.holds == holds)
        };
        let calls = vec![1.0; self.on.rows];
        let side = Side { time: of(Holds::Time), rate: of(Holds::Rate), calls, ..Side::default() };
        measured(&side, &self.on.columns)
    }
}

/// The sizes of a table whose only size is in this column: square, unless an answer states others, and what is said.
pub(crate) fn square(c: &Col, options: &ImportOptions) -> (Sizes, Assumption, Option<String>) {
    let mut question = only_size(&c.name);
    let answer = options.answer(SQUARE).filter(|a| *a != question.value);
    let sizes = answer.map(stated).filter(Stated::any);
    let Some(Stated { m, n, k, .. }) = sizes else {
        let why = answer.map(|a| not_understood(SQUARE, a, SIZES_AS));
        return (Sizes::Square(c.clone()), question.assumption(options), why);
    };
    let size = |fixed: Option<u32>| fixed.map_or(Size::Column(c.clone()), Size::Fixed);
    question.text = sizes_as_chosen(answer.unwrap_or(""));
    (Sizes::Three([m, n, k].map(size)), question.assumption(options), None)
}

fn word(factor: f64) -> &'static str {
    unit_word(Measure::Time, factor)
}

/// M, N, K and batch of the first rows, read as those of all rows are; `None` where a row states none.
pub(crate) fn sizes(plan: &Plan, rows: &[Vec<String>]) -> Vec<Option<[f64; 4]>> {
    let of_row = |r: &Record<'_>| row::sizes(plan, &Given::default(), r).ok();
    rows.iter().map(|cells| Some(as_record(cells, of_row)?.map(f64::from))).collect()
}

/// What is read of these cells as a record.
fn as_record<T>(cells: &[String], mut read: impl FnMut(&Record<'_>) -> T) -> T {
    let (mut text, mut bounds) = (String::new(), Vec::new());
    for cell in cells {
        let from = text.len() as u32;
        text += cell;
        bounds.push((from, text.len() as u32));
    }
    read(&Record::of_cells(0, b"", text.as_bytes(), &bounds))
}

/// The sizes of the rows. Those that are set aside for another reason than a figure have none: what does not count
/// says nothing of the units.
fn ways(
    mapping: &Mapping,
    rows: &[Vec<String>],
    columns: &[Column],
    batch: Option<usize>,
) -> Vec<Reading> {
    use C::{Batch, Compute, Dtype, DtypeA, DtypeB, DtypeC, Layout, Status, TransA, TransB};
    let mut plan = Plan { sizes: mapping.sizes(), ..Plan::default() };
    for part in [Batch, Dtype, DtypeA, DtypeB, DtypeC, Compute, TransA, TransB, Layout] {
        if let Some(i) = mapping.position(part) {
            plan.set(part, mapping.col(i), 1.0);
        }
    }
    plan.verdicts.extend(mapping.position(Status).map(|i| mapping.col(i)));
    let mut caches = ValueCaches::default();
    let mut of_row = |record: &Record<'_>| {
        row::shape(&plan, &Given::default(), &mut caches, record).ok()?;
        let op = row::operation(&plan, &Given::default(), &mut caches, record).ok()?;
        let size = row::sizes(&plan, &Given::default(), record).ok()?;
        let problem = gemmscope_model::gemm::Problem { m: 1, n: 1, k: 1, batch: 1, op };
        Some((size, problem.work().0))
    };
    let found: Vec<Option<([u32; 4], f64)>> =
        rows.iter().map(|cells| as_record(cells, &mut of_row)).collect();
    let operations: Vec<f64> = found.iter().map(|f| f.map_or(2.0, |f| f.1)).collect();
    let mut ways = match batch {
        Some(batch) => {
            let base: Vec<_> = found.iter().map(|f| f.map(|([m, n, k, _], _)| [m, n, k])).collect();
            with_batch(columns, &columns[batch], &base)
        }
        None => {
            let sizes = found.iter().map(|f| f.map(|(size, _)| size)).collect();
            vec![Reading { sizes, ..Reading::default() }]
        }
    };
    for way in &mut ways {
        way.operations.clone_from(&operations);
    }
    ways
}
