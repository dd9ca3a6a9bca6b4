"""Scorers by name, and what people may pass as `scoring`."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from inspect import signature
from traceback import format_exc
from typing import Any, ClassVar

from ..core.declare.checked_functions import checked
from ..core.errors import ParameterError
from ..core.sklearn_api.configuration import routing_is_enabled
from ..core.sklearn_api.metadata import Route, requested_metadata, router_of
from ..core.sklearn_api.routing import accepts_weight, declines, weight_for
from ._response_methods import Methods, response_method_of
from .scorers import Scorer

_PREDICTED: dict[str, str] = {
    "accuracy": "accuracy_score",
    "balanced_accuracy": "balanced_accuracy_score",
    "d2_absolute_error_score": "d2_absolute_error_score",
    "explained_variance": "explained_variance_score",
    "matthews_corrcoef": "matthews_corrcoef",
    "positive_likelihood_ratio": "positive_likelihood_ratio",
    "r2": "r2_score",
    **{
        name: name
        for name in (
            "adjusted_mutual_info_score", "adjusted_rand_score", "completeness_score", "fowlkes_mallows_score",
            "homogeneity_score", "mutual_info_score", "normalized_mutual_info_score", "rand_score", "v_measure_score",
        )
    },
}  # fmt: skip
_LOSSES = (
    "max_error", "mean_absolute_error", "mean_absolute_percentage_error", "mean_gamma_deviance",
    "mean_poisson_deviance", "mean_squared_error", "mean_squared_log_error", "median_absolute_error",
    "negative_likelihood_ratio", "root_mean_squared_error", "root_mean_squared_log_error",
)  # fmt: skip
_AVERAGED = {"f1": "f1_score", "jaccard": "jaccard_score", "precision": "precision_score", "recall": "recall_score"}
_RANKED = ("decision_function", "predict_proba")


def _recipes() -> dict[str, tuple[str, int, Methods, dict[str, Any]]]:
    """Name -> metric, sign, response method, options."""
    plain: Methods = "predict"
    table: dict[str, tuple[str, int, Methods, dict[str, Any]]] = {}
    table.update({name: (metric, 1, plain, {}) for name, metric in _PREDICTED.items()})
    table.update({f"neg_{metric}": (metric, -1, plain, {}) for metric in _LOSSES})
    for name, metric in _AVERAGED.items():
        table[name] = (metric, 1, plain, {"average": "binary"})
        for average in ("macro", "micro", "samples", "weighted"):
            table[f"{name}_{average}"] = (metric, 1, plain, {"pos_label": None, "average": average})
    for name, metric in (("neg_log_loss", "log_loss"), ("neg_brier_score", "brier_score_loss")):
        table[name] = (metric, -1, "predict_proba", {})
    for name in ("d2_log_loss_score", "d2_brier_score"):
        table[name] = (name, 1, "predict_proba", {})
    for name in ("average_precision", "roc_auc", "top_k_accuracy"):
        table[name] = (f"{name}_score", 1, _RANKED, {})
    for scheme in ("ovr", "ovo"):
        table[f"roc_auc_{scheme}"] = ("roc_auc_score", 1, "predict_proba", {"multi_class": scheme})
        weighted = {"multi_class": scheme, "average": "weighted"}
        table[f"roc_auc_{scheme}_weighted"] = ("roc_auc_score", 1, "predict_proba", weighted)
    return table


_TABLE = _recipes()


@checked()
def get_scorer_names() -> list[str]:
    """The names of all scorers, sorted.

    >>> "roc_auc" in get_scorer_names()
    True
    """
    return sorted(_TABLE)


@checked()
def get_scorer(scoring: str | Callable[..., Any]) -> Any:
    """Get a scorer by its name; a callable is returned unchanged.

    >>> get_scorer("accuracy")
    make_scorer(accuracy_score, response_method='predict')
    """
    if not isinstance(scoring, str):
        return scoring
    if scoring not in _TABLE:
        raise ParameterError(f"No scorer is called {scoring!r}; learnable.metrics.get_scorer_names() lists the names.")
    metric, sign, method, options = _TABLE[scoring]
    return Scorer(getattr(import_module("learnable.metrics"), metric), sign, method, copy.copy(options))


@checked()
def check_scoring(
    estimator: Any = None, scoring: Any = None, *, allow_none: bool = False, raise_exc: bool = True
) -> Any:
    """A scorer from a specification: a name, a callable, several of them, or None for the estimator's own score.

    A list, tuple, set or dictionary makes one scorer that returns a dictionary, asking the estimator only once for each
    response method.

    >>> check_scoring(scoring=["r2", "neg_max_error"])
    MultiScorer("r2", "neg_max_error")
    """
    return scorer_of(estimator, scoring, allow_none, raise_exc)


def scorer_of(estimator: Any = None, scoring: Any = None, allow_none: bool = False, raise_exc: bool = True) -> Any:
    """The same within this library, whose arguments are checked already."""
    if isinstance(scoring, str):
        return get_scorer(scoring)
    if callable(scoring):
        _refuse_metric(scoring)
        return scoring
    if isinstance(scoring, (list, tuple, set, dict)):
        return MultiScorer(_named(scoring), raise_exc)
    if scoring is not None:
        raise ParameterError(f"scoring must be a name, a callable, several of them or None; got {scoring!r}")
    if hasattr(estimator, "score"):
        return OwnScore()
    if allow_none:
        return None
    raise TypeError(f"{estimator!r} is not an estimator with a `score` method; pass scoring=")


@dataclass(frozen=True)
class OwnScore:
    """The score that an estimator gives itself."""

    predictions_only: ClassVar[bool] = True

    def __call__(self, estimator: Any, X: Any, y: Any = None, sample_weight: Any = None, **options: Any) -> Any:
        """`estimator.score(X, y)`."""
        if sample_weight is not None and _weighs(estimator):
            options["sample_weight"] = sample_weight
        return estimator.score(X, y, **options)

    @property
    def accepts_weight(self) -> bool:
        """Left to the estimator."""
        return True


def _weighs(estimator: Any) -> bool:
    """Whether `score` of an estimator takes weights and does not decline them."""
    known = signature(estimator.score).parameters
    takes = "sample_weight" in known or any(one.kind is one.VAR_KEYWORD for one in known.values())
    return takes and not declines(estimator, "score", "sample_weight")


class MultiScorer:
    """Several scores at once, by name."""

    def __init__(self, scorers: dict[str, Any], raise_exc: bool = True) -> None:
        self.scorers = scorers
        self.raise_exc = raise_exc

    def __call__(
        self, estimator: Any, X: Any, y: Any = None, sample_weight: Any = None, **options: Any
    ) -> dict[str, Any]:
        """Name -> score; with `raise_exc=False`, a failing scorer gives the text of its error."""
        requested: dict[Any, Any] = {}
        scores: dict[str, Any] = {}
        for name, scorer in self.scorers.items():
            try:
                scores[name] = _one(scorer, estimator, X, y, sample_weight, options, requested)
            except Exception:
                if self.raise_exc:
                    raise
                scores[name] = format_exc()
        return scores

    def _routes(self) -> list[Route]:
        return [Route(name, scorer, {"score": ("score",)}) for name, scorer in self.scorers.items()]

    def get_metadata_routing(self) -> Any:
        """Metadata routing of scikit-learn: every scorer is given what it requests."""
        return router_of(self, self._routes())

    def __repr__(self) -> str:
        names = ", ".join(f'"{name}"' for name in self.scorers)
        return f"MultiScorer({names})"

    @property
    def predictions_only(self) -> bool:
        """Whether none of them uses X."""
        return all(getattr(scorer, "predictions_only", False) for scorer in self.scorers.values())

    @property
    def accepts_weight(self) -> bool:
        """Whether any of them takes sample weights."""
        return any(accepts_weight(scorer) for scorer in self.scorers.values())


def _one(
    scorer: Any, estimator: Any, X: Any, y: Any, weight: Any, options: dict[str, Any], requested: dict[Any, Any]
) -> Any:
    """One score, from cached predictions where possible."""
    if (weight is not None or options) and routing_is_enabled():
        target = estimator if isinstance(scorer, OwnScore) else scorer
        options = requested_metadata(target, "score", {"sample_weight": weight, **options})
    else:
        options = {**options, **weight_for(scorer, weight)}
    if not isinstance(scorer, Scorer):
        return scorer(estimator, X, y, **options)
    key = (response_method_of(estimator, scorer.response_method).__name__, repr(scorer.pos_label))
    if key not in requested:
        requested[key] = scorer.predictions(estimator, X)
    return scorer.of(y, requested[key], options.pop("sample_weight", None), **options)


def _named(scoring: Any) -> dict[str, Any]:
    """Name -> scorer, from a dictionary or a collection of names."""
    if len(scoring) == 0:
        raise ParameterError(f"Empty list was given: scoring must name at least one score; got {scoring!r}")
    if isinstance(scoring, dict):
        if not all(isinstance(name, str) for name in scoring):
            raise ParameterError(f"Names of scores must be texts; got scoring={scoring!r}")
        return {name: check_scoring(scoring=value) for name, value in scoring.items()}
    if any(callable(entry) for entry in scoring):
        raise ParameterError(
            f"A list of scores must hold names; pass functions in a dict from name to scorer. Got {scoring!r}"
        )
    if not all(isinstance(entry, str) for entry in scoring):
        raise ParameterError(f"A list of scores must hold names, which are strings. Got {scoring!r}")
    if len(set(scoring)) != len(scoring):
        raise ParameterError(f"A score is named twice in {scoring!r}")
    return {name: get_scorer(name) for name in scoring}


def _refuse_metric(scoring: Callable[..., Any]) -> None:
    """A metric takes true and predicted values, not an estimator: a scorer is made of it first."""
    home = str(getattr(scoring, "__module__", ""))
    ours = home.startswith("learnable.metrics.") and home.rsplit(".", 1)[-1] not in ("scorers", "scoring")
    theirs = home.startswith("sklearn.metrics.") and not home.startswith(
        ("sklearn.metrics._scorer", "sklearn.metrics.tests.")
    )
    if ours or theirs:
        raise ParameterError(
            f"{scoring!r} seems to compare targets and predictions; a scorer takes (estimator, X, y): make one by "
            "`make_scorer`"
        )
