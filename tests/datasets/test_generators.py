"""Generators: the same seed gives scikit-learn's data, and each keeps what it promises."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest
import sklearn.datasets
from hypothesis import given, settings
from hypothesis import strategies as st

from learnable import DataError, ParameterError, datasets

SAME = [
    ("make_blobs", {}),
    (
        "make_blobs",
        {"n_samples": 10, "centers": 4, "n_features": 3, "cluster_std": [1, 2, 3, 4.0], "return_centers": True},
    ),
    ("make_blobs", {"n_samples": [3, 5, 1], "shuffle": False}),
    ("make_blobs", {"n_samples": [3, 5], "centers": [[0, 0, 0], [1, 1, 1]]}),
    ("make_circles", {}),
    ("make_circles", {"n_samples": (5, 9), "noise": 0.1, "factor": 0.3}),
    ("make_moons", {"n_samples": 21, "noise": 0.2}),
    ("make_moons", {"n_samples": (3, 4), "shuffle": False}),
    ("make_classification", {}),
    (
        "make_classification",
        {"n_informative": 5, "n_repeated": 3, "n_classes": 3, "weights": [0.2, 0.5], "flip_y": 0.2},
    ),
    ("make_classification", {"n_informative": 3, "n_classes": 4, "hypercube": False, "shift": None, "scale": None}),
    ("make_classification", {"n_features": 45, "n_informative": 40, "n_clusters_per_class": 1, "shuffle": False}),
    ("make_classification", {"n_informative": 12, "n_classes": 3}),
    ("make_multilabel_classification", {"return_distributions": True}),
    ("make_multilabel_classification", {"allow_unlabeled": False, "n_labels": 1, "n_classes": 3}),
    ("make_gaussian_quantiles", {"n_classes": 4, "mean": [1.0, 2.0], "cov": 3.0}),
    ("make_hastie_10_2", {"n_samples": 50}),
    ("make_s_curve", {"noise": 0.1}),
    ("make_swiss_roll", {"noise": 0.1}),
    ("make_swiss_roll", {"hole": True}),
    ("make_sparse_coded_signal", {"n_samples": 5, "n_components": 8, "n_features": 6, "n_nonzero_coefs": 3}),
    ("make_spd_matrix", {"n_dim": 5}),
    ("make_biclusters", {"shape": (12, 9), "n_clusters": 3, "noise": 1.0}),
    ("make_checkerboard", {"shape": (12, 9), "n_clusters": (3, 2), "noise": 1.0}),
    ("make_checkerboard", {"shape": (12, 9), "n_clusters": 2, "shuffle": False}),
]


def parts(result: Any) -> list[np.ndarray]:
    return [result] if isinstance(result, np.ndarray) else list(result)


@pytest.mark.parametrize(("name", "options"), SAME)
@pytest.mark.parametrize("seed", [0, 7])
def test_the_same_seed_gives_the_data_of_scikit_learn(name: str, options: dict[str, Any], seed: int) -> None:
    mine = parts(getattr(datasets, name)(**options, random_state=seed))
    other = parts(getattr(sklearn.datasets, name)(**options, random_state=seed))
    assert len(mine) == len(other)
    for ours, theirs in zip(mine, other, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-12)


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 12), st.integers(2, 6), st.integers(0, 99))
def test_corners_are_drawn_as_in_scikit_learn(informative: int, classes: int, seed: int) -> None:
    options = {"n_informative": informative, "n_classes": classes, "n_clusters_per_class": 1, "random_state": seed}
    try:
        expected = sklearn.datasets.make_classification(**options)
    except ValueError:
        with pytest.raises(ParameterError):
            datasets.make_classification(**options)
        return
    for ours, theirs in zip(datasets.make_classification(**options), expected, strict=True):
        np.testing.assert_allclose(ours, theirs)


def test_kinds_of_columns_are_returned() -> None:
    options: dict[str, Any] = {"n_repeated": 2, "random_state": 0, "return_X_y": False}
    ours, theirs = datasets.make_classification(**options), sklearn.datasets.make_classification(**options)
    assert ours.feature_info == theirs.feature_info and ours.parameters == theirs.parameters


def test_sparse_positive_definite_matrices() -> None:
    A = datasets.make_sparse_spd_matrix(60, alpha=0.98, norm_diag=True, random_state=0)
    assert np.linalg.eigvalsh(A).min() > 0 and (A == 0).mean() > 0.8
    np.testing.assert_allclose(np.diag(A), 1)
    assert datasets.make_sparse_spd_matrix(5, sparse_format="csr", random_state=0).format == "csr"


def test_curves_have_the_noise_they_are_given() -> None:
    X, y = datasets.make_cubic(4000, coef=(1, 2, 3, 4), noise=0.5, random_state=0)
    fitted = np.polynomial.polynomial.polyfit(X[:, 0], y, 3)
    np.testing.assert_allclose(fitted, [1, 2, 3, 4], atol=0.1)
    assert np.std(y - np.polynomial.polynomial.polyval(X[:, 0], fitted)) == pytest.approx(0.5, rel=0.05)
    X, y = datasets.make_quadratic_surface(2000, noise=0.0, random_state=0)
    a, b = X.T
    design = np.column_stack([np.ones_like(a), a, b, a * a, a * b, b * b])
    np.testing.assert_allclose(np.linalg.lstsq(design, y)[0], [1, 2, -1, 1, -1, 0.5], atol=1e-10)
    X, y, moved = datasets.make_cosine_with_outliers(1000, random_state=0)
    assert np.std((y - np.cos(2 * X[:, 0]))[~moved]) == pytest.approx(0.1, rel=0.1)
    assert (y - np.cos(2 * X[:, 0]))[moved].mean() == pytest.approx(5, abs=0.1)


def test_xor_is_not_linear() -> None:
    X, y = datasets.make_xor(4000, noise=0.3, random_state=0)
    assert np.abs(np.corrcoef(np.column_stack([X, y]).T)[2, :2]).max() < 0.05
    assert np.corrcoef(X[:, 0] * X[:, 1], y)[0, 1] < -0.8
    assert (datasets.make_xor(4000, flip_y=1.0, random_state=0)[1] != y).mean() == pytest.approx(0.5, abs=0.05)


def test_anisotropic_blobs_are_stretched() -> None:
    X, y = datasets.make_anisotropic_blobs(3000, random_state=0)
    values = np.linalg.eigvalsh(np.cov(X[y == 0].T))
    A = np.array([[0.6, -0.64], [-0.4, 0.85]])
    np.testing.assert_allclose(values, np.linalg.eigvalsh(A.T @ A), rtol=0.15)


def test_low_rank_with_outliers() -> None:
    M, L, S = datasets.make_low_rank_with_outliers(200, 100, rank=3, outliers=0.1, size=20, random_state=0)
    np.testing.assert_array_equal(M, L + S)
    assert np.linalg.matrix_rank(L) == 3 and np.count_nonzero(S) == 2000
    assert L.std() == pytest.approx(1, rel=0.1) and np.abs(S).max() <= 20


def test_hidden_markov_sequences_have_their_frequencies() -> None:
    P = np.array([[0.7, 0.3, 0.0], [0.1, 0.8, 0.1], [0.5, 0.0, 0.5]])
    B = np.array([[0.9, 0.1], [0.5, 0.5], [0.0, 1.0]])
    X, states = datasets.make_hmm_sequences(200, 200, start=[1, 0, 0], transition=P, emission=B, random_state=0)
    assert (states[:, 0] == 0).all()
    moves = np.zeros((3, 3))
    np.add.at(moves, (states[:, :-1].ravel(), states[:, 1:].ravel()), 1)
    np.testing.assert_allclose(moves / moves.sum(axis=1, keepdims=True), P, atol=0.02)
    assert [X[states == k].mean() for k in range(3)] == pytest.approx([0.1, 0.5, 1.0], abs=0.02)
    numbers, states = datasets.make_hmm_sequences(100, 100, means=[[0, 0], [5, -5]], std=0.5, random_state=0)
    np.testing.assert_allclose(numbers[states == 1].mean(axis=0), [5, -5], atol=0.05)
    with pytest.raises(ParameterError, match="sum to 1"):
        datasets.make_hmm_sequences(transition=[[1, 1], [0, 1]])


def test_sizes_that_make_no_sense_are_refused() -> None:
    for action, words in (
        (lambda: datasets.make_moons((1, 2, 3)), "make_moons: n_samples"),
        (lambda: datasets.make_blobs([1, 2], centers=3), "centers must be a table"),
        (lambda: datasets.make_blobs([1, 2], centers=[[0, 0]]), "n_samples holds"),
        (lambda: datasets.make_blobs(10, cluster_std=[1, 2]), "cluster_std holds"),
        (lambda: datasets.make_classification(n_features=3), "is more than n_features"),
        (lambda: datasets.make_classification(weights=[1, 2, 3, 4]), "for all but the last"),
        (lambda: datasets.make_gaussian_quantiles(n_samples=2), "at least n_classes"),
    ):
        with pytest.raises(ParameterError, match=words):
            action()


NEEDED: dict[str, dict[str, Any]] = {
    "make_biclusters": {"shape": (6, 4), "n_clusters": 2},
    "make_checkerboard": {"shape": (6, 4), "n_clusters": 2},
    "make_spd_matrix": {"n_dim": 3},
    "make_sparse_coded_signal": {"n_samples": 3, "n_components": 4, "n_features": 5, "n_nonzero_coefs": 2},
}
NONSENSE = [
    None,
    "x",
    -1,
    0,
    True,
    1.5,
    np.nan,
    np.inf,
    [],
    [1, 2, 3],
    ["a"],
    {},
    (3, -1),
    [[1], [1, 2]],
    np.eye(2)[None],
]


@pytest.mark.parametrize("name", [name for name in datasets.__all__ if name.startswith("make_")])
def test_generators_work_or_name_the_argument_that_they_refuse(name: str) -> None:
    make = getattr(datasets, name)
    small = {"n_samples": 6} if "n_samples" in inspect.signature(make).parameters else {}
    for argument in inspect.signature(make).parameters:
        for value in NONSENSE:
            try:
                made = make(**{**small, **NEEDED.get(name, {}), argument: value})
                assert all(np.isfinite(part).all() for part in made if isinstance(part, np.ndarray))
            except (ParameterError, DataError) as error:
                assert str(error).startswith(f"{name}: ") and argument in str(error), (argument, value)


def test_a_ring_inside_the_other_is_smaller() -> None:
    with pytest.raises(ParameterError, match="make_circles: factor must be at least 0 and below 1; got 2"):
        datasets.make_circles(factor=2)


@pytest.mark.parametrize("name", [name for name in datasets.__all__ if name.startswith("make_")])
def test_no_generator_makes_a_table_without_rows(name: str) -> None:
    make = getattr(datasets, name)
    if "n_samples" in inspect.signature(make).parameters:
        for nothing in (0, [0, 0]):
            with pytest.raises(ParameterError, match=f"{name}: n_samples must be"):
                make(**{**NEEDED.get(name, {}), "n_samples": nothing})


@pytest.mark.parametrize("options", [{"n_labels": 0, "allow_unlabeled": False}, {"n_labels": 900}])
def test_labels_that_would_be_drawn_for_ever_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(ParameterError, match="make_multilabel_classification: n_labels must be about n_classes=5"):
        datasets.make_multilabel_classification(**options)


def test_a_code_has_no_more_entries_than_atoms() -> None:
    with pytest.raises(ParameterError, match="n_nonzero_coefs must be at most n_components=4; got 5"):
        datasets.make_sparse_coded_signal(3, n_components=4, n_features=5, n_nonzero_coefs=5)
