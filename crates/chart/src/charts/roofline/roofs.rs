//! The roofs: slopes, ceilings, ridge points, and their labels.

use super::{AiAxis, Layers, RooflineInput, Roofs};
use crate::aggregate::add_new;
use crate::clip;
use crate::labels::{On, Rect, about, plate, plate_size};
use crate::layout::Plot;
use crate::palette::alpha;
use crate::scene::{Color, Point, Symbol};
use crate::ticks::{Format, rate_words};
use crate::tooltip::Tooltip;
use gemmscope_model::dtype::DataType;
use gemmscope_model::hardware::{BEST_MEASURED, Device, MemoryLevel, short_name};
use gemmscope_model::units::{FlopsPerSec, format_short, grouped};

/// The roof of one device for the types that share a peak.
#[derive(Clone, Debug, PartialEq)]
pub struct RoofLine {
    /// Device name.
    pub device: String,
    /// Types in use that run at this peak: `fp16, bf16`.
    pub types: Vec<String>,
    /// Dense datasheet peak, FLOP/s.
    pub peak: f64,
    /// Achievable rates, if known: types, FLOP/s, and whether a row of the open files set the rate.
    pub achievable: Vec<(Vec<String>, f64, bool)>,
    /// Ceilings that rows are judged by, FLOP/s: drawn solid, the others dashed.
    pub solid: Vec<f64>,
    /// Memory bandwidth, byte/s.
    pub bandwidth: f64,
    /// Bandwidths of the caches shown, byte/s.
    pub caches: Vec<(MemoryLevel, f64)>,
    /// Number of passing rows under this roof.
    pub rows: u64,
    /// The types of these rows' operands, as the type field names them.
    pub row_types: Vec<String>,
    /// Source of the peak.
    pub source: String,
    /// Its own colour, if colours tell several devices apart.
    pub color: Option<Color>,
}

impl RoofLine {
    /// Roof of a device for a type, with no rows; `None` if the device lists no usable rate.
    pub(crate) fn of(device: &Device, dtype: DataType) -> Option<Self> {
        let usable = |v: &f64| *v > 0.0 && v.is_finite();
        let peak = device.peak_for(dtype)?;
        let name = || vec![dtype.name().to_owned()];
        if !usable(&peak.flops_per_s) || !usable(&device.bandwidth_bytes_per_s) {
            return None;
        }
        // A measured peak is the achievable one: one line.
        let achievable = peak.achievable_flops_per_s.filter(usable);
        let achievable = achievable.filter(|rate| *rate != peak.flops_per_s);
        Some(RoofLine {
            device: device.name.clone(),
            types: name(),
            peak: peak.flops_per_s,
            achievable: achievable
                .map(|rate| {
                    let here = |source: &str| source.starts_with(BEST_MEASURED);
                    (name(), rate, peak.achievable_source.as_deref().is_some_and(here))
                })
                .into_iter()
                .collect(),
            solid: vec![peak.flops_per_s],
            bandwidth: device.bandwidth_bytes_per_s,
            caches: Vec::new(),
            rows: 0,
            row_types: Vec::new(),
            source: peak.source.clone(),
            color: None,
        })
    }

    /// Ridge point, FLOP/byte.
    pub(crate) fn ridge(&self) -> f64 {
        self.peak / self.bandwidth
    }

    /// Ridge points of the ceilings that rows are judged by, FLOP/byte, each with its ceiling, FLOP/s.
    fn ridges(&self) -> impl Iterator<Item = (f64, f64)> {
        self.solid.iter().map(|peak| (peak / self.bandwidth, *peak))
    }

    /// True if a position is on its ceiling.
    pub(super) fn is_near(&self, plot: &Plot, (x, y): Point) -> bool {
        const NEAR: f64 = 4.0;
        let from = px(plot, self.ridge(), self.peak);
        plot.holds((x, y)) && x >= from.0 - NEAR && (y - from.1).abs() <= NEAR
    }

    /// The achievable rates in words.
    fn achievable(&self) -> impl Iterator<Item = String> {
        self.achievable.iter().map(|(types, rate, here)| {
            let rate = rate_words(*rate);
            format!("{rate} ({}){}", types.join(", "), measured(*here))
        })
    }

