//! The roofline view: what the chart module draws, with its legend and its camera in the state.

use crate::app::chart_view::{Canvas, ChartView, Describe, Draw, Emphasis, Picture, Target};
use crate::app::controls::{controls, write};
use crate::app::state::{App, Shared, Shown};
use crate::app::totals::grouped;
use crate::chart::coloring::Coloring;
use crate::chart::hit::{Direction, Hit, HitGrid};
use crate::chart::palette::Theme;
use crate::chart::roofline::settings::{
    CEILING_KEY, MEASURED_KEY, MEASURED_NAME, OFF_KEY, ZOOM_KEY, ceiling, size_of, with_legend,
    zoom_of, zoom_text,
};
use crate::chart::roofline::{self, Chart, Input, LegendEntry, Overlay, Points, overlay, roofline};
use crate::chart::scene::{Glyph, Point, Scene, Table};
use crate::explain;
use crate::field::Field;
use crate::filter::Range;
use crate::shape_roof::ShapeRoofs;
use leptos::prelude::*;
use std::cell::OnceCell;
use std::rc::Rc;
use std::sync::Arc;

/// A drawn roofline with everything it was drawn from.
struct Drawn {
    chart: Chart,
    /// Roof of a row's tile, where those show.
    ceiling: Option<Box<dyn Fn(usize) -> f64>>,
    frame: Shown,
    points: Shared<Points>,
    coloring: Shared<Coloring>,
    hidden: Vec<bool>,
    /// Open marks at measured bytes show.
    measured: bool,
    canvas: Canvas,
    /// Built when the pointer first asks: a picture that is only looked at costs none.
    grid: OnceCell<HitGrid>,
    /// The open marks, for the pointer alone: the keyboard visits each row once.
    open: OnceCell<HitGrid>,
}

impl Drawn {
    fn input(&self) -> Input<'_> {
        Input {
            hidden: &self.hidden,
            measured: self.measured,
            dpr: self.canvas.dpr,
            own_ceiling: self.ceiling.as_deref(),
            ..Input::new(
                &self.frame,
                &self.points,
                &self.coloring,
                &self.canvas.theme,
                self.canvas.size,
            )
        }
    }

    fn grid(&self) -> &HitGrid {
        self.grid
            .get_or_init(|| roofline::hit_grid(&self.input(), &self.chart.plot))
    }

    fn target(&self, hit: Hit) -> Target {
        let near = self.grid().count_near(hit.at, 3.0);
        Target {
            rows: vec![hit.id],
            at: hit.at,
            more: near.saturating_sub(1),
            label: String::new(),
        }
    }
}

impl Picture for Drawn {
    fn scene(&self) -> &Scene {
        &self.chart.scene
    }

    fn emphasis(&self, what: &Emphasis) -> Scene {
        let own = what.target.as_ref().and_then(|t| t.rows.first().copied());
        let mut selected = what.selected.clone();
        let hovered = match (own, &what.elsewhere[..]) {
            (None, [one]) => Some(*one),
            (None, many) => {
                selected.extend(many);
                None
            }
            (own, _) => own,
        };
        let overlaid = Overlay {
            hovered,
            selected,
            brush: what.brush,
        };
        overlay(&self.input(), &self.chart.plot, &overlaid)
    }

    fn at(&self, at: Point, radius: f64) -> Option<Target> {
        let open = self
            .open
            .get_or_init(|| roofline::open_grid(&self.input(), &self.chart.plot))
            .nearest(at, radius);
        let near = |h: &Hit| h.distance;
        match (self.grid().nearest(at, radius), open) {
            (Some(hit), Some(open)) if near(&open) < near(&hit) => Some(self.target(open)),
            (hit, open) => hit.or(open).map(|hit| self.target(hit)),
        }
    }

    fn neighbour(&self, from: Option<&Target>, direction: Direction) -> Option<Target> {
        let from = from.and_then(|t| t.rows.first().copied());
        self.grid()
            .neighbour(from, direction)
            .map(|hit| self.target(hit))
    }

    fn within(&self, rect: [f64; 4]) -> Vec<u32> {
        self.grid().within(rect)
    }

