//! The form of a device: a copy of a known one with other numbers, or a new one.

use crate::app::state::Workbench;
use crate::app::ui::{icon, icon_button, value_of};
use gemmscope_model::dtype::DataType;
use gemmscope_model::hardware::{Device, Engine, Peak};
use leptos::prelude::*;

/// The form. `on_done` gets the id of the saved device, or `None`.
#[component]
pub fn DeviceForm(
    device: Device,
    on_done: impl Fn(Option<String>) + Clone + 'static,
) -> impl IntoView {
    let bench = Workbench::here();
    let draft = RwSignal::new(device);
    let problem = RwSignal::new(String::new());
    let number = move |label: &'static str,
                       hint: &'static str,
                       unit: f64,
                       get: fn(&Device) -> Option<f64>,
                       set: fn(&mut Device, Option<f64>)| {
        view! {
            <label class="field">
                <span title=hint>{label}</span>
                <input type="text" inputmode="decimal"
                    prop:value=draft.with_untracked(get).filter(|v| *v != 0.0).map(|v| plain(v / unit)).unwrap_or_default()
                    on:change=move |e| {
                        let value = read(&value_of(&e)).map(|v| v * unit);
                        draft.update(|d| set(d, value));
                    } />
            </label>
        }
    };
    let done = on_done.clone();
    let save = move |_| {
        let mut device = draft.get_untracked();
        if device.id.is_empty() || device.id == "own" {
            device.id = id_of(&device.name);
        }
        device.confidence = 'C';
        if device.source.is_empty() {
            device.source = "entered by hand".to_owned();
        }
        match device.validate() {
            Ok(()) => {
                let id = device.id.clone();
                bench.save_device(device);
                done(Some(id));
            }
            Err(error) => problem.set(error.to_string()),
        }
    };
    let rows = Memo::new(move |_| draft.with(|d| d.peaks.len()));
    view! {
        <form class="device-form" on:submit=move |e| e.prevent_default()>
            <label class="field">
                <span>"Name"</span>
                <input type="text" prop:value=draft.with_untracked(|d| d.name.clone())
                    on:change=move |e| { let v = value_of(&e); draft.update(|d| d.name = v); } />
            </label>
            <div class="form-row">
                {number("Bandwidth, GB/s", "", 1e9, |d| Some(d.bandwidth_bytes_per_s), |d, v| d.bandwidth_bytes_per_s = v.unwrap_or(0.0))}
                {number("SMs or CUs", "", 1.0, |d| d.units.map(f64::from), |d, v| d.units = v.map(|v| v as u32))}
                {number("L2, MiB", "", 1_048_576.0, |d| d.l2_bytes, |d, v| d.l2_bytes = v)}
                {number("Launch floor, µs", "What starting, filling and draining a kernel takes however little it computes; 4.5 µs where this is empty", 1e-6, |d| d.launch_floor_s, |d, v| {
                    d.launch_floor_s = v;
                    d.launch_floor_source = v.map(|_| "entered by hand".to_owned());
                })}
                {number("Last-level cache, MiB", "Size of the cache behind L2, where there is one", 1_048_576.0, |d| d.llc_bytes, |d, v| d.llc_bytes = v)}
            </div>
            <fieldset class="peaks-edit">
                <legend>"Dense peaks, TFLOP/s"</legend>
                {move || (0..rows.get()).map(|i| peak_fields(draft, i)).collect_view()}
                <button type="button" class="link" on:click=move |_| draft.update(|d| d.peaks.push(empty_peak()))>"Add a type"</button>
            </fieldset>
            <p class="bad-text" role="alert">{move || problem.get()}</p>
            <div class="dialog-actions">
                <button type="button" class="button" on:click=move |_| on_done(None)>"Cancel"</button>
                <button type="submit" class="button primary" on:click=save>"Save"</button>
            </div>
        </form>
    }
}

/// Fields of the peak at index `i`.
fn peak_fields(draft: RwSignal<Device>, i: usize) -> AnyView {
    let peak = draft.with_untracked(|d| d.peaks[i].clone());
    let listed =
        if peak.flops_per_s > 0.0 { plain(peak.flops_per_s / 1e12) } else { String::new() };
    view! {
        <div class="form-row peak-edit">
            <select aria-label="Data type" on:change=move |e| {
                if let Some(t) = DataType::by_id(&value_of(&e)) { draft.update(|d| d.peaks[i].dtype = t); }
            }>
                {DataType::ALL.into_iter().map(|t| view! { <option value=t.id() selected=t == peak.dtype>{t.name()}</option> }).collect_view()}
            </select>
            <input type="text" inputmode="decimal" aria-label="Datasheet peak, TFLOP/s" placeholder="datasheet"
                prop:value=listed
                on:change=move |e| { let v = read(&value_of(&e)).unwrap_or(0.0) * 1e12; draft.update(|d| { d.peaks[i].flops_per_s = v; d.peaks[i].source = "entered by hand".into(); }); } />
            <input type="text" inputmode="decimal" aria-label="Achievable, TFLOP/s" placeholder="achievable"
                prop:value=peak.achievable_flops_per_s.map(|v| plain(v / 1e12)).unwrap_or_default()
                on:change=move |e| { let v = read(&value_of(&e)).map(|v| v * 1e12); draft.update(|d| d.peaks[i].achievable_flops_per_s = v); } />
            {icon_button(icon::CROSS, "Remove", move || draft.update(|d| { d.peaks.remove(i); }))}
        </div>
    }
    .into_any()
}

/// A peak without values.
fn empty_peak() -> Peak {
    Peak {
        dtype: DataType::Bf16,
        engine: Engine::Matrix,
        accumulate: None,
        flops_per_s: 0.0,
        dense: true,
        achievable_flops_per_s: None,
        achievable_source: None,
        source: "entered by hand".to_owned(),
    }
}

fn plain(v: f64) -> String {
    // Six decimals keep what was typed and drop the rounding error of a division.
    let text = format!("{v:.6}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn read(text: &str) -> Option<f64> {
    text.trim().replace(',', ".").parse::<f64>().ok().filter(|v| v.is_finite() && *v > 0.0)
}

fn id_of(name: &str) -> String {
    let id: String = name
        .to_lowercase()
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
        .collect();
    format!("own-{}", id.trim_matches('-'))
}
