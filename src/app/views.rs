//! The views as data. A new one is a module with one function and an entry in [`VIEWS`].
//!
//! `Kind::Scene` is all a chart needs: a pure function from frame and view state to a scene. The
//! generic [`ChartView`](super::chart_view::ChartView) around it hovers, selects, walks by
//! keyboard, saves pictures and shows the accessible table. Selectors above the chart come from
//! `controls`; each reads and writes one key of `ViewState::params`.

pub mod roofline;
mod scene;

use super::state::App;
use super::ui::{icon, value_of};
use crate::chart::palette::Theme;
use crate::chart::scene::Scene;
use crate::field::{Field, FieldKind, Frame};
use crate::view_state::ViewState;
use leptos::prelude::*;

/// A chart as a pure function: what shows, what is set, CSS pixels, colours.
pub type DrawScene = fn(&Frame, &ViewState, (f64, f64), &Theme) -> Scene;

/// What draws a view.
pub enum Kind {
    /// The roofline, which has a camera, a legend and a density image of its own.
    Roofline,
    /// Rows and columns.
    Table,
    /// The planner, which needs no file.
    Plan,
    /// Any other chart.
    Scene(DrawScene),
}

/// One view.
pub struct View {
    /// Key in links; "" in a link means the first view.
    pub id: &'static str,
    /// Name on its tab.
    pub title: &'static str,
    /// Outline of its icon, 16 px grid.
    pub icon: &'static str,
    /// One sentence: what it shows.
    pub hint: &'static str,
    /// What draws it.
    pub kind: Kind,
    /// Its selectors.
    pub controls: &'static [Control],
}

/// A selector above a chart: writes one key of the view state.
pub struct Control {
    /// Key in `ViewState::params`.
    pub key: &'static str,
    /// Its label.
    pub label: &'static str,
    /// One sentence for a newcomer.
    pub hint: &'static str,
    /// What can be chosen.
    pub choices: Choices,
}

/// What a selector offers.
pub enum Choices {
    /// Fields of the data; the default's text form, or "" for none.
    Fields {
        /// Only numbers, only categories, or both.
        kind: Option<FieldKind>,
        /// Chosen where the link says nothing.
        default: &'static str,
        /// "none" can be chosen.
        none: Option<&'static str>,
    },
    /// Fixed ones: value and label; the first is the default.
    Fixed(&'static [(&'static str, &'static str)]),
}

/// All views, in the order of their tabs.
pub const VIEWS: &[View] = &[
    View {
        id: "roofline",
        title: "Roofline",
        icon: icon::ROOFLINE,
        hint: "Every GEMM by arithmetic intensity and attained rate, under what its device allows",
        kind: Kind::Roofline,
        controls: &[
            Control {
                key: "color",
                label: "Colour",
                hint: "What the points' colour shows",
                choices: Choices::Fields {
                    kind: None,
                    default: "dtype",
                    none: Some("nothing"),
                },
            },
            Control {
                key: "size",
                label: "Size",
                hint: "What the points' area shows",
                choices: Choices::Fixed(&[
                    ("", "the same"),
                    ("time", "total time"),
                    ("count", "calls"),
                ]),
            },
            Control {
                key: "labels",
                label: "Numbers",
                hint: "Which points carry a number, selected ones first; the same numbers stand in the table",
                choices: Choices::Fixed(&[
                    ("", "most lost time"),
                    ("time", "most time"),
                    ("selected", "only selected"),
                    ("off", "none"),
                ]),
            },
        ],
    },
    View {
        id: "table",
        title: "Table",
        icon: icon::TABLE,
        hint: "Every row and column, to sort, search and export",
        kind: Kind::Table,
        controls: &[],
    },
    View {
        id: "plan",
        title: "Plan",
        icon: icon::PLAN,
        hint: "What a model's GEMMs could attain, before anything runs; needs no file",
        kind: Kind::Plan,
        controls: &[],
    },
];

impl View {
    /// What the view state holds while this view shows: "" for the first.
    pub fn key(&self) -> &'static str {
        if self.id == VIEWS[0].id { "" } else { self.id }
    }

