//! Saves pictures, and saves or lists the numbers behind them. If a picture is scrolled, both its visible part and the whole can be
//! saved, each with its size.

use super::picture::PictureMemo;
use crate::app::dialogs::figures;
use crate::app::state::{Dialog, Shared, Shell, Workbench};
use crate::app::ui::{Menu, icon};
use crate::web::{dom, picture as file};
use gemmscope_chart::caption::{self, Caption};
use gemmscope_chart::chart::{Drawing, Emphasis};
use gemmscope_chart::charts;
use gemmscope_chart::roofline::Numbers;
use gemmscope_chart::scene::Scene;
use gemmscope_chart::scroll::{LIMIT, fits, whole_size};
use gemmscope_chart::svg;
use gemmscope_table::view_state::ViewState;
use leptos::prelude::*;
use std::sync::Arc;

/// Pixels per CSS pixel of a saved picture, which is viewed on other screens, and enlarged.
const SHARP: f64 = 2.0;

/// Label for saving what is scrolled out of sight too.
const ALL: &str = "All of it, nothing scrolled away";

/// Kinds of pictures: caption, pixels per CSS pixel; `None` for vector graphics.
const KINDS: [(&str, Option<f64>); 3] =
    [("PNG", Some(SHARP)), ("PNG, half as large", Some(1.0)), ("SVG", None)];

/// The menu.
#[component]
pub fn SaveMenu(picture: PictureMemo, name: &'static str) -> impl IntoView {
    let (shell, bench) = (Shell::here(), Workbench::here());
    let csv = move |_| {
        if let Some(p) = picture.get_untracked() {
            let table = p.table(usize::MAX, &marks(bench)).0.csv();
            dom::download(&format!("{name}.csv"), "text/csv", table.as_bytes());
        }
    };
    let list = move |_| {
        if let Some(p) = picture.get_untracked() {
            let figures = p.table(figures::MOST, &untrack(|| marks(bench)));
            shell.open(Dialog::Figures(Shared(Arc::new(figures))));
        }
    };
    view! {
        <Menu
            class="icon-button"
            right=true
            name="Save what is drawn"
            label=|| icon(icon::SAVE)
        >
            {move || picture.get().map(|p| {
                let caption = caption_of(bench, &p, name);
                let shown = captioned(&caption, p.saved(&marks(bench)));
                let around = |width: f64| caption.as_ref().map_or(0.0, |c| c.height(width));
                let all = whole_size(p.scene()).map(|(w, h)| (w, h + around(w)));
                let part = (shown.width, shown.height);
                let caption = if all.is_some() { "The part that shows" } else { "The picture" };
                view! {
                    {group((shell, bench), picture, name, (caption, part, false))}
                    {all.map(|size| group((shell, bench), picture, name, (ALL, size, true)))}
                }
            })}
            <p class="menu-caption">"The numbers"</p>
            <button type="button" class="menu-item" on:click=list>"As a table"</button>
            <button type="button" class="menu-item" title=ALL on:click=csv>
                "CSV of what is drawn"
            </button>
        </Menu>
    }
}

/// Highlights of a picture that is saved or shown as a table.
pub fn marks(bench: Workbench) -> Emphasis {
    Emphasis {
        selected: bench.selected.get(),
        ranked: bench.ranked.get().map(|r| r.0.to_vec()),
        ..Emphasis::default()
    }
}

/// Caption of a saved picture; `None` if it is not a view.
fn caption_of(bench: Workbench, picture: &Drawing, name: &str) -> Option<Caption> {
    let kind = charts::by_id(name)?;
    let mut key = picture.key(&marks(bench));
    // The numbers refer to findings.
    let by = bench.view.with(Numbers::of);
    if let (Numbers::Findings, Some(result)) = (by, bench.findings.get()) {
        for (number, words) in &mut key {
            if let Some(found) = result.findings.findings.get(*number - 1) {
                *words = format!("{} · {words}", found.title);
            }
        }
    }
    let of = |v: &ViewState| {
        let title = caption::title(v, kind.name);
        bench.frame.with(|f| Caption::of(f, &v.filters, &title, key))
    };
    Some(bench.view.with(of))
}

fn captioned(caption: &Option<Caption>, scene: Scene) -> Scene {
    match caption {
        Some(caption) => caption.around(scene),
        None => scene,
    }
}

/// The kinds in which a picture of this size can be saved; too large ones say so.
fn group(
    state: (Shell, Workbench),
    picture: PictureMemo,
    name: &'static str,
    (caption, size, whole): (&'static str, (f64, f64), bool),
) -> AnyView {
    let too_large = |scale| (!fits(size, scale)).then(|| format!("Too large: {LIMIT}."));
    let one = |(label, scale): (&'static str, Option<f64>)| {
        let why = too_large(scale.unwrap_or(1.0));
        let too = why.is_some();
        view! {
            <button type="button" class="menu-item" disabled=too title=why data-whole=whole.to_string()
                on:click=move |_| save(state, picture, name, scale, whole)>
                {label} {too.then_some(": too large")}
            </button>
        }
    };
    let scale = if fits(size, SHARP) { SHARP } else { 1.0 };
    let pixels = |css: f64| (css * scale).round();
    let words = format!("{caption}: {} × {} px", pixels(size.0), pixels(size.1));
    view! {
        <p class="menu-caption">{words} {too_large(1.0).map(|why| format!(". {why} Filter, or save the CSV."))}</p>
        {KINDS.map(one).collect_view()}
    }
    .into_any()
}

fn save(
    (shell, bench): (Shell, Workbench),
    picture: PictureMemo,
    name: &str,
    scale: Option<f64>,
    whole: bool,
) {
    let Some(p) = picture.get_untracked() else {
        return;
    };
    let marks = untrack(|| marks(bench));
    let scene = match whole {
        true => p.whole(&marks),
        false => Ok(p.saved(&marks)),
    };
    let caption = untrack(|| caption_of(bench, &p, name));
    let scene = scene.map(|s| captioned(&caption, s));
    let Ok(scene) = scene else {
        return shell.say(format!("Too large: {LIMIT}."));
    };
    let name = if whole { format!("{name}-all") } else { name.to_owned() };
    match scale {
        Some(scale) => {
            let suffix = if scale < SHARP { "-half" } else { "" };
            file::save_png(&scene, scale, format!("{name}{suffix}.png"));
        }
        None => {
            let text = svg::svg(&scene);
            dom::download(&format!("{name}.svg"), "image/svg+xml", text.as_bytes());
        }
    }
}
