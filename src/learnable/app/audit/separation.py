"""Classes that a plane divides without an error, and values whose rows are all of one class."""

from __future__ import annotations

import math

import numpy as np

from ...core import Array
from ...theory import separable
from ..text import counted, listed
from .evidence import Evidence, Findings, shown
from .leakage import Leaking
from .significance import ALPHA
from .table_view import View, drawn, standardised
from .univariate_power import Powers

MOST_ROWS, MOST_COLUMNS = 1000, 50
ENOUGH = 20  # rows of a value that make "all of one class" worth saying


def divided_by_a_plane(view: View, powers: Powers, leaking: Leaking) -> Findings:
    """Two classes that some weighted sum of the columns of numbers keeps apart."""
    names = [name for name in view.closest if view.is_number(name) and name not in leaking][:MOST_COLUMNS]
    places = drawn(len(view.rows), MOST_ROWS, view.seed, 3)
    labels = view.target[places]
    if view.question.task != "binary" or not names or len(np.unique(labels)) < 2 or len(labels) < ENOUGH:
        return
    if _luck(labels, len(names) + 1) > math.log(ALPHA):
        return
    stack = standardised(np.stack([view.numbers(name)[places] for name in names]))
    if _nearly_divides(stack.T, labels) and separable(stack.T, labels - 0.5):
        how = repr(names[0]) if len(names) == 1 else f"a weighted sum of {counted(len(names), 'column')} of numbers"
        text = f"{how} divides {counted(len(labels), 'row')} without an error"
        yield Evidence("LB046", text, tuple(names))


def _luck(labels: Array, parameters: int) -> float:
    """Logarithm of a bound on the chance that a plane divides labels that were drawn at random. [Cover, 1965]"""
    n, positive = len(labels), int(labels.sum())
    terms = [_choose(n - 1, k) for k in range(min(parameters, n))]
    top = max(terms)
    return math.log(2) + top + math.log(sum(math.exp(term - top) for term in terms)) - _choose(n, positive)


def _choose(n: int, k: int) -> float:
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)


def _nearly_divides(rows: Array, labels: Array) -> bool:
    """Whether a plane of least squares makes few errors: where it makes many, no plane makes none in practice."""
    lifted = np.column_stack([rows, np.ones(len(rows))])
    plane = np.linalg.lstsq(lifted, labels - labels.mean(), rcond=None)[0]
    order = np.argsort(lifted @ plane, kind="stable")
    ordered = labels[order]
    errors = np.cumsum(ordered) + (len(ordered) - ordered.sum()) - np.cumsum(1 - ordered)
    return bool(errors.min() <= 0.1 * min(ordered.sum(), len(ordered) - ordered.sum()))


def values_of_one_class(view: View, powers: Powers, leaking: Leaking) -> Findings:
    """Words whose rows are all of one class, which makes coefficients run away."""
    names = [name for name in view.closest if name in view.words and name not in leaking]
    classes = int(view.target.max()) + 1
    shares = np.bincount(view.target, minlength=classes) / len(view.target)
    values = sum(len(view.words[name].values) for name in names)
    told = {name: text for name in names if (text := _pure(view, name, shares, max(values, 1)))}
    if told:
        yield Evidence("LB047", f"{listed(list(told.values()))}{view.scope(rows=True)}", tuple(told))


def _pure(view: View, name: str, shares: Array, values: int) -> str:
    """The commonest value whose rows are of one class, if luck does not explain it."""
    column = view.words[name]
    known, classes = column.codes >= 0, len(shares)
    pairs = column.codes[known] * classes + view.target[known]
    table = np.bincount(pairs, minlength=len(column.values) * classes).reshape(-1, classes)
    counts, best = table.sum(axis=1), table.argmax(axis=1)
    luck = counts * np.log(np.maximum(shares[best], 1e-300)) + math.log(values)
    pure = (table.max(axis=1) == counts) & (counts >= ENOUGH) & (luck < math.log(ALPHA))
    if not pure.any():
        return ""
    place = int(np.argmax(np.where(pure, counts, 0)))
    label = shown(view.classes.values[int(best[place])])
    return f"all {counts[place]} rows with {name!r} = {shown(column.values[place])} are {label}"
