"""Active learning: strategies by their formulas, queries that are worth more than random ones."""

from __future__ import annotations

import numpy as np
import pytest

import learnable
from learnable import DecisionTreeClassifier, LogisticRegression
from learnable.active import (
    ActiveLearner,
    Committee,
    active_learning_curves,
    core_set_sampling,
    density_sampling,
    entropy_sampling,
    expected_error_sampling,
    margin_sampling,
    random_sampling,
    ranked_batch_sampling,
    uncertainty_sampling,
    vote_entropy_sampling,
)

rng = np.random.default_rng(0)
X = np.vstack([rng.normal(centre, 1.0, (60, 2)) for centre in ((0, 0), (3, 0), (0, 3))])
y = np.repeat([0, 1, 2], 60)
FIRST = [0, 1, 60, 61, 120, 121]
POOL = np.delete(np.arange(180), FIRST)


def learner(strategy=uncertainty_sampling):
    return ActiveLearner(LogisticRegression(), strategy, X[FIRST], y[FIRST])


def test_strategies_by_their_formulas():
    one, pool = learner(), X[POOL]
    p = np.sort(LogisticRegression().fit(X[FIRST], y[FIRST]).predict_proba(pool), axis=1)
    entropy = -(p * np.log(p)).sum(axis=1)
    apart = np.linalg.norm(pool[:, None] - pool, axis=2)
    expected = {
        uncertainty_sampling: 1 - p[:, -1], margin_sampling: p[:, -2] - p[:, -1], entropy_sampling: entropy,
        density_sampling: entropy * (1 / (1 + apart)).mean(axis=1),
    }  # fmt: skip
    for strategy, scores in expected.items():
        assert strategy(one, pool, 5).tolist() == np.argsort(-scores, kind="stable")[:5].tolist()
        indices, rows = learner(strategy).query(pool, 5)
        assert (rows == pool[indices]).all() and len(indices) == 5


def test_core_set_covers_the_pool():
    chosen = core_set_sampling(learner(), X[POOL], 4)
    labelled = [*X[FIRST]]
    for index in chosen:
        distance = np.linalg.norm(X[POOL][:, None] - np.array(labelled), axis=2).min(axis=1)
        assert distance[index] == distance.max()
        labelled.append(X[POOL][index])


def test_ranked_batches_are_spread():
    plain, ranked = uncertainty_sampling(learner(), X[POOL], 8), ranked_batch_sampling(learner(), X[POOL], 8)
    assert len(set(ranked.tolist())) == 8
    spread = [np.linalg.norm(X[POOL][i][:, None] - X[POOL][i], axis=2).mean() for i in (plain, ranked)]
    assert spread[1] > spread[0]


def test_expected_error_by_brute_force():
    one, pool = learner(), X[POOL][:12]
    p = one.predict_proba(pool)
    errors = []
    for i in range(12):
        total = 0.0
        for c in range(3):
            model = LogisticRegression().fit(np.vstack([X[FIRST], pool[[i]]]), [*y[FIRST], c])
            total += p[i, c] * (1 - model.predict_proba(pool).max(axis=1)).mean()
        errors.append(total)
    assert expected_error_sampling(one, pool, random_state=0).tolist() == [int(np.argmin(errors))]


def test_a_committee_votes():
    members = [ActiveLearner(DecisionTreeClassifier(max_depth=depth), X_training=X[FIRST], y_training=y[FIRST])
               for depth in (1, 2)]  # fmt: skip
    committee = Committee([*members, learner()])
    votes = committee.votes(X[POOL])
    assert votes.sum(axis=1) == pytest.approx(1) and set(np.unique(np.round(votes * 3)).tolist()) <= {0, 1, 2, 3}
    index, _ = committee.query(X[POOL])
    with np.errstate(divide="ignore", invalid="ignore"):
        entropy = -np.nansum(votes * np.log(votes), axis=1)
    assert entropy[index[0]] == pytest.approx(entropy.max())
    assert committee.teach(X[POOL[:3]], y[POOL[:3]]).learner_list[0].X_training.shape == (9, 2)
    assert committee.predict_proba(X[:4]).sum(axis=1) == pytest.approx(1)


def test_teaching_adds_rows_and_missing_labels_are_left_out():
    one = learner().teach(X[POOL[:3]], np.array([0.0, np.nan, 2.0]))
    assert one.X_training.shape == (8, 2) and len(one.y_training) == 8
    whole = LogisticRegression().fit(np.vstack([X[FIRST], X[POOL[[0, 2]]]]), [*y[FIRST], 0, 2])
    assert one.predict_proba(X) == pytest.approx(whole.predict_proba(X))
    with pytest.raises(learnable.DataError, match="rows and their labels"):
        one.teach(X[:2], [0])


