//! Figures of a table that is still being read, computed as its rows arrive, so that the picture only waits for those
//! of the last rows.

use crate::app::state::Workbench;
use gemmscope_chart::roofline::Points;
use gemmscope_model::hardware::{Device, RoofKind};
use gemmscope_table::data_kind::TableSample;
use gemmscope_table::dataset::Dataset;
use gemmscope_table::metrics::Metrics;
use leptos::prelude::*;

/// With more devices than this, looking each up again for every part would be quadratic, so the figures wait for the
/// finished table.
const MOST_DEVICES: usize = 500;

/// Metrics and positions of the rows so far, and a sample of them to decide the kind of data.
#[derive(Default)]
pub struct IncomingFigures {
    metrics: Metrics,
    points: Points,
    devices: Vec<Option<Device>>,
    sample: TableSample,
    /// Number of rows seen.
    rows: usize,
    /// The figures of the rows so far would differ from those of the finished table.
    off: bool,
}

impl IncomingFigures {
    /// Computes the new rows. Fewer rows than before mean that the file is read again.
    pub fn follow(&mut self, bench: &Workbench, data: &Dataset) {
        if data.len() < self.rows {
            *self = IncomingFigures::default();
        }
        self.rows = data.len();
        self.sample.extend(data);
        let kind = bench.view.with_untracked(|v| v.roof);
        self.off |= !Metrics::can_grow(data, kind) || !Points::can_grow(data);
        self.off |= data.devices.len() > MOST_DEVICES;
        if self.off {
            return;
        }
        if self.devices.len() != data.devices.len() {
            let choice = bench.view.with_untracked(|v| v.devices.clone());
            let devices = bench.known_devices.with_untracked(|known| choice.resolve(data, known));
            if !devices.starts_with(&self.devices) {
                // With another device the earlier figures are invalid.
                *self = IncomingFigures {
                    sample: std::mem::take(&mut self.sample),
                    rows: self.rows,
                    ..IncomingFigures::default()
                };
            }
            if self.devices.is_empty() {
                self.metrics.kind = kind;
            }
            self.devices = devices;
        }
        self.metrics.extend(data, self.devices.clone());
        self.points.extend(data, &self.metrics);
    }

    /// The sample of the finished table's rows that decides the kind of data.
    pub fn sample(&mut self, data: &Dataset) -> TableSample {
        let mut sample = std::mem::take(&mut self.sample);
        sample.extend(data);
        sample
    }

    /// The figures of the finished table; `None` if it has other devices or another roof.
    pub fn of(
        mut self,
        data: &Dataset,
        devices: &[Option<Device>],
        kind: RoofKind,
    ) -> Option<(Metrics, Points)> {
        let fits = !self.off && self.metrics.are_of(devices, kind);
        if !fits || self.metrics.ai.is_empty() || !Metrics::can_grow(data, kind) {
            return None;
        }
        self.metrics.extend(data, self.devices);
        self.points.extend(data, &self.metrics);
        Some((self.metrics, self.points))
    }
}
