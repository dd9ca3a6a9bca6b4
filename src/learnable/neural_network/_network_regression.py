"""What networks that predict numbers have in common: one or several targets, links, partial fits."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Self

import numpy as np

from ..core import Array, Data, DataError, Matrix, ParameterError, Trace, Traits, declaring
from ..core.declare import params
from ..core.r2 import r_squared
from ..core.roles.regressor import NumberPredictor
from ..parts.losses import Poisson
from ._network_trainer import NetworkTrainer


@declaring
class NetworkRegression(NetworkTrainer, NumberPredictor):
    """Base class of networks whose outputs are numbers."""

    traits = Traits(multi_target=True, flat_target=True)

    @abstractmethod
    def _fit_network(
        self, data: Data, y: Array, outputs: int, trace: Trace, validation: Data | None = None, once: bool = False
    ) -> None:
        """Train on the rows of `data` with the targets `y`; for `once`, a single epoch."""

    @abstractmethod
    def _outputs(self, X: Matrix) -> Array:
        """Predictions of the network, a column per output."""

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, X_val: Any = None, y_val: Any = None,
        sample_weight_val: Any = None,
    ) -> Self:  # fmt: skip
        """Learn from rows `X` and targets `y`; rows `X_val` with `y_val` are the validation set, if given."""
        if (X_val is None) != (y_val is None):
            raise DataError(f"{type(self).__name__}: give X_val and y_val together")
        if X_val is None:
            return self._fit_checked(X, y, sample_weight)
        params.check(self)
        data, names = self._training_data(X, y, sample_weight)
        held_out, val_names = self._training_data(X_val, y_val, sample_weight_val)
        with self._fitting(data.X, data.y, data.weight, held_out.X, held_out.y) as trace:
            self._remember_columns(data.X, names)
            self._check_columns(held_out.X, val_names)
            self._learn(data, trace, held_out)
        return self

    def _fit(self, data: Data, trace: Trace) -> None:
        self._learn(data, trace)

    def _learn(self, data: Data, trace: Trace, validation: Data | None = None, once: bool = False) -> None:
        if self._output_loss.name == "poisson":
            Poisson().check(data.y)
        y = data.y.reshape(data.n, -1)
        self.out_activation_ = "exp" if self._output_loss.name == "poisson" else "identity"
        if validation is not None:
            known = np.ascontiguousarray(validation.y.reshape(validation.n, -1), dtype=np.float64)
            validation = Data(validation.X, known, validation.weight, validation.names)
        self._fit_network(data, y, y.shape[1], trace, validation, once)

    def _partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """One epoch over the rows."""
        params.check(self)
        if self.early_stopping:
            raise ParameterError(f"{type(self).__name__}: partial_fit does not support early_stopping=True")
        data, names = self._training_data(X, y, sample_weight)
        known = "n_outputs_" in self.__dict__
        if known:
            self._check_columns(data.X, names)
        with self._fitting(data.X, data.y, data.weight, going_on=True) as trace:
            if not known:
                self._remember_columns(data.X, names)
            self._learn(data, trace, once=True)
        return self

    def _targets(self, y: Any, rows: int) -> Array:
        return self._validator.target(y, rows, np.float64, True).reshape(rows, -1)

    def _score_of(self, predictions: Array, y: Array, weight: Array | None) -> float:
        return float(r_squared(y, predictions.astype(np.float64), weight))

    def _predict(self, X: Matrix) -> Array:
        found = self._outputs(X)
        return found[:, 0] if found.shape[1] == 1 else found
