//! Finds the columns of a device table by their titles.

use crate::columns::defaults::{assuming, no_unit};
use crate::columns::words::{self, Says, any_says, says};
use crate::document::title::{bandwidth_factor, clock_scale, rate_factor, title};
use crate::formats::table_format::{GIBI, GIGA};
use crate::{Col, Header};
use gemmscope_model::dtype::DataType;
use gemmscope_model::hardware::Engine;
use gemmscope_model::units::RateUnit;
use gemmscope_table::dataset::ColumnMeaning;

/// A column of peaks.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Rate {
    pub col: Col,
    /// `None` if another column names the type of each row.
    pub dtype: Option<DataType>,
    pub engine: Engine,
    /// Factor to FLOP/s, if the title states the unit.
    pub scale: Option<f64>,
    /// Measured with large GEMMs rather than from the datasheet.
    pub achievable: bool,
}

/// The columns in use.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Layout {
    pub name: Col,
    /// With the factor to byte/s, if the title states the unit.
    pub bandwidth: Option<(Col, Option<f64>)>,
    /// Peaks: one per type, or without types if there is a `dtype` column.
    pub rates: Vec<Rate>,
    pub dtype: Option<Col>,
    pub units: Option<Col>,
    /// With the factor to Hz.
    pub clock: Option<(Col, f64)>,
    /// With the factor to bytes.
    pub memory: Option<(Col, f64)>,
    pub vendor: Option<Col>,
    pub source: Option<Col>,
    pub notes: Option<Col>,
    /// Headers of unused columns.
    pub left_out: Vec<String>,
    /// A title mentions peaks.
    pub peaks: bool,
}

/// Words allowed next to the type of a peak.
const OF_RATE: [Says; 5] =
    [Says::Peak, Says::Reached, Says::MatrixUnits, Says::VectorUnits, Says::OfPeak];

/// The columns of a header. `None` if it is not a device table: name or peak is missing, or it has sizes or
/// times like a table of GEMMs.
pub(crate) fn layout(header: &Header) -> Option<Layout> {
    let mut layout = Layout::default();
    let mut names = Vec::new();
    let mut bandwidths = Vec::new();
    for (index, name) in header.names.iter().enumerate() {
        let col = Col { index, name: name.trim().to_owned() };
        layout.take(col, &mut names, &mut bandwidths)?;
    }
    // Prefer the column that names main memory.
    let main = bandwidths.iter().position(|b| b.0).unwrap_or(0);
    layout.bandwidth = bandwidths.into_iter().nth(main).map(|(_, col, unit)| (col, unit));
    let best = names.into_iter().max_by_key(|(strength, c)| (*strength, usize::MAX - c.index))?;
    layout.name = best.1;
    if layout.rates.iter().any(|r| r.dtype.is_some()) {
        layout.rates.retain(|r| r.dtype.is_some());
        layout.dtype = None;
    } else {
        layout.dtype.as_ref()?;
        // One datasheet rate and one achievable rate per row.
        let mut seen = [false; 2];
        layout.rates.retain(|r| !std::mem::replace(&mut seen[usize::from(r.achievable)], true));
    }
    if layout.rates.is_empty() {
        return None;
    }
    let used = layout.used();
    let left = header.names.iter().enumerate();
    layout.left_out = left
        .filter(|(i, n)| !used.contains(i) && !n.trim().is_empty())
        .map(|(_, n)| n.trim().to_owned())
        .collect();
    Some(layout)
}

/// A bandwidth column: whether it names main memory, the column, and the factor to byte/s.
type Bandwidth = (bool, Col, Option<f64>);

