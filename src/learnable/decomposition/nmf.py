"""Nonnegative matrix factorisation."""

from __future__ import annotations

from typing import Any, Literal, Self

import numpy as np

from ..core import (
    Array,
    Data,
    Invertible,
    Matrix,
    RandomState,
    Trace,
    Traits,
    declaring,
    estimator,
    learned,
    param,
)
from ..core.declare.checked_functions import Rows, checked, limits
from ..core.sklearn_api.output_containers import wrapped
from ..core.validate.features import FeatureValidator
from ..core.validate.sparse_input import as_dense
from ._nmf.factorise import Settings, coefficients, component_count, factorise, nonnegative
from ._nmf.init import given_factor
from ._projection_base import score_names

Loss = Literal["frobenius", "kullback-leibler", "itakura-saito"]
Init = Literal["random", "nndsvd", "nndsvda", "nndsvdar", "custom"]


@declaring
class NonnegativeFactorisation(Invertible):
    """Base class of nonnegative matrix factorisations."""

    n_components: int | Literal["auto"] | None = param(
        "auto", "number of components; auto or None: number of columns", kw_only=False, at_least=1, tune=(2, 5, 10, 20)
    )
    components_: Array = learned("the factor H: components, one per row", shape="components features")
    n_components_: int = learned("number of components", counts="components")
    reconstruction_err_: float = learned("root of twice the divergence of W H from the training data")
    n_iter_: int = learned("number of iterations")

    traits = Traits(sparse=True, storage="csr", missing="native", positive_columns=True, weights=False, stochastic=True)

    def fit(self, X: Any, y: Any = None, W: Any = None, H: Any = None) -> Self:
        """Factorise `X`; `W` and `H` are the initial factors of init='custom'."""
        self.fit_transform(X, y, W, H)
        return self

    def fit_transform(self, X: Any, y: Any = None, W: Any = None, H: Any = None) -> Any:
        """Factorise `X`, and return the factor W of its rows."""
        self.__dict__["_given"] = (W, H)
        try:
            super().fit(X, y)
            return wrapped(self.__dict__.pop("_rows"), X, self)
        finally:
            self.__dict__.pop("_given", None)
            self.__dict__.pop("_rows", None)

    def _inverse(self, X: Matrix) -> Array:
        X = as_dense(X)
        return np.asarray(X @ self.components_).astype(X.dtype, copy=False)

    def _names_out(self, names: list[str]) -> list[str]:
        return score_names(self, len(self.components_))

    def _unsound(self) -> str:
        return "a component has negative entries" if (self.components_ < 0).any() else ""


