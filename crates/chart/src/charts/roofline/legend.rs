//! The legend of the roofline.

use super::settings::{AI_KEY, AiAxis, MEASURED_KEY, OFF_KEY};
use super::{Counts, Input, marks};
use crate::color_scale::shown_name;
use crate::legend::{Click, Legend, LegendEntry, Outside};
use crate::scene::Symbol;
use gemmscope_model::hardware::MemoryLevel;

/// Categories with their counts, then what the open and hollow marks and the triangles mean.
pub(super) fn legend(input: &Input<'_>, by_code: &[u64], counts: &Counts) -> Legend {
    let colors = input.color_scale;
    let name = |i: usize| colors.names.get(i).cloned().unwrap_or_default();
    let shown = shown_name(input.frame, &colors.label);
    let categories = (0..colors.palette.len()).map(|i| LegendEntry {
        name: shown(&name(i)),
        symbol: colors.symbols.get(i).copied().unwrap_or(Symbol::Dot),
        color: colors.palette[i],
        count: by_code.get(i).copied().unwrap_or(0),
        hint: format!("{}: click for only this, Ctrl-click to add or remove", name(i)),
        shown: Some(!input.is_hidden(i as u16)),
        click: Click::Category,
    });
    let all = input.ai == AiAxis::All;
    let level = |level: MemoryLevel| LegendEntry {
        name: format!("{} bytes", level.label()),
        symbol: marks::symbol(level),
        color: input.theme.muted,
        count: if all { counts.measured[level as usize] } else { 0 },
        hint: format!(
            "The same GEMMs at the AI of their {} bytes: click for only these",
            level.label()
        ),
        shown: Some(true),
        click: Click::Set { key: AI_KEY, value: level.key() },
    };
    let measured = LegendEntry {
        name: "at measured bytes".to_owned(),
        symbol: Symbol::Open,
        color: input.theme.muted,
        count: match input.ai {
            AiAxis::Compulsory => counts.measured[MemoryLevel::Main as usize],
            _ => 0,
        },
        hint: "The same GEMMs at the AI of the profiler's counted bytes: click to show or hide"
            .to_owned(),
        shown: Some(input.measured),
        click: Click::Set { key: MEASURED_KEY, value: if input.measured { "off" } else { "" } },
    };
    let above = LegendEntry {
        name: "above its roof".to_owned(),
        symbol: Symbol::Triangle,
        color: input.theme.text,
        count: counts.above_roof,
        hint: "Faster than the roof: cache, sparsity, wrong device or unit. Click to select them"
            .to_owned(),
        shown: None,
        click: Click::Select(Outside::Above),
    };
    let no_roof = LegendEntry {
        name: "no known roof".to_owned(),
        symbol: Symbol::Ring,
        color: input.theme.text,
        count: counts.no_roof,
        hint: "No efficiency: no device, or no peak for this type. Click to select the slowest"
            .to_owned(),
        shown: None,
        click: Click::Select(Outside::NoRoof),
    };
    let steps = colors.palette.len().saturating_sub(1);
    Legend {
        title: colors.label.clone(),
        key: OFF_KEY,
        names: (0..colors.palette.len()).map(name).collect(),
        gradient: colors
            .gradient
            .map(|_| (0..steps).map(|i| (colors.palette[i], name(i))).collect()),
        entries: categories
            .filter(|_| colors.gradient.is_none())
            .chain([measured, above, no_roof])
            .chain(MemoryLevel::ALL.map(level))
            .filter(|e| e.count > 0 && !e.name.is_empty())
            .collect(),
    }
}
