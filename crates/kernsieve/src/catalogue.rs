//! The one list of the methods that come with the crate. Everything that names methods is made from
//! it.
//!
//! A method is listed by its type. From here on the type is erased: a [`Made`] method is built from
//! parameters by id, and says which of them it does not use.

use crate::data::{Dataset, Schema, stratified_sample};
use crate::error::{Error, Result};
use crate::method::{
    About, Candidacy, Discriminant, Fivm, Klr, Kos, L1Dkf, L2le, L2qp, Lda, Method, Mkda, Parzen,
    Sieve, Smkda, SparseKos, WithPosterior,
};
use crate::model::{Importance, Model};
use crate::notice::Notice;
use crate::params::{PROTOCOL, Param, Params, Protocol};
use crate::tuning::{AllRows, AnyMethod, Contest, Control, LearningPoint, Trained, run_contest};
use serde_json::Value;
use std::time::Duration;

/// A method of the catalogue.
#[derive(Clone, Copy)]
pub struct Entry {
    /// Its name, words and parameters.
    pub about: &'static About,
    build: fn(&Params) -> Result<Box<dyn AnyMethod>>,
}

/// All methods, cheap ones first: the order in which `auto` tries them.
pub const CATALOGUE: &[Entry] = &[
    entry::<Lda>(),
    entry::<Parzen>(),
    entry::<L1Dkf>(),
    with_posterior::<Kos>(),
    entry::<L2qp>(),
    with_posterior::<Mkda>(),
    with_posterior::<Klr>(),
    with_posterior::<Smkda>(),
    entry::<Sieve>(),
    entry::<Fivm>(),
    entry::<SparseKos>(),
    entry::<L2le>(),
];

const fn entry<M: Method>() -> Entry {
    Entry {
        about: &M::ABOUT,
        build: |given| Ok(Box::new(M::from_given(given)?)),
    }
}

/// A method whose kernel may be the discriminant kernel of class posteriors.
const fn with_posterior<M: WithPosterior>() -> Entry {
    Entry {
        about: &M::ABOUT,
        build: |given| match given.get("posterior") {
            None | Some(Value::Null) => Ok(Box::new(M::from_given(given)?)),
            Some(_) => Ok(Box::new(Discriminant::<M>::from_given(given)?)),
        },
    }
}

/// A method with its parameters, built from what was given by id.
pub struct Made {
    /// The method.
    pub method: Box<dyn AnyMethod>,
    /// Parameters that were given and that it does not use, by the names that were given.
    pub unused: Vec<String>,
}

impl Made {
    /// Trains the method, and says which parameters it does not use.
    pub fn train(
        &self,
        data: &Dataset,
        schema: &Schema,
        protocol: &Protocol,
        control: &Control,
    ) -> Result<Trained> {
        Ok(self.with_unused(self.method.train(data, schema, protocol, control)?))
    }

    /// The same on rows that are summed over, of which some are at hand.
    pub fn train_streamed(
        &self,
        some: &Dataset,
        schema: &Schema,
        all: &mut dyn AllRows,
        protocol: &Protocol,
        control: &Control,
    ) -> Result<Trained> {
        let trained = self
            .method
            .train_streamed(some, schema, all, protocol, control)?;
        Ok(self.with_unused(trained))
    }

    fn with_unused(&self, mut trained: Trained) -> Trained {
        if !self.unused.is_empty() {
            let notice = Notice::Unused {
                method: self.method.about().name.into(),
                params: self.unused.clone(),
            };
            trained.notices.insert(0, notice);
        }
        trained
    }
}

/// The method of this name in the catalogue.
pub fn find(name: &str) -> Result<&'static Entry> {
    let found = CATALOGUE.iter().find(|e| e.about.name == name);
    found.ok_or_else(|| {
        Error::Data(format!(
            "unknown method '{name}'; the methods are {}",
            names().join(", ")
        ))
    })
}

/// The names of all methods in alphabetical order.
pub fn names() -> Vec<&'static str> {
    let mut names: Vec<&str> = CATALOGUE.iter().map(|e| e.about.name).collect();
    names.sort_unstable();
    names
}