    /// Its tooltip.
    pub(super) fn tooltip(&self) -> Tooltip {
        let out = Tooltip::new(format!("{} on {}", self.types.join(", "), self.device))
            .row("Peak", format!("{}, dense", FlopsPerSec(self.peak).peak()));
        let out = self.achievable().fold(out, |out, value| out.row("Achievable", value));
        let ridge = format_short(self.ridge(), 4);
        let out = out
            .row("Bandwidth", Format::si("B/s").write(self.bandwidth, 4))
            .row("Ridge", format!("{ridge} FLOP/B"))
            .row("Rows", grouped(self.rows));
        match self.source.as_str() {
            "" => out,
            source => out.row("Source", source),
        }
    }

    /// The roof in words.
    pub(crate) fn sentence(&self) -> String {
        let achievable: String = self.achievable().map(|v| format!(", achievable {v}")).collect();
        format!(
            "{} {}: {} dense{achievable}, {}, ridge at {} FLOP/B",
            self.device,
            self.types.join(", "),
            FlopsPerSec(self.peak).peak(),
            Format::si("B/s").write(self.bandwidth, 4),
            format_short(self.ridge(), 4)
        )
    }
}

/// Remark on an achievable rate that a row of the open files set.
fn measured(here: bool) -> &'static str {
    if here { ", best measured here" } else { "" }
}

/// Adds a roof. If the list has one of the same device and peak, its types and rows are added to that one.
pub fn merge(roofs: &mut Vec<RoofLine>, new: RoofLine) {
    let same = |r: &&mut RoofLine| {
        r.device == new.device && r.peak == new.peak && r.bandwidth == new.bandwidth
    };
    let Some(roof) = roofs.iter_mut().find(same) else {
        roofs.push(new);
        return;
    };
    roof.rows += new.rows;
    let add = |list: &mut Vec<String>, names: Vec<String>| {
        names.into_iter().for_each(|name| add_new(list, name));
    };
    add(&mut roof.types, new.types);
    add(&mut roof.row_types, new.row_types);
    new.solid.into_iter().for_each(|peak| add_new(&mut roof.solid, peak));
    for (names, rate, here) in new.achievable {
        match roof.achievable.iter_mut().find(|a| (a.1, a.2) == (rate, here)) {
            Some((list, ..)) => add(list, names),
            None => roof.achievable.push((names, rate, here)),
        }
    }
}

/// Colour of the rows of each device code, if colours tell devices apart: each has one, and they differ.
fn own_colors(input: &RooflineInput<'_>) -> Vec<Option<Color>> {
    let (data, colors) = (&input.frame.data, input.color_scale);
    let mut codes: Vec<Option<u16>> = vec![None; data.devices.len()];
    for &row in input.frame.rows.iter() {
        let code = Some(colors.code(row as usize));
        let own = &mut codes[usize::from(data.device[row as usize])];
        if own.is_some() && *own != code {
            return Vec::new();
        }
        *own = code;
    }
    let mut used = codes.iter().flatten();
    let first = used.next();
    if used.all(|code| Some(code) == first) {
        codes.clear();
    }
    codes.iter().map(|code| colors.palette.get(usize::from((*code)?)).copied()).collect()
}

/// The roofs of the devices and types in use, most used first.
pub(super) fn collect(input: &RooflineInput<'_>, usage: &[u64]) -> Vec<RoofLine> {
    let data = &input.frame.data;
    let ops = data.ops.len();
    let mut out: Vec<RoofLine> = input.extras.roofs.clone();
    let own = own_colors(input);
    for (i, &rows) in usage.iter().enumerate() {
        let (Some(op), Some(Some(device))) =
            (data.ops.get(i % ops.max(1)), input.frame.metrics.devices.get(i / ops.max(1)))
        else {
            continue;
        };
        if rows == 0 {
            continue;
        }
        let of = |dtype| {
            let roof = RoofLine::of(device, dtype)?;
            let caches = [MemoryLevel::L2, MemoryLevel::L1].into_iter();
            let shown = caches.filter(|l| input.ai == AiAxis::All || input.ai.level() == Some(*l));
            let caches = shown.filter_map(|l| Some((l, device.bandwidth_of(l)?)));
            let judged = device.roof(dtype, input.frame.metrics.kind);
            Some(RoofLine {
                caches: caches.collect(),
                solid: judged.map(|r| r.peak_flops_per_s).into_iter().collect(),
                color: own.get(i / ops.max(1)).copied().flatten(),
                ..roof
            })
        };
        if let Some(roof) = of(op.compute)
            && [Roofs::OfRows, Roofs::All].contains(&input.roof_types)
        {
            let row_types = vec![op.types()];
            let used = RoofLine { rows, row_types, ..roof };
            merge(&mut out, used);
        }
        let others: Vec<DataType> = match input.roof_types {
            Roofs::OfRows => Vec::new(),
            Roofs::All => device.peaks.iter().map(|p| p.dtype).collect(),
            Roofs::Of(dtype) => vec![dtype],
        };
        for roof in others.into_iter().filter_map(of) {
            merge(&mut out, roof);
        }
    }
    out.sort_by(|a, b| b.rows.cmp(&a.rows).then(a.device.cmp(&b.device)));
    out
}

