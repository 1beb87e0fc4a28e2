//! The roofline's settings as the view state keeps them, and a whole roofline drawn by them: what
//! the command, the report and a saved page show without a page around it.

use super::{Chart, Input, Points, SizeBy, Zoom, roofline};
use crate::chart::coloring::Coloring;
use crate::chart::control::{Choice, Control};
use crate::chart::layout::FONT;
use crate::chart::palette::Theme;
use crate::chart::parts::{self, Swatch};
use crate::chart::scene::{Anchor, Baseline, Glyph, Item, Scene};
use crate::chart::{text, view::Look};
use crate::dataset::Role;
use crate::field::{Field, Frame};
use crate::shape_roof::{RowShape, ShapeRoofs};
use crate::view_state::{RowRef, ViewState};

/// Key of the zoomed ranges.
pub const ZOOM_KEY: &str = "zoom.roofline";
/// Key of the legend entries that are switched off: their names, one a line.
pub const OFF_KEY: &str = "off";
/// Key of whether points show at the intensity of their measured bytes too; `off` where not. The
/// legend switches it.
pub const MEASURED_KEY: &str = "measured";
/// Key of which points carry a number.
pub const LABELS_KEY: &str = "labels";
/// Rows that get a number because of what they cost.
const NUMBERED: usize = 8;
/// Passing rows up to which the most expensive get numbers unasked.
const NUMBER_UP_TO: usize = 200_000;
/// What the legend calls the open marks.
pub const MEASURED_NAME: &str = "at measured bytes";
/// Legend entries of a picture; a longer legend takes the room of the plot.
const LEGEND: usize = 12;

/// What can be set.
pub fn controls(frame: &Frame, state: &ViewState) -> Vec<Control> {
    let mut options = vec![Choice::new("none", "nothing")];
    options.extend(Choice::fields(&frame.fields(), None));
    let list = |key, label, hint, options: &[(&str, &str)]| {
        Control::choice(state, key, label, hint, Choice::list(options), "")
    };
    let mut out = vec![
        Control::field(
            state,
            "color",
            "Colour",
            "What the points' colour shows, here and in the other views",
            options,
            "dtype",
        ),
        list(
            "size",
            "Size",
            "What the points' area shows",
            &[("", "the same"), ("time", "total time"), ("count", "calls")],
        ),
        list(
            "labels",
            "Numbers",
            "Which points carry a number, selected ones first; the same numbers stand in the table",
            &[
                ("", "most lost time"),
                ("time", "most time"),
                ("selected", "only selected"),
                ("off", "none"),
            ],
        ),
    ];
    if [Role::Kernel, Role::TileM]
        .iter()
        .any(|r| frame.data.role(*r).is_some())
    {
        out.push(list(
            CEILING_KEY,
            "Tile roof",
            "A second ceiling of a point: what its tile and the number of workgroups leave of the device's roof",
            &[("", "of selected"), ("all", "of all points"), ("off", "none")],
        ));
    }
    out
}

/// `x0..x1,y0..y1`.
pub fn zoom_text(((x0, x1), (y0, y1)): Zoom) -> String {
    format!("{x0:.5e}..{x1:.5e},{y0:.5e}..{y1:.5e}")
}

/// Reads what [`zoom_text`] writes.
pub fn zoom_of(text: &str) -> Option<Zoom> {
    let (x, y) = text.split_once(',')?;
    let pair = |t: &str| {
        let (a, b) = t.split_once("..")?;
        let (a, b) = (a.parse::<f64>().ok()?, b.parse::<f64>().ok()?);
        (a > 0.0 && b > a && b.is_finite()).then_some((a, b))
    };
    Some((pair(x)?, pair(y)?))
}

/// What the marks' size shows.
pub fn size_of(state: &ViewState) -> SizeBy {
    match state.param("size") {
        Some("time") => SizeBy::Time,
        Some("count") => SizeBy::Count,
        _ => SizeBy::Same,
    }
}

/// Which points show the roof of their tile: `all`, `off`, else the selected ones.
pub const CEILING_KEY: &str = "ceiling";

/// The roof that a row's tile and the number of its workgroups leave, FLOP/s; NaN where the tile
/// is not known or makes no claim.
pub fn ceiling(shape: Option<RowShape>) -> f64 {
    shape
        .and_then(|s| s.roof)
        .map_or(f64::NAN, |r| r.flops_per_s)
}

/// The rows that carry a number, from 1: the selected ones, then those that cost most. `by` is
/// what [`LABELS_KEY`] holds: "" for the most lost time, `time` for the most time, `selected` for
/// no others, `off` for none.
pub fn numbered(frame: &Frame, by: &str, selected: &[u32]) -> Vec<u32> {
    if by == "off" {
        return Vec::new();
    }
    let mut rows = selected.to_vec();
    // Of a million rows none is looked for unless asked: a filter stays instant.
    let many = by.is_empty() && frame.rows.len() > NUMBER_UP_TO;
    if by == "selected" || many {
        return rows;
    }
    for row in most_expensive(frame, by != "time") {
        if !rows.contains(&row) {
            rows.push(row);
        }
    }
    rows
}

