//! What a method says of itself. Front ends, tables and pages are made of it.

use crate::params::Param;

/// A method in words and facts.
#[derive(Clone, Copy, Debug)]
pub struct About {
    /// Its name on the command line and in files.
    pub name: &'static str,
    /// The name of its class in Python.
    pub class: &'static str,
    /// What it is, after its name: `kernel logistic regression`.
    pub title: &'static str,
    /// Its name in plain words, and what people who know it call it.
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
    /// Whether its probabilities need the temperature of least cross-validated log loss. A kernel
    /// that nearly interpolates leaves its discriminant far too sure of itself on new rows.
    pub calibrated: bool,
    /// Whether weights of rows hardly move its decision, so that weights of classes act as costs.
    pub class_weight_is_cost: bool,
    /// Whether a kernel matrix can take the place of the features.
    pub precomputed: bool,
    /// Its own parameters; those of the protocol are the same for all.
    pub params: &'static [Param],
    /// Whether it is among the methods of `auto`.
    pub auto: bool,
    /// Whether its tuning ends in some ten seconds on so many rows, features and classes.
    pub feasible: fn(usize, usize, usize) -> bool,
    /// Whether it takes no time to speak of on any number of rows.
    pub quick: bool,
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
    /// Coefficients of each class, and so features.
    Coefficients,
    /// Samples, where that is asked for.
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
    /// Discriminant scores, which tell the classes apart, too.
    Scores,
    /// Logits, one per class.
    Logits,
    /// Log densities.
    LogDensities,
}

impl About {
    /// Nothing said yet: dense, not calibrated, out of `auto`, feasible everywhere.
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
        class_weight_is_cost: false,
        precomputed: false,
        params: &[],
        auto: false,
        feasible: |_, _, _| true,
        quick: false,
    };

    /// A part of another method, which has a name and nothing to show.
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
