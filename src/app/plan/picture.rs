//! The roofline with the plan on it, and with the measured rows that pass the filters.

use super::Ready;
use crate::app::chart_view::{Canvas, ChartView, Describe, Draw, Emphasis, Picture, Target};
use crate::app::state::{App, Shared, Shown};
use crate::app::views::roofline::{describe_row, swatch};
use crate::chart::coloring::Coloring;
use crate::chart::hit::{Direction, HitGrid};
use crate::chart::palette::Theme;
use crate::chart::planned;
use crate::chart::roofline::settings::{zoom_of, zoom_text};
use crate::chart::roofline::{self, Chart, Input, Overlay, Planned, Points, RoofLine, Waymark};
use crate::chart::scene::{Glyph, Item, Point, Scene, Table};
use crate::field::{Field, Frame};
use crate::hardware::short_name;
use crate::plan::matching::Index;
use crate::plan::{Plan, form};
use leptos::prelude::*;
use std::cell::OnceCell;
use std::rc::Rc;
use std::sync::Arc;

const ZOOM: &str = "zoom.plan";

struct Drawn {
    chart: Chart,
    plan: Shared<Plan>,
    planned: Vec<Planned>,
    waymarks: Vec<Waymark>,
    roofs: Vec<RoofLine>,
    frame: Shown,
    points: Shared<Points>,
    coloring: Shared<Coloring>,
    canvas: Canvas,
    grid: OnceCell<HitGrid>,
}

fn input<'a>(
    frame: &'a Frame,
    points: &'a Points,
    coloring: &'a Coloring,
    canvas: &'a Canvas,
    (planned, waymarks, roofs): (&'a [Planned], &'a [Waymark], &'a [RoofLine]),
) -> Input<'a> {
    Input {
        dpr: canvas.dpr,
        planned,
        waymarks,
        roofs,
        ..Input::new(frame, points, coloring, &canvas.theme, canvas.size)
    }
}

impl Drawn {
    fn input(&self) -> Input<'_> {
        input(
            &self.frame,
            &self.points,
            &self.coloring,
            &self.canvas,
            (&self.planned, &self.waymarks, &self.roofs),
        )
    }

    fn grid(&self) -> &HitGrid {
        self.grid
            .get_or_init(|| roofline::hit_grid(&self.input(), &self.chart.plot))
    }

    fn mark(&self, i: usize) -> Option<Target> {
        let mark = self.chart.scene.marks.get(i)?;
        let [l, t, w, h] = mark.rect;
        Some(Target {
            rows: Vec::new(),
            at: (l + w / 2.0, t + h / 2.0),
            more: 0,
            label: mark.label.clone(),
        })
    }
}

impl Picture for Drawn {
    fn scene(&self) -> &Scene {
        &self.chart.scene
    }

    fn emphasis(&self, what: &Emphasis) -> Scene {
        let hovered = what.target.as_ref().and_then(|t| t.rows.first().copied());
        let overlaid = Overlay {
            hovered,
            selected: what.selected.clone(),
            brush: what.brush,
        };
        let mut scene = roofline::overlay(&self.input(), &self.chart.plot, &overlaid);
        if let Some(t) = what.target.as_ref().filter(|_| hovered.is_none()) {
            scene.items.push(Item::Glyph {
                at: t.at,
                radius: 9.0,
                glyph: Glyph::Ring,
                color: self.canvas.theme.text,
            });
        }
        scene
    }

    fn at(&self, at: Point, radius: f64) -> Option<Target> {
        let reach = |i: &usize| {
            self.mark(*i)
                .map_or(f64::INFINITY, |t| (t.at.0 - at.0).hypot(t.at.1 - at.1))
        };
        // A measured point on top of a planned one wins only where it is nearer.
        let planned = (0..self.chart.scene.marks.len())
            .min_by(|a, b| reach(a).total_cmp(&reach(b)))
            .filter(|i| reach(i) <= radius);
        let measured = self.grid().nearest(at, radius);
        match (planned, measured) {
            (Some(i), Some(hit)) if (hit.at.0 - at.0).hypot(hit.at.1 - at.1) > reach(&i) => {
                self.mark(i)
            }
            (_, Some(hit)) => Some(Target {
                rows: vec![hit.id],
                at: hit.at,
                more: self.grid().count_near(hit.at, 3.0).saturating_sub(1),
                label: String::new(),
            }),
            (Some(i), None) => self.mark(i),
            (None, None) => None,
        }
    }

    fn neighbour(&self, from: Option<&Target>, direction: Direction) -> Option<Target> {
        // The keyboard walks the plan in the order of its list.
        let count = self.chart.scene.marks.len();
        let at = from.and_then(|t| {
            (0..count).find(|&i| self.chart.scene.marks[i].label == t.label && t.rows.is_empty())
        });
        let next = match (at, direction) {
            (None, _) => 0,
            (Some(i), Direction::Right | Direction::Down) => (i + 1).min(count.saturating_sub(1)),
            (Some(i), _) => i.saturating_sub(1),
        };
        self.mark(next)
    }

    fn within(&self, rect: [f64; 4]) -> Vec<u32> {
        self.grid().within(rect)
    }

    fn table(&self, most: usize) -> (Table, u64) {
        let mut table = planned::table(&self.plan);
        let more = table.rows.len().saturating_sub(most);
        table.rows.truncate(most);
        (table, more as u64)
    }

    fn zoom_key(&self) -> Option<&'static str> {
        Some(ZOOM)
    }

    fn zoom_about(&self, at: Point, factor: f64) -> Option<String> {
        Some(zoom_text(self.chart.zoom_about(at, factor)))
    }

    fn pan_by(&self, by: Point) -> Option<String> {
        Some(zoom_text(self.chart.pan_by(by)))
    }
}

