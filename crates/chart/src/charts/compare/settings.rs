//! Settings of a comparison, with defaults that depend on the data.

use gemmscope_analysis::compare::duel::{self, Measure};
use gemmscope_analysis::compare::{Comparison, Setup, TIE, Tally};
use gemmscope_analysis::history::RunSeries;
use gemmscope_table::control::{Choice, Control, ControlKind, Keyed, Setting};
use gemmscope_table::dataset::{Column, ColumnMeaning};
use gemmscope_table::field::{Field, FieldKind, Frame};
use gemmscope_table::keyed;
use gemmscope_table::view_state::ViewState;

keyed! {
    /// Which picture of the comparison is drawn.
    pub(super) enum Show {
        Overview = "overview", "Overview";
        Scatter = "scatter", "Scatter";
        Distribution = "distribution", "Distribution";
        Ranked = "ranked", "Best and worst";
        BestOfAll = "best", "Best of all";
        History = "history", "Over time";
    }
}

keyed! {
    /// What the lines of the history show.
    pub(super) enum Over {
        Change = "change", "change of the time";
        Time = "time", "time";
        Roof = "roof", "% of roof";
    }
}

impl Over {
    /// Title of its axis.
    pub(super) fn title(self) -> &'static str {
        match self {
            Over::Change => "Time against the first run",
            Over::Time => "Time of a call",
            Over::Roof => "% of roof",
        }
    }
}

pub(super) const OVER: Setting<Over> =
    Setting { key: "compare.over", label: "Lines", hint: "", default: Over::Change };

/// The picture and its setting. Only runs have a history, and those over time begin with it.
pub(super) fn show(state: &ViewState, runs: Option<&RunSeries>) -> (Control, Show) {
    let over_time = runs.is_some_and(RunSeries::over_time);
    let setting = Setting { default: if over_time { Show::History } else { SHOW.default }, ..SHOW };
    let mut control = setting.control(state);
    let shown = setting.get(state);
    if runs.is_some() {
        return (control, shown);
    }
    if let ControlKind::Choice { options } = &mut control.kind {
        options.retain(|o| o.value != Show::History.key());
    }
    match shown {
        Show::History => {
            control.current = SHOW.default.key().to_owned();
            (control, SHOW.default)
        }
        shown => (control, shown),
    }
}

pub(super) const SHOW: Setting<Show> =
    Setting { key: "compare.show", label: "View", hint: "", default: Show::Overview };

/// Meanings of number columns that are settings of a run, not results.
const SETTINGS: [ColumnMeaning; 8] = {
    use ColumnMeaning::*;
    [TileM, TileN, TileK, SplitK, Stages, Warps, Order, Other]
};

/// Value of a setting without a column.
const NONE: &str = "none";

/// Whether published times are one more side, in every picture of the place.
pub(in crate::charts) const PUBLISHED: &str = "compare.published";

/// Tooltip of the choice of sides.
pub(in crate::charts) const SIDES_HINT: &str = "The column whose values are compared";

/// The column whose values are compared, and its field; no field if the rows are `variants` and none was chosen.
pub(super) fn side(
    frame: &Frame,
    state: &ViewState,
    candidates: &[Field],
    (default, variants): (&Field, bool),
) -> (Control, Option<Field>) {
    let mut fields = Choice::named(frame, candidates);
    let own = default.to_string();
    if variants {
        fields.insert(0, Choice::new(NONE, "choose"));
    }
    let hint = SIDES_HINT;
    let usual = if variants { NONE } else { &own };
    let side = Control::field(state, "compare.side", "Sides", hint, fields, usual);
    let field = match side.current.as_str() {
        NONE => None,
        key => Some(Field::parse(key).unwrap_or_else(|| default.clone())),
    };
    (side, field)
}

/// The sides with what others reach as one more where that is chosen, and its switch where there is something to
/// choose.
pub(in crate::charts) fn published(
    frame: &Frame,
    state: &ViewState,
    setup: Setup,
) -> (Option<Control>, Setup) {
    let alone = setup.sides.len() - usize::from(setup.published) < 2;
    if alone || !Setup::takes_published(frame, &setup.side) {
        return (None, setup);
    }
    let hint = "What others reach on the same GEMMs, as one more side";
    let control = Control::toggle(state, PUBLISHED, "Published times", hint, setup.published);
    let on = control.is_on();
    (Some(control), setup.with_published(on))
}

/// Up to which lead two sides are level: the setting, and a share.
pub(in crate::charts) fn threshold(state: &ViewState, key: &str) -> (Control, f64) {
    let (hint, ends) = ("A smaller lead is a tie", (0.0, 100.0, 1.0));
    let control = Control::number(state, key, "Threshold", hint, ends, "%", TIE * 100.0);
    let share = control.as_number() / 100.0;
    (control, share)
}

