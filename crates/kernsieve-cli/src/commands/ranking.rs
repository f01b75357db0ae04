//! Methods of a comparison in order: means over the splits, tests against the best, and which one
//! to pick.

use super::journal::Outcome;
use crate::failure::Failure;
use crate::output::{Terminal, marked_table, percent, seconds_short, short, size, wrapped};
use crate::report::compare::Contestant;
use kernsieve::metrics::mean_and_standard_error;
use kernsieve::statistics::{ResampledTest, corrected_resampled_t_test, holm};
use serde_json::{Value, json};

/// What the p-values are.
const TEST: &str =
    "p: corrected resampled t-test against the best, adjusted for the number of methods (Holm).";

/// A method's results over the splits.
pub struct Summary {
    method: String,
    /// Errors with their splits.
    errors: Vec<(u32, f64)>,
    error: (f64, f64),
    retained_percent: f64,
    features: f64,
    seconds: f64,
    predict_seconds: f64,
    /// Mean size of the model file, over the splits for which it is known.
    model_bytes: Option<f64>,
    bandwidth: Option<f64>,
    ridge: Option<f64>,
    sparsity: Option<f64>,
    /// Methods that `auto` took, with the number of splits.
    chosen: Vec<(String, usize)>,
    /// Against the best method; nothing for that one, and on one split.
    test: Option<ResampledTest>,
    p_value_holm: Option<f64>,
}

impl Summary {
    /// The method.
    pub fn name(&self) -> &str {
        &self.method
    }

    /// Mean error over the splits.
    pub fn error_mean(&self) -> f64 {
        self.error.0
    }

    fn new(method: &str, own: &[&Outcome]) -> Self {
        let values = |f: fn(&Outcome) -> f64| own.iter().map(|o| f(o)).collect::<Vec<_>>();
        let mean = |f: fn(&Outcome) -> f64| mean_and_standard_error(&values(f)).0;
        let sizes: Vec<f64> = own
            .iter()
            .filter_map(|o| o.model_bytes)
            .map(|b| b as f64)
            .collect();
        let mut names: Vec<&String> = own.iter().filter_map(|o| o.chosen.as_ref()).collect();
        names.sort_unstable();
        let mut chosen: Vec<(String, usize)> = Vec::new();
        for part in names.chunk_by(|a, b| a == b) {
            chosen.push((part[0].clone(), part.len()));
        }
        chosen.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        let mut errors: Vec<(u32, f64)> = own.iter().map(|o| (o.split, o.error)).collect();
        errors.sort_by_key(|e| e.0);
        Self {
            method: method.into(),
            error: mean_and_standard_error(&errors.iter().map(|e| e.1).collect::<Vec<_>>()),
            errors,
            retained_percent: mean(|o| o.retained_percent),
            features: mean(|o| o.features as f64),
            seconds: mean(|o| o.seconds),
            predict_seconds: mean(|o| o.predict_seconds),
            model_bytes: (!sizes.is_empty()).then(|| mean_and_standard_error(&sizes).0),
            bandwidth: median(own.iter().filter_map(|o| o.bandwidth).collect()),
            ridge: median(own.iter().filter_map(|o| o.ridge).collect()),
            sparsity: median(own.iter().filter_map(|o| o.sparsity).collect()),
            chosen,
            test: None,
            p_value_holm: None,
        }
    }

    /// Its errors less those of another method, over the splits of both.
    fn differences(&self, other: &Self) -> Vec<f64> {
        let of_other = |split: u32| other.errors.iter().find(|e| e.0 == split).map(|e| e.1);
        let pairs = self
            .errors
            .iter()
            .filter_map(|&(s, e)| Some(e - of_other(s)?));
        pairs.collect()
    }

    /// Whether its error is at most one standard error of the difference above that of the best.
    fn is_as_good(&self) -> bool {
        self.test.is_some_and(|t| t.mean <= t.standard_error)
    }

