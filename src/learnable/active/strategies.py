"""Query strategies: the rows of a pool whose labels would help most."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import Array, DataError, RandomState, cloned, generator, seed_of
from ..core.declare.checked_functions import Rows, checked, limits
from ..metrics.pairwise import euclidean_distances

RULES = {
    "n_instances": limits(at_least=1),
    "beta": limits(at_least=0),
    "n_candidates": limits(at_least=1),
}


def probabilities_of(learner: Any, X: Any, owner: str) -> Array:
    """The class probabilities of the learner, which must have them."""
    if not hasattr(learner, "predict_proba"):
        raise DataError(f"{owner}: the learner must have predict_proba; {type(learner).__name__} has not")
    return np.asarray(learner.predict_proba(X), dtype=np.float64)


def highest(scores: Array, count: int) -> Array:
    """The indices of the highest scores, best first; of equals the first."""
    chosen: Array = np.argsort(-scores, kind="stable")[:count]
    return chosen


@checked(**RULES)
def uncertainty_sampling(learner: Any, X: Rows, n_instances: int = 1) -> Array:
    """Uncertainty sampling: rows whose most probable class is least probable.

    argmax over x of   1 - max over c of p(c | x)    [Lewis and Gale, 1994]
    """
    return highest(1 - probabilities_of(learner, X, "uncertainty_sampling").max(axis=1), n_instances)


@checked(**RULES)
def margin_sampling(learner: Any, X: Rows, n_instances: int = 1) -> Array:
    """Margin sampling: rows whose two most probable classes are nearly as probable.

    argmin over x of   p(c_1 | x) - p(c_2 | x)    [Scheffer et al., 2001]
    """
    ranked = np.sort(probabilities_of(learner, X, "margin_sampling"), axis=1)
    margin = ranked[:, -1] - ranked[:, -2] if ranked.shape[1] > 1 else ranked[:, -1]
    return highest(-margin, n_instances)


@checked(**RULES)
def entropy_sampling(learner: Any, X: Rows, n_instances: int = 1) -> Array:
    """Entropy sampling: rows whose class is most uncertain.

    argmax over x of   - sum over c of p(c | x) ln p(c | x)
    """
    return highest(entropies(probabilities_of(learner, X, "entropy_sampling")), n_instances)


def entropies(proba: Array) -> Array:
    """The entropy of each row of probabilities."""
    found: Array = -(proba * np.log(np.maximum(proba, 1e-300))).sum(axis=1)
    return found


@checked(**RULES)
def vote_entropy_sampling(learner: Any, X: Rows, n_instances: int = 1) -> Array:
    """Query by committee: rows about whose class the members of a committee disagree most.

    argmax over x of   - sum over c of v(c | x) ln v(c | x),   v = fraction of the votes    [Dagan and Engelson, 1995]
    """
    if not hasattr(learner, "votes"):
        raise DataError(f"vote_entropy_sampling: a Committee is needed; got {type(learner).__name__}")
    return highest(entropies(learner.votes(X)), n_instances)


@checked(**RULES)
def density_sampling(learner: Any, X: Rows, n_instances: int = 1, *, beta: float = 1.0) -> Array:
    """Information density: uncertain rows that are similar to many others, so that outliers are not queried.

    argmax over x of   H(c | x) (mean over x' of 1 / (1 + |x - x'|))^beta    [Settles and Craven, 2008]
    """
    uncertain = entropies(probabilities_of(learner, X, "density_sampling"))
    similar = (1 / (1 + euclidean_distances(X))).mean(axis=1)
    return highest(uncertain * similar**beta, n_instances)


@checked(**RULES)
def core_set_sampling(learner: Any, X: Rows, n_instances: int = 1) -> Array:
    """Core-set sampling: rows that are farthest from all labelled ones, one after the other (k-centre greedy).

    argmax over x of   min over labelled x' of |x - x'|    [Sener and Savarese, 2018]
    """
    rows = np.asarray(X, dtype=np.float64)
    known = getattr(learner, "X_training", None)
    if known is None:
        raise DataError("core_set_sampling: an ActiveLearner with labelled rows is needed")
    distance = euclidean_distances(rows, np.asarray(known, dtype=np.float64)).min(axis=1)
    return _spread(rows, distance, min(n_instances, len(rows)))


def _spread(rows: Array, distance: Array, count: int) -> Array:
    """Rows that are farthest from what is near already, one after the other."""
    chosen: list[int] = []
    for _ in range(count):
        chosen.append(int(distance.argmax()))
        distance = np.minimum(distance, np.linalg.norm(rows - rows[chosen[-1]], axis=1))
        distance[chosen] = -np.inf
    return np.array(chosen, dtype=np.int64)


@checked(**RULES)
def ranked_batch_sampling(learner: Any, X: Rows, n_instances: int = 10) -> Array:
    """Ranked batch-mode sampling: uncertain rows that are unlike each other and unlike the labelled ones.

    argmax over x of   a (1 - s(x)) + (1 - a) u(x),   s = similarity to the nearest chosen row, a = fraction unlabelled

    [Cardoso et al., 2017]
    """
    rows = np.asarray(X, dtype=np.float64)
    uncertain = 1 - probabilities_of(learner, X, "ranked_batch_sampling").max(axis=1)
    known = getattr(learner, "X_training", None)
    if known is None:
        raise DataError("ranked_batch_sampling: an ActiveLearner with labelled rows is needed")
    distance = euclidean_distances(rows, np.asarray(known, dtype=np.float64)).min(axis=1)
    labelled, chosen = len(known), list[int]()
    for _ in range(min(n_instances, len(rows))):
        share = (len(rows) - len(chosen)) / (len(rows) + labelled)
        scores = share * (1 - 1 / (1 + distance)) + (1 - share) * uncertain
        scores[chosen] = -np.inf
        chosen.append(int(scores.argmax()))
        distance = np.minimum(distance, np.linalg.norm(rows - rows[chosen[-1]], axis=1))
        labelled += 1
    return np.array(chosen, dtype=np.int64)


@checked(**RULES)
def expected_error_sampling(
    learner: Any, X: Rows, n_instances: int = 1, *, n_candidates: int = 50, random_state: RandomState = None
) -> Array:
    """Expected error reduction: rows after whose labelling the least error is expected on the pool.

    argmin over x of   sum over c of p(c | x)  mean over x' of (1 - max p(c' | x'; trained with (x, c)))

    The learner is fitted again for each of `n_candidates` random rows and each class. [Roy and McCallum, 2001]
    """
    proba = probabilities_of(learner, X, "expected_error_sampling")
    known, labels = getattr(learner, "X_training", None), getattr(learner, "y_training", None)
    if known is None or labels is None:
        raise DataError("expected_error_sampling: an ActiveLearner with labelled rows is needed")
    rows = np.asarray(X)
    order = generator(seed_of(random_state)).permutation(len(rows))[:n_candidates]
    errors = np.full(len(rows), np.inf)
    for index in order.tolist():
        expected = 0.0
        for c, label in enumerate(learner.classes_):
            model = cloned(learner.estimator).fit(np.vstack([known, rows[[index]]]), np.append(labels, label))
            expected += proba[index, c] * float((1 - model.predict_proba(rows).max(axis=1)).mean())
        errors[index] = expected
    return highest(-errors, min(n_instances, len(order)))


@checked(**RULES)
def random_sampling(learner: Any, X: Rows, n_instances: int = 1, *, random_state: RandomState = None) -> Array:
    """Random sampling: the baseline of every strategy."""
    chosen: Array = generator(seed_of(random_state)).permutation(len(np.asarray(X)))[:n_instances]
    return chosen
