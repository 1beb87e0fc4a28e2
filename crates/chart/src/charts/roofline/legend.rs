//! The legend of the roofline.

use super::settings::{AI_KEY, AiAxis, MEASURED_KEY, OFF_KEY};
use super::{Counts, RooflineInput, marks};
use crate::color_scale::shown_name;
use crate::legend::{Click, Legend, LegendEntry, Outside};
use crate::scene::Symbol;
use gemmscope_model::hardware::MemoryLevel;
use gemmscope_model::units::decapitalized;

/// Categories with their counts, then the meaning of open and hollow marks and of triangles.
pub(super) fn legend(input: &RooflineInput<'_>, by_code: &[u64], counts: &Counts) -> Legend {
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
    let theme = input.theme;
    let other = |name: &str, symbol, count, hint: &str, click| LegendEntry {
        name: name.to_owned(),
        symbol,
        count,
        hint: hint.to_owned(),
        click,
        color: if matches!(click, Click::Select(_)) { theme.text } else { theme.muted },
        shown: (!matches!(click, Click::Select(_))).then_some(true),
    };
    let of = |level: MemoryLevel, shown: bool| {
        if shown { counts.measured[level as usize] } else { 0 }
    };
    let level = |level: MemoryLevel| {
        let bytes = format!("{} bytes", level.label());
        let hint = format!("The same GEMMs at the AI of their {bytes}: click for only these");
        let click = Click::Set { key: AI_KEY, value: level.key() };
        let count = of(level, input.ai == AiAxis::All);
        other(&bytes, marks::symbol(level), count, &hint, click)
    };
    let measured = LegendEntry {
        shown: Some(input.measured),
        ..other(
            "at measured bytes",
            Symbol::Open,
            of(MemoryLevel::Main, input.ai == AiAxis::Compulsory),
            "The same GEMMs at the AI of the profiler's counted bytes: click to show or hide",
            Click::Set { key: MEASURED_KEY, value: if input.measured { "off" } else { "" } },
        )
    };
    let above = other(
        "above its roof",
        Symbol::Triangle,
        counts.above_roof,
        "Faster than the roof: cache, sparsity, wrong device or unit. Click to select them",
        Click::Select(Outside::Above),
    );
    let no_roof = other(
        "roof unknown",
        Symbol::Ring,
        counts.no_roof,
        "No efficiency: no device, or no peak for this type. Click to select the slowest",
        Click::Select(Outside::NoRoof),
    );
    let steps = colors.palette.len().saturating_sub(1);
    Legend {
        title: match colors.label.as_str() {
            "" => String::new(),
            label => format!("By {}", decapitalized(label)),
        },
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
