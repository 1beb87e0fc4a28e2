//! Lost time: a bar a GEMM, or a value of a field, whose parts are the accounts of the ledger, on an axis of
//! time, worst first.

use crate::aggregate::Groups;
use crate::band_scale::{BandScale, Order};
use crate::charts::{Chart, ChartKind, Inputs, Picture, RenderOptions, Said, nothing};
use crate::columns::Columns;
use crate::labels::Rect;
use crate::layout::FONT;
use crate::legend::Swatch;
use crate::palette::Theme;
use crate::plot::{Bands, value_panel};
use crate::row_names::RowNames;
use crate::scale::{Kind, Scale};
use crate::scene::{START, Scene};
use crate::text;
use crate::ticks::Format;
use gemmscope_analysis::ledger::{Account, Adding};
use gemmscope_model::order::InOrder;
use gemmscope_model::units::seconds_brief;
use gemmscope_table::control::{Choice, Control};
use gemmscope_table::dataset::ColumnData;
use gemmscope_table::field::{Field, FieldKind, Frame};
use gemmscope_table::result_table::Table;
use std::collections::HashMap;
use std::sync::Arc;

/// This chart in the list of all.
pub(super) const KIND: ChartKind = ChartKind {
    id: "lost",
    name: "Lost time",
    hint: "Which GEMMs lose most time, and to what?",
    icon: "M2.5 2v12M2.5 4H14M2.5 8h7M2.5 12h3",
    params: &[],
    of_selection: false,
    legend: false,
    open: |inputs| {
        let (said, picture) = LostTime::read(inputs);
        Chart::new(said, picture)
    },
};

const ROW: f64 = 24.0;
/// Room above the bars, and of the axis below them.
const HEAD: f64 = 8.0;
const FOOT: f64 = 26.0;
/// Key of no field: a bar a GEMM.
const GEMM: &str = "gemm";

/// Opened lost time.
#[derive(Debug)]
pub(crate) struct LostTime {
    what: String,
    /// Names of the values; none where every GEMM has a bar.
    values: Vec<String>,
    gemms: RowNames,
    groups: Groups,
    /// Worst first.
    bars: Vec<Bar>,
    lost_s: f64,
}

/// The rows of one band.
#[derive(Clone, Copy, Debug)]
struct Bar {
    band: u32,
    time_s: f64,
    lost_s: f64,
    /// Seconds of all calls, in the order of [`Account::ALL`].
    accounts: [f64; Account::COUNT],
}

/// What lost time is added up by, and the bands of a side's rows.
fn bands(frame: &Frame, side: &Frame, by: &Control, group_of: impl Fn(u32) -> u32) -> BandScale {
    if let Some(info) = Field::parse(&by.current).and_then(|f| frame.info(&f)) {
        return BandScale::of(side, &info, Order::File);
    }
    let mut known = HashMap::new();
    let of = side.rows.iter().map(|&row| {
        let next = known.len() as u32;
        *known.entry(group_of(row)).or_insert(next)
    });
    BandScale { label: "GEMM".to_owned(), of: of.collect(), ..BandScale::default() }
}

