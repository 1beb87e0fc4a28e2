//! Sharing: a link, the page with its data as one file, snippets for documentation.

use crate::app::load::Loader;
use crate::app::state::{Shell, Workbench};
use crate::app::ui::Modal;
use crate::web::{boot, dom};
use gemmscope_import::ImportOptions;
use gemmscope_model::units::Bytes;
use gemmscope_share::data;
use gemmscope_share::data::Carried;
use gemmscope_share::snippets::{Place, Snippet, snippets};
use gemmscope_table::view_state::ViewState;
use leptos::prelude::*;

/// Bytes of files up to which it is tried to put them into a link.
const TRIED: u64 = 2 << 20;

/// The loaded files with their original bytes; which file is gone where one cannot be read any more.
async fn carried(bench: Workbench, loader: Loader) -> Result<Vec<Carried>, String> {
    let files = bench.files.get_untracked();
    let mut out = Vec::with_capacity(files.len());
    for f in files {
        let Some(input) = loader.input(f.id) else {
            continue;
        };
        let bytes = gloo_file::futures::read_as_bytes(&input.blob).await;
        let bytes = bytes.map_err(|_| {
            let name = &input.name;
            format!("{name} changed or moved since it was chosen, so the data cannot go along: open it again.")
        })?;
        out.push(Carried {
            name: input.name,
            options: ImportOptions {
                // They come again with the file that holds them.
                captures: Vec::new(),
                ..f.options
            },
            bytes,
        });
    }
    Ok(out)
}

/// Address of the folder of this page; of the page itself where it is the one-file page.
fn viewer() -> String {
    let address = dom::address();
    let base = address.split(['#', '?']).next().unwrap_or_default();
    if boot::is_single_file() {
        return base.to_owned();
    }
    let end = base.rfind('/').map_or(0, |i| i + 1);
    base[..end].to_owned()
}

/// The view without the data that came in the link.
fn plain_view(bench: Workbench) -> ViewState {
    let mut view = bench.view.get_untracked();
    view.set_param(data::DATA_KEY, "");
    view
}

/// The text of a link without the data.
fn link(bench: Workbench) -> String {
    match bench.view.with_untracked(|v| v.param(data::DATA_KEY).is_some()) {
        true => plain_view(bench).encode(),
        false => bench.link_with_names(),
    }
}

/// What was just done. The dialog shows it itself: the status line lies under the dialog, dimmed
/// and not read out.
type Said = RwSignal<String>;

fn copy(said: Said, text: String) {
    leptos::task::spawn_local(async move {
        said.try_set(if dom::copy(text).await {
            "Copied.".into()
        } else {
            "The browser refuses the clipboard here: select the text and copy it.".into()
        });
    });
}

/// The HTML of the one-file page: from this page where it is one, else fetched from beside it.
async fn template() -> Result<String, String> {
    if let Some(own) = boot::value("template").as_string() {
        return Ok(own);
    }
    let url = viewer() + "gemmscope.html";
    let blob = boot::fetch_file(&url, 64e6).await.map_err(|_| {
        "Not saved: the page's one-file form is not kept in this browser and could not be fetched. Once the network is there, it can.".to_owned()
    })?;
    gloo_file::futures::read_as_text(&blob).await.map_err(|e| e.to_string())
}

fn save_page(bench: Workbench, loader: Loader, said: Said) {
    said.set("Putting the page together…".into());
    leptos::task::spawn_local(async move {
        let view = plain_view(bench).encode();
        let made = async {
            let files = carried(bench, loader).await?;
            Ok((data::page(&template().await?, &view, &files)?, files))
        };
        match made.await {
            Ok((html, files)) => {
                let stem = files
                    .first()
                    .map_or("report", |f| f.name.split('.').next().unwrap_or("report"));
                dom::download(&format!("{stem}.gemmscope.html"), "text/html", html.as_bytes());
                said.try_set(format!(
                    "Saved: one page of {} with the data inside",
                    Bytes(html.len() as f64)
                ));
            }
            Err(message) => {
                said.try_set(message);
            }
        }
    });
}

