"""The references themselves: shapes, and exact arithmetic against the certified numbers."""

from __future__ import annotations

import csv
import math
from fractions import Fraction

import numpy as np
import pytest

from tests import references
from tests.references.exact import least_squares, solve
from tests.references.make import boston_table

SHAPES = {"Norris": (36, 1), "Pontius": (40, 2), "NoInt1": (11, 1), "NoInt2": (3, 1)}
SHAPES |= {"Filip": (82, 10), "Longley": (16, 6)}


@pytest.mark.parametrize("name", references.NIST)
def test_nist_shapes(name: str) -> None:
    X, y, certified = references.load_nist(name)
    assert X.shape == SHAPES.get(name, (21, 5))
    assert y.shape == (len(X),)
    assert certified.intercept == (not name.startswith("NoInt"))
    assert len(certified.coef) == len(certified.std_err) == X.shape[1] + certified.intercept


@pytest.mark.parametrize("name", references.NIST)
def test_rational_arithmetic_gives_the_certified_numbers(name: str) -> None:
    _, _, certified = references.load_nist(name)
    with (references.HERE / "nist" / f"{name}.csv").open() as file:
        rows = [{key: Fraction(text) for key, text in row.items()} for row in csv.DictReader(file)]
    y = [row.pop("y") for row in rows]
    degree = len(certified.coef) - 1
    if list(rows[0]) == ["x"] and certified.intercept:
        X = [[row["x"] ** k for k in range(degree + 1)] for row in rows]
    else:
        X = [[Fraction(1)] * certified.intercept + list(row.values()) for row in rows]
    w, inverse, rss = least_squares(X, y)
    free = len(y) - len(w)
    errors = [math.sqrt(rss / free * inverse[j][j]) for j in range(len(w))]
    assert references.correct_digits(np.array(w, dtype=float), certified.coef).min() > 14
    assert references.correct_digits(np.array(errors), certified.std_err).min() > 13.5
    assert references.correct_digits(math.sqrt(rss / free), certified.residual_sd) > 14
    mean = sum(y) / len(y) if certified.intercept else 0
    r_squared = float(1 - rss / sum((t - mean) ** 2 for t in y))
    assert references.correct_digits(r_squared, certified.r_squared) > 14


def test_rational_solve_needs_a_row_swap() -> None:
    A = [[Fraction(0), Fraction(2)], [Fraction(3), Fraction(1)]]
    assert solve(A, [[Fraction(4)], [Fraction(5)]]) == [[Fraction(1)], [Fraction(2)]]


def test_powers_are_correctly_rounded() -> None:
    assert references.powers(["0.1"], 3).tolist() == [[0.1, 0.01, 0.001]]


def test_correct_digits() -> None:
    digits = references.correct_digits(np.array([1.001, 5.0, 1e-4, 0.0]), np.array([1.0, 5.0, 0.0, 1.0]))
    assert digits == pytest.approx([3, 15, 4, 0], abs=1e-9)


def test_boston_table_is_the_one_the_data_give() -> None:
    header, *rows = boston_table()
    assert references.boston_table() == {name: [row[j] for row in rows] for j, name in enumerate(header)}
    X, y, names = references.boston()
    assert X.shape == (506, 13)
    assert names[-1] == "lstat"
    assert y.mean() == pytest.approx(22.5328, abs=5e-5)


def test_prostate_numbers_are_the_ones_the_data_give() -> None:
    X, y, names, train = references.prostate()
    assert (X.shape, train.sum(), names[0]) == ((97, 8), 67, "lcavol")
    A = np.c_[np.ones(97), (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)]
    w = np.linalg.lstsq(A[train], y[train], rcond=None)[0]
    residual = y[train] - A[train] @ w
    errors = np.sqrt(residual @ residual / 58 * np.diag(np.linalg.inv(A[train].T @ A[train])))
    printed = references.prostate_numbers()["least_squares"]
    assert w == pytest.approx(printed["coef"], abs=6e-4)
    assert errors == pytest.approx(printed["std_err"], abs=6e-3)
    assert w / errors == pytest.approx(printed["z"], abs=6e-3)
    assert np.mean((y[~train] - A[~train] @ w) ** 2) == pytest.approx(printed["test_mse"], abs=6e-4)


def test_stackloss_fits_are_ordered_by_their_own_losses() -> None:
    X, y, _ = references.stackloss()
    fits = references.stackloss_fits()
    residual = {name: y - np.c_[np.ones(21), X] @ fit["coef"] for name, fit in fits.items() if "coef" in fit}
    for r in residual.values():
        assert r @ r >= residual["least_squares"] @ residual["least_squares"]
        assert np.abs(r).sum() >= np.abs(residual["least_absolute"]).sum()


@pytest.mark.parametrize("name", ["least_absolute", "huber", "student_4"])
def test_robust_stackloss_fits_agree_on_the_outliers(name: str) -> None:
    X, y, _ = references.stackloss()
    fits = references.stackloss_fits()
    r = np.abs(y - np.c_[np.ones(21), X] @ fits[name]["coef"])
    assert sorted(np.argsort(-r)[:4] + 1) == fits["outliers"]["rows"]


def test_shapes_of_the_tables_of_classes() -> None:
    X, y, names = references.card_payments()
    assert X.shape == (2460, 29) and y.sum() == 492 and names[-1] == "amount"
    assert X[y == 1, -1].mean() == pytest.approx(122.2113, abs=1e-4)  # published: 122.2113, deviation 256.6833
    assert X[y == 1, -1].std(ddof=1) == pytest.approx(256.6833, abs=1e-4)
    X, y, names = references.heart_disease()
    assert X.shape == (462, 9) and y.sum() == 160 and set(np.unique(X[:, names.index("famhist")])) == {0.0, 1.0}


def test_digits_and_posts() -> None:
    images, digits = references.handwritten_digits()
    assert images.shape == (800, 28, 28) and np.bincount(digits).tolist() == [80] * 10 and images.max() == 255
    texts, groups = references.newsgroups()
    assert len(texts) == 400 and set(np.unique(groups, return_counts=True)[1].tolist()) == {80}
    assert all(text == " ".join(sorted(text.split())) and "@" not in text for text in texts)  # no post can be read
