//! The full report as one HTML file with styles and pictures, without scripts or requests.

use super::escape::{data_url, short};
use super::markdown::{facts, places, signs, time};
use super::operations::ExtraColumn;
use super::{FindingLine, Report, TuningPart};
use crate::untimed::UntimedList;
use gemmscope_model::encode::markup as h;
use gemmscope_model::units::{Seconds, capitalized, fixed};

/// A picture for the report.
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    /// What it shows, in a sentence.
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
        out.push_str(&format!("<li>Device: {}, {}</li>\n", h(device), h(&report.roof)));
    }
    out.push_str("</ul>\n");
    overview(report, &mut out);
    for p in pictures {
        out.push_str(&format!(
            "<figure><picture><source media=\"(max-width:600px)\" srcset=\"data:image/svg+xml,{2}\">\
             <img alt=\"{0}\" src=\"data:image/svg+xml,{1}\"></picture>\n<figcaption>{0}\
             </figcaption></figure>\n",
            h(&p.title),
            data_url(&p.svg),
            srcset(&p.narrow)
        ));
    }
    if !report.only_shapes() {
        judged(report, &mut out);
    }
    shapes(&report.shapes, &mut out);
    for part in &report.tuning {
        tuning(part, &mut out);
    }
    if !report.only_shapes() {
        checks(report, &mut out);
    }
    notes(report, &mut out);
    out.push_str("</body>\n</html>\n");
    out
}

/// What needs times: findings, operations, flagged ones.
fn judged(report: &Report, out: &mut String) {
    out.push_str("<h2>Findings</h2>\n");
    for line in report.ledger.lines() {
        out.push_str(&format!("<p>{}.</p>\n", h(&line)));
    }
    if report.findings.is_empty() {
        out.push_str("<p>None.</p>\n");
    }
    for (i, f) in report.findings.iter().enumerate() {
        finding(i + 1, f, out);
    }
    operations(report, out);
    bottlenecks(report, out);
}

fn shapes(list: &UntimedList, out: &mut String) {
    if list.total == 0 {
        return;
    }
    out.push_str(&format!(
        "<h2>Shapes without a time</h2>\n<p>{}</p>\n<div class=\"wide\"><table>\n<thead><tr>",
        h(&list.words())
    ));
    heads(
        &[
            ("Shape", false),
            ("Types", false),
            ("Roof time of a call", true),
            ("Bound", false),
            ("Calls", true),
        ],
        out,
    );
    out.push_str("</tr></thead>\n<tbody>\n");
    for s in &list.longest {
        out.push_str(&format!(
            "<tr><td class=\"w\">{}</td><td>{}</td><td class=\"n\">{}</td><td>{}</td>\
             <td class=\"n\">{}</td></tr>\n",
            s.shape(),
            h(&s.types),
            Seconds(s.roof_time_s),
            s.bound.label(),
            fixed(s.calls, 0)
        ));
    }
    out.push_str("</tbody></table></div>\n");
    if list.more() > 0 {
        out.push_str(&format!("<p>and {} more.</p>\n", list.more()));
    }
}

fn tuning(part: &TuningPart, out: &mut String) {
    out.push_str(&format!("<h2>Tuning: {}</h2>\n<p>{}</p>\n", h(&part.problem), h(&part.words())));
    if !part.settings.is_empty() {
        out.push_str("<div class=\"wide\"><table>\n<thead><tr>");
        heads(&[("Setting", false), ("Failed or slow", true), ("Of all with it", true)], out);
        out.push_str("</tr></thead>\n<tbody>\n");
        for s in &part.settings {
            out.push_str(&format!(
                "<tr><td>{} = {}</td><td class=\"n\">{}</td><td class=\"n\">{}</td></tr>\n",
                h(&s.name),
                h(&s.value),
                s.bad,
                s.all
            ));
        }
        out.push_str("</tbody></table></div>\n");
    }
    let order = capitalized(&part.order);
    out.push_str("<div class=\"wide\"><table>\n<thead><tr>");
    heads(
        &[
            ("Variant", false),
            (h(&order).as_ref(), true),
            ("Outcome", false),
            ("Time", true),
            ("Settings", false),
        ],
        out,
    );
    out.push_str("</tr></thead>\n<tbody>\n");
    for v in &part.bad {
        out.push_str(&format!(
            "<tr><td>{}</td><td class=\"n\">{}</td><td>{}</td><td class=\"n\">{}</td>\
             <td class=\"w\">{}</td></tr>\n",
            h(&short(&v.name, 60)),
            v.order,
            h(&v.outcome),
            time(v.time_s),
            h(&v.settings)
        ));
    }
    out.push_str("</tbody></table></div>\n");
    if part.more() > 0 {
        out.push_str(&format!("<p>and {} more.</p>\n", part.more()));
    }
}

