"""A vote of different classifiers."""

from __future__ import annotations

from numbers import Real
from typing import Any, Literal

import numpy as np

from ..core import Array, ParameterError, Trace, WithContainers, available_if, estimator, param
from ..preprocessing import LabelEncoder
from ._voting.voting_base import ClassPanel, is_list


@estimator
class VotingClassifier(ClassPanel, WithContainers):
    """The class that most of several classifiers say, or that has the largest mean probability.

    hard: argmax_k sum_j w_j [h_j(x) = k],    soft: argmax_k sum_j w_j p_jk(x)

    An odd number of independent classifiers that are each right more often than not errs less than any of them.
    [Kittler et al., 1998]

    >>> from learnable import DecisionTreeClassifier, GaussianNB
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], ["a", "a", "b", "b"]
    >>> vote = VotingClassifier([("tree", DecisionTreeClassifier()), ("bayes", GaussianNB())], voting="soft")
    >>> vote.fit(X, y).predict([[0.1], [2.9]])
    array(['a', 'b'], dtype='<U1')
    """

    voting: Literal["hard", "soft"] = param("hard", "votes of classes, or the mean of probabilities")
    weights: Any = param(  # type: ignore[misc]  # scikit-learn's name
        None, "how much each classifier counts; None for all alike", accepts=is_list, says="a list of numbers or None"
    )
    flatten_transform: bool = param(True, "whether `transform` puts the probabilities of all classifiers side by side")
    verbose: bool = param(False, "accepted; `learnable.progress()` shows how a fit goes")

    reference = "Kittler, Hatef, Duin and Matas, On combining classifiers, IEEE PAMI 20, 1998"

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        if tags.transformer_tags is not None:
            tags.transformer_tags.preserves_dtype = []  # votes are whole numbers
        return tags

    @property
    def le_(self) -> LabelEncoder:
        """The classes as the numbers that the classifiers learn."""
        return LabelEncoder().fit(self.classes_)

    def _check_panel(self) -> None:
        super()._check_panel()
        check_weights(self)

    def _fit_all(self, X: Any, target: Array, weight: Array | None, trace: Trace) -> None:
        super()._fit_all(X, target, weight, trace)
        if self.voting == "soft":
            self._check_probabilities("use voting='hard'")

    def _classify(self, X: Any) -> Array:
        if self.voting == "soft":
            return np.asarray(self.predict_proba(X).argmax(axis=1))
        votes, weight = self._votes(X), kept_weights(self)
        counts = np.zeros((len(votes), len(self.classes_)))
        for j, column in enumerate(votes.T):
            counts[np.arange(len(votes)), column] += 1.0 if weight is None else weight[j]
        return np.asarray(counts.argmax(axis=1))

    def _votes(self, X: Any) -> Array:
        return np.stack([np.asarray(part.predict(X), dtype=np.int64) for part in self.estimators_], axis=1)

    def _shares(self, X: Any) -> Array:
        return np.stack([part.predict_proba(X) for part in self.estimators_])

    @available_if(lambda model: model.voting == "soft")
    def predict_proba(self, X: Any) -> Array:
        """The mean probability of each class over the classifiers."""
        self._require_fit()
        return np.average(self._shares(X), axis=0, weights=kept_weights(self))

    def transform(self, X: Any) -> Any:
        """What each classifier says: classes as numbers, or probabilities, side by side or one after the other."""
        from ..core.sklearn_api.output_containers import wrapped

        self._require_fit()
        if self.voting == "hard":
            return wrapped(self._votes(X), X, self)
        shares = self._shares(X)
        return wrapped(np.hstack(list(shares)), X, self) if self.flatten_transform else shares

    def fit_transform(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        """Fit, and say what each classifier says of the same rows."""
        return self.fit(X, y, sample_weight).transform(X)

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """Names of the columns of `transform`."""
        self._require_fit()
        name = type(self).__name__.lower()
        if self.voting == "hard":
            return np.array([f"{name}_{part}" for part, _ in self._live()], dtype=object)
        if not self.flatten_transform:
            raise ValueError(
                "get_feature_names_out: votes that are not flattened are no columns; set flatten_transform=True"
            )
        columns = range(len(self.classes_))
        return np.array([f"{name}_{part}{k}" for part, _ in self._live() for k in columns], dtype=object)


def kept_weights(model: Any) -> list[float] | None:
    """The weights of those estimators that take part."""
    if model.weights is None:
        return None
    entries = zip(model.estimators, model.weights, strict=True)
    return [float(weight) for entry, weight in entries if not isinstance(entry[1], str)]


def check_weights(model: Any) -> None:
    """Refuse weights by which no mean can be taken over the estimators that take part."""
    if model.weights is None:
        return
    owner = type(model).__name__
    if len(model.weights) != len(model.estimators):
        raise ParameterError(f"{owner}: {len(model.weights)} weights for {len(model.estimators)} estimators")
    if not all(isinstance(weight, Real) and np.isfinite(float(weight)) for weight in model.weights):
        raise ParameterError(f"{owner}: weights must be finite numbers; got {model.weights!r:.80}")
    if not sum(kept_weights(model) or ()) > 0:
        raise ParameterError(
            f"{owner}: weights of estimators that take part must add up to more than 0; got {model.weights!r:.80}"
        )
