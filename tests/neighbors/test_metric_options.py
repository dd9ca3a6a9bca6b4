"""Options of metrics that mean nothing are refused by name."""

import numpy as np
import pytest

import learnable

X = np.random.default_rng(0).random((20, 3))
WRONG = [
    ("minkowski", {"w": [-1, 1, 1]}, "w of the metric must be 3 finite numbers"),
    ("minkowski", {"w": [1, np.nan, 1]}, "w of the metric must be 3 finite numbers"),
    ("minkowski", {"w": [1, np.inf, 1]}, "w of the metric must be 3 finite numbers"),
    ("minkowski", {"w": [1, 1], "p": 0.5}, "w of the metric must be 3 finite numbers"),
    ("manhattan", {"w": "abc"}, "w of the metric must be 3 finite numbers"),
    ("seuclidean", {"V": [1, np.nan, 1]}, "V of the metric must be 3 finite numbers"),
    ("seuclidean", {"V": [1, 1]}, "V of the metric must be 3 finite numbers"),
    ("euclidean", {"foo": 1}, "the metric euclidean has the options w; got 'foo'"),
    ("mahalanobis", {"W": 1}, "the metric mahalanobis has the options V, VI; got 'W'"),
]


@pytest.mark.filterwarnings("ignore:.*Parameter p is found in metric_params:SyntaxWarning")
@pytest.mark.parametrize("metric, options, message", WRONG)
def test_they_are_refused_by_the_search_and_by_tables_of_distances(metric, options, message):
    with pytest.raises(learnable.ParameterError, match=f"NearestNeighbors: {message}"):
        learnable.NearestNeighbors(metric=metric, metric_params=options).fit(X)
    with pytest.raises(learnable.ParameterError, match=message):
        learnable.pairwise_distances(X, metric=metric, **options)


def test_a_function_must_say_a_number():
    model = learnable.NearestNeighbors(metric=lambda x, y: np.nan).fit(X)
    with pytest.raises(learnable.ParameterError, match="returned NaN for"):
        model.kneighbors(X[:2])


def test_weights_of_columns_count():
    distances, _ = (
        learnable.NearestNeighbors(n_neighbors=20, metric="minkowski", p=3, metric_params={"w": [1, 0, 2]})
        .fit(X)
        .kneighbors(X[:1])
    )
    expected = (np.abs(X - X[0]) ** 3 @ [1, 0, 2]) ** (1 / 3)
    np.testing.assert_allclose(distances[0], np.sort(expected))
