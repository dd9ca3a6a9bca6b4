"""Lasso and elastic net for a whole range of strengths."""

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
from ..engines.minimise.coordinate import Problem, SolverSettings, alpha_grid, solve_path
from ..parts.penalties import ElasticNet, GroupL2
from ._penalised.penalised_fit import seed_for, use_gram

Strengths = int | Array | Literal["warn"] | None
Precompute = bool | Literal["auto"] | Array | None


def alphas_allowed(alphas: Any) -> bool:
    """Whether `alphas` is a number of strengths, or strengths, and at least one; or left to us."""
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
    alphas: Strengths = "warn",
    precompute: Precompute = "auto",
    Xy: Any = None,
    copy_X: bool = True,
    coef_init: Array | None = None,
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
    requested = Wanted("lasso_path", 1.0, eps, _alphas(alphas, n_alphas), positive, params)
    return requested.path(X, y, precompute, coef_init, return_n_iter)


@checked(**RULES)
def enet_path(
    X: Any,
    y: Any,
    *,
    l1_ratio: float = 0.5,
    eps: float = 1e-3,
    n_alphas: int | Literal["deprecated"] = "deprecated",
    alphas: Strengths = "warn",
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
    """Strengths, coefficients (targets?, features, strengths) and duality gaps of the elastic net along a path.

    `alphas` are the strengths, or how many (default 100) to take from where all coefficients are zero to `eps` of that.
    There is no constant term: centre the data, or use an estimator. `params` may hold tol, max_iter, selection,
    random_state and sample_weight. `Xy`, `copy_X`, `verbose` and `check_input` are accepted for compatibility.

    >>> alphas, coefs, gaps = enet_path([[1.0], [2.0], [3.0]], [1.0, 2.0, 3.0], alphas=[2.0, 1.0])
    >>> coefs.round(3)
    array([[0.647, 0.806]])
    """
    requested = Wanted("enet_path", l1_ratio, eps, _alphas(alphas, n_alphas), positive, params)
    return requested.path(X, y, precompute, coef_init, return_n_iter)


def _alphas(alphas: Any, n_alphas: int | str) -> Any:
    """The strengths, or how many of them: scikit-learn has two parameters for that."""
    count = 100 if isinstance(n_alphas, str) else n_alphas
    return count if alphas is None or isinstance(alphas, str) else alphas


@dataclass(frozen=True, slots=True)
class Wanted:
    """A path that the function called `owner` was asked for."""

    owner: str
    l1_ratio: float
    eps: float
    alphas: Any
    positive: bool
    params: dict[str, Any]

    def path(self, X: Any, y: Any, gram: Any, start: Any, return_n_iter: bool) -> tuple[Any, ...]:
        """Strengths, coefficients, duality gaps and, if asked for, passes."""
        self._check()
        problem, target = self._problem(X, y)
        use_gram(problem, gram)
        if start is not None and np.size(start) != problem.targets * problem.shape[1]:
            raise DataError(
                f"coef_init has {np.size(start)} entries and needs {problem.targets * problem.shape[1]}, one for each "
                "column of X and each target"
            )
        alphas, params = self._strengths(problem), self.params
        settings = SolverSettings(params.get("tol", 1e-4), params.get("max_iter", 1000), seed_for(params))
        penalty = GroupL2 if target.ndim == 2 else ElasticNet
        penalties = [penalty(alpha, self.l1_ratio) for alpha in alphas.tolist()]
        found = solve_path(problem, penalties, settings, start)
        warn_unfinished(self.owner, found.gap <= found.tolerance)
        answer = (alphas, found.coef if target.ndim == 2 else found.coef[0], found.gap)
        return (*answer, np.maximum(found.passes, 1).tolist()) if return_n_iter else answer

    def _check(self) -> None:
        unknown = set(self.params) - set(OPTIONS)
        if unknown:
            raise ParameterError(f"Unexpected parameters in params: {', '.join(sorted(unknown))}")
        for name, value in self.params.items():
            check_value(self.owner, name, value, *check_of(name, OPTIONS[name], RULES.get(name, limits()), None))

    def _problem(self, X: Any, y: Any) -> tuple[Problem, Array]:
        """The checked data as a problem without a constant term, and its target."""
        validator = FeatureValidator(self.owner, sparse=True)
        matrix, _ = validator.matrix(X)
        target = validator.target(y, matrix.shape[0], matrix.dtype, True)
        if target.ndim == 2 and self.positive:
            raise ParameterError("positive=True is defined for one target; y has several: fit one path for each")
        weight = validator.weights(self.params.get("sample_weight"), matrix.shape[0])
        targets = target.shape[1] if target.ndim == 2 else 1
        problem = Problem(matrix, weight, centre=False, positive=self.positive, targets=targets)
        problem.set_target(target)
        return problem, target

    def _strengths(self, problem: Problem) -> Array:
        """Strengths from strong to weak: those given, or a grid of that many."""
        if np.ndim(self.alphas) == 0:
            return alpha_grid(alpha_max(problem, self.l1_ratio), self.eps, int(self.alphas))
        return np.sort(np.ravel(np.asarray(self.alphas, dtype=np.float64)))[::-1]


def alpha_max(problem: Problem, l1_ratio: float) -> float:
    """The smallest alpha at which all coefficients are zero."""
    if l1_ratio == 0:
        raise ParameterError(
            "With l1_ratio=0 no strength makes all coefficients zero, so that no grid can begin there: give alphas"
        )
    return ElasticNet(l1_ratio=l1_ratio).alpha_max(problem.l1_max)


def warn_unfinished(owner: str, converged: Array) -> None:
    """Warn if some point of a path did not reach its tolerance."""
    missed = converged.size - np.count_nonzero(converged)
    if missed:
        warn(
            f"{owner}: {missed} of {converged.size} strengths ended before convergence; allow more passes, loosen tol, "
            "or scale the columns",
            ConvergenceWarning,
        )
