//! What can be typed, and how it becomes library options.

use crate::examples;
use clap::{Args, Parser, Subcommand, ValueEnum};
use kernsieve::decision::Simplex;
use kernsieve::kernel::Family;
use kernsieve::method::density::Criterion;
use kernsieve::method::{
    ClassBandwidths, Landmarks, MappingKind, MethodKind, Metric, MulticlassKind, Options, Penalty,
    PosteriorKind, Priors, RidgeRule, Rule, Spacing, Steps, StopRule, Validation,
};
use kernsieve_io::{Format, Missing, ReadOptions, ScoringOptions, TargetColumn, similar};
use kernsieve_onnx::Precision;
use std::path::PathBuf;
use std::time::Duration;

/// Sparse kernel classification for tabular data.
#[derive(Parser)]
#[command(
    name = "kernsieve",
    version,
    max_term_width = 80,
    after_long_help = examples::MAIN
)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
    #[command(flatten)]
    pub global: Global,
}

/// Options of every command.
#[derive(Args)]
pub struct Global {
    /// Print one JSON object to standard output, and nothing else there
    #[arg(long, global = true, display_order = 900)]
    pub json: bool,
    /// Threads to use [default: all cores]; the result does not depend on it
    #[arg(long, global = true, display_order = 900, value_name = "T", value_parser = parse_threads)]
    pub threads: Option<usize>,
    /// No progress and no notices
    #[arg(long, short, global = true, display_order = 900)]
    pub quiet: bool,
}

#[derive(Subcommand)]
pub enum Command {
    /// Tune and fit a classifier, and save it
    Fit(FitArgs),
    /// Predict the rows of a file with a saved model
    Predict(PredictArgs),
    /// Measure a saved model on rows whose classes are known
    Evaluate(EvaluateArgs),
    /// Compare methods on repeated splits of a file, each tuned on its training part only
    Compare(CompareArgs),
    /// Estimate the density of the rows of a file, on few of them
    Density(DensityArgs),
    /// Show what is in a model file
    Inspect(InspectArgs),
    /// Draw a saved model and rows whose classes are known as one HTML page
    Report(ReportArgs),
    /// Write a saved model as an ONNX file, for other programs to predict with
    Export(ExportArgs),
    /// The whole flow on an embedded or simulated data set, no files needed
    Demo(DemoArgs),
    /// Write a script that completes commands and options in a shell
    Completions(CompletionsArgs),
    /// Write a manual page, of a command if one is named
    Man(ManArgs),
}

/// How a file of rows is read.
#[derive(Args)]
pub struct FileArgs {
    /// CSV, TSV, Parquet, LIBSVM or ARFF file (.gz too), or - for standard input
    pub data: String,
    /// Format, where the extension does not tell: csv, tsv, parquet, libsvm, arff
    #[arg(long, value_name = "F")]
    pub format: Option<Format>,
    /// Columns to leave out, by name or 0-based index
    #[arg(long, value_name = "COLS", value_delimiter = ',')]
    pub drop: Vec<String>,
    /// Column with the weights of the rows: a row of weight 2 counts twice, one of weight 0 not at
    /// all
    #[arg(long, value_name = "COL")]
    pub weights: Option<String>,
    /// What to do with missing values: error, drop (the row), mean (of the column)
    #[arg(long, value_name = "HOW", default_value = "error")]
    pub missing: Missing,
    /// The first line is data; columns are named x0, x1, ...
    #[arg(long)]
    pub no_header: bool,
    /// Memory that may be used, such as 4G [default: most of what is free]
    #[arg(long, value_name = "BYTES", value_parser = parse_bytes, allow_hyphen_values = true)]
    pub memory: Option<u64>,
}

impl FileArgs {
    pub fn read_options(&self) -> ReadOptions {
        ReadOptions {
            format: self.format,
            drop: self.drop.clone(),
            weights: self.weights.clone(),
            missing: self.missing,
            no_header: self.no_header,
            memory_limit: self.memory,
            ..ReadOptions::default()
        }
    }
}

