//! A chart on the page: two canvases (the picture, and the emphasis over it), a tooltip, pointer,
//! keyboard and touch, saving, and the same content as a table.

mod gesture;
mod save;

use super::state::App;
use super::ui::{icon, icon_button, table_view};
use crate::chart::hit::Direction;
use crate::chart::palette::Theme;
use crate::chart::scene::{Point, Scene, Table};
use crate::field::Field;
use crate::filter::Range;
use crate::web::{canvas, dom};
use leptos::prelude::*;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

/// What is under the pointer, or has the keyboard's focus.
#[derive(Clone, Debug, PartialEq)]
pub struct Target {
    /// Rows it stands for.
    pub rows: Vec<u32>,
    /// Where it is, CSS pixels.
    pub at: Point,
    /// Other points at the same place.
    pub more: usize,
    /// Head of the tooltip; "" where the row speaks for itself.
    pub label: String,
}

/// What changes over a drawn picture.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Emphasis {
    /// Under the pointer or focused.
    pub target: Option<Target>,
    /// Selected rows.
    pub selected: Vec<u32>,
    /// Rows under the pointer in another chart, ascending.
    pub elsewhere: Vec<u32>,
    /// The box being drawn: left, top, width, height.
    pub brush: Option<[f64; 4]>,
    /// A scroll bar is pointed at or held.
    pub held: bool,
}

/// A drawn picture and what may be asked of it. Zooming answers with the text that the view
/// state keeps under [`Picture::zoom_key`].
pub trait Picture {
    /// What was drawn.
    fn scene(&self) -> &Scene;
    /// What lies over it.
    fn emphasis(&self, what: &Emphasis) -> Scene;
    /// What is at a place.
    fn at(&self, at: Point, radius: f64) -> Option<Target>;
    /// The next target for the keyboard.
    fn neighbour(&self, from: Option<&Target>, direction: Direction) -> Option<Target>;
    /// Rows inside a box.
    fn within(&self, rect: [f64; 4]) -> Vec<u32>;
    /// What a box means as a filter; nothing where it can only select.
    fn ranges(&self, _rect: [f64; 4]) -> Vec<(Field, Range)> {
        Vec::new()
    }
    /// The same content as a table of at most so many rows, and how many were left out.
    fn table(&self, most: usize) -> (Table, u64);
    /// Key of its zoom in the view state, where it can be zoomed.
    fn zoom_key(&self) -> Option<&'static str> {
        None
    }
    /// Zoomed about a place.
    fn zoom_about(&self, _at: Point, _factor: f64) -> Option<String> {
        None
    }
    /// Moved by pixels.
    fn pan_by(&self, _by: Point) -> Option<String> {
        None
    }
    /// Shows other columns and rows, where it holds more than fit.
    fn scroll_to(&self, _app: App, _first: (usize, usize)) {}
    /// The picture as it is saved: with what stands beside it on the page.
    fn saved(&self) -> Scene {
        self.scene().clone()
    }
    /// The same with nothing scrolled out of sight; its size where that is too large to draw.
    fn whole(&self) -> Result<Scene, (f64, f64)> {
        Ok(self.saved())
    }
}

/// Rows of the accessible table; a saved one has all.
const TABLE_ROWS: usize = 500;
/// Rows that other charts mark at most while the pointer is over one.
const MARKED: usize = 500;

/// Least and most height of a picture, CSS pixels, by its width.
pub type Heights = Rc<dyn Fn(f64) -> (f64, f64)>;

/// Size and looks that a picture is drawn for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Canvas {
    /// CSS pixels.
    pub size: (f64, f64),
    /// Device pixels per CSS pixel.
    pub dpr: f64,
    /// Colours.
    pub theme: Theme,
}

/// Draws for a canvas; `None` where there is nothing to draw yet.
pub type Draw = Rc<dyn Fn(&Canvas) -> Option<Rc<dyn Picture>>>;

/// The tooltip of a target: its head and lines of label and value.
pub type Describe = Arc<dyn Fn(&Target) -> (String, Vec<(String, String)>) + Send + Sync>;

