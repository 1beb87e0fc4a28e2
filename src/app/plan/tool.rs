//! The page of a tool: its settings, figures, picture and notes.

use super::Ready;
use crate::app::chart_view::{Canvas, ChartView, Describe, Draw, Picture, Target};
use crate::app::controls::{controls, write};
use crate::app::views::scene::Drawn;
use crate::chart::planner::{Context, TOOLS, Tool, ToolKind};
use crate::chart::view::Look;
use leptos::prelude::*;
use std::rc::Rc;
use std::sync::Arc;

fn open(ready: Ready, kind: &'static ToolKind) -> Box<dyn Tool> {
    let frame = ready.app.late.get();
    let own = ready.app.custom.get();
    ready.app.view.with(|state| {
        (kind.open)(&Context {
            frame: &frame,
            state,
            own: &own,
        })
    })
}

/// The page of the tool of this index.
pub fn page(ready: Ready, index: usize) -> AnyView {
    let app = ready.app;
    let kind = &TOOLS[index];
    // What the opened tool says, as values that compare: the tool itself is opened anew, which
    // costs less than a millisecond.
    let said = Memo::new(move |_| {
        let tool = open(ready, kind);
        (
            tool.controls(),
            tool.figures(),
            tool.verdict(),
            tool.notes(),
        )
    });
    let list = Memo::new(move |_| said.with(|s| s.0.clone()));
    let figures = Memo::new(move |_| said.with(|s| s.1.clone()));
    let verdict = Memo::new(move |_| said.with(|s| s.2.clone()));
    let notes = Memo::new(move |_| said.with(|s| s.3.clone()));
    let lines = |list: Memo<Vec<String>>, class: &'static str| {
        move || {
            list.get()
                .into_iter()
                .map(|n| view! { <p class=class>{n}</p> })
                .collect_view()
        }
    };
    let tall = move |width: f64| untrack(|| open(ready, kind)).height(width);
    // What is said need not change where the picture does.
    let params = Memo::new(move |_| app.view.with(|v| (v.params.clone(), v.roof)));
    let track = move || {
        params.with(|_| ());
        app.late.with(|_| ());
        app.custom.with(|_| ());
        app.selected.with(|_| ());
    };
    let draw: Draw = Rc::new(move |canvas: &Canvas| {
        let tool: Rc<dyn Tool> = untrack(|| open(ready, kind)).into();
        let selected = app.selected.try_get_untracked()?;
        let scene = tool.scene(&Look {
            theme: &canvas.theme,
            width: canvas.size.0,
            height: canvas.size.1,
            selected: &selected,
            first: (0, 0),
        });
        Some(Rc::new(Drawn {
            scene,
            canvas: *canvas,
            id: kind.id,
            view: tool,
            selected,
        }) as Rc<dyn Picture>)
    });
    let describe: Describe = Arc::new(|t: &Target| (t.label.clone(), Vec::new()));
    // A picture of two panels is taller on a phone than a wide one.
    let small = crate::web::dom::media("(max-width: 900px)");
    let height = move || {
        said.track();
        format!("{}px", tall(if small { 360.0 } else { 960.0 }) + 60.0)
    };
    view! {
        <div class="plan-columns">
            <section class="plan-form tool" aria-label="Settings">
                <p class="plan-hint">{kind.hint}</p>
                {controls(list.into(), write(app))}
            </section>
            <section class="plan-body tool" aria-label=kind.name>
                {lines(verdict, "plan-note first")}
                <dl class="facts plan-totals">
                    {move || figures
                        .get()
                        .into_iter()
                        .map(|(label, value, hint)| view! { <div class="tip" tabindex="0" data-tip=hint.clone() aria-description=hint><dt>{label.clone()}</dt><dd data-total=label>{value}</dd></div> })
                        .collect_view()}
                </dl>
                <div class="plan-tool" style:height=height>
                    <ChartView track=track draw=draw describe=describe name=kind.id bar=|| () legend=|| () />
                </div>
                {lines(notes, "plan-note")}
            </section>
        </div>
    }
    .into_any()
}
