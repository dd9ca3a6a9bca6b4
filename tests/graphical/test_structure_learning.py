"""Structure learning: the exact search against all graphs, the others against it; trees, tests, arcs."""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas
import pytest

import learnable
from learnable.graphical import (
    BayesianNetwork,
    arc_strength,
    averaged_network,
    read_network,
    structural_hamming_distance,
)
from learnable.graphical._equivalence import cpdag
from learnable.graphical._search.scores import family, family_scores
from tests.graphical.random_networks import DATA, random_categorical
from tests.graphical.test_graphs import graphs_of
from tests.graphical.test_parameters import TRUE, gaussian_test, learning_test

SEARCHES = ("hill_climbing", "ges", "pc", "mmhc", "exact")


def sampled(seed, rows=300, nodes=4):
    network = random_categorical(seed, nodes=nodes)
    return pandas.DataFrame(network.sample(rows, random_state=seed).astype(object), columns=network.nodes_)


def score_of(X, graph, scoring, strength=1.0):
    columns = BayesianNetwork([]).fit(X)._columns_of(X)
    scores = family_scores(columns, None, scoring, strength)
    return sum(family(scores, v, parents) for v, parents in enumerate(graph.parents))


@pytest.mark.parametrize("scoring", ["bic", "aic", "bdeu", "k2", "loglik"])
def test_the_exact_search_is_the_best_of_all_graphs_of_four_nodes(scoring):
    X = sampled(3)
    network = BayesianNetwork(search="exact", scoring=scoring, prior_strength=5.0).fit(X)
    columns = network._columns_of(X)
    scores = family_scores(columns, None, scoring, 5.0)
    families = {(v, p): family(scores, v, p) for graph in graphs_of(4) for v, p in enumerate(graph.parents)}
    best = max(sum(families[pair] for pair in enumerate(graph.parents)) for graph in graphs_of(4))
    assert network.score_ == pytest.approx(best, rel=1e-12)
    assert score_of(X, network._network.graph, scoring, 5.0) == pytest.approx(best, rel=1e-12)
    assert network.certificate_.kind == "exact"


@pytest.mark.parametrize("scoring", ["bic", "bge"])
def test_the_exact_search_of_continuous_columns(scoring):
    rng = np.random.default_rng(1)
    X = rng.standard_normal((60, 4)) @ rng.standard_normal((4, 4))
    network = BayesianNetwork(search="exact", scoring=scoring).fit(X)
    assert network.score_ == pytest.approx(max(score_of(X, graph, scoring) for graph in graphs_of(4)), rel=1e-12)


@pytest.mark.parametrize("scoring", ["bic", "bge", "bdeu"])
def test_equivalent_graphs_have_equal_scores(scoring):
    X = sampled(5) if scoring == "bdeu" else np.random.default_rng(0).standard_normal((50, 4)).cumsum(axis=1)
    by_class = {}
    for graph in graphs_of(4)[::7]:
        by_class.setdefault(cpdag(graph).tobytes(), []).append(score_of(X, graph, scoring, 3.0))
    assert max(np.ptp(values) for values in by_class.values()) < 1e-8
    assert len(by_class) > 20


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("search", SEARCHES[:4])
def test_no_search_exceeds_the_exact_one(seed, search):
    X = sampled(seed, rows=2000, nodes=5)
    best = BayesianNetwork(search="exact").fit(X).score_
    found = BayesianNetwork(search=search).fit(X)
    assert found.score_ <= best + 1e-8
    assert found.score_ >= BayesianNetwork([]).fit(X).bic(X)
    if search in ("hill_climbing", "ges"):
        assert found.score_ == pytest.approx(best, rel=2e-3)


@pytest.mark.parametrize("search", SEARCHES)
def test_every_search_finds_the_published_structures(search):
    X = learning_test()
    found = BayesianNetwork(search=search).fit(X)
    assert structural_hamming_distance(found, TRUE) == 0
    assert found.score_ == pytest.approx(-24006.7342, abs=1e-4)
    continuous = BayesianNetwork(search=search).fit(gaussian_test())
    assert structural_hamming_distance(continuous, "[A][B][E][G][C|A:B][D|B][F|A:D:E:G]") == 0


def test_mixed_columns_have_no_arcs_from_continuous_to_categorical_ones():
    rng = np.random.default_rng(0)
    kind = rng.integers(0, 2, 400)
    X = pandas.DataFrame({"kind": np.where(kind, "a", "b"), "size": rng.standard_normal(400) + 3 * kind})
    X["weight"] = 2 * X["size"] + rng.standard_normal(400)
    network = BayesianNetwork().fit(X)
    assert set(network.edges_) == {("kind", "size"), ("size", "weight")}
    assert network.score_ == pytest.approx(network.bic(X), rel=1e-9)
    with pytest.raises(learnable.ParameterError, match="columns of one kind"):
        BayesianNetwork(search="ges").fit(X)


