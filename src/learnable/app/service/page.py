"""The self-contained page at `/`: a form for one row, and the description of the model."""

from __future__ import annotations

import json
from functools import cache
from math import isfinite
from pathlib import Path
from typing import Any

from ...deployment import ExpectedColumn
from ..predict.predictor import Predictor
from ..text import percent
from .schema import described, start

LABELS = {"learnable": "version of learnable", "rows": "training rows", "interval": "95 % interval"}
TASKS = {"regression": "a number", "binary": "one of two classes", "multi-class": "one of several classes"}


def page(predictor: Predictor, nonce: str, share: float) -> str:
    """The page as HTML; every text in it is escaped."""
    model = predictor.model
    found: str = _template().render(
        name=predictor.name,
        nonce=nonce,
        target=model.target,
        kind=TASKS[model.task],
        fields=[_field(index, column, predictor.deployed) for index, column in enumerate(model.columns)],
        card=[_entry(key, value) for key, value in model.card.items()],
        method=method_of(model.model),
        share=percent(share),
    )
    return found


def _entry(key: str, value: Any) -> tuple[str, str]:
    """A line of the model card: its label and its text."""
    return LABELS.get(key, key), in_words(value, " to " if key == "interval" else ", ")


def method_of(model: Any) -> str:
    """The model in one line: its steps, and the last of them.

    >>> import learnable
    >>> method_of(learnable.make_pipeline(learnable.StandardScaler(), learnable.Ridge()))
    'StandardScaler, Ridge'
    """
    steps = getattr(model, "steps", None)
    return ", ".join(type(step).__name__ for _, step in steps) if steps else type(model).__name__


def _field(index: int, column: ExpectedColumn, deployed: bool) -> dict[str, Any]:
    return {
        "id": f"c{index}",
        "name": column.name,
        "holds": column.holds,
        "number": column.holds == "number",
        "levels": column.levels,
        "note": described(column, deployed),
        "needed": deployed and not column.gaps and column.holds != "text",
        "start": start(column) if deployed else "",
        "range": _range(column) if deployed else [],
    }


def _range(column: ExpectedColumn) -> list[float]:
    """The ends of the values in training, for "what if": numbers, or days since 1970; empty if they are unknown."""
    ends = [column.low, column.high]
    known = [end for end in ends if end is not None and isfinite(end)]
    return known if len(known) == 2 and column.holds in ("number", "time") else []


def in_words(value: Any, between: str = ", ") -> str:
    """An entry of a model card as text, with four significant digits.

    >>> in_words(0.123456), in_words([0.5, 2]), in_words([0.5, 2], " to "), in_words("as it is")
    ('0.1235', '0.5, 2', '0.5 to 2', 'as it is')
    """
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, (list, tuple)):
        return between.join(in_words(entry) for entry in value)
    return value if isinstance(value, str) else json.dumps(value, default=str, ensure_ascii=False)


@cache
def _template() -> Any:
    from jinja2 import Environment

    text = Path(__file__).with_name("page.html").read_text(encoding="utf-8")
    return Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True).from_string(text)
