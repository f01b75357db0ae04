//! The settings of a model. Nothing else reads what was asked for and what was chosen.

use kernsieve::method::{MethodKind, PosteriorKind, Validation};
use kernsieve::model::{Model, TrainingRecord};
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
    /// Several, one a class.
    Numbers(Vec<f64>),
    /// It is so; the label says what.
    Given,
}

/// How rows were dealt out and scaled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    /// How settings were compared.
    pub validation: Validation,
    /// Folds that were asked for.
    pub folds: usize,
    /// Seed of all that is drawn.
    pub seed: u64,
    /// Whether features were brought to one scale.
    pub standardize: bool,
}

/// The plan of a model.
pub fn plan(model: &Model) -> Plan {
    let options = &model.record.options;
    Plan {
        validation: options.validation,
        folds: options.folds,
        seed: options.seed,
        standardize: options.standardize,
    }
}

/// The squared-norm penalty of the fit.
pub fn ridge(model: &Model) -> Option<f64> {
    model.record.report.ridge
}

/// The squared-norm penalty of the posteriors behind a discriminant kernel.
fn posterior_ridge(model: &Model) -> Option<f64> {
    model.record.candidate.posterior.as_ref()?.ridge
}

/// The penalty that drops features, or coefficients of linear posteriors.
pub fn penalty(model: &Model) -> Option<f64> {
    model.record.candidate.reader().sparsity
}

/// Whether the method gives features weights of their own.
pub fn learns_weights(model: &Model) -> bool {
    model.record.candidate.sparsity.is_some()
}

/// Whether the folds had a vote on the features.
pub fn is_voted(model: &Model) -> bool {
    model.record.candidate.features.is_some()
}

/// How many rows to retain, chosen or given, where the method selects them.
pub fn samples(model: &Model) -> Option<usize> {
    let record = &model.record;
    record.candidate.size.or(record.options.max_support)
}

/// How many features to import, where that was chosen by validation.
pub fn features_chosen(model: &Model) -> Option<usize> {
    model.record.candidate.n_features
}

/// How many features were imported, chosen or by a rule.
fn n_features(model: &Model) -> Option<usize> {
    let imported = model.record.report.imported.len();
    features_chosen(model).or((imported > 0).then_some(imported))
}

/// Rows or features, where the method takes them step by step.
pub fn step(model: &Model) -> Option<usize> {
    model.record.candidate.step()
}

/// The estimate of the posteriors behind the kernel of a model.
pub fn posterior(model: &Model) -> Option<PosteriorKind> {
    let method = model.record.method.parse::<MethodKind>().ok()?;
    model.discriminant.as_ref()?;
    model.record.options.posterior_of(method)
}

/// The settings that are told in words, after the kernel.
pub fn chosen(model: &Model) -> Vec<Setting> {
    let TrainingRecord {
        candidate, options, ..
    } = &model.record;
    let number = |label, value: Option<f64>| (label, value.map(SettingValue::Number));
    let widths = candidate.class_bandwidths.clone();
    let settings = [
        number("ridge", ridge(model)),
        number("posterior ridge", posterior_ridge(model)),
        number("penalty", penalty(model)),
        number("balance", candidate.balance.filter(|b| *b != 1.0)),
        (
            "bandwidths of the classes",
            widths.map(SettingValue::Numbers),
        ),
        number("class ratio", options.class_ratio),
        (
            "features by vote",
            is_voted(model).then_some(SettingValue::Given),
        ),
    ];
    let given = settings.into_iter();
    given
        .filter_map(|(label, value)| {
            Some(Setting {
                label,
                value: value?,
            })
        })
        .collect()
}

/// All settings by their names in JSON, also those that the method has no use for.
pub fn all(model: &Model) -> Vec<(&'static str, Value)> {
    let TrainingRecord {
        candidate, options, ..
    } = &model.record;
    vec![
        ("ridge", json!(ridge(model))),
        ("ridge_rule", json!(options.ridge_rule)),
        ("penalty", json!(options.penalty)),
        ("priors", json!(options.priors)),
        ("costs", json!(options.costs)),
        ("mahalanobis", json!(options.mahalanobis)),
        ("components", json!(options.components)),
        ("max_support", json!(samples(model))),
        ("n_features", json!(n_features(model))),
        ("max_features", json!(options.max_features)),
        ("stop", json!(options.stop)),
        ("tol", json!(options.tol)),
        ("lag", json!(options.lag)),
        ("patience", json!(options.patience)),
        ("sparsity", json!(penalty(model))),
        ("balance", json!(candidate.balance)),
        ("smoothing", json!(options.smoothing)),
        ("class_bandwidths", json!(candidate.class_bandwidths)),
        ("relaxed", json!(options.relaxed)),
        ("class_ratio", json!(options.class_ratio)),
        ("multiclass", json!(options.multiclass)),
        ("l1_ratio", json!(options.l1_ratio)),
        ("posterior", json!(posterior(model))),
        ("posterior_ridge", json!(posterior_ridge(model))),
        ("simplex", json!(options.simplex)),
        ("mapping", json!(options.mapping)),
        ("metric", json!(options.metric)),
        ("sparsity_share", json!(candidate.sparsity_share)),
        ("spacing", json!(options.spacing)),
        ("weight_steps", json!(options.weight_steps)),
        ("restarts", json!(options.restarts)),
        ("vote", json!(is_voted(model))),
        ("candidates", json!(options.candidates)),
        ("folds", json!(options.folds)),
        ("rule", json!(options.rule)),
        ("seed", json!(options.seed)),
        ("standardize", json!(options.standardize)),
    ]
}
