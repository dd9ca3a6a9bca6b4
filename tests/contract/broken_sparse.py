"""Sparse matrices of every format whose arrays do not fit together, and a program that gives them to every estimator.

A crash ends the program, whose last line then names the call: `python -m tests.contract.broken_sparse Ridge Lasso`.
"""

from __future__ import annotations

import faulthandler
import sys
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from scipy import sparse

from learnable.core import DataError
from tests.contract.cases import CLASSES, fit_quietly, for_sparse, make, problem, with_zeros
from tests.contract.entry_points import data_arguments, methods

FAR = 2**30
NUMBERS = np.where(np.arange(240).reshape(60, 4) % 3 == 0, 0.0, np.arange(240).reshape(60, 4) % 7 + 1.0)
Form = Callable[[], Any]


def changed(matrix: Any, name: str, change: Callable[[Any], Any]) -> Any:
    """The matrix with one of its arrays replaced by what `change` makes of a copy."""
    setattr(matrix, name, change(getattr(matrix, name).copy()))
    return matrix


def with_entry(place: int, value: Any) -> Callable[[Any], Any]:
    """A change of one entry of an array."""

    def change(array: Any) -> Any:
        array[place] = value
        return array

    return change


COMPRESSED: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "index just outside": ("indices", with_entry(-1, 60)),
    "index far outside": ("indices", with_entry(0, FAR)),
    "negative index": ("indices", with_entry(0, -1)),
    "indices too short": ("indices", lambda array: array[:-3]),
    "indices of floats": ("indices", lambda array: array + 0.5),
    "indices in two dimensions": ("indices", lambda array: array[None]),
    "pointer far outside": ("indptr", with_entry(2, FAR)),
    "pointers end far outside": ("indptr", with_entry(-1, FAR)),
    "negative pointer": ("indptr", with_entry(1, -FAR)),
    "pointers do not begin at 0": ("indptr", with_entry(0, 1)),
    "pointers decrease": ("indptr", lambda array: np.append(array[-1:0:-1], array[-1])),
    "pointers too short": ("indptr", lambda array: array[:2]),
    "pointers too long": ("indptr", lambda array: np.append(array, array[-1])),
    "data too short": ("data", lambda array: array[:1]),
    "data of objects": ("data", lambda array: array.astype(object)),
    "shape too tall": ("_shape", lambda shape: (FAR, FAR)),
}


class Copied(tuple[Any, ...]):
    """A tuple with a `copy` method, as arrays have."""

    def copy(self) -> Any:
        return tuple(self)


def compressed(kind: Callable[[Any], Any], name: str, change: Callable[[Any], Any]) -> Form:
    """A matrix with pointers, one of whose arrays is changed."""

    def form() -> Any:
        matrix = kind(NUMBERS)
        matrix._shape = Copied(matrix.shape)
        matrix = changed(matrix, name, change)
        matrix._shape = tuple(matrix._shape)
        return matrix

    return form


def coordinates(change: Callable[[Any, Any, Any], Any]) -> Form:
    """A COO matrix from changed rows, columns and data."""

    def form() -> Any:
        matrix = sparse.coo_array(NUMBERS)
        row, column, matrix.data = change(matrix.row.copy(), matrix.col.copy(), matrix.data.copy())
        matrix.coords = (row, column)
        return matrix

    return form


def lists(name: str, change: Callable[[list[Any]], list[Any]]) -> Form:
    """A LIL matrix in whose second row a list is changed."""

    def form() -> Any:
        matrix = sparse.lil_array(NUMBERS)
        getattr(matrix, name)[1] = change(getattr(matrix, name)[1])
        return matrix

    return form


def diagonals(name: str, change: Callable[[Any], Any]) -> Form:
    return lambda: changed(sparse.dia_array(NUMBERS), name, change)


def keys(key: Any) -> Form:
    """A DOK matrix with one key too many."""

    def form() -> Any:
        matrix = sparse.dok_array(NUMBERS)
        matrix._dict[key] = 1.0
        return matrix

    return form