/// How training data are read.
#[derive(Args)]
pub struct DataArgs {
    #[command(flatten)]
    pub file: FileArgs,
    /// Column with the classes: its name or 0-based index [default: the last column]
    #[arg(long, short, value_name = "COL")]
    pub target: Option<String>,
    /// Columns of numbers that are codes of categories, by name or 0-based index
    #[arg(long, value_name = "COLS", value_delimiter = ',')]
    pub categorical: Vec<String>,
    /// Column that is the same in rows which belong together, a patient's say: no fold or held-out
    /// part divides them
    #[arg(long, visible_alias = "groups", value_name = "COL")]
    pub blocks: Option<String>,
}

impl DataArgs {
    pub fn read_options(&self) -> ReadOptions {
        ReadOptions {
            target: self.target.clone(),
            categorical: self.categorical.clone(),
            blocks: self.blocks.clone(),
            ..self.file.read_options()
        }
    }
}

/// Options of the methods. What is given is used as it is; what is not given is tuned.
#[derive(Args)]
#[command(next_help_heading = "Method options (what is not given is tuned)")]
pub struct MethodArgs {
    /// Kernel; discriminant (mkda, smkda, kos, klr) is short for --posterior l1
    #[arg(long, value_enum, default_value = "gaussian")]
    pub kernel: KernelArg,
    /// Fix the kernel's bandwidth b: exp(-|x-x'|^2 / (2 b^2)) for the Gaussian
    #[arg(
        long,
        value_name = "B",
        conflicts_with = "bandwidths",
        allow_negative_numbers = true
    )]
    pub bandwidth: Option<f64>,
    /// Bandwidths to choose among by cross-validation
    #[arg(
        long,
        value_name = "B,..",
        value_delimiter = ',',
        allow_negative_numbers = true,
        hide_short_help = true
    )]
    pub bandwidths: Vec<f64>,
    /// Degree of the polynomial kernel
    #[arg(long, value_name = "D", default_value_t = 3, hide_short_help = true)]
    pub degree: u32,
    /// Slope of the sigmoid kernel [default: 1 / number of features]
    #[arg(
        long,
        value_name = "S",
        allow_negative_numbers = true,
        hide_short_help = true
    )]
    pub slope: Option<f64>,
    /// Shift of the sigmoid kernel
    #[arg(
        long,
        value_name = "S",
        default_value_t = 0.0,
        allow_negative_numbers = true,
        hide_short_help = true
    )]
    pub shift: f64,
    /// Fix the squared-norm penalty: gamma of kos and sparse-kos (eq. 4), r of mkda (R = r K),
    /// lambda of klr and fivm; l2le: relative to the diagonal of its matrix
    #[arg(
        long,
        value_name = "G",
        conflicts_with = "ridges",
        allow_negative_numbers = true
    )]
    pub ridge: Option<f64>,
    /// klr, fivm, l2le: ridges to choose among by cross-validation
    #[arg(
        long,
        value_name = "G,..",
        value_delimiter = ',',
        allow_negative_numbers = true,
        hide_short_help = true
    )]
    pub ridges: Vec<f64>,
    /// kos, sparse-kos: how the ridge is found when it is not given
    #[arg(
        long,
        value_enum,
        default_value = "stabilization",
        hide_short_help = true
    )]
    pub ridge_rule: RidgeRuleArg,
    /// mkda: penalise the function's norm (R = r K) or the coefficients' (R = r I)
    #[arg(long, value_enum, default_value = "kernel", hide_short_help = true)]
    pub penalty: PenaltyArg,
    /// Class priors: empirical, uniform (kos: the nearest centroid as printed), or one per class
    #[arg(long, value_name = "P", default_value = "empirical", value_parser = parse_priors, allow_hyphen_values = true)]
    pub priors: Priors,
    /// Cost of an error on a row of each class, in the order of the classes (sorted): the class of
    /// least expected cost is predicted, and probabilities are weighed by the costs
    #[arg(
        long,
        value_name = "C,..",
        value_delimiter = ',',
        conflicts_with = "class_ratio",
        allow_negative_numbers = true
    )]
    pub costs: Vec<f64>,
    /// kos, sparse-kos: measure the distance to the centroids in the within-class covariance
    #[arg(long, hide_short_help = true)]
    pub mahalanobis: bool,
    /// Canonical variates to keep (lda, mkda, smkda, l1-dkf) [default: number of classes - 1]
    #[arg(long, value_name = "K", hide_short_help = true)]
    pub components: Option<usize>,
    /// smkda: samples to retain, n_s [default: tuned]; klr, fivm: at most N samples carry the model
    /// [default: all]
    #[arg(long, value_name = "N")]
    pub max_support: Option<usize>,
    /// smkda: longest path to follow when n_s is tuned [default: 1000]
    #[arg(long, value_name = "N", hide_short_help = true)]
    pub path_limit: Option<usize>,
    /// fivm: import at most N features [default: 30; with --stop none: all]
    #[arg(long, value_name = "N")]
    pub max_features: Option<usize>,
    /// fivm: when imports end: at the number of features of least CV error, or when the training
    /// accuracy stands still, or at --max-features
    #[arg(long, value_enum, default_value = "cv", hide_short_help = true)]
    pub stop: StopArg,
    /// fivm: relative change of the training accuracy that counts as standing still, epsilon
    /// (--stop accuracy)
    #[arg(
        long,
        value_name = "E",
        default_value_t = 1e-3,
        allow_negative_numbers = true,
        hide_short_help = true
    )]
    pub tol: f64,
    /// fivm: imports over which that change is measured, delta k (--stop accuracy)
    #[arg(long, value_name = "K", default_value_t = 1, hide_short_help = true)]
    pub lag: usize,
    /// fivm: imports without progress before the end [default: 5; with --stop accuracy: 1]
    #[arg(long, value_name = "K", hide_short_help = true)]
    pub patience: Option<usize>,
    /// Take the discriminant kernel of these class posteriors for the kernel (l1-dkf, mkda, smkda,
    /// kos, klr); klr and parzen posteriors have --kernel as theirs [default: l1 for l1-dkf, none
    /// for the others]
    #[arg(long, value_enum)]
    pub posterior: Option<PosteriorArg>,
    /// l1 posteriors: how regression outputs are brought to the simplex; none leaves them as they
    /// are
    #[arg(long, value_enum, default_value = "clip", hide_short_help = true)]
    pub simplex: SimplexArg,
    /// l1, logistic posteriors: share of the L1 norm in the penalty, the rest is half the squared
    /// norm (elastic net)
    #[arg(
        long,
        value_name = "R",
        default_value_t = 1.0,
        allow_negative_numbers = true,
        hide_short_help = true
    )]
    pub l1_ratio: f64,
    /// l2qp, l2le: smoothing of the target in the Fourier domain, the k of L2QP-k
    #[arg(
        long,
        value_name = "K",
        default_value_t = 0.0,
        allow_negative_numbers = true,
        hide_short_help = true
    )]
    pub smoothing: f64,
    /// l2qp: balance of the quadratic against the linear term, eta [default: 1; tuned from 16
    /// features on]
    #[arg(
        long,
        value_name = "E",
        conflicts_with = "balances",
        allow_negative_numbers = true
    )]
    pub balance: Option<f64>,
    /// l2qp: balances to choose among by cross-validation
    #[arg(
        long,
        value_name = "E,..",
        value_delimiter = ',',
        allow_negative_numbers = true,
        hide_short_help = true
    )]
    pub balances: Vec<f64>,
    /// l2qp: bandwidths of the classes: common, spread (in proportion to the median distance within
    /// each), or one per class
    #[arg(long, value_name = "B", default_value = "common", value_parser = parse_class_bandwidths, allow_hyphen_values = true, hide_short_help = true)]
    pub class_bandwidths: ClassBandwidths,
    /// l2qp: let the weights of a class sum to less than 1 (the set A' of section 5.2)
    #[arg(long, hide_short_help = true)]
    pub relaxed: bool,
    /// l2qp, l2le, two classes: weight of the first density against the second, gamma [default:
    /// ratio of the priors]
    #[arg(
        long,
        value_name = "G",
        allow_negative_numbers = true,
        hide_short_help = true
    )]
    pub class_ratio: Option<f64>,
    /// l2qp, several classes: each against all others, or every density by itself
    #[arg(long, value_enum, default_value = "rest", hide_short_help = true)]
    pub multiclass: MulticlassArg,
    /// l1-dkf: discriminant analysis with the kernel, or Otsu's optimum mapping of the posteriors
    #[arg(long, value_enum, default_value = "lda", hide_short_help = true)]
    pub mapping: MappingArg,
    /// lda, l1-dkf: covariance in which the nearest mean is found; total (with --priors uniform) is
    /// the rule of l1-dkf's paper
    #[arg(long, value_enum, default_value = "within", hide_short_help = true)]
    pub metric: MetricArg,
    /// Fix the L1 penalty, lambda: sparse-kos on the feature weights, l1 and logistic posteriors on
    /// the coefficients [default: tuned]
    #[arg(long, value_name = "L", allow_negative_numbers = true)]
    pub sparsity: Option<f64>,
    /// sparse-kos: spacing of the penalties that are tried; linear is the paper's
    #[arg(long, value_enum, default_value = "log", hide_short_help = true)]
    pub spacing: SpacingArg,
    /// sparse-kos: steps of the weights; linearised is the paper's Algorithm 1 with a line search
    #[arg(long, value_enum, default_value = "projected", hide_short_help = true)]
    pub weight_steps: StepsArg,
    /// sparse-kos: also start at the penalty itself, from R weightings, and keep the least
    /// objective
    #[arg(long, value_name = "R", default_value_t = 0, hide_short_help = true)]
    pub restarts: usize,
    /// sparse-kos, fivm: take the features as they come at the chosen setting, without a vote of
    /// the folds
    #[arg(long, hide_short_help = true)]
    pub no_vote: bool,
    /// sparse-kos: how the M landmarks of --candidates are found
    #[arg(long, value_enum, default_value = "sample", hide_short_help = true)]
    pub landmarks: LandmarksArg,
    /// smkda: choose among M samples only, drawn by class; sparse-kos: M landmarks carry the
    /// function. For many rows
    #[arg(long, value_name = "M", hide_short_help = true)]
    pub candidates: Option<usize>,
    /// Validate by folds, on the first of them only (split), or (smkda) by leaving every row out of
    /// one fit in turn
    #[arg(long, value_enum, default_value = "cv", hide_short_help = true)]
    pub validation: ValidationArg,
    /// Folds of the cross-validation
    #[arg(long, value_name = "K", default_value_t = 5)]
    pub folds: usize,
    /// Pick the setting of least CV error (klr, fivm: error plus log loss), or the sparsest (then
    /// smoothest) within one standard error
    #[arg(long, value_enum, default_value = "min", hide_short_help = true)]
    pub rule: RuleArg,
    /// Keep the probabilities of the method's own model: no temperature from cross-validation
    #[arg(long, hide_short_help = true)]
    pub no_calibration: bool,
    /// Seed of everything random
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub seed: u64,
    /// Leave the features in their own units
    #[arg(long, hide_short_help = true)]
    pub no_standardize: bool,
}

