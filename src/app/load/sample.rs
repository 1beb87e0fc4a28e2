//! Opens a sample.

use super::Loader;
use crate::samples::Sample;
use crate::web::file::Input;

/// Opens a sample in the tab that shows it best.
pub fn open(loader: Loader, sample: &'static Sample) {
    // It is read whether or not somebody waits for the end.
    drop(loader.add_sample(Input::from_bytes(sample.file, sample.bytes()), Some(sample.view)));
}

/// Opens a sample in the view that a link shows.
pub fn open_as_linked(loader: Loader, sample: &'static Sample) {
    loader.bring(async move {
        // It can only be cancelled.
        let _ = loader.add_sample(Input::from_bytes(sample.file, sample.bytes()), None).await;
    });
}
