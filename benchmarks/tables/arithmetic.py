"""Eq. 5 of Kim & Scott (2010) in plain double precision, a reading of their tables only.

The program decides in the log domain. Here a decision value is the sum of the kernels themselves: where all of them
underflow it is exactly zero, and zero decides for the positive class. The constant that all kernels share is left out.
Models come from the program, at given bandwidths. This needs NumPy, unlike all else of the tables.
"""

import json
import math
import struct
import sys

# `exp(-DEEPEST)` is zero in double precision, `exp(-SHALLOWEST)` times any weight of a model is not.
DEEPEST, SHALLOWEST = 746.0, 690.0


def numpy():
    try:
        import numpy as np
    except ImportError:
        sys.exit("--paper-arithmetic needs NumPy: python3 -m pip install numpy")
    return np


def arrays(path):
    """The arrays of a model file, flat."""
    data = path.read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    found = {}
    for name, about in json.loads(data[8 : 8 + length]).items():
        if name != "__metadata__":
            first, end = (8 + length + v for v in about["data_offsets"])
            form = {"F64": "d", "U64": "Q", "U8": "B", "BOOL": "?"}[about["dtype"]]
            found[name] = struct.unpack(f"<{(end - first) // struct.calcsize(form)}{form}", data[first:end])
    return found


def terms(path, labels, positive):
    """Support rows of a model of two classes, and their `alpha_i Y_i`: `Y` is 1 or `-gamma`, the ratio of the rows."""
    found = arrays(path)
    active = [j for j, a in enumerate(found["scaling.active"]) if a]
    weights, (_, cut, _) = list(found["weights"]), (int(s) for s in found["starts"])
    width = len(found["support"]) // len(weights) if weights else 0
    support = [found["support"][i * width : (i + 1) * width] for i in range(len(weights))]
    first, second = sorted(set(labels))
    counts = {c: labels.count(c) for c in (first, second)}
    gamma = counts[first if positive == second else second] / counts[positive]
    signs = [1.0 if c == positive else -gamma for c in (first, second)]
    values = [w * signs[i >= cut] for i, w in enumerate(weights)]
    # Features that the model drops are constant; means and scales are 0 and 1 without standardising.
    mean, scale = ([found[f"scaling.{k}"][j] for j in active] for k in ("mean", "scale"))
    return active, mean, scale, support, values


def squares(a, b):
    """Squared distances of all pairs of rows."""
    np = numpy()
    d2 = (a * a).sum(1)[:, None] + (b * b).sum(1)[None, :] - 2.0 * a @ b.T
    return np.maximum(d2, 0.0)


def decisions(rows, support, values, bandwidth):
    """Whether rows are called positive: `sum_i alpha_i Y_i k(x, x_i) >= 0`, the sums in plain doubles."""
    np = numpy()
    a, b = (np.asarray(v, dtype=float) for v in (rows, support))
    if len(b) == 0:
        return np.ones(len(a), dtype=bool)
    return np.exp(-squares(a, b) / (2 * bandwidth**2)) @ np.asarray(values) >= 0.0


def error_of(model, train_labels, positive, bandwidth, rows, labels):
    """Share of rows that a model gets wrong in this arithmetic."""
    np = numpy()
    active, mean, scale, support, values = terms(model, train_labels, positive)
    x = (np.asarray(rows, dtype=float)[:, active] - np.array(mean)) / np.array(scale)
    said = decisions(x, support, values, bandwidth)
    return float(np.mean(said != (np.asarray(labels) == positive)))


def parzen_error(train, train_labels, positive, bandwidth, rows, labels):
    """The same for the Parzen classifier: all weights of a class are equal, and `gamma` makes all rows so."""
    np = numpy()
    values = np.where(np.asarray(train_labels) == positive, 1.0, -1.0)
    return float(np.mean(decisions(rows, train, values, bandwidth) != (np.asarray(labels) == positive)))


class Folds:
    """Held-out rows of cross-validation: which bandwidths can underflow, and what they cost at least."""

    def __init__(self, x, labels, folds, positive):
        np = numpy()
        self.x, self.labels, self.folds, self.positive = np.asarray(x, dtype=float), np.asarray(labels), folds, positive
        self.folds = np.asarray(folds)
        d2 = squares(self.x, self.x)
        apart = self.folds[:, None] != self.folds[None, :]
        # To the farthest training row, and to the nearest one of the negative class.
        self.farthest = np.where(apart, d2, 0.0).max(1)
        negative = apart & (self.labels != positive)[None, :]
        self.nearest_negative = np.where(negative, d2, math.inf).min(1)

    def safe(self, bandwidth):
        """Whether no decision value can be zero, so that the log domain decides alike."""
        return bool((self.farthest / (2 * bandwidth**2) < SHALLOWEST).all())

    def least(self, bandwidth, rows=None):
        """Errors that any weights make: negative rows that no negative row reaches are called positive."""
        lost = (self.labels != self.positive) & (self.nearest_negative / (2 * bandwidth**2) > DEEPEST)
        return int(lost.sum() if rows is None else lost[rows].sum())

    def parts(self):
        np = numpy()
        for fold in sorted(set(self.folds.tolist())):
            yield np.flatnonzero(self.folds != fold), np.flatnonzero(self.folds == fold)


def first_minimum(grid, known, folds, measure):
    """The first setting of least error in the ascending grid.

    `grid` has settings `(bandwidth, balance)` in ascending order, `known` the errors of the log domain, which hold
    where nothing can underflow. `measure(setting, train, test)` fits a fold and counts its errors; it is asked only for
    settings that can still be the first minimum.
    """
    n, best, errors, fits = len(folds.labels), math.inf, {}, 0
    for i, setting in enumerate(grid):
        if folds.safe(setting[0]):
            error = known.get(setting)
            errors[i] = math.inf if error is None else round(error * n)
    best = min(errors.values(), default=math.inf)
    left = sorted((folds.least(s[0]), i) for i, s in enumerate(grid) if i not in errors)
    for least, i in left:
        if least > best:
            continue
        total, rest = 0, least
        for train, test in folds.parts():
            rest -= folds.least(grid[i][0], test)
            total += measure(grid[i], train, test)
            fits += 1
            if total + rest > best:
                break
        else:
            errors[i] = total
            best = min(best, total)
    chosen = min(i for i, e in errors.items() if e == best)
    return grid[chosen], best / n, fits
