//! IndexedDB, if the browser has and allows it: values under text keys, in named stores.

use super::clock;
use super::js::{field, promised, text};
use std::time::Duration;
use wasm_bindgen::prelude::*;
use web_sys::{IdbDatabase, IdbRequest, IdbTransactionMode};

/// An open database, closed when dropped.
pub struct Database(IdbDatabase);

impl Drop for Database {
    fn drop(&mut self) {
        self.0.close();
    }
}

/// One change of [`Database::write`].
pub enum Write {
    /// Puts a value under a key of a store.
    Put(&'static str, String, JsValue),
    /// Deletes a key of a store.
    Delete(&'static str, String),
}

/// How long the browser may take to open the database, or to find a value.
const ANSWER: Duration = Duration::from_secs(10);
/// How long it may take to write, which for large files is a matter of the disk.
const WRITTEN: Duration = Duration::from_secs(60);

/// The browser's reason for a failure; "" if it gives none.
fn reason(error: JsValue) -> String {
    // A failed request reports an event, whose target has the error.
    match error.dyn_ref::<web_sys::Event>().and_then(|e| e.target()) {
        Some(target) => text(&field(&target, "error"), "message"),
        None => text(&error, "message"),
    }
}

/// Waits until one of two callbacks is called, the second of which is an error; no longer than this, since a browser
/// may never call either.
async fn ended(
    most: Duration,
    listen: impl Fn(&js_sys::Function, &js_sys::Function),
) -> Result<(), String> {
    let late = js_sys::Error::new("its storage does not answer");
    let ended = promised(|resolve, reject| {
        listen(&resolve, &reject);
        clock::call_after(most, &reject, &late);
    });
    ended.await.map_err(reason).map(drop)
}

async fn done(request: &IdbRequest) -> Result<JsValue, String> {
    ended(ANSWER, |resolve, reject| {
        request.set_onsuccess(Some(resolve));
        request.set_onerror(Some(reject));
    })
    .await?;
    request.result().map_err(reason)
}

impl Database {
    /// Opens a database; a new one gets these stores.
    ///
    /// # Errors
    ///
    /// The browser's reason, which may be empty.
    pub async fn open(name: &str, stores: &'static [&'static str]) -> Result<Database, String> {
        let factory = super::dom::window().indexed_db().map_err(reason)?;
        let factory = factory.ok_or_else(String::new)?;
        let request = factory.open_with_u32(name, 1).map_err(reason)?;
        let opened = request.clone();
        let upgrade = Closure::<dyn FnMut()>::new(move || {
            let database = opened.result().ok().map(JsValue::unchecked_into);
            if let Some::<IdbDatabase>(database) = database {
                for store in stores {
                    let _ = database.create_object_store(store);
                }
            }
        });
        request.set_onupgradeneeded(Some(upgrade.as_ref().unchecked_ref()));
        let database = done(&request).await?;
        Ok(Database(database.unchecked_into()))
    }

    /// The value under a key; undefined if there is none.
    ///
    /// # Errors
    ///
    /// The browser's reason, which may be empty.
    pub async fn get(&self, store: &str, key: &str) -> Result<JsValue, String> {
        let reading = self.0.transaction_with_str(store).map_err(reason)?;
        let store = reading.object_store(store).map_err(reason)?;
        done(&store.get(&key.into()).map_err(reason)?).await
    }

    /// The keys of a store, in order.
    ///
    /// # Errors
    ///
    /// The browser's reason, which may be empty.
    pub async fn keys(&self, store: &str) -> Result<Vec<String>, String> {
        let reading = self.0.transaction_with_str(store).map_err(reason)?;
        let store = reading.object_store(store).map_err(reason)?;
        let keys = done(&store.get_all_keys().map_err(reason)?).await?;
        Ok(js_sys::Array::from(&keys).iter().filter_map(|key| key.as_string()).collect())
    }

    /// Performs all changes or none.
    ///
    /// # Errors
    ///
    /// The browser's reason, which may be empty.
    pub async fn write(&self, changes: &[Write]) -> Result<(), String> {
        let mode = IdbTransactionMode::Readwrite;
        let stores = self.0.object_store_names();
        let writing =
            self.0.transaction_with_str_sequence_and_mode(&stores, mode).map_err(reason)?;
        for change in changes {
            let (Write::Put(store, ..) | Write::Delete(store, _)) = change;
            let store = writing.object_store(store).map_err(reason)?;
            match change {
                Write::Put(_, key, value) => store.put_with_key(value, &key.into()),
                Write::Delete(_, key) => store.delete(&key.into()),
            }
            .map_err(reason)?;
        }
        // The transaction cannot end before this task does.
        ended(WRITTEN, |resolve, reject| {
            writing.set_oncomplete(Some(resolve));
            writing.set_onabort(Some(reject));
        })
        .await
    }
}
