//! Table formats as data: signature, columns with meaning and factor to SI or with a library and its figure, defaults,
//! and an optional hook. [`PlanRows`] reads them all.

use crate::cell::Quantity;
use crate::columns::defaults::{self, AssumedType, assumption};
use crate::columns::header::{Col, Header};
use crate::columns::plan::{Extra, LIBRARIES, Plan, Side, SideColumns};
use crate::columns::plan_rows::{Hook, PlanRows, TableReader};
use crate::{Claim, Head, ImportOptions, Reader};
use gemmscope_model::dtype::DataType;
use gemmscope_table::build::{ColumnId, TableBuilder};
use gemmscope_table::dataset::ColumnMeaning;
use std::collections::HashMap;

/// Factors to SI.
pub(crate) const MILLI: f64 = 1e-3;
pub(crate) const MICRO: f64 = 1e-6;
pub(crate) const GIGA: f64 = 1e9;
pub(crate) const TERA: f64 = 1e12;
pub(crate) const GIBI: f64 = 1_073_741_824.0;

/// Number of GEMMs per call, in tables with columns per library.
pub(crate) const BATCHES: Column = column(
    &["batch_num", "batchcount", "B", "groups", "num_groups", "batch", "batch_size"],
    ColumnMeaning::Batch,
)
.kept();

/// The usual names of sizes.
const SIZES: &[Column] = &[
    column(&["m"], ColumnMeaning::M),
    column(&["n"], ColumnMeaning::N),
    column(&["k"], ColumnMeaning::K),
];

/// One column of a format.
pub(crate) struct Column {
    /// Alternative names; the first that the header has is used. If empty, the first column.
    names: &'static [&'static str],
    meaning: ColumnMeaning,
    scale: f64,
    verdict: bool,
    beside: &'static str,
    kept: bool,
}

impl Column {
    /// Also keeps the column in the dataset under its own name.
    pub(crate) const fn kept(self) -> Self {
        Column { kept: true, ..self }
    }

    /// Finds this column in a header.
    fn find(&self, header: &Header) -> Option<Col> {
        match self.names {
            [] => Some(Col { index: 0, name: header.names.first()?.trim().to_owned() }),
            names => header.find(names),
        }
    }

    /// Uses the column only if the header also has `other`.
    pub(crate) const fn beside(self, other: &'static str) -> Self {
        Column { beside: other, ..self }
    }
}

/// A column with one of these names.
pub(crate) const fn column(names: &'static [&'static str], meaning: ColumnMeaning) -> Column {
    number(names, meaning, 1.0)
}

/// A column of numbers with their factor to SI.
pub(crate) const fn number(
    names: &'static [&'static str],
    meaning: ColumnMeaning,
    scale: f64,
) -> Column {
    Column { names, meaning, scale, verdict: false, beside: "", kept: false }
}

/// A verdict column; `meaning` determines whether it is also kept.
pub(crate) const fn verdict(names: &'static [&'static str], meaning: ColumnMeaning) -> Column {
    Column { names, meaning, scale: 1.0, verdict: true, beside: "", kept: false }
}