impl Layout {
    /// Assigns a column; the first of each kind is used. `None` for a column of GEMM tables (sizes, times).
    fn take(
        &mut self,
        col: Col,
        names: &mut Vec<(u8, Col)>,
        bandwidths: &mut Vec<Bandwidth>,
    ) -> Option<()> {
        use ColumnMeaning::{
            Device, DeviceUnits, Dtype, K, M, MeasuredClock, Mnk, N, ShapeA, ShapeB, Time, TimeMin,
        };
        let words = words::words(&col.name);
        let has = |class| any_says(&words, &[class]);
        let unit_is = |unit: &str| words.iter().any(|w| w == unit);
        let title = title(&col.name);
        self.peaks |= has(Says::Peak);
        let place = match (words.join("_").as_str(), title.spec.meaning) {
            ("name" | "model" | "card" | "chip" | "product", _) => {
                names.push((50, col));
                return Some(());
            }
            ("id", _) => {
                names.push((10, col));
                return Some(());
            }
            ("vendor" | "manufacturer" | "maker", _) => &mut self.vendor,
            ("source" | "reference" | "url", _) => &mut self.source,
            ("notes" | "note" | "comment" | "comments", _) => &mut self.notes,
            ("units" | "sms" | "compute_units", _) | (_, DeviceUnits) => &mut self.units,
            (_, M | N | K | Mnk | ShapeA | ShapeB | Time | TimeMin) => return None,
            (_, Device) if title.strength >= 80 => {
                names.push((title.strength, col));
                return Some(());
            }
            (_, Dtype) => &mut self.dtype,
            (_, MeasuredClock) => {
                let scale = clock_scale(&col.name);
                self.clock.get_or_insert((col, scale));
                return Some(());
            }
            _ => {
                let unit = bandwidth_factor(&col.name);
                let of_main = has(Says::MainMemory);
                if has(Says::Traffic) || unit.is_some() {
                    if !has(Says::OtherMemory) {
                        bandwidths.push((of_main, col, unit));
                    }
                } else if of_main && (unit_is("gb") || unit_is("gib")) {
                    let scale = if unit_is("gib") { GIBI } else { GIGA };
                    self.memory.get_or_insert((col, scale));
                } else {
                    self.rates.extend(rate(col, &words));
                }
                return Some(());
            }
        };
        place.get_or_insert(col);
        Some(())
    }

    /// Sentences about assumptions and unused columns.
    pub(super) fn remarks(&self) -> String {
        let mut out = Vec::new();
        if let Some(rate) = self.rates.iter().find(|r| r.scale.is_none()) {
            out.push(no_unit(&rate.col.name, &assuming("TFLOP/s")));
        }
        if let Some((column, None)) = &self.bandwidth {
            out.push(no_unit(&column.name, &assuming("GB/s")));
        }
        if !self.left_out.is_empty() {
            out.push(format!("Unused columns: {}.", self.left_out.join(", ")));
        }
        out.join(" ")
    }

    fn used(&self) -> Vec<usize> {
        let plain = [
            Some(&self.name),
            self.dtype.as_ref(),
            self.units.as_ref(),
            self.vendor.as_ref(),
            self.source.as_ref(),
            self.notes.as_ref(),
            self.bandwidth.as_ref().map(|b| &b.0),
            self.clock.as_ref().map(|c| &c.0),
            self.memory.as_ref().map(|m| &m.0),
        ];
        let rates = self.rates.iter().map(|r| &r.col);
        plain.into_iter().flatten().chain(rates).map(|c| c.index).collect()
    }
}

/// Parses titles such as `fp16_tflops`, `BF16 dense (TFLOP/s)`, `fp32_vector`, `peak_gflops`. `None` if a title has any
/// other word, and for rates with sparsity.
fn rate(col: Col, words: &[String]) -> Option<Rate> {
    let has = |class| any_says(words, &[class]);
    let is_unit = |w: &str| {
        let singular =
            || matches!(w, "tflop" | "gflop" | "mflop" | "pflop" | "flop" | "top" | "op");
        RateUnit::parse(w).is_some() || singular()
    };
    let rest: Vec<&str> =
        words.iter().map(String::as_str).filter(|w| !says(w, &OF_RATE) && !is_unit(w)).collect();
    let scale = rate_factor(&col.name);
    let dtype = match rest.join("_") {
        none if none.is_empty() => None,
        // A single letter is the prefix of a BLAS routine, not a type here.
        text => Some(DataType::parse(&text).filter(|d| text.len() > 2 && d.family().is_some())?),
    };
    // Without a type, the title must state a unit or a peak.
    if dtype.is_none() && scale.is_none() && !has(Says::Peak) {
        return None;
    }
    Some(Rate {
        dtype,
        engine: if has(Says::VectorUnits) { Engine::Vector } else { Engine::Matrix },
        scale,
        achievable: has(Says::Reached),
        col,
    })
}
