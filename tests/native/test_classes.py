"""Sums over the rows of each class against plain NumPy."""

import numpy as np
import pytest
from scipy import sparse

from learnable.core.runtime.native import kernels
from learnable.core.runtime.threads import threads

STORES = {"rows": np.ascontiguousarray, "columns": np.asfortranarray}
SIZES = [(1, 1, 1), (7, 3, 2), (400, 13, 5), (3000, 101, 4), (60, 130, 7)]


def draw(rows, columns, classes, dtype=np.float64, seed=0):
    draws = np.random.default_rng(seed)
    code = draws.integers(0, classes, rows)
    X = (draws.normal(size=(rows, columns)) + 1000 + 5 * code[:, None]).astype(dtype)
    return X, code, draws.random(rows) * (draws.random(rows) > 0.3)


def of_class(X, weight, chosen):
    Z, w = X[chosen].astype(np.longdouble), weight[chosen].astype(np.longdouble)
    mean = (w @ Z) / w.sum() if w.sum() > 0 else np.zeros(X.shape[1], np.longdouble)
    return w.sum(), mean, ((Z - mean).T * w) @ (Z - mean)


@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("store", STORES.values(), ids=STORES)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("weighted", [True, False])
def test_moments_and_scatter(size, store, dtype, weighted):
    X, code, weight = draw(*size, dtype)
    classes, given = size[2], weight if weighted else None
    every = weight if weighted else np.ones(len(X))
    total, mean, scatter = kernels.class_scatter(store(X), code, classes, given)
    count, centre, square = kernels.class_moments(store(X), code, classes, given)
    factor = np.arange(1.0, classes + 1)
    pooled_mean, pooled = kernels.pooled_scatter(store(X), code, factor, given)
    expected = [of_class(X, every, code == k) for k in range(classes)]
    for k, (its_total, its_mean, its_scatter) in enumerate(expected):
        if its_total == 0:
            assert total[k] == 0 and not count[k].any() and not scatter[k].any() and not centre[k].any()
            continue
        scale = np.sqrt(np.diag(its_scatter).astype(float)) + 1e-6
        np.testing.assert_allclose(total[k], float(its_total), rtol=1e-13)
        np.testing.assert_allclose(count[k], float(its_total), rtol=1e-13)
        for found in (mean[k], centre[k], pooled_mean[k]):
            np.testing.assert_allclose(found, its_mean.astype(float), rtol=1e-13)
        assert np.abs((scatter[k] - its_scatter) / np.outer(scale, scale)).max() < 1e-11
        assert np.abs((square[k] - np.diag(its_scatter)) / scale**2).max() < 1e-11
        assert (scatter[k] == scatter[k].T).all()
    expected_pool = sum(factor[k] * expected[k][2] for k in range(classes))
    scale = np.sqrt(np.diag(expected_pool).astype(float)) + 1e-6
    assert np.abs((pooled - expected_pool) / np.outer(scale, scale)).max() < 1e-11


@pytest.mark.parametrize("store", STORES.values(), ids=STORES)
def test_moments_leave_out_missing_values(store):
    X, code, weight = draw(900, 6, 3)
    X[np.random.default_rng(1).random(X.shape) < 0.3] = np.nan
    X[code == 1, 2] = np.nan
    count, mean, square = kernels.class_moments(store(X), code, 3, weight, True)
    for k in range(3):
        for j in range(6):
            there = (code == k) & ~np.isnan(X[:, j])
            total, its_mean, scatter = of_class(X[:, [j]], weight, there)
            np.testing.assert_allclose(count[k, j], float(total), rtol=1e-13)
            np.testing.assert_allclose(mean[k, j], float(its_mean[0]), rtol=1e-13)
            np.testing.assert_allclose(square[k, j], float(scatter[0, 0]), rtol=1e-10)


@pytest.mark.parametrize("threshold", [None, 1001.0])
@pytest.mark.parametrize("weighted", [True, False])
def test_totals(threshold, weighted):
    X, code, weight = draw(500, 11, 4)
    X[np.random.default_rng(1).random(X.shape) < 0.6] = 0
    values = X if threshold is None else (threshold < X).astype(float)
    every = weight if weighted else np.ones(len(X))
    expected = np.array([every[code == k] @ values[code == k] for k in range(4)])
    for stored in (X, np.asfortranarray(X), sparse.csr_array(X), sparse.csr_array(X.astype(np.float32))):
        found = kernels.class_totals(stored, code, 4, weight if weighted else None, threshold)
        np.testing.assert_allclose(found, expected, rtol=1e-6 if stored.dtype == np.float32 else 1e-12)


