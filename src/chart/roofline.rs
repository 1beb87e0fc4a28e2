//! The roofline: every GEMM by arithmetic intensity and attained rate, under what its device
//! allows. Both axes are logarithmic.

mod marks;
mod overlay;
mod planned;
mod roofs;
pub mod settings;
mod table;

pub use marks::Points;
pub use overlay::{Overlay, overlay};
pub use planned::{Arrow, Planned, Waymark};
pub use roofs::{RoofLine, merge as merge_roof};
pub use table::table;

use super::coloring::Coloring;
use super::hit::HitGrid;
use super::labels::{Placer, Rect};
use super::layout::{self, Axis, FONT, Margins, NARROW, Plot};
use super::palette::{Theme, alpha};
use super::scale::{Kind, Scale, padded};
use super::scene::{Anchor, Baseline, Color, Glyph, Item, Scene};
use super::text;
use super::ticks::{self, Format};
use crate::field::Frame;
use marks::Survey;

/// What the marks' area shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SizeBy {
    /// Nothing: all are of one size.
    #[default]
    Same,
    /// Time of all calls of the row.
    Time,
    /// Number of calls.
    Count,
}

/// Ranges of intensity and rate that show.
pub type Zoom = ((f64, f64), (f64, f64));

/// Everything a roofline is drawn from.
#[derive(Clone, Copy)]
pub struct Input<'a> {
    /// Data, figures, passing rows.
    pub frame: &'a Frame,
    /// Positions of all rows, from the same frame.
    pub points: &'a Points,
    /// Colours of all rows.
    pub coloring: &'a Coloring,
    /// Codes of `coloring` that are switched off; shorter than the palette is fine.
    pub hidden: &'a [bool],
    /// Width in CSS pixels.
    pub width: f64,
    /// Height in CSS pixels.
    pub height: f64,
    /// Device pixels per CSS pixel, for the density image.
    pub dpr: f64,
    /// Colours of the page.
    pub theme: &'a Theme,
    /// What shows; `None` fits the data and its roofs.
    pub zoom: Option<Zoom>,
    /// What the marks' size shows.
    pub size: SizeBy,
    /// Rows that get a number, in order: selected ones, or the most expensive.
    pub numbered: &'a [u32],
    /// More points than this in view become a density image.
    pub density_above: usize,
    /// Rows with measured bytes show a second, open mark at that intensity.
    pub measured: bool,
    /// A lower ceiling of a row's own (its tile's roof), FLOP/s; NaN where there is none.
    pub own_ceiling: Option<&'a dyn Fn(usize) -> f64>,
    /// Points asked for.
    pub planned: &'a [Planned],
    /// Places on their way, the most important first.
    pub waymarks: &'a [Waymark],
    /// Roofs beyond those of the rows.
    pub roofs: &'a [RoofLine],
    /// Arrows.
    pub arrows: &'a [Arrow],
}

impl<'a> Input<'a> {
    /// Points from which a density image replaces marks.
    pub const DENSITY_ABOVE: usize = 5_000;

    /// A roofline with nothing optional.
    pub fn new(
        frame: &'a Frame,
        points: &'a Points,
        coloring: &'a Coloring,
        theme: &'a Theme,
        size: (f64, f64),
    ) -> Self {
        Input {
            frame,
            points,
            coloring,
            hidden: &[],
            width: size.0,
            height: size.1,
            dpr: 1.0,
            theme,
            zoom: None,
            size: SizeBy::Same,
            numbered: &[],
            density_above: Self::DENSITY_ABOVE,
            measured: true,
            own_ceiling: None,
            planned: &[],
            waymarks: &[],
            roofs: &[],
            arrows: &[],
        }
    }

    fn narrow(&self) -> bool {
        self.width < NARROW
    }

    fn is_hidden(&self, code: u16) -> bool {
        self.hidden.get(usize::from(code)) == Some(&true)
    }
}

/// One line of the legend.
#[derive(Clone, Debug, PartialEq)]
pub struct LegendEntry {
    /// Code in the colouring.
    pub code: u16,
    /// Name.
    pub name: String,
    /// Colour.
    pub color: Color,
    /// Shape.
    pub glyph: Glyph,
    /// Passing rows with this code, hidden or not.
    pub count: u64,
    /// Switched off.
    pub hidden: bool,
}