/// The chart. `track` reads every signal that the picture depends on (reads: a memo that it only
/// subscribed to would be worked out by `draw`, and ask for another picture); `draw` runs in the
/// next animation frame, once for any number of changes.
#[component]
pub fn ChartView(
    track: impl Fn() + 'static,
    draw: Draw,
    describe: Describe,
    /// Base of the names of saved files.
    name: &'static str,
    /// The stage scrolls where it has less height, and takes no more.
    #[prop(optional)]
    heights: Option<Heights>,
    /// What stands in the bar above the chart.
    #[prop(into)]
    bar: ViewFn,
    /// What stands below the bar: a legend.
    #[prop(into)]
    legend: ViewFn,
    /// What stands below the picture.
    #[prop(optional, into)]
    notes: ViewFn,
) -> impl IntoView {
    let app = App::here();
    let stage = NodeRef::<leptos::html::Div>::new();
    let base = NodeRef::<leptos::html::Canvas>::new();
    let over = NodeRef::<leptos::html::Canvas>::new();
    let picture = RwSignal::new_local(None::<Rc<dyn Picture>>);
    let target = RwSignal::new(None::<Target>);
    let brush = RwSignal::new(None::<[f64; 4]>);
    let size = RwSignal::new((0.0, 0.0));
    let dpr = RwSignal::new(dom::pixel_ratio());
    let as_table = RwSignal::new(false);
    let boxing = RwSignal::new(false);
    let held = RwSignal::new(false);
    let options = RwSignal::new(false);
    let limits = RwSignal::new((0.0, f64::INFINITY));

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

    let canvas_of = move || Canvas {
        size: size.get(),
        dpr: dpr.get(),
        theme: Theme::of(app.dark.get()),
    };
    let frame = Frame::default();
    {
        let draw = draw.clone();
        let frame = frame.clone();
        Effect::new(move |_| {
            track();
            let to = canvas_of();
            let (draw, heights) = (draw.clone(), heights.clone());
            if to.size.0 < 1.0 || to.size.1 < 1.0 {
                return;
            }
            frame.request(move || {
                let Some(drawn) = draw(&to) else { return };
                if let Some(Some(canvas)) = base.try_get_untracked() {
                    // A canvas that lost its context paints again with the next frame.
                    let _ = canvas::paint_canvas(&canvas, drawn.scene(), to.dpr);
                    // Alignment with what is drawn: a picture that changed has other targets.
                    target.try_set(None);
                    picture.try_set(Some(drawn));
                    if let Some(wanted) = heights.as_ref().map(|f| f(to.size.0))
                        && limits.try_get_untracked().is_some_and(|h| h != wanted)
                    {
                        limits.try_set(wanted);
                    }
                    crate::web::clock::mark("gemmscope:drawn");
                }
            });
        });
    }
    // A view that points at nothing leaves alone what another points at.
    Effect::new(move |had: Option<bool>| {
        let mut rows = target.with(|t| t.as_ref().map_or_else(Vec::new, |t| t.rows.clone()));
        rows.truncate(MARKED);
        rows.sort_unstable();
        let has = !rows.is_empty();
        if (has || had == Some(true)) && app.hovered.with_untracked(|h| *h != rows) {
            app.hovered.set(rows);
        }
        has
    });
    on_cleanup(move || drop(app.hovered.try_set(Vec::new())));
    let over_frame = Frame::default();
    Effect::new(move |_| {
        let what = Emphasis {
            target: target.get(),
            selected: app.selected.get(),
            elsewhere: if target.with(Option::is_none) {
                app.hovered.get()
            } else {
                Vec::new()
            },
            brush: brush.get(),
            held: held.get(),
        };
        let Some(drawn) = picture.get() else { return };
        let ratio = dpr.get();
        over_frame.request(move || {
            if let Some(Some(canvas)) = over.try_get_untracked() {
                let _ = canvas::paint_canvas(&canvas, &drawn.emphasis(&what), ratio);
            }
        });
    });

    let zoom = move |text: Option<String>| {
        let key = picture.with_untracked(|p| p.as_ref().and_then(|p| p.zoom_key()));
        if let (Some(key), Some(text)) = (key, text) {
            app.edit("zoom", |v| v.set_param(key, text));
        }
    };
    let zoom_mid = move |factor: f64| {
        let (w, h) = size.get_untracked();
        zoom(picture.with_untracked(|p| {
            p.as_ref()
                .and_then(|p| p.zoom_about((w / 2.0, h / 2.0), factor))
        }));
    };
    let whole = move || {
        if let Some(key) = picture.with_untracked(|p| p.as_ref().and_then(|p| p.zoom_key())) {
            app.edit("zoom", |v| v.set_param(key, ""));
        }
    };
    let zoomable =
        Memo::new(move |_| picture.with(|p| p.as_ref().is_some_and(|p| p.zoom_key().is_some())));
    let zoomed = Memo::new(move |_| {
        let key = picture.with(|p| p.as_ref().and_then(|p| p.zoom_key()));
        key.is_some_and(|key| app.view.with(|v| v.param(key).is_some()))
    });
    // Where only columns scroll, a finger still moves the page up and down.
    let scrolls = Memo::new(move |_| {
        picture.with(|p| {
            let part = p.as_ref().and_then(|p| p.scene().scroll());
            part.is_some_and(|(_, _, rows)| rows.scrolls())
        })
    });
    gesture::attach(gesture::Parts {
        app,
        stage,
        picture,
        target,
        brush,
        boxing,
        held,
        zoomed,
        zoom: Rc::new(zoom),
        whole: Rc::new(whole),
    });

    let title = move || {
        picture.with(|p| {
            p.as_ref()
                .map_or_else(String::new, |p| p.scene().title.clone())
        })
    };
    let description = move || {
        picture.with(|p| {
            p.as_ref()
                .map_or_else(String::new, |p| p.scene().description.clone())
        })
    };
    let spoken = {
        let describe = describe.clone();
        move || {
            target.with(|t| {
                t.as_ref()
                    .map_or_else(String::new, |t| sentence(&describe(t)))
            })
        }
    };
    let described = format!("chart-{name}");
    view! {
        <section class="chart" aria-label=name data-chart=name>
            <div class="bar" class:open=move || options.get()>
                <button type="button" class="button small narrow-only" aria-expanded=move || options.get().to_string()
                    on:click=move |_| options.update(|o| *o = !*o)>
                    {icon(icon::SLIDERS)} <span>"Options"</span>
                </button>
                <div class="bar-options">{bar.run()}</div>
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
                            disabled=move || !zoomed.get() on:click=move |_| whole()>
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
            {legend.run()}
            <div class="chart-scroll">
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
                <Tooltip target=target size=size describe=describe />
            </div>
            {notes.run()}
            </div>
            <p id=described class="visually-hidden">{description}</p>
            <p class="visually-hidden" aria-live="polite">{spoken}</p>
            <Show when=move || as_table.get()>
                <DataTable picture=picture />
            </Show>
        </section>
    }
}

