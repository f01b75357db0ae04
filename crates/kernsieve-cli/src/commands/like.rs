//! `kernsieve fit --like`: the method and the setting of a saved model, without a search.

use crate::args::MethodParams;
use crate::failure::Failure;
use crate::view::words::{first_of, in_words};
use kernsieve::catalogue::{self, Made};
use kernsieve::data::Schema;
use kernsieve::model::Model;
use kernsieve::params::{Prefer, Protocol, Rule};
use kernsieve_io::Source;
use std::path::Path;

/// Parts of a setting that are taken as they are.
const TAKEN: [&str; 4] = ["kernel", "linear", "rounds", "ridge"];

/// The method of a model with its setting; options make it smaller.
pub fn method(model: &Model, path: &Path, options: &MethodParams) -> Result<Made, Failure> {
    let refused = |e: kernsieve::Error| {
        let words = in_words(&e.to_string());
        Failure::CouldNot(format!("{}: {words}", path.display()))
    };
    let made = catalogue::like(model, &options.given).map_err(refused)?;
    if let Some(id) = TAKEN.iter().find(|id| options.given.contains_key(**id)) {
        return Err(taken(id, "is part of the setting"));
    }
    let Protocol {
        standardize,
        prepare,
        score,
        prefer,
        rule,
        ..
    } = options.protocol;
    for (is_given, id) in [
        (prepare.is_some(), "prepare"),
        (!standardize, "no-standardize"),
    ] {
        if is_given {
            return Err(taken(id, "is part of the setting"));
        }
    }
    for (is_given, id) in [
        (score.is_some(), "score"),
        (prefer != Prefer::Accuracy, "prefer"),
        (rule != Rule::Min, "rule"),
    ] {
        if is_given {
            return Err(taken(id, "chooses the setting"));
        }
    }
    Ok(made)
}

/// An option that has no place beside a setting that is there.
fn taken(id: &str, what: &str) -> Failure {
    Failure::Usage(format!(
        "--{id} {what} that --like takes; leave out one of them"
    ))
}

/// The data must have the columns of the model, in any order.
pub fn check_columns(
    own: &Schema,
    path: &Path,
    source: &Source,
    schema: &Schema,
) -> Result<(), Failure> {
    let lacks = without(own, schema);
    let more = without(schema, own);
    let differ = match (lacks.is_empty(), more.is_empty()) {
        (true, true) => return Ok(()),
        (false, true) => format!("it lacks {}", listed(&lacks)),
        (true, false) => format!("it also has {}", listed(&more)),
        _ => format!("it lacks {} and has {}", listed(&lacks), listed(&more)),
    };
    Err(Failure::CouldNot(format!(
        "{source} has not the columns of {}: {differ}; --drop leaves columns out, and a fit \
         without --like needs no model",
        path.display()
    )))
}

/// Names of the columns of one that the other does not have.
fn without(one: &Schema, other: &Schema) -> Vec<String> {
    let is_there = |name: &str| other.columns.iter().any(|c| c.name == name);
    let names = one.columns.iter().map(|c| c.name.as_str());
    names
        .filter(|n| !is_there(n))
        .map(|n| format!("'{n}'"))
        .collect()
}

fn listed(names: &[String]) -> String {
    first_of(names, names.len(), 60)
}
