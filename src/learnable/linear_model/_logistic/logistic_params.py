"""What logistic regressions declare alike, whether they are given a penalty or choose it."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from ...core import Array, Matrix, RandomState, declaring, learned, param
from ...core.roles.classifier import ProbabilisticClassifier
from .._decision_function import SparseCoefficients, chances, decision, places
from .._linear_summary import Summary
from .logistic_objective import Solver
from .logistic_summary import LogisticStatistics, logistic_summary


@declaring
class LogisticModel(SparseCoefficients, ProbabilisticClassifier):
    """Classes whose log-odds are a weighted sum of columns."""

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
    max_iter: int = param(100, "most steps of a fit", at_least=0)
    verbose: int = param(0, "accepted for compatibility; use learnable.progress()")
    n_jobs: int | None = param(None, "accepted for compatibility; use learnable.threads()")
    strategy: Literal["multinomial", "ovr"] = param(
        "multinomial", "several classes: one model of all, or one of each class against the rest"
    )
    classes_: Array = learned("the classes, sorted", shape="classes")
    coef_: Array = learned("weights, a row per class, or one for two classes", shape="rows features")
    intercept_: Array = learned("constant terms", shape="rows")
    solver_: str = learned("how the optimum was found, of several fits that of the last")
    statistics_: LogisticStatistics = learned("what the coefficient table is made of")

    sparse = True
    storage = "csr"
    reference = "Cox, The regression analysis of binary sequences, JRSS B 20, 1958"

    def decision_function(self, X: Any) -> Array:
        """Log-odds of the second of two classes, or the scores of all classes, for the rows of `X`."""
        return decision(self, self._read(X))

    def _classify(self, X: Matrix) -> Array:
        return places(decision(self, X))

    def _probabilities(self, X: Matrix) -> Array:
        return chances(decision(self, X), self.strategy == "ovr")

    def predict_log_proba(self, X: Any) -> Array:
        """The logarithms of `predict_proba(X)`, without the loss of small ones."""
        scores = decision(self, self._read(X))
        if scores.ndim == 2 and self.strategy == "ovr":
            with np.errstate(divide="ignore"):
                return np.log(chances(scores, True))
        every = np.stack([np.zeros_like(scores), scores], axis=1) if scores.ndim == 1 else scores
        top = every.max(axis=1, keepdims=True)
        return np.asarray(every - top - np.log(np.exp(every - top).sum(axis=1, keepdims=True)))

    def summary(self, level: float = 0.95) -> Summary:
        """The coefficient table with odds ratios, and with standard errors, z and p unless coefficients are shrunk.

        Several classes are held against the first of them, or each against the rest if it was fitted so.
        """
        return logistic_summary(self, level)
