"""Sparse principal components."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Literal

import numpy as np

from ..core import (
    Array,
    Data,
    Invertible,
    Matrix,
    RandomState,
    Trace,
    Traits,
    UnweightedTransformer,
    declaring,
    estimator,
    learned,
    param,
)
from ..core.scaling import finite_column_means
from ..engines.algebra.singular_vectors import upright
from ._dictionary.codes import CodeRule
from ._projection_base import score_names
from .dictionary_learning import learn


@declaring
class SparseComponents(UnweightedTransformer, Invertible):
    """Base class of principal components with few entries that are not zero."""

    n_components: int | None = param(
        None, "number of components; None: number of columns", kw_only=False, at_least=1, tune=(2, 5, 10)
    )
    components_: Array = learned("sparse components, one per row", shape="components features")
    n_components_: int = learned("number of components", counts="components")
    mean_: Array = learned("mean of each column", shape="features")
    n_iter_: int = learned("number of iterations")

    traits = Traits(stochastic=True)

    @abstractmethod
    def _ridge(self) -> float:
        """The ridge penalty of the scores."""

    def _transform(self, X: Matrix) -> Array:
        C = self.components_.astype(np.float64)
        product = (X.astype(np.float64) - self.mean_) @ C.T
        return np.linalg.solve(C @ C.T + self._ridge() * np.eye(len(C)), product.T).T.astype(X.dtype, copy=False)

    def _inverse(self, X: Matrix) -> Array:
        return np.asarray(X @ self.components_ + self.mean_).astype(X.dtype, copy=False)

    def _names_out(self, names: list[str]) -> list[str]:
        return score_names(self, len(self.components_))

    def _keep(self, codes: Array, mean: Array, dtype: Any) -> None:
        """Store components of length one, with the signs for which the largest entry of each is positive."""
        components = upright(codes.T)
        length = np.linalg.norm(components, axis=1, keepdims=True)
        self.components_ = (components / np.where(length > 0, length, 1.0)).astype(dtype)
        self.mean_ = mean.astype(dtype)
        self.n_components_ = len(components)


@estimator
class SparsePCA(SparseComponents):
    """Sparse principal component analysis: components with few nonzero entries.

    minimise over U, V, |u_k| <= 1    |X - U V|^2 / 2  +  alpha |V|_1,    for centred X; components are the rows of V

    Dictionary learning on the transposed table. Scores are ridge regressions on the components, which are not
    orthogonal. [Zou, Hastie and Tibshirani, 2006; Jenatton, Obozinski and Bach, 2009]

    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(50, 1)) * [1.0, 1.0, 0.0, 0.0] + 0.01 * rng.normal(size=(50, 4))
    >>> SparsePCA(1, alpha=1, random_state=0).fit(X).components_.round(2) + 0.0
    array([[0.71, 0.71, 0.  , 0.  ]])
    """

    alpha: float = param(1, "sparsity: the penalty of absolute entries", at_least=0)
    ridge_alpha: float = param(0.01, "regularisation strength of the scores", at_least=0)
    max_iter: int = param(1000, "maximum number of iterations", at_least=0)
    tol: float = param(1e-8, "relative decrease of the objective that ends the fit", at_least=0)
    method: Literal["lars", "cd"] = param("lars", "accepted for compatibility; both algorithms reach the same solution")
    n_jobs: int | None = param(None, "accepted for compatibility; use learnable.threads(n)")
    U_init: Array | None = param(None, "initial loadings of the rows, with V_init")
    V_init: Array | None = param(None, "initial components, with U_init")
    verbose: int | bool = param(False, "accepted for compatibility; use learnable.progress()")
    random_state: RandomState = param(None, "seed of columns that replace unused components")
    error_: list[float] = learned("objective after each iteration")

    title = "sparse principal component analysis"
    reference = "Zou, Hastie and Tibshirani, Sparse principal component analysis, 2006"

    def _ridge(self) -> float:
        return self.ridge_alpha

    def _fit(self, data: Data, trace: Trace) -> None:
        X = data.X.astype(np.float64)
        mean = finite_column_means(X)
        count = data.p if self.n_components is None else self.n_components
        rule = CodeRule("SparsePCA", "lasso_lars", None, self.alpha)
        given = (
            None if self.V_init is None else np.asarray(self.V_init).T,
            None if self.U_init is None else np.asarray(self.U_init).T,
        )
        found = learn(
            "SparsePCA", (X - mean).T, count, self.alpha, self.max_iter, self.tol, rule, trace, given, False,
            self.random_state,
        )  # fmt: skip
        self.error_ = [row["objective"] for row in trace.rows]
        self.n_iter_ = len(trace.rows)
        self._keep(found["codes"], mean, data.X.dtype)
