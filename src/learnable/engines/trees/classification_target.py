"""Class codes as the target of classification trees."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...core.errors import ParameterError
from ...core.validate.features import Array
from .builder import clip_to_bounds, forest_from_arrays
from .forest import Forest


@dataclass(frozen=True)
class ClassificationTarget:
    """Class codes, a column for each target, the number of classes of each, and the impurity: "gini" or "entropy"."""

    codes: Array
    sizes: list[int]
    criterion: str

    @classmethod
    def of(cls, y: Array, classes: Array | list[Array], criterion: str) -> ClassificationTarget:
        """The codes of rows, of the classes of one target or of each; "log_loss" is a synonym of entropy."""
        codes = y[:, None] if y.ndim == 1 else y
        sizes = [len(labels) for labels in classes] if isinstance(classes, list) else [len(classes)]
        return cls(codes, sizes, "gini" if criterion == "gini" else "entropy")

    @property
    def unit(self) -> float:
        """The gain of an impurity of one, per weight, in the builder."""
        if self.criterion == "entropy":
            return float(np.log(2) * len(self.sizes))
        return 0.5 if self.sizes == [2] else float(len(self.sizes))

    @property
    def labels(self) -> tuple[Array, int]:
        """Codes that are distinct across the classes of all targets, and their number."""
        offsets = np.concatenate([[0], np.cumsum(self.sizes)])
        return np.ascontiguousarray(self.codes + offsets[:-1], dtype=np.int32), int(offsets[-1])

    def constraint(self, monotonic_cst: list[int], owner: str) -> list[int]:
        """A monotonic constraint, if it is defined: it needs two classes, and with one class it has no effect."""
        if monotonic_cst and self.sizes not in ([1], [2]):
            raise ParameterError(f"{owner}: monotonic_cst is defined for two classes; y holds more")
        return [] if self.sizes == [1] else monotonic_cst

    def row_gains(self) -> Array:
        """The gain of a row as a node of its own."""
        return np.array([float(len(self.sizes)) if self.criterion == "gini" else 0.0])

    def grow(self, training: Any, constrained: bool) -> Forest:
        """Trees whose leaves hold class proportions."""
        labels, _ = self.labels
        found = training.grow_classes(labels, np.array(self.sizes, dtype=np.int64), self.criterion == "gini")
        value = found["value"].reshape(len(found["left"]), -1)
        if constrained:
            second = clip_to_bounds(value[:, 1:], found)
            value = np.concatenate([1 - second, second], axis=1)
        value = value.reshape(len(value), len(self.sizes), -1)
        return forest_from_arrays(found, found["impurity"], found["weight"], value)
