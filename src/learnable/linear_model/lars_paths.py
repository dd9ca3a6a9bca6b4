"""Paths of least angle regression and of the lasso, as functions."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from ..core import Array, Data, ParameterError, Trace
from ..core.declare.checked_functions import checked, limits, numbers, only_numbers
from ..core.runtime.threads import single_threaded_blas
from ..core.validate.features import FeatureValidator
from ..engines.algebra.interruptible_lapack import interruptibly
from ..engines.paths.lars import LarsPath, Rules, follow
from ..engines.paths.lars_products import GramProducts
from ._lars.lars_fit import UNIT, LarsProblem, Precompute, independence

Method = Literal["lar", "lasso"]
RULES = {
    "Gram": limits(accepts=only_numbers, says="made of numbers"),
    "n_samples": limits(above=0),
    "max_iter": limits(at_least=0, infinite=True),
    "alpha_min": limits(at_least=0),
    "eps": limits(at_least=0),
}


@checked(**RULES)
def lars_path(
    X: Any,
    y: Any,
    Xy: Any = None,
    *,
    Gram: Precompute = None,
    max_iter: float = 500,
    alpha_min: float = 0,
    method: Method = "lar",
    copy_X: bool = True,
    eps: float = UNIT,
    copy_Gram: bool = True,
    verbose: int | bool = 0,
    return_path: bool = True,
    return_n_iter: bool = False,
    positive: bool = False,
    sample_weight: Any = None,
) -> tuple[Any, ...]:
    """The path of least angle regression (`method="lar"`) or of the lasso (`method="lasso"`), knot by knot.

    Returns (alphas, active, coefs) and, if `return_n_iter`, the number of steps: alphas of shape (knots,), the largest
    product of a column with the residual per sample; active, the active columns at the end; coefs of shape
    (features, knots), or of the last knot alone without `return_path`. Nothing is centred here. `Xy`, `copy_X`,
    `copy_Gram` and `verbose` are accepted for compatibility. [Efron, Hastie, Johnstone and Tibshirani, 2004]

    >>> alphas, active, coefs = lars_path([[1.0, 0.0], [0.0, 1.0]], [3.0, 1.0])
    >>> alphas, [int(j) for j in active], coefs
    (array([1.5, 0.5, 0. ]), [0, 1], array([[0., 2., 3.], [0., 0., 1.]]))
    """
    rules = _rules(method, positive, return_path, eps)
    if X is None:
        raise ParameterError("lars_path: X cannot be None; use lars_path_gram for Gram matrices")
    validator = FeatureValidator("lars_path")
    matrix, names = validator.matrix(X)
    target = validator.target(y, matrix.shape[0], matrix.dtype, False)
    data = Data(matrix, target, validator.weights(sample_weight, matrix.shape[0]), names)
    with single_threaded_blas():
        problem = LarsProblem.of(data, False, Gram, _limit(max_iter), positive)
        (path,) = problem.follow(rules, float(alpha_min), _limit(max_iter), Trace())
    units = problem.units
    alphas, coefs = units.alphas(path.levels), units.coefficients(path.coefs)
    return _result(path, alphas.astype(matrix.dtype), coefs.astype(matrix.dtype), return_path, return_n_iter)


@checked(**RULES)
def lars_path_gram(
    Xy: Array,
    Gram: Array,
    *,
    n_samples: float,
    max_iter: float = 500,
    alpha_min: float = 0,
    method: Method = "lar",
    copy_X: bool = True,
    eps: float = UNIT,
    copy_Gram: bool = True,
    verbose: int | bool = 0,
    return_path: bool = True,
    return_n_iter: bool = False,
    positive: bool = False,
) -> tuple[Any, ...]:
    """As `lars_path`, from the products alone: `Gram` is X'X and `Xy` is X'y of `n_samples` samples.

    >>> alphas, active, coefs = lars_path_gram([3.0, 1.0], [[1.0, 0.0], [0.0, 1.0]], n_samples=2)
    >>> coefs[:, -1]
    array([3., 1.])
    """
    rules = _rules(method, positive, return_path, eps)
    gram, cross = numbers("lars_path_gram", "Gram", Gram, None, None), numbers("lars_path_gram", "Xy", Xy, None)
    if gram.shape != (len(cross), len(cross)):
        raise ParameterError(
            f"lars_path_gram: Gram of shape {gram.shape} does not fit Xy of shape {cross.shape}; it needs a row "
            "and a column for each entry of Xy"
        )
    floor = float(alpha_min) * n_samples
    with single_threaded_blas():
        source = GramProducts(gram, cross, _square_of_target(gram, cross))
        full = Rules(rules.lasso, positive, floor, None, return_path, rules.independence)
        path = follow(source, full, _limit(max_iter), Trace(), float(n_samples))
    return _result(path, path.levels / n_samples, path.coefs, return_path, return_n_iter)


def _rules(method: str, positive: bool, keep_path: bool, eps: float) -> Rules:
    if method == "lar" and positive:
        raise ParameterError('positive coefficients need method="lasso"; they are not supported by "lar"')
    return Rules(method == "lasso", positive, keep_path=keep_path, independence=independence(eps))


def _limit(max_iter: float) -> int:
    return int(min(max_iter, 10**9))


def _square_of_target(gram: Array, cross: Array) -> float:
    """The squared length of the projection of the unknown target."""
    return float(cross @ interruptibly(np.linalg.lstsq, gram, cross, rcond=None)[0])


def _result(path: LarsPath, alphas: Array, coefs: Array, whole: bool, count: bool) -> tuple[Any, ...]:
    found = (alphas, path.active, coefs.T) if whole else (alphas[-1:], path.active, coefs[-1])
    return (*found, path.steps) if count else found
