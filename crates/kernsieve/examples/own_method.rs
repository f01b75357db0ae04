//! A method of one's own, written outside the crate: `cargo run --release --example own_method`.
//!
//! The nearest class mean among the features that matter most: features are ranked by how far the
//! class means lie apart, cross-validation chooses how many of them are kept. Scaling, folds, the
//! choice of a setting, saving and predicting come with the crate.
#![allow(clippy::print_stdout)]

use kernsieve::data::simulate;
use kernsieve::decision::nearest_centroid;
use kernsieve::expansion::{KernelExpansion, Output};
use kernsieve::kernel::{Family, Kernel};
use kernsieve::linalg::Matrix;
use kernsieve::method::{
    About, Fit, FitReport, Fold, Footprint, Grid, HeldOut, Method, Problem, Setting, Size, Sparse,
};
use kernsieve::params::{Fallback, Kind, Param};
use kernsieve::{Control, Model, Protocol, Result, Train};
use serde::{Deserialize, Serialize};

/// The nearest class mean on few features.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct NearestMean {
    /// Features to keep; `None` is tuned.
    max_features: Option<usize>,
}

/// How many features are kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Kept {
    n_features: usize,
}

impl Setting for Kept {
    fn kernel(&self) -> &Kernel {
        &Kernel::Linear
    }

    fn size(&self) -> Size {
        Size {
            samples: None,
            features: Some(self.n_features),
        }
    }

    fn same_path(&self, _other: &Self) -> bool {
        true
    }
}

/// Features, those whose class means lie farthest apart first.
fn ranked(problem: &Problem) -> Vec<usize> {
    let classes = problem.classes();
    let means = classes.means(&problem.x);
    let spread = |j: usize| -> f64 {
        let shares = classes.shares();
        let centre: f64 = (0..shares.len()).map(|c| shares[c] * means[(c, j)]).sum();
        let apart = |c: usize| shares[c] * (means[(c, j)] - centre).powi(2);
        (0..shares.len()).map(apart).sum()
    };
    let mut order: Vec<usize> = (0..problem.x.cols()).collect();
    order.sort_by(|&a, &b| spread(b).total_cmp(&spread(a)).then(a.cmp(&b)));
    order
}

impl Method for NearestMean {
    type Setting = Kept;

    const ABOUT: About = About {
        name: "nearest-mean",
        class: "NearestMean",
        title: "nearest class mean on few features",
        sparse: Sparse::Features,
        params: &[Param::new(
            "max_features",
            Kind::Count {
                least: 1,
                most: u64::MAX,
                letter: "N",
            },
            Fallback::Absent("tuned"),
            "Features to keep",
        )],
        ..About::BLANK
    };

    fn family(&self) -> Family {
        Family::Linear
    }

    fn footprint(&self, _n: usize) -> Footprint {
        Footprint::NONE
    }

    fn grid(&self, problem: &Problem, _: &Protocol) -> Result<Grid<Kept>> {
        let sizes = match self.max_features {
            Some(k) => k..=k,
            None => 1..=problem.x.cols(),
        };
        let arm = sizes.map(|n_features| Kept { n_features });
        Ok(vec![arm.collect()])
    }

    fn held_out(&self, fold: &Fold, arm: &[Kept]) -> Result<Vec<Option<HeldOut>>> {
        let one = |setting: &Kept| {
            let fit = self.fit(&fold.train, setting)?;
            let scores = fit.decision.scores(&fit.outputs(&fold.held_out));
            Ok(Some(HeldOut::from(scores)))
        };
        arm.iter().map(one).collect()
    }

    fn fit(&self, problem: &Problem, setting: &Kept) -> Result<Fit> {
        let p = problem.x.cols();
        let kept = &ranked(problem)[..setting.n_features.min(p)];
        // One output per kept feature: the feature itself.
        let directions = Matrix::from_fn(kept.len(), p, |k, j| f64::from(kept[k] == j));
        let output = Output::Linear {
            coef: Matrix::identity(kept.len()),
            offset: vec![0.0; kept.len()],
        };
        let weights = (0..p).map(|j| f64::from(kept.contains(&j))).collect();
        let expansion = KernelExpansion::new(Kernel::Linear, weights, &directions, output);
        let z = expansion.evaluate(&problem.x);
        let decision = nearest_centroid(&z, &problem.classes(), problem.log_priors());
        let report = FitReport {
            iterations: 1,
            converged: true,
            imported: kept.to_vec(),
            ..FitReport::default()
        };
        Ok(Fit::new(expansion, decision, report))
    }
}

fn main() -> Result<()> {
    let data = simulate::mixture(0, 1, 100, 8);
    let method = NearestMean::default();
    let trained = method.train(&data, &Protocol::default(), &Control::new())?;
    let model = trained.model;
    println!("features kept: {}", model.selected_features().join(", "));
    let file = std::env::temp_dir().join("nearest-mean.ks");
    model.save(&file)?;
    // A model needs no method to predict: it is an expansion and a rule.
    let again = Model::load(&file)?;
    assert_eq!(
        again.predict_classes(data.x()),
        model.predict_classes(data.x())
    );
    println!(
        "error on the training rows: {:.3}",
        model.record.train_error
    );
    Ok(())
}
