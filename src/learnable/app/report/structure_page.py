"""A study without a target as one page that needs nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..study.structure import Structure
from ..study.structure_story import held_by_two, told
from .failures import Failures, drawn
from .figures import Picture, in_time
from .page import columns_of, command, note_failed, rendered, versions

MOST_POINTS = 1500


def structure_page(study: Structure, failures: Failures | None = None) -> str:
    """The report of a study without a target; what could not be made is added to `failures`."""
    failures = failures or Failures()
    parts: dict[str, Any] = {
        "story": failures.attempt("the story", lambda: told(study), None),
        "columns": failures.attempt("the list of columns", lambda: list(columns_of(study.question)), []),
        "pictures": failures.attempt("the pictures", lambda: list(in_time(_drawn(study))), []),
    }
    missing = list(failures.found)
    note_failed(parts["pictures"], failures)
    return rendered(
        "structure.html", failures, study=study, missing=missing, versions=versions(), held=held_by_two(study),
        command=command(study.question, study.settings, study.source), **parts,
    )  # fmt: skip


def _drawn(study: Structure) -> Iterator[Picture]:
    from ...plot import SpectrumDisplay

    yield Picture(
        "The rows on their first two components", _of_dots(study),
        drawn("Rows on two components", lambda ax: _map(study, ax), (5.6, 4.2)),
    )  # fmt: skip
    yield Picture(
        "How much the components explain", "The share of the variance that each component, and all up to it, explain.",
        drawn("Variance explained", lambda ax: SpectrumDisplay(study.shares).plot(ax=ax), (5.6, 2.8)),
    )  # fmt: skip
    if study.groupings:
        yield Picture(
            "Do groups come back?",
            "Agreement of groupings of two draws of the rows, 1 is perfect. Lines are 95 % intervals; groups count if "
            "theirs lies above the dotted line and they are better separated than parts of one cloud.",
            drawn("Stability of groups", lambda ax: _stability(study, ax), (5.6, 2.8)),
        )  # fmt: skip


def _of_dots(study: Structure) -> str:
    """How to read the map of the rows."""
    if study.chosen is None:
        return "Each dot is a row; rows near each other are alike in what differs most between rows."
    return "Each dot is a row, its colour the group; the groups have the numbers of the table below."


def _map(study: Structure, ax: Any) -> None:
    from ...plot import ClusterDisplay

    rows = np.unique(np.linspace(0, len(study.places) - 1, min(MOST_POINTS, len(study.places))).astype(int))
    places = study.places[rows]
    if places.shape[1] == 1:
        places = np.column_stack([places, np.zeros(len(places))])
    display = ClusterDisplay(places, study.labels[rows], None, ["first component", "second component"])
    display.plot(ax=ax, legend=study.chosen is not None)


def _stability(study: Structure, ax: Any) -> None:
    from ...plot import ClusterChoiceDisplay
    from ..study.structure import STABLE

    counts, scores, low, high = (
        np.array([getattr(one, name) for one in study.groupings]) for name in ("groups", "agreement", "low", "high")
    )
    ends = np.maximum([scores - low, high - scores], 0.0)
    chosen = None if study.chosen is None else study.chosen.groups
    ClusterChoiceDisplay(counts, scores, ends, chosen, "agreement", STABLE).plot(ax=ax)
    ax.set(ylabel="agreement", ylim=(min(0.0, low.min()) - 0.02, 1.03))
