"""Candidates for wide tables and many classes, whose fits would take minutes with the usual parameters."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ..task import Question
from .model_candidate import ModelCandidate
from .settings import StudySettings

BOOSTED = "boosted trees"
FEATURES_PER_SPLIT = 80  # features that boosted trees try at a split of a wide table
WIDE_FROM = 2 * FEATURES_PER_SPLIT  # features from which a table is wide
MANY_CELLS, MANY_QUICK = 1_000_000, 250_000  # compared rows times features from which logistic regression is loose
MANY_FOREST = 125_000  # rows times features from which a forest is smaller
LOOSE = 0.01  # its tolerance then; the second number is for a quick study
MAX_TUNED, MAX_QUICK = 2000, 300  # classes times features up to which boosting is tuned, and has all iterations


def for_width(one: ModelCandidate, question: Question, settings: StudySettings) -> ModelCandidate:
    """The candidate with parameters for the width of a table and the number of its classes.

    Boosted trees of wide tables try some features at each split, which is faster and seldom worse; with many classes
    besides they are not tuned, and in a quick study they have fewer iterations with a larger learning rate.
    """
    if one.name.startswith(BOOSTED):
        return _boosted(one, question, settings)
    if one.name == "random forest" and question.n * len(question.features) > MANY_FOREST:
        return _forest(one, question, settings)
    rows = min(question.n, settings.most_compared(len(question.features)))
    many = MANY_QUICK if settings.effort == "quick" else MANY_CELLS
    if one.name == "logistic regression" and rows * len(question.features) > many:
        return _with(one, tol=LOOSE)
    return one


def _forest(one: ModelCandidate, question: Question, settings: StudySettings) -> ModelCandidate:
    """Fewer features at each split of regression, where indicators of categories make a table wide; fewer trees."""
    if settings.effort == "thorough":
        return one
    fewer = {"n_estimators": 50} if settings.effort == "quick" else {}
    return _with(one, **fewer) if question.classifies else _with(one, max_features=0.2, **fewer)


def _boosted(one: ModelCandidate, question: Question, settings: StudySettings) -> ModelCandidate:
    features = len(question.features)
    classes = len(np.unique(question.y.astype(str))) if question.task == "multi-class" else 1
    if features >= WIDE_FROM:
        one = _with(one, max_features=FEATURES_PER_SPLIT / features)
    if classes * features > MAX_TUNED and settings.effort != "thorough":
        one = replace(one, grid={})
    if settings.effort == "quick" and classes * min(features, FEATURES_PER_SPLIT) > MAX_QUICK:
        one = _with(one, learning_rate=0.2, max_iter=40)
    return one


def _with(one: ModelCandidate, **changes: Any) -> ModelCandidate:
    """The candidate with other default parameters."""
    make = one.make
    return replace(one, make=lambda seed: make(seed).set_params(**changes))
