//! The devices: their peaks with the source of each number, the devices of the loaded files, and the user's own.

use crate::app::dialogs::device_form::DeviceForm;
use crate::app::state::{Shell, Workbench};
use crate::app::ui::{DeviceMenu, Modal, NARROW, icon, value_of};
use crate::web::dom;
use gemmscope_chart::planner::published;
use gemmscope_model::hardware;
use gemmscope_model::hardware::known;
use gemmscope_model::hardware::short_name;
use gemmscope_model::hardware::{Device, NameMatch, Peak};
use gemmscope_model::reference::{ReferenceSource, listed};
use gemmscope_model::units::{Bytes, BytesPerSec, FlopsPerSec, Seconds};
use gemmscope_words::reference::table_line;
use leptos::prelude::*;

/// The dialog. `name` is the device name in a file, if a device is chosen for that.
#[component]
pub fn Devices(name: Option<String>) -> impl IntoView {
    let shell = Shell::here();
    let bench = Workbench::here();
    let used = || untrack(|| bench.device_ids().into_iter().next());
    let chosen = || bench.view.with_untracked(|v| v.devices.default.clone());
    let any = || used().or_else(chosen).unwrap_or_else(|| "mi300x".to_owned());
    // The name of a file selects what it may mean, not what other files use.
    let first = name.as_deref().and_then(candidate).unwrap_or_else(any);
    let at = entry_id(&first);
    let shown = RwSignal::new(first);
    // The list exists in the next frame.
    request_animation_frame(move || dom::scroll_into_list(&at));
    let needle = RwSignal::new(String::new());
    let editing = RwSignal::new(None::<Device>);
    let list = Memo::new(move |_| {
        let mut all = bench.custom.with(|own| known(own));
        needle.with(|n| all.retain(|d| d.is_called(n)));
        all
    });
    // The search selects the first match, unless the current device is one.
    let search = move |text: String| {
        needle.set(text);
        list.with_untracked(|list| match list.first() {
            Some(first) if list.iter().all(|d| d.id != shown.get_untracked()) => {
                editing.set(None);
                shown.set(first.id.clone());
            }
            _ => {}
        });
    };
    // Enter chooses the selected device, as in the list of the header, and does not activate the focused element.
    let enter = move |e: web_sys::KeyboardEvent| {
        if e.key() == "Enter" && editing.with_untracked(Option::is_none) {
            e.prevent_default();
            dom::click(".device-sheet .primary");
        }
    };
    let device = Memo::new(move |_| {
        let id = shown.get();
        bench.custom.with(|own| known(own).into_iter().find(|d| d.id == id))
    });
    let stated = StoredValue::new(name);
    let title = stated.with_value(|n| match n {
        Some(n) => format!("Device for “{n}”"),
        None => "Devices".to_owned(),
    });
    let entries = move || {
        let entry = |d: Device| {
            let own = bench.custom.with_untracked(|o| o.iter().any(|o| o.id == d.id));
            let (mine, at) = (d.id.clone(), entry_id(&d.id));
            view! {
                <li id=at>
                    <button type="button" class="device-entry"
                        aria-pressed=move || (shown.get() == mine).to_string()
                        on:click=move |_| { editing.set(None); shown.set(d.id.clone()); }>
                        <span>{short_name(&d.name)}</span>
                        <span class="menu-side">{if own { "own".to_owned() } else { d.vendor.clone() }}</span>
                    </button>
                </li>
            }
            .into_any()
        };
        list.get().into_iter().map(entry).collect_view()
    };
    view! {
        <Modal title=title wide=true>
            <FileNames />
            <div class="devices">
                <div class="device-list">
                    // Not focused on a phone, whose keyboard would cover the list.
                    <input type="search" placeholder="Search devices" aria-label="Search devices"
                        autofocus=!dom::media(NARROW) prop:value=move || needle.get() on:input=move |e| search(value_of(&e)) on:keydown=enter />
                    <ul>
                        {entries}
                    </ul>
                    <button type="button" class="button small" on:click=move |_| editing.set(Some(blank()))>
                        {icon(icon::PLUS)} <span>"Own device"</span>
                    </button>
                    <p class="muted">"A device as JSON, ours or a TraceLens platform file, can be dropped like any file."</p>
                </div>
                <div class="device-sheet">
                    {move || match (editing.get(), device.get()) {
                        (Some(d), _) => {
                            let done = move |saved: Option<String>| {
                                editing.set(None);
                                if let Some(id) = saved {
                                    shown.set(id);
                                }
                            };
                            view! { <DeviceForm device=d on_done=done /> }.into_any()
                        }
                        (None, Some(d)) => sheet(shell, bench, d, stated, editing),
                        (None, None) => view! { <p class="muted">"Choose a device on the left."</p> }.into_any(),
                    }}
                </div>
            </div>
        </Modal>
    }
}

