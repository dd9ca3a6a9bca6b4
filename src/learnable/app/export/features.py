"""The features of the last step of a pipeline, each as a simple function of one input number."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

import numpy as np

from ...core import Array, DataError, cloned
from ...core.validate.mixed_table import is_missing
from .inputs import Inputs, Taken


@dataclass(frozen=True, slots=True)
class Lookup:
    """values[x - first] for category indices from `first` on; `other` for other values, `missing` for NaN."""

    first: int
    values: tuple[float, ...]
    other: float
    missing: float

    def scaled(self, shift: float, factor: float) -> Lookup:
        """The lookup with the values factor (value - shift)."""
        values = tuple((value - shift) * factor for value in self.values)
        return Lookup(self.first, values, (self.other - shift) * factor, (self.missing - shift) * factor)


@dataclass(frozen=True, slots=True)
class Feature:
    """factor (x - shift) of a number, with `fill` for missing x; or the value of a lookup for a category.

    Features with the same `unit` are divided by their common Euclidean norm afterwards.
    """

    column: int
    fill: float = np.nan
    shift: float = 0.0
    factor: float = 1.0
    lookup: Lookup | None = None
    unit: int | None = None

    def scaled(self, shift: float, factor: float) -> Feature:
        """factor (this - shift), as one feature again."""
        if self.unit is not None:
            raise DataError("scaled TF-IDF features cannot be converted to this format")
        if self.lookup is not None:
            return replace(self, lookup=self.lookup.scaled(shift, factor))
        return replace(self, shift=self.shift + shift / self.factor, factor=self.factor * factor)


def features_of(steps: list[Any], inputs: Inputs) -> list[Feature]:
    """The features that the steps before the last one compute from the columns."""
    found = [Feature(column) for column in range(len(inputs.names))]
    for step in steps:
        found = _after(step, found, inputs)
    return found


def units(features: list[Feature]) -> list[slice]:
    """The slices of features that are normalised together."""
    found, first = [], 0
    for unit, members in groupby(features, key=lambda one: one.unit):
        last = first + len(list(members))
        if unit is not None:
            found.append(slice(first, last))
        first = last
    return found


def fitted_steps(pipeline: Any) -> list[Any]:
    """The fitted steps of a pipeline, which are clones of the given ones."""
    return [pipeline[index] for index in range(len(pipeline.steps))]


def _after(step: Any, found: list[Feature], inputs: Inputs) -> list[Feature]:
    kind = type(step).__name__
    if kind == "Pipeline":
        for inner in fitted_steps(step):
            found = _after(inner, found, inputs)
        return found
    if kind in STEPS:
        return STEPS[kind](step, found, inputs)
    return _numbers(step, found, kind)


def _numbers(step: Any, features: list[Feature], kind: str) -> list[Feature]:
    """Features after a step that fills or scales numbers."""
    if kind == "SimpleImputer" and not step.add_indicator and len(step.statistics_) == len(features):
        return [
            replace(one, fill=float(value)) if np.isnan(one.fill) else one
            for one, value in zip(features, step.statistics_.tolist(), strict=True)
        ]
    if kind not in SCALES:
        raise DataError(f"a {kind} cannot be converted to this format; JSON supports every model")
    shift, factor = SCALES[kind](step, len(features))
    return [one.scaled(float(by), float(times)) for one, by, times in zip(features, shift, factor, strict=True)]


def _standard(step: Any, width: int) -> tuple[Array, Array]:
    shift = step.mean_ if step.with_mean else np.zeros(width)
    return shift, 1 / step.scale_ if step.with_std else np.ones(width)


def _min_max(step: Any, width: int) -> tuple[Array, Array]:
    return -step.min_ / step.scale_, step.scale_


def _max_abs(step: Any, width: int) -> tuple[Array, Array]:
    return np.zeros(width), 1 / step.scale_


SCALES = {"StandardScaler": _standard, "MinMaxScaler": _min_max, "MaxAbsScaler": _max_abs}


def _one_hot(step: Any, found: list[Feature], inputs: Inputs) -> list[Feature]:
    """One feature for each category of each column; missing is a category if training rows had missing values."""
    if step.drop is not None or getattr(step, "min_frequency", None) or getattr(step, "max_categories", None):
        raise DataError("a OneHotEncoder that drops or merges categories cannot be converted to this format")
    features = []
    for one, categories in zip(found, step.categories_, strict=True):
        missing = inputs.encode_by_index(one.column, categories)
        if step.handle_unknown == "error":
            inputs.closed.add(one.column)
        features += [
            Feature(one.column, lookup=Lookup(0, (), 0.0, 1.0) if absent else Lookup(index, (1.0,), 0.0, 0.0))
            for index, absent in enumerate(missing.tolist())
        ]
    return features


def _mean_targets(step: Any, found: list[Feature], inputs: Inputs) -> list[Feature]:
    """The mean target of each category; the overall mean for unknown categories."""
    means = np.atleast_1d(step.target_mean_).tolist()
    features = []
    for index, (one, categories) in enumerate(zip(found, step.categories_, strict=True)):
        missing = inputs.encode_by_index(one.column, categories)
        for k, mean in enumerate(means):
            values = np.asarray(step.encodings_[index * len(means) + k], dtype=np.float64)
            of_missing = float(values[missing][0]) if missing.any() else mean
            features.append(Feature(one.column, lookup=Lookup(0, tuple(values[~missing].tolist()), mean, of_missing)))
    return features


def _tfidf(step: Any, found: list[Feature], inputs: Inputs) -> list[Feature]:
    """TF-IDF features: weighted counts of the known words of a text, normalised."""
    if step.binary or step.sublinear_tf or step.norm == "l1":
        raise DataError("a TfidfVectorizer with binary or sublinear counts, or with norm='l1', cannot be converted")
    column, words = found[0].column, step.get_feature_names_out().tolist()
    name = inputs.names[column]

    def counted(values: Array) -> Array:
        texts = ["" if gone else str(value) for value, gone in zip(values.tolist(), is_missing(values), strict=True)]
        return np.asarray(step._known_counts(texts, np.float64).toarray())

    taken = Taken(column, [f"count of {word!r} in {name}" for word in words], counted, words)
    weights = step.idf_.tolist() if step.use_idf else [1.0] * len(words)
    unit = column if step.norm == "l2" else None
    return [Feature(index, factor=weight, unit=unit) for index, weight in zip(inputs.more(taken), weights, strict=True)]


COUNTED = {"weekday": ", 0 being Monday", "days": ", counted from 1970-01-01 with fractions"}


def _parts_of_dates(step: Any, found: list[Feature], inputs: Inputs) -> list[Feature]:
    """Year, month, ... of times, as separate inputs."""
    features = []
    for one in found:
        meanings = [f"{part} of {inputs.names[one.column]}{COUNTED.get(part, '')}" for part in step.parts]
        taken = Taken(one.column, meanings, lambda values: np.asarray(cloned(step).fit_transform(values[:, None])))
        features += [Feature(index) for index in inputs.more(taken)]
    return features


def _terms(step: Any, found: list[Feature], inputs: Inputs) -> list[Feature]:
    """Refuse the words and characters of free text."""
    name = inputs.names[found[0].column]
    raise DataError(f"{name!r} holds free text, whose terms this format cannot count; JSON supports every model")


def _hashed(step: Any, found: list[Feature], inputs: Inputs) -> list[Feature]:
    """Hashed features of a column with very many categories."""
    if step.input_type != "string" or not step.alternate_sign:
        raise DataError("a FeatureHasher of records, or without signs, cannot be converted to this format")
    name = inputs.names[found[0].column]
    hashed = f"the MurmurHash3 (32 bits, seed 0) of {name}"
    meanings = [
        f"1 or -1, the sign of {hashed}, where its size modulo {step.n_features} is {index}; else 0"
        for index in range(step.n_features)
    ]

    def made(values: Array) -> Array:
        gone = is_missing(values)
        texts = [[] if lost else [str(value)] for value, lost in zip(values.tolist(), gone, strict=True)]
        return np.asarray(step.transform(texts).toarray(), dtype=np.float64)

    return [Feature(index) for index in inputs.more(Taken(found[0].column, meanings, made))]


def _each(step: Any, found: list[Feature], inputs: Inputs) -> list[Feature]:
    """The features of a TableVectorizer, for each of its sets of columns."""
    parts = zip(step.parts_, step.encoders_, strict=True)
    return [made for part, encoder in parts for made in _after(encoder, [found[index] for index in part], inputs)]


def _columns(step: Any, found: list[Feature], inputs: Inputs) -> list[Feature]:
    """The features of a ColumnTransformer, its transformers in order."""
    features: list[Feature] = []
    for _, transformer, chosen in step.transformers_:
        if isinstance(transformer, str) and transformer == "drop":
            continue
        chosen = [chosen] if isinstance(chosen, (str, int)) else chosen
        indices = [inputs.names.index(name) if isinstance(name, str) else int(name) for name in chosen]
        part = [found[index] for index in indices]
        features += part if isinstance(transformer, str) else _after(transformer, part, inputs)
    return features


STEPS = {
    "ColumnTransformer": _columns, "TableVectorizer": _each, "OneHotEncoder": _one_hot,
    "TargetEncoder": _mean_targets, "TfidfVectorizer": _tfidf, "DateParts": _parts_of_dates,
    "FeatureHasher": _hashed, "FeatureUnion": _terms,
}  # fmt: skip
