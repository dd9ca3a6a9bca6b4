"""Export of tree models for the package shap."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import Array, DataError
from ..core.declare.checked_functions import FittedModel, checked
from ..engines.trees.tree_stack import TreeStack
from ._additive_model import tree_sum_of


@checked()
def export_shap(model: FittedModel) -> dict[str, Any]:
    """SHAP: the trees of a model in the form that `shap.TreeExplainer` reads.

    score(x) = base_offset + sum_t leaf_t(x)

    For forests, boosting and single trees with numeric splits. What is explained is the score that the trees add up
    to: probabilities of a forest of classification trees, log-odds in boosting. `shap_values` of
    `learnable.inspection` needs no other package, and explains splits on categories too. [Lundberg et al., 2020]

    >>> from learnable import DecisionTreeRegressor
    >>> found = export_shap(DecisionTreeRegressor().fit([[0.0], [1.0]], [2.0, 4.0]))
    >>> len(found["trees"]), found["trees"][0]["value"].ravel().tolist()
    (1, [3.0, 2.0, 4.0])
    """
    sums = tree_sum_of(model, "export_shap")
    if len(sums.stack.set_words):
        raise DataError(
            "export_shap: shap has no splits on sets of categories; encode them as numbers, or use "
            "learnable.inspection.shap_values"
        )
    trees = [_tree(sums.stack, number, sums.cover, sums.scale, sums.outputs) for number in range(len(sums.stack))]
    base = np.broadcast_to(sums.base, (sums.outputs,))
    return {
        "trees": trees,
        "base_offset": float(base[0]) if sums.outputs == 1 else base.copy(),
        "internal_dtype": np.float64,
        "input_dtype": np.float64,
        "tree_output": "raw_value",
    }


def _tree(stack: TreeStack, number: int, cover: Array, scale: float, outputs: int) -> dict[str, Array]:
    """The nodes of one tree, numbered from its root."""
    nodes = slice(stack.start[number], stack.start[number + 1])
    left, right, value = stack.left[nodes], stack.right[nodes], stack.value[nodes]
    if value.shape[1] < outputs:
        value = np.zeros((len(left), outputs))
        value[:, stack.output[number]] = stack.value[nodes, 0]
    return {
        "children_left": left,
        "children_right": right,
        "children_default": np.where(stack.missing_left[nodes] == 1, left, right),
        "feature": stack.feature[nodes],
        "threshold": stack.threshold[nodes],
        "value": scale * value,
        "node_sample_weight": cover[nodes],
    }
