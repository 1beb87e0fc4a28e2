//! The columns of a file and their meanings, over its first rows, with a preview of how these are read. A choice can be
//! remembered for files with the same header.

use crate::app::load::Loader;
use crate::app::load::job::{columns_key, head};
use crate::app::sidebar::files::assumption;
use crate::app::state::{Shell, Workbench};
use crate::app::ui::{Modal, value_of};
use crate::web::file::Input;
use crate::web::reading;
use crate::web::{dom, storage};
use gemmscope_import::{
    Head, ImportOptions, Imported, MappedColumn, Mapping, header_fingerprint, inspect,
};
use gemmscope_model::units::{Seconds, grouped};
use gemmscope_table::dataset::{Assumption, ColumnGroup, ColumnMeaning, ColumnSpec, Dataset};
use gemmscope_table::field::shape_label;
use leptos::prelude::*;
use std::str::FromStr;
use std::sync::Arc;

/// Number of rows in the preview.
const PREVIEW: usize = 5;

/// The dialog, for a loaded or a failed file.
#[component]
pub fn MappingForm(id: u32) -> impl IntoView {
    let shell = Shell::here();
    let bench = Workbench::here();
    let loader = Loader::here();
    let input = loader.input(id);
    let name = input.as_ref().map_or_else(String::new, |i| i.name.clone());
    let first = bench
        .files
        .with_untracked(|f| f.iter().find(|f| f.id == id).map(|f| f.options.clone()))
        .unwrap_or_default();
    let options = RwSignal::new(first);
    // Columns whose meaning is only a suggestion.
    let suggested = RwSignal::new(Vec::new());
    let beginning = RwSignal::new(None::<Arc<Beginning>>);
    if let Some(input) = input {
        leptos::task::spawn_local(async move {
            let begins = Beginning::of(input).await;
            suggest(&begins, options, suggested);
            beginning.try_set(Some(Arc::new(begins)));
        });
    }
    // The plan resulting from the current choices, with what is still missing.
    let plan = Memo::new(move |_| {
        let options = options.get();
        beginning.with(|b| b.as_ref().and_then(|b| inspect(&b.head, &options)))
    });
    // Rows and headers stay the same elements while meanings change, so that the focus stays.
    let sheet = Memo::new(move |_| plan.with(|plan| plan.as_ref().map(Sheet::of)));
    let choice = Choice { plan, options, suggested };
    let read_so_far = Memo::new(move |_| {
        let options = options.get();
        let ready = plan.with(|p| p.as_ref().is_some_and(Mapping::can_be_read));
        match beginning.get().filter(|_| ready) {
            Some(begins) => read_beginning(&begins, options),
            None => Preview::Waits,
        }
    });
    let why_not = Memo::new(move |_| match plan.get() {
        Some(plan) if !plan.can_be_read() => Some(format!("Missing: {}.", plan.missing.join(", "))),
        Some(_) => None,
        None => Some(String::new()),
    });
    let remember = RwSignal::new(true);
    let read = move |_| {
        let options = options.get_untracked();
        if remember.get_untracked()
            && let Some(header) =
                beginning.with_untracked(|b| b.as_ref().and_then(|b| header_fingerprint(&b.head)))
            && let Ok(json) = serde_json::to_string(&options)
        {
            storage::set(&columns_key(&header), Some(&json));
        }
        shell.close();
        loader.import_again(id, options);
    };
    let title = format!("Columns of {name}");
    view! {
        <Modal title=title wide=true>
            {move || match sheet.get() {
                Some(sheet) => view! {
                    {required(choice)}
                    {columns(sheet, choice)}
                    {facts(choice, read_so_far)}
                    {preview(read_so_far)}
                }.into_any(),
                None if beginning.with(Option::is_some) => {
                    view! { <p>"No table at the start of this file, so there are no columns to assign."</p> }.into_any()
                }
                None => view! { <p class="muted">"Reading the header…"</p> }.into_any(),
            }}
            <div class="mapping-foot">
                <label class="check">
                    <input type="checkbox" prop:checked=move || remember.get() on:change=move |_| remember.update(|r| *r = !*r) />
                    "Remember for files with this header"
                </label>
            </div>
            <div class="dialog-actions">
                <p class="missing" id="mapping-missing" role="status">{move || why_not.get()}</p>
                <button type="button" class="button" on:click=move |_| shell.close()>"Cancel"</button>
                <button type="button" class="button primary" aria-describedby="mapping-missing"
                    disabled=move || why_not.with(Option::is_some) on:click=read>
                    "Read the file"
                </button>
            </div>
        </Modal>
    }
}

