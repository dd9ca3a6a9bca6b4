"""Bayesian networks: posteriors, structures, parameters and files, beside pyAgrum and pgmpy.

The large networks barley and mildew take part if the environment variable LEARNABLE_NETWORKS names the folder of their
files, which the repository of R's bnlearn has.
"""

from __future__ import annotations

import gzip
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.task import AtMost, Contender, Data, Near, Output, Quality, Task

FOLDERS = (Path(__file__).parents[2] / "tests" / "graphical" / "data", os.environ.get("LEARNABLE_NETWORKS", ""))
EVIDENCE = {"alarm": {"HRBP": "HIGH", "BP": "LOW", "CVP": "HIGH"}}


def network_file(name: str) -> str:
    """The BIF file of a network of the bnlearn repository, written where all contenders can read it."""
    packed = next(path for path in files_of(name) if path.exists())
    if packed.suffix == ".bif":
        return str(packed)
    path = Path(tempfile.mkdtemp()) / f"{name}.bif"
    path.write_bytes(gzip.decompress(packed.read_bytes()))
    return str(path)


def files_of(name: str) -> list[Path]:
    """Where the file of a network may be: with the tests, or in the folder LEARNABLE_NETWORKS."""
    folders = [Path(folder) for folder in FOLDERS if folder]
    return [folder / f"{name}{ending}" for folder in folders for ending in (".bif", ".bif.gz")]


def evidence_on(name: str, network: Any) -> dict[str, str]:
    """The evidence of the table, or the states of four leaves in a row that was drawn."""
    if name in EVIDENCE:
        return EVIDENCE[name]
    nodes = list(network.nodes_)
    leaves = sorted(set(nodes) - {parent for parent, _ in network.edges_})
    drawn = network.sample(1, random_state=0)[0]
    return {node: str(drawn[nodes.index(node)]) for node in leaves[:4]}


def posterior_problem(name: str) -> Callable[..., Data]:
    """A network file, evidence, and the posterior of one node by variable elimination."""

    def make(queries: int) -> Data:
        from learnable.graphical import read_network

        path = network_file(name)
        network = read_network(path)
        evidence = evidence_on(name, network)
        free = next(node for node in network.nodes_ if node not in evidence)
        return {
            "path": np.array(path), "nodes": np.array(list(evidence)), "states": np.array(list(evidence.values())),
            "free": np.array(free), "expected": network.query(free, evidence).values, "queries": queries,
        }  # fmt: skip

    return make


def marginals_by_ours(data: Data) -> Callable[[], Any]:
    from learnable.graphical import read_network

    network = read_network(str(data["path"]))
    evidence = dict(zip(data["nodes"].tolist(), data["states"].tolist(), strict=True))
    network.marginals(evidence)

    def call() -> Any:
        for _ in range(int(data["queries"])):
            found = network.marginals(evidence).marginals
        return found[str(data["free"])].values

    return call


def marginals_by_pyagrum(data: Data) -> Callable[[], Any]:
    import pyagrum

    network = pyagrum.loadBN(str(data["path"]))
    engine = pyagrum.LazyPropagation(network)
    evidence = dict(zip(data["nodes"].tolist(), data["states"].tolist(), strict=True))

    def call() -> Any:
        for _ in range(int(data["queries"])):
            engine.eraseAllEvidence()
            engine.setEvidence(evidence)
            engine.makeInference()
            found = {network.variable(node).name(): engine.posterior(node) for node in network.nodes()}
        return found[str(data["free"])].toarray()

    return call


def marginals_by_pgmpy(data: Data) -> Callable[[], Any]:
    from pgmpy.inference import VariableElimination
    from pgmpy.readwrite import BIFReader

    engine = VariableElimination(BIFReader(str(data["path"])).get_model())
    evidence = dict(zip(data["nodes"].tolist(), data["states"].tolist(), strict=True))
    nodes = [node for node in engine.model.nodes() if node not in evidence]

    def call() -> Any:
        for _ in range(int(data["queries"])):
            found = {node: engine.query([node], evidence, show_progress=False) for node in nodes}
        return found[str(data["free"])].values

    return call


def posterior_error(data: Data, output: Output) -> float:
    return float(np.abs(np.asarray(output["posterior"]) - data["expected"]).max())


def read_posterior(found: Any) -> Output:
    return {"posterior": np.asarray(found)}


def drawn_rows(n: int) -> Data:
    """Rows of the alarm network, as text and as codes."""
    from learnable.graphical import read_network

    alarm = read_network(network_file("alarm"))
    rows = alarm.sample(n, random_state=0).astype(str)
    codes = np.column_stack([np.unique(column, return_inverse=True)[1] for column in rows.T])
    edges = np.array(alarm.edges_)
    return {"rows": rows, "codes": codes, "names": np.array(alarm.nodes_), "edges": edges}


def frame(data: Data, of: str = "rows") -> Any:
    import pandas

    values = data[of]
    return pandas.DataFrame(values.astype(str) if of == "rows" else values, columns=data["names"].tolist())


def learned_by_ours(search: str, **options: Any) -> Callable[[Data], Callable[[], Any]]:
    def prepare(data: Data) -> Callable[[], Any]:
        from learnable.graphical import BayesianNetwork

        X = frame(data)
        return lambda: BayesianNetwork(search=search, **options).fit(X).edges_

    return prepare


def learned_by_pyagrum(search: str) -> Callable[[Data], Callable[[], Any]]:
    def prepare(data: Data) -> Callable[[], Any]:
        import pyagrum

        X = frame(data)

        def call() -> Any:
            learner = pyagrum.BNLearner(X, ["?"])
            learner.useNoPrior()
            if search == "usePC":
                learner.usePC()
                learner.useG2Test()
            else:
                learner.useScoreBIC()
                getattr(learner, search)()
            arcs = learner.learnDAG().arcs()
            return [(learner.nameFromId(a), learner.nameFromId(b)) for a, b in arcs]

        return call

    return prepare