@pytest.mark.parametrize("classes", [1, 2, 5, 9])
@pytest.mark.parametrize("store", STORES.values(), ids=STORES)
@pytest.mark.parametrize("missing", [False, True])
def test_gaussian_scores(classes, store, missing):
    X, _, _ = draw(103, 7, 2)
    draws = np.random.default_rng(2)
    mean, scale, constant = draws.normal(1000, 1, (classes, 7)), draws.random((classes, 7)), draws.normal(size=classes)
    if missing:
        X[draws.random(X.shape) < 0.3] = np.nan
    expected = constant - 0.5 * np.nansum(((X[:, None] - mean) * scale) ** 2, axis=2)
    np.testing.assert_allclose(kernels.gaussian_scores(store(X), mean, scale, constant, missing), expected, rtol=1e-12)


@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (103, 7), (130, 13), (300, 101)])
@pytest.mark.parametrize("store", STORES.values(), ids=STORES)
def test_quadratic_scores(rows, columns, store):
    X, _, _ = draw(rows, columns, 2)
    draws = np.random.default_rng(2)
    mean, constant = draws.normal(1000, 1, (3, columns)), draws.normal(size=3)
    triangles = [np.tril(draws.normal(size=(columns, columns))) for _ in range(3)]
    expected = np.empty((rows, 3))
    for k, triangle in enumerate(triangles):
        expected[:, k] = constant[k] - 0.5 * (((X - mean[k]) @ triangle) ** 2).sum(axis=1)
    found = kernels.quadratic_scores(store(X), mean.mean(axis=0), mean, triangles, constant)
    np.testing.assert_allclose(found, expected, rtol=1e-9)


@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (103, 3), (130, 13), (30, 101)])
@pytest.mark.parametrize("store", STORES.values(), ids=STORES)
def test_scores_of_principal_axes(rows, columns, store):
    X, _, _ = draw(rows, columns, 2)
    draws = np.random.default_rng(2)
    mean, prior = draws.normal(1000, 1, (3, columns)), np.array([0.5, 0.5, 0.0])
    axes = [np.linalg.qr(draws.normal(size=(columns, columns)))[0] for _ in range(3)]
    variances = [draws.uniform(0.5, 2.0, columns) for _ in range(3)]
    found = kernels.axis_scores(store(X), mean, axes, variances, prior)
    for k in range(2):
        apart = (X - mean[k]) @ axes[k]
        expected = np.log(prior[k]) - 0.5 * (np.log(variances[k]) + apart**2 / variances[k]).sum(axis=1)
        np.testing.assert_allclose(found[:, k], expected, rtol=1e-9)
    assert np.isneginf(found[:, 2]).all()


def test_signs_make_the_largest_entry_positive():
    given = np.array([[[1.0, 0.0], [-2.0, -3.0]], [[2.0, 1.0], [2.0, -1.0]]])
    turned = [[[-1.0, 0.0], [2.0, 3.0]], [[2.0, 1.0], [2.0, -1.0]]]  # of equal ones the first decides
    assert kernels.fix_signs(given).tolist() == turned
    assert kernels.fix_signs(given[:, ::-1, ::-1])[0].tolist() == [[3.0, 2.0], [0.0, -1.0]]
    assert kernels.fix_signs(np.empty((2, 0, 3))).shape == (2, 0, 3)


def test_bits_do_not_depend_on_threads():
    X, code, weight = draw(20_000, 40, 6)

    def everything():
        parts = [
            *kernels.class_scatter(X, code, 6, weight),
            *kernels.class_moments(X, code, 6, weight),
            *kernels.pooled_scatter(X, code, np.ones(6), weight),
            kernels.class_totals(X, code, 6, weight),
            kernels.class_totals(sparse.csr_array(X), code, 6, weight),
            kernels.gaussian_scores(X, X[:6], X[6:12] * 1e-3, np.ones(6)),
            kernels.quadratic_scores(X, X[0], X[:2], [np.tril(X[:40]), np.tril(X[40:80])], np.ones(2)),
        ]
        return b"".join(part.tobytes() for part in parts)

    with threads(1):
        alone = everything()
    for count in (2, 3, 8):
        with threads(count):
            assert everything() == alone


def test_wrong_inputs_are_refused():
    X, code, weight = draw(20, 3, 2)
    for call in (
        lambda: kernels.class_scatter(X, code + 1, 2),
        lambda: kernels.class_moments(X, code[:-1], 2),
        lambda: kernels.class_totals(X, code - 1, 2),
        lambda: kernels.pooled_scatter(X, code, np.ones(2), weight[:-1]),
        lambda: kernels.class_totals(X, code, 0),
        lambda: kernels.gaussian_scores(X, X[:2], X[:3], np.ones(2)),
        lambda: kernels.quadratic_scores(X, X[0], X[:2], [X[:3], X[:2]], np.ones(2)),
        lambda: kernels.axis_scores(X, X[:2], [X[:3]], [X[0]], np.ones(2)),
        lambda: kernels.axis_scores(X, X[:2], [X[:3], X[:2]], [X[0], X[0]], np.ones(2)),
    ):
        with pytest.raises(ValueError, match=r"need|must"):
            call()
    for call in (
        lambda: kernels.class_totals(sparse.csc_array(X), code, 2),
        lambda: kernels.class_scatter(X > 0, code, 2),
    ):
        with pytest.raises(TypeError):
            call()