/// The chart.
pub fn view(ready: Ready) -> AnyView {
    let Ready { app, plan, .. } = ready;
    let points = Memo::new(move |_| {
        let (data, metrics) = (app.data.get(), app.metrics.get());
        Shared::from(Points::new(&data, &metrics))
    });
    let coloring = Memo::new(move |_| {
        let theme = Theme::of(app.dark.get());
        let frame = Frame {
            data: app.data.get().0,
            metrics: app.metrics.get().0,
            rows: Default::default(),
        };
        Shared::from(match frame.info(&Field::Dtype) {
            Some(info) if !frame.data.is_empty() => Coloring::by(&frame, &info, &theme),
            _ => Coloring::plain(&theme),
        })
    });
    let zoom = Memo::new(move |_| app.view.with(|v| v.param(ZOOM).and_then(zoom_of)));
    let track = move || {
        app.frame.with(|_| ());
        points.with(|_| ());
        coloring.with(|_| ());
        plan.with(|_| ());
        zoom.with(|_| ());
    };
    let draw: Draw = Rc::new(move |canvas: &Canvas| {
        let plan = plan.try_get_untracked()?;
        let frame = app.frame.try_get_untracked()?;
        let points = points.try_get_untracked()?;
        let coloring = coloring.try_get_untracked()?;
        let marks = planned::marks(&plan, &canvas.theme);
        let waymarks = planned::waymarks(&plan, &canvas.theme);
        let roofs = planned::roofs(&plan, &canvas.theme);
        let chart = roofline::roofline(&Input {
            zoom: zoom.try_get_untracked()?,
            ..input(
                &frame,
                &points,
                &coloring,
                canvas,
                (&marks, &waymarks, &roofs),
            )
        });
        Some(Rc::new(Drawn {
            chart,
            plan,
            planned: marks,
            waymarks,
            roofs,
            frame,
            points,
            coloring,
            canvas: *canvas,
            grid: OnceCell::new(),
        }) as Rc<dyn Picture>)
    });
    let model = Memo::new(move |_| plan.with(|p| p.state.model.clone()));
    let index = Memo::new(move |_| Shared::from(model.with(Index::new)));
    let describe: Describe = Arc::new(move |t: &Target| {
        let lines = plan.with_untracked(|p| planned::describe(p, &t.label));
        match lines {
            Some(lines) => (t.label.clone(), lines),
            None => {
                let (head, mut lines) = describe_row(app, t);
                let row = t.rows.first().copied();
                if let Some(row) = row {
                    let problem = app.frame.with_untracked(|f| f.data.problem(row as usize));
                    let found = index.with_untracked(|i| i.find(&problem));
                    lines.extend(found.map(|m| ("In the model".to_owned(), m.name())));
                }
                (head, lines)
            }
        }
    });
    view! {
        <ChartView
            track=track
            draw=draw
            describe=describe
            name="plan"
            bar=move || legend(app, plan)
            legend=move || crossings(ready)
        />
    }
    .into_any()
}

/// The batch at which each GEMM crosses the ridge, with those that have crossed marked.
fn crossings(ready: Ready) -> AnyView {
    let list = move || {
        ready.plan.with(|p| {
            let batch = u64::from(p.state.workload.batch);
            let rows = p.crossings().into_iter().flat_map(|c| c.rows);
            rows.map(|(name, at, sentence)| {
                let text = at.map_or_else(|| "never".to_owned(), |b| b.to_string());
                (name, text, at.is_some_and(|b| b <= batch), sentence)
            })
            .collect::<Vec<_>>()
        })
    };
    let what = "The batch from which a GEMM of the first device is limited by arithmetic, no longer by memory";
    view! {
        <div class="crossings" role="group" aria-label="Batch from which each GEMM is past the ridge">
            <span class="muted tip" tabindex="0" data-tip=what aria-description=what>"Ridge at batch"</span>
            {move || list()
                .into_iter()
                .map(|(name, at, past, hint)| view! {
                    <span class="crossing tip" class:past=past tabindex="0" data-tip=hint.clone() aria-description=hint data-crossing=name.clone()>{name.clone()}" "<strong>{at}</strong></span>
                })
                .collect_view()}
        </div>
    }
    .into_any()
}

fn legend(app: App, plan: Memo<Shared<Plan>>) -> AnyView {
    view! {
        <div class="legend" role="group" aria-label="Planned on">
            <span class="muted">"Planned on"</span>
            {move || {
                let theme = Theme::of(app.dark.get());
                plan.with(|p| {
                    let shown = p.steps.iter().enumerate().filter(|(_, s)| s.result.is_ok());
                    shown
                        .map(|(i, s)| {
                            let id = s.device.id.clone();
                            let first = move |_| app.edit("plan", |v| form::put_first(v, &id));
                            let name = short_name(&s.device.name).to_owned();
                            let hint = match i {
                                0 => "The list of GEMMs, the trail and the ridges are of this device",
                                _ => "Make the list, the trail and the ridges of this device",
                            };
                            view! {
                                <button type="button" class="legend-entry" title=hint aria-current=(i == 0).then_some("true") on:click=first>
                                    {swatch(planned::color(&theme, i), Glyph::Ring)}
                                    <span>{name}</span>
                                </button>
                            }
                        })
                        .collect_view()
                })
            }}
            {move || app.data.with(|d| !d.is_empty()).then(|| view! {
                <span class="legend-entry plain">"Filled: measured"</span>
            })}
        </div>
    }
    .into_any()
}
