"""The columns that the last step of a pipeline sees, each as a simple function of one column of the table."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...core import Array, DataError


@dataclass(frozen=True, slots=True)
class Feature:
    """factor (x - shift) of a column, `fill` standing where x is missing; or whether x is a category, 1 or 0.

    A category is told by its place among the levels of its column.
    """

    column: int
    fill: float = np.nan
    shift: float = 0.0
    factor: float = 1.0
    place: int | None = None

    def scaled(self, shift: float, factor: float) -> Feature:
        """factor (this - shift), as one feature again."""
        if self.place is not None:
            raise DataError("categories that are scaled after they are told apart cannot be converted")
        return replace(self, shift=self.shift + shift / self.factor, factor=self.factor * factor)


@dataclass(frozen=True, slots=True)
class Features:
    """What the last step sees, and the levels of the columns of categories."""

    features: list[Feature]
    levels: dict[int, list[Any]]


def features_of(steps: list[Any], names: list[str]) -> Features:
    """The features that the steps before the last one make of the columns."""
    found = Features([Feature(column) for column in range(len(names))], {})
    for step in steps:
        found = _after(step, found, names)
    return found


def fitted_steps(pipeline: Any) -> list[Any]:
    """The steps that a pipeline has fitted, which are copies of those that it was given."""
    return [pipeline[place] for place in range(len(pipeline.steps))]


def _after(step: Any, found: Features, names: list[str]) -> Features:
    kind = type(step).__name__
    if kind == "ColumnTransformer":
        return _columns(step, found, names)
    if kind == "Pipeline":
        for inner in fitted_steps(step):
            found = _after(inner, found, names)
        return found
    if kind == "TableVectorizer":
        return _each(step, found, names)
    if kind == "OneHotEncoder":
        return _told_apart(step, found)
    return Features(_numbers(step, found.features, kind), found.levels)


def _numbers(step: Any, features: list[Feature], kind: str) -> list[Feature]:
    """Features after a step that fills or scales numbers."""
    if kind == "SimpleImputer" and not step.add_indicator and len(step.statistics_) == len(features):
        return [
            replace(one, fill=float(value)) if np.isnan(one.fill) else one
            for one, value in zip(features, step.statistics_.tolist(), strict=True)
        ]
    if kind not in SCALES:
        raise DataError(f"a {kind} cannot be converted to this form; JSON keeps every model")
    shift, factor = SCALES[kind](step, len(features))
    return [one.scaled(float(by), float(times)) for one, by, times in zip(features, shift, factor, strict=True)]


def _standard(step: Any, width: int) -> tuple[Array, Array]:
    shift = step.mean_ if step.with_mean else np.zeros(width)
    return shift, 1 / step.scale_ if step.with_std else np.ones(width)


def _least_to_most(step: Any, width: int) -> tuple[Array, Array]:
    return -step.min_ / step.scale_, step.scale_


def _largest(step: Any, width: int) -> tuple[Array, Array]:
    return np.zeros(width), 1 / step.scale_


SCALES = {"StandardScaler": _standard, "MinMaxScaler": _least_to_most, "MaxAbsScaler": _largest}


def _told_apart(step: Any, found: Features) -> Features:
    """One feature for each category of each column."""
    if step.drop is not None or getattr(step, "min_frequency", None) or getattr(step, "max_categories", None):
        raise DataError("a OneHotEncoder that drops or joins categories cannot be converted to this form")
    features, levels = [], dict(found.levels)
    for one, categories in zip(found.features, step.categories_, strict=True):
        levels[one.column] = categories.tolist()
        features += [Feature(one.column, place=place) for place in range(len(categories))]
    return Features(features, levels)


def _each(step: Any, found: Features, names: list[str]) -> Features:
    """The features that a TableVectorizer makes of each column by itself."""
    features: list[Feature] = []
    levels = dict(found.levels)
    for one, encoder in zip(found.features, step.encoders_, strict=True):
        if encoder is not None:
            part = _after(encoder, Features([one], {}), names)
            features, levels = features + part.features, levels | part.levels
    return Features(features, levels)


def _columns(step: Any, found: Features, names: list[str]) -> Features:
    """The features of each part of a ColumnTransformer, one after the other."""
    features: list[Feature] = []
    levels = dict(found.levels)
    for _, transformer, chosen in step.transformers_:
        if isinstance(transformer, str) and transformer == "drop":
            continue
        places = [names.index(name) if isinstance(name, str) else int(name) for name in chosen]
        part = Features([found.features[place] for place in places], {})
        if not isinstance(transformer, str):
            part = _after(transformer, part, names)
        features, levels = features + part.features, levels | part.levels
    return Features(features, levels)