fn sentence((head, lines): &(String, Vec<(String, String)>)) -> String {
    let mut out = head.clone();
    for (label, value) in lines {
        out.push_str(", ");
        if !label.is_empty() {
            out.push_str(label);
            out.push(' ');
        }
        out.push_str(value);
    }
    out
}

type Job = Box<dyn FnOnce()>;

/// Runs the last of several requests in the next animation frame.
#[derive(Clone, Default)]
struct Frame {
    job: Rc<RefCell<Option<Job>>>,
    pending: Rc<Cell<bool>>,
}

thread_local! {
    /// Pictures that are drawn in the next frame.
    static WAITING: Cell<u32> = const { Cell::new(0) };
}

/// True while a picture waits for its frame.
pub fn is_waiting() -> bool {
    WAITING.with(Cell::get) > 0
}

impl Frame {
    fn request(&self, job: impl FnOnce() + 'static) {
        *self.job.borrow_mut() = Some(Box::new(job));
        if self.pending.replace(true) {
            return;
        }
        let this = self.clone();
        WAITING.with(|n| n.set(n.get() + 1));
        request_animation_frame(move || {
            WAITING.with(|n| n.set(n.get() - 1));
            this.pending.set(false);
            let job = this.job.borrow_mut().take();
            if let Some(job) = job {
                job();
            }
        });
    }
}

/// Beside the pointer, inside the stage.
#[component]
fn Tooltip(
    target: RwSignal<Option<Target>>,
    size: RwSignal<(f64, f64)>,
    describe: Describe,
) -> impl IntoView {
    move || {
        target.get().map(|t| {
            let (head, lines) = describe(&t);
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
                        {lines
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
fn DataTable(picture: RwSignal<Option<Rc<dyn Picture>>, LocalStorage>) -> impl IntoView {
    move || {
        picture.get().map(|p| {
            let (table, left_out) = p.table(TABLE_ROWS);
            view! {
                <div class="data-table" tabindex="0" role="region" aria-label="What is drawn, as a table">
                    {table_view(table)}
                    {(left_out > 0).then(|| view! { <p class="muted">{format!("and {left_out} more: save the CSV for all")}</p> })}
                </div>
            }
        })
    }
}
