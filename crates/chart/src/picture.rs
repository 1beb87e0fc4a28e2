//! Any chart as a picture without a page around it: for the command, reports and saved pages.

use crate::camera::{set_zoom, zoom_of};
use crate::caption::{Caption, title};
use crate::chart::{Chart, Emphasis, RenderOptions};
use crate::charts::{self, ChartKind, Inputs};
use crate::palette::Theme;
use crate::places;
use crate::scene::Scene;
use gemmscope_analysis::ledger::{Account, LARGEST_LOSS, NOTHING_LOST, field_of};
use gemmscope_table::dataset::Dataset;
use gemmscope_table::field::{Categories, Field, Frame};
use gemmscope_table::view_state::{RowRef, ViewState};
use gemmscope_words::findings::{Finding, Findings, check_all};

/// Parameter that holds the chosen finding.
pub const FINDING_KEY: &str = "finding";

/// The selected rows in order of selection: those picked by the user, else those of the chosen finding, which is
/// evaluated only then.
pub fn selected(
    picked: &[RowRef],
    data: &Dataset,
    of_finding: impl FnOnce() -> Option<Vec<u32>>,
) -> Vec<u32> {
    match picked {
        [] => of_finding().unwrap_or_default(),
        picked => RowRef::find(picked, data),
    }
}

/// The rows of a finding: the one named in its sentence, then those that take most time.
pub fn rows_of(findings: &Findings, frame: &Frame, index: usize) -> Option<Vec<u32>> {
    findings.findings.get(index).map(|finding| finding.rows_by_time(frame))
}

/// Maximum number of findings that are numbered in a picture; more would hide it.
const RANKED: usize = 3;

/// Number of findings that are numbered in a picture, and listed before the list is expanded.
pub fn first_findings(findings: &Findings) -> usize {
    findings.findings.len().min(RANKED)
}

/// For each of the [first](first_findings) findings, the row that carries its number, different for each. [`NO_ROW`] if
/// there is none.
pub fn ranked(findings: &Findings, frame: &Frame) -> Vec<u32> {
    let largest = frame.categories(&Field::Column(LARGEST_LOSS.to_owned()));
    let mut out: Vec<u32> = Vec::new();
    for finding in &findings.findings[..first_findings(findings)] {
        out.push(standing_for(finding, frame, &largest, &out).unwrap_or(NO_ROW));
    }
    out
}

/// The row that represents a finding, among those not taken: preferably one that loses more to the finding's account
/// than to any other, and of these the one that loses most to it; without an account, the one that takes most time.
fn standing_for(
    finding: &Finding,
    frame: &Frame,
    largest: &Categories<'_>,
    taken: &[u32],
) -> Option<u32> {
    let own = Account::ALL.into_iter().find(|a| a.key() == finding.rule);
    let holds = |label: &String| match own {
        Some(own) if label == own.label() => true,
        _ => label == NOTHING_LOST || label.is_empty(),
    };
    let holds: Vec<bool> = largest.values.iter().map(holds).collect();
    let seconds = own.map(|own| frame.numbers(&field_of(own)));
    let time = frame.numbers(&Field::TotalTime);
    let weight = |row: u32| {
        let r = row as usize;
        let own = seconds.as_ref().map_or(0.0, |seconds| seconds(r).max(0.0));
        (holds[largest.codes.get(r) as usize], own, time(r).max(0.0))
    };
    let free = finding.evidence.rows.iter().filter(|row| !taken.contains(row));
    let weighed = free.map(|row| (weight(*row), *row));
    let heaviest = weighed.reduce(|a, b| if b.0 > a.0 { b } else { a });
    heaviest.map(|(_, row)| row)
}

/// Index of the finding that holds most of a row's loss; for a row in none of the causes, the first finding about it.
/// `largest` are the categories of [`LARGEST_LOSS`].
pub fn finding_of(findings: &Findings, largest: &Categories<'_>, row: u32) -> Option<usize> {
    let label = &largest.values[largest.codes.get(row as usize) as usize];
    let account = Account::ALL.into_iter().find(|a| a.label() == label);
    let about = |f: &Finding| f.evidence.rows.binary_search(&row).is_ok();
    let all = findings.findings.iter();
    let cause = account.and_then(|a| all.clone().position(|f| f.rule == a.key() && about(f)));
    cause.or_else(|| all.clone().position(about))
}

/// Marks a finding without a row in [`ranked`].
pub const NO_ROW: u32 = u32::MAX;

/// As [`selected`], by a view state. `findings` computes the findings of the frame.
fn selected_by(frame: &Frame, state: &ViewState, findings: impl FnOnce() -> Findings) -> Vec<u32> {
    selected(&state.selection, &frame.data, || {
        let id = state.param(FINDING_KEY)?;
        let found = findings();
        rows_of(&found, frame, found.position(id)?)
    })
}

/// The pictures of a report: the roofline of a view state and its lost time, in light colours, unzoomed.
pub fn for_report(frame: &Frame, state: &ViewState) -> Vec<gemmscope_words::report::Picture> {
    let found = check_all(frame);
    let ranked = ranked(&found, frame);
    let selected = selected_by(frame, state, || found);
    ["roofline", "lost"]
        .into_iter()
        .filter_map(|view| {
            let mut state = state.clone();
            state.view = view.to_owned();
            set_zoom(&mut state, view, None);
            let kind = charts::by_id(view)?;
            let marks = (&selected[..], Some(&ranked[..]));
            let draw = |width| {
                let size = (width, None);
                let (chart, options) = opened(kind, frame, &state, marks, size, &Theme::LIGHT);
                chart.scene(&options)
            };
            let (scene, narrow) = (draw(960.0), draw(400.0));
            Some(gemmscope_words::report::Picture {
                title: scene.title.clone(),
                svg: crate::svg::svg(&scene),
                narrow: crate::svg::svg(&narrow),
            })
        })
        .collect()
}

