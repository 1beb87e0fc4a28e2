//! Asks before another host is contacted.

use crate::app::load::Loader;
use crate::app::load::given::{HOSTS_KEY, fetch};
use crate::app::ui::Modal;
use crate::web::storage;
use leptos::prelude::*;

/// The dialog.
#[component]
pub fn SourceDialog(host: String, url: String) -> impl IntoView {
    let loader = Loader::here();
    let close = move || loader.shell.close();
    let (once, always) = (url.clone(), url.clone());
    let keep = host.clone();
    let remember = move |_| {
        let mut known = storage::get(HOSTS_KEY).unwrap_or_default();
        known.push_str(&keep);
        known.push('\n');
        storage::set(HOSTS_KEY, Some(&known));
        close();
        fetch(loader, always.clone());
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
                <button type="button" class="button primary" on:click=move |_| { close(); fetch(loader, once.clone()); }>"Fetch"</button>
            </div>
        </Modal>
    }
}
