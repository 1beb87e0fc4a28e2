//! Data inside a link, a page with its data, snippets for documentation.
//!
//! Files travel with their import options (format, columns, answers), so that the receiver sees
//! the same rows. The packed form is a line of JSON about the files, then their bytes, all
//! deflated. A link and a page hold it as URL-safe base64.

use flate2::Compression;
use flate2::read::{DeflateDecoder, MultiGzDecoder};
use flate2::write::DeflateEncoder;
use gemmscope_import::ImportOptions;
use gemmscope_model::encode::{base64_url, from_base64_url, visible};
use gemmscope_model::units::{Bytes, capitalized};
use serde::{Deserialize, Serialize};
use std::io::{Read, Write};

/// Key of data in a link.
pub const DATA_KEY: &str = "data";
/// Key of the address of data in a link.
pub const SOURCE_KEY: &str = "src";
/// Key of the names of the files that a link without data was made from, with `*` between them.
pub const FILES_KEY: &str = "files";
/// Most characters of data in a link: chat programs and mail cut longer ones.
pub const LINK_LIMIT: usize = 24_000;
/// Most bytes that a link's data may unpack to.
pub(crate) const LINK_UNPACKED: u64 = 8 << 20;
/// Most files of a link or a page.
pub(crate) const MOST_FILES: usize = 100;
/// Most bytes that a page's data may unpack to.
pub const PAGE_UNPACKED: u64 = 512 << 20;
/// Most bytes that are fetched from an address.
pub const FETCH_LIMIT: u64 = 256 << 20;
/// The element of a page whose text is the data.
pub const SLOT: &str = "<script type=\"text/plain\" id=\"gemmscope-data\">";

/// A file with its import options.
#[derive(Clone, Debug, PartialEq)]
pub struct Carried {
    /// Name.
    pub name: String,
    /// Import options chosen for it.
    pub options: ImportOptions,
    /// Bytes of the file.
    pub bytes: Vec<u8>,
}

#[derive(Serialize, Deserialize)]
struct Entry {
    name: String,
    size: usize,
    #[serde(default)]
    options: ImportOptions,
}

/// How many files a link names at most.
const LINKED: usize = 8;

/// The names of files as a link holds them under [`FILES_KEY`]: without their folders, the first
/// few.
pub fn linked_names<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<&str> = names.take(LINKED).map(base_name).collect();
    names.join("*")
}

/// A path without its folders.
pub fn base_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Files as one deflated block.
pub(crate) fn pack(files: &[Carried]) -> Vec<u8> {
    let head: Vec<Entry> = files
        .iter()
        .map(|f| Entry { name: f.name.clone(), size: f.bytes.len(), options: f.options.clone() })
        .collect();
    let mut out = DeflateEncoder::new(Vec::new(), Compression::best());
    // Writing to a vector does not fail.
    let _ = out.write_all(serde_json::to_string(&head).unwrap_or_default().as_bytes());
    let _ = out.write_all(b"\n");
    for f in files {
        let _ = out.write_all(&f.bytes);
    }
    out.finish().unwrap_or_default()
}

/// Reads a block from [`pack`]; `limit` is the most bytes that it may unpack to, with the gzip
/// files in it unpacked too.
///
/// # Errors
///
/// A sentence about what is wrong with it.
pub(crate) fn unpack(block: &[u8], limit: u64) -> Result<Vec<Carried>, String> {
    let too_large = || format!("the data unpacks to more than {}", Bytes(limit as f64).to_iec());
    let mut plain = Vec::new();
    DeflateDecoder::new(block)
        .take(limit + 1)
        .read_to_end(&mut plain)
        .map_err(|_| "the data is cut off or damaged".to_owned())?;
    let mut left = limit.checked_sub(plain.len() as u64).ok_or_else(too_large)?;
    let end = plain.iter().position(|&b| b == b'\n').ok_or("the data has no list of its files")?;
    let head: Vec<Entry> = serde_json::from_slice(&plain[..end])
        .map_err(|e| format!("the list of the data's files cannot be read: {e}"))?;
    if head.len() > MOST_FILES {
        return Err(format!(
            "the data has {} files, and at most {MOST_FILES} are read",
            head.len()
        ));
    }
    let mut rest = &plain[end + 1..];
    let mut out = Vec::new();
    for e in head {
        if e.size > rest.len() {
            return Err(format!("the data is cut off in {}", e.name));
        }
        let (bytes, tail) = rest.split_at(e.size);
        rest = tail;
        left = left.checked_sub(unpacked(bytes, left)).ok_or_else(too_large)?;
        out.push(Carried {
            name: visible(&e.name).chars().take(256).collect(),
            options: e.options,
            bytes: bytes.to_vec(),
        });
    }
    Ok(out)
}