/// The start of the file.
struct Beginning {
    name: String,
    head: Head,
    bytes: Vec<u8>,
    /// True if it is the whole file.
    whole: bool,
}

impl Beginning {
    async fn of(input: Input) -> Beginning {
        let (bytes, whole) = head(&input).await;
        Beginning { head: Head::from_bytes(&input.name, &bytes), whole, name: input.name, bytes }
    }
}

/// Applies the meanings suggested by the values of columns.
fn suggest(begins: &Beginning, options: RwSignal<ImportOptions>, suggested: RwSignal<Vec<String>>) {
    let columns = inspect(&begins.head, &options.get_untracked()).map(|plan| plan.columns);
    for column in columns.into_iter().flatten() {
        if let Some(spec) = column.suggestion {
            suggested.update(|s| s.push(column.header.clone()));
            options.update(|o| drop(o.columns.insert(column.header, spec.to_string())));
        }
    }
}

/// The current choices.
#[derive(Clone, Copy)]
struct Choice {
    plan: Memo<Option<Mapping>>,
    options: RwSignal<ImportOptions>,
    suggested: RwSignal<Vec<String>>,
}

impl Choice {
    /// Meaning of a column, and the source of that meaning.
    fn of(self, column: usize) -> Option<(ColumnSpec, String)> {
        self.plan.with(|plan| {
            let column = plan.as_ref()?.columns.get(column)?;
            let guessed = self.suggested.with(|s| s.contains(&column.header));
            let why = match guessed {
                true => "a guess from its values".to_owned(),
                false => column.why.clone(),
            };
            Some((column.guess, why))
        })
    }

    fn answer(self, key: &str, value: String) {
        self.options.update(|o| match value.trim().is_empty() {
            true => drop(o.answers.remove(key)),
            false => drop(o.answers.insert(key.to_owned(), value)),
        });
    }

    fn set(self, header: &str, spec: &str) {
        if ColumnSpec::from_str(spec).is_ok() {
            self.suggested.update(|s| s.retain(|guessed| guessed != header));
            self.options.update(|o| drop(o.columns.insert(header.to_owned(), spec.to_owned())));
        }
    }
}

/// The part of a mapping that does not depend on the meanings of columns.
#[derive(Clone, PartialEq)]
struct Sheet {
    headers: Vec<String>,
    rows: Vec<Vec<String>>,
    header_line: u32,
}

impl Sheet {
    fn of(plan: &Mapping) -> Sheet {
        let headers = plan.columns.iter().map(|c| c.header.clone()).collect();
        Sheet { headers, rows: plan.rows.clone(), header_line: plan.header_line }
    }
}

