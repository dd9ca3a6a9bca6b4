"""Layout of tree diagrams: leaves side by side, parents centred above their children."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...engines.trees.split_conditions import Condition


@dataclass
class NodePosition:
    """Position of a node in a diagram; `across` counts leaves from the left, `shown` is False for truncated nodes."""

    node: int
    parent: NodePosition | None
    condition: Condition | None
    depth: int
    shown: bool
    across: float = 0.0


def layout_nodes(tree: Any, max_depth: int | None) -> list[NodePosition]:
    """Positions of the nodes in depth-first order, left branches first."""
    found: list[NodePosition] = []
    waiting = [NodePosition(0, None, None, 0, True)]
    while waiting:
        node = waiting.pop()
        found.append(node)
        if node.shown:
            shown = max_depth is None or node.depth < max_depth
            branches = tree.branches(node.node)
            below = [NodePosition(child, node, condition, node.depth + 1, shown) for child, condition in branches]
            waiting += reversed(below)
    _set_horizontal(found)
    return found


def _set_horizontal(found: list[NodePosition]) -> None:
    """Set `across`: one slot for each leaf, and parents at the centre of their children."""
    below: dict[int, list[float]] = {}
    leaves = {one.node for one in found} - {one.parent.node for one in found if one.parent is not None}
    taken = 0
    for one in found:
        if one.node in leaves:
            one.across, taken = taken + 0.5, taken + 1
    for one in reversed(found):
        if one.node in below:
            one.across = (min(below[one.node]) + max(below[one.node])) / 2
        if one.parent is not None:
            below.setdefault(one.parent.node, []).append(one.across)
