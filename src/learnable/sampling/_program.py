"""Compilation of a density that the tape has recorded: a list of operations on buffers, which compiled code runs.

The graph is recorded once. A density that chooses operations, or computes constants, by the values of its parameters
is another graph elsewhere: constants and operations are compared at several points, and values at later draws.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..core import Array, generator
from ..core.runtime.native import kernels
from ..engines.tape.node import ancestors
from ..tape import Tensor

TWO = ("add", "subtract", "multiply", "divide", "maximum", "minimum")
ONE = (
    "negative",
    "absolute",
    "exp",
    "log",
    "sqrt",
    "sin",
    "cos",
    "tanh",
    "logistic",
    "softplus",
    "erf",
    "relu",
    "power",
)
CODES = {name: code for code, name in enumerate((*TWO, *ONE, "gather", "scatter", "matmul"))}
POINTS = 6
SPREADS = (0.1, 0.3, 1.0, 1.0, 2.0, 2.0)
MAX_NUMBERS = 2**26  # in all buffers


class NotCompiled(Exception):
    """The density has an operation that has no compiled form."""


class _Program:
    """Buffers and instructions as they are collected."""

    def __init__(self) -> None:
        self.sizes: list[int] = []
        self.tracked: list[bool] = []
        self.constants: list[tuple[int, Array]] = []
        self.rows: list[list[int]] = []
        self.parameters: list[float] = []
        self.maps: list[Array] = []
        self.map_length = 0
        self.buffers: dict[int, int] = {}  # by the number of a node

    def buffer(self, size: int, tracked: bool = True) -> int:
        self.sizes.append(size)
        self.tracked.append(tracked)
        if sum(self.sizes) > MAX_NUMBERS:
            raise NotCompiled
        return len(self.sizes) - 1

    def of(self, node: Any) -> int:
        """The buffer of a node; constants are written into one when they are met."""
        if node.number not in self.buffers:
            assert not node.tracked, "parents come before children"
            self.buffers[node.number] = self.buffer(node.value.size, tracked=False)
            self.constants.append((self.buffers[node.number], np.asarray(node.value, dtype=np.float64).ravel()))
        return self.buffers[node.number]

    def emit(self, name: str, size: int, a: int, b: int = -1, *, map_: Array | None = None,
             shape: tuple[int, int, int] = (0, 0, 0), parameter: float = 0.0) -> int:  # fmt: skip
        """An instruction; its buffer."""
        place = self.map_length
        if map_ is not None:
            self.maps.append(np.asarray(map_, dtype=np.int64).ravel())
            self.map_length += self.maps[-1].size
        out = self.buffer(size)
        self.rows.append([CODES[name], a, b, out, place, *shape])
        self.parameters.append(parameter)
        return out

    def built(self) -> Any:
        """The compiled density."""
        begin = np.concatenate([[0], np.cumsum(self.sizes)]).astype(np.int64)
        numbers = np.zeros(int(begin[-1]))
        for buffer, values in self.constants:
            numbers[begin[buffer] : begin[buffer + 1]] = values
        maps = np.concatenate([*self.maps, np.zeros(1, np.int64)])
        return kernels.tape_program(
            np.array(self.rows, dtype=np.int64), np.array(self.parameters), begin,
            np.array(self.tracked, dtype=np.uint8), maps, numbers,
        )  # fmt: skip


def _positions(node: Any) -> Array:
    return np.arange(node.value.size).reshape(node.value.shape)


def _spread(program: _Program, parent: Any, shape: tuple[int, ...]) -> int:
    """The buffer of a parent, repeated to a shape; single numbers stay as they are."""
    buffer = program.of(parent)
    if parent.value.shape == shape or parent.value.size == 1:
        return buffer
    entries = np.broadcast_to(_positions(parent), shape)
    return program.emit("gather", entries.size, buffer, map_=entries)


def _moved(node: Any, parent: Any) -> Array:
    """The entry of the parent that each entry of an indexed, transposed or repeated node is."""
    entries = _positions(parent)
    if node.operation == "index":
        return np.asarray(entries[node.details])
    if node.operation == "transpose":
        return np.asarray(entries.transpose(node.details))
    return np.asarray(np.broadcast_to(entries, node.value.shape))


def _lower(program: _Program, node: Any) -> int:
    """The buffer of a node, after the instructions that compute it."""
    operation, parents, size = node.operation, node.parents, node.value.size
    if operation in TWO:
        first, second = (_spread(program, parent, node.value.shape) for parent in parents)
        return program.emit(operation, size, first, second)
    if operation == "power" and not isinstance(node.details, (int, float)):
        raise NotCompiled
    if operation in ONE:
        power = float(node.details) if operation == "power" else 0.0
        return program.emit(operation, size, program.of(parents[0]), parameter=power)
    if operation in ("reshape", "variable"):
        return program.of(parents[0])
    if operation in ("index", "transpose", "broadcast"):
        return program.emit("gather", size, program.of(parents[0]), map_=_moved(node, parents[0]))
    if operation == "sum":
        entries_of_sum = np.arange(size).reshape(node.details)
        return program.emit(
            "scatter", size, program.of(parents[0]), map_=np.broadcast_to(entries_of_sum, parents[0].value.shape)
        )
    if operation == "matmul" and all(parent.value.ndim == 2 for parent in parents):
        shape = (*parents[0].value.shape, parents[1].value.shape[1])
        return program.emit("matmul", size, *(program.of(parent) for parent in parents), shape=shape)
    raise NotCompiled


def _recorded(function: Callable[[Any], Any], point: Array) -> tuple[Any, list[Any]]:
    """The output of a function and the nodes before it."""
    start = Tensor(point)
    output = function(start)
    if not isinstance(output, Tensor) or output.size != 1 or not output.tracked:
        raise NotCompiled
    nodes = ancestors(output)
    return start, nodes


def _constants(nodes: list[Any]) -> list[Array]:
    return [parent.value for node in nodes for parent in node.parents if not parent.tracked]


def _same_graph(nodes: list[Any], others: list[Any]) -> bool:
    if [node.operation for node in nodes] != [node.operation for node in others]:
        return False
    pairs = zip(_constants(nodes), _constants(others), strict=True)
    return all(np.array_equal(one, other, equal_nan=True) for one, other in pairs)


def compiled_density(function: Callable[[Any], Any], point: Array) -> Any:
    """`function` of a tensor as a compiled log density; None if it has no such form."""
    try:
        start, nodes = _recorded(function, point)
        program = _Program()
        program.buffers[start.number] = program.buffer(point.size)
        for node in nodes:
            if node.number != start.number:
                program.buffers[node.number] = _lower(program, node)
        if program.buffers[nodes[-1].number] != len(program.sizes) - 1:  # a reshaped result stands before
            return None
        density = program.built()
        random = generator(0)
        for spread in SPREADS:
            other = point + spread * random.standard_normal(point.size)
            if not _same_graph(nodes, _recorded(function, other)[1]):
                return None
    except NotCompiled:
        return None
    return density
