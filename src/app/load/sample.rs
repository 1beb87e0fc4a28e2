//! Opens a sample.

use super::Loader;
use crate::samples::Sample;
use crate::web::file::Input;

/// Opens a sample in the tab that shows it best.
pub fn open(loader: Loader, sample: &'static Sample) {
    open_in(loader, sample, Some(sample.view));
}

/// Opens a sample in the view that a link shows.
pub fn open_as_linked(loader: Loader, sample: &'static Sample) {
    open_in(loader, sample, None);
}

fn open_in(loader: Loader, sample: &'static Sample, tab: Option<&'static str>) {
    loader.add_sample(Input::from_bytes(sample.file, sample.bytes()), tab);
}
