"""Trees with random thresholds, compared node by node with a plain reference implementation."""

import numpy as np
import pytest

import learnable
from learnable.ensemble import ExtraTreesClassifier, ExtraTreesRegressor
from learnable.tree import ExtraTreeClassifier

WORD = 2**64 - 1


class Stream:
    """The random numbers of a node."""

    def __init__(self, seed, place):
        self.state = seed ^ (place + 1) * 0xD1342543DE82EF95 & WORD

    def word(self):
        self.state = (self.state + 0x9E3779B97F4A7C15) & WORD
        z = (self.state ^ self.state >> 30) * 0xBF58476D1CE4E5B9 & WORD
        z = (z ^ z >> 27) * 0x94D049BB133111EB & WORD
        return z ^ z >> 31

    def below(self, bound):
        return self.word() * bound >> 64

    def uniform(self):
        return (self.word() >> 11) * 2.0**-53


class PlainGrower:
    """Squared errors about the means of both sides; the best of the drawn columns, the first of tied ones."""

    def __init__(self, X, y, weight, seed, candidates):
        self.X, self.y, self.weight = X.astype(float), y.astype(float), weight
        self.seed, self.candidates = seed, candidates
        self.nodes = []
        self.visit(np.arange(len(y)))

    def worth(self, rows):
        return (self.weight[rows] @ self.y[rows]) ** 2 / self.weight[rows].sum()

    def visit(self, rows):
        node = len(self.nodes)
        self.nodes.append((-2, -2.0, False, len(rows)))
        if np.ptp(self.y[rows]) == 0:
            return
        best = self.best(rows, Stream(self.seed, node))
        if best is None:
            return
        _, feature, threshold, missing_left, left = best
        self.nodes[node] = (feature, threshold, missing_left, len(rows))
        self.visit(rows[left])
        self.visit(rows[~left])

    def best(self, rows, draws):
        noise = 1e-13 * (self.weight[rows] @ self.y[rows] ** 2 + self.worth(rows))
        order, best, tried = list(range(self.X.shape[1])), None, 0
        for left in range(len(order), 0, -1):
            if best is not None and tried >= self.candidates:
                break
            place = draws.below(left)
            order[place], order[left - 1] = order[left - 1], order[place]
            share = draws.uniform()
            column = self.X[rows, order[left - 1]]
            gap = np.isnan(column)
            tried += len(np.unique(column)) > 1  # a missing value differs from all others
            for offer in self.offers(rows, order[left - 1], column, gap, share):
                if best is None or offer[0] > best[0] + noise:
                    best = offer
        return best

    def offers(self, rows, feature, column, gap, share):
        """The splits of a column: missing values go to either side, values missing later to the larger child."""
        known = column[~gap]
        if len(known) == 0 or known.min() == known.max():
            return
        low, high = known.min(), known.max()
        threshold = low + share * (high - low)
        if not low <= threshold < high:
            threshold = low
        for missing_left in (False, True) if gap.any() else (None,):
            side = (column <= threshold) | (gap & bool(missing_left))
            weight = self.weight[rows]
            goes = weight[side].sum() > weight[~side].sum() if missing_left is None else missing_left
            yield self.worth(rows[side]) + self.worth(rows[~side]), feature, threshold, bool(goes), side


def table(seed, n, p=7, missing=False, narrow=True):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)).astype(np.float32 if narrow else np.float64)
    X[:, 1] = np.round(X[:, 1])  # ties
    X[:, 2] = X[:, 2] > 1.5  # often the same for all rows of a node
    y = X[:, 0] + X[:, 1] * X[:, 3] + rng.normal(size=n)
    if missing:
        X[rng.random(n) < 0.2, 4] = np.nan
        X[rng.random(n) < 0.9, 5] = np.nan
    return X, y, rng.integers(1, 4, size=n).astype(float)


def nodes_of(tree):
    return list(
        zip(tree.feature, tree.threshold, tree.missing_go_to_left.astype(bool), tree.n_node_samples, strict=True)
    )


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("narrow", [False, True])
@pytest.mark.parametrize("n", [3, 9, 40, 1500])
def test_trees_equal_those_of_a_reference_implementation(n, narrow, missing):
    for seed in range(1 if n > 1000 else 12):
        X, y, weight = table(seed, n, missing=missing, narrow=narrow)
        for target, forest in ((y > 0, ExtraTreesClassifier), (y, ExtraTreesRegressor)):
            model = forest(3, max_features=4, random_state=seed).fit(X, target, sample_weight=weight)
            for seed_of_tree, tree in zip(model.seeds_, model.forest_.trees(), strict=True):
                assert nodes_of(tree) == PlainGrower(X, target, weight, int(seed_of_tree), 4).nodes


@pytest.mark.parametrize("n", [50, 1500])
def test_the_memory_layout_does_not_matter(n):
    X, y, _ = table(0, n, missing=True)
    by_row = ExtraTreesClassifier(4, max_features=4, random_state=0).fit(np.ascontiguousarray(X), y > 0)
    by_column = ExtraTreesClassifier(4, max_features=4, random_state=0).fit(np.asfortranarray(X), y > 0)
    wide = ExtraTreesClassifier(4, max_features=4, random_state=0).fit(X.astype(np.float64), y > 0)
    for one, other, third in zip(*(model.forest_.trees() for model in (by_row, by_column, wide)), strict=True):
        assert nodes_of(one) == nodes_of(other) == nodes_of(third)


def test_a_tree_does_not_depend_on_earlier_trees():
    X, y, _ = table(1, 900)
    with learnable.threads(1):
        together = ExtraTreesRegressor(6, max_features=4, bootstrap=True, random_state=3).fit(X, y)
    with learnable.threads(3):
        apart = ExtraTreesRegressor(1, max_features=4, bootstrap=True, warm_start=True, random_state=3).fit(X, y)
        for count in (2, 5, 6):
            apart.set_params(n_estimators=count).fit(X, y)
    for one, other in zip(together.forest_.trees(), apart.forest_.trees(), strict=True):
        assert nodes_of(one) == nodes_of(other)


def test_categorical_and_numeric_splits_send_rows_as_stated():
    import pandas as pd

    X, y, _ = table(2, 800, missing=True)
    frame = pd.DataFrame(X, columns=[f"x{j}" for j in range(X.shape[1])])
    frame["kind"] = pd.Categorical(np.random.default_rng(2).choice(list("abcdef"), size=len(X)))
    y = y + 2 * (frame["kind"].isin(["b", "e"]))
    model = ExtraTreeClassifier(categorical_features="from_dtype", max_features=5, random_state=0).fit(frame, y > 1)
    leaves, counts = np.unique(model.apply(frame), return_counts=True)
    np.testing.assert_array_equal(model.tree_.n_node_samples[leaves], counts)
    assert 7 in model.tree_.feature and model.score(frame, y > 1) == 1
