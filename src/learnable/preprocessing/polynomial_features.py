"""Products of columns up to a degree."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations, combinations_with_replacement
from math import comb
from typing import Any, Literal

import numpy as np

from ..core import Array, Data, DataError, Matrix, ParameterError, Trace, Traits, Transformer, estimator, learned, param
from ..core.errors import warn
from ..core.runtime.memory import memory_of_machine
from ..core.validate.columns import check_names_fit
from ..core.validate.features import column_name
from ..core.validate.targets import is_sparse
from ..engines.passes import FitsFirstBlock
from ._sparse_products import SparseProducts

MOST_COLUMNS = 2**63 - 1  # that indices of sparse matrices count
UNTOLD = 10**18  # columns beyond which their number is not written out
MAX_FACTORS = 64  # of a product in a model file
HIGH = 3  # degree beyond which products of several columns outgrow most tables


def _is_degree(value: Any) -> bool:
    least, most = value if isinstance(value, tuple) and len(value) == 2 else (0, value)
    whole = all(isinstance(end, (int, np.integer)) and not isinstance(end, bool) for end in (least, most))
    return whole and 0 <= least <= most


@estimator
class PolynomialFeatures(FitsFirstBlock, Transformer):
    """Polynomial features: all products of features up to a degree, so that a linear model is a polynomial.

    z = (1, x_1, ..., x_p, x_1^2, x_1 x_2, ..., x_p^d),    C(p + d, d) columns

    Each product of degree k is one of degree k - 1 times a column. `degree=(low, high)` leaves lower degrees out.
    Beyond degree 3 the products of several columns are soon more than the rows, which is warned of.

    >>> PolynomialFeatures(2).fit_transform([[2.0, 3.0]])
    array([[1., 2., 3., 4., 6., 9.]])
    """

    title = "polynomial features"
    traits = Traits(sparse=True, storage="given")

    degree: Any = param(
        2,
        "highest degree, or (lowest, highest)",
        kw_only=False,
        accepts=_is_degree,
        says="a whole number or (lowest, highest), at least 0",
        tune=(1, 2, 3),
        simpler="smaller",
    )
    interaction_only: bool = param(False, "whether to omit powers of single columns")
    include_bias: bool = param(True, "whether to include a column of ones")
    order: Literal["C", "F"] = param("C", "order of a dense result in memory")

    n_output_features_: int = learned("number of columns of the result", least=0)

    def _degrees(self, columns: int) -> tuple[int, int]:
        """The lowest and the highest degree of products of p columns."""
        low, high = self.degree if isinstance(self.degree, tuple) else (0, int(self.degree))
        return low, min(high, columns) if self.interaction_only else high

    def _unsound(self) -> str:
        """The result has as many columns as there are products."""
        low, high = self._degrees(self.n_features_in_)
        if min(high, self.n_features_in_) > MAX_FACTORS or high < max(low, 0):
            return f"degree={self.degree!r:.40} of {self.n_features_in_} columns makes too many products"
        width = self._all_widths(self.n_features_in_, max(1, low), high) + int(self.include_bias)
        return "" if width == self.n_output_features_ else f"n_output_features_ must be {width!r:.40}"

    def _fit(self, data: Data, trace: Trace) -> None:
        low, high = self._degrees(data.p)
        if high == 0 and not self.include_bias:
            raise ParameterError("PolynomialFeatures: degree=0 with include_bias=False leaves no features")
        width = self._all_widths(data.p, max(1, low), high) + int(self.include_bias)
        if not is_sparse(data.X):
            self._refuse_without_room(data.p, width, 1)
        self._refuse_overflow(data, high)
        if high > HIGH and data.p > 1 and width > data.n:
            warn(
                f"PolynomialFeatures: degree {high} of {data.p} columns makes {width} columns for {data.n} "
                f"row{'s' * (data.n != 1)}, and a linear model of more columns than rows fits anything; lower the "
                "degree, penalise the model, or use a polynomial kernel",
                UserWarning,
            )
        self.n_output_features_ = width
        trace.exact("products of the columns of each row alone")

    def _width(self, columns: int, degree: int) -> int:
        return comb(columns, degree) if self.interaction_only else comb(columns + degree - 1, degree)

    def _all_widths(self, columns: int, low: int, high: int) -> int:
        """How many products there are from one degree to another."""
        if self.interaction_only:
            return sum(comb(columns, degree) for degree in range(low, high + 1))
        return comb(columns + high, columns) - comb(columns + low - 1, columns)

    def _refuse_without_room(self, columns: int, width: int, rows: int) -> None:
        """Report the output size before memory is allocated."""
        if 8 * width * rows > memory_of_machine():
            made, (_, high) = str(width) if width < UNTOLD else f"over {UNTOLD:.0e}", self._degrees(columns)
            raise DataError(
                f"PolynomialFeatures: degree {high} of {columns} columns makes {made} columns, more than "
                f"memory holds for {rows} row{'s' * (rows != 1)}; lower the degree, set interaction_only=True, choose "
                "columns first, or use a polynomial kernel, which needs none of these columns"
            )

    def _refuse_overflow(self, data: Data, degree: int) -> None:
        """Powers of large numbers leave the range of floating-point numbers."""
        sizes = abs(data.X).max(axis=0)
        sizes = np.ravel(sizes.toarray() if is_sparse(sizes) else sizes).astype(np.float64)
        if data.weight is not None or degree < 2:
            return
        j = int(sizes.argmax())
        if sizes[j] > 0 and np.log10(sizes[j]) * degree > np.log10(np.finfo(data.X.dtype).max):
            raise DataError(
                f"PolynomialFeatures: the largest value of {column_name(data.names, j)} is {sizes[j]:.3g} in size, and "
                f"its power {degree} leaves the range of {data.X.dtype}; measure it in another unit, or scale it first"
            )

    def _transform(self, X: Matrix) -> Matrix:
        return self._of_sparse(X.tocsr()).asformat(X.format) if is_sparse(X) else self._of_dense(X)

    def _of_dense(self, X: Array) -> Array:
        low, high = self._degrees(X.shape[1])
        self._refuse_without_room(X.shape[1], self.n_output_features_, len(X))
        result = np.empty((len(X), self.n_output_features_), dtype=X.dtype, order=self.order)
        place = int(self.include_bias)
        result[:, :place] = 1
        before, starts = X, list(range(X.shape[1]))
        for degree in range(1, high + 1):
            kept = degree >= low
            if degree > 1:
                width = self._width(X.shape[1], degree)
                fresh = result[:, place : place + width] if kept else np.empty((len(X), width), dtype=X.dtype)
                before, starts = self._next_degree(X, before, starts, fresh)
            elif kept:
                result[:, place : place + X.shape[1]] = X
            place += before.shape[1] if kept else 0
        return result

    def _next_degree(self, X: Array, before: Array, starts: list[int], out: Array) -> tuple[Array, list[int]]:
        """Products of one degree more into `out`; where those that begin with each column start in it."""
        place, found = 0, []
        for j, start in enumerate(self._usable(starts, before.shape[1])):
            found.append(place)
            width = before.shape[1] - start
            np.multiply(before[:, start:], X[:, [j]], out=out[:, place : place + width])
            place += width
        return out, found

    def _usable(self, starts: list[int], width: int) -> list[int]:
        """Where the products that may be multiplied by each column start: those of it and later ones."""
        return [*starts[1:], width] if self.interaction_only else starts

    def _of_sparse(self, X: Any) -> Any:
        """Products of the stored entries of each row alone."""
        low, high = self._degrees(X.shape[1])
        if self.n_output_features_ > MOST_COLUMNS:
            raise DataError(
                f"PolynomialFeatures: the result would have {self.n_output_features_} columns, which is too large to "
                "be indexed; lower the degree, or choose columns first"
            )
        terms = SparseProducts(X, self.interaction_only)
        stored = sum(terms.count(degree) for degree in range(max(1, low), high + 1))
        self._refuse_without_room(X.shape[1], 2 * stored, 1)
        blocks = [(np.arange(X.shape[0]), np.zeros(X.shape[0], dtype=np.int64), np.ones(X.shape[0], dtype=X.dtype))]
        blocks, place = blocks[: int(self.include_bias)], int(self.include_bias)
        for degree in range(1, high + 1):
            rows, columns, values = terms.of_degree(degree)
            if degree >= low:
                blocks.append((rows, columns + place, values))
                place += self._width(X.shape[1], degree)
        if not blocks:
            return type(X)((X.shape[0], place), dtype=X.dtype)
        rows, columns, values = (np.concatenate(part) for part in zip(*blocks, strict=True))
        return type(X)((values, (rows, columns)), shape=(X.shape[0], place))

    def _terms(self) -> Iterator[tuple[int, ...]]:
        """The columns of each product, in order."""
        check_names_fit(type(self).__name__, self.n_output_features_)
        low, high = self._degrees(self.n_features_in_)
        choose: Callable[..., Any] = combinations if self.interaction_only else combinations_with_replacement
        if self.include_bias:
            yield ()
        for degree in range(max(1, low), high + 1):
            yield from choose(range(self.n_features_in_), degree)

    @property
    def powers_(self) -> Array:
        """The exponent of each column in each product."""
        return np.array([np.bincount(term, minlength=self.n_features_in_) for term in self._terms()], dtype=np.int64)

    def _names_out(self, names: list[str]) -> list[str]:
        return [_spoken(term, names) for term in self._terms()]


def _spoken(term: tuple[int, ...], names: list[str]) -> str:
    """A product in words: `x0^2 x1`."""
    powers = {j: term.count(j) for j in term}
    return " ".join(names[j] if power == 1 else f"{names[j]}^{power}" for j, power in powers.items()) or "1"
