//! The columns of a file and what each holds. A choice can be remembered for files with the same
//! header.

use crate::app::load::{Loader, columns_key, head};
use crate::app::state::{Shell, Workbench};
use crate::app::ui::{Modal, value_of};
use crate::web::storage;
use gemmscope_import::{Head, ImportOptions, Mapping as Plan, header_fingerprint, inspect};
use gemmscope_model::dtype::DataType;
use gemmscope_table::dataset::ColumnSpec;
use leptos::prelude::*;
use std::str::FromStr;

/// The dialog, for a loaded or a refused file.
#[component]
pub fn Mapping(id: u32) -> impl IntoView {
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
    let beginning = RwSignal::new(None::<Head>);
    if let Some(input) = input {
        leptos::task::spawn_local(async move {
            let bytes = head(&input).await;
            beginning.try_set(Some(Head::from_bytes(&input.name, &bytes)));
        });
    }
    // What the choices so far give; shows at once what is still missing.
    let plan = Memo::new(move |_| {
        let options = options.get();
        beginning.with(|h| h.as_ref().and_then(|h| inspect(h, &options)))
    });
    let remember = RwSignal::new(true);
    let read = move |_| {
        let options = options.get_untracked();
        if remember.get_untracked()
            && let Some(header) =
                beginning.with_untracked(|h| h.as_ref().and_then(header_fingerprint))
            && let Ok(json) = serde_json::to_string(&options)
        {
            storage::set(&columns_key(&header), Some(&json));
        }
        shell.close();
        loader.import_again(id, options);
    };
    let title = format!("Columns of {name}");
    view! {
        <Modal title=Signal::derive(move || title.clone()) wide=true on_close=move || shell.close()>
            {move || match plan.get() {
                Some(plan) => table(plan, options).into_any(),
                None if beginning.with(Option::is_some) => {
                    view! { <p>"The beginning of this file is no table: there are no columns to assign."</p> }.into_any()
                }
                None => view! { <p class="muted">"Reading the header…"</p> }.into_any(),
            }}
            <div class="mapping-foot">
                <label class="field">
                    <span>"Data type where no column says it"</span>
                    <select
                        on:change=move |e| {
                            let value = value_of(&e);
                            options.update(|o| {
                                if value.is_empty() {
                                    o.answers.remove("dtype");
                                } else {
                                    o.answers.insert("dtype".to_owned(), value);
                                }
                            });
                        }
                    >
                        <option value="">"as assumed"</option>
                        {DataType::ALL
                            .into_iter()
                            .map(|d| {
                                let chosen = options.with_untracked(|o| o.answer("dtype") == Some(d.id()));
                                view! { <option value=d.id() selected=chosen>{d.name()}</option> }
                            })
                            .collect_view()}
                    </select>
                </label>
                <label class="check">
                    <input type="checkbox" prop:checked=move || remember.get() on:change=move |_| remember.update(|r| *r = !*r) />
                    "Remember for files with this header"
                </label>
            </div>
            <p class="missing" role="status">
                {move || plan.with(|p| p.as_ref().filter(|p| !p.missing.is_empty()).map(|p| format!("Still missing: {}.", p.missing.join(", "))))}
            </p>
            <div class="dialog-actions">
                <button type="button" class="button" on:click=move |_| shell.close()>"Cancel"</button>
                <button type="button" class="button primary" on:click=read>"Read the file"</button>
            </div>
        </Modal>
    }
}

fn table(plan: Plan, options: RwSignal<ImportOptions>) -> impl IntoView {
    let targets = ColumnSpec::all();
    view! {
        <p class="muted">
            {match plan.header_line {
                0 => "The file has no header; columns are named by position.".to_owned(),
                line => format!("The header is on line {line}. Change what a column holds, with its unit."),
            }}
        </p>
        <div class="mapping-scroll">
            <table class="mapping-table">
                <thead>
                    <tr><th scope="col">"Column"</th><th scope="col">"First values"</th><th scope="col">"Holds"</th></tr>
                </thead>
                <tbody>
                    {plan
                        .columns
                        .into_iter()
                        .map(|column| {
                            let header = column.header.clone();
                            let guess = column.guess;
                            let mut choices = targets.clone();
                            if !choices.contains(&guess) {
                                choices.insert(0, guess);
                            }
                            view! {
                                <tr>
                                    <th scope="row">{column.header.clone()}</th>
                                    <td class="samples-cell">{column.samples.join(" · ")}</td>
                                    <td>
                                        <select
                                            aria-label=format!("{} holds", column.header)
                                            title=column.why.clone()
                                            on:change=move |e| {
                                                let value = value_of(&e);
                                                if ColumnSpec::from_str(&value).is_ok() {
                                                    options.update(|o| { o.columns.insert(header.clone(), value); });
                                                }
                                            }
                                        >
                                            {choices
                                                .into_iter()
                                                .map(|t| view! { <option value=t.to_string() selected=t == guess>{t.label()}</option> })
                                                .collect_view()}
                                        </select>
                                        <span class="muted why">{column.why.clone()}</span>
                                    </td>
                                </tr>
                            }
                        })
                        .collect_view()}
                </tbody>
            </table>
        </div>
    }
}
