//! Facts about methods that are not stored in a model.

use kernsieve::catalogue;
use kernsieve::method::Outputs;

/// The title of a density, which is not a method of the catalogue.
const DENSITY: (&str, &str) = ("density", "L2 kernel density, few samples retained");

/// A method by name, and what is known of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Method<'m> {
    /// Its name on the command line.
    pub name: &'m str,
    /// What it is, in a few words; empty for a name that is not known.
    pub title: &'static str,
    /// How it lists the rows that it retains.
    pub listing: Listing,
    /// The name of its outputs.
    pub outputs: &'static str,
}

/// How retained rows are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Listing {
    /// In no order that means anything.
    Unordered,
    /// By their weight.
    HeaviestFirst,
    /// As they were selected, where the number of them was a setting.
    BySelection,
}

/// The facts about a method.
pub fn method(name: &str) -> Method<'_> {
    let about = catalogue::find(name).ok().map(|e| e.about);
    let is_density = name == DENSITY.0;
    let sparse_density = about.is_some_and(|a| {
        a.outputs == Outputs::LogDensities && a.sparse == kernsieve::method::Sparse::Samples
    });
    Method {
        name,
        title: match about {
            Some(about) => about.title,
            None if is_density => DENSITY.1,
            None => "",
        },
        listing: match (is_density, sparse_density) {
            (true, _) => Listing::HeaviestFirst,
            (_, true) => Listing::Unordered,
            _ => Listing::BySelection,
        },
        outputs: match about.map(|a| a.outputs) {
            Some(Outputs::Scores) => "discriminant scores",
            _ => "canonical variates",
        },
    }
}
