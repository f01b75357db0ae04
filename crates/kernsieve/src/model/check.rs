//! Whether the parts of a model fit together. Files are not trusted, and neither is a fit: what
//! overflowed in training is found here.

use super::Model;
use crate::data::Curve;
use crate::error::{Error, Result};
use crate::partial::TallQr;
use std::collections::HashSet;

/// What is wrong, in words; `Ok` if nothing is.
type Sound = std::result::Result<(), String>;

fn require(holds: bool, what: &str) -> Sound {
    match holds {
        true => Ok(()),
        false => Err(what.into()),
    }
}

/// The first name that stands twice.
fn repeated<'a>(names: impl IntoIterator<Item = &'a String>) -> Option<&'a String> {
    let mut seen = HashSet::new();
    names.into_iter().find(|name| !seen.insert(*name))
}

impl Model {
    /// Whether all parts fit together.
    pub fn check(&self) -> Result<()> {
        self.expansion.check()?;
        self.decision.check()?;
        if let Some(kernel) = &self.discriminant {
            kernel.check()?;
        }
        let parts = self
            .check_shapes()
            .and_then(|()| self.check_names())
            .and_then(|()| self.check_scaling())
            .and_then(|()| self.check_classes())
            .and_then(|()| self.check_record())
            .and_then(|()| self.check_counts());
        parts.map_err(Error::ModelFile)
    }

    fn check_shapes(&self) -> Sound {
        if let Some(kernel) = &self.discriminant {
            let priors = kernel.priors.len();
            require(
                self.expansion.n_features() == priors && priors == self.classes.len(),
                "the discriminant kernel does not match the classes",
            )?;
        }
        let p = self.reader().n_features();
        if self.schema.n_features() != p {
            return Err(format!(
                "{} columns' features for {p} feature weights",
                self.schema.n_features()
            ));
        }
        let samples = self.expansion.support.rows();
        let fits = |f: &TallQr| f.triangle().rows() == 1 + samples + self.classes.len();
        require(
            self.factor.as_ref().is_none_or(fits),
            "the factor does not match the samples",
        )?;
        require(
            self.decision.n_outputs() == self.expansion.n_outputs(),
            "the decision rule does not match the outputs",
        )
    }

    /// Names of classes and columns: a row must have one class, and a cell one place.
    fn check_names(&self) -> Sound {
        if let Some(class) = repeated(&self.classes) {
            return Err(format!("the class '{class}' stands twice"));
        }
        if let Some(problem) = self.schema.problem() {
            return Err(problem);
        }
        // A density has no target.
        let is_target = |name: &String| !self.is_density() && *name == self.schema.target;
        let own = self.schema.columns.iter().map(|c| &c.name);
        match own.into_iter().find(|name| is_target(name)) {
            Some(name) => Err(format!("the target '{name}' is a feature, too")),
            None => Ok(()),
        }
    }

    fn check_scaling(&self) -> Sound {
        let (s, p) = (&self.scaling, self.reader().n_features());
        let sizes = [s.mean.len(), s.scale.len(), s.active.len()];
        require(
            sizes.iter().all(|&k| k == p),
            "the scaling does not match the features",
        )?;
        let sound = s.mean.iter().all(|v| v.is_finite())
            && s.scale.iter().all(|v| v.is_finite() && *v > 0.0);
        require(sound, "the scaling is damaged")?;
        let Some(scores) = &s.scores else {
            return Ok(());
        };
        // A constant feature is zero, and it has one value: nothing to be scored.
        let idle = |(c, active): (&Curve, &bool)| *active || c.knots.is_empty();
        let fits = scores.curves.len() == p && scores.is_sound();
        require(
            fits && scores.curves.iter().zip(&s.active).all(idle),
            "the normal scores are damaged",
        )
    }

    fn check_classes(&self) -> Sound {
        for costs in [&self.costs, &self.record.costs] {
            let valid = costs.iter().all(|c| c.is_finite() && *c > 0.0);
            let fits = costs.is_empty() || costs.len() == self.classes.len();
            require(valid && fits, "the costs are damaged")?;
        }
        let sound = self.shifts.iter().all(|v| v.is_finite());
        let fits = self.shifts.is_empty() || self.shifts.len() == self.classes.len();
        require(sound && fits, "the calibration is damaged")?;
        if let Some(t) = self.threshold {
            require(
                self.classes.len() == 2 && t.positive < 2 && t.value > 0.0 && t.value < 1.0,
                "the threshold is damaged",
            )?;
        }
        require(
            self.temperature.is_finite() && self.temperature > 0.0,
            "the temperature is damaged",
        )?;
        let least = if self.is_density() { 1 } else { 2 };
        require(
            self.decision.n_classes() == self.classes.len() && self.classes.len() >= least,
            "the decision rule does not match the classes",
        )
    }

