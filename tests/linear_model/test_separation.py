"""Separation that one column brings about: said where it is, and only there."""

import warnings

import numpy as np
import pytest

from learnable import ConvergenceWarning, LogisticRegression


def rows_and_marks(n, seed):
    """Rows whose classes overlap, and a mark that rows of the second class alone may have."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    y = (X[:, 0] + rng.normal(size=n) > 0).astype(int)
    return X, ((y == 1) & (rng.random(n) < 0.15)).astype(float), y


@pytest.mark.parametrize("solver", ["lbfgs", "newton-cg", "newton-cholesky", "sag", "saga"])
@pytest.mark.parametrize("n", [100, 1000])
def test_an_indicator_of_one_class_is_reported_as_separation(n, solver):
    X, mark, y = rows_and_marks(n, 0)
    with pytest.warns(ConvergenceWarning, match="separate the classes"):
        model = LogisticRegression(C=np.inf, solver=solver).fit(np.column_stack([X, mark]), y)
    assert "no maximum" in model.certificate_.sentence


def test_quasi_separation_is_reported():
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(size=(60, 2)), np.column_stack([np.zeros(10), rng.normal(size=10)])])
    with pytest.warns(ConvergenceWarning, match="separate the classes"):
        LogisticRegression(C=np.inf).fit(X, np.where(X[:, 0] == 0, np.arange(70) % 2, X[:, 0] > 0))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("far", [1.0, 1e12])
def test_one_exception_prevents_separation(seed, far):
    X, mark, y = rows_and_marks(300, seed)
    X[1] *= far
    mark[0], y[0] = 1.0, 0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        LogisticRegression(C=np.inf).fit(np.column_stack([X, mark]), y)


@pytest.mark.parametrize("kind", ["one class alone", "every class but one", "every class"])
@pytest.mark.parametrize("n", [100, 1000])
def test_marks_of_several_classes(n, kind):
    rng = np.random.default_rng(n)
    X = rng.normal(size=(n, 3))
    y = (X[:, :1] * [0, 1, 2] + rng.gumbel(size=(n, 3))).argmax(axis=1)
    marked = {"one class alone": y == 1, "every class but one": y != 0, "every class": y >= 0}[kind]
    columns = np.column_stack([X, marked & (rng.random(n) < 0.3)])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        LogisticRegression(C=np.inf).fit(columns, y)
    assert any("separate the classes" in str(warning.message) for warning in caught) == (kind != "every class")
