"""K-SVD dictionary learning."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core import Array, Data, DataError, RandomState, Trace, Traits, estimator, learned, param
from ..core.runtime.context import give_way
from ..core.runtime.random import stream
from ..core.scaling import power_of_two_near
from ..engines.iterate import Progress, State, iterate
from ._dictionary.codes import CodeRule, encode
from ._dictionary.update import ksvd_atoms, replace_twins
from .sparse_coder import Coder


@estimator
class KSVD(Coder):
    """K-SVD: a dictionary in which every row is nearly a sum of a given number of atoms.

    minimise over Y, D    |X - Y D|^2    with at most K entries of each row of Y not zero, atoms of length one

    Alternates codes by orthogonal matching pursuit, and each atom with its coefficients as the best rank-one
    approximation of what the others leave of the rows that use it, by the singular value decomposition or, faster, by
    one power iteration. An atom that no row uses, or that is nearly another one, becomes a row that is badly
    reconstructed; the atoms of the least error are kept. [Aharon, Elad and
    Bruckstein, 2006]

    >>> X = [[1.0, 0.0, 0.0], [0.0, 2.0, 0.0], [3.0, 0.0, 0.0], [0.0, 4.0, 0.0]]
    >>> KSVD(2, transform_n_nonzero_coefs=1, random_state=0).fit(X).error_[-1]
    0.0
    """

    n_components: int | None = param(
        None, "number of atoms; None: number of columns", kw_only=False, at_least=1, tune=(10, 50, 100)
    )
    exact: bool = param(False, "whether atoms are singular vectors, or approximate ones by one power iteration")
    max_iter: int = param(50, "maximum number of iterations", at_least=1)
    tol: float = param(1e-6, "relative decrease of the error that ends the fit", at_least=0)
    dict_init: Array | None = param(None, "initial atoms; None: random rows")
    random_state: RandomState = param(None, "seed of the rows that are the first atoms")
    components_: Array = learned("the atoms, one a row", shape="components features")
    error_: list[float] = learned("squared error after each iteration")
    n_iter_: int = learned("number of iterations")

    traits = Traits(stochastic=True)
    title = "k-svd"
    reference = "Aharon, Elad and Bruckstein, K-SVD, IEEE Transactions on Signal Processing 2006"

    def _fit(self, data: Data, trace: Trace) -> None:
        X = np.asarray(data.X, dtype=np.float64)
        unit = power_of_two_near(X)
        count = data.p if self.n_components is None else self.n_components
        D = self._first_atoms(X / unit, count)
        rule = CodeRule("KSVD", "omp", self.transform_n_nonzero_coefs, None)
        state = iterate(_Sweeps(X / unit, D, rule, self.exact, self.tol), self.max_iter, trace)
        self.components_ = state["best_D"].astype(data.X.dtype)
        square = unit * unit if unit < 1e150 else 1.0
        self.error_ = [row["objective"] * square for row in trace.rows]
        self.n_iter_ = len(trace.rows)
        trace.certify(
            "decrease", trace.rows[-1]["criterion"], self.tol,
            "the last iteration lowered the squared error by this fraction; the atoms are those of the least error",
        )  # fmt: skip

    def _first_atoms(self, X: Array, count: int) -> Array:
        draws = stream(self.random_state)
        if self.dict_init is not None:
            D = np.array(self.dict_init, dtype=np.float64)
            if D.shape != (count, X.shape[1]):
                raise DataError(f"KSVD: dict_init must have the shape {(count, X.shape[1])}; it has {D.shape}")
        else:
            rows = np.flatnonzero(np.abs(X).max(axis=1) > 0)
            chosen = rows[draws.permutation(len(rows))[:count]]
            D = np.vstack([X[chosen], draws.standard_normal((count - len(chosen), X.shape[1]))])
        length = np.linalg.norm(D, axis=1, keepdims=True)
        return np.asarray(D / np.where(length > 0, length, 1.0))

    def _atoms(self, columns: int) -> Array:
        return self.components_


@dataclass(frozen=True)
class _Sweeps:
    """Codes for the atoms, and a pass over the atoms; the best dictionary so far is kept."""

    X: Array
    D: Array
    rule: CodeRule
    exact: bool
    tolerance: float

    def start(self) -> State:
        return {"D": self.D, "best_D": self.D, "objective": np.inf, "before": np.inf, "replaced": 0}

    def step(self, state: State) -> State:
        import warnings

        give_way()
        D = state["D"].copy()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # early ends of pursuits are exact codes
            codes = encode(self.X, D, self.rule)
        replaced = ksvd_atoms(D, self.X, codes, self.exact)
        residual = self.X - codes @ D
        error = float((residual**2).sum())
        best = D.copy() if error <= state["objective"] else state["best_D"]
        replaced += replace_twins(D, self.X, codes, residual)
        return {"D": D, "best_D": best, "objective": error, "before": state["objective"], "replaced": replaced}

    def progress(self, state: State) -> Progress:
        before, here = state["before"], state["objective"]
        whole = float((self.X**2).sum())
        decrease = (before - here) / before if np.isfinite(before) and before > 0 else (0.0 if here <= 0 else 1e300)
        exact = here <= 1e-20 * whole
        more: dict[str, Any] = {"replaced": state["replaced"]}
        return Progress(here, 0.0 if exact else max(decrease, 0.0), self.tolerance, more)
