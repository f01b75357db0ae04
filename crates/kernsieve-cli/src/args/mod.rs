//! What can be typed. The options of the methods are made from the catalogue in `params`.

mod params;
mod parse;

pub use params::{DensityParams, MethodParams};
pub use parse::{MethodChoice, did_you_mean, parse_choice};

use crate::examples;
use crate::failure::Failure;
use clap::{Args, Parser, Subcommand, ValueEnum};
use kernsieve_io::{Encode, Format, Missing, ReadOptions, ScoringOptions, TargetColumn};
#[cfg(feature = "onnx")]
use kernsieve_onnx::Precision;
use parse::{
    file_name, parse_bytes, parse_decimal, parse_fraction, parse_threads, parse_time, parse_unit,
};
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
    /// Threads to use [default: all cores]; the result does not depend on their number
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
    /// Add rows to a saved model that was fitted with --updatable
    Update(UpdateArgs),
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
    pub data: PathBuf,
    /// Format, if the extension does not say: csv, tsv, parquet, libsvm, arff
    #[arg(long, value_name = "F")]
    pub format: Option<Format>,
    /// Columns to leave out, by name or 0-based index
    #[arg(long, value_name = "COLS", value_delimiter = ',')]
    pub drop: Vec<String>,
    /// Column with the weights of the rows: a row of weight 2 counts twice, one of weight 0 not at
    /// all
    #[arg(long, value_name = "COL")]
    pub weights: Option<String>,
    /// Columns to take although they look like names or numbers of rows
    #[arg(long = "use", value_name = "COLS", value_delimiter = ',')]
    pub take: Vec<String>,
    /// What to do with missing values: error, drop (the row), mean or median (of the training
    /// rows), indicator (median, and a feature that says where)
    #[arg(long, value_name = "HOW", default_value = "error")]
    pub missing: Missing,
    /// Spellings of missing values besides the usual ones (empty, NA, NaN, null, ?), such as -999
    #[arg(
        long,
        value_name = "WORDS",
        value_delimiter = ',',
        allow_hyphen_values = true
    )]
    pub na: Vec<String>,
    /// What stands before the decimals in CSV files: . or ,
    #[arg(long, value_name = "C", default_value = ".", value_parser = parse_decimal)]
    pub decimal: char,
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
            take: self.take.clone(),
            missing: self.missing,
            na: self.na.clone(),
            decimal_comma: self.decimal == ',',
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
    /// How categories become numbers: one-hot (a 0/1 feature per level), target (shares of the
    /// classes among the rows of the level)
    #[arg(long, value_name = "HOW", default_value = "one-hot")]
    pub encode: Encode,
    /// Levels of fewer rows share one state [default: a two-hundredth of the rows, 1 to 10]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub rare: Option<u64>,
    /// Column with the same value in rows that belong together, such as those of a patient: no fold
    /// or held-out part divides them
    #[arg(long, visible_alias = "groups", value_name = "COL")]
    pub blocks: Option<String>,
}

impl DataArgs {
    pub fn read_options(&self) -> ReadOptions {
        ReadOptions {
            target: self.target.clone(),
            categorical: self.categorical.clone(),
            encode: self.encode,
            rare: self.rare.map(|n| n as usize),
            blocks: self.blocks.clone(),
            ..self.file.read_options()
        }
    }
}

