"""Trees that tell classes apart."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from ..core import Array, Data, Matrix, ProbabilisticClassifier, Trace, declaring, learned, param
from ..core.errors import ParameterError
from ..parts.class_weights import class_weights
from .decision_tree import DecisionTree


@declaring
class ClassTree(DecisionTree, ProbabilisticClassifier):
    """A tree whose leaves answer with the shares of the classes in them."""

    criterion: Literal["gini", "entropy", "log_loss"] = param("gini", "what a division removes most of")
    class_weight: Any = param(None, 'weight of each class, "balanced" to let all count alike, None for one')
    classes_: Array | list[Array] = learned("the classes, sorted; a list if there are several targets")
    n_classes_: int | list[int] = learned("number of classes; a list for several targets")

    def _fit(self, data: Data, trace: Trace) -> None:
        labels = self.classes_ if isinstance(self.classes_, list) else [self.classes_]
        codes = data.y[:, None] if data.y.ndim == 1 else data.y
        sizes = [len(of_target) for of_target in labels]
        self.n_classes_ = sizes if isinstance(self.classes_, list) else sizes[0]
        weight = np.ones(len(codes)) if data.weight is None else data.weight
        weight = weight * self._by_class(labels, codes, data.weight)
        gini = self.criterion == "gini"
        unit = (1.0 if gini else np.log(2)) * len(sizes) * (0.5 if gini and sizes == [2] else 1.0)
        ground = self._ground(data, weight, unit)
        if ground.growth.direction and sizes != [2]:
            raise ParameterError(
                f"{type(self).__name__}: Monotonicity constraints are not supported with several classes"
            )
        self._keep(ground.classes(codes, sizes, "gini" if gini else "entropy"), trace)

    def _by_class(self, labels: list[Array], codes: Array, weight: Array | None) -> Array:
        """The product of the weights of the classes of each row."""
        given = self.class_weight if isinstance(self.class_weight, list) else [self.class_weight] * len(labels)
        if len(given) != len(labels):
            raise ParameterError(
                f"{type(self).__name__}: class_weight has {len(given)} entries for {len(labels)} targets"
            )
        product = np.ones(len(codes))
        for wanted, classes, of_target in zip(given, labels, codes.T, strict=True):
            product *= class_weights(wanted, classes, of_target, weight, type(self).__name__)[of_target]
        return product

    def predict(self, X: Any, check_input: bool = True) -> Array:
        """The class, or those of all targets, that most of the weight in the leaf of each row has."""
        return super().predict(X)

    def predict_proba(self, X: Any, check_input: bool = True) -> Any:
        """The shares of the classes in the leaf of each row of `X`; a list if there are several targets."""
        return super().predict_proba(X)

    def _probabilities(self, X: Matrix) -> Any:
        found = self._leaf_values(X)
        if not isinstance(self.classes_, list):
            return found[:, 0]
        return [found[:, t, : len(labels)] for t, labels in enumerate(self.classes_)]
