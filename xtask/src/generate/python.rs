//! The scikit-learn estimators: one file per method. scikit-learn needs the parameters of a
//! constructor written out, and editors need docstrings to show.

use super::{Page, name_in_python, wrapped};
use kernsieve::catalogue::CATALOGUE;
use kernsieve::method::{About, Outputs};
use kernsieve::params::{Fallback, Kind, PROTOCOL, Param, written};

const WIDTH: usize = 98;

/// A parameter of a constructor.
struct Parameter {
    name: String,
    kind: String,
    default: String,
    meaning: String,
}

/// All files of the estimators.
pub fn pages() -> Vec<Page> {
    let mut abouts: Vec<&About> = CATALOGUE.iter().map(|e| e.about).collect();
    abouts.sort_by_key(|a| a.class);
    let mut pages: Vec<Page> = abouts.iter().map(|a| estimator(a)).collect();
    pages.push(index(&abouts));
    pages
}

fn module(about: &About) -> String {
    about.name.replace('-', "_")
}

fn index(abouts: &[&About]) -> Page {
    let mut text = String::from(
        "\"\"\"The methods, one small class each.\n\nGenerated from the catalogue of methods by \
         `cargo xtask generate`: edit that, not this.\n\"\"\"\n\n",
    );
    let mut modules: Vec<String> = abouts
        .iter()
        .map(|a| format!("from .{} import {}\n", module(a), a.class))
        .collect();
    modules.sort();
    text.push_str(&modules.concat());
    text.push_str("\n__all__ = [\n");
    for about in abouts {
        text.push_str(&format!("    \"{}\",\n", about.class));
    }
    text.push_str("]\n");
    Page {
        path: "python/kernsieve/_methods/__init__.py".into(),
        text,
    }
}

fn estimator(about: &About) -> Page {
    let (base, file) = match about.outputs {
        _ if about.shrinks => ("KernsieveSieve", "_sieve"),
        Outputs::Variates | Outputs::Scores => ("KernsieveDiscriminant", "_base"),
        Outputs::Logits | Outputs::LogDensities => ("KernsieveClassifier", "_base"),
    };
    let title = capital(about.title);
    let parameters = parameters(about);
    let mut text = format!(
        "\"\"\"{title}.\n\nGenerated from the catalogue of methods by `cargo xtask generate`: edit \
         that, not this.\n\"\"\"\n\nfrom __future__ import annotations\n\nfrom ..{file} import \
         {base}\n\n\nclass {}({base}):\n    \"\"\"{title}.\n\n",
        about.class
    );
    let summary = format!("{} [{}]", in_python(about.summary), about.paper);
    text.push_str(&wrapped(&summary, WIDTH, "    "));
    text.push_str("\n\n    Parameters\n    ----------\n");
    for p in &parameters {
        text.push_str(&format!(
            "    {} : {}, default={}\n",
            p.name, p.kind, p.default
        ));
        text.push_str(&wrapped(&p.meaning, WIDTH, "        "));
        text.push('\n');
    }
    text.push_str("\n    Attributes\n    ----------\n");
    let own: &[_] = if about.shrinks { MEASURED } else { &[] };
    for (name, kind, meaning) in ATTRIBUTES.iter().chain(own) {
        text.push_str(&format!("    {name} : {kind}\n"));
        text.push_str(&wrapped(meaning, WIDTH, "        "));
        text.push('\n');
    }
    text.push_str(&example(about));
    text.push_str(&format!("    \"\"\"\n\n    _method = \"{}\"\n", about.name));
    text.push_str(&facts(about, base));
    text.push_str("\n    def __init__(\n        self,\n        *,\n");
    for p in &parameters {
        text.push_str(&format!("        {}={},\n", p.name, p.default));
    }
    text.push_str("    ):\n");
    for p in &parameters {
        text.push_str(&format!("        self.{0} = {0}\n", p.name));
    }
    Page {
        path: format!("python/kernsieve/_methods/{}.py", module(about)),
        text,
    }
}

