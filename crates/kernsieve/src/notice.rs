//! Things a user should know about a fit that went well.
//!
//! A [`Notice`] is a fact. Its `Display` is a sentence that names parameters in backticks; front
//! ends spell these in their own way ([`crate::params::written`]), or use their own sentence.

use std::fmt;

/// A thing the user should know.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Notice {
    /// Features that are constant on the training rows and left out.
    ConstantFeatures(Vec<String>),
    /// Row weights so small that they look like shares; holds their mean.
    SmallWeights(f64),
    /// Classes with a single row.
    SingleRowClasses(Vec<String>),
    /// Classes whose rows are all in one block.
    OneBlockClasses(Vec<String>),
    /// Parameters that were given but are not used by the method, by id.
    Unused {
        /// The method's name.
        method: String,
        /// Ids of the parameters.
        params: Vec<String>,
    },
    /// More canonical variates were asked for than there are.
    FewerComponents {
        /// How many were asked for.
        asked: usize,
        /// Classes.
        classes: usize,
    },
    /// Something was tuned on a sample of the rows.
    TunedOnSample {
        /// What was tuned.
        what: Tuned,
        /// Rows of the sample.
        rows: usize,
        /// All rows.
        of: usize,
    },
    /// Settings were chosen on rows that were held out once.
    HeldOutOnce {
        /// Rows held out.
        rows: usize,
        /// Rows that were fitted meanwhile.
        fitted: usize,
        /// All rows.
        of: usize,
    },
    /// All rows were summed over, and settings tuned on some of them.
    Streamed {
        /// Rows that were at hand.
        some: usize,
        /// All rows.
        of: u64,
    },
    /// The regressions behind the posteriors have not converged.
    RegressionsNotConverged,
    /// A closed form whose equations do not hold because of rounding.
    Inexact {
        /// The residual.
        residual: f64,
        /// Whether there is a ridge to increase; otherwise the bandwidth is too large.
        has_ridge: bool,
    },
    /// Singular equations, solved by the pseudo-inverse.
    PseudoInverse {
        /// The condition number.
        condition: f64,
        /// Directions that are resolved.
        rank: usize,
        /// Equations.
        of: usize,
    },
    /// Feature weights that are not stationary: one would still move by about this much.
    NotStationary(f64),
    /// Fewer samples are retained than asked for.
    FewerSamples {
        /// Retained.
        kept: usize,
        /// Asked for.
        asked: usize,
    },
    /// Which of several starts gave the least objective.
    BestStart {
        /// 0 is the path, 1 all ones, then random ones.
        start: usize,
        /// Their number.
        of: usize,
    },
    /// No feature has a weight.
    NoFeature {
        /// Whether the user fixed the penalty.
        fixed: bool,
    },
    /// The kernel is not positive definite.
    IndefiniteKernel,
    /// The smallest bandwidth of a density that was tried is the best.
    SmallestBandwidth,
    /// A threshold does not reach what was asked for.
    ThresholdMisses {
        /// Of what.
        what: &'static str,
        /// What was asked for.
        wanted: f64,
        /// What it reaches on held-out rows.
        reached: f64,
    },
    /// Probabilities lean on the shares of the classes, which predict held-out rows better than the
    /// scores of the model.
    SharesInBlend,
    /// The error is not below that of always saying the largest class by more than its standard
    /// error.
    NoBetterThanBaseline {
        /// The error to expect.
        error: f64,
        /// That of the largest class.
        baseline: f64,
        /// The largest class.
        class: String,
        /// Whether rows are ordered better than by chance all the same.
        orders: Option<f64>,
    },
    /// Classes that are never predicted on held-out rows.
    NeverPredicted(Vec<String>),
    /// What is asked of the positive class is asked of the common one, as no class was named.
    CommonPositive {
        /// The positive class.
        positive: String,
        /// The other one.
        rare: String,
    },
    /// The chosen model was fitted on some of the rows.
    FittedOnSample {
        /// Rows that were used.
        rows: usize,
        /// All rows.
        of: usize,
    },
}