impl MethodArgs {
    pub fn options(&self) -> Options {
        Options {
            kernel: self.kernel.into(),
            bandwidths: self
                .bandwidth
                .map_or_else(|| self.bandwidths.clone(), |b| vec![b]),
            degree: self.degree,
            slope: self.slope,
            shift: self.shift,
            ridge: self.ridge,
            ridge_rule: self.ridge_rule.into(),
            penalty: self.penalty.into(),
            priors: self.priors.clone(),
            costs: self.costs.clone(),
            mahalanobis: self.mahalanobis,
            components: self.components,
            max_support: self.max_support,
            path_limit: self.path_limit,
            sparsity: self.sparsity,
            l1_ratio: self.l1_ratio,
            posterior: match (self.posterior, self.kernel) {
                (None, KernelArg::Discriminant) => Some(PosteriorKind::L1),
                (given, _) => given.map(Into::into),
            },
            smoothing: self.smoothing,
            balances: self
                .balance
                .map_or_else(|| self.balances.clone(), |b| vec![b]),
            class_bandwidths: self.class_bandwidths.clone(),
            relaxed: self.relaxed,
            class_ratio: self.class_ratio,
            multiclass: self.multiclass.into(),
            simplex: self.simplex.into(),
            mapping: self.mapping.into(),
            metric: self.metric.into(),
            spacing: self.spacing.into(),
            weight_steps: self.weight_steps.into(),
            restarts: self.restarts,
            vote: !self.no_vote,
            landmarks: self.landmarks.into(),
            ridges: self.ridges.clone(),
            max_features: self.max_features,
            stop: self.stop.into(),
            tol: self.tol,
            lag: self.lag,
            patience: self.patience,
            candidates: self.candidates,
            rule: self.rule.into(),
            validation: self.validation.into(),
            folds: self.folds,
            calibrate: !self.no_calibration,
            seed: self.seed,
            standardize: !self.no_standardize,
        }
    }
}

