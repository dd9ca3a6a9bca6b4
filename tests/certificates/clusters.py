"""Clusterings: assignments and moves from their definitions, in extended precision."""

from __future__ import annotations

from typing import Any

import numpy as np

import learnable
from tests.certificates.precise import EPS, EXTENDED, Finding, columns, extended, fitted


def _rows(seed: int) -> Any:
    """Rows about three centres; columns of other sizes, nearly collinear, far from zero."""
    draws = np.random.default_rng(seed)
    X = columns(draws, seed % 5, 60, 3)
    return X + 3 * X.std(axis=0) * (np.arange(60) % 3)[:, None]


def _squares(X: Any, centres: Any) -> Any:
    X, centres = extended(X, centres)
    return ((X[:, None] - centres) ** 2).sum(axis=2)


def _misassigned(X: Any, centres: Any, labels: Any) -> float:
    """The fraction of rows that another centre is nearer to, by more than rounding."""
    far = _squares(X, centres)
    own = far[np.arange(len(X)), labels]
    unit = EPS * 64 * float(np.abs(X).max()) ** 2
    return float((far.min(axis=1) < own * (1 - 64 * EPS) - unit).mean())


def centroids(name: str, seed: int) -> list[Finding]:
    """Rows are with their nearest centroid; another iteration moves the centroids by no more than the last one."""
    X = _rows(seed)
    given = {"batch_size": 20} if name == "MiniBatchKMeans" else {}
    model = fitted(getattr(learnable, name)(3, random_state=0, **given), X)
    wrong = Finding(_misassigned(X, model.cluster_centers_, model.labels_), model.certificate_)
    if name != "KMeans":
        return [wrong] if name == "MiniBatchKMeans" else []
    Z, centres = extended(X, model.cluster_centers_)
    means = np.array([Z[model.labels_ == k].mean(axis=0) for k in range(3)])
    moved = ((means - centres) ** 2).sum() / Z.var(axis=0).mean()
    far = (EPS * np.abs(Z).max()) ** 2 / Z.var(axis=0).mean()
    return [wrong, Finding(float(moved), model.certificate_, 64 * EPS + 1e3 * float(far))]


def fuzzy(name: str, seed: int) -> Finding:
    """Another iteration moves the centroids by no more than the last one."""
    X = _rows(seed)
    model = fitted(learnable.FuzzyCMeans(3, random_state=0), X)
    far = np.maximum(_squares(X, model.cluster_centers_), 1e-300)
    share = far ** (-1 / (model.m - 1))
    share = (share / share.sum(axis=1, keepdims=True)) ** model.m
    Z, centres = extended(X, model.cluster_centers_)
    moved = (((share.T @ Z) / share.sum(axis=0)[:, None] - centres) ** 2).sum() / Z.var(axis=0).mean()
    return Finding(float(moved), model.certificate_, 1e3 * EPS)


def swaps(name: str, seed: int) -> Finding:
    """Every swap of a medoid for another row, tried."""
    X = _rows(seed)
    model = fitted(learnable.KMedoids(3, random_state=0), X)
    far = np.sqrt(_squares(X, X))
    chosen = list(model.medoid_indices_)
    cost = far[:, chosen].min(axis=1).sum()
    trials = [[*chosen[:k], row, *chosen[k + 1 :]] for k in range(3) for row in range(len(X))]
    best = min(far[:, trial].min(axis=1).sum() for trial in trials)
    return Finding(float((cost - best) / cost), model.certificate_, 64 * EPS)


def medians(name: str, seed: int) -> Finding:
    """Unit vectors from the spatial median of the fits to subsets, all of which are fitted again."""
    draws = np.random.default_rng(seed)
    X = draws.standard_normal((12, 1)) * 10.0 ** draws.integers(-3, 4)
    y = X[:, 0] / np.abs(X).max() + draws.standard_normal(12)
    model = fitted(learnable.TheilSenRegressor(random_state=0, max_subpopulation=1000), X, y)
    pairs = [(i, j) for i in range(12) for j in range(i)]
    rates = np.array([(y[i] - y[j]) / (X[i, 0] - X[j, 0]) for i, j in pairs])
    fits = np.column_stack([[y[i] - rate * X[i, 0] for (i, _), rate in zip(pairs, rates, strict=True)], rates])
    away = extended(fits)[0] - extended([model.intercept_, model.coef_[0]])[0]
    length = np.sqrt((away**2).sum(axis=1))
    near = length <= 1e-9 * length.max()
    units = away[~near] / length[~near, None]
    left = max(float(np.sqrt((units.sum(axis=0) ** 2).sum())) - near.sum(), 0.0) / len(units)
    return Finding(left, model.certificate_, 1e-7)


