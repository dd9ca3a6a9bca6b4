"""Export to ONNX: features and a linear function, trees or a network in one graph."""

from __future__ import annotations

import importlib
import json
from typing import Any

import numpy as np

from ...core import Array, DataError
from .features import Feature, Lookup, units
from .model_parts import Parts
from .network_onnx import OnnxNetwork

OPERATORS, TREES, FORMAT = 21, 5, 10  # versions of the operator sets and of the format
OUTPUT = "prediction"  # here and among the properties of the model


def onnx_file(parts: Parts) -> bytes:
    """The model as an ONNX file: rows of numbers called X in, a row of predicted values out."""
    helper, kinds = _package("onnx.helper"), _package("onnx").TensorProto
    graph = OnnxGraph()
    entry = _features(graph, parts.features, parts.inputs.width)
    if parts.network is not None:
        graph.add("Identity", [OnnxNetwork(graph).write(parts.network, entry)], OUTPUT)
    elif parts.weights is None:
        _trees(graph, parts, entry)
    else:
        _linear(graph, parts, entry)
    made = helper.make_graph(
        graph.nodes, "learnable",
        [helper.make_tensor_value_info("X", kinds.DOUBLE, [None, parts.inputs.width])],
        [helper.make_tensor_value_info(OUTPUT, kinds.DOUBLE, [None, parts.outputs])],
        graph.constants,
    )  # fmt: skip
    versions = [helper.make_opsetid("", OPERATORS), helper.make_opsetid("ai.onnx.ml", TREES)]
    model = helper.make_model(made, opset_imports=versions, ir_version=FORMAT, producer_name="learnable")
    inputs = json.dumps(parts.inputs.described(), ensure_ascii=False)
    helper.set_model_props(model, {"inputs": inputs, OUTPUT: parts.says})
    content: bytes = model.SerializeToString()
    return content


class OnnxGraph:
    """The nodes of the graph in order, and their constants."""

    def __init__(self) -> None:
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def add(self, operator: str, inputs: list[str], result: str, **more: Any) -> str:
        """Add a node; return the name of its result."""
        self.nodes.append(_package("onnx.helper").make_node(operator, inputs, [result], **more))
        return result

    def constant(self, name: str, numbers: Array) -> str:
        """Add an array; return its name."""
        self.constants.append(_package("onnx.numpy_helper").from_array(np.ascontiguousarray(numbers), name))
        return name


def _features(graph: OnnxGraph, features: list[Feature], width: int) -> str:
    """All features in one matrix; both the numeric and the categorical form are computed for each of them."""
    if features == [Feature(column) for column in range(width)]:
        return "X"
    columns = graph.constant("columns", np.array([one.column for one in features], dtype=np.int64))
    picked = graph.add("Gather", ["X", columns], "picked", axis=1)
    filled = graph.add("Where", [graph.add("IsNaN", [picked], "gone"), _of(graph, "fill", features), picked], "filled")
    moved = graph.add("Sub", [filled, _of(graph, "shift", features)], "moved")
    numbers = graph.add("Mul", [moved, _of(graph, "factor", features)], "numbers")
    if any(one.unit is not None for one in features):
        numbers = _of_length_one(graph, features, numbers)
    if all(one.lookup is None for one in features):
        return numbers
    is_lookup = graph.constant("is_lookup", np.array([one.lookup is not None for one in features]))
    return graph.add("Where", [is_lookup, _lookup(graph, features, picked), numbers], "features")


def _lookup(graph: OnnxGraph, features: list[Feature], picked: str) -> str:
    """Values of lookups: concatenated, each followed by its values for other and for missing entries."""
    lookups = [one.lookup or Lookup(0, (), 0.0, 0.0) for one in features]
    entries = np.concatenate([[*one.values, one.other, one.missing] for one in lookups])
    sizes = np.array([len(one.values) for one in lookups], dtype=np.float64)
    starts = np.concatenate([[0.0], np.cumsum(sizes + 2)[:-1]])
    offset = graph.add("Sub", [picked, graph.constant("first", np.array([float(one.first) for one in lookups]))], "off")
    size, zero = graph.constant("size", sizes), graph.constant("zero", np.array([0.0]))
    whole = graph.add("Equal", [offset, graph.add("Floor", [offset], "floor")], "whole_place")
    within = graph.add(
        "And", [graph.add("GreaterOrEqual", [offset, zero], "after"), graph.add("Less", [offset, size], "before")],
        "within",
    )  # fmt: skip
    known = graph.add("Where", [graph.add("And", [whole, within], "listed"), offset, size], "known_or_other")
    index = graph.add("Where", ["gone", graph.constant("gap", sizes + 1), known], "index")
    moved = graph.add("Add", [index, graph.constant("start", starts)], "entry_number")
    number = graph.add("Cast", [moved], "entry", to=_whole_number())
    return graph.add("Gather", [graph.constant("entries", entries), number], "looked_up", axis=0)


