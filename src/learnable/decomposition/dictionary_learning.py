"""Dictionary learning."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ..core import Array, Data, DataError, RandomState, Trace, Traits, estimator, learned, param
from ..core.declare.checked_functions import Rows, checked, limits
from ..core.runtime.context import give_way
from ..core.runtime.random import stream
from ..core.scaling import power_of_two_near
from ..core.validate.features import FeatureValidator
from ..engines.algebra.interruptible_lapack import interruptibly
from ..engines.iterate import Progress, State, iterate
from ._dictionary.codes import CodeRule, encode
from ._dictionary.update import update_atoms
from .sparse_coder import Coder


@estimator
class DictionaryLearning(Coder):
    """Dictionary learning: atoms of which every row is a sum of few.

    minimise over Y, D, |d_k| <= 1    |X - Y D|^2 / 2  +  alpha |Y|_1

    Alternates the codes Y, each row a lasso problem that is solved exactly, and the atoms, one after the other. The
    objective never rises except where an atom that no row uses is replaced by a random row. [Mairal, Bach, Ponce and
    Sapiro, 2009]

    >>> X = [[1.0, 0.0, 0.0], [0.0, 2.0, 0.0], [3.0, 0.0, 0.0], [0.0, 4.0, 0.0]]
    >>> np.abs(DictionaryLearning(2, alpha=0.1, random_state=0).fit(X).components_).round(2)
    array([[0., 1., 0.],
           [1., 0., 0.]])
    """

    n_components: int | None = param(
        None, "number of atoms; None: number of columns", kw_only=False, at_least=1, tune=(10, 50, 100)
    )
    alpha: float = param(1, "sparsity: the penalty of absolute coefficients", at_least=0)
    max_iter: int = param(1000, "maximum number of iterations", at_least=0)
    tol: float = param(1e-8, "relative decrease of the objective that ends the fit", at_least=0)
    fit_algorithm: Literal["lars", "cd"] = param(
        "lars", "accepted for compatibility; both algorithms reach the same solution"
    )
    code_init: Array | None = param(None, "initial codes, with dict_init")
    dict_init: Array | None = param(None, "initial atoms, with code_init; None: singular vectors")
    callback: Callable[[dict[str, Any]], Any] | None = param(
        None, "called with the local variables of each iteration; learnable.watch is for all fits"
    )
    verbose: bool | int = param(False, "accepted for compatibility; use learnable.progress()")
    random_state: RandomState = param(None, "seed of rows that replace unused atoms")
    positive_dict: bool = param(False, "whether entries of atoms are at least zero")
    components_: Array = learned("the atoms, one a row", shape="components features")
    error_: list[float] = learned("objective after each iteration")
    n_iter_: int = learned("number of iterations")

    traits = Traits(stochastic=True)
    title = "dictionary learning"
    reference = "Mairal, Bach, Ponce and Sapiro, Online dictionary learning for sparse coding, ICML 2009"

    def _fit(self, data: Data, trace: Trace) -> None:
        count = data.p if self.n_components is None else self.n_components
        found = learn(
            type(self).__name__, data.X, count, self.alpha, self.max_iter, self.tol, self._fit_rule(), trace,
            (self.code_init, self.dict_init), self.positive_dict, self.random_state, self.callback,
        )  # fmt: skip
        self.components_ = found["D"].astype(data.X.dtype)
        self.error_ = [row["objective"] for row in trace.rows]
        self.n_iter_ = len(trace.rows)

    def _fit_rule(self) -> CodeRule:
        return CodeRule(
            type(self).__name__, "lasso_lars", None, self.alpha, self.positive_code, self.transform_max_iter
        )

    def _atoms(self, columns: int) -> Array:
        return self.components_

    def _penalty(self) -> float | None:
        lasso = self.transform_algorithm in ("lasso_lars", "lasso_cd", "threshold")
        return self.alpha if self.transform_alpha is None and lasso else self.transform_alpha


@dataclass(frozen=True)
class _Alternation:
    """Codes for the atoms, atoms for the codes."""

    X: Array
    codes: Array
    D: Array
    rule: CodeRule
    tolerance: float
    positive: bool
    draws: np.random.RandomState
    callback: Callable[[dict[str, Any]], Any] | None

    def start(self) -> State:
        return {"codes": self.codes, "D": self.D, "objective": np.inf, "before": np.inf, "step": 0, "best": None}

    def step(self, state: State) -> State:
        give_way()
        codes = encode(self.X, state["D"], self.rule, state["codes"])
        D = state["D"].copy()
        update_atoms(D, self.X, codes, codes.T @ codes, self.X.T @ codes, self.positive, self.draws)
        alpha = 1.0 if self.rule.alpha is None else self.rule.alpha
        objective = 0.5 * float(((self.X - codes @ D) ** 2).sum()) + alpha * float(np.abs(codes).sum())
        if self.callback is not None:
            self.callback({"code": codes, "dictionary": D, "current_cost": objective, "ii": state["step"]})
        return {
            "codes": codes, "D": D, "objective": objective, "before": state["objective"], "step": state["step"] + 1,
            "best": None,
        }  # fmt: skip

    def progress(self, state: State) -> Progress:
        before, here = state["before"], state["objective"]
        decrease = (before - here) / here if np.isfinite(before) and here > 0 else (0.0 if here == 0 else 1e300)
        return Progress(here, max(decrease, 0.0), self.tolerance)


def learn(
    owner: str,
    X: Array,
    count: int,
    alpha: float,
    max_iter: int,
    tol: float,
    rule: CodeRule,
    trace: Trace,
    given: tuple[Any, Any],
    positive_dict: bool,
    random_state: RandomState,
    callback: Any = None,
) -> State:
    """Codes and atoms of the rows of `X`."""
    X = np.asarray(X, dtype=np.float64)
    unit = power_of_two_near(X)
    X = X / unit
    scaled = CodeRule(rule.owner, rule.algorithm, rule.count, alpha / unit, rule.positive, rule.max_iter)
    codes, D = _initial(owner, X, count, given)
    method = _Alternation(X, codes, D, scaled, tol, positive_dict, stream(random_state), callback)
    if max_iter == 0:
        trace.exact("the initial atoms, as no iteration was requested")
        return method.start()
    state = iterate(method, max_iter, trace)
    trace.certify(
        "decrease", trace.rows[-1]["criterion"], tol,
        "the last iteration lowered the objective by this fraction; codes are exact for the atoms before it",
    )  # fmt: skip
    for row in trace.rows:
        row["objective"] *= unit * unit if unit < 1e100 else 1.0
    return state | {"codes": state["codes"] * unit}


def _initial(owner: str, X: Array, count: int, given: tuple[Any, Any]) -> tuple[Array, Array]:
    """Codes and atoms that are given, or singular vectors, with zeros for the atoms beyond the rank."""
    n, p = X.shape
    if given[0] is not None and given[1] is not None:
        codes, D = (np.array(one, dtype=np.float64, order="C") for one in given)
        if codes.shape != (n, len(D)) or D.shape != (len(D), p):
            raise DataError(f"{owner}: code_init of shape {codes.shape} and dict_init of shape {D.shape} do not fit X")
        return codes, D
    U, values, V = interruptibly(np.linalg.svd, X, full_matrices=False)
    sign = np.where(U[np.abs(U).argmax(axis=0), np.arange(U.shape[1])] < 0, -1.0, 1.0)
    D = (values * sign)[:, None] * V
    if given[1] is not None:
        D = np.array(given[1], dtype=np.float64)
        if D.ndim != 2 or D.shape[1] != p:
            raise DataError(f"{owner}: dict_init of shape {D.shape} does not fit X of shape {X.shape}")
    kept = min(count, len(D))
    codes, atoms = np.zeros((n, count)), np.zeros((count, p))
    atoms[:kept] = D[:kept]
    common = min(kept, U.shape[1])
    codes[:, :common] = (U * sign)[:, :common]
    return codes, atoms


RULES = {
    "n_components": limits(at_least=1),
    "alpha": limits(at_least=0),
    "max_iter": limits(at_least=0),
    "tol": limits(at_least=0),
    "method_max_iter": limits(at_least=1),
    "batch_size": limits(at_least=1),
    "max_no_improvement": limits(at_least=1),
}


@checked(**RULES)
def dict_learning(
    X: Rows,
    n_components: int,
    *,
    alpha: float,
    max_iter: int = 100,
    tol: float = 1e-8,
    method: Literal["lars", "cd"] = "lars",
    n_jobs: int | None = None,
    dict_init: Any = None,
    code_init: Any = None,
    callback: Any = None,
    verbose: bool | int = False,
    random_state: RandomState = None,
    return_n_iter: bool = False,
    positive_dict: bool = False,
    positive_code: bool = False,
    method_max_iter: int = 1000,
) -> tuple[Any, ...]:
    """Dictionary learning as a function: codes, atoms, the objective after each iteration, and optionally their number.

    >>> codes, atoms, errors = dict_learning([[1.0, 0.0], [0.0, 2.0], [3.0, 0.0]], 2, alpha=0.1, random_state=0)
    >>> bool(errors[-1] <= errors[0])
    True
    """
    matrix, _ = FeatureValidator("dict_learning").matrix(X)
    rule = CodeRule("dict_learning", "lasso_lars", None, alpha, positive_code, method_max_iter)
    trace = Trace()
    found = learn(
        "dict_learning", matrix, n_components, alpha, max_iter, tol, rule, trace, (code_init, dict_init), positive_dict,
        random_state, callback,
    )  # fmt: skip
    errors = [row["objective"] for row in trace.rows]
    result = (found["codes"].astype(matrix.dtype), found["D"].astype(matrix.dtype), errors)
    return (*result, len(errors)) if return_n_iter else result
