//! Methods whose type is erased. Front ends and the choice of a method work with these.

use super::control::Control;
use super::importance::importances;
use super::learning_curve::{LearningPoint, learning_curve};
use super::out_of_fold::OutOfFold;
use super::sample::tuning_sample_size;
use super::streamed::{AllRows, train_streamed};
use super::train::{Train, Trained};
use crate::data::{Dataset, Schema};
use crate::error::Result;
use crate::method::{About, Method, params_of};
use crate::model::{Importance, Model};
use crate::notice::Notice;
use crate::params::{Params, Protocol, Validation};

/// A [`Method`] of any type.
pub trait AnyMethod: Send + Sync {
    /// Its name, words and parameters.
    fn about(&self) -> &'static About;

    /// Its parameters by id; those that have no effect with the others are left out.
    fn params(&self) -> Params;

    /// About how many seconds of one core it takes on some data.
    fn seconds(&self, data: &Dataset) -> f64 {
        let (n, p) = (data.n_samples() as f64, data.n_features() as f64);
        self.seconds_of(n, p, data.labels().n_classes() as f64)
    }

    /// The same by numbers of rows, features and classes.
    fn seconds_of(&self, n: f64, p: f64, c: f64) -> f64;

    /// What it still leaves to choose: [`Method::still_open`].
    fn still_open(&self) -> Option<&'static str>;

    /// Reduces parameters that are too large for this many classes: [`Method::adapt`].
    fn adaptations(&self, n_classes: usize) -> Vec<Notice>;

    /// Tunes, fits, estimates the error: [`Train::train_with`].
    fn train(
        &self,
        data: &Dataset,
        schema: &Schema,
        protocol: &Protocol,
        control: &Control,
    ) -> Result<Trained>;

    /// Whether it can be trained on rows that are not in memory: [`Method::streams`].
    fn streams(&self) -> bool;

    /// Bytes that tuning and fitting on so many rows take beside matrices of their square.
    fn memory(&self, n: usize) -> u64;

    /// Tunes on some rows, which are at hand, and fits to all by sums over them.
    fn train_streamed(
        &self,
        some: &Dataset,
        schema: &Schema,
        all: &mut dyn AllRows,
        protocol: &Protocol,
        control: &Control,
    ) -> Result<Trained>;

    /// Class probabilities of each row of the training data by a fit without its fold, with the
    /// setting, the temperature and the costs of the model; `None` for rows of a fold that could
    /// not be fitted. `None` altogether if there was no tuning by folds, or only on a sample of the
    /// rows. Folds in `known` are not fitted again.
    fn out_of_fold(
        &self,
        model: &Model,
        known: Option<OutOfFold>,
        data: &Dataset,
        control: &Control,
    ) -> Result<Option<Vec<Option<Vec<f64>>>>>;

    /// What shuffling each feature costs on rows that a fit at the model's setting has not seen,
    /// most important first. Empty if nothing was validated.
    fn importances(
        &self,
        model: &Model,
        data: &Dataset,
        control: &Control,
    ) -> Result<Vec<Importance>>;

    /// The error on held-out rows when fits at the model's setting see an eighth, a quarter, a half
    /// and all of the training part of each fold, fewest rows first.
    fn learning_curve(
        &self,
        model: &Model,
        data: &Dataset,
        control: &Control,
    ) -> Result<Vec<LearningPoint>>;
}

/// What a method says about itself, as a static reference.
struct Described<M>(std::marker::PhantomData<M>);

impl<M: Method> Described<M> {
    const ABOUT: &'static About = &M::ABOUT;
}

impl<M: Method> AnyMethod for M {
    fn about(&self) -> &'static About {
        Described::<M>::ABOUT
    }

    fn params(&self) -> Params {
        params_of(self)
    }

    fn still_open(&self) -> Option<&'static str> {
        Method::still_open(self)
    }

    fn adaptations(&self, n_classes: usize) -> Vec<Notice> {
        self.clone().adapt(n_classes)
    }

    fn train(
        &self,
        data: &Dataset,
        schema: &Schema,
        protocol: &Protocol,
        control: &Control,
    ) -> Result<Trained> {
        self.train_with(data, schema, protocol, control)
    }

    fn seconds_of(&self, n: f64, p: f64, c: f64) -> f64 {
        Method::seconds(self, n, p, c)
    }

    fn streams(&self) -> bool {
        Method::streams(self)
    }

    fn memory(&self, n: usize) -> u64 {
        let (tuning, last) = (self.footprint(n), self.final_footprint(n));
        tuning.cache.max(last.cache)
    }

    fn train_streamed(
        &self,
        some: &Dataset,
        schema: &Schema,
        all: &mut dyn AllRows,
        protocol: &Protocol,
        control: &Control,
    ) -> Result<Trained> {
        train_streamed(self, some, schema, all, protocol, control)
    }

    fn out_of_fold(
        &self,
        model: &Model,
        known: Option<OutOfFold>,
        data: &Dataset,
        control: &Control,
    ) -> Result<Option<Vec<Option<Vec<f64>>>>> {
        let protocol = &model.record.options.protocol;
        let by_folds = model.record.cv.is_some() && protocol.validation != Validation::Split;
        if !by_folds || tuning_sample_size(self, data).is_some() {
            return Ok(None);
        }
        let setting: M::Setting = model.record.setting.to()?;
        let mut pass = known.unwrap_or_default();
        pass.complete(self, &setting, data, protocol, control)?;
        Ok(Some(pass.probabilities(model, data)))
    }

    fn importances(
        &self,
        model: &Model,
        data: &Dataset,
        control: &Control,
    ) -> Result<Vec<Importance>> {
        if model.record.cv.is_none() {
            return Ok(vec![]);
        }
        importances(self, &model.record.setting.to()?, model, data, control)
    }

    fn learning_curve(
        &self,
        model: &Model,
        data: &Dataset,
        control: &Control,
    ) -> Result<Vec<LearningPoint>> {
        learning_curve(self, &model.record.setting.to()?, model, data, control)
    }
}