/// A method, or the choice of one.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum MethodChoice {
    Auto,
    One(MethodKind),
}

impl MethodChoice {
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::One(kind) => kind.name(),
        }
    }
}

#[derive(Args)]
#[command(after_long_help = examples::FIT)]
pub struct FitArgs {
    #[command(flatten)]
    pub data: DataArgs,
    /// lda, mkda, smkda, kos, sparse-kos, klr, fivm, l1-dkf, l2qp, l2le, parzen, or auto: the
    /// smallest model within one standard error of the least cross-validated error, of the methods
    /// that use all options given
    #[arg(long, short, default_value = "auto", value_parser = parse_choice)]
    pub method: MethodChoice,
    /// auto: time after which no other method is begun, such as 60s or 5m
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    pub budget: Option<Duration>,
    /// Where to save the model
    #[arg(long, short = 'o', value_name = "OUT", value_parser = parse_file)]
    pub model: Option<PathBuf>,
    /// Where to write a page about the fit, with pictures: one HTML file that needs nothing else
    #[arg(long, value_name = "OUT.html", value_parser = parse_file)]
    pub report: Option<PathBuf>,
    /// A second file to measure the error on
    #[arg(long, value_name = "DATA2", conflicts_with = "holdout")]
    pub test: Option<String>,
    /// Hold out this fraction of the rows, train on the others, and measure the error on them
    #[arg(long, value_name = "F", value_parser = parse_fraction, allow_negative_numbers = true)]
    pub holdout: Option<f64>,
    /// With every setting fixed: no cross-validation, so no error estimate
    #[arg(long)]
    pub no_cv: bool,
    #[command(flatten)]
    pub options: MethodArgs,
}

