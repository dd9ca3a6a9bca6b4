"""Chains of many quantities at once: split, ranked, and their autocovariances; arrays are (chain, draw, quantity)."""

from __future__ import annotations

import numpy as np

from ..core import Array


def split_chains(x: Array) -> Array:
    """The first and the second halves of all chains, as chains; of an odd number of draws the middle one is dropped."""
    half = x.shape[1] // 2
    return np.concatenate([x[:, :half], x[:, x.shape[1] - half :]])


def rank_normalised(x: Array) -> Array:
    """Normal scores of the ranks over all chains, ties averaged (Blom's fractions)."""
    from scipy.special import ndtri

    ranks = np.empty(x.shape)
    for k in range(x.shape[2]):
        ordered = np.sort(x[:, :, k], axis=None)
        sides = [np.searchsorted(ordered, x[:, :, k], side) for side in ("left", "right")]
        ranks[:, :, k] = (sides[0] + sides[1] + 1) / 2
    return np.asarray(ndtri((ranks - 0.375) / (x.shape[0] * x.shape[1] + 0.25)))


def folded(x: Array) -> Array:
    """Distances from the median over all chains."""
    return np.asarray(np.abs(x - np.median(x, axis=(0, 1))))


def autocovariances(x: Array) -> Array:
    """The autocovariance of every chain at each lag, by the fast Fourier transform; divided by the number of draws."""
    from scipy.fft import irfft, next_fast_len, rfft

    draws = x.shape[1]
    length = next_fast_len(2 * draws, real=True)
    spectrum = rfft(x - x.mean(axis=1, keepdims=True), length, axis=1)
    return np.asarray(irfft(np.abs(spectrum) ** 2, length, axis=1)[:, :draws] / draws)


def split_r_hat(x: Array) -> Array:
    """Square root of the variance between and within chains over that within; NaN for constants."""
    draws = x.shape[1]
    within = x.var(axis=1, ddof=1).mean(axis=0)
    between = x.mean(axis=1).var(axis=0, ddof=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.sqrt((draws - 1) / draws + between / within))


def effective_size(x: Array) -> Array:
    """The effective number of draws of each quantity, by Geyer's initial monotone sequence over all chains."""
    chains, draws = x.shape[:2]
    total = chains * draws
    covariance = autocovariances(x).mean(axis=0)
    within = covariance[0] * draws / (draws - 1)
    spread = within * (draws - 1) / draws
    if chains > 1:
        spread = spread + x.mean(axis=1).var(axis=0, ddof=1)
    constant = np.ptp(x, axis=(0, 1)) < np.finfo(np.float64).resolution
    rho = 1 - (within - covariance) / np.where(constant, 1.0, spread)
    rho[0] = 1
    pairs = max(1, (draws - 1) // 2)
    even, odd = rho[0 : 2 * pairs : 2], rho[1 : 2 * pairs : 2]
    sums = even + odd
    ends = sums <= 0
    ends[0] = False
    last = np.where(ends.any(axis=0), ends.argmax(axis=0), pairs - 1)
    falling = np.minimum.accumulate(sums, axis=0)
    inside = np.arange(pairs)[:, None] < last
    tail = np.maximum(np.take_along_axis(even, last[None], axis=0)[0], 0)
    time = -1 + 2 * np.where(inside, falling, 0).sum(axis=0) + tail
    time = np.maximum(time, 1 / np.log10(total))
    return np.where(constant, float(total), total / time)
