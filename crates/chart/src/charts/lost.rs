//! Lost time: stacked bars in seconds, one per GEMM or value of a field, split by the accounts of the ledger, worst
//! first.

use crate::aggregate::Groups;
use crate::band_scale::{BandScale, Order};
use crate::caption::{NAME, name_control};
use crate::card::{self, card};
use crate::charts::{Chart, ChartKind, Heights, Inputs, Picture, RenderOptions};
use crate::labels::Rect;
use crate::layout::FONT;
use crate::legend::Swatch;
use crate::palette::Theme;
use crate::plot::value_panel;
use crate::row_names::RowNames;
use crate::scale::{Scale, ScaleKind};
use crate::scene::{START, Scene};
use crate::spec::{BarRows, Figure, Name, Spec};
use crate::text;
use crate::ticks::Format;
use gemmscope_analysis::ledger::{Account, Ledger, Splitter};
use gemmscope_model::units::seconds_brief;
use gemmscope_table::control::{Choice, Control};
use gemmscope_table::dataset::ColumnData;
use gemmscope_table::field::{Field, FieldKind, Frame};
use gemmscope_table::group::numbered;
use gemmscope_table::view_state::ViewState;
use gemmscope_words::charts as words;
use gemmscope_words::headline;
use std::sync::Arc;

/// This chart's entry in [`CHARTS`](super::CHARTS).
pub(super) const KIND: ChartKind = ChartKind {
    id: "lost",
    name: "Lost time",
    hint: "Which GEMMs lose most time, and to what?",
    params: &[NAME],
    open: |inputs| {
        let (picture, controls) = LostTime::read(inputs);
        Chart::of(picture, controls)
    },
    ..ChartKind::PLAIN
};

const ROW: f64 = 24.0;
/// Room above the bars, and below them for the axis.
const AROUND: (f64, f64) = (8.0, 26.0);
/// Parameter with the fixed end of the axis, seconds.
const TO: &str = "lost.to";
/// Key for no field: a bar per GEMM.
const GEMM: &str = "gemm";

/// Opened lost time.
pub(crate) struct LostTime {
    spec: Spec,
    /// Accounts that hold time in some bar, left to right.
    held: Vec<Account>,
    /// Longest bar that the axis holds, seconds: as fixed, else the longest there is.
    longest_s: f64,
    obstacle: Option<&'static str>,
    notes: Vec<String>,
}

/// Indices of the figures: lost time, after the total time, and the first account.
const LOST: usize = 1;
const ACCOUNTS: usize = 3;

/// The settings (grouping first) and the index of the chosen side.
fn settings(frame: &Frame, state: &ViewState) -> (Vec<Control>, usize) {
    let mut options = vec![Choice::new(GEMM, "each GEMM")];
    options.extend(Choice::fields(&frame.fields(), Some(FieldKind::Category)));
    // Group by layer if the data names several; else by GEMM.
    let layers = frame.data.columns.iter().find(|c| c.key == "layer");
    let several = matches!(layers.map(|c| &c.data), Some(ColumnData::Text { values, .. })
        if values.iter().filter(|v| !v.is_empty()).count() > 1);
    let fallback = if several { "c.layer" } else { GEMM };
    let by = Control::field(state, "lost.by", "Group", "", options, fallback);
    let sides = &frame.counted().sides;
    let names = sides.iter().map(|s| Choice::plain(&s.label)).collect();
    let first = sides.first().map_or("", |s| &s.label);
    let side = Control::choice(state, "lost.side", "Side", "", names, first);
    let at = sides.iter().position(|s| s.label == side.current).unwrap_or(0);
    let name = name_control(state);
    (if sides.len() > 1 { vec![by, side, name] } else { vec![by, name] }, at)
}

/// Bands of a side's rows.
fn bands(frame: &Frame, side: &Frame, by: &Control, group_of: impl Fn(u32) -> u32) -> BandScale {
    if let Some(info) = Field::parse(&by.current).and_then(|f| frame.info(&f)) {
        return BandScale::of(side, &info, Order::File);
    }
    let (of, _) = numbered(&mut side.rows.iter().map(|row| u64::from(group_of(*row))));
    BandScale { label: "GEMM".to_owned(), of, ..BandScale::default() }
}

