"""Singular value decomposition, matrix norms, and low-rank approximation."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np

from ..core import Array, RandomState, generator, seed_of
from ..core.declare.checked_functions import checked, limits
from ..core.errors import ParameterError
from ..core.numeric import EPSILON
from ..core.scaling import unit_of
from ..core.validate.features import FeatureValidator
from ..core.validate.sparse_input import checks_sparse
from ..engines.algebra.interruptible_lapack import interruptibly
from ..engines.algebra.singular_vectors import CentredRows, mixed, sketched_spectrum, tall_qr, turned

FINE = 1e-10  # residual of the directions of a randomised decomposition, relative to the largest


class SVD(NamedTuple):
    """A = U diag(s) Vt, with orthonormal columns of U and rows of Vt, and s in descending order."""

    U: Array
    s: Array
    Vt: Array

    @property
    def rank(self) -> int:
        """Numerical rank: number of singular values above rounding."""
        size = max(self.U.shape[0], self.Vt.shape[1])
        return int(np.count_nonzero(self.s > size * EPSILON * self.s.max(initial=0.0)))

    def inverse(self) -> Array:
        """V diag(1/s) U': the Moore-Penrose pseudo-inverse."""
        r = self.rank
        return np.asarray((self.Vt[:r].T / self.s[:r]) @ self.U[:, :r].T)

    def matrix(self, rank: int | None = None) -> Array:
        """A, or its best approximation of that rank."""
        count = len(self.s) if rank is None else min(rank, len(self.s))
        return np.asarray((self.U[:, :count] * self.s[:count]) @ self.Vt[:count])


class LowRank(NamedTuple):
    """A low-rank approximation, and its errors in the Frobenius and the spectral norm."""

    matrix: Array
    frobenius_error: float
    spectral_error: float


@checks_sparse
def svd(A: Any, *, full_matrices: bool = False) -> SVD:
    """Singular value decomposition, compact or full: A = U diag(s) V', s^2 the eigenvalues of A'A and AA'.

    The largest entry of each row of Vt is positive.

    >>> svd([[3.0, 0.0], [0.0, -2.0]]).s
    array([3., 2.])
    """
    matrix = _read("svd", A)
    U, s, Vt = interruptibly(np.linalg.svd, matrix, full_matrices=full_matrices)
    largest = np.abs(Vt).argmax(axis=1)
    sign = turned(Vt[np.arange(len(Vt)), largest])
    shared = len(s)
    U[:, :shared] *= sign[:shared]
    return SVD(U, s, Vt * sign[:, None])


@checked(n_components=limits(at_least=1), n_oversamples=limits(at_least=0), n_iter=limits(at_least=0))
def randomized_svd(
    M: Any, n_components: int, *, n_oversamples: int = 10, n_iter: int | Literal["auto"] = "auto",
    power_iteration_normalizer: str = "auto", transpose: bool | Literal["auto"] = "auto", flip_sign: bool = True,
    random_state: RandomState = None, svd_lapack_driver: str = "gesdd",
) -> SVD:  # fmt: skip
    """Randomised SVD: the largest singular values of a dense or sparse matrix, and their vectors.

    M ~ U diag(s) V' with U and V from random directions and their images under powers of M'M, all of which are kept. At
    least `n_iter` powers are used, and more until the residual is below 1e-10. The normaliser, `transpose`, `flip_sign`
    and the driver are accepted for compatibility: directions are always orthogonalised, and the largest entry of each
    row of Vt is positive. [Halko, Martinsson and Tropp, 2011; Musco and Musco, 2015]

    >>> randomized_svd([[3.0, 0.0, 0.0], [0.0, 2.0, 0.0]], 1, random_state=0).s
    array([3.])
    """
    matrix, _ = FeatureValidator("randomized_svd", sparse=True, storage="csr").matrix(M)
    if n_components > min(matrix.shape):
        raise ParameterError(
            f"randomized_svd: n_components={n_components} is above the smaller side of M, of shape {matrix.shape}"
        )
    rows = CentredRows.of(matrix, None, centre=False)
    passes = 4 if n_iter == "auto" else int(n_iter)
    found = sketched_spectrum(rows, n_components, n_oversamples, passes, generator(seed_of(random_state)), FINE)
    basis, triangle = tall_qr(rows.times(found.vectors.T))
    inner = svd(triangle)
    return SVD(mixed(basis, inner.U), inner.s / rows.unit, np.asarray(inner.Vt @ found.vectors))


@checked(rank=limits(at_least=0))
def low_rank(A: Any, rank: int) -> LowRank:
    """Low-rank approximation: the best of rank at most `rank`, in every unitarily invariant norm.

    A_k = sum of the k largest s u v';  |A - A_k|_F^2 = sum of the discarded s^2, |A - A_k|_2 = the largest discarded s
    [Eckart and Young, 1936]

    >>> low_rank([[2.0, 0.0], [0.0, 1.0]], 1).spectral_error
    1.0
    """
    found = svd(_read("low_rank", A))
    left = found.s[rank:]
    return LowRank(found.matrix(int(rank)), _length(left), float(left.max(initial=0.0)))


@checks_sparse
def frobenius_norm(A: Any) -> float:
    """The Frobenius norm: root of the sum of squares of the entries, or of the singular values.

    >>> frobenius_norm([[3.0, 0.0], [0.0, 4.0]])
    5.0
    """
    return _length(_read("frobenius_norm", A))


@checks_sparse
def spectral_norm(A: Any) -> float:
    """The spectral norm: max |Av| / |v|, the largest singular value.

    >>> spectral_norm([[3.0, 0.0], [0.0, 4.0]])
    4.0
    """
    return float(_values("spectral_norm", A).max())


@checks_sparse
def nuclear_norm(A: Any) -> float:
    """The nuclear norm: sum of the singular values, the convex relaxation of the rank.

    >>> nuclear_norm([[3.0, 0.0], [0.0, 4.0]])
    7.0
    """
    return float(_values("nuclear_norm", A).sum())


def _length(entries: Array) -> float:
    """The root of the sum of squares, scaled to avoid overflow."""
    unit = unit_of(entries)
    return float(np.linalg.norm(entries * unit) / unit)


def _values(owner: str, A: Any) -> Array:
    return interruptibly(np.linalg.svd, _read(owner, A), compute_uv=False)


def _read(owner: str, A: Any) -> Array:
    matrix, _ = FeatureValidator(owner).matrix(A)
    return np.asarray(matrix, dtype=np.float64)
