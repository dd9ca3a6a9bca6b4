"""The k-distance plot and its knee."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from learnable import DBSCAN, ParameterError, k_distances


def test_distances_and_the_knee():
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(size=(100, 2)) * 0.1 + centre for centre in (0, 3)] + [rng.uniform(-4, 8, (10, 2))])
    found = k_distances(X)
    assert found.min_samples == 4
    np.testing.assert_allclose(found.distances, np.sort(np.sort(cdist(X, X), axis=1)[:, 3])[::-1], rtol=1e-12)
    line = np.linspace(found.distances[0], found.distances[-1], len(X))
    assert found.eps == found.distances[np.argmax(line - found.distances)]
    labels = DBSCAN(eps=found.eps, min_samples=4).fit_predict(X)
    assert set(labels[:200]) <= {0, 1, -1} and (labels[:100] == 0).mean() > 0.95 < (labels[100:200] == 1).mean()


def test_other_metrics_and_refusals():
    X = np.random.default_rng(1).normal(size=(30, 3))
    far = np.sort(np.sort(cdist(X, X, "cityblock"), axis=1)[:, 2])[::-1]
    np.testing.assert_allclose(k_distances(X, 3, "manhattan").distances, far, rtol=1e-12)
    for least in (1, 31):
        with pytest.raises(ParameterError, match="from 2 to the number of rows"):
            k_distances(X, least)
