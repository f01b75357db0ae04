//! Parameters: what a user may set, described once.
//!
//! A [`Param`] has an id, a kind with its range, a default and a sentence of help. Every front end
//! is derived from these descriptions: flags and help of the command line, signatures and
//! docstrings of the Python package, the page of options. Values travel as a map from ids to JSON
//! values ([`Params`]), which is also how a model file keeps them.
//!
//! Messages of the library name parameters in backticks (`` `ridge` ``, or `` `ridge=0.1` `` with a
//! value). [`written`] spells these as a front end does.

mod common;
mod kernel;
mod protocol;
mod score;

pub use common::*;
pub use kernel::{DEFINITE_KERNEL, DENSITY_KERNEL, KERNEL, KERNEL_PARAMS, KernelChoice};
pub use protocol::{PROTOCOL, Prefer, Preparation, Priors, Protocol, Rule, Validation};
pub use score::{Score, ThresholdRule};

use crate::error::{Error, Result};
use serde_json::{Map, Value};

/// Values of parameters by id.
pub type Params = Map<String, Value>;

/// A parameter.
#[derive(Clone, Copy, Debug)]
pub struct Param {
    /// Its name in files, in JSON and, with small changes of spelling, in every front end.
    pub id: &'static str,
    /// What values it takes.
    pub kind: Kind,
    /// Its value if it is not given.
    pub default: Fallback,
    /// What it does, in one sentence without a full stop. Other parameters are in backticks.
    pub help: &'static str,
    /// Whether it is on the short help page.
    pub usual: bool,
    /// Ids of parameters that cannot be given together with it.
    pub excludes: &'static [&'static str],
}

/// The values that a parameter takes.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// Off unless asked for.
    Off,
    /// On unless turned off; this is the name that turns it off.
    On(&'static str),
    /// A whole number.
    Count {
        /// The smallest that is allowed.
        least: u64,
        /// The largest that is allowed.
        most: u64,
        /// The letter that stands for it.
        letter: &'static str,
    },
    /// A number.
    Number {
        /// What is allowed.
        range: Range,
        /// The letter that stands for it.
        letter: &'static str,
    },
    /// One number, which is used, or several to choose among. The id is a plural; the name of a
    /// single value drops the `s`.
    Grid {
        /// What is allowed.
        range: Range,
        /// The letter that stands for one.
        letter: &'static str,
    },
    /// Numbers, one per class.
    List {
        /// What is allowed.
        range: Range,
        /// The letter that stands for one.
        letter: &'static str,
    },
    /// One of some words. The text says what is expected when another word is given.
    Word(&'static [&'static str], &'static str),
    /// One of some words, or numbers, one per class.
    WordOrList(&'static [&'static str], Range, &'static str),
    /// A text.
    Text {
        /// What is allowed.
        check: fn(&str) -> Result<()>,
        /// The letter that stands for it.
        letter: &'static str,
    },
}

/// The default of a parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fallback {
    /// No value: the text says what happens then.
    Absent(&'static str),
    /// A word.
    Word(&'static str),
    /// A whole number.
    Count(u64),
    /// A number.
    Number(f64),
    /// The default of the kind: off, on, or an empty list.
    Kind,
}

/// A range of numbers. NaN and infinities are in none.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Range {
    /// Any finite number.
    Finite,
    /// Above 0.
    Positive,
    /// 0 or more.
    NotNegative,
    /// Above 0, at most 1.
    Share,
    /// 0 to 1.
    Unit,
}

impl Range {
    /// Whether a number is in it.
    pub fn contains(self, v: f64) -> bool {
        v.is_finite()
            && match self {
                Self::Finite => true,
                Self::Positive => v > 0.0,
                Self::NotNegative => v >= 0.0,
                Self::Share => v > 0.0 && v <= 1.0,
                Self::Unit => (0.0..=1.0).contains(&v),
            }
    }

