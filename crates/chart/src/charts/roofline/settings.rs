//! Settings of the roofline. Only this file reads them from a view state.

use super::points::SINGLE_UP_TO;
use crate::aggregate::add_new;
use crate::caption::{NAME, name_control};
use crate::charts::Inputs;
use crate::legend::switched_off;
use gemmscope_analysis::ledger::{LARGEST_LOSS, NOTHING_LOST};
use gemmscope_analysis::tile_roof::RowTile;
use gemmscope_model::dtype::DataType;
use gemmscope_model::hardware::MemoryLevel;
use gemmscope_table::control::{Choice, Control, Setting};
use gemmscope_table::data_kind::DataKind;
use gemmscope_table::dataset::{ColumnMeaning, Dataset};
use gemmscope_table::field::{Field, Frame};
use gemmscope_table::keyed;
use gemmscope_table::view_state::ViewState;
use std::ops::RangeInclusive;

/// Field shown as the points' colour.
const COLOR_KEY: &str = "color";
/// Which points carry a number.
pub const LABELS_KEY: &str = "labels";
/// Legend entries that are switched off: names, one per line.
pub const OFF_KEY: &str = "off";
/// `off` hides the points at the intensity of their measured bytes; the legend toggles it.
pub(super) const MEASURED_KEY: &str = "measured";
/// Bytes that the intensity is computed from.
pub(super) const AI_KEY: &str = "ai";
/// Share of the time that the shown GEMMs make up, percent.
const HEAVIEST_KEY: &str = "heaviest";
/// Whether one side is the baseline of the others.
const BASELINE_KEY: &str = "baseline";
/// The side that is the baseline, also in Compare.
const SIDE_A_KEY: &str = "compare.a";
/// Roofs shown.
const ROOFS_KEY: &str = "roofs";
/// Vertical axis: the attained rate, or its share of the roof or of what others reach.
const Y_KEY: &str = "y";
/// Every parameter that the roofline reads, besides its zoom.
pub(super) const PARAMS: &[&str] = &[
    COLOR_KEY,
    LABELS_KEY,
    CEILINGS.key,
    OFF_KEY,
    MEASURED_KEY,
    HEAVIEST_KEY,
    BASELINE_KEY,
    SIDE_A_KEY,
    ROOFS_KEY,
    AI_KEY,
    Y_KEY,
    NAME,
];
/// Number of rows that are numbered because of their cost.
const NUMBERED: usize = 8;
/// Up to this many passing rows, the most expensive are numbered by default.
const NUMBER_UP_TO: usize = 200_000;

keyed! {
    /// Which rows carry a number.
    pub enum Numbers {
        /// The row that stands for each finding, with the finding's number; without findings, the rows that lose most
        /// time.
        Findings = "", "findings";
        /// Rows that lose most time against their roof.
        MostLost = "lost", "most lost time";
        /// None.
        None = "off", "none";
    }
}

/// Which points carry a number.
const NUMBERS: Setting<Numbers> = Setting {
    key: LABELS_KEY,
    label: "Numbers",
    hint: "Points with a number, here, in the list and in the table",
    default: Numbers::Findings,
};

impl Numbers {
    /// Reads a view state.
    pub fn of(state: &ViewState) -> Self {
        NUMBERS.get(state)
    }
}

keyed! {
    /// Which points show the roof of their tile.
    pub enum Ceilings {
        /// Selected and hovered ones.
        Selected = "", "of selected";
        /// All.
        All = "all", "of all points";
        /// None.
        None = "off", "none";
    }
}

const CEILINGS: Setting<Ceilings> = Setting {
    key: "ceiling",
    label: "Tile roof",
    hint: "What the tile and the number of workgroups leave of the roof",
    default: Ceilings::Selected,
};

/// Which roofs show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Roofs {
    /// Roofs of the types that the rows compute in.
    OfRows,
    /// Roofs of all types of the rows' devices.
    All,
    /// The roof of one type.
    Of(DataType),
}

/// Bytes that the intensity of points is computed from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AiAxis {
    /// Compulsory bytes; measured DRAM bytes as a second, open mark.
    Compulsory,
    /// Bytes counted at one memory level.
    At(MemoryLevel),
    /// Compulsory bytes, and an open mark for every memory level.
    All,
}

impl AiAxis {
    /// The memory level of the filled points; `None` for compulsory bytes.
    pub fn level(self) -> Option<MemoryLevel> {
        match self {
            AiAxis::At(level) => Some(level),
            _ => None,
        }
    }
}

