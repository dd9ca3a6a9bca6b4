"""The Boston housing example of the course: worked numbers W-21 to W-24."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from learnable.datasets import Dataset
from learnable.linear_model import LinearRegression
from learnable.plot import CorrelationDisplay
from tests import references


@pytest.fixture(scope="module")
def boston() -> tuple[pd.DataFrame, np.ndarray]:
    X, y, names = references.boston()
    return pd.DataFrame(X, columns=names), y


@pytest.fixture(scope="module")
def model(boston: tuple[pd.DataFrame, np.ndarray]) -> LinearRegression:
    X, y = boston
    return LinearRegression().fit(X.drop(columns=["zn", "chas"]), y)


def test_w21_every_cell_of_the_coefficient_table(model: LinearRegression) -> None:
    printed = references.boston_table()
    table = model.summary().table
    assert list(table) == list(printed)
    assert list(table.pop("name")) == printed.pop("name")
    for column, cells in printed.items():
        decimals = 4 if column == "coef" else 3
        assert [f"{value:.{decimals}f}" for value in table[column]] == cells, column


def test_w21_is_what_print_shows(model: LinearRegression) -> None:
    lines = {line.split()[0]: line.split()[1:] for line in str(model.summary()).splitlines() if line.strip()}
    assert lines["const"] == ["37.3083", "5.200", "7.175", "0.000", "27.092", "47.525"]
    assert lines["lstat"][0] == "-0.5251"


def test_w22_error_of_the_fit(model: LinearRegression, boston: tuple[pd.DataFrame, np.ndarray]) -> None:
    X, y = boston
    error = np.mean((y - model.predict(X.drop(columns=["zn", "chas"]))) ** 2)
    # the course says 5.34, which is not a mean squared error of this fit
    assert error == pytest.approx(22.85, abs=5e-3)
    assert np.sqrt(error) == pytest.approx(4.780, abs=5e-4)
    summary = model.summary()
    assert summary.residual_sd == pytest.approx(4.838, abs=5e-4)
    assert summary.r_squared == pytest.approx(0.7293, abs=5e-5)


def test_w23_correlations_with_the_target(boston: tuple[pd.DataFrame, np.ndarray]) -> None:
    X, y = boston
    drawn = CorrelationDisplay.from_data(X.assign(price=y), draw=False)
    shown = dict(zip([*X.columns, "price"], drawn.correlation[-1], strict=True))
    # the coefficient of standardised variables is their correlation
    target = (y - y.mean()) / y.std()
    for name, expected in (("rm", 0.6954), ("lstat", -0.7377)):
        assert shown[name] == pytest.approx(expected, abs=5e-5)
        column = X[[name]].to_numpy()
        standardised = LinearRegression().fit((column - column.mean()) / column.std(), target)
        assert standardised.coef_[0] == pytest.approx(expected, abs=5e-5)
        assert standardised.summary().r_squared == pytest.approx(expected**2, abs=1e-4)


def test_w24_nothing_is_missing_but_much_is_zero(boston: tuple[pd.DataFrame, np.ndarray]) -> None:
    X, _ = boston
    heading, *rows = str(Dataset.of(X)).splitlines()[1:]
    place = heading.split().index("missing")
    shown_zeros = {row.split()[0]: row.split()[place] for row in rows if row.split() and row.split()[0] in X}
    assert shown_zeros == dict.fromkeys(X, "0")
    assert (X["zn"] == 0).mean() == pytest.approx(0.735, abs=5e-4)
    assert (X["chas"] == 0).mean() == pytest.approx(0.931, abs=5e-4)


def test_all_columns_and_one_column(boston: tuple[pd.DataFrame, np.ndarray]) -> None:
    X, y = boston
    every = LinearRegression().fit(X, y)
    assert every.intercept_ == pytest.approx(36.4595, abs=5e-5)
    assert every.summary().r_squared == pytest.approx(0.7406, abs=5e-5)
    one = LinearRegression().fit(X[["lstat"]], y)
    assert (one.intercept_, one.coef_[0]) == (pytest.approx(34.55, abs=5e-3), pytest.approx(-0.95, abs=5e-3))
