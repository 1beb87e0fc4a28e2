//! The views of the page: every chart, the overview, the table and the planner.
//!
//! A new chart is a folder and an entry of [`CHARTS`] in the chart crate; nothing here changes.
//! [`chart::ChartPane`] shows any of them: it hovers, selects, zooms and scrolls, walks by
//! keyboard, saves pictures and shows the accessible table. One view shows, or four side by side
//! where the screen is wide.

pub mod chart;
pub mod legend;
pub mod overview;
pub mod table;

use super::state::Workbench;
use super::ui::icon;
use crate::web::dom;
use gemmscope_chart::charts::{self, CHARTS};
use gemmscope_chart::picture::NOT_DRAWN;
use gemmscope_table::view_state::ViewState;
use leptos::prelude::*;

/// What a tab shows.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The chart with the key of the tab.
    Chart,
    /// What matters: sentences and findings.
    Overview,
    /// Rows and columns.
    Table,
    /// The planner, which needs no file.
    Plan,
}

/// One view.
#[derive(Clone, Copy)]
pub struct Tab {
    /// Key in links; "" in a link means the first view.
    pub id: &'static str,
    /// Name on its tab.
    pub title: &'static str,
    /// Outline of its icon, 16 px grid.
    pub icon: &'static str,
    /// One sentence: what it shows.
    pub hint: &'static str,
    /// What it shows.
    pub kind: Kind,
}

const OVERVIEW: Tab = Tab {
    id: NOT_DRAWN[0],
    title: "Overview",
    icon: icon::FLAG,
    hint: "What matters, why, and what to try",
    kind: Kind::Overview,
};
const TABLE: Tab = Tab {
    id: NOT_DRAWN[1],
    title: "Table",
    icon: icon::TABLE,
    hint: "Every row and column, to sort, search and export",
    kind: Kind::Table,
};
const PLAN: Tab = Tab {
    id: NOT_DRAWN[2],
    title: "Plan",
    icon: icon::PLAN,
    hint: "What a model's GEMMs could attain, before anything runs; needs no file",
    kind: Kind::Plan,
};

/// All views, in the order of their tabs: the first chart, overview and table, the other charts,
/// the planner. Made by the compiler: it copies the names of the charts and leaves their code in
/// the part of the program that draws.
pub static TABS: [Tab; CHARTS.len() + 3] = {
    let mut tabs = [PLAN; CHARTS.len() + 3];
    let mut i = 0;
    while i < CHARTS.len() {
        let at = if i == 0 { 0 } else { i + 2 };
        tabs[at] = Tab {
            id: CHARTS[i].id,
            title: CHARTS[i].name,
            icon: CHARTS[i].icon,
            hint: CHARTS[i].hint,
            kind: Kind::Chart,
        };
        i += 1;
    }
    tabs[1] = OVERVIEW;
    tabs[2] = TABLE;
    tabs
};

/// Key of the views that are tiled: ids, separated by commas.
const PANES: &str = "panes";
/// Views side by side.
const TILED: usize = 4;
/// Views that fill the free places, in this order.
const FILLERS: [&str; 4] = ["roofline", "heat", "compare", "bars"];
/// From this width on four views have room.
const WIDE: &str = "(min-width: 1100px)";

impl Tab {
    /// What the view state holds while this view shows: "" for the first.
    pub fn key(&self) -> &'static str {
        if self.id == TABS[0].id { "" } else { self.id }
    }

    /// True where the view shows nothing without a file.
    pub fn needs_file(&self) -> bool {
        !matches!(self.kind, Kind::Plan)
    }

    /// True where the view state means this view.
    pub fn is_shown(&self, key: &str) -> bool {
        shown(key).id == self.id
    }
}

/// The view of this key in the view state. A view that this version does not know is the first
/// one.
pub fn shown(key: &str) -> &'static Tab {
    TABS.iter().find(|v| v.id == key).unwrap_or(&TABS[0])
}

/// Index of the view that a state shows, or has chosen of several. A view that this version does
/// not know is the first one.
fn active(state: &ViewState) -> usize {
    TABS.iter().position(|v| v.id == state.view).unwrap_or(0)
}

/// Indices of the tiled views; fewer than two are none.
fn panes(state: &ViewState) -> Vec<usize> {
    let mut out = Vec::new();
    for id in state.param(PANES).unwrap_or_default().split(',') {
        if let Some(i) = TABS.iter().position(|v| v.id == id && v.needs_file())
            && !out.contains(&i)
            && out.len() < TILED
        {
            out.push(i);
        }
    }
    if out.len() < 2 || !TABS[active(state)].needs_file() {
        out.clear();
    } else if !out.contains(&active(state)) {
        // A link that names another view still shows it.
        out[0] = active(state);
    }
    out
}

fn set_panes(state: &mut ViewState, panes: &[usize]) {
    let ids: Vec<&str> = panes.iter().map(|i| TABS[*i].id).collect();
    state.set_param(PANES, ids.join(","));
}

