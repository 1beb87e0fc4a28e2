//! Where a record holds each part of a row: made once per header, used for every row.

use crate::columns::header::Col;
use gemmscope_model::dtype::DataType;
use gemmscope_table::build::{ColumnId, TableBuilder};
use gemmscope_table::dataset::ColumnMeaning::{self, *};

/// Columns that hold M, N and K.
#[derive(Debug)]
pub(crate) enum Sizes {
    /// A column each.
    Three(Col, Col, Col),
    /// All in one cell.
    One(Col),
    /// The shapes of A and B.
    Operands(Col, Col),
    /// M = N = K.
    Square(Col),
    /// A format's hook computes them.
    Hook,
}

/// A column of the file that stays a column of the dataset.
#[derive(Debug)]
pub(crate) enum Extra {
    Text(usize, ColumnId),
    /// A number with its factor to SI; [`PER_ROW`](super::super::formats::table_format::PER_ROW)
    /// stands for the unit that the row names.
    Number(usize, ColumnId, f64),
    /// Text or numbers, as most cells decide.
    Auto(usize, ColumnId),
    Tile(usize, [ColumnId; 3]),
}

impl Extra {
    /// Its position in the file.
    pub(crate) fn index(&self) -> usize {
        match self {
            Extra::Text(i, _) | Extra::Number(i, ..) | Extra::Auto(i, _) | Extra::Tile(i, _) => *i,
        }
    }
}

/// The columns of one header, by what they mean.
#[derive(Debug)]
pub(crate) struct Plan {
    pub header_line: u32,
    pub width: usize,
    pub sizes: Sizes,
    /// The columns of M, N and K as they are found.
    pub parts: [Option<Col>; 3],
    pub batch: Option<Col>,
    pub time: Option<(Col, f64)>,
    pub rate: Option<(Col, f64)>,
    pub dtype: Option<Col>,
    pub dtype_a: Option<Col>,
    pub dtype_b: Option<Col>,
    pub dtype_c: Option<Col>,
    pub compute: Option<Col>,
    pub trans: [Option<Col>; 2],
    pub layout: Option<Col>,
    pub bias: Option<Col>,
    pub beta: Option<Col>,
    pub device: Option<Col>,
    pub units: Option<Col>,
    /// Columns that say whether the run succeeded.
    pub verdicts: Vec<Col>,
    /// The rows are a tuning history: they have an order and a status. Its failures are kept.
    pub history: bool,
    /// In the order of the file, so that a short record ends them.
    pub extras: Vec<Extra>,
    /// A column of names, which may name the type.
    pub named_dtype: Option<Col>,
    /// Type of A and B where no column holds it.
    pub default_dtype: DataType,
    /// Type of the output where no column holds it; `None`: the usual one of the operands.
    pub default_output: Option<DataType>,
    /// Transposes of A and B where no column holds them.
    pub default_trans: [bool; 2],
    pub default_device: u16,
}

/// The figures of one library.
#[derive(Debug)]
pub(crate) struct PlannedSide {
    pub name: String,
    pub dtype: Option<DataType>,
    /// Factors to seconds and FLOP/s.
    pub time: Option<(Col, f64)>,
    pub rate: Option<(Col, f64)>,
}

impl Default for Plan {
    fn default() -> Self {
        Plan {
            header_line: 0,
            width: 0,
            sizes: Sizes::Hook,
            parts: [None, None, None],
            batch: None,
            time: None,
            rate: None,
            dtype: None,
            dtype_a: None,
            dtype_b: None,
            dtype_c: None,
            compute: None,
            trans: [None, None],
            layout: None,
            bias: None,
            beta: None,
            device: None,
            units: None,
            verdicts: Vec::new(),
            history: false,
            extras: Vec::new(),
            named_dtype: None,
            default_dtype: DataType::Fp16,
            default_output: None,
            default_trans: [false, false],
            default_device: 0,
        }
    }
}

impl Plan {
    /// Puts a column in the place of its meaning; `scale` is the factor of its numbers to SI.
    /// A meaning that is no part of a row changes nothing.
    pub(crate) fn set(&mut self, meaning: ColumnMeaning, col: Col, scale: f64) {
        let place = match meaning {
            Time | ReportedRate => {
                let place = match meaning {
                    Time => &mut self.time,
                    _ => &mut self.rate,
                };
                *place = Some((col, scale));
                return;
            }
            Mnk => {
                self.sizes = Sizes::One(col);
                return;
            }
            Square => {
                self.sizes = Sizes::Square(col);
                return;
            }
            M => &mut self.parts[0],
            N => &mut self.parts[1],
            K => &mut self.parts[2],
            Batch => &mut self.batch,
            Dtype => &mut self.dtype,
            DtypeA => &mut self.dtype_a,
            DtypeB => &mut self.dtype_b,
            DtypeC => &mut self.dtype_c,
            Compute => &mut self.compute,
            TransA => &mut self.trans[0],
            TransB => &mut self.trans[1],
            Layout => &mut self.layout,
            Bias => &mut self.bias,
            Beta => &mut self.beta,
            Device => &mut self.device,
            DeviceUnits => &mut self.units,
            _ => return,
        };
        *place = Some(col);
        if let [Some(m), Some(n), Some(k)] = &self.parts {
            self.sizes = Sizes::Three(m.clone(), n.clone(), k.clone());
        }
    }

    /// Notes on the file's card what a table without times means.
    pub(crate) fn note_times(&self, table: &mut TableBuilder) {
        match (&self.time, &self.rate) {
            (Some(_), _) => {}
            (None, Some((c, _))) => {
                table.rates_are_not_independent();
                table.note(format!(
                    "Times computed from the rates in “{}”, at 2MNK operations per call.",
                    c.name
                ));
            }
            (None, None) => table.note(
                "Shapes only: no times in the file, so the roof is shown without measured \
                 points.",
            ),
        }
    }
}
