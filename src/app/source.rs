//! Data that a page or a link brings along: baked into the page, inside the link, or at an
//! address that the link names.

use super::state::{App, Dialog, LoadError};
use super::ui::Modal;
use crate::embed::{SourcePolicy, UrlParts, raw_address, source_policy};
use crate::import::ImportOptions;
use crate::share::{self, Carried};
use crate::view_state::ViewState;
use crate::web::file::Input;
use crate::web::worker::field;
use crate::web::{dom, storage};
use leptos::prelude::*;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

/// Hosts that data may be fetched from without asking again, one a line.
const HOSTS_KEY: &str = "gemmscope.hosts";
/// The page whose policy lets it fetch from other hosts.
const OPEN_PAGE: &str = "open.html";

/// What boot.mjs (or the one-file page) leaves for the app.
pub fn boot(name: &str) -> JsValue {
    field(&field(&js_sys::global(), "gemmscopeBoot"), name)
}

/// True in the one-file page, which fetches nothing.
pub fn is_single_file() -> bool {
    boot("single").is_truthy()
}

/// Opens what came with the page or the link.
pub fn open_given(app: App) {
    let baked = dom::document()
        .get_element_by_id("gemmscope-data")
        .and_then(|e| e.text_content())
        .unwrap_or_default();
    match share::from_page(&baked) {
        Ok(Some((view, files))) => {
            if dom::hash().len() < 2 {
                app.view.set(ViewState::decode(&view).0);
            }
            open_carried(app, files);
            return;
        }
        Ok(None) => {}
        Err(message) => refuse(app, "This page's data", message),
    }
    let (data, src) = app.view.with_untracked(|v| {
        let get = |key| v.param(key).map(str::to_owned);
        (get(share::DATA_KEY), get(share::SOURCE_KEY))
    });
    if let Some(data) = data {
        match share::from_link(&data) {
            Ok(files) => open_carried(app, files),
            Err(message) => refuse(app, "The link's data", message),
        }
    }
    if let Some(src) = src {
        open_source(app, &src);
    }
}

fn refuse(app: App, name: &str, message: String) {
    app.load.update(|l| {
        l.errors.push(LoadError {
            // Numbers of files are counted from 1.
            id: 0,
            name: name.to_owned(),
            message,
            mappable: false,
        });
    });
}

fn open_carried(app: App, files: Vec<Carried>) {
    leptos::task::spawn_local(async move {
        for f in files {
            // What is wrong with a file stands on the page.
            let _ = app
                .add_one(Input::from_bytes(&f.name, &f.bytes), f.options)
                .await;
        }
    });
}

fn parts(url: &web_sys::Url) -> UrlParts {
    UrlParts {
        protocol: url.protocol(),
        hostname: url.hostname(),
        host: url.host(),
        username: url.username(),
        password: url.password(),
    }
}

fn open_source(app: App, src: &str) {
    let src = raw_address(src.trim());
    let address = dom::address();
    let (Ok(url), Ok(page)) = (
        web_sys::Url::new_with_base(&src, &address),
        web_sys::Url::new(&address),
    ) else {
        refuse(app, &src, "this is no address".to_owned());
        return;
    };
    if is_single_file() {
        let message = "this one-file page fetches nothing: download the file and drop it here";
        refuse(app, &src, message.to_owned());
        return;
    }
    match source_policy(&parts(&url), &parts(&page)) {
        SourcePolicy::Refuse(message) => refuse(app, &src, message),
        SourcePolicy::SameOrigin => fetch(app, url.href()),
        SourcePolicy::Ask(host) => {
            if !page.pathname().ends_with(OPEN_PAGE) {
                // This page's policy forbids other hosts. Its sister's allows them; it asks.
                let there = format!("{OPEN_PAGE}{}{}", page.search(), page.hash());
                let _ = dom::window().location().replace(&there);
                return;
            }
            let known = storage::get(HOSTS_KEY).unwrap_or_default();
            if known.lines().any(|h| h == host) {
                fetch(app, url.href());
            } else {
                app.open(Dialog::Source(host, url.href()));
            }
        }
    }
}

/// Fetches without credentials, up to a size.
fn fetch(app: App, url: String) {
    let name = url
        .split(['?', '#'])
        .next()
        .and_then(|p| p.rsplit('/').next())
        .filter(|n| !n.is_empty())
        .unwrap_or("data")
        .to_owned();
    let name = js_sys::decode_uri_component(&name).map_or(name, String::from);
    app.status.set(format!("Fetching {name}…"));
    dom::set_root_data("ready", None);
    leptos::task::spawn_local(async move {
        let result = match boot("fetchFile").dyn_into::<js_sys::Function>() {
            Ok(f) => {
                let limit = share::FETCH_LIMIT as f64;
                match f.call2(&JsValue::NULL, &url.as_str().into(), &limit.into()) {
                    Ok(promise) => JsFuture::from(js_sys::Promise::resolve(&promise)).await,
                    Err(e) => Err(e),
                }
            }
            Err(_) => Err(JsValue::from_str("this page fetches nothing")),
        };
        match result.map(|b| b.dyn_into::<web_sys::Blob>()) {
            Ok(Ok(blob)) => {
                app.status.set(String::new());
                let blob = gloo_file::Blob::from(blob);
                let _ = app
                    .add_one(Input { name, blob }, ImportOptions::default())
                    .await;
            }
            other => {
                let message = match other {
                    Err(e) => field(&e, "message").as_string().or_else(|| e.as_string()),
                    Ok(_) => None,
                };
                app.status.set(String::new());
                refuse(
                    app,
                    &name,
                    message.unwrap_or_else(|| "it could not be fetched".to_owned()),
                );
                dom::set_root_data("ready", Some("1"));
            }
        }
    });
}

/// Asks before another host is contacted.
#[component]
pub fn SourceDialog(host: String, url: String) -> impl IntoView {
    let app = App::here();
    let close = move || app.dialog.set(None);
    let (once, always) = (url.clone(), url.clone());
    let keep = host.clone();
    let remember = move |_| {
        let mut known = storage::get(HOSTS_KEY).unwrap_or_default();
        known.push_str(&keep);
        known.push('\n');
        storage::set(HOSTS_KEY, Some(&known));
        close();
        fetch(app, always.clone());
    };
    view! {
        <Modal title=Signal::derive(|| "Fetch data from another host?".to_owned()) on_close=close>
            <p>"This link names data at " <strong class="share-host">{host.clone()}</strong> "."</p>
            <p class="share-address">{url.clone()}</p>
            <p class="muted">
                "Fetching it tells that host your network address and that you opened it. No cookie and no other data is sent."
            </p>
            <div class="dialog-actions">
                <button type="button" class="button" on:click=move |_| close()>"Do not fetch"</button>
                <button type="button" class="button" on:click=remember>"Always from this host"</button>
                <button type="button" class="button primary" on:click=move |_| { close(); fetch(app, once.clone()); }>"Fetch"</button>
            </div>
        </Modal>
    }
}
