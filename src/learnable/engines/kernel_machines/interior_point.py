"""Quadratic problems with bounds by an interior-point method, for where steps in pairs hardly make progress.

    minimise over b    b'Kb / 2 + q'b,    low <= b <= high,    the sum of b over each group stays what it was

Each iteration solves one linear system in all variables, and some twenty of them are enough however badly conditioned K
is. The solution is exact but for its last digits, which are left to SMO steps. [Mehrotra, 1992]
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ...core.numeric import EPSILON, TINY
from ...core.validate.features import Array
from ..minimise.spd_solve import PositiveSystem

MAX_ITERATIONS = 60
STEP_TO_BOUNDARY = 0.995  # how much of the way to its bound a variable may go at once
FEW_FREE = 256  # variables between their bounds for which a linear system is solved exactly
REFINEMENTS = 3  # of that solution
MAX_BOX_WIDTH = (
    1e9  # width of the box times kernel values, relative to gradients, beyond which rounding dominates the steps
)
RELATIVE_GAP = 1e-12  # the gap that is left, as a share of the objective


@dataclass(frozen=True, slots=True)
class Boxed:
    """The problem: a matrix for all variables, distinct bounds, gradient at zero, and the equality constraints."""

    K: Array
    low: Array
    high: Array
    q: Array
    groups: Array  # (groups, variables) of ones and zeros
    sums: Array

    @property
    def width(self) -> float:
        """The largest distance of two bounds."""
        return float((self.high - self.low).max())

    def objective(self, b: Array) -> float:
        """The objective; infinite where it is not finite."""
        value = float(b @ (self.K @ b)) / 2 + float(self.q @ b)
        return value if np.isfinite(value) else np.inf


@dataclass(frozen=True, slots=True)
class _Point:
    """Variables, slacks to both bounds, their multipliers, and the multiplier of each equality constraint."""

    b: Array
    under: Array
    over: Array
    down: Array
    up: Array
    level: Array

    @property
    def complementarity(self) -> float:
        """The complementarity measure: the mean product of slack and multiplier, zero at the optimum."""
        return float(self.under @ self.down + self.over @ self.up) / (2 * len(self.b))

    def moved(self, move: _Point, far: float) -> _Point:
        """The point as far along a move."""
        names = ("b", "under", "over", "down", "up", "level")
        return _Point(*(getattr(self, name) + far * getattr(move, name) for name in names))

    def reach(self, move: _Point) -> float:
        """The longest step, at most one, that keeps every slack and multiplier positive."""
        pairs = ((self.under, move.under), (self.over, move.over), (self.down, move.down), (self.up, move.up))
        most = max(float(np.max(-change / room)) for room, change in pairs)
        return 1.0 if most <= STEP_TO_BOUNDARY else STEP_TO_BOUNDARY / most


def solve_boxed(problem: Boxed) -> Array:
    """Variables within their bounds that are nearly the best, with the sums that they should have but for rounding."""
    with np.errstate(all="ignore"):  # numbers that become too large end it
        far = problem.width * float(np.abs(problem.K).max()) / max(float(np.abs(problem.q).max()), TINY)
        if far <= MAX_BOX_WIDTH:
            return _from_inside(problem)
        found = _widened(problem, MAX_BOX_WIDTH / far)
        return found if _is_settled(problem, found) else min(found, _from_inside(problem), key=problem.objective)


def _from_inside(problem: Boxed) -> Array:
    """The solution from a point inside all bounds, as long as steps improve it."""
    point = _inside(problem)
    for _ in range(MAX_ITERATIONS):
        after = _improved(problem, point)
        if after is None:
            break
        point = after
        size = np.abs(problem.q * point.b) + np.abs(point.b * (problem.K @ point.b))
        if 2 * point.complementarity <= RELATIVE_GAP * float(size.mean()):
            break
    return _polished(problem, _settled(problem, point))


def _widened(problem: Boxed, share: float) -> Array:
    """The solution for tighter bounds: variables at bounds moved with them, the others refitted.

    Rows keep their positions from some width on where the kernel has few dimensions.
    """
    near = replace(problem, low=problem.low * share, high=problem.high * share, sums=problem.sums * share)
    b = _from_inside(near)
    return _polished(problem, np.where(b <= near.low, problem.low, np.where(b >= near.high, problem.high, b / share)))


def _is_settled(problem: Boxed, b: Array) -> bool:
    """Whether the KKT conditions hold up to rounding."""
    steep = -(problem.K @ b + problem.q)
    for members in problem.groups > 0:
        rising, falling = steep[members & (b < problem.high)], steep[members & (b > problem.low)]
        worst = rising.max(initial=-np.inf) - falling.min(initial=np.inf)
        if worst > 16 * EPSILON * float(np.linalg.norm(b)) * float(np.abs(problem.K).max()):
            return False
    return bool((b >= problem.low).all() and (b <= problem.high).all())


def _inside(problem: Boxed) -> _Point:
    """The middle of the box, with multipliers as large as the gradients there."""
    half = (problem.high - problem.low) / 2
    b = problem.low + half
    cost = np.full(len(b), max(float(np.abs(problem.K @ b + problem.q).max()), 1e-300))
    return _Point(b, half, half.copy(), cost, cost.copy(), np.zeros(len(problem.groups)))


def _improved(problem: Boxed, here: _Point) -> _Point | None:
    """A predictor, which says how much of the products a corrector can take away; and the corrector, if it is one."""
    barrier = here.down / here.under + here.up / here.over
    if not (np.isfinite(barrier).all() and here.complementarity > 0):
        return None
    try:
        system = PositiveSystem(problem.K + np.diag(barrier))
    except np.linalg.LinAlgError:  # K need not be positive semidefinite, if the kernel is not
        return None
    guess = _direction(problem, system, here, -here.under * here.down, -here.over * here.up)
    share = (here.moved(guess, here.reach(guess)).complementarity / here.complementarity) ** 3
    goal = share * here.complementarity
    below = goal - here.under * here.down - guess.under * guess.down
    above = goal - here.over * here.up - guess.over * guess.up
    after = here.moved(move := _direction(problem, system, here, below, above), here.reach(move))
    return after if np.isfinite(after.complementarity) else None


def _direction(problem: Boxed, system: PositiveSystem, here: _Point, below: Array, above: Array) -> _Point:
    """The Newton step for the complementarity targets `below` and `above`."""
    gradient = problem.K @ here.b + problem.q - here.level @ problem.groups - here.down + here.up
    requested = system.solve(below / here.under - above / here.over - gradient)
    predictions = system.solve(problem.groups.T)
    missing = problem.sums - problem.groups @ (here.b + requested)
    level = np.linalg.solve(problem.groups @ predictions, missing)
    b = requested + predictions @ level
    down, up = (below - here.down * b) / here.under, (above + here.up * b) / here.over
    return _Point(b, b, -b, down, up, level)


def _settled(problem: Boxed, point: _Point) -> Array:
    """Variables onto the bounds that they are bound for, the sums being kept by the others."""
    width, dearest = problem.high - problem.low, max(point.down.max(), point.up.max())
    b = np.where(point.under * dearest < point.down * width, problem.low, point.b)
    b = np.where(point.over * dearest < point.up * width, problem.high, b)
    for members, requested in zip(problem.groups > 0, problem.sums, strict=True):
        missing = requested - b[members].sum()
        room = np.where(members, problem.high - b if missing > 0 else b - problem.low, 0.0)
        free = np.where((b > problem.low) & (b < problem.high), room, 0.0)
        share = free if free.sum() >= abs(missing) else room
        if share.any():
            b = np.clip(b + missing * share / share.sum(), problem.low, problem.high)
    return b


def _polished(problem: Boxed, b: Array) -> Array:
    """The same with all digits, where few variables are between their bounds: equal gradients make a linear system."""
    free = (b > problem.low) & (b < problem.high)
    if not 0 < np.count_nonzero(free) <= FEW_FREE:
        return b
    sums, found, level = problem.groups[:, free], b.copy(), np.zeros(len(problem.groups))
    none = np.zeros((len(sums), len(sums)))
    system = np.block([[problem.K[np.ix_(free, free)], -sums.T], [-sums, none]])
    if not np.isfinite(system).all():
        return b
    for _ in range(REFINEMENTS):
        gradient = (problem.K @ found + problem.q)[free] - level @ sums
        missing = problem.sums - problem.groups @ found
        move = np.linalg.lstsq(system, -np.concatenate([gradient, missing]), rcond=None)[0]
        found[free] += move[: len(gradient)]
        level += move[len(gradient) :]
    return found if ((found >= problem.low) & (found <= problem.high)).all() else b


def without_fixed(problem: Boxed, b: Array) -> Array:
    """The same, where bounds may coincide: such variables keep their values in `b`."""
    loose = problem.high > problem.low
    if loose.all():
        return solve_boxed(problem)
    found = np.where(loose, 0.0, b)
    K, q = problem.K[np.ix_(loose, loose)], (problem.q + problem.K @ found)[loose]
    groups, sums = problem.groups[:, loose], problem.sums - problem.groups @ found
    there = groups.any(axis=1)
    found[loose] = solve_boxed(Boxed(K, problem.low[loose], problem.high[loose], q, groups[there], sums[there]))
    return found
