"""Least squares on the prostate table of The Elements of Statistical Learning, tables 3.2 and 3.3."""

from __future__ import annotations

import numpy as np
import pytest

from learnable.linear_model import LinearRegression
from tests import references


def test_least_squares_of_the_book() -> None:
    X, y, _, train = references.prostate()
    Z = (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)
    printed = references.prostate_numbers()["least_squares"]
    model = LinearRegression().fit(Z[train], y[train])
    table = model.summary().table
    assert table["coef"] == pytest.approx(printed["coef"], abs=6e-4)
    assert table["std_err"] == pytest.approx(printed["std_err"], abs=6e-3)
    assert table["t"] == pytest.approx(printed["z"], abs=6e-3)
    errors = (y[~train] - model.predict(Z[~train])) ** 2
    assert errors.mean() == pytest.approx(printed["test_mse"], abs=6e-4)
    assert errors.std(ddof=1) / np.sqrt(len(errors)) == pytest.approx(printed["test_mse_std_err"], abs=6e-4)
