//! Where a record holds each part of a row: made once per header, used for every row.

use crate::cell::Quantity;
use crate::cell::experts::ExpertRow;
use crate::columns::header::Col;
use gemmscope_model::dtype::DataType;
use gemmscope_table::build::{ColumnId, TableBuilder};
use gemmscope_table::dataset::ColumnMeaning::{self, *};

/// Where one size comes from.
#[derive(Clone, Debug)]
pub(crate) enum Size {
    Column(Col),
    /// Not in the file.
    Fixed(u32),
}

/// Columns that hold M, N and K.
#[derive(Clone, Debug, Default)]
pub(crate) enum Sizes {
    /// Each from its own place.
    Three([Size; 3]),
    /// All in one cell.
    One(Col),
    /// The shapes of A and B.
    Operands(Col, Col),
    /// M = N = K.
    Square(Col),
    /// A format's hook computes them.
    #[default]
    Hook,
}

/// A column of the file that stays a column of the dataset.
#[derive(Debug)]
pub(crate) enum Extra {
    /// The same text in every row, which no column of the file holds.
    Fixed(&'static str, ColumnId),
    Text(usize, ColumnId),
    /// A number with its factor to SI.
    Number(usize, ColumnId, f64),
    /// Text or numbers, as most cells decide.
    Auto(usize, ColumnId),
    Tile(usize, [ColumnId; 3]),
}

impl Extra {
    /// Its position in the file, the first if it has none.
    pub(crate) fn index(&self) -> usize {
        match self {
            Extra::Fixed(..) => 0,
            Extra::Text(i, _) | Extra::Number(i, ..) | Extra::Auto(i, _) | Extra::Tile(i, _) => *i,
        }
    }
}

/// Columns of time, rate and bandwidth, with factors to seconds, FLOP/s and byte/s. The first that a row has gives
/// its time; the others are kept as reported.
#[derive(Debug, Default)]
pub(crate) struct Figures {
    pub time: Option<(Col, f64)>,
    pub rate: Option<(Col, f64)>,
    pub bandwidth: Option<(Col, f64)>,
}

impl Figures {
    /// A figure of one of these quantities.
    pub(crate) fn set(&mut self, quantity: Quantity, col: Col, scale: f64) {
        let place = match quantity {
            Quantity::Time => &mut self.time,
            Quantity::Rate => &mut self.rate,
            Quantity::Bandwidth => &mut self.bandwidth,
        };
        *place = Some((col, scale));
    }

    /// Those that there are, the time first.
    pub(crate) fn all(&self) -> impl Iterator<Item = (Quantity, &Col, f64)> {
        let all = [
            (Quantity::Time, &self.time),
            (Quantity::Rate, &self.rate),
            (Quantity::Bandwidth, &self.bandwidth),
        ];
        all.into_iter().filter_map(|(q, f)| f.as_ref().map(|(c, scale)| (q, c, *scale)))
    }
}

/// The figures of one library, where a line has those of several.
#[derive(Debug, Default)]
pub(crate) struct Side {
    pub name: String,
    pub dtype: Option<DataType>,
    /// Transposes of A and B.
    pub transposed: Option<[bool; 2]>,
    pub figures: Figures,
    /// Its only figure, in a unit that the file does not name.
    pub without_unit: Option<Col>,
    /// Coefficient of variation of the time, as a fraction of it.
    pub variation: Option<Col>,
    /// Further columns of this side alone: position, and the column that all sides share.
    pub kept: Vec<(usize, ColumnId)>,
}

impl Side {
    /// A side with this name and no figure.
    pub(crate) fn new(name: &str) -> Self {
        Side { name: name.to_owned(), ..Side::default() }
    }
}

/// Of times that rates tell.
pub(crate) fn from_rates(rates: &str) -> String {
    format!("Times computed from {rates}, at 2MNK operations per call (8MNK for complex types).")
}

/// The rates of a file that has several columns or lines of them.
pub(crate) const ITS_RATES: &str = "the file's rates";

/// What is said of a file without times.
pub(crate) const SHAPES_ONLY: &str =
    "Shapes only: no times in the file, so the roof is shown without measured points.";

/// Meaning and title of the column with the names of the sides, unless a format says otherwise.
pub(crate) const LIBRARIES: (ColumnMeaning, &str) = (Library, "provider");

/// Columns of the dataset for values that differ between the sides of a line.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SideColumns {
    pub name: Option<ColumnId>,
    pub rate: Option<ColumnId>,
    pub bandwidth: Option<ColumnId>,
    pub deviation: Option<ColumnId>,
}

