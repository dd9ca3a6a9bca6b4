"""Tags of custom estimators, whether or not scikit-learn is installed."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from typing import Any


@dataclass
class InputTags:
    """What kinds of X an estimator takes."""

    one_d_array: bool = False
    two_d_array: bool = True
    three_d_array: bool = False
    sparse: bool = False
    categorical: bool = False
    string: bool = False
    dict: bool = False
    positive_only: bool = False
    allow_nan: bool = False
    pairwise: bool = False


@dataclass
class TargetTags:
    """What kinds of y it takes, and whether it needs one."""

    required: bool
    one_d_labels: bool = False
    two_d_labels: bool = False
    positive_only: bool = False
    multi_output: bool = False
    single_output: bool = True


@dataclass
class TransformerTags:
    """What a transformer does to the precision of numbers."""

    preserves_dtype: list[str] = field(default_factory=lambda: ["float64"])


@dataclass
class ClassifierTags:
    """What a classifier can do."""

    poor_score: bool = False
    multi_class: bool = True
    multi_label: bool = False


@dataclass
class RegressorTags:
    """What a regressor can do."""

    poor_score: bool = False


@dataclass
class Tags:
    """The tags of an estimator."""

    estimator_type: str | None
    target_tags: TargetTags
    transformer_tags: TransformerTags | None = None
    classifier_tags: ClassifierTags | None = None
    regressor_tags: RegressorTags | None = None
    array_api_support: bool = False
    no_validation: bool = False
    non_deterministic: bool = False
    requires_fit: bool = True
    _skip_test: bool = False
    input_tags: InputTags = field(default_factory=InputTags)


def tag_classes() -> Any:
    """Where the classes of tags are: in scikit-learn if that is loaded, which may know more of them, else here."""
    theirs = sys.modules.get("sklearn.utils")
    return theirs if hasattr(theirs, "Tags") else sys.modules[__name__]


def plain_tags() -> Any:
    """The tags of an estimator of which nothing is known yet."""
    home = tag_classes()
    return home.Tags(estimator_type=None, target_tags=home.TargetTags(required=False))


def get_tags(estimator: Any) -> Any:
    """The tags of an estimator, of this library or of one that speaks scikit-learn's language.

    >>> from learnable.base import BaseEstimator, ClassifierMixin
    >>> class Guess(ClassifierMixin, BaseEstimator): ...
    >>> get_tags(Guess()).estimator_type
    'classifier'
    """
    if not hasattr(estimator, "__sklearn_tags__"):
        raise AttributeError(
            f"{type(estimator).__name__} has no tags: let it inherit from learnable.base.BaseEstimator"
        )
    return estimator.__sklearn_tags__()
