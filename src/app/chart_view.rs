//! A chart on the page: two canvases (the picture, and the emphasis over it), a tooltip, pointer,
//! keyboard and touch, saving, and the same content as a table.

mod click;
mod gesture;
mod picture;
pub mod save;

pub use picture::{Draw, Picture};

use self::picture::Pointed;
use super::state::{Shell, Workbench};
use super::ui::{icon, icon_button, one_stop, table_view};
use crate::web::frame::{self, Frame};
use crate::web::{canvas, clock, dom};
use gemmscope_chart::camera::{Zoom, set_zoom, zoom_of};
use gemmscope_chart::chart::{Canvas, Emphasis, Target};
use gemmscope_chart::palette::Theme;
use gemmscope_chart::tooltip::Tooltip;
use leptos::prelude::*;
use std::rc::Rc;

/// What stands beside a picture, and follows from it.
pub type Beside = Box<dyn FnOnce(Picture) -> AnyView>;

/// What stands above the bar, and what stands below the picture.
pub type Words = Box<dyn FnOnce(Picture) -> (AnyView, AnyView)>;

/// Rows of the accessible table; a saved one has all.
const TABLE_ROWS: usize = 500;
/// Rows that other charts mark at most while the pointer is over one.
const MARKED: usize = 500;

/// The chart. `inputs` is everything that the picture depends on besides its size and theme.
#[component]
pub fn ChartView<I: Clone + PartialEq + Send + Sync + 'static>(
    inputs: Memo<I>,
    draw: Draw<I>,
    /// Key of the chart in links, for its zoom and scrolling; base of the names of saved files.
    name: &'static str,
    /// The page has made room for it: it takes what height there is, and never scrolls.
    #[prop(optional)]
    fills: bool,
    /// What stands in the bar above the chart.
    #[prop(optional)]
    bar: Option<Beside>,
    /// What stands below the bar: a legend.
    #[prop(optional)]
    legend: Option<Beside>,
    /// What stands above the bar, the verdict, and what stands below the picture.
    #[prop(optional)]
    words: Option<Words>,
) -> impl IntoView {
    let shell = Shell::here();
    let bench = Workbench::here();
    let stage = NodeRef::<leptos::html::Div>::new();
    let base = NodeRef::<leptos::html::Canvas>::new();
    let over = NodeRef::<leptos::html::Canvas>::new();
    let pointed: Pointed = RwSignal::new(None);
    let brush = RwSignal::new(None::<[f64; 4]>);
    let size = RwSignal::new((0.0, 0.0));
    let dpr = RwSignal::new(dom::pixel_ratio());
    let as_table = RwSignal::new(false);
    let boxing = RwSignal::new(false);
    let held = RwSignal::new(false);
    let options = RwSignal::new(false);
    let canvas = Memo::new(move |_| Canvas {
        size: size.get(),
        dpr: dpr.get(),
        theme: Theme::of(shell.dark.get()),
    });
    let picture = picture::picture(inputs, canvas, draw);
    let target = Memo::new(move |_| {
        let shown = picture.get();
        let here = |(of, _): &&(_, Target)| shown.as_ref() == Some(of);
        pointed.with(|p| p.as_ref().filter(here).map(|(_, target)| target.clone()))
    });
    // Least and most height: the stage scrolls where it has less, and takes no more.
    let limits = Memo::new(move |_| {
        let wanted = picture.with(|p| p.as_ref().map(|p| p.heights));
        wanted.filter(|_| !fills).unwrap_or((0.0, f64::INFINITY))
    });

    let ratio = dom::watch_pixel_ratio(move |r| {
        let _ = dpr.try_set(r);
    });
    let ratio = StoredValue::new_local(ratio);
    let watch = StoredValue::new_local(None::<dom::SizeWatch>);
    Effect::new(move |_| {
        if let Some(stage) = stage.get() {
            // The container: a canvas would report the size it was given.
            watch.set_value(dom::watch_size(&stage, move |w, h| {
                let _ = size.try_set((w, h));
            }));
        }
    });
    on_cleanup(move || {
        ratio.dispose();
        watch.dispose();
    });

    let paint = move || {
        let shown = picture.try_get_untracked().flatten();
        let (Some(drawn), Some(Some(canvas))) = (shown, base.try_get_untracked()) else { return };
        // A canvas that lost its context paints again with the next picture.
        let _ = canvas::paint_canvas(&canvas, drawn.scene(), dpr.get_untracked());
        clock::mark("gemmscope:drawn");
    };
    Effect::new(move |begun: Option<bool>| {
        let begun = begun == Some(true);
        if picture.with(Option::is_none) || base.get().is_none() {
            return begun;
        }
        // The first one in a task of its own, since its frame lays out the page; later ones are drawn in
        // the frame that paints them.
        match begun {
            true => paint(),
            false => frame::soon(paint),
        }
        true
    });
    // A view that points at nothing leaves alone what another points at.
    Effect::new(move |had: Option<bool>| {
        let mut rows = target.with(|t| t.as_ref().map_or_else(Vec::new, |t| t.rows.clone()));
        rows.truncate(MARKED);
        rows.sort_unstable();
        let has = !rows.is_empty();
        if (has || had == Some(true)) && bench.hovered.with_untracked(|h| *h != rows) {
            bench.hovered.set(rows);
        }
        has
    });
    on_cleanup(move || drop(bench.hovered.try_set(Vec::new())));
    let over_frame = Frame::default();
    Effect::new(move |_| {
        let Some(drawn) = picture.get() else { return };
        let what = Emphasis {
            target: target.get(),
            selected: bench.selected.get(),
            elsewhere: if target.with(Option::is_none) { bench.hovered.get() } else { Vec::new() },
            ranked: bench.ranked.get().map(|r| r.0.to_vec()),
            brush: brush.get(),
            held: held.get(),
        };
        let ratio = dpr.get();
        over_frame.request(move || {
            if let Some(Some(canvas)) = over.try_get_untracked() {
                let _ = canvas::paint_canvas(&canvas, &drawn.emphasis(&what), ratio);
            }
        });
    });

    let camera = Memo::new(move |_| picture.with(|p| p.as_ref().and_then(|p| p.camera())));
    let zoom = move |to: Option<Zoom>| bench.edit("zoom", |v| set_zoom(v, name, to));
    let zoom_mid = move |factor: f64| {
        let (w, h) = size.get_untracked();
        if let Some(camera) = camera.get_untracked() {
            zoom(Some(camera.zoom_about((w / 2.0, h / 2.0), factor)));
        }
    };
    let zoomable = Memo::new(move |_| camera.with(Option::is_some));
    let zoomed =
        Memo::new(move |_| zoomable.get() && bench.view.with(|v| zoom_of(v, name).is_some()));
    // Where only columns scroll, a finger still moves the page up and down.
    let scrolls = Memo::new(move |_| {
        picture.with(|p| {
            let part = p.as_ref().and_then(|p| p.scene().scroll());
            part.is_some_and(|(_, _, rows)| rows.scrolls())
        })
    });
    gesture::attach(gesture::Parts {
        shell,
        bench,
        stage,
        picture,
        pointed,
        target,
        brush,
        boxing,
        held,
        zoomed,
        name,
        zoom: Rc::new(zoom),
    });

    let title =
        move || picture.with(|p| p.as_ref().map_or_else(String::new, |p| p.scene().title.clone()));
    let description = move || {
        picture.with(|p| p.as_ref().map_or_else(String::new, |p| p.scene().description.clone()))
    };
    let tooltip = Memo::new(move |_| {
        target.with(|t| {
            let t = t.as_ref()?;
            picture.with(|p| p.as_ref().map(|p| p.tooltip(t)))
        })
    });
    // The dock says more of a selected point than its tooltip, which would lie over the picture.
    let in_dock = Memo::new(move |_| {
        target.with(|t| {
            t.as_ref().is_some_and(|t| !t.rows.is_empty() && bench.selected.with(|s| *s == t.rows))
        })
    });
    let spoken = move || tooltip.with(|t| t.as_ref().map_or_else(String::new, spoken));
    let described = format!("chart-{name}");
    let (above, below) = words.map(|words| words(picture)).unzip();
    let fold = move || {
        options.set(false);
        dom::focus(&format!("[data-chart=\"{name}\"] .fold"));
    };
    view! {
        <section class="chart" aria-label=name data-chart=name
            on:keydown=move |e| if e.key() == "Escape" && !e.default_prevented() && options.get_untracked() {
                e.prevent_default();
                fold();
            }>
            {above}
            // One stop of the Tab key: the picture is the next.
            <div class="toolbar" class:open=move || options.get() role="toolbar" aria-label="Controls of the chart"
                on:focusin=|e| one_stop::entered(&e) on:focusout=|e| one_stop::left(&e) on:keydown=|e| one_stop::keys(&e)>
                <button type="button" class="button small narrow-only fold" aria-expanded=move || options.get().to_string()
                    on:click=move |_| options.update(|o| *o = !*o)>
                    {icon(icon::SLIDERS)} <span>"Options"</span>
                </button>
                <div class="toolbar-sheet">
                    <div class="options-head">
                        <strong>"Options"</strong>
                        {icon_button(icon::CROSS, "Close the options", fold)}
                    </div>
                    <div class="toolbar-options">{bar.map(|bar| bar(picture))}</div>
                </div>
                <span class="spacer"></span>
                <button type="button" class="icon-button" aria-label="Draw a box"
                    title="Drag a box: keeps what is inside (Shift and a drag does the same)"
                    aria-pressed=move || boxing.get().to_string() on:click=move |_| boxing.update(|b| *b = !*b)>
                    {icon(icon::BOX)}
                </button>
                <Show when=move || zoomable.get()>
                    <div class="zoom-buttons" role="group" aria-label="Zoom">
                        {icon_button(icon::PLUS, "Zoom in (+)", move || zoom_mid(1.5))}
                        {icon_button(icon::MINUS, "Zoom out (−)", move || zoom_mid(1.0 / 1.5))}
                        <button type="button" class="icon-button" aria-label="Whole picture" title="Whole picture (0)"
                            disabled=move || camera.with(|c| c.is_none_or(|c| c.is_whole()))
                            on:click=move |_| zoom(camera.get_untracked().and_then(|c| c.whole()))>
                            {icon(icon::FIT)}
                        </button>
                    </div>
                </Show>
                <button type="button" class="icon-button" aria-label="As a table" title="What is drawn, as a table"
                    aria-pressed=move || as_table.get().to_string() on:click=move |_| as_table.update(|t| *t = !*t)>
                    {icon(icon::TABLE)}
                </button>
                <save::SaveMenu picture=picture name=name />
            </div>
            <div class="chart-scroll" on:scroll=move |e| shell.scrolled(&e)>
            <div
                class="chart-stage"
                class:zoomed=move || zoomed.get()
                class:boxing=move || boxing.get()
                class:scrolls=move || scrolls.get()
                class:on-bar=move || held.get()
                style:min-height=move || format!("{}px", limits.get().0)
                style:max-height=move || Some(limits.get().1).filter(|h| h.is_finite()).map(|h| format!("{h}px"))
                class:pointing=move || target.with(Option::is_some)
                node_ref=stage
                tabindex="0"
                role="application"
                aria-roledescription="chart"
                aria-label=title
                aria-describedby=described.clone()
            >
                <canvas node_ref=base aria-hidden="true"></canvas>
                <canvas node_ref=over aria-hidden="true"></canvas>
                <Show when=move || !in_dock.get()>
                    <TooltipBox target=target tooltip=tooltip size=size />
                </Show>
            </div>
            {below}
            </div>
            {legend.map(|legend| legend(picture))}
            <p id=described class="visually-hidden">{description}</p>
            <p class="visually-hidden" aria-live="polite">{spoken}</p>
            <Show when=move || as_table.get()>
                <DataTable picture=picture />
            </Show>
        </section>
    }
}