impl LostTime {
    /// Reads the settings and adds up the accounts of each bar.
    fn read(inputs: &Inputs<'_>) -> (Self, Vec<Control>) {
        let Inputs { frame, state, .. } = *inputs;
        let (controls, at) = settings(frame, state);
        let rows = frame.counted().sides.get(at).map_or_else(Arc::default, |s| s.rows.clone());

        // Postings of the chosen side's rows; the same pass gives the sums of all sides.
        let mut postings = Vec::new();
        let splitter = Splitter::new(frame, inputs.cache.partners(frame));
        let ledger = Ledger::of_rows(&splitter, |p| {
            if let Ok(place) = rows.binary_search(&p.row) {
                postings.push((place, p.calls, p.entry.call));
            }
        });
        let of_side = frame.with_rows(rows);
        let bands = bands(frame, &of_side, &controls[0], |row| splitter.group_of(row));
        let n = bands.of.iter().filter(|b| **b != BandScale::NONE).max().map_or(0, |b| *b + 1);
        let zeros = || vec![0.0; n as usize];
        let (mut time, mut lost) = (zeros(), zeros());
        let mut accounts = Account::ALL.map(|_| zeros());
        for (place, calls, call) in postings {
            let band = bands.of[place] as usize;
            if band >= time.len() {
                continue;
            }
            time[band] += calls * call.total_s();
            lost[band] += calls * call.lost_s();
            call.each().for_each(|(account, s)| accounts[account as usize][band] += calls * s);
        }
        let fixed = state.param(TO).and_then(|text| text.parse::<f64>().ok());
        let longest = || time.iter().copied().fold(0.0, f64::max);
        let longest_s = fixed.filter(|s| *s > 0.0 && s.is_finite()).unwrap_or_else(longest);
        let groups = Groups::of(&of_side, n as usize, &bands.of);
        let mut order: Vec<usize> = (0..n as usize).filter(|b| time[*b] > 0.0).collect();
        order.sort_by(|&a, &b| lost[b].total_cmp(&lost[a]).then(time[b].total_cmp(&time[a])));
        let of = |figure: &[f64]| order.iter().map(|b| figure[*b]).sum::<f64>();
        let lost_s = of(&lost);
        let [roof, no_roof] = [Account::Roof, Account::NoRoof].map(|a| of(&accounts[a as usize]));
        let obstacle = words::nothing(frame).or(match order[..] {
            [] => Some(words::NO_TIME),
            _ if lost_s > 0.0 => None,
            _ if roof > 0.0 => Some(words::NOTHING_LOST),
            _ => Some(words::NO_ROOF),
        });
        let mut notes = Vec::new();
        for book in ledger.books.iter().filter(|b| b.number == at) {
            notes.extend(headline::lost(book).map(|words| book.named(&words) + "."));
        }
        notes.extend(most(&order, &lost, lost_s));
        if no_roof > 0.0 {
            notes.push(words::without_roof(no_roof));
        }
        notes.push(frame.kind().hint().to_owned());

        let share = lost.iter().map(|s| s / lost_s).collect();
        let mut figures = vec![
            Figure::new("Time", "s", time).no_tip(),
            Figure::new("Lost time", "s", lost),
            Figure::new("Share of lost time", "%", share),
        ];
        let mut held = Vec::new();
        for (account, mut seconds) in Account::ALL.into_iter().zip(accounts) {
            if order.iter().any(|b| seconds[*b] > 0.0) {
                // Accounts without time stay blank.
                seconds.iter_mut().filter(|s| **s == 0.0).for_each(|s| *s = f64::NAN);
                figures.push(Figure::new(account.label(), "s", seconds));
                held.push(account);
            }
        }
        let firsts = (0..n as usize).filter_map(|b| groups.get(b).first().copied());
        let gemms = RowNames::new(&frame.with_rows(Arc::new(firsts.collect())));
        let names = bands.names;
        let name: Name = Box::new(move |b| names.get(b).cloned().unwrap_or_else(|| gemms.get(b)));
        let names = vec![(bands.label, name)];
        let spec = Spec { order, ..Spec::new(&of_side, "bars", names, groups, figures) };
        (LostTime { spec, held, longest_s, obstacle, notes }, controls)
    }
}

