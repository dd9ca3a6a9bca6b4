"""Certificates of paths and components speak of coefficients as they are stored, in single precision too."""

from __future__ import annotations

import numpy as np
import pytest

from learnable import linear_model

MODELS = [
    linear_model.Lars(),
    linear_model.LassoLars(alpha=0.05),
    linear_model.LassoLarsIC(),
    linear_model.LassoLarsCV(cv=3),
    linear_model.OrthogonalMatchingPursuit(n_nonzero_coefs=3),
]


def table(far: float) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(7)
    X = rng.normal(size=(200, 6)).astype(np.float32) + np.float32(far)
    y = X.astype(float) @ [1, 2, 0, -1, 0.5, 0] + rng.normal(size=200)
    return X, y.astype(np.float32)


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_products_of_stored_coefficients_keep_what_is_certified(model):
    X, y = table(0.0)
    model.fit(X, y)
    centred = X - X.mean(axis=0, dtype=float)
    residual = y - y.mean(dtype=float) - centred @ model.coef_.astype(float)
    products = (centred.T @ residual)[model.coef_ != 0]
    if not isinstance(model, linear_model.OrthogonalMatchingPursuit):  # equal in size along a path, zero in a pursuit
        products = np.abs(products) - np.abs(products).mean()
    largest = np.abs(centred.T @ (y - y.mean(dtype=float))).max()
    assert np.abs(products).max() / largest <= model.certificate_.value
    assert model.certificate_.holds and model.coef_.dtype == np.float32


@pytest.mark.parametrize(
    "model", [*MODELS, linear_model.PrincipalComponentRegression()], ids=lambda m: type(m).__name__
)
def test_intercepts_belong_to_the_stored_coefficients(model):
    X, y = table(1000.0)
    model.fit(X, y)
    predicted = X.astype(float) @ model.coef_.astype(float) + float(model.intercept_)
    assert abs(float(np.mean(y - predicted))) <= 1e-6 * np.abs(y).max()
    assert model.certificate_.holds and model.certificate_.value >= np.finfo(np.float32).eps / 2
