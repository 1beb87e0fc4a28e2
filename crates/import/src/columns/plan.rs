//! The position of each value of a row in a record: planned once per header, used for every row.

use crate::cell::Quantity;
use crate::cell::experts::ExpertRow;
use crate::columns::header::Col;
use gemmscope_model::dtype::DataType;
use gemmscope_table::build::{ColumnId, TableBuilder};
use gemmscope_table::dataset::ColumnMeaning::{self, *};

/// Source of one size.
#[derive(Clone, Debug)]
pub(crate) enum Size {
    Column(Col),
    /// A constant, not in the file.
    Fixed(u32),
}

/// Sources of M, N and K.
#[derive(Clone, Debug, Default)]
pub(crate) enum Sizes {
    /// One source each.
    Three([Size; 3]),
    /// One cell for all three.
    One(Col),
    /// The shapes of A and B.
    Operands(Col, Col),
    /// M = N = K.
    Square(Col),
    /// Computed by the format's hook.
    #[default]
    Hook,
}

/// A column of the file that is kept in the dataset.
#[derive(Debug)]
pub(crate) enum Extra {
    /// A constant text that no column of the file holds.
    Fixed(&'static str, ColumnId),
    Text(usize, ColumnId),
    /// A number with its factor to SI.
    Number(usize, ColumnId, f64),
    /// Text or numbers, as the majority of cells decides.
    Auto(usize, ColumnId),
    Tile(usize, [ColumnId; 3]),
}

impl Extra {
    /// Position in the file; 0 for a constant.
    pub(crate) fn index(&self) -> usize {
        match self {
            Extra::Fixed(..) => 0,
            Extra::Text(i, _) | Extra::Number(i, ..) | Extra::Auto(i, _) | Extra::Tile(i, _) => *i,
        }
    }
}

/// Columns of time, rate and bandwidth, with factors to seconds, FLOP/s and byte/s. The first that a row has gives its
/// time; the others are kept as reported.
#[derive(Debug, Default)]
pub(crate) struct Figures {
    pub time: Option<(Col, f64)>,
    pub rate: Option<(Col, f64)>,
    pub bandwidth: Option<(Col, f64)>,
}

impl Figures {
    /// Sets the column of a quantity.
    pub(crate) fn set(&mut self, quantity: Quantity, col: Col, scale: f64) {
        let place = match quantity {
            Quantity::Time => &mut self.time,
            Quantity::Rate => &mut self.rate,
            Quantity::Bandwidth => &mut self.bandwidth,
        };
        *place = Some((col, scale));
    }

    /// The figures present, the time first.
    pub(crate) fn all(&self) -> impl Iterator<Item = (Quantity, &Col, f64)> {
        let all = [
            (Quantity::Time, &self.time),
            (Quantity::Rate, &self.rate),
            (Quantity::Bandwidth, &self.bandwidth),
        ];
        all.into_iter().filter_map(|(q, f)| f.as_ref().map(|(c, scale)| (q, c, *scale)))
    }
}

/// The figures of one library, in a line with several.
#[derive(Debug, Default)]
pub(crate) struct Side {
    pub name: String,
    pub dtype: Option<DataType>,
    /// Transposes of A and B.
    pub transposed: Option<[bool; 2]>,
    pub figures: Figures,
    /// Its only figure, if the file does not state the unit.
    pub without_unit: Option<Col>,
    /// Coefficient of variation of the time, as a fraction.
    pub variation: Option<Col>,
    /// Kept columns of this side: position in the file, and the dataset column that all sides share.
    pub kept: Vec<(usize, ColumnId)>,
}

impl Side {
    /// A side without figures.
    pub(crate) fn new(name: &str) -> Self {
        Side { name: name.to_owned(), ..Side::default() }
    }
}

/// Note on times computed from rates.
pub(crate) fn from_rates(rates: &str) -> String {
    format!("Times computed from {rates}, at 2MNK operations per call (8MNK for complex types).")
}

/// Argument of [`from_rates`] for a file with several columns or lines of rates.
pub(crate) const ITS_RATES: &str = "the file's rates";

/// Note on a file without times.
pub(crate) const SHAPES_ONLY: &str =
    "Shapes only: no times in the file, so the roof is shown without measured points.";

/// Default meaning and title of the column with the side names.
pub(crate) const LIBRARIES: (ColumnMeaning, &str) = (Library, "provider");

/// Dataset columns for values that differ between the sides of a line.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SideColumns {
    pub name: Option<ColumnId>,
    pub rate: Option<ColumnId>,
    pub bandwidth: Option<ColumnId>,
    pub deviation: Option<ColumnId>,
}

impl SideColumns {
    /// Adds all of them; `names` is the meaning and title of the name column. Columns that stay
    /// empty are dropped at the end.
    pub(crate) fn all(table: &mut TableBuilder, names: (ColumnMeaning, &str)) -> Self {
        SideColumns {
            name: Some(table.text_column(names.0, names.1)),
            rate: Some(table.number_column(ReportedRate, "rate")),
            bandwidth: Some(table.number_column(ReportedBandwidth, "bandwidth")),
            deviation: Some(table.number_column(TimeStd, "standard deviation")),
        }
    }
}

