"""Logistic regression on rows that are many, or that hold numbers which are not finite."""

import numpy as np
import pytest
from scipy import sparse

from learnable import LogisticRegression
from learnable.core.errors import DataError


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("form", [np.ascontiguousarray, np.asfortranarray, np.float32, sparse.csr_matrix])
@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"l1_ratio": 1.0},
        {"C": np.inf},
        {"solver": "liblinear"},
        {"solver": "saga", "random_state": 0},
        {"class_weight": "balanced"},
        {"fit_intercept": False},
    ],
)
@pytest.mark.parametrize(("n", "p", "classes"), [(60, 3, 2), (30_000, 3, 2), (60, 3, 3), (20, 40, 2)])
def test_numbers_that_are_not_finite_are_named(n, p, classes, settings, form, value):
    rng = np.random.default_rng(0)
    if classes == 3 and settings.get("solver") == "liblinear":
        settings = settings | {"strategy": "ovr"}
    X, y = rng.normal(size=(n, p)), np.array(["no", "yes", "so"])[rng.integers(0, classes, n)]
    X[n // 2 + 1, 1] = value
    with pytest.raises(DataError, match=rf"X contains (NaN|infinity) in column 1, row {n // 2 + 1} \(1 bad"):
        LogisticRegression(**settings).fit(form(X), y)


def test_a_missing_value_is_named_though_its_class_has_no_weight():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 2)), rng.integers(0, 3, 60)
    y[7], X[7, 0] = 2, np.nan
    with pytest.raises(DataError, match="X contains NaN in column 0, row 7"):
        LogisticRegression(class_weight={0: 1.0, 1: 1.0, 2: 0.0}).fit(X, y)


@pytest.mark.parametrize(("n", "p"), [(40_000, 3), (20_000, 30)])
def test_the_gradient_of_many_rows_is_as_small_as_certified(n, p):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, p)) * rng.uniform(0.5, 2, p) + rng.normal(size=p)
    y = np.where(rng.random(n) < 1 / (1 + np.exp(0.5 - X @ rng.normal(size=p))), "yes", "no")
    model = LogisticRegression().fit(X, y)
    probability = model.predict_proba(X)[:, 1]
    row_gradient = (probability - (y == "yes")) / n
    size = np.sqrt(n * row_gradient @ row_gradient)
    relative = np.abs(row_gradient @ X + model.coef_[0] / n) / (np.sqrt((X * X).mean(axis=0)) * size)
    assert max(relative.max(), abs(row_gradient.sum()) / size) <= model.certificate_.value <= 1e-8
