"""The perceptron."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from ..core import Array, Data, Matrix, ParameterError, Trace, estimator, learned, param
from ..core.runtime.random import RandomState
from ..engines.iterate import State
from ._sgd.batch_perceptron import BatchPerceptron
from ._sgd.sgd_base import Course
from ._sgd.sgd_classifier_base import StochasticClassifier


@estimator
class Perceptron(StochasticClassifier):
    """A plane that is turned towards every row on its wrong side, until there is none left.

    w += eta y x,  b += eta y    for each row with y (x w + b) <= 0,    y in {-1, 1}

    It ends with a separating plane after at most (R / margin)^2 mistakes if there is one, and never settles if there
    is none: see `mistakes_`, and Pocket. labels="zero-one" is the rule w += eta (y - h) x of targets 0 and 1, which
    differs for rows on the plane only: these count as class 1. mode="batch" adds all wrong rows of a pass at once,
    until a pass finds none. More than two classes are told apart one from the rest. [Rosenblatt, 1958; Novikoff, 1962]

    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1]  # and
    >>> model = Perceptron(shuffle=False).fit(X, y)
    >>> model.predict(X).tolist(), model.mistakes_.tolist()[-2:]
    ([0, 0, 0, 1], [0, 0])
    """

    penalty: Literal["l2", "l1", "elasticnet"] | None = param(None, "what weights cost")
    alpha: float = param(
        0.0001,
        "strength of the penalty, if there is one",
        at_least=0,
        tune=(1e-4, 1e-3, 1e-2, 0.1, 1.0),
        simpler="larger",
    )
    l1_ratio: float = param(0.15, "share of the absolute part of an elastic net", between=(0, 1))
    eta0: float = param(1.0, "length of a step", above=0)
    random_state: RandomState = param(0, "seed of the orders and of the validation rows")
    mode: Literal["online", "batch"] = param("online", "whether a step is made per row or per pass")
    labels: Literal["signs", "zero-one"] = param("signs", "whether a row on the plane is wrong, or of class 1")
    mistakes_: Array = learned("rows on the wrong side when their turn came, in each epoch", shape="epochs")

    reference = "Rosenblatt, The perceptron: a probabilistic model, Psychological Review 65, 1958"

    def _fit(self, data: Data, trace: Trace, begins: list[State] | None = None, once: bool = False) -> None:
        super()._fit(data, trace, begins, once)
        self.mistakes_ = trace["moves"].astype(np.int64)

    def _methods(self, data: Data, begins: list[State], tol: float) -> list[Any]:
        if self.mode == "online":
            return super()._methods(data, begins, tol)
        if self.penalty is not None or self.early_stopping:
            raise ParameterError(
                'Perceptron: mode="batch" has neither a penalty nor early_stopping; '
                f"got penalty={self.penalty!r} and early_stopping={self.early_stopping}"
            )
        step = (self.eta0, float(self.fit_intercept), self.labels == "zero-one")
        return [
            BatchPerceptron(data.X, signs, weight, *step, begin, tol)
            for signs, weight, begin in zip(*self._planes(data), begins, strict=True)
        ]

    def _certify(self, trace: Trace, methods: list[Any], states: list[State], whole: bool) -> None:
        mistakes = sum(float(state["numbers"][4]) for state in states)
        if mistakes == 0 and trace.stopped == "converged":
            trace.certify("mistakes", 0.0, 0.0, "the last epoch met no row on the wrong side: the planes separate.")
        elif self.mode == "batch" and trace.stopped == "limit" and self.tol is not None:
            trace.certify("mistakes", mistakes, 0.0, "so many rows were on the wrong side in the last epoch")
        else:
            super()._certify(trace, methods, states, whole and self.mode == "online")

    def _classify(self, X: Matrix) -> Array:
        scores = self._scores(X)
        if self.labels == "zero-one" and scores.ndim == 1:
            return (scores >= 0).astype(np.int64)
        return super()._classify(X)

    def _course(self) -> Course:
        rule = "perceptron" if self.labels == "signs" else "perceptron_zero_one"
        return Course(rule, 0.0, self.penalty, self.alpha, self.l1_ratio, "constant", self.eta0)
