"""Inducing points: the variational lower bound of the marginal likelihood, in time proportional to the rows.

    log p(y) >= log N(y | 0, Q + S) - sum_i (k_ii - q_ii) / (2 s_i),    Q = K_nm K_mm^-1 K_mn

S holds the variances s_i of the noise. The bound is maximised over the hyperparameters; the points are rows chosen one
after the other by their variance given those before, again after each optimisation, as long as the bound rises.
[Titsias, 2009; Burt, Rasmussen and van der Wilk, 2020]
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from ..core import Array
from ..core.errors import DataError
from ..core.runtime import context
from ..core.runtime.threads import scipy_linalg
from ._exact import LOG_2_PI
from ._factor import cleared, factorise
from ._hyperparameter_search import Optimum
from ._training_pairs import Noise
from .kernels import Kernel
from .kernels._pairs import RowPairs

JITTER = 1e-8  # of the mean variance, added to the diagonal of the inducing points
MOST_CHOICES = 4  # of the points
GAIN = 1e-3  # of the bound, below which points are not chosen again


class InducingPosterior(NamedTuple):
    """Factors, dual coefficients of the points, and the bound."""

    L: Array
    L_posterior: Array
    dual: Array
    bound: float


class _Whitened(NamedTuple):
    """What the bound and its gradient are made of, for hyperparameters and points."""

    cross: RowPairs
    inner: RowPairs
    L: Array  # of K_mm
    A: Array  # L^-1 K_mn S^-1/2
    L_posterior: Array  # of I + A A'
    c: Array  # L_posterior^-1 A S^-1/2 y
    variance: Array  # of the noise of single rows
    s: Array  # the same over the weights
    prior: Array  # k_ii without noise
    bound: float


@dataclass
class InducingInference:
    """Rows, targets (n, targets), added variances and weights; and how many points there are to be."""

    X: Array
    y: Array
    alpha: Array
    weight: Array | None
    count: int
    points: Array = field(init=False)

    def __post_init__(self) -> None:
        self.noise = Noise(self.X)

    def optimise(self, kernel: Kernel, search: Callable[[], Optimum | None]) -> Optimum | None:
        """Choose points, optimise the hyperparameters of `kernel`, and do so again while the bound rises."""
        self.use_points(self.choose(kernel))
        best = search()
        for _ in range(MOST_CHOICES - 1):
            if best is None or best.stopped in ("budget", "interrupted"):
                return best
            before = self.points
            self.use_points(self.choose(kernel))
            again = search()
            if again is None or again.value <= best.value + GAIN:
                if again is not None and again.value > best.value:
                    return again
                self.use_points(before)
                kernel.theta = best.theta
                return best
            best = again
        return best

    def use_points(self, points: Array) -> None:
        """Take these inducing points."""
        self.points = points
        self._inner, self._cross = RowPairs(points, points), RowPairs(points, self.X)

    def choose(self, kernel: Kernel) -> Array:
        """Rows by their variance given the rows chosen before: a pivoted Cholesky factor."""
        left = self.noise.smooth_variance(kernel)
        chosen: list[int] = []
        factor = np.zeros((min(self.count, len(self.X)), len(self.X)))
        least = JITTER * float(left.max(initial=0.0))
        for k in range(len(factor)):
            context.give_way()
            row = int(np.argmax(left))
            if left[row] <= least and chosen:
                break
            covariance = RowPairs(self.X[row : row + 1], self.X).values_of(kernel)[0]
            factor[k] = (covariance - factor[:k, row] @ factor[:k]) / np.sqrt(left[row])
            left = np.maximum(left - factor[k] ** 2, 0.0)
            left[row] = -np.inf
            chosen.append(row)
        return self.X[chosen].copy()

    def posterior(self, kernel: Kernel) -> InducingPosterior:
        """The variational posterior of the function, given by its values at the inducing points."""
        here = self._whiten(kernel)
        dual = _back(here.L, _back(here.L_posterior, here.c))
        return InducingPosterior(cleared(here.L), cleared(here.L_posterior), dual, here.bound)

    def evaluate(self, kernel: Kernel, with_gradient: bool) -> tuple[float, Array]:
        """The bound and its gradient; minus infinity where there is none."""
        try:
            here = self._whiten(kernel)
        except np.linalg.LinAlgError:
            return -np.inf, np.zeros(kernel.n_dims)
        return here.bound, self._gradient(kernel, here) if with_gradient else np.array([])

    def _whiten(self, kernel: Kernel) -> _Whitened:
        context.give_way()
        inner, cross = self._inner.again(), self._cross.again()
        with np.errstate(all="ignore"):
            Kmm, Kmn = inner.values_of(kernel).copy(), cross.values_of(kernel)
        variance = self.noise.variance(kernel) + self.alpha
        if not (variance > 0).all():
            raise DataError(
                "GaussianProcessRegressor: n_inducing needs noise; add a WhiteKernel() to the kernel, or set alpha"
            )
        s = variance if self.weight is None else variance / self.weight
        Kmm.flat[:: len(Kmm) + 1] += JITTER * max(float(Kmm.diagonal().mean()), np.finfo(np.float64).tiny)
        L = factorise(Kmm)
        root = np.sqrt(s)
        A = _forward(L, Kmn / root)
        B = A @ A.T
        B.flat[:: len(B) + 1] += 1.0
        L_posterior = factorise(B)
        c = _forward(L_posterior, A @ (self.y / root[:, None]))
        prior = self.noise.smooth_variance(kernel)
        bound = self._bound(A, L_posterior, c, variance, s, prior)
        return _Whitened(cross, inner, L, A, L_posterior, c, variance, s, prior, bound)

    def _bound(self, A: Array, L_posterior: Array, c: Array, variance: Array, s: Array, prior: Array) -> float:
        n, targets = self.y.shape
        logs = n * LOG_2_PI / 2 + float(np.log(s).sum()) / 2 + float(np.log(L_posterior.diagonal()).sum())
        lost = float((prior / s).sum() - np.vdot(A, A)) / 2
        value = -targets * (logs + lost) - float((self.y**2 / s[:, None]).sum()) / 2 + float(np.vdot(c, c)) / 2
        if self.weight is not None:
            copies = (self.weight - 1) * (np.log(variance) + LOG_2_PI) + np.log(self.weight)
            value -= targets * float(copies.sum()) / 2
        return float(value)

    def _gradient(self, kernel: Kernel, here: _Whitened) -> Array:
        """The gradient by the hyperparameters: contracted with the derivatives by K_mm, K_mn, k_ii and the noise."""
        targets, s, root = self.y.shape[1], here.s, np.sqrt(here.s)
        V = _forward(here.L_posterior, here.A) / root  # V'V = S^-1 - (Q + S)^-1
        beta = self.y / s[:, None] - V.T @ here.c  # (Q + S)^-1 y
        U_beta = _back(here.L, here.A @ (root[:, None] * beta))
        inner = _back(here.L, _back_right(here.A @ here.A.T, here.L_posterior))  # U V', for U = K_mm^-1 K_mn
        by_cross = U_beta @ beta.T + targets * (inner @ V)
        by_points = -(U_beta @ U_beta.T + targets * _between(here, inner)) / 2
        by_prior = -targets / (2 * s)
        captured = np.einsum("ij,ij->j", here.A, here.A) * s  # q_ii
        by_noise = ((beta**2).sum(axis=1) - targets * (1 / s - np.einsum("ij,ij->j", V, V))) / 2
        by_noise += targets * (here.prior - captured) / (2 * s**2)
        if self.weight is not None:
            by_noise = by_noise / self.weight - targets * (self.weight - 1) / (2 * here.variance)
        jitter = JITTER * float(np.trace(by_points)) / len(here.L)
        by_points.flat[:: len(by_points) + 1] += jitter
        with np.errstate(all="ignore"):
            found = kernel._contract(here.cross, by_cross) + kernel._contract(here.inner, by_points)
        found = found + self.noise.contract_smooth(kernel, by_prior)
        return np.asarray(found + self.noise.contract(kernel, by_noise))


def _between(here: _Whitened, inner: Array) -> Array:
    """U (V'V) U', for U = K_mm^-1 K_mn."""
    return np.asarray(inner @ inner.T)


def _forward(L: Array, b: Array) -> Array:
    """L^-1 b."""
    return np.asarray(scipy_linalg().solve_triangular(L.T, b, trans=1, lower=False, check_finite=False))


def _back(L: Array, b: Array) -> Array:
    """L^-T b."""
    return np.asarray(scipy_linalg().solve_triangular(L.T, b, lower=False, check_finite=False))


def _back_right(b: Array, L: Array) -> Array:
    """b L^-T."""
    return _forward(L, b.T).T
