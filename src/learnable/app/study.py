"""Compare linear models on a table by repeated cross-validation, with an interval on every figure."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from .._version import __version__
from ..core import Array, DataError, Regressor, generator
from ..linear_model import HuberRegressor, LassoCV, LinearRegression, RidgeCV
from .table import Table

SCHEMA = 1
FEWEST_ROWS = 20

MODELS: dict[str, Callable[[], Regressor]] = {
    "least squares": LinearRegression,
    "ridge": lambda: RidgeCV(alphas=np.geomspace(1e-3, 1e5, 50)),
    "lasso": LassoCV,
    "Huber (robust)": lambda: HuberRegressor(max_iter=1000),
}
BASELINE = "mean of the target"


@dataclass(frozen=True, slots=True)
class Result:
    """How well one model predicts rows it has not seen: root mean squared error, R², and their 95 % intervals."""

    model: str
    rmse: float
    rmse_low: float
    rmse_high: float
    r_squared: float
    r_squared_low: float
    r_squared_high: float
    seconds: float
    gain: float
    gain_low: float
    gain_high: float


@dataclass(frozen=True, slots=True)
class Study:
    """Everything a report needs."""

    table: Table
    results: list[Result]
    verdict: str
    coefficients: list[tuple[str, float]]
    folds: int
    repeats: int
    seed: int

    def as_json(self) -> dict[str, Any]:
        """The study as plain values, with the version of this layout."""
        data = {
            "name": self.table.name,
            "rows": len(self.table.y),
            "columns": self.table.names,
            "target": self.table.target,
        }
        return {
            "schema": SCHEMA,
            "learnable": __version__,
            "data": data,
            "notes": self.table.notes,
            "folds": self.folds,
            "repeats": self.repeats,
            "seed": self.seed,
            "results": [asdict(result) for result in self.results],
            "verdict": self.verdict,
        }


def run(
    table: Table, folds: int = 5, repeats: int = 2, seed: int = 0, tell: Callable[[str], None] = lambda _: None
) -> Study:
    """Fit every model on every training part; filling and scaling are learned inside it."""
    rows = len(table.y)
    if rows < FEWEST_ROWS:
        raise DataError(f"{table.name} has {rows} rows with a target; a study needs at least {FEWEST_ROWS}")
    if not np.ptp(table.y) > 0:
        raise DataError(f"the target {table.target!r} has the same value in every row; there is nothing to predict")
    parts = list(_parts(rows, folds, repeats, seed))
    baseline = np.array([_errors(table, train, test, None) for train, test in parts])
    results = [_result(BASELINE, baseline, baseline, 0.0, folds)]
    for name, make in MODELS.items():
        tell(name)
        began = time.perf_counter()
        errors = np.array([_errors(table, train, test, make()) for train, test in parts])
        results.append(_result(name, errors, baseline, (time.perf_counter() - began) / len(parts), folds))
    results[1:] = sorted(results[1:], key=lambda result: result.rmse)
    return Study(table, results, _verdict(results), _coefficients(table, results[1].model), folds, repeats, seed)


def _parts(rows: int, folds: int, repeats: int, seed: int) -> Iterator[tuple[Array, Array]]:
    for repeat in range(repeats):
        order = generator(seed, repeat).permutation(rows)
        for test in np.array_split(order, folds):
            yield np.setdiff1d(order, test), np.sort(test)


def _prepared(X: Array, train: Array) -> Array:
    """Every row filled and scaled by what the rows `train` alone say."""
    seen = X[train]
    known = ~np.isnan(seen)
    count = np.maximum(known.sum(axis=0), 1)
    mean = np.where(known, seen, 0.0).sum(axis=0) / count
    spread = np.sqrt((np.where(known, seen - mean, 0.0) ** 2).sum(axis=0) / count)
    filled = np.where(np.isnan(X), mean, X)
    return (filled - mean) / np.where(spread > 0, spread, 1.0)


def _errors(table: Table, train: Array, test: Array, model: Regressor | None) -> tuple[float, float]:
    """Mean squared error on `test`, and the variance of the target there about the training mean."""
    y = table.y
    if model is None:
        predicted = np.full(len(test), y[train].mean())
    else:
        X = _prepared(table.X, train)
        predicted = model.fit(X[train], y[train]).predict(X[test])
    return float(np.mean((y[test] - predicted) ** 2)), float(np.mean((y[test] - y[train].mean()) ** 2))


def interval(values: Array, folds: int) -> tuple[float, float, float]:
    """Mean and 95 % interval of a score over repeated folds, corrected for training parts that overlap.

    The variance of the mean is (1/k + 1/(folds - 1)) times that of the k scores. [Nadeau and Bengio, 2003]
    """
    from scipy.special import stdtrit

    mean, count = float(values.mean()), len(values)
    reach = stdtrit(count - 1, 0.975) * np.sqrt((1 / count + 1 / (folds - 1)) * values.var(ddof=1))
    return mean, mean - float(reach), mean + float(reach)


def _result(name: str, errors: Array, baseline: Array, seconds: float, folds: int) -> Result:
    rmse = interval(np.sqrt(errors[:, 0]), folds)
    explained = interval(1 - errors[:, 0] / errors[:, 1], folds)
    gain = interval(np.sqrt(baseline[:, 0]) - np.sqrt(errors[:, 0]), folds)
    return Result(name, *rmse, *explained, seconds, *gain)


def _verdict(results: list[Result]) -> str:
    best = results[1]
    if best.gain_low <= 0:
        return (
            f"No model is reliably better than the baseline ({BASELINE}): the interval of the best gain includes zero."
        )
    share = best.gain / results[0].rmse
    return (
        f"{best.model} predicts best: its error is {best.gain:.4g} below the baseline's ({share:.0%}; "
        f"95 % interval {best.gain_low:.4g} to {best.gain_high:.4g})."
    )


def _coefficients(table: Table, model: str) -> list[tuple[str, float]]:
    """The coefficients of the best model on all rows, largest first, per standard deviation of each column."""
    X = _prepared(table.X, np.arange(len(table.y)))
    fitted: Any = MODELS[model]().fit(X, table.y)
    order = np.argsort(-np.abs(fitted.coef_))
    return [(table.names[j], float(fitted.coef_[j])) for j in order]
