//! Dates as days, and days as dates.

/// Seconds of a day.
const DAY: f64 = 86_400.0;
/// Microseconds of a day.
const MICROS: i64 = 86_400_000_000;

/// A point in time, as days since 1970-01-01, with the time of the day as a fraction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moment(pub f64);

impl Moment {
    /// From microseconds since 1970-01-01.
    pub fn from_micros(micros: i64) -> Self {
        let (day, rest) = (micros.div_euclid(MICROS), micros.rem_euclid(MICROS));
        Self(day as f64 + rest as f64 / MICROS as f64)
    }

    /// Year, month (1 to 12), weekday (0 is Monday) and hour of the day, with a fraction.
    pub fn parts(self) -> [f64; 4] {
        let day = self.0.floor();
        let (year, month, _) = civil(day as i64);
        let weekday = (day as i64 + 3).rem_euclid(7);
        [
            year as f64,
            f64::from(month),
            weekday as f64,
            (self.0 - day) * 24.0,
        ]
    }
}

/// Year, month and day of a number of days since 1970-01-01, in the proleptic Gregorian calendar.
/// Years are counted from March, so that the leap day is the last one, in eras of 400 years.
fn civil(days: i64) -> (i64, u8, u8) {
    let shifted = days.saturating_add(719_468);
    let era = shifted.div_euclid(146_097);
    let of_era = shifted.rem_euclid(146_097);
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 {
        from_march + 3
    } else {
        from_march - 9
    };
    (
        year + era * 400 + i64::from(month <= 2),
        month as u8,
        day as u8,
    )
}

/// Days from 1970-01-01 to a date, if there is such a date.
fn days(year: i64, month: i64, day: i64) -> Option<i64> {
    if !(1..=12).contains(&month) || !(1..=31).contains(&day) || !(1..=9999).contains(&year) {
        return None;
    }
    let from_march = (month + 9) % 12;
    let y = year - i64::from(month <= 2);
    let of_year = (153 * from_march + 2) / 5 + day - 1;
    let (era, of) = (y.div_euclid(400), y.rem_euclid(400));
    let found = era * 146_097 + of * 365 + of / 4 - of / 100 + of_year - 719_468;
    (civil(found) == (year, month as u8, day as u8)).then_some(found)
}

/// The date in a text: `2024-05-31`, `2024/05/31` or `31.05.2024`, perhaps followed by a time
/// (`2024-05-31T13:45:06.5Z`, seconds and zone may be absent).
pub fn date_of(text: &str) -> Option<Moment> {
    let (date, time) = match text.find(['T', ' ']) {
        Some(at) => (&text[..at], Some(text[at + 1..].trim())),
        None => (text, None),
    };
    let day = day_of(date)?;
    let seconds = match time {
        None => 0.0,
        Some(time) => seconds_of(time)?,
    };
    Some(Moment(day as f64 + seconds / DAY))
}

fn day_of(date: &str) -> Option<i64> {
    let separator = date.chars().find(|c| matches!(c, '-' | '/' | '.'))?;
    let mut parts = date.split(separator);
    let (a, b, c) = (parts.next()?, parts.next()?, parts.next()?);
    if parts.next().is_some() {
        return None;
    }
    match (separator, a.len(), c.len()) {
        ('-' | '/', 4, 1 | 2) => days(whole(a)?, whole(b)?, whole(c)?),
        ('.', 1 | 2, 4) => days(whole(c)?, whole(b)?, whole(a)?),
        _ => None,
    }
}

fn whole(text: &str) -> Option<i64> {
    let digits = (1..=4).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
    digits.then(|| text.parse().ok()).flatten()
}

