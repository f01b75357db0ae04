//! Facts about methods that no model carries with it.

/// A method by name, and what is known of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Method<'m> {
    /// Its name on the command line.
    pub name: &'m str,
    /// What it is, in a few words; empty for a name that is not known.
    pub title: &'static str,
    /// How it lists the rows that it retains.
    pub listing: Listing,
    /// What the outputs that it makes of a row are called.
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

/// The facts about a method. The only place that asks for names.
pub fn method(name: &str) -> Method<'_> {
    let title = match name {
        "lda" => "linear discriminant analysis",
        "mkda" => "kernel discriminant analysis with a ridge",
        "smkda" => "sparse kernel discriminant analysis, few samples retained",
        "kos" => "kernel optimal scoring",
        "sparse-kos" => "kernel optimal scoring with feature weights, useless ones dropped",
        "klr" => "kernel logistic regression",
        "l2qp" => "difference of kernel densities, few samples retained",
        "density" => "L2 kernel density, few samples retained",
        "l2le" => "difference of kernel densities, unconstrained",
        "l1-dkf" => "discriminant analysis with the kernel of class posteriors",
        "fivm" => "kernel logistic regression on features imported one at a time",
        "parzen" => "plug-in kernel densities",
        _ => "",
    };
    let listing = match name {
        "l2qp" => Listing::Unordered,
        "density" => Listing::HeaviestFirst,
        _ => Listing::BySelection,
    };
    let outputs = match name {
        "kos" | "sparse-kos" => "discriminant scores",
        _ => "canonical variates",
    };
    Method {
        name,
        title,
        listing,
        outputs,
    }
}