/// Settings chosen by the user, or their defaults.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Field shown as colour; `None` is a single colour.
    pub color: Option<Field>,
    /// The vertical axis is a share, of the roof or of what others reach.
    pub share: bool,
    /// The share is of what others reach.
    pub of_reference: bool,
    /// Names of the categories that are switched off.
    pub off: Vec<String>,
    /// Which points carry a number.
    pub numbers: Numbers,
    /// Which points show the roof of their tile.
    pub ceilings: Ceilings,
    /// Points also show at the intensity of their measured bytes.
    pub measured: bool,
    /// Share of the time that the shown GEMMs make up, percent.
    pub heaviest: f64,
    /// Name of the baseline side, "" for the first; `None` without a baseline.
    pub baseline: Option<String>,
    /// Roofs shown.
    pub roofs: Roofs,
    /// Bytes that the intensity is computed from.
    pub ai: AiAxis,
}

impl Settings {
    /// The current settings, and the controls to change them.
    pub(crate) fn read(inputs: &Inputs<'_>) -> (Self, Vec<Control>) {
        let Inputs { frame, state, .. } = *inputs;
        let color = Control::color(state, frame, &default_color(inputs));
        let hint = "Shows the GEMMs that make up this share of the time, the heaviest first, and hides the others";
        let heaviest = Control::count(state, HEAVIEST_KEY, "Time shown", hint, (1, 100), 100);
        let heaviest = heaviest.with_slider(100).with_unit("%");
        let hint = "Arrows from one side to the others on the same GEMM";
        let baseline = Control::toggle(state, BASELINE_KEY, "Baseline", hint, true).more();
        let all = [("", "FLOP/s"), ("share", "% of roof"), ("reference", "% of others")];
        let known = if frame.metrics.has_references() { &all[..] } else { &all[..2] };
        let axes = Choice::list(known);
        let y = Control::choice(state, Y_KEY, "Y", "", axes, "");
        let (ai, roofs) = (intensities(frame, state), roofs(frame, state));
        let side = || state.param(SIDE_A_KEY).unwrap_or_default().to_owned();
        let chosen = |of: &Option<Control>| of.as_ref().map(|c| c.current.clone());
        let settings = Settings {
            color: Field::parse(&color.current),
            share: !y.current.is_empty(),
            of_reference: y.current == "reference",
            off: switched_off(state, OFF_KEY),
            numbers: Numbers::of(state),
            ceilings: CEILINGS.get(state),
            measured: state.param(MEASURED_KEY) != Some("off"),
            heaviest: heaviest.as_number(),
            baseline: baseline.is_on().then(side),
            roofs: match chosen(&roofs).as_deref() {
                Some("all") => Roofs::All,
                name => name.and_then(DataType::parse).map_or(Roofs::OfRows, Roofs::Of),
            },
            ai: match chosen(&ai).as_deref() {
                Some("all") => AiAxis::All,
                key => {
                    let level = MemoryLevel::ALL.into_iter().find(|l| Some(l.key()) == key);
                    level.map_or(AiAxis::Compulsory, AiAxis::At)
                }
            },
        };
        let tiles = [ColumnMeaning::Kernel, ColumnMeaning::TileM].into_iter();
        let tiles = tiles.filter_map(|r| frame.data.column(r)).next().is_some();
        let mut out = vec![color, y, heaviest];
        out.extend((frame.decision().kind == DataKind::Sides).then_some(baseline));
        out.extend(ai.into_iter().chain(roofs));
        out.extend(tiles.then(|| CEILINGS.control(state).more()));
        out.push(name_control(state));
        (settings, out)
    }
}

/// Fewest GEMMs and most rows that are coloured by their largest loss by default: computing the partners of a larger
/// table would delay its first picture.
const BY_LOSS: RangeInclusive<usize> = 3..=SINGLE_UP_TO;