/// What differs from the base class.
fn facts(about: &About, base: &str) -> String {
    let mut text = String::new();
    if about.precomputed {
        text.push_str("    _takes_precomputed = True\n");
    }
    if about.class_weight_is_cost && base != "KernsieveDiscriminant" {
        text.push_str("    _class_weight_is_cost = True\n");
    }
    let several: Vec<String> = about
        .params
        .iter()
        .filter_map(Param::singular)
        .map(|name| format!("\"{name}\""))
        .collect();
    match several.as_slice() {
        [one] if one == "\"bandwidth\"" => {}
        [] => text.push_str("    _one_or_more = ()\n"),
        [one] => text.push_str(&format!("    _one_or_more = ({one},)\n")),
        all => text.push_str(&format!("    _one_or_more = ({})\n", all.join(", "))),
    }
    text
}

fn example(about: &About) -> String {
    let class = about.class;
    format!(
        "
    Examples
    --------
    >>> from kernsieve import {class}
    >>> from sklearn.datasets import make_moons
    >>> X, y = make_moons(100, noise=0.2, random_state=0)
    >>> model = {class}().fit(X, y)
    >>> bool(model.score(X, y) > 0.8)
    True
"
    )
}

fn parameters(about: &About) -> Vec<Parameter> {
    let mut all: Vec<Parameter> = about.params.iter().map(|p| parameter(p, about)).collect();
    for param in PROTOCOL {
        match param.id {
            "calibrate" if !about.calibrated => continue,
            _ => all.push(parameter(param, about)),
        }
        match param.id {
            "costs" if about.class_weight_is_cost => all.push(CLASS_WEIGHT_AS_COST.parameter()),
            "costs" => all.push(CLASS_WEIGHT.parameter()),
            "folds" => {
                let importances = match about.shrinks {
                    true => MEASURES,
                    false => IMPORTANCES,
                };
                all.extend([CV, ESTIMATE, importances].map(Own::parameter));
            }
            _ => {}
        }
    }
    all.extend([N_JOBS, MEMORY, MISSING, ENCODE, RARE, CATEGORICAL, VERBOSE].map(Own::parameter));
    all
}

/// A parameter of the library as a Python parameter.
fn parameter(param: &Param, about: &About) -> Parameter {
    let words = |words: &[&str]| {
        let words: Vec<String> = words.iter().map(|w| format!("'{w}'")).collect();
        format!("{{{}}}", words.join(", "))
    };
    let kind = match param.kind {
        Kind::Off | Kind::On(_) => "bool".into(),
        Kind::Count { .. } if param.id == "seed" => "int, RandomState instance or None".into(),
        Kind::Count { .. } => "int".into(),
        Kind::Number { .. } => "float".into(),
        Kind::Grid { .. } => "float or sequence of floats".into(),
        Kind::List { .. } => "sequence of floats".into(),
        Kind::Word(own, _) if param.id == "kernel" && about.precomputed => {
            words(&[own, &["precomputed"]].concat())
        }
        Kind::Word(own, _) => words(own),
        Kind::WordOrList(own, ..) => format!("{} or sequence of floats", words(own)),
        Kind::Text { .. } if param.id == "threshold" => "float or str".into(),
        Kind::Text { .. } => "class label".into(),
    };
    let default = match (param.default, param.kind) {
        (Fallback::Absent(_), _) => "None".into(),
        (Fallback::Word(word), _) => format!("\"{word}\""),
        (Fallback::Count(n), _) => n.to_string(),
        (Fallback::Number(v), _) => format!("{v:?}"),
        (Fallback::Kind, Kind::On(_)) => "True".into(),
        (Fallback::Kind, Kind::Off) => "False".into(),
        (Fallback::Kind, _) => "None".into(),
    };
    let mut meaning = format!("{}.", in_python(param.help));
    if let Kind::Grid { .. } = param.kind {
        meaning.push_str(" One value is used, several are chosen among.");
    }
    if let Fallback::Absent(words) = param.default {
        meaning.push_str(&format!(" ``None``: {}.", in_python(words)));
    }
    if param.id == "kernel" && about.precomputed {
        meaning.push_str(
            " With 'precomputed', ``X`` holds kernel values of the rows with the training rows.",
        );
    }
    Parameter {
        name: name_in_python(param).into(),
        kind,
        default,
        meaning,
    }
}

