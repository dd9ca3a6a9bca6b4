"""What training asks of a network, whatever executes it."""

from __future__ import annotations

from typing import Any, Protocol

from ...core.validate.features import Array, Matrix
from .dense_plan import OptimiserSettings


class NetworkPlan(Protocol):
    """Layers with a loss. All weights are one vector, with which running statistics may lie."""

    @property
    def optimiser(self) -> OptimiserSettings:
        """The optimiser and the penalties of its steps."""

    @property
    def size(self) -> int:
        """Number of weights."""

    @property
    def work(self) -> int:
        """About how many products a row takes."""

    @property
    def depth(self) -> int:
        """Number of simple layers."""

    def layer_number(self, depth: int) -> int:
        """The number of the layer, as users count, that simple layer number `depth` belongs to."""

    def step_name(self, depth: int) -> str:
        """The number and the kind of simple layer number `depth`, as users count."""

    def activation(self, depth: int) -> str:
        """The activation function that simple layer number `depth` ends with."""

    def kernel_settings(self) -> dict[str, Any]:
        """Loss and optimiser as the kernels take them."""

    def arrays(self, weights: Array) -> list[dict[str, Array]]:
        """The weights of each simple layer by name."""

    def scores(self, X: Matrix, weights: Array, depth: int | None = None) -> Array:
        """The scores of the rows, or the values after simple layer number `depth`."""

    def predictions(self, X: Matrix, weights: Array) -> Array:
        """Probabilities or means, by the loss."""

    def penalised(self, weights: Array) -> Array:
        """The weights with zeros for all that have no penalty."""

    def gradient(self, X: Matrix, y: Array, weight: Any, rows: Array, weights: Array) -> tuple[float, Array]:
        """The mean loss of the rows and its gradient by all weights, without penalty."""

    def train(
        self, X: Matrix, y: Array, weight: Array, rows: Array, batch_size: int, step: int, rates: Array, weights: Array,
        slots: Array, objective: Array, squared_norm: Array,
    ) -> int:  # fmt: skip
        """Steps on batches of the rows; returns how many were done."""
