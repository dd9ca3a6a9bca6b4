"""Computational graph of a tensor as a table, and the number of operations of both passes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core.errors import DataError
from ..engines.tape.node import ancestors, tally
from ..engines.tape.tensor import Tensor
from .gradient import map_arrays, scalar, variable


@dataclass(frozen=True)
class GraphNode:
    """A node of a graph: its name, its operation with the names of the parents, its value and its gradient."""

    name: str
    operation: str
    parents: tuple[str, ...]
    value: Any
    gradient: Any


class Graph:
    """Computational graph: every node that a tensor was computed from, with its value and the gradient that it gets.

    Constants are shown as parents by their value; other inputs are x1, x2, ..., and what is computed v1, v2, ...

    >>> x, y = Tensor(2.0), Tensor(3.0)
    >>> print(Graph(x * y + y))
    node  computed as      value  gradient
    x1    input                2         3
    x2    input                3         3
    v1    multiply(x1, x2)     6         1
    v2    add(v1, x2)          9         1
    """

    def __init__(self, output: Tensor, names: dict[str, Tensor] | None = None) -> None:
        if not isinstance(output, Tensor):
            raise DataError(f"Graph: output must be a tensor; got {output!r:.60}")
        gradients = output.backward(np.ones_like(output.value))
        given = {node.number: name for name, node in (names or {}).items()}
        known: dict[int, str] = {}
        inputs = computed = 0
        self.nodes: list[GraphNode] = []
        for node in ancestors(output):
            inputs, computed = (inputs, computed + 1) if node.parents else (inputs + 1, computed)
            name = given.get(node.number) or (f"v{computed}" if node.parents else f"x{inputs}")
            known[node.number] = name
            parents = tuple(known.get(parent.number) or _short(parent.value) for parent in node.parents)
            self.nodes.append(GraphNode(name, node.operation, parents, node.value, gradients[node].value))

    def __str__(self) -> str:
        rows = [("node", "computed as", "value", "gradient")]
        for node in self.nodes:
            made = f"{node.operation}({', '.join(node.parents)})" if node.parents else node.operation
            rows.append((node.name, made, _short(node.value), _short(node.gradient)))
        widths = [max(len(row[k]) for row in rows) for k in range(4)]
        widths[1] = min(widths[1], 60)
        return "\n".join(
            f"{a:{widths[0]}}  {b:{widths[1]}}  {c:>{widths[2]}}  {d:>{widths[3]}}".rstrip() for a, b, c, d in rows
        )


@dataclass(frozen=True)
class OperationCounts:
    """Arithmetic operations of a function and of its gradient, by operation and in all."""

    forward: dict[str, int]
    backward: dict[str, int]

    @property
    def total_forward(self) -> int:
        """Operations of the function."""
        return sum(self.forward.values())

    @property
    def total_backward(self) -> int:
        """Operations of the way back."""
        return sum(self.backward.values())


def count_operations(function: Callable[..., Any], *arguments: Any, argument: int = 0) -> OperationCounts:
    """Count the additions and multiplications of a function, and of its gradient with respect to one of its arguments.

    >>> counts = count_operations(lambda w, x: ((x @ w).tanh()).sum(), np.ones((3, 2)), np.ones((5, 3)))
    >>> counts.total_forward, counts.total_backward
    (80, 90)
    """
    inputs = map_arrays(variable, arguments[argument])
    forward: list[tuple[str, int]] = []
    backward: list[tuple[str, int]] = []
    before = tally.set(forward)
    try:
        rest = [*arguments[:argument], inputs, *arguments[argument + 1 :]]
        output = scalar(function, function(*rest))
        tally.set(backward)
        output.backward(np.ones_like(output.value))
    finally:
        tally.reset(before)
    return OperationCounts(_summed(forward), _summed(backward))


def _summed(counted: list[tuple[str, int]]) -> dict[str, int]:
    found: dict[str, int] = {}
    for operation, work in counted:
        found[operation] = found.get(operation, 0) + work
    return {operation: work for operation, work in found.items() if work}


def _short(value: Any) -> str:
    """A number itself, an array by its shape where it is long."""
    array = np.asarray(value)
    if array.size == 1:
        return f"{array.item():.6g}"
    text = np.array2string(array, precision=4, separator=", ").replace("\n", "")
    return text if len(text) <= 40 else f"array {array.shape}"
