"""Loaders and generators against scikit-learn's, and against what they promise."""

from __future__ import annotations

import inspect
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
import sklearn.datasets

from learnable import datasets
from learnable.datasets import Bunch, load_diabetes, make_low_rank_matrix, make_regression

SHARED = [name for name in datasets.__all__ if hasattr(sklearn.datasets, name)]


@pytest.mark.parametrize("name", SHARED)
def test_parameters_are_those_of_scikit_learn(name: str) -> None:
    ours, theirs = (inspect.signature(getattr(module, name)) for module in (datasets, sklearn.datasets))
    assert [(p.name, p.default, p.kind) for p in ours.parameters.values()] == [
        (p.name, p.default, p.kind) for p in theirs.parameters.values()
    ]


@pytest.mark.parametrize("scaled", [True, False])
def test_diabetes_equals_scikit_learn(scaled: bool) -> None:
    X, y = load_diabetes(return_X_y=True, scaled=scaled)
    expected_X, expected_y = sklearn.datasets.load_diabetes(return_X_y=True, scaled=scaled)
    np.testing.assert_allclose(X, expected_X, rtol=1e-12, atol=1e-15)
    np.testing.assert_array_equal(y, expected_y)
    assert X.flags.c_contiguous
    assert X.flags.owndata or X.base is None


def test_diabetes_bunch() -> None:
    table = load_diabetes(scaled=False)
    assert table.frame is None
    assert table.feature_names == sklearn.datasets.load_diabetes().feature_names
    assert table.data.shape == (442, len(table.feature_names))
    A = np.c_[np.ones(442), table.data]
    residual = table.target - A @ np.linalg.lstsq(A, table.target, rcond=None)[0]
    assert 1 - residual.var() / table.target.var() == pytest.approx(0.5177, abs=5e-5)


def test_diabetes_frames() -> None:
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    expected = sklearn.datasets.load_diabetes(as_frame=True)
    assert list(X.columns) == list(expected.data.columns)
    assert y.name == expected.target.name
    frame = load_diabetes(as_frame=True).frame
    np.testing.assert_allclose(frame.to_numpy(), expected.frame.to_numpy(), rtol=1e-12, atol=1e-15)


def test_datasets_load_without_pandas_or_scipy() -> None:
    code = "import sys, learnable.datasets as d; d.load_diabetes(); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert {"pandas", "scipy"}.isdisjoint(done.stdout.split())


CASES: list[tuple[str, dict[str, Any]]] = [
    ("make_regression", {"coef": True}),
    ("make_regression", {"n_samples": 30, "n_features": 7, "noise": 2.0, "bias": 5.0, "coef": True}),
    (
        "make_regression",
        {"n_samples": 20, "n_features": 4, "n_informative": 9, "n_targets": 3, "shuffle": False},
    ),
    ("make_regression", {"n_samples": 25, "n_features": 40, "effective_rank": 3, "noise": 1.0, "coef": True}),
    ("make_low_rank_matrix", {"n_samples": 30, "n_features": 12, "effective_rank": 4, "tail_strength": 0.2}),
    ("make_sparse_uncorrelated", {"n_samples": 40, "n_features": 6}),
    ("make_friedman1", {"n_samples": 40, "n_features": 6, "noise": 0.5}),
    ("make_friedman2", {"n_samples": 40, "noise": 0.5}),
    ("make_friedman3", {"n_samples": 40, "noise": 0.5}),
]


@pytest.mark.parametrize(("name", "options"), CASES)
def test_a_seed_gives_the_data_of_scikit_learn(name: str, options: dict[str, Any]) -> None:
    ours = getattr(datasets, name)(**options, random_state=7)
    theirs = getattr(sklearn.datasets, name)(**options, random_state=7)
    for a, b in zip(_arrays(ours), _arrays(theirs), strict=True):
        assert a.shape == b.shape
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-11)


def _arrays(result: Any) -> tuple[np.ndarray, ...]:
    return result if isinstance(result, tuple) else (result,)


def test_regression_follows_its_weights() -> None:
    X, y, w = make_regression(50, 8, n_informative=3, n_targets=2, bias=4.0, coef=True, random_state=1)
    np.testing.assert_allclose(X @ w + 4.0, y)
    assert (np.count_nonzero(w, axis=0) == 3).all()


def test_low_rank_matrix_has_the_stated_singular_values() -> None:
    values = np.linalg.svd(make_low_rank_matrix(60, 20, effective_rank=5, random_state=0), compute_uv=False)
    order = np.arange(20) / 5
    np.testing.assert_allclose(values, 0.5 * np.exp(-(order**2)) + 0.5 * np.exp(-0.1 * order))


@pytest.mark.parametrize("make", [np.random.default_rng, np.random.RandomState])
def test_generators_are_used_up_not_copied(make: Any) -> None:
    state = make(3)
    first, second = make_regression(5, 2, random_state=state), make_regression(5, 2, random_state=state)
    assert not np.array_equal(first[0], second[0])
    np.testing.assert_array_equal(first[0], make_regression(5, 2, random_state=make(3))[0])


def test_friedman1_refuses_too_few_columns() -> None:
    with pytest.raises(ValueError, match="at least 5; got 4"):
        datasets.make_friedman1(n_features=4)


def test_bunch_keys_are_attributes() -> None:
    bunch = Bunch(a=1)
    bunch.b = 2
    del bunch.a
    assert bunch == {"b": 2}
    assert "b" in dir(bunch)
    with pytest.raises(AttributeError, match="a"):
        _ = bunch.a
    with pytest.raises(AttributeError, match="a"):
        del bunch.a
