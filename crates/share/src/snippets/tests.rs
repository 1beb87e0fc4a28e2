use super::escape::quoted;
use super::*;
use crate::data::base_name;
use gemmscope_model::encode::visible;
use proptest::prelude::*;
use pulldown_cmark::{Event, Parser, Tag};

/// What a browser parses from HTML.
#[derive(Debug, PartialEq)]
enum Token {
    Open(String, Vec<(String, String)>),
    Close(String),
    Text(String),
    Comment(String),
}

fn open(name: &str, attributes: &[(&str, &str)]) -> Token {
    let own = |(k, v): &(&str, &str)| ((*k).to_owned(), (*v).to_owned());
    Token::Open(name.into(), attributes.iter().map(own).collect())
}

fn close(name: &str) -> Token {
    Token::Close(name.into())
}

/// Decodes character references; an `&` that does not start one would be a bug of ours.
fn decoded(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('&') {
        out += before;
        let (name, after) = after.split_once(';').expect("a reference ends");
        match name {
            "amp" => out.push('&'),
            "quot" => out.push('"'),
            "lt" => out.push('<'),
            _ => {
                let number = name.strip_prefix('#').expect(name).parse().unwrap();
                out.push(char::from_u32(number).unwrap());
            }
        }
        rest = after;
    }
    out + rest
}

/// The states of the HTML tokenizer that well-formed text reaches.
fn html(text: &str) -> Vec<Token> {
    let mut out = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let Some(tag) = rest.strip_prefix('<') else {
            let end = rest.find('<').unwrap_or(rest.len());
            if &rest[..end] != "\n" {
                out.push(Token::Text(decoded(&rest[..end])));
            }
            rest = &rest[end..];
            continue;
        };
        if let Some(comment) = tag.strip_prefix("!--") {
            assert!(!comment.starts_with('>') && !comment.starts_with("->"));
            let ends = ["-->", "--!>"].iter().filter_map(|e| Some((comment.find(e)?, e.len())));
            let (end, len) = ends.min().unwrap();
            out.push(Token::Comment(comment[..end].to_owned()));
            rest = &comment[end + len..];
            continue;
        }
        if let Some(tag) = tag.strip_prefix('/') {
            let (name, after) = tag.split_once('>').unwrap();
            out.push(close(name));
            rest = after;
            continue;
        }
        let end = tag.find([' ', '>']).unwrap();
        let name = &tag[..end];
        rest = &tag[end..];
        let mut attributes = Vec::new();
        while let Some(attribute) = rest.strip_prefix(' ') {
            let (key, value) = attribute.split_once("=\"").unwrap();
            assert!(key.bytes().all(|b| b.is_ascii_lowercase()), "{key}");
            let (value, after) = value.split_once('"').unwrap();
            attributes.push((key.to_owned(), decoded(value)));
            rest = after;
        }
        rest = rest.strip_prefix('>').expect("the tag ends");
        out.push(Token::Open(name.to_owned(), attributes));
    }
    out
}

/// What a browser parses from a Markdown page that has no Markdown markup.
fn html_in_markdown(text: &str) -> Vec<Token> {
    let mut out: Vec<Token> = Vec::new();
    for event in Parser::new(text) {
        match event {
            Event::InlineHtml(part) | Event::Html(part) => out.extend(html(&part)),
            Event::Text(part) => match out.last_mut() {
                Some(Token::Text(text)) => text.push_str(&part),
                _ => out.push(Token::Text(part.into_string())),
            },
            Event::Start(Tag::Paragraph | Tag::HtmlBlock) | Event::End(_) | Event::SoftBreak => {}
            other => panic!("{other:?} in {text:?}"),
        }
    }
    out
}

/// The double-quoted literal at the start of Python code, and what follows it.
fn literal(code: &str) -> (String, &str) {
    let mut out = String::new();
    let mut rest = code.strip_prefix('"').expect(code).chars();
    loop {
        match rest.next().expect("the literal ends") {
            '"' => return (out, rest.as_str()),
            '\n' | '\r' => panic!("the literal ends with the line: {code:?}"),
            '\\' => match rest.next().unwrap() {
                c @ ('"' | '\\') => out.push(c),
                kind @ ('u' | 'U') => {
                    let (digits, after) = rest.as_str().split_at(if kind == 'u' { 4 } else { 8 });
                    let n = u32::from_str_radix(digits, 16).unwrap();
                    out.push(char::from_u32(n).unwrap());
                    rest = after.chars();
                }
                c => panic!("\\{c}"),
            },
            c => out.push(c),
        }
    }
}

