"""What factorisation machines share: where they start, which method fits them, how they score."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import Array, DataError, Matrix, Trace
from ..core.random import generator, seed_of
from ..engines import design
from ..engines.iterate import Method, State
from ..engines.minimise.factors import Factors, FactorSteps, FactorSweeps

LARGEST = 1e50  # entries whose products can still be squared and summed


def method_of(model: Any, X: Matrix, y: Array, weight: Array | None, logistic: bool, place: int) -> Method:
    """The method that `model` asks for, on targets `y`."""
    total = float(len(y)) if weight is None else float(weight.sum())
    share = np.full(len(y), 1 / total) if weight is None else weight / total
    largest = design.largest_entry(X)
    if largest > LARGEST:
        raise DataError(
            f"{type(model).__name__}: the largest entry of X is {largest:.3g} in size, and squares of products of such "
            "entries leave the range of floats; scale the columns to about one"
        )
    seed = seed_of(model.random_state)
    draws = generator(seed, place)
    p = X.shape[1]
    rows = X if design.is_sparse(X) else np.ascontiguousarray(X)
    columns = X.tocsc() if design.is_sparse(X) else np.asfortranarray(X)
    shrink = 2 * np.array([model.alpha_constant, model.alpha_linear, model.alpha_factors], dtype=np.float64) / total
    begin: State = {
        "constant": np.zeros(1),
        "w": np.zeros(p),
        "v": model.init_scale * draws.standard_normal((p, model.n_factors)),
    }
    factors = Factors(rows, columns, y, share, logistic, shrink, begin, model.tol)
    if model.solver == "als":
        return FactorSweeps(factors)
    return FactorSteps(factors, model.learning_rate, model.n_iter_no_change, int(draws.integers(2**63)))


def scores(X: Matrix, constant: float, w: Array, v: Array) -> Array:
    """The scores of a fitted machine."""
    from ..core.native import kernels

    out = np.empty(X.shape[0])
    rows = X if design.is_sparse(X) else np.ascontiguousarray(X)
    kernels.factor_scores(rows, float(constant), w.astype(np.float64), np.ascontiguousarray(v, dtype=np.float64), out)
    return out


def certify(model: Any, trace: Trace, states: list[State]) -> None:
    """The objective has many valleys: what is known is how little the last round still gained."""
    gain = max(max(state["gain"], 0.0) for state in states)
    gain = gain if np.isfinite(gain) else 1.0
    trace.certify(
        "relative gain", gain, model.tol,
        "the last round lowered the objective by no more than this share of the first; there may be other valleys.",
    )  # fmt: skip
