//! Settings shared by cells, bars and boxes: one plot with several marks, so a choice stays when the mark changes.

use crate::aggregate::{Aggregate, Groups, best_first, used};
use crate::band_scale::{BandScale, Order};
use crate::row_names::RowNames;
use crate::scale::ScaleKind;
use crate::spec::Name;
use gemmscope_table::control::{Choice, Control, Keyed, Setting};
use gemmscope_table::data_kind::CountedSet;
use gemmscope_table::dataset::{ColumnData, ColumnMeaning};
use gemmscope_table::field::{Field, FieldInfo, FieldKind, Frame};
use gemmscope_table::view_state::ViewState;
use std::sync::Arc;

/// View state parameters that every mark reads.
pub(super) const PARAMS: &[&str] =
    &["color", X, Y, FIGURE, STATISTIC.key, SORT, SORT_Y, ASCENDING, SCALE, FIND, SIDE];

const X: &str = "explore.x";
pub(super) const Y: &str = "explore.y";
const FIGURE: &str = "explore.figure";
const STATISTIC: Setting<Aggregate> = Setting {
    key: "explore.statistic",
    label: "Statistic",
    hint: "Of several rows in one mark",
    default: Aggregate::Median,
};
const SORT: &str = "explore.sort";
pub(super) const SORT_Y: &str = "explore.sort_y";
const ASCENDING: &str = "explore.up";
const SCALE: &str = "explore.scale";
const FIND: &str = "explore.find";
const SIDE: &str = "explore.side";
const SIZE: &str = "lines.x";
/// Hint of the choice of a side, a device or a type.
const ONE_OF: &str = "One at a time, unless all are shown";
/// Value that shows all sides together.
pub(super) const ALL_SIDES: &str = "*";
/// Key of M × N in the list of fields.
const OUTPUTS: &str = "mxn";
/// Key for no field.
pub(super) const NONE: &str = "none";

/// The orders that every mark offers: the first so many of the list.
const USUAL: usize = 3;

/// What an axis shows.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Axis {
    /// A single band for everything.
    One,
    /// M × N.
    Outputs,
    /// A field.
    Field(FieldInfo),
}

impl Axis {
    /// Bands of the axis over the passing rows, ordered. [`Order::Value`] sorts them by the figure `by`, best first.
    pub(super) fn bands(
        &self,
        frame: &Frame,
        order: Order,
        by: Option<(&FieldInfo, Aggregate)>,
    ) -> BandScale {
        let mut bands = match self {
            Axis::One => BandScale::single(frame),
            Axis::Outputs => BandScale::outputs(frame, order),
            Axis::Field(info) => BandScale::of(frame, info, order),
        };
        if let (Order::Value, Some((value, aggregate))) = (order, by) {
            let groups = Groups::of(frame, bands.len(), &bands.of);
            let figures = groups.figures(frame, value, aggregate);
            bands.reorder(&best_first(&figures, value.higher_is_better.unwrap_or(true)));
        }
        bands
    }

    /// Groups of the rows along the axis: axis label, and the name of each group. Without a field each row is a group.
    pub(super) fn groups(&self, frame: &Frame) -> (String, Name, Groups) {
        if *self == Axis::One {
            let rows = RowNames::new(frame);
            let each: Vec<u32> = (0..frame.rows.len() as u32).collect();
            let groups = Groups::of(frame, each.len(), &each);
            return ("GEMM".to_owned(), Box::new(move |row| rows.get(row)), groups);
        }
        let BandScale { label, names, of, .. } = self.bands(frame, Order::File, None);
        let groups = Groups::of(frame, names.len(), &of);
        (label, Box::new(move |group| names[group].clone()), groups)
    }
}

/// The chosen spacing, else the figure's default; linear if no value is positive.
pub(super) fn spacing(
    log: Option<bool>,
    info: &FieldInfo,
    mut values: impl Iterator<Item = f64>,
) -> ScaleKind {
    match log.unwrap_or(info.log) {
        true if values.any(|v| v > 0.0) => ScaleKind::Log,
        _ => ScaleKind::Linear,
    }
}

/// Settings of a mark. Each method reads one and appends its control to the list.
pub(super) struct Explore<'a> {
    frame: &'a Frame,
    state: &'a ViewState,
    fields: Vec<FieldInfo>,
    pub(super) controls: Vec<Control>,
}