/// Bytes that a gzip file unpacks to, counted up to one more than `most`; 0 for any other file.
fn unpacked(bytes: &[u8], most: u64) -> u64 {
    if !bytes.starts_with(&[0x1f, 0x8b]) {
        return 0;
    }
    // A damaged end is for the reader to tell.
    let mut count = 0;
    let mut part = vec![0; 64 << 10];
    let mut text = MultiGzDecoder::new(bytes).take(most + 1);
    while let Ok(n @ 1..) = text.read(&mut part) {
        count += n as u64;
    }
    count
}

/// Files as the text of a link.
///
/// # Errors
///
/// The number of characters, if they are too many for a link.
pub fn to_link(files: &[Carried]) -> Result<String, usize> {
    let text = base64_url(&pack(files));
    if text.len() > LINK_LIMIT {
        return Err(text.len());
    }
    Ok(text)
}

/// Reads a text from [`to_link`].
///
/// # Errors
///
/// A sentence about what is wrong with it.
pub fn from_link(text: &str) -> Result<Vec<Carried>, String> {
    let block = from_base64_url(text).ok_or("the link's data is damaged")?;
    unpack(&block, LINK_UNPACKED)
}

/// The one-file page `template` with these files and this view (the text after `#`) in it.
///
/// # Errors
///
/// A sentence, if the template has no place for data.
pub fn page(template: &str, view: &str, files: &[Carried]) -> Result<String, String> {
    let at = template.find(SLOT).ok_or("this page has no place for data")? + SLOT.len();
    let end = template[at..].find("</script>").ok_or("this page has no place for data")?;
    // Neither the view's text (URL-encoded) nor base64 holds a `<`.
    let view = view.replace(['<', '\n'], "");
    let data = base64_url(&pack(files));
    Ok(format!("{}{view}\n{data}{}", &template[..at], &template[at + end..]))
}

/// View and files of a page, from the text of its element; `None` if it has none.
///
/// # Errors
///
/// A sentence about what is wrong with the data.
pub fn from_page(text: &str) -> Result<Option<(String, Vec<Carried>)>, String> {
    let Some((view, data)) = text.split_once('\n') else {
        return Ok(None);
    };
    let block = from_base64_url(data).ok_or("this page's data is damaged")?;
    Ok(Some((view.trim().to_owned(), unpack(&block, PAGE_UNPACKED)?)))
}

/// The values for the placeholders of a snippet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// Address of gemmscope, ending in `/`: `https://host/gemmscope/`.
    pub viewer: String,
    /// Name of the data file.
    pub file: String,
    /// Names of the files beside it.
    pub more: Vec<String>,
    /// Key of the view.
    pub view: String,
    /// Key of the view for a picture: `view`, if that can be drawn.
    pub picture: String,
    /// Device id, "" for none.
    pub device: String,
    /// The whole view state, as after `#` in a link.
    pub state: String,
}

/// A text to paste into the pages of a documentation system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snippet {
    /// Name of the system.
    pub system: &'static str,
    /// A sentence about other steps.
    pub note: &'static str,
    /// The text.
    pub text: String,
}

fn attribute(text: &str) -> String {
    text.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;")
}

/// Quotes a word for a shell's command line.
fn word(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "._-/=:@%+,".contains(c);
    if !text.is_empty() && text.chars().all(plain) && !text.starts_with('-') {
        return text.to_owned();
    }
    // A name that starts with a dash would be read as an option.
    let dash = if text.starts_with('-') { "./" } else { "" };
    format!("'{dash}{}'", text.replace('\'', "'\\''"))
}

/// Escapes a file's name for an address.
fn encoded(text: &str) -> String {
    let one = |b: u8| match b {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
            char::from(b).to_string()
        }
        _ => format!("%{b:02X}"),
    };
    text.bytes().map(one).collect()
}

/// True if the state has nothing but a view and a device.
fn is_plain(state: &str) -> bool {
    state
        .split('&')
        .all(|k| k.is_empty() || ["v=", "view=", "device="].iter().any(|s| k.starts_with(s)))
}

/// The command that draws the picture without a browser.
fn command(p: &Place) -> String {
    let files: Vec<String> = std::iter::once(&p.file).chain(&p.more).map(|f| word(f)).collect();
    let files = files.join(" ");
    let mut out = format!("gemmscope render {files} --view {}", word(&p.picture));
    if !is_plain(&p.state) {
        out += &format!(" --state {}", word(&format!("#{}", p.state)));
    } else if !p.device.is_empty() {
        out += &format!(" --device {}", word(&p.device));
    }
    out + &format!(" -o {}.svg", p.picture)
}

