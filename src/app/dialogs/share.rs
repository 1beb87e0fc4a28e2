//! Sharing: a link, the page with its data as one file, snippets for documentation.

use crate::app::load::{Loader, given};
use crate::app::state::Workbench;
use crate::app::ui::{Modal, segment};
use crate::web::{boot, clock, dom};
use gemmscope_model::pass;
use gemmscope_model::reference::wanted;
use gemmscope_model::units::{Bytes, plural};
use gemmscope_share::data;
use gemmscope_share::extract::extract;
use gemmscope_share::snippets::{Snippet, SnippetPlace, snippets};
use gemmscope_table::filter::Filters;
use gemmscope_table::view_state::ViewState;
use leptos::prelude::*;
use std::sync::Arc;

/// Up to this many rows are packed as soon as the dialog opens.
const AT_ONCE: usize = 200_000;
/// State of packing the rows of the open files.
#[derive(Clone)]
enum Goes {
    /// Not requested yet.
    Unpacked,
    /// Progress, 0 to 1.
    Packing(f64),
    Packed(Arc<Vec<u8>>),
    Failed(String),
}

/// The rows to share: packed, and whether they are only those that pass the filters.
#[derive(Clone, Copy)]
struct PackedRows {
    goes: RwSignal<Goes>,
    part: RwSignal<bool>,
}

/// Name and bytes of the published times of the rows.
fn tables(bench: Workbench) -> Vec<(String, Vec<u8>)> {
    let held = bench.published.held();
    let wanted =
        bench.metrics.with(|m| bench.data.with(|d| wanted(m.devices.iter().flatten(), &d.ops)));
    let of_rows = held.iter().filter(|t| wanted.contains(&t.source()));
    of_rows.map(|t| (t.source().file(), t.bytes.to_vec())).collect()
}

/// Packs the rows, together with tables of published times. `None` if the dialog was closed meanwhile.
async fn pack(
    bench: Workbench,
    rows: PackedRows,
    tables: Vec<(String, Vec<u8>)>,
) -> Option<Result<Arc<Vec<u8>>, String>> {
    let before = rows.goes.try_get_untracked()?;
    if let (Goes::Packed(block), true) = (&before, tables.is_empty()) {
        return Some(Ok(block.clone()));
    }
    rows.goes.try_set(Goes::Packing(0.0));
    let data = bench.data.get_untracked();
    let wanted = match rows.part.try_get_untracked()? {
        true => bench.frame.with_untracked(|f| f.rows.clone()),
        false => Arc::new((0..data.len() as u32).collect()),
    };
    let used = bench.device_ids();
    let mut own = bench.custom.get_untracked();
    own.retain(|d| used.contains(&d.id));
    let turns = clock::Turns::begin();
    let pause = async |done| {
        if turns.due() {
            rows.goes.try_set(Goes::Packing(done));
            turns.give().await;
        }
    };
    let is_open = || rows.goes.try_with_untracked(|_| ()).is_some();
    let packed = extract(&data, &wanted, &own, &tables, &pause);
    let packed = pass::while_wanted(is_open, packed).await?.map(Arc::new);
    let shown = match &packed {
        // A link does not include the tables.
        Ok(_) if !tables.is_empty() => before,
        Ok(block) => Goes::Packed(block.clone()),
        Err(why) => Goes::Failed(why.clone()),
    };
    match rows.goes.try_set(shown) {
        None => Some(packed),
        Some(_) => None,
    }
}

/// Address of this page's folder; of the page itself for the one-file page.
fn viewer() -> String {
    let address = dom::address();
    let base = address.split(['#', '?']).next().unwrap_or_default();
    if boot::is_single_file() {
        return base.to_owned();
    }
    let end = base.rfind('/').map_or(0, |i| i + 1);
    base[..end].to_owned()
}

/// The view state without data that came in the link.
fn plain_view(bench: Workbench) -> ViewState {
    let mut view = bench.view.get_untracked();
    view.set_param(data::DATA_KEY, "");
    view
}

/// The view state for the shared rows. If only the passing rows are shared, filters are unnecessary, and a selection is
/// dropped because rows change their position.
fn view_along(bench: Workbench, rows: PackedRows) -> ViewState {
    let mut view = plain_view(bench);
    view.set_param(data::SOURCE_KEY, "");
    if rows.part.get() {
        view.filters = Filters::default();
        view.selection.clear();
    }
    view
}

/// Text of a link without data.
fn link(bench: Workbench) -> String {
    match bench.view.with_untracked(|v| v.param(data::DATA_KEY).is_some()) {
        true => plain_view(bench).encode(),
        false => bench.link_with_names(),
    }
}

/// The last action. Shown in the dialog itself, as the status line is dimmed and inert below it.
type LastAction = RwSignal<String>;

fn copy(said: LastAction, text: String) {
    leptos::task::spawn_local(async move {
        said.try_set(dom::copy(text).await);
    });
}

