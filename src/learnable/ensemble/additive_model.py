"""A sum of models of any kind, added one after the other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np

from ..core import Array, Data, Matrix, RandomState, Regressor, Trace, estimator, learned, param
from ..core.files.learned_limits import flaw_of_members
from ..core.roles.estimator import cloned
from ..core.runtime.random import generator, seed_of
from ..core.sklearn_api.estimator_type import is_classifier
from ..engines.iterate import Progress, State, iterate
from ..engines.trees.growth_limits import dense
from ..parts import losses
from ..pipeline._steps import takes_weights, with_weights
from ._boosting.adaboost_base import as_rows, seeded
from ._boosting.boosting_regressor import unit_of_scores
from ._boosting.line_search import SLACK, best_factor
from ._boosting.single_feature import BestColumn
from ._warm_start import certify_stages

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
    """A score that grows by one small model after the other, of any kind and for any loss.

    minimise over b, beta at each stage    sum_i loss(y_i, f(x_i) + beta b(x_i)),    then f <- f + learning_rate beta b

    A base that predicts numbers fits the negative gradients by least squares; one that predicts classes learns their
    signs, with their sizes as weights; beta is then found by a line search. So stumps with the exponential loss of
    targets -1 and 1 are AdaBoost, trees with any loss are gradient boosting, and estimator="column", a line in the best
    column, is stagewise linear regression. [Friedman, Hastie and Tibshirani, 2000; Friedman, 2001]

    >>> X, y = [[0.0, 1.0], [1.0, 0.0], [2.0, 0.0], [3.0, 1.0]], [0.0, 2.0, 4.0, 6.0]
    >>> AdditiveModel("column", n_estimators=5).fit(X, y).predict(X).round(3)
    array([0., 2., 4., 6.])
    """

    estimator: Any = param(
        None,
        "the models that are added; None for stumps, column for a line in one column",
        kw_only=False,
        accepts=lambda value: value is None or value == "column" or hasattr(value, "fit"),
        says='an estimator, "column" or None',
    )
    loss: Losses = param("squared_error", "what a wrong score costs")
    n_estimators: int = param(50, "most stages", at_least=1, tune=(25, 50, 100, 200), simpler="smaller")
    learning_rate: float = param(
        1.0, "share of each model's answer that is added", above=0, tune=(0.1, 0.3, 1.0), simpler="smaller"
    )
    huber_slope: float = param(1.0, 'residual from which on loss="huber" is straight', above=0)
    random_state: RandomState = param(None, "seed of models that draw")
    estimators_: list[Any] = learned("the models", counts="stages")
    factors_: Array = learned("factor of each model", shape="stages")
    baseline_: float = learned("score before the first model")
    scale_: float = learned("unit of the scores, in that of the target")
    n_iter_: int = learned("stages done")

    parametric = False
    double_target = True
    stagewise = True
    stochastic = True
    reference = "Friedman, Hastie and Tibshirani, Additive logistic regression, Annals of Statistics 28, 2000"

    def _unsound(self) -> str:
        flaw = flaw_of_members(self.estimators_, self.n_features_in_)
        single = all(getattr(model, "n_outputs_", 1) == 1 for model in self.estimators_)
        return flaw or ("" if single else "estimators_ holds a model of several targets")

    def _fit(self, data: Data, trace: Trace) -> None:
        y = data.y.astype(np.float64)
        rows = np.arange(data.n) if data.weight is None else np.flatnonzero(data.weight > 0)
        in_units = self.loss in ("squared_error", "absolute_error", "huber")
        self.scale_ = unit_of_scores(y[rows]) if in_units else 1.0
        loss, y = self._loss(), y / self.scale_
        loss.check(y[rows])
        weight, base = None if data.weight is None else data.weight[rows], self._base()
        if (weight is not None or is_classifier(base)) and not takes_weights(base):
            raise TypeError(
                f"AdditiveModel: {type(base).__name__} takes no sample_weight, by which "
                f"{'a classifier learns which rows matter' if weight is None else 'rows count'}; take another estimator"
            )
        margins = self.loss in ("exponential", "deviance")  # a constant is no model among those that are added
        self.baseline_ = 0.0 if margins else loss.best_constant(y[rows], weight)
        X = dense(data.X)[rows]
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
        """The score of each row, which the loss makes predictions of."""
        return self._score(dense(self._read(X)))

    def _score(self, X: Array) -> Array:
        score = np.full(len(X), self.baseline_)
        for model, factor in zip(self.estimators_, self.factors_, strict=True):
            score += factor * answer(model, X)
        return score

    def _predict(self, X: Matrix) -> Array:
        return np.asarray(self._loss().predict(self._score(dense(X))) * self.scale_)

    def staged_predict(self, X: Any) -> Iterator[Array]:
        """The predictions after each stage."""
        matrix = dense(self._read(X))
        score = np.full(len(matrix), self.baseline_)
        for model, factor in zip(self.estimators_, self.factors_, strict=True):
            score = score + factor * answer(model, matrix)
            yield np.asarray(self._loss().predict(score) * self.scale_)


@dataclass(frozen=True)
class Rows:
    """What is learned from; weights of None are ones."""

    X: Array
    y: Array
    weight: Array | None


@dataclass(frozen=True)
class Stages:
    """Stages of models as a method of the common loop."""

    loss: Any
    base: Any
    rows: Rows
    begin: float
    rate: float
    seed: int

    @cached_property
    def share(self) -> Array:
        """The weights of the rows."""
        return np.ones(len(self.rows.y)) if self.rows.weight is None else self.rows.weight

    def start(self) -> State:
        """No model."""
        score = np.full(len(self.rows.y), self.begin)
        loss = self._mean_loss(score)
        return {"models": [], "factors": [], "score": score, "loss": loss, "first": loss, "rise": 0.0, "ended": False}

    def step(self, state: State) -> State:
        """One more model, or the end if none helps."""
        model = self._learned(state["score"], len(state["models"]))
        said = None if model is None else answer(model, self.rows.X)
        factor = 0.0 if said is None else best_factor(self.loss, self.rows.y, state["score"], said, self.share)
        if said is None or factor <= 0:
            return {**state, "ended": True}
        factor *= self.rate
        score = self._settled(state["score"] + factor * said)
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
        """Done when no model of the base lowers the loss."""
        return Progress(state["loss"], 0.0 if state["ended"] else 1.0, 0.0)

    def _learned(self, score: Array, stage: int) -> Any:
        """A model of the negative gradients; None if there are none left."""
        requested = -self.loss.gradient(self.rows.y, score)
        if not np.any(np.abs(requested) * self.share > 0):
            return None
        draws = generator(self.seed, stage)
        model = seeded(cloned(self.base), lambda: int(draws.integers(2**31)))
        if is_classifier(self.base):
            sign, size = np.where(requested < 0, -1, 1), np.abs(requested) * self.share
            return model.fit(self.rows.X, sign, sample_weight=size * (as_rows(self.share) / size.sum()))
        return model.fit(self.rows.X, requested, **with_weights(model, self.rows.weight, {}))

    def _settled(self, score: Array) -> Array:
        """Scores that meet their targets but for rounding, as the line search makes some at a kink of the loss, do."""
        if self.loss.smooth:
            return score
        near = np.abs(self.rows.y - score) <= SLACK * np.abs(self.rows.y).max()
        return np.where(near, self.rows.y, score)

    def _mean_loss(self, score: Array) -> float:
        return float(np.average(self.loss.value(self.rows.y, score), weights=self.share))


def answer(model: Any, X: Array) -> Array:
    """What a model of numbers, or of the classes -1 and 1, says of rows."""
    return np.asarray(model.predict(X), dtype=np.float64).reshape(len(X))