/// The likeliest device of a name that a file states; of an unknown compiler target, one of its maker.
fn candidate(name: &str) -> Option<String> {
    let named = hardware::match_name(name).candidates();
    let maker = ["sm_", "gfx"].into_iter().find(|prefix| name.starts_with(prefix));
    let of_maker = |d: &&Device| maker.is_some_and(|prefix| d.arch_token.starts_with(prefix));
    let found = named.first().copied().or_else(|| hardware::catalog().iter().find(of_maker));
    found.map(|device| device.id.clone())
}

fn entry_id(device: &str) -> String {
    format!("device-entry-{device}")
}

/// Device names in the loaded files, each with its device.
#[component]
fn FileNames() -> impl IntoView {
    let bench = Workbench::here();
    move || {
        let data = bench.data.get();
        let metrics = bench.metrics.get();
        let names: Vec<_> = data
            .devices
            .iter()
            .zip(&metrics.devices)
            .filter(|(name, _)| !name.is_empty())
            .map(|(name, device)| {
                let how = match (device, hardware::match_name(name)) {
                    (Some(d), _) => short_name(&d.name),
                    (None, NameMatch::Ambiguous(many)) => {
                        let names: Vec<String> = many.iter().map(|d| short_name(&d.name)).collect();
                        format!("one of {}: choose", names.join(", "))
                    }
                    _ => "not known: choose".to_owned(),
                };
                let file_name = name.clone();
                let taken = move |d: Device| bench.choose_device(&file_name, Some(d.id));
                let chosen: Vec<String> = device.iter().map(|d| d.id.clone()).collect();
                view! {
                    <div class="field inline">
                        <span>{format!("“{name}” is")}</span>
                        <DeviceMenu
                            name=format!("Device “{name}”: {how}")
                            label=move || how.clone()
                            chosen=chosen
                            taken=taken
                        />
                    </div>
                }
            })
            .collect();
        (!names.is_empty()).then(|| {
            view! {
                <section class="file-devices" aria-label="Devices named in files">{names}</section>
            }
        })
    }
}

fn sheet(
    shell: Shell,
    bench: Workbench,
    d: Device,
    stated: StoredValue<Option<String>>,
    editing: RwSignal<Option<Device>>,
) -> AnyView {
    let own = bench.custom.with_untracked(|o| o.iter().any(|o| o.id == d.id));
    let in_catalogue = hardware::by_id(&d.id).is_some();
    let is_default = {
        let id = d.id.clone();
        move || bench.view.with(|v| v.devices.default.as_deref() == Some(&id))
    };
    let use_it = {
        let id = d.id.clone();
        move |_| {
            let name = stated.get_value().unwrap_or_default();
            bench.choose_device(&name, Some(id.clone()));
            shell.close();
        }
    };
    let edited = d.clone();
    let exported = d.clone();
    let removed = d.id.clone();
    // Includes achievable rates raised by the open files, like the roofs.
    let seen = as_seen(bench, &d.id).unwrap_or_else(|| d.clone());
    view! {
        <header class="sheet-head">
            <div>
                <h3>{d.name.clone()}</h3>
                <p class="muted">{[&d.vendor, &d.arch, &d.arch_token, &d.form].into_iter().filter(|t| !t.is_empty()).cloned().collect::<Vec<_>>().join(" · ")}</p>
            </div>
            <div class="sheet-actions">
                <button type="button" class="button small" on:click=move |_| editing.set(Some(edited.clone()))>
                    {icon(icon::EDIT)} <span>"Edit a copy"</span>
                </button>
                <button type="button" class="button small" on:click=move |_| {
                    dom::download(&format!("{}.json", exported.id), "application/json", exported.to_json().as_bytes());
                }>
                    {icon(icon::SAVE)} <span>"JSON"</span>
                </button>
                {own.then(|| view! {
                    <button type="button" class="button small" on:click=move |_| bench.forget_device(&removed)>
                        {if in_catalogue { "Back to the catalogue's" } else { "Remove" }}
                    </button>
                })}
                <button type="button" class="button primary small" on:click=use_it disabled=move || is_default() && stated.with_value(Option::is_none)>
                    "Use this device"
                </button>
            </div>
        </header>
        <dl class="facts">
            {facts(bench, &d).into_iter().map(|(k, v)| view! { <div><dt>{k}</dt><dd>{v}</dd></div> }).collect_view()}
        </dl>
        <div class="peaks-scroll">
            <table class="peaks">
                <thead>
                    <tr>
                        <th scope="col">"Type"</th><th scope="col">"Units"</th><th scope="col">"Summed in"</th>
                        <th scope="col" class="num">"Dense peak"</th><th scope="col" class="num">"Achievable"</th>
                        <th scope="col" class="num">"Ridge"</th>
                    </tr>
                </thead>
                <tbody>{seen.peaks.iter().map(|p| peak_row(p, d.bandwidth_bytes_per_s)).collect_view()}</tbody>
            </table>
        </div>
        {published(bench, &d)}
        {(!d.notes.is_empty()).then(|| view! { <p class="muted">{d.notes.clone()}</p> })}
        {sources(&seen).into_iter().map(|(what, source)| view! { <p class="muted"><strong>{what}</strong>" "{source}</p> }).collect_view()}
    }
    .into_any()
}

