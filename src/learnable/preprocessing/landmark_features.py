"""Likeness to chosen points."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import (
    Array,
    Data,
    Matrix,
    RandomState,
    Trace,
    Traits,
    Transformer,
    estimator,
    generator,
    learned,
    param,
    seed_of,
)
from ..core.declare.checked_functions import numbers
from ..metrics.pairwise import rbf_kernel


@estimator
class LandmarkFeatures(Transformer):
    """Landmark features: the similarity of a row to each landmark, between 0 (far) and 1 (equal).

    z_l = exp(-|x - landmark_l|^2 / (2 sigma^2))

    The landmarks are given, or are the distinct training rows, or `n_landmarks` drawn from them. A linear model of
    these features is nonlinear around the landmarks, as a support vector machine with a Gaussian kernel does.

    >>> LandmarkFeatures(landmarks=[[0.0], [2.0]]).fit_transform([[0.0], [1.0]]).round(3)
    array([[1.   , 0.135],
           [0.607, 0.607]])
    """

    title = "landmark features"
    traits = Traits(stochastic=True)

    landmarks: Array | None = param(
        None, "landmark points, a row each (None: the distinct training rows)", kw_only=False
    )
    sigma: float = param(1.0, "width of the Gaussian similarity", above=0)
    n_landmarks: int | None = param(
        None,
        "number of training rows that are drawn (None: all)",
        at_least=1,
        tune=(10, 30, 100, None),
        simpler="smaller",
    )
    random_state: RandomState = param(None, "seed of the sample")

    landmarks_: Array = learned("landmark points, a row each", shape="landmarks features")

    def _fit(self, data: Data, trace: Trace) -> None:
        if self.landmarks is not None:
            points = numbers("LandmarkFeatures", "landmarks", self.landmarks, None, data.p)
            self.landmarks_ = points.astype(data.X.dtype)
            return
        points = np.unique(data.X if data.weight is None else data.X[data.weight > 0], axis=0)
        if self.n_landmarks is not None and self.n_landmarks < len(points):
            rng = generator(seed_of(self.random_state))
            points = points[np.sort(rng.choice(len(points), self.n_landmarks, replace=False))]
        self.landmarks_ = points

    def _transform(self, X: Matrix) -> Any:
        near = self.landmarks_.astype(np.float64) / self.sigma
        with np.errstate(over="ignore"):
            return rbf_kernel(X.astype(np.float64) / self.sigma, near, gamma=0.5).astype(X.dtype, copy=False)

    def _names_out(self, names: list[str]) -> list[str]:
        return [f"landmark{k}" for k in range(len(self.landmarks_))]