/// What was tuned on a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tuned {
    /// All settings.
    Settings,
    /// The bandwidth.
    Bandwidth,
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ConstantFeatures(names) => write!(
                f,
                "{} constant and left out: {}",
                count(names.len(), "feature is", "features are"),
                list(names)
            ),
            Self::SmallWeights(mean) => write!(
                f,
                "the weights have mean {mean:.2e}: a weight of 1 counts as one row, so the data \
                 count as few rows; multiply the weights if they are shares"
            ),
            Self::SingleRowClasses(names) => write!(
                f,
                "{} one row only, which cross-validation cannot both train on and test: {}",
                count(names.len(), "class has", "classes have"),
                list(names)
            ),
            Self::OneBlockClasses(names) => write!(
                f,
                "{} all rows in one block, which cross-validation cannot both train on and test: \
                 {}",
                count(names.len(), "class has", "classes have"),
                list(names)
            ),
            Self::Unused { method, params } => {
                let params: Vec<String> = params.iter().map(|p| format!("`{p}`")).collect();
                write!(
                    f,
                    "not used by {method} with these options: {}",
                    params.join(", ")
                )
            }
            Self::FewerComponents { asked, classes } => {
                let most = classes.saturating_sub(1).max(1);
                write!(
                    f,
                    "`components={asked}`: {classes} classes have {}",
                    count(
                        most,
                        "canonical variate, which is kept",
                        "canonical variates, which are kept"
                    )
                )
            }
            Self::TunedOnSample { what, rows, of } => {
                let what = match what {
                    Tuned::Settings => "settings are",
                    Tuned::Bandwidth => "the bandwidth is",
                };
                write!(f, "{what} tuned on {rows} of the {of} rows")
            }
            Self::HeldOutOnce { rows, fitted, of } => write!(
                f,
                "settings are tuned, and the error to expect is measured, on {rows} of the {of} \
                 rows that a fit to {fitted} others has not seen"
            ),
            Self::Streamed { some, of } if *some as u64 == *of => {
                f.write_str("the rows were read in passes, and all of them were tuned on")
            }
            Self::Streamed { some, of } => write!(
                f,
                "the rows were read in passes: columns and settings are learnt from {some} of the \
                 {of} rows, drawn at random; scaling and coefficients have seen all of them"
            ),
            Self::RegressionsNotConverged => f.write_str(
                "the regressions behind the posteriors have not quite converged; increase \
                 `sparsity`",
            ),
            Self::Inexact {
                residual,
                has_ridge,
            } => write!(
                f,
                "the solution misses its own equations by {residual:.1e}: the kernel matrix is too \
                 ill-conditioned; {}",
                match has_ridge {
                    true => "increase `ridge`",
                    false => "reduce `bandwidth`",
                }
            ),
            Self::NotStationary(step) => write!(
                f,
                "the weights of the features are not quite stationary: one of them would still \
                 move by about {step:.0e}"
            ),
            Self::PseudoInverse {
                condition,
                rank,
                of,
            } => write!(
                f,
                "the equations have condition number {condition:.0e}, more than double precision \
                 allows: the pseudo-inverse solves them in {rank} of {of} directions; a `ridge` \
                 above 0 uses all, a smaller `bandwidth` makes more of them count"
            ),
            Self::FewerSamples { kept, asked } => write!(
                f,
                "{kept} of the {asked} samples asked for are retained: the others add nothing that \
                 these do not say already"
            ),
            Self::BestStart { start, of } => {
                write!(f, "of {of} starts ")?;
                match start {
                    0 => f.write_str("the end of the path")?,
                    1 => f.write_str("the one from weights of 1")?,
                    k => write!(f, "random start {}", k - 1)?,
                }
                f.write_str(" gave the least objective")
            }
            Self::NoFeature { fixed: true } => f.write_str(
                "no feature is kept: with this penalty nothing beats the class priors; a smaller \
                 `sparsity` keeps some",
            ),
            Self::NoFeature { fixed: false } => f.write_str(
                "no feature is kept: nothing that was tried beats the class priors in \
                 cross-validation",
            ),
            Self::IndefiniteKernel => f.write_str(
                "this kernel is not positive definite: the negative part of its matrix is left out",
            ),
            Self::SmallestBandwidth => f.write_str(
                "the smallest bandwidth that was tried is the best: rows that repeat each other, \
                 or rounded values, look like spikes; `criterion=likelihood`, a given `bandwidth`, \
                 or equal rows merged into one with a weight may help",
            ),
            Self::ThresholdMisses {
                what,
                wanted,
                reached,
            } => write!(
                f,
                "no threshold reaches a {what} of {wanted} on held-out rows; the one taken has \
                 {reached:.3}"
            ),
            Self::SharesInBlend => f.write_str(
                "the scores predict held-out rows no better than the shares of the classes, so \
                 the probabilities lean on these shares, and the predicted classes with them",
            ),
            Self::NoBetterThanBaseline {
                error,
                baseline,
                class,
                orders,
            } => {
                write!(
                    f,
                    "the error to expect, {:.2} %, is not clearly below the {:.2} % of always \
                     saying '{class}'",
                    100.0 * error,
                    100.0 * baseline
                )?;
                match orders {
                    Some(auc) => write!(
                        f,
                        ", though rows are ordered better than by chance (AUC {auc:.2}): see \
                         `threshold`, `costs` and `score`"
                    ),
                    None => Ok(()),
                }
            }
            Self::NeverPredicted(names) => write!(
                f,
                "{} never predicted on held-out rows: {}; `costs`, `priors` or a `threshold` \
                 (two classes) change that",
                count(names.len(), "class is", "classes are"),
                list(names)
            ),
            Self::CommonPositive { positive, rare } => write!(
                f,
                "F1, precision and recall are those of '{positive}', the second class, and most \
                 rows are of it; `positive={rare}` is about the other one"
            ),
            Self::FittedOnSample { rows, of } => write!(
                f,
                "there was no time, or no room, for all rows: the model is fitted on {rows} of {of}"
            ),
        }
    }
}

fn count(n: usize, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}

/// The first few of a list.
fn list(names: &[String]) -> String {
    const SHOWN: usize = 8;
    let mut text = names[..names.len().min(SHOWN)].join(", ");
    if names.len() > SHOWN {
        text.push_str(&format!(", ... ({} more)", names.len() - SHOWN));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_and_many() {
        let names = |n: usize| (0..n).map(|k| format!("f{k}")).collect::<Vec<_>>();
        let text = |n: usize| Notice::ConstantFeatures(names(n)).to_string();
        assert_eq!(text(1), "1 feature is constant and left out: f0");
        assert!(text(10).ends_with("f7, ... (2 more)"), "{}", text(10));
        let most = |asked, classes| Notice::FewerComponents { asked, classes }.to_string();
        assert_eq!(
            most(5, 3),
            "`components=5`: 3 classes have 2 canonical variates, which are kept"
        );
    }
}
