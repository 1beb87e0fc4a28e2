//! The start page is HTML: its samples and formats match those of the program.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on says where")]

use gemmscope::samples::SAMPLES;
use gemmscope_chart::places;
use gemmscope_import::FORMATS;
use gemmscope_table::view_state::ViewState;

const PAGE: &str = include_str!("../index.html");
const EARLY: &str = include_str!("../public/early.js");

/// All texts between `start` and `end`.
fn between<'a>(text: &'a str, start: &str, end: &str) -> Vec<&'a str> {
    text.split(start).skip(1).map(|rest| rest.split(end).next().unwrap()).collect()
}

#[test]
fn its_samples_are_those_of_the_program_and_their_links_open_them_where_a_click_does() {
    let links = between(PAGE, "<a class=\"sample\" data-sample", "</a>");
    assert_eq!(links.len(), SAMPLES.len());
    for (link, sample) in links.into_iter().zip(SAMPLES) {
        assert_eq!(between(link, "=\"", "\"")[0], sample.id);
        assert_eq!(between(link, "<strong>", "</strong>"), [sample.title]);
        assert_eq!(between(link, "<span class=\"muted\">", "</span>"), [sample.description]);
        let hash = between(link, "href=\"#", "\"")[0].replace("&amp;", "&");
        let (view, problems) = ViewState::decode(&hash);
        assert!(problems.is_empty(), "{hash}: {problems:?}");
        assert_eq!(view.param("files"), Some(sample.file), "{hash}");
        assert_eq!(places::of(&view.view), places::of(sample.view), "{hash}");
    }
}

/// A link that names a sample opens it, so the start page is not shown first.
#[test]
fn the_first_paint_knows_the_files_of_the_samples() {
    let list = between(EARLY, "var SAMPLES = [", "]");
    let files: Vec<&str> = list[0].split(", ").map(|name| name.trim_matches('"')).collect();
    let known: Vec<&str> = SAMPLES.iter().map(|s| s.file).collect();
    assert_eq!(files, known);
}

#[test]
fn the_formats_that_it_names_are_found_by_its_search() {
    let names = between(PAGE, "data-format-name>", "</button>");
    assert_eq!(names.len(), 8);
    for name in names {
        // A click searches for it.
        assert!(FORMATS.iter().any(|f| f.name.contains(name) && f.mentions(name)), "{name}");
    }
}
