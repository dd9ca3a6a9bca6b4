"""Base class of the transformers to graphs of neighbours."""

from __future__ import annotations

from typing import Any, Literal, Self

from ..core import Data, Trace, Traits, Transformer, declaring, param
from ..core.validate.columns import numbered_names
from ._neighbors_base import Neighbourhood


@declaring
class GraphStep(Neighbourhood, Transformer):
    """Base class of transformers of rows to a sparse graph of neighbours: a subclass defines `_transform`."""

    mode: Literal["distance", "connectivity"] = param("distance", "entries of the graph: distances, or ones")

    traits = Traits(weights=False)

    def fit(self, X: Any, y: Any = None) -> Self:  # type: ignore[override]  # a graph of rows has no use for weights
        """Keep the rows of `X`; `y` is ignored."""
        return super().fit(X, y)

    def fit_transform(self, X: Any, y: Any = None) -> Any:  # type: ignore[override]  # as above
        """`fit(X).transform(X)`."""
        return self.fit(X, y).transform(X)

    def _fit(self, data: Data, trace: Trace) -> None:
        self._keep(data.X)

    def _names_out(self, names: list[str]) -> list[str]:
        return numbered_names(type(self).__name__, self.n_samples_fit_, type(self).__name__.lower())
