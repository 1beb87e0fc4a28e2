//! Any view that the chart modules open: its settings, its picture, its sentences. Marks answer to
//! pointer and keys, colour bars and scrolled parts to drags.

use super::View;
use crate::app::chart_view::{Canvas, ChartView, Describe, Draw, Emphasis, Picture, Target};
use crate::app::controls::{controls, write};
use crate::app::state::{App, Shown};
use crate::app::totals::grouped;
use crate::chart::control::Control;
use crate::chart::hit::Direction;
use crate::chart::palette::alpha;
use crate::chart::scene::{Handle, Item, Mark, Point, Scene, Table};
use crate::chart::scroll;
use crate::chart::view::{self, Look, ViewKind};
use crate::metrics::Totals;
use crate::units::{FlopsPerSec, Seconds};
use leptos::prelude::*;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

/// What an opened view depends on; while it stays the same the view is only drawn again.
#[derive(Clone, PartialEq)]
struct Cause {
    frame: Shown,
    params: BTreeMap<String, String>,
    selected: Vec<u32>,
}

/// A drawn scene whose marks answer.
pub struct Drawn {
    /// Key of its view, for what it keeps of its scrolling.
    pub id: &'static str,
    /// What was drawn.
    pub scene: Scene,
    /// What for.
    pub canvas: Canvas,
    /// What drew it.
    pub view: Rc<dyn view::View>,
    /// What was selected.
    pub selected: Vec<u32>,
}

/// How far beside a colour bar a press still counts as on it, px.
const SLACK: f64 = 6.0;

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
        scroll::draw(&mut over, &self.scene, &self.canvas.theme, what.held);
        let mut chosen = what.selected.clone();
        chosen.sort_unstable();
        let selected = |m: &Mark| m.rows.iter().any(|r| chosen.binary_search(r).is_ok());
        let near = |m: &Mark| {
            m.rows
                .iter()
                .any(|r| what.elsewhere.binary_search(r).is_ok())
        };
        for mark in &self.scene.marks {
            let under = what
                .target
                .as_ref()
                .is_some_and(|t| t.label == mark.label && t.rows == mark.rows);
            if under || (!what.elsewhere.is_empty() && near(mark)) {
                self.outline(&mut over, mark.rect, 2.0);
            } else if !chosen.is_empty() && selected(mark) {
                self.outline(&mut over, mark.rect, 1.5);
            }
        }
        if let Some(rect) = what.brush {
            over.fill(rect, alpha(self.canvas.theme.accent, 0.15));
            self.outline(&mut over, rect, 1.0);
        }
        over
    }

    fn at(&self, (x, y): Point, _radius: f64) -> Option<Target> {
        let over = |[l, t, w, h]: [f64; 4]| {
            x >= l - SLACK && x <= l + w + SLACK && y >= t - SLACK && y <= t + h + SLACK
        };
        let bar = self.scene.handles.iter().find_map(|h| match h {
            Handle::Range { rect, .. } if over(*rect) => Some(*rect),
            _ => None,
        });
        if let Some([l, t, w, h]) = bar {
            return Some(Target {
                rows: Vec::new(),
                at: (l + w / 2.0, t + h),
                more: 0,
                label: "Drag along the colours to keep a range; a click lets all through"
                    .to_owned(),
            });
        }
        self.scene
            .mark_at((x, y))
            .map(|i| self.target(&self.scene.marks[i]))
    }

    fn neighbour(&self, from: Option<&Target>, direction: Direction) -> Option<Target> {
        // A colour bar is a target that is no mark.
        let is_mark = |t: &&Target| {
            let all = &self.scene.marks;
            all.iter().any(|m| m.label == t.label && m.rows == t.rows)
        };
        let Some(from) = from.filter(is_mark) else {
            return self.scene.marks.first().map(|m| self.target(m));
        };
        let along = |(x, y): Point| match direction {
            Direction::Left => (from.at.0 - x, (from.at.1 - y).abs()),
            Direction::Right => (x - from.at.0, (from.at.1 - y).abs()),
            Direction::Up => (from.at.1 - y, (from.at.0 - x).abs()),
            Direction::Down => (y - from.at.1, (from.at.0 - x).abs()),
        };
        let cost = |m: &Mark| {
            let [l, t, w, h] = m.rect;
            let (ahead, aside) = along((l + w / 2.0, t + h / 2.0));
            // Straight ahead before aside.
            (ahead > 0.5).then_some(ahead + 3.0 * aside)
        };
        self.scene
            .marks
            .iter()
            .filter_map(|m| Some((cost(m)?, m)))
            .min_by(|a, b| a.0.total_cmp(&b.0))
            .map(|(_, m)| self.target(m))
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

    fn table(&self, most: usize) -> (Table, u64) {
        let mut table = self.view.table();
        let more = table.rows.len().saturating_sub(most);
        table.rows.truncate(most);
        (table, more as u64)
    }

    fn scroll_to(&self, app: App, first: (usize, usize)) {
        app.glance(|v| view::set_first(v, self.id, first));
    }

    fn whole(&self) -> Result<Scene, (f64, f64)> {
        let look = Look {
            theme: &self.canvas.theme,
            width: self.canvas.size.0,
            height: self.canvas.size.1,
            selected: &self.selected,
            first: (0, 0),
        };
        scroll::whole(&*self.view, &look)
    }
}