/// The required values, each with its column.
fn required(choice: Choice) -> AnyView {
    let item = |(name, found): (&'static str, Option<String>)| {
        let is_missing = found.is_none();
        let words = found.unwrap_or_else(|| "missing".to_owned());
        view! { <li class:is-missing=is_missing><strong>{name}</strong> " " {words}</li> }
            .into_any()
    };
    view! {
        <ul class="mapping-required" aria-label="Required">
            {move || choice.plan.with(|plan| {
                let typed = choice.options.with(ImportOptions::sizes);
                let typed = typed.into_iter().chain([None]).map(|size| Some(size?.to_string()));
                let needs = plan.iter().flat_map(|p| p.required()).zip(typed);
                let from = |((name, column), typed): ((&'static str, Option<&MappedColumn>), _)| {
                    (name, column.map(|c| format!("from {}", c.header)).or(typed))
                };
                needs.map(from).map(item).collect_view()
            })}
        </ul>
    }
    .into_any()
}

/// The columns of the file: name, meaning, first rows.
fn columns(sheet: Sheet, choice: Choice) -> AnyView {
    let groups = Arc::new(ColumnSpec::grouped());
    // The first column without a meaning is the likely reason for opening the dialog.
    request_animation_frame(|| dom::focus(".mapping-table [data-open]"));
    let head = |(i, header): (usize, &String)| {
        let (header, groups) = (header.clone(), groups.clone());
        let current = Memo::new(move |_| choice.of(i));
        let used = move || current.with(|c| c.as_ref().is_some_and(|(spec, _)| is_used(*spec)));
        let why = move || current.get().map(|(_, why)| why);
        let named = header.clone();
        let open = !current.get_untracked().is_some_and(|(spec, _)| is_used(spec));
        let select = move || {
            let (header, groups) = (header.clone(), groups.clone());
            view! {
                <select
                    data-open=open.then_some("")
                    aria-label=format!("{header} holds")
                    prop:value=move || current.get().map(|(spec, _)| spec.to_string())
                    on:change=move |e| choice.set(&header, &value_of(&e))
                >
                    {options(&groups, current.get_untracked().map(|c| c.0))}
                </select>
            }
        };
        view! {
            <th scope="col" class:is-used=used>
                <span class="mapping-name">{named}</span>
                {select()}
                <span class="muted why">{why}</span>
            </th>
        }
        .into_any()
    };
    let heads = sheet.headers.iter().enumerate().map(head).collect_view();
    let width = sheet.headers.len();
    let row = |cells: &Vec<String>| {
        let cell = |i: usize| {
            let text = cells.get(i).cloned().unwrap_or_default();
            let current = Memo::new(move |_| choice.of(i).is_some_and(|(spec, _)| is_used(spec)));
            view! { <td class:is-used=move || current.get()>{text}</td> }.into_any()
        };
        view! { <tr>{(0..width).map(cell).collect_view()}</tr> }.into_any()
    };
    let rows = sheet.rows.iter().map(row).collect_view();
    view! {
        <p class="muted">
            {match sheet.header_line {
                0 => "No header: columns are named by position.".to_owned(),
                line => format!("Header on line {line}. Say what each column holds, with its unit."),
            }}
        </p>
        <div class="mapping-scroll" tabindex="0" role="region" aria-label="Columns and their first rows">
            <table class="mapping-table">
                <thead><tr>{heads}</tr></thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
    }
    .into_any()
}

/// True if a column is used in a row, rather than kept as text.
fn is_used(spec: ColumnSpec) -> bool {
    !matches!(spec.meaning, ColumnMeaning::Ignore | ColumnMeaning::Other)
}

/// The meanings by group. A guess without a unit is a separate choice.
fn options(groups: &[(ColumnGroup, Vec<ColumnSpec>)], guess: Option<ColumnSpec>) -> AnyView {
    let listed = |g: &ColumnSpec| groups.iter().any(|(_, specs)| specs.contains(g));
    let option = |spec: ColumnSpec| {
        let chosen = guess == Some(spec);
        view! { <option value=spec.to_string() selected=chosen>{spec.label()}</option> }.into_any()
    };
    let extra = guess.filter(|g| !listed(g)).map(option);
    let groups = groups.iter().map(|(group, specs)| {
        view! {
            <optgroup label=group.label()>
                {specs.iter().copied().map(option).collect_view()}
            </optgroup>
        }
        .into_any()
    });
    (extra, groups.collect_view()).into_any()
}

/// What holds for all rows: sizes that no column holds, how many calls a time is of, and whatever the reader assumes of
/// these rows. `--answer` says the same in the command.
fn facts(choice: Choice, read: Memo<Preview>) -> AnyView {
    let stated = move || choice.options.with(ImportOptions::sizes);
    let size = move |(at, name): (usize, &'static str)| {
        let held = Memo::new(move |_| {
            choice.plan.with(|plan| plan.as_ref().is_some_and(|p| p.required()[at].1.is_some()))
        });
        let typed = move |e: web_sys::Event| {
            let mut sizes = choice.options.with_untracked(ImportOptions::sizes);
            sizes[at] = value_of(&e).trim().parse().ok().filter(|size| *size > 0);
            let all = ["M", "N", "K"].into_iter().zip(sizes);
            let all: Vec<String> =
                all.filter_map(|(name, size)| Some(format!("{name}: {}", size?))).collect();
            choice.answer(ImportOptions::SIZES, all.join(", "));
        };
        let now = move || stated()[at].map_or_else(String::new, |v| v.to_string());
        view! {
            <label class="field" hidden=move || held.get()>
                <span>{name}</span>
                <input type="text" inputmode="numeric" class="small-input" prop:value=now on:change=typed />
            </label>
        }
        .into_any()
    };
    let calls = move || {
        choice.options.with(|o| o.answer(ImportOptions::CALLS).unwrap_or_default().to_owned())
    };
    // Their fields stay while rows come anew with the same questions.
    let assumed = Memo::new(move |_| {
        read.with(|read| match read {
            Preview::Rows { assumed, .. } => assumed.clone(),
            Preview::Waits | Preview::Fails(_) => Vec::new(),
        })
    });
    let field = move |a: Assumption| {
        let key = a.key.clone();
        assumption(&a, move |value| choice.answer(&key, value))
    };
    view! {
        <fieldset class="mapping-facts">
            <legend>"For all rows"</legend>
            {["M", "N", "K"].into_iter().enumerate().map(size).collect_view()}
            <label class="field">
                <span>"Calls that each time is of"</span>
                <input type="text" inputmode="numeric" class="small-input" placeholder="1" prop:value=calls
                    on:change=move |e| choice.answer(ImportOptions::CALLS, value_of(&e)) />
            </label>
            {move || assumed.get().into_iter().map(field).collect_view()}
        </fieldset>
    }
    .into_any()
}

/// The first rows, read with the current choices.
#[derive(Clone, PartialEq)]
enum Preview {
    /// Something is missing.
    Waits,
    /// They were read.
    Rows {
        first: Vec<[String; 4]>,
        /// How many rows of the beginning are skipped and why.
        skipped: Option<String>,
        /// What the reader assumed, but for what has a field of its own.
        assumed: Vec<Assumption>,
    },
    /// The beginning cannot be read.
    Fails(String),
}

fn preview(shown: Memo<Preview>) -> AnyView {
    let head = |name| view! { <th scope="col">{name}</th> }.into_any();
    let row = |cells: [String; 4]| {
        let cells = cells.map(|c| view! { <td>{c}</td> }.into_any());
        view! { <tr>{cells.collect_view()}</tr> }.into_any()
    };
    let content = move || {
        match shown.get() {
        Preview::Waits => {
            view! { <p class="muted">"Shows here once nothing is missing."</p> }.into_any()
        }
        Preview::Fails(why) => view! { <p class="missing">{why}</p> }.into_any(),
        Preview::Rows { first: rows, skipped, .. } => view! {
            <table class="mapping-table">
                <thead><tr>{["GEMM", "Type", "Time", "Device"].map(head).collect_view()}</tr></thead>
                <tbody>{rows.into_iter().map(row).collect_view()}</tbody>
            </table>
            {skipped.map(|why| view! { <p class="missing">{why}</p> })}
        }
        .into_any(),
    }
    };
    view! {
        <section class="mapping-preview" aria-label="As read" aria-live="polite">
            <h3>"As read"</h3>
            {content}
        </section>
    }
    .into_any()
}

/// Reads the start of a file in the same way as the whole file.
fn read_beginning(begins: &Beginning, options: ImportOptions) -> Preview {
    let fails = |why: String| match begins.whole {
        true => Preview::Fails(why),
        // The cut may be the reason.
        false => Preview::Rows { first: Vec::new(), skipped: None, assumed: Vec::new() },
    };
    let size = begins.bytes.len() as u64;
    let mut session = reading::session(&begins.name, size, options);
    let end = match begins.whole {
        true => begins.bytes.len(),
        // The last line may be cut off.
        false => begins.bytes.iter().rposition(|b| *b == b'\n').map_or(0, |i| i + 1),
    };
    let read = session.feed(&begins.bytes[..end]);
    match read.and_then(|()| session.end()?.whole()) {
        Ok(Imported::Table(data)) => Preview::Rows {
            first: first_rows(&data),
            skipped: skipped(&data),
            assumed: assumed(&data),
        },
        Ok(_) => fails("Not a table of GEMMs.".to_owned()),
        Err(error) => fails(error.to_string()),
    }
}

fn assumed(data: &Dataset) -> Vec<Assumption> {
    let own = [ImportOptions::SIZES, ImportOptions::CALLS];
    let all = data.sources.iter().flat_map(|s| &s.assumptions);
    all.filter(|a| !own.contains(&a.key.as_str())).cloned().collect()
}

fn first_rows(data: &Dataset) -> Vec<[String; 4]> {
    let row = |i: usize| {
        let op = data.problem(i).op;
        let time = data.time_s[i];
        [
            format!("{} {}", shape_label(&data.problem(i)), op.layout()),
            op.a.name().to_owned(),
            match time.is_finite() {
                true => Seconds(time).to_string(),
                false => "not stated".to_owned(),
            },
            match data.devices[usize::from(data.device[i])].as_str() {
                "" => "not stated".to_owned(),
                name => name.to_owned(),
            },
        ]
    };
    (0..data.len().min(PREVIEW)).map(row).collect()
}

/// Number of skipped rows, with the most common reason.
fn skipped(data: &Dataset) -> Option<String> {
    let source = data.sources.first()?;
    let reason = source.rejected.reasons.iter().max_by_key(|r| r.count)?;
    Some(format!(
        "{} of the first {} rows skipped: {}.",
        grouped(source.rejected.total()),
        grouped(source.rows_read),
        reason.text
    ))
}
