//! Opens a sample.

use super::Loader;
use crate::app::later::NotLoaded;
use crate::samples::Sample;
use crate::web::file::Input;
use crate::web::{dom, reading};
use gemmscope_model::hardware::Device;
use wasm_split_helpers::wasm_split;

/// The file behind a sample, and the device that it was measured on.
#[wasm_split(work, fallible)]
fn content(sample: &'static Sample) -> Result<(&'static [u8], Option<Device>), NotLoaded> {
    let content = sample.content();
    let device = content.device_json.and_then(|json| Device::from_json(json).ok());
    Ok((content.bytes, device))
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
        let Ok((bytes, device)) = content(sample).await else {
            dom::set_root_data("ready", Some("1"));
            return loader.shell.say(reading::NOT_LOADED);
        };
        if let Some(device) = device {
            loader.bench.lend_device(device);
        }
        loader.add_sample(Input::from_bytes(sample.file, bytes), tab);
    });
}
