"""The report of a study without a target as one self-contained HTML page."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..study.row_map import RowMap
from ..study.unsupervised import UnsupervisedStudy
from ..study.unsupervised_story import variance_of_two, write_story
from .failures import Failures, drawn
from .figures import Picture, in_time
from .page import columns_of, command, note_failed, rendered, versions

MAX_POINTS = 1500


def unsupervised_page(study: UnsupervisedStudy, failures: Failures | None = None) -> str:
    """The report of a study without a target; failures are added to `failures`."""
    failures = failures or Failures()
    parts: dict[str, Any] = {
        "story": failures.attempt("the summary in words", lambda: write_story(study), None),
        "columns": failures.attempt("the list of columns", lambda: list(columns_of(study.question)), []),
        "pictures": failures.attempt("the figures", lambda: list(in_time(_drawn(study))), []),
    }
    missing = list(failures.found)
    note_failed(parts["pictures"], failures)
    return rendered(
        "unsupervised.html", failures, study=study, missing=missing, versions=versions(), held=variance_of_two(study),
        command=command(study.question, study.settings, study.source), **parts,
    )  # fmt: skip


def _drawn(study: UnsupervisedStudy) -> Iterator[Picture]:
    from ...plot import SpectrumDisplay

    yield Picture(
        "First two principal components", _of_dots(study),
        drawn("Rows on two principal components", lambda ax: _map(study, ax), (5.6, 4.2)),
    )  # fmt: skip
    found = study.row_map
    if found is not None:
        yield Picture(
            "Map of the rows", f"UMAP of the principal components. {found.sentence}",
            drawn("Map of the rows", lambda ax: _embedding(study, found, ax), (5.6, 4.2)),
        )  # fmt: skip
    yield Picture(
        "Explained variance", "The fraction of the variance explained by each component, and cumulatively.",
        drawn("Variance explained", lambda ax: SpectrumDisplay(study.explained).plot(ax=ax), (5.6, 2.8)),
    )  # fmt: skip
    if study.clusterings:
        yield Picture(
            "Stability of the clusters",
            "Adjusted Rand index of the clusterings of two subsamples; 1 is perfect. Lines are 95 % intervals; "
            "clusters are stable if theirs lies above the dotted line.",
            drawn("Stability of clusters", lambda ax: _stability(study, ax), (5.6, 2.8)),
        )  # fmt: skip


def _of_dots(study: UnsupervisedStudy) -> str:
    """The caption of the scatter plot of the rows."""
    if study.chosen is None:
        return "Each dot is a row; nearby rows are similar in the directions of largest variance."
    return "Each dot is a row, coloured by cluster; the table below has the same cluster numbers."


def _map(study: UnsupervisedStudy, ax: Any) -> None:
    from ...plot import ClusterDisplay

    rows = np.unique(np.linspace(0, len(study.components) - 1, min(MAX_POINTS, len(study.components))).astype(int))
    points = study.components[rows]
    if points.shape[1] == 1:
        points = np.column_stack([points, np.zeros(len(points))])
    display = ClusterDisplay(points, study.labels[rows], None, ["first component", "second component"])
    display.plot(ax=ax, legend=study.chosen is not None)


def _embedding(study: UnsupervisedStudy, found: RowMap, ax: Any) -> None:
    from ...plot import ClusterDisplay

    display = ClusterDisplay(found.points, study.labels[found.rows], None, ["", ""])
    display.plot(ax=ax, legend=study.chosen is not None)
    ax.set(xticks=[], yticks=[])


def _stability(study: UnsupervisedStudy, ax: Any) -> None:
    from ...plot import ClusterChoiceDisplay
    from ..study.unsupervised import STABLE

    counts, scores, low, high = (
        np.array([getattr(one, name) for one in study.clusterings]) for name in ("clusters", "agreement", "low", "high")
    )
    ends = np.maximum([scores - low, high - scores], 0.0)
    chosen = None if study.chosen is None else study.chosen.clusters
    ClusterChoiceDisplay(counts, scores, ends, chosen, "adjusted Rand index", STABLE).plot(ax=ax)
    ax.set(ylabel="adjusted Rand index", ylim=(min(0.0, low.min()) - 0.02, 1.03))
