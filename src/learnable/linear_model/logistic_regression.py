"""Logistic regression: probabilities of classes from a weighted sum of columns."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from ..core import Array, Data, Matrix, RandomState, Trace, estimator, learned, param
from ..core.classifier import ProbabilisticClassifier
from .linear_scores import SparseCoefficients, chances, decision, places
from .logistic import PenaltyName, Solver, blend_of
from .logistic_fit import fit_logistic
from .logistic_summary import LogisticStatistics, logistic_summary
from .summary import Summary


@estimator
class LogisticRegression(SparseCoefficients, ProbabilisticClassifier):
    """Classes whose log-odds are a weighted sum of columns.

    minimise over w, b    C sum_i s_i loss(y_i, x_i w + b) + l1_ratio |w|_1 + (1 - l1_ratio) |w|^2 / 2

    The loss is log(1 + e^-m) with margin m for two classes, log sum_k e^z_k - z_y for more; a column that rises by one
    adds w to the log-odds. The solver is chosen by shape and penalty: Newton's method for few columns, L-BFGS for many,
    proximal Newton steps on working sets where l1_ratio > 0, SAGA first if asked for; C = inf leaves the penalty out,
    and says so if the classes are separable. [Cox, 1958]

    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], ["no", "yes", "no", "yes"]
    >>> LogisticRegression(C=10.0).fit(X, y).predict_proba([[3.0]]).round(3)
    array([[0.227, 0.773]])
    """

    penalty: PenaltyName | None = param("deprecated", "scikit-learn's former way to say l1_ratio or C", kw_only=False)
    C: float = param(
        1.0, "inverse of the strength of the penalty; inf for none", above=0,
        tune=(1e-3, 1e-2, 0.1, 1.0, 10.0, 100.0, 1e3), simpler="smaller",
    )  # fmt: skip
    l1_ratio: float | None = param(0.0, "share of the absolute part of the penalty", between=(0, 1))
    dual: bool = param(False, "accepted for compatibility; the optimum is the same")
    tol: float = param(1e-4, "largest relative gradient; the fit goes on to its square if rounding allows", at_least=0)
    fit_intercept: bool = param(True, "whether to learn a constant term")
    intercept_scaling: float = param(1, "size of the constant column that liblinear penalises", above=0)
    class_weight: dict[Any, float] | Literal["balanced"] | None = param(
        None, 'weight of each class, "balanced" to let all count alike, None for one'
    )
    random_state: RandomState = param(None, "seed of the order of the rows, with sag and saga")
    solver: Solver = param(
        "lbfgs",
        "all reach the optimum, found as suits shape and penalty; newton-cholesky insists on Newton's method, sag and "
        "saga go there by stochastic epochs as long as these are fast, liblinear penalises the constant",
    )
    max_iter: int = param(100, "most steps", at_least=0)
    verbose: int = param(0, "accepted for compatibility; use learnable.progress()")
    warm_start: bool = param(False, "whether to start from what was learned before")
    n_jobs: int | None = param(None, "accepted for compatibility; use learnable.threads()")
    strategy: Literal["multinomial", "ovr"] = param(
        "multinomial", "several classes: one model of all, or one of each class against the rest"
    )
    classes_: Array = learned("the classes, sorted", shape="classes")
    coef_: Array = learned("weights, a row per class, or one for two classes", shape="rows features")
    intercept_: Array = learned("constant terms", shape="rows")
    n_iter_: Array = learned("steps and epochs done, for each fit", shape="fits")
    solver_: str = learned("how the optimum was found")
    statistics_: LogisticStatistics = learned("what the coefficient table is made of")

    sparse = True
    storage = "csr"
    reference = "Cox, The regression analysis of binary sequences, JRSS B 20, 1958"

    def _fit(self, data: Data, trace: Trace) -> None:
        C, l1_ratio = blend_of(self)
        fit_logistic(self, data, C, l1_ratio, trace)

    def decision_function(self, X: Any) -> Array:
        """Log-odds of the second of two classes, or the scores of all classes, for the rows of `X`."""
        return decision(self, self._read(X))

    def _classify(self, X: Matrix) -> Array:
        return places(decision(self, X))

    def _probabilities(self, X: Matrix) -> Array:
        return chances(decision(self, X), self.strategy == "ovr")

    def summary(self, level: float = 0.95) -> Summary:
        """The coefficient table with standard errors, z, p, odds ratios and intervals at `level`.

        Several classes are held against the first of them, or each against the rest if it was fitted so.
        """
        return logistic_summary(self, level)

    def predict_log_proba(self, X: Any) -> Array:
        """The logarithms of `predict_proba(X)`, without the loss of small ones."""
        scores = decision(self, self._read(X))
        if scores.ndim == 2 and self.strategy == "ovr":
            with np.errstate(divide="ignore"):
                return np.log(chances(scores, True))
        every = np.stack([np.zeros_like(scores), scores], axis=1) if scores.ndim == 1 else scores
        top = every.max(axis=1, keepdims=True)
        return np.asarray(every - top - np.log(np.exp(every - top).sum(axis=1, keepdims=True)))
