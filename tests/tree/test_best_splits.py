"""Splits of nodes with many rows, found without sorting: no other threshold of the column has a larger gain."""

import numpy as np
import pytest

from learnable.tree import DecisionTreeClassifier, DecisionTreeRegressor


def explained(weight, amount):
    """The sum of squares explained by one side."""
    return amount**2 / weight


def best_explained(x, y, weight, least_rows):
    """The largest sum of squares explained by a threshold of one column, by trying all of them."""
    order = np.argsort(x, kind="stable")
    x, w, a = x[order], np.cumsum(weight[order]), np.cumsum((weight * y)[order])
    rows = np.arange(1, len(x) + 1)
    cut = np.append(x[1:] > x[:-1], False) & (rows >= least_rows) & (len(x) - rows >= least_rows)
    return np.max(explained(w[cut], a[cut]) + explained(w[-1] - w[cut], a[-1] - a[cut]))


@pytest.mark.parametrize("levels", [5, 200, None])
@pytest.mark.parametrize("least_rows", [1, 7])
@pytest.mark.parametrize("classes", [True, False])
def test_no_threshold_of_the_split_column_has_a_larger_gain(levels, least_rows, classes):
    draws = np.random.default_rng(3)
    X = draws.standard_normal((3000, 4))
    if levels is not None:
        X = np.round(X * levels / 6) / levels
    y = X @ [1.0, -1.0, 0.5, 0.0] + draws.standard_normal(3000)
    y, make = ((y > 0) * 1.0, DecisionTreeClassifier) if classes else (y**3, DecisionTreeRegressor)
    weight = draws.integers(1, 4, 3000) * 0.7
    model = make(max_features=1, min_samples_leaf=least_rows, random_state=0).fit(X, y, sample_weight=weight)
    tree, nodes = model.tree_, model.decision_path(X).toarray() > 0
    inner = np.flatnonzero(tree.children_left >= 0)
    assert (tree.n_node_samples[inner] >= 128).sum() > 10
    for node in inner[:200]:
        here = nodes[:, node]
        x, left = X[here, tree.feature[node]], X[here, tree.feature[node]] <= tree.threshold[node]
        sides = [(weight[here][side].sum(), (weight * y)[here][side].sum()) for side in (left, ~left)]
        found = sum(explained(*side) for side in sides)
        assert min(left.sum(), (~left).sum()) >= least_rows
        assert found == pytest.approx(best_explained(x, y[here], weight[here], least_rows), rel=1e-11)


def test_a_constant_column_is_not_split():
    X = np.random.default_rng(4).standard_normal((5000, 2))
    y = X @ [1.0, 2.0]
    with_constant = np.column_stack([X[:, 0], np.full(5000, 2.0), X[:, 1]])
    plain, other = (DecisionTreeRegressor(max_depth=4).fit(Z, y) for Z in (X, with_constant))
    np.testing.assert_array_equal(plain.predict(X), other.predict(with_constant))
