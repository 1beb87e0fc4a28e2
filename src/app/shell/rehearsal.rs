//! Runs what every file runs through over made-up rows, while the page is idle. A browser first
//! compiles wasm without optimising it, optimises what has run for a while, and uses the optimised
//! code from the next call on. Without this the first large file would meet the slow code.

use gemmscope_chart::color_scale::ColorScale;
use gemmscope_chart::palette::Theme;
use gemmscope_chart::roofline::{Points, RooflineInput, roofline};
use gemmscope_model::dtype::DataType;
use gemmscope_model::gemm::Operation;
use gemmscope_model::hardware::RoofKind;
use gemmscope_table::dataset::Dataset;
use gemmscope_table::field::{Field, Frame};
use gemmscope_table::filter::{Filters, Mask};
use gemmscope_table::metrics::{DeviceChoice, Metrics, Totals};
use std::sync::Arc;

/// Rows of a step, so that it takes some milliseconds.
const ROWS: u32 = 8192;
/// Steps after which all of it is optimised, with some to spare.
const STEPS: u32 = 16;

/// Does a step at every call; false after the last.
pub fn steps() -> impl FnMut() -> bool {
    let data = Arc::new(rows());
    let devices = DeviceChoice { default: Some("h100-sxm".to_owned()), ..DeviceChoice::default() }
        .resolve(&data, &[]);
    let theme = Theme::of(false);
    let mut done = 0;
    move || {
        let metrics = Metrics::compute(&data, devices.clone(), RoofKind::Datasheet);
        let points = Points::new(&data, &metrics);
        let whole = Frame::all(data.clone(), Arc::new(metrics));
        let mut mask = Mask::default();
        let mut filters = Filters::default();
        filters.toggle(&Field::Dtype, "bf16");
        let _ = mask.update(&filters, &whole);
        let frame = whole.with_rows(Arc::new(mask.passing()));
        let _ = Totals::of(&frame);
        for field in [Field::Batch, Field::Bound, Field::Dtype] {
            let _ = mask.counts(&field, &whole);
        }
        if let Some(info) = whole.info(&Field::Dtype) {
            let color_scale = ColorScale::by(&whole, &info, &theme);
            let _ = roofline(&RooflineInput {
                density_above: 0,
                ..RooflineInput::new(&whole, &points, &color_scale, &theme, (400.0, 300.0))
            });
        }
        done += 1;
        done < STEPS
    }
}

fn rows() -> Dataset {
    let mut data = Dataset::new();
    data.ops = vec![
        Operation::uniform(DataType::Bf16),
        Operation::uniform(DataType::Fp32).with_layout(false, true),
    ];
    let mut seed = 1u32;
    for i in 0..ROWS {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        data.m.push((seed >> 20) + 1);
        data.n.push((seed >> 10 & 4095) + 1);
        data.k.push((seed & 4095) + 1);
        data.batch.push(1);
        data.op.push((seed >> 31) as u16);
        data.device.push(0);
        data.time_s.push(f64::from((seed >> 16) + 1) * 1e-6);
        data.source.push(0);
        data.line.push(i + 1);
    }
    data
}