/// A data URL for an attribute with a list of URLs, which spaces and commas separate.
fn srcset(svg: &str) -> String {
    data_url(svg).replace(' ', "%20").replace(',', "%2C")
}

fn overview(report: &Report, out: &mut String) {
    let (lead, rest) = report.sentences.split_at(1.min(report.sentences.len()));
    out.push_str(&format!(
        "<h2>Overview</h2>\n<p class=\"lead\">{}</p>\n<p>{}</p>\n",
        h(&lead.concat()),
        h(&rest.join(" "))
    ));
    if let Some(time) = &report.time {
        out.push_str(&format!("<p>{}</p>\n", h(&time.words())));
    }
    out.push_str(&format!("<p>Trust: {}.</p>\n", h(&report.trust.words())));
    for (what, texts) in [("Chosen", &report.chosen), ("Assumed", &report.assumptions)] {
        if texts.is_empty() {
            continue;
        }
        out.push_str(&format!("<p class=\"facts\">{what}:</p>\n<ul class=\"facts\">\n"));
        for text in texts {
            out.push_str(&format!("<li>{}</li>\n", h(text)));
        }
        out.push_str("</ul>\n");
    }
}

fn operations(report: &Report, out: &mut String) {
    out.push_str("<h2>Operations</h2>\n<div class=\"wide\"><table>\n<thead><tr>");
    let extra = ExtraColumn::of(report);
    heads(
        &[
            ("Operation", false),
            ("Shape", false),
            ("Count", true),
            ("Time (ms)", true),
            ("% of GEMM time", true),
            ("% of roof", true),
            ("Attained", true),
            ("Bandwidth", true),
            ("FLOP/B", true),
            ("Limited by", false),
        ],
        out,
    );
    for column in &extra {
        heads(&[(column.title(), false)], out);
    }
    out.push_str("</tr></thead>\n<tbody>\n");
    for o in report.listed() {
        let [efficiency, rate, bandwidth, intensity] = o.figures();
        out.push_str(&format!(
            "<tr><td>{}</td><td class=\"w\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td>\
             <td class=\"n\">{:.1}</td><td class=\"n\">{efficiency}</td><td class=\"n\">{rate}</td>\
             <td class=\"n\">{bandwidth}</td><td class=\"n\">{intensity}</td><td>{}</td>",
            h(&short(&o.name, 60)),
            h(&o.problem),
            fixed(o.calls, 0),
            fixed(o.time_s * 1e3, 3),
            o.share_of_category * 100.0,
            o.bound.as_deref().unwrap_or("unknown"),
        ));
        for column in &extra {
            out.push_str(&format!("<td class=\"w\">{}</td>", h(&column.cell(o))));
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody></table></div>\n");
    let more = report.operations_total - report.listed().len();
    if more > 0 {
        out.push_str(&format!("<p>{more} more operations take less time each.</p>\n"));
    }
}

fn heads(titles: &[(&str, bool)], out: &mut String) {
    for (title, number) in titles {
        let class = if *number { " class=\"n\"" } else { "" };
        out.push_str(&format!("<th scope=\"col\"{class}>{title}</th>"));
    }
}

/// The flagged operations, with circumstances that explain a low efficiency.
fn bottlenecks(report: &Report, out: &mut String) {
    out.push_str("<h2>Flagged operations</h2>\n");
    if report.bottlenecks.is_empty() {
        out.push_str("<p>None.</p>\n");
        return;
    }
    out.push_str("<div class=\"wide\"><table>\n<thead><tr>");
    heads(
        &[
            ("Operation", false),
            ("Shape", false),
            ("Priority", false),
            ("Flags", false),
            ("To consider", false),
        ],
        out,
    );
    out.push_str("</tr></thead>\n<tbody>\n");
    for b in report.worth_acting_on() {
        let o = &report.operations[b.operation];
        out.push_str(&format!(
            "<tr><td>{}</td><td class=\"w\">{}</td><td>{}</td><td>{}</td>\
             <td class=\"w\">{}</td></tr>\n",
            h(&short(&o.heading(), 90)),
            h(&o.problem),
            b.priority.label(),
            h(&b.flags.join(", ")),
            h(&b.context.join(" "))
        ));
    }
    out.push_str("</tbody></table></div>\n");
    if let Some(words) = report.not_worth() {
        out.push_str(&format!("<p>{}</p>\n", h(&words)));
    }
}

fn finding(number: usize, f: &FindingLine, out: &mut String) {
    let x = &f.finding;
    out.push_str(&format!(
        "<article class=\"{}\">\n<h3>{number}. {}</h3>\n<p class=\"facts\"><span class=\"tag\">{}</span>, {}. {}</p>\n<p>{}</p>\n<dl>\n",
        x.severity.label().to_lowercase(),
        h(&x.heading()),
        x.severity.label(),
        x.category.label(),
        h(&facts(f)),
        h(&x.text)
    ));
    let entry = |title: &str, text: &str, code: bool| {
        let text = h(text);
        match text.as_ref() {
            "" => String::new(),
            text if code => format!("<dt>{title}</dt><dd><code>{text}</code></dd>\n"),
            text => format!("<dt>{title}</dt><dd>{text}</dd>\n"),
        }
    };
    out.push_str(&entry("How", &x.evidence.formula, true));
    out.push_str(&entry("Signs", &signs(x), false));
    out.push_str(&entry("Rows", &places(f), false));
    out.push_str("</dl>\n<div class=\"paths\">\n");
    for (title, path) in
        [("Try in the model", &x.path_a), ("Try in the kernel or library", &x.path_b)]
    {
        out.push_str(&format!("<div><dl>{}</dl></div>\n", entry(title, path, false)));
    }
    out.push_str(&format!(
        "</div>\n<dl>{}</dl>\n</article>\n",
        entry("To confirm", &x.profile, false)
    ));
}

/// The outcome of every rule, and what no rule can tell.
fn checks(report: &Report, out: &mut String) {
    out.push_str("<h2>Checks</h2>\n<div class=\"wide\"><table><thead><tr>");
    heads(&[("Rule", false), ("Speaks when", false), ("Outcome", false)], out);
    out.push_str("</tr></thead>\n<tbody>\n");
    for c in &report.checked {
        let outcome = c.outcome();
        out.push_str(&format!(
            "<tr><td>{}</td><td class=\"w\">{}</td><td>{}</td></tr>\n",
            h(&c.title),
            h(&c.threshold),
            h(&outcome)
        ));
    }
    out.push_str(
        "</tbody></table></div>\n<h2>What timings can't show</h2>\n<div class=\"wide\"><table><thead>\
         <tr><th scope=\"col\">not seen</th><th scope=\"col\">why</th><th scope=\"col\">what timings do show</th></tr></thead><tbody>\n",
    );
    for [what, why, instead] in &report.cannot_infer {
        let instead = h(instead);
        out.push_str(&format!("<tr><td>{what}</td><td>{why}</td><td>{instead}</td></tr>\n"));
    }
    out.push_str("</tbody></table></div>\n");
}

fn notes(report: &Report, out: &mut String) {
    if !report.notes.is_empty() {
        out.push_str("<h2>Notes on the data</h2>\n<ul>\n");
        for note in &report.notes {
            out.push_str(&format!("<li>{}</li>\n", h(note)));
        }
        out.push_str("</ul>\n");
    }
}