/// How data to be predicted are read.
#[derive(Args)]
pub struct ScoringArgs {
    /// Model file
    pub model: PathBuf,
    /// File with the columns of the training data, in any order, or - for standard input
    pub data: String,
    /// Format, where the extension does not tell: csv, tsv, parquet, libsvm, arff
    #[arg(long, value_name = "F")]
    pub format: Option<Format>,
    /// What to do with missing values: error, mean (of the training rows)
    #[arg(long, value_name = "HOW", default_value = "error")]
    pub missing: Missing,
    /// The first line is data; columns are matched by position
    #[arg(long)]
    pub no_header: bool,
}

impl ScoringArgs {
    pub fn options(&self, target: TargetColumn) -> ScoringOptions {
        ScoringOptions {
            format: self.format,
            missing: self.missing,
            no_header: self.no_header,
            target,
            ..ScoringOptions::default()
        }
    }
}

#[derive(Args)]
#[command(after_long_help = examples::PREDICT)]
pub struct PredictArgs {
    #[command(flatten)]
    pub scoring: ScoringArgs,
    /// Where to write the predictions as CSV [default: standard output]
    #[arg(long, short, value_name = "OUT.csv", value_parser = parse_file)]
    pub output: Option<PathBuf>,
    /// Add the class probabilities, one column p_CLASS a class
    #[arg(long)]
    pub proba: bool,
    /// Add the outputs z1, z2, ... (canonical variates, scores or log densities)
    #[arg(long)]
    pub variates: bool,
}

