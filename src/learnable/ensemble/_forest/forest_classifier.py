"""Base class of forest classifiers."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core import Array, Data, Matrix, Trace, Traits, declaring, learned, param
from ...core.errors import DataError, warn
from ...engines.trees.builder import Draws
from ...engines.trees.classification_target import ClassificationTarget
from ...engines.trees.growth_limits import MaxFeatures
from ...engines.trees.tree_checks import flaw_of_labels
from ...parts.class_weights import row_weights
from ...tree._class_leaves import TreeClassifierLeaves
from .._out_of_bag import out_of_bag_scores
from .forest_base import ForestBase


@declaring
class ForestClassifierBase(ForestBase, TreeClassifierLeaves):
    """Base class of forests whose class probabilities are the mean over the trees."""

    max_features: MaxFeatures = param(
        "sqrt", "columns tried at each node: number, fraction or rule", above=0, tune=("sqrt", 0.3, 0.6, 1.0)
    )
    class_weight: Any = param(
        None, 'weight of each class; "balanced" for equal total weights, "balanced_subsample" for each bootstrap sample'
    )
    oob_decision_function_: Array = learned("out-of-bag class probabilities of each training row", optional=True)

    traits = Traits(warm_start_keeps_classes=True)

    def _flaw_of_leaves(self, targets: int, width: int) -> str:
        return flaw_of_labels(self._labels(), targets, width)

    def _fit(self, data: Data, trace: Trace) -> None:
        target = ClassificationTarget.of(data.y, self.classes_, self.criterion)
        self.n_classes_ = target.sizes if isinstance(self.classes_, list) else target.sizes[0]
        weight = np.ones(data.n) if data.weight is None else data.weight
        per_sample = isinstance(self.class_weight, str) and self.class_weight == "balanced_subsample"
        balanced = per_sample and self.bootstrap
        if self.class_weight is not None and not balanced:
            requested, owner = "balanced" if per_sample else self.class_weight, type(self).__name__
            weight = weight * row_weights(requested, self._labels(), target.codes, data.weight, owner)
        if self.warm_start and isinstance(self.class_weight, str):
            warn(
                f"class_weight={self.class_weight!r} is computed again from the rows of every warm start; "
                "pass explicit class weights instead",
                UserWarning,
            )
        columns, draws = self._grow(target, data, weight, trace, target.labels if balanced else None)
        if self.oob_score and draws is not None:
            self._score_out_of_bag(columns.numbers, draws, target.codes, data.weight)

    def _score_out_of_bag(self, X: Array, draws: Draws, codes: Array, weight: Array | None) -> None:
        targets = codes.shape[1]
        if targets > 1 and any(len(labels) != 2 for labels in self._labels()):
            raise DataError(f"{type(self).__name__}: oob_score of several targets needs two classes for each target")

        def score(proba: Array, rows: Array) -> float:
            predicted = proba.reshape(len(rows), targets, -1).argmax(axis=2)
            if callable(self.oob_score):
                return float(self.oob_score(self._named(codes[rows]), self._named(predicted)))
            correct = (predicted == codes[rows]).all(axis=1)
            return float(np.average(correct, weights=None if weight is None else weight[rows]))

        counts = draws.counts(self.seeds_)
        proba, self.oob_curve_, self.oob_score_ = out_of_bag_scores(self.forest_, X, counts, score)
        table = proba.reshape(len(codes), targets, -1)
        self.oob_decision_function_ = table[:, 0] if targets == 1 else table.transpose(0, 2, 1)

    def _named(self, codes: Array) -> Array:
        """Class labels of codes."""
        named = [labels[codes[:, t]] for t, labels in enumerate(self._labels())]
        return named[0] if len(named) == 1 else np.stack(named, axis=1)

    def _probabilities(self, X: Matrix) -> Any:
        return self._split_targets(self.forest_.means(self._coded(X)))

    def _facts(self) -> dict[str, Any]:
        numbered = [np.arange(len(labels), dtype=float) for labels in self._labels()]
        several = isinstance(self.classes_, list)
        return {"classes_": numbered if several else numbered[0], "n_classes_": self.n_classes_}
