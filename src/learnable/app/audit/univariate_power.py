"""How well one column alone tells the target, measured on rows that were left out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ...core import Array
from ...tree import DecisionTreeClassifier, DecisionTreeRegressor
from .encoded_columns import holds_numbers
from .significance import at_least, correlation_p
from .table_view import View, drawn

MOST_ROWS = 3000
FOLDS = 3
DEEPEST = 6
LEAST = 0.5  # share of errors saved from which a column is looked at closely
Teller = Callable[[Array, Array, Array], Array]  # known entries, their targets, new entries -> told targets


@dataclass(frozen=True, slots=True)
class Power:
    """The share of the baseline's errors that one column saves, and the chance of so much by luck, over all columns."""

    score: float
    p_value: float


Powers = dict[str, Power]


def powers(view: View) -> Powers:
    """The power of each of the columns that are closest to the target."""
    places = drawn(len(view.rows), MOST_ROWS, view.seed, 2)
    target = view.target[places] if view.question.classifies else _scaled(view.target[places])
    parts = folds_of(target)
    if len(target) < 2 * FOLDS or (target == target[0]).all():
        return {}
    return {name: _power(view, _entries(view, name)[places], target, parts, name) for name in view.closest}


def folds_of(target: Array) -> Array:
    """The fold of each row: rows in turn, within each class or along the order of amounts."""
    folds = np.empty(len(target), dtype=int)
    folds[np.argsort(target, kind="stable")] = np.arange(len(target)) % FOLDS
    return folds


def _entries(view: View, name: str) -> Array:
    """What is asked of a column: its numbers, or its codes, the missing ones as a value of their own."""
    return _scaled(view.numbers(name)) if holds_numbers(view.values(name)) else view.codes(name).codes + 1


def _scaled(numbers: Array) -> Array:
    """Numbers none of which is larger than 1, so that their squares are in range."""
    return numbers / (float(np.abs(numbers[np.isfinite(numbers)]).max(initial=0.0)) or 1.0)


def _power(view: View, entries: Array, target: Array, parts: Array, name: str) -> Power:
    """The power of the best teller; left at nothing where not even the rows it learned from are told well."""
    best = Power(0.0, 1.0)
    for teller in _tellers(view, name):
        if _judged(view, teller(entries, target, entries), target, parts).score >= LEAST:
            found = _judged(view, _out_of_fold(teller, entries, target, parts), target, parts)
            best = max(best, found, key=lambda power: power.score)
    return best


def _tellers(view: View, name: str) -> tuple[Teller, ...]:
    if not view.is_number(name):
        return (_by_class if view.question.classifies else _by_mean,)
    return (_by_class_tree,) if view.question.classifies else (_by_tree, _by_line)


def _out_of_fold(teller: Teller, entries: Array, target: Array, parts: Array) -> Array:
    told = np.empty(len(target))
    for fold in range(FOLDS):
        test = parts == fold
        told[test] = teller(entries[~test], target[~test], entries[test])
    return told


def _judged(view: View, told: Array, target: Array, parts: Array) -> Power:
    """The errors saved, and how likely that is by chance, corrected for the number of columns."""
    if view.question.classifies:
        score, p_value = _hits(told, target)
    else:
        base = np.array([target[parts != fold].mean() for fold in range(FOLDS)])[parts]
        errors = [float(((target - guess) ** 2).sum()) for guess in (told, base)]
        score = 1 - errors[0] / errors[1] if errors[1] > 0 else 0.0
        p_value = float(correlation_p(np.sqrt(max(score, 0.0)), len(target)))
    return Power(score, min(1.0, p_value * len(view.names)))


def _hits(told: Array, target: Array) -> tuple[float, float]:
    right, usual = int((told == target).sum()), int(np.bincount(target).max())
    score = (right - usual) / max(len(target) - usual, 1)
    return score, float(at_least(np.array(right), np.array(len(target)), np.array(usual / len(target))))


def _by_class_tree(known: Array, target: Array, new: Array) -> Array:
    return _by(DecisionTreeClassifier(max_depth=DEEPEST, random_state=0), known, target, new)


def _by_tree(known: Array, target: Array, new: Array) -> Array:
    return _by(DecisionTreeRegressor(max_depth=DEEPEST + 2, min_samples_leaf=3, random_state=0), known, target, new)


def _by(tree: DecisionTreeClassifier | DecisionTreeRegressor, known: Array, target: Array, new: Array) -> Array:
    if np.isnan(known).all():
        return np.full(len(new), target[0], dtype=float)
    return np.asarray(tree.fit(known[:, None], target).predict(new[:, None]), dtype=np.float64)


def _by_line(known: Array, target: Array, new: Array) -> Array:
    """The line of least squares; where an entry is missing, the mean."""
    there = np.isfinite(known)
    x, y = known[there], target[there]
    spread = float(((x - x.mean()) ** 2).sum()) if len(x) else 0.0
    slope = float((x - x.mean()) @ (y - y.mean())) / spread if spread > 1e-20 else 0.0
    straight = y.mean() + slope * (new - x.mean()) if len(x) else np.full(len(new), np.nan)
    return np.where(np.isfinite(straight), straight, target.mean())


def _by_class(known: Array, target: Array, new: Array) -> Array:
    """The commonest class of each value."""
    classes, levels = int(target.max()) + 1, int(max(known.max(), new.max())) + 1
    table = np.bincount(known * classes + target, minlength=levels * classes).reshape(levels, classes)
    best = np.where(table.any(axis=1), table.argmax(axis=1), np.bincount(target).argmax())
    return np.asarray(best[new], dtype=np.float64)


def _by_mean(known: Array, target: Array, new: Array) -> Array:
    """The mean target of each value."""
    levels = int(max(known.max(), new.max())) + 1
    counts = np.bincount(known, minlength=levels)
    sums = np.bincount(known, weights=target, minlength=levels)
    return np.where(counts > 0, sums / np.maximum(counts, 1), target.mean())[new]