    fn ranges(&self, [l, t, w, h]: [f64; 4]) -> Vec<(Field, Range)> {
        // A slip of the hand is no filter.
        if w < 3.0 || h < 3.0 {
            return Vec::new();
        }
        let (ai, rate) = self.chart.ranges_in([l, t, w, h]);
        let range = |(min, max)| Range {
            min: Some(min),
            max: Some(max),
        };
        vec![(Field::Ai, range(ai)), (Field::Attained, range(rate))]
    }

    fn table(&self, most: usize) -> (Table, u64) {
        roofline::table(&self.input(), &self.chart.plot, most)
    }

    fn saved(&self) -> Scene {
        let theme = &self.canvas.theme;
        with_legend(&self.chart, &self.coloring, self.measured, theme)
    }

    fn zoom_key(&self) -> Option<&'static str> {
        Some(ZOOM_KEY)
    }

    fn zoom_about(&self, at: Point, factor: f64) -> Option<String> {
        Some(zoom_text(self.chart.zoom_about(at, factor)))
    }

    fn pan_by(&self, by: Point) -> Option<String> {
        Some(zoom_text(self.chart.pan_by(by)))
    }
}

/// The view.
#[component]
pub fn Roofline() -> impl IntoView {
    let app = App::here();
    let metrics_points = app.points;
    let field = Memo::new(move |_| {
        app.view
            .with(|v| Field::parse(v.param("color").unwrap_or("dtype")))
    });
    // All rows keep their colour whatever is filtered: the colouring depends on data and figures.
    let whole = Memo::new(move |_| {
        let (data, metrics) = (app.data.get(), app.metrics.get());
        Shown(crate::field::Frame {
            data: data.0,
            metrics: metrics.0,
            rows: Default::default(),
        })
    });
    let coloring = Memo::new(move |_| {
        let theme = Theme::of(app.dark.get());
        let frame = whole.get();
        let coloring = match field.get().and_then(|f| frame.info(&f)) {
            Some(info) => Coloring::by(&frame, &info, &theme),
            None => Coloring::plain(&theme),
        };
        Shared::from(coloring)
    });
    let off = Memo::new(move |_| -> Vec<String> {
        app.view.with(|v| {
            v.param(OFF_KEY)
                .map_or_else(Vec::new, |t| t.split('\n').map(str::to_owned).collect())
        })
    });
    let hidden = Memo::new(move |_| {
        let off = off.get();
        coloring.with(|c| {
            c.names
                .iter()
                .map(|n| off.contains(n))
                .collect::<Vec<bool>>()
        })
    });
    let zoom = Memo::new(move |_| app.view.with(|v| v.param(ZOOM_KEY).and_then(zoom_of)));
    let size = Memo::new(move |_| app.view.with(size_of));
    let numbered = app.numbered;
    let settings = Memo::new(move |_| {
        app.late
            .with(|f| app.view.with(|v| roofline::settings::controls(f, v)))
    });
    let tiles = Memo::new(move |_| {
        app.view
            .with(|v| v.param(CEILING_KEY).unwrap_or("").to_owned())
    });
    let measured = Memo::new(move |_| shows_measured(app));
    let legend = RwSignal::new(Vec::<LegendEntry>::new());
    let counts = RwSignal::new(crate::chart::roofline::Counts::default());

    let track = move || {
        app.frame.with(|_| ());
        metrics_points.with(|_| ());
        coloring.with(|_| ());
        hidden.with(|_| ());
        zoom.with(|_| ());
        size.with(|_| ());
        numbered.with(|_| ());
        tiles.with(|_| ());
        measured.with(|_| ());
    };
    let draw: Draw = Rc::new(move |canvas: &Canvas| {
        let frame = app.frame.try_get_untracked()?;
        let points = metrics_points.try_get_untracked()?;
        let coloring = coloring.try_get_untracked()?;
        let hidden = hidden.try_get_untracked()?;
        let numbered = numbered.try_get_untracked()?;
        let tiles = tiles.try_get_untracked()?;
        let measured = measured.try_get_untracked()?;
        let shapes = (tiles == "all").then(|| ShapeRoofs::new(&frame.data, &frame.metrics));
        let own = shapes.as_ref().map(|s| move |row| ceiling(s.of(row)));
        let chart = roofline(&Input {
            own_ceiling: own.as_ref().map(|f| f as &dyn Fn(usize) -> f64),
            hidden: &hidden,
            measured,
            dpr: canvas.dpr,
            zoom: zoom.try_get_untracked()?,
            size: size.try_get_untracked()?,
            numbered: &numbered,
            ..Input::new(&frame, &points, &coloring, &canvas.theme, canvas.size)
        });
        legend.try_set(chart.legend.clone());
        counts.try_set(chart.counts);
        let rows = frame.clone();
        let one = move |row: usize| ceiling(ShapeRoofs::of_row(&rows.data, &rows.metrics, row));
        let drawn = Drawn {
            chart,
            ceiling: (tiles != "off").then(|| Box::new(one) as Box<dyn Fn(usize) -> f64>),
            frame,
            points,
            coloring,
            hidden,
            measured,
            canvas: *canvas,
            grid: OnceCell::new(),
            open: OnceCell::new(),
        };
        Some(Rc::new(drawn) as Rc<dyn Picture>)
    });
    let describe: Describe = Arc::new(move |t: &Target| describe_row(app, t));
    view! {
        <ChartView
            track=track
            draw=draw
            describe=describe
            name="roofline"
            bar=move || controls(settings.into(), write(app))
            legend=move || view! { <Legend entries=legend off=off gradient=coloring counts=counts /> }
        />
    }
}