    /// In words, after "must be".
    pub fn words(self) -> &'static str {
        match self {
            Self::Finite => "finite",
            Self::Positive => "finite and above 0",
            Self::NotNegative => "finite and 0 or more",
            Self::Share => "above 0 and at most 1",
            Self::Unit => "from 0 to 1",
        }
    }
}

impl Param {
    /// An ordinary parameter, for the long help page.
    pub const fn new(id: &'static str, kind: Kind, default: Fallback, help: &'static str) -> Self {
        Self {
            id,
            kind,
            default,
            help,
            usual: false,
            excludes: &[],
        }
    }

    /// The same, also on the short help page.
    pub const fn usual(self) -> Self {
        Self {
            usual: true,
            ..self
        }
    }

    /// The name of a single value where several may be given: `bandwidth` for `bandwidths`.
    pub fn singular(&self) -> Option<&'static str> {
        match self.kind {
            Kind::Grid { .. } => self.id.strip_suffix('s'),
            _ => None,
        }
    }

    /// A number as a value, if it is in the range.
    pub fn number(&self, v: f64) -> Result<Value> {
        let range = match self.kind {
            Kind::Number { range, .. }
            | Kind::Grid { range, .. }
            | Kind::List { range, .. }
            | Kind::WordOrList(_, range, _) => range,
            _ => Range::Finite,
        };
        match range.contains(v) {
            true => Ok(Value::from(v)),
            false => Err(Error::Parameter {
                name: self.singular().unwrap_or(self.id).into(),
                of: None,
                value: v.to_string(),
                requirement: range.words().into(),
            }),
        }
    }

    /// Several numbers as a value, if all are in the range.
    pub fn numbers(&self, values: &[f64]) -> Result<Value> {
        let each: Result<Vec<Value>> = values.iter().map(|&v| self.number(v)).collect();
        let Err(Error::Parameter {
            value, requirement, ..
        }) = each
        else {
            return each.map(Value::from);
        };
        // A list is shown whole, a grid by the value that is wrong.
        match self.singular() {
            Some(_) => Err(self.wrong(&requirement, value)),
            None => Err(self.wrong(&requirement, format!("{values:?}"))),
        }
    }

    /// A whole number as a value, if it is in the range.
    pub fn count(&self, v: u64) -> Result<Value> {
        if let Kind::Count { least, most, .. } = self.kind
            && !(least..=most).contains(&v)
        {
            let words = match (least, most) {
                (0, most) => format!("at most {most}"),
                (least, u64::MAX) => format!("{least} or more"),
                (least, most) => format!("from {least} to {most}"),
            };
            return Err(self.wrong(&words, v));
        }
        Ok(Value::from(v))
    }

    /// A word as a value, if it is a known one.
    pub fn word(&self, word: &str) -> Result<Value> {
        let (words, wanted) = match self.kind {
            Kind::Word(words, wanted) => (words, wanted),
            Kind::WordOrList(words, ..) => (words, ""),
            _ => (&[][..], ""),
        };
        if words.contains(&word) {
            return Ok(word.into());
        }
        let known = words
            .iter()
            .map(|w| format!("'{w}'"))
            .collect::<Vec<_>>()
            .join(", ");
        let wanted = if wanted.is_empty() {
            format!("one of {known}")
        } else {
            wanted.into()
        };
        Err(self.wrong(&wanted, format!("'{word}'")))
    }

    /// A text as a value, if it is allowed.
    pub fn text(&self, text: &str) -> Result<Value> {
        if let Kind::Text { check, .. } = self.kind {
            check(text)?;
        }
        Ok(text.into())
    }

    /// The error for a value that is not allowed.
    pub fn wrong(&self, requirement: &str, value: impl std::fmt::Display) -> Error {
        Error::Parameter {
            name: self.id.into(),
            of: None,
            value: value.to_string(),
            requirement: requirement.into(),
        }
    }

    /// Checks a value that comes from a file, or from a front end that did not check it.
    pub fn check(&self, value: &Value) -> Result<()> {
        let mismatch = || self.wrong("of another kind", value);
        match (self.kind, value) {
            // Older files write a list like this where a word was also possible.
            (Kind::WordOrList(..), Value::Object(map)) if map.len() == 1 => {
                match map.get("given") {
                    Some(list) => self.check(list),
                    None => Err(mismatch()),
                }
            }
            (_, Value::Null) => Ok(()),
            (Kind::Off | Kind::On(_), Value::Bool(_)) => Ok(()),
            (Kind::Count { .. }, v) => self.count(v.as_u64().ok_or_else(mismatch)?).map(drop),
            (Kind::Number { .. }, v) => self.number(v.as_f64().ok_or_else(mismatch)?).map(drop),
            (Kind::Grid { .. } | Kind::List { .. } | Kind::WordOrList(..), Value::Array(all)) => {
                let each: Option<Vec<f64>> = all.iter().map(Value::as_f64).collect();
                self.numbers(&each.ok_or_else(mismatch)?).map(drop)
            }
            (Kind::Word(..) | Kind::WordOrList(..), Value::String(word)) => {
                self.word(word).map(drop)
            }
            (Kind::Text { .. }, Value::String(text)) => self.text(text).map(drop),
            (Kind::Text { .. }, Value::Number(v)) => self.text(&v.to_string()).map(drop),
            _ => Err(mismatch()),
        }
    }
}

