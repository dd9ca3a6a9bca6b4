"""Any container of the same numbers gives the same model, and no data are changed."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from learnable.core.declare import params

from ..cases import assert_close, digest, fit, fit_quietly, for_sparse, make, output, problem, speaks, tight, with_zeros
from ..promise import promise


def read_only(X: np.ndarray) -> np.ndarray:
    X = X.copy()
    X.flags.writeable = False
    return X


EQUAL: dict[str, Callable[[np.ndarray], Any]] = {
    "lists": lambda X: X.tolist(),
    "read-only": read_only,
    "other byte order": lambda X: X.astype(X.dtype.newbyteorder(">")),
    "strided": lambda X: np.repeat(X, 2, axis=0)[::2],
    "objects": lambda X: X.astype(object),
}


@promise()
def containers_do_not_matter(cls: type) -> None:
    X, y = problem(cls)
    plain = digest(fit_quietly(make(cls), X, y))
    for name, wrapped in EQUAL.items():
        if name == "objects" and cls.traits.takes == "table":
            continue  # there an object is not the number that it looks like
        model = fit_quietly(make(cls), wrapped(X), wrapped(y))
        assert digest(model) == plain, f"{name} give another model"
        assert output(model, wrapped(X)).tobytes() == output(model, X).tobytes(), f"{name} give other predictions"


@promise()
def memory_maps_do_not_matter(cls: type) -> None:
    X, y = problem(cls)
    with tempfile.TemporaryDirectory() as folder:
        stored = np.memmap(Path(folder) / "X", dtype=X.dtype, shape=X.shape, mode="w+")
        stored[:] = X
        stored.flush()
        opened = np.memmap(Path(folder) / "X", dtype=X.dtype, shape=X.shape, mode="r")
        model = fit_quietly(make(cls), opened, y)
        assert digest(model) == digest(fit_quietly(make(cls), X, y))
        assert output(model, opened).tobytes() == output(model, X).tobytes()


@promise()
def order_in_memory_does_not_matter(cls: type) -> None:
    X, y = problem(cls)
    plain = fit_quietly(tight(cls), X, y)
    other = fit_quietly(tight(cls), np.asfortranarray(X), y)
    assert_close(output(other, np.asfortranarray(X)), output(plain, X), 1e-8, "C and Fortran order")


@promise(made_by=lambda cls: cls.traits.takes == "numbers")
def whole_numbers_and_booleans_are_numbers(cls: type) -> None:
    X, y = problem(cls)
    for kind in (np.int64, np.int8, np.uint8, bool):
        whole = X > 0 if kind is bool else np.abs(X * 3).astype(kind)
        model = fit_quietly(make(cls), whole, y)
        assert digest(model) == digest(fit_quietly(make(cls), whole.astype(float), y)), kind
        assert output(model, whole).tobytes() == output(model, whole.astype(float)).tobytes(), kind


@promise()
def data_are_left_alone(cls: type) -> None:
    for order in ("C", "F"):
        X, y = problem(cls)
        X = np.array(X, order=order)
        weight = np.ones(len(X)) if cls.traits.weights else None
        kept = X.copy(), y.copy()
        model = fit_quietly(make(cls), X, y, weight)
        output(model, X)
        np.testing.assert_array_equal(X, kept[0])
        np.testing.assert_array_equal(y, kept[1])
        assert weight is None or (weight == 1).all()


@promise(made_by=lambda cls: cls.traits.sparse)
def sparse_and_dense_agree(cls: type) -> None:
    from scipy import sparse

    X, y = problem(cls)
    X = with_zeros(cls, X)
    dense = fit_quietly(tight(cls, **for_sparse(cls)), X, y)
    for kind in (sparse.csr_array, sparse.csc_matrix, sparse.coo_array, sparse.dok_array):
        matrix = kind(X)
        model = fit_quietly(tight(cls, **for_sparse(cls)), matrix, y)
        assert_close(output(model, matrix), output(dense, X), 1e-6, f"{kind.__name__} and dense")
        np.testing.assert_array_equal(matrix.toarray(), X)


@promise(made_by=lambda cls: not cls.traits.sparse and cls.traits.takes != "parts")
def sparse_data_are_refused_in_words(cls: type) -> None:
    from scipy import sparse

    X, y = problem(cls)
    try:
        fit(make(cls), sparse.csr_array(X), y)
    except TypeError as error:
        assert speaks(cls, str(error)) and "toarray" in str(error), error
    else:
        raise AssertionError("sparse data are taken, but not declared")


@promise(made_by=lambda cls: "dtype" not in params.parameters(cls))
def float32_is_kept(cls: type) -> None:
    X, y = problem(cls)
    model = fit_quietly(make(cls), X.astype(np.float32), y.astype(np.float32))
    for name, shape in params.learned_shapes(cls).items():
        value = model.__dict__.get(name)
        if isinstance(value, np.ndarray) and value.dtype.kind == "f" and "features" in (shape.axes or ()):
            assert value.dtype == np.float32 or cls.traits.task == "transformation", f"{name} is {value.dtype}"
    said = output(model, X.astype(np.float32)).dtype
    doubled = cls.traits.double_target and said == np.float64
    assert said in (np.float32, np.bool_) or said.kind == "i" or doubled, said  # numbers of groups are whole
    double = fit_quietly(make(cls), X, y)
    assert_close(output(model, X.astype(np.float32)), output(double, X), 1e-3, "becomes float64")


@promise()
def empty_data_are_refused(cls: type) -> None:
    X, y = problem(cls)
    for part in (X[:0], X[:, :0]):
        try:
            fit(make(cls), part, y[: len(part)])
        except ValueError as error:
            assert speaks(cls, str(error)), error
        else:
            raise AssertionError("empty data give a model")
