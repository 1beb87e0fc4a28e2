//! Looking for what matters, rule by rule, whenever other rows show. The browser gets its turn
//! after every rule.

use super::state::{App, Judged, Shared};
use crate::findings::Runner;
use crate::report;
use crate::web::clock;
use leptos::prelude::*;
use std::time::Duration;

/// Rows up to which the rules run without being asked: more take too long for a side matter.
pub const AT_ONCE: usize = 100_000;

/// Follows the frame.
pub fn follow(app: App, overview: Signal<bool>) {
    let run = StoredValue::new(0u32);
    Effect::new(move |_| {
        let frame = app.late.get();
        let asked = overview.get();
        let fresh = app
            .found
            .with_untracked(|j| j.as_ref().is_some_and(|j| j.frame == frame));
        if fresh {
            return;
        }
        run.update_value(|n| *n += 1);
        let mine = run.get_value();
        if app.found.with_untracked(Option::is_some) {
            app.found.set(None);
        }
        if frame.rows.is_empty() || (frame.rows.len() > AT_ONCE && !asked) {
            return;
        }
        leptos::task::spawn_local(async move {
            clock::after_paint().await;
            let stale = move || run.try_get_value() != Some(mine);
            let mut runner = Runner::new(&frame.0);
            loop {
                clock::pause(Duration::ZERO).await;
                if stale() {
                    return;
                }
                if !runner.step() {
                    break;
                }
            }
            let (findings, scan) = runner.parts();
            let sentences = report::sentences(&scan, &findings);
            let assumptions = report::assumptions(&scan);
            let breakdown = Shared::from(report::Breakdown::new(&scan, &findings));
            drop(scan);
            app.found.set(Some(Judged {
                frame,
                findings: Shared::from(findings),
                sentences,
                assumptions,
                breakdown,
            }));
        });
    });
}
