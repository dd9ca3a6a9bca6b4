"""A list of layers as a table: what each makes of its input, and what that takes."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from ..parts.layers import Flatten, GlobalPool, Layer
from ..parts.layers.layer import Shape


def layer_table(title: str, layers: Sequence[Layer], shape: Shape) -> str:
    """Shapes, parameters, operations of a row and receptive fields, layer by layer."""
    rows = [("layer", "shape", "parameters", "operations", "receptive field")]
    rows.append(("input", _shape(shape), "", "", ""))
    total = work = 0
    for layer, field in zip(layers, receptive_fields(layers), strict=True):
        parameters, operations = layer.parameters(shape), layer.operations(shape)
        spatial = len(shape) > 1
        shape = layer.output_shape(shape)
        total, work = total + parameters, work + operations
        seen = (str(field) if field else "all") if spatial else ""
        rows.append((layer_text(layer), _shape(shape), f"{parameters:,}", f"{operations:,}", seen))
    widths = [max(len(row[k]) for row in rows) for k in range(5)]
    lines = [
        "  ".join(
            cell.ljust(w) if k < 2 else cell.rjust(w) for k, (cell, w) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    ]
    lines = [line.rstrip() for line in lines]
    return "\n".join([title, *lines, f"{total:,} parameters, {work:,} operations per row"])


def receptive_fields(layers: Sequence[Layer]) -> list[int | None]:
    """How many neighbouring positions of the input each layer's outputs see; None: all of them."""
    found: list[int | None] = []
    field: int | None = 1
    apart = 1
    for layer in layers:
        if isinstance(layer, (Flatten, GlobalPool)):
            field = None
        if field is not None:
            size, stride = layer.window
            field, apart = field + (size - 1) * apart, apart * stride
        found.append(field)
    return found


def layer_text(layer: Layer) -> str:
    """A layer with the settings that differ from their defaults."""
    parts = []
    for field in dataclasses.fields(layer):  # type: ignore[arg-type]  # every layer is a dataclass
        value = getattr(layer, field.name)
        if value == field.default:
            continue
        shown = f"[{', '.join(map(layer_text, value))}]" if field.name == "layers" else repr(value)
        parts.append(shown if field.default is dataclasses.MISSING else f"{field.name}={shown}")
    return f"{type(layer).__name__}({', '.join(parts)})"


def _shape(shape: Shape) -> str:
    return " x ".join(map(str, shape))
