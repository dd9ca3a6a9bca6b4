"""Queries against the enumeration of all rows, and against published numbers."""

from __future__ import annotations

import numpy as np
import pytest

import learnable
from learnable.graphical import BayesianNetwork, LinearGaussianCPD, TabularCPD, read_network
from tests.graphical.random_networks import DATA, given, joint_table, marginal, random_categorical, random_mixed


@pytest.mark.parametrize("seed", range(8))
def test_marginals_are_those_of_the_enumeration(seed):
    network = random_categorical(seed)
    table = joint_table(network)
    assert table.sum() == pytest.approx(1, abs=1e-12)
    sampled = network.sample(1, random_state=seed)[0]  # a row that is possible
    for observed in ([], [0], [1, 4], [0, 2, 5]):
        evidence = {f"n{v}": sampled[v] for v in observed}
        kept = given(table, {v: int(sampled[v]) for v in observed})
        found = network.marginals(evidence)
        assert found.log_evidence == pytest.approx(np.log(kept.sum()), abs=1e-10)
        assert network.log_evidence(evidence) == pytest.approx(np.log(kept.sum()), abs=1e-10)
        for v in range(6):
            expected = marginal(kept, [v]) / kept.sum()
            np.testing.assert_allclose(found.marginals[f"n{v}"].values, expected, atol=1e-12)


@pytest.mark.parametrize("seed", range(6))
def test_joint_queries_and_most_probable_states_are_those_of_the_enumeration(seed):
    network = random_categorical(seed + 20)
    table = joint_table(network)
    row = network.sample(1, random_state=seed)[0]
    kept = given(table, {1: int(row[1])})
    joint = network.query(["n3", "n0"], {"n1": row[1]})
    np.testing.assert_allclose(joint.values, marginal(kept, [3, 0]) / kept.sum(), atol=1e-12)
    states = network.map_query(evidence={"n1": row[1]})
    assert table[tuple(states.get(f"n{v}", row[v]) for v in range(6))] == pytest.approx(kept.max(), rel=1e-12)
    some = network.map_query(["n2", "n5"], {"n1": row[1]})
    assert marginal(kept, [2, 5])[some["n2"], some["n5"]] == pytest.approx(marginal(kept, [2, 5]).max(), rel=1e-12)


def test_soft_evidence_multiplies_the_likelihood_of_states():
    network = random_categorical(3)
    table = joint_table(network)
    weight = np.array([0.3, 2.0, 0.5, 0.9])[: table.shape[2]]
    soft = table * weight.reshape(1, 1, -1, 1, 1, 1)
    for likelihood in (weight, dict(enumerate(weight.tolist()))):
        found = network.query("n0", soft_evidence={"n2": likelihood})
        np.testing.assert_allclose(found.values, marginal(soft, [0]) / soft.sum(), atol=1e-12)
    both = network.marginals({"n1": 0}, soft_evidence={"n2": weight})
    kept = given(soft, {1: 0})
    np.testing.assert_allclose(both.marginals["n2"].values, marginal(kept, [2]) / kept.sum(), atol=1e-12)
    np.testing.assert_allclose(
        network.query("n2", soft_evidence={"n2": weight}).values, marginal(soft, [2]) / soft.sum()
    )


@pytest.mark.parametrize("seed", range(4))
def test_rows_with_missing_entries_are_summed_over(seed):
    network = random_categorical(seed)
    table = joint_table(network)
    rows = network.sample(40, random_state=1).astype(object)
    rng = np.random.default_rng(seed)
    rows[rng.random(rows.shape) < 0.4] = None
    expected = [
        np.log(given(table, {v: int(entry) for v, entry in enumerate(row) if entry is not None}).sum()) for row in rows
    ]
    np.testing.assert_allclose(network.score_samples(named(rows)), expected, atol=1e-10)


def named(rows):
    import pandas

    return pandas.DataFrame(rows, columns=[f"n{v}" for v in range(rows.shape[1])], dtype=object)


@pytest.mark.parametrize("threads", [1, 2, 3, 8])
def test_bits_do_not_depend_on_threads(threads):
    network = random_categorical(5)
    rows = network.sample(500, random_state=0).astype(object)
    rows[::3, 1] = None
    with learnable.threads(1):
        alone = network.score_samples(named(rows))
    with learnable.threads(threads):
        assert network.score_samples(named(rows)).tobytes() == alone.tobytes()


ASIA = {"asia": "yes", "xray": "yes", "dysp": "yes"}


def test_the_patient_of_lauritzen_and_spiegelhalter():
    network = read_network(DATA / "asia.bif")
    found = network.marginals(ASIA)
    expected = {
        "lung": 0.4442705077554316,
        "tub": 0.3917117200075793,
        "bronc": 0.6288217759739857,
        "either": 0.8137687023752391,
    }
    for node, probability in expected.items():
        assert found.marginals[node]["yes"] == pytest.approx(probability, abs=1e-12)
    assert np.exp(found.log_evidence) == pytest.approx(0.00098822675, abs=1e-12)
    assert network.query("dysp")["yes"] == pytest.approx(0.4359706, abs=1e-9)
    smoker = network.query("lung", {"smoke": "yes", "dysp": "yes", "xray": "yes"})
    assert smoker["yes"] == pytest.approx(0.7237140153108922, abs=1e-12)