/// The view.
#[component]
pub fn SceneView(view: &'static View, kind: &'static ViewKind) -> impl IntoView {
    let app = App::here();
    let prefix = format!("{}.", kind.id);
    let params = Memo::new(move |_| {
        app.view.with(|v| {
            v.params
                .iter()
                .filter(|(k, _)| k.starts_with(&prefix) || *k == "color")
                .map(|(k, v)| (k.clone(), v.clone()))
                .collect::<BTreeMap<_, _>>()
        })
    });
    let first = Memo::new(move |_| app.view.with(|v| view::first_of(v, kind.id)));
    let selected = Memo::new(move |_| {
        if kind.of_selection {
            app.selected.get()
        } else {
            Vec::new()
        }
    });
    let settings = RwSignal::new(Vec::<Control>::new());
    let notes = RwSignal::new(Vec::<String>::new());
    let kept = StoredValue::new_local(None::<(Cause, Rc<dyn view::View>)>);
    let track = move || {
        app.frame.with(|_| ());
        params.with(|_| ());
        first.with(|_| ());
        selected.with(|_| ());
    };
    let draw: Draw = Rc::new(move |canvas: &Canvas| {
        let cause = Cause {
            frame: app.frame.try_get_untracked()?,
            params: params.try_get_untracked()?,
            selected: selected.try_get_untracked()?,
        };
        let same = kept.try_with_value(|k| match k {
            Some((c, view)) if *c == cause => Some(view.clone()),
            _ => None,
        })?;
        let opened = match same {
            Some(opened) => opened,
            None => {
                let state = app.view.try_get_untracked()?;
                let opened: Rc<dyn view::View> = (kind.open)(&cause.frame, &state).into();
                kept.try_set_value(Some((cause.clone(), opened.clone())));
                let now = opened.controls();
                if settings.with_untracked(|c| *c != now) {
                    settings.try_set(now);
                }
                notes.try_set(opened.notes());
                opened
            }
        };
        let scene = opened.scene(&Look {
            theme: &canvas.theme,
            width: canvas.size.0,
            height: canvas.size.1,
            selected: &cause.selected,
            first: first.try_get_untracked()?,
        });
        let drawn = Drawn {
            id: kind.id,
            scene,
            canvas: *canvas,
            view: opened,
            selected: cause.selected,
        };
        Some(Rc::new(drawn) as Rc<dyn Picture>)
    });
    let heights = Rc::new(move |width: f64| {
        kept.try_with_value(|k| k.as_ref().map(|(_, v)| v.heights(width)))
            .flatten()
            .unwrap_or((0.0, f64::INFINITY))
    });
    let describe: Describe = Arc::new(move |t: &Target| describe(app, t));
    view! {
            <ChartView
                track=track
                draw=draw
                describe=describe
                name=view.id
    heights=heights
                bar=move || controls(settings.into(), write(app))
                legend=|| ()
                notes=move || view! { <Notes notes=notes /> }
            />
        }
}

/// The sentences below a picture.
#[component]
fn Notes(notes: RwSignal<Vec<String>>) -> impl IntoView {
    move || {
        let notes = notes.get();
        (!notes.is_empty()).then(|| {
            view! { <ul class="notes">{notes.into_iter().map(|n| view! { <li>{n}</li> }).collect_view()}</ul> }
        })
    }
}

/// The label's head, what it says after that, and the row's or rows' own figures.
fn describe(app: App, t: &Target) -> (String, Vec<(String, String)>) {
    if t.rows.is_empty() {
        return (t.label.clone(), Vec::new());
    }
    let (head, rest) = t.label.split_once(": ").unwrap_or((&t.label, ""));
    let mut lines: Vec<(String, String)> = rest
        .split("; ")
        .filter(|p| !p.is_empty())
        .map(|p| (String::new(), p.to_owned()))
        .collect();
    app.frame.with_untracked(|f| match t.rows[..] {
        [row] => lines.extend(crate::explain::brief(f, row as usize).1),
        _ => {
            let totals = Totals::over(&f.data, &f.metrics, &t.rows);
            lines.push(("GEMMs".to_owned(), grouped(totals.rows)));
            if totals.measured > 0 {
                lines.push(("Time".to_owned(), Seconds(totals.time_s).to_string()));
                let rate = FlopsPerSec(totals.attained_flops_per_s);
                lines.push(("Attained".to_owned(), rate.to_string()));
            }
            if let Some(e) = totals.weighted_efficiency {
                lines.push(("% of roof".to_owned(), crate::explain::percent(e)));
            }
        }
    });
    (head.to_owned(), lines)
}
