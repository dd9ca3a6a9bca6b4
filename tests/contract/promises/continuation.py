"""Fits that go on from an earlier one: `partial_fit` in pieces, `warm_start` from before."""

from __future__ import annotations

import inspect
import warnings
from typing import Any

import numpy as np

from learnable.core.declare import params

from ..cases import assert_close, digest, fit_quietly, make, opinion, problem, tight
from ..promise import promise
from .files import stored
from .names import FRAMES, NAMES, refusal


def in_parts(cls: type) -> bool:
    return hasattr(make(cls), "partial_fit")


def next_part(model: Any, X: Any, y: Any) -> Any:
    """`partial_fit` on some rows; classifiers get all classes in the first call."""
    classes = {"classes": [0, 1, 2]} if "classes" in inspect.signature(model.partial_fit).parameters else {}
    return model.partial_fit(X, y, **classes)


@promise(made_by=in_parts)
def parts_go_on_also_from_a_file(cls: type) -> None:
    X, y = problem(cls)
    straight, broken = make(cls), make(cls)
    for rows in (slice(0, 20), slice(20, 40), slice(40, 60)):
        next_part(straight, X[rows], y[rows])
        broken = stored(next_part(broken, X[rows], y[rows]))
    assert digest(broken) == digest(straight), "something that partial_fit needs is not in the file"
    assert digest(straight) != digest(next_part(make(cls), X[40:], y[40:])), "the first parts are forgotten"


@promise(made_by=in_parts)
def parts_keep_columns_and_the_model(cls: type) -> None:
    X, y = problem(cls)
    model = next_part(make(cls), FRAMES["pandas"](X), y)
    before = digest(model)
    assert "order" in refusal(lambda: model.partial_fit(FRAMES["pandas"](X, NAMES[::-1]), y))
    spoiled = np.full_like(X, np.nan if cls.traits.missing == "refuse" else np.inf)
    assert refusal(lambda: model.partial_fit(FRAMES["pandas"](spoiled), y))
    assert digest(model) == before and list(model.feature_names_in_) == NAMES


@promise(made_by=lambda cls: "warm_start" in params.parameters(cls))
def warm_starts_go_on(cls: type) -> None:
    X, y = problem(cls)
    cold = fit_quietly(tight(cls), X, y)
    model = fit_quietly(tight(cls, warm_start=True), X, y)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Warm-start fitting without increasing")  # as scikit-learn warns
        fit_quietly(model, X, y)
    assert_close(
        opinion(model, X), opinion(cold, X), 1e-2 if cls.traits.stochastic else 1e-6, "a warm and a cold start"
    )
    assert model.trace_.iterations <= cold.trace_.iterations, "a warm start takes longer"
    assert "expecting 4 features" in refusal(lambda: model.fit(X[:, :2], y))