def test_the_alarm_network():
    network = read_network(DATA / "alarm.bif")
    low = {"HRBP": "HIGH", "BP": "LOW"}
    assert network.query("LVFAILURE", low)["TRUE"] == pytest.approx(0.0883711235736731, abs=1e-9)
    assert network.query("HYPOVOLEMIA", low)["TRUE"] == pytest.approx(0.2679682354385633, abs=1e-9)
    assert np.exp(network.log_evidence(low)) == pytest.approx(0.307764256224277, abs=1e-9)
    embolus = network.query("PULMEMBOLUS", {"PAP": "HIGH", "SAO2": "LOW"})
    assert embolus["TRUE"] == pytest.approx(0.1566961050784351, abs=1e-9)
    breathing = network.marginals({"PRESS": "HIGH", "EXPCO2": "LOW", "SAO2": "LOW"}).marginals
    tube = [breathing["INTUBATION"][state] for state in ("NORMAL", "ESOPHAGEAL", "ONESIDED")]
    np.testing.assert_allclose(tube, [0.9377194869, 0.0296479025, 0.0326326106], atol=1e-9)
    assert breathing["KINKEDTUBE"]["TRUE"] == pytest.approx(0.0374768087, abs=1e-9)
    volume = network.query("HYPOVOLEMIA", {"CVP": "LOW", "PCWP": "LOW", "BP": "LOW", "HRBP": "HIGH"})
    assert volume["TRUE"] == pytest.approx(0.1595056963577684, abs=1e-9)


def test_the_sachs_network():
    found = read_network(DATA / "sachs.bif").query("Akt", {"PKA": "HIGH"})
    np.testing.assert_allclose(
        [found[state] for state in ("LOW", "AVG", "HIGH")], [0.7649596583, 0.2348527596, 0.0001875821], atol=1e-9
    )


@pytest.mark.parametrize("seed", range(5))
def test_mixed_networks_agree_with_the_enumeration_of_their_categorical_nodes(seed):
    network = random_mixed(seed)
    inner = network._network
    card = [len(states) for states in network.states_[:3]]
    code = np.zeros((7, int(np.prod(card))), dtype=np.int64)
    code[:3] = np.indices(card).reshape(3, -1)
    prior = np.ones(code.shape[1])
    for v in range(3):
        prior *= network.tables_[v][inner.configuration(v, code), code[v]]
    value = {"c1": 0.4, "c3": -0.8}
    weight, means = np.empty(len(prior)), np.empty(len(prior))
    for k in range(len(prior)):
        mean, covariance = normal_of(network, code[:, k])
        seen, left = [1, 3], covariance[np.ix_([1, 3], [1, 3])]
        error = np.array([0.4, -0.8]) - mean[seen]
        solved = np.linalg.solve(left, error)
        weight[k] = prior[k] * np.exp(-0.5 * error @ solved) / np.sqrt(np.linalg.det(2 * np.pi * left))
        means[k] = mean[2] + covariance[2, seen] @ solved
    found = network.query("d1", value)
    expected = [weight[code[1] == state].sum() / weight.sum() for state in range(card[1])]
    np.testing.assert_allclose(found.values, expected, atol=1e-10)
    assert network.query("c2", value).mean[0] == pytest.approx(weight @ means / weight.sum(), abs=1e-10)
    assert network.log_evidence(value) == pytest.approx(np.log(weight.sum()), abs=1e-10)
    assert network.marginals(value).marginals["d1"].values == pytest.approx(expected, abs=1e-10)


def normal_of(network, code):
    """Mean and covariance of the continuous nodes from the inverse of the matrix of coefficients."""
    inner = network._network
    coefficient, constant, noise = np.zeros((4, 4)), np.zeros(4), np.zeros(4)
    for v in range(3, 7):
        row = inner.configuration(v, code[:, None])[0]
        constant[v - 3], noise[v - 3] = network.tables_[v][row, 0], network.variances_[v][row]
        for k, parent in enumerate(inner.continuous_parents(v), start=1):
            coefficient[v - 3, parent - 3] = network.tables_[v][row, k]
    inverse = np.linalg.inv(np.eye(4) - coefficient)
    return inverse @ constant, inverse @ np.diag(noise) @ inverse.T


def test_a_gaussian_network_is_a_multivariate_normal():
    network = BayesianNetwork.from_cpds([
        LinearGaussianCPD("a", [1.0], 2.0), LinearGaussianCPD("b", [0.0, 0.5], 1.0, ["a"]),
        LinearGaussianCPD("c", [1.0, 1.0, -1.0], 0.5, ["a", "b"]),
    ])  # fmt: skip
    found = network.query(["a", "b"], {"c": 2.0})
    covariance = np.array([[4.0, 2.0, 2.0], [2.0, 2.0, 0.0], [2.0, 0.0, 2.25]])
    mean = np.array([1.0, 0.5, 1.5])
    gain = covariance[:2, 2] / covariance[2, 2]
    np.testing.assert_allclose(found.mean, mean[:2] + gain * 0.5, atol=1e-12)
    np.testing.assert_allclose(found.covariance, covariance[:2, :2] - np.outer(gain, covariance[2, :2]), atol=1e-12)
    rows = np.array([[1.0, np.nan, 2.0], [np.nan, np.nan, 2.0], [0.0, 1.0, 2.0]])
    logs = network.score_samples(named_as(rows, "abc"))
    assert logs[1] == pytest.approx(-0.5 * (0.25 / 2.25 + np.log(2 * np.pi * 2.25)), abs=1e-12)


