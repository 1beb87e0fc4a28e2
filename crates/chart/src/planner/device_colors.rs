//! Colours of a plan's devices, the same in all its charts.

use crate::aggregate::used;
use crate::charts::Inputs;
use crate::color_scale::Colors;
use crate::palette::Theme;
use crate::roofline::Settings;
use crate::scene::Color;
use gemmscope_analysis::planner::Plan;
use gemmscope_model::hardware::{Device, short_name};
use gemmscope_table::field::{Field, Frame};
use std::sync::Arc;

/// Field that colours the measured rows beside a plan; `None` without rows.
pub(super) fn color_of_rows(inputs: &Inputs<'_>) -> Option<Field> {
    Settings::read(inputs).0.color.filter(|_| !inputs.frame.data.is_empty())
}

/// Colours of a plan's devices beside measured rows.
#[derive(Clone, Debug)]
pub struct DeviceColors {
    rows: Arc<Colors>,
    frame: Frame,
}

impl DeviceColors {
    /// Colours beside the rows of `inputs`.
    pub fn new(inputs: &Inputs<'_>) -> Self {
        let color = color_of_rows(inputs);
        let rows = inputs.cache.colors(inputs.frame, color.as_ref());
        DeviceColors { rows, frame: inputs.frame.clone() }
    }

    /// The colour of each device of `plan`, in its order.
    pub fn of(&self, plan: &Plan, theme: &Theme) -> Vec<Color> {
        colors(plan, theme, &self.measured(theme))
    }

    /// Colours of the measured rows, each with its category.
    fn measured(&self, theme: &Theme) -> Vec<(String, Color)> {
        let scale = self.rows.of(theme);
        let codes = self.frame.rows.iter().map(|row| scale.code(*row as usize));
        let codes = used(codes, scale.names.len());
        let of = |at: usize| Some((scale.names.get(at)?.clone(), *scale.palette.get(at)?));
        codes.into_iter().filter(|_| scale.gradient.is_none()).filter_map(of).collect()
    }
}

/// The colour of the same device's measured rows, else one that no measured row has. `measured` are the categories of
/// those rows and their colours.
fn colors(plan: &Plan, theme: &Theme, measured: &[(String, Color)]) -> Vec<Color> {
    let taken = |c: &Color| measured.iter().any(|m| m.1 == *c);
    let mut free = theme.categories.into_iter().filter(|c| !taken(c));
    let of = |device: &Device| {
        let same = measured.iter().find(|m| short_name(&m.0) == short_name(&device.name));
        same.map_or_else(|| free.next().unwrap_or(theme.other), |m| m.1)
    };
    plan.steps.iter().map(|step| &step.device).map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use gemmscope_analysis::planner::PlanState;
    use gemmscope_table::view_state::ViewState;

    #[test]
    fn a_device_has_the_colour_of_its_rows_else_one_that_no_row_has() {
        let theme = Theme::LIGHT;
        let (state, _) = ViewState::decode("plan.devices=mi300x,h100-sxm,a100-80-sxm");
        let p = Plan::new(PlanState::read(&state).0, &[]);
        let [first, second, third, fourth] = [0, 1, 2, 3].map(|i| theme.categories[i]);
        assert_eq!(colors(&p, &theme, &[]), [first, second, third]);
        let libraries = [("hipBLASLt".to_owned(), first), ("rocBLAS".to_owned(), third)];
        assert_eq!(colors(&p, &theme, &libraries), [second, fourth, theme.categories[4]]);
        let devices = [("AMD Instinct MI300X".to_owned(), second)];
        assert_eq!(colors(&p, &theme, &devices), [second, first, third]);
    }
}
