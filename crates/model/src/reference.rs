//! Published times of GEMMs: what others reach on a device.
//!
//! A [`ReferenceTable`] holds published times of one device and precision and estimates the time of a GEMM from its
//! nearest neighbours. [`listed`] returns all tables with source and licence; their data are files in
//! `public/reference`, written by `scripts/gen_reference.mjs`, which the page fetches and the command embeds.
//!
//! A time is of one of two [`ReferenceKind`]s: a framework's layer in a CUDA graph, or a kernel in a tuner's warm loop.

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
/// What was timed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ReferenceKind {
    /// One linear layer of a framework.
    Layer = "layer", "a layer in a CUDA graph, with the quantisation of its activations where the type has one";
    /// One kernel.
    Kernel = "kernel", "a kernel in a tuner's loop, with warm caches";
}
/// Both kinds.
pub const ALL;
/// Key in JSON.
pub fn key -> &'static str;
/// What the time includes.
pub fn meaning -> &'static str;
}

/// A table of published times, without its data.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ReferenceSource {
    /// Id of the device in the catalogue.
    pub device: String,
    /// Precision of its GEMMs.
    pub precision: Precision,
    /// Repository that published it.
    pub source: String,
    /// Date of the copy, as YYYY-MM-DD.
    pub date: String,
    /// SPDX identifier of the licence.
    pub licence: String,
    /// What was timed.
    pub kind: ReferenceKind,
    /// Software that was timed, with version: `TensorRT-LLM 1.0.0`. Each shape has the time of the fastest.
    pub by: Vec<String>,
    /// Number of shapes.
    pub rows: u32,
    /// Size of its file in bytes.
    pub bytes: u32,
    /// Error of its estimates as a factor: geometric mean over shapes estimated without themselves (leave-one-out).
    pub error: f64,
    /// 90th percentile of the same error, as a factor.
    pub p90: f64,
}

impl ReferenceSource {
    /// Reads an entry of `tables.json`; `None` if a field is missing.
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

    /// File name in `public/reference`.
    pub fn file(&self) -> String {
        format!("{}-{}.bin", self.device, self.precision.key())
    }
}

/// All tables, by device.
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

    /// All loaded tables.
    pub fn tables(&self) -> &[Arc<ReferenceTable>] {
        &self.0
    }

    /// The table of a precision, if loaded.
    pub fn table(&self, precision: Precision) -> Option<&Arc<ReferenceTable>> {
        self.0.iter().find(|t| t.source().precision == precision)
    }

    /// Time that others reach for a problem whose C is row-major (contiguous along N); `None` if nothing similar is
    /// published, for batches and for a transposed A.
    pub fn time(&self, problem: &Problem) -> Option<ReferenceTime> {
        // In every table the activations, M x K, are contiguous along K.
        if problem.batch != 1 || problem.op.trans_a || self.0.is_empty() {
            return None;
        }
        let tables = Precision::of(&problem.op).iter().filter_map(|p| self.table(*p));
        tables.into_iter().find_map(|table| table.time(problem))
    }
}

/// The user's own devices and those catalogue devices that have a loaded table, each with its tables.
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

/// Datasheet roof that a table's times are normalised by. bf16's if the device has no peak for the type, as for weights
/// that are unpacked to bf16.
fn roof(source: &ReferenceSource) -> Option<crate::roofline::Roof> {
    let device = by_id(&source.device)?;
    let of = |dtype| device.roof(dtype, RoofKind::Datasheet);
    of(source.precision.operation().compute).or_else(|| of(crate::dtype::DataType::Bf16))
}

#[cfg(test)]
mod tests;
