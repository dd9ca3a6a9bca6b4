"""Preparation of the data and paths of each target, for Lars, LassoLars and their cross-validated forms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from ...core import Array, Data, Trace
from ...core.errors import DataError, warn
from ...core.numeric import EPSILON
from ...engines.paths.lars import EXACT_VIOLATION, LarsPath, Rules, follow
from ...engines.paths.lars_products import ColumnProducts, GramProducts, Products, relative_rounding
from ...engines.standardised import Centred, CentredProducts, Units

UNIT = np.float64(EPSILON)  # machine epsilon, in the type of scikit-learn's default
Precompute = bool | Literal["auto"] | Array | None


@dataclass(frozen=True, slots=True)
class LarsProblem:
    """Prepared data, with a source of products for each target."""

    sources: Sequence[Products]
    units: Units

    @classmethod
    def of(cls, data: Data, centre: bool, precompute: Any, limit: int, positive: bool = False) -> LarsProblem:
        """Prepare `data`, with a Gram matrix if `precompute` requests it or it pays."""
        given = precompute if hasattr(precompute, "__array__") else None
        if given is not None or use_gram(data, precompute, limit):
            summed = CentredProducts.of(data.X, data.y, data.weight, centre)
            gram = summed.gram if given is None else _checked_gram(given, summed)
            pairs = zip(summed.cross, summed.squares, strict=True)
            return cls([GramProducts(gram, cross, float(square)) for cross, square in pairs], summed.units)
        ready = Centred.of(data.X, data.y, data.weight, centre)
        norms = np.sqrt(np.einsum("ij,ij->i", ready.columns, ready.columns))
        return cls([ColumnProducts(ready.columns, target, norms, positive) for target in ready.targets], ready.units)

    def follow(self, rules: Rules, alpha: float, limit: int, trace: Trace) -> list[LarsPath]:
        """The path of each target down to `alpha`, recorded in one trace."""
        rules, stopped = replace(rules, floor=self.units.levels(alpha)), trace.stopped
        paths = []
        for source in self.sources:
            paths.append(follow(source, rules, limit, trace, self.units.weight))
            unfinished = trace.stopped in ("limit", "budget", "interrupted")
            stopped = trace.stopped if unfinished or not stopped else stopped
        trace.stopped = stopped
        return paths


def use_gram(data: Data, precompute: Any, limit: int) -> bool:
    """Whether `precompute` requests a Gram matrix, or is automatic and it pays for `limit` steps."""
    if precompute != "auto":
        return precompute is True
    several = data.y.ndim == 2 and data.y.shape[1] > 1
    return (data.n > data.p and data.p <= 8 * limit) or (several and data.p <= 2000)


def _checked_gram(given: Any, summed: CentredProducts) -> Array:
    """A given Gram matrix, if it fits the centred and weighted columns; otherwise a recomputed one, with a warning."""
    gram = np.array(given, dtype=np.float64) * summed.units.scale_x**2
    if gram.shape != summed.gram.shape:
        raise DataError(f"precompute has shape {gram.shape}, but the Gram matrix has shape {summed.gram.shape}")
    if not np.allclose(gram, summed.gram, rtol=1e-7, atol=1e-7 * float(summed.gram.diagonal().max(initial=0.0))):
        warn("precompute is not the Gram matrix of the centred, weighted columns; it is recomputed", UserWarning)
    return summed.gram


def keep_paths(
    model: Any, problem: LarsProblem, paths: list[LarsPath], data: Data, trace: Trace, whole: bool = True
) -> None:
    """Set the learned attributes that describe the paths, in scikit-learn's shapes, and certify them."""
    units, dtype, several = problem.units, data.X.dtype, data.y.ndim == 2
    final = np.array([path.coefs[-1] for path in paths])
    alphas = [units.alphas(path.levels if whole else path.levels[-1:]).astype(dtype) for path in paths]
    coef, intercept = units.stored(final, dtype)
    steps = [path.steps for path in paths]
    model.coef_, model.intercept_ = (coef, intercept) if several else (coef[0], intercept[0])
    model.alphas_, model.n_iter_ = (alphas, steps) if several else (alphas[0], steps[0])
    if whole:
        active = [path.active for path in paths]
        whole_paths = [units.coefficients(path.coefs).astype(dtype, copy=False).T for path in paths]
        model.active_, model.coef_path_ = (active, whole_paths) if several else (active[0], whole_paths[0])
    certify_paths(trace, problem, paths, dtype)


def certify_paths(trace: Trace, problem: LarsProblem, paths: list[LarsPath], dtype: Any) -> None:
    """Certify the largest violation of the optimality conditions over the knots, as stored."""
    pairs = zip(problem.sources, paths, strict=True)
    violation = max(path.violation + relative_rounding(source, path.coefs, dtype) for source, path in pairs)
    trace.certify(
        "optimality at every knot", violation + EPSILON, max(EXACT_VIOLATION, 64 * float(np.finfo(dtype).eps)),
        "no column's product with the residual is off the path's conditions by more than this fraction of its length "
        "times that of the target.",
    )  # fmt: skip


def independence(eps: float) -> float:
    """The relative squared distance from the active columns below which a column counts as dependent."""
    return 100 * max(eps, EPSILON)


def jittered(data: Data, jitter: float | None, random_state: Any) -> Data:
    """Data with uniform noise added to the target, which makes ties unlikely."""
    if jitter is None:
        return data
    source = random_state if hasattr(random_state, "uniform") else np.random.RandomState(random_state)
    noise = source.uniform(0.0, jitter, size=data.n)
    return replace(data, y=data.y + (noise if data.y.ndim == 1 else noise[:, None]).astype(data.y.dtype))
