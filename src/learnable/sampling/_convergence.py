"""Convergence of chains: the worst R-hat and the smallest effective sample sizes, and the certificate from them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..core import Array, Certificate
from .diagnostics import MIN_DRAWS, effective_sample_size, r_hat

MAX_R_HAT = 1.01
MIN_SIZE = 400.0


class Convergence(NamedTuple):
    """R-hat, bulk and tail effective sample sizes of every entry, by name; NaN for constants."""

    names: list[str]
    r_hat: Array
    bulk: Array
    tail: Array

    @classmethod
    def of(cls, draws: Array, names: list[str]) -> Convergence:
        """Of draws (chain, draw, entry)."""
        if draws.shape[1] < MIN_DRAWS:
            nothing = np.zeros(draws.shape[2])
            return cls(names, np.full(draws.shape[2], np.inf), nothing, nothing)
        return cls(names, r_hat(draws), effective_sample_size(draws), effective_sample_size(draws, "tail"))

    @property
    def badness(self) -> Array:
        """For each entry how far it is beyond the limits: at most 1 if it keeps them. Constants keep them."""
        size = np.fmin(self.bulk, self.tail)
        with np.errstate(divide="ignore"):
            worst = np.maximum((self.r_hat - 1) / (MAX_R_HAT - 1), MIN_SIZE / size)
        return np.where(np.isnan(self.r_hat) & np.isfinite(size), 0.0, np.nan_to_num(worst, nan=np.inf))

    def certificate(self) -> Certificate:
        """R-hat at most 1.01 and effective sizes of at least 400 for every entry; it names the worst."""
        badness = self.badness
        k = int(badness.argmax())
        value = float(min(badness[k], 1e300))
        size = min(self.bulk[k], self.tail[k])
        claim = (
            f"{self.names[k]} is the quantity that has converged least, with an R-hat of {self.r_hat[k]:.4f} (at most "
            f"{MAX_R_HAT}) and an effective sample size of {size:.0f} (at least {MIN_SIZE:.0f})"
        )
        return Certificate("convergence of chains", value, 1.0, claim)
