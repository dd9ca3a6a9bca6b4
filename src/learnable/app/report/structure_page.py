"""A study without a target as one page that needs nothing else."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..study.structure import Structure
from .page import columns_of, command, rendered, versions
from .pictures import Picture
from .svg import drawn

MOST_POINTS = 1500


def structure_page(study: Structure) -> str:
    """The report of a study without a target."""
    return rendered(
        "structure.html", study=study, pictures=_pictures(study), columns=list(columns_of(study.question)),
        versions=versions(), command=command(study.question, study.settings, study.source),
    )  # fmt: skip


def _pictures(study: Structure) -> list[Picture]:
    return [*_of_components(study), *(_of_groups(study) if study.groupings else [])]


def _of_components(study: Structure) -> list[Picture]:
    return [
        Picture(
            "The rows on their first two components", "Each dot is a row; colours are the groups, if there are any.",
            drawn("Rows on two components", lambda ax: _map(study, ax), (5.6, 4.2)),
        ),
        Picture(
            "How much the components explain",
            "The share of the variance that each component, and all up to it, explain.",
            drawn("Variance explained", lambda ax: _shares(study, ax), (5.6, 2.8)),
        ),
    ]  # fmt: skip


def _of_groups(study: Structure) -> list[Picture]:
    return [
        Picture(
            "Do groups come back?",
            "Agreement of groupings of two draws of the rows, 1 is perfect; lines are 95 % intervals.",
            drawn("Stability of groups", lambda ax: _stability(study, ax), (5.6, 2.8)),
        ),
    ]  # fmt: skip


def _map(study: Structure, ax: Any) -> None:
    from ...parts.colours import CLASS_COLOURS
    from ...plot.style import plain

    places = study.places if study.places.shape[1] > 1 else np.column_stack([study.places, np.zeros(len(study.places))])
    rows = np.unique(np.linspace(0, len(places) - 1, min(MOST_POINTS, len(places))).astype(int))
    for label in np.unique(study.labels):
        chosen = rows[study.labels[rows] == label]
        ax.plot(*places[chosen, :2].T, "o", markersize=3, alpha=0.6, color=CLASS_COLOURS[label % len(CLASS_COLOURS)])
    plain(ax).set(xlabel="first component", ylabel="second component")


def _shares(study: Structure, ax: Any) -> None:
    from ...plot.style import BLUE, ORANGE, plain

    places = np.arange(1, len(study.shares) + 1)
    plain(ax).bar(places, study.shares, color=BLUE, alpha=0.85, label="one")
    ax.plot(places, np.cumsum(study.shares), "o-", color=ORANGE, markersize=4, label="up to it")
    ax.set(xlabel="component", ylabel="share of the variance", xticks=places, ylim=(0, 1.03))
    ax.legend(frameon=False)


def _stability(study: Structure, ax: Any) -> None:
    from ...plot.style import BLUE, GREY, plain
    from ..study.structure import STABLE

    plain(ax).axhline(STABLE, color=GREY, linestyle=":", linewidth=1.2)
    for one in study.groupings:
        ax.plot([one.groups, one.groups], [one.low, one.high], color=BLUE, linewidth=2, alpha=0.6)
        ax.plot(one.groups, one.agreement, "o", color=BLUE)
    lowest = min([0.0, *(one.low for one in study.groupings)])
    ax.set(xlabel="number of groups", ylabel="agreement", ylim=(lowest - 0.02, 1.03))
