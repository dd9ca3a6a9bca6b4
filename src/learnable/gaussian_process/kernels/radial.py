"""Kernels of the distance with a length scale for all columns, or one for each."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from numbers import Real

import numpy as np

from ...core import Array
from ...core.declare import registry
from ...core.errors import ParameterError
from ._pairs import LARGEST, RowPairs
from .covariance_function import NormalizedKernelMixin, PairKernel, StationaryKernelMixin
from .hyperparameter import Bounds, Hyperparameter

LARGEST_ORDER = 100  # of the Bessel function, which leaves the range of float64 above


@registry.named("gaussian_process.kernels.RBF")
@dataclass(eq=False, repr=False)
class RBF(StationaryKernelMixin, NormalizedKernelMixin, PairKernel):
    """Radial basis function (RBF, squared exponential) kernel, exp(-d^2 / 2), d = |x - z| / length_scale.

    Functions have derivatives of all orders. With a length scale for each column, the columns that matter have short
    ones (automatic relevance determination).

    >>> RBF(2.0)([[0.0]], [[2.0]]).round(4)
    array([[0.6065]])
    """

    length_scale: float | Array = 1.0
    length_scale_bounds: Bounds = (1e-5, 1e5)

    @property
    def anisotropic(self) -> bool:
        """Whether each column has a length scale of its own."""
        return np.size(self.length_scale) > 1

    @property
    def hyperparameter_length_scale(self) -> Hyperparameter:
        """The length scale, or one for each column."""
        return Hyperparameter("length_scale", "numeric", self.length_scale_bounds, max(np.size(self.length_scale), 1))

    def _squares(self, pairs: RowPairs) -> Array:
        """The squared distances in units of the length scale."""
        return pairs.once(("squares", id(self)), lambda: self._scaled(pairs))

    def _scaled(self, pairs: RowPairs) -> Array:
        scale = np.squeeze(np.asarray(self.length_scale, dtype=np.float64))
        if scale.ndim > 1:
            raise ParameterError("length_scale cannot be of dimension greater than 1")
        if scale.ndim == 0:
            found = pairs.squared_distances * (1 / scale**2)
            return np.minimum(found, LARGEST, out=found)
        if len(scale) != pairs.X.shape[1]:
            raise ParameterError(
                f"Anisotropic kernel must have the same number of dimensions as data ({len(scale)}!={pairs.X.shape[1]})"
            )
        return pairs.scaled_squared_distances(scale)

    def _values(self, pairs: RowPairs) -> Array:
        return self._profile(self._squares(pairs))

    def _profile(self, squares: Array) -> Array:
        """The kernel as a function of the squared distance."""
        found = -0.5 * squares
        return np.exp(found, out=found)

    def _rate(self, pairs: RowPairs) -> Array:
        """h in dk / d log l_c = h (x_c - z_c)^2 / l_c^2; twice the negative derivative by the squared distance."""
        return pairs.values_of(self)

    def _gradients(self, pairs: RowPairs) -> Iterator[Array]:
        if self.hyperparameter_length_scale.fixed:
            return
        rate = self._rate(pairs)
        if not self.anisotropic:
            yield rate * self._squares(pairs)
            return
        for column, scale in enumerate(np.ravel(self.length_scale)):
            yield rate * (pairs.differences(column) / scale) ** 2

    def _contract(self, pairs: RowPairs, weights: Array) -> Array:
        if self.hyperparameter_length_scale.fixed or not self.anisotropic:
            return super()._contract(pairs, weights)
        sums = pairs.sums_of_squared_differences(pairs.without_same(weights * self._rate(pairs)))
        return np.asarray(sums / np.ravel(self.length_scale) ** 2)

    def _shown(self) -> str:
        several = ", ".join(f"{scale:.3g}" for scale in np.ravel(self.length_scale))
        return f"length_scale=[{several}]" if self.anisotropic else f"length_scale={several}"

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._shown()})"


@registry.named("gaussian_process.kernels.Matern")
@dataclass(eq=False, repr=False)
class Matern(RBF):
    """Matérn kernel: functions with as many derivatives as there are whole numbers below nu.

    k = 2^(1 - nu) / Gamma(nu)  t^nu K_nu(t),    t = sqrt(2 nu) |x - z| / length_scale

    nu = 0.5 is the exponential kernel exp(-d), 1.5 and 2.5 are (1 + t) exp(-t) and (1 + t + t^2 / 3) exp(-t), and
    infinity is the RBF kernel; for others the modified Bessel function K_nu takes about ten times as long.

    >>> Matern(1.0, nu=1.5)([[0.0]], [[1.0]]).round(4)
    array([[0.4834]])
    """

    nu: float = 1.5

    def _profile(self, squares: Array) -> Array:
        if self.nu == np.inf:
            return super()._profile(squares)
        t = np.sqrt(2 * self.nu * squares)
        decay = np.exp(-t)
        if self.nu == 0.5:
            return decay
        if self.nu == 1.5:
            return (1 + t) * decay
        if self.nu == 2.5:
            return (1 + t + t**2 / 3) * decay
        return self._bessel(t, self.nu, 2 ** (1 - self.nu) / math.gamma(self.nu), 1.0)

    def _rate(self, pairs: RowPairs) -> Array:
        if self.nu == np.inf:
            return super()._rate(pairs)
        t = np.sqrt(2 * self.nu * self._squares(pairs))
        if self.nu == 0.5:
            return np.divide(pairs.values_of(self), t, out=np.zeros_like(t), where=t > 0)
        if self.nu == 1.5:
            return 3 * np.exp(-t)
        if self.nu == 2.5:
            return 5 / 3 * (1 + t) * np.exp(-t)
        factor = 2 ** (2 - self.nu) * self.nu / math.gamma(self.nu)
        at_zero = self.nu / (self.nu - 1) if self.nu > 1 else 0.0  # beside a distance of zero, it does not matter
        return self._bessel(t, self.nu - 1, factor, at_zero)

    @staticmethod
    def _bessel(t: Array, order: float, factor: float, at_zero: float) -> Array:
        """factor t^order K_order(t)."""
        from scipy.special import kve

        with np.errstate(invalid="ignore", divide="ignore", over="ignore", under="ignore"):
            found = factor * t**order * kve(order, t) * np.exp(-t)
        falls = 1 - t**2 / (4 * (order - 1)) if order > 2 else 1.0  # near zero, where K of a high order overflows
        return np.where(np.isfinite(found), found, np.where(t > 1, 0.0, at_zero * falls))

    def flaw(self) -> str:
        """What is wrong with the hyperparameters; empty if nothing is."""
        allowed = isinstance(self.nu, Real) and (0 < self.nu <= LARGEST_ORDER or self.nu == np.inf)
        wrong = f"nu must be above 0 and at most {LARGEST_ORDER}, or infinite, which is RBF; got {self.nu!r:.40}"
        return super().flaw() or ("" if allowed else wrong)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._shown()}, nu={self.nu:.3g})"
