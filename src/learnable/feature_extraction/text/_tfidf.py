"""Terms weighed by how few documents have them."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from ...core import Array
from ...core.errors import DataError
from ...core.runtime.native import kernels

Norm = Literal["l1", "l2"] | None
Idf = Literal["shifted", "course"]


def inverse_frequency(df: Array, documents: float, smooth: bool, kind: Idf) -> Array:
    """Inverse document frequency, log(documents / df), plus 1 if "shifted"; `smooth` adds a document with all terms."""
    smooth = smooth and kind == "shifted"
    df = df + df.dtype.type(smooth)
    seen = df > 0
    idf: Array = np.log((documents + smooth) / np.where(seen, df, 1)).astype(df.dtype)
    idf += kind == "shifted"
    return np.where(seen, idf, df.dtype.type(0))


def weigh(X: Any, idf: Array | None, sublinear: bool, norm: Norm) -> Any:
    """Weigh the counts of a CSR matrix of float64 or float32, in place, and bring its rows to length 1."""
    if sublinear and X.data.min(initial=1) <= 0:
        raise DataError("sublinear_tf takes logarithms of the counts, which must be above 0; one of them is not")
    X.sum_duplicates()
    weights = None if idf is None else idf.astype(X.dtype, copy=False)
    kernels.tfidf_rows(X.indptr, X.indices, X.data, weights, sublinear, norm or "")
    return X
