"""A table of models: scores with intervals, tests against the baseline and the best, ties grouped."""

from __future__ import annotations

import html
import importlib
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from ..core import Array
from .finding import p_text

LEFT = (0, 3)  # columns of words


@dataclass(frozen=True, slots=True)
class ComparedModel:
    """A model in a comparison; p-values are adjusted for multiple comparisons.

    `verdict` is "better", "worse" or "no difference observed" with respect to the baseline. Models of one `group` were
    not significantly different from the best of that group.
    """

    name: str
    score: float
    low: float
    high: float
    difference: float
    p_baseline: float
    verdict: str
    p_best: float
    group: int


@dataclass(frozen=True)
class Comparison:
    """Result of `compare`: `rows` from the best score to the worst, and the `scores` of every fold by name."""

    rows: tuple[ComparedModel, ...]
    scores: dict[str, Array]
    baseline: str
    measure: str
    correction: str
    alpha: float
    test_share: float
    interval: str = "corrected"

    @property
    def best(self) -> list[str]:
        """The model with the best score, and those that are not significantly different from it."""
        return [row.name for row in self.rows if row.group == 1]

    @property
    def better(self) -> list[str]:
        """The models that are better than the baseline."""
        return [row.name for row in self.rows if row.verdict == "better"]

    @property
    def sentence(self) -> str:
        """The outcome in words."""
        if not self.better:
            return f"No model was observed to be better than the baseline, {self.baseline}."
        first, *others = self.best
        ahead = (
            f"Better than the baseline, {self.baseline}: {', '.join(self.better)}. The best score is that of {first}"
        )
        if not others:
            return f"{ahead}."
        return f"{ahead}; no difference to it was observed for {', '.join(others)}, which does not prove equality."

    def table(self) -> dict[str, list[Any]]:
        """The rows as columns."""
        return {field.name: [getattr(row, field.name) for row in self.rows] for field in fields(ComparedModel)}

    def to_frame(self, library: str = "pandas") -> Any:
        """The table as a data frame of `library`, pandas or polars."""
        return importlib.import_module(library).DataFrame(self.table())

    def plot(self, *, ax: Any = None) -> Any:
        """The scores with their intervals as a picture, a `ComparisonDisplay`, on `ax` or a new figure."""
        return importlib.import_module("learnable.plot").ComparisonDisplay(self).plot(ax=ax)

    def __str__(self) -> str:
        lines = [self._headings(), *self._cells()]
        widths = [max(len(line[j]) for line in lines) for j in range(len(lines[0]))]
        texts = [
            "  ".join(
                cell.ljust(w) if j in LEFT else cell.rjust(w)
                for j, (cell, w) in enumerate(zip(line, widths, strict=True))
            )
            for line in lines
        ]
        rule = "-" * len(texts[0])
        return "\n".join([self.title, rule, texts[0], rule, *texts[1:], rule, self.sentence])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{html.escape(word)}</th>" for word in self._headings())
        body = "".join(
            "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>" for row in self._cells()
        )
        return (
            f"<table><caption>{html.escape(self.title)}</caption><thead><tr>{head}</tr></thead>"
            f"<tbody>{body}</tbody></table><p>{html.escape(self.sentence)}</p>"
        )

    @property
    def title(self) -> str:
        """What was measured, how often, and how it was tested."""
        count = len(next(iter(self.scores.values())))
        tests = f"corrected resampled t tests, {self.correction} correction"
        return f"{self.measure} on {count} test sets; {'intervals by halves, ' * (self.interval == 'halves')}{tests}"

    def _headings(self) -> list[str]:
        level = f"{(1 - self.alpha) * 100:g} % interval"
        return ["model", "score", level, "observed vs baseline", "p", "p vs best", "group"]

    def _cells(self) -> list[list[str]]:
        digits = decimals([row.high - row.low for row in self.rows])
        return [
            [
                row.name,
                f"{row.score:.{digits}f}",
                f"{row.low:.{digits}f} to {row.high:.{digits}f}",
                "the baseline"
                if row.name == self.baseline
                else f"{row.difference:+.{digits}f} {row.verdict.removesuffix(' observed')}",
                "" if row.name == self.baseline else p_text(row.p_baseline).removeprefix("p = ").removeprefix("p "),
                "" if row is self.rows[0] else p_text(row.p_best).removeprefix("p = ").removeprefix("p "),
                str(row.group),
            ]
            for row in self.rows
        ]


def decimals(widths: list[float]) -> int:
    """Decimals that show numbers with such intervals, two digits into the usual one.

    >>> decimals([0.2, 0.3]), decimals([1500.0])
    (3, 0)
    """
    usual = float(np.median(widths))
    return int(np.clip(2 - np.floor(np.log10(usual)), 0, 9)) if usual > 0 else 4
