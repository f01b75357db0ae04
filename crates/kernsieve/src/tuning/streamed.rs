//! Training on rows that are not in memory: what there is to learn of columns and settings is
//! learnt from some of them, and the fit is made of sums over all of them.

use super::any::AnyMethod;
use super::control::Control;
use super::train::{Job, Trained, judge, lean, learnt};
use crate::data::{Dataset, Schema, stratified_sample};
use crate::error::{Error, Result};
use crate::method::Method;
use crate::notice::Notice;
use crate::params::Protocol;
use crate::partial::{Frame, Moments, Part, Passes, Task};
use std::time::Instant;

/// All rows of a table, wherever they are: in files, or on other machines. Classes have the order
/// of the labels of the rows at hand.
pub trait AllRows {
    /// Number of rows.
    fn rows(&self) -> u64;

    /// Total weight of each class.
    fn totals(&self) -> Vec<f64>;

    /// Moments of the features that a schema makes.
    fn moments(&mut self, schema: &Schema, control: &Control) -> Result<Moments>;

    /// The sums of a task.
    fn run(&mut self, task: &Task, frame: &Frame, control: &Control) -> Result<Part>;
}

/// Rows in the units of a kernel.
struct Scaled<'a> {
    rows: &'a mut dyn AllRows,
    frame: Frame,
    control: &'a Control,
}

impl Passes for Scaled<'_> {
    fn rows(&self) -> u64 {
        self.rows.rows()
    }

    fn run(&mut self, task: &Task) -> Result<Part> {
        self.control.checkpoint()?;
        self.rows.run(task, &self.frame, self.control)
    }
}

/// Weights that give the classes of some rows their shares of all rows. Where they have these
/// already, there are none.
fn with_shares(some: &Dataset, totals: &[f64]) -> Result<Dataset> {
    let own = {
        let mut own = vec![0.0; totals.len()];
        let codes = some.labels().codes().iter().enumerate();
        codes.for_each(|(i, &c)| own[c] += some.weight(i));
        own
    };
    let (all, there): (f64, f64) = (totals.iter().sum(), own.iter().sum());
    let factor = |c: usize| (totals[c] / all) / (own[c] / there);
    let factors: Vec<f64> = (0..own.len()).map(factor).collect();
    if factors.iter().all(|f| (f - 1.0).abs() < 1e-12) {
        return Ok(some.clone());
    }
    let codes = some.labels().codes().iter().enumerate();
    let weights = codes.map(|(i, &c)| some.weight(i) * factors[c]);
    some.clone().with_weights(weights.collect())
}

/// As many of the rows at hand as the memory for tuning allows, and which they are. At the fewest,
/// the usual check says what is missing.
fn that_fit<M: Method>(
    method: &M,
    some: &Dataset,
    control: &Control,
) -> Result<(Vec<usize>, Dataset)> {
    let fits = |n: usize| AnyMethod::memory(method, n) <= control.memory_bytes();
    let mut n = some.n_samples();
    while n > FEWEST && !fits(n) {
        n = (n / 2).max(FEWEST);
    }
    let rows = stratified_sample(some.labels(), n, 0);
    Ok((rows.clone(), some.select(&rows)?))
}

/// Rows at hand that are not given up for lack of memory.
const FEWEST: usize = 2000;

