"""Tables of nodes as files describe them, made into networks."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ...core import Array
from ...core.errors import DataError
from .._dag import acyclic
from .._network import Network

CLOSE = 0.02  # how far the probabilities of a row may be from 1 in sum: files round them


@dataclass
class FileNetwork:
    """States of nodes, parents and tables as they are read: rows are configurations of parents, the first slowest."""

    path: str
    states: dict[str, list[str]] = field(default_factory=dict)
    parents: dict[str, list[str]] = field(default_factory=dict)
    tables: dict[str, Array] = field(default_factory=dict)

    def add_variable(self, name: str, states: list[str]) -> None:
        """Add a node with its states."""
        if name in self.states:
            raise DataError(f"{self.path}: the variable {name!r} is there twice")
        if not states or len(set(states)) < len(states):
            raise DataError(
                f"{self.path}: the variable {name!r} must have different states, at least one; got {states}"
            )
        self.states[name] = states

    def shape(self, child: str, parents: list[str]) -> tuple[int, int]:
        """Rows and columns of the table of a node; unknown nodes and repeated parents are refused."""
        for name in (child, *parents):
            if name not in self.states:
                raise DataError(f"{self.path}: {name!r} has probabilities, or is a parent, but is not a variable")
        if len({child, *parents}) <= len(parents):
            raise DataError(
                f"{self.path}: {child!r} has the parents {parents}, which must differ from it and each other"
            )
        rows = 1
        for parent in parents:
            rows *= len(self.states[parent])
        if rows * len(self.states[child]) > 1 << 28:
            raise DataError(f"{self.path}: the table of {child!r} would have {rows * len(self.states[child])} entries")
        return rows, len(self.states[child])

    def add_table(self, child: str, parents: list[str], table: Array) -> None:
        """Add the probabilities of a node; rows are divided by their sums, which must be close to 1."""
        if child in self.tables:
            raise DataError(f"{self.path}: the probabilities of {child!r} are there twice")
        shape = self.shape(child, parents)
        if table.size != shape[0] * shape[1]:
            raise DataError(
                f"{self.path}: {child!r} needs {shape[0]} x {shape[1]} probabilities, one for each state and "
                f"configuration of {', '.join(parents) or 'no parents'}; there are {table.size}"
            )
        table = table.reshape(shape)
        total = table.sum(axis=1)
        wrong = np.flatnonzero(~((np.abs(total - 1) <= CLOSE) & (table >= 0).all(axis=1)))
        if len(wrong):
            raise DataError(
                f"{self.path}: the probabilities of {child!r} in configuration {wrong[0]} of its parents are "
                f"{table[wrong[0]].tolist()!r:.80}; they must be at least 0 and add up to 1"
            )
        self.parents[child], self.tables[child] = parents, table / total[:, None]

    def network(self) -> Network:
        """The network; every node must have a table."""
        names = list(self.states)
        lacking = next((name for name in names if name not in self.tables), None)
        if lacking is not None or not names:
            raise DataError(
                f"{self.path}: {'there are no variables' if not names else f'{lacking!r} has no probabilities'}"
            )
        position = {name: v for v, name in enumerate(names)}
        edges = [(position[parent], v) for v, name in enumerate(names) for parent in self.parents[name]]
        graph = acyclic(names, edges, self.path)
        states = []
        for name in names:
            found = np.empty(len(self.states[name]), dtype=object)
            found[:] = self.states[name]
            states.append(found)
        tables = tuple(self.tables[name] for name in names)
        return Network(tuple(names), tuple(states), graph, tables, tuple(np.empty(0) for _ in names))
