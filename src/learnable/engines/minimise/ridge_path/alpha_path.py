"""Ridge regression for many values of alpha: one factorisation for all of them, and leave-one-out errors."""

from __future__ import annotations

import numpy as np

from ....core.validate.features import Array, Matrix
from ... import matrix_products
from ...sufficient_statistics import Moments
from ..least_squares.normal_equations import NormalEquations
from ..least_squares.select_solver import can_be_copied, serves_every_alpha
from .gram_path import GramPath, predicted
from .leave_one_out import weighted_squares
from .svd_path import SvdPath

Factorised = GramPath | SvdPath


def factorise(X: Matrix, y: Array, weight: Array | None, centre: bool, alphas: Array) -> Factorised:
    """The problem factorised for these alphas: by the Gram matrix if that is accurate, else by an SVD."""
    weakest = float(alphas.min())
    try:
        spectrum = GramPath.of(X, y, weight, centre, weakest)
        if serves_every_alpha(spectrum.values, weakest) or not can_be_copied(X):
            return spectrum
    except matrix_products.OutOfRange:
        if not can_be_copied(X):
            raise
    return SvdPath.of(X, y, weight, centre)


def leave_one_out(problem: Factorised, alphas: Array) -> Array:
    """The error of each row when one copy of it is left out, of shape (samples, targets, alphas)."""
    errors, decisive = problem.leave_one_out(alphas)
    if decisive and can_be_copied(problem.X):
        return _from_data(problem).leave_one_out(alphas)[0]
    if decisive:
        errors[decisive] = _refitted(problem, np.array(decisive), alphas)
    return errors


def leave_one_out_squares(problem: Factorised, alphas: Array) -> Array:
    """The weighted sum of squares of these errors, of shape (alphas, targets)."""
    squares, decisive = problem.leave_one_out_squares(alphas)
    if decisive and can_be_copied(problem.X):
        return _from_data(problem).leave_one_out_squares(alphas)[0]
    if decisive:
        rows = np.array(decisive)
        squares = squares + weighted_squares(_refitted(problem, rows, alphas), problem.root[rows] ** 2)
    return squares


def _from_data(problem: Factorised) -> SvdPath:
    return SvdPath.of(problem.X, problem.y, problem.root**2, problem.middle.centred)


def _refitted(problem: Factorised, rows: Array, alphas: Array) -> Array:
    """The errors of a few rows, each by fits to what is left without one copy of it.

    The moments of all other rows are found once. Those of the few are added to them rather than taken from those of all
    rows, in which nothing else may be left beside them.
    """
    X, y, weight, centre = problem.X, problem.y, problem.root**2, problem.middle.centred
    few, targets, copies = X[rows], y[rows], weight[rows]
    weight[rows] = 0
    rest = Moments.of(X, y, weight, centre)
    errors = np.empty((len(rows), y.shape[1], len(alphas)))
    for k in range(len(rows)):
        left = np.where(np.arange(len(rows)) == k, np.maximum(copies - 1, 0), copies)
        seen = rest + Moments.of(few, targets, left, centre) if left.any() else rest
        coef = np.stack([NormalEquations(seen.gram, alpha).solve(seen.cross) for alpha in alphas.tolist()], axis=1)
        errors[k] = targets[k][:, None] - predicted(few[[k]], coef, seen.marginals())[:, 0].T
    return errors
