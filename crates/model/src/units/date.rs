//! Dates of the Gregorian calendar.

/// The Gregorian date `days` after 1970-01-01, as `YYYY-MM-DD`.
///
/// ```
/// use gemmscope_model::units::date;
/// assert_eq!(date(0), "1970-01-01");
/// assert_eq!(date(11_016), "2000-02-29");
/// assert_eq!(date(-25_509), "1900-02-28");
/// ```
pub fn date(days: i64) -> String {
    // Days since 1 March of year 0, in 400-year cycles of 146,097 days; years start in March here, so that the leap
    // day comes last.
    let days = days + 719_468;
    let (era, day) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    format!("{:04}-{month:02}-{day:02}", era * 400 + year + next)
}

/// Seconds from 1970-01-01 00:00 UTC to a date, or a date and time, of ISO 8601: `2026-11-28`, `20261128`,
/// `2026-11-28T09:30`, `2026-11-28 09:30:00.5+01:00`. UTC where no offset is stated; `None` for anything else.
///
/// ```
/// use gemmscope_model::units::instant;
/// assert_eq!(instant("1970-01-02"), Some(86_400.0));
/// assert_eq!(instant("2026-01-02T01:00:00+09:00"), instant("2026-01-01T16:00:00Z"));
/// assert_eq!(instant("2026-02-30"), None);
/// ```
pub fn instant(text: &str) -> Option<f64> {
    let text = text.trim();
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (day, rest) = text.split_at_checked(if digits == 8 { 8 } else { 10 })?;
    let day = days(day)?;
    let seconds = match rest.strip_prefix(['T', 't', ' ']) {
        None => rest.is_empty().then_some(0.0)?,
        Some(rest) => {
            let at = rest.find(['Z', 'z', '+', '-']).unwrap_or(rest.len());
            let (clock, zone) = rest.split_at(at);
            time_of_day(clock)? - offset(zone)?
        }
    };
    Some(day as f64 * 86_400.0 + seconds)
}

/// Days from 1970-01-01 to a date like `2026-11-28` or `20261128`: the inverse of [`date`].
fn days(text: &str) -> Option<i64> {
    let digits = text.replace('-', "");
    let (year, day) = digits.split_at_checked(4)?;
    let (month, day) = day.split_at_checked(2)?;
    let (year, month, day) = (whole(year)?, whole(month)?, whole(day)?);
    // Months from March; the leap day is the last of a year.
    let (y, m) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let of_year = (153 * m + 2) / 5 + day - 1;
    let days =
        365 * y + y.div_euclid(4) - y.div_euclid(100) + y.div_euclid(400) + of_year - 719_468;
    let found = date(days);
    // A month or day that does not exist gives another one.
    (found == text || found.replace('-', "") == text).then_some(days)
}

/// Seconds of `09:30`, `09:30:00` or `09:30:00.5`.
fn time_of_day(text: &str) -> Option<f64> {
    let mut parts = text.trim_end().split(':');
    let (hour, minute) = (whole(parts.next()?)?, whole(parts.next()?)?);
    let second: f64 = match parts.next() {
        Some(second) if second.starts_with(|c: char| c.is_ascii_digit()) => second.parse().ok()?,
        Some(_) => return None,
        None => 0.0,
    };
    let fits = hour < 24 && minute < 60 && second < 61.0 && parts.next().is_none();
    fits.then_some((hour * 3600 + minute * 60) as f64 + second)
}

/// Seconds east of UTC: of `Z`, `+01:00`, `-0800` or nothing.
fn offset(text: &str) -> Option<f64> {
    if matches!(text, "" | "Z" | "z") {
        return Some(0.0);
    }
    let (sign, clock) = text.split_at_checked(1)?;
    let (hour, minute) = match clock.split_once(':') {
        Some(parts) => parts,
        None => clock.split_at_checked(2)?,
    };
    let minute = if minute.is_empty() { 0 } else { whole(minute)? };
    let hour = whole(hour)?;
    let seconds = (hour < 24 && minute < 60).then_some((hour * 3600 + minute * 60) as f64)?;
    Some(if sign == "-" { -seconds } else { seconds })
}

/// A whole number of at most four digits.
fn whole(text: &str) -> Option<i64> {
    let digits = (1..=4).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
    if digits { text.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn instants_in_every_form() {
        let noon = instant("2026-11-28T12:00:00Z").unwrap();
        for same in [
            "2026-11-28T12:00",
            "2026-11-28 12:00:00",
            "2026-11-28 12:00:00.000",
            "2026-11-28T13:00:00+01:00",
            "2026-11-28t13:00:00+0100",
            "2026-11-28 04:00 -08",
            "20261128T12:00Z",
            "2026-11-29T01:30:00+13:30",
        ] {
            assert_eq!(instant(same), Some(noon), "{same}");
        }
        for none in [
            "",
            "banana",
            "2026-13-99",
            "2026-02-29",
            "28.11.2026",
            "2026-11-28T25:00",
            "2026-11-28T12",
            "2026-11-28T12:00:00+99:00",
            "2026-11-28T-1:00",
            "2026-11-28x",
            "2026-1128",
            "20261128093000",
            "9999999999999999999",
            "２026-11-28",
        ] {
            assert_eq!(instant(none), None, "{none}");
        }
    }

    proptest! {
        #[test]
        fn a_day_is_its_date(day in -700_000i64..2_900_000) {
            prop_assert_eq!(days(&date(day)), Some(day));
        }
    }
}