/// Words of a command line, split as bash and zsh do.
fn words(line: &str) -> Vec<String> {
    let mut out = vec![Vec::new()];
    let mut rest = line.chars().peekable();
    let mut bytes = [0; 4];
    while let Some(c) = rest.next() {
        let word = out.last_mut().unwrap();
        match c {
            ' ' => out.push(Vec::new()),
            '\'' => loop {
                match rest.next().expect("the quote ends") {
                    '\'' => break,
                    c => word.extend(c.encode_utf8(&mut bytes).bytes()),
                }
            },
            '$' if rest.peek() == Some(&'\'') => {
                rest.next();
                loop {
                    match rest.next().expect("the quote ends") {
                        '\'' => break,
                        '\\' => {
                            let digits: String = rest.by_ref().take(3).collect();
                            word.push(u8::from_str_radix(&digits, 8).unwrap());
                        }
                        c => word.extend(c.encode_utf8(&mut bytes).bytes()),
                    }
                }
            }
            '\\' => word.extend(rest.next().unwrap().encode_utf8(&mut bytes).bytes()),
            c if c.is_ascii_alphanumeric() || "._-/=:@%+,".contains(c) => word.push(c as u8),
            c => panic!("{c:?} acts in {line:?}"),
        }
    }
    out.into_iter().map(|w| String::from_utf8(w).unwrap()).collect()
}

fn unpercent(text: &str) -> String {
    let mut out = Vec::new();
    let mut rest = text.bytes();
    while let Some(b) = rest.next() {
        out.push(if b == b'%' {
            let digits = [rest.next().unwrap(), rest.next().unwrap()];
            u8::from_str_radix(std::str::from_utf8(&digits).unwrap(), 16).unwrap()
        } else {
            b
        });
    }
    String::from_utf8(out).unwrap()
}

/// The single path component of an address beside the page, as a server opens it.
fn opened(address: &str, folder: &str) -> String {
    let name = address.strip_prefix(folder).expect(address);
    assert!(!name.contains(['/', '?', '#', '\\', ':']) && !matches!(name, "." | ".."), "{name}");
    unpercent(name)
}

fn place() -> SnippetPlace {
    SnippetPlace {
        viewer: "https://host/gemmscope/".into(),
        file: "bench.csv".into(),
        more: vec!["d e.csv".into(), "f.csv".into()],
        view: "table".into(),
        picture: "roofline".into(),
        device: "mi300x".into(),
        state: "v=1&view=table&device=mi300x&f.dtype=bf16".into(),
    }
}

fn text_of<'a>(all: &'a [Snippet], system: &str) -> &'a str {
    &all.iter().find(|s| s.system == system).unwrap().text
}

#[test]
fn snippets_are_filled_in() {
    let all = snippets(&place());
    let element = "<gemm-scope src=\"./bench.csv\" more=\"./d%20e.csv ./f.csv\" view=\"table\" \
                   device=\"mi300x\" hash=\"v=1&amp;view=table&amp;device=mi300x&amp;\
                   f.dtype=bf16\"><a href=\"./bench.csv\">bench.csv</a></gemm-scope>";
    let script = "https://host/gemmscope/gemm-scope.js";
    let html = format!("{element}\n<script type=\"module\" src=\"{script}\"></script>");
    assert_eq!(text_of(&all, "HTML"), html);
    assert_eq!(text_of(&all, "mdBook"), html);
    assert_eq!(
        text_of(&all, "Sphinx, MyST"),
        format!(
            "html_js_files = [(\"{script}\", {{\"type\": \"module\"}})]\n\
             html_extra_path = [\"./bench.csv\"]\n\n---\n\n.. raw:: html\n\n   {element}"
        )
    );
    assert_eq!(
        text_of(&all, "Jupyter"),
        "from IPython.display import IFrame\nIFrame(\"https://host/gemmscope/open.html?embed=1\
         #src=https://…/bench.csv&v=1&view=table&device=mi300x&f.dtype=bf16\", width=\"100%\", \
         height=620)"
    );
    assert_eq!(
        text_of(&all, "README"),
        "[![Roofline of bench.csv](./roofline.svg)](https://host/gemmscope/#v=1&view=table&\
         device=mi300x&f.dtype=bf16)\n\n<!-- gemmscope render bench.csv 'd e.csv' f.csv --view \
         roofline --state '#v=1&view=table&device=mi300x&f.dtype=bf16' -o roofline.svg -->"
    );
    // Without filters, the view's few keys are attributes and options.
    let plain = SnippetPlace {
        file: "-it's.csv".into(),
        more: Vec::new(),
        state: "v=1&device=mi300x".into(),
        ..place()
    };
    let all = snippets(&plain);
    assert!(!text_of(&all, "HTML").contains("hash="));
    assert_eq!(
        text_of(&all, "Command"),
        "gemmscope render './-it'\\''s.csv' --view roofline --device mi300x -o roofline.svg"
    );
}