    fn to_json(&self) -> Value {
        let chosen: serde_json::Map<String, Value> = self
            .chosen
            .iter()
            .map(|(m, n)| (m.clone(), json!(n)))
            .collect();
        json!({
            "method": self.method,
            "splits": self.errors.len(),
            "error_mean": self.error.0,
            "error_se": self.error.1,
            "error_splits": self.errors.iter().map(|e| e.1).collect::<Vec<_>>(),
            "difference_mean": self.test.map(|t| t.mean),
            "difference_se": self.test.map(|t| t.standard_error),
            "p_value": self.test.map(|t| t.p_value),
            "p_value_holm": self.p_value_holm,
            "retained_percent_mean": self.retained_percent,
            "features_mean": self.features,
            "seconds_mean": self.seconds,
            "predict_seconds_mean": self.predict_seconds,
            "model_bytes_mean": self.model_bytes,
            "chosen": if self.chosen.is_empty() { Value::Null } else { Value::Object(chosen) },
            "params": { "bandwidth_median": self.bandwidth, "ridge_median": self.ridge, "sparsity_median": self.sparsity },
        })
    }
}

fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    values.get(values.len().checked_sub(1)? / 2).copied()
}

/// The methods of a comparison, best first.
pub struct Ranking {
    summaries: Vec<Summary>,
    /// Place of the method to pick, where the splits say so.
    pick: Option<usize>,
}

