//! The full report as one HTML file: styles and pictures inside, no script, nothing fetched.

use super::escape::{data_url, html_text as h, short};
use super::markdown::{facts, places};
use super::{CANNOT_INFER, FindingLine, Report};
use crate::units::{BytesPerSec, FlopsPerSec};

/// A picture for the report.
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    /// What it shows, in a sentence.
    pub title: String,
    /// An SVG document.
    pub svg: String,
}

const STYLE: &str = "body{font:15px/1.5 system-ui,sans-serif;max-width:70rem;margin:2rem auto;\
padding:0 1rem;color:#1a1d21;background:#fff}table{border-collapse:collapse;width:100%;\
font-size:.9em;margin:1rem 0}th,td{text-align:left;padding:.3rem .6rem;border-bottom:1px solid \
#d5d9de;vertical-align:top}td.n{text-align:right;font-variant-numeric:tabular-nums}\
.wide{overflow-x:auto}article{border-left:4px solid #8a929b;padding:.1rem 1rem;margin:1.5rem 0}\
article.critical{border-color:#b3261e}article.high{border-color:#c77700}\
article.medium{border-color:#2f6fb0}code{font-size:.9em;overflow-wrap:anywhere}\
figure{margin:1.5rem 0}img{max-width:100%}figcaption,.facts{color:#5b636c}dt{font-weight:600}\
dd{margin:0 0 .5rem 0}@media(prefers-color-scheme:dark){body{color:#e4e7ea;background:#15181b}\
th,td{border-color:#3a4046}figcaption,.facts{color:#9aa3ac}figure{background:#fff;padding:.5rem}\
figcaption{color:#5b636c}}@media print{article{break-inside:avoid}}";

/// Writes the report with its pictures.
pub fn html(report: &Report, pictures: &[Picture]) -> String {
    let mut out = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; \
         style-src 'unsafe-inline'\">\n<title>GEMM report</title>\n<style>{STYLE}</style>\n\
         </head>\n<body>\n<h1>GEMM report</h1>\n<ul>\n"
    );
    for (name, format) in &report.files {
        out.push_str(&format!("<li>{} ({})</li>\n", h(name), h(format)));
    }
    for device in &report.devices {
        out.push_str(&format!(
            "<li>Judged by: {} ({})</li>\n",
            h(device),
            h(&report.roof)
        ));
    }
    out.push_str("</ul>\n");
    overview(report, &mut out);
    for p in pictures {
        out.push_str(&format!(
            "<figure><img alt=\"{0}\" src=\"data:image/svg+xml,{1}\">\n<figcaption>{0}</figcaption>\
             </figure>\n",
            h(&p.title),
            data_url(&p.svg)
        ));
    }
    operations(report, &mut out);
    out.push_str("<h2>Findings</h2>\n");
    if report.findings.is_empty() {
        out.push_str("<p>None.</p>\n");
    }
    for (i, f) in report.findings.iter().enumerate() {
        finding(i + 1, f, &mut out);
    }
    closing(report, &mut out);
    out.push_str("</body>\n</html>\n");
    out
}

fn overview(report: &Report, out: &mut String) {
    out.push_str(&format!(
        "<h2>Overview</h2>\n<p>{}</p>\n",
        h(&report.sentences.join(" "))
    ));
}

fn operations(report: &Report, out: &mut String) {
    out.push_str("<h2>Operations</h2>\n<div class=\"wide\"><table>\n<thead><tr>");
    for title in [
        "Operation",
        "Shape",
        "Count",
        "Time (ms)",
        "% of category",
        "Efficiency",
        "Attained",
        "Bandwidth",
        "FLOP/B",
        "Bound",
    ] {
        out.push_str(&format!("<th scope=\"col\">{title}</th>"));
    }
    out.push_str("</tr></thead>\n<tbody>\n");
    for o in &report.operations {
        let efficiency = o
            .efficiency
            .map_or("unknown".to_owned(), |e| format!("{:.1} %", e * 100.0));
        out.push_str(&format!(
            "<tr><td>{}</td><td>{}</td><td class=\"n\">{:.0}</td><td class=\"n\">{:.3}</td>\
             <td class=\"n\">{:.1}</td><td class=\"n\">{efficiency}</td><td class=\"n\">{}</td>\
             <td class=\"n\">{}</td><td class=\"n\">{:.1}</td><td>{}</td></tr>\n",
            h(&short(&o.name, 60)),
            h(&o.problem),
            o.calls,
            o.time_s * 1e3,
            o.share_of_category * 100.0,
            FlopsPerSec(o.flops_per_s),
            BytesPerSec(o.bytes_per_s),
            o.intensity,
            o.bound.as_deref().unwrap_or("unknown"),
        ));
    }
    out.push_str("</tbody></table></div>\n");
    let more = report.operations_total - report.operations.len();
    if more > 0 {
        out.push_str(&format!(
            "<p>{more} more operations take less time each.</p>\n"
        ));
    }
}

fn finding(number: usize, f: &FindingLine, out: &mut String) {
    let x = &f.finding;
    out.push_str(&format!(
        "<article class=\"{}\">\n<h3>{number}. {}</h3>\n<p class=\"facts\">{}, {}. {}</p>\n<p>{}</p>\n<dl>\n",
        x.severity.label().to_lowercase(),
        h(&x.title),
        x.severity.label(),
        x.category.label(),
        h(&facts(f)),
        h(&x.text)
    ));
    let mut entry = |title: &str, text: &str, code: bool| {
        if text.is_empty() {
            return;
        }
        let text = h(text);
        let body = if code {
            format!("<code>{text}</code>")
        } else {
            text.into_owned()
        };
        out.push_str(&format!("<dt>{title}</dt><dd>{body}</dd>\n"));
    };
    entry("How", &x.evidence.formula, true);
    entry("Rows", &places(f), false);
    entry("Path A", &x.path_a, false);
    entry("Path B", &x.path_b, false);
    entry("A profile would have to show", &x.profile, false);
    out.push_str("</dl>\n</article>\n");
}

fn closing(report: &Report, out: &mut String) {
    out.push_str("<h2>Checks</h2>\n<table><tbody>\n");
    for c in &report.checked {
        let outcome = match (&c.not_checked, c.findings) {
            (Some(reason), _) => reason.clone(),
            (None, 0) => "nothing found".to_owned(),
            (None, 1) => "1 finding".to_owned(),
            (None, n) => format!("{n} findings"),
        };
        out.push_str(&format!(
            "<tr><td>{}</td><td>{}</td></tr>\n",
            h(&c.title),
            h(&outcome)
        ));
    }
    out.push_str(
        "</tbody></table>\n<h2>What times cannot tell</h2>\n<table><thead><tr><th scope=\"col\">not \
         seen</th><th scope=\"col\">why</th><th scope=\"col\">say instead</th></tr></thead><tbody>\n",
    );
    for (what, why, instead) in CANNOT_INFER {
        out.push_str(&format!(
            "<tr><td>{what}</td><td>{why}</td><td>{instead}</td></tr>\n"
        ));
    }
    out.push_str("</tbody></table>\n");
    if !report.notes.is_empty() {
        out.push_str("<h2>Notes on the data</h2>\n<ul>\n");
        for note in &report.notes {
            out.push_str(&format!("<li>{}</li>\n", h(note)));
        }
        out.push_str("</ul>\n");
    }
}
