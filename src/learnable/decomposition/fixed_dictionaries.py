"""Dictionaries that need no data: Haar wavelets and discrete cosines."""

from __future__ import annotations

import numpy as np

from ..core import Array, ParameterError
from ..core.declare.checked_functions import checked, limits


@checked(length=limits(at_least=1))
def haar_dictionary(length: int, *, two_dimensional: bool = False) -> Array:
    """Haar wavelet dictionary: orthonormal wavelets of signals of `length` entries, a power of two, one per row.

    h(t) = 2^(j/2) on the first half of its interval of length 2^-j, the negative on the second half, 0 elsewhere

    The first row is constant. With two_dimensional the rows are products of two wavelets, for square images of
    length x length pixels, flattened. [Haar, 1910]

    >>> haar_dictionary(4).round(2) + 0.0
    array([[ 0.5 ,  0.5 ,  0.5 ,  0.5 ],
           [ 0.5 ,  0.5 , -0.5 , -0.5 ],
           [ 0.71, -0.71,  0.  ,  0.  ],
           [ 0.  ,  0.  ,  0.71, -0.71]])
    """
    if length & (length - 1):
        raise ParameterError(f"haar_dictionary: length must be a power of two; got {length}")
    H = np.ones((1, 1))
    while len(H) < length:
        H = np.vstack([np.kron(H, [1.0, 1.0]), np.kron(np.eye(len(H)), [1.0, -1.0])]) / np.sqrt(2)
    return np.kron(H, H) if two_dimensional else H


@checked(length=limits(at_least=1), n_atoms=limits(at_least=1))
def dct_dictionary(length: int, n_atoms: int | None = None, *, two_dimensional: bool = False) -> Array:
    """Discrete cosine dictionary: atoms of unit norm, one per row; overcomplete if there are more atoms than entries.

    d_k(t) ~ cos(pi k (t + 1/2) / n_atoms), minus its mean for k > 0

    With n_atoms = length the rows are orthonormal (DCT-II). With two_dimensional the rows are products of two cosines,
    n_atoms^2 of them, for square images. [Ahmed, Natarajan and Rao, 1974]

    >>> D = dct_dictionary(8)
    >>> bool(np.allclose(D @ D.T, np.eye(8)))
    True
    """
    count = length if n_atoms is None else n_atoms
    D = np.cos(np.pi / count * np.outer(np.arange(count), np.arange(length) + 0.5))
    D[1:] -= D[1:].mean(axis=1, keepdims=True)
    size = np.linalg.norm(D, axis=1, keepdims=True)
    D = D / np.where(size > 1e-12, size, 1.0)
    return np.kron(D, D) if two_dimensional else D
