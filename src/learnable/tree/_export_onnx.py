"""Export of tree models to ONNX."""

from __future__ import annotations

import importlib
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from ..core import Array, DataError
from ..core.declare.checked_functions import FittedModel, Rows, checked
from ..engines.trees.additive_trees import TreeSum
from ..engines.trees.tree_stack import TreeStack
from ._additive_model import tree_sum_of, uses_float32

AT_MOST, MEMBER = 0, 6  # node modes of ONNX: is the entry at most a threshold, or in a set
OUTPUT = "prediction"
CLOSE = 1e-12  # other runtimes sum leaf values in their own order


@checked()
def export_onnx(model: FittedModel, X: Rows | None = None, *, path: str | PathLike[str] | None = None) -> bytes:
    """Export a tree, forest or boosted model to ONNX; also written to `path`, if given.

    output = base + scale sum_t leaf_t(x)

    in double precision: values of a regression, class probabilities of a forest, scores of boosting. The input "X" has
    NaN for missing values and the indices of the sorted categories. With rows `X` the file is run by onnxruntime and
    its predictions are compared with those of the model before it is returned. Needs onnx, which learnable[onnx]
    installs; the trees are one `TreeEnsemble` of ai.onnx.ml 5.

    >>> from learnable import DecisionTreeRegressor
    >>> model = DecisionTreeRegressor().fit([[0.0], [1.0]], [2.0, 3.0])
    >>> file = export_onnx(model, [[0.2], [0.9]])
    """
    sums = tree_sum_of(model, "export_onnx")
    content = _onnx_model(sums, int(model.n_features_in_), uses_float32(model))
    if X is not None:
        rows = model._tree_rows(model._read(X))
        _compare(content, np.ascontiguousarray(rows, dtype=np.float64), sums.predict(rows))
    if path is not None:
        Path(path).write_bytes(content)
    return content


def _onnx_model(sums: TreeSum, columns: int, single: bool) -> bytes:
    helper, kinds = _package("onnx.helper"), _package("onnx").TensorProto
    steps, entry = [], "X"
    if single:
        steps += [
            helper.make_node("Cast", ["X"], ["float32"], to=kinds.FLOAT),
            helper.make_node("Cast", ["float32"], ["float64"], to=kinds.DOUBLE),
        ]
        entry = "float64"
    steps += [
        helper.make_node("TreeEnsemble", [entry], ["sum"], domain="ai.onnx.ml", **_trees(sums)),
        helper.make_node("Mul", ["sum", "scale"], ["scaled"]),
        helper.make_node("Add", ["scaled", "base"], [OUTPUT]),
    ]
    graph = helper.make_graph(
        steps,
        "learnable",
        [helper.make_tensor_value_info("X", kinds.DOUBLE, [None, columns])],
        [helper.make_tensor_value_info(OUTPUT, kinds.DOUBLE, [None, sums.outputs])],
        [_tensor("scale", np.array([sums.scale])), _tensor("base", np.resize(sums.base, sums.outputs))],
    )
    versions = [helper.make_opsetid("", 21), helper.make_opsetid("ai.onnx.ml", 5)]
    file = helper.make_model(graph, opset_imports=versions, ir_version=10, producer_name="learnable")
    content: bytes = file.SerializeToString()
    return content


def _trees(sums: TreeSum) -> dict[str, Any]:
    """The trees as ONNX stores them: inner nodes and leaves separately, repeated for each output of a vector leaf."""
    stack, width = sums.stack, sums.stack.value.shape[1]
    nodes, roots = _nodes(stack)
    leaf = stack.left < 0
    output = np.repeat(stack.output, np.diff(stack.start))[leaf]
    number, leaves = len(nodes["nodes_modes"]), int(leaf.sum())
    steps = {"nodes_truenodeids": "nodes_trueleafs", "nodes_falsenodeids": "nodes_falseleafs"}
    every: dict[str, Any] = {name: np.tile(part, width) for name, part in nodes.items()}
    for children, are_leaves in steps.items():
        every[children] += np.repeat(np.arange(width), number) * np.where(every[are_leaves], leaves, number)
    every = {name: part if part.dtype.kind in "fu" else part.tolist() for name, part in every.items()}
    every["tree_roots"] = (roots + number * np.arange(width)[:, None]).ravel().tolist()
    every["leaf_targetids"] = (output if width == 1 else np.repeat(np.arange(width), leaves)).tolist()
    every["leaf_weights"] = stack.value[leaf].T.ravel()
    if len(stack.set_words):
        every["membership_values"] = np.tile(_members(stack), width)
    tensors = {name: _tensor(name, part) if isinstance(part, np.ndarray) else part for name, part in every.items()}
    return {"n_targets": sums.outputs, "aggregate_function": 1, "post_transform": 0, **tensors}


def _nodes(stack: TreeStack) -> tuple[dict[str, Array], Array]:
    """The inner nodes and the roots; a tree of a single leaf gets a dummy split."""
    inner, root = stack.left >= 0, stack.start[:-1]
    first = np.repeat(root, np.diff(stack.start))
    index = np.where(inner, np.cumsum(inner), np.cumsum(~inner)) - 1
    single = root[~inner[root]]
    roots = index[root]
    roots[~inner[root]] = inner.sum() + np.arange(len(single))
    left, right = (np.concatenate([(first + side)[inner], single]) for side in (stack.left, stack.right))
    by_set = np.diff(stack.set_start)[inner] > 0
    none = np.zeros(len(single), dtype=np.int64)
    nodes = {
        "nodes_featureids": np.concatenate([stack.feature[inner], none]),
        "nodes_splits": np.concatenate([np.where(by_set, 0.0, stack.threshold[inner]), none]),
        "nodes_modes": np.concatenate([np.where(by_set, MEMBER, AT_MOST), none]).astype(np.uint8),
        "nodes_missing_value_tracks_true": np.concatenate([stack.missing_left[inner].astype(np.int64), none]),
        "nodes_truenodeids": index[left],
        "nodes_falsenodeids": index[right],
        "nodes_trueleafs": (~inner[left]).astype(np.int64),
        "nodes_falseleafs": (~inner[right]).astype(np.int64),
    }
    return nodes, roots


def _members(stack: TreeStack) -> Array:
    """The categories that go left at each categorical split, with NaN after each set."""
    categorical = np.flatnonzero(np.diff(stack.set_start)).tolist()
    return np.concatenate([np.append(stack.categories(node).astype(np.float64), np.nan) for node in categorical])


def _tensor(name: str, numbers: Array) -> Any:
    return _package("onnx.numpy_helper").from_array(np.ascontiguousarray(numbers), name)


def _package(name: str) -> Any:
    """A package of `learnable[onnx]`."""
    try:
        return importlib.import_module(name)
    except ImportError:
        raise DataError(f"export_onnx needs {name.split('.')[0]}; install learnable[onnx]") from None


def _compare(content: bytes, rows: Array, expected: Array) -> None:
    """Run the file and refuse it if a prediction differs."""
    session = _package("onnxruntime").InferenceSession(content, providers=["CPUExecutionProvider"])
    found = session.run(None, {"X": rows})[0]
    worst = float(np.abs(found - expected).max()) if len(rows) else 0.0
    if not worst <= CLOSE * max(1.0, float(np.abs(expected).max(initial=0.0))):
        raise DataError(f"export_onnx: the predictions of the file and the model differ by {worst:.3g}")