/// Tunes a method on some rows and fits it to all. The record counts all rows; retained rows are
/// numbered as those at hand.
pub(super) fn train_streamed<M: Method>(
    method: &M,
    some: &Dataset,
    schema: &Schema,
    all: &mut dyn AllRows,
    protocol: &Protocol,
    control: &Control,
) -> Result<Trained> {
    if !method.streams() {
        return Err(Error::Data(format!(
            "{} needs all rows at once, and these are read in passes; lda, l1-dkf, sieve, and \
             smkda and klr with `candidates` do not",
            M::ABOUT.name
        )));
    }
    let (rows, some) = that_fit(method, some, control)?;
    let some = &with_shares(&some, &all.totals())?;
    let mut job = Job::prepare(method, some, protocol)?;
    let started = Instant::now();
    let plan = job.plan(control)?;
    let mut tuned = job.tune(&plan, control)?;
    let pass = job.ask_held_out(&plan, &mut tuned, control)?;
    let tune_seconds = started.elapsed().as_secs_f64();
    control.checkpoint()?;

    let started = Instant::now();
    let schema = learnt(job.all.schema.take(), schema);
    let counts = match job.method.scaled_by_some() {
        true => all.totals().iter().map(|n| *n as u64).collect(),
        false => {
            let moments = all.moments(&schema, control)?;
            job.rescale(&schema, &moments)?;
            moments.counts().to_vec()
        }
    };
    let n_rows: u64 = counts.iter().sum();
    let mut passes = Scaled {
        frame: Frame {
            schema: schema.clone(),
            scaling: job.all.scaling.clone(),
            n_classes: job.all.problem.labels.n_classes(),
        },
        rows: all,
        control,
    };
    let fit = job
        .method
        .fit_by_passes(&job.all.problem, &tuned.setting, &mut passes)?;
    let fit_seconds = started.elapsed().as_secs_f64();

    let afresh = tuned.afresh;
    job.notices.push(Notice::Streamed {
        some: some.n_samples(),
        of: n_rows,
    });
    let (mut model, mut notices) = job.assemble(&schema, tuned, fit, pass.as_ref())?;
    let judged = plan.data(some);
    if let Some(pass) = &pass {
        lean(&mut model, pass, judged, afresh);
    }
    notices.extend(judge(&mut model, pass.as_ref(), judged, some, protocol)?);
    model.record.report.rename_rows(&rows);
    model.record.n_rows = n_rows as usize;
    model.record.class_counts = counts.iter().map(|&n| n as usize).collect();
    Ok(Trained {
        model,
        notices,
        tune_seconds,
        fit_seconds,
        out_of_fold: pass.filter(|_| plan.sample.is_none()),
    })
}

