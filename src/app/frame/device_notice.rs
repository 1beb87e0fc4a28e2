//! Questions about the device: no device, one of several, or perhaps the wrong one.

use crate::app::state::{Dialog, Shell, Workbench};
use crate::app::ui::{icon, value_of};
use gemmscope_model::hardware::{RoofKind, known, match_name, short_name};
use gemmscope_model::units::percent;
use leptos::prelude::*;

/// Above this share of the measured rows above their roof the device is in doubt.
const IN_DOUBT: f64 = 0.2;
/// More candidates than this are a list, not buttons.
const BUTTONS: usize = 4;

/// What is asked.
#[derive(Clone, PartialEq)]
enum Question {
    /// Rows whose file names no device.
    Unnamed,
    /// A name in a file, and the devices that it can mean, as id and name; empty where the
    /// catalogue has none.
    Named(String, Vec<(String, String)>),
    /// Many rows above the roof of this device.
    Doubt(String, f64),
    /// Many rows above its achievable roof.
    TooLow(String, f64),
}

/// The notice; nothing where no question is open.
#[component]
pub fn DeviceNotice() -> impl IntoView {
    let shell = Shell::here();
    let bench = Workbench::here();
    let question = Memo::new(move |_| open_question(bench));
    let words = move || {
        question.get().map(|q| match q {
            Question::Unnamed if bench.data.with(|d| d.devices.iter().any(|d| !d.is_empty())) => {
                "Some rows have no device. Choose it to see their efficiency:".to_owned()
            }
            Question::Unnamed => {
                "No file names its device. Choose it to see efficiency:".to_owned()
            }
            Question::Named(name, fit) if fit.is_empty() => {
                format!("\u{201c}{name}\u{201d} is not in the catalogue. Which device is it?")
            }
            Question::Named(name, _) => format!("\u{201c}{name}\u{201d} is one of:"),
            Question::Doubt(name, share) => format!(
                "Is this really {name}? {} of the measured rows are above its roof.",
                percent(share)
            ),
            Question::TooLow(name, share) => format!(
                "{} of the measured rows beat the achievable roof of {name}: it is too low for these runs.",
                percent(share)
            ),
        })
    };
    let answer = move || {
        let other = |name: Option<String>| {
            view! {
                <button type="button" class="button small" on:click=move |_| shell.open(Dialog::Devices(name.clone()))>"Devices…"</button>
            }
            .into_any()
        };
        question.get().map(|q| match q {
            Question::Unnamed => unnamed(bench),
            Question::Named(name, fit) => {
                let buttons: Vec<AnyView> = fit
                    .into_iter()
                    .map(|(id, label)| {
                        let name = name.clone();
                        let choose = move |_| {
                            bench.set_devices(|d| drop(d.overrides.insert(name.clone(), id.clone())));
                        };
                        view! { <button type="button" class="button small" on:click=choose>{label}</button> }.into_any()
                    })
                    .collect();
                view! { {buttons} {other(Some(name))} }.into_any()
            }
            Question::Doubt(..) => other(None),
            Question::TooLow(..) => view! {
                <button type="button" class="button small" on:click=move |_| bench.set_roof(RoofKind::Datasheet)>"Use the datasheet roof"</button>
            }
            .into_any(),
        })
    };
    let shown = Memo::new(move |_| question.with(Option::is_some));
    view! {
        <Show when=move || shown.get()>
            <div class="notice ask" role="note">
                {icon(icon::CHIP)}
                <p>{words}</p>
                {answer}
            </div>
        </Show>
    }
}

fn unnamed(bench: Workbench) -> AnyView {
    view! {
        <select aria-label="Device of these files" on:change=move |e| {
            let id = value_of(&e);
            bench.set_devices(|d| d.default = (!id.is_empty()).then_some(id));
        }>
            <option value="">"Device"</option>
            {move || bench.custom.with(|own| known(own))
                .into_iter()
                .map(|d| view! { <option value=d.id>{short_name(&d.name)}</option> })
                .collect_view()}
        </select>
    }
    .into_any()
}

fn open_question(bench: Workbench) -> Option<Question> {
    let data = bench.data.get();
    if data.is_empty() {
        return None;
    }
    // All rows are looked through only where a device is unknown.
    let unknown = bench.devices_in_use.with(|d| d.contains(&None)).then(|| {
        let (used, metrics) = (data.devices_used(), bench.metrics.get());
        (0..used.len()).find(|&i| used[i] && metrics.devices[i].is_none())
    });
    if let Some(i) = unknown.flatten() {
        if i == 0 {
            return Some(Question::Unnamed);
        }
        let name = data.devices[i].clone();
        let mut fit: Vec<(String, String)> = match_name(&name)
            .candidates()
            .into_iter()
            .map(|d| (d.id.clone(), short_name(&d.name)))
            .collect();
        if fit.len() > BUTTONS {
            fit.clear();
        }
        return Some(Question::Named(name, fit));
    }
    let (above, measured) = bench.totals.with(|all| {
        let sum = |f: fn(&gemmscope_table::metrics::Totals) -> u64| {
            all.iter().map(|t| f(&t.1)).sum::<u64>()
        };
        (sum(|t| t.above_roof), sum(|t| t.measured))
    });
    let share = above as f64 / measured as f64;
    let name = bench
        .devices_in_use
        .with(|d| d.first().cloned().flatten())?;
    let name = short_name(&name);
    let kind = bench.view.with(|v| v.roof);
    (share > IN_DOUBT).then_some(match kind {
        RoofKind::Datasheet => Question::Doubt(name, share),
        RoofKind::Achievable => Question::TooLow(name, share),
    })
}
