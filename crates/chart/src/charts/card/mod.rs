//! The analysis card: selected GEMMs side by side, what limits each, and why.

use crate::charts::{Chart, ChartKind, Inputs, RenderOptions, nothing};
use crate::labels::Rect;
use crate::layout::FONT;
use crate::palette::{Theme, alpha};
use crate::plot::{Page, plot};
use crate::scene::{Anchor, Baseline, Color, HitArea, Item, Scene};
use crate::text;
use crate::tooltip::Tooltip;
use gemmscope_analysis::analysis_card::{Card, cards, side_by_side};
use gemmscope_model::units::plural;
use gemmscope_table::column_format;
use gemmscope_table::field::Field;
use gemmscope_table::result_table::Table;

/// This chart in the list of all.
pub(super) const KIND: ChartKind = ChartKind {
    id: "card",
    name: "Analysis",
    hint: "The selected GEMMs side by side: what limits each, and why",
    icon: "M2 3h12v10H2zM4.5 6h4M4.5 8.5h7M4.5 11h5",
    params: &["color"],
    of_selection: true,
    legend: false,
    open: |inputs| Box::new(Cards::open(inputs)),
};

/// Most cards; a table compares more rows better.
const MOST: usize = 12;
/// Cards where nothing is selected.
const UNASKED: usize = 2;
/// Narrowest and widest card in px.
const WIDTH: (f64, f64) = (250.0, 420.0);
const GAP: f64 = 12.0;
const PAD: f64 = 12.0;
const LINE: f64 = 20.0;
const BAR: f64 = 5.0;

/// An opened analysis card.
#[derive(Debug)]
pub(crate) struct Cards {
    cards: Vec<Card>,
    /// Label, then one text a card.
    lines: Vec<Vec<String>>,
    header: Vec<String>,
    /// Rows that are selected; 0 where the dearest ones stand in.
    selected: usize,
    empty: Option<&'static str>,
}

impl Cards {
    /// The cards of the selected rows, in the order of selection; without any, of those rows that
    /// take most time.
    pub(crate) fn open(inputs: &Inputs<'_>) -> Self {
        let frame = inputs.frame;
        let mut rows = inputs.selected.to_vec();
        let selected = rows.len();
        if rows.is_empty()
            && let Some(info) = frame.info(&Field::TotalTime)
        {
            rows = column_format::sorted(frame, &info, true);
            rows.truncate(UNASKED);
        }
        rows.truncate(MOST);
        let cards = cards(frame, &rows);
        let table = side_by_side(&cards);
        Cards {
            empty: nothing(frame).filter(|_| cards.is_empty()),
            cards,
            lines: table.rows,
            header: table.header,
            selected,
        }
    }

    fn columns(&self, width: f64) -> (usize, f64) {
        let room = width - 2.0 * GAP;
        let fit = (((room + GAP) / (WIDTH.0 + GAP)) as usize).clamp(1, self.cards.len().max(1));
        // Rows of cards of about the same number.
        let rows = self.cards.len().div_ceil(fit).max(1);
        let n = self.cards.len().div_ceil(rows).max(1);
        let each = (room - GAP * (n as f64 - 1.0)) / n as f64;
        (n, each.clamp(40.0, WIDTH.1))
    }

    /// The tallest card's height at a width.
    fn card_height(&self, width: f64) -> f64 {
        let inner = width - 2.0 * PAD;
        let heads = self.cards.iter().map(|c| head(c, inner).len());
        let whys = self.cards.iter().map(|c| why(c, inner).len());
        2.0 * PAD
            + heads.max().unwrap_or(1) as f64 * 17.0
            + 6.0
            + self.lines.len() as f64 * LINE
            + 2.0 * (BAR + 4.0)
            + 10.0
            + whys.max().unwrap_or(0) as f64 * FONT * 1.4
    }

