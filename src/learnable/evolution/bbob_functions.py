"""Functions of the BBOB test suite, with known optima."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..core import Array, ParameterError
from ..core.declare.checked_functions import checked, limits
from ..core.validate.sparse_input import ChecksSparse

SHIFTED_SEEDS = {4: 3, 18: 17}  # these share the instances of another function
MODULUS, SCALE = 2147483647, 2.147483647e9


def bbob_uniform(count: int, seed: int) -> Array:
    """Uniform numbers of the suite: the generator of Park and Miller with the shuffle of Bays and Durham."""
    state, table = max(abs(int(seed)), 1), [0] * 32
    for i in range(39, -1, -1):
        state = 16807 * state % MODULUS
        if i < 32:
            table[i] = state
    last, found = table[0], np.empty(count)
    for i in range(count):
        state = 16807 * state % MODULUS
        index = last // 67108865
        last, table[index] = table[index], state
        found[i] = last / SCALE or 1e-99
    return found


def bbob_normal(count: int, seed: int) -> Array:
    """Standard normal numbers of the suite, by the method of Box and Muller."""
    u = bbob_uniform(2 * count, seed)
    normal = np.sqrt(-2 * np.log(u[:count])) * np.cos(2 * np.pi * u[count:])
    return np.where(normal == 0, 1e-99, normal)


@dataclass(frozen=True)
class BBOBFunction(ChecksSparse):
    """A function of the suite: callable, with the optimum `x_opt` and its value `f_opt`."""

    number: int
    dimension: int
    instance: int

    @property
    def seed(self) -> int:
        """The seed of the instance."""
        return SHIFTED_SEEDS.get(self.number, self.number) + 10000 * self.instance

    @cached_property
    def f_opt(self) -> float:
        """The least value."""
        ratio = bbob_normal(1, self.seed)[0] / bbob_normal(1, self.seed + 1)[0]
        return float(np.clip(np.floor(100 * 100 * ratio + 0.5) / 100, -1000, 1000))

    @cached_property
    def x_opt(self) -> Array:
        """The point with the least value."""
        found = 8 * np.floor(1e4 * bbob_uniform(self.dimension, self.seed)) / 1e4 - 4
        found = np.where(found == 0, -1e-5, found)
        return 0.75 * found if self.number == 8 else found

    @cached_property
    def rotations(self) -> tuple[Array, Array]:
        """Two random rotations."""
        return _rotation(self.dimension, self.seed + 1_000_000), _rotation(self.dimension, self.seed)

    def __call__(self, x: Array) -> float:
        """The value at a point."""
        point = np.asarray(x, dtype=np.float64)
        if point.shape != (self.dimension,):
            raise ParameterError(f"BBOBFunction: a point has {self.dimension} variables; got the shape {point.shape}")
        return float(FORMULAS[self.number](self, point - self.x_opt)) + self.f_opt

    def steps(self, base: float) -> Array:
        """Powers of `base` from 0 to 1."""
        found: Array = base ** (np.arange(self.dimension) / max(self.dimension - 1, 1))
        return found


def _rotation(d: int, seed: int) -> Array:
    """Normal numbers made orthonormal, column by column."""
    B = bbob_normal(d * d, seed).reshape(d, d).T.copy()
    for i in range(d):
        for j in range(i):
            B[:, i] -= (B[:, i] @ B[:, j]) * B[:, j]
        B[:, i] /= np.linalg.norm(B[:, i])
    return B


def _oscillated(x: Array) -> Array:
    """Smooth local irregularities."""
    size = np.log(np.where(x == 0, 1.0, np.abs(x)))
    first, second = np.where(x > 0, 10.0, 5.5), np.where(x > 0, 7.9, 3.1)
    found: Array = np.sign(x) * np.exp(size + 0.049 * (np.sin(first * size) + np.sin(second * size)))
    return found


def _asymmetric(x: Array, beta: float) -> Array:
    """Different growth on both sides of the optimum."""
    position = np.arange(len(x)) / max(len(x) - 1, 1)
    above = np.where(x > 0, x, 1.0)
    found: Array = np.where(x > 0, above ** (1 + beta * position * np.sqrt(above)), x)
    return found


def _waves(z: Array) -> float:
    return float(10 * (len(z) - np.cos(2 * np.pi * z).sum()) + z @ z)


def _valley(f: BBOBFunction, x: Array) -> float:
    z = max(1.0, np.sqrt(f.dimension) / 8) * x + 1
    return float((100 * (z[:-1] ** 2 - z[1:]) ** 2 + (z[:-1] - 1) ** 2).sum())


def _discus(f: BBOBFunction, x: Array) -> float:
    z = _oscillated(f.rotations[0] @ x)
    return float(1e6 * z[0] ** 2 + (z[1:] ** 2).sum())


def _cigar(f: BBOBFunction, x: Array) -> float:
    R = f.rotations[0]
    z = R @ _asymmetric(R @ x, 0.5)
    return float(z[0] ** 2 + 1e6 * (z[1:] ** 2).sum())


def _ridge(f: BBOBFunction, x: Array) -> float:
    R, Q = f.rotations
    z = Q @ (f.steps(np.sqrt(10)) * (R @ x))
    return float(z[0] ** 2 + 100 * np.sqrt((z[1:] ** 2).sum()))


def _powers(f: BBOBFunction, x: Array) -> float:
    z = np.abs(f.rotations[0] @ x)
    return float(np.sqrt((z ** (2 + 4 * np.arange(f.dimension) / max(f.dimension - 1, 1))).sum()))


def _rotated_waves(f: BBOBFunction, x: Array) -> float:
    R, Q = f.rotations
    return _waves(R @ (f.steps(np.sqrt(10)) * (Q @ _asymmetric(_oscillated(R @ x), 0.2))))


FORMULAS: dict[int, Callable[[BBOBFunction, Array], float]] = {
    1: lambda f, x: float(x @ x),
    2: lambda f, x: float((f.steps(1e6) * _oscillated(x) ** 2).sum()),
    3: lambda f, x: _waves(f.steps(np.sqrt(10)) * _asymmetric(_oscillated(x), 0.2)),
    8: _valley,
    10: lambda f, x: float((f.steps(1e6) * _oscillated(f.rotations[0] @ x) ** 2).sum()),
    11: _discus,
    12: _cigar,
    13: _ridge,
    14: _powers,
    15: _rotated_waves,
}


@checked(number=limits(accepts=lambda value: value in FORMULAS, says="one of " + ", ".join(map(str, FORMULAS))),
         dimension=limits(at_least=2), instance=limits(at_least=1))  # fmt: skip
def bbob_function(number: int, dimension: int, instance: int = 1) -> BBOBFunction:
    """Function of the BBOB suite of black-box optimisation, whose optimum is known, for tests and comparisons.

    1 sphere, 2 ellipsoid, 3 Rastrigin, 8 Rosenbrock, and rotated: 10 ellipsoid, 11 discus, 12 bent cigar, 13 sharp
    ridge, 14 different powers, 15 Rastrigin. [Hansen, Finck, Ros and Auger, 2009]

    >>> sphere = bbob_function(1, dimension=3)
    >>> sphere.f_opt, sphere(sphere.x_opt)
    (79.48, 79.48)
    """
    return BBOBFunction(int(number), int(dimension), int(instance))