#[derive(Args)]
#[command(after_long_help = examples::EVALUATE)]
pub struct EvaluateArgs {
    #[command(flatten)]
    pub scoring: ScoringArgs,
    /// Column with the classes [default: as in training]
    #[arg(long, short, value_name = "COL")]
    pub target: Option<String>,
    /// Exit with status 3 when the accuracy is below this
    #[arg(long, value_name = "A", value_parser = parse_unit, allow_negative_numbers = true)]
    pub fail_under: Option<f64>,
}

#[derive(Args)]
#[command(after_long_help = examples::COMPARE)]
pub struct CompareArgs {
    #[command(flatten)]
    pub data: DataArgs,
    /// Methods, auto (the choice of one, on the training part of every split), or all, the eleven
    /// single ones
    #[arg(
        long,
        value_name = "M,..",
        value_delimiter = ',',
        default_value = "all"
    )]
    pub methods: Vec<String>,
    /// Number of splits
    #[arg(long, value_name = "R", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub repeats: u32,
    /// Fraction of the rows held out in each split
    #[arg(long, value_name = "F", default_value = "1/3", value_parser = parse_fraction, allow_negative_numbers = true)]
    pub test_fraction: f64,
    /// Keep results in this file and go on from it after an interruption
    #[arg(long, value_name = "FILE")]
    pub journal: Option<PathBuf>,
    /// Where to write a page about the comparison, with a picture: one HTML file that needs nothing
    /// else
    #[arg(long, value_name = "OUT.html", value_parser = parse_file)]
    pub report: Option<PathBuf>,
    #[command(flatten)]
    pub options: MethodArgs,
}

#[derive(Args)]
#[command(after_long_help = examples::DENSITY)]
pub struct DensityArgs {
    #[command(flatten)]
    pub file: FileArgs,
    /// Kernel
    #[arg(long, value_enum, default_value = "gaussian")]
    pub kernel: DensityKernelArg,
    /// Fix the bandwidth, in standard deviations of the features [default: tuned]
    #[arg(
        long,
        value_name = "B",
        conflicts_with = "bandwidths",
        allow_negative_numbers = true
    )]
    pub bandwidth: Option<f64>,
    /// Bandwidths to choose among
    #[arg(
        long,
        value_name = "B,..",
        value_delimiter = ',',
        allow_negative_numbers = true
    )]
    pub bandwidths: Vec<f64>,
    /// Choose the bandwidth by the cross-validated integrated squared error or by the mean log
    /// density of held-out rows
    #[arg(long, value_enum, default_value = "ise")]
    pub criterion: CriterionArg,
    /// Folds of the cross-validation
    #[arg(long, value_name = "K", default_value_t = 5)]
    pub folds: usize,
    /// Seed of the folds
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub seed: u64,
    /// Leave the features in their own units: the bandwidth is in them, too
    #[arg(long)]
    pub no_standardize: bool,
    /// Where to save the density; predict then gives log densities of other rows
    #[arg(long, short = 'o', value_name = "OUT", value_parser = parse_file)]
    pub model: Option<PathBuf>,
    /// A second file whose mean log density (natural logarithm, in units of the data) is wanted
    #[arg(long, value_name = "DATA2")]
    pub test: Option<String>,
    /// Where to write the log densities of the rows of that file as CSV
    #[arg(long, value_name = "OUT.csv", value_parser = parse_file, requires = "test")]
    pub output: Option<PathBuf>,
}

impl DensityArgs {
    pub fn options(&self) -> Options {
        Options {
            kernel: self.kernel.into(),
            bandwidths: self
                .bandwidth
                .map_or_else(|| self.bandwidths.clone(), |b| vec![b]),
            folds: self.folds,
            seed: self.seed,
            standardize: !self.no_standardize,
            ..Options::default()
        }
    }
}

#[derive(Args)]
#[command(after_long_help = examples::INSPECT)]
pub struct InspectArgs {
    /// Model file
    pub model: PathBuf,
    /// All classes, columns, features and steps, not only what fits on a screen
    #[arg(long)]
    pub all: bool,
}

