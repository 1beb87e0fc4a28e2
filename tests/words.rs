//! Every sentence, label and message for people, in one list (`tests/golden/words.txt`), so that a change of wording is
//! reviewed. `UPDATE_GOLDEN=1 cargo test --test words` updates it.
//!
//! The list has the string literals of all crates, except tests, attributes, literals compared with a file's text
//! (headers, templates of lines, examples), and what is clearly for machines (keys, paths, numbers, class names,
//! selectors). In doubt a literal is listed.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on says where")]

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

const GOLDEN: &str = "tests/golden/words.txt";

#[test]
fn every_word_that_a_person_reads_is_in_the_list() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    collect(&root.join("src"), &mut files);
    collect(&root.join("crates"), &mut files);
    files.sort();
    let mut list = String::new();
    for file in &files {
        let text = std::fs::read_to_string(file).unwrap();
        let tokens: TokenStream =
            text.parse().unwrap_or_else(|e| panic!("{}: {e}", file.display()));
        let mut words = BTreeSet::new();
        read(tokens, &mut words);
        if !words.is_empty() {
            let name = file.strip_prefix(root).unwrap().display().to_string();
            let _ = writeln!(list, "{}", name.replace('\\', "/"));
            for line in words {
                let _ = writeln!(list, "  {line}");
            }
        }
    }
    assert!(list.lines().count() > 1000, "the list is far too short");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(root.join(GOLDEN), &list).unwrap();
        return;
    }
    let known = std::fs::read_to_string(root.join(GOLDEN)).unwrap_or_default();
    if let Some((now, was)) = list.lines().zip(known.lines()).find(|(a, b)| a != b) {
        panic!(
            "the words changed: read them aloud, then UPDATE_GOLDEN=1 cargo test --test words\n  now {now}\n  was {was}"
        );
    }
    assert_eq!(list.len(), known.len(), "the list is longer or shorter: UPDATE_GOLDEN=1");
}

/// The Rust files in a folder that are part of the product.
fn collect(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() {
            if !["tests", "target", "benches", "examples"].contains(&name.as_str()) {
                collect(&path, out);
            }
        } else if name.ends_with(".rs")
            && !["tests.rs", "testing.rs", "fixture.rs", "build.rs"].contains(&name.as_str())
            // The words in headers of files.
            && !path.ends_with("columns/words.rs")
        {
            out.push(path);
        }
    }
}

/// Calls that compare their literals with the text of a file.
const COMPARED: &[&str] = &[
    "column",
    "contains",
    "ends_with",
    "find",
    "get",
    "matches",
    "position",
    "rsplit_once",
    "slots",
    "split",
    "split_once",
    "starts_with",
    "strip_prefix",
    "strip_suffix",
    "trim_start_matches",
];
/// Fields of a format with content of its files.
const OF_FILES: &[&str] = &["above", "again", "example", "results"];

/// Adds the literals of some tokens, except attributes (and thus documentation), test modules, patterns, and literals
/// compared with a file's text.
fn read(tokens: TokenStream, out: &mut BTreeSet<String>) {
    let mut of_tests = false;
    let mut of_files = false;
    let mut name = String::new();
    let mut tokens = tokens.into_iter().peekable();
    // The two punctuation characters before a token.
    let mut signs = [' '; 2];
    while let Some(token) = tokens.next() {
        let follows = std::mem::take(&mut name);
        let compared = matches!(signs, ['=' | '!', '=']);
        signs = [signs[1], if let TokenTree::Punct(p) = &token { p.as_char() } else { ' ' }];
        match token {
            TokenTree::Ident(i) => {
                name = i.to_string();
                let field =
                    matches!(tokens.peek(), Some(TokenTree::Punct(p)) if p.as_char() == ':');
                of_files = field && OF_FILES.contains(&name.as_str());
            }
            TokenTree::Punct(p) if p.as_char() == ',' => of_files = false,
            TokenTree::Punct(p) if p.as_char() == '!' => name = follows,
            TokenTree::Punct(p) if p.as_char() == '=' && follows == "class" => {
                if let Some(TokenTree::Literal(_)) = tokens.peek() {
                    tokens.next();
                }
            }
            TokenTree::Group(g)
                if g.delimiter() == Delimiter::Parenthesis
                    && COMPARED.contains(&follows.as_str()) => {}
            TokenTree::Literal(_) | TokenTree::Group(_) if of_files => {}
            TokenTree::Literal(_) if compared => {}
            TokenTree::Literal(_) if is_pattern(tokens.clone()) => {}
            TokenTree::Punct(p) if p.as_char() == '#' => {
                if let Some(TokenTree::Punct(bang)) = tokens.peek()
                    && bang.as_char() == '!'
                {
                    tokens.next();
                }
                if let Some(TokenTree::Group(g)) = tokens.peek()
                    && g.delimiter() == Delimiter::Bracket
                {
                    of_tests |= g.stream().to_string().replace(' ', "") == "cfg(test)";
                    tokens.next();
                }
            }
            TokenTree::Group(g) if of_tests && g.delimiter() == Delimiter::Brace => {
                of_tests = false
            }
            TokenTree::Punct(p) if p.as_char() == ';' => of_tests = false,
            TokenTree::Group(g) if !of_tests => read(g.stream(), out),
            TokenTree::Literal(l) if !of_tests => out.extend(words(&l.to_string())),
            _ => {}
        }
    }
}