/// The element with its attributes.
fn element(p: &Place) -> String {
    let mut out = format!("<gemm-scope src=\"{}\"", attribute(&p.file));
    if !p.more.is_empty() {
        let more: Vec<String> = p.more.iter().map(|f| encoded(f)).collect();
        out.push_str(&format!(" more=\"{}\"", more.join(" ")));
    }
    for (key, value) in [("view", &p.view), ("device", &p.device)] {
        if !value.is_empty() {
            out.push_str(&format!(" {key}=\"{}\"", attribute(value)));
        }
    }
    if !is_plain(&p.state) {
        out.push_str(&format!(" hash=\"{}\"", attribute(&p.state)));
    }
    out + &format!("><a href=\"{0}\">{0}</a></gemm-scope>", attribute(&p.file))
}

/// The snippets for all systems.
pub fn snippets(p: &Place) -> Vec<Snippet> {
    let element = element(p);
    let script = format!("{}gemm-scope.js", p.viewer);
    let tag = format!("<script type=\"module\" src=\"{}\"></script>", attribute(&script));
    let link = format!("{}#{}", p.viewer, p.state);
    let command = command(p);
    vec![
        Snippet {
            system: "HTML",
            note: "Put the data file beside the page.",
            text: format!("{element}\n{tag}"),
        },
        Snippet {
            system: "mdBook",
            note: "In a chapter, with blank lines around it. Put the data file in src/.",
            text: format!("{element}\n{tag}"),
        },
        Snippet {
            system: "MkDocs",
            note: "First part: mkdocs.yml. Second part: the page. Put the data file in docs/; \
                   src is relative to the page's address.",
            text: format!(
                "extra_javascript:\n  - path: {script}\n    type: module\n\n---\n\n{element}"
            ),
        },
        Snippet {
            system: "Sphinx, MyST",
            note: "First part: conf.py. Second part: a reST page (in MyST the same in a {raw} html block).",
            text: format!(
                "html_js_files = [(\"{script}\", {{\"type\": \"module\"}})]\nhtml_extra_path = [\"{}\"]\n\n---\n\n.. raw:: html\n\n   {element}",
                p.file
            ),
        },
        Snippet {
            system: "Docusaurus",
            note: "First part: docusaurus.config.js. Second part: an MDX page. Put the data \
                   file in static/; with a baseUrl, put it before both addresses.",
            text: format!(
                "scripts: [{{ src: \"{script}\", type: \"module\", async: true }}],\n\n---\n\n{}",
                element
                    .replacen("src=\"", "src=\"/", 1)
                    .replacen("href=\"", "href=\"/", 1)
                    // MDX reads braces as code.
                    .replace('{', "&#123;")
            ),
        },
        Snippet {
            system: "Jupyter",
            note: "The page fetches the data: use a public address.",
            text: format!(
                "from IPython.display import IFrame\nIFrame(\"{}open.html?embed=1#src=https://…/{}{}{}\", width=\"100%\", height=620)",
                p.viewer,
                encoded(&p.file),
                if p.state.is_empty() { "" } else { "&" },
                p.state
            ),
        },
        Snippet {
            system: "README",
            note: "GitHub runs no scripts: use a picture with a link. Draw it with the command.",
            text: format!(
                "[![{} of {}]({}.svg)]({link})\n\n<!-- {command} -->",
                capitalized(&p.picture),
                p.file,
                p.picture
            ),
        },
        Snippet { system: "Command", note: "The same picture without a browser.", text: command },
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::write::GzEncoder;
    use proptest::prelude::*;

    fn file(name: &str, bytes: &[u8]) -> Carried {
        let mut options = ImportOptions::default();
        options.columns.insert("speed".into(), "rate:tflops".into());
        Carried { name: name.into(), options, bytes: bytes.to_vec() }
    }

    #[test]
    fn a_link_carries_small_files_and_says_how_large_others_are() {
        let files = [file("a.csv", b"M,N,K\n1,2,3\n"), file("b \"x\".csv", &[0, 255, 10])];
        let text = to_link(&files).unwrap();
        assert!(text.bytes().all(|c| c.is_ascii_alphanumeric() || matches!(c, b'-' | b'_')));
        assert_eq!(from_link(&text).unwrap(), files);
        let mut noise = 1u32;
        let bytes: Vec<u8> = (0..60_000)
            .map(|_| {
                noise = noise.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (noise >> 24) as u8
            })
            .collect();
        assert!(to_link(&[file("noise", &bytes)]).unwrap_err() > LINK_LIMIT);
    }

    #[test]
    fn broken_data_is_refused_in_words() {
        let text = to_link(&[file("a.csv", b"M,N,K\n1,2,3\n")]).unwrap();
        assert!(from_link(&text[..text.len() / 2]).is_err());
        assert!(from_link("a<b").unwrap_err().contains("damaged"));
        assert!(from_link("").is_err());
        let bomb = pack(&[file("z", &vec![0; 10 << 20])]);
        assert!(unpack(&bomb, LINK_UNPACKED).unwrap_err().contains("more than 8.00 MiB"));
        // A gzip file that unpacks to far more than the link may hold: it packs well once more.
        let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
        for _ in 0..20 {
            gzip.write_all(&vec![0; 1 << 20]).unwrap();
        }
        let packed = gzip.finish().unwrap();
        let text = to_link(&[file("a.csv.gz", &packed)]).unwrap();
        assert!(text.len() < 2_000, "{}", text.len());
        let e = from_link(&text).unwrap_err();
        assert!(e.contains("more than 8.00 MiB"), "{e}");
        let many = vec![file("", b""); MOST_FILES + 1];
        let e = unpack(&pack(&many), LINK_UNPACKED).unwrap_err();
        assert!(e.contains("101 files"), "{e}");
        assert_eq!(unpack(&pack(&many[1..]), LINK_UNPACKED).unwrap().len(), 100);
        let lie = {
            let mut e = DeflateEncoder::new(Vec::new(), Compression::fast());
            e.write_all(b"[{\"name\":\"x\",\"size\":99}]\nabc").unwrap();
            e.finish().unwrap()
        };
        assert!(unpack(&lie, 100).unwrap_err().contains("cut off in x"));
    }

    #[test]
    fn a_page_carries_view_and_data_and_can_be_saved_again() {
        let template = format!("<html>{SLOT}</script><p>rest</p></html>");
        assert_eq!(from_page("").unwrap(), None);
        let files = [file("a.csv", b"</script><b>")];
        let once = page(&template, "v=1&q=%3Cx%3E", &files).unwrap();
        let twice = page(&once, "v=1&view=table", &files).unwrap();
        for (html, view) in [(&once, "v=1&q=%3Cx%3E"), (&twice, "v=1&view=table")] {
            assert_eq!(html.matches("</script>").count(), 1);
            let start = html.find(SLOT).unwrap() + SLOT.len();
            let text = &html[start..html.find("</script>").unwrap()];
            assert_eq!(from_page(text).unwrap().unwrap(), (view.to_owned(), files.to_vec()));
        }
        assert!(page("<html>", "", &files).is_err());
    }

    #[test]
    fn snippets_are_filled_in_and_escaped() {
        let place = Place {
            viewer: "https://host/gemmscope/".into(),
            file: "a \"b\" <c>.csv".into(),
            more: vec!["d e.csv".into(), "f.csv".into()],
            view: "table".into(),
            picture: "roofline".into(),
            device: "mi300x".into(),
            state: "v=1&view=table&device=mi300x&f.dtype=bf16".into(),
        };
        let all = snippets(&place);
        let html = &all[0].text;
        assert!(
            html.contains("src=\"a &quot;b&quot; &lt;c>.csv\" more=\"d%20e.csv f.csv\""),
            "{html}"
        );
        assert!(
            html.contains("hash=\"v=1&amp;view=table&amp;device=mi300x&amp;f.dtype=bf16\""),
            "{html}"
        );
        assert!(html.contains("https://host/gemmscope/gemm-scope.js"));
        let jupyter = all.iter().find(|s| s.system == "Jupyter").unwrap();
        assert!(jupyter.text.contains("/a%20%22b%22%20%3Cc%3E.csv&v=1&"));
        let last = |p: &Place| snippets(p).last().unwrap().text.clone();
        assert_eq!(
            last(&place),
            "gemmscope render 'a \"b\" <c>.csv' 'd e.csv' f.csv --view roofline \
             --state '#v=1&view=table&device=mi300x&f.dtype=bf16' -o roofline.svg"
        );
        let plain = Place {
            file: "-it's.csv".into(),
            more: Vec::new(),
            state: "v=1&device=mi300x".into(),
            ..place
        };
        assert!(!snippets(&plain)[0].text.contains("hash="));
        assert_eq!(
            last(&plain),
            "gemmscope render './-it'\\''s.csv' --view roofline --device mi300x -o roofline.svg"
        );
        let readme = snippets(&plain).into_iter().find(|s| s.system == "README");
        assert!(
            readme.unwrap().text.starts_with(
                "[![Roofline of -it's.csv](roofline.svg)](https://host/gemmscope/#v=1"
            )
        );
    }

    proptest! {
        #[test]
        fn any_bytes_travel(bytes in proptest::collection::vec(any::<u8>(), 0..200), name in "\\PC{1,20}") {
            let name = visible(&name).into_owned();
            let f = Carried { name, options: ImportOptions::default(), bytes };
            prop_assert_eq!(unpack(&from_base64_url(&base64_url(&pack(std::slice::from_ref(&f)))).unwrap(), 10_000).unwrap(), vec![f]);
        }

        #[test]
        fn any_text_is_survived(text in "\\PC*") {
            let _ = from_link(&text);
            let _ = from_page(&text);
        }
    }
}
