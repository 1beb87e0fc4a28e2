//! Data that comes with the page or the link: saved in the page, inside the link, or at an address in the link.

use crate::app::load::{Loader, sample};
use crate::app::state::{Dialog, Fetching, LoadError, LoadedFile, Origin, Shell};
use crate::samples::SAMPLES;
use crate::web::file::Input;
use crate::web::{boot, dom, storage};
use gemmscope_import::ImportOptions;
use gemmscope_share::data;
use gemmscope_share::data::Carried;
use gemmscope_share::run_list::{MOST_LIST, NOT_THE_LISTED, RunList, SHOWN_RUNS};
use gemmscope_share::source::{SourcePolicy, UrlParts, raw_address, source_policy};
use gemmscope_table::view_state::ViewState;
use gloo_file::futures::read_as_bytes;
use leptos::prelude::*;

/// Storage key of the hosts that data may be fetched from without asking, one per line.
pub const HOSTS_KEY: &str = "gemmscope.hosts";
/// The page whose content policy allows fetching from other hosts.
const OPEN_PAGE: &str = "open.html";

/// Opens the data that came with the page or the link, and published times of the page alone; false where none did.
pub fn open(loader: Loader) -> bool {
    let baked = dom::document()
        .get_element_by_id("gemmscope-data")
        .and_then(|e| e.text_content())
        .filter(|text| !text.trim().is_empty());
    if let Some(baked) = baked {
        open_carried(loader, "This page's data", baked, true);
        return true;
    }
    let (data, src) = loader.bench.view.with_untracked(|v| {
        let get = |key| v.param(key).map(str::to_owned);
        (get(data::DATA_KEY), get(data::SOURCE_KEY))
    });
    let brought = data.is_some() || src.is_some();
    if let Some(data) = data {
        open_carried(loader, "The link's data", data, false);
    }
    if let Some(src) = src {
        open_source(loader, &src);
    }
    brought
}

/// Opens the sample that a link was made from.
pub fn open_linked_sample(loader: Loader) {
    let names = loader.bench.expected.get_untracked();
    let linked = SAMPLES.iter().find(|s| !dom::embedded() && names.as_deref() == Some(s.file));
    if let Some(sample) = linked {
        sample::open_as_linked(loader, sample);
    }
}

/// True if a link alone suffices to open the files again: a single sample.
pub fn is_sample(files: &[LoadedFile]) -> bool {
    matches!(files, [one] if one.origin == Origin::Sample)
}

fn refuse(shell: Shell, name: &str, message: String) {
    shell.refuse(LoadError { name: name.to_owned(), message, ..LoadError::default() });
}

/// The view of a page with data, if any, and the files.
type Unpacked = Result<(Option<String>, Vec<Carried>), String>;

/// Unpacks the data of a page (with its view) or a link.
fn unpack(text: &str, of_page: bool) -> Unpacked {
    match of_page {
        true => data::from_page(text).map(|found| match found {
            Some((view, files)) => (Some(view), files),
            None => (None, Vec::new()),
        }),
        false => data::from_link(text).map(|files| (None, files)),
    }
}