def bic_of(data: Data, output: Output) -> float:
    from learnable.graphical import BayesianNetwork

    X = frame(data)
    return BayesianNetwork([tuple(edge) for edge in np.asarray(output["edges"]).tolist()]).fit(X).bic(X)


def edges_missed(data: Data, output: Output) -> float:
    """The fraction of the edges of the network that are not in the structure, without directions."""
    true = {frozenset(edge) for edge in data["edges"].tolist()}
    return len(true - {frozenset(edge) for edge in np.asarray(output["edges"]).tolist()}) / len(true)


def read_edges(edges: Any) -> Output:
    return {"edges": np.array(list(edges))}


def parameters_by_ours(data: Data) -> Callable[[], Any]:
    from learnable.graphical import BayesianNetwork

    X, edges = frame(data, "codes"), [tuple(edge) for edge in data["edges"].tolist()]

    def call() -> Any:
        network = BayesianNetwork(edges).fit(X)
        return network.query("HISTORY").values

    return call


def parameters_by_pgmpy(data: Data) -> Callable[[], Any]:
    from pgmpy.models import DiscreteBayesianNetwork

    X, edges = frame(data, "codes"), [tuple(edge) for edge in data["edges"].tolist()]

    def call() -> Any:
        network = DiscreteBayesianNetwork(edges)
        network.fit(X)
        names = list(network.get_cpds("HISTORY").variables)
        joint = network.get_cpds("HISTORY").values * network.get_cpds("LVFAILURE").values
        return joint.sum(axis=names.index("LVFAILURE"))

    return call


def frequency_error(data: Data, output: Output) -> float:
    column = data["codes"][:, data["names"].tolist().index("HISTORY")]
    return float(np.abs(np.asarray(output["posterior"]) - np.bincount(column) / len(column)).max())


def alarm_file(times: int) -> Data:
    return {"path": np.array(network_file("alarm")), "times": times}


def read_by_ours(data: Data) -> Callable[[], Any]:
    from learnable.graphical import read_network

    return lambda: [len(read_network(str(data["path"])).edges_) for _ in range(int(data["times"]))]


def read_by_pgmpy(data: Data) -> Callable[[], Any]:
    from pgmpy.readwrite import BIFReader

    return lambda: [len(BIFReader(str(data["path"])).get_model().edges()) for _ in range(int(data["times"]))]


def edges_wrong(data: Data, output: Output) -> float:
    return float(np.abs(np.asarray(output["edges"]) - 46).max())


def posterior_task(name: str, times: int, *, pgmpy: bool) -> Task:
    contenders = [
        Contender("learnable", marginals_by_ours, read_posterior, kind="ours"),
        Contender("pyAgrum", marginals_by_pyagrum, read_posterior, needs=("pyagrum",)),
    ]
    if pgmpy:
        contenders.append(Contender("pgmpy", marginals_by_pgmpy, read_posterior, needs=("pgmpy",)))
    quality = Quality("error of a posterior", posterior_error, AtMost(1e-5))  # pyAgrum reads single precision
    size = f"all marginals of {name} given evidence, {{queries}} times"
    return Task(
        f"marginals-{name}", __name__, size, posterior_problem(name), {"queries": times}, {"queries": 1},
        tuple(contenders), quality,
    )  # fmt: skip


TASKS = (
    posterior_task("alarm", 20, pgmpy=True),
    *(posterior_task(name, 2, pgmpy=False) for name in ("barley", "mildew") if any(map(Path.exists, files_of(name)))),
    Task(
        "structure-hill-climbing", __name__, "structure of {n} rows of alarm by hill climbing, BIC", drawn_rows,
        {"n": 20_000}, {"n": 300},
        (
            Contender("learnable", learned_by_ours("hill_climbing"), read_edges, kind="ours"),
            Contender("pyAgrum", learned_by_pyagrum("useGreedyHillClimbing"), read_edges, needs=("pyagrum",)),
        ),
        Quality("BIC", bic_of, Near(0.02, higher_is_better=True)),
    ),
    Task(
        "structure-pc", __name__, "structure of {n} rows of alarm by PC-stable", drawn_rows, {"n": 20_000}, {"n": 300},
        (
            Contender("learnable", learned_by_ours("pc"), read_edges, kind="ours"),
            Contender("pyAgrum", learned_by_pyagrum("usePC"), read_edges, needs=("pyagrum",)),
        ),
        Quality("fraction of edges missed", edges_missed, AtMost(0.7)),
    ),
    Task(
        "network-parameters", __name__, "probability tables of alarm from {n} rows of codes", drawn_rows,
        {"n": 100_000}, {"n": 300},
        (
            Contender("learnable", parameters_by_ours, read_posterior, kind="ours"),
            Contender("pgmpy", parameters_by_pgmpy, read_posterior, needs=("pgmpy",)),
        ),
        Quality("error of a probability", frequency_error, AtMost(1e-9)),
    ),
    Task(
        "network-file", __name__, "reading alarm.bif, {times} times", alarm_file, {"times": 5}, {"times": 1},
        (
            Contender("learnable", read_by_ours, lambda found: {"edges": np.array(found)}, kind="ours"),
            Contender("pgmpy", read_by_pgmpy, lambda found: {"edges": np.array(found)}, needs=("pgmpy",)),
        ),
        Quality("edges wrong", edges_wrong, AtMost(0.5)),
    ),
)  # fmt: skip
