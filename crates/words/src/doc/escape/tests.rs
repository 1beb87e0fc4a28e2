//! As GitHub renders it, text from a file stays the same text and contains no reference.

use super::*;
use comrak::{Options, markdown_to_html};
use gemmscope_model::encode::markup;
use proptest::prelude::*;
use regex::Regex;

/// As GitHub renders a comment or a file, including the HTML that it lets through.
fn rendered(markdown: &str) -> String {
    let mut options = Options::default();
    let on = &mut options.extension;
    (on.table, on.autolink, on.strikethrough, on.tasklist) = (true, true, true, true);
    (on.footnotes, on.math_dollars, on.math_code, on.alerts) = (true, true, true, true);
    options.render.r#unsafe = true;
    markdown_to_html(markdown, &options)
}

/// References that GitHub and GitLab look for in rendered text, according to their documentation.
fn references() -> Regex {
    let all: [&str; 7] = [
        r"@[A-Za-z0-9_]",
        r"[#!%$^&~]\w",
        r#"[%~&]""#,
        r"(?i)\bgh-\d",
        r"://",
        r"(?i)\bwww\.",
        r"(?:^|[^:]|(?:^|\W):):[A-Za-z0-9_+-]+:",
    ];
    Regex::new(&all.join("|")).unwrap()
}

/// The text as a paragraph, a list item, a heading and a table cell, with the HTML around it.
fn places(text: &str) -> [(String, &'static str, &'static str); 4] {
    let (md, line) = (markdown_text(text), markdown_line(text));
    [
        (format!("{line}\n"), "<p>", "</p>\n"),
        (format!("- {line}\n"), "<ul>\n<li>", "</li>\n</ul>\n"),
        (format!("### {md}\n"), "<h3>", "</h3>\n"),
        (
            format!("| a |\n|---|\n| {md} |\n"),
            "<table>\n<thead>\n<tr>\n<th>a</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td>",
            "</td>\n</tr>\n</tbody>\n</table>\n",
        ),
    ]
}

/// Checks one text in every place.
fn stays_text(text: &str) {
    let expected = visible(text.trim()).replace(|c: char| c.is_control(), " ");
    if expected.trim().is_empty() {
        return;
    }
    let expected = markup(expected.trim()).replace("&#39;", "'");
    for (markdown, before, after) in places(text) {
        let html = rendered(&markdown);
        let inner = html.strip_prefix(before).and_then(|h| h.strip_suffix(after));
        let inner = inner.unwrap_or_else(|| panic!("{text:?} is no text: {markdown:?}: {html:?}"));
        assert_eq!(inner.replace('\u{200b}', ""), expected, "{markdown:?}");
        let plain = inner.replace("&amp;", "&").replace("&lt;", "<").replace("&gt;", ">");
        let plain = plain.replace("&quot;", "\"");
        let found = references().find(&plain).map(|m| m.as_str().to_owned());
        assert_eq!(found, None, "{text:?}: {inner:?}");
        let digits = |w: &&str| {
            HASH.contains(&w.len())
                && w.chars().all(|c| c.is_ascii_hexdigit())
                && w.chars().any(|c| c.is_ascii_alphabetic())
        };
        let hash = plain.split(|c: char| !c.is_alphanumeric() && c != '_').find(digits);
        assert_eq!(hash, None, "{text:?}: {inner:?}");
    }
}

#[test]
fn text_of_a_file_mentions_nobody_and_links_and_closes_nothing() {
    for text in [
        "https://evil.example/p",
        "see http://a.b, ftp://x.y/z and HTTPS://A.B.",
        "www.evil.example WWW.evil.example (www.a.b)",
        "@octocat",
        "x@octocat.example mailto:a@b.example",
        "@octo/team, @-x, \\@octocat",
        "octo/repo#12 fixes #3, closes GH-3 and gh-4",
        "octo/repo@0123abc",
        "a5c3785ed8d6a35868bc169f07e40e889087fd2e",
        "abcdef1 and deadbeefcafe",
        "!12 $3 %4 ~bug &5 %\"v 1\" ^alert",
        ":tada: a:100:b",
        "<!-- x --> <img src=x onerror=a> </details>",
        "<https://a.b> [x](https://a.b) [x]: https://a.b",
        "[^1] [ ] [x] - [ ] task",
        "> [!NOTE]",
        "$x$ $$x$$ $`x`$",
        "`a` ``b`` ```",
        "# a",
        "- a",
        "+ a",
        "* a",
        "1. a",
        "12) a",
        "---",
        "===",
        "- - -",
        "~~~",
        "    a",
        "| a |",
        "a\\|b",
        "\\",
        "a\\",
        "&#64;octocat &commat;x &lt;",
        "aten::_scaled_mm",
        "_a_ __b__ *c* **d**",
        "l\n::error::x\r\n# y",
        "gemm 4096x4096x4096, 16777216 rows, +15.2 %",
    ] {
        stays_text(text);
    }
}

proptest! {
    #[test]
    fn any_text_stays_text(parts in proptest::collection::vec("[@#!&%$~^:/.w|\\\\`*_<>\\[\\]() \"'=+\\-0-9a-cGHh\n]{1,3}|www|://|GH-|abc1234|[a-zé⟨\u{202e}]", 0..12)) {
        stays_text(&parts.concat());
    }
}

#[test]
fn markup_in_names_stays_readable() {
    assert_eq!(markdown_text("a|b\n<b>*x*"), "a\\|b \\<b\\>\\*x\\*");
    assert_eq!(markdown_text("k\u{202e}gpj"), "k⟨U+202E⟩gpj");
    assert_eq!(markdown_text("aten::_scaled_mm"), "aten::\\_scaled_mm");
    assert_eq!(markdown_text("[x](javascript:1)"), "\\[x\\](javascript:1)");
    assert_eq!(markdown_text("a@b, #1 # x"), "a@&#8203;b, \\#&#8203;1 \\# x");
    assert_eq!(data_url("<a b=\"µ\">"), "%3Ca b=%22%C2%B5%22%3E");
    assert_eq!(short("abcdef", 4), "abc…");
}
