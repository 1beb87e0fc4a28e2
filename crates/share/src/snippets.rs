//! Snippets to paste into pages of a documentation system.
//!
//! A snippet is code in another language, and its values (file names, the page's address, the view) come from links and
//! disks that anyone may have made. So each value is escaped for its target language; all escapes are in `escape`. A
//! test parses every snippet and finds exactly the intended elements and strings, whatever the values are.

pub(crate) mod escape;
#[cfg(test)]
mod tests;

use escape::{address, attribute, component, link_text, markdown, quoted, word};
use gemmscope_model::units::capitalized;

/// Values for the placeholders of a snippet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SnippetPlace {
    /// Address of gemmscope, ending in `/`: `https://host/gemmscope/`.
    pub viewer: String,
    /// Name of the data file.
    pub file: String,
    /// Names of further files.
    pub more: Vec<String>,
    /// Key of the view.
    pub view: String,
    /// Key of the view for a picture; `view` itself if it can be drawn.
    pub picture: String,
    /// Device id; "" for none.
    pub device: String,
    /// The complete view state, as after `#` in a link.
    pub state: String,
}

/// A text to paste into the pages of a documentation system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snippet {
    /// Name of the system.
    pub system: &'static str,
    /// One sentence about further steps.
    pub note: &'static str,
    /// The text.
    pub text: String,
}

/// File name without folders, which mean nothing on other machines; a fallback for `.`, `..` and "".
fn file_name(name: &str) -> &str {
    match crate::data::base_name(name) {
        "" | "." | ".." => "data",
        name => name,
    }
}

/// True if the state contains only a view and a device.
fn is_plain(state: &str) -> bool {
    state
        .split('&')
        .all(|k| k.is_empty() || ["v=", "view=", "device="].iter().any(|s| k.starts_with(s)))
}

/// Command line that draws the picture without a browser.
fn command(p: &SnippetPlace) -> String {
    let mut out = "gemmscope render".to_owned();
    for file in std::iter::once(&p.file).chain(&p.more) {
        let file = file_name(file);
        // A leading dash would be taken for an option.
        let folder = if file.starts_with('-') { "./" } else { "" };
        out += &format!(" {}", word(&format!("{folder}{file}")));
    }
    out += &format!(" --view {}", word(&p.picture));
    if !is_plain(&p.state) {
        out += &format!(" --state {}", word(&format!("#{}", p.state)));
    } else if !p.device.is_empty() {
        out += &format!(" --device {}", word(&p.device));
    }
    out + &format!(" -o {}", word(&format!("{}.svg", p.picture)))
}

/// The element with its attributes, on one line; files are in `folder` (`./` or `/`).
fn element(p: &SnippetPlace, folder: &str) -> String {
    let file = file_name(&p.file);
    let src = format!("{folder}{}", component(file));
    let mut out = format!("<gemm-scope src=\"{src}\"");
    if !p.more.is_empty() {
        let more: Vec<String> =
            p.more.iter().map(|f| format!("{folder}{}", component(file_name(f)))).collect();
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
    out + &format!("><a href=\"{src}\">{}</a></gemm-scope>", link_text(file))
}

/// A note of a system, and what every page that fetches the data needs.
macro_rules! fetching {
    ($note:literal) => {
        concat!(
            $note,
            " A data file on another host is shown only where that host lets other pages read it (it sends \
             Access-Control-Allow-Origin, as raw.githubusercontent.com does)."
        )
    };
}

/// The snippets for all systems.
pub fn snippets(p: &SnippetPlace) -> Vec<Snippet> {
    let beside = element(p, "./");
    let script = address(&format!("{}gemm-scope.js", p.viewer));
    let tag = format!("<script type=\"module\" src=\"{}\"></script>", attribute(&script));
    let command = command(p);
    let file = file_name(&p.file);
    vec![
        Snippet {
            system: "HTML",
            note: fetching!("Put the data file beside the page."),
            text: format!("{beside}\n{tag}"),
        },
        Snippet {
            system: "mdBook",
            note: fetching!("In a chapter, with blank lines around it. Put the data file in src/."),
            text: format!("{beside}\n{tag}"),
        },
        Snippet {
            system: "MkDocs",
            note: fetching!(
                "First part: mkdocs.yml. Second part: the page. Put the data file in docs/; \
                   src is relative to the page's address."
            ),
            text: format!(
                "extra_javascript:\n  - path: {}\n    type: module\n\n---\n\n{beside}",
                quoted(&script)
            ),
        },
        Snippet {
            system: "Sphinx, MyST",
            note: fetching!(
                "First part: conf.py. Second part: a reST page (in MyST the same in a {raw} html block)."
            ),
            text: format!(
                "html_js_files = [({}, {{\"type\": \"module\"}})]\nhtml_extra_path = [{}]\n\n---\n\n.. raw:: html\n\n   {beside}",
                quoted(&script),
                quoted(&format!("./{file}"))
            ),
        },
        Snippet {
            system: "Docusaurus",
            note: fetching!(
                "First part: docusaurus.config.js. Second part: an MDX page. Put the data \
                   file in static/; with a baseUrl, put it before both addresses."
            ),
            text: format!(
                "scripts: [{{ src: {}, type: \"module\", async: true }}],\n\n---\n\n{}",
                quoted(&script),
                element(p, "/")
            ),
        },
        Snippet {
            system: "Jupyter",
            note: fetching!("The page fetches the data: use a public address."),
            text: format!(
                "from IPython.display import IFrame\nIFrame({}, width=\"100%\", height=620)",
                // The address is a value inside the link, which is decoded before it is fetched.
                quoted(&format!(
                    "{}#src=https://…/{}{}{}",
                    address(&format!("{}open.html?embed=1", p.viewer)),
                    component(&component(file)),
                    if p.state.is_empty() { "" } else { "&" },
                    address(&p.state)
                ))
            ),
        },
        Snippet {
            system: "README",
            note: "GitHub runs no scripts: use a picture with a link. Draw it with the command.",
            text: format!(
                "[![{} of {}](./{}.svg)]({})\n\n<!-- {command} -->",
                markdown(&capitalized(&p.picture)),
                markdown(file),
                component(&p.picture),
                address(&format!("{}#{}", p.viewer, p.state))
            ),
        },
        Snippet { system: "Command", note: "The same picture without a browser.", text: command },
    ]
}
