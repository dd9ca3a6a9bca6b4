"""Multinomial probabilities by maximum likelihood, or maximum a posteriori, from totals of rows with missing counts.

    maximise over theta    sum_j c_j log theta_j  -  sum over patterns P of N_P log(sum over k observed in P of theta_k)

c are totals with pseudo-counts, N_P the observed total of rows with the pattern P. It is concave in log theta. Columns
that are never missing keep the proportions of their totals, so that all of them are one unknown.

Simpler rules are not consistent: for 400 rows of 20 columns, 30 % of the counts missing in unequal shares, the mean
error of a class's probabilities (sum of absolute differences, ten simulations) was 0.047 here and 0.21 with zeros or
with column means in place of missing counts; with 10 % missing it was 0.036, and 0.104 from the complete rows alone.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...core.validate.features import Array

TOLERANCE = 1e-9  # relative residual of the likelihood equations
MAX_STEPS = 100
MAX_STEP_LENGTH = 5.0  # change of log theta in a step
CELLS_AT_ONCE = 1 << 22


def maximum_likelihood_probabilities(counts: Array, patterns: Array, seen: Array) -> tuple[Array, float]:
    """Probabilities (classes, columns), and the largest relative residual of the likelihood equations.

    Without missing counts they are the normalised totals, with residual zero.
    """
    totals = counts.sum(axis=1, keepdims=True)
    probabilities = np.where(totals > 0, counts / np.where(totals > 0, totals, 1.0), 1 / counts.shape[1])
    if not len(patterns):
        return probabilities, 0.0
    columns, missing = _ever_missing(patterns, counts.shape[1])
    worst = 0.0
    for k in range(len(counts)):
        used = seen[k] > 0
        if used.any():
            probabilities[k], left = _of_class(counts[k], columns, missing[used], seen[k, used])
            worst = max(worst, left)
    return probabilities, worst


def _ever_missing(patterns: Array, columns: int) -> tuple[Array, Array]:
    """The columns that are missing in some pattern, and their mask (patterns, columns)."""
    some = np.unpackbits(np.bitwise_or.reduce(patterns, axis=0), count=columns).nonzero()[0]
    block = max(1, CELLS_AT_ONCE // columns)
    parts = [
        np.unpackbits(patterns[i : i + block], axis=1, count=columns)[:, some] for i in range(0, len(patterns), block)
    ]
    return some, np.concatenate(parts).astype(bool)


def _of_class(counts: Array, columns: Array, missing: Array, seen: Array) -> tuple[Array, float]:
    """Probabilities of all columns of one class, and the largest relative residual."""
    always = np.ones(len(counts), dtype=bool)
    always[columns] = False
    together = counts[always].sum()
    c = np.append(counts[columns], together)
    known = c > 0
    there = np.column_stack([~missing, np.ones(len(missing), dtype=bool)]).astype(np.float64)
    everywhere = max(float(c.sum() - seen.sum()), 0.0)  # observed in complete rows, or pseudo-counts
    pattern = np.vstack([there, np.ones(len(c))])[:, known]
    beta, left = _Likelihood(c[known], pattern, np.append(seen, everywhere)).maximum()
    theta = np.zeros(len(c))
    theta[known] = np.exp(beta - beta.max())
    probabilities = np.zeros(len(counts))
    probabilities[columns] = theta[:-1]
    probabilities[always] = theta[-1] * counts[always] / (together if together > 0 else 1.0)
    return probabilities / probabilities.sum(), left


@dataclass(frozen=True, slots=True)
class _Likelihood:
    """Totals of the unknowns, their observation mask by pattern (0 or 1), and the observed total of each pattern."""

    totals: Array
    there: Array
    seen: Array

    def maximum(self) -> tuple[Array, float]:
        """Logarithms of probabilities by Newton's method, up to a constant, and what they leave unexplained."""
        beta = np.log(self.totals / self.totals.sum())
        for _ in range(MAX_STEPS):
            theta, sums = self._sums(beta)
            expected = theta * (self.there.T @ (self.seen / sums))
            gradient = self.totals - expected
            left = float((np.abs(gradient) / self.totals).max())
            if left <= 1e-3 * TOLERANCE:
                break
            move = self._newton(theta, sums, expected, gradient)
            move *= min(1.0, MAX_STEP_LENGTH / max(float(np.abs(move).max()), 1e-300))
            beta, here = self._line_search(beta, move, float(gradient @ move)), beta
            if np.array_equal(beta, here):  # rounding
                break
        return beta, left

    def _sums(self, beta: Array) -> tuple[Array, Array]:
        """Probabilities up to a factor, and their observed sum in each pattern."""
        theta = np.exp(beta - beta.max())
        return theta, np.maximum(self.there @ theta, 1e-300)

    def _value(self, beta: Array) -> float:
        sums = self._sums(beta)[1]
        return float(self.totals @ (beta - beta.max()) - self.seen @ np.log(sums))

    def _line_search(self, beta: Array, move: Array, gradient: float) -> Array:
        """Backtracking line search: a step that raises the likelihood."""
        value, length = self._value(beta), 1.0
        rounding = 1e-14 * float(self.totals @ np.abs(beta) + 1)
        while length > 1e-10:
            if self._value(beta + length * move) >= value + 1e-4 * length * gradient - rounding:
                return np.asarray(beta + length * move)
            length /= 2
        return beta

    def _newton(self, theta: Array, sums: Array, expected: Array, gradient: Array) -> Array:
        """The inverse Hessian times the gradient, by conjugate gradients."""
        weight, scale = self.seen / sums**2, np.sqrt(np.maximum(expected, 1e-300))

        def hessian_product(v: Array) -> Array:
            u = v / scale
            product: Array = (expected * u - theta * (self.there.T @ (weight * (self.there @ (theta * u))))) / scale
            return product

        x = np.zeros(len(theta))
        rest = gradient / scale
        along, size = rest.copy(), float(rest @ rest)
        enough = 1e-16 * size
        for _ in range(2 * len(theta) + 10):
            product_along = hessian_product(along)
            height = float(along @ product_along)
            if size <= enough or height <= 1e-15 * float(along @ along):
                break
            x += size / height * along
            rest = rest - size / height * product_along
            size, before = float(rest @ rest), size
            along = rest + size / before * along
        return np.asarray(x / scale)
