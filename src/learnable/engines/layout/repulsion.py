"""The repulsion of all points by the heavy-tailed kernel of t-SNE: exact, by a tree, or on a grid by FFT."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from ...core.runtime.native import kernels
from ...core.validate.features import Array

MIN_BOXES = 50  # along each axis of the grid
NODES = 3  # of a box along an axis
GROWTH = 1.1  # between one width of the grid and the next: transforms of the kernel are reused in between
Repulsion = Callable[[Array, Array], float]
"""Writes the force on each point into the second argument; returns the sum of the kernel over all pairs."""


def exact_repulsion(dof: float) -> Repulsion:
    """All pairs, n^2."""
    return lambda Y, force: float(kernels.student_repulsion(Y, dof, 0.0, force))


def tree_repulsion(dof: float, angle: float) -> Repulsion:
    """Cells of a tree count as one point where they look smaller than `angle`: n log n. [Barnes and Hut, 1986]"""
    return lambda Y, force: float(kernels.student_repulsion(Y, dof, angle, force))


@dataclass
class GridRepulsion:
    """Points interpolated on a grid, where sums over all points are convolutions: n, and the cost of FFTs of the grid.

    [Linderman, Rachh, Hoskins, Steinerberger and Kluger, 2019]
    """

    dof: float
    boxes_per_unit: float = 1.0
    transforms: dict[int, tuple[Array, Array]] = field(default_factory=dict)

    def __call__(self, Y: Array, force: Array) -> float:
        low, high = Y.min(axis=0), Y.max(axis=0)
        size = math.ceil(math.log(max(float((high - low).max()), 1e-3), GROWTH) + 1e-9)
        span = GROWTH**size
        boxes = max(MIN_BOXES, math.ceil(span * self.boxes_per_unit))
        corner, width = (low + high - span) / 2, span / boxes
        charge = np.empty(3 * (NODES * boxes) ** 2)
        kernels.spread_charges(Y, corner[0], corner[1], width, boxes, charge)
        potential = self._potentials(charge.reshape(3, NODES * boxes, NODES * boxes), size, width / NODES)
        return float(kernels.gather_repulsion(Y, corner[0], corner[1], width, boxes, potential, force))

    def _potentials(self, charge: Array, size: int, spacing: float) -> Array:
        """The kernel summed over the points, and its weighted form over the points and their coordinates."""
        from scipy import fft

        nodes = charge.shape[1]
        length = fft.next_fast_len(2 * nodes, real=True)
        if size not in self.transforms:
            self.transforms = {size: self._kernel_transforms(length, spacing)}
        value, weighted = self.transforms[size]
        spectrum = fft.rfft2(charge, (length, length), workers=1)
        spectra = np.concatenate([(spectrum[0] * value)[None], spectrum * weighted])
        return np.ascontiguousarray(fft.irfft2(spectra, (length, length), workers=1, overwrite_x=True))

    def _kernel_transforms(self, length: int, spacing: float) -> tuple[Array, Array]:
        from scipy import fft

        steps = np.minimum(np.arange(length), length - np.arange(length)) * spacing
        inner = 1 + (steps[:, None] ** 2 + steps**2) / self.dof
        value = inner ** (-(self.dof + 1) / 2)
        return fft.rfft2(value, workers=1), fft.rfft2(value / inner, workers=1)