/// Default field of the colours: what tells the rows apart. If that is only their layout, or a type that changes no
/// roof, it is the account that each row loses most to, if these differ. Computed from all rows, whatever the filters.
fn default_color(inputs: &Inputs<'_>) -> Field {
    let (frame, main) = (inputs.frame, inputs.frame.main_field());
    let loss = Field::Column(LARGEST_LOSS.to_owned());
    let calls = matches!(frame.kind(), DataKind::Workload | DataKind::Benchmark);
    let plain = matches!(main, Field::Dtype | Field::Transposes) && frame.has_one_roof();
    let fits = BY_LOSS.contains(&frame.data.len());
    if !(inputs.by_loss && calls && plain && fits && frame.info(&loss).is_some()) {
        return main;
    }
    let categories = frame.categories(&loss);
    let is_lost =
        |code: &u32| !["", NOTHING_LOST].contains(&categories.values[*code as usize].as_str());
    let mut lost = (0..frame.data.len()).map(|row| categories.codes.get(row)).filter(is_lost);
    let first = lost.next();
    if lost.any(|code| Some(code) != first) { loss } else { main }
}

/// Memory levels at which some file counted bytes.
pub(super) fn levels(data: &Dataset) -> Vec<MemoryLevel> {
    let counted = |l: &MemoryLevel| data.column(ColumnMeaning::measured(*l)).is_some();
    MemoryLevel::ALL.into_iter().filter(counted).collect()
}

/// Selector of the bytes that the intensity is computed from; `None` if no profiler counted any.
fn intensities(frame: &Frame, state: &ViewState) -> Option<Control> {
    let levels = levels(&frame.data);
    if levels.is_empty() {
        return None;
    }
    let mut options = vec![Choice::new("", "compulsory bytes")];
    for level in &levels {
        options.push(Choice::new(level.key(), format!("{} bytes", level.label())));
    }
    if levels.len() > 1 {
        options.push(Choice::new("all", "all levels"));
    }
    let hint = "The bytes that AI is over: compulsory, or counted at a level of the memory";
    Some(Control::choice(state, AI_KEY, "AI", hint, options, ""))
}

/// Selector of roofs, by type of the data's devices.
fn roofs(frame: &Frame, state: &ViewState) -> Option<Control> {
    let mut types: Vec<DataType> = Vec::new();
    let peaks = frame.metrics.devices.iter().flatten().flat_map(|device| &device.peaks);
    peaks.for_each(|peak| add_new(&mut types, peak.dtype));
    if types.len() < 2 {
        return None;
    }
    let mut options = Choice::list(&[("", "of these GEMMs"), ("all", "all types")]);
    options.extend(types.iter().map(|t| Choice::plain(t.name())));
    Some(Control::choice(state, ROOFS_KEY, "Roofs", "", options, "").more())
}

/// Roof of a row by its tile and number of workgroups, FLOP/s; NaN if the tile is unknown or implies no bound.
pub(super) fn ceiling(shape: Option<RowTile>) -> f64 {
    shape.and_then(|s| s.roof()).map_or(f64::NAN, |r| r.flops_per_s)
}

/// The rows that are numbered (from 1) in the roofline, the ranked list and the table: those of the findings in order
/// (`ranked`, if known), or those that lose most time.
pub fn numbered(frame: &Frame, by: Numbers, ranked: Option<&[u32]>) -> Vec<u32> {
    numbers_of(by, ranked, || most_expensive(frame, by))
}

/// As [`numbered`], with the expensive rows given.
pub(super) fn numbers_of(
    by: Numbers,
    ranked: Option<&[u32]>,
    costly: impl FnOnce() -> Vec<u32>,
) -> Vec<u32> {
    match (by, ranked) {
        (Numbers::None, _) => Vec::new(),
        (Numbers::Findings, Some(ranked)) => ranked.to_vec(),
        _ => costly(),
    }
}

/// The passing rows that lose most time against their roof, or take most time if no roof is known, worst first.
pub(super) fn most_expensive(frame: &Frame, by: Numbers) -> Vec<u32> {
    // Searching a million rows would delay every change of a filter.
    if by == Numbers::None || frame.rows.len() > NUMBER_UP_TO {
        return Vec::new();
    }
    for field in [Field::Lost, Field::TotalTime] {
        let get = frame.numbers(&field);
        let mut top: Vec<(f64, u32)> = Vec::with_capacity(NUMBERED + 1);
        for &row in frame.rows.iter() {
            let v = get(row as usize);
            let full = top.len() == NUMBERED;
            if v.is_nan() || full && v <= top[NUMBERED - 1].0 {
                continue;
            }
            let at = top.partition_point(|t| t.0 >= v);
            top.insert(at, (v, row));
            top.truncate(NUMBERED);
        }
        if !top.is_empty() {
            return top.into_iter().map(|t| t.1).collect();
        }
    }
    Vec::new()
}