fn open_carried(loader: Loader, name: &'static str, text: String, of_page: bool) {
    loader.bring(async move {
        let (view, files) = unpack(&text, of_page).unwrap_or_else(|message| {
            refuse(loader.shell, name, message);
            (None, Vec::new())
        });
        if let Some(view) = view.filter(|_| dom::hash().len() < 2) {
            loader.bench.view.set(ViewState::decode(&view).0);
        }
        for f in files {
            // A link holds what anybody wrote: published times come from the page or its folder.
            if of_page && loader.bench.published.take(&f.name, &f.bytes) {
                continue;
            }
            // Errors are shown on the page.
            let _ = loader.add_one(Input::from_bytes(&f.name, &f.bytes), f.options).await;
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

fn open_source(loader: Loader, src: &str) {
    let src = raw_address(src.trim());
    let address = dom::address();
    let (Ok(url), Ok(page)) =
        (web_sys::Url::new_with_base(&src, &address), web_sys::Url::new(&address))
    else {
        refuse(loader.shell, &src, "this is no address".to_owned());
        return;
    };
    if boot::is_single_file() {
        let message = "this one-file page fetches nothing: download the file and drop it here";
        refuse(loader.shell, &src, message.to_owned());
        return;
    }
    match source_policy(&parts(&url), &parts(&page)) {
        SourcePolicy::Refuse(message) => refuse(loader.shell, &src, message),
        SourcePolicy::SameOrigin => fetch(loader, url.href()),
        SourcePolicy::Ask(host) => {
            if !page.pathname().ends_with(OPEN_PAGE) {
                // The policy of this page forbids other hosts. The other page allows them, and asks first.
                let there = format!("{OPEN_PAGE}{}{}", page.search(), page.hash());
                let _ = dom::window().location().replace(&there);
                return;
            }
            let known = storage::get(HOSTS_KEY).unwrap_or_default();
            if known.lines().any(|h| h == host) {
                fetch(loader, url.href());
            } else {
                loader.shell.open(Dialog::Source(host, url.href()));
            }
        }
    }
}

/// Fetches a file without credentials, up to a size limit, and imports it.
pub fn fetch(loader: Loader, url: String) {
    let name = url
        .split(['?', '#'])
        .next()
        .and_then(|p| p.rsplit('/').next())
        .filter(|n| !n.is_empty())
        .unwrap_or("data")
        .to_owned();
    let name = js_sys::decode_uri_component(&name).map_or(name, String::from);
    let mut cancel = None;
    let cancelled = js_sys::Promise::new(&mut |resolve, _| cancel = Some(resolve));
    let fetching = cancel.map(|cancel| Fetching { name: name.clone(), cancel });
    loader.shell.load.update(|l| l.fetching = fetching);
    loader.bring(async move {
        let fetched = boot::fetch_file(&url, data::FETCH_LIMIT as f64, Some(&cancelled)).await;
        let wanted = loader.shell.load.try_update(|l| l.fetching.take().is_some());
        match fetched {
            Ok(blob) => {
                let input = Input { name, blob };
                match run_list(&input).await {
                    Some(list) => open_runs(loader, &url, &input.name, list).await,
                    None => {
                        let _ = loader.add_one(input, ImportOptions::default()).await;
                    }
                }
            }
            Err(_) if wanted == Some(false) => loader.shell.say(format!("{name}: cancelled")),
            Err(why) => refuse(loader.shell, &name, unfetched(why)),
        }
    });
}

/// Why a file was not fetched, for people.
fn unfetched(why: Option<String>) -> String {
    why.unwrap_or_else(|| "it could not be fetched".to_owned())
}

/// The list of runs in a file, or why it cannot be read; `None` for any other file.
async fn run_list(input: &Input) -> Option<Result<RunList, String>> {
    let small = input.name.ends_with(".json") && input.size() <= MOST_LIST;
    let bytes = if small { read_as_bytes(&input.blob).await.ok()? } else { return None };
    let text = String::from_utf8(bytes).ok()?;
    RunList::is_list(&text).then(|| RunList::read(&text))
}

/// Fetches the newest runs of a list and opens those that are what it names. They lie below the list, so at the host
/// that the reader allowed.
async fn open_runs(loader: Loader, url: &str, name: &str, list: Result<RunList, String>) {
    let runs = match list {
        Ok(list) => list.runs,
        Err(why) => return refuse(loader.shell, name, why),
    };
    let shown = runs.len().saturating_sub(SHOWN_RUNS);
    for run in runs.into_iter().skip(shown) {
        let file = run.rows.rsplit('/').next().unwrap_or(&run.rows).to_owned();
        let Ok(at) = web_sys::Url::new_with_base(&run.rows, url) else { continue };
        let fetched = boot::fetch_file(&at.href(), data::FETCH_LIMIT as f64, None).await;
        let fetched = fetched.map_err(unfetched);
        let bytes = match fetched {
            Ok(blob) => read_as_bytes(&blob).await.map_err(|e| e.to_string()),
            Err(why) => Err(why),
        };
        match bytes {
            Ok(bytes) if run.is(&bytes) => {
                let options = ImportOptions { run: run.info, ..ImportOptions::default() };
                let _ = loader.add_one(Input::from_bytes(&file, &bytes), options).await;
            }
            Ok(_) => refuse(loader.shell, &file, NOT_THE_LISTED.to_owned()),
            Err(why) => refuse(loader.shell, &file, why),
        }
    }
}