/// How many rows went where.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Rows that pass the filters.
    pub passing: u64,
    /// Of these, inside the plot as zoomed, and not hidden.
    pub in_view: u64,
    /// Outside the plot as zoomed.
    pub outside: u64,
    /// Above their roof (hidden ones not counted).
    pub above_roof: u64,
    /// Not measured, drawn on their roof.
    pub attainable: u64,
    /// Without any place: not measured and without a roof.
    pub nowhere: u64,
    /// With bytes that a profiler counted (hidden ones not counted), shown or not.
    pub measured: u64,
}

/// A drawn roofline.
#[derive(Clone, Debug, PartialEq)]
pub struct Chart {
    /// The picture.
    pub scene: Scene,
    /// Pixels to intensity and rate, and back.
    pub plot: Plot,
    /// Ranges of intensity and rate that all data and roofs take: what reset shows and zooming
    /// is clamped to.
    pub home: Zoom,
    /// Colours and how many rows have them.
    pub legend: Vec<LegendEntry>,
    /// The roofs, most used first.
    pub roofs: Vec<RoofLine>,
    /// How many rows went where.
    pub counts: Counts,
    /// The points are drawn as a density image.
    pub dense: bool,
}

impl Chart {
    /// What zooming by a wheel or a pinch about a pixel shows.
    pub fn zoom_about(&self, at: (f64, f64), factor: f64) -> Zoom {
        self.plot
            .zoomed(at, (factor, factor))
            .clamped(self.home.0, self.home.1)
            .domains()
    }

    /// What a drag by pixels shows.
    pub fn pan_by(&self, by: (f64, f64)) -> Zoom {
        self.plot
            .panned(by)
            .clamped(self.home.0, self.home.1)
            .domains()
    }

    /// Ranges of intensity and rate inside a drawn box, its ends rounded outward to three digits
    /// or so: they are read and edited by people.
    pub fn ranges_in(&self, rect: Rect) -> Zoom {
        let ((x0, x1), (y0, y1)) = self.plot.between(rect).domains();
        let out = |a: f64, b: f64| (down(a.min(b)), up(a.max(b)));
        (out(x0, x1), out(y0, y1))
    }

    /// What a drawn box shows.
    pub fn zoom_to(&self, rect: Rect) -> Zoom {
        self.plot
            .between(rect)
            .clamped(self.home.0, self.home.1)
            .domains()
    }
}

/// One in the third significant digit.
fn grain(v: f64) -> f64 {
    10f64.powi(v.abs().log10().floor() as i32 - 2)
}

fn down(v: f64) -> f64 {
    let g = grain(v);
    tidy((v / g).floor(), g)
}

fn up(v: f64) -> f64 {
    let g = grain(v);
    tidy((v / g).ceil(), g)
}

/// `count * grain` without the last digit's noise, so that links stay short.
fn tidy(count: f64, grain: f64) -> f64 {
    format!("{:.2e}", count * grain)
        .parse()
        .unwrap_or(count * grain)
}

