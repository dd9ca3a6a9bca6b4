"""Baseline classifier that ignores the features."""

from __future__ import annotations

from typing import Any, Literal, Self

import numpy as np

from ..core import Array, Data, DataError, Matrix, RandomState, Trace, Traits, estimator, learned, param
from ..core.errors import warn
from ..core.roles.classifier import ProbabilisticClassifier
from ..core.runtime.random import stream
from ..core.validate.targets import as_sparse_labels, is_sparse, shape_of
from ._any_rows import OfAnyRows, some_rows


@estimator
class DummyClassifier(OfAnyRows, ProbabilisticClassifier):
    """Baseline classifier: the most frequent class, random classes or a constant class, ignoring the features.

    class_prior_k = sum of the weights of rows of class k / sum of all weights

    "prior" and "most_frequent" predict the largest of these; "prior" gives them as probabilities. "stratified" draws
    classes in proportion, "uniform" all alike. Any table will do, with text and missing values. [Quetelet, 1835]

    >>> DummyClassifier().fit([["a"], ["b"], ["c"]], ["yes", "no", "yes"]).predict([["d"]])
    array(['yes'], dtype='<U3')
    """

    strategy: Literal["most_frequent", "prior", "stratified", "uniform", "constant"] = param("prior", "prediction rule")
    random_state: RandomState = param(None, "seed of random classes")
    constant: str | float | bool | Array | None = param(
        None, 'predicted class, or one per target, for strategy="constant"'
    )
    classes_: Array | list[Array] = learned("the classes, sorted; a list if there are several targets")
    class_prior_: Array | list[Array] = learned("relative frequency of each class; a list for several targets")
    n_classes_: int | list[int] = learned("number of classes; a list for several targets")
    n_outputs_: int = learned("number of targets")
    sparse_output_: bool = learned("whether predictions are a sparse matrix, as the targets were")

    traits = Traits(
        takes="table",
        sparse=True,
        storage="csr",
        missing="native",
        categorical=True,
        multi_target=True,
        stochastic=True,
        baseline=True,
    )
    title = "baseline classifier"
    reference = "Quetelet, Sur l'homme et le développement de ses facultés, 1835"

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Count the classes of `y`, also of several targets in a sparse matrix; `X` is ignored."""
        marks = is_sparse(y)
        if marks and self.strategy == "uniform":
            warn("A uniform draw of every target is dense: predictions will be an array.", UserWarning)
        y = y.toarray() if marks else y
        if len(shape_of(y)) == 2 and shape_of(y)[1] == 1:
            y = np.asarray(y)[:, 0]  # a target of one column
        super().fit(some_rows(X, y), y, sample_weight)
        self.sparse_output_ = marks and self.strategy != "uniform"
        return self

    def predict(self, X: Any) -> Any:
        """The predicted class of each row; where there are several targets, of each."""
        found = super().predict(X)
        return as_sparse_labels(found) if self.sparse_output_ else found

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Accuracy of the predictions; `X` may be None."""
        return super().score(some_rows(X, y, self.__dict__.get("n_features_in_", 1)), y, sample_weight)

    def _unsound(self) -> str:
        """Every class of every target has a probability."""
        labels, priors = self._labels(), self.class_prior_
        priors = priors if isinstance(priors, list) else [priors]
        arrays = [*labels, *priors]
        sound = all(isinstance(one, np.ndarray) and one.ndim == 1 and len(one) for one in arrays)
        sound = sound and len(labels) == len(priors) == self.n_outputs_
        sound = sound and all(len(one) == len(prior) for one, prior in zip(labels, priors, strict=True))
        return "" if sound else "class_prior_ must hold a probability for each class of each target"

    def _fit(self, data: Data, trace: Trace) -> None:
        several = isinstance(self.classes_, list)
        priors = []
        for labels, codes in zip(self._labels(), data.y.T if several else [data.y], strict=True):
            counts = np.bincount(codes, weights=data.weight, minlength=len(labels))
            priors.append(counts / counts.sum())
        self.class_prior_ = priors if several else priors[0]
        self.n_classes_ = [len(prior) for prior in priors] if several else len(priors[0])
        self.n_outputs_, self.sparse_output_ = len(priors), False
        if self.strategy == "constant":
            self._chosen()
        trace.exact("the shares are counted in the targets directly.", float(1 - np.mean([p.max() for p in priors])))

    def _labels(self) -> list[Array]:
        return self.classes_ if isinstance(self.classes_, list) else [self.classes_]

    def _priors(self) -> list[Array]:
        return self.class_prior_ if isinstance(self.class_prior_, list) else [self.class_prior_]

    def _chosen(self) -> list[int]:
        """The place of the given class of each target."""
        if self.constant is None:
            raise DataError("DummyClassifier: strategy='constant' needs the parameter constant")
        requested = np.ravel(np.asarray(self.constant))
        indices = [np.flatnonzero(labels == value) for labels, value in zip(self._labels(), requested, strict=False)]
        if len(requested) != self.n_outputs_ or any(len(place) != 1 for place in indices):
            known = [labels.tolist() for labels in self._labels()]
            raise DataError(
                f"DummyClassifier: constant={self.constant!r} does not occur in y, which holds "
                f"{known if self.n_outputs_ > 1 else known[0]!s:.80}"
            )
        return [int(place[0]) for place in indices]

    def _probabilities(self, X: Matrix) -> Any:
        found = self._of_each_target(X.shape[0])
        return found if isinstance(self.classes_, list) else found[0]

    def _of_each_target(self, rows: int) -> list[Array]:
        priors = self._priors()
        if self.strategy == "stratified":
            draws = stream(self.random_state)
            return [draws.multinomial(1, prior, size=rows).astype(np.float64) for prior in priors]
        if self.strategy == "uniform":
            priors = [np.full(len(prior), 1 / len(prior)) for prior in priors]
        elif self.strategy != "prior":
            indices = self._chosen() if self.strategy == "constant" else [int(prior.argmax()) for prior in priors]
            priors = [np.eye(len(prior))[place] for prior, place in zip(priors, indices, strict=True)]
        return [np.tile(prior, (rows, 1)) for prior in priors]

    def _classify(self, X: Matrix) -> Array:
        if self.strategy != "uniform":
            return super()._classify(X)
        draws = stream(self.random_state)
        codes = [draws.randint(len(labels), size=X.shape[0]) for labels in self._labels()]
        return np.column_stack(codes) if isinstance(self.classes_, list) else np.asarray(codes[0])
