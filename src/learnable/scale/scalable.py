"""Which estimators learn from scans, and what to do about the others."""

from __future__ import annotations

from typing import Any

from ..core import DataError

REMEDIES = {
    "neighbors": "fit it to a sample of the rows, or take a tree or a linear model on Nystroem features",
    "svm": "take LinearSVC or SGDClassifier on Nystroem or RBFSampler features, or fit it to a sample",
    "cluster": "fit it to a sample of the rows, or take KMeans or GaussianMixture",
    "manifold": "fit it to a sample of the rows, or take PCA",
}


def refusal(estimator: Any) -> DataError:
    """The error for an estimator that needs all rows at once."""
    owner, family = type(estimator).__name__, type(estimator).__module__.split(".")[1]
    remedy = REMEDIES.get(family, "fit it to a sample of the rows, such as rows.rows(0, 100_000).collect()")
    return DataError(f"{owner} needs all rows in memory at once, and cannot learn from a scan; {remedy}")


def is_scalable(estimator: Any) -> bool:
    """Whether an estimator, or a class of estimators, learns from scans."""
    return any(hasattr(estimator, name) for name in ("_fit_scan", "_fit_blocks"))
