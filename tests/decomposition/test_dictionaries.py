"""Dictionaries that are learned or fixed, sparse components: planted atoms, scikit-learn, textbook formulas."""

from __future__ import annotations

import numpy as np
import pytest
import sklearn.decomposition
from sklearn.datasets import load_digits

from learnable import (
    KSVD,
    MiniBatchDictionaryLearning,
    MiniBatchSparsePCA,
    SparsePCA,
    dct_dictionary,
    dict_learning_online,
    haar_dictionary,
    sparse_encode,
)
from learnable.decomposition._dictionary.update import ksvd_atoms, update_atoms

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def planted(rows: int = 1500, atoms: int = 50, features: int = 20, used: int = 3, noise: float = 0.01):
    rng = np.random.default_rng(0)
    D = rng.standard_normal((atoms, features))
    D /= np.linalg.norm(D, axis=1, keepdims=True)
    Y = np.zeros((rows, atoms))
    for y in Y:
        y[rng.choice(atoms, used, replace=False)] = rng.standard_normal(used) * 2
    return Y @ D + noise * rng.standard_normal((rows, features)), D


@pytest.mark.parametrize("exact", [False, True])
def test_ksvd_recovers_a_planted_dictionary(exact):
    X, D = planted(2500)
    model = KSVD(50, exact=exact, transform_n_nonzero_coefs=3, max_iter=60, tol=0, random_state=0).fit(X)
    likeness = np.abs(model.components_ @ D.T).max(axis=0)
    assert (likeness > 0.99).mean() >= 0.9
    assert (np.count_nonzero(model.transform(X), axis=1) <= 3).all()
    np.testing.assert_allclose(np.linalg.norm(model.components_, axis=1), 1, atol=1e-9)
    assert model.error_[-1] < 0.1 * model.error_[0]


def test_an_atom_of_ksvd_is_the_best_rank_one_fit_of_its_users():
    X, D = planted(rows=80, atoms=10)
    D = D.copy()
    codes = sparse_encode(X, D, algorithm="omp", n_nonzero_coefs=2)
    users = np.flatnonzero(codes[:, 0])
    E = (X - codes @ D + np.outer(codes[:, 0], D[0]))[users]
    singular = np.linalg.svd(E)
    before = ((X - codes @ D) ** 2).sum()
    one, its = D[:1].copy(), codes.copy()
    ksvd_atoms(D, X, codes, True)
    assert abs(D[0] @ singular[2][0]) == pytest.approx(1)
    assert ((X - codes @ D) ** 2).sum() < before
    assert (np.count_nonzero(codes, axis=1) <= np.count_nonzero(its, axis=1)).all() and one.shape == (1, 20)


def test_an_unused_atom_becomes_the_worst_row():
    X = np.array([[1.0, 0.0], [0.0, 3.0]])
    D, codes = np.array([[1.0, 0.0], [0.6, 0.8]]), np.array([[1.0, 0.0], [0.0, 0.0]])
    assert ksvd_atoms(D, X, codes, True) == 1
    np.testing.assert_allclose(D[1], [0.0, 1.0])
    np.testing.assert_allclose(codes @ D, X)


def test_the_online_update_moves_each_atom_to_its_optimum_in_the_unit_ball():
    X, D = planted(rows=200, atoms=10)
    Y = sparse_encode(X, D, alpha=0.1)
    A, B, moved = Y.T @ Y, X.T @ Y, D.copy()
    update_atoms(moved, X, Y.copy(), A, B, False, np.random.RandomState(0))
    expected = D.copy()
    for k in range(10):
        expected[k] += (B[:, k] - A[k] @ expected) / A[k, k]  # U -= step (U A - B), the step for the optimum
        expected[k] /= max(np.linalg.norm(expected[k]), 1)
    np.testing.assert_allclose(moved, expected, atol=1e-12)
    assert (np.linalg.norm(moved, axis=1) <= 1 + 1e-12).all()
    assert ((X - Y @ moved) ** 2).sum() <= ((X - Y @ D) ** 2).sum()


