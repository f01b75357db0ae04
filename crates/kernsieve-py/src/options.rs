//! Parameters as Python gives them, checked by their descriptions in the catalogue.

use crate::errors::{exception, name_in_python};
use kernsieve::catalogue::CATALOGUE;
use kernsieve::method::density::{self, Density};
use kernsieve::params::{Kind, PROTOCOL, Param, Params, Protocol};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyString};
use serde_json::Value;

/// Parameters of the methods and the protocol from a dictionary by id. A value of `None` counts as
/// not given: the parameter is tuned, or has its default.
pub fn parse(words: &Bound<'_, PyDict>) -> PyResult<(Params, Protocol)> {
    let own = CATALOGUE.iter().flat_map(|e| e.about.params);
    let (protocol, given) = collected(words, &own.collect::<Vec<_>>())?;
    Ok((given, protocol))
}

/// A density and the protocol from a dictionary by id.
pub fn parse_density(words: &Bound<'_, PyDict>) -> PyResult<(Density, Protocol)> {
    let (protocol, given) = collected(words, &density::PARAMS.iter().collect::<Vec<_>>())?;
    Ok((Density::from_params(&given).map_err(exception)?, protocol))
}

fn collected(words: &Bound<'_, PyDict>, own: &[&Param]) -> PyResult<(Protocol, Params)> {
    let (mut protocol, mut given) = (Params::new(), Params::new());
    for (word, value) in words {
        let id: String = word.extract()?;
        if value.is_none() {
            continue;
        }
        let is_it = |p: &Param| p.id == id || p.singular() == Some(&id);
        if let Some(param) = PROTOCOL.iter().find(|p| p.id == id) {
            protocol.insert(
                id.clone(),
                Given {
                    param,
                    id: &id,
                    value,
                }
                .checked()?,
            );
            continue;
        }
        let meanings: Vec<&Param> = own.iter().copied().filter(|p| is_it(p)).collect();
        let Some(first) = meanings.first() else {
            return Err(PyTypeError::new_err(format!("unknown option '{id}'")));
        };
        let as_given = |param| Given {
            param,
            id: &id,
            value: value.clone(),
        };
        // Methods differ in the kernels, words and ranges that they accept, so what some method
        // accepts will do here, and each checks its own.
        let checked = match id.as_str() {
            "kernel" => Value::from(as_given(first).text()?),
            _ => {
                let some = meanings.iter().find_map(|p| as_given(p).checked().ok());
                some.map_or_else(|| as_given(first).checked(), Ok)?
            }
        };
        given.insert(id, checked);
    }
    let protocol = serde_json::from_value(Value::Object(protocol))
        .map_err(|e| PyValueError::new_err(e.to_string()))?;
    Ok((protocol, given))
}

/// A value to be checked against a parameter.
struct Given<'a, 'py> {
    param: &'a Param,
    /// What it was given as.
    id: &'a str,
    value: Bound<'py, PyAny>,
}

impl Given<'_, '_> {
    fn wrong(&self, wanted: &str) -> PyErr {
        let shown = match self.value.repr() {
            Ok(text) => text.to_string(),
            Err(_) => "a value that cannot be shown".into(),
        };
        let name = name_in_python(self.id);
        PyValueError::new_err(format!("{name} must be {wanted}, got {shown}"))
    }

    /// The value, if it is of the kind and in the range.
    fn checked(&self) -> PyResult<Value> {
        let param = self.param;
        let checked = match param.kind {
            Kind::Off | Kind::On(_) => return self.yes_or_no().map(Value::from),
            Kind::Count { .. } => param.count(self.count()?),
            Kind::Number { .. } => param.number(self.number()?),
            Kind::Grid { .. } if self.id != param.id => param.number(self.number()?),
            Kind::Grid { .. } | Kind::List { .. } => param.numbers(&self.numbers()?),
            Kind::Word(..) => return self.word(),
            Kind::WordOrList(..) if self.is_text() => return self.word(),
            Kind::WordOrList(..) => param.numbers(&self.numbers()?),
            Kind::Text { .. } if self.is_text() => param.text(&self.text()?),
            // A class may be a number, and so may a threshold.
            Kind::Text { .. } => param.text(&self.value.str()?.to_string()),
        };
        checked.map_err(exception)
    }

    fn is_text(&self) -> bool {
        self.value.is_instance_of::<PyString>()
    }

    fn text(&self) -> PyResult<String> {
        self.value.extract().map_err(|_| self.wrong("a word"))
    }

    /// One of the words that the parameter knows.
    fn word(&self) -> PyResult<Value> {
        let known = match self.param.kind {
            Kind::Word(words, _) | Kind::WordOrList(words, ..) => words,
            _ => &[],
        };
        let text = self.text()?;
        if known.contains(&text.as_str()) {
            return Ok(text.into());
        }
        let known: Vec<String> = known.iter().map(|w| format!("'{w}'")).collect();
        Err(self.wrong(&format!("one of {}", known.join(", "))))
    }

    /// Python accepts True as 1; kernsieve does not.
    fn is_yes_or_no(&self) -> bool {
        self.value.is_instance_of::<PyBool>()
    }

    fn number(&self) -> PyResult<f64> {
        if self.is_yes_or_no() {
            return Err(self.wrong("a number"));
        }
        self.value.extract().map_err(|_| self.wrong("a number"))
    }

    fn numbers(&self) -> PyResult<Vec<f64>> {
        const WANTED: &str = "a sequence of numbers";
        if self.is_text() {
            return Err(self.wrong(WANTED));
        }
        let items = self.value.try_iter().map_err(|_| self.wrong(WANTED))?;
        let numbers: PyResult<Vec<f64>> = items.map(|item| item?.extract()).collect();
        match numbers {
            Ok(numbers) if !numbers.is_empty() => Ok(numbers),
            _ => Err(self.wrong(WANTED)),
        }
    }

    fn count(&self) -> PyResult<u64> {
        let wrong = || self.wrong("a whole number, 0 or more");
        if self.is_yes_or_no() {
            return Err(wrong());
        }
        self.value.extract().map_err(|_| wrong())
    }

    fn yes_or_no(&self) -> PyResult<bool> {
        // NumPy has its own boolean type, which a parameter grid made from an array contains.
        let name = self.value.get_type().name();
        let numpy = name.is_ok_and(|name| name == "bool" || name == "bool_");
        if numpy || self.is_yes_or_no() {
            return self.value.is_truthy();
        }
        Err(self.wrong("True or False"))
    }
}
