"""Scorers: a metric, the response method that it takes, and whether larger is better."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from inspect import signature
from typing import Any, ClassVar, Self

from ..core.declare.checked_functions import checked
from ..core.declare.registry import find_function, value
from ..core.sklearn_api.estimator_type import is_regressor
from ._response_methods import Methods, response_values


@value
@dataclass(repr=False)
class Scorer:
    """A metric that asks an estimator itself: `scorer(estimator, X, y)`, larger is better.

    `of` is the same score for predictions that are there already. Model files hold scorers of this library's metrics.

    >>> from learnable.metrics import get_scorer
    >>> get_scorer("neg_mean_squared_error").of([1.0, 2.0], [1.0, 4.0])
    -2.0
    """

    predictions_only: ClassVar[bool] = True  # uses the predictions of the estimator, never X

    metric: Callable[..., Any]
    sign: int = 1
    response_method: Methods = "predict"
    options: dict[str, Any] = field(default_factory=dict)
    requested: bool | str | None = None  # whether the user requested weights, or under which name

    def __call__(self, estimator: Any, X: Any, y_true: Any, sample_weight: Any = None, **options: Any) -> Any:
        """The score of the estimator's predictions for `X` against `y_true`."""
        predictions = self.predictions(estimator, X)
        return self.of(y_true, predictions, sample_weight, **options)

    def predictions(self, estimator: Any, X: Any) -> Any:
        """What the metric compares with the truth."""
        pos_label = None if is_regressor(estimator) else self.pos_label
        return response_values(estimator, X, self.response_method, pos_label)[0]

    def of(self, y: Any, prediction: Any, weight: Any = None, **options: Any) -> Any:
        """The score of `prediction` (the result of `response_method`) against the truth `y`; larger is better."""
        if weight is not None:
            options["sample_weight"] = weight
        return self.sign * self.metric(y, prediction, **{**self.options, **options})

    @property
    def pos_label(self) -> Any:
        """The positive class: an option, or the default of the metric."""
        if "pos_label" in self.options:
            return self.options["pos_label"]
        known = signature(self.metric).parameters
        return known["pos_label"].default if "pos_label" in known else None

    @property
    def accepts_weight(self) -> bool:
        """Whether the metric takes sample weights, and the user did not decline them."""
        return self.requested is not False and "sample_weight" in signature(self.metric).parameters

    def flaw(self) -> str:
        """What is wrong with a scorer that came from a file; empty if nothing is."""
        if find_function(getattr(self.metric, "__name__", "")) is not self.metric:
            return "it has no metric of this library"
        return "" if self.sign in (1, -1) and all(isinstance(name, str) for name in self.options) else "it is malformed"

    def _metadata_requests(self, method: str) -> dict[str, Any]:
        return {"sample_weight": self.requested} if method == "score" else {}

    def set_score_request(self, *, sample_weight: bool | str | None = None) -> Self:
        """Request or refuse sample weights in the score; by default ours pass them on and scikit-learn does not."""
        self.requested = sample_weight
        return self

    def get_metadata_routing(self) -> Any:
        """Request of scikit-learn's metadata routing: whether weights are used."""
        from sklearn.utils.metadata_routing import MetadataRequest

        found = MetadataRequest(owner=self)
        found.score.add_request(param="sample_weight", alias=self.requested)
        return found

    def _accept_sample_weight(self) -> bool:
        return self.accepts_weight  # what scikit-learn asks scorers among several

    def __repr__(self) -> str:
        name = repr(self.metric) if isinstance(self.metric, partial) else self.metric.__name__
        direction = "" if self.sign > 0 else ", greater_is_better=False"
        options = "".join(f", {key}={value}" for key, value in self.options.items())
        return f"make_scorer({name}{direction}, response_method={self.response_method!r}{options})"


@checked()
def make_scorer(
    score_func: Callable[..., Any],
    *,
    response_method: Methods = "predict",
    greater_is_better: bool = True,
    **kwargs: Any,
) -> Scorer:
    """Make a scorer from a metric `score_func(y_true, predictions, **kwargs)`; losses change their sign.

    >>> from learnable.metrics import mean_absolute_error
    >>> make_scorer(mean_absolute_error, greater_is_better=False)
    make_scorer(mean_absolute_error, greater_is_better=False, response_method='predict')
    """
    return Scorer(score_func, 1 if greater_is_better else -1, response_method, kwargs)