/// A parameter that only Python has.
#[derive(Clone, Copy)]
struct Own {
    name: &'static str,
    kind: &'static str,
    default: &'static str,
    meaning: &'static str,
}

impl Own {
    fn parameter(self) -> Parameter {
        Parameter {
            name: self.name.into(),
            kind: self.kind.into(),
            default: self.default.into(),
            meaning: self.meaning.into(),
        }
    }
}

const CLASS_WEIGHT: Own = Own {
    name: "class_weight",
    kind: "dict or 'balanced'",
    default: "None",
    meaning: "Weights of the classes, which multiply those of the rows.",
};
/// Discriminants scale the class scores by the class sizes, so that row weights cancel; an
/// unconstrained difference of densities is not changed by them.
const CLASS_WEIGHT_AS_COST: Own = Own {
    meaning: "Weights of the classes. They multiply the probabilities, as ``costs`` do.",
    ..CLASS_WEIGHT
};
const CV: Own = Own {
    name: "cv",
    kind: "int, splitter or iterable of (train, test)",
    default: "None",
    meaning: "Folds as in scikit-learn: a number acts like ``folds``, a splitter or a list of \
              splits is used as it is, so that rows of one patient, say, can be held out together. \
              ``None``: as ``folds`` says.",
};
const ESTIMATE: Own = Own {
    name: "estimate",
    kind: "bool",
    default: "True",
    meaning: "Cross-validate even when there is nothing to tune, for ``cv_results_`` and \
              calibrated probabilities.",
};
const IMPORTANCES: Own = Own {
    name: "importances",
    kind: "bool",
    default: "False",
    meaning: "Measure what each feature is worth, for ``feature_importances_``: the folds are \
              fitted once more at the chosen setting, on 1000 rows at most.",
};
/// The sieve is chosen for what it says about features.
const MEASURES: Own = Own {
    default: "True",
    ..IMPORTANCES
};
const N_JOBS: Own = Own {
    name: "n_jobs",
    kind: "int",
    default: "None",
    meaning: "Threads. ``None``: all cores, and one inside a joblib worker. The result does not \
              depend on it.",
};
const MEMORY: Own = Own {
    name: "memory",
    kind: "int or str",
    default: "None",
    meaning: "Bytes that large matrices may take, such as ``'4G'``. ``None``: most of what is \
              free.",
};
const MISSING: Own = Own {
    name: "missing",
    kind: "{'error', 'drop', 'mean', 'median', 'indicator'}",
    default: "\"error\"",
    meaning: "What to do with missing cells: stop, leave out the row, or fill them by the mean or \
              the median of the training rows of every fold; with 'indicator' a further feature \
              says where.",
};
const ENCODE: Own = Own {
    name: "encode",
    kind: "{'one-hot', 'target'}",
    default: "\"one-hot\"",
    meaning: "How categories become numbers: one 0/1 feature per level, or the shares of the \
              classes among the rows of the level. Two levels are one feature in either case.",
};
const RARE: Own = Own {
    name: "rare",
    kind: "int",
    default: "None",
    meaning: "Levels of fewer training rows share one state, as unknown ones do. ``None``: a \
              two-hundredth of the rows, 1 to 10.",
};
const CATEGORICAL: Own = Own {
    name: "categorical_features",
    kind: "sequence of str, int or bool",
    default: "None",
    meaning: "Columns that are categories although they hold numbers. Text is categories anyway.",
};
const VERBOSE: Own = Own {
    name: "verbose",
    kind: "bool",
    default: "False",
    meaning: "Show a progress bar and notices on standard error.",
};

