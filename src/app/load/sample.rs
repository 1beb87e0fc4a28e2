//! Opens a sample.

use super::Loader;
use crate::samples::Sample;
use crate::web::file::Input;

/// Opens a sample in the tab that shows it best.
pub fn open(loader: Loader, sample: &'static Sample) {
    // It is read even if nobody awaits it.
    drop(loader.add_sample(Input::from_bytes(sample.file, sample.bytes()), Some(sample.view)));
}

/// Opens a sample in the view of a link.
pub fn open_as_linked(loader: Loader, sample: &'static Sample) {
    loader.bring(async move {
        // The only possible error is that it was cancelled.
        let _ = loader.add_sample(Input::from_bytes(sample.file, sample.bytes()), None).await;
    });
}
