"""Features and a linear function or trees as one ONNX graph."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from ...core import Array, DataError
from .features import Feature
from .parts import Parts

OPERATORS, TREES, FORMAT = 21, 5, 10  # versions of what the file is written in


def onnx_file(parts: Parts, columns: int) -> bytes:
    """The model as an ONNX file: rows of numbers called X in, a row of numbers called answer out."""
    helper, kinds = _package("onnx.helper"), _package("onnx").TensorProto
    graph = Graph()
    entry = _features(graph, parts.features.features)
    if parts.weights is None:
        _trees(graph, parts, entry)
    else:
        _linear(graph, parts, entry)
    made = helper.make_graph(
        graph.nodes, "learnable",
        [helper.make_tensor_value_info("X", kinds.DOUBLE, [None, columns])],
        [helper.make_tensor_value_info("answer", kinds.DOUBLE, [None, parts.outputs])],
        graph.constants,
    )  # fmt: skip
    versions = [helper.make_opsetid("", OPERATORS), helper.make_opsetid("ai.onnx.ml", TREES)]
    content: bytes = helper.make_model(
        made, opset_imports=versions, ir_version=FORMAT, producer_name="learnable"
    ).SerializeToString()
    return content


class Graph:
    """Nodes in order, and the constants that they use."""

    def __init__(self) -> None:
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def add(self, operator: str, inputs: list[str], result: str, **more: Any) -> str:
        """A node; the name of its result."""
        self.nodes.append(_package("onnx.helper").make_node(operator, inputs, [result], **more))
        return result

    def constant(self, name: str, numbers: Array) -> str:
        """An array; its name."""
        self.constants.append(_package("onnx.numpy_helper").from_array(np.ascontiguousarray(numbers), name))
        return name


def _features(graph: Graph, features: list[Feature]) -> str:
    """All features beside each other, those of numbers and of categories both made for every one of them."""
    plain = all(one == Feature(column) for column, one in enumerate(features))
    if plain:
        return "X"
    places = graph.constant("places", np.array([one.column for one in features], dtype=np.int64))
    picked = graph.add("Gather", ["X", places], "picked", axis=1)
    filled = graph.add("Where", [graph.add("IsNaN", [picked], "gone"), _of(graph, "fill", features), picked], "filled")
    moved = graph.add("Sub", [filled, _of(graph, "shift", features)], "moved")
    numbers = graph.add("Mul", [moved, _of(graph, "factor", features)], "numbers")
    if all(one.place is None for one in features):
        return numbers
    level = graph.constant("level", np.array([-1.0 if one.place is None else float(one.place) for one in features]))
    same = graph.add("Cast", [graph.add("Equal", [picked, level], "same")], "indicators", to=_double())
    told = graph.constant("told", np.array([one.place is not None for one in features]))
    return graph.add("Where", [told, same, numbers], "features")


def _of(graph: Graph, name: str, features: list[Feature]) -> str:
    return graph.constant(name, np.array([getattr(one, name) for one in features], dtype=np.float64))


def _linear(graph: Graph, parts: Parts, entry: str) -> None:
    assert parts.weights is not None and parts.constant is not None
    product = graph.add("MatMul", [entry, graph.constant("weights", parts.weights.T)], "product")
    if parts.link == "none":
        graph.add("Add", [product, graph.constant("constant", parts.constant)], "answer")
        return
    scores = graph.add("Add", [product, graph.constant("constant", parts.constant)], "scores")
    if parts.link == "softmax":
        graph.add("Softmax", [scores], "answer", axis=1)
        return
    one = graph.constant("one", np.array([1.0]))
    scaled = graph.add("Exp", [graph.add("Neg", [scores], "minus")], "odds")
    chance = graph.add("Div", [one, graph.add("Add", [one, scaled], "whole")], "chance")
    graph.add("Concat", [graph.add("Sub", [one, chance], "other"), chance], "answer", axis=1)


def _trees(graph: Graph, parts: Parts, entry: str) -> None:
    """The nodes that `export_onnx` writes for the trees alone, fed with the features."""
    from ...tree import export_onnx

    inner = _package("onnx").load_model_from_string(export_onnx(parts.last)).graph
    for node in inner.node:
        for place, name in enumerate(node.input):
            if name == "X":
                node.input[place] = entry
        graph.nodes.append(node)
    graph.constants.extend(inner.initializer)


def run(content: bytes, rows: Array) -> Array:
    """What onnxruntime answers."""
    session = _package("onnxruntime").InferenceSession(content, providers=["CPUExecutionProvider"])
    return np.asarray(session.run(None, {"X": np.ascontiguousarray(rows)})[0])


def _double() -> int:
    return int(_package("onnx").TensorProto.DOUBLE)


def _package(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        raise DataError(f"convert --to onnx needs {name.split('.')[0]}; install learnable[onnx]") from None
