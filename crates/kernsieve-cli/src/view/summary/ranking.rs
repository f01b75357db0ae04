//! Methods of a comparison in order: means over the splits, tests against the best, and which one
//! to pick.

use crate::comparison::journal::Outcome;
use kernsieve::metrics::mean_and_standard_error;
use kernsieve::statistics::{ResampledTest, corrected_resampled_t_test, holm};

/// A method's results over the splits.
pub struct Standing {
    /// The method.
    pub method: String,
    /// Errors with their splits.
    pub errors: Vec<(u32, f64)>,
    /// Their mean, and its standard error.
    pub error: (f64, f64),
    /// Mean share of the training rows that the models keep, in percent.
    pub retained_percent: f64,
    /// Mean number of features that they keep.
    pub features: f64,
    /// Mean seconds of tuning and fitting.
    pub seconds: f64,
    /// Mean seconds of predicting.
    pub predict_seconds: f64,
    /// Mean size of the model file, over the splits for which it is known.
    pub model_bytes: Option<f64>,
    /// Median of the chosen bandwidths.
    pub bandwidth: Option<f64>,
    /// Median of the chosen ridges.
    pub ridge: Option<f64>,
    /// Median of the chosen penalties.
    pub sparsity: Option<f64>,
    /// Methods that `auto` took, with the number of splits.
    pub chosen: Vec<(String, usize)>,
    /// Test against the best method; `None` for the best itself, and on one split.
    pub test: Option<ResampledTest>,
    /// Its p-value, adjusted for the number of methods.
    pub p_value_holm: Option<f64>,
}

impl Standing {
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
    pub fn is_as_good(&self) -> bool {
        self.test.is_some_and(|t| t.mean <= t.standard_error)
    }
}

fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    values.get(values.len().checked_sub(1)? / 2).copied()
}

/// The methods of a comparison, best first.
pub struct Ranking {
    /// The methods, best first.
    pub standings: Vec<Standing>,
    /// Place of the method to pick, if the splits allow a choice.
    pub pick: Option<usize>,
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
        let mut standings: Vec<Standing> = names
            .into_iter()
            .map(|n| Standing::new(n, &of(n)))
            .collect();
        standings.sort_by(|a, b| {
            a.error
                .0
                .total_cmp(&b.error.0)
                .then_with(|| a.method.cmp(&b.method))
        });
        if let Some((best, others)) = standings.split_first_mut() {
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
        let pick = pick(&standings);
        Self { standings, pick }
    }

    /// The method to pick, if the splits allow a choice.
    pub fn picked(&self) -> Option<&Standing> {
        self.pick.map(|k| &self.standings[k])
    }

    /// The method of least mean error.
    pub fn best(&self) -> Option<&Standing> {
        self.standings.first()
    }

    /// Whether there is a test against the best.
    pub fn is_tested(&self) -> bool {
        self.standings.iter().any(|s| s.test.is_some())
    }
}

/// The smallest model among the best and those as good as it. `None` on one split, or if sizes are
/// unknown.
fn pick(standings: &[Standing]) -> Option<usize> {
    let tested = standings.len() == 1 || standings.get(1)?.test.is_some();
    let good = (0..standings.len()).filter(|&k| k == 0 || standings[k].is_as_good());
    let sized: Option<Vec<(usize, f64)>> =
        good.map(|k| Some((k, standings[k].model_bytes?))).collect();
    let smallest = sized?.into_iter().min_by(|a, b| a.1.total_cmp(&b.1))?;
    tested.then_some(smallest.0)
}
