"""Classification of sequences by a hidden Markov model for each class."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from ..core import Array, DataError, Estimator, ParameterError, Traits, cloned, estimator, learned, param
from ..core.declare import params as declared
from ..core.errors import not_fitted
from ..engines.iterate import record_components
from ._hmm.hmm_base import HiddenMarkovModel
from ._sequence_input import Sequences, read_sequences, sequence_weights
from .gaussian_hmm import GaussianHMM


@estimator
class HMMClassifier(Estimator):
    """Classification of sequences by hidden Markov models: one for each class, and Bayes' rule.

    P(k | x) = pi_k L_k(x) / sum over classes j of pi_j L_j(x),    L_k the likelihood of the model of class k

    `X` is a list of sequences, an array (sequences, steps, columns), or a table with `lengths`; `y` has a label for
    each sequence. The priors pi are class frequencies unless given. [Rabiner, 1989]

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = [rng.standard_normal((20, 1)) + kind * (np.arange(20) % 2)[:, None] * 4 for kind in (0, 1) * 4]
    >>> model = HMMClassifier(GaussianHMM(2, random_state=0, n_iter=50)).fit(X, ["flat", "jumps"] * 4)
    >>> model.predict(X[:2]).tolist()
    ['flat', 'jumps']
    """

    estimator: Any = param(None, "the hidden Markov model of a class; None: GaussianHMM()", kw_only=False)
    priors: Array | None = param(None, "prior probabilities of the classes; None: class frequencies", at_least=0)
    classes_: Array = learned("class labels, sorted", shape="classes")
    class_prior_: Array = learned("prior probability of each class", shape="classes", probabilities=True)
    estimators_: list[Any] = learned("the fitted model of each class", counts="classes")

    title = "classification of sequences by hidden Markov models"
    reference = "Rabiner, A tutorial on hidden Markov models and selected applications in speech recognition, 1989"
    traits = Traits(task="classification", takes="sequences", missing="native")

    def fit(self, X: Any, y: Any, lengths: Any = None, sample_weight: Any = None) -> Self:
        """Learn a model of the sequences of each class."""
        declared.check(self)
        owner = type(self).__name__
        model = GaussianHMM() if self.estimator is None else self.estimator
        if not isinstance(model, HiddenMarkovModel):
            raise ParameterError(
                f"{owner}: estimator must be a hidden Markov model such as GaussianHMM(); got {model!r:.60}"
            )
        data = read_sequences(self, X, lengths)
        classes, codes = self._validator.classes(y, len(data.lengths))
        weight = sequence_weights(owner, sample_weight, len(data.lengths))
        with self._fitting(data.X, codes, weight) as trace:
            self._remember_columns(data.X, data.names)
            self.classes_ = classes
            counts = np.bincount(codes, weight, len(classes))
            self.class_prior_ = self._priors(counts)
            self.estimators_ = []
            for code in range(len(classes)):
                own = data.only((codes == code) & (weight > 0))
                one = cloned(model).fit(own.X, own.lengths, sample_weight=weight[(codes == code) & (weight > 0)])
                self.estimators_.append(one)
            record_components(trace, self.estimators_)
        return self

    def _priors(self, counts: Array) -> Array:
        owner = type(self).__name__
        if (counts <= 0).any():
            raise DataError(f"{owner}: the class {self.classes_[int(np.argmin(counts))]!r} has no sequence with weight")
        if self.priors is None:
            return np.asarray(counts / counts.sum())
        given = np.asarray(self.priors, dtype=np.float64)
        if given.shape != counts.shape or not np.isclose(given.sum(), 1):
            raise ParameterError(f"{owner}: priors must have a number for each of {len(counts)} classes, with sum 1")
        return given

    def _unsound(self) -> str:
        """Every class has a hidden Markov model."""
        models = all(isinstance(one, HiddenMarkovModel) for one in self.estimators_)
        return "" if models else "estimators_ must be hidden Markov models"

    def predict_log_joint(self, X: Any, lengths: Any = None) -> Array:
        """Log prior plus log likelihood of each sequence, a column per class."""
        data = self._known(X, lengths)
        scores = [one.score_sequences(data.X, data.lengths) for one in self.estimators_]
        with np.errstate(divide="ignore"):
            return np.asarray(np.stack(scores, axis=1) + np.log(self.class_prior_))

    def predict_proba(self, X: Any, lengths: Any = None) -> Array:
        """The probability of each class, a row per sequence."""
        joint = self.predict_log_joint(X, lengths)
        most = joint.max(axis=1, keepdims=True)
        if not np.isfinite(most).all():
            s = int(np.argmin(np.isfinite(most[:, 0])))
            raise DataError(f"{type(self).__name__}: sequence {s} has the likelihood 0 in every class")
        weights = np.exp(joint - most)
        return np.asarray(weights / weights.sum(axis=1, keepdims=True))

    def predict(self, X: Any, lengths: Any = None) -> Array:
        """The most probable class of each sequence."""
        return np.asarray(self.classes_[self.predict_log_joint(X, lengths).argmax(axis=1)])

    def score(self, X: Any, y: Any, lengths: Any = None, sample_weight: Any = None) -> float:
        """The fraction of sequences whose class is predicted correctly."""
        return float(np.average(self.predict(X, lengths) == np.asarray(y), weights=sample_weight))

    def _known(self, X: Any, lengths: Any) -> Sequences:
        if not self.__sklearn_is_fitted__():
            raise not_fitted(self)
        data = read_sequences(self, X, lengths)
        self._check_columns(data.X, data.names)
        return data

    def __sklearn_is_fitted__(self) -> bool:
        return "estimators_" in self.__dict__