@estimator
class NMF(NonnegativeFactorisation):
    """Nonnegative matrix factorisation (NMF): rows as sums, without cancellation, of nonnegative parts.

    minimise over W >= 0, H >= 0    D(X, W H)  +  penalties of W and H,    D a beta divergence (squared error: beta = 2)

    Coordinate descent ("cd"), HALS ("hals": repeated passes over one factor), projected gradients ("pg") or, for every
    beta, multiplicative updates ("mu"). Missing values (NaN) are left out of the objective. The problem is not convex:
    the solution depends on the start. At the end, and in `transform`, W is optimal for H. [Lee and Seung, 1999]

    >>> X = [[1.0, 1.0, 0.0], [2.0, 2.0, 0.0], [0.0, 0.0, 3.0]]
    >>> model = NMF(2, init="nndsvd").fit(X)
    >>> model.inverse_transform(model.transform(X)).round(2)
    array([[1., 1., 0.],
           [2., 2., 0.],
           [0., 0., 3.]])
    """

    init: Init | None = param(
        None, "initialisation: by singular vectors (None: nndsvda, random for many components), random or given"
    )
    solver: Literal["cd", "mu", "hals", "pg"] = param(
        "cd", "coordinate descent, multiplicative updates, HALS or projected gradients"
    )
    beta_loss: float | Loss = param("frobenius", "the beta divergence, named or by its number; only for solver='mu'")
    tol: float = param(1e-4, "tolerance of the stopping condition", at_least=0)
    max_iter: int = param(200, "maximum number of iterations", at_least=1)
    random_state: RandomState = param(None, "seed of random starts and orders")
    alpha_W: float = param(0.0, "regularisation strength of W, times the number of columns", at_least=0)
    alpha_H: float | Literal["same"] = param(
        "same", "regularisation strength of H, times the number of rows", at_least=0
    )
    l1_ratio: float = param(0.0, "fraction of the absolute penalty", between=(0, 1))
    verbose: int | bool = param(0, "accepted for compatibility; use learnable.progress()")
    shuffle: bool = param(False, "whether coordinate descent takes the components in random order")

    title = "nonnegative matrix factorisation"
    reference = "Lee and Seung, Learning the parts of objects by non-negative matrix factorization, Nature 1999"

    def _fit(self, data: Data, trace: Trace) -> None:
        settings = self._settings()
        W, H = self.__dict__.get("_given", (None, None))
        table = nonnegative(settings.owner, data.X, data.names, settings.beta)
        count = component_count(self.n_components, data.p, H)
        found = factorise(settings, table, count, self.init, self.random_state, (W, H), trace)
        dtype = data.X.dtype
        self.__dict__["_rows"] = found.W.astype(dtype)
        self.components_ = np.ascontiguousarray(found.H.T).astype(dtype)
        self.n_components_, self.n_iter_ = count, found.updates
        self.reconstruction_err_ = found.error

    def _settings(self) -> Settings:
        return Settings(
            type(self).__name__, self.solver, self.beta_loss, self.tol, self.max_iter, self.alpha_W, self.alpha_H,
            self.l1_ratio, self.shuffle,
        )  # fmt: skip

    def _transform(self, X: Matrix) -> Array:
        settings = self._settings()
        table = nonnegative(settings.owner, X, None, settings.beta)
        H = np.ascontiguousarray(self.components_.T.astype(np.float64))
        return coefficients(settings, table, H).astype(X.dtype, copy=False)


RULES = {
    "n_components": limits(at_least=1),
    "tol": limits(at_least=0),
    "max_iter": limits(at_least=1),
    "alpha_W": limits(at_least=0),
    "alpha_H": limits(at_least=0),
    "l1_ratio": limits(at_least=0, at_most=1),
}


@checked(**RULES)
def non_negative_factorization(
    X: Rows,
    W: Any = None,
    H: Any = None,
    n_components: int | Literal["auto"] | None = "auto",
    *,
    init: Init | None = None,
    update_H: bool = True,
    solver: Literal["cd", "mu", "hals", "pg"] = "cd",
    beta_loss: float | Loss = "frobenius",
    tol: float = 1e-4,
    max_iter: int = 200,
    alpha_W: float = 0.0,
    alpha_H: float | Literal["same"] = "same",
    l1_ratio: float = 0.0,
    random_state: RandomState = None,
    verbose: int | bool = 0,
    shuffle: bool = False,
) -> tuple[Array, Array, int]:
    """NMF as a function: the factors W and H of X ~ W H, and the number of iterations.

    With update_H=False only W is found, for the given H.

    >>> W, H, iterations = non_negative_factorization([[1.0, 2.0], [2.0, 4.0]], n_components=1, init="nndsvd")
    >>> (W @ H).round(3)
    array([[1., 2.],
           [2., 4.]])
    """
    model = NMF(
        n_components, init=init, solver=solver, beta_loss=beta_loss, tol=tol, max_iter=max_iter, alpha_W=alpha_W,
        alpha_H=alpha_H, l1_ratio=l1_ratio, random_state=random_state, shuffle=shuffle,
    )  # fmt: skip
    if update_H:
        rows = model.fit_transform(X, W=W, H=H)
        return np.asarray(rows), model.components_, model.n_iter_
    validator = FeatureValidator("non_negative_factorization", sparse=True, storage="csr", missing="native")
    matrix, names = validator.matrix(X)
    settings = model._settings()
    table = nonnegative("non_negative_factorization", matrix, names, settings.beta)
    count = component_count(n_components, table.shape[1], H)
    given = given_factor("non_negative_factorization", "H", H, (count, table.shape[1]))
    return coefficients(settings, table, np.ascontiguousarray(given.T)).astype(matrix.dtype), given, 1