impl<'a> Explore<'a> {
    pub(super) fn new(frame: &'a Frame, state: &'a ViewState) -> Self {
        Explore { frame, state, fields: frame.fields(), controls: Vec::new() }
    }

    /// Appends a control and returns its value.
    fn add(&mut self, control: Control) -> String {
        let current = control.current.clone();
        self.controls.push(control);
        current
    }

    /// Narrows the frame to one side and device (for rates: one type), as GEMMs of several would share a mark.
    /// Returns rows, selector and a note on hidden rows; the last two only if there is a choice.
    pub(super) fn side(
        frame: &Frame,
        state: &ViewState,
    ) -> (Frame, Option<Control>, Option<String>) {
        let (sides, sets) = (&frame.counted().sides, frame.sets());
        let Some(first) = sets.first().filter(|_| sets.len() > 1) else {
            return match Explore::one_type(frame, state) {
                Some((rows, choice)) => (rows, Some(choice), None),
                None => (frame.clone(), None, None),
            };
        };
        let (label, all) = match sides.len() {
            1 => ("Device", "all devices"),
            _ => ("Side", "all sides"),
        };
        // With one side per device, the names of the sides suffice.
        let name = |set: &CountedSet| match sets.len() == sides.len() {
            true => sides[set.side].label.clone(),
            false => set.name.clone(),
        };
        let mut options: Vec<Choice> = sets.iter().map(|s| Choice::plain(name(s))).collect();
        options.push(Choice::new(ALL_SIDES, all));
        let control = Control::choice(state, SIDE, label, ONE_OF, options, &name(first));
        let Some(set) = sets.iter().find(|s| name(s) == control.current) else {
            return (frame.clone(), Some(control), None);
        };
        let side = &sides[set.side];
        let (rows, slower) = match sides.len() {
            1 => (&frame.rows, 0),
            _ => (&side.rows, side.all_rows - side.rows.len() as u64),
        };
        let of = |row: &u32| frame.device(*row as usize);
        let device = set.rows.first().map(of);
        let rows = rows.iter().copied().filter(|row| Some(of(row)) == device).collect();
        let note = (slower > 0).then(|| gemmscope_words::charts::not_counted(slower, &side.label));
        (frame.with_rows(Arc::new(rows)), Some(control), note)
    }

    /// The rows of one type (by default the most frequent) and the selector, as rates of several types compare only by
    /// share of their roofs. `None` with a single type, or if that share is shown.
    fn one_type(frame: &Frame, state: &ViewState) -> Option<(Frame, Control)> {
        let rate = frame.leading_figure() == "attained";
        let types = BandScale::of(frame, &frame.info(&Field::Dtype).filter(|_| rate)?, Order::File);
        let rows_of = |i: &usize| types.of.iter().filter(|of| **of as usize == *i).count();
        let most = (0..types.len()).max_by_key(rows_of).filter(|_| types.len() > 1)?;
        let mut options: Vec<Choice> = types.names.iter().map(Choice::plain).collect();
        options.push(Choice::new(ALL_SIDES, "all types"));
        let control = Control::choice(state, SIDE, "Type", ONE_OF, options, &types.names[most]);
        let only = types.names.iter().position(|name| *name == control.current);
        let shown = |of: u32| only.is_none_or(|only| of as usize == only);
        let rows = frame.rows.iter().zip(&types.of).filter(|(_, of)| shown(**of));
        Some((frame.with_rows(Arc::new(rows.map(|(row, _)| *row).collect())), control))
    }

    /// The field of an axis; `none` labels the choice of no field, if offered.
    pub(super) fn axis(
        &mut self,
        key: &str,
        label: &str,
        none: Option<&str>,
        default: &str,
    ) -> Axis {
        let mut options: Vec<Choice> = none.map(|n| Choice::new(NONE, n)).into_iter().collect();
        options.push(Choice::new(OUTPUTS, "M × N"));
        options.extend(Choice::fields(&self.fields, None));
        match self.add(Control::field(self.state, key, label, "", options, default)).as_str() {
            OUTPUTS => Axis::Outputs,
            text => self.info(text).map_or(Axis::One, Axis::Field),
        }
    }

    /// The field of this key; `None` if the frame lacks it.
    fn info(&self, key: &str) -> Option<FieldInfo> {
        Field::parse(key).and_then(|f| self.frame.info(&f))
    }

