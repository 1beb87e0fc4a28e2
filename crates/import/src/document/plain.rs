//! A plain table: one header over any number of rows. What its columns mean is decided on the first rows, as of any
//! table of a document; the result is what the mapping form shows and the [`Plan`] by which all rows are read.

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

/// Rows whose values tell what a column holds. Each line of the head may be the header, so this bounds the cost of
/// a long preamble.
pub(crate) const PROBED: usize = 32;

/// A plain table whose columns are decided.
pub(crate) struct Plain<'a> {
    columns: Vec<Column>,
    probes: Vec<Probe>,
    /// The first rows, cell by cell.
    pub rows: Vec<Vec<String>>,
    /// 1-based line of the header, 0 where there is none.
    pub header_line: u32,
    /// What a row needs and no column holds: `M`, `a time or a rate`.
    pub missing: Vec<String>,
    options: &'a ImportOptions,
    doubles: Vec<Double>,
    batch: Option<BatchRole>,
    experts: Option<ExpertRole>,
}

impl<'a> Plain<'a> {
    /// Decides what the columns below distinct names hold.
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

    /// Where M, N and K are; the user states those that no column holds.
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

    /// The columns have all that a row needs: sizes and a time or a rate.
    pub(crate) fn is_complete(&self) -> bool {
        self.missing.is_empty()
    }

    /// The columns have sizes but neither time nor rate: a list of shapes.
    pub(crate) fn is_shapes_only(&self) -> bool {
        self.has_sizes() && !self.has_measurement()
    }

    /// Columns of the table.
    pub(crate) fn width(&self) -> usize {
        self.columns.len()
    }

    /// The distinct name of a column.
    pub(crate) fn name(&self, column: usize) -> &str {
        &self.columns[column].name
    }

    /// How good a reading of the head this is.
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

    /// Some cells of a column are numbers, and all others are empty.
    fn is_numeric(&self, column: usize) -> bool {
        let cells = &self.columns[column].cells;
        cells.iter().all(|c| c.value.is_some() || is_missing(c.text.as_bytes()))
            && cells.iter().any(|c| c.value.is_some())
    }

    /// The cells of a column carry their units.
    fn has_units(&self, column: usize) -> bool {
        let mut cells = self.columns[column].cells.iter();
        cells.find(|c| !is_missing(c.text.as_bytes())).is_some_and(|c| c.unit.is_some())
    }

    /// The columns as the mapping form shows them. Where something is missing, those that may hold it by their
    /// values: only the user can say.
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

    /// What times and rates say of each other, and of a batch. A batch that is part of M stays a column of the file,
    /// and so a filter.
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

    /// The ways to take the sizes of the rows. Those that are set aside for another reason than a figure have none:
    /// what does not count says nothing of the units.
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

/// The title that made another one distinct: `time (2)` beside `time`.
fn undoubled<'n>(name: &'n str, names: &[String]) -> &'n str {
    let is_count = |n: &str| n.strip_suffix(')').is_some_and(|n| n.parse::<u32>().is_ok());
    let base = name.rsplit_once(" (").filter(|(_, n)| is_count(n));
    base.map(|b| b.0).filter(|base| names.iter().any(|n| n == base)).unwrap_or(name)
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
