"""Boosting of classifiers by the weights of the rows that were missed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from ..core import Array, Data, Matrix, ProbabilisticClassifier, Trace, estimator, learned, param
from ..core.errors import DataError, ParameterError
from ..core.roles.classifier import share_right
from ..engines.iterate import State, iterate
from ..engines.trees.growth_limits import dense
from ..engines.trees.stumps import Stumps
from ..engines.trees.tree import Tree
from ..engines.trees.tree_stack import TreeStack
from ..tree.decision_tree_classifier import DecisionTreeClassifier
from ._boosting.adaboost_base import BoostedRounds, Rounds, running

LEAST = np.finfo(np.float64).eps


@estimator
class AdaBoostClassifier(BoostedRounds, ProbabilisticClassifier):
    """Classes by a vote of weak learners, each fitted to the rows that the ones before it got wrong.

    e_t = sum_i w_i [h_t(x_i) != y_i],   a_t = rate (log((1 - e_t) / e_t) + log(K - 1)),   w_i *= exp(a_t [wrong])

    The answer is the class with the largest sum of votes a_t [SAMME, which is AdaBoost for two classes]. Each round
    multiplies the mean exponential loss of the training rows by Z_t = (1 - e_t) exp(-a_t (K - 1) / K) + e_t exp(a_t /
    K). For two classes the training error is below that loss, at a rate of one Z_t is 2 sqrt(e_t (1 - e_t)), and each
    round is a step of the additive model with the exponential loss. Stumps for two classes are found by one pass over
    columns that are put in order once. A learner that takes no weights is fitted to rows drawn by weight. [Freund and
    Schapire, 1997; Hastie et al., 2009]

    >>> X, y = [[0.0], [1.0], [2.0], [3.0], [4.0]], ["a", "a", "b", "b", "a"]
    >>> AdaBoostClassifier(n_estimators=10).fit(X, y).predict([[0.5], [2.5], [4.5]])
    array(['a', 'b', 'a'], dtype='<U1')
    """

    resample: bool = param(False, "whether rows are drawn by weight even where the base learner takes weights")
    stump_criterion: Literal["gini", "error"] = param(
        "gini", "what the stump of two classes, the usual learner, leaves least of: impurity, as trees do, or error"
    )
    classes_: Array = learned("the classes, sorted", shape="classes")
    n_classes_: int = learned("number of classes", counts="classes")
    bound_: Array = learned("bound of the training error after each round, for two classes", optional=True)

    sparse = True
    storage = "csr"
    reference = "Freund and Schapire, A decision-theoretic generalization of on-line learning, JCSS 55, 1997"

    def _fit(self, data: Data, trace: Trace) -> None:
        self.n_classes_ = len(self.classes_)
        weight = np.ones(data.n) if data.weight is None else data.weight.astype(np.float64)
        rounds = Rounds(weight, self._player(data, weight), self._loss, self._seed())
        state = iterate(rounds, self.n_estimators, trace)
        if not state["models"]:
            raise DataError(
                "AdaBoostClassifier: the first learner is no better than a guess, so that nothing can be added to it; "
                "take another estimator"
            )
        self.estimators_ = state["models"]
        self.estimator_weights_ = np.array(state["votes"])
        self.estimator_errors_ = np.array(state["errors"])
        self._certify(data, weight, trace)

    def _player(self, data: Data, weight: Array) -> Any:
        idle, learn = np.flatnonzero(weight <= 0), self._pupil(data, weight)
        guess = 1 - 1 / self.n_classes_

        def play(weight_now: Array, draws: np.random.Generator, first: bool) -> tuple[Any, float, float, Array, bool]:
            kept = np.maximum(weight_now, LEAST)
            kept[idle] = 0.0
            model, wrong = learn(kept, draws)
            missed = kept * wrong
            error = float(missed.sum() / kept.sum())
            if error <= 0:
                return model, 1.0, 0.0, kept, True
            if error >= guess:
                return None, 0.0, error, kept, True
            vote = self.learning_rate * (np.log((1 - error) / error) + np.log(max(self.n_classes_ - 1.0, 1.0)))
            after = missed  # w + w (exp(a) - 1) where it is wrong, in place: rounds of many rows spend their time here
            after *= np.expm1(vote)
            after += kept
            after /= after.sum()
            return model, float(vote), error, after, False

        return play

    def _pupil(self, data: Data, weight: Array) -> Callable[[Array, np.random.Generator], tuple[Any, Array]]:
        """What makes a model of weights, and says which rows it gets wrong."""
        if self.estimator is None and self.n_classes_ == 2 and not self.resample:
            X = np.asfortranarray(dense(data.X))
            if not np.isnan(X).any():
                return self._stump_pupil(X, data.y, weight > 0)
        if self.stump_criterion == "error":
            raise ParameterError(
                "AdaBoostClassifier: stump_criterion='error' is for usual stumps (estimator=None, resample=False), "
                "two classes and columns without gaps; leave it at 'gini'"
            )
        learner = self._learner(data, self.classes_[data.y], weight)

        def learn(kept: Array, draws: np.random.Generator) -> tuple[Any, Array]:
            model = learner.fitted(kept, draws)
            return model, self._codes(model, data.X) != data.y

        return learn

    def _stump_pupil(
        self, X: Array, codes: Array, counted: Array
    ) -> Callable[[Array, np.random.Generator], tuple[Any, Array]]:
        """The same for stumps, in columns that are put in order once."""
        among: Any = slice(None) if counted.all() else counted
        by_error = self.stump_criterion == "error"
        stumps, base, second = Stumps(X[among], codes[among], by_error), self._base(), codes == 1

        def learn(kept: Array, draws: np.random.Generator) -> tuple[Any, Array]:
            stump = stumps.best(kept[among])
            return self._as_model(base, stump, draws), _says_second(stump, X) != second

        return learn

    def _base(self) -> Any:
        return DecisionTreeClassifier(max_depth=1) if self.estimator is None else self.estimator

    def _resamples(self) -> bool:
        return self.resample

    def _as_model(self, base: DecisionTreeClassifier, tree: Any, draws: np.random.Generator) -> Any:
        """A stump as the estimator that would have found it."""
        model = base.clone().set_params(random_state=int(draws.integers(2**31 - 1)))
        facts = {"classes_": self.classes_, "n_classes_": 2, "n_outputs_": 1, "max_features_": self.n_features_in_}
        model.__dict__.update(tree_=tree, **facts)
        model._remember_columns_of(self)
        return model

    def _codes(self, model: Any, X: Matrix) -> Array:
        if _reads_numbers(model):  # no need to check the rows again and again
            known = np.searchsorted(self.classes_, model.classes_)
            return np.asarray(known[model.tree_.predict(dense(X))[:, 0].argmax(axis=1)])
        return np.asarray(np.searchsorted(self.classes_, model.predict(X)))

    def _loss(self, state: State) -> float:
        """The product of the sums Z_t by which the exponential loss shrinks."""
        return float(np.prod(shrinkage(np.array(state["votes"]), np.array(state["errors"]), self.n_classes_)))

    def _certify(self, data: Data, weight: Array, trace: Trace) -> None:
        """Hold what the model answers for its training rows against what its rounds promise."""
        bound = np.cumprod(shrinkage(self.estimator_weights_, self.estimator_errors_, self.n_classes_))
        most = float(bound[-1]) * (1 + 1e-9 + LEAST * data.n * len(bound))  # weights are held above the least
        words = (
            "is at most the product over the rounds of (1 - e) exp(-a (K - 1) / K) + e exp(a / K), of errors e, votes a"
        )
        if self.n_classes_ == 2:  # a row that is missed has a loss of one or more
            self.bound_ = bound
            missed = float(np.average(self._classify(data.X) != data.y, weights=weight))
            trace.certify("bound of the training error", missed, most, f"the training error {words} and K = 2 classes")
            return
        own = self._votes(data.X)[np.arange(data.n), data.y.astype(np.intp)]
        loss = float(np.average(np.exp(-(1 - 1 / self.n_classes_) * own), weights=weight))
        words = f"the mean exponential loss of the training rows {words} and K = {self.n_classes_} classes"
        trace.certify("bound of the exponential loss", loss, most, words)

    def decision_function(self, X: Any) -> Array:
        """Votes for each class less the mean of the others'; for two classes, the second's less the first's."""
        return self._shown(self._votes(self._read(X)) / self.estimator_weights_.sum())

    def staged_decision_function(self, X: Any) -> Iterator[Array]:
        """The same after each round."""
        weight = np.cumsum(self.estimator_weights_)
        for place, votes in enumerate(self._staged_votes(self._read(X))):
            yield self._shown(votes / weight[place])

    def staged_predict(self, X: Any) -> Iterator[Array]:
        """The predicted classes after each round."""
        for votes in self._staged_votes(self._read(X)):
            yield np.asarray(self.classes_[votes.argmax(axis=1)])

    def staged_predict_proba(self, X: Any) -> Iterator[Array]:
        """The probabilities after each round."""
        weight = np.cumsum(self.estimator_weights_)
        for place, votes in enumerate(self._staged_votes(self._read(X))):
            yield self._softened(votes / weight[place])

    def staged_score(self, X: Any, y: Any, sample_weight: Any = None) -> Iterator[float]:
        """The share of rows predicted rightly after each round."""
        for predicted in self.staged_predict(X):
            yield share_right(self, predicted, y, sample_weight)

    def _probabilities(self, X: Matrix) -> Array:
        return self._softened(self._votes(X) / self.estimator_weights_.sum())

    def _classify(self, X: Matrix) -> Array:
        return np.asarray(self._votes(X).argmax(axis=1))

    def _votes(self, X: Matrix) -> Array:
        """For each class the votes for it, less their share among the others."""
        if all(map(_reads_numbers, self.estimators_)):
            return self._stack().sums(dense(X))
        total = np.zeros((X.shape[0], self.n_classes_))
        for votes in self._each(X):
            total += votes
        return total

    def _staged_votes(self, X: Matrix) -> Iterator[Array]:
        return running(self._each(X))

    def _each(self, X: Matrix) -> Iterator[Array]:
        for model, vote in zip(self.estimators_, self.estimator_weights_, strict=True):
            yield self._ballots()[self._codes(model, X)] * vote

    def _ballots(self) -> Array:
        others = 1 / max(self.n_classes_ - 1, 1)
        return np.eye(self.n_classes_) * (1 + others) - others

    def _stack(self) -> TreeStack:
        """The trees with votes in their leaves."""
        trees = []
        for model, vote in zip(self.estimators_, self.estimator_weights_, strict=True):
            known = np.searchsorted(self.classes_, model.classes_)
            chosen = known[model.tree_.value[:, 0].argmax(axis=1)]
            trees.append(replace(model.tree_, value=self._ballots()[chosen][:, None, :] * vote))
        return TreeStack.of(trees)

    def _shown(self, votes: Array) -> Array:
        return votes[:, 1] - votes[:, 0] if self.n_classes_ == 2 else votes

    def _softened(self, votes: Array) -> Array:
        """Probabilities by the softmax of the mean votes, as scikit-learn gives them."""
        if self.n_classes_ == 1:
            return np.ones((len(votes), 1))
        scores = votes / (1 if self.n_classes_ == 2 else self.n_classes_ - 1)
        raised = np.exp(scores - scores.max(axis=1, keepdims=True))
        return np.asarray(raised / raised.sum(axis=1, keepdims=True))


def _reads_numbers(model: Any) -> bool:
    """Whether it is a tree that asks for numbers as they come, and not for the places of categories."""
    return isinstance(model, DecisionTreeClassifier) and model.categorical_features is None


def _says_second(stump: Tree, X: Array) -> Array:
    """Whether a stump gives the second class to each row."""
    chosen = stump.value[:, 0].argmax(axis=1) == 1
    if stump.node_count == 1 or chosen[1] == chosen[2]:
        return np.full(len(X), chosen[-1])
    return np.asarray((X[:, stump.feature[0]] <= stump.threshold[0]) == chosen[1])


def shrinkage(votes: Array, errors: Array, classes: int) -> Array:
    """By how much each round multiplies the exponential loss: Z = (1 - e) exp(-a (K - 1) / K) + e exp(a / K)."""
    share = 1 / classes
    return np.asarray((1 - errors) * np.exp(-votes * (1 - share)) + errors * np.exp(votes * share))
