"""Orthogonal matching pursuit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ..core import Array, Data, DataError, Matrix, ParameterError, Regressor, Trace, Traits, estimator, learned, param
from ..core.declare.checked_functions import checked, limits, only_numbers
from ..core.errors import warn
from ..core.numeric import EPSILON
from ..core.runtime.threads import single_threaded_blas
from ..core.validate.features import FeatureValidator
from ..engines import matrix_products
from ..engines.algebra.interruptible_lapack import interruptibly
from ..engines.paths.lars_products import GramProducts, relative_rounding
from ..engines.paths.omp import EXACT_VIOLATION, ProductSource, Pursuit, pursue
from ..engines.paths.omp_products import in_place
from ..engines.standardised import Units
from ._gram_on_blocks import OnMoments
from ._lars.lars_fit import LarsProblem, use_gram


@estimator
class OrthogonalMatchingPursuit(OnMoments, Regressor):
    """Orthogonal matching pursuit: greedy forward selection, with least squares on the chosen columns.

    minimise over w, b    |y - Xw - b|^2    with at most n_nonzero_coefs entries of w not zero (or until it is <= tol)

    The choice is greedy, so better sets of columns may exist; on the chosen ones the fit is exact. Columns are
    compared by their product with the residual, so standardise them. [Pati, Rezaiifar and Krishnaprasad, 1993]

    >>> X, y = [[1.0, 0.0], [-1.0, 0.1], [0.5, -0.1]], [2.0, -2.0, 1.0]
    >>> OrthogonalMatchingPursuit(n_nonzero_coefs=1).fit(X, y).coef_
    array([2., 0.])
    """

    n_nonzero_coefs: int | None = param(
        None,
        "maximum number of columns; a tenth of them if None",
        at_least=1,
        tune=(1, 2, 5, 10, 20),
        simpler="smaller",
    )
    tol: float | None = param(
        None, "target of the residual sum of squares; it overrides the number of columns", at_least=0
    )
    fit_intercept: bool = param(True, "whether to fit an intercept")
    precompute: bool | Literal["auto"] = param("auto", "whether to use a Gram matrix")
    coef_: Array = learned("coefficient of each column", shape="targets? features")
    intercept_: float | Array = learned("intercept of the model", shape="targets?")
    n_nonzero_coefs_: int | None = learned("maximum number of columns, None with tol")
    n_iter_: Any = learned("number of columns chosen; a list for several targets")

    traits = Traits(multi_target=True, flat_target=True)
    title = "orthogonal matching pursuit"
    reference = "Pati, Rezaiifar and Krishnaprasad, Orthogonal matching pursuit, Asilomar 1993"

    def _fit(self, data: Data, trace: Trace) -> None:
        count = requested_columns("OrthogonalMatchingPursuit", self.n_nonzero_coefs, self.tol, data.p)
        self.n_nonzero_coefs_ = count if self.tol is None else None
        problem = Prepared.of(data, self.fit_intercept, self.precompute, count)
        found = pursue_all(problem, count, self.tol, trace)
        keep_pursuits(self, problem, found, data, trace)
        warn_unreached_tol("OrthogonalMatchingPursuit", trace)

    def _predict(self, X: Matrix) -> Array:
        return matrix_products.scores(X, self.coef_, self.intercept_)


def keep_pursuits(model: Any, problem: Prepared, found: list[Pursuit], data: Data, trace: Trace) -> None:
    """Set coefficients, intercepts and counts in scikit-learn's shapes, and certify that they are least squares."""
    final = np.zeros((len(found), data.p))
    for row, pursuit in zip(final, found, strict=True):
        row[pursuit.chosen] = pursuit.steps[-1] if pursuit.steps else 0.0
    dtype, several = data.X.dtype, data.y.ndim == 2 and data.y.shape[1] > 1
    coef, intercept = problem.units.stored(final, dtype)
    counts = [len(pursuit.chosen) for pursuit in found]
    squeeze = data.y.ndim == 1
    model.coef_, model.intercept_ = (coef[0], intercept[0]) if squeeze else (coef, intercept)
    model.n_iter_ = counts if several else counts[0]
    fits = zip(found, problem.sources, final, strict=True)
    violation = max(pursuit.violation + relative_rounding(source, row[None], dtype) for pursuit, source, row in fits)
    trace.certify(
        "orthogonality", violation + EPSILON, max(EXACT_VIOLATION, 64 * float(np.finfo(dtype).eps)),
        "chosen columns have products with the residual of at most this fraction of their length times that of "
        "the target: on them the fit is least squares.",
    )  # fmt: skip