def test_active_learning_needs_fewer_labels_than_random():
    """Two overlapping classes and many rows far from the boundary, which teach nothing."""
    draws = np.random.default_rng(1)
    rows = np.vstack([draws.normal(c, 0.6, (n, 2)) for c, n in (((-6, 0), 250), ((6, 0), 250), ((0, 0), 200))])
    labels = np.where(rows[:, 0] > 0.3 * rows[:, 1], 1, 0)
    curves = active_learning_curves(
        LogisticRegression(C=100), rows, labels, {"margin": margin_sampling}, n_initial=4, n_queries=12, n_runs=8,
        random_state=0,
    )  # fmt: skip
    gain, low, high = curves.gain("margin")
    assert 0 < low < gain < high
    assert curves.scores["margin"].shape == (8, 13) and curves.n_labels[-1] == 16
    assert (curves.scores["margin"][:, 0] == curves.scores["random"][:, 0]).all()
    lower, upper = curves.interval("margin")
    assert (lower <= upper).all()


def test_senseless_learners_are_explained():
    with pytest.raises(learnable.ParameterError, match="estimator must be an estimator"):
        ActiveLearner("model")
    with pytest.raises(learnable.DataError, match="Committee is needed"):
        vote_entropy_sampling(learner(), X)
    assert len(set(random_sampling(None, X, 7, random_state=0).tolist())) == 7


def test_rows_that_could_not_be_learned_are_not_kept():
    one = learner()
    with pytest.raises(learnable.DataError, match="NaN"):
        one.teach([[np.nan, 0.0]], [0])
    assert one.X_training.shape == (6, 2)
    assert one.teach(X[:1], y[:1]).X_training.shape == (7, 2)


@pytest.mark.parametrize("chosen", [None, "text", [0.5], [np.nan], [999], [-1], [1, 1], [[1]], np.arange(9) == 1])
def test_strategies_must_return_different_rows_of_the_pool(chosen):
    both = learner(lambda *_: chosen), Committee([learner()], lambda *_: chosen)
    for one in both:
        with pytest.raises(learnable.DataError, match="query_strategy must return different indices"):
            one.query(X[:9])


@pytest.mark.parametrize("pool", [X[0], X[:0], "text", None])
@pytest.mark.parametrize("make", [learner, lambda: Committee([learner()])])
def test_pools_are_matrices(make, pool):
    with pytest.raises(learnable.DataError, match="must be a matrix"):
        make().query(pool)


@pytest.mark.parametrize("count", ["two", None, 1.5, 0])
def test_a_query_takes_a_number_of_rows(count):
    with pytest.raises(learnable.ParameterError, match="n_instances must be a whole number"):
        learner().query(X, count)


def test_one_run_gives_no_interval():
    curves = active_learning_curves(
        LogisticRegression(), X, y, {"margin": margin_sampling}, n_queries=2, n_runs=1, random_state=0
    )
    assert curves.gain("margin")[1:] == (-np.inf, np.inf)


def test_curves_refuse_what_they_cannot_draw():
    labels = np.where(np.arange(180) == 3, np.nan, y.astype(float))
    with pytest.raises(learnable.DataError, match="y is missing in row 3"):
        active_learning_curves(LogisticRegression(), X, labels, {}, n_queries=2)
    with pytest.raises(learnable.ParameterError, match='"random" is the name of random sampling'):
        active_learning_curves(LogisticRegression(), X, y, {"random": margin_sampling}, n_queries=2)


def test_a_committee_learns_from_rows_as_a_whole_or_not_at_all():
    X, y = [[0.0], [10.0]], [0, 1]

    class Fussy(DecisionTreeClassifier):
        """A tree that refuses more than two rows."""

        def fit(self, X, y, *rest, **more):
            if len(X) > 2:
                raise ValueError("too many rows")
            return super().fit(X, y, *rest, **more)

    committee = Committee(
        [ActiveLearner(one, X_training=X, y_training=y) for one in (DecisionTreeClassifier(), Fussy())]
    )
    before = [one.estimator for one in committee.learner_list]
    with pytest.raises(ValueError, match="too many rows"):
        committee.teach([[4.0]], [1])
    assert [one.estimator for one in committee.learner_list] == before
    assert [len(one.X_training) for one in committee.learner_list] == [2, 2]
    members = list(committee.learner_list)
    committee.learner_list.pop()
    assert (
        len(committee.teach([[4.0]], [1]).learner_list[0].X_training) == 3 and committee.learner_list[0] is members[0]
    )