/// The columns of one header by meaning.
#[derive(Debug, Default)]
pub(crate) struct Plan {
    /// First and last line of the header, including a line of units below; 0 if there is none.
    pub header_line: u32,
    pub header_end: u32,
    pub width: usize,
    /// Minimum number of cells in a row.
    pub fewest: usize,
    pub sizes: Sizes,
    /// The columns of row values, indexed by meaning; these meanings come before those of kept columns.
    pub parts: [Option<Col>; Kernel as usize],
    /// The figures, if a line is one row.
    pub figures: Figures,
    /// Column with the number of calls that the time covers, if it is a total.
    pub calls: Option<Col>,
    /// Columns of repeated measurements of one figure, with factors to SI; their median is used.
    pub repeats: Vec<(Col, f64)>,
    /// Dataset columns for the shortest and longest repeated time.
    pub spread: Option<[ColumnId; 2]>,
    /// One entry per row of a line, if it has several.
    pub sides: Vec<Side>,
    pub side_columns: SideColumns,
    /// What a row with experts and experts a token times.
    pub experts: ExpertRow,
    /// Verdict columns.
    pub verdicts: Vec<Col>,
    /// The rows are a tuning history, with order and status; failed runs are kept.
    pub history: bool,
    /// In file order, so that a short record ends the iteration.
    pub extras: Vec<Extra>,
    /// A column of names that may contain the type.
    pub named_dtype: Option<Col>,
    /// Type of A and B if no column holds it, see [`Plan::usual_dtype`].
    pub default_dtype: Option<DataType>,
    /// Type of the output if no column holds it; `None`: derived from the operands.
    pub default_output: Option<DataType>,
    /// Transposes of A and B if no column holds them.
    pub default_trans: [bool; 2],
    pub default_device: u16,
    /// `default_device` comes from a heading above the table; the next heading changes it.
    pub device_by_heading: bool,
}

impl Plan {
    /// Type of A and B if no column holds it.
    #[inline]
    pub(crate) fn usual_dtype(&self) -> DataType {
        self.default_dtype.unwrap_or(DataType::Fp16)
    }

    /// Sets the column of a meaning; `scale` is the factor of its numbers to SI. Ignores meanings
    /// that are not values of a row.
    pub(crate) fn set(&mut self, meaning: ColumnMeaning, col: Col, scale: f64) {
        match meaning {
            Time => return self.figures.set(Quantity::Time, col, scale),
            ReportedRate => return self.figures.set(Quantity::Rate, col, scale),
            Mnk => return self.sizes = Sizes::One(col),
            Square => return self.sizes = Sizes::Square(col),
            part => {
                let Some(place) = self.parts.get_mut(part as usize) else { return };
                *place = Some(col);
            }
        }
        if let [Some(m), Some(n), Some(k)] = [M, N, K].map(|part| self.col(part)) {
            self.sizes = Sizes::Three([m, n, k].map(|c| Size::Column(c.clone())));
        }
    }

    /// The figure columns without a unit in the file.
    pub(crate) fn without_unit(&self) -> Vec<Col> {
        self.sides.iter().filter_map(|s| s.without_unit.clone()).collect()
    }

    /// Sets the unit of these columns.
    pub(crate) fn set_unit(&mut self, quantity: Quantity, scale: f64) {
        for side in &mut self.sides {
            if let Some(col) = side.without_unit.take() {
                side.figures.set(quantity, col, scale);
            }
        }
    }

    /// True if a row reads the column at this position.
    pub(crate) fn reads(&self, index: usize) -> bool {
        let sizes = match &self.sizes {
            Sizes::Three(sizes) => {
                sizes.iter().any(|s| matches!(s, Size::Column(c) if c.index == index))
            }
            Sizes::One(c) | Sizes::Square(c) => c.index == index,
            Sizes::Operands(a, b) => a.index == index || b.index == index,
            Sizes::Hook => false,
        };
        let mut figures =
            std::iter::once(&self.figures).chain(self.sides.iter().map(|s| &s.figures));
        sizes
            || self.parts.iter().flatten().any(|c| c.index == index)
            || figures.any(|f| f.all().any(|(_, c, _)| c.index == index))
    }

    /// The column with this meaning.
    #[inline(always)]
    pub(crate) fn col(&self, part: ColumnMeaning) -> Option<&Col> {
        self.parts.get(part as usize)?.as_ref()
    }

    /// Adds notes to the file's card if times are computed from rates or missing.
    pub(crate) fn note_times(&self, table: &mut TableBuilder) {
        match (&self.figures.time, &self.figures.rate) {
            _ if self.sides.iter().any(|s| s.figures.time.is_some()) => {}
            _ if !self.sides.is_empty() => {
                table.rates_are_not_independent();
                table.note(from_rates(ITS_RATES));
            }
            (Some(_), _) => {}
            (None, Some((c, _))) => {
                table.rates_are_not_independent();
                table.note(from_rates(&format!("the rates in “{}”", c.name)));
            }
            (None, None) => table.note(SHAPES_ONLY),
        }
    }
}
