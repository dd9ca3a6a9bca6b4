"""What the nearest rows say: rows that are all but equal, and labels that all neighbours contradict."""

from __future__ import annotations

import numpy as np

from ...core import Array
from ...neighbors import NearestNeighbors
from ..text import counted, listed, percent
from .evidence import Evidence, Findings
from .table_view import View, drawn, standardised

MOST_ROWS, MOST_COLUMNS = 3000, 50
FEWEST_ROWS, FEWEST_COLUMNS = 100, 3
NEAR, EQUAL = 0.01, 1e-6  # distance to the nearest row, as a share of the usual one
AROUND = 10  # neighbours that are asked for a label
CLEAR = 0.6  # share of the baseline's errors that neighbours must save before they may accuse a row


def nearest(view: View) -> Findings:
    """Rows that hardly differ from another, and labels that none of the nearest rows has."""
    names = _continuous(view)
    places = drawn(len(view.rows), MOST_ROWS, view.seed, 4)
    if len(places) < FEWEST_ROWS or len(names) < FEWEST_COLUMNS:
        return
    rows = standardised(np.stack([view.numbers(name)[places] for name in names])).T
    distances, near = NearestNeighbors(n_neighbors=AROUND + 1).fit(rows).kneighbors(rows)
    scope = f" (looked at {len(places)} of {view.n} rows)" if len(places) < view.n else ""
    yield from _nearly_equal(view, view.rows[places], distances[:, 1], scope)
    if view.question.classifies:
        yield from _suspects(view, view.rows[places], view.target[places], near[:, 1:], scope)


def _continuous(view: View) -> list[str]:
    """Columns of numbers in which hardly two rows agree by chance."""
    facts = view.facts
    fine = (facts.number == 1) & (facts.alike < 0.01) & (facts.missing < 0.1 * view.n) & (facts.infinite == 0)
    chosen = set(view.chosen(fine))
    return [name for name in view.some if name in chosen][:MOST_COLUMNS]


def _nearly_equal(view: View, rows: Array, distances: Array, scope: str) -> Findings:
    usual = float(np.median(distances))
    close = np.flatnonzero((distances < NEAR * usual) & (distances > EQUAL * usual))
    if len(close) >= max(3, 0.005 * len(rows)):
        text = (
            f"{counted(len(close), 'row')} ({percent(len(close) / len(rows))}) have another {1 / NEAR:g} times nearer"
        )
        yield Evidence("LB038", f"{text} than usual, such as rows {listed(view.told(rows[close]))}{scope}")


def _suspects(view: View, rows: Array, labels: Array, near: Array, scope: str) -> Findings:
    """Rows none of whose neighbours has their class, though neighbours mostly agree."""
    classes = int(labels.max()) + 1
    votes = np.stack([(labels[near] == label).sum(axis=1) for label in range(classes)], axis=1)
    usual = int(np.bincount(labels).max())
    saved = (int((votes.argmax(axis=1) == labels).sum()) - usual) / max(len(labels) - usual, 1)
    own = votes[np.arange(len(labels)), labels]
    odd = np.flatnonzero((own == 0) & (votes.max(axis=1) == near.shape[1]))
    if saved >= CLEAR and len(odd) >= max(3, 0.005 * len(rows)):
        text = f"all {near.shape[1]} nearest rows have another class than {counted(len(odd), 'row')}"
        yield Evidence("LB033", f"{text} ({percent(len(odd) / len(rows))}): rows {listed(view.told(rows[odd]))}{scope}")
