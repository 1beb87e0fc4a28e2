//! A chart on the page: two canvases (the picture, and highlights over it), tooltip, pointer, keyboard and touch, and a
//! menu that saves it and lists its figures.

mod click;
mod gesture;
mod picture;
pub mod save;
mod stage;

pub use picture::{Draw, PictureMemo};

use self::stage::Stage;
use super::ui::{icon, icon_button, roving_tabindex};
use crate::web::dom;
use gemmscope_chart::chart::Target;
use gemmscope_chart::tooltip::Tooltip;
use leptos::prelude::*;

/// A view beside a picture that depends on the picture.
pub type Beside = Box<dyn FnOnce(PictureMemo) -> AnyView>;

/// The texts above the bar and below the picture.
pub type Words = Box<dyn FnOnce(PictureMemo) -> (AnyView, AnyView)>;

/// The chart. `inputs` changes when an input of the picture other than its size and theme does.
#[component]
pub fn ChartView(
    inputs: Signal<()>,
    draw: Draw,
    /// Key of the chart in links (zoom, scroll position), and base name of saved files.
    name: &'static str,
    /// The chart fills the height that the page gives it, and never scrolls.
    #[prop(optional)]
    fills: bool,
    /// Contents of the bar above the chart.
    #[prop(optional)]
    bar: Option<Beside>,
    /// The legend below the bar.
    #[prop(optional)]
    legend: Option<Beside>,
    /// The verdict above the bar and the notes below the picture.
    #[prop(optional)]
    words: Option<Words>,
) -> impl IntoView {
    let stage = Stage::of(inputs, draw, name);
    let Stage { shell, picture, .. } = stage;
    gesture::attach(stage);
    let options = RwSignal::new(false);
    let description = move || {
        picture.with(|p| p.as_ref().map_or_else(String::new, |p| p.scene().description.clone()))
    };
    let tooltip = stage.tooltip();
    let spoken = move || tooltip.with(|t| t.as_ref().map_or_else(String::new, spoken));
    let described = format!("chart-{name}");
    let (above, below) = words.map(|words| words(picture)).unzip();
    let escape = move |e: web_sys::KeyboardEvent| {
        if e.key() == "Escape" && !e.default_prevented() && options.get_untracked() {
            e.prevent_default();
            fold(name, options);
        }
    };
    view! {
        <section class="chart" aria-label=name data-chart=name on:keydown=escape>
            {above}
            {toolbar(stage, bar, options)}
            <div class="chart-body">
                <div class="chart-scroll" on:scroll=move |e| shell.scrolled(&e)>
                    {canvases(stage, fills, tooltip, described.clone())}
                    {below}
                </div>
                {legend.map(|legend| legend(picture))}
                <p id=described class="visually-hidden">{description}</p>
                <p class="visually-hidden" aria-live="polite">{spoken}</p>
            </div>
        </section>
    }
    .into_any()
}

/// Closes the options on a narrow screen and returns the focus to the button that opened them.
fn fold(name: &str, options: RwSignal<bool>) {
    options.set(false);
    dom::focus(&format!("[data-chart=\"{name}\"] .fold"));
}

/// The controls above the picture, a single Tab stop; the picture is the next one.
fn toolbar(stage: Stage, bar: Option<Beside>, options: RwSignal<bool>) -> AnyView {
    let Stage { name, picture, boxing, camera, .. } = stage;
    let zoomable = Memo::new(move |_| camera.with(Option::is_some));
    // Without a picture there is nothing to box, list or save.
    let none =
        move || picture.with(|p| p.as_ref().is_some_and(|p| p.opened.said.obstacle.is_some()));
    view! {
        <div class="toolbar" class:open=move || options.get() class:bare=none role="toolbar" aria-label="Controls of the chart"
            on:focusin=|e| roving_tabindex::entered(&e) on:focusout=|e| roving_tabindex::left(&e) on:keydown=|e| roving_tabindex::keys(&e)>
            <button type="button" class="button small narrow-only fold" aria-expanded=move || options.get().to_string()
                on:click=move |_| options.update(|o| *o = !*o)>
                {icon(icon::SLIDERS)} <span>"Options"</span>
            </button>
            <div class="toolbar-sheet">
                <div class="options-head">
                    <strong>"Options"</strong>
                    {icon_button(icon::CROSS, "Close", move || fold(name, options))}
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
                    {icon_button(icon::PLUS, "Zoom in (+)", move || stage.zoom_mid(1.5))}
                    {icon_button(icon::MINUS, "Zoom out (−)", move || stage.zoom_mid(1.0 / 1.5))}
                    <button type="button" class="icon-button" aria-label="Whole picture" title="Whole picture (0)"
                        disabled=move || camera.with(|c| c.is_none_or(|c| c.is_whole()))
                        on:click=move |_| stage.zoom(camera.get_untracked().and_then(|c| c.whole()))>
                        {icon(icon::FIT)}
                    </button>
                </div>
            </Show>
            {fix_axes(stage)}
            <save::SaveMenu picture=picture name=name />
        </div>
    }
    .into_any()
}

