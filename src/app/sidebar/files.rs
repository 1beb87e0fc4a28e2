//! A card for each loaded file: the recognised format with the reason, counts of rows, and the assumptions, which can
//! be changed.

use crate::app::load::Loader;
use crate::app::state::{Dialog, LoadedFile, Shell, Workbench};
use crate::app::ui::{DeviceMenu, Menu, icon, icon_button, select, value_of};
use crate::web::dom;
use gemmscope_import::FORMATS;
use gemmscope_model::hardware::{Device, known, short_name};
use gemmscope_model::units::{Bytes, grouped, plural};
use gemmscope_share::data::base_name;
use gemmscope_table::control::Choice;
use gemmscope_table::dataset::TraceContext;
use gemmscope_table::dataset::{Assumption, Source};
use leptos::prelude::*;
use std::sync::Arc;

/// The cards.
#[component]
pub fn Files() -> impl IntoView {
    let bench = Workbench::here();
    let loader = Loader::here();
    view! {
        <section class="files" aria-label="Files">
            <For each=move || bench.files.get() key=|f| (f.id, Arc::as_ptr(&f.data.0) as usize) let:file>
                <Card file=file />
            </For>
            {move || {
                let contexts = bench.contexts.get().into_iter();
                contexts.map(|context| context_card(bench, loader, context)).collect_view()
            }}
        </section>
    }
}

/// Name of a file, with its folder if another file has the same name.
fn told_apart(bench: Workbench, name: &str) -> String {
    let short = base_name(name);
    let alike = |s: &&Source| base_name(&s.name) == short;
    match bench.data.with(|d| d.sources.iter().filter(alike).count()) {
        0 | 1 => short.to_owned(),
        _ => name.to_owned(),
    }
}

/// Why the rows of a file are not counted.
fn why_not_counted(bench: Workbench, id: u32) -> Option<String> {
    let at = bench.files.with(|f| f.iter().position(|f| f.id == id))?;
    bench.repeated.with(|all| all.iter().find(|r| r.table == at).map(|r| r.why.clone()))
}

#[component]
fn Card(file: LoadedFile) -> impl IntoView {
    let loader = Loader::here();
    let bench = Workbench::here();
    let id = file.id;
    let source = file.data.sources.first().cloned().unwrap_or_default();
    let (aside, name) = (source.rejected.total(), source.name.clone());
    let options = StoredValue::new(file.options.clone());
    let data = file.data.clone();
    let save_name = format!("{}-set-aside.csv", source.name);
    let save_aside = move || {
        let Some(source) = data.sources.first() else {
            return;
        };
        dom::download(&save_name, "text/csv", source.rejected.to_csv().as_bytes());
    };
    let chosen_format = file.options.format.clone().unwrap_or_default();
    let mut assumed: Vec<AnyView> = source
        .assumptions
        .iter()
        .map(|a| {
            let key = a.key.clone();
            assumption(a, move |value| {
                let mut options = options.get_value();
                options.answers.insert(key.clone(), value);
                loader.import_again(id, options);
            })
        })
        .collect();
    let formats = FORMATS.iter().map(|f| Choice::new(f.id, f.name));
    let formats = std::iter::once(Choice::new("", "Recognise it")).chain(formats);
    let read_as = move |format: String| {
        let mut options = options.get_value();
        options.format = (!format.is_empty()).then_some(format);
        loader.import_again(id, options);
    };
    let more = assumed.split_off(assumed.len().min(ASSUMED));
    view! {
        <article class="file-card" aria-label=source.name.clone()>
            <header class="file-card-head">
                {icon(icon::FILE)}
                <h3 title=source.name.clone()>{move || told_apart(bench, &name)}</h3>
                {card_menu(id)}
            </header>
            {counted(&source)}
            {move || why_not_counted(bench, id).map(|why| view! {
                <p class="file-card-line">"Not counted: " {why} "."</p>
            })}
            {agrees(&source)}
            {(aside > 0).then(|| rejected(&source, aside, save_aside))}
            {assumed}
            {(!more.is_empty()).then(|| view! {
                <details class="file-card-more">
                    <summary>{plural(more.len() as u64, "more assumption")}</summary>
                    {more}
                </details>
            })}
            <details class="file-card-more">
                <summary>{source.format_name.clone()}</summary>
                {(!source.format_reason.is_empty()).then(|| view! { <p>{source.format_reason.clone()}</p> })}
                {source.notes.iter().map(|n| view! { <p>{n.clone()}</p> }).collect_view()}
                <label class="field">
                    <span>"Read it as"</span>
                    {select((None, None), formats.collect(), Signal::stored(chosen_format), Box::new(read_as))}
                </label>
            </details>
        </article>
    }
}

