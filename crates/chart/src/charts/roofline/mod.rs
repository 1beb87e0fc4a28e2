//! The roofline: every GEMM by arithmetic intensity and attained rate, under the roofs of its device. Both axes are
//! logarithmic.

mod baseline;
mod chart;
mod extent;
mod heaviest;
mod input;
mod interactive;
mod legend;
mod marks;
mod overlay;
mod planned;
mod points;
mod published;
mod rivals;
mod roofs;
mod settings;
mod stated;
mod table;

pub use input::{Extras, RooflineInput};
pub use overlay::overlay;
pub use planned::{Planned, Waymark};
pub use points::{By, Points};
pub use roofs::{RoofLine, merge as merge_roof};
pub use settings::{AiAxis, Ceilings, LABELS_KEY, Numbers, OFF_KEY, Roofs, Settings, numbered};
pub use table::table;

pub(crate) use chart::Contents;
pub use chart::KIND;
pub(crate) use interactive::InteractiveRoofline;

use crate::camera::{Camera, Zoom};
use crate::hit::HitGrid;
use crate::labels::{Placer, Rect};
use crate::layout::{self, Plot};
use crate::legend::Legend;
use crate::plot::{Around, Marks, Ruler, round, xy};
use crate::scale::ScaleKind;
use crate::scene::{Item, Point, Scene};
use crate::ticks::Format;
use gemmscope_model::hardware::MemoryLevel;
use gemmscope_words::charts::nothing;
use gemmscope_words::charts::roofline::{self as words, PointCounts};
use marks::Survey;

/// Numbers of rows by how they are drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Rows that pass the filters.
    pub passing: u64,
    /// Inside the plot as zoomed, and not hidden.
    pub in_view: u64,
    /// Outside the plot as zoomed.
    pub outside: u64,
    /// Above their roof (hidden ones not counted).
    pub above_roof: u64,
    /// Measured, without a known roof while others have one (hidden ones not counted).
    pub no_roof: u64,
    /// Not measured, drawn on their roof.
    pub attainable: u64,
    /// Without a place: not measured and without a roof.
    pub nowhere: u64,
    /// With bytes counted by a profiler at each of [`MemoryLevel::ALL`] (hidden ones not counted), shown or not.
    pub measured: [u64; 3],
}

/// A drawn roofline.
#[derive(Clone, Debug, PartialEq)]
pub struct RooflinePicture {
    /// The picture, without its legend.
    pub scene: Scene,
    /// Pixels to intensity and rate, and back.
    pub plot: Plot,
    /// Ranges of intensity and rate that hold all data and roofs: the limit of zooming out.
    pub home: Zoom,
    /// The initial zoom.
    pub first: Zoom,
    /// Colours, and how many rows have them.
    pub legend: Legend,
    /// The roofs, most used first.
    pub roofs: Vec<RoofLine>,
    /// Labels of roofs: index into `roofs`, and the label's box.
    pub roof_labels: Vec<(usize, Rect)>,
    /// Numbers of rows by how they are drawn.
    pub counts: Counts,
    /// True if the points are drawn as a density image.
    pub dense: bool,
    /// Boxes of the labels, so that numbers keep off them.
    placer: Placer,
}

impl RooflinePicture {
    /// Visible part of the axes.
    pub fn camera(&self) -> Camera {
        Camera { plot: self.plot, home: self.home, first: self.first }
    }
}

/// Draws the roofline.
pub fn roofline(input: &RooflineInput<'_>) -> RooflinePicture {
    let mut scene = Scene::new(input.theme, (input.width, input.height), "Roofline");
    let survey = Survey::of(input);
    let roofs = match input.share {
        true => Vec::new(),
        false => roofs::collect(input, &survey.usage),
    };
    let (home, first) = extent::ranges(input, &survey, &roofs);
    // Ignore a zoom that was made for the other kind of Y axis: shares end at a few, rates begin at millions.
    let zoom = input.zoom.filter(|(_, y)| input.share == (y.1 < 1e3) && (input.share || y.0 > 0.0));
    let plot = axes(&mut scene, input, &survey, zoom.unwrap_or(first));
    let rect = plot.rect;
    let mut counts = survey.counts;
    marks::count_view(input, &plot, &mut counts, zoom.is_none() && first == home);
    let dense = counts.in_view > input.density_above as u64;
    let placer = Placer::new([rect[0] + 2.0, rect[1] + 2.0, rect[2] - 4.0, rect[3] - 4.0]);
    let mut layers = Layers { scene, placer, input, plot };
    layers.data(&roofs, dense, &counts);
    layers.block(&counts);
    for p in &input.extras.planned {
        layers.placer.block(planned::planned_box(layers.px(p.ai, p.rate)));
    }
    if let Some([from, to]) = layers.arrow() {
        layers.placer.block_line(from, to);
    }
    let roof_labels = layers.roof_labels(&roofs);
    layers.published_label();
    layers.planned_labels();
    layers.waymark_labels();
    let placer = layers.placer.clone();
    let _ = layers.numbers();

    let mut scene = layers.scene;
    if let Some(sentence) = why_empty(input, &counts) {
        layout::message(&mut scene, rect, sentence);
    }
    describe(&mut scene, input, &counts, &roofs);
    let legend = legend::legend(input, &survey.by_code, &counts);
    RooflinePicture { scene, plot, home, first, legend, roofs, roof_labels, counts, dense, placer }
}

/// Drawing context of the layers of a roofline.
struct Layers<'a> {
    scene: Scene,
    /// Keeps labels off each other, lines and marks.
    placer: Placer,
    input: &'a RooflineInput<'a>,
    plot: Plot,
}

