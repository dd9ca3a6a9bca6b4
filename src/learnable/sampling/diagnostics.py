"""Diagnostics of Markov chains: R-hat, effective sample size, Monte Carlo error, autocorrelation time and others."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from ..core import Array, DataError, ParameterError
from ..core.declare.checked_functions import Rows, checked, limits
from . import _autocovariance as chains_of

MIN_DRAWS = 4


def checked_chains(owner: str, x: Any) -> Array:
    """Draws of shape (chain, draw, ...) as (chain, draw, quantity); one axis is a single chain."""
    values = np.asarray(x, dtype=np.float64)
    values = values[None] if values.ndim == 1 else values
    if values.ndim < 2 or values.shape[1] < MIN_DRAWS or values.size == 0:
        raise DataError(
            f"{owner}: x must have the shape (chain, draw, ...) with at least {MIN_DRAWS} draws; got {np.shape(x)}"
        )
    return values.reshape(*values.shape[:2], -1)


def _of_each(owner: str, x: Any, function: Any) -> Any:
    """`function` of every quantity, NaN for those that are not finite everywhere."""
    values = checked_chains(owner, x)
    finite = np.isfinite(values).all(axis=(0, 1))
    found = np.full(values.shape[2], np.nan)
    if finite.any():
        found[finite] = function(values[:, :, finite])
    shape = np.shape(x)[2:]
    return found.reshape(shape) if shape else float(found[0])


def _rank_r_hat(values: Array) -> Array:
    split = chains_of.split_chains(values)
    bulk = chains_of.split_r_hat(chains_of.rank_normalised(split))
    return np.fmax(bulk, chains_of.split_r_hat(chains_of.rank_normalised(chains_of.folded(split))))


def _bulk_size(values: Array) -> Array:
    return chains_of.effective_size(chains_of.rank_normalised(chains_of.split_chains(values)))


def _below_quantile(values: Array, probability: float) -> Array:
    below = values <= np.quantile(values, probability, axis=(0, 1))
    return chains_of.effective_size(chains_of.split_chains(below.astype(np.float64)))


def _tail_size(values: Array) -> Array:
    return np.minimum(_below_quantile(values, 0.05), _below_quantile(values, 0.95))


def _mean_size(values: Array) -> Array:
    return chains_of.effective_size(chains_of.split_chains(values))


SIZES = {"bulk": _bulk_size, "tail": _tail_size, "mean": _mean_size}


@checked()
def r_hat(x: Rows) -> Any:
    """R-hat: rank-normalised split potential scale reduction of draws (chain, draw, ...), for location and scale.

    Chains that sample the same distribution have an R-hat near 1; above 1.01 they disagree. NaN for constants.
    [Vehtari, Gelman, Simpson, Carpenter and Buerkner, 2021]

    >>> draws = np.random.default_rng(0).standard_normal((4, 500))
    >>> bool(r_hat(draws) < 1.01), bool(r_hat(draws + np.arange(4)[:, None]) > 1.5)
    (True, True)
    """
    return _of_each("r_hat", x, _rank_r_hat)


@checked()
def effective_sample_size(x: Rows, method: Literal["bulk", "tail", "mean"] = "bulk") -> Any:
    """Effective sample size: as many independent draws would estimate the quantity as well.

    `bulk` is of rank-normalised draws, `tail` of the 5 % and 95 % quantiles (the smaller), `mean` of the mean. The
    autocorrelations are summed by Geyer's initial monotone sequence. [Vehtari et al., 2021]

    >>> draws = np.random.default_rng(0).standard_normal((4, 500))
    >>> 1500 < effective_sample_size(draws) < 2500
    True
    """
    return _of_each("effective_sample_size", x, SIZES[method])


def _error_of_mean(values: Array) -> Array:
    return np.asarray(values.std(axis=(0, 1), ddof=1) / np.sqrt(_mean_size(values)))


def _error_of_deviation(values: Array) -> Array:
    """The standard error of the standard deviation by the delta method, from the effective size of squares."""
    squares = (values - values.mean(axis=(0, 1))) ** 2
    size = chains_of.effective_size(chains_of.split_chains(squares))
    variance = squares.mean(axis=(0, 1))
    spread = (squares**2).mean(axis=(0, 1)) - variance**2
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.sqrt(spread / size / variance / 4))


@checked()
def monte_carlo_error(x: Rows, method: Literal["mean", "sd"] = "mean") -> Any:
    """Monte Carlo standard error of the posterior mean, or of the posterior standard deviation.

    >>> draws = np.random.default_rng(0).standard_normal((4, 2500))
    >>> 0.009 < monte_carlo_error(draws) < 0.011
    True
    """
    return _of_each("monte_carlo_error", x, _error_of_mean if method == "mean" else _error_of_deviation)


@checked(c=limits(above=0))
def autocorrelation_time(x: Rows, c: float = 5.0) -> Any:
    """Integrated autocorrelation time: the number of draws that are worth one independent draw.

    The autocorrelations, averaged over chains, are summed up to the first lag of at least `c` times the sum (Sokal's
    window). Estimates from fewer than 50 times as many draws are too low, as are those of
    alternating chains. [Goodman and Weare, 2010]

    >>> noise = np.random.default_rng(0).standard_normal((4, 20000))
    >>> for t in range(1, 20000):
    ...     noise[:, t] += 0.8 * noise[:, t - 1]
    >>> 8 < autocorrelation_time(noise) < 10  # (1 + 0.8) / (1 - 0.8)
    True
    """

    def summed(values: Array) -> Array:
        covariance = chains_of.autocovariances(values)
        with np.errstate(divide="ignore", invalid="ignore"):
            rho = (covariance / covariance[:, :1]).mean(axis=0)
        times = 2 * np.cumsum(rho, axis=0) - 1
        beyond = np.arange(len(times))[:, None] >= c * times
        window = np.where(beyond.any(axis=0), beyond.argmax(axis=0), len(times) - 1)
        return np.asarray(np.take_along_axis(times, window[None], axis=0)[0])

    return _of_each("autocorrelation_time", x, summed)


@checked(first=limits(above=0, below=1), last=limits(above=0, below=1))
def geweke(x: Rows, first: float = 0.1, last: float = 0.5) -> Array:
    """Geweke diagnostic: z scores that compare the mean of the first part of every chain with that of the last.

    A score beyond about 2 in size says that the chain was not yet stationary at its start. [Geweke, 1992]

    >>> draws = np.random.default_rng(0).standard_normal((4, 1000))
    >>> bool((np.abs(geweke(draws)) < 3.5).all())
    True
    """
    if first + last > 1:
        raise ParameterError(f"geweke: first + last must be at most 1; got {first} + {last}")
    values = checked_chains("geweke", x)
    count = values.shape[1]
    parts = values[:, : int(first * count)], values[:, count - int(last * count) :]
    if min(part.shape[1] for part in parts) < MIN_DRAWS:
        raise DataError(f"geweke: both parts need at least {MIN_DRAWS} draws; there are {count} in all")
    scores = np.array([
        (a.mean(axis=0) - b.mean(axis=0)) / np.sqrt(_square_error(a) + _square_error(b))
        for a, b in zip(*parts, strict=True)
    ])  # fmt: skip
    return scores.reshape(len(values), *np.shape(x)[2:])


def _square_error(chain: Array) -> Array:
    """The squared standard error of the mean of one chain."""
    return np.asarray(chain.var(axis=0, ddof=1) / chains_of.effective_size(chain[None]))


@checked()
def e_bfmi(energy: Rows) -> Array:
    """E-BFMI: the energy Bayesian fraction of missing information of each chain of Hamiltonian Monte Carlo.

    The sum of squared changes of the energy between draws over that of its deviations from the mean. Below 0.3 the
    momenta do not reach all energies of the distribution: a heavy tail or a narrow funnel is explored slowly.
    [Betancourt, 2016]

    >>> e_bfmi(np.random.default_rng(0).standard_normal((2, 4000))).round()
    array([2., 2.])
    """
    values = checked_chains("e_bfmi", energy)[:, :, 0]
    return np.asarray((np.diff(values, axis=1) ** 2).sum(axis=1) / (values.shape[1] * values.var(axis=1)))
