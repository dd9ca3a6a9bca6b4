"""What networks for tables have in common: encoded columns, several members, and a held-out part for each."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from ..core import Array, Data, Estimator, Matrix, RandomState, Trace, Traits, declaring, learned, param
from ..core.runtime.random import seed_of
from ..engines.columns.table_encoding import chosen_columns
from ..engines.iterate import record_components
from ..engines.sampling.canonical_order import order_of_content
from ..parts.layers import Dense, Dropout, Layer
from ..parts.layers.layer import ActivationName
from ._layer_network import LayerNetwork
from ._table_encoder import TableEncoder

FOLDS = 5  # of which a member holds one out
MIN_ROWS = 10  # different rows below which none are held out


@declaring
class TabularNetwork(Estimator):
    """Base class of pre-tuned networks for tables."""

    members: int = param(4, "number of networks whose predictions are averaged", at_least=1, tune=(1, 4, 8))
    hidden_layer_sizes: Sequence[int] = param((128, 128, 128), "number of units of each hidden layer", at_least=1)
    activation: ActivationName | Literal["auto"] = param(
        "auto", "activation function of the hidden layers ('auto': selu for classes, mish for numbers)"
    )
    dropout: float = param(0.1, "probability that a hidden value is dropped in training", at_least=0, below=1)
    learning_rate_init: float = param(
        0.004, "initial learning rate, which falls along half a cosine", above=0, tune=(0.002, 0.004, 0.008)
    )
    weight_decay: float = param(0.02, "decoupled weight decay", at_least=0)
    max_iter: int = param(48, "number of epochs; the weights of the best one are kept", at_least=1)
    batch_size: int | Literal["auto"] = param(
        "auto", "rows per step ('auto': 64, from 1000 rows on 128 and from 2000 on 256)", at_least=1
    )
    bins: int = param(24, "maximum number of quantile bins that a number is encoded by; 1: none", at_least=1)
    max_categories: int = param(50, "number of values of a categorical column that have an input", at_least=1)
    categorical_features: list[Any] | Array | Literal["from_dtype"] = param(
        "from_dtype", 'categorical columns: names, indices, mask, or "from_dtype" for those that are not numeric'
    )
    random_state: RandomState = param(None, "seed of initial weights, row order and dropout")

    encoder_: TableEncoder = learned("how columns become inputs")
    estimators_: list[Any] = learned("the fitted networks")

    traits = Traits(takes="table", missing="native", stochastic=True)
    stagewise = True
    reference = (
        "Holzmüller, Grinsztajn and Steinwart, Better by default: strong pre-tuned MLPs and boosted trees on tabular "
        "data, NeurIPS 2024"
    )

    n_iter_: int = learned("number of epochs of each network")

    @property
    def _limit_is_planned(self) -> bool:
        return True

    @abstractmethod
    def _member(self, layers: list[Layer], settings: dict[str, Any]) -> LayerNetwork:
        """An unfitted network."""

    @property
    @abstractmethod
    def _usual_activation(self) -> ActivationName: ...

    def _fit_members(self, data: Data, y: Array, strata: Array, trace: Trace) -> None:
        """Fit the members to targets `y`; each holds out a fold of each of the `strata`."""
        owner = type(self).__name__
        weight = np.ones(data.n) if data.weight is None else data.weight
        chosen = chosen_columns(data.X, self.categorical_features, owner)
        self.encoder_ = TableEncoder.of(data.X, chosen, weight, self.bins, self.max_categories, owner)
        X = self._inputs(data.X)
        rows = np.flatnonzero(weight > 0)
        fold = np.full(data.n, -2)
        fold[rows] = folds_of_content(self.encoder_.content(data.X, owner)[rows], data.y[rows], strata[rows])
        seed = seed_of(self.random_state) % 2**32
        self.estimators_ = []
        for number in range(self.members):
            train, test = np.flatnonzero((fold != number % FOLDS) & (fold > -2)), fold == number % FOLDS
            settings = self._settings(len(train), (seed + number) % 2**32)
            held_out = {"X_val": X[test], "y_val": y[test], "sample_weight_val": weight[test]} if test.any() else {}
            network = self._member(self._layers(), settings)
            network.fit(X[train], y[train], None if data.weight is None else weight[train], **held_out)  # type: ignore[attr-defined]  # the network of the role
            self.estimators_.append(network)
            self._examine(network, X[test], y[test], weight[test])
        self.n_iter_ = max(one.n_iter_ for one in self.estimators_)
        record_components(trace, self.estimators_)

    def _examine(self, network: LayerNetwork, X: Array, y: Array, weight: Array) -> None:
        """What is learned from the rows that a member holds out, beside its best epoch."""

    def _layers(self) -> list[Layer]:
        kind: ActivationName = self._usual_activation if self.activation == "auto" else self.activation
        drops: list[Layer] = [Dropout(float(self.dropout))] if self.dropout else []
        return [layer for units in self.hidden_layer_sizes for layer in (Dense(int(units), kind), *drops)]

    def _settings(self, rows: int, seed: int) -> dict[str, Any]:
        usual = 64 if rows < 1000 else 128 if rows < 2000 else 256
        return {
            "learning_rate_init": self.learning_rate_init, "schedule": "cosine", "max_iter": self.max_iter,
            "batch_size": min(usual if self.batch_size == "auto" else int(self.batch_size), rows), "beta_2": 0.95,
            "n_iter_no_change": math.inf, "validation_scoring": "loss", "random_state": seed, "optimiser": "adamw",
            "weight_decay": self.weight_decay, "initialiser": "lecun_normal",
        }  # fmt: skip

    def _inputs(self, X: Matrix) -> Array:
        """The inputs of the networks, as large as the first layer needs to learn as fast as the others."""
        widths = list(self.hidden_layer_sizes)
        factor = np.float32(math.sqrt(widths[0] / max(1, self.encoder_.width))) if widths else np.float32(1)
        return self.encoder_.encode(X, type(self).__name__) * factor

    def _unsound(self) -> str:
        width = max(1, self.encoder_.width)
        if not self.estimators_ or any(one.n_features_in_ != width for one in self.estimators_):
            return "the networks do not fit the encoder"
        columns = len(self.encoder_.categories)
        return "" if columns == self.n_features_in_ else "the encoder has another number of columns"


def folds_of_content(X: Array, y: Array, strata: Array) -> Array:
    """The fold of each row, by its content: copies share it. -1 for rows that are never held out."""
    order = order_of_content(X, y)
    order = order[np.argsort(strata[order], kind="stable")]
    ordered, targets, kinds = X[order], y[order], strata[order]
    new, first = np.ones(len(order), dtype=bool), np.ones(len(order), dtype=bool)
    new[1:] = (ordered[1:] != ordered[:-1]).any(axis=1) | (targets[1:] != targets[:-1])
    first[1:] = kinds[1:] != kinds[:-1]
    number = np.cumsum(new)
    position = number - np.maximum.accumulate(np.where(first, number, 0))
    alone = _largest_by(kinds, position) < 1
    found = np.empty(len(order), dtype=np.int64)
    found[order] = np.where(alone | (number[-1] < MIN_ROWS), -1, position % FOLDS)
    return found


def _largest_by(kinds: Array, position: Array) -> Array:
    """The largest position within the stratum of each row."""
    _, code = np.unique(kinds, return_inverse=True)
    most = np.zeros(code.max() + 1, dtype=np.int64)
    np.maximum.at(most, code, position)
    return np.asarray(most[code])