impl Layers<'_> {
    fn px(&self, ai: f64, rate: f64) -> Point {
        (self.plot.x.px(ai), self.plot.y.px(rate))
    }

    /// Draws the content of the plot: points under roofs, or a density image with the roofs over it.
    fn data(&mut self, roofs: &[RoofLine], dense: bool, counts: &Counts) {
        let (theme, rect) = (self.input.theme, self.plot.rect);
        self.scene.items.push(Item::Clip { rect });
        if self.input.share {
            let y = self.plot.y.px(1.0);
            self.scene.line(vec![(rect[0], y), (rect[0] + rect[2], y)], theme.roof, 1.5);
        }
        self.published();
        if dense {
            self.density();
            self.few_links();
            self.roofs(roofs);
        } else {
            self.roofs(roofs);
            self.background();
            self.few_links();
            self.measured(counts);
            self.marks(&self.input.frame.rows, counts);
        }
        self.planned();
        self.scene.items.push(Item::Unclip);
    }
}

/// Draws the axes.
fn axes(
    scene: &mut Scene,
    input: &RooflineInput<'_>,
    survey: &Survey,
    (x_domain, y_domain): Zoom,
) -> Plot {
    let (theme, narrow) = (input.theme, input.narrow());
    let y_format = match (input.share, narrow) {
        (true, _) => Format::percent(),
        (false, true) => Format::rate().bare(),
        (false, false) => Format::rate(),
    };
    let open = MemoryLevel::ALL
        .into_iter()
        .any(|l| input.shows(l) && survey.counts.measured[l as usize] > 0);
    let both = open && survey.counts.passing <= input.density_above as u64;
    let x_title = match (input.ai.level(), narrow, both) {
        (Some(level), ..) => &format!("AI, FLOP per {} byte (log)", level.label()),
        (_, true, _) => "Arithmetic intensity, FLOP/byte (log)",
        (_, false, false) => "Arithmetic intensity, FLOP per compulsory byte (log)",
        (_, false, true) => {
            "Arithmetic intensity, FLOP/byte (log): filled compulsory, open measured"
        }
    };
    let measured = survey.counts.passing > survey.counts.attainable + survey.counts.nowhere;
    let y_title = match measured || input.extras.stated() > 0 {
        _ if input.of_reference => "% of what others reach",
        _ if input.share => "% of roof",
        true => "Attained, FLOP/s (log)",
        // Nothing was measured: every mark is on its roof.
        false => "Attainable, FLOP/s (log)",
    };
    let each = if narrow { 56.0 } else { 74.0 };
    let x_marks = round(Format::plain(""), each, (2, 12));
    let along_y = round(y_format, 42.0, (2, 12));
    let x = Ruler::new(x_title, (ScaleKind::Log, x_domain), x_marks);
    let y_marks: Marks<'_> = Box::new(|scale, px| along_y(scale, px - 70.0));
    let y = Ruler::new(y_title, (input.y_kind(), y_domain), y_marks);
    let around = Around { right: if narrow { 8.0 } else { 12.0 }, ..Around::USUAL };
    let whole = [0.0, 0.0, scene.width, scene.height];
    scene.fill(whole, theme.background);
    xy(scene, (whole, around), &x, &y)
}

/// The hit-test grid of the points of a roofline drawn with `plot`.
pub fn hit_grid(input: &RooflineInput<'_>, plot: &Plot) -> HitGrid {
    HitGrid::build(plot.rect, &mut |found| {
        marks::each_visible(input, plot, |row, x, y, _| found(row, x, y));
    })
}

/// As [`hit_grid`], for the open marks at measured bytes; empty if they are not shown.
pub fn open_grid(input: &RooflineInput<'_>, plot: &Plot) -> HitGrid {
    HitGrid::build(plot.rect, &mut |found| {
        for level in MemoryLevel::ALL {
            marks::each_open(input, plot, level, |row, _, to| {
                found(row, to.0 as f32, to.1 as f32);
            });
        }
    })
}

fn why_empty(input: &RooflineInput<'_>, counts: &Counts) -> Option<&'static str> {
    if counts.in_view > 0 || !input.extras.planned.is_empty() {
        return None;
    }
    let why = input.extras.empty.or_else(|| nothing(input.frame));
    if why.is_some() {
        return why;
    }
    Some(if counts.nowhere == counts.passing {
        words::NO_TIME
    } else if counts.outside > 0 {
        words::OUTSIDE
    } else {
        words::HIDDEN
    })
}

fn describe(scene: &mut Scene, input: &RooflineInput<'_>, counts: &Counts, roofs: &[RoofLine]) {
    let mut devices: Vec<&str> = roofs.iter().map(|r| r.device.as_str()).collect();
    devices.sort();
    devices.dedup();
    let stated = input.extras.stated();
    let planned = input.extras.planned.len() as u64 - stated;
    let y = match (input.of_reference, input.share) {
        (true, _) => words::Vertical::OfOthers,
        (_, true) => words::Vertical::OfRoof,
        _ => words::Vertical::Rate,
    };
    scene.title = words::title(counts.passing, (planned, stated), &devices, y);
    let mut notes: Vec<String> = roofs.iter().map(|r| format!("{}.", r.sentence())).collect();
    if !input.color_scale.label.is_empty() {
        notes.push(words::colour(&input.color_scale.label));
    }
    if !input.share && !published::tables(input).is_empty() {
        notes.push(words::SHADED.to_owned());
    }
    let shown = MemoryLevel::ALL.into_iter().filter(|l| input.shows(*l));
    notes.extend(words::marks(&PointCounts {
        above_roof: counts.above_roof,
        no_roof: counts.no_roof,
        attainable: counts.attainable,
        nowhere: counts.nowhere,
        measured: shown.map(|l| counts.measured[l as usize]).max().unwrap_or(0),
        outside: counts.outside,
    }));
    scene.description = notes.join(" ");
}
