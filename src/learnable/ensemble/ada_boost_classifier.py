"""AdaBoost for classification: SAMME."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from ..core import Array, Data, Matrix, ProbabilisticClassifier, Trace, Traits, estimator, learned, param
from ..core.errors import DataError, ParameterError
from ..core.roles.classifier import accuracy_of
from ..core.validate.sparse_input import as_dense
from ..engines.iterate import State, iterate
from ..engines.trees.stumps import Stumps
from ..engines.trees.tree import Tree
from ..engines.trees.tree_stack import TreeStack
from ..tree.decision_tree_classifier import DecisionTreeClassifier
from ._boosting.adaboost_base import AdaBoostBase, AdaBoostIterations, cumulative_sums

EPSILON = np.finfo(np.float64).eps


@estimator
class AdaBoostClassifier(AdaBoostBase, ProbabilisticClassifier):
    """AdaBoost classifier: a weighted vote of weak classifiers, each fitted to rows reweighted by the errors before it.

    e_t = sum_i w_i [h_t(x_i) != y_i],   a_t = rate (log((1 - e_t) / e_t) + log(K - 1)),   w_i *= exp(a_t [wrong])

    The prediction is the class with the largest sum of votes a_t (SAMME, which is AdaBoost for two classes). Each
    iteration multiplies the mean exponential loss of the training rows by Z_t = (1 - e_t) exp(-a_t (K - 1) / K) + e_t
    exp(a_t / K). For two classes that loss bounds the training error, at a learning rate of one Z_t is 2 sqrt(e_t (1 -
    e_t)), and each iteration is a step of the additive model with the exponential loss. Stumps for two classes are
    found by one pass over presorted columns. A base estimator without sample_weight is fitted to rows resampled by
    weight. [Freund and Schapire, 1997; Hastie et al., 2009]

    >>> X, y = [[0.0], [1.0], [2.0], [3.0], [4.0]], ["a", "a", "b", "b", "a"]
    >>> AdaBoostClassifier(n_estimators=10).fit(X, y).predict([[0.5], [2.5], [4.5]])
    array(['a', 'b', 'a'], dtype='<U1')
    """

    resample: bool = param(False, "whether rows are resampled by weight even if the base estimator accepts weights")
    stump_criterion: Literal["gini", "error"] = param(
        "gini", "criterion of the default stumps for two classes: Gini impurity or weighted error"
    )
    classes_: Array = learned("the classes, sorted", shape="classes")
    n_classes_: int = learned("number of classes", counts="classes")
    bound_: Array = learned("upper bound of the training error after each iteration, for two classes", optional=True)

    traits = Traits(sparse=True, storage="given")
    title = "AdaBoost classifier"
    reference = "Freund and Schapire, A decision-theoretic generalization of on-line learning, JCSS 55, 1997"

    def _fit(self, data: Data, trace: Trace) -> None:
        self.n_classes_ = len(self.classes_)
        weight = np.ones(data.n) if data.weight is None else data.weight.astype(np.float64)
        iterations = AdaBoostIterations(weight, self._boosting_step(data, weight), self._loss, self._seed())
        state = iterate(iterations, self.n_estimators, trace)
        if not state["models"]:
            raise DataError(
                "AdaBoostClassifier: the first base estimator is no better than random guessing, so boosting cannot "
                "start; choose another estimator"
            )
        self.estimators_ = state["models"]
        self.estimator_weights_ = np.array(state["votes"])
        self.estimator_errors_ = np.array(state["errors"])
        self._certify(data, weight, trace)

    def _boosting_step(self, data: Data, weight: Array) -> Any:
        idle, fit = np.flatnonzero(weight <= 0), self._fit_function(data, weight)
        chance_level = 1 - 1 / self.n_classes_

        def boost(weight_now: Array, draws: np.random.Generator, first: bool) -> tuple[Any, float, float, Array, bool]:
            kept = np.maximum(weight_now, EPSILON)
            kept[idle] = 0.0
            model, wrong = fit(kept, draws)
            misclassified = kept * wrong
            error = float(misclassified.sum() / kept.sum())
            if error <= 0:
                return model, 1.0, 0.0, kept, True
            if error >= chance_level:
                return None, 0.0, error, kept, True
            vote = self.learning_rate * (np.log((1 - error) / error) + np.log(max(self.n_classes_ - 1.0, 1.0)))
            after = misclassified  # w + w (exp(a) - 1) where wrong, in place: the costly part for many rows
            after *= np.expm1(vote)
            after += kept
            after /= after.sum()
            return model, float(vote), error, after, False

        return boost

    def _fit_function(self, data: Data, weight: Array) -> Callable[[Array, np.random.Generator], tuple[Any, Array]]:
        """A function that fits a model to weights and returns it with the mask of misclassified rows."""
        if self.estimator is None and self.n_classes_ == 2 and not self.resample:
            X = np.asfortranarray(as_dense(data.X))
            if not np.isnan(X).any():
                return self._stump_fit_function(X, data.y, weight > 0)
        if self.stump_criterion == "error":
            raise ParameterError(
                "AdaBoostClassifier: stump_criterion='error' is for default stumps (estimator=None, resample=False), "
                "two classes and columns without missing values; leave it at 'gini'"
            )
        weighted_fit = self._weighted_fit(data, self.classes_[data.y], weight)

        def fit(kept: Array, draws: np.random.Generator) -> tuple[Any, Array]:
            model = weighted_fit.fit(kept, draws)
            return model, self._codes(model, data.X) != data.y

        return fit

    def _stump_fit_function(
        self, X: Array, codes: Array, counted: Array
    ) -> Callable[[Array, np.random.Generator], tuple[Any, Array]]:
        """The same for stumps over presorted columns."""
        among: Any = slice(None) if counted.all() else counted
        by_error = self.stump_criterion == "error"
        stumps, base, second = Stumps(X[among], codes[among], by_error), self._base(), codes == 1

        def fit(kept: Array, draws: np.random.Generator) -> tuple[Any, Array]:
            stump = stumps.best(kept[among])
            return self._as_model(base, stump, draws), _predicts_second(stump, X) != second

        return fit

    def _base(self) -> Any:
        return DecisionTreeClassifier(max_depth=1) if self.estimator is None else self.estimator

    def _resamples(self) -> bool:
        return self.resample

    def _as_model(self, base: DecisionTreeClassifier, tree: Any, draws: np.random.Generator) -> Any:
        """A stump as a fitted DecisionTreeClassifier."""
        model = base.clone().set_params(random_state=int(draws.integers(2**31 - 1)))
        columns = self.n_features_in_
        return model._adopt(tree, self, classes_=self.classes_, n_classes_=2, n_outputs_=1, max_features_=columns)

    def _codes(self, model: Any, X: Matrix) -> Array:
        if _is_numeric_tree(model):  # the rows have been checked
            known = np.searchsorted(self.classes_, model.classes_)
            return np.asarray(known[model.tree_.predict(as_dense(X))[:, 0].argmax(axis=1)])
        return np.asarray(np.searchsorted(self.classes_, model.predict(X)))

    def _loss(self, state: State) -> float:
        """The product of the factors Z_t by which the exponential loss decreases."""
        return float(np.prod(shrinkage(np.array(state["votes"]), np.array(state["errors"]), self.n_classes_)))

    def _certify(self, data: Data, weight: Array, trace: Trace) -> None:
        """Compare the training error or loss with the bound from the errors of the iterations."""
        bound = np.cumprod(shrinkage(self.estimator_weights_, self.estimator_errors_, self.n_classes_))
        limit = float(bound[-1]) * (1 + 1e-9 + EPSILON * data.n * len(bound))  # weights are clipped from below
        sentence = "is at most the product over the iterations of (1 - e) exp(-a (K - 1) / K) + e exp(a / K)"
        if self.n_classes_ == 2:  # a misclassified row has a loss of at least one
            self.bound_ = bound
            error = float(np.average(self._classify(data.X) != data.y, weights=weight))
            trace.certify("bound of the training error", error, limit, f"the training error {sentence}, K = 2 classes")
            return
        own = self._votes(data.X)[np.arange(data.n), data.y.astype(np.intp)]
        loss = float(np.average(np.exp(-(1 - 1 / self.n_classes_) * own), weights=weight))
        sentence = f"the mean exponential loss of the training rows {sentence}, K = {self.n_classes_} classes"
        trace.certify("bound of the exponential loss", loss, limit, sentence)

    def decision_function(self, X: Any) -> Array:
        """Votes for each class minus the mean of the others; for two classes, the second minus the first."""
        return self._margins(self._votes(self._read(X)) / self.estimator_weights_.sum())

    def staged_decision_function(self, X: Any) -> Iterator[Array]:
        """The decision function after each iteration."""
        weight = np.cumsum(self.estimator_weights_)
        for index, votes in enumerate(self._staged_votes(self._read(X))):
            yield self._margins(votes / weight[index])

    def staged_predict(self, X: Any) -> Iterator[Array]:
        """The predicted classes after each iteration."""
        for votes in self._staged_votes(self._read(X)):
            yield np.asarray(self.classes_[votes.argmax(axis=1)])

    def staged_predict_proba(self, X: Any) -> Iterator[Array]:
        """The class probabilities after each iteration."""
        weight = np.cumsum(self.estimator_weights_)
        for index, votes in enumerate(self._staged_votes(self._read(X))):
            yield self._softmax(votes / weight[index])

    def staged_score(self, X: Any, y: Any, sample_weight: Any = None) -> Iterator[float]:
        """The accuracy after each iteration."""
        for predicted in self.staged_predict(X):
            yield accuracy_of(self, predicted, y, sample_weight)

    def _probabilities(self, X: Matrix) -> Array:
        return self._softmax(self._votes(X) / self.estimator_weights_.sum())

    def _classify(self, X: Matrix) -> Array:
        return np.asarray(self._votes(X).argmax(axis=1))

    def _votes(self, X: Matrix) -> Array:
        """For each class its votes minus the mean of the others."""
        if all(map(_is_numeric_tree, self.estimators_)):
            return self._stack().sums(as_dense(X))
        total = np.zeros((X.shape[0], self.n_classes_))
        for votes in self._votes_of_each(X):
            total += votes
        return total

    def _staged_votes(self, X: Matrix) -> Iterator[Array]:
        return cumulative_sums(self._votes_of_each(X))

    def _votes_of_each(self, X: Matrix) -> Iterator[Array]:
        for model, vote in zip(self.estimators_, self.estimator_weights_, strict=True):
            yield self._vote_codes()[self._codes(model, X)] * vote

    def _vote_codes(self) -> Array:
        others = 1 / max(self.n_classes_ - 1, 1)
        return np.eye(self.n_classes_) * (1 + others) - others

    def _stack(self) -> TreeStack:
        """The trees with votes as leaf values."""
        trees = []
        for model, vote in zip(self.estimators_, self.estimator_weights_, strict=True):
            known = np.searchsorted(self.classes_, model.classes_)
            chosen = known[model.tree_.value[:, 0].argmax(axis=1)]
            trees.append(replace(model.tree_, value=self._vote_codes()[chosen][:, None, :] * vote))
        return TreeStack.of(trees)

    def _margins(self, votes: Array) -> Array:
        return votes[:, 1] - votes[:, 0] if self.n_classes_ == 2 else votes

    def _softmax(self, votes: Array) -> Array:
        """Probabilities as the softmax of the mean votes, as in scikit-learn."""
        if self.n_classes_ == 1:
            return np.ones((len(votes), 1))
        scores = votes / (1 if self.n_classes_ == 2 else self.n_classes_ - 1)
        raised = np.exp(scores - scores.max(axis=1, keepdims=True))
        return np.asarray(raised / raised.sum(axis=1, keepdims=True))


def _is_numeric_tree(model: Any) -> bool:
    """Whether a model is a decision tree over numeric columns only."""
    return isinstance(model, DecisionTreeClassifier) and model.categorical_features is None


def _predicts_second(stump: Tree, X: Array) -> Array:
    """Whether a stump predicts the second class for each row."""
    chosen = stump.value[:, 0].argmax(axis=1) == 1
    if stump.node_count == 1 or chosen[1] == chosen[2]:
        return np.full(len(X), chosen[-1])
    return np.asarray((X[:, stump.feature[0]] <= stump.threshold[0]) == chosen[1])


def shrinkage(votes: Array, errors: Array, classes: int) -> Array:
    """Factor of the exponential loss in each iteration: Z = (1 - e) exp(-a (K - 1) / K) + e exp(a / K)."""
    inverse = 1 / classes
    return np.asarray((1 - errors) * np.exp(-votes * (1 - inverse)) + errors * np.exp(votes * inverse))
