"""Updates of a dictionary, given the codes."""

from __future__ import annotations

import numpy as np

from ...core import Array
from ...core.runtime.context import give_way

TWINS = 0.99  # cosine of two atoms beyond which one is replaced
RARE = 2  # number of rows that use an atom up to which it is replaced
UNUSED = 1e-6  # sum of squared coefficients below which an atom is replaced


def update_atoms(
    D: Array, X: Array, codes: Array, A: Array, B: Array, positive: bool, draws: np.random.RandomState
) -> None:
    """One pass over the atoms, each to its best place in the unit ball for codes with A = Y'Y and B = X'Y, in place.

    An atom that no code uses becomes a random row with a little noise, and its coefficients zero.
    """
    for k in range(len(D)):
        give_way()
        if A[k, k] > UNUSED:
            D[k] += (B[:, k] - A[k] @ D) / A[k, k]
        else:
            row = X[draws.choice(len(X))]
            D[k] = row + draws.normal(0, 0.01 * (row.std() or 1), size=len(row))
            codes[:, k] = 0.0
        if positive:
            np.maximum(D[k], 0, out=D[k])
        D[k] /= max(float(np.linalg.norm(D[k])), 1.0)


def ksvd_atoms(D: Array, X: Array, codes: Array, exact: bool) -> int:
    """One pass of K-SVD over the atoms, in place: each with its coefficients is the best rank-one fit of what is left.

    Only rows that use the atom count, so that codes stay as sparse as they are. An atom that no row uses becomes the
    row that is reconstructed worst. Returns the number of those.
    """
    residual = X - codes @ D
    replaced = 0
    for k in range(len(D)):
        give_way()
        users = np.flatnonzero(codes[:, k])
        if not len(users):
            errors = np.einsum("ij,ij->i", residual, residual)
            worst = int(errors.argmax())
            length = float(np.linalg.norm(residual[worst]))
            if length > 0:
                D[k] = residual[worst] / length
                codes[worst, k] = length
                residual[worst] = 0.0
                replaced += 1
            continue
        part = residual[users] + np.outer(codes[users, k], D[k])
        if exact:
            u, s, v = np.linalg.svd(part, full_matrices=False)
            sign = 1.0 if v[0] @ D[k] >= 0 else -1.0
            D[k], codes[users, k] = sign * v[0], sign * s[0] * u[:, 0]
        else:
            atom = codes[users, k] @ part
            length = float(np.linalg.norm(atom))
            D[k] = atom / length if length > 0 else D[k]
            codes[users, k] = part @ D[k]
        residual[users] = part - np.outer(codes[users, k], D[k])
    return replaced


def replace_twins(D: Array, X: Array, codes: Array, residual: Array) -> int:
    """Replace atoms that nearly repeat another one, or that hardly any row uses, by rows that are badly reconstructed.

    In place; returns their number. Needs more rows than atoms, and rows with an error.
    """
    errors = np.einsum("ij,ij->i", residual, residual)
    worst = np.argsort(-errors, kind="stable")
    coherence = np.abs(np.triu(D @ D.T, 1))
    rare = np.count_nonzero(codes, axis=0) <= RARE
    chosen = np.flatnonzero((coherence.max(axis=0, initial=0.0) > TWINS) | rare)
    if len(X) <= 10 * len(D) or errors.sum() <= 1e-12 * float((X**2).sum()):
        return 0
    for k, row in zip(chosen, worst, strict=False):
        length = float(np.linalg.norm(X[row]))
        if length > 0:
            D[k] = X[row] / length
    return len(chosen)
