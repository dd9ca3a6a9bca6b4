"""Advice on lasso, ridge or elastic net: a rule of thumb, and a comparison by cross-validation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ..core import Array, DataError, Regressor
from ..core.declare.checked_functions import checked, limits
from ..core.runtime.random import RandomState, generator, seed_of
from ..core.validate.features import FeatureValidator
from .elastic_net_cv import ElasticNetCV
from .lasso_cv import LassoCV
from .ridge_cv import RidgeCV

Choice = Literal["lasso", "ridge", "elastic net"]
L1_RATIOS, N_ALPHAS = np.array([0.2, 0.5, 0.8]), 40  # tried for the elastic net, and for each of them and the lasso
FEW, MANY = 0.25, 0.5  # fractions of the columns that carry the coefficients
SURE = 0.95


@dataclass(frozen=True, slots=True)
class PenaltyAdvice:
    """Recommended penalty and the reason; `errors` holds the mean squared error of each penalty on each test fold.

    `carriers` is the number of columns that the coefficients are spread over, (sum |w|)^2 / sum w^2 of a ridge fit on
    columns of equal spread: 1 if a single column matters, all if all are equal. `rule` is the choice by it alone.
    """

    choice: Choice
    reason: str
    rule: Choice
    carriers: float
    errors: dict[str, Array]

    def __str__(self) -> str:
        lines = [f"{name:12} {errors.mean():.6g} mean squared error" for name, errors in self.errors.items()]
        return "\n".join([f"use {self.choice}: {self.reason}", *lines])


@checked(cv=limits(at_least=2))
def penalty_advice(X: Any, y: Any, *, cv: int = 5, random_state: RandomState = 0) -> PenaltyAdvice:
    """Advice on lasso, ridge or elastic net for a regression of `y` on `X`.

    Few strong columns suggest the lasso, many similar ones ridge, and in doubt the elastic net covers both. The rule of
    thumb uses a ridge fit; then all three, each with alpha chosen on the training rows, are compared by
    cross-validation. A significantly better one is advised, else that of the rule, else the elastic net. [Zou and
    Hastie, 2005]

    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(80, 20))
    >>> penalty_advice(X, 3 * X[:, 0] + rng.normal(size=80)).choice
    'lasso'
    """
    validator = FeatureValidator("penalty_advice")
    table, _ = validator.matrix(X)
    target = validator.target(y, len(table), np.float64, False)
    if len(table) < 2 * cv:
        raise DataError(f"penalty_advice: {cv} folds need at least {2 * cv} rows; got {len(table)}")
    table = table.astype(np.float64)
    whole, _ = _standardise(table, table)
    weights = np.abs(_ridge(len(table)).fit(whole, target).coef_)
    carriers = float(weights.sum() ** 2 / (weights @ weights)) if weights.any() else 0.0
    rule = _rule_of_thumb(carriers, table.shape[1])
    order = generator(seed_of(random_state)).permutation(len(table))
    parts = np.array_split(order, cv)
    errors = _errors(table, target, parts)
    choice, reason = _chosen(errors, rule, carriers, len(table), table.shape[1])
    return PenaltyAdvice(choice, reason, rule, carriers, errors)


def _rule_of_thumb(carriers: float, columns: int) -> Choice:
    """Few strong columns, many similar ones, or neither."""
    if carriers <= FEW * columns:
        return "lasso"
    return "ridge" if carriers >= MANY * columns else "elastic net"


def _ridge(rows: int) -> RidgeCV:
    return RidgeCV(alphas=rows * np.logspace(-5, 3, 33))


def _standardise(train: Array, test: Array) -> tuple[Array, Array]:
    """Columns standardised by the training rows."""
    mean, spread = train.mean(axis=0), train.std(axis=0)
    spread[spread <= 1e-12 * np.abs(train).max(axis=0)] = 1.0
    return (train - mean) / spread, (test - mean) / spread


def _errors(X: Array, y: Array, parts: list[Array]) -> dict[str, Array]:
    """Mean squared errors on each test fold; `mean` is the model without columns."""
    found: dict[str, list[float]] = {"lasso": [], "ridge": [], "elastic net": [], "mean": []}
    for index, test in enumerate(parts):
        train = np.concatenate(parts[:index] + parts[index + 1 :])
        inside, outside = _standardise(X[train], X[test])
        models: dict[str, Regressor] = {
            "lasso": LassoCV(alphas=N_ALPHAS),
            "ridge": _ridge(len(train)),
            "elastic net": ElasticNetCV(l1_ratio=L1_RATIOS, alphas=N_ALPHAS),
        }
        for name, model in models.items():
            found[name].append(float(np.mean((y[test] - model.fit(inside, y[train]).predict(outside)) ** 2)))
        found["mean"].append(float(np.mean((y[test] - y[train].mean()) ** 2)))
    return {name: np.array(values) for name, values in found.items()}


def _chosen(errors: dict[str, Array], rule: Choice, carriers: float, rows: int, columns: int) -> tuple[Choice, str]:
    spread = f"the coefficients are spread over about {carriers:.1f} of {columns} columns"
    best = min(("lasso", "ridge", "elastic net"), key=lambda name: float(errors[name].mean()))
    if not _clearly_less(errors[best], errors["mean"], rows):
        return "elastic net", f"no penalty predicts clearly better than the mean alone; {spread}."
    if _clearly_less(errors["lasso"], errors["ridge"], rows):
        return "lasso", f"it predicts clearly better than ridge; {spread}."
    if _clearly_less(errors["ridge"], errors["lasso"], rows):
        return "ridge", f"it predicts clearly better than the lasso; {spread}."
    if rule == "elastic net":
        return "elastic net", f"lasso and ridge predict alike, and {spread}, neither few nor most."
    return rule, f"lasso and ridge predict alike, and {spread}: {'few' if rule == 'lasso' else 'most'} of them."


def _clearly_less(ours: Array, theirs: Array, rows: int) -> bool:
    """Whether errors are significantly smaller by the corrected resampled t test. [Nadeau and Bengio, 2003]"""
    from scipy.special import stdtrit

    apart, folds = theirs - ours, len(ours)
    test = rows / folds
    error = np.sqrt(apart.var(ddof=1) * (1 / folds + test / (rows - test)))
    return bool(apart.mean() > stdtrit(folds - 1, SURE) * error)
