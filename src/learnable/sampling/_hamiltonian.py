"""Hamiltonian Monte Carlo: warm-up of the step size and the mass matrix, blocks of draws by the compiled kernel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ..core import Array, DataError
from ..core.runtime.native import kernels
from ..engines.iterate import State

STATS = ("lp", "acceptance_rate", "step_size", "tree_depth", "n_steps", "diverging", "energy")
FIRST_WINDOW = 25
REGULARISING_DRAWS = 5.0


def warmup_windows(tune: int) -> list[int]:
    """The draws of the warm-up at which the mass matrix is estimated again, from those since the one before.

    The first estimate uses the first fast phase, then windows double, and a last phase is for the step size alone.

    >>> warmup_windows(1000), warmup_windows(100), warmup_windows(10)
    ([75, 100, 150, 250, 450, 950], [15, 40, 90], [])
    """
    if tune < 20:
        return []
    first, last = (75, tune - 50) if tune >= 150 else (int(0.15 * tune), tune - int(0.1 * tune))
    ends, width = [first], FIRST_WINDOW
    while ends[-1] < last:
        end = ends[-1] + width
        ends.append(last if end + 2 * width > last else end)
        width *= 2
    return ends


@dataclass
class Hamiltonian:
    """Transitions of NUTS, or of trajectories of a fixed length if that is above 0."""

    density: Any  # a compiled one, or a function that returns the log density and its gradient
    target_accept: float
    max_depth: int
    length: float
    metric: Literal["diagonal", "dense"]
    windows: list[int]
    most_steps: int = 1024
    reference: Any = None  # the function that a compiled density was recorded from

    def breaks(self, tune: int) -> list[int]:
        """The ends of the windows."""
        return self.windows

    def start(self, positions: Array, seeds: list[int]) -> State:
        """At the starts, with the unit metric."""
        chains, size = positions.shape
        found = [self._evaluate(position) for position in positions]
        return {
            "seeds": np.array(seeds, dtype=np.uint64), "position": positions.copy(),
            "log_density": np.array([value for value, _ in found]),
            "gradient": np.array([gradient for _, gradient in found]),
            "adaptation": np.zeros((chains, 5)),
            "inverse_mass": np.ones((chains, size)) if self.metric == "diagonal" else _identities(chains, size),
            "factor": None if self.metric == "diagonal" else _identities(chains, size),
            "window": [],
        }  # fmt: skip

    def _evaluate(self, position: Array) -> tuple[float, Array]:
        if isinstance(self.density, kernels.LogDensity):
            gradient = np.empty(len(position))
            return self.density.evaluate(np.ascontiguousarray(position), gradient), gradient
        value, gradient = self.density(position)
        return float(value), np.asarray(gradient, dtype=np.float64)

    def block(self, state: State, first: int, count: int, tuning: bool) -> tuple[State, Array, dict[str, Array]]:
        """One call of the kernel; at the end of a window the next mass matrix."""
        chains, size = state["position"].shape
        moved = {name: state[name].copy() for name in ("position", "log_density", "gradient", "adaptation")}
        draws, gradients = np.empty((2, chains * count, size))
        stats = np.empty((chains * count, len(STATS)))
        kernels.hamiltonian_chains(
            self.density, state["seeds"], first, moved["position"], moved["gradient"], moved["log_density"],
            moved["adaptation"], state["inverse_mass"], state["factor"], tuning, self.target_accept, self.max_depth,
            self.length, self.most_steps, draws, gradients, stats,
        )  # fmt: skip
        self._check_compiled(moved)
        shape = (chains, count, size)
        after = {**state, **moved}
        draws, gradients = draws.reshape(shape), gradients.reshape(shape)
        if tuning:
            after = self._adapted(after, draws, gradients, first + count)
        by_name = dict(zip(STATS, np.moveaxis(stats.reshape(chains, count, -1), 2, 0), strict=True))
        return after, draws, by_name

    def _check_compiled(self, state: State) -> None:
        """Refuse a recorded density that is not the function itself where the chains are."""
        if self.reference is None:
            return
        for position, recorded in zip(state["position"], state["log_density"], strict=True):
            value = self.reference(position)
            if not np.isclose(value, recorded, rtol=1e-6, atol=1e-6):
                raise DataError(
                    f"sample: the log density is {value:.6g} where its compiled form is {recorded:.6g}, as it chooses "
                    "operations by the values of its parameters; give gradient, a function"
                )

    def _adapted(self, state: State, draws: Array, gradients: Array, done: int) -> State:
        window = [*state["window"], (draws, gradients)]
        if done not in self.windows:
            return {**state, "window": window}
        seen, gradients_seen = (np.concatenate([part[k] for part in window], axis=1) for k in (0, 1))
        half = seen.shape[1] // 2 if done == self.windows[0] else 0
        adaptation = state["adaptation"].copy()
        adaptation[:, 0] = adaptation[:, 1]
        adaptation[:, 3] = 0  # begin again with the step size
        metric = self._metric(seen[:, half:], gradients_seen[:, half:], state)
        return {**state, **metric, "adaptation": adaptation, "window": []}

    def _metric(self, draws: Array, gradients: Array, state: State) -> dict[str, Any]:
        """The inverse mass matrix of each chain.

        The diagonal one minimises the Fisher divergence between the draws and a normal distribution: the variance of
        the draws over that of the gradients, square root. The dense one is their covariance, shrunk to its diagonal.
        """
        if self.metric == "diagonal":
            spread, steepness = draws.var(axis=1), gradients.var(axis=1)
            with np.errstate(divide="ignore", invalid="ignore"):
                found = np.sqrt(spread / steepness)
            sound = np.isfinite(found) & (found > 1e-300) & (found < 1e300)
            return {"inverse_mass": np.where(sound, found, state["inverse_mass"])}
        count, size = draws.shape[1:]
        metrics, factors = state["inverse_mass"].copy(), state["factor"].copy()
        for chain, seen in enumerate(draws):
            covariance = np.cov(seen, rowvar=False).reshape(size, size)
            weight = count / (count + REGULARISING_DRAWS)
            shrunk = weight * covariance + (1 - weight) * np.diag(covariance.diagonal() + 1e-12)
            try:
                factors[chain] = np.linalg.cholesky(shrunk).ravel()
            except np.linalg.LinAlgError:  # draws that have not moved in some direction: keep the metric
                continue
            metrics[chain] = shrunk.ravel()
        return {"inverse_mass": metrics, "factor": factors}


def _identities(chains: int, size: int) -> Array:
    return np.tile(np.eye(size).ravel(), (chains, 1))
