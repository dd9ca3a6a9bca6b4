"""Logistic regression with more columns than rows."""

from __future__ import annotations

import numpy as np

from learnable import LogisticRegression


def test_nearly_empty_columns_of_wide_tables_do_not_slow_the_search():
    """More columns than rows, some with a single small entry, as the margins of images have: the optimum is reached."""
    rng = np.random.default_rng(0)
    X = rng.random((120, 400)) * (rng.random((120, 400)) < 0.3)
    X[:, 300:] = 0
    X[rng.integers(0, 120, 100), np.arange(300, 400)] = 0.004
    y = X[:, :5].sum(axis=1) + 0.3 * rng.normal(size=120) > 0.75
    for C in (0.05, 1.0, 100.0):
        model = LogisticRegression(C=C).fit(X, y)
        assert model.certificate_.holds and model.n_iter_[0] < 40
        probability = model.predict_proba(X)[:, 1]
        np.testing.assert_allclose(C * X.T @ (y - probability), model.coef_[0], atol=1e-5 * np.abs(model.coef_).max())
