"""Reverse-mode differentiation on one page: nodes of a computational graph, and the way back through it.

Forward, every operation makes a node: v_i = f(parents). Backward, the gradients flow from the output to the inputs:

    g_N = 1,    g_i = sum over the children j of i:  g_j dv_j / dv_i

A node is made after its parents. So the numbers of the nodes, from the largest to the smallest, are an order in which
every node has received all parts of its gradient before it passes them on: no recursion is needed.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from contextvars import ContextVar
from typing import Any, Generic, TypeVar

import numpy as np

from ...core.validate.features import Array

Value = TypeVar("Value", bound="Node")
Pullback = Callable[..., Any]  # (gradient, out, *parents) -> the part of the gradient that goes to one of the parents

_numbers = itertools.count(1)
tally: ContextVar[list[tuple[str, int]] | None] = ContextVar("tally", default=None)  # of operations, where counted


class Node:
    """A value with the operation and the parents that it was computed from; an input has none."""

    __slots__ = ("details", "number", "operation", "parents", "pullbacks", "tracked", "value", "work")

    def __init__(self, value: Any, tracked: bool = True) -> None:
        self.value: Array = np.asarray(value)
        self.number = next(_numbers)
        self.operation = "input" if tracked else "constant"
        self.parents: tuple[Any, ...] = ()
        self.pullbacks: tuple[Pullback, ...] = ()  # one for each parent
        self.tracked = tracked  # whether gradients flow here
        self.work = 0
        self.details: Any = None  # what the operation needs to know beside its parents, such as an index

    @classmethod
    def record(
        cls, operation: str, value: Any, parents: Sequence[Any], *pullbacks: Pullback,
        work: int | None = None, details: Any = None,
    ) -> Any:  # fmt: skip
        """The node of an operation; `work` counts its arithmetic, by default one for each entry."""
        tracked = any(parent.tracked for parent in parents)
        node = cls(value, tracked)
        node.operation, node.work = operation, node.value.size if work is None else work
        if tracked:
            node.parents, node.pullbacks, node.details = tuple(parents), pullbacks, details
        counted = tally.get()
        if counted is not None:
            counted.append((operation, node.work))
        return node

    def detached(self) -> Any:
        """The same value as a constant, through which no gradient flows."""
        return type(self)(self.value, tracked=False)


def ancestors(output: Value) -> list[Value]:
    """The nodes that `output` was computed from, and itself, in the order in which they were made."""
    found, waiting = {output.number: output}, [output]
    while waiting:
        for parent in waiting.pop().parents:
            if parent.tracked and parent.number not in found:
                found[parent.number] = parent
                waiting.append(parent)
    return [found[number] for number in sorted(found)]


class Gradients(Generic[Value]):
    """The gradient of one output by every node that it depends on: `gradients[node]`."""

    def __init__(self, output: Value, start: Value, differentiable: bool = False) -> None:
        """Go back from `output`, whose gradient is `start`. `differentiable` records the way back as well."""
        self.output = output
        self._parts: dict[int, Any] = {output.number: start}
        for node in reversed(ancestors(output)):
            arrived = self._parts.get(node.number)
            if arrived is None or not node.parents:
                continue
            around = (node, *node.parents) if differentiable else [one.detached() for one in (node, *node.parents)]
            for parent, pullback in zip(node.parents, node.pullbacks, strict=True):
                if parent.tracked:
                    part, known = pullback(arrived, *around), self._parts.get(parent.number)
                    self._parts[parent.number] = part if known is None else known + part

    def __getitem__(self, node: Value) -> Any:
        """The gradient by a node; zeros where the output does not depend on it."""
        found = self._parts.get(node.number)
        return type(node)(np.zeros_like(node.value), tracked=False) if found is None else found

    def __contains__(self, node: Value) -> bool:
        return node.number in self._parts

    def __iter__(self) -> Iterator[Value]:
        """The nodes of the graph, in the order in which they were made."""
        return iter(ancestors(self.output))
