"""The vote of all rows within a radius."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import Array, Data, DataError, Matrix, ProbabilisticClassifier, Trace, Traits, estimator, learned, param
from ..core.errors import warn
from ..engines.neighbours import Within
from ._neighbors_base import LeavingOut, WithRadius, flaw_of_codes
from ._radius_voting import query_of, weight_of
from ._voting import SAYS, is_weighting, normalised


@estimator
class RadiusNeighborsClassifier(WithRadius, LeavingOut, ProbabilisticClassifier):
    """The radius neighbours classifier: the majority class among the training rows within a radius.

    P(c | x) = sum of w_i over rows of class c / sum of w_i over all,    over all rows with d(x, x_i) <= radius

    Rows without any neighbour are refused, or get `outlier_label`. A weighted row counts for as many. [Bentley, 1975]

    >>> RadiusNeighborsClassifier(radius=1.5).fit([[0], [1], [2], [9]], [0, 0, 1, 1]).predict([[0.5]])
    array([0])
    """

    radius: float = param(
        1.0, "neighbourhood radius", at_least=0, kw_only=False, tune=(0.5, 1.0, 2.0), simpler="larger"
    )
    weights: Any = param(
        "uniform",
        "weight of a neighbour: uniform, by distance, or a function of the distances",
        accepts=is_weighting,
        says=SAYS,
    )
    outlier_label: Any = param(
        None,
        'class of rows without neighbours, "most_frequent", or None to refuse them',
        accepts=lambda value: (
            value is None or isinstance(value, (str, int, float, np.generic, list, tuple, np.ndarray))
        ),
        says="a label, one per target, or None",
    )

    classes_: Any = learned("the classes, sorted; a list with those of each target if there are several")
    outputs_2d_: bool = learned("whether the target was two-dimensional")
    codes_: Array = learned("class of each row kept", shape="rows targets")
    counts_: Array | None = learned("weight of each row kept, None if all count alike", shape="rows")
    outlier_label_: list[Any] | None = learned("class of rows without neighbours, for each target")

    traits = Traits(multi_target=True)
    title = "radius neighbours classifier"
    reference = "Bentley, 1975"

    def _fit(self, data: Data, trace: Trace) -> None:
        kept = self._counting(data)
        self.outputs_2d_ = data.y.ndim == 2
        self.codes_ = np.ascontiguousarray(data.y.reshape(data.n, -1)[kept]).astype(np.int64)
        self.counts_ = None if data.weight is None else data.weight[kept]
        self.outlier_label_ = self._outlier_labels()
        self._keep(data.X[kept])
        trace.exact("the training rows themselves are kept")

    def _unsound(self) -> str:
        return flaw_of_codes(self.codes_, self._labels)

    @property
    def _labels(self) -> list[Array]:
        return self.classes_ if isinstance(self.classes_, list) else [self.classes_]

    def _outlier_labels(self) -> list[Any] | None:
        if self.outlier_label is None:
            return None
        if isinstance(self.outlier_label, str) and self.outlier_label == "most_frequent":
            often = [np.bincount(codes, self.counts_).argmax() for codes in self.codes_.T]
            return [labels[place] for labels, place in zip(self._labels, often, strict=True)]
        several = isinstance(self.outlier_label, (list, tuple, np.ndarray))
        given = list(self.outlier_label) if several else [self.outlier_label] * len(self._labels)
        if len(given) != len(self._labels):
            raise DataError(
                f"{type(self).__name__}: outlier_label holds {given} labels for {len(self._labels)} targets"
            )
        for labels, label in zip(self._labels, given, strict=True):
            if np.ndim(label) > 0:
                raise TypeError(f"{type(self).__name__}: The outlier_label of classes {labels} must be a scalar")
            if np.append(labels, label).dtype != labels.dtype:
                raise TypeError(
                    f"{type(self).__name__}: The dtype of outlier_label {label!r} is inconsistent with classes {labels}"
                )
        return given

    def predict(self, X: Any) -> Array:
        """The predicted class of each row of `X`; where there are several targets, of each."""
        found = self.predict_proba(X)
        tables = found if isinstance(found, list) else [found]
        columns = []
        for place, (sure, labels) in enumerate(zip(tables, self._labels, strict=True)):
            said = labels[sure.argmax(axis=1)]
            alone = (sure == 0).all(axis=1)
            if self.outlier_label_ is not None and alone.any():
                said[alone] = self.outlier_label_[place]
            columns.append(said)
        return np.column_stack(columns) if isinstance(self.classes_, list) else columns[0]

    def _probabilities(self, X: Matrix) -> Any:
        found = self._within(X, self.radius)
        alone = np.flatnonzero(np.diff(found[2]) == 0)
        if self.outlier_label_ is None and len(alone):
            raise DataError(
                f"{type(self).__name__}: rows {alone[:10]} have no neighbour within the radius; use a larger one, set "
                "outlier_label, or leave them out"
            )
        tables = [self._shares(found, target, alone) for target in range(len(self._labels))]
        return tables if isinstance(self.classes_, list) else tables[0]

    def _shares(self, found: Within, target: int, alone: Array) -> Array:
        labels, queries = self._labels[target], len(found[2]) - 1
        place = query_of(found) * len(labels) + self.codes_[found[1], target]
        sure = normalised(np.bincount(place, weight_of(self, found), queries * len(labels)).reshape(queries, -1))
        if len(alone) and self.outlier_label_ is not None:
            known = np.flatnonzero(labels == self.outlier_label_[target])
            if len(known):
                sure[alone, known[0]] = 1.0
            else:
                warn(
                    f"outlier_label={self.outlier_label_[target]} is none of the classes: rows without a neighbour "
                    "get a probability of 0 for each.",
                    UserWarning,
                )
        return sure
