"""Compare linear models on a table by repeated cross-validation, with an interval on every figure."""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from .._version import __version__
from ..core import Array, ConvergenceWarning, DataError, Regressor, generator
from ..linear_model import HuberRegressor, LassoCV, LinearRegression, RidgeCV
from .table import FEWEST_ROWS, Table, few_rows

SCHEMA = 1
MOST_SQUARED = 1e100  # numbers larger than this, or smaller than one over it, are not squared as they are

MODELS: dict[str, Callable[[], Regressor]] = {
    "least squares": LinearRegression,
    "ridge": lambda: RidgeCV(alphas=np.geomspace(1e-3, 1e5, 50)),
    "lasso": LassoCV,
    "Huber (robust)": lambda: HuberRegressor(max_iter=1000),
}
BASELINE = "mean of the target"


@dataclass(frozen=True, slots=True)
class Result:
    """How well one model predicts rows it has not seen: root mean squared error, R², and their 95 % intervals.

    The gain is the error of the baseline minus that of the model, fold by fold.
    """

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

    def in_units(self, unit: float) -> Result:
        """The result for targets that are `unit` times as large."""
        errors = ("rmse", "rmse_low", "rmse_high", "gain", "gain_low", "gain_high")
        return replace(self, **{name: getattr(self, name) * unit for name in errors})


@dataclass(frozen=True, slots=True)
class Study:
    """Everything a report needs; the first result is the baseline, the second the best model."""

    table: Table
    results: list[Result]
    verdict: str
    notes: list[str]
    coefficients: list[tuple[str, float]]
    certificate: str
    unseen: Array  # what the best model predicts for each row from the others, first repeat
    folds: int
    repeats: int
    seed: int

    def figure(self, value: float) -> str:
        """An error or a gain as text, with as many decimals as give the baseline's error four digits."""
        size = math.floor(math.log10(self.results[0].rmse))
        return f"{value:.{3 - size if size < 3 else 0}f}" if -4 < size < 7 else f"{value:.4g}"

    @property
    def useful(self) -> bool:
        """Whether the best model is reliably better than the baseline."""
        return self.results[1].gain_low > 0

    def as_json(self) -> dict[str, Any]:
        """The study as plain values, with the version of this layout; figures that do not exist are None."""
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
            "notes": self.notes,
            "folds": self.folds,
            "repeats": self.repeats,
            "seed": self.seed,
            "results": [{key: _plain(value) for key, value in asdict(result).items()} for result in self.results],
            "useful": self.useful,
            "verdict": self.verdict,
            "coefficients": dict(self.coefficients),
            "certificate": self.certificate,
        }


def run(
    table: Table, folds: int = 5, repeats: int = 4, seed: int = 0, tell: Callable[[str], None] = lambda _: None
) -> Study:
    """Fit every model on every training part; filling and scaling are learned inside it."""
    check(table, folds)
    scaled, unit = _in_range(table)
    trial = Trial(scaled, folds, list(_parts(len(table.y), folds, repeats, seed)))
    baseline = [np.full(len(test), scaled.y[train].mean()) for train, test in trial.parts]
    predictions, results, notes = {}, [trial.result(BASELINE, baseline, baseline, 0.0).in_units(unit)], [*table.notes]
    for name, make in MODELS.items():
        tell(name)
        began = time.perf_counter()
        predictions[name], unfinished = trial.predictions(make)
        seconds = (time.perf_counter() - began) / len(trial.parts)
        results.append(trial.result(name, predictions[name], baseline, seconds).in_units(unit))
        if unfinished:
            notes.append(f"{name}: {unfinished} of {len(trial.parts)} fits ended before they reached their tolerance")
    results[1:] = sorted(results[1:], key=lambda result: result.rmse)
    best, second = predictions[results[1].model], predictions[results[2].model]
    verdict = _verdict(results, interval(trial.rmse(second) - trial.rmse(best), folds))
    final = _fitted(scaled, results[1].model)
    coefficients, unseen = _coefficients(table, final.coef_ * unit), trial.unseen(best) * unit
    return Study(table, results, verdict, notes, coefficients, str(final.certificate_), unseen, folds, repeats, seed)


