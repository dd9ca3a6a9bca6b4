"""Base class of logistic regressions, with a given or a cross-validated penalty."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from ...core import Array, Matrix, RandomState, Traits, declaring, learned, param
from ...core.roles.classifier import ProbabilisticClassifier
from .._decision_function import SparseCoefficients, decision, predicted_codes, probabilities
from .._linear_summary import Summary
from .logistic_objective import Solver
from .logistic_summary import LogisticStatistics, logistic_summary


@declaring
class LogisticBase(SparseCoefficients, ProbabilisticClassifier):
    """Base class of logistic regressions."""

    dual: bool = param(False, "accepted for compatibility; the optimum is the same")
    tol: float = param(
        1e-4, "relative gradient norm that ends the fit; its square is reached if rounding allows", at_least=0
    )
    fit_intercept: bool = param(True, "whether to fit an intercept")
    intercept_scaling: float = param(
        1, "value of the constant column that represents the intercept with liblinear, which penalises it", above=0
    )
    class_weight: dict[Any, float] | Literal["balanced"] | None = param(
        None, 'weight of each class; "balanced": inversely proportional to class frequencies; None: one'
    )
    random_state: RandomState = param(None, "seed of the row order, with sag and saga")
    solver: Solver = param(
        "lbfgs",
        "optimisation method; all reach the same optimum, by a method that suits shape and penalty: newton-cholesky "
        "uses Newton's method, sag and saga start with stochastic epochs, liblinear penalises the intercept",
    )
    max_iter: int = param(100, "maximum number of iterations", at_least=0)
    verbose: int = param(0, "accepted for compatibility; use learnable.progress()")
    n_jobs: int | None = param(None, "accepted for compatibility; use learnable.threads(n)")
    strategy: Literal["multinomial", "ovr"] = param(
        "multinomial", "multiclass strategy: one multinomial model, or one model of each class versus the rest"
    )
    classes_: Array = learned("class labels, sorted", shape="classes")
    coef_: Array = learned("coefficients, a row per class, or one for two classes", shape="rows features")
    intercept_: Array = learned("intercept of each class or target", shape="rows")
    solver_: str = learned("optimisation method of the last fit")
    statistics_: LogisticStatistics = learned("statistics of the coefficient table")

    traits = Traits(sparse=True, storage="csr")
    reference = "Cox, The regression analysis of binary sequences, JRSS B 20, 1958"

    def decision_function(self, X: Any) -> Array:
        """Log-odds of the second of two classes, or the scores of all classes, for the rows of `X`."""
        return decision(self, self._read(X))

    def _classify(self, X: Matrix) -> Array:
        return predicted_codes(decision(self, X))

    def _probabilities(self, X: Matrix) -> Array:
        return probabilities(decision(self, X), self.strategy == "ovr")

    def predict_log_proba(self, X: Any) -> Array:
        """The logarithms of `predict_proba(X)`, accurate also for small ones."""
        scores = decision(self, self._read(X))
        if scores.ndim == 2 and self.strategy == "ovr":
            with np.errstate(divide="ignore"):
                return np.log(probabilities(scores, True))
        every = np.stack([np.zeros_like(scores), scores], axis=1) if scores.ndim == 1 else scores
        top = every.max(axis=1, keepdims=True)
        return np.asarray(every - top - np.log(np.exp(every - top).sum(axis=1, keepdims=True)))

    def summary(self, level: float = 0.95) -> Summary:
        """The coefficient table with odds ratios, and with standard errors, z and p unless coefficients are shrunk.

        Several classes are compared with the first, or each with the rest for strategy="ovr".
        """
        return logistic_summary(self, level)
