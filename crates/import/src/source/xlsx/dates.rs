//! Cells displayed as dates and times of day, which the file stores as numbers of days.

use super::{Xml, attribute, steps};
use std::collections::HashMap;

/// By style index: whether cells of that style display a date.
#[derive(Debug, Default)]
pub(super) struct DateStyles(Vec<bool>);

impl DateStyles {
    /// Parses the part `xl/styles.xml`.
    pub(super) fn new(xml: &str) -> Self {
        let mut codes: HashMap<String, bool> = HashMap::new();
        let (mut styles, mut of_cells) = (Vec::new(), false);
        for step in steps(xml) {
            match step {
                Xml::Open("numFmt", a, _) => {
                    if let (Some(id), Some(code)) =
                        (attribute(a, "numFmtId"), attribute(a, "formatCode"))
                    {
                        codes.insert(id, is_date_code(&code));
                    }
                }
                Xml::Open("cellXfs", _, _) => of_cells = true,
                Xml::Close("cellXfs") => of_cells = false,
                Xml::Open("xf", a, _) if of_cells => {
                    let id = attribute(a, "numFmtId").unwrap_or_default();
                    let known = codes.get(&id).copied();
                    styles.push(known.unwrap_or_else(|| id.parse().is_ok_and(is_date_id)));
                }
                _ => {}
            }
        }
        DateStyles(styles)
    }

    /// True if a cell with the attribute `s` = `style` displays a date or a time of day.
    pub(super) fn is_date(&self, style: &str) -> bool {
        style.parse().ok().and_then(|i: usize| self.0.get(i)).is_some_and(|d| *d)
    }
}

/// True for built-in date and time formats (ECMA-376 part 1, 18.8.30), including East Asian locales.
fn is_date_id(id: u32) -> bool {
    matches!(id, 14..=22 | 27..=36 | 45..=47 | 50..=58)
}

/// True for a format code with a year, month, day, hour or second: `yyyy-mm-dd`, `[h]:mm`.
fn is_date_code(code: &str) -> bool {
    let mut chars = code.chars();
    while let Some(c) = chars.next() {
        match c {
            // The next character is literal or padding.
            '\\' | '_' | '*' => drop(chars.next()),
            '"' => drop(chars.find(|c| *c == '"')),
            // A colour, a condition or a currency; only `[h]` and the like are elapsed times.
            '[' => {
                let inside: String = chars.by_ref().take_while(|c| *c != ']').collect();
                let elapsed = |c: char| matches!(c, 'h' | 'H' | 'm' | 'M' | 's' | 'S');
                if !inside.is_empty() && inside.chars().all(elapsed) {
                    return true;
                }
            }
            'y' | 'Y' | 'm' | 'M' | 'd' | 'D' | 'h' | 'H' | 's' | 'S' => return true,
            _ => {}
        }
    }
    false
}

/// Formats a number of days as date and time of day; returns it unchanged if it is out of range.
pub(super) fn date_text(days: &str) -> String {
    let Some(serial) = days.trim().parse::<f64>().ok().filter(|d| (0.0..2_958_466.0).contains(d))
    else {
        return format!("date {days}");
    };
    let seconds = (serial * 86_400.0).round() as i64;
    let (day, second) = (seconds / 86_400, seconds % 86_400);
    let time = format!("{:02}:{:02}:{:02}", second / 3600, second / 60 % 60, second % 60);
    // Day 0 is 1899-12-30; day 25,569 is 1970-01-01.
    let date = gemmscope_model::units::date(day - 25_569);
    match (day, second) {
        (0, _) => time,
        (_, 0) => date,
        _ => format!("{date} {time}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_of_dates() {
        for code in
            ["yyyy-mm-dd", "[h]:mm:ss", "mm:ss.0", "d/m/yy h:mm", "[$-409]h:mm AM/PM;@", "mmm-yy"]
        {
            assert!(is_date_code(code), "{code}");
        }
        for code in [
            "General",
            "0.00",
            "#,##0.00 \"ms\"",
            "[Red]0.0;[Blue]-0.0",
            "0.0E+00",
            "0\\s",
            "_-* #,##0_-",
            "@",
        ] {
            assert!(!is_date_code(code), "{code}");
        }
    }

    #[test]
    fn days_as_dates() {
        for (days, text) in [
            ("45658", "2025-01-01"),
            ("60", "1900-02-28"),
            ("36585.5", "2000-02-29 12:00:00"),
            ("0.25", "06:00:00"),
            ("-1", "date -1"),
            ("x", "date x"),
        ] {
            assert_eq!(date_text(days), text);
        }
    }
}
