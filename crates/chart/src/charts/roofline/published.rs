//! What others reach at each intensity: a faint band behind the points, from the median to the 90th percentile.

use super::{Layers, RooflineInput};
use crate::labels::On;
use crate::palette::alpha;
use crate::scene::{Item, Point};
use gemmscope_model::reference::{Precision, ReferenceTable};
use gemmscope_words::charts::roofline::BAND;
use std::sync::Arc;

/// The tables of the devices and types of the rows, and those beside them.
pub(super) fn tables(input: &RooflineInput<'_>) -> Vec<Arc<ReferenceTable>> {
    let (data, metrics) = (&input.frame.data, &input.frame.metrics);
    let mut out: Vec<Arc<ReferenceTable>> = input.extras.published.tables().to_vec();
    for table in metrics.devices.iter().flatten().flat_map(|d| d.references.tables()) {
        let precision = table.source().precision;
        let of_rows = data.ops.iter().any(|op| Precision::of(op).contains(&precision));
        if of_rows && out.iter().all(|other| !Arc::ptr_eq(other, table)) {
            out.push(table.clone());
        }
    }
    out
}

impl Layers<'_> {
    /// Draws a band per table; none if the vertical axis is a share.
    pub(super) fn published(&mut self) {
        if self.input.share {
            return;
        }
        for table in tables(self.input) {
            let band = table.band();
            let over = band.iter().map(|at| self.px(at.intensity, at.p90));
            let under = band.iter().rev().map(|at| self.px(at.intensity, at.p50));
            let points: Vec<Point> = over.chain(under).collect();
            let fill = alpha(self.input.theme.accent, 0.12);
            self.scene.items.push(Item::Polygon { points, fill });
        }
    }

    /// Labels the bands, if there is room.
    pub(super) fn published_label(&mut self) {
        if self.input.share {
            return;
        }
        let tables = tables(self.input);
        let Some(band) = tables.first().map(|t| t.band()) else { return };
        let places: Vec<Point> = band.iter().map(|at| self.px(at.intensity, at.p50)).collect();
        let color = self.input.theme.muted;
        self.placer.label(&mut self.scene, (BAND, color), On::Lines, |w, h| {
            places.iter().rev().map(|at| [at.0 - w / 2.0, at.1 + h / 2.0, w, h]).collect::<Vec<_>>()
        });
    }
}