/// Shows a view: alone, or in the place of the chosen one of several.
pub fn choose(bench: Workbench, view: &'static Tab) {
    bench.edit("view", |s| {
        let mut tiled = panes(s);
        let (old, new) = (active(s), TABS.iter().position(|v| v.id == view.id));
        s.view = view.key().to_owned();
        if let Some(new) = new
            && !tiled.is_empty()
            && !tiled.contains(&new)
        {
            for p in tiled.iter_mut().filter(|p| **p == old) {
                *p = new;
            }
            set_panes(s, &tiled);
        }
    });
}

/// Four views, or one again.
pub fn toggle_tiles(bench: Workbench) {
    bench.edit("view", |s| {
        if panes(s).is_empty() {
            let mut all = vec![active(s)];
            for id in FILLERS {
                if let Some(i) = TABS.iter().position(|v| v.id == id)
                    && !all.contains(&i)
                    && all.len() < TILED
                {
                    all.push(i);
                }
            }
            set_panes(s, &all);
        } else {
            s.set_param(PANES, "");
        }
    });
}

/// Tells whether the screen has room for several views.
fn wide() -> RwSignal<bool> {
    let wide = RwSignal::new(dom::media(WIDE));
    let watch = dom::watch_media(WIDE, move |_| wide.set(dom::media(WIDE)));
    let watch = StoredValue::new_local(watch);
    on_cleanup(move || watch.dispose());
    wide
}

/// The row of tabs.
#[component]
pub fn Tabs() -> impl IntoView {
    let bench = Workbench::here();
    let current = Memo::new(move |_| bench.view.with(active));
    let tiled = Memo::new(move |_| bench.view.with(|v| !panes(v).is_empty()));
    let row = NodeRef::<leptos::html::Nav>::new();
    // On a narrow screen the chosen tab may lie outside of the row.
    Effect::new(move |_| {
        current.track();
        let Some(row) = row.get() else { return };
        request_animation_frame(move || {
            if let Ok(Some(tab)) = row.query_selector("[aria-current]") {
                let (bar, tab) = (
                    row.get_bounding_client_rect(),
                    tab.get_bounding_client_rect(),
                );
                let over =
                    (tab.right() - bar.right()).max(0.0) - (bar.left() - tab.left()).max(0.0);
                row.set_scroll_left(row.scroll_left() + over.round() as i32);
            }
        });
    });
    view! {
        <div class="tab-row">
            <nav class="tabs" aria-label="Views" node_ref=row>
                {TABS
                    .iter()
                    .enumerate()
                    .filter(|(_, v)| v.needs_file())
                    .map(|(i, v)| {
                        let title = match i {
                            0..=8 => format!("{} ({})", v.hint, i + 1),
                            _ => v.hint.to_owned(),
                        };
                        view! {
                            <button
                                type="button"
                                class="tab"
                                data-view=v.id
                                aria-current=move || (current.get() == i).then_some("page")
                                title=title
                                on:click=move |_| choose(bench, v)
                            >
                                {icon(v.icon)}
                                <span>{v.title}</span>
                            </button>
                        }
                    })
                    .collect_view()}
            </nav>
            <button type="button" class="icon-button tile-button" aria-label="Four views side by side"
                title="Four views side by side: what is selected in one is marked in all"
                aria-pressed=move || tiled.get().to_string() on:click=move |_| toggle_tiles(bench)>
                {icon(icon::GRID)}
            </button>
        </div>
    }
}

/// The view that the state names, or several.
#[component]
pub fn ActiveView() -> impl IntoView {
    let bench = Workbench::here();
    let wide = wide();
    let shown = Memo::new(move |_| {
        let wide = wide.get();
        bench.view.with(|s| match panes(s) {
            many if wide && !many.is_empty() => many,
            _ => vec![active(s)],
        })
    });
    let tiled = Memo::new(move |_| shown.with(|s| s.len() > 1));
    let current = Memo::new(move |_| bench.view.with(active));
    view! {
        <div class="panes" class:tiled=move || tiled.get()>
            <For each=move || shown.get() key=|i| *i let:i>
                <div
                    class="pane"
                    class:current=move || tiled.get() && current.get() == i
                    on:focusin=move |_| point(bench, i)
                    on:pointerdown=move |_| point(bench, i)
                >
                    <Show when=move || tiled.get()>
                        <h2 class="pane-title">{icon(TABS[i].icon)} {TABS[i].title}</h2>
                    </Show>
                    {body(&TABS[i])}
                </div>
            </For>
        </div>
    }
}

/// Makes a view the chosen one of several: the tabs then change its place.
fn point(bench: Workbench, i: usize) {
    if bench
        .view
        .with_untracked(|s| !panes(s).is_empty() && active(s) != i)
    {
        bench.edit_without_undo(|s| s.view = TABS[i].key().to_owned());
    }
}

fn body(tab: &'static Tab) -> AnyView {
    match tab.kind {
        Kind::Chart => charts::by_id(tab.id).map_or_else(
            || ().into_any(),
            |kind| {
                view! {
                    // The first view leads on to the overview.
                    {(tab.id == TABS[0].id).then(|| view! { <overview::Insight /> })}
                    <chart::ChartPane kind=kind />
                }
                .into_any()
            },
        ),
        Kind::Overview => view! { <overview::Overview /> }.into_any(),
        Kind::Plan => super::later::later(super::planner::planner),
        Kind::Table => view! { <table::Table /> }.into_any(),
    }
}
