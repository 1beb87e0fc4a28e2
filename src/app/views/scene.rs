//! Any chart that is a pure function to a scene: marks answer to pointer and keys.

use super::{Controls, DrawScene, View};
use crate::app::chart_view::{Canvas, ChartView, Describe, Draw, Emphasis, Picture, Target};
use crate::app::state::App;
use crate::app::totals::grouped;
use crate::chart::hit::Direction;
use crate::chart::scene::{Item, Mark, Point, Scene, Table};
use crate::metrics::Totals;
use crate::units::{FlopsPerSec, Seconds};
use leptos::prelude::*;
use std::rc::Rc;
use std::sync::Arc;

struct Drawn {
    scene: Scene,
    canvas: Canvas,
}

impl Drawn {
    fn target(&self, mark: &Mark) -> Target {
        let [l, t, w, h] = mark.rect;
        Target {
            rows: mark.rows.clone(),
            at: (l + w / 2.0, t + h / 2.0),
            more: 0,
            label: mark.label.clone(),
        }
    }

    fn outline(&self, scene: &mut Scene, rect: [f64; 4], width: f64) {
        let [l, t, w, h] = rect;
        scene.items.push(Item::Rect {
            rect: [l - 1.0, t - 1.0, w + 2.0, h + 2.0],
            fill: None,
            stroke: Some((self.canvas.theme.accent, width)),
        });
    }
}

impl Picture for Drawn {
    fn scene(&self) -> &Scene {
        &self.scene
    }

    fn emphasis(&self, what: &Emphasis) -> Scene {
        let mut over = Scene::new(self.scene.width, self.scene.height, "");
        for mark in &self.scene.marks {
            if what
                .target
                .as_ref()
                .is_some_and(|t| t.rows == mark.rows && t.label == mark.label)
            {
                self.outline(&mut over, mark.rect, 2.0);
            } else if !what.selected.is_empty()
                && mark.rows.iter().any(|r| what.selected.contains(r))
            {
                self.outline(&mut over, mark.rect, 1.0);
            }
        }
        if let Some(rect) = what.brush {
            self.outline(&mut over, rect, 1.0);
        }
        over
    }

    fn at(&self, (x, y): Point, _radius: f64) -> Option<Target> {
        self.scene
            .mark_at((x, y))
            .map(|i| self.target(&self.scene.marks[i]))
    }

    fn neighbour(&self, from: Option<&Target>, direction: Direction) -> Option<Target> {
        let Some(from) = from else {
            return self.scene.marks.first().map(|m| self.target(m));
        };
        let along = |(x, y): Point| match direction {
            Direction::Left => (from.at.0 - x, (from.at.1 - y).abs()),
            Direction::Right => (x - from.at.0, (from.at.1 - y).abs()),
            Direction::Up => (from.at.1 - y, (from.at.0 - x).abs()),
            Direction::Down => (y - from.at.1, (from.at.0 - x).abs()),
        };
        self.scene
            .marks
            .iter()
            .map(|m| self.target(m))
            .filter(|t| along(t.at).0 > 0.5)
            // Straight ahead before aside.
            .min_by(|a, b| {
                let cost = |t: &Target| along(t.at).0 + 3.0 * along(t.at).1;
                cost(a).total_cmp(&cost(b))
            })
    }

    fn within(&self, [l, t, w, h]: [f64; 4]) -> Vec<u32> {
        let mut rows: Vec<u32> = self
            .scene
            .marks
            .iter()
            .filter(|m| {
                let [ml, mt, mw, mh] = m.rect;
                ml < l + w && ml + mw > l && mt < t + h && mt + mh > t
            })
            .flat_map(|m| m.rows.iter().copied())
            .collect();
        rows.sort_unstable();
        rows.dedup();
        rows
    }

    fn table(&self) -> (Table, u64) {
        let rows = self
            .scene
            .marks
            .iter()
            .map(|m| vec![m.label.clone(), m.rows.len().to_string()])
            .collect();
        let header = vec!["What".to_owned(), "GEMMs".to_owned()];
        (Table { header, rows }, 0)
    }
}

/// A view that is one function.
#[component]
pub fn SceneView(view: &'static View, draw: DrawScene) -> impl IntoView {
    let app = App::here();
    let track = move || {
        app.frame.track();
        app.view.with(|v| v.params.clone());
    };
    let drawn: Draw = Rc::new(move |canvas: &Canvas| {
        let frame = app.frame.try_get_untracked()?;
        let scene = app
            .view
            .try_with_untracked(|v| draw(&frame, v, canvas.size, &canvas.theme))?;
        Some(Rc::new(Drawn {
            scene,
            canvas: *canvas,
        }) as Rc<dyn Picture>)
    });
    let describe: Describe = Arc::new(move |t: &Target| match t.rows.len() {
        1 => super::roofline::describe_row(app, t),
        _ => app.frame.with_untracked(|f| {
            let totals = Totals::over(&f.data, &f.metrics, &t.rows);
            let mut lines = vec![("GEMMs".to_owned(), grouped(totals.rows))];
            if totals.measured > 0 {
                lines.push(("Time".to_owned(), Seconds(totals.time_s).to_string()));
                lines.push((
                    "Attained".to_owned(),
                    FlopsPerSec(totals.attained_flops_per_s).to_string(),
                ));
            }
            if let Some(e) = totals.weighted_efficiency {
                lines.push(("Efficiency".to_owned(), crate::explain::percent(e)));
            }
            (t.label.clone(), lines)
        }),
    });
    view! {
        <ChartView
            track=track
            draw=drawn
            describe=describe
            name=view.id
            bar=move || view! { <Controls view=view /> }
            legend=|| ()
        />
    }
}
