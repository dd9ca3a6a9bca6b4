"""A weight counts copies: three is three rows, zero is none."""

from __future__ import annotations

from typing import Any

import numpy as np

from learnable.core.declare import params

from ..cases import (
    assert_close,
    fit,
    fit_quietly,
    for_sparse,
    learns_classes,
    make,
    opinion,
    problem,
    tight,
    with_zeros,
)
from ..promise import promise

TOLERANCE = 1e-6


def repeated(cls: type) -> tuple[Any, ...]:
    """A problem, whole-number weights, and the rows that these stand for, shuffled."""
    X, y = problem(cls, rows=30)
    count = np.random.default_rng(1).integers(0, 4, len(X))
    copies = np.random.default_rng(2).permutation(np.repeat(np.arange(len(X)), count))
    return X, y, count.astype(float), copies


def with_folds(cls: type, groups: np.ndarray) -> dict[str, Any]:
    """Folds in which all copies of a row stay together, for estimators that validate."""
    if "cv" not in params.parameters(cls):
        return {}
    return {"cv": [(np.flatnonzero(groups % 3 != k), np.flatnonzero(groups % 3 == k)) for k in range(3)]}


def agree(cls: type, as_matrix: Any, **changes: Any) -> None:
    X, y, weight, copies = repeated(cls)
    rows = np.arange(len(X))
    weighted = fit_quietly(tight(cls, **with_folds(cls, rows), **changes), as_matrix(X), y, weight)
    copied = fit_quietly(tight(cls, **with_folds(cls, copies), **changes), as_matrix(X[copies]), y[copies])
    assert_close(opinion(weighted, as_matrix(X)), opinion(copied, as_matrix(X)), TOLERANCE, "weights and copies")


@promise(made_by=lambda cls: cls.traits.weights)
def weights_are_copies(cls: type) -> None:
    agree(cls, np.asarray)


@promise(made_by=lambda cls: cls.traits.weights and cls.traits.sparse)
def weights_are_copies_in_sparse_data(cls: type) -> None:
    from scipy import sparse

    agree(cls, lambda X: sparse.csr_array(with_zeros(cls, X)), **for_sparse(cls))


@promise(made_by=lambda cls: cls.traits.weights)
def weight_zero_is_no_row(cls: type) -> None:
    X, y = problem(cls, rows=30)
    kept = np.arange(30) % 3 != 0
    spoiled_X, spoiled_y = X.copy(), y.copy()
    spoiled_X[~kept] *= 1e6
    if not learns_classes(cls):
        spoiled_y[~kept] *= 1e6
    part = fit_quietly(tight(cls, **with_folds(cls, np.arange(kept.sum()) // 2)), X[kept], y[kept])
    folds = with_folds(cls, np.where(kept, np.cumsum(kept) - 1, 0) // 2)
    weighted = fit_quietly(tight(cls, **folds), spoiled_X, spoiled_y, kept.astype(float))
    assert_close(opinion(weighted, X), opinion(part, X), TOLERANCE, "weight zero and no row")


@promise(made_by=lambda cls: cls.traits.weights)
def equal_weights_change_nothing(cls: type) -> None:
    X, y = problem(cls)
    plain = fit_quietly(tight(cls), X, y)
    ones = fit_quietly(tight(cls), X, y, np.ones(len(X)))
    assert_close(opinion(ones, X), opinion(plain, X), TOLERANCE, "weights of one and no weights")


@promise(made_by=lambda cls: not cls.traits.weights)
def weights_without_meaning_are_not_taken(cls: type) -> None:
    X, y = problem(cls)
    try:
        fit(make(cls), X, y, np.ones(len(X)))
    except TypeError:
        return
    raise AssertionError("weights are taken, but not declared")
