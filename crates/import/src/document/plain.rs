//! A plain table: one header over any number of rows. The meanings of its columns are decided from the first rows, as
//! for any table of a document. The result feeds the mapping form and the [`Plan`] that reads all rows.

mod batch;
mod meaning;
pub(crate) mod plan;
mod sides;
mod suggest;
mod units;

use super::cell::Cell;
use super::columns::{Column, by_hand, by_units};
use super::readings::{Reading, counts_groups, with_batch};
use super::title::{Holds, title};
use super::units::work_scale;
use crate::ImportOptions;
use crate::Record;
use crate::cell::values::Probe;
use crate::columns::header::Col;
use crate::columns::mapping::MappedColumn;
use crate::columns::plan::{Plan, Size, Sizes};
use crate::columns::row::{self, Given, ValueCaches};
use batch::{BatchRole, ExpertRole};
use gemmscope_model::units::RateUnit;
use gemmscope_table::build::cell_text::is_missing;
use gemmscope_table::dataset::ColumnMeaning::{self, *};
use gemmscope_table::dataset::ColumnSpec;
use meaning::Double;

/// Rows examined to decide what a column holds. Each line of the head may be the header, so this bounds
/// the cost of a long preamble.
pub(crate) const PROBED: usize = 32;

/// A plain table with decided columns.
pub(crate) struct Plain<'a> {
    columns: Vec<Column>,
    probes: Vec<Probe>,
    /// The first rows, cell by cell.
    pub rows: Vec<Vec<String>>,
    /// 1-based line of the header; 0 if there is none.
    pub header_line: u32,
    /// Required values that no column holds: `M`, `a time or a rate`.
    pub missing: Vec<String>,
    options: &'a ImportOptions,
    doubles: Vec<Double>,
    batch: Option<BatchRole>,
    experts: Option<ExpertRole>,
}

