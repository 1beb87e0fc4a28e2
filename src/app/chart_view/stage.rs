//! The stage of a chart: two canvases, the picture on them, and its current target.

use super::click::make_room;
use super::picture::{self, Draw, Drawn, PictureMemo, Pointed};
use crate::app::state::{Shell, Workbench};
use crate::app::ui::{keep, watch_size};
use crate::web::animation::{self, AnimationFrame};
use crate::web::{canvas, clock, dom};
use gemmscope_chart::camera::{Camera, Zoom, set_zoom, zoom_of};
use gemmscope_chart::chart::{Canvas, Emphasis, Target};
use gemmscope_chart::palette::Theme;
use gemmscope_chart::tooltip::Tooltip;
use leptos::html;
use leptos::prelude::*;

/// Maximum number of rows highlighted in other charts while one is hovered.
const MARKED: usize = 500;

/// Parts of a stage. Copying it copies handles.
#[derive(Clone, Copy)]
pub(super) struct Stage {
    pub shell: Shell,
    pub bench: Workbench,
    /// Key of the chart in links.
    pub name: &'static str,
    pub element: NodeRef<html::Div>,
    /// Canvas of the picture, and of the highlights over it.
    pub base: NodeRef<html::Canvas>,
    pub over: NodeRef<html::Canvas>,
    /// Width and height, CSS pixels.
    pub size: RwSignal<(f64, f64)>,
    dpr: RwSignal<f64>,
    pub picture: PictureMemo,
    pub pointed: Pointed,
    /// The current target.
    pub target: Memo<Option<Target>>,
    pub brush: RwSignal<Option<[f64; 4]>>,
    /// A drag draws a box without Shift.
    pub boxing: RwSignal<bool>,
    /// A scroll bar is hovered or dragged.
    pub held: RwSignal<bool>,
    /// Visible part of the axes; `None` for a picture that does not zoom.
    pub camera: Memo<Option<Camera>>,
    pub zoomed: Memo<bool>,
}

impl Stage {
    /// Draws the inputs once the stage has a size, and again when they change.
    pub(super) fn of(inputs: Signal<()>, draw: Draw, name: &'static str) -> Stage {
        let (shell, bench) = (Shell::here(), Workbench::here());
        let (size, dpr) = (RwSignal::new((0.0, 0.0)), RwSignal::new(dom::pixel_ratio()));
        let canvas = Memo::new(move |_| Canvas {
            size: size.get(),
            dpr: dpr.get(),
            theme: Theme::of(shell.dark.get()),
        });
        let picture = picture::picture(inputs, canvas, draw);
        let pointed: Pointed = RwSignal::new(None);
        let target = Memo::new(move |_| {
            let shown = picture.get();
            let here = |(of, _): &&(Drawn, Target)| shown.as_ref() == Some(of);
            pointed.with(|p| p.as_ref().filter(here).map(|(_, target)| target.clone()))
        });
        let camera = Memo::new(move |_| picture.with(|p| p.as_ref().and_then(|p| p.camera())));
        let zoomed = Memo::new(move |_| {
            camera.with(Option::is_some) && bench.view.with(|v| zoom_of(v, name).is_some())
        });
        let stage = Stage {
            shell,
            bench,
            name,
            element: NodeRef::new(),
            base: NodeRef::new(),
            over: NodeRef::new(),
            size,
            dpr,
            picture,
            pointed,
            target,
            brush: RwSignal::new(None),
            boxing: RwSignal::new(false),
            held: RwSignal::new(false),
            camera,
            zoomed,
        };
        stage.measure();
        stage.paint();
        stage.mark_elsewhere();
        stage.emphasize();
        stage.make_room();
        stage
    }

    /// Tracks the size of the container (a canvas would report the size that it was given) and the pixel density of the
    /// screen.
    fn measure(self) {
        let Stage { element, size, dpr, .. } = self;
        watch_size(element, move |w, h| size.set((w, h)));
        // The query contains the current ratio, so it is a new one after each change.
        Effect::new(move |_| {
            let query = format!("(resolution: {}dppx)", dpr.get());
            keep(dom::watch_media(&query, move |_| dpr.set(dom::pixel_ratio())));
        });
    }

