"""Sparse coding in a given dictionary."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np

from ..core import (
    REQUIRED,
    Array,
    Data,
    DataError,
    Invertible,
    Matrix,
    Trace,
    Traits,
    UnweightedTransformer,
    declaring,
    estimator,
    param,
)
from ..core.declare.checked_functions import Rows, checked, limits
from ..core.validate.features import FeatureValidator
from ._dictionary.codes import Algorithm, CodeRule, check_dictionary, encode, split
from ._projection_base import score_names


@declaring
class Coder(UnweightedTransformer, Invertible):
    """Base class of transformers that code rows in a dictionary."""

    transform_algorithm: Algorithm = param("omp", "sparse coding algorithm of transform")
    transform_n_nonzero_coefs: int | None = param(
        None, "maximum number of atoms in a code, for omp and lars; None: a tenth of the columns", at_least=1
    )
    transform_alpha: float | None = param(
        None, "penalty of lasso_lars and lasso_cd, threshold, or squared residual at which omp ends", at_least=0
    )
    split_sign: bool = param(False, "whether positive and negative parts of a code are separate columns")
    n_jobs: int | None = param(None, "accepted for compatibility; use learnable.threads(n)")
    positive_code: bool = param(False, "whether coefficients are at least zero")
    transform_max_iter: int = param(1000, "maximum number of passes of the lasso", at_least=1)

    @abstractmethod
    def _atoms(self, columns: int) -> Array:
        """The atoms, one a row, for rows with this number of columns."""

    def _penalty(self) -> float | None:
        return self.transform_alpha

    def _transform(self, X: Matrix) -> Array:
        rule = CodeRule(
            type(self).__name__, self.transform_algorithm, self.transform_n_nonzero_coefs, self._penalty(),
            self.positive_code, self.transform_max_iter,
        )  # fmt: skip
        codes = encode(X, self._atoms(X.shape[1]), rule)
        return (split(codes) if self.split_sign else codes).astype(X.dtype, copy=False)

    def _inverse(self, X: Matrix) -> Array:
        atoms = self._atoms(self.n_features_in_)
        if self.split_sign:
            X = X[:, : len(atoms)] - X[:, len(atoms) :]
        return np.asarray(X @ atoms).astype(X.dtype, copy=False)

    def _names_out(self, names: list[str]) -> list[str]:
        return score_names(self, len(self._atoms(self.n_features_in_)) * (2 if self.split_sign else 1))


@estimator
class SparseCoder(Coder):
    """Sparse coding: each row as a sum of few atoms of a given dictionary.

    minimise over y    |x - y D|^2    with at most K entries of y not zero, or |x - y D|^2 / 2 + alpha |y|_1

    Codes come from the Gram matrix of the dictionary, for all rows at once: greedily by orthogonal matching pursuit
    until there are K atoms or the error is small enough, or by the lasso, exactly. Nothing is learned. [Pati, Rezaiifar
    and Krishnaprasad, 1993; Rubinstein, Zibulevsky and Elad, 2008]

    >>> atoms = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.6, 0.0, 0.8]]
    >>> SparseCoder(atoms, transform_n_nonzero_coefs=1).transform([[3.0, 0.1, 0.0], [0.6, 0.1, 0.8]])
    array([[3., 0., 0.],
           [0., 0., 1.]])
    """

    dictionary: Array | None = param(REQUIRED, "the atoms, one a row; None: the unit vectors", kw_only=False)

    traits = Traits(stateless=True)
    title = "sparse coding"
    reference = "Rubinstein, Zibulevsky and Elad, Efficient implementation of the K-SVD algorithm, 2008"

    def _fit(self, data: Data, trace: Trace) -> None:
        self._atoms(data.p)
        trace.exact("nothing is learned: the dictionary is given")

    def transform(self, X: Any, y: Any = None) -> Any:
        """Codes of the rows of `X`; `y` is ignored."""
        return super().transform(X)

    def _atoms(self, columns: int) -> Array:
        if self.dictionary is None:
            return np.eye(columns)
        return check_dictionary(type(self).__name__, self.dictionary, columns)

    @property
    def n_components_(self) -> int:
        """The number of atoms."""
        return self.n_features_in_ if self.dictionary is None else len(self.dictionary)


RULES = {
    "n_nonzero_coefs": limits(at_least=1),
    "alpha": limits(at_least=0),
    "max_iter": limits(at_least=1),
}


@checked(**RULES)
def sparse_encode(
    X: Rows,
    dictionary: Rows,
    *,
    gram: Rows | None = None,
    cov: Rows | None = None,
    algorithm: Algorithm = "lasso_lars",
    n_nonzero_coefs: int | None = None,
    alpha: float | None = None,
    copy_cov: bool = True,
    init: Rows | None = None,
    max_iter: int = 1000,
    n_jobs: int | None = None,
    check_input: bool = True,
    verbose: int | bool = 0,
    positive: bool = False,
) -> Array:
    """Sparse coding of the rows of `X` with the atoms in the rows of `dictionary`.

    minimise over y    |x - y D|^2 / 2 + alpha |y|_1,    or |x - y D|^2 with at most n_nonzero_coefs atoms

    lasso_lars and lasso_cd solve the same problem; omp and lars choose atoms one by one; omp without n_nonzero_coefs
    ends at a squared residual of `alpha`; threshold shrinks the products. `gram` is D D', `cov` is D X'.

    >>> sparse_encode([[3.0, 0.5]], [[1.0, 0.0], [0.0, 1.0]], alpha=1.0)
    array([[2., 0.]])
    """
    matrix, _ = FeatureValidator("sparse_encode").matrix(X)
    D = check_dictionary("sparse_encode", dictionary, matrix.shape[1])
    sizes = {"gram": (len(D), len(D)), "cov": (len(D), len(matrix)), "init": (len(matrix), len(D))}
    for (name, shape), value in zip(sizes.items(), (gram, cov, init), strict=True):
        if value is not None and np.shape(value) != shape:
            raise DataError(f"sparse_encode: {name} of shape {np.shape(value)} does not fit; it must be {shape}")
    rule = CodeRule("sparse_encode", algorithm, n_nonzero_coefs, alpha, positive, max_iter)
    return encode(matrix, D, rule, init, gram, cov).astype(matrix.dtype, copy=False)
