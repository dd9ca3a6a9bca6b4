"""Contrastive training: two changed copies of each row of a batch must be recognised among all other rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...core.runtime.random import generator
from ...core.validate.features import Array, Matrix
from ..tape.tensor import Tensor
from .tape_plan import TapePlan, as_rows

MASKED_SIMILARITY = -1e9  # similarity of a row to itself, which is left out


@dataclass(frozen=True)
class Augmentation:
    """How a row is changed: by noise, by entries of other rows, or by shifts of an image."""

    kind: str
    strength: float
    shape: tuple[int, ...]

    def changed(self, rows: Array, draws: np.random.Generator) -> Array:
        """A changed copy of each row.

        >>> rows = np.arange(6.0).reshape(3, 2)
        >>> Augmentation("noise", 0.0, (2,)).changed(rows, np.random.default_rng(0)).tolist()
        [[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]]
        """
        if self.kind == "noise":
            noise = draws.standard_normal(rows.shape) * (self.strength * rows.std(axis=0))
            return np.asarray(rows + noise.astype(rows.dtype))
        if self.kind == "corrupt":
            others = rows[draws.integers(0, len(rows), rows.shape), np.arange(rows.shape[1])]
            return np.where(draws.random(rows.shape) < self.strength, others, rows)
        most = int(self.strength)
        height, width = self.shape[:2]
        images = rows.reshape(len(rows), height, width, -1)
        wide = np.pad(images, [(0, 0), (most, most), (most, most), (0, 0)])
        down, across = draws.integers(0, 2 * most + 1, (2, len(rows)))
        at = (down[:, None] + np.arange(height))[:, :, None], (across[:, None] + np.arange(width))[:, None, :]
        moved: Array = wide[np.arange(len(rows))[:, None, None], at[0], at[1]].reshape(rows.shape)
        return moved


@dataclass(frozen=True)
class ContrastivePlan(TapePlan):
    """A plan that is trained by InfoNCE: the similarity of two copies of a row against those to all others."""

    augmentation: Augmentation = Augmentation("noise", 0.1, ())
    temperature: float = 0.5

    @property
    def work(self) -> int:
        """Every row enters twice, and is compared with all others of its batch."""
        return 2 * super().work + 100_000

    def batch(self, X: Matrix, rows: Array, step: int, dtype: Any) -> Array:
        """Two changed copies of each row, one set after the other."""
        plain, draws = as_rows(X[rows], dtype), generator(self.seed, step)
        return np.concatenate([self.augmentation.changed(plain, draws) for _ in range(2)])

    def objective(self, values: list[Tensor], y: Array, share: Array) -> Tensor:
        """-sum_i share_i log p(the other copy of i), p = softmax of cosines / temperature, over both copies."""
        z, n = values[-1], len(share)
        z = z / ((z * z).sum(1, keepdims=True) + 1e-12).sqrt()
        alike = (z @ z.transpose()) * (1 / self.temperature)
        alike = alike.where(~np.eye(2 * n, dtype=bool), MASKED_SIMILARITY)
        partner = np.concatenate([np.arange(n, 2 * n), np.arange(n)])
        found: Tensor = -(alike.log_softmax()[np.arange(2 * n), partner] * np.concatenate([share, share])).sum() * 0.5
        return found