/// Seconds since midnight, less the zone's shift from Greenwich.
fn seconds_of(time: &str) -> Option<f64> {
    let (clock, shift) = match time.find(['Z', '+', '-']) {
        None => (time, 0),
        Some(at) if &time[at..] == "Z" => (&time[..at], 0),
        Some(at) => {
            let zone = &time[at + 1..];
            let (h, m) = match zone.split_once(':') {
                Some((h, m)) => (whole(h)?, whole(m)?),
                None if zone.len() == 4 && zone.is_ascii() => {
                    (whole(&zone[..2])?, whole(&zone[2..])?)
                }
                None => (whole(zone)?, 0),
            };
            let shift = 3600 * h + 60 * m;
            let sign = if time[at..].starts_with('-') { -1 } else { 1 };
            (&time[..at], sign * shift)
        }
    };
    let mut parts = clock.trim_end().split(':');
    let (h, m) = (whole(parts.next()?)?, whole(parts.next()?)?);
    let s = parts.next().unwrap_or("0");
    let begins = s.bytes().next().is_some_and(|b| b.is_ascii_digit());
    let s: f64 = begins.then(|| s.parse().ok()).flatten()?;
    let fine = h < 24 && m < 60 && (0.0..61.0).contains(&s) && parts.next().is_none();
    fine.then(|| (3600 * h + 60 * m - shift) as f64 + s)
}

/// Whether a text is a date of which nobody knows whether the month or the day comes first, such as
/// `03/04/2024`.
pub fn is_ambiguous_date(text: &str) -> bool {
    let date = text.split([' ', 'T']).next().unwrap_or_default();
    let parts: Vec<&str> = date.split(['/', '-']).collect();
    let [a, b, c] = parts[..] else { return false };
    let small = |t: &str, most: i64| whole(t).is_some_and(|v| (1..=most).contains(&v));
    small(a, 31) && small(b, 31) && a.len() <= 2 && matches!(c.len(), 2 | 4) && whole(c).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_and_dates_are_inverse() {
        for day in (-719_162..2_932_896).step_by(13) {
            let (y, m, d) = civil(day);
            assert_eq!(days(y, i64::from(m), i64::from(d)), Some(day));
        }
        assert_eq!(days(1970, 1, 1), Some(0));
        assert_eq!(days(2000, 3, 1), Some(11_017));
        for (y, m, d) in [
            (2023, 2, 29),
            (1900, 2, 29),
            (2024, 4, 31),
            (2024, 13, 1),
            (0, 1, 1),
        ] {
            assert_eq!(days(y, m, d), None, "{y}-{m}-{d}");
        }
    }

    #[test]
    fn texts_that_are_dates() {
        let at = |text: &str| date_of(text).map(|m| m.0);
        assert_eq!(at("1970-01-02"), Some(1.0));
        assert_eq!(at("2.1.1970"), Some(1.0));
        assert_eq!(at("1970/1/2"), Some(1.0));
        assert_eq!(at("1970-01-01T12:00"), Some(0.5));
        assert_eq!(at("1970-01-01 06:00:00.0"), Some(0.25));
        assert_eq!(at("1970-01-01T01:00:00+01:00"), Some(0.0));
        assert_eq!(at("1970-01-01T00:00:00-0600"), Some(0.25));
        assert_eq!(at("1969-12-31T18:00Z"), Some(-0.25));
        for no in [
            "",
            "12",
            "2024-02-30",
            "2024-1",
            "03/04/2024",
            "1.2",
            "1-2-3",
            "2024-01-01x",
            "2024-01-01 25:00",
            "2024-01-01T",
            "a-b-c",
            "10.0.0.1",
            "2024-05-31T13:45:99",
            "2024--1-1",
        ] {
            assert_eq!(at(no), None, "{no}");
        }
    }

    #[test]
    fn parts_of_a_moment() {
        // 2024-05-31 was a Friday.
        let parts = date_of("2024-05-31 18:30").expect("a date").parts();
        assert_eq!(&parts[..3], [2024.0, 5.0, 4.0]);
        assert!((parts[3] - 18.5).abs() < 1e-9);
        assert_eq!(Moment::from_micros(-1).parts()[..3], [1969.0, 12.0, 2.0]);
        assert_eq!(Moment::from_micros(43_200_000_000), Moment(0.5));
        let same = date_of("2024-05-31 13:45:06").expect("a date");
        assert_eq!(Moment::from_micros(1_717_163_106_000_000), same);
    }

    #[test]
    fn dates_of_which_the_order_is_not_known() {
        for yes in ["03/04/2024", "3/4/24", "13/04/2024", "03-04-2024 10:00"] {
            assert!(is_ambiguous_date(yes), "{yes}");
        }
        for no in ["2024-03-04", "a/b/c", "3/4", "03.04.2024"] {
            assert!(!is_ambiguous_date(no), "{no}");
        }
    }
}
