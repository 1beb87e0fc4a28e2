//! Data that the page which opened this one hands over. The reader is asked once, with the origin of that page
//! and the name and size of the file; nothing is read before. The opener learns whether its file opened, and
//! nothing else of this page.

use super::Loader;
use crate::app::state::{Dialog, Handed};
use crate::app::ui::keep;
use crate::web::file::Input;
use crate::web::host;
use crate::web::host::Host;
use crate::web::js::promised;
use gemmscope_import::ImportOptions;
use gemmscope_share::embed::Request;
use leptos::prelude::*;
use std::cell::Cell;
use std::rc::Rc;

/// Asks the reader. False where another question is open already.
async fn asked(loader: Loader, origin: String, name: String, size: u64) -> bool {
    if loader.shell.dialog.with_untracked(Option::is_some) {
        return false;
    }
    let answer = promised(|resolve, _| {
        let handed = Handed::new(origin.clone(), name.clone(), size, resolve);
        loader.shell.open(Dialog::Handed(handed));
    });
    answer.await.is_ok_and(|open| open.is_truthy())
}

/// Waits for the page that opened this one, if one did, and takes what it hands over.
pub fn listen(loader: Loader) {
    let trusted = Rc::new(Cell::new(false));
    let handler: host::Handler = Rc::new(move |host: Rc<Host>, request, bytes| {
        // An opener can do nothing else.
        let Request::Load { id, name, format, .. } = request else { return };
        let Some(bytes) = bytes else { return };
        let trusted = trusted.clone();
        host.set_busy(true);
        leptos::task::spawn_local(async move {
            let size = bytes.byte_length();
            let (origin, asks) = (host.origin.clone(), name.clone());
            if !trusted.get() && !asked(loader, origin, asks, u64::from(size)).await {
                let message = "the reader did not open it".to_owned();
                host.answer(id, Err(("declined".to_owned(), message)));
                return host.close();
            }
            trusted.set(true);
            host.take(size as usize);
            let input = Input::from_bytes(&name, &js_sys::Uint8Array::new(&bytes).to_vec());
            let options = ImportOptions { format, ..ImportOptions::default() };
            let read = loader.add_one(input, options).await;
            host.set_busy(false);
            // Why a file was refused stands on this page.
            host.answer(id, read.map(|()| None).map_err(|why| ("unreadable".to_owned(), why)));
        });
    });
    keep(host::listen(|_| (), handler));
}