/// HTML of the one-file page: this page if it is one, else fetched from its folder.
async fn template() -> Result<String, String> {
    if let Some(own) = boot::value("template").as_string() {
        return Ok(own);
    }
    let url = viewer() + "gemmscope.html";
    let blob = boot::fetch_file(&url, 64e6, None).await.map_err(|_| {
        "Not saved: the page's one-file form is not kept in this browser and could not be fetched. Once the network is there, it can.".to_owned()
    })?;
    gloo_file::futures::read_as_text(&blob).await.map_err(|e| e.to_string())
}

/// Name of a file made from one or several files.
pub fn named(file: &str, several: &str, ending: &str) -> String {
    let stem = file.split('.').next().filter(|s| !s.is_empty()).unwrap_or(several);
    format!("{stem}.gemmscope.{ending}")
}

fn save_page(bench: Workbench, rows: PackedRows, name: String, said: LastAction) {
    said.set("Putting the page together…".into());
    leptos::task::spawn_local(async move {
        let view = untrack(|| view_along(bench, rows)).encode();
        let made = match pack(bench, rows, untrack(|| tables(bench))).await {
            None => return,
            Some(Err(why)) => Err(why),
            Some(Ok(block)) => {
                template().await.and_then(|template| data::page(&template, &view, &block))
            }
        };
        let told = match made {
            Ok(html) => {
                dom::download(&named(&name, "report", "html"), "text/html", html.as_bytes());
                format!("Saved: one page of {} with the rows inside", Bytes(html.len() as f64))
            }
            Err(message) => message,
        };
        said.try_set(told);
    });
}

/// Shared state of the dialog.
#[derive(Clone, Copy)]
struct Sharing {
    bench: Workbench,
    rows: PackedRows,
    /// Number of rows to share, and of their files.
    go_along: Signal<usize>,
    files: u64,
    said: LastAction,
    /// The page is a single file on this machine's disk, so its address works for nobody else.
    single: bool,
    from_disk: bool,
}

/// The dialog.
#[component]
pub fn Share() -> impl IntoView {
    let bench = Workbench::here();
    let loader = Loader::here();
    let names = bench.files.with_untracked(|files| {
        files.iter().filter_map(|f| Some(loader.input(f.id)?.name)).collect::<Vec<String>>()
    });
    let count = bench.data.with_untracked(|d| d.len());
    let passing = bench.frame.with_untracked(|f| f.rows.len());
    let rows = PackedRows { goes: RwSignal::new(Goes::Unpacked), part: RwSignal::new(false) };
    let go_along = Signal::derive(move || if rows.part.get() { passing } else { count });
    let single = boot::is_single_file();
    let sharing = Sharing {
        bench,
        rows,
        go_along,
        files: names.len() as u64,
        said: RwSignal::new(String::new()),
        single,
        from_disk: single && dom::address().starts_with("file:"),
    };
    Effect::new(move |_| {
        if (1..=AT_ONCE).contains(&go_along.get()) {
            leptos::task::spawn_local(async move {
                pack(bench, rows, Vec::new()).await;
            });
        }
    });
    let part = (1..count).contains(&passing).then(|| only_passing(sharing, passing));
    let only = match &names[..] {
        [one] => one.clone(),
        _ => String::new(),
    };
    let docs = (!single).then(|| docs_part(sharing, &names));
    view! {
        <Modal title="Share" wide=true>
            {part}
            {link_part(sharing)}
            {page_part(sharing, only)}
            {docs}
        </Modal>
    }
}

/// The choice between all rows and those that pass the filters.
fn only_passing(sharing: Sharing, passing: usize) -> AnyView {
    let rows = sharing.rows;
    let packing = move || rows.goes.with(|r| matches!(r, Goes::Packing(_)));
    let change = move |_| {
        rows.goes.set(Goes::Unpacked);
        rows.part.update(|p| *p = !*p);
    };
    view! {
        <label class="share-check">
            <input type="checkbox" disabled=packing prop:checked=move || rows.part.get() on:change=change />
            {format!("Only what passes the filters: {}", plural(passing as u64, "row"))}
        </label>
    }
    .into_any()
}