/// Attributes that all estimators have after a fit.
const ATTRIBUTES: &[(&str, &str, &str)] = &[
    ("classes_", "ndarray of shape (n_classes,)", "Class labels."),
    (
        "feature_weights_",
        "ndarray of shape (n_features_in_,)",
        "Weight of every feature; zero drops it.",
    ),
    (
        "selected_features_",
        "list of str",
        "Names of the features that are kept, most important first if there is an order.",
    ),
    (
        "support_",
        "ndarray of int",
        "Training rows that the model keeps, in order of selection if there is one.",
    ),
    ("best_params_", "dict", "The settings that were used."),
    (
        "cv_results_",
        "dict",
        "The cross-validation table in the form of ``GridSearchCV``; absent if nothing was \
         validated.",
    ),
    (
        "best_index_, best_score_",
        "int, float",
        "The chosen row of that table and its accuracy, also where ``scoring`` names another \
         measure: ``criterion`` has the values of that, as something to make small.",
    ),
    (
        "expected_error_",
        "dict",
        "The ``error`` to expect on new rows, from ``low`` to ``high`` (95 %): that of held-out \
         rows and what the choice of a setting flatters it by. Absent if nothing was validated.",
    ),
    (
        "assessment_",
        "dict",
        "How held-out rows fared with calibration, costs and threshold: ``error``, ``log_loss``, \
         ``auc``, ``balanced_accuracy``, ``f1``, ``mcc``, the ``baseline`` of always saying the \
         largest class and, for two classes, ``cutting``: recall and precision at several \
         thresholds. Absent if nothing was validated.",
    ),
    (
        "threshold_, positive_",
        "float or None, class label or None",
        "The least probability at which a row is called positive, if there is a threshold, and the \
         positive one of two classes.",
    ),
    (
        "objective_, residual_",
        "float or None",
        "Objective at the solution, and how far it is from its own equations.",
    ),
    (
        "converged_, n_iter_",
        "bool, int",
        "Whether the solver reached its tolerance, and after how many steps.",
    ),
    ("path_", "list of dict", "The steps of a selection."),
    (
        "feature_importances_",
        "ndarray of shape (n_features_in_,)",
        "By how much the log loss of rows that a fit has not seen grows when the feature is \
         shuffled; zero for features that are not kept. Absent without ``importances``, and if \
         nothing was validated.",
    ),
    (
        "feature_importances_std_",
        "ndarray of shape (n_features_in_,)",
        "Their standard errors.",
    ),
    (
        "coef_, intercept_",
        "ndarray of shape (1, n_features_in_) or (n_classes, n_features_in_), ndarray",
        "Coefficients of log scores that are linear in the features, up to a term that all classes \
         share; with two classes, of the log odds of the second. Absent if the scores are not \
         linear.",
    ),
    (
        "notices_",
        "list of str",
        "Notices about the fit; empty after ``kernsieve.load``.",
    ),
    ("model_", "Model", "The compiled model."),
    ("n_features_in_", "int", "Number of features."),
    (
        "feature_names_in_",
        "ndarray of shape (n_features_in_,)",
        "Their names, if they have any.",
    ),
];

/// Attributes of methods that measure models of several sizes.
const MEASURED: &[(&str, &str, &str)] = &[(
    "curve_, feature_curve_",
    "list of dict",
    "Cross-validated ``error``, ``standard_error`` and ``log_loss`` for each ``size``, the \
         number of samples, or of features; absent if nothing was validated.",
)];

/// A text of the library with its parameters as Python spells them.
fn in_python(text: &str) -> String {
    written(text, |id, value| match value {
        None => format!("``{id}``"),
        Some(value) => format!("``{id}='{value}'``"),
    })
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| {
        first.to_uppercase().chain(letters).collect()
    })
}
