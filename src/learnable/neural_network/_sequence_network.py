"""What networks that take whole sequences have in common: lists of sequences, symbols, and steps that are missing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from ..core import Array, Data, DataError, Matrix, Trace, Traits, declaring, learned, param
from ..core.declare import params
from ..core.errors import not_fitted
from ..engines.networks.layer_plan import LayerPlan
from ..parts.layers import LSTM, Embedding, Layer
from ._layer_network import LayerNetwork, _all_layers
from ._scheduled_network import ScheduleName
from ._sequence_reader import SequenceReader, are_sequences, learned_reader


@declaring
class SequenceNetwork(LayerNetwork):
    """Base class of networks whose rows are sequences of different lengths."""

    layers: Sequence[Any] = param(
        (LSTM(32),), "layers before the output layer, those that embed symbols apart", kw_only=False,
        accepts=_all_layers, says="a list of layers such as LSTM(32)",
    )  # fmt: skip
    input_shape: Sequence[int] | None = param(
        None, "(steps, channels) of the rows of a table (None: a number for each step)", kw_only=False, at_least=1
    )
    embedding: int = param(16, "length of the vector of a symbol, where sequences are texts or lists", at_least=1)
    min_df: int = param(1, "number of sequences that a symbol must be in; those that are in fewer are one", at_least=1)
    learning_rate_init: float = param(0.003, "initial learning rate", above=0, tune=(1e-3, 3e-3, 1e-2))
    schedule: ScheduleName = param("cosine", "learning-rate schedule")
    clip: float | None = param(1.0, "largest norm of a gradient; longer ones are scaled down to it", above=0)
    max_iter: int = param(30, "maximum number of epochs", at_least=1)

    symbols_: list[str] | None = learned("symbols that sequences consist of, sorted; None for numbers")
    n_channels_: int = learned("numbers of each step")

    traits = Traits(sparse=False, storage="csr", missing="native")

    @property
    def _reader(self) -> SequenceReader:
        pending: SequenceReader | None = self.__dict__.get("_pending_reader")
        if pending is not None:
            return pending
        symbols = None if self.symbols_ is None else tuple(self.symbols_)
        return SequenceReader(type(self).__name__, symbols, self.n_channels_)

    @contextmanager
    def _reading(self, X: Any) -> Iterator[None]:
        """While a fit reads `X`: what its symbols or channels are, unless an earlier fit goes on."""
        params.check(self)
        channels = 1 if self.input_shape is None else int(self.input_shape[-1])
        if not ("n_channels_" in self.__dict__ and self.warm_start):
            self.__dict__["_pending_reader"] = learned_reader(type(self).__name__, X, channels, self.min_df)
        try:
            yield
        finally:
            self.__dict__.pop("_pending_reader", None)

    def _enter(self, X: Any) -> tuple[Matrix, list[str] | None]:
        if not are_sequences(X):
            return super()._enter(X)
        return super()._enter(self._reader.table(X, self.__dict__.get("n_features_in_", 0) // self._reader.channels))

    def _enter_to_learn(self, X: Any, sample_weight: Any) -> tuple[Matrix, list[str] | None]:
        return self._enter(X)

    def _read(self, X: Any) -> Matrix:
        """Rows of a table as `fit` saw them; lists of sequences may be longer than those of the fit."""
        if not are_sequences(X):
            return super()._read(X)
        if "n_features_in_" not in self.__dict__:
            raise not_fitted(self)
        return self._enter(X)[0]

    def _check_columns(self, matrix: Matrix, names: list[str] | None) -> None:
        if names is not None or "_pending_reader" not in self.__dict__:
            super()._check_columns(matrix, names)

    @property
    def _layer_list(self) -> list[Layer]:
        first = [] if self.symbols_ is None else [Embedding(len(self.symbols_) + 1, int(self.embedding))]
        return [*first, *self.layers]

    @property
    def _masked(self) -> bool:
        return True

    def _row_shape(self, columns: int) -> tuple[int, ...]:
        if columns % self.n_channels_:
            raise DataError(
                f"{type(self).__name__}: input_shape={self.input_shape} needs {self.n_channels_} columns for each "
                f"step; X has {columns} columns"
            )
        embedded = self.symbols_ is not None or isinstance(next(iter(self.layers), None), Embedding)
        return (columns,) if embedded else (columns // self.n_channels_, self.n_channels_)

    def _fit_network(
        self, data: Data, y: Array, outputs: int, trace: Trace, validation: Data | None = None, once: bool = False
    ) -> None:
        reader = self._reader
        self.symbols_ = None if reader.symbols is None else list(reader.symbols)
        self.n_channels_ = reader.channels
        super()._fit_network(data, y, outputs, trace, validation, once)

    def _check_codes(self, X: Matrix) -> None:
        """Refuse entries that are not codes of an embedding, and steps of which a part is missing."""
        steps = np.isnan(X.reshape(X.shape[0], -1, self.n_channels_))
        partly = steps.any(axis=2) & ~steps.all(axis=2)
        if partly.any():
            i, t = np.argwhere(partly)[0]
            raise DataError(
                f"{type(self).__name__}: step {t} of row {i} has {int(steps[i, t].sum())} of {self.n_channels_} "
                "numbers missing; a step is missing as a whole, or fill it"
            )
        super()._check_codes(np.where(np.isnan(X), 0.0, X))

    def _fitted_plan(self) -> tuple[LayerPlan, Array]:
        return self._plan(self.n_features_in_, self.n_outputs_, self._seed), self.weights_