    /// Paints the picture on its canvas: the first one in a separate task, since its frame lays out the page; later
    /// ones in the frame that draws them. If the layout around the first one changed its size meanwhile, only the next
    /// one is painted.
    fn paint(self) {
        let Stage { element, picture, base, size, dpr, .. } = self;
        let fits = move |drawn_for: (f64, f64)| {
            let stage = element.try_get_untracked().flatten();
            let room = stage.map_or((0.0, 0.0), |stage| dom::size_of(&stage));
            if room != drawn_for {
                size.try_set(room);
            }
            room == drawn_for
        };
        let paint = move || {
            let shown = picture.try_get_untracked().flatten();
            let (Some(drawn), Some(Some(canvas))) = (shown, base.try_get_untracked()) else {
                return;
            };
            // A canvas that lost its context is repainted with the next picture.
            let _ = canvas::paint_canvas(&canvas, drawn.scene(), dpr.get_untracked());
            clock::mark("gemmscope:drawn");
        };
        Effect::new(move |begun: Option<bool>| {
            let begun = begun == Some(true);
            if picture.with(Option::is_none) || base.get().is_none() {
                return begun;
            }
            match begun {
                true => paint(),
                false => {
                    let drawn_for = size.get_untracked();
                    animation::soon(move || {
                        if fits(drawn_for) {
                            paint()
                        }
                    });
                }
            }
            true
        });
    }

    /// Highlights the hovered rows in the other charts. A chart without a target does not clear the rows of another
    /// chart.
    fn mark_elsewhere(self) {
        let Stage { bench, target, .. } = self;
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
    }

    /// Paints hovered, selected and numbered marks over the picture.
    fn emphasize(self) {
        let Stage { bench, picture, target, over, .. } = self;
        let frame = AnimationFrame::default();
        Effect::new(move |_| {
            let Some(drawn) = picture.get() else { return };
            let what = Emphasis {
                target: target.get(),
                selected: bench.selected.get(),
                elsewhere: if target.with(Option::is_none) {
                    bench.hovered.get()
                } else {
                    Vec::new()
                },
                ranked: bench.ranked.get().map(|r| r.0.to_vec()),
                brush: self.brush.get(),
                held: self.held.get(),
            };
            let ratio = self.dpr.get();
            frame.request(move || {
                if let Some(Some(canvas)) = over.try_get_untracked() {
                    let _ = canvas::paint_canvas(&canvas, &drawn.emphasis(&what), ratio);
                }
            });
        });
    }

    /// Keeps the selected rows, or those of the finding, visible beside the dock, whether selected by a click, in a
    /// list or by a link.
    fn make_room(self) {
        let Stage { bench, picture, element, .. } = self;
        Effect::new(move |was: Option<Vec<u32>>| {
            let selected = bench.selected.get();
            let Some(drawn) = picture.get() else { return Vec::new() };
            // Several rows selected by the user are shown side by side below the picture.
            let of_finding = bench.view.with_untracked(|v| v.selection.is_empty());
            if (of_finding || selected.len() == 1)
                && !selected.is_empty()
                && was.as_ref() != Some(&selected)
                && let Some(element) = element.get_untracked()
            {
                let places = selected.iter().filter_map(|row| drawn.place(*row));
                make_room(self, &element, &places.collect::<Vec<_>>());
            }
            selected
        });
    }

    /// Zooms to a part of the axes; `None` shows everything.
    pub(super) fn zoom(&self, to: Option<Zoom>) {
        self.bench.adjust("zoom", |v| set_zoom(v, self.name, to));
    }

    /// Zooms about the centre.
    pub(super) fn zoom_mid(&self, factor: f64) {
        let (w, h) = self.size.get_untracked();
        if let Some(camera) = self.camera.get_untracked() {
            self.zoom(Some(camera.zoom_about((w / 2.0, h / 2.0), factor)));
        }
    }

    /// Tooltip of the target.
    pub(super) fn tooltip(self) -> Memo<Option<Tooltip>> {
        Memo::new(move |_| {
            self.target.with(|t| {
                let t = t.as_ref()?;
                self.picture.with(|p| p.as_ref().map(|p| p.tooltip(t)))
            })
        })
    }

    /// True if the target is selected: the dock says more than the tooltip, which would cover the picture.
    pub(super) fn in_dock(self) -> Memo<bool> {
        let selected =
            move |t: &Target| !t.rows.is_empty() && self.bench.selected.with(|s| *s == t.rows);
        Memo::new(move |_| self.target.with(|t| t.as_ref().is_some_and(selected)))
    }

    /// True if only columns scroll, so that a finger still scrolls the page vertically.
    pub(super) fn scrolls(self) -> Memo<bool> {
        Memo::new(move |_| {
            self.picture.with(|p| {
                let part = p.as_ref().and_then(|p| p.scene().scroll());
                part.is_some_and(|(_, _, rows)| rows.scrolls())
            })
        })
    }
}