/// A text of the library as a front end spells it: every `` `id` `` or `` `id=value` `` in
/// backticks is replaced by what `option` returns for the id and the value.
pub fn written(text: &str, option: impl Fn(&str, Option<&str>) -> String) -> String {
    let mut out = String::with_capacity(text.len());
    for (k, part) in text.split('`').enumerate() {
        match (k % 2, part.split_once('=')) {
            (0, _) => out.push_str(part),
            (_, None) => out.push_str(&option(part, None)),
            (_, Some((id, value))) => out.push_str(&option(id, Some(value))),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_let_no_odd_number_in() {
        for range in [
            Range::Finite,
            Range::Positive,
            Range::NotNegative,
            Range::Share,
            Range::Unit,
        ] {
            for odd in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
                assert!(!range.contains(odd), "{range:?} {odd}");
            }
        }
        assert!(Range::Share.contains(1.0) && !Range::Share.contains(1.1));
        assert!(Range::Unit.contains(0.0) && !Range::Share.contains(0.0));
        assert!(!Range::Positive.contains(0.0) && Range::NotNegative.contains(0.0));
        let error = RIDGE.number(-1.0).expect_err("below 0").to_string();
        assert_eq!(error, "`ridge` must be finite and above 0, got -1");
    }

    #[test]
    fn parameters_are_written_as_a_front_end_does() {
        let shell = |id: &str, value: Option<&str>| match value {
            None => format!("--{}", id.replace('_', "-")),
            Some(value) => format!("--{} {value}", id.replace('_', "-")),
        };
        let text = "use `candidates=1000`, or a larger `max_support`";
        assert_eq!(
            written(text, shell),
            "use --candidates 1000, or a larger --max-support"
        );
        assert_eq!(written("nothing to write", shell), "nothing to write");
    }

    #[test]
    fn values_of_files_are_checked() {
        for (param, value, fine) in [
            (&RIDGE, serde_json::json!(0.5), true),
            (&RIDGE, serde_json::json!(0.0), false),
            (&RIDGE, serde_json::json!("much"), false),
            (&RIDGE, serde_json::json!(null), true),
            (&RIDGES, serde_json::json!([1.0, 2.0]), true),
            (&RIDGES, serde_json::json!([1.0, -2.0]), false),
            (&COMPONENTS, serde_json::json!(0), false),
            (&COMPONENTS, serde_json::json!(1.5), false),
            (&KERNEL, serde_json::json!("gaussian"), true),
            (&KERNEL, serde_json::json!("gauss"), false),
            (&VOTE, serde_json::json!(false), true),
        ] {
            assert_eq!(param.check(&value).is_ok(), fine, "{} {value}", param.id);
        }
    }
}
