import numpy as np
import pytest
import sklearn.feature_selection as theirs
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import sparse

import learnable
from learnable import feature_selection as ours


def table(seed, n, p=3):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    X[:, -1] = rng.integers(0, 4, n)
    y = X[:, 0] ** 2 + X[:, -1] + rng.normal(size=n)
    return X, y, np.digitize(y, [0.5, 2.0])


@given(
    seed=st.integers(0, 10_000),
    n=st.integers(12, 200),
    k=st.integers(1, 6),
    discrete=st.sampled_from(["auto", False, [2], [False, False, True]]),
)
def test_numbers_are_those_of_scikit_learn_for_the_same_seed(seed, n, k, discrete):
    X, y, c = table(seed, n)
    # In groups not larger than that scikit-learn searches by products, whose rounding counts a neighbour too many.
    assume(min(np.bincount(c)[np.unique(c)].min(), np.unique(X[:, 2], return_counts=True)[1].min()) > 2 * k + 1)
    options = {"n_neighbors": k, "random_state": seed, "discrete_features": discrete}
    np.testing.assert_allclose(
        ours.mutual_info_regression(X, y, **options), theirs.mutual_info_regression(X, y, **options), atol=1e-9
    )
    np.testing.assert_allclose(
        ours.mutual_info_classif(X, c, **options), theirs.mutual_info_classif(X, c, **options), atol=1e-9
    )


def test_ties_everywhere_and_lonely_classes():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, (300, 4)).astype(float)
    y = X[:, 0] + rng.integers(0, 2, 300)
    c = y.astype(int)
    c[7] = 99
    for name, target in (("mutual_info_regression", y), ("mutual_info_classif", c)):
        mine, their = (getattr(module, name)(X, target, random_state=3) for module in (ours, theirs))
        np.testing.assert_allclose(mine, their, atol=1e-9)


def test_sparse_columns_are_discrete():
    X, _, c = table(1, 150)
    thin = sparse.csr_array(np.round(np.abs(X)))
    np.testing.assert_allclose(ours.mutual_info_classif(thin, c), theirs.mutual_info_classif(thin, c), atol=1e-12)
    with pytest.raises(ValueError, match="Sparse matrix `X` can't have continuous features"):
        ours.mutual_info_classif(thin, c, discrete_features=False)


def test_the_gaussian_case_has_a_closed_form():
    rng = np.random.default_rng(0)
    for r in (0.0, 0.6, 0.9):
        x, e = rng.normal(size=(2, 20_000))
        y = r * x + np.sqrt(1 - r * r) * e
        found = ours.mutual_info_regression(x[:, None], y, random_state=0)[0]
        assert abs(found + np.log(1 - r * r) / 2) < 0.02


def test_what_correlation_cannot_see():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1000, 2))
    y = X[:, 0] ** 2 + 0.1 * rng.normal(size=1000)
    assert abs(ours.r_regression(X, y)[0]) < 0.2
    found = ours.mutual_info_regression(X, y, random_state=0)
    assert found[0] > 1 and found[1] < 0.1
    assert ours.SelectKBest(ours.mutual_info_regression, k=1).fit(X, y).get_support()[0]


def test_the_same_bits_on_any_number_of_threads():
    X, y, c = table(0, 9000)
    seen = set()
    for count in (1, 2, 3, 8):
        with learnable.threads(count):
            seen.add(
                ours.mutual_info_regression(X, y, random_state=0).tobytes()
                + ours.mutual_info_classif(X, c, random_state=0).tobytes()
            )
    assert len(seen) == 1


def test_words_of_refusal():
    X, y, _ = table(0, 20)
    with pytest.raises(ValueError, match="n_neighbors must be"):
        ours.mutual_info_regression(X, y, n_neighbors=0)
    with pytest.raises(ValueError, match="Expected n_neighbors < n_samples"):
        ours.mutual_info_regression(X[:3], y[:3], n_neighbors=3)
    with pytest.raises(ValueError, match="discrete_features"):
        ours.mutual_info_regression(X, y, discrete_features="all")
