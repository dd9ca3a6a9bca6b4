"""The perceptron."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from ..core import Array, Data, Matrix, ParameterError, Trace, estimator, learned, param
from ..core.runtime.random import RandomState
from ..engines.iterate import State
from ._sgd.batch_perceptron import BatchPerceptron
from ._sgd.sgd_base import SGDConfig
from ._sgd.sgd_classifier_base import SGDClassifierBase


@estimator
class Perceptron(SGDClassifierBase):
    """Perceptron: a linear classifier whose weights are corrected by misclassified rows.

    w += eta y x,  b += eta y    for each row with y (x w + b) <= 0,    y in {-1, 1}

    It finds a separating hyperplane after at most (R / margin)^2 mistakes if there is one, and does not converge
    otherwise: see `mistakes_`, and Pocket. labels="zero-one" is the rule w += eta (y - h) x of targets 0 and 1, which
    differs for rows on the hyperplane only: these count as class 1. mode="batch" adds all misclassified rows of a pass
    at once, until there are none. More than two classes are handled one versus rest. [Rosenblatt, 1958; Novikoff, 1962]

    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1]  # and
    >>> model = Perceptron(shuffle=False).fit(X, y)
    >>> model.predict(X).tolist(), model.mistakes_.tolist()[-2:]
    ([0, 0, 0, 1], [0, 0])
    """

    penalty: Literal["l2", "l1", "elasticnet"] | None = param(None, "penalty of the coefficients")
    alpha: float = param(
        0.0001,
        "regularisation strength, with a penalty",
        at_least=0,
        tune=(1e-4, 1e-3, 1e-2, 0.1, 1.0),
        simpler="larger",
    )
    l1_ratio: float = param(0.15, "fraction of the l1 part in an elastic net", between=(0, 1))
    eta0: float = param(1.0, "learning rate", above=0)
    random_state: RandomState = param(0, "seed of the row order and of the validation split")
    mode: Literal["online", "batch"] = param("online", "updates per row (online) or per pass (batch)")
    labels: Literal["signs", "zero-one"] = param(
        "signs", "whether a row on the hyperplane is misclassified, or of class 1"
    )
    mistakes_: Array = learned("number of misclassified rows met in each epoch", shape="epochs")

    title = "perceptron"
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
            trace.certify("mistakes", 0.0, 0.0, "the last epoch met no misclassified row: the hyperplanes separate.")
        elif self.mode == "batch" and trace.stopped == "limit" and self.tol is not None:
            trace.certify("mistakes", mistakes, 0.0, "number of misclassified rows in the last epoch")
        else:
            super()._certify(trace, methods, states, whole and self.mode == "online")

    def _classify(self, X: Matrix) -> Array:
        scores = self._scores(X)
        if self.labels == "zero-one" and scores.ndim == 1:
            return (scores >= 0).astype(np.int64)
        return super()._classify(X)

    def _sgd_config(self) -> SGDConfig:
        rule = "perceptron" if self.labels == "signs" else "perceptron_zero_one"
        return SGDConfig(rule, 0.0, self.penalty, self.alpha, self.l1_ratio, "constant", self.eta0)
