//! The start page: what the page shows before the first file.

use super::choose::{ChooseFiles, ChooseFolder};
use super::kept_files::KeptFiles;
use crate::app::load::Loader;
use crate::app::load::kept::Kept;
use crate::app::load::sample::open;
use crate::app::state::{Dialog, Shell, Workbench};
use crate::app::ui::icon;
use crate::samples::{SAMPLES, Sample};
use gemmscope_import::FORMATS;
use leptos::prelude::*;

/// What shows before the first file: the start page, or that the files of last time come again.
pub fn first(kept: Kept) -> AnyView {
    if !kept.opening.get() {
        return view! { <Start /> }.into_any();
    }
    let names = kept.names.get_untracked().join(", ");
    view! {
        <main class="empty" id="main" tabindex="-1">
            <p class="reopening" role="status">"Reopening " {names} "…"</p>
        </main>
    }
    .into_any()
}

/// A link to a view without its data: names the files to drop.
fn expected(names: String) -> AnyView {
    let files: Vec<AnyView> = names
        .split('*')
        .filter(|name| !name.is_empty())
        .enumerate()
        .map(|(i, name)| {
            let between = if i > 0 { ", " } else { "" };
            view! { {between} <strong>{name.to_owned()}</strong> }.into_any()
        })
        .collect();
    let text = match files.len() {
        0 => view! { "This link holds a view but no data. Drop the file it was made from." }
            .into_any(),
        n => {
            let it = if n == 1 { "it" } else { "them" };
            view! { "This link shows a view of " {files} ". Drop " {it} " here." }.into_any()
        }
    };
    view! { <div class="notice ask" role="note">{icon(icon::LINK)}<p>{text}</p></div> }.into_any()
}

/// Explains the page, takes files, offers samples.
#[component]
pub fn Start() -> impl IntoView {
    let shell = Shell::here();
    let bench = Workbench::here();
    let loader = Loader::here();
    view! {
        <main class="empty" id="main" tabindex="-1">
            <section class="hero">
                <h2>"Drop a GEMM benchmark file, see every GEMM against its roofline."</h2>
                <p class="lead">
                    "Benchmark logs, profiler reports and plain CSV. Everything is computed in this browser tab: "
                    <strong>"no file leaves your machine."</strong>
                </p>
                {move || bench.expected.get().map(expected)}
                <div class="drop-zone">
                    <svg class="drop-art" viewBox="0 0 240 96" aria-hidden="true">
                        <path d="M8 88h224M8 88V8" class="art-axis" />
                        <path d="M14 84 108 22h118" class="art-roof" />
                        <g class="art-points">
                            <circle cx="44" cy="74" r="3" /><circle cx="62" cy="64" r="3" /><circle cx="80" cy="50" r="3" />
                            <circle cx="104" cy="44" r="3" /><circle cx="122" cy="36" r="3" /><circle cx="140" cy="46" r="3" />
                            <circle cx="152" cy="30" r="3" /><circle cx="171" cy="34" r="3" /><circle cx="188" cy="28" r="3" />
                            <circle cx="208" cy="38" r="3" />
                        </g>
                    </svg>
                    <p>"Drop files or a folder anywhere on this page, or"</p>
                    <div class="drop-actions">
                        <ChooseFiles class="button primary" label="Choose files" />
                        <ChooseFolder class="button" />
                        <button type="button" class="button" on:click=move |_| shell.open(Dialog::Paste)>"Paste text"</button>
                    </div>
                </div>
                <KeptFiles reopen=true />
            </section>
            <section class="no-file" aria-labelledby="no-file-title">
                <h3 id="no-file-title">"No file yet?"</h3>
                <p class="muted">"See what a model's GEMMs could attain on a device before anything runs."</p>
                <button type="button" class="button" data-open="plan" on:click=move |_| bench.show("plan")>
                    "Plan a model"
                </button>
            </section>
            <section class="samples" aria-labelledby="samples-title">
                <h3 id="samples-title">"Or try a sample"</h3>
                <ul>{SAMPLES.iter().map(|s| view! { <li>{sample(loader, s)}</li> }).collect_view()}</ul>
            </section>
            <section class="formats" aria-labelledby="formats-title">
                <h3 id="formats-title">"What it reads"</h3>
                <p>{FORMATS.iter().map(|f| f.name).collect::<Vec<_>>().join(" · ")}</p>
                <button type="button" class="button" data-open="formats" on:click=move |_| shell.open(Dialog::Formats)>
                    "What is read, and how to produce it"
                </button>
                <p class="muted">
                    "Any other table with M, N, K and a time or a rate: the columns are recognised, and you can change what each one means. Also gzip, UTF-16 and a device as JSON."
                </p>
            </section>
        </main>
    }
}

fn sample(loader: Loader, sample: &'static Sample) -> AnyView {
    view! {
        <button type="button" class="sample" data-sample=sample.id on:click=move |_| open(loader, sample)>
            <strong>{sample.title}</strong>
            <span class="muted">{sample.description}</span>
        </button>
    }
    .into_any()
}
