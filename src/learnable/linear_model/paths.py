"""Lasso and elastic net for a whole range of strengths."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from ..core import Array, ConvergenceWarning, ParameterError
from ..core.data import Door
from ..core.errors import warn
from ..engines.minimise.coordinate import Effort, Problem, alpha_grid, solve_path
from .penalised import seed_for, use_gram

_ACCEPTED = {"tol", "max_iter", "random_state", "selection", "sample_weight", "do_screening", "X_offset", "X_scale"}


def lasso_path(
    X: Any,
    y: Any,
    *,
    eps: float = 1e-3,
    n_alphas: int | Literal["deprecated"] = "deprecated",
    alphas: Any = "warn",
    precompute: Any = "auto",
    Xy: Any = None,
    copy_X: bool = True,
    coef_init: Any = None,
    verbose: bool | int = False,
    return_n_iter: bool = False,
    positive: bool = False,
    **params: Any,
) -> tuple[Any, ...]:
    """Lasso coefficients for each of many strengths; `enet_path` with l1_ratio = 1.

    >>> alphas, coefs, gaps = lasso_path([[1.0], [2.0], [3.0]], [1.0, 2.0, 3.0], alphas=[2.0, 1.0])
    >>> coefs.round(3)
    array([[0.571, 0.786]])
    """
    return enet_path(
        X, y, l1_ratio=1.0, eps=eps, n_alphas=n_alphas, alphas=alphas, precompute=precompute, Xy=Xy, copy_X=copy_X,
        coef_init=coef_init, verbose=verbose, return_n_iter=return_n_iter, positive=positive, **params,
    )  # fmt: skip


def enet_path(
    X: Any,
    y: Any,
    *,
    l1_ratio: float = 0.5,
    eps: float = 1e-3,
    n_alphas: int | Literal["deprecated"] = "deprecated",
    alphas: Any = "warn",
    precompute: Any = "auto",
    Xy: Any = None,
    copy_X: bool = True,
    coef_init: Any = None,
    verbose: bool | int = False,
    return_n_iter: bool = False,
    positive: bool = False,
    check_input: bool = True,
    **params: Any,
) -> tuple[Any, ...]:
    """Strengths, coefficients (targets?, features, strengths) and duality gaps of the elastic net along a path.

    `alphas` are the strengths, or how many (default 100) to take from where all coefficients are zero to `eps` of that.
    There is no constant term: centre the data, or use an estimator. `params` may hold tol, max_iter, selection,
    random_state and sample_weight. `Xy`, `copy_X`, `verbose` and `check_input` are accepted for compatibility.

    >>> alphas, coefs, gaps = enet_path([[1.0], [2.0], [3.0]], [1.0, 2.0, 3.0], alphas=[2.0, 1.0])
    >>> coefs.round(3)
    array([[0.647, 0.806]])
    """
    _check(params, l1_ratio, eps)
    problem, target = _problem(X, y, positive, params.get("sample_weight"))
    use_gram(problem, precompute)
    count = 100 if isinstance(n_alphas, str) else n_alphas
    strengths = _strengths(problem, count if alphas is None or isinstance(alphas, str) else alphas, l1_ratio, eps)
    effort = Effort(params.get("tol", 1e-4), params.get("max_iter", 1000), seed_for(params))
    found = solve_path(problem, strengths * l1_ratio, strengths * (1 - l1_ratio), effort, coef_init)
    warn_unfinished("enet_path", found.gap <= found.tolerance)
    answer = (strengths, found.coef if target.ndim == 2 else found.coef[0], found.gap)
    return (*answer, np.maximum(found.passes, 1).tolist()) if return_n_iter else answer


def _check(params: dict[str, Any], l1_ratio: float, eps: float) -> None:
    unknown = set(params) - _ACCEPTED
    if unknown:
        raise ParameterError(f"Unexpected parameters in params: {', '.join(sorted(unknown))}")
    if not 0 <= l1_ratio <= 1:
        raise ParameterError(f"enet_path: l1_ratio must be between 0 and 1; got {l1_ratio!r}")
    if not eps > 0:
        raise ParameterError(f"enet_path: eps must be above 0; got {eps!r}")
    if params.get("selection", "cyclic") not in ("cyclic", "random"):
        raise ParameterError(f'enet_path: selection must be "cyclic" or "random"; got {params["selection"]!r}')


def _problem(X: Any, y: Any, positive: bool, sample_weight: Any) -> tuple[Problem, Array]:
    """The checked data as a problem without a constant term, and its target."""
    door = Door("enet_path", sparse=True)
    matrix, _ = door.matrix(X)
    target = door.target(y, matrix.shape[0], matrix.dtype, True)
    if target.ndim == 2 and positive:
        raise ParameterError("positive=True is not allowed for multi-output (y.ndim != 1)")
    weight = door.weights(sample_weight, matrix.shape[0])
    targets = target.shape[1] if target.ndim == 2 else 1
    problem = Problem(matrix, weight, centre=False, positive=positive, targets=targets)
    problem.aim(target)
    return problem, target


def _strengths(problem: Problem, alphas: Any, l1_ratio: float, eps: float) -> Array:
    """Strengths from strong to weak: those given, or a grid of that many."""
    if np.ndim(alphas) == 0:
        return alpha_grid(strongest_alpha(problem, l1_ratio), eps, int(alphas))
    strengths = np.sort(np.asarray(alphas, dtype=np.float64))[::-1]
    if not (strengths >= 0).all():
        raise ParameterError(f"alphas must all be at least 0; got {strengths[-1]:g}")
    return strengths


def strongest_alpha(problem: Problem, l1_ratio: float) -> float:
    """The smallest alpha at which all coefficients are zero."""
    if l1_ratio == 0:
        raise ParameterError(
            "Automatic alpha grid generation is not supported for l1_ratio=0, as no strength makes all coefficients "
            "zero. Please supply a grid by providing `alphas`"
        )
    return problem.strongest / l1_ratio


def warn_unfinished(owner: str, converged: Array) -> None:
    """Warn if some point of a path did not reach its tolerance."""
    missed = converged.size - np.count_nonzero(converged)
    if missed:
        warn(
            f"{owner}: {missed} of {converged.size} strengths ended before convergence; allow more passes, loosen tol, "
            "or scale the columns",
            ConvergenceWarning,
        )
