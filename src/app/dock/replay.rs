//! Commands and scripts that run a single GEMM, to copy or save.

use crate::app::state::Shell;
use crate::app::ui::segment;
use crate::web::dom;
use gemmscope_analysis::tile_roof::TileRoofs;
use gemmscope_table::field::Frame;
use gemmscope_words::replay::{Case, TOLERANCE, Tool, replay};
use leptos::prelude::*;

/// The section of the dock.
pub(super) fn section(shell: Shell, frame: &Frame, row: usize) -> AnyView {
    let tile = TileRoofs::new(&frame.data, &frame.metrics).of(row);
    let case = Case::of(&frame.data, row, tile.map(|t| t.tile));
    let tool = RwSignal::new(None::<Tool>);
    let choose = Tool::ALL.map(|t| {
        let holds = move || tool.get() == Some(t);
        segment(t.label(), holds, move || {
            tool.update(|now| *now = Some(t).filter(|t| *now != Some(*t)))
        })
    });
    let made = move || {
        let made = replay(&case, tool.get()?);
        let checks = matches!(tool.get(), Some(Tool::Pytorch | Tool::Triton));
        Some(match made {
            Err(why) => view! { <p class="muted">{why}"."</p> }.into_any(),
            Ok(r) => {
                let (copied, saved) = (r.text.clone(), r.clone());
                view! {
                    <pre class="replay-text" tabindex="0">{r.text}</pre>
                    {checks.then(|| view! { <p class="muted">{TOLERANCE}</p> })}
                    <div class="replay-actions">
                        <button type="button" class="button small" on:click=move |_| copy(shell, copied.clone())>"Copy"</button>
                        <button type="button" class="button small"
                            on:click=move |_| dom::download(&saved.file, "text/plain", saved.text.as_bytes())>
                            {format!("Save {}", r.file)}
                        </button>
                    </div>
                }
                .into_any()
            }
        })
    };
    view! {
        <section class="detail-section replay">
            <h3 title="Runs just this shape, layout and type: for a profiler, or for whoever tunes kernels.">"Reproducer"</h3>
            <div class="segments wrap" role="group" aria-label="Replay with">{choose}</div>
            {made}
        </section>
    }
    .into_any()
}

fn copy(shell: Shell, text: String) {
    leptos::task::spawn_local(async move {
        shell.say(dom::copy(text).await);
    });
}
