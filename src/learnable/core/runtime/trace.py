"""Trace and certificate of a fit: a row per iteration, the stop reason, and the proven quality of the solution."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from . import context

Stopped = Literal["converged", "patience", "stalled", "diverged", "limit", "budget", "interrupted", "exact", ""]

EARLY: dict[Stopped, str] = {"budget": "the budget", "interrupted": "a watcher"}
"""Who stops a fit before its own end."""

ENDS: tuple[Stopped, ...] = (
    "", "exact", "converged", "patience", "stalled", "limit", "diverged", "interrupted", "budget",
)  # fmt: skip
"""Why fits stop, from the reason that promises most to the one that promises least."""

UNFINISHED = "unfinished"
"""The kind of certificate of a fit that was stopped before its end."""

UNITS = ("passes", "epochs", "trials", "steps", "trees", "estimators")
"""Columns that count what `max_iter` limits, in the traces of methods that do several of it in one row."""


@dataclass(frozen=True, slots=True)
class Certificate:
    """A statement about a fitted model: the `value` of some quantity, which should be within `tolerance`.

    `claim` is what it means in words, without the full stop.
    """

    kind: str
    value: float
    tolerance: float
    claim: str

    @property
    def holds(self) -> bool:
        """Whether the value is within the tolerance."""
        return bool(self.value <= self.tolerance)

    @property
    def sentence(self) -> str:
        """What is proven; of a value beyond the tolerance it first says so.

        >>> Certificate("gap", 0.1, 0.01, "nothing is better by more than this").sentence
        'not within the tolerance: nothing is better by more than this.'
        """
        said = self.holds or self.kind == UNFINISHED
        return f"{self.claim}." if said else f"not within the tolerance: {self.claim}."

    def __str__(self) -> str:
        if self.kind == "exact":
            return f"exact: {self.sentence}"
        verdict = "holds" if self.holds else "does NOT hold"
        return f"{self.kind} {self.value:.3g} (tolerance {self.tolerance:.3g}, {verdict}): {self.sentence}"


def weakest(ends: Iterable[Stopped]) -> Stopped:
    """Why a fit made of parts stopped: of their reasons that which promises least.

    >>> weakest(["converged", "limit", "converged"])
    'limit'
    """
    return max(ends, key=ENDS.index)


class Trace:
    """Trace of a fit: columns of numbers, one row per iteration.

    >>> trace = Trace()
    >>> trace.record(3.0); trace.record(2.0, step=0.5)
    >>> trace["objective"]
    array([3., 2.])
    """

    def __init__(self, owner: object = None, rows: list[dict[str, float]] | None = None, stopped: Stopped = "") -> None:
        self.owner = owner
        self.rows: list[dict[str, float]] = rows if rows is not None else []
        self.stopped: Stopped = stopped
        self.certificate: Certificate | None = None
        self.adopted = False  # from a model inside, which has reported an unfinished fit itself
        self._began = time.perf_counter()

    def record(self, objective: float, **columns: float) -> None:
        """Add a row, and notify the watchers."""
        row = {"objective": objective, "seconds": time.perf_counter() - self._began, **columns}
        self.rows.append(row)
        context.notify(self.owner, len(self.rows), row)

    def certify(self, kind: str, value: float, tolerance: float, sentence: str) -> None:
        """State the proven quality of the solution."""
        self.certificate = Certificate(kind, float(value), float(tolerance), sentence.rstrip("."))

    def exact(self, sentence: str, objective: float = 0.0) -> None:
        """State that the solution is exact up to rounding."""
        self.record(objective)
        self.stopped = "exact"
        self.certify("exact", 0.0, 0.0, sentence)

    def adopt(self, model: object, sentence: str, **columns: float) -> None:
        """Adopt the certificate of the inner `model`; with this text where it has none."""
        proof, course = getattr(model, "certificate_", None), getattr(model, "trace_", None)
        if proof is None or course is None:
            self.exact(sentence)
            return
        self.record(course.rows[-1]["objective"], **columns)
        self.stopped = course.stopped
        self.certificate, self.adopted = proof, True

    def withdraw(self) -> None:
        """Let the certificate of a fit that was stopped before its end claim nothing for the whole."""
        proof = self.certificate
        if self.stopped in EARLY and proof is not None and proof.holds:
            cause = EARLY[self.stopped]
            self.certify(UNFINISHED, 1.0, 0.0, f"{cause} stopped the fit before its end; until then, {proof.claim}")

    @property
    def iterations(self) -> int:
        """How many rows there are."""
        return len(self.rows)

    @property
    def work(self) -> str:
        """How much was done, such as `12 iterations`, in the unit that `max_iter` limits."""
        counted = next((unit for unit in UNITS if self.rows and unit in self.rows[-1]), "iterations")
        return f"{self.rows[-1].get(counted, self.iterations):g} {counted}" if self.rows else "0 iterations"

    @property
    def seconds(self) -> float:
        """How long it took until the last row."""
        return self.rows[-1]["seconds"] if self.rows else 0.0

    def __getitem__(self, column: str) -> np.ndarray[Any, np.dtype[np.float64]]:
        """One column as an array; NaN where a row has no such entry."""
        known = {"objective", "seconds"}.union(*self.rows)
        if column not in known:
            raise KeyError(f"the trace has no column {column!r}; it has {', '.join(sorted(known))}")
        return np.array([row.get(column, np.nan) for row in self.rows])

    def __getstate__(self) -> dict[str, Any]:
        return {"rows": self.rows, "stopped": self.stopped, "certificate": self.certificate}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(None, state["rows"], state["stopped"])  # type: ignore[misc]  # a trace is its rows
        self.certificate = state["certificate"]

    def __repr__(self) -> str:
        last = f", objective {self.rows[-1]['objective']:.6g}" if self.rows else ""
        return f"<Trace: {self.iterations} iterations, {self.stopped or 'running'}{last}, {self.seconds:.3g} s>"
