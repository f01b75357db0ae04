//! Everything that is shown about a result, read once; the views read nothing else.

mod areas;
mod coefficients;
mod comparison;
mod demo;
mod evaluation;
mod features;
mod kernel;
mod method;
mod overflow;
mod quality;
mod ranking;
mod run;
mod settings;
mod trial;
mod tuning;

pub use coefficients::{ClassCoefficients, CoefficientKind};
pub use comparison::ComparisonSummary;
pub use demo::DemoSummary;
pub use evaluation::Evaluation;
pub use features::{Explained, Features, Step};
pub use kernel::cell as kernel_cell;
pub use method::{Listing, Method};
pub use overflow::Overflow;
pub use quality::{Quality, ThresholdFacts};
pub use ranking::{Ranking, Standing};
pub use run::{DataFacts, Measured, NewRows, Run, Saved, Seconds};
pub use settings::{Plan, Setting, SettingValue};
pub use trial::Cell;
pub use tuning::{Trial, Tuning};

use crate::view::words::in_words;
use kernel::KernelFacts;
use kernsieve::data::Schema;
use kernsieve::decision::Decision;
use kernsieve::expansion::Output;
use kernsieve::method::density::DensityRecord;
use kernsieve::model::{AutoRecord, Model};
use serde_json::Value;

/// A fitted model as shown to people and programs.
pub struct Summary<'m> {
    /// Its method.
    pub method: Method<'m>,
    /// The version that fitted it.
    pub version: &'m str,
    /// Its kernel.
    pub kernel: KernelFacts,
    /// The settings that are told in words, in order.
    pub chosen: Vec<Setting>,
    /// All settings by their names in JSON.
    pub settings: Vec<(&'static str, Value)>,
    /// How rows were dealt out and scaled.
    pub plan: Plan,
    /// The squared-norm penalty.
    pub ridge: Option<f64>,
    /// The penalty that drops features or coefficients.
    pub penalty: Option<f64>,
    /// What was tried to choose the settings.
    pub tuning: Option<Tuning<'m>>,
    /// How the method was chosen, where that was left open.
    pub auto: Option<AutoRecord>,
    /// How a density was found.
    pub density: Option<&'m DensityRecord>,
    /// Classes.
    pub classes: &'m [String],
    /// Training rows in each.
    pub class_counts: &'m [usize],
    /// What an error costs in each; empty where all cost the same.
    pub costs: &'m [f64],
    /// Costs of errors, also where a threshold stands for them.
    pub costs_of_errors: &'m [f64],
    /// Columns of the data.
    pub columns: Columns<'m>,
    /// Features, which the columns make.
    pub features: Features<'m>,
    /// Names of those that the model uses.
    pub selected_features: Vec<String>,
    /// Training rows that the model holds.
    pub retained: Retained<'m>,
    /// Training rows that there were.
    pub n_rows: usize,
    /// Error on them.
    pub train_error: f64,
    /// How the solver did.
    pub solver: Solver<'m>,
    /// Number of outputs of the model.
    pub n_outputs: usize,
    /// The rule that turns outputs into a class.
    pub decision: &'static str,
    /// What log scores are divided by.
    pub temperature: f64,
    /// How good it is expected to be.
    pub quality: Quality<'m>,
    /// Whether its method keeps few features and few rows.
    sieved: bool,
    /// The run that fitted it, if it was fitted just now.
    pub run: Option<Run<'m>>,
}

/// The columns of the data.
pub struct Columns<'m> {
    /// Names and kinds.
    pub schema: &'m Schema,
    /// How many hold numbers.
    pub numeric: usize,
    /// How many hold categories.
    pub categorical: usize,
}

/// Training rows that a model holds.
pub struct Retained<'m> {
    /// Their places.
    pub rows: &'m [usize],
    /// In which order they are worth listing, if at all.
    pub order: Option<Listing>,
    /// Weights of a density.
    pub weights: Option<&'m [f64]>,
}