/// A tooltip as it is read out.
fn spoken(tooltip: &Tooltip) -> String {
    let mut out = tooltip.head.clone();
    for (caption, value) in &tooltip.rows {
        out.push_str(", ");
        if !caption.is_empty() {
            out.push_str(caption);
            out.push(' ');
        }
        out.push_str(value);
    }
    out
}

/// Beside the pointer, inside the stage.
#[component]
fn TooltipBox(
    target: Memo<Option<Target>>,
    tooltip: Memo<Option<Tooltip>>,
    size: RwSignal<(f64, f64)>,
) -> impl IntoView {
    move || {
        let t = target.get()?;
        tooltip.get().map(|Tooltip { head, rows }| {
            let (w, h) = size.get_untracked();
            let (left, low) = (t.at.0 > w * 0.55, t.at.1 > h * 0.55);
            let x = if left {
                w - t.at.0 + 14.0
            } else {
                t.at.0 + 14.0
            };
            let y = if low {
                h - t.at.1 + 10.0
            } else {
                t.at.1 + 10.0
            };
            view! {
                <div
                    class="tooltip"
                    aria-hidden="true"
                    style:left=move || if left { "auto".to_owned() } else { format!("{x}px") }
                    style:right=move || if left { format!("{x}px") } else { "auto".to_owned() }
                    style:top=move || if low { "auto".to_owned() } else { format!("{y}px") }
                    style:bottom=move || if low { format!("{y}px") } else { "auto".to_owned() }
                >
                    <strong>{head}</strong>
                    <dl>
                        {rows
                            .into_iter()
                            .map(|(label, value)| {
                                let whole = label.is_empty();
                                view! { <dt class:absent=whole>{label}</dt><dd class:whole=whole>{value}</dd> }
                            })
                            .collect_view()}
                    </dl>
                </div>
            }
        })
    }
}

/// The picture's content for those who read tables, with what was left out.
#[component]
fn DataTable(picture: Picture) -> impl IntoView {
    let bench = Workbench::here();
    move || {
        picture.get().map(|p| {
            let (table, left_out) = p.table(TABLE_ROWS, &save::marks(bench));
            view! {
                <div class="data-table" tabindex="0" role="region" aria-label="What is drawn, as a table">
                    {table_view(table)}
                    {(left_out > 0).then(|| view! { <p class="muted">{format!("and {left_out} more: save the CSV for all")}</p> })}
                </div>
            }
        })
    }
}
