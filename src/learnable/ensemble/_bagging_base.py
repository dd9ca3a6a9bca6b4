"""Base class of bagging: copies of a base estimator, each fitted to its own sample of rows and columns."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Self

import numpy as np

from ..core import (
    Array,
    Data,
    Matrix,
    RandomState,
    Trace,
    Traits,
    cloned,
    declaring,
    fitted_estimator,
    generator,
    learned,
    param,
)
from ..core.declare import params
from ..core.errors import ParameterError, warn
from ..core.numeric import is_fraction
from ..core.roles.traits import traits_of
from ..core.runtime.random import seed_of
from ..core.sklearn_api.estimator_type import is_classifier
from ..core.sklearn_api.metadata import Route, check_metadata, refuse_metadata, requested_metadata, requests_for
from ..core.validate.rows import take_rows
from ..engines.parallel import each, workers
from ..engines.sampling.canonical_order import RowSampler
from ..engines.trees.growth_limits import check_draw_count
from ..pipeline._steps import takes_weights
from ._base_estimator_input import BaseEstimatorInput
from ._boosting.adaboost_base import is_estimator_or_none, set_seeds
from ._grow_in_batches import certify_exact, fit_in_batches
from ._warm_start import remaining_range

Metadata = dict[str, Any]
NOTHING: Metadata = {}
CALLEES = ("predict_log_proba", "predict_proba", "predict")
CALLERS = (*CALLEES, "decision_function")


@declaring
class BaggingBase(BaseEstimatorInput):
    """Base class of bagging estimators: clones of a base estimator, fitted to bootstrap samples of rows and columns."""

    estimator: Any = param(
        None,
        "base estimator; None for a decision tree",
        kw_only=False,
        accepts=is_estimator_or_none,
        says="an estimator or None",
    )
    n_estimators: int = param(10, "number of base estimators", at_least=1, kw_only=False)
    max_samples: int | float | None = param(
        None,
        "rows drawn for each estimator: number or fraction; None for as many as there are",
        above=0,
        tune=(0.3, 0.6, 1.0),
    )
    max_features: int | float = param(
        1.0, "columns drawn for each estimator: number or fraction", above=0, tune=(0.3, 0.6, 1.0)
    )
    bootstrap: bool = param(True, "whether rows are drawn with replacement")
    bootstrap_features: bool = param(False, "whether columns are drawn with replacement")
    oob_score: bool = param(False, "whether to compute the out-of-bag score")
    warm_start: bool = param(False, "whether a further fit adds estimators to those of the last fit")
    n_jobs: int | None = param(None, "number of parallel workers, as in joblib")
    random_state: RandomState = param(None, "seed of the draws of rows and columns")
    verbose: int = param(0, "accepted for compatibility; use learnable.progress()")
    estimators_: list[Any] = learned("the fitted base estimators", counts="estimators")
    estimators_features_: list[Array] = learned("the columns of each estimator", counts="estimators", each="chosen*")
    estimators_samples_: list[Array] = learned(
        "the rows of each estimator, repeated as often as they were drawn", counts="estimators", each="drawn*"
    )
    oob_score_: float = learned(
        "out-of-bag score: accuracy or R squared by the estimators that did not train on a row", optional=True
    )

    traits = Traits(sparse=True, storage="given", missing="native", stochastic=True, parametric=False)

    def fit(self, X: Any, y: Any, sample_weight: Any = None, **arguments: Any) -> Self:
        """Fit the estimators to samples of the rows `X` and targets `y`, drawn by weight.

        Further `arguments` are metadata of the estimators, where metadata routing is enabled.
        """
        params.check(self)
        refuse_metadata(self, "fit", arguments)
        check_metadata(self, "fit", arguments)
        entered = self._enter_to_learn(X, sample_weight)
        fitted: Self = self._fit_entered(  # type: ignore[attr-defined]  # of the role beside this class
            *entered, y, sample_weight, metadata=arguments
        )
        return fitted

    def _routes(self) -> list[Route]:
        return [Route("estimator", self._base(), {"fit": ("fit",), **{name: (self._calls(name),) for name in CALLERS}})]

    def _calls(self, method: str, model: Any = None) -> str:
        """The method of an estimator that a prediction of the ensemble calls."""
        model = self._base() if model is None else model
        order = (method,) if method == "decision_function" else CALLEES[CALLEES.index(method) :]
        if method == "predict" and is_classifier(self):
            order = CALLEES[1:]
        return next((name for name in order if hasattr(model, name)), "predict")

    def _checked(self, method: str, arguments: Metadata) -> Metadata:
        """The metadata of a prediction, which need routing, and an estimator that requests them."""
        refuse_metadata(self, method, arguments)
        check_metadata(self, method, arguments)
        return arguments

    def _fit(self, data: Data, trace: Trace, metadata: Metadata = NOTHING) -> None:
        self._grow(data, trace, metadata)
        for name in ("oob_score_", "oob_decision_function_", "oob_prediction_"):
            self.__dict__.pop(name, None)  # of a fit before, in a warm start
        if self.oob_score:
            self._score_out_of_bag(data)

    def _grow(self, data: Data, trace: Trace, metadata: Metadata = NOTHING) -> None:
        """Fit the estimators that are still to be fitted."""
        sampler = RowSampler.of(data.X, np.ones(data.n) if data.weight is None else data.weight, data.y)
        rows, columns = self._sizes(sampler, data.p)
        remaining = remaining_range(self, len(self.__dict__.get("estimators_", ())))
        seed = seed_of(self.random_state)

        def fit_some(numbers: range) -> list[tuple[Any, Array, Array]]:
            calls = []
            for draw in (generator(seed, t) for t in numbers):
                sample = sampler.draw(draw, rows, self.bootstrap)
                chosen = np.sort(draw.choice(data.p, columns, replace=self.bootstrap_features))
                calls.append((sample, chosen, int(draw.integers(2**31 - 1))))
            found = dict(each(_fit_clone, (self._base(), data.X, data.y, metadata), calls, self.n_jobs))
            return [(found[index], chosen, sample) for index, (sample, chosen, _) in enumerate(calls)]

        batches = fit_in_batches(remaining, fit_some, workers(self.n_jobs), trace, unit="estimators")
        fresh = [fitted for batch in batches for fitted in batch]
        for index, name in enumerate(("estimators_", "estimators_features_", "estimators_samples_")):
            setattr(self, name, [*self.__dict__.get(name, []), *(fitted[index] for fitted in fresh)])
        certify_exact(trace, "every estimator was fitted to its own sample of rows and columns")

    @abstractmethod
    def _base(self) -> Any: ...

    @property
    def estimator_(self) -> Any:
        """The base estimator."""
        return self._base()

    @abstractmethod
    def _predict_one(self, model: Any, X: Matrix, method: str = "predict", metadata: Metadata = NOTHING) -> Array:
        """The output of one estimator that is averaged, for a prediction of the ensemble by `method`."""

    @abstractmethod
    def _score_out_of_bag(self, data: Data) -> None:
        """Compute the out-of-bag score."""

    def _mean(self, X: Matrix, method: str = "predict", metadata: Metadata = NOTHING) -> Array:
        """The mean output of the estimators."""
        found = [self._predict_one(model, table, method, metadata) for model, table in self._with_columns(X)]
        return np.asarray(np.mean(found, axis=0))

    def _out_of_bag_mean(self, data: Data, shape: tuple[int, ...]) -> Array:
        """The mean output of the estimators that did not train on a row, zero if all did."""
        total, counts = np.zeros((data.n, *shape)), np.zeros((data.n, *[1] * len(shape)))
        for (model, table), seen in zip(self._with_columns(data.X), self.estimators_samples_, strict=True):
            rows = np.setdiff1d(np.arange(data.n), seen)
            if len(rows):
                total[rows] += self._predict_one(model, table[rows])
                counts[rows] += 1
        if (counts == 0).any():
            warn(
                "Some rows were drawn by every estimator and have no out-of-bag prediction; use more estimators.",
                UserWarning,
            )
        return np.asarray(total / np.maximum(counts, 1))

    def _unsound(self) -> str:
        """Check the columns of each base estimator."""
        for model, columns in zip(self.estimators_, self.estimators_features_, strict=True):
            if columns.dtype.kind not in "iu" or not len(columns) or len(columns) != model.n_features_in_:
                return "estimators_features_ must hold the columns of each base estimator"
            if columns.min() < 0 or columns.max() >= self.n_features_in_:
                return "estimators_features_ names a column that is not there"
        return ""

    def _sizes(self, sampler: RowSampler, columns: int) -> tuple[int, int]:
        owner, requested = type(self).__name__, self.max_samples
        rows = (
            sampler.size
            if requested is None
            else int(requested * sampler.size)
            if is_fraction(requested)
            else check_draw_count(int(requested), f"{owner}: max_samples")
        )
        if rows < 1 or (not self.bootstrap and rows > sampler.size):
            raise ParameterError(
                f"{owner}: max_samples gives {rows} rows of a total weight of {sampler.size}; at least one is needed, "
                "and without replacement at most the total weight"
            )
        as_fraction = is_fraction(self.max_features)
        count = int(self.max_features * columns) if as_fraction else int(self.max_features)
        if count > columns:
            raise ParameterError(f"{owner}: max_features must be <= n_features; got {count} of {columns}")
        if self.oob_score and not self.bootstrap:
            raise ParameterError(f"{owner}: oob_score needs bootstrap=True; without it no row is out of bag")
        if self.oob_score and self.warm_start:
            raise ParameterError(f"{owner}: oob_score needs warm_start=False")
        return rows, max(1, count)

    def _with_columns(self, X: Matrix) -> Iterator[tuple[Any, Matrix]]:
        """Each estimator with the columns that it was fitted to."""
        for model, columns in zip(self.estimators_, self.estimators_features_, strict=True):
            yield model, X[:, columns]

    def _effective_traits(self) -> Traits:
        return replace(self.traits, missing=traits_of(self._base()).missing)

    def __len__(self) -> int:
        return len(self.estimators_)

    def __getitem__(self, index: int) -> Any:
        return self.estimators_[index]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.estimators_)


def _fit_clone(base: Any, X: Matrix, y: Array, metadata: Metadata, call: tuple[Array, Array, int]) -> Any:
    rows, columns, seed = call
    model = set_seeds(cloned(base), lambda: seed)
    table = X[:, columns]
    counts = np.bincount(rows)
    seen = np.flatnonzero(counts)
    weighted = bool((requests_for(model, "fit") or {}).get("sample_weight")) if metadata else takes_weights(model)
    kept = seen if weighted else rows
    more = requested_metadata(model, "fit", _of_rows(metadata, len(y), kept)) if metadata else {}
    if weighted:
        more["sample_weight"] = counts[seen].astype(np.float64)
    return fitted_estimator(model, table[kept], y[kept], **more)


def _of_rows(metadata: Metadata, count: int, rows: Array) -> Metadata:
    """Metadata of some of the rows: what holds a value for each of them is cut."""
    return {
        name: take_rows(value, rows) if hasattr(value, "__len__") and np.shape(value)[:1] == (count,) else value
        for name, value in metadata.items()
    }
