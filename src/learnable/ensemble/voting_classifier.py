"""Voting of classifiers."""

from __future__ import annotations

from numbers import Real
from typing import Any, Literal

import numpy as np

from ..core import Array, ParameterError, Trace, WithContainers, available_if, estimator, param
from ..core.files.learned_limits import flaw_of_members
from ..preprocessing import LabelEncoder
from ._voting.voting_base import NO_ARGUMENTS, VotingClassifierBase, is_list


def _votes_softly(model: Any) -> bool:
    if model.voting == "hard":
        raise AttributeError(f"predict_proba is not available when voting={model.voting!r}")
    return True


@estimator
class VotingClassifier(VotingClassifierBase, WithContainers):
    """Voting classifier: the class with most votes of several classifiers, or with the largest mean probability.

    hard: argmax_k sum_j w_j [h_j(x) = k],    soft: argmax_k sum_j w_j p_jk(x)

    An odd number of independent classifiers, each with accuracy above 1/2, has a smaller error than any of them.
    [Kittler et al., 1998]

    >>> from learnable import DecisionTreeClassifier, GaussianNB
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], ["a", "a", "b", "b"]
    >>> vote = VotingClassifier([("tree", DecisionTreeClassifier()), ("bayes", GaussianNB())], voting="soft")
    >>> vote.fit(X, y).predict([[0.1], [2.9]])
    array(['a', 'b'], dtype='<U1')
    """

    voting: Literal["hard", "soft"] = param(
        "hard", "majority vote of predicted classes, or mean of predicted probabilities"
    )
    weights: Any = param(
        None, "weight of each classifier; None for equal weights", accepts=is_list, says="a list of numbers or None"
    )
    flatten_transform: bool = param(
        True, "whether `transform` returns the probabilities of all classifiers as columns of one matrix"
    )
    verbose: bool = param(False, "whether to print how long each fit took")

    title = "voting classifier"
    reference = "Kittler, Hatef, Duin and Matas, On combining classifiers, IEEE PAMI 20, 1998"

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        if tags.transformer_tags is not None:
            tags.transformer_tags.preserves_dtype = []  # votes are integers
        return tags

    @property
    def le_(self) -> LabelEncoder:
        """The encoder of classes as the codes that the classifiers are fitted to."""
        return LabelEncoder().fit(self.classes_)

    def _unsound(self) -> str:
        """Each classifier predicts codes of the classes."""
        flaw = flaw_of_members(self.estimators_, self.__dict__.get("n_features_in_"), len(self.classes_))
        return super()._unsound() or flaw

    def _check_estimators(self) -> None:
        super()._check_estimators()
        check_weights(self)

    def _fit_all(
        self, X: Any, target: Array, weight: Array | None, trace: Trace, metadata: dict[str, Any] = NO_ARGUMENTS
    ) -> None:
        super()._fit_all(X, target, weight, trace, metadata)
        if self.voting == "soft":
            self._check_probabilities("use voting='hard'")

    def _classify(self, X: Any) -> Array:
        if self.voting == "soft":
            return np.asarray(self.predict_proba(X).argmax(axis=1))
        votes, weight = self._votes(X), active_weights(self)
        counts = np.zeros((len(votes), len(self.classes_)))
        for j, column in enumerate(votes.T):
            counts[np.arange(len(votes)), column] += 1.0 if weight is None else weight[j]
        return np.asarray(counts.argmax(axis=1))

    def _votes(self, X: Any) -> Array:
        return np.stack([np.asarray(model.predict(X), dtype=np.int64) for model in self.estimators_], axis=1)

    def _probas(self, X: Any) -> Array:
        return np.stack([model.predict_proba(X) for model in self.estimators_])

    @available_if(_votes_softly)
    def predict_proba(self, X: Any) -> Array:
        """The mean probability of each class over the classifiers."""
        self._require_fit()
        return np.average(self._probas(X), axis=0, weights=active_weights(self))

    def transform(self, X: Any) -> Any:
        """Predictions of each classifier: class codes or probabilities, as columns or as a stack of matrices."""
        from ..core.sklearn_api.output_containers import wrapped

        self._require_fit()
        if self.voting == "hard":
            return wrapped(self._votes(X), X, self)
        proba = self._probas(X)
        return wrapped(np.hstack(list(proba)), X, self) if self.flatten_transform else proba

    def fit_transform(self, X: Any, y: Any = None, sample_weight: Any = None, **arguments: Any) -> Any:
        """Fit, and return the predictions of each classifier for the same rows."""
        return self.fit(X, y, sample_weight, **arguments).transform(X)

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """Names of the columns of `transform`."""
        self._require_fit()
        name = type(self).__name__.lower()
        if self.voting == "hard":
            return np.array([f"{name}_{model}" for model, _ in self._active()], dtype=object)
        if not self.flatten_transform:
            raise ValueError("get_feature_names_out: probabilities have column names only with flatten_transform=True")
        columns = range(len(self.classes_))
        return np.array([f"{name}_{model}{k}" for model, _ in self._active() for k in columns], dtype=object)


def active_weights(model: Any) -> list[float] | None:
    """The weights of the estimators that are not dropped."""
    if model.weights is None:
        return None
    entries = zip(model.estimators, model.weights, strict=True)
    return [float(weight) for entry, weight in entries if not isinstance(entry[1], str)]


def check_weights(model: Any) -> None:
    """Raise an error for weights that do not define a weighted mean of the estimators."""
    if model.weights is None:
        return
    owner = type(model).__name__
    if len(model.weights) != len(model.estimators):
        raise ParameterError(f"{owner}: {len(model.weights)} weights for {len(model.estimators)} estimators")
    if not all(isinstance(weight, Real) and np.isfinite(float(weight)) for weight in model.weights):
        raise ParameterError(f"{owner}: weights must be finite numbers; got {model.weights!r:.80}")
    if not sum(active_weights(model) or ()) > 0:
        raise ParameterError(
            f"{owner}: the sum of the weights of the estimators must be positive; got {model.weights!r:.80}"
        )
