//! Texts beside the pictures of a plan.

use gemmscope_model::units::plural;

/// No device of the plan has a step.
pub const NO_STEP: &str = "No step: the chosen devices lack a peak for its types.";
/// Axis of the bars of a step.
pub const IN_A_STEP: &str = "Time in a step, all its calls";
/// Title of the step times over the batch.
pub const OVER_BATCH: &str = "Step time over batch";
/// Their vertical axis.
pub const STEP_TIME: &str = "Step time (log)";

/// Title of the bars of a step; `step` is its time in words.
pub fn step_bars(bars: usize, step: &str) -> String {
    format!("The step as {}: {step}", plural(bars as u64, "bar"))
}
