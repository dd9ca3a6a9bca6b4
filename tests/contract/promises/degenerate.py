"""Degenerate data give finite predictions or a clear refusal, never NaN, a crash or a floating-point warning."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from learnable.core.errors import LearnableError

from ..cases import fit_quietly, make, output, problem, speaks, target
from ..promise import promise

Problem = tuple[np.ndarray, np.ndarray]


def rows(n: int, p: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """A matrix and a score that depends on its first column."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p))
    return X, X[:, 0] + 0.1 * rng.standard_normal(n)


def scaled(x_scale: float, y_scale: float) -> Callable[[type], Problem]:
    def make_problem(cls: type) -> Problem:
        X, score = rows(20, 3)
        y = target(cls, score)
        return X * x_scale, y if cls.traits.task == "classification" else y * y_scale

    return make_problem


def with_columns(change: Callable[[np.ndarray], np.ndarray], n: int = 20, p: int = 3) -> Callable[[type], Problem]:
    def make_problem(cls: type) -> Problem:
        X, score = rows(n, p)
        return change(X), target(cls, score)

    return make_problem


def with_target(value: float) -> Callable[[type], Problem]:
    def make_problem(cls: type) -> Problem:
        X, _ = rows(20, 3)
        y = np.full(20, abs(value) or 1.0 if cls.traits.positive_target else value)
        y = y.astype(int) if cls.traits.task == "classification" else y
        return X, y if cls.traits.single_target else np.column_stack([y, y])

    return make_problem


def one_outlier(where: str) -> Callable[[type], Problem]:
    def make_problem(cls: type) -> Problem:
        X, y = problem(cls, rows=30, columns=3)
        if where == "X" or cls.traits.task != "classification":
            (X if where == "X" else y)[0] *= 1e12
        return X, np.abs(y) if cls.traits.positive_target else y

    return make_problem


CASES: dict[str, Callable[[type], Problem]] = {
    "one_row": with_columns(lambda X: X, n=1),
    "one_row_and_column": with_columns(lambda X: X, n=1, p=1),
    "two_rows": with_columns(lambda X: X, n=2),
    "one_column": with_columns(lambda X: X, p=1),
    "more_columns_than_rows": with_columns(lambda X: X, n=5, p=60),
    "a_constant_column": with_columns(lambda X: X * [1, 0, 1] + [0, 7, 0]),
    "a_zero_column": with_columns(lambda X: X * [1, 0, 1]),
    "only_constant_columns": with_columns(lambda X: X * 0 + [1, 2, 3]),
    "only_zeros": with_columns(lambda X: X * 0),
    "equal_rows": with_columns(lambda X: X * 0 + X[0]),
    "duplicated_columns": with_columns(lambda X: np.column_stack([X, X, X[:, ::-1]])),
    "nearly_duplicated_columns": with_columns(lambda X: np.column_stack([X, X * (1 + 1e-15)])),
    "columns_of_all_scales": with_columns(lambda X: X * [1e-12, 1, 1e12]),
    "a_large_offset": with_columns(lambda X: X + 1e9),
    "tiny_columns": scaled(1e-150, 1),
    "huge_columns": scaled(1e150, 1),
    "tiny_target": scaled(1, 1e-150),
    "huge_target": scaled(1, 1e150),
    "tiny_columns_and_huge_target": scaled(1e-100, 1e100),
    "huge_columns_and_tiny_target": scaled(1e100, 1e-100),
    "huge_everything": scaled(1e150, 1e150),
    "tiny_everything": scaled(1e-150, 1e-150),
    "minute_columns": scaled(1e-300, 1),
    "enormous_columns": scaled(1e300, 1),
    "minute_target": scaled(1, 1e-300),
    "enormous_target": scaled(1, 1e300),
    "minute_columns_and_enormous_target": scaled(1e-160, 1e300),
    "enormous_columns_and_minute_target": scaled(1e300, 1e-160),
    "enormous_everything": scaled(1e300, 1e160),
    "minute_everything": scaled(1e-160, 1e-300),
    "constant_target": with_target(3.25),
    "zero_target": with_target(0.0),
    "negative_constant_target": with_target(-1e6),
    "an_outlier_in_y": one_outlier("y"),
    "an_outlier_in_X": one_outlier("X"),
}  # fmt: skip


def survive(cls: type, case: str, dtype: Any = np.float64) -> None:
    X, y = CASES[case](cls)
    X, y = X.astype(dtype), y if y.dtype.kind == "i" else y.astype(dtype)
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore", UserWarning
        )  # a warning about degenerate data is fine; floating point must be silent
        try:
            model = fit_quietly(make(cls), X, y)
            said = output(model, X) if cls.traits.lazy else None  # lazy estimators may refuse at prediction
        except LearnableError as error:
            assert speaks(cls, str(error)) and len(str(error).split()) >= 8, f"an unclear refusal: {error}"
            return
        said = output(model, X) if said is None else said
    assert np.isfinite(said).all(), f"{case}: predictions {said.ravel()[~np.isfinite(said).ravel()][:3]}"
    value = model.certificate_.value
    assert value >= 0, f"{case}: certificate {model.certificate_}"
    if model.trace_.stopped in ("converged", "exact"):
        assert model.certificate_.holds, f"{case}: {model.certificate_}"


def _register(case: str) -> None:
    def check(cls: type) -> None:
        survive(cls, case)

    check.__name__ = f"survives_{case}"
    promise()(check)


for _case in CASES:
    _register(_case)


@promise()
def survives_in_float32(cls: type) -> None:
    for case in CASES:
        if not any(word in case for word in ("tiny", "huge", "minute", "enormous", "outlier", "scales", "offset")):
            survive(cls, case, np.float32)


@promise()
def one_row_is_predicted_alone_as_among_others(cls: type) -> None:
    X, y = problem(cls)
    model = fit_quietly(make(cls), X, y)
    together = output(model, X)
    alone = np.concatenate([output(model, X[[i]]) for i in range(len(X))])
    np.testing.assert_allclose(alone, together, rtol=1e-12, atol=1e-12)
