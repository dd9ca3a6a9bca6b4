"""Eigenvectors and singular vectors: residuals of their equations in extended precision."""

from __future__ import annotations

from typing import Any

import numpy as np

import learnable
from tests.certificates.precise import EPS, EXTENDED, Finding, extended, fitted, regression

ROUNDING = 64 * EPS  # of a product of matrices of 40 rows


def _residual(M: Any, vectors: Any, values: Any, unit: Any) -> float:
    """The largest norm of M v - l v for vectors of length one, beside `unit`."""
    vectors = vectors / np.sqrt((vectors**2).sum(axis=0))
    off = M @ vectors - vectors * values
    return float(np.sqrt((off**2).sum(axis=0)).max() / unit)


def components(name: str, seed: int) -> Finding:
    """Of the covariance, or of the Gram matrix where columns are not centred; beside its trace."""
    X, _ = regression(seed)
    model = fitted(getattr(learnable, name)(n_components=2), X)
    Z = extended(X)[0]
    Z = Z - Z.mean(axis=0) if name == "PCA" else Z
    M = Z.T @ Z
    values = extended(model.singular_values_)[0] ** 2
    return Finding(_residual(M, extended(model.components_.T)[0], values, M.trace()), model.certificate_, ROUNDING)


def kernel_components(name: str, seed: int) -> Finding:
    """Of the centred kernel matrix, beside its trace; Isomap's is minus half the squared geodesic distances."""
    X, _ = regression(seed)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    Z = extended(X)[0]
    if name == "KernelPCA":
        model = fitted(learnable.KernelPCA(2, kernel="rbf", gamma=0.5), X)
        K = np.exp(-EXTENDED(0.5) * ((Z[:, None] - Z) ** 2).sum(axis=2))
        vectors, values = model.eigenvectors_, model.eigenvalues_
    elif name == "Isomap":
        model = fitted(learnable.Isomap(n_neighbors=8, n_components=2), X)
        K = -(extended(model.dist_matrix_)[0] ** 2) / 2
        vectors, values = model.kernel_pca_.eigenvectors_, model.kernel_pca_.eigenvalues_
    else:
        model = fitted(learnable.ClassicalMDS(2), X)
        K = -((Z[:, None] - Z) ** 2).sum(axis=2) / 2
        vectors, values = model.eigenvectors_, model.eigenvalues_
    means = K.mean(axis=0)
    K = K - means - means[:, None] + K.mean()
    vectors, values = extended(vectors, values)
    return Finding(_residual(K, vectors, values, np.abs(K.trace())), model.certificate_, ROUNDING)


def alignment(name: str, seed: int) -> Finding:
    """Of the matrix of tangent coordinates of all sets of neighbours, beside its mean diagonal."""
    X, _ = regression(seed)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    model = fitted(learnable.LocallyLinearEmbedding(n_neighbors=8, n_components=2, method="ltsa", random_state=0), X)
    Z, k = extended(X)[0], 8
    M = np.zeros((len(Z), len(Z)), dtype=EXTENDED)
    for near in model.nbrs_.kneighbors(return_distance=False):
        around = Z[near] - Z[near].mean(axis=0)
        axes = extended(np.linalg.svd(np.asarray(around, dtype=np.float64))[0][:, :2])[0]
        M[np.ix_(near, near)] += np.eye(k) - EXTENDED(1) / k - axes @ axes.T
    vectors, values = extended(model.embedding_, model.eigenvalues_)
    return Finding(_residual(M, vectors, values, np.diag(M).mean()), model.certificate_, 64 * ROUNDING)


def graph_vectors(name: str, seed: int) -> Finding:
    """Of the normalised Laplacian of the affinities, or of the Markov chain of a diffusion."""
    X, _ = regression(seed)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    if name == "DiffusionMap":
        model = fitted(learnable.DiffusionMap(2), X)
        Z = extended(X)[0]
        K = np.exp(-EXTENDED(model.gamma_) * ((Z[:, None] - Z) ** 2).sum(axis=2))
        density = K.sum(axis=1)
        K = K / np.outer(density, density) ** EXTENDED(model.alpha)
        root = np.sqrt(K.sum(axis=1))
        M, vectors = K / root / root[:, None], extended(model.eigenvectors_)[0] * root[:, None]
        return Finding(_residual(M, vectors, extended(model.eigenvalues_)[0], 1), model.certificate_, 4 * ROUNDING)
    if name == "SpectralEmbedding":
        model = fitted(learnable.SpectralEmbedding(2, affinity="rbf", random_state=0), X)
        embedding = model.embedding_
    else:
        model = fitted(learnable.SpectralClustering(2, random_state=0), X)
        embedding = model.embedding_
    W = model.affinity_matrix_
    W = extended(W.toarray() if hasattr(W, "toarray") else W)[0]
    np.fill_diagonal(W, 0)
    degree = W.sum(axis=1)
    root = np.sqrt(degree)
    L = np.eye(len(W)) - W / root / root[:, None]
    values = extended(model.eigenvalues_)[0][: embedding.shape[1]]
    return Finding(_residual(L, extended(embedding)[0] * root[:, None], values, 1), model.certificate_, 4 * ROUNDING)
