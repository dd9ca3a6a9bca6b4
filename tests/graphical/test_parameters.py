"""Parameters: relative frequencies, priors, regressions, EM, merging and unlearning."""

from __future__ import annotations

import numpy as np
import pandas
import pytest

import learnable
from learnable.graphical import BayesianNetwork
from learnable.graphical._search.scores import family, family_scores
from tests.graphical.random_networks import DATA, joint_table, random_categorical, random_mixed

TRUE = "[A][C][F][B|A][D|A:C][E|B:F]"


def learning_test():
    """The 5000 rows of learning.test, from the numbers of equal ones."""
    counts = pandas.read_csv(DATA / "learning_test_counts.csv")
    return counts.loc[counts.index.repeat(counts["rows"])].drop(columns="rows").reset_index(drop=True)


def gaussian_test():
    """5000 rows with the means and covariances of gaussian.test, which decide everything that is learned of it."""
    moments = pandas.read_csv(DATA / "gaussian_test_moments.csv")
    mean, covariance = moments.to_numpy()[0], moments.to_numpy()[1:]
    draws = np.random.default_rng(0).standard_normal((5000, 7))
    draws -= draws.mean(axis=0)
    white = draws @ np.linalg.inv(np.linalg.cholesky(draws.T @ draws / 5000)).T
    return pandas.DataFrame(white @ np.linalg.cholesky(covariance).T + mean, columns=moments.columns)


def total_score(network, X, score, strength):
    scores = family_scores(network._columns_of(X), None, score, strength)
    return sum(family(scores, v, parents) for v, parents in enumerate(network._network.graph.parents))


def test_published_scores_of_learning_test():
    X = learning_test()
    network = BayesianNetwork(TRUE).fit(X)
    assert network.log_likelihood(X) == pytest.approx(-23832.1318, abs=1e-4) and network.n_parameters_ == 41
    assert network.bic(X) == pytest.approx(-24006.7342, abs=1e-4)
    assert total_score(network, X, "bic", 1) == pytest.approx(network.bic(X), abs=1e-8)
    assert total_score(network, X, "aic", 1) == pytest.approx(-23873.1318, abs=1e-4)
    assert total_score(network, X, "loglik", 1) == pytest.approx(-23832.1318, abs=1e-4)
    assert total_score(network, X, "bdeu", 10) == pytest.approx(-23967.6496, abs=1e-4)
    assert total_score(network, X, "bdeu", 1) == pytest.approx(-24028.0948, abs=1e-4)


def test_published_regressions_of_gaussian_test():
    X = gaussian_test()
    network = BayesianNetwork("[A][B][E][G][C|A:B][D|B][F|A:D:E:G]").fit(X)
    assert network.log_likelihood(X) == pytest.approx(-53131.92, abs=5e-3)
    assert network.bic(X) == pytest.approx(-53221.35, abs=5e-3)
    assert total_score(network, X, "bic", 1) == pytest.approx(network.bic(X), abs=1e-6)
    tables = dict(zip(network.nodes_, network.tables_, strict=True))
    np.testing.assert_allclose(tables["C"][0], [2.0011, 1.9959, 1.9991], atol=6e-5)
    np.testing.assert_allclose(tables["D"][0], [5.995, 1.4984], atol=6e-5)
    np.testing.assert_allclose(tables["F"][0], [-0.006, 1.9949, 1.0056, 1.0026, 1.4944], atol=6e-5)
    deviation = [np.sqrt(network.variances_[network.nodes_.index(node)][0]) for node in "CDF"]
    np.testing.assert_allclose(deviation, [0.509, 0.3287, 0.9961], atol=5e-4)


