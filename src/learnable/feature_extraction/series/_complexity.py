"""Features of how hard a series is to foretell: entropy, and what straight lines do not see."""

from __future__ import annotations

from math import factorial

import numpy as np

from ...core import Array
from ._distribution_and_autocorrelation import Features
from ._dynamics import spectrum


def entropy(z: Array, mean: float, sd: float) -> Features:
    """Disorder of the order of neighbours, of repeated patterns and of the spectrum."""
    return {
        "permutation": permutation_entropy(z),
        "sample": sample_entropy(z),
        "spectral": spectral_entropy(z),
    }


def permutation_entropy(z: Array, order: int = 3) -> float:
    """Entropy of the ranks of `order` neighbours over its largest value, log(order!). [Bandt and Pompe, 2002]"""
    if len(z) < order:
        return 0.0
    windows = np.lib.stride_tricks.sliding_window_view(z, order)
    ranks = np.argsort(windows, axis=1, kind="stable") @ order ** np.arange(order)
    share = np.unique(ranks, return_counts=True)[1] / len(ranks)
    return float(-(share * np.log(share)).sum() / np.log(factorial(order))) + 0.0


def sample_entropy(z: Array, length: int = 2, tolerance: float = 0.2) -> float:
    """-log of the share of pairs alike over `length` steps (within tolerance sd) that stay alike for one more.

    Pairs are counted in a tree of the windows. Where none stays alike, the largest value that n allows.
    [Richman and Moorman, 2000]
    """
    from scipy.spatial import cKDTree

    windows = len(z) - length
    if windows < 2:
        return 0.0

    def pairs(size: int) -> int:
        tree = cKDTree(np.lib.stride_tricks.sliding_window_view(z, size)[:windows])
        return (int(tree.count_neighbors(tree, tolerance, p=np.inf)) - windows) // 2

    alike, longer = pairs(length), pairs(length + 1)
    return float(np.log(max(alike, 1) / max(longer, 1))) + 0.0


def spectral_entropy(z: Array) -> float:
    """Entropy of the shares of power over its largest value: 1 for noise, 0 for one wave."""
    power = spectrum(z)
    known = power[power > 0]
    return float(-(known * np.log(known)).sum() / np.log(len(power))) + 0.0 if len(known) > 1 else 0.0


def nonlinear(z: Array, mean: float, sd: float) -> Features:
    """What autocorrelation does not see: asymmetry in time, third moments over time, memory of the spread."""
    near, far = (z[2:], z[1:-1], z[:-2]), len(z) >= 3
    squares = z**2 - (z**2).mean()
    spread = float(squares @ squares)
    return {
        "time_asymmetry": float((near[0] ** 2 * near[1] - near[1] * near[2] ** 2).mean()) if far else 0.0,
        "third_moment": float((near[0] * near[1] * near[2]).mean()) if far else 0.0,
        "spread_memory": float(squares[1:] @ squares[:-1]) / spread if spread > 1e-12 else 0.0,
        "largest_step": float(np.abs(np.diff(z)).max()) if len(z) > 1 else 0.0,
    }
