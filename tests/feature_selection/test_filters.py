import numpy as np
import pytest
from scipy import sparse, stats

from learnable import ConditionalDensityFilter, CorrelationFilter
from learnable.plot import DensitySimilarityDisplay


def test_histograms_and_their_cosine_by_hand():
    x = np.array([0.0, 1.0, 2.0, 3.0, 1.0, 2.0, 2.0, 3.0])
    y = np.array([0, 0, 0, 0, 1, 1, 1, 1])
    model = ConditionalDensityFilter(bins=3).fit(x[:, None], y)
    np.testing.assert_allclose(model.bin_edges_[0], [0, 1, 2, 3])
    np.testing.assert_allclose(model.densities_[0], [[0.25, 0.25, 0.5], [0, 0.25, 0.75]])
    a, b = np.array([1, 1, 2]), np.array([0, 1, 3])
    assert model.similarities_[0] == pytest.approx(a @ b / np.sqrt((a @ a) * (b @ b)))


def test_identical_shapes_are_one_and_apart_is_nothing():
    same, apart = np.tile(np.arange(10.0), 2), np.concatenate([np.arange(10.0), 100 + np.arange(10.0)])
    y = np.repeat(["no", "yes"], 10)
    model = ConditionalDensityFilter(bins=5).fit(np.column_stack([same, apart]), y)
    np.testing.assert_allclose(model.similarities_, [1, 0], atol=1e-12)
    assert model.get_support().tolist() == [False, True]


def test_sees_widths_where_correlation_sees_nothing():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 2000)
    X = np.column_stack([rng.normal(size=4000) * np.where(y == 0, 1, 5), rng.normal(size=4000)])
    assert CorrelationFilter(threshold=0.1).fit(X, y).get_support().tolist() == [False, False]
    assert ConditionalDensityFilter(threshold=0.95).fit(X, y).get_support().tolist() == [True, False]


def test_one_pair_of_classes_that_differs_is_enough():
    y = np.repeat([0, 1, 2], 50)
    x = np.where(y == 2, 9.0, np.tile(np.arange(5.0), 30))
    assert ConditionalDensityFilter().fit(x[:, None], y).similarities_[0] == 0


def test_missing_values_weights_and_numeric_targets():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 3)), np.arange(200) % 2
    X[:, 0] += 2 * y
    with_missing = X.copy()
    with_missing[::4, 1] = np.nan
    there = ConditionalDensityFilter().fit(X[np.arange(200) % 4 != 0], y[np.arange(200) % 4 != 0])
    found = ConditionalDensityFilter(bins=20).fit(with_missing, y)
    assert found.similarities_[1] == pytest.approx(there.similarities_[1], abs=0.05)
    count = rng.integers(0, 3, 200)
    rows = np.repeat(np.arange(200), count)
    weighted, copied = ConditionalDensityFilter().fit(X, y, count), ConditionalDensityFilter().fit(X[rows], y[rows])
    np.testing.assert_allclose(weighted.similarities_, copied.similarities_)
    numbers = X[:, 0] + 0.1 * rng.normal(size=200)
    halves = ConditionalDensityFilter().fit(X, numbers > np.sort(numbers)[99])
    np.testing.assert_allclose(ConditionalDensityFilter().fit(X, numbers).similarities_, halves.similarities_)


def test_a_lower_threshold_keeps_fewer_columns():
    rng = np.random.default_rng(0)
    y = np.arange(400) % 2
    X = rng.normal(size=(400, 8)) + np.outer(y, np.arange(8) / 2)
    kept = [
        ConditionalDensityFilter(threshold=t, bins=10).fit(X, y).get_support().sum() for t in (1.0, 0.9, 0.6, 0.3, 0.0)
    ]
    assert kept == sorted(kept, reverse=True) and kept[0] == 8 and kept[-1] < 2


def test_correlations_rank_columns():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 4))
    y = X @ [0.0, 1.0, -3.0, 0.3] + rng.normal(size=100)
    model = CorrelationFilter(threshold=0.2).fit(X, y)
    expected = [stats.pearsonr(column, y)[0] for column in X.T]
    np.testing.assert_allclose(model.correlations_, expected)
    assert model.ranking_[[2, 1]].tolist() == [1, 2]
    np.testing.assert_array_equal(model.get_support(), np.abs(expected) >= 0.2)
    assert CorrelationFilter(threshold=0.0, k=2).fit(sparse.csr_array(X), y).get_support(indices=True).tolist() == [
        1,
        2,
    ]


def test_the_picture_shows_a_bar_for_every_column_and_the_threshold():
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    X = np.column_stack([np.arange(20.0), np.tile([0.0, 1.0], 10)])
    model = ConditionalDensityFilter(threshold=0.8).fit(X, np.repeat([0, 1], 10))
    display = DensitySimilarityDisplay.from_estimator(model)
    widths = [bar.get_width() for bar in display.ax_.patches]
    np.testing.assert_allclose(sorted(widths), sorted(model.similarities_))
    assert display.ax_.get_xlabel() == "similarity of the classes"
    assert any(line.get_xdata()[0] == 0.8 for line in display.ax_.lines)
    pyplot.close("all")
