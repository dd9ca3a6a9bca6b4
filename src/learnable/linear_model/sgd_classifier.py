"""Linear classifier by stochastic gradient descent."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from ..core import Array, estimator, param
from ..core.sklearn_api.conditional_methods import available_if
from ._sgd.sgd_base import SGDConfig
from ._sgd.sgd_classifier_base import AveragedSGDClassifierBase
from ._sgd.sgd_params import GradientDescentParams, RateName

LossName = Literal[
    "hinge", "log_loss", "modified_huber", "squared_hinge", "perceptron", "exponential", "squared_error", "huber",
    "epsilon_insensitive", "squared_epsilon_insensitive",
]  # fmt: skip


def _has_probabilities(model: SGDClassifier) -> bool:
    if model.loss not in ("log_loss", "modified_huber", "exponential"):
        raise AttributeError(f"loss={model.loss!r} gives no probabilities; use 'log_loss' or 'modified_huber'")
    return True


@estimator
class SGDClassifier(GradientDescentParams, AveragedSGDClassifierBase):
    """Linear classifier by stochastic gradient descent, for large data and streams.

    minimise over w, b    mean_i s_i loss(y_i, x_i w + b)  +  alpha (l1_ratio |w|_1 + (1 - l1_ratio) |w|^2 / 2)

    y is -1 or 1: more than two classes are handled one versus rest. The loss chooses the model: "hinge" is the
    linear support vector machine, "log_loss" logistic regression, "perceptron" the perceptron. A step per row, in a
    new random order in each epoch; a weight multiplies the step of its row. Scale the columns first. Cost of an epoch:
    the entries of X for each plane. [Bottou, 2010; Tsuruoka et al., 2009]

    >>> X, y = [[-2.0], [-1.0], [1.0], [2.0]] * 50, ["no", "no", "yes", "yes"] * 50
    >>> model = SGDClassifier(loss="log_loss", random_state=0).fit(X, y)
    >>> model.predict([[-3.0], [3.0]]).tolist(), model.predict_proba([[3.0]]).round(2).tolist()
    (['no', 'yes'], [[0.0, 1.0]])
    """

    loss: LossName = param("hinge", "loss function of the margin", kw_only=False)
    learning_rate: RateName = param("optimal", "learning-rate schedule")
    power_t: float = param(0.5, "exponent of the step number in the invscaling schedule")

    title = "linear classifier by stochastic gradient descent"
    reference = "Bottou, Large-scale machine learning with stochastic gradient descent, COMPSTAT 2010"

    @available_if(_has_probabilities)
    def predict_proba(self, X: Any) -> Array:
        """The probability of each class, a column per entry of `classes_`, for the rows of `X`."""
        return self._probabilities(self._scores(self._read(X)))

    @available_if(_has_probabilities)
    def predict_log_proba(self, X: Any) -> Array:
        """The logarithms of `predict_proba(X)`."""
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.predict_proba(X)))

    def _probabilities(self, scores: Array) -> Array:
        loss = self._sgd_config().loss_function()
        positive = loss.predict(scores / 2 if self.loss == "log_loss" else scores)
        if positive.ndim == 1:
            return np.column_stack([1 - positive, positive])
        total = positive.sum(axis=1, keepdims=True)
        uniform = np.full_like(
            positive, 1 / positive.shape[1]
        )  # where all scores are zero, the classes are equally probable
        return np.asarray(np.divide(positive, total, out=uniform, where=total > 0))

    def _sgd_config(self) -> SGDConfig:
        return SGDConfig(
            self.loss, self.epsilon, self.penalty, self.alpha, self.l1_ratio, self.learning_rate, self.eta0,
            self.power_t, int(self.average),
        )  # fmt: skip