def test_online_dictionary_learning_is_nearly_as_good_as_scikit_learn():
    X = load_digits().data[:400]
    X = X - X.mean(axis=0)
    common = {"alpha": 10, "max_iter": 10, "batch_size": 50, "random_state": 0, "tol": 0, "max_no_improvement": None}
    theirs = sklearn.decomposition.MiniBatchDictionaryLearning(15, **common).fit(X).components_
    model = MiniBatchDictionaryLearning(15, **common).fit(X)

    def objective(D):
        Y = sparse_encode(X, D, alpha=10)
        return 0.5 * ((X - Y @ D) ** 2).sum() + 10 * np.abs(Y).sum()

    assert objective(model.components_) <= 1.02 * objective(theirs)
    assert model.n_iter_ == 10 and model.n_steps_ == 80
    codes, atoms = dict_learning_online(X, 15, **common)
    np.testing.assert_array_equal(atoms, model.components_)
    np.testing.assert_allclose(codes, sparse_encode(X, atoms, alpha=10), atol=1e-9)


def test_atoms_improve_with_batches_as_they_come():
    X, _D = planted()
    model = MiniBatchDictionaryLearning(50, alpha=0.2, random_state=0)
    errors = []
    for _ in range(3):
        for begin in range(0, 1500, 150):
            model.partial_fit(X[begin : begin + 150])
        Y = sparse_encode(X, model.components_, alpha=0.2)
        errors.append(0.5 * ((X - Y @ model.components_) ** 2).sum() + 0.2 * np.abs(Y).sum())
    assert errors[2] < errors[0] and model.n_steps_ == 30


def test_haar_wavelets_are_orthonormal_and_sparse_for_steps():
    H = haar_dictionary(16)
    np.testing.assert_allclose(H @ H.T, np.eye(16), atol=1e-12)
    step = np.r_[np.ones(8), -np.ones(8)]
    assert np.count_nonzero(np.abs(H @ step) > 1e-12) == 1
    assert np.count_nonzero(sparse_encode(step[None], H, algorithm="omp", n_nonzero_coefs=1)) == 1
    square = haar_dictionary(4, two_dimensional=True)
    np.testing.assert_allclose(square @ square.T, np.eye(16), atol=1e-12)
    with pytest.raises(ValueError, match="power of two; got 6"):
        haar_dictionary(6)


def test_cosines_are_those_of_the_transform():
    from scipy.fft import dct

    x = np.random.default_rng(0).standard_normal(8)
    np.testing.assert_allclose(dct_dictionary(8) @ x, dct(x, norm="ortho"), atol=1e-12)
    D = dct_dictionary(8, 16, two_dimensional=True)
    assert D.shape == (256, 64)
    np.testing.assert_allclose(np.linalg.norm(D, axis=1), 1)


def test_sparse_components_are_those_of_scikit_learn():
    rng = np.random.default_rng(0)
    loads = np.zeros((3, 12))
    for k in range(3):
        loads[k, 4 * k : 4 * k + 4] = 1
    X = rng.standard_normal((80, 3)) * [3, 2, 1.5] @ loads + 0.2 * rng.standard_normal((80, 12))
    common = {"alpha": 1, "random_state": 0, "max_iter": 50, "tol": 0}
    theirs, ours = sklearn.decomposition.SparsePCA(3, **common).fit(X), SparsePCA(3, **common).fit(X)
    np.testing.assert_allclose(np.abs(ours.components_), np.abs(theirs.components_), atol=1e-6)
    np.testing.assert_allclose(np.abs(ours.transform(X)), np.abs(theirs.transform(X)), atol=1e-5)
    assert (np.abs(ours.components_) > 0.1).sum() == 12
    for model in (ours, MiniBatchSparsePCA(3, alpha=1, random_state=0, batch_size=6).fit(X)):
        back = model.inverse_transform(model.transform(X))
        assert ((X - back) ** 2).sum() < 0.2 * ((X - X.mean(axis=0)) ** 2).sum()
