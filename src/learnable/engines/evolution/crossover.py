"""Crossover: two children from the genes of two parents, for all pairs of rows at once."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core import Array, DataError
from ...core.declare.checked_functions import Rows, checked, limits
from .row_draws import draws_of
from .selection import Seed

RULES = {
    "alpha": limits(at_least=0),
    "eta": limits(at_least=0),
    "probability": limits(at_least=0, at_most=1),
}
Pair = tuple[Array, Array]
MIN_DIFFERENCE = 1e-14


@checked(**RULES)
def one_point_crossover(first: Rows, second: Rows, random_state: Seed = None) -> Pair:
    """One-point crossover: the genes from a random point on are exchanged.

    [Holland, 1975]

    >>> one, two = one_point_crossover([[0, 0, 0, 0]], [[1, 1, 1, 1]], 0)
    >>> int((one + two == 1).sum()), bool(0 < one.sum() < 4)
    (4, True)
    """
    a, b = _parents("one_point_crossover", first, second)
    point = 1 + draws_of(random_state, len(a)).below(max(a.shape[1] - 1, 1), 1)
    return _exchanged(a, b, np.arange(a.shape[1]) >= point)


@checked(**RULES)
def two_point_crossover(first: Rows, second: Rows, random_state: Seed = None) -> Pair:
    """Two-point crossover: the genes between two random points are exchanged.

    [De Jong, 1975]

    >>> one, two = two_point_crossover([[0, 0, 0, 0]], [[1, 1, 1, 1]], 0)
    >>> int((one + two == 1).sum()), bool(0 < one.sum() < 4)
    (4, True)
    """
    a, b = _parents("two_point_crossover", first, second)
    return _exchanged(a, b, _section(a.shape[1], draws_of(random_state, len(a)).uniform(2)))


@checked(**RULES)
def uniform_crossover(first: Rows, second: Rows, random_state: Seed = None, *, probability: float = 0.5) -> Pair:
    """Uniform crossover: each gene is exchanged with the same probability.

    [Syswerda, 1989]

    >>> uniform_crossover([[0, 0]], [[1, 1]], 0, probability=1.0)[0]
    array([[1, 1]])
    """
    a, b = _parents("uniform_crossover", first, second)
    return _exchanged(a, b, draws_of(random_state, len(a)).uniform(a.shape[1]) < probability)


@checked(**RULES)
def blend_crossover(first: Rows, second: Rows, random_state: Seed = None, *, alpha: float = 0.5) -> Pair:
    """Blend crossover (BLX-alpha): each gene uniform on the interval of the parents, widened by alpha on both sides.

    child = (1 - g) a + g b,   g uniform on [-alpha, 1 + alpha]    [Eshelman and Schaffer, 1993]

    >>> one, two = blend_crossover([[0.0, 0.0]], [[1.0, 1.0]], 0, alpha=0.0)
    >>> bool((one >= 0).all() and (one <= 1).all()), bool(np.allclose(one + two, 1))
    (True, True)
    """
    a, b = _parents("blend_crossover", first, second, np.float64)
    gamma = (1 + 2 * alpha) * draws_of(random_state, len(a)).uniform(a.shape[1]) - alpha
    return (1 - gamma) * a + gamma * b, gamma * a + (1 - gamma) * b


@checked(**RULES)
def simulated_binary_crossover(
    first: Rows,
    second: Rows,
    random_state: Seed = None,
    *,
    eta: float = 15.0,
    probability: float = 0.5,
    low: Any = -np.inf,
    high: Any = np.inf,
) -> Pair:
    """Simulated binary crossover (SBX), within bounds if there are any: children near the parents for a large eta.

    child = ((1 + s) a + (1 - s) b) / 2,   density of the spread s proportional to s^eta (s <= 1), s^-(eta + 2) (s > 1)

    The mean of the children is that of the parents where there are no bounds. Each gene is crossed with
    `probability`. [Deb and Agrawal, 1995]

    >>> one, two = simulated_binary_crossover([[0.0]], [[1.0]], 0, probability=1.0)
    >>> bool(np.allclose(one + two, 1))
    True
    """
    a, b = _parents("simulated_binary_crossover", first, second, np.float64)
    least_of, most_of = bounds_of_genes("simulated_binary_crossover", low, high, a.shape[1])
    draws = draws_of(random_state, len(a))
    u, crossed, swapped = draws.uniform(a.shape[1]), draws.uniform(a.shape[1]), draws.uniform(a.shape[1])
    least, most = np.minimum(a, b), np.maximum(a, b)
    apart = most - least
    active = (crossed < probability) & (apart > MIN_DIFFERENCE)
    safe = np.where(active, apart, 1.0)
    with np.errstate(invalid="ignore", over="ignore"):
        below = 0.5 * ((least + most) - _spread(u, eta, 1 + 2 * (least - least_of) / safe) * apart)
        above = 0.5 * ((least + most) + _spread(u, eta, 1 + 2 * (most_of - most) / safe) * apart)
    below, above = np.clip(below, least_of, most_of), np.clip(above, least_of, most_of)
    turned = swapped < 0.5
    return np.where(active, np.where(turned, above, below), a), np.where(active, np.where(turned, below, above), b)


def _spread(u: Array, eta: float, beta: Any) -> Array:
    """The spread factor of a uniform number, of which at most `beta` stays within a bound."""
    alpha = 2 - np.asarray(beta, dtype=np.float64) ** -(eta + 1)
    inner = u <= 1 / alpha
    with np.errstate(divide="ignore", invalid="ignore"):
        spread: Array = np.where(inner, u * alpha, 1 / np.where(inner, 1.0, 2 - u * alpha)) ** (1 / (eta + 1))
    return spread


@checked(**RULES)
def order_crossover(first: Rows, second: Rows, random_state: Seed = None) -> Pair:
    """Order crossover (OX) of permutations: a section of one parent, the rest in the order of the other.

    [Davis, 1985]

    >>> one, two = order_crossover([[0, 1, 2, 3, 4]], [[4, 3, 2, 1, 0]], 0)
    >>> sorted(one[0].tolist()), sorted(two[0].tolist())
    ([0, 1, 2, 3, 4], [0, 1, 2, 3, 4])
    """
    a, b = _permutations("order_crossover", first, second)
    u = draws_of(random_state, len(a)).uniform(2)
    section, end = _section(a.shape[1], u), _ends(a.shape[1], u)[1]
    return _ordered(a, b, section, end), _ordered(b, a, section, end)


def _ordered(keep: Array, other: Array, section: Array, end: Array) -> Array:
    """`keep` in its section, elsewhere the genes of `other` that are left, both read from the end of the section."""
    n, d = keep.shape
    turn = (np.arange(d) + end) % d
    rows = np.arange(n)[:, None]
    kept = np.zeros((n, d), dtype=bool)
    np.put_along_axis(kept, keep, section, axis=1)
    genes = np.take_along_axis(other, turn, axis=1)
    taken = np.take_along_axis(kept, genes, axis=1)
    order = np.argsort(taken, axis=1, kind="stable")  # the genes that are left, in their order, come first
    left = np.take_along_axis(genes, order, axis=1)
    inside = np.take_along_axis(section, turn, axis=1)
    to = np.take_along_axis(turn, np.argsort(inside, axis=1, kind="stable"), axis=1)  # positions outside come first
    child = keep.copy()
    free = d - section.sum(axis=1, keepdims=True)
    open_positions = np.arange(d) < free
    values = np.where(open_positions, left, np.take_along_axis(keep, to, axis=1))
    child[rows, to] = values
    return child


@checked(**RULES)
def partially_mapped_crossover(first: Rows, second: Rows, random_state: Seed = None) -> Pair:
    """Partially mapped crossover (PMX) of permutations: sections are exchanged, and what they map elsewhere too.

    A gene outside the section that the section has now is replaced by what it was exchanged for, until it is new.
    [Goldberg and Lingle, 1985]

    >>> one, two = partially_mapped_crossover([[0, 1, 2, 3, 4]], [[4, 3, 2, 1, 0]], 0)
    >>> sorted(one[0].tolist()), sorted(two[0].tolist())
    ([0, 1, 2, 3, 4], [0, 1, 2, 3, 4])
    """
    a, b = _permutations("partially_mapped_crossover", first, second)
    section = _section(a.shape[1], draws_of(random_state, len(a)).uniform(2))
    return _mapped(a, b, section), _mapped(b, a, section)


def _mapped(keep: Array, other: Array, section: Array) -> Array:
    """`other` in the section, `keep` elsewhere, with genes of the section followed through the exchange."""
    n, d = keep.shape
    identity = np.tile(np.arange(d), (n, 1))
    image = identity.copy()  # gene of other inside the section -> gene of keep there
    rows, columns = np.nonzero(section)
    image[rows, other[rows, columns]] = keep[rows, columns]
    child = keep.copy()
    for _ in range(d):
        further = np.take_along_axis(image, child, axis=1)
        if np.array_equal(further, child):
            break
        child = further
    return np.where(section, other, child)


def bounds_of_genes(owner: str, low: Any, high: Any, n: int) -> Pair:
    """Bounds of every gene; they may be infinite."""
    try:
        least, most = (np.broadcast_to(np.asarray(bound, dtype=np.float64), (n,)) for bound in (low, high))
    except (TypeError, ValueError):
        least = most = np.full(n, np.nan)
    if not (least <= most).all():
        raise DataError(
            f"{owner}: low and high must be numbers with low <= high, or {n} of them; got {low!r:.40} and {high!r:.40}"
        )
    return least, most


def _parents(owner: str, first: Any, second: Any, kind: Any = None) -> Pair:
    """Both parents as matrices of one shape."""
    a, b = np.asarray(first), np.asarray(second)
    if a.ndim != 2 or a.shape != b.shape or a.size == 0 or a.dtype.kind not in "biuf" or b.dtype.kind not in "biuf":
        raise DataError(
            f"{owner}: first and second must be matrices of numbers of one shape, a row for each parent; got "
            f"{a.dtype} {a.shape} and {b.dtype} {b.shape}"
        )
    if not (np.isfinite(a).all() and np.isfinite(b).all()):
        raise DataError(f"{owner}: first and second must hold finite numbers; got NaN or infinity among them")
    return (a, b) if kind is None else (a.astype(kind), b.astype(kind))


def _permutations(owner: str, first: Any, second: Any) -> Pair:
    """Both parents, of which each row has the numbers from 0 on once."""
    a, b = _parents(owner, first, second)
    for name, rows in (("first", a), ("second", b)):
        broken = (np.sort(rows, axis=1) != np.arange(a.shape[1])).any(axis=1)
        if broken.any():
            raise DataError(
                f"{owner}: {name} must hold permutations of 0..{a.shape[1] - 1}; row {int(broken.argmax())} is not one"
            )
    return a.astype(np.int64), b.astype(np.int64)


def _ends(d: int, u: Array) -> tuple[Array, Array]:
    """The first gene of a section of 1 to d - 1 genes and the first one behind it."""
    length = 1 + np.minimum((u[:, :1] * (d - 1)).astype(np.int64), max(d - 2, 0))
    start = (u[:, 1:] * (d - length + 1)).astype(np.int64)
    return start, start + length


def _section(d: int, u: Array) -> Array:
    start, end = _ends(d, u)
    genes = np.arange(d)
    return (genes >= start) & (genes < end)


def _exchanged(a: Array, b: Array, mask: Array) -> Pair:
    return np.where(mask, b, a), np.where(mask, a, b)