/// Sentence: how few bars hold most of the lost time.
fn most(order: &[usize], lost: &[f64], lost_s: f64) -> Option<String> {
    let mut sum = 0.0;
    let enough = order.iter().position(|b| {
        sum += lost[*b];
        sum >= 0.8 * lost_s * (1.0 - 1e-12)
    })?;
    let (few, all) = (enough + 1, order.len());
    (lost_s > 0.0 && all > 1).then(|| words::few_hold_most(few, all, lost_s))
}

impl Picture for LostTime {
    fn spec(&self) -> Option<&Spec> {
        Some(&self.spec)
    }

    fn title(&self) -> String {
        format!("Lost time by {}", self.spec.names[0].0)
    }

    fn obstacle(&self) -> Option<String> {
        self.obstacle.map(str::to_owned).or_else(|| self.spec.obstacle())
    }

    fn axes(&self) -> Option<(String, String)> {
        self.spec.only().is_none().then(|| (TO.to_owned(), format!("{:.4e}", self.longest_s)))
    }

    fn notes(&self) -> Vec<String> {
        [&self.notes[..], &self.spec.notes()].concat()
    }

    fn legend(&self, theme: &Theme) -> Vec<(Swatch, String)> {
        let entry = |a: Account| (Swatch::Box(theme.account(a)), a.label().to_owned());
        // A card has no colours.
        let held = self.held.iter().copied().filter(|_| self.spec.only().is_none());
        held.map(entry).collect()
    }

    fn draw(&self, scene: &mut Scene, room: Rect, options: &RenderOptions<'_>) {
        let (theme, bars) = (options.theme, &self.spec);
        if let Some(mark) = bars.only() {
            return card(scene, room, bars, mark);
        }
        let rows = BarRows { row: ROW, around: AROUND };
        let placed = rows.place(bars, scene, room, options);
        let lost = &bars.figures[LOST].of;
        let words = |bar: usize| format!("{} lost", seconds_brief(lost[bar]));
        // The longest bar leaves room for the label of its loss.
        let figures = text::width(&words(bars.order[0]), FONT, false) + 28.0;
        let span = (room[2] - placed.left - 12.0).max(20.0);
        let scale = Scale::new(
            ScaleKind::Linear,
            (0.0, self.longest_s * span / (span - figures).max(span / 4.0)),
            (placed.left, placed.left + span),
        );
        let panel = [placed.left, placed.top, span, placed.bottom() - placed.top];
        value_panel(scene, panel, &scale, "", &Format::seconds());
        for (at, y) in placed.each() {
            let bar = bars.order[at];
            let (mut sum, end) = (0.0, placed.left + span - figures + 20.0);
            for (account, figure) in self.held.iter().zip(&bars.figures[ACCOUNTS..]) {
                // A bar may pass the end of a fixed axis.
                let from = scale.px(sum).min(end);
                // NaN counts as 0.
                sum += figure.of[bar].max(0.0);
                let to = scale.px(sum).min(end);
                if to > from {
                    // A 1 px gap between two parts, if they are wide enough.
                    let gap = if to - from > 3.0 { 1.0 } else { 0.0 };
                    let part = [from, y + 4.0, to - from - gap, ROW - 8.0];
                    scene.fill(part, theme.account(*account));
                }
            }
            let place = (scale.px(sum).min(end) + 6.0, y + ROW / 2.0);
            scene.text(place, words(bar), theme.muted, START);
        }
    }

    fn heights(&self, width: f64) -> Heights {
        // A legend of two lines at most.
        let around = AROUND.0 + AROUND.1 + 44.0;
        let full = around + ROW * self.spec.order.len() as f64;
        let card = self.spec.only().map_or(160.0, |mark| card::height(&self.spec, mark, width));
        Heights::scrolling(width, full.max(card))
    }
}

#[cfg(test)]
mod tests;
