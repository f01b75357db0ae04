//! The words of the options, as Python writes them, and what they mean. The only place that knows
//! both.

use crate::errors::name_in_python;
use kernsieve::kernel::Family;
use kernsieve::method::density::Criterion;
use kernsieve::method::{ClassBandwidths, Options, PosteriorKind, Priors};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyString};
use serde::Deserialize;
use serde::de::IntoDeserializer;
use serde::de::value::{Error as WordError, StrDeserializer};

/// Options from a dictionary of words. A value of `None` is as good as none: what is not given is
/// tuned, or has its default.
pub fn parse(words: &Bound<'_, PyDict>) -> PyResult<Options> {
    let mut options = Options::default();
    for (word, value) in words {
        let word: String = word.extract()?;
        if !value.is_none() {
            set(&mut options, &word, &Value { word: &word, value })?;
        }
    }
    Ok(options)
}

/// What the bandwidth of a density is chosen by.
pub fn criterion(value: &Bound<'_, PyAny>) -> PyResult<Criterion> {
    Value {
        word: "criterion",
        value: value.clone(),
    }
    .choice()
}

fn set(options: &mut Options, word: &str, value: &Value<'_, '_>) -> PyResult<()> {
    match word {
        "kernel" if value.is_word("discriminant") => {
            options.kernel = Family::Gaussian;
            options.posterior = options.posterior.or(Some(PosteriorKind::L1));
        }
        "kernel" => options.kernel = value.choice()?,
        "bandwidth" => options.bandwidths = vec![value.number()?],
        "bandwidths" => options.bandwidths = value.numbers()?,
        "degree" => options.degree = value.count()?,
        "slope" => options.slope = Some(value.number()?),
        "shift" => options.shift = value.number()?,
        "ridge" => options.ridge = Some(value.number()?),
        "ridges" => options.ridges = value.numbers()?,
        "ridge_rule" => options.ridge_rule = value.choice()?,
        "penalty" => options.penalty = value.choice()?,
        "priors" if value.is_text() => options.priors = value.choice()?,
        "priors" => options.priors = Priors::Given(value.numbers()?),
        "costs" => options.costs = value.numbers()?,
        "mahalanobis" => options.mahalanobis = value.yes_or_no()?,
        "components" => options.components = Some(value.count()?),
        "max_support" => options.max_support = Some(value.count()?),
        "path_limit" => options.path_limit = Some(value.count()?),
        "sparsity" => options.sparsity = Some(value.number()?),
        "l1_ratio" => options.l1_ratio = value.number()?,
        "posterior" => options.posterior = Some(value.choice()?),
        "smoothing" => options.smoothing = value.number()?,
        "balance" => options.balances = vec![value.number()?],
        "balances" => options.balances = value.numbers()?,
        "class_bandwidths" if value.is_text() => options.class_bandwidths = value.choice()?,
        "class_bandwidths" => options.class_bandwidths = ClassBandwidths::Given(value.numbers()?),
        "relaxed" => options.relaxed = value.yes_or_no()?,
        "class_ratio" => options.class_ratio = Some(value.number()?),
        "multiclass" => options.multiclass = value.choice()?,
        "simplex" => options.simplex = value.choice()?,
        "mapping" => options.mapping = value.choice()?,
        "metric" => options.metric = value.choice()?,
        "spacing" => options.spacing = value.choice()?,
        "weight_steps" => options.weight_steps = value.choice()?,
        "restarts" => options.restarts = value.count()?,
        "vote" => options.vote = value.yes_or_no()?,
        "landmarks" => options.landmarks = value.choice()?,
        "max_features" => options.max_features = Some(value.count()?),
        "stop" => options.stop = value.choice()?,
        "tol" => options.tol = value.number()?,
        "lag" => options.lag = value.count()?,
        "patience" => options.patience = Some(value.count()?),
        "candidates" => options.candidates = Some(value.count()?),
        "rule" => options.rule = value.choice()?,
        "validation" => options.validation = value.choice()?,
        "folds" => options.folds = value.count()?,
        "calibrate" => options.calibrate = value.yes_or_no()?,
        "seed" => options.seed = value.count()?,
        "standardize" => options.standardize = value.yes_or_no()?,
        _ => return Err(PyTypeError::new_err(format!("unknown option '{word}'"))),
    }
    Ok(())
}

/// A value on its way into an option.
struct Value<'a, 'py> {
    word: &'a str,
    value: Bound<'py, PyAny>,
}

impl Value<'_, '_> {
    fn wrong(&self, wanted: &str) -> PyErr {
        let shown = match self.value.repr() {
            Ok(text) => text.to_string(),
            Err(_) => "a value that cannot be shown".into(),
        };
        PyValueError::new_err(format!(
            "{} must be {wanted}, got {shown}",
            name_in_python(self.word)
        ))
    }

    fn is_text(&self) -> bool {
        self.value.is_instance_of::<PyString>()
    }

    fn is_word(&self, word: &str) -> bool {
        self.value
            .extract::<String>()
            .is_ok_and(|text| text == word)
    }

    /// Python takes True for 1; we do not.
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

    fn count<T: TryFrom<u64>>(&self) -> PyResult<T> {
        let wrong = || self.wrong("a whole number, 0 or more");
        if self.is_yes_or_no() {
            return Err(wrong());
        }
        let number: u64 = self.value.extract().map_err(|_| wrong())?;
        T::try_from(number).map_err(|_| wrong())
    }

    fn yes_or_no(&self) -> PyResult<bool> {
        // NumPy has a truth value of its own, which a parameter grid made of an array holds.
        let numpy = self
            .value
            .get_type()
            .name()
            .is_ok_and(|name| name == "bool" || name == "bool_");
        if numpy || self.is_yes_or_no() {
            return self.value.is_truthy();
        }
        Err(self.wrong("True or False"))
    }

    /// One of the words of an enum, which knows them itself.
    fn choice<T: for<'de> Deserialize<'de>>(&self) -> PyResult<T> {
        let Ok(text) = self.value.extract::<String>() else {
            return Err(self.wrong("a word"));
        };
        let word: StrDeserializer<'_, WordError> = text.as_str().into_deserializer();
        T::deserialize(word).map_err(|e| {
            let known = e.to_string();
            let known = known
                .split_once("expected ")
                .map_or(known.as_str(), |(_, words)| words);
            self.wrong(&known.replace('`', "'"))
        })
    }
}