    /// True where the view shows nothing without a file.
    pub fn needs_file(&self) -> bool {
        !matches!(self.kind, Kind::Plan)
    }

    /// True where the view state means this view. A view that this version does not know is the
    /// first one.
    pub fn is_shown(&self, key: &str) -> bool {
        if VIEWS.iter().any(|v| v.id == key) {
            self.id == key
        } else {
            self.id == VIEWS[0].id
        }
    }
}

/// The view of this key in the view state.
pub fn shown(key: &str) -> &'static View {
    VIEWS.iter().find(|v| v.is_shown(key)).unwrap_or(&VIEWS[0])
}

/// One tab a view.
#[component]
pub fn Tabs() -> impl IntoView {
    let app = App::here();
    let tab = move |(i, v): (usize, &'static View)| {
        let active = move || app.view.with(|s| v.is_shown(&s.view));
        view! {
            <button
                type="button"
                class="tab"
                data-view=v.id
                aria-current=move || active().then_some("page")
                title=if i < 9 { format!("{} ({})", v.hint, i + 1) } else { v.hint.to_owned() }
                on:click=move |_| app.edit("view", |s| s.view = v.key().to_owned())
            >
                {icon(v.icon)}
                <span>{v.title}</span>
            </button>
        }
    };
    view! { <nav class="tabs" aria-label="Views">{VIEWS.iter().enumerate().filter(|(_, v)| v.needs_file()).map(tab).collect_view()}</nav> }
}

/// The view that the state names.
#[component]
pub fn ActiveView() -> impl IntoView {
    let app = App::here();
    let shown = Memo::new(move |_| {
        app.view
            .with(|s| VIEWS.iter().position(|v| v.is_shown(&s.view)).unwrap_or(0))
    });
    move || {
        let view = &VIEWS[shown.get()];
        match view.kind {
            Kind::Roofline => view! { <roofline::Roofline view=view /> }.into_any(),
            Kind::Plan => view! { <super::plan::PlanView /> }.into_any(),
            Kind::Table => view! { <super::table::Table /> }.into_any(),
            Kind::Scene(draw) => view! { <scene::SceneView view=view draw=draw /> }.into_any(),
        }
    }
}

/// A view's selectors.
#[component]
pub fn Controls(view: &'static View) -> impl IntoView {
    view.controls.iter().map(control).collect_view()
}

fn control(control: &'static Control) -> AnyView {
    let app = App::here();
    let options = Memo::new(move |_| -> Vec<(String, String)> {
        match &control.choices {
            Choices::Fixed(list) => list
                .iter()
                .map(|(v, l)| ((*v).to_owned(), (*l).to_owned()))
                .collect(),
            Choices::Fields { kind, none, .. } => app.late.with(|frame| {
                let fields = frame
                    .fields()
                    .into_iter()
                    .filter(|i| kind.is_none_or(|k| i.kind == k))
                    .map(|i| (i.field.to_string(), i.label));
                none.iter()
                    .map(|n| ("none".to_owned(), (*n).to_owned()))
                    .chain(fields)
                    .collect()
            }),
        }
    });
    let default = match &control.choices {
        Choices::Fixed(_) => "",
        Choices::Fields { default, .. } => default,
    };
    let current = Memo::new(move |_| {
        app.view
            .with(|v| v.param(control.key).unwrap_or(default).to_owned())
    });
    let choose = move |e| {
        let value = value_of(&e);
        let value = if value == default {
            String::new()
        } else {
            value
        };
        app.edit("control", |v| v.set_param(control.key, value));
    };
    view! {
        <label class="control" title=control.hint>
            <span>{control.label}</span>
            <select on:change=choose data-control=control.key>
                <For each=move || options.get() key=|o| o.clone() let:o>
                    {
                        let value = o.0.clone();
                        view! { <option value=o.0 selected=move || current.get() == value>{o.1}</option> }
                    }
                </For>
            </select>
        </label>
    }
    .into_any()
}

/// The field that a control names, or `None` for none.
pub fn field_of(state: &ViewState, key: &str, default: &str) -> Option<Field> {
    Field::parse(state.param(key).unwrap_or(default))
}
