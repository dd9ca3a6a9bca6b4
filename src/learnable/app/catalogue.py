"""What there is: the list of models, and the page of one, from their declarations."""

from __future__ import annotations

import inspect
from typing import Any

from ..core import params, registry

FACTS = ("task", "parametric", "lazy", "missing", "categorical", "sparse", "multi_target", "weights")


def models() -> list[dict[str, Any]]:
    """A row per estimator: name, first sentence, and the facts it declares."""
    return [
        {"name": name, "summary": _paragraphs(cls)[0], **{fact: getattr(cls, fact) for fact in FACTS}}
        for name, cls in registry.all_estimators().items()
    ]


def find(name: str) -> type[Any] | None:
    """The estimator called `name`, whatever its capitals, hyphens and underscores; `lasso` finds `Lasso`."""
    wanted = name.lower().replace("-", "").replace("_", "").replace(" ", "")
    known = registry.all_estimators()
    exact = {other.lower(): cls for other, cls in known.items()}
    return exact.get(wanted) or exact.get(wanted + "regressor") or exact.get(wanted + "regression")


def close(name: str) -> list[str]:
    """Names that look like `name`."""
    import difflib

    known = {other.lower(): other for other in registry.all_estimators()}
    return [known[match] for match in difflib.get_close_matches(name.lower(), known, n=3, cutoff=0.4)]


def explain(cls: type[Any]) -> dict[str, Any]:
    """What the declaration of an estimator says: summary, objective, method, parameters, reference."""
    summary, objective, *rest = _paragraphs(cls)
    return {
        "name": cls.__name__,
        "summary": summary,
        "objective": objective,
        "method": " ".join(part for part in rest if not part.startswith((">>>", "Parameters"))),
        "parameters": [
            {
                "name": name,
                "default": field.default,
                "meaning": field.metadata["rule"].meaning,
                "rule": field.metadata["rule"].words(),
            }
            for name, field in params.parameters(cls).items()
        ],
        "reference": cls.reference,
        **{fact: getattr(cls, fact) for fact in FACTS},
    }


def _paragraphs(cls: type[Any]) -> list[str]:
    text = inspect.getdoc(cls) or ""
    text = text.split("Parameters\n----------")[0]
    return [" ".join(part.split()) for part in text.split("\n\n") if part.strip()]
