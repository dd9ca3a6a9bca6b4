"""Linear classification by stochastic gradient descent."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from ..core import Array, Matrix, estimator, learned, param
from ..core.available import available_if
from ..core.random import RandomState
from .course import Course
from .stochastic_classifier import StochasticClassifier

LossName = Literal[
    "hinge", "log_loss", "modified_huber", "squared_hinge", "perceptron", "exponential", "squared_error", "huber",
    "epsilon_insensitive", "squared_epsilon_insensitive",
]  # fmt: skip
RateName = Literal["constant", "optimal", "invscaling", "adaptive", "pa1", "pa2"]


def _has_probabilities(model: SGDClassifier) -> bool:
    if model.loss not in ("log_loss", "modified_huber", "exponential"):
        raise AttributeError(f"probability estimates are not available for loss={model.loss!r}")
    return True


@estimator
class SGDClassifier(StochasticClassifier):
    """A linear classifier that learns from one row at a time, for data that are many or that keep coming.

    minimise over w, b    mean_i s_i loss(y_i, x_i w + b)  +  alpha (l1_ratio |w|_1 + (1 - l1_ratio) |w|^2 / 2)

    y is -1 or 1: more than two classes are told apart one from the rest. The loss chooses the model: "hinge" is the
    linear support vector machine, "log_loss" logistic regression, "perceptron" the perceptron. A step per row, in an
    order drawn anew for each epoch; a weight multiplies the step of its row. Scale the columns first. Cost of an epoch:
    the entries of X for each plane. [Bottou, 2010; Tsuruoka et al., 2009]

    >>> X, y = [[-2.0], [-1.0], [1.0], [2.0]] * 50, ["no", "no", "yes", "yes"] * 50
    >>> model = SGDClassifier(loss="log_loss", random_state=0).fit(X, y)
    >>> model.predict([[-3.0], [3.0]]).tolist(), model.predict_proba([[3.0]]).round(2).tolist()
    (['no', 'yes'], [[0.0, 1.0]])
    """

    loss: LossName = param("hinge", "what a margin costs", kw_only=False)
    penalty: Literal["l2", "l1", "elasticnet"] | None = param("l2", "what weights cost")
    alpha: float = param(0.0001, "strength of the penalty", at_least=0)
    l1_ratio: float | None = param(0.15, "share of the absolute part of an elastic net", between=(0, 1))
    fit_intercept: bool = param(True, "whether to learn a constant term")
    max_iter: int = param(1000, "most epochs", at_least=1)
    tol: float | None = param(1e-3, "gain per epoch below which the fit ends (None: after max_iter)", at_least=0)
    shuffle: bool = param(True, "whether every epoch draws a new order of the rows")
    verbose: int = param(0, "accepted for compatibility; use learnable.progress()")
    epsilon: float = param(0.1, "where the losses of numbers with a tube or a bend have it", at_least=0)
    n_jobs: int | None = param(None, "accepted for compatibility; use learnable.threads(n)")
    random_state: RandomState = param(None, "seed of the orders and of the validation rows")
    learning_rate: RateName = param("optimal", "how the rate of the steps changes")
    eta0: float = param(0.01, "rate of the first step, or aggressiveness of pa1 and pa2", above=0)
    power_t: float = param(0.5, "power of the step number by which invscaling divides the rate")
    early_stopping: bool = param(False, "whether the accuracy on validation rows, not the objective, ends the fit")
    validation_fraction: float = param(0.1, "share of the rows kept for validation", above=0, below=1)
    n_iter_no_change: int = param(5, "epochs without gain that end the fit", at_least=1)
    class_weight: dict[Any, Any] | Literal["balanced"] | None = param(None, "factors of the steps by class")
    warm_start: bool = param(False, "whether fit starts from the last weights")
    average: bool | int = param(False, "whether to average the weights, or from which step on", at_least=0)
    classes_: Array = learned("the classes, sorted", shape="classes")
    coef_: Matrix = learned("weight of each column, for each class or for the second of two", shape="planes features")
    intercept_: Array = learned("constant term", shape="planes")
    n_iter_: int = learned("epochs done")
    t_: float = learned("number of the next step")
    standard_coef_: Array = learned("weights before averaging", shape="planes features", optional=True)
    standard_intercept_: Array = learned("constant term before averaging", shape="planes", optional=True)
    average_coef_: Array = learned("average of the weights", shape="planes features", optional=True)
    average_intercept_: Array = learned("average of the constant term", shape="planes", optional=True)

    sparse = True
    storage = "csr"
    stochastic = True
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
        price = self._course().price()
        likely = price.predict(scores / 2 if self.loss == "log_loss" else scores)
        if likely.ndim == 1:
            return np.column_stack([1 - likely, likely])
        total = likely.sum(axis=1, keepdims=True)
        share = np.full_like(likely, 1 / likely.shape[1])  # where every plane says no, all classes are alike likely
        return np.asarray(np.divide(likely, total, out=share, where=total > 0))

    def _course(self) -> Course:
        return Course(
            self.loss, self.epsilon, self.penalty, self.alpha, self.l1_ratio, self.learning_rate, self.eta0,
            self.power_t, int(self.average),
        )  # fmt: skip