/// Maximum number of roofs with a label and a ridge, since more would overlap.
const LABELLED: usize = 12;

/// Device, memory level, bandwidth, ridge point of its highest ceiling, colour.
type Slope<'a> = (&'a str, MemoryLevel, f64, f64, Option<Color>);

/// One slope for each device and memory level, with its highest ceiling.
fn slopes(roofs: &[RoofLine]) -> Vec<Slope<'_>> {
    let mut out: Vec<Slope<'_>> = Vec::new();
    for r in roofs {
        let main = [(MemoryLevel::Main, r.bandwidth)];
        for (level, bandwidth) in main.iter().chain(&r.caches).copied() {
            let ridge = r.peak / bandwidth;
            let same = |s: &&mut Slope<'_>| s.0 == r.device && s.2 == bandwidth && s.1 == level;
            match out.iter_mut().find(same) {
                Some(s) => s.3 = s.3.max(ridge),
                None => out.push((&r.device, level, bandwidth, ridge, r.color)),
            }
        }
    }
    out
}

fn px(plot: &Plot, ai: f64, rate: f64) -> Point {
    (plot.x.px(ai), plot.y.px(rate))
}

/// The line from the left edge of the visible range up to a ridge.
fn slope_line(plot: &Plot, bandwidth: f64, ridge: f64) -> [Point; 2] {
    let from = plot.x.domain.0.min(plot.y.domain.0 / bandwidth).min(ridge) / 2.0;
    [px(plot, from, from * bandwidth), px(plot, ridge, ridge * bandwidth)]
}

fn ceiling_line(plot: &Plot, bandwidth: f64, peak: f64) -> [Point; 2] {
    let ridge = peak / bandwidth;
    let to = (plot.x.domain.1 * 2.0).max(ridge);
    [px(plot, ridge, peak), px(plot, to, peak)]
}