_AS_GIVEN = Units(1.0, np.zeros(0), np.zeros(0), 1.0, 1.0)


@dataclass(frozen=True, slots=True)
class Prepared:
    """Prepared data, with a source of products for each target."""

    sources: Sequence[ProductSource]
    units: Units

    @classmethod
    def of(cls, data: Data, centre: bool, precompute: Any, count: int) -> Prepared:
        """Prepare `data` for `count` steps, with a Gram matrix if `precompute` requests it or it pays."""
        found = None if use_gram(data, precompute, count) else in_place(data.X, data.y, data.weight, centre)
        if found is not None:
            return cls(*found)
        problem = LarsProblem.of(data, centre, precompute, count)
        return cls(problem.sources, problem.units)


RULES = {
    "n_nonzero_coefs": limits(at_least=1),
    "tol": limits(at_least=0),
    "norms_squared": limits(at_least=0),
    **dict.fromkeys(("Gram", "Xy"), limits(accepts=only_numbers, says="made of numbers")),
}


@checked(**RULES)
def orthogonal_mp(
    X: Any,
    y: Any,
    *,
    n_nonzero_coefs: int | None = None,
    tol: float | None = None,
    precompute: bool | Literal["auto"] = False,
    copy_X: bool = True,
    return_path: bool = False,
    return_n_iter: bool = False,
) -> Any:
    """Orthogonal matching pursuit: coefficients of few columns, chosen by their correlation with the residual.

    As many as `n_nonzero_coefs` (a tenth of the columns if None), or until the residual sum of squares is at most
    `tol`. Returns coefs of shape (features,) or (features, targets), with an axis of steps at the end if `return_path`;
    and the number of columns, for each target if there are several, if `return_n_iter`. Nothing is centred or scaled.
    [Pati, Rezaiifar and Krishnaprasad, 1993]

    >>> orthogonal_mp(np.eye(3), np.array([3.0, 1.0, 2.0]), n_nonzero_coefs=2)
    array([3., 0., 2.])
    """
    validator = FeatureValidator("orthogonal_mp")
    matrix, names = validator.matrix(X)
    target = validator.target(y, matrix.shape[0], matrix.dtype, True)
    count = requested_columns("orthogonal_mp", n_nonzero_coefs, tol, matrix.shape[1])
    with single_threaded_blas():
        problem = Prepared.of(Data(matrix, target, None, names), False, precompute, count)
        trace = Trace()
        found = pursue_all(problem, count, tol, trace)
    warn_unreached_tol("orthogonal_mp", trace)
    coefs = [problem.units.coefficients(pursuit.coefs(matrix.shape[1])) for pursuit in found]
    return _result(coefs, found, target.ndim == 2 and target.shape[1] > 1, return_path, return_n_iter)


