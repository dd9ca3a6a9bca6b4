"""The vote of the nearest rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import Array, Data, Matrix, ProbabilisticClassifier, Trace, Traits, estimator, learned, param
from ..engines.cv_path import FoldPaths
from ..engines.folds import Fold
from ._all_k_scores import class_paths
from ._feature_weights import FeatureWeights, class_loss, learn_weights, of_features
from ._neighbors_base import LeavingOut, WithNearest, flaw_of_codes
from ._neighbour_weights import polled
from ._voting import SAYS, is_weighting, shares


@estimator
class KNeighborsClassifier(WithNearest, LeavingOut, ProbabilisticClassifier):
    """The k-nearest neighbours classifier: the majority class among the k nearest training rows.

    P(c | x) = sum of w_i over the neighbours of class c / sum of w_i over all,    over the k rows nearest to x

    Votes count alike, by 1 / distance or by exp(-distance^2 / 2); of tied classes the first wins, of rows equally far
    the first. Neighbours are exact whatever the algorithm. All k are compared in one pass by GridSearchCV over
    n_neighbors and by `score_every_k`. A weighted row counts for as many neighbours. [Cover and Hart, 1967]

    >>> KNeighborsClassifier(n_neighbors=3).fit([[0], [1], [2], [8], [9]], ["a", "a", "a", "b", "b"]).predict([[7]])
    array(['b'], dtype='<U1')
    """

    n_neighbors: int = param(
        5, "number of neighbours", at_least=1, kw_only=False, tune=(1, 3, 5, 9, 15, 25), simpler="larger"
    )
    weights: Any = param(
        "uniform",
        "weight of a neighbour: uniform, by distance, or a function of the distances",
        accepts=is_weighting,
        says=SAYS,
    )
    feature_weights: FeatureWeights = param(
        None, 'factor of each column in the distance, or "learn" to fit them by leave-one-out'
    )

    classes_: Any = learned("the classes, sorted; a list with those of each target if there are several")
    outputs_2d_: bool = learned("whether the target was two-dimensional")
    codes_: Array = learned("class of each row kept", shape="rows targets")
    counts_: Array | None = learned("weight of each row kept, None if all count alike", shape="rows")
    feature_weights_: Array | None = learned("factor of each column, None if all are 1", shape="columns")

    traits = Traits(multi_target=True)
    validation_paths = ("n_neighbors",)
    title = "k-nearest neighbours classifier"
    reference = "Cover and Hart, 1967"

    def _fit(self, data: Data, trace: Trace) -> None:
        kept = self._counting(data)
        self.outputs_2d_ = data.y.ndim == 2
        self.codes_ = np.ascontiguousarray(data.y.reshape(data.n, -1)[kept]).astype(np.int64)
        self.counts_ = None if data.weight is None else data.weight[kept]
        X = data.X[kept]
        self.feature_weights_ = learn_weights(self, X, self.codes_, class_loss)
        self._keep(of_features(X, self.feature_weights_))
        trace.exact("the training rows themselves are kept")

    def _probabilities(self, X: Matrix) -> Any:
        rows, weight = polled(self, X)
        found = [shares(self.codes_[rows, target], weight, len(labels)) for target, labels in enumerate(self._labels)]
        return found if isinstance(self.classes_, list) else found[0]

    def _unsound(self) -> str:
        return flaw_of_codes(self.codes_, self._labels)

    @property
    def _labels(self) -> list[Array]:
        return self.classes_ if isinstance(self.classes_, list) else [self.classes_]

    def _training_data(self, X: Any, y: Any, sample_weight: Any) -> tuple[Data, list[str] | None]:
        """Rows and class codes in the form that a search over folds needs."""
        matrix, names = self._enter(X)
        self.classes_, codes = self._validator.classes(y, matrix.shape[0])
        return Data(matrix, codes, self._validator.weights(sample_weight, matrix.shape[0]), names), names

    def _validation_path(self, parameter: str, values: list[Any], data: Data, parts: list[Fold]) -> FoldPaths | None:
        return class_paths(self, values, data, parts)
