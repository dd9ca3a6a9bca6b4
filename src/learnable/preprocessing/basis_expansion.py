"""Any list of functions as columns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core import (
    Array,
    Data,
    DataError,
    Matrix,
    ParameterError,
    Trace,
    Transformer,
    available_if,
    estimator,
    learned,
    param,
)
from ..core.validate.columns import check_names_fit
from ..core.validate.features import column_name

Function = Callable[[Array], Array]


@dataclass(frozen=True)
class NamedFunction:
    """A function with a name, the numbers that it takes, and its inverse if it has one."""

    apply: Function
    takes: Function
    domain: str
    back: Function | None = None


def _anything(x: Array) -> Array:
    return np.ones(x.shape, dtype=bool)


FUNCTIONS: dict[str, NamedFunction] = {
    "identity": NamedFunction(lambda x: x, _anything, "any number", lambda z: z),
    "log": NamedFunction(np.log, lambda x: x > 0, "positive numbers", np.exp),
    "log1p": NamedFunction(np.log1p, lambda x: x > -1, "numbers above -1", np.expm1),
    "exp": NamedFunction(np.exp, _anything, "any number that is not too large", np.log),
    "logit": NamedFunction(lambda x: np.log(x / (1 - x)), lambda x: (x > 0) & (x < 1), "numbers between 0 and 1",
                   lambda z: 1 / (1 + np.exp(-z))),
    "sqrt": NamedFunction(np.sqrt, lambda x: x >= 0, "numbers of at least 0", np.square),
    "square": NamedFunction(np.square, _anything, "any number that is not too large"),
    "reciprocal": NamedFunction(lambda x: 1 / x, lambda x: x != 0, "numbers other than 0", lambda z: 1 / z),
    "abs": NamedFunction(np.abs, _anything, "any number"),
    "sin": NamedFunction(np.sin, _anything, "any number"),
    "cos": NamedFunction(np.cos, _anything, "any number"),
}  # fmt: skip


def power(exponent: float) -> NamedFunction:
    """x^exponent, which for broken exponents takes no negative numbers."""
    whole = float(exponent).is_integer()
    odd = whole and exponent % 2 == 1
    takes: Function = (lambda x: x != 0) if exponent < 0 else _anything
    if not whole:
        takes = (lambda x: x > 0) if exponent < 0 else (lambda x: x >= 0)
    back: Function | None = (lambda z: np.sign(z) * np.abs(z) ** (1 / exponent)) if odd or not whole else None
    return NamedFunction(lambda x: x**exponent, takes, "numbers that have that power", back)


def _is_list(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and len(value) > 0 and all(_known(one) for one in value)


def _known(one: Any) -> bool:
    if isinstance(one, str):
        return one in FUNCTIONS
    if isinstance(one, tuple):
        return len(one) == 2 and one[0] == "power" and isinstance(one[1], (int, float)) and one[1] != 0
    return callable(one)


@estimator
class BasisExpansion(Transformer):
    """Basis expansion: a list of functions of the features, so that a linear model is a sum of these functions.

    y = sum_m beta_m h_m(x) + noise,    z = (h_1(x), ..., h_M(x))

    A function is a word (log, log1p, exp, logit, sqrt, square, reciprocal, abs, sin, cos, identity), ("power", p), or
    anything that maps the matrix of rows to one or more columns. Words act on each column, refuse numbers that they do
    not take, and go back if there is one function alone that has an inverse.

    >>> import numpy as np
    >>> BasisExpansion(["identity", ("power", 2), lambda X: np.sin(X[:, 0])]).fit_transform([[2.0]]).round(3)
    array([[2.   , 4.   , 0.909]])
    """

    title = "basis expansion"

    functions: Any = param(
        ("identity",),
        "the functions in order",
        kw_only=False,
        accepts=_is_list,
        says="a list of functions or names",
    )

    widths_: list[Any] = learned("number of output columns of each function")

    def _unsound(self) -> str:
        """Every function gives a number of columns."""
        sound = len(self.widths_) == len(self.functions) and all(
            type(width) is int and width >= 0 for width in self.widths_
        )
        return "" if sound else "widths_ must hold a number of columns for each function"

    def _fit(self, data: Data, trace: Trace) -> None:
        self.widths_ = [int(block.shape[1]) for block in self._blocks(data.X)]
        trace.exact("given functions have nothing to learn")

    def _named(self) -> list[Any]:
        found = []
        for one in self.functions:
            found.append(FUNCTIONS[one] if isinstance(one, str) else power(one[1]) if isinstance(one, tuple) else one)
        return found

    def _blocks(self, X: Array) -> list[Array]:
        names = self.__dict__.get("feature_names_in_")
        blocks = []
        for label, function in zip(self._labels(), self._named(), strict=True):
            if isinstance(function, NamedFunction):
                _refuse(X, ~function.takes(X), f"{label} takes {function.domain}", names)
                with np.errstate(over="ignore"):
                    block = np.asarray(function.apply(X))
                _refuse(X, ~np.isfinite(block), f"{label} leaves the range of {X.dtype}", names)
            else:
                block = np.asarray(function(X))
                block = block[:, None] if block.ndim == 1 else block
                if block.ndim != 2 or len(block) != len(X):
                    raise ParameterError(
                        f"BasisExpansion: {label} gives an array of shape {block.shape} for {len(X)} rows; "
                        "it must give a column or columns"
                    )
                if not np.isfinite(block).all():
                    row = int(np.argwhere(~np.isfinite(block))[0][0])
                    raise DataError(f"BasisExpansion: {label} gives NaN or infinity in row {row}; check its domain")
            blocks.append(block.astype(X.dtype, copy=False))
        return blocks

    def _transform(self, X: Matrix) -> Matrix:
        return np.hstack(self._blocks(X))

    def _labels(self) -> list[str]:
        found = []
        for place, one in enumerate(self.functions):
            if isinstance(one, tuple):
                found.append(f"power{one[1]:g}")
            else:
                found.append(one if isinstance(one, str) else getattr(one, "__name__", f"function{place}"))
        return [f"function{k}" if label == "<lambda>" else label for k, label in enumerate(found)]

    def _names_out(self, names: list[str]) -> list[str]:
        found = []
        for label, width in zip(self._labels(), self.widths_, strict=True):
            check_names_fit(type(self).__name__, width)
            columns = names if width == len(names) else [str(k) for k in range(width)]
            found += [column if label == "identity" else f"{label}({column})" for column in columns]
        return found

    @available_if(lambda self: self._way_back() is not None)
    def inverse_transform(self, X: Any) -> Array:
        """The columns of which the one function gave `X`."""
        self._require_fit()
        matrix, _ = self._validator.matrix(X)
        return np.asarray(self._way_back()(matrix))

    def _way_back(self) -> Any:
        one = self._named()[0] if _is_list(self.functions) and len(self.functions) == 1 else None
        return one.back if isinstance(one, NamedFunction) else None


def _refuse(X: Array, wrong: Array, rule: str, names: Any) -> None:
    """Raise an error that names the first entry that a function cannot take."""
    if wrong.any():
        row, j = np.argwhere(wrong)[0]
        raise DataError(
            f"BasisExpansion: {rule}, but {column_name(names, int(j))} holds {X[row, j]:g} in row {row}; "
            "shift or scale the column, or take another function"
        )