/// Head and lines of a row's tooltip.
pub fn describe_row(app: App, t: &Target) -> (String, Vec<(String, String)>) {
    let Some(&row) = t.rows.first() else {
        return (t.label.clone(), Vec::new());
    };
    let (head, mut lines) = app
        .frame
        .with_untracked(|f| explain::brief(f, row as usize));
    if t.more > 0 {
        lines.push((
            "Here too".to_owned(),
            format!("{} more", grouped(t.more as u64)),
        ));
    }
    (head, lines)
}

/// Click switches one off, a second click (or Alt) leaves only it.
#[component]
fn Legend(
    entries: RwSignal<Vec<LegendEntry>>,
    off: Memo<Vec<String>>,
    gradient: Memo<Shared<Coloring>>,
    counts: RwSignal<crate::chart::roofline::Counts>,
) -> impl IntoView {
    let app = App::here();
    let set_off = move |names: Vec<String>| {
        app.edit("legend", |v| v.set_param(OFF_KEY, names.join("\n")));
    };
    let toggle = move |name: String| {
        let mut names = off.get_untracked();
        match names.iter().position(|n| *n == name) {
            Some(i) => drop(names.remove(i)),
            None => names.push(name),
        }
        set_off(names);
    };
    let only = move |name: String| {
        let all: Vec<String> = entries.with_untracked(|e| {
            e.iter()
                .map(|e| e.name.clone())
                .filter(|n| *n != name)
                .collect()
        });
        let alone =
            off.with_untracked(|o| o.len() == all.len() && all.iter().all(|n| o.contains(n)));
        set_off(if alone { Vec::new() } else { all });
    };
    let stepped = Memo::new(move |_| gradient.with(|c| c.gradient.is_some()));
    let shown = move || {
        let used = |e: &LegendEntry| e.count > 0 && !e.name.is_empty();
        entries.get().into_iter().filter(used).collect::<Vec<_>>()
    };
    let above = move || counts.get().above_roof;
    view! {
        <div class="legend" role="group" aria-label="Legend">
            <span class="legend-title">{move || gradient.with(|c| c.label.clone())}</span>
            <Show
                when=move || !stepped.get()
                fallback=move || view! { <Gradient coloring=gradient /> }
            >
                <For each=shown
                    key=|e| (e.name.clone(), e.count, e.hidden, e.color)
                    let:entry>
                    {
                        let (a, b) = (entry.name.clone(), entry.name.clone());
                        view! {
                            <button
                                type="button"
                                class="legend-entry"
                                aria-pressed=(!entry.hidden).to_string()
                                title=format!("{}: click to hide, Alt or double click for only this", entry.name)
                                on:click=move |e| if e.alt_key() { only(a.clone()) } else { toggle(a.clone()) }
                                on:dblclick=move |_| only(b.clone())
                            >
                                {swatch(entry.color, entry.glyph)}
                                <span>{entry.name.clone()}</span>
                                <span class="facet-count">{grouped(entry.count)}</span>
                            </button>
                        }
                    }
                </For>
            </Show>
            <Show when=move || { counts.get().measured > 0 }>
                <button type="button" class="legend-entry"
                    aria-pressed=move || shows_measured(app).to_string()
                    title="The same GEMMs at the intensity of the bytes that the profiler counted. Click to show or hide them."
                    on:click=move |_| app.edit("measured", |v| {
                        let to = if v.param(MEASURED_KEY) == Some("off") { "" } else { "off" };
                        v.set_param(MEASURED_KEY, to);
                    })>
                    <svg class="swatch" viewBox="0 0 12 12" aria-hidden="true"><path d="M6 1.2 10.8 6 6 10.8 1.2 6z" class="swatch-open" /></svg>
                    <span>{MEASURED_NAME}</span>
                    <span class="facet-count">{move || grouped(counts.get().measured)}</span>
                </button>
            </Show>
            <Show when=move || { above() > 0 }>
                <button type="button" class="legend-entry" on:click=move |_| select_above(app)
                    title="Faster than the roof allows: cache, sparsity, another device or unit. Click to select them and see what could explain each.">
                    <svg class="swatch" viewBox="0 0 12 12" aria-hidden="true"><path d="M6 1.5 11 10.5H1z" class="swatch-above" /></svg>
                    <span>"above its roof"</span>
                    <span class="facet-count">{move || grouped(above())}</span>
                </button>
            </Show>
        </div>
    }
}