/// The menu of a file.
fn card_menu(id: u32) -> impl IntoView {
    let shell = Shell::here();
    let loader = Loader::here();
    view! {
        <Menu
            class="icon-button"
            right=true
            name="File"
            label=|| view! { <span aria-hidden="true">"⋯"</span> }
        >
            <button type="button" class="menu-item" on:click=move |_| shell.open(Dialog::Mapping(id))>
                {icon(icon::COLUMNS)} "Columns and units…"
            </button>
            <button type="button" class="menu-item" on:click=move |_| removed(move || loader.remove_file(id))>
                {icon(icon::CROSS)} "Remove from the page"
            </button>
        </Menu>
    }
}

/// Number of rows used, and size of the file.
fn counted(source: &Source) -> AnyView {
    let (used, read) = (source.rows_used, source.rows_read);
    let rows = match used == read {
        true if used == 1 => " row".to_owned(),
        true => " rows".to_owned(),
        false => format!(" of {} used", plural(read, "row")),
    };
    let (used, rows) = match source.points.len() as u64 {
        0 => (used, rows),
        points => (points, " points without sizes".to_owned()),
    };
    view! {
        <p class="file-card-line">
            <strong>{grouped(used)}</strong> {rows} ", " {Bytes(source.bytes as f64).to_string()}
        </p>
    }
    .into_any()
}

/// Whether the file's own rates agree with its shapes and times.
fn agrees(source: &Source) -> Option<AnyView> {
    let checked = source.reported_rate;
    let all = checked.compared == checked.within_1_percent;
    let words = match all {
        true => format!("Reported FLOP/s agree ({})", grouped(checked.compared)),
        false => format!(
            "{} of {} reported rates differ from work / time",
            grouped(checked.compared - checked.within_1_percent),
            grouped(checked.compared)
        ),
    };
    (checked.compared > 0).then(|| {
        view! {
            <p class="file-card-line" class:good=all class:bad-text=!all
                title="The file's own rates against work over time, recomputed from shape and time; within 1 %.">
                {words}
            </p>
        }
        .into_any()
    })
}

/// The card of a context file: what it adds to a table.
fn context_card(bench: Workbench, loader: Loader, context: TraceContext) -> AnyView {
    let path = context.files.first().cloned().unwrap_or_default();
    let joined = {
        let path = path.clone();
        move || {
            bench.data.with(|d| {
                let holds = |s: &&Source| s.trace.as_ref().is_some_and(|t| t.files.contains(&path));
                match d.sources.iter().find(holds) {
                    Some(s) => format!("Joined with {}", base_name(&s.name)),
                    None => "Waits for the table of its report (gemm_ops.csv, GEMM.csv)".to_owned(),
                }
            })
        }
    };
    let brings = context.brings().join(", ");
    view! {
        <article class="file-card" aria-label=path.clone()>
            <header class="file-card-head">
                {icon(icon::LINK)}
                <h3 title=path.clone()>{base_name(&path).to_owned()}</h3>
                {icon_button(icon::CROSS, "Remove from the page", move || removed(|| loader.remove_context(&context)))}
            </header>
            <p class="file-card-line">{brings}</p>
            <p class="file-card-line">{joined}</p>
        </article>
    }
    .into_any()
}