#[derive(Args)]
#[command(after_long_help = examples::REPORT)]
pub struct ReportArgs {
    #[command(flatten)]
    pub scoring: ScoringArgs,
    /// Where to write the page
    #[arg(long, short, value_name = "OUT.html", value_parser = parse_file)]
    pub output: PathBuf,
    /// Column with the classes [default: as in training]
    #[arg(long, short, value_name = "COL")]
    pub target: Option<String>,
}

#[derive(Args)]
#[command(after_long_help = examples::EXPORT)]
pub struct ExportArgs {
    /// Model file
    pub model: PathBuf,
    /// Where to write the ONNX file
    #[arg(value_name = "OUT.onnx", value_parser = parse_file)]
    pub output: PathBuf,
    /// Numbers of the graph, its input and its outputs
    #[arg(long, value_enum, default_value = "double")]
    pub precision: PrecisionArg,
}

#[derive(Args)]
#[command(after_long_help = examples::DEMO)]
pub struct DemoArgs {
    /// iris, wine, rings, sine or mixture
    #[arg(default_value = "rings")]
    pub name: String,
    /// Also write the data set to this folder, to play with
    #[arg(long, value_name = "DIR")]
    pub save: Option<PathBuf>,
    /// Seed of the simulated data sets and of the split
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub seed: u64,
}

#[derive(Args)]
#[command(after_long_help = examples::COMPLETIONS)]
pub struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    pub shell: clap_complete::Shell,
}

#[derive(Args)]
#[command(after_long_help = examples::MAN)]
pub struct ManArgs {
    /// A command
    pub command: Option<String>,
}

