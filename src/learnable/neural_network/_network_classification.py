"""What networks that classify have in common: classes as targets, several labels per row, partial fits."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Literal, Self

import numpy as np

from ..core import (
    Array,
    Data,
    DataError,
    Matrix,
    ParameterError,
    ProbabilisticClassifier,
    Trace,
    Traits,
    declaring,
    learned,
    param,
)
from ..core.declare import params
from ..engines.networks.dense_plan import OutputLoss
from ..parts.class_weights import class_weights
from ._network_trainer import NetworkTrainer


@declaring
class NetworkClassification(NetworkTrainer, ProbabilisticClassifier):
    """Base class of networks whose outputs are the probabilities of classes."""

    class_weight: dict[Any, Any] | Literal["balanced"] | None = param(
        None, "weights of the classes, which multiply those of the rows"
    )
    classes_: Array = learned("class labels, sorted; for several labels per row their numbers", shape="classes")

    traits = Traits(multi_label=True)

    @abstractmethod
    def _fit_network(
        self, data: Data, y: Array, outputs: int, trace: Trace, validation: Data | None = None, once: bool = False
    ) -> None:
        """Train on the rows of `data`, with targets `y` as the loss takes them; for `once`, a single epoch."""

    @abstractmethod
    def _outputs(self, X: Matrix) -> Array:
        """Predictions of the network, a column per output."""

    @property
    def _output_loss(self) -> OutputLoss:
        return OutputLoss("softmax" if self._one_of_several else "logistic")

    @property
    def _one_of_several(self) -> bool:
        return self.__dict__.get("out_activation_") == "softmax"

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, X_val: Any = None, y_val: Any = None,
        sample_weight_val: Any = None,
    ) -> Self:  # fmt: skip
        """Learn from rows `X` and their classes `y`; rows `X_val` with `y_val` are the validation set, if given."""
        if (X_val is None) != (y_val is None):
            raise DataError(f"{type(self).__name__}: give X_val and y_val together")
        if X_val is None:
            return super().fit(X, y, sample_weight)
        return self._fit_checked(X, y, sample_weight, (X_val, y_val, sample_weight_val))

    def _fit_checked(self, X: Any, y: Any, sample_weight: Any, held_out: tuple[Any, Any, Any]) -> Self:
        params.check(self)
        matrix, names = self._enter(X)
        if "n_features_in_" in self.__dict__ and self.warm_start:
            self._check_columns(matrix, names)
        classes, codes = self._classes(y, matrix.shape[0])
        X_val, val_names = self._enter(held_out[0])
        data = Data(matrix, codes, self._validator.weights(sample_weight, matrix.shape[0]), names)
        with self._fitting(data.X, data.y, data.weight, X_val) as trace:
            self._remember_columns(matrix, names)
            self._check_columns(X_val, val_names)
            self.classes_ = classes
            known = self._codes(held_out[1], X_val.shape[0])
            held_weight = self._validator.weights(held_out[2], X_val.shape[0])
            self._learn(data, trace, Data(X_val, known, held_weight, val_names))
        return self

    def _fit(self, data: Data, trace: Trace) -> None:
        self._learn(data, trace)

    def _learn(self, data: Data, trace: Trace, validation: Data | None = None, once: bool = False) -> None:
        several_labels = data.y.ndim == 2
        softmax = not several_labels and len(self.classes_) > 2
        outputs = len(self.classes_) if several_labels or softmax else 1
        self._check_warm_start(outputs, softmax)
        self.out_activation_ = "softmax" if softmax else "logistic"
        if validation is not None:
            y = validation.y.reshape(validation.n, -1).astype(np.float64)
            validation = Data(validation.X, y, validation.weight, validation.names)
        weighted = Data(data.X, data.y, self._row_weights(data), data.names)
        self._fit_network(weighted, data.y.reshape(data.n, -1), outputs, trace, validation, once)

    def _check_warm_start(self, outputs: int, softmax: bool) -> None:
        known = self.__dict__.get("n_outputs_", outputs)
        if "n_outputs_" in self.__dict__ and self.warm_start and (known != outputs or softmax != self._one_of_several):
            raise DataError(
                f"{type(self).__name__}: warm_start needs the same classes as in the previous fit, which had "
                f"{known} outputs; y now needs {outputs}. Pass rows of the same classes, or set warm_start=False"
            )

    def _row_weights(self, data: Data) -> Array | None:
        if self.class_weight is None or data.y.ndim == 2:
            if self.class_weight is not None:
                raise ParameterError(f"{type(self).__name__}: class_weight needs one class per row; pass sample_weight")
            return data.weight
        factors = class_weights(self.class_weight, self.classes_, data.y, data.weight, type(self).__name__)[data.y]
        return np.asarray(factors if data.weight is None else factors * data.weight)

    def _partial_fit(self, X: Any, y: Any, sample_weight: Any = None, classes: Any = None) -> Self:
        """One epoch over the rows."""
        params.check(self)
        if self.early_stopping:
            raise ParameterError(f"{type(self).__name__}: partial_fit does not support early_stopping=True")
        if self.class_weight == "balanced":
            raise ParameterError(
                f"{type(self).__name__}: partial_fit cannot balance classes; pass class_weight as a dict"
            )
        matrix, names = self._enter(X)
        known = "n_outputs_" in self.__dict__
        if known:
            self._check_columns(matrix, names)
        labels = self._validator.any_target(y, matrix.shape[0], several=True)
        every = self._all_classes(classes, known, labels)
        weight = self._validator.weights(sample_weight, matrix.shape[0])
        with self._fitting(matrix, labels, weight, going_on=True) as trace:
            if not known:
                self._remember_columns(matrix, names)
            self.classes_ = every
            codes = self._codes(y, matrix.shape[0])
            self._learn(Data(matrix, codes, weight, names), trace, once=True)
        return self

    def _all_classes(self, classes: Any, known: bool, labels: Array) -> Array:
        """All classes, as the first call of `partial_fit` names them."""
        if known and classes is None:
            return np.asarray(self.classes_)
        if labels.ndim == 2 and labels.shape[1] > 1:
            return np.arange(labels.shape[1])
        if classes is None:
            raise DataError(
                f"{type(self).__name__}: the first call to partial_fit needs classes, the list of all labels"
            )
        every = np.unique(np.asarray(classes))
        if known and not np.array_equal(every, self.classes_):
            raise DataError(
                f"{type(self).__name__}: classes={every.tolist()!r:.60} is not the same as on the first call to "
                f"partial_fit, which named {self.classes_.tolist()!r:.60}"
            )
        return every

    def _codes(self, y: Any, rows: int) -> Array:
        """The code of each row's label among `classes_`; zeros and ones where rows have several labels."""
        present, codes = self._validator.labels(y, rows)
        if codes.ndim == 2:
            if codes.shape[1] != len(self.classes_):
                raise DataError(f"{type(self).__name__}: y has {codes.shape[1]} labels; expected {len(self.classes_)}")
            return codes
        strange = [label for label in present.tolist() if label not in self.classes_.tolist()]
        if strange:
            raise DataError(
                f"{type(self).__name__}: y holds {strange[0]!r:.40}, which is not one of the classes "
                f"{self.classes_.tolist()!r:.80}"
            )
        return np.asarray(np.searchsorted(self.classes_, present)[codes])

    def _targets(self, y: Any, rows: int) -> Array:
        return np.asarray(self._codes(y, rows), dtype=np.float64).reshape(rows, -1)

    def _stratifies(self, y: Array) -> bool:
        return len(self.classes_) == 2 and y.shape[1] == 1

    def _score_of(self, predictions: Array, y: Array, weight: Array | None) -> float:
        if self._one_of_several:
            right = predictions.argmax(axis=1) == y[:, 0]
        else:
            right = ((predictions > 0.5) == (y > 0.5)).all(axis=1)
        return float(np.average(right, weights=weight))

    @property
    def _labels_per_row(self) -> bool:
        return not self._one_of_several and self.n_outputs_ > 1

    def _probabilities(self, X: Matrix) -> Array:
        found = self._outputs(X)
        if found.shape[1] > 1:
            return found
        return np.ones_like(found) if len(self.classes_) == 1 else np.column_stack([1 - found[:, 0], found[:, 0]])

    def _classify(self, X: Matrix) -> Array:
        if self._labels_per_row:
            return (self._probabilities(X) > 0.5).astype(np.int64)
        return super()._classify(X)
