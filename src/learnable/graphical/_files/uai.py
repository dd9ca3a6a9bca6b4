"""UAI, the format of the inference competitions: numbers without names."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...core import Array
from ...core.errors import DataError
from .._network import Network
from .tables import FileNetwork
from .tokens import NUMBER

MAX_COUNT = 1 << 20


def read_uai(text: str, path: str) -> Network:
    """The network that a text in the UAI format describes: variables x0, x1, ... with the states 0, 1, ..."""
    words = iter(text.split())

    def whole(what: str, most: int = MAX_COUNT) -> int:
        word = next(words, "")
        if not word.isdigit() or int(word) > most:
            raise DataError(f"{path}: expected {what}, got {word!r:.40}; the file is incomplete or not in UAI format")
        return int(word)

    kind = next(words, "")
    if kind != "BAYES":
        raise DataError(
            f"{path}: a Bayesian network in UAI format begins with BAYES; got {kind!r:.40}"
            + ("; read Markov networks with FactorGraph.read" if kind == "MARKOV" else "")
        )
    found = FileNetwork(path)
    for v in range(whole("the number of variables")):
        found.add_variable(f"x{v}", [str(k) for k in range(whole(f"the number of states of variable {v}"))])
    scopes = []
    for f in range(whole("the number of tables")):
        size = whole(f"the number of variables of table {f}", len(found.states))
        scopes.append([f"x{whole('a variable', len(found.states) - 1)}" for _ in range(size)])
        if not scopes[-1]:
            raise DataError(f"{path}: table {f} has no variable")
    for scope in scopes:
        count = whole(f"the number of entries of the table of {scope[-1]}", 1 << 28)
        found.add_table(scope[-1], scope[:-1], _values(words, count, path))
    return found.network()


def _values(words: Iterator[str], count: int, path: str) -> Array:
    found = np.empty(count)
    for k in range(count):
        word = next(words, "")
        if not NUMBER.match(word) or not np.isfinite(float(word)):
            raise DataError(f"{path}: expected a number, got {word!r:.40}; a table is incomplete")
        found[k] = float(word)
    return found


def write_uai(network: Network) -> str:
    """The network as a text in UAI format; names are lost."""
    lines = ["BAYES", str(len(network.names)), " ".join(map(str, network.card.tolist())), str(len(network.names))]
    lines += [" ".join(map(str, [len(parents) + 1, *parents, v])) for v, parents in enumerate(network.graph.parents)]
    for table in network.tables:
        lines += ["", str(table.size), " ".join(repr(value) for value in table.ravel().tolist())]
    return "\n".join(lines) + "\n"