/// The dialog.
#[component]
pub fn Share() -> impl IntoView {
    let shell = Shell::here();
    let bench = Workbench::here();
    let loader = Loader::here();
    let view = plain_view(bench);
    let unwritten = view.unwritten();
    let names = bench.files.with_untracked(|files| {
        files.iter().filter_map(|f| Some(loader.input(f.id)?.name)).collect::<Vec<String>>()
    });
    let fetched = view.param(data::SOURCE_KEY).map(str::to_owned);
    let plain = format!("{}#{}", viewer(), untrack(|| link(bench)));
    // The files as text for a link, once known; the length where it is too long.
    let data = RwSignal::new(None::<Result<String, usize>>);
    let with_data = RwSignal::new(false);
    let said: Said = RwSignal::new(String::new());
    let single = boot::is_single_file();
    // Nobody else can follow an address on this machine's disk.
    let from_disk = single && dom::address().starts_with("file:");
    let size: u64 = bench.files.with_untracked(|f| {
        let inputs = f.iter().filter_map(|f| loader.input(f.id));
        inputs.map(|i| i.size()).sum()
    });
    if size <= TRIED && !single {
        leptos::task::spawn_local(async move {
            match carried(bench, loader).await {
                Ok(files) => drop(data.try_set(Some(data::to_link(&files)))),
                Err(message) => drop(said.try_set(message)),
            }
        });
    }
    let link = {
        let (plain, view) = (plain.clone(), view.clone());
        Memo::new(move |_| match (with_data.get(), data.get()) {
            (true, Some(Ok(text))) => {
                let mut view = view.clone();
                view.set_param(data::SOURCE_KEY, "");
                view.set_param(data::DATA_KEY, text);
                format!("{}#{}", viewer(), view.encode())
            }
            _ => plain.clone(),
        })
    };
    let fits = move || data.with(|d| matches!(d, Some(Ok(_))));
    let why_not = move || match data.get() {
        Some(Err(n)) => format!(
            "Too much for a link: {n} characters, {} would fit. Save the page instead.",
            data::LINK_LIMIT
        ),
        None if size > TRIED => "Too much for a link. Save the page instead.".to_owned(),
        _ => String::new(),
    };
    let holds = {
        let fetched = fetched.clone();
        move || {
            if with_data.get() {
                "Holds the view and the data itself: anyone who has the link has the data. It stays in the part after #, which browsers send to no server.".to_owned()
            } else if let Some(src) = &fetched {
                format!(
                    "Holds the view and the data's address ({src}), from which it is fetched again."
                )
            } else if single {
                "Holds filters, device, zoom and selection. Data that is not in this page is asked for by name.".to_owned()
            } else {
                "Holds filters, device, zoom and selection. The file stays here: whoever opens the link is asked for it by name.".to_owned()
            }
        }
    };
    let short = unwritten.then(|| {
        view! {
            <p class="notice">"The rows that are filtered to are too many for a link or a saved page: both show all rows instead. Filter by columns or ranges to share a part."</p>
        }
    });
    let shown = bench.shown.get_untracked();
    let place = Place {
        viewer: viewer(),
        file: names.first().cloned().unwrap_or_else(|| "bench.csv".into()),
        more: names.get(1..).unwrap_or_default().to_vec(),
        view: shown.id().to_owned(),
        picture: match shown.picture {
            "" => "roofline".to_owned(),
            picture => picture.to_owned(),
        },
        device: view.devices.default.clone().unwrap_or_default(),
        state: {
            let mut v = view.clone();
            v.set_param(data::SOURCE_KEY, "");
            v.encode()
        },
    };
    let texts = StoredValue::new(snippets(&place));
    let chosen = RwSignal::new(0usize);
    let snippet = move |get: fn(&Snippet) -> String| {
        texts.with_value(|s| s.get(chosen.get()).map(get).unwrap_or_default())
    };
    let link_text = move || link.get();
    view! {
        <Modal title=Signal::derive(|| "Share".to_owned()) wide=true on_close=move || shell.close()>
            <section class="share-part">
                <h3>"A link"</h3>
                {from_disk.then(|| view! {
                    <p class="muted">"This page is a file on disk, and no link leads others to it. Save it with what shows now, and hand on the file."</p>
                })}
                {(!from_disk).then(|| view! {
                    <div class="share-line">
                        <input class="share-link" type="text" readonly aria-label="Link" prop:value=link_text />
                        <button type="button" class="button primary" on:click=move |_| copy(said, link.get_untracked())>"Copy link"</button>
                    </div>
                    <p class="muted">{holds}</p>
                })}
                {short}
                {(!single).then(|| view! {
                    <label class="share-check">
                        <input type="checkbox" disabled=move || !fits() prop:checked=move || with_data.get()
                            on:change=move |_| with_data.update(|w| *w = !*w) />
                        "Put the data into the link"
                    </label>
                    <p class="muted">{why_not}</p>
                })}
            </section>
            <section class="share-part">
                <h3>"A page"</h3>
                <p class="muted">
                    "One HTML file with the program, the data and this view. It opens from disk without a network: attach it to an issue, keep it beside the results."
                </p>
                <button type="button" class="button" on:click=move |_| save_page(bench, loader, said)>"Save as a page"</button>
            </section>
            {single.then(|| view! { <p class="share-said" role="status">{said}</p> })}
            {(!single).then(|| view! { <section class="share-part">
                <h3>"In documentation"</h3>
                <div class="segments share-systems" role="group" aria-label="Documentation system">
                    {texts.get_value().iter().enumerate().map(|(i, s)| view! {
                        <button type="button" class="segment" aria-pressed=move || (chosen.get() == i).to_string()
                            on:click=move |_| chosen.set(i)>{s.system}</button>
                    }.into_any()).collect_view()}
                </div>
                <p class="muted">{move || snippet(|s| s.note.to_owned())}</p>
                <textarea class="paste-box share-snippet" rows="7" readonly spellcheck="false" aria-label="Snippet"
                    prop:value=move || snippet(|s| s.text.clone())></textarea>
                <div class="dialog-actions">
                    <p class="share-said" role="status">{said}</p>
                    <button type="button" class="button" on:click=move |_| copy(said, snippet(|s| s.text.clone()))>"Copy snippet"</button>
                </div>
            </section> })}
        </Modal>
    }
}