def modes(name: str, seed: int) -> Finding:
    """Rows of categories are with the mode that they differ from least."""
    draws = np.random.default_rng(seed)
    X = draws.integers(0, 4, (60, 4)).astype(float)
    model = fitted(learnable.KModes(3, random_state=0), X)
    differ = (
        X[:, None]
        != np.asarray(
            model.cluster_centroids_ if hasattr(model, "cluster_centroids_") else model.cluster_centers_, dtype=float
        )
    ).sum(axis=2)
    return Finding(float((differ.min(axis=1) < differ[np.arange(60), model.labels_]).mean()), model.certificate_)


def kernel_means(name: str, seed: int) -> Finding:
    """Rows are with the mean in feature space that they are nearest to."""
    X = _rows(seed)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    model = fitted(learnable.KernelKMeans(3, kernel="rbf", gamma=0.5, random_state=0), X)
    K = np.exp(-extended(0.5)[0] * _squares(X, X))
    member = (model.labels_[:, None] == np.arange(3)).astype(K.dtype)
    member = member / member.sum(axis=0)
    far = (member * (K @ member)).sum(axis=0) - 2 * K @ member
    own = far[np.arange(60), model.labels_]
    return Finding(float((far.min(axis=1) < own - 1e-12).mean()), model.certificate_)


def radius(name: str, seed: int) -> Finding:
    """The largest radius of the subclusters, from their rows, which an only leaf of the tree collects one by one."""
    X = _rows(seed)
    threshold = float(X.std()) / 2
    model = fitted(learnable.Birch(threshold=threshold, branching_factor=100, n_clusters=None), X)
    Z = extended(X)[0]
    members: list[list[int]] = []
    for i, row in enumerate(Z):
        means = [Z[of].mean(axis=0) for of in members]
        nearest = min(range(len(means)), key=lambda k: ((means[k] - row) ** 2).sum()) if means else -1
        joined = [*members[nearest], i] if means else [i]
        if means and ((Z[joined] - Z[joined].mean(axis=0)) ** 2).sum() <= EXTENDED(threshold) ** 2 * len(joined):
            members[nearest].append(i)
        else:
            members.append([i])
    assert sorted(map(len, members)) == sorted(model.subcluster_sizes_.astype(int))
    radii = [float(np.sqrt(((Z[of] - Z[of].mean(axis=0)) ** 2).sum() / len(of))) for of in members]
    return Finding(max(radii), model.certificate_, 64 * EPS * float(np.abs(X).max()))


def singular_vectors(name: str, seed: int) -> Finding:
    """The fraction of rows and columns that are not with the nearest mean in the space of exact singular vectors."""
    X = np.abs(np.random.default_rng(seed).standard_normal((20, 12))) + 5 * np.kron(np.eye(2), np.ones((10, 6)))
    model = fitted(getattr(learnable, name)(2, random_state=0), X)
    A, rows, columns = X, np.ones(20), np.ones(12)
    for _ in range(1 if name == "SpectralCoclustering" else 300):
        scales = 1 / np.sqrt(A.sum(axis=1)), 1 / np.sqrt(A.sum(axis=0))
        A, rows, columns = scales[0][:, None] * A * scales[1], rows * scales[0], columns * scales[1]
    U, _, Vt = np.linalg.svd(A)
    if name == "SpectralCoclustering":
        points = np.concatenate([rows * U[:, 1], columns * Vt[1]])[:, None]
        labels = np.concatenate([model.row_labels_, model.column_labels_])
    else:
        points, labels = X @ Vt[1:2].T, model.row_labels_
    means = np.array([points[labels == k].mean(axis=0) for k in range(2)])
    return Finding(_misassigned(points, means, labels), model.certificate_)
