"""The baseline of classification: answers that do not look at the columns."""

from __future__ import annotations

from typing import Literal

import numpy as np

from ..core import Array, Data, DataError, Matrix, RandomState, Trace, estimator, learned, param
from ..core.classifier import ProbabilisticClassifier
from ..core.random import stream


@estimator
class DummyClassifier(ProbabilisticClassifier):
    """The most frequent class, random classes, or a given class for every row: what any model must beat.

    class_prior_k = sum of the weights of rows of class k / sum of all weights

    "prior" and "most_frequent" predict the largest of these; "prior" gives them as probabilities. "stratified" draws
    classes in proportion, "uniform" all alike. Any table will do, with text and gaps. [Quetelet, 1835]

    >>> DummyClassifier().fit([["a"], ["b"], ["c"]], ["yes", "no", "yes"]).predict([["d"]])
    array(['yes'], dtype='<U3')
    """

    strategy: Literal["most_frequent", "prior", "stratified", "uniform", "constant"] = param(
        "prior", "what is predicted"
    )
    random_state: RandomState = param(None, "seed of random classes")
    constant: str | float | bool | Array | None = param(None, 'the class for "constant"')
    classes_: Array = learned("the classes, sorted", shape="classes")
    class_prior_: Array = learned("share of each class among the rows", shape="classes")
    n_classes_: int = learned("number of classes")
    n_outputs_: int = learned("number of targets, always 1")
    sparse_output_: bool = learned("always False: answers are dense")

    takes = "table"
    missing = "native"
    sparse = True
    categorical = True
    stochastic = True
    baseline = True
    reference = "Quetelet, Sur l'homme et le développement de ses facultés, 1835"

    def _fit(self, data: Data, trace: Trace) -> None:
        counts = np.bincount(data.y, weights=data.weight, minlength=len(self.classes_))
        self.class_prior_ = counts / counts.sum()
        self.n_classes_, self.n_outputs_, self.sparse_output_ = len(self.classes_), 1, False
        if self.strategy == "constant":
            self._chosen()
        trace.record(float(1 - self.class_prior_.max()))
        trace.stopped = "exact"
        trace.certify("exact", 0.0, 0.0, "the shares are counted in the targets directly.")

    def _chosen(self) -> int:
        """The place of the given class."""
        if self.constant is None:
            raise DataError(
                "DummyClassifier: Constant target value has to be specified when the constant strategy is used"
            )
        wanted = np.ravel(np.asarray(self.constant))
        places = np.flatnonzero(self.classes_ == wanted[0]) if len(wanted) == 1 else np.empty(0, dtype=int)
        if len(places) != 1:
            raise DataError(
                "DummyClassifier: The constant target value must be present in the training data. You provided "
                f"constant={self.constant!r}. Possible values are: {self.classes_.tolist()!s:.80}."
            )
        return int(places[0])

    def _probabilities(self, X: Matrix) -> Array:
        n, prior = X.shape[0], self.class_prior_
        if self.strategy == "stratified":
            return stream(self.random_state).multinomial(1, prior, size=n).astype(np.float64)
        if self.strategy == "uniform":
            prior = np.full(len(prior), 1 / len(prior))
        elif self.strategy != "prior":
            place = prior.argmax() if self.strategy == "most_frequent" else self._chosen()
            prior = np.eye(len(prior))[place]
        return np.tile(prior, (n, 1))

    def _classify(self, X: Matrix) -> Array:
        if self.strategy == "uniform":
            return np.asarray(stream(self.random_state).randint(len(self.classes_), size=X.shape[0]))
        return np.asarray(self._probabilities(X).argmax(axis=1))
