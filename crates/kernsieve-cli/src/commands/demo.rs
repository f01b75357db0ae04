//! `kernsieve demo`: the whole flow on an embedded or simulated data set.

use super::compare::Comparison;
use super::evaluate::Evaluation;
use super::fit::print_fit;
use super::predict::csv_field;
use super::ranking::{Ranking, Summary};
use super::schedule::Schedule;
use super::{data_words, print_confusion};
use crate::args::{DemoArgs, MethodChoice, did_you_mean};
use crate::failure::Failure;
use crate::output::{Terminal, clean, field, percent, table, wrapped};
use kernsieve::data::{Dataset, Schema, simulate};
use kernsieve::decision::argmax;
use kernsieve::method::{MethodKind, Options};
use kernsieve::model_file;
use kernsieve::tuning::{Control, train};
use kernsieve_io::{ReadOptions, Source, read_training};
use serde_json::json;
use std::io::Write;
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
            "one class is a disc, the other around it; x3 and x4 are noise (Lapanowski & Gaynanova 2019, model 1)",
        ),
        "sine" => (
            simulate::sine(seed),
            "x3 + sin(x4 + x1) against x2^2; x5 to x10 are noise (Lapanowski & Gaynanova 2019, model 2)",
        ),
        "mixture" => (
            simulate::mixture(seed, seed, 100, 8),
            "two mixtures of ten normal clusters; x3 to x10 are noise (Ghosh & Wang 2015, section 5.1)",
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
    let options = Options {
        seed: args.seed,
        ..Options::default()
    };
    let saved = match &args.save {
        None => None,
        Some(folder) => Some(save_csv(&data, folder, &args.name)?),
    };

    // 1. Which method?
    let comparison = Comparison {
        data: &data,
        schema: &schema,
        options: &options,
        test_fraction: 1.0 / 3.0,
        memory: None,
    };
    let choices = MethodKind::ALL.map(MethodChoice::One);
    let mut schedule = Schedule::new(terminal.progress("comparing"), &choices, SPLITS);
    let mut outcomes = Vec::new();
    for split in 0..SPLITS {
        for choice in choices {
            let outcome = comparison.run(choice, split, schedule.begin(choice))?;
            schedule.done(&outcome);
            outcomes.push(outcome);
        }
    }
    schedule.finish();
    let ranking = Ranking::new(&outcomes, comparison.test_to_train()?);
    let summaries = ranking.summaries();
    let best: MethodKind = summaries.first().map_or("kos", Summary::name).parse()?;

    // 2. Fit it on two thirds, measure on the others.
    let split = data.held_out(1.0 / 3.0, args.seed)?;
    let training = data.select(&split.train)?;
    let trained = train(best, &options, &training, &schema, true, &Control::new())?;
    let test = data.x().select_rows(&split.test);
    let class_of = |i: usize| data.labels().classes()[data.labels().codes()[i]].clone();
    let truth: Vec<String> = split.test.iter().map(|&i| class_of(i)).collect();
    let mut evaluation = Evaluation::new(&trained.model);
    evaluation.add(&trained.model, &test, &truth);

    // 3. Save, load, predict: the same to the bit.
    let bytes = model_file::to_bytes(&trained.model)?;
    let reloaded = model_file::read(&bytes)?;
    let prediction = reloaded.predict(&test);
    let same = prediction == trained.model.predict(&test);

    if terminal.json {
        return terminal.object(&json!({
            "demo": args.name,
            "n_rows": data.n_samples(),
            "n_features": data.n_features(),
            "classes": data.labels().classes(),
            "methods": summaries.iter().map(|s| json!({"method": s.name(), "error_mean": s.error_mean()})).collect::<Vec<_>>(),
            "method": best.name(),
            "test_error": evaluation.error(),
            "test": evaluation.to_json(),
            "model_bytes": bytes.len(),
            "reload_is_identical": same,
            "saved": saved,
        }));
    }
    let out = &mut *terminal.out;
    field("Demo", &args.name, out)?;
    field("", about, out)?;
    field(
        "Data",
        &data_words(&format!("{} rows", data.n_samples()), &data),
        out,
    )?;
    let question = format!(
        "1. Which method? {SPLITS} splits, a third held out, everything tuned on the other rows:"
    );
    writeln!(out, "\n{}\n", wrapped(&question, ""))?;
    ranking.print(terminal)?;
    let out = &mut *terminal.out;
    writeln!(
        out,
        "\n2. Fit the best one on {} rows:\n",
        training.n_samples()
    )?;
    print_fit(&trained, out)?;
    field(
        "",
        &format!(
            "{} on the {} rows held out ({} wrong)",
            percent(evaluation.error()),
            evaluation.n_rows(),
            evaluation.wrong()
        ),
        out,
    )?;
    writeln!(out)?;
    print_confusion(evaluation.classes(), &evaluation.confusion(), terminal)?;
    let out = &mut *terminal.out;
    let again = format!(
        "3. Saved, loaded again ({} bytes), predicted: {}. The first rows held out:",
        bytes.len(),
        if same {
            "the same to the bit"
        } else {
            "NOT the same"
        }
    );
    writeln!(out, "\n{}\n", wrapped(&again, ""))?;
    print_predictions(
        &split.test,
        &truth,
        &reloaded.classes,
        &prediction.posterior,
        out,
    )?;
    let file = saved.unwrap_or_else(|| format!("{}.csv", args.name));
    let hint = if args.save.is_some() {
        ""
    } else {
        " (--save DIR writes the file)"
    };
    writeln!(out, "\nThe same with a file of your own{hint}:\n")?;
    writeln!(out, "  kernsieve compare {file} --target class")?;
    writeln!(
        out,
        "  kernsieve fit {file} --target class --method {} --model {}.ks",
        best.name(),
        args.name
    )?;
    writeln!(out, "  kernsieve predict {}.ks {file} --proba", args.name)?;
    Ok(())
}

fn print_predictions(
    rows: &[usize],
    truth: &[String],
    classes: &[String],
    posterior: &kernsieve::linalg::Matrix,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let shown: Vec<Vec<String>> = posterior
        .iter_rows()
        .zip(rows.iter().zip(truth))
        .take(5)
        .map(|(p, (row, truth))| {
            let mut cells = vec![
                row.to_string(),
                clean(truth, 16),
                clean(&classes[argmax(p)], 16),
            ];
            cells.extend(p.iter().map(|v| format!("{v:.3}")));
            cells
        })
        .collect();
    let names: Vec<String> = classes
        .iter()
        .map(|c| format!("p_{}", clean(c, 14)))
        .collect();
    let mut header = vec!["row", "observed", "predicted"];
    header.extend(names.iter().map(String::as_str));
    table(&header, &shown, out)?;
    Ok(())
}

/// Writes the data set as CSV and returns the path.
fn save_csv(data: &Dataset, folder: &Path, name: &str) -> Result<String, Failure> {
    let io = |e: std::io::Error| Failure::CouldNot(format!("{}: {e}", folder.display()));
    std::fs::create_dir_all(folder).map_err(io)?;
    let mut text: String = data
        .feature_names()
        .iter()
        .map(|n| csv_field(n) + ",")
        .collect();
    text.push_str("class\n");
    for (row, &c) in data.x().iter_rows().zip(data.labels().codes()) {
        row.iter().for_each(|v| text.push_str(&format!("{v},")));
        text.push_str(&csv_field(&data.labels().classes()[c]));
        text.push('\n');
    }
    let path = folder.join(format!("{name}.csv"));
    model_file::write_atomic(&path, text.as_bytes())?;
    Ok(path.display().to_string())
}
