//! Opens a sample.

use super::Loader;
use crate::app::later::NotLoaded;
use crate::samples::Sample;
use crate::web::file::Input;
use crate::web::{dom, reading};
use wasm_split_helpers::wasm_split;

/// The file behind a sample.
#[wasm_split(work, fallible)]
fn content(sample: &'static Sample) -> Result<&'static [u8], NotLoaded> {
    Ok(sample.bytes())
}

/// Opens a sample in the tab that shows it best.
pub fn open(loader: Loader, sample: &'static Sample) {
    open_in(loader, sample, Some(sample.view));
}

/// Opens a sample in the view that a link shows.
pub fn open_as_linked(loader: Loader, sample: &'static Sample) {
    open_in(loader, sample, None);
}

fn open_in(loader: Loader, sample: &'static Sample, tab: Option<&'static str>) {
    dom::set_root_data("ready", None);
    leptos::task::spawn_local(async move {
        let Ok(bytes) = content(sample).await else {
            dom::set_root_data("ready", Some("1"));
            return loader.shell.say(reading::NOT_LOADED);
        };
        loader.add_sample(Input::from_bytes(sample.file, bytes), tab);
    });
}
