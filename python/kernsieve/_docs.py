"""What the parameters and attributes of the methods mean, each in one place."""

from __future__ import annotations

import inspect
import textwrap

# Type and meaning of the parameters that several methods have.
PARAMETERS = {
    "kernel": (
        "{'gaussian', 'laplacian', 'cauchy', 'polynomial', 'linear', 'sigmoid', 'precomputed'}",
        "Kernel family. With 'precomputed' ``X`` holds kernel values with the training rows.",
    ),
    "priors": (
        "{'empirical', 'uniform'} or sequence of floats",
        "Class priors of the decision rule; given ones are in the order of ``classes_``.",
    ),
    "costs": (
        "sequence of floats",
        "What an error on a row of each class costs, in the order of ``classes_``: probabilities are "
        "weighed by it, so that the class of least expected cost is predicted. ``None`` is all alike.",
    ),
    "class_weight": (
        "dict or 'balanced'",
        "Weights of the classes, which multiply those of the rows.",
    ),
    # Discriminants scale the scores of the classes to their sizes, so that weights of rows cancel; a density that may be negative is
    # not moved by them.
    "class_weight as cost": (
        "dict or 'balanced'",
        "Weights of the classes. They multiply the probabilities, as ``costs`` do.",
    ),
    "standardize": (
        "bool",
        "Scale features to zero mean and unit variance on the training rows.",
    ),
    "rule": (
        "{'min', '1se'}",
        "Take the setting of least error, or the simplest within one standard error of it.",
    ),
    "validation": (
        "{'cv', 'split'}",
        "Validate settings on all folds, or on the first only.",
    ),
    "folds": (
        "int",
        "Folds of the cross-validation: stratified, shuffled by ``random_state``.",
    ),
    "cv": (
        "int, splitter or iterable of (train, test)",
        "Folds as scikit-learn names them: a number does as ``folds`` does, a splitter or a list of splits is used as it "
        "is, so that rows of one patient, say, can be held out together. ``None`` leaves it to ``folds``.",
    ),
    "random_state": (
        "int, RandomState instance or None",
        "Seed of everything random; a whole number is the seed of the command line.",
    ),
    "n_jobs": (
        "int",
        "Threads; ``None`` is all cores, and one inside a joblib worker. The result does not depend on it.",
    ),
    "memory": (
        "int or str",
        "Bytes that large matrices may take, such as ``'4G'``; ``None`` is most of what is free.",
    ),
    "verbose": (
        "bool",
        "Show a progress bar and notices on standard error.",
    ),
    "bandwidth": (
        "float or sequence of floats",
        "Width ``b`` of the kernel, ``exp(-|x - x'|^2 / (2 b^2))`` for the Gaussian. One value is used, "
        "several are chosen among, ``None`` chooses on a grid.",
    ),
    "degree": (
        "int",
        "Degree of the polynomial kernel ``(1 + <x, x'>)^degree``.",
    ),
    "slope": (
        "float",
        "Slope of the sigmoid kernel ``tanh(slope <x, x'> + shift)``; ``None`` is one over the number of "
        "features.",
    ),
    "shift": (
        "float",
        "Shift of the sigmoid kernel.",
    ),
    "ridge": (
        "float or sequence of floats",
        "Squared-norm penalty ``lambda``. One value is used, several are chosen among, ``None`` chooses on "
        "a grid.",
    ),
    "max_support": (
        "int",
        "At most so many samples carry the model; ``None`` is all.",
    ),
    "vote": (
        "bool",
        "Let the folds vote on the features.",
    ),
    "estimate": (
        "bool",
        "Cross-validate even when there is nothing to tune, for ``cv_results_`` and calibrated "
        "probabilities.",
    ),
    "posterior": (
        "{'l1', 'logistic', 'klr', 'parzen'}",
        "Take the discriminant kernel of these class posteriors for the kernel; ``None`` does not.",
    ),
    "sparsity": (
        "float",
        "Penalty on the coefficients of 'l1' and 'logistic' posteriors; ``None`` is tuned.",
    ),
    "l1_ratio": (
        "float",
        "Share of the L1 norm in that penalty, above 0 and at most 1; the rest is half the squared norm.",
    ),
    "simplex": (
        "{'clip', 'project', 'softmax', 'none'}",
        "How the outputs of 'l1' posteriors are brought to the simplex.",
    ),
    "ridge_rule": (
        "{'stabilization', 'stabilization-literal', 'gcv', 'cv'}",
        "How the ridge is found when it is not given: by shrinkage of the Gram matrix (the second as "
        "printed in the paper), by generalised cross-validation, or by cross-validation.",
    ),
    "mahalanobis": (
        "bool",
        "Measure the distance to the centroids in the within-class covariance.",
    ),
    "calibrate": (
        "bool",
        "Give the probabilities the temperature of least cross-validated log loss.",
    ),
    "metric": (
        "{'within', 'total'}",
        "Covariance in which the nearest mean is found.",
    ),
    "n_components": (
        "int",
        "Canonical variates to keep; ``None`` is one less than there are classes.",
    ),
    "smoothing": (
        "float",
        "Smoothing of the target in the Fourier domain.",
    ),
    "class_ratio": (
        "float",
        "With two classes: weight of the first density against the second; ``None`` is the ratio of the "
        "priors.",
    ),
}