#[derive(Args)]
#[command(after_long_help = format!("{}\n\n{}", params::method_list(), examples::FIT))]
pub struct FitArgs {
    #[command(flatten)]
    pub data: DataArgs,
    /// More files of the same columns; a folder or a pattern such as 'part-*.parquet' names several
    #[arg(value_name = "MORE")]
    pub more: Vec<PathBuf>,
    /// Read the rows in passes, so that they need not fit into memory: lda, l1-dkf, sieve, and smkda
    /// and klr with --candidates [default: several files, and those that may be too large]
    #[arg(long)]
    pub stream: bool,
    #[arg(long, short, default_value = "auto", value_parser = parse_choice, help = params::method_help())]
    pub method: MethodChoice,
    /// auto: the methods to choose among, by name, instead of sieve, klr, l1-dkf and lda
    #[arg(
        long,
        value_name = "M,..",
        value_delimiter = ',',
        conflicts_with = "thorough"
    )]
    pub methods: Vec<String>,
    /// auto: choose among all methods, which takes several times as long
    #[arg(long)]
    pub thorough: bool,
    /// A saved sieve model whose setting is taken: no search; with --max-support or --max-features
    /// a smaller one
    #[arg(long, value_name = "MODEL", conflicts_with_all = ["method", "methods", "thorough", "budget"])]
    pub like: Option<PathBuf>,
    /// auto: time after which no other method is started, such as 60s or 5m
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    pub budget: Option<Duration>,
    /// Where to save the model [default: NAME.ks in this folder for a file NAME.csv, with a number
    /// if that is taken; with --json it is not saved]
    #[arg(long, short = 'o', value_name = "OUT", value_parser = file_name())]
    pub model: Option<PathBuf>,
    /// Do not save the model
    #[arg(long, conflicts_with = "model")]
    pub no_model: bool,
    /// Where to write a page about the fit, with pictures: one HTML file that needs nothing else
    #[arg(long, value_name = "OUT.html", value_parser = file_name())]
    pub report: Option<PathBuf>,
    /// A second file to measure the error on
    #[arg(long, value_name = "DATA2", conflicts_with = "holdout")]
    pub test: Option<PathBuf>,
    /// Hold out this fraction of the rows to measure the error on, and train on the others
    #[arg(long, value_name = "F", value_parser = parse_fraction, allow_negative_numbers = true)]
    pub holdout: Option<f64>,
    /// If every setting is fixed: no cross-validation, so no error estimate
    #[arg(long)]
    pub no_cv: bool,
    /// Measure the error of the chosen setting on an eighth, a quarter, a half of the rows, too
    #[arg(long)]
    pub learning_curve: bool,
    #[command(flatten)]
    pub options: MethodParams,
}

/// How data to be predicted are read.
#[derive(Args)]
pub struct ScoringArgs {
    /// Model file
    pub model: PathBuf,
    /// File with the columns of the training data, in any order, or - for standard input
    pub data: PathBuf,
    /// Format, if the extension does not say: csv, tsv, parquet, libsvm, arff
    #[arg(long, value_name = "F")]
    pub format: Option<Format>,
    /// What to do with missing values: error, or mean (fill them by what the model knows of its
    /// training rows) [default: what was done in training]
    #[arg(long, value_name = "HOW")]
    pub missing: Option<Missing>,
    /// The first line is data; columns are matched by position
    #[arg(long)]
    pub no_header: bool,
    /// Memory that may be used for rows, such as 500M [default: 4G]; most files are read in blocks
    /// of 64 MiB at most
    #[arg(long, value_name = "BYTES", value_parser = parse_bytes, allow_hyphen_values = true)]
    pub memory: Option<u64>,
}

impl ScoringArgs {
    /// Refuses to hold more bytes of rows than the memory that may be used.
    pub fn hold(&self, bytes: usize, what: &str, remedy: &str) -> Result<(), Failure> {
        let limit = self.memory.unwrap_or(4 << 30);
        match bytes as u64 > limit {
            false => Ok(()),
            true => Err(Failure::CouldNot(format!(
                "{what} of these rows needs more than the {:.1} GiB that may be used; {remedy}, or \
                 allow more with --memory",
                limit as f64 / (1u64 << 30) as f64
            ))),
        }
    }

