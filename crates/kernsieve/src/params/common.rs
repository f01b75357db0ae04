//! Parameters that several methods have, each with one meaning.

use super::{Fallback, Kind, Param, Range};

pub use super::kernel::{BANDWIDTHS, DEGREE, SHIFT, SLOPE};

/// A fixed squared-norm penalty.
pub const RIDGE: Param = Param::new(
    "ridge",
    Kind::Number {
        range: Range::Positive,
        letter: "G",
    },
    Fallback::Absent("tuned"),
    "Squared-norm penalty",
)
.usual();

/// Squared-norm penalties to choose among.
pub const RIDGES: Param = Param::new(
    "ridges",
    Kind::Grid {
        range: Range::Positive,
        letter: "G",
    },
    Fallback::Absent("tuned"),
    "Squared-norm penalty, lambda",
)
.usual();

/// How the ridge of kernel optimal scoring is found.
pub const RIDGE_RULE: Param = Param::new(
    "ridge_rule",
    Kind::Word(&["stabilization", "stabilization-literal", "gcv", "cv"], ""),
    Fallback::Word("stabilization"),
    "How the ridge is found when it is not given: by shrinkage of the Gram matrix (the second as \
     printed in the paper), by generalised cross-validation, or by cross-validation",
);

/// Mahalanobis distance in kernel optimal scoring.
pub const MAHALANOBIS: Param = Param::new(
    "mahalanobis",
    Kind::Off,
    Fallback::Kind,
    "Measure the distance to the centroids in the within-class covariance",
);

/// Canonical variates that are kept.
pub const COMPONENTS: Param = Param::new(
    "components",
    Kind::Count {
        least: 1,
        most: u64::MAX,
        letter: "K",
    },
    Fallback::Absent("number of classes - 1"),
    "Canonical variates to keep",
);

/// The metric of linear discriminant analysis.
pub const METRIC: Param = Param::new(
    "metric",
    Kind::Word(&["within", "total"], ""),
    Fallback::Word("within"),
    "Covariance in which the nearest mean is found; total (with uniform `priors`) is the rule of \
     Hidaka & Kurita",
);

/// The largest number of samples in a logistic regression.
pub const IMPORT_VECTORS: Param = Param::new(
    "max_support",
    Kind::Count {
        least: 1,
        most: u64::MAX,
        letter: "N",
    },
    Fallback::Absent("all"),
    "Keep at most N samples in the model",
)
.usual();

/// Whether folds vote on the features.
pub const VOTE: Param = Param::new(
    "vote",
    Kind::On("no-vote"),
    Fallback::Kind,
    "Let the folds vote on the features",
);

/// The posteriors of a discriminant kernel.
pub const POSTERIOR: Param = Param::new(
    "posterior",
    Kind::Word(&["l1", "logistic", "klr", "parzen"], ""),
    Fallback::Absent("none"),
    "Use the discriminant kernel of these class posteriors as the kernel; klr and parzen \
     posteriors use `kernel` themselves",
)
.usual();

/// Penalty on the coefficients of linear posteriors.
pub const POSTERIOR_SPARSITY: Param = Param::new(
    "sparsity",
    Kind::Number {
        range: Range::NotNegative,
        letter: "L",
    },
    Fallback::Absent("tuned"),
    "L1 penalty on the coefficients of l1 and logistic posteriors, lambda",
)
.usual();

/// Share of the L1 norm in that penalty.
pub const L1_RATIO: Param = Param::new(
    "l1_ratio",
    Kind::Number {
        range: Range::Unit,
        letter: "R",
    },
    Fallback::Number(1.0),
    "Share of the L1 norm in the penalty of l1 and logistic posteriors; the rest is half the \
     squared norm (elastic net; 0 is ridge regression)",
);

/// How regression outputs become posteriors.
pub const SIMPLEX: Param = Param::new(
    "simplex",
    Kind::Word(&["clip", "project", "softmax", "none"], ""),
    Fallback::Word("clip"),
    "How the outputs of l1 posteriors are mapped to the simplex; none leaves them as they are",
);

/// Smoothing of the target of L2 kernel classification.
pub const SMOOTHING: Param = Param::new(
    "smoothing",
    Kind::Number {
        range: Range::NotNegative,
        letter: "K",
    },
    Fallback::Number(0.0),
    "Smoothing of the target in the Fourier domain, the k of L2QP-k",
);

/// Weight of the first density against the second.
pub const CLASS_RATIO: Param = Param::new(
    "class_ratio",
    Kind::Number {
        range: Range::Positive,
        letter: "G",
    },
    Fallback::Absent("ratio of the priors"),
    "Two classes: weight of the first density against the second, gamma",
);

/// Landmarks.
pub const LANDMARKS: Param = Param::new(
    "candidates",
    Kind::Count {
        least: 2,
        most: u64::MAX,
        letter: "M",
    },
    Fallback::Absent("all"),
    "Functions of only M samples, drawn by class, to handle many rows",
);
