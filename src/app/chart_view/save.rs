//! Saving what is drawn: pictures and the numbers behind them. Where a picture is scrolled, the
//! part that shows and the whole are offered, each with its size.

use super::Picture;
use crate::app::state::App;
use crate::app::ui::{Menu, icon};
use crate::chart::scroll::{LIMIT, fits, whole_size};
use crate::chart::svg;
use crate::web::{dom, picture as file};
use leptos::prelude::*;
use std::rc::Rc;

/// Kinds of pictures: caption, device pixels per CSS pixel; none for a vector picture.
const KINDS: [(&str, Option<f64>); 3] = [
    ("PNG", Some(1.0)),
    ("PNG, double size", Some(2.0)),
    ("SVG", None),
];

type Shown = RwSignal<Option<Rc<dyn Picture>>, LocalStorage>;

/// The menu.
#[component]
pub fn SaveMenu(picture: Shown, name: &'static str) -> impl IntoView {
    let app = App::here();
    let csv = move |_| {
        if let Some(p) = picture.get_untracked() {
            let table = p.table(usize::MAX).0.csv();
            dom::download(&format!("{name}.csv"), "text/csv", table.as_bytes());
        }
    };
    view! {
        <Menu
            class="icon-button"
            right=true
            name=Signal::derive(|| "Save what is drawn".to_owned())
            label=|| icon(icon::SAVE)
        >
            {move || picture.get().map(|p| {
                let (shown, all) = (p.saved(), whole_size(p.scene()));
                let part = (shown.width, shown.height);
                let caption = if all.is_some() { "The part that shows" } else { "The picture" };
                view! {
                    {group(app, picture, name, (caption, part, false))}
                    {all.map(|size| group(app, picture, name, ("All of it, nothing scrolled away", size, true)))}
                }
            })}
            <p class="menu-caption">"The numbers"</p>
            <button type="button" class="menu-item" title="All rows of the picture, also those scrolled away" on:click=csv>
                "CSV of what is drawn"
            </button>
        </Menu>
    }
}

/// The kinds in which a picture of a size can be saved; too large ones say so.
fn group(
    app: App,
    picture: Shown,
    name: &'static str,
    (caption, size, whole): (&'static str, (f64, f64), bool),
) -> AnyView {
    let too_large = |scale| (!fits(size, scale)).then(|| format!("Too large: {LIMIT}"));
    let one = |(label, scale): (&'static str, Option<f64>)| {
        let why = too_large(scale.unwrap_or(1.0));
        let too = why.is_some();
        view! {
            <button type="button" class="menu-item" disabled=too title=why data-whole=whole.to_string()
                on:click=move |_| save(app, picture, name, scale, whole)>
                {label} {too.then_some(": too large")}
            </button>
        }
    };
    let words = format!("{caption}: {:.0} × {:.0} px", size.0, size.1);
    view! {
        <p class="menu-caption">{words} {too_large(1.0).map(|why| format!(". {why}. Filter, or save the CSV."))}</p>
        {KINDS.map(one).collect_view()}
    }
    .into_any()
}

fn save(app: App, picture: Shown, name: &str, scale: Option<f64>, whole: bool) {
    let Some(p) = picture.get_untracked() else {
        return;
    };
    let scene = match whole {
        true => p.whole(),
        false => Ok(p.saved()),
    };
    let Ok(scene) = scene else {
        return app.status.set(format!("Too large: {LIMIT}."));
    };
    let name = if whole {
        format!("{name}-all")
    } else {
        name.to_owned()
    };
    match scale {
        Some(scale) => {
            let suffix = if scale > 1.0 { "@2x" } else { "" };
            file::save_png(&scene, scale, format!("{name}{suffix}.png"));
        }
        None => dom::download(
            &format!("{name}.svg"),
            "image/svg+xml",
            svg::svg(&scene).as_bytes(),
        ),
    }
}