/// Names that broke the first list of snippets.
#[test]
fn names_that_are_code_stay_names() {
    for file in [
        "x\"]; import os; os.system(\"id\") #",
        "javascript:alert(1)",
        "--><img src=x onerror=alert(1)>.csv",
        "a#b?c.csv",
        "..",
        "",
        "a\u{1b}[201~\nid\n.csv",
    ] {
        check(&SnippetPlace { file: file.into(), ..place() });
    }
}

/// Parses every snippet and compares it with the values.
fn check(p: &SnippetPlace) {
    let all = snippets(p);
    let file = match base_name(&p.file) {
        "" | "." | ".." => "data",
        name => name,
    };
    let view = visible(&p.view).into_owned();
    let device = visible(&p.device).into_owned();
    let state = visible(&p.state).into_owned();
    let element = |tokens: &[Token], folder: &str| {
        let [Token::Open(name, attributes), Token::Open(a, href), Token::Text(text), rest @ ..] =
            tokens
        else {
            panic!("{tokens:?}");
        };
        assert_eq!((name.as_str(), a.as_str()), ("gemm-scope", "a"));
        assert_eq!(*text, visible(file));
        assert_eq!(opened(&attributes[0].1, folder), file);
        assert_eq!(*href, [("href".to_owned(), attributes[0].1.clone())]);
        let mut wanted = vec![("src", attributes[0].1.clone())];
        if !p.more.is_empty() {
            let more = attributes[1].1.clone();
            for (address, name) in more.split(' ').zip(&p.more) {
                let name = match base_name(name) {
                    "" | "." | ".." => "data",
                    name => name,
                };
                assert_eq!(opened(address, folder), name);
            }
            assert_eq!(more.split(' ').count(), p.more.len());
            wanted.push(("more", more));
        }
        for (key, value) in [("view", &view), ("device", &device)] {
            if !value.is_empty() {
                wanted.push((key, value.clone()));
            }
        }
        if !is_plain(&p.state) {
            wanted.push(("hash", state.clone()));
        }
        let found: Vec<(&str, String)> =
            attributes.iter().map(|(k, v)| (k.as_str(), v.clone())).collect();
        assert_eq!(found, wanted);
        let [first, second, rest @ ..] = rest else {
            panic!("{rest:?}");
        };
        assert_eq!([first, second], [&close("a"), &close("gemm-scope")]);
        format!("{rest:?}")
    };
    let script = format!("{}gemm-scope.js", p.viewer);
    let page = [open("script", &[("type", "module"), ("src", &script)]), close("script")];
    let page = format!("{page:?}");
    assert_eq!(element(&html(text_of(&all, "HTML")), "./"), page);
    assert_eq!(element(&html_in_markdown(text_of(&all, "mdBook")), "./"), page);

    let (yaml, body) = text_of(&all, "MkDocs").split_once("\n\n---\n\n").unwrap();
    let (path, rest) = literal(yaml.strip_prefix("extra_javascript:\n  - path: ").unwrap());
    assert_eq!((path.as_str(), rest), (script.as_str(), "\n    type: module"));
    assert_eq!(element(&html_in_markdown(body), "./"), "[]");

    let (conf, body) = text_of(&all, "Sphinx, MyST").split_once("\n\n---\n\n").unwrap();
    let (path, rest) = literal(conf.strip_prefix("html_js_files = [(").unwrap());
    assert_eq!(path, script);
    let rest = rest.strip_prefix(", {\"type\": \"module\"})]\nhtml_extra_path = [").unwrap();
    assert_eq!(literal(rest), (format!("./{file}"), "]"));
    assert_eq!(element(&html(body.strip_prefix(".. raw:: html\n\n   ").unwrap()), "./"), "[]");

    let (conf, body) = text_of(&all, "Docusaurus").split_once("\n\n---\n\n").unwrap();
    let (path, rest) = literal(conf.strip_prefix("scripts: [{ src: ").unwrap());
    assert_eq!((path.as_str(), rest), (script.as_str(), ", type: \"module\", async: true }],"));
    assert_eq!(element(&html(body), "/"), "[]");
    assert!(!body.contains(['{', '}']), "MDX runs what is in braces: {body}");

    let code = text_of(&all, "Jupyter");
    let code = code.strip_prefix("from IPython.display import IFrame\nIFrame(").unwrap();
    let (url, rest) = literal(code);
    assert_eq!(rest, ", width=\"100%\", height=620)");
    let start = format!("{}open.html?embed=1#src=https://…/", p.viewer);
    let source = url.strip_prefix(&start).expect(&url).split('&').next().unwrap();
    assert_eq!(opened(&unpercent(source), ""), file);

    let events: Vec<Event<'_>> = Parser::new(text_of(&all, "README")).collect();
    let Event::Start(Tag::Link { dest_url: link, .. }) = &events[1] else {
        panic!("{events:?}");
    };
    let Event::Start(Tag::Image { dest_url: image, .. }) = &events[2] else {
        panic!("{events:?}");
    };
    assert_eq!(&**image, "./roofline.svg");
    assert_eq!(**link, format!("{}#{}", p.viewer, p.state));
    let mut alt = String::new();
    let mut after = events[3..].iter();
    for event in after.by_ref() {
        match event {
            Event::Text(text) => alt.push_str(text),
            Event::End(_) => break,
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(alt, format!("Roofline of {}", visible(file)));
    let mut comment = String::new();
    for event in after {
        match event {
            Event::Html(part) => comment.push_str(part),
            Event::End(_) | Event::Start(Tag::HtmlBlock) => {}
            other => panic!("{other:?}"),
        }
    }
    let command = text_of(&all, "Command");
    assert_eq!(html(&comment), [Token::Comment(format!(" {command} "))]);

    let name = |name: &String| {
        let name = match base_name(name) {
            "" | "." | ".." => "data",
            name => name,
        };
        if name.starts_with('-') { format!("./{name}") } else { name.to_owned() }
    };
    let mut wanted = vec!["gemmscope".to_owned(), "render".into()];
    wanted.extend(std::iter::once(&p.file).chain(&p.more).map(name));
    wanted.extend(["--view".into(), "roofline".into()]);
    if !is_plain(&p.state) {
        wanted.extend(["--state".into(), format!("#{}", p.state)]);
    } else if !p.device.is_empty() {
        wanted.extend(["--device".into(), p.device.clone()]);
    }
    wanted.extend(["-o".into(), "roofline.svg".into()]);
    assert_eq!(words(command), wanted);

    // Line ends of Python (and so of reST), and characters that reorder text.
    for (s, plain) in all.iter().zip(snippets(&place())) {
        let lines = |t: &str| t.split(['\n', '\r', '\u{b}', '\u{c}', '\u{85}']).count();
        assert_eq!(lines(&s.text), lines(&plain.text), "{}", s.text);
        assert_eq!(visible(&s.text), s.text);
    }
}

/// Pieces with a meaning in one of the languages, and any character.
fn hostile() -> impl Strategy<Value = String> {
    let piece = proptest::sample::select(
        "\"|'|\"]; import os;|javascript:|-->|--!>|<!--|<img src=x onerror=a>|</script>|</a>|#|?|\
         /|\\|..|.|-|--|](x)|[|(|)|`|``|*|**|_|{|}|{{|&|&amp;|&#41;|;|$|$(|!|%|%41|~|=|:|@|+|, |\
         \n|\n\n|\r|\t| |  |\u{b}|\u{85}|\u{a0}|\u{1b}[201~|\u{202e}|\u{2028}|\u{e0041}|\0|\u{7f}|\
         www.e.com|http://e.com|a|1|é|<|>|> |1. |'''|\"\"\""
            .split('|')
            .collect::<Vec<_>>(),
    )
    .prop_map(str::to_owned);
    let any = any::<char>().prop_map(String::from);
    proptest::collection::vec(prop_oneof![4 => piece, 1 => any], 0..10).prop_map(|p| p.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn whatever_the_names_are_a_snippet_is_what_it_means(
        file in hostile(),
        more in proptest::collection::vec(hostile(), 0..3),
        view in hostile(),
        device in hostile(),
        filters in proptest::option::of(hostile()),
        port in 1u16..,
        ipv6: bool,
    ) {
        // As the page writes them: its own address, and a percent-encoded state.
        let host = if ipv6 { "[::1]" } else { "host" };
        let mut state = form(&[("v", "1"), ("view", &view), ("device", &device)]);
        if let Some(q) = filters {
            state += &format!("&{}", form(&[("q", &q)]));
        }
        check(&SnippetPlace { viewer: format!("http://{host}:{port}/g/"), file, more, view, device, state, ..place() });
    }

    #[test]
    fn an_address_keeps_its_escapes(text in hostile()) {
        let once = address(&text);
        prop_assert_eq!(address(&once), once.clone());
        prop_assert_eq!(quoted(&once), format!("\"{once}\""));
    }
}

/// As `ViewState::encode` writes keys.
fn form(pairs: &[(&str, &str)]) -> String {
    let pairs: Vec<String> = pairs.iter().map(|(k, v)| format!("{k}={}", component(v))).collect();
    pairs.join("&")
}