/// Meaning of a column that no [`Column`] describes, in a table with figures of several libraries per line.
pub(crate) enum Figure<'a> {
    /// A figure of this library, with its quantity and factor to SI.
    In(&'a str, Quantity, f64),
    /// The only figure of this library, if the file states no unit.
    Asked(&'a str),
    /// The coefficient of variation of this library's time.
    Variation(&'a str),
    /// A metric (second field) of this library, kept under its own name.
    Kept(&'a str, &'a str),
}

/// Type and transposes of A and B stated by a name.
pub(crate) type OfName = (Option<DataType>, Option<[bool; 2]>);

/// Description of a table format.
pub(crate) struct TableFormat {
    /// Sets of names that only this tool writes in one header line, in any case and order.
    pub signatures: &'static [&'static [&'static str]],
    /// Claim beyond `signatures`, see [`Format::claim`](crate::Format::claim).
    pub claim: fn(&Head) -> Option<Claim>,
    /// Columns of the sizes, if not named M, N and K.
    pub sizes: &'static [Column],
    /// The other columns. Columns of the file that are not listed are kept under their own names.
    pub columns: &'static [Column],
    /// Columns that are dropped.
    pub ignored: &'static [&'static str],
    /// Library and figure by a column's title; returns `None` for a column of the whole line.
    pub figure: Option<fn(&str) -> Option<Figure<'_>>>,
    /// Meaning and title of the column with the side names.
    pub sides: (ColumnMeaning, &'static str),
    /// Type and transposes stated by the name of a side.
    pub of_name: fn(&str) -> OfName,
    /// The library that the tool runs, if it is always the same.
    pub library: Option<&'static str>,
    /// Type of A and B if neither the file, its name nor the user states one.
    pub dtype: DataType,
    /// The same, if it depends on the head.
    pub dtype_of: Option<fn(&Head) -> DataType>,
    /// Type of the output if no column holds it; `None`: derived from the operands.
    pub output: Option<DataType>,
    /// Transposes of A and B if no column holds them.
    pub transposed: [bool; 2],
    /// Id of the device that the tool always runs on, and the sentence that says so.
    pub device: Option<(&'static str, &'static str)>,
    /// Remarks for the file's card.
    pub notes: &'static [&'static str],
    pub hook: Option<Hook>,
}

impl TableFormat {
    /// Defaults for the fields that a format may omit.
    pub(crate) const DEFAULT: TableFormat = TableFormat {
        signatures: &[],
        claim: |_| None,
        sizes: SIZES,
        columns: &[],
        ignored: &[],
        figure: None,
        sides: LIBRARIES,
        of_name: |_| (None, None),
        library: None,
        dtype: DataType::Fp16,
        dtype_of: None,
        output: None,
        transposed: [false, false],
        device: None,
        notes: &[],
        hook: None,
    };

    /// See [`Format::claim`](crate::Format::claim).
    pub(crate) fn claim(&self, head: &Head) -> Option<Claim> {
        let signed = self.signatures.iter().find_map(|names| head.headed(names));
        signed.or_else(|| (self.claim)(head))
    }

    /// Opens a reader for a file with this head.
    pub(crate) fn open(&'static self, head: &Head, options: &ImportOptions) -> Box<dyn Reader> {
        let reader = self.reader(head, options);
        let types = Some(reader.types.clone());
        PlanRows::open(reader, &head.name, types, TableBuilder::with_room(head.rows))
    }

    /// The [`TableReader`] of this format for a file with this head.
    pub(crate) fn reader(&'static self, head: &Head, options: &ImportOptions) -> Formatted {
        let usual = self.dtype_of.map_or(self.dtype, |of| of(head));
        let types = AssumedType::new(head, options, usual);
        let name = head.name.clone();
        Formatted {
            format: self,
            types,
            head: Head { name, ..Head::default() },
            options: options.clone(),
        }
    }

    /// The plan of a header, with its columns added to the table.
    pub(crate) fn plan(&self, header: &Header, table: &mut TableBuilder) -> Plan {
        self.plan_behind(0, Plan::default(), header, table)
    }

    /// Like [`Self::plan`], if the format has already planned the first `first` columns.
    pub(crate) fn plan_behind(
        &self,
        first: usize,
        planned: Plan,
        header: &Header,
        table: &mut TableBuilder,
    ) -> Plan {
        let mut plan = Plan {
            width: header.names.len(),
            default_output: self.output,
            default_trans: self.transposed,
            ..planned
        };
        let mut used: Vec<usize> = (0..first).collect();
        used.extend(self.ignored.iter().filter_map(|n| header.position(n)));
        // A second header in the file reuses the dataset columns of the first.
        let mut made: HashMap<(&'static str, String), usize> = HashMap::new();
        let mut keep = |table: &mut TableBuilder, meaning: ColumnMeaning, name: &str| {
            let nth = made.entry((meaning.id(), name.to_owned())).or_default();
            let known = table.known_column(meaning, name, *nth);
            *nth += 1;
            known.unwrap_or_else(|| match meaning {
                ColumnMeaning::Other => table.auto_column(name),
                text if text.is_text() => table.text_column(text, name),
                number => table.number_column(number, name),
            })
        };
        for c in self.sizes.iter().chain(self.columns) {
            if !c.beside.is_empty() && header.position(c.beside).is_none() {
                continue;
            }
            let free = |col: &Col| !used.contains(&col.index);
            let Some(col) = c.find(header).filter(free) else {
                continue;
            };
            let i = col.index;
            used.push(i);
            if c.verdict {
                plan.verdicts.push(col.clone());
            }
            if c.kept || c.meaning == ColumnMeaning::Other {
                let id = keep(table, ColumnMeaning::Other, &col.name);
                plan.extras.push(Extra::Auto(i, id));
            } else if ColumnMeaning::OF_DATASET.contains(&c.meaning) {
                let id = keep(table, c.meaning, &col.name);
                plan.extras.push(if c.meaning.is_text() {
                    Extra::Text(i, id)
                } else {
                    Extra::Number(i, id, c.scale)
                });
            }
            plan.set(c.meaning, col, c.scale);
        }
        if let Some(library) = self.library {
            let id = keep(table, ColumnMeaning::Library, "library");
            plan.extras.push(Extra::Fixed(library, id));
        }
        if let Some(figure) = self.figure {
            self.plan_sides(header, figure, &mut used, &mut plan, table);
        }
        for (i, name) in header.names.iter().enumerate() {
            let untitled = self.figure.is_some() && name.trim().is_empty();
            if !used.contains(&i) && !untitled {
                plan.extras.push(Extra::Auto(i, keep(table, ColumnMeaning::Other, name)));
            }
        }
        plan.extras.sort_by_key(Extra::index);
        plan
    }

    /// Adds the libraries named in titles, each with its figures.
    fn plan_sides(
        &self,
        header: &Header,
        figure: fn(&str) -> Option<Figure<'_>>,
        used: &mut Vec<usize>,
        plan: &mut Plan,
        table: &mut TableBuilder,
    ) {
        plan.side_columns = SideColumns::all(table, self.sides);
        let mut kept: Vec<(&str, ColumnId)> = Vec::new();
        for (i, title) in header.names.iter().enumerate() {
            let title = title.trim();
            let free = !title.is_empty() && !used.contains(&i);
            let Some(figure) = figure(title).filter(|_| free) else {
                continue;
            };
            used.push(i);
            let (Figure::In(name, ..)
            | Figure::Asked(name)
            | Figure::Variation(name)
            | Figure::Kept(name, _)) = figure;
            let at = plan.sides.iter().position(|s| s.name == name);
            let at = at.unwrap_or_else(|| {
                let (dtype, transposed) = (self.of_name)(name);
                plan.sides.push(Side { dtype, transposed, ..Side::new(name) });
                plan.sides.len() - 1
            });
            let side = &mut plan.sides[at];
            // Rejections name only the quantity, as there may be thousands of kernels.
            let kernels = self.sides.0 == ColumnMeaning::Kernel;
            let name = match figure {
                Figure::In(_, quantity, _) if kernels => quantity.word(),
                _ => title,
            };
            let col = Col { index: i, name: name.to_owned() };
            match figure {
                Figure::In(_, quantity, scale) => side.figures.set(quantity, col, scale),
                Figure::Asked(_) => side.without_unit = Some(col),
                Figure::Variation(_) => side.variation = Some(col),
                // One dataset column per metric, shared by all libraries.
                Figure::Kept(_, metric) => {
                    let known = kept.iter().find(|(m, _)| *m == metric);
                    let id = known.map_or_else(|| table.auto_column(metric), |(_, id)| *id);
                    kept.push((metric, id));
                    side.kept.push((i, id));
                }
            }
        }
        plan.sides.retain(|s| s.figures.all().next().is_some() || s.without_unit.is_some());
    }

    /// True if the header has the names of a signature, or those of the sizes and a figure.
    pub(crate) fn is_header(&self, header: &Header) -> bool {
        let Some(figure) = self.figure else {
            return self.signatures.iter().any(|names| header.has(names));
        };
        let measured = |n: &String| {
            matches!(figure(n.trim()), Some(Figure::In(..) | Figure::Asked(_)))
                && !n.trim().is_empty()
        };
        let sized = self.sizes.iter().all(|c| c.find(header).is_some());
        sized && header.names.iter().any(measured)
    }
}

/// A [`TableFormat`] applied to a file.
pub(crate) struct Formatted {
    format: &'static TableFormat,
    /// Type of A and B for rows without one.
    pub types: AssumedType,
    /// Head with the file's name only.
    head: Head,
    pub options: ImportOptions,
}

impl Formatted {
    /// Adds the assumed types and device that no column holds.
    pub(crate) fn complete(&mut self, plan: &mut Plan, t: &mut TableBuilder) {
        plan.fewest = match self.format.figure {
            Some(_) => 0,
            None => plan.width.saturating_sub(4),
        };
        let untyped = plan.sides.iter().any(|s| s.dtype.is_none());
        if untyped || !plan.sides.is_empty() && self.options.dtype("dtype").is_some() {
            self.types.of(None, t);
        }
        let answer = self.options.answer("device");
        if plan.col(ColumnMeaning::Device).is_none() || answer.is_some() {
            plan.parts[ColumnMeaning::Device as usize] = None;
            plan.default_device = match (self.format.device, answer) {
                (Some((id, why)), None) => {
                    let known = gemmscope_model::hardware::by_id(id);
                    let name = known.map_or(id, |d| d.name.as_str());
                    t.assume_device(name, why);
                    t.device(name)
                }
                _ => defaults::device(t, &self.head, &self.options),
            };
        }
    }

    /// Adds notes once the figures of the plan have units.
    pub(crate) fn remark(&self, plan: &Plan, t: &mut TableBuilder) {
        plan.note_times(t);
        for note in self.format.notes {
            t.note(*note);
        }
    }
}

impl TableReader for Formatted {
    fn plan(&mut self, header: &Header, t: &mut TableBuilder) -> Option<Plan> {
        if !self.format.is_header(header) {
            return None;
        }
        let mut plan = self.format.plan(header, t);
        self.complete(&mut plan, t);
        if !plan.without_unit().is_empty() {
            let (quantity, scale) = asked_unit(t, &self.options);
            plan.set_unit(quantity, scale);
        }
        self.remark(&plan, t);
        Some(plan)
    }

    fn hook(&self) -> Option<Hook> {
        self.format.hook
    }
}

/// Unit of figures in a printed table without one: the user's answer, else µs.
fn asked_unit(table: &mut TableBuilder, options: &ImportOptions) -> (Quantity, f64) {
    let answer = options.answer("unit:value");
    let text = "No unit in the table; these benchmarks print times in µs.";
    let choices = ["µs", "ms", "TFLOP/s"];
    table.assume(assumption("unit:value", text, answer.unwrap_or("µs"), &choices));
    answer.and_then(Quantity::parse).unwrap_or((Quantity::Time, MICRO))
}
