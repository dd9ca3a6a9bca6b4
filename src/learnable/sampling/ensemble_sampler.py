"""Affine-invariant ensemble sampler with emcee's interface."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..core import Array, ConvergenceWarning, DataError, ParameterError, RandomState, Trace, seed_of
from ..core.errors import warn
from ..core.runtime import context
from ..engines.iterate import iterate
from ._ensemble import EnsembleSteps, checked_moves, walker_values
from .diagnostics import autocorrelation_time
from .draws import Draws


class EnsembleSampler:
    """Affine-invariant ensemble sampler: walkers that move along lines through other walkers.

    emcee's class: the density is `log_prob_fn(x, *args, **kwargs)`, or with `vectorize` of all rows of a matrix at
    once. Half of the walkers move in parallel, given the other half; no gradient and no scale is needed, and the draws
    of a linearly transformed density are the transformed draws. It suits up to some tens of parameters.
    A `log_prob_fn` in operations of `learnable.tape` is compiled.
    [Goodman and Weare, 2010; Foreman-Mackey et al., 2013]

    >>> sampler = EnsembleSampler(32, 2, lambda x: -0.5 * (x * x).sum(), random_state=0)
    >>> last = sampler.run_mcmc(np.random.default_rng(0).standard_normal((32, 2)), 1000)
    >>> sampler.get_chain().shape, sampler.get_chain(discard=100, flat=True).shape
    ((1000, 32, 2), (28800, 2))
    """

    def __init__(
        self,
        nwalkers: int,
        ndim: int,
        log_prob_fn: Callable[..., Any],
        pool: Any = None,
        moves: Any = None,
        args: Any = None,
        kwargs: Any = None,
        vectorize: bool = False,
        random_state: RandomState = None,
    ) -> None:
        if not callable(log_prob_fn):
            raise ParameterError(f"EnsembleSampler: log_prob_fn must be a function; got {log_prob_fn!r:.60}")
        if nwalkers < 2 * ndim or nwalkers % 2 or ndim < 1:
            raise ParameterError(
                f"EnsembleSampler: nwalkers must be even and at least 2 * ndim; got {nwalkers} for ndim={ndim}"
            )
        self.nwalkers, self.ndim, self.log_prob_fn = nwalkers, ndim, log_prob_fn
        self.pool, self.moves = pool, checked_moves(moves)
        self.args, self.kwargs, self.vectorize = list(args or []), dict(kwargs or {}), vectorize
        self.random_state = random_state
        self._seed = seed_of(random_state)
        self.reset()

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """What determines the draws."""
        names = ("nwalkers", "ndim", "log_prob_fn", "args", "kwargs", "vectorize")
        return {name: getattr(self, name) for name in names} | {"moves": [repr(move) for _, move in self.moves]}

    def reset(self) -> None:
        """Forget the chain; the random numbers go on."""
        self._blocks: list[tuple[Array, Array, Array]] = []
        self._last: dict[str, Any] | None = None
        self._run = getattr(self, "_run", -1)
        self.trace_: Trace | None = None

    def run_mcmc(
        self, initial_state: Any, nsteps: int, thin_by: int = 1, progress: bool = False,
        skip_initial_state_check: bool = False,
    ) -> EnsembleState:  # fmt: skip
        """`nsteps` steps of all walkers, of which every `thin_by`-th is kept; from None the chain is continued."""
        if nsteps < 1 or thin_by < 1:
            raise ParameterError(f"run_mcmc: nsteps and thin_by must be at least 1; got {nsteps} and {thin_by}")
        self._run += 1
        trace = Trace(self)
        values = walker_values(self.log_prob_fn, self.args, self.kwargs, self.vectorize, self.ndim, self.pool)
        coords, lp = self._start(initial_state, values, skip_initial_state_check)
        method = EnsembleSteps(values, [*self.moves], coords, lp, self._seed, self._run, nsteps * thin_by, thin_by)
        with context.Fitting(self, (coords, nsteps, thin_by), False), np.errstate(all="ignore"):
            state = iterate(method, nsteps * thin_by, trace)
        trace.owner, self.trace_ = None, trace
        self._blocks += zip(state["chain"], state["log_prob"], state["accepted"], strict=True)
        self._last = state
        return self.get_last_sample()

    def _start(self, initial: Any, values: Any, unchecked: bool) -> tuple[Array, Array]:
        if initial is None:
            if self._last is None:
                raise DataError("run_mcmc: initial_state is None, and there is no previous run to continue")
            return self._last["coords"], self._last["lp"]
        coords = np.array(getattr(initial, "coords", initial), dtype=np.float64)
        if coords.shape != (self.nwalkers, self.ndim):
            raise DataError(
                f"run_mcmc: initial_state must have the shape ({self.nwalkers}, {self.ndim}); got {coords.shape}"
            )
        if not np.isfinite(coords).all():
            raise DataError("run_mcmc: initial_state must be finite")
        if not unchecked and np.linalg.matrix_rank(coords - coords.mean(axis=0)) < self.ndim:
            raise DataError(
                "run_mcmc: the walkers of initial_state do not span the parameter space; add independent noise to each"
            )
        lp = values(coords)
        if not np.isfinite(lp).all():
            row = int(np.flatnonzero(~np.isfinite(lp))[0])
            raise DataError(f"run_mcmc: the log density of walker {row} of initial_state is {lp[row]}")
        return coords, lp

    def _kept(self, part: int, discard: int, thin: int, flat: bool) -> Array:
        if not self._blocks:
            raise DataError("EnsembleSampler: run_mcmc must be called before the chain is read")
        found = np.concatenate([block[part] for block in self._blocks])[discard + thin - 1 :: thin]
        return found.reshape(-1, *found.shape[2:]) if flat else found

    def get_chain(self, discard: int = 0, thin: int = 1, flat: bool = False) -> Array:
        """The positions (step, walker, parameter); flat, (step * walker, parameter)."""
        return self._kept(0, discard, thin, flat)

    def get_log_prob(self, discard: int = 0, thin: int = 1, flat: bool = False) -> Array:
        """The log densities (step, walker)."""
        return self._kept(1, discard, thin, flat)

    def get_last_sample(self) -> EnsembleState:
        """The last positions and log densities."""
        if self._last is None:
            raise DataError("EnsembleSampler: run_mcmc must be called first")
        return EnsembleState(self._last["coords"], self._last["lp"])

    def get_autocorr_time(
        self, discard: int = 0, thin: int = 1, c: float = 5.0, tol: float = 50.0, quiet: bool = False
    ) -> Array:
        """The integrated autocorrelation time of each parameter, in steps.

        An error if the chain is shorter than `tol` times; with `quiet`, a warning.
        """
        chain = self.get_chain(discard, thin)
        times = np.asarray(autocorrelation_time(np.swapaxes(chain, 0, 1), c))
        if tol * times.max() > len(chain):
            message = (
                f"get_autocorr_time: the chain of {len(chain)} steps is shorter than {tol:g} times the autocorrelation "
                f"time, {times.max():.1f}; the estimate is too low, run longer"
            )
            if not quiet:
                raise DataError(message)
            warn(message, ConvergenceWarning)
        return thin * times

    @property
    def acceptance_fraction(self) -> Array:
        """The fraction of accepted proposals of each walker."""
        accepted = np.array([block[2] for block in self._blocks])
        return np.asarray(accepted[:, 1:].sum(axis=0) / accepted[:, :1].sum())

    @property
    def iteration(self) -> int:
        """The number of steps kept."""
        return sum(len(block[0]) for block in self._blocks)

    @property
    def flatchain(self) -> Array:
        """The positions of all steps and walkers, (step * walker, parameter)."""
        return self.get_chain(flat=True)

    def to_draws(self, discard: int = 0, thin: int = 1, name: str = "x") -> Draws:
        """The chain as `Draws`, in which each walker is a chain."""
        chain, lp = self.get_chain(discard, thin), self.get_log_prob(discard, thin)
        return Draws({name: np.swapaxes(chain, 0, 1)}, {"lp": lp.T}, self.trace_)


class EnsembleState:
    """Positions and log densities of all walkers, which unpack as such."""

    def __init__(self, coords: Array, log_prob: Array) -> None:
        self.coords, self.log_prob = coords, log_prob

    def __iter__(self) -> Any:
        return iter((self.coords, self.log_prob))