fn shows_measured(app: App) -> bool {
    app.view.with(|v| v.param(MEASURED_KEY) != Some("off"))
}

/// Selects the passing rows above their roof, the farthest first.
fn select_above(app: App) {
    const MOST: usize = 24;
    let mut rows: Vec<(f64, u32)> = app.frame.with_untracked(|f| {
        let efficiency = |r: u32| f.metrics.efficiency(&f.data, r as usize);
        f.rows
            .iter()
            .map(|&r| (efficiency(r), r))
            .filter(|(e, _)| *e > 1.0)
            .collect()
    });
    rows.sort_by(|a, b| b.0.total_cmp(&a.0));
    rows.truncate(MOST);
    let rows: Vec<u32> = rows.into_iter().map(|r| r.1).collect();
    app.select(&rows, false);
}

fn hex(c: crate::chart::scene::Color) -> String {
    format!("#{:02x}{:02x}{:02x}", c.0, c.1, c.2)
}

/// The mark of a category as the chart draws it.
pub fn swatch(color: crate::chart::scene::Color, glyph: Glyph) -> AnyView {
    let path = match glyph {
        Glyph::Square => "M2 2h8v8H2z",
        Glyph::Diamond => "M6 .8 11.2 6 6 11.2.8 6z",
        Glyph::Triangle => "M6 1.5 11 10.5H1z",
        Glyph::Ring => "M6 1a5 5 0 1 0 0 10A5 5 0 0 0 6 1zm0 2a3 3 0 1 1 0 6 3 3 0 0 1 0-6z",
        _ => "M6 1.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9z",
    };
    view! { <svg class="swatch" viewBox="0 0 12 12" aria-hidden="true"><path d=path fill=hex(color) /></svg> }.into_any()
}

#[component]
fn Gradient(coloring: Memo<Shared<Coloring>>) -> impl IntoView {
    move || {
        let c = coloring.get();
        let steps = c.palette.len().saturating_sub(1);
        let width = 100.0 / steps.max(1) as f64;
        let first = c.names.first().cloned().unwrap_or_default();
        let last = steps
            .checked_sub(1)
            .and_then(|i| c.names.get(i).cloned())
            .unwrap_or_default();
        view! {
            <span class="gradient-end">{first}</span>
            <svg class="gradient" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
                {(0..steps)
                    .map(|i| view! { <rect x=(i as f64 * width).to_string() y="0" width=(width + 0.3).to_string() height="10" fill=hex(c.palette[i]) /> })
                    .collect_view()}
            </svg>
            <span class="gradient-end">{last}</span>
        }
    }
}
