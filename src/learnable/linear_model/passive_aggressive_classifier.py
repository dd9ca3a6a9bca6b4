"""Passive-aggressive classification."""

from __future__ import annotations

from typing import Any, Literal

from ..core import Array, Matrix, estimator, learned, param
from ..core.random import RandomState
from .course import Course
from .stochastic_classifier import StochasticClassifier


@estimator
class PassiveAggressiveClassifier(StochasticClassifier):
    """A linear classifier that leaves its weights alone while a margin is one, and else moves just as far as needed.

    w += y min(C, loss / |x|^2) x,    loss = max(0, 1 - y x w),    y in {-1, 1}

    With loss="squared_hinge" the length is loss / (|x|^2 + 1 / (2 C)). One step per row, in an order drawn anew for
    each epoch; a weight multiplies the step of its row. [Crammer et al., 2006]

    >>> X, y = [[-2.0], [-1.0], [1.0], [2.0]], [0, 0, 1, 1]
    >>> PassiveAggressiveClassifier(random_state=0).fit(X, y).predict([[-3.0], [3.0]])
    array([0, 1])
    """

    C: float = param(1.0, "longest step", above=0)
    fit_intercept: bool = param(True, "whether to learn a constant term")
    max_iter: int = param(1000, "most epochs", at_least=1)
    tol: float | None = param(1e-3, "gain per epoch below which the fit ends (None: after max_iter)", at_least=0)
    early_stopping: bool = param(False, "whether the accuracy on validation rows, not the loss, ends the fit")
    validation_fraction: float = param(0.1, "share of the rows kept for validation", above=0, below=1)
    n_iter_no_change: int = param(5, "epochs without gain that end the fit", at_least=1)
    shuffle: bool = param(True, "whether every epoch draws a new order of the rows")
    verbose: int = param(0, "accepted for compatibility; use learnable.progress()")
    loss: Literal["hinge", "squared_hinge"] = param("hinge", "which of the two lengths a step has")
    n_jobs: int | None = param(None, "accepted for compatibility; use learnable.threads(n)")
    random_state: RandomState = param(None, "seed of the orders and of the validation rows")
    warm_start: bool = param(False, "whether fit starts from the last weights")
    class_weight: dict[Any, Any] | Literal["balanced"] | None = param(None, "factors of the steps by class")
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
    reference = "Crammer et al., Online passive-aggressive algorithms, JMLR 7, 2006"

    def _course(self) -> Course:
        rate = "pa1" if self.loss == "hinge" else "pa2"
        return Course("hinge", rate=rate, eta=self.C, average=int(self.average))