impl LostTime {
    /// Reads the settings and adds up what they ask for.
    fn read(inputs: &Inputs<'_>) -> (Said, Self) {
        let Inputs { frame, state, .. } = *inputs;
        let mut options = vec![Choice::new(GEMM, "each GEMM")];
        options.extend(Choice::fields(&frame.fields(), Some(FieldKind::Category)));
        // Layers that a model names, if it names several; else GEMMs, which every row is.
        let layers = frame.data.columns.iter().find(|c| c.key == "layer");
        let several = matches!(layers.map(|c| &c.data), Some(ColumnData::Text { values, .. })
            if values.iter().filter(|v| !v.is_empty()).count() > 1);
        let fallback = if several { "c.layer" } else { GEMM };
        let hint = "What lost time is added up by";
        let by = Control::field(state, "lost.by", "Group", hint, options, fallback);
        let sides = &frame.counted().sides;
        let names = sides.iter().map(|s| Choice::plain(&s.label)).collect();
        let first = sides.first().map_or("", |s| &s.label);
        let hint = "Sides are never added up";
        let side = Control::choice(state, "lost.side", "Side", hint, names, first);
        let at = sides.iter().position(|s| s.label == side.current).unwrap_or(0);
        let rows = sides.get(at).map_or_else(Arc::default, |s| s.rows.clone());

        // Of the bars of one side; the sums of all sides come with it.
        let mut postings = Vec::new();
        let mut adding = Adding::new(frame, inputs.cache.partners(frame));
        while adding.step_with(&mut |p| {
            if let Ok(place) = rows.binary_search(&p.row) {
                postings.push((place, p.calls, p.entry.call));
            }
        }) {}
        let (ledger, splitter) = adding.finish();
        let of_side = frame.with_rows(rows);
        let bands = bands(frame, &of_side, &by, |row| splitter.group_of(row));
        let n = bands.of.iter().filter(|b| **b != BandScale::NONE).max().map_or(0, |b| *b + 1);
        let mut bars: Vec<Bar> = (0..n)
            .map(|band| Bar { band, time_s: 0.0, lost_s: 0.0, accounts: [0.0; Account::COUNT] })
            .collect();
        for (place, calls, call) in postings {
            let Some(bar) = bars.get_mut(bands.of[place] as usize) else { continue };
            bar.time_s += calls * call.total_s();
            bar.lost_s += calls * call.lost_s();
            call.each().for_each(|(account, s)| bar.accounts[account as usize] += calls * s);
        }
        let groups = Groups::of(&of_side, n as usize, |i| bands.of[i]);
        bars.retain(|b| b.time_s > 0.0);
        bars.order_by(|a, b| b.lost_s.total_cmp(&a.lost_s).then(b.time_s.total_cmp(&a.time_s)));
        let lost_s: f64 = bars.iter().map(|b| b.lost_s).sum();
        let firsts = (0..n as usize).filter_map(|b| groups.get(b).first().copied());
        let sentence = format!("Lost time by {}", bands.label);
        let controls = if sides.len() > 1 { vec![by, side] } else { vec![by] };
        let mut said = Said::new(sentence, obstacle(frame, &bars, lost_s), controls);
        for book in ledger.books.iter().filter(|b| b.number == at) {
            said.notes.extend(book.lost_words().map(|words| book.named(&words) + "."));
        }
        let out = LostTime {
            what: bands.label,
            gemms: RowNames::new(&frame.with_rows(Arc::new(firsts.collect()))),
            values: bands.names,
            groups,
            bars,
            lost_s,
        };
        said.notes.extend(out.most());
        said.notes.push(frame.kind().hint().to_owned());
        (said, out)
    }

    /// How few bars hold most of it, and what no bar can say.
    fn most(&self) -> Vec<String> {
        let mut out = Vec::new();
        let mut sum = 0.0;
        let enough = self.bars.iter().position(|b| {
            sum += b.lost_s;
            sum >= 0.8 * self.lost_s * (1.0 - 1e-12)
        });
        if let (Some(at), true) = (enough, self.lost_s > 0.0 && self.bars.len() > 1) {
            let (n, all) = (at + 1, self.bars.len());
            out.push(format!("{n} of {all} bars hold 80 % of {}.", seconds_brief(self.lost_s)));
        }
        let unknown: f64 = self.bars.iter().map(|b| b.accounts[Account::NoRoof as usize]).sum();
        if unknown > 0.0 {
            out.push(format!("{} without a known roof.", seconds_brief(unknown)));
        }
        out
    }

    fn name(&self, at: usize) -> String {
        let band = self.bars[at].band as usize;
        self.values.get(band).cloned().unwrap_or_else(|| self.gemms.get(band))
    }

    fn rows(&self, bar: &Bar) -> &[u32] {
        self.groups.get(bar.band as usize)
    }

    /// The accounts that hold time in a bar, from left to right.
    fn held(&self) -> impl Iterator<Item = Account> {
        Account::ALL.into_iter().filter(|a| self.bars.iter().any(|b| b.accounts[*a as usize] > 0.0))
    }