/// The parameters that any method has, with the methods that have each; those of the protocol come
/// last, with no methods named. Parameters with the same id but different meanings are listed next
/// to each other.
pub fn params() -> Vec<(Param, Vec<&'static str>)> {
    let mut all: Vec<(Param, Vec<&'static str>)> = Vec::new();
    for about in CATALOGUE.iter().map(|e| e.about) {
        for param in about.params {
            let same = |(p, _): &&mut (Param, Vec<&str>)| p.id == param.id && p.help == param.help;
            match all.iter_mut().find(same) {
                Some((_, methods)) => methods.push(about.name),
                None => all.push((*param, vec![about.name])),
            }
        }
    }
    all.iter_mut()
        .for_each(|(_, methods)| methods.sort_unstable());
    all.extend(PROTOCOL.iter().map(|p| (*p, vec![])));
    all
}

impl Entry {
    /// The method built from parameters by id, and those of them that it does not use.
    pub fn make(&self, given: &Params) -> Result<Made> {
        let mut given = given.clone();
        // Shorthand for the posteriors of the paper.
        if given.get("kernel").and_then(Value::as_str) == Some("discriminant") {
            given.remove("kernel");
            given.entry("posterior").or_insert("l1".into());
        }
        self.check_posterior(&given)?;
        let method = (self.build)(&given).map_err(|e| e.of(self.about.name))?;
        let used = method.params();
        let unused = given
            .iter()
            .filter(|(_, value)| !value.is_null())
            .map(|(id, _)| id)
            .filter(|id| {
                let own = self.about.param(id).map_or(id.as_str(), |p| p.id);
                !used.contains_key(own)
            });
        Ok(Made {
            unused: unused.cloned().collect(),
            method,
        })
    }

    /// A method that needs the features themselves cannot have a kernel without them.
    fn check_posterior(&self, given: &Params) -> Result<()> {
        let asked = given.get("posterior").and_then(Value::as_str);
        let (Some(posterior), None) = (asked, self.about.param("posterior")) else {
            return Ok(());
        };
        let able = CATALOGUE.iter().map(|e| e.about);
        let mut able: Vec<&str> = able
            .filter(|a| a.param("posterior").is_some())
            .map(|a| a.name)
            .collect();
        able.sort_unstable();
        Err(Error::Data(format!(
            "{} needs the features themselves and cannot have a discriminant kernel \
             (`posterior={posterior}`); {} can",
            self.about.name,
            able.join(", ")
        )))
    }
}

/// The method of a model, from its record.
pub fn method_of(model: &Model) -> Result<Made> {
    let record = &model.record;
    let entry = find(&record.method)?;
    let mut params = record.options.params.clone();
    let own = |id: &String| entry.about.param(id).is_some();
    if !params.keys().all(own) {
        // An older file, with the parameters of all methods: a word that this one does not know was
        // meant for another, and the parameter came to this method later.
        params.retain(|id, value| {
            let known = |p: &Param| value.is_null() || p.check(value).is_ok();
            entry.about.param(id).is_none_or(known)
        });
    }
    entry.make(&params)
}

/// The method and the setting of a model, for a fit without a search. Parameters that are given make
/// it smaller, or replace those of the model.
pub fn like(model: &Model, given: &Params) -> Result<Made> {
    let record = &model.record;
    let entry = find(&record.method)?;
    if record.method != Sieve::ABOUT.name {
        return Err(Error::Data(format!(
            "only models of {} can be made smaller without a search; this is one of {}",
            Sieve::ABOUT.name,
            record.method
        )));
    }
    let mut params = record.options.params.clone();
    params.extend(given.clone());
    let setting = serde_json::to_value(&record.setting)
        .map_err(|e| Error::ModelFile(format!("its setting is damaged: {e}")))?;
    params.insert("like".into(), setting);
    entry.make(&params)
}

/// Out-of-fold probabilities of every row that a model was trained on, with its setting:
/// [`AnyMethod::out_of_fold`].
pub fn out_of_fold(
    trained: &Trained,
    data: &Dataset,
    control: &Control,
) -> Result<Option<Vec<Option<Vec<f64>>>>> {
    let made = method_of(&trained.model)?;
    let known = trained.out_of_fold.clone();
    made.method
        .out_of_fold(&trained.model, known, data, control)
}

/// What shuffling each feature costs on rows that a fit has not seen, with the setting of a model
/// and the data that it was trained on: [`AnyMethod::importances`]. Training does not measure it,
/// since most fits of a comparison or a choice are thrown away; `model.record.importances` has a
/// place for it.
pub fn importances(model: &Model, data: &Dataset, control: &Control) -> Result<Vec<Importance>> {
    method_of(model)?.method.importances(model, data, control)
}

/// The error of the setting of a model when fits see fewer of the rows that it was trained on:
/// [`AnyMethod::learning_curve`].
pub fn learning_curve(
    model: &Model,
    data: &Dataset,
    control: &Control,
) -> Result<Vec<LearningPoint>> {
    method_of(model)?
        .method
        .learning_curve(model, data, control)
}

/// Which methods are candidates.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Among {
    /// A few fast ones.
    #[default]
    First,
    /// All that are not left to be named.
    Thorough,
    /// These, by name.
    Named(Vec<String>),
}

