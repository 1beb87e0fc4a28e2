//! Published times of GEMMs: what others reach on a device.
//!
//! A [`ReferenceTable`] holds the times that somebody measured of one device and precision, and says what a GEMM takes by
//! its neighbours. [`listed`] are the tables there are, with source and licence; their data are files of
//! `public/reference`, which the page fetches and the command carries. `scripts/gen_reference.mjs` writes them.
//!
//! A time is of one of two [`ReferenceKind`]s: a layer of a framework in a CUDA graph, or a kernel in a tuner's warm loop.

use crate::gemm::{Operation, Problem};
use crate::hardware::{Device, RoofKind, by_id};
use serde::Serialize;
use std::sync::{Arc, LazyLock};

pub mod calibration;
mod packed;
mod precision;
mod table;

pub use precision::Precision;
pub use table::{BandAt, ReferenceTable, ReferenceTime, Standing};

crate::named! {
/// What a published time is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ReferenceKind {
    /// One linear layer of a framework.
    Layer = "layer", "a layer in a CUDA graph, with the quantisation of its activations where the type has one";
    /// One kernel.
    Kernel = "kernel", "a kernel in a tuner's loop, with warm caches";
}
/// Both.
pub const ALL;
/// Its key in JSON.
pub fn key -> &'static str;
/// What its time holds.
pub fn meaning -> &'static str;
}

/// A table of published times, without its data.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ReferenceSource {
    /// Id of the device in the catalogue.
    pub device: String,
    /// Precision of all its GEMMs.
    pub precision: Precision,
    /// Repository that published it.
    pub source: String,
    /// Day of the copy, year first.
    pub date: String,
    /// SPDX identifier.
    pub licence: String,
    /// What its times are of.
    pub kind: ReferenceKind,
    /// Who ran them, with version: of each shape the fastest counts.
    pub by: Vec<String>,
    /// Number of shapes.
    pub rows: u32,
    /// Bytes of its file.
    pub bytes: u32,
    /// Error of its answers as a factor: the geometric mean over shapes that were left out.
    pub error: f64,
    /// The factor within which nine of ten such answers are.
    pub p90: f64,
}

impl ReferenceSource {
    /// The table that an object of `tables.json` is about; `None` if it lacks something.
    fn of(object: &serde_json::Value) -> Option<ReferenceSource> {
        let text = |key: &str| object[key].as_str().map(str::to_owned);
        let count = |key: &str| Some(object[key].as_u64()? as u32);
        let of_kind = |kind: &ReferenceKind| object["kind"] == kind.key();
        Some(ReferenceSource {
            device: text("device")?,
            precision: Precision::parse(object["precision"].as_str()?)?,
            source: text("source")?,
            date: text("date")?,
            licence: text("licence")?,
            kind: ReferenceKind::ALL.into_iter().find(of_kind)?,
            by: object["by"]
                .as_array()?
                .iter()
                .filter_map(|by| Some(by.as_str()?.to_owned()))
                .collect(),
            rows: count("rows")?,
            bytes: count("bytes")?,
            error: object["error"].as_f64()?,
            p90: object["p90"].as_f64()?,
        })
    }

    /// Name of its file in `public/reference`.
    pub fn file(&self) -> String {
        format!("{}-{}.bin", self.device, self.precision.key())
    }
}

/// Every table there is, by device.
pub fn listed() -> &'static [ReferenceSource] {
    static LISTED: LazyLock<Vec<ReferenceSource>> = LazyLock::new(|| {
        let text = include_str!("../../../public/reference/tables.json");
        let all: Vec<serde_json::Value> = serde_json::from_str(text).unwrap_or_default();
        all.iter().filter_map(ReferenceSource::of).collect()
    });
    &LISTED
}

/// The tables that say something of these operations on these devices.
pub fn wanted<'a>(
    devices: impl Iterator<Item = &'a Device>,
    ops: &[Operation],
) -> Vec<&'static ReferenceSource> {
    let ids: Vec<&str> = devices.map(|d| d.id.as_str()).collect();
    let precisions: Vec<Precision> = ops.iter().flat_map(Precision::of).copied().collect();
    let says = |s: &&ReferenceSource| {
        ids.contains(&s.device.as_str()) && precisions.contains(&s.precision)
    };
    listed().iter().filter(says).collect()
}

/// The tables at hand of one device.
#[derive(Clone, Debug, Default)]
pub struct References(Vec<Arc<ReferenceTable>>);

impl PartialEq for References {
    fn eq(&self, other: &Self) -> bool {
        let same = |(a, b): (&Arc<ReferenceTable>, &Arc<ReferenceTable>)| Arc::ptr_eq(a, b);
        self.0.len() == other.0.len() && self.0.iter().zip(&other.0).all(same)
    }
}

impl References {
    /// No table.
    pub const NONE: References = References(Vec::new());

    /// The tables of a device among these.
    pub fn of(device: &str, tables: &[Arc<ReferenceTable>]) -> References {
        References(tables.iter().filter(|t| t.source().device == device).cloned().collect())
    }

    /// All of them.
    pub fn tables(&self) -> &[Arc<ReferenceTable>] {
        &self.0
    }

    /// The table of a precision.
    pub fn table(&self, precision: Precision) -> Option<&Arc<ReferenceTable>> {
        self.0.iter().find(|t| t.source().precision == precision)
    }

    /// What others reach for a problem, with rows of C contiguous along N (row-major); `None` where nothing is published
    /// near it.
    pub fn time(&self, problem: &Problem) -> Option<ReferenceTime> {
        // The activations, M x K, are contiguous along K in every table.
        if problem.batch != 1 || problem.op.trans_a || self.0.is_empty() {
            return None;
        }
        let tables = Precision::of(&problem.op).iter().filter_map(|p| self.table(*p));
        tables.into_iter().find_map(|table| table.time(problem))
    }
}

/// Devices with the tables that are at hand: the user's own, and those of the catalogue that have one.
pub fn with_tables(own: &[Device], tables: &[Arc<ReferenceTable>]) -> Vec<Device> {
    let mut out = own.to_vec();
    for table in tables {
        let id = &table.source().device;
        if out.iter().all(|d| d.id != *id) {
            out.extend(by_id(id).cloned());
        }
    }
    for device in &mut out {
        device.references = References::of(&device.id, tables);
    }
    out
}

/// The roof that times of a table are scaled by: the datasheet's; where the device has no peak for the type, as where
/// weights are unpacked to it, that of bf16.
fn roof(source: &ReferenceSource) -> Option<crate::roofline::Roof> {
    let device = by_id(&source.device)?;
    let of = |dtype| device.roof(dtype, RoofKind::Datasheet);
    of(source.precision.operation().compute).or_else(|| of(crate::dtype::DataType::Bf16))
}

#[cfg(test)]
mod tests;
