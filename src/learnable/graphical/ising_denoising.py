"""Denoising of binary images by the Ising model."""

from __future__ import annotations

from typing import Literal

import numpy as np

from ..core import Array, ParameterError, RandomState
from ..core.declare.checked_functions import Rows, checked, limits
from ..core.runtime.random import stream

SCALE = 1 << 20  # capacities of the cut are whole numbers


@checked(coupling=limits(at_least=0), noise=limits(above=0, below=0.5), n_sweeps=limits(at_least=1))
def denoise_image(
    image: Rows,
    *,
    coupling: float = 1.0,
    noise: float = 0.1,
    method: Literal["exact", "gibbs", "icm"] = "exact",
    n_sweeps: int = 100,
    random_state: RandomState = None,
) -> Array:
    """Denoise a binary image: the most probable pixels of an Ising model given what was observed.

    maximise over x    coupling sum over neighbours x_u x_v  +  log((1 - noise) / noise) / 2 sum x_v y_v

    Pixels are flipped with probability `noise`, and neighbours tend to agree. "exact" is the maximum, by a minimum cut
    [Greig, Porteous and Seheult, 1989]; "icm" improves one pixel after the other from the image [Besag, 1986]; "gibbs"
    samples and returns the most frequent value of each pixel [Geman and Geman, 1984]. The result has the two values of
    the image.

    >>> image = np.zeros((5, 5), dtype=int); image[2, 2] = 1
    >>> int(denoise_image(image).sum())
    0
    """
    pixels = np.asarray(image)
    values = np.unique(pixels)
    if pixels.ndim != 2 or pixels.dtype.kind not in "biuf" or len(values) > 2 or not np.isfinite(values).all():
        raise ParameterError("denoise_image: image must be a matrix with at most two different numbers")
    if len(values) < 2:
        return pixels.copy()
    spin = np.where(pixels == values[1], 1.0, -1.0)
    field = spin * 0.5 * np.log((1 - noise) / noise)
    if method == "exact":
        found = _minimum_cut(field, coupling)
    elif method == "icm":
        found = _iterated_modes(spin, field, coupling, n_sweeps)
    else:
        found = _gibbs(spin, field, coupling, n_sweeps, stream(random_state))
    return values[(found > 0).astype(np.int64)]


def _neighbour_sum(spin: Array) -> Array:
    """The sum of the four neighbours of each pixel."""
    total = np.zeros_like(spin)
    total[1:] += spin[:-1]
    total[:-1] += spin[1:]
    total[:, 1:] += spin[:, :-1]
    total[:, :-1] += spin[:, 1:]
    return total


def _colours(shape: tuple[int, ...]) -> tuple[Array, Array]:
    """The two colours of a chess board: pixels of a colour are independent given the others."""
    even = np.indices(shape).sum(axis=0) % 2 == 0
    return even, ~even


def _iterated_modes(spin: Array, field: Array, coupling: float, n_sweeps: int) -> Array:
    for _ in range(n_sweeps):
        before = spin.copy()
        for colour in _colours(spin.shape):
            force = coupling * _neighbour_sum(spin) + field
            spin = np.where(colour & (force != 0), np.sign(force), spin)
        if np.array_equal(before, spin):
            break
    return spin


def _gibbs(spin: Array, field: Array, coupling: float, n_sweeps: int, rng: np.random.RandomState) -> Array:
    total = np.zeros_like(spin)
    for sweep in range(n_sweeps + n_sweeps // 5 + 1):
        for colour in _colours(spin.shape):
            force = np.clip(coupling * _neighbour_sum(spin) + field, -300, 300)
            drawn = np.where(rng.random_sample(spin.shape) < 1 / (1 + np.exp(-2 * force)), 1.0, -1.0)
            spin = np.where(colour, drawn, spin)
        total += spin if sweep > n_sweeps // 5 else 0.0
    return total


def _minimum_cut(field: Array, coupling: float) -> Array:
    """The most probable pixels: those on the side of the source of a minimum cut."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import breadth_first_order, maximum_flow

    count = field.size
    pixel = np.arange(count).reshape(field.shape)
    unit = SCALE / max(4 * coupling, float(np.abs(field).max()), 1e-300)
    ends = [(pixel[:, :-1], pixel[:, 1:]), (pixel[:-1], pixel[1:])]
    rows = np.concatenate([part.ravel() for a, b in ends for part in (a, b)])
    columns = np.concatenate([part.ravel() for a, b in ends for part in (b, a)])
    strength = np.full(len(rows), round(2 * coupling * unit), dtype=np.int32)
    force = np.round(2 * field.ravel() * unit).astype(np.int32)
    up, down = np.flatnonzero(force > 0), np.flatnonzero(force < 0)
    rows = np.concatenate([rows, np.full(len(up), count), down])
    columns = np.concatenate([columns, up, np.full(len(down), count + 1)])
    capacity = csr_array(
        (np.concatenate([strength, force[up], -force[down]]), (rows, columns)), shape=(count + 2, count + 2)
    )
    left = capacity - maximum_flow(capacity, count, count + 1).flow
    left.data = np.maximum(left.data, 0)
    left.eliminate_zeros()
    reached = breadth_first_order(left, count, return_predecessors=False)
    found = np.full(count + 2, -1.0)
    found[reached] = 1.0
    return found[:count].reshape(field.shape)
