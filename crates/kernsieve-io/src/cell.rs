//! One cell: missing, a number, or text.

use std::borrow::Cow;

/// Whether a (trimmed) cell of a CSV file stands for a missing value.
pub(crate) fn is_missing(cell: &[u8]) -> bool {
    match cell.len() {
        0 => true,
        1 => cell == b"?",
        2 => cell == b"NA",
        3 => matches!(cell, b"N/A" | b"n/a") || cell.eq_ignore_ascii_case(b"nan"),
        4 => matches!(cell, b"#N/A" | b"<NA>" | b"NULL" | b"null" | b"None") || signed_nan(cell),
        _ => false,
    }
}

fn signed_nan(cell: &[u8]) -> bool {
    matches!(cell[0], b'+' | b'-') && cell[1..].eq_ignore_ascii_case(b"nan")
}

/// Whether a cell is missing in a format that marks missing cells itself. Its reader returns them
/// as empty.
pub(crate) fn is_empty(cell: &[u8]) -> bool {
    cell.is_empty()
}

/// The number in a (trimmed) cell, correct to the last bit. Infinities and NaN count as numbers.
#[inline]
pub(crate) fn parse_number(cell: &[u8]) -> Option<f64> {
    let digits = match cell {
        [b'+', b'+' | b'-', ..] => return None,
        [b'+', rest @ ..] => rest,
        _ => cell,
    };
    fast_float2::parse(digits).ok()
}

/// The number in a cell with a decimal comma. A point would divide thousands: it is no number.
pub(crate) fn parse_decimal_comma(cell: &[u8]) -> Option<f64> {
    let commas = cell.iter().filter(|b| **b == b',').count();
    if commas > 1 || cell.contains(&b'.') {
        return None;
    }
    if commas == 0 {
        return parse_number(cell);
    }
    let mut point = [0u8; 64];
    let point = point.get_mut(..cell.len())?;
    for (to, from) in point.iter_mut().zip(cell) {
        *to = if *from == b',' { b'.' } else { *from };
    }
    parse_number(point)
}

/// Whether a cell is a number that is written for people or in another base: with a sign for percent
/// or money, with separators between thousands, in hexadecimal.
pub(crate) fn is_dressed_number(cell: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(cell) else {
        return false;
    };
    let hex = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
    if let Some(digits) = hex {
        return !digits.is_empty() && digits.chars().all(|c| c.is_ascii_hexdigit());
    }
    let sign = |c: char| matches!(c, '%' | '$' | '\u{20ac}' | '\u{a3}' | '+' | '-' | ' ');
    let bare = text.trim_matches(sign);
    let separator = |c: char| matches!(c, ',' | '.' | '_' | '\'' | '\u{2019}' | ' ');
    bare.starts_with(|c: char| c.is_ascii_digit())
        && bare.chars().all(|c| c.is_ascii_digit() || separator(c))
        && parse_number(cell).is_none()
}

/// Whether a cell looks like a number with a decimal comma or with commas between thousands.
pub(crate) fn has_decimal_comma(cell: &[u8]) -> bool {
    cell.contains(&b',')
        && cell
            .iter()
            .all(|b| b.is_ascii_digit() || matches!(b, b',' | b'+' | b'-' | b'e' | b'E' | b'.'))
        && cell.iter().filter(|b| b.is_ascii_digit()).count() >= 2
}

/// The text of a cell. Bytes that are not UTF-8 are written `\xNN`, so that different cells stay
/// different.
pub(crate) fn decode(cell: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = std::str::from_utf8(cell) {
        return Cow::Borrowed(text);
    }
    let mut text = String::with_capacity(cell.len() + 8);
    for chunk in cell.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|b| format!("\\x{b:02X}")));
    }
    Cow::Owned(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_tokens() {
        for t in [
            "", "?", "NA", "N/A", "#N/A", "<NA>", "NaN", "nan", "-nan", "NULL", "null", "None",
            "n/a",
        ] {
            assert!(is_missing(t.as_bytes()), "{t}");
        }
        for t in ["0", "na", "none", "N", "NAN1", "nul", "unknown"] {
            assert!(!is_missing(t.as_bytes()), "{t}");
        }
    }

    #[test]
    fn numbers() {
        for (t, v) in [
            ("1", 1.0),
            ("+1.5", 1.5),
            ("-.5e-3", -0.0005),
            ("5.", 5.0),
            ("1E5", 1e5),
            ("-0", -0.0),
        ] {
            assert_eq!(
                parse_number(t.as_bytes()).map(f64::to_bits),
                Some(f64::to_bits(v)),
                "{t}"
            );
        }
        assert_eq!(parse_number(b"1e999"), Some(f64::INFINITY));
        assert_eq!(parse_number(b"-inf"), Some(f64::NEG_INFINITY));
        for t in [
            "", "+", "++1", "+-1", "1,5", "1_000", "0x10", "1 2", "1e", "e5", "abc",
        ] {
            assert_eq!(parse_number(t.as_bytes()), None, "{t}");
        }
    }

    #[test]
    fn numbers_with_a_decimal_comma() {
        for (t, v) in [("1,5", 1.5), ("-,25", -0.25), ("3", 3.0), ("1,5e3", 1500.0)] {
            assert_eq!(parse_decimal_comma(t.as_bytes()), Some(v), "{t}");
        }
        for t in ["1.5", "1.234,5", "1,2,3", ",", "a,b"] {
            assert_eq!(parse_decimal_comma(t.as_bytes()), None, "{t}");
        }
    }

    #[test]
    fn numbers_written_for_people() {
        for t in [
            "12%",
            "1_000",
            "$5.50",
            "1 234",
            "0xFF",
            "1,234",
            "5 \u{20ac}",
            "1'000",
        ] {
            assert!(is_dressed_number(t.as_bytes()), "{t}");
        }
        for t in ["5more", "a1", "12", "-", "", "0x", "3rd", "1e5", "0xyz"] {
            assert!(!is_dressed_number(t.as_bytes()), "{t}");
        }
    }

    #[test]
    fn decimal_commas() {
        for t in ["1,5", "-12,25", "1,234,567", "1.234,5"] {
            assert!(has_decimal_comma(t.as_bytes()), "{t}");
        }
        for t in ["a,b", "1,", "12", ",", "1,5 kg"] {
            assert!(!has_decimal_comma(t.as_bytes()), "{t}");
        }
    }

    #[test]
    fn bytes_that_are_not_utf8_stay_apart() {
        assert_eq!(decode("gr\u{fc}n".as_bytes()), "gr\u{fc}n");
        assert_eq!(decode(b"gr\xFCn"), "gr\\xFCn");
        assert_ne!(decode(b"\xE4"), decode(b"\xF6"));
    }
}
