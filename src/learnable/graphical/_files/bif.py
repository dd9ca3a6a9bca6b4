"""BIF, the interchange format of the bnlearn repository."""

from __future__ import annotations

import re
from itertools import product

import numpy as np

from ...core import Array
from .._network import Network
from .tables import FileNetwork
from .tokens import TokenReader, split_tokens

COMMENTS = r"//[^\n]*|/\*.*?\*/"
MARKS = "{}()[];,|"
SAFE = re.compile(r"(?!//|/\*)[^\s{}()\[\];,|\"]+\Z")


def read_bif(text: str, path: str) -> Network:
    """The network that a text in BIF describes."""
    reader = TokenReader(split_tokens(text, COMMENTS, MARKS), path)
    found = FileNetwork(path)
    while reader.peek():
        kind = reader.next()
        if kind == "network":
            reader.until("{")
            reader.skip_block()
        elif kind == "variable":
            _variable(reader, found)
        elif kind == "probability":
            _probability(reader, found)
        else:
            raise reader.error(f"expected network, variable or probability, got {kind!r:.40}")
    return found.network()


def _variable(reader: TokenReader, found: FileNetwork) -> None:
    name = reader.next("a name")
    reader.expect("{")
    states: list[str] = []
    while (word := reader.next("'}'")) != "}":
        if word == "type":
            reader.expect("discrete")
            reader.until("{")
            states = [state for state in reader.until("}") if state != ","]
        reader.until(";")
    found.add_variable(name, states)


def _probability(reader: TokenReader, found: FileNetwork) -> None:
    reader.expect("(")
    head = reader.until(")")
    child, *rest = head or [""]
    parents = [word for word in rest if word not in ("|", ",")]
    rows, states = found.shape(child, parents)
    table = np.full((rows, states), np.nan)
    reader.expect("{")
    while (word := reader.next("'}'")) != "}":
        if word in ("table", "default"):
            values = _numbers(reader)
            if word == "default":
                _check_length(reader, child, values, states)
                table[np.isnan(table).all(axis=1)] = values
            elif rows == 1 or len(values) != rows * states:
                _check_length(reader, child, values, rows * states)
                table[:] = np.array(values).reshape(rows, states)
            else:  # written for all configurations: states vary slowest
                table[:] = np.array(values).reshape(states, rows).T
        elif word == "(":
            row = _configuration(reader, found, parents, [name for name in reader.until(")") if name != ","])
            values = _numbers(reader)
            _check_length(reader, child, values, states)
            table[row] = values
        elif word == "property":
            reader.until(";")
        else:
            raise reader.error(
                f"expected table, default or a configuration of the parents of {child!r}, got {word!r:.40}"
            )
    if np.isnan(table).any():
        raise reader.error(
            f"{child!r} has no probabilities in configuration {int(np.argmax(np.isnan(table)) // states)}"
        )
    found.add_table(child, parents, table)


def _numbers(reader: TokenReader) -> list[float]:
    values = [reader.number()]
    while (mark := reader.next("';'")) != ";":
        if mark == ",":
            values.append(reader.number())
        else:
            reader.at -= 1
            values.append(reader.number())
    return values


def _check_length(reader: TokenReader, child: str, values: list[float], expected: int) -> None:
    if len(values) != expected:
        raise reader.error(f"{child!r} needs {expected} probabilities here; there are {len(values)}")


def _configuration(reader: TokenReader, found: FileNetwork, parents: list[str], states: list[str]) -> int:
    """The row of the table for these states of the parents."""
    if len(states) != len(parents):
        raise reader.error(f"a configuration needs a state of each of {', '.join(parents)}; got {states}")
    row = 0
    for parent, state in zip(parents, states, strict=True):
        known = found.states[parent]
        if state not in known:
            raise reader.error(f"{state!r:.40} is not a state of {parent!r}; its states are {', '.join(known[:12])}")
        row = row * len(known) + known.index(state)
    return row


def write_bif(network: Network) -> str:
    """The network as a text in BIF, with all digits of every probability."""
    names = [_name(name) for name in network.names]
    states = [[_name(str(state)) for state in known.tolist()] for known in network.states]
    lines = ["network unknown {", "}"]
    for name, known in zip(names, states, strict=True):
        lines += [f"variable {name} {{", f"  type discrete [ {len(known)} ] {{ {', '.join(known)} }};", "}"]
    for v, name in enumerate(names):
        parents = network.graph.parents[v]
        if not parents:
            lines += [f"probability ( {name} ) {{", f"  table {_row(network.tables[v][0])};", "}"]
            continue
        lines.append(f"probability ( {name} | {', '.join(names[parent] for parent in parents)} ) {{")
        for row, chosen in zip(network.tables[v], product(*(states[parent] for parent in parents)), strict=True):
            lines.append(f"  ({', '.join(chosen)}) {_row(row)};")
        lines.append("}")
    return "\n".join(lines) + "\n"


def _row(values: Array) -> str:
    return ", ".join(repr(float(value)) for value in values)


def _name(text: str) -> str:
    return text if SAFE.match(text) else '"' + re.sub(r'["\n\r]', "_", text) + '"'
