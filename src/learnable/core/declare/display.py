"""Representation of an estimator: text in a console, a small table in a notebook."""

from __future__ import annotations

import html
from types import FunctionType
from typing import Any

import numpy as np

from ..sklearn_api.configuration import setting
from . import params


def _shown_params(estimator: Any) -> dict[str, Any]:
    """The parameters that the text of an estimator names."""
    if setting("print_changed_only"):
        return changed_params(estimator)
    return {name: getattr(estimator, name) for name in params.parameters(type(estimator))}


def changed_params(estimator: Any) -> dict[str, Any]:
    """The parameters that differ from their defaults."""
    return {
        name: value
        for name, field in params.parameters(type(estimator)).items()
        if not _same(value := getattr(estimator, name), field.default)
    }


def text_repr(estimator: Any) -> str:
    """`Ridge(alpha=2.0)`: the class with what differs from the defaults, or with all if `set_config` says so."""
    inside = ", ".join(f"{name}={_short(value)}" for name, value in _shown_params(estimator).items())
    return f"{type(estimator).__name__}({inside})"


def html_repr(estimator: Any) -> str:
    """A table of every parameter with its meaning, changed ones marked, and the certificate if there is one."""
    changed = changed_params(estimator)
    rows = "".join(
        f"<tr{' style=font-weight:bold' if name in changed else ''}><td>{name}</td>"
        f"<td><code>{html.escape(_short(getattr(estimator, name)))}</code></td>"
        f"<td>{html.escape(field.metadata['rule'].meaning)}</td></tr>"
        for name, field in params.parameters(type(estimator)).items()
    )
    certificate = estimator.__dict__.get("certificate_")
    state = (
        html.escape(str(certificate))
        if certificate is not None
        else ("fitted" if estimator.__sklearn_is_fitted__() else "not fitted")
    )
    return (
        f"<details open><summary><b>{type(estimator).__name__}</b> <small>{state}</small></summary>"
        f"<table><thead><tr><th>parameter</th><th>value</th><th>meaning</th></tr></thead><tbody>{rows}</tbody></table></details>"
    )


def _same(value: Any, default: Any) -> bool:
    if value is default:
        return True
    if isinstance(value, float) and isinstance(default, float) and np.isnan(value) and np.isnan(default):
        return True
    return type(value) is type(default) and not isinstance(value, np.ndarray) and bool(value == default)


def _short(value: Any) -> str:
    text = value.__name__ if isinstance(value, FunctionType) else repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
