//! Saving what is drawn: pictures and the numbers behind them.

use super::Picture;
use crate::app::ui::{Menu, icon};
use crate::chart::svg;
use crate::web::{dom, picture as file};
use leptos::prelude::*;
use std::rc::Rc;

/// The menu.
#[component]
pub fn SaveMenu(
    picture: RwSignal<Option<Rc<dyn Picture>>, LocalStorage>,
    name: &'static str,
    dpr: RwSignal<f64>,
) -> impl IntoView {
    let _ = dpr;
    let png = move |scale: f64| {
        if let Some(p) = picture.get_untracked() {
            let suffix = if scale > 1.0 { "@2x" } else { "" };
            file::save_png(p.scene(), scale, format!("{name}{suffix}.png"));
        }
    };
    let svg = move |_| {
        if let Some(p) = picture.get_untracked() {
            dom::download(
                &format!("{name}.svg"),
                "image/svg+xml",
                svg::svg(p.scene()).as_bytes(),
            );
        }
    };
    let csv = move |_| {
        if let Some(p) = picture.get_untracked() {
            dom::download(
                &format!("{name}.csv"),
                "text/csv",
                p.table(usize::MAX).0.csv().as_bytes(),
            );
        }
    };
    view! {
        <Menu
            class="icon-button"
            right=true
            name=Signal::derive(|| "Save what is drawn".to_owned())
            label=|| icon(icon::SAVE)
        >
            <button type="button" class="menu-item" on:click=move |_| png(1.0)>"PNG"</button>
            <button type="button" class="menu-item" on:click=move |_| png(2.0)>"PNG, double size"</button>
            <button type="button" class="menu-item" on:click=svg>"SVG"</button>
            <button type="button" class="menu-item" on:click=csv>"CSV of what is drawn"</button>
        </Menu>
    }
}
