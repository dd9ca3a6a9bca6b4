"""A linear model that is given more terms as long as that helps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core import ParameterError, cloned
from ..core.validate.sparse_input import checks_sparse
from ..model_selection.validation import scores_of_all_folds
from ..pipeline import FeatureUnion, Pipeline
from ..preprocessing import BasisExpansion, PolynomialFeatures, StandardScaler


@dataclass(frozen=True)
class EnhancementStep:
    """One step of forward selection: the terms tried, their validation scores, and whether they were kept."""

    terms: str
    score: float
    kept: bool


@dataclass(frozen=True)
class Enhancement:
    """Enhanced linear model, fitted to all rows, and the log of the steps."""

    estimator: Any
    trials: list[EnhancementStep]

    def __str__(self) -> str:
        wide = max(len(trial.terms) for trial in self.trials)
        lines = [f"{t.terms:<{wide}}  {t.score:12.6g}  {'kept' if t.kept else 'left'}" for t in self.trials]
        return "\n".join([f"{'terms':<{wide}}  {'score':>12}  decision", *lines])


@checks_sparse
def enhance_linear_model(
    X: Any,
    y: Any,
    estimator: Any = None,
    *,
    cv: Any = None,
    scoring: Any = None,
    max_degree: int = 5,
) -> Enhancement:
    """Forward selection of nonlinear terms, products of two columns and then powers, while validation improves.

    score(linear) -> score(linear + x_j x_k) -> score(... + x_j^2) -> score(... + x_j^3) -> ...

    Products that do not help are left out, and the first power that does not help ends the search. The columns of
    every trial are standardised inside the folds. The score is the mean over folds of `scoring`, or of the estimator's
    own (for regressors, R^2); the default estimator is a `LinearRegression`.

    >>> X = np.linspace(-1, 1, 40)[:, None]
    >>> found = enhance_linear_model(X, 1 + X[:, 0] ** 2, cv=[(range(0, 40, 2), range(1, 40, 2))])
    >>> [(trial.terms, trial.kept) for trial in found.trials]
    [('linear', True), ('powers to 2', True), ('powers to 3', False)]
    """
    if max_degree < 2:
        raise ParameterError(f"enhance_linear_model: max_degree must be at least 2; got {max_degree}")
    if estimator is None:
        import learnable

        estimator = learnable.LinearRegression()
    columns = np.shape(X)[1]

    def tried(crosses: bool, degree: int) -> tuple[float, Any]:
        model = _model(estimator, crosses, degree)
        return float(np.mean(scores_of_all_folds(model, X, y, cv=cv, scoring=scoring))), model

    best, model = tried(False, 1)
    trials, crosses = [EnhancementStep("linear", best, True)], False
    if columns > 1:
        score, candidate = tried(True, 1)
        crosses = _better(score, best)
        trials.append(EnhancementStep("products of two", score, crosses))
        best, model = (score, candidate) if crosses else (best, model)
    for degree in range(2, max_degree + 1):
        score, candidate = tried(crosses, degree)
        kept = _better(score, best)
        trials.append(EnhancementStep(f"powers to {degree}", score, kept))
        if not kept:
            break
        best, model = score, candidate
    return Enhancement(model.fit(X, y), trials)


def _better(score: float, best: float) -> bool:
    """Whether a score is better by more than rounding."""
    return score > best + 1e-9 * max(1.0, abs(best))


def _model(estimator: Any, crosses: bool, degree: int) -> Pipeline:
    """The estimator on linear terms, perhaps with products of two columns, and powers up to a degree."""
    terms: list[tuple[str, Any]] = [
        ("terms", PolynomialFeatures(2 if crosses else 1, interaction_only=True, include_bias=False))
    ]
    if degree > 1:
        terms.append(("powers", BasisExpansion([("power", power) for power in range(2, degree + 1)])))
    return Pipeline([("expand", FeatureUnion(terms)), ("scale", StandardScaler()), ("model", cloned(estimator))])