/// The chart of a view key for these rows; for "" the one that suits the data.
fn shown(view: &str, frame: &Frame) -> Option<&'static ChartKind> {
    let opening = |place| places::opens_with(place, frame.kind(), &frame.data);
    let id = match view {
        "" => opening(places::landing(frame.kind(), &frame.data)),
        view => match places::of(view)? {
            (place, _) if place.id == view => opening(place),
            (_, picture) => picture,
        },
    };
    charts::by_id(id).filter(|_| !id.is_empty())
}

/// The picture of the place or chart in the view state (by default the one that suits the data), with title, device,
/// files, filters and the key to its numbers around it. `None` if there is none. `size` in CSS pixels; a height of
/// `None` is the one at which everything is readable.
pub fn saved(
    frame: &Frame,
    state: &ViewState,
    size: (f64, Option<f64>),
    theme: &Theme,
) -> Option<Scene> {
    let selected = selected_by(frame, state, || check_all(frame));
    let kind = shown(&state.view, frame)?;
    let (chart, options) = opened(kind, frame, state, (&selected, None), size, theme);
    let marks = Emphasis { selected: selected.clone(), ..Emphasis::default() };
    let key = chart.drawn(&options).map_or_else(Vec::new, |d| d.key(&marks));
    let caption = Caption::of(frame, &state.filters, &title(state, kind.name), key);
    let height = match size.1 {
        Some(height) => (height - caption.height(options.width)).max(1.0),
        None => options.height,
    };
    Some(caption.around(chart.scene(&RenderOptions { height, ..options })))
}

/// Opens a chart with a view state; returns it with its drawing options.
fn opened<'a>(
    kind: &ChartKind,
    frame: &Frame,
    state: &ViewState,
    (selected, ranked): (&'a [u32], Option<&[u32]>),
    (width, height): (f64, Option<f64>),
    theme: &'a Theme,
) -> (Chart, RenderOptions<'a>) {
    let chart =
        (kind.open)(&Inputs { selected, ranked, by_loss: true, ..Inputs::new(frame, state) });
    let height = height.unwrap_or_else(|| chart.height(width));
    let options = RenderOptions {
        dpr: 2.0,
        selected,
        first: charts::first_of(state, kind.id),
        zoom: zoom_of(state, kind.id),
        ..RenderOptions::new(theme, (width, height))
    };
    (chart, options)
}

#[cfg(test)]
mod tests {
    use super::*;
    use gemmscope_analysis::ledger::Columns;
    use gemmscope_model::dtype::DataType;
    use gemmscope_model::gemm::Operation;
    use gemmscope_table::fixture::Rows;

    #[test]
    fn a_number_stands_at_a_row_that_loses_most_to_its_finding() {
        let (mut rows, op) = (Rows::new(), Operation::uniform(DataType::Fp16));
        // The slowest row loses most to its layout, and some to what even the faster layout loses.
        for (n, slow, fast) in [(4096, 20e-3, 2e-3), (2048, 1e-3, 1e-3), (1024, 4e-4, 4e-4)] {
            for (trans, time) in [(true, slow), (false, fast)] {
                rows.typed((4096, n, 4096), op.with_layout(false, trans), "x", time, "");
            }
        }
        let frame = rows.frame(Some("h100-sxm")).with_derived(Columns::new());
        let found = check_all(&frame);
        let largest = frame.categories(&Field::Column(LARGEST_LOSS.to_owned()));
        let mut seen = Vec::new();
        for (finding, row) in found.findings.iter().zip(ranked(&found, &frame)) {
            let account = Account::ALL.into_iter().find(|a| a.key() == finding.rule);
            // The rows of a small cause lose more to others.
            let weighs = finding.alone_s.is_some_and(|s| s >= 0.005 * finding.whole_s);
            let Some(account) = account.filter(|_| row != NO_ROW && weighs) else {
                continue;
            };
            assert!(finding.evidence.rows.contains(&row));
            let value = &largest.values[largest.codes.get(row as usize) as usize];
            assert_eq!(value, account.label(), "{}", finding.title);
            let number = finding_of(&found, &largest, row).unwrap();
            assert_eq!(found.findings[number].title, finding.title);
            seen.push(account);
        }
        assert!([Account::Layout, Account::Rest].iter().all(|a| seen.contains(a)), "{seen:?}");
    }

    #[test]
    fn the_chosen_finding_is_selected_in_every_picture() {
        let mut rows = Rows::new();
        for i in 0..12u32 {
            let time = if i < 4 { 5e-3 } else { 2e-5 };
            rows.row((4096, 4096, 1024 + 64 * i), "x", time, "");
        }
        let frame = rows.frame(Some("h100-sxm"));
        let found = check_all(&frame);
        let of_finding = found.findings[0].rows_by_time(&frame);
        let mut state = ViewState::default();
        assert!(selected_by(&frame, &state, || unreachable!()).is_empty());
        state.set_param(FINDING_KEY, found.id_of(0));
        assert_eq!(selected_by(&frame, &state, || found), of_finding);
        let plain = ViewState::default();
        for kind in charts::CHARTS {
            let draw = |state: &ViewState| {
                let mut state = state.clone();
                state.view = kind.id.to_owned();
                saved(&frame, &state, (900.0, None), &Theme::LIGHT).unwrap()
            };
            let (with, without) = (draw(&state), draw(&plain));
            assert!(with != without || without.message.is_some(), "{}", kind.id);
        }
    }
}
