"""Which methods of their components pipelines and unions call."""

from __future__ import annotations

from typing import Any

from ..core.sklearn_api.metadata import Route

AFTER_FIT = ("predict", "predict_proba", "predict_log_proba", "decision_function", "transform", "score")


def fit_calls(component: Any) -> tuple[str, ...]:
    """What fits a transformer and transforms the training rows."""
    return ("fit_transform",) if hasattr(component, "fit_transform") else ("fit", "transform")


def transformer_route(name: str, component: Any, fit: tuple[str, ...] = ()) -> Route:
    """The calls of a transformer beside others; `fit` of the whole calls `fit` of it, or what `fit_transform` calls."""
    both = fit_calls(component)
    return Route(name, component, {"fit": fit or both, "fit_transform": both, "transform": ("transform",)})


def step_route(name: str, component: Any) -> Route:
    """The calls of a step before the last one of a pipeline."""
    calls = dict.fromkeys(("fit", "fit_transform", "fit_predict"), fit_calls(component))
    calls |= dict.fromkeys(AFTER_FIT, ("transform",))
    return Route(name, component, {**calls, "inverse_transform": ("inverse_transform",)})


def final_route(name: str, component: Any) -> Route:
    """The calls of the last step of a pipeline."""
    calls = {method: (method,) for method in (*AFTER_FIT, "fit", "fit_predict", "inverse_transform")}
    return Route(name, component, {**calls, "fit_transform": fit_calls(component)})