impl Ranking {
    /// Means, tests against the method of least mean error, and the smallest model that is as good;
    /// `test_to_train` is the number of held-out rows over that of training rows.
    pub fn new(outcomes: &[Outcome], test_to_train: f64) -> Self {
        let mut names: Vec<&str> = outcomes.iter().map(|o| o.method.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        let of = |name: &str| {
            outcomes
                .iter()
                .filter(|o| o.method == name)
                .collect::<Vec<_>>()
        };
        let mut summaries: Vec<Summary> =
            names.into_iter().map(|n| Summary::new(n, &of(n))).collect();
        summaries.sort_by(|a, b| {
            a.error
                .0
                .total_cmp(&b.error.0)
                .then_with(|| a.method.cmp(&b.method))
        });
        if let Some((best, others)) = summaries.split_first_mut() {
            for s in others.iter_mut() {
                s.test = corrected_resampled_t_test(&s.differences(best), test_to_train);
            }
            let p: Vec<f64> = others
                .iter()
                .filter_map(|s| s.test)
                .map(|t| t.p_value)
                .collect();
            let mut adjusted = holm(&p).into_iter();
            for s in others.iter_mut().filter(|s| s.test.is_some()) {
                s.p_value_holm = adjusted.next();
            }
        }
        let pick = pick(&summaries);
        Self { summaries, pick }
    }

    /// The methods, best first.
    pub fn summaries(&self) -> &[Summary] {
        &self.summaries
    }

    /// The fields of `compare --json` about the methods.
    pub fn to_json(&self) -> Value {
        json!({
            "methods": self.summaries.iter().map(Summary::to_json).collect::<Vec<_>>(),
            "best": self.summaries.first().map(Summary::name),
            "pick": self.pick(),
        })
    }

    /// The methods as a page shows them.
    pub fn contestants(&self) -> Vec<Contestant> {
        let contestant = |s: &Summary| Contestant {
            name: s.method.clone(),
            errors: s.errors.iter().map(|e| e.1).collect(),
            mean: s.error.0,
            standard_error: s.error.1,
            retained_percent: Some(s.retained_percent),
            features: Some(s.features),
            fit_seconds: Some(s.seconds),
            predict_seconds: Some(s.predict_seconds),
            model_bytes: s.model_bytes.map(|b| b as u64),
            p_value: s.p_value_holm,
        };
        self.summaries.iter().map(contestant).collect()
    }

    /// The method to pick, where the splits say so.
    pub fn pick(&self) -> Option<&str> {
        self.pick.map(|k| self.summaries[k].name())
    }

    /// Whether there is a test against the best.
    fn is_tested(&self) -> bool {
        self.summaries.iter().any(|s| s.test.is_some())
    }

    /// What `auto` took, in a sentence.
    fn taken(&self) -> Vec<String> {
        let auto = self.summaries.iter().filter(|s| !s.chosen.is_empty());
        auto.map(|s| {
            let words: Vec<String> = s.chosen.iter().map(|(m, n)| format!("{m} {n}")).collect();
            format!("{} took {} (number of splits).", s.method, words.join(", "))
        })
        .collect()
    }

    /// What stands under the table of a page.
    pub fn remarks(&self) -> Vec<String> {
        let mut remarks = self.taken();
        if self.is_tested() {
            remarks.push(TEST.into());
        }
        remarks
    }

    /// The table, and under it what to make of it.
    pub fn print(&self, terminal: &mut Terminal<'_>) -> Result<(), Failure> {
        let tested = self.is_tested();
        let mut header = vec!["method", "error"];
        // One split has no standard error.
        let repeated = self.summaries.iter().any(|s| s.errors.len() > 1);
        if repeated {
            header.push("s.e.");
        }
        if tested {
            header.push("p");
        }
        header.extend(["rows", "features", "fit", "predict", "model"]);
        let rows: Vec<Vec<String>> = self
            .summaries
            .iter()
            .map(|s| {
                let mut row = vec![s.method.clone(), percent(s.error.0)];
                if repeated {
                    row.push(percent(s.error.1));
                }
                if tested {
                    row.push(s.p_value_holm.map(probability).unwrap_or_default());
                }
                row.extend([
                    format!("{:.0} %", s.retained_percent),
                    short((s.features * 10.0).round() / 10.0),
                    seconds_short(s.seconds),
                    seconds_short(s.predict_seconds),
                    s.model_bytes.map_or("?".into(), |b| size(b as u64)),
                ]);
                row
            })
            .collect();
        let pick = self.pick();
        marked_table(
            &header,
            &rows,
            |row| pick.is_some() && row.first().map(String::as_str) == pick,
            terminal.out,
        )?;
        for text in self.taken() {
            writeln!(terminal.out, "{}", wrapped(&text, "  "))?;
        }
        let mut advice = self.advice();
        if self.is_tested() {
            advice.push(' ');
            advice.push_str(TEST);
        }
        writeln!(terminal.out, "\n{}", wrapped(&advice, ""))?;
        Ok(())
    }

    /// What to pick, in plain words.
    pub fn advice(&self) -> String {
        let Some(best) = self.summaries.first() else {
            return String::new();
        };
        if self.summaries.len() == 1 {
            return format!(
                "{} is alone here; --methods all compares it with the others.",
                best.method
            );
        }
        if best.errors.len() < 2 {
            return format!(
                "One split cannot tell chance from skill: {} is best on this one. --repeats 10 tests the differences.",
                best.method
            );
        }
        let Some(pick) = self.pick.map(|k| &self.summaries[k]) else {
            return "The sizes of the models are not in the journal; compare without --journal to see what to pick."
                .into();
        };
        let bytes = size(pick.model_bytes.unwrap_or(0.0) as u64);
        let good = 1 + self.summaries[1..]
            .iter()
            .filter(|s| s.is_as_good())
            .count();
        match pick.test {
            None if good == 1 => format!(
                "Pick {}: least error, and no other method is within one standard error of the difference.",
                pick.method
            ),
            None => format!(
                "Pick {}: least error, and the smallest model ({bytes}) of the {good} methods within one standard error of the difference.",
                pick.method
            ),
            Some(t) if t.mean == 0.0 && t.standard_error == 0.0 => format!(
                "Pick {}: the smallest model ({bytes}) of the {good} methods within one standard error of the difference; its error is that of {} on every split.",
                pick.method, best.method
            ),
            Some(t) => format!(
                "Pick {}: the smallest model ({bytes}) whose error is within one standard error of the best; it is {} +- {} above {}.",
                pick.method,
                percent(t.mean),
                percent(t.standard_error),
                best.method
            ),
        }
    }
}

/// The smallest model among the best and those as good as it. Nothing on one split, and where sizes
/// are unknown.
fn pick(summaries: &[Summary]) -> Option<usize> {
    let tested = summaries.len() == 1 || summaries.get(1)?.test.is_some();
    let good = (0..summaries.len()).filter(|&k| k == 0 || summaries[k].is_as_good());
    let sized: Option<Vec<(usize, f64)>> =
        good.map(|k| Some((k, summaries[k].model_bytes?))).collect();
    let smallest = sized?.into_iter().min_by(|a, b| a.1.total_cmp(&b.1))?;
    tested.then_some(smallest.0)
}

/// A p-value in at most six characters.
fn probability(p: f64) -> String {
    if p < 0.001 {
        "<0.001".into()
    } else {
        format!("{p:.3}")
    }
}