@checked(**RULES)
def orthogonal_mp_gram(
    Gram: Array,
    Xy: Array,
    *,
    n_nonzero_coefs: int | None = None,
    tol: float | None = None,
    norms_squared: float | Array | None = None,
    copy_Gram: bool = True,
    copy_Xy: bool = True,
    return_path: bool = False,
    return_n_iter: bool = False,
) -> Any:
    """As `orthogonal_mp`, from the products alone: `Gram` is X'X, `Xy` is X'y, and `norms_squared` is y'y, for `tol`.

    >>> orthogonal_mp_gram(np.eye(3), np.array([3.0, 1.0, 2.0]), n_nonzero_coefs=1)
    array([3., 0., 0.])
    """
    gram, cross = np.array(Gram, dtype=np.float64), np.array(Xy, dtype=np.float64)
    if gram.ndim != 2 or gram.shape != 2 * cross.shape[:1]:
        raise DataError(f"orthogonal_mp_gram: Gram of shape {gram.shape} does not fit Xy of shape {cross.shape}")
    if not (np.isfinite(gram).all() and np.isfinite(cross).all()):
        raise DataError("orthogonal_mp_gram: Gram and Xy must be finite numbers")
    if tol is not None and norms_squared is None:
        raise ParameterError("orthogonal_mp_gram: tol needs norms_squared, the sum of squares of each target")
    count = requested_columns("orthogonal_mp_gram", n_nonzero_coefs, tol, len(gram))
    targets = cross.reshape(len(gram), -1).T
    squares = np.ravel(np.asarray(norms_squared if tol is not None else [_projected(gram, t) for t in targets]))
    if len(squares) != len(targets):
        raise DataError(f"norms_squared has {len(squares)} entries for {len(targets)} targets; give one for each")
    pairs = zip(targets, squares, strict=True)
    sources = [GramProducts(gram, np.ascontiguousarray(target), float(square)) for target, square in pairs]
    trace = Trace()
    with single_threaded_blas():
        found = pursue_all(Prepared(sources, _AS_GIVEN), count, tol, trace)
    warn_unreached_tol("orthogonal_mp_gram", trace)
    coefs = [pursuit.coefs(len(gram)) for pursuit in found]
    return _result(coefs, found, len(targets) > 1, return_path, return_n_iter)


def requested_columns(owner: str, n_nonzero_coefs: int | None, tol: float | None, columns: int) -> int:
    """The maximum number of columns."""
    if tol is not None:
        return columns
    if n_nonzero_coefs is None:
        return max(int(0.1 * columns), 1)
    if not 0 < n_nonzero_coefs <= columns:
        raise ParameterError(
            f"{owner}: n_nonzero_coefs must be at least 1 and at most the number of columns, {columns}; "
            f"got {n_nonzero_coefs!r}"
        )
    return int(n_nonzero_coefs)


def pursue_all(problem: Prepared, count: int, tol: float | None, trace: Trace) -> list[Pursuit]:
    """A pursuit for each target, recorded in one trace; running out of columns matters only for a positive `tol`.

    A `tol` of zero requests all columns.
    """
    limit = None if tol is None else tol * problem.units.scale_y**2
    found, stopped = [], trace.stopped
    for source in problem.sources:
        found.append(pursue(source, count, limit, trace, problem.units.weight))
        if trace.stopped == "stalled" and not limit:
            trace.stopped = "converged"
        stopped = trace.stopped if trace.stopped != "converged" or not stopped else stopped
    trace.stopped = stopped
    return found


def warn_unreached_tol(owner: str, trace: Trace) -> None:
    """Warn of a `tol` that is not reached with all columns."""
    if trace.stopped == "stalled":
        trace.stopped = "limit"
        warn(
            f"{owner}: all independent columns are in, and the sum of squared residuals is still above tol; raise tol",
            RuntimeWarning,
        )


def _projected(gram: Array, cross: Array) -> float:
    """The squared length of the projection of the unknown target onto the columns."""
    return float(cross @ interruptibly(np.linalg.lstsq, gram, cross, rcond=None)[0])


def _result(coefs: list[Array], found: list[Pursuit], several: bool, path: bool, count: bool) -> Any:
    """The coefficients in the requested shape; paths of several targets are cut to the shortest."""
    if path:
        steps = min(len(part) for part in coefs)
        coefs_out = np.stack([part[:steps].T for part in coefs], axis=1)
    else:
        coefs_out = np.stack([part[-1] if len(part) else np.zeros(part.shape[1]) for part in coefs], axis=1)
    coefs_out = coefs_out if several else coefs_out[:, 0]
    counts: Any = [len(pursuit.chosen) for pursuit in found]
    return (coefs_out, counts if several else counts[0]) if count else coefs_out