/// True if a literal before these tokens is the pattern of a match arm: `"a" | "b" =>`, `"a" if b =>`.
fn is_pattern(mut tokens: impl Iterator<Item = TokenTree>) -> bool {
    let mut sign = || match tokens.next() {
        Some(TokenTree::Punct(p)) => p.as_char(),
        Some(TokenTree::Literal(_)) => '"',
        Some(TokenTree::Ident(word)) if word == "if" => 'i',
        _ => ' ',
    };
    loop {
        match sign() {
            'i' => return true,
            '=' => return sign() == '>',
            '|' if sign() == '"' => {}
            _ => return false,
        }
    }
}

/// The text of a string literal on one line, if it may be for people.
fn words(literal: &str) -> Option<String> {
    let text = literal.strip_prefix('"')?.strip_suffix('"')?;
    // A backslash at the end of a line joins it with the next one.
    let mut joined = String::new();
    let mut parts = text.split("\\\n");
    joined.push_str(parts.next().unwrap_or_default());
    for part in parts {
        joined.push_str(part.trim_start());
    }
    let text = joined.replace('\n', "\\n");
    // Two words, or one that is capitalised.
    let letters = |w: &str| w.chars().filter(|c| c.is_alphabetic()).count() > 1;
    let selects = text.starts_with('.') && text[1..].starts_with(char::is_alphabetic)
        || ["(max-", "(prefers-", ":not("].iter().any(|s| text.contains(s));
    let drawn = text.starts_with('M')
        && text.chars().all(|c| c.is_ascii_digit() || " .-MmLlHhVvCcAaZz".contains(c));
    let several = text.split([' ', '\u{a0}']).filter(|w| letters(w)).count() > 1;
    let mut chars = text.chars();
    let capital = chars.next().is_some_and(char::is_uppercase)
        && chars.next().is_some_and(char::is_lowercase)
        && !text.contains(['_', '/', '<', '=']);
    (!selects && !drawn && (several || capital)).then_some(text)
}

#[test]
fn what_is_for_people_is_told_from_keys() {
    assert_eq!(words("\"two words\"").as_deref(), Some("two words"));
    assert_eq!(words("\"Save\"").as_deref(), Some("Save"));
    assert_eq!(words("\"one \\\n   line\"").as_deref(), Some("one line"));
    for key in [
        "\"hit_grid\"",
        "\"M2 2h5v5\"",
        "\"M2 11h2M8 11h6M8 2.8v3.4h4V2.8z\"",
        "'x'",
        "12",
        "b\"two words\"",
        "\"aria-label\"",
        "\".file button\"",
    ] {
        assert_eq!(words(key), None, "{key}");
    }
    let mut out = BTreeSet::new();
    let code = "/// A remark.\nfn f() { say(\"Hello there\"); }\n#[cfg(test)]\nmod tests { fn g() { say(\"In tests\"); } }";
    read(code.parse().unwrap(), &mut out);
    assert_eq!(out.into_iter().collect::<Vec<_>>(), ["Hello there"]);
    let mut out = BTreeSet::new();
    let code = "F { example: \"An example\", results: &[\"A line\"], name: \"Some tool\" }; \
        matches!(x, \"Some name\"); x.starts_with(\"Some head\"); x == \"Some tail\"; \
        view! { <p class=\"button small\"> }; match x { \"Input Dims\" | \"Input type\" => \"Is said\" }";
    read(code.parse().unwrap(), &mut out);
    assert_eq!(out.into_iter().collect::<Vec<_>>(), ["Is said", "Some tool"]);
}