impl Among {
    fn has(&self, about: &About) -> bool {
        match self {
            Self::First => about.auto == Candidacy::First,
            Self::Thorough => about.auto != Candidacy::Never,
            Self::Named(names) => names.iter().any(|n| n == about.name),
        }
    }
}

/// The methods that [`train_auto`] chooses among: the candidates that accept the given parameters
/// and use all of them. If none of the first does, others that do are. An error if there is none.
pub fn contest(given: &Params, among: &Among) -> Result<Contest> {
    if let Among::Named(names) = among {
        names.iter().try_for_each(|name| find(name).map(drop))?;
    }
    match contest_among(given, among) {
        Err(_) if *among == Among::First => contest_among(given, &Among::Thorough),
        other => other,
    }
}

fn contest_among(given: &Params, among: &Among) -> Result<Contest> {
    let mut contest = Contest::default();
    let (mut refusal, mut unused) = (None, Vec::new());
    for entry in CATALOGUE.iter().filter(|e| among.has(e.about)) {
        let name = entry.about.name;
        match entry.make(given) {
            Err(e) => {
                contest.left_out.push((name, e.to_string()));
                refusal = refusal.or(Some(e));
            }
            Ok(made) if made.unused.is_empty() => contest.methods.push(made.method),
            Ok(made) => {
                let words: Vec<String> = made.unused.iter().map(|id| format!("`{id}`")).collect();
                // A method that ignores a given parameter is left out.
                let why = format!("does not use {}", words.join(", "));
                contest.left_out.push((name, why));
                unused.extend(words);
            }
        }
    }
    if !contest.methods.is_empty() {
        return Ok(contest);
    }
    unused.sort_unstable();
    unused.dedup();
    match refusal {
        Some(e) if unused.is_empty() => Err(e),
        _ => Err(Error::Data(format!(
            "no method of auto uses all options given ({}); leave some out, or name a method",
            unused.join(", ")
        ))),
    }
}

/// Tunes every method that accepts the parameters, and returns the model of the chosen one;
/// `model.record.auto` lists the others.
pub fn train_auto(
    given: &Params,
    among: &Among,
    data: &Dataset,
    schema: &Schema,
    protocol: &Protocol,
    budget: Option<Duration>,
    control: &Control,
) -> Result<Trained> {
    run_contest(
        &contest(given, among)?,
        data,
        schema,
        protocol,
        budget,
        control,
    )
}

/// Rows at hand on which methods are compared, at most, where the rows are summed over.
const CONTEST_ROWS: usize = 7500;

/// They are not made fewer than this for lack of memory.
const FEWEST_ROWS: usize = 1000;

/// The same on rows that are summed over: of the methods that can be fitted so, the one that is best
/// on some of the rows at hand.
pub fn train_auto_streamed(
    contest: &Contest,
    some: &Dataset,
    schema: &Schema,
    all: &mut dyn AllRows,
    protocol: &Protocol,
    budget: Option<Duration>,
    control: &Control,
) -> Result<Trained> {
    let methods = contest.methods.iter().map(AsRef::as_ref);
    let (able, others): (Vec<&dyn AnyMethod>, Vec<_>) = methods.partition(|m| m.streams());
    let again = |m: &dyn AnyMethod| find(m.about().name)?.make(&m.params());
    let mut shorter = Contest::default();
    for method in &able {
        shorter.methods.push(again(*method)?.method);
    }
    shorter.left_out.clone_from(&contest.left_out);
    let why = "needs all rows at once";
    let names = others.iter().map(|m| m.about().name);
    shorter.left_out.extend(names.map(|n| (n, why.to_string())));
    if shorter.methods.is_empty() {
        return Err(Error::Data(format!(
            "none of these methods can be fitted to rows that are read in passes: {}",
            others
                .iter()
                .map(|m| m.about().name)
                .collect::<Vec<_>>()
                .join(", ")
        )));
    }
    let limit = control.memory_bytes();
    let mut most = CONTEST_ROWS;
    while most > 2 * FEWEST_ROWS && !able.iter().all(|m| m.memory(most) <= limit) {
        most /= 2;
    }
    let rows = stratified_sample(some.labels(), most, protocol.seed);
    let few = some.select(&rows)?;
    let chosen = run_contest(&shorter, &few, schema, protocol, budget, control)?;
    let name = &chosen.model.record.method;
    let winner = shorter.methods.iter().find(|m| m.about().name == name);
    let winner = winner.ok_or_else(|| Error::Data(format!("{name} is not in the contest")))?;
    let mut trained = winner.train_streamed(some, schema, all, protocol, control)?;
    trained.model.record.auto = chosen.model.record.auto;
    trained.tune_seconds += chosen.tune_seconds + chosen.fit_seconds;
    Ok(trained)
}