    fn card(&self, scene: &mut Scene, theme: &Theme, index: usize, rect: Rect) {
        let Some(card) = self.cards.get(index) else {
            return;
        };
        let [l, t, w, h] = rect;
        scene.items.push(Item::Rect {
            rect,
            fill: Some(theme.panel),
            stroke: Some((theme.grid, 1.0)),
        });
        let (x, inner) = (l + PAD, w - 2.0 * PAD);
        let mut y = t + PAD;
        for line in head(card, inner) {
            let hang = (Anchor::Start, Baseline::Top);
            scene.bold((x, y), line, 12.0, theme.text, hang);
            y += 17.0;
        }
        y += 6.0;
        for line in &self.lines {
            let (Some(label), Some(value)) = (line.first(), line.get(index + 1)) else {
                continue;
            };
            let middle = y + LINE / 2.0;
            let start = (Anchor::Start, Baseline::Middle);
            let label_width = text::width(label, FONT, false);
            scene.text((x, middle), label.clone(), FONT, theme.muted, start);
            let room = inner - label_width - 10.0;
            let value = match value.as_str() {
                "" => "not known".to_owned(),
                v => text::ellipsis_middle(v, FONT, room),
            };
            let end = (Anchor::End, Baseline::Middle);
            scene.bold((x + inner, middle), value, FONT, theme.text, end);
            y += LINE;
            let share = match label.as_str() {
                "Bandwidth utilisation" => Some((card.bandwidth_use, theme.categories[1])),
                l if l.starts_with("% of ") => Some((card.efficiency, theme.categories[0])),
                _ => None,
            };
            if let Some((share, color)) = share {
                bar(scene, theme, [x, y, inner, BAR], share, color);
                y += BAR + 4.0;
            }
        }
        y += 10.0;
        for line in why(card, inner) {
            let hang = (Anchor::Start, Baseline::Top);
            scene.text((x, y), line, FONT, theme.text, hang);
            y += FONT * 1.4;
        }
        scene.hit_areas.push(HitArea {
            rows: vec![card.row],
            rect: [l, t, w, h],
            tooltip: Tooltip::new(&card.name).line(card.why()),
        });
    }
}

fn head(card: &Card, width: f64) -> Vec<String> {
    let mut lines = text::wrap(&card.name, 12.0, width / 1.1);
    if lines.len() > 2 || lines.iter().any(|l| text::width(l, 12.0, true) > width) {
        // A kernel's name has no place to break.
        lines = vec![text::ellipsis_middle(&card.name, 12.0, width / 1.1)];
    }
    lines
}

fn why(card: &Card, width: f64) -> Vec<String> {
    text::wrap(&card.why(), FONT, width)
}

/// A share of 100 %, with what passes it marked.
fn bar(scene: &mut Scene, theme: &Theme, [l, t, w, h]: Rect, share: f64, color: Color) {
    scene.fill([l, t, w, h], alpha(theme.other, 0.2));
    if share.is_finite() {
        let over = share > 1.0;
        let color = if over { theme.warn } else { color };
        scene.fill([l, t, w * share.clamp(0.0, 1.0), h], color);
    }
}

impl Chart for Cards {
    fn scene(&self, options: &RenderOptions<'_>) -> Scene {
        let theme = options.theme;
        let title = match self.empty {
            Some(_) => String::new(),
            None => format!("Analysis of {}", plural(self.cards.len() as u64, "GEMM")),
        };
        let page = Page { notes: self.notes(), ..Page::new(title, self.empty) };
        // Every card is of a selected row: outlines would tell nothing.
        let options = RenderOptions { selected: &[], ..*options };
        plot(&options, page, |scene, [_, _, width, _]| {
            let (n, each) = self.columns(width);
            let height = self.card_height(each);
            for i in 0..self.cards.len() {
                let (row, column) = (i / n, i % n);
                let left = GAP + column as f64 * (each + GAP);
                let rect = [left, GAP + row as f64 * (height + GAP), each, height];
                self.card(scene, theme, i, rect);
            }
        })
    }

    fn table(&self) -> Table {
        let mut rows = self.lines.clone();
        if !self.cards.is_empty() {
            let mut why = vec!["Why".to_owned()];
            why.extend(self.cards.iter().map(Card::why));
            rows.push(why);
        }
        Table { header: self.header.clone(), rows }
    }

    fn notes(&self) -> Vec<String> {
        if self.empty.is_some() {
            return Vec::new();
        }
        let mut out = Vec::new();
        if self.selected == 0 {
            out.push(
                "Nothing is selected: these take most time. Select points, bars or cells in any \
                 view to put them side by side."
                    .to_owned(),
            );
        } else if self.selected > MOST {
            out.push(format!("The first {MOST} of {} selected.", self.selected));
        }
        if self.cards.iter().any(|c| c.roof.is_none()) {
            out.push("Choose a device to see what limits a GEMM whose file names none.".to_owned());
        }
        out
    }

    fn height(&self, width: f64) -> f64 {
        let (n, each) = self.columns(width);
        let rows = self.cards.len().div_ceil(n.max(1)).max(1) as f64;
        (GAP + rows * (self.card_height(each) + GAP)).max(220.0)
    }

    fn heights(&self, width: f64) -> (f64, f64) {
        let most = if self.cards.is_empty() { f64::INFINITY } else { self.height(width) };
        (self.height(width), most)
    }
}