impl Layers<'_> {
    /// Draws slopes, ceilings and ridges.
    pub(super) fn roofs(&mut self, roofs: &[RoofLine]) {
        let (theme, plot, scene) = (self.input.theme, &self.plot, &mut self.scene);
        let color = |own: Option<Color>| own.unwrap_or(theme.roof);
        let bottom = plot.rect[1] + plot.rect[3];
        for (ridge, peak) in roofs.iter().take(LABELLED).flat_map(RoofLine::ridges) {
            let at = px(plot, ridge, peak);
            scene.dashed(vec![at, (at.0, bottom)], alpha(theme.axis, 0.7), 1.0, &[2.0, 4.0]);
        }
        for r in roofs {
            let ceilings = r.achievable.iter().map(|a| a.1).chain([r.peak]);
            for peak in ceilings.filter(|p| !r.solid.contains(p)) {
                let line = ceiling_line(plot, r.bandwidth, peak).to_vec();
                scene.dashed(line, alpha(color(r.color), 0.85), 1.25, &[6.0, 4.0]);
            }
        }
        for (_, level, bandwidth, ridge, own) in slopes(roofs) {
            let line = slope_line(plot, bandwidth, ridge).to_vec();
            match level {
                MemoryLevel::Main => scene.line(line, color(own), 1.5),
                _ => scene.dashed(line, alpha(color(own), 0.85), 1.25, &[2.0, 3.0]),
            }
        }
        for r in roofs {
            let color = color(r.color);
            for (ridge, peak) in r.ridges() {
                scene.line(ceiling_line(plot, r.bandwidth, peak).to_vec(), color, 1.5);
                scene.mark(px(plot, ridge, peak), 3.0, Symbol::Dot, color);
            }
        }
    }

    /// Labels ceilings, slopes and ridges, as far as there is room. Returns the boxes of the ceiling labels, each with
    /// the index of its roof.
    pub(super) fn roof_labels(&mut self, roofs: &[RoofLine]) -> Vec<(usize, Rect)> {
        let (frame, narrow) = (self.input.frame, self.input.narrow());
        // An unknown device is named in a file: the roofs are not those of its rows.
        let others = frame.metrics.devices.iter().skip(1).any(Option::is_none);
        let many = others || roofs.iter().any(|r| r.device != roofs[0].device);
        self.block_roofs(roofs);
        let shown = &roofs[..roofs.len().min(LABELLED)];
        // A type shared by all labels would only make them too long for their ceilings.
        let typed = !many || shown.iter().any(|r| r.types != shown[0].types);
        // Labels also keep off the ends of ceilings.
        for (ridge, peak) in shown.iter().flat_map(RoofLine::ridges) {
            self.placer.block(about(self.px(ridge, peak), 4.0));
        }
        // From the top down: labels that must move then go down along the slope, not into others.
        let mut ceilings: Vec<(usize, f64, bool, String)> = Vec::new();
        for (index, r) in shown.iter().enumerate() {
            let who = |types: &[String], typed| match (many, typed && !narrow) {
                (true, true) => format!("{} {}", short_name(&r.device), types.join(", ")),
                (true, false) => short_name(&r.device),
                _ => types.join(", "),
            };
            let dense = if narrow || many { "" } else { " dense" };
            let label = format!("{} {}{dense}", who(&r.types, typed), FlopsPerSec(r.peak).peak());
            ceilings.push((index, r.peak, true, label));
            for (types, a, here) in &r.achievable {
                let here = if narrow { "" } else { measured(*here) };
                let who = who(types, typed || r.achievable.len() > 1);
                let label = format!("{who} achievable {}{here}", rate_words(*a));
                ceilings.push((index, *a, false, label));
            }
        }
        ceilings.sort_by(|a, b| b.1.total_cmp(&a.1));
        let mut places = Vec::new();
        let steepest = shown.iter().map(|r| r.bandwidth).fold(0.0, f64::max);
        let color = |own: Option<Color>| own.unwrap_or(self.input.theme.roof);
        for (index, peak, must, label) in ceilings {
            let (line, color) =
                ([shown[index].bandwidth, steepest, peak], color(shown[index].color));
            // On a phone, a leader line to a distant name would cross the points.
            let near = many || narrow && !must;
            let place = self.ceiling_label(line, (&label, color), must, near);
            places.extend(place.map(|rect| (index, rect)));
        }
        let caches = shown.iter().any(|r| !r.caches.is_empty());
        for (device, level, bandwidth, ridge, own) in slopes(roofs) {
            let mut speed = Format::si("B/s").write(bandwidth, 4);
            if caches {
                speed = format!("{} {speed}", level.label());
            }
            let label = if many { format!("{} {speed}", short_name(device)) } else { speed };
            self.slope_label(slope_line(&self.plot, bandwidth, ridge), (&label, color(own)));
        }
        // From the right: of two close ridges, the right one's label goes to the right.
        let mut ridges: Vec<(f64, f64)> = shown.iter().flat_map(RoofLine::ridges).collect();
        ridges.sort_by(|a, b| b.0.total_cmp(&a.0));
        for (ridge, peak) in ridges {
            let value = format!("{} FLOP/B", format_short(ridge, 4));
            let label = if narrow || shown.len() > 2 { value } else { format!("ridge {value}") };
            self.ridge_label(self.px(ridge, peak), &label);
        }
        places
    }

    /// Labels avoid roofs if they can; they never overlap other labels.
    fn block_roofs(&mut self, roofs: &[RoofLine]) {
        let plot = &self.plot;
        let slopes = slopes(roofs).into_iter().map(|s| slope_line(plot, s.2, s.3));
        let ceilings = roofs.iter().flat_map(|r| {
            let all = std::iter::once(r.peak).chain(r.achievable.iter().map(|a| a.1));
            all.map(|peak| ceiling_line(plot, r.bandwidth, peak))
        });
        for [a, b] in slopes.chain(ceilings) {
            if let Some((a, b)) = clip::segment(a, b, plot.rect) {
                self.placer.block_line(a, b);
            }
        }
    }

    /// Labels a ceiling at its slope, left of the steepest of all slopes. With `must` it may cover lines or marks; with
    /// `near` only at its own line.
    fn ceiling_label(
        &mut self,
        [bandwidth, steepest, peak]: [f64; 3],
        (label, color): (&str, Color),
        must: bool,
        near: bool,
    ) -> Option<Rect> {
        let plot = self.plot;
        let [a, b] = ceiling_line(&plot, bandwidth, peak);
        let (from, _) = clip::segment(a, b, plot.rect)?;
        let (w, h) = plate_size(label);
        let last = plot.rect[0] + plot.rect[2] - w - 4.0;
        // Nothing is drawn left of the point where the ceiling meets the slope: the label goes there, moved up or down
        // if another one is in the way.
        let begins_here = from.0 > plot.rect[0] + 1.0;
        let beside = |step: &f64| {
            let y = from.1 - h / 2.0 + step * h;
            // Within the height of the box, slopes are leftmost at its lower edge.
            let slope = plot.x.px(plot.y.value(y + h) / steepest).min(from.0);
            [slope - w - 10.0, y, w, h]
        };
        const STEPS: [f64; 13] =
            [0.0, -0.5, 0.5, -1.0, 1.0, -1.5, 1.5, -2.0, 2.0, 2.5, 3.0, 3.5, 4.0];
        // Else above the ceiling, from the right.
        let above = (0..47).map(|i| last - 24.0 * f64::from(i)).take_while(|x| *x >= from.0);
        let above = above.map(|x| [x, from.1 - h - 2.0, w, h]);
        // Else below it, beyond other ceilings.
        let below = |i: u32| [last, from.1 + 3.0 + (h + 1.0) * f64::from(i), w, h];
        let candidates: Vec<Rect> = match near {
            // First over the right end of its own line, off the ridge's mark, and never so far away that it could be
            // read as the label of another roof.
            true => {
                let end = [last, from.1 - h - 5.0, w, h];
                let beside = STEPS[..5].iter().filter(|_| begins_here).map(beside);
                let under = above.clone().map(|[x, _, w, h]| [x, from.1 + 3.0, w, h]);
                let tight = above.clone().map(|[x, _, w, h]| [x, from.1 - h - 1.0, w, h]);
                let second = must.then(|| below(1));
                above.chain(tight).chain([end]).chain(beside).chain(under).chain(second).collect()
            }
            false => {
                let beside = STEPS.iter().filter(|_| begins_here).map(beside);
                beside.chain(above).chain((0..8).map(below)).collect()
            }
        };
        // A label on a roof would interrupt its line. The label of a lower ceiling gives way, since hovering shows it
        // too.
        let clear = self.placer.place(candidates.iter().copied(), On::Nothing);
        let rect = match must {
            true if near => clear.or_else(|| self.placer.place(candidates, On::Lines)),
            true => clear.or_else(|| self.placer.place(candidates, On::Marks)),
            false => clear,
        }?;
        let (end, faint) = ((rect[0] + w, rect[1] + h / 2.0), alpha(self.input.theme.muted, 0.6));
        if rect[1] > from.1 + h {
            let x = rect[0] + w - 12.0;
            self.scene.line(vec![(x, rect[1] - 1.0), (x, from.1 + 2.0)], faint, 1.0);
        } else if begins_here && end.0 < from.0 {
            self.scene.line(vec![(end.0 + 1.0, end.1), (from.0 - 2.0, from.1)], faint, 1.0);
        }
        plate(&mut self.scene, rect, label, color);
        Some(rect)
    }

    fn slope_label(&mut self, [a, b]: [Point; 2], label: (&str, Color)) {
        let Some((from, to)) = clip::segment(a, b, self.plot.rect) else {
            return;
        };
        const ALONG: [f64; 15] =
            [0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8, 0.1, 0.9, 0.45, 0.55, 0.35, 0.65, 0.25, 0.75];
        self.placer.label(&mut self.scene, label, On::Nothing, |w, h| {
            ALONG.into_iter().flat_map(move |t| {
                let at = (from.0 + (to.0 - from.0) * t, from.1 + (to.1 - from.1) * t);
                [[at.0 - w - 5.0, at.1 - h - 2.0, w, h], [at.0 + 6.0, at.1 + 3.0, w, h]]
            })
        });
    }

    fn ridge_label(&mut self, at: Point, label: &str) {
        let plot = self.plot;
        if !(at.0 >= plot.rect[0] && at.0 <= plot.rect[0] + plot.rect[2]) {
            return;
        }
        let bottom = plot.rect[1] + plot.rect[3];
        self.placer.label(&mut self.scene, (label, self.input.theme.muted), On::Lines, |w, h| {
            // Beside the line that drops from the ridge: first at its foot, then along it.
            let mut spots = Vec::new();
            for y in [bottom - h - 4.0, bottom - 2.0 * h - 8.0, bottom - 3.0 * h - 12.0] {
                spots.extend([[at.0 + 4.0, y, w, h], [at.0 - w - 4.0, y, w, h]]);
            }
            if plot.holds(at) {
                spots.push([at.0 + 4.0, at.1 + 6.0, w, h]);
                spots.push([at.0 - w - 6.0, at.1 - h - 4.0, w, h]);
            }
            spots
        });
    }
}
