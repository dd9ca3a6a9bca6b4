"""The distribution of largest entropy that keeps the means of the columns by class is softmax regression."""

import numpy as np
from scipy.optimize import minimize
from scipy.special import logsumexp

from learnable.linear_model import LogisticRegression


def draw(classes=3):
    rng = np.random.default_rng(0)
    y = rng.integers(0, classes, 150)
    return rng.normal(size=(150, 2)) + 0.8 * rng.normal(size=(classes, 2))[y], y


def test_expected_columns_equal_observed_ones():
    """PGM-14: for each class the sum of x P(k | x) over all rows is the sum of x over the rows of that class."""
    X, y = draw()
    model = LogisticRegression(C=np.inf, tol=1e-10, max_iter=2000).fit(X, y)
    predicted, seen = model.predict_proba(X), np.eye(3)[y]
    wide = np.column_stack([X, np.ones(len(X))])
    np.testing.assert_allclose(wide.T @ predicted, wide.T @ seen, atol=1e-4 * len(X))


def test_the_dual_of_maximum_entropy_has_the_same_probabilities():
    """PGM-14: the multipliers of these constraints minimise sum_i log Z(x_i) - sum_i w_{y_i}' x_i."""
    X, y = draw()
    wide = np.column_stack([X, np.ones(len(X))])

    def dual(flat):
        scores = wide @ flat.reshape(3, 3).T
        return float((logsumexp(scores, axis=1) - scores[np.arange(len(y)), y]).sum())

    multipliers = minimize(dual, np.zeros(9), method="BFGS", options={"gtol": 1e-7}).x.reshape(3, 3)
    scores = wide @ multipliers.T
    requested = np.exp(scores - logsumexp(scores, axis=1, keepdims=True))
    model = LogisticRegression(C=np.inf, tol=1e-10, max_iter=2000).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X), requested, atol=1e-4)


def test_no_distribution_with_the_same_means_is_less_certain():
    """PGM-14: move probability within a row along directions that keep all constraints, and entropy falls."""
    X, y = draw(2)
    model = LogisticRegression(C=np.inf, tol=1e-10, max_iter=2000).fit(X, y)
    probability = model.predict_proba(X)[:, 1]
    wide = np.column_stack([X, np.ones(len(X))])
    _, _, axes = np.linalg.svd(wide.T, full_matrices=True)
    free = axes[3:]  # changes of the probabilities that leave every column sum unchanged

    def entropy(p):
        return float(-(p * np.log(p) + (1 - p) * np.log(1 - p)).sum())

    best = entropy(probability)
    for direction in free[:20]:
        size = 0.5 * np.min(np.minimum(probability, 1 - probability) / np.abs(direction).max())
        assert entropy(probability + size * direction) < best
        assert entropy(probability - size * direction) < best
