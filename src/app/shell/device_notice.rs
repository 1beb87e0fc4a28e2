//! Questions about the device: none, one of several, or perhaps the wrong one.

use crate::app::state::{Dialog, Shell, Workbench};
use crate::app::ui::{DeviceMenu, icon};
use gemmscope_model::hardware::{Device, match_name, short_name};
use gemmscope_model::tiling::kernel_name::runs_on;
use gemmscope_model::units::percent;
use gemmscope_table::kernel_target::{devices_for, kernel_targets};
use leptos::prelude::*;

/// The device is in doubt if more than this share of the measured rows is above the roof.
const IN_DOUBT: f64 = 0.2;
/// At most as many candidates are buttons, the likeliest first; the dialog has the others.
const BUTTONS: usize = 4;

/// A question and its possible answers.
#[derive(Clone, PartialEq)]
struct Question {
    words: String,
    answer: Answer,
}

#[derive(Clone, PartialEq)]
enum Answer {
    /// Choose one of these devices (id and name) for rows whose file states this name; any device if the list is empty.
    Device(String, Vec<(String, String)>),
    /// Open the dialog of all devices.
    Dialog,
}

/// The notice; empty if no question is open.
#[component]
pub fn DeviceNotice() -> impl IntoView {
    let shell = Shell::here();
    let bench = Workbench::here();
    let targets = Memo::new(move |_| bench.data.with(|data| kernel_targets(data)));
    let question = Memo::new(move |_| open_question(bench, targets));
    let answer = move || {
        let other = |name: Option<String>| {
            view! {
                <button type="button" class="button small" on:click=move |_| shell.open(Dialog::Devices(name.clone()))>"Devices…"</button>
            }
            .into_any()
        };
        question.get().map(|q| match q.answer {
            Answer::Device(name, fit) if name.is_empty() && fit.is_empty() => any_device(bench),
            Answer::Device(name, fit) => {
                let buttons: Vec<AnyView> = fit
                    .into_iter()
                    .map(|(id, label)| {
                        let name = name.clone();
                        let choose = move |_| bench.choose_device(&name, Some(id.clone()));
                        view! { <button type="button" class="button small" on:click=choose>{label}</button> }.into_any()
                    })
                    .collect();
                let name = (!name.is_empty()).then_some(name);
                view! { {buttons} {other(name)} }.into_any()
            }
            Answer::Dialog => other(None),
        })
    };
    let shown = Memo::new(move |_| question.with(Option::is_some));
    view! {
        <Show when=move || shown.get()>
            <div class="notice ask" role="note">
                {icon(icon::CHIP)}
                <p>{move || question.get().map(|q| q.words)}</p>
                {answer}
            </div>
        </Show>
    }
}

/// A list of all devices, for rows whose file states none.
fn any_device(bench: Workbench) -> AnyView {
    view! {
        <DeviceMenu
            name="Device of these files"
            label=move || "Device"
            chosen=Vec::new()
            taken=move |d: Device| bench.choose_device("", Some(d.id))
        />
    }
    .into_any()
}

/// Devices as buttons: id and name.
fn buttons(fit: Vec<&Device>) -> Vec<(String, String)> {
    fit.into_iter().take(BUTTONS).map(|d| (d.id.clone(), short_name(&d.name))).collect()
}

fn open_question(bench: Workbench, targets: Memo<Vec<Option<String>>>) -> Option<Question> {
    let data = bench.data.get();
    if data.is_blank() {
        return None;
    }
    let asks = |words: String, answer: Answer| Some(Question { words, answer });
    let (targets, metrics) = (targets.get(), bench.metrics.get());
    // All rows are scanned only if a device is unknown.
    let unknown = bench.devices_in_use.with(|d| d.contains(&None)).then(|| {
        let used = (0..).zip(data.devices_used()).filter(|(_, used)| *used);
        used.map(|(i, _)| i).filter(|i: &usize| metrics.devices[*i].is_none()).collect::<Vec<_>>()
    });
    if let Some((unknown, i)) = unknown.and_then(|all| Some((all.len(), *all.first()?))) {
        let name = data.devices[i].clone();
        let target = targets.get(i).cloned().flatten();
        let fit = buttons(match (&target, i) {
            (Some(target), 0) => devices_for(target),
            (None, 0) => Vec::new(),
            _ => match_name(&name).candidates(),
        });
        let words = match (i, target) {
            (0, Some(target)) if !fit.is_empty() => {
                format!(
                    "No file names its device. The kernels were built for {target}, so it is one of:"
                )
            }
            (0, _) if data.devices.iter().any(|d| !d.is_empty()) => {
                "Some rows have no device. Choose it to see their efficiency:".to_owned()
            }
            (0, _) => "No file names its device. Choose it to see efficiency:".to_owned(),
            _ if fit.is_empty() => {
                format!("\u{201c}{name}\u{201d} is not in the catalogue. Which device is it?")
            }
            _ => format!("\u{201c}{name}\u{201d} is one of:"),
        };
        let words = match unknown {
            1 => words,
            n => format!("Device 1 of {n}: {words}"),
        };
        return asks(words, Answer::Device(name, fit));
    }
    let foreign = targets.iter().zip(&metrics.devices).position(|(target, device)| {
        let runs = |t: &String| device.as_ref().is_none_or(|d| runs_on(t, &d.arch_token));
        !target.as_ref().is_none_or(runs)
    });
    if let Some(i) = foreign
        && let (Some(target), Some(device)) = (&targets[i], &metrics.devices[i])
    {
        let fit = buttons(devices_for(target));
        let words = format!(
            "The kernels were built for {target}, which the {} is not. Which device ran them?",
            short_name(&device.name)
        );
        return asks(words, Answer::Device(data.devices[i].clone(), fit));
    }
    let (above, measured) = bench.totals.with(|all| {
        let sum = |f: fn(&gemmscope_table::metrics::Totals) -> u64| {
            all.iter().map(|t| f(&t.1)).sum::<u64>()
        };
        (sum(|t| t.above_roof), sum(|t| t.measured))
    });
    let share = above as f64 / measured as f64;
    if share.is_nan() || share <= IN_DOUBT {
        return None;
    }
    let name = bench.devices_in_use.with(|d| d.first().cloned().flatten())?;
    let (name, share) = (short_name(&name), percent(share));
    asks(
        format!("Is this really {name}? {share} of the measured rows are above its roof."),
        Answer::Dialog,
    )
}
