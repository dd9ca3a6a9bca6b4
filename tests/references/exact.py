"""Least squares in rational arithmetic: slow, and without any rounding."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

Row = list[Fraction]
Rows = list[Row]


def dot(a: Iterable[Fraction], b: Iterable[Fraction]) -> Fraction:
    """The exact inner product."""
    return sum((x * y for x, y in zip(a, b, strict=True)), Fraction(0))


def solve(A: Rows, B: Rows) -> Rows:
    """The exact solution of A Z = B by elimination; A is square and not singular."""
    M = [left + right for left, right in zip(A, B, strict=True)]
    n = len(M)
    for i in range(n):
        pivot = next(r for r in range(i, n) if M[r][i])
        M[i], M[pivot] = M[pivot], M[i]
        M[i] = [value / M[i][i] for value in M[i]]
        for r in range(n):
            if r != i and M[r][i]:
                M[r] = [a - M[r][i] * b for a, b in zip(M[r], M[i], strict=True)]
    return [row[n:] for row in M]


def least_squares(X: Rows, y: Row) -> tuple[Row, Rows, Fraction]:
    """The coefficients, the inverse of X'X and the residual sum of squares."""
    p = len(X[0])
    columns = list(zip(*X, strict=True))
    gram = [[dot(a, b) for b in columns] for a in columns]
    moment = [dot(a, y) for a in columns]
    identity = [[Fraction(int(i == j)) for j in range(p)] for i in range(p)]
    solution = solve(gram, [[m, *unit] for m, unit in zip(moment, identity, strict=True)])
    w = [row[0] for row in solution]
    residual = [t - dot(row, w) for row, t in zip(X, y, strict=True)]
    return w, [row[1:] for row in solution], dot(residual, residual)