/// The passing rows that lose most time against their roof, or (`lost` false, or no roof known)
/// take most time, worst first.
fn most_expensive(frame: &Frame, lost: bool) -> Vec<u32> {
    let fields = [Field::Lost, Field::TotalTime];
    for field in &fields[usize::from(!lost)..] {
        let get = frame.numbers(field);
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

/// The roofline of a view state with its legend above it.
pub fn picture(frame: &Frame, state: &ViewState, look: &Look<'_>) -> Scene {
    let field = Field::parse(state.param("color").unwrap_or("dtype"));
    let coloring = match field.and_then(|f| frame.info(&f)) {
        Some(info) => Coloring::by(frame, &info, look.theme),
        None => Coloring::plain(look.theme),
    };
    let off: Vec<&str> = state
        .param(OFF_KEY)
        .map_or_else(Vec::new, |t| t.split('\n').collect());
    let hidden: Vec<bool> = coloring
        .names
        .iter()
        .map(|n| off.contains(&n.as_str()))
        .collect();
    let selected = RowRef::find(&state.selection, &frame.data);
    let numbered = numbered(frame, state.param(LABELS_KEY).unwrap_or(""), &selected);
    let points = Points::new(&frame.data, &frame.metrics);
    let shapes = (state.param(CEILING_KEY) == Some("all"))
        .then(|| ShapeRoofs::new(&frame.data, &frame.metrics));
    let own = shapes.as_ref().map(|s| move |row| ceiling(s.of(row)));
    let draw = |height: f64| -> Chart {
        roofline(&Input {
            hidden: &hidden,
            numbered: &numbered,
            zoom: state.param(ZOOM_KEY).and_then(zoom_of),
            size: size_of(state),
            measured: state.param(MEASURED_KEY) != Some("off"),
            own_ceiling: own.as_ref().map(|f| f as &dyn Fn(usize) -> f64),
            dpr: 2.0,
            ..Input::new(frame, &points, &coloring, look.theme, (look.width, height))
        })
    };
    let measured = state.param(MEASURED_KEY) != Some("off");
    let drawn = draw(look.height);
    let top = with_legend(&drawn, &coloring, measured, look.theme).height - drawn.scene.height;
    let drawn = draw((look.height - top).max(1.0));
    with_legend(&drawn, &coloring, measured, look.theme)
}

/// The chart with its legend above it, as a picture of its own has it; `measured` where the open
/// marks at measured bytes show.
pub fn with_legend(drawn: &Chart, coloring: &Coloring, measured: bool, theme: &Theme) -> Scene {
    let mut entries = legend(coloring, drawn);
    if measured && drawn.counts.measured > 0 {
        entries.push((
            Swatch::Mark(Glyph::Open, theme.muted),
            MEASURED_NAME.to_owned(),
        ));
    }
    let inset = (12.0, 8.0);
    let mut scene = drawn.scene.clone();
    let width = (scene.width - 2.0 * inset.0).max(1.0);
    let title = !coloring.label.is_empty() && !entries.is_empty();
    let used = parts::legend(None, inset, width, theme, &entries);
    if used == 0.0 {
        return scene;
    }
    let top = inset.1 + used + if title { parts::LEGEND_LINE } else { 0.0 };
    scene.move_down(top);
    scene.items.insert(
        0,
        Item::Rect {
            rect: [0.0, 0.0, scene.width, top],
            fill: Some(theme.background),
            stroke: None,
        },
    );
    let mut at = inset;
    if title {
        let words = text::ellipsis(&coloring.label, FONT, width);
        scene.bold(
            (at.0, at.1 + parts::LEGEND_LINE / 2.0),
            words,
            FONT,
            theme.text,
            (Anchor::Start, Baseline::Middle),
        );
        at.1 += parts::LEGEND_LINE;
    }
    parts::legend(Some(&mut scene), at, width, theme, &entries);
    scene
}

/// Swatches with names and counts; the ends of the colours where they show a number.
fn legend(coloring: &Coloring, chart: &Chart) -> Vec<(Swatch, String)> {
    if coloring.gradient.is_some() {
        let steps = coloring.palette.len().saturating_sub(1);
        let ends = [0, steps / 2, steps.saturating_sub(1)];
        return ends
            .iter()
            .filter_map(|&i| {
                let name = coloring.names.get(i)?.clone();
                Some((Swatch::Box(*coloring.palette.get(i)?), name))
            })
            .collect();
    }
    let mut used: Vec<_> = chart
        .legend
        .iter()
        .filter(|e| e.count > 0 && !e.hidden && !e.name.is_empty())
        .collect();
    let more = used.len().saturating_sub(LEGEND);
    if more > 0 {
        used.sort_by_key(|e| std::cmp::Reverse(e.count));
        used.truncate(LEGEND);
    }
    let mut out: Vec<(Swatch, String)> = used
        .iter()
        .map(|e| {
            let name = format!("{} ({})", e.name, parts::grouped(e.count));
            (Swatch::Mark(e.glyph, e.color), name)
        })
        .collect();
    if let (true, Some((Swatch::Mark(_, color), _))) = (more > 0, out.last().cloned()) {
        let clear = crate::chart::palette::alpha(color, 0.0);
        out.push((Swatch::Box(clear), format!("and {more} more")));
    }
    out
}
