//! Runs the rules over the passing rows, with pauses so that the browser stays responsive.

use crate::app::state::{FindingsResult, Shared, Workbench};
use crate::web::clock;
use gemmscope_analysis::ledger::LARGEST_LOSS;
use gemmscope_analysis::trust::TrustFacts;
use gemmscope_chart::picture;
use gemmscope_table::field::Field;
use gemmscope_words::findings::check;
use gemmscope_words::report;
use gemmscope_words::trust::Trust;
use leptos::prelude::*;
use std::sync::Arc;
use std::time::Duration;

/// Up to this many rows, the rules run automatically.
const AT_ONCE: usize = 250_000;
/// Up to this many rows, the faster runs of all of them are found in one task, for code that cannot wait for the rules.
pub const IN_ONE_TASK: usize = 50_000;

/// True if the rules run over so many rows, or will once the page has painted.
pub fn run_over(bench: Workbench, rows: usize) -> bool {
    bench.looks.get() && rows > 0 && (rows <= AT_ONCE || bench.asked.get())
}

/// The latest findings. While the rules run over other rows of the same table, the previous ones stay, so that nothing
/// moves.
pub fn latest(bench: Workbench) -> Memo<Option<FindingsResult>> {
    Memo::new(move |old: Option<&Option<FindingsResult>>| {
        let (data, rows) = bench.settled_frame.with(|f| (f.data.clone(), f.rows.len()));
        let before = old.and_then(Option::as_ref);
        let before = before.filter(|b| Arc::ptr_eq(&b.frame.data, &data) && run_over(bench, rows));
        bench.findings.get().or_else(|| before.cloned())
    })
}

/// Runs the rules whenever the settled frame changes; a newer frame cancels the run over the previous one.
pub fn follow(bench: Workbench) {
    bench.looks.set(true);
    Effect::new(move |_| {
        let frame = bench.settled_frame.get();
        let runs = run_over(bench, frame.rows.len());
        if bench.findings.with_untracked(Option::is_some) {
            return;
        }
        // The old result is obsolete, and keeps its data in memory. The faster runs of a table hold for any filter.
        let cache = bench.row_cache.get_value();
        let partners = cache.known_partners(&frame);
        if bench.findings_result.with_untracked(Option::is_some) {
            bench.findings_result.set(None);
        }
        if !runs {
            return;
        }
        leptos::task::spawn_local_scoped_with_cancellation(async move {
            clock::after_paint().await;
            let turns = clock::Turns::begin();
            bench.checking.try_set("");
            let say = async |doing: &'static str| {
                if turns.due() {
                    if bench.checking.try_get_untracked().is_some_and(|said| said != doing) {
                        bench.checking.set(doing);
                    }
                    turns.give().await;
                }
            };
            let (findings, scan) = check(&frame, partners, &say).await;
            clock::pause(Duration::ZERO).await;
            let breakdown = Shared::from(report::Breakdown::new(&scan, &findings));
            let partners = scan.partners();
            drop(scan);
            clock::pause(Duration::ZERO).await;
            let trust = TrustFacts::look(&frame, &async || turns.give().await).await;
            let trust = Shared::from(Trust::new(&frame, trust.beside(&findings.ledger)));
            clock::pause(Duration::ZERO).await;
            if let Some(partners) = partners {
                cache.set_partners(&frame, partners);
            }
            // Cached for all filters once computed.
            let _ = frame.categories(&Field::Column(LARGEST_LOSS.to_owned()));
            clock::pause(Duration::ZERO).await;
            let ranked = Shared::from(picture::ranked(&findings, &frame));
            clock::pause(Duration::ZERO).await;
            bench.findings_result.set(Some(FindingsResult {
                frame,
                ranked,
                findings: Shared::from(findings),
                breakdown,
                trust,
            }));
        });
    });
}