/// A link to the view, including the rows if they fit.
fn link_part(sharing: Sharing) -> AnyView {
    let Sharing { bench, rows, go_along, said, single, from_disk, .. } = sharing;
    let plain = format!("{}#{}", viewer(), untrack(|| link(bench)));
    // The rows as text for a link; the length if too long; `None` until known.
    let data = Memo::new(move |_| match rows.goes.get() {
        Goes::Packed(block) => Some(data::to_link(&block)),
        _ => None,
    });
    let with_data = RwSignal::new(false);
    let link = Memo::new(move |_| match (with_data.get(), data.get()) {
        (true, Some(Ok(text))) => {
            let mut view = view_along(bench, rows);
            view.set_param(data::DATA_KEY, text);
            format!("{}#{}", viewer(), view.encode())
        }
        _ => plain.clone(),
    });
    let fits = move || data.with(|d| matches!(d, Some(Ok(_))));
    let too_much = |why: String| format!("Too much for a link{why}. Save the page instead.");
    let why_not = move || match data.get() {
        Some(Err(n)) => too_much(format!(": {n} characters, {} would fit", data::LINK_LIMIT)),
        None if go_along.get() > AT_ONCE => too_much(String::new()),
        _ => String::new(),
    };
    let view = plain_view(bench);
    let fetched = view.param(data::SOURCE_KEY).map(str::to_owned);
    let sample = bench.files.with_untracked(|files| given::is_sample(files));
    let holds = move || {
        match &fetched {
        _ if with_data.get() => "Holds the view and the rows of the open files: anyone who has the link has them. They stay in the part after #, which browsers send to no server.".to_owned(),
        Some(src) => format!("Holds the view and the data's address ({src}), from which it is fetched again."),
        None if sample => "Holds filters, device, zoom and selection. The sample comes with the page: whoever opens the link sees it at once.".to_owned(),
        None if single => "Holds filters, device, zoom and selection. Data that is not in this page is asked for by name.".to_owned(),
        None => "Holds filters, device, zoom and selection. The file stays here: whoever opens the link is asked for it by name.".to_owned(),
    }
    };
    let short = view.unwritten().then(|| {
        view! {
            <p class="notice">"The rows that are filtered to are too many for a link or a saved page: both show all rows instead. Filter by columns or ranges to share a part."</p>
        }
    });
    view! {
        <section class="share-part">
            <h3>"A link"</h3>
            {from_disk.then(|| view! {
                <p class="muted">"This page is a file on disk, and no link leads others to it. Save it with what shows now, and hand on the file."</p>
            })}
            {(!from_disk).then(|| view! {
                <div class="share-line">
                    <input class="share-link" type="text" readonly aria-label="Link" prop:value=move || link.get() />
                    <button type="button" class="button primary" on:click=move |_| copy(said, link.get_untracked())>"Copy link"</button>
                </div>
                <p class="muted">{holds}</p>
            })}
            {short}
            {(!single).then(|| view! {
                <label class="share-check">
                    <input type="checkbox" disabled=move || !fits() prop:checked=move || with_data.get()
                        on:change=move |_| with_data.update(|w| *w = !*w) />
                    "Put the rows into the link"
                </label>
                <p class="muted">{why_not}</p>
            })}
        </section>
    }
    .into_any()
}

/// The page with its rows as one file, with a list of what it includes.
fn page_part(sharing: Sharing, name: String) -> AnyView {
    let Sharing { bench, rows, go_along, files, said, single, .. } = sharing;
    let name = StoredValue::new(name);
    let packing = move || rows.goes.with(|r| matches!(r, Goes::Packing(_)));
    let goes_in = move || {
        let what = format!("{} of {}", plural(go_along.get() as u64, "row"), plural(files, "file"));
        match rows.goes.get() {
            Goes::Unpacked => format!("Goes in: {what}."),
            Goes::Packing(done) => format!("Packing {what}: {:.0} %", done * 100.0),
            Goes::Packed(block) => {
                format!("Goes in: {what}, {} packed.", Bytes(block.len() as f64))
            }
            Goes::Failed(why) => format!("Not possible: {why}."),
        }
    };
    view! {
        <section class="share-part">
            <h3>"A page"</h3>
            <p class="muted">
                "One HTML file with the program, this view and the extracted rows: sizes, types, times and what the page says of the files. The files themselves, with whatever else they hold, stay here. It opens from disk without a network."
            </p>
            <p class="muted share-goes">{goes_in}</p>
            <button type="button" class="button" disabled=packing
                on:click=move |_| save_page(bench, rows, name.get_value(), said)>"Save as a page"</button>
        </section>
        {single.then(|| view! { <p class="share-said" role="status">{said}</p> })}
    }
    .into_any()
}

/// Snippets for documentation systems, filled in with file, view and device.
fn docs_part(sharing: Sharing, names: &[String]) -> AnyView {
    let said = sharing.said;
    let view = plain_view(sharing.bench);
    let shown = sharing.bench.shown.get_untracked();
    let place = SnippetPlace {
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
            let mut v = view;
            v.set_param(data::SOURCE_KEY, "");
            v.encode()
        },
    };
    let texts = StoredValue::new(snippets(&place));
    let chosen = RwSignal::new(0usize);
    let snippet = move |get: fn(&Snippet) -> String| {
        texts.with_value(|s| s.get(chosen.get()).map(get).unwrap_or_default())
    };
    view! {
        <section class="share-part">
            <h3>"In documentation"</h3>
            <div class="segments share-systems" role="group" aria-label="Documentation system">
                {texts.get_value().iter().enumerate().map(|(i, s)| {
                    segment(s.system, move || chosen.get() == i, move || chosen.set(i))
                }).collect_view()}
            </div>
            <p class="muted">{move || snippet(|s| s.note.to_owned())}</p>
            <textarea class="paste-box share-snippet" rows="7" readonly spellcheck="false" aria-label="Snippet"
                prop:value=move || snippet(|s| s.text.clone())></textarea>
            <div class="dialog-actions">
                <p class="share-said" role="status">{said}</p>
                <button type="button" class="button" on:click=move |_| copy(said, snippet(|s| s.text.clone()))>"Copy snippet"</button>
            </div>
        </section>
    }
    .into_any()
}