def named_as(rows, letters):
    import pandas

    return pandas.DataFrame(rows, columns=list(letters))


@pytest.mark.parametrize("method", ["likelihood_weighting", "gibbs", "loopy"])
def test_approximate_posteriors_hold_the_exact_one_in_their_interval(method):
    network = random_categorical(11, most=1) if method == "loopy" else random_categorical(12)
    row = network.sample(1, random_state=0)[0]
    exact = network.query("n0", {"n3": row[3], "n5": row[5]})
    found = network.query("n0", {"n3": row[3], "n5": row[5]}, method=method, n_samples=20_000, random_state=0)
    np.testing.assert_allclose(found.values, exact.values, atol=0.03)
    low, high = found.interval
    assert (low <= exact.values + 1e-6).all() and (exact.values <= high + 1e-6).all() and (high - low < 0.2).all()


def test_interventions_cut_the_arrows_into_a_node():
    rain = TabularCPD("rain", 2, [[0.8], [0.2]])
    sprinkler = TabularCPD("sprinkler", 2, [[0.6, 0.99], [0.4, 0.01]], ["rain"], [2])
    wet = TabularCPD("wet", 2, [[1.0, 0.1, 0.2, 0.01], [0.0, 0.9, 0.8, 0.99]], ["rain", "sprinkler"], [2, 2])
    network = BayesianNetwork.from_cpds([rain, sprinkler, wet])
    assert network.do({"sprinkler": 1}).query("rain")[1] == pytest.approx(0.2)
    assert network.query("rain", {"sprinkler": 1})[1] == pytest.approx(0.2 * 0.01 / (0.8 * 0.4 + 0.2 * 0.01))
    adjusted = 0.8 * 0.9 + 0.2 * 0.99
    assert network.do({"sprinkler": 1}).query("wet")[1] == pytest.approx(adjusted)
    rows = network.simulate(4000, do={"sprinkler": 1}, random_state=0)
    assert set(rows[:, 1]) == {1} and np.mean(rows[:, 2] == 1) == pytest.approx(adjusted, abs=0.02)


def test_inference_that_does_not_fit_is_refused_with_its_size():
    nodes = [TabularCPD(f"x{v}", 4, np.full((4, 1), 0.25)) for v in range(40)]
    rng = np.random.default_rng(0)
    for k in range(60):
        a, b, c = rng.choice(40, 3, replace=False)
        nodes.append(TabularCPD(f"y{k}", 2, np.full((2, 64), 0.5), [f"x{a}", f"x{b}", f"x{c}"], [4, 4, 4]))
    network = BayesianNetwork.from_cpds(nodes)
    with pytest.raises(
        learnable.BudgetError, match=r"tables of .* entries, .* GiB \(width \d+\).*likelihood_weighting"
    ):
        network.marginals()
    assert network.query("y0", method="likelihood_weighting", random_state=0)[0] == pytest.approx(0.5, abs=0.05)
    assert network.query("y0")[0] == pytest.approx(0.5)  # nodes below are not needed


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda n: n.query("m"), "'m' is not a node"),
        (lambda n: n.query("n0", {"n1": 9}), "'n1' has no state 9"),
        (lambda n: n.query("n0", {"n0": 0}), "queried and observed"),
        (lambda n: n.query([]), "one or more different nodes"),
        (lambda n: n.query("n0", ["n1"]), "evidence must map nodes to states"),
        (lambda n: n.query("n0", soft_evidence={"n1": [-1.0]}), "soft evidence on 'n1'"),
        (lambda n: n.query("n0", method="belief"), "method of query must be one of exact, .*'belief'"),
        (lambda n: n.from_cpds([]), "a conditional distribution for every node"),
        (lambda n: n.from_cpds(None), "must be a list of TabularCPD"),
    ],
)
def test_bad_queries_are_refused_by_name(call, said):
    with pytest.raises(learnable.ParameterError, match=said):
        call(random_categorical(0))


def test_impossible_evidence_is_refused():
    cpds = [TabularCPD("a", 2, [[1.0], [0.0]]), TabularCPD("b", 2, [[0.5, 0.1], [0.5, 0.9]], ["a"], [2])]
    network = BayesianNetwork.from_cpds(cpds)
    for ask in (
        network.marginals,
        lambda e: network.query("b", e),
        lambda e: network.query("b", e, method="loopy"),
        lambda e: network.map_query(evidence=e),
    ):
        with pytest.raises(learnable.ParameterError, match="probability 0"):
            ask({"a": 1})