/// Draws the roofline.
pub fn roofline(input: &Input<'_>) -> Chart {
    let theme = input.theme;
    let mut scene = Scene::new(input.width, input.height, "Roofline");
    let survey = Survey::of(input);
    let roofs = roofs::collect(input, &survey.usage);
    let home = home(input, &survey, &roofs);
    let (x_domain, y_domain) = input.zoom.unwrap_or(home);
    let narrow = input.narrow();

    // The y ticks decide the left margin, which decides the plot.
    let draft_y = Scale::new(Kind::Log, y_domain, (input.height, 0.0));
    let room = |px: f64, each: f64| ((px / each) as usize).clamp(2, 12);
    let y_format = if narrow {
        Format::rate().bare()
    } else {
        Format::rate()
    };
    let y_ticks = ticks::ticks(&draft_y, room(input.height - 70.0, 42.0), &y_format);
    let mut margins = Margins::for_ticks(&y_ticks);
    if narrow {
        margins.right = 8.0;
    }
    let rect = margins.rect(scene.width, scene.height);
    let plot = Plot::new(
        rect,
        Scale::new(Kind::Log, x_domain, (0.0, 1.0)),
        Scale::new(Kind::Log, y_domain, (1.0, 0.0)),
    );
    let x_room = room(rect[2], if narrow { 56.0 } else { 74.0 });
    let x_ticks = ticks::ticks(&plot.x, x_room, &Format::plain(""));
    let both = input.measured
        && survey.counts.measured > 0
        && survey.counts.passing <= input.density_above as u64;
    let axis = |title: &str, ticks| Axis {
        title: title.to_owned(),
        ticks,
        grid: true,
    };
    layout::backdrop(&mut scene, &plot, theme);
    layout::axes(
        &mut scene,
        &plot,
        theme,
        &axis(
            match (narrow, both) {
                (true, _) => "Arithmetic intensity, FLOP/byte (log)",
                (false, false) => "Arithmetic intensity, FLOP per compulsory byte (log)",
                (false, true) => {
                    "Arithmetic intensity, FLOP per byte (log): filled compulsory, open measured"
                }
            },
            x_ticks,
        ),
        &axis("Attained, FLOP/s (log)", y_ticks),
    );

    let mut counts = survey.counts;
    marks::count_view(input, &plot, &mut counts);
    let dense = counts.in_view > input.density_above as u64;
    scene.items.push(Item::Clip { rect });
    if dense {
        marks::density(&mut scene, input, &plot);
        roofs::lines(&mut scene, &plot, theme, &roofs);
    } else {
        roofs::lines(&mut scene, &plot, theme, &roofs);
        marks::measured(&mut scene, input, &plot, &counts);
        marks::marks(&mut scene, input, &plot, &counts);
    }
    planned::extras(&mut scene, input, &plot);
    scene.items.push(Item::Unclip);

    let mut placer = Placer::new([rect[0] + 2.0, rect[1] + 2.0, rect[2] - 4.0, rect[3] - 4.0]);
    marks::block(&mut placer, input, &plot, &counts);
    for p in input.planned {
        placer.block(planned::planned_box((plot.x.px(p.ai), plot.y.px(p.rate))));
    }
    roofs::labels(&mut scene, &mut placer, &plot, theme, &roofs, narrow);
    planned::planned_labels(&mut scene, &mut placer, input, &plot);
    planned::waymark_labels(&mut scene, &mut placer, input, &plot);
    overlay::numbers(&mut scene, &mut placer, input, &plot);

    if let Some(sentence) = why_empty(input, &counts) {
        layout::message(&mut scene, rect, theme, sentence);
    }
    describe(&mut scene, input, &counts, &roofs);
    let legend = legend(input, &survey.by_code);
    Chart {
        scene,
        plot,
        home,
        legend,
        roofs,
        counts,
        dense,
    }
}

/// The grid that finds what is under the pointer, for a roofline drawn with `plot`.
pub fn hit_grid(input: &Input<'_>, plot: &Plot) -> HitGrid {
    HitGrid::build(plot.rect, |found| {
        marks::each_visible(input, plot, |row, x, y, _| found(row, x, y));
    })
}

/// The same for the open marks at measured bytes; empty where they do not show.
pub fn open_grid(input: &Input<'_>, plot: &Plot) -> HitGrid {
    HitGrid::build(plot.rect, |found| {
        if input.measured {
            marks::each_open(input, plot, |row, _, to| {
                found(row, to.0 as f32, to.1 as f32);
            });
        }
    })
}

/// Ranges that hold all passing points, the roofs' ridges and ceilings.
fn home(input: &Input<'_>, survey: &Survey, roofs: &[RoofLine]) -> Zoom {
    let mut x = survey.x;
    let mut y = survey.y;
    let mut take = |ai: f64, rate: f64| {
        if ai > 0.0 && ai.is_finite() {
            x = Some(x.map_or((ai, ai), |(a, b)| (a.min(ai), b.max(ai))));
        }
        if rate > 0.0 && rate.is_finite() {
            y = Some(y.map_or((rate, rate), |(a, b)| (a.min(rate), b.max(rate))));
        }
    };
    for p in input.planned {
        take(p.ai, p.rate);
    }
    for a in input.arrows {
        take(a.from.0, a.from.1);
        take(a.to.0, a.to.1);
    }
    for roof in roofs {
        // Some slope on the left of the ridge, some ceiling on its right.
        take(roof.ridge() / 2.5, roof.peak);
        take(roof.ridge() * 2.5, roof.peak * 1.25);
    }
    let x = padded(Kind::Log, x.unwrap_or((1.0, 1000.0)), 0.04);
    let y = padded(Kind::Log, y.unwrap_or((1e11, 1e15)), 0.05);
    (x, y)
}