/// A device as adjusted by the open rows.
fn as_seen(bench: Workbench, id: &str) -> Option<Device> {
    bench.metrics.with(|m| m.devices.iter().flatten().find(|seen| seen.id == id).cloned())
}

/// Facts of a device besides its peaks.
fn facts(bench: Workbench, d: &Device) -> [(&'static str, String); 8] {
    let known = |v: Option<String>| v.unwrap_or_else(|| "not known".to_owned());
    let cache = |b: Option<f64>| known(b.map(|b| Bytes(b).to_iec()));
    let memory = d.memory_bytes.map(|b| format!("{} {}", Bytes(b), d.memory_kind));
    let confidence = match d.confidence {
        'A' => "A: the vendor's figures",
        'B' => "B: from a secondary source",
        _ => "C: derived or entered by hand",
    };
    let (floor, source) = d.launch_floor();
    // The open files may have a shorter launch.
    let here = as_seen(bench, &d.id).map(|seen| seen.launch_floor().0).filter(|s| *s < floor);
    let here =
        here.map_or_else(String::new, |s| format!("; here {}, the shortest call", Seconds(s)));
    [
        ("Memory bandwidth", BytesPerSec(d.bandwidth_bytes_per_s).to_string()),
        ("Memory", known(memory)),
        ("Units", known(d.units.map(|n| format!("{n} {}", d.unit_kind)))),
        ("L2 cache", cache(d.l2_bytes)),
        ("Last-level cache", cache(d.llc_bytes)),
        ("Clock behind the peaks", known(d.clock_hz.map(|c| format!("{:.0} MHz", c / 1e6)))),
        ("Launch floor", format!("{} ({source}){here}", Seconds(floor))),
        ("Confidence of the peaks", confidence.to_owned()),
    ]
}

/// What is published for a device, and the switch that leaves all published times out.
fn published(bench: Workbench, d: &Device) -> Option<AnyView> {
    let tables: Vec<&'static ReferenceSource> =
        listed().iter().filter(|s| s.device == d.id).collect();
    if tables.is_empty() {
        return None;
    }
    let shell = Shell::here();
    let line = move |s: &'static ReferenceSource| {
        let show = move |_| {
            shell.close();
            bench.edit(|v| published::address(v, s));
        };
        view! {
            <li>
                {table_line(s)}" "
                <button type="button" class="link" on:click=show>"Show"</button>
            </li>
        }
        .into_any()
    };
    let off = move || bench.view.with(|v| v.no_published);
    Some(
        view! {
            <h4>"What others reach"</h4>
            <ul>{tables.into_iter().map(line).collect_view()}</ul>
            <p>
                <label>
                    <input type="checkbox" prop:checked=move || !off()
                        on:change=move |_| bench.edit(|v| v.no_published = !v.no_published) />
                    " Compare with published times"
                </label>
            </p>
        }
        .into_any(),
    )
}

/// Sources of a device's figures: datasheet ones, then achievable ones.
fn sources(d: &Device) -> Vec<(String, String)> {
    let mut out: Vec<(String, String)> = Vec::new();
    let mut add = |what: &str, of: &str, source: &str| match out
        .iter_mut()
        .find(|(w, s)| s == source && w.starts_with(what))
    {
        Some((named, _)) => named.insert_str(named.len() - 1, &format!(", {of}")),
        None if source.is_empty() => {}
        None => out.push((format!("{what}, {of}:"), source.to_owned())),
    };
    for p in d.peaks.iter().filter(|p| p.source != d.source) {
        add("Peak", p.dtype.name(), &p.source);
    }
    for p in &d.peaks {
        let source = p.achievable_source.as_deref().unwrap_or_default();
        add("Achievable", p.dtype.name(), source);
    }
    if !d.source.is_empty() {
        out.insert(0, ("Datasheet:".to_owned(), d.source.clone()));
    }
    out
}

fn peak_row(p: &Peak, bandwidth: f64) -> AnyView {
    let engine = match p.engine {
        hardware::Engine::Matrix => "matrix",
        hardware::Engine::Vector => "vector",
    };
    view! {
        <tr>
            <th scope="row">{p.dtype.name()}</th>
            <td>{engine} {(!p.dense).then_some(" (sparse: not used)")}</td>
            <td>{p.accumulate.map(|d| d.name())}</td>
            <td class="num">{FlopsPerSec(p.flops_per_s).peak()}</td>
            <td class="num">
                {p.achievable_flops_per_s.map_or_else(|| "–".to_owned(), |f| FlopsPerSec(f).to_string())}
            </td>
            <td class="num">{format!("{:.1} FLOP/B", p.flops_per_s / bandwidth)}</td>
        </tr>
    }
    .into_any()
}

/// An empty device.
fn blank() -> Device {
    // These three are required for a roof; other fields have defaults.
    serde_json::from_slice(br#"{"id":"own","name":"","peaks":[],"bandwidth_bytes_per_s":0}"#)
        .expect("a device needs a name, peaks and a bandwidth only")
}