def test_tables_are_relative_frequencies_with_weights_and_priors():
    X = pandas.DataFrame({"a": list("xxyyy"), "b": list("uvuuu")})
    weight = [1.0, 2.0, 1.0, 1.0, 0.0]
    table = dict(zip("ab", BayesianNetwork("a->b").fit(X, sample_weight=weight).tables_, strict=True))
    np.testing.assert_allclose(table["a"], [[3 / 5, 2 / 5]])
    np.testing.assert_allclose(table["b"], [[1 / 3, 2 / 3], [1, 0]])
    for prior, strength, added in (("k2", 1.0, 1.0), ("dirichlet", 0.5, 0.5), ("bdeu", 8.0, 2.0)):
        made = BayesianNetwork("a->b", prior=prior, prior_strength=strength).fit(X, sample_weight=weight)
        counts = np.array([[1, 2], [2, 0]]) + added
        np.testing.assert_allclose(made.tables_[1], counts / counts.sum(axis=1, keepdims=True))


def test_the_score_of_rows_is_the_log_of_their_joint_probability():
    network = random_categorical(2)
    rows = network.sample(50, random_state=0).astype(int)
    frame = pandas.DataFrame(rows.astype(object), columns=network.nodes_)
    np.testing.assert_allclose(network.score_samples(frame), np.log(joint_table(network)[tuple(rows.T)]), atol=1e-10)
    frame.iloc[0, 0] = 99
    assert network.score_samples(frame)[0] == -np.inf


def test_samples_have_the_probabilities_of_the_network():
    network = random_categorical(4)
    rows = network.sample(40_000, random_state=0).astype(int)
    table = joint_table(network)
    for a, b in ((0, 1), (2, 5)):
        counts = np.zeros((table.shape[a], table.shape[b]))
        np.add.at(counts, (rows[:, a], rows[:, b]), 1 / len(rows))
        expected = table.sum(axis=tuple(k for k in range(6) if k not in (a, b)))
        np.testing.assert_allclose(counts, expected, atol=4 * 0.5 / np.sqrt(len(rows)))


def expected_log_likelihood(network, rows):
    """The log likelihood of rows with missing entries by enumeration."""
    table = joint_table(network)
    total = 0.0
    for row in rows:
        known = [states.tolist() for states in network.states_]
        index = tuple(slice(None) if entry is None else known[v].index(entry) for v, entry in enumerate(row))
        total += np.log(table[index].sum())
    return total


def test_em_reaches_a_stationary_point_of_the_observed_likelihood():
    network = random_categorical(6, nodes=4)
    rows = network.sample(300, random_state=0).astype(object)
    gone = np.random.default_rng(1).random(rows.shape) < 0.25
    rows[gone] = None
    frame = pandas.DataFrame(rows, columns=network.nodes_)
    learned = BayesianNetwork(network.edges_, tol=1e-12, max_iter=5000).fit(frame)
    best = expected_log_likelihood(learned, rows)
    assert learned.log_likelihood(frame) == pytest.approx(best, rel=1e-10)
    assert learned.trace_["objective"][-1] == pytest.approx(-best / 300, rel=1e-8)
    assert (np.diff(learned.trace_["objective"]) <= 1e-12).all()
    rng = np.random.default_rng(2)
    for v in range(4):  # moving any table a little towards another one gains nothing of first order
        other = BayesianNetwork(network.edges_).fit(frame)
        kept = learned.tables_[v]
        moved = 0.999 * kept + 0.001 * rng.dirichlet(np.ones(kept.shape[1]), len(kept))
        other.states_, other.parents_ = learned.states_, learned.parents_
        other.tables_ = [moved if u == v else table for u, table in enumerate(learned.tables_)]
        assert expected_log_likelihood(other, rows) <= best + 1e-4


