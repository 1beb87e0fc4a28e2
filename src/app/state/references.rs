//! Published times on the page: which tables rows and plan need, fetched from the page's folder. They may arrive after
//! the picture.

use super::workbench::WorkbenchState;
use crate::web::{boot, dom};
use gemmscope_model::gemm::Operation;
use gemmscope_model::hardware::Device;
use gemmscope_model::reference::{ReferenceSource, ReferenceTable, listed, wanted, with_tables};
use leptos::prelude::*;
use std::sync::Arc;

/// A table with its file, for embedding in a saved page.
#[derive(Clone, Debug)]
pub struct HeldTable {
    table: Arc<ReferenceTable>,
    /// The file.
    pub bytes: Arc<[u8]>,
}

impl HeldTable {
    /// Source of the table.
    pub fn source(&self) -> &'static ReferenceSource {
        self.table.source()
    }
}

/// Published times that are loaded, and those on their way.
#[derive(Clone, Copy, Default)]
pub struct Published {
    held: RwSignal<Vec<HeldTable>>,
    /// Requested tables that have not arrived.
    awaited: RwSignal<Vec<&'static ReferenceSource>>,
}

impl Published {
    /// The loaded tables.
    pub fn held(&self) -> Vec<HeldTable> {
        self.held.get_untracked()
    }

    /// True while a requested table has not arrived, so that totals do not include it yet.
    pub fn is_awaited(&self) -> bool {
        self.awaited.with(|a| !a.is_empty())
    }

    /// Takes a file embedded in a page; false if it is not such a table.
    pub fn take(&self, name: &str, bytes: &[u8]) -> bool {
        let Some(source) = listed().iter().find(|s| s.file() == name) else { return false };
        // A damaged table is ignored.
        if let Ok(table) = ReferenceTable::read(source, bytes) {
            self.add(vec![HeldTable { table: Arc::new(table), bytes: bytes.into() }]);
        }
        true
    }

    fn add(&self, tables: Vec<HeldTable>) {
        let arrived = |s: &&ReferenceSource| tables.iter().any(|t| t.source() == *s);
        self.awaited.update(|awaited| awaited.retain(|s| !arrived(s)));
        if !tables.is_empty() {
            self.held.update(|held| held.extend(tables));
        }
    }

    /// Asks for one table.
    pub fn ask_for(self, source: &'static ReferenceSource) {
        self.fetch(vec![source]);
    }

    /// Fetches tables that nobody asked for before, from beside the page, and takes them all at once.
    fn fetch(self, wanted: Vec<&'static ReferenceSource>) {
        let known = |s: &&'static ReferenceSource| {
            self.held.with_untracked(|h| h.iter().any(|t| t.source() == *s))
                || self.awaited.with_untracked(|a| a.contains(s))
        };
        let wanted: Vec<_> = wanted.into_iter().filter(|s| !known(s)).collect();
        // The one-file page has no files beside it.
        if wanted.is_empty() || boot::is_single_file() {
            return;
        }
        self.awaited.update(|awaited| awaited.extend(&wanted));
        leptos::task::spawn_local(async move {
            let mut tables = Vec::new();
            for source in wanted {
                if let Some(bytes) = fetched(source).await
                    && let Ok(table) = ReferenceTable::read(source, &bytes)
                {
                    tables.push(HeldTable { table: Arc::new(table), bytes: bytes.into() });
                }
            }
            self.add(tables);
        });
    }
}

/// Bytes of a table from the page's folder; `None` if they cannot be fetched.
async fn fetched(source: &ReferenceSource) -> Option<Vec<u8>> {
    let address = dom::address();
    let base = address.split(['#', '?']).next().unwrap_or_default();
    let folder = base.rfind('/').map_or(base, |end| &base[..=end]);
    let url = format!("{folder}reference/{}", source.file());
    let limit = 2.0 * f64::from(source.bytes);
    let blob = boot::fetch_file(&url, limit, None).await.ok()?;
    gloo_file::futures::read_as_bytes(&blob).await.ok()
}

impl WorkbenchState {
    /// Devices that take precedence over the catalogue: the user's own, and those with loaded published times, unless
    /// these are switched off.
    pub(super) fn known_devices(self) -> Memo<Vec<Device>> {
        let WorkbenchState { custom, published, view, .. } = self;
        let off = Memo::new(move |_| view.with(|v| v.no_published));
        Memo::new(move |_| {
            let own = custom.get();
            if off.get() {
                return own;
            }
            let tables: Vec<_> =
                published.held.with(|held| held.iter().map(|t| t.table.clone()).collect());
            with_tables(&own, &tables)
        })
    }

    /// Requests the published times of these operations on these devices.
    pub fn ask_for<'a>(self, devices: impl Iterator<Item = &'a Device>, ops: &[Operation]) {
        self.published.fetch(wanted(devices, ops));
    }
}
