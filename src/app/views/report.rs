//! The menu that saves the report and the reproducers.

use crate::app::state::{Shell, Workbench};
use crate::app::ui::{Menu, icon};
use crate::web::dom;
use gemmscope_chart::picture;
use gemmscope_words::replay::bulk;
use gemmscope_words::report;
use gemmscope_words::report::Report;
use leptos::prelude::*;

/// The menu.
pub fn menu(shell: Shell, bench: Workbench) -> AnyView {
    let item = move |name: &'static str, mime: &'static str, hint: &'static str| {
        let save = move |_| {
            if let Some(text) = document(bench, name) {
                dom::download(name, mime, text.as_bytes());
            }
        };
        view! { <button type="button" class="menu-item" on:click=save>{name}<span class="menu-side">{hint}</span></button> }
            .into_any()
    };
    view! {
        <Menu
            class="button"
            right=true
            name="Download the report"
            label=|| view! { {icon(icon::SAVE)}<span>"Report"</span>{icon(icon::DOWN)} }
        >
            {item("report.html", "text/html", "with pictures, one file")}
            {item("report.md", "text/markdown", "everything")}
            {item("gemm_findings.md", "text/markdown", "the short form")}
            {item("findings.json", "application/json", "for machines")}
            <button type="button" class="menu-item" on:click=move |_| replays(shell, bench)>
                "replays.tar"<span class="menu-side">"scripts that check and time each finding"</span>
            </button>
        </Menu>
    }
    .into_any()
}

/// Downloads a script for each finding.
fn replays(shell: Shell, bench: Workbench) {
    let Some(result) = bench.findings.get_untracked() else {
        return;
    };
    let wanted = bulk::of_findings(&result.frame, &result.findings);
    let made = bulk::bulk(&result.frame, &wanted);
    if made.files.is_empty() {
        shell.say("No finding is about a GEMM that can be replayed");
        return;
    }
    dom::download("replays.tar", "application/x-tar", &bulk::archive(&made.files));
}

fn document(bench: Workbench, name: &str) -> Option<String> {
    let result = bench.findings.get_untracked()?;
    let frame = &result.frame;
    if name == "gemm_findings.md" {
        return Some(report::gemm_findings_of(frame));
    }
    let full = Report::new(frame, &result.findings);
    Some(match name {
        "report.html" => {
            let state = bench.view.get_untracked();
            report::html(&full, &picture::for_report(frame, &state))
        }
        "report.md" => report::markdown(&full),
        _ => report::json(&full),
    })
}
