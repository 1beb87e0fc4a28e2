//! Table formats as data: a signature, columns with their meaning and factor to SI, or with a library
//! and its figure, defaults, and at most one hook. [`PlanRows`] reads them all.

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

/// The number of GEMMs a call, in tables with columns per library.
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
    /// Names in use; the first that the header has is taken. None: the first column.
    names: &'static [&'static str],
    meaning: ColumnMeaning,
    scale: f64,
    verdict: bool,
    beside: &'static str,
    kept: bool,
}

impl Column {
    /// The same, and kept under its own name beside what it means for the row.
    pub(crate) const fn kept(self) -> Self {
        Column { kept: true, ..self }
    }

    /// The column of a header.
    fn find(&self, header: &Header) -> Option<Col> {
        match self.names {
            [] => Some(Col { index: 0, name: header.names.first()?.trim().to_owned() }),
            names => header.find(names),
        }
    }

    /// The same, only where the header has this other column too.
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

/// A column that says whether the run succeeded; `meaning` says whether it is kept.
pub(crate) const fn verdict(names: &'static [&'static str], meaning: ColumnMeaning) -> Column {
    Column { names, meaning, scale: 1.0, verdict: true, beside: "", kept: false }
}

/// Meaning of a column that no [`Column`] names, where each line has figures of several libraries.
pub(crate) enum Figure<'a> {
    /// A figure of this library in this unit, with its factor to SI.
    In(&'a str, Quantity, f64),
    /// The only figure of this library, in a unit that the file does not name.
    Asked(&'a str),
    /// The coefficient of variation of this library's time.
    Variation(&'a str),
    /// A metric of this library that is kept under its own name.
    Kept(&'a str, &'a str),
}

/// The type and the transposes of A and B that a name tells.
pub(crate) type OfName = (Option<DataType>, Option<[bool; 2]>);

/// A format that one table describes.
pub(crate) struct TableFormat {
    /// Names in one header line that only this tool writes, in any case and order.
    pub signatures: &'static [&'static [&'static str]],
    /// As [`Format::claim`](crate::Format::claim), where names alone do not tell.
    pub claim: fn(&Head) -> Option<Claim>,
    /// Columns of the sizes, unless they are called M, N and K.
    pub sizes: &'static [Column],
    /// What the others mean. A column of the file that is not here is kept under its own name.
    pub columns: &'static [Column],
    /// Columns that are left out.
    pub ignored: &'static [&'static str],
    /// Library and figure by a column's title; `None`: a column for the whole line.
    pub figure: Option<fn(&str) -> Option<Figure<'_>>>,
    /// Meaning and title of the column with the names of the sides.
    pub sides: (ColumnMeaning, &'static str),
    /// Type and transposes that the name of a side tells.
    pub of_name: fn(&str) -> OfName,
    /// The library that the tool runs.
    pub library: Option<&'static str>,
    /// Type of A and B if neither the file, its name nor the user names one.
    pub dtype: DataType,
    /// The same, where more of the head tells it.
    pub dtype_of: Option<fn(&Head) -> DataType>,
    /// Type of the output where no column holds it; `None`: the usual one of the operands.
    pub output: Option<DataType>,
    /// Transposes of A and B where no column holds them.
    pub transposed: [bool; 2],
    /// Id of the device that the tool is always run on, and the sentence that says so.
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

    /// As [`Format::claim`](crate::Format::claim).
    pub(crate) fn claim(&self, head: &Head) -> Option<Claim> {
        let signed = self.signatures.iter().find_map(|names| head.headed(names));
        signed.or_else(|| (self.claim)(head))
    }

    /// A reader of a file with this head.
    pub(crate) fn open(&'static self, head: &Head, options: &ImportOptions) -> Box<dyn Reader> {
        let reader = self.reader(head, options);
        let types = Some(reader.types.clone());
        PlanRows::open(reader, &head.name, types, TableBuilder::with_room(head.rows))
    }

    /// What this format says of a file with this head.
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

    /// The same, where the format has planned the first so many columns by itself.
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
        // A second header of the same file goes on with the columns of the first.
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

    /// The libraries that the titles name, each with its figures.
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
            // Reasons to reject a row name the quantity, as there may be thousands of kernels.
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
                // One column of the dataset per metric, for all libraries.
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

    /// The header has the names of a signature, or those of the sizes and a figure.
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

/// What a [`TableFormat`] says of a file.
pub(crate) struct Formatted {
    format: &'static TableFormat,
    /// Type of A and B if no row names one.
    pub types: AssumedType,
    /// The name of the file, without its lines.
    head: Head,
    pub options: ImportOptions,
}

impl Formatted {
    /// Adds the types and the device that no column holds.
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

    /// Says what a plan leaves open, once its figures have their units.
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

/// The unit of figures that a printed table does not name: the user's answer, else µs.
fn asked_unit(table: &mut TableBuilder, options: &ImportOptions) -> (Quantity, f64) {
    let answer = options.answer("unit:value");
    let text = "No unit in the table; these benchmarks print times in µs.";
    let choices = ["µs", "ms", "TFLOP/s"];
    table.assume(assumption("unit:value", text, answer.unwrap_or("µs"), &choices));
    answer.and_then(Quantity::parse).unwrap_or((Quantity::Time, MICRO))
}
