"""Data frames as columns in the words of the compiled module."""

from __future__ import annotations

import datetime
import numbers
import sys
from typing import Any, NamedTuple

import numpy as np

# What a missing date is in the compiled module.
_NO_DATE = np.iinfo(np.int64).min


class Column(NamedTuple):
    """A column: numbers, booleans (NaN is missing), dates (microseconds), or text and levels (codes, -1 is missing)."""

    name: str
    kind: str
    numbers: np.ndarray | None = None
    codes: np.ndarray | None = None
    levels: list[str] | None = None

    def missing(self) -> np.ndarray:
        """Which cells are missing."""
        if self.numbers is not None:
            return np.isnan(self.numbers)
        return self.codes == (_NO_DATE if self.kind == "dates" else -1)

    def take(self, rows: np.ndarray) -> Column:
        """Some rows."""
        some = [None if values is None else np.ascontiguousarray(values[rows]) for values in (self.numbers, self.codes)]
        return Column(self.name, self.kind, *some, self.levels)


class Columns(list):
    """Columns of equal length."""

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        first = self[0]
        return len(first.codes if first.numbers is None else first.numbers)

    def is_plain(self) -> bool:
        """Whether all of it is a matrix of numbers."""
        return all(c.kind == "numbers" and not c.missing().any() for c in self)

    def complete(self) -> np.ndarray:
        """Which rows have no missing cells."""
        return ~np.logical_or.reduce([c.missing() for c in self])

    def take(self, rows: np.ndarray) -> Columns:
        """Some rows."""
        return Columns(c.take(rows) for c in self)

    def check_gaps(self, name: str) -> None:
        """Fail, naming the place, if a cell is missing."""
        found = [(c.name, np.flatnonzero(c.missing())) for c in self]
        found = [(column, rows) for column, rows in found if len(rows)]
        if found:
            cells = sum(len(rows) for _, rows in found)
            column, rows = found[0]
            raise ValueError(
                f"Input X contains NaN: {cells} missing cell{'s' * (cells != 1)}, the first in column '{column}', row "
                f"{rows[0]}; {name} leaves out such rows with missing='drop' and fills them with missing='median', "
                "'mean' or 'indicator'"
            )


def of_matrix(X: np.ndarray, names: list[str]) -> Columns:
    """The columns of a matrix."""
    return Columns(Column(name, "numbers", np.ascontiguousarray(X[:, j])) for j, name in enumerate(names))


def is_frame(X: Any) -> bool:
    """Whether columns have names and types of their own."""
    if type(X).__module__.split(".")[0] in ("polars", "pyarrow"):
        return hasattr(X, "columns")
    return hasattr(X, "__dataframe__") or (hasattr(X, "columns") and hasattr(X, "iloc"))


def names_of(X: Any) -> list[str]:
    """Names of the columns of a data frame."""
    names = X.column_names if hasattr(X, "column_names") and not callable(X.column_names) else X.columns
    return [str(name) for name in names]


def select(X: Any, names: list[str]) -> Any:
    """Some columns of a data frame."""
    own = names_of(X)
    if own == names:
        return X
    if hasattr(X, "iloc"):
        return X.iloc[:, [own.index(name) for name in names]]
    return X.select(names)


def columns_of(X: Any, categorical: Any = None) -> Columns | None:
    """The columns of a data frame; None of anything else."""
    if not is_frame(X):
        if categorical is not None:
            X = _frame_of(X)
        else:
            return None
    names = names_of(X)
    forced = _forced(names, categorical)
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"two columns are called '{twice}'; give every column a name of its own")
    return Columns(_column(X, j, name, name in forced) for j, name in enumerate(names))


class _Frame:
    """A matrix whose columns may be categories."""

    def __init__(self, X: np.ndarray):
        self.values = X
        self.column_names = [f"x{j}" for j in range(X.shape[1])]


def _frame_of(X: Any) -> _Frame:
    X = np.asarray(X)
    if X.ndim != 2:
        raise ValueError(f"Expected 2D array, got {X.ndim}D array instead: reshape your data")
    return _Frame(X)


def _forced(names: list[str], categorical: Any) -> set[str]:
    """The columns that are categories whatever they hold: by name, position or mask."""
    if categorical is None:
        return set()
    given = [categorical] if isinstance(categorical, (str, numbers.Integral)) else list(categorical)
    if given and all(isinstance(g, (bool, np.bool_)) for g in given):
        if len(given) != len(names):
            raise ValueError(f"categorical_features has {len(given)} entries for {len(names)} columns")
        return {name for name, is_one in zip(names, given, strict=True) if is_one}
    found = set()
    for g in given:
        if isinstance(g, str) and g in names:
            found.add(g)
        elif isinstance(g, numbers.Integral) and -len(names) <= g < len(names):
            found.add(names[g])
        else:
            raise ValueError(f"categorical_features names {g!r}; the columns are {', '.join(names[:10])}")
    return found


def _column(X: Any, j: int, name: str, forced: bool) -> Column:
    module = type(X).__module__.split(".")[0]
    if module == "polars":
        return _of_polars(X.get_columns()[j], name, forced)
    if module == "pyarrow":
        return _of_arrow(X.column(j), name, forced)
    if isinstance(X, _Frame):
        values = X.values[:, j]
        return _of_objects(values, name, forced) if values.dtype == object or forced else _numbers(name, values)
    if not hasattr(X, "iloc"):
        X = sys.modules.get("pandas", __import__("pandas")).api.interchange.from_dataframe(X)
    return _of_pandas(X.iloc[:, j], name, forced)