impl SideColumns {
    /// All of them, with what the names are and the title over them; those that stay empty are left out
    /// at the end.
    pub(crate) fn all(table: &mut TableBuilder, names: (ColumnMeaning, &str)) -> Self {
        SideColumns {
            name: Some(table.text_column(names.0, names.1)),
            rate: Some(table.number_column(ReportedRate, "rate")),
            bandwidth: Some(table.number_column(ReportedBandwidth, "bandwidth")),
            deviation: Some(table.number_column(TimeStd, "standard deviation")),
        }
    }
}

/// The columns of one header, by what they mean.
#[derive(Debug, Default)]
pub(crate) struct Plan {
    /// The line of the header and the last line of it, with a line of units below; 0 where there is none.
    pub header_line: u32,
    pub header_end: u32,
    pub width: usize,
    /// Fewest cells of a row.
    pub fewest: usize,
    pub sizes: Sizes,
    /// The columns of the parts of a row by their meanings, which come before those of a dataset.
    pub parts: [Option<Col>; Kernel as usize],
    /// The figures of a line that is one row.
    pub figures: Figures,
    /// Columns that repeat one of its figures, with their factor to SI; their median counts.
    pub repeats: Vec<(Col, f64)>,
    /// Columns for the shortest and the longest of repeated times.
    pub spread: Option<[ColumnId; 2]>,
    /// A row for each of these, where a line is several.
    pub sides: Vec<Side>,
    pub side_columns: SideColumns,
    /// What a row with experts and experts a token times.
    pub experts: ExpertRow,
    /// Columns that say whether the run succeeded.
    pub verdicts: Vec<Col>,
    /// The rows are a tuning history: they have an order and a status. Its failures are kept.
    pub history: bool,
    /// In the order of the file, so that a short record ends them.
    pub extras: Vec<Extra>,
    /// A column of names, which may name the type.
    pub named_dtype: Option<Col>,
    /// Type of A and B where no column holds it: see [`Plan::usual_dtype`].
    pub default_dtype: Option<DataType>,
    /// Type of the output where no column holds it; `None`: the usual one of the operands.
    pub default_output: Option<DataType>,
    /// Transposes of A and B where no column holds them.
    pub default_trans: [bool; 2],
    pub default_device: u16,
    /// That one is of a heading above the table; the next heading changes it.
    pub device_by_heading: bool,
}

impl Plan {
    /// Type of A and B where no column holds it.
    #[inline]
    pub(crate) fn usual_dtype(&self) -> DataType {
        self.default_dtype.unwrap_or(DataType::Fp16)
    }

    /// Puts a column in the place of its meaning; `scale` is the factor of its numbers to SI.
    /// A meaning that is no part of a row changes nothing.
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

    /// The columns of figures whose unit the file does not name.
    pub(crate) fn without_unit(&self) -> Vec<Col> {
        self.sides.iter().filter_map(|s| s.without_unit.clone()).collect()
    }

    /// Gives these figures a unit.
    pub(crate) fn set_unit(&mut self, quantity: Quantity, scale: f64) {
        for side in &mut self.sides {
            if let Some(col) = side.without_unit.take() {
                side.figures.set(quantity, col, scale);
            }
        }
    }

    /// True if the row is read from the column at this position.
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

    /// The column of a part of a row.
    #[inline(always)]
    pub(crate) fn col(&self, part: ColumnMeaning) -> Option<&Col> {
        self.parts.get(part as usize)?.as_ref()
    }

    /// Notes on the file's card what a table without times means.
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