    pub fn options(&self, target: TargetColumn) -> ScoringOptions {
        ScoringOptions {
            format: self.format,
            missing: self.missing,
            no_header: self.no_header,
            target,
            memory_limit: self.memory,
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
    #[arg(long, short, value_name = "OUT.csv", value_parser = file_name())]
    pub output: Option<PathBuf>,
    /// Add the class probabilities, one column p_CLASS per class
    #[arg(long)]
    pub proba: bool,
    /// Add the outputs z1, z2, ... (canonical variates, scores or log densities)
    #[arg(long)]
    pub variates: bool,
    /// Columns of the data to carry through in front of the predictions, such as ids, by name or
    /// 0-based index; all for all of them
    #[arg(long, value_name = "COLS", value_delimiter = ',')]
    pub keep: Vec<String>,
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
#[command(after_long_help = examples::UPDATE)]
pub struct UpdateArgs {
    #[command(flatten)]
    pub scoring: ScoringArgs,
    /// Column with the classes [default: as in training]
    #[arg(long, short, value_name = "COL")]
    pub target: Option<String>,
    /// Where to save the model with the rows added [default: in place of the model]
    #[arg(long = "model", short = 'o', value_name = "OUT", value_parser = file_name())]
    pub output: Option<PathBuf>,
}

#[derive(Args)]
#[command(after_long_help = examples::COMPARE)]
pub struct CompareArgs {
    #[command(flatten)]
    pub data: DataArgs,
    /// Methods; auto (chooses one on the training part of every split); or all, the single ones
    #[arg(
        long,
        short,
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
    /// Keep results in this file, and continue from it after an interruption
    #[arg(long, value_name = "FILE")]
    pub journal: Option<PathBuf>,
    /// Where to write a page about the comparison, with a picture: one HTML file that needs nothing
    /// else
    #[arg(long, value_name = "OUT.html", value_parser = file_name())]
    pub report: Option<PathBuf>,
    #[command(flatten)]
    pub options: MethodParams,
}

#[derive(Args)]
#[command(after_long_help = examples::DENSITY)]
pub struct DensityArgs {
    #[command(flatten)]
    pub file: FileArgs,
    #[command(flatten)]
    pub options: DensityParams,
    /// Where to save the density; predict then gives log densities of other rows
    #[arg(long, short = 'o', value_name = "OUT", value_parser = file_name())]
    pub model: Option<PathBuf>,
    /// A second file to compute the mean log density of (natural logarithm, in units of the data)
    #[arg(long, value_name = "DATA2")]
    pub test: Option<PathBuf>,
    /// Where to write the log densities of the rows of that file as CSV
    #[arg(long, value_name = "OUT.csv", value_parser = file_name(), requires = "test")]
    pub output: Option<PathBuf>,
}

#[derive(Args)]
#[command(after_long_help = examples::INSPECT)]
pub struct InspectArgs {
    /// Model file
    pub model: PathBuf,
    /// Show all classes, columns, features and steps, not only what fits on a screen
    #[arg(long)]
    pub all: bool,
}

#[derive(Args)]
#[command(after_long_help = examples::REPORT)]
pub struct ReportArgs {
    #[command(flatten)]
    pub scoring: ScoringArgs,
    /// Where to write the page
    #[arg(long, short, value_name = "OUT.html", value_parser = file_name())]
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
    #[arg(value_name = "OUT.onnx", value_parser = file_name())]
    pub output: PathBuf,
    /// Precision of the graph, its input and its outputs
    #[arg(long, value_enum, default_value = "double")]
    pub precision: PrecisionArg,
}

/// The precision of the numbers of a graph.
#[derive(Clone, Copy, ValueEnum)]
pub enum PrecisionArg {
    /// 64 bits.
    Double,
    /// 32 bits.
    Single,
}

#[cfg(feature = "onnx")]
impl From<PrecisionArg> for Precision {
    fn from(word: PrecisionArg) -> Self {
        match word {
            PrecisionArg::Double => Self::F64,
            PrecisionArg::Single => Self::F32,
        }
    }
}

#[derive(Args)]
#[command(after_long_help = examples::DEMO)]
pub struct DemoArgs {
    /// iris, wine, rings, sine or mixture
    #[arg(default_value = "rings")]
    pub name: String,
    /// Also write the data set to this folder
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
                // The parts before a pipe and after an arrow are for the shell.
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
}