/// How the solver did.
pub struct Solver<'m> {
    /// The objective at the solution.
    pub objective: Option<f64>,
    /// Its iterations.
    pub iterations: usize,
    /// Whether it reached its tolerance.
    pub converged: bool,
    /// How far the solution is from its own equations.
    pub residual: Option<f64>,
    /// Eigenvalues of the discriminant.
    pub eigenvalues: &'m [f64],
    /// The objective step by step.
    pub trace: &'m [f64],
    /// Which of several starts was the best.
    pub start: Option<usize>,
}

impl<'m> Summary<'m> {
    /// Reads it from a model.
    pub fn new(model: &'m Model) -> Self {
        let record = &model.record;
        let method = method::method(&record.method);
        Self {
            method,
            version: &record.version,
            kernel: KernelFacts::new(model),
            chosen: settings::chosen(model),
            settings: settings::all(model),
            plan: settings::plan(model),
            ridge: settings::ridge(model),
            penalty: settings::penalty(model),
            tuning: Tuning::new(model),
            auto: record.auto.clone().map(worded),
            density: record.density.as_ref(),
            classes: &model.classes,
            class_counts: &record.class_counts,
            costs: &model.costs,
            costs_of_errors: model.costs_of_errors(),
            columns: Columns::new(&model.schema),
            features: Features::new(model),
            selected_features: model.selected_features(),
            retained: Retained::new(model, method),
            n_rows: record.n_rows,
            train_error: record.train_error,
            solver: Solver::new(model),
            n_outputs: model.expansion.n_outputs(),
            decision: decision(&model.decision),
            temperature: model.temperature,
            quality: Quality::new(model),
            sieved: settings::is_sieved(model),
            run: None,
        }
    }

    /// With the run that fitted it.
    pub fn with_run(self, run: Run<'m>) -> Self {
        Self {
            run: Some(run),
            ..self
        }
    }

    /// Whether it is a density, which has no classes.
    pub fn is_density(&self) -> bool {
        self.density.is_some()
    }

    /// Whether the features have their own table: weights, coefficients, imports or importances.
    pub fn has_feature_table(&self) -> bool {
        let features = &self.features;
        let own = self.penalty.is_some() || features.is_imported() || features.is_weighted;
        own || features.coefficients.is_some() || !features.importances.is_empty()
    }

    /// Whether both features and rows were chosen, and rows in an order that explains something.
    pub fn is_sieved(&self) -> bool {
        self.sieved
    }
}

impl<'m> Columns<'m> {
    fn new(schema: &'m Schema) -> Self {
        let columns = schema.columns.iter();
        let numeric = columns.filter(|c| !c.kind.is_categorical()).count();
        Self {
            schema,
            numeric,
            categorical: schema.columns.len() - numeric,
        }
    }
}

impl<'m> Retained<'m> {
    fn new(model: &'m Model, method: Method<'_>) -> Self {
        let rows = &model.record.report.retained_rows;
        // An order needs at least two rows.
        let order = match method.listing {
            _ if rows.len() == 1 => Some(Listing::Unordered),
            Listing::BySelection => settings::samples(model).map(|_| Listing::BySelection),
            other => Some(other),
        };
        Self {
            rows,
            order,
            weights: match &model.expansion.output {
                Output::LogDensity { weights, .. } => Some(weights),
                Output::Linear { .. } => None,
            },
        }
    }
}

impl<'m> Solver<'m> {
    fn new(model: &'m Model) -> Self {
        let report = &model.record.report;
        Self {
            objective: report.objective,
            iterations: report.iterations,
            converged: report.converged,
            residual: report.residual,
            eigenvalues: &report.eigenvalues,
            trace: &report.trace,
            start: report.start.map(|(start, _)| start),
        }
    }
}

/// Notes on the choice of a method, in the words of the command line.
fn worded(mut auto: AutoRecord) -> AutoRecord {
    for note in auto.entries.iter_mut().filter_map(|e| e.note.as_mut()) {
        *note = in_words(note);
    }
    auto
}

fn decision(decision: &Decision) -> &'static str {
    match decision {
        Decision::Mahalanobis { .. } => "mahalanobis",
        Decision::NearestCentroid { .. } => "nearest-centroid",
        Decision::LogDensity { .. } => "log-density",
        Decision::Logits { .. } => "logits",
        Decision::OneAgainstRest { .. } => "one-against-rest",
        Decision::Simplex { .. } => "simplex",
    }
}
