//! A plan on the roofline: hollow marks of every GEMM at its roof, one colour a device, the first
//! device's with names and with the way there.

use super::palette::Theme;
use super::roofline::{Planned, RoofLine, merge_roof};
use super::scene::{Color, Table};
use crate::field::shape_label;
use crate::hardware::short_name;
use crate::plan::{Plan, PlanRow, export};
use crate::units::{FlopsPerSec, format_significant};

/// Colour of a plan's device, by its place in the plan.
pub fn color(theme: &Theme, device: usize) -> Color {
    match device {
        0 => theme.accent,
        i => theme.category(i).0,
    }
}

/// The name by which a planned point is found again: GEMM, shape, device.
pub fn name(row: &PlanRow, device: &str) -> String {
    let p = row.problem();
    format!(
        "{} ({}) on {}",
        row.name,
        shape_label(p.m, p.n, p.k, p.batch),
        short_name(device)
    )
}

/// The marks of a plan.
pub fn marks(plan: &Plan, theme: &Theme) -> Vec<Planned> {
    let mut trails = plan.trails().into_iter();
    let mut out = Vec::new();
    for (i, step) in plan.steps.iter().enumerate() {
        let Ok(result) = &step.result else { continue };
        for row in &result.rows {
            out.push(Planned {
                ai: row.intensity(),
                rate: row.rate(),
                trail: match i {
                    0 => trails.next().unwrap_or_default(),
                    _ => Vec::new(),
                },
                label: match i {
                    0 => row.name.clone(),
                    _ => String::new(),
                },
                name: name(row, &step.device.name),
                color: color(theme, i),
            });
        }
    }
    out
}

/// The roofs that a plan's GEMMs lie on.
pub fn roofs(plan: &Plan) -> Vec<RoofLine> {
    let mut out = Vec::new();
    for step in &plan.steps {
        let Ok(result) = &step.result else { continue };
        for row in &result.rows {
            if let Some(roof) = RoofLine::of(&step.device, row.problem().op.compute) {
                merge_roof(&mut out, roof);
            }
        }
    }
    out
}

/// What a tooltip says of a planned point: lines of label and value. `None` for no point of the
/// plan.
pub fn describe(plan: &Plan, point: &str) -> Option<Vec<(String, String)>> {
    plan.steps.iter().find_map(|step| {
        let rows = &step.result.as_ref().ok()?.rows;
        let row = rows.iter().find(|r| name(r, &step.device.name) == point)?;
        let text = |label: &str, value: String| (label.to_owned(), value);
        Some(vec![
            text("Shape", row.problem().to_string()),
            text("In a step", format!("{} times", row.best.gemm.count)),
            text("Intensity", row.problem().intensity().to_string()),
            text("Roof", FlopsPerSec(row.rate()).to_string()),
            text("Bound", row.best.bound.label().to_owned()),
            text("Best time", row.best.time.to_string()),
            text(
                "Share",
                format!("{} % of the step", format_significant(row.share * 100.0, 3)),
            ),
            text("Ridge", row.crossing(&plan.state.workload)),
        ])
    })
}

/// All marks as a table.
pub fn table(plan: &Plan) -> Table {
    let mut out = Table::default();
    for step in &plan.steps {
        let Ok(result) = &step.result else { continue };
        let table = export::table(result);
        out.header = table.header;
        for row in table.rows {
            let device = std::iter::once(step.device.name.clone());
            out.rows.push(device.chain(row).collect());
        }
    }
    out.header.insert(0, "device".to_owned());
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::coloring::Coloring;
    use crate::chart::roofline::{Input, Points, roofline};
    use crate::dataset::Dataset;
    use crate::field::Frame;
    use crate::plan::PlanState;
    use crate::view_state::ViewState;
    use std::sync::Arc;

    fn plan(hash: &str) -> Plan {
        Plan::new(PlanState::read(&ViewState::decode(hash).0).0, &[])
    }

    fn draw(plan: &Plan, theme: &Theme, size: (f64, f64)) -> crate::chart::roofline::Chart {
        let frame = Frame::all(Arc::new(Dataset::new()), Arc::default());
        let points = Points::new(&frame.data, &frame.metrics);
        let coloring = Coloring::plain(theme);
        let (marks, roofs) = (marks(plan, theme), roofs(plan));
        roofline(&Input {
            planned: &marks,
            roofs: &roofs,
            ..Input::new(&frame, &points, &coloring, theme, size)
        })
    }

    #[test]
    fn a_plan_without_a_file() {
        let p = plan("plan.model=llama-2-7b&plan.batch=64&plan.devices=a100-80-sxm,mi300x");
        let chart = draw(&p, &Theme::LIGHT, (1000.0, 560.0));
        assert_eq!(chart.roofs.len(), 2);
        assert_eq!(chart.scene.message, None);
        // Every planned point of both devices can be reached and says what it is.
        assert_eq!(chart.scene.marks.len(), 16);
        for mark in &chart.scene.marks {
            assert_eq!(
                describe(&p, &mark.label).unwrap().len(),
                8,
                "{}",
                mark.label
            );
        }
        assert_eq!(describe(&p, "nothing"), None);
        assert_eq!(table(&p).rows.len(), 16);
        crate::fixture::golden("plan-desk", &chart.scene);
        let phone = draw(&p, &Theme::DARK, (374.0, 420.0));
        crate::fixture::golden("plan-phone-dark", &phone.scene);
    }

    #[test]
    fn no_plan_draws_no_roof() {
        let p = plan("plan.devices=v100-sxm2");
        let chart = draw(&p, &Theme::LIGHT, (700.0, 400.0));
        assert!(chart.roofs.is_empty() && chart.scene.marks.is_empty());
        assert!(chart.scene.message.is_some());
    }
}
