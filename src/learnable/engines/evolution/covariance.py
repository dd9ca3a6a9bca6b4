"""CMA-ES: parameters, sampling, and the update of mean, step size and covariance matrix."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from ...core import Array
from ..iterate import State
from .row_draws import RowDraws

CONDITION = 1e14  # of the covariance matrix, at which a run ends


@dataclass(frozen=True, eq=False)
class CMAParameters:
    """The strategy parameters for `n` variables and `size` points a generation."""

    n: int
    size: int
    weights: Array
    mu: int
    effective: float
    c1: float
    cmu: float
    cs: float
    damping: float
    cc: float
    length: float

    @property
    def lazy(self) -> int:
        """Generations between decompositions of the covariance matrix."""
        return max(1, int(1 / (10 * self.n * (self.c1 + self.cmu))))

    @property
    def depth(self) -> int:
        """Generations whose best values are compared."""
        return 10 + int(np.ceil(30 * self.n / self.size))


@cache
def strategy_parameters(n: int, size: int) -> CMAParameters:
    """The parameters of Hansen's tutorial, with negative weights.

    >>> round(strategy_parameters(10, 10).effective, 2)
    3.17
    """
    raw = np.log((size + 1) / 2) - np.log(np.arange(1, size + 1))
    mu = size // 2
    good, bad = raw[:mu], raw[mu:]
    effective = float(good.sum() ** 2 / (good**2).sum())
    other = float(bad.sum() ** 2 / (bad**2).sum()) if (bad**2).sum() > 0 else 0.0
    c1 = 2 / ((n + 1.3) ** 2 + effective)
    cmu = min(1 - c1, 2 * (0.25 + effective + 1 / effective - 2) / ((n + 2) ** 2 + effective))
    limit = min(1 + c1 / cmu, 1 + 2 * other / (effective + 2), (1 - c1 - cmu) / (n * cmu))
    above, below = raw[raw > 0].sum(), -raw[raw < 0].sum()
    weights = np.where(raw >= 0, raw / above, limit * raw / (below or 1.0))
    cs = (effective + 2) / (n + effective + 5)
    damping = 1 + 2 * max(0.0, float(np.sqrt((effective - 1) / (n + 1))) - 1) + cs
    cc = (4 + effective / n) / (n + 4 + 2 * effective / n)
    length = float(np.sqrt(n)) * (1 - 1 / (4 * n) + 1 / (21 * n**2))
    return CMAParameters(n, size, weights, mu, effective, c1, cmu, cs, damping, cc, length)


def initial_search(mean: Array, sigma: float, size: int) -> State:
    """A search distribution around `mean` with standard deviation `sigma`."""
    n = len(mean)
    return {
        "mean": mean.copy(), "sigma": float(sigma), "size": size, "C": np.eye(n), "B": np.eye(n), "D": np.ones(n),
        "pc": np.zeros(n), "ps": np.zeros(n), "generation": 0, "history": [], "first_sigma": float(sigma),
        "last_range": np.inf, "decomposed": 0,
    }  # fmt: skip


def sampled(state: State, draws: RowDraws) -> Array:
    """Points drawn from the search distribution, a row each."""
    steps = draws.normal(len(state["mean"])) * state["D"]
    points: Array = state["mean"] + state["sigma"] * (steps @ state["B"].T)
    return points


def updated(state: State, points: Array, values: Array, known: CMAParameters) -> State:
    """The search distribution after a generation of points and their values."""
    order = np.argsort(values, kind="stable")
    y = (points[order] - state["mean"]) / state["sigma"]
    mean_step = known.weights[: known.mu] @ y[: known.mu]
    white = state["B"] / state["D"]
    ps = (1 - known.cs) * state["ps"] + np.sqrt(known.cs * (2 - known.cs) * known.effective) * (
        state["B"] @ (white.T @ mean_step)
    )
    length, generation = float(np.linalg.norm(ps)), state["generation"] + 1
    settled = np.sqrt(1 - (1 - known.cs) ** (2 * generation))
    moving = length / settled < (1.4 + 2 / (known.n + 1)) * known.length
    pc = (1 - known.cc) * state["pc"] + moving * np.sqrt(known.cc * (2 - known.cc) * known.effective) * mean_step
    C = _covariance(state["C"], y, white, pc, bool(moving), known)
    best = float(values[order[0]])
    found = {
        **state, "mean": state["mean"] + state["sigma"] * mean_step, "ps": ps, "pc": pc, "C": C,
        "sigma": state["sigma"] * float(np.exp(min(1.0, known.cs / known.damping * (length / known.length - 1)))),
        "generation": generation, "history": [*state["history"], best][-known.depth :],
        "last_range": float(values[order[-1]] - best) if values[order[-1]] > best else 0.0,
    }  # fmt: skip
    return _decomposed(found) if generation - state["decomposed"] >= known.lazy else found


def _covariance(C: Array, y: Array, white: Array, pc: Array, moving: bool, known: CMAParameters) -> Array:
    """The covariance matrix after the rank-one and the rank-mu update; bad points count against their directions."""
    lengths = ((y @ white) ** 2).sum(axis=1)
    weights = np.where(known.weights >= 0, known.weights, known.weights * known.n / np.maximum(lengths, 1e-300))
    lost = 0.0 if moving else known.cc * (2 - known.cc)
    kept = 1 + known.c1 * lost - known.c1 - known.cmu * known.weights.sum()
    matrix: Array = kept * C + known.c1 * np.outer(pc, pc) + known.cmu * (y.T * weights) @ y
    return matrix


def _decomposed(state: State) -> State:
    """With the axes of the covariance matrix."""
    C = (state["C"] + state["C"].T) / 2
    squares, B = np.linalg.eigh(C)
    return {
        **state, "C": C, "B": B, "D": np.sqrt(np.maximum(squares, 1e-300)), "decomposed": state["generation"],
    }  # fmt: skip


def reasons_to_end(state: State, known: CMAParameters, tolfun: float, tolx: float) -> dict[str, float]:
    """Why a run would end, by the names of pycma."""
    found: dict[str, float] = {}
    history, D, sigma = state["history"], state["D"], state["sigma"]
    if not np.isfinite(sigma) or D.max() / max(D.min(), 1e-300) > np.sqrt(CONDITION):
        return {"conditioncov": CONDITION}
    full = len(history) == known.depth
    if full and max(history) - min(history) < tolfun and state["last_range"] < tolfun:
        found["tolfun"] = tolfun
    if full and max(history) == min(history):
        found["tolflatfitness"] = float(len(history))
    spread = sigma * max(float(np.abs(state["pc"]).max()), float(np.sqrt(np.diag(state["C"])).max()))
    if state["generation"] and spread < tolx * state["first_sigma"]:
        found["tolx"] = tolx
    axis = state["generation"] % known.n
    if state["generation"] and (state["mean"] == state["mean"] + 0.1 * sigma * D[axis] * state["B"][:, axis]).all():
        found["noeffectaxis"] = float(axis)
    if sigma * float(D.max()) > 1e20 * state["first_sigma"]:
        found["tolfacupx"] = 1e20
    return found
