"""What the samplers have in common: numbers of rows by class."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from ..core import Array, Data, Resampler, declaring, learned, param
from ._sampling_strategy import SAYS, Kind, is_strategy, requested


@declaring
class Sampler(Resampler):
    """Base class of samplers with a `sampling_strategy`, the number of rows of each class."""

    direction: ClassVar[Kind]

    sampling_strategy: Any = param("auto", "target number of rows of each class", accepts=is_strategy, says=SAYS)

    classes_: Array = learned("the classes, sorted", shape="classes")
    sampling_strategy_: dict[Any, int] = learned("number of rows by class that the strategy came to")

    def _members(self, data: Data) -> list[Array]:
        """The rows of each class, those of weight zero left out; the strategy in numbers is remembered."""
        present = np.ones(data.n, dtype=bool) if data.weight is None else data.weight > 0
        members = [np.flatnonzero((data.y == code) & present) for code in range(len(self.classes_))]
        counts = {label: len(rows) for label, rows in zip(self.classes_.tolist(), members, strict=True) if len(rows)}
        labels = self.classes_[data.y[present]] if callable(self.sampling_strategy) else None
        owner = type(self).__name__
        self.sampling_strategy_ = requested(self.sampling_strategy, counts, self.direction, owner, labels)
        return members
