"""Network structures as users write them: pairs, arrows in text, model strings, graphs of other libraries."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from ..core.errors import ParameterError, ParameterTypeError

ARROW = re.compile(r"\s*(->|<-)\s*")
NODE = re.compile(r"\[([^\[\]|]+)(?:\|([^\[\]|]*))?\]")
SPELLINGS = (
    "pairs such as [('rain', 'wet')], text such as 'rain->wet<-sprinkler', a model string such as '[rain][wet|rain]', "
    "a mapping of each node to its parents, or a directed graph with nodes and edges"
)


class NetworkStructure(NamedTuple):
    """Names of nodes and pairs (parent, child) of them."""

    nodes: list[Any]
    edges: list[tuple[Any, Any]]


def read_structure(structure: Any, owner: str, name: str = "structure") -> NetworkStructure:
    """The nodes and edges that the parameter called `name` describes, each once, in the order in which they come."""
    if isinstance(structure, str):
        found = _from_text(structure, owner)
    elif isinstance(structure, Mapping):
        edges = [(parent, child) for child, parents in structure.items() for parent in _names(parents)]
        found = NetworkStructure(list(structure), edges)
    elif hasattr(structure, "edges"):
        found = _from_graph(structure)
    elif isinstance(structure, Iterable):
        found = NetworkStructure([], _pairs(structure, owner, name))
    else:
        raise ParameterTypeError(f"{owner}: {name} must be {SPELLINGS}; got {type(structure).__name__}")
    ends = [end for edge in found.edges for end in edge]
    return NetworkStructure(list(dict.fromkeys([*found.nodes, *ends])), list(dict.fromkeys(found.edges)))


def _names(value: Any) -> list[Any]:
    return [value] if isinstance(value, str) or not isinstance(value, Iterable) else list(value)


def _pairs(structure: Iterable[Any], owner: str, name: str) -> list[tuple[Any, Any]]:
    found = []
    for pair in structure:
        if isinstance(pair, str) or not isinstance(pair, Iterable) or len(ends := list(pair)) != 2:
            raise ParameterError(f"{owner}: {name} must be {SPELLINGS}; got the entry {pair!r:.60}")
        found.append((ends[0], ends[1]))
    return found


def _from_graph(graph: Any) -> NetworkStructure:
    """The structure of a graph of another library: `edges` and `nodes` are methods or attributes."""
    edges = graph.edges() if callable(graph.edges) else graph.edges
    nodes = getattr(graph, "nodes", ())
    return NetworkStructure(list(nodes() if callable(nodes) else nodes), [(edge[0], edge[1]) for edge in edges])


def _from_text(text: str, owner: str) -> NetworkStructure:
    return _from_model_string(text, owner) if text.lstrip().startswith("[") else _from_arrows(text, owner)


def _from_model_string(text: str, owner: str) -> NetworkStructure:
    nodes, edges, end = [], [], 0
    for match in NODE.finditer(text):
        if text[end : match.start()].strip():
            break
        child, end = match[1].strip(), match.end()
        nodes.append(child)
        edges += [(parent.strip(), child) for parent in (match[2] or "").split(":") if parent.strip()]
    if text[end:].strip():
        raise ParameterError(f"{owner}: {text[end:].strip()!r:.40} in the model string is not a node such as [C|A:B]")
    unknown = next((parent for parent, _ in edges if parent not in nodes), None)
    if unknown is not None:
        raise ParameterError(f"{owner}: the model string has the parent {unknown!r}, but not the node [{unknown}]")
    twice = next((node for node in nodes if nodes.count(node) > 1), None)
    if twice is not None:
        raise ParameterError(f"{owner}: the model string has the node {twice!r} twice")
    return NetworkStructure(nodes, edges)


def _from_arrows(text: str, owner: str) -> NetworkStructure:
    nodes: list[str] = []
    edges: list[tuple[str, str]] = []
    for chain in re.split(r"[;\n]", text):
        parts = ARROW.split(chain.strip())
        names = [part.strip() for part in parts[::2]]
        if not any(names):
            continue
        if not all(names) or any(re.search(r"[<>\[\]|]|--", name) for name in names):
            raise ParameterError(
                f"{owner}: {chain.strip()!r:.60} is not a chain of nodes such as 'a->b<-c'; separate chains by ';'"
            )
        nodes += names
        for left, arrow, right in zip(names, parts[1::2], names[1:], strict=False):
            edges.append((left, right) if arrow == "->" else (right, left))
    return NetworkStructure(nodes, edges)
