"""Boosting of regressors by the weights of the rows that were missed by most."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

import numpy as np

from ..core import Array, Data, Matrix, Regressor, Trace, estimator, param
from ..core.r2 import r_squared
from ..engines.iterate import State, iterate
from ..tree.decision_tree_regressor import DecisionTreeRegressor
from ._boosting.adaboost_base import BoostedRounds, Rounds


@estimator
class AdaBoostRegressor(BoostedRounds, Regressor):
    """Numbers by the weighted median of learners, each fitted to rows drawn by how far the ones before it missed them.

    L_i = |y_i - h(x_i)| / D  (or its square, or 1 - exp(-it)),   D the largest error,   e = sum_i w_i L_i
    b = e / (1 - e),   w_i *= b^(learning_rate (1 - L_i)),   vote learning_rate log(1 / b);   it ends where e >= 1/2

    Rows that a learner predicts well lose weight. With `resample` off, learners that take weights are fitted to these
    instead of drawn rows. [Drucker, 1997]

    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0.0, 1.0, 4.0, 9.0]
    >>> AdaBoostRegressor(random_state=0, n_estimators=20).fit(X, y).predict([[0.0], [3.0]])
    array([0., 9.])
    """

    loss: Literal["linear", "square", "exponential"] = param(
        "linear", "how an error, as a share of the largest, counts"
    )
    resample: bool = param(True, "whether rows are drawn by weight, or a base learner that takes weights is told them")

    sparse = True
    double_target = True
    storage = "csr"
    reference = "Drucker, Improving regressors using boosting techniques, ICML 1997"

    def _fit(self, data: Data, trace: Trace) -> None:
        y = data.y.astype(np.float64)
        weight = np.ones(data.n) if data.weight is None else data.weight.astype(np.float64)
        rounds = Rounds(weight, self._player(data, y, weight), _mean_error, self._seed())
        state = iterate(rounds, self.n_estimators, trace)
        self.estimators_ = state["models"]
        self.estimator_weights_ = np.array(state["votes"])
        self.estimator_errors_ = np.array(state["errors"])
        words = "every learner but the last was better than chance on the weights that it was fitted to"
        trace.certify("largest mean loss of a round", float(self.estimator_errors_[:-1].max(initial=0.0)), 0.5, words)

    def _player(self, data: Data, y: Array, weight: Array) -> Any:
        learner = self._learner(data, y, weight)

        def play(now: Array, draws: np.random.Generator, first: bool) -> tuple[Any, float, float, Array, bool]:
            model = learner.fitted(now, draws)
            miss = np.abs(np.asarray(model.predict(data.X), dtype=np.float64).ravel() - y)
            largest = miss[weight > 0].max()
            lost = self._lost(np.minimum(miss / largest, 1.0) if largest > 0 else miss)
            error = float(now @ np.where(weight > 0, lost, 0.0))
            if error <= 0:
                return model, 1.0, 0.0, now, True
            if error >= 0.5:  # the first one stays, or nothing would be left
                return (model, 0.0, error, now, True) if first else (None, 0.0, error, now, True)
            odds = error / (1 - error)
            after = now * odds ** (self.learning_rate * (1 - lost))
            return model, float(self.learning_rate * np.log(1 / odds)), error, after / after.sum(), False

        return play

    def _base(self) -> Any:
        return DecisionTreeRegressor(max_depth=3) if self.estimator is None else self.estimator

    def _resamples(self) -> bool:
        return self.resample

    def _lost(self, share: Array) -> Array:
        if self.loss == "linear":
            return share
        return share**2 if self.loss == "square" else 1 - np.exp(-share)

    def _predict(self, X: Matrix) -> Array:
        return _weighted_median(self._answers(X), self.estimator_weights_)

    def _answers(self, X: Matrix) -> Array:
        return np.stack([np.asarray(model.predict(X)).ravel() for model in self.estimators_], axis=1)

    def staged_predict(self, X: Any) -> Iterator[Array]:
        """The predicted numbers after each round."""
        answers = self._answers(self._read(X))
        for count in range(1, len(self.estimators_) + 1):
            yield _weighted_median(answers[:, :count], self.estimator_weights_[:count])

    def staged_score(self, X: Any, y: Any, sample_weight: Any = None) -> Iterator[float]:
        """The coefficient of determination after each round."""
        for predicted in self.staged_predict(X):
            truth = self._validator.target(y, len(predicted), np.float64, True)
            yield r_squared(truth, predicted, self._validator.weights(sample_weight, len(predicted)))


def _mean_error(state: State) -> float:
    return float(np.mean(state["errors"])) if state["errors"] else 1.0


def _weighted_median(answers: Array, votes: Array) -> Array:
    """Of each row, the first answer in order at which half of the votes are reached."""
    order = np.argsort(answers, axis=1)
    reached = np.cumsum(votes[order], axis=1)
    place = (reached < 0.5 * reached[:, -1:]).sum(axis=1)
    rows = np.arange(len(answers))
    return np.asarray(answers[rows, order[rows, place]])
