//! Numbers as people read them.

use std::time::Duration;

/// 0.0273 as `2.7 %`, and 0.0043 as `0.43 %`: below one percent, the second decimal matters.
pub fn percent(fraction: f64) -> String {
    let value = positive_zero(100.0 * fraction);
    if value != 0.0 && value.abs() < 0.995 {
        format!("{value:.2} %")
    } else {
        format!("{value:.1} %")
    }
}

/// 0.0043 as `0.4 %`, and 0.0002 as `0.02 %`: one decimal where that says something, for standard
/// errors in tables.
pub fn percent_short(fraction: f64) -> String {
    let value = positive_zero(100.0 * fraction);
    match value != 0.0 && value.abs() < 0.0995 {
        true => format!("{value:.2} %"),
        false => format!("{value:.1} %"),
    }
}

/// Zero for negative percents that two decimals show as zero: the sign of -0.00 % says nothing.
fn positive_zero(value: f64) -> f64 {
    if value < 0.0 && value > -0.005 {
        0.0
    } else {
        value
    }
}

/// A coefficient to three decimals, or its magnitude if they would all be zero.
pub fn coefficient(w: f64) -> String {
    if w != 0.0 && w.abs() < 5e-4 {
        format!("{w:.0e}")
    } else {
        format!("{w:.3}")
    }
}

/// A number in few characters: four significant digits, no exponent unless it is needed.
pub fn short(value: f64) -> String {
    if value == 0.0 {
        return "0".into();
    }
    let magnitude = value.abs().log10().floor();
    if !(-4.0..6.0).contains(&magnitude) {
        return format!("{value:.2e}");
    }
    let decimals = (3.0 - magnitude).max(0.0) as usize;
    let text = format!("{value:.decimals$}");
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_string()
    } else {
        text
    }
}

/// Seconds in everyday words.
pub fn seconds(value: f64) -> String {
    if value < 0.0995 {
        format!("{:.0} ms", 1000.0 * value)
    } else if value < 99.5 {
        format!("{value:.1} s")
    } else {
        format!("{:.0} min {:02.0} s", (value / 60.0).floor(), value % 60.0)
    }
}

/// Seconds in at most six characters.
pub fn seconds_short(value: f64) -> String {
    match value {
        v if v < 0.000_995 => format!("{:.0} us", 1e6 * v),
        v if v < 0.0995 => format!("{:.0} ms", 1000.0 * v),
        v if v < 99.5 => format!("{v:.1} s"),
        v if v < 99.5 * 60.0 => format!("{:.0} min", v / 60.0),
        v => format!("{:.0} h", v / 3600.0),
    }
}

/// A remaining time in everyday words: seconds below two minutes, minutes below two hours.
pub fn duration_words(time: Duration) -> String {
    match time.as_secs() {
        s @ 0..120 => format!("{s} s"),
        s @ 120..7200 => format!("{} min", s / 60),
        s => format!("{} h", s / 3600),
    }
}

/// Bytes in at most eight characters.
pub fn size(bytes: u64) -> String {
    let (mut value, mut unit) = (bytes as f64, "B");
    for next in ["KiB", "MiB", "GiB", "TiB"] {
        if value < 1023.5 {
            break;
        }
        (value, unit) = (value / 1024.0, next);
    }
    if unit == "B" || value >= 99.95 {
        format!("{value:.0} {unit}")
    } else {
        format!("{value:.1} {unit}")
    }
}

/// `1 split`, `2 splits`.
pub fn plural(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_for_people() {
        let cases = [
            (0.0, "0"),
            (1.0, "1"),
            (0.012345, "0.01235"),
            (123456.0, "123456"),
            (1.5e-7, "1.50e-7"),
        ];
        for (v, text) in cases {
            assert_eq!(short(v), text);
        }
        assert_eq!(short(2.0), "2");
        assert_eq!(seconds(0.012), "12 ms");
        assert_eq!(seconds(3.12), "3.1 s");
        assert_eq!(seconds(125.0), "2 min 05 s");
        assert_eq!(percent(0.0266), "2.7 %");
        assert_eq!(percent(0.0043), "0.43 %");
        assert_eq!(percent(0.00999), "1.0 %");
        assert_eq!(percent(0.0), "0.0 %");
        assert_eq!(percent(-1e-6), "0.0 %");
        assert_eq!(percent(-1e-3), "-0.10 %");
        assert_eq!(percent_short(0.0043), "0.4 %");
        assert_eq!(percent_short(0.0002), "0.02 %");
        assert_eq!(percent_short(0.0), "0.0 %");
    }

    #[test]
    fn times_and_sizes_in_few_columns() {
        for (value, text) in [
            (0.0004, "400 us"),
            (0.001, "1 ms"),
            (0.099, "99 ms"),
            (99.4, "99.4 s"),
            (100.0, "2 min"),
            (5400.0, "90 min"),
            (36000.0, "10 h"),
        ] {
            assert_eq!(seconds_short(value), text);
        }
        assert_eq!(size(1023), "1023 B");
        for (bytes, text) in [
            (0, "0 B"),
            (1024, "1.0 KiB"),
            (102_400, "100 KiB"),
            (1 << 20, "1.0 MiB"),
            (u64::MAX, "16777216 TiB"),
        ] {
            assert_eq!(size(bytes), text);
        }
        assert!(
            (0..1 << 45)
                .step_by(1_234_567_891_011)
                .all(|b| size(b).len() <= 8)
        );
        assert_eq!(size((1 << 20) - 1), "1.0 MiB");
        for (seconds, text) in [
            (0, "0 s"),
            (119, "119 s"),
            (120, "2 min"),
            (7199, "119 min"),
            (7200, "2 h"),
        ] {
            assert_eq!(duration_words(Duration::from_secs(seconds)), text);
        }
        assert_eq!(
            (plural(1, "split"), plural(2, "split")),
            ("1 split".into(), "2 splits".into())
        );
    }
}
