"""Sparse codes against scikit-learn's and the definition; dictionaries learned from planted ones."""

from __future__ import annotations

import numpy as np
import pytest
import sklearn.decomposition
from sklearn.datasets import load_digits

from learnable import DataError, DictionaryLearning, ParameterError, SparseCoder, dict_learning, sparse_encode


def signals(atoms: int = 24, features: int = 16, rows: int = 50) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    D = rng.standard_normal((atoms, features))
    return 3 * rng.standard_normal((rows, features)), D / np.linalg.norm(D, axis=1, keepdims=True)


@pytest.mark.filterwarnings("ignore::UserWarning", "ignore::RuntimeWarning")
@pytest.mark.parametrize(
    "options",
    [
        {"algorithm": "omp", "n_nonzero_coefs": 5},
        {"algorithm": "omp"},
        {"algorithm": "lars", "n_nonzero_coefs": 4},
        {"algorithm": "lasso_lars", "alpha": 0.5},
        {"algorithm": "lasso_lars", "alpha": 0.5, "positive": True},
        {"algorithm": "threshold", "alpha": 0.8},
        {"algorithm": "threshold", "alpha": 0.8, "positive": True},
    ],
    ids=str,
)
def test_codes_are_those_of_scikit_learn(options):
    X, D = signals()
    theirs = sklearn.decomposition.sparse_encode(X, D, **options)
    np.testing.assert_allclose(sparse_encode(X, D, **options), theirs, atol=1e-8)
    products = {"gram": D @ D.T, "cov": D @ X.T}
    np.testing.assert_allclose(sparse_encode(X, D, **options, **products), theirs, atol=1e-8)


def test_both_stopping_modes_of_the_pursuit():
    X, D = signals()
    by_count = sparse_encode(X, D, algorithm="omp", n_nonzero_coefs=3)
    assert (np.count_nonzero(by_count, axis=1) == 3).all()
    by_error = sparse_encode(X, D, algorithm="omp", alpha=20.0)
    errors = ((X - by_error @ D) ** 2).sum(axis=1)
    assert (errors <= 20.0 + 1e-9).all()
    assert len(set(np.count_nonzero(by_error, axis=1).tolist())) > 1, "each row takes as many atoms as it needs"


def test_each_step_of_the_pursuit_projects_on_the_chosen_atoms():
    X, D = signals(rows=5)
    for count in (1, 2, 3):
        code = sparse_encode(X, D, algorithm="omp", n_nonzero_coefs=count)
        for x, y in zip(X, code, strict=True):
            chosen = D[y != 0]
            np.testing.assert_allclose(chosen @ (x - y @ D), 0, atol=1e-10)


def test_lasso_codes_minimise_the_objective():
    X, D = signals()
    Y = sparse_encode(X, D, algorithm="lasso_cd", alpha=0.3)

    def objective(codes):
        return 0.5 * ((X - codes @ D) ** 2).sum(axis=1) + 0.3 * np.abs(codes).sum(axis=1)

    rng = np.random.default_rng(1)
    for scale in (1e-3, 1e-1):
        assert (objective(Y) <= objective(Y + scale * rng.standard_normal(Y.shape))).all()
        assert (objective(Y) <= objective(Y * (1 + scale * rng.standard_normal(Y.shape)))).all()


def test_the_coder_splits_signs_and_goes_back():
    X, D = signals()
    coder = SparseCoder(D, transform_algorithm="lasso_lars", transform_alpha=0.1, split_sign=True)
    codes = coder.fit_transform(X)
    assert codes.shape == (50, 48) and (codes >= 0).all() and coder.n_components_ == 24
    plain = SparseCoder(D, transform_algorithm="lasso_lars", transform_alpha=0.1).transform(X)
    np.testing.assert_allclose(codes[:, :24] - codes[:, 24:], plain)
    np.testing.assert_allclose(coder.inverse_transform(codes), plain @ D)
    assert np.abs(coder.inverse_transform(codes) - X).mean() < 0.2


def test_codes_do_not_depend_on_the_unit():
    X, D = signals()
    plain = sparse_encode(X, D, algorithm="omp", n_nonzero_coefs=4)
    for unit in (2.0**400, 2.0**-400):
        np.testing.assert_allclose(sparse_encode(X * unit, D, algorithm="omp", n_nonzero_coefs=4) / unit, plain)


def test_iterations_of_dictionary_learning_are_those_of_scikit_learn():
    X = load_digits().data[:150]
    X = X - X.mean(axis=0)
    common = {"alpha": 15, "max_iter": 8, "tol": 0, "random_state": 0}
    theirs = sklearn.decomposition.DictionaryLearning(10, **common).fit(X)
    ours = DictionaryLearning(10, **common)
    with pytest.warns(UserWarning, match="before convergence"):
        ours.fit(X)
    np.testing.assert_allclose(ours.error_, theirs.error_, rtol=1e-9)
    np.testing.assert_allclose(ours.components_, theirs.components_, atol=1e-6)
    assert (np.diff(ours.error_) <= 1e-9).all()
    codes, atoms, errors = dict_learning(X, 10, alpha=15, max_iter=8, tol=0, random_state=0)
    np.testing.assert_allclose(errors, ours.error_)
    np.testing.assert_allclose(atoms, ours.components_)
    assert 0.5 * ((X - codes @ atoms) ** 2).sum() + 15 * np.abs(codes).sum() == pytest.approx(errors[-1])


def test_atoms_stay_in_the_unit_ball_and_may_be_positive():
    X = load_digits().data[:100]
    model = DictionaryLearning(
        8, alpha=5, max_iter=50, tol=1e-3, positive_dict=True, positive_code=True, random_state=0
    )
    model.set_params(transform_algorithm="lasso_cd").fit(X)
    assert (model.components_ >= 0).all() and (np.linalg.norm(model.components_, axis=1) <= 1 + 1e-9).all()
    assert (model.transform(X) >= 0).all()


def test_wrong_input_is_refused_by_name():
    X, D = signals()
    with pytest.raises(DataError, match="different numbers of features"):
        SparseCoder(D[:, :5]).transform(X)
    with pytest.raises(ParameterError, match="Positive constraint not supported for 'omp'"):
        sparse_encode(X, D, algorithm="omp", positive=True)
    with pytest.raises(DataError, match=r"gram of shape \(2, 2\) does not fit"):
        sparse_encode(X, D, gram=np.eye(2))
    with pytest.raises(DataError, match="do not fit X"):
        DictionaryLearning(3, code_init=np.ones((2, 3)), dict_init=np.ones((3, 16))).fit(X)
