"""Forests that tell classes apart."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

import numpy as np

from ..core import Array, Data, Matrix, ProbabilisticClassifier, Trace, declaring, learned, param
from ..core.errors import DataError, ParameterError, warn
from ..engines.growth_limits import MaxFeatures, dense
from ..engines.trees import Ground
from ..parts.class_weights import row_weights
from .forest import TreeForest
from .out_of_bag import judged


@declaring
class ClassForest(TreeForest, ProbabilisticClassifier):
    """A forest that answers with the mean of the shares of classes in the leaves of all trees."""

    criterion: Literal["gini", "entropy", "log_loss"] = param("gini", "what a division removes most of")
    max_features: MaxFeatures = param(
        "sqrt", "columns tried at a node, drawn at random: number, share or rule", above=0
    )
    class_weight: Any = param(
        None, 'weight of each class, "balanced" to let all count alike, "balanced_subsample" for each tree anew'
    )
    classes_: Array | list[Array] = learned("the classes, sorted; a list if there are several targets")
    n_classes_: int | list[int] = learned("number of classes; a list for several targets")
    oob_decision_function_: Array = learned("shares of the classes by the trees that did not see a row", optional=True)

    def _fit(self, data: Data, trace: Trace) -> None:
        labels = self._labels()
        codes = data.y[:, None] if data.y.ndim == 1 else data.y
        sizes = [len(of_target) for of_target in labels]
        self.n_classes_ = sizes if isinstance(self.classes_, list) else sizes[0]
        anew = self.class_weight == "balanced_subsample" if isinstance(self.class_weight, str) else False
        weight = np.ones(len(codes)) if data.weight is None else data.weight
        if not (anew and self.bootstrap):
            asked = "balanced" if anew else self.class_weight
            weight = weight * row_weights(asked, labels, codes, data.weight, type(self).__name__)
        gini = self.criterion == "gini"
        unit = (1.0 if gini else np.log(2)) * len(sizes) * (0.5 if gini and sizes == [2] else 1.0)
        ground = self._ground(data, weight, unit)
        if ground.growth.direction and sizes != [2]:
            raise ParameterError(
                f"{type(self).__name__}: Monotonicity constraints are not supported with several classes"
            )
        if anew and ground.draws is not None:
            offsets = np.concatenate([[0], np.cumsum(sizes)])
            label = np.ascontiguousarray(codes + offsets[:-1], dtype=np.int32)
            ground = replace(ground, draws=replace(ground.draws, label=label, classes=int(offsets[-1])))
        self._warn_of_presets()
        criterion = "gini" if gini else "entropy"
        self._keep(ground, lambda ground: ground.forest_of_classes(codes, sizes, criterion), trace)
        self._judge(ground, codes, data.weight)

    def _labels(self) -> list[Array]:
        return self.classes_ if isinstance(self.classes_, list) else [self.classes_]

    def _warn_of_presets(self) -> None:
        if self.warm_start and isinstance(self.class_weight, str):
            warn(
                'class_weight presets "balanced" or "balanced_subsample" are not recommended for warm_start if the '
                "fitted data differs from the full dataset.",
                UserWarning,
            )

    def _judge(self, ground: Ground, codes: Array, weight: Array | None) -> None:
        if not self.oob_score or ground.draws is None:
            return
        targets = codes.shape[1]
        if targets > 1 and set(self.n_classes_) != {2}:  # type: ignore[arg-type]  # a list with several targets
            raise DataError(
                f"{type(self).__name__}: out-of-bag rows of several targets are judged for two classes each"
            )

        def score(shares: Array, rows: Array) -> float:
            found = shares.reshape(len(rows), targets, -1).argmax(axis=2)
            if callable(self.oob_score):
                return float(self.oob_score(self._named(codes[rows]), self._named(found)))
            right = (found == codes[rows]).all(axis=1)
            return float(np.average(right, weights=None if weight is None else weight[rows]))

        counts = ground.draws.counts(self.seeds_)
        shares, self.oob_curve_, self.oob_score_ = judged(self.forest_, ground.columns.numbers, counts, score)
        table = shares.reshape(len(codes), targets, -1)
        self.oob_decision_function_ = table[:, 0] if targets == 1 else table.transpose(0, 2, 1)

    def _named(self, codes: Array) -> Array:
        """Classes by their labels, as the truth came."""
        named = [labels[codes[:, t]] for t, labels in enumerate(self._labels())]
        return named[0] if len(named) == 1 else np.stack(named, axis=1)

    def _probabilities(self, X: Matrix) -> Any:
        found = self.forest_.means(dense(X))
        if not isinstance(self.classes_, list):
            return found[:, 0]
        return [found[:, t, : len(labels)] for t, labels in enumerate(self.classes_)]

    def _facts(self) -> dict[str, Any]:
        numbered = [np.arange(len(labels), dtype=float) for labels in self._labels()]
        several = isinstance(self.classes_, list)
        return {"classes_": numbered if several else numbered[0], "n_classes_": self.n_classes_}
