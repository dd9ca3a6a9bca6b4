"""A map of the rows of a study without a target, and how far to trust it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...core import Array
from ...core.runtime.random import generator

MAX_MAPPED = 2000  # maximum number of rows on the map
TRUSTED = 0.9  # trustworthiness up to which neighbours on the map may be far apart in the data


@dataclass(frozen=True, slots=True)
class RowMap:
    """Coordinates of some rows, and how faithful they are to the principal components of the table."""

    rows: Array  # positions of the rows among those that were explored
    points: Array
    faithfulness: Any  # trustworthiness and continuity with intervals

    @property
    def sentence(self) -> str:
        """How far to trust the map."""
        one = self.faithfulness
        low, high = one.trustworthiness_interval
        stated = (
            f"Trustworthiness {one.trustworthiness:.3f} (95 % confidence interval {low:.3f} to {high:.3f}; 1 is "
            f"perfect), continuity {one.continuity:.3f}: "
        )
        if low >= TRUSTED:
            return stated + "rows that are close on the map are similar; distances between clusters mean little."
        return stated + "rows that are close on the map may differ; rely on the table, not on the map."

    def as_dict(self) -> dict[str, Any]:
        """The faithfulness as plain values."""
        one = self.faithfulness
        return {
            "method": "UMAP", "rows": len(self.rows), "n_neighbors": one.n_neighbors,
            "trustworthiness": one.trustworthiness, "trustworthiness_interval": list(one.trustworthiness_interval),
            "continuity": one.continuity, "continuity_interval": list(one.continuity_interval),
        }  # fmt: skip


def map_rows(components: Array, seed: int, log: Callable[[str], None]) -> RowMap:
    """UMAP of the principal components of the rows, or of a sample of them."""
    from ...manifold import UMAP

    log("mapping the rows")
    chosen = np.sort(generator(seed, MAX_MAPPED).permutation(len(components))[:MAX_MAPPED])
    model = UMAP(random_state=seed).fit(components[chosen])
    return RowMap(chosen, model.embedding_, model.faithfulness())
