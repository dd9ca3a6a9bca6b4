"""Classes as trees of classes take them: a code for each target, of so many classes."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ...core.errors import ParameterError
from ...core.validate.features import Array
from .builder import TreeBuilder
from .forest import Forest


@dataclass(frozen=True)
class ClassificationTarget:
    """Codes, a column for each target, of `sizes` classes, and by what divisions are judged: "gini" or "entropy"."""

    codes: Array
    sizes: list[int]
    criterion: str

    @classmethod
    def of(cls, y: Array, labels: list[Array], criterion: str) -> ClassificationTarget:
        """Those of rows; "log_loss" is another word for the entropy."""
        codes = y[:, None] if y.ndim == 1 else y
        return cls(codes, [len(of_target) for of_target in labels], "gini" if criterion == "gini" else "entropy")

    @property
    def unit(self) -> float:
        """What an impurity of one is worth to the grower for each unit of weight."""
        if self.criterion == "entropy":
            return float(np.log(2) * len(self.sizes))
        return 0.5 if self.sizes == [2] else float(len(self.sizes))

    @property
    def labels(self) -> tuple[Array, int]:
        """Codes that tell the classes of all targets apart, and how many there are."""
        offsets = np.concatenate([[0], np.cumsum(self.sizes)])
        return np.ascontiguousarray(self.codes + offsets[:-1], dtype=np.int32), int(offsets[-1])

    def forest(self, grower: TreeBuilder, owner: str) -> Forest:
        """Trees of these classes, one for each seed."""
        if self.sizes == [1]:  # nothing to divide
            grower = replace(grower, growth=replace(grower.growth, direction=[]))
        if grower.growth.direction and self.sizes != [2]:
            raise ParameterError(f"{owner}: monotonic_cst is defined for two classes; y holds more")
        return grower.forest_of_classes(self.codes, self.sizes, self.criterion)
