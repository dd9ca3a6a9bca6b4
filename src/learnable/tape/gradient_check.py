"""Gradient checking: backpropagation against finite differences, entry by entry."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core.errors import DataError
from ..core.validate.features import Array
from .gradient import map_arrays, value_and_gradient

RELATIVE_FLOOR = 1e-4  # of the largest entry: errors of smaller ones are relative to this
SHOWN = 20  # rows of the table that are printed, those with the largest errors


@dataclass(frozen=True)
class GradientCheck:
    """Result of `check_gradient`: backpropagation beside finite differences, a row for every entry of an argument.

    `backpropagation` is checked by `central_difference`, (L(w + e) - L(w - e)) / (2 e); `relative_error` is their
    difference relative to the larger entry. `weight_difference` is (w_old - w_new) / rate after a step of gradient
    descent, the gradient up to the rounding of the weights, and not part of the verdict.
    """

    names: list[str]
    backpropagation: Array
    central_difference: Array
    weight_difference: Array
    relative_error: Array
    tolerance: float

    @property
    def largest_error(self) -> float:
        """The largest relative error."""
        return float(self.relative_error.max(initial=0.0))

    @property
    def holds(self) -> bool:
        """Whether every relative error is below the tolerance."""
        return self.largest_error <= self.tolerance

    def __str__(self) -> str:
        width = max(map(len, [*self.names, "entry"]))
        head = f"{'entry':{width}}  backpropagation  central difference  weight difference  relative error"
        shown = np.sort(np.argsort(-self.relative_error, kind="stable")[:SHOWN])
        lines = [
            f"{self.names[k]:{width}}  {self.backpropagation[k]:15.8g}  {self.central_difference[k]:18.8g}  "
            f"{self.weight_difference[k]:17.8g}  {self.relative_error[k]:14.2e}"
            for k in shown
        ]
        more = [f"... and {len(self.names) - SHOWN} entries with smaller errors"] if len(self.names) > SHOWN else []
        verdict = "the gradient is right" if self.holds else "the gradient is WRONG"
        last = f"largest relative error {self.largest_error:.2e} (tolerance {self.tolerance:.0e}): {verdict}"
        return "\n".join([head, *lines, *more, last])


def check_gradient(
    function: Callable[..., Any], *arguments: Any, argument: int = 0, tolerance: float = 1e-6, rate: float = 0.1,
    gradient: Any = None,
) -> GradientCheck:  # fmt: skip
    """Compare the gradient of `function` with respect to one of its arguments with central differences, as a table.

    `gradient` are other values to check, such as those of a formula of one's own; by default they are those of
    backpropagation. The step of a difference is the cube root of the precision, relative to the entry.

    >>> print(check_gradient(lambda w: (w * w).sum(), np.array([1.0, -2.0])))
    entry  backpropagation  central difference  weight difference  relative error
    [0]                  2                   2                  2        9.17e-12
    [1]                 -4                  -4                 -4        9.17e-12
    largest relative error 9.17e-12 (tolerance 1e-06): the gradient is right
    """
    if not 0 <= argument < len(arguments):
        raise DataError(f"check_gradient: argument is {argument}, and there are {len(arguments)} arguments")
    names: list[str] = []
    points: list[Array] = []
    at = map_arrays(lambda one: np.array(one, dtype=np.float64), arguments[argument])
    map_arrays(points.append, at)
    for k, point in enumerate(points):
        head = "" if len(points) == 1 else f"array {k} "
        indices = list(np.ndindex(point.shape))
        names += [f"{head}[{', '.join(map(str, position))}]" if position else f"{head}value" for position in indices]
    value = value_and_gradient(function, argument)
    before, after = arguments[:argument], arguments[argument + 1 :]
    parts: list[Array] = []
    map_arrays(parts.append, value(*before, at, *after)[1] if gradient is None else gradient)
    if [np.shape(part) for part in parts] != [point.shape for point in points]:
        raise DataError(f"check_gradient: gradient must have the shapes {[point.shape for point in points]}")
    central, moved = [], []
    for point, part in zip(points, parts, strict=True):
        for position in np.ndindex(point.shape):
            central.append(_central_difference(lambda: float(function(*before, at, *after)), point, position))
        part = np.asarray(part, dtype=np.float64)
        moved.append(((point - (point - rate * part)) / rate).ravel())
    found, differences = np.concatenate([np.ravel(part) for part in parts]), np.array(central)
    steps = np.concatenate(moved)
    largest = float(np.abs(found).max(initial=0.0))
    scale = np.maximum(np.maximum(np.abs(found), np.abs(differences)), max(RELATIVE_FLOOR * largest, 1e-8))
    error = np.abs(found - differences) / scale
    return GradientCheck(names, found, differences, steps, error, tolerance)


def _central_difference(value: Callable[[], float], point: Array, position: tuple[int, ...]) -> float:
    """(L(w + e) - L(w - e)) / (2 e) for one entry, which is put back afterwards."""
    at = point[position]
    step = np.cbrt(np.finfo(np.float64).eps) * max(1.0, abs(at))
    point[position] = at + step
    above, high = value(), point[position]
    point[position] = at - step
    below, low = value(), point[position]
    point[position] = at
    return float((above - below) / (high - low))
