"""Rotation of factor loadings: varimax and quartimax."""

from __future__ import annotations

from typing import Literal

import numpy as np

from ..core import Array

Rotation = Literal["varimax", "quartimax"]


def rotate(loadings: Array, kind: Rotation, tolerance: float = 1e-6, limit: int = 100) -> Array:
    """Loadings, a row per factor, rotated to maximal variance of their squares. [Kaiser, 1958]

    >>> rotate(np.array([[3.0, 1.0], [1.0, -2.0]]), "varimax").round(3)
    array([[ 3.159,  0.21 ],
           [-0.151, -2.226]])
    """
    columns = loadings.T
    rotation, before = np.eye(columns.shape[1]), 0.0
    for _ in range(limit):
        here = columns @ rotation
        even = here * (here**2).mean(axis=0) if kind == "varimax" else 0.0
        left, sizes, right = np.linalg.svd(columns.T @ (here**3 - even))
        rotation = left @ right
        if before != 0 and sizes.sum() < before * (1 + tolerance):
            break
        before = float(sizes.sum())
    return np.asarray((columns @ rotation).T)
