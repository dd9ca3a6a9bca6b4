"""Where the nodes of a tree stand in a picture: leaves side by side, parents above the middle of their children."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...engines.trees.split_conditions import Condition


@dataclass
class Place:
    """A node in a picture; `across` counts leaves from the left, `shown` is False for what is cut away below."""

    node: int
    parent: Place | None
    condition: Condition | None
    depth: int
    shown: bool
    across: float = 0.0


def places(tree: Any, max_depth: int | None) -> list[Place]:
    """The nodes of a tree from the first down, left branches before right ones."""
    found: list[Place] = []
    waiting = [Place(0, None, None, 0, True)]
    while waiting:
        place = waiting.pop()
        found.append(place)
        if place.shown:
            shown = max_depth is None or place.depth < max_depth
            below = [Place(child, place, how, place.depth + 1, shown) for child, how in tree.branches(place.node)]
            waiting += reversed(below)
    _spread(found)
    return found


def _spread(found: list[Place]) -> None:
    """Set `across`: ends take a place each, and those above the middle of what they hold."""
    below: dict[int, list[float]] = {}
    ends = {place.node for place in found} - {place.parent.node for place in found if place.parent is not None}
    taken = 0
    for place in found:
        if place.node in ends:
            place.across, taken = taken + 0.5, taken + 1
    for place in reversed(found):
        if place.node in below:
            place.across = (min(below[place.node]) + max(below[place.node])) / 2
        if place.parent is not None:
            below.setdefault(place.parent.node, []).append(place.across)
