//! Rows side by side with their roofs, each with a sentence that explains why a compute-bound kernel uses little
//! bandwidth.

use crate::explain::{bound_name, share_of_roof};
use gemmscope_analysis::figures::{Figures, figures};
use gemmscope_analysis::names::{name_of, roof_name};
use gemmscope_analysis::tile_roof::LATENCY;
use gemmscope_model::roofline::Bound;
use gemmscope_model::units::{BytesPerSec, FlopsPerSec, Seconds, percent, signed_percent};
use gemmscope_table::field::Frame;
use gemmscope_table::metrics::ABOVE_ROOF;
use gemmscope_table::result_table::ResultTable;

/// A sentence that explains the bandwidth use.
fn why(x: &Figures<'_>) -> String {
    let (Some(roof), Some(bound)) = (x.roof, x.bound) else {
        return "The device or its peak for this type is not known: choose the device to see \
                what limits the row."
            .to_owned();
    };
    if x.rate.is_nan() {
        return format!(
            "Not measured. At its roof, this GEMM would be limited by {}.",
            limit(bound)
        );
    }
    let needed = roof.at(x.ai) / x.ai;
    let at_roof = needed / roof.bandwidth_bytes_per_s;
    if x.share > ABOVE_ROOF {
        return format!(
            "{} of the {}: above it. Either the operands stayed in a cache, or the device, a \
             unit or the shape is not what the file says.",
            percent(x.share),
            roof_name(x.kind)
        );
    }
    match bound {
        Bound::Compute => format!(
            "Compute-bound: each byte is used for {} operations, so even at the roof of {} \
             only {} of memory traffic is needed, {} of the bandwidth. {} is low because \
             operands are reused from caches, shared memory and registers, not because memory \
             is slow; what is missing is compute.",
            whole(x.ai),
            FlopsPerSec(roof.at(x.ai)),
            BytesPerSec(needed),
            percent(at_roof),
            percent(x.bandwidth_use)
        ),
        Bound::Memory if x.share < LATENCY => format!(
            "Left of the ridge, but not limited by memory: its traffic explains {} of the call. \
             Launch, latency or the kernel weigh more.",
            percent(x.share)
        ),
        Bound::Memory => format!(
            "Memory-bound: with {} operations a byte the bandwidth is used up before the \
             compute units are. Bandwidth use and efficiency are the same figure here, {}; \
             what is missing is bandwidth, and the {} of peak cannot be reached at this \
             intensity.",
            whole(x.ai),
            percent(x.share),
            FlopsPerSec(roof.peak_flops_per_s)
        ),
        Bound::Launch => format!(
            "Launch-bound: the roof needs {} of this call of {}, and starting a kernel and \
             filling the device takes most of the rest.",
            Seconds(x.share * x.time_s),
            Seconds(x.time_s)
        ),
        Bound::NearRidge => format!(
            "Near the ridge ({} operations a byte, the ridge is at {}): memory and compute \
             limit it about equally, at the roof {} of the bandwidth would be in use.",
            whole(x.ai),
            whole(roof.ridge()),
            percent(at_roof)
        ),
    }
}

fn limit(bound: Bound) -> &'static str {
    match bound {
        Bound::NearRidge => "memory and compute about equally",
        other => bound_name(other),
    }
}

fn whole(v: f64) -> String {
    if v >= 100.0 { format!("{v:.0}") } else { gemmscope_model::units::format_significant(v, 3) }
}

/// Maximum number of rows side by side; a table of rows suits more.
pub const MOST: usize = 12;