    /// Features and entries that the record speaks of are there.
    fn check_record(&self) -> Sound {
        let p = self.reader().n_features();
        let record = &self.record;
        let steps = record.report.path.iter().flat_map(|s| {
            let others = s.feature.iter().chain(s.runner_up.iter().map(|(j, _)| j));
            s.weights.iter().map(|(j, _)| j).chain(others)
        });
        let named = steps
            .chain(&record.report.imported)
            .chain(record.importances.iter().map(|i| &i.feature));
        let voted = record.setting.features().unwrap_or_default();
        let entries = record.cv.iter().flat_map(|cv| &cv.grid);
        let mut folds = entries.map(|e| e.feature_folds.len());
        require(
            named.chain(&voted).all(|j| *j < p) && folds.all(|k| k == 0 || k == p),
            "the record of the features does not match them",
        )?;
        if let Some(cv) = &record.cv {
            require(
                cv.chosen < cv.grid.len(),
                "the cross-validation table has no chosen entry",
            )?;
        }
        match &record.density {
            None => Ok(()),
            Some(density) => require(
                density.chosen < density.grid.len()
                    && self.classes.len() == 1
                    && self.expansion.n_outputs() == 1,
                "the record of the density does not match it",
            ),
        }
    }

    /// Numbers of rows, and shares of them, are possible.
    fn check_counts(&self) -> Sound {
        let record = &self.record;
        let total = record
            .class_counts
            .iter()
            .try_fold(0, |sum: usize, &n| sum.checked_add(n));
        require(
            total == Some(record.n_rows)
                && record.class_counts.len() == self.classes.len()
                && record.n_rows as u64 <= MOST_ROWS,
            "the numbers of rows of the classes do not add up",
        )?;
        let mut rows = record.report.retained_rows.clone();
        rows.sort_unstable();
        require(
            rows.windows(2).all(|w| w[0] < w[1])
                && rows.len() <= record.n_rows
                && rows.last().is_none_or(|r| *r as u64 <= MOST_ROWS),
            "the rows that it keeps are not rows of its data",
        )?;
        let own = record.assessment.as_ref();
        require(
            own.is_none_or(|a| {
                a.rows <= record.n_rows
                    && a.baseline.class < self.classes.len()
                    && a.never_predicted.iter().all(|c| *c < self.classes.len())
                    && a.cutting
                        .as_ref()
                        .is_none_or(|c| c.positive < self.classes.len())
            }),
            "the record of the held-out rows does not match the classes",
        )?;
        let table = record.cv.iter().flat_map(|cv| &cv.grid);
        let in_folds = table.flat_map(|e| e.error.iter().chain(&e.fold_errors));
        let measured = own.map(|a| &a.error);
        let mut errors = in_folds.chain(measured).chain([&record.train_error]);
        // A fold's errors are summed in another order than its rows: rounding may add a little.
        require(
            errors.all(|e| (0.0..=1.0 + 1e-9).contains(e)),
            "an error rate of its record is not between 0 and 1",
        )
    }
}

/// More rows than any table has; numbers of rows are exact in double precision below it.
const MOST_ROWS: u64 = 1 << 53;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::simulate;
    use crate::model_file::{read, to_bytes};
    use crate::{Control, Protocol, Train};

    /// A change to a model, and a word of what it is refused with.
    type Case<'a> = (&'a str, &'a dyn Fn(&mut Model));

    #[test]
    fn what_cannot_be_is_refused() {
        let data = simulate::mixture(0, 1, 20, 2);
        let trained = crate::Smkda::new().train(&data, &Protocol::default(), &Control::new());
        let model = trained.expect("trains").model;
        let n = model.record.n_rows;
        let cases: &[Case<'_>] = &[
            ("stands twice", &|m| m.classes[1] = m.classes[0].clone()),
            ("twice", &|m| {
                m.schema.columns[1].name = m.schema.columns[0].name.clone();
            }),
            ("is a feature", &|m| {
                m.schema.target = m.schema.columns[0].name.clone()
            }),
            ("add up", &|m| m.record.class_counts[0] += 1),
            ("add up", &|m| m.record.class_counts[0] = usize::MAX),
            ("add up", &|m| m.record.class_counts.push(0)),
            ("rows that it keeps", &|m| {
                let first = m.record.report.retained_rows[0];
                m.record.report.retained_rows.push(first);
            }),
            ("rows that it keeps", &|m| {
                m.record.report.retained_rows[0] = usize::MAX;
            }),
            ("rows that it keeps", &|m| {
                m.record.report.retained_rows = (0..=n).collect();
            }),
            ("error rate", &|m| m.record.train_error = 1.5),
            ("error rate", &|m| m.record.train_error = -0.1),
            ("held-out rows", &|m| {
                if let Some(a) = &mut m.record.assessment {
                    a.never_predicted = vec![7];
                }
            }),
        ];
        assert!(read(&to_bytes(&model).expect("sound")).is_ok());
        for (word, change) in cases {
            let mut bad = model.clone();
            change(&mut bad);
            let said = bad.check().expect_err(word).to_string();
            assert!(said.contains(word), "{said}");
            assert!(to_bytes(&bad).is_err(), "{word}");
        }
    }
}
