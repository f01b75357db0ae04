//! From a data set to the problem of a method, on all rows or in a fold.

use crate::classes::Classes;
use crate::data::{Dataset, Scaling, Schema, Split};
use crate::error::Result;
use crate::kernel::{Pairs, symmetric_base};
use crate::linalg::Matrix;
use crate::method::{Fold, HeldOut, Method, Problem};
use crate::params::{Preparation, Protocol};

/// Rows that are ready for a method.
pub(super) struct Prepared {
    /// How columns become features, where the rows have a part in that.
    pub(super) schema: Option<Schema>,
    /// Scaling learned from the rows.
    pub(super) scaling: Scaling,
    /// The problem that they make.
    pub(super) problem: Problem,
    /// Class code in the data set of each class that occurs in them.
    pub(super) classes: Vec<usize>,
}

/// Some rows of a data set as a problem.
pub(super) fn prepare(data: &Dataset, rows: &[usize], protocol: &Protocol) -> Result<Prepared> {
    let weights: Option<Vec<f64>> = data.weights().map(|w| rows.iter().map(|&i| w[i]).collect());
    let scaled = |x: &Matrix, rows: &[usize], weights: Option<&[f64]>| {
        let mut scaling = Scaling::fit(x, rows, weights, protocol.standardize);
        if protocol.prepare == Some(Preparation::Scores) {
            scaling = scaling.with_scores(x, rows, weights);
        }
        let x = scaling.apply(x, rows);
        (scaling, x)
    };
    let (schema, (scaling, x)) = match data.learn_columns(rows) {
        None => (None, scaled(data.x(), rows, data.weights())),
        Some(learnt) => {
            let all: Vec<usize> = (0..rows.len()).collect();
            (
                Some(learnt.schema),
                scaled(&learnt.x, &all, weights.as_deref()),
            )
        }
    };
    let all = data.labels().n_classes();
    let (labels, kept) = data.labels().select(rows).compact();
    let classes = Classes::new(labels.codes(), weights.as_deref(), labels.n_classes());
    let names = labels.classes();
    let priors = protocol
        .priors
        .resolve_subset(names, &classes, &kept, all)?;
    let blocks = data.blocks().map(|b| rows.iter().map(|&i| b[i]).collect());
    let feature_weights = scaling.active.iter().map(|&a| f64::from(a)).collect();
    Ok(Prepared {
        schema,
        scaling,
        problem: Problem {
            x,
            labels,
            weights,
            priors,
            feature_weights,
            blocks,
            may_score: protocol.standardize && protocol.prepare.is_none(),
            seed: protocol.seed,
        },
        classes: kept,
    })
}

impl Prepared {
    /// Other rows of the data set, made into features and scaled as these are.
    pub(super) fn apply(&self, data: &Dataset, rows: &[usize]) -> Matrix {
        match &self.schema {
            None => self.scaling.apply(data.x(), rows),
            Some(schema) => {
                let mut x = data.features_by(schema, rows);
                self.scaling.apply_in_place(&mut x);
                x
            }
        }
    }
}

/// All rows of a data set as a problem.
pub(super) fn prepare_all(data: &Dataset, protocol: &Protocol) -> Result<Prepared> {
    prepare(data, &(0..data.n_samples()).collect::<Vec<_>>(), protocol)
}

/// One fold, ready for all arms.
pub(super) struct PreparedFold {
    /// `None` if the training part has only one class, which is then the answer.
    pub(super) fold: Option<Fold>,
    /// Class code in the whole data set of each class of the fold.
    pub(super) classes: Vec<usize>,
    pub(super) truth: Vec<usize>,
    /// Weights of the held-out rows.
    pub(super) weights: Vec<f64>,
}

impl PreparedFold {
    pub(super) fn new<M: Method>(
        method: &M,
        data: &Dataset,
        split: &Split,
        protocol: &Protocol,
    ) -> Result<Self> {
        let prepared = prepare(data, &split.train, protocol)?;
        let classes = prepared.classes.clone();
        let codes = data.labels().codes();
        let truth: Vec<usize> = split.test.iter().map(|&i| codes[i]).collect();
        let weights: Vec<f64> = split.test.iter().map(|&i| data.weight(i)).collect();
        if classes.len() < 2 {
            return Ok(Self {
                fold: None,
                classes,
                truth,
                weights,
            });
        }
        let held_out = prepared.apply(data, &split.test);
        let problem = prepared.problem;
        let own = |t: &usize| classes.iter().position(|c| c == t);
        let footprint = method.footprint(problem.n());
        let family = method.family();
        let fold = Fold {
            held_out_classes: truth.iter().map(own).collect(),
            held_out_weights: weights.clone(),
            train_base: footprint
                .train_base
                .then(|| symmetric_base(family, &problem.x)),
            held_out_base: footprint
                .held_out_base
                .then(|| Pairs::new(family.base(), problem.x.clone()).all(&held_out, |_| ())),
            train: problem,
            held_out,
        };
        Ok(Self {
            fold: Some(fold),
            classes,
            truth,
            weights,
        })
    }

    /// The same with everything learnt inside the fold, where the method knows a way.
    pub(super) fn scores_afresh<M: Method>(
        &self,
        method: &M,
        setting: &M::Setting,
    ) -> Result<Option<Matrix>> {
        let Some(fold) = &self.fold else {
            return Ok(None);
        };
        Ok(method.held_out_afresh(fold, setting)?.map(|h| h.scores))
    }

    /// The scores of one setting on the held-out rows; zeros if the fold has only one class.
    pub(super) fn scores_of<M: Method>(
        &self,
        method: &M,
        setting: &M::Setting,
    ) -> Result<Option<Matrix>> {
        let Some(fold) = &self.fold else {
            return Ok(Some(Matrix::zeros(self.truth.len(), self.classes.len())));
        };
        let answers = method.held_out(fold, std::slice::from_ref(setting))?;
        Ok(answers
            .into_iter()
            .next()
            .flatten()
            .map(|h: HeldOut| h.scores))
    }
}
