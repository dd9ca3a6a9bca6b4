"""The catalogue: a list of all estimators, and the page of an estimator or a function, from their declarations."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from ..core.declare import params, registry

TRAITS = ("task", "parametric", "lazy", "missing", "categorical", "sparse", "multi_target", "weights")
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
    """One row per estimator: name, first sentence, title and declared properties."""
    return [
        {"name": name, "summary": _joined(_paragraphs(cls)[0]), **_facts(cls)}
        for name, cls in registry.all_estimators().items()
    ]


def _facts(cls: type[Any]) -> dict[str, Any]:
    return {"title": cls.title, **{name: getattr(cls.traits, name) for name in TRAITS}}


def facts_in_words(row: dict[str, Any]) -> str:
    """The title and properties of a row: `ridge regression: regression, parametric, eager; takes weights`."""
    title = f"{row['title']}: " if row["title"] else ""
    kind = f"{'' if row['parametric'] else 'non-'}parametric, {'lazy' if row['lazy'] else 'eager'}"
    takes = [words for fact, words in TAKES.items() if row[fact] is True]
    takes += ["missing values"] if row["missing"] == "native" else []
    return f"{title}{row['task']}, {kind}" + (f"; takes {', '.join(takes)}" if takes else "")


def find(name: str) -> type[Any] | None:
    """The estimator with that class name or title, ignoring case and hyphens: `huber` finds `HuberRegressor`."""
    key = _squeezed(name)
    known = registry.all_estimators()
    by_name = {other.lower(): cls for other, cls in known.items()}
    by_title = {_squeezed(cls.title): cls for cls in known.values() if cls.title}
    keys = (key, key + "regressor", key + "regression", ALIASES.get(key, "").lower())
    return next((by_name[key] for key in keys if key in by_name), by_title.get(key))


def find_function(name: str) -> Callable[..., Any] | None:
    """The public function of that name, ignoring underscores and hyphens: `lasso-path` finds `lasso_path`."""
    import learnable

    matches = [other for other in _functions() if _squeezed(other) == _squeezed(name)]
    found = getattr(learnable, matches[0]) if matches else None
    return found if inspect.isfunction(found) else None


def _functions() -> list[str]:
    """The public names in lower case: functions and modules."""
    from .. import public_names

    return sorted(name for name in public_names() if name.islower())


def _squeezed(name: str) -> str:
    return name.lower().replace("-", "").replace("_", "").replace(" ", "")


def close(name: str, most: int = 3) -> list[str]:
    """Names of functions and estimators that contain `name`, then similar ones."""
    import difflib

    known = {_squeezed(other): other for other in [*_functions(), *registry.all_estimators()]}
    similar = difflib.get_close_matches(_squeezed(name), known, n=most, cutoff=0.6)
    containing = sorted((other for other in known if _squeezed(name) in other), key=len)
    return [known[match] for match in dict.fromkeys([*containing, *similar])][:most]


def page(name: str) -> dict[str, Any] | None:
    """The page of the estimator or, if there is none, of the function with that name."""
    cls, function = find(name), find_function(name)
    if cls is not None:
        return explain(cls)
    return None if function is None else explain_function(function)


def explain(cls: type[Any]) -> dict[str, Any]:
    """The page of an estimator: summary, objective, method, parameters, fitted attributes, example."""
    summary, objective, *rest = _paragraphs(cls)
    return {
        "name": cls.__name__,
        "summary": _joined(summary),
        "objective": objective,
        "method": "\n\n".join(_flowing(part) for part in rest if not part.startswith(">>>")),
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
        **_facts(cls),
    }


def explain_function(function: Callable[..., Any]) -> dict[str, Any]:
    """The page of a function, from its docstring and signature."""
    summary, *rest = _paragraphs(function)
    return {
        "name": function.__name__,
        "summary": _joined(summary),
        "method": "\n\n".join(_flowing(part) for part in rest if not part.startswith(">>>")),
        "parameters": [
            {
                "name": name,
                "type": str(parameter.annotation),
                **({} if parameter.default is parameter.empty else {"default": _plain(parameter.default)}),
            }
            for name, parameter in inspect.signature(function).parameters.items()
            if parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
        ],
        "returns": str(inspect.signature(function).return_annotation),
        "example": "\n".join(part for part in rest if part.startswith(">>>")),
    }


def _paragraphs(cls: Any) -> list[str]:
    """The paragraphs of the docstring, without the sections generated from declarations."""
    text = (inspect.getdoc(cls) or "").split("Parameters\n----------")[0]
    return [part.strip() for part in text.split("\n\n") if part.strip()]


def _plain(default: Any) -> Any:
    """A default value as it would be written in code."""
    return default.__name__ if isinstance(default, type) or callable(default) else default


def _flowing(paragraph: str) -> str:
    """A paragraph as one line; a table, whose lines all contain two blanks in a row, keeps its lines."""
    return paragraph if all("  " in line.strip() for line in paragraph.splitlines()) else _joined(paragraph)


def _joined(paragraph: str) -> str:
    return " ".join(paragraph.split())
