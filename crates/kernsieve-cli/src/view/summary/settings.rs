//! The settings of a model. Nothing else reads what was asked for and what was chosen.

use kernsieve::catalogue::CATALOGUE;
use kernsieve::method::posterior::PosteriorKind;
use kernsieve::model::Model;
use kernsieve::params::{PROTOCOL, Validation};
use serde_json::{Value, json};

/// A setting that was chosen or given, with the words for it.
#[derive(Clone, Debug, PartialEq)]
pub struct Setting {
    /// What it is called.
    pub label: &'static str,
    /// What it is.
    pub value: SettingValue,
}

/// The value of a setting.
#[derive(Clone, Debug, PartialEq)]
pub enum SettingValue {
    /// One number.
    Number(f64),
    /// Several, one per class.
    Numbers(Vec<f64>),
    /// A fact; the label says which.
    Given,
}

/// How rows were dealt out and scaled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    /// How settings were compared.
    pub validation: Validation,
    /// Folds that were asked for.
    pub folds: usize,
    /// Seed of all random draws.
    pub seed: u64,
    /// Whether features were standardised.
    pub standardize: bool,
    /// Whether they were then replaced by normal scores.
    pub scores: bool,
}

impl Plan {
    /// What features are measured in.
    pub fn units(&self) -> &'static str {
        match (self.scores, self.standardize) {
            (true, _) => "normal scores",
            (false, true) => "standardised units",
            (false, false) => "raw units",
        }
    }

    /// How features were prepared, by the name of the parameter's value.
    fn prepare(&self) -> Option<&'static str> {
        match (self.scores, self.standardize) {
            (true, _) => Some("scores"),
            (false, true) => Some("standardize"),
            (false, false) => None,
        }
    }
}

/// The plan of a model.
pub fn plan(model: &Model) -> Plan {
    let protocol = &model.record.options.protocol;
    Plan {
        validation: protocol.validation,
        folds: protocol.folds,
        seed: protocol.seed,
        standardize: protocol.standardize,
        scores: model.scaling.scores.is_some(),
    }
}

/// The squared-norm penalty of the fit.
pub fn ridge(model: &Model) -> Option<f64> {
    model.record.report.ridge
}

/// The squared-norm penalty of the posteriors behind a discriminant kernel.
fn posterior_ridge(model: &Model) -> Option<f64> {
    model.record.setting.posterior()?.number("ridge")
}

/// The penalty that drops features, or coefficients of linear posteriors.
pub fn penalty(model: &Model) -> Option<f64> {
    model.record.setting.reader().number("sparsity")
}

/// Whether the method gives features weights of their own.
pub fn learns_weights(model: &Model) -> bool {
    model.record.setting.number("sparsity").is_some() || is_sieved(model)
}

/// Whether the method keeps few features and few rows.
pub fn is_sieved(model: &Model) -> bool {
    model.record.setting.count("rounds").is_some()
}

/// Settings of a method that keeps few features and few rows.
fn sieve(model: &Model) -> Vec<(&'static str, Option<SettingValue>)> {
    let setting = &model.record.setting;
    let given = |yes: bool| yes.then_some(SettingValue::Given);
    let Some(rounds) = setting.count("rounds") else {
        return vec![];
    };
    let linear = model.expansion.linear.is_some();
    let softmax = setting.number("softmax").is_some();
    let learnt = match rounds {
        0 => "features weighed alike",
        1 => "weights learnt in one round",
        2 => "weights learnt in two rounds",
        3 => "weights learnt in three rounds",
        4 => "weights learnt in four rounds",
        _ => "weights learnt in five rounds",
    };
    vec![
        ("linear part", given(linear)),
        ("no linear part", given(!linear)),
        (learnt, Some(SettingValue::Given)),
        ("softmax on the rows kept", given(softmax)),
        ("least squares on the rows kept", given(!softmax)),
        (
            "standardised features",
            given(!plan(model).scores && plan(model).standardize),
        ),
    ]
}

/// Whether the folds had a vote on the features.
pub fn is_voted(model: &Model) -> bool {
    model.record.setting.features().is_some()
}

