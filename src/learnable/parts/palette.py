"""Colours that colour-blind readers can distinguish, and their tints."""

from __future__ import annotations

BLUE, ORANGE, GREEN, RED, GREY = "#2563a8", "#d9730d", "#2a8f6a", "#b3261e", "#6b7280"
CLASS_COLOURS = (BLUE, ORANGE, GREEN, "#8b5cb8", "#c8a415", "#3aa6c9", RED, "#8c6d4f", "#d0679d", GREY)


def class_colour(place: int) -> str:
    """The colour of the class at a place; they come again after ten."""
    return CLASS_COLOURS[place % len(CLASS_COLOURS)]


def tint(colour: str, strength: float) -> str:
    """A colour mixed with white: all white at strength 0, itself at 1.

    >>> tint("#000000", 0.0), tint("#2563a8", 1.0)
    ('#ffffff', '#2563a8')
    """
    parts = [int(colour[k : k + 2], 16) for k in (1, 3, 5)]
    mixed = [round(strength * part + (1 - strength) * 255) for part in parts]
    return "#" + "".join(f"{part:02x}" for part in mixed)