def _numbers(name: str, values: Any) -> Column:
    values = np.ascontiguousarray(values, dtype=np.float64)
    if np.isinf(values).any():
        row = int(np.flatnonzero(np.isinf(values))[0])
        raise ValueError(f"Input X contains infinity or a value too large for dtype('float64'): column '{name}', row {row}")
    return Column(name, "numbers", values)


def _dates(name: str, micros: Any) -> Column:
    return Column(name, "dates", None, np.ascontiguousarray(micros, dtype=np.int64))


def _levels(name: str, kind: str, codes: Any, levels: Any) -> Column:
    return Column(name, kind, None, np.ascontiguousarray(codes, dtype=np.int64), [_written(level) for level in levels])


def _written(level: Any) -> str:
    """A level as text: whole numbers without decimals, as in files."""
    if isinstance(level, (bool, np.bool_)):
        return str(bool(level))
    if isinstance(level, (float, np.floating)) and float(level).is_integer():
        return str(int(level))
    return str(level)


def _of_objects(values: Any, name: str, forced: bool) -> Column:
    """Cells of any kind: numbers, truth values or dates if all of them are, else text."""
    values = list(values)
    known = [v for v in values if not _is_missing(v)]
    if not forced and known:
        all_are = lambda kind: all(isinstance(v, kind) for v in known)  # noqa: E731
        if all_are((bool, np.bool_)):
            return Column(name, "booleans", np.array([np.nan if _is_missing(v) else float(v) for v in values]))
        if all_are((numbers.Number, np.number)) or _is_decimal(known):
            return _numbers(name, [np.nan if _is_missing(v) else float(v) for v in values])
        if all_are((datetime.date, np.datetime64)):
            dates = [np.datetime64("NaT") if _is_missing(v) else np.datetime64(v, "us") for v in values]
            return _dates(name, np.array(dates, dtype="datetime64[us]").astype(np.int64))
    index: dict[str, int] = {}
    codes = [-1 if _is_missing(v) else index.setdefault(_written(v), len(index)) for v in values]
    return _levels(name, "levels" if forced else "text", codes, list(index))


def _is_missing(value: Any) -> bool:
    if value is None or (isinstance(value, (float, np.floating)) and value != value):
        return True
    return type(value).__name__ in ("NAType", "NaTType") or (isinstance(value, np.datetime64) and np.isnat(value))


def _is_decimal(known: list[Any]) -> bool:
    return all(type(v).__name__ == "Decimal" for v in known)


def _of_pandas(series: Any, name: str, forced: bool) -> Column:
    import pandas as pd

    types, dtype = pd.api.types, series.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        return _levels(name, "levels", series.cat.codes.to_numpy(), series.cat.categories)
    if forced or not (types.is_numeric_dtype(dtype) or types.is_bool_dtype(dtype) or types.is_datetime64_any_dtype(dtype)):
        return _of_objects(series.to_numpy(dtype=object, na_value=None), name, forced)
    if types.is_bool_dtype(dtype):
        return Column(name, "booleans", series.to_numpy(dtype=np.float64, na_value=np.nan))
    if types.is_datetime64_any_dtype(dtype):
        if getattr(dtype, "tz", None) is not None:
            series = series.dt.tz_convert("UTC").dt.tz_localize(None)
        return _dates(name, series.to_numpy().astype("datetime64[us]").astype(np.int64))
    return _numbers(name, series.to_numpy(dtype=np.float64, na_value=np.nan))


def _of_polars(series: Any, name: str, forced: bool) -> Column:
    import polars as pl

    dtype = series.dtype
    if not forced and (dtype.is_numeric() or dtype == pl.Boolean):
        values = series.cast(pl.Float64).to_numpy()
        return Column(name, "booleans", np.array(values)) if dtype == pl.Boolean else _numbers(name, values)
    if not forced and dtype in (pl.Date, pl.Datetime):
        if dtype == pl.Datetime and dtype.time_zone is not None:
            series = series.dt.convert_time_zone("UTC").dt.replace_time_zone(None)
        return _dates(name, series.cast(pl.Datetime("us")).cast(pl.Int64).fill_null(_NO_DATE).to_numpy())
    is_levels = forced or dtype in (pl.Categorical, pl.Enum)
    return _of_objects(series.to_list(), name, is_levels)


def _of_arrow(column: Any, name: str, forced: bool) -> Column:
    import pyarrow as pa

    kind = column.type
    is_bool = pa.types.is_boolean(kind)
    if not forced and (is_bool or pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)):
        values = column.cast(pa.int8()) if is_bool else column
        values = np.array(values.cast(pa.float64()).to_numpy(zero_copy_only=False) if is_bool else _floats(values, pa))
        return Column(name, "booleans", values) if is_bool else _numbers(name, values)
    if not forced and (pa.types.is_date(kind) or pa.types.is_timestamp(kind)):
        return _dates(name, column.cast(pa.timestamp("us")).cast(pa.int64()).fill_null(_NO_DATE).to_numpy())
    return _of_objects(column.to_pylist(), name, forced or pa.types.is_dictionary(kind))


def _floats(column: Any, pa: Any) -> np.ndarray:
    return column.cast(pa.float64()).to_numpy(zero_copy_only=False)
