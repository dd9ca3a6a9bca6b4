"""Columns scaled and encoded: numbers in their own units, and tables of numbers and texts as codes and indicators."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.contenders import attribute, package
from benchmarks.task import AtMost, Contender, Data, Kind, Output, Quality, Task

COMPARED = 1000  # rows whose result is compared


def make_numbers(n: int, p: int) -> Data:
    """Columns of different means and scales."""
    rng = np.random.default_rng(0)
    return {"X": rng.standard_normal((n, p)) * rng.uniform(0.1, 10, p) + rng.uniform(-5, 5, p)}


def make_table(n: int, p: int, values: int) -> Data:
    """The codes of a table, each of which stands for a number or a text."""
    codes = np.random.default_rng(0).integers(0, values, (n, p)).astype(np.int16)
    codes[:values] = np.arange(values)[:, None]  # every value occurs
    return {"codes": codes, "values": values}


def table_of(data: Data) -> Any:
    """The frame of which half the columns are whole numbers and half are texts; or the matrix as it is."""
    if "codes" not in data:
        return data["X"]
    import pandas

    codes, p = np.asarray(data["codes"]).astype(np.int64), data["codes"].shape[1]
    words = np.array([f"value {k:03d}" for k in range(int(data["values"]))], dtype=object)
    columns = {f"n{j}": codes[:, j] for j in range(p // 2)}
    columns |= {f"t{j}": words[codes[:, j]] for j in range(p // 2, p)}
    return pandas.DataFrame(columns)


def fitted(name: str, where: str, kind: Kind = "peer", **options: Any) -> Contender:
    """A transformer that is fitted and applied in one call."""

    def prepare(data: Data) -> Callable[[], Any]:
        cls, table = attribute(where), table_of(data)
        return lambda: cls(**options).fit_transform(table)

    return Contender(name, prepare, read_rows, needs=(package(where),), kind=kind)


def read_rows(X: Any) -> Output:
    first = X[:COMPARED]
    return {"rows": first.toarray() if hasattr(first, "toarray") else np.asarray(first)}


def scale_error(data: Data, output: Output) -> float:
    """The largest difference from (x - mean) / sd in long double precision."""
    X = data["X"].astype(np.longdouble)
    expected = (X[:COMPARED] - X.mean(axis=0)) / X.std(axis=0)
    return float(np.abs(np.asarray(output["rows"]) - expected).max())


def code_error(data: Data, output: Output) -> float:
    """The largest difference from the codes that the table was made of."""
    return float(np.abs(np.asarray(output["rows"]) - data["codes"][:COMPARED]).max())


def indicator_error(data: Data, output: Output) -> float:
    """The largest difference from the indicators of the codes that the table was made of."""
    expected = np.hstack([np.eye(int(data["values"]))[column] for column in data["codes"][:COMPARED].T])
    return float(np.abs(np.asarray(output["rows"]) - expected).max())


def both(name: str) -> tuple[Contender, ...]:
    """Ours and scikit-learn's transformer of that name."""
    return (
        fitted("learnable", f"learnable.preprocessing:{name}", "ours"),
        fitted("scikit-learn", f"sklearn.preprocessing:{name}"),
    )


FULL, QUICK = {"n": 1_000_000, "p": 20, "values": 50}, {"n": 3_000, "p": 6, "values": 20}
MIXED = "{n} x {p}, half numbers, half texts, {values} values each"

TASKS = (
    Task(
        name="standard-scaler",
        home="benchmarks.tasks.preprocessing",
        size="{n} x {p}",
        make=make_numbers,
        full={"n": 1_000_000, "p": 20},
        quick={"n": 3_000, "p": 5},
        contenders=both("StandardScaler"),
        quality=Quality("error", scale_error, AtMost(1e-9)),
    ),
    Task(
        name="one-hot-encoder",
        home="benchmarks.tasks.preprocessing",
        size=MIXED,
        make=make_table,
        full=FULL,
        quick=QUICK,
        contenders=both("OneHotEncoder"),
        quality=Quality("error", indicator_error, AtMost(0.0)),
    ),
    Task(
        name="ordinal-encoder",
        home="benchmarks.tasks.preprocessing",
        size=MIXED,
        make=make_table,
        full=FULL,
        quick=QUICK,
        contenders=both("OrdinalEncoder"),
        quality=Quality("error", code_error, AtMost(0.0)),
    ),
)
