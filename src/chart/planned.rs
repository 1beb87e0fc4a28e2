//! A plan on the roofline: hollow marks of every GEMM at its roof, one colour a device, the first
//! device's with names and with the way there.

use super::palette::Theme;
use super::roofline::{Planned, RoofLine, Waymark, merge_roof};
use super::scene::{Color, Table};
use crate::field::shape_label;
use crate::hardware::short_name;
use crate::plan::{Plan, PlanRow, Way, export};
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

/// A way under a roof: over its ridge where it passes that, not across the corner.
fn along_the_roof(way: &[Way], row: &PlanRow) -> Vec<(f64, f64)> {
    let ridge = (row.best.roof.ridge(), row.best.roof.peak_flops_per_s);
    let mut out: Vec<(f64, f64)> = way.iter().map(|w| (w.ai, w.rate)).collect();
    let past = |ai: f64| ai > ridge.0;
    let first = out
        .iter()
        .position(|p| past(p.0))
        .or_else(|| past(row.intensity()).then_some(out.len()));
    match first {
        Some(i) if i > 0 => out.insert(i, ridge),
        _ => {}
    }
    out
}

/// The marks of a plan.
pub fn marks(plan: &Plan, theme: &Theme) -> Vec<Planned> {
    let mut trails = plan.trails().into_iter();
    let mut out = Vec::new();
    for (i, step) in plan.steps.iter().enumerate() {
        let Ok(result) = &step.result else { continue };
        for row in &result.rows {
            let way = match i {
                0 => trails.next().unwrap_or_default(),
                _ => Vec::new(),
            };
            out.push(Planned {
                ai: row.intensity(),
                rate: row.rate(),
                trail: along_the_roof(&way, row),
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

/// GEMMs named at the ridge at most.
const NAMED: usize = 3;

/// Where the first device's GEMMs cross the ridge, with the batch, and the slider's steps on the
/// way of the GEMM that takes most time; an expert's way follows its share of the tokens.
pub fn waymarks(plan: &Plan, theme: &Theme) -> Vec<Waymark> {
    let mut out: Vec<Waymark> = plan
        .crossings()
        .into_iter()
        .map(|c| {
            let at = c.rows.get(c.leading).and_then(|r| r.1);
            let names: Vec<&str> = c
                .rows
                .iter()
                .filter(|r| r.1 == at && at.is_some())
                .map(|r| r.0.as_str())
                .collect();
            let first = |most: usize| {
                let more = match names.len().saturating_sub(most) {
                    0 => String::new(),
                    n => format!(" + {n}"),
                };
                format!("{}{more}", names[..names.len().min(most)].join(", "))
            };
            Waymark {
                ai: c.ridge,
                rate: c.peak,
                labels: at.map_or_else(Vec::new, |at| {
                    vec![
                        format!("batch {at}: {}", first(NAMED)),
                        format!("batch {at}: {}", first(1)),
                        format!("batch {at}"),
                    ]
                }),
                name: ridge_name(c.ridge),
                color: theme.accent,
            }
        })
        .collect();
    let rows = plan.first().map_or(&[][..], |s| &s.rows);
    let longest = rows
        .iter()
        .zip(plan.trails())
        .filter(|(r, _)| !r.best.gemm.part.is_attention() && !r.best.gemm.part.is_routed())
        .fold(None::<(&PlanRow, Vec<Way>)>, |best, new| match best {
            Some(b) if b.0.share >= new.0.share => Some(b),
            _ => Some(new),
        });
    for w in longest.iter().flat_map(|l| &l.1) {
        out.push(Waymark {
            ai: w.ai,
            rate: w.rate,
            labels: vec![w.value.to_string()],
            name: String::new(),
            color: theme.accent,
        });
    }
    out
}

/// Name of a ridge's mark.
fn ridge_name(ridge: f64) -> String {
    format!("Ridge at {} FLOP/B", format_significant(ridge, 4))
}

/// The roofs that a plan's GEMMs lie on; of several devices in the colours of their marks.
pub fn roofs(plan: &Plan, theme: &Theme) -> Vec<RoofLine> {
    let mut out = Vec::new();
    let several = plan.steps.len() > 1;
    for (i, step) in plan.steps.iter().enumerate() {
        let Ok(result) = &step.result else { continue };
        for row in &result.rows {
            if let Some(roof) = RoofLine::of(&step.device, row.problem().op.compute) {
                let color = several.then(|| color(theme, i));
                merge_roof(&mut out, RoofLine { color, ..roof });
            }
        }
    }
    out
}

/// What a tooltip says of a planned point: lines of label and value. `None` for no point of the
/// plan.
pub fn describe(plan: &Plan, point: &str) -> Option<Vec<(String, String)>> {
    let ridge = plan
        .crossings()
        .into_iter()
        .find(|c| ridge_name(c.ridge) == point);
    if let Some(c) = ridge {
        let line = |r: (String, Option<u64>, String)| {
            let batch =
                r.1.map_or_else(|| "never".to_owned(), |b| format!("from batch {b}"));
            (r.0, batch)
        };
        return Some(c.rows.into_iter().map(line).collect());
    }
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
        let (marks, roofs) = (marks(plan, theme), roofs(plan, theme));
        roofline(&Input {
            planned: &marks,
            waymarks: &waymarks(plan, theme),
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
        assert_eq!(chart.scene.marks.len(), 17);
        for mark in &chart.scene.marks {
            let lines = describe(&p, &mark.label).unwrap().len();
            // The ridge lists the six GEMMs of weights.
            let ridge = mark.label.starts_with("Ridge at 153");
            assert_eq!(lines, if ridge { 6 } else { 8 }, "{}", mark.label);
        }
        let (up, ridge) = (
            p.first()
                .unwrap()
                .rows
                .iter()
                .find(|r| r.name == "up_proj")
                .unwrap(),
            waymarks(&p, &Theme::LIGHT)[0].labels[0].clone(),
        );
        let at = up.ridge_batch.unwrap();
        assert_eq!(
            ridge,
            format!("batch {at}: qkv_proj, gate_proj, up_proj + 1")
        );
        // The steps of the slider on the way there.
        let steps: Vec<String> = waymarks(&p, &Theme::LIGHT)[1..]
            .iter()
            .map(|w| w.labels[0].clone())
            .collect();
        assert_eq!(steps, ["1", "2", "4", "8", "16", "32"]);
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
