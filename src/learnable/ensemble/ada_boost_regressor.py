"""AdaBoost for regression: AdaBoost.R2."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

import numpy as np

from ..core import Array, Data, Matrix, Regressor, Trace, Traits, estimator, param
from ..core.r2 import r_squared
from ..engines.iterate import State, iterate
from ..tree.decision_tree_regressor import DecisionTreeRegressor
from ._boosting.adaboost_base import AdaBoostBase, AdaBoostIterations


@estimator
class AdaBoostRegressor(AdaBoostBase, Regressor):
    """AdaBoost regressor (AdaBoost.R2): the weighted median of estimators fitted to rows resampled by their errors.

    L_i = |y_i - h(x_i)| / D  (or its square, or 1 - exp(-it)),   D the largest error,   e = sum_i w_i L_i
    b = e / (1 - e),   w_i *= b^(learning_rate (1 - L_i)),   vote learning_rate log(1 / b);   stops where e >= 1/2

    Rows with small errors lose weight. With `resample=False`, base estimators that accept weights are fitted to the
    weights instead of resampled rows. [Drucker, 1997]

    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0.0, 1.0, 4.0, 9.0]
    >>> AdaBoostRegressor(random_state=0, n_estimators=20).fit(X, y).predict([[0.0], [3.0]])
    array([0., 9.])
    """

    loss: Literal["linear", "square", "exponential"] = param(
        "linear", "loss of an absolute error relative to the largest one"
    )
    resample: bool = param(
        True, "whether rows are resampled by weight, rather than weighted where the base estimator accepts weights"
    )

    traits = Traits(sparse=True, storage="given", double_target=True)
    title = "AdaBoost regressor"
    reference = "Drucker, Improving regressors using boosting techniques, ICML 1997"

    def _fit(self, data: Data, trace: Trace) -> None:
        y = data.y.astype(np.float64)
        weight = np.ones(data.n) if data.weight is None else data.weight.astype(np.float64)
        iterations = AdaBoostIterations(weight, self._boosting_step(data, y, weight), _mean_error, self._seed())
        state = iterate(iterations, self.n_estimators, trace)
        self.estimators_ = state["models"]
        self.estimator_weights_ = np.array(state["votes"])
        self.estimator_errors_ = np.array(state["errors"])
        sentence = "the weighted mean loss of every estimator but the last was below one half"
        largest = float(self.estimator_errors_[:-1].max(initial=0.0))
        trace.certify("largest mean loss of a round", largest, 0.5, sentence)

    def _boosting_step(self, data: Data, y: Array, weight: Array) -> Any:
        weighted_fit = self._weighted_fit(data, y, weight)

        def boost(now: Array, draws: np.random.Generator, first: bool) -> tuple[Any, float, float, Array, bool]:
            model = weighted_fit.fit(now, draws)
            residual = np.abs(np.asarray(model.predict(data.X), dtype=np.float64).ravel() - y)
            largest = residual[weight > 0].max()
            loss = self._relative_loss(np.minimum(residual / largest, 1.0) if largest > 0 else residual)
            error = float(now @ np.where(weight > 0, loss, 0.0))
            if error <= 0:
                return model, 1.0, 0.0, now, True
            if error >= 0.5:  # the first one is kept, or the ensemble would be empty
                return (model, 0.0, error, now, True) if first else (None, 0.0, error, now, True)
            odds = error / (1 - error)
            after = now * odds ** (self.learning_rate * (1 - loss))
            return model, float(self.learning_rate * np.log(1 / odds)), error, after / after.sum(), False

        return boost

    def _base(self) -> Any:
        return DecisionTreeRegressor(max_depth=3) if self.estimator is None else self.estimator

    def _resamples(self) -> bool:
        return self.resample

    def _relative_loss(self, error: Array) -> Array:
        if self.loss == "linear":
            return error
        return error**2 if self.loss == "square" else 1 - np.exp(-error)

    def _predict(self, X: Matrix) -> Array:
        return _weighted_median(self._predictions(X), self.estimator_weights_)

    def _predictions(self, X: Matrix) -> Array:
        return np.stack([np.asarray(model.predict(X)).ravel() for model in self.estimators_], axis=1)

    def staged_predict(self, X: Any) -> Iterator[Array]:
        """The predictions after each iteration."""
        predictions = self._predictions(self._read(X))
        for count in range(1, len(self.estimators_) + 1):
            yield _weighted_median(predictions[:, :count], self.estimator_weights_[:count])

    def staged_score(self, X: Any, y: Any, sample_weight: Any = None) -> Iterator[float]:
        """R squared after each iteration."""
        for predicted in self.staged_predict(X):
            truth = self._validator.target(y, len(predicted), np.float64, True)
            yield r_squared(truth, predicted, self._validator.weights(sample_weight, len(predicted)))


def _mean_error(state: State) -> float:
    return float(np.mean(state["errors"])) if state["errors"] else 1.0


def _weighted_median(predictions: Array, votes: Array) -> Array:
    """The weighted median of each row: the first prediction in order at which half of the votes are reached."""
    order = np.argsort(predictions, axis=1)
    cumulative = np.cumsum(votes[order], axis=1)
    index = (cumulative < 0.5 * cumulative[:, -1:]).sum(axis=1)
    rows = np.arange(len(predictions))
    return np.asarray(predictions[rows, order[rows, index]])
