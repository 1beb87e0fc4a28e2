//! Figures of one row, as shown by dock, tooltip, list, report and check.

use gemmscope_model::gemm::Problem;
use gemmscope_model::hardware::{Device, RoofKind};
use gemmscope_model::reference::ReferenceTime;
use gemmscope_model::roofline::{Bound, Roof};
use gemmscope_table::field::Frame;

/// Figures of one row. NaN if one cannot be computed.
#[derive(Clone, Debug, PartialEq)]
pub struct Figures<'a> {
    /// Dataset row.
    pub row: usize,
    /// Sizes, types, layout.
    pub problem: Problem,
    /// The device whose roof applies, if known.
    pub device: Option<&'a Device>,
    /// Time of one call, seconds.
    pub time_s: f64,
    /// Calls that the row stands for.
    pub calls: f64,
    /// Work of one call, FLOP.
    pub work: f64,
    /// Compulsory bytes of one call.
    pub bytes: f64,
    /// Work / compulsory bytes, FLOP/byte.
    pub ai: f64,
    /// Work / time, FLOP/s.
    pub rate: f64,
    /// Compulsory bytes / time, byte/s.
    pub bandwidth: f64,
    /// `bandwidth` / bandwidth of the roof.
    pub bandwidth_use: f64,
    /// The roof, if the device and its peak are known.
    pub roof: Option<Roof>,
    /// Kind of the roof.
    pub kind: RoofKind,
    /// Roofline time of one call, seconds.
    pub roof_s: f64,
    /// Efficiency: roof time / time.
    pub share: f64,
    /// What limits the row: its launch, else its limit at the roof.
    pub bound: Option<Bound>,
    /// Lost time of all calls, max(0, time - roof time), seconds.
    pub lost_s: f64,
    /// Reference time of others, if published and loaded.
    pub reference: Option<ReferenceTime>,
}

/// The figures of a row.
pub fn figures(frame: &Frame, row: usize) -> Figures<'_> {
    let (data, metrics) = (&*frame.data, &*frame.metrics);
    let (work, bytes) = (metrics.work(data, row), metrics.bytes(data, row));
    let (time_s, roof_s, calls) = (data.time_s[row], metrics.roof_s[row], frame.calls(row));
    let roof = metrics.roof(data, row);
    let bandwidth = bytes / time_s;
    let over_s = time_s - roof_s;
    Figures {
        row,
        problem: data.problem(row),
        device: metrics.devices.get(usize::from(data.device[row])).and_then(Option::as_ref),
        time_s,
        calls,
        work,
        bytes,
        ai: metrics.ai[row],
        rate: work / time_s,
        bandwidth,
        bandwidth_use: roof.map_or(f64::NAN, |r| bandwidth / r.bandwidth_bytes_per_s),
        roof,
        kind: metrics.kind_of(data, row),
        roof_s,
        share: roof_s / time_s,
        bound: metrics.bound(data, row),
        // `f64::max` would turn a NaN into 0.
        lost_s: if over_s < 0.0 { 0.0 } else { over_s * calls },
        reference: metrics.reference(data, row),
    }
}
