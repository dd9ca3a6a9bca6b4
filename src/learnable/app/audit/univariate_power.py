"""Univariate predictive power: how well one column alone predicts the target of held-out rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ...core import Array
from ...tree import DecisionTreeClassifier, DecisionTreeRegressor
from .encoded_columns import holds_numbers
from .significance import binomial_tail, correlation_p
from .table_view import AuditView, sampled_indices

MAX_ROWS = 3000
FOLDS = 3
DEEPEST = 6
MINIMUM = 0.5  # error reduction on training rows from which a column is cross-validated
Predictor = Callable[[Array, Array, Array], Array]  # training entries, their targets, new entries -> predictions


@dataclass(frozen=True, slots=True)
class Power:
    """The reduction of the baseline's error by one column, and its p-value, corrected for the number of columns."""

    score: float
    p_value: float


Powers = dict[str, Power]


def powers(view: AuditView) -> Powers:
    """The predictive power of the columns most associated with the target."""
    indices = sampled_indices(len(view.rows), MAX_ROWS, view.seed, 2)
    target = view.target[indices] if view.question.classifies else _scaled(view.target[indices])
    folds = assign_folds(target)
    if len(target) < 2 * FOLDS or (target == target[0]).all():
        return {}
    return {name: _power(view, _entries(view, name)[indices], target, folds, name) for name in view.closest}


def assign_folds(target: Array) -> Array:
    """The fold of each row, stratified by class or by the order of amounts."""
    folds = np.empty(len(target), dtype=int)
    folds[np.argsort(target, kind="stable")] = np.arange(len(target)) % FOLDS
    return folds


def _entries(view: AuditView, name: str) -> Array:
    """A column as a feature: its numbers, or its codes, with missing values as a category of their own."""
    return _scaled(view.numbers(name)) if holds_numbers(view.values(name)) else view.codes(name).codes + 1


def _scaled(numbers: Array) -> Array:
    """Numbers scaled to at most 1 in absolute value, so that their squares do not overflow."""
    return numbers / (float(np.abs(numbers[np.isfinite(numbers)]).max(initial=0.0)) or 1.0)


def _power(view: AuditView, entries: Array, target: Array, folds: Array, name: str) -> Power:
    """The power of the best predictor; 0 if none fits even the training rows well."""
    best = Power(0.0, 1.0)
    for predictor in _predictors(view, name):
        if _evaluate(view, predictor(entries, target, entries), target, folds).score >= MINIMUM:
            found = _evaluate(view, _out_of_fold(predictor, entries, target, folds), target, folds)
            best = max(best, found, key=lambda power: power.score)
    return best


def _predictors(view: AuditView, name: str) -> tuple[Predictor, ...]:
    if not view.is_number(name):
        return (_by_class if view.question.classifies else _by_mean,)
    return (_by_class_tree,) if view.question.classifies else (_by_tree, _by_line)


def _out_of_fold(predictor: Predictor, entries: Array, target: Array, folds: Array) -> Array:
    predicted = np.empty(len(target))
    for fold in range(FOLDS):
        test = folds == fold
        predicted[test] = predictor(entries[~test], target[~test], entries[test])
    return predicted


def _evaluate(view: AuditView, predicted: Array, target: Array, folds: Array) -> Power:
    """The error reduction and its p-value, corrected for the number of columns."""
    if view.question.classifies:
        score, p_value = _error_reduction(predicted, target)
    else:
        base = np.array([target[folds != fold].mean() for fold in range(FOLDS)])[folds]
        errors = [float(((target - guess) ** 2).sum()) for guess in (predicted, base)]
        score = 1 - errors[0] / errors[1] if errors[1] > 0 else 0.0
        p_value = float(correlation_p(np.sqrt(max(score, 0.0)), len(target)))
    return Power(score, min(1.0, p_value * len(view.names)))


def _error_reduction(predicted: Array, target: Array) -> tuple[float, float]:
    right, usual = int((predicted == target).sum()), int(np.bincount(target).max())
    score = (right - usual) / max(len(target) - usual, 1)
    return score, float(binomial_tail(np.array(right), np.array(len(target)), np.array(usual / len(target))))


def _by_class_tree(known: Array, target: Array, new: Array) -> Array:
    return _by(DecisionTreeClassifier(max_depth=DEEPEST, random_state=0), known, target, new)


def _by_tree(known: Array, target: Array, new: Array) -> Array:
    return _by(DecisionTreeRegressor(max_depth=DEEPEST + 2, min_samples_leaf=3, random_state=0), known, target, new)


def _by(tree: DecisionTreeClassifier | DecisionTreeRegressor, known: Array, target: Array, new: Array) -> Array:
    if np.isnan(known).all():
        return np.full(len(new), target[0], dtype=float)
    return np.asarray(tree.fit(known[:, None], target).predict(new[:, None]), dtype=np.float64)


def _by_line(known: Array, target: Array, new: Array) -> Array:
    """Simple linear regression; the mean where an entry is missing."""
    there = np.isfinite(known)
    x, y = known[there], target[there]
    spread = float(((x - x.mean()) ** 2).sum()) if len(x) else 0.0
    slope = float((x - x.mean()) @ (y - y.mean())) / spread if spread > 1e-20 else 0.0
    straight = y.mean() + slope * (new - x.mean()) if len(x) else np.full(len(new), np.nan)
    return np.where(np.isfinite(straight), straight, target.mean())


def _by_class(known: Array, target: Array, new: Array) -> Array:
    """The most frequent class of each value."""
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