@pytest.mark.parametrize("search", ["hill_climbing", "exact", "mmhc", "pc"])
def test_required_and_forbidden_arcs(search):
    X = sampled(2, rows=500)
    required, forbidden = [("n0", "n3")], [("n1", "n2"), ("n2", "n1")]
    network = BayesianNetwork(search=search, required=required, forbidden=forbidden, max_parents=2).fit(X)
    assert ("n0", "n3") in network.edges_ and not set(forbidden) & set(network.edges_)
    assert max(map(len, network.parents_)) <= 2 or search == "pc"
    with pytest.raises(learnable.ParameterError, match="cycle"):
        BayesianNetwork(required=["n0->n1", "n1->n0"][0] + ";n1->n0").fit(X)
    with pytest.raises(learnable.ParameterError, match="required, but it is forbidden"):
        BayesianNetwork(required="n0->n1", forbidden="n0->n1").fit(X)


def test_chow_liu_is_the_best_of_all_trees():
    X = sampled(8, nodes=4)
    network = BayesianNetwork(search="chow_liu", scoring="loglik").fit(X)
    trees = [graph for graph in graphs_of(4) if max(map(len, graph.parents)) <= 1 and len(graph.edges) == 3]
    assert network.score_ == pytest.approx(max(score_of(X, graph, "loglik") for graph in trees), rel=1e-12)


def test_restarts_and_a_tabu_list_find_better_graphs():
    alarm = read_network(DATA / "alarm.bif")
    X = pandas.DataFrame(alarm.sample(1000, random_state=0), columns=alarm.nodes_)
    plain = BayesianNetwork(tabu_length=0).fit(X)
    tabu = BayesianNetwork(tabu_length=50).fit(X)
    again = BayesianNetwork(tabu_length=0, restarts=2, random_state=0).fit(X)
    assert tabu.score_ >= plain.score_ and again.score_ >= plain.score_
    assert tabu.certificate_.holds and "no structure at all exceeds" in str(tabu.certificate_)
    bound = float(str(tabu.certificate_).rsplit("exceeds ", 1)[1].rstrip("."))
    assert alarm_score(X, alarm) < bound and tabu.score_ < bound


def test_nodes_without_their_arcs_are_climbed_again():
    alarm = read_network(DATA / "alarm.bif")
    X = pandas.DataFrame(alarm.sample(1000, random_state=0), columns=alarm.nodes_)
    required = ("HISTORY", "CVP")
    plain = BayesianNetwork(perturbations=0, required=[required]).fit(X)
    perturbed = BayesianNetwork(perturbations=2, required=[required]).fit(X)
    assert perturbed.score_ > plain.score_ + 1 and required in perturbed.edges_
    assert perturbed.score_ == pytest.approx(perturbed.bic(X), rel=1e-12)
    assert len(perturbed.trace_.rows) == len(plain.trace_.rows) + 2 * len(alarm.nodes_)
    assert perturbed.certificate_.holds


def alarm_score(X, network):
    return BayesianNetwork(network.edges_).fit(X).bic(X)


def test_the_peers_find_no_better_structure():
    """BIC that pyAgrum 3.3.1 reaches on the same rows; tests/references/structure_search.py computes it."""
    alarm = read_network(DATA / "alarm.bif")
    X = pandas.DataFrame(alarm.sample(2000, random_state=1), columns=alarm.nodes_)
    found = BayesianNetwork().fit(X)
    for peer, score in PEERS.items():
        assert found.score_ >= score - 1e-6 * abs(score), peer


PEERS = {"pyAgrum, greedy hill climbing": -23026.06385676465, "pyAgrum, tabu list": -23026.06385676465}


def test_arc_strength_and_the_averaged_network():
    X = learning_test()[::5]
    arcs = arc_strength(BayesianNetwork(), X, n_resamples=12, random_state=0)
    by_arc = {arc[:2]: arc for arc in arcs}
    assert by_arc["A", "D"].strength == 1 and by_arc["A", "D"].direction > 0.9
    assert by_arc["A", "B"].direction == pytest.approx(0.5)  # either way in the equivalence class
    assert all(0 < arc.strength <= 1 and 0 <= arc.direction <= 1 for arc in arcs)
    expected = {frozenset(pair) for pair in ("AB", "AD", "CD", "BE", "FE")}
    assert {frozenset(arc) for arc in averaged_network(arcs)} == expected
    again = arc_strength(BayesianNetwork(), X, n_resamples=12, random_state=0)
    assert again == arcs


def test_hamming_distances_of_equivalent_graphs_are_zero():
    assert structural_hamming_distance("a->b->c", "a<-b<-c") == 0
    assert structural_hamming_distance("a->b<-c", "a->b->c") == 2
    for first, second in product(graphs_of(3), repeat=2):
        families = [dict(enumerate(graph.parents)) for graph in (first, second)]
        distance = structural_hamming_distance(*families)
        assert (distance == 0) == np.array_equal(cpdag(first), cpdag(second))


def test_too_many_columns_for_the_exact_search_are_refused():
    with pytest.raises(learnable.BudgetError, match="exact search over 30 columns needs"):
        BayesianNetwork(search="exact").fit(np.random.default_rng(0).integers(0, 2, (50, 30)))
