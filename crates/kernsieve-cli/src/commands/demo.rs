//! `kernsieve demo`: the whole flow on an embedded or simulated data set.

use crate::args::{DemoArgs, MethodChoice, did_you_mean};
use crate::comparison::Comparison;
use crate::comparison::schedule::Schedule;
use crate::failure::Failure;
use crate::view::summary::{DataFacts, DemoSummary, Evaluation, Ranking, Summary};
use crate::view::terminal::Terminal;
use crate::view::{csv, json, text};
use kernsieve::data::{Dataset, Schema, simulate};
use kernsieve::model_file;
use kernsieve::params::Params;
use kernsieve::{Control, Protocol, catalogue};
use kernsieve_io::{ReadOptions, Source, read_training};
use std::path::Path;

const IRIS: &str = include_str!("../../data/iris.csv");
const WINE: &str = include_str!("../../data/wine.csv");
/// Splits of the comparison: enough for a standard error, few enough for a second or two.
const SPLITS: u32 = 5;

fn load(name: &str, seed: u64) -> Result<(Dataset, &'static str), Failure> {
    let embedded = |text: &str| -> Result<Dataset, Failure> {
        let source = Source::Bytes {
            name: format!("{name}.csv"),
            bytes: text.as_bytes().to_vec(),
        };
        let options = ReadOptions {
            target: Some("class".into()),
            ..ReadOptions::default()
        };
        Ok(read_training(&source, &options)?.dataset)
    };
    Ok(match name {
        "iris" => (
            embedded(IRIS)?,
            "three species of iris, measured by Anderson, published by Fisher (1936)",
        ),
        "wine" => (
            embedded(WINE)?,
            "wines of three growers by thirteen chemical measurements (Forina et al. 1991)",
        ),
        "rings" => (
            simulate::rings(seed),
            "one class is a disc, the other surrounds it; x3 and x4 are noise (Lapanowski & \
             Gaynanova 2019, model 1)",
        ),
        "sine" => (
            simulate::sine(seed),
            "x3 + sin(x4 + x1) against x2^2; x5 to x10 are noise (Lapanowski & Gaynanova 2019, \
             model 2)",
        ),
        "mixture" => (
            simulate::mixture(seed, seed, 100, 8),
            "two mixtures of ten normal clusters; x3 to x10 are noise (Ghosh & Wang 2015, section \
             5.1)",
        ),
        other => {
            return Err(Failure::Usage(format!(
                "there is no demo '{other}'; the demos are iris, wine, rings, sine and mixture{}",
                did_you_mean(&["iris", "wine", "rings", "sine", "mixture"], other)
            )));
        }
    })
}

/// Runs the command.
pub fn run(args: &DemoArgs, terminal: &mut Terminal<'_>) -> Result<(), Failure> {
    let (data, about) = load(&args.name, args.seed)?;
    let schema = Schema::numeric(data.feature_names());
    let protocol = Protocol::default().seed(args.seed);
    let saved = match &args.save {
        None => None,
        Some(folder) => Some(save_csv(&data, folder, &args.name)?),
    };

    // 1. Which method?
    let ranking = compare(&data, &schema, &protocol, terminal)?;
    let picked = ranking.picked().or(ranking.best());
    let picked = picked.map_or("kos", |s| &s.method);
    let picked = catalogue::find(picked)?.make(&Params::new())?;

    // 2. Fit it on two thirds, measure on the rest.
    let split = data.held_out(1.0 / 3.0, args.seed)?;
    let training = data.select(&split.train)?;
    let trained = picked.train(&training, &schema, &protocol, &Control::new())?;
    let test = data.features_by(&trained.model.schema, &split.test);
    let class_of = |i: usize| data.labels().classes()[data.labels().codes()[i]].clone();
    let truth: Vec<String> = split.test.iter().map(|&i| class_of(i)).collect();
    let mut evaluation = Evaluation::new(&trained.model);
    evaluation.add(&trained.model, &test, &truth);

    // 3. Save, load, predict: the same to the bit.
    let bytes = model_file::to_bytes(&trained.model)?;
    let prediction = model_file::read(&bytes)?.predict(&test);
    let summary = DemoSummary {
        name: &args.name,
        about,
        data: DataFacts::new(&args.name, &data),
        splits: SPLITS,
        ranking,
        model: Summary::new(&trained.model),
        tune_seconds: trained.tune_seconds,
        evaluation: &evaluation,
        bytes: bytes.len(),
        is_identical: prediction == trained.model.predict(&test),
        rows: &split.test,
        truth: &truth,
        posterior: &prediction.posterior,
        saved,
    };
    if terminal.json {
        return terminal.object(&json::demo(&summary));
    }
    text::demo(&summary, terminal.out)
}

/// All methods on a few splits.
fn compare(
    data: &Dataset,
    schema: &Schema,
    protocol: &Protocol,
    terminal: &Terminal<'_>,
) -> Result<Ranking, Failure> {
    let comparison = Comparison {
        data,
        schema,
        given: &Params::new(),
        protocol,
        test_fraction: 1.0 / 3.0,
        memory: None,
    };
    let choices: Vec<MethodChoice> = catalogue::names()
        .into_iter()
        .map(MethodChoice::One)
        .collect();
    let mut schedule = Schedule::new(terminal.progress("comparing"), &choices, SPLITS);
    let mut outcomes = Vec::new();
    for split in 0..SPLITS {
        for &choice in &choices {
            let outcome = comparison.run(choice, split, schedule.begin(choice))?;
            schedule.done(&outcome);
            outcomes.push(outcome);
        }
    }
    schedule.finish();
    Ok(Ranking::new(&outcomes, comparison.test_to_train()?))
}

/// Writes the data set as CSV and returns the path.
fn save_csv(data: &Dataset, folder: &Path, name: &str) -> Result<String, Failure> {
    let io = |e: std::io::Error| Failure::CouldNot(format!("{}: {e}", folder.display()));
    std::fs::create_dir_all(folder).map_err(io)?;
    let path = folder.join(format!("{name}.csv"));
    model_file::write_atomic(&path, csv::dataset(data).as_bytes())?;
    Ok(path.display().to_string())
}