@dataclass(frozen=True, slots=True)
class Trial:
    """A table and the pairs of training and test rows that every model is tried on."""

    table: Table
    folds: int
    parts: list[tuple[Array, Array]]

    def predictions(self, make: Callable[[], Regressor]) -> tuple[list[Array], int]:
        """What a model predicts for each test part from its training part, and how many fits did not converge."""
        found = []
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always", ConvergenceWarning)
            for train, test in self.parts:
                X = _prepared(self.table.X, train)
                found.append(make().fit(X[train], self.table.y[train]).predict(X[test]))
        return found, sum(issubclass(warning.category, ConvergenceWarning) for warning in seen)

    def rmse(self, predictions: list[Array]) -> Array:
        """The root mean squared error on each test part."""
        pairs = zip(self.parts, predictions, strict=True)
        return np.array([np.sqrt(np.mean((self.table.y[test] - predicted) ** 2)) for (_, test), predicted in pairs])

    def unseen(self, predictions: list[Array]) -> Array:
        """One prediction per row, from a model that has not seen it: those of the first repeat."""
        found = np.empty(len(self.table.y))
        for (_, test), predicted in zip(self.parts[: self.folds], predictions, strict=False):
            found[test] = predicted
        return found

    def result(self, name: str, predictions: list[Array], baseline: list[Array], seconds: float) -> Result:
        """The figures of one model with their intervals."""
        error, base = self.rmse(predictions), self.rmse(baseline)
        with np.errstate(divide="ignore", invalid="ignore"):
            mean, low, high = interval(1 - (error / base) ** 2, self.folds)
        gain = interval(base - error, self.folds)
        rmse, least, most = interval(error, self.folds)
        return Result(name, rmse, max(least, 0.0), most, mean, low, min(high, 1.0), seconds, *gain)


def check(table: Table, folds: int) -> None:
    """Refuse a table that no study can be made of."""
    rows = len(table.y)
    if rows < FEWEST_ROWS:
        raise few_rows(table.name, rows)
    if not np.ptp(table.y) > 0:
        raise DataError(f"the target {table.target!r} has the same value in every row; there is nothing to predict")
    if folds > rows // 4:
        raise DataError(f"{rows} rows allow at most {rows // 4} folds of four rows or more; got {folds}")


def _in_range(table: Table) -> tuple[Table, float]:
    """The table with numbers that can be squared, and what its target was divided by; mostly the table itself, and 1.

    Columns may be divided too: models see them over their standard deviation.
    """
    unit = float(_unit(table.y))
    return replace(table, X=table.X / _unit(table.X), y=table.y / unit), unit


def _unit(values: Array) -> Array:
    """The power of two below the largest size in each column, where that is extreme; else 1."""
    largest = np.nanmax(np.abs(values), axis=0)
    extreme = (largest > 0) & ((largest > MOST_SQUARED) | (largest < 1 / MOST_SQUARED))
    return np.where(extreme, np.exp2(np.floor(np.log2(np.where(extreme, largest, 1.0)))), 1.0)


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
    return np.asarray((filled - mean) / np.where(spread > 0, spread, 1.0))


def interval(values: Array, folds: int) -> tuple[float, float, float]:
    """Mean and 95 % interval of a score over repeated folds, corrected for training parts that overlap.

    The variance of the mean is (1/k + 1/(folds - 1)) times that of the k scores. [Nadeau and Bengio, 2003]
    """
    from scipy.special import stdtrit

    mean, count = float(values.mean()), len(values)
    reach = stdtrit(count - 1, 0.975) * np.sqrt((1 / count + 1 / (folds - 1)) * values.var(ddof=1))
    return mean, mean - float(reach), mean + float(reach)


def _verdict(results: list[Result], lead: tuple[float, float, float]) -> str:
    """What the figures say, in words: whether any model beats the baseline, and whether one beats the next."""
    best, second = results[1], results[2]
    if best.gain_low <= 0:
        return (
            f"No model is reliably better than the baseline ({BASELINE}): the interval of the best gain includes zero."
        )
    share = best.gain / results[0].rmse
    first = (
        f"{best.model[0].upper()}{best.model[1:]} predicts best: its error is {best.gain:.4g} below the baseline's "
        f"({100 * share:.0f} %; 95 % interval {best.gain_low:.4g} to {best.gain_high:.4g})."
    )
    if lead[1] > 0:
        return f"{first} It is reliably better than {second.model}, the next."
    return f"{first} Its lead over {second.model}, the next, may be chance."


def _fitted(table: Table, model: str) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # the certificate says it, and is shown
        return MODELS[model]().fit(_prepared(table.X, np.arange(len(table.y))), table.y)


def _coefficients(table: Table, coef: Array) -> list[tuple[str, float]]:
    """The coefficients of a model fitted on all rows, largest first, per standard deviation of each column."""
    order = np.argsort(-np.abs(coef), kind="stable")
    return [(table.names[j], float(coef[j])) for j in order]


def _plain(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value
