//! Words of the command line that are not plain numbers or names.

use clap::builder::{OsStringValueParser, TypedValueParser};
use kernsieve::catalogue;
use kernsieve_io::similar;
use std::path::PathBuf;
use std::time::Duration;

/// `; did you mean 'lda'?` if a name is close to what was typed.
pub fn did_you_mean(names: &[&str], typed: &str) -> String {
    let near = similar(names, typed);
    near.first()
        .map_or(String::new(), |n| format!("; did you mean '{n}'?"))
}

/// A method of the catalogue, or `auto`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MethodChoice {
    /// The one of this name.
    One(&'static str),
    /// The one that suits the data.
    Auto,
}

impl MethodChoice {
    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::One(name) => name,
            Self::Auto => "auto",
        }
    }
}

/// A method by name.
pub fn parse_choice(text: &str) -> Result<MethodChoice, String> {
    if text == "auto" {
        return Ok(MethodChoice::Auto);
    }
    let found = catalogue::find(text);
    found.map(|e| MethodChoice::One(e.about.name)).map_err(|e| {
        let mut names = catalogue::names();
        names.push("auto");
        format!("{e}, auto{}", did_you_mean(&names, text))
    })
}

pub fn parse_time(text: &str) -> Result<Duration, String> {
    let (number, unit) = match text.trim().strip_suffix(['s', 'm', 'h']) {
        Some(number) => (number, text.trim().chars().last()),
        None => (text.trim(), None),
    };
    let seconds = number
        .parse::<f64>()
        .ok()
        .filter(|v| (0.0..1e9).contains(v))
        .map(|v| match unit {
            Some('m') => 60.0 * v,
            Some('h') => 3600.0 * v,
            _ => v,
        });
    seconds
        .map(Duration::from_secs_f64)
        .ok_or_else(|| format!("'{text}' is not a time; write 90s, 5m or 1h"))
}

/// The name of a file to be written. It need not be text.
pub fn file_name() -> impl TypedValueParser<Value = PathBuf> {
    OsStringValueParser::new().try_map(|name| match name.as_encoded_bytes() {
        b"" | b"-" => Err("this wants the name of a file"),
        _ => Ok(PathBuf::from(name)),
    })
}

pub fn parse_fraction(text: &str) -> Result<f64, String> {
    let number = |t: &str| t.trim().parse::<f64>().ok();
    let value = match text.split_once('/') {
        None => number(text),
        Some((over, under)) => number(over).zip(number(under)).map(|(a, b)| a / b),
    };
    value
        .filter(|v| *v > 0.0 && *v < 1.0)
        .ok_or_else(|| "a fraction lies between 0 and 1, such as 0.33 or 1/3".into())
}

pub fn parse_decimal(text: &str) -> Result<char, String> {
    match text {
        "." => Ok('.'),
        "," => Ok(','),
        _ => Err("decimals are behind a point or a comma: . or ,".into()),
    }
}

pub fn parse_unit(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(v) if (0.0..=1.0).contains(&v) => Ok(v),
        _ => Err("an accuracy lies between 0 and 1, such as 0.9".into()),
    }
}

pub fn parse_threads(text: &str) -> Result<usize, String> {
    match text.parse::<usize>() {
        Ok(v) if (1..=4096).contains(&v) => Ok(v),
        _ => Err("a number of threads from 1 to 4096".into()),
    }
}

/// Bytes, with an optional K, M, G or T (powers of 1024), and B or iB after it.
pub fn parse_bytes(text: &str) -> Result<u64, String> {
    let wrong = || format!("'{text}' is not a number of bytes; write 4G, 512M or 1000000000");
    let upper = text.trim().to_ascii_uppercase();
    let number = upper.trim_end_matches("IB").trim_end_matches('B');
    let (digits, factor) = match number.chars().last() {
        Some('K') => (&number[..number.len() - 1], 1u64 << 10),
        Some('M') => (&number[..number.len() - 1], 1 << 20),
        Some('G') => (&number[..number.len() - 1], 1 << 30),
        Some('T') => (&number[..number.len() - 1], 1 << 40),
        _ => (number, 1),
    };
    let value: f64 = digits.trim().parse().map_err(|_| wrong())?;
    let bytes = value * factor as f64;
    if bytes >= 1.0 && bytes < u64::MAX as f64 {
        Ok(bytes as u64)
    } else {
        Err(wrong())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fractions() {
        assert_eq!(parse_fraction("0.25"), Ok(0.25));
        assert_eq!(parse_fraction("1/3"), Ok(1.0 / 3.0));
        for bad in [
            "", "0", "1", "3/2", "1/0", "0/0", "1/", "/3", "1/2/3", "-1/3", "nan",
        ] {
            assert!(parse_fraction(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn sizes_of_memory() {
        assert_eq!(parse_bytes("1000"), Ok(1000));
        assert_eq!(parse_bytes("4G"), Ok(4 << 30));
        assert_eq!(parse_bytes("1.5 MiB"), Ok(3 << 19));
        for bad in ["", "G", "-1", "4X", "nan", "1e30"] {
            assert!(parse_bytes(bad).is_err(), "{bad}");
        }
    }
}
