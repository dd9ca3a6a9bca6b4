"""Contrastive encoder."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from ..core import Array, Data, Matrix, ParameterError, Trace, Traits, Transformer, estimator, param
from ..engines.networks.contrastive_plan import Augmentation, ContrastivePlan
from ..engines.networks.dense_plan import OutputLoss
from ..engines.networks.layer_plan import LayerPlan, planned_steps
from ..parts.layers import Activation, Dense
from ._autoencoder_base import CodingNetwork


@estimator
class ContrastiveEncoder(CodingNetwork, Transformer):
    """Contrastive encoder (SimCLR): self-supervised codes, alike for two changed copies of a row and unlike for others.

    minimise over all weights    -mean log( exp(cos(z_i, z_i') / T) / sum over j != i of exp(cos(z_i, z_j) / T) )

    z are linear in the codes after a ReLU; the copies have noise, entries of other rows, or are shifted images. No
    label is used, so that none that is wrong can matter. `linear_probe` fits a linear classifier on the codes.
    [van den Oord, Li and Vinyals, 2018; Chen, Kornblith, Norouzi and Hinton, 2020]

    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(200, 8))
    >>> ContrastiveEncoder(4, max_iter=3, random_state=0).fit(X).transform(X).shape
    (200, 4)
    """

    code: int = param(32, "number of entries of a code", kw_only=False, at_least=1, tune=(8, 32, 128))
    projection: int = param(32, "number of entries that are compared, linear in the codes after a ReLU", at_least=1)
    temperature: float = param(0.5, "temperature T of the similarities", above=0)
    augment: Literal["noise", "corrupt", "shift"] = param(
        "corrupt", "how copies are changed: by noise, by entries of other rows, or by shifts of an image"
    )
    strength: float = param(
        0.3, "standard deviation of the noise, over that of a column; fraction of entries; largest shift in pixels",
        at_least=0,
    )  # fmt: skip
    batch_size: int | Literal["auto"] = param(
        "auto", "rows per step ('auto': 128, or all if there are fewer)", at_least=2
    )

    title = "contrastive encoder"
    reference = "Chen, Kornblith, Norouzi and Hinton, A simple framework for contrastive learning, ICML 2020"
    usual_batch = 128
    traits = Traits()

    @property
    def _output_loss(self) -> OutputLoss:
        return OutputLoss("squared")

    def _plan(self, columns: int, seed: int = 0) -> LayerPlan:
        shape = self._row_shape(columns)
        if self.augment == "shift" and len(shape) < 2:
            raise ParameterError(
                'ContrastiveEncoder: augment="shift" needs images; set input_shape, such as (28, 28, 1)'
            )
        if self.augment == "corrupt" and not self.strength <= 1:
            raise ParameterError(f"ContrastiveEncoder: strength must be at most 1 to corrupt; got {self.strength!r}")
        layers = [*self.encoder, Dense(self.code), Activation("relu"), Dense(self.projection)]
        planned = self._planned(tuple(planned_steps(type(self).__name__, layers, shape)), seed)
        augmentation = Augmentation(self.augment, float(self.strength), shape)
        return ContrastivePlan(
            planned.steps, planned.loss, planned.optimiser, seed, augmentation, float(self.temperature)
        )

    def _fit(self, data: Data, trace: Trace) -> None:
        if self.early_stopping:
            raise ParameterError("ContrastiveEncoder: early_stopping needs targets, and there are none")
        self.n_outputs_, self.out_activation_ = self.projection, "identity"
        self._train_plan(self._plan(data.p, self._seed), data, np.zeros((data.n, self.projection)), trace)

    def _targets(self, y: Any, rows: int) -> Array:
        return np.zeros((rows, self.projection))

    def _score_of(self, predictions: Array, y: Array, weight: Array | None) -> float:
        raise ParameterError("ContrastiveEncoder: there are no targets to score")

    def _transform(self, X: Matrix) -> Array:
        plan = self._plan(self.n_features_in_)
        return self._values(plan, X, plan.depth - 2)
