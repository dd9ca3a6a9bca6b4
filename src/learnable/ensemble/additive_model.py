"""Forward stagewise additive modelling with any base estimator and loss."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np

from ..core import (
    Array,
    Data,
    Matrix,
    RandomState,
    Regressor,
    Trace,
    Traits,
    estimator,
    fitted_estimator,
    learned,
    param,
)
from ..core.files.learned_limits import flaw_of_members
from ..core.roles.estimator import cloned
from ..core.runtime.random import generator, seed_of
from ..core.sklearn_api.estimator_type import is_classifier
from ..core.validate.sparse_input import as_dense
from ..engines.iterate import Progress, State, iterate
from ..engines.trees.boosting_iterations import certify_stages
from ..parts import losses
from ..pipeline._steps import takes_weights, with_weights
from ._boosting.adaboost_base import row_count_of_weights, set_seeds
from ._boosting.boosting_regressor import score_scale
from ._boosting.line_search import SLACK, best_step
from ._boosting.single_feature import BestColumn

Losses = Literal[
    "squared_error", "absolute_error", "huber", "log_cosh", "poisson", "gamma", "logistic", "exponential", "deviance"
]
KINDS = {
    "squared_error": "Squared",
    "absolute_error": "Absolute",
    "huber": "Huber",
    "log_cosh": "LogCosh",
    "poisson": "Poisson",
    "gamma": "Gamma",
    "logistic": "Logistic",
    "exponential": "Exponential",
    "deviance": "BinomialDeviance",
}


@estimator
class AdditiveModel(Regressor):
    """Forward stagewise additive model: a sum of base estimators fitted one after the other, for any loss.

    minimise over b, beta at each stage    sum_i loss(y_i, f(x_i) + beta b(x_i)),    then f <- f + learning_rate beta b

    A base regressor fits the negative gradients by least squares; a base classifier fits their signs, weighted by their
    absolute values; beta is then found by a line search. Stumps with the exponential loss of targets -1 and 1 are
    AdaBoost, trees with any loss are gradient boosting, and estimator="column", simple regression on the best column,
    is forward stagewise linear regression. [Friedman, Hastie and Tibshirani, 2000; Friedman, 2001]

    >>> X, y = [[0.0, 1.0], [1.0, 0.0], [2.0, 0.0], [3.0, 1.0]], [0.0, 2.0, 4.0, 6.0]
    >>> AdditiveModel("column", n_estimators=5).fit(X, y).predict(X).round(3)
    array([0., 2., 4., 6.])
    """

    estimator: Any = param(
        None,
        'base estimator; None for stumps, "column" for simple linear regression on the best column',
        kw_only=False,
        accepts=lambda value: value is None or value == "column" or hasattr(value, "fit"),
        says='an estimator, "column" or None',
    )
    loss: Losses = param("squared_error", "loss function")
    n_estimators: int = param(
        50, "maximum number of boosting stages", at_least=1, tune=(25, 50, 100, 200), simpler="smaller"
    )
    learning_rate: float = param(
        1.0, "learning rate: factor of each added model", above=0, tune=(0.1, 0.3, 1.0), simpler="smaller"
    )
    huber_slope: float = param(1.0, 'absolute residual from which on loss="huber" is linear', above=0)
    random_state: RandomState = param(None, "seed of base estimators that are random")
    estimators_: list[Any] = learned("the fitted base estimators", counts="stages")
    factors_: Array = learned("coefficient beta of each model", shape="stages")
    baseline_: float = learned("score before the first model")
    scale_: float = learned("scale of the scores, in units of the target")
    n_iter_: int = learned("number of boosting stages")

    traits = Traits(double_target=True, stochastic=True, parametric=False)
    stagewise = True
    title = "forward stagewise additive model"
    reference = "Friedman, Hastie and Tibshirani, Additive logistic regression, Annals of Statistics 28, 2000"

    def _unsound(self) -> str:
        flaw = flaw_of_members(self.estimators_, self.__dict__.get("n_features_in_"))
        single = all(getattr(model, "n_outputs_", 1) == 1 for model in self.estimators_)
        return flaw or ("" if single else "estimators_ holds a model of several targets")

    def _fit(self, data: Data, trace: Trace) -> None:
        y = data.y.astype(np.float64)
        rows = np.arange(data.n) if data.weight is None else np.flatnonzero(data.weight > 0)
        scaled = self.loss in ("squared_error", "absolute_error", "huber")
        self.scale_ = score_scale(y[rows]) if scaled else 1.0
        loss, y = self._loss(), y / self.scale_
        loss.check(y[rows])
        weight, base = None if data.weight is None else data.weight[rows], self._base()
        if (weight is not None or is_classifier(base)) and not takes_weights(base):
            raise TypeError(
                f"AdditiveModel: {type(base).__name__} does not accept sample_weight, which "
                f"{'a base classifier needs for boosting' if weight is None else 'was given'}; choose another estimator"
            )
        margins = self.loss in ("exponential", "deviance")  # margin losses start from zero, as AdaBoost does
        self.baseline_ = 0.0 if margins else loss.best_constant(y[rows], weight)
        X = as_dense(data.X)[rows]
        rate, seed = self.learning_rate, seed_of(self.random_state)
        method = Stages(loss, base, Rows(X, y[rows], weight), self.baseline_, rate, seed)
        state = iterate(method, self.n_estimators, trace)
        self.estimators_ = state["models"]
        self.factors_ = np.array(state["factors"], dtype=np.float64)
        self.n_iter_ = len(self.estimators_)
        left = 0 if trace.stopped == "converged" else self.n_estimators - self.n_iter_
        certify_stages(trace, state, left)

    def _base(self) -> Any:
        if self.estimator is None:
            from ..tree import DecisionTreeRegressor

            return DecisionTreeRegressor(max_depth=1)
        return BestColumn() if isinstance(self.estimator, str) else self.estimator

    def _loss(self) -> Any:
        if self.loss == "huber":
            return losses.Huber(self.huber_slope / self.scale_)
        return getattr(losses, KINDS[self.loss])()

    def raw_scores(self, X: Any) -> Array:
        """The raw score of each row, before the link function of the loss."""
        return self._score(as_dense(self._read(X)))

    def _score(self, X: Array) -> Array:
        score = np.full(len(X), self.baseline_)
        for model, factor in zip(self.estimators_, self.factors_, strict=True):
            score += factor * predict_scores(model, X)
        return score

    def _predict(self, X: Matrix) -> Array:
        return np.asarray(self._loss().predict(self._score(as_dense(X))) * self.scale_)

    def staged_predict(self, X: Any) -> Iterator[Array]:
        """The predictions after each stage."""
        matrix = as_dense(self._read(X))
        score = np.full(len(matrix), self.baseline_)
        for model, factor in zip(self.estimators_, self.factors_, strict=True):
            score = score + factor * predict_scores(model, matrix)
            yield np.asarray(self._loss().predict(score) * self.scale_)


@dataclass(frozen=True)
class Rows:
    """The training set; weights of None are ones."""

    X: Array
    y: Array
    weight: Array | None


@dataclass(frozen=True)
class Stages:
    """Stagewise additive modelling as a method of the common loop."""

    loss: Any
    base: Any
    rows: Rows
    baseline: float
    rate: float
    seed: int

    @cached_property
    def weights(self) -> Array:
        """The weights of the rows."""
        return np.ones(len(self.rows.y)) if self.rows.weight is None else self.rows.weight

    def start(self) -> State:
        """No models."""
        score = np.full(len(self.rows.y), self.baseline)
        loss = self._mean_loss(score)
        return {"models": [], "factors": [], "score": score, "loss": loss, "first": loss, "rise": 0.0, "ended": False}

    def step(self, state: State) -> State:
        """One more model, or the end if none lowers the loss."""
        model = self._fit_next(state["score"], len(state["models"]))
        direction = None if model is None else predict_scores(model, self.rows.X)
        factor = 0.0
        if direction is not None:
            factor = best_step(self.loss, self.rows.y, state["score"], direction, self.weights)
        if direction is None or factor <= 0:
            return {**state, "ended": True}
        factor *= self.rate
        score = self._snap_to_targets(state["score"] + factor * direction)
        loss = self._mean_loss(score)
        return {
            "models": [*state["models"], model],
            "factors": [*state["factors"], factor],
            "score": score,
            "loss": loss,
            "first": state["first"],
            "rise": max(state["rise"], loss - state["loss"]),
            "ended": False,
        }

    def progress(self, state: State) -> Progress:
        """Converged when no base estimator lowers the loss."""
        return Progress(state["loss"], 0.0 if state["ended"] else 1.0, 0.0)

    def _fit_next(self, score: Array, stage: int) -> Any:
        """A model fitted to the negative gradients; None if they all vanish."""
        target = -self.loss.gradient(self.rows.y, score)
        if not np.any(np.abs(target) * self.weights > 0):
            return None
        draws = generator(self.seed, stage)
        model = set_seeds(cloned(self.base), lambda: int(draws.integers(2**31)))
        if is_classifier(self.base):
            sign, size = np.where(target < 0, -1, 1), np.abs(target) * self.weights
            return fitted_estimator(
                model, self.rows.X, sign, sample_weight=size * (row_count_of_weights(self.weights) / size.sum())
            )
        return fitted_estimator(model, self.rows.X, target, **with_weights(model, self.rows.weight, {}))

    def _snap_to_targets(self, score: Array) -> Array:
        """Scores, set to their targets where they agree up to rounding: a line search ends at kinks of the loss."""
        if self.loss.smooth:
            return score
        near = np.abs(self.rows.y - score) <= SLACK * np.abs(self.rows.y).max()
        return np.where(near, self.rows.y, score)

    def _mean_loss(self, score: Array) -> float:
        return float(np.average(self.loss.value(self.rows.y, score), weights=self.weights))


def predict_scores(model: Any, X: Array) -> Array:
    """Predictions of a regressor, or of a classifier with classes -1 and 1, as scores."""
    return np.asarray(model.predict(X), dtype=np.float64).reshape(len(X))
