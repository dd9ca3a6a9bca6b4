"""Regularisation paths of the lasso and elastic net."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ..core import Array, ConvergenceWarning, DataError, ParameterError
from ..core.declare.checked_functions import checked, limits, only_numbers
from ..core.declare.params import check_of, check_value
from ..core.errors import warn
from ..core.runtime.random import RandomState
from ..core.validate.features import FeatureValidator
from ..engines.minimise.coordinate import SolverSettings, StandardisedLeastSquares, alpha_grid, solve_path
from ..parts.penalties import ElasticNet, GroupL2
from ._penalised.penalised_fit import seed_for, use_gram

Alphas = int | Array | Literal["warn"] | None
Precompute = bool | Literal["auto"] | Array | None


def alphas_allowed(alphas: Any) -> bool:
    """Whether `alphas` is a positive number of alphas, a non-empty list, or automatic."""
    if alphas is None or isinstance(alphas, str):
        return True
    return bool(alphas >= 1) if np.ndim(alphas) == 0 else np.size(alphas) > 0


RULES = {
    "l1_ratio": limits(at_least=0, at_most=1),
    "eps": limits(above=0),
    "n_alphas": limits(at_least=1),
    "alphas": limits(at_least=0, accepts=alphas_allowed, says="not empty"),
    "tol": limits(at_least=0),
    "max_iter": limits(at_least=1),
    "precompute": limits(accepts=only_numbers, says="made of numbers"),
    "coef_init": limits(accepts=only_numbers, says="made of numbers"),
}
OPTIONS: dict[str, Any] = {
    "tol": float,
    "max_iter": int,
    "random_state": RandomState,
    "selection": Literal["cyclic", "random"],
    **dict.fromkeys(["sample_weight", "do_screening", "X_offset", "X_scale", "check_input"], Any),
}


@checked(**RULES)
def lasso_path(
    X: Any,
    y: Any,
    *,
    eps: float = 1e-3,
    n_alphas: int | Literal["deprecated"] = "deprecated",
    alphas: Alphas = "warn",
    precompute: Precompute = "auto",
    Xy: Any = None,
    copy_X: bool = True,
    coef_init: Array | None = None,
    verbose: bool | int = False,
    return_n_iter: bool = False,
    positive: bool = False,
    **params: Any,
) -> tuple[Any, ...]:
    """Lasso path: coefficients for each alpha; `enet_path` with l1_ratio = 1.

    >>> alphas, coefs, gaps = lasso_path([[1.0], [2.0], [3.0]], [1.0, 2.0, 3.0], alphas=[2.0, 1.0])
    >>> coefs.round(3)
    array([[0.571, 0.786]])
    """
    request = PathRequest("lasso_path", 1.0, eps, _alphas(alphas, n_alphas), positive, params)
    return request.path(X, y, precompute, coef_init, return_n_iter)


@checked(**RULES)
def enet_path(
    X: Any,
    y: Any,
    *,
    l1_ratio: float = 0.5,
    eps: float = 1e-3,
    n_alphas: int | Literal["deprecated"] = "deprecated",
    alphas: Alphas = "warn",
    precompute: Precompute = "auto",
    Xy: Any = None,
    copy_X: bool = True,
    coef_init: Array | None = None,
    verbose: bool | int = False,
    return_n_iter: bool = False,
    positive: bool = False,
    check_input: bool = True,
    **params: Any,
) -> tuple[Any, ...]:
    """Elastic-net path: alphas, coefficients (targets?, features, alphas) and duality gaps.

    `alphas` are the values, or their number (default 100) from where all coefficients are zero to `eps` times that. No
    intercept is fitted: centre the data, or use an estimator. `params` may hold tol, max_iter, selection,
    random_state and sample_weight. `Xy`, `copy_X`, `verbose` and `check_input` are accepted for compatibility.

    >>> alphas, coefs, gaps = enet_path([[1.0], [2.0], [3.0]], [1.0, 2.0, 3.0], alphas=[2.0, 1.0])
    >>> coefs.round(3)
    array([[0.647, 0.806]])
    """
    request = PathRequest("enet_path", l1_ratio, eps, _alphas(alphas, n_alphas), positive, params)
    return request.path(X, y, precompute, coef_init, return_n_iter)


def _alphas(alphas: Any, n_alphas: int | str) -> Any:
    """The alphas, or their number: scikit-learn has two parameters for that."""
    count = 100 if isinstance(n_alphas, str) else n_alphas
    return count if alphas is None or isinstance(alphas, str) else alphas


@dataclass(frozen=True, slots=True)
class PathRequest:
    """The path requested from the function `owner`."""

    owner: str
    l1_ratio: float
    eps: float
    alphas: Any
    positive: bool
    params: dict[str, Any]

    def path(self, X: Any, y: Any, gram: Any, start: Any, return_n_iter: bool) -> tuple[Any, ...]:
        """Alphas, coefficients, duality gaps and, if requested, numbers of passes."""
        self._check()
        problem, target = self._problem(X, y)
        use_gram(problem, gram)
        if start is not None and np.size(start) != problem.targets * problem.shape[1]:
            raise DataError(
                f"coef_init has {np.size(start)} entries and needs {problem.targets * problem.shape[1]}, one for each "
                "column of X and each target"
            )
        alphas, params = self._alpha_grid(problem), self.params
        settings = SolverSettings(params.get("tol", 1e-4), params.get("max_iter", 1000), seed_for(params))
        penalty = GroupL2 if target.ndim == 2 else ElasticNet
        penalties = [penalty(alpha, self.l1_ratio) for alpha in alphas.tolist()]
        found = solve_path(problem, penalties, settings, start)
        warn_unfinished(self.owner, found.gap <= found.tolerance)
        result = (alphas, found.coef if target.ndim == 2 else found.coef[0], found.gap)
        return (*result, np.maximum(found.passes, 1).tolist()) if return_n_iter else result

    def _check(self) -> None:
        unknown = set(self.params) - set(OPTIONS)
        if unknown:
            raise ParameterError(f"Unexpected parameters in params: {', '.join(sorted(unknown))}")
        for name, value in self.params.items():
            check_value(self.owner, name, value, *check_of(name, OPTIONS[name], RULES.get(name, limits()), None))

    def _problem(self, X: Any, y: Any) -> tuple[StandardisedLeastSquares, Array]:
        """The checked data as a problem without an intercept, and its target."""
        validator = FeatureValidator(self.owner, sparse=True)
        matrix, _ = validator.matrix(X)
        target = validator.target(y, matrix.shape[0], matrix.dtype, True)
        if target.ndim == 2 and self.positive:
            raise ParameterError("positive=True is defined for one target; y has several: fit one path for each")
        weight = validator.weights(self.params.get("sample_weight"), matrix.shape[0])
        targets = target.shape[1] if target.ndim == 2 else 1
        problem = StandardisedLeastSquares(matrix, weight, centre=False, positive=self.positive, targets=targets)
        problem.set_target(target)
        return problem, target

    def _alpha_grid(self, problem: StandardisedLeastSquares) -> Array:
        """Alphas in descending order: those given, or a grid of that many."""
        if np.ndim(self.alphas) == 0:
            return alpha_grid(alpha_max(problem, self.l1_ratio), self.eps, int(self.alphas))
        return np.sort(np.ravel(np.asarray(self.alphas, dtype=np.float64)))[::-1]


def alpha_max(problem: StandardisedLeastSquares, l1_ratio: float) -> float:
    """The smallest alpha at which all coefficients are zero."""
    if l1_ratio == 0:
        raise ParameterError("l1_ratio=0 has no finite alpha_max, so no automatic grid can be built: give alphas")
    return ElasticNet(l1_ratio=l1_ratio).alpha_max(problem.l1_max)


def warn_unfinished(owner: str, converged: Array) -> None:
    """Warn of alphas that did not converge."""
    missed = converged.size - np.count_nonzero(converged)
    if missed:
        warn(
            f"{owner}: {missed} of {converged.size} alphas did not converge; increase max_iter, loosen tol, "
            "or scale the columns",
            ConvergenceWarning,
        )
