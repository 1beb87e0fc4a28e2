//! Asks before contacting another host, and lists the hosts that are contacted without asking.

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
        <Modal title="Fetch data from another host?">
            <p>"This link names data at " <strong class="share-host">{host.clone()}</strong> "."</p>
            <p class="share-address">{url.clone()}</p>
            <p class="muted">
                "Fetching it tells that host, or where it sends you, your network address and that you opened it. No cookie and no other data is sent."
            </p>
            <div class="dialog-actions">
                <button type="button" class="button" on:click=move |_| close()>"Do not fetch"</button>
                <button type="button" class="button" title="Help lists these hosts, and ends it" on:click=remember>"Always from this host"</button>
                <button type="button" class="button primary" on:click=move |_| { close(); fetch(loader, once.clone()); }>"Fetch"</button>
            </div>
        </Modal>
    }
}

/// The hosts that data is fetched from without asking, each with a button to revoke that. Empty if there are none.
#[component]
pub fn TrustedHosts() -> impl IntoView {
    let known = || storage::get(HOSTS_KEY).unwrap_or_default();
    let hosts = RwSignal::new(known().lines().map(str::to_owned).collect::<Vec<_>>());
    let ask_again = move |host: &str| {
        hosts.update(|all| all.retain(|h| h != host));
        let left = hosts.with_untracked(|all| all.join("\n") + "\n");
        storage::set(HOSTS_KEY, Some(&left).filter(|l| l.len() > 1).map(|l| &**l));
    };
    let line = move |host: String| {
        let name = host.clone();
        view! {
            <li>
                <span class="share-host">{host}</span>
                <button type="button" class="button small" on:click=move |_| ask_again(&name)>"Ask again"</button>
            </li>
        }
    };
    view! {
        <Show when=move || hosts.with(|all| !all.is_empty())>
            <h3>"Fetched from without asking"</h3>
            <ul class="trusted">
                {move || hosts.get().into_iter().map(|host| line(host).into_any()).collect_view()}
            </ul>
        </Show>
    }
}
