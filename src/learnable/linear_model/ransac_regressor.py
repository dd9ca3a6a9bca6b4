"""RANSAC regression."""

from __future__ import annotations

import sys
from collections.abc import Callable
from numbers import Integral
from typing import Any, Literal

import numpy as np

from ..core import (
    Array,
    Data,
    DataError,
    Matrix,
    ParameterError,
    RandomState,
    Regressor,
    Trace,
    Traits,
    estimator,
    learned,
    param,
    seed_of,
)
from ..core.numeric import EPSILON
from ..core.roles.estimator import cloned
from ..core.runtime import context
from ..engines.iterate import MAX_RESULT_SECONDS, State, iterate
from ..engines.sampling.weighted_sampling import Population
from ..parts.losses.optimal_constants import quantile
from ..parts.ransac_trials import ransac_trials as ransac_trials
from ._robust.ransac_models import FittedTrials, LinearTrials, Nearness, Trials, takes_weights
from ._robust.ransac_search import RansacSearch, StoppingRule
from .linear_regression import LinearRegression


def _whole_or_endless(value: Any) -> bool:
    return isinstance(value, Integral) or value == np.inf


def _is_regressor(value: Any) -> bool:
    methods = ("fit", "predict", "score")
    return value is None or (not isinstance(value, type) and all(hasattr(value, name) for name in methods))


