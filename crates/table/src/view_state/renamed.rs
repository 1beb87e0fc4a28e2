//! Settings that older links know by other names.

use super::ViewState;
use crate::dataset::{ColumnMeaning, library_name};

/// View, its old key, the new one. Cells, bars and boxes once had settings of their own.
const RENAMED: [(&str, &str, &str); 19] = [
    ("heat", "heat.x", "explore.x"),
    ("heat", "heat.y", "explore.y"),
    ("heat", "heat.value", "explore.figure"),
    ("heat", "heat.cell", "explore.statistic"),
    ("heat", "heat.sort", "explore.sort"),
    ("heat", "heat.sort_y", "explore.sort_y"),
    ("heat", "heat.scale", "explore.scale"),
    ("heat", "heat.find", "explore.find"),
    ("bars", "bars.group", "explore.x"),
    ("bars", "bars.cell", "explore.statistic"),
    ("bars", "bars.sort", "explore.sort"),
    ("bars", "bars.up", "explore.up"),
    ("bars", "bars.scale", "explore.scale"),
    ("bars", "bars.find", "explore.find"),
    ("strip", "strip.x", "explore.x"),
    ("strip", "strip.value", "explore.figure"),
    ("strip", "strip.sort", "explore.sort"),
    ("strip", "strip.scale", "explore.scale"),
    ("strip", "strip.find", "explore.find"),
];

/// Pictures that had other names, and the beginnings of their settings.
const PICTURES: [(&str, &str); 6] = [
    // The selected GEMMs side by side are a table in the details.
    ("card", "roofline"),
    ("heat", "cells"),
    ("strip", "boxes"),
    ("history", "tuning"),
    ("winner", "fastest"),
    ("pareto", "lost"),
];

/// Gives pictures and the settings that begin with their names the names of today.
fn pictures(state: &mut ViewState) {
    for (old, new) in PICTURES {
        if state.view == old {
            new.clone_into(&mut state.view);
        }
        let named = |key: &String| {
            let own = key.strip_prefix(old).filter(|rest| rest.starts_with('.'));
            let scrolled = (key.strip_prefix("at.") == Some(old)).then(|| format!("at.{new}"));
            own.map(|rest| format!("{new}{rest}")).or(scrolled)
        };
        let keys: Vec<_> =
            state.params.keys().filter_map(|k| Some((k.clone(), named(k)?))).collect();
        for (key, to) in keys {
            if let Some(value) = state.params.remove(&key) {
                state.params.entry(to).or_insert(value);
            }
        }
    }
}

/// A value of the setting or filter `key`: known libraries once were as a file wrote them, and are as
/// their makers do.
pub(super) fn value<'a>(key: &str, value: &'a str) -> &'a str {
    match key.strip_prefix("f.") {
        Some(field) if field.strip_prefix("c.") != Some(ColumnMeaning::Library.id()) => value,
        _ => library_name(value).unwrap_or(value),
    }
}

/// Gives old settings their new names. Where two are one now, that of the view that shows counts.
pub(super) fn apply(state: &mut ViewState) {
    // One row of cells, once a form of its own.
    let row = state.params.remove("heat.form").as_deref() == Some("row");
    let along = state.params.remove("heat.along");
    if row {
        state.params.insert("heat.y".to_owned(), "none".to_owned());
        match along {
            Some(along) => drop(state.params.insert("heat.x".to_owned(), along)),
            None => drop(state.params.remove("heat.x")),
        }
    }
    let shown = state.view.clone();
    for first in [true, false] {
        for (view, old, new) in RENAMED {
            if (view == shown) == first
                && let Some(value) = state.params.remove(old)
            {
                let value = match (old, value.as_str()) {
                    ("bars.sort", "rate") => "value".to_owned(),
                    _ => value,
                };
                state.params.entry(new.to_owned()).or_insert(value);
            }
        }
    }
    pictures(state);
    // The map of the fastest has no other form.
    for key in ["fastest.show", "fastest.along"] {
        state.params.remove(key);
    }
    // The largest loss is a field as others are.
    if let Some(color) = state.params.get_mut("color").filter(|color| *color == "loss") {
        "c.ledger.largest_loss".clone_into(color);
    }
    // Arrows from side to side lie on the roofline, whose baseline has the key of Compare's.
    if state.params.get("compare.show").is_some_and(|show| show == "arrows") {
        state.params.remove("compare.show");
        if state.view == "compare" {
            "roofline".clone_into(&mut state.view);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_links_keep_their_settings() {
        let of = |link: &str| {
            let params = ViewState::decode(link).0.params;
            let all: Vec<String> = params.iter().map(|(k, v)| format!("{k}={v}")).collect();
            all.join(" ")
        };
        assert_eq!(
            of("view=bars&heat.x=n&bars.group=dtype&bars.sort=rate&heat.y=m"),
            "explore.sort=value explore.x=dtype explore.y=m"
        );
        assert_eq!(
            of("view=heat&heat.form=row&heat.along=shape&heat.x=n"),
            "explore.x=shape explore.y=none"
        );
        assert_eq!(
            of("view=strip&strip.value=time&explore.x=m"),
            "explore.figure=time explore.x=m"
        );
        assert_eq!(
            of("view=winner&winner.show=strips&winner.along=k&winner.k=all&at.heat=3,4"),
            "at.cells=3,4 fastest.k=all"
        );
        assert_eq!(ViewState::decode("view=history").0.view, "tuning");
        assert_eq!(of("color=loss"), "color=c.ledger.largest_loss");
        let arrows = "view=compare&compare.show=arrows&compare.a=rocBLAS";
        assert_eq!(of(arrows), "compare.a=rocBLAS");
        assert_eq!(ViewState::decode(arrows).0.view, "roofline");
        let libraries = "f.c.library=cublas&f.c.library=ours&compare.a=rocblas";
        let libraries = ViewState::decode(libraries).0.encode();
        assert_eq!(libraries, "v=1&f.c.library=cuBLAS&f.c.library=ours&compare.a=rocBLAS");
    }
}