/// Rows side by side as one table, a column for each of the first [`MOST`], with the lines and order of the usual
/// analysis of two kernels; the last line explains the bandwidth use. Rows beyond the end of the data are left out.
pub fn side_by_side(frame: &Frame, rows: &[u32]) -> ResultTable {
    let known = rows.iter().map(|r| *r as usize).filter(|r| *r < frame.data.len());
    let cards: Vec<Figures<'_>> = known.take(MOST).map(|r| figures(frame, r)).collect();
    let Some(first) = cards.first() else {
        return ResultTable::default();
    };
    let mut header = vec!["Metric".to_owned()];
    header.extend(cards.iter().map(|c| match name_of(frame, c.row) {
        name if name.is_empty() => c.problem.to_string(),
        name => name,
    }));
    let known = |v: f64, text: String| if v.is_nan() { String::new() } else { text };
    type Write<'a> = &'a dyn Fn(&Figures<'_>) -> String;
    let lines: [(&str, Write<'_>); 10] = [
        ("GEMM", &|c| c.problem.to_string()),
        ("Device", &|c| c.device.map_or_else(String::new, |d| d.name.clone())),
        ("Time of one call", &|c| known(c.time_s, Seconds(c.time_s).to_string())),
        ("Arithmetic intensity", &|c| known(c.ai, fixed(c.ai, 1.0, "FLOP/B"))),
        ("Actual bandwidth", &|c| known(c.bandwidth, fixed(c.bandwidth, 1e9, "GB/s"))),
        ("Bandwidth utilisation", &|c| known(c.bandwidth_use, percent(c.bandwidth_use))),
        ("Attained", &|c| {
            let rate = known(c.rate, fixed(c.rate, 1e12, "TFLOP/s"));
            format!("{rate}{}", against(first, c))
        }),
        ("% of roof", &|c| known(c.share, share_of_roof(c.share, c.kind))),
        ("Limited by", &|c| c.bound.map_or("", limit).to_owned()),
        ("Why", &|c| why(c)),
    ];
    let line = |(label, write): &(&str, Write<'_>)| {
        std::iter::once((*label).to_owned()).chain(cards.iter().map(write)).collect()
    };
    ResultTable { header, rows: lines.iter().map(line).collect() }
}

/// Difference of a rate to the first one's of the same GEMM: ` (+2.8 %)`; "" otherwise.
fn against(first: &Figures<'_>, c: &Figures<'_>) -> String {
    let gain = c.rate / first.rate - 1.0;
    match c.row != first.row && c.problem == first.problem && gain.is_finite() {
        true => format!(" ({})", signed_percent(gain)),
        false => String::new(),
    }
}

/// Two decimals in the same unit on all cards, so that columns are easy to compare.
fn fixed(v: f64, unit: f64, name: &str) -> String {
    format!("{:.2} {name}", v / unit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use gemmscope_model::hardware::{self, RoofKind};
    use gemmscope_table::dataset::ColumnMeaning;
    use gemmscope_table::fixture::Rows;
    use gemmscope_table::metrics::Metrics;
    use std::sync::Arc;

    fn seed() -> Frame {
        let mut t = Rows::new();
        let kernel = t.table().text_column(ColumnMeaning::Kernel, "kernel");
        let work = 2.0 * 4096f64.powi(3);
        for (name, tflops) in [("PyTorch", 199.13), ("Triton fused", 204.71)] {
            t.table().set_text(kernel, name.as_bytes());
            t.row((4096, 4096, 4096), "", work / (tflops * 1e12), "");
        }
        t.table().set_text(kernel, b"decode");
        t.row((1, 4096, 4096), "", 40e-6, "");
        t.row((4096, 4096, 4096), "", 1e-6, "");
        t.row((4096, 4096, 4096), "", f64::NAN, "");
        t.row((250, 700, 1500), "", 1e-4, "");
        let mut frame = t.frame(None);
        // The bandwidth of the run on record; the datasheets say 1935 and 2039 GB/s.
        let mut device = hardware::by_id("a100-80-pcie").unwrap().clone();
        device.bandwidth_bytes_per_s = 1939e9;
        let metrics = Metrics::compute(&frame.data, vec![Some(device)], RoofKind::Datasheet);
        frame.metrics = Arc::new(metrics);
        frame
    }

    #[test]
    fn the_table_of_the_seed() {
        let frame = seed();
        let t = side_by_side(&frame, &[0, 1, 99]);
        assert_eq!(t.header, ["Metric", "PyTorch", "Triton fused"]);
        let line = |label: &str| {
            let row = t.rows.iter().find(|r| r[0].starts_with(label)).unwrap();
            (row[1].as_str(), row[2].as_str())
        };
        assert!(line("Why").0.starts_with("Compute-bound"));
        assert_eq!(line("Attained"), ("199.13 TFLOP/s", "204.71 TFLOP/s (+2.8 %)"));
        assert_eq!(line("Actual bandwidth"), ("145.85 GB/s", "149.93 GB/s"));
        assert_eq!(line("Bandwidth util"), ("7.5 %", "7.7 %"));
        assert_eq!(line("% of "), ("63.8 % (datasheet)", "65.6 % (datasheet)"));
        assert_eq!(line("Limited by"), ("compute", "compute"));
        assert_eq!(line("Arithmetic intensity"), ("1365.33 FLOP/B", "1365.33 FLOP/B"));
        // At the roof 312 TFLOP/s / 1365.33 FLOP/B = 228.5 GB/s, 11.8 % of 1939.
        let words = why(&figures(&frame, 0));
        for part in ["Compute-bound", "1365 operations", "229 GB/s", "11.8 %", "7.5 %"] {
            assert!(words.contains(part), "{words}");
        }
    }

    #[test]
    fn the_other_kinds_of_rows() {
        let frame = seed();
        let all = [2, 3, 4, 5].map(|row| figures(&frame, row));
        assert!(why(&all[0]).starts_with("Memory-bound"));
        assert!((all[0].bandwidth_use - all[0].share).abs() < 1e-12);
        assert!(why(&all[1]).contains("above it"));
        assert!(why(&all[2]).starts_with("Not measured"));
        assert!(why(&all[3]).starts_with("Near the ridge"), "{}", why(&all[3]));
        let mut t = Rows::new();
        t.row((8, 8, 8), "x", 1e-6, "");
        let one = t.frame(None);
        assert!(why(&figures(&one, 0)).contains("choose the device"));
        let table = side_by_side(&one, &[0]);
        assert!(table.rows.iter().all(|r| r.len() == 2));
        assert_eq!(side_by_side(&frame, &[]), ResultTable::default());
    }
}
