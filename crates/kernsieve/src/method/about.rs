//! What a method says about itself. Front ends, tables and pages are made from it.

use crate::params::Param;

/// A method in words and facts.
#[derive(Clone, Copy, Debug)]
pub struct About {
    /// Its name on the command line and in files.
    pub name: &'static str,
    /// The name of its class in Python.
    pub class: &'static str,
    /// What it is, printed after its name: `kernel logistic regression`.
    pub title: &'static str,
    /// Its name in plain words, and its usual abbreviation.
    pub plain: &'static str,
    /// One or two sentences for the documentation.
    pub summary: &'static str,
    /// Where it comes from.
    pub paper: &'static str,
    /// What it tunes, in words.
    pub tuned: &'static str,
    /// How it decides, in words.
    pub decides: &'static str,
    /// What it keeps few of.
    pub sparse: Sparse,
    /// What its outputs are.
    pub outputs: Outputs,
    /// Whether its probabilities need the temperature of least cross-validated log loss. With a
    /// kernel that nearly interpolates, the discriminant is far too confident on new rows.
    pub calibrated: bool,
    /// Whether a smaller model can be fitted like one of its models, without a search.
    pub shrinks: bool,
    /// Whether row weights hardly change its decision, so that class weights act as costs.
    pub class_weight_is_cost: bool,
    /// Whether a kernel matrix can take the place of the features.
    pub precomputed: bool,
    /// Its own parameters. Those of the protocol are the same for all methods.
    pub params: &'static [Param],
    /// Whether `auto` tries it.
    pub auto: Candidacy,
    /// About how many seconds of one core its tuning and fit take on this many rows, features and
    /// classes: right to a factor of three on the machines of 2025.
    pub seconds: fn(f64, f64, f64) -> f64,
    /// Whether its time grows with the classes as it does with the rows, so that tuning may take hours
    /// where there are hundreds of classes.
    pub slow_for_many_classes: bool,
    /// Whether it takes hardly any time, however many rows there are.
    pub quick: bool,
}

/// Whether `auto` tries a method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Candidacy {
    /// Always.
    First,
    /// If all methods are asked for, or if no other uses the options given.
    Asked,
    /// If it is named.
    Never,
}

/// What a method keeps few of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sparse {
    /// Nothing.
    Dense,
    /// Features.
    Features,
    /// Samples.
    Samples,
    /// Features and samples.
    Both,
    /// Coefficients of each class, and thereby features.
    Coefficients,
    /// Samples, if that is asked for.
    SamplesOnRequest,
}

impl Sparse {
    /// In a word.
    pub fn words(self) -> &'static str {
        match self {
            Self::Dense => "-",
            Self::Features => "features",
            Self::Samples => "samples",
            Self::Both => "features and samples",
            Self::Coefficients => "coefficients",
            Self::SamplesOnRequest => "(samples)",
        }
    }
}

/// What the outputs of a method are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outputs {
    /// Canonical variates: coordinates that tell the classes apart.
    Variates,
    /// Discriminant scores, which also tell the classes apart.
    Scores,
    /// Logits, one per class.
    Logits,
    /// Log densities.
    LogDensities,
}

impl About {
    /// The defaults: dense, not calibrated, not in `auto`, feasible everywhere.
    pub const BLANK: Self = Self {
        name: "",
        class: "",
        title: "",
        plain: "",
        summary: "",
        paper: "",
        tuned: "nothing",
        decides: "",
        sparse: Sparse::Dense,
        outputs: Outputs::Variates,
        calibrated: false,
        shrinks: false,
        class_weight_is_cost: false,
        precomputed: false,
        params: &[],
        auto: Candidacy::Never,
        seconds: |n, p, c| 3e-9 * n * p * n.min(p) + 5e-8 * n * p * c,
        slow_for_many_classes: false,
        quick: false,
    };

    /// A part of another method. It has a name and nothing else to show.
    pub const fn part(name: &'static str) -> Self {
        Self {
            name,
            ..Self::BLANK
        }
    }

    /// A parameter by its id, or by the name of a single value of it.
    pub fn param(&self, id: &str) -> Option<&'static Param> {
        let params = self.params.iter();
        params
            .into_iter()
            .find(|p| p.id == id || p.singular() == Some(id))
    }
}
