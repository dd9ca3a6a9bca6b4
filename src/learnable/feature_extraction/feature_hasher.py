"""Records as rows, without a list of columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from numbers import Real
from typing import Any, Literal, Self

import numpy as np

from ..core import Array, Estimator, Traits, estimator, param
from ..core.declare import params
from ..core.errors import DataError
from ..core.runtime.native import kernels
from ._hashing import columns_and_signs
from .text._vectorizer_base import is_dtype


@estimator
class FeatureHasher(Estimator):
    """Feature hashing: records as rows, the column of a name being its hash; nothing is learned or stored.

    X[r, |h(name)| mod n_features] += sign h(name) * value,   h = MurmurHash3

    A text value counts as the name "name=text" with value 1. Names may share a column; with alternate_sign they then
    cancel in the mean, so that products of rows stay right.

    >>> FeatureHasher(n_features=10).transform([{"dog": 1, "cat": 2}, {"dog": 2, "run": 5}]).toarray()
    array([[ 0.,  0.,  0., -1.,  0.,  0.,  0.,  0.,  0.,  2.],
           [ 0.,  0.,  0., -2., -5.,  0.,  0.,  0.,  0.,  0.]])
    """

    n_features: int = param(2**20, "number of columns", at_least=1, below=2**31, kw_only=False)
    input_type: Literal["dict", "pair", "string"] = param(
        "dict", "type of a sample: dict, (name, value) pairs, or names"
    )
    dtype: Any = param(np.float64, "data type of the matrix", accepts=is_dtype, says="a number type")
    alternate_sign: bool = param(True, "whether half of the names are counted with negative sign")

    title = "feature hashing"
    reference = "Weinberger et al., 2009"
    traits = Traits(takes="records", task="transformation", weights=False, stateless=True)

    def fit(self, X: Any = None, y: Any = None) -> Self:
        """Check the parameters; there is nothing to learn."""
        params.check(self)
        with self._fitting() as trace:
            trace.exact("names are hashed, not estimated", float(self.n_features))
        return self

    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """The matrix of the samples."""
        return self.fit(X, y).transform(X)

    def transform(self, raw_X: Any) -> Any:
        """The matrix of the samples."""
        from scipy.sparse import csr_matrix

        params.check(self)
        if isinstance(raw_X, (str, bytes, Mapping)) or not isinstance(raw_X, Iterable):
            raise DataError(f"FeatureHasher: raw_X must be a list of samples; got {raw_X!r:.40}")
        rows = [self._cells(sample, row) for row, sample in enumerate(raw_X)]
        if not rows:
            raise DataError("FeatureHasher: Cannot vectorize empty sequence.")
        cells = [cell for row in rows for cell in row]
        start = np.cumsum([0, *map(len, rows)], dtype=np.int32)
        hashes = kernels.hash_terms([_name(name) for name, _ in cells], 0)
        index, signs = columns_and_signs(hashes, self.n_features, self.alternate_sign)
        value = self._numbers(cells, start)
        value = value if signs is None else (value * signs).astype(self.dtype)
        matrix = csr_matrix((value, index, start), shape=(len(rows), self.n_features))
        matrix.sum_duplicates()
        return matrix

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def _numbers(self, cells: list[tuple[Any, Any]], start: Array) -> Array:
        """The values of the cells; rows of the matrix begin at `start`."""
        for place, (name, value) in enumerate(cells):
            if not isinstance(value, (Real, np.bool_)) or not abs(float(value)) < np.inf:
                row = int(np.searchsorted(start, place, side="right")) - 1
                raise DataError(
                    f"FeatureHasher: {name!r} of sample {row} is {value!r:.40}, not a finite number or a text; "
                    "leave out what is missing"
                )
        return np.array([value for _, value in cells], dtype=self.dtype)

    def _cells(self, sample: Any, row: int) -> list[tuple[Any, Any]]:
        """(name, value) of everything in a sample that is not zero."""
        kinds = {"string": "list of texts", "dict": "dict", "pair": "list of pairs (name, value)"}
        unlike = DataError(
            f"FeatureHasher: sample {row} is {sample!r:.40} of type {type(sample).__name__}, not a "
            f"{kinds[self.input_type]}; input_type={self.input_type!r} says so"
        )
        if not isinstance(sample, Iterable):
            raise unlike
        if self.input_type == "string":
            if isinstance(sample, str):
                raise DataError(
                    "FeatureHasher: each row must be a list of strings; a single string would be read letter by letter"
                )
            return [(name, 1) for name in sample]
        pairs: Iterable[tuple[Any, Any]] = sample.items() if isinstance(sample, Mapping) else sample
        try:
            return list(_named(pairs))
        except (TypeError, ValueError):  # what cannot be taken apart into two
            raise unlike from None


def _named(pairs: Iterable[tuple[Any, Any]]) -> Iterator[tuple[Any, Any]]:
    for name, value in pairs:
        if isinstance(value, str):
            yield f"{name}={value}", 1
        elif value != 0:
            yield name, value


def _name(name: Any) -> str:
    if isinstance(name, bytes):
        return name.decode()
    if not isinstance(name, str):
        raise TypeError(f"FeatureHasher: feature names must be strings; got {name!r:.40} of type {type(name).__name__}")
    return name