def too_few_lists() -> Any:
    matrix = sparse.lil_array(NUMBERS)
    matrix.rows = matrix.rows[:-5]
    return matrix


BROKEN: dict[str, Form] = {
    **{
        f"{kind.__name__}: {what}": compressed(kind, name, change)
        for kind in (sparse.csr_array, sparse.csc_matrix, sparse.bsr_array)
        for what, (name, change) in COMPRESSED.items()
    },
    "bsr: blocks do not tile": lambda: changed(sparse.bsr_array(NUMBERS), "data", lambda a: np.ones((len(a), 7, 3))),
    "coo: row far outside": coordinates(lambda i, j, data: (with_entry(0, FAR)(i), j, data)),
    "coo: column just outside": coordinates(lambda i, j, data: (i, with_entry(-1, 4)(j), data)),
    "coo: negative row": coordinates(lambda i, j, data: (with_entry(0, -FAR)(i), j, data)),
    "coo: rows too short": coordinates(lambda i, j, data: (i[:-4], j, data)),
    "coo: data too short": coordinates(lambda i, j, data: (i, j, data[:-4])),
    "coo: rows of floats": coordinates(lambda i, j, data: (i + 0.5, j, data)),
    "lil: index far outside": lists("rows", lambda row: [*row[:-1], FAR]),
    "lil: negative index": lists("rows", lambda row: [-FAR, *row[1:]]),
    "lil: more indices than entries": lists("rows", lambda row: [*row, 3, 3, 3]),
    "lil: more entries than indices": lists("data", lambda row: [*row, *[1.0] * 1000]),
    "lil: no index": lists("rows", lambda row: ["a", *row[1:]]),
    "lil: no list": lists("rows", lambda row: None),
    "lil: too few rows": too_few_lists,
    "dia: diagonal far below": diagonals("offsets", lambda array: array - FAR),
    "dia: diagonal that wraps": diagonals("offsets", lambda array: array.astype(np.int64) + 2**32),
    "dia: more offsets than diagonals": diagonals("data", lambda array: array[:1]),
    "dia: data in one dimension": diagonals("data", lambda array: array.ravel()),
    "dia: diagonals twice": diagonals("offsets", lambda array: array * 0),
    "dok: row far outside": keys((FAR, 0)),
    "dok: negative column": keys((0, -FAR)),
    "dok: no pair": keys(3),
}  # fmt: skip


def calls(name: str) -> Iterator[tuple[str, Callable[[Any], Any]]]:
    """What a fitted estimator can be called with a matrix for: every public method that takes data."""
    cls = CLASSES[name]
    X, y = problem(cls)
    numbers = cls.traits.takes in ("numbers", "table", "parts")
    model = fit_quietly(
        make(cls, **(for_sparse(cls) if cls.traits.sparse else {})), with_zeros(cls, X) if numbers else X, y
    )
    for method, function in methods(cls):
        taken = data_arguments(function)
        if taken and hasattr(model, method):
            others = {"y": y} if "y" in taken[1:] else {}
            yield method, given_first(getattr(model, method), taken[0], others)


def given_first(call: Callable[..., Any], name: str, others: dict[str, Any]) -> Callable[[Any], Any]:
    """A call of which only the argument `name` is left open."""
    return lambda broken: call(**{name: broken}, **others)


def main(names: list[str]) -> None:
    """Print what is called before each call, and after it what is wrong with how it ended."""
    warnings.simplefilter("ignore")
    faulthandler.enable()
    for name in names:
        for method, call in calls(name):
            for form, broken in BROKEN.items():
                print(f"{name}.{method}, {form}", end="\t", flush=True)
                print(complaint(call, broken()), flush=True)


def complaint(call: Callable[[Any], Any], broken: Any) -> str:
    """What is wrong with how a call takes a broken matrix; nothing where it is refused by name."""
    try:
        call(broken)
    except DataError as error:
        return "" if "is not a valid sparse matrix" in str(error) else f"DataError: {error}"
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return "accepted"


if __name__ == "__main__":
    main(sys.argv[1:])