    fn columns(&self) -> Columns<'_, usize> {
        let bar = |at: &usize| &self.bars[*at];
        let mut out = Columns::new()
            .text(self.what.as_str(), |at| self.name(*at))
            .no_tip()
            .text("GEMMs", move |at| self.rows(bar(at)).len().to_string())
            .no_tip()
            .number("Time", "s", move |at| bar(at).time_s)
            .no_tip()
            .number("Lost time", "s", move |at| bar(at).lost_s)
            .number("Share of lost time", "%", move |at| bar(at).lost_s / self.lost_s);
        for account in self.held() {
            out = out.number(account.part_label(), "s", move |at| {
                match bar(at).accounts[account as usize] {
                    0.0 => f64::NAN,
                    s => s,
                }
            });
        }
        out
    }
}

/// Why there is nothing to draw.
fn obstacle(frame: &Frame, bars: &[Bar], lost_s: f64) -> Option<&'static str> {
    let known = |b: &Bar| b.accounts[Account::Roof as usize] > 0.0;
    nothing(frame).or(match bars {
        [] => Some("No GEMM here has a time."),
        _ if lost_s > 0.0 => None,
        _ if bars.iter().any(known) => Some("No time lost: every GEMM is at its roof."),
        _ => Some("No roof: choose a device."),
    })
}

impl Picture for LostTime {
    fn legend(&self, theme: &Theme) -> Vec<(Swatch, String)> {
        let entry = |a: Account| (Swatch::Box(theme.account(a)), a.part_label().to_owned());
        self.held().map(entry).collect()
    }

    fn draw(
        &self,
        scene: &mut Scene,
        [left, top, width, height]: Rect,
        options: &RenderOptions<'_>,
    ) {
        let (theme, columns) = (options.theme, self.columns());
        let bands = Bands {
            n: self.bars.len(),
            what: "Bars",
            row: ROW,
            most: None,
            name: &|at| self.name(at),
            mark: &|at, name| {
                Some((self.rows(&self.bars[at]).to_vec(), columns.tooltip(name, &at)))
            },
        };
        let room = [left, top + HEAD, width, height - HEAD - FOOT];
        let placed = bands.place(scene, room, options);
        let words = |b: &Bar| format!("{} lost", seconds_brief(b.lost_s));
        // The longest bar leaves room for what it loses.
        let longest = self.bars.iter().map(|b| b.time_s).fold(0.0, f64::max);
        let figures = text::width(&words(&self.bars[0]), FONT, false) + 28.0;
        let span = (width - placed.left - 12.0).max(20.0);
        let scale = Scale::new(
            Kind::Linear,
            (0.0, longest * span / (span - figures).max(span / 4.0)),
            (placed.left, placed.left + span),
        );
        let panel = [placed.left, placed.top, span, placed.bottom() - placed.top];
        value_panel(scene, theme, panel, &scale, "", &Format::seconds());
        for (at, y) in placed.each() {
            let bar = &self.bars[at];
            let mut sum = 0.0;
            for account in Account::ALL {
                let from = scale.px(sum);
                sum += bar.accounts[account as usize];
                let to = scale.px(sum);
                if to > from {
                    // A hair between two parts, where they have the room.
                    let gap = if to - from > 3.0 { 1.0 } else { 0.0 };
                    let part = [from, y + 4.0, to - from - gap, ROW - 8.0];
                    scene.fill(part, theme.account(account));
                }
            }
            let place = (scale.px(sum) + 6.0, y + ROW / 2.0);
            scene.text(place, words(bar), theme.muted, START);
        }
    }

    fn table(&self) -> Table {
        self.columns().table(0..self.bars.len())
    }

    fn full_height(&self) -> Option<f64> {
        // A legend of two lines at most.
        Some((HEAD + FOOT + 44.0 + ROW * self.bars.len() as f64).max(160.0))
    }
}

#[cfg(test)]
mod tests;
