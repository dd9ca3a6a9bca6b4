"""Base class of the transformers to graphs of neighbours."""

from __future__ import annotations

from typing import Literal

from ..core import Data, Trace, UnweightedTransformer, declaring, param
from ..core.validate.columns import numbered_names
from ._neighbors_base import Neighbourhood


@declaring
class GraphStep(Neighbourhood, UnweightedTransformer):
    """Base class of transformers of rows to a sparse graph of neighbours: a subclass defines `_transform`."""

    mode: Literal["distance", "connectivity"] = param("distance", "entries of the graph: distances, or ones")

    def _fit(self, data: Data, trace: Trace) -> None:
        self._keep(data.X)

    def _names_out(self, names: list[str]) -> list[str]:
        return numbered_names(type(self).__name__, self.n_samples_fit_, type(self).__name__.lower())