    /// The field that groups rows into marks.
    pub(super) fn x(&mut self, none: Option<&str>, default: &str) -> Axis {
        self.axis(X, "X", none, default)
    }

    /// The size along X of lines.
    pub(super) fn size(&mut self, sizes: &[Field], default: &Field) -> FieldInfo {
        let options = Choice::named(self.frame, sizes);
        let default_key = default.to_string();
        let key = self.add(Control::choice(self.state, SIZE, "X", "", options, &default_key));
        self.info(&key).unwrap_or_else(|| self.known(default))
    }

    /// The frame's information on a field, or a minimal one.
    fn known(&self, field: &Field) -> FieldInfo {
        self.frame.info(field).unwrap_or_else(|| FieldInfo {
            field: field.clone(),
            label: field.to_string(),
            unit: String::new(),
            kind: FieldKind::Number,
            log: false,
            higher_is_better: None,
            hint: "",
        })
    }

    /// The figure that a mark shows.
    pub(super) fn figure(&mut self, label: &str) -> FieldInfo {
        self.figure_or(label, None).unwrap_or_else(|| self.known(&Field::Attained))
    }

    /// As [`figure`](Self::figure), but if `several` is given, none is chosen by default and the mark shows several.
    pub(super) fn figure_or(&mut self, label: &str, several: Option<&str>) -> Option<FieldInfo> {
        let default = several.map_or_else(|| self.frame.leading_figure(), |_| NONE);
        let mut options: Vec<Choice> = several.map(|s| Choice::new(NONE, s)).into_iter().collect();
        options.extend(Choice::fields(&self.fields, Some(FieldKind::Number)));
        let key = self.add(Control::field(self.state, FIGURE, label, "", options, default));
        self.info(&key)
    }

    /// The field shown as colour, a setting shared by all views; `None` for a single colour.
    pub(super) fn color(&mut self) -> Option<FieldInfo> {
        let key = self.add(Control::color(self.state, self.frame, &self.frame.main_field()));
        self.info(&key)
    }

    /// How the figures of several GEMMs in a mark are aggregated; the control is listed only if `several`.
    pub(super) fn statistic(&mut self, several: bool) -> Aggregate {
        self.controls.extend(several.then(|| STATISTIC.control(self.state).more()));
        STATISTIC.get(self.state)
    }

    /// The order along an axis; with `all`, orders by figures that only bars have are offered too.
    pub(super) fn order(&mut self, (key, label): (&str, &str), all: bool, default: Order) -> Order {
        let mut options = Order::choices();
        options.truncate(if all { options.len() } else { USUAL });
        let control = Control::choice(self.state, key, label, "", options, default.key());
        Order::parse(&self.add(control.more())).unwrap_or(default)
    }

    /// The order along X.
    pub(super) fn sort(&mut self, all: bool, default: Order) -> Order {
        self.order((SORT, "Sort"), all, default)
    }

    /// True for ascending order.
    pub(super) fn ascending(&mut self) -> bool {
        let control = Control::toggle(self.state, ASCENDING, "Ascending", "", false).more();
        self.controls.push(control.clone());
        control.is_on()
    }

    /// True for logarithmic, false for linear; `None` is the figure's default.
    pub(super) fn log(&mut self) -> Option<bool> {
        let control = Control::scale(self.state, SCALE).more();
        self.controls.push(control.clone());
        control.log()
    }

    /// A search by name.
    pub(super) fn find(&mut self) -> String {
        self.add(Control::text(self.state, FIND, "Search", "").more()).trim().to_owned()
    }

