//! Inputs of a roofline.

use super::{AiAxis, Planned, Points, RoofLine, Roofs, Waymark};
use crate::camera::Zoom;
use crate::charts::roof_rate;
use crate::color_scale::ColorScale;
use crate::density::Density;
use crate::layout::NARROW;
use crate::palette::Theme;
use crate::scale::ScaleKind;
use gemmscope_model::hardware::MemoryLevel;
use gemmscope_model::reference::References;
use gemmscope_table::field::Frame;

/// Additions to the rows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Extras {
    /// Points that are not rows: planned ones, and measurements without sizes.
    pub planned: Vec<Planned>,
    /// Named places on their trails, the most important first.
    pub waymarks: Vec<Waymark>,
    /// Roofs in addition to those of the rows.
    pub roofs: Vec<RoofLine>,
    /// An arrow between two positions (intensity, rate): before and after.
    pub arrow: Option<[(f64, f64); 2]>,
    /// Published times whose band is drawn beside those of the rows' devices.
    pub published: References,
    /// Message of a picture without marks, where its subject is not the rows.
    pub empty: Option<&'static str>,
}

impl Extras {
    const NONE: &'static Extras = &Extras {
        planned: Vec::new(),
        waymarks: Vec::new(),
        roofs: Vec::new(),
        arrow: None,
        published: References::NONE,
        empty: None,
    };

    /// Number of measurements without sizes.
    pub(super) fn stated(&self) -> u64 {
        self.planned.iter().filter(|p| p.measured).count() as u64
    }
}

/// Everything a roofline is drawn from.
#[derive(Clone, Copy)]
pub struct RooflineInput<'a> {
    /// Data, figures, passing rows.
    pub frame: &'a Frame,
    /// Positions of all rows, from the same frame.
    pub points: &'a Points,
    /// Colours of all rows.
    pub color_scale: &'a ColorScale,
    /// Colour codes that are switched off; may be shorter than the palette.
    pub hidden: &'a [bool],
    /// Width in CSS pixels.
    pub width: f64,
    /// Height in CSS pixels.
    pub height: f64,
    /// Device pixels per CSS pixel, for the density image.
    pub dpr: f64,
    /// Colours of the page.
    pub theme: &'a Theme,
    /// The zoom; `None` fits the data and its roofs.
    pub zoom: Option<Zoom>,
    /// Rows that get a number, in order: the selected or the most expensive ones.
    pub numbered: &'a [u32],
    /// More visible points than this become a density image.
    pub density_above: usize,
    /// Rows with measured bytes show a second, open mark at that intensity.
    pub measured: bool,
    /// Bytes that the intensity of `points` is computed from.
    pub ai: AiAxis,
    /// A row's own lower ceiling (the roof of its tile), FLOP/s; NaN if it has none.
    pub own_ceiling: Option<&'a dyn Fn(usize) -> f64>,
    /// What is drawn in addition to the rows.
    pub extras: &'a Extras,
    /// Which roofs of the rows' devices to draw.
    pub roof_types: Roofs,
    /// Rows drawn in the background, in addition to those of the frame.
    pub background: &'a [u32],
    /// Pairs of rows with an arrow between them.
    pub links: &'a [(u32, u32)],
    /// The vertical axis of `points` is a share (of the roof, or of what others reach), not a rate.
    pub share: bool,
    /// The share is of what others reach.
    pub of_reference: bool,
}

impl<'a> RooflineInput<'a> {
    /// A roofline with only its points.
    pub fn new(
        frame: &'a Frame,
        points: &'a Points,
        color_scale: &'a ColorScale,
        theme: &'a Theme,
        size: (f64, f64),
    ) -> Self {
        RooflineInput {
            frame,
            points,
            color_scale,
            hidden: &[],
            width: size.0,
            height: size.1,
            dpr: 1.0,
            theme,
            zoom: None,
            numbered: &[],
            density_above: Density::ABOVE,
            measured: true,
            ai: AiAxis::Compulsory,
            own_ceiling: None,
            extras: Extras::NONE,
            roof_types: Roofs::OfRows,
            background: &[],
            links: &[],
            share: false,
            of_reference: false,
        }
    }

    /// The scale of the vertical axis.
    pub(super) fn y_kind(&self) -> ScaleKind {
        if self.share { ScaleKind::Linear } else { ScaleKind::Log }
    }

    /// Position of a row's rate on the vertical axis.
    pub(super) fn y_of(&self, row: u32, rate: f64) -> f64 {
        let (frame, r) = (self.frame, row as usize);
        match (self.share, self.of_reference) {
            (false, _) => rate,
            (true, false) => rate / roof_rate(frame, r),
            (true, true) => {
                rate * frame.metrics.reference_s(r) / frame.metrics.work(&frame.data, r)
            }
        }
    }

    pub(super) fn narrow(&self) -> bool {
        self.width < NARROW
    }

    /// True if rows have an open mark at the bytes counted at this memory level.
    pub(super) fn shows(&self, level: MemoryLevel) -> bool {
        match self.ai {
            AiAxis::Compulsory => self.measured && level == MemoryLevel::Main,
            AiAxis::At(_) => false,
            AiAxis::All => true,
        }
    }

    pub(super) fn is_hidden(&self, code: u16) -> bool {
        self.hidden.get(usize::from(code)) == Some(&true)
    }
}
