//! Breakdown of the time of a trace, in sentences.

use crate::trust::slowed_by;
use gemmscope_analysis::names::short;
use gemmscope_analysis::trace_time::{TimePart, TraceTime};
use gemmscope_model::units::{percent, plural, seconds_brief};

/// Advice if attention runs as separate products.
pub const TRY_FUSED_ATTENTION: &str = "Try fused attention (torch.nn.functional.scaled_dot_product_attention, \
     FlashAttention): it never writes the matrix of scores.";

/// `Of 83.37 ms from end to end: idle 72.50 ms (87.0 %), GEMMs 784.8 µs (0.94 %).`
pub fn sentence(time: &TraceTime) -> String {
    let part = |p: &TimePart| {
        let share = percent(time.share(p));
        format!("{} {} ({share})", p.kind.label(), seconds_brief(p.time_s))
    };
    let parts: Vec<String> = time.parts.iter().map(part).collect();
    let (whole, parts) = (seconds_brief(time.whole_s), parts.join(", "));
    let of = if time.side.is_empty() { "Of" } else { ": of" };
    let mut out = vec![format!("{}{of} {whole} {}: {parts}.", time.side, time.whole)];
    out.extend(asides(time));
    out.join(" ")
}

/// Notes on the parts: how reliable idle time is, and unfused attention, whose time is spread over several parts.
pub fn asides(time: &TraceTime) -> Vec<String> {
    let slowed = (!time.slowed_by.is_empty()).then(|| slowed_by(&time.slowed_by));
    let attention = time.attention.as_ref().map(|a| {
        format!(
            "Attention, unfused: {} ({}) in {} of batched product, softmax, batched product. {}",
            seconds_brief(a.time_s),
            percent(a.time_s / time.whole_s),
            plural(a.calls, "run"),
            TRY_FUSED_ATTENTION
        )
    });
    slowed.into_iter().chain(attention).collect()
}

/// The largest kernels of a part with their times: `a (3.100 ms), b (1.200 ms)`; "" if none is known.
pub fn kernels(part: &TimePart) -> String {
    let one = |(name, s): &(String, f64)| format!("{} ({})", short(name), seconds_brief(*s));
    part.largest.iter().map(one).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use gemmscope_model::dtype::DataType;
    use gemmscope_model::gemm::Operation;
    use gemmscope_table::dataset::{ColumnMeaning, TraceContext, UnfusedAttention};
    use gemmscope_table::fixture::{Rows, frame};
    use gemmscope_table::trace::{PART_COLUMN, UNFUSED_ATTENTION};

    #[test]
    fn unfused_attention_and_a_slow_recording_are_said() {
        let mut t = Rows::new();
        let part = t.table().text_column(ColumnMeaning::Other, PART_COLUMN);
        let op = Operation::uniform(DataType::Bf16);
        for (shape, us, of) in [
            ((128, 256, 64), 80.0, UNFUSED_ATTENTION),
            ((128, 64, 256), 70.0, UNFUSED_ATTENTION),
            ((4096, 4096, 4096), 200.0, ""),
        ] {
            t.table().set_text(part, of.as_bytes());
            t.typed(shape, op, "", us * 1e-6, "");
        }
        let mut data = (*t.frame(None).data).clone();
        let source = &mut data.sources[0];
        source.not_gemm.add(100e-6);
        source.trace = Some(Box::new(TraceContext {
            total_s: Some(1e-3),
            compute_s: Some(450e-6),
            unfused: Some(UnfusedAttention { calls: 3, between_s: 50e-6 }),
            slowed_by: vec!["with_stack".to_owned()],
            ..TraceContext::default()
        }));
        let frame = frame(data, Some("h100-sxm"));
        let time = TraceTime::at_once(&frame).remove(0);
        assert_eq!(
            sentence(&time),
            "Of 1.00 ms from end to end: idle 550 µs (55.0 %), GEMMs 350 µs (35.0 %), other kernels \
             100 µs (10.0 %). Recorded with with_stack, which slows the program: idle time is an upper bound. \
             Attention, unfused: 200 µs (20.0 %) in 3 runs of batched product, softmax, batched product. \
             Try fused attention (torch.nn.functional.scaled_dot_product_attention, FlashAttention): it \
             never writes the matrix of scores."
        );
        assert_eq!(time.attention.unwrap().rows, [0, 1]);
        // With a filter, the passing products need not belong to the kernels between them.
        let some = frame.with_rows(std::sync::Arc::new(vec![0, 2]));
        assert_eq!(TraceTime::at_once(&some).remove(0).attention, None);
    }
}
