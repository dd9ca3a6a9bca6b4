"""Sparse codes of many signals in one dictionary, from its Gram matrix."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ...core import Array, DataError, ParameterError, Trace
from ...core.errors import warn
from ...core.runtime.context import give_way
from ...core.runtime.native import kernels
from ...core.scaling import power_of_two_near
from ...engines.paths.lars import Rules, follow
from ...engines.paths.lars_products import GramProducts

Algorithm = Literal["lasso_lars", "lasso_cd", "lars", "omp", "threshold"]
SAFE_PRODUCTS = (1e-70, 1e70)  # largest entries whose products and their squares stay in the range
VIOLATION = 1e-10  # of the optimality conditions of the lasso, relative to the largest product of a signal
EXACT = 1e-10  # squared residual of a code, relative to the signal, below which nothing is left to explain
MAX_PASSES = 2**31 - 1  # of coordinate descent; no fit comes near it


@dataclass(frozen=True)
class CodeRule:
    """How signals are coded: the algorithm, its count or penalty, and whether coefficients are at least zero."""

    owner: str
    algorithm: str = "lasso_lars"
    count: int | None = None
    alpha: float | None = None
    positive: bool = False
    max_iter: int = 1000

    def check(self) -> None:
        """Refuse signs that the algorithm cannot constrain."""
        if self.positive and self.algorithm in ("omp", "lars"):
            raise ParameterError(
                f"{self.owner}: Positive constraint not supported for {self.algorithm!r} coding method; use "
                "'lasso_cd', 'lasso_lars' or 'threshold'"
            )

    def most(self, features: int, atoms: int) -> int:
        """The maximum number of atoms in a code."""
        return min(max(features // 10, 1) if self.count is None else int(self.count), atoms)


def encode(X: Array, D: Array, rule: CodeRule, start: Array | None = None, gram: Any = None, cov: Any = None) -> Array:
    """A code for each row of `X` in the rows of `D`; `cov` holds the products of atoms and signals."""
    rule.check()
    X, D = (np.asarray(table, dtype=np.float64) for table in (X, D))
    unit_X, unit_D = power_of_two_near(X, SAFE_PRODUCTS), power_of_two_near(D, SAFE_PRODUCTS)
    X, D, unit = X / unit_X, D / unit_D, unit_X * unit_D
    products = np.ascontiguousarray(X @ D.T if cov is None else np.asarray(cov, dtype=np.float64).T / unit)
    penalty = (1.0 if rule.alpha is None else rule.alpha) / unit
    if rule.algorithm == "threshold":
        sizes = np.maximum((products if rule.positive else np.abs(products)) - penalty, 0)
        return np.asarray(sizes * np.sign(products) * unit)
    G = np.ascontiguousarray(D @ D.T if gram is None else np.asarray(gram, dtype=np.float64) / unit_D / unit_D)
    back = unit_X / unit_D
    if rule.algorithm == "omp":
        return _pursuits(X, G, products, rule, unit_X) * back
    if rule.algorithm == "lars":
        return _paths(X, G, products, rule) * back
    codes = np.zeros(products.shape) if start is None else np.array(start, dtype=np.float64, order="C") / back
    kernels.batch_lasso(G, products, penalty, rule.positive, min(rule.max_iter, MAX_PASSES), VIOLATION, codes)
    return codes * back


def _pursuits(X: Array, G: Array, products: Array, rule: CodeRule, unit: float) -> Array:
    """Orthogonal matching pursuit by number of atoms, or by the squared residual."""
    codes, square = np.empty(products.shape), np.einsum("ij,ij->i", X, X)
    by_error = rule.count is None and rule.alpha is not None
    most = len(G) if by_error else rule.most(X.shape[1], len(G))
    tolerance = float(rule.alpha) / unit / unit if by_error and rule.alpha is not None else -1.0
    if kernels.batch_omp(G, products, square, most, tolerance, codes) and not by_error:
        residual = square - np.einsum("ij,ij->i", codes, 2 * products - codes @ G)
        early = ((codes != 0).sum(axis=1) < most) & (residual > EXACT * square)
        if early.any():
            warn(
                f"{rule.owner}: orthogonal matching pursuit ended early for {early.sum()} signals, as the atoms left "
                "depend on those chosen; are atoms of the dictionary equal?",
                RuntimeWarning,
            )
    return codes


def _paths(X: Array, G: Array, products: Array, rule: CodeRule) -> Array:
    """Least angle regression: as many steps as there may be atoms."""
    codes, square = np.zeros(products.shape), np.einsum("ij,ij->i", X, X)
    for i in range(len(codes)):
        give_way()
        source = GramProducts(G, products[i], float(square[i]))
        path = follow(source, Rules(False, keep_path=False), rule.most(X.shape[1], len(G)), Trace(), 1.0)
        codes[i] = path.coefs[-1]
    return codes


def check_dictionary(owner: str, dictionary: Any, columns: int) -> Array:
    """A dictionary that a caller gives, with the columns of the data."""
    D = np.asarray(dictionary)
    if D.dtype.kind not in "fiub" or D.ndim != 2 or not len(D):
        raise DataError(f"{owner}: dictionary must be a table of numbers with an atom in each row; got {D.shape}")
    D = D.astype(D.dtype if D.dtype == np.float32 else np.float64)
    if not np.isfinite(D).all():
        raise DataError(f"{owner}: dictionary has entries that are missing or infinite; all must be finite numbers")
    if D.shape[1] != columns:
        raise DataError(
            f"{owner}: Dictionary and X have different numbers of features: dictionary.shape: {D.shape} X has "
            f"{columns}; an atom needs an entry for each column"
        )
    return D


def split(codes: Array) -> Array:
    """Positive and negative parts of codes side by side."""
    return np.hstack([np.maximum(codes, 0), -np.minimum(codes, 0)])