    /// The column of kernel names, if 2 to `most` of them occur.
    pub(super) fn kernel(&self, most: usize) -> Option<String> {
        let column = self.frame.data.column(ColumnMeaning::Kernel)?;
        let ColumnData::Text { codes, values } = &column.data else {
            return None;
        };
        // Count only the names of passing rows.
        let codes = self.frame.rows.iter().map(|row| codes[*row as usize] as usize);
        let named = used(codes, values.len()).iter().filter(|code| **code > 0).count();
        let field = Field::Column(column.key.clone());
        (2..=most).contains(&named).then(|| field.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::charts::{CHARTS, Inputs, by_id};
    use gemmscope_model::dtype::DataType;
    use gemmscope_model::gemm::Operation;
    use gemmscope_table::data_kind::DataKind;
    use gemmscope_table::fixture::Rows;

    #[test]
    fn a_choice_stays_when_the_mark_changes() {
        let mut rows = Rows::new();
        rows.row((64, 64, 4096), "x", 1e-5, "");
        rows.row((64, 64, 64), "y", 1e-5, "");
        let frame = rows.frame(Some("h100-sxm"));
        let (state, _) = ViewState::decode(
            "view=cells&explore.x=dtype&explore.figure=time&explore.scale=log&explore.sort=file",
        );
        for id in ["cells", "bars", "boxes"] {
            let kind = by_id(id).unwrap();
            let controls = (kind.open)(&Inputs::new(&frame, &state)).said.controls.clone();
            let current = |key: &str| {
                let found = controls.iter().find(|c| c.key == key);
                found.map(|c| c.current.clone())
            };
            for (key, value) in [(X, "dtype"), (FIGURE, "time"), (SCALE, "log"), (SORT, "file")] {
                assert_eq!(current(key).as_deref(), Some(value), "{id} {key}");
            }
        }
    }

    #[test]
    fn cells_of_sides_open_on_one_side() {
        let mut rows = Rows::new();
        for (library, time) in [("x", 1e-5), ("y", 2e-5)] {
            rows.row((64, 64, 4096), library, time, "");
            rows.row((64, 64, 64), library, time, "");
        }
        let frame = rows.frame(Some("h100-sxm"));
        let gemms = |view: &str| {
            let state = ViewState::decode(view).0;
            let table = (by_id("cells").unwrap().open)(&Inputs::new(&frame, &state)).table();
            let cells = table.rows.iter().map(|r| r[2].parse::<u32>());
            cells.sum::<Result<u32, _>>().unwrap()
        };
        assert_eq!(gemms("view=cells"), 2);
        assert_eq!(gemms("view=cells&explore.side=y"), 2);
        assert_eq!(gemms("view=cells&explore.side=*"), 4);
    }

    #[test]
    fn cells_of_two_devices_are_of_one() {
        let mut rows = Rows::new();
        rows.row((64, 64, 4096), "", 1e-5, "H100 SXM");
        rows.row((64, 64, 64), "", 1e-5, "H100 SXM");
        rows.row((64, 64, 64), "", 2e-5, "MI300X");
        let frame = rows.frame(None).as_kind(Some(DataKind::Benchmark));
        let opened = |view: &str| {
            let state = ViewState::decode(view).0;
            let chart = (by_id("cells").unwrap().open)(&Inputs::new(&frame, &state));
            let control = chart.said.controls.iter().find(|c| c.key == SIDE).cloned().unwrap();
            let gemms = chart.table().rows.iter().map(|r| r[2].parse::<u32>().unwrap()).sum();
            (control.label, control.current, gemms)
        };
        let (label, current, gemms): (String, String, u32) = opened("view=cells");
        assert_eq!((label.as_str(), gemms), ("Device", 2));
        assert!(current.contains("H100"), "{current}");
        assert_eq!(opened("view=cells&explore.side=*").2, 3);
    }

    #[test]
    fn cells_of_rates_are_of_one_type() {
        let opened = |device: &str, view: &str| {
            let mut rows = Rows::new();
            for (dtype, k) in [(DataType::Fp32, 64), (DataType::Fp16, 64), (DataType::Fp16, 128)] {
                rows.typed((64, 64, k), Operation::uniform(dtype), "", 1e-5, device);
            }
            let (frame, state) = (rows.frame(None), ViewState::decode(view).0);
            let chart = (by_id("cells").unwrap().open)(&Inputs::new(&frame, &state));
            let control = chart.said.controls.iter().find(|c| c.key == SIDE).cloned();
            let gemms: u32 = chart.table().rows.iter().map(|r| r[2].parse::<u32>().unwrap()).sum();
            (control.map(|c| (c.label, c.current)), gemms)
        };
        let of = |value: &str| Some(("Type".to_owned(), value.to_owned()));
        assert_eq!(opened("", "view=cells"), (of("fp16"), 2));
        assert_eq!(opened("", "view=cells&explore.side=fp32"), (of("fp32"), 1));
        assert_eq!(opened("", "view=cells&explore.side=*"), (of(ALL_SIDES), 3));
        assert_eq!(opened("H100 SXM", "view=cells"), (None, 3));
    }

    #[test]
    fn a_side_without_a_roof_opens_on_its_rate() {
        let mut rows = Rows::new();
        for (library, device) in [("x", "H100 SXM"), ("y", "")] {
            rows.row((64, 64, 4096), library, 1e-5, device);
            rows.row((64, 64, 64), library, 1e-5, device);
        }
        let frame = rows.frame(None).as_kind(Some(DataKind::Sides));
        let figure = |view: &str| {
            let state = ViewState::decode(view).0;
            let said = (by_id("cells").unwrap().open)(&Inputs::new(&frame, &state)).said;
            said.controls.iter().find(|c| c.key == FIGURE).unwrap().current.clone()
        };
        assert_eq!(figure("view=cells&explore.side=x"), "efficiency");
        assert_eq!(figure("view=cells&explore.side=y"), "attained");
    }

    #[test]
    fn what_no_mark_shows_is_said() {
        let mut rows = Rows::new();
        let kernel = rows.table().text_column(ColumnMeaning::Kernel, "kernel");
        for (library, name, time) in
            [("x", "k1", 1e-5), ("x", "k2", 2e-5), ("x", "k3", f64::NAN), ("y", "k4", 1e-5)]
        {
            rows.table().set_text(kernel, name.as_bytes());
            rows.row((64, 64, 64), library, time, "");
        }
        let frame = rows.frame(Some("h100-sxm")).as_kind(Some(DataKind::Sides));
        let notes = |view: &str| {
            let (state, id) = (ViewState::decode(view).0, view.split(['=', '&']).nth(1));
            (by_id(id.unwrap()).unwrap().open)(&Inputs::new(&frame, &state))
                .said
                .notes
                .clone()
                .join(" ")
        };
        let cells = notes("view=cells");
        assert!(cells.contains("2 rows of x not shown"), "{cells}");
        for view in ["view=boxes", "view=lines", "view=bars&explore.x=time"] {
            let said = notes(view);
            assert!(said.contains("1 row not shown: no value on an axis."), "{view}: {said}");
        }
        let boxes = notes("view=boxes&color=c.library");
        assert!(boxes.contains("whatever their colour"), "{boxes}");
    }

    #[test]
    fn marks_of_several_shapes_say_so_unless_they_show_a_share() {
        let mut rows = Rows::new();
        let tile = rows.table().text_column(ColumnMeaning::Kernel, "tile");
        for (k, name) in [(64, "a"), (128, "a"), (256, "a"), (64, "b")] {
            rows.table().set_text(tile, name.as_bytes());
            rows.row((64, 64, k), "", 1e-5, "");
        }
        let frame = rows.frame(Some("h100-sxm")).as_kind(Some(DataKind::Sweep));
        let said = |view: &str| {
            let state = ViewState::decode(view).0;
            let chart = (by_id("cells").unwrap().open)(&Inputs::new(&frame, &state));
            chart.said.notes.join(" ")
        };
        let by_tile = said("view=cells&explore.x=c.tile&explore.y=none&explore.figure=attained");
        assert!(by_tile.contains("Up to 3 shapes share one of the cells"), "{by_tile}");
        for other in [
            "explore.x=c.tile&explore.figure=efficiency",
            "explore.x=shape&explore.figure=attained",
        ] {
            let notes = said(&format!("view=cells&explore.y=none&{other}"));
            assert!(!notes.contains("shapes share"), "{notes}");
        }
    }

    #[test]
    fn at_most_three_selects_come_first_and_labels_are_nouns() {
        let mut rows = Rows::new();
        for (library, time) in [("x", 1e-5), ("y", 2e-5)] {
            rows.row((64, 64, 4096), library, time, "");
        }
        let frame = rows.frame(Some("h100-sxm"));
        for kind in CHARTS {
            let state = ViewState::default();
            let controls = (kind.open)(&Inputs::new(&frame, &state)).said.controls.clone();
            let selects = controls.iter().filter(|c| !c.more && !c.options().is_empty());
            // With several sides, cells have a fourth setting, the side.
            let side = controls.iter().any(|c| c.key == SIDE);
            assert!(selects.count() <= 3 + usize::from(side), "{}", kind.id);
            for c in &controls {
                let first = c.label.split(' ').next().unwrap_or_default();
                assert!(!["A", "Who", "As", "Figure"].contains(&first), "{}", c.label);
            }
        }
    }
}