impl<M: Method> Job<'_, M> {
    /// The problem in the units that all rows give.
    fn rescale(&mut self, schema: &Schema, moments: &Moments) -> Result<()> {
        let rows: Vec<usize> = (0..self.data.n_samples()).collect();
        let x = self.data.features_by(schema, &rows);
        let mut scaling = moments.scaling(self.protocol.standardize)?;
        if self.all.scaling.scores.is_some() {
            scaling = scaling.with_scores(&x, &rows, self.data.weights());
        }
        let active = scaling.active.iter().map(|&a| f64::from(a));
        self.all.problem.feature_weights = active.collect();
        self.all.problem.x = scaling.apply(&x, &rows);
        self.all.scaling = scaling;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Labels, simulate};
    use crate::linalg::Matrix;
    use crate::method::{Klr, L1Dkf, Lda, Mkda, Sieve, Smkda};
    use crate::model::Model;
    use crate::params::KernelChoice;
    use crate::tuning::Train;

    /// A data set that is summed over in parts.
    struct Parts<'a>(&'a Dataset, Vec<usize>);

    impl Parts<'_> {
        fn each(&self, mut f: impl FnMut(Matrix, &[usize], Option<Vec<f64>>)) {
            let (data, mut start) = (self.0, 0);
            for &end in &self.1 {
                let rows: Vec<usize> = (start..end).collect();
                let weights = data.weights().map(|w| w[start..end].to_vec());
                f(
                    data.x().select_rows(&rows),
                    &data.labels().codes()[start..end],
                    weights,
                );
                start = end;
            }
        }
    }

    impl AllRows for Parts<'_> {
        fn rows(&self) -> u64 {
            self.0.n_samples() as u64
        }

        fn totals(&self) -> Vec<f64> {
            let mut totals = vec![0.0; self.0.labels().n_classes()];
            let codes = self.0.labels().codes().iter().enumerate();
            codes.for_each(|(i, &c)| totals[c] += self.0.weight(i));
            totals
        }

        fn moments(&mut self, schema: &Schema, _: &Control) -> Result<Moments> {
            let mut sums = Moments::new(schema.n_features(), self.0.labels().n_classes());
            self.each(|x, codes, weights| sums.update(&x, codes, weights.as_deref()));
            Ok(sums)
        }

        fn run(&mut self, task: &Task, frame: &Frame, _: &Control) -> Result<Part> {
            let (mut whole, mut failed) = (frame.part(task)?, None);
            self.each(|x, codes, weights| {
                let added = frame.part(task).and_then(|mut part| {
                    frame.update(task, &mut part, &x, codes, weights.as_deref())?;
                    whole.merge(&part)
                });
                failed = added.err();
            });
            failed.map_or(Ok(whole), Err)
        }
    }

    fn streamed<M: Method>(method: &M, some: &Dataset, all: &Dataset, cuts: &[usize]) -> Trained {
        let schema = Schema::numeric(some.feature_names());
        let mut rows = Parts(all, cuts.to_vec());
        let (protocol, control) = (Protocol::default(), Control::new());
        train_streamed(method, some, &schema, &mut rows, &protocol, &control).expect("trains")
    }

    fn gap(a: &Model, b: &Model, x: &Matrix) -> f64 {
        let (a, b) = (a.predict(x).posterior, b.predict(x).posterior);
        let pairs = a.as_slice().iter().zip(b.as_slice());
        pairs.fold(0.0, |m, (u, v)| f64::max(m, (u - v).abs()))
    }

    fn check<M: Method>(method: &M, data: &Dataset, most: f64) {
        let (protocol, control) = (Protocol::default(), Control::new());
        let whole = Train::train(method, data, &protocol, &control).expect("trains");
        let n = data.n_samples();
        let found = streamed(method, data, data, &[7, n / 3, n / 3, n]);
        let g = gap(&whole.model, &found.model, data.x());
        assert!(g < most, "{}: {g:e}", M::ABOUT.name);
        assert_eq!(found.model.record.n_rows, n);
        assert!(
            found
                .notices
                .iter()
                .any(|n| matches!(n, Notice::Streamed { .. }))
        );
    }

    #[test]
    fn with_all_rows_at_hand_the_model_is_that_of_memory() {
        let data = simulate::rings(3);
        check(&Lda::new(), &data, 1e-9);
        check(&L1Dkf::new(), &data, 1e-7);
        let kernel = KernelChoice::Gaussian {
            bandwidths: vec![0.7],
        };
        check(&Smkda::new().candidates(40), &data, 1e-7);
        check(&Klr::new().candidates(40).kernel(kernel), &data, 1e-7);
        check(&Sieve::new().max_support(20), &data, 1e-6);
    }

    #[test]
    fn a_rare_class_has_its_share_although_most_of_its_rows_are_at_hand() {
        let n = 4000;
        let codes: Vec<usize> = (0..n).map(|i| usize::from(i % 100 == 0)).collect();
        let noise = crate::testing::random(n, 2, 4);
        let x = Matrix::from_fn(n, 2, |i, j| {
            noise[(i, j)] + 2.0 * codes[i] as f64 * (j == 0) as u8 as f64
        });
        let names = ["no", "yes"].map(String::from).to_vec();
        let labels = Labels::from_codes(codes, names).expect("labels");
        let data = Dataset::new(x, labels, ["a", "b"].map(String::from).to_vec()).expect("data");
        let rows: Vec<usize> = (0..n).filter(|i| i % 100 == 0 || i % 7 == 0).collect();
        let some = data.select(&rows).expect("both classes");
        let (protocol, control) = (Protocol::default(), Control::new());
        let whole = Train::train(&Lda::new(), &data, &protocol, &control).expect("trains");
        let found = streamed(&Lda::new(), &some, &data, &[1000, n]);
        assert!(gap(&whole.model, &found.model, data.x()) < 0.02);
        assert_eq!(found.model.record.class_counts, [3960, 40]);
    }

    #[test]
    fn methods_that_need_all_rows_are_refused() {
        let data = simulate::rings(0);
        let schema = Schema::numeric(data.feature_names());
        let mut rows = Parts(&data, vec![data.n_samples()]);
        let found = train_streamed(
            &Mkda::new(),
            &data,
            &schema,
            &mut rows,
            &Protocol::default(),
            &Control::new(),
        );
        let e = found.err().expect("refused").to_string();
        assert!(e.contains("mkda") && e.contains("passes"), "{e}");
    }
}