/// Removes a card. The focus moves to the card in its place, or to the page after the last one.
fn removed(remove: impl FnOnce()) {
    const BUTTONS: &str = ".file-card-head button";
    let at = dom::focused_index(".file-card");
    remove();
    request_animation_frame(move || {
        if !dom::focus_nth(BUTTONS, at) {
            dom::focus("#main");
        }
    });
}

fn rejected(source: &Source, total: u64, save: impl Fn() + 'static) -> AnyView {
    let reasons = source
        .rejected
        .reasons
        .iter()
        .map(|r| {
            let lines: Vec<String> = r.first_lines.iter().map(ToString::to_string).collect();
            let more = if r.count > r.first_lines.len() as u64 { " …" } else { "" };
            let example =
                r.example.as_ref().map(|(column, text)| format!("column {column}: “{text}”"));
            view! {
                <li>
                    <strong>{grouped(r.count)}</strong> " " {r.text.clone()}
                    <span class="muted">" line " {lines.join(", ")} {more}</span>
                    {example.map(|e| view! { <span class="muted">{e}</span> })}
                </li>
            }
        })
        .collect_view();
    view! {
        <details class="file-card-more aside">
            <summary>{grouped(total)} {if total == 1 { " row" } else { " rows" }} " skipped"</summary>
            <ul>{reasons}</ul>
            <button type="button" class="button small" on:click=move |_| save()>
                {icon(icon::SAVE)} "Rows with reasons"
            </button>
        </details>
    }
    .into_any()
}

/// Number of assumptions shown on a card; the others are folded.
const ASSUMED: usize = 4;

/// The device of a file that names none: the reader's guess, or the user's choice for all files.
fn device_assumption(
    a: &Assumption,
    change: impl Fn(String) + Clone + Send + Sync + 'static,
) -> AnyView {
    let bench = Workbench::here();
    let a = a.clone();
    let body = move || {
        let own = bench.custom.get();
        let chosen = bench.view.with(|v| v.devices.default.clone());
        let device = chosen
            .filter(|_| !a.by_hand)
            .and_then(|id| known(&own).into_iter().find(|d| d.id == id));
        let chosen = a.by_hand || device.is_some();
        let (text, value) = match device {
            Some(d) => ("You chose the device".to_owned(), d.name),
            None => (a.text.clone(), a.value.clone()),
        };
        let listed = known(&own).into_iter().find(|d| d.name == value).map(|d| d.id);
        let shown = if value.is_empty() { "Choose".to_owned() } else { short_name(&value) };
        let change = change.clone();
        let listed: Vec<String> = listed.into_iter().collect();
        let control = view! {
            <DeviceMenu
                name=format!("{text}: {shown}")
                label=move || shown.clone()
                chosen=listed
                taken=move |d: Device| change(d.name)
            />
        };
        view! { <div class="assumption" class:chosen=chosen><span>{text}</span>{control}</div> }
    };
    body.into_any()
}

/// What a reader assumed, with the choice of something else.
pub fn assumption(
    a: &Assumption,
    change: impl Fn(String) + Clone + Send + Sync + 'static,
) -> AnyView {
    let text = a.text.clone();
    if a.key == "device" {
        return device_assumption(a, change);
    }
    let control = if a.choices.is_empty() {
        let value = a.value.clone();
        view! { <input type="text" class="small-input" prop:value=value on:change=move |e| change(value_of(&e)) aria-label=text.clone() /> }
            .into_any()
    } else {
        let mut choices = a.choices.clone();
        if !choices.contains(&a.value) {
            choices.insert(0, a.value.clone());
        }
        let choices = choices.into_iter().map(Choice::plain).collect();
        select((Some(text), None), choices, Signal::stored(a.value.clone()), Box::new(change))
    };
    view! { <div class="assumption"><span>{a.text.clone()}</span>{control}</div> }.into_any()
}