# And of the attributes that all of them have after a fit.
ATTRIBUTES = {
    "classes_": (
        "ndarray of shape (n_classes,)",
        "Class labels.",
    ),
    "feature_weights_": (
        "ndarray of shape (n_features_in_,)",
        "Weight of every feature; zero drops it.",
    ),
    "selected_features_": (
        "list of str",
        "Names of the features that are kept, most important first where there is an order.",
    ),
    "support_": (
        "ndarray of int",
        "Training rows that the model keeps, in order of selection where there is one.",
    ),
    "best_params_": (
        "dict",
        "The settings that were used.",
    ),
    "cv_results_": (
        "dict",
        "The cross-validation table in the form of ``GridSearchCV``; absent where nothing was validated.",
    ),
    "best_index_, best_score_": (
        "int, float",
        "The chosen row of that table and its accuracy.",
    ),
    "objective_, residual_": (
        "float or None",
        "Objective at the solution, and how far it is from its own equations.",
    ),
    "converged_, n_iter_": (
        "bool, int",
        "Whether the solver reached its tolerance, and after how many steps.",
    ),
    "path_": (
        "list of dict",
        "The steps of a selection.",
    ),
    "notices_": (
        "list of str",
        "What there is to know about the fit; empty after ``kernsieve.load``.",
    ),
    "model_": (
        "Model",
        "The compiled model.",
    ),
    "n_features_in_": (
        "int",
        "Number of features.",
    ),
    "feature_names_in_": (
        "ndarray of shape (n_features_in_,)",
        "Their names, where they have any.",
    ),
}


def documented(cls):
    """Complete the docstring of a method: a class describes the parameters and attributes of its own, the others come from here."""
    text = inspect.cleandoc(cls.__doc__)
    text, _, examples = text.partition("Examples\n--------\n")
    text, _, attributes = text.partition("Attributes\n----------\n")
    text, _, parameters = text.partition("Parameters\n----------\n")
    own = _entries(parameters)
    described = {}
    for name, parameter in inspect.signature(cls).parameters.items():
        shared = "class_weight as cost" if name == "class_weight" and cls._class_weight_is_cost else name
        kind, meaning = own.get(name) or PARAMETERS[shared]
        described[name] = (f"{kind}, default={parameter.default!r}", meaning)
    sections = [
        text.strip(),
        "Parameters\n----------\n" + _section(described),
        "Attributes\n----------\n" + _section({**_entries(attributes), **ATTRIBUTES}),
        "Examples\n--------\n" + examples.strip(),
    ]
    cls.__doc__ = "\n\n".join(sections) + "\n"
    return cls


def _entries(section: str) -> dict[str, tuple[str, str]]:
    """Type and meaning of every ``name : type`` with indented lines below it."""
    entries: dict[str, tuple[str, str]] = {}
    name = ""
    for line in section.splitlines():
        if line and not line.startswith(" "):
            name, _, kind = line.partition(" : ")
            entries[name] = (kind, "")
        elif line.strip():
            kind, meaning = entries[name]
            entries[name] = (kind, f"{meaning} {line.strip()}".strip())
    return entries


def _section(entries: dict[str, tuple[str, str]]) -> str:
    lines = []
    for name, (kind, meaning) in entries.items():
        lines.append(f"{name} : {kind}")
        lines.append(textwrap.indent(textwrap.fill(meaning, 110), "    "))
    return "\n".join(lines)