def test_em_of_a_gaussian_network_is_that_of_the_normal_distribution():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((200, 3)) @ np.array([[1, 0.5, -0.3], [0, 1, 0.8], [0, 0, 0.5]])
    X[rng.random(X.shape) < 0.2] = np.nan
    network = BayesianNetwork([(0, 1), (0, 2), (1, 2)], tol=1e-13, max_iter=10_000).fit(X)  # complete: any normal
    mean, covariance = network._network.joint_normal(range(3), np.zeros((0, 1), dtype=int))
    for _ in range(3000):
        sums, products = np.zeros(3), np.zeros((3, 3))
        for row in X:
            seen = ~np.isnan(row)
            filled, spread = row.copy(), np.zeros((3, 3))
            if not seen.all():
                gain = covariance[0][np.ix_(~seen, seen)] @ np.linalg.pinv(covariance[0][np.ix_(seen, seen)])
                filled[~seen] = mean[0][~seen] + gain @ (row[seen] - mean[0][seen])
                spread[np.ix_(~seen, ~seen)] = (
                    covariance[0][np.ix_(~seen, ~seen)] - gain @ covariance[0][np.ix_(seen, ~seen)]
                )
            sums += filled
            products += np.outer(filled, filled) + spread
        new = sums / 200, products / 200 - np.outer(sums, sums) / 200**2
        moved = np.abs(new[0] - mean[0]).max() + np.abs(new[1] - covariance[0]).max()
        assert moved < 1e-5  # an iteration of the textbook leaves it where it is
        break


def test_em_fills_mixed_rows_in_all_ways():
    network = random_mixed(2)
    rows = network.sample(400, random_state=0)
    whole = pandas.DataFrame(rows, columns=network.nodes_).infer_objects()
    frame = whole.copy()
    rng = np.random.default_rng(0)
    for node in network.nodes_:
        frame[node] = frame[node].astype(object if node[0] == "d" else float)
        frame.loc[rng.random(400) < 0.15, node] = None if node[0] == "d" else np.nan
    discrete = [node for node in network.nodes_ if node[0] == "d"]
    model = BayesianNetwork(network.edges_, categorical_features=discrete, tol=1e-10, max_iter=2000).fit(frame)
    assert model.trace_.stopped == "converged" and model.certificate_.holds
    assert (np.diff(model.trace_["objective"]) <= 1e-9).all()
    assert -model.trace_["objective"][-1] * 400 == pytest.approx(model.log_likelihood(frame), rel=1e-6)
    assert model.log_likelihood(frame) > network.log_likelihood(frame)


def test_networks_of_parts_merge_to_that_of_the_whole_and_unlearn():
    categorical = learning_test()
    mixed = random_mixed(3)
    continuous = pandas.DataFrame(mixed.sample(300, random_state=0), columns=mixed.nodes_).infer_objects()
    for X, structure in ((categorical, TRUE), (continuous, mixed.edges_)):
        whole = BayesianNetwork(structure).fit(X)
        first, second = BayesianNetwork(structure).fit(X[::2]), BayesianNetwork(structure).fit(X[1::2])
        assert [list(s) for s in first.states_] == [list(s) for s in second.states_]
        merged = first.merge(second)
        for ours, theirs in zip(merged.tables_, whole.tables_, strict=True):
            np.testing.assert_allclose(ours, theirs, atol=1e-9)
        whole.unlearn(X[1::2])
        again = BayesianNetwork(structure).fit(X[::2])
        for ours, theirs in zip(whole.tables_, again.tables_, strict=True):
            np.testing.assert_allclose(ours, theirs, atol=1e-8)
    with pytest.raises(learnable.DataError, match="not learned"):
        BayesianNetwork(TRUE).fit(categorical[::2]).unlearn(categorical)


def test_bad_columns_are_refused_by_name():
    X = pandas.DataFrame({"a": ["x", "y"], "b": [None, None], "c": [1.0, 2.0]})
    with pytest.raises(learnable.DataError, match="'b' has no entry"):
        BayesianNetwork().fit(X)
    with pytest.raises(learnable.ParameterError, match="continuous node 'c' cannot be a parent of the categorical"):
        BayesianNetwork("c->a").fit(X.drop(columns="b"))
    with pytest.raises(learnable.ParameterError, match="categorical_features must be names"):
        BayesianNetwork(categorical_features=["z"]).fit(X.drop(columns="b"))