def _of_length_one(graph: OnnxGraph, features: list[Feature], numbers: str) -> str:
    """Features of one unit divided by their Euclidean norm, all others by 1."""
    parts = units(features)
    members, unit_of = np.zeros((len(features), len(parts))), np.full(len(features), len(parts))
    for number, part in enumerate(parts):
        members[part, number], unit_of[part] = 1.0, number
    one, nothing = graph.constant("length_one", np.array([1.0])), graph.constant("no_length", np.array([0.0]))
    inside = graph.constant("inside", unit_of < len(parts))
    among = graph.add("Where", [inside, numbers, nothing], "among")  # other features may be NaN here
    squares = graph.add("Mul", [among, among], "squares")
    sums = graph.add("MatMul", [squares, graph.constant("members", members)], "square_lengths")
    empty = graph.add("Equal", [sums, nothing], "empty")
    lengths = graph.add("Sqrt", [graph.add("Where", [empty, one, sums], "safe_squares")], "lengths")
    padding = graph.constant("padding", np.array([0, 0, 0, 1], dtype=np.int64))
    padded = graph.add("Pad", [lengths, padding, graph.constant("pad_with", np.array(1.0))], "all_lengths")
    each = graph.add("Gather", [padded, graph.constant("unit_of", unit_of.astype(np.int64))], "each_length", axis=1)
    return graph.add("Div", [numbers, each], "unit_numbers")


def _of(graph: OnnxGraph, name: str, features: list[Feature]) -> str:
    return graph.constant(name, np.array([getattr(one, name) for one in features], dtype=np.float64))


def _linear(graph: OnnxGraph, parts: Parts, entry: str) -> None:
    assert parts.weights is not None and parts.intercept is not None
    # not MatMul: onnxruntime would take the factor of a single column into it, rounded to 32 bits
    numbers = [entry, graph.constant("weights", parts.weights.T), graph.constant("intercept", parts.intercept)]
    scores = graph.add("Gemm", numbers, OUTPUT if parts.link == "none" else "scores")
    if parts.link == "none":
        return
    if parts.link == "softmax":
        graph.add("Softmax", [scores], OUTPUT, axis=1)
        return
    one = graph.constant("one", np.array([1.0]))
    scaled = graph.add("Exp", [graph.add("Neg", [scores], "minus")], "odds")
    probability = graph.add("Div", [one, graph.add("Add", [one, scaled], "whole")], "probability")
    graph.add("Concat", [graph.add("Sub", [one, probability], "other"), probability], OUTPUT, axis=1)


def _trees(graph: OnnxGraph, parts: Parts, entry: str) -> None:
    """The nodes that `export_onnx` writes for the trees alone, fed with the features."""
    from ...tree import export_onnx

    inner = _package("onnx").load_model_from_string(export_onnx(parts.last)).graph
    for node in inner.node:
        for index, name in enumerate(node.input):
            if name == "X":
                node.input[index] = entry
        graph.nodes.append(node)
    graph.constants.extend(inner.initializer)


def run(content: bytes, rows: Array) -> Array:
    """The predictions of onnxruntime."""
    session = _package("onnxruntime").InferenceSession(content, providers=["CPUExecutionProvider"])
    return np.asarray(session.run(None, {"X": np.ascontiguousarray(rows)})[0])


def _whole_number() -> int:
    return int(_package("onnx").TensorProto.INT64)


def _package(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        raise DataError(f"convert --to onnx needs {name.split('.')[0]}; install learnable[onnx]") from None