/// The button that keeps the axes as they are while files, filters and settings change; the link carries them.
fn fix_axes(stage: Stage) -> AnyView {
    let Stage { name, picture, bench, .. } = stage;
    let fix = Memo::new(move |_| {
        picture.with(|p| {
            let p = p.as_ref()?;
            p.camera().map(|c| c.fixing(name)).or_else(|| p.opened.said.axes.clone())
        })
    });
    let some = Memo::new(move |_| fix.with(Option::is_some));
    let fixed = Memo::new(move |_| {
        let key = fix.with(|f| f.as_ref().map(|(key, _)| key.clone()));
        key.is_some_and(|key| bench.view.with(|v| v.param(&key).is_some()))
    });
    let toggle = move |_| {
        if let Some((key, value)) = fix.get_untracked() {
            let value = if fixed.get_untracked() { String::new() } else { value };
            bench.edit(|v| v.set_param(&key, value));
        }
    };
    view! {
        <Show when=move || some.get()>
            <button type="button" class="icon-button" aria-label="Fix axes"
                title="Keep these axes while files and filters change, to lay two runs over each other; the link carries them"
                aria-pressed=move || fixed.get().to_string() on:click=toggle>
                {icon(icon::LOCK)}
            </button>
        </Show>
    }
    .into_any()
}

/// The picture with its highlights and tooltip.
fn canvases(
    stage: Stage,
    fills: bool,
    tooltip: Memo<Option<Tooltip>>,
    described: String,
) -> AnyView {
    let Stage { picture, target, size, boxing, held, zoomed, .. } = stage;
    // Minimum and maximum height: below the minimum the stage scrolls.
    let limits = Memo::new(move |_| {
        let wanted = picture.with(|p| p.as_ref().map(|p| p.heights));
        wanted.filter(|_| !fills).unwrap_or((0.0, f64::INFINITY))
    });
    let title =
        move || picture.with(|p| p.as_ref().map_or_else(String::new, |p| p.scene().title.clone()));
    let (scrolls, in_dock) = (stage.scrolls(), stage.in_dock());
    view! {
        <div
            class="chart-stage"
            class:zoomed=move || zoomed.get()
            class:boxing=move || boxing.get()
            class:scrolls=move || scrolls.get()
            class:on-bar=move || held.get()
            style:min-height=move || format!("{}px", limits.get().0)
            style:max-height=move || Some(limits.get().1).filter(|h| h.is_finite()).map(|h| format!("{h}px"))
            class:pointing=move || target.with(Option::is_some)
            node_ref=stage.element
            tabindex="0"
            role="application"
            aria-roledescription="chart"
            aria-label=title
            aria-describedby=described
        >
            <canvas node_ref=stage.base aria-hidden="true"></canvas>
            <canvas node_ref=stage.over aria-hidden="true"></canvas>
            <Show when=move || !in_dock.get()>
                <TooltipBox target=target tooltip=tooltip size=size />
            </Show>
        </div>
    }
    .into_any()
}

/// Text of a tooltip for screen readers.
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

/// The tooltip beside the pointer, inside the stage.
#[component]
fn TooltipBox(
    target: Memo<Option<Target>>,
    tooltip: Memo<Option<Tooltip>>,
    size: RwSignal<(f64, f64)>,
) -> impl IntoView {
    move || {
        let t = target.get()?;
        tooltip.get().map(|Tooltip { head, rows, .. }| {
            let (w, h) = size.get_untracked();
            let (left, low) = (t.at.0 > w * 0.55, t.at.1 > h * 0.55);
            let px = |on: bool, at: f64| if on { format!("{at}px") } else { "auto".to_owned() };
            let (x, y) = (t.at.0, t.at.1);
            view! {
                <div
                    class="tooltip"
                    aria-hidden="true"
                    style:left=px(!left, x + 14.0)
                    style:right=px(left, w - x + 14.0)
                    style:top=px(!low, y + 10.0)
                    style:bottom=px(low, h - y + 10.0)
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
