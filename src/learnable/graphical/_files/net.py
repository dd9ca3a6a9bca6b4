"""NET, the format of Hugin."""

from __future__ import annotations

import re

import numpy as np

from ...core.errors import DataError
from .._network import Network
from .tables import FileNetwork
from .tokens import TokenReader, split_tokens

COMMENTS = r"%[^\n]*"
MARKS = "{}()[];,|="
PLAIN_NAME = re.compile(r"[A-Za-z_]\w*\Z")


def read_net(text: str, path: str) -> Network:
    """The network that a text in Hugin's NET describes."""
    reader = TokenReader(split_tokens(text, COMMENTS, MARKS), path)
    found = FileNetwork(path)
    while reader.peek():
        kind = reader.next()
        if kind in ("net", "class"):
            reader.until("{")
            reader.skip_block()
        elif kind == "node" or (kind == "discrete" and reader.peek() == "node"):
            _node(reader, found, kind == "discrete")
        elif kind == "potential":
            _potential(reader, found)
        else:
            raise reader.error(f"expected net, node or potential, got {kind!r:.40}: only chance nodes are read")
    return found.network()


def _node(reader: TokenReader, found: FileNetwork, two_words: bool) -> None:
    if two_words:
        reader.expect("node")
    name = reader.next("a name")
    reader.expect("{")
    states: list[str] = []
    while (word := reader.next("'}'")) != "}":
        reader.expect("=")
        if word == "states":
            reader.expect("(")
            states = reader.until(")")
        reader.until(";")
    found.add_variable(name, states)


def _potential(reader: TokenReader, found: FileNetwork) -> None:
    reader.expect("(")
    head = reader.until(")")
    child, *rest = head or [""]
    parents = [word for word in rest if word != "|"]
    rows, states = found.shape(child, parents)
    reader.expect("{")
    values: list[float] = []
    while (word := reader.next("'}'")) != "}":
        reader.expect("=")
        if word != "data":
            reader.until(";")
            continue
        while (mark := reader.next("';'")) != ";":
            if mark not in "()":
                reader.at -= 1
                values.append(reader.number())
    if not values:
        values = [1.0 / states] * (rows * states)
    found.add_table(child, parents, np.array(values))


def write_net(network: Network) -> str:
    """The network as a text in NET; names that NET does not allow are refused."""
    lines = ["net", "{", "}"]
    for name, known in zip(network.names, network.states, strict=True):
        _check(name)
        shown = " ".join(_quoted(str(state)) for state in known.tolist())
        lines += [f"node {name}", "{", f"  states = ( {shown} );", "}"]
    for v, name in enumerate(network.names):
        parents = " ".join(network.names[parent] for parent in network.graph.parents[v])
        lines += [f"potential ( {name} | {parents} )", "{", f"  data = {_nested(network.cpt(v).tolist())};", "}"]
    return "\n".join(lines) + "\n"


def _nested(values: object) -> str:
    return f"({' '.join(map(_nested, values))})" if isinstance(values, list) else repr(values)


def _quoted(text: str) -> str:
    return '"' + re.sub(r'["\n\r]', "_", text) + '"'


def _check(name: str) -> None:
    if not PLAIN_NAME.match(name):
        raise DataError(f"write_network: NET has no names such as {name!r:.40}; rename the node, or write BIF")
