"""All tables in the order of the papers, and the published figures that do not concern our methods."""

import fivm
import kos
import l1dkf
import l2
import l2_figures
import smkda
import times
from cells import PUBLISHED, published

TABLES = {t.name: t for module in (kos, smkda, fivm, l1dkf, l2, l2_figures, times) for t in module.TABLES}

# Methods of other authors, by published table; `*` is the whole table.
OUT_OF_SCOPE = {
    "kos-2": {"Random Forest", "Kernel SVM", "Neural Network", "KNN"},
    "fivm": {"SVM on FIVM's features", "L1 logistic", "SVM"},
    "l2-2": {"H-SVM", "S-SVM"},
    "l2-3": {"H-SVM", "S-SVM"},
    "l2-4": {"*"},  # seconds on a machine of 2010
}


# The columns with figures of our methods; spreads and the sizes of sets do not count.
FIGURES = (
    "error_percent",
    "accuracy_percent",
    "nonzero_percent",
    "value",
    "smkda_accuracy",
    "smkda_retained_percent",
    "smkda_p",
    "est_C1",
    "est_C2",
    "est_C3",
)


def unclaimed():
    """Published figures that have no cell and do not belong to other authors' methods."""
    left = []
    for path in sorted(PUBLISHED.glob("*.csv")):
        name = path.stem
        foreign = OUT_OF_SCOPE.get(name, set())
        cells = [c for t in TABLES.values() if name in t.sources for c in t.published()]
        for r in published(name):
            if foreign & {r.get("method", ""), "*"}:
                continue
            figures = [float(r[k]) for k in FIGURES if r.get(k)]
            if not figures:
                left.append((name, r))
            left += [(name, r) for value in figures if not any(stands_for(c, r, value) for c in cells)]
    return left


def stands_for(cell, row, value):
    """Whether a cell shows this figure of a published row: the same value, of the same set and method."""
    named = row.get("dataset") or (f"observed {row['observed']}" if "observed" in row else "model")
    method = row.get("method", "sMKDA").split(" ")[0]
    return cell.paper == value and cell.row.startswith(named) and (method in cell.column or "model" in row)
