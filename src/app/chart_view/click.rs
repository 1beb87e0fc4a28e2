//! Clicks: select, isolate, make room for the dock.

use super::picture::Drawn;
use super::stage::Stage;
use crate::app::ui::NARROW;
use crate::web::{clock, dom};
use gemmscope_chart::chart::Target;
use gemmscope_chart::gesture::REACH;
use gemmscope_chart::scene::Point;
use gemmscope_table::filter::Values;
use leptos::prelude::Set;

/// Share of the main column's height that the dock covers from below, as in the style sheet; in the summary the share of
/// the screen's height, and the minimum in px.
const DOCK: f64 = 0.42;
const STORY: (f64, f64) = (0.34, 230.0);
/// Share of the screen that the sheet covers, as in the style sheet.
const SHEET: f64 = 0.5;
/// Height, as a share of the screen, to which a point that the sheet would cover is scrolled.
const SEEN: f64 = 0.28;
/// Height of header and tabs on a phone, px.
const HEAD: f64 = 100.0;
/// Width of the dock beside the picture, as in the style sheet, px.
const BESIDE: f64 = 420.0;
/// Maximum number of rows that a box selects: every one is a number in the link.
const MOST_SELECTED: usize = 200;

/// Shows only the categories of a target; with `add` toggles them. If the legend shows another field, toggles a filter
/// on the categories instead.
pub(super) fn isolate(parts: Stage, shown: &Drawn, target: &Target, add: bool) {
    if target.categories.is_empty() {
        return;
    }
    if let Some(field) = &target.field {
        let wanted: Values = target.categories.iter().cloned().collect();
        parts.bench.edit(|v| {
            let facets = &mut v.filters.facets;
            if facets.get(field) == Some(&wanted) {
                facets.remove(field);
            } else {
                facets.insert(field.clone(), wanted);
            }
        });
    } else if let Some(legend) = shown.legend() {
        let edit = |v: &mut _| legend.click(v, &target.categories, add);
        parts.bench.edit(edit);
    }
}

/// Places the dock so that the points stay visible, as far as possible.
pub(super) fn make_room(parts: Stage, element: &web_sys::HtmlElement, points: &[Point]) {
    let Some(main) = dom::document().get_element_by_id("main") else {
        return;
    };
    // On a phone the dock is a sheet over the lower part of the screen.
    if dom::media(NARROW) {
        let (element, points) = (element.clone(), points.to_vec());
        // The page can scroll only once the sheet is there.
        leptos::task::spawn_local(async move {
            clock::after_paint().await;
            scroll_above_sheet(&element, &points);
        });
        return;
    }
    let summary = element.closest(".summary-picture").ok().flatten();
    let (main, stage) = (main.get_bounding_client_rect(), element.get_bounding_client_rect());
    // Beside the ranked list, which stays in sight.
    let column = summary.as_ref().map_or_else(|| main.clone(), |s| s.get_bounding_client_rect());
    let height = match summary {
        Some(_) => (STORY.0 * screen_height()).max(STORY.1),
        None => DOCK * main.height(),
    };
    let below = main.bottom() - height - REACH;
    let width = BESIDE.min(column.width() / 2.0) + REACH;
    let covered = |side: &str, at: &Point| match side {
        "" => stage.top() + at.1 > below,
        "left" => stage.left() + at.0 < column.left() + width,
        _ => stage.left() + at.0 > column.right() - width,
    };
    let first = points.first().map_or(0.0, |at| at.0);
    let sides = match first > stage.width() / 2.0 {
        true => ["", "left", "right"],
        false => ["", "right", "left"],
    };
    let covers = |side: &&str| points.iter().filter(|at| covered(side, at)).count();
    parts.shell.dock_side.set(sides.into_iter().min_by_key(covers).unwrap_or_default());
    parts.shell.dock_top.set(stage.top() - main.top());
}

/// Height of the visible part of the page, px.
fn screen_height() -> f64 {
    dom::window().inner_height().ok().and_then(|h| h.as_f64()).unwrap_or_default()
}

/// Scrolls the page if the sheet covers the points, or if they are above the screen, as after a tap in a list below the
/// picture: a single point moves to the upper part of the screen; with several, the top of the picture does.
fn scroll_above_sheet(element: &web_sys::HtmlElement, points: &[Point]) {
    let height = screen_height();
    let top = element.get_bounding_client_rect().top();
    let sheet = (1.0 - SHEET) * height - REACH;
    let hidden = |at: &Point| !(HEAD..=sheet).contains(&(top + at.1));
    let by = match points {
        [at] if hidden(at) => top + at.1 - SEEN * height,
        [_, _, ..] if points.iter().any(hidden) => top - HEAD,
        _ => return,
    };
    // Either may be the one that scrolls.
    let pages = ["#main", ".chart-scroll"].map(|page| element.closest(page));
    for page in pages.into_iter().flatten().flatten() {
        page.scroll_by_with_x_and_y(0.0, by);
    }
}

/// Selects the rows of a click or a box, up to a limit.
pub(super) fn select(parts: Stage, rows: &[u32], add: bool) {
    let found = rows.len();
    if found > MOST_SELECTED {
        parts.shell.say(format!("{found} rows here; the first {MOST_SELECTED} are selected"));
    }
    parts.bench.select(&rows[..found.min(MOST_SELECTED)], add);
}
