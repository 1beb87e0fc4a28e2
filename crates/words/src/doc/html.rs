//! Renders a document as one HTML file with styles and pictures, without scripts or requests.

use super::escape::data_url;
use super::{Article, Block, DocEntry, DocTable, Set};
use gemmscope_model::encode::markup as h;

/// A picture for the report.
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    /// One sentence: what it shows.
    pub title: String,
    /// An SVG document.
    pub svg: String,
    /// The same picture for a phone.
    pub narrow: String,
}

const STYLE: &str = ":root{--text:#1a1d21;--muted:#5b636c;--line:#d9dde2;--soft:#f4f6f8;\
--bad:#b3261e;--high:#c0392b;--warn:#9a6200;--cool:#2f6fb0;color-scheme:light dark}\
*{box-sizing:border-box}body{font:15px/1.55 system-ui,sans-serif;max-width:72rem;margin:2rem auto;\
padding:0 1.25rem;color:var(--text);background:#fff}h1{margin:0 0 .25rem;font-size:1.5rem}\
h2{margin:2.5rem 0 .5rem;font-size:1.2rem}h3{margin:.2rem 0;font-size:1rem;overflow-wrap:anywhere}\
p,dd{max-width:80ch}p{margin:.4rem 0}ul{margin:.4rem 0;padding-left:1.2rem}.lead{font-size:1.15rem;font-weight:600}\
table{border-collapse:collapse;width:100%;font-size:.88em}th,td{text-align:left;\
padding:.35rem .9rem .35rem 0;border-bottom:1px solid var(--line);vertical-align:top}\
th{color:var(--muted);font-weight:500;white-space:nowrap}td.n,th.n{text-align:right;\
font-variant-numeric:tabular-nums;white-space:nowrap}td.w{min-width:13rem}.wide{overflow-x:auto;\
margin:.75rem 0}article{border:1px solid var(--line);border-left:4px solid #8a929b;border-radius:4px;\
padding:.6rem 1rem .8rem;margin:1rem 0}article.critical{border-left-color:var(--bad)}\
article.high{border-left-color:var(--high)}article.medium{border-left-color:var(--warn)}\
.tag{font-weight:600}.critical .tag,.high .tag{color:var(--high)}.medium .tag{color:var(--warn)}\
code{font:.85em/1.5 ui-monospace,monospace;overflow-wrap:anywhere}figure{margin:1.5rem 0}\
img{display:block;max-width:100%;height:auto}figcaption,.facts{color:var(--muted);font-size:.92em}\
dl{margin:.5rem 0 0}dt{margin-top:.5rem;color:var(--muted);font-size:.85em}dd{margin:0}\
.paths{display:grid;grid-template-columns:repeat(auto-fit,minmax(15rem,1fr));gap:.75rem;\
margin-top:.6rem}.paths>div{padding:.1rem .9rem .5rem;background:var(--soft);border-radius:4px}\
@media(prefers-color-scheme:dark){:root{--text:#e4e7ea;--muted:#9aa3ac;--line:#363c42;\
--soft:#1e2226;--bad:#ff8a80;--high:#ff8a80;--warn:#e0a64a;--cool:#7db3ef}body{background:#15181b}\
figure{padding:.75rem;background:#fff;border-radius:4px}figcaption{color:#5b636c}}\
@media print{article{break-inside:avoid}}";

/// Writes a document with its pictures.
pub fn html(title: &str, blocks: &[Block<'_>], pictures: &[Picture]) -> String {
    let mut out = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; \
         style-src 'unsafe-inline'\">\n<title>{title}</title>\n<style>{STYLE}</style>\n\
         </head>\n<body>\n<h1>{title}</h1>\n"
    );
    for block in blocks {
        match block {
            Block::Heading(level, text) => {
                out.push_str(&format!("<h{level}>{}</h{level}>\n", h(text)));
            }
            Block::Lead(text) => out.push_str(&format!("<p class=\"lead\">{}</p>\n", h(text))),
            Block::Text(text) => out.push_str(&format!("<p>{}</p>\n", h(text))),
            Block::List(of, items) => list(of, items, &mut out),
            Block::Table(t) => table(t, &mut out),
            Block::Article(a) => article(a, &mut out),
            Block::Pictures => pictures.iter().for_each(|p| picture(p, &mut out)),
        }
    }
    out.push_str("</body>\n</html>\n");
    out
}

fn list(of: &str, items: &[super::Text<'_>], out: &mut String) {
    let class = if of.is_empty() { "" } else { " class=\"facts\"" };
    if !of.is_empty() {
        out.push_str(&format!("<p{class}>{of}:</p>\n"));
    }
    out.push_str(&format!("<ul{class}>\n"));
    items.iter().for_each(|item| out.push_str(&format!("<li>{}</li>\n", h(item))));
    out.push_str("</ul>\n");
}

fn picture(p: &Picture, out: &mut String) {
    out.push_str(&format!(
        "<figure><picture><source media=\"(max-width:600px)\" srcset=\"data:image/svg+xml,{2}\">\
         <img alt=\"{0}\" src=\"data:image/svg+xml,{1}\"></picture>\n<figcaption>{0}\
         </figcaption></figure>\n",
        h(&p.title),
        data_url(&p.svg),
        srcset(&p.narrow)
    ));
}

/// A data URL for an attribute that holds a list of URLs separated by spaces and commas.
fn srcset(svg: &str) -> String {
    data_url(svg).replace(' ', "%20").replace(',', "%2C")
}

fn table(t: &DocTable<'_>, out: &mut String) {
    let class = |set: Set| match set {
        Set::Text => "",
        Set::Wide => " class=\"w\"",
        Set::Number => " class=\"n\"",
    };
    out.push_str("<div class=\"wide\"><table>\n<thead><tr>");
    for (title, set) in &t.columns {
        let class = if *set == Set::Number { class(*set) } else { "" };
        out.push_str(&format!("<th scope=\"col\"{class}>{}</th>", h(title)));
    }
    out.push_str("</tr></thead>\n<tbody>\n");
    for row in &t.rows {
        out.push_str("<tr>");
        for (cell, (_, set)) in row.iter().zip(&t.columns) {
            out.push_str(&format!("<td{}>{}</td>", class(*set), h(cell)));
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody></table></div>\n");
}

fn article(a: &Article<'_>, out: &mut String) {
    out.push_str(&format!(
        "<article class=\"{}\">\n<h3>{}</h3>\n<p class=\"facts\"><span class=\"tag\">{}</span>, {}. {}</p>\n\
         <p>{}</p>\n",
        a.class,
        h(&a.heading),
        a.tag,
        a.kind,
        h(&a.facts),
        h(&a.text)
    ));
    let known: Vec<_> = a.entries.iter().filter(|e| !e.1.is_empty()).collect();
    for entries in known.chunk_by(|a, b| (a.2 == DocEntry::Path) == (b.2 == DocEntry::Path)) {
        let paths = entries[0].2 == DocEntry::Path;
        let [before, after] = match paths {
            true => ["<div><dl>", "</dl></div>\n"],
            false => ["", ""],
        };
        out.push_str(if paths { "<div class=\"paths\">\n" } else { "<dl>\n" });
        for (title, text, set) in entries {
            let text = match set {
                DocEntry::Code => format!("<code>{}</code>", h(text)),
                _ => h(text).into_owned(),
            };
            out.push_str(&format!("{before}<dt>{title}</dt><dd>{text}</dd>\n{after}"));
        }
        out.push_str(if paths { "</div>\n" } else { "</dl>\n" });
    }
    out.push_str("</article>\n");
}