/// The settings of baseline and other side, and the indices of both sides.
pub(super) fn pair(
    frame: &Frame,
    state: &ViewState,
    comparison: &Comparison,
    tally: &Tally,
) -> ([Control; 2], (usize, usize)) {
    let setup = &comparison.setup;
    let sides = side_choices(frame, setup);
    // The closest pair; if no GEMM has all sides, two sides that share some.
    let told = tally.pair(comparison);
    let first = told.map(|pair| pair[0]).or_else(|| comparison.first_matched());
    let first = setup.sides.get(first.unwrap_or(0)).cloned().unwrap_or_default();
    let hint = "Speedups are over this side";
    let a = Control::choice(state, "compare.a", "Baseline", hint, sides.clone(), &first);
    // Default rival of the baseline: the side that shares most GEMMs with it, then the one that wins most.
    let at = |c: &Control| setup.sides.iter().position(|s| *s == c.current);
    let baseline = at(&a);
    let wins = |i: usize| tally.clear.get(i).copied().unwrap_or(0);
    let shared = comparison.shared_with(baseline.unwrap_or(0));
    let rival = (0..setup.sides.len())
        .filter(|&i| Some(i) != baseline)
        .max_by_key(|&i| (shared[i], wins(i), std::cmp::Reverse(i)));
    let second = told
        .filter(|pair| Some(pair[0]) == baseline)
        .map(|pair| pair[1])
        .or(rival)
        .and_then(|i| setup.sides.get(i).cloned())
        .unwrap_or_default();
    let b = Control::choice(state, "compare.b", "Other side", "", sides, &second);
    let pair = (baseline.unwrap_or(0), at(&b).unwrap_or(1));
    ([a, b], pair)
}

/// The measure: for two devices with known roofs, shares of the roof.
pub(super) fn measure(
    frame: &Frame,
    state: &ViewState,
    comparison: &Comparison,
    pair: (usize, usize),
) -> (Control, Measure) {
    let roofs = duel::devices_differ(frame, comparison, pair) && has_roofs(frame);
    let hint = "The share of the roof leaves the hardware out: fair across devices";
    let options = Choice::list(&[("rate", "attained rate"), ("roof", "% of own roof")]);
    let usual = if roofs { "roof" } else { "rate" };
    let control = Control::choice(state, "compare.measure", "Measure", hint, options, usual);
    let measure = if control.current == "roof" { Measure::Roof } else { Measure::Rate };
    (control, measure)
}

/// The sides as choices, by name.
fn side_choices(frame: &Frame, setup: &Setup) -> Vec<Choice> {
    let own = frame.decision().side.as_ref() == Some(&setup.side);
    let label = |value: &String| {
        let found = frame.counted().sides.iter().find(|s| own && s.value == *value);
        found.map_or_else(|| value.clone(), |s| s.label.clone())
    };
    let choice = |value: &String| Choice::new(value, label(value));
    setup.sides.iter().map(choice).collect()
}

/// True if on every device some row has a roof.
fn has_roofs(frame: &Frame) -> bool {
    let mut with = vec![None; frame.data.devices.len()];
    for &r in frame.rows.iter() {
        let r = r as usize;
        let known = !frame.metrics.roof_s[r].is_nan();
        let of = &mut with[usize::from(frame.data.device[r])];
        *of = Some(of.unwrap_or(false) || known);
    }
    with.iter().any(Option::is_some) && with.iter().flatten().all(|known| *known)
}

/// The keys offered: sizes, types, layout, device, file, text columns, and number columns with few values. No results.
pub(super) fn keys(frame: &Frame, state: &ViewState, setup: &Setup) -> Control {
    let choices = frame
        .fields()
        .into_iter()
        .filter(|i| i.field != setup.side)
        .filter(|i| match &i.field {
            Field::Shape
            | Field::M
            | Field::N
            | Field::K
            | Field::Batch
            | Field::Groups
            | Field::Dtype
            | Field::Transposes
            | Field::Device
            | Field::Source => true,
            Field::Column(key) => {
                // A number that is a setting of the run rather than a result.
                let is_setting = |c: &Column| c.key == *key && SETTINGS.contains(&c.meaning);
                i.kind == FieldKind::Category || frame.data.columns.iter().any(is_setting)
            }
            _ => false,
        })
        .map(|i| Choice::new(i.field.to_string(), i.label))
        .collect();
    let hint = "Two rows are the same GEMM if they agree in these";
    let usual: Vec<String> = setup.keys.iter().map(Field::to_string).collect();
    Control::several(state, "compare.keys", "Match by", hint, choices, &usual)
}