/// Words of the command line for the variants of a library type: `Word` is typed in lower case with
/// hyphens, or by the name it is given.
macro_rules! words {
    ($($arg:ident for $library:ident { $($(#[$meta:meta])* $word:ident => $variant:ident),+ $(,)? })+) => {$(
        #[derive(Clone, Copy, ValueEnum)]
        pub enum $arg {
            $($(#[$meta])* $word,)+
        }

        impl From<$arg> for $library {
            fn from(word: $arg) -> Self {
                match word {
                    $($arg::$word => Self::$variant,)+
                }
            }
        }
    )+};
}

words! {
    PrecisionArg for Precision { Double => F64, Single => F32 }
    DensityKernelArg for Family {
        Gaussian => Gaussian,
        Laplacian => Laplacian,
        Cauchy => Cauchy,
    }
    CriterionArg for Criterion {
        Ise => Ise,
        Likelihood => Likelihood,
    }
    KernelArg for Family {
        Linear => Linear,
        Gaussian => Gaussian,
        Polynomial => Polynomial,
        Sigmoid => Sigmoid,
        Laplacian => Laplacian,
        Cauchy => Cauchy,
        // Posteriors that need a kernel have this one.
        Discriminant => Gaussian,
    }
    RidgeRuleArg for RidgeRule {
        Stabilization => Stabilization,
        StabilizationLiteral => StabilizationLiteral,
        Gcv => Gcv,
        Cv => Cv,
    }
    PenaltyArg for Penalty { Kernel => Kernel, Identity => Identity }
    RuleArg for Rule { Min => Min, #[value(name = "1se")] OneStandardError => OneStandardError }
    SpacingArg for Spacing { Log => Log, Linear => Linear }
    StepsArg for Steps { Projected => Projected, Linearised => Linearised }
    LandmarksArg for Landmarks { Sample => Sample, Ols => Ols }
    StopArg for StopRule { Cv => Cv, Accuracy => Accuracy, None => None }
    ValidationArg for Validation { Cv => Folds, Split => Split, Loo => LeaveOneOut }
    PosteriorArg for PosteriorKind { L1 => L1, Logistic => Logistic, Klr => Klr, Parzen => Parzen }
    SimplexArg for Simplex { Clip => Clip, Project => Project, Softmax => Softmax, None => None }
    MulticlassArg for MulticlassKind { Rest => Rest, Joint => Joint }
    MappingArg for MappingKind { Lda => Lda, Onda => Onda }
    MetricArg for Metric { Within => Within, Total => Total }
}

/// `; did you mean 'lda'?` where a name is near what was typed.
pub fn did_you_mean(names: &[&str], typed: &str) -> String {
    let near = similar(names, typed);
    near.first()
        .map_or(String::new(), |n| format!("; did you mean '{n}'?"))
}

pub fn parse_choice(text: &str) -> Result<MethodChoice, String> {
    if text == "auto" {
        return Ok(MethodChoice::Auto);
    }
    text.parse::<MethodKind>()
        .map(MethodChoice::One)
        .map_err(|e| {
            let mut names = MethodKind::ALL.map(MethodKind::name).to_vec();
            names.push("auto");
            format!("{e}, auto{}", did_you_mean(&names, text))
        })
}

fn parse_time(text: &str) -> Result<Duration, String> {
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

fn parse_class_bandwidths(text: &str) -> Result<ClassBandwidths, String> {
    match text {
        "common" => Ok(ClassBandwidths::Common),
        "spread" => Ok(ClassBandwidths::Spread),
        list => {
            let values: Result<Vec<f64>, _> = list.split(',').map(|v| v.trim().parse()).collect();
            values
                .map(ClassBandwidths::Given)
                .map_err(|_| "common, spread, or numbers separated by commas, one per class".into())
        }
    }
}

fn parse_file(text: &str) -> Result<PathBuf, String> {
    match text {
        "" | "-" => Err("this wants the name of a file".into()),
        name => Ok(name.into()),
    }
}

fn parse_priors(text: &str) -> Result<Priors, String> {
    match text {
        "empirical" => Ok(Priors::Empirical),
        "uniform" => Ok(Priors::Uniform),
        list => list
            .split(',')
            .map(|v| {
                v.trim()
                    .parse::<f64>()
                    .map_err(|_| format!("'{v}' is not a number; use empirical, uniform or a,b,.."))
            })
            .collect::<Result<_, _>>()
            .map(Priors::Given),
    }
}

fn parse_fraction(text: &str) -> Result<f64, String> {
    let number = |t: &str| t.trim().parse::<f64>().ok();
    let value = match text.split_once('/') {
        None => number(text),
        Some((over, under)) => number(over).zip(number(under)).map(|(a, b)| a / b),
    };
    value
        .filter(|v| *v > 0.0 && *v < 1.0)
        .ok_or_else(|| "a fraction lies between 0 and 1, such as 0.33 or 1/3".into())
}

fn parse_unit(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(v) if (0.0..=1.0).contains(&v) => Ok(v),
        _ => Err("an accuracy lies between 0 and 1, such as 0.9".into()),
    }
}

fn parse_threads(text: &str) -> Result<usize, String> {
    match text.parse::<usize>() {
        Ok(v) if (1..=4096).contains(&v) => Ok(v),
        _ => Err("a number of threads from 1 to 4096".into()),
    }
}

/// Bytes, with K, M, G or T (powers of 1024), and B or iB after it if one likes.
fn parse_bytes(text: &str) -> Result<u64, String> {
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
    fn the_command_line_is_consistent() {
        use clap::CommandFactory;
        Cli::command().debug_assert();
    }

    #[test]
    fn examples_can_be_typed() {
        use clap::CommandFactory;
        let mut command = Cli::command();
        let mut helps = vec![command.render_long_help().to_string()];
        let commands = command
            .get_subcommands_mut()
            .filter(|c| c.get_name() != "help");
        helps.extend(commands.map(|c| c.render_long_help().to_string()));
        for help in helps {
            let lines = help.lines().skip_while(|l| *l != "Examples:").skip(1);
            let lines: Vec<&str> = lines.take_while(|l| l.starts_with("  ")).collect();
            assert!(!lines.is_empty(), "{help}");
            for line in lines {
                // What is before a pipe or after an arrow is for the shell.
                let own = line
                    .rsplit('|')
                    .next()
                    .and_then(|l| l.split('>').next())
                    .unwrap_or("");
                let parsed = Cli::try_parse_from(own.split_whitespace());
                assert!(parsed.is_ok(), "{line}");
            }
        }
    }

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
