"""Missing values filled by regressions of each column on the others, in turn."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from ..core import (
    Array,
    BudgetError,
    Data,
    Matrix,
    ParameterError,
    RandomState,
    Trace,
    cloned,
    estimator,
    fitted_estimator,
    learned,
    param,
)
from ..core.runtime.context import give_way, reason_to_stop
from ..core.runtime.random import stream
from ._imputer_base import Filler
from .simple_imputer import SimpleImputer

Order = Literal["ascending", "descending", "roman", "arabic", "random"]


def _is_limit(value: Any) -> bool:
    return value is None or np.asarray(value).dtype.kind in "fiu"


@estimator
class IterativeImputer(Filler):
    """Iterative imputation (MICE): regress each column with missing values on all others, until convergence.

    z_j = f_j(z_others),    f_j fitted where column j is there, for each j in turn

    Any regressor will do; the default is a `BayesianRidge`. With `sample_posterior` missing values are drawn instead of
    predicted, for multiple imputation. [van Buuren and Groothuis-Oudshoorn, 2011]

    >>> import numpy as np
    >>> IterativeImputer().fit_transform([[1.0, 2.0], [3.0, 6.0], [4.0, 8.0], [5.0, 10.0], [7.0, np.nan]])[4].round(1)
    array([ 7., 14.])
    """

    title = "iterative imputation"
    reference = "van Buuren and Groothuis-Oudshoorn, 2011"

    estimator: Any = param(
        None,
        "regressor, cloned for each column (None: BayesianRidge)",
        kw_only=False,
        accepts=lambda value: value is None or hasattr(value, "fit"),
        says="a regressor or None",
    )
    sample_posterior: bool = param(
        False, "whether to draw imputed values from the predictive distribution of the regressor"
    )
    max_iter: int = param(10, "maximum number of rounds of imputation", at_least=0)
    tol: float = param(1e-3, "change of a round, relative to the largest entry, that ends the fit", at_least=0)
    n_nearest_features: int | None = param(
        None, "maximum number of columns in a regression, sampled by correlation", at_least=1
    )
    initial_strategy: Literal["mean", "median", "most_frequent", "constant"] = param(
        "mean", "initial imputation of missing values"
    )
    fill_value: Any = param(
        None, "constant of the initial imputation", accepts=lambda v: v is None or np.isscalar(v), says="a number"
    )
    imputation_order: Order = param(
        "ascending", "order in which columns are imputed: by number of missing values, or from left to right"
    )
    skip_complete: bool = param(False, "whether columns without missing values get no regression")
    min_value: Any = param(
        -np.inf, "least value of what is filled in", accepts=_is_limit, says="a number for each column"
    )
    max_value: Any = param(np.inf, "maximum imputed value", accepts=_is_limit, says="a number for each column")
    verbose: int = param(0, "accepted for compatibility; use learnable.progress()", at_least=0)
    random_state: RandomState = param(None, "seed of the draws")

    initial_imputer_: Any = learned("fitted imputer of the initial imputation")
    imputation_sequence_: list[Any] = learned("(column, columns that it depends on, fitted regressor) in order")
    n_iter_: int = learned("number of rounds")
    n_features_with_missing_: int = learned("number of columns that have regressions", least=0)

    def _unsound(self) -> str:
        """Every regression is of a column on others."""
        columns = np.arange(self.n_features_in_)[self.initial_imputer_.kept_].size
        for entry in self.imputation_sequence_:
            if not isinstance(entry, tuple) or len(entry) != 3:
                return "imputation_sequence_ must hold (column, columns that it depends on, fitted regressor)"
            j, others, regressor = entry
            indices = isinstance(others, np.ndarray) and others.ndim == 1 and others.dtype.kind in "iu"
            if type(j) is not int or not 0 <= j < columns or not indices or not hasattr(regressor, "predict"):
                return "imputation_sequence_ must hold (column, columns that it depends on, fitted regressor)"
            if len(others) and not (others.min() >= 0 and others.max() < columns):
                return f"imputation_sequence_ names column {others.max()} of {columns}"
        return ""

    def _learn(self, data: Data, missing: Array, empty: Array, trace: Trace) -> None:
        self.initial_imputer_ = SimpleImputer(
            missing_values=self.missing_values,
            strategy=self.initial_strategy,
            fill_value=self.fill_value,
            keep_empty_features=self.keep_empty_features,
        ).fit(data.X, None, data.weight)
        filled = self.initial_imputer_._transform(data.X)
        holes = self._holes(missing, empty)
        self.imputation_sequence_, self.n_iter_ = [], 0
        rng = stream(self.random_state)
        share = np.average(holes, axis=0, weights=data.weight)
        order = self._order(share, rng)
        self.n_features_with_missing_ = len(order)
        low, high = self._limits(data.p)
        if not (high > low).all():
            raise ParameterError("IterativeImputer: min_value must be below max_value for every column")
        if self.max_iter == 0 or holes.all() or filled.shape[1] == 1:
            trace.exact("there is nothing to regress on: missing values keep the first statistic")
            return
        self._rounds(filled, holes, order, data.weight, rng, trace)

    def _holes(self, missing: Array, empty: Array) -> Array:
        """The missing values that regressions fill, in the columns of the result."""
        return (missing & ~empty)[:, self.kept_] if self.keep_empty_features else missing[:, self.kept_]

    def _rounds(self, filled: Array, holes: Array, order: Array, weight: Array | None, rng: Any, trace: Trace) -> None:
        probabilities = self._proba(filled)
        known = filled[~holes]
        tolerance = self.tol * float(np.abs(known).max(initial=0))
        change = np.inf
        while not trace.stopped:
            before = filled.copy()
            order = self._order(holes.mean(axis=0), rng) if self.imputation_order == "random" else order
            try:
                steps = [self._step(j, filled, holes[:, j], probabilities, weight, rng) for j in order.tolist()]
            except BudgetError:
                if self.n_iter_ == 0:
                    raise
                trace.stopped = reason_to_stop() or "budget"  # the rounds before this one stand
                break
            self.imputation_sequence_ += steps
            self.n_iter_ += 1
            moved = np.abs(filled - before).sum(axis=1)
            change = float(moved.max() if weight is None else moved[weight > 0].max())
            trace.record(change, tolerance=tolerance)
            trace.stopped = self._reason(change, tolerance)
        drawn = self.sample_posterior
        trace.certify(
            "change of a round",
            0.0 if drawn else change,
            tolerance,
            "the last round drew again, as was requested" if drawn else "the last round moved no row further than that",
        )

    def _step(
        self, j: int, filled: Array, hole: Array, probabilities: Array | None, weight: Array | None, rng: Any
    ) -> Any:
        """Impute column j by a regression; the column, its predictors, and the regressor."""
        give_way()
        others = self._others(j, filled.shape[1], probabilities, rng)
        regressor = self._fitted(filled, hole, j, others, weight)
        filled[hole, j] = self._predicted(regressor, filled[hole][:, others], j, rng)
        return j, others, regressor

    def _reason(self, change: float, tolerance: float) -> Any:
        if self.sample_posterior:
            return "exact" if self.n_iter_ == self.max_iter else reason_to_stop()
        if change <= tolerance:
            return "converged"
        return reason_to_stop() or ("limit" if self.n_iter_ == self.max_iter else "")

    def _fitted(self, filled: Array, hole: Array, j: int, others: Array, weight: Array | None) -> Any:
        """The regression of column j on the others, where column j is there."""
        regressor = self._default() if self.estimator is None else cloned(self.estimator)
        rows = ~hole if weight is None else ~hole & (weight > 0)
        more = {}
        if weight is not None:
            from inspect import signature

            if "sample_weight" not in signature(regressor.fit).parameters:
                raise ParameterError(f"IterativeImputer: {type(regressor).__name__} takes no sample_weight")
            more = {"sample_weight": weight[rows]}
        return fitted_estimator(regressor, filled[rows][:, others], filled[rows, j], **more)

    def _default(self) -> Any:
        import learnable

        return learnable.BayesianRidge()

    def _predicted(self, regressor: Any, X: Array, j: int, rng: Any) -> Array:
        if len(X) == 0:
            return np.empty(0)
        low, high = (limits[j] for limits in self._limits(None))
        if not self.sample_posterior:
            return np.asarray(np.clip(regressor.predict(X), low, high))
        mean, deviation = regressor.predict(X, return_std=True)
        found, apt = np.clip(mean, low, high), (deviation > 0) & (mean >= low) & (mean <= high)
        if apt.any():
            from scipy.stats import truncnorm

            mean, deviation = mean[apt], deviation[apt]
            law = truncnorm((low - mean) / deviation, (high - mean) / deviation, loc=mean, scale=deviation)
            found[apt] = law.rvs(random_state=rng)
        return np.asarray(found)

    def _limits(self, columns: int | None) -> tuple[Array, Array]:
        """The least and the largest value of each column of the result."""
        found = []
        for name, bound in (("min_value", -np.inf), ("max_value", np.inf)):
            limit = np.asarray(bound if getattr(self, name) is None else getattr(self, name), dtype=np.float64)
            if limit.ndim and columns is not None and len(limit) != columns:
                raise ParameterError(
                    f"IterativeImputer: {name} is one number, or one for each of the {columns} columns; got "
                    f"{len(limit)}"
                )
            found.append(limit[self.kept_] if limit.ndim else np.full(len(self.kept_), limit))
        return found[0], found[1]

    def _order(self, share: Array, rng: Any) -> Array:
        """The columns in the order in which they are filled, by their share of missing values."""
        chosen = np.flatnonzero(share) if self.skip_complete else np.arange(len(share))
        if self.imputation_order in ("ascending", "descending"):
            sorted_ = np.argsort(share, kind="mergesort")[len(share) - len(chosen) :]
            return sorted_ if self.imputation_order == "ascending" else sorted_[::-1]
        if self.imputation_order == "random":
            rng.shuffle(chosen)
        return chosen[::-1] if self.imputation_order == "arabic" else chosen

    def _proba(self, filled: Array) -> Array | None:
        """How likely each column is to be drawn for the regression of each, by their correlation."""
        columns = filled.shape[1]
        if self.n_nearest_features is None or self.n_nearest_features >= columns:
            return None
        with np.errstate(invalid="ignore", divide="ignore"):
            size = np.abs(np.corrcoef(filled.T))
        size = np.maximum(np.nan_to_num(size, nan=1e-6), 1e-6)
        np.fill_diagonal(size, 0)
        return np.asarray(size / size.sum(axis=0))

    def _others(self, j: int, columns: int, probabilities: Array | None, rng: Any) -> Array:
        if probabilities is None:
            return np.delete(np.arange(columns), j)
        return np.asarray(rng.choice(columns, self.n_nearest_features, replace=False, p=probabilities[:, j]))

    def _filled(self, X: Matrix, missing: Array) -> Matrix:
        first = self.initial_imputer_
        result, there = first._filled(X, missing), first.kept_
        filled, holes = result[:, there].copy(), missing[:, there]
        rng = stream(self.random_state)
        for j, others, regressor in self.imputation_sequence_:
            filled[holes[:, j], j] = self._predicted(regressor, filled[holes[:, j]][:, others], j, rng)
        result[:, there] = filled
        return result

    @property
    def random_state_(self) -> RandomState:
        """The seed of the draws, under scikit-learn's name."""
        return self.random_state