@estimator
class RANSACRegressor(Regressor):
    """RANSAC regression (random sample consensus): the model with the most inliers.

    maximise over models of random samples    number of rows with loss(y_i, model(x_i)) <= residual_threshold

    Every trial fits `estimator` to a random sample and counts its inliers; the final model is fitted to all inliers of
    the best trial. If a fraction p of the rows are inliers, the probability that none of m samples of k rows is clean
    is (1 - p^k)^m, and trials end when this is at most 1 - stop_probability. Samples do not depend on the order of the
    rows, and a weight of 3 counts as three copies. Least squares fits whole batches of samples at once.
    [Fischler and Bolles, 1981]

    >>> X, y = [[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]], [1.0, 3.0, 5.0, 70.0, 9.0, 11.0]
    >>> model = RANSACRegressor(random_state=0).fit(X, y)
    >>> model.inlier_mask_.tolist(), model.predict([[6.0]]).round(6)
    ([True, True, True, False, True, True], array([13.]))
    """

    estimator: Any = param(
        None,
        "base estimator, fitted to samples and to the inliers (None: LinearRegression)",
        kw_only=False,
        accepts=_is_regressor,
        says="None or an object, not a class, with the methods fit, predict and score",
    )
    min_samples: int | float | None = param(
        None,
        "rows per sample, a fraction of all rows if below 1 (None: columns + 1, or all rows)",
        above=0,
        accepts=lambda value: value is None or value <= 1 or isinstance(value, Integral),
        says="a whole number of rows or a fraction of them",
    )
    residual_threshold: float | None = param(
        None, "largest loss of an inlier (None: median absolute deviation of y)", at_least=0
    )
    is_data_valid: Callable[..., Any] | None = param(None, "f(X, y) that returns whether a sample is valid")
    is_model_valid: Callable[..., Any] | None = param(
        None, "f(model, X, y) that returns whether a fitted model is valid"
    )
    max_trials: int | float = param(
        100,
        "maximum number of trials",
        at_least=0,
        infinite=True,
        accepts=_whole_or_endless,
        says="a whole number or infinite",
    )
    max_skips: int | float = param(
        np.inf,
        "maximum number of trials without an improvement",
        at_least=0,
        accepts=_whole_or_endless,
        says="whole or infinite",
    )
    stop_n_inliers: int | float = param(
        np.inf,
        "number of inliers that ends the search",
        at_least=0,
        accepts=_whole_or_endless,
        says="whole or infinite",
    )
    stop_score: float = param(np.inf, "score on the inliers that ends the search")
    stop_probability: float = param(0.99, "confidence that at least one sample was free of outliers", between=(0, 1))
    loss: Literal["absolute_error", "squared_error"] | Callable[..., Any] = param(
        "absolute_error", "loss of a row, by name or f(y, prediction) with a value for each row"
    )
    random_state: RandomState = param(None, "seed of the random samples")
    estimator_: Regressor = learned("the estimator fitted to the inliers")
    n_trials_: int = learned("number of trials")
    inlier_mask_: Array = learned("whether each row is an inlier", shape="samples")
    n_skips_no_inliers_: int = learned("number of trials with fewer inliers than the best before")
    n_skips_invalid_data_: int = learned("number of samples refused by is_data_valid")
    n_skips_invalid_model_: int = learned("number of models refused by is_model_valid")

    traits = Traits(sparse=True, storage="csr", multi_target=True, stochastic=True)
    title = "RANSAC regression"
    reference = "Fischler and Bolles, Random sample consensus, Communications of the ACM 24, 1981"

    def predict(self, X: Any, **params: Any) -> Array:
        """Predicted targets for the rows of `X`; other arguments go to the fitted estimator."""
        rows = self._read(X)
        return self.estimator_.predict(rows, **params)

    def score(self, X: Any, y: Any, **params: Any) -> float:  # type: ignore[override]  # as scikit-learn
        """Score of the fitted estimator on `X`."""
        rows = self._read(X)
        return self.estimator_.score(rows, y, **params)

    def _fit(self, data: Data, trace: Trace) -> None:
        seed = seed_of(self.random_state)
        base = self._base(data, seed)
        search = self._search(data, base, seed)
        state = iterate(search, self._most_steps(search), trace)
        self._keep_counts(state)
        if not len(state["best"]):
            raise DataError(self._nothing_found())
        trace.stopped = "limit" if trace.stopped == "stalled" else trace.stopped  # max_skips is a limit too
        inside = state["best"]
        weight = {} if data.weight is None else {"sample_weight": data.weight[inside]}
        with context.granted(max(trace.seconds, MAX_RESULT_SECONDS)):
            self.estimator_ = base.fit(data.X[inside], data.y[inside], **weight)
        self.inlier_mask_ = inside
        self._certify(search, state, trace)

    def _predict(self, X: Matrix) -> Array:
        return self.estimator_.predict(X)

    def _base(self, data: Data, seed: int) -> Any:
        """A clone of the estimator, with a seed if it has random_state=None."""
        base = LinearRegression() if self.estimator is None else cloned(self.estimator)
        if data.weight is not None and not takes_weights(base.fit):
            raise DataError(f"RANSACRegressor: sample_weight was given, but {type(base).__name__} does not support it")
        if base.get_params(deep=False).get("random_state", 0) is None:
            base.set_params(random_state=seed % 2**32)
        return base

    def _search(self, data: Data, base: Any, seed: int) -> RansacSearch:
        population = Population.of(data)
        size = min(self._sample_size(base, data), len(population.rows))
        near = Nearness.of(data, self.loss, self._threshold(data))
        trials: Trials = FittedTrials(near, base, self.is_data_valid, self.is_model_valid)
        exact = type(base) is LinearRegression and not base.positive and size >= data.p + base.fit_intercept
        if exact and self.is_model_valid is None:
            trials = LinearTrials(near, base.fit_intercept, size, self.is_data_valid)
        total = float(data.n if data.weight is None else data.weight.sum())
        probability = max(1 - self.stop_probability, EPSILON)
        rule = StoppingRule(self.stop_n_inliers, self.stop_score, probability, self.max_trials, self.max_skips)
        return RansacSearch(trials, near, population, total, size, seed, rule)

    def _sample_size(self, base: Any, data: Data) -> int:
        requested = self.min_samples
        if requested is None:
            if type(base).__name__ != "LinearRegression":
                raise ParameterError(
                    f"RANSACRegressor: min_samples must be given where estimator is not a LinearRegression "
                    f"but {type(base).__name__}"
                )
            return data.p + 1
        size = int(np.ceil(requested * data.n) if requested < 1 else requested)
        if size > data.n:
            raise DataError(
                f"RANSACRegressor: a sample has min_samples = {size} rows, but the data have n_samples = {data.n}"
            )
        return size

    def _threshold(self, data: Data) -> float:
        if self.residual_threshold is not None:
            return float(self.residual_threshold)
        y = data.y.astype(np.float64).ravel()
        weight = None if data.weight is None else np.repeat(data.weight, data.y.size // data.n)
        middle = np.median if weight is None else lambda values: quantile(values, weight, 0.5)
        return float(middle(np.abs(y - middle(y))))

    def _most_steps(self, search: RansacSearch) -> int:
        if self.max_trials < 1:
            raise ParameterError("RANSACRegressor: max_trials must be at least 1 to find anything; got 0")
        return sys.maxsize if self.max_trials == np.inf else -(-int(self.max_trials) // search.trials.batch)

    def _keep_counts(self, state: State) -> None:
        self.n_trials_ = state["trials"]
        self.n_skips_no_inliers_ = state["no_inliers"]
        self.n_skips_invalid_data_ = state["invalid_data"]
        self.n_skips_invalid_model_ = state["invalid_model"]

    def _nothing_found(self) -> str:
        return (
            f"RANSACRegressor: none of {self.n_trials_} trials agreed with enough rows: "
            f"{self.n_skips_invalid_data_} samples and {self.n_skips_invalid_model_} models were refused as invalid, "
            f"{self.n_skips_no_inliers_} had no row within the threshold; raise residual_threshold or max_trials"
        )

    def _certify(self, search: RansacSearch, state: State, trace: Trace) -> None:
        total, probability = search.total, search.probability(state)
        if probability > search.rule.probability and state["inliers"] >= self.stop_n_inliers:
            sentence = "this weight of rows lies beyond the threshold, and stop_n_inliers allows for the tolerance."
            trace.certify("rows left out", total - state["inliers"], total - self.stop_n_inliers, sentence)
        elif probability > search.rule.probability and state["score"] >= self.stop_score:
            sentence = "the score of the best sample's model on its inliers falls short of stop_score by this much."
            trace.certify("missing score", 0.0, 0.0, sentence)
        else:
            sentence = "if the inliers are the clean rows, this is the probability that no sample was free of outliers."
            trace.certify("probability of no clean sample", probability, search.rule.probability, sentence)