fn why_empty(input: &Input<'_>, counts: &Counts) -> Option<&'static str> {
    if counts.in_view > 0 || !input.planned.is_empty() || !input.arrows.is_empty() {
        return None;
    }
    Some(if input.frame.data.is_empty() {
        "No GEMMs yet: open a file."
    } else if counts.passing == 0 {
        "No GEMM passes the filters."
    } else if counts.nowhere == counts.passing {
        "No GEMM here has a measured time. Choose a device to see what each could attain."
    } else if counts.outside > 0 {
        "All GEMMs are outside this part of the plot. Reset the zoom to see them."
    } else {
        "Every category is switched off in the legend."
    })
}

fn describe(scene: &mut Scene, input: &Input<'_>, counts: &Counts, roofs: &[RoofLine]) {
    let devices: Vec<&str> = {
        let mut names: Vec<&str> = roofs.iter().map(|r| r.device.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        names
    };
    let on = match devices.as_slice() {
        [] => " without a known roof".to_owned(),
        [one] => format!(" under the roof of {one}"),
        many => format!(" under the roofs of {}", many.join(", ")),
    };
    let plural = |n: u64| if n == 1 { "" } else { "s" };
    let planned = match input.planned.len() as u64 {
        0 => String::new(),
        n => format!(" and {n} planned one{}", plural(n)),
    };
    scene.title = format!(
        "Roofline of {} GEMM{}{planned}{on}: attained rate over arithmetic intensity, both logarithmic",
        counts.passing,
        plural(counts.passing)
    );
    let mut notes = Vec::new();
    for roof in roofs {
        notes.push(format!("{}.", roof.sentence()));
    }
    if !input.coloring.label.is_empty() {
        notes.push(format!("Colour: {}.", input.coloring.label));
    }
    for (n, what) in [
        (counts.above_roof, "above the roof (triangles)"),
        (
            counts.attainable,
            "not measured, drawn on the roof (rings): what they could attain",
        ),
        (counts.nowhere, "not drawn: neither a time nor a roof"),
        (
            if input.measured { counts.measured } else { 0 },
            "also at the intensity of their measured bytes (open diamonds)",
        ),
        (counts.outside, "outside the part that shows"),
    ] {
        if n > 0 {
            notes.push(format!("{n} {what}."));
        }
    }
    scene.description = notes.join(" ");
}

fn legend(input: &Input<'_>, by_code: &[u64]) -> Vec<LegendEntry> {
    let c = input.coloring;
    (0..c.palette.len())
        .map(|i| LegendEntry {
            code: i as u16,
            name: c.names.get(i).cloned().unwrap_or_default(),
            color: c.palette[i],
            glyph: c.glyphs.get(i).copied().unwrap_or(Glyph::Dot),
            count: by_code.get(i).copied().unwrap_or(0),
            hidden: input.is_hidden(i as u16),
        })
        .collect()
}

/// A label on a plate of the panel's colour, so that it reads over lines and points.
fn plate(scene: &mut Scene, theme: &Theme, rect: Rect, label: &str, color: Color) {
    scene.fill(rect, alpha(theme.panel, 0.86));
    scene.text(
        (rect[0] + 3.0, rect[1] + rect[3] / 2.0),
        label,
        FONT,
        color,
        (Anchor::Start, Baseline::Middle),
    );
}

/// Size of a plate for a label.
fn plate_size(label: &str) -> (f64, f64) {
    (
        text::width(label, FONT, false) + 6.0,
        FONT * text::LINE + 1.0,
    )
}

#[cfg(test)]
mod tests {
    use super::{down, up};

    #[test]
    fn ends_of_a_box_are_rounded_outward() {
        for (v, low, high) in [
            (246.604, 246.0, 247.0),
            (1.23456e14, 1.23e14, 1.24e14),
            (0.99821, 0.998, 0.999),
            (5.0, 5.0, 5.0),
        ] {
            assert_eq!((down(v), up(v)), (low, high), "{v}");
        }
    }
}
