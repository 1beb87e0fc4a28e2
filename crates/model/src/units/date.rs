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
