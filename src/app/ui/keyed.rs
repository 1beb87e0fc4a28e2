//! Lists whose elements stay while their keys do.

use leptos::prelude::*;
use std::hash::{DefaultHasher, Hash, Hasher};

/// The hash of an item's key, and what shows the item.
type Entry = (u64, Box<dyn FnOnce() -> AnyView + Send>);

/// As `For`, whose code is compiled anew for every type of items, 7 kB each time. Here one serves all
/// lists.
pub fn keyed<T: Send + 'static, K: Hash>(
    each: impl Fn() -> Vec<T> + Send + 'static,
    key: impl Fn(&T) -> K + Send + 'static,
    show: impl Fn(T) -> AnyView + Clone + Send + 'static,
) -> AnyView {
    erased(Box::new(move || {
        let entry = |item: T| {
            let mut hasher = DefaultHasher::new();
            key(&item).hash(&mut hasher);
            let show = show.clone();
            let make: Box<dyn FnOnce() -> AnyView + Send> = Box::new(move || show(item));
            (hasher.finish(), make)
        };
        each().into_iter().map(entry).collect()
    }))
}

fn erased(each: Box<dyn Fn() -> Vec<Entry> + Send>) -> AnyView {
    view! { <For each=each key=|e| e.0 let:entry>{(entry.1)()}</For> }.into_any()
}
