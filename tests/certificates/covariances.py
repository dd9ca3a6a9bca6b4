"""Duality gaps and concentration steps of covariances, computed again."""

from __future__ import annotations

from typing import Any

import numpy as np

import learnable
from tests.certificates.precise import Finding, columns, fitted


def penalised_likelihood(name: str, seed: int) -> Finding:
    """The objective less the dual bound of the inverse, whose entries are moved into their bounds."""
    X = columns(np.random.default_rng(seed), seed % 5, 40, 4)
    X = (X - X.mean(axis=0)) / X.std(axis=0)  # one penalty for columns of any size
    given: dict[str, Any] = {"alphas": [0.1, 0.05]} if name.endswith("CV") else {"alpha": 0.1}
    model = fitted(getattr(learnable, name)(**given), X)
    alpha = model.alpha_ if name.endswith("CV") else 0.1
    S, P = np.cov(X.T, bias=True), model.precision_
    bounds = np.full_like(S, alpha)
    np.fill_diagonal(bounds, 0.0)
    W = np.clip(model.covariance_, S - bounds, S + bounds)
    cost = (S * P).sum() - np.linalg.slogdet(P)[1] + (bounds * np.abs(P)).sum()
    return Finding(float(cost - np.linalg.slogdet(W)[1] - len(S)), model.certificate_, 1e-9 * abs(float(cost)))


def concentration(name: str, seed: int) -> Finding:
    """By how much the rows nearest to the raw estimate have a smaller log determinant.

    Distances have a floor of 1e-12 of the variances, which decides where the rows nearly lie in a plane.
    """
    X = columns(np.random.default_rng(seed), seed % 5, 40, 4)
    model = fitted(getattr(learnable, name)(random_state=0), X)
    centred = X - model.raw_location_
    distance = np.einsum("ij,ij->i", centred @ np.linalg.inv(model.raw_covariance_), centred)
    nearest = np.sort(np.argsort(distance, kind="stable")[: model.raw_support_.sum()])
    before = np.linalg.slogdet(model.raw_covariance_)[1]
    after = np.linalg.slogdet(np.cov(X[nearest].T, bias=True))[1]
    scale = X.std(axis=0)
    floor = 1e-12 * np.linalg.cond(model.raw_covariance_ / np.outer(scale, scale)) * len(scale)
    return Finding(max(float(before - after), 0.0), model.certificate_, 1e-9 * max(abs(float(before)), 1.0) + floor)
