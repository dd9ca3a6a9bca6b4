"""Laplace's approximation for two classes: a Gaussian about the mode of the posterior of the latent function.

    psi(f) = sum_i w_i log sigmoid(t_i f_i) - f' K^-1 f / 2,    t_i = 1 or -1

The mode is found by Newton's method, with steps halved where psi does not rise. With W = w pi (1 - pi) and
B = I + W^1/2 K W^1/2 the log marginal likelihood is psi at the mode less log|B| / 2. Its gradient is one sum over
derivatives of K, since diag of the posterior covariance is (1 - [B^-1]_ii) / W_i. [Rasmussen and Williams, 2006,
chapters 3 and 5]
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from ..core import Array
from ..core.runtime import context
from ._factor import cleared, factorise, inverse_of, symmetric_solve
from ._training_pairs import TrainingPairs
from .kernels import Kernel

CONVERGED = 1e-10  # rise of the log marginal likelihood of the last step
MOST_HALVINGS = 30


class Mode(NamedTuple):
    """The mode of the posterior: latent values f = K a, probabilities, roots of W, factor of B, and the likelihood."""

    f: Array
    a: Array
    pi: Array
    root: Array
    L: Array
    value: float


@dataclass
class LaplaceInference:
    """Rows, classes 0 and 1, weights (None: 1), the limit of Newton steps, and whether they start at the last mode."""

    X: Any
    y: Array
    weight: Array | None
    kernel: Kernel
    max_iter: int
    warm: bool
    last: Array | None = field(default=None)

    def __post_init__(self) -> None:
        self.pairs = TrainingPairs(self.X, self.kernel)
        self.w = np.ones(len(self.y)) if self.weight is None else self.weight

    def matrix(self, kernel: Kernel) -> Array:
        """The covariances of the latent values."""
        return mirrored(self.pairs.matrix(kernel))

    def evaluate(self, kernel: Kernel, with_gradient: bool) -> tuple[float, Array]:
        """The approximate log marginal likelihood and its gradient."""
        K = self.matrix(kernel)
        if not np.isfinite(K).all():
            return -np.inf, np.zeros(kernel.n_dims)
        try:
            mode = self.mode(K)
        except np.linalg.LinAlgError:
            return -np.inf, np.zeros(kernel.n_dims)
        return mode.value, self._gradient(kernel, K, mode) if with_gradient else np.array([])

    def mode(self, K: Array) -> Mode:
        """The mode of the posterior for a covariance matrix."""
        f, a = np.zeros(len(K)), np.zeros(len(K))
        if self.warm and self.last is not None and len(self.last) == len(K):
            f = self.last
            a = self.w * (self.y - sigmoid(f))  # what it is at a mode
        before, psi = -np.inf, -np.inf
        for _ in range(self.max_iter):
            context.give_way()
            pi = sigmoid(f)
            W = self.w * pi * (1 - pi)
            root = np.sqrt(W)
            L = self._factor(K, root)
            b = W * f + self.w * (self.y - pi)
            target = b - root * symmetric_solve(L, root * (K @ b))
            f, a, psi = self._line_search(K, f, a, target, psi)
            value = psi - float(np.log(L.diagonal()).sum())
            if value - before < CONVERGED:
                break
            before = value
        self.last = f
        return Mode(f, a, pi, root, L, value)

    def _line_search(self, K: Array, f: Array, a: Array, target: Array, psi: float) -> tuple[Array, Array, float]:
        """The Newton step from a to `target`, or a part of it along which psi rises."""
        ahead = K @ target
        for halving in range(MOST_HALVINGS):
            step = 0.5**halving
            new_a, new_f = a + step * (target - a), f + step * (ahead - f)
            rise = self._psi(new_f, new_a)
            if not rise < psi - 1e-12 * abs(psi):
                return new_f, new_a, rise
        return f, a, psi

    def _psi(self, f: Array, a: Array) -> float:
        sign = 2 * self.y - 1
        return float(-(self.w * np.logaddexp(0.0, -sign * f)).sum() - a @ f / 2)

    def _factor(self, K: Array, root: Array) -> Array:
        B = root[:, None] * K * root
        B.flat[:: len(B) + 1] += 1.0
        return factorise(B)

    def _gradient(self, kernel: Kernel, K: Array, mode: Mode) -> Array:
        """The gradient by the hyperparameters, also through the mode, which moves with them."""
        inverse = inverse_of(mode.L)  # of B
        s = -(1 - inverse.diagonal()) * (1 - 2 * mode.pi) / 2  # derivative of -log|B| / 2 by the latent values
        R = mode.root[:, None] * inverse * mode.root  # W^1/2 B^-1 W^1/2, below the diagonal
        residual = self.w * (self.y - mode.pi)
        u = s - _symmetric_product(R, K @ s)
        left = np.column_stack([mode.a, 2 * u])
        right = np.column_stack([mode.a, residual])
        return self.pairs.gradient(kernel, R, left, right, 1.0)


def mirrored(K: Array) -> Array:
    """The symmetric matrix with this lower triangle; changed in place."""
    n, height = len(K), 256
    for top in range(0, n, height):
        bottom = min(top + height, n)
        corner = np.tril(K[top:bottom, top:bottom])
        K[top:bottom, top:bottom] = corner + np.tril(corner, -1).T
        K[:top, top:bottom] = K[top:bottom, :top].T
    return K


def _symmetric_product(lower: Array, x: Array) -> Array:
    """S x for the symmetric matrix S with this lower triangle."""
    low = np.tril(lower)
    return np.asarray(low @ x + low.T @ x - low.diagonal() * x)


def sigmoid(f: Array) -> Array:
    """1 / (1 + exp(-f))."""
    from scipy.special import expit

    return np.asarray(expit(f))


def factor_of_mode(mode: Mode) -> Array:
    """The factor of B with zeros above its diagonal."""
    return cleared(mode.L)


# sigmoid(x) is about a constant and a sum of coef_k erf(scale_k x), whose mean under a normal density is known; the
# coefficients are those of least squares, given the scales. [Williams and Barber, 1998, appendix D]
SCALES = np.array([0.41, 0.4, 0.37, 0.44, 0.39])
COEFFICIENTS = np.array([-1854.8214151, 3516.89893646, 221.29346712, 128.12323805, -2010.49422654])


def mean_sigmoid(mean: Array, variance: Array) -> Array:
    """The mean of sigmoid(f) for normal f."""
    from scipy.special import erf

    found = np.full(len(mean), COEFFICIENTS.sum() / 2)
    for scale, coefficient in zip(SCALES, COEFFICIENTS, strict=True):
        found += coefficient / 2 * erf(scale * mean / np.sqrt(1 + 2 * scale**2 * variance))
    return np.asarray(np.clip(found, 0.0, 1.0))
