"""Files of networks: what is read, what is written, and what malformed ones say."""

from __future__ import annotations

import gzip

import numpy as np
import pytest

import learnable
from learnable.graphical import BayesianNetwork, TabularCPD, read_network, write_network
from tests.graphical.random_networks import DATA, random_categorical

SIZES = {"asia": (8, 8, 18), "alarm": (37, 46, 509), "child": (20, 25, 230), "sachs": (11, 17, 178)}
ENDINGS = ("bif", "net", "xml", "uai", "bif.gz")


@pytest.mark.parametrize("name", SIZES)
def test_networks_of_the_bnlearn_repository_have_their_sizes(name):
    network = read_network(DATA / f"{name}.bif")
    assert (len(network.nodes_), len(network.edges_), network.n_parameters_) == SIZES[name]


def test_states_and_digits_are_kept():
    child = read_network(DATA / "child.bif")
    assert "<7.5" in child.states_[child.nodes_.index("CO2Report")].tolist()
    assert read_network(DATA / "asia.bif").query("lung")["yes"] == 0.5 * 0.1 + 0.5 * 0.01


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("name", ["child", "random"])
def test_written_networks_come_back(tmp_path, name, ending):
    network = random_categorical(1) if name == "random" else read_network(DATA / "child.bif")
    path = tmp_path / f"network.{ending}"
    write_network(network, path)
    again = read_network(path)
    for ours, theirs in zip(again.tables_, network.tables_, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-14)
    if ending != "uai":
        assert again.edges_ == network.edges_
        assert [[str(one) for one in states] for states in network.states_] == [
            list(states) for states in again.states_
        ]


@pytest.mark.parametrize("ending", ["bif", "xml"])
def test_odd_names_are_quoted_or_escaped(tmp_path, ending):
    names = {"a b<c>&": ["x, y", "{z}"], "d": ["1|2", "3;4"]}
    first = TabularCPD("a b<c>&", 2, [[0.25], [0.75]], state_names=names)
    network = BayesianNetwork.from_cpds([first, TabularCPD("d", 2, np.full((2, 2), 0.5), ["a b<c>&"], [2], names)])
    write_network(network, tmp_path / f"odd.{ending}")
    again = read_network(tmp_path / f"odd.{ending}")
    assert again.nodes_ == list(names) and [list(states) for states in again.states_] == list(names.values())
    assert again.query("a b<c>&")["x, y"] == 0.25


WHOLE = (DATA / "asia.bif").read_text()
MALFORMED = {
    "a table that is too short": (WHOLE.replace("table 0.01, 0.99;", "table 0.01;"), r"line \d+: 'asia' needs 2"),
    "an unknown state": (WHOLE.replace("(yes) 0.05, 0.95;", "(maybe) 0.05, 0.95;"), "'maybe' is not a state of 'asia'"),
    "a sum that is not 1": (WHOLE.replace("0.01, 0.99;", "0.51, 0.99;", 1), "add up to 1"),
    "a negative probability": (WHOLE.replace("0.01, 0.99;", "-0.01, 1.01;", 1), "at least 0"),
    "text for a number": (WHOLE.replace("0.01, 0.99;", "0.01, much;", 1), "expected a number, got 'much'"),
    "an infinite number": (WHOLE.replace("0.01, 0.99;", "1e999, 0.99;", 1), "beyond the range"),
    "an end in the middle": (WHOLE[: len(WHOLE) // 2], "incomplete|expected"),
    "an unknown block": (WHOLE + "\nfunction f { }", "expected network, variable or probability"),
    "a node without probabilities": (WHOLE[: WHOLE.index("probability ( dysp")], "'dysp' has no probabilities"),
    "a parent that is not there": (WHOLE.replace("tub | asia", "tub | africa"), "'africa'"),
    "a node twice": (
        WHOLE + WHOLE[WHOLE.index("variable asia") : WHOLE.index("variable tub")],
        "'asia' is there twice",
    ),
    "nothing": ("", "no variables"),
    "an open text": ('network "x', "incomplete|expected"),
}


@pytest.mark.parametrize("case", MALFORMED)
def test_malformed_bif_is_refused_with_its_line(tmp_path, case):
    text, said = MALFORMED[case]
    path = tmp_path / "bad.bif"
    path.write_text(text)
    with pytest.raises(learnable.DataError, match=said) as error:
        read_network(path)
    assert "bad.bif" in str(error.value)


MARKS = np.frombuffer(b'{}()[];,|="9.e-\xff<>&x ', dtype=np.uint8)


@pytest.mark.parametrize("ending", ["bif", "net", "xml", "uai"])
def test_damaged_files_give_errors_and_end(tmp_path, ending):
    write_network(random_categorical(0, nodes=4), tmp_path / f"whole.{ending}")
    whole = bytearray((tmp_path / f"whole.{ending}").read_bytes())
    rng = np.random.default_rng(0)
    path = tmp_path / f"bad.{ending}"
    for _ in range(150):
        damaged = whole.copy()
        for place in rng.integers(0, len(damaged), 3).tolist():
            if rng.random() < 0.5:
                del damaged[place : place + int(rng.integers(1, 20))]
            else:
                damaged[place : place + 1] = rng.choice(MARKS).tobytes()
            damaged = damaged or bytearray(b"x")
            place %= len(damaged)
        path.write_bytes(damaged)
        try:
            read_network(path)
        except (learnable.DataError, learnable.ParameterError) as error:
            assert len(str(error).split()) >= 5


def test_other_malformed_files_are_refused(tmp_path):
    cases = {
        "cycle.uai": ("BAYES 2 2 2 2 2 0 1 2 1 0 4 .5 .5 .5 .5 4 .5 .5 .5 .5", "cycle"),
        "markov.uai": ("MARKOV 1 2 1 1 0 2 1 1", "begins with BAYES"),
        "huge.uai": ("BAYES 99999999999", "number of variables"),
        "entities.xml": ('<!DOCTYPE x [<!ENTITY a "b">]><BIF/>', "entities"),
        "open.xml": ("<BIF><NETWORK>", "not a valid XML"),
        "decision.net": ("decision x { }", "only chance nodes"),
    }
    for name, (text, said) in cases.items():
        (tmp_path / name).write_text(text)
        with pytest.raises((learnable.DataError, learnable.ParameterError), match=said):
            read_network(tmp_path / name)
    (tmp_path / "cut.bif.gz").write_bytes(gzip.compress(b"network x { }" * 100)[:40])
    with pytest.raises(learnable.DataError, match="damaged"):
        read_network(tmp_path / "cut.bif.gz")
    with pytest.raises(learnable.ParameterError, match="format='bif'"):
        read_network(tmp_path / "network.txt")
    continuous = BayesianNetwork([]).fit([[0.5], [1.5], [0.25]])
    with pytest.raises(learnable.DataError, match="continuous"):
        write_network(continuous, tmp_path / "x.bif")
