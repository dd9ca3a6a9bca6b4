"""Checks with nearest neighbours: near-duplicate rows, and labels that all neighbours contradict."""

from __future__ import annotations

import numpy as np

from ...core import Array
from ...neighbors import NearestNeighbors
from ..text import counted, listed, percent
from .evidence import AlarmEvidence, Findings
from .table_view import AuditView, sampled_indices, standardised

MAX_ROWS, MAX_COLUMNS = 3000, 50
MIN_ROWS, MIN_COLUMNS = 100, 3
NEAR, EQUAL = 0.01, 1e-6  # distance to the nearest row relative to the median one
AROUND = 10  # number of neighbours that vote on a label
CLEAR = 0.6  # error reduction over the baseline that the neighbours must reach before a label is suspicious


def near_duplicates_and_label_errors(view: AuditView) -> Findings:
    """Near-duplicate rows, and rows whose label none of their nearest neighbours has."""
    names = _continuous(view)
    indices = sampled_indices(len(view.rows), MAX_ROWS, view.seed, 4)
    if len(indices) < MIN_ROWS or len(names) < MIN_COLUMNS:
        return
    rows = standardised(np.stack([view.numbers(name)[indices] for name in names])).T
    distances, near = NearestNeighbors(n_neighbors=AROUND + 1).fit(rows).kneighbors(rows)
    scope = f" (checked on {len(indices)} of {view.n} rows)" if len(indices) < view.n else ""
    yield from _nearly_equal(view, view.rows[indices], distances[:, 1], scope)
    if view.question.classifies:
        yield from _suspicious_labels(view, view.rows[indices], view.target[indices], near[:, 1:], scope)


def _continuous(view: AuditView) -> list[str]:
    """Numeric columns in which two rows rarely agree by chance."""
    statistics = view.statistics
    fine = (
        (statistics.number == 1)
        & (statistics.agreement < 0.01)
        & (statistics.missing < 0.1 * view.n)
        & (statistics.infinite == 0)
    )
    chosen = set(view.chosen(fine))
    return [name for name in view.some if name in chosen][:MAX_COLUMNS]


def _nearly_equal(view: AuditView, rows: Array, distances: Array, scope: str) -> Findings:
    usual = float(np.median(distances))
    close = np.flatnonzero((distances < NEAR * usual) & (distances > EQUAL * usual))
    if len(close) >= max(3, 0.005 * len(rows)):
        text = f"{counted(len(close), 'row')} ({percent(len(close) / len(rows))}) have a neighbour {1 / NEAR:g} times"
        yield AlarmEvidence(
            "LB038", f"{text} closer than usual, for example rows {listed(view.row_numbers(rows[close]))}{scope}"
        )


def _suspicious_labels(view: AuditView, rows: Array, labels: Array, near: Array, scope: str) -> Findings:
    """Rows whose class none of their neighbours has, where neighbours mostly predict the class."""
    classes = int(labels.max()) + 1
    votes = np.stack([(labels[near] == label).sum(axis=1) for label in range(classes)], axis=1)
    usual = int(np.bincount(labels).max())
    saved = (int((votes.argmax(axis=1) == labels).sum()) - usual) / max(len(labels) - usual, 1)
    own = votes[np.arange(len(labels)), labels]
    suspects = np.flatnonzero((own == 0) & (votes.max(axis=1) == near.shape[1]))
    if saved >= CLEAR and len(suspects) >= max(3, 0.005 * len(rows)):
        text = f"all {near.shape[1]} nearest neighbours have another class than {counted(len(suspects), 'row')}"
        yield AlarmEvidence(
            "LB033",
            f"{text} ({percent(len(suspects) / len(rows))}): rows {listed(view.row_numbers(rows[suspects]))}{scope}",
        )
