"""Shares of columns by maximum likelihood, or maximum posterior, from totals of rows with gaps.

    maximise over theta    sum_j c_j log theta_j  -  sum over patterns P of N_P log(sum over k seen in P of theta_k)

c are totals with made-up counts, N_P what was seen in rows with the pattern P. In log theta it is concave. Columns that
are never missing keep the proportions of their totals, so that all of them are one unknown.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...core.validate.features import Array

ENOUGH = 1e-9  # largest share of a total by which what is expected of its column may differ from it
MOST_STEPS = 100
LONGEST = 5.0  # change of log theta in a step
CELLS_AT_ONCE = 1 << 22


def likeliest_shares(counts: Array, gaps: Array, seen: Array) -> tuple[Array, float]:
    """Shares (classes, columns), and the largest part of a total that is not explained by them.

    Without gaps they are the totals over their sum, and nothing is left unexplained.
    """
    totals = counts.sum(axis=1, keepdims=True)
    shares = np.where(totals > 0, counts / np.where(totals > 0, totals, 1.0), 1 / counts.shape[1])
    if not len(gaps):
        return shares, 0.0
    columns, missing = _ever_missing(gaps, counts.shape[1])
    worst = 0.0
    for k in range(len(counts)):
        used = seen[k] > 0
        if used.any():
            shares[k], left = _of_class(counts[k], columns, missing[used], seen[k, used])
            worst = max(worst, left)
    return shares, worst


def _ever_missing(gaps: Array, columns: int) -> tuple[Array, Array]:
    """The columns that are missing in some pattern, and whether they are (patterns, these columns)."""
    some = np.unpackbits(np.bitwise_or.reduce(gaps, axis=0), count=columns).nonzero()[0]
    block = max(1, CELLS_AT_ONCE // columns)
    parts = [np.unpackbits(gaps[i : i + block], axis=1, count=columns)[:, some] for i in range(0, len(gaps), block)]
    return some, np.concatenate(parts).astype(bool)


def _of_class(counts: Array, columns: Array, missing: Array, seen: Array) -> tuple[Array, float]:
    """Shares of all columns of one class, and the largest part of a total that they do not explain."""
    always = np.ones(len(counts), dtype=bool)
    always[columns] = False
    together = counts[always].sum()
    c = np.append(counts[columns], together)
    known = c > 0
    there = np.column_stack([~missing, np.ones(len(missing), dtype=bool)]).astype(np.float64)
    everywhere = max(float(c.sum() - seen.sum()), 0.0)  # seen where nothing is missing, or made up
    pattern = np.vstack([there, np.ones(len(c))])[:, known]
    beta, left = _Likelihood(c[known], pattern, np.append(seen, everywhere)).maximum()
    theta = np.zeros(len(c))
    theta[known] = np.exp(beta - beta.max())
    shares = np.zeros(len(counts))
    shares[columns] = theta[:-1]
    shares[always] = theta[-1] * counts[always] / (together if together > 0 else 1.0)
    return shares / shares.sum(), left


@dataclass(frozen=True, slots=True)
class _Likelihood:
    """Totals of the unknowns, whether each is seen in each pattern (0 or 1), and what was seen in each pattern."""

    totals: Array
    there: Array
    seen: Array

    def maximum(self) -> tuple[Array, float]:
        """Logarithms of shares by Newton's method, up to a constant, and what they leave unexplained."""
        beta = np.log(self.totals / self.totals.sum())
        for _ in range(MOST_STEPS):
            theta, sums = self._sums(beta)
            expected = theta * (self.there.T @ (self.seen / sums))
            slope = self.totals - expected
            left = float((np.abs(slope) / self.totals).max())
            if left <= 1e-3 * ENOUGH:
                break
            move = self._newton(theta, sums, expected, slope)
            move *= min(1.0, LONGEST / max(float(np.abs(move).max()), 1e-300))
            beta, here = self._uphill(beta, move, float(slope @ move)), beta
            if np.array_equal(beta, here):  # rounding
                break
        return beta, left

    def _sums(self, beta: Array) -> tuple[Array, Array]:
        """Shares up to a factor, and how much of them is seen in each pattern."""
        theta = np.exp(beta - beta.max())
        return theta, np.maximum(self.there @ theta, 1e-300)

    def _value(self, beta: Array) -> float:
        sums = self._sums(beta)[1]
        return float(self.totals @ (beta - beta.max()) - self.seen @ np.log(sums))

    def _uphill(self, beta: Array, move: Array, slope: float) -> Array:
        """The end of a step that raises the likelihood, shortened until it does."""
        value, length = self._value(beta), 1.0
        blur = 1e-14 * float(self.totals @ np.abs(beta) + 1)
        while length > 1e-10:
            if self._value(beta + length * move) >= value + 1e-4 * length * slope - blur:
                return np.asarray(beta + length * move)
            length /= 2
        return beta

    def _newton(self, theta: Array, sums: Array, expected: Array, slope: Array) -> Array:
        """The curvature's inverse times the slope, by conjugate gradients: products with patterns alone."""
        weight, scale = self.seen / sums**2, np.sqrt(np.maximum(expected, 1e-300))

        def curved(v: Array) -> Array:
            u = v / scale
            product: Array = (expected * u - theta * (self.there.T @ (weight * (self.there @ (theta * u))))) / scale
            return product

        x = np.zeros(len(theta))
        rest = slope / scale
        along, size = rest.copy(), float(rest @ rest)
        enough = 1e-16 * size
        for _ in range(2 * len(theta) + 10):
            bent = curved(along)
            height = float(along @ bent)
            if size <= enough or height <= 1e-15 * float(along @ along):
                break
            x += size / height * along
            rest = rest - size / height * bent
            size, before = float(rest @ rest), size
            along = rest + size / before * along
        return np.asarray(x / scale)
