"""Candidates for counts and for positive skewed targets: Poisson and gamma regression, and logarithms."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from ..task import Question
from .model_candidate import ModelCandidate

MAX_MEDIAN = 1000  # of counts; larger whole numbers are amounts
SKEWED = 1.0  # minimum skewness of a positive target that gets candidates of its own


def kind_of_target(question: Question) -> str:
    """Whether a target of regression is `counts`, `positive and skewed`, or neither."""
    if question.task != "regression":
        return ""
    y = question.y.astype(np.float64)
    if y.min() < 0 or not np.isfinite(y).all():
        return ""
    away = y - y.mean()
    spread = float(np.sqrt((away**2).mean()))
    if spread == 0 or float(((away / spread) ** 3).mean()) < SKEWED * (y.min() > 0):
        return ""
    if not (y % 1).any() and np.median(y) <= MAX_MEDIAN:
        return "counts"
    return "positive and skewed" if y.min() > 0 else ""


def of_skewed_targets(question: Question) -> list[ModelCandidate]:
    """The additional candidates; those with a logarithmic link estimate the mean, the others the median."""
    import learnable as L

    kind = kind_of_target(question)
    if not kind or question.recommends:
        return []
    counts = kind == "counts"
    name = "Poisson" if counts else "gamma"
    loss: Literal["poisson", "gamma"] = "poisson" if counts else "gamma"
    glm: Any = L.PoissonRegressor if counts else L.GammaRegressor
    there, back = (np.log1p, np.expm1) if counts else (np.log, np.exp)
    return [
        ModelCandidate(f"{name} regression", lambda seed: glm(max_iter=1000), {"alpha": [0.0001, 0.01, 0.1, 1.0]}),
        ModelCandidate(
            "ridge regression of the logarithm",
            lambda seed: L.TransformedTargetRegressor(L.Ridge(), func=there, inverse_func=back),
            {"regressor__alpha": [0.1, 1.0, 10.0, 100.0]}, sparse=True,
        ),
        ModelCandidate(
            f"boosted trees, {name} loss", lambda seed: L.HistGradientBoostingRegressor(loss=loss, random_state=seed),
            {"learning_rate": [0.03, 0.1], "max_leaf_nodes": [7, 31]}, {"l2_regularization": [0.0, 10.0]},
        ),
    ]  # fmt: skip