impl<'a> Plain<'a> {
    /// Decides what the columns hold; `names` must be distinct.
    pub(crate) fn new(
        names: Vec<String>,
        rows: Vec<Vec<String>>,
        header_line: u32,
        options: &'a ImportOptions,
    ) -> Plain<'a> {
        let cells = |i: usize| rows.iter().map(move |r| r.get(i).map_or("", String::as_str));
        let probes: Vec<Probe> = (0..names.len())
            .map(|i| Probe::new(rows.iter().take(PROBED).filter_map(|r| r.get(i))))
            .collect();
        let column = |(i, name): (usize, &String)| {
            let title = title(undoubled(name, &names));
            Column::new(name, title, cells(i).map(Cell::plain).collect(), Some(i))
        };
        let mut columns: Vec<Column> = names.iter().enumerate().map(column).collect();
        for (column, probe) in columns.iter_mut().zip(&probes) {
            if probe.measured().is_some() && column.title.spec.meaning == Other {
                by_units(column);
            }
            meaning::by_values(column, probe);
        }
        meaning::tensile_sizes(&mut columns);
        if header_line == 0 {
            meaning::headless_sizes(&mut columns, &rows);
        }
        meaning::by_values_alone(&mut columns, &probes);
        columns.iter_mut().for_each(|column| by_hand(column, options));
        meaning::batch_as_m(&mut columns);
        let doubles = meaning::settle(&mut columns);
        let (missing, batch, experts) = (Vec::new(), None, None);
        let mut plain =
            Plain { columns, probes, rows, header_line, missing, options, doubles, batch, experts };
        plain.by_figures();
        plain.missing = plain.lacks();
        plain
    }

    /// Position of the column with this meaning.
    pub(crate) fn position(&self, meaning: ColumnMeaning) -> Option<usize> {
        self.columns.iter().position(|c| c.title.spec.meaning == meaning)
    }

    /// The column at a position.
    fn col(&self, index: usize) -> Col {
        Col { index, name: self.columns[index].name.clone() }
    }

    /// Sources of M, N and K; the user may state those that no column holds.
    fn sizes(&self) -> Sizes {
        let col = |meaning| self.position(meaning).map(|i| self.col(i));
        let [m, n, k] = self.options.sizes().map(|stated| stated.map(Size::Fixed));
        let size = |meaning, stated| col(meaning).map(Size::Column).or(stated);
        if let (Some(m), Some(n), Some(k)) = (size(M, m), size(N, n), size(K, k)) {
            Sizes::Three([m, n, k])
        } else if let Some(c) = col(Mnk) {
            Sizes::One(c)
        } else if let (Some(a), Some(b)) = (col(ShapeA), col(ShapeB)) {
            Sizes::Operands(a, b)
        } else {
            col(Square).map_or(Sizes::Hook, Sizes::Square)
        }
    }

    fn has_sizes(&self) -> bool {
        !matches!(self.sizes(), Sizes::Hook)
    }

    fn has_measurement(&self) -> bool {
        self.position(Time).is_some() || self.position(ReportedRate).is_some()
    }

    fn lacks(&self) -> Vec<String> {
        let mut out = Vec::new();
        if !self.has_sizes() {
            let sizes = [(M, "M"), (N, "N"), (K, "K")].into_iter().zip(self.options.sizes());
            let lost = sizes.filter(|((meaning, _), stated)| {
                self.position(*meaning).is_none() && stated.is_none()
            });
            out.extend(lost.map(|((_, name), _)| name.to_owned()));
        }
        if !self.has_measurement() {
            out.push("a time or a rate".to_owned());
        }
        out
    }

    /// True if the columns hold all required values: sizes and a time or a rate.
    pub(crate) fn is_complete(&self) -> bool {
        self.missing.is_empty()
    }

    /// True for a list of shapes: sizes without time or rate.
    pub(crate) fn is_shapes_only(&self) -> bool {
        self.has_sizes() && !self.has_measurement()
    }

    /// Number of columns.
    pub(crate) fn width(&self) -> usize {
        self.columns.len()
    }

    /// The distinct name of a column.
    pub(crate) fn name(&self, column: usize) -> &str {
        &self.columns[column].name
    }

    /// Score of this interpretation of the head; higher is better.
    pub(crate) fn score(&self) -> usize {
        let is_known = |c: &&Column| !matches!(c.title.spec.meaning, Other | Ignore);
        let known = self.columns.iter().filter(is_known).count();
        let sizes = [M, N, K].iter().filter(|t| self.position(**t).is_some()).count();
        known
            + 10 * sizes
            + 100 * usize::from(self.has_sizes())
            + 100 * usize::from(self.has_sizes() && self.has_measurement())
    }

    /// At least one cell below the header is a number.
    pub(crate) fn has_numbers(&self) -> bool {
        self.columns.iter().any(|c| c.cells.iter().any(|c| c.value.is_some() && c.unit.is_none()))
    }

    /// True if all filled cells of a column are numbers, and there is at least one.
    fn is_numeric(&self, column: usize) -> bool {
        let cells = &self.columns[column].cells;
        cells.iter().all(|c| c.value.is_some() || is_missing(c.text.as_bytes()))
            && cells.iter().any(|c| c.value.is_some())
    }

    /// True if the first filled cell of a column states a unit.
    fn has_units(&self, column: usize) -> bool {
        let mut cells = self.columns[column].cells.iter();
        cells.find(|c| !is_missing(c.text.as_bytes())).is_some_and(|c| c.unit.is_some())
    }

    /// The columns for the mapping form. If a required value is missing, columns that may hold it by their values get a
    /// suggestion, which the user must confirm.
    pub(crate) fn mapped(&self) -> Vec<MappedColumn> {
        let mapped = |(column, probe): (&Column, &Probe)| MappedColumn {
            header: column.name.clone(),
            guess: column.title.spec,
            why: column.why.clone(),
            samples: probe.samples.clone(),
            suggestion: None,
        };
        let mut mapped: Vec<MappedColumn> =
            self.columns.iter().zip(&self.probes).map(mapped).collect();
        for (column, spec) in suggest::suggestions(self) {
            mapped[column].suggestion = Some(spec);
        }
        mapped
    }

    /// Uses times and rates to find columns of work and the role of a batch. A batch that is part of M is kept as a
    /// column of the file, so that it can be filtered by.
    fn by_figures(&mut self) {
        let rate = self.position(ReportedRate).filter(|i| !self.columns[*i].by_hand);
        let counts = [Batch, Groups].iter().any(|meaning| self.position(*meaning).is_some());
        if rate.is_none() && !counts || !self.has_sizes() {
            return;
        }
        let ways = self.ways();
        self.experts = self.expert_role(&ways);
        let scale = |i: usize| ways.iter().find_map(|way| work_scale(&self.columns[i], way));
        if let Some((i, scale)) = rate.and_then(|i| Some((i, scale(i)?))) {
            let unit = RateUnit::ALL.into_iter().find(|unit| unit.to_si() == scale);
            let column = &mut self.columns[i];
            column.title.holds = Holds::Other;
            column.title.spec = ColumnSpec::rate(ReportedWork, unit);
            column.why = "its values are 2MNK: work, not a rate".to_owned();
        }
        self.batch = self.batch_role(&ways);
        if let Some(BatchRole { column, in_m: true, .. }) = self.batch {
            let column = &mut self.columns[column];
            let is_groups = counts_groups(&column.name);
            column.title.spec = if is_groups { Groups } else { Other }.into();
            column.why = "part of M already".to_owned();
        }
    }

    /// Interpretations of the sizes. Rows that will be rejected for other reasons than their figures have no sizes
    /// here, so that they do not affect the units.
    fn ways(&self) -> Vec<Reading> {
        let mut plan = Plan { sizes: self.sizes(), ..Plan::default() };
        for part in [Batch, Dtype, DtypeA, DtypeB, DtypeC, Compute, TransA, TransB, Layout] {
            if let Some(i) = self.position(part) {
                plan.set(part, self.col(i), 1.0);
            }
        }
        plan.verdicts.extend(self.position(Status).map(|i| self.col(i)));
        let mut caches = ValueCaches::default();
        let mut of_row = |record: &Record<'_>| {
            row::shape(&plan, &Given::default(), &mut caches, record).ok()?;
            let op = row::operation(&plan, &Given::default(), &mut caches, record).ok()?;
            let size = row::sizes(&plan, &Given::default(), record).ok()?;
            let problem = gemmscope_model::gemm::Problem { m: 1, n: 1, k: 1, batch: 1, op };
            Some((size, problem.work().0))
        };
        let found: Vec<Option<([u32; 4], f64)>> =
            self.rows.iter().map(|cells| as_record(cells, &mut of_row)).collect();
        let operations: Vec<f64> = found.iter().map(|f| f.map_or(2.0, |f| f.1)).collect();
        if let Some(ways) = self.expert_ways(&found) {
            return ways;
        }
        let batch = self.position(Batch).filter(|i| !self.columns[*i].by_hand);
        let mut ways = match batch {
            Some(batch) => {
                let base: Vec<_> =
                    found.iter().map(|f| f.map(|([m, n, k, _], _)| [m, n, k])).collect();
                with_batch(
                    &self.columns,
                    &self.columns[batch],
                    self.position(M).map(|i| &self.columns[i]),
                    &base,
                )
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
}

/// The original title of one made distinct: `time` for `time (2)`.
fn undoubled<'n>(name: &'n str, names: &[String]) -> &'n str {
    let is_count = |n: &str| n.strip_suffix(')').is_some_and(|n| n.parse::<u32>().is_ok());
    let base = name.rsplit_once(" (").filter(|(_, n)| is_count(n));
    base.map(|b| b.0).filter(|base| names.iter().any(|n| n == base)).unwrap_or(name)
}

/// M, N, K and batch of the first rows, parsed as for all rows; `None` for a row without sizes.
pub(crate) fn sizes(plan: &Plan, rows: &[Vec<String>]) -> Vec<Option<[f64; 4]>> {
    let of_row = |r: &Record<'_>| row::sizes(plan, &Given::default(), r).ok();
    rows.iter().map(|cells| Some(as_record(cells, of_row)?.map(f64::from))).collect()
}

/// Calls `read` with the cells as a record.
fn as_record<T>(cells: &[String], mut read: impl FnMut(&Record<'_>) -> T) -> T {
    let (mut text, mut bounds) = (String::new(), Vec::new());
    for cell in cells {
        let from = text.len() as u32;
        text += cell;
        bounds.push((from, text.len() as u32));
    }
    read(&Record::of_cells(0, b"", text.as_bytes(), &bounds))
}
