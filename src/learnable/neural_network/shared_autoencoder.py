"""Autoencoder with a decoder for each domain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core import Array, Data, DataError, Matrix, Trace, Traits, Transformer, estimator, learned, param
from ..core.errors import ParameterError
from ..core.r2 import r_squared
from ..engines.networks.code_layers import Decoders
from ..engines.networks.dense_plan import OutputLoss
from ..engines.networks.layer_plan import LayerPlan, planned_steps
from ..engines.networks.tape_plan import TapePlan
from ..engines.tape.tensor import Tensor
from ..parts.layers import Dense
from ..parts.layers.layer import ActivationName
from ._autoencoder_base import CodingNetwork

MAX_DOMAINS = 20  # that may have a single row each


@dataclass(frozen=True)
class DomainPlan(TapePlan):
    """A plan whose targets are rows followed by the number of their domain: the loss is of that domain's decoder."""

    def row_losses(self, scores: Tensor, y: Array) -> Tensor:
        return super().row_losses(own_outputs(scores, y), y[:, :-1])


def own_outputs(scores: Any, y: Array) -> Any:
    """The outputs of the decoder of each row's domain."""
    columns = y.shape[1] - 1
    every = scores.reshape(len(y), scores.shape[1] // columns, columns)
    return every[np.arange(len(y)), y[:, -1].astype(np.int64)]


@estimator
class SharedAutoencoder(CodingNetwork, Transformer):
    """Shared autoencoder: one encoder for rows of several domains, and a decoder for each domain.

    minimise over all weights    sum_i s_i |x_i - D_{d(i)}(E(x_i))|^2 / 2 / sum_i s_i  +  alpha |W|^2 / 2

    As all domains share the encoder, codes say what they have in common, and decoders add the rest: `swap` encodes rows
    of one domain, and decodes them in another, as in exchanging faces in pictures. `fit` takes the domain of each row
    as `y`. [Korshunova, Shi, Dambre and Theis, 2017]

    >>> import numpy as np
    >>> t = np.linspace(-1, 1, 100)[:, None]
    >>> X, domain = np.vstack([t * [1.0, 0.5], t * [1.0, -0.5]]), np.repeat(["up", "down"], 100)
    >>> model = SharedAutoencoder(1, encoder=[], hidden=(8,), max_iter=150, random_state=0).fit(X, domain)
    >>> bool(np.abs(model.swap(X[:100], "down") - X[100:]).mean() < 0.1)
    True
    """

    hidden: Sequence[int] = param((64,), "units of the hidden layers of each decoder", at_least=1)
    activation: ActivationName = param("relu", "activation function of these layers")

    domains_: Array = learned("labels of the domains, sorted", shape="domains")

    title = "shared autoencoder"
    reference = "Korshunova, Shi, Dambre and Theis, Fast face-swap using convolutional neural networks, ICCV 2017"
    traits = Traits(uses_target="always")

    @property
    def _output_loss(self) -> OutputLoss:
        return OutputLoss("squared")

    def _plan(self, columns: int, seed: int = 0) -> LayerPlan:
        decoders = Decoders(len(self.domains_), (*map(int, self.hidden), columns), self.activation)
        layers = [*self.encoder, Dense(self.code), decoders]
        planned = self._planned(tuple(planned_steps(type(self).__name__, layers, self._row_shape(columns))), seed)
        return DomainPlan(planned.steps, planned.loss, planned.optimiser, seed)

    def _fit(self, data: Data, trace: Trace) -> None:
        labels = np.asarray(data.y)
        if labels.ndim != 1:
            raise DataError(f"SharedAutoencoder: y must hold one domain for each row; it has shape {labels.shape}")
        domains, codes = np.unique(labels.tolist(), return_inverse=True)
        if len(domains) > max(MAX_DOMAINS, len(labels) // 2):
            raise DataError(
                f"SharedAutoencoder: y names {len(domains)} domains for {len(labels)} rows; it must hold the name of "
                "the domain of each row"
            )
        if self.warm_start and "domains_" in self.__dict__ and not np.array_equal(domains, self.domains_):
            raise DataError("SharedAutoencoder: warm_start needs the domains of the previous fit; set warm_start=False")
        self.domains_, self.out_activation_ = domains, "identity"
        self.n_outputs_ = data.p * len(domains)
        targets = np.column_stack([np.asarray(data.X, dtype=np.float64), codes])
        self._train_plan(self._plan(data.p, self._seed), data, targets, trace)

    def _targets(self, y: Any, rows: int) -> Array:
        return self._validator.target(y, rows, np.float64, True).reshape(rows, -1)

    def _score_of(self, predictions: Array, y: Array, weight: Array | None) -> float:
        return float(r_squared(y[:, :-1], own_outputs(predictions, y).astype(np.float64), weight))

    def _transform(self, X: Matrix) -> Array:
        plan = self._plan(self.n_features_in_)
        return self._values(plan, X, plan.depth - 1)

    def swap(self, X: Any, domain: Any) -> Array:
        """The rows of `X` encoded, and decoded in another domain."""
        rows = self._read(X)
        found = np.flatnonzero(self.domains_ == domain)
        if len(found) != 1:
            raise ParameterError(
                f"SharedAutoencoder: domain must be one of {self.domains_.tolist()!r:.80}; got {domain!r:.40}"
            )
        outputs = self._values(self._plan(self.n_features_in_), rows)
        return outputs.reshape(len(rows), len(self.domains_), -1)[:, int(found[0])]
