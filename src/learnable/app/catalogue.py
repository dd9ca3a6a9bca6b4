"""What there is: the list of models, and the page of one, from their declarations."""

from __future__ import annotations

import inspect
from typing import Any

from ..core import params, registry

FACTS = ("task", "parametric", "lazy", "missing", "categorical", "sparse", "multi_target", "weights")
TAKES = {
    "weights": "weights",
    "sparse": "sparse tables",
    "multi_target": "several targets",
    "categorical": "categories",
}
ALIASES = {
    "ols": "LinearRegression",
    "leastsquares": "LinearRegression",
    "leastabsolutedeviations": "QuantileRegressor",
    "median": "QuantileRegressor",
    "omp": "OrthogonalMatchingPursuit",
    "pcr": "PrincipalComponentRegression",
}


def models() -> list[dict[str, Any]]:
    """A row per estimator: name, first sentence, and the facts it declares."""
    return [
        {"name": name, "summary": _joined(_paragraphs(cls)[0]), **{fact: getattr(cls, fact) for fact in FACTS}}
        for name, cls in registry.all_estimators().items()
    ]


def facts_in_words(row: dict[str, Any]) -> str:
    """The facts of a row: `regression, parametric; takes weights, sparse tables`."""
    kind = f"{'' if row['parametric'] else 'non-'}parametric{', lazy' if row['lazy'] else ''}"
    takes = [words for fact, words in TAKES.items() if row[fact] is True]
    takes += ["missing values"] if row["missing"] == "native" else []
    return f"{row['task']}, {kind}" + (f"; takes {', '.join(takes)}" if takes else "")


def find(name: str) -> type[Any] | None:
    """The estimator called `name`, whatever its capitals and hyphens: `huber` finds `HuberRegressor`."""
    wanted = name.lower().replace("-", "").replace("_", "").replace(" ", "")
    known = registry.all_estimators()
    exact = {other.lower(): cls for other, cls in known.items()}
    tries = (wanted, wanted + "regressor", wanted + "regression", ALIASES.get(wanted, "").lower())
    return next((exact[name] for name in tries if name in exact), None)


def close(name: str) -> list[str]:
    """Names that look like `name`."""
    import difflib

    known = {other.lower(): other for other in registry.all_estimators()}
    return [known[match] for match in difflib.get_close_matches(name.lower(), known, n=3, cutoff=0.6)]


def explain(cls: type[Any]) -> dict[str, Any]:
    """What the declaration of an estimator says: summary, objective, method, parameters, results, example."""
    summary, objective, *rest = _paragraphs(cls)
    return {
        "name": cls.__name__,
        "summary": _joined(summary),
        "objective": objective,
        "method": "\n\n".join(_joined(part) for part in rest if not part.startswith(">>>")),
        "parameters": [
            {
                "name": name,
                "type": params.type_words(params.hints(cls)[name]),
                **({} if field.default is params.REQUIRED else {"default": _plain(field.default)}),
                "meaning": field.metadata["rule"].meaning,
                "rule": field.metadata["rule"].words(),
            }
            for name, field in params.parameters(cls).items()
        ],
        "learned": [{"name": name, "meaning": shape.meaning} for name, shape in params.learned_shapes(cls).items()],
        "example": "\n".join(part for part in rest if part.startswith(">>>")),
        "reference": cls.reference,
        **{fact: getattr(cls, fact) for fact in FACTS},
    }


def _paragraphs(cls: type[Any]) -> list[str]:
    """The paragraphs of the docstring as they stand, without the sections made from declarations."""
    text = (inspect.getdoc(cls) or "").split("Parameters\n----------")[0]
    return [part.strip() for part in text.split("\n\n") if part.strip()]


def _plain(default: Any) -> Any:
    """A default as a person would write it."""
    return default.__name__ if isinstance(default, type) or callable(default) else default


def _joined(paragraph: str) -> str:
    return " ".join(paragraph.split())