/// The same by their names in JSON.
fn sieve_values(model: &Model) -> Vec<(&'static str, Value)> {
    let setting = &model.record.setting;
    let Some(rounds) = setting.count("rounds") else {
        return vec![];
    };
    let linear = if model.expansion.linear.is_some() {
        "in"
    } else {
        "out"
    };
    vec![
        ("linear", json!(linear)),
        ("rounds", json!(rounds)),
        ("max_features", json!(features_chosen(model))),
        ("softmax", json!(setting.number("softmax"))),
    ]
}

/// How many rows to retain, chosen or given, where the method selects them.
pub fn samples(model: &Model) -> Option<usize> {
    let record = &model.record;
    record
        .setting
        .size()
        .samples
        .or(record.options.count("max_support"))
}

/// How many features to import, where that was chosen by validation.
fn features_chosen(model: &Model) -> Option<usize> {
    model.record.setting.size().features
}

/// How many features were imported, chosen or by a rule.
fn n_features(model: &Model) -> Option<usize> {
    let imported = model.record.report.imported.len();
    features_chosen(model).or((imported > 0).then_some(imported))
}

/// Rows or features, where the method takes them step by step.
pub fn step(model: &Model) -> Option<usize> {
    model.record.setting.size().step()
}

/// The estimate of the posteriors behind the kernel of a model.
pub fn posterior(model: &Model) -> Option<PosteriorKind> {
    model.discriminant.as_ref()?;
    // Older files do not name those of a method that always has some.
    let kind = model.record.options.word("posterior").unwrap_or("l1");
    serde_json::from_value(kind.into()).ok()
}

/// The settings that are told in words, after the kernel.
pub fn chosen(model: &Model) -> Vec<Setting> {
    let (setting, options) = (&model.record.setting, &model.record.options);
    let number = |label, value: Option<f64>| (label, value.map(SettingValue::Number));
    let widths = setting.numbers("class_bandwidths");
    let settings = [
        number("ridge", ridge(model)),
        number("posterior ridge", posterior_ridge(model)),
        number("penalty", penalty(model)),
        number("balance", setting.number("balance").filter(|b| *b != 1.0)),
        (
            "bandwidths of the classes",
            widths.map(SettingValue::Numbers),
        ),
        number("class ratio", options.number("class_ratio")),
        (
            "features by vote",
            is_voted(model).then_some(SettingValue::Given),
        ),
        (
            "normal scores of the features",
            plan(model).scores.then_some(SettingValue::Given),
        ),
    ];
    let given = settings.into_iter().chain(sieve(model));
    given
        .filter_map(|(label, value)| {
            Some(Setting {
                label,
                value: value?,
            })
        })
        .collect()
}

/// All settings by their names in JSON: the parameters of all methods, with null for those that the
/// method does not use, and the chosen values in place of those left open.
pub fn all(model: &Model) -> Vec<(&'static str, Value)> {
    let (setting, options) = (&model.record.setting, &model.record.options);
    let asked = serde_json::to_value(options).unwrap_or_default();
    let own = CATALOGUE
        .iter()
        .find(|e| e.about.name == model.record.method);
    let mut all: Vec<(&'static str, Value)> = Vec::new();
    for param in CATALOGUE.iter().flat_map(|e| e.about.params) {
        // Older files hold the parameters of all methods.
        let is_own = own.is_none_or(|e| e.about.param(param.id).is_some());
        let value = asked.get(param.id).filter(|_| is_own).cloned();
        if all.iter().all(|(id, _)| *id != param.id) {
            all.push((param.id, value.unwrap_or_default()));
        }
    }
    let protocol = PROTOCOL.iter().map(|p| p.id);
    all.extend(protocol.map(|id| (id, asked.get(id).cloned().unwrap_or_default())));
    for (id, value) in [
        ("ridge", json!(ridge(model))),
        ("max_support", json!(samples(model))),
        ("n_features", json!(n_features(model))),
        ("sparsity", json!(penalty(model))),
        ("sparsity_share", json!(setting.number("sparsity_share"))),
        ("balance", json!(setting.number("balance"))),
        (
            "class_bandwidths",
            json!(setting.numbers("class_bandwidths")),
        ),
        ("posterior", json!(posterior(model))),
        ("posterior_ridge", json!(posterior_ridge(model))),
        ("vote", json!(is_voted(model))),
        ("prepare", json!(plan(model).prepare())),
    ]
    .into_iter()
    .chain(sieve_values(model))
    {
        match all.iter_mut().find(|(known, _)| *known == id) {
            Some((_, old)) => *old = value,
            None => all.push((id, value)),
        }
    }
    all
}
